"""Cepstra: spectra of the logarithms of spectra."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

import cuproxide as cp

from .._cuproxide import ndarray
from .._lib.arguments import as_device

__all__ = ["complex_cepstrum", "inverse_complex_cepstrum", "minimum_phase", "real_cepstrum"]


def _signal(x: Any, n: int | None, axis: int) -> tuple[ndarray, int, int]:
    """A signal with axes, the number of points of its transform, and the axis."""
    x = as_device(x)
    axis = normalize_axis_index(axis, x.ndim)
    count = x.shape[axis] if n is None else operator.index(n)
    if count < 1:
        raise ValueError(f"n={count}: a transform has at least one point")
    return x, count, axis


def _ramp(count: int, ndim: int, axis: int, dtype: Any) -> ndarray:
    """Phases of a delay by one sample, which reach pi at the middle of a spectrum."""
    middle = max((count + 1) // 2, 1)
    turns = cp.arange(count, dtype=dtype) * (np.pi / middle)
    return turns.reshape([-1 if i == axis else 1 for i in range(ndim)])


def real_cepstrum(x: Any, n: int | None = None, axis: int = -1) -> ndarray:
    """The inverse Fourier transform of the logarithm of a spectrum's absolute values.

    Returns
    -------
    ndarray
        The cepstrum, real.

    Raises
    ------
    ValueError
        `n` is less than 1.

    See Also
    --------
    cupyx.signal.real_cepstrum : The function that this one follows.

    >>> import cuproxide as cp
    >>> cp.signal.real_cepstrum(cp.asarray([1.0, 0.5, 0.25, 0.125])).round(6) + 0.0
    array([-0.048404,  0.274653,  0.127706,  0.274653])
    """
    x, count, axis = _signal(x, n, axis)
    spectrum = cp.fft.fft(x, n=count, axis=axis)
    return cp.fft.ifft(cp.log(cp.abs(spectrum)), n=count, axis=axis).real


def complex_cepstrum(x: Any, n: int | None = None, axis: int = -1) -> tuple[ndarray, ndarray]:
    """The inverse Fourier transform of the logarithm of a spectrum, whose phase is made continuous.

    The phase is made zero at half the sampling frequency: a delay by whole samples is taken out. The cepstrum holds the
    whole signal if its sum is positive, and if the number of points is even or the delay zero; else an imaginary part
    is dropped.

    Parameters
    ----------
    x : array_like
        The signal, real.

    Returns
    -------
    tuple of ndarray
        The cepstrum, real, and the delay, which is the same along `axis`; both of one shape.

    Raises
    ------
    ValueError
        `n` is less than 1.

    See Also
    --------
    cupyx.signal.complex_cepstrum : The function that this one follows; it unwraps phases along the last axis only.
    inverse_complex_cepstrum : The signal of a cepstrum.

    >>> import cuproxide as cp
    >>> cepstrum, delay = cp.signal.complex_cepstrum(cp.asarray([0.0, 1.0, 0.5, 0.25]))
    >>> delay
    array([-1., -1., -1., -1.])
    >>> cp.signal.inverse_complex_cepstrum(cepstrum, delay).round(6) + 0.0
    array([0.  , 1.  , 0.5 , 0.25])
    """
    x, count, axis = _signal(x, n, axis)
    spectrum = cp.fft.fft(x, n=count, axis=axis)
    phase = cp.unwrap(cp.angle(spectrum), axis=axis)
    middle = min((count + 1) // 2, count - 1)
    at_middle = phase[tuple(slice(middle, middle + 1) if i == axis else slice(None) for i in range(x.ndim))]
    delay = cp.broadcast_to(cp.rint(at_middle / np.pi), phase.shape).copy()
    imaginary = phase - delay * _ramp(count, x.ndim, axis, phase.dtype)
    logarithms = cp.log(cp.abs(spectrum)) + 1j * imaginary
    return cp.fft.ifft(logarithms, n=count, axis=axis).real, delay


def inverse_complex_cepstrum(ceps: Any, ndelay: Any) -> ndarray:
    """The signal whose complex cepstrum along the last axis is given.

    Parameters
    ----------
    ceps : array_like
        The cepstrum.
    ndelay : int or array_like
        The delay that `complex_cepstrum` found; must broadcast with `ceps`.

    Returns
    -------
    ndarray
        The signal, real.

    See Also
    --------
    cupyx.signal.inverse_complex_cepstrum : The function that this one follows; for an even number of points it counts
        the middle of the spectrum as half a point further than `complex_cepstrum` does.

    >>> import cuproxide as cp
    >>> cp.signal.inverse_complex_cepstrum(cp.zeros(4), 0)
    array([1., 0., 0., 0.])
    """
    ceps, count, axis = _signal(ceps, None, -1)
    logarithms = cp.fft.fft(ceps)
    ramp = _ramp(count, ceps.ndim, axis, logarithms.real.dtype)
    delays = ndelay if np.isscalar(ndelay) else as_device(ndelay)
    return cp.fft.ifft(cp.exp(logarithms + 1j * (delays * ramp))).real


def minimum_phase(x: Any, n: int | None = None) -> ndarray:
    """The signal with the absolute values of a spectrum and the least possible delay.

    Parameters
    ----------
    x : array_like
        The signal, real, along the last axis.

    Returns
    -------
    ndarray
        The signal of minimum phase, `n` points.

    Raises
    ------
    ValueError
        `n` is less than 1.

    See Also
    --------
    cupyx.signal.minimum_phase : The function that this one follows.
    cuproxide.scipy.signal.minimum_phase : Filters of minimum phase.

    >>> import cuproxide as cp
    >>> cp.signal.minimum_phase(cp.asarray([0.0, 0.0, 1.0, 0.0])).round(6) + 0.0
    array([1., 0., 0., 0.])
    """
    x, count, _ = _signal(x, n, -1)
    # The part of the cepstrum for negative times is folded onto that for positive ones.
    fold = np.zeros(count)
    fold[0] = 1
    fold[1 : (count + 1) // 2] = 2
    if count % 2 == 0:
        fold[count // 2] = 1
    cepstrum = real_cepstrum(x, n=count)
    folded = cepstrum * cp.asarray(fold.astype(cepstrum.dtype))
    return cp.fft.ifft(cp.exp(cp.fft.fft(folded))).real
