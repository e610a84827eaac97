"""Spectra of samples at uneven times, and transforms along spirals."""

from __future__ import annotations

import operator
import warnings
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device
from ..._lib.routes import way
from ._common import read_arrays

__all__ = ["CZT", "ZoomFFT", "czt", "czt_points", "lombscargle", "vectorstrength", "zoom_fft"]


@k.kernel
def _sums(x: k.Array, y: k.Array, w: k.Array, frequency: k.Each):
    """The sums of `y` and `w` times the cosine and the sine of each phase, and of `w` times their products."""
    yc, ys, c, s, cc, cs = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in k.steps(x.shape[0]):
        phase = frequency * x[i]
        cosine, sine, value, weight = k.cos(phase), k.sin(phase), y[i], w[i]
        yc, ys = yc + value * cosine, ys + value * sine
        cosine_part, sine_part = weight * cosine, weight * sine
        c, s = c + cosine_part, s + sine_part
        cc, cs = cc + cosine_part * cosine, cs + cosine_part * sine
    return yc, ys, c, s, cc, cs


def _sums_by_rows(x: ndarray, y: ndarray, w: ndarray, frequencies: ndarray) -> tuple[ndarray, ...]:
    """The same as reductions of rows, which fuse: no matrix is stored, and a row has several threads."""
    phase = frequencies[:, None] * x
    cosine, sine = cp.cos(phase), cp.sin(phase)
    cosine_part, sine_part = w * cosine, w * sine
    terms = (y * cosine, y * sine, cosine_part * cosine, cosine_part * sine, cosine_part, sine_part)
    yc, ys, cc, cs, c, s = (term.sum(axis=1) for term in terms)
    return yc, ys, c, s, cc, cs


def _fitted(sums: tuple[ndarray, ...], mean: ndarray | None) -> tuple[ndarray, ...]:
    """YC, YS, CC and SS of phases that are shifted so that CS is 0, and the shift; `mean` is that of the samples, if a
    constant is fitted too. The shift turns the sums as it turns sine and cosine."""
    yc, ys, c, s, cc, cs = sums
    ss = 1.0 - cc
    if mean is not None:
        yc, ys, cc, ss, cs = yc - mean * c, ys - mean * s, cc - c * c, ss - s * s, cs - c * s
    shift = 0.5 * cp.arctan2(2.0 * cs, cc - ss)
    cosine, sine = cp.cos(shift), cp.sin(shift)
    middle, radius = (cc + ss) / 2, cp.hypot((cc - ss) / 2, cs)
    least = float(np.finfo(float).epsneg)
    cc, ss = cp.maximum(middle + radius, least), cp.maximum(middle - radius, least)
    return yc * cosine + ys * sine, ys * cosine - yc * sine, cc, ss, shift


def _positional(args: tuple[Any, ...], given: tuple[Any, ...]) -> tuple[Any, ...]:
    """Options of `lombscargle` that older programs pass by position, as SciPy still takes them."""
    names = ("precenter", "normalize", "weights", "floating_mean")
    if len(args) > len(names):
        raise TypeError(f"lombscargle() takes at most 7 positional arguments but {3 + len(args)} were given")
    warnings.warn(
        f"You are passing as positional arguments: {', '.join(names[: len(args)])}. Pass them by their names.",
        DeprecationWarning,
        stacklevel=3,
    )
    return (*args, *given[len(args) :])


def lombscargle(
    x: Any,
    y: Any,
    freqs: Any,
    *args: Any,
    precenter: Any = None,
    normalize: Any = False,
    weights: Any = None,
    floating_mean: bool = False,
) -> ndarray:
    """The generalised periodogram of Lomb and Scargle, for samples at uneven times.

    Parameters
    ----------
    x, y : array_like
        Times and samples.
    freqs : array_like
        Angular frequencies.
    precenter : bool, optional
        Whether the mean of samples is taken out first (deprecated in SciPy).
    normalize : bool or {'power', 'normalize', 'amplitude'}
        Power, power as a part of that of the samples, or complex amplitudes.
    weights : array_like, optional
        Weights of samples.
    floating_mean : bool
        Whether a constant is fitted together with each frequency.

    Returns
    -------
    ndarray
        The periodogram.

    Raises
    ------
    ValueError
        Shapes differ, weights are negative, or an argument is unknown.

    See Also
    --------
    scipy.signal.lombscargle : The function that this one follows; Zechmeister and Kuerster 2009.

    >>> t = cp.arange(32) * 0.5
    >>> p = cp.scipy.signal.lombscargle(t, cp.cos(2 * t), cp.asarray([1.0, 2.0, 3.0]))
    >>> int(p.argmax())
    1
    """
    if args:
        precenter, normalize, weights, floating_mean = _positional(args, (precenter, normalize, weights, floating_mean))
    x, y, freqs = (as_device(value).astype(np.float64) for value in (x, y, freqs))
    weights = cp.ones(y.shape) if weights is None else as_device(weights).astype(np.float64)
    if not (x.ndim == 1 and x.size > 0 and x.shape == y.shape == weights.shape):
        raise ValueError("Parameters x, y, weights must be 1-D arrays of equal non-zero length!")
    if not (freqs.ndim == 1 and freqs.size > 0):
        raise ValueError("Parameter freqs must be a 1-D array of non-zero length!")
    if isinstance(normalize, bool):
        normalize = "normalize" if normalize else "power"
    if normalize not in ("power", "normalize", "amplitude"):
        raise ValueError("Normalize must be: False (or 'power'), True (or 'normalize'), or 'amplitude'.")
    total = weights.sum()
    if not bool((weights.min() >= 0) & (total > 0)):
        raise ValueError("Parameter weights must have only non-negative entries which sum to a positive value!")
    weights = weights / total
    if precenter is not None:
        warnings.warn("Use of parameter 'precenter' is deprecated.", DeprecationWarning, stacklevel=2)
        if precenter:
            y = y - y.mean()
    weighted = weights * y
    if way("periodogram by rows", x, x.size * freqs.size) and not cp.fusion.is_eager():
        sums = _sums_by_rows(x, weighted, weights, freqs)
    else:
        sums = _sums(x, weighted, weights, freqs)
    yc, ys, cc, ss, shift = _fitted(sums, weighted.sum() if floating_mean else None)
    a, b = yc / cc, ys / ss
    if normalize == "amplitude":
        found = (a + 1j * b) * cp.exp(1j * shift)
    elif normalize == "power":
        found = 2.0 * (a * yc + b * ys) * (x.size / 4.0)
    else:
        power = (weights * y * y).sum()
        if floating_mean:
            power = power - (weights * y).sum() ** 2
        found = (a * yc + b * ys) / power
    return cp.squeeze(found)


def vectorstrength(events: Any, period: Any) -> Any:
    """How well events keep a period, and at which phase.

    Parameters
    ----------
    events : array_like
        The times of events.
    period : float or array_like
        The periods.

    Returns
    -------
    tuple
        Strengths from 0 to 1, and phases.

    Raises
    ------
    ValueError
        An array has more than one axis, or a period is not positive.

    See Also
    --------
    scipy.signal.vectorstrength : The function that this one follows; van Hemmen, Longtin and Vollmayr 2011.

    >>> strength, phase = cp.scipy.signal.vectorstrength(cp.arange(4.0), 1.0)
    >>> round(float(strength), 6)
    1.0
    """
    events, period = as_device(events), as_device(period)
    if events.ndim > 1:
        raise ValueError("events cannot have dimensions more than 1")
    if period.ndim > 1:
        raise ValueError("period cannot have dimensions more than 1")
    single = not period.ndim
    events, periods = cp.atleast_1d(events), cp.atleast_1d(period)
    if bool((periods <= 0).any()):
        raise ValueError("periods must be positive")
    mean = cp.exp(2j * np.pi * events / periods[:, None]).mean(axis=1)
    strength, phase = abs(mean), cp.angle(mean)
    return (strength[0], phase[0]) if single else (strength, phase)


def _sizes(n: Any, m: Any) -> tuple[int, int]:
    m = n if m is None else m
    for name, value in (("CZT data points (n", n), ("CZT output points (m", m)):
        try:
            bad = operator.index(value) < 1
        except TypeError:
            bad = True
        if bad:
            raise ValueError(f"Invalid number of {name}={value}) specified. It must be positive and integer type.")
    return operator.index(n), operator.index(m)


# Bluestein's factors grow as |w| ** (k * k / 2); the logarithm of what may be lost of the digits by them.
_MOST_GROWTH = 7.0


@k.kernel
def _horner_rows(x: k.Array[2], step: k.Array, first: k.Array, row: k.Each, column: k.Each):
    """The polynomial of a row, the lowest power first, at a point of a spiral."""
    z, total = step[column] * first[0], k.value(0, step.dtype)
    last = x.shape[1] - 1
    for i in k.steps(last + 1):
        total = total * z + x[row, last - i].astype(step.dtype)
    return total


def _on_spiral(rows: ndarray, w: complex, a: complex, m: int) -> ndarray:
    """The transform by Horner's scheme, which loses no digits where the spiral grows or shrinks."""
    dtype = np.result_type(rows.dtype, np.complex64)
    flat = rows.reshape(-1, rows.shape[-1])
    steps = cp.asarray(complex(w)) ** cp.arange(m)
    found = _horner_rows(flat, steps, cp.asarray([1 / complex(a)]), cp.arange(flat.shape[0])[:, None], cp.arange(m))
    return found.astype(dtype if rows.dtype in (np.float32, np.complex64) else np.complex128, copy=False).reshape(
        *rows.shape[:-1], m
    )


class CZT:
    """The chirp z-transform of signals of one length, ready to be called.

    Parameters
    ----------
    m : int, optional
        The number of points of results, by default `n`.
    w : complex, optional
        The ratio of neighbours on the spiral, by default those of a circle.
    a : complex
        Where the spiral begins.

    See Also
    --------
    scipy.signal.CZT : The class that this one follows; Bluestein 1970, Rabiner, Schafer and Rader 1969.

    >>> abs(cp.scipy.signal.CZT(4)(cp.ones(4))).round(6)
    array([4., 0., 0., 0.])
    """

    def __init__(self, n: int, m: int | None = None, w: Any = None, a: complex = 1 + 0j) -> None:
        n, m = _sizes(n, m)
        self._is_direct = False
        count = cp.arange(max(m, n))
        if w is None:
            # Squares are whole turns every 2 m, so that angles stay small.
            w = np.exp(-2j * np.pi / m)
            chirp = cp.exp(-(1j * np.pi / m) * ((count * count) % (2 * m)))
        else:
            w, a = (complex(value) for value in read_arrays((w, a)))
            chirp = w ** ((count.astype(np.float64) ** 2) / 2.0 + 0j)
        self.w, self.a, self.m, self.n = w, a, m, n
        self._is_direct = abs(w) == 0 or abs(np.log(abs(w))) * max(m, n) ** 2 / 2 > _MOST_GROWTH
        self._prepare(chirp, 1.0 * a ** -(count[:n].astype(np.float64) + 0j) * chirp[:n])

    def _prepare(self, chirp: ndarray, before: ndarray) -> None:
        from ..fft import next_fast_len

        n, m = self.n, self.m
        self._nfft = next_fast_len(n + m - 1)
        self._before, self._after = before, chirp[:m]
        self._filter = cp.fft.fft(1.0 / cp.concatenate((chirp[n - 1 : 0 : -1], chirp[:m])), self._nfft)

    def __call__(self, x: Any, *, axis: int = -1) -> ndarray:
        """The transform of a signal along an axis; `ValueError` if it has another length."""
        x = as_device(x)
        axis = normalize_axis_index(axis, x.ndim)
        if x.shape[axis] != self.n:
            raise ValueError(f"CZT defined for length {self.n}, not {x.shape[axis]}")
        rows = cp.moveaxis(x, axis, -1)
        if self._is_direct:
            return cp.moveaxis(_on_spiral(rows, self.w, self.a, self.m), -1, axis)
        y = cp.fft.ifft(self._filter * cp.fft.fft(rows * self._before, self._nfft))
        return cp.moveaxis(y[..., self.n - 1 : self.n + self.m - 1] * self._after, -1, axis)

    def points(self) -> ndarray:
        """The points on the spiral."""
        return czt_points(self.m, self.w, self.a)


class ZoomFFT(CZT):
    """The transform of signals of one length at evenly spaced frequencies of a range, ready to be called.

    Parameters
    ----------
    fn : float or pair of float
        The range of frequencies; a single one begins at 0.
    m : int, optional
        The number of frequencies, by default `n`.
    fs : float
        The sampling frequency.
    endpoint : bool
        Whether the end of the range is one of the frequencies.

    >>> abs(cp.scipy.signal.ZoomFFT(4, 2.0)(cp.ones(4))).round(6)
    array([4., 0., 0., 0.])
    """

    def __init__(self, n: int, fn: Any, m: int | None = None, *, fs: float = 2, endpoint: bool = False) -> None:
        n, m = _sizes(n, m)
        values, fs = np.asarray(read_arrays(fn), float), float(read_arrays(fs))
        if values.size == 2:
            low, high = (float(value) for value in values)
        elif values.size == 1:
            low, high = 0.0, float(values.ravel()[0])
        else:
            raise ValueError("fn must be a scalar or 2-length sequence")
        self.f1, self.f2, self.fs = low, high, fs
        count = cp.arange(max(m, n)).astype(np.float64)
        scale = ((high - low) * m) / (fs * (m - 1)) if endpoint else (high - low) / fs
        chirp = cp.exp(-(1j * np.pi * scale / m) * count**2)
        self._is_direct = False
        self.w, self.a, self.m, self.n = np.exp(-2j * np.pi / m * scale), np.exp(2j * np.pi * low / fs), m, n
        self._prepare(chirp, cp.exp(-2j * np.pi * low / fs * count[:n]) * chirp[:n])


def czt_points(m: int, w: Any = None, a: complex = 1 + 0j) -> ndarray:
    """The points at which `czt` evaluates.

    >>> cp.scipy.signal.czt_points(2).real
    array([ 1., -1.])
    """
    m = _sizes(1, m)[1]
    count = cp.arange(m).astype(np.float64)
    if w is None:
        return a * cp.exp(2j * np.pi * count / m)
    return a * (1.0 * w) ** -(count + 0j)


def czt(x: Any, m: int | None = None, w: Any = None, a: complex = 1 + 0j, *, axis: int = -1) -> ndarray:
    """The chirp z-transform: the z-transform of a signal at points on a spiral. Arguments are those of `CZT`.

    >>> abs(cp.scipy.signal.czt(cp.ones(4), 2)).round(6)
    array([4., 0.])
    """
    x = as_device(x)
    return CZT(x.shape[axis], m=m, w=w, a=a)(x, axis=axis)


def zoom_fft(
    x: Any, fn: Any, m: int | None = None, *, fs: float = 2, endpoint: bool = False, axis: int = -1
) -> ndarray:
    """The transform of a signal at evenly spaced frequencies of a range. Arguments are those of `ZoomFFT`.

    Parameters
    ----------
    fn : float or pair of float
        The range of frequencies.
    endpoint : bool
        Whether the end of the range is among them.

    >>> abs(cp.scipy.signal.zoom_fft(cp.ones(4), [0.0, 1.0], 2)).round(6)
    array([4., 0.])
    """
    x = as_device(x)
    return ZoomFFT(x.shape[axis], fn, m=m, fs=fs, endpoint=endpoint)(x, axis=axis)
