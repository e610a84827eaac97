//! Elementary functions of basic and fused operations only, so that every device rounds them alike. Least maximum fits of the
//! relative error, a few hundredths of a unit in the last place of float64, or series with enough terms. Those for float32 are
//! in [`single`](super::single).

use std::array::from_fn;
use std::f64::consts::{FRAC_PI_2, LN_2, LOG2_E, PI, SQRT_2, TAU};

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

/// (2 atanh(s) / s - 2) / s^2 in s^2, for the s of numbers from half of `SQRT_2` to that.
const LOGARITHM: [f64; 7] = [
    0.666_666_666_666_673_4,
    0.399_999_999_994_146_8,
    0.285_714_287_423_886_66,
    0.222_221_985_729_530_78,
    0.181_835_643_418_257_34,
    0.153_140_500_926_839_03,
    0.147_959_546_750_148_8,
];
/// (exp(r) - 1 - r) / r^2 up to half of `LN_2`.
const EXPONENTIAL: [f64; 10] = [
    0.500_000_000_000_001_1,
    0.166_666_666_666_664_13,
    0.041_666_666_666_530_16,
    0.008_333_333_333_494_465,
    0.001_388_888_894_362_894_5,
    0.000_198_412_695_065_657_1,
    2.480_149_310_007_098e-5,
    2.755_758_638_843_295e-6,
    2.763_024_799_015_508_5e-7,
    2.500_005_670_816_052_3e-8,
];
/// (sin(x) / x - 1) / x^2 and (cos(x) - 1 + x^2 / 2) / x^4 in x^2, up to an eighth of a turn.
const SINE: [f64; 6] = [
    -0.166_666_666_666_666_32,
    0.008_333_333_333_322_425,
    -0.000_198_412_698_298_170_07,
    2.755_731_369_524_98e-6,
    -2.505_075_865_710_014e-8,
    1.589_682_814_511_283_6e-10,
];
const COSINE: [f64; 6] = [
    0.041_666_666_666_666_6,
    -0.001_388_888_888_887_414,
    2.480_158_728_949_200_3e-5,
    -2.755_731_435_529_158e-7,
    2.087_572_369_097_312_3e-9,
    -1.135_967_019_038_158e-11,
];

/// The sum of `coefficients[k] * x^k`.
fn polynomial<'b>(x: Var<'b>, coefficients: &[f64]) -> Var<'b> {
    let (last, others) = coefficients.split_last().expect("a polynomial has coefficients");
    others.iter().rev().fold(x.like(*last), |sum, &term| x.builder().fma(sum, x, x.like(term)))
}

/// ln 2 as a sum whose first part has few bits, so that multiples of it are exact.
fn ln2_parts() -> (f64, f64) {
    let high = f64::from_bits(LN_2.to_bits() & u64::MAX << 20);
    // The tail of ln 2 beyond float64.
    (high, (LN_2 - high) + 2.319_046_813_846_3e-17)
}

/// Bits of the mantissa.
const MANTISSA: i128 = 52;

/// A positive normal number as `m` times a power of two, with `m` from half of `SQRT_2` to that; and the exponent.
fn parts(x: Var<'_>) -> (Var<'_>, Var<'_>) {
    let bits = |number: f64| x.bitcast(DType::U64).like_integer(number.to_bits().into());
    // The least m.
    let least = f64::from_bits(SQRT_2.to_bits() + 1) * 0.5;
    let raw = x.bitcast(DType::U64) + bits(1.0) - bits(least);
    let m = ((raw & raw.like_integer((1 << MANTISSA) - 1)) + bits(least)).bitcast(DType::F64);
    // An integer below the mantissa's range is the rest of a float beyond it: devices have no quick conversion of 64 bits.
    let beyond = f64::exp2(MANTISSA as f64);
    let exponent = ((raw >> raw.like_integer(MANTISSA)) | bits(beyond)).bitcast(DType::F64);
    (m, exponent - x.like(beyond + 1023.0))
}

/// The logarithm of `m` times two to a power.
fn ln_of_parts<'b>(m: Var<'b>, exponent: Var<'b>) -> Var<'b> {
    let (b, one) = (m.builder(), m.like(1.0));
    let s = (m - one) / (m + one);
    let square = s * s;
    let (high, low) = ln2_parts();
    let rest = b.fma(s * square, polynomial(square, &LOGARITHM), exponent * m.like(low));
    b.fma(exponent, m.like(high), b.fma(s, m.like(2.0), rest))
}

/// Natural logarithm of a positive normal number, float64: the bits of [`ln`].
pub(super) fn ln_normal(x: Var<'_>) -> Var<'_> {
    let (m, exponent) = parts(x);
    ln_of_parts(m, exponent)
}

/// Natural logarithm, float64.
pub(super) fn ln(x: Var<'_>) -> Var<'_> {
    let subnormal = x.lt(x.like(f64::MIN_POSITIVE));
    let (m, exponent) = parts((x * x.like(f64::exp2(54.0))).when(subnormal, x));
    let value = ln_of_parts(m, exponent - x.like(54.0).when(subnormal, x.like(0.0)));
    let value = value.when(x.lt(x.like(f64::INFINITY)), x);
    let value = value.when(x.gt(x.like(0.0)), x.like(f64::NAN));
    x.like(f64::NEG_INFINITY).when(x.eq(x.like(0.0)), value)
}

/// ln(1 + x) without cancellation.
pub(super) fn ln_1p(x: Var<'_>) -> Var<'_> {
    let one = x.like(1.0);
    let sum = one + x;
    let rounded = sum - one;
    let corrected = ln(sum) * (x / rounded);
    // Where the sum is exact (or infinite) nothing needs correction.
    let value = corrected.when(rounded.ne(x), ln(sum));
    x.when(sum.eq(one), value)
}

/// e to the power x, float64.
pub(super) fn exp<'b>(x: Var<'b>) -> Var<'b> {
    let b = x.builder();
    let clamped = x.max(x.like(-800.0)).min(x.like(720.0));
    let k = (clamped * x.like(LOG2_E)).rint();
    let (high, low) = ln2_parts();
    let r = b.fma(k, x.like(-low), b.fma(k, x.like(-high), clamped));
    let series = b.fma(r * r, polynomial(r, &EXPONENTIAL), r) + x.like(1.0);
    // The power of two is applied in halves, as it may not be a normal number.
    let half = (k * x.like(0.5)).floor();
    // The integer is what a float beyond the mantissa's range ends with, and the shift drops the rest.
    let power = |exponent: Var<'b>| {
        let biased = (exponent + x.like(f64::exp2(MANTISSA as f64) + 1023.0)).bitcast(DType::U64);
        (biased << biased.like_integer(MANTISSA)).bitcast(DType::F64)
    };
    series * power(half) * power(k - half)
}

/// x to the power y for positive x, float64.
pub(super) fn pow<'b>(x: Var<'b>, y: Var<'b>) -> Var<'b> {
    exp(ln(x) * y)
}

/// Sine and cosine of a uint64's share of a full turn, of which there are 2^64; neither is ever 0.
pub(super) fn circle<'b>(word: Var<'b>) -> (Var<'b>, Var<'b>) {
    let b = word.builder();
    let bits = |number: u64| word.like_integer(number.into());
    // The two highest bits count quarters, to the nearest; the others are the way from the middle of an interval around it.
    let shifted = word + bits(1 << 61);
    let mantissa = ((shifted << bits(2)) >> bits(12)) | bits(1.0_f64.to_bits() | 1);
    let number = mantissa.bitcast(DType::F64);
    let x = (number - number.like(1.5)) * number.like(FRAC_PI_2);
    let square = x * x;
    let sine = b.fma(x * square, polynomial(square, &SINE), x);
    let cosine = b.fma(square * square, polynomial(square, &COSINE), b.fma(square, x.like(-0.5), x.like(1.0)));
    let swapped = (shifted & bits(1 << 62)).ne(bits(0));
    let (sine, cosine) = (cosine.when(swapped, sine), sine.when(swapped, cosine));
    let negated =
        |number: Var<'b>, sign: Var<'b>| (number.bitcast(DType::U64) ^ (sign & bits(1 << 63))).bitcast(DType::F64);
    (negated(sine, shifted), negated(cosine, shifted ^ (shifted << bits(1))))
}

/// Angle whose tangent is x, for x from 0 on, float64.
fn atan(x: Var<'_>) -> Var<'_> {
    let one = x.like(1.0);
    let beyond = x.gt(one);
    let mut t = (one / x).when(beyond, x);
    for _ in 0..2 {
        t = t / (one + (one + t * t).sqrt());
    }
    let terms: [f64; 12] = from_fn(|k| if k % 2 == 0 { 4.0 } else { -4.0 } / (2 * k + 1) as f64);
    let angle = t * polynomial(t * t, &terms);
    (x.like(FRAC_PI_2) - angle).when(beyond, angle)
}

/// Angle in [0, pi] whose cosine is x, float64.
pub(super) fn acos(x: Var<'_>) -> Var<'_> {
    let one = x.like(1.0);
    let bounded = x.max(-one).min(one);
    let ratio = ((one - bounded) / (one + bounded)).sqrt();
    (x.like(2.0) * atan(ratio)).min(x.like(PI))
}

/// Logarithm of the gamma function for x from 1 on, float64: Stirling's series after a shift to 8 and more.
pub(super) fn ln_gamma(x: Var<'_>) -> Var<'_> {
    let (z, product) = shifted(x);
    stirling(z) - ln_normal(product)
}

/// As [`ln_gamma`], with the shift only where one of the elements that are computed together is small.
pub(super) fn ln_gamma_mostly_large(x: Var<'_>) -> Var<'_> {
    let b = x.builder();
    let (z, logarithm, open) = (b.local(x), b.local(x.like(0.0)), b.local(x.lt(x.like(LARGE))));
    b.repeat(
        || open.get(),
        || {
            let (shifted, product) = shifted(x);
            z.set(shifted);
            logarithm.set(ln_normal(product));
            open.set(b.integer(DType::Bool, 0));
        },
    );
    stirling(z.get()) - logarithm.get()
}

/// Arguments from which on Stirling's series has enough terms.
const LARGE: f64 = 8.0;

/// What becomes of x by adding ones until it is large, and the product of all before.
fn shifted(x: Var<'_>) -> (Var<'_>, Var<'_>) {
    let one = x.like(1.0);
    let (mut z, mut product) = (x, one);
    for _ in 0..7 {
        let small = z.lt(x.like(LARGE));
        product = product * z.when(small, one);
        z = (z + one).when(small, z);
    }
    (z, product)
}

/// Stirling's series, for finite numbers.
fn stirling(z: Var<'_>) -> Var<'_> {
    let inverse = z.like(1.0) / z;
    const BERNOULLI: [f64; 7] =
        [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0, -691.0 / 360_360.0, 1.0 / 156.0];
    let tail = inverse * polynomial(inverse * inverse, &BERNOULLI);
    (z - z.like(0.5)) * ln_normal(z) - z + z.like(0.5 * TAU.ln()) + tail
}
