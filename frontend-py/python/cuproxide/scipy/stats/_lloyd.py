"""Samples of the unit cube whose points move towards the centres of their Voronoi regions (Lloyd 1982)."""

from __future__ import annotations

import math

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray

_ITERATIONS, _TOLERANCE = 10, 1e-5


def lloyd(x: ndarray) -> ndarray:
    """The points after some relaxations, each weaker than the one before.

    Parameters
    ----------
    x : ndarray of shape (n, d)
        Points of the unit cube, of at least two dimensions.

    Returns
    -------
    ndarray
        The moved points.

    Raises
    ------
    ValueError
        If the points have fewer than two dimensions.
    """
    if x.shape[1] < 2:
        raise ValueError(f"`sample` dimension is not >= 2, but {x.shape[1]}")
    rate = -math.log(0.1) / _ITERATIONS
    before = _least_distance(x)
    for iteration in range(_ITERATIONS):
        x = _relaxed(x, math.exp(-iteration * rate) + 0.9)
        after = _least_distance(x)
        if abs(after - before) < _TOLERANCE:
            break
        before = after
    return x


def _least_distance(x: ndarray) -> float:
    return float(cp.scipy.spatial.distance.pdist(x, "cityblock").min())


def _relaxed(x: ndarray, share: float) -> ndarray:
    """The points moved by a share of the way to the means of their regions' corners, where they stay in the cube."""
    diagram = cp.scipy.spatial.Voronoi(x)
    regions = [[corner for corner in diagram.regions[i] if corner >= 0] for i in np.asarray(diagram.point_region.get())]
    counts = np.array([len(region) for region in regions])
    owner = cp.asarray(np.repeat(np.arange(len(regions)), counts))
    corners = diagram.vertices[cp.asarray(np.concatenate(regions).astype(np.int64))]
    sums = cp.zeros(x.shape)
    cp.add.at(sums, owner, corners)
    moved = x + (sums / cp.asarray(counts)[:, None] - x) * share
    inside = ((moved >= 0) & (moved <= 1)).all(axis=1, keepdims=True)
    return cp.where(inside, moved, x)
