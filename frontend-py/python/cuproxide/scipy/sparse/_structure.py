"""Index arrays: counting, expanding, sorting and merging, without a loop on the host."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ... import _cuproxide as _core
from ..._lib import kernel as k
from ..._lib import routes
from ..._lib.routes import way
from ._library import by_library

_INT32_MAX = np.iinfo(np.int32).max


@k.function
def row_and_lane(width):
    """The row of a point, and its number among the `width` points that share the row."""
    point = k.index()
    return point >> (width.bit_length() - 1), point & (width - 1)


@k.function
def row_range(indptr, row, *arrays):
    """Where a row begins and ends among the elements of arrays, whatever another thread writes to `indptr`."""
    size = arrays[0].shape[0]
    for other in arrays[1:]:
        size = k.minimum(size, other.shape[0])
    begin = k.clamp(indptr[k.inside(row, indptr.shape[0])].astype(np.int64), 0, size)
    return begin, k.clamp(indptr[k.inside(row + 1, indptr.shape[0])].astype(np.int64), begin, size)


@k.kernel(bounded=True)
def stored_at(
    indptr: k.Array[1], indices: k.Array[1], data: k.Array[1], first: int, other: int
):  # fmt: skip
    """The elements of a diagonal of sorted rows that begins at this row and column."""
    row, column = k.index() + first, k.index() + other
    begin, end = row_range(indptr, row, indices, data)
    low, high = begin, end
    while low < high:
        middle = (low + high) >> 1
        smaller = indices[middle].astype(np.int64) < column
        low, high = k.where(smaller, middle + 1, low), k.where(smaller, high, middle)
    found = k.value(0, data.dtype)
    if low < end:
        found = k.where(indices[low].astype(np.int64) == column, data[low], found)
    return found


@k.function
def copied_range(indices, data, begin, moved, elements, place, count):
    """The first positions and the length of a range that is copied, if need be moved and cut to lie in all arrays."""
    size, room = k.minimum(indices.shape[0], data.shape[0]), k.minimum(moved.shape[0], elements.shape[0])
    count = k.clamp(count, 0, k.minimum(size, room))
    return k.clamp(begin, 0, size - count), k.clamp(place, 0, room - count), count


@k.function
def copy_range(indices, data, begin, moved, elements, place, count):
    """Copies indices and elements, four in a round: a CPU's loop costs as much as what is in it."""
    begin, place, count = copied_range(indices, data, begin, moved, elements, place, count)
    whole = count >> 2
    for turn in k.steps(whole):
        for number in range(4):
            source, target = begin + turn * 4 + number, place + turn * 4 + number
            moved[target] = indices[source]
            elements[target] = data[source]
    for p in k.steps(whole * 4, count):
        moved[place + p] = indices[begin + p]
        elements[place + p] = data[begin + p]


# Axes up to this length are never hollow.
HOLLOW = 1 << 12


def is_hollow(length: int, stored: int) -> bool:
    """Whether an axis is so much longer than there are elements that nothing may be made for each of its indices."""
    return length > 8 * stored + HOLLOW


# ------------------------------------------------------------------------------------------------------------ offsets


@k.kernel(bounded=True)
def _count(ids: k.Each, counts: k.Out[1]) -> None:
    """How often each number occurs, one place further on."""
    counts.add(ids + 1, 1)


def offsets_of(ids: cp.ndarray, rows: int, dtype: Any) -> cp.ndarray:
    """Where each row begins if elements are sorted by their row numbers `ids`: `rows + 1` offsets."""
    counts = cp.zeros(rows + 1, dtype)
    if ids.size:
        _count(ids, counts)
    return cp.cumsum(counts, dtype=dtype)


@k.kernel(bounded=True)
def _mark(offsets: k.Each, marks: k.Out[1]) -> None:
    if offsets < marks.shape[0]:
        marks.add(offsets, 1)


@k.kernel(bounded=True)
def _begin(keys: k.Array[1], offsets: k.Out[1]) -> None:
    """Where the equals of a number begin among sorted ones."""
    number, low, high = k.index(), k.value(0, np.int64), keys.shape[0]
    while low < high:
        middle = (low + high) >> 1
        below = keys[middle] < number
        low, high = k.where(below, middle + 1, low), k.where(below, high, middle)
    offsets[number] = low


_STRETCH = 16
"""Elements of a thread that finds the row of each, and rows of one that finds where each begins."""


@k.kernel(bounded=True)
def _begin_in_turn(keys: k.Array[1], offsets: k.Out[1]) -> None:
    """The same for several rows in turn, each of which looks on from the one before, in steps that double."""
    first, size = k.index() * _STRETCH, keys.shape[0]
    low, high = k.value(0, np.int64), size
    while low < high:
        middle = (low + high) >> 1
        below = keys[middle] < first
        low, high = k.where(below, middle + 1, low), k.where(below, high, middle)
    for number in k.steps(first, k.minimum(first + _STRETCH, offsets.shape[0])):
        step = k.value(1, np.int64)
        while low + step <= size and keys[low + step - 1] < number:
            low += step
            step = step * 2
        while step > 1:
            step = step >> 1
            if low + step <= size and keys[low + step - 1] < number:
                low += step
        offsets[number] = low


def offsets_of_sorted(keys: cp.ndarray, rows: int, dtype: Any) -> cp.ndarray:
    """The same for row numbers in order: searched, which takes as long whichever rows are long or empty."""
    offsets = cp.empty(rows + 1, dtype)
    if way("begins of rows") == "searched":
        _begin(keys, offsets, shape=offsets.shape)
    else:
        _begin_in_turn(keys, offsets, shape=(-(-offsets.size // _STRETCH),))
    return offsets


@k.kernel(bounded=True)
def _find_rows(indptr: k.Array[1], found: k.Out[1], *, width: int, each: int) -> None:
    """The rows of elements that are `width` apart: each looks on from the one before, in steps that double."""
    group, lane = row_and_lane(width)
    begin, size, last = group * (width * each) + lane, found.shape[0], indptr.shape[0] - 2
    low, high = k.value(0, np.int64), last + 0
    while low < high:
        middle = (low + high + 1) >> 1
        beyond = indptr[middle] > begin
        low, high = k.where(beyond, low, middle), k.where(beyond, middle - 1, high)
    for turn in k.steps(each):
        p = begin + turn * width
        if p < size:
            step = k.value(1, np.int64)
            while low + step <= last and indptr[k.minimum(low + step, last)] <= p:
                low += step
                step = step * 2
            while step > 1:
                step = step >> 1
                if low + step <= last and indptr[k.minimum(low + step, last)] <= p:
                    low += step
            found[p] = low


def rows_of(indptr: cp.ndarray, stored: int) -> cp.ndarray:
    """The row number of each stored element."""
    if stored and indptr.size > 2 and way("rows of elements") == "searches":
        found = cp.empty(stored, indptr.dtype)
        points = -(-stored // (32 * _STRETCH)) * 32
        _find_rows(indptr, found, width=32, each=_STRETCH, shape=(points,))
        return found
    marks = cp.zeros(stored, indptr.dtype)
    if stored and indptr.size > 2:
        _mark(indptr[1:-1], marks)
        return cp.cumsum(marks, dtype=indptr.dtype)
    return marks


@k.kernel(bounded=True)
def offsets_among(indptr: k.Each, ends: k.Array[1]):
    """Where the parts of each row begin, and at last how many there are, if those of an element end at `ends`."""
    before = k.value(0, np.int64)
    if indptr > 0:
        before = ends[indptr.astype(np.int64) - 1]
    return before


# -------------------------------------------------------------------------------------------------------------- order


def stable_order(keys: cp.ndarray, bound: int) -> cp.ndarray:
    """The stable order of integers from 0 to `bound - 1`."""
    return _core.argsort_below(keys, max(bound - 1, 1).bit_length())


def sorted_along(
    keys: cp.ndarray, bound: int, others: cp.ndarray, data: cp.ndarray
) -> tuple[cp.ndarray, cp.ndarray, cp.ndarray]:
    """Integers from 0 to `bound - 1` sorted, and two arrays in their stable order.

    A GPU moves all three in each pass: reading elements in random order takes longer than that.
    """
    found = _core.sort_carrying(keys, max(bound - 1, 1).bit_length(), others, data)
    if found is not None:
        keys, others, data = found
        return keys, others, data
    order = stable_order(keys, bound)
    return keys[order], others[order], data[order]


def order_of(major: cp.ndarray, minor: cp.ndarray, majors: int, minors: int) -> cp.ndarray:
    """The stable order by `major`, then `minor`: numbers below `majors` and `minors`."""
    if majors * minors <= _INT32_MAX:
        key = major.astype(np.int32, copy=False) * np.int32(minors) + minor.astype(np.int32, copy=False)
        return stable_order(key, majors * minors)
    # Two sorts of narrow keys cost less than one of wide keys.
    order = stable_order(minor, minors)
    return order[stable_order(major[order], majors)]


@k.kernel(bounded=True)
def _is_head(major: k.Array[1], minor: k.Array[1]):
    p = k.index()
    head = True
    if p > 0:
        head = major[p] != major[p - 1] or minor[p] != minor[p - 1]
    return head


def merged(
    major: cp.ndarray, minor: cp.ndarray, data: cp.ndarray, order: cp.ndarray | None = None
) -> tuple[cp.ndarray, cp.ndarray, cp.ndarray]:
    """Sorted positions without repetitions: the elements of one place are added up.

    With `order` the data are still in the order that they had before `major` and `minor` were sorted.
    """
    if order is not None:
        data = data[order]
    if major.size < 2:
        return major, minor, data
    heads = _is_head(major, minor, shape=major.shape)
    if int(cp.count_nonzero(heads)) == major.size:
        return major, minor, data
    return _added_up(major, minor, data, heads)


def _added_up(
    major: cp.ndarray, minor: cp.ndarray, data: cp.ndarray, heads: cp.ndarray
) -> tuple[cp.ndarray, cp.ndarray, cp.ndarray]:
    """Sorted positions where a new one begins, and the sums of their elements."""
    first = cp.flatnonzero(heads)
    return major[first], minor[first], cp.add.reduceat(data, first, axis=0, dtype=data.dtype)


@k.kernel(bounded=True)
def _is_head_in_order(major: k.Array[1], minor: k.Array[1], order: k.Array[1]):
    p = k.index()
    head = True
    if p > 0:
        here, before = order[p], order[p - 1]
        head = major[here] != major[before] or minor[here] != minor[before]
    return head


@k.segments("add", bounded=True)
def _sum_in_order(p, data: k.Array[1], order: k.Array[1]):
    return data[order[p]]


def _merged_in_order(
    major: cp.ndarray, minor: cp.ndarray, data: cp.ndarray, order: cp.ndarray
) -> tuple[cp.ndarray, cp.ndarray, cp.ndarray]:
    """As `merged`, of elements that are not moved into their order: what is kept of them is gathered, nothing else."""
    heads = _is_head_in_order(major, minor, order, shape=major.shape)
    if int(cp.count_nonzero(heads)) == major.size or data.ndim > 1 or data.dtype.kind == "b":
        return merged(major[order], minor[order], data, order)
    first = cp.flatnonzero(heads)
    del heads
    ends = cp.concatenate([first[1:], cp.array([major.size])])
    sums = _sum_in_order(first, ends, data, order, over=major.size)
    places = order[first]
    return major[places], minor[places], sums.astype(data.dtype, copy=False)


@k.kernel(ordered=True, bounded=True)
def _join_row(indptr: k.Array[1], starts: k.Array[1], indices: k.Out[1], data: k.Out[1]) -> None:
    """Moves a sorted row to where it starts from now on, which is not behind it, and adds up what repeats."""
    row = k.index()
    place = starts[row].astype(np.int64) - 1
    before = k.value(-1, np.int64)
    begin, end = row_range(indptr, row, indices)
    for p in k.steps(begin, end):
        index, element = indices[p], data[p]
        if index == before:
            data[place] = data[place] + element
        else:
            place += 1
            indices[place] = index
            data[place] = element
        before = index.astype(np.int64)


def _joined_in_rows(
    indptr: cp.ndarray, indices: cp.ndarray, data: cp.ndarray, repeats: cp.ndarray
) -> tuple[cp.ndarray, cp.ndarray, cp.ndarray]:
    """Data, indices and offsets of sorted rows without their repetitions, so many in each row; on a CPU."""
    starts = indptr.copy()
    starts[1:] -= cp.cumsum(repeats).astype(indptr.dtype, copy=False)
    count = int(starts[-1])
    _join_row(indptr, starts, indices, data, shape=(indptr.size - 1,))
    parts = (data[:count], indices[:count])
    if 2 * count < indices.size:
        parts = tuple(part.copy() for part in parts)
    return (*parts, starts)


@k.kernel(ordered=True, bounded=True)
def _move_to_rows(
    major: k.Each, minor: k.Each, data: k.Each, cursors: k.Out[1], indices: k.Out[1], elements: k.Out[1]
) -> None:
    """The next place of its row for each element, in the order of the elements."""
    place = cursors[major]
    cursors[major] = place + 1
    indices[place] = minor
    elements[place] = data


@k.kernel
def _sort_row(indptr: k.Array[1], indices: k.Out[1], data: k.Out[1]):
    """Sorts a row by stable insertion, and returns how many of its indices repeat."""
    row = k.index()
    begin, end = row_range(indptr, row, indices, data)
    repeats = 0
    for p in k.steps(begin + 1, end):
        index, element, q = indices[p], data[p], p
        while q > begin and indices[q - 1] > index:
            indices[q] = indices[q - 1]
            data[q] = data[q - 1]
            q -= 1
        indices[q] = index
        data[q] = element
        if q > begin and indices[q - 1] == index:
            repeats += 1
    return repeats


def sort_rows(indptr: cp.ndarray, indices: cp.ndarray, data: cp.ndarray) -> cp.ndarray:
    """Sorts short rows in place; returns how many indices repeat in each."""
    return _sort_row(indptr, indices, data, shape=(indptr.size - 1,))


@k.kernel(bounded=True)
def _rank_rows(
    indptr: k.Array[1],
    unsorted: k.Array[1],
    elements: k.Array[1],
    order: k.Array[1],
    indices: k.Out[1],
    data: k.Out[1],
    found: k.Out[1],
    longest: int,
    *,
    width: int,
    is_ordered: bool,
) -> None:
    """Moves each element behind those of its row with smaller indices, and behind equal ones before it.

    In `found` it stores 1 if indices repeat, 2 if there is a row that is too long, which stays as it was.
    """
    row, lane = row_and_lane(width)
    begin, end = row_range(indptr, row, unsorted)
    if end - begin > longest:
        found.max(0, 2)
        end = begin
    for p in k.steps(begin + lane, end, width):
        index, place, repeats = unsorted[p], begin, False
        for q in k.steps(begin, end):
            other = unsorted[q]
            earlier = (other == index) & (q < p)
            repeats = repeats | earlier
            place += k.where((other < index) | earlier, 1, 0)
        if repeats:
            found.max(0, 1)
        indices[place] = index
        data[place] = elements[p] if is_ordered else elements[order[p]]


def ranked_rows(
    indptr: cp.ndarray, indices: cp.ndarray, data: cp.ndarray, order: cp.ndarray | None = None
) -> tuple[cp.ndarray, cp.ndarray, bool] | None:
    """Data and indices with sorted rows, and whether indices repeat in one; None if a row is too long (`RANKED`).

    With `order` the data are still in the order that they had before the elements came to their rows.
    """
    rows, width = indptr.size - 1, way("team", None, indices.size, indptr.size - 1)
    moved, elements, found = cp.empty_like(indices), cp.empty_like(data), cp.zeros(1, np.int32)
    _rank_rows(
        *(indptr, indices, data, indptr if order is None else order, moved, elements, found, routes.RANKED),
        width=width,
        is_ordered=order is None,
        shape=(rows * width,),
    )
    state = int(found.item())
    return (elements, moved, state == 1) if state < 2 else None


def longest_row(indptr: cp.ndarray) -> int:
    """The length of the longest row: a read."""
    return int((indptr[1:] - indptr[:-1]).max()) if indptr.size > 1 else 0


# What is known of the order of places: in order, some repeat, major indices in order, nothing.
_CANONICAL, _REPEATS, _BY_MAJOR, _UNSORTED = range(4)


def _state(major: cp.ndarray, minor: cp.ndarray) -> int:
    """How places are ordered: one launch and one read."""
    is_same = major[1:] == major[:-1]
    in_row = cp.where(minor[1:] < minor[:-1], np.int8(_BY_MAJOR), (minor[1:] == minor[:-1]).astype(np.int8))
    in_order = cp.where(is_same, in_row, np.int8(_CANONICAL))
    return int(cp.where(major[1:] < major[:-1], np.int8(_UNSORTED), in_order).max())


def compressed(
    major: cp.ndarray,
    minor: cp.ndarray,
    data: cp.ndarray,
    majors: int,
    minors: int,
    dtype: Any,
    is_canonical: bool = False,
) -> tuple[cp.ndarray, cp.ndarray, cp.ndarray]:
    """Data, indices and offsets of elements in any order: sorted, without repetitions, in memory of their own."""
    if not major.size:
        return data, minor.astype(dtype, copy=False), cp.zeros(majors + 1, dtype)
    state = _CANONICAL if is_canonical or major.size == 1 else _UNSORTED
    if state == _UNSORTED and way("order of places looked at", None, major.size):
        state = _state(major, minor)
    if state <= _REPEATS:
        return _compressed_in_order(major, minor, data, majors, dtype, state)
    if way("compression") == "sorts":
        return _compressed_on_gpu(major, minor, data, majors, minors, dtype, state)
    is_by_major = state == _BY_MAJOR
    indptr = (offsets_of_sorted if is_by_major else offsets_of)(major, majors, dtype)
    if longest_row(indptr) > routes.SHORT:
        order = order_of(major, minor, majors, minors)
        major, minor, data = _merged_in_order(major, minor, data, order)
        return data, minor.astype(dtype, copy=False), offsets_of(major, majors, dtype)
    # To their rows, and then each row by itself.
    if is_by_major:
        elements, indices = data.copy(), minor.astype(dtype)
    elif _is_shared(major.size, majors):
        elements, indices, _ = _grouped(major, minor, data, majors, dtype, are_offsets=False)
    else:
        indices, elements = cp.empty(major.size, dtype), cp.empty(major.size, data.dtype)
        _move_to_rows(major, minor, data, indptr[:-1].copy(), indices, elements)
    repeats = sort_rows(indptr, indices, elements)
    if bool(repeats.any()):
        return _joined_in_rows(indptr, indices, elements, repeats)
    return elements, indices, indptr


@k.kernel(bounded=True)
def _count_repeats(indptr: k.Each, after: k.Each, indices: k.Array[1]):
    """How many indices of a sorted row repeat."""
    repeats = k.value(0, np.int64)
    for p in k.steps(indptr + 1, after):
        repeats += (indices[p] == indices[p - 1]).astype(np.int64)
    return repeats


def _compressed_in_order(
    major: cp.ndarray, minor: cp.ndarray, data: cp.ndarray, majors: int, dtype: Any, state: int
) -> tuple[cp.ndarray, cp.ndarray, cp.ndarray]:
    """The same for elements in the order of their places."""
    if state == _CANONICAL:
        return data.copy(), minor.astype(dtype), offsets_of_sorted(major, majors, dtype)
    if way("rows merged") == "one by one" and data.ndim == 1:
        indptr, elements, indices = offsets_of_sorted(major, majors, dtype), data.copy(), minor.astype(dtype)
        return _joined_in_rows(indptr, indices, elements, _count_repeats(indptr[:-1], indptr[1:], indices))
    major, minor, data = _added_up(major, minor, data, _is_head(major, minor, shape=major.shape))
    return data, minor.astype(dtype, copy=False), offsets_of_sorted(major, majors, dtype)


def _compressed_on_gpu(
    major: cp.ndarray, minor: cp.ndarray, data: cp.ndarray, majors: int, minors: int, dtype: Any, state: int
) -> tuple[cp.ndarray, cp.ndarray, cp.ndarray]:
    """The same on a GPU: by rows first, and then each row by itself if all are short."""
    minor = minor.astype(dtype, copy=False)
    if state != _BY_MAJOR:
        major, minor, data = sorted_along(major, majors, minor, data)
    indptr = offsets_of_sorted(major, majors, dtype)
    ranked = ranked_rows(indptr, minor, data)
    if ranked is None:
        minor, major, data = sorted_along(minor, minors, major, data)
        major, minor, data = sorted_along(major, majors, minor, data)
    else:
        data, minor, repeats = ranked
        if not repeats:
            return data, minor, indptr
    stored = data.size
    major, minor, data = merged(major, minor, data)
    return data, minor, indptr if data.size == stored else offsets_of_sorted(major, majors, dtype)


# ------------------------------------------------------------------------------------------------ counting sort, CPU

_BUCKETS = 256
"""Buckets that numbers are sorted into first: as many places written to in turns as caches hold."""
_BLOCKS = 256
"""Blocks of elements that threads take: each has a counter for every bucket."""

_APART = 64
"""Points for each block or bucket, of which one works: threads of a CPU get about so many points that hold a loop."""


@k.function
def _worker():
    """The block or bucket of a point, and whether the point works on it."""
    return k.index() // _APART, k.index() % _APART == 0


@k.function
def _block(share, size):
    """The block of a point, and its range of elements, which is empty for points that do not work."""
    block, works = _worker()
    begin = block * share
    return block, begin, k.where(works, k.minimum(begin + share, size), begin)


@k.kernel
def _count_buckets(keys: k.Array[1], counts: k.Out[2], share: int, shift: int) -> None:
    block, begin, end = _block(share, keys.shape[0])
    for p in k.steps(begin, end):
        counts[block, k.inside(keys[p] >> shift, counts.shape[1])] += 1


@k.kernel
def _move_to_buckets(
    keys: k.Array[1],
    others: k.Array[1],
    data: k.Array[1],
    cursors: k.Out[2],
    moved_keys: k.Out[1],
    moved_others: k.Out[1],
    moved: k.Out[1],
    share: int,
    shift: int,
    *,
    are_offsets: bool,
) -> None:
    """The next place of its bucket for each element of a block; `others` may be the offsets of rows."""
    block, begin, end = _block(share, keys.shape[0])
    other = k.value(0, np.int64)
    if are_offsets:
        low, high = k.value(0, np.int64), k.where(begin < end, others.shape[0] - 1, 0)
        while low < high:
            middle = (low + high) >> 1
            beyond = others[middle + 1] > begin
            low, high = k.where(beyond, low, middle + 1), k.where(beyond, middle, high)
        other = low
    for p in k.steps(begin, end):
        if are_offsets:
            while other + 2 < others.shape[0] and others[other + 1] <= p:
                other += 1
        else:
            other = others[p].astype(np.int64)
        key = keys[p]
        bucket = k.inside(key >> shift, cursors.shape[1])
        place = k.inside(cursors[block, bucket], moved.shape[0])
        cursors[block, bucket] = place + 1
        moved_keys[place] = key
        moved_others[place] = other
        moved[place] = data[p]


@k.kernel
def _sort_bucket(
    starts: k.Array[1],
    keys: k.Array[1],
    others: k.Array[1],
    data: k.Array[1],
    cursors: k.Out[1],
    offsets: k.Out[1],
    moved_others: k.Out[1],
    moved: k.Out[1],
    shift: int,
) -> None:
    """Counts a bucket's keys, which nobody else has, and moves its elements to their places."""
    bucket, works = _worker()
    begin = starts[bucket]
    end = k.where(works, starts[bucket + 1], begin)
    for p in k.steps(begin, end):
        cursors[k.inside(keys[p], cursors.shape[0])] += 1
    place = begin + 0
    first = bucket << shift
    last = k.minimum(first + (1 << shift), cursors.shape[0])
    for key in k.steps(first, k.where(works, last, first)):
        count = cursors[key]
        cursors[key] = place
        place += count
        offsets[key + 1] = place
    for p in k.steps(begin, end):
        key = k.inside(keys[p], cursors.shape[0])
        place = k.inside(cursors[key], moved.shape[0])
        cursors[key] = place + 1
        moved_others[place] = others[p]
        moved[place] = data[p]


def _is_shared(size: int, bound: int) -> bool:
    """Whether so many elements are worth sorting by several threads: a few counters stay in a cache anyway."""
    return bool(way("sort shared by threads", None, size, bound // _BUCKETS))


def _grouped(
    keys: cp.ndarray, others: cp.ndarray, data: cp.ndarray, bound: int, dtype: Any, are_offsets: bool
) -> tuple[cp.ndarray, cp.ndarray, cp.ndarray]:
    """Elements in the stable order of their keys below `bound`, on a CPU: data, others, and where each key begins.

    Blocks of elements go to buckets by the keys' upper bits, each to its part of a bucket; then buckets are sorted by
    counting. Threads share neither counters nor, most of the time, lines of a cache.
    """
    shift = max(0, (bound - 1).bit_length() - (_BUCKETS - 1).bit_length())
    share, buckets = -(-keys.size // _BLOCKS), ((bound - 1) >> shift) + 1
    counts = cp.zeros((_BLOCKS, buckets), np.int64)
    _count_buckets(keys, counts, share, shift, shape=(_BLOCKS * _APART,))
    ends = cp.cumsum(counts.T.reshape(-1))
    starts = cp.zeros(buckets + 1, np.int64)
    starts[1:] = ends[_BLOCKS - 1 :: _BLOCKS]
    cursors = (ends.reshape(buckets, _BLOCKS) - counts.T).T.copy()
    parts = tuple(cp.empty(keys.size, part) for part in (dtype, dtype, data.dtype))
    _move_to_buckets(
        keys, others, data, cursors, *parts, share, shift, are_offsets=are_offsets, shape=(_BLOCKS * _APART,)
    )
    offsets, places = cp.zeros(bound + 1, dtype), cp.zeros(bound, np.int64)
    moved_others, moved = cp.empty(keys.size, dtype), cp.empty(keys.size, data.dtype)
    _sort_bucket(starts, *parts, places, offsets, moved_others, moved, shift, shape=(buckets * _APART,))
    return moved, moved_others, offsets


@k.kernel(ordered=True)
def _move_to_columns(
    indptr: k.Array[1],
    indices: k.Array[1],
    data: k.Array[1],
    cursors: k.Out[1],
    rows: k.Out[1],
    elements: k.Out[1],
) -> None:
    """The next place of its column for each element of a row."""
    row = k.index()
    begin, end = row_range(indptr, row, indices, data)
    for p in k.steps(begin, end):
        column = k.inside(indices[p], cursors.shape[0])
        place = k.inside(cursors[column], rows.shape[0])
        cursors[column] = place + 1
        rows[place] = row
        elements[place] = data[p]


def transposed(
    data: cp.ndarray, indices: cp.ndarray, indptr: cp.ndarray, minors: int
) -> tuple[cp.ndarray, cp.ndarray, cp.ndarray]:
    """The same elements compressed along the other axis; sorted in each row of the result.

    A CPU counts, in order; a GPU's library does it, or it sorts.
    """
    if indices.dtype == indptr.dtype and by_library("transposition", (data, indices, indptr)):
        return _core.sparse_transposed((data, indices, indptr), minors)
    if data.ndim == 1 and _is_shared(indices.size, minors):
        return _grouped(indices, indptr, data, minors, indptr.dtype, are_offsets=True)
    if data.ndim == 1 and indices.size and way("compression") == "sorts":
        columns, rows, elements = sorted_along(indices, minors, rows_of(indptr, indices.size), data)
        return elements, rows, offsets_of_sorted(columns, minors, indptr.dtype)
    offsets = offsets_of(indices, minors, indptr.dtype)
    if data.ndim == 1:
        rows, elements = cp.empty(indices.size, indptr.dtype), cp.empty(indices.size, data.dtype)
        if indices.size:
            cursors = offsets[:-1].copy()
            _move_to_columns(indptr, indices, data, cursors, rows, elements, shape=(indptr.size - 1,))
        return elements, rows, offsets
    order = stable_order(indices, minors)
    return data[order], rows_of(indptr, indices.size)[order], offsets


def sorted_rows(
    data: cp.ndarray, indices: cp.ndarray, indptr: cp.ndarray, minors: int
) -> tuple[cp.ndarray, cp.ndarray, bool | None]:
    """Data and indices with sorted rows, and whether indices repeat in one, if that is known."""
    by_comparison = data.ndim == 1 and way("order within rows") == "comparison"
    if by_comparison:
        ranked = ranked_rows(indptr, indices, data)
        if ranked is not None:
            return ranked
    elif data.ndim == 1 and longest_row(indptr) <= routes.SHORT:
        data, indices = data.copy(), indices.copy()
        return data, indices, bool(sort_rows(indptr, indices, data).any())
    order = order_of(rows_of(indptr, indices.size), indices, indptr.size - 1, minors)
    return data[order], indices[order], None


# -------------------------------------------------------------------------------------------------------------- dense


@k.kernel
def _scatter_rows(indptr: k.Array[1], indices: k.Array[1], data: k.Array[1], dense: k.Out[2], *, width: int) -> None:
    row, lane = (k.index(), 0) if width == 1 else k.coordinates()
    begin, end = row_range(indptr, row, indices, data)
    row = k.inside(row, dense.shape[0])
    for turn in k.steps((end - begin - lane + width - 1) // width):
        p = begin + turn * width + lane
        column = k.inside(indices[p], dense.shape[1])
        # Indices that repeat are added up.
        if width == 1:
            dense[row, column] += data[p]
        else:
            dense.add((row, column), data[p])


def scatter_rows(data: cp.ndarray, indices: cp.ndarray, indptr: cp.ndarray, out: cp.ndarray) -> None:
    """Adds the elements to a dense array."""
    if indices.size:
        width = way("lanes")
        rows = indptr.size - 1
        _scatter_rows(indptr, indices, data, out, width=width, shape=(rows, width) if width > 1 else (rows,))


@k.kernel(ordered=True, bounded=True)
def _scatter(flat: k.Each, data: k.Each, dense: k.Out[1], *, atomic: bool) -> None:
    if atomic:
        dense.add(flat, data)
    else:
        dense[flat] += data


def scatter(flat: cp.ndarray, data: cp.ndarray, out: cp.ndarray) -> None:
    """Adds elements to places of a flat dense array; places may repeat."""
    if flat.size:
        _scatter(flat, data, out, atomic=way("atomics"))


def raveled(coords: tuple[cp.ndarray, ...], shape: tuple[int, ...], order: str = "C") -> cp.ndarray:
    """The positions in a flat array of this shape."""
    total = int(np.prod(shape, dtype=object))
    if total > np.iinfo(np.int64).max:
        raise ValueError("invalid shape: the array has more elements than 64-bit integers count")
    dtype = np.int32 if total <= _INT32_MAX else np.int64
    axes = range(len(shape)) if order == "C" else range(len(shape) - 1, -1, -1)
    flat: Any = None
    for axis in axes:
        part = coords[axis].astype(dtype, copy=False)
        flat = part if flat is None else flat * dtype(shape[axis]) + part
    return flat


def unraveled(flat: cp.ndarray, shape: tuple[int, ...], order: str = "C") -> tuple[cp.ndarray, ...]:
    """The coordinates of positions in a flat array."""
    axes = range(len(shape) - 1, 0, -1) if order == "C" else range(len(shape) - 1)
    found: dict[int, cp.ndarray] = {}
    for axis in axes:
        length = flat.dtype.type(max(shape[axis], 1))
        found[axis] = flat % length
        flat = flat // length
    found[0 if order == "C" else len(shape) - 1] = flat
    return tuple(found[axis] for axis in range(len(shape)))
