"""Shortest paths between all pairs of nodes, of matrices of distances."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ...._lib import kernel as k
from ...._lib.routes import way
from .. import issparse
from .._devices import own_device
from ._conversions import csgraph_to_dense
from ._graphs import NO_NODE, NegativeCycleError, dense_of, square

__all__ = ["floyd_warshall"]


@k.kernel
def _pivots(dist: k.Out, before: k.Out, count: int):
    """All pairs of nodes in one thread; the matrices come as their rows one after another."""
    for pivot in k.steps(count):
        beside = pivot * count
        for i in k.steps(count):
            row = i * count
            left = dist[row + pivot]
            if left < float("inf"):
                for j in k.steps(count):
                    through = left + dist[beside + j]
                    if through < dist[row + j]:
                        dist[row + j] = through
                        before[row + j] = before[beside + j]


@k.kernel
def _squared(dist: k.Array, before: k.Array, i: k.Each, j: k.Each):
    """The shortest way of twice as many edges between a pair of nodes."""
    best, last = dist[i, j], before[i, j]
    for pivot in k.steps(dist.shape[0]):
        through = dist[i, pivot] + dist[pivot, j]
        if through < best:
            best, last = through, before[pivot, j]
    return best, last


@own_device
def floyd_warshall(
    csgraph: Any,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
) -> Any:
    """The shortest paths between all pairs of nodes.

    A CPU takes one pivot after another in one thread (Floyd and Warshall 1962). A GPU squares the matrix of distances
    until paths have as many edges as there are nodes: a few launches, each of as many threads as there are pairs.

    Parameters
    ----------
    csgraph : (N, N) array or sparse array
        The lengths of edges, which may be negative.
    directed : bool
        Whether edges have a direction. Without, each may be gone along either way.

    Returns
    -------
    dist_matrix : (N, N) float64 array
        The lengths of the shortest paths, infinite where there is none.
    predecessors : (N, N) int32 array
        The node before each on a shortest path, -9999 for those without. Only with `return_predecessors`.

    Raises
    ------
    ValueError
        For graphs that are no square matrices.
    NegativeCycleError
        For a cycle of negative length.

    Notes
    -----
    Source: Floyd 1962, Warshall 1962; `scipy.sparse.csgraph.floyd_warshall`.

    >>> cp.scipy.sparse.csgraph.floyd_warshall(cp.array([[0, 1, 5], [0, 0, 2], [4, 0, 0]]))
    array([[0., 1., 3.],
           [6., 0., 2.],
           [4., 5., 0.]])
    """
    del overwrite
    csgraph = square(csgraph)
    count = csgraph.shape[0]
    if issparse(csgraph):
        dist = csgraph_to_dense(csgraph, np.inf)
        there = dist < np.inf
    else:
        # A 0 is no edge of a masked array either.
        dist, there = dense_of(csgraph)
        there = there & (dist != 0)
    dist = cp.where(there, 1.0 if unweighted else dist, np.inf)
    if not directed:
        dist = cp.minimum(dist, dist.T)
    own = cp.eye(count, dtype=bool)
    # An edge from a node to itself only matters if it is negative.
    negative = bool((own & (dist < 0)).any()) if count else False
    dist = cp.ascontiguousarray(cp.where(own, 0.0, dist))
    nodes = cp.arange(count, dtype=np.int32)
    before = cp.ascontiguousarray(cp.where((dist < np.inf) & ~own, nodes[:, None], NO_NODE).astype(np.int32))
    if count and not negative:
        dist, before = all_pairs(dist, before)
        negative = bool((own & (dist < 0)).any())
    if negative:
        node = int(cp.argmax(cp.diagonal(dist) < 0))
        raise NegativeCycleError(f"Negative cycle in nodes [{node}]")
    return (dist, before) if return_predecessors else dist


def all_pairs(dist: Any, before: Any) -> tuple[Any, Any]:
    """The closure of a matrix of distances with zeros on its diagonal."""
    count = dist.shape[0]
    if way("all pairs", dist) == "pivots":
        _pivots(dist.reshape(-1), before.reshape(-1), count, shape=())
        return dist, before
    nodes = cp.arange(count, dtype=np.int32)
    for _ in range(max(1, count).bit_length()):
        dist, before = _squared(dist, before, nodes[:, None], nodes)
    return dist, before
