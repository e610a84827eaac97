"""Connected components by union-find: neighbours are joined by atomics, then each element looks up its root."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib import kernel as k

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
def _root(parent, position):
    above = parent[position].astype("int64")
    while above != position:
        position = above
        above = parent[position].astype("int64")
    return position


@k.kernel
def _started(foreground: k.Each, *, dtype: str):
    return k.where(foreground, k.index(), -1).astype(dtype)


@k.kernel
def _joined(foreground: k.Array, parent: k.Out[1], changed: k.Out[1], *, offsets: Offsets):
    """Puts elements and their neighbours into one tree, whose root is its first element.

    An update may undo another one: atomics give no values back. So launches follow until one changes nothing.
    """
    at, me = k.coordinates(), k.index()
    if foreground[at]:
        for offset in offsets:
            inside, other = neighbour(at, foreground.shape, offset)
            if inside and parent[k.where(inside, other, 0)] >= 0:
                a, b, tries = _root(parent, me), _root(parent, other), 0
                while a != b and tries < 4:
                    low, high = k.minimum(a, b), k.maximum(a, b)
                    parent.min(high, low)
                    changed[0] = 1
                    a, b, tries = _root(parent, high), _root(parent, low), tries + 1


@k.kernel
def _flattened(foreground: k.Each, parent: k.Out[1]):
    """Makes each element point to its root."""
    if foreground:
        parent[k.index()] = _root(parent, k.index())


def roots(foreground: ndarray, offsets: Offsets) -> ndarray:
    """For each element of a C-contiguous array of truth values the position of the first element of its component.

    The position is that in C order, and -1 for what is not foreground. The host waits once for each round of joining,
    of which there are two almost always.
    """
    dtype = np.int32 if foreground.size < 2**31 - 2 else np.int64
    parent = _started(foreground, dtype=np.dtype(dtype).name).reshape(-1)
    if not offsets:
        return parent.reshape(foreground.shape)
    while True:
        for _ in range(2):
            changed = _core.zeros(1, np.int32)
            _joined(foreground, parent, changed, shape=foreground.shape, offsets=offsets)
            _flattened(foreground, parent, shape=foreground.shape)
        if not int(changed[0]):
            return parent.reshape(foreground.shape)


def reached(foreground: ndarray, sources: ndarray, offsets: Offsets) -> ndarray:
    """The elements of the foreground whose component has a source."""
    found = roots(foreground, offsets)
    marks = _core.zeros(foreground.size, np.bool_)
    _marked(found, sources, marks, shape=foreground.shape)
    return _looked_up(found, marks, shape=foreground.shape)


@k.kernel
def _marked(root: k.Each, source: k.Each, marks: k.Out[1]):
    if source and root >= 0:
        marks[root] = True


@k.kernel
def _looked_up(root: k.Each, marks: k.Array[1]):
    return (root >= 0) & marks[k.maximum(root, 0)]


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


@functools.cache
def is_symmetric(structure: bytes, shape: tuple[int, ...]) -> bool:
    """Whether an array of truth values is its own mirror image."""
    values: Any = np.frombuffer(structure, bool).reshape(shape)
    return bool((values == np.flip(values)).all())
