// float16 as CUDA's programs know it, for where the vendor's header is missing.
#pragma once

#include <cupy/float16.cuh>

#define CPX_DEVICE __host__ __device__ inline

struct __half_raw {
    unsigned short x;
};

struct __attribute__((aligned(2))) __half {
    unsigned short __x;

    __half() = default;
    CPX_DEVICE __half(const __half_raw& raw) : __x(raw.x) {}
    CPX_DEVICE __half(float value) : __x(cpx_half::narrow(value)) {}
    CPX_DEVICE __half(double value) : __x(cpx_half::narrow(value)) {}
    CPX_DEVICE __half(int value) : __x(cpx_half::narrow((double)value)) {}
    CPX_DEVICE __half(unsigned value) : __x(cpx_half::narrow((double)value)) {}
    CPX_DEVICE __half(long long value) : __x(cpx_half::narrow((double)value)) {}
    CPX_DEVICE __half(unsigned long long value) : __x(cpx_half::narrow((double)value)) {}
    CPX_DEVICE operator float() const { return cpx_half::widen(__x); }
    CPX_DEVICE operator __half_raw() const {
        __half_raw raw;
        raw.x = __x;
        return raw;
    }
};
typedef __half half;

struct __attribute__((aligned(4))) __half2 {
    __half x, y;

    __half2() = default;
    CPX_DEVICE __half2(const __half& x, const __half& y) : x(x), y(y) {}
};
typedef __half2 half2;

CPX_DEVICE __half __ushort_as_half(unsigned short bits) {
    __half value;
    value.__x = bits;
    return value;
}
CPX_DEVICE __half __short_as_half(short bits) { return __ushort_as_half((unsigned short)bits); }
CPX_DEVICE unsigned short __half_as_ushort(__half value) { return value.__x; }
CPX_DEVICE short __half_as_short(__half value) { return (short)value.__x; }
CPX_DEVICE __half __float2half(float value) { return __half(value); }
CPX_DEVICE __half __float2half_rn(float value) { return __half(value); }
CPX_DEVICE __half __double2half(double value) { return __half(value); }
CPX_DEVICE float __half2float(__half value) { return (float)value; }
CPX_DEVICE __half __int2half_rn(int value) { return __half(value); }
CPX_DEVICE __half __uint2half_rn(unsigned value) { return __half(value); }
CPX_DEVICE int __half2int_rz(__half value) { return (int)(float)value; }
CPX_DEVICE int __half2int_rn(__half value) { return (int)rintf((float)value); }

#define CPX_HALF_OPERATOR(symbol, name)                                                                       \
    CPX_DEVICE __half operator symbol(const __half& a, const __half& b) { return __half((float)a symbol(float) b); } \
    CPX_DEVICE __half& operator symbol##=(__half& a, const __half& b) { return a = a symbol b; }              \
    CPX_DEVICE __half name(__half a, __half b) { return a symbol b; }                                         \
    CPX_DEVICE __half2 operator symbol(const __half2& a, const __half2& b) {                                  \
        return __half2(a.x symbol b.x, a.y symbol b.y);                                                       \
    }                                                                                                         \
    CPX_DEVICE __half2 name##2(__half2 a, __half2 b) { return a symbol b; }
CPX_HALF_OPERATOR(+, __hadd)
CPX_HALF_OPERATOR(-, __hsub)
CPX_HALF_OPERATOR(*, __hmul)
CPX_HALF_OPERATOR(/, __hdiv)
#undef CPX_HALF_OPERATOR
#define CPX_HALF_COMPARE(symbol, name)                                                                        \
    CPX_DEVICE bool operator symbol(const __half& a, const __half& b) { return (float)a symbol(float) b; }    \
    CPX_DEVICE bool name(__half a, __half b) { return (float)a symbol(float) b; }
CPX_HALF_COMPARE(==, __heq)
CPX_HALF_COMPARE(!=, __hne)
CPX_HALF_COMPARE(<, __hlt)
CPX_HALF_COMPARE(<=, __hle)
CPX_HALF_COMPARE(>, __hgt)
CPX_HALF_COMPARE(>=, __hge)
#undef CPX_HALF_COMPARE
CPX_DEVICE __half operator-(const __half& a) { return __ushort_as_half(a.__x ^ 0x8000u); }
CPX_DEVICE __half __hneg(__half a) { return -a; }
CPX_DEVICE __half __habs(__half a) { return __ushort_as_half(a.__x & 0x7fffu); }
CPX_DEVICE bool __hisnan(__half a) { return (a.__x & 0x7fffu) > 0x7c00u; }
CPX_DEVICE int __hisinf(__half a) { return (a.__x & 0x7fffu) != 0x7c00u ? 0 : a.__x & 0x8000u ? -1 : 1; }
CPX_DEVICE __half __hmin(__half a, __half b) { return __half(fminf((float)a, (float)b)); }
CPX_DEVICE __half __hmax(__half a, __half b) { return __half(fmaxf((float)a, (float)b)); }
// The product of two halves is exact in float, and float's sum rounded to odd leaves one rounding.
CPX_DEVICE __half __hfma(__half a, __half b, __half c) {
    return __half((double)(float)a * (double)(float)b + (double)(float)c);
}
CPX_DEVICE __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
    return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
#define CPX_HALF_FUNCTION(name, function) \
    CPX_DEVICE __half name(__half a) { return __half(function((float)a)); }
CPX_HALF_FUNCTION(hsqrt, sqrtf)
CPX_HALF_FUNCTION(hexp, expf)
CPX_HALF_FUNCTION(hexp2, exp2f)
CPX_HALF_FUNCTION(hlog, logf)
CPX_HALF_FUNCTION(hlog2, log2f)
CPX_HALF_FUNCTION(hlog10, log10f)
CPX_HALF_FUNCTION(hsin, sinf)
CPX_HALF_FUNCTION(hcos, cosf)
CPX_HALF_FUNCTION(hfloor, floorf)
CPX_HALF_FUNCTION(hceil, ceilf)
CPX_HALF_FUNCTION(hrint, rintf)
CPX_HALF_FUNCTION(htrunc, truncf)
#undef CPX_HALF_FUNCTION
CPX_DEVICE __half hrcp(__half a) { return __half(1.0f / (float)a); }
CPX_DEVICE __half hrsqrt(__half a) { return __half(1.0f / sqrtf((float)a)); }

CPX_DEVICE __half2 __halves2half2(__half low, __half high) { return __half2(low, high); }
CPX_DEVICE __half2 make_half2(__half x, __half y) { return __half2(x, y); }
CPX_DEVICE __half2 __half2half2(__half value) { return __half2(value, value); }
CPX_DEVICE __half2 __float2half2_rn(float value) { return __half2(__half(value), __half(value)); }
CPX_DEVICE __half2 __floats2half2_rn(float low, float high) { return __half2(__half(low), __half(high)); }
CPX_DEVICE __half2 __float22half2_rn(float2 value) { return __floats2half2_rn(value.x, value.y); }
CPX_DEVICE float2 __half22float2(__half2 value) { return make_float2((float)value.x, (float)value.y); }
CPX_DEVICE float __low2float(__half2 value) { return (float)value.x; }
CPX_DEVICE float __high2float(__half2 value) { return (float)value.y; }
CPX_DEVICE __half __low2half(__half2 value) { return value.x; }
CPX_DEVICE __half __high2half(__half2 value) { return value.y; }
CPX_DEVICE __half2 __lowhigh2highlow(__half2 value) { return __half2(value.y, value.x); }

__device__ inline __half atomicAdd(__half* address, __half value) {
    unsigned short* word = reinterpret_cast<unsigned short*>(address);
    unsigned short seen = *word, before;
    do {
        before = seen;
        seen = cpx_half::swap_if_equal(word, before, __half_as_ushort(__ushort_as_half(before) + value));
    } while (seen != before);
    return __ushort_as_half(before);
}

#undef CPX_DEVICE
