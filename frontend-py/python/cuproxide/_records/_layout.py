"""What follows from a dtype alone, and from bytes of elements: no array of records is known here."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._cuproxide import ndarray

WORDS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def checked(dtype: np.dtype[Any]) -> np.dtype[Any]:
    if dtype.hasobject:
        raise TypeError(f"Unsupported dtype {dtype}: objects of Python lie in no device's memory")
    return dtype


def is_number(dtype: np.dtype[Any]) -> bool:
    """Whether elements are numbers of another library, such as float8: bytes here, with which nothing is computed."""
    return dtype.kind == "V" and dtype.names is None and not issubclass(dtype.type, np.void)


def fields(dtype: np.dtype[Any]) -> list[tuple[np.dtype[Any], int]]:
    return [dtype.fields[name][:2] for name in dtype.names or ()]  # type: ignore[index]


def is_packed(dtype: np.dtype[Any]) -> bool:
    """Whether all bytes of an element belong to its fields, or may be copied with them."""
    return dtype.names is None or dtype.itemsize <= sum(field.itemsize for field, _ in fields(dtype))


def word_of(dtype: np.dtype[Any]) -> int:
    """The bytes of the widest word that elements consist of."""
    return math.gcd(8, dtype.itemsize)


def host_dtype(value: Any, dtype: np.dtype[Any]) -> np.dtype[Any] | None:
    """The dtype to read a value as: records are tuples, all else are numbers."""
    inner = value
    while isinstance(inner, list) and inner:
        inner = inner[0]
    return dtype if isinstance(inner, (tuple, bytes)) else None


def resized(data: ndarray, strides: tuple[int, ...], itemsize: int) -> ndarray:
    """Elements in bytes cut into elements of another size, along the last axis."""
    old = data.shape[-1]
    if not strides:
        raise ValueError("Changing the dtype of a 0d array is only supported if the itemsize is unchanged")
    length = data.shape[-2]
    if length != 1 and strides[-1] != old and data.size:
        raise ValueError("To change to a dtype of a different size, the last axis must be contiguous")
    if itemsize < old and old % itemsize:
        raise ValueError("When changing to a smaller dtype, its size must be a divisor of the size of original dtype")
    if length * old % itemsize:
        raise ValueError(
            "When changing to a larger dtype, its size must be a divisor of the total size in bytes of the last axis "
            "of the array."
        )
    return data.reshape(*data.shape[:-2], length * old // itemsize, itemsize)


def described(thing: Any) -> np.dtype[Any] | None:
    """The dtype of records or dates that another library's object of a GPU describes itself with."""
    if isinstance(thing, (ndarray, np.ndarray, np.generic, str, type)):
        return None
    interface = getattr(thing, "__cuda_array_interface__", None)
    typestr = interface.get("typestr") if isinstance(interface, dict) else None
    if not isinstance(typestr, str) or typestr[1:2] not in ("V", "M", "m"):
        return None
    fields = interface.get("descr")
    named = typestr[1] == "V" and fields and (len(fields) > 1 or fields[0][0])
    dtype = np.dtype([tuple(field) for field in fields] if named else typestr)
    if dtype.itemsize != np.dtype(typestr).itemsize:
        raise ValueError(f"__cuda_array_interface__ has descr={fields!r}, which is not of the size of {typestr!r}")
    return dtype
