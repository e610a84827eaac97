// Shuffles of values of any type, word by word.

template <class T> union Parts {
    u32 words[(sizeof(T) + 3) / 4];
    T value;
};

#define SHUFFLE(name) \
    template <class T> DEVICE T name##_any(T value, u32 by) { \
        Parts<T> parts; \
        parts.words[0] = 0; \
        parts.value = value; \
        UNROLLED \
        for (u32 i = 0; i < sizeof(parts) / 4; ++i) parts.words[i] = name(parts.words[i], by); \
        return parts.value; \
    }
SHUFFLE(shuffle_down)
SHUFFLE(shuffle_up)
SHUFFLE(shuffle_from)
#undef SHUFFLE
