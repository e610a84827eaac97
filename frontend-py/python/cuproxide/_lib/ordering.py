"""Sorting by keys, for arrays of numbers and of records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .conversions import along, counting, is_inexact


def check_kind(kind: str | None, order: Any, stable: bool | None, descending: bool | None = None) -> None:
    """Every sort is stable, so the arguments change nothing; those that NumPy refuses are refused."""
    if order is not None:
        raise ValueError("Cannot specify order when the array has no fields.")
    if kind is not None and (stable is not None or descending is not None):
        raise ValueError("`kind` and keyword parameters can't be provided at the same time. Use only one of them.")
    if kind is not None and str(kind)[:1].lower() not in ("q", "h", "m", "s"):
        raise ValueError(f"sort kind must be one of 'quick', 'heap', or 'stable' (got '{kind}')")


def opposite(a: ndarray) -> ndarray:
    """Values in the opposite order, NaN still last: what sorts ascending sorts `a` descending. Its own inverse."""
    # Bits of integers are inverted, as the least one has no negative; of complex numbers both parts change their signs.
    return -a if is_inexact(a.dtype) else ~a


def along_axis(arr: ndarray, indices: ndarray, axis: int) -> tuple[ndarray, ...]:
    """The index of the elements of `arr` at `indices` along an axis, matched with it in the other axes."""
    axis = normalize_axis_index(axis, arr.ndim)
    if indices.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if arr.ndim != indices.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    return tuple(indices if i == axis else along(counting(length), i, arr.ndim) for i, length in enumerate(arr.shape))


def lexicographic(keys: Sequence[ndarray], axis: int) -> ndarray:
    """The indices that sort by the last of `keys`, ties by the one before, and so on."""
    if any(key.shape != keys[0].shape for key in keys):
        raise ValueError("all keys need to be the same shape")
    axis = normalize_axis_index(axis, keys[0].ndim or 1)
    if keys[0].ndim == 0:
        return _core.zeros((), np.int64)
    order = keys[0].argsort(axis)
    for key in keys[1:]:
        ranked = key[along_axis(key, order, axis)]
        again = ranked.argsort(axis)
        order = order[along_axis(order, again, axis)]
    return order
