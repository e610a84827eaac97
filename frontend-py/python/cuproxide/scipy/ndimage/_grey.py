"""Morphology of grey images: extremes of windows, one after another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib.conversions import as_array
from ..._lib.ufuncs import NUMPY as ufuncs
from ..._typing import ArrayLike
from ._common import each, host, normal_axes, warn_size
from ._extrema import extreme_filter

__all__ = [
    "black_tophat",
    "grey_closing",
    "grey_dilation",
    "grey_erosion",
    "grey_opening",
    "morphological_gradient",
    "morphological_laplace",
    "white_tophat",
]


Window = tuple[Any, Any, Any]
"""Size, footprint and structure."""
Options = dict[str, Any]
"""Mode, number beyond the edges, origins and axes, by name."""


class Operation(Protocol):
    """A function of the elements in windows."""

    def __call__(
        self,
        input: ArrayLike,
        size: Any = None,
        footprint: Any = None,
        structure: Any = None,
        output: Any = None,
        mode: Any = "reflect",
        cval: float = 0.0,
        origin: Any = 0,
        *,
        axes: Any = None,
    ) -> ndarray: ...


def _operation(
    name: str,
    text: str,
    example: str,
    compute: Callable[[ArrayLike, Window, Any, Options], ndarray],
    warns: bool = False,
) -> Operation:
    """The public function of a row: `compute(input, window, output, options)`, `warns` of two windows at once."""

    def operation(
        input: ArrayLike,
        size: Any = None,
        footprint: Any = None,
        structure: Any = None,
        output: Any = None,
        mode: Any = "reflect",
        cval: float = 0.0,
        origin: Any = 0,
        *,
        axes: Any = None,
    ) -> ndarray:
        if warns:
            warn_size(size, footprint)
        options = {"mode": mode, "cval": cval, "origin": origin, "axes": axes}
        return compute(input, (size, footprint, structure), output, options)

    operation.__name__ = operation.__qualname__ = name
    operation.__doc__ = f"{text}\n\nExamples\n--------\n{example}\n"
    return operation


def _check_window(window: Window) -> None:
    if all(part is None for part in window):
        raise ValueError("size, footprint, or structure must be specified")


def _eroded(input: ArrayLike, window: Window, output: Any, options: Options) -> ndarray:
    _check_window(window)
    return extreme_filter(input, *window, output, is_minimum=True, **options)


def _dilated(input: ArrayLike, window: Window, output: Any, options: Options) -> ndarray:
    _check_window(window)
    size, footprint, structure = window
    if structure is not None:
        structure = np.flip(host(structure))
    if footprint is not None:
        footprint = np.flip(host(footprint))
    input = as_array(input)
    rank = len(normal_axes(options["axes"], input.ndim))
    if footprint is not None:
        lengths = list(footprint.shape)
    elif structure is not None:
        lengths = list(structure.shape)
    else:
        lengths = [size] * rank if np.isscalar(size) else list(size)
    origins = [-o - (not int(length) & 1) for o, length in zip(each(options["origin"], rank), lengths, strict=False)]
    return extreme_filter(input, size, footprint, structure, output, is_minimum=False, **{**options, "origin": origins})


def _opened(input: ArrayLike, window: Window, output: Any, options: Options) -> ndarray:
    return _dilated(_eroded(input, window, None, options), window, output, options)


def _closed(input: ArrayLike, window: Window, output: Any, options: Options) -> ndarray:
    return _eroded(_dilated(input, window, None, options), window, output, options)


def _gradient(input: ArrayLike, window: Window, output: Any, options: Options) -> ndarray:
    dilated = _dilated(input, window, None, options)
    if isinstance(output, ndarray):
        _eroded(input, window, output, options)
        return ufuncs["subtract"](dilated, output, out=output)
    return dilated - _eroded(input, window, None, options)


def _laplacian(input: ArrayLike, window: Window, output: Any, options: Options) -> ndarray:
    input = as_array(input)
    dilated = _dilated(input, window, None, options)
    if isinstance(output, ndarray):
        if _core.may_share_memory(input, output):
            input = input.copy()
        found = _eroded(input, window, output, options)
    else:
        found = _eroded(input, window, None, options)
    found += dilated
    ufuncs["subtract"](found, input, out=found)
    return ufuncs["subtract"](found, input, out=found)


def _white(input: ArrayLike, window: Window, output: Any, options: Options) -> ndarray:
    input = _kept(input, output)
    opened = _opened(input, window, output, options)
    return _tophat(input, opened, input, opened)


def _black(input: ArrayLike, window: Window, output: Any, options: Options) -> ndarray:
    input = _kept(input, output)
    closed = _closed(input, window, output, options)
    return _tophat(closed, input, input, closed)


def _tophat(upper: ndarray, lower: ndarray, input: ndarray, out: ndarray) -> ndarray:
    name = "bitwise_xor" if input.dtype == np.bool_ and out.dtype == np.bool_ else "subtract"
    return ufuncs[name](upper, lower, out=out)


def _kept(input: ArrayLike, output: Any) -> ndarray:
    """The input, which is needed again after the output was written."""
    input = as_array(input)
    return input.copy() if isinstance(output, ndarray) and _core.may_share_memory(input, output) else input


_AS_EROSION = "\n\nParameters, results and errors are those of `grey_erosion`."

grey_erosion = _operation(
    "grey_erosion",
    """The smallest differences of the elements of a window and a structure. See `scipy.ndimage.grey_erosion`.

Parameters
----------
input : array_like
    Real numbers.
size : int or sequence of int, optional
    The lengths of a full, flat window.
footprint : array_like of bool, optional
    The elements of the window.
structure : array_like, optional
    What is subtracted from the elements of the window (added, for a dilation).
output, mode, cval, origin, axes
    As for `minimum_filter`.

Returns
-------
ndarray
    Of the shape of `input`.

Raises
------
ValueError
    If neither size, footprint nor structure is given, or `origin` leaves the window.
RuntimeError
    If a shape does not fit.
TypeError
    If `input` is complex.""",
    """>>> cp.scipy.ndimage.grey_erosion(cp.asarray([0, 0, 5, 6, 7, 0, 0]), size=2)
array([0, 0, 0, 5, 6, 0, 0])""",
    _eroded,
)
grey_dilation = _operation(
    "grey_dilation",
    f"The largest sums of the elements of a mirrored window and structure.{_AS_EROSION}",
    """>>> cp.scipy.ndimage.grey_dilation(cp.asarray([0, 0, 5, 0, 0, 0, 1]), size=3)
array([0, 5, 5, 5, 0, 1, 1])""",
    _dilated,
)
grey_opening = _operation(
    "grey_opening",
    f"A dilation of an erosion: what is smaller than the window goes.{_AS_EROSION}",
    """>>> cp.scipy.ndimage.grey_opening(cp.asarray([0, 9, 0, 5, 6, 7, 0]), size=3)
array([0, 0, 0, 5, 5, 5, 0])""",
    _opened,
    warns=True,
)
grey_closing = _operation(
    "grey_closing",
    f"An erosion of a dilation: gaps smaller than the window close.{_AS_EROSION}",
    """>>> cp.scipy.ndimage.grey_closing(cp.asarray([9, 9, 0, 9, 0, 0, 0]), size=3)
array([9, 9, 9, 9, 0, 0, 0])""",
    _closed,
    warns=True,
)
morphological_gradient = _operation(
    "morphological_gradient",
    f"The dilation less the erosion.{_AS_EROSION}",
    """>>> cp.scipy.ndimage.morphological_gradient(cp.asarray([0, 0, 5, 5, 5, 0]), size=3)
array([0, 5, 5, 0, 5, 5])""",
    _gradient,
)
morphological_laplace = _operation(
    "morphological_laplace",
    f"The dilation plus the erosion less twice the input.{_AS_EROSION}",
    """>>> cp.scipy.ndimage.morphological_laplace(cp.asarray([0, 0, 5, 5, 5, 0]), size=3)
array([ 0,  5, -5,  0, -5,  5])""",
    _laplacian,
)
white_tophat = _operation(
    "white_tophat",
    f"The input less its opening: what is smaller than the window and bright.{_AS_EROSION}",
    """>>> cp.scipy.ndimage.white_tophat(cp.asarray([0, 9, 0, 5, 6, 7, 0]), size=3)
array([0, 9, 0, 0, 1, 2, 0])""",
    _white,
    warns=True,
)
black_tophat = _operation(
    "black_tophat",
    f"The closing less the input: what is smaller than the window and dark.{_AS_EROSION}",
    """>>> cp.scipy.ndimage.black_tophat(cp.asarray([9, 9, 0, 9, 0, 0, 0]), size=3)
array([0, 0, 9, 0, 0, 0, 0])""",
    _black,
    warns=True,
)
