//! Gauss's function where a connection formula is degenerate: two exponents at a singular point of its differential
//! equation differ by a whole number, or nearly (DLMF 15.8.8, 15.8.10). Both series of the formula have terms next to
//! poles, which cancel in pairs. A pair is one of its terms times the mean slope of the logarithm of their
//! quotient, over the distance from the whole number: means of digamma functions, which keep
//! their digits at any distance.

use std::f64::consts::PI;

use cuproxide_hal::ir::Var;

use super::approximation::{either, sin_pi};
use super::bessel_complex::times_exp;
use super::called::called;
use super::continuation::{BESIDE_ZERO, SMALLEST, WIDE, ends_exactly, lift, size, times_real};
use super::double_double::Double;
use super::gamma::rgamma;
use super::gauss::{Parameters, gamma_quotient};

/// How far from a whole number a difference of exponents may be: beyond, the plain formula loses few digits.
const NEARLY: f64 = 1e-2;
/// The largest parameters for which the gamma functions here are precise.
const MOST: f64 = 80.0;
/// The smallest argument beyond 1 and the largest distance from 1.
const FAR_OUT: f64 = 1.1;
const NEXT_TO_ONE: f64 = 0.9;
/// The least distance from a pole of a factor that has lost few digits, in units of what it is less than its pair's.
const LEAST_SHARE: f64 = 1e-3;
/// Most terms of a series, and what its sum may still change by.
const TERMS: f64 = 2000.0;
const EPSILON: f64 = 1e-17;
/// From here on Stirling's series has all digits; its coefficients, Bernoulli's numbers over 2 k (2 k - 1), and the
/// most steps to there.
const STIRLING: f64 = 12.0;
const COEFFICIENTS: [f64; 6] =
    [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0, -691.0 / 360_360.0];
const STEPS: f64 = 200.0;

/// log(1 + x) / x.
fn log_share(x: Var<'_>) -> Var<'_> {
    either(x.eq(x.like(0.0)), || x.like(1.0), || x.log1p() / x, WIDE)
}

/// The mean of the digamma function from x to x + `step`, between which no pole lies; x has two parts.
fn mean_digamma<'b>(high: Var<'b>, low: Var<'b>, step: Var<'b>) -> Var<'b> {
    let (builder, one) = (high.builder(), high.like(1.0));
    let (start, n, sum) = (Double { high, low }, builder.local(high.like(0.0)), builder.local(high.like(0.0)));
    builder.repeat(
        || (high + n.get()).lt(high.like(STIRLING)) & n.get().lt(high.like(STEPS)),
        || {
            let at = start.shifted(n.get());
            sum.set(sum.get() - called!(log_share(step / at)) / at);
            n.set(n.get() + one);
        },
    );
    // The difference of Stirling's series at both ends, of which only that of powers is small.
    let at = start.shifted(n.get());
    let (first, second) = (one / at, one / (at + step));
    let plain = (at - high.like(0.5)) * first * called!(log_share(step * first)) + (at + step).log() - one;
    // (second**p - first**p) / (second - first) for successive p.
    let (mut quotient, mut power, mut rest) = (one, first, high.like(0.0));
    for (k, coefficient) in COEFFICIENTS.into_iter().enumerate() {
        if k > 0 {
            for _ in 0..2 {
                quotient = second * quotient + power;
                power = power * first;
            }
        }
        rest = rest + high.like(coefficient) * quotient;
    }
    sum.get() + plain - first * second * rest
}

/// What a pair is of its first term: (exp(rest slope) - 1) / rest.
fn of_pair<'b>(slope: Var<'b>, rest: Var<'b>) -> Var<'b> {
    let apart = || {
        if !slope.dtype().is_complex() {
            return (slope * rest).expm1() / rest;
        }
        let (x, y) = (slope.re() * rest, slope.im() * rest);
        let sine = (y * rest.like(0.5)).sin();
        let re = x.expm1() * y.cos() - rest.like(2.0) * sine * sine;
        slope.builder().complex(re / rest, x.exp() * y.sin() / rest)
    };
    either(rest.eq(rest.like(0.0)), || slope, apart, slope.dtype())
}

/// The whole part of a difference of exponents, and what is left.
fn parted<'b>(difference: Double<'b>) -> (Var<'b>, Var<'b>) {
    let whole = difference.high.rint();
    (whole, difference.shifted(-whole))
}

/// Whether a factor of the second series and its pair's, which is `rest` less, lie on one side of a pole; where `positive`,
/// from 1/2 on there is none.
fn is_open<'b>(high: Var<'b>, low: Var<'b>, rest: Var<'b>, positive: Var<'b>) -> Var<'b> {
    let zero = high.like(0.0);
    let distance = Double { high, low }.shifted(-high.rint());
    let other = distance - rest;
    let alike = (distance * other).gt(zero) & other.abs().ge(rest.abs() * high.like(LEAST_SHARE));
    rest.eq(zero) | alike | (positive & high.ge(high.like(0.5)))
}

/// One of the two formulas: the parameters of its two series, whose exponents differ by `whole` + `rest`.
#[derive(Clone, Copy)]
struct Formula<'b> {
    lower: [Double<'b>; 2],
    upper: [Double<'b>; 2],
    whole: Var<'b>,
    rest: Var<'b>,
    /// The numbers whose gamma functions are under both series, beside the first upper and the first lower parameter.
    under: [Double<'b>; 2],
    /// The exponent of the whole sum.
    power: Var<'b>,
    applies: Var<'b>,
}

impl<'b> Formula<'b> {
    fn when(self, condition: Var<'b>, other: Formula<'b>) -> Formula<'b> {
        let pair = |one: [Double<'b>; 2], other: [Double<'b>; 2]| {
            [one[0].when(condition, other[0]), one[1].when(condition, other[1])]
        };
        Formula {
            lower: pair(self.lower, other.lower),
            upper: pair(self.upper, other.upper),
            whole: self.whole.when(condition, other.whole),
            rest: self.rest.when(condition, other.rest),
            under: pair(self.under, other.under),
            power: self.power.when(condition, other.power),
            applies: self.applies.when(condition, other.applies),
        }
    }

    /// In 1 / z: DLMF 15.8.8.
    fn far(p: Parameters<'b>) -> Formula<'b> {
        let one = p.c.like(1.0);
        let swapped = p.b.high.lt(p.a.high);
        let (low, high) = (p.b.when(swapped, p.a), p.a.when(swapped, p.b));
        let (of_low, of_high) = (p.cb.when(swapped, p.ca), p.ca.when(swapped, p.cb));
        let less = |x: Double<'b>| Double::new(one).added(x.negated());
        let upper = [high, less(of_high)];
        let (whole, rest) = parted(high.added(low.negated()));
        let [positive, any] = [true, false].map(|flag| one.builder().boolean(flag));
        let open = called!(is_open(high.high, high.low, rest, positive))
            & called!(is_open(upper[1].high, upper[1].low, rest, any));
        let applies = open & rest.abs().le(one.like(NEARLY));
        Formula { lower: [low, less(of_low)], upper, whole, rest, under: [of_low, of_high], power: low.high, applies }
    }

    /// In 1 - z: DLMF 15.8.10.
    fn next_to_one(p: Parameters<'b>) -> Formula<'b> {
        let (zero, always) = (p.c.like(0.0), p.c.builder().boolean(true));
        let swapped = p.s.high.lt(zero);
        let choose = |one: Double<'b>, other: Double<'b>| one.when(swapped, other);
        let (lower, upper) = ([choose(p.ca, p.a), choose(p.cb, p.b)], [choose(p.b, p.cb), choose(p.a, p.ca)]);
        let (whole, rest) = parted(choose(p.s.negated(), p.s));
        let open = upper.map(|x| called!(is_open(x.high, x.low, rest, always)));
        let applies = open[0] & open[1] & rest.abs().le(zero.like(NEARLY));
        let under = [upper[1], lower[1]];
        Formula { lower, upper, whole, rest, under, power: p.s.high.when(swapped, zero), applies }
    }
}

/// The formula that converges faster, and whether one applies; `y` is 1 - z.
pub(super) fn formula<'b>(p: Parameters<'b>, z: Var<'b>, y: Var<'b>) -> Degenerate<'b> {
    let (zero, one) = (p.c.like(0.0), p.c.like(1.0));
    let ends = [p.a, p.b, p.ca, p.cb].map(ends_exactly).into_iter().reduce(|any, ends| any | ends);
    let moderate = p.a.high.abs().max(p.b.high.abs()).max(p.c.abs()).lt(one.like(MOST));
    // Beside a pole in c both parts cancel by the distance.
    let next_to_pole = p.c.lt(one.like(0.5)) & (p.c - p.c.rint()).abs().le(one.like(1e-5));
    let allowed = moderate & !next_to_pole & !ends.expect("there are four");
    let (distance, rest) = (z.abs(), y.abs());
    let (far, near) = (Formula::far(p), Formula::next_to_one(p));
    let far_out = far.applies & distance.gt(one.like(FAR_OUT));
    let at_one = near.applies & rest.lt(one.like(NEXT_TO_ONE)) & rest.gt(zero);
    let is_near = at_one & (!far_out | (rest * distance).lt(one));
    Degenerate { c: p.c, formula: near.when(is_near, far), is_near, applies: (far_out | at_one) & allowed }
}

/// The formula for one argument.
pub(super) struct Degenerate<'b> {
    c: Var<'b>,
    formula: Formula<'b>,
    is_near: Var<'b>,
    pub(super) applies: Var<'b>,
}

impl<'b> Degenerate<'b> {
    /// The function, and what its largest part is beside it: infinite where it was not found.
    pub(super) fn value(&self, z: Var<'b>, y: Var<'b>) -> (Var<'b>, Var<'b>) {
        let Degenerate { c, is_near, .. } = *self;
        let Formula { lower, upper, whole, rest, under, power, .. } = self.formula;
        let (builder, zero, one) = (z.builder(), c.like(0.0), c.like(1.0));
        let t = y.when(is_near, lift(z, one) / z);
        // The logarithm of what the series are powers of, -1 / z or 1 - z.
        let log = y.when(is_near, -z).log();
        let log = log.when(is_near, -log);
        let some = whole.gt(zero);
        let difference = Double::sum(whole.max(one), zero.when(!some, rest));
        let first = gamma_quotient([Double::new(c), difference], [upper[0], under[0]]);
        let (term, sum) = (builder.local(lift(z, first)), builder.local(lift(z, zero)));
        let (k, lead) = (builder.local(zero), builder.local(lift(z, one)));
        let largest = builder.local(zero);
        let by_sign = times_real(t, (-one).when(is_near, one));
        builder.repeat(
            || k.get().lt(whole),
            || {
                let (here, next) = (k.get(), k.get() + one);
                sum.set(sum.get() + term.get());
                largest.set(largest.get().max(size(term.get())));
                let left = (whole - next + rest).when(next.lt(whole), one);
                let ratio = -(lower[0].shifted(here) * lower[1].shifted(here)) / (next * left);
                term.set(times_real(term.get() * t, ratio));
                lead.set(lead.get() * by_sign);
                k.set(next);
            },
        );
        let angle = rest * c.like(PI);
        let arc = either(rest.eq(zero), || one, || angle / sin_pi(rest), WIDE);
        let second = gamma_quotient([Double::new(c), Double::new(one)], [lower[0], under[1]]);
        let second = second * called!(rgamma(one + whole + rest)) * arc;
        let tilt = either(rest.eq(zero), || lift(z, one), || times_real(log, rest).exp(), z.dtype());
        term.set(times_real(lead.get() * tilt, second));
        let mean = |x: Double<'b>, step: Var<'b>| called!(mean_digamma(x.high, x.low, step));
        let of_upper = mean(upper[0], -rest) + mean(upper[1].when(is_near, under[1]), (-rest).when(is_near, rest));
        let of_factorials = mean(Double::new(one), -rest) + mean(Double::new(one + whole), rest);
        let slope = builder.local(of_factorials - of_upper);
        let last = (-upper[0].high).max(-upper[1].high).max(zero) + one.like(2.0);
        let (distance, more) = (t.abs(), builder.local(builder.boolean(true)));
        k.set(zero);
        builder.repeat(
            || more.get() & k.get().lt(c.like(TERMS)),
            || {
                let (here, next) = (k.get(), k.get() + one);
                let part = term.get() * of_pair(lift(z, slope.get()) - log, rest);
                sum.set(sum.get() + part);
                largest.set(largest.get().max(size(part)));
                let beyond = next + whole;
                let [p, q] = upper.map(|x| {
                    let at = x.shifted(here);
                    c.like(BESIDE_ZERO).when(at.eq(zero), at)
                });
                let share = |x: Var<'b>, by: Var<'b>| called!(log_share(by / x)) / x;
                let apart = || (share(next, -rest) + share(beyond, rest)) - (share(p, -rest) + share(q, -rest));
                let whole = || (one / next + one / beyond) - (one / p + one / q);
                slope.set(slope.get() + either(rest.eq(zero), whole, apart, WIDE));
                let ratio = (p * q) / (next * (beyond + rest));
                term.set(times_real(term.get() * t, ratio));
                // Next to a pole of gamma the first pairs are small, and later ones are not.
                let grows = here.lt(last) | (ratio.abs() * distance).ge(one);
                more.set(size(part).gt(size(sum.get()) * c.like(EPSILON)) | grows);
                k.set(next);
            },
        );
        let value = times_exp(sum.get(), times_real(log, power));
        let found = size(value);
        let in_range = found.gt(c.like(SMALLEST)) & found.lt(c.like(f64::INFINITY));
        let known = in_range & !more.get();
        (value, (largest.get() / size(sum.get())).when(known, c.like(f64::INFINITY)))
    }
}
