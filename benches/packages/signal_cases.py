"""Rows of `scipy.signal`: filters, convolutions, changes of the rate, spectra, peaks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
from suite import Case


def _noise(*shape: int) -> Callable[[numpy.random.Generator], tuple[numpy.ndarray, ...]]:
    def operands(random: numpy.random.Generator) -> tuple[numpy.ndarray, ...]:
        return (random.normal(size=shape).astype(numpy.float32),)

    return operands


def _with_taps(taps: tuple[int, ...], *shape: int) -> Callable[[numpy.random.Generator], tuple[numpy.ndarray, ...]]:
    def operands(random: numpy.random.Generator) -> tuple[numpy.ndarray, ...]:
        return tuple(random.normal(size=size).astype(numpy.float32) for size in (shape, taps))

    return operands


def _filter(form: str) -> Callable[..., tuple[Any, ...]]:
    """The signal with the coefficients of a filter, in the dtype of the signal."""

    def prepare(xp: Any, sp: Any, x: Any) -> tuple[Any, ...]:
        if form == "sos":
            return x, sp.signal.butter(8, 0.2, output="sos").astype(numpy.float32)
        return x, *(part.astype(numpy.float32) for part in sp.signal.butter(4, 0.2))

    return prepare


def _samples(count: int) -> Callable[[numpy.random.Generator], tuple[numpy.ndarray, ...]]:
    """Values at times at random, and angular frequencies."""
    return lambda random: (
        numpy.sort(random.uniform(0, 100, count)),
        random.normal(size=count),
        numpy.linspace(0.1, 50, count),
    )


def _periodogram(xp: Any, sp: Any, t: Any, y: Any, frequencies: Any) -> Any:
    return sp.signal.lombscargle(t, y, frequencies)


def cases(large: bool) -> list[Case]:
    """The rows, at the sizes of a GPU or of a CPU."""
    shift = 0 if large else 4
    long, rows, longest = 1 << (20 - shift // 2), 1024 >> shift, 1 << (24 - shift)
    side, times = 4096 >> (shift // 2), 8192 >> (shift // 2)
    found = [
        Case("lfilter 4", _noise(long), lambda xp, sp, x, b, a: sp.signal.lfilter(b, a, x), _filter("ba")),
        Case("lfilter 4, rows", _noise(rows, 16384), lambda xp, sp, x, b, a: sp.signal.lfilter(b, a, x), _filter("ba")),
        Case("sosfilt 8", _noise(long), lambda xp, sp, x, sos: sp.signal.sosfilt(sos, x), _filter("sos")),
        Case(
            "filtfilt 4, rows", _noise(rows, 16384), lambda xp, sp, x, b, a: sp.signal.filtfilt(b, a, x), _filter("ba")
        ),
        Case("decimate 4", _noise(long), lambda xp, sp, x: sp.signal.decimate(x, 4), without=("cupy",)),
        Case("fftconvolve 129", _with_taps((129,), longest), lambda xp, sp, x, h: sp.signal.fftconvolve(x, h, "same")),
        Case("oaconvolve 129", _with_taps((129,), longest), lambda xp, sp, x, h: sp.signal.oaconvolve(x, h, "same")),
        Case(
            "convolve2d 15x15",
            _with_taps((15, 15), side // 2, side // 2),
            lambda xp, sp, x, h: sp.signal.convolve2d(x, h, "same"),
        ),
        Case(
            "fftconvolve 2d 64x64", _with_taps((64, 64), side, side), lambda xp, sp, x, h: sp.signal.fftconvolve(x, h)
        ),
        Case("resample_poly 3/2", _noise(longest), lambda xp, sp, x: sp.signal.resample_poly(x, 3, 2)),
        Case("medfilt2d 5", _noise(side, side), lambda xp, sp, x: sp.signal.medfilt2d(x, 5)),
        Case("wiener 5", _noise(side, side), lambda xp, sp, x: sp.signal.wiener(x, 5)),
        Case(f"lombscargle {times} at {times}", _samples(times), _periodogram),
        Case("savgol 11", _noise(side, side), lambda xp, sp, x: sp.signal.savgol_filter(x, 11, 3)),
        Case("welch", _noise(longest), lambda xp, sp, x: sp.signal.welch(x)),
        Case("spectrogram", _noise(longest), lambda xp, sp, x: sp.signal.spectrogram(x)),
        Case("stft", _noise(longest), lambda xp, sp, x: sp.signal.stft(x)),
        Case("csd", _with_taps((longest,), longest), lambda xp, sp, x, y: sp.signal.csd(x, y)),
        Case(
            "find_peaks height distance",
            _noise(longest),
            lambda xp, sp, x: sp.signal.find_peaks(x, height=0.5, distance=10),
            without=("cupy",),
        ),
        Case(
            "find_peaks prominence width",
            _noise(long),
            lambda xp, sp, x: sp.signal.find_peaks(x, prominence=1, width=2),
        ),
        Case("hilbert", _noise(rows, 16384), lambda xp, sp, x: sp.signal.hilbert(x)),
        Case("czt", _noise(rows, 16383), lambda xp, sp, x: sp.signal.czt(x)),
    ]
    return found
