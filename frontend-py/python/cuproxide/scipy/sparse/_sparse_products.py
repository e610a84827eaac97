"""Products of two sparse arrays, which are compressed along their rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ... import _cuproxide as _core
from ..._lib import kernel as k
from ..._lib import routes
from ..._lib.routes import way
from ._library import Parts, by_library
from ._structure import (
    merged,
    offsets_among,
    offsets_of,
    order_of,
    row_and_lane,
    row_range,
    rows_of,
)


@k.kernel(bounded=True)
def _table_size(products: k.Each, columns: int):
    """The places of a row's hash table: a power of two, a quarter more than what may be in it, or more."""
    total = k.minimum(products, columns)
    places = k.value(1, np.int64)
    while 4 * places < 5 * total:
        places = places * 2
    return k.where(total == 0, 0, places)


@k.kernel(bounded=True)
def _multiply_row(
    a_indptr: k.Array[1],
    a_indices: k.Array[1],
    a_data: k.Array[1],
    b_indptr: k.Array[1],
    b_indices: k.Array[1],
    b_data: k.Array[1],
    table: k.Array[1],
    keys: k.Out[1],
    values: k.Out[1],
):
    """Adds the products of a row up in its hash table, and returns how many places are taken."""
    row = k.index()
    begin = table[row]
    mask = table[row + 1] - begin - 1
    count = k.value(0, np.int64)
    first, last = row_range(a_indptr, row, a_indices)
    for p in k.steps(first, last):
        source, factor = a_indices[p], a_data[p].astype(values.dtype)
        start, stop = row_range(b_indptr, source, b_indices)
        for q in k.steps(start, stop):
            column = b_indices[q].astype(keys.dtype)
            # Neighbouring columns go to neighbouring places.
            place = column.astype(np.int64) & mask
            tries = k.value(0, np.int64)
            while tries <= mask and keys[begin + place] != -1 and keys[begin + place] != column:
                place, tries = (place + 1) & mask, tries + 1
            if keys[begin + place] == -1:
                keys[begin + place] = column
                count += 1
            values[begin + place] += factor * b_data[q].astype(values.dtype)
    return count


@k.kernel(bounded=True)
def _gather_row(
    table: k.Array[1],
    keys: k.Array[1],
    values: k.Array[1],
    indptr: k.Array[1],
    indices: k.Out[1],
    data: k.Out[1],
    *,
    sort: bool,
) -> None:
    """Moves a row out of its hash table; if `sort`, inserted from the end on."""
    row = k.index()
    begin, end = indptr[row].astype(np.int64), indptr[row].astype(np.int64)
    for p in k.steps(table[row], table[row + 1]):
        column = keys[p]
        if column != -1:
            q = end
            if sort:
                while q > begin and indices[q - 1] > column:
                    indices[q] = indices[q - 1]
                    data[q] = data[q - 1]
                    q -= 1
            indices[q] = column
            data[q] = values[p]
            end += 1


@k.kernel(ordered=True)
def _accumulate_row(
    a_indptr: k.Array[1],
    a_indices: k.Array[1],
    a_data: k.Array[1],
    b_indptr: k.Array[1],
    b_indices: k.Array[1],
    b_data: k.Array[1],
    marks: k.Out[1],
    end: k.Out[1],
    indices: k.Out[1],
    data: k.Out[1],
):
    """Appends a row of the result to those before it; `marks` says where a column was stored last."""
    row = k.index()
    begin = end[0]
    place = begin
    first, last = row_range(a_indptr, row, a_indices, a_data)
    for p in k.steps(first, last):
        source, factor = a_indices[p], a_data[p].astype(data.dtype)
        start, stop = row_range(b_indptr, source, b_indices, b_data)
        for q in k.steps(start, stop):
            column, product = k.inside(b_indices[q], marks.shape[0]), factor * b_data[q].astype(data.dtype)
            known = marks[column]
            if known >= begin:
                data[known] += product
            elif place < data.shape[0]:
                marks[column] = place
                indices[place] = column
                data[place] = product
                place += 1
    end[0] = place
    return place - begin


@k.segments("add", bounded=True)
def _products_of_row(p, a_indices: k.Array[1], b_indptr: k.Array[1]):
    source = a_indices[p]
    return b_indptr[source + 1].astype(np.int64) - b_indptr[source].astype(np.int64)


def _in_order(a: Parts, b: Parts, rows: int, columns: int, dtype: Any, index: Any) -> Any:
    """The product on a CPU, row after row, with one place for each column; nothing if there are too many columns."""
    most = int(_products_of_row(a[2][:-1], a[2][1:], a[1], b[2], over=a[1].size).sum())
    if columns > 4 * most + (1 << 16):
        return None
    marks, end = cp.full(columns, -1, np.int64), cp.zeros(1, np.int64)
    indices, data = cp.empty(most, index), cp.empty(most, dtype)
    counts = _accumulate_row(*(a[2], a[1], a[0], b[2], b[1], b[0], marks, end, indices, data), shape=(rows,))
    indptr = cp.zeros(rows + 1, index if most <= np.iinfo(index).max else np.int64)
    indptr[1:] = cp.cumsum(counts)
    stored = int(end[0])
    if stored < most:
        indices, data = indices[:stored].copy(), data[:stored].copy()
    return data, indices.astype(indptr.dtype, copy=False), indptr, None


@k.kernel(bounded=True)
def _products_of(a_indices: k.Each, b_indptr: k.Array[1]):
    """How many products an element of the first operand is in."""
    return b_indptr[a_indices + 1].astype(np.int64) - b_indptr[a_indices].astype(np.int64)


@k.kernel(bounded=True)
def _expand(
    a_indices: k.Array[1],
    a_data: k.Array[1],
    b_indptr: k.Array[1],
    b_indices: k.Array[1],
    b_data: k.Array[1],
    ends: k.Array[1],
    columns: k.Out[1],
    values: k.Out[1],
    *,
    width: int,
) -> None:
    """Writes down the products of an element of the first operand with a row of the second, and their columns."""
    element, lane = row_and_lane(width)
    source, factor = a_indices[element], a_data[element].astype(values.dtype)
    begin, end = row_range(b_indptr, source, b_indices)
    place = ends[element] - end
    for q in k.steps(begin + lane, end, width):
        columns[place + q] = b_indices[q]
        values[place + q] = factor * b_data[q].astype(values.dtype)


def _expanded(
    a: Parts, b: Parts, ends: cp.ndarray, total: int, dtype: Any, index: Any
) -> tuple[cp.ndarray, cp.ndarray]:
    """The column and the value of each product, in the order of the elements of the first operand."""
    columns, values = cp.empty(total, index), cp.empty(total, dtype)
    width = way("team", None, total, a[1].size)
    _expand(a[1], a[0], b[2], b[1], b[0], ends, columns, values, width=width, shape=(a[1].size * width,))
    return columns, values


@k.kernel(bounded=True)
def _mark_repeats(offsets: k.Array[1], columns: k.Array[1], marked: k.Out[1], *, width: int) -> None:
    """Turns the bits of a column over if an earlier product of the row is in it."""
    row, lane = row_and_lane(width)
    begin, end = offsets[row], offsets[row + 1]
    for i in k.steps(begin + lane, end, width):
        column, repeats = columns[i], False
        for j in k.steps(begin, i):
            repeats = repeats | (columns[j] == column)
        marked[i] = k.where(repeats, ~column, column)


@k.segments("add", bounded=True)
def _columns_of_row(i, marked: k.Array[1]):
    return (marked[i] >= 0).astype(np.int64)


@k.kernel(bounded=True)
def _add_up(
    offsets: k.Array[1],
    marked: k.Array[1],
    values: k.Array[1],
    indptr: k.Array[1],
    indices: k.Out[1],
    data: k.Out[1],
    *,
    width: int,
) -> None:
    """The first product of each column adds the others up, behind the smaller columns of its row."""
    row, lane = row_and_lane(width)
    begin, end = offsets[row], offsets[row + 1]
    for i in k.steps(begin + lane, end, width):
        column = marked[i]
        if column >= 0:
            place, total = indptr[row].astype(np.int64), k.value(0, data.dtype)
            for j in k.steps(begin, end):
                other = marked[j]
                place += k.where((other >= 0) & (other < column), 1, 0)
                if other == column or other == ~column:
                    total += values[j]
            indices[place] = column
            data[place] = total


def _ranked_product(offsets: cp.ndarray, places: cp.ndarray, values: cp.ndarray, rows: int) -> Parts:
    """The product on a GPU if no row adds up more than `RANKED` products: each is compared with all of its row."""
    total, index = places.size, places.dtype
    width = way("team", None, total, rows)
    marked = cp.empty_like(places)
    _mark_repeats(offsets, places, marked, width=width, shape=(rows * width,))
    indptr = cp.zeros(rows + 1, index)
    indptr[1:] = cp.cumsum(_columns_of_row(offsets[:-1], offsets[1:], marked, over=total), dtype=index)
    stored = int(indptr[-1])
    indices, data = cp.empty(stored, index), cp.empty(stored, values.dtype)
    _add_up(offsets, marked, values, indptr, indices, data, width=width, shape=(rows * width,))
    return data, indices, indptr


def _sorted_product(offsets: cp.ndarray, places: cp.ndarray, values: cp.ndarray, rows: int, columns: int) -> Parts:
    """The product on a GPU if a row adds up many products: all of them are sorted by their places."""
    numbers = rows_of(offsets, places.size)
    order = order_of(numbers, places, rows, columns)
    numbers, indices, data = merged(numbers[order], places[order], values, order)
    return data, indices, offsets_of(numbers, rows, places.dtype)


def sparse_product(
    a: Parts, b: Parts, rows: int, columns: int, dtype: Any, index: Any, is_canonical: Callable[[], bool]
) -> tuple[cp.ndarray, cp.ndarray, cp.ndarray, bool | None]:
    """The product of two arrays that are compressed along their rows, sorted and without duplicates if `is_canonical`.

    Returns data, indices, offsets, and whether the indices are sorted, nothing if that is not known: they are left as
    they come, as SciPy leaves them, and sorted when somebody needs it.
    """
    if not (rows and columns and a[1].size and b[1].size):
        return cp.zeros(0, dtype), cp.zeros(0, index), cp.zeros(rows + 1, index), True
    if way("product in order"):
        made = _in_order(a, b, rows, columns, dtype, index)
        if made is not None:
            return made
    is_narrow = a[2].dtype == b[2].dtype == a[1].dtype == b[1].dtype == index
    if is_narrow and by_library("product", a, b[0]) and is_canonical():
        return *_core.sparse_multiply(a, b, columns), None
    ends = cp.cumsum(_products_of(a[1], b[2]))
    offsets = offsets_among(a[2], ends)
    products = offsets[1:] - offsets[:-1]
    total, longest = cp.stack((offsets[-1], products.max())).tolist()
    form = way("sparse product", None, total, longest)
    if form != "tables":
        expanded = _expanded(a, b, ends, total, dtype, index)
        if form == "comparison":
            return *_ranked_product(offsets, *expanded, rows), True
        return *_sorted_product(offsets, *expanded, rows, columns), True
    table = cp.zeros(rows + 1, np.int64)
    table[1:] = cp.cumsum(_table_size(products, columns))
    places = int(table[-1])
    keys, values = cp.full(places, -1, index), cp.zeros(places, dtype)
    counts = _multiply_row(a[2], a[1], a[0], b[2], b[1], b[0], table, keys, values, shape=(rows,))
    indptr = cp.zeros(rows + 1, np.int64)
    indptr[1:] = cp.cumsum(counts)
    stored, longest = cp.stack((indptr[-1], counts.max())).tolist()
    if stored > np.iinfo(index).max:
        index = np.int64
    indptr = indptr.astype(index, copy=False)
    indices, data = cp.empty(stored, index), cp.empty(stored, dtype)
    _gather_row(table, keys, values, indptr, indices, data, sort=longest <= routes.SHORT, shape=(rows,))
    return data, indices, indptr, longest <= routes.SHORT
