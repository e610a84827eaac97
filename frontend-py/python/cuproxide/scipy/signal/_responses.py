"""Frequency responses of filters, computed on the device: a launch for all frequencies."""

from __future__ import annotations

import math
import operator
import warnings
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device, is_integer, to_host
from ._common import check_sections
from ._fir import given_rate, sampling_rate

__all__ = [
    "findfreqs",
    "freqs",
    "freqs_zpk",
    "freqz",
    "freqz_sos",
    "freqz_zpk",
    "group_delay",
    "sosfreqz",
]

_CIRCLE = 2 * math.pi


@k.kernel
def _horner(c: k.Array, z: k.Each):
    """A polynomial, the highest power first."""
    kind = k.choose_type(c.dtype.type(0), z)
    total, z = k.value(0, kind), z.astype(kind)
    for i in k.steps(c.shape[0]):
        total = total * z + c[i].astype(kind)
    return total


@k.kernel
def _from_roots(roots: k.Array, z: k.Each):
    """The product of the distances to all roots."""
    kind = k.choose_type(roots.dtype.type(0), z)
    total, z = k.value(1, kind), z.astype(kind)
    for i in k.steps(roots.shape[0]):
        total = total * (z - roots[i].astype(kind))
    return total


def polynomial(c: Any, z: ndarray) -> ndarray:
    """A polynomial at points of the device; its coefficients begin with the highest power."""
    return _horner(cp.atleast_1d(as_device(c)), z)


def _roots(values: Any, name: str) -> ndarray:
    """Zeros or poles on the device."""
    roots = cp.atleast_1d(as_device(values))
    if roots.ndim > 1:
        raise ValueError(f"{name} must have one axis, got the shape {roots.shape}")
    return roots


def _circle(worN: Any, whole: bool, fs: float, endpoint: bool = False) -> ndarray:
    """Angles for a number of points or for frequencies."""
    if worN is None:
        worN = 512
    if is_integer(worN):
        count = operator.index(worN)
        if count < 0:
            raise ValueError(f"worN must be nonnegative, got {count}")
        return cp.linspace(0, _CIRCLE if whole else math.pi, count, endpoint=endpoint and not whole)
    w = cp.atleast_1d(as_device(worN))
    return (w.astype(np.float64) if w.dtype.kind not in "fc" else w) * (_CIRCLE / fs)


def _precision(*coefficients: Any) -> np.dtype[Any]:
    """The real type of results for coefficients: float64 for whole numbers."""
    dtypes = (np.asarray(c).dtype if not isinstance(c, ndarray) else c.dtype for c in coefficients)
    common = np.result_type(*(dtype if dtype.kind in "fc" else np.float64 for dtype in dtypes))
    return np.finfo(common).dtype


def _rounded(w: ndarray, h: ndarray, real: np.dtype[Any]) -> tuple[ndarray, ndarray]:
    """Frequencies and a response, computed in double precision, in the precision of the coefficients."""
    return w.astype(real, copy=False), h.astype(np.result_type(real, np.complex64), copy=False)


def freqz(
    b: Any,
    a: Any = 1,
    worN: Any = 512,
    whole: bool = False,
    plot: Any = None,
    fs: float = _CIRCLE,
    include_nyquist: bool = False,
) -> tuple[ndarray, ndarray]:
    """The frequency response of a digital filter.

    Parameters
    ----------
    b, a : array_like
        The coefficients; those along further axes of `b` are broadcast with the frequencies.
    worN : int or array_like
        A number of frequencies, or frequencies in units of `fs`.
    whole : bool
        Whether the whole circle is meant, or its upper half.
    fs : float
        The sampling frequency.
    include_nyquist : bool
        Whether the last of a number of frequencies is `fs` / 2.

    Raises
    ------
    ValueError
        The number is negative.

    >>> w, h = cp.scipy.signal.freqz([1.0, 1.0], worN=2)
    >>> h.round(4)
    array([2.+0.j, 1.-1.j])
    """
    b, a = (cp.atleast_1d(as_device(value)) for value in (b, a))
    fs = sampling_rate(given_rate(fs))
    w = _circle(worN, whole, fs, include_nyquist).astype(np.float64, copy=False)
    z = cp.exp(-1j * w)

    def response(c: ndarray) -> ndarray:
        if c.ndim == 1:
            return polynomial(c[::-1], z)
        # A polynomial for each place of the other axes.
        total: Any = 0
        for coefficient in c[::-1]:
            total = total * z + coefficient
        return total

    h = response(b) / response(a)
    w, h = _rounded(w * (fs / _CIRCLE), h, _precision(b, a))
    if a.size == 1 and is_integer(worN) and b.dtype in (np.float16, np.float32, np.complex64):
        # The precision of a transform of the taps, by which SciPy computes these.
        h = h.astype(np.complex64)
    if plot is not None:
        plot(w, h)
    return w, h


def freqz_zpk(z: Any, p: Any, k: Any, worN: Any = 512, whole: bool = False, fs: float = _CIRCLE) -> Any:
    """The frequency response of a digital filter from zeros, poles and gain; other arguments are those of `freqz`.

    >>> cp.scipy.signal.freqz_zpk([-1.0], [], 1.0, worN=2)[1].round(4)
    array([2.+0.j, 1.+1.j])
    """
    fs = sampling_rate(given_rate(fs))
    w = _circle(worN, whole, fs)
    point = cp.exp(1j * w)
    zeros, poles = _roots(z, "zeros"), _roots(p, "poles")
    gain = as_device(k) if isinstance(k, ndarray) else k
    h = gain * _from_roots(zeros, point) / _from_roots(poles, point)
    return _rounded(w * (fs / _CIRCLE), h, _precision(z, p) if is_integer(worN) or worN is None else _precision(w))


def freqz_sos(sos: Any, worN: Any = 512, whole: bool = False, fs: float = _CIRCLE) -> Any:
    """The frequency response of sections of second order; other arguments are those of `freqz`.

    Parameters
    ----------
    sos : array_like
        The sections of second order.

    >>> cp.scipy.signal.freqz_sos([[1.0, 1.0, 0.0, 1.0, 0.0, 0.0]], worN=2)[1].round(4)
    array([2.+0.j, 1.-1.j])
    """
    real = _precision(sos)
    sos = check_sections(sos)
    if len(sos) == 0:
        raise ValueError("Cannot compute frequencies with no sections")
    h: Any = 1.0
    for section in sos:
        w, part = freqz(section[:3], section[3:], worN=worN, whole=whole, fs=fs)
        h = h * part
    return _rounded(w, h, real)


def sosfreqz(*args: Any, **kwargs: Any) -> Any:
    """The former name of `freqz_sos`.

    Parameters
    ----------
    *args : optional
        The arguments of `freqz_sos`.
    **kwargs
        The arguments of `freqz_sos` by name.

    Returns
    -------
    tuple of ndarray

    >>> cp.scipy.signal.sosfreqz([[1.0, 1.0, 0.0, 1.0, 0.0, 0.0]], worN=1)[1]
    array([2.+0.j])
    """
    return freqz_sos(*args, **kwargs)


def findfreqs(num: Any, den: Any, N: int, kind: str = "ba") -> ndarray:
    """Frequencies at which the response of an analogue filter is worth looking at.

    Parameters
    ----------
    N : int
        The number of frequencies.
    kind : {'ba', 'zp'}
        Whether coefficients or zeros and poles are given.

    Raises
    ------
    ValueError
        If `kind` is neither "ba" nor "zp".

    >>> cp.scipy.signal.findfreqs([1.0], [1.0, 8.0, 25.0], 3).round(4)
    array([  1.,  10., 100.])
    """
    num, den = to_host(num), to_host(den)
    if kind == "ba":
        poles, zeros = np.atleast_1d(np.roots(den)) + 0j, np.atleast_1d(np.roots(num)) + 0j
    elif kind == "zp":
        poles, zeros = np.atleast_1d(den) + 0j, np.atleast_1d(num) + 0j
    else:
        raise ValueError("input must be one of {'ba', 'zp'}")
    if len(poles) == 0:
        poles = np.array([-1000 + 0j])
    points = np.concatenate((poles[poles.imag >= 0], zeros[(abs(zeros) < 1e5) & (zeros.imag >= 0)]))
    at_zero = abs(points) < 1e-10
    high = np.round(np.log10(np.max(3 * abs(points.real + at_zero) + 1.5 * points.imag)) + 0.5)
    low = np.round(np.log10(0.1 * np.min(abs((points + at_zero).real) + 2 * points.imag)) - 0.5)
    return cp.asarray(np.logspace(low, high, N))


def _line(worN: Any, num: Any, den: Any, kind: str) -> ndarray:
    if worN is None:
        return findfreqs(num, den, 200, kind)
    if is_integer(worN):
        return findfreqs(num, den, operator.index(worN), kind)
    return cp.atleast_1d(as_device(worN))


def freqs(b: Any, a: Any, worN: Any = 200, plot: Any = None) -> tuple[ndarray, ndarray]:
    """The frequency response of an analogue filter.

    Parameters
    ----------
    b, a : array_like
        The coefficients.
    worN : int, array_like or None
        A number of angular frequencies, or these.

    >>> cp.scipy.signal.freqs([1.0], [1.0, 1.0], cp.asarray([0.0, 1.0]))[1]
    array([1. +0.j , 0.5-0.5j])
    """
    w = _line(worN, b, a, "ba")
    s = 1j * w
    h = polynomial(b, s) / polynomial(a, s)
    if plot is not None:
        plot(w, h)
    return w, h


def freqs_zpk(z: Any, p: Any, k: Any, worN: Any = 200) -> tuple[ndarray, ndarray]:
    """The frequency response of an analogue filter from zeros, poles and gain; see `freqs`.

    >>> cp.scipy.signal.freqs_zpk([], [-1.0], 1.0, cp.asarray([0.0, 1.0]))[1]
    array([1. +0.j , 0.5-0.5j])
    """
    gain = np.ravel(to_host(k))
    if gain.size > 1:
        raise ValueError("k must be a single scalar gain")
    gain = gain.astype(np.complex128 if gain.dtype.kind == "c" else np.float64)
    w = _line(worN, z, p, "zp")
    s = 1j * w
    zeros, poles = _roots(z, "zeros"), _roots(p, "poles")
    return w, gain.item() * _from_roots(zeros, s) / _from_roots(poles, s)


def group_delay(system: Any, w: Any = 512, whole: bool = False, fs: float = _CIRCLE) -> tuple[ndarray, ndarray]:
    """The delay of the envelope of each frequency in samples.

    Parameters
    ----------
    system : tuple of array_like
        The coefficients `b` and `a`.
    w : int or array_like
        A number of frequencies, or frequencies in units of `fs`.

    Returns
    -------
    tuple of ndarray
        Frequencies and delays.

    See Also
    --------
    scipy.signal.group_delay : The function that this one follows; Shpak and Antoniou 1992.

    >>> cp.scipy.signal.group_delay(([1.0, 2.0, 1.0], [1.0]), 2)[1].round(6)
    array([1., 1.])
    """
    b, a = (np.atleast_1d(to_host(part)) for part in system)
    fs = sampling_rate(given_rate(fs))
    w = _circle(512 if w is None else w, whole, fs)
    b, a = (part.astype(np.float64) if part.dtype.kind in "biu" else part for part in (b, a))
    c = np.convolve(b, np.conjugate(a[::-1]))
    z = cp.exp(-1j * w)
    num, den = polynomial((c * np.arange(c.size))[::-1], z), polynomial(c[::-1], z)
    delay = (num / den).real - a.size + 1
    singular = ~cp.isfinite(delay)
    near = abs(den) < 10 * 2e-16
    # One read for both.
    flags = cp.stack((singular.any(), near.any())).get()
    if flags.any():
        places = ", ".join(f"{value:.3f}" for value in w[singular if flags[0] else near].tolist())
        if flags[0]:
            warnings.warn(f"The group delay is singular at frequencies [{places}], setting to 0", stacklevel=2)
            delay = cp.where(singular, 0.0, delay)
        else:
            warnings.warn(f"The filter's denominator is extremely small at frequencies [{places}], around which a "
                          "singularity may be present", stacklevel=2)  # fmt: skip
    return w * (fs / _CIRCLE), delay
