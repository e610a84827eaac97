"""What is written in brackets: joined arrays, grids and indices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import index_exp, s_

from .. import _cuproxide as _core
from .._cuproxide import ndarray, zeros
from .._lib.conversions import along, as_elements, as_operand
from .joining import concatenate, stack
from .ranges import arange, linspace
from .shapes import broadcast_arrays

__all__ = [
    "c_",
    "index_exp",
    "mgrid",
    "ogrid",
    "r_",
    "s_",
]


def _slice_values(item: slice) -> ndarray:
    """The values that a slice counts through; a step like 5j is their number, the stop included."""
    start = 0 if item.start is None else item.start
    step: Any = item.step
    if isinstance(step, (complex, np.complexfloating)):
        many: Any = abs(step)
        return linspace(start, item.stop, int(many))
    return arange(start, item.stop, 1 if step is None else step)


def _grid_axis(key: slice) -> ndarray:
    if not isinstance(key, slice):
        raise TypeError(f"grids are indexed by slices, not by {type(key).__name__}")
    bounds = [0 if key.start is None else key.start, key.stop]
    if not any(isinstance(bound, ndarray) and bound.ndim for bound in bounds):
        return _slice_values(key)
    if not isinstance(key.step, (complex, np.complexfloating)):
        raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
    # As in NumPy the bounds are operands, and so one element is one bound.
    start, stop = (as_operand(bound) for bound in bounds)
    many: Any = abs(key.step)
    count = int(many)
    step = (stop - start) / (count - 1) if count > 1 else 1
    return _core.arange(0, 1, count, _core.result_type(start, stop, float(count))) * step + start


class _Grid:
    """Grids written as slices; a step like 5j counts points, the stop included."""

    def __init__(self, sparse: bool) -> None:
        self._sparse = sparse

    def __getitem__(self, key: slice | Sequence[slice]) -> Any:
        if not isinstance(key, (tuple, list)):
            return _grid_axis(key)
        axes = [_grid_axis(part) for part in key]
        dtype = _core.result_type(*axes) if axes else np.dtype(int)
        axes = [along(axis.astype(dtype, copy=False), i, len(axes)) for i, axis in enumerate(axes)]
        if self._sparse:
            return tuple(axes)
        return stack(broadcast_arrays(*axes)) if axes else zeros((0,), dtype)

    def __repr__(self) -> str:
        return "cuproxide.ogrid" if self._sparse else "cuproxide.mgrid"


mgrid = _Grid(sparse=False)
"""Dense grids: `mgrid[0:5, 0:3]` has shape (2, 5, 3). See `numpy.mgrid`."""

ogrid = _Grid(sparse=True)
"""Open grids: `ogrid[0:5, 0:3]` has shapes (5, 1) and (1, 3). See `numpy.ogrid`."""


class _Concatenator:
    """Joins what is written in brackets; see `numpy.r_`."""

    def __init__(self, name: str, axis: int, ndmin: int, trans1d: int) -> None:
        self._name, self._defaults = name, (axis, ndmin, trans1d)

    def __getitem__(self, key: Any) -> ndarray:
        axis, ndmin, trans1d = self._defaults
        parts: list[Any] = []
        matrix = ""
        if isinstance(key, str):
            raise NameError(f"name {key!r} is not defined: text alone names variables, which are not looked up")
        sequence = key if isinstance(key, tuple) else (key,)
        for i, item in enumerate(sequence):
            if isinstance(item, str):
                if i:
                    raise ValueError("special directives must be the first entry.")
                if item in ("r", "c"):
                    matrix = item
                    continue
                fields = item.split(",")
                try:
                    axis, ndmin, trans1d = (*map(int, fields), *(axis, ndmin, trans1d)[len(fields) :])
                except ValueError as error:
                    raise ValueError(f"unknown special directive {item!r}") from error
            elif isinstance(item, slice):
                parts.append(self._place(_slice_values(item), 1, ndmin, trans1d))
            else:
                array = item if isinstance(item, ndarray) else as_operand(item)
                dims = array.ndim if isinstance(array, ndarray) else 0
                parts.append(self._place(array, dims, ndmin, trans1d) if dims else array)
        common = _core.result_type(*parts)
        arrays = [part if isinstance(part, ndarray) else as_elements(part, common) for part in parts]
        arrays = [part[(None,) * (ndmin - part.ndim)] if part.ndim == 0 else part for part in arrays]
        result = concatenate(arrays, axis, dtype=common)
        if matrix and result.ndim == 1:
            # Two axes, as a matrix has them.
            return result[None] if matrix == "r" else result[:, None]
        return result

    @staticmethod
    def _place(array: ndarray, dims: int, ndmin: int, trans1d: int) -> ndarray:
        """The array with `ndmin` axes, its own ones from position `trans1d` on."""
        missing = ndmin - dims
        if missing <= 0:
            return array
        first = trans1d if trans1d >= 0 else trans1d + missing + 1
        return array[(*(None,) * first, *(slice(None),) * dims, *(None,) * (missing - first))]

    def __len__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return f"cuproxide.{self._name}"


r_ = _Concatenator("r_", 0, 1, -1)
"""Joins along the first axis: `r_[1:4, 0, x]`. See `numpy.r_`."""

c_ = _Concatenator("c_", -1, 2, 0)
"""Joins one-dimensional arrays as columns: `c_[x, y]`. See `numpy.c_`."""
