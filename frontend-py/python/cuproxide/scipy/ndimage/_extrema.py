"""Smallest and largest elements of windows, with a cost that hardly depends on the size of full windows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._typing import ArrayLike
from . import _lines as lines
from . import _windows as win
from ._common import (
    check_origin,
    check_type,
    converted,
    copy_to,
    each,
    filter_mode,
    finished,
    host,
    make_output,
    normal_axes,
    over_axes,
    passes,
    real_input,
    spread,
    stages,
    stored,
    warn_size,
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


def _line(
    x: ndarray, size: int, axis: int, output: ndarray, mode: str, cval: float, origin: int, is_minimum: bool
) -> ndarray:
    """The extremes of windows along an axis: of the extremes of shorter windows that cover them."""
    check_type(x, output)
    if x.size == 0:
        return output
    if mode == "constant" and not win.holds(x.dtype, cval):
        x = x.astype(np.float64)
    edges = (size // 2 + origin, size - size // 2 - 1 - origin)
    element = win.as_element(cval, x.dtype) if mode == "constant" else 0
    if lines.fits(x, size, axis, mode, origin):
        key = (is_minimum, output.dtype.name)
        return lines.along(_extremes_of_line, x, size, axis, output, mode, element, origin, key=key, converts=False)
    for wide, part in win.parts_of_lines(x, axis, edges, mode, element, output):
        _extremes(wide, size, axis, part, is_minimum)
    return output


def _extremes(level: ndarray, size: int, axis: int, output: ndarray, is_minimum: bool) -> None:
    def line(of: ndarray, start: int, length: int) -> ndarray:
        extent = [length if a == axis else n for a, n in enumerate(output.shape)]
        return win.view(of, [start if a == axis else 0 for a in range(of.ndim)], extent)

    rounds = 1 if size <= 6 else 2
    while (size ** (1 / rounds)) > 24:
        rounds += 1
    count, width = int(np.ceil(size ** (1 / rounds))), 1
    for _ in range(rounds - 1):
        length = level.shape[axis] - (count - 1) * width
        views = [line(level, i * width, length) for i in range(count)]
        level, width = win.combined(_extreme_of_views, views, key=(is_minimum, None)), width * count
        if width * count >= size:
            break
    starts = [*range(0, size - width, width), size - width]
    views = [line(level, start, output.shape[axis]) for start in starts]
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
    axis = normalize_axis_index(axis, input.ndim)
    if size < 1:
        raise RuntimeError(f"incorrect filter size: {size}")
    output = make_output(output, input)
    check_origin(origin, size)
    return _line(input, size, axis, output, filter_mode(mode), cval, origin, is_minimum)


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
    input : array_like
        Real numbers.
    size : int
        The length of the window, at least 1.
    axis, output, mode, cval, origin
        As for `correlate1d`.

    Returns
    -------
    ndarray
        Of the shape of `input`.

    Raises
    ------
    RuntimeError
        If the size is less than 1.
    TypeError
        If `input` is complex.
    ValueError
        If `origin` leaves the window.

    Examples
    --------
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

    Parameters
    ----------
    input : array_like
        The image, of any number of axes.
    size : int or sequence of int
        The size of the neighbourhood.
    axis : int, optional
        The axis along which to work.
    output : ndarray or dtype, optional
        An array for the result, or its type.
    mode : str or sequence of str
        What lies outside of the image: 'reflect', 'constant', 'nearest', 'mirror' or 'wrap'.
    cval : scalar
        The value outside of the image where `mode` is 'constant'.
    origin : int or sequence of int
        How far the neighbourhood is moved.

    Returns
    -------
    ndarray

    See Also
    --------
    scipy.ndimage.maximum_filter1d : The function that this one follows.

    Examples
    --------
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
    axes = normal_axes(axes, input.ndim)
    if is_full:
        rows = zip(axes, *(each(value, len(axes)) for value in (size, origin, mode)), strict=True)
        chosen = [row for row in rows if row[1] > 1]
        if not chosen:
            return copy_to(output, input)
        last = passes(output)
        for (axis, length, offset, boundary), target in zip(chosen, stages(last, len(chosen)), strict=True):
            input = _filter1d(input, int(length), axis, target, boundary, cval, offset, is_minimum)
        return finished(output, last)
    footprint = over_axes(footprint, axes, input.ndim, "footprint")
    origins = spread(each(origin, len(axes)), axes, input.ndim, 0)
    for offset, length in zip(origins, footprint.shape, strict=True):
        check_origin(offset, length)
    if structure is not None:
        if structure.ndim != len(axes):
            raise RuntimeError("structure array has incorrect shape")
        structure = over_axes(structure, axes, input.ndim, "structure")
        if structure.shape != footprint.shape:
            raise RuntimeError("structure array has incorrect shape")
        if not footprint.any():
            raise ValueError("All-zero footprint is not supported.")
    if not isinstance(mode, str) and isinstance(mode, Iterable):
        raise RuntimeError("A sequence of modes is not supported for non-separable footprints")
    mode = filter_mode(mode)
    if input.size == 0:
        return output
    check_type(input, output)
    if input.dtype.kind == "b":
        # As numbers, as in C: heights and what is beyond the edges are no truth values.
        input = input.astype(np.uint8)
    wide = win.extended(
        input, win.widths(footprint.shape, origins), [mode] * input.ndim, win.as_element(cval, input.dtype)
    )
    views = [win.view(wide, place, input.shape) for place in win.places(footprint)]
    if structure is None:
        groups = win.parts(views, win.MOST_VIEWS - 1)
        found: list[ndarray] = []
        for group in groups[:-1]:
            found = [win.combined(_extreme_of_views, [*found, *group], key=(is_minimum, None))]
        win.combined(_extreme_of_views, [*found, *groups[-1]], key=(is_minimum, output.dtype.name), out=output)
        return output
    heights = (-1 if is_minimum else 1) * structure[footprint]
    plain = heights.tolist()
    found = []
    for start in range(0, len(views), win.MOST_VIEWS - 1):
        end = min(start + win.MOST_VIEWS - 1, len(views))
        is_last = end == len(views)
        key = (is_minimum, start > 0, output.dtype.name if is_last else None)
        group = [*found, *views[start:end]]
        found = [win.combined(_extreme_of_sums, group, plain[start:end], key, output if is_last else None)]
    return output


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
    input : array_like
        Real numbers.
    size : int or sequence of int, optional
        The lengths of a full window.
    footprint : array_like of bool, optional
        The elements of the window; then `size` does not count.
    output, cval
        As for `correlate1d`.
    mode : str or sequence of str
        As for `correlate1d`, for full windows also one for each axis.
    origin : int or sequence of int
        How far the window lies before the element along each axis.
    axes : int or tuple of int, optional
        The axes of the window; all by default.

    Returns
    -------
    ndarray
        Of the shape of `input`.

    Raises
    ------
    RuntimeError
        If neither size nor footprint is given, or a shape does not fit.
    TypeError
        If `input` is complex.
    ValueError
        If `origin` leaves the window, or the footprint is empty.

    Examples
    --------
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

    Parameters
    ----------
    input : array_like
        The image, of any number of axes.
    size : int or sequence of int, optional
        The size of the neighbourhood.
    footprint : array_like of bool, optional
        The shape of the neighbourhood.
    output : ndarray or dtype, optional
        An array for the result, or its type.
    mode : str or sequence of str
        What lies outside of the image: 'reflect', 'constant', 'nearest', 'mirror' or 'wrap'.
    cval : scalar
        The value outside of the image where `mode` is 'constant'.
    origin : int or sequence of int
        How far the neighbourhood is moved.
    axes : int or sequence of int, optional
        The axes along which to work, by default all.

    Returns
    -------
    ndarray

    See Also
    --------
    scipy.ndimage.maximum_filter : The function that this one follows.

    Examples
    --------
    >>> cp.scipy.ndimage.maximum_filter(cp.asarray([[5, 3, 8], [1, 9, 7], [4, 6, 2]]), size=2)
    array([[5, 5, 8],
           [5, 9, 9],
           [4, 9, 9]])
    """
    return extreme_filter(input, size, footprint, None, output, mode, cval, origin, False, axes)
