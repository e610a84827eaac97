"""Quantiles of samples, weighted or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device
from ._axis import sample
from ._common import check_policy, refuse_nan

__all__ = ["quantile"]

# The offset m of Hyndman and Fan (1996): the quantile lies at p n + m, counted from one, of the sorted sample.
_OFFSETS: dict[str, Callable[[ndarray], Any]] = {
    "inverted_cdf": lambda p: 0.0,
    "averaged_inverted_cdf": lambda p: 0.0,
    "closest_observation": lambda p: -0.5,
    "interpolated_inverted_cdf": lambda p: 0.0,
    "hazen": lambda p: 0.5,
    "weibull": lambda p: p,
    "linear": lambda p: 1 - p,
    "median_unbiased": lambda p: (p + 1) / 3,
    "normal_unbiased": lambda p: p / 4 + 0.375,
}
# The share of the upper neighbour where the quantile is a step function of p.
_STEPS: dict[str, Callable[[ndarray, ndarray], ndarray]] = {
    "inverted_cdf": lambda part, lower: cp.where(part > 0, 1.0, 0.0),
    "averaged_inverted_cdf": lambda part, lower: cp.where(part > 0, 1.0, 0.5),
    "closest_observation": lambda part, lower: cp.where((part == 0) & (lower % 2 == 1), 0.0, 1.0),
}
# How positions below and above the middle are made whole.
_ROUNDED: dict[str, tuple[Any, Any]] = {
    "round_outward": (np.floor, np.ceil),
    "round_inward": (np.ceil, np.floor),
    "round_nearest": (np.rint, np.rint),
}
_METHODS = {*_OFFSETS, *_ROUNDED, "harrell-davis"}


def quantile(
    x: Any,
    p: Any,
    *,
    method: str = "linear",
    axis: int | None = 0,
    nan_policy: str = "propagate",
    keepdims: bool | None = None,
    weights: Any = None,
) -> ndarray:
    """Quantiles along an axis, each slice with probabilities of its own.

    The shapes of `x` and `p` are broadcast, except `axis`.

    Parameters
    ----------
    x : array_like
        The samples.
    p : array_like
        The probabilities; results are NaN where they are not from 0 to 1.
    method : str
        How values between elements are found: one of Hyndman and Fan's nine, `'harrell-davis'`, `'round_outward'`,
        `'round_inward'` or `'round_nearest'`.
    keepdims : bool, optional
        Whether the axis stays, with length 1. By default it goes if there is one probability for each sample.
    weights : array_like, optional
        How often each element counts.

    Raises
    ------
    ValueError
        If an argument is of the wrong kind, or `keepdims` is False and there are several probabilities.

    >>> cp.scipy.stats.quantile(cp.asarray([[10, 8, 7, 5, 4], [0, 1, 2, 3, 5]]), [[0.25], [0.75]], axis=-1)
    array([5., 3.])
    """
    x, p, weights = _real(x, p, weights)
    if method not in _METHODS:
        raise ValueError(f"`method` must be one of {_METHODS}")
    if weights is not None and method not in _OFFSETS:
        raise ValueError(f"`method='{method}'` does not support `weights`.")
    if keepdims not in (None, True, False):
        raise ValueError("If specified, `keepdims` must be True or False.")
    check_policy(nan_policy)
    dimensions = max(x.ndim, p.ndim)
    flat = axis is None
    if axis is None:
        x, p, axis = x.ravel(), p.ravel(), 0
        weights = None if weights is None else weights.ravel()
    elif np.ndim(axis) or int(axis) != axis:
        raise ValueError("`axis` must be an integer or None.")
    elif not -dimensions <= axis < dimensions:
        raise ValueError("`axis` is not compatible with the shapes of the inputs.")
    if nan_policy == "raise":
        refuse_nan(x)
    if weights is not None:
        x, weights = cp.broadcast_arrays(x, weights)
    rows, levels, weights = _rows(x, p, weights, int(axis))
    if keepdims is False and levels.shape[-1] != 1:
        raise ValueError("`keepdims` may be False only if the length of `p` along `axis` is 1.")
    keep = levels.shape[-1] != 1 if keepdims is None else keepdims
    result = _of_rows(rows, levels, weights, method, nan_policy == "omit")
    if flat:
        result = result.reshape((1,) * (dimensions - 1 if keep else 0) + result.shape)
        axis = -1
    result = cp.moveaxis(result, -1, int(axis))
    return result if keep else result.squeeze(int(axis))


def _real(x: Any, p: Any, weights: Any) -> tuple[ndarray, ndarray, ndarray | None]:
    """The arguments in their common floating-point type."""
    weak = isinstance(p, float)
    x, p = as_device(x), as_device(p)
    if x.dtype.kind not in "iuf":
        raise ValueError("`x` must have real dtype.")
    if p.dtype.kind != "f":
        raise ValueError("`p` must have real floating dtype.")
    x = sample(x)
    given = [x.dtype] if weak else [x.dtype, p.dtype]
    if weights is not None:
        weights = as_device(weights)
        if weights.dtype.kind not in "iuf":
            raise ValueError("`weights` must have real dtype.")
        given.append(sample(weights).dtype)
    dtype = np.result_type(*given)
    return x.astype(dtype), p.astype(dtype), None if weights is None else weights.astype(dtype)


def _rows(
    x: ndarray, p: ndarray, weights: ndarray | None, axis: int
) -> tuple[ndarray, ndarray, ndarray | None]:  # fmt: skip
    """The arrays with the axis last, broadcast but for it; no sample is empty."""
    arrays = [array for array in (x, p, weights) if array is not None]
    dimensions = max(array.ndim for array in arrays)
    arrays = [cp.moveaxis(a.reshape((1,) * (dimensions - a.ndim) + a.shape), axis, -1) for a in arrays]
    lead = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
    arrays = [cp.broadcast_to(array, (*lead, array.shape[-1])) for array in arrays]
    if arrays[0].shape[-1] == 0:
        # The quantiles of nothing are those of one NaN.
        arrays[0] = cp.full((*lead, 1), np.nan, dtype=x.dtype)
        arrays[2:] = [cp.ones((*lead, 1), dtype=x.dtype)] * len(arrays[2:])
    return arrays[0], arrays[1], arrays[2] if weights is not None else None


def _of_rows(rows: ndarray, p: ndarray, weights: ndarray | None, method: str, omit: bool) -> ndarray:
    """The quantiles of each row."""
    if weights is None:
        rows, none = cp.sort(rows, axis=-1), 0
    else:
        # What has no weight goes behind all others.
        rows = cp.where(weights == 0, np.inf, rows)
        none = (weights == 0).sum(axis=-1, keepdims=True)
        order = cp.argsort(rows, axis=-1)
        rows, weights = (cp.take_along_axis(a, order, axis=-1) for a in (rows, weights))
    missing = cp.isnan(rows)
    lost = missing.sum(axis=-1, keepdims=True)
    count = rows.shape[-1] - none - (lost if omit else 0)
    empty = (count == 0) if omit else (lost > 0)
    # A row without a result is computed as if all of it counted.
    n = cp.where(count > 0, count, rows.shape[-1]).astype(p.dtype)
    outside = ~((p >= 0) & (p <= 1))
    p = cp.where(outside, 0.5, p)
    if method in _ROUNDED:
        down, up = _ROUNDED[method]
        value = _taken(rows, cp.where(p < 0.5, down(p * n), up(p * n - 1)), n)
    elif method == "harrell-davis":
        value = _harrell_davis(cp.where(missing, 0.0, rows), p, n)
    else:
        value = _interpolated(rows, p, n, weights, method)
    return cp.where(outside | empty, np.nan, value).astype(p.dtype, copy=False)


def _taken(rows: ndarray, at: ndarray, n: ndarray) -> ndarray:
    return cp.take_along_axis(rows, cp.clip(at, 0, n - 1).astype(np.int64), axis=-1)


def _interpolated(rows: ndarray, p: ndarray, n: ndarray, weights: ndarray | None, method: str) -> ndarray:
    """Between the two neighbours of the position that the method says."""
    offset = _OFFSETS[method](p)
    if weights is None:
        position = p * n + offset
        above = np.floor(position)
        below = above - 1
    else:
        sums = cp.cumsum(weights, axis=-1)
        position = p * _taken(sums, n - 1, n) + offset
        above, below = _counts(sums, position), _counts(sums, position - 1)
    part = position - np.floor(position)
    if method in _STEPS:
        part = cp.where(position < 0, 0.0, _STEPS[method](part, below))
    part = cp.where(below < 0, 0.0, part)
    low, high = _taken(rows, below, n), _taken(rows, above, n)
    # A share of nothing of an infinite neighbour is nothing.
    return cp.where(part == 0, low, cp.where(part == 1, high, (1 - part) * low + part * high))


def _counts(sums: ndarray, bounds: ndarray) -> ndarray:
    """How many of the sorted numbers of a row are not above each bound: the places of the bounds among them."""
    n = sums.shape[-1]
    # In a stable order, bounds come behind the numbers that equal them.
    order = cp.argsort(cp.concatenate([sums, bounds], axis=-1), axis=-1, kind="stable")
    places = cp.argsort(order, axis=-1)[..., n:]
    own = cp.argsort(cp.argsort(bounds, axis=-1, kind="stable"), axis=-1)
    return (places - own).astype(bounds.dtype)


def _harrell_davis(rows: ndarray, p: ndarray, n: ndarray) -> ndarray:
    """Means of all elements, weighted by a beta distribution (Harrell and Davis, 1982)."""
    p, n = p[..., None], n[..., None]
    edges = cp.arange(rows.shape[-1] + 1, dtype=rows.dtype) / n
    sums = cp.scipy.special.betainc(p * (n + 1), (1 - p) * (n + 1), cp.minimum(edges, 1.0))
    shares = sums[..., 1:] - sums[..., :-1]
    return (cp.where(cp.isnan(shares), 0.0, shares) * rows[..., None, :]).sum(axis=-1)
