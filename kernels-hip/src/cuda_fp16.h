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

// As templates these leave the way to functions of the program's own, which texts bring along for older devices.
template <int = 0> __device__ inline __half atomicAdd(__half* address, __half value) {
    unsigned short* word = reinterpret_cast<unsigned short*>(address);
    unsigned short seen = *word, before;
    do {
        before = seen;
        seen = cpx_half::swap_if_equal(word, before, __half_as_ushort(__hadd(__ushort_as_half(before), value)));
    } while (seen != before);
    return __ushort_as_half(before);
}
template <int = 0> __device__ inline __half2 atomicAdd(__half2* address, __half2 value) {
    __half* parts = reinterpret_cast<__half*>(address);
    const __half low = atomicAdd(parts, __low2half(value));
    return __halves2half2(low, atomicAdd(parts + 1, __high2half(value)));
}

// AMD's functions of these names all round to zero.
#define __half2short_rn(value) cpx_half::whole<short>(rintf(__half2float(value)))
#define __half2short_rd(value) cpx_half::whole<short>(floorf(__half2float(value)))
#define __half2short_ru(value) cpx_half::whole<short>(ceilf(__half2float(value)))
#define __half2ushort_rn(value) cpx_half::whole<unsigned short>(rintf(__half2float(value)))
#define __half2ushort_rd(value) cpx_half::whole<unsigned short>(floorf(__half2float(value)))
#define __half2ushort_ru(value) cpx_half::whole<unsigned short>(ceilf(__half2float(value)))
#define __half2int_rn(value) cpx_half::whole<int>(rintf(__half2float(value)))
#define __half2int_rd(value) cpx_half::whole<int>(floorf(__half2float(value)))
#define __half2int_ru(value) cpx_half::whole<int>(ceilf(__half2float(value)))
#define __half2uint_rn(value) cpx_half::whole<unsigned>(rintf(__half2float(value)))
#define __half2uint_rd(value) cpx_half::whole<unsigned>(floorf(__half2float(value)))
#define __half2uint_ru(value) cpx_half::whole<unsigned>(ceilf(__half2float(value)))
#define __half2ll_rn(value) cpx_half::whole<long long>(rintf(__half2float(value)))
#define __half2ll_rd(value) cpx_half::whole<long long>(floorf(__half2float(value)))
#define __half2ll_ru(value) cpx_half::whole<long long>(ceilf(__half2float(value)))
#define __half2ull_rn(value) cpx_half::whole<unsigned long long>(rintf(__half2float(value)))
#define __half2ull_rd(value) cpx_half::whole<unsigned long long>(floorf(__half2float(value)))
#define __half2ull_ru(value) cpx_half::whole<unsigned long long>(ceilf(__half2float(value)))
