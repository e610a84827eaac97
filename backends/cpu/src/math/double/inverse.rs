//! Angles from their sines, cosines and tangents.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use super::{HALF_PI_LOW, Pair, fast_sum, sum};
use crate::math::polynomials::polynomial;

/// (atan t / t - 1) / t^2 in powers of t^2, for |t| <= tan(pi/8): a Chebyshev fit, off by 4e-20.
const ATAN: [f64; 13] = [
    -0.3333333333333333,
    0.19999999999999993,
    -0.14285714285711515,
    0.11111111110754406,
    -0.0909090906699066,
    0.07692306735321475,
    -0.06666642004996545,
    0.05881925033877732,
    -0.052580394289794816,
    0.04719381457895137,
    -0.04104381417807643,
    0.03063443323901452,
    -0.013916943217800841,
];
/// (asin s / s - 1) / s^2 in powers of s^2, for |s| <= 1/2: a Chebyshev fit, off by 1e-18.
const ASIN: [f64; 14] = [
    0.16666666666666666,
    0.07500000000000119,
    0.04464285714255019,
    0.030381944475693704,
    0.022372157435623815,
    0.017352816768546473,
    0.013963775787848137,
    0.011566511821890942,
    0.00962140274734483,
    0.009322101501082774,
    0.0030350071727267623,
    0.019579201619744684,
    -0.019277545928584557,
    0.02963502626354855,
];
/// tan(pi/8).
const TAN_EIGHTH: f64 = std::f64::consts::SQRT_2 - 1.0;

/// The angle of the point (width, height) with both coordinates non-negative, mirrored to the left if `left`.
///
/// It is measured from the nearest of the axes and the diagonal, and so never beyond pi/8.
#[inline(always)]
fn angle_of(height: f64, width: f64, left: bool) -> f64 {
    let flat = height <= TAN_EIGHTH * width;
    let steep = width < TAN_EIGHTH * height;
    let (difference, total) = (sum(height, -width), sum(height, width));
    let over = if flat { height } else { difference.high };
    let over = if steep { -width } else { over };
    let under = if flat { width } else { total.high };
    let under = if steep { height } else { under };
    let near_axis = flat | steep;
    let over_low = if near_axis { 0.0 } else { difference.low };
    let under_low = if near_axis { 0.0 } else { total.low };
    let eighths: f64 = if flat { 0.0 } else { 1.0 };
    let eighths = if steep { 2.0 } else { eighths };
    let t = over / under;
    let rest = (t.mul_add(-under, over) + t.mul_add(-under_low, over_low)) / under;
    let z = t * t;
    let beyond = (z * t).mul_add(polynomial(z, ATAN), rest);
    let t = if left { -t } else { t };
    let beyond = if left { -beyond } else { beyond };
    let eighths = if left { 4.0 - eighths } else { eighths };
    let base = eighths * FRAC_PI_4;
    let base_low = eighths.mul_add(FRAC_PI_4, -base) + eighths * (0.5 * HALF_PI_LOW);
    let leading = fast_sum(base, t);
    leading.high + (leading.low + (beyond + base_low))
}

/// high + low - angle.
#[inline(always)]
fn from(high: f64, low: f64, angle: Pair) -> Pair {
    let leading = fast_sum(high, -angle.high);
    Pair { high: leading.high, low: leading.low + (low - angle.low) }
}

/// atan x.
#[inline(always)]
pub fn atan(x: f64) -> f64 {
    let a = x.abs();
    // Beyond 2^60 the angle is pi/2 in float64.
    let a = if a > 1_152_921_504_606_846_976.0 { 1_152_921_504_606_846_976.0 } else { a };
    angle_of(a, 1.0, false).copysign(x)
}

/// Whether [`atan2`] would lose digits at the ends of the range of exponents.
#[inline(always)]
pub fn is_extreme_atan2(y: f64, x: f64) -> bool {
    let most = if x.abs() > y.abs() { x.abs() } else { y.abs() };
    let least = if x.abs() > y.abs() { y.abs() } else { x.abs() };
    let ordinary = most > 1e-150 && most < 1e150 && (least > 1e-300 || least == 0.0);
    !ordinary
}

/// The angle of the point (x, y).
#[inline(always)]
pub fn atan2(y: f64, x: f64) -> f64 {
    angle_of(y.abs(), x.abs(), x.is_sign_negative()).copysign(y)
}

/// asin s - s, for |s| <= 1/2.
#[inline(always)]
fn beyond_linear(s: f64, square: f64) -> f64 {
    s * square * polynomial(square, ASIN)
}

/// s with s^2 = (1 - a) / 2, for which asin a = pi/2 - 2 asin s.
#[inline(always)]
fn half_angle(a: f64) -> (Pair, f64) {
    let square = 0.5f64.mul_add(-a, 0.5);
    let high = square.sqrt();
    let low = high.mul_add(-high, square) / (2.0 * high);
    (Pair { high, low: if square == 0.0 { 0.0 } else { low } }, square)
}

/// asin x; NaN beyond 1.
#[inline(always)]
pub fn asin(x: f64) -> f64 {
    let a = x.abs();
    let near = a <= 0.5;
    let (s, square) = half_angle(a);
    let s = if near { Pair { high: a, low: 0.0 } } else { s };
    let square = if near { a * a } else { square };
    let angle = Pair { high: s.high, low: s.low + beyond_linear(s.high, square) };
    let far = from(FRAC_PI_2, HALF_PI_LOW, Pair { high: 2.0 * angle.high, low: 2.0 * angle.low });
    let angle = if near { angle } else { far };
    (angle.high + angle.low).copysign(x)
}

/// acos x; NaN beyond 1.
#[inline(always)]
pub fn acos(x: f64) -> f64 {
    let a = x.abs();
    let near = a <= 0.5;
    let (s, square) = half_angle(a);
    let s = if near { Pair { high: x, low: 0.0 } } else { s };
    let square = if near { a * a } else { square };
    let angle = Pair { high: s.high, low: s.low + beyond_linear(s.high, square) };
    let middle = from(FRAC_PI_2, HALF_PI_LOW, angle);
    let right = Pair { high: 2.0 * angle.high, low: 2.0 * angle.low };
    let left = from(PI, 2.0 * HALF_PI_LOW, right);
    let far = if x < 0.0 { left } else { right };
    let angle = if near { middle } else { far };
    angle.high + angle.low
}
