"""Orders that make the bandwidth small, on the host."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ...._lib import kernel as k
from .._devices import own_device
from ._graphs import expand, on_host, own_parts, require_sparse

__all__ = ["reverse_cuthill_mckee"]


@k.kernel
def _cuthill_mckee(
    offsets: k.Array, targets: k.Array, degrees: k.Array, seeds: k.Array, count: int, order: k.Out, seen: k.Out
):
    """Breadth-first searches from the nodes of the lowest degrees; neighbours come by their degrees."""
    found = 0
    for i in k.steps(count):
        seed = seeds[i]
        head = found + 0
        if not seen[seed]:
            seen[seed] = True
            order[found] = seed
            found += 1
        while head < found:
            node = order[head]
            head += 1
            first = found + 0
            for edge in k.steps(offsets[node], offsets[node + 1]):
                target = targets[edge]
                if not seen[target]:
                    seen[target] = True
                    # It moves before those of higher degrees.
                    at = found + 0
                    found += 1
                    moving = at > first
                    while moving:
                        if degrees[order[at - 1]] > degrees[target]:
                            order[at] = order[at - 1]
                            at -= 1
                            moving = at > first
                        else:
                            moving = False
                    order[at] = target


@own_device
def reverse_cuthill_mckee(graph: Any, symmetric_mode: bool = False) -> Any:
    """An order of rows and columns that makes the bandwidth of a matrix small.

    It runs on the host, one thread; on a GPU the pattern is copied there.

    Parameters
    ----------
    graph : (N, N) sparse array
        The matrix.
    symmetric_mode : bool
        Whether the pattern is known to be symmetric; otherwise that of the sum with the transpose is taken.

    Returns
    -------
    (N,) int32 array
        The row for each place.

    Raises
    ------
    TypeError
        For a matrix that is not sparse.
    ValueError
        For one that is not square.

    Notes
    -----
    Source: Cuthill and McKee 1969; `scipy.sparse.csgraph.reverse_cuthill_mckee`.

    >>> graph = cp.scipy.sparse.csr_array(cp.array([[1, 0, 1], [0, 1, 0], [1, 0, 1]]))
    >>> cp.scipy.sparse.csgraph.reverse_cuthill_mckee(graph)
    array([2, 0, 1], dtype=int32)
    """
    graph = require_sparse(graph, "Input graph must be sparse")
    # Columns serve as well as rows: what is said to be symmetric is read as it is stored.
    graph = graph if graph.format == "csc" else graph.tocsr()
    if graph.shape[0] != graph.shape[1]:
        raise ValueError(f"compressed-sparse graph must be shape (N, N), got {graph.shape}")
    count = graph.shape[0]
    if not symmetric_mode:
        graph = (graph + graph.T).tocsr()
    offsets, targets, _ = own_parts(graph)
    own = cp.zeros(count, np.int64)
    rows = expand(offsets, targets.shape[0])
    own[rows[cp.nonzero(rows == targets)[0]]] = 1
    # An element on the diagonal counts twice.
    degrees = (offsets[1:] - offsets[:-1]) + own
    seeds = cp.argsort(degrees, kind="stable")

    def work(offsets: Any, targets: Any, degrees: Any, seeds: Any) -> Any:
        order, seen = cp.zeros(count, np.int32), cp.zeros(count, bool)
        _cuthill_mckee(offsets, targets, degrees, seeds, count, order, seen, shape=())
        return order

    return on_host(work, offsets, targets, degrees, seeds)[::-1].copy()
