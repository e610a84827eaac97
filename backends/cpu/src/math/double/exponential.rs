//! Powers of e and 2.

use std::f64::consts::{LN_2, LOG2_E};

use super::{LN2_HIGH, LN2_LOW, Pair, ROUND, fast_sum};
use crate::math::polynomials::{polynomial, series};

/// What float64 does not hold of ln 2.
const LN_2_LOW: f64 = f64::from_bits(0x3c7a_bc9e_3b39_803f);
/// 1/3! + r/4! + r^2/5! + ..., enough for |r| <= ln 2 / 2, and for |r| <= 1/2.
const SERIES: [f64; 11] = series(3, 1, 1.0);
const LONG_SERIES: [f64; 13] = series(3, 1, 1.0);

/// x as n ln 2 + r with |r| <= ln 2 / 2: (n in two's complement, r). |n| < 2^20.
#[inline(always)]
pub fn reduce(x: f64) -> (u64, Pair) {
    let shifted = x.mul_add(LOG2_E, ROUND);
    let n = shifted - ROUND;
    let exact = n.mul_add(-LN2_HIGH, x);
    let high = n.mul_add(-LN2_LOW, exact);
    let low = n.mul_add(-LN2_LOW, exact - high);
    (shifted.to_bits().wrapping_sub(ROUND.to_bits()), Pair { high, low })
}

/// 2^n for n in the normal range.
#[inline(always)]
pub fn power_of_two(n: u64) -> f64 {
    f64::from_bits(n.wrapping_add(1023) << 52)
}

/// x 2^n for |n| < 2000; the power is split in two, because it may itself overflow or be subnormal.
#[inline(always)]
pub fn scale(x: f64, n: u64) -> f64 {
    let half = (n.wrapping_add(4096) >> 1).wrapping_sub(2048);
    x * power_of_two(half) * power_of_two(n.wrapping_sub(half))
}

/// e^r - 1 - r.
#[inline(always)]
fn beyond_linear<const N: usize>(r: Pair, series: [f64; N]) -> f64 {
    (r.high * r.high).mul_add(polynomial(r.high, series).mul_add(r.high, 0.5), r.low)
}

/// e^r.
#[inline(always)]
fn exp_reduced(r: Pair) -> f64 {
    let linear = fast_sum(1.0, r.high);
    linear.high + (linear.low + beyond_linear(r, SERIES))
}

#[inline(always)]
fn clamp(x: f64, least: f64, most: f64) -> f64 {
    let x = if x > most { most } else { x };
    if x < least { least } else { x }
}

/// e^x.
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    let (n, r) = reduce(clamp(x, -760.0, 720.0));
    scale(exp_reduced(r), n)
}

/// e^(high + low).
#[inline(always)]
pub fn exp_pair(x: Pair) -> f64 {
    let (n, r) = reduce(clamp(x.high, -760.0, 720.0));
    // The rest of x may be far above the last place of r.
    scale(exp_reduced(fast_sum(r.high, r.low + x.low)), n)
}

/// 2^x.
#[inline(always)]
pub fn exp2(x: f64) -> f64 {
    let x = clamp(x, -1100.0, 1030.0);
    let shifted = x + ROUND;
    let part = x - (shifted - ROUND);
    let high = part * LN_2;
    let low = part.mul_add(LN_2, -high) + part * LN_2_LOW;
    scale(exp_reduced(Pair { high, low }), shifted.to_bits().wrapping_sub(ROUND.to_bits()))
}

/// e^x - 1.
#[inline(always)]
pub fn expm1(x: f64) -> f64 {
    let (n, r) = reduce(clamp(x, -40.0, 710.0));
    // With n = 1 the leading terms would cancel here.
    let small = x.abs() < 0.5;
    let n = if small { 0 } else { n };
    let r = Pair { high: if small { x } else { r.high }, low: if small { 0.0 } else { r.low } };
    // Half of everything, so that the power of two does not overflow before the result does.
    let power = power_of_two(n.wrapping_sub(1));
    let constant = fast_sum(power, -0.5);
    let high = power.mul_add(r.high, constant.high);
    let low = power.mul_add(r.high, constant.high - high) + constant.low;
    let result = 2.0 * (high + power.mul_add(beyond_linear(r, LONG_SERIES), low));
    // Half of a subnormal number may not exist.
    if x.abs() < f64::EPSILON * f64::EPSILON { x } else { result }
}
