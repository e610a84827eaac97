//! Functions of one float32, branch-free. Those that would need tricks for accuracy are computed in float64.

use std::f32::consts::LOG2_E;
use std::f64::consts::FRAC_2_PI;

use super::{atanh_series, polynomial, series, to_single};

/// Added to a number below 2^22, it rounds it to an integer and leaves that in the low bits.
const ROUND: f32 = 12_582_912.0;
/// The same for float64.
const ROUND_DOUBLE: f64 = 6_755_399_441_055_744.0;
/// ln 2 with the last bits zero, and the rest.
const LN2_HIGH: f32 = f32::from_bits(0x3f31_7200);
const LN2_LOW: f32 = f32::from_bits(0x35bf_be8e);

/// The series of (e^r - 1 - r) / r^2.
const EXP: [f32; 7] = to_single(series(2, 1, 1.0));
/// The series of 2 atanh from the second term on.
const ATANH: [f32; 6] = to_single(atanh_series());

/// 2^n for n in the normal range.
#[inline(always)]
fn power_of_two(n: u32) -> f32 {
    f32::from_bits(n.wrapping_add(127) << 23)
}

/// e^x.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    let clamped = if x > 90.0 { 90.0 } else { x };
    let clamped = if clamped < -110.0 { -110.0 } else { clamped };
    let shifted = clamped.mul_add(LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = n.mul_add(-LN2_LOW, n.mul_add(-LN2_HIGH, clamped));
    let sum = polynomial(r, EXP);
    let grown = (r * r).mul_add(sum, r);
    let n = shifted.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(1024);
    let half = (n >> 1).wrapping_sub(512);
    let rest = n.wrapping_sub(1024).wrapping_sub(half);
    let scale = power_of_two(half);
    scale.mul_add(grown, scale) * power_of_two(rest)
}

/// ln x.
#[inline(always)]
pub fn log(x: f32) -> f32 {
    /// The bits of sqrt(1/2), rounded down.
    const LOW: u32 = 0x3f35_0400;
    let subnormal = x < f32::MIN_POSITIVE;
    let normal = if subnormal { x * 33_554_432.0 } else { x };
    let moved = normal.to_bits().wrapping_add(0x3f80_0000 - LOW);
    let exponent = (moved >> 23) as i32 - 127;
    let k = exponent as f32 - if subnormal { 25.0 } else { 0.0 };
    let f = f32::from_bits((moved & 0x007f_ffff).wrapping_add(LOW)) - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let sum = polynomial(z, ATANH);
    let half = 0.5 * f * f;
    let rest = s.mul_add(half + z * sum, k * LN2_LOW);
    let result = k.mul_add(LN2_HIGH, f - (half - rest));
    let result = if x == f32::INFINITY { x } else { result };
    let result = if x == 0.0 { f32::NEG_INFINITY } else { result };
    if x >= 0.0 { result } else { f32::NAN }
}

/// Whether the reduction by pi/2 is not exact enough (or there is none).
#[inline(always)]
pub fn is_far(x: f32) -> bool {
    let near = x.abs() < 1_048_576.0;
    !near
}

/// sin and cos of r: (number of quadrants in the low bits, sin r, cos r).
#[inline(always)]
fn quadrant(x: f32) -> (u64, f64, f64) {
    const HALF_PI: f64 = std::f64::consts::FRAC_PI_2;
    /// What float64 does not hold of pi/2.
    const REST: f64 = f64::from_bits(0x3c91_a626_3314_5c07);
    let x = f64::from(x);
    let shifted = x.mul_add(FRAC_2_PI, ROUND_DOUBLE);
    let n = shifted - ROUND_DOUBLE;
    let r = n.mul_add(-REST, n.mul_add(-HALF_PI, x));
    let z = r * r;
    const SINE: [f64; 5] = series(3, 2, -1.0);
    const COSINE: [f64; 6] = series(2, 2, -1.0);
    let (sine, cosine) = (polynomial(z, SINE), polynomial(z, COSINE));
    (shifted.to_bits(), (-z * r).mul_add(sine, r), z.mul_add(-cosine, 1.0))
}

/// sin x for |x| < 2^20.
#[inline(always)]
pub fn sin(x: f32) -> f32 {
    let (n, sine, cosine) = quadrant(x);
    let magnitude = if n & 1 == 0 { sine } else { cosine };
    let signed = f64::from_bits(magnitude.to_bits() ^ (n & 2) << 62) as f32;
    if x == 0.0 { x } else { signed }
}

/// cos x for |x| < 2^20.
#[inline(always)]
pub fn cos(x: f32) -> f32 {
    let (n, sine, cosine) = quadrant(x);
    let magnitude = if n & 1 == 0 { cosine } else { sine };
    f64::from_bits(magnitude.to_bits() ^ (n.wrapping_add(1) & 2) << 62) as f32
}

/// tanh x.
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    let y = 2.0 * x.abs();
    let y = if y > 20.0 { 20.0 } else { y };
    let shifted = y.mul_add(LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = n.mul_add(-LN2_LOW, n.mul_add(-LN2_HIGH, y));
    let sum = polynomial(r, EXP);
    let scale = power_of_two(shifted.to_bits().wrapping_sub(ROUND.to_bits()));
    // t = e^y - 1 and d = t + 2, each with what rounding took, and one correction of t / d.
    let (p, base) = ((r * r).mul_add(sum, r), scale - 1.0);
    let t = scale.mul_add(p, base);
    let t_low = scale.mul_add(p, base - t);
    let d = t + 2.0;
    let d_low = t - (d - 2.0);
    let inverse = 1.0 / d;
    let q = t * inverse;
    let rest = q.mul_add(-d, t) + q.mul_add(-(d_low + t_low), t_low);
    rest.mul_add(inverse, q).copysign(x)
}
