// The functions and intrinsics that CUDA has beyond those of C.
#pragma once

#include <cfenv>

// ------------------------------------------------------------------------------------------------ minimum and maximum

namespace __cpx {
template <class A, class B>
using arithmetic = typename std::enable_if<std::is_arithmetic<A>::value && std::is_arithmetic<B>::value,
                                           typename std::common_type<A, B>::type>::type;
template <class T, bool floating = std::is_floating_point<T>::value>
struct order {
    static inline T least(T a, T b) { return b < a ? b : a; }
    static inline T most(T a, T b) { return a < b ? b : a; }
};
template <class T>
struct order<T, true> {
    static inline T least(T a, T b) { return std::fmin(a, b); }
    static inline T most(T a, T b) { return std::fmax(a, b); }
};
}  // namespace __cpx

template <class A, class B>
static inline __cpx::arithmetic<A, B> min(A a, B b) {
    return __cpx::order<__cpx::arithmetic<A, B>>::least(a, b);
}
template <class A, class B>
static inline __cpx::arithmetic<A, B> max(A a, B b) {
    return __cpx::order<__cpx::arithmetic<A, B>>::most(a, b);
}
static inline unsigned umin(unsigned a, unsigned b) { return b < a ? b : a; }
static inline unsigned umax(unsigned a, unsigned b) { return a < b ? b : a; }
static inline long long llmin(long long a, long long b) { return b < a ? b : a; }
static inline long long llmax(long long a, long long b) { return a < b ? b : a; }
static inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return b < a ? b : a; }
static inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a < b ? b : a; }

// ---------------------------------------------------------------------------------------------------------- functions

// Functions of C23, which the GNU library declares for itself from these versions on.
#ifdef __GLIBC__
#define CPX_LIBRARY_HAS(since) __GLIBC_PREREQ(2, since)
#else
#define CPX_LIBRARY_HAS(since) 0
#endif

#if !CPX_LIBRARY_HAS(42)
static inline double rsqrt(double x) { return 1.0 / sqrt(x); }
static inline float rsqrtf(float x) { return (float)(1.0 / sqrt((double)x)); }
#endif
static inline float rsqrt(float x) { return rsqrtf(x); }
static inline double rcbrt(double x) { return 1.0 / cbrt(x); }
static inline float rcbrtf(float x) { return (float)(1.0 / cbrt((double)x)); }
static inline float rcbrt(float x) { return rcbrtf(x); }
#ifndef __USE_GNU
static inline void sincos(double x, double* s, double* c) { *s = sin(x), *c = cos(x); }
static inline void sincosf(float x, float* s, float* c) { *s = sinf(x), *c = cosf(x); }
static inline double exp10(double x) { return pow(10.0, x); }
static inline float exp10f(float x) { return (float)pow(10.0, (double)x); }
#endif
static inline void sincos(float x, float* s, float* c) { sincosf(x, s, c); }
static inline float exp10(float x) { return exp10f(x); }

#if !CPX_LIBRARY_HAS(41)
// Exact at multiples of one half: the argument is reduced before it meets pi.
static inline double sinpi(double x) {
    if (!std::isfinite(x)) return x - x;
    double r = fmod(fabs(x), 2.0), sign = std::signbit(x) ? -1.0 : 1.0;
    if (r >= 1.0) r -= 1.0, sign = -sign;
    if (r == 0.0) return x * 0.0;
    return sign * (r <= 0.25 ? sin(M_PI * r) : r < 0.75 ? cos(M_PI * (0.5 - r)) : sin(M_PI * (1.0 - r)));
}
static inline double cospi(double x) {
    if (!std::isfinite(x)) return x - x;
    double r = fmod(fabs(x), 2.0), sign = 1.0;
    if (r > 1.0) r = 2.0 - r;
    if (r > 0.5) r = 1.0 - r, sign = -1.0;
    return sign * (r <= 0.25 ? cos(M_PI * r) : sin(M_PI * (0.5 - r)));
}
static inline float sinpif(float x) { return (float)sinpi((double)x); }
static inline float cospif(float x) { return (float)cospi((double)x); }
#endif
#undef CPX_LIBRARY_HAS
static inline float sinpi(float x) { return sinpif(x); }
static inline float cospi(float x) { return cospif(x); }
static inline void sincospi(double x, double* s, double* c) { *s = sinpi(x), *c = cospi(x); }
static inline void sincospif(float x, float* s, float* c) { *s = sinpif(x), *c = cospif(x); }
static inline void sincospi(float x, float* s, float* c) { sincospif(x, s, c); }

static inline double rhypot(double x, double y) { return 1.0 / hypot(x, y); }
static inline float rhypotf(float x, float y) { return (float)(1.0 / hypot((double)x, (double)y)); }
static inline double norm3d(double x, double y, double z) { return hypot(hypot(x, y), z); }
static inline double norm4d(double x, double y, double z, double w) { return hypot(hypot(x, y), hypot(z, w)); }
static inline double rnorm3d(double x, double y, double z) { return 1.0 / norm3d(x, y, z); }
static inline double rnorm4d(double x, double y, double z, double w) { return 1.0 / norm4d(x, y, z, w); }
static inline float norm3df(float x, float y, float z) { return (float)norm3d(x, y, z); }
static inline float norm4df(float x, float y, float z, float w) { return (float)norm4d(x, y, z, w); }
static inline float rnorm3df(float x, float y, float z) { return (float)rnorm3d(x, y, z); }
static inline float rnorm4df(float x, float y, float z, float w) { return (float)rnorm4d(x, y, z, w); }

// exp(x * x) * erfc(x), by a continued fraction where erfc would vanish.
static inline double erfcx(double x) {
    if (x < 25.0) return exp(x * x) * erfc(x);
    const double s = x * x;
    return 0.56418958354775628695 / x * (1.0 - 0.5 / s + 0.75 / (s * s) - 1.875 / (s * s * s));
}
static inline float erfcxf(float x) { return (float)erfcx((double)x); }
static inline float erfcx(float x) { return erfcxf(x); }

// A start from the tail's expansion, then Newton's steps on the logarithm of erfc, which is nearly a parabola.
static inline double erfcinv(double y) {
    if (!(y >= 0.0 && y <= 2.0)) return NAN;
    if (y == 0.0) return INFINITY;
    if (y == 2.0) return -INFINITY;
    const double p = y < 1.0 ? y : 2.0 - y;
    const double t = sqrt(-2.0 * log(p / 2.0));
    double x = 0.70710678118654752440 *
               (t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
    for (int step = 0; step < 3; step++) {
        const double error = (p > 0.5 ? (1.0 - p) - erf(x) : erfc(x) - p);
        const double slope = 1.12837916709551257390 * exp(-x * x);
        const double newton = (p > 0.5 ? -error : error) / slope;
        x += newton / (1.0 + x * newton);
    }
    return y < 1.0 ? x : -x;
}
static inline double erfinv(double x) {
    if (!(fabs(x) <= 1.0)) return NAN;
    if (fabs(x) < 0.5) {
        const double guess = x * 0.88622692545275801365 * (1.0 + 0.26179938779914943654 * x * x);
        double r = guess;
        for (int step = 0; step < 4; step++) {
            const double newton = (erf(r) - x) / (1.12837916709551257390 * exp(-r * r));
            r -= newton / (1.0 + r * newton);
        }
        return x == 0.0 ? x : r;
    }
    return x < 0.0 ? -erfcinv(1.0 + x) : erfcinv(1.0 - x);
}
static inline double normcdf(double x) { return 0.5 * erfc(-0.70710678118654752440 * x); }
static inline double normcdfinv(double p) { return -1.41421356237309504880 * erfcinv(2.0 * p); }
#define CPX_SINGLE(name)                                              \
    static inline float name##f(float x) { return (float)name((double)x); } \
    static inline float name(float x) { return name##f(x); }
CPX_SINGLE(erfcinv)
CPX_SINGLE(erfinv)
CPX_SINGLE(normcdf)
CPX_SINGLE(normcdfinv)
#undef CPX_SINGLE
// The power series of the modified Bessel functions, whose terms are all positive.
static inline double cyl_bessel_i0(double x) {
    if (std::isinf(x)) return INFINITY;
    double term = 1.0, sum = 1.0;
    for (double k = 1.0; term > sum * 1e-17; k++) sum += term *= x / (2.0 * k) * (x / (2.0 * k));
    return sum;
}
static inline double cyl_bessel_i1(double x) {
    if (std::isinf(x)) return x;
    double term = x / 2.0, sum = term;
    for (double k = 1.0; fabs(term) > fabs(sum) * 1e-17; k++) sum += term *= x / (2.0 * k) * (x / (2.0 * (k + 1.0)));
    return sum;
}
static inline float cyl_bessel_i0f(float x) { return (float)cyl_bessel_i0(x); }
static inline float cyl_bessel_i1f(float x) { return (float)cyl_bessel_i1(x); }

// --------------------------------------------------------------------------------------------- fast and rounded forms

// Macros, since the C library declares functions of these names for itself.
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __tanf(x) tanf(x)
#define __tanhf(x) tanhf(x)
#define __sincosf(x, s, c) sincosf(x, s, c)
#define __expf(x) expf(x)
#define __exp10f(x) exp10f(x)
#define __logf(x) logf(x)
#define __log2f(x) log2f(x)
#define __log10f(x) log10f(x)
#define __powf(x, y) powf(x, y)
static inline float __fdividef(float x, float y) { return x / y; }
static inline float fdividef(float x, float y) { return x / y; }
static inline double fdivide(double x, double y) { return x / y; }
static inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

namespace __cpx {
// Evaluates in one of the processor's rounding modes; what goes in and out passes memory so that nothing moves across.
template <class T, class F>
__attribute__((noinline)) static T rounded(int mode, F evaluate) {
    const int before = std::fegetround();
    std::fesetround(mode);
    volatile T result = evaluate();
    std::fesetround(before);
    return result;
}
}  // namespace __cpx

#define CPX_ROUNDED(T, name, parameters, expression)                                                             \
    static inline T name##_rn parameters { return expression; }                                                  \
    static inline T name##_rz parameters { return __cpx::rounded<T>(FE_TOWARDZERO, [=]() -> T { return expression; }); } \
    static inline T name##_ru parameters { return __cpx::rounded<T>(FE_UPWARD, [=]() -> T { return expression; }); }     \
    static inline T name##_rd parameters { return __cpx::rounded<T>(FE_DOWNWARD, [=]() -> T { return expression; }); }

#define CPX_ARITHMETIC(T, letter, fma_name, fma_call, root, sqrt_name, div_name, rcp_name)                           \
    CPX_ROUNDED(T, __##letter##add, (volatile T x, volatile T y), (T)x + (T)y)                                       \
    CPX_ROUNDED(T, __##letter##sub, (volatile T x, volatile T y), (T)x - (T)y)                                       \
    CPX_ROUNDED(T, __##letter##mul, (volatile T x, volatile T y), (T)x * (T)y)                                       \
    CPX_ROUNDED(T, div_name, (volatile T x, volatile T y), (T)x / (T)y)                                              \
    CPX_ROUNDED(T, rcp_name, (volatile T x), (T)1 / (T)x)                                                            \
    CPX_ROUNDED(T, sqrt_name, (volatile T x), root(x))                                                               \
    CPX_ROUNDED(T, fma_name, (volatile T x, volatile T y, volatile T z), fma_call(x, y, z))

CPX_ARITHMETIC(float, f, __fmaf, fmaf, sqrtf, __fsqrt, __fdiv, __frcp)
CPX_ARITHMETIC(double, d, __fma, fma, sqrt, __dsqrt, __ddiv, __drcp)
static inline float __frsqrt_rn(float x) { return rsqrtf(x); }

// -------------------------------------------------------------------------------------------------------- conversions

namespace __cpx {
// Out of range gives the nearest integer, NaN gives 0.
template <class Integer, class Float>
static inline Integer to_integer(Float whole) {
    if (!(whole == whole)) return 0;
    const Float high = ldexp((Float)1, std::numeric_limits<Integer>::digits);
    if (whole >= high) return std::numeric_limits<Integer>::max();
    if (whole < (Float)std::numeric_limits<Integer>::min()) return std::numeric_limits<Integer>::min();
    return (Integer)whole;
}
}  // namespace __cpx

#define CPX_TO_INTEGER(Float, from, Integer, to)                                                                     \
    static inline Integer __##from##2##to##_rn(Float x) { return __cpx::to_integer<Integer>(std::nearbyint(x)); }    \
    static inline Integer __##from##2##to##_rz(Float x) { return __cpx::to_integer<Integer>(std::trunc(x)); }        \
    static inline Integer __##from##2##to##_ru(Float x) { return __cpx::to_integer<Integer>(std::ceil(x)); }         \
    static inline Integer __##from##2##to##_rd(Float x) { return __cpx::to_integer<Integer>(std::floor(x)); }
#define CPX_FROM_INTEGER(Float, to, Integer, from)                                                                   \
    CPX_ROUNDED(Float, __##from##2##to, (volatile Integer x), (Float)(Integer)x)
#define CPX_CONVERT(Integer, name)                                                                                   \
    CPX_TO_INTEGER(float, float, Integer, name)                                                                      \
    CPX_TO_INTEGER(double, double, Integer, name)                                                                    \
    CPX_FROM_INTEGER(float, float, Integer, name)                                                                    \
    CPX_FROM_INTEGER(double, double, Integer, name)
CPX_CONVERT(int, int)
CPX_CONVERT(unsigned, uint)
CPX_CONVERT(long long, ll)
CPX_CONVERT(unsigned long long, ull)
CPX_ROUNDED(float, __double2float, (volatile double x), (float)(double)x)
#undef CPX_CONVERT
#undef CPX_FROM_INTEGER
#undef CPX_TO_INTEGER
#undef CPX_ARITHMETIC
#undef CPX_ROUNDED

static inline int __float_as_int(float x) { return __cpx::from_bits<int>(__cpx::bits(x)); }
static inline unsigned __float_as_uint(float x) { return __cpx::from_bits<unsigned>(__cpx::bits(x)); }
static inline float __int_as_float(int x) { return __cpx::from_bits<float>(__cpx::bits(x)); }
static inline float __uint_as_float(unsigned x) { return __cpx::from_bits<float>(__cpx::bits(x)); }
static inline long long __double_as_longlong(double x) { return __cpx::from_bits<long long>(__cpx::bits(x)); }
static inline double __longlong_as_double(long long x) { return __cpx::from_bits<double>(__cpx::bits(x)); }
static inline int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
static inline int __double2loint(double x) { return (int)__double_as_longlong(x); }
static inline double __hiloint2double(int high, int low) {
    return __longlong_as_double((long long)((unsigned long long)(unsigned)high << 32 | (unsigned)low));
}

// ----------------------------------------------------------------------------------------------------------- integers

static inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
static inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline unsigned __brev(unsigned x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
static inline unsigned long long __brevll(unsigned long long x) {
    return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
static inline int __mulhi(int x, int y) { return (int)((long long)x * y >> 32); }
static inline unsigned __umulhi(unsigned x, unsigned y) { return (unsigned)((unsigned long long)x * y >> 32); }
static inline long long __mul64hi(long long x, long long y) { return (long long)((__int128)x * y >> 64); }
static inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    return (unsigned long long)((unsigned __int128)x * y >> 64);
}
static inline int __mul24(int x, int y) {
    return (int)((long long)((int)((unsigned)x << 8) >> 8) * ((int)((unsigned)y << 8) >> 8));
}
static inline unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffffu) * (y & 0xffffffu); }
static inline unsigned __sad(int x, int y, unsigned z) { return z + (unsigned)(x < y ? (long long)y - x : (long long)x - y); }
static inline unsigned __usad(unsigned x, unsigned y, unsigned z) { return z + (x < y ? y - x : x - y); }
static inline int __hadd(int x, int y) { return (int)(((long long)x + y) >> 1); }
static inline int __rhadd(int x, int y) { return (int)(((long long)x + y + 1) >> 1); }
static inline unsigned __uhadd(unsigned x, unsigned y) { return (unsigned)(((unsigned long long)x + y) >> 1); }
static inline unsigned __urhadd(unsigned x, unsigned y) { return (unsigned)(((unsigned long long)x + y + 1) >> 1); }
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    const unsigned long long both = (unsigned long long)y << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) {
        const unsigned choice = selector >> (4 * i) & 0xf;
        unsigned byte = (unsigned)(both >> (8 * (choice & 7))) & 0xff;
        if (choice & 8) byte = byte & 0x80 ? 0xff : 0;
        result |= byte << (8 * i);
    }
    return result;
}
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)((((unsigned long long)high << 32 | low) << (shift & 31)) >> 32);
}
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31));
}
static inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
    return shift >= 32 ? low : (unsigned)((((unsigned long long)high << 32 | low) << shift) >> 32);
}
static inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
    return shift >= 32 ? high : (unsigned)(((unsigned long long)high << 32 | low) >> shift);
}
static inline int __dp4a(int a, int b, int c) {
    for (int i = 0; i < 32; i += 8) c += (int)(signed char)(a >> i) * (signed char)(b >> i);
    return c;
}
static inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    for (int i = 0; i < 32; i += 8) c += (a >> i & 0xff) * (b >> i & 0xff);
    return c;
}
