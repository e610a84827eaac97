"""What the functions that make arrays give way to."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from . import _array, _functions

if TYPE_CHECKING:
    from .._typing import DeviceLike, DTypeLike, ShapeLike
    from ._array import StructuredArray

_WORDS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def empty(shape: ShapeLike, dtype: DTypeLike, order: str | None = None, device: DeviceLike = None) -> StructuredArray:
    """An uninitialised array of records."""
    return _make(_core.empty, shape, dtype, order, device)


def zeros(shape: ShapeLike, dtype: DTypeLike, order: str | None = None, device: DeviceLike = None) -> StructuredArray:
    """An array of records of zeros."""
    return _make(_core.zeros, shape, dtype, order, device)


def _make(
    make: Callable[..., ndarray], shape: ShapeLike, dtype: DTypeLike, order: str | None, device: DeviceLike
) -> StructuredArray:
    wanted = _array.checked(np.dtype(dtype))
    lengths = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)  # type: ignore[arg-type]
    if wanted.subdtype is not None:
        lengths, wanted = (*lengths, *wanted.subdtype[1]), wanted.subdtype[0]
    if wanted.itemsize == 0:
        raise TypeError(f"Unsupported dtype {wanted}: its elements have no bytes")
    unit = _unit(wanted)
    count = wanted.itemsize // unit
    if order == "F":
        words = make((*lengths[::-1], count), _WORDS[unit], device=device)
        return _array.StructuredArray(words.transpose(*range(len(lengths))[::-1], len(lengths)), wanted)
    return _array.StructuredArray(make((*lengths, count), _WORDS[unit], device=device), wanted)


def _unit(dtype: np.dtype[Any]) -> int:
    """The bytes of the widest word that elements consist of."""
    return math.gcd(8, dtype.itemsize)


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
    if type(result) is _array.StructuredArray and isinstance(fill_value, int) and fill_value == 0:
        result._words[...] = 0
    else:
        _array.assign(result, ..., fill_value)
    return result


def concatenate(arrays: Any, axis: int | None = 0) -> StructuredArray:
    """Joins arrays of one structured dtype along an axis, or flattened."""
    parts = [part if type(part) is _array.StructuredArray else array(part) for part in arrays]
    dtype = np.result_type(*(part.dtype for part in parts))
    words = [part.astype(dtype, copy=False)._bytes for part in parts]
    if axis is None:
        words, axis = [part.reshape(-1, part.shape[-1]) for part in words], 0
    elif not -parts[0].ndim <= axis < parts[0].ndim:
        raise np.exceptions.AxisError(axis, parts[0].ndim)
    return _array.StructuredArray(_core.concatenate(words, axis % parts[0].ndim if parts[0].ndim else 0), dtype)


def array(
    obj: Any,
    dtype: DTypeLike = None,
    copy: bool | None = True,
    order: str | None = "K",
    ndmin: int = 0,
    device: DeviceLike = None,
) -> StructuredArray:
    """An array of records from anything that holds such."""
    wanted = None if dtype is None else _array.checked(np.dtype(dtype))
    own = _functions.described(obj)
    if own is not None:
        obj = _shared(obj, own)
        if own.kind != "V" and (wanted is None or wanted.kind != "V"):
            return _core.array(obj, wanted, copy, order, False, ndmin, device=device)
    if isinstance(obj, ndarray) and type(obj) is not _array.StructuredArray:
        result = empty(obj.shape, wanted, "C", obj.device)
        _array.assign(result, ..., obj)
    elif type(obj) is _array.StructuredArray:
        same = wanted is None or wanted == obj.dtype
        if copy is False and not same:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        result = (obj.copy(order or "K") if copy else obj) if same else obj.astype(wanted)
    elif _array.holds_records(obj) and copy is not False:
        parts = [array(part, wanted) for part in obj]
        result = concatenate([part[None] for part in parts])
    else:
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        host = np.array(obj, wanted)
        if host.dtype.kind != "V":
            raise TypeError(f"Unsupported dtype {host.dtype}")
        kind = _array.checked(host.dtype)
        if not kind.itemsize:
            raise TypeError(f"Unsupported dtype {kind}: its elements have no bytes")
        unit = _WORDS[_unit(kind)]
        flat = np.frombuffer(host.tobytes(), unit)
        count = kind.itemsize // np.dtype(unit).itemsize
        result = _array.StructuredArray(_core.array(flat.reshape(*host.shape, count), device=device), kind)
        if order == "F":
            result = result.copy("F")
    missing = ndmin - result.ndim
    return result.reshape((1,) * missing + result.shape) if missing > 0 else result


class _Described:
    """Memory of another library's, described as bytes or whole numbers."""

    def __init__(self, owner: Any, **changes: Any) -> None:
        self.owner = owner
        self.__cuda_array_interface__ = {**owner.__cuda_array_interface__, "descr": None, **changes}


def _shared(obj: Any, dtype: np.dtype[Any]) -> Any:
    """The memory that an object describes: records, or of dates the numbers that they are kept as."""
    interface = obj.__cuda_array_interface__
    if dtype.kind != "V":
        return _core.array(_Described(obj, typestr=f"{dtype.str[0]}i8"), copy=None)
    strides = interface.get("strides")
    changes: dict[str, Any] = {"typestr": "|u1", "shape": (*interface["shape"], dtype.itemsize)}
    if strides is not None:
        changes["strides"] = (*strides, 1)
    return _array.StructuredArray(_core.array(_Described(obj, **changes), copy=None), _array.checked(dtype), obj)


def view_as(a: ndarray, dtype: DTypeLike) -> StructuredArray | ndarray:
    """The memory of an array of numbers as records."""
    wanted = _array.checked(np.dtype(dtype))
    if wanted.itemsize == 0:
        wanted = np.dtype((np.void, a.itemsize))
    data = a[..., None].view(np.uint8)
    if wanted.itemsize != a.itemsize:
        data = _array.resized(data, a.strides, wanted.itemsize)
    return _array.typed(data, wanted, a)


def to_host(a: StructuredArray, order: str | None = None, out: np.ndarray | None = None) -> np.ndarray:
    """The elements as a NumPy array on the host."""
    return a.get(None, order or "C", out)
