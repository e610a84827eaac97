"""Trends taken out, analytic signals and envelopes."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, is_integer, to_host
from ._common import as_inexact

__all__ = ["detrend", "envelope", "hilbert", "hilbert2"]


def _without_line(x: ndarray) -> ndarray:
    """Rows (last axis) less their regression lines."""
    n = x.shape[-1]
    place = cp.arange(n) - (n - 1) / 2.0
    place = place.astype(x.real.dtype)
    level = x.mean(axis=-1, keepdims=True)
    squares = n * (float(n) * n - 1) / 12.0
    slope = (x * place).sum(axis=-1, keepdims=True) / squares if squares else 0.0
    return x - level - slope * place


def detrended(x: ndarray, type: str) -> ndarray:
    """Rows (last axis) without their mean or line."""
    return x - x.mean(axis=-1, keepdims=True) if type == "constant" else _without_line(x)


def check_trend(type: Any) -> str:
    """The kind of a trend."""
    if type not in ("linear", "l", "constant", "c"):
        raise ValueError("Trend type must be 'linear' or 'constant'.")
    return "linear" if type in ("linear", "l") else "constant"


def detrend(data: Any, axis: int = -1, type: str = "linear", bp: Any = 0, overwrite_data: bool = False) -> ndarray:
    """A signal without its trend.

    Parameters
    ----------
    type : {'linear', 'constant'}
        Whether the regression line or the mean is taken out.
    bp : array_like of int
        Where a new line begins.
    overwrite_data : bool
        Whether `data` may be changed; it is not.

    Returns
    -------
    ndarray
        The rest, in a floating dtype.

    Raises
    ------
    ValueError
        The type is unknown, or a break lies outside.

    >>> cp.scipy.signal.detrend(cp.asarray([1.0, 2.0, 4.0]), type="constant").round(4)
    array([-1.3333, -0.3333,  1.6667])
    """
    type = check_trend(type)
    given = as_device(data)
    # Half precision goes back to itself without its mean, and to double precision without a line, as in SciPy.
    half = given.dtype == np.float16
    x = given.astype(np.float64) if half else as_inexact(given)
    axis = normalize_axis_index(axis, x.ndim)
    rows = cp.moveaxis(x, axis, -1)
    if type == "constant":
        return cp.moveaxis(detrended(rows, type), -1, axis).astype(given.dtype if half else x.dtype, copy=False)
    length = rows.shape[-1]
    breaks = np.unique(np.concatenate(([0], to_host(bp).ravel(), [length]))).astype(int)
    if (breaks > length).any() or (breaks < 0).any():
        raise ValueError(f"Breakpoints must lie between 0 and the length {length} of the axis, not be {bp}.")
    parts = [_without_line(rows[..., start:stop]) for start, stop in zip(breaks[:-1], breaks[1:], strict=True)]
    found = parts[0] if len(parts) == 1 else cp.concatenate(parts, axis=-1)
    return cp.moveaxis(found, -1, axis)


def _one_side(length: int) -> np.ndarray:
    """The weights that take out negative frequencies and Nyquist's."""
    weights = np.zeros(length)
    weights[0] = 1
    weights[1 : (length + 1) // 2] = 2
    return weights


def hilbert(x: Any, N: int | None = None, axis: int = -1) -> ndarray:
    """The analytic signal, whose imaginary part is the Hilbert transform.

    Parameters
    ----------
    x : array_like
        The real signal.
    N : int, optional
        The number of points, by default that of `x`.

    Raises
    ------
    ValueError
        `x` is complex, or `N` is not positive.

    >>> cp.scipy.signal.hilbert(cp.asarray([1.0, 0.0, -1.0, 0.0])).imag.round(6)
    array([ 0.,  1.,  0., -1.])
    """
    x = as_device(x)
    if x.dtype.kind == "c":
        raise ValueError("x must be real.")
    axis = normalize_axis_index(axis, x.ndim)
    N = x.shape[axis] if N is None else operator.index(N)
    if N <= 0:
        raise ValueError("N must be positive.")
    spectrum = cp.fft.rfft(as_inexact(x), N, axis=axis)
    weights = cp.full(spectrum.shape[axis], 2.0, spectrum.real.dtype)
    weights[0] = 1
    if N % 2 == 0:
        weights[-1] = 1
    # Negative frequencies are zero: the inverse transform continues with them.
    shape = [-1 if i == axis else 1 for i in range(x.ndim)]
    return cp.fft.ifft(spectrum * weights.reshape(shape), N, axis=axis)


def hilbert2(x: Any, N: Any = None, axes: Any = (-2, -1)) -> ndarray:
    """The analytic signal of images, with one quadrant of frequencies.

    Parameters
    ----------
    x : array_like
        The real images.
    N : int or tuple of two int, optional
        The numbers of points.
    axes : tuple of two int
        The axes of images.

    Raises
    ------
    ValueError
        `x` is complex, axes are not two, or a number of points is not positive.

    >>> cp.scipy.signal.hilbert2(cp.ones((2, 2))).real
    array([[1., 1.],
           [1., 1.]])
    """
    x = cp.atleast_2d(as_device(x))
    if x.dtype.kind == "c":
        raise ValueError("x must be real.")
    axes = tuple(axes)
    if len(axes) != 2:
        raise ValueError("axes must be a tuple of length 2")
    if axes[0] % x.ndim == axes[1] % x.ndim:
        raise ValueError("axes must contain 2 distinct axes")
    if N is None:
        sizes = tuple(x.shape[axis] for axis in axes)
    elif is_integer(N):
        if N <= 0:
            raise ValueError("N must be positive.")
        sizes = (int(N), int(N))
    else:
        sizes = tuple(int(size) for size in N)
        if len(sizes) != 2 or any(size <= 0 for size in sizes):
            raise ValueError("When given as a tuple, N must hold exactly two positive integers")
    x = as_inexact(x)
    spectrum = cp.fft.fft2(x, sizes, axes)
    for axis, size in zip(axes, sizes, strict=True):
        shape = [-1 if i == axis % x.ndim else 1 for i in range(x.ndim)]
        spectrum = spectrum * cp.asarray(_one_side(size).astype(x.dtype)).reshape(shape)
    return cp.fft.ifft2(spectrum, axes=axes)


def envelope(
    z: Any,
    bp_in: Any = (1, None),
    *,
    n_out: int | None = None,
    squared: bool = False,
    residual: Any = "lowpass",
    axis: int = -1,
) -> ndarray:
    """The envelope of a band of a signal, and what the signal is without it.

    Parameters
    ----------
    z : array_like
        The real or complex signal.
    bp_in : tuple of two int or None
        The first number of the band in the transform, and the one after its last.
    n_out : int, optional
        The number of points of the result.
    squared : bool
        Whether the square of the envelope is wanted.
    residual : {'lowpass', 'all'} or None
        Whether frequencies below the band are the residual, all outside of it, or there is none.

    Returns
    -------
    ndarray
        The envelope, or both stacked along a first axis.

    Raises
    ------
    ValueError
        An argument is unknown or out of range.

    >>> cp.scipy.signal.envelope(cp.cos(cp.arange(8) * cp.pi / 2), residual=None).round(6)
    array([1., 1., 1., 1., 1., 1., 1., 1.])
    """
    from ._resampling import resample

    z = as_inexact(z)
    if not -z.ndim <= axis < z.ndim:
        raise ValueError(f"Invalid parameter axis={axis!r} for z.shape={z.shape!r}!")
    if z.shape[axis] == 0:
        raise ValueError(f"z.shape[axis] not > 0 for z.shape={z.shape!r}, axis={axis!r}!")
    if len(bp_in) != 2 or not all(b is None or is_integer(b) for b in bp_in):
        raise ValueError(f"bp_in={bp_in!r} isn't a 2-tuple of type (int | None, int | None)!")
    if not (n_out is None or (is_integer(n_out) and n_out > 0)):
        raise ValueError(f"n_out={n_out!r} is not a positive integer or None!")
    if residual not in ("lowpass", "all", None):
        raise ValueError(f"residual={residual!r} not in ['lowpass', 'all', None]!")
    n = z.shape[axis]
    count = n if n_out is None else n_out
    start = -(n // 2) if bp_in[0] is None else bp_in[0]
    stop = (n + 1) // 2 if bp_in[1] is None else bp_in[1]
    if not -n // 2 <= start < stop <= (n + 1) // 2:
        raise ValueError(
            f"`-n//2 <= bp_in[0] < bp_in[1] <= (n+1)//2` does not hold for n=z.shape[axis]={n!r} and bp_in={bp_in!r}!"
        )
    rows = cp.moveaxis(z, axis, -1)
    is_complex = z.dtype.kind == "c"
    # The number of each frequency in the order of transforms.
    number = np.concatenate((np.arange((n + 1) // 2), np.arange(-(n // 2), 0)))
    in_band = (number >= start) & (number < stop)
    if is_complex:
        spectrum = cp.fft.fft(rows)
    else:
        half = cp.fft.rfft(rows)
        spectrum = cp.concatenate((half, cp.zeros((*rows.shape[:-1], n - half.shape[-1]), half.dtype)), axis=-1)
        double = np.ones(n, z.dtype)
        if start > 0:
            double[start:stop] = 2
        elif stop > 0:
            double[1:stop] = 2
        spectrum = spectrum * cp.asarray(double)
    order = np.flatnonzero(in_band)
    order = order[np.argsort(number[order], kind="stable")]
    band = spectrum[..., int(order[0]) : int(order[-1]) + 1] if (np.diff(order) == 1).all() else None
    if band is None:
        split = int(np.flatnonzero(np.diff(order) != 1)[0]) + 1
        band = cp.concatenate(
            (spectrum[..., int(order[0]) : int(order[split - 1]) + 1], spectrum[..., : len(order) - split]), axis=-1
        )
    base = cp.fft.ifft(band, count) * (count / n)
    found = base.real**2 + base.imag**2 if squared else abs(base)
    found = cp.moveaxis(found, -1, axis)
    if residual is None:
        return found
    # A band from 0 on leaves nothing, as SciPy's.
    keep = ~in_band if start != 0 else np.zeros(n, bool)
    if residual == "lowpass":
        if stop > 0:
            keep[stop : (n + 1) // 2] = False
        else:
            keep[start if start >= 0 else start + n :] = False
            keep[: (n + 1) // 2] = False
    rest = cp.where(cp.asarray(keep), spectrum, 0)
    if is_complex:
        rest = resample(rest, count, axis=-1, domain="freq")
    else:
        if count != n and (least := min(n, count)) % 2 == 0:
            scale = np.ones(n, z.dtype)
            scale[least // 2] = 2 if count < n else 0.5
            rest = rest * cp.asarray(scale)
        rest = (count / n) * cp.fft.irfft(rest, count)
    return cp.stack((found, cp.moveaxis(rest, -1, axis)), axis=0)
