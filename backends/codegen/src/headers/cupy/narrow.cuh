// A type of 16 bits as CUDA's programs know it, with its pairs and functions, for where the vendor's header is missing. Read
// once for each type, which these macros name:
//
//     CPX_T, CPX_PAIR, CPX_RAW   the type, its pairs, and its bits as a structure
//     CPX_NAME                   what conversions call it: `half` in `__float2half`
//     CPX_WIDEN, CPX_NARROW      to float and from it, in `cpx_half`
//     CPX_INFINITY               the bits of infinity
//
// Functions compute in float, or in double where float would round twice.

#define CPX_DEVICE __host__ __device__ inline
#define CPX_JOINED(a, b, c) a##b##c
#define CPX_JOIN(a, b, c) CPX_JOINED(a, b, c)
// The name of a conversion: what stands before and after the type's.
#define CPX_CALLED(before, after) CPX_JOIN(before, CPX_NAME, after)

struct CPX_RAW {
    unsigned short x;
};

struct __attribute__((aligned(2))) CPX_T {
    unsigned short __x;

    CPX_T() = default;
    CPX_DEVICE CPX_T(const CPX_RAW& raw) : __x(raw.x) {}
    CPX_DEVICE CPX_T(float value) : __x(cpx_half::CPX_NARROW(value)) {}
    CPX_DEVICE CPX_T(double value) : __x(cpx_half::CPX_NARROW(value)) {}
    CPX_DEVICE CPX_T(int value) : __x(cpx_half::CPX_NARROW((double)value)) {}
    CPX_DEVICE CPX_T(unsigned value) : __x(cpx_half::CPX_NARROW((double)value)) {}
    CPX_DEVICE CPX_T(long long value) : __x(cpx_half::CPX_NARROW(cpx_half::whole_to_odd(value))) {}
    CPX_DEVICE CPX_T(unsigned long long value) : __x(cpx_half::CPX_NARROW(cpx_half::whole_to_odd(value))) {}
    CPX_DEVICE operator float() const { return cpx_half::CPX_WIDEN(__x); }
    CPX_DEVICE operator CPX_RAW() const {
        CPX_RAW raw;
        raw.x = __x;
        return raw;
    }
};

struct __attribute__((aligned(4))) CPX_PAIR {
    CPX_T x, y;

    CPX_PAIR() = default;
    CPX_DEVICE CPX_PAIR(const CPX_T& x, const CPX_T& y) : x(x), y(y) {}
};

// Bits.
CPX_DEVICE CPX_T CPX_CALLED(__ushort_as_, )(unsigned short bits) {
    CPX_T value;
    value.__x = bits;
    return value;
}
CPX_DEVICE CPX_T CPX_CALLED(__short_as_, )(short bits) { return CPX_CALLED(__ushort_as_, )((unsigned short)bits); }
CPX_DEVICE unsigned short CPX_CALLED(__, _as_ushort)(CPX_T value) { return value.__x; }
CPX_DEVICE short CPX_CALLED(__, _as_short)(CPX_T value) { return (short)value.__x; }

// Conversions of floating-point numbers.
CPX_DEVICE CPX_T CPX_CALLED(__float2, )(float value) { return CPX_T(value); }
CPX_DEVICE CPX_T CPX_CALLED(__float2, _rn)(float value) { return CPX_T(value); }
CPX_DEVICE CPX_T CPX_CALLED(__double2, )(double value) { return CPX_T(value); }
CPX_DEVICE float CPX_CALLED(__, 2float)(CPX_T value) { return (float)value; }

// Conversions of integers, and to them: NaN becomes 0, what is out of range the nearest integer.
CPX_DEVICE CPX_T CPX_CALLED(__short2, _rn)(short value) { return CPX_T((int)value); }
CPX_DEVICE CPX_T CPX_CALLED(__ushort2, _rn)(unsigned short value) { return CPX_T((int)value); }
CPX_DEVICE CPX_T CPX_CALLED(__int2, _rn)(int value) { return CPX_T(value); }
CPX_DEVICE CPX_T CPX_CALLED(__uint2, _rn)(unsigned value) { return CPX_T(value); }
CPX_DEVICE CPX_T CPX_CALLED(__ll2, _rn)(long long value) { return CPX_T(value); }
CPX_DEVICE CPX_T CPX_CALLED(__ull2, _rn)(unsigned long long value) { return CPX_T(value); }
#define CPX_TO_INTEGER(name, integer)                                                                              \
    CPX_DEVICE integer CPX_CALLED(__, 2##name##_rz)(CPX_T a) { return cpx_half::whole<integer>(truncf((float)a)); } \
    CPX_DEVICE integer CPX_CALLED(__, 2##name##_rn)(CPX_T a) { return cpx_half::whole<integer>(rintf((float)a)); }  \
    CPX_DEVICE integer CPX_CALLED(__, 2##name##_rd)(CPX_T a) { return cpx_half::whole<integer>(floorf((float)a)); } \
    CPX_DEVICE integer CPX_CALLED(__, 2##name##_ru)(CPX_T a) { return cpx_half::whole<integer>(ceilf((float)a)); }
CPX_TO_INTEGER(short, short)
CPX_TO_INTEGER(ushort, unsigned short)
CPX_TO_INTEGER(int, int)
CPX_TO_INTEGER(uint, unsigned)
CPX_TO_INTEGER(ll, long long)
CPX_TO_INTEGER(ull, unsigned long long)
#undef CPX_TO_INTEGER

// Pairs.
CPX_DEVICE CPX_PAIR CPX_CALLED(__halves2, 2)(CPX_T low, CPX_T high) { return CPX_PAIR(low, high); }
CPX_DEVICE CPX_PAIR CPX_CALLED(make_, 2)(CPX_T x, CPX_T y) { return CPX_PAIR(x, y); }
CPX_DEVICE CPX_PAIR CPX_JOIN(CPX_CALLED(__, 2), CPX_NAME, 2)(CPX_T value) { return CPX_PAIR(value, value); }
CPX_DEVICE CPX_PAIR CPX_CALLED(__float2, 2_rn)(float value) { return CPX_PAIR(CPX_T(value), CPX_T(value)); }
CPX_DEVICE CPX_PAIR CPX_CALLED(__floats2, 2_rn)(float low, float high) { return CPX_PAIR(CPX_T(low), CPX_T(high)); }
CPX_DEVICE CPX_PAIR CPX_CALLED(__float22, 2_rn)(float2 value) { return CPX_PAIR(CPX_T(value.x), CPX_T(value.y)); }
CPX_DEVICE float2 CPX_CALLED(__, 22float2)(CPX_PAIR value) { return make_float2((float)value.x, (float)value.y); }
CPX_DEVICE float __low2float(CPX_PAIR value) { return (float)value.x; }
CPX_DEVICE float __high2float(CPX_PAIR value) { return (float)value.y; }
CPX_DEVICE CPX_T CPX_CALLED(__low2, )(CPX_PAIR value) { return value.x; }
CPX_DEVICE CPX_T CPX_CALLED(__high2, )(CPX_PAIR value) { return value.y; }
CPX_DEVICE CPX_PAIR CPX_CALLED(__low2, 2)(CPX_PAIR value) { return CPX_PAIR(value.x, value.x); }
CPX_DEVICE CPX_PAIR CPX_CALLED(__high2, 2)(CPX_PAIR value) { return CPX_PAIR(value.y, value.y); }
CPX_DEVICE CPX_PAIR CPX_CALLED(__lows2, 2)(CPX_PAIR a, CPX_PAIR b) { return CPX_PAIR(a.x, b.x); }
CPX_DEVICE CPX_PAIR CPX_CALLED(__highs2, 2)(CPX_PAIR a, CPX_PAIR b) { return CPX_PAIR(a.y, b.y); }
CPX_DEVICE CPX_PAIR __lowhigh2highlow(CPX_PAIR value) { return CPX_PAIR(value.y, value.x); }

// A function of pairs by that of their parts.
#define CPX_PAIRED_1(name, part) \
    CPX_DEVICE CPX_PAIR name(CPX_PAIR a) { return CPX_PAIR(part(a.x), part(a.y)); }
#define CPX_PAIRED_2(name, part) \
    CPX_DEVICE CPX_PAIR name(CPX_PAIR a, CPX_PAIR b) { return CPX_PAIR(part(a.x, b.x), part(a.y, b.y)); }
#define CPX_PAIRED_3(name, part)                                        \
    CPX_DEVICE CPX_PAIR name(CPX_PAIR a, CPX_PAIR b, CPX_PAIR c) {      \
        return CPX_PAIR(part(a.x, b.x, c.x), part(a.y, b.y, c.y));      \
    }

// Arithmetic; `_sat` clamps to 0 and 1, with 0 for NaN.
CPX_DEVICE CPX_T __cpx_saturated(CPX_T a) {
    return !((float)a > 0.0f) ? CPX_T(0.0f) : (float)a > 1.0f ? CPX_T(1.0f) : a;
}
#define CPX_ARITHMETIC(symbol, name, pairs)                                                                      \
    CPX_DEVICE CPX_T operator symbol(const CPX_T& a, const CPX_T& b) { return CPX_T((float)a symbol(float) b); }  \
    CPX_DEVICE CPX_T& operator symbol##=(CPX_T& a, const CPX_T& b) { return a = a symbol b; }                    \
    CPX_DEVICE CPX_T name(CPX_T a, CPX_T b) { return a symbol b; }                                               \
    CPX_DEVICE CPX_PAIR operator symbol(const CPX_PAIR& a, const CPX_PAIR& b) {                                  \
        return CPX_PAIR(a.x symbol b.x, a.y symbol b.y);                                                         \
    }                                                                                                            \
    CPX_DEVICE CPX_PAIR& operator symbol##=(CPX_PAIR& a, const CPX_PAIR& b) { return a = a symbol b; }           \
    CPX_PAIRED_2(pairs, name)
CPX_ARITHMETIC(+, __hadd, __hadd2)
CPX_ARITHMETIC(-, __hsub, __hsub2)
CPX_ARITHMETIC(*, __hmul, __hmul2)
CPX_ARITHMETIC(/, __hdiv, __h2div)
#undef CPX_ARITHMETIC
#define CPX_ARITHMETIC(name)                                                                      \
    CPX_DEVICE CPX_T name##_rn(CPX_T a, CPX_T b) { return name(a, b); }                           \
    CPX_DEVICE CPX_T name##_sat(CPX_T a, CPX_T b) { return __cpx_saturated(name(a, b)); }         \
    CPX_PAIRED_2(name##2_rn, name)                                                                \
    CPX_PAIRED_2(name##2_sat, name##_sat)
CPX_ARITHMETIC(__hadd)
CPX_ARITHMETIC(__hsub)
CPX_ARITHMETIC(__hmul)
#undef CPX_ARITHMETIC
CPX_DEVICE CPX_T operator-(const CPX_T& a) { return CPX_CALLED(__ushort_as_, )((unsigned short)(a.__x ^ 0x8000u)); }
CPX_DEVICE CPX_PAIR operator-(const CPX_PAIR& a) { return CPX_PAIR(-a.x, -a.y); }
CPX_DEVICE CPX_T __hneg(CPX_T a) { return -a; }
CPX_DEVICE CPX_T __habs(CPX_T a) { return CPX_CALLED(__ushort_as_, )((unsigned short)(a.__x & 0x7fffu)); }
CPX_PAIRED_1(__hneg2, __hneg)
CPX_PAIRED_1(__habs2, __habs)
// The product is exact.
CPX_DEVICE CPX_T __hfma(CPX_T a, CPX_T b, CPX_T c) {
    return CPX_T(cpx_half::sum_to_odd((double)(float)a * (double)(float)b, (double)(float)c));
}
CPX_DEVICE CPX_T __hfma_sat(CPX_T a, CPX_T b, CPX_T c) { return __cpx_saturated(__hfma(a, b, c)); }
CPX_DEVICE CPX_T __hfma_relu(CPX_T a, CPX_T b, CPX_T c) {
    const CPX_T value = __hfma(a, b, c);
    return (float)value < 0.0f ? CPX_T(0.0f) : value;
}
CPX_PAIRED_3(__hfma2, __hfma)
CPX_PAIRED_3(__hfma2_sat, __hfma_sat)
CPX_PAIRED_3(__hfma2_relu, __hfma_relu)

// Comparisons: those ending in `u` hold where a number is NaN. Of pairs: as numbers 1 and 0, as bits, or whether both hold.
CPX_DEVICE bool __hisnan(CPX_T a) { return (a.__x & 0x7fffu) > CPX_INFINITY; }
CPX_DEVICE int __hisinf(CPX_T a) { return (a.__x & 0x7fffu) != CPX_INFINITY ? 0 : a.__x & 0x8000u ? -1 : 1; }
CPX_DEVICE CPX_PAIR __hisnan2(CPX_PAIR a) { return CPX_PAIR(CPX_T((int)__hisnan(a.x)), CPX_T((int)__hisnan(a.y))); }
#define CPX_OF_PAIRS(stem)                                                                                          \
    CPX_DEVICE CPX_PAIR __h##stem##2(CPX_PAIR a, CPX_PAIR b) {                                                      \
        return CPX_PAIR(CPX_T((int)__h##stem(a.x, b.x)), CPX_T((int)__h##stem(a.y, b.y)));                          \
    }                                                                                                               \
    CPX_DEVICE unsigned __h##stem##2_mask(CPX_PAIR a, CPX_PAIR b) {                                                 \
        return (__h##stem(a.x, b.x) ? 0xffffu : 0u) | (__h##stem(a.y, b.y) ? 0xffff0000u : 0u);                     \
    }                                                                                                               \
    CPX_DEVICE bool __hb##stem##2(CPX_PAIR a, CPX_PAIR b) { return __h##stem(a.x, b.x) && __h##stem(a.y, b.y); }
#define CPX_COMPARISON(symbol, stem)                                                                                \
    CPX_DEVICE bool operator symbol(const CPX_T& a, const CPX_T& b) { return (float)a symbol(float) b; }            \
    CPX_DEVICE bool operator symbol(const CPX_PAIR& a, const CPX_PAIR& b) { return a.x symbol b.x && a.y symbol b.y; } \
    CPX_DEVICE bool __h##stem(CPX_T a, CPX_T b) { return a symbol b; }                                              \
    CPX_DEVICE bool __h##stem##u(CPX_T a, CPX_T b) { return a symbol b || __hisnan(a) || __hisnan(b); }             \
    CPX_OF_PAIRS(stem)                                                                                              \
    CPX_OF_PAIRS(stem##u)
CPX_COMPARISON(==, eq)
CPX_COMPARISON(<, lt)
CPX_COMPARISON(<=, le)
CPX_COMPARISON(>, gt)
CPX_COMPARISON(>=, ge)
#undef CPX_COMPARISON
// NaN differs from everything, which only `__hneu` and the operator of one number say.
CPX_DEVICE bool operator!=(const CPX_T& a, const CPX_T& b) { return (float)a != (float)b; }
CPX_DEVICE bool operator!=(const CPX_PAIR& a, const CPX_PAIR& b) { return !(a == b); }
CPX_DEVICE bool __hne(CPX_T a, CPX_T b) { return a != b && !__hisnan(a) && !__hisnan(b); }
CPX_DEVICE bool __hneu(CPX_T a, CPX_T b) { return a != b; }
CPX_OF_PAIRS(ne)
CPX_OF_PAIRS(neu)
#undef CPX_OF_PAIRS

// Extrema: of a number and NaN the number, or NaN.
CPX_DEVICE CPX_T __hmin(CPX_T a, CPX_T b) { return __hisnan(b) || a < b || (a == b && a.__x & 0x8000u) ? a : b; }
CPX_DEVICE CPX_T __hmax(CPX_T a, CPX_T b) { return __hisnan(b) || a > b || (a == b && b.__x & 0x8000u) ? a : b; }
CPX_DEVICE CPX_T __hmin_nan(CPX_T a, CPX_T b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b); }
CPX_DEVICE CPX_T __hmax_nan(CPX_T a, CPX_T b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b); }
CPX_PAIRED_2(__hmin2, __hmin)
CPX_PAIRED_2(__hmax2, __hmax)
CPX_PAIRED_2(__hmin2_nan, __hmin_nan)
CPX_PAIRED_2(__hmax2_nan, __hmax_nan)

// Functions.
#define CPX_FUNCTION(name, function)                                           \
    CPX_DEVICE CPX_T h##name(CPX_T a) { return CPX_T(function((float)a)); }    \
    CPX_PAIRED_1(h2##name, h##name)
#define CPX_INVERSE(x) (1.0f / (x))
#define CPX_INVERSE_ROOT(x) (1.0 / sqrt((double)(x)))
CPX_FUNCTION(sqrt, sqrtf)
CPX_FUNCTION(rsqrt, CPX_INVERSE_ROOT)
CPX_FUNCTION(rcp, CPX_INVERSE)
CPX_FUNCTION(exp, expf)
CPX_FUNCTION(exp2, exp2f)
CPX_FUNCTION(exp10, exp10f)
CPX_FUNCTION(log, logf)
CPX_FUNCTION(log2, log2f)
CPX_FUNCTION(log10, log10f)
CPX_FUNCTION(sin, sinf)
CPX_FUNCTION(cos, cosf)
CPX_FUNCTION(tanh, tanhf)
CPX_FUNCTION(floor, floorf)
CPX_FUNCTION(ceil, ceilf)
CPX_FUNCTION(rint, rintf)
CPX_FUNCTION(trunc, truncf)
#undef CPX_FUNCTION
#undef CPX_INVERSE
#undef CPX_INVERSE_ROOT
#undef CPX_PAIRED_1
#undef CPX_PAIRED_2
#undef CPX_PAIRED_3

// Indivisible additions; that of a pair is one for each part. As templates they leave the way to functions of the program's own,
// which texts bring along for older devices.
template <int = 0> __device__ inline CPX_T atomicAdd(CPX_T* address, CPX_T value) {
    unsigned short* word = reinterpret_cast<unsigned short*>(address);
    unsigned short seen = *word, before;
    do {
        before = seen;
        seen = cpx_half::swap_if_equal(word, before, (CPX_CALLED(__ushort_as_, )(before) + value).__x);
    } while (seen != before);
    return CPX_CALLED(__ushort_as_, )(before);
}
template <int = 0> __device__ inline CPX_PAIR atomicAdd(CPX_PAIR* address, CPX_PAIR value) {
    const CPX_T x = atomicAdd(&address->x, value.x);
    return CPX_PAIR(x, atomicAdd(&address->y, value.y));
}

#undef CPX_CALLED
#undef CPX_JOIN
#undef CPX_JOINED
#undef CPX_DEVICE

// The next type has its own.
#undef CPX_T
#undef CPX_PAIR
#undef CPX_RAW
#undef CPX_NAME
#undef CPX_WIDEN
#undef CPX_NARROW
#undef CPX_INFINITY
