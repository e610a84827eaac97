"""Complex zeros of the error function and the Fresnel integrals: asymptotic values and Newton's rule. DLMF 7.13."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import asarray
from ..._cuproxide import ndarray
from ..._lib.ufuncs import NUMPY as _numpy
from ..._lib.ufuncs import SPECIAL as _special

__all__ = ["erf_zeros", "fresnel_zeros", "fresnelc_zeros", "fresnels_zeros"]

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


def _fresnel_start(size: np.ndarray) -> np.ndarray:
    turn = 2 / np.pi * np.log(np.pi * size)
    return size + turn * (turn * np.pi - 4) / (8 * np.pi * size**3) + 1j * turn / (2 * size)


def _of_erf(nt: int) -> ndarray:
    size = np.sqrt((np.arange(1, _count(nt) + 1) - 0.125) * np.pi)
    shift = np.log(size * np.sqrt(2 * np.pi)) / (4 * size)
    erf, exp = _special["erf"], _numpy["exp"]
    return _improved(size - shift + 1j * (size + shift), erf, lambda z: (2 / np.sqrt(np.pi)) * exp(-z * z))


def _of_fresnel(which: int, slope: str, sizes: Callable[[np.ndarray], np.ndarray]) -> Callable[[int], ndarray]:
    """Zeros of the first (S) or second (C) Fresnel integral, whose derivative is `slope` of pi / 2 z**2."""

    def zeros(nt: int) -> ndarray:
        fresnel, derivative = _special["fresnel"], _numpy[slope]
        start = _fresnel_start(np.sqrt(sizes(np.arange(1.0, _count(nt) + 1))))
        return _improved(start, lambda z: fresnel(z)[which], lambda z: derivative(np.pi / 2 * z * z))

    return zeros


_DOC = """The first complex zeros of {text} in the first quadrant, by size.

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
    scipy.special.{name} : The function that this one follows; DLMF 7.13.

    Examples
    --------
    >>> import cuproxide as cp
    >>> cp.scipy.special.{name}(1).round(6)
    array([{shown}])
    """


def _named(function: Callable[[int], ndarray], name: str, text: str, shown: str) -> Callable[[int], ndarray]:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = _DOC.format(name=name, text=text, shown=shown)
    return function


erf_zeros = _named(_of_erf, "erf_zeros", "erf", "1.450616+1.880943j")
fresnels_zeros = _named(
    _of_fresnel(0, "sin", lambda n: 4 * n), "fresnels_zeros", "the Fresnel sine integral", "2.009257+0.288548j"
)
fresnelc_zeros = _named(
    _of_fresnel(1, "cos", lambda n: 4 * n - 1), "fresnelc_zeros", "the Fresnel cosine integral", "1.743667+0.305735j"
)


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

    >>> [zeros.shape for zeros in cp.scipy.special.fresnel_zeros(3)]
    [(3,), (3,)]
    """
    return fresnels_zeros(nt), fresnelc_zeros(nt)
