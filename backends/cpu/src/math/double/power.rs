//! Powers and roots.

use super::exponential::exp_pair;
use super::logarithm::{Parts, parts};
use super::{LN2_HIGH, LN2_LOW, Pair, fast_sum};
use crate::math::polynomials::{atanh_series, polynomial};

/// 2/5 + 2/7 z + ...
const SERIES: [f64; 10] = atanh_series(5);
/// 2/3.
const TWO_THIRDS: Pair = Pair { high: 2.0 / 3.0, low: f64::from_bits(0x3c85_5555_5555_5555) };
/// (1 + d)^(-1/3) for |d| < 0.1: a Chebyshev fit, off by 3e-9.
const INVERSE_CUBE_ROOT: [f64; 6] =
    [1.000000002, -0.3333332909, 0.2222173463, -0.1728615779, 0.1455019653, -0.1232012217];

/// x y to twice the digits.
#[inline(always)]
fn product(x: Pair, y: Pair) -> Pair {
    let high = x.high * y.high;
    Pair { high, low: x.high.mul_add(y.high, -high) + x.high.mul_add(y.low, x.low * y.high) }
}

/// ln x to 65 bits, for a normal x > 0.
#[inline(always)]
fn log_pair(x: f64) -> Pair {
    let Parts { k, f } = parts(x);
    let over = f;
    let under = fast_sum(2.0, f);
    let inverse = 1.0 / under.high;
    let high = over * inverse;
    let s = Pair { high, low: (high.mul_add(-under.high, over) - high * under.low) * inverse };
    // 2 atanh s = 2 s + s (2/3 s^2 + 2/5 s^4 + ...).
    let z = product(s, s);
    let cubic = product(z, TWO_THIRDS);
    let further = (z.high * z.high) * polynomial(z.high, SERIES);
    let factor = fast_sum(cubic.high, further);
    let beyond = product(s, Pair { high: factor.high, low: factor.low + cubic.low });
    let fraction = fast_sum(2.0 * s.high, beyond.high);
    let fraction_low = fraction.low + 2.0f64.mul_add(s.low, beyond.low);
    let leading = fast_sum(k * LN2_HIGH, fraction.high);
    fast_sum(leading.high, leading.low + k.mul_add(LN2_LOW, fraction_low))
}

/// Whether a power needs the rules for zeros, infinities, NaN and subnormal numbers.
#[inline(always)]
pub fn is_extreme_pow(x: f64, y: f64) -> bool {
    let ordinary = x.abs() >= f64::MIN_POSITIVE && x.abs() < f64::INFINITY && y.abs() < f64::INFINITY;
    !ordinary
}

/// x^y.
#[inline(always)]
pub fn pow(x: f64, y: f64) -> f64 {
    let log = log_pair(x.abs());
    let high = y * log.high;
    let low = y.mul_add(log.high, -high) + y * log.low;
    // An exponent beyond the range may have no rest.
    let size = exp_pair(Pair { high, low: if high.abs() < 800.0 { low } else { 0.0 } });
    with_sign(size, x, y)
}

/// The sign of x^y; NaN for a negative x and a fraction y.
#[inline(always)]
pub fn with_sign(size: f64, x: f64, y: f64) -> f64 {
    let integer = y.round_ties_even() == y;
    let half = 0.5 * y;
    let odd = half.round_ties_even() != half;
    let negative = if odd { -size } else { size };
    let negative = if integer { negative } else { f64::NAN };
    if x < 0.0 { negative } else { size }
}

/// Whether a cube root needs the rules for zeros, infinities and NaN, or the reciprocal of x is not normal.
#[inline(always)]
pub fn is_extreme_cbrt(x: f64) -> bool {
    let ordinary = x.abs() > 1e-300 && x.abs() < 1e300;
    !ordinary
}

/// The cube root of a normal x > 0 to 28 bits, and 1/x.
#[inline(always)]
pub fn cbrt_estimate(x: f64) -> (f64, f64) {
    /// 2^52: puts a 32-bit integer into the last bits of a number.
    const INTEGER: f64 = 4_503_599_627_370_496.0;
    /// Two thirds of the exponent's bias and what makes the error of the first guess symmetric, in upper words.
    const BIAS: f64 = 715_094_163.0;
    let word = f64::from_bits((x.to_bits() >> 32) | INTEGER.to_bits()) - INTEGER;
    let third = word.mul_add(1.0 / 3.0, BIAS) + INTEGER;
    let guess = f64::from_bits(third.to_bits() << 32);
    let inverse = 1.0 / x;
    let excess = (guess * guess * guess).mul_add(inverse, -1.0);
    (guess * polynomial(excess, INVERSE_CUBE_ROOT), inverse)
}

/// The cube root of x.
#[inline(always)]
pub fn cbrt(x: f64) -> f64 {
    let a = x.abs();
    let (root, inverse) = cbrt_estimate(a);
    let square = root * root;
    let excess = square.mul_add(root, -a) + root.mul_add(root, -square) * root;
    (excess * (root * inverse)).mul_add(-1.0 / 3.0, root).copysign(x)
}

/// Whether a square overflows, or one that counts is subnormal.
#[inline(always)]
pub fn is_extreme_hypot(x: f64, y: f64) -> bool {
    let most = if x.abs() > y.abs() { x.abs() } else { y.abs() };
    let ordinary = most > 1e-140 && most < 1e150 && x.abs() < f64::INFINITY && y.abs() < f64::INFINITY;
    !ordinary
}

/// sqrt(x^2 + y^2).
#[inline(always)]
pub fn hypot(x: f64, y: f64) -> f64 {
    let steep = y.abs() > x.abs();
    let (most, least) = if steep { (y, x) } else { (x, y) };
    let (square, small) = (most * most, least * least);
    let total = fast_sum(square, small);
    let low = total.low + (most.mul_add(most, -square) + least.mul_add(least, -small));
    let root = total.high.sqrt();
    let rest = root.mul_add(-root, total.high) + low;
    root + rest / (2.0 * root)
}
