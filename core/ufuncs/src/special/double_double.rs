//! Numbers as sums of two of float64, the second what the rounding of the first left, with some 32 digits: T. J. Dekker,
//! Numer. Math. 18 (1971). For sums whose terms cancel; they cost ten times those of plain numbers.

use cuproxide_hal::ir::{LocalVar, Var};

use super::approximation::sum_of_two;
use super::called::called;

/// The sum of two numbers.
#[derive(Clone, Copy)]
pub(super) struct Double<'b> {
    pub(super) high: Var<'b>,
    pub(super) low: Var<'b>,
}

impl<'b> Double<'b> {
    pub(super) fn new(number: Var<'b>) -> Double<'b> {
        Double { high: number, low: number.like(0.0) }
    }

    /// The sum of two plain numbers, exactly.
    pub(super) fn sum(a: Var<'b>, b: Var<'b>) -> Double<'b> {
        let (high, low) = sum_of_two(a, b);
        Double { high, low }
    }

    /// The same number with a second part that is small beside the first.
    fn normalized(high: Var<'b>, low: Var<'b>) -> Double<'b> {
        let sum = high + low;
        Double { high: sum, low: low - (sum - high) }
    }

    /// This number plus a plain one, as a plain one: it keeps its digits where both cancel.
    pub(super) fn shifted(self, by: Var<'b>) -> Var<'b> {
        (self.high + by) + self.low
    }

    /// This number where the condition holds, else the other one.
    pub(super) fn when(self, condition: Var<'b>, other: Double<'b>) -> Double<'b> {
        Double { high: self.high.when(condition, other.high), low: self.low.when(condition, other.low) }
    }

    pub(super) fn negated(self) -> Double<'b> {
        Double { high: -self.high, low: -self.low }
    }

    pub(super) fn plus(self, other: Double<'b>) -> Double<'b> {
        let (high, low) = sum_of_two(self.high, other.high);
        Double::normalized(high, low + (self.low + other.low))
    }

    /// `plus`, for sums outside of loops: its statements stand in a kernel once.
    pub(super) fn added(self, other: Double<'b>) -> Double<'b> {
        let (high, low) = called!(sum_of_parts(self.high, self.low, other.high, other.low));
        Double { high, low }
    }

    pub(super) fn times(self, other: Double<'b>) -> Double<'b> {
        let builder = self.high.builder();
        let high = self.high * other.high;
        let low = builder.fma(self.high, other.high, -high);
        Double::normalized(high, low + (self.high * other.low + self.low * other.high))
    }

    pub(super) fn over(self, other: Double<'b>) -> Double<'b> {
        let builder = self.high.builder();
        let quotient = self.high / other.high;
        let rest = builder.fma(-quotient, other.high, self.high) + (self.low - quotient * other.low);
        Double::normalized(quotient, rest / other.high)
    }
}

/// The sum of two such numbers by their parts.
fn sum_of_parts<'b>(a: Var<'b>, a_low: Var<'b>, b: Var<'b>, b_low: Var<'b>) -> (Var<'b>, Var<'b>) {
    let sum = Double { high: a, low: a_low }.plus(Double { high: b, low: b_low });
    (sum.high, sum.low)
}

/// A variable of such a number.
#[derive(Clone, Copy)]
pub(super) struct DoubleVar<'b>(LocalVar<'b>, LocalVar<'b>);

impl<'b> DoubleVar<'b> {
    pub(super) fn new(start: Double<'b>) -> DoubleVar<'b> {
        let builder = start.high.builder();
        DoubleVar(builder.local(start.high), builder.local(start.low))
    }

    pub(super) fn get(self) -> Double<'b> {
        Double { high: self.0.get(), low: self.1.get() }
    }

    pub(super) fn set(self, value: Double<'b>) {
        self.0.set(value.high);
        self.1.set(value.low);
    }
}

/// Most terms, and the largest term: products of larger ones are infinite.
const TERMS: f64 = 30_000.0;
const LARGEST: f64 = 1e280;
/// What a sum may still change by.
const EPSILON: f64 = 1e-33;
/// What is lost in 32 digits, in units of what is lost in 16.
const UNIT: f64 = 1e-14;

/// The sum of terms of which `ratio` gives the quotient of term n + 1 and term n, numerator and denominator, and what
/// cancelled: the largest term relative to the sum, in units of plain sums. Small terms end it beyond term `last` only.
pub(super) fn series<'b>(
    first: Double<'b>,
    z: Double<'b>,
    last: Var<'b>,
    ratio: impl FnOnce(Var<'b>) -> (Double<'b>, Double<'b>),
) -> (Var<'b>, Var<'b>) {
    let (builder, zero, one) = (last.builder(), last.like(0.0), last.like(1.0));
    let (term, sum) = (DoubleVar::new(first), DoubleVar::new(first));
    let (n, largest) = (builder.local(zero), builder.local(first.high.abs()));
    let falls = builder.local(builder.boolean(true));
    let limit = last.like(LARGEST);
    builder.repeat(
        || {
            let left = term.get().high.abs();
            let small = left.le(sum.get().high.abs() * last.like(EPSILON)) & n.get().gt(last) & falls.get();
            !small & left.gt(zero) & n.get().lt(last.like(TERMS)) & largest.get().lt(limit)
        },
        || {
            let (above, below) = ratio(n.get());
            // The end of a polynomial, which hides poles behind it.
            let ended = above.high.eq(zero);
            let factor = z.times(above.over(below));
            let next = term.get().times(factor);
            let next = Double { high: zero.when(ended, next.high), low: zero.when(ended, next.low) };
            term.set(next);
            falls.set(factor.high.abs().lt(one));
            sum.set(sum.get().plus(next));
            largest.set(largest.get().max(next.high.abs()));
            n.set(n.get() + one);
        },
    );
    let value = sum.get().high;
    let known = n.get().lt(last.like(TERMS)) & largest.get().lt(limit);
    // A sum that is exactly 0 is a root.
    let lost = zero.when(value.eq(zero), largest.get() / value.abs() * last.like(UNIT));
    (value, lost.when(known, last.like(f64::INFINITY)))
}
