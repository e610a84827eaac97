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

// Values that other blocks read or wrote: not kept in a cache of the processor's own.
template <class T> DEVICE void write_through(T* to, const T& value) {
    Parts<T> parts;
    parts.value = value;
    UNROLLED
    for (u32 i = 0; i < sizeof(T) / 4; ++i) write_word((u32*)to + i, parts.words[i]);
    for (u32 i = sizeof(T) / 4 * 4; i < sizeof(T); ++i) ((volatile byte*)to)[i] = ((const byte*)&parts)[i];
}
template <class T> DEVICE T read_through(const T* from) {
    Parts<T> parts;
    UNROLLED
    for (u32 i = 0; i < sizeof(T) / 4; ++i) parts.words[i] = read_word((const u32*)from + i);
    for (u32 i = sizeof(T) / 4 * 4; i < sizeof(T); ++i) ((byte*)&parts)[i] = ((const volatile byte*)from)[i];
    return parts.value;
}
