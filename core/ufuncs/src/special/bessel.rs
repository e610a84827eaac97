//! Bessel functions of orders 0 and 1: DLMF 10.

use cuproxide_hal::ir::Var;

use super::approximation::{Table, either};
use super::tables::bessel01::*;

/// exp(-x) times a modified Bessel function of the first kind, x from 8 on.
fn scaled_far<'b>(x: Var<'b>, far: &Table) -> Var<'b> {
    far.at(x.like(1.0) / x) / x.sqrt()
}

/// exp(-|x|) I0(x).
pub(super) fn i0e(x: Var<'_>) -> Var<'_> {
    let (a, eight) = (x.abs(), x.like(8.0));
    I0E_NEAR.at(a.min(eight)).when(a.le(eight), scaled_far(a.max(eight), &I0E_FAR))
}

/// exp(-|x|) I1(x).
pub(super) fn i1e(x: Var<'_>) -> Var<'_> {
    let (a, eight) = (x.abs(), x.like(8.0));
    let far = scaled_far(a.max(eight), &I1E_FAR);
    (x * I1E_NEAR.at(a.min(eight))).when(a.le(eight), far.copysign(x))
}

/// The product of a scaled function and exp(|x|), of which the first factor alone may overflow.
fn unscaled<'b>(x: Var<'b>, scaled: Var<'b>) -> Var<'b> {
    let half = (x.abs() * x.like(0.5)).exp();
    x.abs().when(x.abs().eq(x.like(f64::INFINITY)), half * scaled * half)
}

/// I0(x) as NumPy has it: infinite where exp(x) is.
pub(crate) fn numpy_i0(x: Var<'_>) -> Var<'_> {
    x.abs().exp() * i0e(x)
}

/// Up to here exponentials are in range.
const MOST: f64 = 700.0;
/// The end of the tables over x**2.
const NEAR: f64 = 10.0;

/// I0(x).
pub(super) fn i0(x: Var<'_>) -> Var<'_> {
    let near = || I0_NEAR.at(x * x);
    let far = || {
        // One exponential rounds less than its root twice, of which few arguments need the second.
        let (a, scaled, end) = (x.abs(), scaled_far(x.abs(), &I0E_FAR), x.like(MOST));
        either(a.lt(end), || a.exp() * scaled, || unscaled(x, scaled), x.dtype())
    };
    either(x.abs().le(x.like(NEAR)), near, far, x.dtype())
}

/// I1(x).
pub(super) fn i1(x: Var<'_>) -> Var<'_> {
    let near = || x * I1_NEAR.at(x * x);
    let far = || unscaled(x, scaled_far(x.abs(), &I1E_FAR)).copysign(x);
    either(x.abs().le(x.like(NEAR)), near, far, x.dtype())
}

/// A modified Bessel function of the second kind from `small` up to 2, and from exp(x) sqrt(x) times it beyond.
/// `scale` says whether the result is multiplied by exp(x).
fn second<'b>(x: Var<'b>, small: Var<'b>, far: &Table, scale: bool, at_zero: f64) -> Var<'b> {
    let (zero, two) = (x.like(0.0), x.like(2.0));
    let outside = x.max(two);
    let beyond = far.at(x.like(1.0) / outside) / outside.sqrt();
    let (near, beyond) = if scale { (small * x.min(two).exp(), beyond) } else { (small, beyond * (-outside).exp()) };
    let value = near.when(x.le(two), beyond);
    x.like(at_zero).when(x.eq(zero), x.like(f64::NAN).when(x.lt(zero), value))
}

fn k0_small(x: Var<'_>) -> Var<'_> {
    let (half, square) = (x.like(0.5), (x * x).min(x.like(4.0)));
    K0_SMALL.at(square) - (x * half).log() * I0_SMALL.at(square)
}

fn k1_small(x: Var<'_>) -> Var<'_> {
    let (half, square) = (x.like(0.5), (x * x).min(x.like(4.0)));
    let (builder, one) = (x.builder(), x.like(1.0));
    let rest = builder.fma((x * half).log(), I1_SMALL.at(square), K1_SMALL.at(square));
    // The terms cancel: with what is left of the quotient, which may be infinite.
    let inverse = one / x;
    let left = builder.fma(-x, inverse, one) * inverse;
    inverse + builder.fma(x, rest, left.when(inverse.lt(x.like(1e30)), x.like(0.0)))
}

/// K0(x).
pub(super) fn k0(x: Var<'_>) -> Var<'_> {
    second(x, k0_small(x), &K0E_FAR, false, f64::INFINITY)
}

/// exp(x) K0(x).
pub(super) fn k0e(x: Var<'_>) -> Var<'_> {
    second(x, k0_small(x), &K0E_FAR, true, f64::INFINITY)
}

/// K1(x).
pub(super) fn k1(x: Var<'_>) -> Var<'_> {
    second(x, k1_small(x), &K1E_FAR, false, f64::INFINITY)
}

/// exp(x) K1(x).
pub(super) fn k1e(x: Var<'_>) -> Var<'_> {
    second(x, k1_small(x), &K1E_FAR, true, f64::INFINITY)
}
