"""Boxes: ranges of indices along each axis, and index maps made of them. All of it is plain integers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

__all__ = [
    "Box",
    "box_of",
    "boxes_of",
    "cut",
    "disjoint",
    "extent",
    "intersection",
    "make_2d_index_map",
    "remainder",
    "slices",
    "volume",
    "within",
]

Box = tuple[tuple[int, int], ...]
"""The first index and the one behind the last, for each axis."""


def box_of(index: Any, shape: Sequence[int]) -> Box:
    """The box that an index of slices and integers names; missing axes are whole.

    Raises
    ------
    IndexError
        For more indices than axes, for integers out of range, and for slices with steps.
    """
    parts = index if isinstance(index, tuple) else (index,)
    if len(parts) > len(shape):
        raise IndexError(f"an index map has {len(parts)} indices for {len(shape)} axes")
    box = []
    for axis, length in enumerate(shape):
        part = parts[axis] if axis < len(parts) else slice(None)
        if isinstance(part, slice):
            start, stop, step = part.indices(length)
            if step != 1:
                raise IndexError(f"an index map has the step {step} on axis {axis}; parts are of neighbours")
            box.append((start, max(start, stop)))
        else:
            number = part.__index__()
            if not -length <= number < length:
                raise IndexError(f"an index map has {number} on axis {axis} of length {length}")
            box.append((number % length, number % length + 1))
    return tuple(box)


def boxes_of(index_map: Mapping[int, Any], shape: Sequence[int]) -> dict[int, list[Box]]:
    """An index map as boxes, places in order.

    Raises
    ------
    ValueError
        If elements are in no part.
    """
    boxes = {}
    for place in sorted(index_map):
        given = index_map[place]
        indices = given if isinstance(given, list) else [given]
        boxes[int(place)] = [box_of(index, shape) for index in indices]
    left: list[Box] = [tuple((0, length) for length in shape)]
    for part in (box for parts in boxes.values() for box in parts):
        left = [rest for piece in left for rest in remainder(piece, part)]
    if any(volume(piece) for piece in left):
        raise ValueError(f"the index map leaves out {slices(left[0])}")
    return boxes


def extent(box: Box) -> tuple[int, ...]:
    """The shape of a box."""
    return tuple(stop - start for start, stop in box)


def volume(box: Box) -> int:
    """How many elements a box has."""
    return math.prod(extent(box))


def slices(box: Box) -> tuple[slice, ...]:
    """A box as an index."""
    return tuple(slice(start, stop) for start, stop in box)


def within(box: Box, outer: Box) -> tuple[slice, ...]:
    """A box as an index into what another one holds."""
    return tuple(slice(start - begin, stop - begin) for (start, stop), (begin, _) in zip(box, outer, strict=True))


def intersection(one: Box, other: Box) -> Box | None:
    """What two boxes share; None for nothing."""
    shared = tuple((max(a, c), min(b, d)) for (a, b), (c, d) in zip(one, other, strict=True))
    return None if any(start >= stop for start, stop in shared) else shared


def remainder(box: Box, taken: Box) -> Iterator[Box]:
    """A box without another one, as disjoint boxes."""
    shared = intersection(box, taken)
    if shared is None:
        yield box
        return
    rest = list(box)
    for axis, ((start, stop), (begin, end)) in enumerate(zip(box, shared, strict=True)):
        if start < begin:
            yield (*rest[:axis], (start, begin), *rest[axis + 1 :])
        if end < stop:
            yield (*rest[:axis], (end, stop), *rest[axis + 1 :])
        rest[axis] = (begin, end)


def disjoint(boxes: Mapping[int, Sequence[Box]]) -> dict[int, list[list[Box]]]:
    """Which elements of each part belong to no part before it, as boxes."""
    seen: list[Box] = []
    own: dict[int, list[list[Box]]] = {}
    for place, parts in boxes.items():
        own[place] = []
        for part in parts:
            pieces = [part]
            for earlier in seen:
                pieces = [rest for piece in pieces for rest in remainder(piece, earlier)]
            own[place].append(pieces)
            seen.append(part)
    return own


def cut(box: Box, chosen: Sequence[range | int]) -> tuple[tuple[Any, ...], Box] | None:
    """What of a part an index takes: the index into the part, and the box in the result; None for nothing."""
    local: list[Any] = []
    result = []
    for (start, stop), found in zip(box, chosen, strict=True):
        if isinstance(found, int):
            if not start <= found < stop:
                return None
            local.append(found - start)
            continue
        # The first and the last position whose index is inside.
        first = max(0, -(-(start - found.start) // found.step))
        last = min(len(found), -(-(stop - found.start) // found.step))
        if first >= last:
            return None
        begin = found[first] - start
        local.append(slice(begin, found[last - 1] - start + 1, found.step))
        result.append((first, last))
    return tuple(local), tuple(result)


def make_2d_index_map(
    i_partitions: Sequence[int], j_partitions: Sequence[int], devices: Sequence[Sequence[int | Iterable[int]]]
) -> dict[int, list[tuple[slice, ...]]]:
    """The index map of a matrix in blocks.

    Parameters
    ----------
    i_partitions, j_partitions : sequence of int
        The boundaries of the blocks along rows and columns, from 0 to the length.
    devices : sequence of sequences
        For each block, the devices (or ranks) that have it: a number or several.

    Returns
    -------
    dict
        A list of indices for each device.

    >>> from cuproxide.distributed.array import make_2d_index_map
    >>> make_2d_index_map([0, 2, 4], [0, 5], [[{0}], [{1}]])
    {0: [(slice(0, 2, None), slice(0, 5, None))], 1: [(slice(2, 4, None), slice(0, 5, None))]}
    """
    for name, cuts in (("i_partitions", i_partitions), ("j_partitions", j_partitions)):
        if len(cuts) < 2 or cuts[0] != 0 or any(a >= b for a, b in zip(cuts, cuts[1:], strict=False)):
            raise ValueError(f"{name}={list(cuts)} does not rise from 0")
    if len(devices) != len(i_partitions) - 1 or any(len(row) != len(j_partitions) - 1 for row in devices):
        raise ValueError(
            f"devices has not {len(i_partitions) - 1} rows of {len(j_partitions) - 1}, one entry for each block"
        )
    found: dict[int, list[tuple[slice, ...]]] = {}
    for row, (top, bottom) in zip(devices, zip(i_partitions, i_partitions[1:], strict=False), strict=True):
        for owners, (left, right) in zip(row, zip(j_partitions, j_partitions[1:], strict=False), strict=True):
            for owner in [owners] if isinstance(owners, int) else sorted(owners):
                found.setdefault(owner, []).append((slice(top, bottom), slice(left, right)))
    return dict(sorted(found.items()))
