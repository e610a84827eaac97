//! Functions of one float32, branch-free, computed in float64 with short series: where float64 is as exact as needed,
//! nothing cancels, overflows or is subnormal on the way, and the last rounding is the only one that counts.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, FRAC_PI_4, LN_2, LOG2_E, LOG10_2, PI, SQRT_2};

use super::double::{self, HALF_PI_LOW, LN2_HIGH, LN2_LOW, ROUND, negate_if_bit_1, power_of_two};
use super::polynomials::{atanh_series, polynomial, series};

/// 1 + r + r^2/2! + ...
const EXP: [f64; 9] = series(0, 1, 1.0);
/// 1/1! + r/2! + ...
const EXPM1: [f64; 9] = series(1, 1, 1.0);
/// 2 + 2/3 z + 2/5 z^2 + ...
const LOG: [f64; 7] = atanh_series(1);
/// 1/1! - z/3! + ...
const SINE: [f64; 6] = series(1, 2, -1.0);
/// 1 - z/2! + z^2/4! + ...
const COSINE: [f64; 6] = series(0, 2, -1.0);
/// 1/1! + z/3! + ...
const SINH: [f64; 4] = series(1, 2, 1.0);
/// 1 + z/2! + ...
const COSH: [f64; 5] = series(0, 2, 1.0);
/// (atan t / t - 1) / t^2 in powers of t^2, for |t| <= tan(pi/8): a Chebyshev fit, off by 5e-10.
const ATAN: [f64; 6] = [
    -0.3333333327922454,
    0.1999997724823353,
    -0.14284150629730288,
    0.11071354571201351,
    -0.08624598215196126,
    0.05047937432040091,
];
/// (asin s / s - 1) / s^2 in powers of s^2, for |s| <= 1/2: a Chebyshev fit, off by 3e-10.
const ASIN: [f64; 7] = [
    0.16666666686147094,
    0.07499992383419403,
    0.044647675217118564,
    0.030268919101073113,
    0.02361371422189475,
    0.01056694782140368,
    0.03098546039993495,
];

#[inline(always)]
fn clamp(x: f64, least: f64, most: f64) -> f64 {
    let x = if x > most { most } else { x };
    if x < least { least } else { x }
}

/// x as n ln 2 + r: (n in two's complement, r).
#[inline(always)]
fn reduce(x: f64) -> (u64, f64) {
    let shifted = x.mul_add(LOG2_E, ROUND);
    let n = shifted - ROUND;
    (shifted.to_bits().wrapping_sub(ROUND.to_bits()), n.mul_add(-LN2_LOW, n.mul_add(-LN2_HIGH, x)))
}

/// e^x for any x.
#[inline(always)]
fn exp_double(x: f64) -> f64 {
    let (n, r) = reduce(clamp(x, -120.0, 100.0));
    polynomial(r, EXP) * power_of_two(n)
}

/// Added to a float32 below 2^22, it rounds it to an integer and leaves that in the low bits.
const ROUND_SINGLE: f32 = 12_582_912.0;
/// 1/2! + r/3! + ..., enough for |r| <= ln 2 / 2.
const EXP_BEYOND: [f32; 6] = [0.5, 1.0 / 6.0, 1.0 / 24.0, 1.0 / 120.0, 1.0 / 720.0, 1.0 / 5040.0];
/// What float32 does not hold of ln 2, log2 e and log10 e.
const LN_2_REST: f32 = -1.904_654_3e-9;
const LOG2_E_REST: f32 = 1.925_963e-8;
const LOG10_E_REST: f32 = -1.010_305e-8;
/// log10 2 with the last twelve bits zero, and the rest.
const LOG10_2_HIGH: f32 = f32::from_bits(0x3e9a_2000);
const LOG10_2_REST: f32 = (LOG10_2 - LOG10_2_HIGH as f64) as f32;

/// The sum of `terms[k] * x^k` in float32.
#[inline(always)]
fn polynomial_single<const N: usize>(x: f32, terms: [f32; N]) -> f32 {
    let mut sum = terms[N - 1];
    for k in (0..N - 1).rev() {
        sum = sum.mul_add(x, terms[k]);
    }
    sum
}

#[inline(always)]
fn clamp_single(x: f32, least: f32, most: f32) -> f32 {
    let x = if x > most { most } else { x };
    if x < least { least } else { x }
}

/// e^(high + low) 2^n, the power split in two because it may itself overflow or be subnormal.
#[inline(always)]
fn exp_scaled(high: f32, low: f32, n: i32) -> f32 {
    let beyond = (high * high).mul_add(polynomial_single(high, EXP_BEYOND), low);
    let half = n >> 1;
    let power = |n: i32| f32::from_bits(((n + 127) << 23) as u32);
    (1.0 + (high + beyond)) * power(half) * power(n - half)
}

/// e^x, in float32 throughout.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    use std::f32::consts::{LN_2, LOG2_E};
    let x = clamp_single(x, -110.0, 90.0);
    let shifted = x.mul_add(LOG2_E, ROUND_SINGLE);
    let n = shifted - ROUND_SINGLE;
    let exact = n.mul_add(-LN_2, x);
    let r = n.mul_add(-LN_2_REST, exact);
    let low = n.mul_add(-LN_2_REST, exact - r);
    exp_scaled(r, low, shifted.to_bits().wrapping_sub(ROUND_SINGLE.to_bits()) as i32)
}

/// 2^x, in float32 throughout.
#[inline(always)]
pub fn exp2(x: f32) -> f32 {
    use std::f32::consts::LN_2;
    let x = clamp_single(x, -155.0, 130.0);
    let shifted = x + ROUND_SINGLE;
    let part = x - (shifted - ROUND_SINGLE);
    let high = part * LN_2;
    let low = part.mul_add(LN_2, -high) + part * LN_2_REST;
    exp_scaled(high, low, shifted.to_bits().wrapping_sub(ROUND_SINGLE.to_bits()) as i32)
}

/// e^x - 1.
#[inline(always)]
pub fn expm1(x: f32) -> f32 {
    let (n, r) = reduce(clamp(x.into(), -120.0, 100.0));
    let power = power_of_two(n);
    let result = power.mul_add(r * polynomial(r, EXPM1), power - 1.0) as f32;
    if x == 0.0 { x } else { result }
}

/// A positive normal number as 2^k and a number whose logarithm is the second result.
#[inline(always)]
fn log_parts(x: f64) -> (f64, f64) {
    let double::Parts { k, f } = double::parts(x);
    let s = f / (2.0 + f);
    (k, s * polynomial(s * s, LOG))
}

/// ln(1 + f) = f - f^2/2 + f^3 (...) between the square roots of 1/2 and 2: a Chebyshev fit, off by 3e-9.
const LOG_BEYOND: [f32; 9] = [
    0.333_333_3,
    -2.499_999_9e-1,
    2.000_071_5e-1,
    -1.666_805_8e-1,
    1.424_932_3e-1,
    -1.242_014_1e-1,
    1.167_699_9e-1,
    -1.151_461e-1,
    7.037_683_6e-2,
];

/// A positive number as 2^k (1 + f), and what ln(1 + f) is beyond f, in float32 throughout.
#[inline(always)]
fn log_parts_single(x: f32) -> (f32, f32, f32) {
    /// The bits of sqrt(1/2).
    const LOW: u32 = 0x3f35_04f3;
    const FRACTION: u32 = (1 << 23) - 1;
    let subnormal = x < f32::MIN_POSITIVE;
    let normal = if subnormal { x * 8_388_608.0 } else { x };
    let moved = normal.to_bits().wrapping_add(0x3f80_0000 - LOW);
    let k = (moved >> 23) as i32 - if subnormal { 127 + 23 } else { 127 };
    let f = f32::from_bits((moved & FRACTION).wrapping_add(LOW)) - 1.0;
    let square = f * f;
    (k as f32, f, (square * f).mul_add(polynomial_single(f, LOG_BEYOND), -0.5 * square))
}

#[inline(always)]
fn with_limits(x: f32, result: f32) -> f32 {
    let result = if x == f32::INFINITY { f32::INFINITY } else { result };
    let result = if x == 0.0 { f32::NEG_INFINITY } else { result };
    // Also for NaN, for which no comparison holds.
    if x >= 0.0 { result } else { f32::NAN }
}

/// a + b + rest, where |a| >= |b| or a = 0.
#[inline(always)]
fn add_three(a: f32, b: f32, rest: f32) -> f32 {
    let sum = a + b;
    sum + (((a - sum) + b) + rest)
}

/// k by + (f + beyond) factor, each constant given with its rest.
#[inline(always)]
fn log_scaled(x: f32, by: (f32, f32), factor: (f32, f32)) -> f32 {
    let (k, f, beyond) = log_parts_single(x);
    let high = f + beyond;
    let low = (f - high) + beyond;
    let product = high * factor.0;
    let rest = high.mul_add(factor.0, -product) + high.mul_add(factor.1, low * factor.0);
    with_limits(x, add_three(k * by.0, product, k.mul_add(by.1, rest)))
}

/// ln x, in float32 throughout.
#[inline(always)]
pub fn log(x: f32) -> f32 {
    /// ln 2 with the last bits zero, and the rest.
    const HIGH: f32 = 0.693_359_4;
    const LOW: f32 = -2.121_944_4e-4;
    let (k, f, beyond) = log_parts_single(x);
    with_limits(x, add_three(k * HIGH, f, k.mul_add(LOW, beyond)))
}

/// The logarithm of x to the base 2, in float32 throughout.
#[inline(always)]
pub fn log2(x: f32) -> f32 {
    log_scaled(x, (1.0, 0.0), (std::f32::consts::LOG2_E, LOG2_E_REST))
}

/// The logarithm of x to the base 10, in float32 throughout.
#[inline(always)]
pub fn log10(x: f32) -> f32 {
    log_scaled(x, (LOG10_2_HIGH, LOG10_2_REST), (std::f32::consts::LOG10_E, LOG10_E_REST))
}

/// ln(1 + x) for a non-negative x, or one above -1 that is a float32.
#[inline(always)]
fn log1p_double(x: f64) -> f64 {
    let near = 1.0 + x;
    let double::Parts { k, f } = double::parts(near);
    // 1 + x is exact unless x is so small that k is 0.
    let f = if k == 0.0 { x } else { f };
    let s = f / (2.0 + f);
    k.mul_add(LN_2, s * polynomial(s * s, LOG))
}

/// ln(1 + x).
#[inline(always)]
pub fn log1p(x: f32) -> f32 {
    let result = log1p_double(x.into()) as f32;
    let result = if x == f32::INFINITY || x == 0.0 { x } else { result };
    let result = if x == -1.0 { f32::NEG_INFINITY } else { result };
    if x >= -1.0 { result } else { f32::NAN }
}

/// Whether the reduction by pi/2 is not exact enough (or there is none).
#[inline(always)]
pub fn is_far(x: f32) -> bool {
    let near = x.abs() < 268_435_456.0;
    !near
}

/// (number of quadrants in the low bits, sine and cosine of what is left)
#[inline(always)]
fn angle(x: f64) -> (u64, f64, f64) {
    let shifted = x.mul_add(FRAC_2_PI, ROUND);
    let n = shifted - ROUND;
    let r = n.mul_add(-HALF_PI_LOW, n.mul_add(-FRAC_PI_2, x));
    let z = r * r;
    (shifted.to_bits(), r * polynomial(z, SINE), polynomial(z, COSINE))
}

/// sin x.
#[inline(always)]
pub fn sin(x: f32) -> f32 {
    let (quadrants, sine, cosine) = angle(x.into());
    let size = if quadrants & 1 == 0 { sine } else { cosine };
    let result = negate_if_bit_1(size, quadrants) as f32;
    if x == 0.0 { x } else { result }
}

/// cos x.
#[inline(always)]
pub fn cos(x: f32) -> f32 {
    let (quadrants, sine, cosine) = angle(x.into());
    let size = if quadrants & 1 == 0 { cosine } else { sine };
    negate_if_bit_1(size, quadrants.wrapping_add(1)) as f32
}

/// tan x.
#[inline(always)]
pub fn tan(x: f32) -> f32 {
    let (quadrants, sine, cosine) = angle(x.into());
    let odd = quadrants & 1 != 0;
    let (over, under) = if odd { (-cosine, sine) } else { (sine, cosine) };
    let result = (over / under) as f32;
    if x == 0.0 { x } else { result }
}

/// sinh and cosh of 0 <= x < 110.
#[inline(always)]
fn both(x: f64) -> (f64, f64) {
    let (n, r) = reduce(x);
    let z = r * r;
    let (sine, cosine) = (r * polynomial(z, SINH), polynomial(z, COSH));
    let (grown, shrunk) = (power_of_two(n.wrapping_sub(1)), power_of_two(n.wrapping_neg().wrapping_sub(1)));
    let (a, b) = (grown + shrunk, grown - shrunk);
    (a.mul_add(sine, b * cosine), a.mul_add(cosine, b * sine))
}

/// sinh x.
#[inline(always)]
pub fn sinh(x: f32) -> f32 {
    (both(clamp(x.abs().into(), 0.0, 100.0)).0 as f32).copysign(x)
}

/// cosh x.
#[inline(always)]
pub fn cosh(x: f32) -> f32 {
    both(clamp(x.abs().into(), 0.0, 100.0)).1 as f32
}

/// tanh x.
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    let (sine, cosine) = both(clamp(x.abs().into(), 0.0, 12.0));
    ((sine / cosine) as f32).copysign(x)
}

/// asinh x = ln(1 + y), y = |x| + x^2 / (1 + sqrt(1 + x^2)).
#[inline(always)]
pub fn asinh(x: f32) -> f32 {
    let a = f64::from(x.abs());
    let root = a.mul_add(a, 1.0).sqrt();
    let result = log1p_double(a + a * a / (1.0 + root)) as f32;
    let result = if a < f64::INFINITY { result } else { x };
    result.copysign(x)
}

/// acosh x = ln(1 + t + sqrt(t (t + 2))), t = x - 1.
#[inline(always)]
pub fn acosh(x: f32) -> f32 {
    let t = f64::from(x) - 1.0;
    let result = log1p_double(t + t.mul_add(t, 2.0 * t).sqrt()) as f32;
    let result = if x == f32::INFINITY { x } else { result };
    if x >= 1.0 { result } else { f32::NAN }
}

/// atanh x = ln(1 + y) / 2, y = 2 |x| / (1 - |x|).
#[inline(always)]
pub fn atanh(x: f32) -> f32 {
    let a = f64::from(x.abs());
    let result = (0.5 * log1p_double(2.0 * a / (1.0 - a))) as f32;
    let result = if a == 1.0 { f32::INFINITY } else { result };
    let result = if a <= 1.0 { result } else { f32::NAN };
    result.copysign(x)
}

/// The angle of the point (width, height) with both coordinates non-negative, mirrored to the left if `left`.
#[inline(always)]
fn angle_of(height: f64, width: f64, left: bool) -> f64 {
    let flat = height <= (SQRT_2 - 1.0) * width;
    let steep = width < (SQRT_2 - 1.0) * height;
    let over = if flat { height } else { height - width };
    let over = if steep { -width } else { over };
    let under = if flat { width } else { height + width };
    let under = if steep { height } else { under };
    let eighths: f64 = if flat { 0.0 } else { 1.0 };
    let eighths = if steep { 2.0 } else { eighths };
    let t = over / under;
    let z = t * t;
    let angle = (z * t).mul_add(polynomial(z, ATAN), t);
    let angle = if left { -angle } else { angle };
    let eighths = if left { 4.0 - eighths } else { eighths };
    eighths.mul_add(FRAC_PI_4, angle)
}

/// atan x.
#[inline(always)]
pub fn atan(x: f32) -> f32 {
    (angle_of(clamp(x.abs().into(), 0.0, 1e30), 1.0, false) as f32).copysign(x)
}

/// Whether [`atan2`] needs the rules for zeros, infinities and NaN.
#[inline(always)]
pub fn is_extreme_atan2(y: f32, x: f32) -> bool {
    let ordinary = (x != 0.0 || y != 0.0) && x.abs() < f32::INFINITY && y.abs() < f32::INFINITY;
    !ordinary
}

/// The angle of the point (x, y).
#[inline(always)]
pub fn atan2(y: f32, x: f32) -> f32 {
    let (height, width) = (f64::from(y.abs()), f64::from(x.abs()));
    (angle_of(height, width, x.is_sign_negative()) as f32).copysign(y)
}

/// For |x| <= 1/2 (x, asin |x|), else the angle s for which asin |x| = pi/2 - 2 s.
#[inline(always)]
fn arc(a: f64) -> f64 {
    let near = a <= 0.5;
    let half = 0.5f64.mul_add(-a, 0.5);
    let square = if near { a * a } else { half };
    let s = if near { a } else { half.sqrt() };
    (s * square).mul_add(polynomial(square, ASIN), s)
}

/// asin x; NaN beyond 1.
#[inline(always)]
pub fn asin(x: f32) -> f32 {
    let a = f64::from(x.abs());
    let angle = arc(a);
    let size = if a <= 0.5 { angle } else { angle.mul_add(-2.0, FRAC_PI_2) };
    (size as f32).copysign(x)
}

/// acos x; NaN beyond 1.
#[inline(always)]
pub fn acos(x: f32) -> f32 {
    let x = f64::from(x);
    let angle = arc(x.abs());
    let near = FRAC_PI_2 - angle.copysign(x);
    let far = if x < 0.0 { angle.mul_add(-2.0, PI) } else { 2.0 * angle };
    (if x.abs() <= 0.5 { near } else { far }) as f32
}

/// Whether a power needs the rules for zeros, infinities and NaN.
#[inline(always)]
pub fn is_extreme_pow(x: f32, y: f32) -> bool {
    let ordinary = x != 0.0 && x.abs() < f32::INFINITY && y.abs() < f32::INFINITY;
    !ordinary
}

/// x^y.
#[inline(always)]
pub fn pow(x: f32, y: f32) -> f32 {
    let (x, y) = (f64::from(x), f64::from(y));
    let (k, rest) = log_parts(x.abs());
    double::with_sign(exp_double(y * k.mul_add(LN_2, rest)), x, y) as f32
}

/// Whether a cube root needs the rules for zeros, infinities and NaN.
#[inline(always)]
pub fn is_extreme_cbrt(x: f32) -> bool {
    let ordinary = x != 0.0 && x.abs() < f32::INFINITY;
    !ordinary
}

/// The cube root of x.
#[inline(always)]
pub fn cbrt(x: f32) -> f32 {
    (double::cbrt_estimate(x.abs().into()).0 as f32).copysign(x)
}

/// Whether hypot needs the rules for infinities and NaN.
#[inline(always)]
pub fn is_extreme_hypot(x: f32, y: f32) -> bool {
    let ordinary = x.abs() < f32::INFINITY && y.abs() < f32::INFINITY;
    !ordinary
}

/// sqrt(x^2 + y^2).
#[inline(always)]
pub fn hypot(x: f32, y: f32) -> f32 {
    let (x, y) = (f64::from(x), f64::from(y));
    x.mul_add(x, y * y).sqrt() as f32
}
