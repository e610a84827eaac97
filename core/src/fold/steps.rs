//! Steps of the reductions that a single ufunc does not make.

use cuproxide_hal::DType;
use cuproxide_hal::ir::{Builder, Var};

use super::row::Values;
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
    first_best(earlier, later, Var::gt, Var::ge)
}

/// The lesser element; NaN is least, and the first of equals is kept.
pub(super) fn lesser<'b>(earlier: &[Var<'b>], later: &[Var<'b>]) -> Values<'b> {
    first_best(earlier, later, Var::lt, Var::le)
}

type Comparison<'b> = fn(Var<'b>, Var<'b>) -> Var<'b>;

fn first_best<'b>(
    earlier: &[Var<'b>],
    later: &[Var<'b>],
    better: Comparison<'b>,
    as_good: Comparison<'b>,
) -> Values<'b> {
    let (x, y) = (earlier[0], later[0]);
    let both_nan = x.is_nan() & y.is_nan();
    let tied = (y.eq(x) | both_nan) & later[1].lt(earlier[1]);
    let wins = match x.dtype() {
        // Not the same where one part is NaN.
        dtype if dtype.is_complex() => better(y, x) | (y.is_nan() & !x.is_nan()),
        // Of two numbers the better one, or the first NaN.
        _ => !as_good(x, y) & !x.is_nan(),
    };
    let take = wins | tied;
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

/// Moments of nothing: the number of elements, the sum of squared distances from an origin; then for each part the
/// origin and the sum of distances from it. Sums start from -0, which changes no number.
pub(super) fn no_moments(builder: &Builder, dtype: DType) -> Values<'_> {
    let (zero, none) = (builder.real(dtype.real(), 0.0), builder.real(dtype.real(), -0.0));
    let parts = if dtype.is_complex() { 2 } else { 1 };
    [vec![zero, none], [zero, none].repeat(parts)].concat()
}

/// The distance of a number from itself: 0, or NaN for what is not finite.
fn spread(x: Var<'_>) -> Var<'_> {
    let same = x;
    x - same
}

/// Moments of one element, which is its own origin. What is not finite makes the squares NaN.
pub(super) fn moments(x: Var<'_>) -> Values<'_> {
    let parts = if x.dtype().is_complex() { vec![x.re(), x.im()] } else { vec![x] };
    let (one, none) = (parts[0].like(1.0), parts[0].like(-0.0));
    let squares = parts[1..].iter().fold(spread(parts[0]), |sum, &part| sum + spread(part));
    [one, squares].into_iter().chain(parts.into_iter().flat_map(|part| [part, none])).collect()
}

/// Moments of both: stable for any mean, in one pass, without a division.
///
/// The later ones move to the origin of the earlier ones, an element of theirs. What is added for a single later element
/// is -0 or multiplied by 1 where it can be, so that compilers leave it out.
pub(super) fn join_moments<'b>(earlier: &[Var<'b>], later: &[Var<'b>]) -> Values<'b> {
    let fresh = earlier[0].eq(earlier[0].like(0.0));
    // Squares that have overflowed stay.
    let stays = later[0].gt(later[0].like(1.0)) & later[1].ge(later[1].like(f64::INFINITY));
    let mut squares = later[1];
    let mut sums = vec![];
    for (before, after) in earlier[2..].chunks(2).zip(later[2..].chunks(2)) {
        let origin = after[0].when(fresh, before[0]);
        let distance = after[0] - origin;
        let moved = later[0] * distance;
        squares = squares.when(stays, squares + distance * (after[1] + after[1] + moved));
        sums.extend([origin, before[1] + (after[1] + moved)]);
    }
    [vec![earlier[0] + later[0], earlier[1] + squares], sums].concat()
}

/// The sum of squared distances from the mean: infinite where squares overflow, NaN where an element was not finite.
fn scatter<'b>(moments: &[Var<'b>]) -> Var<'b> {
    let squares = moments[1];
    let from_origin = moments[2..].chunks(2).map(|part| part[1] * (part[1] / moments[0]));
    let from_mean = from_origin.fold(squares, |left, square| left - square).max(squares.like(0.0));
    from_mean.when(squares.lt(squares.like(f64::INFINITY)), squares)
}

/// Sum of squared distances by the number of elements less the correction, which is at least 0.
pub(super) fn variance<'b>(moments: &[Var<'b>], arguments: &[Var<'b>]) -> Values<'b> {
    let zero = moments[0].like(0.0);
    vec![scatter(moments) / (moments[0] - arguments[0].cast(zero.dtype())).max(zero)]
}

/// The same, but NaN unless the number of elements exceeds the correction.
pub(super) fn variance_or_nan<'b>(moments: &[Var<'b>], arguments: &[Var<'b>]) -> Values<'b> {
    let freedom = moments[0] - arguments[0].cast(moments[0].dtype());
    vec![(scatter(moments) / freedom).when(freedom.gt(freedom.like(0.0)), freedom.like(f64::NAN))]
}

/// Square root of the variance.
pub(super) fn deviation<'b>(moments: &[Var<'b>], arguments: &[Var<'b>]) -> Values<'b> {
    vec![variance(moments, arguments)[0].sqrt()]
}

/// The same, but NaN unless the number of elements exceeds the correction.
pub(super) fn deviation_or_nan<'b>(moments: &[Var<'b>], arguments: &[Var<'b>]) -> Values<'b> {
    vec![variance_or_nan(moments, arguments)[0].sqrt()]
}
