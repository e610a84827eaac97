"""Rows or columns of elements one after another: what CSR and CSC share.

`major` is the axis that the offsets `indptr` cut, `minor` the one that `indices` count along.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import cuproxide as cp

from . import _products
from ._base import sparse_base
from ._checks import (
    Shape,
    are_wide,
    as_dense,
    as_indices,
    as_part,
    check_shape,
    checked_dtype,
    checked_elements,
    checked_integers,
    index_dtype,
    is_dense,
    is_integer,
    upcast,
)
from ._data import sparse_data
from ._elementwise import merged_rows
from ._indexing import IndexedArray, slice_rows
from ._inspection import inspect, neighbours
from ._kinds import CONTAINERS
from ._minmax import Extrema
from ._sparse_products import sparse_product
from ._structure import (
    is_hollow,
    merged,
    offsets_of,
    rows_of,
    scatter,
    scatter_rows,
    sorted_rows,
    stored_at,
    transposed,
)


class compressed_base(IndexedArray, Extrema, sparse_data):
    """The base of CSR and CSC."""

    indices: cp.ndarray
    indptr: cp.ndarray
    _caches = ("_levels", "_skew")

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
            shape = check_shape((shape,), ndims=self._ndims)
        if isinstance(arg1, sparse_base):
            same = arg1.format == self.format
            self._take(arg1.copy() if same and copy else arg1.asformat(self.format))
            if shape is not None and shape != self._shape:
                raise ValueError(f"inconsistent shapes: {shape} and {self._shape}")
        elif _is_shape(arg1, self._ndims):
            self._fill(check_shape((arg1,), ndims=self._ndims), dtype)
        elif isinstance(arg1, tuple):
            self._from_arrays(arg1, shape, dtype, copy)
        else:
            ndim = getattr(arg1, "ndim", 0)
            if is_dense(arg1) and ndim > 2:
                raise ValueError(f"{self.format.upper()} arrays don't support {ndim}D input.")
            coo = CONTAINERS["coo", self._is_array](arg1, shape=shape, dtype=dtype)
            if coo.ndim not in self._ndims:
                raise ValueError(f"{self.format.upper()} arrays don't support {coo.ndim}D input. Use 2D")
            self._take(coo.asformat(self.format))
        if dtype is not None and self.data.dtype != dtype:
            self.data = self.data.astype(dtype)

    def _fill(self, shape: Shape, dtype: Any) -> None:
        """An array without elements."""
        self._shape = shape
        majors, _ = self._swap(self._shape2)
        index = index_dtype(shape)
        self._put(cp.zeros(0, np.float64 if dtype is None else dtype), cp.zeros(0, index), cp.zeros(majors + 1, index))
        self._sorted = self._canonical = True

    def _take(self, other: Any) -> None:
        self._shape = other._shape
        self._put(*other._parts)
        self._sorted, self._canonical = other._sorted, other._canonical

    def _put(self, data: cp.ndarray, indices: cp.ndarray, indptr: cp.ndarray) -> None:
        """Replaces the parts by others that are known to be right."""
        self._assign(data, indices, indptr)
        self._trust(self._shape, data, indices, indptr)

    def _assign(self, *parts: cp.ndarray) -> None:
        self.data, self.indices, self.indptr = parts

    def _from_arrays(self, parts: tuple[Any, ...], shape: Shape | None, dtype: Any, copy: bool) -> None:
        if len(parts) == 2:
            self._take(CONTAINERS["coo", self._is_array](parts, shape=shape, dtype=dtype).asformat(self.format))
            return
        if len(parts) != 3:
            raise ValueError(f"unrecognized {self.__class__.__name__} constructor input: {parts}")
        data, indices, indptr = as_dense(parts[0]), as_indices(parts[1]), as_indices(parts[2])
        self.data = data if dtype is None else data.astype(dtype, copy=False)
        checked_dtype(self.data.dtype)
        if copy:
            self.data = self.data.copy() if self.data is data else self.data
            indices, indptr = indices.copy(), indptr.copy()
        self.indices, self.indptr = indices, indptr
        self._sorted = self._canonical = None
        if shape is None:
            if indices.ndim != 1 or not indices.size or indptr.ndim != 1:
                raise ValueError("unable to infer matrix dimensions")
            shape = self._swap((indptr.size - 1, int(indices.max()) + 1))
            shape = check_shape((shape,), ndims=(2,))
        self._shape = shape
        self._recheck()
        self._narrow()

    def _narrow(self) -> None:
        """Gives the indices of a new matrix the type that its shape asks for; arrays keep theirs."""
        if not self._is_array and self._is_wide:
            index = index_dtype(self._shape, self.data.size)
            self._put(self.data, *(part.astype(index, copy=False) for part in (self.indices, self.indptr)))

    @classmethod
    def _from_parts(
        cls,
        data: cp.ndarray,
        indices: cp.ndarray,
        indptr: cp.ndarray,
        shape: Shape,
        has_canonical_format: bool | None = None,
        has_sorted_indices: bool | None = None,
    ) -> Any:
        """CuPy's way to make a matrix whose indices keep their type; unlike there, the parts are checked."""
        if indices.dtype != indptr.dtype:
            raise ValueError(
                f"indices and indptr must have the same dtype, got {indices.dtype.name} and {indptr.dtype.name}"
            )
        made = cls._made(data, indices, indptr, shape)
        made._recheck()
        # Only what holds is taken on trust: a wrong False costs a sort, a wrong True results.
        made._canonical = False if has_canonical_format is False else None
        made._sorted = False if has_sorted_indices is False else None
        return made

    @classmethod
    def _made(
        cls,
        data: cp.ndarray,
        indices: cp.ndarray,
        indptr: cp.ndarray,
        shape: Shape,
        is_sorted: bool | None = None,
        canonical: bool | None = None,
    ) -> Any:
        """An array of parts that are known to be right."""
        made = cls.__new__(cls)
        sparse_base.__init__(made)
        made._shape = tuple(int(length) for length in shape)
        made._put(data, indices, indptr)
        # An array that is not sorted may have parts that are, so that only what holds is handed on.
        made._canonical = True if canonical else None
        made._sorted = True if canonical or is_sorted else None
        return made

    # ---------------------------------------------------------------------------------------------------------- layout

    @staticmethod
    def _swap(pair: Any) -> Any:
        """A pair by (major, minor), from or to one by (row, column)."""
        return pair

    @property
    def _parts(self) -> tuple[cp.ndarray, cp.ndarray, cp.ndarray]:
        return self.data, self.indices, self.indptr

    @property
    def _lengths(self) -> tuple[int, int]:
        """The lengths of the major and the minor axis."""
        return self._swap(self._shape2)

    def _rows(self) -> cp.ndarray:
        """The major index of each element."""
        return rows_of(self.indptr, self.indices.size)

    def _with_data(self, data: cp.ndarray, copy: bool = True) -> Any:
        indices, indptr = (self.indices.copy(), self.indptr.copy()) if copy else (self.indices, self.indptr)
        return self._made(data, indices, indptr, self._shape, self._sorted, self._canonical)

    def __iter__(self) -> Iterator[Any]:
        if self.ndim == 1:
            yield from super().__iter__()
            return
        rows = self.tocsr()
        for number in range(self._shape[0]):
            row = slice_rows(rows, slice(number, number + 1))
            yield row._made(*row._parts, self._shape[1:], row._sorted, row._canonical) if self._is_array else row.copy()

    def _getnnz(self, axis: int | None = None) -> Any:
        if axis is None:
            return as_part("indices", self.indices).size
        axis = _checked_axis(axis, self.ndim)
        if self.ndim == 1:
            return self.indices.size
        majors, minors = self._lengths
        if axis == self._swap((1, 0))[0]:
            return self.indptr[1:] - self.indptr[:-1]
        del majors
        return cp.bincount(self.indices, minlength=minors)

    def count_nonzero(self, axis: int | None = None) -> Any:
        """How many elements are not zero, in all or along an axis."""
        array = self._deduplicated()
        if axis is None or self.ndim == 1:
            if axis is not None:
                _checked_axis(axis, 1)
            return int(cp.count_nonzero(array.data))
        coo = array.tocoo(copy=False)
        return coo.count_nonzero(axis)

    def check_format(self, full_check: bool = True) -> None:
        """Checks that the parts fit each other and the shape: one launch, and one read.

        Parameters
        ----------
        full_check : bool
            For SciPy's programs: the indices are checked in any case, since a wrong one would be read or written.

        Raises
        ------
        ValueError
            If lengths, offsets or indices are wrong.
        """
        del full_check
        if not self._is_known():
            self._recheck()

    def _guarded(self) -> tuple[Any, ...]:
        return self._shape, self.data, self.indices, self.indptr

    def _forget(self) -> None:
        self._sorted = self._canonical = None
        for name in self._caches:
            self.__dict__.pop(name, None)

    def _checked(self, shape: Shape, data: Any, indices: Any, indptr: Any) -> tuple[Any, ...]:  # type: ignore[override]
        data = checked_elements(data)
        indptr, indices = checked_integers("indptr", indptr), checked_integers("indices", indices)
        minors = self._checked_lengths(shape, data, indices, indptr)
        first, last, falls, high, low = inspect(indptr, indices, minors)
        if first != 0:
            raise ValueError("index pointer should start with 0")
        if last > indices.size:
            raise ValueError("Last value of index pointer should be less than the size of index and data arrays")
        if falls or last < 0:
            raise ValueError("indptr must be a non-decreasing sequence")
        if last < indices.size:
            # What is behind the last offset belongs to no row.
            indices, data = indices[:last], data[:last]
            _, _, _, high, low = inspect(indptr, indices, minors)
        if high:
            raise ValueError(f"indices must be < {minors}")
        if low:
            raise ValueError("indices must be >= 0")
        index = np.int64 if are_wide((indices, indptr)) else index_dtype(shape, data.size)
        return shape, data, indices.astype(index, copy=False), indptr.astype(index, copy=False)

    def _checked_lengths(self, shape: Shape, data: cp.ndarray, indices: cp.ndarray, indptr: cp.ndarray) -> int:
        """The length of the minor axis; raises unless the parts have the axes and lengths that the shape asks for."""
        if not data.ndim == indices.ndim == indptr.ndim == 1:
            raise ValueError("data, indices, and indptr should be 1-D")
        majors, minors = self._swap(shape if len(shape) == 2 else (1, shape[-1]))
        if indptr.size != majors + 1:
            raise ValueError(f"index pointer size {indptr.size} should be {majors + 1}")
        if indices.size != data.size:
            raise ValueError("indices and data should have the same size")
        return int(minors)

    def prune(self) -> None:
        """Drops what is stored behind the last row."""
        stored = int(self.indptr[-1])
        if self.indices.size < stored or self.data.size < stored:
            raise ValueError("indices and data have fewer elements than the index pointer says")
        self._put(self.data[:stored].copy(), self.indices[:stored].copy(), self.indptr)

    # ----------------------------------------------------------------------------------------------- sorted, canonical

    _sorted: bool | None
    _canonical: bool | None

    @property
    def _is_wide(self) -> bool:
        return are_wide((self.indices, self.indptr))

    def _look(self) -> None:
        if self._sorted is None or self._canonical is None:
            falls, repeats = neighbours(self.indptr, self.indices)
            self._sorted, self._canonical = not falls, not falls and not repeats

    @property
    def has_sorted_indices(self) -> bool:
        """Whether the indices rise in each row; known after one look at them."""
        if self._sorted is None:
            self._look()
        return bool(self._sorted)

    @has_sorted_indices.setter
    def has_sorted_indices(self, value: bool) -> None:
        self._sorted = bool(value)
        if not value:
            self._canonical = False

    @property
    def has_canonical_format(self) -> bool:
        """Whether the indices rise in each row and none repeats; known after one look at them."""
        if self._canonical is None:
            self._look()
        return bool(self._canonical)

    @has_canonical_format.setter
    def has_canonical_format(self, value: bool) -> None:
        self._canonical = bool(value)
        if value:
            self._sorted = True

    def sort_indices(self) -> None:
        """Sorts the indices of each row in place."""
        if not self.has_sorted_indices:
            data, indices, repeats = sorted_rows(*self._parts, self._lengths[1])
            self._put(data, indices, self.indptr)
            self._sorted, self._canonical = True, None if repeats is None else not repeats

    def sorted_indices(self) -> Any:
        """A copy with sorted indices."""
        made = self.copy()
        made.sort_indices()
        return made

    def sum_duplicates(self) -> None:
        """Adds elements of one place up, in place; sorts the indices."""
        if self.has_canonical_format:
            return
        self.sort_indices()
        if self._canonical:
            return
        rows, indices, data = merged(self._rows(), self.indices, self.data)
        self._put(data, indices, offsets_of(rows, self._lengths[0], self.indptr.dtype))
        self._canonical = self._sorted = True

    def _deduplicated(self) -> Any:
        """Itself if no place repeats, else a copy without repetitions."""
        if self.has_canonical_format:
            return self
        made = self._made(*self._parts, self._shape, self._sorted, self._canonical)
        made.sum_duplicates()
        return made

    def eliminate_zeros(self) -> None:
        """Drops stored zeros, in place."""
        kept = self.data != 0
        self._keep(kept)

    def _keep(self, kept: cp.ndarray) -> None:
        places = cp.flatnonzero(kept)
        if places.size != self.indices.size:
            rows = self._rows()[places]
            indptr = offsets_of(rows, self._lengths[0], self.indptr.dtype)
            self._put(self.data[places], self.indices[places], indptr)
            self._sorted, self._canonical = self._sorted or None, self._canonical or None

    # ----------------------------------------------------------------------------------------------------- conversions

    def toarray(self, order: str | None = None, out: cp.ndarray | None = None) -> cp.ndarray:
        """The dense array; see `csr_array`.

        Parameters
        ----------
        out : array, optional
            What is overwritten by the result.
        """
        result = self._dense_target(order, out)
        target = result.reshape(1, -1) if self.ndim == 1 else result
        scatter_rows(*self._parts, self._swap((target, target.T))[0])
        return result

    def _add_dense(self, other: cp.ndarray) -> cp.ndarray:
        result = other.astype(upcast(self.dtype, other.dtype), copy=True)
        if not result.flags.writeable or 0 in result.strides:
            result = cp.ascontiguousarray(result).copy()
        target = result.reshape(1, -1) if self.ndim == 1 else result
        scatter_rows(*self._parts, self._swap((target, target.T))[0])
        return result

    def tocoo(self, copy: bool = True) -> Any:
        """In the format COO, whose elements are shared unless `copy`."""
        data, indices, indptr = self._parts
        if copy:
            data, indices = data.copy(), indices.copy()
        coords = (indices,) if self.ndim == 1 else self._swap((rows_of(indptr, indices.size), indices))
        is_canonical = bool(self._canonical) and self.format == "csr"
        return self._class("coo")._made(data, coords, self._shape, is_canonical)

    def _turned(self, format: str) -> Any:
        """The same elements compressed along the other axis."""
        data, indices, indptr = transposed(*self._parts, self._lengths[1])
        return self._class(format)._made(data, indices, indptr, self._shape, True, self._canonical)

    def transpose(self, axes: Any = None, copy: bool = False) -> Any:
        """The transpose in the other compressed format, which shares memory unless `copy`."""
        if self.ndim == 1:
            return self.copy() if copy else self
        self._check_axes(axes)
        array = self.copy() if copy else self
        other = "csc" if self.format == "csr" else "csr"
        return self._class(other)._made(*array._parts, self._shape[::-1], self._sorted, self._canonical)

    def resize(self, *shape: Any) -> None:
        """Changes the shape in place; elements outside of it are dropped."""
        shape = check_shape(shape, ndims=self._ndims)
        if shape != self._shape:
            coo = self.tocoo(copy=False)
            coo.resize(shape)
            self._take(coo.asformat(self.format))

    # -------------------------------------------------------------------------------------------------------- products

    def _flat(self) -> Any:
        return self

    def _combined(self, other: Any, name: str) -> Any:
        other = other.asformat(self.format)
        # Places that repeat are added up in the type of the result.
        dtype = upcast(self.dtype, other.dtype)
        a, b = (x if x.has_canonical_format else x.astype(dtype)._deduplicated() for x in (self, other))
        parts = merged_rows(a, b, name)
        return self._made(*parts, self._shape, canonical=True)

    def _mapped_by(self, number: Any, function: Any) -> Any:
        """A function of each element and a number that is zero for zero."""
        array = self._deduplicated()
        made = array._with_data(function(array.data, number))
        made.eliminate_zeros()
        return made

    def _times_dense(self, x: cp.ndarray, by_rows: Any, by_columns: Any) -> cp.ndarray:
        if self.format == "csr":
            made = _products.library_times(self._parts, self._shape2[1], x)
            if made is not None:
                return made
            by_columns = by_rows
        return by_columns(self._parts, self._shape2[0], x, upcast(self.dtype, x.dtype))

    def _times_vector(self, x: cp.ndarray) -> cp.ndarray:
        result = self._times_dense(x, self._rows_times_vector, _products.columns_times_vector)
        return result.reshape(()) if self.ndim == 1 else result

    def _rows_times_vector(self, *arguments: Any) -> cp.ndarray:
        is_skewed = self._is_skewed()
        return (_products.skewed_rows_times_vector if is_skewed else _products.rows_times_vector)(*arguments)

    def _is_skewed(self) -> bool:
        """What `is_skewed` says of these rows, asked until it answers for this array of offsets."""
        asked, answer = getattr(self, "_skew", (None, None))
        if asked is not self.indptr or answer is None:
            answer = _products.is_skewed(self.indptr, self.indices.size)
            self._skew = (self.indptr, answer)
        return bool(answer)

    def _times_columns(self, x: cp.ndarray) -> cp.ndarray:
        result = self._times_dense(x, _products.rows_times_columns, _products.columns_times_columns)
        return result.reshape(-1) if self.ndim == 1 else result

    def _times_sparse(self, other: Any) -> Any:
        """The product with a sparse array, compressed along the same axis as this one."""
        shape = (*self._shape[:-1], *other.shape[1:])
        left = self if self.ndim == 2 else self.reshape(1, -1).tocsr()
        right = other if other.ndim == 2 else other.reshape(-1, 1)
        if is_hollow(left._shape[1], left.nnz + right.nnz):
            left, right = _without_hollows(left, right)
        right = right.asformat(left.format)
        (rows, _), (_, columns) = left._shape2, right._shape2
        dtype = upcast(self.dtype, other.dtype)
        # Of arrays compressed along their columns, the transposes are multiplied in the other order.
        first, second = self._swap((left, right))
        majors, minors = self._swap((rows, columns))
        data, indices, indptr, is_sorted = sparse_product(
            first._parts,
            second._parts,
            majors,
            minors,
            dtype,
            index_dtype((rows, columns), of=(first, second)),
            lambda: first.has_canonical_format and second.has_canonical_format,
        )
        made = left._made(data, indices, indptr, (rows, columns), is_sorted, is_sorted)
        # Sums that are zero are not stored.
        if int(cp.count_nonzero(data)) < data.size:
            made.eliminate_zeros()
        if len(shape) == 2:
            return made
        if not shape:
            return made.toarray().reshape(())
        return made.reshape(shape)

    def _sum_axis(self, axis: int, dtype: Any) -> cp.ndarray:
        if self.ndim == 1:
            return self.data.sum(dtype=dtype)
        if axis == self._swap((1, 0))[0]:
            return _products.row_sums(self._parts, self._lengths[0], dtype)
        result = cp.zeros(self._lengths[1], dtype)
        scatter(self.indices, self.data.astype(dtype, copy=False), result)
        return result

    # -------------------------------------------------------------------------------------------------------- diagonal

    def diagonal(self, k: int = 0) -> cp.ndarray:
        """The elements of a diagonal; `k` counts from the main one upwards.

        >>> cp.scipy.sparse.csr_array([[1, 2], [0, 3]]).diagonal()
        array([1, 3])
        """
        rows, columns = self.shape if self.ndim == 2 else (0, 0)
        if not self._canonical or not -rows < k < columns:
            return self.tocoo(copy=False).diagonal(k=k)
        first, other = max(-k, 0), max(k, 0)
        if self.format == "csc":
            first, other = other, first
        data, indices, indptr = self._parts
        return stored_at(indptr, indices, data, first, other, shape=(min(rows + min(k, 0), columns - max(k, 0)),))

    def _set_diagonal(self, values: cp.ndarray, k: int) -> None:
        from ._indexing import set_elements

        rows = cp.arange(values.size, dtype=self.indices.dtype) - min(k, 0)
        set_elements(self, rows, rows + k, values, warn=False)


def _without_hollows(left: Any, right: Any) -> tuple[Any, Any]:
    """The factors of a product, where only indices of the axis between them stay that both have elements at."""
    # In the type of the product, in which places that repeat are added up.
    dtype, kind = upcast(left.dtype, right.dtype), left._class("coo")
    a, b = (x.astype(dtype, copy=False).tocoo(copy=False) for x in (left, right))
    inner = cp.unique(a.col)
    if not inner.size:
        empty = kind((left._shape[0], 1), dtype=dtype), kind((1, right._shape[1]), dtype=dtype)
        return empty[0].asformat(left.format), empty[1]
    place = cp.minimum(cp.searchsorted(inner, b.row), inner.size - 1)
    met = cp.flatnonzero(inner[place] == b.row)
    index = index_dtype((*left._shape, *right._shape), of=(left, right))
    columns, rows = cp.searchsorted(inner, a.col).astype(index), place[met].astype(index)
    first = kind._made(a.data, (a.row, columns), (left._shape[0], inner.size), a._canonical)
    second = kind._made(b.data[met], (rows, b.col[met].astype(index, copy=False)), (inner.size, right._shape[1]))
    return first.asformat(left.format), second


def _checked_axis(axis: Any, ndim: int) -> int:
    if not is_integer(axis) or not -ndim <= axis < ndim:
        raise ValueError("axis out of bounds")
    return int(axis) % ndim


def _is_shape(x: Any, ndims: Any) -> bool:
    """Whether the first argument of a constructor is a shape."""
    return isinstance(x, tuple) and len(x) in ndims and all(is_integer(length) for length in x)
