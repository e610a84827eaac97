"""Conversions that the subjects of `scipy.spatial` share."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray


def as_doubles(value: Any, name: str, axes: int | None = None) -> ndarray:
    """`value` as float64 on the device, with so many axes if that is asked for."""
    array = cp.asarray(value)
    if array.dtype.kind == "c":
        raise TypeError(f"{name} must be real, not {array.dtype}")
    if axes is not None and array.ndim != axes:
        raise ValueError(f"{name} must have {axes} dimensions, not {array.ndim}")
    return array.astype(np.float64, copy=False)


def as_points(value: Any, name: str = "points") -> ndarray:
    """`value` as rows of float64 coordinates."""
    points = as_doubles(value, name)
    if points.ndim != 2:
        raise ValueError(f"{name} must be a 2-dimensional array. (Shape was {points.shape}).")
    return points
