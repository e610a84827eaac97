"""Channels of a signal, shifts in frequency, and convolutions of second and third order."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

import cuproxide as cp

from .._cuproxide import ndarray
from .._lib import kernel as k

__all__ = ["channelize_poly", "convolve1d2o", "convolve1d3o", "freq_shift"]


def channelize_poly(x: Any, h: Any, n_chans: int) -> ndarray:
    """A signal split into channels of equal width by a polyphase filter.

    Parameters
    ----------
    x : array_like
        The signal, of one axis.
    h : array_like
        The taps of the filter, len(h) // `n_chans` for each channel.
    n_chans : int
        The number of channels.

    Returns
    -------
    ndarray
        The channels (`n_chans`, len(x) // `n_chans`), complex.

    Raises
    ------
    ValueError
        An array has not one axis, or there are fewer taps than channels.

    See Also
    --------
    cupyx.signal.channelize_poly : The function that this one follows; it has at most 32 taps for each channel.

    >>> import cuproxide as cp
    >>> cp.signal.channelize_poly(cp.ones(8), cp.ones(4), 4).shape
    (4, 2)
    """
    x, h = cp.asarray(x), cp.asarray(h)
    n_chans = operator.index(n_chans)
    if x.ndim != 1 or h.ndim != 1:
        raise ValueError(f"x and h must have one axis, not {x.ndim} and {h.ndim}")
    if n_chans < 1 or h.size < n_chans:
        raise ValueError(f"n_chans={n_chans} must be positive and at most the number of taps, {h.size}")
    kind = np.result_type(x.dtype, h.dtype, np.float32)
    taps, points = h.size // n_chans, x.size // n_chans
    weights = h[: taps * n_chans].astype(kind).reshape(taps, n_chans).conj()
    frames = x[: points * n_chans].astype(kind).reshape(points, n_chans)[:, ::-1].conj()
    padded = cp.pad(frames, [(taps - 1, 0), (0, 0)])
    total: Any = 0
    for tap in range(taps):
        total = total + weights[tap] * padded[taps - 1 - tap : taps - 1 - tap + points]
    return cp.fft.fft(total, axis=1).conj().T


def freq_shift(x: Any, freq: float, fs: float) -> ndarray:
    """A signal moved down by a frequency, in units of the sampling frequency `fs`.

    Parameters
    ----------
    freq, fs : float
        The frequency and the sampling frequency.

    Returns
    -------
    ndarray
        The product with a complex oscillation, complex128.

    See Also
    --------
    cupyx.signal.freq_shift : The function that this one follows.

    >>> import cuproxide as cp
    >>> cp.signal.freq_shift(cp.ones(2), 0.5, 1.0).real
    array([ 1., -1.])
    """
    x = cp.asarray(x)
    turns = cp.arange(x.size).reshape(x.shape) * (-2 * math.pi * freq / fs)
    return x * cp.exp(1j * turns)


@k.kernel
def _second_order(x: k.Array, h: k.Array, i: k.Each, *, kind):
    """Sums of products of two, each axis of `h` counting backwards from a place."""
    total = k.value(0, kind)
    for a in k.steps(h.shape[0]):
        first = x[i + h.shape[0] - 1 - a].astype(kind)
        for b in k.steps(h.shape[1]):
            total = total + first * x[i + h.shape[1] - 1 - b].astype(kind) * h[a, b].astype(kind)
    return total


@k.kernel
def _third_order(x: k.Array, h: k.Array, i: k.Each, *, kind):
    """Sums of triple products, each axis of `h` counting backwards from a place."""
    total = k.value(0, kind)
    for a in k.steps(h.shape[0]):
        first = x[i + h.shape[0] - 1 - a].astype(kind)
        for b in k.steps(h.shape[1]):
            second = first * x[i + h.shape[1] - 1 - b].astype(kind)
            for c in k.steps(h.shape[2]):
                total = total + second * x[i + h.shape[2] - 1 - c].astype(kind) * h[a, b, c].astype(kind)
    return total


def convolve1d2o(in1: Any, in2: Any, mode: str = "valid", method: str = "direct") -> ndarray:
    """A signal convolved with a filter of second order: the products of two of its elements, weighted.

    Parameters
    ----------
    in2 : array_like
        The filter, of two axes.

    Raises
    ------
    ValueError
        Numbers of axes are not one and two, the filter is longer than the signal, or an argument is unknown.

    See Also
    --------
    cupyx.signal.convolve1d2o : The function that this one follows; its mode is "valid".

    >>> import cuproxide as cp
    >>> cp.signal.convolve1d2o(cp.arange(4.0), cp.ones((2, 2)))
    array([ 1.,  9., 25.])
    """
    return _convolved(_second_order, ("one", "two"), in1, in2, mode, method)


def convolve1d3o(in1: Any, in2: Any, mode: str = "valid", method: str = "direct") -> ndarray:
    """A signal convolved with a filter of third order: the products of three of its elements, weighted.

    Parameters
    ----------
    in2 : array_like
        The filter, of three axes.

    Raises
    ------
    ValueError
        Numbers of axes are not one and three, the filter is longer than the signal, or an argument is unknown.

    See Also
    --------
    cupyx.signal.convolve1d3o : The function that this one follows; its mode is "valid".

    >>> import cuproxide as cp
    >>> cp.signal.convolve1d3o(cp.arange(4.0), cp.ones((2, 2, 2)))
    array([  1.,  27., 125.])
    """
    return _convolved(_third_order, ("one", "three"), in1, in2, mode, method)


def _convolved(kernel: Any, axes: tuple[str, str], in1: Any, in2: Any, mode: str, method: str) -> ndarray:
    """The sums of a kernel over the places where a filter lies."""
    x, h = cp.asarray(in1), cp.asarray(in2)
    for name, array, count in zip(("in1", "in2"), (x, h), axes, strict=True):
        if array.ndim != ("one", "two", "three").index(count) + 1:
            raise ValueError(f"{name} should have {count} dimension{'s' if count != 'one' else ''}")
    if mode not in ("valid", "same", "full"):
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")
    if method not in ("auto", "direct"):
        raise ValueError(f"method must be 'auto' or 'direct', not {method!r}")
    longest = max(h.shape)
    if mode == "full":
        x = cp.pad(x, longest - 1)
    elif mode == "same":
        x = cp.pad(x, (longest // 2, (longest - 1) // 2))
    count = x.size - longest + 1
    if count < 0 or 0 in h.shape:
        raise ValueError(f"in2 of the shape {h.shape} does not fit in1 of {x.size} elements")
    kind = np.result_type(x.dtype, h.dtype)
    return kernel(x, h, cp.arange(count), kind=kind.name)
