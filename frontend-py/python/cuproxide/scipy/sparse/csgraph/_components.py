"""Connected components: by hooking and shortcuts, by colours, and by Tarjan's search on the host."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ...._lib import kernel as k
from ...._lib.routes import way
from .._devices import own_device
from ._graphs import Rows, rows_of

__all__ = ["connected_components"]


@k.kernel
def _hook(parents: k.Out, source: k.Each, target: k.Each):
    """Hangs the higher one of two trees below the lower one; returns whether there were two."""
    a, b = parents[source], parents[target]
    if a != b:
        parents.min(max(a, b), min(a, b))
    return a != b


@k.kernel
def _shorten(parents: k.Out, node: k.Each):
    """Hangs a node directly below its root."""
    root = parents[node]
    while parents[root] != root:
        root = parents[root]
    parents[node] = root


def _hooked(rows: Rows) -> Any:
    """The smallest node of each node's component."""
    parents = cp.arange(rows.nodes, dtype=np.int32)
    nodes, sources = cp.arange(rows.nodes, dtype=np.int32), rows.sources()
    while True:
        # Both halves of a pair of steps count: nothing changes after the last one.
        for _ in range(2):
            changed = _hook(parents, sources, rows.targets)
            _shorten(parents, nodes)
        if not bool(changed.any()):
            return parents


@k.kernel
def _joined(offsets: k.Array, targets: k.Array, parents: k.Out, count: int):
    """Union of sets, in one thread; a set is known by its smallest node."""
    for node in k.steps(count):
        parents[node] = node
    for node in k.steps(count):
        for edge in k.steps(offsets[node], offsets[node + 1]):
            a, b = parents[node], targets[edge] + 0
            while parents[a] != a:
                parents[a] = parents[parents[a]]
                a = parents[a]
            while parents[b] != b:
                parents[b] = parents[parents[b]]
                b = parents[b]
            parents[max(a, b)] = min(a, b)
    for node in k.steps(count):
        # Parents are smaller, so theirs is the root already.
        parents[node] = parents[parents[node]]


@k.kernel
def _tarjan(
    offsets: k.Array,
    targets: k.Array,
    count: int,
    number: k.Out,
    low: k.Out,
    places: k.Out,
    path: k.Out,
    stack: k.Out,
    label: k.Out,
):
    """Strongly connected components in one thread (Tarjan 1972): the smallest node of each is its label."""
    clock, held = 1, 0
    for start in k.steps(count):
        depth = 0
        if number[start] == 0:
            path[0] = start
            places[start] = offsets[start]
            number[start] = clock
            low[start] = clock
            clock += 1
            stack[held] = start
            held += 1
            depth = 1
        while depth > 0:
            node = path[depth - 1]
            edge = places[node]
            if edge < offsets[node + 1]:
                places[node] = edge + 1
                target = targets[edge]
                if number[target] == 0:
                    number[target] = clock
                    low[target] = clock
                    clock += 1
                    places[target] = offsets[target]
                    stack[held] = target
                    held += 1
                    path[depth] = target
                    depth += 1
                elif label[target] < 0:
                    low[node] = min(low[node], number[target])
            else:
                depth -= 1
                if depth > 0:
                    above = path[depth - 1]
                    low[above] = min(low[above], low[node])
                if low[node] == number[node]:
                    # The members lie on the stack from the node on.
                    first = held - 1
                    smallest = node
                    while stack[first] != node:
                        smallest = min(smallest, stack[first])
                        first -= 1
                    for at in k.steps(first, held):
                        label[stack[at]] = smallest
                    held = first


@k.kernel
def _spread(offsets: k.Array, sources: k.Array, colors: k.Out, labels: k.Array, node: k.Each):
    """Takes the smallest colour of the nodes with edges to a node that has no label yet; returns whether it is new."""
    changed = False
    if labels[node] < 0:
        color = colors[node]
        for edge in k.steps(offsets[node], offsets[node + 1]):
            source = sources[edge]
            if labels[source] < 0:
                color = min(color, colors[source])
        changed = color != colors[node]
        if changed:
            colors.min(node, color)
    return changed


@k.kernel
def _gather(offsets: k.Array, targets: k.Array, colors: k.Array, reached: k.Out, labels: k.Array, node: k.Each):
    """Reaches back from the nodes that gave their colours, inside a colour."""
    changed = False
    if labels[node] < 0 and not reached[node]:
        for edge in k.steps(offsets[node], offsets[node + 1]):
            target = targets[edge]
            if labels[target] < 0 and colors[target] == colors[node] and reached[target]:
                changed = True
        if changed:
            reached[node] = True
    return changed


def _settled(step: Any) -> None:
    """Repeats a step that returns flags, until none is set; they are read once every 8 steps."""
    while True:
        for _ in range(8):
            changed = step()
        if not bool(changed.any()):
            return


def _colored(rows: Rows) -> Any:
    """The smallest node of each node's strongly connected component.

    Colours spread along the edges, the smaller ones first. A node that keeps its own is the smallest of a component,
    whose members reach it (Orzan 2004). What is found leaves the graph.
    """
    back, count = rows.transposed(), rows.nodes
    nodes = cp.arange(count, dtype=np.int32)
    labels = cp.full(count, -1, np.int32)
    while True:
        colors = nodes.copy()
        _settled(lambda colors=colors, labels=labels: _spread(back.offsets, back.targets, colors, labels, nodes))
        reached = (colors == nodes) & (labels < 0)
        _settled(
            lambda colors=colors, reached=reached, labels=labels: _gather(
                rows.offsets, rows.targets, colors, reached, labels, nodes
            )
        )
        labels = cp.where(reached, colors, labels)
        if not bool((labels < 0).any()):
            return labels


def _searched(rows: Rows) -> Any:
    """The smallest node of each node's strongly connected component, in one thread."""
    count = rows.nodes
    number, low, path, stack = (cp.zeros(count, np.int32) for _ in range(4))
    places, label = cp.zeros(count, rows.offsets.dtype), cp.full(count, -1, np.int32)
    _tarjan(rows.offsets, rows.targets, count, number, low, places, path, stack, label, shape=())
    return label


@own_device
def connected_components(
    csgraph: Any, directed: bool = True, connection: str = "weak", return_labels: bool = True
) -> Any:
    """The connected components of a graph.

    On a GPU weak components come of hooking trees and shortening their paths, strong ones of colours that spread along
    the edges; launches grow with the logarithm of the nodes and the length of the longest of the shortest paths. A CPU
    joins sets and searches in one thread.

    Parameters
    ----------
    directed : bool
        Whether edges have a direction.
    connection : {'weak', 'strong'}
        Whether nodes of a directed graph are connected if there is a path in either direction, or only by paths in
        both.
    return_labels : bool
        Whether to return labels.

    Returns
    -------
    n_components : int
        The number of components.
    labels : (N,) int32 array
        The component of each node, numbered by their smallest nodes. Only with `return_labels`.

    Raises
    ------
    ValueError
        For graphs that are no square matrices and other connections.

    Notes
    -----
    Source: Shiloach and Vishkin 1982, Tarjan 1972; `scipy.sparse.csgraph.connected_components`.

    >>> graph = cp.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]])
    >>> cp.scipy.sparse.csgraph.connected_components(graph, directed=False)
    (2, array([0, 0, 1], dtype=int32))
    """
    if connection.lower() not in ("weak", "strong"):
        raise ValueError(f"connection must be 'weak' or 'strong', got {connection!r}")
    rows = rows_of(csgraph)
    if rows.nodes == 0:
        return (0, cp.zeros(0, np.int32)) if return_labels else 0
    roots = components(rows, directed and connection.lower() == "strong")
    # Each is known by its smallest node: that it is its own root says so.
    numbers = cp.cumsum(roots == cp.arange(rows.nodes, dtype=np.int32), dtype=np.int32)
    found = int(numbers[-1])
    if not return_labels:
        return found
    return found, numbers[roots] - 1


def components(rows: Rows, strong: bool) -> Any:
    """The smallest node of each node's component."""
    if strong:
        return _colored(rows) if way("strong components", rows.offsets) == "colours" else _searched(rows)
    if way("weak components", rows.offsets) == "hooks":
        return _hooked(rows)
    parents = cp.empty(rows.nodes, np.int32)
    _joined(rows.offsets, rows.targets, parents, rows.nodes, shape=())
    return parents
