"""Operators on periodic sequences, each a factor of the spectrum: derivatives, Hilbert and Tilbert transforms, shifts.

SciPy takes vectors; here the last axis counts, so stacks of sequences are taken too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

import numpy as np

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib.conversions import as_array, counting, is_complex
from ..._lib.ufuncs import NUMPY as _ufuncs
from ..._typing import ArrayLike
from ...fft._callbacks import without
from .. import fft as _fft

Kernel = Callable[[ndarray], ndarray]


def _double(x: ArrayLike) -> ndarray:
    """SciPy computes these in double precision, whatever it is given."""
    x = as_array(x)
    return x.astype(np.complex128 if is_complex(x.dtype) else np.float64, copy=False)


@without
def _apply(x: ArrayLike, kernel: Kernel, odd: bool, drop_highest: bool | None = None) -> ndarray:
    """The sequence whose spectrum is multiplied by a function of the frequencies 0, 1, ...; i times it if `odd`.

    The function is even or odd in the frequency. The highest one of an even length has no sign, so odd operators
    (or those that say so) lose it.
    """
    x = _double(x)
    if is_complex(x.dtype):
        return _apply(x.real, kernel, odd, drop_highest) + 1j * _apply(x.imag, kernel, odd, drop_highest)
    n = x.shape[-1]
    frequencies = counting(n // 2 + 1).astype(np.float64)
    factor = kernel(frequencies)
    if n % 2 == 0 and (odd if drop_highest is None else drop_highest):
        factor = _core.where(frequencies == n // 2, 0.0, factor)
    spectrum = _fft.rfft(x) * (1j * factor if odd else factor)
    return _fft.irfft(spectrum, n)


def _off_zero(kernel: Kernel, at_zero: float = 0.0) -> Kernel:
    """A function of the frequency with a value of its own at zero, where it may have a pole."""

    def inner(k: ndarray) -> ndarray:
        return _core.where(k == 0, at_zero, kernel(_core.where(k == 0, 1.0, k)))

    return inner


def _scale(period: float | None) -> float:
    return 1.0 if period is None else 2 * math.pi / period


def diff(x: ArrayLike, order: int = 1, period: float | None = None) -> ndarray:
    """The derivative of a periodic sequence, or for a negative order the integral without a mean.

    Parameters
    ----------
    order : int
        The order of the derivative.

    >>> cp.scipy.fftpack.diff(cp.asarray([0.0, 1.0, 0.0, -1.0])).round(6)
    array([ 1.,  0., -1.,  0.])
    """
    if order == 0:
        return as_array(x).copy()
    c = _scale(period)
    # i to the power of the order is a sign, or i times one.
    sign = -1.0 if order % 4 in (2, 3) else 1.0
    return _apply(x, _off_zero(lambda k: sign * (c * k) ** float(order)), bool(order % 2), True)


def tilbert(x: ArrayLike, h: float, period: float | None = None) -> ndarray:
    """The Tilbert transform: i coth(h k) times the spectrum.

    >>> cp.scipy.fftpack.tilbert(cp.asarray([0.0, 1.0, 0.0, -1.0]), 1.0).shape
    (4,)
    """
    c = h * _scale(period)
    return _apply(x, _off_zero(lambda k: 1 / _ufuncs["tanh"](c * k)), True)


def itilbert(x: ArrayLike, h: float, period: float | None = None) -> ndarray:
    """The inverse of `tilbert`: -i tanh(h k) times the spectrum.

    >>> cp.scipy.fftpack.itilbert(cp.asarray([0.0, 1.0, 0.0, -1.0]), 1.0).shape
    (4,)
    """
    c = h * _scale(period)
    return _apply(x, lambda k: -_ufuncs["tanh"](c * k), True)


def hilbert(x: ArrayLike) -> ndarray:
    """The Hilbert transform: i sign(k) times the spectrum. See `scipy.fftpack.hilbert`.

    >>> cp.scipy.fftpack.hilbert(cp.asarray([0.0, 1.0, 0.0, -1.0])).round(6)
    array([ 1.,  0., -1.,  0.])
    """
    return _apply(x, _ufuncs["sign"], True)


def ihilbert(x: ArrayLike) -> ndarray:
    """The inverse of `hilbert`. See `scipy.fftpack.ihilbert`.

    >>> cp.scipy.fftpack.ihilbert(cp.asarray([1.0, 1.0, -1.0, -1.0])).round(6)
    array([-1.,  1.,  1., -1.])
    """
    return _apply(x, lambda k: -_ufuncs["sign"](k), True)


class Quotient(Protocol):
    """An operator with two parameters."""

    def __call__(self, x: ArrayLike, a: float, b: float, period: float | None = None) -> ndarray: ...


def _quotient(name: str, upper: str, lower: str, sign: int = 1) -> Quotient:
    """The operator that multiplies a spectrum by a quotient of hyperbolic functions.

    It is odd, and imaginary, where they are not the same one; the quotient has a limit at zero only for two sines.
    """
    odd, rising, falling = upper != lower, _ufuncs[upper], _ufuncs[lower]

    def operator(x: ArrayLike, a: float, b: float, period: float | None = None) -> ndarray:
        c = _scale(period)

        def kernel(k: ndarray) -> ndarray:
            quotient = rising(c * a * k) / falling(c * b * k)
            return -quotient if sign < 0 else quotient

        if (upper, lower) != ("cosh", "cosh"):
            kernel = _off_zero(kernel, 0.0 if odd else a / b)
        return _apply(x, kernel, odd)

    operator.__name__ = operator.__qualname__ = name
    factor = f"{'-' if sign < 0 else ''}{'i ' if odd else ''}{upper}(a k) / {lower}(b k)"
    at_zero = ", a / b at zero" if upper == lower == "sinh" else ""
    operator.__doc__ = f"""{factor} times the spectrum{at_zero}.

Examples
--------
>>> cp.scipy.fftpack.{name}(cp.asarray([0.0, 1.0, 0.0, -1.0]), 1.0, 2.0).shape
(4,)
"""
    return operator


cs_diff = _quotient("cs_diff", "cosh", "sinh", -1)
sc_diff = _quotient("sc_diff", "sinh", "cosh")
ss_diff = _quotient("ss_diff", "sinh", "sinh")
cc_diff = _quotient("cc_diff", "cosh", "cosh")


@without
def shift(x: ArrayLike, a: float, period: float | None = None) -> ndarray:
    """The periodic sequence moved: y(t) = x(t + a).

    Parameters
    ----------
    a : float
        How far the sequence is moved.

    >>> cp.scipy.fftpack.shift(cp.asarray([0.0, 1.0, 0.0, -1.0]), 0.0).round(6)
    array([ 0.,  1.,  0., -1.])
    """
    x = _double(x)
    if is_complex(x.dtype):
        return shift(x.real, a, period) + 1j * shift(x.imag, a, period)
    n = x.shape[-1]
    angles = counting(n // 2 + 1).astype(np.float64) * (a * _scale(period))
    factor = _ufuncs["cos"](angles) + 1j * _ufuncs["sin"](angles)
    if n % 2 == 0:
        # As SciPy has it: the highest frequency, which is real, takes both.
        factor[-1] = factor[-1:].real[0] + factor[-1:].imag[0]
    return _fft.irfft(_fft.rfft(x) * factor, n)


__all__ = [
    "cc_diff",
    "cs_diff",
    "diff",
    "hilbert",
    "ihilbert",
    "itilbert",
    "sc_diff",
    "shift",
    "ss_diff",
    "tilbert",
]
