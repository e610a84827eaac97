//! Functions of one float64, branch-free.

use std::f64::consts::{FRAC_2_PI, LOG2_E};

use super::{atanh_series, polynomial, series};

/// Added to a number below 2^51, it rounds it to an integer and leaves that in the low bits.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// ln 2 with the last 21 bits zero, and the rest.
const LN2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
const LN2_LOW: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);
/// pi/2 in three parts of 53 bits.
const HALF_PI: [f64; 3] = [
    f64::from_bits(0x3ff9_21fb_5444_2d18),
    f64::from_bits(0x3c91_a626_3314_5c07),
    f64::from_bits(0xb91f_1976_b7ed_8fbc),
];

/// The series of 2 atanh from the second term on.
const ATANH: [f64; 11] = atanh_series();

/// e^r - 1 for |r| <= ln 2 / 2.
#[inline(always)]
fn exp_reduced(r: f64) -> f64 {
    const TERMS: [f64; 12] = series(2, 1, 1.0);
    let sum = polynomial(r, TERMS);
    (r * r).mul_add(sum, r)
}

/// x as n ln 2 + r: (n as an integer in the low bits, r).
#[inline(always)]
fn reduce_exp(x: f64) -> (u64, f64) {
    let shifted = x.mul_add(LOG2_E, ROUND);
    let n = shifted - ROUND;
    (shifted.to_bits(), n.mul_add(-LN2_LOW, n.mul_add(-LN2_HIGH, x)))
}

/// 2^n for n in the normal range; only the low 11 bits of `n` and its sign count.
#[inline(always)]
fn power_of_two(n: u64) -> f64 {
    f64::from_bits(n.wrapping_add(1023) << 52)
}

/// e^x.
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    let clamped = if x > 720.0 { 720.0 } else { x };
    let clamped = if clamped < -760.0 { -760.0 } else { clamped };
    let (n, r) = reduce_exp(clamped);
    let n = n.wrapping_sub(ROUND.to_bits()).wrapping_add(4096);
    // The power is split in two, because 2^n itself may overflow or be subnormal.
    let half = (n >> 1).wrapping_sub(2048);
    let rest = n.wrapping_sub(4096).wrapping_sub(half);
    let scale = power_of_two(half);
    scale.mul_add(exp_reduced(r), scale) * power_of_two(rest)
}

/// ln x.
#[inline(always)]
pub fn log(x: f64) -> f64 {
    /// The bits of sqrt(1/2), rounded down.
    const LOW: u64 = 0x3fe6_a09e_0000_0000;
    const FRACTION: u64 = (1 << 52) - 1;
    let subnormal = x < f64::MIN_POSITIVE;
    let normal = if subnormal { x * 18_014_398_509_481_984.0 } else { x };
    let moved = normal.to_bits().wrapping_add(0x3ff0_0000_0000_0000 - LOW);
    let exponent = f64::from_bits((moved >> 52) | 0x4330_0000_0000_0000) - (4_503_599_627_370_496.0 + 1023.0);
    let k = exponent - if subnormal { 54.0 } else { 0.0 };
    let f = f64::from_bits((moved & FRACTION).wrapping_add(LOW)) - 1.0;
    // ln(1 + f) = 2 atanh(s), s = f / (2 + f), arranged so that f itself enters exactly.
    let s = f / (2.0 + f);
    let z = s * s;
    let sum = polynomial(z, ATANH);
    let half = 0.5 * f * f;
    let rest = s.mul_add(half + z * sum, k * LN2_LOW);
    let result = k.mul_add(LN2_HIGH, f - (half - rest));
    let result = if x == f64::INFINITY { x } else { result };
    let result = if x == 0.0 { f64::NEG_INFINITY } else { result };
    // Also for NaN, for which no comparison holds.
    if x >= 0.0 { result } else { f64::NAN }
}

/// Whether the reduction by pi/2 is not exact enough (or there is none).
#[inline(always)]
pub fn is_far(x: f64) -> bool {
    let near = x.abs() < 1_048_576.0;
    !near
}

/// sin and cos of r + quadrants: (number of quadrants in the low bits, sin r, cos r).
#[inline(always)]
fn quadrant(x: f64) -> (u64, f64, f64) {
    let shifted = x.mul_add(FRAC_2_PI, ROUND);
    let n = shifted - ROUND;
    let high = n.mul_add(-HALF_PI[0], x);
    let middle = n * HALF_PI[1];
    let r = high - middle;
    // What rounding took from the product and from r.
    let low = ((high - r) - middle) - n.mul_add(HALF_PI[1], -middle);
    let low = n.mul_add(-HALF_PI[2], low);
    let z = r * r;
    // sin r = r - r^3 (1/3! - r^2/5! + ...) and cos r = 1 - r^2/2 + r^4 (1/4! - r^2/6! + ...).
    const SINE: [f64; 8] = series(3, 2, -1.0);
    const COSINE: [f64; 8] = series(4, 2, -1.0);
    let (sine, cosine) = (polynomial(z, SINE), polynomial(z, COSINE));
    let half = 0.5 * z;
    let one = 1.0 - half;
    let sine = r + (-z * r).mul_add(sine, low * one);
    let lost = (1.0 - one) - half;
    let cosine = one + (z * z).mul_add(cosine, lost - r * low);
    (shifted.to_bits(), sine, cosine)
}

/// sin x for |x| < 2^20.
#[inline(always)]
pub fn sin(x: f64) -> f64 {
    let (n, sine, cosine) = quadrant(x);
    let magnitude = if n & 1 == 0 { sine } else { cosine };
    let signed = f64::from_bits(magnitude.to_bits() ^ (n & 2) << 62);
    if x == 0.0 { x } else { signed }
}

/// cos x for |x| < 2^20.
#[inline(always)]
pub fn cos(x: f64) -> f64 {
    let (n, sine, cosine) = quadrant(x);
    let magnitude = if n & 1 == 0 { cosine } else { sine };
    f64::from_bits(magnitude.to_bits() ^ (n.wrapping_add(1) & 2) << 62)
}

/// tanh x.
#[inline(always)]
pub fn tanh(x: f64) -> f64 {
    let y = 2.0 * x.abs();
    let y = if y > 44.0 { 44.0 } else { y };
    let (n, r) = reduce_exp(y);
    let scale = power_of_two(n.wrapping_sub(ROUND.to_bits()));
    // t = e^y - 1 and d = t + 2, each with what rounding took, and one correction of t / d.
    let (p, base) = (exp_reduced(r), scale - 1.0);
    let t = scale.mul_add(p, base);
    let t_low = scale.mul_add(p, base - t);
    let d = t + 2.0;
    let d_low = t - (d - 2.0);
    let inverse = 1.0 / d;
    let q = t * inverse;
    let rest = q.mul_add(-d, t) + q.mul_add(-(d_low + t_low), t_low);
    rest.mul_add(inverse, q).copysign(x)
}
