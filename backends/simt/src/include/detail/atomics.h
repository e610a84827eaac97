// Indivisible updates, among the threads of all blocks.
#pragma once

namespace __cpx {

// Replaces what is at an address by `update` of it; returns what was there.
template <class T, class Word, class Update>
static inline T exchange(T* address, Update update) {
    static_assert(sizeof(T) == sizeof(Word), "the word holds the value");
    Word* word = reinterpret_cast<Word*>(address);
    Word seen = __atomic_load_n(word, __ATOMIC_RELAXED);
    for (;;) {
        T old, made;
        memcpy(&old, &seen, sizeof(T));
        made = update(old);
        Word next;
        memcpy(&next, &made, sizeof(T));
        if (__atomic_compare_exchange_n(word, &seen, next, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) return old;
    }
}

}  // namespace __cpx

#define CPX_SCOPED(T, name, parameters, arguments)                                                       \
    static inline T name##_block parameters { return name arguments; }                                   \
    static inline T name##_system parameters { return name arguments; }

#define CPX_FETCH(T, name, builtin)                                                                       \
    static inline T name(T* address, T value) { return __atomic_fetch_##builtin(address, value, __ATOMIC_SEQ_CST); } \
    CPX_SCOPED(T, name, (T * address, T value), (address, value))

#define CPX_UPDATE(T, Word, name, expression)                                                             \
    static inline T name(T* address, T value) {                                                           \
        return __cpx::exchange<T, Word>(address, [=](T old) { (void)value; return (T)(expression); });    \
    }                                                                                                     \
    CPX_SCOPED(T, name, (T * address, T value), (address, value))

#define CPX_COMPARE(T, Word)                                                                              \
    static inline T atomicCAS(T* address, T compare, T value) {                                           \
        Word seen, next;                                                                                  \
        memcpy(&seen, &compare, sizeof(T));                                                               \
        memcpy(&next, &value, sizeof(T));                                                                 \
        if (!__atomic_compare_exchange_n(reinterpret_cast<Word*>(address), &seen, next, false,            \
                                         __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))                             \
            __cpx::pause();                                                                               \
        T old;                                                                                            \
        memcpy(&old, &seen, sizeof(T));                                                                   \
        return old;                                                                                       \
    }                                                                                                     \
    CPX_SCOPED(T, atomicCAS, (T * address, T compare, T value), (address, compare, value))

#define CPX_MINMAX(T, Word)                                                                               \
    CPX_UPDATE(T, Word, atomicMin, value < old ? value : old)                                             \
    CPX_UPDATE(T, Word, atomicMax, old < value ? value : old)

#define CPX_INTEGER(T)                                                                                    \
    CPX_FETCH(T, atomicAdd, add)                                                                          \
    CPX_FETCH(T, atomicAnd, and)                                                                          \
    CPX_FETCH(T, atomicOr, or)                                                                            \
    CPX_FETCH(T, atomicXor, xor)                                                                          \
    CPX_UPDATE(T, T, atomicExch, value)                                                                   \
    CPX_MINMAX(T, T)                                                                                      \
    CPX_COMPARE(T, T)

// The types are those that CUDA has, so that what programs add themselves does not clash.
CPX_INTEGER(int)
CPX_INTEGER(unsigned)
CPX_INTEGER(unsigned long long)
CPX_MINMAX(long long, long long)
CPX_FETCH(int, atomicSub, sub)
CPX_FETCH(unsigned, atomicSub, sub)
CPX_UPDATE(float, unsigned, atomicAdd, old + value)
CPX_UPDATE(double, unsigned long long, atomicAdd, old + value)
CPX_UPDATE(float, unsigned, atomicExch, value)
CPX_UPDATE(unsigned, unsigned, atomicInc, old >= value ? 0 : old + 1)
CPX_UPDATE(unsigned, unsigned, atomicDec, old == 0 || old > value ? value : old - 1)
CPX_COMPARE(unsigned short, unsigned short)

#undef CPX_COMPARE
#undef CPX_UPDATE
#undef CPX_MINMAX
#undef CPX_INTEGER
#undef CPX_FETCH
#undef CPX_SCOPED
