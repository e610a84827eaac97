"""B-splines of signals and images: their coefficients by recursive filters, and their values."""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device
from ._common import wide
from ._filters import symiirorder1, symiirorder2, symmetric_rows
from ._planar import sepfir2d

__all__ = [
    "cspline1d",
    "cspline1d_eval",
    "cspline2d",
    "gauss_spline",
    "qspline1d",
    "qspline1d_eval",
    "qspline2d",
    "spline_filter",
]

CUBIC, QUADRATIC = -2 + math.sqrt(3.0), -3 + 2 * math.sqrt(2.0)


def gauss_spline(x: Any, n: int) -> ndarray:
    """The Gaussian that a B-spline of order `n` comes near to.

    Parameters
    ----------
    x : array_like
        The points.
    n : int
        The order.

    >>> cp.scipy.signal.gauss_spline(cp.zeros(1), 3).round(4)
    array([0.691])
    """
    x = as_device(x)
    variance = (n + 1) / 12.0
    return 1 / math.sqrt(2 * math.pi * variance) * cp.exp(-((x * 1.0) ** 2) / 2 / variance)


def smoothing_poles(lamb: float) -> tuple[float, float]:
    """The radius and the angle of the poles of a smoothing cubic spline (Unser, Aldroubi and Eden 1993)."""
    # With u = z + 1 / z they are the zeros of lamb (u - 2)^2 + (u + 4) / 6, of which one of z is within the circle.
    u = complex(2 - 1 / (12 * lamb), math.sqrt(144 * lamb - 1) / (12 * lamb))
    root = cmath.sqrt(u * u - 4)
    pole = 2 / max(u + root, u - root, key=abs)
    return abs(pole), abs(cmath.phase(pole))


def _row(signal: Any) -> ndarray:
    x = as_device(signal)
    if x.ndim != 1 or x.size == 0:
        raise ValueError(f"the signal must have one axis and points, not the shape {x.shape}")
    return x.astype(wide(x.dtype, np.float64)).reshape(1, -1)


def _interpolating(row: ndarray, pole: float, factor: float) -> ndarray:
    tiny = float(np.finfo(np.float64).eps) / 16
    return symmetric_rows(np.array([-factor * pole]), np.array([1.0, -pole]), row, abs(pole), tiny)[0]


def cspline1d(signal: Any, lamb: float = 0.0) -> ndarray:
    """The coefficients of the cubic B-spline through a signal whose ends are mirrored, or near it if `lamb` > 0.

    >>> cp.scipy.signal.cspline1d(cp.ones(64))[:4].round(6)
    array([1., 1., 1., 1.])
    """
    row = _row(signal)
    if row.shape[1] == 1:
        # Its mirror images are a constant.
        return row[0]
    if lamb == 0.0:
        return _interpolating(row, CUBIC, 6.0)
    if lamb <= 1 / 144.0:
        raise ValueError(f"lamb must be 0 or above 1/144, not {lamb}")
    rho, omega = smoothing_poles(lamb)
    middle = 2 * rho * math.cos(omega)
    gain = 1 - middle + rho * rho
    tiny = float(np.finfo(np.float64).eps) / 16
    return symmetric_rows(np.array([gain * gain]), np.array([1.0, -middle, rho * rho]), row, rho, tiny)[0]


def qspline1d(signal: Any, lamb: float = 0.0) -> ndarray:
    """The coefficients of the quadratic B-spline through a signal whose ends are mirrored.

    Raises
    ------
    ValueError
        Unless `lamb` is 0.

    >>> cp.scipy.signal.qspline1d(cp.ones(64))[:4].round(6)
    array([1., 1., 1., 1.])
    """
    if lamb != 0.0:
        raise ValueError("Smoothing quadratic splines not supported yet.")
    row = _row(signal)
    return row[0] if row.shape[1] == 1 else _interpolating(row, QUADRATIC, 8.0)


@k.function
def _cubic(t):
    t = abs(t)
    near = 2.0 / 3 - 0.5 * t * t * (2 - t)
    far = 1.0 / 6 * (2 - t) * (2 - t) * (2 - t)
    return k.where(t < 1, near, k.where(t < 2, far, 0.0))


@k.function
def _quadratic(t):
    t = abs(t)
    near = 0.75 - t * t
    far = 0.5 * (t - 1.5) * (t - 1.5)
    return k.where(t < 0.5, near, k.where(t < 1.5, far, 0.0))


@k.kernel
def _evaluate(c: k.Array, x: k.Each, *, order):
    """The spline at `x`, which is mirrored into the signal."""
    n = c.shape[0]
    period = 2.0 * (n - 1).astype(np.float64)
    x = x.astype(np.float64)
    inside = abs(x) - period * k.floor(abs(x) / max(period, 1.0))
    inside = k.where(inside > period * 0.5, period - inside, inside)
    x = k.where((x < 0) | (x > period * 0.5), inside, x)
    first = k.floor(x - (2.0 if order == 3 else 1.5)) + 1.0
    total = k.value(0, c.dtype)
    for i in range(4 if order == 3 else 3):
        place = first + float(i)
        weight = _cubic(x - place) if order == 3 else _quadratic(x - place)
        total = total + c[k.clamp(place.astype(np.int64), 0, n - 1)] * weight.astype(total.real.dtype)
    # Outside of their support the pieces are 0, where NaN would end too.
    return total + k.where(x == x, 0.0, x).astype(total.real.dtype)


def _evaluated(cj: Any, newx: Any, dx: float, x0: float, order: int) -> ndarray:
    c, x = as_device(cj), as_device(newx)
    if c.size == 0:
        raise ValueError("Spline coefficients 'cj' must not be empty.")
    if c.ndim != 1:
        raise ValueError(f"Spline coefficients 'cj' must be 1D, got the shape {c.shape}.")
    x = (x - x0) / float(dx)
    c = c if c.dtype.kind in "fc" else c.astype(np.float64)
    return _evaluate(c, x, order=order)


def cspline1d_eval(cj: Any, newx: Any, dx: float = 1.0, x0: float = 0) -> ndarray:
    """The values of a cubic spline with coefficients `cj` at points `dx` apart from `x0` on, mirrored at its ends.

    Raises
    ------
    ValueError
        If there are no coefficients, or they have several axes.

    >>> c = cp.scipy.signal.cspline1d(cp.asarray([1.0, 2.0, 4.0, 3.0]))
    >>> cp.scipy.signal.cspline1d_eval(c, cp.asarray([1.0, 2.0])).round(3)
    array([2., 4.])
    """
    return _evaluated(cj, newx, dx, x0, 3)


def qspline1d_eval(cj: Any, newx: Any, dx: float = 1.0, x0: float = 0) -> ndarray:
    """The values of a quadratic spline with coefficients `cj`; see `cspline1d_eval`.

    >>> c = cp.scipy.signal.qspline1d(cp.asarray([1.0, 2.0, 4.0, 3.0]))
    >>> cp.scipy.signal.qspline1d_eval(c, cp.asarray([1.0, 2.0])).round(3)
    array([2., 4.])
    """
    return _evaluated(cj, newx, dx, x0, 2)


def _both_axes(signal: Any, precision: float, filtered: Any) -> ndarray:
    x = as_device(signal)
    if x.ndim != 2:
        raise ValueError(f"an image has two axes, not {x.ndim}")
    if precision < 0.0 or precision >= 1.0:
        precision = 1e-3 if x.dtype in (np.float32, np.complex64) else 1e-6
    x = filtered(x, precision)
    return filtered(x.T, precision).T


def cspline2d(signal: Any, lamb: float = 0.0, precision: float = -1.0) -> ndarray:
    """The coefficients of the cubic B-spline through an image, mirrored at its edges, or near it if `lamb` > 1/144.

    Raises
    ------
    ValueError
        If the image is too small for `precision`.

    >>> cp.scipy.signal.cspline2d(cp.ones((16, 16)))[0, :2].round(6)
    array([1., 1.])
    """
    if lamb <= 1 / 144.0:
        return _both_axes(signal, precision, lambda x, p: symiirorder1(x, -CUBIC * 6.0, CUBIC, p))
    radius, omega = smoothing_poles(lamb)
    return _both_axes(signal, precision, lambda x, p: symiirorder2(x, radius, omega, p))


def qspline2d(signal: Any, lamb: float = 0.0, precision: float = -1.0) -> ndarray:
    """The coefficients of the quadratic B-spline through an image, mirrored at its edges.

    Raises
    ------
    ValueError
        If `lamb` is positive or the image too small for `precision`.

    >>> cp.scipy.signal.qspline2d(cp.ones((16, 16)))[0, :2].round(6)
    array([1., 1.])
    """
    if lamb > 0:
        raise ValueError("lambda must be negative or zero")
    return _both_axes(signal, precision, lambda x, p: symiirorder1(x, -QUADRATIC * 8.0, QUADRATIC, p))


def spline_filter(Iin: Any, lmbda: float = 5.0) -> ndarray:
    """An image smoothed by a cubic spline that comes near to it.

    Parameters
    ----------
    Iin : array_like
        The image.
    lmbda : float
        The smoothing.

    Raises
    ------
    TypeError
        For other dtypes than floating ones.

    >>> cp.scipy.signal.spline_filter(cp.ones((64, 64)))[0, :2].round(4)
    array([1., 1.])
    """
    x = as_device(Iin)
    if x.dtype not in (np.float32, np.float64, np.complex64, np.complex128):
        raise TypeError(f"Invalid data type for Iin: Iin.dtype = {x.dtype!r}")
    taps = np.array([1.0, 4.0, 1.0]) / 6.0
    taps = cp.asarray(taps.astype(np.zeros(0, x.dtype).real.dtype))
    # As SciPy's precision, in which the image must have decayed.
    coefficients = cspline2d(x, lmbda, 1e-3)
    return sepfir2d(coefficients, taps, taps).astype(x.dtype, copy=False)
