"""Shapes: how alike two are, and the way between points on a sphere."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray


def procrustes(data1: Any, data2: Any) -> tuple[ndarray, ndarray, ndarray]:
    """Two sets of points, both centred and of size one, the second turned and scaled onto the first, and what is left.

    Parameters
    ----------
    data1 : array_like
        The first set of points.
    data2 : array_like
        The second set of points.

    >>> a = cp.asarray([[1.0, 3.0], [1.0, 2.0], [1.0, 1.0], [2.0, 1.0]])
    >>> b = cp.asarray([[4.0, -2.0], [4.0, -4.0], [4.0, -6.0], [2.0, -6.0]])
    >>> abs(round(float(cp.scipy.spatial.procrustes(a, b)[2]), 12))
    0.0
    """
    first, second = (cp.asarray(x).astype(np.float64) for x in (data1, data2))
    if first.ndim != 2 or second.ndim != 2:
        raise ValueError("Input matrices must be two-dimensional")
    if first.shape != second.shape:
        raise ValueError("Input matrices must be of same shape")
    if first.size == 0:
        raise ValueError("Input matrices must be >0 rows and >0 cols")
    # Before centring, which rounds tiny numbers and overflows with huge ones; after it for points far from the origin.
    first, second = (_near_one(x) for x in (first, second))
    first, second = (_near_one(x - x.mean(axis=0)) for x in (first, second))
    norms = [cp.linalg.norm(x) for x in (first, second)]
    lengths = cp.stack(norms).tolist()
    if 0 in lengths:
        raise ValueError("Input matrices must contain >1 unique points")
    if not all(map(math.isfinite, lengths)):
        raise ValueError("array must not contain infs or NaNs")
    first, second = first / norms[0], second / norms[1]
    u, s, vh = cp.linalg.svd(second.T @ first)
    second = (second @ (u @ vh)) * s.sum()
    return first, second, cp.square(first - second).sum()


def _near_one(x: ndarray) -> ndarray:
    """Numbers times a power of two, with which their squares are in range."""
    return cp.ldexp(x, -cp.frexp(abs(x).max())[1])


def geometric_slerp(start: Any, end: Any, t: Any, tol: float = 1e-07) -> ndarray:
    """Points on the arc between two points of the unit sphere.

    Parameters
    ----------
    start, end
        Points of length one.
    t
        Numbers (at most one axis): 0 is the start, 1 the end.
    tol
        Within this distance of being opposite a warning says that the way is not unique.

    Raises
    ------
    ValueError
        For points that are not on the sphere and shapes that do not fit.

    >>> cp.round(cp.scipy.spatial.geometric_slerp([1.0, 0.0], [0.0, 1.0], cp.asarray([0.0, 0.5, 1.0])), 4)
    array([[1.    , 0.    ],
           [0.7071, 0.7071],
           [0.    , 1.    ]])
    """
    start, end = (cp.asarray(x).astype(np.float64) for x in (start, end))
    t = cp.asarray(t)
    if t.ndim > 1:
        raise ValueError("The interpolation parameter value must be one dimensional.")
    if start.ndim != 1 or end.ndim != 1:
        raise ValueError("Start and end coordinates must be one-dimensional")
    if start.size != end.size:
        raise ValueError("The dimensions of start and end must match (have same size)")
    if start.size < 2:
        raise ValueError("The start and end coordinates must both be in at least two-dimensional space")
    # One read for all that is checked.
    facts = cp.stack([cp.linalg.norm(start), cp.linalg.norm(end), cp.linalg.norm(start - end)]).tolist()
    if facts[2] == 0:
        return cp.broadcast_to(start, (t.size, start.size)).copy()
    if not all(abs(length - 1) <= 1e-9 for length in facts[:2]):
        raise ValueError("start and end are not on a unit n-sphere")
    if not isinstance(tol, float):
        raise ValueError("tol must be a float")
    if abs(facts[2] - 2.0) <= abs(tol):
        warnings.warn(
            "start and end are antipodes using the specified tolerance; this may cause ambiguous slerp paths",
            stacklevel=2,
        )
    t = t.astype(np.float64)
    if t.size == 0:
        return cp.empty((0, start.size))
    # A second unit vector in the plane of both, by the part of the end that is orthogonal to the start.
    cosine = (start * end).sum()
    across = end - cosine * start
    across = across - (across * start).sum() * start
    sine = cp.linalg.norm(across)
    # Opposite points: any direction will do, that of the axis which the start is least along.
    unit = (cp.arange(start.size) == abs(start).argmin()).astype(np.float64)
    across = cp.where(sine == 0, unit - (unit * start).sum() * start, across)
    other = across / cp.linalg.norm(across)
    angle = cp.arctan2(sine, cosine)
    turns = cp.atleast_1d(t) * angle
    result = start * cp.cos(turns)[:, None] + other * cp.sin(turns)[:, None]
    return result[0] if t.ndim == 0 else result


__all__ = ["geometric_slerp", "procrustes"]
