"""Filters with finite impulse responses, by CuPy's names."""

from __future__ import annotations

from typing import Any

from .._cuproxide import ndarray
from ..scipy.signal import filtfilt, lfilter, lfilter_zi

__all__ = ["firfilter", "firfilter2", "firfilter_zi"]


def firfilter(b: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """A filter with a finite impulse response along an axis.

    Parameters
    ----------
    zi : array_like, optional
        The initial state, of the form of `lfilter`'s: the shape of `x` with len(b) - 1 along `axis`.

    Returns
    -------
    ndarray, or a tuple with the final state if `zi` was given
        The filtered signal.

    Raises
    ------
    ValueError
        `b` is empty, or `zi` has another shape.

    See Also
    --------
    cupyx.signal.firfilter : The function that this one follows.

    >>> import cuproxide as cp
    >>> cp.signal.firfilter(cp.asarray([0.5, 0.5]), cp.asarray([1.0, 3.0, 5.0]))
    array([0.5, 2. , 4. ])
    """
    return lfilter(b, [1.0], x, axis, zi)


def firfilter_zi(b: Any) -> ndarray:
    """The state that `firfilter` stays in for a constant input of 1.

    Returns
    -------
    ndarray
        The state.

    Raises
    ------
    ValueError
        `b` has more than one axis.

    See Also
    --------
    cupyx.signal.firfilter_zi : The function that this one follows; its states are SciPy's, and its `firfilter` takes
        others.

    >>> import cuproxide as cp
    >>> cp.signal.firfilter_zi(cp.asarray([0.5, 0.25, 0.25]))
    array([0.5 , 0.25])
    """
    return lfilter_zi(b, [1.0])


def firfilter2(
    b: Any,
    x: Any,
    axis: int = -1,
    padtype: Any = "odd",
    padlen: int | None = None,
    method: str = "pad",
    irlen: int | None = None,
) -> ndarray:
    """A filter with a finite impulse response run forwards and backwards, which delays nothing.

    Parameters
    ----------
    padtype, padlen, method, irlen
        As for `scipy.signal.filtfilt`.

    Returns
    -------
    ndarray
        The filtered signal.

    Raises
    ------
    ValueError
        As for `filtfilt`.

    See Also
    --------
    cupyx.signal.firfilter2 : The function that this one follows.

    >>> import cuproxide as cp
    >>> cp.signal.firfilter2(cp.asarray([0.5, 0.5]), cp.arange(8.0)).round(6)
    array([0., 1., 2., 3., 4., 5., 6., 7.])
    """
    return filtfilt(b, [1.0], x, axis, padtype, padlen, method, irlen)
