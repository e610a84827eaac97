"""The distribution function of a population, estimated from a sample: the inverse of `quantile`."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ._common import check_policy, refuse_nan
from ._quantile import _counts, _real, _rows, _taken

# What is taken from the count of elements, and what is added to the size of the sample.
_POSITIONS = {
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "linear": (1.0, 1.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
# What is added to the count where the estimate is a step function.
_SHIFTS = {"inverted_cdf": 0.0, "averaged_inverted_cdf": 0.0, "closest_observation": 0.5}
_METHODS = {*_POSITIONS, *_SHIFTS}


def estimated_cdf(
    x: Any,
    y: Any,
    *,
    method: str = "linear",
    axis: int | None = 0,
    nan_policy: str = "propagate",
    keepdims: bool | None = None,
) -> ndarray:
    """The distribution function at points, each slice with points of its own.

    The shapes of `x` and `y` are broadcast, except `axis`.

    Parameters
    ----------
    x : array_like
        The samples.
    y : array_like
        The points.
    method : str
        How values between elements are found: one of Hyndman and Fan's nine.
    nan_policy : {'propagate', 'omit', 'raise'}
        What NaN in `x` does: spread to the result, be left out, or be a `ValueError`.
    keepdims : bool, optional
        Whether the axis stays, with length 1. By default it goes if there is one point for each sample.

    Returns
    -------
    ndarray
        Probabilities; NaN at points that are NaN.

    Raises
    ------
    ValueError
        If an argument is of the wrong kind, or `keepdims` is False and there are several points.

    >>> cp.scipy.stats.estimated_cdf(cp.arange(11), [2.5, 7.5])
    array([0.25, 0.75])
    """
    if method not in _METHODS:
        raise ValueError(f"`method` must be one of {sorted(_METHODS)}, not {method!r}")
    if keepdims not in (None, True, False):
        raise ValueError(f"If specified, `keepdims` must be True or False, not {keepdims!r}.")
    check_policy(nan_policy)
    weak = isinstance(y, (int, float))
    x, y, _ = _real(x, float(y) if weak else cp.asarray(y) * 1.0, None)
    dimensions, flat = max(x.ndim, y.ndim), axis is None
    if axis is None:
        x, y, axis = x.ravel(), y.ravel(), 0
    elif np.ndim(axis) or int(axis) != axis:
        raise ValueError(f"`axis` must be an integer or None, not {axis!r}.")
    elif not -max(dimensions, 1) <= axis < max(dimensions, 1):
        raise ValueError(f"`axis`={axis} is not compatible with the shapes of the inputs.")
    x, y = cp.atleast_1d(x), cp.atleast_1d(y)
    if nan_policy == "raise":
        refuse_nan(x)
    rows, at, _ = _rows(x, y, None, int(axis))
    if keepdims is False and at.shape[-1] != 1:
        raise ValueError("`keepdims` may be False only if the length of `y` along `axis` is 1.")
    keep = at.shape[-1] != 1 if keepdims is None else keepdims
    result = _of_rows(rows, at, method, nan_policy == "omit")
    if flat and keep:
        result = result.reshape((1,) * (dimensions - 1) + result.shape)
        axis = -1
    result = cp.moveaxis(result, -1, int(axis))
    return result if keep else result.squeeze(int(axis))


def _of_rows(rows: ndarray, y: ndarray, method: str, omit: bool) -> ndarray:
    """The probabilities of each row."""
    rows = cp.sort(rows, axis=-1)
    lost = cp.isnan(rows).sum(axis=-1, keepdims=True)
    count = rows.shape[-1] - (lost if omit else 0)
    empty = (count == 0) if omit else (lost > 0)
    n = cp.where(count > 0, count, 1).astype(y.dtype)
    # NaN lies behind all numbers and equals none.
    upto = cp.minimum(_counts(rows, cp.where(cp.isnan(y), np.inf, y)), n)
    low, high = _taken(rows, upto - 1, n), _taken(rows, upto, n)
    if method in _SHIFTS:
        p = (upto + _SHIFTS[method]) / n
    else:
        less, more = _POSITIONS[method]
        gap = cp.where(high > low, high - low, 1)
        part = cp.where((upto > 0) & (upto < n) & (y > low), (y - low) / gap, 0)
        p = (upto + part - less) / (n + 1 - less - more)
    p = cp.where(y < _taken(rows, 0 * upto, n), 0, cp.where(y > _taken(rows, n + 0 * upto, n), 1, cp.clip(p, 0, 1)))
    return cp.where(empty | cp.isnan(y), np.nan, p).astype(y.dtype, copy=False)


__all__ = ["estimated_cdf"]
