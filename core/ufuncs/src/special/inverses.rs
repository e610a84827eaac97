//! Distributions by their inverses or by quadrature: log_ndtr, Kolmogorov's, Tukey's lambda, Owen's T.

use std::f64::consts::{LN_2, PI, SQRT_2};

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

use super::approximation::{either, exp_of_two, in_double, square};
use super::error::{log_ndtr, ndtr, ndtri};
use super::roots::{Step, increasing_root};
use super::zeta::kolmogorov_of;
use crate::Ufunc;
use crate::table::{binary, unary};

pub(super) fn rows() -> Vec<Ufunc> {
    let rows = [
        unary("ndtri_exp", "f->f, d->d", "Inverse of log_ndtr.", |y| in_double(&[y], |v| ndtri_exp(v[0]))),
        unary("kolmogi", "f->f, d->d", "Inverse of kolmogorov.", |p| in_double(&[p], |v| kolmogi(v[0]))),
        binary("tklmbda", "ff->f, dd->d", "Cumulative distribution of Tukey's lambda distribution.", |x, lambda| {
            in_double(&[x, lambda], |v| tklmbda(v[0], v[1]))
        }),
        binary("owens_t", "ff->f, dd->d", "Owen's T function.", |h, a| in_double(&[h, a], |v| owens_t(v[0], v[1]))),
    ];
    let source = "Newton's rule in a bracket; Patefield and Tandy, J. Stat. Softw. 5 (2000): reflections of Owen's T";
    rows.into_iter().map(|row| row.source(source).special()).collect()
}

/// x with log_ndtr(x) = y.
fn ndtri_exp(y: Var<'_>) -> Var<'_> {
    let (zero, one, two) = (y.like(0.0), y.like(1.0), y.like(2.0));
    // Near 0 the probability is 1 less what the other tail has.
    let right = || -ndtri(-y.expm1());
    let middle = || ndtri(y.exp());
    let far = || {
        // Of the tail's leading terms, then Newton's rule for the logarithm.
        let bounded = y.max(y.like(-1e300));
        let size = -two * bounded;
        let mut x = -(size - (size * y.like(2.0 * PI)).log()).sqrt();
        for _ in 0..4 {
            let log = log_ndtr(x);
            // The slope is density / probability.
            let slope = (-(x * x) * y.like(0.5) - y.like(0.918_938_533_204_672_8) - log).exp();
            x = x - (log - bounded) / slope;
        }
        // Beyond, all digits are those of the root, and the density underflows.
        let leading = -((-y).sqrt() * y.like(SQRT_2));
        leading.when(bounded.lt(y.like(-1e20)), x)
    };
    let left = || either(y.gt(y.like(-14.0)), middle, far, DType::F64);
    let value = either(y.gt(y.like(-1e-2)), right, left, DType::F64);
    let value = y.like(f64::INFINITY).when(y.eq(zero), value);
    let value = y.when(y.eq(y.like(f64::NEG_INFINITY)), value);
    value.when(y.lt(one) & y.le(zero), y.like(f64::NAN))
}

/// x with kolmogorov(x) = p.
fn kolmogi(p: Var<'_>) -> Var<'_> {
    let (zero, one) = (p.like(0.0), p.like(1.0));
    let inside = p.gt(zero) & p.lt(one);
    let target = p.when(inside, p.like(0.5));
    // Near 1 the series' transformation: 1 - p is what has digits.
    let rest = one - target;
    // The leading terms at both ends, that at the left with a middling x as its factor.
    let tail = ((p.like(LN_2) - target.log()) * p.like(0.5)).max(p.like(0.03)).sqrt();
    let left = p.like(PI) / ((p.like((2.0 * PI).sqrt() / 0.6) / rest).log() * p.like(8.0)).sqrt();
    let start = tail.when(target.lt(p.like(0.5)), left);
    let solve = || {
        increasing_root(start, p.like(0.0), p.like(40.0), |x| {
            let (value, other, slope) = kolmogorov_of(x);
            let small = target.lt(p.like(0.5));
            let falling = small;
            let (value, target) = (value.when(small, other), target.when(small, rest));
            Step::of_probability(value, target, slope, falling, None)
        })
    };
    // The second term is the fourth power of the first one.
    let root = either(target.lt(p.like(1e-6)), || tail, solve, DType::F64);
    let value = zero.when(p.eq(one), p.like(f64::INFINITY).when(p.eq(zero), root));
    value.when(p.ge(zero) & p.le(one), p.like(f64::NAN))
}

/// The probability up to x of the distribution whose quantile is (p^lambda - (1 - p)^lambda) / lambda.
fn tklmbda<'b>(x: Var<'b>, lambda: Var<'b>) -> Var<'b> {
    let (zero, one, half) = (x.like(0.0), x.like(1.0), x.like(0.5));
    let builder = x.builder();
    let a = x.abs();
    // Positive parameters have bounded support.
    let gap = builder.fma(-lambda, a, one);
    let beyond = lambda.gt(zero) & gap.le(zero);
    let near_end = lambda.gt(zero) & gap.lt(half);
    let logistic = one / (one + a.exp());
    // The limit's first correction is lambda times a square of a logarithm.
    let near_logistic = lambda.abs().lt(x.like(1e-25));
    // The smaller probability q has its digits: bisection of its logarithm, of which the other follows.
    let usual = a.lt(x.like(f64::INFINITY)) & (lambda.abs().lt(x.like(f64::INFINITY))) & !beyond & !near_logistic;
    let (low, high, n) = (builder.local(x.like(-745.0)), builder.local(x.like(-LN_2)), builder.local(zero));
    builder.repeat(
        || usual & n.get().lt(x.like(70.0)),
        || {
            let middle = half * (low.get() + high.get());
            let above = lambda * (-middle.exp()).log1p();
            // ((1 - q)^lambda - q^lambda) / lambda, as a product, and how far lambda times it is below 1.
            let inner = || -above.exp() * (lambda * middle - above).expm1() / lambda - a;
            let beside_end = || gap - ((lambda * middle).exp() - above.expm1());
            let too_far = either(near_end, beside_end, inner, DType::F64).gt(zero);
            low.set(middle.when(too_far, low.get()));
            high.set(high.get().when(too_far, middle));
            n.set(n.get() + one);
        },
    );
    let smaller = (half * (low.get() + high.get())).exp();
    let smaller = logistic.when(near_logistic, smaller);
    let smaller = zero.when(beyond | a.eq(x.like(f64::INFINITY)), smaller);
    // Powers of both sides of 0 may be below all numbers.
    let smaller = half.when(a.eq(zero), smaller);
    let value = (one - smaller).when(x.ge(zero), smaller);
    x.like(f64::NAN).when(x.is_nan() | lambda.is_nan(), value)
}

/// Nodes and weights of Gauss and Legendre's rule of this order on (0, 1).
pub(super) fn legendre_rule(n: usize) -> Vec<(f64, f64)> {
    let order = n as f64;
    let rule = |k: usize| {
        let mut x = (PI * (k as f64 + 0.75) / (order + 0.5)).cos();
        let mut slope = 1.0;
        for _ in 0..8 {
            let (mut before, mut here) = (1.0, x);
            for j in 1..n {
                let j = j as f64;
                (before, here) = (here, ((2.0 * j + 1.0) * x * here - j * before) / (j + 1.0));
            }
            slope = order * (x * here - before) / (x * x - 1.0);
            x -= here / slope;
        }
        (0.5 * (1.0 - x), 1.0 / ((1.0 - x * x) * slope * slope))
    };
    (0..n).map(rule).collect()
}

/// T(h, a) for h >= 0 and 0 <= a <= 1: the integral of its definition as far as the integrand has digits.
fn owens_inside<'b>(h: Var<'b>, a: Var<'b>) -> Var<'b> {
    let half = h.like(0.5);
    let end = a.min(h.like(9.0) / h.max(h.like(1.0)));
    let exponent = half * h * h;
    let mut sum = h.like(0.0);
    for (node, weight) in legendre_rule(32) {
        let x = end * h.like(node);
        let xx = x * x;
        sum = sum + h.like(weight) * (-(exponent * xx)).exp() / (h.like(1.0) + xx);
    }
    // The square of h to twice the digits.
    let (high, low) = square(h.min(h.like(40.0)));
    exp_of_two(-half * high, -half * low) * sum * end * h.like(1.0 / (2.0 * PI))
}

/// Owen's T.
fn owens_t<'b>(h: Var<'b>, a: Var<'b>) -> Var<'b> {
    let (zero, one, half) = (h.like(0.0), h.like(1.0), h.like(0.5));
    let (size, slope) = (h.abs(), a.abs());
    let infinity = h.like(f64::INFINITY);
    let steep = slope.gt(one);
    let product = size * slope;
    let inner = owens_inside(product.when(steep, size), (one / slope).when(steep, slope));
    // T(h, a) + T(a h, 1 / a) from the normal distribution.
    let tail = |x: Var<'b>| ndtr(-x);
    let center = |x: Var<'b>| half - ndtr(-x);
    let near = h.like(0.25) - center(size) * center(product) - inner;
    let (first, second) = (tail(size), tail(product));
    let far = half * (first + second) - first * second - inner;
    let reflected = near.when(size.le(h.like(0.67)), far);
    let value = reflected.when(steep, inner);
    let unbounded = half * tail(size);
    let value = unbounded.when(slope.eq(infinity), value);
    let value = zero.when(size.eq(infinity) | slope.eq(zero), value);
    let value = (-value).when(a.lt(zero), value);
    h.like(f64::NAN).when(h.is_nan() | a.is_nan(), value)
}
