//! Functions of an angle.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

use super::{HALF_PI_LOW, Pair, ROUND, fast_sum, negate_if_bit_1, quotient, sum};
use crate::math::polynomials::{polynomial, series};

/// What [`FRAC_PI_2`] and [`HALF_PI_LOW`] do not hold of pi/2.
const HALF_PI_LAST: f64 = f64::from_bits(0xb91f_1976_b7ed_8fbc);

const SINE: [f64; 8] = series(3, 2, -1.0);
const COSINE: [f64; 8] = series(4, 2, -1.0);

/// Whether the reduction by pi/2 is not exact enough (or there is none).
#[inline(always)]
pub fn is_far(x: f64) -> bool {
    let near = x.abs() < 1_048_576.0;
    !near
}

/// An angle as a number of quadrants and the sine and cosine of what is left.
struct Angle {
    quadrants: u64,
    sine: Pair,
    cosine: Pair,
}

#[inline(always)]
fn angle(x: f64) -> Angle {
    let shifted = x.mul_add(FRAC_2_PI, ROUND);
    let n = shifted - ROUND;
    let exact = n.mul_add(-FRAC_PI_2, x);
    let middle = n * HALF_PI_LOW;
    let Pair { high: r, low } = sum(exact, -middle);
    let low = low - n.mul_add(HALF_PI_LOW, -middle);
    let low = n.mul_add(-HALF_PI_LAST, low);
    let z = r * r;
    // sin r = r - r^3 (1/3! - r^2/5! + ...) and cos r = 1 - r^2/2 + r^4 (1/4! - r^2/6! + ...).
    let half = 0.5 * z;
    let one = 1.0 - half;
    let lost = 0.5f64.mul_add(-r.mul_add(r, -z), (1.0 - one) - half);
    let sine = (-z * r).mul_add(polynomial(z, SINE), low * one);
    let cosine = (z * z).mul_add(polynomial(z, COSINE), r.mul_add(-low, lost));
    Angle { quadrants: shifted.to_bits(), sine: Pair { high: r, low: sine }, cosine: Pair { high: one, low: cosine } }
}

/// sin x.
#[inline(always)]
pub fn sin(x: f64) -> f64 {
    let Angle { quadrants, sine, cosine } = angle(x);
    let size = if quadrants & 1 == 0 { sine } else { cosine };
    let result = negate_if_bit_1(size.high + size.low, quadrants);
    if x == 0.0 { x } else { result }
}

/// cos x.
#[inline(always)]
pub fn cos(x: f64) -> f64 {
    let Angle { quadrants, sine, cosine } = angle(x);
    let size = if quadrants & 1 == 0 { cosine } else { sine };
    negate_if_bit_1(size.high + size.low, quadrants.wrapping_add(1))
}

/// tan x.
#[inline(always)]
pub fn tan(x: f64) -> f64 {
    let Angle { quadrants, sine, cosine } = angle(x);
    let sine = fast_sum(sine.high, sine.low);
    let cosine = fast_sum(cosine.high, cosine.low);
    let odd = quadrants & 1 != 0;
    let (over, under) = if odd { (cosine, sine) } else { (sine, cosine) };
    let size = quotient(over, under);
    let result = negate_if_bit_1(size.high + size.low, quadrants << 1);
    if x == 0.0 { x } else { result }
}
