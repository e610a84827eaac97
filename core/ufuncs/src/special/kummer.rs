//! The confluent hypergeometric functions 1F1 and U: DLMF 13.

use std::f64::consts::PI;

use cuproxide_hal::ir::Var;

use super::approximation::either;
use super::beta::poch;
use super::called::called;
use super::continuation::{Problem, Shaken, WIDE, ends_exactly, ends_series, lift, size, times_real};
use super::double_double::Double;
use super::gamma::{gamma, gammaln, gammasgn, rgamma};
use super::gauss::{gamma_quotient, grown};
use super::recurrences::is_odd;

/// Most terms of an asymptotic series, and of one side of a quadrature.
const TERMS: f64 = 100.0;
const NODES: f64 = 20_000.0;
/// Most steps of the recurrence in a.
const DEGREES: f64 = 100_000.0;
/// Where they leave nearly all.
const FEW: f64 = 64.0;
/// What a unit of the parameters adds to the rounding of gamma functions.
const ROUNDED: f64 = 0.25;
/// The least distance of b from a whole number where both solutions at 0 are tried.
const NEAREST: f64 = 1e-12;
/// The error of a quadrature in units of its rounding.
const ROUNDINGS: f64 = 8.0;
/// From where on the asymptotic series is tried.
const LARGE: f64 = 40.0;
/// The least size of a parameter of U that is not 0.
const LEAST: f64 = 1e-300;

/// The sum of (a)_k (b)_k / k! z**-k as far as it falls, and whether its last term is nothing.
fn asymptotic<'b>(a: Var<'b>, b: Var<'b>, z: Var<'b>) -> (Var<'b>, Var<'b>) {
    let (builder, zero, one) = (z.builder(), a.like(0.0), a.like(1.0));
    let inverse = lift(z, one) / z;
    let (term, sum, k) = (builder.local(lift(z, one)), builder.local(lift(z, one)), builder.local(zero));
    let falls = builder.local(builder.boolean(true));
    builder.repeat(
        || {
            let left = size(term.get()).gt(size(sum.get()) * one.like(1e-17));
            left & falls.get() & k.get().lt(one.like(TERMS))
        },
        || {
            let n = k.get();
            let next = times_real(term.get() * inverse, (a + n) * (b + n) / (n + one));
            // Terms that cancel leave too few digits, as do ones that grow.
            falls.set(size(next).lt(one.like(2.0)));
            sum.set(sum.get() + next);
            term.set(next);
            k.set(n + one);
        },
    );
    (sum.get(), size(term.get()).le(size(sum.get()) * one.like(1e-16)) & falls.get())
}

/// Whether 1F1(a; b; z) has a pole in b that no end of the series hides.
fn has_pole<'b>(a: Var<'b>, b: Var<'b>) -> Var<'b> {
    let hidden = ends_series(a) & a.ge(b) & b.lt(b.like(0.0));
    ends_series(b) & !hidden
}

/// Kummer's transformation where it makes terms of one sign: the first parameter, b less it, and whether.
fn transformed<'b>(a: Var<'b>, b: Double<'b>, is_left: Var<'b>) -> (Double<'b>, Double<'b>, Var<'b>) {
    let (rest, a) = (b.plus(Double::new(-a)), Double::new(a));
    let exchange = !ends_series(a.high) & (ends_exactly(rest) | is_left);
    (rest.when(exchange, a), a.when(exchange, rest), exchange)
}

/// 1F1 of a real argument; NaN where parts that cancel are larger than `most`, relative to the result.
pub(super) fn real<'b>(a: Var<'b>, b_parts: Double<'b>, x: Var<'b>, most: Var<'b>) -> Var<'b> {
    let b = b_parts.high;
    let (zero, one, infinity) = (x.like(0.0), x.like(1.0), x.like(f64::INFINITY));
    let builder = x.builder();
    let (parameter, other, exchanged) = transformed(a, b_parts, x.lt(zero));
    let (first, rest) = (parameter.high, other.high);
    let point = (-x).when(exchanged, x);
    let outer = x.when(exchanged, zero);
    let (value, found) = (builder.local(zero), builder.local(builder.boolean(false)));
    // The other solution's part is nothing but near the ends of series.
    let apart = (first - first.rint()).abs().gt(x.like(1e-3)) & point.gt(x.like(60.0) - x.like(8.0) * first);
    let tried = point.gt(x.like(LARGE)) & (first.gt(zero) | apart) & !ends_series(first);
    builder.branch(
        tried,
        || {
            let (sum, exact) = asymptotic(rest, one - first, point);
            let moderate = b.abs().max(first.abs()).lt(x.like(20.0));
            let direct = || {
                let half = point.pow((first - b) * x.like(0.5)) * ((point + outer) * x.like(0.5)).exp();
                called!(gamma(b)) * called!(rgamma(first)) * half * half * sum
            };
            let by_logarithms = || {
                let log = called!(gammaln(b)) - called!(gammaln(first)) + (first - b) * point.log() + (point + outer);
                grown(gammasgn(b) * gammasgn(first) * sum, log)
            };
            value.set(either(moderate, direct, by_logarithms, WIDE));
            // The logarithm of the other part beside this one, which large parameters make the larger one.
            let powers = (b - first - first) * point.log() - point;
            let moderate = b.abs().max(first.abs()).lt(x.like(10.0)) & first.abs().gt(x.like(1e-8));
            let few = moderate & powers.lt(x.like(-60.0)) & b.ge(first);
            let settled = builder.local(few | ends_exactly(other));
            let by_size = || {
                let other = called!(gammaln(first)) - called!(gammaln(rest)) + powers;
                settled.set((first * (first - b + one)).abs().lt(point) & other.lt(x.like(-40.0)));
            };
            builder.branch(exact & !settled.get(), by_size, || {});
            found.set(exact & settled.get());
        },
        || {},
    );
    let solve = || {
        let problem = Problem { a: parameter, b: None, c: b, z: point, y: one, over: None, most };
        let solved = problem.solve(infinity);
        grown(solved.value, solved.log + outer)
    };
    let usual = x.abs().lt(infinity) & b.abs().lt(infinity) & a.abs().lt(infinity);
    let value = either(found.get() | x.eq(zero) | !usual, || value.get(), solve, WIDE);
    let value = value.when(usual, x.like(f64::NAN));
    let near = x.abs().lt(infinity) & a.abs().lt(infinity);
    let value = one.when(x.eq(zero) | a.eq(zero) | (b.abs().eq(infinity) & near), value);
    // The limits of the leading terms: exp(x) x**(a - b) gamma(b) / gamma(a), and (-x)**-a gamma(b) / gamma(b - a).
    let upward = gammasgn(b) * gammasgn(a) * infinity;
    let decays = a.gt(zero) | ends_series(b - a);
    let downward = zero.when(decays, gammasgn(b) * gammasgn(b - a) * infinity);
    // That of a polynomial is (-x)**-a / (b)_(-a), of which b may be a whole number below a.
    let half = a * x.like(0.5);
    let parity = one.when(half.eq(half.floor()), -one);
    let rising = parity.when(ends_series(b), gammasgn(b) * gammasgn(b - a));
    let polynomial = rising * parity.when(x.gt(zero), one) * infinity;
    let end = polynomial.when(ends_series(a), upward.when(x.gt(zero), downward));
    let far = x.abs().eq(infinity) & b.abs().lt(infinity) & a.gt(-infinity) & !a.eq(zero);
    let value = end.when(far, value);
    let value = infinity.when(has_pole(a, b), value);
    x.like(f64::NAN).when(a.is_nan() | b.is_nan() | x.is_nan(), value)
}

/// 1F1 of a complex argument.
pub(super) fn complex<'b>(a: Var<'b>, b_parts: Double<'b>, z: Var<'b>, most: Var<'b>) -> Var<'b> {
    let (builder, b) = (z.builder(), b_parts.high);
    let (zero, one, infinity) = (a.like(0.0), a.like(1.0), a.like(f64::INFINITY));
    let (parameter, other, exchanged) = transformed(a, b_parts, z.re().lt(zero));
    let (first, rest) = (parameter.high, other.high);
    let point = (-z).when(exchanged, z);
    let outer = z.when(exchanged, lift(z, zero));
    let (value, found) = (builder.local(lift(z, zero)), builder.local(builder.boolean(false)));
    builder.branch(
        point.abs().gt(a.like(LARGE)) & !ends_exactly(parameter),
        || {
            // Both solutions count beside the imaginary axis: DLMF 13.7.2.
            let (rising, exact) = asymptotic(rest, one - first, point);
            let (falling, also) = asymptotic(first, one - rest, -point);
            let log = point.log();
            let angle = (first * a.like(PI)).copysign(point.im());
            let angle = (-angle).when(first.lt(zero), angle);
            let power = (point + outer + times_real(log, first - b)).exp();
            let decay = (outer - times_real(log, first) + builder.complex(zero, angle)).exp();
            let [above, unit] = [b, one].map(Double::new);
            let by_first = gamma_quotient([above, unit], [parameter, unit]);
            let by_second = gamma_quotient([above, unit], [other, unit]);
            let falling = times_real(falling * decay, by_second);
            let none = by_second.eq(zero) | size(decay).eq(zero);
            let falling = lift(z, zero).when(none, falling);
            value.set(times_real(rising * power, by_first) + falling);
            found.set(exact & also);
        },
        || {},
    );
    let solve = || {
        let problem = Problem { a: parameter, b: None, c: b, z: point, y: lift(z, one), over: None, most };
        let solved = problem.solve(infinity);
        let half = (times_real(outer, a.like(0.5)) + lift(z, solved.log * a.like(0.5))).exp();
        solved.value * half * half
    };
    let usual = z.abs().lt(infinity) & b.abs().lt(infinity) & a.abs().lt(infinity);
    let value = either(found.get() | !usual, || value.get(), solve, z.dtype());
    let value = value.when(usual, builder.complex(a.like(f64::NAN), a.like(f64::NAN)));
    let near = z.abs().lt(infinity) & a.abs().lt(infinity);
    let value = lift(z, one).when(a.eq(zero) | (b.abs().eq(infinity) & near), value);
    let value = lift(z, infinity).when(has_pole(a, b), value);
    let unknown = a.is_nan() | b.is_nan() | z.is_nan();
    builder.complex(a.like(f64::NAN), a.like(f64::NAN)).when(unknown, value)
}

/// U for a > 0 and x > 0, and a times U of a + 1, the logarithm of their common factor apart: the trapezoidal rule
/// for DLMF 13.4.4 in the logarithm of the variable, whose terms are positive.
fn by_quadrature<'b>(a: Var<'b>, b: Var<'b>, x: Var<'b>) -> (Var<'b>, Var<'b>, Var<'b>) {
    let builder = x.builder();
    let (one, two) = (x.like(1.0), x.like(2.0));
    // The integrand's peak: x t² + (x - b + 1) t = a.
    let linear = x - b + one;
    let root = (linear * linear + x.like(4.0) * a * x).sqrt();
    let peak = (two * a / (linear + root)).when(linear.gt(x.like(0.0)), (root - linear) / (two * x));
    let more = b - a - one;
    let middle = peak.log();
    let share = peak / (one + peak);
    let curvature = x * peak - more * share * (one - share);
    let step = x.like(0.16).min(x.like(0.45) / curvature.max(x.like(1e-300)).sqrt());
    let log_peak = peak.log1p();
    let tail = one / (a * step).expm1();
    let (sum, raised) = (builder.local(one), builder.local(share));
    let (side, k) = (builder.local(one), builder.local(one));
    builder.repeat(
        || side.get().ge(-one),
        || {
            let u = side.get() * k.get() * step;
            // Exponents by differences from the peak.
            let grown = u.expm1();
            let t = peak * u.exp();
            let near = share * grown;
            let is_near = near.gt(x.like(-0.5));
            let quotient = near.when(is_near, t).log1p() - x.like(0.0).when(is_near, log_peak);
            let exponent = a * u - x * peak * grown + more * quotient;
            let term = exponent.exp();
            sum.set(sum.get() + term);
            raised.set(raised.get() + term * (t / (one + t)));
            // Far to the left terms are a geometric series.
            let flat = side.get().lt(x.like(0.0)) & (t * (one + x)).lt(x.like(1e-17));
            sum.set(sum.get() + x.like(0.0).when(!flat, term * tail));
            let endless = k.get().gt(x.like(NODES)) | term.is_nan();
            sum.set(x.like(f64::NAN).when(endless, sum.get()));
            // Of a small parameter the geometric series is larger than its first term by far.
            let left = (term * tail).when(side.get().lt(x.like(0.0)), x.like(0.0));
            let ended = flat | endless | (term + left).lt(sum.get() * x.like(1e-18));
            k.set(one.when(ended, k.get() + one));
            side.set((side.get() - two).when(ended, side.get()));
        },
    );
    let log = a * middle - x * peak + more * log_peak - called!(gammaln(a));
    (sum.get() * step, raised.get() * step, log)
}

/// U for small x from both solutions at 0 (DLMF 13.2.42), and how much larger the parts that cancel are; `other` is
/// a - b + 1. Polynomials are one of the solutions, by DLMF 13.2.7.
fn by_series<'b>(a: Double<'b>, other: Double<'b>, b: Var<'b>, x: Var<'b>, most: Var<'b>) -> (Var<'b>, Var<'b>) {
    let (builder, zero, one, two) = (x.builder(), x.like(0.0), x.like(1.0), x.like(2.0));
    let polynomial = ends_exactly(a);
    let (sum, largest, n) = (builder.local(zero), builder.local(zero), builder.local(zero));
    let lost = builder.local(one);
    let count = one.when(polynomial, two);
    let weight = one + (a.high.abs() + b.abs()) * x.like(ROUNDED);
    builder.repeat(
        || n.get().lt(count),
        || {
            let last = n.get().gt(zero);
            let (first, under) = (other.when(last, a), a.when(last, other));
            let c = (two - b).when(last, b);
            let part = Problem { a: first, b: None, c, z: x, y: one, over: None, most };
            let found = part.solve(x.like(f64::INFINITY));
            let degree = -a.high;
            let product = || one.when(!is_odd(degree), -one) * called!(poch(b, degree));
            let less = Double::sum(b, -one);
            let unit = Double::new(one);
            let quotient = || gamma_quotient([less.when(last, less.negated()), unit], [under, unit]);
            let factor = either(polynomial, product, quotient, WIDE);
            // The power alone may be out of range.
            let root = x.pow((one - b).when(last, zero) * x.like(0.5));
            let term = grown(found.value, found.log) * root * factor * root;
            sum.set(sum.get() + term);
            // Gamma functions of large numbers have the rounding of their logarithms.
            largest.set(largest.get().max(term.abs() * weight));
            lost.set(lost.get().max(found.lost));
            n.set(n.get() + one);
        },
    );
    (sum.get(), lost.get() * (largest.get() / sum.get().abs()))
}

/// `by_series` of two parts of each parameter.
fn series_of_two<'b>(
    a: Var<'b>,
    a_low: Var<'b>,
    other: Var<'b>,
    other_low: Var<'b>,
    b: Var<'b>,
    x: Var<'b>,
    most: Var<'b>,
) -> (Var<'b>, Var<'b>) {
    by_series(Double { high: a, low: a_low }, Double { high: other, low: other_low }, b, x, most)
}

/// U(a, b, x) for real numbers; NaN where parts that cancel are larger than `most`, relative to the result.
pub(super) fn second<'b>(a: Var<'b>, b: Var<'b>, x: Var<'b>, most: Var<'b>) -> Var<'b> {
    let (zero, one, two) = (x.like(0.0), x.like(1.0), x.like(2.0));
    let inside = x.gt(zero) & x.lt(x.like(f64::INFINITY));
    // U of a tiny a is 1 and a multiple of a. The reciprocals of the least numbers are infinite: there, that of `LEAST`.
    let least = x.like(LEAST).copysign(a);
    let tiny = inside & a.abs().lt(x.like(LEAST)) & a.ne(zero);
    let share = a / least;
    let a = least.when(tiny, a);
    // Kummer's transformation (DLMF 13.2.40): for large b the recurrence in a loses digits, and of two polynomials the
    // shorter one keeps them. Next to polynomials U depends on the distance, so that both parameters keep all digits.
    let other = Double::sum(a, -b).plus(Double::new(one));
    let a = Double::new(a);
    let shorter = ends_exactly(other) & (!ends_exactly(a) | other.high.gt(a.high));
    let large = a.high.lt(zero) & !ends_exactly(a) & b.gt(two);
    let exchanged = (large | shorter) & inside;
    let builder = x.builder();
    let (value, exchange, n) = (builder.local(x.like(f64::NAN)), builder.local(exchanged), builder.local(zero));
    // The other way, where the first one loses its digits.
    builder.repeat(
        || n.get().eq(zero) | (n.get().eq(one) & inside & value.get().is_nan()),
        || {
            let now = exchange.get();
            let (first, rest) = (other.when(now, a), a.when(now, other));
            let order = (two - b).when(now, b);
            let found = called!(tricomi(first.high, first.low, rest.high, rest.low, order, x, most));
            let root = x.pow((one - b) * x.like(0.5));
            value.set((found * root * root).when(now, found));
            exchange.set(!now);
            n.set(n.get() + one);
        },
    );
    let value = value.get();
    (one + (value - one) * share).when(tiny, value)
}

/// U(a, b, x), where `other` is a - b + 1; of both there are two parts.
fn tricomi<'b>(
    a: Var<'b>,
    a_low: Var<'b>,
    other: Var<'b>,
    other_low: Var<'b>,
    b: Var<'b>,
    x: Var<'b>,
    most: Var<'b>,
) -> Var<'b> {
    let builder = x.builder();
    let (zero, one, two, infinity) = (x.like(0.0), x.like(1.0), x.like(2.0), x.like(f64::INFINITY));
    let usual = x.gt(zero) & x.lt(infinity) & a.abs().lt(infinity) & b.abs().lt(infinity);
    let polynomial = ends_exactly(Double { high: a, low: a_low });
    let value = builder.local(x.like(f64::NAN));
    let exact = builder.local(builder.boolean(false));
    let cancelled = builder.local(infinity);
    // At a whole b both solutions are infinite, and next to it they cancel.
    let apart = (b - b.rint()).abs().gt(x.like(NEAREST));
    let summable = usual & a.lt(zero) & (apart | polynomial);
    let summed = || {
        let (sum, lost) = called!(series_of_two(a, a_low, other, other_low, b, x, most));
        value.set(sum);
        cancelled.set(infinity.when(lost.is_nan(), lost));
    };
    builder.branch(
        usual & x.gt(x.like(LARGE)),
        || {
            let (sum, good) = asymptotic(a, other, -x);
            value.set(sum * x.pow(-a));
            exact.set(good);
        },
        || {
            builder.branch(
                summable & x.lt(x.like(4.0)) & !polynomial,
                || {
                    summed();
                    exact.set(cancelled.get().le(x.like(FEW)));
                },
                || {},
            );
        },
    );
    let solve = || {
        // From a place where a is positive, or the polynomials of degree 0 and 1, down to a by DLMF 13.3.7.
        let steps = (-a).floor().max(-one) + one;
        let start = (a + steps) + a_low;
        let (now, above) = (builder.local(one), builder.local(one));
        let (left, log) = (builder.local(-a), builder.local(zero));
        builder.branch(
            polynomial,
            || above.set(zero),
            || {
                let (here, raised, scale) = called!(by_quadrature(start, b, x));
                now.set(here);
                above.set(raised / start);
                left.set(steps);
                log.set(scale);
            },
        );
        let noise = Shaken::new(one);
        let (shaken, shaken_above) = (builder.local(now.get()), builder.local(above.get() * noise.factor()));
        let most_steps = x.like(DEGREES);
        let count = builder.local(zero);
        builder.repeat(
            || left.get().gt(zero) & count.get().lt(most_steps),
            || {
                // Whole steps from the parameters themselves: no rounding accumulates.
                let p = (a + left.get()) + a_low;
                let q = (other + left.get()) + other_low;
                for (here, higher) in [(now, above), (shaken, shaken_above)] {
                    let next = (two * p - b + x) * here.get() - p * q * higher.get();
                    higher.set(here.get());
                    here.set(next);
                }
                shaken.set(shaken.get() * noise.factor());
                left.set(left.get() - one);
                count.set(count.get() + one);
            },
        );
        // The quadrature is off by some roundings.
        let lost = Shaken::lost(now.get(), shaken.get()) * x.like(ROUNDINGS);
        let few = x.like(FEW * ROUNDINGS);
        builder.branch(summable & cancelled.get().eq(infinity) & !lost.le(few), summed, || {});
        let infinite = polynomial & now.get().abs().eq(infinity);
        let known = a.gt(-most_steps) & (lost.le(most) | infinite);
        let found = grown(now.get(), log.get()).when(known, x.like(f64::NAN));
        // Both lost digits: the better one.
        value.get().when(cancelled.get().lt(lost.min(most)), found)
    };
    let value = either(usual & !exact.get(), solve, || value.get(), WIDE);
    // At 0: DLMF 13.2.16 to 13.2.22.
    let unit = Double::new(one);
    let under = Double { high: other, low: other_low };
    let at_zero = gamma_quotient([Double::sum(one, -b), unit], [under, unit]).when(b.lt(one), infinity);
    let value = at_zero.when(x.eq(zero), value);
    let end = zero.when(a.gt(zero), one.when(a.eq(zero), infinity));
    let value = end.when(x.eq(infinity), value);
    let value = x.like(f64::NAN).when(x.lt(zero), value);
    x.like(f64::NAN).when(a.is_nan() | b.is_nan() | x.is_nan(), value)
}
