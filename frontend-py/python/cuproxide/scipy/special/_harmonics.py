"""Spherical harmonics, their gradients and Hessians."""

from __future__ import annotations

import numpy as np

from ... import moveaxis
from ..._cuproxide import ndarray
from ..._typing import ArrayLike
from ._legendre import _all, _limits, _one, _order_of_derivative, _own, _points, _whole

__all__ = ["sph_harm_y", "sph_harm_y_all"]


def _parts(values: ndarray, diff: int) -> ndarray | tuple[ndarray, ...]:
    """The function, with its gradient and Hessian along last axes."""
    if diff == 0:
        return values[0]
    gradient = moveaxis(values[1:3], 0, -1)
    if diff == 1:
        return values[0], gradient
    return values[0], gradient, moveaxis(values[3:].reshape(2, 2, *values.shape[1:]), (0, 1), (-2, -1))


def sph_harm_y(
    n: ArrayLike, m: ArrayLike, theta: ArrayLike, phi: ArrayLike, *, diff_n: int = 0
) -> ndarray | tuple[ndarray, ...]:
    """Spherical harmonics, and their gradients and Hessians with respect to the angles.

    Parameters
    ----------
    n, m : array_like of ints
        Degree and order; harmonics are 0 where ``abs(m) > n``.

    Returns
    -------
    ndarray or tuple of ndarray
        complex128: the harmonics, and for `diff_n` > 0 a tuple of them, the gradients of the shape ``(..., 2)`` and the
        Hessians of the shape ``(..., 2, 2)``.

    Raises
    ------
    TypeError
        `n` or `m` are not made of integers, or an angle is not made of real numbers.
    ValueError
        `diff_n` is not 0, 1 or 2.

    See Also
    --------
    scipy.special.sph_harm_y : The function that this one follows; DLMF 14.30.1.

    >>> cp.scipy.special.sph_harm_y(1, cp.asarray([0, 1]), 0.5, 0.25).round(6)
    array([ 0.428789+0.j     , -0.160489-0.04098j])
    """
    diff = _order_of_derivative(diff_n)
    degree, order = _whole("sph_harm_y", n=n, m=m)
    polar, azimuth = _points("sph_harm_y", "theta", theta), _points("sph_harm_y", "phi", phi)
    return _parts(_one("harmonic", degree, order, polar, diff, True, np.complex128, phi=azimuth), diff)


def sph_harm_y_all(
    n: int, m: int, theta: ArrayLike, phi: ArrayLike, *, diff_n: int = 0
) -> ndarray | tuple[ndarray, ...]:
    """Spherical harmonics of all degrees up to `n` and orders from `-m` to `m`, their gradients and Hessians.

    Parameters
    ----------
    n, m : int
        The last degree and order.

    Returns
    -------
    ndarray or tuple of ndarray
        The harmonics, of the shape ``(n + 1, 2 * abs(m) + 1, ...)``, negative orders counted from the end; for
        `diff_n` > 0 a tuple of them, the gradients and the Hessians as of `sph_harm_y`. complex64 if both angles are
        float32.

    Raises
    ------
    TypeError
        `m` is not an integer, or an angle is not made of real numbers.
    ValueError
        `n` is not a non-negative integer, or `diff_n` is not 0, 1 or 2.

    See Also
    --------
    scipy.special.sph_harm_y_all : The function that this one follows; DLMF 14.30.1.

    >>> cp.scipy.special.sph_harm_y_all(1, 1, 0.5, 0.0).real.round(6)
    array([[ 0.282095,  0.      ,  0.      ],
           [ 0.428789, -0.165639,  0.165639]])
    """
    diff = _order_of_derivative(diff_n)
    last, top = _limits(n, m)
    polar, azimuth = _points("sph_harm_y_all", "theta", theta), _points("sph_harm_y_all", "phi", phi)
    dtype = np.complex64 if _own(polar, azimuth) == np.float32 else np.complex128
    return _parts(_all("harmonic", last, top, polar, diff, True, dtype, phi=azimuth), diff)
