"""Connected components by union-find: neighbours are joined by atomics, then each element looks up its root."""

from __future__ import annotations

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


def chunk_of(a: ndarray) -> int:
    """How many elements of a line one thread takes: one on a GPU, on a CPU so many that little is done twice."""
    return 1 if a.device.asynchronous else min(a.shape[-1], 4096)


def chunked(shape: Sequence[int], chunk: int) -> tuple[int, ...]:
    """The shape of a launch over parts of lines."""
    return (*shape[:-1], -(-shape[-1] // chunk))


@k.function
def part(n, chunk):
    """The place of a line, its first element in C order, and where a part of it begins and ends."""
    *line, number = k.coordinates()
    number = number * chunk
    return line, number, k.minimum(number + chunk, n)


@k.function
def _line_start(line, shape):
    position = k.value(0)
    for coordinate, length in zip(line, shape, strict=False):
        position = position * length + coordinate
    return position * shape[-1]


@k.kernel
def _started(foreground: k.Array, parent: k.Out[1], chunk: int, *, in_line: bool):
    """Each element points to the first one of its run in this part of the line."""
    line, start, end = part(foreground.shape[-1], chunk)
    base = _line_start(line, foreground.shape)
    first, before = base, k.value(False)
    for i in k.steps(start, end):
        here = foreground[(*line, i)]
        if not (before and here and in_line):
            first = base + i
        parent[base + i] = k.where(here, first, -1).astype(parent.dtype)
        before = here


@k.function
def _join(parent, changed, a, b):
    a, b, tries = _root(parent, a), _root(parent, b), 0
    while a != b and tries < 4:
        low, high = k.minimum(a, b), k.maximum(a, b)
        parent.min(high, low)
        changed[0] = 1
        a, b, tries = _root(parent, high), _root(parent, low), tries + 1


@k.kernel
def _joined(
    foreground: k.Array,
    parent: k.Out[1],
    changed: k.Out[1],
    chunk: int,
    *,
    in_line: bool,
    beside: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...],
):
    """Puts elements and their neighbours into one tree, whose root is its first element.

    `beside` has for each line before this one how far along it neighbours are. Where elements that follow each other are
    connected, two runs are joined once, where they begin to lie beside each other.

    An update may undo another one: atomics give no values back. So launches follow until one changes nothing.
    """
    shape = foreground.shape
    n = shape[-1]
    line, start, end = part(n, chunk)
    base = _line_start(line, shape)
    others = [neighbour(line, shape[:-1], offset) for offset, _ in beside]
    for i in k.steps(start, end):
        if foreground[(*line, i)]:
            before = False
            if in_line:
                before = foreground[(*line, k.maximum(i - 1, 0))] and i > 0
                if before and i == start:
                    _join(parent, changed, base + i, base + i - 1)
            for (inside, other), (_, steps) in zip(others, beside, strict=True):
                if inside:
                    for step in steps:
                        j = i + step
                        there = (j >= 0) & (j < n)
                        if there and parent[other * n + k.clamp(j, 0, n - 1)] >= 0:
                            needed = True
                            if in_line:
                                # The elements before both were joined already.
                                at = other * n + k.clamp(j - 1, 0, n - 1)
                                needed = not (before and j > 0 and parent[at] >= 0)
                                if step != 0 and 0 in steps:
                                    # So was the one between.
                                    needed = needed and parent[other * n + i] < 0
                            if needed:
                                _join(parent, changed, base + i, other * n + j)


@k.kernel
def _flattened(foreground: k.Array, parent: k.Out[1], chunk: int, *, in_line: bool):
    """Makes each element point to its root."""
    line, start, end = part(foreground.shape[-1], chunk)
    base = _line_start(line, foreground.shape)
    root, before = k.value(-1), k.value(False)
    for i in k.steps(start, end):
        here = foreground[(*line, i)]
        if here:
            if not (before and in_line):
                root = _root(parent, base + i)
            parent[base + i] = root.astype(parent.dtype)
        before = here


def roots(foreground: ndarray, offsets: Offsets) -> ndarray:
    """For each element of a C-contiguous array of truth values the position of the first element of its component.

    The position is that in C order, and -1 for what is not foreground. The host waits once for each round of joining,
    of which there are two almost always.
    """
    shape = foreground.shape
    parent = _core.empty(foreground.size, np.int32 if foreground.size < 2**31 - 2 else np.int64)
    along = (0,) * (len(shape) - 1)
    in_line = (*along, -1) in offsets
    lines: dict[tuple[int, ...], list[int]] = {}
    for *line, step in offsets:
        if (*line, step) != (*along, -1):
            lines.setdefault(tuple(line), []).append(step)
    beside = tuple((line, tuple(steps)) for line, steps in lines.items())
    chunk = chunk_of(foreground)
    launch = chunked(shape, chunk)
    _started(foreground, parent, chunk, shape=launch, in_line=in_line)
    rounds = 2 if offsets else 0
    while rounds:
        for _ in range(rounds):
            changed = _core.zeros(1, np.int32)
            _joined(foreground, parent, changed, chunk, shape=launch, in_line=in_line, beside=beside)
            _flattened(foreground, parent, chunk, shape=launch, in_line=in_line)
        if not int(changed[0]):
            break
    return parent.reshape(shape)


def reached(foreground: ndarray, sources: ndarray, offsets: Offsets) -> ndarray:
    """The elements of the foreground whose component has a source."""
    found = roots(foreground, offsets)
    marks = _core.zeros(foreground.size, np.bool_)
    chunk = chunk_of(foreground)
    launch = chunked(foreground.shape, chunk)
    _marked(found, sources, marks, chunk, shape=launch)
    result = _core.empty(foreground.shape, np.bool_)
    looked_up(found, marks, result, chunk, shape=launch, missing=False)
    return result


@k.kernel
def _marked(root: k.Array, source: k.Array, marks: k.Out[1], chunk: int):
    line, start, end = part(root.shape[-1], chunk)
    last = k.value(-1, root.dtype)
    for i in k.steps(start, end):
        here = root[(*line, i)]
        if here >= 0 and here != last and source[(*line, i)]:
            marks[here] = True
            last = here


@k.kernel
def looked_up(root: k.Array, values: k.Array[1], found: k.Out, chunk: int, *, missing: Any):
    """What `values` have at each root, and `missing` where there is none."""
    line, start, end = part(root.shape[-1], chunk)
    last, value = k.value(-1, root.dtype), k.value(missing, values.dtype)
    for i in k.steps(start, end):
        here = root[(*line, i)]
        if here != last:
            value = k.where(here >= 0, values[k.maximum(here, 0)], missing)
            last = here
        found[(*line, i)] = value.astype(found.dtype)


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
