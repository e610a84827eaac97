"""Frequencies of spectra with SciPy's arguments: a namespace may be named that makes the array."""

from __future__ import annotations

from typing import Any

from ... import fft as _fft
from ..._typing import DeviceLike, DTypeLike


def fftfreq(n: int, d: float = 1.0, *, xp: Any = None, device: DeviceLike = None, dtype: DTypeLike = None) -> Any:
    """The frequencies of the elements of `fft`, made by the namespace `xp` if it is given.

    Parameters
    ----------
    n : int
        The number of points.
    d : float
        The distance of the points.
    xp : module, optional
        The array module of the result: NumPy, or this package by default.
    device : Device or str, optional
        Where the result is; by default the current device.
    dtype : dtype, optional
        The type of the result's elements.

    Returns
    -------
    ndarray

    See Also
    --------
    scipy.fft.fftfreq : The function that this one follows.

    >>> cp.scipy.fft.fftfreq(4)
    array([ 0.  ,  0.25, -0.5 , -0.25])
    """
    return _made(xp).fftfreq(n, d, device=device, **_typed(dtype))


def rfftfreq(n: int, d: float = 1.0, *, xp: Any = None, device: DeviceLike = None, dtype: DTypeLike = None) -> Any:
    """The frequencies of the elements of `rfft`, made by the namespace `xp` if it is given.

    Parameters
    ----------
    n : int
        The number of points.
    d : float
        The distance of the points.
    xp : module, optional
        The array module of the result: NumPy, or this package by default.
    device : Device or str, optional
        Where the result is; by default the current device.
    dtype : dtype, optional
        The type of the result's elements.

    Returns
    -------
    ndarray

    See Also
    --------
    scipy.fft.rfftfreq : The function that this one follows.

    >>> cp.scipy.fft.rfftfreq(4)
    array([0.  , 0.25, 0.5 ])
    """
    return _made(xp).rfftfreq(n, d, device=device, **_typed(dtype))


def _made(xp: Any) -> Any:
    return _fft if xp is None else xp.fft


def _typed(dtype: DTypeLike) -> dict[str, Any]:
    """Not every namespace takes a dtype here."""
    return {} if dtype is None else {"dtype": dtype}


__all__ = ["fftfreq", "rfftfreq"]
