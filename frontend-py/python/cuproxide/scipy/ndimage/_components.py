"""Connected components by union-find: runs along lines that touch are joined by atomics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.routes import way
from . import _windows as win

Offsets = tuple[tuple[int, ...], ...]


def half(structure: np.ndarray, center: Sequence[int]) -> Offsets:
    """Where the neighbours of an element lie that come before it in C order; the structure is symmetric."""
    offsets = [tuple(int(p - c) for p, c in zip(place, center, strict=True)) for place in np.argwhere(structure)]
    return tuple(offset for offset in offsets if offset < (0,) * len(offset))


@k.function
def neighbour(at, shape, offset):
    """Whether an element has a neighbour at an offset, and its position in C order."""
    inside, position = True, 0
    for coordinate, length, step in zip(at, shape, offset, strict=True):
        moved = coordinate + step
        if step < 0:
            inside = inside & (moved >= 0)
        elif step > 0:
            inside = inside & (moved < length)
        position = position * length + moved
    return inside, position


@k.function
def _root(parent, position, shorten):
    """The root of a run's tree. With `shorten` each run on the way is moved up, which others that follow need not do:
    of runs that are joined at the same time, trees become long chains.
    """
    above = parent[position].astype("int64")
    while above != position:
        top = parent[above].astype("int64")
        if shorten and top != above:
            parent.min(position, top)
        position, above = above, top
    return position


def _starts_of_views(views: Sequence[Any], _: Any, key: Any) -> Any:
    here, before = views
    return here & ~before


def _pairs_of_views(views: Sequence[Any], _: Any, key: Any) -> Any:
    """Where two runs begin to lie beside each other; `key` says whether an element between would join them, too."""
    if len(views) == 2:
        return views[0] & views[1]
    here, other, before, before_other, *between = views
    found = here & other & ~(before & before_other)
    return found & ~between[0] if key else found


@k.function
def _join(i, ids, parent, changed, apart, shorten):
    a, b, tries = ids[i].astype("int64") - 1, ids[i + apart].astype("int64") - 1, 0
    a, b = _root(parent, a, shorten), _root(parent, b, shorten)
    while a != b and tries < 4:
        low, high = k.minimum(a, b), k.maximum(a, b)
        parent.min(high, low)
        changed[0] = 1
        a, b, tries = _root(parent, high, shorten), _root(parent, low, shorten), tries + 1


@k.kernel
def _hooked(pairs: k.Array[1], ids: k.Array[1], parent: k.Out[1], apart: int):
    """Hangs each run below the first one that it lies beside: a cheap beginning, while all runs are roots."""
    i = k.index()
    if pairs[i]:
        a, b = ids[i].astype("int64") - 1, ids[i + apart].astype("int64") - 1
        parent.min(k.maximum(a, b), k.minimum(a, b))


@k.kernel
def _joined(pairs: k.Array[1], ids: k.Array[1], parent: k.Out[1], changed: k.Out[1], apart: int):
    """Puts runs that lie beside each other into one tree, whose root is its first run.

    An update may undo another one: atomics give no values back. So launches follow until one changes nothing.
    """
    i = k.index()
    if pairs[i]:
        _join(i, ids, parent, changed, apart, True)


@k.kernel
def _joined_places(places: k.Array[1], ids: k.Array[1], parent: k.Out[1], changed: k.Out[1], apart: int):
    """The same for the places of the pairs alone."""
    _join(places[k.index()], ids, parent, changed, apart, False)


@k.kernel
def _flattened(parent: k.Out[1], *, shorten):
    """Makes each run point to its root."""
    me = k.index()
    parent[me] = _root(parent, me, shorten).astype(parent.dtype)


@k.kernel
def _of_runs(foreground: k.Each, number: k.Each, values: k.Array[1], *, dtype: str):
    """What `values` have for the run of each element, 0 where there is no foreground."""
    value = values[k.maximum(number - 1, 0)]
    return k.where(foreground, value, k.value(0, values.dtype)).astype(dtype)


class Components:
    """The connected components of a C-contiguous array of truth values.

    Runs along lines have numbers in C order, and those that touch are joined. `roots` has for each run the first run of
    its component once `changed`, which the caller reads, is 0: the first rounds of joining almost always do. More
    follow by `join`. The host waits for the number of runs.
    """

    def __init__(self, foreground: ndarray, offsets: Offsets) -> None:
        self.foreground, shape = foreground, foreground.shape
        along = (0,) * (len(shape) - 1)
        in_line = (*along, -1) in offsets
        reach = [max((abs(offset[axis]) for offset in offsets), default=0) for axis in range(len(shape))]
        reach[-1] += 1
        wide = win.extended(foreground, [(n, n) for n in reach], ["constant"] * len(shape), False)

        def view(*offset: int) -> ndarray:
            return win.view(wide, [a + b for a, b in zip(reach, offset, strict=True)], shape)

        starts = foreground
        if in_line:
            starts = win.combined(_starts_of_views, [foreground, view(*along, -1)])
        self.ids = starts.reshape(-1).cumsum(dtype=np.int32 if foreground.size < 2**31 - 2 else np.int64)
        pairs = []
        for *line, step in offsets:
            if in_line and (*line, step) == (*along, -1):
                continue
            views, is_between = [foreground, view(*line, step)], False
            if in_line:
                views += [view(*along, -1), view(*line, step - 1)]
                is_between = step != 0 and (*line, 0) in offsets
                views += [view(*line, 0)] if is_between else []
            apart = int(np.dot([*line, step], np.cumprod([1, *shape[:0:-1]])[::-1]))
            pairs.append((win.combined(_pairs_of_views, views, key=is_between).reshape(-1), apart))
        self.count = int(self.ids[-1])
        self.roots = _core.arange(0, 1, self.count, self.ids.dtype)
        join, beside = _joined, way("components in launches", foreground)
        if not beside:
            # Processors look for the few pairs in vectors, and wait for nothing.
            join, pairs = _joined_places, [(where.nonzero()[0], apart) for where, apart in pairs]
        self._pairs, self._join, self._beside = pairs, join, beside
        if self.count and pairs and beside:
            for where, apart in pairs:
                _hooked(where, self.ids, self.roots, apart, shape=where.shape)
            _flattened(self.roots, shape=(self.count,), shorten=True)
        self.join(3 if beside else 2)

    def join(self, rounds: int = 2) -> None:
        """Rounds of joining."""
        self.changed = _core.zeros(1, self.roots.dtype)
        if not self.count or not self._pairs:
            return
        for _ in range(rounds):
            self.changed = _core.zeros(1, self.roots.dtype)
            for where, apart in self._pairs:
                self._join(where, self.ids, self.roots, self.changed, apart, shape=where.shape)
            _flattened(self.roots, shape=(self.count,), shorten=self._beside)

    def settle(self) -> None:
        """Joins until `roots` are final."""
        while int(self.changed[0]):
            self.join()

    def spread(self, values: ndarray, out: ndarray) -> ndarray:
        """What each run has, as elements."""
        ids = self.ids.reshape(self.foreground.shape)
        if not self.count:
            out[...] = 0
            return out
        return _of_runs(self.foreground, ids, values, out=out, dtype=out.dtype.name)


@k.kernel
def _marked(foreground: k.Each, source: k.Each, number: k.Each, roots: k.Array[1], marks: k.Out[1]):
    if source and foreground:
        marks[roots[number - 1]] = True


def reached(foreground: ndarray, sources: ndarray, offsets: Offsets) -> ndarray:
    """The elements of the foreground whose component has a source."""
    found = Components(foreground, offsets)
    result = _core.empty(foreground.shape, np.bool_)
    if not found.count:
        return found.spread(found.roots, result)
    found.settle()
    marks = _core.zeros(found.count, np.bool_)
    _marked(foreground, sources, found.ids.reshape(foreground.shape), found.roots, marks)
    return found.spread(marks[found.roots], result)


@k.kernel
def _spread(state: k.Out[1], within: k.Array, changed: k.Out[1], *, offsets: Offsets):
    """Sets elements that have a neighbour which is set, also those set meanwhile."""
    at, me = k.coordinates(), k.index()
    if within[at] and not state[me]:
        found = False
        for offset in offsets:
            inside, other = neighbour(at, within.shape, offset)
            found = found or (inside and state[k.where(inside, other, 0)])
        if found:
            state[me] = True
            changed[0] = 1


_SWEEPS = 16


def spread(state: ndarray, within: ndarray, offsets: Offsets) -> ndarray:
    """Sets elements in `within` that have a neighbour which is set, until nothing changes: for one-way neighbours.

    The host waits once for a number of launches. `state` is C-contiguous, and changed.
    """
    flat = state.reshape(-1)
    while True:
        changed = _core.zeros(1, np.int32)
        for _ in range(_SWEEPS):
            _spread(flat, within, changed, shape=within.shape, offsets=offsets)
        if not int(changed[0]):
            return state
