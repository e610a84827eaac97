"""Whether index arrays fit a shape, and how they are ordered: a launch and a read each."""

from __future__ import annotations

import numpy as np

import cuproxide as cp

from ..._lib import kernel as k
from ._structure import row_range


def _comparable(indices: cp.ndarray, length: int) -> cp.ndarray:
    """The indices in a type that holds the length too: kernels compare both in the type of the indices."""
    wraps = indices.dtype.kind in "iu" and length > np.iinfo(indices.dtype).max
    return indices.astype(np.int64) if wraps else indices


@k.kernel
def _inspect(indptr: k.Array[1], indices: k.Array[1], minors: int, found: k.Out[1]) -> None:
    """What is wrong with a compressed array: 1 in its place of `found`."""
    p, last = k.index(), indptr.shape[0] - 1
    if p == 0:
        found[0] = indptr[0]
        found[1] = indptr[last]
    if p < last and indptr[p] > indptr[p + 1]:
        found.max(2, 1)
    if p < indices.shape[0]:
        if indices[p] >= minors:
            found.max(3, 1)
        if indices[p] < 0:
            found.max(4, 1)


def inspect(indptr: cp.ndarray, indices: cp.ndarray, minors: int) -> tuple[int, ...]:
    """First and last offset, and whether offsets decrease, indices are too large, indices are negative."""
    found = cp.zeros(5, np.int64)
    indices = _comparable(indices, minors)
    _inspect(indptr, indices, minors, found, shape=(max(indptr.size, indices.size),))
    return tuple(found.tolist())


@k.kernel
def _compare_neighbours(indptr: k.Array[1], indices: k.Array[1], found: k.Out[1]) -> None:
    row = k.index()
    falls = repeats = False
    begin, end = row_range(indptr, row, indices)
    for p in k.steps(begin + 1, end):
        falls = falls | (indices[p] < indices[p - 1])
        repeats = repeats | (indices[p] == indices[p - 1])
    if falls:
        found.max(0, 1)
    if repeats:
        found.max(1, 1)


def neighbours(indptr: cp.ndarray, indices: cp.ndarray) -> tuple[bool, bool]:
    """Whether the indices of some row fall, and whether neighbours are equal."""
    if indices.size < 2 or indptr.size < 2:
        return False, False
    found = cp.zeros(2, np.int32)
    _compare_neighbours(indptr, indices, found, shape=(indptr.size - 1,))
    falls, repeats = found.tolist()
    return bool(falls), bool(repeats)


@k.kernel(bounded=True)
def _inspect_coords(index: k.Each, length: int, found: k.Out[1]) -> None:
    if index >= length:
        found.max(0, 1)
        found.max(1, index.astype(np.uint64).view(np.int64))
    if index < 0:
        found.min(2, index)


def check_coords(coords: tuple[cp.ndarray, ...], shape: tuple[int, ...]) -> None:
    """An error for indices that are not in the shape."""
    if not coords or coords[0].size == 0:
        return
    found = cp.zeros((len(coords), 3), np.int64)
    for index, length, row in zip(coords, shape, found, strict=True):
        _inspect_coords(_comparable(index, length), length, row)
    for axis, (is_high, high, low) in enumerate(found.tolist()):
        if is_high:
            raise ValueError(f"axis {axis} index {high or '2**63 or more'} exceeds matrix dimension {shape[axis]}")
        if low:
            raise ValueError(f"negative axis {axis} index: {low}")
