"""Products of distributed matrices, block by block (SUMMA: van de Geijn and Watts, 1997).

The result is in blocks of the rows of the first matrix and the columns of the second. For each panel of the inner
axis, every block of the result gets the panel of its rows and that of its columns, and adds their product: a place
holds one panel of each at a time, not a matrix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cuproxide as cp

from ._boxes import Box, extent
from ._movement import Chunk

if TYPE_CHECKING:
    from ._array import DistributedArray

__all__ = ["product"]


def _cuts(boxes: dict[int, list[Box]], axis: int) -> list[tuple[int, int]]:
    """The finest ranges along an axis at whose ends parts begin or end."""
    ends = sorted({end for held in boxes.values() for box in held for end in box[axis]})
    return list(zip(ends, ends[1:], strict=False))


def _owner(boxes: dict[int, list[Box]], rows: tuple[int, int], columns: tuple[int, int]) -> int | None:
    """The first place with a part that has a block."""
    for place, held in boxes.items():
        for box in held:
            if box[0][0] <= rows[0] and rows[1] <= box[0][1] and box[1][0] <= columns[0] and columns[1] <= box[1][1]:
                return place
    return None


def product(kind: type[DistributedArray], a: Any, b: Any, out: Any = None, **options: Any) -> Any:
    """The product of two distributed arrays, which are of the class `kind`."""
    if out is not None or options:
        raise NotImplementedError("matmul of distributed arrays takes no out and no options")
    if not isinstance(a, kind) or not isinstance(b, kind):
        raise NotImplementedError("matmul of a distributed array and one that is not: distribute it first")
    if a._group is not b._group:
        raise ValueError("matmul: the arrays belong to different groups")
    if a.ndim not in (1, 2) or b.ndim not in (1, 2):
        raise NotImplementedError(
            f"matmul of distributed arrays of {a.ndim} and {b.ndim} axes: matrices and vectors only"
        )
    if a.shape[-1] != b.shape[0]:
        raise ValueError(f"matmul: shapes {a.shape} and {b.shape} do not match: {a.shape[-1]} is not {b.shape[0]}")
    left = a if a.ndim == 2 else a._each(lambda part: part[None], lambda box: ((0, 1), *box), (1, *a.shape))
    right = b if b.ndim == 2 else b._each(lambda part: part[:, None], lambda box: (*box, (0, 1)), (*b.shape, 1))
    result = _summa(kind, left, right)
    if a.ndim == 1:
        result = result[0]
    if b.ndim == 1:
        result = result[..., 0]
    return result


def _summa(kind: type[DistributedArray], a: DistributedArray, b: DistributedArray) -> DistributedArray:
    of_a, of_b = a._boxes(), b._boxes()
    rows, columns = _cuts(of_a, 0), _cuts(of_b, 1)
    panels = sorted({end for cuts in (_cuts(of_a, 1), _cuts(of_b, 0)) for cut in cuts for end in cut})
    inner = list(zip(panels, panels[1:], strict=False))
    blocks_of_a = _cuts(of_a, 1)
    # The place of each block of the result.
    grid: dict[int, list[Box]] = {}
    for row in rows:
        for number, column in enumerate(columns):
            block = blocks_of_a[number % len(blocks_of_a)] if blocks_of_a else (0, 0)
            place = _owner(of_a, row, block)
            grid.setdefault(a.devices[0] if place is None else place, []).append((row, column))
    dtype = (cp.empty((0, 0), a.dtype) @ cp.empty((0, 0), b.dtype)).dtype
    if not grid:
        grid = {a.devices[0]: [((0, a.shape[0]), (0, b.shape[1]))]}
    chunks: dict[int, list[Chunk]] = {}
    for place, boxes in grid.items():
        with a._at(place):
            here = a._is_here(place)
            chunks[place] = [Chunk(box, cp.zeros(extent(box), dtype) if here else None) for box in boxes]
    for panel in inner:
        # A place gets each panel once, whatever the number of its blocks.
        wanted_a = {place: list(dict.fromkeys((rows, panel) for rows, _ in boxes)) for place, boxes in grid.items()}
        wanted_b = {
            place: list(dict.fromkeys((panel, columns) for _, columns in boxes)) for place, boxes in grid.items()
        }
        parts_a, parts_b = a._gathered(wanted_a, copy=False), b._gathered(wanted_b, copy=False)
        for place, held in chunks.items():
            if not a._is_here(place):
                continue
            with a._at(place):
                for chunk in held:
                    one = parts_a[place][wanted_a[place].index((chunk.box[0], panel))]
                    other = parts_b[place][wanted_b[place].index((panel, chunk.box[1]))]
                    chunk.array = chunk.array + one @ other
    return kind((a.shape[0], b.shape[1]), dtype, dict(sorted(chunks.items())), None, a._group)
