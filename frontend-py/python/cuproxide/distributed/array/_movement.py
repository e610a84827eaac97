"""How elements get to the places that need them: which parts a box is made of, and one exchange for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import cuproxide as cp

from ..._cuproxide import Device
from ._boxes import Box, extent, intersection, remainder, within

if TYPE_CHECKING:
    from ._array import DistributedArray

__all__ = ["Chunk", "gathered"]

# A target, the number of a box there, the box, and the pieces that make it: their place, part and box.
Job = tuple[int, int, Box, list[tuple[int, int, Box]]]


@dataclass
class Chunk:
    """A part: its box, and its elements where they are on this process."""

    box: Box
    array: Any


def _pieces(array: DistributedArray, target: int, wanted: Box) -> Iterator[tuple[int, int, Box]]:
    """Which places and parts a box is made of: all that have elements of it, or one for each where they are
    replicas, those of the target itself first."""
    order = sorted(array._chunks, key=lambda place: place != target)
    left = [wanted]
    for place in order:
        for number, chunk in enumerate(array._chunks[place]):
            if array._mode is not None:
                shared = intersection(chunk.box, wanted)
                if shared is not None:
                    yield place, number, shared
                continue
            next_left = []
            for piece in left:
                shared = intersection(chunk.box, piece)
                if shared is None:
                    next_left.append(piece)
                else:
                    yield place, number, shared
                    next_left.extend(remainder(piece, shared))
            left = next_left


def gathered(array: DistributedArray, wanted: Mapping[int, Sequence[Box]], copy: bool = True) -> dict[int, list[Any]]:
    """The elements of boxes at places, in replica mode; nothing for places of other processes.

    Without `copy`, a part that is just what is wanted comes as it is.
    """
    jobs = [
        (target, number, box, list(_pieces(array, target, box)))
        for target, boxes in wanted.items()
        for number, box in enumerate(boxes)
    ]
    moved = _moved(array, jobs)
    result: dict[int, list[Any]] = {target: [None] * len(boxes) for target, boxes in wanted.items()}
    for target, number, box, pieces in jobs:
        if not array._is_here(target):
            continue
        with array._at(target):
            parts = [(piece, moved[target, number, index]) for index, (_, _, piece) in enumerate(pieces)]
            if len(parts) == 1 and parts[0][0] == box:
                # What came from elsewhere is nobody else's.
                own = pieces[0][0] != target
                result[target][number] = parts[0][1].copy() if copy and not own else parts[0][1]
                continue
            if array._mode is None:
                whole = cp.empty(extent(box), array.dtype)
            else:
                whole = cp.full(extent(box), array._mode.identity(array.dtype), array.dtype)
            for piece, part in parts:
                index = within(piece, box)
                whole[index] = part if array._mode is None else array._mode(whole[index], part)
            result[target][number] = whole
    return result


def _moved(
    array: DistributedArray, jobs: Sequence[tuple[int, int, Box, list[tuple[int, int, Box]]]]
) -> dict[tuple[int, int, int], Any]:
    """The pieces of each job at its target, those of other places moved there in one exchange."""
    moved: dict[tuple[int, int, int], Any] = {}
    sends: list[tuple[int, Any]] = []
    receives: list[tuple[int, Any]] = []
    for target, number, _, pieces in jobs:
        for index, (source, part, box) in enumerate(pieces):
            chunk = array._chunks[source][part]
            if array._group is None:
                piece = chunk.array[within(box, chunk.box)]
                moved[target, number, index] = piece if source == target else piece.to_device(Device(target))
            elif source == target:
                if array._is_here(target):
                    moved[target, number, index] = chunk.array[within(box, chunk.box)]
            elif array._is_here(source):
                sends.append((target, chunk.array[within(box, chunk.box)]))
            elif array._is_here(target):
                arrived = cp.empty(extent(box), array.dtype)
                moved[target, number, index] = arrived
                receives.append((source, arrived))
    if array._group is not None:
        array._group.exchange(sends, receives)
    return moved
