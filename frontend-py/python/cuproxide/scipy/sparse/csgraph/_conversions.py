"""Graphs between dense, masked and sparse forms, and what predecessors say."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ...._lib import kernel as k
from .. import issparse
from .._devices import own_device
from .._foreign import taken
from ._graphs import NO_NODE, checked_nodes, compressed, dense_edges, rows_of, rows_of_dense, square
from ._traversal import edge_weights, tree

__all__ = [
    "construct_dist_matrix",
    "csgraph_from_dense",
    "csgraph_from_masked",
    "csgraph_masked_from_dense",
    "csgraph_to_dense",
    "csgraph_to_masked",
    "reconstruct_path",
]


def _matrix(graph: Any) -> Any:
    graph = cp.asarray(graph)
    if graph.ndim != 2:
        raise ValueError(f"graph should have two dimensions, got {graph.ndim}")
    if graph.shape[0] != graph.shape[1]:
        raise ValueError(f"graph should be a square array, got {graph.shape}")
    return graph


@own_device
def csgraph_from_dense(
    graph: Any, null_value: float | None = 0, nan_null: bool = True, infinity_null: bool = True
) -> Any:
    """A sparse graph of a dense one.

    Parameters
    ----------
    null_value : float, optional
        What stands for no edge; exactly this number. SciPy takes all within 1e-8 and 1e-5 of its size for it.
    nan_null, infinity_null : bool
        Whether NaN and infinities stand for no edge as well.

    Notes
    -----
    Source: `scipy.sparse.csgraph.csgraph_from_dense`.

    >>> cp.scipy.sparse.csgraph.csgraph_from_dense(cp.array([[0, 2], [3, 0]])).data
    array([2., 3.])
    """
    graph = _matrix(graph)
    rows = rows_of_dense(graph, dense_edges(graph, null_value, nan_null, infinity_null))
    return compressed(rows.weights, rows.targets, rows.offsets, graph.shape)


@own_device
def csgraph_from_masked(graph: np.ma.MaskedArray) -> Any:
    """A sparse graph of a masked array on the host.

    Parameters
    ----------
    graph : (N, N) numpy.ma.MaskedArray
        The weights of edges; masked elements are no edges.

    Notes
    -----
    Source: `scipy.sparse.csgraph.csgraph_from_masked`.

    >>> masked = np.ma.masked_invalid([[np.nan, 2.0], [3.0, np.nan]])
    >>> cp.scipy.sparse.csgraph.csgraph_from_masked(masked).data
    array([2., 3.])
    """
    graph = np.ma.asarray(cp.asnumpy(graph) if isinstance(graph, cp.ndarray) else graph)
    values = _matrix(np.ma.getdata(graph))
    rows = rows_of_dense(values, ~cp.asarray(np.ma.getmaskarray(graph)))
    return compressed(rows.weights, rows.targets, rows.offsets, values.shape)


@own_device
def csgraph_masked_from_dense(
    graph: Any, null_value: float | None = 0, nan_null: bool = True, infinity_null: bool = True, copy: bool = True
) -> np.ma.MaskedArray:
    """A masked array on the host of a dense graph.

    Parameters
    ----------
    nan_null, infinity_null : bool
        Whether NaN and infinities stand for no edge as well.
    copy : bool
        Not used: the elements are copied to the host.

    Returns
    -------
    numpy.ma.MaskedArray
        The weights in the graph's dtype; where there is no edge they are masked.

    Notes
    -----
    Source: `scipy.sparse.csgraph.csgraph_masked_from_dense`.

    >>> cp.scipy.sparse.csgraph.csgraph_masked_from_dense(cp.array([[0, 2], [3, 0]])).sum()
    np.int64(5)
    """
    del copy
    graph = _matrix(graph)
    there = dense_edges(graph, null_value, nan_null, infinity_null)
    masked = np.ma.masked_array(cp.asnumpy(graph), ~cp.asnumpy(there))
    if null_value is not None and np.isfinite(null_value):
        masked.fill_value = null_value
    return masked


@k.kernel
def _least(offsets: k.Array, targets: k.Array, weights: k.Array, dense: k.Out, row: k.Each, empty: float):
    """Each row's smallest weights; an explicit infinity stays no edge."""
    for edge in k.steps(offsets[row], offsets[row + 1]):
        target = targets[edge]
        held = dense[row, target]
        if held == empty or weights[edge] < held or held != held:
            dense[row, target] = weights[edge]


@own_device
def csgraph_to_dense(csgraph: Any, null_value: float | None = 0) -> Any:
    """A dense graph of a sparse one.

    Parameters
    ----------
    csgraph : sparse array of shape (N, N)
        The graph. The lightest of several edges between two nodes counts.

    Returns
    -------
    (N, N) float64 array
        The weights.

    Raises
    ------
    ValueError
        For a graph that is not sparse or not square.

    Notes
    -----
    Source: `scipy.sparse.csgraph.csgraph_to_dense`.

    >>> graph = cp.scipy.sparse.csr_array(cp.array([[0.0, 2.0], [3.0, 0.0]]))
    >>> cp.scipy.sparse.csgraph.csgraph_to_dense(graph, null_value=cp.inf)
    array([[inf,  2.],
           [ 3., inf]])
    """
    csgraph = taken(csgraph)
    if not issparse(csgraph):
        raise ValueError("csgraph must be sparse")
    rows = rows_of(csgraph)
    empty = np.nan if null_value is None else float(null_value)
    # The mark of places without an edge is no number of the graph: edges that weigh as much as it stay edges.
    out = cp.full((rows.nodes, rows.nodes), np.inf)
    _least(*rows, out, cp.arange(rows.nodes), np.inf)
    if np.isinf(empty) and empty > 0:
        return out
    there = cp.zeros((rows.nodes, rows.nodes), bool)
    there[rows.sources(), rows.targets] = True
    return cp.where(there, out, empty)


@own_device
def csgraph_to_masked(csgraph: Any) -> np.ma.MaskedArray:
    """A masked array on the host of a sparse graph.

    Parameters
    ----------
    csgraph : sparse array of shape (N, N)
        The graph.

    Returns
    -------
    numpy.ma.MaskedArray
        The weights in float64; where there is no edge they are masked.

    Raises
    ------
    ValueError
        For a graph that is not sparse or not square.

    Notes
    -----
    Source: `scipy.sparse.csgraph.csgraph_to_masked`.

    >>> graph = cp.scipy.sparse.csr_array(cp.array([[0.0, 2.0], [3.0, 0.0]]))
    >>> cp.scipy.sparse.csgraph.csgraph_to_masked(graph).sum()
    np.float64(5.0)
    """
    return np.ma.masked_invalid(cp.asnumpy(csgraph_to_dense(csgraph, np.nan)))


@own_device
def reconstruct_path(csgraph: Any, predecessors: Any, directed: bool = True) -> Any:
    """The tree that predecessors describe, with the weights of the graph.

    Parameters
    ----------
    csgraph : (N, N) array or sparse array
        The graph from which the predecessors come.
    predecessors : (N,) array of integers
        The predecessor of each node, negative for none.

    Returns
    -------
    sparse array in CSR format
        The edges from the predecessors to their nodes.

    Raises
    ------
    ValueError
        For graphs that are no square matrices and another number of predecessors.

    Notes
    -----
    Source: `scipy.sparse.csgraph.reconstruct_path`.

    >>> graph = cp.array([[0, 1, 2], [0, 0, 3], [0, 0, 0]])
    >>> cp.scipy.sparse.csgraph.reconstruct_path(graph, cp.array([-9999, 0, 1])).toarray()
    array([[0., 1., 0.],
           [0., 0., 3.],
           [0., 0., 0.]])
    """
    return tree(square(csgraph), predecessors, directed)


@k.kernel
def _double(before: k.Array[1], lengths: k.Array[1], node: k.Each):
    """Joins the path to a node with that to where it starts."""
    start = before[node]
    total = lengths[node]
    if start >= 0:
        total += lengths[start]
        start = before[start]
    return start, total


@own_device
def construct_dist_matrix(graph: Any, predecessors: Any, directed: bool = True, null_value: float = np.inf) -> Any:
    """The lengths of the paths that predecessors describe.

    Parameters
    ----------
    graph : (N, N) array or sparse array
        The graph.
    predecessors : (N, N) array of integers
        For each source (row) the predecessor of each node on the path from it, negative for none.
    null_value : float
        The distance of nodes without a path.

    Returns
    -------
    (N, N) float64 array
        The lengths.

    Raises
    ------
    ValueError
        For other shapes.

    Notes
    -----
    Source: `scipy.sparse.csgraph.construct_dist_matrix`.

    >>> graph = cp.array([[0, 1, 0], [0, 0, 2], [0, 0, 0]])
    >>> before = cp.array([[-9999, 0, 1], [-9999, -9999, 1], [-9999, -9999, -9999]])
    >>> cp.scipy.sparse.csgraph.construct_dist_matrix(graph, before)
    array([[ 0.,  1.,  3.],
           [inf,  0.,  2.],
           [inf, inf,  0.]])
    """
    rows = rows_of(graph)
    count = rows.nodes
    predecessors = cp.asarray(predecessors)
    if predecessors.dtype.kind == "c":
        raise TypeError(f"predecessors must be nodes, got {predecessors.dtype}")
    before = checked_nodes("predecessors", predecessors, count)
    if before.shape != (count, count):
        raise ValueError(f"graph and predecessors must have the same shape, got {(count, count)} and {before.shape}")
    nodes = cp.broadcast_to(cp.arange(count, dtype=np.int32), (count, count))
    known = before >= 0
    lengths = cp.where(known, edge_weights(rows, cp.where(known, before, 0), nodes, directed), 0)
    # Paths double: after k steps each is known over 2**k edges.
    paths = cp.where(known, before, NO_NODE)
    for _ in range(max(1, count).bit_length()):
        paths, lengths = _double(paths[:, None, :], lengths[:, None, :], nodes)
    own = nodes == cp.arange(count, dtype=np.int32)[:, None]
    return cp.where(own, 0, cp.where(known, lengths, null_value))
