"""Shortest paths: Dijkstra's algorithm with a heap for each source, and relaxations of all edges at once."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import cuproxide as cp

from ...._lib import kernel as k
from ...._lib import routes
from ...._lib.routes import way
from .. import issparse
from .._devices import outside, own_device
from ._all_pairs import floyd_warshall
from ._graphs import NO_NODE, Host, NegativeCycleError, Rows, dense_of, rows_of, square, traversable
from ._heap import fall, rise

__all__ = ["bellman_ford", "dijkstra", "johnson", "shortest_path"]

MOST_STEPS = 48
"""Steps in which the edges of a graph are relaxed for many sources before each of these gets a heap after all."""

MOST_HEAPS = 1 << 26
"""Elements of the heaps that there are at a time."""


@k.kernel
def _paths(
    offsets: k.Array,
    targets: k.Array,
    weights: k.Array,
    sources: k.Array[1],
    banned: k.Array[1],
    dist: k.Out[1],
    before: k.Out[1],
    origin: k.Out[1],
    heap: k.Out[1],
    place: k.Out[1],
    limit: float,
):
    """Dijkstra's algorithm from a set of sources. No path from a source begins with an edge to a banned node.

    `place` is -1 for nodes that were not seen, their place in the heap, and -2 for those that are done.
    """
    size = 0
    for i in k.steps(sources.shape[0]):
        source = sources[i]
        if place[source] == -1:
            dist[source] = 0.0
            origin[source] = source
            heap[size] = source
            place[source] = size
            size += 1
    first = True
    while size > 0:
        node = heap[0]
        size -= 1
        place[node] = -2
        if size > 0:
            fall(heap, place, dist, size)
        length = dist[node]
        for edge in k.steps(offsets[node], offsets[node + 1]):
            target = targets[edge]
            allowed = place[target] != -2
            if first:
                for i in k.steps(banned.shape[0]):
                    allowed = allowed and banned[i] != target
            reached = length + weights[edge]
            if allowed and reached <= limit and reached < dist[target]:
                dist[target] = reached
                before[target] = node
                origin[target] = origin[node]
                at = place[target]
                if at < 0:
                    at = size + 0
                    size += 1
                rise(heap, place, dist, at, target)
        first = False


@k.kernel
def _relax(offsets: k.Array, sources: k.Array, weights: k.Array, dist: k.Array[1], hops: k.Array[1], node: k.Each):
    """The shortest way to a node over one more edge; of those that are as long, the one with the fewest edges."""
    best, fewest = dist[node], hops[node]
    for edge in k.steps(offsets[node], offsets[node + 1]):
        source = sources[edge]
        length, edges = dist[source] + weights[edge], hops[source] + 1
        if length < best or (length == best and edges < fewest):
            best, fewest = length, edges
    changed = best != dist[node] or fewest != hops[node]
    return best, fewest, changed


@k.kernel
def _tight(offsets: k.Array, sources: k.Array, weights: k.Array, dist: k.Array[1], hops: k.Array[1], node: k.Each):
    """The predecessor of a node: where an edge explains its distance and the number of edges."""
    found = NO_NODE
    if hops[node] > 0 and dist[node] < float("inf"):
        for edge in k.steps(offsets[node], offsets[node + 1]):
            source = sources[edge]
            if hops[source] + 1 == hops[node] and dist[source] + weights[edge] == dist[node]:
                found = k.where(found < 0, source, found)
    return found


@k.kernel
def _relax_lengths(offsets: k.Array, sources: k.Array, weights: k.Array, dist: k.Array[1], node: k.Each):
    """The shortest way to a node over one more edge, and whether it is shorter."""
    best = dist[node]
    for edge in k.steps(offsets[node], offsets[node + 1]):
        best = min(best, dist[sources[edge]] + weights[edge])
    return best, best != dist[node]


def lengths(back: Rows, start: Any, most: int) -> Any:
    """Distances from those at the start, by relaxing all edges; nothing if they still change after so many steps."""
    nodes, dist = cp.arange(back.nodes, dtype=np.int32), start
    for number in range(most):
        dist, changed = _relax_lengths(*back, dist[..., None, :], nodes)
        if number % 8 == 7 and not bool(changed.any()):
            return dist
    return None


def relaxed(rows: Rows, start: Any) -> tuple[Any, Any]:
    """Distances and predecessors from the distances at the start, by relaxing all edges.

    Raises `NegativeCycleError` for those that still change after as many steps as there are nodes.
    """
    back, count = rows.transposed(), rows.nodes
    nodes = cp.arange(count, dtype=np.int32)
    dist = start
    hops = cp.where(cp.isinf(start), count + 1, 0).astype(np.int64)
    for number in range(count + 1):
        dist, hops, changed = _relax(*back, dist[..., None, :], hops[..., None, :], nodes)
        if (number % 8 == 7 or number == count) and not bool(changed.any()):
            return dist, _tight(*back, dist[..., None, :], hops[..., None, :], nodes).astype(np.int32)
    node = int(cp.nonzero(changed.any(axis=tuple(range(changed.ndim - 1))) if changed.ndim > 1 else changed)[0][0])
    raise NegativeCycleError(f"Negative cycle detected on node {node}")


def _sources(indices: Any, count: int) -> tuple[np.ndarray, tuple[int, ...]]:
    """The sources as a vector of nodes, and the shape that results begin with."""
    if indices is None:
        return np.arange(count, dtype=np.int64), (count,)
    indices = np.array(cp.asnumpy(indices) if isinstance(indices, cp.ndarray) else indices, dtype=np.int64)
    flat = np.where(indices < 0, indices + count, indices).reshape(-1)
    if np.any(flat < 0) or np.any(flat >= count):
        raise ValueError(f"indices out of range 0...N, got {indices!r} for {count} nodes")
    return flat, indices.shape


def heaps(rows: Rows, sources: Any, limit: float, banned: Any = None, dead: Any = None) -> tuple[Any, Any, Any]:
    """Distances, predecessors and origins for sets of sources (rows of a matrix), one thread for each."""
    shape = (sources.shape[0], rows.nodes)
    dist, before = cp.full(shape, np.inf), cp.full(shape, NO_NODE, np.int32)
    origin = cp.full(shape, NO_NODE, np.int32)
    banned = cp.zeros((1, 0), np.int32) if banned is None else banned
    sources = sources.astype(np.int32)
    # Heaps of so many sources at a time, so that they take little memory beside the results.
    step = shape[0] if dead is not None else max(routes.FEW_SOURCES, MOST_HEAPS // max(1, shape[1]))
    for start in range(0, shape[0], max(1, step)):
        part = slice(start, start + step)
        held = dist[part].shape
        place = cp.full(held, -1, np.int32) if dead is None else cp.where(dead, -2, -1).astype(np.int32)
        _paths(
            *rows,
            sources[part],
            banned,
            dist[part],
            before[part],
            origin[part],
            cp.empty(held, np.int32),
            place,
            float(limit),
            shape=held[:1],
        )
    return dist, before, origin


def prepared(csgraph: Any, directed: bool, unweighted: bool) -> Rows:
    rows = traversable(csgraph, directed)
    return rows.unweighted() if unweighted else rows


def _shaped(parts: tuple[Any, ...], shape: tuple[int, ...], count: int, return_predecessors: bool) -> Any:
    dist, before = (part.reshape(*shape, count) for part in parts)
    return (dist, before) if return_predecessors else dist


_COMMON = """
    Parameters
    ----------
    csgraph : (N, N) array or sparse array
        The lengths of edges.
    directed : bool
        Whether edges have a direction. Without, each may be gone along either way.
    indices : int or array of ints, optional
        The nodes that paths start from; all without it.
    return_predecessors : bool
        Whether to return predecessors.
    unweighted : bool
        Whether edges are counted instead of their lengths."""

_RETURNS = """
    Returns
    -------
    dist_matrix : (..., N) float64 array
        The lengths of the shortest paths to each node, infinite where there is none.
    predecessors : (..., N) int32 array
        The node before each on a shortest path, -9999 for those without. Only with `return_predecessors`."""


def _documented(function: Any) -> Any:
    function.__doc__ = function.__doc__.replace("COMMON", _COMMON.strip()).replace("RETURNS", _RETURNS.strip())
    return function


@own_device
@_documented
def dijkstra(
    csgraph: Any,
    directed: bool = True,
    indices: Any = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    limit: float = np.inf,
    min_only: bool = False,
) -> Any:
    """The shortest paths of a graph whose edges have no negative lengths.

    Each source has a thread with its own heap. On a GPU with few sources all edges are relaxed at once instead; steps
    then grow with the number of edges of the longest of the paths. With many sources and without predecessors, a GPU
    tries that for some steps first.

    COMMON
    limit : float
        Paths that are longer are not found.
    min_only : bool
        Whether the distance from the nearest of the sources is wanted.

    RETURNS
        With `min_only` there is one row.
    sources : (N,) int32 array
        The nearest source of each node, -9999 for none. Only with `return_predecessors` and `min_only`.

    Raises
    ------
    ValueError
        For graphs that are no square matrices, missing nodes, a negative limit.

    Warns
    -----
    UserWarning
        For negative lengths.

    Notes
    -----
    Source: Dijkstra 1959; `scipy.sparse.csgraph.dijkstra`.

    >>> graph = cp.array([[0, 1, 5], [0, 0, 2], [0, 0, 0]])
    >>> cp.scipy.sparse.csgraph.dijkstra(graph, indices=0)
    array([0., 1., 3.])
    """
    rows = prepared(csgraph, directed, unweighted)
    if not limit >= 0:
        raise ValueError(f"limit must be >= 0, got {limit}")
    sources, shape = _sources(indices, rows.nodes)
    if not unweighted and rows.weights.size and bool((rows.weights < 0).any()):
        warnings.warn(
            "Graph has negative weights: dijkstra will give inaccurate results if the graph contains negative cycles. "
            "Consider johnson or bellman_ford.",
            UserWarning,
            stacklevel=outside(),
        )
    return _nearest(rows, sources, shape, limit, min_only, return_predecessors)


def _nearest(rows: Rows, sources: np.ndarray, shape: Any, limit: float, min_only: bool, predecessors: bool) -> Any:
    """What `dijkstra` returns."""
    device = cp.asarray(sources)
    groups = device[None] if min_only else device[:, None]
    if min_only:
        shape = ()
    form = way("paths", rows.offsets, groups.shape[0])
    if form == "edges" and not min_only and is_nonnegative(rows):
        start = cp.where(cp.arange(rows.nodes) == groups, 0.0, np.inf)
        dist, before = relaxed(rows, start)
        far = dist > limit
        dist, before = cp.where(far, np.inf, dist), cp.where(far, NO_NODE, before)
        return _shaped((dist, before), shape, rows.nodes, predecessors)
    if form != "heaps" and not min_only and not predecessors and is_nonnegative(rows):
        found = _many(rows, groups)
        if found is not None:
            return cp.where(found > limit, np.inf, found).reshape(*shape, rows.nodes)
    if min_only and form != "heaps":
        # One heap: the host is faster.
        host = Host(*rows, groups)
        with host as moved:
            found = heaps(Rows(*moved[:3]), moved[3], limit)
        dist, before, origin = (part.to_device(host.home) for part in found)
    else:
        dist, before, origin = heaps(rows, groups, limit)
    if min_only and predecessors:
        return dist[0], before[0], origin[0]
    return _shaped((dist, before), shape, rows.nodes, predecessors)


def _many(rows: Rows, sources: Any) -> Any:
    """The distances from many sources, some at a time, if no path has many edges; else nothing."""
    back, dist = rows.transposed(), cp.empty((sources.shape[0], rows.nodes))
    step = max(routes.FEW_SOURCES, MOST_HEAPS // max(1, rows.nodes))
    for first in range(0, sources.shape[0], step):
        part = slice(first, first + step)
        found = lengths(back, cp.where(cp.arange(rows.nodes) == sources[part], 0.0, np.inf), MOST_STEPS)
        if found is None:
            return None
        dist[part] = found
    return dist


def is_nonnegative(rows: Rows) -> bool:
    return not bool((rows.weights < 0).any())


@own_device
@_documented
def bellman_ford(
    csgraph: Any,
    directed: bool = True,
    indices: Any = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Any:
    """The shortest paths of a graph whose edges may have negative lengths, by relaxing all edges at once.

    Steps grow with the number of edges of the longest of the paths; whether anything changed is read once every 8
    steps.

    COMMON

    RETURNS

    Raises
    ------
    ValueError
        For graphs that are no square matrices and missing nodes.
    NegativeCycleError
        For a cycle of negative length that a source reaches.

    Notes
    -----
    Source: Bellman 1958, Ford 1956; `scipy.sparse.csgraph.bellman_ford`.

    >>> graph = cp.array([[0, 1, 5], [0, 0, -2], [0, 0, 0]])
    >>> cp.scipy.sparse.csgraph.bellman_ford(graph, indices=0)
    array([ 0.,  1., -1.])
    """
    rows = prepared(csgraph, directed, unweighted)
    sources, shape = _sources(indices, rows.nodes)
    start = cp.where(cp.arange(rows.nodes) == cp.asarray(sources)[:, None], 0.0, np.inf)
    return _shaped(relaxed(rows, start), shape, rows.nodes, return_predecessors)


@own_device
@_documented
def johnson(
    csgraph: Any,
    directed: bool = True,
    indices: Any = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Any:
    """The shortest paths of a graph whose edges may have negative lengths, by potentials that make them positive.

    COMMON

    RETURNS

    Raises
    ------
    ValueError
        For graphs that are no square matrices and missing nodes.
    NegativeCycleError
        For a cycle of negative length.

    Notes
    -----
    Source: Johnson 1977; `scipy.sparse.csgraph.johnson`.

    >>> graph = cp.array([[0, 1, 5], [0, 0, -2], [0, 0, 0]])
    >>> cp.scipy.sparse.csgraph.johnson(graph, indices=0)
    array([ 0.,  1., -1.])
    """
    rows = prepared(csgraph, directed, unweighted)
    sources, shape = _sources(indices, rows.nodes)
    potential, _ = relaxed(rows, cp.zeros(rows.nodes))
    # Rounding must not make a length negative.
    lengths = cp.maximum(rows.weights + potential[rows.sources()] - potential[rows.targets], 0)
    dist, before = _nearest(rows._replace(weights=lengths), sources, (len(sources),), np.inf, False, True)
    dist = dist + potential - potential[cp.asarray(sources)][:, None]
    return _shaped((dist, before), shape, rows.nodes, return_predecessors)


@own_device
def shortest_path(
    csgraph: Any,
    method: str = "auto",
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: Any = None,
) -> Any:
    """The shortest paths of a graph.

    Parameters
    ----------
    method : {'auto', 'FW', 'D', 'BF', 'J'}
        `floyd_warshall`, `dijkstra`, `bellman_ford` or `johnson`. 'auto' takes the first for dense graphs and all
        sources, else the second, or the last where lengths are negative.

    Returns
    -------
    dist_matrix : (..., N) float64 array
        The lengths of the shortest paths to each node, infinite where there is none.
    predecessors : (..., N) int32 array
        The node before each on a shortest path, -9999 for those without. Only with `return_predecessors`.

    Raises
    ------
    ValueError
        For graphs that are no square matrices, unknown methods, and sources with 'FW'.
    NegativeCycleError
        For a cycle of negative length.

    Notes
    -----
    Source: `scipy.sparse.csgraph.shortest_path`.

    >>> cp.scipy.sparse.csgraph.shortest_path(cp.array([[0, 1, 5], [0, 0, 2], [0, 0, 0]]), indices=0)
    array([0., 1., 3.])
    """
    csgraph = square(csgraph)
    count = csgraph.shape[0]
    if method == "auto":
        if issparse(csgraph):
            weights, edges = rows_of(csgraph).weights, csgraph.nnz
        else:
            values, there = dense_of(csgraph)
            weights, edges = cp.where(there, values, 0), int(there.sum())
        if indices is None and edges * 4 >= count * count:
            method = "FW"
        else:
            method = "D" if weights.size == 0 or not bool((weights < 0).any()) else "J"
    if method == "FW":
        if indices is not None:
            raise ValueError("Cannot specify indices with method == 'FW'.")
        return floyd_warshall(csgraph, directed, return_predecessors, unweighted)
    functions = {"D": dijkstra, "BF": bellman_ford, "J": johnson}
    if method not in functions:
        raise ValueError(f"unrecognized method {method!r}")
    return functions[method](csgraph, directed, indices, return_predecessors, unweighted)
