"""Complex zeros of the error function and the Fresnel integrals: asymptotic values and Newton's rule. DLMF 7.13."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._routines.creation import asarray
from ..._typing import ArrayLike

__all__ = ["assoc_laguerre", "erf_zeros", "fresnel_zeros", "fresnelc_zeros", "fresnels_zeros"]

_numpy, _special = _core.ufuncs(), _core.ufuncs("special")
STEPS = 6
"""Steps of Newton's rule: the asymptotic values have two digits, which each step doubles."""


def _count(nt: Any) -> int:
    try:
        count = operator.index(nt)
    except TypeError:
        count = int(nt) if np.isscalar(nt) and nt == int(nt) else 0
    if count <= 0:
        raise ValueError("Argument must be positive scalar integer.")
    return count


def _improved(start: np.ndarray, value: Callable[[Any], Any], slope: Callable[[Any], Any]) -> ndarray:
    z = asarray(start)
    for _ in range(STEPS):
        z = z - value(z) / slope(z)
    return z


def erf_zeros(nt: int) -> ndarray:
    """The first zeros of erf in the first quadrant, by size.

    Parameters
    ----------
    nt : int
        How many.

    Returns
    -------
    ndarray of complex128, shape (nt,)
        The zeros.

    Raises
    ------
    ValueError
        `nt` is no positive integer.

    See Also
    --------
    scipy.special.erf_zeros : The function that this one follows; DLMF 7.13(ii).

    Examples
    --------
    >>> import cuproxide as cp
    >>> cp.scipy.special.erf_zeros(1).round(6)
    array([1.450616+1.880943j])
    """
    size = np.sqrt((np.arange(1, _count(nt) + 1) - 0.125) * np.pi)
    shift = np.log(size * np.sqrt(2 * np.pi)) / (4 * size)
    erf, exp = _special["erf"], _numpy["exp"]
    return _improved(size - shift + 1j * (size + shift), erf, lambda z: (2 / np.sqrt(np.pi)) * exp(-z * z))


def _fresnel_start(size: np.ndarray) -> np.ndarray:
    turn = 2 / np.pi * np.log(np.pi * size)
    return size + turn * (turn * np.pi - 4) / (8 * np.pi * size**3) + 1j * turn / (2 * size)


def fresnelc_zeros(nt: int) -> ndarray:
    """The first complex zeros of the Fresnel cosine integral in the first quadrant, by size.

    Parameters
    ----------
    nt : int
        How many.

    Returns
    -------
    ndarray of complex128, shape (nt,)
        The zeros.

    Raises
    ------
    ValueError
        `nt` is no positive integer.

    See Also
    --------
    scipy.special.fresnelc_zeros : The function that this one follows; DLMF 7.13(iii).

    Examples
    --------
    >>> import cuproxide as cp
    >>> cp.scipy.special.fresnelc_zeros(1).round(6)
    array([1.743667+0.305735j])
    """
    size = np.sqrt(4.0 * np.arange(1, _count(nt) + 1) - 1)
    fresnel, cosine = _special["fresnel"], _numpy["cos"]
    return _improved(_fresnel_start(size), lambda z: fresnel(z)[1], lambda z: cosine(np.pi / 2 * z * z))


def fresnels_zeros(nt: int) -> ndarray:
    """The first complex zeros of the Fresnel sine integral in the first quadrant, by size.

    Parameters
    ----------
    nt : int
        How many.

    Returns
    -------
    ndarray of complex128, shape (nt,)
        The zeros.

    Raises
    ------
    ValueError
        `nt` is no positive integer.

    See Also
    --------
    scipy.special.fresnels_zeros : The function that this one follows; DLMF 7.13(iii).

    Examples
    --------
    >>> import cuproxide as cp
    >>> cp.scipy.special.fresnels_zeros(1).round(6)
    array([2.009257+0.288548j])
    """
    size = 2 * np.sqrt(np.arange(1.0, _count(nt) + 1))
    fresnel, sine = _special["fresnel"], _numpy["sin"]
    return _improved(_fresnel_start(size), lambda z: fresnel(z)[0], lambda z: sine(np.pi / 2 * z * z))


def fresnel_zeros(nt: int) -> tuple[ndarray, ndarray]:
    """The first complex zeros of both Fresnel integrals, that of the sine first.

    Parameters
    ----------
    nt : int
        How many of each.

    Returns
    -------
    zeros_sine, zeros_cosine : ndarray of complex128, shape (nt,)
        The zeros.

    Raises
    ------
    ValueError
        `nt` is no positive integer.

    See Also
    --------
    scipy.special.fresnel_zeros : The function that this one follows.

    Examples
    --------
    >>> import cuproxide as cp
    >>> [zeros.shape for zeros in cp.scipy.special.fresnel_zeros(3)]
    [(3,), (3,)]
    """
    return fresnels_zeros(nt), fresnelc_zeros(nt)


def assoc_laguerre(x: ArrayLike, n: int, k: float = 0.0) -> Any:
    """The generalized Laguerre polynomial, with the arguments in another order.

    Parameters
    ----------
    x : array_like
        Points.
    n : int
        Degree.
    k : float, optional
        Parameter.

    Returns
    -------
    ndarray
        The values.

    See Also
    --------
    scipy.special.assoc_laguerre : The function that this one follows.
    eval_genlaguerre : The same function.

    Examples
    --------
    >>> import cuproxide as cp
    >>> cp.scipy.special.assoc_laguerre(cp.asarray([0.0, 1.0]), 2, 1)
    array([3. , 0.5])
    """
    return _special["eval_genlaguerre"](n, k, asarray(x))
