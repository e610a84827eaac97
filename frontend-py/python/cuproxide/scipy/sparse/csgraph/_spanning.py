"""Minimum spanning trees by Boruvka's algorithm."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ...._lib import kernel as k
from .. import issparse
from .._devices import own_device
from ._graphs import from_edges, rows_of, square

__all__ = ["minimum_spanning_tree"]


@k.kernel
def _lightest(parents: k.Array, best: k.Out, source: k.Each, target: k.Each, rank: k.Each):
    """Offers an edge to both trees that it joins; the edges with the lowest rank win."""
    a, b = parents[source], parents[target]
    if a != b:
        best.min(a, rank)
        best.min(b, rank)


@k.kernel
def _join(
    parents: k.Array,
    best: k.Array,
    sources: k.Array,
    targets: k.Array,
    taken: k.Out,
    joined: k.Out,
    node: k.Each,
    none: int,
):
    """Hangs a tree below the one that its lightest edge leads to. Of two with the same edge the lower stays."""
    new = False
    edge = best[node]
    if parents[node] == node and edge < none:
        a, b = parents[sources[edge]], parents[targets[edge]]
        other = b if a == node else a
        taken[edge] = True
        new = not (best[other] == edge and node < other)
        if new:
            joined[node] = other
    return new


@k.kernel
def _root(parents: k.Array, node: k.Each):
    root = parents[node]
    while parents[root] != root:
        root = parents[root]
    return root


@own_device
def minimum_spanning_tree(csgraph: Any, overwrite: bool = False) -> Any:
    """A minimum spanning tree of an undirected graph, or one of each component.

    Edges are sorted once; each round takes the lightest edge of every tree, so rounds grow with the logarithm of the
    nodes.

    Parameters
    ----------
    csgraph : (N, N) array or sparse array
        The graph. The lighter of the two directions between nodes counts.

    Returns
    -------
    sparse array in CSR format
        The edges of the tree, in one of their directions; those of weight 0 are left out, as SciPy does.

    Raises
    ------
    ValueError
        For graphs that are no square matrices.

    Notes
    -----
    Source: Boruvka 1926; `scipy.sparse.csgraph.minimum_spanning_tree`.

    >>> graph = cp.array([[0, 8, 0, 3], [0, 0, 2, 5], [0, 0, 0, 6], [0, 0, 0, 0]])
    >>> cp.scipy.sparse.csgraph.minimum_spanning_tree(graph).toarray()
    array([[0., 0., 0., 3.],
           [0., 0., 2., 5.],
           [0., 0., 0., 0.],
           [0., 0., 0., 0.]])
    """
    del overwrite
    csgraph = square(csgraph)
    rows = rows_of(csgraph)
    like = csgraph if issparse(csgraph) else None
    count = rows.nodes
    # The rank of an edge is its place among the sorted ones: no two are equal.
    order = cp.argsort(rows.weights, kind="stable")
    sources, targets = rows.sources()[order].astype(np.int32), rows.targets[order].astype(np.int32)
    none = sources.shape[0]
    ranks, nodes = cp.arange(none), cp.arange(count, dtype=np.int32)
    taken = cp.zeros(none, bool)
    parents = nodes
    while none:
        best = cp.full(count, none, np.int64)
        _lightest(parents, best, sources, targets, ranks)
        joined = parents.copy()
        new = _join(parents, best, sources, targets, taken, joined, nodes, none)
        parents = _root(joined, nodes)
        # Rounds halve the trees at least, so this is read a few times.
        if not bool(new.any()):
            break
    # An edge of weight 0 is no edge in the result, as in SciPy.
    kept = cp.nonzero(taken & (rows.weights[order] != 0))[0]
    return from_edges(sources[kept], targets[kept], rows.weights[order[kept]], count, like)
