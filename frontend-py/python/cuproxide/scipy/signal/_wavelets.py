"""Wavelets, and peaks by wavelets of several widths."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device, to_host
from ._convolution import convolve
from ._peaks import relative_extrema

__all__ = ["cwt", "find_peaks_cwt", "morlet", "morlet2", "qmf", "ricker"]


def qmf(hk: Any) -> ndarray:
    """The high-pass filter that goes with a low-pass one of wavelets: signs alternate, backwards.

    See `cupyx.scipy.signal.qmf`.

    >>> cp.scipy.signal.qmf(cp.asarray([1.0, 2.0, 3.0]))
    array([ 3., -2.,  1.])
    """
    taps = as_device(hk)
    return taps[::-1] * cp.asarray(np.where(np.arange(taps.size) % 2, -1, 1).astype(taps.dtype))


def morlet(M: int, w: float = 5.0, s: float = 1.0, complete: bool = True) -> ndarray:
    """Morlet's complex wavelet of `M` points with the frequency `w`, over windows of 2 pi `s` on both sides.

    See `cupyx.scipy.signal.morlet`.

    Parameters
    ----------
    complete : bool
        Whether the mean is taken off.

    >>> cp.scipy.signal.morlet(3).round(4)[1]
    array(0.7511+0.j)
    """
    x = cp.linspace(-s * 2 * np.pi, s * 2 * np.pi, M)
    wave = cp.exp(1j * w * x)
    if complete:
        wave = wave - math.exp(-0.5 * w**2)
    return wave * (cp.exp(-0.5 * x**2) * np.pi**-0.25)


def ricker(points: int, a: float) -> ndarray:
    """Ricker's wavelet, the second derivative of a Gaussian, of a width. See `cupyx.scipy.signal.ricker`.

    Parameters
    ----------
    points : int
        The number of points.
    a : float
        The width.

    >>> cp.scipy.signal.ricker(3, 1.0).round(4)
    array([0.    , 0.8673, 0.    ])
    """
    a = float(a)
    x = cp.arange(int(points)) - (points - 1.0) / 2
    squares = x**2
    height = 2 / (math.sqrt(3 * a) * np.pi**0.25)
    return height * (1 - squares / a**2) * cp.exp(-squares / (2 * a**2))


def morlet2(M: int, s: float, w: float = 5) -> ndarray:
    """Morlet's complex wavelet with a scale, for `cwt`. See `cupyx.scipy.signal.morlet2`.

    >>> cp.scipy.signal.morlet2(3, 1.0).round(4)[1]
    array(0.7511+0.j)
    """
    x = (cp.arange(M) - (M - 1.0) / 2) / s
    return cp.exp(1j * w * x) * (cp.exp(-0.5 * x**2) * np.pi**-0.25 / math.sqrt(s))


def cwt(data: Any, wavelet: Callable[..., Any], widths: Any, dtype: Any = None, **kwargs: Any) -> ndarray:
    """The wavelet transform of a signal: a row for each width.

    Parameters
    ----------
    wavelet : callable
        A function of a number of points and a width.
    widths : array_like
        The widths.
    dtype : dtype, optional
        That of the result: float64, or complex128 if the wavelet is complex.

    Returns
    -------
    ndarray
        The transform (widths, points).

    See Also
    --------
    cupyx.scipy.signal.cwt : The function that this one follows.

    >>> cp.scipy.signal.cwt(cp.ones(8), cp.scipy.signal.ricker, [1.0, 2.0]).shape
    (2, 8)
    """
    data = as_device(data)
    widths = to_host(widths)
    if dtype is None:
        first = as_device(wavelet(1, widths[0], **kwargs))
        dtype = np.complex128 if first.dtype.kind == "c" else np.float64
    rows = []
    for width in widths:
        points = min(10 * width, data.size)
        taps = as_device(wavelet(points, width, **kwargs)).conj()[::-1]
        rows.append(convolve(data, taps, mode="same").astype(dtype, copy=False))
    return cp.stack(rows)


@k.kernel(ordered=True)
def _ridges(
    maxima: k.Array, distance: k.Array, column: k.Out, row_of: k.Out, length: k.Out, gap: k.Out, before: k.Out,
    count: k.Out, most_gap: float, one: k.Each,
):  # fmt: skip
    """Follows maxima from the widest row on. Lines whose gap is too large move to the end of the lists."""
    rows, columns = maxima.shape[0], maxima.shape[1]
    capacity = column.shape[0]
    active, done = 0, 0
    for down in k.steps(rows):
        row = rows - 1 - down
        known = active
        for i in k.steps(known):
            gap[i] = gap[i] + 1
            before[i] = column[i]
        for at in k.steps(columns):
            if maxima[row, at]:
                best, nearest = -1, columns
                for i in k.steps(known):
                    away = abs(before[i] - at)
                    if away < nearest:
                        best, nearest = i, away
                if best >= 0 and nearest <= distance[row]:
                    column[best] = at
                    row_of[best] = row
                    length[best] = length[best] + 1
                    gap[best] = 0
                else:
                    column[active] = at
                    row_of[active] = row
                    length[active] = 1
                    gap[active] = 0
                    active += 1
        kept = 0
        for i in k.steps(active):
            if gap[i] > most_gap:
                done += 1
                place = capacity - done
                column[place] = column[i]
                row_of[place] = row_of[i]
                length[place] = length[i]
            else:
                column[kept] = column[i]
                row_of[kept] = row_of[i]
                length[kept] = length[i]
                gap[kept] = gap[i]
                kept += 1
        active = kept
    count[0] = active
    count[1] = done


def find_peaks_cwt(
    vector: Any,
    widths: Any,
    wavelet: Callable[..., Any] | None = None,
    max_distances: Any = None,
    gap_thresh: float | None = None,
    min_length: int | None = None,
    min_snr: float = 1,
    noise_perc: float = 10,
    window_size: int | None = None,
) -> ndarray:
    """The peaks of a signal that stay over several widths of a wavelet (Du, Kibbe and Lin 2006).

    Maxima are followed from row to row by a single thread, as each line depends on those before.

    Parameters
    ----------
    vector : array_like
        The signal.
    widths : array_like
        The widths of peaks.
    wavelet : callable, optional
        A function of a number of points and a width, by default `ricker`.
    max_distances : array_like, optional
        How far lines move at each width, by default a quarter of it.
    gap_thresh : float, optional
        How many widths a line may leave out, by default the first width.
    min_length : int, optional
        The least length of lines, by default a quarter of the widths.
    min_snr, noise_perc : float
        The least ratio of signal to noise, which is a percentile of the first row around.
    window_size : int, optional
        The size of that neighbourhood, by default a twentieth of the signal.

    Returns
    -------
    ndarray
        The places of peaks.

    Raises
    ------
    ValueError
        There are fewer distances than widths.

    >>> x = cp.exp(-((cp.arange(100.0) - 40) ** 2) / 50)
    >>> cp.scipy.signal.find_peaks_cwt(x, range(1, 10))
    array([40])
    """
    widths = np.atleast_1d(to_host(widths))
    gap_thresh = float(np.ceil(widths[0])) if gap_thresh is None else float(gap_thresh)
    distances = widths / 4.0 if max_distances is None else np.atleast_1d(to_host(max_distances))
    transform = cwt(vector, ricker if wavelet is None else wavelet, widths)
    rows, points = transform.shape
    if len(distances) < rows:
        raise ValueError("Max_distances must have at least as many rows as matr")
    maxima = relative_extrema(transform, cp.greater, 1, 1, "clip")
    capacity = max(int(maxima.sum()), 1)
    column, row_of, length, gap, before = (cp.zeros(capacity, np.int64) for _ in range(5))
    count = cp.zeros(2, np.int64)
    _ridges(
        maxima, cp.asarray(distances[:rows].astype(float)), column, row_of, length, gap, before, count, gap_thresh,
        cp.zeros(1),
    )  # fmt: skip
    active, done = (int(number) for number in count.get())
    chosen = cp.concatenate((cp.arange(active), cp.arange(capacity - done, capacity)))
    least = math.ceil(rows / 4) if min_length is None else min_length
    chosen = chosen[length[chosen] >= least]
    if chosen.size == 0:
        return cp.zeros(0, np.int64)
    window = math.ceil(points / 20) if window_size is None else operator.index(window_size)
    half, odd = divmod(window, 2)
    at = column[chosen]
    places = at[:, None] + cp.arange(-half, half + odd)
    values = cp.where((places >= 0) & (places < points), transform[0][cp.clip(places, 0, points - 1)], cp.nan)
    noise = cp.nanpercentile(values, noise_perc, axis=1)
    ratio = abs(transform[row_of[chosen], at] / noise)
    return cp.sort(at[~(ratio < min_snr)])
