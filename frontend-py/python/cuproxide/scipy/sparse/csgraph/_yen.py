"""The K shortest paths between two nodes."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ...._lib.arguments import is_integer
from .._devices import own_device
from ._graphs import NO_NODE, Host, Rows
from ._shortest import heaps, is_nonnegative, prepared, relaxed
from ._traversal import edge_weights

__all__ = ["yen"]


@own_device
def yen(
    csgraph: Any,
    source: int,
    sink: int,
    K: int,
    *,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Any:
    """The K shortest paths between two nodes that meet no node twice.

    It runs on the host; on a GPU the edges are copied there. Each further path takes one launch for all its deviations.

    Parameters
    ----------
    csgraph : (N, N) array or sparse array
        The lengths of edges; there must be no cycle of negative length.
    source, sink : int
        The ends of the paths.
    K : int
        How many paths.
    directed : bool
        Whether edges have a direction. Without, each may be gone along either way.

    Returns
    -------
    dist_array : (M,) float64 array
        The lengths of the M <= K paths, ascending.
    predecessors : (M, N) int32 array
        The node before each on each path, -9999 for those without. Only with `return_predecessors`.

    Raises
    ------
    ValueError
        For graphs that are no square matrices and missing nodes.
    NegativeCycleError
        For a cycle of negative length.

    Notes
    -----
    Source: Yen 1971; `scipy.sparse.csgraph.yen`.

    >>> graph = cp.array([[0, 1, 2, 0], [0, 0, 0, 1], [0, 0, 0, 3], [0, 0, 0, 0]])
    >>> cp.scipy.sparse.csgraph.yen(graph, 0, 3, 2)
    array([2., 5.])
    """
    rows = prepared(csgraph, directed, unweighted)
    count = rows.nodes
    if not (0 <= source < count and 0 <= sink < count):
        raise ValueError(
            f"For csgraph with shape (N, N), must have 0 <= source < N and 0 <= sink < N. Got N={count}, "
            f"source={source}, sink={sink}."
        )
    if not is_integer(K):
        raise TypeError(f"expected a single integer for `K`, got {K!r}")
    host = Host(*rows)
    with host as moved:
        # From a node to itself there is the path that goes nowhere.
        paths = _k_shortest(Rows(*moved), source, sink, int(K)) if source != sink else [(0.0, [source])]
    lengths = cp.asarray(np.array([length for length, _ in paths], dtype=np.float64))
    if not return_predecessors:
        return lengths
    before = np.full((len(paths), count), NO_NODE, np.int32)
    for row, (_, path) in zip(before, paths, strict=True):
        row[path[1:]] = path[:-1]
    return lengths, cp.asarray(before)


def _k_shortest(rows: Rows, source: int, sink: int, K: int) -> list[tuple[float, list[int]]]:
    """The paths with their lengths."""
    potential = np.zeros(rows.nodes)
    if not is_nonnegative(rows):
        found, _ = relaxed(rows, cp.zeros(rows.nodes))
        lengths = cp.maximum(rows.weights + found[rows.sources()] - found[rows.targets], 0)
        rows, potential = rows._replace(weights=lengths), cp.asnumpy(found)
    shift = float(potential[sink] - potential[source])
    dist, before, _ = (cp.asnumpy(part) for part in heaps(rows, cp.asarray([[source]]), np.inf))
    if K < 1 or not np.isfinite(dist[0, sink]):
        return []
    taken = [(float(dist[0, sink]), _walk(before[0], source, sink))]
    waiting: dict[tuple[int, ...], float] = {}
    while len(taken) < K:
        path = taken[-1][1]
        spurs = path[:-1]
        banned = [
            sorted({other[i + 1] for _, other in taken if other[: i + 1] == path[: i + 1] and len(other) > i + 1})
            for i in range(len(spurs))
        ]
        width = max(len(nodes) for nodes in banned)
        table = np.full((len(spurs), width), -1, np.int32)
        dead = np.zeros((len(spurs), rows.nodes), bool)
        for i, nodes in enumerate(banned):
            table[i, : len(nodes)] = nodes
            dead[i, path[:i]] = True
        found = heaps(rows, cp.asarray(np.array(spurs))[:, None], np.inf, cp.asarray(table), cp.asarray(dead))
        dist, before, _ = (cp.asnumpy(part) for part in found)
        roots = _lengths_along(rows, path)
        for i, spur in enumerate(spurs):
            if np.isfinite(dist[i, sink]):
                whole = tuple(path[:i] + _walk(before[i], spur, sink))
                waiting.setdefault(whole, roots[i] + float(dist[i, sink]))
        for _, known in taken:
            waiting.pop(tuple(known), None)
        if not waiting:
            break
        best = min(waiting, key=lambda nodes: (waiting[nodes], nodes))
        taken.append((waiting.pop(best), list(best)))
    return [(length + shift, path) for length, path in taken]


def _lengths_along(rows: Rows, path: list[int]) -> np.ndarray:
    """The length of a path up to each of its nodes."""
    sources, targets = (cp.asarray(np.array(part, dtype=np.int64)) for part in (path[:-1], path[1:]))
    return np.concatenate([[0.0], np.cumsum(cp.asnumpy(edge_weights(rows, sources, targets, True)))])


def _walk(before: np.ndarray, source: int, sink: int) -> list[int]:
    path = [sink]
    while path[-1] != source:
        path.append(int(before[path[-1]]))
    return path[::-1]
