//! Gegenbauer and Jacobi polynomials: by recurrence, of any order as hypergeometric functions (DLMF 18.5), and with twice
//! the digits for parameters that have no weight function.

use cuproxide_hal::DType;
use cuproxide_hal::ir::{LocalVar, Var};

use super::super::Outputs;
use super::approximation::either;
use super::beta::{binom, log_scaled_beta, poch, positive_betaln};
use super::called::called;
use super::continuation::times_real;
use super::double_double::{self, Double, DoubleVar};
use super::gamma::rgamma;
use super::hypergeometric::{hyp2f1_from_one, most_lost};
use super::recurrences::{
    by_differences, from_ends, is_odd, middle_first, of_any_order, recurrence, shifted, symmetric,
};

/// What terms that cancel may be beside their sum.
const LOST: f64 = 1e7;
/// What plain numbers may be off beside the result of a recurrence with twice the digits: that is off by 1e-16 of it.
const MOST_APART: f64 = 1e4;

pub(super) fn gegenbauer<'b>(n: Var<'b>, alpha: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (alpha, most) = (alpha.cast(DType::F64), most_lost(x.dtype()));
    of_any_order(
        n,
        x,
        |n, x| whole_gegenbauer(n, alpha, x),
        |n, x| {
            let (one, twice) = (n.like(1.0), alpha + alpha);
            let step = |k: Var<'b>, now: Var<'b>, before: Var<'b>| {
                let sum = times_real(x * now, (k + alpha) * n.like(2.0)) - times_real(before, k - one + twice);
                times_real(sum, one / (k + one))
            };
            middle_first(n, x, times_real(x, twice), step, || {
                let value = from_ends(-n, n + twice, alpha + n.like(0.5), x, most);
                // gamma(n + 2 alpha) / (gamma(2 alpha) gamma(n + 1)).
                times_real(value, called!(poch(twice, n)) * called!(rgamma(n + one)))
            })
        },
    )
}

fn whole_gegenbauer<'b>(n: Var<'b>, alpha: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (zero, one, two) = (n.like(0.0), n.like(1.0), n.like(2.0));
    let step = |x: Var<'b>| {
        move |k: Var<'b>, now: Var<'b>, before: Var<'b>| {
            (two * (k + alpha) * x * now - (k - one + two * alpha) * before) / (k + one)
        }
    };
    let near = |x: Var<'b>| recurrence(n, one, two * alpha * x, step(x));
    let far = |x: Var<'b>| {
        let less = x - one;
        let ratio = by_differences(n, less, |k, now, d| (two * (k + alpha) * less * now + k * d) / (k + two * alpha));
        // The binomial coefficient of n + 2 alpha - 1 and n, which of a small alpha is rounded: 1 / (n beta(2 alpha, n)).
        let twice = two * alpha;
        let small = || {
            let negative = alpha.lt(zero);
            let shape = (twice + one).when(negative, twice);
            let lifted = (shape / (n + twice)).when(negative, one);
            twice / n * lifted * (-called!(log_scaled_beta(shape, n.max(one)))).exp()
        };
        let factor = either(twice.lt(one), small, || called!(binom(n + twice - one, n)), DType::F64);
        one.when(n.eq(zero), ratio * factor)
    };
    // The ratio has no value where one of the numbers is 0 at the end of the interval.
    let ordinary = alpha.gt(n.like(-0.5)) & alpha.ne(zero);
    let others = || {
        // Half numbers are poles of the terms.
        let whole = (alpha + n.like(0.5)).eq((alpha + n.like(0.5)).floor());
        let precise = || {
            let (twice, size) = (two * alpha, x.abs());
            let c = Double::sum(alpha, n.like(0.5));
            let (sum, lost) = from_end_precisely(n, Double::sum(n, twice), c, rising(Double::new(twice), n), size);
            let sum = (-sum).when(is_odd(n) & x.lt(zero), sum);
            let by_recurrence = || {
                let plain = recurrence(n, one, two * alpha * x, step(x));
                let second = Double::new(two * alpha).times(Double::new(x));
                let found = recurrence_precisely(n, plain, second, |k, now, before| {
                    let up = Double::sum(k, alpha).times(Double::new(two * x)).times(now);
                    let down = Double::sum(k - one, twice).times(before);
                    up.plus(down.negated()).over(Double::new(k + one))
                });
                let by_first = || {
                    let sum = by_first_parameter(n, Double::sum(n, twice), c, rising(Double::new(twice), n), size);
                    (-sum).when(is_odd(n) & x.lt(zero), sum)
                };
                either(found.is_nan(), by_first, || found, DType::F64)
            };
            either(lost.le(n.like(LOST)), || sum, by_recurrence, DType::F64)
        };
        // Beside the parameters of weights the recurrence of a high degree loses few digits, and the sum of powers all.
        let mild = alpha.gt(n.like(-3.0)) & n.gt(n.like(100.0));
        let simple = whole | n.lt(two) | alpha.eq(zero) | mild;
        either(simple, || recurrence(n, one, two * alpha * x, step(x)), precise, DType::F64)
    };
    let value = either(ordinary, || symmetric(n, x, near, far), others, DType::F64);
    let value = zero.when(n.lt(zero), value);
    x.like(f64::NAN).when(alpha.is_nan() | x.is_nan(), value)
}

/// The Jacobi polynomial at 1, (alpha + 1)_n / n!.
fn value_at_end<'b>(n: Var<'b>, alpha: Var<'b>) -> Var<'b> {
    // Beside a pole of gamma the sum of both numbers does not hold the distance from it.
    let negative = alpha.lt(n.like(-0.5)) & n.lt(n.like(100.0));
    let one = n.like(1.0);
    either(
        negative,
        || called!(poch(alpha + one, n)) * called!(rgamma(n + one)),
        || called!(binom(n + alpha, n)),
        DType::F64,
    )
}

/// The shifted Jacobi polynomial of whole order by the powers of a number near 0: there a small q, which alpha and beta
/// do not hold, counts.
fn shifted_near_zero<'b>(n: Var<'b>, p: Var<'b>, q: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (builder, zero, one) = (n.builder(), n.like(0.0), n.like(1.0));
    let sign = (-one).when(is_odd(n), one);
    let start = sign * (called!(poch(q, n)) / called!(poch(n + p, n)));
    let start = if x.dtype().is_complex() { builder.complex(start, zero) } else { start };
    let (k, term, sum) = (builder.local(zero), builder.local(start), builder.local(start));
    builder.repeat(
        || k.get().lt(n),
        || {
            let here = k.get();
            let ratio = (here - n) * ((n + p) + here) / ((q + here) * (here + one));
            let next = times_real(term.get() * x, ratio);
            term.set(next);
            sum.set(sum.get() + next);
            k.set(here + one);
        },
    );
    sum.get()
}

pub(super) fn jacobi<'b>(n: Var<'b>, alpha: Var<'b>, beta: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (alpha, beta, most) = (alpha.cast(DType::F64), beta.cast(DType::F64), most_lost(x.dtype()));
    of_any_order(
        n,
        x,
        |n, x| whole_jacobi(n, alpha, beta, x),
        |n, x| {
            let value = from_ends(-n, n + alpha + beta + n.like(1.0), alpha + n.like(1.0), x, most);
            times_real(value, value_at_end(n, alpha))
        },
    )
}

fn whole_jacobi<'b>(n: Var<'b>, alpha: Var<'b>, beta: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (zero, one, two, half) = (n.like(0.0), n.like(1.0), n.like(2.0), n.like(0.5));
    let less = x - one;
    let invalid = n.lt(zero) | alpha.is_nan() | beta.is_nan() | x.is_nan();
    // A whole negative parameter is a zero at its end, and leaves a polynomial of lower degree: Szego (4.22.2).
    let (degree, right, left, factor) =
        (n.builder().local(n), n.builder().local(alpha), n.builder().local(beta), n.builder().local(one));
    n.builder().branch(
        alpha.le(-one) | beta.le(-one),
        || {
            let fold = |shape: LocalVar<'b>, other: LocalVar<'b>, end: Var<'b>| {
                let (order, zeros) = (degree.get(), -shape.get());
                let folds = zeros.eq(zeros.floor()) & zeros.ge(one) & zeros.le(order);
                let coefficient = called!(binom(order + other.get(), zeros)) / called!(binom(order, zeros));
                let value = end.pow(zeros) * coefficient;
                factor.set((factor.get() * value).when(folds, factor.get()));
                shape.set(zeros.when(folds, shape.get()));
                degree.set((order - zeros).when(folds, order));
            };
            fold(right, left, less * half);
            fold(left, right, (x + one) * half);
        },
        || {},
    );
    let (n, alpha, beta) = (degree.get(), right.get(), left.get());
    let first = (alpha + beta + two) * less / (two * (alpha + one));
    let ratio = by_differences(n, first, |k, now, d| {
        let t = two * k + alpha + beta;
        let product = t * (t + one) * (t + two) * less * now + two * k * (k + beta) * (t + two) * d;
        product / (two * (k + alpha + one) * (k + alpha + beta + one) * t)
    });
    let second = half * (two * (alpha + one) + (alpha + beta + two) * less);
    let beyond = alpha.le(-one) | beta.le(-one);
    let value = either(
        beyond & n.gt(one),
        || beyond_weights(n, alpha, beta, x),
        || ratio * called!(binom(n + alpha, n)),
        DType::F64,
    );
    let value = one.when(n.eq(zero), second.when(n.eq(one), value)) * factor.get();
    x.like(f64::NAN).when(invalid, value)
}

/// A recurrence with twice the digits, NaN where `plain`, the same with plain numbers, has lost so many that these may not
/// be enough. The first number is 1, `second` the next one.
fn recurrence_precisely<'b>(
    n: Var<'b>,
    plain: Var<'b>,
    second: Double<'b>,
    step: impl FnOnce(Var<'b>, Double<'b>, Double<'b>) -> Double<'b>,
) -> Var<'b> {
    let (k, one) = (n.builder().local(n.like(1.0)), n.like(1.0));
    let (last, current) = (DoubleVar::new(Double::new(one)), DoubleVar::new(second));
    n.builder().repeat(
        || k.get().lt(n),
        || {
            let (before, now) = (last.get(), current.get());
            let next = step(k.get(), now, before);
            last.set(now);
            current.set(next);
            k.set(k.get() + one);
        },
    );
    let value = current.get().high;
    value.when((plain - value).abs().le(value.abs() * n.like(MOST_APART)), n.like(f64::NAN))
}

/// The product of (start + k) / (k + 1) for the first n numbers k from 0.
fn rising<'b>(start: Double<'b>, n: Var<'b>) -> Double<'b> {
    let (builder, zero, one) = (n.builder(), n.like(0.0), n.like(1.0));
    let (k, high, low) = (builder.local(zero), builder.local(one), builder.local(zero));
    builder.repeat(
        || k.get().lt(n),
        || {
            let (before, next) = (Double { high: high.get(), low: low.get() }, k.get() + one);
            let product = before.times(start.plus(Double::new(k.get())).over(Double::new(next)));
            high.set(product.high);
            low.set(product.low);
            k.set(next);
        },
    );
    Double { high: high.get(), low: low.get() }
}

/// `first` times 2F1(-n, b; c; (1 - x) / 2) with twice the digits, and what was lost.
fn from_end_precisely<'b>(
    n: Var<'b>,
    b: Double<'b>,
    c: Double<'b>,
    first: Double<'b>,
    x: Var<'b>,
) -> (Var<'b>, Var<'b>) {
    let one = n.like(1.0);
    let z = Double::sum(one, -x).times(Double::new(n.like(0.5)));
    let (sum, lost) = double_double::series(first, z, n, |k| {
        let above = Double::new(k - n).times(b.plus(Double::new(k)));
        (above, c.plus(Double::new(k)).times(Double::new(one + k)))
    });
    // A pole of the terms.
    let pole = c.low.eq(n.like(0.0)) & c.high.le(n.like(0.0)) & c.high.eq(c.high.floor()) & c.high.gt(-n);
    (sum, n.like(f64::INFINITY).when(pole, lost))
}

/// `first` times 2F1(-n, b; c; (1 - x) / 2) by the recurrence in the first parameter (DLMF 15.5.11), from 0 down, of
/// differences with twice the digits; NaN where plain numbers have lost so many that these may not be enough.
fn by_first_parameter<'b>(n: Var<'b>, b: Double<'b>, c: Double<'b>, first: Double<'b>, x: Var<'b>) -> Var<'b> {
    let (builder, zero, one, half) = (n.builder(), n.like(0.0), n.like(1.0), n.like(0.5));
    let (z, y) = (Double::sum(one, -x).times(Double::new(half)), Double::sum(one, x).times(Double::new(half)));
    let slope = b.times(z);
    let k = builder.local(zero);
    let (value, change) = (DoubleVar::new(Double::new(one)), DoubleVar::new(Double::new(zero)));
    let (plain, plain_change) = (builder.local(one), builder.local(zero));
    builder.repeat(
        || k.get().lt(n),
        || {
            let (at, below) = (Double::new(k.get()), c.plus(Double::new(k.get())));
            let next = change.get().times(at).times(y).plus(slope.times(value.get()).negated()).over(below);
            change.set(next);
            value.set(value.get().plus(next));
            let next = (plain_change.get() * k.get() * y.high - slope.high * plain.get()) / below.high;
            plain_change.set(next);
            plain.set(plain.get() + next);
            k.set(k.get() + one);
        },
    );
    let known = (plain.get() - value.get().high).abs().le(value.get().high.abs() * n.like(MOST_APART));
    first.times(value.get()).high.when(known, n.like(f64::NAN))
}

/// Jacobi polynomials of parameters that have no weight function, where the recurrence loses digits: the powers of the
/// distance from either end (DLMF 18.5.7), and NaN where too few digits are left.
fn beyond_weights<'b>(n: Var<'b>, alpha: Var<'b>, beta: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (builder, zero, one) = (n.builder(), n.like(0.0), n.like(1.0));
    let (value, lost) = (builder.local(n.like(f64::NAN)), builder.local(n.like(f64::INFINITY)));
    let side = builder.local(zero);
    let b = Double::sum(alpha, beta).plus(Double::sum(n, one));
    builder.repeat(
        || side.get().lt(n.like(2.0)) & lost.get().gt(one),
        || {
            let right = side.get().eq(zero);
            let (shape, at) = (alpha.when(right, beta), x.when(right, -x));
            let c = Double::sum(shape, one);
            let (sum, cancelled) = from_end_precisely(n, b, c, rising(c, n), at);
            let better = cancelled.lt(lost.get());
            let odd = is_odd(n) & !right;
            value.set((-sum).when(odd, sum).when(better, value.get()));
            lost.set(cancelled.when(better, lost.get()));
            side.set(side.get() + one);
        },
    );
    let by_recurrence = || {
        // DLMF 18.9.2, multiplied by the denominator of its coefficients.
        let (two, sum) = (n.like(2.0), Double::sum(alpha, beta));
        let middle = sum.times(Double::sum(alpha, -beta));
        let first = |k: Var<'b>| sum.plus(Double::new(two * k));
        let parts = |k: Var<'b>| {
            let (t, next) = (first(k), first(k + one));
            let lead = first(k + n.like(0.5));
            let up = lead.times(t.times(next).times(Double::new(x)).plus(middle));
            let down = Double::sum(k, alpha).times(Double::sum(k, beta)).times(next).times(Double::new(two));
            (up, down, Double::new(two * (k + one)).times(sum.plus(Double::new(k + one))).times(t))
        };
        let second = first(one).times(Double::new(x)).plus(Double::sum(alpha, -beta)).times(Double::new(n.like(0.5)));
        let plain = recurrence(n, one, second.high, |k, now, before| {
            let (up, down, below) = parts(k);
            (up.high * now - down.high * before) / below.high
        });
        let found = recurrence_precisely(n, plain, second, |k, now, before| {
            let (up, down, below) = parts(k);
            up.times(now).plus(down.times(before).negated()).over(below)
        });
        let by_first = || {
            let c = Double::sum(alpha, one);
            by_first_parameter(n, b, c, rising(c, n), x)
        };
        either(found.is_nan(), by_first, || found, DType::F64)
    };
    either(lost.get().le(n.like(LOST)), || value.get(), by_recurrence, DType::F64)
}

pub(super) fn sh_jacobi<'b>(v: &[Var<'b>]) -> Outputs<'b> {
    let (n, p, q, x) = (v[0], v[1].cast(DType::F64), v[2].cast(DType::F64), v[3]);
    let (order, one, most) = (n.cast(DType::F64), p.like(1.0), most_lost(x.dtype()));
    let (alpha, beta) = (p - q, q - one);
    let wide = x.cast(if x.dtype().is_complex() { DType::C128 } else { DType::F64 });
    let value = of_any_order(
        n,
        wide,
        |n, x| whole_jacobi(n, alpha, beta, shifted(x)),
        |n, x| {
            let value = called!(hyp2f1_from_one(-n, n + alpha + beta + one, alpha + one, x, n.like(most)));
            times_real(value, value_at_end(n, alpha))
        },
    );
    let near_zero = || shifted_near_zero(order, p, q, wide);
    let close = order.eq(order.floor()) & order.ge(one) & order.le(p.like(60.0)) & (order + p).gt(p.like(0.0));
    let close = close & q.gt(p.like(0.0)) & q.lt(p.like(0.1));
    let close = close & (wide.abs() * (order + one) * ((order + p) + one)).le(p.like(0.1));
    // The binomial coefficient of 2 n + p - 1 and n, which of a large order leaves the range: (2 n + p) beta(n + 1, n + p).
    let inverse = one / called!(binom(order + order + p - one, order));
    let large = order.gt(p.like(400.0)) & (order + p).gt(p.like(1.0));
    let by_logarithm = || {
        let root = (called!(positive_betaln(order + one, order + p)) * p.like(0.5)).exp();
        // What left the range before it has no value.
        let lost = value.abs().eq(p.like(f64::INFINITY)) & wide.abs().lt(p.like(f64::INFINITY));
        let scaled = times_real(times_real(value, root), root * (order + order + p));
        let nan = p.like(f64::NAN);
        let nan = if wide.dtype().is_complex() { p.builder().complex(nan, nan) } else { nan };
        nan.when(lost, scaled)
    };
    let value = either(large, by_logarithm, || times_real(value, inverse), wide.dtype());
    smallvec::smallvec![either(close, near_zero, || value, wide.dtype()).cast(x.dtype())]
}
