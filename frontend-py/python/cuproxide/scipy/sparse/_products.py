"""Products of sparse arrays with dense ones and with each other.

`rows` are the arrays (data, indices, indptr) of an array compressed along the axis that the result keeps; of `columns`
it is the axis that is summed over.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ..._lib import kernel as k
from ._structure import lanes, row_order

Parts = tuple[cp.ndarray, cp.ndarray, cp.ndarray]

_SHORT = 64
"""Rows up to this length are sorted by insertion."""


@k.segments("add")
def _row_times_vector(p, data: k.Array[1], indices: k.Array[1], x: k.Array[1], *, dtype: Any):
    return data[p].astype(dtype) * x[indices[p]].astype(dtype)


def rows_times_vector(parts: Parts, rows: int, x: cp.ndarray, dtype: Any) -> cp.ndarray:
    """The product with a vector: one fold of ranges, which shares out elements and not rows."""
    data, indices, indptr = parts
    if not (rows and indices.size):
        return cp.zeros(rows, dtype)
    return _row_times_vector(indptr[:-1], indptr[1:], data, indices, x, over=indices.size, dtype=np.dtype(dtype))


@k.kernel
def _row_times_columns(
    indptr: k.Array[1],
    indices: k.Array[1],
    data: k.Array[1],
    x: k.Array[2],
    y: k.Out[2],
    groups: int,
    *,
    dtype: Any,
    width: int,
    near: bool,
) -> None:
    """Each point takes several columns: neighbours, or as far apart as there are points in a row."""
    row, group = k.coordinates()
    first, step = (group * width, 1) if near else (group, groups)
    totals = tuple(k.value(0, dtype) for _ in range(width))
    for p in k.steps(indptr[row], indptr[row + 1]):
        element, source = data[p].astype(dtype), indices[p]
        totals = tuple(
            total + element * x[source, first + step * number].astype(dtype) for number, total in enumerate(totals)
        )
    for number in range(width):
        y[row, first + step * number] = totals[number]


def rows_times_columns(parts: Parts, rows: int, x: cp.ndarray, dtype: Any) -> cp.ndarray:
    """The product with a matrix."""
    data, indices, indptr = parts
    result = cp.empty((rows, x.shape[1]), dtype)
    # Neighbouring threads of a GPU read neighbouring columns, a thread of a CPU all of them.
    near = lanes() == 1
    for first, last, width in _groups(x.shape[1], 16 if near else 4):
        groups = (last - first) // width
        if rows:
            _row_times_columns(
                *(indptr, indices, data, x[:, first:last], result[:, first:last], groups),
                dtype=np.dtype(dtype),
                width=width,
                near=near,
                shape=(rows, groups),
            )
    return result


def _groups(columns: int, width: int) -> list[tuple[int, int, int]]:
    """Ranges of columns, and how many columns a point takes in each: powers of two up to `width`."""
    found, first = [], 0
    while first < columns:
        while width > columns - first:
            width //= 2
        last = columns - (columns - first) % width
        found.append((first, last, width))
        first = last
    return found


@k.kernel(ordered=True)
def _column_times_vector(
    indptr: k.Array[1], indices: k.Array[1], data: k.Array[1], x: k.Array[1], y: k.Out[1], *, width: int
) -> None:
    column, lane = (k.index(), 0) if width == 1 else k.coordinates()
    factor = x[column].astype(y.dtype)
    if width == 1:
        for p in k.steps(indptr[column], indptr[column + 1]):
            y[indices[p]] += data[p].astype(y.dtype) * factor
    else:
        p = indptr[column] + lane
        while p < indptr[column + 1]:
            y.add(indices[p], data[p].astype(y.dtype) * factor)
            p += width


def columns_times_vector(parts: Parts, rows: int, x: cp.ndarray, dtype: Any) -> cp.ndarray:
    """The product with a vector: by atomics on a GPU, column by column on a CPU."""
    data, indices, indptr = parts
    result = cp.zeros(rows, dtype)
    if indices.size:
        width = lanes()
        points = (x.shape[0], width) if width > 1 else x.shape
        _column_times_vector(indptr, indices, data, x, result, width=width, shape=points)
    return result


@k.kernel(ordered=True)
def _column_times_columns(
    indptr: k.Array[1], indices: k.Array[1], data: k.Array[1], x: k.Array[2], y: k.Out[2], *, width: int, atomic: bool
) -> None:
    """One column of the result on a GPU, `width` neighbours on a CPU."""
    column, group = k.coordinates()
    factors = tuple(x[column, group * width + number].astype(y.dtype) for number in range(width))
    for p in k.steps(indptr[column], indptr[column + 1]):
        element, target = data[p].astype(y.dtype), indices[p]
        if atomic:
            y.add((target, group), element * factors[0])
        else:
            for number in range(width):
                y[target, group * width + number] += element * factors[number]


def columns_times_columns(parts: Parts, rows: int, x: cp.ndarray, dtype: Any) -> cp.ndarray:
    """The product with a matrix: by atomics on a GPU, column by column on a CPU."""
    data, indices, indptr = parts
    result = cp.zeros((rows, x.shape[1]), dtype)
    if not indices.size:
        return result
    for first, last, width in _groups(x.shape[1], 8 if lanes() == 1 else 1):
        _column_times_columns(
            *(indptr, indices, data, x[:, first:last], result[:, first:last]),
            width=width,
            atomic=lanes() > 1,
            shape=(x.shape[0], (last - first) // width),
        )
    return result


# ------------------------------------------------------------------------------------------------ sparse times sparse


@k.kernel
def _count_products(a_indptr: k.Array[1], a_indices: k.Array[1], b_indptr: k.Array[1]):
    """How many products a row of the result adds up, in a table of twice that many places or more."""
    row = k.index()
    total = k.value(0, np.int64)
    for p in k.steps(a_indptr[row], a_indptr[row + 1]):
        source = a_indices[p]
        total += b_indptr[source + 1].astype(np.int64) - b_indptr[source].astype(np.int64)
    places = k.value(1, np.int64)
    while places < 2 * total:
        places = places * 2
    return k.where(total == 0, 0, places)


@k.kernel
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
    for p in k.steps(a_indptr[row], a_indptr[row + 1]):
        source, factor = a_indices[p], a_data[p].astype(values.dtype)
        for q in k.steps(b_indptr[source], b_indptr[source + 1]):
            column = b_indices[q].astype(keys.dtype)
            # Neighbouring columns go to neighbouring places.
            place = column.astype(np.int64) & mask
            while keys[begin + place] != -1 and keys[begin + place] != column:
                place = (place + 1) & mask
            if keys[begin + place] == -1:
                keys[begin + place] = column
                count += 1
            values[begin + place] += factor * b_data[q].astype(values.dtype)
    return count


@k.kernel
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


def sparse_product(a: Parts, b: Parts, rows: int, columns: int, dtype: Any, index: Any) -> Parts:
    """Data, indices and offsets of the product of two arrays that are compressed along their rows."""
    if not (rows and columns and a[1].size and b[1].size):
        return cp.zeros(0, dtype), cp.zeros(0, index), cp.zeros(rows + 1, index)
    table = cp.zeros(rows + 1, np.int64)
    table[1:] = cp.cumsum(_count_products(a[2], a[1], b[2], shape=(rows,)))
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
    _gather_row(table, keys, values, indptr, indices, data, sort=longest <= _SHORT, shape=(rows,))
    if longest > _SHORT:
        order, _ = row_order(indices, indptr, rows, columns)
        data, indices = data[order], indices[order]
    return data, indices, indptr
