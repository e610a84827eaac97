"""Arguments as arrays of the device, and few numbers on the host: what the packages of `scipy` share."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray


def as_device(value: Any, dtype: Any = None) -> ndarray:
    """`value`, an array of the device or of the host, a number or nested numbers, as an array of the device."""
    if isinstance(value, ndarray):
        return value if dtype is None or value.dtype == dtype else value.astype(dtype)
    return _core.array(value, dtype, None)


def as_floating(value: Any) -> ndarray:
    """`value` as an array of floating-point or complex numbers: integers and truth values become float64."""
    array = as_device(value)
    return array.astype(np.float64) if array.dtype.kind in "biu" else array


def as_promoted(*values: Any) -> list[ndarray]:
    """Values as arrays of one floating-point or complex type; a plain number takes the type of the arrays.

    >>> from cuproxide._lib.arguments import as_promoted
    >>> [x.dtype.name for x in as_promoted(cp.zeros(2, "float32"), 1.5)]
    ['float32', 'float32']
    """
    arrays = [as_floating(value) for value in values]
    kinds = [x.dtype for x, value in zip(arrays, values, strict=True) if type(value) not in (int, float)]
    dtype = np.result_type(*kinds) if kinds else np.dtype(np.float64)
    return [x.astype(dtype, copy=False) for x in arrays]


def to_host(value: Any) -> Any:
    """An array's elements in an array of NumPy: a read, which waits for the device."""
    return value.get() if isinstance(value, ndarray) else np.asarray(value)


def is_integer(value: Any) -> bool:
    """Whether something stands for an integer: one of Python or NumPy, or an integer array without dimensions.

    >>> from cuproxide._lib.arguments import is_integer
    >>> is_integer(3), is_integer(cp.asarray(3)), is_integer(3.0), is_integer(cp.asarray([3]))
    (True, True, False, False)
    """
    if isinstance(value, ndarray) and (value.ndim or value.dtype.kind not in "iu"):
        return False
    try:
        operator.index(value)
    except TypeError:
        return False
    return True


def to_float(value: Any) -> float:
    """The one element of an array, or a number, as a float."""
    if isinstance(value, ndarray):
        if value.size != 1:
            raise ValueError(f"expected one number, got an array of shape {value.shape}")
        return float(value.reshape(()))
    return float(value)
