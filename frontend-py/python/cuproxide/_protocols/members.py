"""Members of `ndarray` and `ufunc` that the compiled module leaves to Python."""

from __future__ import annotations

import ctypes
import inspect
from typing import Any

from .._cuproxide import ndarray, ufunc


class CTypes:
    """`ndarray.ctypes`: the address of the first element, which is one of the device, with shape and strides.

    Keeps the array alive. See `numpy.ndarray.ctypes`.
    """

    def __init__(self, array: ndarray) -> None:
        self._array = array

    @property
    def data(self) -> int:
        """The address on the device. Work that is queued for the array may still be running."""
        return self._array.data.ptr

    @property
    def shape(self) -> Any:
        """The lengths of the axes as an array of `ctypes.c_ssize_t`."""
        return self.shape_as(ctypes.c_ssize_t)

    @property
    def strides(self) -> Any:
        """The strides in bytes as an array of `ctypes.c_ssize_t`."""
        return self.strides_as(ctypes.c_ssize_t)

    def data_as(self, obj: Any) -> Any:
        """The address as a pointer of a type of `ctypes`, which keeps the array alive."""
        pointer = ctypes.cast(ctypes.c_void_p(self.data), obj)
        pointer._array = self._array
        return pointer

    def shape_as(self, obj: Any) -> Any:
        """The lengths of the axes as an array of a type of `ctypes`."""
        return (obj * self._array.ndim)(*self._array.shape)

    def strides_as(self, obj: Any) -> Any:
        """The strides in bytes as an array of a type of `ctypes`."""
        return (obj * self._array.ndim)(*self._array.strides)

    @property
    def _as_parameter_(self) -> ctypes.c_void_p:
        return self.data_as(ctypes.c_void_p)


def ufunc_signature(function: ufunc) -> inspect.Signature:
    """The arguments of a ufunc, as `inspect.signature` shows them."""
    parameter = inspect.Parameter
    names = ["x"] if function.nin == 1 else [f"x{i + 1}" for i in range(function.nin)]
    inputs = [parameter(name, parameter.POSITIONAL_ONLY) for name in names]
    none = None if function.nout == 1 else (None,) * function.nout
    options = {"where": True, "casting": "same_kind", "order": "K", "dtype": None, "subok": True, "signature": None}
    keywords = [parameter(name, parameter.KEYWORD_ONLY, default=default) for name, default in options.items()]
    out = parameter("out", parameter.POSITIONAL_OR_KEYWORD, default=none)
    return inspect.Signature([*inputs, out, *keywords])


class UfuncSignature:
    """The attribute `__signature__` of `ufunc`: that of each ufunc, none for the class."""

    def __get__(self, instance: ufunc | None, owner: type[ufunc]) -> inspect.Signature | None:
        return None if instance is None else ufunc_signature(instance)
