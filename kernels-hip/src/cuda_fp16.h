// float16 as CUDA's programs know it. AMD's run-time compiler has `__half` and most of its functions without a header;
// these are the others.
#pragma once

#include <cupy/float16.cuh>

__device__ inline __half __double2half(double value) { return __ushort_as_half(cpx_half::narrow(value)); }
__device__ inline __half2 __hmin2(__half2 a, __half2 b) {
    return __halves2half2(__hmin(__low2half(a), __low2half(b)), __hmin(__high2half(a), __high2half(b)));
}
__device__ inline __half2 __hmax2(__half2 a, __half2 b) {
    return __halves2half2(__hmax(__low2half(a), __low2half(b)), __hmax(__high2half(a), __high2half(b)));
}

__device__ inline __half atomicAdd(__half* address, __half value) {
    unsigned short* word = reinterpret_cast<unsigned short*>(address);
    unsigned short seen = *word, before;
    do {
        before = seen;
        seen = cpx_half::swap_if_equal(word, before, __half_as_ushort(__hadd(__ushort_as_half(before), value)));
    } while (seen != before);
    return __ushort_as_half(before);
}
