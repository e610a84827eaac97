"""Multiscale graph correlation: the dependence of two samples of vectors, at the scale where it shows most."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_float
from ._common import chosen, refuse_nan
from ._rank import _rank
from ._results import bunch
from ._table_bounded import beta

MGCResult = bunch("MGCResult", ["statistic", "pvalue", "mgc_dict"])
_MOST_ELEMENTS = 1 << 23


def _euclidean(x: ndarray) -> ndarray:
    from ..spatial import distance

    return distance.cdist(x, x)


def _centred(distances: ndarray) -> tuple[ndarray, ndarray]:
    """Distances less the mean of their column, and their ranks in it from 0 on."""
    n = distances.shape[0]
    centred = distances - distances.sum(axis=0) / (n - 1)
    centred = cp.where(cp.eye(n, dtype=bool), 0.0, centred)
    return centred, _rank(distances.T, "dense")[0].T - 1


def _covariances(a: ndarray, b: ndarray, rank_a: ndarray, rank_b: ndarray, rows: int, columns: int) -> ndarray:
    """Local covariances of distances whose ranks are at most k and l, for each matrix of `b` and `rank_b`."""
    count, n = b.shape[0], a.shape[0]
    batch = cp.arange(count)[:, None, None]

    def tally(at: ndarray, weights: ndarray, *shape: int) -> ndarray:
        place = cp.broadcast_to(at, b.shape).ravel()
        weights = cp.broadcast_to(weights, b.shape).ravel()
        return cp.bincount(place, weights=weights, minlength=math.prod(shape)).reshape(shape)

    joint = tally((batch * rows + rank_a) * columns + rank_b, a * b, count, rows, columns)
    joint = cp.cumsum(cp.cumsum(joint, axis=1), axis=2)
    one = cp.cumsum(tally(batch * rows + rank_a, a, count, rows), axis=1)
    two = cp.cumsum(tally(batch * columns + rank_b, b, count, columns), axis=1)
    return joint - one[:, :, None] * two[:, None, :] / n**2


def _own(a: ndarray, rank: ndarray, size: int) -> ndarray:
    """The local variances of one matrix."""
    values = _covariances(a, a.T[None], rank, rank.T[None], size, size)[0]
    return cp.diagonal(values)


class _Maps:
    """The maps of local correlations of one matrix of distances and permutations of another."""

    def __init__(self, x: ndarray, y: ndarray) -> None:
        self.n = x.shape[0]
        self.a, self.rank_a = _centred(x)
        self.b, self.rank_b = _centred(y)
        self.rows, self.columns = (int(r.max()) + 1 for r in (self.rank_a, self.rank_b))
        one, two = _own(self.a, self.rank_a, self.rows), _own(self.b, self.rank_b, self.columns)
        self.scale = np.sqrt(cp.maximum(one, 0)[:, None] * cp.maximum(two, 0)[None, :])
        size = self.n - 1
        shape = size * (size - 3) / 4 - 1 / 2
        self.threshold = to_float(beta.ppf(1 - 0.02 / size, shape, shape)) * 2 - 1

    def correlations(self, orders: ndarray) -> ndarray:
        """The maps for permutations, one a row."""
        at, across = orders[:, :, None], orders[:, None, :]
        # The second matrix enters transposed.
        b, rank = self.b[across, at], self.rank_b[across, at]
        values = _covariances(self.a, b, self.rank_a, rank, self.rows, self.columns)
        # With ties, the variances of a scale may be less than the covariance.
        shares = cp.where(self.scale > 0, values / cp.where(self.scale > 0, self.scale, 1.0), 0.0)
        return cp.minimum(shares, 1.0)

    def statistics(self, maps: ndarray) -> tuple[ndarray, ndarray]:
        """The correlation at the best scale of each map, and that scale as a position in it."""
        count, rows, columns = maps.shape
        last = maps[:, -1, -1]
        corner = cp.full(count, rows * columns - 1)
        if rows == 1 or columns == 1:
            return last, corner
        flat = maps.reshape(count, -1)
        high = maps > cp.maximum(self.threshold, last)[:, None, None]
        # Regions are connected in their map only.
        structure = np.zeros((3, 3, 3), dtype=bool)
        structure[1, 1, :], structure[1, :, 1] = True, True
        labels, found = cp.scipy.ndimage.label(high, cp.asarray(structure))
        labels = labels.reshape(count, -1).astype(np.int64)
        sizes = cp.bincount(labels.ravel(), minlength=int(found) + 1)
        sizes[0] = 0
        own = sizes[labels]
        largest = own.max(axis=1)
        # The first of the largest regions.
        chosen_label = cp.where(own == largest[:, None], labels, int(found) + 1).min(axis=1)
        region = (labels == chosen_label[:, None]) & (largest > 0)[:, None]
        enough = largest >= math.ceil(0.02 * max(rows, columns)) * min(rows, columns)
        best = cp.where(region, flat, -np.inf).max(axis=1)
        better = enough & (largest > 0) & (best >= last)
        places = cp.arange(rows * columns)
        at = cp.where((flat >= best[:, None]) & region, places, -1).max(axis=1)
        return cp.where(better, best, last), cp.where(better, at, corner)


def multiscale_graphcorr(
    x: Any,
    y: Any,
    compute_distance: Callable[[ndarray], ndarray] | None = _euclidean,
    reps: int = 1000,
    workers: Any = 1,
    is_twosamp: bool = False,
    random_state: Any = None,
    *,
    rng: Any = None,
) -> Any:
    """The multiscale graph correlation of two samples of vectors. See `scipy.stats.multiscale_graphcorr`.

    Parameters
    ----------
    x, y : arrays of numbers, of shapes (n, p) and (n, q), or (n, p) and (m, p), or (n, n) with `compute_distance=None`
        Vectors, one a row, or their distances.
    compute_distance : callable or None
        Makes the matrix of distances of vectors; Euclidean by default.
    reps : int
        How many permutations give the p-value; they are computed some at a time.
    workers
        Taken as SciPy does; the device is one worker.
    is_twosamp : bool
        Whether the question is if both samples have one distribution.
    random_state, rng : generator or seed
        For the permutations.

    Returns
    -------
    MGCResult
        `statistic`, `pvalue`, and `mgc_dict` with "mgc_map", "opt_scale" and "null_dist".

    Raises
    ------
    ValueError
        For shapes that do not match, NaN or infinities, fewer than 5 vectors, `reps` that is no count.

    >>> x = cp.arange(100.0)
    >>> r = cp.scipy.stats.multiscale_graphcorr(x, x, reps=1000, random_state=1)
    >>> round(float(r.statistic), 4), round(float(r.pvalue), 3)
    (1.0, 0.001)
    """
    x, y = as_device(x), as_device(y)
    x = x[:, None] if x.ndim == 1 else x
    y = y[:, None] if y.ndim == 1 else y
    for name, v in (("x", x), ("y", y)):
        if v.ndim != 2:
            raise ValueError(f"Expected a 2-D array `{name}`, found shape {v.shape}")
    (nx, px), (ny, py) = x.shape, y.shape
    refuse_nan(x, y)
    if bool(cp.isinf(x).any()) or bool(cp.isinf(y).any()):
        raise ValueError("Inputs contain infinities")
    if nx != ny:
        if px != py:
            raise ValueError(
                "Shape mismatch, x and y must have shape [n, p] and [n, q] or have shape [n, p] and [m, p]."
            )
        is_twosamp = True
    if nx < 5 or ny < 5:
        raise ValueError("MGC requires at least 5 samples to give reasonable results.")
    x, y = x.astype(np.float64), y.astype(np.float64)
    if compute_distance is not None and not callable(compute_distance):
        raise ValueError("Compute_distance must be a function.")
    if not isinstance(reps, int) or reps < 0:
        raise ValueError("Number of reps must be an integer greater than 0.")
    if reps < 1000:
        warnings.warn(
            "The number of replications is low (under 1000), and p-value calculations may be unreliable. Use the "
            "p-value result, with caution!",
            RuntimeWarning,
            stacklevel=2,
        )
    if is_twosamp:
        if compute_distance is None:
            raise ValueError("Cannot run if inputs are distance matrices")
        x, y = cp.concatenate([x, y]), cp.concatenate([cp.zeros(nx), cp.ones(ny)])[:, None]
    if compute_distance is not None:
        x, y = compute_distance(x), compute_distance(y)
    maps = _Maps(x, y)
    n = maps.n
    own = maps.correlations(cp.arange(n)[None])
    statistic, at = maps.statistics(own)
    place = int(at[0])
    if min(maps.rows, maps.columns) == 1:
        scale: Any = maps.rows * maps.columns
    else:
        scale = [place // maps.columns + 1, place % maps.columns + 1]
    source = chosen(random_state, rng)
    most = max(1, _MOST_ELEMENTS // (n * n))
    nulls = []
    for start in range(0, reps, most):
        keys = cp.asarray(source.uniform(size=(min(most, reps - start), n)))
        nulls.append(maps.statistics(maps.correlations(cp.argsort(keys, axis=1)))[0])
    null = cp.concatenate(nulls) if nulls else cp.zeros(0)
    p = (1 + (null >= statistic).sum()) / (1 + reps)
    result = MGCResult(statistic[0], p, {"mgc_map": own[0], "opt_scale": scale, "null_dist": null})
    result.stat = statistic[0]
    return result


__all__ = ["multiscale_graphcorr"]
