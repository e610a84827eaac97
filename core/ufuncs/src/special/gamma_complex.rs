//! The gamma function of complex numbers and its logarithms: DLMF 5.

use std::f64::consts::{LN_2, PI, TAU};

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

use super::approximation::{cos_pi, either, sin_pi};
use super::bessel_complex::polynomial;
use super::faddeeva::Pair;

/// log(2 pi) / 2.
const HALF_LOG_TWO_PI: f64 = 0.918_938_533_204_672_8;
const LOG_PI: f64 = 1.144_729_885_849_400_2;
const EULER: f64 = 0.577_215_664_901_532_9;
/// B(2k) / (2k (2k - 1)), the coefficients of Stirling's series.
const STIRLING: [f64; 9] = [
    1.0 / 12.0,
    -1.0 / 360.0,
    1.0 / 1260.0,
    -1.0 / 1680.0,
    1.0 / 1188.0,
    -691.0 / 360_360.0,
    1.0 / 156.0,
    -3617.0 / 122_400.0,
    43_867.0 / 244_188.0,
];
/// From where on the series has all digits.
const LARGE: f64 = 8.0;
/// Up to this distance from 1 and 2, where the logarithm has its roots, a power series keeps the digits, and about 3 still.
const NEAR: f64 = 0.8;

/// The Riemann zeta function of a whole number from 2 on, less 1: a sum and its tail by Euler and Maclaurin.
fn zeta_rest(n: i32) -> f64 {
    let (count, s) = (40.0_f64, f64::from(n));
    let sum: f64 = (2..40).rev().map(|k| f64::from(k).powi(-n)).sum();
    let tail = count.powi(1 - n) / (s - 1.0) + count.powi(-n) / 2.0 + s * count.powi(-n - 1) / 12.0
        - s * (s + 1.0) * (s + 2.0) * count.powi(-n - 3) / 720.0
        + s * (s + 1.0) * (s + 2.0) * (s + 3.0) * (s + 4.0) * count.powi(-n - 5) / 30_240.0;
    sum + tail
}

/// B(2 k) / (2 k)!: DLMF 25.6.2.
pub(super) fn bernoulli_quotient(k: i32) -> f64 {
    let sign = if k % 2 == 0 { -2.0 } else { 2.0 };
    sign * (1.0 + zeta_rest(2 * k)) / TAU.powi(2 * k)
}

fn number(z: Var<'_>, value: f64) -> Var<'_> {
    let re = z.re();
    z.builder().complex(re.like(value), re.like(0.0))
}

fn from_pair<'b>(z: Var<'b>, (re, im): Pair<'b>) -> Var<'b> {
    z.builder().complex(re, im)
}

fn wide<'b>(z: Var<'b>, body: impl FnOnce(Var<'b>) -> Var<'b>) -> Var<'b> {
    body(z.cast(DType::C128)).cast(z.dtype())
}

/// log gamma(2 + z) for small z: DLMF 5.7.3, less the first term of each zeta.
fn power_series(z: Var<'_>) -> Var<'_> {
    let mut coefficients = vec![0.0, 1.0 - EULER];
    for n in 2..38 {
        let sign = if n % 2 == 0 { 1.0 } else { -1.0 };
        coefficients.push(sign * zeta_rest(n) / f64::from(n));
    }
    polynomial(z, &coefficients)
}

/// DLMF 5.11.1.
fn stirling(z: Var<'_>) -> Var<'_> {
    let inverse = number(z, 1.0) / z;
    (z - number(z, 0.5)) * z.log() - z + number(z, HALF_LOG_TWO_PI) + inverse * polynomial(inverse * inverse, &STIRLING)
}

/// sin(pi z), its factors apart from exp(pi |y|) / 2: what grows is left out.
pub(super) fn sine_parts<'b>(z: Var<'b>) -> (Pair<'b>, Var<'b>) {
    let (x, y) = (z.re(), z.im());
    let a = y.abs() * x.like(PI);
    let (one, less) = (x.like(1.0), (-(a + a)).exp());
    // 2 sinh(a) exp(-a) has its digits near 0, too.
    let sinh = -(-(a + a)).expm1();
    ((sin_pi(x) * (one + less), (cos_pi(x) * sinh).copysign(cos_pi(x) * y)), a)
}

/// The logarithm for a real part from 1 / 2 on.
pub(super) fn right_log(z: Var<'_>) -> Var<'_> {
    let builder = z.builder();
    let (one, two, three) = (number(z, 1.0), number(z, 2.0), number(z, 3.0));
    let bound = z.re().like(NEAR);
    let beside = || power_series(z - one) - (z - one).log1p();
    let series = || power_series(z - two);
    let general = || {
        // gamma(z) = gamma(z + n) / (z ... (z + n - 1)), whose angles add up to less than a turn for each factor.
        let (product, last) = (builder.local(one), builder.local(z));
        let turns = builder.local(z.re().like(0.0));
        builder.repeat(
            || last.get().re().lt(z.re().like(LARGE)) & last.get().im().abs().lt(z.re().like(LARGE)),
            || {
                let before = product.get();
                let after = before * last.get();
                // Of numbers above the real axis, the angle has passed pi if the imaginary part has become negative.
                let passed = before.im().ge(before.im().like(0.0)) & after.im().lt(after.im().like(0.0));
                turns.set(turns.get() + turns.get().like(1.0).when(passed, turns.get().like(0.0)));
                product.set(after);
                last.set(last.get() + one);
            },
        );
        let turn = turns.get() * turns.get().like(TAU);
        stirling(last.get()) - product.get().log() - builder.complex(turn.like(0.0), turn)
    };
    let near_one = (z - one).abs().le(bound);
    let near_two = (z - two).abs().le(bound);
    let near_three = (z - three).abs().le(bound);
    let above = || power_series(z - three) + (z - one).log();
    let outside = || either(near_three, above, general, DType::C128);
    either(near_two, series, || either(near_one, beside, outside, DType::C128), DType::C128)
}

/// log gamma on the principal branch: analytic but for the negative real axis.
pub(super) fn loggamma(z: Var<'_>) -> Var<'_> {
    wide(z, |z| {
        let builder = z.builder();
        let (x, y) = (z.re(), z.im());
        let zero = x.like(0.0);
        // The function of conjugate numbers is conjugate; a zero with a sign says which side of the axis is meant.
        let below = x.like(1.0).copysign(y).lt(zero);
        let (half, one) = (x.like(0.5), number(z, 1.0));
        let upper = builder.complex(x, y.abs());
        let reflected = upper.re().lt(half);
        let start = one - upper;
        // Of 1 - z the conjugate is above the axis.
        let start = builder.complex(start.re().when(reflected, upper.re()), y.abs());
        let is_pole = y.eq(zero) & x.le(zero) & x.eq(x.floor());
        let is_known = x.is_nan() | y.is_nan();
        let value = either(
            is_known | is_pole,
            || builder.complex(x.like(f64::NAN), x.like(f64::NAN)),
            || right_log(start),
            DType::C128,
        );
        // log gamma(z) = log(pi) - log(sin(pi z)) - log gamma(1 - z) + a whole number of turns: Hare (1997).
        let (sine, growth) = sine_parts(upper);
        let log = from_pair(z, sine).log();
        let turns = (half * x + x.like(0.25)).floor() * x.like(TAU);
        let re = x.like(LOG_PI + LN_2) - log.re() - growth - value.re();
        let im = turns - log.im() + value.im();
        let re = re.when(reflected, value.re());
        let im = im.when(reflected, value.im());
        builder.complex(re, (-im).when(below, im))
    })
}

/// gamma(z).
pub(super) fn gamma(z: Var<'_>) -> Var<'_> {
    wide(z, |z| {
        let (x, y) = (z.re(), z.im());
        let is_pole = y.eq(y.like(0.0)) & x.le(x.like(0.0)) & x.eq(x.floor());
        let value = loggamma(z).exp();
        // Whole numbers and all others of the real axis have no imaginary part.
        let re = x.like(f64::NAN).when(is_pole, value.re());
        let im = x.like(f64::NAN).when(is_pole, y.when(y.eq(y.like(0.0)), value.im()));
        z.builder().complex(re, im)
    })
}

/// 1 / gamma(z).
pub(super) fn rgamma(z: Var<'_>) -> Var<'_> {
    wide(z, |z| {
        let (x, y) = (z.re(), z.im());
        let zero = x.like(0.0);
        let is_pole = y.eq(zero) & x.le(zero) & x.eq(x.floor());
        let value = (-loggamma(z)).exp();
        let im = zero.when(is_pole, (-y).when(y.eq(zero), value.im()));
        z.builder().complex(zero.when(is_pole, value.re()), im)
    })
}

/// The derivative of log gamma: DLMF 5.5.2, 5.5.4, 5.11.2.
pub(super) fn digamma(z: Var<'_>) -> Var<'_> {
    wide(z, |z| {
        let builder = z.builder();
        let (x, y) = (z.re(), z.im());
        let (zero, half, one) = (x.like(0.0), x.like(0.5), number(z, 1.0));
        let reflected = x.lt(half);
        let start = one - z;
        let start = builder.complex(start.re().when(reflected, x), start.im().when(reflected, y));
        let (sum, last) = (builder.local(number(z, 0.0)), builder.local(start));
        builder.repeat(
            || last.get().re().lt(x.like(10.0)) & last.get().im().abs().lt(x.like(10.0)),
            || {
                sum.set(sum.get() + one / last.get());
                last.set(last.get() + one);
            },
        );
        let point = last.get();
        let inverse = one / point;
        let square = inverse * inverse;
        // B(2k) / (2k).
        let coefficients: Vec<f64> = STIRLING.iter().enumerate().map(|(k, c)| c * (2.0 * k as f64 + 1.0)).collect();
        let large = point.log() - inverse * number(z, 0.5) - square * polynomial(square, &coefficients);
        let value = large - sum.get();
        // pi cot(pi z), from cos / sin without what grows.
        let (sine, _) = sine_parts(z);
        let angle = (y.abs() * x.like(-TAU)).exp();
        let cosh = x.like(1.0) + angle;
        let sinh = (x.like(1.0) - angle).copysign(y);
        let cosine = (cos_pi(x) * cosh, -(sin_pi(x) * sinh));
        // The squares of a small sine would leave the range.
        let cotangent = from_pair(z, cosine) / from_pair(z, sine);
        let pi = x.like(PI);
        let mirrored = value - builder.complex(cotangent.re() * pi, cotangent.im() * pi);
        let is_pole = y.eq(zero) & x.le(zero) & x.eq(x.floor());
        let nan = x.like(f64::NAN);
        let re = mirrored.re().when(reflected, value.re());
        let im = mirrored.im().when(reflected, value.im());
        builder.complex(nan.when(is_pole, re), nan.when(is_pole, y.when(y.eq(zero), im)))
    })
}
