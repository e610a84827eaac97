"""Medians and quantiles, with and without NaN."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.conversions import SCALARS, as_array, deliver, is_complex, is_inexact
from .._lib.ufuncs import NUMPY as _ufuncs
from .._typing import ArrayLike, Axes
from .indexing import take_along_axis
from .shapes import broadcast_to, moveaxis
from .weighted import lanes_of, weighted_quantile

__all__ = [
    "median",
    "nanmedian",
    "nanpercentile",
    "nanquantile",
    "percentile",
    "quantile",
]

_isnan = _ufuncs["isnan"]


def median(
    a: ArrayLike,
    axis: Axes = None,
    out: ndarray | None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> ndarray:
    """The middle of the sorted elements over `axis`, or the mean of the two middle ones; NaN if there is one.

    >>> cp.median(cp.asarray([3, 1, 2]))
    array(2.)
    """
    lanes, kept = lanes_of(as_array(a), axis)
    length = lanes.shape[-1]
    if length == 0:
        result = lanes.mean(-1)
    else:
        places = (length - 1) // 2, length // 2 + 1
        ranked = _ranked(lanes, places)
        result = _nan_if_any(ranked[..., slice(*places)].mean(-1), ranked, places)
    return deliver(result.reshape(kept) if keepdims else result, out, "unsafe")


def _ranked(lanes: ndarray, places: tuple[int, int] | None) -> ndarray:
    """The last axis sorted, at least between `places`; complex numbers in any case, whose NaN have an order."""
    return _core.sort(lanes, -1, None if is_complex(lanes.dtype) else places)


def _nan_if_any(result: ndarray, ranked: ndarray, places: tuple[int, int] | None) -> ndarray:
    """`result`, but NaN where what was ranked for `places` has one."""
    if not is_inexact(ranked.dtype):
        return result
    # NaN are last, and among what was left unsorted they are the maximum.
    if places is None or is_complex(ranked.dtype):
        last = ranked[..., -1]
    else:
        last = ranked[..., min(places[1], ranked.shape[-1]) - 1 :].max(-1)
    return _core.where(_isnan(last), last.astype(result.dtype, copy=False), result)


def nanmedian(
    a: ArrayLike,
    axis: Axes = None,
    out: ndarray | None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> ndarray:
    """`median` that ignores NaN; NaN where there is nothing else.

    >>> cp.nanmedian(cp.asarray([3.0, cp.nan, 1.0]))
    array(2.)
    """
    a = as_array(a)
    if not is_inexact(a.dtype) or a.size == 0:
        return median(a, axis, out, overwrite_input, keepdims)
    lanes, kept = lanes_of(a, axis)
    ranked = _core.sort(lanes)
    count = (~_isnan(lanes)).sum(-1, np.int64)
    middle = [_pick(ranked, _ufuncs["maximum"](position, 0)) for position in ((count - 1) // 2, count // 2)]
    result = (middle[0] + middle[1]) / 2
    result = _core.where(middle[0] == middle[1], middle[0], result)
    _warn_of_nan(result, lanes)
    return deliver(result.reshape(kept) if keepdims else result, out, "unsafe")


def _warn_of_nan(result: ndarray, lanes: ndarray) -> None:
    """NumPy's warning where all elements of a lane are NaN, if a look at them costs no wait."""
    if result.size and _core.reads_at_once(result) and bool(_isnan(result).any()) and bool(_isnan(lanes).all(-1).any()):
        warnings.warn("All-NaN slice encountered", RuntimeWarning, stacklevel=3)


def _pick(lanes: ndarray, position: ndarray) -> ndarray:
    """The elements at `position` in the last axis, which may be past the end."""
    position = _core.clip(position, 0, lanes.shape[-1] - 1)
    return take_along_axis(lanes, position[..., None], -1)[..., 0]


# Where the quantile q of n sorted elements lies, for the methods that interpolate between two: alpha, beta of
# Hyndman and Fan.
_CONTINUOUS = {
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "linear": (1.0, 1.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}


_METHODS = (
    *_CONTINUOUS,
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "lower",
    "higher",
    "midpoint",
    "nearest",
)


def _virtual_index(q: ndarray, n: int, method: str) -> ndarray:
    """The position of quantile `q` among `n` sorted elements; fractions lie between two."""
    floor, ceil = _ufuncs["floor"], _ufuncs["ceil"]
    match method:
        case "linear":
            return q * (n - 1)
        case "lower":
            return floor(q * (n - 1))
        case "higher":
            return ceil(q * (n - 1))
        case "midpoint":
            return 0.5 * (floor(q * (n - 1)) + ceil(q * (n - 1)))
        case "nearest":
            return _ufuncs["rint"](q * (n - 1))
        case "inverted_cdf":
            return ceil(q * n) - 1
        case "averaged_inverted_cdf":
            rank = q * n
            return _core.where(rank == floor(rank), rank - 0.5, ceil(rank) - 1)
        case "closest_observation":
            rank = q * n - 1 - 0.5
            down = floor(rank)
            even = (rank == down) & (down.astype(np.int64) % 2 == 1)
            return _core.where(even, down, down + 1)
        case _:
            alpha, beta = _CONTINUOUS[method]
            return n * q + (alpha + q * (1 - alpha - beta)) - 1


_DISCRETE = ("lower", "higher", "nearest", "inverted_cdf", "closest_observation")
_RANGES = {1: "Quantiles must be in the range [0, 1]", 100: "Percentiles must be in the range [0, 100]"}


def _fractions(q: Any, most: int) -> Any:
    """`q` from [0, `most`] as fractions, a number still being one; of an array on a device this waits."""
    given = q if isinstance(q, ndarray) else np.asarray(q, np.float64)
    if given.ndim > 2:
        raise ValueError("q must be a scalar or 1d")
    if not bool(((given >= 0) & (given <= most)).all()):
        raise ValueError(_RANGES[most])
    if most == 1:
        return q
    return q / most if isinstance(q, (ndarray, *SCALARS)) else (given / most).tolist()


def _quantile(
    a: ArrayLike,
    q: Any,
    most: int,
    axis: Axes,
    out: ndarray | None,
    method: str,
    keepdims: bool,
    weights: ArrayLike | None,
    skip_nan: bool,
) -> ndarray:
    """The quantiles at `q` of `most`, of all elements or of those that are numbers."""
    a = as_array(a)
    if is_complex(a.dtype):
        raise TypeError("a must be an array of real numbers")
    fractions = _fractions(q, most)
    if weights is not None:
        given = as_array(fractions)
        given = given if is_inexact(given.dtype) else given.astype(np.float64)
        return weighted_quantile(a, given, weights, axis, out, method, keepdims, skip_nan)
    if method not in _METHODS:
        raise ValueError(f"{method!r} is not a valid method. Use one of: {set(_METHODS)}")
    # Only one number of Python's leaves the dtype alone.
    single = type(fractions) in (int, float)
    lanes, kept = lanes_of(a, axis)
    if lanes.shape[-1] == 0 and not skip_nan:
        raise IndexError("index -1 is out of bounds for axis 0 with size 0")
    if skip_nan and a.size == 0:
        # As in NumPy the mean of nothing, for all fractions at once.
        result = lanes.mean(-1)
        return deliver(result.reshape(kept) if keepdims else result, out, "unsafe")
    given = as_array(fractions)
    # NumPy copies what it found among numbers to `out`; else it computes there.
    if skip_nan and is_inexact(a.dtype) and a.size:
        result, casting = _among_numbers(lanes, given, single, method), "unsafe"
        _warn_of_nan(result, lanes)
    else:
        result, casting = _among_all(lanes, given, single, method, _span(fractions, lanes.shape[-1])), "same_kind"
    return deliver(result.reshape(given.shape + kept) if keepdims else result, out, casting)


def _span(fractions: Any, length: int) -> tuple[int, int] | None:
    """Positions between which all methods find quantiles of `length` elements; None if only a device knows."""
    if isinstance(fractions, ndarray):
        return None
    given = np.asarray(fractions, np.float64)
    if given.size == 0:
        return None
    # A method's position is at most two from the fraction of all elements, and one more is taken beside it.
    return max(int(given.min() * length) - 3, 0), int(given.max() * length) + 4


def _among_all(lanes: ndarray, fractions: ndarray, single: bool, method: str, span: tuple[int, int] | None) -> ndarray:
    """The quantiles of the last axis, which lie within `span`; NaN where there is one."""
    dtype = lanes.dtype if is_inexact(lanes.dtype) else np.dtype(np.float64)
    if not single:
        dtype = _core.result_type(lanes.dtype, fractions.dtype, 0.0)
    elements = method in _DISCRETE
    if method == "linear" and fractions.dtype.kind in "biu":
        # Integers ask for elements themselves.
        dtype, elements = lanes.dtype, True
    elif lanes.dtype == np.bool_ and (method in _CONTINUOUS or method in ("midpoint", "averaged_inverted_cdf")):
        raise TypeError("numpy boolean subtract, the `-` operator, is not supported: quantiles of bools are elements")
    fractions = fractions.astype(np.float64, copy=False)
    length = lanes.shape[-1]
    if length == 0:
        dtype = dtype if is_inexact(dtype) else np.dtype(np.float64)
        return _core.full((*fractions.shape, *lanes.shape[:-1]), math.nan, dtype)
    ranked = _ranked(lanes, span)
    position = _core.clip(_virtual_index(fractions, length, method), 0, length - 1)
    down = _ufuncs["floor"](position)
    weight = (position - down).reshape(fractions.shape + (1,) * (lanes.ndim - 1))
    below = down.astype(np.int64)
    flat = moveaxis(ranked, -1, 0)
    low, high = flat.take(below, axis=0), flat.take(_ufuncs["minimum"](below + 1, length - 1), axis=0)
    if elements:
        result, dtype = low, lanes.dtype
    else:
        low, high = low.astype(dtype, copy=False), high.astype(dtype, copy=False)
        result = _between(low, high, weight.astype(dtype, copy=False), dtype)
    return _nan_if_any(result, ranked, span).astype(dtype, copy=False)


def _among_numbers(lanes: ndarray, fractions: ndarray, single: bool, method: str) -> ndarray:
    """The quantiles of what is not NaN in the last axis; NaN where there is nothing else."""
    elements = method == "linear" and fractions.dtype.kind in "iu"
    dtype = lanes.dtype if single or elements else _core.result_type(lanes.dtype, fractions.dtype, 0.0)
    ranked = _core.sort(lanes)
    count = (~_isnan(lanes)).sum(-1, np.int64)
    last = _ufuncs["maximum"](count - 1, 0)
    fractions = fractions.astype(np.float64, copy=False)
    spread = fractions.reshape(fractions.shape + (1,) * count.ndim)
    position = _ufuncs["minimum"](_ufuncs["maximum"](_virtual_index(spread, count, method), 0.0), last)
    shape = fractions.shape + count.shape
    position = broadcast_to(position, shape)
    below = _ufuncs["floor"](position).astype(np.int64)
    weight = (position - below).reshape(shape)

    def pick(index: ndarray) -> ndarray:
        # One row of positions for each lane: the axes of `q` go last, merged.
        rows = moveaxis(index.reshape((fractions.size, *count.shape)), 0, -1)
        return moveaxis(take_along_axis(ranked, rows, -1), -1, 0).reshape(shape)

    result = pick(below)
    if method not in _DISCRETE:
        # As in NumPy the distance is rounded to the dtype of the elements.
        above = pick(_ufuncs["minimum"](below + 1, last))
        result = _between(result, above, weight.astype(dtype, copy=False), dtype)
    return _core.where(count > 0, result, _core.full((), math.nan, result.dtype))


def _between(low: ndarray, high: ndarray, weight: ndarray, dtype: np.dtype[Any]) -> ndarray:
    """What lies at `weight` between two elements, from the nearer one, so that it never leaves the interval."""
    distance = high - low
    result = _core.where(weight < 0.5, low + distance * weight, high - distance * (1 - weight))
    if is_inexact(dtype):
        isfinite = _ufuncs["isfinite"]
        too_far = ~isfinite(distance) & isfinite(low) & isfinite(high)
        result = _core.where(too_far, low * (1 - weight) + high * weight, result)
    return _core.where(weight == 0, low.astype(dtype, copy=False), result)


def quantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axes = None,
    out: ndarray | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> ndarray:
    """The values below which the fractions `q` (in [0, 1]) of the elements over `axis` lie; NaN if there is one.

    The axes of `q` come first in the result. `method` says what to do between two elements. With `weights`, of the
    shape of `a` or of its axes `axis`, `method` must be "inverted_cdf".

    >>> cp.quantile(cp.asarray([1.0, 2.0, 4.0]), [0.0, 0.5])
    array([1., 2.])
    """
    return _quantile(a, q, 1, axis, out, method, keepdims, weights, skip_nan=False)


def percentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axes = None,
    out: ndarray | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> ndarray:
    """`quantile` with `q` in percent.

    Parameters
    ----------
    q : array_like
        The percentages.

    >>> cp.percentile(cp.asarray([1.0, 2.0, 4.0]), 50)
    array(2.)
    """
    return _quantile(a, q, 100, axis, out, method, keepdims, weights, skip_nan=False)


def nanquantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axes = None,
    out: ndarray | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> ndarray:
    """`quantile` that ignores NaN; NaN where there is nothing else.

    >>> cp.nanquantile(cp.asarray([1.0, cp.nan, 3.0]), 0.5)
    array(2.)
    """
    return _quantile(a, q, 1, axis, out, method, keepdims, weights, skip_nan=True)


def nanpercentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axes = None,
    out: ndarray | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> ndarray:
    """`percentile` that ignores NaN; NaN where there is nothing else.

    Parameters
    ----------
    q : array_like
        The percentages.

    >>> cp.nanpercentile(cp.asarray([1.0, cp.nan, 3.0]), 50)
    array(2.)
    """
    return _quantile(a, q, 100, axis, out, method, keepdims, weights, skip_nan=True)
