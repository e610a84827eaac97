"""Smallest and largest elements of windows, with a cost that hardly depends on the size of full windows."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._typing import ArrayLike
from . import _lines as lines
from . import _windows as win
from ._common import converted, host, make_output, over_axes, real_input, stored, warn_size
from ._filters import (
    Filter,
    OfLine,
    Window,
    at_place,
    check_line,
    chosen_axes,
    filtered,
    in_passes,
    line_window,
    normal_axes,
    window_over,
)

__all__ = ["maximum_filter", "maximum_filter1d", "minimum_filter", "minimum_filter1d"]


def smaller(a: Any, b: Any) -> Any:
    """The smaller of two elements of one type; `a` if they do not compare. In a kernel."""
    return k.where(b < a, b, a) if a.dtype.kind == "f" else k.minimum(a, b)


def larger(a: Any, b: Any) -> Any:
    """The larger of two elements of one type; `a` if they do not compare. In a kernel."""
    return k.where(b > a, b, a) if a.dtype.kind == "f" else k.maximum(a, b)


def _extreme_of_views(views: Sequence[Any], _: Any, key: Any) -> Any:
    is_minimum, dtype = key
    found = views[0]
    for view in views[1:]:
        found = (smaller if is_minimum else larger)(found, view)
    return found if dtype is None else converted(found, np.dtype(dtype))


def _extremes_of_line(elements: Sequence[Any], _: Any, size: int, count: int, key: Any) -> list[Any]:
    is_minimum, dtype = key
    found = lines.shared(elements, size, count, smaller if is_minimum else larger)
    return [converted(extreme, np.dtype(dtype)) for extreme in found]


def _extreme_of_sums(views: Sequence[Any], heights: Sequence[Any], key: Any) -> Any:
    """Of elements plus heights. As in SciPy the first sum is a double, and the others have the input's type."""
    is_minimum, goes_on, dtype = key
    views = list(views)
    found = views.pop(0)
    if not goes_on:
        found = found.astype("float64") + heights[0]
        heights = heights[1:]
    for view, height in zip(views, heights, strict=True):
        # Integers wrap around, as in C.
        height = height.astype("int64") if view.dtype.kind in "iu" else height
        element = (view + height.astype(view.dtype)).astype("float64")
        found = (smaller if is_minimum else larger)(found, element)
    return found if dtype is None else stored(found, np.dtype(dtype))


def _extremes(is_minimum: bool, axis: int, level: ndarray, window: Window, output: ndarray) -> None:
    """The extremes of windows along an axis: of the extremes of shorter windows that cover them."""
    (size,) = window.lengths
    rounds = 1 if size <= 6 else 2
    while (size ** (1 / rounds)) > 24:
        rounds += 1
    count, width = int(np.ceil(size ** (1 / rounds))), 1
    for _ in range(rounds - 1):
        length = level.shape[axis] - (count - 1) * width
        views = [at_place(level, axis, i * width, length) for i in range(count)]
        level, width = win.combined(_extreme_of_views, views, key=(is_minimum, None)), width * count
        if width * count >= size:
            break
    starts = [*range(0, size - width, width), size - width]
    views = [at_place(level, axis, start, output.shape[axis]) for start in starts]
    win.combined(_extreme_of_views, views, key=(is_minimum, output.dtype.name), out=output)


def _filter1d(
    input: ArrayLike,
    size: int,
    axis: int,
    output: Any,
    mode: Any,
    cval: float,
    origin: int,
    is_minimum: bool,
) -> ndarray:
    input = real_input(input)
    axis = check_line(input, axis, size)
    output = make_output(output, input)
    window = line_window(axis, size, mode, cval, origin)

    def line() -> OfLine:
        return OfLine(_extremes_of_line, (is_minimum, output.dtype.name), converts=False)

    return filtered(Filter(functools.partial(_extremes, is_minimum, axis), line), input, window, output)


def minimum_filter1d(
    input: ArrayLike,
    size: int,
    axis: int = -1,
    output: Any = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
) -> ndarray:
    """The smallest elements of windows along an axis. See `scipy.ndimage.minimum_filter1d`.

    Parameters
    ----------
    size : int
        The length of the window, at least 1.

    Raises
    ------
    RuntimeError
        If the size is less than 1.
    TypeError
        If `input` is complex.
    ValueError
        If `origin` leaves the window.

    >>> cp.scipy.ndimage.minimum_filter1d(cp.asarray([2, 8, 0, 4, 1, 9, 9, 0]), size=3)
    array([2, 0, 0, 0, 1, 1, 0, 0])
    """
    return _filter1d(input, size, axis, output, mode, cval, origin, True)


def maximum_filter1d(
    input: ArrayLike,
    size: int,
    axis: int = -1,
    output: Any = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
) -> ndarray:
    """The largest elements of windows along an axis.

    Parameters, results and errors are those of `minimum_filter1d`.

    >>> cp.scipy.ndimage.maximum_filter1d(cp.asarray([2, 8, 0, 4, 1, 9, 9, 0]), size=3)
    array([8, 8, 8, 4, 9, 9, 9, 9])
    """
    return _filter1d(input, size, axis, output, mode, cval, origin, False)


def extreme_filter(
    input: ArrayLike,
    size: Any,
    footprint: Any,
    structure: Any,
    output: Any,
    mode: Any,
    cval: float,
    origin: Any,
    is_minimum: bool,
    axes: Any = None,
) -> ndarray:
    """The smallest or largest elements of windows, or of elements less or plus a structure."""
    warn_size(size, footprint)
    is_full = False
    if structure is None:
        if footprint is None:
            if size is None:
                raise RuntimeError("no footprint provided")
            is_full = True
        else:
            footprint = host(footprint, bool)
            if not footprint.any():
                raise ValueError("All-zero footprint is not supported.")
            if footprint.all():
                size, is_full = footprint.shape, True
    else:
        structure = host(structure, np.float64)
        footprint = np.ones(structure.shape, bool) if footprint is None else host(footprint, bool)
    input = real_input(input)
    output = make_output(output, input)
    if is_full:

        def one(input: ndarray, target: ndarray, axis: int, length: Any, offset: Any, boundary: Any) -> ndarray:
            return _filter1d(input, int(length), axis, target, boundary, cval, offset, is_minimum)

        rows = [row for row in chosen_axes(axes, input.ndim, size, origin, mode) if row[1] > 1]
        return in_passes(one, input, output, rows)
    axes = normal_axes(axes, input.ndim)
    kind = " for non-separable footprints"
    window = window_over(input, axes, footprint, mode, cval, origin, kind)
    if structure is not None:
        if structure.ndim != len(axes):
            raise RuntimeError("structure array has incorrect shape")
        structure = over_axes(structure, axes, input.ndim, "structure")
        if structure.shape != window.lengths:
            raise RuntimeError("structure array has incorrect shape")
        if not window.weights.any():
            raise ValueError("All-zero footprint is not supported.")
    if input.dtype.kind == "b":
        # As numbers, as in C: heights and what is beyond the edges are no truth values.
        input = input.astype(np.uint8)
    heights = None if structure is None else ((-1 if is_minimum else 1) * structure[window.weights]).tolist()
    rule = Filter(functools.partial(_extremes_of_places, is_minimum, heights), widens=False)
    return filtered(rule, input, window, output)


def _extremes_of_places(
    is_minimum: bool, heights: list[float] | None, wide: ndarray, window: Window, output: ndarray
) -> None:
    """The extremes of elements, or of elements plus heights, from an extended array."""
    views = [win.view(wide, place, output.shape) for place in win.places(window.weights)]
    room = win.MOST_VIEWS - 1
    found: list[ndarray] = []
    for start in range(0, len(views), room):
        end = min(start + room, len(views))
        is_last = end == len(views)
        dtype, out = (output.dtype.name, output) if is_last else (None, None)
        group = [*found, *views[start:end]]
        if heights is None:
            found = [win.combined(_extreme_of_views, group, key=(is_minimum, dtype), out=out)]
        else:
            key = (is_minimum, start > 0, dtype)
            found = [win.combined(_extreme_of_sums, group, heights[start:end], key, out)]


def minimum_filter(
    input: ArrayLike,
    size: Any = None,
    footprint: Any = None,
    output: Any = None,
    mode: Any = "reflect",
    cval: float = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> ndarray:
    """The smallest elements of windows. See `scipy.ndimage.minimum_filter`.

    Parameters
    ----------
    size : int or sequence of int, optional
        The lengths of a full window.
    footprint : array_like of bool, optional
        The elements of the window; then `size` does not count.
    mode : str or sequence of str
        As for `correlate1d`, for full windows also one for each axis.
    origin : int or sequence of int
        How far the window lies before the element along each axis.
    axes : int or tuple of int, optional
        The axes of the window; all by default.

    Raises
    ------
    RuntimeError
        If neither size nor footprint is given, or a shape does not fit.
    TypeError
        If `input` is complex.
    ValueError
        If `origin` leaves the window, or the footprint is empty.

    >>> cp.scipy.ndimage.minimum_filter(cp.asarray([[5, 3, 8], [1, 9, 7], [4, 6, 2]]), size=2)
    array([[5, 3, 3],
           [1, 1, 3],
           [1, 1, 2]])
    """
    return extreme_filter(input, size, footprint, None, output, mode, cval, origin, True, axes)


def maximum_filter(
    input: ArrayLike,
    size: Any = None,
    footprint: Any = None,
    output: Any = None,
    mode: Any = "reflect",
    cval: float = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> ndarray:
    """The largest elements of windows.

    Parameters, results and errors are those of `minimum_filter`.

    >>> cp.scipy.ndimage.maximum_filter(cp.asarray([[5, 3, 8], [1, 9, 7], [4, 6, 2]]), size=2)
    array([[5, 5, 8],
           [5, 9, 9],
           [4, 9, 9]])
    """
    return extreme_filter(input, size, footprint, None, output, mode, cval, origin, False, axes)
