"""Quantiles of elements that count by their weights."""

from __future__ import annotations

import math

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.conversions import as_array, deliver, is_inexact, normalize_axis_tuple
from .._lib.ufuncs import NUMPY as _ufuncs
from .._typing import ArrayLike, Axes
from .indexing import take_along_axis
from .shapes import broadcast_to

_isnan = _ufuncs["isnan"]


def lanes_of(a: ndarray, axis: Axes) -> tuple[ndarray, tuple[int, ...]]:
    """`a` with the axes to reduce merged into the last one, and its shape with them kept at length 1."""
    axes = normalize_axis_tuple(range(a.ndim) if axis is None else axis, a.ndim)
    kept = [i for i in range(a.ndim) if i not in axes]
    moved = a.transpose([*kept, *axes])
    lanes = moved.reshape([a.shape[i] for i in kept] + [math.prod(a.shape[i] for i in axes)])
    return lanes, tuple(1 if i in axes else length for i, length in enumerate(a.shape))


def aligned_weights(weights: ArrayLike, a: ndarray, axis: Axes) -> ndarray:
    """Weights that broadcast against `a`, given in its shape or in that of the axes `axis`."""
    given = as_array(weights)
    if given.shape == a.shape:
        return given
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    axes = normalize_axis_tuple(axis, a.ndim, "axis")
    if given.shape != tuple(a.shape[i] for i in axes):
        raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
    given = given.transpose(sorted(range(len(axes)), key=lambda i: axes[i]))
    return given.reshape([length if i in axes else 1 for i, length in enumerate(a.shape)])


def weighted_quantile(
    a: ndarray,
    fractions: ndarray,
    weights: ArrayLike,
    axis: Axes,
    out: ndarray | None,
    method: str,
    keepdims: bool,
    skip_nan: bool,
) -> ndarray:
    """The least elements up to which the weights sum to the fractions of their total: the inverted distribution.

    Waits for the device to check the weights.
    """
    if method != "inverted_cdf":
        raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
    weights = broadcast_to(aligned_weights(weights, a, axis), a.shape)
    if bool((weights < 0).any()):
        raise ValueError("Weights must be non-negative.")
    lanes, kept = lanes_of(a, axis)
    weights, _ = lanes_of(weights, axis)
    has_nan = is_inexact(a.dtype)
    if lanes.shape[-1] == 0:
        raise IndexError("index -1 is out of bounds for axis 0 with size 0")
    if skip_nan and has_nan:
        weights = _core.where(_isnan(lanes), weights.dtype.type(0), weights)
    order = _core.argsort(lanes, -1)
    ranked, weights = take_along_axis(lanes, order, -1), take_along_axis(weights, order, -1)
    sums = weights.cumsum(-1, np.float64)
    total = sums[..., -1:]
    distribution = sums / total
    empty = _isnan(lanes).all(-1) if skip_nan and has_nan else _core.full((), False, np.bool_)
    if bool((_isnan(distribution[..., -1]) & ~empty).any()):
        raise ValueError("Weights included NaN, inf or were all zero.")
    if fractions.dtype.kind == "f":
        distribution = distribution.astype(fractions.dtype, copy=False)
    # Elements of no weight at the low end are passed over even by the fraction 0.
    distribution = _core.where(distribution == 0, distribution.dtype.type(-1), distribution)
    spread = fractions.reshape(fractions.shape + (1,) * lanes.ndim)
    index = (distribution < spread).sum(-1, np.int64)
    last = lanes.shape[-1] - 1
    if skip_nan and has_nan:
        last = _ufuncs["maximum"]((~_isnan(lanes)).sum(-1, np.int64) - 1, 0)
    index = _ufuncs["minimum"](index, last)
    # One row of positions for each lane: the axes of the fractions go last, merged.
    rows = _core.moveaxis(index.reshape((fractions.size, *lanes.shape[:-1])), 0, -1)
    result = _core.moveaxis(take_along_axis(ranked, rows, -1), -1, 0).reshape(fractions.shape + lanes.shape[:-1])
    if has_nan:
        highest = ranked[..., -1]
        unknown = empty if skip_nan else _isnan(highest)
        result = _core.where(unknown, highest, result)
    if keepdims:
        result = result.reshape(fractions.shape + kept)
    return deliver(result, out)
