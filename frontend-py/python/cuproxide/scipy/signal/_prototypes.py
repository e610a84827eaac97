"""Analogue low-pass prototypes, and the orders that specifications ask for."""

from __future__ import annotations

import math
import warnings
from decimal import Context, Decimal, localcontext
from typing import Any

import numpy as np

from ._bessel import bessel_poles, digits, half_power
from ._elliptic import complete, complete_from_rest, degree_parameter, inverse_sc, jacobian
from ._fir import sampling_rate

__all__ = [
    "band_stop_obj",
    "besselap",
    "buttap",
    "buttord",
    "cheb1ap",
    "cheb1ord",
    "cheb2ap",
    "cheb2ord",
    "ellipap",
    "ellipord",
]


def _order(N: Any) -> int:
    if abs(int(N)) != N:
        raise ValueError("Filter order must be a nonnegative integer")
    return int(N)


def _power_less_one(decibels: float) -> float:
    """10 ** (decibels / 10) - 1, also where it is small."""
    return math.expm1(math.log(10) * 0.1 * decibels)


def buttap(N: int, *, xp: Any = None, device: Any = None) -> Any:
    """Zeros, poles and gain of Butterworth's prototype of order `N`.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.buttap(1)[1].real
    array([-1.])
    """
    N = _order(N)
    m = np.arange(-N + 1, N, 2)
    return np.array([]), -np.exp(1j * np.pi * m / (2 * N)) if N else np.array([], complex), 1.0


def cheb1ap(N: int, rp: float, *, xp: Any = None, device: Any = None) -> Any:
    """Zeros, poles and gain of Chebyshev's prototype with a ripple of `rp` dB in its pass band.

    >>> import cuproxide as cp
    >>> round(cp.scipy.signal.cheb1ap(1, 3.0)[2], 4)
    1.0024
    """
    N = _order(N)
    if N == 0:
        return np.array([]), np.array([], complex), 10 ** (-rp / 20)
    ripple = math.sqrt(_power_less_one(rp))
    mu = math.asinh(1 / ripple) / N
    theta = np.pi * np.arange(-N + 1, N, 2) / (2 * N)
    p = -np.sinh(mu + 1j * theta)
    k = float(np.prod(-p).real)
    return np.array([]), p, k if N % 2 else k / math.sqrt(1 + ripple * ripple)


def cheb2ap(N: int, rs: float, *, xp: Any = None, device: Any = None) -> Any:
    """Zeros, poles and gain of Chebyshev's prototype with a stop band at -`rs` dB.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.cheb2ap(2, 40.0)[0].imag.round(4)
    array([-1.4142,  1.4142])
    """
    N = _order(N)
    if N == 0:
        return np.array([], complex), np.array([], complex), 1.0
    mu = math.asinh(1 / (1.0 / math.sqrt(_power_less_one(rs)))) / N
    m = np.arange(-N + 1, N, 2)
    z = -np.conjugate(1j / np.sin(m[m != 0] * np.pi / (2.0 * N)))
    p = -np.exp(1j * np.pi * m / (2 * N))
    p = 1.0 / (math.sinh(mu) * p.real + 1j * math.cosh(mu) * p.imag)
    return z, p, float((np.prod(-p) / np.prod(-z)).real)


def ellipap(N: int, rp: float, rs: float, *, xp: Any = None, device: Any = None) -> Any:
    """Zeros, poles and gain of the elliptic prototype with ripples of `rp` dB and a stop band at -`rs` dB.

    See `scipy.signal.ellipap`; Lutovac, Tosic and Evans 2001.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.ellipap(2, 1.0, 40.0)[0].imag.round(4)
    array([ 9.9376, -9.9376])
    """
    N = _order(N)
    if N == 0:
        return np.array([], complex), np.array([], complex), 10 ** (-rp / 20)
    if N == 1:
        pole = -math.sqrt(1.0 / _power_less_one(rp))
        return np.array([], complex), np.array([pole], complex), -pole
    squared = _power_less_one(rp)
    m1 = squared / _power_less_one(rs)
    if m1 == 0:
        raise ValueError("Cannot design a filter with given rp and rs specifications.")
    if not m1 < 1:
        raise ValueError(f"the ripple rp must be less than the attenuation rs, not {rp} and {rs}")
    k1 = complete(m1)
    m = degree_parameter(N, m1)
    quarter = complete(m)
    j = np.arange(1 - N % 2, N, 2)
    s, c, d = jacobian(j * quarter / N, m)
    eps = 2e-16
    z = 1j / (math.sqrt(m) * s[abs(s) > eps])
    z = np.concatenate((z, np.conjugate(z)))
    v0 = quarter * inverse_sc(1.0 / math.sqrt(squared), m1) / (N * k1)
    sv, cv, dv = (float(part) for part in jacobian(np.array(v0), 1 - m))
    p = -(c * d * sv * cv + 1j * s * dv) / (1 - (d * sv) ** 2.0)
    paired = p[abs(p.imag) > eps * math.sqrt(float(np.sum(p * np.conjugate(p)).real))] if N % 2 else p
    p = np.concatenate((p, np.conjugate(paired)))
    k = float((np.prod(-p) / np.prod(-z)).real)
    return z, p, k if N % 2 else k / math.sqrt(1 + squared)


def besselap(N: int, norm: str = "phase", *, xp: Any = None, device: Any = None) -> Any:
    """Zeros, poles and gain of Bessel's prototype of order `N`, each right to its last digit.

    Parameters
    ----------
    norm : {'phase', 'delay', 'mag'}
        What is 1 at the frequency 1: the midpoint of the phase, the delay (at 0), or the gain of -3 dB.

    Returns
    -------
    tuple
        Zeros, poles and gain.

    Raises
    ------
    ValueError
        The order is negative, or `norm` is unknown.
    OverflowError
        The gain of the delay-normalised filter is larger than any float, from order 151 on.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.besselap(1)[1].real.round(4)
    array([-1.])
    """
    N = _order(N)
    if N == 0:
        return np.array([]), np.array([], complex), 1.0
    if norm not in ("phase", "delay", "mag"):
        raise ValueError(f"normalization not understood: norm={norm!r} is none of 'phase', 'delay' and 'mag'")
    # The polynomial's constant (2 N)! / (2**N N!), whose N-th root scales the phase.
    last = math.factorial(2 * N) // (2**N * math.factorial(N))
    upper = bessel_poles(N)
    with localcontext(Context(prec=digits(N))):
        scale = Decimal(1)
        if norm == "mag":
            scale = 1 / half_power(N)
        elif norm == "phase":
            scale = (-Decimal(last).ln() / N).exp()
        half = np.array([complex(x * scale, y * scale) for x, y in upper])
        k = float(last * scale**N) if norm != "phase" else 1.0
    if math.isinf(k):
        raise OverflowError(f"the gain of order N={N} with norm={norm!r} is larger than any float")
    return np.array([]), np.concatenate((half, np.conjugate(half[: N // 2][::-1]))), k


# --------------------------------------------------------------------------------------------------------------- orders


def check_gains(gpass: float, gstop: float) -> None:
    """Losses in bands: positive, and larger where nothing shall pass."""
    if gpass <= 0.0:
        raise ValueError("gpass should be larger than 0.0")
    if gstop <= 0.0:
        raise ValueError("gstop should be larger than 0.0")
    if gpass > gstop:
        raise ValueError("gpass should be smaller than gstop")


def check_edges(wp: np.ndarray, ws: np.ndarray, fs: Any, analog: bool) -> None:
    """Edges of bands that can be those of a filter."""
    if wp.shape != ws.shape or wp.size not in (1, 2):
        raise ValueError("wp and ws must be scalars or have two elements each")
    if not analog:
        for name, values in (("wp", wp), ("ws", ws)):
            if fs is None and (values <= 0).any() or (values >= 1).any():
                raise ValueError(f"Values for wp, ws must be greater than 0 and less than 1, {name} is {values}")
            if fs is not None and ((values <= 0).any() or (values >= 1).any()):
                raise ValueError(f"Values for wp, ws must be greater than 0 and less than fs/2: {name} is {values}")
    elif (wp <= 0).any() or (ws <= 0).any():
        raise ValueError("Values for wp, ws must be greater than 0")
    if wp.size == 2:
        stop_inside = wp[0] < ws[0] and ws[1] < wp[1]
        pass_inside = ws[0] < wp[0] and wp[1] < ws[1]
        if not (stop_inside or pass_inside):
            raise ValueError("Passband must lie strictly inside stopband or vice versa")


class _Bands:
    """The edges of a specification, warped if the filter is digital, and the kind of the filter."""

    def __init__(self, wp: Any, ws: Any, gpass: float, gstop: float, analog: bool, fs: Any) -> None:
        check_gains(gpass, gstop)
        wp, ws = np.atleast_1d(np.asarray(wp, float)), np.atleast_1d(np.asarray(ws, float))
        if fs is not None:
            if analog:
                raise ValueError("fs cannot be specified for an analog filter")
            wp, ws = 2 * wp / sampling_rate(fs), 2 * ws / sampling_rate(fs)
        check_edges(wp, ws, fs, analog)
        self.kind = 2 * (wp.size - 1) + 1 + (wp[0] >= ws[0])
        self.passing = wp.copy() if analog else np.tan(np.pi * wp / 2)
        self.stopping = ws.copy() if analog else np.tan(np.pi * ws / 2)
        self.analog, self.fs = analog, fs

    def natural(self, gpass: float, gstop: float, filter_kind: str) -> float:
        """The frequency of the stop band of the prototype."""
        p, s = self.passing, self.stopping
        if self.kind == 1:
            ratio = s / p
        elif self.kind == 2:
            ratio = p / s
        elif self.kind == 3:
            for index, ends in ((0, (p[0], s[0] - 1e-12)), (1, (s[1] + 1e-12, p[1]))):
                p[index] = _bounded_minimum(
                    lambda x, index=index: band_stop_obj(x, index, p, s, gpass, gstop, filter_kind), *ends
                )
            ratio = s * (p[0] - p[1]) / (s**2 - p[0] * p[1])
        else:
            ratio = (s**2 - p[0] * p[1]) / (s * (p[0] - p[1]))
        return float(np.min(abs(ratio)))

    def finished(self, order: float, wn: np.ndarray) -> tuple[int, Any]:
        wn = wn if self.analog else np.arctan(wn) * 2.0 / np.pi
        if self.fs is not None:
            wn = wn * sampling_rate(self.fs) / 2
        return int(order), wn[0] if wn.size == 1 else wn


def _bounded_minimum(f: Any, low: float, high: float, tolerance: float = 1e-5) -> float:
    """Brent's minimum in an interval: golden sections and parabolas (Forsythe, Malcolm and Moler 1977)."""
    golden = 0.5 * (3.0 - math.sqrt(5.0))
    a, b = low, high
    x = w = v = a + golden * (b - a)
    fx = fw = fv = f(x)
    step = before = 0.0
    for _ in range(500):
        middle = 0.5 * (a + b)
        small = math.sqrt(2.2e-16) * abs(x) + tolerance / 3.0
        if abs(x - middle) <= 2 * small - 0.5 * (b - a):
            break
        use_golden = True
        if abs(before) > small:
            r = (x - w) * (fx - fv)
            q = (x - v) * (fx - fw)
            p = (x - v) * q - (x - w) * r
            q = 2.0 * (q - r)
            p = -p if q > 0 else p
            q = abs(q)
            r, before = before, step
            if abs(p) < abs(0.5 * q * r) and q * (a - x) < p < q * (b - x):
                step = p / q
                u = x + step
                if u - a < 2 * small or b - u < 2 * small:
                    step = math.copysign(small, middle - x) if middle != x else small
                use_golden = False
        if use_golden:
            before = a - x if x >= middle else b - x
            step = golden * before
        u = x + (math.copysign(1.0, step) if step else 1.0) * max(abs(step), small)
        fu = f(u)
        if fu <= fx:
            a, b = (x, b) if u >= x else (a, x)
            v, w, x, fv, fw, fx = w, x, u, fw, fx, fu
        else:
            a, b = (u, b) if u < x else (a, u)
            if fu <= fw or w == x:
                v, w, fv, fw = w, u, fw, fu
            elif fu <= fv or v in (x, w):
                v, fv = u, fu
    return x


def _loss_ratio(gpass: float, gstop: float) -> float:
    return _power_less_one(abs(gstop)) / _power_less_one(abs(gpass))


def _needed(gpass: float, gstop: float, natural: float, filter_kind: str) -> float:
    """The order that would do, a real number, NaN where the stop band is not outside of the pass band."""
    ratio = _loss_ratio(gpass, gstop)
    with np.errstate(all="ignore"):
        if filter_kind == "butter":
            return float(np.log10(ratio) / (2 * np.log10(natural)))
        if filter_kind == "cheby":
            return float(np.arccosh(np.sqrt(ratio)) / np.arccosh(natural))
    if natural < 1:
        return math.nan
    inner, outer = 1.0 / natural**2, 1.0 / ratio
    return (complete(inner) * complete_from_rest(outer)) / (complete_from_rest(inner) * complete(outer))


def band_stop_obj(wp: float, ind: int, passb: Any, stopb: Any, gpass: float, gstop: float, type: str) -> float:
    """The order, a real number, of a band-stop filter with one edge of its pass bands (`ind`) moved to `wp`.

    Parameters
    ----------
    wp : float
        The edge.
    ind : int
        Which one.
    passb, stopb : array_like
        The edges of both.
    gpass, gstop : float
        The losses in dB.
    type : {'butter', 'cheby', 'ellip'}
        The kind of filter.

    Returns
    -------
    float
        The order.

    Raises
    ------
    ValueError
        The kind is unknown.

    >>> import cuproxide as cp
    >>> round(float(cp.scipy.signal.band_stop_obj(0.2, 0, [0.1, 1.0], [0.4, 0.6], 1.0, 40.0, "butter")), 4)
    4.8067
    """
    if type not in ("butter", "cheby", "ellip"):
        raise ValueError(f"Incorrect type: {type}")
    check_gains(gpass, gstop)
    p, s = np.array(passb, float), np.asarray(stopb, float)
    p[ind] = wp
    natural = float(np.min(abs(s * (p[0] - p[1]) / (s**2 - p[0] * p[1]))))
    return _needed(gpass, gstop, natural, type)


def buttord(wp: Any, ws: Any, gpass: float, gstop: float, analog: bool = False, fs: Any = None) -> Any:
    """The least order of a Butterworth filter that loses at most `gpass` dB in the pass band, and its frequencies.

    Parameters
    ----------
    wp, ws : float or two of them
        The edges of pass band and stop band.
    gpass, gstop : float
        The most loss in the pass band, and the least in the stop band, in dB.
    fs : float, optional
        The sampling frequency, by default 2.

    Returns
    -------
    tuple
        The order, and the frequencies for `butter`.

    Raises
    ------
    ValueError
        Losses or edges are out of range.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.buttord(0.2, 0.3, 3, 40)[0]
    11
    """
    bands = _Bands(wp, ws, gpass, gstop, analog, fs)
    natural = bands.natural(gpass, gstop, "butter")
    order = int(math.ceil(_needed(gpass, gstop, natural, "butter")))
    p = bands.passing
    if order == 0:
        w0 = 1.0
        warnings.warn(
            f"Order is zero...check input parameters: gpass={gpass}, gstop={gstop}", RuntimeWarning, stacklevel=3
        )
    else:
        w0 = _power_less_one(abs(gpass)) ** (-1.0 / (2.0 * order))
    if bands.kind == 1:
        wn = w0 * p
    elif bands.kind == 2:
        wn = p / w0
    elif bands.kind == 3:
        width = p[1] - p[0]
        root = math.sqrt(width**2 + 4 * w0**2 * p[0] * p[1])
        wn = np.sort(abs(np.array([(width + root) / (2 * w0), (width - root) / (2 * w0)])))
    else:
        both = np.array([-w0, w0])
        width = p[1] - p[0]
        wn = np.sort(abs(-both * width / 2.0 + np.sqrt(both**2 / 4.0 * width**2 + p[0] * p[1])))
    return bands.finished(order, wn)


def cheb1ord(wp: Any, ws: Any, gpass: float, gstop: float, analog: bool = False, fs: Any = None) -> Any:
    """The least order of a Chebyshev filter of type I, and its frequencies; arguments are those of `buttord`.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.cheb1ord(0.2, 0.3, 3, 40)[0]
    6
    """
    bands = _Bands(wp, ws, gpass, gstop, analog, fs)
    natural = bands.natural(gpass, gstop, "cheby")
    return bands.finished(math.ceil(_needed(gpass, gstop, natural, "cheby")), bands.passing)


def cheb2ord(wp: Any, ws: Any, gpass: float, gstop: float, analog: bool = False, fs: Any = None) -> Any:
    """The least order of a Chebyshev filter of type II, and its frequencies; arguments are those of `buttord`.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.cheb2ord(0.2, 0.3, 3, 40)[0]
    6
    """
    bands = _Bands(wp, ws, gpass, gstop, analog, fs)
    natural = bands.natural(gpass, gstop, "cheby")
    order = math.ceil(_needed(gpass, gstop, natural, "cheby"))
    p = bands.passing
    ratio = 1.0 / math.cosh(1.0 / order * math.acosh(math.sqrt(_loss_ratio(gpass, gstop))))
    if bands.kind == 1:
        wn = p / ratio
    elif bands.kind == 2:
        wn = p * ratio
    else:
        width, product = p[0] - p[1], p[0] * p[1]
        part = ratio / 2.0 if bands.kind == 3 else 1.0 / (2.0 * ratio)
        first = part * width + math.sqrt(part**2 * width**2 + product)
        wn = np.array([first, product / first])
    return bands.finished(order, wn)


def ellipord(wp: Any, ws: Any, gpass: float, gstop: float, analog: bool = False, fs: Any = None) -> Any:
    """The least order of an elliptic filter, and its frequencies; arguments are those of `buttord`.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.ellipord(0.2, 0.3, 3, 40)[0]
    4
    """
    bands = _Bands(wp, ws, gpass, gstop, analog, fs)
    natural = bands.natural(gpass, gstop, "ellip")
    return bands.finished(math.ceil(_needed(gpass, gstop, natural, "ellip")), bands.passing)
