//! Bodies that treat complex numbers by their parts.

use cuproxide_hal::ir::Var;

/// Complex conjugate; a real number is its own.
pub(super) fn conjugate(a: Var<'_>) -> Var<'_> {
    if a.dtype().is_complex() { a.conj() } else { a }
}

/// Real part.
pub(super) fn real(a: Var<'_>) -> Var<'_> {
    if a.dtype().is_complex() { a.re() } else { a }
}

/// Imaginary part: 0 of a real number.
pub(super) fn imag(a: Var<'_>) -> Var<'_> {
    if a.dtype().is_complex() { a.im() } else { a.like_integer(0) }
}

/// Squared absolute value, without the square root's rounding.
pub(super) fn square_modulus(a: Var<'_>) -> Var<'_> {
    if a.dtype().is_complex() { a.re() * a.re() + a.im() * a.im() } else { a * a }
}

/// Applies a real function to a real number, or to both parts of a complex one.
pub(super) fn by_parts<'b>(a: Var<'b>, function: impl Fn(Var<'b>) -> Var<'b>) -> Var<'b> {
    if a.dtype().is_complex() { a.builder().complex(function(a.re()), function(a.im())) } else { function(a) }
}

/// The same with a second, real, operand.
pub(super) fn by_parts_with<'b>(a: Var<'b>, b: Var<'b>, function: impl Fn(Var<'b>, Var<'b>) -> Var<'b>) -> Var<'b> {
    by_parts(a, |part| function(part, b))
}

/// Replaces NaN, plus and minus infinity, in each part of a complex number.
pub(super) fn nan_to_num<'b>(a: Var<'b>, [nan, high, low]: [Var<'b>; 3]) -> Var<'b> {
    by_parts(a, |x| {
        let replaced = high.when(x.eq(x.like(f64::INFINITY)), low.when(x.eq(x.like(f64::NEG_INFINITY)), x));
        nan.when(x.is_nan(), replaced)
    })
}
