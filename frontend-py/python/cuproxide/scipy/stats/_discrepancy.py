"""How even points are: measures of discrepancy."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device, to_float
from ._common import holds, points
from ._unit_cube import in_unit_cube


@k.kernel
def _pairs(x: k.Array[2], i: k.Each, *, method):
    """The sum over the second point of a pair, and the term of the first alone."""
    total = 0.0
    for j in k.steps(x.shape[0]):
        product = 1.0
        for d in k.steps(x.shape[1]):
            a, b = x[i, d], x[j, d]
            if method == "CD":
                a, b = abs(a - 0.5), abs(b - 0.5)
                product *= 1 + 0.5 * a + 0.5 * b - 0.5 * abs(x[i, d] - x[j, d])
            elif method == "WD":
                distance = abs(a - b)
                product *= 1.5 - distance * (1 - distance)
            elif method == "MD":
                distance = abs(a - b)
                product *= (
                    1.875 - 0.25 * abs(a - 0.5) - 0.25 * abs(b - 0.5) - 0.75 * distance + 0.5 * distance * distance
                )
            else:
                product *= 1 - k.maximum(a, b)
        total += product
    single = 1.0
    for d in k.steps(x.shape[1]):
        a = abs(x[i, d] - 0.5)
        if method == "CD":
            single *= 1 + 0.5 * a - 0.5 * a * a
        elif method == "MD":
            single *= 5.0 / 3 - 0.25 * a - 0.25 * a * a
        else:
            single *= 1 - x[i, d] * x[i, d]
    return total, single


def discrepancy(sample: Any, *, iterative: bool = False, method: str = "CD", workers: int = 1) -> ndarray:
    """How far points are from even.

    Parameters
    ----------
    iterative : bool
        Whether the result is to be updated with further points.
    method : str
        The kind of discrepancy.

    >>> round(float(cp.scipy.stats.qmc.discrepancy(cp.asarray([[0.25], [0.75]]))), 6)
    0.020833
    """
    x = in_unit_cube(sample)
    if method not in ("CD", "WD", "MD", "L2-star"):
        raise ValueError(f"{method!r} is not a valid method. It must be one of {{'CD', 'L2-star', 'MD', 'WD'}}")
    n, d = x.shape
    double, single = _pairs(x, cp.arange(n), method=method)
    count = n + 1 if iterative else n
    double, single = double.sum(), single.sum()
    if method == "CD":
        return (13.0 / 12) ** d - 2.0 / count * single + double / count**2
    if method == "WD":
        return -((4.0 / 3) ** d) + double / count**2
    if method == "MD":
        return (19.0 / 12) ** d - 2.0 / count * single + double / count**2
    return np.sqrt(3.0 ** (-d) - 2.0 ** (1 - d) / count * single + double / count**2)


def update_discrepancy(x_new: Any, sample: Any, initial_disc: Any) -> ndarray:
    """The centred discrepancy with one more point.

    Parameters
    ----------
    x_new : array_like
        The point.
    initial_disc : float
        The discrepancy of the others.

    >>> x = cp.asarray([[0.25], [0.75]])
    >>> start = cp.scipy.stats.qmc.discrepancy(x[:1], iterative=True)
    >>> round(float(cp.scipy.stats.qmc.update_discrepancy([0.75], x[:1], start)), 6)
    0.020833
    """
    x, new = in_unit_cube(sample), points(as_device(x_new))
    if new.ndim != 1:
        raise ValueError("x_new is not a 1D array")
    if not holds((new >= 0) & (new <= 1)):
        raise ValueError("x_new is not in unit hypercube")
    if new.shape[0] != x.shape[1]:
        raise ValueError("x_new and sample must be broadcastable")
    n = x.shape[0] + 1
    a, b = abs(new - 0.5), abs(x - 0.5)
    one = -2 / n * cp.prod(1 + a / 2 - a * a / 2)
    two = 2 / n**2 * cp.prod(1 + a / 2 + b / 2 - abs(new - x) / 2, axis=1).sum()
    return cp.asarray(initial_disc) + one + two + 1 / n**2 * cp.prod(1 + a)


@k.kernel
def _nearest(x: k.Array[2], i: k.Each):
    best = k.value(np.inf)
    for j in k.steps(x.shape[0]):
        total = 0.0
        for d in k.steps(x.shape[1]):
            total += (x[i, d] - x[j, d]) * (x[i, d] - x[j, d])
        best = k.where(i == j, best, k.minimum(best, total))
    return k.sqrt(best)


@k.kernel
def _tree(x: k.Array[2], distance: k.Out[1], lengths: k.Out[1], one: k.Each):
    """Prim's algorithm: the lengths of the edges of the shortest tree."""
    current = k.value(0) + one * 0
    for step in k.steps(x.shape[0] - 1):
        distance[current] = -1.0
        best, least = current, k.value(np.inf)
        for j in k.steps(x.shape[0]):
            if distance[j] >= 0.0:
                total = 0.0
                for d in k.steps(x.shape[1]):
                    total += (x[current, d] - x[j, d]) * (x[current, d] - x[j, d])
                shorter = k.minimum(distance[j], k.sqrt(total))
                distance[j] = shorter
                if shorter < least:
                    least = shorter
                    best = j
        lengths[step] = least
        current = best


def geometric_discrepancy(sample: Any, method: str = "mindist", metric: str = "euclidean") -> ndarray:
    """The least distance of two points, or the mean edge of the shortest tree.

    Parameters
    ----------
    method : {'mindist', 'mst'}
        What is measured.
    metric : str or callable
        The distance, as for `scipy.spatial.distance.pdist`.

    >>> float(cp.scipy.stats.qmc.geometric_discrepancy(cp.asarray([[0.25], [0.75]])))
    0.5
    """
    x = in_unit_cube(sample)
    n = x.shape[0]
    if n < 2:
        raise ValueError("Sample must contain at least two points")
    if method not in ("mindist", "mst"):
        raise ValueError(f"{method!r} is not a valid method. It must be one of {{'mindist', 'mst'}}")
    if metric != "euclidean":
        return _discrepancy_in(metric, x, method)
    near = _nearest(x, cp.arange(n)).min()
    if to_float(near) == 0:
        return _discrepancy_in(metric, x, method)
    if method == "mindist":
        return near
    distance, lengths = cp.full(n, np.inf), cp.zeros(n - 1)
    _tree(x, distance, lengths, cp.zeros(1, dtype=np.int64))
    used = lengths > 0
    return lengths.sum() / used.sum()


def _discrepancy_in(metric: Any, x: ndarray, method: str) -> ndarray:
    """The geometric discrepancy in any metric, from all distances that are not 0."""
    distances = cp.scipy.spatial.distance.pdist(x, metric)
    if metric in ("cosine", "correlation"):
        # One less a cosine: of equal directions rounding is left.
        distances = cp.where(distances < 8 * np.finfo(np.float64).eps, 0.0, distances)
    if to_float(distances.min()) == 0:
        warnings.warn("Sample contains duplicate points.", stacklevel=3)
    if method == "mindist":
        return distances[distances.nonzero()].min()
    full = cp.scipy.sparse.csr_array(cp.scipy.spatial.distance.squareform(distances))
    tree = cp.scipy.sparse.csgraph.minimum_spanning_tree(full)
    return tree.data[tree.data != 0].mean()
