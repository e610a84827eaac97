"""The design of filters with infinite impulse responses: a handful of numbers, computed on the host."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ._conversions import bilinear_zpk, lp2bp_zpk, lp2bs_zpk, lp2hp_zpk, lp2lp_zpk, zpk2sos, zpk2tf
from ._fir import given_rate, sampling_rate
from ._prototypes import (
    besselap,
    buttap,
    buttord,
    cheb1ap,
    cheb1ord,
    cheb2ap,
    cheb2ord,
    check_edges,
    check_gains,
    ellipap,
    ellipord,
)

__all__ = [
    "bessel",
    "butter",
    "cheby1",
    "cheby2",
    "ellip",
    "gammatone",
    "iircomb",
    "iirdesign",
    "iirfilter",
    "iirnotch",
    "iirpeak",
]

_BANDS = {
    "bandpass": ("band", "bandpass", "pass", "bp"),
    "bandstop": ("bs", "bandstop", "bands", "stop"),
    "lowpass": ("l", "low", "lowpass", "lp"),
    "highpass": ("high", "highpass", "h", "hp"),
}
_BAND_NAMES = {name: band for band, names in _BANDS.items() for name in names}
_KINDS = {
    "butter": ("butter", "butterworth"),
    "ellip": ("cauer", "elliptic", "ellip"),
    "bessel_phase": ("bessel", "bessel_phase"),
    "bessel_delay": ("bessel_delay",),
    "bessel_mag": ("bessel_mag",),
    "cheby1": ("cheby1", "chebyshev1", "chebyshevi"),
    "cheby2": ("cheby2", "chebyshev2", "chebyshevii"),
}
_KIND_NAMES = {name: kind for kind, names in _KINDS.items() for name in names}
_ORDERS = {"butter": buttord, "cheby1": cheb1ord, "cheby2": cheb2ord, "ellip": ellipord}


def _prototype(kind: str, N: int, rp: Any, rs: Any) -> tuple[Any, Any, Any]:
    if kind in ("cheby1", "ellip") and rp is None:
        name = "a Chebyshev I" if kind == "cheby1" else "an elliptic"
        raise ValueError(f"passband ripple (rp) must be provided to design {name} filter.")
    if kind in ("cheby2", "ellip") and rs is None:
        name = "an Chebyshev II" if kind == "cheby2" else "an elliptic"
        raise ValueError(f"stopband attenuation (rs) must be provided to design {name} filter.")
    if kind == "butter":
        return buttap(N)
    if kind == "cheby1":
        return cheb1ap(N, rp)
    if kind == "cheby2":
        return cheb2ap(N, rs)
    if kind == "ellip":
        return ellipap(N, rp, rs)
    return besselap(N, norm=kind.removeprefix("bessel_"))


def iirfilter(
    N: int,
    Wn: Any,
    rp: float | None = None,
    rs: float | None = None,
    btype: str = "band",
    analog: bool = False,
    ftype: str = "butter",
    output: str = "ba",
    fs: Any = None,
) -> Any:
    """A filter of a given order.

    Parameters
    ----------
    Wn : float or two of them
        The critical frequencies, in units of `fs`, or angular ones if `analog`.
    rp, rs : float, optional
        The ripple in the pass band and the attenuation in the stop band, in dB.
    btype : {'bandpass', 'lowpass', 'highpass', 'bandstop'}
        The kind of band.
    ftype : {'butter', 'cheby1', 'cheby2', 'ellip', 'bessel'}
        The kind of filter.
    output : {'ba', 'zpk', 'sos'}
        Coefficients, zeros with poles and gain, or sections of second order.
    fs : float, optional
        The sampling frequency, by default 2.

    Returns
    -------
    tuple or ndarray
        The filter, in the form that `output` asks for.

    Raises
    ------
    ValueError
        An argument is unknown, missing or out of range.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.iirfilter(1, 0.5, btype="lowpass")[0].round(4)
    array([0.5, 0.5])
    """
    Wn = np.asarray(Wn, float)
    if fs is not None:
        if analog:
            raise ValueError("fs cannot be specified for an analog filter")
        Wn = Wn / (sampling_rate(fs) / 2)
    if (Wn <= 0).any():
        raise ValueError("filter critical frequencies must be greater than 0")
    if Wn.size > 1 and not Wn.ravel()[0] < Wn.ravel()[1]:
        raise ValueError("Wn[0] must be less than Wn[1]")
    band = _BAND_NAMES.get(btype.lower())
    if band is None:
        raise ValueError(f"'{btype}' is an invalid bandtype for filter.")
    kind = _KIND_NAMES.get(ftype.lower())
    if kind is None:
        raise ValueError(f"'{ftype}' is not a valid basic IIR filter.")
    output = output.lower()
    if output not in ("ba", "zpk", "sos"):
        raise ValueError(f"'{output}' is not a valid output form.")
    if rp is not None and rp < 0:
        raise ValueError("passband ripple (rp) must be positive")
    if rs is not None and rs < 0:
        raise ValueError("stopband attenuation (rs) must be positive")
    z, p, k = _prototype(kind, N, rp, rs)
    if analog:
        warped = Wn
    else:
        if (Wn >= 1).any():
            if fs is None:
                raise ValueError("Digital filter critical frequencies must be 0 < Wn < 1")
            raise ValueError(f"Digital filter critical frequencies must be 0 < Wn < fs/2 (fs={fs} -> fs/2="
                             f"{sampling_rate(fs) / 2})")  # fmt: skip
        warped = 4.0 * np.tan(np.pi * Wn / 2.0)
    if band in ("lowpass", "highpass"):
        if Wn.size != 1:
            raise ValueError("Must specify a single critical frequency Wn for lowpass or highpass filter")
        change = lp2lp_zpk if band == "lowpass" else lp2hp_zpk
        z, p, k = change(z, p, k, wo=float(warped.ravel()[0]))
    else:
        if Wn.size < 2:
            raise ValueError("Wn must specify start and stop frequencies for bandpass or bandstop filter")
        low, high = warped.ravel()[:2]
        change = lp2bp_zpk if band == "bandpass" else lp2bs_zpk
        z, p, k = change(z, p, k, wo=math.sqrt(low * high), bw=float(high - low))
    if not analog:
        z, p, k = bilinear_zpk(z, p, k, fs=2.0)
    if output == "zpk":
        return z, p, k
    return zpk2tf(z, p, k) if output == "ba" else zpk2sos(z, p, k, analog=analog)


def butter(N: int, Wn: Any, btype: str = "low", analog: bool = False, output: str = "ba", fs: Any = None) -> Any:
    """A Butterworth filter, flat in its pass band; arguments are those of `iirfilter`.

    >>> import cuproxide as cp
    >>> b, a = cp.scipy.signal.butter(2, 0.5)
    >>> b.round(4)
    array([0.2929, 0.5858, 0.2929])
    """
    return iirfilter(N, Wn, btype=btype, analog=analog, output=output, ftype="butter", fs=fs)


def cheby1(
    N: int, rp: float, Wn: Any, btype: str = "low", analog: bool = False, output: str = "ba", fs: Any = None
) -> Any:
    """A Chebyshev filter with a ripple of `rp` dB in its pass band; other arguments are those of `iirfilter`.

    >>> import cuproxide as cp
    >>> b, a = cp.scipy.signal.cheby1(2, 1.0, 0.5)
    >>> b.round(4)
    array([0.307 , 0.6141, 0.307 ])
    """
    return iirfilter(N, Wn, rp=rp, btype=btype, analog=analog, output=output, ftype="cheby1", fs=fs)


def cheby2(
    N: int, rs: float, Wn: Any, btype: str = "low", analog: bool = False, output: str = "ba", fs: Any = None
) -> Any:
    """A Chebyshev filter with a stop band at -`rs` dB; other arguments are those of `iirfilter`.

    >>> import cuproxide as cp
    >>> b, a = cp.scipy.signal.cheby2(2, 40.0, 0.5)
    >>> b.round(4)
    array([0.0246, 0.0164, 0.0246])
    """
    return iirfilter(N, Wn, rs=rs, btype=btype, analog=analog, output=output, ftype="cheby2", fs=fs)


def ellip(
    N: int,
    rp: float,
    rs: float,
    Wn: Any,
    btype: str = "low",
    analog: bool = False,
    output: str = "ba",
    fs: Any = None,
) -> Any:
    """An elliptic filter, with ripples of `rp` dB and a stop band at -`rs` dB; see `iirfilter` for the rest.

    >>> import cuproxide as cp
    >>> b, a = cp.scipy.signal.ellip(2, 1.0, 40.0, 0.5)
    >>> b.round(4)
    array([0.3118, 0.6111, 0.3118])
    """
    return iirfilter(N, Wn, rs=rs, rp=rp, btype=btype, analog=analog, output=output, ftype="elliptic", fs=fs)


def bessel(
    N: int,
    Wn: Any,
    btype: str = "low",
    analog: bool = False,
    output: str = "ba",
    norm: str = "phase",
    fs: Any = None,
) -> Any:
    """A Bessel filter, with a delay that is nearly constant; see `besselap` for `norm` and `iirfilter` for the rest.

    Parameters
    ----------
    norm : {'phase', 'delay', 'mag'}
        What is normalised.

    >>> import cuproxide as cp
    >>> b, a = cp.scipy.signal.bessel(2, 0.5)
    >>> b.round(4)
    array([0.2679, 0.5359, 0.2679])
    """
    return iirfilter(N, Wn, btype=btype, analog=analog, output=output, ftype="bessel_" + norm, fs=fs)


def iirdesign(
    wp: Any,
    ws: Any,
    gpass: float,
    gstop: float,
    analog: bool = False,
    ftype: str = "ellip",
    output: str = "ba",
    fs: Any = None,
) -> Any:
    """The filter of the least order that fits a specification.

    Parameters
    ----------
    wp, ws : float or two of them
        The edges of pass band and stop band.
    gpass, gstop : float
        The most loss in the pass band, and the least in the stop band, in dB.
    ftype : {'butter', 'cheby1', 'cheby2', 'ellip'}
        The kind of filter.

    Returns
    -------
    tuple or ndarray
        The filter, in the form that `output` asks for.

    Raises
    ------
    ValueError
        An argument is unknown or out of range.

    >>> import cuproxide as cp
    >>> len(cp.scipy.signal.iirdesign(0.2, 0.3, 1.0, 40.0)[0])
    5
    """
    kind = _KIND_NAMES.get(ftype.lower() if isinstance(ftype, str) else ftype)
    if kind is None:
        raise ValueError(f"Invalid IIR filter type: {ftype}")
    if kind not in _ORDERS:
        raise ValueError(f"{ftype} does not have order selection. Use iirfilter function.")
    check_gains(gpass, gstop)
    first, second = np.atleast_1d(np.asarray(wp, float)), np.atleast_1d(np.asarray(ws, float))
    scale = 1.0 if fs is None else 2 / sampling_rate(fs)
    check_edges(first * scale, second * scale, fs, analog)
    band = 2 * (first.size - 1) + (first[0] >= second[0])
    name = ("lowpass", "highpass", "bandstop", "bandpass")[band]
    N, Wn = _ORDERS[kind](wp, ws, gpass, gstop, analog=analog, fs=fs)
    return iirfilter(N, Wn, rp=gpass, rs=gstop, analog=analog, btype=name, ftype=ftype, output=output, fs=fs)


def _notch(w0: Any, Q: Any, fs: Any) -> tuple[float, float, float]:
    w0 = 2 * float(w0) / sampling_rate(given_rate(fs))
    if w0 > 1.0 or w0 < 0.0:
        raise ValueError("w0 should be such that 0 < w0 < 1")
    width = w0 / float(Q) * np.pi
    w0 *= np.pi
    return w0, 1.0 / (1.0 + math.tan(width / 2.0)), math.cos(w0)


def iirnotch(w0: float, Q: float, fs: Any = 2.0, *, xp: Any = None, device: Any = None) -> Any:
    """A filter of second order that takes out the frequency `w0`, with the quality `Q`.

    Raises
    ------
    ValueError
        If the frequency is not below `fs` / 2.

    >>> import cuproxide as cp
    >>> abs(cp.scipy.signal.iirnotch(0.5, 1.0)[0].round(4))
    array([0.5, 0. , 0.5])
    """
    _, gain, cosine = _notch(w0, Q, fs)
    b = gain * np.array([1.0, -2.0 * cosine, 1.0])
    return b, np.array([1.0, -2.0 * gain * cosine, 2.0 * gain - 1.0])


def iirpeak(w0: float, Q: float, fs: Any = 2.0, *, xp: Any = None, device: Any = None) -> Any:
    """A filter of second order that passes the frequency `w0` only, with the quality `Q`.

    Raises
    ------
    ValueError
        If the frequency is not below `fs` / 2.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.iirpeak(0.5, 1.0)[0].round(4)
    array([ 0.5,  0. , -0.5])
    """
    _, gain, cosine = _notch(w0, Q, fs)
    b = (1.0 - gain) * np.array([1.0, 0.0, -1.0])
    return b, np.array([1.0, -2.0 * gain * cosine, 2.0 * gain - 1.0])


def iircomb(
    w0: float,
    Q: float,
    ftype: str = "notch",
    fs: Any = 2.0,
    *,
    pass_zero: bool = False,
    xp: Any = None,
    device: Any = None,
) -> Any:
    """A comb of notches or peaks at the multiples of a frequency.

    Parameters
    ----------
    w0 : float
        The frequency, a divisor of `fs`.
    ftype : {'notch', 'peak'}
        What lies at the multiples.
    fs : float
        The sampling frequency.
    pass_zero : bool
        Whether the constant passes.

    Returns
    -------
    tuple of ndarray
        The coefficients.

    Raises
    ------
    ValueError
        `w0` is no divisor of `fs` or too large, or `ftype` is unknown.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.iircomb(0.5, 5.0)[0].round(4)
    array([ 0.7548,  0.    ,  0.    ,  0.    , -0.7548])
    """
    w0, Q, fs = float(w0), float(Q), sampling_rate(fs)
    ftype = ftype.lower()
    if not 0 < w0 < fs / 2:
        raise ValueError(f"w0 must be between 0 and {fs / 2} (nyquist), but given {w0}.")
    if ftype not in ("notch", "peak"):
        raise ValueError("ftype must be either notch or peak.")
    order = round(fs / w0)
    if abs(w0 - fs / order) / fs > 1e-14:
        raise ValueError("fs must be divisible by w0.")
    width = 2 * np.pi * w0 / fs / Q
    at, beside = (0.0, 1.0) if ftype == "peak" else (1.0, 0.0)
    beta = math.tan(order * width / 4)
    ax = (1 - beta) / (1 + beta)
    bx, cx = (at + beside * beta) / (1 + beta), (at - beside * beta) / (1 + beta)
    sign = -1.0 if (ftype == "peak") == bool(pass_zero) else 1.0
    b, a = np.zeros(order + 1), np.zeros(order + 1)
    b[0], b[-1], a[0], a[-1] = bx, sign * cx, 1.0, sign * ax
    return b, a


def gammatone(
    freq: float,
    ftype: str,
    order: int | None = None,
    numtaps: int | None = None,
    fs: Any = None,
    *,
    xp: Any = None,
    device: Any = None,
) -> Any:
    """A gammatone filter, a model of hearing at a frequency.

    Parameters
    ----------
    freq : float
        The frequency, in units of `fs`.
    ftype : {'fir', 'iir'}
        The kind of filter.
    order, numtaps : int, optional
        For "fir": the order, by default 4, and the number of taps, by default 15 ms.
    fs : float, optional
        The sampling frequency, by default 2.

    Returns
    -------
    tuple of ndarray
        The coefficients.

    Raises
    ------
    ValueError
        An argument is unknown or out of range.

    See Also
    --------
    scipy.signal.gammatone : The function that this one follows; Slaney 1993, Hohmann 2002.

    >>> import cuproxide as cp
    >>> len(cp.scipy.signal.gammatone(440.0, "fir", fs=16000.0)[0])
    240
    """
    freq, fs = float(freq), sampling_rate(fs)
    if ftype.lower() not in ("fir", "iir"):
        raise ValueError("ftype must be 'fir' or 'iir'.")
    if not 0 < freq < fs / 2:
        raise ValueError(f"The frequency must be between 0 and {fs / 2} (nyquist), but given {freq}.")
    # The equivalent rectangular bandwidth.
    band = 1.019 * (freq / 9.26449 + 24.7)
    if ftype.lower() == "fir":
        order = 4 if order is None else int(order)
        numtaps = max(int(fs * 0.015), 15) if numtaps is None else int(numtaps)
        if not 0 < order <= 24:
            raise ValueError("Invalid order: order must be > 0 and <= 24.")
        t = np.arange(numtaps) / fs
        b = t ** (order - 1) * np.exp(-2 * np.pi * band * t) * np.cos(2 * np.pi * freq * t)
        return b * (2 * (2 * np.pi * band) ** order / math.factorial(order - 1) / fs), np.array([1.0])
    if order is not None:
        warnings.warn("order is not used for IIR gammatone filter.", stacklevel=3)
    if numtaps is not None:
        warnings.warn("numtaps is not used for IIR gammatone filter.", stacklevel=3)
    step = 1.0 / fs
    width, angle = 2 * np.pi * band * step, 2 * np.pi * freq * step
    g1 = -2 * np.exp(2j * angle) * step
    g2 = 2 * np.exp(-width + 1j * angle) * step
    sines = [sign * math.sqrt(3 + spread * 2**1.5) * math.sin(angle) for spread in (-1, 1) for sign in (-1, 1)]
    gain = np.prod([g1 + g2 * (math.cos(angle) + sine) for sine in sines])
    turn = np.exp(2j * angle)
    gain = abs(gain / (-2 / np.exp(2 * width) - 2 * turn + 2 * (1 + turn) / np.exp(width)) ** 4)
    b = np.array([math.comb(4, i) * (-1) ** i * math.cos(i * angle) * math.exp(-i * width) for i in range(5)])
    section = np.array([1.0, -2 * math.cos(angle) / math.exp(width), math.exp(-2 * width)])
    a = np.convolve(np.convolve(section, section), np.convolve(section, section))
    return b * step**4 / gain, a
