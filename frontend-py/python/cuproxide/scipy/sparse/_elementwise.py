"""Functions of two sparse arrays, element by element."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import cuproxide as cp

from ..._lib import kernel as k
from ..._lib.routes import way
from ._checks import SparseEfficiencyWarning, broadcast_shape, index_dtype, is_scalar, together, upcast
from ._devices import outside
from ._kinds import Sparse
from ._structure import copy_range, row_and_lane, row_range

COMPARISONS = frozenset("equal not_equal less less_equal greater greater_equal".split())


@k.function
def _apply(x, y, name, dtype):
    """A function of two elements in their common type."""
    x, y = x.astype(dtype), y.astype(dtype)
    if name == "subtract" and dtype == np.bool_:
        return x ^ y
    if name == "maximum":
        return k.where(x < y, y, x)
    if name == "minimum":
        return k.where(y < x, y, x)
    if name == "divide" and dtype.kind in "iu":
        # Truncated, and zero for a division by zero.
        bottom = k.where(y == 0, 1, y)
        quotient = x // bottom
        if dtype.kind == "i":
            quotient = quotient + k.where((quotient < 0) & (quotient * bottom != x), 1, 0).astype(dtype)
        return k.where(y == 0, 0, quotient).astype(dtype)
    return k.ufunc(name)(x, y)


@k.function
def _times_zero(x, dtype):
    """What an element of one operand alone becomes in a product."""
    return x.astype(dtype) * k.value(0, dtype) if dtype.kind in "fc" else k.value(0, dtype)


@k.function
def _choose(is_first, x, y):
    """`x` or `y`, by their bits: a CPU jumps to choose between floating point numbers, and cannot foresee where to."""
    dtype = x.dtype
    if dtype.kind == "f" and dtype.itemsize > 2:
        bits = np.dtype(f"i{dtype.itemsize}")
        return k.where(is_first, x.view(bits), y.view(bits)).view(dtype)
    return k.where(is_first, x, y)


@k.kernel
def _merge(
    a_indptr: k.Array[1],
    a_indices: k.Array[1],
    a_data: k.Array[1],
    b_indptr: k.Array[1],
    b_indices: k.Array[1],
    b_data: k.Array[1],
    indices: k.Out[1],
    data: k.Out[1],
    *,
    name: str,
    dtype: Any,
):
    """Writes a row of the result behind those of both operands before it, and returns its length without zeros."""
    row = k.index()
    p, p_end = row_range(a_indptr, row, a_indices, a_data)
    q, q_end = row_range(b_indptr, row, b_indices, b_data)
    begin = p + q
    place = begin
    if name == "multiply":
        # Few elements are in both rows: what is not written touches no memory.
        while p < p_end and q < q_end:
            i, j = a_indices[p], b_indices[q]
            in_a, in_b = i <= j, j <= i
            if in_a & in_b:
                z = _apply(a_data[p], b_data[q], name, dtype)
                if z != 0:
                    indices[place] = i
                    data[place] = z
                    place += 1
            else:
                # Infinity and NaN times 0 is not 0.
                z = _times_zero(_choose(in_a, a_data[p].astype(dtype), b_data[q].astype(dtype)), dtype)
                if z != 0:
                    indices[place] = k.minimum(i.astype(np.int64), j.astype(np.int64))
                    data[place] = z
                    place += 1
            p += in_a.astype(np.int64)
            q += in_b.astype(np.int64)
        while p < p_end:
            z = _times_zero(a_data[p], dtype)
            if z != 0:
                indices[place] = a_indices[p]
                data[place] = z
                place += 1
            p += 1
        while q < q_end:
            z = _times_zero(b_data[q], dtype)
            if z != 0:
                indices[place] = b_indices[q]
                data[place] = z
                place += 1
            q += 1
        return place - begin
    # Without branches: an element that is zero is overwritten by the next one.
    while p < p_end and q < q_end:
        i, j = a_indices[p].astype(np.int64), b_indices[q].astype(np.int64)
        in_a, in_b = i <= j, j <= i
        x = _choose(in_a, a_data[p], k.value(0, a_data.dtype))
        y = _choose(in_b, b_data[q], k.value(0, b_data.dtype))
        z = _apply(x, y, name, dtype)
        indices[place] = k.minimum(i, j)
        data[place] = z
        place += (z != 0).astype(np.int64)
        p += in_a.astype(np.int64)
        q += in_b.astype(np.int64)
    while p < p_end:
        z = _apply(a_data[p], k.value(0, b_data.dtype), name, dtype)
        indices[place] = a_indices[p]
        data[place] = z
        place += (z != 0).astype(np.int64)
        p += 1
    while q < q_end:
        z = _apply(k.value(0, a_data.dtype), b_data[q], name, dtype)
        indices[place] = b_indices[q]
        data[place] = z
        place += (z != 0).astype(np.int64)
        q += 1
    return place - begin


@k.kernel
def _close_up(
    a_indptr: k.Array[1],
    b_indptr: k.Array[1],
    wide_indices: k.Array[1],
    wide_data: k.Array[1],
    indptr: k.Array[1],
    indices: k.Out[1],
    data: k.Out[1],
) -> None:
    """Moves a row to its place."""
    row = k.index()
    source, target = a_indptr[row].astype(np.int64) + b_indptr[row], indptr[row].astype(np.int64)
    count = indptr[row + 1].astype(np.int64) - target
    copy_range(wide_indices, wide_data, source, indices, data, target, count)


def merged_rows(a: Any, b: Any, name: str) -> tuple[cp.ndarray, cp.ndarray, cp.ndarray]:
    """Data, indices and offsets of a function of two canonical arrays that are compressed along the same axis."""
    dtype = upcast(a.dtype, b.dtype)
    result = np.dtype(bool) if name in COMPARISONS else dtype
    operands = (*a._parts[::-1], *b._parts[::-1])
    rows, most = operands[0].size - 1, operands[1].size + operands[4].size
    index = index_dtype(a.shape, most, (a, b))
    if not (rows and most):
        return cp.zeros(0, result), cp.zeros(0, index), cp.zeros(rows + 1, index)
    if way("rows merged") == "element by element":
        return _placed_rows(a, b, name, dtype, result, index)
    indices, data = cp.empty(most, index), cp.empty(most, result)
    indptr = cp.zeros(rows + 1, index)
    indptr[1:] = cp.cumsum(_merge(*operands, indices, data, name=name, dtype=dtype, shape=(rows,)), dtype=index)
    stored = int(indptr[-1])
    if stored == most:
        return data, indices, indptr
    wide, (indices, data) = (indices, data), (cp.empty(stored, index), cp.empty(stored, result))
    if stored:
        _close_up(operands[0], operands[3], *wide, indptr, indices, data, shape=(rows,))
    return data, indices, indptr


# ---------------------------------------------------------------------------------------------- element by element, GPU


@k.function
def _elements(indptr, indices, width):
    """The row of a point, and the range of it whose elements the point takes, `width` apart.

    With `width` 0 a point takes the element of its own number, and looks for its row.
    """
    if width == 0:
        p = k.index()
        low, high = k.value(0, np.int64), indptr.shape[0] - 1
        while low < high:
            middle = (low + high) >> 1
            beyond = indptr[middle + 1] > p
            low, high = k.where(beyond, low, middle + 1), k.where(beyond, middle, high)
        row = k.minimum(low, indptr.shape[0] - 2)
        return row, p, k.minimum(p + 1, indptr[row + 1].astype(np.int64))
    row, lane = row_and_lane(width)
    begin, end = row_range(indptr, row, indices)
    return row, begin + lane, end


@k.function
def _find(indices, begin, end, index):
    """The first position of a sorted row whose index is not smaller, and whether it is equal."""
    low, high = begin, end
    while low < high:
        middle = (low + high) >> 1
        smaller = indices[middle].astype(np.int64) < index
        low, high = k.where(smaller, middle + 1, low), k.where(smaller, high, middle)
    return low, low < end and indices[low].astype(np.int64) == index


@k.kernel(bounded=True)
def _compare_rows(
    a_indptr: k.Array[1],
    a_indices: k.Array[1],
    a_data: k.Array[1],
    b_indptr: k.Array[1],
    b_indices: k.Array[1],
    b_data: k.Array[1],
    kept: k.Out[1],
    *,
    name: str,
    dtype: Any,
    width: int,
) -> None:
    """Whether the function of each element is kept, at its place in the rows of both operands merged.

    Few products are: what `kept` holds already is that none is.
    """
    is_rare = name == "multiply"
    row, first, last = _elements(a_indptr, a_indices, width)
    begin, end = row_range(b_indptr, row, b_indices)
    for p in k.steps(first, last, max(width, 1)):
        q, both = _find(b_indices, begin, end, a_indices[p].astype(np.int64))
        y = k.value(0, b_data.dtype)
        if both:
            y = b_data[q]
        keeps = _apply(a_data[p], y, name, dtype) != 0
        if is_rare:
            if keeps:
                kept[p + q] = True
        else:
            kept[p + q] = keeps
    row, first, last = _elements(b_indptr, b_indices, width)
    begin, end = row_range(a_indptr, row, a_indices)
    for q in k.steps(first, last, max(width, 1)):
        # An element of both is counted where the first operand has it.
        keeps = _apply(k.value(0, a_data.dtype), b_data[q], name, dtype) != 0
        if is_rare:
            if keeps:
                p, both = _find(a_indices, begin, end, b_indices[q].astype(np.int64))
                if not both:
                    kept[p + q] = True
        else:
            p, both = _find(a_indices, begin, end, b_indices[q].astype(np.int64))
            kept[p + q + k.where(both, 1, 0)] = keeps & ~both


@k.kernel(bounded=True)
def _write_rows(
    a_indptr: k.Array[1],
    a_indices: k.Array[1],
    a_data: k.Array[1],
    b_indptr: k.Array[1],
    b_indices: k.Array[1],
    b_data: k.Array[1],
    kept: k.Array[1],
    counts: k.Array[1],
    indices: k.Out[1],
    data: k.Out[1],
    *,
    name: str,
    dtype: Any,
    width: int,
) -> None:
    """Writes what is kept; `counts` are the sums of `kept` up to each place."""
    row, first, last = _elements(a_indptr, a_indices, width)
    begin, end = row_range(b_indptr, row, b_indices)
    for p in k.steps(first, last, max(width, 1)):
        q, both = _find(b_indices, begin, end, a_indices[p].astype(np.int64))
        if kept[p + q]:
            y = k.value(0, b_data.dtype)
            if both:
                y = b_data[q]
            place = counts[p + q] - 1
            indices[place] = a_indices[p]
            data[place] = _apply(a_data[p], y, name, dtype)
    row, first, last = _elements(b_indptr, b_indices, width)
    begin, end = row_range(a_indptr, row, a_indices)
    for q in k.steps(first, last, max(width, 1)):
        p, both = _find(a_indices, begin, end, b_indices[q].astype(np.int64))
        if not both:
            if kept[p + q]:
                place = counts[p + q] - 1
                indices[place] = b_indices[q]
                data[place] = _apply(k.value(0, a_data.dtype), b_data[q], name, dtype)


@k.kernel(bounded=True)
def _write_places(
    a_indptr: k.Array[1],
    a_indices: k.Array[1],
    a_data: k.Array[1],
    b_indptr: k.Array[1],
    b_indices: k.Array[1],
    b_data: k.Array[1],
    place: k.Each,
    indices: k.Out[0],
    data: k.Out[0],
    *,
    name: str,
    dtype: Any,
) -> None:
    """Writes the element at a place in the merged rows of both operands."""
    low, high = k.value(0, np.int64), a_indptr.shape[0] - 2
    while low < high:
        middle = (low + high + 1) >> 1
        beyond = a_indptr[middle].astype(np.int64) + b_indptr[middle] > place
        low, high = k.where(beyond, low, middle), k.where(beyond, middle - 1, high)
    begin, end = row_range(a_indptr, low, a_indices)
    other_begin, other_end = row_range(b_indptr, low, b_indices)
    rest = place - begin - other_begin
    # How many of the first `rest` elements of the merged row are the first operand's.
    low, high = k.maximum(rest - (other_end - other_begin), 0), k.minimum(rest, end - begin)
    while low < high:
        middle = (low + high) >> 1
        smaller = a_indices[begin + middle] < b_indices[other_begin + rest - middle - 1]
        low, high = k.where(smaller, middle + 1, low), k.where(smaller, high, middle)
    p, q = begin + low, other_begin + rest - low
    in_a, in_b = p < end, q < other_end
    if in_a and in_b:
        i, j = a_indices[p].astype(np.int64), b_indices[q].astype(np.int64)
        in_a, in_b = i <= j, j <= i
    x, y, found = k.value(0, a_data.dtype), k.value(0, b_data.dtype), k.value(0, np.int64)
    if in_a:
        x, found = a_data[p], a_indices[p].astype(np.int64)
    if in_b:
        y, found = b_data[q], b_indices[q].astype(np.int64)
    indices[...] = found.astype(indices.dtype)
    data[...] = _apply(x, y, name, dtype)


@k.kernel(bounded=True)
def _offsets_among(a_indptr: k.Each, b_indptr: k.Each, counts: k.Array[1]):
    """The number of elements that are kept before a row of the result."""
    places, total = a_indptr.astype(np.int64) + b_indptr, k.value(0, counts.dtype)
    if places > 0:
        total = counts[places - 1]
    return total


@k.kernel(bounded=True)
def _places_before(places: k.Array[1], a_indptr: k.Each, b_indptr: k.Each, *, index: Any):
    """As `_offsets_among`, from the sorted places of the elements that are kept."""
    begin = a_indptr.astype(np.int64) + b_indptr
    low, high = k.value(0, np.int64), places.shape[0]
    while low < high:
        middle = (low + high) >> 1
        before = places[middle] < begin
        low, high = k.where(before, middle + 1, low), k.where(before, high, middle)
    return low.astype(index)


def _placed_rows(a: Any, b: Any, name: str, dtype: Any, result: Any, index: Any) -> Any:
    """`merged_rows` on a GPU, where the points of a launch are elements rather than rows.

    An element finds its place by a search in the row of the other operand, once to say whether it is kept, and once to
    be written behind those that are kept before it. Where a row is much longer than others, points have no rows.
    """
    operands = (a.indptr, a.indices, a.data, b.indptr, b.indices, b.data)
    rows, most = a.indptr.size - 1, a.indices.size + b.indices.size
    width = 0 if a._is_skewed() or b._is_skewed() else way("team", None, most // 2, rows)
    points = (rows * width or max(a.indices.size, b.indices.size),)
    kept = (cp.zeros if name == "multiply" else cp.empty)(most, np.bool_)
    _compare_rows(*operands, kept, name=name, dtype=dtype, width=width, shape=points)
    if name == "multiply":
        # Few elements are kept: their places suffice, without a count for each place.
        places = cp.flatnonzero(kept)
        indices, data = cp.empty(places.size, index), cp.empty(places.size, result)
        if places.size:
            _write_places(*operands, places, indices, data, name=name, dtype=dtype)
        return data, indices, _places_before(places, a.indptr, b.indptr, index=index)
    counts = cp.cumsum(kept, dtype=index)
    stored = int(counts[-1])
    indices, data = cp.empty(stored, index), cp.empty(stored, result)
    if stored:
        _write_rows(*operands, kept, counts, indices, data, name=name, dtype=dtype, width=width, shape=points)
    return data, indices, _offsets_among(a.indptr, b.indptr, counts)


def multiply(a: Any, b: Any) -> Any:
    """The product of elements of a sparse array and another array, which may be sparse."""
    if isinstance(b, Sparse):
        return _multiply_sparse(a, b)
    if b.ndim > 2 and a.ndim < 3:
        return a.toarray() * b
    if a.ndim > 2 and a.shape != b.shape:
        raise ValueError("inconsistent shapes: >2D multiply() does not yet support broadcasting")
    try:
        shape = broadcast_shape(a.shape, b.shape)
    except ValueError:
        raise ValueError(f"inconsistent shapes {a.shape} and {b.shape}") from None
    if a.ndim < 3:
        # Several truths at one place are one: their products would add up.
        a = a if a.format in ("csr", "csc", "bsr") else a.tocsr()
        a = a._deduplicated() if a.dtype == np.bool_ else a
    if b.size == 1:
        made = a._scaled(b.reshape(()))
        return made if made.shape == shape else made.reshape(shape).asformat(a.format)
    if a.shape in ((1,), (1, 1)):
        return (a.toarray().reshape(()) * b).reshape(shape)
    coo = a._broadcast_to(shape).tocoo(copy=False)
    factors = cp.broadcast_to(b, shape)[coo.coords]
    data = coo.data * factors
    return coo._with_data(data.astype(upcast(data.dtype), copy=False))


def _multiply_sparse(a: Any, b: Any) -> Any:
    if a.shape == b.shape:
        return a._combined(b, "multiply")
    if a.ndim > 2 or b.ndim > 2:
        raise ValueError("inconsistent shapes: >2D multiply() does not yet support broadcasting")
    try:
        shape = broadcast_shape(a.shape, b.shape)
    except ValueError:
        raise ValueError(f"inconsistent shapes {a.shape} and {b.shape}") from None
    two = shape if len(shape) == 2 else (1, *shape)
    a2, b2 = a._shape2, b._shape2
    if a2 == two or b2 == two:
        # A vector, which may be dense, times an array.
        full, vector = (a, b) if a2 == two else (b, a)
        is_kept = full.format == "csc" and full.ndim == 2 and vector._shape2[0] == 1
        full = full if is_kept or (full.format == "csr" and full.ndim == 2) else full.reshape(two).tocsr()
        coo = full.tocoo(copy=False)
        dtype = upcast(a.dtype, b.dtype)
        factors = cp.broadcast_to(vector.toarray().reshape(vector._shape2), two)[coo.coords]
        made = full._with_data(coo.data.astype(dtype, copy=False) * factors.astype(dtype, copy=False))
        return made if made.shape == shape else made.reshape(shape).tocsr()
    # A column times a row.
    column, row = (a, b) if a2[1] == 1 else (b, a)
    return column.tocsr() @ row.reshape(row._shape2).tocsr()


def divide(a: Any, b: Any) -> Any:
    """The quotient of elements of two sparse arrays: dense for floating point numbers, since 0 / 0 is nan."""
    if a.shape != b.shape:
        raise ValueError(f"inconsistent shapes {a.shape} and {b.shape}")
    if np.can_cast(a.dtype, np.float64):
        a = a.astype(np.float64, copy=False)
    dtype = upcast(a.dtype, b.dtype)
    if dtype.kind in "fc":
        return a.toarray().astype(dtype, copy=False) / b.toarray().astype(dtype, copy=False)
    return a._combined(b, "divide")


def extremum(a: Any, b: Any, name: str) -> Any:
    """`maximum` or `minimum` of a sparse array and a number or array."""
    ufunc = getattr(cp, name)
    b = a._operand(b)
    if b is None:
        raise ValueError("Operands not compatible.")
    if is_scalar(b):
        # Also for nan, which no comparison holds for, zeros do not stay.
        if not ((b <= 0) if name == "maximum" else (b >= 0)):
            warnings.warn(
                f"Taking {name} with {'> 0' if name == 'maximum' else '< 0'} number results to a dense matrix.",
                SparseEfficiencyWarning,
                stacklevel=outside(),
            )
            return a.__class__(ufunc(a.toarray(), b))
        flat = a._flat()._deduplicated()
        return a._unflat(flat._with_data(ufunc(flat.data, b)))
    if not isinstance(b, Sparse):
        return ufunc(a.toarray(), b)
    a, b = together(a, b)
    if a.shape != b.shape:
        raise ValueError(f"inconsistent shapes {a.shape} and {b.shape}")
    return a._combined(b, name)
