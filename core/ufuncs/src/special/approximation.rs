//! Shared parts of special functions: polynomials from tables, choices between regions, exact products and sums.

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

use super::tables::gamma::LOG1P_REST;

/// A polynomial in t, which runs from -1 to 1 over an interval, for each precision; see `ci/special_tables.py`.
#[derive(Debug)]
pub(super) struct Table {
    /// Where t is -1.
    pub(super) low: f64,
    /// Where t is 1.
    pub(super) high: f64,
    /// Coefficients for float64, the constant first.
    pub(super) double: &'static [f64],
    /// Coefficients for float32.
    pub(super) single: &'static [f64],
}

impl Table {
    /// The approximation at `x`. Outside the interval the result is meaningless.
    pub(super) fn at<'b>(&self, x: Var<'b>) -> Var<'b> {
        self.polynomial(self.argument(x))
    }

    /// The approximation of a function's divided difference from the middle of the interval, as the function: its value
    /// in the middle is given as two numbers.
    pub(super) fn around_middle<'b>(&self, x: Var<'b>, [value, rest]: [f64; 2]) -> Var<'b> {
        let t = self.argument(x);
        x.builder().fma(self.polynomial(t), t, x.like(rest)) + x.like(value)
    }

    /// What the polynomial is of.
    fn argument<'b>(&self, x: Var<'b>) -> Var<'b> {
        let (middle, half) = ((self.low + self.high) / 2.0, (self.high - self.low) / 2.0);
        let t = if middle == 0.0 { x } else { x - x.like(middle) };
        if half == 1.0 { t } else { t * x.like(1.0 / half) }
    }

    fn polynomial<'b>(&self, t: Var<'b>) -> Var<'b> {
        let is_single = t.dtype() == DType::F32 || t.builder().rounds_to() == Some(DType::F32);
        polynomial(t, if is_single { self.single } else { self.double })
    }
}

/// The polynomial with the given coefficients, the constant first, by Horner's scheme with fused products.
pub(super) fn polynomial<'b>(t: Var<'b>, coefficients: &[f64]) -> Var<'b> {
    let (last, rest) = coefficients.split_last().expect("a polynomial has a coefficient");
    rest.iter().rev().fold(t.like(*last), |sum, &coefficient| t.builder().fma(sum, t, t.like(coefficient)))
}

/// `yes` where the condition holds, else `no`; only the chosen one is computed.
pub(super) fn either<'b>(
    condition: Var<'b>,
    yes: impl FnOnce() -> Var<'b>,
    no: impl FnOnce() -> Var<'b>,
    dtype: DType,
) -> Var<'b> {
    let builder = condition.builder();
    let result = builder.local(builder.real(dtype, 0.0));
    builder.branch(condition, || result.set(yes()), || result.set(no()));
    result.get()
}

/// A body computed in float64 for float32 inputs, too: for functions in which the errors of many steps add up.
pub(super) fn in_double<'b>(inputs: &[Var<'b>], body: impl FnOnce(&[Var<'b>]) -> Var<'b>) -> Var<'b> {
    narrowed(body(&widened(inputs)), inputs)
}

/// The inputs as float64.
fn widened<'b>(inputs: &[Var<'b>]) -> Vec<Var<'b>> {
    inputs.iter().map(|input| input.cast(DType::F64)).collect()
}

/// A result as float32 where all inputs are, else as float64.
fn narrowed<'b>(result: Var<'b>, inputs: &[Var<'b>]) -> Var<'b> {
    let single = inputs.iter().all(|input| input.dtype() == DType::F32);
    result.cast(if single { DType::F32 } else { DType::F64 })
}

/// `a * a` as the nearest number and its rounding error.
pub(super) fn square<'b>(a: Var<'b>) -> (Var<'b>, Var<'b>) {
    let high = a * a;
    (high, a.builder().fma(a, a, -high))
}

/// `exp(high + low)`, where `low` is the rounding error of `high`.
pub(super) fn exp_of_two<'b>(high: Var<'b>, low: Var<'b>) -> Var<'b> {
    let value = high.exp();
    value.when(value.eq(value.like(f64::INFINITY)), value.builder().fma(value, low, value))
}

/// The largest accepted ratio of the terms to their sum where the sum is next to a root.
const AWAY_FROM_ROOT: f64 = 1e4;

/// A sum and its derivative, each given with the sum of the absolute values of its terms. Each is NaN where its terms are
/// more than `most` times as large. Next to a root of one the terms cancel without a loss: the other one is large there.
pub(super) fn unless_cancelled<'b>(
    most: [f64; 2],
    (value, size): (Var<'b>, Var<'b>),
    (slope, slope_size): (Var<'b>, Var<'b>),
) -> (Var<'b>, Var<'b>) {
    let cancelled = |size: Var<'b>, sum: Var<'b>, most: f64| size.gt(sum.abs() * sum.like(most));
    let known = |size: Var<'b>, sum: Var<'b>| size.gt(size.like(0.0)) & !cancelled(size, sum, AWAY_FROM_ROOT);
    let nan = value.like(f64::NAN);
    let value_lost = cancelled(size, value, most[0]) & !known(slope_size, slope);
    let slope_lost = cancelled(slope_size, slope, most[1]) & !known(size, value);
    (nan.when(value_lost, value), nan.when(slope_lost, slope))
}

/// Whether the rounding of a negative exponent loses digits of its exponential, which is in range. For exponents nearer to
/// 0 the rounding costs at most some 20 ULP; powers would keep these, but cost ordinary arguments a quarter more time.
pub(super) fn is_rounded(exponent: Var<'_>) -> Var<'_> {
    exponent.lt(exponent.like(-40.0)) & exponent.gt(-range(exponent))
}

/// The largest absolute exponent whose exponential is in range.
pub(super) fn range(x: Var<'_>) -> Var<'_> {
    x.like(if x.dtype() == DType::F32 { 80.0 } else { 660.0 })
}

/// Below this number products and halves may have lost digits.
pub(super) const TINY: f64 = 1e-300;

/// Half of a positive number, which is not 0.
pub(super) fn half_of(x: Var<'_>) -> Var<'_> {
    (x * x.like(0.5)).max(x.like(f64::from_bits(1)))
}

/// A power of two that brings a normal number below 1e300 to [1, 2).
pub(super) fn normalizer(x: Var<'_>) -> Var<'_> {
    let exponent = x.bitcast(DType::I64);
    let exponent = exponent & exponent.like_integer(0x7ff0_0000_0000_0000);
    (exponent.like_integer(0x7fe0_0000_0000_0000) - exponent).bitcast(DType::F64)
}

/// The product of two numbers, of complex ones with fused products.
pub(super) fn fused_product<'b>(a: Var<'b>, b: Var<'b>) -> Var<'b> {
    if !a.dtype().is_complex() {
        return a * b;
    }
    let builder = a.builder();
    let re = builder.fma(a.re(), b.re(), -(a.im() * b.im()));
    builder.complex(re, builder.fma(a.re(), b.im(), a.im() * b.re()))
}

/// `a + b` as the nearest number and its rounding error.
pub(super) fn sum_of_two<'b>(a: Var<'b>, b: Var<'b>) -> (Var<'b>, Var<'b>) {
    let high = a + b;
    let part = high - a;
    (high, (a - (high - part)) + (b - part))
}

/// log(1 + x) - x.
pub(super) fn log1p_rest(x: Var<'_>) -> Var<'_> {
    log_rest(x, x.log1p())
}

/// The same from log(1 + x), which is used only far from 0.
pub(super) fn log_rest<'b>(x: Var<'b>, log: Var<'b>) -> Var<'b> {
    let (low, high) = (x.like(LOG1P_REST.low), x.like(LOG1P_REST.high));
    let near = x * x * LOG1P_REST.at(x.max(low).min(high));
    near.when(x.ge(low) & x.le(high), log - x)
}

/// The distance to the nearest whole number.
pub(super) fn distance_to_whole(x: Var<'_>) -> Var<'_> {
    x - x.rint()
}

/// sin(pi x), exact where x is whole.
pub(super) fn sin_pi(x: Var<'_>) -> Var<'_> {
    let rest = distance_to_whole(x);
    let sine = (rest * x.like(std::f64::consts::PI)).sin();
    let half = x.rint() * x.like(0.5);
    sine.when(half.eq(half.floor()), -sine)
}

/// cos(pi x), exact where x is whole or half.
pub(super) fn cos_pi(x: Var<'_>) -> Var<'_> {
    let half = x.like(0.5);
    // By the nearer one of the zeros at half numbers and the extrema at whole numbers.
    let a = x.abs();
    let rest = distance_to_whole(a);
    let by_end = (rest * x.like(std::f64::consts::PI)).cos();
    let by_zero = ((half - rest.abs()) * x.like(std::f64::consts::PI)).sin();
    let cosine = by_end.when(rest.abs().le(x.like(0.25)), by_zero);
    let halves = a.rint() * half;
    cosine.when(halves.eq(halves.floor()), -cosine)
}
