//! The logarithm and the circle in float32, of fused operations: few of them, and every device rounds them alike. Least
//! maximum fits of the relative error, which is below one unit in the last place.

use std::f64::consts::{LN_2, TAU};

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

/// (ln(1 + f) - f + f^2 / 2) / f^3 for f from 1/sqrt(2) - 1 to sqrt(2) - 1.
const LOGARITHM: [f64; 8] =
    [0.333_333_31, -0.250_008_2, 0.200_012_27, -0.166_233_57, 0.142_017_59, -0.131_601_83, 0.127_615_75, -0.076_344_93];
/// (sin(x) / x - 1) / x^2 and (cos(x) - 1 + x^2 / 2) / x^4 in x^2, up to an eighth of a turn.
const SINE: [f64; 3] = [-0.166_666_55, 0.008_332_178, -0.000_195_172_34];
const COSINE: [f64; 3] = [0.041_666_646, -0.001_388_736_7, 0.000_024_438_38];

/// The sum of `coefficients[k] * x^k`.
fn polynomial<'b>(x: Var<'b>, coefficients: &[f64]) -> Var<'b> {
    let (last, others) = coefficients.split_last().expect("a polynomial has coefficients");
    others.iter().rev().fold(x.like(*last), |sum, &term| x.builder().fma(sum, x, x.like(term)))
}

/// Natural logarithm of a normal positive number, times a power of two of either sign: exactly, for nothing.
pub(super) fn scaled_ln(x: Var<'_>, scale: f64) -> Var<'_> {
    let b = x.builder();
    let bits = x.bitcast(DType::I32);
    // The power of two that leaves a significand around 1.
    let split = i128::from(std::f32::consts::FRAC_1_SQRT_2.to_bits());
    let exponent = (bits - bits.like_integer(split)) >> bits.like_integer(23);
    let f = (bits - (exponent << bits.like_integer(23))).bitcast(DType::F32) - x.like(1.0);
    let k = exponent.cast(DType::F32);
    let square = f * f;
    let high = f64::from(LN_2 as f32);
    let low = b.fma(k, x.like(scale * (LN_2 - high)), f * square * polynomial(f, &LOGARITHM.map(|term| scale * term)));
    b.fma(k, x.like(scale * high), b.fma(f, x.like(scale), b.fma(square, x.like(-0.5 * scale), low)))
}

/// The coordinates of a random point of the unit circle: the highest bit of `word` chooses between opposite quarters, the next
/// one between those that lie along the axes, the others a turn of up to an eighth to either side.
pub(super) fn circle(word: Var<'_>) -> (Var<'_>, Var<'_>) {
    let b = word.builder();
    let bit = |number: u32| word.like_integer(1 << number);
    let rest = (word << word.like_integer(2)).bitcast(DType::I32).cast(DType::F32);
    let x = rest * rest.like(TAU * f64::exp2(-34.0));
    let square = x * x;
    let sine = b.fma(x * square, polynomial(square, &SINE), x);
    let cosine = b.fma(square * square, polynomial(square, &COSINE), b.fma(square, x.like(-0.5), x.like(1.0)));
    let cosine = (cosine.bitcast(DType::U32) ^ (word & bit(31))).bitcast(DType::F32);
    let swapped = (word & bit(30)).ne(word.like_integer(0));
    (sine.when(swapped, cosine), cosine.when(swapped, sine))
}
