"""Lists of columns and elements, one a row, on the host: for building arrays row by row."""

from __future__ import annotations

from bisect import bisect_left
from itertools import islice
from typing import Any

import numpy as np

import cuproxide as cp

from ._base import sparray, sparse_base, spmatrix
from ._checks import cast, check_shape, checked_dtype, divided, index_dtype, is_integer, is_scalar
from ._compressed import _is_shape
from ._indexing import element_key, host_places, inside, is_element, parse
from ._kinds import CONTAINERS

__all__ = ["lil_array", "lil_matrix"]


def _lists(count: int) -> np.ndarray:
    made = np.empty(count, dtype=object)
    for i in range(count):
        made[i] = []
    return made


class lil_base(sparse_base):
    """The base of `lil_array` and `lil_matrix`. Work on the whole array happens on the device, in another format."""

    _format = "lil"

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
        if _is_shape(arg1, (2,)):
            if shape is not None:
                raise ValueError("invalid use of shape parameter")
            self._shape = check_shape((arg1,))
            self.rows, self.data = _lists(self._shape[0]), _lists(self._shape[0])
            self.dtype = np.dtype(np.float64) if dtype is None else dtype
            return
        if isinstance(arg1, tuple) and not isinstance(arg1, sparse_base):
            raise TypeError("unrecognized lil_array constructor usage")
        if not isinstance(arg1, sparse_base):
            arg1 = CONTAINERS["coo", self._is_array](arg1, shape=shape, dtype=dtype)
            if arg1.ndim != 2:
                raise ValueError(f"LIL arrays don't support {arg1.ndim}D input. Use 2D")
        array = arg1.tolil(copy=copy)
        if dtype is not None:
            array = array.astype(dtype, copy=False)
        self._shape, self.rows, self.data, self.dtype = array._shape, array.rows, array.data, array.dtype

    # -------------------------------------------------------------------------------------------------------- elements

    def _find(self, row: int, column: int) -> tuple[int, bool]:
        places = self.rows[row]
        place = bisect_left(places, column)
        return place, place < len(places) and places[place] == column

    def _store(self, row: int, column: int, element: Any) -> None:
        place, is_stored = self._find(row, column)
        if not element:
            if is_stored:
                del self.rows[row][place], self.data[row][place]
        elif is_stored:
            self.data[row][place] = element
        else:
            self.rows[row].insert(place, column)
            self.data[row].insert(place, element)

    def _counted(self, key: tuple[Any, Any]) -> tuple[int, int]:
        for part, length, what in zip(key, self._shape, ("row", "column"), strict=True):
            if not -length <= part < length:
                raise IndexError(f"{what} index ({part}) out of bounds")
        return int(key[0]) % self._shape[0], int(key[1]) % self._shape[1]

    def __getitem__(self, key: Any) -> Any:
        key = element_key(key, 2)
        if isinstance(key, tuple) and len(key) == 2 and all(is_integer(part) for part in key):
            row, column = self._counted(key)
            place, is_stored = self._find(row, column)
            return self.data[row][place] if is_stored else self.dtype.type(0)
        result = self.tocsr()[key]
        if isinstance(result, cp.ndarray):
            one_axis = result.ndim == 1 and self._is_array
            if is_element(key) and not one_axis:
                return result
            return self._class("coo" if one_axis else "lil")(result)
        return result.tolil() if result.ndim == 2 else result

    def __setitem__(self, key: Any, value: Any) -> None:
        key = element_key(key, 2)
        if isinstance(key, tuple) and len(key) == 2 and all(is_integer(part) for part in key) and np.ndim(value) == 0:
            row, column = self._counted(key)
            self._store(row, column, self.dtype.type(value))
            return
        places, values = host_places(*parse(key, self._shape), self._shape, value, self.dtype)
        for (row, column), element in zip(places, values, strict=True):
            self._store(row, column, element)

    def getrow(self, i: int) -> Any:
        """A copy of a row, in the format LIL."""
        made = self.getrowview(i)
        made.rows[0], made.data[0] = list(made.rows[0]), list(made.data[0])
        return made

    def getrowview(self, i: int) -> Any:
        """A row, in the format LIL, whose lists are those of this array."""
        if not -self._shape[0] <= i < self._shape[0]:
            raise IndexError("row index out of bounds")
        made = CONTAINERS["lil", self._is_array]((1, self._shape[1]), dtype=self.dtype)
        made.rows[0], made.data[0] = self.rows[i], self.data[i]
        return made

    def _getnnz(self, axis: int | None = None) -> Any:
        return sum(len(row) for row in self.rows) if axis is None else self.tocsr()._getnnz(axis)

    def count_nonzero(self, axis: int | None = None) -> Any:
        """How many elements are not zero, in all or along an axis."""
        return self.tocsr().count_nonzero(axis)

    # ----------------------------------------------------------------------------------------------------- conversions

    def tocsr(self, copy: bool = False) -> Any:
        """In the format CSR, on the device."""
        lengths = [len(row) for row in self.rows]
        if len(lengths) != self._shape[0] or lengths != [len(row) for row in self.data]:
            raise ValueError("rows and data must have a list for each row, of the same lengths")
        index = index_dtype(self._shape, sum(lengths))
        indptr: np.ndarray = np.zeros(len(lengths) + 1, index)
        np.cumsum(lengths, out=indptr[1:])
        indices = inside([column for row in self.rows for column in row], self._shape[1], "column")
        rises = np.diff(indices) > 0
        # From one row to the next, columns may fall.
        ends = indptr[1:-1]
        rises[ends[(ends > 0) & (ends < indices.size)] - 1] = True
        data = np.array([element for row in self.data for element in row], dtype=self.dtype)
        parts = (cp.asarray(part) for part in (data, indices.astype(index), indptr))
        return self._class("csr")._made(*parts, self._shape, canonical=bool(rises.all()))

    def tolil(self, copy: bool = False) -> Any:
        """In the format LIL: itself, unless `copy`."""
        return self.copy() if copy else self

    def copy(self) -> Any:
        """A copy that shares no memory."""
        made = CONTAINERS["lil", self._is_array](self._shape, dtype=self.dtype)
        for i, (row, data) in enumerate(zip(self.rows, self.data, strict=True)):
            made.rows[i], made.data[i] = list(row), list(data)
        return made

    def astype(self, dtype: Any, casting: str = "unsafe", copy: bool = True) -> Any:
        """With elements of another type; see `csr_array.astype`.

        Parameters
        ----------
        casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, optional
            Which casts are allowed.
        """
        dtype = checked_dtype(dtype)
        if dtype == self.dtype:
            return self.copy() if copy else self
        made = self.copy()
        made.dtype = dtype
        for i, data in enumerate(self.data):
            values: Any = np.array(data, dtype=self.dtype)
            made.data[i] = list(values.astype(dtype, casting=casting))
        return made

    def transpose(self, axes: Any = None, copy: bool = False) -> Any:
        """The transpose, in the format LIL."""
        self._check_axes(axes)
        return self.tocsr().transpose().tolil()

    def reshape(self, *args: Any, order: str = "C", copy: bool = False) -> Any:
        """With another shape of the same size, in the format LIL.

        Parameters
        ----------
        *args : int or tuple of int
            The shape; one length may be -1.
        order : str
            The order in which elements are counted.

        Returns
        -------
        lil_array
        """
        shape = check_shape(args, self._shape, ndims=(2,))
        if shape == self._shape:
            return self.copy() if copy else self
        return self.tocoo().reshape(shape, order=order).tolil()

    def resize(self, *shape: Any) -> None:
        """Changes the shape in place; elements outside of it are dropped."""
        shape = check_shape(shape)
        rows, data = _lists(shape[0]), _lists(shape[0])
        for i in range(min(shape[0], self._shape[0])):
            count = bisect_left(self.rows[i], shape[1])
            rows[i], data[i] = self.rows[i][:count], self.data[i][:count]
        self.rows, self.data, self._shape = rows, data, shape

    def _scaled(self, factor: Any) -> Any:
        made = self.tocsr()._scaled(factor)
        if not isinstance(factor, cp.ndarray) and factor == 0:
            made.eliminate_zeros()
        return made.tolil()

    def __truediv__(self, other: Any) -> Any:
        if not is_scalar(other):
            return sparse_base.__truediv__(self, other)
        quotients = divided([element for row in self.data for element in row], self.dtype, other)
        made = self.copy()
        made.dtype, elements = quotients.dtype, iter(quotients)
        for i, row in enumerate(self.data):
            made.data[i] = list(islice(elements, len(row)))
        return made

    # Work in place keeps the type of the elements.

    def __iadd__(self, other: Any) -> Any:
        self._become(cast(self + other, self.dtype))
        return self

    def __isub__(self, other: Any) -> Any:
        self._become(cast(self - other, self.dtype))
        return self

    def __imul__(self, other: Any) -> Any:
        if not is_scalar(other):
            return NotImplemented
        self._become(cast(self * other, self.dtype))
        return self

    def __itruediv__(self, other: Any) -> Any:
        if not is_scalar(other):
            return NotImplemented
        self._become(cast(self / other, self.dtype))
        return self

    def _set_diagonal(self, values: cp.ndarray, k: int) -> None:
        begin = max(-k, 0)
        for row, value in enumerate(values.get(), begin):
            self._store(row, row + k, self.dtype.type(value))


def lists_of(csr: Any) -> Any:
    """An array in the format LIL for one in the format CSR."""
    if csr.ndim != 2:
        raise ValueError(f"Cannot convert. LIL format must be 2D. Got {csr.ndim}D")
    csr = csr._deduplicated()
    made = csr._class("lil")(csr.shape, dtype=csr.dtype)
    indptr, indices, data = csr.indptr.tolist(), csr.indices.tolist(), list(csr.data.get())
    for i in range(csr.shape[0]):
        made.rows[i], made.data[i] = indices[indptr[i] : indptr[i + 1]], data[indptr[i] : indptr[i + 1]]
    return made


class lil_array(lil_base, sparray):
    """A sparse array in lists on the host, for building it row by row.

    Parameters
    ----------
    arg1 : array, sparse array or shape
        What it holds.
    shape : tuple of int, optional
        Two lengths.
    copy : bool
        If false, the lists of another such array are shared.

    >>> import cuproxide as cp
    >>> from cuproxide.scipy import sparse
    >>> a = sparse.lil_array((2, 4), dtype=int)
    >>> a[0, 1:3] = [5, 6]
    >>> a.toarray()
    array([[0, 5, 6, 0],
           [0, 0, 0, 0]])
    """


class lil_matrix(spmatrix, lil_base):
    """A sparse matrix in lists on the host, whose `*` is the product of matrices; see `lil_array`.

    >>> import cuproxide as cp
    >>> from cuproxide.scipy import sparse
    >>> a = sparse.lil_matrix((2, 2))
    >>> a[1] = [3, 4]
    >>> a.rows
    array([list([]), list([0, 1])], dtype=object)
    """
