"""Products of sparse arrays with dense ones.

`rows` are the arrays (data, indices, indptr) of an array compressed along the axis that the result keeps; of `columns`
it is the axis that is summed over.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ... import _cuproxide as _core
from ..._lib import kernel as k
from ..._lib import routes
from ..._lib.routes import way
from ._library import Parts, by_library
from ._structure import row_range

_FEW = 8
"""Rows of a lower average length are short to a library."""


def library_times(parts: Parts, columns: int, x: cp.ndarray) -> cp.ndarray | None:
    """The product of rows with a vector or a matrix by the device's library; nothing if kernels are to do it."""
    data, indices, indptr = parts
    rows = indptr.size - 1
    if indices.size > rows * columns:
        return None  # libraries refuse more elements than a dense array has, as repeated places can be
    work = "columns" if x.ndim > 1 else "short rows" if indices.size < _FEW * rows else "vector"
    return _core.sparse_times(parts, columns, x) if by_library(work, parts, x) else None


@k.segments("add")
def _row_times_vector(p, data: k.Array[1], indices: k.Array[1], x: k.Array[1], *, dtype: Any):
    return data[p].astype(dtype) * x[k.inside(indices[p], x.shape[0])].astype(dtype)


@k.kernel
def _short_row_times_vector(indptr: k.Array[1], indices: k.Array[1], data: k.Array[1], x: k.Array[1], *, dtype: Any):
    row = k.index()
    total = k.value(0, dtype)
    begin, end = row_range(indptr, row, indices, data)
    for p in k.steps(begin, end):
        total += data[p].astype(dtype) * x[k.inside(indices[p], x.shape[0])].astype(dtype)
    return total


def rows_times_vector(parts: Parts, rows: int, x: cp.ndarray, dtype: Any) -> cp.ndarray:
    """The product with a vector: one fold of ranges, which shares out elements and not rows."""
    data, indices, indptr = parts
    if not (rows and indices.size):
        return cp.zeros(rows, dtype)
    if way("rows times vector", None, indices.size, rows) == "whole rows":
        return _short_row_times_vector(indptr, indices, data, x, dtype=np.dtype(dtype), shape=(rows,))
    return _row_times_vector(
        indptr[:-1], indptr[1:], data, indices, x, over=min(indices.size, data.size), dtype=np.dtype(dtype)
    )


def is_skewed(indptr: cp.ndarray, size: int) -> bool | None:
    """Whether other threads would wait for that of the longest row: a read, and None while the stream captures."""
    rows = indptr.size - 1
    if not way("may be skewed", None, size, rows):
        return False
    if cp.cuda.get_current_stream().is_capturing():
        return None
    longest = int((indptr[1:] - indptr[:-1]).max())
    return bool(way("skewed", None, longest, size, rows))


@k.kernel(bounded=True)
def _place_rows(offsets: k.Each, cuts: k.Out[1], *, piece: int):
    """Where rows begin among all cuts: after the multiples of a piece's length that lie before."""
    begin = offsets.astype(np.int64)
    place = k.index() + k.where(begin > 0, (begin - 1) // piece, 0)
    cuts[place] = begin
    return place


@k.kernel(bounded=True)
def _place_multiples(indptr: k.Array[1], cuts: k.Out[1], *, piece: int) -> None:
    """The other cuts: after the rows that begin there or before."""
    number = k.index() + 1
    low, high = k.value(0, np.int64), indptr.shape[0] - 1
    while low < high:
        middle = (low + high) // 2
        if indptr[middle] <= number * piece:
            low = middle + 1
        else:
            high = middle
    cuts[number - 1 + low] = number * piece


def skewed_rows_times_vector(parts: Parts, rows: int, x: cp.ndarray, dtype: Any) -> cp.ndarray:
    """The product where few rows hold much: sums of pieces of at most `PIECE` elements, then of each row's pieces.

    How many pieces there are is known without looking: one a row, and one more for each multiple of a piece's length.
    """
    data, indices, indptr = parts
    dtype = np.dtype(dtype)
    if way("long rows") == "shares":
        return _row_times_vector(
            indptr[:-1], indptr[1:], data, indices, x, over=min(indices.size, data.size), dtype=dtype
        )
    multiples = (indices.size - 1) // routes.PIECE
    cuts = cp.empty(rows + multiples + 1, np.int64)
    places = _place_rows(indptr, cuts, piece=routes.PIECE)
    _place_multiples(indptr, cuts, piece=routes.PIECE, shape=(multiples,))
    sums = _row_times_vector(cuts[:-1], cuts[1:], data, indices, x, over=min(indices.size, data.size), dtype=dtype)
    return _row_sum(places[:-1], places[1:], sums, over=sums.size, dtype=dtype)


@k.segments("add")
def _row_sum(p, data: k.Array[1], *, dtype: Any):
    return data[p].astype(dtype)


def row_sums(parts: Parts, rows: int, dtype: Any) -> cp.ndarray:
    """The sum of each row."""
    data, _, indptr = parts
    if not (rows and data.size):
        return cp.zeros(rows, dtype)
    return _row_sum(indptr[:-1], indptr[1:], data, over=data.size, dtype=np.dtype(dtype))


@k.kernel
def _row_times_columns(
    indptr: k.Array[1],
    indices: k.Array[1],
    data: k.Array[1],
    x: k.Array[3],
    y: k.Out[3],
    *,
    dtype: Any,
    width: int,
    near: bool,
) -> None:
    """Each point takes several columns of its group, which are the last axis, or the last but one."""
    row, group = k.coordinates()
    begin, end = row_range(indptr, row, indices, data)
    totals = tuple(k.value(0, dtype) for _ in range(width))
    # Counted from 0, and all factors before the first sum: a GPU has more loads under way.
    for turn in k.steps(end - begin):
        element, source = data[begin + turn].astype(dtype), k.inside(indices[begin + turn], x.shape[0])
        factors = tuple((x[source, group, c] if near else x[source, c, group]).astype(dtype) for c in range(width))
        totals = tuple(totals[c] + element * factors[c] for c in range(width))
    for number in range(width):
        if near:
            y[row, group, number] = totals[number]
        else:
            y[row, number, group] = totals[number]


def rows_times_columns(parts: Parts, rows: int, x: cp.ndarray, dtype: Any) -> cp.ndarray:
    """The product with a matrix."""
    data, indices, indptr = parts
    result = cp.empty((rows, x.shape[1]), dtype)
    # Neighbouring threads of a GPU read neighbouring columns, a thread of a CPU all of them.
    most, near = way("columns of a point")
    for first, last, width in _groups(x.shape[1], most):
        count = (last - first) // width
        split = (count, width) if near else (width, count)
        if rows:
            _row_times_columns(
                *(indptr, indices, data),
                *(part[:, first:last].reshape(part.shape[0], *split) for part in (x, result)),
                dtype=np.dtype(dtype),
                width=width,
                near=near,
                shape=(rows, count),
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
    begin, end = row_range(indptr, column, indices, data)
    for turn in k.steps((end - begin - lane + width - 1) // width):
        p = begin + turn * width + lane
        product = data[p].astype(y.dtype) * factor
        row = k.inside(indices[p], y.shape[0])
        if width == 1:
            y[row] += product
        else:
            y.add(row, product)


def columns_times_vector(parts: Parts, rows: int, x: cp.ndarray, dtype: Any) -> cp.ndarray:
    """The product with a vector: by atomics on a GPU, column by column on a CPU."""
    data, indices, indptr = parts
    result = cp.zeros(rows, dtype)
    if indices.size:
        width = way("lanes")
        points = (x.shape[0], width) if width > 1 else x.shape
        _column_times_vector(indptr, indices, data, x, result, width=width, shape=points)
    return result


@k.kernel(ordered=True)
def _column_times_columns(
    indptr: k.Array[1],
    indices: k.Array[1],
    data: k.Array[1],
    x: k.Array[3],
    y: k.Out[3],
    *,
    width: int,
    atomic: bool,
) -> None:
    """One column of the result on a GPU, `width` neighbours on a CPU."""
    column, group = k.coordinates()
    factors = tuple(x[column, group, number].astype(y.dtype) for number in range(width))
    begin, end = row_range(indptr, column, indices, data)
    for p in k.steps(begin, end):
        element, target = data[p].astype(y.dtype), k.inside(indices[p], y.shape[0])
        for number in range(width):
            if atomic:
                y.add((target, group, number), element * factors[number])
            else:
                y[target, group, number] += element * factors[number]


def columns_times_columns(parts: Parts, rows: int, x: cp.ndarray, dtype: Any) -> cp.ndarray:
    """The product with a matrix: by atomics on a GPU, column by column on a CPU."""
    data, indices, indptr = parts
    result = cp.zeros((rows, x.shape[1]), dtype)
    if not indices.size:
        return result
    for first, last, width in _groups(x.shape[1], way("columns added by a point")):
        count = (last - first) // width
        _column_times_columns(
            *(indptr, indices, data),
            *(part[:, first:last].reshape(part.shape[0], count, width) for part in (x, result)),
            width=width,
            atomic=way("atomics"),
            shape=(x.shape[0], count),
        )
    return result
