//! Distribution functions solved for their parameters: bracketed roots of the incomplete gamma and beta functions.

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

use super::approximation::{either, in_double};
use super::called::called;
use super::error::ndtri;
use super::{incomplete_beta, incomplete_gamma, real2, real3};
use crate::Ufunc;

/// Most evaluations of a distribution.
const STEPS: f64 = 150.0;
/// The largest parameter that is looked for, and the inverse of the smallest.
pub(super) const LARGEST: f64 = 1e100;

pub(super) fn rows() -> Vec<Ufunc> {
    let rows = [
        real3("bdtrik", "Inverse of bdtr in the number of successes.", bdtrik),
        real3("bdtrin", "Inverse of bdtr in the number of trials.", bdtrin),
        real3("btdtria", "Inverse of betainc in its first argument.", btdtria),
        real3("btdtrib", "Inverse of betainc in its second argument.", btdtrib),
        real3("gdtrib", "Inverse of gdtr in the shape.", gdtrib),
        real3("nbdtrik", "Inverse of nbdtr in the number of failures.", nbdtrik),
        real3("nbdtrin", "Inverse of nbdtr in the number of successes.", nbdtrin),
        real2("pdtrik", "Inverse of pdtr in the number of events.", pdtrik),
        real2("stdtridf", "Inverse of stdtr in the degrees of freedom.", stdtridf),
        real2("chdtriv", "Inverse of chdtr in the degrees of freedom.", chdtriv),
        real3("nrdtrimn", "Mean of a normal distribution from its other parameters.", nrdtrimn),
        real3("nrdtrisd", "Standard deviation of a normal distribution from its other parameters.", nrdtrisd),
    ];
    rows.into_iter().map(|row| row.source("DLMF 8; bracketed false position, Illinois variant").special()).collect()
}

/// The number in (`low`, `high`) at which `residual`, which increases, is 0; nan where it has no sign change.
pub(super) fn root<'b>(
    start: Var<'b>,
    low: Var<'b>,
    high: Var<'b>,
    residual: impl FnOnce(Var<'b>) -> Var<'b>,
) -> Var<'b> {
    let mut residual = Some(residual);
    root_of(start, low, high, &mut |point| residual.take().expect("it is written once")(point))
}

/// [`root`] without a type for each residual, so that it is compiled once.
fn root_of<'b>(start: Var<'b>, low: Var<'b>, high: Var<'b>, residual: &mut dyn FnMut(Var<'b>) -> Var<'b>) -> Var<'b> {
    let builder = start.builder();
    let (zero, one, half) = (start.like(0.0), start.like(1.0), start.like(0.5));
    let infinity = start.like(f64::INFINITY);
    let inside = start.gt(low) & start.lt(high);
    let start = start.when(inside, half * (low + high));
    let x = builder.local(start);
    // The ends with their residuals, which are unknown at first, and the side that moved last.
    let (left, left_value) = (builder.local(low), builder.local(-infinity));
    let (right, right_value) = (builder.local(high), builder.local(infinity));
    let (side, growth) = (builder.local(zero), builder.local(start.like(4.0)));
    let (n, moved, found) = (builder.local(zero), builder.local(infinity), builder.local(infinity));
    let more = builder.local(builder.boolean(true));
    builder.repeat(
        || n.get().lt(start.like(STEPS)) & more.get(),
        || {
            let point = x.get();
            let value = residual(point);
            let above = value.gt(zero);
            // The value of an end that stays twice is halved: Illinois.
            let (was_above, was_below) = (side.get().gt(zero), side.get().lt(zero));
            let halved = (was_above & above) | (was_below & !above);
            let (kept_left, kept_right) = (left_value.get(), right_value.get());
            left_value.set((kept_left * half).when(was_above, kept_left).when(above, value));
            right_value.set(value.when(above, (kept_right * half).when(was_below, kept_right)));
            left.set(left.get().when(above, point));
            right.set(point.when(above, right.get()));
            side.set(one.when(above, -one));
            let (lower, upper) = (left.get(), right.get());
            let (under, over) = (left_value.get(), right_value.get());
            let straight = upper - over * (upper - lower) / (over - under);
            let known = under.gt(-infinity) & over.lt(infinity);
            // Ends of different size meet at the mean of their exponents; unknown ones are approached by growing steps.
            let far = lower.gt(zero) & upper.gt(lower * start.like(16.0));
            let middle = (lower.sqrt() * upper.sqrt()).when(far, half * (lower + upper));
            let factor = growth.get();
            let growing = (point * factor).when(
                above.eq(builder.boolean(false)) & upper.eq(high),
                (point / factor).when(above & lower.eq(low) & low.eq(zero), middle),
            );
            let outward = growing.gt(lower) & growing.lt(upper);
            growth.set((factor * factor).min(start.like(1e30)));
            let third = n.get() / start.like(3.0);
            let by_line = known & straight.gt(lower) & straight.lt(upper) & !(third.eq(third.floor()) & far);
            let next = straight.when(by_line, growing.when(outward, middle));
            let next = point.when(value.eq(zero), next);
            // A step along a line through two values shrinks the next one as it shrank itself, at least. Small steps that
            // shrink no more are noise.
            let (size, reach) = ((next - point).abs(), next.abs());
            let shrunk = size / moved.get();
            let second = moved.get().lt(infinity);
            let arrived = (size * shrunk).le(reach * start.like(2e-17)) & shrunk.lt(start.like(0.1)) & second;
            let noise = size.le(reach * start.like(1e-11)) & shrunk.gt(start.like(0.25));
            let arrived = arrived & by_line & !halved;
            found.set(zero.when(arrived, value));
            let ended = arrived | by_line & !halved & noise | size.le(reach * start.like(1.2e-16));
            more.set(!ended);
            moved.set(size.when(by_line, infinity));
            x.set(next);
            n.set(n.get() + one);
        },
    );
    x.get().when(found.get().abs().lt(start.like(1e-6)), start.like(f64::NAN))
}

/// How far a probability is from its target, by logarithms so that tails count.
pub(super) fn distance<'b>(value: Var<'b>, target: Var<'b>) -> Var<'b> {
    (value / target).log()
}

/// The a > 0 at which the lower incomplete gamma function of `x` times `factor` is `lower` and the upper one `upper`.
fn gamma_shape<'b>(x: Var<'b>, factor: Var<'b>, lower: Var<'b>, upper: Var<'b>) -> Var<'b> {
    let (zero, infinity, product) = (x.like(0.0), x.like(f64::INFINITY), x * factor);
    let by_upper = upper.lt(lower);
    let target = upper.when(by_upper, lower);
    let solve = || {
        let start = product.max(x.like(0.1));
        root(start, zero, x.like(LARGEST), |a| {
            let found = distance(called!(incomplete_gamma::of_product(a, x, factor, by_upper)), target);
            found.when(by_upper, -found)
        })
    };
    let valid = x.gt(zero) & factor.gt(zero) & product.lt(infinity) & lower.gt(zero) & upper.gt(zero);
    either(valid, solve, || x.like(f64::NAN), DType::F64)
}

/// The first (or second) parameter of the incomplete beta function that is `lower` at x, 1 less it `upper`.
fn beta_parameter<'b>(
    other: Var<'b>,
    x: Var<'b>,
    y: Var<'b>,
    lower: Var<'b>,
    upper: Var<'b>,
    is_first: bool,
) -> Var<'b> {
    let zero = x.like(0.0);
    let by_upper = upper.lt(lower);
    let target = upper.when(by_upper, lower);
    let solve = || {
        let start = if is_first { other * x / y } else { other * y / x };
        root(start.max(x.like(1e-3)), zero, x.like(LARGEST), |found| {
            let (a, b) = if is_first { (found, other) } else { (other, found) };
            let value = distance(called!(incomplete_beta::regularised(a, b, x, y, by_upper)), target);
            let rises = if is_first { by_upper } else { !by_upper };
            value.when(rises, -value)
        })
    };
    let valid = x.gt(zero) & y.gt(zero) & lower.gt(zero) & upper.gt(zero) & other.gt(zero);
    either(valid & other.lt(x.like(f64::INFINITY)), solve, || x.like(f64::NAN), DType::F64)
}

fn bdtrik<'b>(y: Var<'b>, n: Var<'b>, p: Var<'b>) -> Var<'b> {
    in_double(&[y, n, p], |v| {
        let (y, n, p) = (v[0], v[1], v[2]);
        let (zero, one) = (y.like(0.0), y.like(1.0));
        let by_upper = y.gt(y.like(0.5));
        let target = (one - y).when(by_upper, y);
        let solve = || {
            root(n * p, zero, n, |k| {
                let value = called!(incomplete_beta::regularised(n - k, k + one, one - p, p, by_upper));
                let value = distance(value, target);
                (-value).when(by_upper, value)
            })
        };
        let valid = n.gt(zero) & n.lt(n.like(f64::INFINITY)) & p.gt(zero) & p.lt(one) & y.gt(zero) & y.lt(one);
        let value = either(valid, solve, || y.like(f64::NAN), DType::F64);
        // Fewer than none is none.
        let none = valid & y.le((n * (-p).log1p()).exp());
        zero.when(none, value)
    })
}

fn bdtrin<'b>(k: Var<'b>, y: Var<'b>, p: Var<'b>) -> Var<'b> {
    in_double(&[k, y, p], |v| {
        let (k, y, p, one) = (v[0], v[1], v[2], v[0].like(1.0));
        let value = beta_parameter(k + one, one - p, p, y, one - y, true) + k;
        // All of the trials fail with (1 - p)**n.
        let none = y.log() / (-p).log1p();
        none.when(k.eq(k.like(0.0)) & !value.is_nan(), value)
    })
}

fn btdtria<'b>(p: Var<'b>, b: Var<'b>, x: Var<'b>) -> Var<'b> {
    in_double(&[p, b, x], |v| beta_parameter(v[1], v[2], v[2].like(1.0) - v[2], v[0], v[0].like(1.0) - v[0], true))
}

fn btdtrib<'b>(a: Var<'b>, p: Var<'b>, x: Var<'b>) -> Var<'b> {
    in_double(&[a, p, x], |v| beta_parameter(v[0], v[2], v[2].like(1.0) - v[2], v[1], v[1].like(1.0) - v[1], false))
}

fn gdtrib<'b>(a: Var<'b>, p: Var<'b>, x: Var<'b>) -> Var<'b> {
    in_double(&[a, p, x], |v| gamma_shape(v[0], v[2], v[1], v[1].like(1.0) - v[1]))
}

fn nbdtrik<'b>(y: Var<'b>, n: Var<'b>, p: Var<'b>) -> Var<'b> {
    in_double(&[y, n, p], |v| {
        let (y, n, p, one) = (v[0], v[1], v[2], v[0].like(1.0));
        let value = beta_parameter(n, p, one - p, y, one - y, false) - one;
        // Fewer than none is none.
        value.like(0.0).when(value.lt(value.like(0.0)), value)
    })
}

fn nbdtrin<'b>(k: Var<'b>, y: Var<'b>, p: Var<'b>) -> Var<'b> {
    in_double(&[k, y, p], |v| {
        let (k, y, p, one) = (v[0], v[1], v[2], v[0].like(1.0));
        beta_parameter(k + one, p, one - p, y, one - y, true)
    })
}

fn pdtrik<'b>(p: Var<'b>, m: Var<'b>) -> Var<'b> {
    in_double(&[p, m], |v| {
        let one = v[0].like(1.0);
        let value = gamma_shape(v[1], one, one - v[0], v[0]) - one;
        // Fewer than none is none.
        value.like(0.0).when(value.lt(value.like(0.0)), value)
    })
}

fn chdtriv<'b>(p: Var<'b>, x: Var<'b>) -> Var<'b> {
    in_double(&[p, x], |v| {
        let (half, two) = (v[0].like(0.5), v[0].like(2.0));
        two * gamma_shape(v[1], half, v[0], v[0].like(1.0) - v[0])
    })
}

fn stdtridf<'b>(p: Var<'b>, t: Var<'b>) -> Var<'b> {
    in_double(&[p, t], |v| {
        let (p, t) = (v[0], v[1]);
        let (zero, one, half, two) = (p.like(0.0), p.like(1.0), p.like(0.5), p.like(2.0));
        // Next to 1/2 the distance from it has the digits.
        let within = (p - half).abs().lt(p.like(0.25));
        let target = (two * (p - half).abs()).when(within, two * p.min(one - p));
        let solve = || {
            root(one, zero, p.like(1e10), |df| {
                let found = distance(called!(incomplete_beta::student_side(df, t.abs(), within)), target);
                found.when(within, -found)
            })
        };
        let same = p.lt(half).eq(t.lt(zero));
        let valid = p.gt(zero) & p.lt(one) & p.ne(half) & t.ne(zero) & t.abs().lt(p.like(f64::INFINITY)) & same;
        either(valid, solve, || p.like(f64::NAN), DType::F64)
    })
}

fn nrdtrimn<'b>(p: Var<'b>, std: Var<'b>, x: Var<'b>) -> Var<'b> {
    in_double(&[p, std, x], |v| {
        let (zero, one) = (v[0].like(0.0), v[0].like(1.0));
        let valid = v[0].gt(zero) & v[0].lt(one) & v[1].gt(zero);
        (v[2] - v[1] * ndtri(v[0])).when(valid, v[0].like(f64::NAN))
    })
}

fn nrdtrisd<'b>(mean: Var<'b>, p: Var<'b>, x: Var<'b>) -> Var<'b> {
    in_double(&[mean, p, x], |v| {
        let (zero, one) = (v[1].like(0.0), v[1].like(1.0));
        let valid = v[1].gt(zero) & v[1].lt(one);
        ((v[2] - v[0]) / ndtri(v[1])).when(valid, v[0].like(f64::NAN))
    })
}
