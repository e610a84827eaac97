"""Minkowski distances of points and of rectangles."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ._metrics import METRICS, all_pairs


def minkowski_distance_p(x: Any, y: Any, p: float = 2.0) -> ndarray:
    """The p-th power of the p-norm of differences along the last axis.

    >>> cp.scipy.spatial.minkowski_distance_p(cp.asarray([[3.0, 4.0]]), cp.asarray([[0.0, 0.0]]))
    array([25.])
    """
    x, y = cp.asarray(x), cp.asarray(y)
    common = np.promote_types(np.promote_types(x.dtype, y.dtype), np.float64)
    difference = abs(y.astype(common, copy=False) - x.astype(common, copy=False))
    if p == np.inf:
        return difference.max(axis=-1)
    return (difference if p == 1 else difference**p).sum(axis=-1)


def minkowski_distance(x: Any, y: Any, p: float = 2.0) -> ndarray:
    """The p-norm of differences along the last axis.

    >>> cp.scipy.spatial.minkowski_distance(cp.asarray([[3.0, 4.0]]), cp.asarray([[0.0, 0.0]]))
    array([5.])
    """
    powers = minkowski_distance_p(x, y, p)
    if p in (1, np.inf):
        return powers
    return cp.sqrt(powers) if p == 2 else powers ** (1.0 / p)


def distance_matrix(x: Any, y: Any, p: float = 2.0, threshold: int = 1000000) -> ndarray:
    """p-norms of the differences of all rows of `x` and `y`, in one kernel. `threshold` is accepted and of no use.

    Parameters
    ----------
    threshold : int
        Taken for compatibility.

    >>> cp.scipy.spatial.distance_matrix(cp.asarray([[0.0, 0.0]]), cp.asarray([[3.0, 4.0], [0.0, 1.0]]))
    array([[5., 1.]])
    """
    x, y = cp.asarray(x), cp.asarray(y)
    if x.ndim != 2 or y.ndim != 2 or x.shape[1] != y.shape[1]:
        raise ValueError(f"x and y must be matrices with as many columns, their shapes are {x.shape} and {y.shape}")
    if "c" in (x.dtype.kind, y.dtype.kind):
        return minkowski_distance(x[:, None, :], y[None, :, :], p)
    return all_pairs(METRICS["minkowski"], x, y, None, {"p": p})


class Rectangle:
    """A hyperrectangle: a product of intervals. See `scipy.spatial.Rectangle`.

    Parameters
    ----------
    maxes, mins
        The ends of the intervals.

    >>> float(cp.scipy.spatial.Rectangle([2.0, 3.0], [0.0, 0.0]).volume())
    6.0
    """

    def __init__(self, maxes: Any, mins: Any) -> None:
        maxes, mins = cp.asarray(maxes).astype(np.float64), cp.asarray(mins).astype(np.float64)
        self.maxes, self.mins = cp.maximum(maxes, mins), cp.minimum(maxes, mins)
        (self.m,) = self.maxes.shape

    def __repr__(self) -> str:
        return f"<Rectangle {list(zip(self.mins.tolist(), self.maxes.tolist(), strict=True))}>"

    def volume(self) -> ndarray:
        """The product of the lengths of the intervals."""
        return (self.maxes - self.mins).prod()

    def split(self, d: int, split: float) -> tuple[Rectangle, Rectangle]:
        """Two rectangles, cut along axis `d` at `split`.

        Parameters
        ----------
        d : int
            The axis.
        split : float
            The place.

        Returns
        -------
        tuple[Rectangle, Rectangle]
        """
        middle = self.maxes.copy()
        middle[d] = split
        above = self.mins.copy()
        above[d] = split
        return Rectangle(middle, self.mins), Rectangle(self.maxes, above)

    def min_distance_point(self, x: Any, p: float = 2.0) -> ndarray:
        """The smallest distance of points to a point of the rectangle.

        Parameters
        ----------
        x : array_like
            The points.
        """
        x = cp.asarray(x)
        outside = cp.maximum(0, cp.maximum(self.mins - x, x - self.maxes))
        return minkowski_distance(cp.zeros(()), outside, p)

    def max_distance_point(self, x: Any, p: float = 2.0) -> ndarray:
        """The largest distance of points to a point of the rectangle.

        Parameters
        ----------
        x : array_like
            The points.
        """
        x = cp.asarray(x)
        return minkowski_distance(cp.zeros(()), cp.maximum(self.maxes - x, x - self.mins), p)

    def min_distance_rectangle(self, other: Rectangle, p: float = 2.0) -> ndarray:
        """The smallest distance of points of two rectangles."""
        gap = cp.maximum(0, cp.maximum(self.mins - other.maxes, other.mins - self.maxes))
        return minkowski_distance(cp.zeros(()), gap, p)

    def max_distance_rectangle(self, other: Rectangle, p: float = 2.0) -> ndarray:
        """The largest distance of points of two rectangles."""
        reach = cp.maximum(self.maxes - other.mins, other.maxes - self.mins)
        return minkowski_distance(cp.zeros(()), reach, p)


__all__ = ["Rectangle", "distance_matrix", "minkowski_distance", "minkowski_distance_p"]
