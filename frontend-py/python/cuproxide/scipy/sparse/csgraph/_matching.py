"""Matchings of bipartite graphs, on the host."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import cuproxide as cp

from ...._lib import kernel as k
from .._devices import outside, own_device
from ._graphs import on_host, own_parts, require_sparse
from ._heap import fall, rise

__all__ = ["maximum_bipartite_matching", "min_weight_full_bipartite_matching", "structural_rank"]


@k.kernel
def _match(
    offsets: k.Array,
    columns: k.Array,
    rows: int,
    column_of: k.Out,
    row_of: k.Out,
    level: k.Out,
    queue: k.Out,
    place: k.Out,
    path: k.Out,
):
    """A matching with the most edges (Hopcroft and Karp 1973)."""
    growing = True
    while growing:
        head, tail = 0, 0
        for row in k.steps(rows):
            level[row] = -1
            place[row] = offsets[row]
            if column_of[row] < 0:
                level[row] = 0
                queue[tail] = row
                tail += 1
        free = False
        while head < tail:
            row = queue[head]
            head += 1
            for edge in k.steps(offsets[row], offsets[row + 1]):
                other = row_of[columns[edge]]
                if other < 0:
                    free = True
                elif level[other] < 0:
                    level[other] = level[row] + 1
                    queue[tail] = other
                    tail += 1
        growing = free
        if free:
            growing = False
            for start in k.steps(rows):
                depth = 0
                searching = column_of[start] < 0
                path[0] = start
                while searching:
                    row = path[depth]
                    edge, end = place[row], offsets[row + 1]
                    if edge < end:
                        other = row_of[columns[edge]]
                        if other < 0:
                            # The edges of the path change their sides.
                            for at in k.steps(depth + 1):
                                taken = columns[place[path[at]]]
                                column_of[path[at]] = taken
                                row_of[taken] = path[at]
                            growing = True
                            searching = False
                        elif level[other] == level[row] + 1:
                            depth += 1
                            path[depth] = other
                        else:
                            place[row] = edge + 1
                    else:
                        level[row] = -1
                        searching = depth > 0
                        depth = max(depth - 1, 0)
                        if searching:
                            place[path[depth]] += 1


def _matching(graph: Any) -> tuple[Any, Any]:
    """The column of each row and the row of each column, -1 for none."""
    rows, columns = graph.shape

    def work(offsets: Any, targets: Any) -> tuple[Any, Any]:
        column_of, row_of = cp.full(rows, -1, np.int32), cp.full(columns, -1, np.int32)
        level, queue, path = (cp.zeros(rows + 1, np.int32) for _ in range(3))
        place = cp.zeros(rows + 1, offsets.dtype)
        _match(offsets, targets, rows, column_of, row_of, level, queue, place, path, shape=())
        return column_of, row_of

    return on_host(work, *own_parts(graph)[:2])


@own_device
def maximum_bipartite_matching(graph: Any, perm_type: str = "row") -> Any:
    """A matching with the most edges between the rows and the columns of a matrix.

    It runs on the host, one thread; on a GPU the pattern is copied there. Each stored element is an edge.

    Parameters
    ----------
    graph : sparse array
        The edges; their weights do not count.
    perm_type : {'row', 'column'}
        Whether to return the row of each column, or the column of each row.

    Returns
    -------
    int32 array
        The partners, -1 for none.

    Raises
    ------
    TypeError
        For a graph that is not sparse.
    ValueError
        For another `perm_type`.

    Notes
    -----
    Source: Hopcroft and Karp 1973; `scipy.sparse.csgraph.maximum_bipartite_matching`.

    >>> graph = cp.scipy.sparse.csr_array(cp.array([[1, 1], [1, 0]]))
    >>> cp.scipy.sparse.csgraph.maximum_bipartite_matching(graph, perm_type='column')
    array([1, 0], dtype=int32)
    """
    graph = require_sparse(graph, "graph must be sparse").tocsr()
    if perm_type not in ("row", "column"):
        raise ValueError(f"perm_type must be 'row' or 'column', got {perm_type!r}")
    column_of, row_of = _matching(graph)
    return row_of if perm_type == "row" else column_of


@own_device
def structural_rank(graph: Any) -> Any:
    """The largest rank that a matrix with this pattern can have.

    It runs on the host, one thread; on a GPU the pattern is copied there. Each stored element counts.

    Parameters
    ----------
    graph : sparse array
        The pattern.

    Returns
    -------
    int
        The rank.

    Raises
    ------
    TypeError
        For a graph that is not sparse.

    Notes
    -----
    Source: `scipy.sparse.csgraph.structural_rank`.

    >>> int(cp.scipy.sparse.csgraph.structural_rank(cp.scipy.sparse.csr_array(cp.array([[1, 1], [0, 0]]))))
    1
    """
    graph = require_sparse(graph, "Input must be sparse").tocsr()
    return np.int64(int((_matching(graph)[0] >= 0).sum()))


@k.kernel
def _assign(
    offsets: k.Array,
    columns: k.Array,
    weights: k.Array,
    rows: int,
    u: k.Out,
    v: k.Out,
    column_of: k.Out,
    row_of: k.Out,
    dist: k.Out,
    origin: k.Out,
    heap: k.Out,
    place: k.Out,
    touched: k.Out,
):
    """A matching of all rows with the smallest weight, by shortest augmenting paths with potentials.

    Returns whether there is one. `place` is -1 for columns that a search has not met, and -2 for those that are done.
    """
    # Columns start at 0, which those that stay free must have; rows at their smallest weight, so none is negative. A
    # row whose best column is free needs no search.
    for row in k.steps(rows):
        least = float("inf")
        best = -1
        for edge in k.steps(offsets[row], offsets[row + 1]):
            if weights[edge] < least:
                least = weights[edge]
                best = columns[edge] + 0
        u[row] = k.where(best >= 0, least, 0.0)
        if best >= 0:
            if row_of[best] < 0:
                row_of[best] = row
                column_of[row] = best
    complete = True
    for start in k.steps(rows):
        row = start + 0
        base = 0.0
        size, met = 0, 0
        end = -1
        searching = complete and column_of[start] < 0
        while searching:
            for edge in k.steps(offsets[row], offsets[row + 1]):
                column = columns[edge]
                if place[column] != -2:
                    length = base + (weights[edge] - u[row] - v[column])
                    if place[column] == -1 or length < dist[column]:
                        dist[column] = length
                        origin[column] = row
                        at = place[column] + 0
                        if at < 0:
                            touched[met] = column
                            met += 1
                            at = size + 0
                            size += 1
                        rise(heap, place, dist, at, column)
            if size == 0:
                complete = False
                searching = False
            else:
                column = heap[0]
                size -= 1
                place[column] = -2
                if size > 0:
                    fall(heap, place, dist, size)
                base = dist[column]
                if row_of[column] < 0:
                    end = column + 0
                    searching = False
                else:
                    row = row_of[column] + 0
        if end >= 0:
            u[start] += base
            for i in k.steps(met):
                column = touched[i]
                if place[column] == -2 and column != end:
                    u[row_of[column]] += base - dist[column]
                    v[column] -= base - dist[column]
            climbing = True
            while climbing:
                row = origin[end] + 0
                before = column_of[row] + 0
                row_of[end] = row
                column_of[row] = end
                end = before
                climbing = row != start
        for i in k.steps(met):
            place[touched[i]] = -1
    return complete


@own_device
def min_weight_full_bipartite_matching(biadjacency: Any, maximize: bool = False) -> tuple[Any, Any]:
    """A matching of all rows, or all columns if these are fewer, with the smallest sum of weights.

    It runs on the host, one thread; on a GPU the matrix is copied there.

    Parameters
    ----------
    biadjacency : sparse array
        The weights of edges between rows and columns. Stored zeros are no edges.
    maximize : bool
        Whether the largest sum is wanted.

    Returns
    -------
    row_ind, col_ind : arrays
        The rows, ascending, and their columns. One to each of the fewer is int64, the others are int32, as in SciPy.

    Raises
    ------
    TypeError
        For a matrix that is not sparse.
    ValueError
        If there is no such matching.

    Warns
    -----
    ComplexWarning
        For complex weights, of which the real parts count.
    UserWarning
        For stored zeros.

    Notes
    -----
    Source: Jonker and Volgenant 1987; `scipy.sparse.csgraph.min_weight_full_bipartite_matching`.

    >>> weights = cp.scipy.sparse.csr_array(cp.array([[3.0, 1.0], [1.0, 2.0]]))
    >>> cp.scipy.sparse.csgraph.min_weight_full_bipartite_matching(weights)[1]
    array([1, 0], dtype=int32)
    """
    graph = require_sparse(biadjacency, "graph must be sparse")
    if np.dtype(graph.dtype).kind == "c":
        warnings.warn("complex weights lose their imaginary parts", np.exceptions.ComplexWarning, stacklevel=outside())
        graph = graph.real
    graph = graph.astype(np.float64).tocsr()
    rows, columns = graph.shape
    wide = rows <= columns
    graph = (graph if wide else graph.T.tocsr()).copy()
    if bool((graph.data == 0).any()):
        warnings.warn("explicit zero weights are removed before matching", UserWarning, stacklevel=outside())
        graph.eliminate_zeros()
    if 0 in graph.shape:
        return cp.zeros(0, np.int64), cp.zeros(0, np.int32)
    offsets, targets, weights = own_parts(graph)
    if maximize:
        weights = -weights
    few, many = graph.shape

    def work(offsets: Any, targets: Any, weights: Any) -> tuple[Any, Any]:
        u, v = cp.zeros(few), cp.zeros(many)
        column_of, row_of = cp.full(few, -1, np.int32), cp.full(many, -1, np.int32)
        dist, place = cp.zeros(many), cp.full(many, -1, np.int32)
        origin, heap, touched = (cp.zeros(many, np.int32) for _ in range(3))
        complete = _assign(
            offsets, targets, weights, few, u, v, column_of, row_of, dist, origin, heap, place, touched, shape=()
        )
        return column_of, complete

    column_of, complete = on_host(work, offsets, targets, weights)
    if not bool(complete):
        raise ValueError("no full matching exists")
    if wide:
        return cp.arange(rows), column_of
    order = cp.argsort(column_of)
    return column_of[order], order
