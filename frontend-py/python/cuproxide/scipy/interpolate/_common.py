"""Conversions and checks of arguments, and the pieces of kernels, that the interpolators share."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ... import concatenate
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device
from ..._lib.ufuncs import NUMPY as ufuncs
from ..._typing import ArrayLike

# What products in vectors gain on devices with many threads.
_MANY_THREADS = 1000

HOST = (bool, int, float, np.bool_, np.integer, np.floating)


def real(value: ArrayLike) -> ndarray:
    """`value` as an array of float64."""
    return as_device(value).astype(np.float64, copy=False)


def number_type(*dtypes: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype that values are interpolated in: complex128 if any of these is complex, else float64."""
    return np.dtype(np.complex128 if any(dtype.kind == "c" for dtype in dtypes) else np.float64)


def numbers(value: ArrayLike, check_finite: bool = False) -> ndarray:
    """`value` as an array of float64 or complex128; `ValueError` for infinities and NaN if `check_finite`."""
    found = as_device(value)
    found = found.astype(number_type(found.dtype), copy=False)
    if check_finite and not bool(ufuncs["isfinite"](found).all()):
        raise ValueError("Array must not contain infs or nans.")
    return found


def point_values(x: Any) -> Any:
    """Where a function is wanted, for kernels: arrays, and numbers of the host as they are."""
    return x if isinstance(x, (ndarray, *HOST)) else as_device(x)


def with_axes(x: Any, count: int) -> Any:
    """`x` with that many axes of length 1 behind its own."""
    return x.reshape((*x.shape, *(1,) * count)) if count and isinstance(x, ndarray) and x.ndim else x


def shape_of(x: Any) -> tuple[int, ...]:
    """The shape of an array or number."""
    return x.shape if isinstance(x, ndarray) else ()


def set_axis(out: ndarray, point_axes: int, axis: int) -> ndarray:
    """Moves the axes of the points, which are the first ones, to where the interpolated axis was."""
    if axis == 0 or point_axes == 0:
        return out
    order = list(range(out.ndim))
    return out.transpose(order[point_axes : point_axes + axis] + order[:point_axes] + order[point_axes + axis :])


def has_many_threads(array: ndarray) -> bool:
    """Whether the device of an array does best with many small parts of a computation."""
    return _core.dense_advantage(array) >= _MANY_THREADS


def along(values: ndarray, ndim: int) -> ndarray:
    """A vector as the first of `ndim` axes."""
    return values.reshape((values.shape[0], *(1,) * (ndim - 1)))


def any_of(condition: ndarray) -> bool:
    """Whether a condition holds anywhere; waits for the device."""
    return bool(condition.any())


def last_first(values: ndarray, count: int = 1) -> ndarray:
    """A view with the first `count` axes behind the others, as kernels index them."""
    if values.ndim == count:
        return values
    return values.transpose(*range(count, values.ndim), *range(count))


def repeated(value: ndarray, count: int) -> ndarray:
    """A vector of `count` times the same element."""
    return _core.broadcast_to(value, (count,))


def padded(first: ndarray, before: int, inner: ndarray, last: ndarray, after: int) -> ndarray:
    """`inner` between repeated knots."""
    return concatenate([repeated(first, before), inner, repeated(last, after)])


def coordinates(points: Any, ndim: int | None = None) -> ndarray:
    """Points of several dimensions, given as one array or a tuple of the arrays of their coordinates."""
    if isinstance(points, tuple) and len(points) == 1:
        points = points[0]
    if isinstance(points, tuple):
        parts = [as_device(part) for part in points]
        shape = np.broadcast_shapes(*(part.shape for part in parts))
        parts = [_core.broadcast_to(part.astype(np.float64, copy=False), shape) for part in parts]
        return concatenate([part[..., None] for part in parts], axis=-1)
    points = as_device(points)
    if points.ndim == 1:
        return points.reshape(-1, 1) if ndim is None else points.reshape(-1, ndim)
    return points


@k.function
def find_interval(t, x, low, high):
    """The largest i from `low` to `high` with `t[i] <= x`, or `low`."""
    while low < high:
        middle = (low + high + 1) >> 1
        # No branch, since processors guess this one wrongly.
        right = t[middle] <= x
        low = k.where(right, middle, low)
        high = k.where(right, high, middle - 1)
    return low
