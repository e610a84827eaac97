"""Sums, products and extremes over axes, whole or running."""

from __future__ import annotations

from numpy.lib.array_utils import normalize_axis_index

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.conversions import as_array, as_mask, is_inexact, real_axis, slice_axis
from .._lib.ufuncs import NUMPY as _ufuncs
from .._typing import ArrayLike, Axes, DTypeLike
from .joining import concatenate

__all__ = [
    "amax",
    "amin",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "max",
    "min",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmin",
    "nanprod",
    "nansum",
    "prod",
    "sum",
]

_isnan, _subtract = _ufuncs["isnan"], _ufuncs["subtract"]


def sum(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> ndarray:
    """The sum over `axis` (one, a tuple, or all), from `initial`, of the elements where `where` is true.

    Small integers are summed in int64 or uint64.

    >>> cp.sum(cp.asarray([[1, 2], [3, 4]]), axis=0)
    array([4, 6])
    """
    return as_array(a).sum(axis, dtype, out, keepdims, initial, as_mask(where))


def prod(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> ndarray:
    """The product over `axis`, otherwise like `sum`.

    >>> cp.prod(cp.asarray([[1, 2], [3, 4]]), axis=1)
    array([ 2, 12])
    """
    return as_array(a).prod(axis, dtype, out, keepdims, initial, as_mask(where))


def max(
    a: ArrayLike,
    axis: Axes = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> ndarray:
    """The largest element over `axis`; NaN if there is one.

    Raises
    ------
    ValueError
        For none without `initial`.

    See Also
    --------
    numpy.max : The function that this one follows.

    >>> cp.max(cp.asarray([[1, 5], [7, 2]]), axis=1)
    array([5, 7])
    """
    return as_array(a).max(axis, out, keepdims, initial, as_mask(where))


def min(
    a: ArrayLike,
    axis: Axes = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> ndarray:
    """The smallest element over `axis`; NaN if there is one.

    Raises
    ------
    ValueError
        For none without `initial`.

    See Also
    --------
    numpy.min : The function that this one follows.

    >>> cp.min(cp.asarray([[1, 5], [7, 2]]), axis=1)
    array([1, 2])
    """
    return as_array(a).min(axis, out, keepdims, initial, as_mask(where))


amax = max

amin = min


def cumsum(a: ArrayLike, axis: int | None = None, dtype: DTypeLike = None, out: ndarray | None = None) -> ndarray:
    """The running sum along `axis`, or over the flattened array.

    >>> cp.cumsum(cp.asarray([1, 2, 3]))
    array([1, 3, 6])
    """
    return as_array(a).cumsum(axis, dtype, out)


def cumprod(a: ArrayLike, axis: int | None = None, dtype: DTypeLike = None, out: ndarray | None = None) -> ndarray:
    """The running product along `axis`, or over the flattened array.

    >>> cp.cumprod(cp.asarray([1, 2, 3]))
    array([1, 2, 6])
    """
    return as_array(a).cumprod(axis, dtype, out)


def _cumulative(
    name: str, start: int, x: ArrayLike, axis: int | None, dtype: DTypeLike, out: ndarray | None, include_initial: bool
) -> ndarray:
    x = as_array(x)
    x = x if x.ndim else x.reshape(1)
    if axis is None:
        if x.ndim != 1:
            raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
        axis = 0
    if isinstance(axis, tuple) and not include_initial:
        # As in NumPy, where ufuncs accumulate along one of several axes.
        if len(axis) != 1:
            raise ValueError("a cumulative function takes one axis")
        (axis,) = axis
    axis = normalize_axis_index(real_axis(axis), x.ndim)
    if not include_initial:
        return _core.accumulate(name, x, axis, dtype, out)
    if out is not None:
        # The type of `out` is that of the sums, as where nothing precedes them.
        slice_axis(out, axis, slice(0, 1))[...] = start
        _core.accumulate(name, x, axis, dtype, slice_axis(out, axis, slice(1, None)))
        return out
    result = _core.accumulate(name, x, axis, dtype)
    lengths = (*x.shape[:axis], 1, *x.shape[axis + 1 :])
    return concatenate((_core.full(lengths, start, result.dtype), result), axis)


def cumulative_sum(
    x: ArrayLike,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    include_initial: bool = False,
) -> ndarray:
    """The running sum along `axis`, preceded by 0 with `include_initial`.

    >>> cp.cumulative_sum(cp.asarray([1, 2, 3]), include_initial=True)
    array([0, 1, 3, 6])
    """
    return _cumulative("sum", 0, x, axis, dtype, out, include_initial)


def cumulative_prod(
    x: ArrayLike,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    include_initial: bool = False,
) -> ndarray:
    """The running product along `axis`, preceded by 1 with `include_initial`.

    >>> cp.cumulative_prod(cp.asarray([1, 2, 3]), include_initial=True)
    array([1, 1, 2, 6])
    """
    return _cumulative("prod", 1, x, axis, dtype, out, include_initial)


def nansum(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> ndarray:
    """`sum` in which NaN counts as 0.

    >>> cp.nansum(cp.asarray([1.0, cp.nan]))
    array(1.)
    """
    return _core.reduce("nansum", as_array(a), axis, dtype, out, keepdims, initial, as_mask(where))


def nanprod(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> ndarray:
    """`prod` in which NaN counts as 1.

    >>> cp.nanprod(cp.asarray([2.0, cp.nan]))
    array(2.)
    """
    return _core.reduce("nanprod", as_array(a), axis, dtype, out, keepdims, initial, as_mask(where))


def nanmax(
    a: ArrayLike,
    axis: Axes = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> ndarray:
    """`max` that ignores NaN; NaN where there is nothing else.

    >>> cp.nanmax(cp.asarray([1.0, cp.nan]))
    array(1.)
    """
    return _core.reduce("nanmax", as_array(a), axis, None, out, keepdims, initial, as_mask(where))


def nanmin(
    a: ArrayLike,
    axis: Axes = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> ndarray:
    """`min` that ignores NaN; NaN where there is nothing else.

    >>> cp.nanmin(cp.asarray([1.0, cp.nan]))
    array(1.)
    """
    return _core.reduce("nanmin", as_array(a), axis, None, out, keepdims, initial, as_mask(where))


def _replace_nan(a: ndarray, value: float) -> ndarray:
    """`a` with `value` for NaN; `a` itself if its dtype has none."""
    return _core.where(_isnan(a), _core.full((), value, a.dtype), a) if is_inexact(a.dtype) else a


def nancumsum(a: ArrayLike, axis: int | None = None, dtype: DTypeLike = None, out: ndarray | None = None) -> ndarray:
    """`cumsum` in which NaN counts as 0.

    >>> cp.nancumsum(cp.asarray([1.0, cp.nan, 2.0]))
    array([1., 1., 3.])
    """
    return _replace_nan(as_array(a), 0).cumsum(axis, dtype, out)


def nancumprod(a: ArrayLike, axis: int | None = None, dtype: DTypeLike = None, out: ndarray | None = None) -> ndarray:
    """`cumprod` in which NaN counts as 1.

    >>> cp.nancumprod(cp.asarray([2.0, cp.nan, 2.0]))
    array([2., 2., 4.])
    """
    return _replace_nan(as_array(a), 1).cumprod(axis, dtype, out)
