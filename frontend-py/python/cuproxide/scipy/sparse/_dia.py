"""Diagonals: element (i, i + offsets[d]) is `data[d, i + offsets[d]]`."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import cuproxide as cp

from ..._lib import kernel as k
from ._base import sparray, sparse_base, spmatrix
from ._checks import (
    SparseEfficiencyWarning,
    as_dense,
    as_indices,
    as_part,
    check_shape,
    checked_dtype,
    checked_elements,
    checked_integers,
    index_dtype,
    is_dense,
    upcast,
)
from ._compressed import _is_shape
from ._data import sparse_data
from ._devices import outside
from ._kinds import CONTAINERS

__all__ = ["dia_array", "dia_matrix"]


@k.kernel
def _row_times_vector(offsets: k.Array[1], data: k.Array[2], x: k.Array[1], *, dtype: Any):
    row = k.index()
    total = k.value(0, dtype)
    for d in k.steps(k.minimum(offsets.shape[0], data.shape[0])):
        column = row + offsets[d].astype(np.int64)
        if column >= 0 and column < x.shape[0] and column < data.shape[1]:
            total += data[d, column].astype(dtype) * x[column].astype(dtype)
    return total


@k.kernel
def _row_times_columns(offsets: k.Array[1], data: k.Array[2], x: k.Array[2], *, dtype: Any):
    row, j = k.coordinates()
    total = k.value(0, dtype)
    for d in k.steps(k.minimum(offsets.shape[0], data.shape[0])):
        column = row + offsets[d].astype(np.int64)
        if column >= 0 and column < x.shape[0] and column < data.shape[1]:
            total += data[d, column].astype(dtype) * x[column, j].astype(dtype)
    return total


@k.kernel(bounded=True)
def _count_row(offsets: k.Array[1], data: k.Array[2], order: k.Array[1], columns: int):
    row, count = k.index(), 0
    for position in k.steps(order.shape[0]):
        d = order[position]
        column = row + offsets[d].astype(np.int64)
        if column >= 0 and column < columns and column < data.shape[1]:
            count += (data[d, column] != 0).astype(np.int64)
    return count


@k.kernel(bounded=True)
def _write_row(
    offsets: k.Array[1],
    data: k.Array[2],
    order: k.Array[1],
    columns: int,
    indptr: k.Array[1],
    indices: k.Out[1],
    elements: k.Out[1],
) -> None:
    row = k.index()
    place = indptr[row].astype(np.int64)
    for position in k.steps(order.shape[0]):
        d = order[position]
        column = row + offsets[d].astype(np.int64)
        if column >= 0 and column < columns and column < data.shape[1]:
            element = data[d, column]
            if element != 0:
                indices[place] = column
                elements[place] = element
                place += 1


@k.kernel(bounded=True)
def _turn(offsets: k.Array[1], data: k.Array[2], columns: int):
    """The diagonals of the transpose."""
    d, row = k.coordinates()
    column = row + offsets[d].astype(np.int64)
    element = k.value(0, data.dtype)
    if column >= 0 and column < columns and column < data.shape[1]:
        element = data[d, column]
    return element


@k.kernel(bounded=True)
def _multiply(
    a: k.Array[2],
    a_offsets: k.Array[1],
    b: k.Array[2],
    partners: k.Array[2],
    offsets: k.Array[1],
    rows: int,
    middle: int,
    *,
    dtype: Any,
):
    """Diagonals of a product; `partners` are those of `b` that meet those of `a` in a diagonal of the result."""
    d, column = k.coordinates()
    row = column - offsets[d].astype(np.int64)
    total = k.value(0, dtype)
    if row >= 0 and row < rows and column < b.shape[1]:
        for p in k.steps(k.minimum(a.shape[0], a_offsets.shape[0])):
            q, m = partners[p, d], row + a_offsets[p].astype(np.int64)
            if q >= 0 and m >= 0 and m < middle and m < a.shape[1]:
                total += a[p, m].astype(dtype) * b[q, column].astype(dtype)
    return total


class dia_base(sparse_data):
    """The base of `dia_array` and `dia_matrix`."""

    _format = "dia"
    offsets: cp.ndarray

    def __init__(
        self,
        arg1: Any,
        shape: Any = None,
        dtype: Any = None,
        copy: bool = False,
        *,
        maxprint: int | None = None,
    ) -> None:
        sparse_base.__init__(self, maxprint)
        dtype = None if dtype is None else checked_dtype(dtype)
        if shape is not None:
            shape = check_shape((shape,))
        if isinstance(arg1, sparse_base):
            array = arg1.copy() if arg1.format == "dia" and copy else arg1.todia()
            self._take(array, shape)
        elif _is_shape(arg1, (2,)):
            self._shape = check_shape((arg1,))
            self._put(cp.zeros((0, 0), np.float64 if dtype is None else dtype), cp.zeros(0, index_dtype(self._shape)))
        elif isinstance(arg1, tuple):
            self._from_arrays(arg1, shape, dtype, copy)
        else:
            coo = CONTAINERS["coo", self._is_array](arg1, shape=shape, dtype=dtype)
            if coo.ndim != 2:
                raise ValueError(f"DIA arrays don't support {coo.ndim}D input. Use 2D")
            self._take(coo.todia(), shape)
        if dtype is not None and self.data.dtype != dtype:
            self.data = self.data.astype(dtype)

    def _take(self, array: Any, shape: Any) -> None:
        if shape is not None and shape != array._shape:
            raise ValueError(f"inconsistent shapes: {shape} != {array._shape}")
        self._shape = array._shape
        self._put(array.data, array.offsets)

    def _put(self, data: cp.ndarray, offsets: cp.ndarray) -> None:
        """Replaces the parts by others that are known to be right."""
        self._assign(data, offsets)
        self._trust(self._shape, data, offsets)

    def _assign(self, *parts: cp.ndarray) -> None:
        self.data, self.offsets = parts

    def _guarded(self) -> tuple[Any, ...]:
        return self._shape, self.data, self.offsets

    def _checked(self, shape: Any, data: Any, offsets: Any) -> tuple[Any, ...]:  # type: ignore[override]
        data, offsets = checked_elements(data), checked_integers("offsets", offsets)
        if offsets.ndim != 1:
            raise ValueError("offsets array must have rank 1")
        if data.ndim != 2:
            raise ValueError("data array must have rank 2")
        if data.shape[0] != offsets.size:
            raise ValueError(
                f"number of diagonals ({data.shape[0]}) does not match the number of offsets ({offsets.size})"
            )
        index, found = index_dtype(shape), offsets.tolist()
        if len(set(found)) != len(found):
            raise ValueError("offset array contains duplicate values")
        if any(abs(offset) > np.iinfo(index).max for offset in found):
            raise ValueError(f"offsets must be integers of {8 * np.dtype(index).itemsize} bits, got {found}")
        return shape, data, offsets.astype(index, copy=False)

    def _from_arrays(self, parts: tuple[Any, ...], shape: Any, dtype: Any, copy: bool) -> None:
        try:
            data, offsets = parts
        except ValueError:
            raise ValueError("unrecognized form for dia_array constructor") from None
        if shape is None:
            raise ValueError("expected a shape argument")
        self.data = cp.atleast_2d(as_dense(data, dtype=dtype, copy=copy or None))
        self.offsets = cp.atleast_1d(as_indices(offsets, copy=copy or None))
        self._shape = shape
        self._recheck()

    @classmethod
    def _made(cls, data: cp.ndarray, offsets: Any, shape: Any) -> Any:
        """An array of parts that are known to be right."""
        made = cls.__new__(cls)
        sparse_base.__init__(made)
        made._shape = tuple(int(length) for length in shape)
        made._put(data, cp.asarray(offsets, dtype=index_dtype(shape)))
        return made

    def _offsets(self) -> list[int]:
        """The offsets on the host: one for each diagonal."""
        return as_part("offsets", self.offsets).tolist()

    def _with_data(self, data: cp.ndarray, copy: bool = True) -> Any:
        return self._made(data, self.offsets.copy() if copy else self.offsets, self._shape)

    def __repr__(self) -> str:
        kind = "array" if self._is_array else "matrix"
        return (
            f"<DIAgonal sparse {kind} of dtype '{self.dtype}'\n"
            f"\twith {self.nnz} stored elements ({self.data.shape[0]} diagonals) and shape {self.shape}>"
        )

    def _getnnz(self, axis: int | None = None) -> Any:
        if axis is not None:
            return self.tocsr()._getnnz(axis)
        rows, columns = self._shape
        width = min(as_part("data", self.data).shape[1], columns)
        return sum(max(0, min(rows + offset, width) - max(offset, 0)) for offset in self._offsets())

    # ----------------------------------------------------------------------------------------------------- conversions

    def todia(self, copy: bool = False) -> Any:
        """In the format DIA: itself, unless `copy`."""
        return self.copy() if copy else self

    def tocsr(self, copy: bool = False) -> Any:
        """In the format CSR; stored zeros are dropped."""
        rows, columns = self._shape
        made = self._class("csr")
        if 0 in self._shape or not self.data.size:
            return made(self._shape, dtype=self.dtype)
        order = cp.argsort(self.offsets, kind="stable")
        index = index_dtype(self._shape, self.data.size)
        indptr = cp.zeros(rows + 1, index)
        indptr[1:] = cp.cumsum(_count_row(self.offsets, self.data, order, columns, shape=(rows,)))
        stored = int(indptr[-1])
        indices, elements = cp.empty(stored, index), cp.empty(stored, self.dtype)
        _write_row(self.offsets, self.data, order, columns, indptr, indices, elements, shape=(rows,))
        return made._made(elements, indices, indptr, self._shape, canonical=True)

    def tocoo(self, copy: bool = False) -> Any:
        """In the format COO; stored zeros are dropped."""
        return self.tocsr().tocoo(copy=False)

    def tocsc(self, copy: bool = False) -> Any:
        """In the format CSC; stored zeros are dropped."""
        return self.transpose().tocsr().transpose()

    def transpose(self, axes: Any = None, copy: bool = False) -> Any:
        """The transpose."""
        self._check_axes(axes)
        rows, columns = self._shape
        if not self.data.shape[0]:
            return self._made(self.data, self.offsets, (columns, rows))
        data = _turn(self.offsets, self.data, columns, shape=(self.data.shape[0], rows))
        return self._made(data, -self.offsets, (columns, rows))

    def resize(self, *shape: Any) -> None:
        """Changes the shape in place; elements outside of it are dropped."""
        shape = check_shape(shape)
        data = self.data[:, : shape[1]]
        if shape[0] > self._shape[0]:
            # What was outside of the rows must not come back.
            hidden = self.offsets[:, None] + self._shape[0] <= cp.arange(data.shape[1])
            data = cp.where(hidden, cp.zeros((), self.dtype), data)
        self._shape = shape
        self._put(data, self.offsets)

    def diagonal(self, k: int = 0) -> cp.ndarray:
        """The elements of a diagonal; `k` counts from the main one upwards."""
        rows, columns = self._shape
        if k <= -rows or k >= columns:
            return cp.empty(0, self.dtype)
        first, last = max(0, k), min(rows + k, columns)
        result, offsets = cp.zeros(last - first, self.dtype), self._offsets()
        if k in offsets:
            found = self.data[offsets.index(k), first:last]
            result[: found.size] = found
        return result

    def _set_diagonal(self, values: cp.ndarray, k: int) -> None:
        begin, offsets = max(k, 0), self._offsets()
        end = begin + values.size
        data = cp.zeros((self.data.shape[0] + (k not in offsets), max(end, self.data.shape[1])), self.dtype)
        data[: self.data.shape[0], : self.data.shape[1]] = self.data
        if k not in offsets:
            offsets.append(k)
        data[offsets.index(k), begin:end] = values
        self._put(data, cp.asarray(offsets, dtype=self.offsets.dtype))

    # ------------------------------------------------------------------------------------------------------ arithmetic

    def count_nonzero(self, axis: int | None = None) -> Any:
        """How many elements are not zero, in all or along an axis."""
        return self.tocsr().count_nonzero(axis=axis)

    def _combined(self, other: Any, name: str) -> Any:
        if isinstance(other, dia_base) and name in ("add", "subtract", "multiply"):
            ours, theirs = self._offsets(), other._offsets()
            offsets = sorted(set(ours) & set(theirs) if name == "multiply" else set(ours) | set(theirs))
            width = min(max([0, *(self._shape[0] + offset for offset in offsets)]), self._shape[1])
            dtype = upcast(self.dtype, other.dtype)
            left, right = (x._spread(offsets, width, dtype) for x in (self, other))
            if name == "subtract":
                data = left ^ right if dtype == np.bool_ else left - right
            else:
                data = left + right if name == "add" else left * right
            return self._made(data, offsets, self._shape)
        # As in SciPy, a sum has the format of the other operand; that of one in the format DOK is CSR.
        if name == "add":
            return (other.tocsr() if other.format == "dok" else other)._combined(self, name)
        return self.tocsr()._combined(other, name)

    def multiply(self, other: Any) -> Any:
        """The product of elements, in the format DIA if the other operand is dense; see `csr_array.multiply`."""
        made = super().multiply(other)
        is_diagonal = is_dense(other) and isinstance(made, sparse_base) and made.shape == self._shape
        return made.todia() if is_diagonal and min(self._shape) > 1 else made

    def _spread(self, offsets: list[int], width: int, dtype: Any) -> cp.ndarray:
        """The diagonals at these offsets, zeros where there are none."""
        data = cp.zeros((len(offsets), width), dtype)
        places = {offset: place for place, offset in enumerate(offsets)}
        pairs = [(places[offset], row) for row, offset in enumerate(self._offsets()) if offset in places]
        if pairs:
            to, source = (cp.asarray(part, dtype=np.int64) for part in zip(*pairs, strict=True))
            taken = min(width, self.data.shape[1])
            data[to, :taken] = self.data[source, :taken].astype(dtype, copy=False)
        return data

    def _times_vector(self, x: cp.ndarray) -> cp.ndarray:
        dtype = upcast(self.dtype, x.dtype)
        if 0 in self._shape or not self.data.size:
            return cp.zeros(self._shape[0], dtype)
        return _row_times_vector(self.offsets, self.data, x, dtype=dtype, shape=(self._shape[0],))

    def _times_columns(self, x: cp.ndarray) -> cp.ndarray:
        dtype = upcast(self.dtype, x.dtype)
        shape = (self._shape[0], x.shape[1])
        if 0 in shape or 0 in self._shape or not self.data.size:
            return cp.zeros(shape, dtype)
        return _row_times_columns(self.offsets, self.data, x, dtype=dtype, shape=shape)

    def _times_sparse(self, other: Any) -> Any:
        if not isinstance(other, dia_base):
            return self.tocsr()._times_sparse(other)
        (rows, middle), columns = self._shape, other._shape[1]
        dtype = upcast(self.dtype, other.dtype)
        ours, theirs = self._offsets(), other._offsets()
        offsets = sorted({a + b for a in ours for b in theirs if -rows < a + b < columns})
        if not offsets or 0 in (rows, middle, columns):
            return self._made(cp.zeros((0, 0), dtype), [], (rows, columns))
        partners = [[theirs.index(o - a) if o - a in theirs else -1 for o in offsets] for a in ours]
        made = cp.asarray(offsets, dtype=index_dtype((rows, columns)))
        data = _multiply(
            *(self.data, self.offsets, other.data, cp.asarray(partners, dtype=np.int64), made, rows, middle),
            dtype=dtype,
            shape=(len(offsets), columns),
        )
        return self._made(data, made, (rows, columns))

    def _sum_all(self, dtype: Any) -> Any:
        return self._sum_axis(1, dtype).sum(dtype=dtype)


def diagonals_of(coo: Any) -> Any:
    """An array in the format DIA for one in the format COO."""
    coo = coo._deduplicated()
    if not coo.data.size:
        return coo._class("dia")._made(cp.zeros((0, 0), coo.dtype), [], coo.shape)
    row, column = coo.coords
    offsets, places = cp.unique(column.astype(np.int64) - row, return_inverse=True)
    if offsets.size > 100:
        warnings.warn(
            f"Constructing a DIA matrix with {offsets.size} diagonals is inefficient",
            SparseEfficiencyWarning,
            stacklevel=outside(),
        )
    data = cp.zeros((offsets.size, int(column.max()) + 1), coo.dtype)
    data[places.reshape(-1), column] = coo.data
    return coo._class("dia")._made(data, offsets, coo.shape)


class dia_array(dia_base, sparray):
    """A sparse array of diagonals.

    Element (i, i + offsets[d]) is `data[d, i + offsets[d]]`; what of `data` lies outside of the shape is not used.

    Parameters
    ----------
    arg1 : array, sparse array, shape, or (data, offsets)
        What it holds: a dense array; a sparse one, also of `scipy.sparse`; nothing, for a shape; or its diagonals, one
        a row, and their offsets from the main one.
    shape : tuple of int
        Two lengths, needed for diagonals.
    copy : bool
        If false, arrays on the device are shared where they fit.

    Raises
    ------
    ValueError
        If the parts do not fit each other, or an offset repeats.

    >>> sparse.dia_array((cp.array([[1, 2, 3], [4, 5, 6]]), cp.array([0, 1])), shape=(3, 3)).toarray()
    array([[1, 5, 0],
           [0, 2, 6],
           [0, 0, 3]])
    """


class dia_matrix(spmatrix, dia_base):
    """A sparse matrix of diagonals, whose `*` is the product of matrices; see `dia_array`.

    >>> sparse.dia_matrix(cp.eye(2)).offsets
    array([0], dtype=int32)
    """
