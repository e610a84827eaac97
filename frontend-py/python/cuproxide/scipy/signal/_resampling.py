"""Changes of the sampling rate."""

from __future__ import annotations

import functools
import math
import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device, as_floating, to_host
from ..._lib.routes import way
from ._common import along, as_inexact
from ._windows import window_on_device

__all__ = ["decimate", "resample", "resample_poly", "upfirdn"]

_EXTENSIONS = (
    "constant", "symmetric", "edge", "smooth", "wrap", "reflect", "antisymmetric", "antireflect", "line",
)  # fmt: skip


@k.function
def _beyond(x, i, mode):
    """The element of a row at a position outside of it."""
    n = x.shape[0]
    if mode == "edge":
        return x[k.clamp(i, 0, n - 1)]
    if mode == "wrap":
        return x[i % n]
    if mode in ("symmetric", "antisymmetric"):
        m = i % (2 * n)
        mirrored = m >= n
        value = x[k.where(mirrored, 2 * n - 1 - m, m)]
        return k.where(mirrored, -value, value) if mode == "antisymmetric" else value
    if mode == "reflect":
        period = max(2 * (n - 1), 1)
        m = i % period
        return x[k.where(m >= n, period - m, m)]
    first, last = x[0], x[n - 1]
    if mode == "antireflect":
        period = max(2 * (n - 1), 1)
        m = i % period
        turns = (i // period).astype(first.real.dtype)
        value = x[k.clamp(k.where(m >= n, period - m, m), 0, n - 1)]
        return k.where(m >= n, 2 * last - value, value) + turns * 2 * (last - first)
    if mode == "smooth":
        before, after = x[k.clamp(1, 0, n - 1)] - first, last - x[k.clamp(n - 2, 0, n - 1)]
    else:
        slope = (last - first) / max(n - 1, 1).astype(first.real.dtype)
        before, after = slope, slope
    left, right = i.astype(first.real.dtype), (i - (n - 1)).astype(first.real.dtype)
    return k.where(i < 0, first + left * before, last + right * after)


@k.kernel
def _polyphase(h: k.Array, x: k.Array[1], j: k.Each, up: int, down: int, fill: k.Number, *, kind, mode):
    """Output `j` of a filter at `up` times the rate, of which every `down`-th is kept."""
    n, taps = x.shape[0], h.shape[0]
    place = j * down
    newest = place // up
    phase = place - newest * up
    total = k.value(0, kind)
    if mode == "zero":
        # Inputs newest - s, for which tap phase + s * up and the input exist.
        first = max(newest - (n - 1), 0)
        stop = min((taps - 1 - phase + up) // up, newest + 1)
        for s in k.steps(first, stop):
            total = total + h[phase + s * up].astype(kind) * x[newest - s].astype(kind)
        return total
    stop = (taps - 1 - phase + up) // up
    for s in k.steps(0, stop):
        at = newest - s
        inside = (at >= 0) & (at < n)
        if inside:
            value = x[at].astype(kind)
        else:
            value = fill.astype(kind) if mode == "constant" else _beyond(x, at, mode).astype(kind)
        total = total + h[phase + s * up].astype(kind) * value
    return total


# Outputs of a thread that see the same taps.
_SHARING = 4


@k.kernel
def _polyphase_zeros(
    h: k.Array[1], x: k.Array[1], y: k.Out[1], length: int, results: int, tiles: int, phases: int, up: int, down: int,
    *, kind,
):  # fmt: skip
    """Outputs of rows between zeros: a thread computes some that lie so far apart that they see the same taps.

    Neighbouring threads compute neighbours. A row of `h` are the taps of one phase, the one of the newest input first.
    """
    tile_size, point = phases * up, k.index()
    tile = point // tile_size
    first = point - tile * tile_size
    row = k.value(0)
    if tiles > 0:
        row = tile // tiles
        tile = tile - row * tiles
    first = first + tile * (_SHARING * tile_size)
    newest = (first * down) // up
    phase = first * down - newest * up
    taps = h.shape[0] // up
    apart = phases * down
    last = newest + (_SHARING - 1) * apart
    sums = tuple(k.value(0, kind) for _ in range(_SHARING))
    if (newest - (taps - 1) >= 0) & (last < length):
        for s in k.steps(taps):
            tap, at = h[phase * taps + s], row * length + (newest - s)
            sums = tuple(total + tap * x[at + i * apart] for i, total in enumerate(sums))
    else:
        for s in k.steps(taps):
            tap, found = h[phase * taps + s], ()
            for i, total in enumerate(sums):
                at = newest - s + i * apart
                exists = (at >= 0) & (at < length)
                value = x[row * length + k.where(exists, at, 0)]
                found = (*found, k.where(exists, total + tap * value, total))
            sums = found
    for i in range(_SHARING):
        place = first + i * tile_size
        if place < results:
            y[row * results + place] = sums[i]


def _between_zeros(h: ndarray | np.ndarray, rows: ndarray, up: int, down: int, results: int, dtype: Any) -> ndarray:
    """The same for devices with many threads."""
    taps, xp = -(-h.size // up), np if isinstance(h, np.ndarray) else cp
    filled = xp.zeros(taps * up, dtype)
    filled[: h.size] = h
    by_phase = cp.asarray(xp.ascontiguousarray(filled.reshape(taps, up).T))
    shape, length = rows.shape[:-1], rows.shape[-1]
    flat = cp.ascontiguousarray(rows.astype(dtype, copy=False)).reshape(-1)
    count = flat.size // length
    phases = -(-min(256, results) // up)
    tiles = -(-results // (_SHARING * phases * up))
    y = cp.empty((*shape, results), dtype)
    _polyphase_zeros(
        by_phase.reshape(-1), flat, y.reshape(-1), length, results, tiles if count > 1 else 0, phases, up, down,
        kind=dtype.name, shape=(count * tiles * phases * up,),
    )  # fmt: skip
    return y


def _by_phases(h: ndarray, rows: ndarray, up: int, down: int, length: int, dtype: Any) -> ndarray:
    """The same for rows between zeros: outputs that see the same taps are sums of shifted views, which fuse."""
    n, taps = rows.shape[-1], h.size
    h, rows = h.astype(dtype, copy=False), rows.astype(dtype, copy=False)
    reach = (taps - 1) // up
    last = ((length - 1) * down) // up
    more = max(last - n + 1, 0)
    more += -(reach + n + more) % down
    padded = cp.pad(rows, [(0, 0)] * (rows.ndim - 1) + [(reach, more)])
    # Every `down`-th element side by side, so that views are vectors.
    parts = cp.ascontiguousarray(cp.moveaxis(padded.reshape(*padded.shape[:-1], -1, down), -1, -2))
    found = cp.empty((*rows.shape[:-1], length), dtype)
    for r in range(min(up, length)):
        newest, phase = divmod(r * down, up)
        count = -(-(length - r) // up)
        total = None
        for s in range((taps - 1 - phase) // up + 1 if phase < taps else 0):
            start = newest - s + reach
            first, part = divmod(start, down)
            term = parts[..., part, first : first + count] * h[phase + s * up]
            total = term if total is None else total + term
        found[..., r::up] = 0 if total is None else total
    return found


def _output_length(taps: int, length: int, up: int, down: int) -> int:
    return ((length - 1) * up + taps - 1) // down + 1


def _filtered(
    h: ndarray | np.ndarray, x: ndarray, up: int, down: int, axis: int, mode: str, cval: Any, skip: int = 0
) -> Any:
    mode = mode.lower() if isinstance(mode, str) else mode
    if mode not in _EXTENSIONS:
        raise ValueError(f"Unknown mode: {mode!r}, which is none of {', '.join(map(repr, _EXTENSIONS))}")
    dtype = np.result_type(h.dtype, x.dtype, np.float32)
    axis = normalize_axis_index(axis, x.ndim)
    rows = cp.moveaxis(x if mode == "constant" else as_floating(x), axis, -1)
    length = _output_length(h.size, rows.shape[-1], up, down)
    if rows.shape[-1] == 0 or rows.size == 0:
        shape = (*rows.shape[:-1], max(length, 0))
        return cp.moveaxis(cp.zeros(shape, dtype), -1, axis)
    how = "zero" if mode == "constant" and cval == 0 else mode
    number = complex(cval) if dtype.kind == "c" else float(np.real(cval))
    form = way("upsampling", x, h.size, up) if how == "zero" else "each"
    if form == "phases":
        return cp.moveaxis(_by_phases(cp.asarray(h), rows, up, down, length, dtype), -1, axis)
    if form == "between zeros":
        return cp.moveaxis(_between_zeros(h, rows, up, down, length, dtype), -1, axis)
    h = cp.asarray(h)
    # An axis of rows for the outputs, along which taps and row are the same.
    places = cp.arange(length)
    found = _polyphase(h, rows[..., None, :], places, up, down, number, kind=dtype.name, mode=how)
    return cp.moveaxis(found, -1, axis)


def _low_pass(rate: int, window: Any) -> np.ndarray:
    """The filter of a change of the rate."""
    parts = window if isinstance(window, tuple) else (window,)
    if all(isinstance(part, (str, int, float)) for part in parts):
        return _kept_low_pass(rate, window)
    return _kept_low_pass.__wrapped__(rate, window)


@functools.lru_cache(maxsize=64)
def _kept_low_pass(rate: int, window: Any) -> np.ndarray:
    from ._fir import firwin

    return firwin(20 * rate + 1, 1 / rate, window=window)


@functools.lru_cache(maxsize=64)
def _decimating_sections(order: int, q: int) -> np.ndarray:
    from ._iir_design import cheby1

    return cheby1(order, 0.05, 0.8 / q, output="sos")


def upfirdn(
    h: Any, x: Any, up: int = 1, down: int = 1, axis: int = -1, mode: str = "constant", cval: Any = 0
) -> ndarray:
    """Upsampled by zeros, filtered, and downsampled.

    Parameters
    ----------
    h : array_like
        The taps of the filter.
    up, down : int
        The rates.
    mode : str
        How `x` continues at its ends: "constant" (`cval`), "symmetric", "reflect", "wrap", "edge", "smooth", "line",
        "antisymmetric" or "antireflect".
    cval : scalar
        See `mode`.

    Returns
    -------
    ndarray
        The signal at the new rate, ((n - 1) * up + len(h) - 1) // down + 1 points.

    Raises
    ------
    ValueError
        There are no taps, a rate is below 1, or a mode is unknown.

    >>> cp.scipy.signal.upfirdn(cp.asarray([1.0, 1.0]), cp.asarray([1.0, 2.0]), up=2)
    array([1., 1., 2., 2.])
    """
    h, x = as_device(h), as_device(x)
    up, down = operator.index(up), operator.index(down)
    if h.ndim != 1 or h.size == 0:
        raise ValueError("h must be 1-D with non-zero length")
    if up < 1 or down < 1:
        raise ValueError("Both up and down must be >= 1")
    return _filtered(h, x, up, down, axis, mode, cval)


def resample_poly(
    x: Any,
    up: int,
    down: int,
    axis: int = 0,
    window: Any = ("kaiser", 5.0),
    padtype: str = "constant",
    cval: Any = None,
) -> ndarray:
    """Resampled by `up` / `down` with a filter whose delay is taken out.

    Parameters
    ----------
    up, down : int
        The rates.
    window : str, tuple or array_like
        The window of the low-pass filter that is designed, or the taps of the filter.
    padtype : str
        How `x` continues at its ends: a mode of `upfirdn`, or "mean", "median", "minimum", "maximum" of each row.
    cval : scalar, optional
        The value for "constant", by default 0.

    Returns
    -------
    ndarray
        The resampled signal.

    Raises
    ------
    ValueError
        A rate is no positive integer, or an argument is unknown.

    >>> cp.scipy.signal.resample_poly(cp.ones(4), 1, 2, padtype="edge").round(3)
    array([1., 1.])
    """
    x = as_device(x)
    if up != int(up):
        raise ValueError("up must be an integer")
    if down != int(down):
        raise ValueError("down must be an integer")
    up, down = int(up), int(down)
    if up < 1 or down < 1:
        raise ValueError("up and down must be >= 1")
    if cval is not None and padtype != "constant":
        raise ValueError("cval has no effect when padtype is ", padtype)
    divisor = math.gcd(up, down)
    up, down = up // divisor, down // divisor
    if up == down == 1:
        return x.copy()
    axis = normalize_axis_index(axis, x.ndim)
    length = x.shape[axis]
    wanted = -(-length * up // down)
    if isinstance(window, (list, np.ndarray, ndarray)):
        h = to_host(window)
        if h.ndim > 1:
            raise ValueError("window must be 1-D")
        half = (h.size - 1) // 2
    else:
        rate = max(up, down)
        half = 10 * rate
        h = _low_pass(rate, window)
        if x.dtype.kind in "fc":
            h = h.astype(x.dtype)
    h = h * up
    before, after = down - half % down, 0
    skip = (half + before) // down
    while _output_length(h.size + before + after, length, up, down) < wanted + skip:
        after += 1
    h = np.concatenate((np.zeros(before, h.dtype), h, np.zeros(after, h.dtype)))
    # Differences of narrow integers would wrap around.
    x = x if padtype == "constant" else as_floating(x)
    centres = {"mean": cp.mean, "median": cp.median, "minimum": cp.min, "maximum": cp.max}
    level, mode = None, "constant"
    if padtype in centres:
        level = centres[padtype](x, axis=axis, keepdims=True)
        x = x - level
    elif padtype in _EXTENSIONS:
        mode = padtype
    else:
        raise ValueError("padtype must be one of: maximum, mean, median, minimum, " + ", ".join(_EXTENSIONS))
    found = _filtered(h, x, up, down, axis, mode, cval or 0)
    found = found[along(found.ndim, axis, slice(skip, skip + wanted))]
    return found + level if level is not None else found


def resample(x: Any, num: int, t: Any = None, axis: int = 0, window: Any = None, domain: str = "time") -> Any:
    """Resampled to `num` points by Fourier transforms, for periodic signals.

    Parameters
    ----------
    x : array_like
        The signal, or its transform if `domain` is "freq".
    num : int
        The number of points of the result.
    t : array_like, optional
        The times of the points, evenly apart.
    window : callable, str, tuple, float or array_like, optional
        What the spectrum is multiplied by: a function of frequencies (cycles a sample), a window, or an array in the
        order of `fft`.
    domain : {'time', 'freq'}
        What `x` is.

    Returns
    -------
    ndarray, or a tuple of it and the new times if `t` was given
        The resampled signal.

    Raises
    ------
    ValueError
        An argument is unknown, or a window has another length than `x`.

    >>> cp.scipy.signal.resample(cp.asarray([1.0, 0.0, -1.0, 0.0]), 2).round(6)
    array([ 1., -1.])
    """
    if domain not in ("time", "freq"):
        raise ValueError(f"Parameter domain={domain!r} not in ('time', 'freq')!")
    x = as_inexact(x)
    num = operator.index(num)
    axis = normalize_axis_index(axis, x.ndim)
    length = x.shape[axis]
    if num <= 0:
        raise ValueError(f"number of samples num={num} must be positive")
    real = domain == "time" and x.dtype.kind == "f"
    spectrum = x if domain == "freq" else (cp.fft.rfft if real else cp.fft.fft)(x, axis=axis)
    if window is not None:
        if callable(window):
            weights = as_device(window(cp.fft.fftfreq(length)))
        elif isinstance(window, (ndarray, np.ndarray)):
            weights = as_device(window)
            if weights.shape != (length,):
                raise ValueError(f"{weights.shape} != (length of data,), i.e. window has the wrong shape")
        else:
            weights = cp.fft.fftshift(window_on_device(window, length))
        if real:
            # Both halves of the window act on one half of the spectrum.
            folded = cp.concatenate((weights[:1], (weights[1:] + weights[:0:-1]) * 0.5))
            weights = folded[: length // 2 + 1]
        weights = weights.astype(spectrum.real.dtype) if weights.dtype.kind == "f" else weights
        spectrum = spectrum * weights.reshape([-1 if i == axis else 1 for i in range(x.ndim)])
    kept = min(num, length)

    def part(start: Any, stop: Any) -> ndarray:
        return spectrum[along(x.ndim, axis, slice(start, stop))]

    def zeros(count: int) -> ndarray:
        shape = [count if i == axis else size for i, size in enumerate(x.shape)]
        return cp.zeros(shape, spectrum.dtype)

    half = kept // 2
    if real:
        pieces = [part(0, half + 1)]
        if kept % 2 == 0 and num != length:
            pieces = [part(0, half), part(half, half + 1) * (2.0 if num < length else 0.5)]
        found = cp.fft.irfft(cp.concatenate(pieces, axis=axis), num, axis=axis)
    elif num == length:
        found = cp.fft.ifft(spectrum, axis=axis)
    elif kept % 2:
        pieces = [part(0, half + 1), zeros(num - kept), part(length - half, length)]
        found = cp.fft.ifft(cp.concatenate(pieces, axis=axis), axis=axis)
    elif num < length:
        pieces = [part(0, half), part(half, half + 1) + part(length - half, length - half + 1)]
        pieces.append(part(length - half + 1, length))
        found = cp.fft.ifft(cp.concatenate(pieces, axis=axis), axis=axis)
    else:
        middle = part(half, half + 1) * 0.5
        pieces = [part(0, half), middle, zeros(num - kept - 1), middle, part(half + 1, length)]
        found = cp.fft.ifft(cp.concatenate(pieces, axis=axis), axis=axis)
    found = found * (num / length)
    if t is None:
        return found
    t = as_device(t)
    return found, cp.arange(num) * (t[1] - t[0]) * length / float(num) + t[0]


def decimate(
    x: Any, q: int, n: int | None = None, ftype: Any = "iir", axis: int = -1, zero_phase: bool = True
) -> ndarray:
    """Every `q`-th point of a signal after a low-pass filter.

    Parameters
    ----------
    q : int
        The factor; factors above 13 are better taken in several calls.
    n : int, optional
        The order of the filter: by default 8 for "iir" and 20 `q` for "fir".
    ftype : {'iir', 'fir'} or dlti
        A Chebyshev filter of type I, a filter with a Hamming window, or a system.
    zero_phase : bool
        Whether the filter runs forwards and backwards (or its delay is taken out).

    Returns
    -------
    ndarray
        The decimated signal.

    Raises
    ------
    ValueError
        The filter is unknown.

    >>> cp.scipy.signal.decimate(cp.ones(64), 4, ftype="fir").shape
    (16,)
    """
    from . import _filters
    from ._fir import firwin

    x, q = as_device(x), operator.index(q)
    if n is not None:
        n = operator.index(n)
    dtype = x.dtype if x.dtype.kind in "fc" and x.dtype != np.float16 else np.dtype(np.float64)
    x = x.astype(dtype, copy=False)
    b: Any = None
    a: Any = None
    sos = None
    if ftype == "fir":
        b = firwin((20 * q if n is None else n) + 1, 1.0 / q, window="hamming")
        a = np.ones(1)
    elif ftype == "iir":
        # In the precision of the signal, as the coefficients of SciPy's.
        sos = _decimating_sections(8 if n is None else n, q).astype(np.result_type(dtype.char, np.float32))
    else:
        from ._lti import dlti

        if not isinstance(ftype, dlti):
            raise ValueError("invalid ftype")
        system = ftype._as_zpk()
        zeros, poles, gain = (to_host(part) for part in (system.zeros, system.poles, system.gain))
        from ._conversions import zpk2sos, zpk2tf

        if poles.size == 0:
            b, a = zpk2tf(zeros, poles, gain)
            b, a = b / a[0], np.ones(1)
        else:
            try:
                sos = zpk2sos(zeros, poles, gain)
            except ValueError:
                # Sections are real: without conjugates the coefficients are those of a complex filter.
                b, a = zpk2tf(zeros, poles, gain)
    axis = normalize_axis_index(axis, x.ndim)
    every = along(x.ndim, axis, slice(None, None, q))
    if sos is not None:
        by_sections = _filters.sosfiltfilt if zero_phase else _filters.sosfilt
        return by_sections(sos, x, axis=axis)[every]
    if a.size > 1:
        run = _filters.filtfilt if zero_phase else _filters.lfilter
        return run(b, a, x, axis=axis)[every]
    b = np.asarray(b, np.result_type(dtype, np.asarray(b).dtype) if dtype.kind == "c" else dtype)
    if zero_phase:
        return resample_poly(x, 1, q, axis=axis, window=b)
    length = -(-x.shape[axis] // q)
    return upfirdn(b, x, 1, q, axis)[along(x.ndim, axis, slice(length))]
