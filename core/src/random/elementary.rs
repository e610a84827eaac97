//! Elementary functions of basic operations only, so that every device rounds them alike; series with enough terms for
//! float64. The faster ones for float32 are in [`single`](super::single).

use std::f64::consts::{FRAC_PI_2, LN_2, LOG2_E, PI, SQRT_2, TAU};

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

/// Sum of `coefficient(k) * x^k` for `k` below `terms`.
fn polynomial<'b>(x: Var<'b>, terms: u32, coefficient: impl Fn(u32) -> f64) -> Var<'b> {
    let mut sum = x.like(coefficient(terms - 1));
    for k in (0..terms - 1).rev() {
        sum = sum * x + x.like(coefficient(k));
    }
    sum
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
    let one = m.like(1.0);
    let s = (m - one) / (m + one);
    let series = polynomial(s * s, 11, |k| 2.0 / f64::from(2 * k + 1));
    let (high, low) = ln2_parts();
    exponent * m.like(high) + (s * series + exponent * m.like(low))
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
    let clamped = x.max(x.like(-800.0)).min(x.like(720.0));
    let k = (clamped * x.like(LOG2_E)).rint();
    let (high, low) = ln2_parts();
    let r = clamped - k * x.like(high) - k * x.like(low);
    let series = polynomial(r, 14, |k| 1.0 / (1..=k).map(f64::from).product::<f64>());
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

/// Sine and cosine of `turn` full turns, for turns in [0, 1], float64.
pub(super) fn sin_cos_turn<'b>(turn: Var<'b>) -> (Var<'b>, Var<'b>) {
    let quarter = (turn * turn.like(4.0)).rint();
    let x = (turn - quarter * turn.like(0.25)) * turn.like(TAU);
    let square = x * x;
    let terms = 9;
    let sign = |k: u32| if k.is_multiple_of(2) { 1.0 } else { -1.0 };
    let factorial = |n: u32| (1..=n).map(f64::from).product::<f64>();
    let sine = x * polynomial(square, terms, |k| sign(k) / factorial(2 * k + 1));
    let cosine = polynomial(square, terms + 1, |k| sign(k) / factorial(2 * k));
    let (one, two, three) = (turn.like(1.0), turn.like(2.0), turn.like(3.0));
    let swapped = quarter.eq(one) | quarter.eq(three);
    let (sine, cosine) = (cosine.when(swapped, sine), sine.when(swapped, cosine));
    let down = quarter.eq(two) | quarter.eq(three);
    let left = quarter.eq(one) | quarter.eq(two);
    ((-sine).when(down, sine), (-cosine).when(left, cosine))
}

/// Angle whose tangent is x, for x from 0 on, float64.
fn atan(x: Var<'_>) -> Var<'_> {
    let one = x.like(1.0);
    let beyond = x.gt(one);
    let mut t = (one / x).when(beyond, x);
    for _ in 0..2 {
        t = t / (one + (one + t * t).sqrt());
    }
    let sign = |k: u32| if k.is_multiple_of(2) { 4.0 } else { -4.0 };
    let angle = t * polynomial(t * t, 12, |k| sign(k) / f64::from(2 * k + 1));
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

/// Stirling's series.
fn stirling(z: Var<'_>) -> Var<'_> {
    let inverse = z.like(1.0) / z;
    const BERNOULLI: [f64; 7] =
        [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0, -691.0 / 360_360.0, 1.0 / 156.0];
    let tail = inverse * polynomial(inverse * inverse, 7, |k| BERNOULLI[k as usize]);
    (z - z.like(0.5)) * ln(z) - z + z.like(0.5 * TAU.ln()) + tail
}
