"""Graphs as compressed rows on the device, and where sequential algorithms run.

A dense matrix has an edge where an element is finite and not 0; a sparse one where an element is stored, also a 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import cuproxide as cp

from ...._lib.routes import way
from .. import issparse
from .._foreign import taken

__all__ = ["NegativeCycleError"]

NO_NODE = -9999
"""What stands for no predecessor."""


class NegativeCycleError(Exception):
    """A cycle of negative length: the shortest paths have no bound.

    >>> raise cp.scipy.sparse.csgraph.NegativeCycleError("Negative cycle in nodes [0 1]")
    Traceback (most recent call last):
    ...
    cuproxide.scipy.sparse.csgraph.NegativeCycleError: Negative cycle in nodes [0 1]
    """

    def __init__(self, message: str = "") -> None:
        Exception.__init__(self, message)


NegativeCycleError.__module__ = "cuproxide.scipy.sparse.csgraph"


class Rows(NamedTuple):
    """The edges that leave each node: int32 or int64 offsets and targets, with float64 weights."""

    offsets: Any
    targets: Any
    weights: Any

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return self.offsets.shape[0] - 1

    def sources(self) -> Any:
        """The node that each edge leaves."""
        return expand(self.offsets, self.targets.shape[0])

    def unweighted(self) -> Rows:
        return self._replace(weights=cp.ones_like(self.weights))

    def transposed(self) -> Rows:
        """The edges that enter each node, in the order of their sources."""
        order = cp.argsort(self.targets, kind="stable")
        return Rows(offsets_of(self.targets[order], self.nodes), self.sources()[order], self.weights[order])

    def both_ways(self) -> Rows:
        """The edges of each node in either direction: those that leave it first."""
        targets, sources = (
            cp.concatenate([self.targets, self.sources()]),
            cp.concatenate([self.sources(), self.targets]),
        )
        weights = cp.concatenate([self.weights, self.weights])
        order = cp.argsort(sources, kind="stable")
        return Rows(offsets_of(sources[order], self.nodes), targets[order], weights[order])


def checked_nodes(name: str, nodes: Any, count: int) -> Any:
    """Numbers of nodes as int32, negative ones for none: an error for a node that the graph does not have, one read."""
    nodes = cp.asarray(nodes)
    if nodes.size and not bool((nodes < count).all()):
        raise ValueError(f"{name} must be nodes from 0 to {count - 1}, or negative for none")
    return cp.maximum(nodes, -1).astype(np.int32) if nodes.dtype.kind in "if" else nodes.astype(np.int32)


def expand(offsets: Any, stored: int) -> Any:
    """The row of each stored element."""
    places = cp.arange(stored, dtype=offsets.dtype)
    return (cp.searchsorted(offsets, places, side="right") - 1).astype(offsets.dtype, copy=False)


def offsets_of(rows: Any, count: int) -> Any:
    """The offsets of sorted row numbers."""
    return cp.searchsorted(rows, cp.arange(count + 1, dtype=rows.dtype)).astype(rows.dtype, copy=False)


def dense_edges(graph: Any, null_value: Any = 0, nan_null: bool = True, infinity_null: bool = True) -> Any:
    """Where a dense matrix has edges."""
    there = cp.ones(graph.shape, bool)
    if null_value is not None:
        if np.isnan(null_value):
            nan_null = True
        elif np.isinf(null_value):
            infinity_null = True
        else:
            there = graph != null_value
    if graph.dtype.kind in "fc":
        if nan_null:
            there = there & ~cp.isnan(graph)
        if infinity_null:
            there = there & ~cp.isinf(graph)
    return there


def rows_of_dense(graph: Any, there: Any) -> Rows:
    """The rows of a matrix, with edges where `there` says."""
    sources, targets = cp.nonzero(there)
    values = graph[sources, targets].astype(np.float64, copy=False)
    sources, targets = sources.astype(np.int32), targets.astype(np.int32)
    return Rows(offsets_of(sources, graph.shape[0]), targets, values)


def dense_of(graph: Any) -> tuple[Any, Any]:
    """A dense graph or a masked array as float64, and where it has edges."""
    if isinstance(graph, np.ma.MaskedArray):
        values = cp.asarray(np.ma.getdata(graph).astype(np.float64))
        return values, ~cp.asarray(np.ma.getmaskarray(graph))
    values = cp.asarray(graph)
    if values.ndim != 2:
        raise ValueError("compressed-sparse graph must be 2-D")
    values = values.astype(np.float64, copy=False)
    return values, dense_edges(values)


def square(graph: Any) -> Any:
    """The graph, or `ValueError` if it is no square matrix."""
    graph = taken(graph)
    graph = graph if issparse(graph) or isinstance(graph, np.ma.MaskedArray) else cp.asarray(graph)
    if graph.ndim != 2:
        raise ValueError("compressed-sparse graph must be 2-D")
    if graph.shape[0] != graph.shape[1]:
        raise ValueError(f"compressed-sparse graph must be shape (N, N), got {graph.shape}")
    return graph


def sparse_rows(graph: Any) -> Rows:
    """The rows of a sparse matrix as they are stored."""
    offsets, targets, weights = own_parts(graph.tocsr())
    return Rows(offsets, targets, weights.astype(np.float64, copy=False))


def own_parts(graph: Any) -> tuple[Any, Any, Any]:
    """Offsets, targets and elements of a compressed graph.

    Searches end because the graph stays as it is. So these are copies, which no other thread of the program writes to,
    and indices that one has written since they were checked are kept inside.
    """
    data, indices, indptr = graph._parts
    majors, minors = graph._lengths
    if indptr.size != majors + 1 or indices.size != data.size:
        raise ValueError("the graph changed while it was read")
    offsets = cp.clip(cp.maximum.accumulate(indptr), 0, indices.size)
    return offsets, cp.clip(indices, 0, max(minors - 1, 0)), data


def rows_of(graph: Any) -> Rows:
    """The rows of a square graph in any form."""
    graph = square(graph)
    return sparse_rows(graph) if issparse(graph) else rows_of_dense(*dense_of(graph))


def traversable(graph: Any, directed: bool) -> Rows:
    """The edges of each node: those that leave it, and without direction those that enter it as well."""
    graph = square(graph)
    if directed:
        return rows_of(graph)
    # The columns of CSC are rows without a conversion. SciPy takes them so too: nodes are met in the same order.
    return rows_of(graph.T if issparse(graph) and graph.format == "csc" else graph).both_ways()


def compressed(values: Any, targets: Any, offsets: Any, shape: tuple[int, int], like: Any = None) -> Any:
    """A sparse array of compressed rows; a sparse matrix where `like` is one."""
    from .. import csr_array, csr_matrix, isspmatrix

    kind = csr_matrix if like is not None and isspmatrix(like) else csr_array
    return kind((values, targets, offsets), shape=shape)


def from_edges(sources: Any, targets: Any, weights: Any, count: int, like: Any = None) -> Any:
    """A sparse array with these edges, in the order of their sources and then targets."""
    order = cp.argsort(sources.astype(np.int64) * count + targets, kind="stable")
    offsets = offsets_of(sources[order], count)
    return compressed(weights[order], targets[order], offsets, (count, count), like)


def require_sparse(graph: Any, message: str) -> Any:
    graph = taken(graph)
    if not issparse(graph):
        raise TypeError(message)
    return graph


class Host:
    """The host's device: `with Host(...) as arrays` has arrays there, and what is made inside lies there too.

    Sequential algorithms are kernels of one point. They run on the host whatever the arrays' device is, since one
    thread of a GPU is slow: their operands and results are copied.
    """

    def __init__(self, *arrays: Any) -> None:
        self.home = arrays[0].device
        self.arrays = arrays
        self.device = self.home if way("loops of one thread", arrays[0]) == "here" else cp.Device("cpu:0")

    def __enter__(self) -> list[Any]:
        self.device.__enter__()
        return [array.to_device(self.device) for array in self.arrays]

    def __exit__(self, *error: Any) -> None:
        self.device.__exit__(*error)


def on_host(work: Callable[..., Any], *arrays: Any) -> Any:
    """What `work` returns for arrays on the host: an array or a tuple of arrays, on the device that they came from."""
    host = Host(*arrays)
    with host as moved:
        results = work(*moved)
        if isinstance(results, tuple):
            return tuple(result.to_device(host.home) for result in results)
        return results.to_device(host.home)
