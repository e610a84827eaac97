//! The incomplete beta function and the distributions that it is: DLMF 8.17; A. R. DiDonato, A. H. Morris, ACM TOMS 708
//! (1992).

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, PI};
use std::sync::LazyLock;

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

use super::approximation::{TINY, either, half_of, in_double, log1p_rest, normalizer, polynomial, sum_of_two};
use super::beta::{below_mean, beta_power_of, log_scaled_beta, positive_beta, positive_betaln, small_beta, takes_beta};
use super::called::called;
use super::double_double::Double;
use super::error::{ndtri, scaled};
use super::gamma::{RECURRENCE, stirling_rest};
use super::incomplete_gamma;
use super::logarithm::exact_shares;
use super::roots::{Step, increasing_root};

const EPSILON: f64 = 1.1e-16;
/// Up to this parameter what the powers of the series have of x stays in the range.
const POWERS: f64 = 300.0;
/// Bound of the continued fraction, which is used for a parameter below [`NORMAL_FROM`] or far from the mean.
const FRACTIONS: f64 = 4000.0;
/// What its last step may have changed where its value is one.
const UNCONVERGED: f64 = 1e-12;
/// From where on the smaller parameter, and up to which part of it the distance from the mean, have a uniform expansion; and
/// its terms.
const NORMAL_FROM: f64 = 200.0;
const NORMAL_NEAR: f64 = 0.2;
const NORMAL_TERMS: usize = 12;
/// Parameters beyond the first are multiplied by the second where their sum may overflow.
const HUGE: f64 = 1e280;
const SHRINK: f64 = 5.421_010_862_427_522e-20;
/// What a parameter times a share may be where the first term of the series is all, and the largest first parameter that
/// leaves a number there.
pub(super) const ALONE: f64 = 1e-17;
const MOST_NEAR_ZERO: f64 = 1000.0;
/// Bound of the series, which is used for x up to 0.7.
const TERMS: f64 = 300.0;
/// Steps of a loop between two looks at what they change.
const STEPS: u8 = 4;

/// The function left of the mean, `y` is 1 - x, the others as in [`regularised_by`]: the even part of DLMF 8.17.22, numerators and denominators apart, so that
/// one division serves a step.
fn fraction<'b>(a: Var<'b>, b: Var<'b>, beta: Var<'b>, power: Var<'b>, x: Var<'b>, y: Var<'b>) -> Var<'b> {
    let (builder, zero, one, two) = (a.builder(), a.like(0.0), a.like(1.0), a.like(2.0));
    let sum = a + b;
    let distance = below_mean(a, b, x, y) + one;
    let (m, odd) = (builder.local(zero), builder.local(a + one));
    let inverse = builder.local(one / (a + one));
    let (above, above_before) = (builder.local(a * distance * inverse.get()), builder.local(one));
    let (below, below_before) = (builder.local(one), builder.local(zero));
    let (value, change) = (builder.local(zero), builder.local(one));
    builder.repeat(
        || change.get().gt(a.like(4.0 * EPSILON)) & m.get().lt(a.like(FRACTIONS)),
        || {
            for _ in 0..STEPS {
                m.set(m.get() + one);
                let (m, first) = (m.get(), inverse.get());
                odd.set(odd.get() + two);
                inverse.set(one / odd.get());
                let share = m * (b - m) * x * first;
                let numerator = ((a + m - one) * first) * ((sum + m - one) * x) * share;
                let denominator = m + share + (a + m) * inverse.get() * (distance + m * (one + y));
                let next = |here: Var<'b>, before: Var<'b>| builder.fma(denominator, here, numerator * before);
                let (up, down) = (next(above.get(), above_before.get()), next(below.get(), below_before.get()));
                above_before.set(above.get());
                below_before.set(below.get());
                above.set(up);
                below.set(down);
            }
            let unit = normalizer(below.get().abs().max(a.like(1e-280)).min(a.like(1e290)));
            for local in [above, above_before, below, below_before] {
                local.set(local.get() * unit);
            }
            let found = above.get() / below.get();
            change.set(((found - value.get()) / found).abs());
            value.set(found);
        },
    );
    let power = either(power.is_nan(), || called!(beta_power_of(a, b, beta, x, y)), || power, a.dtype());
    let converged = change.get().le(a.like(UNCONVERGED));
    zero.when(power.eq(zero), (power / value.get()).when(converged, a.like(f64::NAN)))
}

/// The polynomials of [`uniform`], which serve d = (b - a) / (a + b). Where t runs over the interval and -z**2 / 2 is the
/// logarithm of t**a0 (1 - t)**b0 over that at the mean, with the shares a0 and b0 of the parameters, they are the
/// coefficients of (dt / dz) / (t (1 - t)) as a power series in z: its differential equation gives their recurrence.
static NORMAL: LazyLock<Vec<Vec<f64>>> = LazyLock::new(|| {
    let times = |a: &[f64], b: &[f64]| {
        let mut product = vec![0.0; a.len() + b.len() - 1];
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                product[i + j] += x * y;
            }
        }
        product
    };
    let add = |sum: &mut Vec<f64>, term: &[f64], factor: f64| {
        sum.resize(sum.len().max(term.len()), 0.0);
        sum.iter_mut().zip(term).for_each(|(sum, term)| *sum += factor * term);
    };
    let mut series: Vec<Vec<f64>> = vec![vec![1.0]];
    for n in 1..NORMAL_TERMS {
        let mut sum = vec![0.0];
        for i in 0..n {
            // The square's part, shifted by d, and the cube's without the new coefficient.
            add(&mut sum, &times(&[0.0, 1.0], &times(&series[i], &series[n - 1 - i])), 1.0);
            for j in (n - i).saturating_sub(n - 1)..=(n - i).min(n - 1) {
                let k = n - i - j;
                add(&mut sum, &times(&times(&series[i], &series[j]), &series[k]), 1.0);
            }
        }
        if n > 1 {
            add(&mut sum, &times(&[0.25, 0.0, -0.25], &series[n - 2]), -1.0);
        }
        let scale = -1.0 / (n as f64 + 2.0);
        sum.iter_mut().for_each(|coefficient| *coefficient *= scale);
        series.push(sum);
    }
    series
});

/// The function left of the mean by `lambda` over the sum, for large parameters: N. M. Temme's expansion (DLMF 8.18(ii)) in
/// moments of the normal distribution's tail.
fn uniform<'b>(a: Var<'b>, b: Var<'b>, lambda: Var<'b>) -> Var<'b> {
    let one = a.like(1.0);
    let sum = a + b;
    let exponent = a * log1p_rest(-lambda / a) + b * log1p_rest(lambda / b);
    // Beyond, the exponential is 0.
    let square = a.like(-2.0) * exponent.max(a.like(-800.0));
    let u = square.max(a.like(0.0)).sqrt();
    let skew = (b - a) / sum;
    let width = -(one / a + one / b).sqrt();
    // exp(u**2 / 2) times the integrals of u**n exp(-u**2 / 2).
    let mut moments = [called!(scaled(u * a.like(FRAC_1_SQRT_2))) * a.like(FRAC_PI_2.sqrt()), one];
    let (mut powers, mut value) = (one, a.like(0.0));
    let mut power_of_u = one;
    for (n, coefficients) in NORMAL.iter().enumerate() {
        let moment = moments[n % 2];
        // Every second coefficient is 0.
        let every_second: Vec<f64> = coefficients.iter().skip(n % 2).step_by(2).copied().collect();
        let factor = polynomial(skew * skew, &every_second);
        let factor = if n % 2 == 1 { factor * skew } else { factor };
        value = value + powers * factor * moment;
        powers = powers * width;
        // That of n + 2.
        power_of_u = power_of_u * u;
        moments[n % 2] = power_of_u + moment * a.like(n as f64 + 1.0);
    }
    let rest = stirling_rest(sum) - stirling_rest(a) - stirling_rest(b);
    a.like(FRAC_1_SQRT_2 / PI.sqrt()) * (exponent + rest).exp() * value
}

/// The power series without its first term, relative to that, DLMF 8.17.8 with x**n expanded: a quotient, so that no term
/// needs a division.
fn series_rest<'b>(a: Var<'b>, b: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (builder, zero, one) = (a.builder(), a.like(0.0), a.like(1.0));
    // Beyond, a / (a + n) is 1.
    let a = a.min(a.like(1e18));
    // What is 1 less the function is a part of a small a.
    let least = a.max(one);
    let (n, power) = (builder.local(zero), builder.local(one));
    let (numerator, denominator, term) = (builder.local(zero), builder.local(one), builder.local(one));
    builder.repeat(
        || {
            let whole = builder.fma(a, numerator.get(), denominator.get());
            (least * term.get()).abs().gt(whole.abs() * a.like(EPSILON)) & n.get().lt(a.like(TERMS))
        },
        || {
            for step in 1..=STEPS {
                let n = n.get() + a.like(step.into());
                let next = a + n;
                let both = n * next;
                term.set(power.get() * ((n - b) * x));
                numerator.set(builder.fma(numerator.get(), both, term.get()));
                denominator.set(denominator.get() * both);
                power.set(term.get() * next);
            }
            n.set(n.get() + a.like(STEPS.into()));
            let unit = normalizer(denominator.get());
            for local in [power, numerator, denominator, term] {
                local.set(local.get() * unit);
            }
        },
    );
    a * numerator.get() / denominator.get()
}

/// The function by its series, or where `complement` 1 less it, without cancellation where a is small; `y` is 1 - x.
fn series<'b>(a: Var<'b>, b: Var<'b>, beta: Var<'b>, x: Var<'b>, y: Var<'b>, complement: Var<'b>) -> Var<'b> {
    let power = exact_shares(x, y).0.log_power(a);
    let least = a.min(b);
    let less = |scale: Var<'b>| power.added(Double::new(-scale));
    let rest = called!(series_rest(a, b, x));
    // The logarithm of the beta function of large parameters is rounded, and that of 1 / least near the other one is small.
    let upper = || {
        let logarithm = less(called!(log_scaled_beta(a, b)));
        -(logarithm.high + logarithm.low).expm1() - logarithm.exp() * rest
    };
    let by_powers = || called!(beta_power_of(a, b, beta, x, y)) / (a * (b * (-x).log1p()).exp());
    let whole = || either(takes_beta(a, b), || beta, || called!(positive_beta(a, b)), a.dtype());
    let by_gamma = || power.exp() / (a * whole());
    let by_logarithm = || less(called!(log_scaled_beta(least, a.max(b)))).exp() * (least / a);
    let lower = || {
        let moderate = (a + b).le(a.like(RECURRENCE)) & a.gt(a.like(0.5));
        let both = least.gt(a.like(3.0)) & a.lt(a.like(POWERS));
        let others = || either(both, by_powers, by_logarithm, a.dtype());
        let first = either(moderate, by_gamma, others, a.dtype());
        first + first * rest
    };
    either(complement, upper, lower, a.dtype())
}

/// The regularised function at x where `wanted_upper` is false, else 1 less it; `y` is 1 - x, all are float64.
pub(super) fn regularised<'b>(a: Var<'b>, b: Var<'b>, x: Var<'b>, y: Var<'b>, wanted_upper: Var<'b>) -> Var<'b> {
    called!(regularised_of(a, b, called!(small_beta(a, b)), x, y, wanted_upper))
}

/// The same with what [`small_beta`] is.
fn regularised_of<'b>(a: Var<'b>, b: Var<'b>, beta: Var<'b>, x: Var<'b>, y: Var<'b>, wanted_upper: Var<'b>) -> Var<'b> {
    called!(regularised_by(a, b, beta, a.like(f64::NAN), x, y, wanted_upper))
}

/// The same with what `beta_power` is, or NaN if that is not known.
fn regularised_by<'b>(
    a: Var<'b>,
    b: Var<'b>,
    beta: Var<'b>,
    power: Var<'b>,
    x: Var<'b>,
    y: Var<'b>,
    wanted_upper: Var<'b>,
) -> Var<'b> {
    let builder = a.builder();
    let (zero, one, infinity) = (a.like(0.0), a.like(1.0), a.like(f64::INFINITY));
    let (value, is_upper) = (builder.local(zero), builder.local(builder.boolean(false)));
    let inside = a.gt(zero) & b.gt(zero) & a.lt(infinity) & b.lt(infinity) & x.gt(zero) & y.gt(zero);
    let compute = || {
        // Left of the mean, of this function or of that with sides exchanged.
        let swapped = (x * b).gt(y * a);
        let (p, q) = (b.when(swapped, a), a.when(swapped, b));
        let (u, v) = (y.when(swapped, x), x.when(swapped, y));
        is_upper.set(swapped);
        let near_end = u.gt(a.like(0.7)) & q.le(one) & (p * v).le(one);
        let by_series = u.le(a.like(0.7)) & (q.le(one) | (q * u).le(one));
        let of_series = || {
            // Of a small parameter 1 less the function may be wanted where that is nearly 1.
            let rest = by_series & p.lt(a.like(0.1)) & swapped.eq(wanted_upper).eq(builder.boolean(false));
            is_upper.set(is_upper.get().eq(rest).eq(builder.boolean(false)));
            let (p, q) = (q.when(near_end, p), p.when(near_end, q));
            let (u, v) = (v.when(near_end, u), u.when(near_end, v));
            value.set(called!(series(p, q, beta, u, v, near_end | rest)));
        };
        let others = || {
            // Beyond these numbers only the quotient counts, whose sum might overflow.
            let huge = p.min(q).gt(a.like(HUGE));
            let (unit, power) = (a.like(SHRINK).when(huge, one), a.like(f64::NAN).when(huge, power));
            let (p, q) = (p * unit, q * unit);
            let lambda = below_mean(p, q, u, v);
            let smaller = p.min(q);
            let near = smaller.ge(a.like(NORMAL_FROM)) & lambda.le(smaller * a.like(NORMAL_NEAR));
            builder.branch(
                near,
                || value.set(called!(uniform(p, q, lambda.max(zero)))),
                || value.set(called!(fraction(p, q, beta, power, u, v))),
            );
        };
        builder.branch(near_end | by_series, of_series, others);
    };
    let edges = || {
        let valid = a.ge(zero) & b.ge(zero) & x.ge(zero) & y.ge(zero);
        let undecided = (a.eq(zero) & b.eq(zero)) | (a.eq(infinity) & b.eq(infinity));
        let at_left = a.eq(zero) | b.eq(infinity);
        let full = y.eq(zero) | (at_left & x.gt(zero));
        let full = full & ((b.eq(zero) | a.eq(infinity)) & y.gt(zero)).eq(builder.boolean(false));
        let known = one.when(full, zero);
        value.set(known.when(valid & undecided.eq(builder.boolean(false)), a.like(f64::NAN)));
    };
    builder.branch(inside, compute, edges);
    let found = value.get();
    found.when(is_upper.get().eq(wanted_upper), one - found)
}

/// The regularised incomplete beta function.
pub(super) fn betainc<'b>(a: Var<'b>, b: Var<'b>, x: Var<'b>) -> Var<'b> {
    in_double(&[a, b, x], |v| {
        let beta = called!(small_beta(v[0], v[1]));
        called!(regularised_of(v[0], v[1], beta, v[2], v[0].like(1.0) - v[2], v[0].builder().boolean(false)))
    })
}

/// One less the regularised incomplete beta function.
pub(super) fn betaincc<'b>(a: Var<'b>, b: Var<'b>, x: Var<'b>) -> Var<'b> {
    in_double(&[a, b, x], |v| {
        let beta = called!(small_beta(v[0], v[1]));
        called!(regularised_of(v[0], v[1], beta, v[2], v[0].like(1.0) - v[2], v[0].builder().boolean(true)))
    })
}

/// The x at which the function is `lower` and 1 less it `upper`, of which the smaller one is exact.
fn inverse<'b>(a: Var<'b>, b: Var<'b>, lower: Var<'b>, upper: Var<'b>) -> Var<'b> {
    called!(inverse_of(a, b, called!(small_beta(a, b)), lower, upper))
}

/// The same with what [`small_beta`] is.
fn inverse_of<'b>(a: Var<'b>, b: Var<'b>, beta: Var<'b>, lower: Var<'b>, upper: Var<'b>) -> Var<'b> {
    let (zero, one, two) = (a.like(0.0), a.like(1.0), a.like(2.0));
    let by_upper = upper.lt(lower);
    let target = upper.when(by_upper, lower);
    let solve = || {
        // Abramowitz and Stegun 26.5.22 for parameters above 1, else the first terms at both ends.
        let deviate = called!(ndtri(target));
        let deviate = deviate.when(by_upper, -deviate);
        let (ra, rb) = (one / (two * a - one), one / (two * b - one));
        let h = two / (ra + rb);
        let lambda = (deviate * deviate - a.like(3.0)) / a.like(6.0);
        let w = deviate * (h + lambda).max(zero).sqrt() / h
            - (rb - ra) * (lambda + a.like(5.0 / 6.0) - two / (a.like(3.0) * h));
        let large = a / (a + b * (two * w).exp());
        let log_beta = called!(positive_betaln(a, b));
        let left = ((lower.log() + a.log() + log_beta) / a).exp();
        let right = one - ((upper.log() + b.log() + log_beta) / b).exp();
        let few = left.when(left.lt(a / (a + b)), right);
        let start = large.when(a.gt(one) & b.gt(one), few);
        increasing_root(start, zero, one, |x| {
            let y = one - x;
            let power = called!(beta_power_of(a, b, beta, x, y));
            let value = called!(regularised_by(a, b, beta, power, x, y, by_upper));
            let slope = power / (x * y);
            let bend = (a - one) / x - (b - one) / y;
            Step::of_probability(value, target, slope, by_upper, Some(bend))
        })
    };
    let infinity = a.like(f64::INFINITY);
    let inside = a.gt(zero) & b.gt(zero) & lower.gt(zero) & upper.gt(zero) & a.lt(infinity) & b.lt(infinity);
    // With one infinite parameter all of the distribution lies at one end.
    let end = one.when(b.lt(infinity), zero.when(a.lt(infinity), a.like(f64::NAN)));
    let end = end.when(lower.gt(zero) & upper.gt(zero), a.like(f64::NAN));
    let edge = zero.when(lower.eq(zero), one.when(upper.eq(zero), end));
    let edge = edge.when(a.gt(zero) & b.gt(zero), a.like(f64::NAN));
    either(inside, solve, || edge, DType::F64)
}

/// The inverse of betainc in its last argument.
pub(super) fn betaincinv<'b>(a: Var<'b>, b: Var<'b>, p: Var<'b>) -> Var<'b> {
    in_double(&[a, b, p], |v| inverse(v[0], v[1], v[2], v[0].like(1.0) - v[2]))
}

/// The inverse of betaincc in its last argument.
pub(super) fn betainccinv<'b>(a: Var<'b>, b: Var<'b>, q: Var<'b>) -> Var<'b> {
    in_double(&[a, b, q], |v| inverse(v[0], v[1], v[0].like(1.0) - v[2], v[2]))
}

/// `value` where the condition holds, else NaN.
fn valid<'b>(condition: Var<'b>, value: Var<'b>) -> Var<'b> {
    value.when(condition, value.like(f64::NAN))
}

fn binomial<'b>(k: Var<'b>, n: Var<'b>, p: Var<'b>, upper: bool) -> Var<'b> {
    in_double(&[k, n, p], |v| {
        let (k, n, p) = (v[0].floor(), v[1], v[2]);
        let (zero, one, builder) = (k.like(0.0), k.like(1.0), k.builder());
        let (a, b, side) = (k + one, n - k, builder.boolean(upper).eq(builder.boolean(false)));
        let value = called!(regularised_of(a, b, called!(small_beta(a, b)), p, one - p, side));
        let (all, none) = if upper { (zero, one) } else { (one, k.like(f64::NAN)) };
        let value = all.when(k.eq(n), none.when(k.lt(zero), value));
        let below = if upper { k.ge(k.like(f64::NEG_INFINITY)) } else { k.ge(zero) };
        let known = p.ge(zero) & p.le(one) & n.ge(k) & below;
        valid(known, value)
    })
}

/// The probability of at most k successes in n trials.
pub(super) fn bdtr<'b>(k: Var<'b>, n: Var<'b>, p: Var<'b>) -> Var<'b> {
    binomial(k, n, p, false)
}

/// The probability of more than k successes in n trials.
pub(super) fn bdtrc<'b>(k: Var<'b>, n: Var<'b>, p: Var<'b>) -> Var<'b> {
    binomial(k, n, p, true)
}

/// The probability of success at which bdtr is y.
pub(super) fn bdtri<'b>(k: Var<'b>, n: Var<'b>, y: Var<'b>) -> Var<'b> {
    in_double(&[k, n, y], |v| {
        let (k, n, y) = (v[0].floor(), v[1], v[2]);
        let (zero, one) = (k.like(0.0), k.like(1.0));
        let value = inverse(k + one, n - k, one - y, y);
        valid(y.ge(zero) & y.le(one) & k.ge(zero) & n.gt(k), value)
    })
}

fn negative_binomial<'b>(k: Var<'b>, n: Var<'b>, p: Var<'b>, upper: bool) -> Var<'b> {
    in_double(&[k, n, p], |v| {
        let (k, n, p) = (v[0], v[1], v[2]);
        let (zero, one) = (k.like(0.0), k.like(1.0));
        let (b, side) = (k + one, k.builder().boolean(upper));
        let value = called!(regularised_of(n, b, called!(small_beta(n, b)), p, one - p, side));
        valid(p.ge(zero) & p.le(one) & k.ge(zero) & n.gt(zero), value)
    })
}

/// The probability of at most k failures before n successes.
pub(super) fn nbdtr<'b>(k: Var<'b>, n: Var<'b>, p: Var<'b>) -> Var<'b> {
    negative_binomial(k, n, p, false)
}

/// The probability of more than k failures before n successes.
pub(super) fn nbdtrc<'b>(k: Var<'b>, n: Var<'b>, p: Var<'b>) -> Var<'b> {
    negative_binomial(k, n, p, true)
}

/// The probability of success at which nbdtr is y.
pub(super) fn nbdtri<'b>(k: Var<'b>, n: Var<'b>, y: Var<'b>) -> Var<'b> {
    in_double(&[k, n, y], |v| {
        let (k, n, y, one) = (v[0], v[1], v[2], v[0].like(1.0));
        valid(k.ge(k.like(0.0)), inverse(n, k + one, y, one - y))
    })
}

/// The logarithm of the regularised function of halves of a and b next to 0: DLMF 8.17.7. The argument is given by its
/// logarithm, and may be below the smallest numbers.
pub(super) fn log_near_zero<'b>(a: Var<'b>, b: Var<'b>, log: Var<'b>) -> Var<'b> {
    // Of large parameters it is nothing.
    let a = a.min(a.like(MOST_NEAR_ZERO));
    a * log * a.like(0.5) - called!(log_scaled_beta(half_of(a), half_of(b)))
}

/// The probability of an F variable of finite parameters up to x, or where `upper` beyond it.
pub(super) fn f_probability<'b>(a: Var<'b>, b: Var<'b>, x: Var<'b>, upper: Var<'b>) -> Var<'b> {
    let (one, tiny, alone) = (a.like(1.0), a.like(TINY), a.like(ALONE));
    let (builder, product) = (a.builder(), a * x);
    // Both shares come from the sum, so that the smaller one keeps its digits.
    let (sum, rounded) = sum_of_two(b, product);
    let share = one.when(product.eq(a.like(f64::INFINITY)), product / sum);
    let rest = b / sum;
    // Of tiny shares the logarithms count.
    let at_left = share.lt(tiny) & product.lt(alone);
    let at_right = rest.lt(tiny) & (one / x).lt(alone / b);
    let at_end = || {
        let log = a.log() + x.log() - b.log();
        let (p, q, log) = (a.when(at_left, b), b.when(at_left, a), log.when(at_left, -log));
        let found = called!(log_near_zero(p, q, log));
        (-found.expm1()).when(upper.eq(at_left), found.exp())
    };
    let inside = || {
        let (p, q) = (half_of(a), half_of(b));
        let found = called!(regularised(p, q, share, rest, upper));
        // What the roundings of the shares leave counts in a tail about by the distance from the mean: of both shares the
        // smaller one is used.
        let lost = builder.fma(a, x, -product);
        let of_share = (builder.fma(-share, sum, product) + lost - share * (rounded + lost)) / (product * rest);
        let of_rest = (rest * (rounded + lost) - builder.fma(-rest, sum, b)) / (b * share);
        let left = below_mean(p, q, share, rest) * of_share.when(share.lt(rest), of_rest);
        let counts = upper.ne(left.like(0.0).lt(below_mean(p, q, share, rest))) & left.abs().lt(a.like(1e-10));
        found + found * left.when(counts, a.like(0.0))
    };
    either(at_left | at_right, at_end, inside, DType::F64)
}

fn f_distribution<'b>(a: Var<'b>, b: Var<'b>, x: Var<'b>, upper: bool) -> Var<'b> {
    in_double(&[a, b, x], |v| {
        let (a, b, x, half) = (v[0], v[1], v[2], v[0].like(0.5));
        let (zero, one, side) = (a.like(0.0), a.like(1.0), a.builder().boolean(upper));
        let infinity = a.like(f64::INFINITY);
        let of_beta = || called!(f_probability(a, b, x, side));
        // With one infinite parameter it is a chi square distribution, that of b of 1 / x where it is the first one.
        let of_gamma = || {
            let first = a.eq(infinity);
            let (df, factor, point) = (b.when(first, a), b.when(first, a), (one / x).when(first, x));
            called!(incomplete_gamma::of_product(df * half, factor * half, point, (!side).when(first, side)))
        };
        let unbounded = a.eq(infinity) | b.eq(infinity);
        let value = either(unbounded, of_gamma, of_beta, DType::F64);
        // With both it is a step at 1.
        let (low, high) = if upper { (one, zero) } else { (zero, one) };
        let step = low.when(x.lt(one), high.when(x.gt(one), a.like(f64::NAN)));
        let value = step.when(a.eq(infinity) & b.eq(infinity), value);
        valid(a.gt(zero) & b.gt(zero) & x.ge(zero), value)
    })
}

/// The probability of an F variable up to x.
pub(super) fn fdtr<'b>(a: Var<'b>, b: Var<'b>, x: Var<'b>) -> Var<'b> {
    f_distribution(a, b, x, false)
}

/// The probability of an F variable beyond x.
pub(super) fn fdtrc<'b>(a: Var<'b>, b: Var<'b>, x: Var<'b>) -> Var<'b> {
    f_distribution(a, b, x, true)
}

/// The x at which fdtr is p.
pub(super) fn fdtri<'b>(a: Var<'b>, b: Var<'b>, p: Var<'b>) -> Var<'b> {
    in_double(&[a, b, p], |v| {
        let (a, b, p) = (v[0], v[1], v[2]);
        let (zero, one, half) = (a.like(0.0), a.like(1.0), a.like(0.5));
        // The share of the side on which it is small keeps its digits.
        let middle = called!(regularised(a * half, b * half, half, half, a.builder().boolean(false)));
        let is_left = p.le(middle);
        let (shape, other) = (a.when(is_left, b) * half, b.when(is_left, a) * half);
        let (lower, upper) = (p.when(is_left, one - p), (one - p).when(is_left, p));
        let share = inverse(shape, other, lower, upper);
        // The inverse of the smallest shares would overflow.
        let quotient = (b * (share / (one - share)) / a).when(is_left, b * (one - share) / a / share);
        valid(a.gt(zero) & b.gt(zero) & p.ge(zero) & p.le(one), quotient)
    })
}

/// The probability that Student's variable of finite df exceeds the positive t by size, or where `within` that it does not.
pub(super) fn student_side<'b>(df: Var<'b>, t: Var<'b>, within: Var<'b>) -> Var<'b> {
    called!(student_side_of(df, called!(student_beta(df)), t, within))
}

/// [`small_beta`] of the parameters of Student's distribution.
fn student_beta(df: Var<'_>) -> Var<'_> {
    called!(small_beta(half_of(df), df.like(0.5)))
}

fn student_side_of<'b>(df: Var<'b>, beta: Var<'b>, t: Var<'b>, within: Var<'b>) -> Var<'b> {
    let (builder, one, square) = (df.builder(), df.like(1.0), t * t);
    let (sum, rounded) = sum_of_two(df, square);
    let share = one.when(square.eq(df.like(f64::INFINITY)), square / sum);
    let rest = df / sum;
    // Of tiny shares the logarithms count.
    let far = rest.lt(df.like(TINY)) & df.gt(df.like(0.0));
    let at_end = || {
        let log = called!(log_near_zero(df, one, df.log() - t.log() - t.log()));
        (-log.expm1()).when(within, log.exp())
    };
    let inside = || {
        let found = called!(regularised_of(half_of(df), df.like(0.5), beta, rest, share, within));
        // The tail is about a power of df / 2 of the share's rest, of which the roundings leave this part of it.
        // Of both shares the smaller one counts.
        let lost = builder.fma(t, t, -square);
        let of_rest = builder.fma(-rest, sum, df) - rest * (rounded + lost);
        let of_share = share * (rounded + lost) - lost - builder.fma(-share, sum, square);
        let left = of_share.when(share.lt(rest), of_rest);
        let left = left.when(square.lt(df.like(1e300)) & t.gt(one), df.like(0.0)) * df.like(0.5);
        (found - (one - found) * left).when(within, found + found * left)
    };
    either(far, at_end, inside, DType::F64)
}

/// The probability of Student's variable up to t.
pub(super) fn stdtr<'b>(df: Var<'b>, t: Var<'b>) -> Var<'b> {
    in_double(&[df, t], |v| {
        let (df, t, half, zero) = (v[0], v[1], v[0].like(0.5), v[0].like(0.0));
        let one = df.like(1.0);
        let within = df.builder().boolean(false);
        let tail = half * called!(student_side_of(df, called!(student_beta(df)), t.abs(), within));
        let tail = super::error::ndtr(-t.abs()).when(df.eq(df.like(f64::INFINITY)), tail);
        valid(df.gt(zero) & t.eq(t), tail.when(t.lt(zero), one - tail))
    })
}

/// A t that Student's distribution is near to exceed by size with probability `twice`, for df from 1 on: G. W. Hill, CACM 13
/// (1970), algorithm 396.
fn hill<'b>(df: Var<'b>, twice: Var<'b>) -> Var<'b> {
    let (builder, half, one, three) = (df.builder(), df.like(0.5), df.like(1.0), df.like(3.0));
    let n = df.max(one).min(df.like(1e30));
    let a = one / (n - half);
    let b = df.like(48.0) / (a * a);
    let c = ((df.like(20700.0) * a / b - df.like(98.0)) * a - df.like(16.0)) * a + df.like(96.36);
    let d = ((df.like(94.5) / (b + c) - three) / b + one) * (a * df.like(FRAC_PI_2)).sqrt() * n;
    let tail = ((d * twice).log() * (df.like(2.0) / n)).exp();
    let by_normal = || {
        let x = called!(ndtri(half * twice));
        let few = df.like(0.3) * (n - df.like(4.5)) * (x + df.like(0.6));
        let c = (c + few).when(n.lt(df.like(5.0)), c);
        let c = (((df.like(0.05) * d * x - df.like(5.0)) * x - df.like(7.0)) * x - df.like(2.0)) * x + b + c;
        let y = x * x;
        let upper = builder.fma(builder.fma(df.like(0.4), y, df.like(6.3)), y, df.like(36.0)) * y + df.like(94.5);
        let y = ((upper / c - y - three) / b + one) * x;
        (a * y * y).expm1()
    };
    let by_tail = || {
        let divisor = ((n + df.like(6.0)) / (n * tail) - df.like(0.089) * d - df.like(0.822)) * (n + df.like(2.0));
        let inner = one / (divisor * three) + half / (n + df.like(4.0));
        (inner * tail - one) * (n + one) / (n + df.like(2.0)) + one / tail
    };
    (n * either(tail.gt(a + df.like(0.05)), by_normal, by_tail, DType::F64)).sqrt()
}

/// The t > 0 that Student's distribution exceeds by size with probability `twice`, between 0 and 1: Halley's rule for the
/// logarithm of the probability as a function of log(t), which is straight far out and near 0.
fn student_quantile<'b>(df: Var<'b>, beta: Var<'b>, twice: Var<'b>) -> Var<'b> {
    let (builder, zero, half, one, two) = (df.builder(), df.like(0.0), df.like(0.5), df.like(1.0), df.like(2.0));
    let a = df * half;
    // The first term of the tail's series is the sum where t is huge.
    let leading = || {
        // By half of the exponent: the share may be below the smallest numbers.
        let log_beta = Double::new(called!(positive_betaln(a, half)));
        let exponent = Double::new(twice).log().plus(Double::new(a).log()).plus(log_beta).over(Double::new(a));
        let root = exponent.scaled(-half).exp();
        let share = one / (root * root);
        (df * (one - share).max(df.like(1e-3))).sqrt() * root
    };
    let far = df.lt(one) | (twice.log() / df).lt(df.like(-100.0));
    let t = builder.local(either(far, leading, || called!(hill(df, twice)), DType::F64));
    let central = twice.gt(half);
    let target = (one - twice).when(central, twice);
    let (n, more) = (builder.local(zero), builder.local(t.get().lt(df.like(1e75))));
    builder.repeat(
        || more.get() & n.get().lt(df.like(100.0)),
        || {
            let here = t.get();
            let sum = df + here * here;
            let (x, y) = (df / sum, here * here / sum);
            let power = called!(beta_power_of(a, half, beta, x, y));
            let value = called!(regularised_by(a, half, beta, power, x, y, central));
            let slope = two * power / value;
            let slope = slope.when(central, -slope);
            let step = ((value - target) / target).log1p() / slope;
            let bend = one - (df + one) * y - slope;
            let divisor = (one - half * step * bend).max(half).min(two);
            let step = (step / divisor).max(-two).min(two);
            t.set(here + here * (-step).expm1());
            more.set(step.abs().gt(df.like(3e-6)));
            n.set(n.get() + one);
        },
    );
    t.get()
}

/// The t at which stdtr is p.
pub(super) fn stdtrit<'b>(df: Var<'b>, p: Var<'b>) -> Var<'b> {
    in_double(&[df, p], |v| called!(student_inverse(v[0], called!(student_beta(v[0])), v[1])))
}

fn student_inverse<'b>(df: Var<'b>, beta: Var<'b>, p: Var<'b>) -> Var<'b> {
    let (zero, one, half) = (df.like(0.0), df.like(1.0), df.like(0.5));
    let infinity = df.like(f64::INFINITY);
    let tail = p.min(one - p);
    let inside = df.gt(zero) & df.lt(infinity) & tail.gt(zero) & tail.lt(half);
    let normal = || -called!(ndtri(tail));
    let size = either(inside, || called!(student_quantile(df, beta, tail + tail)), normal, DType::F64);
    let value = size.when(p.gt(half), -size);
    let value = zero.when(p.eq(half), value);
    let end = infinity.when(p.eq(one), -infinity);
    let value = end.when(p.eq(zero) | p.eq(one), value);
    valid(df.gt(zero) & p.ge(zero) & p.le(one), value)
}
