//! The error function and its family, and the normal distribution: DLMF 7.

use std::f64::consts::{FRAC_1_SQRT_2, LN_2, SQRT_2};

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

use super::approximation::{either, exp_of_two, square};
use super::tables::error::*;

/// 2 / sqrt(pi), and what its nearest number leaves; the square roots of 2 and of 1 / 2.
const TWO_OVER_ROOT_PI: f64 = std::f64::consts::FRAC_2_SQRT_PI;
const TWO_OVER_ROOT_PI_REST: f64 = 1.533_545_961_316_588e-17;
const ROOT_2: [f64; 2] = [SQRT_2, -9.667_293_313_452_913e-17];
const ROOT_HALF: [f64; 2] = [FRAC_1_SQRT_2, -4.833_646_656_726_457e-17];
/// (x + 1 / 2) erfcx(x) at 3, and about its reciprocal.
const ERFCX_MIDDLE: [f64; 2] = [0.626_504_029_134_864_8, 2.263_810_185_137_327_3e-17];
const ERFCX_INVERSE: f64 = 1.75;
/// Values in the middles of the intervals of the inverses' tables.
const CENTER_MIDDLE: [f64; 2] = [1.653_654_562_683_102_7, -2.360_249_051_413_315_5e-17];
const TAIL_MIDDLE: [f64; 2] = [0.971_899_003_143_369_3, -1.779_893_159_865_636_5e-17];
const FAR_MIDDLE: [f64; 2] = [0.995_621_742_508_033_9, 4.443_607_210_959_428e-17];

/// From where on exp(-a * a) is 0, or exp(a * a) infinite.
fn limit(a: Var<'_>) -> Var<'_> {
    a.like(if a.dtype() == DType::F32 { 12.0 } else { 30.0 })
}

/// erfcx of a number that is not negative.
pub(super) fn scaled(a: Var<'_>) -> Var<'_> {
    scaled_of_two(a, a.like(0.0))
}

/// The same of a number with a second part that is small beside it.
fn scaled_of_two<'b>(a: Var<'b>, low: Var<'b>) -> Var<'b> {
    let (three, bounded) = (a.like(3.0), a.min(a.like(1e18)));
    let product = ERFCX.around_middle((bounded - three) / (bounded + three), ERFCX_MIDDLE);
    let half = a.like(0.5);
    let value = product / (a + half);
    // What is left of the divisor, and of the number: the function falls about as the quotient does.
    let rest = bounded - ((bounded + half) - half);
    value - (value * value) * ((rest + low) * a.like(ERFCX_INVERSE))
}

/// A number by a constant of two parts, as two numbers.
fn by_constant<'b>(x: Var<'b>, [value, rest]: [f64; 2]) -> (Var<'b>, Var<'b>) {
    let (builder, high) = (x.builder(), x * x.like(value));
    (high, builder.fma(x, x.like(value), -high) + x * x.like(rest))
}

/// exp(-a * a), with the rest of the square in it.
fn exp_square(a: Var<'_>) -> Var<'_> {
    let (high, low) = square(a.min(limit(a)));
    exp_of_two(-high, -low)
}

/// erf of a small number.
fn near_zero(x: Var<'_>) -> Var<'_> {
    let (builder, square) = (x.builder(), (x * x).min(x.like(1.0)));
    let rest = builder.fma(ERF_REST.at(square), square, x.like(TWO_OVER_ROOT_PI_REST));
    builder.fma(x, x.like(TWO_OVER_ROOT_PI), x * rest)
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
    let tail = exp_square(a) * scaled(a);
    let far = tail.when(x.gt(half), x.like(2.0) - tail);
    (x.like(1.0) - near_zero(x)).when(a.le(half), far)
}

/// exp(x * x) erfc(x).
pub(super) fn erfcx(x: Var<'_>) -> Var<'_> {
    let a = x.abs();
    let right = scaled(a);
    let (high, low) = square(a.min(limit(a)));
    // 2 exp(a * a) - right, whose first part is near 2 next to 0.
    let (two, grown) = (x.like(2.0), high.expm1());
    let grown = grown.when(grown.eq(x.like(f64::INFINITY)), x.builder().fma(grown, low, grown + low));
    right.when(x.ge(x.like(0.0)), x.builder().fma(two, grown, -right) + two)
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

/// erfinv and erfcinv, of an argument of erfc that is exact near 0 and of one of erf; a result is `product` of a number, what
/// it leaves if it is not the argument of erf, and a factor.
fn inverse<'b>(q: Var<'b>, x: Var<'b>, product: impl Fn(Var<'b>, Option<Var<'b>>, Var<'b>) -> Var<'b>) -> Var<'b> {
    let (builder, zero, two) = (q.builder(), q.like(0.0), q.like(2.0));
    let (center, far) = (q.like(6.25), q.like(8.0));
    let w = -(q * (two - q)).log();
    // Few arguments lie in the tails.
    let tail = || {
        let w = w.min(q.like(27.5 * 27.5));
        let s = w.sqrt();
        let rest = builder.fma(-s, s, w) / (s + s);
        let near = ERFCINV_TAIL.around_middle(s.min(far), TAIL_MIDDLE);
        let value = near.when(s.lt(far), ERFCINV_FAR.around_middle(s.max(far), FAR_MIDDLE));
        q.like(f64::INFINITY).when(q.eq(zero), product(s, Some(rest), value)).copysign(x)
    };
    let middle = || product(x, None, ERFINV_CENTER.around_middle(w, CENTER_MIDDLE));
    // Of numbers outside [0, 2] the logarithm is NaN.
    either(w.lt(center), middle, tail, q.dtype())
}

/// The inverse of erf.
pub(super) fn erfinv(x: Var<'_>) -> Var<'_> {
    inverse(x.like(1.0) - x.abs(), x, |x, _, value| x * value)
}

/// The argument of erf that one of erfc is, and what its rounding leaves; and the one of erfc that is exact near 0.
fn complement(q: Var<'_>) -> (Var<'_>, Var<'_>, Var<'_>) {
    let (one, two) = (q.like(1.0), q.like(2.0));
    let x = one - q;
    (x, (one - x) - q, q.when(q.lt(one), two - q))
}

/// The inverse of erfc.
pub(super) fn erfcinv(q: Var<'_>) -> Var<'_> {
    let (x, _, least) = complement(q);
    inverse(least, x, |x, _, value| x * value)
}

/// erfcx(|x| / sqrt(2)).
fn scaled_tail(x: Var<'_>) -> Var<'_> {
    let (point, rest) = by_constant(x.abs().min(x.like(1e300)), ROOT_HALF);
    scaled_of_two(point, rest)
}

/// exp(-x * x / 2) erfcx(|x| / sqrt(2)) / 2, the probability beyond |x|, from the second factor.
fn normal_tail<'b>(x: Var<'b>, scaled: Var<'b>) -> Var<'b> {
    let (a, half) = (x.abs(), x.like(0.5));
    let (high, low) = square(a.min(limit(a) * x.like(SQRT_2)));
    half * exp_of_two(-high * half, -low * half) * scaled
}

/// The normal distribution's probability up to x.
pub(super) fn ndtr(x: Var<'_>) -> Var<'_> {
    let (one, half, tail) = (x.like(1.0), x.like(0.5), normal_tail(x, scaled_tail(x)));
    let center = half + half * near_zero(x * x.like(FRAC_1_SQRT_2));
    center.when(x.abs().lt(one), tail.when(x.lt(x.like(0.0)), one - tail))
}

/// log(ndtr(x)).
pub(super) fn log_ndtr(x: Var<'_>) -> Var<'_> {
    let (one, half, a, scaled) = (x.like(1.0), x.like(0.5), x.abs(), scaled_tail(x));
    let center = half - half * near_zero(x * x.like(FRAC_1_SQRT_2));
    let right = (-center.when(a.lt(one), normal_tail(x, scaled))).log1p();
    let (high, low) = square(a.min(x.like(if x.dtype() == DType::F32 { 1e18 } else { 1e153 })));
    let square = high.when(high.lt(x.like(1e30)), a * a) + low;
    let left = (scaled.log() - x.like(LN_2)) - half * square;
    let left = x.when(a.eq(x.like(f64::INFINITY)), left);
    left.when(x.le(-one), right)
}

/// The inverse of ndtr.
pub(super) fn ndtri(p: Var<'_>) -> Var<'_> {
    let (x, left, least) = complement(p + p);
    let value = inverse(least, x, |x, rest, value| {
        let (high, low) = by_constant(x, ROOT_2);
        x.builder().fma(high, value, x.builder().fma(rest.unwrap_or(left), x.like(SQRT_2), low) * value)
    });
    p.like(0.0) - value
}
