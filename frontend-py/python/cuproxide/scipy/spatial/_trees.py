"""Balanced k-d trees in arrays, and the kernels that walk them.

The tree is complete: node `j` of level `l` holds the points at the positions from `j * n >> l` to `(j + 1) * n >> l` of
the tree's order, so no kernel reads where a node begins. Kernels keep the way back in the bits of one number: bit
`levels - l` says that the sibling of the current node's ancestor at level `l` is still to be visited.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.routes import way

# Up to so many axes the loops over them are written out.
_MOST_UNROLLED = 4
# From so many queries on they are sorted by leaf, so that neighbours walk the same nodes.
_SORTED_FROM = 2048
# Nodes of at most so many points are not divided further by queries.
_BUCKET = 32
# From so many neighbours on they are kept in a heap.
_HEAP_FROM = 17
# So many points within a radius are kept when they are counted, so that few queries go over the tree again.
_KEPT = 8


@dataclass(frozen=True)
class Space:
    """What kernels know of a space: the norm (1, 2, inf; 0 for another), axes if few, and whether it is periodic."""

    norm: float
    axes: int | None
    periodic: bool

    def along(self, m: Any) -> Any:
        """Iterates over the axes."""
        return range(self.axes) if self.axes is not None else k.steps(m)


def space(norm: float, axes: int, periodic: bool) -> Space:
    """The description of a space."""
    return Space(norm if norm in (1, 2, np.inf) else 0, axes if axes <= _MOST_UNROLLED else None, periodic)


@dataclass(frozen=True)
class Tree:
    """The arrays of a tree."""

    levels: int
    points: ndarray
    """Coordinates in the tree's order."""
    indices: ndarray
    """The number that each of them has in the data."""
    boxes: ndarray
    """The smallest and largest coordinates of each node, level by level."""
    dimensions: ndarray
    """The axis along which each inner node is split."""
    splits: ndarray
    """Where it is split."""

    @property
    def walked(self) -> int:
        """The level that queries take for leaves: to look at a few points more is cheaper than to go down further."""
        levels, n = self.levels, self.points.shape[0]
        while levels and n >> (levels - 1) <= _BUCKET:
            levels -= 1
        return levels


# --------------------------------------------------------------------------------------------------------------- build


@k.function
def _node_of(position, n, level):
    """The node of a level that holds a position."""
    return (((position + 1) << level) - 1) // n


@k.kernel
def _sort_keys(indices: k.Array[1], ranks: k.Array[2], dimensions: k.Array[1], n: int, level: int):
    """What the points of each node are sorted by: the node, then the rank along its axis."""
    node = _node_of(k.index(), n, level)
    return (node << 40) | ranks[dimensions[node + (1 << level) - 1], indices[k.index()]]


@k.kernel
def _from_keys(key: k.Each, sorted: k.Array[2], dimensions: k.Array[1], level: int):
    """The points in the order of their keys."""
    node = key >> 40
    return sorted[dimensions[node + (1 << level) - 1], key & ((1 << 40) - 1)]


@k.kernel
def _widest(cells: k.Array[3], dimensions: k.Out[1], level: int) -> None:
    """Chooses the axis along which the cell of a node is widest."""
    node = k.index() + (1 << level) - 1
    best, widest = 0, cells[node, 1, 0] - cells[node, 0, 0]
    for d in k.steps(1, cells.shape[2]):
        width = cells[node, 1, d] - cells[node, 0, d]
        if width > widest:
            best, widest = d, width
    dimensions[node] = best


@k.kernel
def _divide(data: k.Array[2], indices: k.Array[1], dimensions: k.Array[1], cells: k.Out[3], splits: k.Out[1],
            n: int, level: int) -> None:  # fmt: skip
    """Cuts the cells of nodes whose points are sorted."""
    j = k.index()
    node = j + (1 << level) - 1
    at = dimensions[node]
    split = data[indices[((2 * j + 1) * n) >> (level + 1)], at]
    splits[node] = split
    for d in k.steps(cells.shape[2]):
        low, high = cells[node, 0, d], cells[node, 1, d]
        cells[2 * node + 1, 0, d] = low
        cells[2 * node + 1, 1, d] = k.where(d == at, split, high)
        cells[2 * node + 2, 0, d] = k.where(d == at, split, low)
        cells[2 * node + 2, 1, d] = high


@k.kernel
def _leaf_boxes(points: k.Array[2], boxes: k.Out[3], n: int, level: int) -> None:
    """The extent of a leaf along an axis."""
    j, d = k.coordinates()
    first = (j * n) >> level
    low = points[first, d]
    high = low
    for i in k.steps(first + 1, ((j + 1) * n) >> level):
        low, high = min(low, points[i, d]), max(high, points[i, d])
    node = j + (1 << level) - 1
    boxes[node, 0, d] = low
    boxes[node, 1, d] = high


@k.kernel
def _inner_boxes(boxes: k.Out[3], level: int) -> None:
    """The extent of an inner node along an axis."""
    j, d = k.coordinates()
    node = j + (1 << level) - 1
    boxes[node, 0, d] = min(boxes[2 * node + 1, 0, d], boxes[2 * node + 2, 0, d])
    boxes[node, 1, d] = max(boxes[2 * node + 1, 1, d], boxes[2 * node + 2, 1, d])


def build(data: ndarray, leaf_size: int) -> Tree:
    """A tree of finite points. One sort of integers a level."""
    n, m = data.shape
    levels = 0
    while (n >> levels) > leaf_size or -(-n // (1 << levels)) > leaf_size:
        if n >> (levels + 1) == 0:
            break
        levels += 1
    nodes = (2 << levels) - 1
    boxes = (cp.empty if n else cp.zeros)((nodes, 2, m))
    dimensions, splits = cp.zeros(max(nodes, 1), np.int64), cp.zeros(max(nodes, 1))
    indices = cp.arange(n)
    if levels and m:
        columns = cp.ascontiguousarray(data.T)
        sorted = cp.argsort(columns, axis=1)
        ranks = cp.empty((m, n), np.int64)
        _invert(sorted, ranks, shape=(m, n))
        cells = cp.empty((nodes, 2, m))
        cells[0, 0] = data.min(axis=0)
        cells[0, 1] = data.max(axis=0)
        for level in range(levels):
            _widest(cells, dimensions, level, shape=(1 << level,))
            keys = cp.sort(_sort_keys(indices, ranks, dimensions, n, level, shape=(n,)))
            indices = _from_keys(keys, sorted, dimensions, level)
            _divide(data, indices, dimensions, cells, splits, n, level, shape=(1 << level,))
    points = data[indices]
    if n and m:
        _leaf_boxes(points, boxes, n, levels, shape=(1 << levels, m))
        for level in reversed(range(levels)):
            _inner_boxes(boxes, level, shape=(1 << level, m))
    return Tree(levels, points, indices, boxes, dimensions, splits)


@k.kernel
def _invert(sorted: k.Array[2], ranks: k.Out[2]) -> None:
    d, i = k.coordinates()
    ranks[d, sorted[d, i]] = i


# ----------------------------------------------------------------------------------------------------------- distances


@k.function
def _joined(total, along, p, norm):
    """A distance (its power, for norms that have one) with what another axis adds."""
    if norm == 1:
        total = total + along
    elif norm == 2:
        total = total + along * along
    elif norm == 0:
        total = total + along**p
    else:
        total = max(total, along)
    return total


@k.function
def _to_point(x, row, points, i, period, p, space):
    """The distance from a query to a point."""
    total = 0.0
    for d in space.along(points.shape[1]):
        along = abs(x[row, d] - points[i, d])
        if space.periodic:
            along = k.where(period[d] > 0.0, min(along, abs(period[d] - along)), along)
        total = _joined(total, along, p, space.norm)
    return total


@k.function
def _to_box(x, row, boxes, node, period, p, space):
    """The distance from a query to the nearest place of a node's box."""
    total = 0.0
    for d in space.along(boxes.shape[2]):
        at, low, high = x[row, d], boxes[node, 0, d], boxes[node, 1, d]
        along = max(max(low - at, at - high), 0.0)
        if space.periodic:
            around = max(min(low - at + period[d], at - high + period[d]), 0.0)
            along = k.where(period[d] > 0.0, min(along, around), along)
        total = _joined(total, along, p, space.norm)
    return total


@k.function
def _to_corner(x, row, boxes, node, period, p, space):
    """An upper bound of the distance from a query to any place of a node's box."""
    total = 0.0
    for d in space.along(boxes.shape[2]):
        at, low, high = x[row, d], boxes[node, 0, d], boxes[node, 1, d]
        along = max(abs(at - low), abs(high - at))
        if space.periodic:
            along = k.where(period[d] > 0.0, min(along, period[d] / 2), along)
        total = _joined(total, along, p, space.norm)
    return total


@k.function
def _next(pending, levels, level, j):
    """The node to visit next, when there is one: what is left, its level and number."""
    lowest = pending & -pending
    found = levels - k.bitwise_count(lowest - 1).astype(np.int64)
    return pending ^ lowest, found, (j >> (level - found)) ^ 1


# ------------------------------------------------------------------------------------------------------------- queries


@k.kernel
def _leaf_of(x: k.Array[2], dimensions: k.Array[1], splits: k.Array[1], levels: int):
    """The leaf in whose cell a query lies."""
    node = 0
    for _ in k.steps(levels):
        right = x[k.index(), dimensions[node]] >= splits[node]
        node = 2 * node + 1 + right.astype(np.int64)
    return node


def query_order(tree: Tree, x: ndarray) -> ndarray:
    """The order in which queries are made: those of one leaf together if there are many."""
    if x.shape[0] < _SORTED_FROM or tree.levels == 0 or x.shape[1] == 0:
        return cp.arange(x.shape[0])
    return cp.argsort(_leaf_of(x, tree.dimensions, tree.splits, tree.levels, shape=(x.shape[0],)))


@k.function
def _sift(distances, numbers, row, count, distance, number):
    """Replaces the largest element of a heap."""
    at, going = 0, True
    while going:
        child = 2 * at + 1
        if child >= count:
            going = False
        else:
            if child + 1 < count and distances[row, min(child + 1, count - 1)] > distances[row, child]:
                child += 1
            if distances[row, child] > distance:
                distances[row, at] = distances[row, child]
                numbers[row, at] = numbers[row, child]
                at = child
            else:
                going = False
    distances[row, at] = distance
    numbers[row, at] = number


@k.function
def _insert(distances, numbers, row, count, distance, number):
    """Puts a distance into a sorted row, whose last one leaves it."""
    at = count - 1
    while at > 0 and distances[row, max(at - 1, 0)] > distance:
        distances[row, at] = distances[row, at - 1]
        numbers[row, at] = numbers[row, at - 1]
        at -= 1
    distances[row, at] = distance
    numbers[row, at] = number


@k.kernel
def _nearest(x: k.Array[2], order: k.Array[1], points: k.Array[2], indices: k.Array[1], boxes: k.Array[3],
             period: k.Array[1], distances: k.Out[2], numbers: k.Out[2], n: int, levels: int, p: float, bound: float,
             factor: float, *, space: Space, kept: str) -> None:  # fmt: skip
    """The nearest points of a query. `kept`: the one, a sorted row, or a heap."""
    row = order[k.index()]
    count = distances.shape[1]
    worst, best = bound, n
    level, j, pending, going = 0, 0, 0, True
    while going:
        descends = False
        node = (1 << level) - 1 + j
        if level == levels:
            for i in k.steps((j * n) >> levels, ((j + 1) * n) >> levels):
                distance = _to_point(x, row, points, i, period, p, space)
                if distance < worst:
                    if kept == "one":
                        worst, best = distance, indices[i]
                    else:
                        if kept == "sorted":
                            _insert(distances, numbers, row, count, distance, indices[i])
                            worst = distances[row, count - 1]
                        else:
                            _sift(distances, numbers, row, count, distance, indices[i])
                            worst = distances[row, 0]
        else:
            left = _to_box(x, row, boxes, 2 * node + 1, period, p, space)
            right = _to_box(x, row, boxes, 2 * node + 2, period, p, space)
            limit = worst * factor
            if min(left, right) < limit:
                descends = True
                level += 1
                if max(left, right) < limit:
                    pending |= 1 << (levels - level)
                j = 2 * j + (right < left).astype(np.int64)
        while going and not descends:
            if pending == 0:
                going = False
            else:
                pending, level, j = _next(pending, levels, level, j)
                node = (1 << level) - 1 + j
                descends = _to_box(x, row, boxes, node, period, p, space) < worst * factor
    if kept == "one":
        distances[row, 0] = k.where(best == n, np.inf, worst)
        numbers[row, 0] = best


def nearest(
    tree: Tree, x: ndarray, period: ndarray, count: int, p: float, bound: float, eps: float, space: Space
) -> tuple[ndarray, ndarray]:
    """The `count` nearest points of each query in ascending order: distances (powers of them) and numbers."""
    n = tree.points.shape[0]
    distances = cp.full((x.shape[0], count), bound)
    numbers = cp.full((x.shape[0], count), n)
    kept = "one" if count == 1 else "sorted" if count < _HEAP_FROM else "heap"
    if n and count and x.shape[0]:
        order = query_order(tree, x)
        gathered = x.shape[0] >= _SORTED_FROM and way("queries gathered by leaf", x)
        rows, at = (x[order], cp.arange(x.shape[0])) if gathered else (x, order)
        _nearest(
            rows, at, tree.points, tree.indices, tree.boxes, period, distances, numbers, n, tree.walked,
            p, bound, power(1 / (1 + eps), p), space=space, kept=kept, shape=(x.shape[0],),
        )  # fmt: skip
        if gathered:
            # Back to the order of the queries.
            place = cp.empty_like(order)
            place[order] = at
            distances, numbers = distances[place], numbers[place]
    if kept == "heap":
        order = cp.argsort(distances, axis=1)
        distances, numbers = (cp.take_along_axis(a, order, 1) for a in (distances, numbers))
    # The bound stood where nothing was found.
    return cp.where(numbers == n, np.inf, distances), numbers


def power(distance: float, p: float) -> float:
    """What kernels compare instead of distances."""
    if p == np.inf or p == 1:
        return float(distance)
    try:
        return float(distance) ** p
    except OverflowError:
        return np.inf


def root(powers: ndarray, p: float) -> ndarray:
    """Distances from what kernels compare."""
    if p == np.inf or p == 1:
        return powers
    return cp.sqrt(powers) if p == 2 else powers ** (1 / p)


@k.kernel
def _within(x: k.Array[2], order: k.Array[1], radii: k.Array[1], points: k.Array[2], indices: k.Array[1],
            boxes: k.Array[3], period: k.Array[1], starts: k.Array[1], counts: k.Out[1], kept: k.Out[2],
            numbers: k.Out[1], distances: k.Out[1], n: int, levels: int, p: float, less: float, more: float,
            *, space: Space, fills: bool, measures: bool, later: bool, room: int) -> None:  # fmt: skip
    """Points within a radius (a power of one) of a query: counts them, or stores their numbers (and distances).

    With `later` the queries are the tree's points, and those after them in the tree's order count. What is counted is
    kept, if there is `room` for it, and not looked for again.
    """
    row = order[k.index()]
    radius = radii[row]
    total = 0
    start = starts[row] if fills else 0
    level, j, pending, going = 0, 0, 0, True
    if fills and room:
        found = counts[row]
        if found <= room:
            going = False
            for i in k.steps(found):
                numbers[start + i] = kept[row, i]
    if going and not _to_box(x, row, boxes, 0, period, p, space) <= radius * less:
        going = False
    while going:
        descends = False
        node = (1 << level) - 1 + j
        first, last = (j * n) >> level, ((j + 1) * n) >> level
        if later:
            first = max(first, row + 1)
        if first < last:
            # Of a leaf the points themselves are looked at.
            all_in = level < levels and _to_corner(x, row, boxes, node, period, p, space) < radius * more
            if all_in and not fills and total + last - first > room:
                total += last - first
            elif all_in or level == levels:
                for i in k.steps(first, last):
                    if fills and measures:
                        distance = _to_point(x, row, points, i, period, p, space)
                        if distance <= radius:
                            numbers[start + total] = indices[i]
                            distances[start + total] = distance
                            total += 1
                    elif all_in or _to_point(x, row, points, i, period, p, space) <= radius:
                        if fills:
                            numbers[start + total] = indices[i]
                        elif room:
                            if total < room:
                                kept[row, total] = indices[i]
                        total += 1
            else:
                left = _to_box(x, row, boxes, 2 * node + 1, period, p, space) <= radius * less
                right = _to_box(x, row, boxes, 2 * node + 2, period, p, space) <= radius * less
                if left or right:
                    descends = True
                    level += 1
                    if left and right:
                        pending |= 1 << (levels - level)
                    j = 2 * j + (~left).astype(np.int64)
        if not descends:
            if pending == 0:
                going = False
            else:
                pending, level, j = _next(pending, levels, level, j)
    if not fills:
        counts[row] = total


@k.kernel
def _heap_sort(begins: k.Each, ends: k.Each, numbers: k.Out[1]) -> None:
    """Sorts a range of numbers in place (Williams 1964): first into a heap, then its greatest one after another."""
    size = k.value(ends - begins, np.int64)
    start, last = size >> 1, size
    while last > 1:
        if start > 0:
            start -= 1
            moved = numbers[begins + start]
        else:
            last -= 1
            moved = numbers[begins + last]
            numbers[begins + last] = numbers[begins]
        hole, child = start, 2 * start + 1
        while child < last:
            if child + 1 < last:
                child += k.where(numbers[begins + child] < numbers[begins + child + 1], 1, 0)
            if numbers[begins + child] > moved:
                numbers[begins + hole] = numbers[begins + child]
                hole = child
                child = 2 * child + 1
            else:
                child = last
        numbers[begins + hole] = moved


def sorted_rows(counts: ndarray, numbers: ndarray) -> ndarray:
    """Numbers, one row of so many after another, sorted in each row: on a CPU in place, to save memory."""
    if way("neighbours sorted in place", numbers):
        ends = cp.cumsum(counts)
        _heap_sort(ends - counts, ends, numbers)
        return numbers
    rows = cp.repeat(cp.arange(counts.shape[0]), counts)
    return cp.sort((rows << 40) | numbers) & ((1 << 40) - 1)


def within(
    tree: Tree,
    x: ndarray,
    radii: ndarray,
    period: ndarray,
    p: float,
    eps: float,
    space: Space,
    later: bool = False,
    fills: bool = True,
    measures: bool = False,
    dtype: Any = np.int64,
) -> tuple[ndarray, ndarray, ndarray]:
    """Points within radii (powers of them) of queries: counts, and, one after another, their numbers and distances.

    Two launches: one counts, so that the other knows where to store. The first one keeps a few points of each query.
    """
    n, queries = tree.points.shape[0], x.shape[0]
    counts = cp.zeros(queries, np.int64)
    none = cp.zeros(1, np.int64)
    if not (n and queries):
        return counts, cp.empty(0, dtype), cp.empty(0)
    order = cp.arange(queries) if later else query_order(tree, x)
    same = (x, order, radii, tree.points, tree.indices, tree.boxes, period)
    sizes = (n, tree.walked, p, power(1 / (1 + eps), p), power(1 + eps, p))
    room = _KEPT if fills and not measures else 0
    kept = cp.empty((queries if room else 1, max(room, 1)), np.int64)
    _within(
        *same, none, counts, kept, cp.zeros(1, dtype), cp.zeros(1), *sizes,
        space=space, fills=False, measures=measures, later=later, room=room, shape=(queries,),
    )  # fmt: skip
    if not fills:
        return counts, none, cp.empty(0)
    ends = cp.cumsum(counts)
    total = int(ends[-1])
    numbers, distances = cp.empty(total, dtype), cp.empty(total if measures else 1)
    if total:
        _within(
            *same, ends - counts, counts, kept, numbers, distances, *sizes,
            space=space, fills=True, measures=measures, later=later, room=room, shape=(queries,),
        )  # fmt: skip
    return counts, numbers, distances


@k.kernel
def _weigh(x: k.Array[2], radii: k.Array[1], points: k.Array[2], boxes: k.Array[3], weights: k.Array[1],
           sums: k.Array[1], period: k.Array[1], n: int, levels: int, p: float,
           *, space: Space):  # fmt: skip
    """The weight of the points within each radius of a query. `sums` has the weights of nodes."""
    row, at = k.coordinates()
    radius = radii[at]
    total = weights[0] * 0
    level, j, pending, going = 0, 0, 0, True
    while going:
        descends = False
        node = (1 << level) - 1 + j
        if _to_corner(x, row, boxes, node, period, p, space) <= radius:
            total += sums[node]
        elif _to_box(x, row, boxes, node, period, p, space) <= radius:
            if level == levels:
                for i in k.steps((j * n) >> level, ((j + 1) * n) >> level):
                    if _to_point(x, row, points, i, period, p, space) <= radius:
                        total += weights[i]
            else:
                descends = True
                level += 1
                pending |= 1 << (levels - level)
                j = 2 * j
        if not descends:
            if pending == 0:
                going = False
            else:
                pending, level, j = _next(pending, levels, level, j)
    return total


@k.kernel
def _leaf_sums(weights: k.Array[1], sums: k.Out[1], n: int, level: int) -> None:
    j = k.index()
    total = weights[0] * 0
    for i in k.steps((j * n) >> level, ((j + 1) * n) >> level):
        total += weights[i]
    sums[j + (1 << level) - 1] = total


@k.kernel
def _inner_sums(sums: k.Out[1], level: int) -> None:
    node = k.index() + (1 << level) - 1
    sums[node] = sums[2 * node + 1] + sums[2 * node + 2]


def weigh(tree: Tree, x: ndarray, radii: ndarray, weights: ndarray, period: ndarray, p: float, space: Space) -> ndarray:
    """The weights of the points within each radius of each query, of shape (queries, radii)."""
    n = tree.points.shape[0]
    ordered = weights[tree.indices]
    sums = cp.zeros(tree.boxes.shape[0], weights.dtype)
    _leaf_sums(ordered, sums, n, tree.levels, shape=(1 << tree.levels,))
    for level in reversed(range(tree.levels)):
        _inner_sums(sums, level, shape=(1 << level,))
    return _weigh(
        x, radii, tree.points, tree.boxes, ordered, sums, period, n, tree.walked, p,
        space=space, shape=(x.shape[0], radii.shape[0]),
    )  # fmt: skip
