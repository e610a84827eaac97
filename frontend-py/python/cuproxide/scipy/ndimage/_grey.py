"""Morphology of grey images: extremes of windows, one after another."""

from __future__ import annotations

from typing import Any

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


def _check_window(size: Any, footprint: Any, structure: Any) -> None:
    if size is None and footprint is None and structure is None:
        raise ValueError("size, footprint, or structure must be specified")


def grey_erosion(
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
        If `input` is complex.

    Examples
    --------
    >>> cp.scipy.ndimage.grey_erosion(cp.asarray([0, 0, 5, 6, 7, 0, 0]), size=2)
    array([0, 0, 0, 5, 6, 0, 0])
    """
    _check_window(size, footprint, structure)
    return extreme_filter(input, size, footprint, structure, output, mode, cval, origin, True, axes)


def grey_dilation(
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
    """The largest sums of the elements of a mirrored window and structure.

    Parameters, results and errors are those of `grey_erosion`.

    Examples
    --------
    >>> cp.scipy.ndimage.grey_dilation(cp.asarray([0, 0, 5, 0, 0, 0, 1]), size=3)
    array([0, 5, 5, 5, 0, 1, 1])
    """
    _check_window(size, footprint, structure)
    if structure is not None:
        structure = np.flip(host(structure))
    if footprint is not None:
        footprint = np.flip(host(footprint))
    input = as_array(input)
    rank = len(normal_axes(axes, input.ndim))
    if footprint is not None:
        lengths = list(footprint.shape)
    elif structure is not None:
        lengths = list(structure.shape)
    else:
        lengths = [size] * rank if np.isscalar(size) else list(size)
    origins = [-o - (not int(length) & 1) for o, length in zip(each(origin, rank), lengths, strict=False)]
    return extreme_filter(input, size, footprint, structure, output, mode, cval, origins, False, axes)


def grey_opening(
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
    """A dilation of an erosion: what is smaller than the window goes.

    Parameters, results and errors are those of `grey_erosion`.

    Examples
    --------
    >>> cp.scipy.ndimage.grey_opening(cp.asarray([0, 9, 0, 5, 6, 7, 0]), size=3)
    array([0, 0, 0, 5, 5, 5, 0])
    """
    warn_size(size, footprint)
    eroded = grey_erosion(input, size, footprint, structure, None, mode, cval, origin, axes=axes)
    return grey_dilation(eroded, size, footprint, structure, output, mode, cval, origin, axes=axes)


def grey_closing(
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
    """An erosion of a dilation: gaps smaller than the window close.

    Parameters, results and errors are those of `grey_erosion`.

    Examples
    --------
    >>> cp.scipy.ndimage.grey_closing(cp.asarray([9, 9, 0, 9, 0, 0, 0]), size=3)
    array([9, 9, 9, 9, 0, 0, 0])
    """
    warn_size(size, footprint)
    dilated = grey_dilation(input, size, footprint, structure, None, mode, cval, origin, axes=axes)
    return grey_erosion(dilated, size, footprint, structure, output, mode, cval, origin, axes=axes)


def morphological_gradient(
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
    """The dilation less the erosion.

    Parameters, results and errors are those of `grey_erosion`.

    Examples
    --------
    >>> cp.scipy.ndimage.morphological_gradient(cp.asarray([0, 0, 5, 5, 5, 0]), size=3)
    array([0, 5, 5, 0, 5, 5])
    """
    window = (size, footprint, structure)
    dilated = grey_dilation(input, *window, None, mode, cval, origin, axes=axes)
    if isinstance(output, ndarray):
        grey_erosion(input, *window, output, mode, cval, origin, axes=axes)
        return ufuncs["subtract"](dilated, output, out=output)
    return dilated - grey_erosion(input, *window, None, mode, cval, origin, axes=axes)


def morphological_laplace(
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
    """The dilation plus the erosion less twice the input.

    Parameters, results and errors are those of `grey_erosion`.

    Examples
    --------
    >>> cp.scipy.ndimage.morphological_laplace(cp.asarray([0, 0, 5, 5, 5, 0]), size=3)
    array([ 0,  5, -5,  0, -5,  5])
    """
    window = (size, footprint, structure)
    input = as_array(input)
    dilated = grey_dilation(input, *window, None, mode, cval, origin, axes=axes)
    if isinstance(output, ndarray):
        if _core.may_share_memory(input, output):
            input = input.copy()
        found = grey_erosion(input, *window, output, mode, cval, origin, axes=axes)
    else:
        found = grey_erosion(input, *window, None, mode, cval, origin, axes=axes)
    found += dilated
    ufuncs["subtract"](found, input, out=found)
    return ufuncs["subtract"](found, input, out=found)


def _tophat(upper: ndarray, lower: ndarray, input: ndarray, out: ndarray) -> ndarray:
    name = "bitwise_xor" if input.dtype == np.bool_ and out.dtype == np.bool_ else "subtract"
    return ufuncs[name](upper, lower, out=out)


def white_tophat(
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
    """The input less its opening: what is smaller than the window and bright.

    Parameters, results and errors are those of `grey_erosion`.

    Examples
    --------
    >>> cp.scipy.ndimage.white_tophat(cp.asarray([0, 9, 0, 5, 6, 7, 0]), size=3)
    array([0, 9, 0, 0, 1, 2, 0])
    """
    input = _kept(input, output)
    opened = grey_opening(input, size, footprint, structure, output, mode, cval, origin, axes=axes)
    return _tophat(input, opened, input, opened)


def black_tophat(
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
    """The closing less the input: what is smaller than the window and dark.

    Parameters, results and errors are those of `grey_erosion`.

    Examples
    --------
    >>> cp.scipy.ndimage.black_tophat(cp.asarray([9, 9, 0, 9, 0, 0, 0]), size=3)
    array([0, 0, 9, 0, 0, 0, 0])
    """
    input = _kept(input, output)
    closed = grey_closing(input, size, footprint, structure, output, mode, cval, origin, axes=axes)
    return _tophat(closed, input, input, closed)


def _kept(input: ArrayLike, output: Any) -> ndarray:
    """The input, which is needed again after the output was written."""
    input = as_array(input)
    return input.copy() if isinstance(output, ndarray) and _core.may_share_memory(input, output) else input
