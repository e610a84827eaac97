"""Coordinates and elements in any order: the format with any number of axes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import cuproxide as cp

from ._base import sparray, sparse_base, spmatrix
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
    is_scalar,
    upcast,
)
from ._compressed import _checked_axis, _is_shape
from ._coordinates import CoordinateIndexing
from ._data import sparse_data
from ._inspection import check_coords
from ._minmax import Extrema
from ._structure import compressed, merged, order_of, raveled, scatter, unraveled

__all__ = ["coo_array", "coo_matrix"]


def _checked_arrays(data: Any, *coords: Any) -> tuple[cp.ndarray, ...]:
    """The elements, and the coordinates as integers, if they are as many."""
    data = checked_elements(data)
    found = tuple(
        index if is_dense(index) and not index.size else checked_integers(f"index array {axis}", index)
        for axis, index in enumerate(map(as_dense, coords))
    )
    if data.ndim != 1 or any(index.ndim != 1 for index in found):
        raise ValueError("coordinates and data arrays must be 1-D")
    if any(index.size != data.size for index in found):
        raise ValueError("all index and data arrays must have the same length")
    return data, *found


class coo_base(Extrema, sparse_data):
    """The base of `coo_array` and `coo_matrix`."""

    _format = "coo"
    coords: tuple[cp.ndarray, ...]

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
            array = arg1.tocoo(copy=copy)
            self._shape = array._shape
            self._put(array.data, array.coords, array._canonical)
            if shape is not None and shape != self._shape:
                raise ValueError(f"inconsistent shapes: {shape} != {self._shape}")
            if len(self._shape) not in self._ndims:
                raise ValueError(f"matrices have two axes, not {len(self._shape)}")
        elif _is_shape(arg1, self._ndims):
            self._shape = check_shape((arg1,), ndims=self._ndims)
            index = index_dtype(self._shape)
            data = cp.zeros(0, np.float64 if dtype is None else dtype)
            self._put(data, tuple(cp.zeros(0, index) for _ in self._shape), True)
        elif isinstance(arg1, tuple):
            self._from_arrays(arg1, shape, dtype, copy)
        else:
            self._from_other(arg1, shape)
        if dtype is not None and self.data.dtype != dtype:
            self.data = self.data.astype(dtype)

    def _from_arrays(self, parts: tuple[Any, ...], shape: Shape | None, dtype: Any, copy: bool) -> None:
        try:
            data, coords = parts
        except (TypeError, ValueError):
            raise TypeError("invalid input format") from None
        given, elements = tuple(as_indices(index) for index in coords), as_dense(data, dtype=dtype)
        for index in given if shape is None else ():
            if index.size and index.dtype.kind not in "iu":
                raise TypeError(f"'numpy.{index.dtype.name}' object cannot be interpreted as an integer")
        elements, *found = _checked_arrays(elements, *given)
        if shape is None:
            if not elements.size:
                raise ValueError("cannot infer dimensions from zero sized index arrays")
            shape = tuple(int(high) + 1 for high in cp.stack([index.max() for index in found]).tolist())
            shape = check_shape((shape,), ndims=self._ndims)
        self._shape = shape
        _, elements, *found = self._checked(shape, elements, *found)
        if not self._is_array:
            found = [index.astype(index_dtype(shape), copy=False) for index in found]
        if copy:
            elements = elements.copy() if elements is data else elements
            found = [index.copy() if any(index is part for part in given) else index for index in found]
        self._put(elements, tuple(found))

    @classmethod
    def _from_parts(
        cls, data: cp.ndarray, row: cp.ndarray, col: cp.ndarray, shape: Shape, has_canonical_format: bool = False
    ) -> Any:
        """CuPy's way to make a matrix whose indices keep their type; unlike there, nothing is taken on trust."""
        del has_canonical_format
        made = cls._made(data, (row, col), shape)
        made._recheck()
        return made

    def _put(self, data: cp.ndarray, coords: tuple[cp.ndarray, ...], canonical: bool | None = False) -> None:
        """Replaces the parts by others that are known to be right."""
        self._assign(data, *coords)
        self._canonical = canonical
        self._trust(self._shape, data, *coords)

    def _assign(self, *parts: cp.ndarray) -> None:
        self.data, self.coords = parts[0], parts[1:]

    def _guarded(self) -> tuple[Any, ...]:
        coords = self.coords
        if type(coords) is not tuple:
            if not isinstance(coords, (tuple, list)):
                raise TypeError(f"coords must be a tuple of arrays, not {type(coords).__name__}")
            self.coords = coords = tuple(coords)
        return self._shape, self.data, *coords

    def _forget(self) -> None:
        self._canonical = False

    def _checked(self, shape: Shape, data: Any, *coords: Any) -> tuple[Any, ...]:  # type: ignore[override]
        data, *found = _checked_arrays(data, *coords)
        if len(found) != len(shape):
            raise ValueError(f"mismatching number of index arrays for shape; got {len(found)}, expected {len(shape)}")
        check_coords(tuple(found), shape)
        index_type = np.int64 if len(shape) > 2 or are_wide(found) else index_dtype(shape)
        return shape, data, *(index.astype(index_type, copy=False) for index in found)

    def _from_other(self, other: Any, shape: Shape | None) -> None:
        from ._host import from_scipy

        made = from_scipy(other, self._is_array)
        if made is not None:
            array = made.tocoo(copy=False)
            self._shape = array._shape
            self._put(array.data, array.coords, array._canonical)
            if len(self._shape) not in self._ndims:
                raise ValueError(f"matrices have two axes, not {len(self._shape)}")
            return
        if self._is_array and np.isscalar(other):
            raise ValueError("sparse array classes do not support instantiation from a scalar")
        try:
            dense = as_dense(other)
        except (TypeError, ValueError):
            raise ValueError(f"unrecognized {self.__class__.__name__} constructor input: {other!r}") from None
        if not self._is_array:
            if dense.ndim > 2:
                raise TypeError(f"expected 2D array or matrix, not {dense.ndim}D")
            dense = cp.atleast_2d(dense)
        checked_dtype(dense.dtype)
        if dense.ndim == 0:
            raise ValueError("sparse arrays have at least one axis")
        if shape is not None and shape != dense.shape:
            raise ValueError(f"inconsistent shapes: {shape} != {dense.shape}")
        flat = cp.flatnonzero(dense)
        self._shape = dense.shape
        index_type = np.int64 if dense.ndim > 2 else index_dtype(dense.shape)
        coords = tuple(index.astype(index_type, copy=False) for index in unraveled(flat, dense.shape))
        self._put(dense.reshape(-1)[flat], coords, True)

    @classmethod
    def _made(
        cls, data: cp.ndarray, coords: tuple[cp.ndarray, ...], shape: Shape, canonical: bool | None = False
    ) -> Any:
        """An array of parts that are known to be right."""
        made = cls.__new__(cls)
        sparse_base.__init__(made)
        made._shape = tuple(int(length) for length in shape)
        made._put(data, coords, canonical)
        return made

    def _with_data(self, data: cp.ndarray, copy: bool = True) -> Any:
        coords = tuple(index.copy() for index in self.coords) if copy else self.coords
        return self._made(data, coords, self._shape, self._canonical)

    # ----------------------------------------------------------------------------------------------------- coordinates

    # None if a program says so.
    _canonical: bool | None

    @property
    def has_canonical_format(self) -> bool:
        """Whether elements are in C order and none has another's place, as far as is known."""
        return self._canonical is not False

    @has_canonical_format.setter
    def has_canonical_format(self, value: bool) -> None:
        self._canonical = None if value else False

    @property
    def _is_wide(self) -> bool:
        return are_wide(self.coords)

    @property
    def col(self) -> cp.ndarray:
        """The last coordinate of each element."""
        return self.coords[-1]

    @col.setter
    def col(self, value: Any) -> None:
        self.coords = (*self.coords[:-1], as_dense(value, dtype=self.coords[-1].dtype))
        self._canonical = False

    @property
    def row(self) -> cp.ndarray:
        """The last but one coordinate of each element; zeros if there is one axis."""
        return self.coords[-2] if self.ndim > 1 else cp.zeros_like(self.col)

    @row.setter
    def row(self, value: Any) -> None:
        if self.ndim < 2:
            raise ValueError("cannot set row attribute of a 1-dimensional sparse array")
        new = as_dense(value, dtype=self.coords[-2].dtype)
        self.coords = (*self.coords[:-2], new, self.coords[-1])
        self._canonical = False

    def _getnnz(self, axis: int | None = None) -> Any:
        if axis is None:
            return as_part("data", self.data).size
        axis = _checked_axis(axis, self.ndim)
        if self.ndim == 1:
            return self.data.size
        return cp.bincount(self.coords[1 - axis], minlength=self.shape[1 - axis])

    def count_nonzero(self, axis: int | None = None) -> Any:
        """How many elements are not zero, in all or along an axis.

        >>> cp.scipy.sparse.coo_array([[1, 2], [0, 3]]).count_nonzero(axis=0)
        array([1, 2])
        """
        array = self._deduplicated()
        if axis is None:
            return int(cp.count_nonzero(array.data))
        axis = _checked_axis(axis, self.ndim)
        if self.ndim == 1:
            return int(cp.count_nonzero(array.data))
        return cp.bincount(array.coords[1 - axis][array.data != 0], minlength=self.shape[1 - axis])

    def sum_duplicates(self) -> None:
        """Adds elements of one place up, in place, and sorts them in C order."""
        if self.has_canonical_format:
            return
        index = self.coords[0].dtype
        if self.ndim == 2:
            order = order_of(*self.coords, *self.shape)
            row, column = (part[order] for part in self.coords)
            row, column, data = merged(row, column, self.data, order)
            coords: tuple[cp.ndarray, ...] = (row, column)
        else:
            flat = raveled(self.coords, self.shape)
            order = cp.argsort(flat, kind="stable")
            flat, _, data = merged(flat[order], flat[order], self.data, order)
            coords = tuple(part.astype(index, copy=False) for part in unraveled(flat, self.shape))
        self._put(data, coords, True)

    def _deduplicated(self) -> Any:
        """Itself if it is in C order and no place repeats, else a copy that is."""
        if self.has_canonical_format:
            return self
        made = self._with_data(self.data, copy=False)
        made.sum_duplicates()
        return made

    def eliminate_zeros(self) -> None:
        """Drops stored zeros, in place."""
        kept = cp.flatnonzero(self.data)
        if kept.size != self.data.size:
            self._put(self.data[kept], tuple(index[kept] for index in self.coords), self._canonical)

    # ----------------------------------------------------------------------------------------------------- conversions

    def tocoo(self, copy: bool = False) -> Any:
        """In the format COO: itself, unless `copy`."""
        return self.copy() if copy else self

    def tocsr(self, copy: bool = False) -> Any:
        """In the format CSR: sorted, with elements of one place added up."""
        if self.ndim > 2:
            raise ValueError(f"Cannot convert. CSR format must be 1D or 2D. Got {self.ndim}D")
        row, column = (cp.zeros_like(self.coords[0]), self.coords[0]) if self.ndim == 1 else self.coords
        index = index_dtype(self._shape, self.data.size, (self,))
        parts = compressed(row, column, self.data, *self._shape2, index, self._canonical is True)
        return self._class("csr")._made(*parts, self._shape, canonical=True)

    def tocsc(self, copy: bool = False) -> Any:
        """In the format CSC: sorted, with elements of one place added up."""
        if self.ndim != 2:
            raise ValueError(f"Cannot convert. CSC format must be 2D. Got {self.ndim}D")
        row, column = self.coords
        index = index_dtype(self._shape, self.data.size, (self,))
        parts = compressed(column, row, self.data, self._shape[1], self._shape[0], index)
        return self._class("csc")._made(*parts, self._shape, canonical=True)

    def todia(self, copy: bool = False) -> Any:
        """In the format DIA."""
        if self.ndim != 2:
            raise ValueError(f"Cannot convert. DIA format must be 2D. Got {self.ndim}D")
        from ._dia import diagonals_of

        return diagonals_of(self)

    def todok(self, copy: bool = False) -> Any:
        """In the format DOK, which is on the host."""
        from ._dok import dictionary_of

        return dictionary_of(self)

    def toarray(self, order: str | None = None, out: cp.ndarray | None = None) -> cp.ndarray:
        """The dense array.

        Parameters
        ----------
        out : array, optional
            What is overwritten by the result.
        """
        result = self._dense_target(order, out)
        self._scatter_to(result)
        return result

    def _add_dense(self, other: cp.ndarray) -> cp.ndarray:
        result = cp.ascontiguousarray(other.astype(upcast(self.dtype, other.dtype))).copy()
        self._scatter_to(result)
        return result

    def _scatter_to(self, result: cp.ndarray) -> None:
        if result.flags.c_contiguous:
            scatter(raveled(self.coords, self.shape), self.data, result.reshape(-1))
        elif result.flags.f_contiguous:
            scatter(raveled(self.coords, self.shape, "F"), self.data, result.T.reshape(-1))
        else:
            dense = cp.zeros(self.shape, result.dtype)
            scatter(raveled(self.coords, self.shape), self.data, dense.reshape(-1))
            result += dense

    # ---------------------------------------------------------------------------------------------------------- shapes

    def reshape(self, *args: Any, order: str = "C", copy: bool = False) -> Any:
        """With another shape of the same size.

        Parameters
        ----------
        *args : int or tuple of int
            The shape. One length may be -1.
        order : {'C', 'F'}
            The order in which elements are counted.
        copy : bool
            If false, elements are shared.

        >>> cp.scipy.sparse.coo_array([[1, 0], [0, 2]]).reshape(4).toarray()
        array([1, 0, 0, 2])
        """
        if order not in ("C", "F"):
            raise ValueError("'order' must be 'C' or 'F'")
        shape = check_shape(args, self.shape, ndims=self._ndims)
        if shape == self.shape:
            return self.copy() if copy else self
        flat = raveled(self.coords, self.shape, order)
        index = np.int64 if len(shape) > 2 else index_dtype(shape, of=(self,))
        coords = tuple(part.astype(index, copy=False) for part in unraveled(flat, shape, order))
        return self._made(self.data.copy() if copy else self.data, coords, shape)

    def transpose(self, axes: Any = None, copy: bool = False) -> Any:
        """With axes in another order, reversed if none is given; shares memory unless `copy`."""
        if axes is None:
            axes = tuple(range(self.ndim))[::-1]
        elif not self._is_array:
            self._check_axes(axes)
        else:
            if not hasattr(axes, "__len__") or len(axes) != self.ndim:
                raise ValueError("axes don't match matrix dimensions")
            axes = tuple(axis + self.ndim if axis < 0 else axis for axis in axes)
            if len(set(axes)) != self.ndim or not all(0 <= axis < self.ndim for axis in axes):
                raise ValueError("repeated axis in transpose")
        array = self.copy() if copy else self
        return self._made(array.data, tuple(array.coords[axis] for axis in axes), tuple(self._shape[a] for a in axes))

    def resize(self, *shape: Any) -> None:
        """Changes the shape in place; elements outside of it are dropped."""
        shape = check_shape(shape, ndims=self._ndims)
        data, coords, lengths = self.data, self.coords, self._shape
        if len(shape) > len(lengths):
            # Elements keep their positions in C order.
            flat = raveled(coords, lengths).astype(np.int64, copy=False)
            size = math.prod(shape)
            if size < math.prod(lengths):
                kept = cp.flatnonzero(flat < size)
                data, flat = data[kept], flat[kept]
            index = np.int64 if len(shape) > 2 else index_dtype(shape, of=(self,))
            coords = tuple(part.astype(index, copy=False) for part in unraveled(flat, shape))
            lengths = shape
        if len(shape) < len(lengths):
            # Axes that are dropped are flattened into the first one that stays.
            extra = len(lengths) - len(shape) + 1
            made = self.reshape(math.prod(lengths[:extra]), *lengths[extra:])
            coords, lengths = made.coords, made._shape
        inside: Any = None
        for index, old, new in zip(coords, lengths, shape, strict=True):
            if new < old:
                inside = index < new if inside is None else inside & (index < new)
        if inside is not None:
            kept = cp.flatnonzero(inside)
            if kept.size != data.size:
                data, coords = data[kept], tuple(index[kept] for index in coords)
        self._shape = shape
        self._put(data, coords, self._canonical)

    def _broadcast_to(self, shape: Shape) -> Any:
        """Repeated along axes of length one, and along new first axes."""
        if self._shape == shape:
            return self
        old = (1,) * (len(shape) - self.ndim) + self._shape
        index = np.int64 if len(shape) > 2 else index_dtype(shape, of=(self,))
        zero = cp.zeros(self.data.size, index)
        coords = [zero] * (len(shape) - self.ndim) + [part.astype(index, copy=False) for part in self.coords]
        data = self.data
        for axis, (length, new) in enumerate(zip(old, shape, strict=True)):
            if length == new:
                continue
            if length != 1:
                raise ValueError(f"cannot broadcast {self._shape} to {shape}")
            count = data.size
            data = cp.tile(data, new)
            coords = [cp.tile(part, new) for part in coords]
            coords[axis] = cp.repeat(cp.arange(new, dtype=index), count)
        return self._made(data, tuple(coords), shape)

    def diagonal(self, k: int = 0) -> cp.ndarray:
        """The elements of a diagonal; `k` counts from the main one upwards.

        >>> cp.scipy.sparse.coo_array([[1, 2], [0, 3]]).diagonal(1)
        array([2])
        """
        if self.ndim != 2:
            raise ValueError("diagonal requires two dimensions")
        rows, columns = self.shape
        if k <= -rows or k >= columns:
            return cp.empty(0, self.dtype)
        result = cp.zeros(min(rows + min(k, 0), columns - max(k, 0)), self.dtype)
        row, column = self.coords
        on = cp.flatnonzero(column.astype(np.int64) - row == k)
        scatter(row[on] + min(k, 0), self.data[on], result)
        return result

    def _set_diagonal(self, values: cp.ndarray, k: int) -> None:
        if self.ndim != 2:
            raise ValueError("setting a diagonal requires two dimensions")
        row, column = self.coords
        begin, end = max(-k, 0), max(-k, 0) + values.size
        kept = cp.flatnonzero((column.astype(np.int64) - row != k) | (row < begin) | (row >= end))
        new = cp.arange(begin, end, dtype=row.dtype)
        coords = (cp.concatenate((row[kept], new)), cp.concatenate((column[kept], new + k)))
        self._put(cp.concatenate((self.data[kept], values.astype(self.dtype))), coords)

    # ------------------------------------------------------------------------------------------------------ arithmetic

    def _scaled(self, factor: Any) -> Any:
        return sparse_data._scaled(self, factor)

    def _mapped_by(self, number: Any, function: Any) -> Any:
        return self._flat()._mapped_by(number, function)

    def _sum_all(self, dtype: Any) -> Any:
        # What lies at one place is added up in the type of the elements: true and true is true.
        array = self._deduplicated() if self.dtype.kind in "biu" and dtype != self.dtype else self
        return array.data.sum(dtype=dtype)

    def _sum_axis(self, axis: int, dtype: Any) -> cp.ndarray:
        return self._sum_axes((axis,), dtype)

    def _sum_axes(self, axes: tuple[int, ...], dtype: Any) -> cp.ndarray:
        kept = [axis for axis in range(self.ndim) if axis not in axes]
        shape = tuple(self.shape[axis] for axis in kept)
        result = cp.zeros(math.prod(shape), dtype)
        scatter(raveled(tuple(self.coords[axis] for axis in kept), shape), self.data.astype(dtype, copy=False), result)
        return result.reshape(shape)

    def _multiplied(self, other: Any) -> Any:
        if self.ndim < 3 and getattr(other, "ndim", 0) < 3:
            return super()._multiplied(other)
        from ._tensors import stacked_product

        other = self._operand(other)
        return NotImplemented if other is None else stacked_product(self, other)

    def _multiplied_from_left(self, other: Any) -> Any:
        if self.ndim < 3 and getattr(other, "ndim", 0) < 3:
            return super()._multiplied_from_left(other)
        from ._tensors import stacked_product

        other = self._operand(other)
        return NotImplemented if other is None else stacked_product(other, self)

    def dot(self, other: Any) -> Any:
        """The product, of elements if `other` is a number; over the last axis and the last but one of `other`.

        >>> cp.scipy.sparse.coo_array([[1, 2], [0, 3]]).dot(cp.array([1, -1]))
        array([-1, -3])
        """
        other = self._operand(other)
        if other is None:
            raise TypeError(f"dot argument not supported type: '{type(other)}'")
        if is_scalar(other) or (self.ndim < 3 and other.ndim < 3):
            return super().dot(other)
        from ._tensors import dot

        return dot(self, other)

    def tensordot(self, other: Any, axes: Any = 2) -> Any:
        """The sum of products over axes of both arrays.

        Parameters
        ----------
        other : array or sparse array
        axes : int or pair of sequences of int
            How many axes, the last ones of this array and the first ones of the other; or which.

        Returns
        -------
        product : sparse array, or dense if `other` is

        See Also
        --------
        scipy.sparse.coo_array.tensordot : The function that this one follows.

        >>> a = cp.scipy.sparse.coo_array([[1, 2], [0, 3]])
        >>> a.tensordot(cp.array([1, 1]), axes=1)
        array([3, 3])
        """
        from ._tensors import tensordot

        return tensordot(self, other, axes)


class coo_array(CoordinateIndexing, coo_base, sparray):
    """A sparse array of elements and their coordinates, in any order; elements of one place add up.

    Parameters
    ----------
    arg1 : array, sparse array, shape, or (data, coords)
        What it holds: a dense array; a sparse one, also of `scipy.sparse`; nothing, for a shape; or elements and one
        index array for each axis.
    shape : tuple of int, optional
        Any number of lengths.
    copy : bool
        If false, arrays on the device are shared where they fit.

    Raises
    ------
    ValueError
        If indices do not lie in the shape; they are checked on the device.

    >>> a = sparse.coo_array((cp.array([1, 2, 3]), (cp.array([0, 1, 1]), cp.array([1, 0, 0]))), shape=(2, 2))
    >>> a.toarray()
    array([[0, 1],
           [5, 0]])
    """

    _ndims = range(1, 65)


class coo_matrix(spmatrix, coo_base):
    """A sparse matrix of elements and their coordinates, whose `*` is the product of matrices; see `coo_array`.

    >>> sparse.coo_matrix(cp.array([[0, 1], [2, 0]])).row
    array([0, 1], dtype=int32)
    """
