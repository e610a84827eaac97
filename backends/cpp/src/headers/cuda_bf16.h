// bfloat16 as CUDA's programs know it, for where the vendor's header is missing.
#pragma once

#include <cupy/float16.cuh>

#define CPX_DEVICE __host__ __device__ inline

struct __attribute__((aligned(2))) __nv_bfloat16 {
    unsigned short __x;

    __nv_bfloat16() = default;
    CPX_DEVICE __nv_bfloat16(float value) : __x(cpx_half::narrow_brain(value)) {}
    CPX_DEVICE __nv_bfloat16(double value) : __x(cpx_half::narrow_brain(value)) {}
    CPX_DEVICE __nv_bfloat16(int value) : __x(cpx_half::narrow_brain((double)value)) {}
    CPX_DEVICE operator float() const { return cpx_half::widen_brain(__x); }
};
typedef __nv_bfloat16 nv_bfloat16;

CPX_DEVICE __nv_bfloat16 __float2bfloat16(float value) { return __nv_bfloat16(value); }
CPX_DEVICE __nv_bfloat16 __float2bfloat16_rn(float value) { return __nv_bfloat16(value); }
CPX_DEVICE __nv_bfloat16 __double2bfloat16(double value) { return __nv_bfloat16(value); }
CPX_DEVICE float __bfloat162float(__nv_bfloat16 value) { return (float)value; }
CPX_DEVICE unsigned short __bfloat16_as_ushort(__nv_bfloat16 value) { return value.__x; }
CPX_DEVICE __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
    __nv_bfloat16 value;
    value.__x = bits;
    return value;
}
#define CPX_BRAIN(symbol, name)                                                          \
    CPX_DEVICE __nv_bfloat16 operator symbol(const __nv_bfloat16& a, const __nv_bfloat16& b) { \
        return __nv_bfloat16((float)a symbol(float) b);                                  \
    }                                                                                    \
    CPX_DEVICE __nv_bfloat16& operator symbol##=(__nv_bfloat16& a, const __nv_bfloat16& b) { return a = a symbol b; } \
    CPX_DEVICE __nv_bfloat16 name(__nv_bfloat16 a, __nv_bfloat16 b) { return a symbol b; }
CPX_BRAIN(+, __hadd)
CPX_BRAIN(-, __hsub)
CPX_BRAIN(*, __hmul)
CPX_BRAIN(/, __hdiv)
#undef CPX_BRAIN
#define CPX_BRAIN(symbol, name)                                                                                   \
    CPX_DEVICE bool operator symbol(const __nv_bfloat16& a, const __nv_bfloat16& b) { return (float)a symbol(float) b; } \
    CPX_DEVICE bool name(__nv_bfloat16 a, __nv_bfloat16 b) { return a symbol b; }
CPX_BRAIN(==, __heq)
CPX_BRAIN(!=, __hne)
CPX_BRAIN(<, __hlt)
CPX_BRAIN(<=, __hle)
CPX_BRAIN(>, __hgt)
CPX_BRAIN(>=, __hge)
#undef CPX_BRAIN
CPX_DEVICE __nv_bfloat16 operator-(const __nv_bfloat16& a) { return __ushort_as_bfloat16(a.__x ^ 0x8000u); }

__device__ inline __nv_bfloat16 atomicAdd(__nv_bfloat16* address, __nv_bfloat16 value) {
    unsigned short* word = reinterpret_cast<unsigned short*>(address);
    unsigned short seen = *word, before;
    do {
        before = seen;
        seen = cpx_half::swap_if_equal(word, before, __bfloat16_as_ushort(__ushort_as_bfloat16(before) + value));
    } while (seen != before);
    return __ushort_as_bfloat16(before);
}

#undef CPX_DEVICE
