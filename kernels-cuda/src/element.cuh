// Elements of matrices, and what the solvers' kernels are given. The text before this file defines Real (f32 or f64),
// COMPLEX (0 or 1) and LARGEST, the largest number.

DEVICE Real absolute(Real x) { return x < (Real)0 ? -x : x; }
DEVICE Real larger(Real x, Real y) { return x > y ? x : y; }
DEVICE Real smaller(Real x, Real y) { return x < y ? x : y; }
DEVICE f32 root(f32 x) { return sqrtf(x); }
DEVICE f64 root(f64 x) { return sqrt(x); }

struct Complex {
    Real re, im;
};
DEVICE Complex operator+(Complex x, Complex y) { return Complex{x.re + y.re, x.im + y.im}; }
DEVICE Complex operator-(Complex x, Complex y) { return Complex{x.re - y.re, x.im - y.im}; }
DEVICE Complex operator*(Complex x, Complex y) { return Complex{x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re}; }
DEVICE Complex operator*(Complex x, Real y) { return Complex{x.re * y, x.im * y}; }
DEVICE Complex operator/(Complex x, Complex y) {
    // Smith's way, without overflow of squares.
    if (absolute(y.re) >= absolute(y.im)) {
        const Real ratio = y.im / y.re, whole = y.re + y.im * ratio;
        return Complex{(x.re + x.im * ratio) / whole, (x.im - x.re * ratio) / whole};
    }
    const Real ratio = y.re / y.im, whole = y.re * ratio + y.im;
    return Complex{(x.re * ratio + x.im) / whole, (x.im * ratio - x.re) / whole};
}
DEVICE Complex conjugate(Complex x) { return Complex{x.re, -x.im}; }
DEVICE Real size(Complex x) { return absolute(x.re) + absolute(x.im); }
DEVICE Real modulus(Complex x) { return hypotenuse(x.re, x.im); }

#if COMPLEX
typedef Complex Element;
DEVICE Element make(Real re) { return Element{re, (Real)0}; }
DEVICE Real real(Element x) { return x.re; }
DEVICE bool is_zero(Element x) { return x.re == (Real)0 && x.im == (Real)0; }
DEVICE Element square_root(Element x) {
    const Real length = modulus(x);
    if (length == (Real)0) return make(0);
    const Real t = root((Real)0.5 * (absolute(x.re) + length)), u = x.im / ((Real)2 * t);
    if (x.re >= (Real)0) return Element{t, u};
    return x.im < (Real)0 ? Element{-u, -t} : Element{u, t};
}
#else
typedef Real Element;
DEVICE Element make(Real re) { return re; }
DEVICE Element conjugate(Element x) { return x; }
DEVICE Real real(Element x) { return x; }
DEVICE Real size(Element x) { return absolute(x); }
DEVICE Real modulus(Element x) { return absolute(x); }
DEVICE bool is_zero(Element x) { return x == (Real)0; }
#endif

// What an element bids to be the pivot. A NaN bids most, so that it reaches all results and no matrix with one counts as
// singular.
DEVICE Real bid_of(Element x) {
    const Real bid = size(x);
    return bid == bid ? bid : LARGEST;
}

// The argument of every entry. `b` and `c` are the operands in their order.
struct Dense {
    Element* a;
    void* b;
    void* c;
    i32* info;
    u64 m, n, count, upper, unit;
};
