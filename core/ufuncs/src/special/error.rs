//! The error function and its family, and the normal distribution: DLMF 7.

use std::f64::consts::{FRAC_1_SQRT_2, LN_2, SQRT_2};

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

use super::approximation::{either, exp_of_two, square};
use super::tables::error::*;

/// 2 / sqrt(pi).
const TWO_OVER_ROOT_PI: f64 = std::f64::consts::FRAC_2_SQRT_PI;

/// From where on exp(-a * a) is 0, or exp(a * a) infinite.
fn limit(a: Var<'_>) -> Var<'_> {
    a.like(if a.dtype() == DType::F32 { 12.0 } else { 30.0 })
}

/// erfcx of a number that is not negative.
pub(super) fn scaled(a: Var<'_>) -> Var<'_> {
    let (three, bounded) = (a.like(3.0), a.min(a.like(1e18)));
    ERFCX.at((bounded - three) / (bounded + three)) / (a + a.like(0.5))
}

/// exp(-a * a) and exp(a * a) have the rest of the square in them.
fn exp_square<'b>(a: Var<'b>, sign: f64) -> Var<'b> {
    let (high, low) = square(a.min(limit(a)));
    if sign < 0.0 { exp_of_two(-high, -low) } else { exp_of_two(high, low) }
}

/// erf of a small number.
fn near_zero(x: Var<'_>) -> Var<'_> {
    x * ERF_SMALL.at((x * x).min(x.like(1.0)))
}

/// erf(x).
pub(super) fn erf(x: Var<'_>) -> Var<'_> {
    let (a, one, six) = (x.abs(), x.like(1.0), x.like(6.0));
    let far = one - (-ERF_EXPONENT.at(a.min(six) - one)).exp();
    near_zero(x).when(a.lt(one), far.copysign(x))
}

/// 1 - erf(x).
pub(super) fn erfc(x: Var<'_>) -> Var<'_> {
    let (a, half) = (x.abs(), x.like(0.5));
    let tail = exp_square(a, -1.0) * scaled(a);
    let far = tail.when(x.gt(half), x.like(2.0) - tail);
    (x.like(1.0) - near_zero(x)).when(a.le(half), far)
}

/// exp(x * x) erfc(x).
pub(super) fn erfcx(x: Var<'_>) -> Var<'_> {
    let a = x.abs();
    let right = scaled(a);
    right.when(x.ge(x.like(0.0)), x.like(2.0) * exp_square(a, 1.0) - right)
}

/// Dawson's integral: exp(-x * x) times the integral of exp(t * t) from 0 to x.
pub(super) fn dawsn(x: Var<'_>) -> Var<'_> {
    let (a, one) = (x.abs(), x.like(1.0));
    let two = x.like(2.0);
    let middle = DAWSON_MIDDLE.at(a.max(two).min(x.like(5.0)));
    let inverse = one / a.max(two);
    let far = DAWSON_LARGE.at((inverse * inverse).min(x.like(0.04)));
    let outside = far.when(a.gt(x.like(5.0)), middle) / x;
    let small = x * DAWSON_SMALL.at((x * x).min(x.like(4.0)));
    small.when(a.lt(two), outside)
}

/// erf(i x) / i.
pub(super) fn erfi(x: Var<'_>) -> Var<'_> {
    let (a, half) = (x.abs(), x.like(0.5));
    let (high, low) = square(a.min(limit(a) * x.like(1.5)));
    // Half of the exponent twice: the function is finite where exp(x * x) is not.
    let root = exp_of_two(high * half, low * half);
    x.when(a.eq(x.like(f64::INFINITY)), x.like(TWO_OVER_ROOT_PI) * root * dawsn(x) * root)
}

/// erfinv and erfcinv, of an argument of erfc that is exact near 0 and of one of erf that is exact near 0.
fn inverse<'b>(q: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (zero, two) = (q.like(0.0), q.like(2.0));
    let (center, far) = (q.like(6.25), q.like(8.0));
    let w = -(q * (two - q)).log();
    // Few arguments lie in the tails.
    let tail = || {
        let s = w.min(q.like(27.5 * 27.5)).sqrt();
        let value = ERFCINV_TAIL.at(s.min(far)).when(s.lt(far), ERFCINV_FAR.at(s.max(far)));
        (s * value).copysign(x)
    };
    let value = either(w.lt(center), || x * ERFINV_CENTER.at(w), tail, q.dtype());
    let value = q.like(f64::INFINITY).copysign(x).when(q.eq(zero), value);
    value.when(q.ge(zero) & q.le(two), q.like(f64::NAN))
}

/// The inverse of erf.
pub(super) fn erfinv(x: Var<'_>) -> Var<'_> {
    inverse(x.like(1.0) - x.abs(), x)
}

/// The inverse of erfc.
pub(super) fn erfcinv(q: Var<'_>) -> Var<'_> {
    let (one, two) = (q.like(1.0), q.like(2.0));
    inverse(q.when(q.lt(one), two - q), one - q)
}

/// exp(-x * x / 2) erfcx(|x| / sqrt(2)) / 2: the probability beyond |x|.
fn normal_tail(x: Var<'_>) -> Var<'_> {
    let (a, half) = (x.abs(), x.like(0.5));
    let (high, low) = square(a.min(limit(a) * x.like(SQRT_2)));
    half * exp_of_two(-high * half, -low * half) * scaled(a * x.like(FRAC_1_SQRT_2))
}

/// The normal distribution's probability up to x.
pub(super) fn ndtr(x: Var<'_>) -> Var<'_> {
    let (one, half, tail) = (x.like(1.0), x.like(0.5), normal_tail(x));
    let center = half + half * near_zero(x * x.like(FRAC_1_SQRT_2));
    center.when(x.abs().lt(one), tail.when(x.lt(x.like(0.0)), one - tail))
}

/// log(ndtr(x)).
pub(super) fn log_ndtr(x: Var<'_>) -> Var<'_> {
    let (one, half, a) = (x.like(1.0), x.like(0.5), x.abs());
    let center = half - half * near_zero(x * x.like(FRAC_1_SQRT_2));
    let right = (-center.when(a.lt(one), normal_tail(x))).log1p();
    let (high, low) = square(a.min(x.like(if x.dtype() == DType::F32 { 1e18 } else { 1e153 })));
    let square = high.when(high.lt(x.like(1e30)), a * a) + low;
    let left = (scaled(a * x.like(FRAC_1_SQRT_2)).log() - x.like(LN_2)) - half * square;
    let left = x.when(a.eq(x.like(f64::INFINITY)), left);
    left.when(x.le(-one), right)
}

/// The inverse of ndtr.
pub(super) fn ndtri(p: Var<'_>) -> Var<'_> {
    p.like(0.0) - p.like(SQRT_2) * erfcinv(p + p)
}
