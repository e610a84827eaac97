"""Arguments and results that the functions of the package share."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_host
from ..._lib.wrappers import named_by_package


def as_inexact(value: Any) -> ndarray:
    """`value` on the device in a dtype that transforms take: integers as float64, float16 as float32."""
    x = as_device(value)
    if x.dtype.kind not in "fc":
        return x.astype(np.float64)
    return x.astype(np.float32) if x.dtype.itemsize < 4 else x


def wide(*dtypes: Any) -> np.dtype[Any]:
    """The floating dtype that results of these have; at least float32, and float64 for integers."""
    dtype = np.result_type(*dtypes)
    if dtype.kind not in "fc":
        return np.dtype(np.float64)
    return np.dtype(np.float32) if dtype.itemsize < 4 else dtype


def read_arrays(value: Any) -> Any:
    """The same with every array of a device read; tuples and lists are searched."""
    if isinstance(value, ndarray):
        return value.get()
    if type(value) in (tuple, list):
        return type(value)(read_arrays(item) for item in value)
    return value


def upload_arrays(value: Any) -> Any:
    """The same with every array of the host copied to the device; tuples, lists and dicts are searched."""
    if isinstance(value, np.ndarray):
        return cp.asarray(value)
    if type(value) in (tuple, list):
        return type(value)(upload_arrays(item) for item in value)
    if isinstance(value, dict):
        return type(value)({name: upload_arrays(item) for name, item in value.items()})
    return value


def designed(function: Callable[..., Any]) -> Callable[..., Any]:
    """The public form of a function that computes a handful of numbers on the host: it takes and gives arrays of the
    device.
    """

    @functools.wraps(function)
    def public(*args: Any, **kwargs: Any) -> Any:
        for name in ("xp", "device"):
            kwargs.pop(name, None)
        given = {name: read_arrays(value) for name, value in kwargs.items()}
        return upload_arrays(function(*(read_arrays(value) for value in args), **given))

    return named_by_package(public)


def along(ndim: int, axis: int, item: Any) -> tuple[Any, ...]:
    """The index that applies `item` to one axis."""
    return tuple(item if number == axis else slice(None) for number in range(ndim))


def extended(x: ndarray, n: int, axis: int, kind: str) -> ndarray:
    """`x` with `n` points more at both ends: "even", "odd" or "constant"."""
    if n < 1:
        return x
    length = x.shape[axis]
    if kind != "constant" and n > length - 1:
        raise ValueError(
            f"The extension length n ({n}) is too big. It must not exceed x.shape[axis]-1, which is {length - 1}."
        )

    def part(start: Any, stop: Any, step: Any = None) -> ndarray:
        return x[along(x.ndim, axis, slice(start, stop, step))]

    first, last = part(0, 1), part(-1, None)
    if kind == "constant":
        shape = tuple(n if number == axis else size for number, size in enumerate(x.shape))
        return cp.concatenate((cp.broadcast_to(first, shape), x, cp.broadcast_to(last, shape)), axis=axis)
    left = part(n, 0, -1)
    right = part(-2, -(n + 2), -1) if n + 2 <= length else part(-2, None, -1)
    if kind == "odd":
        left, right = 2 * first - left, 2 * last - right
    return cp.concatenate((left, x, right), axis=axis)


def check_sections(sos: Any, normalized: bool = True) -> np.ndarray:
    """Sections of second order on the host; `normalized` ones have a0 = 1."""
    sos = np.atleast_2d(to_host(sos))
    if sos.ndim != 2:
        raise ValueError("sos array must be 2D")
    if sos.shape[1] != 6:
        raise ValueError("sos array must be shape (n_sections, 6)")
    if normalized and not (sos[:, 3] == 1).all():
        raise ValueError("sos[:, 3] should be all ones")
    return sos
