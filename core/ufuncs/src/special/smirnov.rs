//! The distribution of Smirnov's one-sided statistic, and its inverse.

use std::f64::consts::PI;

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

use super::approximation::either;
use super::called::called;
use super::double_double::{Double, DoubleVar};
use super::gamma::stirling_rest;
use super::logarithm::{mantissa, power_of_two};
use super::parameters::{distance, root};
use crate::Ufunc;
use crate::table::binary;

/// Most terms; beyond so many trials the leading terms of an expansion are exact.
const TERMS: f64 = 1e6;
/// Up to so many trials the sum has twice the digits; nodes of the quadrature, which serves beyond them and from so large a
/// statistic times them on.
const MANY: f64 = 1000.0;
const NODES: f64 = 256.0;
const FAR_FROM_END: f64 = 50.0;
/// Instead of bases that are not positive, whose terms do not count.
const LEAST: f64 = 1e-280;
/// What Stirling's formula leaves of the logarithms of 1! and 2!.
const REST_1: f64 = 0.081_061_466_795_327_26;
const REST_2: f64 = 0.041_340_695_955_409_29;

pub(super) fn rows() -> Vec<Ufunc> {
    const LOOPS: &str = "ld->d, ff->f, dd->d";
    let rows = [
        binary("smirnov", LOOPS, "Survival function of Smirnov's one-sided statistic.", |n, d| {
            with_trials(n, d, survival)
        }),
        binary("smirnovi", LOOPS, "Inverse of smirnov.", |n, p| with_trials(n, p, inverse)),
        binary("_smirnovc", LOOPS, "Cumulative distribution of Smirnov's one-sided statistic.", |n, d| {
            with_trials(n, d, distribution)
        }),
        binary("_smirnovci", LOOPS, "Inverse of _smirnovc.", |n, p| with_trials(n, p, inverse_of_distribution)),
        binary("_smirnovp", LOOPS, "Derivative of smirnov for up to 1000 trials.", |n, d| with_trials(n, d, slope)),
    ];
    let source = "Birnbaum and Tingey, Ann. Math. Stat. 22 (1951): sum of positive terms; Lauwerier (1963): expansion";
    rows.into_iter().map(|row| row.source(source).special()).collect()
}

/// A body in float64; numbers of trials are whole.
fn with_trials<'b>(n: Var<'b>, x: Var<'b>, body: impl FnOnce(Var<'b>, Var<'b>) -> Var<'b>) -> Var<'b> {
    let single = x.dtype() == DType::F32;
    let (trials, wide) = (n.cast(DType::F64).floor(), x.cast(DType::F64));
    let valid = trials.gt(wide.like(0.0)) & trials.lt(wide.like(f64::INFINITY)) & wide.ge(wide.like(0.0));
    let valid = valid & wide.le(wide.like(1.0));
    let value = either(valid, || body(trials, wide), || wide.like(f64::NAN), DType::F64);
    value.cast(if single { DType::F32 } else { DType::F64 })
}

/// log(k!) less Stirling's formula.
fn rest(k: Var<'_>) -> Var<'_> {
    let small = k.like(REST_1).when(k.lt(k.like(1.5)), k.like(REST_2));
    small.when(k.lt(k.like(2.5)), stirling_rest(k.max(k.like(2.5))))
}

/// a**p b**q for whole p and q by squaring, with twice the digits, and the exponent of 2 that it is to be multiplied by.
fn product_of_powers<'b>([a, b]: [Double<'b>; 2], [p, q]: [Var<'b>; 2]) -> (Double<'b>, Var<'b>) {
    let (builder, zero, half) = (p.builder(), p.like(0.0), p.like(0.5));
    let ((a, a_exponent), (b, b_exponent)) = (mantissa(a), mantissa(b));
    let one = Double::new(p.like(1.0));
    let powers =
        [(a, p), (b, q)].map(|(base, exponent)| (DoubleVar::new(base), DoubleVar::new(one), builder.local(exponent)));
    builder.repeat(
        || powers[0].2.get().max(powers[1].2.get()).gt(zero),
        || {
            for (square, power, left) in powers {
                let rest = (left.get() * half).floor();
                let odd = (rest + rest).ne(left.get());
                let base = square.get();
                power.set(power.get().times(base).when(odd, power.get()));
                square.set(base.times(base));
                left.set(rest);
            }
        },
    );
    (powers[0].1.get().times(powers[1].1.get()), a_exponent * p + b_exponent * q)
}

/// The sum of Birnbaum and Tingey's terms with twice the digits for up to [`MANY`] trials, or its slope: term j is
/// d C(n, j) a**(j - 1) b**(n - j) with a = d + j / n, b = 1 - a.
fn sum_by_powers<'b>(n: Var<'b>, d: Var<'b>, is_slope: bool) -> (Var<'b>, Var<'b>) {
    let (builder, zero, one) = (n.builder(), n.like(0.0), n.like(1.0));
    let (single, width) = (Double::new(one), Double::new(d));
    let shift = Double::new(n).times(width);
    let share = single.over(Double::new(n));
    // The last term, of which b is positive, depends on the second part of the shift.
    let last = (n - shift.high).floor().min(n - one);
    let (j, choices, sum) = (builder.local(zero), DoubleVar::new(single), DoubleVar::new(Double::new(zero)));
    builder.repeat(
        || j.get().le(last),
        || {
            let (here, left) = (j.get(), n - j.get());
            let a = Double::new(here).plus(shift).times(share);
            let b = Double::new(left).plus(shift.negated()).times(share);
            let counts = b.high.gt(zero);
            let off = one.when(counts, zero);
            let b = Double { high: b.high.when(counts, n.like(LEAST)), low: b.low.when(counts, zero) };
            let (factor, p, q) = if is_slope {
                // The factor of C(n, j) a**(j - 2) b**(n - j - 1).
                let away = b.scaled(here - one).plus(a.scaled(-left));
                let others = a.times(b).plus(away.times(width));
                let second = b.plus(width.scaled(-left));
                let first = Double::new(-n);
                let factor = first.when(here.eq(zero), second.when(here.eq(one), others));
                (factor, (here - one - one).max(zero), left - one)
            } else {
                (single.when(here.eq(zero), width), (here - one).max(zero), left)
            };
            let (powers, exponent) = product_of_powers([a, b], [p, q]);
            // The exponent in parts: the binomial coefficient and the mantissas' powers may be large where it is small.
            let first = exponent.max(n.like(-480.0));
            let second = (exponent - first).max(n.like(-1000.0));
            let third = (exponent - first - second).max(n.like(-1020.0));
            let powers = powers.scaled(power_of_two(first) * off);
            let choice = choices.get().scaled(power_of_two(second));
            let term = choice.times(powers).scaled(power_of_two(third)).times(factor);
            sum.set(sum.get().plus(term));
            choices.set(choices.get().scaled(left).over(Double::new(here + one)));
            j.set(here + one);
        },
    );
    (sum.get().high, sum.get().low)
}

fn sum_of_terms<'b>(n: Var<'b>, d: Var<'b>) -> (Var<'b>, Var<'b>) {
    sum_by_powers(n, d, false)
}

fn slope_of_terms<'b>(n: Var<'b>, d: Var<'b>) -> (Var<'b>, Var<'b>) {
    sum_by_powers(n, d, true)
}

/// Term j of the sum, 0 < j < n (1 - d): a binomial probability, by its quotient by the one at the mean.
fn term<'b>(n: Var<'b>, d: Var<'b>, j: Var<'b>) -> Var<'b> {
    let (first, left, shift) = (Double::new(j), Double::sum(n, -j), Double::new(n).times(Double::new(d)));
    let log = left.plus(shift.negated()).over(left).log();
    let others = log.scaled(left.high).plus(Double::new(left.low * log.high));
    let exponent = first.plus(shift).over(first).log_power(j).plus(others);
    let root = (n / (n.like(2.0 * PI) * j * left.high)).sqrt();
    let rests = rest(n) - rest(j) - rest(left.high);
    exponent.plus(Double::new(rests)).exp() * root * shift.high / (shift.high + j)
}

/// Whether d is at most 1 / n, without a rounding.
fn in_first<'b>(n: Var<'b>, d: Var<'b>) -> Var<'b> {
    n.builder().fma(n, d, n.like(-1.0)).le(n.like(0.0))
}

/// Whether the sum by powers serves.
fn is_few<'b>(n: Var<'b>, d: Var<'b>) -> Var<'b> {
    n.le(n.like(MANY)) & !in_first(n, d) & d.lt(n.like(1.0))
}

/// The probability of a statistic of at least d.
fn survival<'b>(n: Var<'b>, d: Var<'b>) -> Var<'b> {
    either(is_few(n, d), || called!(sum_of_terms(n, d)).0, || called!(survival_of_many(n, d)), DType::F64)
}

/// The probability of a statistic below d.
fn distribution<'b>(n: Var<'b>, d: Var<'b>) -> Var<'b> {
    let one = n.like(1.0);
    let few = || {
        let (high, low) = called!(sum_of_terms(n, d));
        (one - high) - low
    };
    let first_step = || called!(complement(n, d));
    let many = || either(in_first(n, d), first_step, || one - called!(survival_of_many(n, d)), DType::F64);
    either(is_few(n, d), few, many, DType::F64)
}

/// The derivative of the survival function for up to [`MANY`] trials.
fn slope<'b>(n: Var<'b>, d: Var<'b>) -> Var<'b> {
    let (zero, one, two) = (n.like(0.0), n.like(1.0), n.like(2.0));
    let first_step = || -Double::sum(one, d).log().scaled(n - two).exp() * (one + n * d);
    let end = || (-one).when(n.eq(one), zero);
    let few = n.min(n.like(MANY));
    let steps = || either(d.lt(one), || called!(slope_of_terms(few, d)).0, end, DType::F64);
    let value = either(in_first(n, d), first_step, steps, DType::F64);
    value.when(n.le(n.like(MANY)), n.like(f64::NAN))
}

fn survival_of_many<'b>(n: Var<'b>, d: Var<'b>) -> Var<'b> {
    let (builder, zero, one, half) = (n.builder(), n.like(0.0), n.like(1.0), n.like(0.5));
    let shift = n * d;
    let smooth = n.gt(n.like(MANY)) & shift.gt(n.like(FAR_FROM_END));
    let few = smooth | n.le(n.like(TERMS));
    // j runs over whole numbers, or, as terms vanish at both ends, over nodes that are even in an angle.
    let near = || (n * (-d).log1p()).exp();
    let first = either(d.ge(half), || (one - d).pow(n), near, DType::F64);
    let last = (n - shift).ceil() - one;
    let count = n.like(NODES).when(smooth, last);
    let angle = n.like(PI / 2.0 / NODES);
    let (sum, k) = (builder.local(zero), builder.local(one));
    builder.repeat(
        || k.get().le(count) & few,
        || {
            let theta = (k.get() - half) * angle;
            let (sine, cosine) = (theta.sin(), theta.cos());
            let span = n - shift;
            let j = (span * sine * sine).when(smooth, k.get());
            let weight = (n.like(2.0) * angle * span * sine * cosine).when(smooth, one);
            let value = term(n, d, j) * weight;
            sum.set(sum.get() + zero.when(j.le(zero) | j.ge(span), value));
            k.set(k.get() + one);
        },
    );
    let exact = (sum.get() + zero.when(smooth, first)).min(one);
    // Lauwerier's expansion in the inverse root of n.
    let s = d * n.sqrt();
    let ss = s * s;
    let by_root = one / n.sqrt();
    let (two, four) = (n.like(2.0 / 3.0), n.like(4.0 / 9.0));
    let third = four * s * (n.like(0.2) - n.like(19.0 / 15.0) * ss + two * ss * ss);
    let second = two * ss * (one - two * ss);
    let expansion = one + by_root * (-two * s + by_root * (second + by_root * third));
    let value = exact.when(few, (-(ss + ss)).exp() * expansion);
    // Up to the first step the other tail is one term.
    let value = (one - complement(n, d)).when(shift.le(one), value);
    one.when(d.eq(zero), zero.when(d.eq(one), value))
}

/// The probability of a statistic below d, for d up to 1 / n.
fn complement<'b>(n: Var<'b>, d: Var<'b>) -> Var<'b> {
    let one = n.like(1.0);
    d * Double::sum(one, d).log().scaled(n - one).exp()
}

/// The d at which the survival function is p.
fn inverse<'b>(n: Var<'b>, p: Var<'b>) -> Var<'b> {
    let (zero, one) = (n.like(0.0), n.like(1.0));
    let inside = p.gt(zero) & p.lt(one) & n.gt(one);
    let solve = || {
        let start = (-p.log() / (n + n)).sqrt().min(n.like(0.99));
        root(start, zero, one, |d| -distance(survival(n, d), p))
    };
    // The last step of the distribution is a power.
    let distance_to_end = (p.log() / n).exp();
    let last = distance_to_end.le(one / n) | n.eq(one);
    let first = (one - p).lt(complement(n, one / n));
    let solve = || either(first, || in_first_step(n, one - p), solve, DType::F64);
    either(inside & !last, solve, || (one - distance_to_end).when(inside, one - p), DType::F64)
}

/// The d up to 1 / n at which the distribution is q.
fn in_first_step<'b>(n: Var<'b>, q: Var<'b>) -> Var<'b> {
    root(q * n.like(0.5), n.like(0.0), n.like(1.0) / n, |d| distance(complement(n, d), q))
}

/// The d at which the distribution is q.
fn inverse_of_distribution<'b>(n: Var<'b>, q: Var<'b>) -> Var<'b> {
    let (zero, one, half) = (n.like(0.0), n.like(1.0), n.like(0.5));
    let left = q.lt(half) & q.gt(zero) & n.gt(one);
    let solve = || {
        let start = (-(-q).log1p() / (n + n)).sqrt().min(n.like(0.99));
        root(start, zero, one, |d| distance(distribution(n, d), q))
    };
    let first = q.lt(complement(n, one / n));
    let solve = || either(first, || in_first_step(n, q), solve, DType::F64);
    either(left, solve, || called!(inverse(n, one - q)), DType::F64)
}
