"""Breadth-first and depth-first orders and trees. They run on the host, as kernels of one thread."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ...._lib import kernel as k
from .. import issparse
from .._devices import own_device
from ._graphs import NO_NODE, Rows, checked_nodes, from_edges, on_host, rows_of, square, traversable

__all__ = ["breadth_first_order", "breadth_first_tree", "depth_first_order", "depth_first_tree"]


@k.kernel
def _breadth_first(offsets: k.Array, targets: k.Array, start: int, order: k.Out, before: k.Out, seen: k.Out):
    order[0] = start
    seen[start] = True
    head, tail = 0, 1
    while head < tail:
        node = order[head]
        head += 1
        for edge in k.steps(offsets[node], offsets[node + 1]):
            target = targets[edge]
            if not seen[target]:
                seen[target] = True
                before[target] = node
                order[tail] = target
                tail += 1
    return tail


@k.kernel
def _depth_first(
    offsets: k.Array, targets: k.Array, start: int, order: k.Out, before: k.Out, seen: k.Out, path: k.Out, places: k.Out
):
    order[0] = start
    seen[start] = True
    path[0] = start
    places[0] = offsets[start]
    depth, found = 1, 1
    while depth > 0:
        node = path[depth - 1]
        edge, end = places[depth - 1], offsets[node + 1]
        searching = True
        while searching and edge < end:
            if seen[targets[edge]]:
                edge += 1
            else:
                searching = False
        if searching:
            depth -= 1
        else:
            target = targets[edge]
            places[depth - 1] = edge + 1
            seen[target] = True
            before[target] = node
            order[found] = target
            found += 1
            path[depth] = target
            places[depth] = offsets[target]
            depth += 1
    return found


def traverse(rows: Rows, start: int, deep: bool) -> tuple[Any, Any]:
    """The nodes that a search reaches in its order, and the predecessor of every node."""
    count = rows.nodes
    if not 0 <= start < count:
        raise ValueError(f"i_start must be a node from 0 to {count - 1}, got {start}")

    def work(offsets: Any, targets: Any) -> tuple[Any, Any]:
        order, before, seen = cp.zeros(count, np.int32), cp.full(count, NO_NODE, np.int32), cp.zeros(count, bool)
        if deep:
            scratch = cp.empty(count, np.int32), cp.empty(count, offsets.dtype)
            found = _depth_first(offsets, targets, start, order, before, seen, *scratch, shape=())
        else:
            found = _breadth_first(offsets, targets, start, order, before, seen, shape=())
        return order[: int(found)], before

    return on_host(work, rows.offsets, rows.targets)


def _searched(csgraph: Any, i_start: int, directed: bool, deep: bool) -> tuple[Any, Any]:
    return traverse(traversable(csgraph, directed), int(i_start), deep)


@own_device
def breadth_first_order(csgraph: Any, i_start: int, directed: bool = True, return_predecessors: bool = True) -> Any:
    """The nodes that a breadth-first search reaches, in its order.

    It runs on the host, one thread; on a GPU the edges are copied there.

    Parameters
    ----------
    i_start : int
        The first node.

    Notes
    -----
    Source: `scipy.sparse.csgraph.breadth_first_order`.

    >>> graph = cp.array([[0, 1, 2, 0], [0, 0, 0, 1], [0, 0, 0, 3], [0, 0, 0, 0]])
    >>> cp.scipy.sparse.csgraph.breadth_first_order(graph, 0)
    (array([0, 1, 2, 3], dtype=int32), array([-9999,     0,     0,     1], dtype=int32))
    """
    order, before = _searched(csgraph, i_start, directed, False)
    return (order, before) if return_predecessors else order


@own_device
def depth_first_order(csgraph: Any, i_start: int, directed: bool = True, return_predecessors: bool = True) -> Any:
    """The nodes that a depth-first search reaches, in the order in which it meets them.

    It runs on the host, one thread; on a GPU the edges are copied there.

    Parameters
    ----------
    i_start : int
        The first node.

    Notes
    -----
    Source: `scipy.sparse.csgraph.depth_first_order`.

    >>> graph = cp.array([[0, 1, 2, 0], [0, 0, 0, 1], [0, 0, 0, 3], [0, 0, 0, 0]])
    >>> cp.scipy.sparse.csgraph.depth_first_order(graph, 0)[0]
    array([0, 1, 3, 2], dtype=int32)
    """
    order, before = _searched(csgraph, i_start, directed, True)
    return (order, before) if return_predecessors else order


def tree(csgraph: Any, before: Any, directed: bool) -> Any:
    """The edges of a graph that lead from the predecessors to their nodes, as a sparse array."""
    rows = rows_of(csgraph)
    like = csgraph if issparse(csgraph) else None
    before = checked_nodes("predecessors", before, rows.nodes)
    if before.shape != (rows.nodes,):
        raise ValueError(f"predecessors must have the shape ({rows.nodes},), got {before.shape}")
    nodes = cp.nonzero(before >= 0)[0].astype(np.int32)
    sources = before[nodes].astype(np.int32)
    weights = _totals(*rows, sources, nodes)
    if not directed:
        weights = _lighter(weights, _totals(*rows, nodes, sources))
    return from_edges(sources, nodes, weights, rows.nodes, like)


@k.kernel
def _totals(offsets: k.Array, targets: k.Array, weights: k.Array, source: k.Each, target: k.Each):
    """The element of the matrix: repeated places add up, and there is 0 where nothing is stored."""
    total = 0.0
    for edge in k.steps(offsets[source], offsets[source + 1]):
        if targets[edge] == target:
            total += weights[edge]
    return total


def _lighter(one: Any, other: Any) -> Any:
    """The smaller weight of both directions, of which a 0 is no edge: infinite if neither is one, as in SciPy."""
    return cp.minimum(cp.where(one == 0, np.inf, one), cp.where(other == 0, np.inf, other))


@k.kernel
def _weights(offsets: k.Array, targets: k.Array, weights: k.Array, source: k.Each, target: k.Each):
    best = float("inf")
    for edge in k.steps(offsets[source], offsets[source + 1]):
        if targets[edge] == target:
            best = min(best, weights[edge])
    return best


def edge_weights(rows: Rows, sources: Any, targets: Any, directed: bool) -> Any:
    """The weights of the lightest edges; infinite for no edge, in an undirected graph also for weights of 0."""
    weights = _weights(*rows, sources, targets)
    return weights if directed else _lighter(weights, _weights(*rows, targets, sources))


@own_device
def breadth_first_tree(csgraph: Any, i_start: int, directed: bool = True) -> Any:
    """The tree of a breadth-first search, with the weights of the graph.

    The search runs on the host, one thread; on a GPU the edges are copied there.

    Returns
    -------
    sparse array in CSR format
        The edges of the tree, away from the root.

    Notes
    -----
    Source: `scipy.sparse.csgraph.breadth_first_tree`.

    >>> graph = cp.array([[0, 8, 0, 3], [0, 0, 2, 5], [0, 0, 0, 6], [0, 0, 0, 0]])
    >>> cp.scipy.sparse.csgraph.breadth_first_tree(graph, 0).toarray()
    array([[0., 8., 0., 3.],
           [0., 0., 2., 0.],
           [0., 0., 0., 0.],
           [0., 0., 0., 0.]])
    """
    return tree(square(csgraph), _searched(csgraph, i_start, directed, False)[1], directed)


@own_device
def depth_first_tree(csgraph: Any, i_start: int, directed: bool = True) -> Any:
    """The tree of a depth-first search, with the weights of the graph.

    The search runs on the host, one thread; on a GPU the edges are copied there.

    Returns
    -------
    sparse array in CSR format
        The edges of the tree, away from the root.

    Notes
    -----
    Source: `scipy.sparse.csgraph.depth_first_tree`.

    >>> graph = cp.array([[0, 8, 0, 3], [0, 0, 2, 5], [0, 0, 0, 6], [0, 0, 0, 0]])
    >>> cp.scipy.sparse.csgraph.depth_first_tree(graph, 0).toarray()
    array([[0., 8., 0., 0.],
           [0., 0., 2., 0.],
           [0., 0., 0., 6.],
           [0., 0., 0., 0.]])
    """
    return tree(square(csgraph), _searched(csgraph, i_start, directed, True)[1], directed)
