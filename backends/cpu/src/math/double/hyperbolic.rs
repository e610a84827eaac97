//! Hyperbolic functions and their inverses.

use super::exponential::{power_of_two, reduce};
use super::logarithm::log1p_pair;
use super::{Pair, fast_sum, quotient, sum};
use crate::math::polynomials::{polynomial, series};

const SINH: [f64; 6] = series(3, 2, 1.0);
const COSH: [f64; 7] = series(2, 2, 1.0);

/// `linear (r + sine) + constant (1 + cosine)`.
#[inline(always)]
fn combine(linear: Pair, constant: Pair, r: f64, sine: f64, cosine: f64) -> Pair {
    let high = linear.high.mul_add(r, constant.high);
    let low = linear.high.mul_add(r, constant.high - high) + linear.low.mul_add(r, constant.low);
    Pair { high, low: low + linear.high.mul_add(sine, constant.high * cosine) }
}

/// sinh and cosh of a non-negative number, both divided by 2^shift.
///
/// With x = n ln 2 + r and a, b = (2^n +- 2^-n) / 2: sinh x = a sinh r + b cosh r, cosh x = a cosh r + b sinh r.
#[inline(always)]
fn both(x: f64, shift: u64) -> (Pair, Pair) {
    let (n, r) = reduce(x);
    let z = r.high * r.high;
    let sine = (z * r.high).mul_add(polynomial(z, SINH), r.low);
    let cosine = z.mul_add(polynomial(z, COSH), r.high * r.low);
    let (grown, shrunk) = (power_of_two(n.wrapping_sub(1 + shift)), power_of_two(n.wrapping_neg().wrapping_sub(1)));
    // From here on 2^-n is nothing beside 2^n, and soon out of range.
    let shrunk = if x > 60.0 { 0.0 } else { shrunk };
    let (a, b) = (fast_sum(grown, shrunk), fast_sum(grown, -shrunk));
    (combine(a, b, r.high, sine, cosine), combine(b, a, r.high, sine, cosine))
}

/// Beyond this argument results are computed divided by [`HUGE`], so that the powers of two on the way are finite.
const LARGE: f64 = 600.0;
/// 2^16, and its exponent.
const HUGE: f64 = (1u64 << HUGE_SHIFT) as f64;
const HUGE_SHIFT: u64 = 16;

#[inline(always)]
fn clamp(x: f64, most: f64) -> f64 {
    if x > most { most } else { x }
}

/// sinh x.
#[inline(always)]
pub fn sinh(x: f64) -> f64 {
    let large = x.abs() > LARGE;
    let (sine, _) = both(clamp(x.abs(), 715.0), if large { HUGE_SHIFT } else { 0 });
    let size = (sine.high + sine.low) * if large { HUGE } else { 1.0 };
    size.copysign(x)
}

/// cosh x.
#[inline(always)]
pub fn cosh(x: f64) -> f64 {
    let large = x.abs() > LARGE;
    let (_, cosine) = both(clamp(x.abs(), 715.0), if large { HUGE_SHIFT } else { 0 });
    (cosine.high + cosine.low) * if large { HUGE } else { 1.0 }
}

/// tanh x.
#[inline(always)]
pub fn tanh(x: f64) -> f64 {
    let (sine, cosine) = both(clamp(x.abs(), 22.0), 0);
    let size = quotient(fast_sum(sine.high, sine.low), fast_sum(cosine.high, cosine.low));
    (size.high + size.low).copysign(x)
}

/// Whether [`asinh`] would overflow on the way.
#[inline(always)]
pub fn is_beyond_asinh(x: f64) -> bool {
    let inside = x.abs() < 1e150;
    !inside
}

/// asinh x = ln(1 + y), y = |x| + x^2 / (1 + sqrt(1 + x^2)).
#[inline(always)]
pub fn asinh(x: f64) -> f64 {
    let a = x.abs();
    let root = a.mul_add(a, 1.0).sqrt();
    let y = sum(a, a * (a / (1.0 + root)));
    let size = log1p_pair(y);
    let size = if a < 1e-150 { a } else { size };
    size.copysign(x)
}

/// Whether [`acosh`] would overflow on the way, or is not defined.
#[inline(always)]
pub fn is_beyond_acosh(x: f64) -> bool {
    let inside = (1.0..1e150).contains(&x);
    !inside
}

/// acosh x = ln(1 + t + sqrt(t (t + 2))), t = x - 1.
#[inline(always)]
pub fn acosh(x: f64) -> f64 {
    let t = x - 1.0;
    let square = t.mul_add(t, 2.0 * t);
    let lost = t.mul_add(t, 2.0 * t - square);
    let root = square.sqrt();
    let rest = (root.mul_add(-root, square) + lost) / (2.0 * root);
    let y = sum(root, t);
    let size = log1p_pair(Pair { high: y.high, low: y.low + rest });
    if t == 0.0 { 0.0 } else { size }
}

/// Whether [`atanh`] is infinite or not defined.
#[inline(always)]
pub fn is_beyond_atanh(x: f64) -> bool {
    let inside = x.abs() < 1.0;
    !inside
}

/// atanh x = ln(1 + y) / 2, y = 2 |x| / (1 - |x|).
#[inline(always)]
pub fn atanh(x: f64) -> f64 {
    let a = x.abs();
    let y = quotient(Pair { high: 2.0 * a, low: 0.0 }, fast_sum(1.0, -a));
    let y = fast_sum(y.high, y.low);
    let size = 0.5 * log1p_pair(y);
    let size = if a < 1e-150 { a } else { size };
    size.copysign(x)
}
