"""Functions of two sparse arrays, element by element."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import cuproxide as cp

from ..._lib import kernel as k
from ._base import sparse_base
from ._checks import SparseEfficiencyWarning, broadcast_shape, index_dtype, is_scalar, upcast
from ._structure import lanes

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
    p, p_end = a_indptr[row].astype(np.int64), a_indptr[row + 1].astype(np.int64)
    q, q_end = b_indptr[row].astype(np.int64), b_indptr[row + 1].astype(np.int64)
    begin = p + q
    place = begin
    # Without branches: an element that is zero is overwritten by the next one.
    while p < p_end and q < q_end:
        i, j = a_indices[p].astype(np.int64), b_indices[q].astype(np.int64)
        in_a, in_b = i <= j, j <= i
        x, y = k.where(in_a, a_data[p], 0), k.where(in_b, b_data[q], 0)
        z = _apply(x.astype(a_data.dtype), y.astype(b_data.dtype), name, dtype)
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
    *,
    width: int,
) -> None:
    """Moves a row to its place."""
    row, lane = (k.index(), 0) if width == 1 else k.coordinates()
    source, target = a_indptr[row].astype(np.int64) + b_indptr[row], indptr[row].astype(np.int64)
    count = indptr[row + 1].astype(np.int64) - target
    for turn in k.steps((count - lane + width - 1) // width):
        p = turn * width + lane
        indices[target + p] = wide_indices[source + p]
        data[target + p] = wide_data[source + p]


def merged_rows(a: Any, b: Any, name: str) -> tuple[cp.ndarray, cp.ndarray, cp.ndarray]:
    """Data, indices and offsets of a function of two canonical arrays that are compressed along the same axis."""
    dtype = upcast(a.dtype, b.dtype)
    result = np.dtype(bool) if name in COMPARISONS else dtype
    operands = (a.indptr, a.indices, a.data, b.indptr, b.indices, b.data)
    rows, most = a.indptr.size - 1, a.indices.size + b.indices.size
    index = index_dtype(a.shape, most)
    indptr = cp.zeros(rows + 1, index)
    if not (rows and most):
        return cp.zeros(0, result), cp.zeros(0, index), indptr
    indices, data = cp.empty(most, index), cp.empty(most, result)
    indptr[1:] = cp.cumsum(_merge(*operands, indices, data, name=name, dtype=dtype, shape=(rows,)), dtype=index)
    stored = int(indptr[-1])
    if stored == most:
        return data, indices, indptr
    wide, (indices, data) = (indices, data), (cp.empty(stored, index), cp.empty(stored, result))
    if stored:
        width = lanes()
        points = (rows, width) if width > 1 else (rows,)
        _close_up(a.indptr, b.indptr, *wide, indptr, indices, data, width=width, shape=points)
    return data, indices, indptr


def multiply(a: sparse_base, b: Any) -> Any:
    """The product of elements of a sparse array and another array, which may be sparse."""
    if isinstance(b, sparse_base):
        return _multiply_sparse(a, b)
    if b.ndim > 2 and a.ndim < 3:
        return a.toarray() * b
    if a.ndim > 2 and a.shape != b.shape:
        raise ValueError("inconsistent shapes: >2D multiply() does not yet support broadcasting")
    try:
        shape = broadcast_shape(a.shape, b.shape)
    except ValueError:
        raise ValueError(f"inconsistent shapes {a.shape} and {b.shape}") from None
    if b.size == 1:
        made = a._scaled(b.reshape(()))
        return made if made.shape == shape else made.reshape(shape)
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
        full = full if full.format in ("csr", "csc") and full.ndim == 2 else full.reshape(two).tocsr()
        coo = full.tocoo(copy=False)
        dtype = upcast(a.dtype, b.dtype)
        factors = cp.broadcast_to(vector.toarray().reshape(vector._shape2), two)[coo.coords]
        made = full._with_data(coo.data.astype(dtype, copy=False) * factors.astype(dtype, copy=False))
        return made if made.shape == shape else made.reshape(shape)
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
                stacklevel=4,
            )
            return a.__class__(ufunc(a.toarray(), b))
        flat = a._flat()._deduplicated()
        return a._unflat(flat._with_data(ufunc(flat.data, b)))
    if not isinstance(b, sparse_base):
        return ufunc(a.toarray(), b)
    if a.shape != b.shape:
        raise ValueError(f"inconsistent shapes {a.shape} and {b.shape}")
    return a._combined(b, name)
