"""Power spectra and transforms of segments."""

from __future__ import annotations

import math
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
from ._common import as_inexact, extended
from ._overlap import added, segments
from ._trends import check_trend, detrended
from ._windows import window_on_device

__all__ = [
    "coherence",
    "csd",
    "istft",
    "periodogram",
    "spectrogram",
    "stft",
    "welch",
]

HANN = "hann_periodic"


def _plan(window: Any, nperseg: Any, length: int, what: str = "input length") -> tuple[ndarray, int]:
    """The window on the device and the length of segments."""
    if isinstance(window, (str, tuple)) or np.ndim(window) == 0 and not isinstance(window, ndarray):
        nperseg = 256 if nperseg is None else int(nperseg)
        if nperseg < 1:
            raise ValueError(f"nperseg must be a positive integer, not {nperseg}")
        if nperseg > length:
            warnings.warn(f"nperseg = {nperseg} is greater than {what} = {length}, using nperseg = {length}",
                          stacklevel=4)  # fmt: skip
            nperseg = length
        return window_on_device(window, nperseg), nperseg
    win = as_device(window)
    if win.ndim != 1:
        raise ValueError("window must be 1-D")
    if length < win.size:
        raise ValueError("window is longer than input signal")
    if nperseg is None:
        return win, win.size
    if int(nperseg) < 1:
        raise ValueError(f"nperseg must be a positive integer, not {nperseg}")
    if int(nperseg) != win.size:
        raise ValueError("value specified for nperseg is different from length of window")
    return win, int(nperseg)


def _lengths(nperseg: int, nfft: Any, noverlap: Any, default: int) -> tuple[int, int]:
    nfft = nperseg if nfft is None else int(nfft)
    if nfft < nperseg:
        raise ValueError("nfft must be greater than or equal to nperseg.")
    noverlap = default if noverlap is None else int(noverlap)
    if noverlap >= nperseg:
        raise ValueError("noverlap must be less than nperseg.")
    return nfft, noverlap


def _scale(win: ndarray, fs: float, scaling: str) -> ndarray:
    """One over the power of a window, per hertz or as a whole."""
    if scaling == "density":
        return 1.0 / (fs * (win * win.conj()).real.sum())
    if scaling == "spectrum":
        return 1.0 / abs(win.sum()) ** 2
    raise ValueError(f"Unknown scaling: {scaling!r}")


@k.kernel
def _framed(x: k.Array[1], window: k.Array[1], before: int, step: int, *, narrow):
    """Windowed segments of a signal padded with zeros on both sides, `before` zeros on the left."""
    *_, segment, place = k.coordinates()
    word = "int32" if narrow else "int64"
    length = x.shape[0].astype(word)
    i = segment.astype(word) * step.astype(word) + place.astype(word) - before.astype(word)  # type: ignore[attr-defined]
    is_inside = (i >= 0) & (i < length)
    return k.where(is_inside, x[k.clamp(i, 0, length - 1)], 0) * window[place]


def _windowed(rows: ndarray, win: ndarray, noverlap: int, detrend: Any, before: int, after: int) -> ndarray:
    """Windowed segments (..., segment, place) of rows padded with zeros on both sides."""
    nperseg = len(win)
    step = nperseg - noverlap
    count = (rows.shape[-1] + before + after - noverlap) // step
    if not detrend and way("segments in one kernel", rows):
        shape = (*rows.shape[:-1], count, nperseg)
        narrow = max(math.prod(shape), rows.shape[-1] + before + after) < 2**31
        return _framed(rows[..., None, None, :], win, before, step, narrow=narrow, shape=shape)
    if before or after:
        rows = cp.pad(rows, [(0, 0)] * (rows.ndim - 1) + [(before, after)])
    parts = segments(rows, nperseg, step, count)
    if callable(detrend):
        parts = as_device(detrend(parts))
    elif detrend:
        parts = detrended(parts, check_trend(detrend))
    return parts * win


def _transforms(
    rows: ndarray,
    win: ndarray,
    noverlap: int,
    nfft: int,
    detrend: Any,
    one_sided: bool,
    before: int = 0,
    after: int = 0,
) -> ndarray:
    """The transforms of windowed segments: (..., segment, frequency)."""
    parts = _windowed(rows, win, noverlap, detrend, before, after)
    return (cp.fft.rfft if one_sided else cp.fft.fft)(parts, nfft, axis=-1)


def _in_precision(win: ndarray, kind: Any) -> ndarray:
    """The window in the precision of the transforms, in memory, so that it is not computed for each segment."""
    if win.dtype.kind != "c":
        win = win.astype(np.float32 if kind == np.complex64 else np.float64)
    cp.evaluate(win)
    return win


def _is_one_sided(return_onesided: bool, *arrays: ndarray) -> bool:
    if not return_onesided:
        return False
    if any(array.dtype.kind == "c" for array in arrays):
        warnings.warn("Input data is complex, switching to return_onesided=False", stacklevel=4)
        return False
    return True


def _check_rate(fs: float) -> None:
    if not fs > 0:
        raise ValueError(f"Sampling frequency fs={fs} must be positive!")


def _frequencies(nfft: int, fs: float, one_sided: bool) -> ndarray:
    _check_rate(fs)
    return (cp.fft.rfftfreq if one_sided else cp.fft.fftfreq)(nfft, 1 / fs)


@k.kernel
def _scale_of(scale: k.Each, nfft: int):
    """The scale of each frequency of a one-sided spectrum: doubled for frequencies with a negative counterpart."""
    i = k.index()
    return scale * k.where((i > 0) & (2 * i != nfft), 2.0, 1.0)


def _doubled(power: ndarray, scale: ndarray, nfft: int, one_sided: bool) -> ndarray:
    """Scaled power, with that of negative frequencies added to the positive ones; frequencies are the last axis."""
    if one_sided:
        scale = _scale_of(scale, nfft, shape=power.shape[-1:])
    return power * scale.astype(power.real.dtype)


@k.kernel
def _times(step: int, fs: float, middle: float, before: float):
    return (k.index() * step).astype("float64") / fs + middle - before  # type: ignore[attr-defined]


def _with_axis(values: ndarray, axis: int) -> ndarray:
    """(..., segment, frequency) with frequencies in the place of time, and segments last."""
    return cp.moveaxis(values, -1, axis - 1 if axis < 0 else axis)


def periodogram(
    x: Any,
    fs: float = 1.0,
    window: Any = "boxcar",
    nfft: int | None = None,
    detrend: Any = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
) -> tuple[ndarray, ndarray]:
    """The power spectrum of a signal as a whole.

    Parameters
    ----------
    window : str, tuple or array_like
        The window; see `get_window`.
    nfft : int, optional
        The length of the transform.
    detrend, return_onesided, scaling, axis
        As for `welch`.

    Returns
    -------
    tuple of ndarray
        Frequencies and power.

    Raises
    ------
    ValueError
        The window has another length than the signal, or an argument is unknown.

    >>> f, power = cp.scipy.signal.periodogram(cp.asarray([1.0, -1.0, 1.0, -1.0]))
    >>> power.round(6)
    array([0., 0., 4.])
    """
    x = as_device(x)
    if x.size == 0:
        return cp.empty(x.shape), cp.empty(x.shape)
    window = "boxcar" if window is None else window
    length = x.shape[axis]
    if nfft is None or nfft == length:
        nperseg, nfft = length, None
    elif nfft > length:
        nperseg = length
    else:
        normalize_axis_index(axis, x.ndim)
        x = cp.moveaxis(cp.moveaxis(x, axis, -1)[..., :nfft], -1, axis)
        nperseg, nfft = nfft, None
    if hasattr(window, "size") and window.size != nperseg:
        raise ValueError("the size of the window must be the same size of the input on the specified axis")
    return welch(x, fs, window, nperseg, 0, nfft, detrend, return_onesided, scaling, axis)


def welch(
    x: Any,
    fs: float = 1.0,
    window: Any = HANN,
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Any = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    average: str = "mean",
) -> tuple[ndarray, ndarray]:
    """The power spectrum of a signal, averaged over segments (Welch 1967).

    Parameters
    ----------
    window : str, tuple or array_like
        The window of segments; see `get_window`.
    nperseg : int, optional
        The length of segments, by default 256 or that of the window.
    noverlap : int, optional
        How many points neighbours share, by default half of them.
    nfft : int, optional
        The length of transforms.
    detrend : {'constant', 'linear'}, callable or False
        What is taken out of segments.
    return_onesided : bool
        Whether the spectrum of a real signal has positive frequencies only.
    scaling : {'density', 'spectrum'}
        Power per hertz, or power.
    average : {'mean', 'median'}
        How segments are averaged.

    Returns
    -------
    tuple of ndarray
        Frequencies and power.

    Raises
    ------
    ValueError
        Lengths do not fit, or an argument is unknown.

    >>> f, power = cp.scipy.signal.welch(cp.cos(cp.arange(64) * cp.pi / 4), nperseg=8)
    >>> int(power.argmax())
    1
    """
    x = as_device(x)
    freqs, power = csd(
        x, x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average
    )  # fmt: skip
    return freqs, power


def _median_bias(n: int) -> float:
    """The ratio of the median of so many squares to their mean."""
    even = 2 * np.arange(1.0, (n - 1) // 2 + 1)
    return float(1 + np.sum(1.0 / (even + 1) - 1.0 / even))


def csd(
    x: Any,
    y: Any,
    fs: float = 1.0,
    window: Any = HANN,
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Any = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    average: str = "mean",
) -> tuple[ndarray, ndarray]:
    """The cross power spectrum of two signals, averaged over segments.

    Parameters
    ----------
    x, y : array_like
        The signals; the shorter one is continued with zeros, and other axes are broadcast.
    fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average
        As for `welch`.

    Returns
    -------
    tuple of ndarray
        Frequencies and cross power, the conjugate of the transform of `x` times that of `y`.

    Raises
    ------
    ValueError
        Shapes or lengths do not fit, or an argument is unknown.

    >>> x = cp.cos(cp.arange(64) * cp.pi / 4)
    >>> cp.scipy.signal.csd(x, x, nperseg=8)[1].shape
    (5,)
    """
    same = y is x
    x = as_device(x)
    y = x if same else as_device(y)
    axis = operator.index(axis)
    normalize_axis_index(axis, x.ndim)
    if not same:
        outer = []
        for array in (x, y):
            sizes = list(array.shape)
            sizes.pop(axis)
            outer.append(sizes)
        try:
            outer_shape = np.broadcast_shapes(*map(tuple, outer))
        except ValueError as error:
            raise ValueError("x and y cannot be broadcast together.") from error
        if x.size == 0 or y.size == 0:
            shape = (*outer_shape, min(x.shape[axis], y.shape[axis]))
            empty = cp.moveaxis(cp.empty(shape), -1, axis)
            return empty, empty
    elif x.size == 0:
        return cp.empty(x.shape), cp.empty(x.shape)
    kind = np.result_type(x.dtype, y.dtype, np.complex64)
    length = max(x.shape[axis], y.shape[axis])
    win, nperseg = _plan(window, nperseg, length, "signal length max(len(x), len(y))")
    nfft, noverlap = _lengths(nperseg, nfft, noverlap, nperseg // 2)
    if average not in ("mean", "median"):
        raise ValueError(f"Parameter average={average!r} must be 'median' or 'mean'!")
    one_sided = return_onesided and x.dtype.kind != "c" and y.dtype.kind != "c"
    scale = _scale(win, fs, scaling)
    win = _in_precision(win, kind)

    def transformed(array: ndarray) -> ndarray:
        rows = cp.moveaxis(as_inexact(array), axis, -1)
        if rows.shape[-1] < length:
            rows = cp.pad(rows, [(0, 0)] * (rows.ndim - 1) + [(0, length - rows.shape[-1])])
        return _transforms(rows, win, noverlap, nfft, detrend, one_sided)

    first = transformed(x)
    count = first.shape[-2]
    if not same:
        power = first.conj() * transformed(y)
    elif average == "mean" and count > 1 and way("power in one fold", first):
        power = (first.conj() * first).mean(axis=-2, keepdims=True).real
        count = 1
    else:
        power = first.real**2 + first.imag**2
    if count == 1:
        power = power[..., 0, :]
    elif average == "mean":
        power = power.mean(axis=-2)
    else:
        parts = [power] if power.dtype.kind != "c" else [power.real, power.imag]
        parts = [cp.median(part, axis=-2) / _median_bias(count) for part in parts]
        power = parts[0] if len(parts) == 1 else parts[0] + 1j * parts[1]
    power = _doubled(power, scale, nfft, one_sided)
    power = power.astype(kind if power.dtype.kind == "c" else np.zeros(0, kind).real.dtype, copy=False)
    return _frequencies(nfft, fs, one_sided), cp.moveaxis(power, -1, axis)


def coherence(
    x: Any,
    y: Any,
    fs: float = 1.0,
    window: Any = HANN,
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Any = "constant",
    axis: int = -1,
) -> tuple[ndarray, ndarray]:
    """The squared coherence of two signals; arguments are those of `csd`.

    Parameters
    ----------
    x : array_like
        The first signal.
    nfft : int, optional
        The length of the transforms, by default that of a segment.
    detrend : str, callable or False
        How segments lose their trend.
    axis : int
        The axis of the signal.

    >>> x = cp.cos(cp.arange(64.0) ** 2)
    >>> cp.scipy.signal.coherence(x, x, nperseg=8)[1].round(6)
    array([1., 1., 1., 1., 1.])
    """
    options = (fs, window, nperseg, noverlap, nfft, detrend)
    x, y = as_device(x), as_device(y)
    freqs, xx = welch(x, *options, axis=axis)
    _, yy = welch(y, *options, axis=axis)
    _, xy = csd(x, y, *options, axis=axis)
    return freqs, abs(xy) ** 2 / xx / yy


def _time_spectra(
    x: ndarray,
    fs: float,
    window: Any,
    nperseg: Any,
    noverlap: Any,
    nfft: Any,
    detrend: Any,
    return_onesided: bool,
    scaling: str,
    axis: int,
    mode: str,
    boundary: Any = None,
    padded: bool = False,
    part: int = 2,
) -> tuple[ndarray, ndarray, ndarray]:
    """Frequencies, times, and the power or the transforms of segments."""
    if boundary not in ("even", "odd", "constant", "zeros", None):
        raise ValueError(
            f"Unknown boundary option '{boundary}', must be one of: ['even', 'odd', 'constant', 'zeros', None]"
        )
    _check_rate(fs)
    axis = operator.index(axis)
    place = normalize_axis_index(axis, x.ndim)
    if x.size == 0:
        return cp.empty(x.shape), cp.empty(x.shape), cp.empty(x.shape)
    kind = np.result_type(x.dtype, np.complex64)
    win, nperseg = _plan(window, nperseg, x.shape[axis])
    nfft, noverlap = _lengths(nperseg, nfft, noverlap, nperseg // part)
    step = nperseg - noverlap
    rows = cp.moveaxis(as_inexact(x), place, -1)
    half = nperseg // 2
    before = after = half if boundary == "zeros" else 0
    if boundary not in ("zeros", None):
        rows = extended(rows, half, rows.ndim - 1, boundary)
    if padded:
        after += (-(rows.shape[-1] + before + after - nperseg) % step) % nperseg
    one_sided = _is_one_sided(return_onesided, x)
    scale = _scale(win, fs, scaling)
    if mode != "psd":
        # Of transforms, which are linear, the window takes the scale.
        win = win * cp.sqrt(scale)
    win = _in_precision(win, kind)
    found = _transforms(rows, win, noverlap, nfft, detrend, one_sided, before, after)
    if mode == "psd":
        found = _doubled(found.real**2 + found.imag**2, scale, nfft, one_sided)
        found = found.astype(np.zeros(0, kind).real.dtype, copy=False)
    else:
        found = found.astype(kind, copy=False)
    middle = (nperseg / 2) / float(fs)
    times = _times(step, fs, middle, 0.0 if boundary is None else middle, shape=(found.shape[-2],))
    return _frequencies(nfft, fs, one_sided), times, _with_axis(found, axis)


def spectrogram(
    x: Any,
    fs: float = 1.0,
    window: Any = ("tukey_periodic", 0.25),
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Any = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    mode: str = "psd",
) -> tuple[ndarray, ndarray, ndarray]:
    """The spectra of segments of a signal.

    Parameters
    ----------
    fs, window, nperseg, nfft, detrend, return_onesided, scaling, axis
        As for `welch`.
    noverlap : int, optional
        How many points neighbours share, by default an eighth of them.
    mode : {'psd', 'complex', 'magnitude', 'angle', 'phase'}
        Power, transforms, their absolute values, or their angles, which "phase" unwraps.

    Returns
    -------
    tuple of ndarray
        Frequencies, times, and spectra with times as the last axis.

    Raises
    ------
    ValueError
        Lengths do not fit, or an argument is unknown.

    >>> cp.scipy.signal.spectrogram(cp.ones(64), nperseg=16, noverlap=0)[2].shape
    (9, 4)
    """
    modes = ["psd", "complex", "magnitude", "angle", "phase"]
    if mode not in modes:
        raise ValueError(f"unknown value for mode {mode}, must be one of {modes}")
    x = as_device(x)
    how = "psd" if mode == "psd" else "stft"
    freqs, times, found = _time_spectra(
        x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, how, part=8
    )
    if mode == "magnitude":
        found = abs(found)
    elif mode in ("angle", "phase"):
        found = cp.angle(found)
        if mode == "phase":
            found = cp.unwrap(found, axis=axis - 1 if axis < 0 else axis)
    return freqs, times, found


def stft(
    x: Any,
    fs: float = 1.0,
    window: Any = HANN,
    nperseg: int | None = 256,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Any = False,
    return_onesided: bool = True,
    boundary: Any = "zeros",
    padded: bool = True,
    axis: int = -1,
    scaling: str = "spectrum",
) -> tuple[ndarray, ndarray, ndarray]:
    """The short-time Fourier transform of a signal.

    Parameters
    ----------
    fs, window, nperseg, noverlap, nfft, detrend, return_onesided, axis
        As for `welch`.
    boundary : {'zeros', 'even', 'odd', 'constant'} or None
        How the signal is continued by half a segment at both ends.
    padded : bool
        Whether zeros fill the last segment.
    scaling : {'spectrum', 'psd'}
        Amplitudes, or roots of power per hertz.

    Returns
    -------
    tuple of ndarray
        Frequencies, times, and transforms with times as the last axis.

    Raises
    ------
    ValueError
        Lengths do not fit, or an argument is unknown.

    >>> cp.scipy.signal.stft(cp.ones(64), nperseg=16)[2].shape
    (9, 9)
    """
    if scaling not in ("spectrum", "psd"):
        raise ValueError(f"Parameter scaling={scaling!r} not in ['spectrum', 'psd']!")
    kind = "density" if scaling == "psd" else scaling
    return _time_spectra(
        as_device(x), fs, window, nperseg, noverlap, nfft, detrend, return_onesided, kind, axis, "stft", boundary,
        padded,
    )  # fmt: skip


def istft(
    Zxx: Any,
    fs: float = 1.0,
    window: Any = HANN,
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    input_onesided: bool = True,
    boundary: bool = True,
    time_axis: int = -1,
    freq_axis: int = -2,
    scaling: str = "spectrum",
) -> tuple[ndarray, ndarray]:
    """The signal of a short-time Fourier transform, the least-squares solution.

    Parameters
    ----------
    Zxx : array_like
        The transforms.
    fs, window, nperseg, noverlap, nfft, scaling
        Those of `stft`.
    input_onesided : bool
        Whether there are positive frequencies only.
    boundary : bool
        Whether the signal was continued at its ends.
    time_axis, freq_axis : int
        The axes of `Zxx`.

    Returns
    -------
    tuple of ndarray
        Times and the signal.

    Raises
    ------
    ValueError
        Axes or lengths do not fit.

    See Also
    --------
    scipy.signal.istft : The function that this one follows; Griffin and Lim 1984.

    >>> _, _, z = cp.scipy.signal.stft(cp.arange(32.0), nperseg=8)
    >>> cp.scipy.signal.istft(z, nperseg=8)[1][:4].round(6)
    array([0., 1., 2., 3.])
    """
    Z = as_device(Zxx) + 0j
    freq_axis, time_axis = int(freq_axis), int(time_axis)
    if Z.ndim < 2:
        raise ValueError("Input stft must be at least 2d!")
    if freq_axis == time_axis:
        raise ValueError("Must specify differing time and frequency axes!")
    count = Z.shape[time_axis]
    usual = 2 * (Z.shape[freq_axis] - 1) if input_onesided else Z.shape[freq_axis]
    if nperseg is None:
        nperseg = usual
    else:
        nperseg = int(nperseg)
        if nperseg < 1:
            raise ValueError("nperseg must be a positive integer")
    if nfft is None:
        nfft = nperseg if input_onesided and nperseg == usual + 1 else usual
    elif nfft < nperseg:
        raise ValueError("nfft must be greater than or equal to nperseg.")
    nfft = int(nfft)
    noverlap = nperseg // 2 if noverlap is None else int(noverlap)
    if noverlap >= nperseg:
        raise ValueError("noverlap must be less than nperseg.")
    step = nperseg - noverlap
    if isinstance(window, (str, tuple)):
        win = window_on_device(window, nperseg)
    else:
        win = as_device(window)
        if win.ndim != 1:
            raise ValueError("window must be 1-D")
        if win.size != nperseg:
            raise ValueError(f"window must have length of {nperseg}")
    freq_axis, time_axis = normalize_axis_index(freq_axis, Z.ndim), normalize_axis_index(time_axis, Z.ndim)
    Z = cp.moveaxis(Z, (time_axis, freq_axis), (-2, -1))
    pieces = (cp.fft.irfft if input_onesided else cp.fft.ifft)(Z, nfft, axis=-1)[..., :nperseg]
    win = win.astype(pieces.real.dtype) if win.dtype.kind != "c" else win
    if scaling == "spectrum":
        scale = win.sum()
    elif scaling == "psd":
        scale = cp.sqrt(fs * (abs(win) ** 2).sum())
    else:
        raise ValueError(f"Parameter scaling={scaling!r} not in ['spectrum', 'psd']!")
    length = nperseg + (count - 1) * step
    start, stop = 0, length
    if boundary:
        start, stop = nperseg // 2, max(length - nperseg // 2, nperseg // 2)
    place = cp.arange(start, stop)
    x = added((pieces * (win * scale))[..., None, :, :], place, step, 0)
    weight = added(cp.broadcast_to(win * win, (count, nperseg))[None], place, step, 0)
    good = weight > 1e-10
    if not bool(good.all()):
        warnings.warn(
            "NOLA condition failed, STFT may not be invertible." + (" Possibly due to missing boundary"
            if not boundary else ""),
            stacklevel=2,
        )  # fmt: skip
    x = x / cp.where(good, weight, 1.0)
    if Z.ndim > 2:
        place_of_time = min(time_axis, freq_axis) if freq_axis != Z.ndim - 1 else time_axis
        if time_axis != Z.ndim - 1 or freq_axis != Z.ndim - 2:
            if freq_axis < time_axis:
                time_axis -= 1
            place_of_time = time_axis
            x = cp.moveaxis(x, -1, place_of_time)
    return cp.arange(stop - start) / float(fs), x
