"""Hankel transforms of functions of logarithmic radius (FFTLog: Talman, 1978; Hamilton, 2000)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._cuproxide import ndarray
from ..._lib.conversions import as_array, counting
from ..._lib.ufuncs import NUMPY as _ufuncs
from ..._typing import ArrayLike
from ...fft._callbacks import without

# Stirling's series: Bernoulli numbers over 2k (2k - 1).
_STIRLING = [1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156]
_SHIFT = 12


def _log_gamma(z: Any, log: Callable[[Any], Any]) -> Any:
    """The logarithm of the gamma function, up to a multiple of 2 pi i, of complex numbers or an array of them."""
    shifted, total = z + _SHIFT, 0.0
    for k in range(_SHIFT):
        total = total + log(z + k)
    inverse = 1 / shifted
    square = inverse * inverse
    tail = 0.0
    for coefficient in reversed(_STIRLING):
        tail = tail * square + coefficient
    return (shifted - 0.5) * log(shifted) - shifted + 0.5 * math.log(2 * math.pi) + tail * inverse - total


def _is_pole(x: float) -> bool:
    return x <= 0 and x == math.floor(x)


def _first(xp: float, xm: float, bias: float) -> float:
    """2 to the power of the bias times gamma(xp) / gamma(xm), where one of them or both are poles."""
    if _is_pole(xp) and _is_pole(xm):
        a, b = int(-xp), int(-xm)
        ratio = (-1.0) ** (a - b) * math.exp(math.lgamma(b + 1) - math.lgamma(a + 1))
    else:
        ratio = math.inf if _is_pole(xp) else 0.0
    return 2.0**bias * ratio


def _coefficients(n: int, dln: float, mu: float, offset: float, bias: float) -> ndarray:
    """The factors of the spectrum."""
    xp, xm = (mu + 1 + bias) / 2, (mu + 1 - bias) / 2
    y = counting(n // 2 + 1).astype(np.float64) * (math.pi / (n * dln))
    log = _ufuncs["log"]
    upper, lower = _log_gamma(xp + 1j * y, log), _log_gamma(xm + 1j * y, log)
    exponent = (upper.real - lower.real + math.log(2) * bias) + 1j * (
        upper.imag + lower.imag + 2 * (math.log(2) - offset) * y
    )
    u = _ufuncs["exp"](exponent)
    if n % 2 == 0:
        u[-1] = u.real[-1]
    if _is_pole(xp) or _is_pole(xm):
        u[0] = _first(xp, xm, bias)
    return u


def _transformed(a: ndarray, dln: float, mu: float, offset: float, bias: float, inverse: bool) -> ndarray:
    from ._fourier import irfft, rfft

    n = a.shape[-1]
    u = _coefficients(n, dln, mu, offset, bias)
    xp, xm = (mu + 1 + bias) / 2, (mu + 1 - bias) / 2
    if not inverse and _is_pole(xp) and not _is_pole(xm):
        warnings.warn("singular transform; consider changing the bias", stacklevel=4)
        u[0] = 0
    elif inverse and _is_pole(xm) and not _is_pole(xp):
        warnings.warn("singular inverse transform; consider changing the bias", stacklevel=4)
        u[0] = math.inf
    with without:
        spectrum = rfft(a)
        spectrum = spectrum / u.conj() if inverse else spectrum * u
        return irfft(spectrum, n)[..., ::-1]


def _grid(n: int, dln: float) -> ndarray:
    return (counting(n).astype(np.float64) - (n - 1) / 2) * dln


def _real(a: ArrayLike, bias: float) -> tuple[ndarray, np.dtype[Any]]:
    """What is transformed in double precision, and the precision of the result: a bias is in double, as in SciPy."""
    a = as_array(a)
    if a.dtype.kind == "c":
        raise TypeError("x must be a real sequence")
    single = a.dtype in (np.float16, np.float32)
    return a.astype(np.float64, copy=False), np.dtype(np.float32 if single and bias == 0 else np.float64)


def fht(a: ArrayLike, dln: float, mu: float, offset: float = 0.0, bias: float = 0.0) -> ndarray:
    """The Hankel transform of order `mu` of a function at logarithmic distances `dln`.

    Parameters
    ----------
    a : array_like
        The elements.
    dln : float
        The distance of the points in the logarithm.
    mu : float
        The order of the Bessel function.
    offset : float
        The offset of the output's logarithm.
    bias : float
        The exponent of the power law.

    Returns
    -------
    ndarray

    See Also
    --------
    scipy.fft.fht : The function that this one follows.

    Examples
    --------
    >>> cp.scipy.fft.fht(cp.ones(4), 0.1, mu=0.0).shape
    (4,)
    """
    a, dtype = _real(a, bias)
    grid = _grid(a.shape[-1], dln)
    if bias != 0:
        a = a * _ufuncs["exp"](-bias * grid)
    result = _transformed(a, dln, mu, offset, bias, False)
    if bias != 0:
        result = result * _ufuncs["exp"](-bias * (grid + offset))
    return result.astype(dtype, copy=False)


def ifht(A: ArrayLike, dln: float, mu: float, offset: float = 0.0, bias: float = 0.0) -> ndarray:
    """The inverse of `fht`.

    Parameters
    ----------
    A : array_like
        The elements.
    dln : float
        The distance of the points in the logarithm.
    mu : float
        The order of the Bessel function.
    offset : float
        The offset of the output's logarithm.
    bias : float
        The exponent of the power law.

    Returns
    -------
    ndarray

    See Also
    --------
    scipy.fft.ifht : The function that this one follows.

    Examples
    --------
    >>> cp.scipy.fft.ifht(cp.ones(4), 0.1, mu=0.0).shape
    (4,)
    """
    a, dtype = _real(A, bias)
    grid = _grid(a.shape[-1], dln)
    if bias != 0:
        a = a * _ufuncs["exp"](bias * (grid + offset))
    result = _transformed(a, dln, mu, offset, bias, True)
    if bias != 0:
        result = result * _ufuncs["exp"](bias * grid)
    return result.astype(dtype, copy=False)


def fhtoffset(dln: float, mu: float, initial: float = 0.0, bias: float = 0.0) -> float:
    """The offset nearest to `initial` at which the transform rings least.

    Parameters
    ----------
    dln : float
        The distance of the points in the logarithm.
    mu : float
        The order of the Bessel function.
    initial : float
        The offset to be near to.
    bias : float
        The exponent of the power law.

    Returns
    -------
    float

    See Also
    --------
    scipy.fft.fhtoffset : The function that this one follows.

    >>> round(float(cp.scipy.fft.fhtoffset(0.1, mu=0.0)), 3)
    0.047
    """
    xp, xm = (mu + 1 + bias) / 2, (mu + 1 - bias) / 2
    y = math.pi / (2 * dln)
    phase = sum(complex(_log_gamma(np.complex128(complex(x, y)), np.log)).imag for x in (xp, xm))
    turns = (math.log(2) - initial) / dln + phase / math.pi
    return initial + (turns - round(turns)) * dln


__all__ = ["fht", "fhtoffset", "ifht"]
