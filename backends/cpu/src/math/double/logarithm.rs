//! Logarithms.

use super::{LN2_HIGH, LN2_LOW, Pair, fast_sum};
use crate::math::polynomials::{atanh_series, polynomial};

/// 1/ln 2, 1/ln 10 and log10 2: the nearest number (the last with zeros at its end) and the rest.
const LOG2_E: Pair = Pair { high: std::f64::consts::LOG2_E, low: f64::from_bits(0x3c77_77d0_ffda_0d24) };
const LOG10_E: Pair = Pair { high: std::f64::consts::LOG10_E, low: f64::from_bits(0x3c69_5355_baaa_fad3) };
const LOG10_2: Pair = Pair { high: f64::from_bits(0x3fd3_4413_5080_0000), low: f64::from_bits(0x3ddf_79fe_f311_f12b) };

/// 2/3 + 2/5 z + ...
const SERIES: [f64; 10] = atanh_series(3);

/// A positive number as 2^k (1 + f), with 1 + f between the square roots of 1/2 and 2.
pub struct Parts {
    pub k: f64,
    pub f: f64,
}

/// Takes a normal number apart.
#[inline(always)]
pub fn parts(x: f64) -> Parts {
    /// The bits of sqrt(1/2), rounded down.
    const LOW: u64 = 0x3fe6_a09e_0000_0000;
    const FRACTION: u64 = (1 << 52) - 1;
    let moved = x.to_bits().wrapping_add(0x3ff0_0000_0000_0000 - LOW);
    // The exponent as a number: put into the last bits of 2^52.
    let k = f64::from_bits((moved >> 52) | 0x4330_0000_0000_0000) - (4_503_599_627_370_496.0 + 1023.0);
    Parts { k, f: f64::from_bits((moved & FRACTION).wrapping_add(LOW)) - 1.0 }
}

/// Takes any positive number apart.
#[inline(always)]
fn parts_of_any(x: f64) -> Parts {
    let subnormal = x < f64::MIN_POSITIVE;
    let Parts { k, f } = parts(if subnormal { x * 18_014_398_509_481_984.0 } else { x });
    Parts { k: if subnormal { k - 54.0 } else { k }, f }
}

/// ln(1 + f) between the square roots of 1/2 and 2.
///
/// With s = f / (2 + f) it is 2 atanh s = f - f^2/2 + s (f^2/2 + 2 (s^2/3 + s^4/5 + ...)).
#[inline(always)]
fn log_near_one(f: f64) -> Pair {
    let s = f / (2.0 + f);
    let z = s * s;
    let half = 0.5 * f * f;
    let lost = (0.5 * f).mul_add(f, -half);
    let leading = fast_sum(f, -half);
    Pair { high: leading.high, low: (leading.low - lost) + s * z.mul_add(polynomial(z, SERIES), half) }
}

/// The values at and beyond the ends of the domain.
#[inline(always)]
fn with_limits(x: f64, result: f64) -> f64 {
    let result = if x == f64::INFINITY { x } else { result };
    let result = if x == 0.0 { f64::NEG_INFINITY } else { result };
    // Also for NaN, for which no comparison holds.
    if x >= 0.0 { result } else { f64::NAN }
}

/// k ln 2 + y.
#[inline(always)]
fn add_exponent(k: f64, y: Pair) -> f64 {
    let leading = fast_sum(k * LN2_HIGH, y.high);
    leading.high + (leading.low + k.mul_add(LN2_LOW, y.low))
}

/// y times a constant.
#[inline(always)]
fn product(y: Pair, by: Pair) -> Pair {
    let high = y.high * by.high;
    Pair { high, low: y.high.mul_add(by.high, -high) + y.high.mul_add(by.low, y.low * by.high) }
}

/// ln x.
#[inline(always)]
pub fn log(x: f64) -> f64 {
    let Parts { k, f } = parts_of_any(x);
    with_limits(x, add_exponent(k, log_near_one(f)))
}

/// The logarithm of x to the base 2.
#[inline(always)]
pub fn log2(x: f64) -> f64 {
    let Parts { k, f } = parts_of_any(x);
    let fraction = product(log_near_one(f), LOG2_E);
    let leading = fast_sum(k, fraction.high);
    with_limits(x, leading.high + (leading.low + fraction.low))
}

/// The logarithm of x to the base 10.
#[inline(always)]
pub fn log10(x: f64) -> f64 {
    let Parts { k, f } = parts_of_any(x);
    let fraction = product(log_near_one(f), LOG10_E);
    let leading = fast_sum(k * LOG10_2.high, fraction.high);
    with_limits(x, leading.high + (leading.low + k.mul_add(LOG10_2.low, fraction.low)))
}

/// ln(1 + x).
#[inline(always)]
pub fn log1p(x: f64) -> f64 {
    let result = log1p_pair(Pair { high: x, low: 0.0 });
    let result = if x == f64::INFINITY || x == 0.0 { x } else { result };
    let result = if x == -1.0 { f64::NEG_INFINITY } else { result };
    if x >= -1.0 { result } else { f64::NAN }
}

/// ln(1 + high + low) for high > -1.
#[inline(always)]
pub fn log1p_pair(x: Pair) -> f64 {
    let near = 1.0 + x.high;
    let Parts { k, f } = parts(near);
    // What rounding took from 1 + x.
    let part = near - x.high;
    let lost = (1.0 - part) + (x.high - (near - part));
    let exact = k == 0.0;
    let f = if exact { x.high } else { f };
    let lost = if exact { x.low } else { lost + x.low };
    let Pair { high, low } = log_near_one(f);
    add_exponent(k, Pair { high, low: low + lost / near })
}
