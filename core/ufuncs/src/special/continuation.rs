//! Hypergeometric functions by their power series at 0 and, where that cancels or does not converge, by analytic
//! continuation: the differential equation gives the power series of the solution around the next point (DLMF 3.7(ii)).
//! No case is degenerate, so whole differences of parameters need no limits.
//!
//! Bodies serve real and complex arguments; parameters are real.

use cuproxide_hal::DType;
use cuproxide_hal::ir::{LocalVar, Var};

use super::called::called;
use super::double_double::{self, Double};

/// What a sum may still change by.
const EPSILON: f64 = 1.1e-16;
/// Bounds of loops, which end earlier by their own conditions.
const TERMS: f64 = 30_000.0;
const TAYLOR_TERMS: f64 = 1000.0;
const STEPS: f64 = 4000.0;
/// From here on terms fall, if they ever do.
const SETTLED: f64 = 5000.0;
/// Parameters below the negative of this one let a series end before its factors change their signs.
const MOST_CHANGES: f64 = 1000.0;
/// Up to this size of the argument a series that ends in a pole of c is summed, if only to compare.
const SLOW: f64 = 0.99;
const DEGREES: f64 = 100_000.0;
/// The largest term of a sum relative to it that is accepted.
const CANCELLED: f64 = 16.0;
/// Where the parts that cancel, relative to the result, leave too few digits of float64, and of float32.
pub(super) const LOST: f64 = 1e7;
pub(super) const LOST_SINGLE: f64 = 1e11;
/// How far each step of a `Shaken` recurrence is off.
const OFF: f64 = 1e-8;
/// The golden ratio less 1: its multiples leave no pattern.
const GOLDEN: f64 = 0.618_033_988_749_894_8;
/// From where on the series is summed with twice the digits, and up to which size of the argument.
const WORTH: f64 = 1e4;
const FAST: f64 = 0.95;
/// How far terms around a point may grow beyond the solution, as an exponent.
const EXPONENT: f64 = 3.0;
/// Roundings of one step, in units of one of the value.
const ROUNDINGS: f64 = 8.0;
/// Replaces a factor of 0 that another one cancels.
pub(super) const BESIDE_ZERO: f64 = 1e-150;
/// How far a solution may grow in one step, as an exponent, and the size from which on it is scaled before the next one.
const GROWTH: f64 = 300.0;
/// From this estimate on, as an exponent, or where much cancels, the growth of errors is measured: estimates are off.
const MEASURED: f64 = 40.0;
const DOUBTFUL: f64 = 256.0;
const LARGE_STEP: f64 = 1e100;
/// Numbers below this may have lost digits on the way.
pub(super) const SMALLEST: f64 = 1e-290;
/// Numbers beyond the first are multiplied by the second, whose logarithm is the third: sums may be larger than numbers.
const TOO_LARGE: f64 = 1e250;
const SHRINK: f64 = 1.499_696_813_895_631e-241;
const LOG_SHRINK: f64 = -554.517_744_447_956_3;

/// A real number as one of the type of `z`.
pub(super) fn lift<'b>(z: Var<'b>, real: Var<'b>) -> Var<'b> {
    if z.dtype().is_complex() { z.builder().complex(real, real.like(0.0)) } else { real }
}

/// A number times a real one.
pub(super) fn times_real<'b>(z: Var<'b>, real: Var<'b>) -> Var<'b> {
    if z.dtype().is_complex() { z.builder().complex(z.re() * real, z.im() * real) } else { z * real }
}

/// The size of a number, up to a factor of the root of 2.
pub(super) fn size(z: Var<'_>) -> Var<'_> {
    if z.dtype().is_complex() { z.re().abs() + z.im().abs() } else { z.abs() }
}

/// Whether a real number is whole and not positive.
pub(super) fn ends_series(a: Var<'_>) -> Var<'_> {
    a.le(a.like(0.0)) & a.eq(a.floor())
}

/// Whether a number is whole and not positive with both of its parts.
pub(super) fn ends_exactly(a: Double<'_>) -> Var<'_> {
    ends_series(a.high) & a.low.eq(a.low.like(0.0))
}

/// 1F1(a; c; z) where `b` is none, else 2F1(a, b; c; z). Next to a pole in c the distances of a and b from whole numbers
/// count: these have two parts.
#[derive(Clone, Copy)]
pub(super) struct Problem<'b> {
    pub(super) a: Double<'b>,
    pub(super) b: Option<Double<'b>>,
    pub(super) c: Var<'b>,
    pub(super) z: Var<'b>,
    /// 1 - z.
    pub(super) y: Var<'b>,
    /// A point that the path to `z` goes over, and 1 less it; the condition says whether it does.
    pub(super) over: Option<(Var<'b>, Var<'b>, Var<'b>)>,
    /// What the parts that cancel may be, relative to the result.
    pub(super) most: Var<'b>,
}

/// The same recurrence with an error of irregular sign in each step: its distance from the exact one measures how errors
/// grow.
pub(super) struct Shaken<'b>(LocalVar<'b>);

impl<'b> Shaken<'b> {
    pub(super) fn new(one: Var<'b>) -> Shaken<'b> {
        Shaken(one.builder().local(one.like(0.0)))
    }

    /// What the next number is multiplied by.
    pub(super) fn factor(&self) -> Var<'b> {
        let (phase, factor) = called!(shaken(self.0.get()));
        self.0.set(phase);
        factor
    }

    /// The growth of errors, relative to the value.
    pub(super) fn lost(value: Var<'b>, shaken: Var<'b>) -> Var<'b> {
        let distance = size(shaken - value);
        // A root that both hit.
        let none = distance.like(0.0);
        none.when(distance.eq(none), distance / (size(value) * distance.like(OFF)))
    }
}

/// The next phase of `Shaken` and its factor.
fn shaken<'b>(phase: Var<'b>) -> (Var<'b>, Var<'b>) {
    let phase = phase + phase.like(GOLDEN);
    let (phase, off) = (phase - phase.floor(), phase.like(OFF));
    (phase, phase.like(1.0) + (-off).when(phase.lt(phase.like(0.5)), off))
}

/// How fast solutions grow at most, and how much faster the terms of their power series, by the equation's exponents
/// at a point.
fn rates<'b>(p: Var<'b>, r: Var<'b>, direction: Var<'b>, unit: Var<'b>) -> (Var<'b>, Var<'b>) {
    let half = unit.like(0.5);
    // In units of the distance, so that squares are numbers.
    let (p, r) = (times_real(p, unit), times_real(times_real(r, unit), unit));
    let middle = -times_real(p, half);
    if p.dtype().is_complex() {
        let root = (middle * middle + r).sqrt();
        let (first, second) = ((middle + root) * direction, (middle - root) * direction);
        let fastest = first.re().max(second.re());
        (fastest / unit, (first.abs().max(second.abs()) - fastest) / unit)
    } else {
        let square = middle * middle + r;
        let oscillates = square.lt(p.like(0.0));
        let fastest = middle.when(oscillates, middle + square.abs().sqrt());
        (fastest / unit, ((-r).abs().sqrt() - middle).when(oscillates, p.max(p.like(0.0))) / unit)
    }
}

/// A number that may be larger than numbers are: its logarithm is that of `value` plus `log`.
pub(super) struct Scaled<'b> {
    pub(super) value: Var<'b>,
    pub(super) log: Var<'b>,
    /// What the parts that cancelled are beside the value.
    pub(super) lost: Var<'b>,
}

/// A partial sum of a series.
pub(super) struct Sum<'b> {
    pub(super) value: Var<'b>,
    /// The size of the largest term.
    pub(super) largest: Var<'b>,
    pub(super) log: Var<'b>,
}

/// The power series of 2F1: its value, its largest term and the logarithm of a factor.
fn gauss_series<'b>(a: Var<'b>, a_low: Var<'b>, b: Var<'b>, b_low: Var<'b>, c: Var<'b>, z: Var<'b>) -> [Var<'b>; 3] {
    let [a, b] = [[a, a_low], [b, b_low]].map(|[high, low]| Double { high, low });
    let Sum { value, largest, log } = Problem { a, b: Some(b), c, z, y: z, over: None, most: c }.terms(z, None);
    [value, largest, log]
}

/// Multiplies numbers by a power of 2, which `log` counts, where `by` is beyond the limit.
fn shrink<'b>(by: Var<'b>, limit: f64, log: LocalVar<'b>, numbers: &[LocalVar<'b>]) {
    let builder = by.builder();
    builder.branch(
        by.gt(by.like(limit)),
        || {
            for number in numbers {
                number.set(times_real(number.get(), by.like(SHRINK)));
            }
            log.set(log.get() - by.like(LOG_SHRINK));
        },
        || {},
    );
}

impl<'b> Problem<'b> {
    /// (a + n) (b + n), or a + n.
    fn upper(&self, n: Var<'b>) -> Var<'b> {
        let above = self.a.shifted(n);
        self.b.map_or(above, |b| above * b.shifted(n))
    }

    /// The number of a term beyond which no factor of a later one is next to a zero or a pole.
    fn last_change(&self) -> Var<'b> {
        let below = self.b.map_or(-self.a.high, |b| (-self.a.high).max(-b.high)).max(-self.c);
        below.max(self.c.like(0.0)).min(self.c.like(MOST_CHANGES)) + self.c.like(1.5)
    }

    /// Whether the series ends.
    pub(super) fn is_polynomial(&self) -> Var<'b> {
        self.b.map_or(ends_exactly(self.a), |b| ends_exactly(self.a) | ends_exactly(b))
    }

    /// DLMF 13.2.2, 15.2.1.
    pub(super) fn series(&self, z: Var<'b>) -> Sum<'b> {
        let Problem { a, b, c, .. } = *self;
        b.map_or_else(
            || self.terms(z, None),
            |b| {
                let [value, largest, log] = called!(gauss_series(a.high, a.low, b.high, b.low, c, z));
                Sum { value, largest, log }
            },
        )
    }

    /// The series, and the sum of its terms times their numbers.
    fn series_with_slope(&self, z: Var<'b>) -> (Sum<'b>, Var<'b>) {
        let slope = z.builder().local(lift(z, self.c.like(0.0)));
        let sum = self.terms(z, Some(slope));
        (sum, slope.get())
    }

    fn terms(&self, z: Var<'b>, slope: Option<LocalVar<'b>>) -> Sum<'b> {
        let (builder, zero, one) = (z.builder(), self.c.like(0.0), self.c.like(1.0));
        // A small factor does not end the series, nor does one that a pole makes large come too late.
        let last = self.last_change();
        let first = lift(z, one);
        let (term, sum) = (builder.local(first), builder.local(first));
        let (n, largest, log) = (builder.local(zero), builder.local(one), builder.local(zero));
        // Beyond the last change of sign small terms may still grow again.
        let falls = builder.local(builder.boolean(true));
        builder.repeat(
            || {
                let left = size(term.get());
                let small = left.le(size(sum.get()) * zero.like(EPSILON)) & n.get().gt(last) & falls.get();
                !small & left.gt(zero) & n.get().lt(zero.like(TERMS))
            },
            || {
                let k = n.get();
                let next = k + one;
                let ratio = self.upper(k) / ((self.c + k) * next);
                term.set(times_real(term.get() * z, ratio));
                falls.set((ratio * size(z)).abs().lt(one) | n.get().gt(one.like(SETTLED)));
                sum.set(sum.get() + term.get());
                largest.set(largest.get().max(size(term.get())));
                n.set(next);
                let mut scaled = vec![term, sum, largest];
                if let Some(slope) = slope {
                    slope.set(slope.get() + times_real(term.get(), next));
                    scaled.push(slope);
                }
                shrink(largest.get(), TOO_LARGE, log, &scaled);
            },
        );
        Sum { value: sum.get(), largest: largest.get(), log: log.get() }
    }

    /// The polynomial by recurrence in its degree, of differences: DLMF 13.3.1, 15.5.11.
    fn by_degree(&self) -> Scaled<'b> {
        let (builder, zero, one) = (self.z.builder(), self.c.like(0.0), self.c.like(1.0));
        let (degree, factor) = match self.b {
            None => (-self.a.high, self.z),
            Some(b) => {
                let by_a = ends_exactly(self.a) & (self.a.high.ge(b.high) | !ends_exactly(b));
                ((-self.a.high).when(by_a, -b.high), times_real(self.z, b.high.when(by_a, self.a.high)))
            }
        };
        let (k, log) = (builder.local(zero), builder.local(zero));
        let [value, change] = [one, zero].map(|start| builder.local(lift(self.z, start)));
        let [other, other_change] = [one, zero].map(|start| builder.local(lift(self.z, start)));
        let shaken = Shaken::new(one);
        builder.repeat(
            || k.get().lt(degree.min(one.like(DEGREES))),
            || {
                for (value, change, off) in [(value, change, None), (other, other_change, Some(shaken.factor()))] {
                    let before = times_real(change.get(), k.get());
                    let before = if self.b.is_some() { before * self.y } else { before };
                    let next = times_real(before - factor * value.get(), one / (self.c + k.get()));
                    // Also where the sum cancels each of its parts has an error of its own.
                    change.set(off.map_or(next, |off| times_real(next, off)));
                    value.set(value.get() + change.get());
                }
                other.set(times_real(other.get(), shaken.factor()));
                k.set(k.get() + one);
                shrink(size(value.get()), TOO_LARGE, log, &[value, change, other, other_change]);
            },
        );
        let lost = Shaken::lost(value.get(), other.get()).max(one.like(CANCELLED));
        let known = degree.le(one.like(DEGREES));
        Scaled { value: value.get(), log: log.get(), lost: lost.when(known, one.like(f64::INFINITY)) }
    }

    /// The polynomial by powers of 1 - z: DLMF 15.8.7.
    fn around_one(&self, b: Double<'b>) -> Scaled<'b> {
        let (builder, zero, one) = (self.z.builder(), self.c.like(0.0), self.c.like(1.0));
        let by_a = ends_exactly(self.a) & (self.a.high.ge(b.high) | !ends_exactly(b));
        let degree = (-self.a.high).when(by_a, -b.high);
        let other = b.when(by_a, self.a);
        let below = Double::new(self.c).added(other.negated());
        // A factor of 0 is in the first term, and below in later ones.
        let factor = |k: Var<'b>| {
            let factor = below.shifted(k);
            one.like(BESIDE_ZERO).when(factor.eq(zero), factor)
        };
        let (first, k) = (builder.local(one), builder.local(zero));
        let wanted = degree.min(one.like(DEGREES));
        builder.repeat(
            || k.get().lt(wanted),
            || {
                first.set(first.get() * (factor(k.get()) / (self.c + k.get())));
                k.set(k.get() + one);
            },
        );
        let start = lift(self.z, first.get());
        let (term, sum, largest) = (builder.local(start), builder.local(start), builder.local(first.get().abs()));
        k.set(zero);
        builder.repeat(
            || k.get().lt(wanted),
            || {
                let (here, next) = (k.get(), k.get() + one);
                let ratio = (degree - here) * other.shifted(here) / (next * factor(degree - next));
                term.set(times_real(term.get() * self.y, ratio));
                sum.set(sum.get() + term.get());
                largest.set(largest.get().max(size(term.get())));
                k.set(next);
            },
        );
        let lost = largest.get() / size(sum.get());
        Scaled { value: sum.get(), log: zero, lost: lost.when(degree.eq(wanted), one.like(f64::INFINITY)) }
    }

    /// Continues a solution from `z`, `y`, where it is `value` with that slope. Returns the solution, the slope there, and
    /// the estimated growth of errors as an exponent. If `shakes`, each step starts from numbers that are off.
    fn continued(
        &self,
        (z0, y0): (Var<'b>, Var<'b>),
        value: Var<'b>,
        slope: Var<'b>,
        log: Var<'b>,
        shakes: Var<'b>,
    ) -> (Scaled<'b>, Var<'b>, Var<'b>) {
        let (builder, zero, one) = (self.z.builder(), self.c.like(0.0), self.c.like(1.0));
        let half = one.like(0.5);
        let growth = builder.local(zero);
        let (z, y, w, d) = (builder.local(z0), builder.local(y0), builder.local(value), builder.local(slope));
        let (steps, log) = (builder.local(zero), builder.local(log));
        // What errors may have grown to, beside the rounding of the value itself.
        let (error, last_rate, last_length) = (builder.local(size(value)), builder.local(zero), builder.local(zero));
        let leg = builder.local(self.over.map_or(one, |over| zero.when(over.2, one)));
        let done = builder.local(builder.boolean(false));
        let noise = Shaken::new(one);
        builder.repeat(
            || !done.get() & steps.get().lt(one.like(STEPS)) & size(w.get()).lt(one.like(f64::INFINITY)),
            || {
                let (at, rest) = (z.get(), y.get());
                let on_last = leg.get().gt(zero);
                let (target, target_rest) = self
                    .over
                    .map_or((self.z, self.y), |over| (self.z.when(on_last, over.0), self.y.when(on_last, over.1)));
                let missing = target - at;
                let missing = match self.b {
                    Some(_) => (rest - target_rest).when(size(rest).lt(size(at)), missing),
                    None => missing,
                };
                let radius = if self.b.is_some() { at.abs().min(rest.abs()) } else { at.abs() };
                // (first + second t - t²) w'' + (n's coefficient) w' - upper w.
                let (first, second, rate) = match self.b {
                    Some(b) => (at * rest, rest - at, lift(at, self.c) - times_real(at, self.a.high + b.high + one)),
                    None => (at, lift(at, one), lift(at, self.c) - at),
                };
                let distance = missing.abs();
                let direction = times_real(missing, one / distance);
                let inverse = lift(at, one) / first;
                let (p, r) = (rate * inverse, times_real(inverse, self.upper(zero)));
                let excess = called!(rates(p, r, direction, radius)).1;
                // In the logarithm of the distance from a singular point the exponents are those of powers.
                let fastest = called!(rates(p - second * inverse, r, direction, radius)).0;
                // The mean of a rate that is inverse to that distance.
                let (before, both) = (last_rate.get(), fastest + last_rate.get());
                let harmonic = one.like(4.0) * fastest * (before / both);
                let alike = fastest.gt(zero).eq(before.gt(zero)) & both.ne(zero);
                let mean = ((harmonic + half * both) / one.like(3.0)).when(alike, half * both);
                growth.set(growth.get() + (mean * last_length.get()).max(zero));
                let grown = error.get() * (mean * last_length.get()).min(one.like(700.0)).exp();
                error.set(grown.max(size(w.get())).max(one.like(SMALLEST)));
                let length = (radius * half).min(one.like(EXPONENT) / excess.max(one.like(1e-300)));
                let length = length.min(one.like(GROWTH) / fastest.max(one.like(1e-300)));
                last_rate.set(fastest);
                last_length.set(length.min(distance));
                let arrives = length.ge(distance);
                let h = missing.when(arrives, times_real(direction, length));
                let by_slope = -(h * inverse);
                let by_value = h * (h * inverse);
                let [value, slope] = [w, d].map(|x| times_real(x.get(), noise.factor().when(shakes, one)));
                let (v0, v1) = (builder.local(value), builder.local(slope * h));
                let (sum, moved, n) =
                    (builder.local(v0.get() + v1.get()), builder.local(v1.get()), builder.local(zero));
                builder.repeat(
                    || {
                        let left = size(v0.get()) + size(v1.get());
                        let all = size(sum.get()) + size(moved.get());
                        (left * (n.get() + one)).gt(all * one.like(0.5 * EPSILON)) & n.get().lt(one.like(TAYLOR_TERMS))
                    },
                    || {
                        let k = n.get();
                        let (k1, k2) = (k + one, k + one.like(2.0));
                        let inverse = one / (k1 * k2);
                        let by_last = (times_real(second, k) + rate) * by_slope * v1.get();
                        let by_before = by_value * v0.get();
                        let next = times_real(by_last, k1 * inverse) + times_real(by_before, self.upper(k) * inverse);
                        v0.set(v1.get());
                        v1.set(next);
                        sum.set(sum.get() + next);
                        moved.set(moved.get() + times_real(next, k2));
                        n.set(k1);
                    },
                );
                w.set(sum.get());
                d.set(moved.get() / h);
                z.set(target.when(arrives, at + h));
                y.set(target_rest.when(arrives, rest - h));
                done.set(arrives & on_last);
                leg.set(one.when(arrives, leg.get()));
                steps.set(steps.get() + one);
                shrink(size(w.get()).max(size(d.get())), LARGE_STEP, log, &[w, d, error]);
            },
        );
        // Another solution that grows faster may have taken over.
        let last = last_rate.get() * last_length.get();
        let grown = last.min(one.like(700.0)).exp();
        let lost = error.get() * grown / size(w.get());
        let lost = lost.when(done.get(), one.like(f64::INFINITY));
        (Scaled { value: w.get(), log: log.get(), lost }, d.get(), growth.get() + last.max(zero))
    }

    /// The function of c = `lowest` from that of `steps` more and its slope, and how much larger the parts that cancel were:
    /// DLMF 13.3.2 and 13.3.22, 15.5.4 and 15.5.18.
    fn lowered(&self, value: Var<'b>, slope: Var<'b>, lowest: Var<'b>, steps: Var<'b>) -> (Var<'b>, Var<'b>) {
        let (builder, zero, one) = (self.z.builder(), self.c.like(0.0), self.c.like(1.0));
        let (c, z) = (self.c, self.z);
        // The differences from the lowest c, exactly.
        let below = |parameter: Double<'b>| Double::new(lowest).added(parameter.negated());
        let below_a = below(self.a);
        let below_b = self.b.map(|b| (below(b), below_a.added(b.negated())));
        let (raised, parts) = match below_b {
            None => {
                let factor = c / below_a.shifted(steps);
                (times_real(value - slope, factor), (size(value) + size(slope)) / size(value - slope))
            }
            Some((below_b, below_both)) => {
                let (first, second) = (self.y * slope, times_real(value, below_both.shifted(steps)));
                let sum = first + second;
                let factor = c / (below_a.shifted(steps) * below_b.shifted(steps));
                // A slope that is small beside the value has its error.
                (times_real(sum, factor), (size(first) + size(second) + size(value)) / size(sum))
            }
        };
        // The solution that starts with the value alone, and the rest, measure how the errors of both grow; the shaken one
        // measures what the steps add.
        let noise = Shaken::new(one);
        let (now, above, n) = (builder.local(value), builder.local(raised), builder.local(zero));
        let (alone, alone_above) = (builder.local(value), builder.local(lift(z, zero)));
        let (shaken, shaken_above) = (builder.local(value), builder.local(times_real(raised, noise.factor())));
        builder.repeat(
            || n.get().lt(steps),
            || {
                // From the lowest one, which holds its distance from a pole.
                let left = steps - n.get();
                let (p, before) = (lowest + left, lowest + (left - one));
                let (by_now, by_above) = match below_b {
                    None => {
                        let factor = -below_a.shifted(left) / (p * before);
                        (times_real(lift(z, before) + z, one / before), times_real(z, factor))
                    }
                    Some((below_b, below_both)) => {
                        let scaled = times_real(self.y, before);
                        let factor = scaled - times_real(z, below_both.shifted(left));
                        let inverse = lift(z, one) / scaled;
                        let product = below_a.shifted(left) * below_b.shifted(left);
                        (factor * inverse, times_real(z, product / p) * inverse)
                    }
                };
                for (here, higher) in [(now, above), (alone, alone_above), (shaken, shaken_above)] {
                    let next = by_now * here.get() + by_above * higher.get();
                    higher.set(here.get());
                    here.set(next);
                }
                shaken.set(times_real(shaken.get(), noise.factor()));
                n.set(n.get() + one);
            },
        );
        let grown = size(alone.get()) + size(now.get() - alone.get()) * parts;
        (now.get(), Shaken::lost(now.get(), shaken.get()).max(grown / size(now.get())))
    }

    /// The series in twice the digits, for real numbers.
    fn precise(&self) -> Scaled<'b> {
        let (zero, one) = (self.c.like(0.0), self.c.like(1.0));
        let first = Double::new(one);
        let (value, lost) = double_double::series(first, Double::new(self.z), self.last_change(), |n| {
            let above = self.a.plus(Double::new(n));
            let above = self.b.map_or(above, |b| above.times(b.plus(Double::new(n))));
            (above, Double::sum(self.c, n).times(Double::new(n + one)))
        });
        Scaled { value, log: zero, lost }
    }

    /// The function by the way that loses the fewest digits: its series up to `reach`, the solution of the differential
    /// equation from a point near 0 on, where c is negative also that of a larger c, from which a recurrence leads back,
    /// and the series in twice the digits. NaN where all lose too many.
    pub(super) fn solve(&self, reach: Var<'b>) -> Scaled<'b> {
        let (builder, zero, one) = (self.z.builder(), self.c.like(0.0), self.c.like(1.0));
        let (two, infinity) = (one.like(2.0), one.like(f64::INFINITY));
        let polynomial = self.is_polynomial();
        let negative = self.c.lt(zero);
        let compared = negative & self.z.abs().le(one.like(SLOW));
        let direct = polynomial | compared | self.z.abs().le(reach);
        let target = self.over.map_or(self.z, |over| self.z.when(!over.2, over.0));
        // Where the first terms of the series do not cancel yet.
        let product = self.b.map_or(self.a.high, |b| self.a.high * b.high);
        let others = self.b.map_or(zero, |b| self.a.high.abs() + b.high.abs());
        let near = (one + self.c.max(zero)) / (one + product.abs() + others);
        let near = if self.b.is_some() { near.min(one.like(0.5)) } else { near };
        // The series of a negative c has a second beginning, which a small argument hides.
        let begun = near.max(one.like(0.5)).when(negative, near);
        let raised_by = (one - self.c).ceil();
        let last = two.when(negative & self.c.ge(one.like(-DEGREES)), one);
        let last = zero.when(polynomial, last);
        let (value, log, lost) = (builder.local(self.z), builder.local(zero), builder.local(infinity));
        let keep = |found: Scaled<'b>| {
            let better = found.lost.lt(lost.get());
            value.set(found.value.when(better, value.get()));
            log.set(found.log.when(better, log.get()));
            lost.set(found.lost.when(better, lost.get()));
        };
        // Outside the loop of the other ways, whose variables would take the registers of this one.
        let summed = || {
            let sum = self.series(self.z);
            keep(Scaled { value: sum.value, log: sum.log, lost: sum.largest / size(sum.value) });
        };
        builder.branch(direct, summed, || {});
        let way = builder.local(one);
        builder.repeat(
            || way.get().le(last) & lost.get().gt(one.like(CANCELLED)),
            || {
                let is_raised = way.get().eq(two);
                let steps = raised_by.when(is_raised, zero);
                let start = times_real(target, (near.when(is_raised, begun) / target.abs()).min(one));
                let raised = Problem { c: self.c + steps, ..*self };
                let (found, first_slope) = raised.series_with_slope(start);
                let (here, slope) = (builder.local(found.value), builder.local(first_slope));
                let scale = builder.local(found.log);
                let cancelled = builder.local(found.largest / size(found.value));
                builder.branch(
                    start.eq(self.z),
                    || {},
                    || {
                        let y = if self.b.is_some() { lift(start, one) - start } else { self.y };
                        let (value, first_slope, log) = (here.get(), slope.get() / start, scale.get());
                        let before = cancelled.get();
                        // Once more with steps that are off, where errors may have grown far.
                        let (n, last) = (builder.local(zero), builder.local(zero));
                        builder.repeat(
                            || n.get().le(last.get()),
                            || {
                                let checks = n.get().gt(zero);
                                let (moved, there, growth) =
                                    raised.continued((start, y), value, first_slope, log, checks);
                                builder.branch(
                                    checks,
                                    || {
                                        let other = times_real(moved.value, (moved.log - scale.get()).exp());
                                        let lost = Shaken::lost(here.get(), other) * one.like(ROUNDINGS);
                                        let lost = one.like(f64::INFINITY).when(lost.is_nan(), lost);
                                        cancelled.set(cancelled.get().max(before * lost));
                                    },
                                    || {
                                        here.set(moved.value);
                                        slope.set(there * self.z);
                                        scale.set(moved.log);
                                        cancelled.set(before * moved.lost.max(one));
                                        let doubtful =
                                            growth.gt(one.like(MEASURED)) | moved.lost.gt(one.like(DOUBTFUL));
                                        last.set(one.when(doubtful, zero));
                                    },
                                );
                                n.set(n.get() + one);
                            },
                        );
                    },
                );
                let (back, by) = raised.lowered(here.get(), slope.get() / self.z, self.c, steps);
                let by = by.when(is_raised, one);
                keep(Scaled { value: back, log: scale.get(), lost: cancelled.get() * by });
                way.set(way.get() + one);
            },
        );
        if !self.z.dtype().is_complex() {
            let converges = polynomial | self.z.abs().le(one.like(FAST));
            let converges = if self.b.is_some() { converges } else { builder.boolean(true) };
            builder.branch(converges & !lost.get().le(one.like(WORTH)), || keep(self.precise()), || {});
        }
        let cancels = || polynomial & !lost.get().le(one.like(CANCELLED));
        if let (true, Some(b)) = (self.z.dtype().is_complex(), self.b) {
            builder.branch(cancels(), || keep(self.around_one(b)), || {});
        }
        builder.branch(cancels(), || keep(self.by_degree()), || {});
        let exact = lost.get().le(self.most);
        Scaled { value: value.get().when(exact, self.z.like(f64::NAN)), log: log.get(), lost: lost.get() }
    }
}

/// The type of real numbers that bodies compute in.
pub(super) const WIDE: DType = DType::F64;
