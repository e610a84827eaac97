"""Window functions, and the Bessel function that one of them takes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.conversions import as_array, is_complex, is_inexact
from .._lib.ufuncs import NUMPY as _ufuncs
from .._typing import ArrayLike

__all__ = ["bartlett", "blackman", "hamming", "hanning", "i0", "kaiser"]

_cos = _ufuncs["cos"]


def i0(x: ArrayLike) -> ndarray:
    """The modified Bessel function of the first kind and order 0; `TypeError` for complex numbers. See `numpy.i0`.

    >>> cp.i0(cp.asarray([0.0]))
    array([1.])
    """
    x = as_array(x)
    if is_complex(x.dtype):
        raise TypeError("i0 not supported for complex values")
    return _ufuncs["_i0"](x if is_inexact(x.dtype) else x.astype(np.float64))


def _points(M: Any) -> ndarray | None:
    """The odd or even integers from 1 - M to M - 1, or nothing where the window is one point."""
    M = float(M)
    if M < 1:
        return _core.empty(0)
    if M == 1:
        return None
    return _core.arange(1 - M, 2.0, math.ceil((2 * M - 1) / 2), np.float64)


def _cosines(M: Any, *weights: float) -> ndarray:
    n = _points(M)
    if n is None:
        return _core.full(1, 1.0, np.float64)
    result = _core.full(n.shape, weights[0], np.float64)
    for order, weight in enumerate(weights[1:], 1):
        result += weight * _cos(order * math.pi * n / (M - 1))
    return result


def bartlett(M: float) -> ndarray:
    """The triangular window of `M` points, 0 at both ends. See `numpy.bartlett`.

    >>> cp.bartlett(5)
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    n = _points(M)
    if n is None:
        return _core.full(1, 1.0, np.float64)
    return _core.where(n <= 0, 1 + n / (M - 1), 1 - n / (M - 1))


def blackman(M: float) -> ndarray:
    """The Blackman window of `M` points: three terms of cosines. See `numpy.blackman`.

    >>> cp.blackman(1)
    array([1.])
    """
    return _cosines(M, 0.42, 0.5, 0.08)


def hamming(M: float) -> ndarray:
    """The Hamming window of `M` points: a cosine that does not reach 0. See `numpy.hamming`.

    >>> cp.hamming(1)
    array([1.])
    """
    return _cosines(M, 0.54, 0.46)


def hanning(M: float) -> ndarray:
    """The Hann window of `M` points: a cosine from 0 to 0. See `numpy.hanning`.

    >>> cp.hanning(5)
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    return _cosines(M, 0.5, 0.5)


def kaiser(M: float, beta: float) -> ndarray:
    """The Kaiser window of `M` points and shape `beta`: 0 is a rectangle, 14 a good start.

    Parameters
    ----------
    M : int
        The number of points.
    beta : float
        The parameter of shape.

    >>> cp.kaiser(3, 0)
    array([1., 1., 1.])
    """
    M, beta = float(M), float(beta)
    if M == 1:
        return _core.full(1, 1.0, np.float64)
    alpha = (M - 1) / 2
    n = _core.arange(0.0, 1.0, max(math.ceil(M), 0), np.float64)
    if n.size == 0:
        return n
    inside = 1 - _ufuncs["square"]((n - alpha) / alpha)
    return i0(beta * _ufuncs["sqrt"](inside)) / i0(_core.full((), beta, np.float64))
