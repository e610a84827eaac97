//! The incomplete gamma functions and the distributions that they are: DLMF 8; A. Gil, J. Segura, N. M. Temme, SIAM J.
//! Sci. Comput. 34 (2012); A. R. DiDonato, A. H. Morris, ACM TOMS 12 (1986) for the starts of the inverses.

use std::f64::consts::PI;

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

use super::approximation::{TINY, Table, either, in_double, log1p_rest, normalizer};
use super::called::called;
use super::double_double::Double;
use super::error::{ndtri, scaled};
use super::gamma::{gammaln, log_gamma_1p, stirling_rest};
use super::roots::{Step, increasing_root};
use super::tables::gamma::*;

/// The functions of the uniform expansion, for a from 20 on.
const TEMME: [&Table; 10] =
    [&TEMME_0, &TEMME_1, &TEMME_2, &TEMME_3, &TEMME_4, &TEMME_5, &TEMME_6, &TEMME_7, &TEMME_8, &TEMME_9];
/// What a sum may still change by.
const EPSILON: f64 = 1.1e-16;
/// Bounds of loops, which end earlier by their own conditions.
const TERMS: f64 = 500.0;
/// Beyond this parameter the exponent beside the mean is that of its distance.
const MANY: f64 = 1e5;
/// Steps of a loop between two looks at what they change.
const STEPS: u8 = 4;

/// log(gamma(1 + a)) for a from 0 to 3, with all digits near 0, as the logarithm of gamma and the factor that is left.
fn log_gamma_near(a: Var<'_>) -> (Var<'_>, Var<'_>) {
    let (one, two) = (a.like(1.0), a.like(2.0));
    let few = a.lt(two);
    let from_root = a.when(few, a - one);
    (from_root * (from_root - one) * LOG_GAMMA_CENTER.at((from_root + one).min(a.like(3.0))), one.when(few, a))
}

/// x**a exp(-x) / gamma(a + 1).
pub(super) fn factor<'b>(a: Var<'b>, x: Var<'b>) -> Var<'b> {
    called!(power(a, x)).0
}

/// The same, and where a is below 3 the logarithm of x.
fn power<'b>(a: Var<'b>, x: Var<'b>) -> (Var<'b>, Var<'b>) {
    let (zero, one, three) = (a.like(0.0), a.like(1.0), a.like(3.0));
    let large = a.ge(three);
    let bounded = a.max(three);
    // x**a exp(-x) over that at the mean.
    let log = Double::new(x).over(Double::new(bounded.when(large, one))).log();
    let grown = log.scaled(a).added(Double::sum(bounded.when(large, zero), -x));
    // Beside the mean of many the logarithm times a loses what is left.
    let distance = (x - bounded) / bounded;
    let (low, high) = (a.like(LOG1P_REST.low), a.like(LOG1P_REST.high));
    let near = bounded * (distance * distance * LOG1P_REST.at(distance.max(low).min(high)));
    let grown = Double::new(near).when(distance.ge(low) & distance.le(high) & a.gt(a.like(MANY)), grown);
    let (log_gamma, left) = log_gamma_near(a.min(three));
    let rest = called!(stirling_rest(bounded)).when(large, log_gamma);
    let scale = (bounded * a.like(2.0 * PI)).sqrt().when(large, left);
    let value = grown.added(Double::new(-rest)).exp() / scale;
    // x**0 is 1, of 0 too.
    (one.when(a.eq(zero), zero).when(x.eq(zero), value), log.high)
}

/// The lower function over its [`factor`] as a power series, DLMF 8.7.1: a quotient, so that no term needs a division.
fn series<'b>(a: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (builder, one) = (a.builder(), a.like(1.0));
    // Powers of two keep the products near those of x / (a + n).
    let unit = normalizer(x.max(a.like(1e-290)));
    let x = x * unit;
    let (n, power) = (builder.local(a.like(0.0)), builder.local(one));
    let (numerator, denominator) = (builder.local(one), builder.local(one));
    builder.repeat(
        || power.get().gt(numerator.get() * a.like(EPSILON)) & n.get().lt(a.like(TERMS)),
        || {
            for step in 1..=STEPS {
                let next = ((a + (n.get() + a.like(step.into()))) * unit).min(a.like(1e60));
                power.set(power.get() * x);
                numerator.set(builder.fma(numerator.get(), next, power.get()));
                denominator.set(denominator.get() * next);
            }
            n.set(n.get() + a.like(STEPS.into()));
        },
    );
    numerator.get() / denominator.get()
}

/// The upper function over a times its [`factor`] as a continued fraction, DLMF 8.9.2, from the front: numerators and
/// denominators apart, so that no step needs a division.
fn fraction<'b>(a: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (builder, zero, one, two) = (a.builder(), a.like(0.0), a.like(1.0), a.like(2.0));
    // A power of two keeps both near 1 while the fraction's index is below x.
    let unit = normalizer(x.min(a.like(1e290)));
    let square = unit * unit;
    let (k, b) = (builder.local(zero), builder.local(x + one - a));
    let (above, above_before) = (builder.local(unit), builder.local(zero));
    let (below, below_before) = (builder.local(unit * b.get()), builder.local(one));
    let (value, change) = (builder.local(one), builder.local(one));
    builder.repeat(
        || change.get().gt(a.like(4.0 * EPSILON)) & k.get().lt(a.like(TERMS)),
        || {
            for _ in 0..STEPS {
                k.set(k.get() + one);
                b.set(b.get() + two);
                let (factor, share) = (unit * b.get(), square * (k.get() * (a - k.get())));
                let next = |here: Var<'b>, before: Var<'b>| builder.fma(factor, here, share * before);
                let (up, down) = (next(above.get(), above_before.get()), next(below.get(), below_before.get()));
                above_before.set(above.get());
                below_before.set(below.get());
                above.set(up);
                below.set(down);
            }
            let shrink = a.like(1e-100).when(below.get().abs().gt(a.like(1e100)), one);
            for local in [above, above_before, below, below_before] {
                local.set(local.get() * shrink);
            }
            let found = above.get() / below.get();
            change.set(((found - value.get()) / found).abs());
            value.set(found);
        },
    );
    value.get()
}

/// The upper function for x up to about 1, where 1 less the lower one would lose digits: DLMF 8.7.3.
fn upper_near_zero<'b>(a: Var<'b>, x: Var<'b>, log: Var<'b>) -> Var<'b> {
    let (builder, one) = (a.builder(), a.like(1.0));
    let (n, power, sum) = (builder.local(a.like(0.0)), builder.local(one), builder.local(a.like(0.0)));
    let term = builder.local(one);
    builder.repeat(
        || term.get().abs().gt(sum.get().abs() * a.like(EPSILON)) & n.get().lt(a.like(TERMS)),
        || {
            n.set(n.get() + one);
            power.set(power.get() * -x / n.get());
            term.set(power.get() / (a + n.get()));
            sum.set(sum.get() + term.get());
        },
    );
    let leading = (a * log - log_gamma_near(a.min(a.like(3.0))).0).expm1();
    -leading - a * (one + leading) * sum.get()
}

/// The side on which `x` lies, for large a and x near it: its function, by the uniform expansion of DLMF 8.12; `factor` is
/// theirs.
fn uniform<'b>(a: Var<'b>, x: Var<'b>, factor: Var<'b>) -> Var<'b> {
    let (zero, half) = (a.like(0.0), a.like(0.5));
    let mu = (x - a) / a;
    let phi = -log1p_rest(mu);
    let eta = (phi + phi).sqrt().copysign(mu);
    let inverse = a.like(1.0) / a;
    let sum = TEMME.iter().rev().fold(zero, |sum, table| sum * inverse + table.at(eta));
    let root = (a * a.like(2.0 * PI)).sqrt();
    let rest = sum / root;
    let tail = half * called!(scaled(eta.abs() * (a * half).sqrt()));
    // exp(-a phi), of which the factor has all digits.
    let exponential = factor * root * called!(stirling_rest(a)).exp();
    exponential * (tail + rest.when(mu.ge(zero), -rest))
}

/// The regularised upper function where `wanted_upper` is true, else the lower one; `a` and `x` are float64.
pub(super) fn regularised<'b>(a: Var<'b>, x: Var<'b>, wanted_upper: Var<'b>) -> Var<'b> {
    called!(regularised_with_factor(a, x, wanted_upper)).0
}

/// The same, and the [`factor`] where a and x are positive and finite.
fn regularised_with_factor<'b>(a: Var<'b>, x: Var<'b>, wanted_upper: Var<'b>) -> (Var<'b>, Var<'b>) {
    let builder = a.builder();
    let (zero, one, infinity) = (a.like(0.0), a.like(1.0), a.like(f64::INFINITY));
    let (value, is_upper) = (builder.local(zero), builder.local(builder.boolean(false)));
    let shared = builder.local(zero);
    let near = a.gt(a.like(20.0)) & (x - a).abs().lt(a * a.like(0.4));
    let inside = x.gt(zero) & x.lt(infinity) & a.gt(zero) & a.lt(infinity);
    let compute = || {
        let (factor, log) = called!(power(a, x));
        shared.set(factor);
        let apart = || {
            // Where the upper function is the larger one near 0, the series serves both.
            let few = (a.like(-0.4) / log).lt(a).when(x.le(a.like(0.5)) & a.lt(a.like(3.0)), (x * a.like(1.1)).lt(a));
            let beyond = x.gt(a.like(1.1));
            // Up to one more than a, less near 0, 1 less the series has more digits than the fraction.
            let by_series = x.lt(a + one.when(a.ge(one), zero)).when(beyond, few);
            let by_fraction = beyond & !by_series;
            let near_zero = wanted_upper & !(by_series | beyond);
            is_upper.set(by_fraction | near_zero);
            builder.branch(
                by_fraction,
                || value.set(factor * a * called!(fraction(a, x))),
                || {
                    builder.branch(
                        near_zero,
                        || value.set(called!(upper_near_zero(a, x, log))),
                        || value.set(factor * called!(series(a, x))),
                    );
                },
            );
        };
        let uniformly = || {
            value.set(called!(uniform(a, x, factor)));
            is_upper.set(x.ge(a));
        };
        builder.branch(near, uniformly, apart);
    };
    builder.branch(inside, compute, || {
        // All of the integral lies on one side, or the arguments have none.
        let nan = a.like(f64::NAN);
        let at_zero = x.eq(zero) & a.gt(zero);
        let full = (a.eq(zero) & x.gt(zero)) | (x.eq(infinity) & a.lt(infinity) & a.ge(zero));
        let empty = at_zero | (a.eq(infinity) & x.ge(zero) & x.lt(infinity));
        value.set(one.when(full, zero.when(empty, nan)));
    });
    let found = value.get();
    (found.when(is_upper.get().eq(wanted_upper), one - found), shared.get())
}

/// The logarithm of the regularised lower function of a number next to 0, of its logarithm: DLMF 8.7.1.
pub(super) fn log_near_zero<'b>(a: Var<'b>, log: Var<'b>) -> Var<'b> {
    a * log - log_gamma_1p(a)
}

/// The regularised function of a product of two numbers, the upper one where `wanted_upper`: its logarithm counts where a is
/// small, and the product may be rounded to 0.
pub(super) fn of_product<'b>(a: Var<'b>, x: Var<'b>, factor: Var<'b>, wanted_upper: Var<'b>) -> Var<'b> {
    let (zero, product) = (a.like(0.0), x * factor);
    let tiny = product.lt(a.like(TINY)) & x.gt(zero) & factor.gt(zero) & a.gt(zero);
    let near_zero = || {
        let log = log_near_zero(a, x.log() + factor.log());
        (-log.expm1()).when(wanted_upper, log.exp())
    };
    either(tiny, near_zero, || called!(regularised(a, product, wanted_upper)), DType::F64)
}

/// The regularised lower incomplete gamma function.
pub(super) fn gammainc<'b>(a: Var<'b>, x: Var<'b>) -> Var<'b> {
    in_double(&[a, x], |v| called!(regularised(v[0], v[1], v[0].builder().boolean(false))))
}

/// The regularised upper incomplete gamma function.
pub(super) fn gammaincc<'b>(a: Var<'b>, x: Var<'b>) -> Var<'b> {
    in_double(&[a, x], |v| called!(regularised(v[0], v[1], v[0].builder().boolean(true))))
}

/// The x at which the lower function is `lower` and the upper one `upper`; their sum is 1, and the smaller one is exact.
pub(super) fn inverse<'b>(a: Var<'b>, lower: Var<'b>, upper: Var<'b>) -> Var<'b> {
    let (zero, one, half) = (a.like(0.0), a.like(1.0), a.like(0.5));
    let (nan, infinity) = (a.like(f64::NAN), a.like(f64::INFINITY));
    let by_upper = upper.lt(lower);
    let target = upper.when(by_upper, lower);
    let solve = || {
        // Wilson and Hilferty's cube for moderate a, else the first terms of both series.
        let deviate = called!(ndtri(target));
        let deviate = (-deviate).when(by_upper, deviate);
        let ninth = one / (a * a.like(9.0));
        let root = one - ninth + deviate * ninth.sqrt();
        let cube = a * root * root * root;
        let first = ((lower.log() + log_gamma_1p(a)) / a).exp();
        let log_upper = -upper.log();
        let tail = log_upper - gammaln(a) + (a - one) * log_upper.max(one).log();
        let few = first.when(first.lt(a.like(0.7) * (a + one)), tail.max(a.like(1e-3)));
        let start = cube.when(root.gt(a.like(0.05)) & a.gt(half), few);
        increasing_root(start, zero, infinity, |x| {
            let (value, factor) = called!(regularised_with_factor(a, x, by_upper));
            let slope = factor * a / x;
            let bend = (a - one) / x - one;
            Step::of_probability(value, target, slope, by_upper, Some(bend))
        })
    };
    let inside = a.gt(zero) & a.lt(infinity) & lower.gt(zero) & upper.gt(zero);
    let edge = zero.when(lower.eq(zero), infinity.when(upper.eq(zero), nan));
    let edge = edge.when(a.gt(zero), zero.when(a.eq(zero) & upper.ge(zero) & lower.ge(zero), nan));
    either(inside, solve, || edge, DType::F64)
}

/// The inverse of gammainc in its second argument.
pub(super) fn gammaincinv<'b>(a: Var<'b>, p: Var<'b>) -> Var<'b> {
    in_double(&[a, p], |v| called!(inverse(v[0], v[1], v[0].like(1.0) - v[1])))
}

/// The inverse of gammaincc in its second argument.
pub(super) fn gammainccinv<'b>(a: Var<'b>, q: Var<'b>) -> Var<'b> {
    in_double(&[a, q], |v| called!(inverse(v[0], v[0].like(1.0) - v[1], v[1])))
}

/// Arguments below 0 have no probability.
fn nan_below_zero<'b>(x: Var<'b>, value: Var<'b>) -> Var<'b> {
    x.like(f64::NAN).when(x.lt(x.like(0.0)), value)
}

/// The probability of at most k events of a Poisson distribution.
pub(super) fn pdtr<'b>(k: Var<'b>, m: Var<'b>) -> Var<'b> {
    poisson(k, m, true)
}

/// The probability of more than k events of a Poisson distribution.
pub(super) fn pdtrc<'b>(k: Var<'b>, m: Var<'b>) -> Var<'b> {
    poisson(k, m, false)
}

fn poisson<'b>(k: Var<'b>, m: Var<'b>, up_to: bool) -> Var<'b> {
    in_double(&[k, m], |v| {
        let (k, m) = (v[0], v[1]);
        let (zero, one) = (k.like(0.0), k.like(1.0));
        let value = called!(regularised(k.floor() + one, m, k.builder().boolean(up_to)));
        let value = k.like(if up_to { 1.0 } else { 0.0 }).when(m.eq(zero), value);
        k.like(f64::NAN).when(k.lt(zero) | m.lt(zero), (k + m).when(k.is_nan() | m.is_nan(), value))
    })
}

/// The mean at which pdtr(k, m) is y.
pub(super) fn pdtri<'b>(k: Var<'b>, y: Var<'b>) -> Var<'b> {
    in_double(&[k, y], |v| {
        let (k, y, one) = (v[0], v[1], v[0].like(1.0));
        let value = called!(inverse(k.floor() + one, one - y, y));
        k.like(f64::NAN).when(k.lt(k.like(0.0)) | y.lt(k.like(0.0)) | y.ge(one), value)
    })
}

/// The probability of a chi square variable up to x.
pub(super) fn chdtr<'b>(df: Var<'b>, x: Var<'b>) -> Var<'b> {
    in_double(&[df, x], |v| chi_square(v[0], v[1], false))
}

/// The probability of a chi square variable beyond x.
pub(super) fn chdtrc<'b>(df: Var<'b>, x: Var<'b>) -> Var<'b> {
    in_double(&[df, x], |v| {
        let (df, x, zero) = (v[0], v[1], v[0].like(0.0));
        df.like(1.0).when(x.lt(zero) & df.ge(zero), chi_square(df, x, true))
    })
}

fn chi_square<'b>(df: Var<'b>, x: Var<'b>, upper: bool) -> Var<'b> {
    let half = x.like(0.5);
    nan_below_zero(x, called!(of_product(df * half, x, half, x.builder().boolean(upper))))
}

/// The x at which chdtrc is p.
pub(super) fn chdtri<'b>(df: Var<'b>, p: Var<'b>) -> Var<'b> {
    in_double(&[df, p], |v| {
        let (two, one) = (v[0].like(2.0), v[0].like(1.0));
        two * called!(inverse(v[0] / two, one - v[1], v[1]))
    })
}

/// The probability of a gamma variable of rate a and shape b up to x.
pub(super) fn gdtr<'b>(a: Var<'b>, b: Var<'b>, x: Var<'b>) -> Var<'b> {
    in_double(&[a, b, x], |v| {
        nan_below_zero(v[2], called!(of_product(v[1], v[0], v[2], v[0].builder().boolean(false))))
    })
}

/// The probability of a gamma variable of rate a and shape b beyond x.
pub(super) fn gdtrc<'b>(a: Var<'b>, b: Var<'b>, x: Var<'b>) -> Var<'b> {
    in_double(&[a, b, x], |v| nan_below_zero(v[2], called!(of_product(v[1], v[0], v[2], v[0].builder().boolean(true)))))
}

/// The x at which gdtr is p.
pub(super) fn gdtrix<'b>(a: Var<'b>, b: Var<'b>, p: Var<'b>) -> Var<'b> {
    in_double(&[a, b, p], |v| called!(inverse(v[1], v[2], v[0].like(1.0) - v[2])) / v[0])
}

/// The rate at which gdtr is p.
pub(super) fn gdtria<'b>(p: Var<'b>, b: Var<'b>, x: Var<'b>) -> Var<'b> {
    in_double(&[p, b, x], |v| called!(inverse(v[1], v[0], v[0].like(1.0) - v[0])) / v[2])
}
