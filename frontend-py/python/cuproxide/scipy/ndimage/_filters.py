"""The one door of filters: a window whose arguments are checked once, and the engine that computes what it gives.

A filter is a `Filter`, which says what it makes of windows in the form of each engine: of views of the extended array
(`_windows`), of a line in one launch (`_lines`), of several axes in one launch (`_stencils`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..._cuproxide import ndarray
from . import _lines as lines
from . import _stencils as stencils
from . import _windows as win
from ._common import (
    check_origin,
    check_type,
    copy_to,
    each,
    filter_mode,
    finished,
    host,
    normal_axes,
    over_axes,
    passes,
    spread,
    stages,
)


class Window(NamedTuple):
    """The elements around each point that a filter takes, and what stands beyond the edges."""

    axis: int | None
    """The axis of a window in lines; None if it has lengths along all axes."""
    lengths: tuple[int, ...]
    before: tuple[int, ...]
    """How many elements lie before the point along each axis of `lengths`."""
    mode: str
    cval: Any
    weights: Any = None
    """A number or a truth value for each element; None if all count alike."""

    @property
    def widths(self) -> list[tuple[int, int]]:
        """How many elements lie before and after the point along each axis of `lengths`."""
        return [(before, length - 1 - before) for length, before in zip(self.lengths, self.before, strict=True)]


def check_line(input: ndarray, axis: Any, size: int) -> int:
    """The axis of a window of a size, or the error of one of them."""
    axis = normalize_axis_index(axis, input.ndim)
    if size < 1:
        raise RuntimeError(f"incorrect filter size: {size}")
    return axis


def line_window(axis: int, size: int, mode: Any, cval: Any, origin: Any) -> Window:
    """A window along an axis, all of whose elements count alike."""
    return Window(axis, (size,), (size // 2 + check_origin(origin, size),), filter_mode(mode), cval)


def window_over(
    input: ndarray, axes: Sequence[int], weights: np.ndarray, mode: Any, cval: Any, origin: Any, kind: str = ""
) -> Window:
    """A window over certain axes as one over all; `kind` ends the message about a sequence of modes."""
    weights, origins = placed(input, axes, weights, origin)
    return centred(weights, one_mode(mode, kind), cval, origins)


def placed(input: ndarray, axes: Sequence[int], footprint: np.ndarray, origin: Any) -> tuple[np.ndarray, list[int]]:
    """A footprint over certain axes and its origins as those over all, or the error of one that does not fit."""
    footprint = over_axes(footprint, axes, input.ndim, "footprint")
    origins = spread(each(origin, len(axes)), axes, input.ndim, 0)
    for offset, length in zip(origins, footprint.shape, strict=True):
        check_origin(offset, length)
    return footprint, origins


def centred(weights: Any, mode: str, cval: Any, origins: Sequence[int]) -> Window:
    """The window over all axes of weights, with its arguments checked."""
    before = tuple(length // 2 + origin for length, origin in zip(weights.shape, origins, strict=True))
    return Window(None, weights.shape, before, mode, cval, weights)


def one_mode(mode: Any, kind: str = "") -> str:
    """The mode of a filter that has one for all axes."""
    if not isinstance(mode, str) and isinstance(mode, Iterable):
        raise RuntimeError(f"A sequence of modes is not supported{kind}")
    return filter_mode(mode)


def footprint_of(size: Any, footprint: Any, rank: int) -> np.ndarray:
    """The footprint that a filter is given, or that of a full window."""
    if footprint is not None:
        return host(footprint, bool)
    if size is None:
        raise RuntimeError("no footprint or filter size provided")
    return np.ones([int(length) for length in each(size, rank)], bool)


class OfLine(NamedTuple):
    """What `_lines.along` makes of a window, with weights that are numbers of the launch."""

    combine: lines.Combine
    key: Any
    numbers: Sequence[float] = ()
    converts: bool = True


class Filter(NamedTuple):
    """What a filter makes of windows, in the form of each engine."""

    views: Callable[[ndarray, Window, ndarray], Any]
    """`views(wide, window, output)` stores what the windows in an extended array give."""
    line: Callable[[], OfLine] | None = None
    block: Callable[[ndarray, Window, ndarray, Any], ndarray | None] | None = None
    """`block(x, window, output, beyond)` computes windows over all axes in one launch, or gives None."""
    widens: bool = True
    """Whether elements become doubles where the mode 'constant' means a number that their type does not have."""
    in_bands: bool = False
    """Whether a large array is extended part by part."""
    is_checked: bool = False
    """Whether the caller has checked the types."""


def filtered(rule: Filter, x: ndarray, window: Window, output: ndarray) -> ndarray:
    """A filter of real numbers, stored in `output`."""
    axis = window.axis
    if axis is None and x.size == 0:
        return output
    if not rule.is_checked:
        check_type(x, output)
    if x.size == 0:
        return output
    beyond: Any = 0
    if window.mode == "constant":
        if rule.widens and not win.holds(x.dtype, window.cval):
            x = x.astype(np.float64)
        beyond = win.as_element(window.cval, x.dtype)
    if axis is not None:
        return _along(rule, x, axis, window, output, beyond)
    if rule.block is not None and (found := rule.block(x, window, output, beyond)) is not None:
        return found
    widths, modes = window.widths, [window.mode] * x.ndim
    if not rule.in_bands:
        rule.views(win.extended(x, widths, modes, beyond), window, output)
        return output
    for part, into, low, high in win.bands(x, output, widths[0], window.mode):
        rule.views(win.extended(part, [(low, high), *widths[1:]], modes, beyond), window, into)
    return output


def _along(rule: Filter, x: ndarray, axis: int, window: Window, output: ndarray, beyond: Any) -> ndarray:
    (size,), (before,), mode = window.lengths, window.before, window.mode
    origin = before - size // 2
    if rule.line is not None and lines.fits(x, size, axis, mode, origin):
        combine, key, numbers, converts = rule.line()
        return lines.along(combine, x, size, axis, output, mode, beyond, origin, numbers, key, converts)
    for wide, part in win.parts_of_lines(x, axis, (before, size - 1 - before), mode, beyond, output):
        rule.views(wide, window, part)
    return output


def at_place(of: ndarray, axis: int, start: int, length: int) -> ndarray:
    """What stands at one place of a window in lines, for so many points along the axis."""
    return of[(slice(None),) * axis + (slice(start, start + length),)]


def chosen_axes(axes: Any, ndim: int, *values: Any) -> list[tuple[Any, ...]]:
    """Rows of an axis and its values, each of which is given once for all axes or once for each."""
    axes = normal_axes(axes, ndim)
    return list(zip(axes, *(each(value, len(axes)) for value in values), strict=True))


def in_passes(one: Callable[..., ndarray], input: ndarray, output: ndarray, rows: Sequence[tuple[Any, ...]]) -> ndarray:
    """A filter of several axes as filters of one after another: `one(input, target, *row)`."""
    if not rows:
        return copy_to(output, input)
    last = passes(output)
    for row, target in zip(rows, stages(last, len(rows)), strict=True):
        input = one(input, target, *row)
    return finished(output, last)


def derivative(
    kind: str, input: ndarray, axes: Sequence[int], across: Sequence[int], output: ndarray, modes: Any, cval: complex
) -> ndarray | None:
    """The derivative of real arrays along all axes in one launch, if one kernel takes it."""
    modes = [filter_mode(modes[axis]) for axis in range(input.ndim)]
    widths = [(1, 1)] * input.ndim
    if input.dtype.kind == "c" or output.dtype.kind == "c" or not stencils.fits(input, output, modes, widths, 3):
        return None
    check_type(input, output)
    chosen = [modes[axis] for axis in axes]
    is_constant = "constant" in chosen
    if is_constant and not all(win.holds(array.dtype, cval) for array in (input, output)):
        return None
    element = win.as_element(cval, input.dtype) if is_constant else 0
    return stencils.derivative(kind, input, axes, across, output, chosen, element)
