// Complex numbers as kernels know them: `complex<float>` and `complex<double>`, also by the name `thrust::complex`.
#pragma once

#define CPX_DEVICE __host__ __device__ inline

namespace thrust {

template <typename T>
struct __attribute__((aligned(2 * sizeof(T)))) complex {
    typedef T value_type;
    T re, im;

    complex() = default;
    CPX_DEVICE complex(const T& re) : re(re), im(T(0)) {}
    CPX_DEVICE complex(const T& re, const T& im) : re(re), im(im) {}
    template <typename U>
    CPX_DEVICE complex(const complex<U>& other) : re(T(other.re)), im(T(other.im)) {}

    CPX_DEVICE T real() const { return re; }
    CPX_DEVICE T imag() const { return im; }
    CPX_DEVICE T real() const volatile { return re; }
    CPX_DEVICE T imag() const volatile { return im; }
    CPX_DEVICE void real(T value) { re = value; }
    CPX_DEVICE void imag(T value) { im = value; }
    CPX_DEVICE complex& operator=(const T& value) {
        re = value;
        im = T(0);
        return *this;
    }
    CPX_DEVICE complex& operator+=(const complex& z);
    CPX_DEVICE complex& operator-=(const complex& z);
    CPX_DEVICE complex& operator*=(const complex& z);
    CPX_DEVICE complex& operator/=(const complex& z);
};

namespace detail {
CPX_DEVICE float absolute(float x) { return fabsf(x); }
CPX_DEVICE double absolute(double x) { return fabs(x); }
CPX_DEVICE float with_sign(float x, float sign) { return copysignf(x, sign); }
CPX_DEVICE double with_sign(double x, double sign) { return copysign(x, sign); }
CPX_DEVICE float length(float x, float y) { return hypotf(x, y); }
CPX_DEVICE double length(double x, double y) { return hypot(x, y); }
CPX_DEVICE float angle(float y, float x) { return atan2f(y, x); }
CPX_DEVICE double angle(double y, double x) { return atan2(y, x); }
#define CPX_REAL(name, single, twice)             \
    CPX_DEVICE float name(float x) { return single(x); } \
    CPX_DEVICE double name(double x) { return twice(x); }
CPX_REAL(real_exp, expf, exp)
CPX_REAL(real_log, logf, log)
CPX_REAL(real_log1p, log1pf, log1p)
CPX_REAL(real_sqrt, sqrtf, sqrt)
CPX_REAL(real_sin, sinf, sin)
CPX_REAL(real_cos, cosf, cos)
CPX_REAL(real_sinh, sinhf, sinh)
CPX_REAL(real_cosh, coshf, cosh)
CPX_REAL(real_tan, tanf, tan)
CPX_REAL(real_asinh, asinhf, asinh)
#undef CPX_REAL
}  // namespace detail

template <typename T>
CPX_DEVICE complex<T> operator+(const complex<T>& z) {
    return z;
}
template <typename T>
CPX_DEVICE complex<T> operator-(const complex<T>& z) {
    return complex<T>(-z.re, -z.im);
}

namespace detail {
template <typename T>
CPX_DEVICE complex<T> sum(const complex<T>& a, const complex<T>& b) {
    return complex<T>(a.re + b.re, a.im + b.im);
}
template <typename T>
CPX_DEVICE complex<T> difference(const complex<T>& a, const complex<T>& b) {
    return complex<T>(a.re - b.re, a.im - b.im);
}
template <typename T>
CPX_DEVICE complex<T> product(const complex<T>& a, const complex<T>& b) {
    return complex<T>(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}
// Scaled by the larger part of the divisor, so that no square overflows.
template <typename T>
CPX_DEVICE complex<T> quotient(const complex<T>& a, const complex<T>& b) {
    if (absolute(b.re) >= absolute(b.im)) {
        if (b.re == T(0) && b.im == T(0)) return complex<T>(a.re / absolute(b.re), a.im / absolute(b.re));
        const T ratio = b.im / b.re, scale = T(1) / (b.re + b.im * ratio);
        return complex<T>((a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale);
    }
    const T ratio = b.re / b.im, scale = T(1) / (b.re * ratio + b.im);
    return complex<T>((a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale);
}

// What a number becomes beside a complex number: of float, unless it is double.
template <typename A, typename B>
struct wider {
    typedef A type;
};
template <>
struct wider<float, double> {
    typedef double type;
};
template <typename T, bool>
struct only {};
template <typename T>
struct only<T, true> {
    typedef T type;
};
template <typename T>
struct is_number {
    static const bool value = false;
};
#define CPX_NUMBER(T)                  \
    template <>                        \
    struct is_number<T> {              \
        static const bool value = true; \
    };
CPX_NUMBER(bool)
CPX_NUMBER(char)
CPX_NUMBER(signed char)
CPX_NUMBER(unsigned char)
CPX_NUMBER(short)
CPX_NUMBER(unsigned short)
CPX_NUMBER(int)
CPX_NUMBER(unsigned int)
CPX_NUMBER(long)
CPX_NUMBER(unsigned long)
CPX_NUMBER(long long)
CPX_NUMBER(unsigned long long)
CPX_NUMBER(float)
CPX_NUMBER(double)
#undef CPX_NUMBER
template <typename T, typename U>
struct beside : only<complex<typename wider<T, U>::type>, is_number<U>::value> {};
}  // namespace detail

#define CPX_OPERATOR(symbol, name)                                                                       \
    template <typename T, typename U>                                                                    \
    CPX_DEVICE complex<typename detail::wider<T, U>::type> operator symbol(const complex<T>& a,          \
                                                                           const complex<U>& b) {        \
        typedef typename detail::wider<T, U>::type W;                                                    \
        return detail::name(complex<W>(a), complex<W>(b));                                               \
    }                                                                                                    \
    template <typename T, typename U>                                                                    \
    CPX_DEVICE typename detail::beside<T, U>::type operator symbol(const complex<T>& a, const U& b) {    \
        typedef typename detail::wider<T, U>::type W;                                                    \
        return detail::name(complex<W>(a), complex<W>(W(b)));                                            \
    }                                                                                                    \
    template <typename T, typename U>                                                                    \
    CPX_DEVICE typename detail::beside<T, U>::type operator symbol(const U& a, const complex<T>& b) {    \
        typedef typename detail::wider<T, U>::type W;                                                    \
        return detail::name(complex<W>(W(a)), complex<W>(b));                                            \
    }                                                                                                    \
    template <typename T>                                                                                \
    CPX_DEVICE complex<T>& complex<T>::operator symbol##=(const complex<T>& z) {                         \
        return *this = detail::name(*this, z);                                                           \
    }
CPX_OPERATOR(+, sum)
CPX_OPERATOR(-, difference)
CPX_OPERATOR(*, product)
CPX_OPERATOR(/, quotient)
#undef CPX_OPERATOR

#define CPX_COMPARE(symbol, expression)                                             \
    template <typename T, typename U>                                               \
    CPX_DEVICE bool operator symbol(const complex<T>& a, const complex<U>& b) {     \
        return expression;                                                          \
    }                                                                               \
    template <typename T>                                                           \
    CPX_DEVICE bool operator symbol(const complex<T>& a, const T& number) {         \
        const complex<T> b(number);                                                 \
        return expression;                                                          \
    }                                                                               \
    template <typename T>                                                           \
    CPX_DEVICE bool operator symbol(const T& number, const complex<T>& b) {         \
        const complex<T> a(number);                                                 \
        return expression;                                                          \
    }
// NumPy's order: by the real part, then by the imaginary one.
CPX_COMPARE(==, a.re == b.re && a.im == b.im)
CPX_COMPARE(!=, a.re != b.re || a.im != b.im)
CPX_COMPARE(<, a.re < b.re || (a.re == b.re && a.im < b.im))
CPX_COMPARE(<=, a.re < b.re || (a.re == b.re && a.im <= b.im))
CPX_COMPARE(>, a.re > b.re || (a.re == b.re && a.im > b.im))
CPX_COMPARE(>=, a.re > b.re || (a.re == b.re && a.im >= b.im))
#undef CPX_COMPARE

template <typename T>
CPX_DEVICE T real(const complex<T>& z) {
    return z.re;
}
template <typename T>
CPX_DEVICE T imag(const complex<T>& z) {
    return z.im;
}
template <typename T>
CPX_DEVICE T abs(const complex<T>& z) {
    return detail::length(z.re, z.im);
}
template <typename T>
CPX_DEVICE T arg(const complex<T>& z) {
    return detail::angle(z.im, z.re);
}
template <typename T>
CPX_DEVICE T norm(const complex<T>& z) {
    return z.re * z.re + z.im * z.im;
}
template <typename T>
CPX_DEVICE complex<T> conj(const complex<T>& z) {
    return complex<T>(z.re, -z.im);
}
template <typename T>
CPX_DEVICE complex<T> proj(const complex<T>& z) {
    if (isinf(z.re) || isinf(z.im)) return complex<T>(T(1) / T(0) * T(1), detail::with_sign(T(0), z.im));
    return z;
}
template <typename T>
CPX_DEVICE complex<T> polar(const T& length, const T& angle = T(0)) {
    return complex<T>(length * detail::real_cos(angle), length * detail::real_sin(angle));
}

template <typename T>
CPX_DEVICE complex<T> exp(const complex<T>& z) {
    if (z.im == T(0)) return complex<T>(detail::real_exp(z.re), z.im);
    // An infinite real part decides alone: otherwise infinity times zero would appear.
    if (z.re < T(0) && isinf(z.re) && !isfinite(z.im)) return complex<T>(T(0), T(0));
    const T scale = detail::real_exp(z.re);
    return complex<T>(scale * detail::real_cos(z.im), scale * detail::real_sin(z.im));
}
template <typename T>
CPX_DEVICE complex<T> log(const complex<T>& z) {
    return complex<T>(detail::real_log(abs(z)), arg(z));
}
template <typename T>
CPX_DEVICE complex<T> log10(const complex<T>& z) {
    const complex<T> natural = log(z);
    return complex<T>(natural.re / T(2.30258509299404568402), natural.im / T(2.30258509299404568402));
}
template <typename T>
CPX_DEVICE complex<T> sqrt(const complex<T>& z) {
    if (z.re == T(0) && z.im == T(0)) return complex<T>(T(0), z.im);
    if (isinf(z.im)) return complex<T>(detail::absolute(z.im), z.im);
    if (isinf(z.re)) {
        if (z.re > T(0)) return complex<T>(z.re, isnan(z.im) ? z.im : detail::with_sign(T(0), z.im));
        return complex<T>(isnan(z.im) ? z.im : T(0), detail::with_sign(z.re, z.im));
    }
    // Scaled by a power of two, so that the length does not overflow.
    const T scale = detail::absolute(z.re) > T(1e30) || detail::absolute(z.im) > T(1e30) ? T(0.0625) : T(1);
    const T x = z.re * scale, y = z.im * scale;
    const T root = detail::real_sqrt((detail::absolute(x) + detail::length(x, y)) / T(2));
    const T grow = scale == T(1) ? T(1) : T(4);
    if (x >= T(0)) return complex<T>(root * grow, y / (root * T(2)) * grow);
    return complex<T>(detail::absolute(y) / (root * T(2)) * grow, detail::with_sign(root, y) * grow);
}
template <typename T, typename U>
CPX_DEVICE complex<typename detail::wider<T, U>::type> pow(const complex<T>& base, const complex<U>& power) {
    typedef typename detail::wider<T, U>::type W;
    const complex<W> b(base), p(power);
    if (p.re == W(0) && p.im == W(0)) return complex<W>(W(1), W(0));
    if (b.re == W(0) && b.im == W(0)) return complex<W>(W(0), W(0));
    return exp(p * log(b));
}
template <typename T, typename U>
CPX_DEVICE typename detail::beside<T, U>::type pow(const complex<T>& base, const U& power) {
    typedef typename detail::wider<T, U>::type W;
    return pow(complex<W>(base), complex<W>(W(power)));
}
template <typename T, typename U>
CPX_DEVICE typename detail::beside<T, U>::type pow(const U& base, const complex<T>& power) {
    typedef typename detail::wider<T, U>::type W;
    return pow(complex<W>(W(base)), complex<W>(power));
}

template <typename T>
CPX_DEVICE complex<T> sinh(const complex<T>& z) {
    return complex<T>(detail::real_sinh(z.re) * detail::real_cos(z.im), detail::real_cosh(z.re) * detail::real_sin(z.im));
}
template <typename T>
CPX_DEVICE complex<T> cosh(const complex<T>& z) {
    return complex<T>(detail::real_cosh(z.re) * detail::real_cos(z.im), detail::real_sinh(z.re) * detail::real_sin(z.im));
}
template <typename T>
CPX_DEVICE complex<T> tanh(const complex<T>& z) {
    // Where both sinh and cosh would overflow, the limit is 1.
    if (detail::absolute(z.re) > T(20)) {
        const T small = T(4) * detail::real_sin(z.im) * detail::real_cos(z.im) * detail::real_exp(T(-2) * detail::absolute(z.re));
        return complex<T>(detail::with_sign(T(1), z.re), isfinite(z.im) ? small : T(0));
    }
    const T t = detail::real_tan(z.im), s = detail::real_sinh(z.re);
    const T beta = T(1) + t * t, rho = detail::real_sqrt(T(1) + s * s);
    if (isinf(t)) return complex<T>(rho / s, T(1) / t);
    const T scale = T(1) / (T(1) + beta * s * s);
    return complex<T>(beta * rho * s * scale, t * scale);
}
template <typename T>
CPX_DEVICE complex<T> asin(const complex<T>& z) {
    const complex<T> a = sqrt(complex<T>(T(1) - z.re, -z.im)), b = sqrt(complex<T>(T(1) + z.re, z.im));
    return complex<T>(detail::angle(z.re, a.re * b.re - a.im * b.im), detail::real_asinh(a.re * b.im - a.im * b.re));
}
template <typename T>
CPX_DEVICE complex<T> acos(const complex<T>& z) {
    const complex<T> a = sqrt(complex<T>(T(1) - z.re, -z.im)), b = sqrt(complex<T>(T(1) + z.re, z.im));
    return complex<T>(T(2) * detail::angle(a.re, b.re), detail::real_asinh(b.re * a.im - b.im * a.re));
}
template <typename T>
CPX_DEVICE complex<T> acosh(const complex<T>& z) {
    const complex<T> a = sqrt(complex<T>(z.re - T(1), z.im)), b = sqrt(complex<T>(z.re + T(1), z.im));
    return complex<T>(detail::real_asinh(a.re * b.re + a.im * b.im), T(2) * detail::angle(a.im, b.re));
}
template <typename T>
CPX_DEVICE complex<T> atanh(const complex<T>& z) {
    const T y = z.im * z.im, below = (T(1) - z.re) * (T(1) - z.re) + y;
    const T re = T(0.25) * detail::real_log1p(T(4) * z.re / below);
    return complex<T>(re, T(0.5) * detail::angle(T(2) * z.im, (T(1) - z.re) * (T(1) + z.re) - y));
}
// The circular functions are the hyperbolic ones turned by a right angle.
#define CPX_TURNED(name, hyperbolic)                                      \
    template <typename T>                                                 \
    CPX_DEVICE complex<T> name(const complex<T>& z) {                     \
        const complex<T> turned = hyperbolic(complex<T>(-z.im, z.re));    \
        return complex<T>(turned.im, -turned.re);                         \
    }
CPX_TURNED(sin, sinh)
CPX_TURNED(tan, tanh)
CPX_TURNED(atan, atanh)
#undef CPX_TURNED
template <typename T>
CPX_DEVICE complex<T> cos(const complex<T>& z) {
    return cosh(complex<T>(-z.im, z.re));
}
template <typename T>
CPX_DEVICE complex<T> asinh(const complex<T>& z) {
    const complex<T> turned = asin(complex<T>(-z.im, z.re));
    return complex<T>(turned.im, -turned.re);
}

}  // namespace thrust

using thrust::abs;
using thrust::acos;
using thrust::acosh;
using thrust::arg;
using thrust::asin;
using thrust::asinh;
using thrust::atan;
using thrust::atanh;
using thrust::complex;
using thrust::conj;
using thrust::cos;
using thrust::cosh;
using thrust::exp;
using thrust::imag;
using thrust::log;
using thrust::log10;
using thrust::norm;
using thrust::polar;
using thrust::pow;
using thrust::proj;
using thrust::real;
using thrust::sin;
using thrust::sinh;
using thrust::sqrt;
using thrust::tan;
using thrust::tanh;

#undef CPX_DEVICE
