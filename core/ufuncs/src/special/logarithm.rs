//! Logarithms with some 20 digits, for exponents of large size: a plain logarithm leaves its rounding times the exponent in
//! the power. By log(m) = 2 artanh((m - 1) / (m + 1)) of the mantissa m, DLMF 4.6.6.

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

use super::approximation::{exp_of_two, polynomial};
use super::called::called;
use super::double_double::Double;

/// log(2) as two numbers, of which multiples of the first one by exponents are exact.
const LN_2: [f64; 2] = [0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10];
/// The bits of the least mantissa, sqrt(1 / 2).
const LEAST_MANTISSA: i128 = 0x3fe6_a09e_667f_3bcd;
/// Terms of the series after its first one.
const TERMS: u32 = 11;
/// Below this number is brought to the normal ones, by a power of 2.
const SMALL: f64 = 1e-290;
const SHIFT: i32 = 200;
/// Beyond this size the exponential of a number is 0 or infinite, and its parts do not count.
const LARGEST: f64 = 1e306;

impl<'b> Double<'b> {
    /// The product with a plain number, kept in range.
    pub(super) fn scaled(self, by: Var<'b>) -> Double<'b> {
        let (high, most) = (self.high * by, by.like(LARGEST));
        let low = by.builder().fma(self.high, by, -high) + self.low * by;
        Double { high: high.min(most).max(-most), low: low.when(high.abs().lt(most), by.like(0.0)) }
    }

    /// The logarithm of a positive number.
    pub(super) fn log(self) -> Double<'b> {
        let (high, low) = called!(log_of_parts(self.high, self.low));
        Double { high, low }
    }

    /// The logarithm of a power of a positive number.
    pub(super) fn log_power(self, exponent: Var<'b>) -> Double<'b> {
        let (high, low) = called!(log_of_power(self.high, self.low, exponent));
        Double { high, low }
    }

    /// The exponential as a plain number.
    pub(super) fn exp(self) -> Var<'b> {
        let known = self.low.abs().lt(self.low.like(1.0));
        exp_of_two(self.high, self.low.when(known, self.low.like(0.0)))
    }
}

/// x and y = 1 - x, of which the smaller one is exact, with all digits of the other one.
pub(super) fn exact_shares<'b>(x: Var<'b>, y: Var<'b>) -> (Double<'b>, Double<'b>) {
    let (less, one) = (x.le(y), x.like(1.0));
    let small = Double::new(x.when(less, y));
    let large = Double::sum(one, -small.high);
    (small.when(less, large), large.when(less, small))
}

/// `2 ** k` for a whole k in the range of exponents.
pub(super) fn power_of_two(k: Var<'_>) -> Var<'_> {
    let biased = k.cast(DType::I64) + k.cast(DType::I64).like_integer(1023);
    (biased << biased.like_integer(52)).bitcast(DType::F64)
}

/// A positive number's parts as those of a number of [0.7, 1.42] and the exponent of 2.
pub(super) fn mantissa<'b>(number: Double<'b>) -> (Double<'b>, Var<'b>) {
    let tiny = number.high.lt(number.high.like(SMALL));
    let up = number.high.like(2f64.powi(SHIFT)).when(tiny, number.high.like(1.0));
    let (high, low) = (number.high * up, number.low * up);
    let bits = high.bitcast(DType::I64);
    let places = bits.like_integer(52);
    let exponent = (bits - bits.like_integer(LEAST_MANTISSA)) >> places;
    let mantissa = (bits - (exponent << places)).bitcast(DType::F64);
    let exponent = exponent.cast(DType::F64);
    // In range: numbers from 1e-290 on have their inverses there.
    let low = low * power_of_two(-exponent);
    let shift = high.like(f64::from(SHIFT)).when(tiny, high.like(0.0));
    (Double { high: mantissa, low }, exponent - shift)
}

fn log_of_power<'b>(high: Var<'b>, low: Var<'b>, exponent: Var<'b>) -> (Var<'b>, Var<'b>) {
    let power = Double { high, low }.log().scaled(exponent);
    (power.high, power.low)
}

fn log_of_parts<'b>(high: Var<'b>, low: Var<'b>) -> (Var<'b>, Var<'b>) {
    let (builder, one) = (high.builder(), high.like(1.0));
    let (m, exponent) = mantissa(Double { high, low });
    let above = m.high - one;
    let below = Double::sum(m.high, one);
    let inverse = one / below.high;
    let s = above * inverse;
    let rest = builder.fma(-s, below.high, above) + (m.low - s * (below.low + m.low));
    let (rest, square) = (rest * inverse, s * s);
    let terms: Vec<f64> = (0..TERMS).map(|k| 1.0 / (2.0 * f64::from(k) + 3.0)).collect();
    let tail = builder.fma(s * square, polynomial(square, &terms), builder.fma(rest, square, rest));
    let (leading, twice) = (exponent * high.like(LN_2[0]), s + s);
    let sum = leading + twice;
    let low = (twice - (sum - leading)) + builder.fma(exponent, high.like(LN_2[1]), tail + tail);
    let whole = sum + low;
    // Of NaN and infinity too.
    (whole + high * high.like(0.0), low - (whole - sum))
}
