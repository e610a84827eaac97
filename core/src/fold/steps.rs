//! Steps of the reductions that a single ufunc does not make.

use cuproxide_hal::DType;
use cuproxide_hal::ir::{Builder, Var};

use super::Values;
use crate::ufunc::Neutral;

/// The accumulator as it is.
pub(super) fn keep<'b>(accumulator: Var<'b>, _: &[Var<'b>]) -> Var<'b> {
    accumulator
}

/// A sum divided by the number of its elements.
pub(super) fn average<'b>(sum: Var<'b>, arguments: &[Var<'b>]) -> Var<'b> {
    let divide = |part: Var<'b>| part / arguments[0].cast(part.dtype());
    match sum.dtype() {
        dtype if dtype.is_complex() => sum.builder().complex(divide(sum.re()), divide(sum.im())),
        dtype if dtype.is_inexact() => divide(sum),
        _ => divide(sum.cast(DType::F64)),
    }
}

/// Absolute value.
pub(super) fn magnitude(x: Var<'_>) -> Var<'_> {
    x.abs()
}

/// Squared absolute value.
pub(super) fn square_modulus(x: Var<'_>) -> Var<'_> {
    if x.dtype().is_complex() { x.re() * x.re() + x.im() * x.im() } else { x * x }
}

/// The element and its position; no element is at the last position.
pub(super) fn located(x: Var<'_>) -> Values<'_> {
    vec![x, x.builder().index()]
}

/// The smallest element, nowhere.
pub(super) fn no_maximum(builder: &Builder, dtype: DType) -> Values<'_> {
    vec![Neutral::Lowest.constant(builder, dtype), builder.integer(DType::I64, i64::MAX.into())]
}

/// The largest element, nowhere.
pub(super) fn no_minimum(builder: &Builder, dtype: DType) -> Values<'_> {
    vec![Neutral::Highest.constant(builder, dtype), builder.integer(DType::I64, i64::MAX.into())]
}

/// The greater element; NaN is greatest, and the first of equals is kept.
pub(super) fn greater<'b>(earlier: &[Var<'b>], later: &[Var<'b>]) -> Values<'b> {
    first_best(earlier, later, Var::gt)
}

/// The lesser element; NaN is least, and the first of equals is kept.
pub(super) fn lesser<'b>(earlier: &[Var<'b>], later: &[Var<'b>]) -> Values<'b> {
    first_best(earlier, later, Var::lt)
}

fn first_best<'b>(earlier: &[Var<'b>], later: &[Var<'b>], better: impl Fn(Var<'b>, Var<'b>) -> Var<'b>) -> Values<'b> {
    let (x, y) = (earlier[0], later[0]);
    let both_nan = x.is_nan() & y.is_nan();
    let tied = (y.eq(x) | both_nan) & later[1].lt(earlier[1]);
    let take = better(y, x) | tied | (y.is_nan() & !x.is_nan());
    vec![y.when(take, x), later[1].when(take, earlier[1])]
}

/// The position, or -1 for none.
pub(super) fn position<'b>(found: &[Var<'b>], _: &[Var<'b>]) -> Values<'b> {
    let index = found[1];
    vec![index.like_integer(-1).when(index.eq(index.like_integer(i64::MAX.into())), index)]
}

/// Smallest and largest element of none.
pub(super) fn no_extent(builder: &Builder, dtype: DType) -> Values<'_> {
    vec![Neutral::Highest.constant(builder, dtype), Neutral::Lowest.constant(builder, dtype)]
}

/// An element as the smallest and largest of itself.
pub(super) fn extent(x: Var<'_>) -> Values<'_> {
    vec![x, x]
}

/// Smallest and largest of both.
pub(super) fn widen_extent<'b>(earlier: &[Var<'b>], later: &[Var<'b>]) -> Values<'b> {
    vec![earlier[0].min(later[0]), earlier[1].max(later[1])]
}

/// Both.
pub(super) fn both<'b>(extent: &[Var<'b>], _: &[Var<'b>]) -> Values<'b> {
    extent.to_vec()
}

/// Largest minus smallest.
pub(super) fn peak_to_peak<'b>(extent: &[Var<'b>], _: &[Var<'b>]) -> Values<'b> {
    vec![extent[1] - extent[0]]
}

/// Moments of nothing: the number of elements, the sum of squared distances from the mean, the mean (by its parts).
pub(super) fn no_moments(builder: &Builder, dtype: DType) -> Values<'_> {
    let parts = if dtype.is_complex() { 2 } else { 1 };
    vec![builder.real(dtype.real(), 0.0); 2 + parts]
}

/// Moments of one element.
pub(super) fn moments(x: Var<'_>) -> Values<'_> {
    let parts = if x.dtype().is_complex() { vec![x.re(), x.im()] } else { vec![x] };
    [vec![parts[0].like(1.0), parts[0].like(0.0)], parts].concat()
}

/// Moments of both (Chan, Golub and LeVeque 1979): stable for any mean, in one pass.
pub(super) fn join_moments<'b>(earlier: &[Var<'b>], later: &[Var<'b>]) -> Values<'b> {
    let zero = earlier[0].like(0.0);
    let count = earlier[0] + later[0];
    let share = zero.when(later[0].eq(zero), later[0] / count);
    let mut joined = vec![count, earlier[1] + later[1]];
    for (&mean, &other) in earlier[2..].iter().zip(&later[2..]) {
        let distance = other - mean;
        joined[1] = joined[1] + distance * distance * (earlier[0] * share);
        joined.push(mean + distance * share);
    }
    joined
}

/// Sum of squared distances by the number of elements less the correction, which is at least 0.
pub(super) fn variance<'b>(moments: &[Var<'b>], arguments: &[Var<'b>]) -> Values<'b> {
    let zero = moments[0].like(0.0);
    vec![moments[1] / (moments[0] - arguments[0].cast(zero.dtype())).max(zero)]
}

/// The same, but NaN unless the number of elements exceeds the correction.
pub(super) fn variance_or_nan<'b>(moments: &[Var<'b>], arguments: &[Var<'b>]) -> Values<'b> {
    let freedom = moments[0] - arguments[0].cast(moments[0].dtype());
    vec![(moments[1] / freedom).when(freedom.gt(freedom.like(0.0)), freedom.like(f64::NAN))]
}

/// Square root of the variance.
pub(super) fn deviation<'b>(moments: &[Var<'b>], arguments: &[Var<'b>]) -> Values<'b> {
    vec![variance(moments, arguments)[0].sqrt()]
}

/// The same, but NaN unless the number of elements exceeds the correction.
pub(super) fn deviation_or_nan<'b>(moments: &[Var<'b>], arguments: &[Var<'b>]) -> Values<'b> {
    vec![variance_or_nan(moments, arguments)[0].sqrt()]
}
