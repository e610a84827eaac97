"""Helpers for code that handles arrays. See `numpy.lib.array_utils`."""

from __future__ import annotations

from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from .._cuproxide import ndarray

__all__ = ["byte_bounds", "normalize_axis_index", "normalize_axis_tuple"]


def byte_bounds(a: ndarray) -> tuple[int, int]:
    """The address of the first byte of an array on its device, and that behind the last.

    See `numpy.lib.array_utils.byte_bounds`.

    >>> low, high = cp.byte_bounds(cp.zeros(3))
    >>> high - low
    24
    """
    low = high = a.data.ptr
    if a.size == 0:
        return low, high
    for length, stride in zip(a.shape, a.strides, strict=True):
        if stride < 0:
            low += (length - 1) * stride
        else:
            high += (length - 1) * stride
    return low, high + a.itemsize


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
