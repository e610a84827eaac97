"""What the functions that make arrays give way to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from ._array import StructuredArray, assign, empty, made, typed
from ._layout import checked, resized

if TYPE_CHECKING:
    from .._typing import DeviceLike, DTypeLike, ShapeLike


def zeros(shape: ShapeLike, dtype: DTypeLike, order: str | None = None, device: DeviceLike = None) -> StructuredArray:
    """An array of records of zeros."""
    return made(_core.zeros, shape, dtype, order, device)


def full(
    shape: ShapeLike, fill_value: Any, dtype: DTypeLike = None, order: str | None = None, device: DeviceLike = None
) -> StructuredArray:
    """An array with every element set to a record, or every field to a number."""
    result = empty(shape, fill_value.dtype if dtype is None else dtype, order, device)
    result.fill(fill_value)
    return result


def empty_like(
    a: Any, dtype: DTypeLike, order: str | None, shape: ShapeLike | None, device: DeviceLike
) -> StructuredArray | ndarray:
    """An uninitialised array like one that is of records, or is to be."""
    wanted = np.dtype(a.dtype if dtype is None else dtype)
    kept = order in ("K", "A") and a.ndim > 1 and a.strides == tuple(sorted(a.strides))
    layout = "F" if order == "F" or kept else "C"
    lengths = a.shape if shape is None else shape
    if wanted.kind != "V":
        return _core.empty(lengths, wanted, layout, device=device)
    return empty(lengths, wanted, layout, device)


def full_like(
    a: Any, fill_value: Any, dtype: DTypeLike, order: str | None, shape: ShapeLike | None, device: DeviceLike
) -> StructuredArray | ndarray:
    """An array like one that is of records, or is to be, filled with a value."""
    result = empty_like(a, dtype, order, shape, device)
    if type(result) is StructuredArray and isinstance(fill_value, int) and fill_value == 0:
        result._words[...] = 0
    else:
        assign(result, ..., fill_value)
    return result


def view_as(a: ndarray, dtype: DTypeLike) -> StructuredArray | ndarray:
    """The memory of an array of numbers as records."""
    wanted = checked(np.dtype(dtype))
    if wanted.itemsize == 0:
        wanted = np.dtype((np.void, a.itemsize))
    data = a[..., None].view(np.uint8)
    if wanted.itemsize != a.itemsize:
        data = resized(data, a.strides, wanted.itemsize)
    return typed(data, wanted, a)


def to_host(a: StructuredArray, order: str | None = None, out: np.ndarray | None = None) -> np.ndarray:
    """The elements as a NumPy array on the host."""
    return a.get(None, order or "C", out)
