"""Formats that keep their elements in one array `data`: what works on that array alone."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ._base import sparse_base
from ._checks import as_part, checked_dtype, is_scalar, upcast
from ._devices import own_device

_UFUNCS = (
    *("arcsin", "arcsinh", "arctan", "arctanh", "ceil", "deg2rad", "expm1", "floor", "log1p"),
    *("rad2deg", "rint", "sign", "sin", "sinh", "sqrt", "tan", "tanh", "trunc"),
)


class sparse_data(sparse_base):
    """The base of formats with one array of elements."""

    data: cp.ndarray

    @property
    def dtype(self) -> np.dtype[Any]:  # type: ignore[override]
        """The type of the elements."""
        return as_part("data", self.data).dtype

    @dtype.setter
    def dtype(self, dtype: Any) -> None:
        self.data = self.data.astype(checked_dtype(dtype), copy=False)

    @property
    def device(self) -> Any:
        """The device of the elements."""
        return self.data.device

    def _with_data(self, data: cp.ndarray, copy: bool = True) -> Any:
        """The same positions with other elements; `copy` says whether the positions are copied."""
        raise AssertionError(f"{self.__class__.__name__} has no positions")

    def copy(self) -> Any:
        """A copy that shares no memory."""
        return self._with_data(self.data.copy(), copy=True)

    def astype(self, dtype: Any, casting: str = "unsafe", copy: bool = True) -> Any:
        """With elements of another type.

        Parameters
        ----------
        dtype : dtype
        copy : bool
            If false, elements that have the type are shared.

        >>> cp.scipy.sparse.eye_array(2).astype(int).dtype
        dtype('int64')
        """
        dtype = checked_dtype(dtype)
        if self.dtype != dtype:
            return self._with_data(self.data.astype(dtype, casting=casting, copy=True), copy=copy)
        return self.copy() if copy else self

    def conj(self, copy: bool = True) -> Any:
        """The complex conjugates of the elements. Real ones are shared unless `copy`."""
        if self.dtype.kind == "c":
            return self._with_data(self.data.conj(), copy=copy)
        return self.copy() if copy else self

    def _real(self) -> Any:
        return self._with_data(self.data.real.copy())

    def _imag(self) -> Any:
        return self._with_data(self.data.imag.copy())

    def __neg__(self) -> Any:
        if self.dtype.kind == "b":
            raise NotImplementedError("negating a boolean sparse array is not supported")
        return self._with_data(-self.data)

    def __abs__(self) -> Any:
        array = self._deduplicated()
        return array._with_data(abs(array.data))

    def __round__(self, ndigits: int = 0) -> Any:
        array = self._deduplicated()
        return array._with_data(cp.around(array.data, decimals=ndigits))

    def __imul__(self, other: Any) -> Any:
        if not is_scalar(other):
            return NotImplemented
        self.data *= other
        return self

    def __itruediv__(self, other: Any) -> Any:
        if not is_scalar(other):
            return NotImplemented
        self.data *= 1.0 / other
        return self

    def _scaled(self, factor: Any) -> Any:
        data = self.data * factor
        return self._with_data(data.astype(upcast(data.dtype), copy=False))

    def _deduplicated(self) -> Any:
        return self

    def power(self, n: Any, dtype: Any = None) -> Any:
        """Each element to the power `n`.

        Parameters
        ----------
        n : number
            Not zero: then all elements of the array were one.
        dtype : dtype, optional
            What the elements are cast to first.

        >>> cp.scipy.sparse.csr_array([[2, 0], [0, 3]]).power(2).toarray()
        array([[4, 0],
               [0, 9]])
        """
        if not is_scalar(n):
            raise NotImplementedError("input is not scalar")
        if not n:
            raise NotImplementedError(
                "zero power is not supported as it would densify the matrix.\n"
                "Use `np.ones(A.shape, dtype=A.dtype)` for this case."
            )
        array = self._deduplicated()
        data = array.data if dtype is None else array.data.astype(dtype, copy=False)
        return array._with_data(data**n)


def _method(name: str) -> Any:
    ufunc = getattr(cp, name)

    def method(self: Any) -> Any:
        array = self._deduplicated()
        return array._with_data(ufunc(array.data), copy=True)

    method.__name__ = name
    method.__qualname__ = f"sparse_data.{name}"
    method.__doc__ = f"`{name}` of each element. See `cuproxide.{name}`."
    return own_device(method)


for _name in _UFUNCS:
    setattr(sparse_data, _name, _method(_name))
