// Atomic operations that CUDA lacks: additions of long long and of float16, maxima and minima of floats. As templates they leave
// the way to functions of the program's own, and to those of AMD.
#pragma once

#include <cupy/float16.cuh>

template <int = 0> __device__ inline long long atomicAdd(long long* address, long long value) {
    return (long long)atomicAdd(reinterpret_cast<unsigned long long*>(address), (unsigned long long)value);
}

template <int = 0> __device__ inline float16 atomicAdd(float16* address, float16 value) {
    unsigned short* word = reinterpret_cast<unsigned short*>(address);
    unsigned short seen = *word, before;
    do {
        before = seen;
        const float sum = (float)cpx_half::same_bits<float16>(before) + (float)value;
        seen = cpx_half::swap_if_equal(word, before, cpx_half::same_bits<unsigned short>(float16(sum)));
    } while (seen != before);
    return cpx_half::same_bits<float16>(before);
}

// A NaN stays where it is, and one that comes changes nothing.
#define CPX_EXTREME(name, T, Word, sign)                                                               \
    template <int = 0> __device__ inline T name(T* address, T value) {                                 \
        Word* word = reinterpret_cast<Word*>(address);                                                 \
        Word seen = *word, before;                                                                     \
        do {                                                                                           \
            before = seen;                                                                             \
            if (!(value sign cpx_half::same_bits<T>(before))) break;                                   \
            seen = atomicCAS(word, before, cpx_half::same_bits<Word>(value));                          \
        } while (seen != before);                                                                      \
        return cpx_half::same_bits<T>(before);                                                         \
    }
CPX_EXTREME(atomicMax, float, unsigned int, >)
CPX_EXTREME(atomicMin, float, unsigned int, <)
CPX_EXTREME(atomicMax, double, unsigned long long, >)
CPX_EXTREME(atomicMin, double, unsigned long long, <)
#undef CPX_EXTREME
