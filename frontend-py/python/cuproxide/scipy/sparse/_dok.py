"""A dictionary of places and elements, on the host: for building arrays element by element."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

import cuproxide as cp

from ._base import sparray, sparse_base, spmatrix
from ._checks import check_shape, checked_dtype, divided, index_dtype, is_dense, is_integer, is_scalar
from ._compressed import _is_shape
from ._indexing import element_key, host_places, inside, is_element, parse
from ._kinds import CONTAINERS

__all__ = ["dok_array", "dok_matrix"]


class dok_base(sparse_base):
    """The base of `dok_array` and `dok_matrix`. Work on the whole array happens on the device, in another format."""

    _format = "dok"

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
        if _is_shape(arg1, self._ndims):
            self._shape = check_shape((arg1,), ndims=self._ndims)
            self._dict: dict[Any, Any] = {}
            self.dtype = np.dtype(np.float64) if dtype is None else dtype
            return
        if isinstance(arg1, tuple):
            raise TypeError("Invalid input format.")
        if not isinstance(arg1, sparse_base):
            arg1 = CONTAINERS["coo", self._is_array](arg1, shape=shape, dtype=dtype)
        if arg1.ndim not in self._ndims:
            raise ValueError(f"DOK arrays don't support {arg1.ndim}D input.")
        array = arg1.todok(copy=copy)
        if dtype is not None:
            array = array.astype(dtype, copy=False)
        self._shape, self._dict, self.dtype = array._shape, array._dict, array.dtype

    def _place(self, key: Any) -> Any:
        """A place as the dictionary has it: integers of Python, counted from the start."""
        parts = key if isinstance(key, tuple) else (key,)
        if len(parts) != self.ndim:
            raise IndexError(f"Index {key} length needs to match self.shape")
        if not all(is_integer(part) for part in parts):
            raise IndexError("Index must be or consist of integers.")
        if not all(-length <= part < length for part, length in zip(parts, self._shape, strict=True)):
            raise IndexError("Index out of bounds.")
        found = tuple(int(part) % length for part, length in zip(parts, self._shape, strict=True))
        return found[0] if self.ndim == 1 else found

    # ---------------------------------------------------------------------------------------------------- a dictionary

    def keys(self) -> Any:
        """The places of the stored elements."""
        return self._dict.keys()

    def values(self) -> Any:
        """The stored elements."""
        return self._dict.values()

    def items(self) -> Any:
        """Places and elements."""
        return self._dict.items()

    def get(self, key: Any = None, default: Any = 0.0) -> Any:  # type: ignore[override]
        """The element at a place, or `default`; without a place, the array of `scipy.sparse`.

        Parameters
        ----------
        default : scalar
            What is given where nothing is stored.
        """
        if key is None:
            return sparse_base.get(self)
        return self._dict.get(self._place(key), default)

    def setdefault(self, key: Any, default: Any = None, /) -> Any:
        """The element at a place, which becomes `default` if none is stored.

        Parameters
        ----------
        default : scalar, optional
            What is stored where nothing is.
        """
        return self._dict.setdefault(key, default)

    def pop(self, /, *args: Any) -> Any:
        """Removes an element and returns it."""
        return self._dict.pop(*args)

    def popitem(self) -> Any:
        """Removes the element that was stored last, and returns its place and it."""
        return self._dict.popitem()

    def clear(self) -> None:
        """Removes all elements."""
        self._dict.clear()

    def update(self, val: Any) -> None:
        """Stores the elements of a dictionary, or of pairs of places and elements."""
        items = list(val.items() if hasattr(val, "items") else val)
        for key, _ in items:
            parts = key if isinstance(key, tuple) else (key,)
            if len(parts) != self.ndim:
                raise IndexError(f"Index {key} length needs to match self.shape")
            for part, length in zip(parts, self._shape, strict=True):
                if not is_integer(part):
                    raise IndexError(f"integer keys required for update. Got {key}")
                if part < 0:
                    raise IndexError(f"negative index {key} not allowed in update")
                if part >= length:
                    raise IndexError(f"index {key} is too large for self.shape")
        self._dict.update(items)

    @classmethod
    def fromkeys(cls, iterable: Any, value: Any = 1, /) -> Any:
        """An array with the same element at several places.

        Parameters
        ----------
        iterable : iterable
            The places.
        value : scalar
            The value.
        """
        places = dict.fromkeys(iterable, value)
        first = next(iter(places))
        if isinstance(first, tuple):
            shape = tuple(max(index) + 1 for index in zip(*places, strict=True))
        else:
            shape = (max(places) + 1,)
        made = cls(shape, dtype=type(value))
        made._dict = places
        return made

    def __or__(self, other: Any) -> Any:
        return self._dict | (other._dict if isinstance(other, dok_base) else other)

    __ror__ = __or__

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def __reversed__(self) -> Any:
        raise TypeError(f"reversed is not defined for {type(self).__name__}")

    def __len__(self) -> int:
        return len(self._dict)

    def __contains__(self, key: Any) -> bool:
        return key in self._dict

    def __delitem__(self, key: Any) -> None:
        del self._dict[key]

    # -------------------------------------------------------------------------------------------------------- elements

    def __getitem__(self, key: Any) -> Any:
        key = element_key(key, self.ndim)
        parts = key if isinstance(key, tuple) else (key,)
        if len(parts) == self.ndim and all(is_integer(part) for part in parts):
            try:
                place = self._place(key)
            except IndexError:
                raise IndexError(f"index {key} out of range") from None
            return self._dict.get(place, self.dtype.type(0))
        result = self.tocsr()[key]
        if isinstance(result, cp.ndarray):
            if is_element(key) and self.ndim == 2:
                return result
            return self._class("coo" if result.ndim == 1 else "dok")(result)
        has_new = any(part is None for part in (key if isinstance(key, tuple) else (key,)))
        return result.todok() if result.ndim == self.ndim or (self.ndim == 1 and not has_new) else result.tocoo()

    def __setitem__(self, key: Any, value: Any) -> None:
        key = element_key(key, self.ndim)
        parts = key if isinstance(key, tuple) else (key,)
        if len(parts) == self.ndim and all(is_integer(part) for part in parts) and np.ndim(value) == 0:
            self._store(self._place(key), self.dtype.type(value))
            return
        places, values = host_places(*parse(key, self._shape), self._shape, value, self.dtype)
        for place, element in zip(places, values, strict=True):
            self._store(place[0] if self.ndim == 1 else place, element)

    def _store(self, place: Any, element: Any) -> None:
        if element:
            self._dict[place] = element
        else:
            self._dict.pop(place, None)

    def _getnnz(self, axis: int | None = None) -> Any:
        return len(self._dict) if axis is None else self.tocoo()._getnnz(axis)

    # ----------------------------------------------------------------------------------------------------- conversions

    def tocoo(self, copy: bool = False) -> Any:
        """In the format COO, on the device."""
        kind = self._class("coo")
        if not self._dict:
            return kind(self._shape, dtype=self.dtype)
        places = zip(*self._dict, strict=True) if self.ndim > 1 else [self._dict]
        index = index_dtype(self._shape)
        coords = tuple(
            cp.asarray(inside(list(part), length, "axis").astype(index))
            for part, length in zip(places, self._shape, strict=True)
        )
        data = np.array(list(self._dict.values()), dtype=self.dtype)
        return kind._made(cp.asarray(data), coords, self._shape)

    def todok(self, copy: bool = False) -> Any:
        """In the format DOK: itself, unless `copy`."""
        return self.copy() if copy else self

    def copy(self) -> Any:
        """A copy that shares no memory."""
        made = CONTAINERS["dok", self._is_array](self._shape, dtype=self.dtype)
        made._dict = dict(self._dict)
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
        made = CONTAINERS["dok", self._is_array](self._shape, dtype=dtype)
        values: Any = np.array(list(self._dict.values()), dtype=self.dtype)
        made._dict = dict(zip(self._dict, values.astype(dtype, casting=casting), strict=True))
        return made

    def transpose(self, axes: Any = None, copy: bool = False) -> Any:
        """The transpose, in the format DOK."""
        if self.ndim == 1:
            return self.copy()
        self._check_axes(axes)
        made = CONTAINERS["dok", self._is_array](self._shape[::-1], dtype=self.dtype)
        made._dict = {(j, i): value for (i, j), value in self._dict.items()}
        return made

    def _scaled(self, factor: Any) -> Any:
        return self.tocoo()._scaled(factor).todok()

    def __truediv__(self, other: Any) -> Any:
        if not is_scalar(other):
            return sparse_base.__truediv__(self, other)
        quotients = divided(list(self._dict.values()), self.dtype, other)
        made = CONTAINERS["dok", self._is_array](self._shape, dtype=quotients.dtype)
        made._dict = dict(zip(self._dict, quotients, strict=True))
        return made

    def __neg__(self) -> Any:
        return (-self.tocoo()).todok()

    def _added(self, other: Any, how: Any) -> Any:
        if is_scalar(other) and other != 0:
            # As in SciPy, of this format alone.
            return CONTAINERS["dok", self._is_array](how(self.toarray(), other))
        made = super()._added(other, how)
        if not is_scalar(other) or how is operator.sub:
            return made
        return made.astype(np.result_type(self.dtype, other.dtype if is_dense(other) else other), copy=False)

    def _combined(self, other: Any, name: str) -> Any:
        made = self.tocsr()._combined(other, name)
        return made.todok() if name == "add" else made

    def __imul__(self, other: Any) -> Any:
        if not is_scalar(other):
            return NotImplemented
        self._dict = {place: value * other for place, value in self._dict.items()}
        return self

    def __itruediv__(self, other: Any) -> Any:
        if not is_scalar(other):
            return NotImplemented
        quotients = divided(list(self._dict.values()), self.dtype, other)
        self._dict = dict(zip(self._dict, quotients, strict=True))
        return self

    def count_nonzero(self, axis: int | None = None) -> Any:
        """How many elements are not zero, in all or along an axis."""
        return sum(value != 0 for value in self._dict.values()) if axis is None else self.tocoo().count_nonzero(axis)

    def _set_diagonal(self, values: cp.ndarray, k: int) -> None:
        begin = max(-k, 0)
        for row, value in enumerate(values.get(), begin):
            self._store((row, row + k), self.dtype.type(value))

    def resize(self, *shape: Any) -> None:
        """Changes the shape in place; elements outside of it are dropped."""
        shape = check_shape(shape, ndims=(self.ndim,))
        self._dict = {
            place: value
            for place, value in self._dict.items()
            if all(i < n for i, n in zip(place if self.ndim > 1 else (place,), shape, strict=True))
        }
        self._shape = shape


def dictionary_of(coo: Any) -> Any:
    """An array in the format DOK for one in the format COO."""
    if coo.ndim > 2:
        raise ValueError(f"Cannot convert. DOK must be 1D or 2D. Got {coo.ndim}D")
    coo = coo._deduplicated()
    made = coo._class("dok")(coo.shape, dtype=coo.dtype)
    coords = [index.tolist() for index in coo.coords]
    places = coords[0] if coo.ndim == 1 else list(zip(*coords, strict=True))
    made._dict = dict(zip(places, coo.data.get(), strict=True))
    return made


class dok_array(dok_base, sparray):
    """A sparse array in a dictionary on the host, for building it element by element.

    Parameters
    ----------
    arg1 : array, sparse array or shape
        What it holds.
    shape : tuple of int, optional
        One or two lengths.
    copy : bool
        If false, the dictionary of another such array is shared.

    >>> import cuproxide as cp
    >>> from cuproxide.scipy import sparse
    >>> a = sparse.dok_array((3, 3), dtype=int)
    >>> for i in range(3):
    ...     a[i, i] = i + 1
    >>> a.tocsr().diagonal()
    array([1, 2, 3])
    """

    _ndims = (1, 2)


class dok_matrix(spmatrix, dok_base):
    """A sparse matrix in a dictionary on the host, whose `*` is the product of matrices; see `dok_array`.

    >>> import cuproxide as cp
    >>> from cuproxide.scipy import sparse
    >>> a = sparse.dok_matrix((2, 2))
    >>> a[0, 1] = 5
    >>> a.toarray()
    array([[0., 5.],
           [0., 0.]])
    """
