"""What the operations share: the types that they take, the order of axes, and whether a library computes."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from ._constants import CUDNN_TENSOR_NCHW, CUDNN_TENSOR_NHWC

__all__ = ["get_data_type", "own_kernels"]

_NUMBERS = {"f": 0, "d": 1, "e": 2}
_forced_own = False


def get_data_type(dtype: Any) -> int:
    """The library's number of a dtype; `TypeError` for all but float16, float32 and float64."""
    dtype = np.dtype(dtype)
    if dtype.char not in _NUMBERS:
        raise TypeError(f"dtype must be float16, float32 or float64, got {dtype}")
    return _NUMBERS[dtype.char]


def wide(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype that an operation computes in: float32 for float16."""
    return np.dtype(np.float32) if dtype.char == "e" else dtype


def check(**arrays: ndarray | None) -> np.dtype[Any]:
    """The dtype of arrays, which is one of the three and the same for all."""
    first, dtype = "", None
    for name, array in arrays.items():
        if array is None:
            continue
        if not isinstance(array, ndarray):
            raise TypeError(f"{name} must be a cuproxide.ndarray, got {type(array).__name__}")
        get_data_type(array.dtype)
        if dtype is None:
            first, dtype = name, array.dtype
        elif array.dtype != dtype:
            raise TypeError(f"{name} is {array.dtype} and {first} is {dtype}; both must have one dtype")
    assert dtype is not None
    return dtype


def same_shape(**arrays: ndarray) -> None:
    """Raises `ValueError` unless all arrays have the shape of the first."""
    (first, one), *others = arrays.items()
    for name, array in others:
        if array.shape != one.shape:
            raise ValueError(f"{name} has shape {array.shape} and {first} has {one.shape}; they must be the same")


def channels_first(array: ndarray, layout: int, name: str = "d_layout") -> ndarray:
    """The array itself, or a view with the channels of NHWC moved to axis 1."""
    if layout not in (CUDNN_TENSOR_NCHW, CUDNN_TENSOR_NHWC):
        raise ValueError(f"{name} must be CUDNN_TENSOR_NCHW (0) or CUDNN_TENSOR_NHWC (1), got {layout}")
    if layout == CUDNN_TENSOR_NCHW or array.ndim < 3:
        return array
    return array.transpose(0, array.ndim - 1, *range(1, array.ndim - 1))


def dense(array: ndarray) -> ndarray:
    """The array in C order, copied if it is not."""
    return array if array.flags.c_contiguous else array.copy(order="C")


def lengths_of(name: str, value: Sequence[int], count: int, least: int) -> tuple[int, ...]:
    """`value` as a tuple of `count` integers of at least `least`."""
    numbers = tuple(int(item) for item in value)
    if len(numbers) != count:
        raise ValueError(f"{name} must have {count} elements, one for each spatial axis, got {value}")
    if min(numbers, default=least) < least:
        raise ValueError(f"{name} must be at least {least}, got {value}")
    return numbers


def three(values: Sequence[int], fill: int) -> list[int]:
    """Values of one to three spatial axes as those of three."""
    return [fill] * (3 - len(values)) + [int(value) for value in values]


def as_volumes(array: ndarray) -> ndarray:
    """An array (N, C, spatial axes) with three spatial axes."""
    return array.reshape(*array.shape[:2], *three(array.shape[2:], 1))


def has_library() -> bool:
    """Whether the device of the calling thread has a library that computes; own kernels do otherwise."""
    return not _forced_own and _core.dnn_version() is not None


@contextlib.contextmanager
def own_kernels() -> Iterator[None]:
    """Within it, the package's own kernels compute even where a library is there; for tests and comparisons."""
    global _forced_own
    before, _forced_own = _forced_own, True
    try:
        yield
    finally:
        _forced_own = before


def by_library(name: str, *arrays: ndarray, **options: Any) -> bool:
    """Has the library compute, if there is one that knows how; else the answer is no.

    What a library does not support (`UnsupportedError`, and the vendor's own status for that) is left to own kernels.
    """
    if not has_library() or any(array.size == 0 for array in arrays):
        return False
    return _core.dnn_run(name, list(arrays), options)


def product(values: Sequence[int]) -> int:
    """The product of lengths."""
    return math.prod(values)


Own = Callable[..., Any]
