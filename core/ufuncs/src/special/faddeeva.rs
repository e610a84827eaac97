//! The error functions of complex numbers, all from one: w(z) = exp(-z²) erfc(-i z). DLMF 7.
//!
//! w comes from trapezoidal rules for its integral, corrected for the pole beside the path (Al Azah and Chandler-Wilde, SIAM
//! J. Numer. Anal. 59, 2021): twelve terms give all digits in the whole upper half plane, and terms of one sign keep
//! those of the smaller part. Bodies compute with pairs of real numbers in float64.

use std::f64::consts::{FRAC_1_SQRT_2, LN_2, PI, TAU};

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

use super::approximation::{cos_pi, either, exp_of_two, in_double, sin_pi, square};
use super::error;
use crate::table::{ternary, unary};
use crate::{Outputs, Ufunc};

const TERMS: usize = 12;
const ONE_OVER_ROOT_PI: f64 = 0.564_189_583_547_756_3;
const ROOT_PI_OVER_TWO: f64 = 0.886_226_925_452_758;
/// Where the asymptotic value is exact in float64.
const FAR: f64 = 1e8;

pub(super) fn rows() -> Vec<Ufunc> {
    let rows = [
        unary("wofz", "D->D, F->F", "Faddeeva function, exp(-z**2) erfc(-i z).", |z| complex(z, w)),
        ternary(
            "voigt_profile",
            "ddd->d, fff->f",
            "Voigt profile: a normal distribution of scale sigma convolved with a Cauchy distribution of scale gamma.",
            |x, sigma, gamma| in_double(&[x, sigma, gamma], |v| voigt(v[0], v[1], v[2])),
        ),
    ];
    let source = "Al Azah and Chandler-Wilde (2021): corrected trapezoidal rules; DLMF 7.19";
    rows.into_iter().map(|row| row.source(source).special()).collect()
}

/// A complex number as its parts.
pub(super) type Pair<'b> = (Var<'b>, Var<'b>);

/// A body for the parts of a complex number, in float64.
pub(super) fn complex<'b>(z: Var<'b>, body: impl FnOnce(Pair<'b>) -> Pair<'b>) -> Var<'b> {
    let wide = z.cast(DType::C128);
    let (re, im) = body((wide.re(), wide.im()));
    z.builder().complex(re, im).cast(z.dtype())
}

pub(super) fn times<'b>(a: Pair<'b>, b: Pair<'b>) -> Pair<'b> {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

/// A quotient whose numbers' squares neither overflow nor vanish.
fn over<'b>(a: Pair<'b>, b: Pair<'b>) -> Pair<'b> {
    let size = b.0 * b.0 + b.1 * b.1;
    ((a.0 * b.0 + a.1 * b.1) / size, (a.1 * b.0 - a.0 * b.1) / size)
}

/// A product that is 0 where a factor is, also if the other one is infinite or unknown.
fn scaled<'b>(by: Var<'b>, x: Var<'b>) -> Var<'b> {
    let zero = x.like(0.0);
    x.when(x.eq(zero), by.when(by.eq(zero), by * x))
}

/// The value on the real axis from the function of real numbers.
fn with_axis<'b>(z: Pair<'b>, value: Pair<'b>, real: Var<'b>) -> Pair<'b> {
    let on_axis = z.1.eq(z.1.like(0.0));
    (real.when(on_axis, value.0), z.1.when(on_axis, value.1))
}

/// NaN where the imaginary part is infinite and nothing is on the imaginary axis: there is no limit.
fn without_limit<'b>(z: Pair<'b>, value: Pair<'b>) -> Pair<'b> {
    let (zero, nan) = (z.0.like(0.0), z.0.like(f64::NAN));
    let none = z.1.abs().eq(z.0.like(f64::INFINITY)) & z.0.ne(zero);
    (nan.when(none, value.0), nan.when(none, value.1))
}

/// exp(-z²).
fn exp_minus_square<'b>((x, y): Pair<'b>) -> Pair<'b> {
    let size = ((y - x) * (y + x)).exp();
    let zero = x.like(0.0);
    let turn = zero.when(x.eq(zero) | y.eq(zero), x * y * x.like(2.0));
    (scaled(size, turn.cos()), scaled(size, -turn.sin()))
}

/// w in the first quadrant.
fn first_quadrant<'b>((x, y): Pair<'b>) -> Pair<'b> {
    let h = (PI / TERMS as f64).sqrt();
    let (one, zero) = (x.like(1.0), x.like(0.0));
    let most = x.max(y);
    let near = most.lt(x.like(FAR));
    // Numbers of the far side do not enter the sums.
    let (a, b) = (x.when(near, one), y.when(near, one));
    let (aa, bb) = (a * a, b * b);
    // Nodes are whole or half steps, so that none is within a quarter of a step of a pole beside the real axis.
    let steps = a * x.like(1.0 / h);
    let rest = (steps - steps.rint()).abs();
    let whole = b.lt(a) & rest.ge(x.like(0.25));
    let (mut re, mut im) = (zero, zero);
    for k in 0..TERMS {
        let [at_whole, at_half] = [k as f64 * h, (k as f64 + 0.5) * h];
        // The first whole node is 0, and counts once where the others stand for two.
        let weight = |t: f64, part: f64| part * 2.0 * h / PI * (-t * t).exp();
        let tt = x.like(at_whole * at_whole).when(whole, x.like(at_half * at_half));
        let first = if k == 0 { 0.5 } else { 1.0 };
        let weight = x.like(weight(at_whole, first)).when(whole, x.like(weight(at_half, 1.0)));
        // i z / (z² - t²) without cancellation in the real part.
        let real = (a - b) * (a + b) - tt;
        let share = weight / (real * real + x.like(4.0) * aa * bb);
        re = re + share * (b * (aa + bb + tt));
        im = im + share * (a * ((aa - tt) + bb));
    }
    // The residue at the pole, where it lies below the path.
    let corrected = b.lt(a.max(x.like(PI / h)));
    let fraction = steps * x.like(2.0);
    let size = (b * x.like(TAU / h)).min(x.like(300.0)).exp();
    let sign = (-one).when(whole, one);
    let denominator = (one + sign * size * cos_pi(fraction), -(sign * size * sin_pi(fraction)));
    let residue = exp_minus_square((a, b.min(x.like(8.0))));
    let two = x.like(2.0);
    let residue = over((residue.0 * two, residue.1 * two), denominator);
    let inner = (re + residue.0.when(corrected, zero), im + residue.1.when(corrected, zero));
    // i / (sqrt(pi) z).
    let scale = most.min(x.like(f64::MAX));
    let (u, v) = (x.min(scale) / scale, y.min(scale) / scale);
    let part = x.like(ONE_OVER_ROOT_PI) / (scale * (u * u + v * v));
    let infinite = most.eq(x.like(f64::INFINITY));
    let outer = (zero.when(infinite, v * part), zero.when(infinite, u * part));
    let unknown = x.is_nan() | y.is_nan();
    let nan = x.like(f64::NAN);
    (nan.when(unknown, inner.0.when(near, outer.0)), nan.when(unknown, inner.1.when(near, outer.1)))
}

/// w(z).
pub(super) fn w<'b>((x, y): Pair<'b>) -> Pair<'b> {
    let zero = x.like(0.0);
    let (re, im) = first_quadrant((x.abs(), y.abs()));
    let below = y.lt(zero);
    // The lower half plane mirrors the upper one: w(z) = 2 exp(-z²) - w(-z).
    let mirrored = exp_minus_square((x, y));
    let (two, left) = (x.like(2.0), x.lt(zero));
    let upper = (re, (-im).when(left, im));
    let opposite = im.when(left, -im);
    let lower = (two * mirrored.0 - re, two * mirrored.1 - opposite);
    (lower.0.when(below, upper.0), lower.1.when(below, upper.1))
}

/// The sum of c_k z^(2k+1) for numbers z up to 1.
fn odd_series<'b>(z: Pair<'b>, coefficients: &[f64]) -> Pair<'b> {
    let zz = times(z, z);
    let (last, rest) = coefficients.split_last().expect("a series has terms");
    let mut sum = (z.0.like(*last), z.0.like(0.0));
    for &coefficient in rest.iter().rev() {
        sum = times(sum, zz);
        sum.0 = sum.0 + z.0.like(coefficient);
    }
    times(z, sum)
}

fn is_small<'b>((x, y): Pair<'b>) -> Var<'b> {
    (x * x + y * y).lt(x.like(1.0))
}

fn choose<'b>(condition: Var<'b>, yes: Pair<'b>, no: Pair<'b>) -> Pair<'b> {
    (yes.0.when(condition, no.0), yes.1.when(condition, no.1))
}

fn negative<'b>((x, y): Pair<'b>) -> Pair<'b> {
    (-x, -y)
}

/// exp(-z²) w(i z) for x not negative: erfc.
fn right_erfc<'b>((x, y): Pair<'b>) -> Pair<'b> {
    times_finite(exp_minus_square((x, y)), w((-y, x)))
}

/// A product of a number that may be infinite.
fn times_finite<'b>(a: Pair<'b>, b: Pair<'b>) -> Pair<'b> {
    (scaled(a.0, b.0) - scaled(a.1, b.1), scaled(a.0, b.1) + scaled(a.1, b.0))
}

/// erf(z).
pub(super) fn erf(z: Var<'_>) -> Var<'_> {
    complex(z, erf_parts)
}

fn erf_parts<'b>(z: Pair<'b>) -> Pair<'b> {
    let (zero, one) = (z.0.like(0.0), z.0.like(1.0));
    let left = z.0.lt(zero);
    let right = choose(left, negative(z), z);
    let rest = right_erfc(right);
    let far = (one - rest.0, -rest.1);
    let mut coefficients = vec![];
    let mut factorial = 1.0;
    for k in 0..20 {
        factorial *= f64::from(k.max(1));
        let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
        coefficients.push(sign * std::f64::consts::FRAC_2_SQRT_PI / (factorial * f64::from(2 * k + 1)));
    }
    let value = choose(is_small(z), odd_series(z, &coefficients), choose(left, negative(far), far));
    // On the imaginary axis the function is imaginary.
    let upright = z.0.eq(zero);
    let value = (z.0.when(upright, value.0), error::erfi(z.1).when(upright, value.1));
    with_axis(z, without_limit(z, value), error::erf(z.0))
}

/// 1 - erf(z).
pub(super) fn erfc(z: Var<'_>) -> Var<'_> {
    complex(z, erfc_parts)
}

fn erfc_parts<'b>(z: Pair<'b>) -> Pair<'b> {
    let left = z.0.lt(z.0.like(0.0));
    let value = right_erfc(choose(left, negative(z), z));
    let value = choose(left, (z.0.like(2.0) - value.0, -value.1), value);
    let upright = z.0.eq(z.0.like(0.0));
    let value = (z.0.like(1.0).when(upright, value.0), (-error::erfi(z.1)).when(upright, value.1));
    with_axis(z, without_limit(z, value), error::erfc(z.0))
}

/// exp(z²) erfc(z).
pub(super) fn erfcx(z: Var<'_>) -> Var<'_> {
    complex(z, |z| with_axis(z, w((-z.1, z.0)), error::erfcx(z.0)))
}

/// -i erf(i z).
pub(super) fn erfi(z: Var<'_>) -> Var<'_> {
    complex(z, |(x, y)| {
        let (re, im) = erf_parts((-y, x));
        (im, -re)
    })
}

/// The Fresnel integrals S and C: C + i S and C - i S are error functions (DLMF 7.5.8).
pub(super) fn fresnel(z: Var<'_>) -> Outputs<'_> {
    let wide = z.cast(DType::C128);
    let builder = z.builder();
    let (x, y) = (wide.re(), wide.im());
    let (half, scale) = (x.like(0.5), x.like(ROOT_PI_OVER_TWO));
    let part = |sign: f64| {
        // (1 + i) / 2 erf(sqrt(pi) / 2 (1 - i) z), and its mirror image.
        let s = x.like(sign);
        let turned = (scale * (x + s * y), scale * (y - s * x));
        times((half, half * s), erf_parts(turned))
    };
    let (plus, minus) = (part(1.0), part(-1.0));
    let c = builder.complex(half * (plus.0 + minus.0), half * (plus.1 + minus.1));
    // Divided by 2 i.
    let s = builder.complex(half * (plus.1 - minus.1), half * (minus.0 - plus.0));
    let size = x * x + y * y;
    // Small arguments keep the digits of S by its series: DLMF 7.6.4, 7.6.6.
    let square = wide * wide;
    let fourth = square * square;
    let series = |first: i32| {
        let mut terms = vec![];
        let (mut factor, mut factorial) = ((PI / 2.0).powi(first), 1.0);
        for n in 0..16 {
            let power = 2 * n + first;
            terms.push(factor / factorial / f64::from(2 * power + 1));
            factor *= -(PI * PI / 4.0);
            factorial *= f64::from((power + 1) * (power + 2));
        }
        let number = |value: f64| builder.complex(x.like(value), x.like(0.0));
        let (last, rest) = terms.split_last().expect("a series has terms");
        rest.iter().rev().fold(number(*last), |sum, &term| sum * fourth + number(term))
    };
    let near = size.lt(x.like(2.0));
    let s = (wide * square * series(1)).when(near, s);
    let c = (wide * series(0)).when(near, c);
    smallvec::smallvec![s.cast(z.dtype()), c.cast(z.dtype())]
}

/// Dawson's integral.
pub(super) fn dawsn(z: Var<'_>) -> Var<'_> {
    complex(z, |z| {
        let below = z.1.lt(z.1.like(0.0));
        let upper = choose(below, negative(z), z);
        let (e, w) = (exp_minus_square(upper), first_half(upper));
        let half = z.0.like(ROOT_PI_OVER_TWO);
        // i sqrt(pi) / 2 times a difference.
        let far = (-(e.1 - w.1) * half, (e.0 - w.0) * half);
        let mut coefficients = vec![1.0];
        for k in 1..26 {
            let before = coefficients[k - 1];
            coefficients.push(-before * 2.0 / (2 * k + 1) as f64);
        }
        let value = choose(is_small(z), odd_series(z, &coefficients), choose(below, negative(far), far));
        with_axis(z, value, error::dawsn(z.0))
    })
}

/// w in the upper half plane.
fn first_half<'b>((x, y): Pair<'b>) -> Pair<'b> {
    let (re, im) = first_quadrant((x.abs(), y.abs()));
    (re, (-im).when(x.lt(x.like(0.0)), im))
}

/// The normal distribution's function.
pub(super) fn ndtr(z: Var<'_>) -> Var<'_> {
    complex(z, |z| {
        let scale = z.0.like(-FRAC_1_SQRT_2);
        let (re, im) = erfc_parts((z.0 * scale, z.1 * scale));
        (re * z.0.like(0.5), im * z.0.like(0.5))
    })
}

/// Its logarithm.
pub(super) fn log_ndtr(z: Var<'_>) -> Var<'_> {
    let wide = z.cast(DType::C128);
    let builder = z.builder();
    let scale = wide.re().like(FRAC_1_SQRT_2);
    let (x, y) = (wide.re(), wide.im());
    let (zero, half) = (x.like(0.0), x.like(0.5));
    let beside = (x - y) * (x + y);
    // log(w / 2) - z² / 2 + i turn, on the principal branch.
    let by_exponent = |(re, im): Pair<'_>, turn: Var<'_>| {
        let log = builder.complex(builder.var(re.id()), builder.var(im.id())).log();
        let tau = x.like(TAU);
        let angle = log.im() - x * y + builder.var(turn.id());
        builder.complex(log.re() - x.like(LN_2) - half * beside, angle - tau * (angle / tau).rint())
    };
    let is_left = x.le(zero);
    // Right of the imaginary axis the function is 1 less erfc(z / sqrt(2)) / 2, beside which 1 may be nothing.
    let is_huge = beside.lt(x.like(-200.0));
    let scaled = || {
        let (a, b) = (x.abs() * scale, y.when(is_left, -y) * scale);
        by_exponent(w((b, a)), zero.when(is_left, x.like(PI)))
    };
    let right = || {
        let (re, im) = erfc_parts((x * scale, y * scale));
        builder.complex(re * -half, im * -half).log1p()
    };
    either(is_left | is_huge, scaled, right, DType::C128).cast(z.dtype())
}

fn voigt<'b>(x: Var<'b>, sigma: Var<'b>, gamma: Var<'b>) -> Var<'b> {
    let (zero, one) = (x.like(0.0), x.like(1.0));
    let broad = one.when(sigma.eq(zero), sigma);
    let scale = x.like(FRAC_1_SQRT_2) / broad;
    let (re, _) = w((x * scale, gamma * scale));
    // 1 / sqrt(2 pi).
    let factor = x.like(0.398_942_280_401_432_7);
    let voigt = re * factor / broad;
    let cauchy = gamma * x.like(1.0 / PI) / (x * x + gamma * gamma);
    let cauchy = x.like(f64::INFINITY).when(gamma.eq(zero) & x.eq(zero), cauchy);
    let cauchy = zero.when(gamma.eq(zero) & x.ne(zero), cauchy);
    let t = x / broad;
    let (high, low) = square(t.abs().min(x.like(40.0)));
    let normal = factor / broad * exp_of_two(-high * x.like(0.5), -low * x.like(0.5));
    let value = normal.when(gamma.eq(zero), voigt);
    let value = cauchy.when(sigma.eq(zero), value);
    x.like(f64::NAN).when(x.is_nan() | sigma.is_nan() | gamma.is_nan(), value)
}
