"""Frequencies of spectra, and shifts of their zero frequency."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.conversions import as_array
from .._lib.element_types import KINDS
from .._routines.joining import concatenate
from .._routines.ranges import arange
from .._routines.rearranging import roll
from .._typing import ArrayLike, DeviceLike, DTypeLike

__all__ = ["fftfreq", "fftshift", "ifftshift", "rfftfreq"]


def fftfreq(n: int, d: float = 1.0, device: DeviceLike = None, *, dtype: DTypeLike = None) -> ndarray:
    """The frequencies of the elements of `fft`, in cycles per unit of the spacing `d`.

    `dtype` is a real floating one, by default float64.

    See Also
    --------
    numpy.fft.fftfreq : The function that this one follows.

    >>> cp.fft.fftfreq(4)
    array([ 0.  ,  0.25, -0.5 , -0.25])
    """
    n = _count(n)
    step = 1.0 / (n * d)
    if n < 0:
        raise ValueError("negative dimensions are not allowed")
    positive = arange(0, (n - 1) // 2 + 1, dtype=np.int64, device=device)
    negative = arange(-(n // 2), 0, dtype=np.int64, device=device)
    return _as(concatenate([positive, negative]) * step, dtype)


def rfftfreq(n: int, d: float = 1.0, device: DeviceLike = None, *, dtype: DTypeLike = None) -> ndarray:
    """The frequencies of the elements of `rfft`. See `fftfreq` and `numpy.fft.rfftfreq`.

    >>> cp.fft.rfftfreq(4)
    array([0.  , 0.25, 0.5 ])
    """
    n = _count(n)
    step = 1.0 / (n * d)
    if isinstance(step, float) and 0 < step < math.inf:
        # The same numbers in one launch.
        return _as(_core.arange(0.0, step, n // 2 + 1, np.float64, device=device), dtype)
    return _as(arange(0, n // 2 + 1, dtype=np.int64, device=device) * step, dtype)


def _as(frequencies: ndarray, dtype: DTypeLike) -> ndarray:
    """Frequencies in the type asked for; without one they are float64, or complex if the spacing is."""
    if dtype is None:
        return frequencies
    found = np.dtype(dtype)
    if found.kind != "f" and KINDS.get(found.name) != "f":
        raise ValueError(f"dtype must be a real floating-point data type, got {found}")
    return frequencies.astype(found, copy=False)


def fftshift(x: ArrayLike, axes: int | Sequence[int] | None = None) -> ndarray:
    """A copy with the zero frequency moved to the middle, along some or all axes.

    See Also
    --------
    numpy.fft.fftshift : The function that this one follows.

    >>> cp.fft.fftshift(cp.arange(4))
    array([2, 3, 0, 1])
    """
    x = as_array(x)
    listed = _axes(x, axes)
    return roll(x, tuple(x.shape[axis] // 2 for axis in listed), listed)


def ifftshift(x: ArrayLike, axes: int | Sequence[int] | None = None) -> ndarray:
    """Undoes `fftshift`.

    See Also
    --------
    numpy.fft.ifftshift : The function that this one follows.

    >>> cp.fft.ifftshift(cp.arange(4))
    array([2, 3, 0, 1])
    """
    x = as_array(x)
    listed = _axes(x, axes)
    return roll(x, tuple(-(x.shape[axis] // 2) for axis in listed), listed)


def _count(n: int) -> int:
    if not isinstance(n, (int, np.integer)):
        raise ValueError("n should be an integer")
    return operator.index(n)


def _axes(x: ndarray, axes: int | Sequence[int] | None) -> tuple[int, ...]:
    if axes is None:
        return tuple(range(x.ndim))
    return (axes,) if isinstance(axes, (int, np.integer)) else tuple(axes)
