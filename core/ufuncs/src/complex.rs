//! Bodies that treat complex numbers by their parts.

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

/// Complex conjugate; a real number is its own.
pub(crate) fn conjugate(a: Var<'_>) -> Var<'_> {
    if a.dtype().is_complex() { a.conj() } else { a }
}

/// Real part.
pub(crate) fn real(a: Var<'_>) -> Var<'_> {
    if a.dtype().is_complex() { a.re() } else { a }
}

/// Imaginary part: 0 of a real number.
pub(crate) fn imag(a: Var<'_>) -> Var<'_> {
    if a.dtype().is_complex() { a.im() } else { a.like_integer(0) }
}

/// Squared absolute value, without the square root's rounding.
pub(crate) fn square_modulus(a: Var<'_>) -> Var<'_> {
    if a.dtype().is_complex() { a.re() * a.re() + a.im() * a.im() } else { a * a }
}

/// The square. Where those of both parts overflow, their difference does by its factors.
pub(crate) fn square(a: Var<'_>) -> Var<'_> {
    let product = a * a;
    if !a.dtype().is_complex() {
        return product;
    }
    // Halves of what overflows are exact, and have sums.
    let (x, y) = (a.re() * a.re().like(0.5), a.im() * a.re().like(0.5));
    let factors = (x - y) * (x + y) * x.like(4.0);
    a.builder().complex(factors.when(product.re().is_nan(), product.re()), product.im())
}

/// Applies a real function to a real number, or to both parts of a complex one.
pub(crate) fn by_parts<'b>(a: Var<'b>, function: impl Fn(Var<'b>) -> Var<'b>) -> Var<'b> {
    if a.dtype().is_complex() { a.builder().complex(function(a.re()), function(a.im())) } else { function(a) }
}

/// The same with a second, real, operand.
pub(crate) fn by_parts_with<'b>(a: Var<'b>, b: Var<'b>, function: impl Fn(Var<'b>, Var<'b>) -> Var<'b>) -> Var<'b> {
    by_parts(a, |part| function(part, b))
}

/// Replaces NaN, plus and minus infinity, in each part of a complex number.
pub(crate) fn nan_to_num<'b>(a: Var<'b>, [nan, high, low]: [Var<'b>; 3]) -> Var<'b> {
    by_parts(a, |x| {
        let replaced = high.when(x.eq(x.like(f64::INFINITY)), low.when(x.eq(x.like(f64::NEG_INFINITY)), x));
        nan.when(x.is_nan(), replaced)
    })
}

/// 1 / z without overflow of |z|^2 (Smith 1962).
pub(crate) fn reciprocal(z: Var<'_>) -> Var<'_> {
    let (re, im, one) = (z.re(), z.im(), z.re().like(1.0));
    let wide = im.abs().le(re.abs());
    let ratio = (im / re).when(wide, re / im);
    let scale = (re + im * ratio).when(wide, re * ratio + im);
    z.builder().complex(one.when(wide, ratio) / scale, -(ratio.when(wide, one) / scale))
}

/// Power with NumPy's special cases: whole exponents below 100 multiply, and zero has powers with positive real part.
pub(crate) fn power<'b>(base: Var<'b>, exponent: Var<'b>) -> Var<'b> {
    let builder = base.builder();
    let (re, im) = (exponent.re(), exponent.im());
    let (zero, one) = (base.like(0.0), base.like(1.0));
    let nan = builder.complex(re.like(f64::NAN), re.like(f64::NAN));
    let whole = im.eq(im.like(0.0)) & re.eq(re.trunc()) & re.abs().lt(re.like(100.0));
    let result = builder.local(one);
    let of_zero = || result.set(zero.when(re.gt(re.like(0.0)), nan));
    let by_multiplication = || {
        let product = repeated_product(base, re.abs().cast(DType::I64));
        result.set(reciprocal(product).when(re.lt(re.like(0.0)), product));
    };
    let general = || result.set(base.pow(exponent));
    let of_others = || builder.branch(whole, by_multiplication, general);
    builder.branch(exponent.ne(zero), || builder.branch(base.eq(zero), of_zero, of_others), || ());
    result.get()
}

/// The product of `count` (at least 1) factors by repeated squaring; no factor 1 takes part, which would spoil
/// infinities.
fn repeated_product<'b>(base: Var<'b>, count: Var<'b>) -> Var<'b> {
    let builder = base.builder();
    let (zero, one) = (count.like_integer(0), count.like_integer(1));
    let (product, square, left) = (builder.local(base), builder.local(base), builder.local(count));
    let empty = builder.local(builder.boolean(true));
    builder.repeat(
        || left.get().gt(zero),
        || {
            let (current, odd) = (square.get(), (left.get() & one).ne(zero));
            let longer = current.when(empty.get(), product.get() * current);
            product.set(longer.when(odd, product.get()));
            empty.set(empty.get() & !odd);
            square.set(current * current);
            left.set(left.get() >> one);
        },
    );
    product.get()
}
