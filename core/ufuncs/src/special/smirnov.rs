//! The distribution of Smirnov's one-sided statistic, and its inverse.

use std::f64::consts::PI;

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

use super::approximation::{either, is_rounded, log1p_rest};
use super::double_double::Double;
use super::gamma::stirling_rest;
use super::parameters::{distance, root};
use crate::Ufunc;
use crate::table::binary;

/// Most terms; beyond so many trials the leading terms of an expansion are exact.
const TERMS: f64 = 1e6;
/// Nodes of the quadrature, which serves from so many trials and so large a statistic times them on.
const NODES: f64 = 256.0;
const MANY: f64 = 1000.0;
const FAR_FROM_END: f64 = 50.0;
/// The largest exponent of a power whose root is in range.
const POWERS: f64 = 1360.0;
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

/// The root of (1 + n d / j)**j (1 - n d / (n - j))**(n - j) by powers, whose exponents are not rounded.
fn root_of_powers<'b>(n: Var<'b>, d: Var<'b>, j: Var<'b>) -> Var<'b> {
    let (shift, half) = (Double::new(n).times(Double::new(d)), n.like(0.5));
    let (first, left) = (Double::new(j), Double::sum(n, -j));
    let power = |base: Double<'b>, exponent: Double<'b>| {
        let rest = exponent.high * (base.low / base.high) + exponent.low * base.high.log();
        base.high.pow(half * exponent.high) * (half * rest).exp()
    };
    power(first.plus(shift).over(first), first) * power(left.plus(shift.negated()).over(left), left)
}

/// Term j of the sum, 0 < j < n (1 - d): a binomial probability, by its distance from the mean.
fn term<'b>(n: Var<'b>, d: Var<'b>, j: Var<'b>) -> Var<'b> {
    let (left, shift) = (n - j, n * d);
    let exponent = j * log1p_rest(shift / j) + left * log1p_rest(-(shift / left).min(n.like(1.0)));
    let root = (n / (n.like(2.0 * PI) * j * left)).sqrt();
    let rests = rest(n) - rest(j) - rest(left);
    let plain = || (exponent + rests).exp();
    let far = || {
        let first = j * (shift / j).log1p();
        let in_range = first.lt(n.like(POWERS)) & (exponent - first).gt(n.like(-POWERS));
        let by_powers = || {
            let root = root_of_powers(n, d, j);
            root * rests.exp() * root
        };
        either(in_range, by_powers, plain, DType::F64)
    };
    let value = either(is_rounded(exponent), far, plain, DType::F64);
    value * root * shift / (shift + j)
}

/// The probability of a statistic of at least d.
fn survival<'b>(n: Var<'b>, d: Var<'b>) -> Var<'b> {
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
    d * ((n - n.like(1.0)) * d.log1p()).exp()
}

/// The d at which the probability is p.
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
    let near_zero = || {
        let q = one - p;
        root(q * n.like(0.5), zero, one / n, |d| distance(complement(n, d), q))
    };
    let solve = || either(first, near_zero, solve, DType::F64);
    either(inside & !last, solve, || (one - distance_to_end).when(inside, one - p), DType::F64)
}
