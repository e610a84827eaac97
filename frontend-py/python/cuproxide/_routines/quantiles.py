"""Quantiles that ignore NaN."""

from __future__ import annotations

import math

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._typing import ArrayLike, Axes
from ._common import SCALARS, as_array, deliver, is_complex, is_inexact
from .indexing import take_along_axis
from .shapes import broadcast_to, moveaxis
from .statistics import _METHODS, _lanes, _virtual_index, quantile
from .weighted import checked_fractions, weighted_quantile

__all__ = ["nanpercentile", "nanquantile"]

_ufuncs = _core.ufuncs()


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
    """`quantile` that ignores NaN; NaN where there is nothing else. See `numpy.nanquantile`.

    >>> cp.nanquantile(cp.asarray([1.0, cp.nan, 3.0]), 0.5)
    array(2.)
    """
    if weights is not None:
        fractions = checked_fractions(q, 1, "Quantiles must be in the range [0, 1]")
        return weighted_quantile(as_array(a), fractions, weights, axis, out, method, keepdims, True)
    a = as_array(a)
    if not is_inexact(a.dtype) or is_complex(a.dtype) or a.size == 0 or method not in _METHODS:
        return quantile(a, q, axis, out, overwrite_input, method, keepdims)
    # Only fractions on the device are waited for.
    given = q if isinstance(q, ndarray) else np.asarray(q, np.float64)
    if not bool(((given >= 0) & (given <= 1)).all()):
        raise ValueError("Quantiles must be in the range [0, 1]")
    fractions = as_array(q)
    elements = method == "linear" and fractions.dtype.kind in "iu"
    dtype = a.dtype if isinstance(q, (int, float)) or elements else _core.result_type(a.dtype, fractions.dtype, 0.0)
    lanes, kept = _lanes(a, axis)
    ranked = _core.sort(lanes)
    count = (~_ufuncs["isnan"](lanes)).sum(-1, np.int64)
    last = _ufuncs["maximum"](count - 1, 0)
    fractions = fractions.astype(np.float64, copy=False)
    spread = fractions.reshape(fractions.shape + (1,) * count.ndim)
    position = _ufuncs["minimum"](_ufuncs["maximum"](_virtual_index(spread, count, method), 0.0), last)
    shape = fractions.shape + count.shape
    position = broadcast_to(position, shape)
    below = _ufuncs["floor"](position).astype(np.int64)
    weight = (position - below).reshape(shape)
    above = _ufuncs["minimum"](below + 1, last)

    def pick(index: ndarray) -> ndarray:
        # One row of positions for each lane: the axes of `q` go last, merged.
        rows = moveaxis(index.reshape((fractions.size, *count.shape)), 0, -1)
        return moveaxis(take_along_axis(ranked, rows, -1), -1, 0).reshape(shape)

    low, high = pick(below), pick(above)
    if method in ("lower", "higher", "nearest", "inverted_cdf", "closest_observation"):
        result = low
    else:
        # As in NumPy the distance is rounded to the dtype of the elements.
        weight = weight.astype(dtype, copy=False)
        distance = high - low
        result = _core.where(weight < 0.5, low + distance * weight, high - distance * (1 - weight))
        result = _core.where(weight == 0, low.astype(dtype, copy=False), result)
    result = _core.where(count > 0, result, _core.full((), math.nan, result.dtype))
    if keepdims:
        result = result.reshape(fractions.shape + kept)
    return deliver(result, out)


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
    """`percentile` that ignores NaN; NaN where there is nothing else. See `numpy.nanpercentile`.

    >>> cp.nanpercentile(cp.asarray([1.0, cp.nan, 3.0]), 50)
    array(2.)
    """
    if weights is not None:
        fractions = checked_fractions(q, 100, "Percentiles must be in the range [0, 100]")
        return weighted_quantile(as_array(a), fractions, weights, axis, out, method, keepdims, True)
    a = as_array(a)
    fraction: ArrayLike = q / 100 if isinstance(q, (ndarray, *SCALARS)) else (np.asarray(q, np.float64) / 100).tolist()
    try:
        return nanquantile(a, fraction, axis, out, overwrite_input, method, keepdims)
    except ValueError as error:
        if "Quantiles" in str(error):
            raise ValueError("Percentiles must be in the range [0, 100]") from None
        raise
