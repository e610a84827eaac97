"""Maximum flows, by Dinic's algorithm on the host."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

import cuproxide as cp

from ...._lib import kernel as k
from .. import csr_array, csr_matrix, isspmatrix
from .._devices import own_device
from ._graphs import expand, offsets_of, on_host, own_parts, require_sparse

__all__ = ["maximum_flow"]


class MaximumFlowResult:
    """A maximum flow: its value, and for each edge what flows, with negative flows against the edges.

    >>> graph = cp.scipy.sparse.csr_array(cp.array([[0, 5], [0, 0]]))
    >>> cp.scipy.sparse.csgraph.maximum_flow(graph, 0, 1)
    MaximumFlowResult with value of 5
    """

    def __init__(self, flow_value: int, flow: Any) -> None:
        self.flow_value = flow_value
        self.flow = flow

    def __repr__(self) -> str:
        return f"MaximumFlowResult with value of {self.flow_value}"


@k.kernel
def _dinic(
    offsets: k.Array,
    targets: k.Array,
    reverse: k.Array,
    left: k.Out,
    source: int,
    sink: int,
    count: int,
    level: k.Out,
    queue: k.Out,
    place: k.Out,
    path: k.Out,
):
    """Takes what can flow from `left`, what edges can still carry."""
    growing = True
    while growing:
        for node in k.steps(count):
            level[node] = -1
            place[node] = offsets[node]
        level[source] = 0
        queue[0] = source
        head, tail = 0, 1
        while head < tail and level[sink] < 0:
            node = queue[head]
            head += 1
            for edge in k.steps(offsets[node], offsets[node + 1]):
                target = targets[edge]
                if left[edge] > 0 and level[target] < 0:
                    level[target] = level[node] + 1
                    queue[tail] = target
                    tail += 1
        growing = level[sink] >= 0
        # A blocking flow: paths along rising levels. The queue holds the nodes of the path from now on.
        queue[0] = source
        depth = 0
        searching = growing
        while searching:
            node = queue[depth]
            if node == sink:
                least = left[path[0]]
                first = 0
                for at in k.steps(1, depth):
                    if left[path[at]] < least:
                        least = left[path[at]]
                        first = at + 0
                for at in k.steps(depth):
                    edge = path[at]
                    left[edge] -= least
                    left[reverse[edge]] += least
                # The first edge that is full ends what can be kept of the path.
                depth = first
            else:
                edge, end = place[node], offsets[node + 1]
                closed = True
                while closed and edge < end:
                    if left[edge] > 0 and level[targets[edge]] == level[node] + 1:
                        closed = False
                    else:
                        edge += 1
                place[node] = edge
                if closed:
                    level[node] = -1
                    searching = depth > 0
                    depth = max(depth - 1, 0)
                else:
                    path[depth] = edge
                    depth += 1
                    queue[depth] = targets[edge]


@own_device
def maximum_flow(csgraph: Any, source: int, sink: int, *, method: str = "dinic") -> MaximumFlowResult:
    """The largest flow from one node to another that the capacities of edges allow.

    It runs on the host, one thread; on a GPU the edges are copied there.

    Parameters
    ----------
    csgraph : (N, N) sparse array in CSR format, of integers
        The capacities of edges.
    source, sink : int
        Where the flow comes from and goes to.
    method : {'dinic', 'edmonds_karp'}
        Accepted as SciPy's names; both take Dinic's algorithm.

    Returns
    -------
    MaximumFlowResult
        `flow_value`, an int, and `flow`, a sparse array in CSR format: what flows along each edge and, negative,
        against it.

    Raises
    ------
    TypeError
        If the graph is not in CSR format, or a node is no integer.
    ValueError
        For capacities that are no integers, matrices that are not square, missing nodes or equal, and
        unknown methods.

    Notes
    -----
    Source: Dinic 1970; `scipy.sparse.csgraph.maximum_flow`.

    >>> graph = cp.scipy.sparse.csr_array(cp.array([[0, 3, 2], [0, 0, 1], [0, 0, 0]]))
    >>> cp.scipy.sparse.csgraph.maximum_flow(graph, 0, 2).flow_value
    3
    """
    csgraph = require_sparse(csgraph, "graph must be in CSR format")
    if csgraph.format != "csr":
        raise TypeError("graph must be in CSR format")
    if np.dtype(csgraph.dtype).kind not in "iu":
        raise ValueError(f"graph capacities must be integers, got {csgraph.dtype}")
    count = csgraph.shape[0]
    if csgraph.shape != (count, count):
        raise ValueError(f"graph must be specified as a square matrix, got {csgraph.shape}")
    source, sink = operator.index(source), operator.index(sink)
    for name, node in (("source", source), ("sink", sink)):
        if not 0 <= node < count:
            raise ValueError(f"{name} value ({node}) must be between 0 and {count - 1}")
    if source == sink:
        raise ValueError("source and sink vertices must differ")
    if method not in ("dinic", "edmonds_karp"):
        raise ValueError(f"{method} method is not supported yet.")
    offsets, targets, capacities = _with_reverse(csgraph, count)
    width = np.int64(max(count, 1))
    sources = expand(offsets, targets.shape[0]).astype(np.int64)
    reverse = cp.searchsorted(sources * width + targets, targets.astype(np.int64) * width + sources)

    def work(offsets: Any, targets: Any, reverse: Any, capacities: Any) -> Any:
        left = capacities.copy()
        level, queue, path = (cp.zeros(count + 1, np.int32) for _ in range(3))
        place, path = cp.zeros(count, offsets.dtype), cp.zeros(count + 1, offsets.dtype)
        _dinic(offsets, targets, reverse, left, source, sink, count, level, queue, place, path, shape=())
        return capacities - left

    flow = on_host(work, offsets, targets, reverse, capacities)
    value = int(cp.where(sources == source, flow, 0).sum())
    # No flow exceeds its edge's capacity. SciPy has int32 throughout; what does not fit there stays right here.
    most = int(abs(flow).max()) if flow.size else 0
    kind = np.int32 if most <= np.iinfo(np.int32).max else np.int64
    matrix = csr_matrix if isspmatrix(csgraph) else csr_array
    return MaximumFlowResult(value, matrix((flow.astype(kind), targets, offsets), shape=(count, count)))


def _with_reverse(graph: Any, count: int) -> tuple[Any, Any, Any]:
    """The edges in both directions, sorted and without duplicates, with their capacities."""
    offsets, targets, capacities = own_parts(graph)
    sources = expand(offsets, targets.shape[0])
    keys = cp.concatenate([sources.astype(np.int64) * count + targets, targets.astype(np.int64) * count + sources])
    values = cp.concatenate([capacities.astype(np.int64), cp.zeros(capacities.shape[0], np.int64)])
    if keys.shape[0] == 0:
        return offsets, targets, values
    order = cp.argsort(keys, kind="stable")
    keys, values = keys[order], values[order]
    first = cp.concatenate([cp.ones(1, bool), keys[1:] != keys[:-1]])
    starts = cp.nonzero(first)[0]
    totals = cp.add.reduceat(values, starts)
    keys = keys[starts]
    kind = targets.dtype
    return offsets_of((keys // count).astype(kind), count), (keys % count).astype(kind), totals
