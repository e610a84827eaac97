"""Pairs that are out of order, counted while halves of blocks are merged: log2(n) launches, each of n searches."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k


@k.function
def _merged(keys: Any, place: Any, width: Any) -> Any:
    """Where the element comes from that goes to a place when blocks of `width` sorted keys are merged in pairs.

    Its position, how many elements of the left block go before it, and where both blocks begin and end.
    """
    start = place - place % (2 * width)
    middle = k.minimum(start + width, keys.shape[0])
    end = k.minimum(start + 2 * width, keys.shape[0])
    before = place - start
    # The least number of left elements before this place, such that none of the right ones before it is less.
    low, high = k.maximum(before - (end - middle), 0), k.minimum(before, middle - start)
    while low < high:
        half = (low + high) >> 1
        if keys[start + half] <= keys[middle + before - half - 1]:
            low = half + 1
        else:
            high = half
    right = middle + before - low
    from_left = right >= end
    if low < middle - start and right < end:
        from_left = keys[start + low] <= keys[right]
    return k.where(from_left, start + low, right), low, start, middle, end


@k.kernel
def _count(keys: k.Array[1], found: k.Array[1], place: k.Each, width: int):
    """A merge of keys, and to each place the pairs that were found so far and those that its element adds."""
    source, low, start, middle, _ = _merged(keys, place, width)
    more = k.where(source >= middle, middle - start - low, 0)
    return keys[source], found[place] + more


@k.kernel
def _weigh(
    keys: k.Array[1], weights: k.Array[1], sums: k.Array[1], found: k.Array[1], place: k.Each, width: int, *, additive
):
    """As `_count`, of pairs with weights; `sums` are those of the weights of each block up to an element."""
    source, low, start, middle, _ = _merged(keys, place, width)
    is_right, right = source >= middle, middle + (place - start) - low
    left_sum, right_sum = 0.0, 0.0
    taken = low + k.where(is_right, 0, 1)
    if taken > 0:
        left_sum = sums[start + taken - 1]
    reached = right + k.where(is_right, 1, 0)
    if reached > middle:
        right_sum = sums[reached - 1]
    weight, more = weights[source], 0.0
    if is_right and low < middle - start:
        passed = sums[middle - 1] - left_sum
        more = passed + (middle - start - low) * weight if additive else passed * weight
    return keys[source], weight, left_sum + right_sum, found[place] + more


def _widths(length: int) -> list[int]:
    return [1 << level for level in range(max(length - 1, 0).bit_length())]


def inversions(keys: ndarray) -> ndarray:
    """The number of pairs in each row whose first element is greater than the second, as int64. There are no NaN."""
    places, found = cp.arange(keys.shape[-1]), cp.zeros(keys.shape, dtype=np.int64)
    for width in _widths(keys.shape[-1]):
        keys, found = _count(keys[..., None, :], found[..., None, :], places, width)
    return found.sum(axis=-1)


def weighted_inversions(keys: ndarray, weights: ndarray, additive: bool) -> ndarray:
    """As `inversions`, each pair counted as the sum of its weights if `additive`, else as their product."""
    places, sums, found = cp.arange(keys.shape[-1]), weights, cp.zeros(keys.shape)
    for width in _widths(keys.shape[-1]):
        rows = [v[..., None, :] for v in (keys, weights, sums, found)]
        keys, weights, sums, found = _weigh(*rows, places, width, additive=additive)
    return found.sum(axis=-1)
