"""Making distributed arrays of whole ones and of parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import Device
from .._backend import Backend
from ._array import DistributedArray, check_places
from ._boxes import boxes_of, extent, slices
from ._modes import mode_of
from ._movement import Chunk

__all__ = ["distributed_array", "from_chunks"]


def distributed_array(
    array: Any, index_map: Mapping[int, Any], mode: str = "replica", *, group: Backend | None = None
) -> DistributedArray:
    """An array in parts on devices or processes.

    Parameters
    ----------
    array : array_like
        The whole; with a group, the same on every rank.
    index_map : mapping
        For each device (or rank) an index, or a list of indices, of slices and integers: its parts. Together they hold
        every element.
    mode : {"replica", "sum", "prod", "max", "min"}
        What parts that lie over each other mean.
    group : Backend, optional
        The processes; without one, the devices of this process.

    Returns
    -------
    DistributedArray
        The array in parts.

    >>> import cuproxide as cp
    >>> from cuproxide.distributed.array import distributed_array
    >>> x = distributed_array(cp.arange(6.0), {0: [slice(0, 4), slice(4, 6)]})
    >>> float((x * 2).sum())
    30.0
    """
    if isinstance(array, DistributedArray):
        return array.reshard(index_map).change_mode(mode)
    if not isinstance(array, cp.ndarray):
        array = np.asarray(array)
    boxes = boxes_of(index_map, array.shape)
    check_places(boxes, group)
    made = DistributedArray(array.shape, array.dtype, {}, None, group)
    for place, held in boxes.items():
        made._chunks[place] = []
        for box in held:
            part = None
            if made._is_here(place):
                with made._at(place):
                    piece = array[slices(box)]
                    part = (
                        piece.to_device(Device()).copy()
                        if isinstance(piece, cp.ndarray)
                        else cp.array(piece).reshape(extent(box))
                    )
            made._chunks[place].append(Chunk(box, part))
    return made.change_mode(mode)


def from_chunks(
    shape: Sequence[int],
    dtype: Any,
    index_map: Mapping[int, Any],
    chunks: Mapping[int, Sequence[Any]],
    mode: str = "replica",
    *,
    group: Backend | None = None,
) -> DistributedArray:
    """An array of parts that are in place already: no process needs to hold the whole.

    Parameters
    ----------
    shape : sequence of int
        Of the whole.
    dtype : dtype
        Of its elements.
    index_map : mapping
        As for `distributed_array`.
    chunks : mapping
        For each device (or for this rank) its parts, in the order of the index map. They are used, not copied.
    mode, group
        As for `distributed_array`.

    Returns
    -------
    DistributedArray
        The array.

    >>> from cuproxide.distributed.array import from_chunks
    >>> x = from_chunks((4,), float, {0: [slice(0, 2), slice(2, 4)]}, {0: [cp.zeros(2), cp.ones(2)]})
    >>> x.get()
    array([0., 0., 1., 1.])
    """
    shape = tuple(shape)
    boxes = boxes_of(index_map, shape)
    check_places(boxes, group)
    made = DistributedArray(shape, dtype, {}, mode_of(mode), group)
    for place, held in boxes.items():
        given = list(chunks[place]) if made._is_here(place) else [None] * len(held)
        if len(given) != len(held):
            raise ValueError(f"place {place} has {len(given)} parts for {len(held)} indices")
        for box, part in zip(held, given, strict=True):
            if part is not None and (part.shape != extent(box) or part.dtype != made.dtype):
                raise ValueError(
                    f"a part of place {place} is {part.dtype}{part.shape}, the index map says {made.dtype}{extent(box)}"
                )
        made._chunks[place] = [Chunk(box, part) for box, part in zip(held, given, strict=True)]
    return made
