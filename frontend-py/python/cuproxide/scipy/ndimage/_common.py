"""Arguments and results of filters, as SciPy checks and makes them."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import to_host
from ..._lib.conversions import as_array
from ..._lib.routes import way
from ..._typing import ArrayLike

MODES = ("nearest", "wrap", "reflect", "mirror", "constant", "grid-mirror", "grid-wrap", "grid-constant")


def check_mode(mode: Any) -> str:
    """A name of a boundary, or `RuntimeError`."""
    if mode not in MODES:
        raise RuntimeError(f"boundary mode not supported: {mode!r}")
    return str(mode)


def filter_mode(mode: Any) -> str:
    """The boundary of a filter, whose points lie on the grid: one name for each meaning."""
    mode = check_mode(mode)
    return {"grid-mirror": "reflect", "grid-wrap": "wrap", "grid-constant": "constant"}.get(mode, mode)


def real_input(input: ArrayLike) -> ndarray:
    """An array of numbers that have an order."""
    input = as_array(input)
    if input.dtype.kind == "c":
        raise TypeError("Complex type not supported")
    return input


def check_type(*arrays: ndarray) -> None:
    """`RuntimeError` for element types that SciPy's loops do not have."""
    for array in arrays:
        if array.dtype.kind not in "biuf" or array.dtype.itemsize == 2 and array.dtype.kind == "f":
            raise RuntimeError(f"array type {array.dtype!r} not supported")


def host(values: Any, dtype: Any = None) -> np.ndarray:
    """Parameters of a filter (weights, a footprint) on the host: few numbers."""
    return np.asarray(to_host(values), dtype)


def each(values: Any, rank: int) -> list[Any]:
    """One value for each axis."""
    if isinstance(values, ndarray):
        values = _core.asnumpy(values)
    if isinstance(values, str) or not np.iterable(values):
        return [values] * rank
    values = list(values)
    if len(values) != rank:
        raise RuntimeError("sequence argument must have length equal to input rank")
    return values


def normal_axes(axes: Any, ndim: int) -> tuple[int, ...]:
    """Different axes as positions from 0; None is all of them."""
    if axes is None:
        return tuple(range(ndim))
    if np.isscalar(axes):
        axes = (normalize_axis_index(axes, ndim),)
    elif not isinstance(axes, Iterable):
        raise ValueError("axes must be an integer, iterable of integers, or None")
    axes = tuple(operator.index(axis) for axis in axes)
    for axis in axes:
        if not -ndim <= axis < ndim:
            raise ValueError(f"specified axis: {axis} is out of range")
    axes = tuple(axis % ndim for axis in axes)
    if len(set(axes)) != len(axes):
        raise ValueError("axes must be unique")
    return axes


def make_output(
    output: Any, input: ndarray, shape: Sequence[int] | None = None, complex_output: bool = False
) -> ndarray:
    """The array that results go to: `output` itself, or an array of this dtype, by default the input's dtype."""
    shape = input.shape if shape is None else tuple(int(length) for length in shape)
    if output is None:
        return _core.empty(shape, np.promote_types(input.dtype, np.complex64) if complex_output else input.dtype)
    if isinstance(output, (type, np.dtype)):
        if complex_output and np.dtype(output).kind != "c":
            warnings.warn("promoting specified output dtype to complex", stacklevel=3)
            output = np.promote_types(output, np.complex64)
        return _core.empty(shape, output)
    if isinstance(output, str):
        dtype = np.dtype(output)
        if complex_output and dtype.kind != "c":
            raise RuntimeError("output must have complex dtype")
        if not issubclass(dtype.type, np.number):
            raise RuntimeError("output must have numeric dtype")
        return _core.empty(shape, dtype)
    if not isinstance(output, ndarray):
        raise TypeError(f"output must be an array of a device, a dtype or None, not {type(output).__name__}")
    if output.shape != shape:
        raise RuntimeError("output shape not correct")
    if complex_output and output.dtype.kind != "c":
        raise RuntimeError("output must have complex dtype")
    return output


def copy_to(output: ndarray, input: ndarray) -> ndarray:
    """`output` with the elements of `input`, converted as an assignment does."""
    output[...] = input
    return output


def passes(output: ndarray) -> ndarray:
    """What the passes of a filter along several axes store in before the last has: truth values as bytes, as in C."""
    return output if output.dtype.kind != "b" else _core.empty(output.shape, np.uint8)


def stages(last: ndarray, count: int) -> list[ndarray]:
    """What each of several passes stores in: others than what it reads, so that nothing is copied."""
    return [_core.empty(last.shape, last.dtype) for _ in range(count - 1)] + [last]


def finished(output: ndarray, last: ndarray) -> ndarray:
    """The output, with what the last pass stored."""
    return output if last is output else copy_to(output, last)


def spread(values: Sequence[Any], axes: Sequence[int], ndim: int, other: Any) -> list[Any]:
    """Values for certain axes as values for all, `other` for the rest."""
    found = [other] * ndim
    for value, axis in zip(values, axes, strict=True):
        found[axis] = value
    return found


def over_axes(window: np.ndarray, axes: Sequence[int], ndim: int, name: str) -> np.ndarray:
    """A window over certain axes as one over all axes, in their order."""
    if len(axes) < ndim:
        if window.ndim != len(axes):
            raise RuntimeError(f"{name}.ndim ({window.ndim}) must match len(axes) ({len(axes)})")
        window = np.expand_dims(window, tuple(axis for axis in range(ndim) if axis not in axes))
    if sum(length > 0 for length in window.shape) != ndim:
        raise RuntimeError(f"{name}.ndim ({window.ndim}) must match len(axes) ({len(axes)})")
    return window


def check_origin(origin: Any, length: int) -> int:
    """The offset of a window's centre, which stays in the window."""
    origin = operator.index(origin)
    if not 0 <= length // 2 + origin < length:
        raise ValueError(f"invalid origin: {origin} for a window of {length}")
    return origin


def warn_size(size: Any, footprint: Any) -> None:
    """Says that one of two windows counts."""
    if size is not None and footprint is not None:
        warnings.warn("ignoring size because footprint is set", UserWarning, stacklevel=4)


def stored(value: Any, dtype: np.dtype[Any]) -> Any:
    """A double as an element of an output: truncated, and modulo the range of unsigned types.

    In a kernel.
    """
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return (value.astype("int64") & 255) != 0
    if dtype == np.uint64:
        size = abs(value)
        size = k.where(size < 2.0**64, size, 0.0).astype(dtype)
        return k.where(value > -1.0, size, 0 - size) * (abs(value) >= 1.0)
    if dtype.kind in "iu" and dtype.itemsize < 8:
        wide = "int64" if dtype == np.uint32 else "int32"
        return value.astype(wide).astype(dtype)
    return value.astype(dtype)


def converted(value: Any, dtype: np.dtype[Any]) -> Any:
    """An element of any type as one of an output, by way of a double where the types differ. In a kernel."""
    return value if value.dtype == dtype else stored(value.astype("float64"), dtype)


def rounded(value: Any, dtype: np.dtype[Any]) -> Any:
    """A double as an element of an output of an interpolation: rounded half away from zero and clipped.

    In a kernel.
    """
    dtype = np.dtype(dtype)
    if dtype.kind not in "iu":
        return stored(value, dtype)
    info = np.iinfo(dtype)
    if dtype.kind == "u":
        value = k.where(value > 0, value + 0.5, 0.0)
        inside = value <= float(info.max) if dtype.itemsize < 8 else value < 2.0**64
        return k.where(inside, k.where(inside, value, 0.0).astype(dtype), int(info.max))
    value = k.where(value > 0, value + 0.5, value - 0.5)
    above = value >= float(info.max) if dtype.itemsize == 8 else value > float(info.max)
    below = value < float(info.min)
    plain = k.where(above | below, 0.0, value).astype(dtype)
    return k.where(above, int(info.max), k.where(below, int(info.min), plain))


def for_lines(like: ndarray, axis: int, dtype: Any) -> ndarray:
    """A new array for a kernel that takes a line along an axis in each thread.

    On a device beside the host, threads that run together read the same place of lines beside each other: so lines do
    not run along the memory.
    """
    if axis != like.ndim - 1 or not way("lines across memory", like):
        return _core.empty(like.shape, dtype)
    return _core.moveaxis(_core.empty((like.shape[-1], *like.shape[:-1]), dtype), 0, -1)


def lined_up(a: ndarray, axis: int) -> ndarray:
    """An array in the layout of `for_lines`."""
    if axis != a.ndim - 1 or a.ndim == 1 or not way("lines across memory", a):
        return a
    return copy_to(for_lines(a, axis, a.dtype), a)
