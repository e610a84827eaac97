"""Functions that become complex where real ones are not defined. See `numpy.lib.scimath`.

Whether that is so is read from the device, since it fixes the dtype of the result.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._cuproxide import ndarray
from .._lib.conversions import as_array, is_complex
from .._lib.ufuncs import NUMPY as _ufuncs
from .._typing import ArrayLike

__all__ = ["arccos", "arcsin", "arctanh", "log", "log2", "log10", "logn", "power", "sqrt"]


def _complex(x: ndarray) -> ndarray:
    """`x` in the complex dtype that holds it."""
    single = x.dtype == np.float32 or (x.dtype.kind in "iu" and x.dtype.itemsize <= 2)
    return x if is_complex(x.dtype) else x.astype(np.complex64 if single else np.complex128)


def _extended(x: ArrayLike, outside: Any) -> ndarray:
    x = as_array(x)
    return _complex(x) if not is_complex(x.dtype) and bool(outside(x).any()) else x


def _below_zero(x: ArrayLike) -> ndarray:
    return _extended(x, lambda x: x < 0)


def _beyond_one(x: ArrayLike) -> ndarray:
    return _extended(x, lambda x: abs(x) > 1)


def sqrt(x: ArrayLike) -> ndarray:
    """The square root, imaginary for negative numbers. See `numpy.emath.sqrt`.

    >>> cp.emath.sqrt(cp.asarray([-4.0, 4.0]))
    array([0.+2.j, 2.+0.j])
    """
    return _ufuncs["sqrt"](_below_zero(x))


def log(x: ArrayLike) -> ndarray:
    """The natural logarithm, complex for negative numbers. See `numpy.emath.log`.

    >>> cp.emath.log(-1.0).imag.round(6)
    array(3.141593)
    """
    return _ufuncs["log"](_below_zero(x))


def log10(x: ArrayLike) -> ndarray:
    """The logarithm to the base 10, complex for negative numbers. See `numpy.emath.log10`.

    >>> cp.emath.log10(-100.0).real.round(6)
    array(2.)
    """
    return _ufuncs["log10"](_below_zero(x))


def log2(x: ArrayLike) -> ndarray:
    """The logarithm to the base 2, complex for negative numbers. See `numpy.emath.log2`.

    >>> cp.emath.log2(-8.0).real.round(6)
    array(3.)
    """
    return _ufuncs["log2"](_below_zero(x))


def logn(n: ArrayLike, x: ArrayLike) -> ndarray:
    """The logarithm to the base `n`, complex for negative numbers.

    Parameters
    ----------
    n : array_like
        The base.
    x : array_like
        The array.

    Returns
    -------
    ndarray

    See Also
    --------
    numpy.emath.logn : The function that this one follows.

    Examples
    --------
    >>> cp.emath.logn(2, cp.asarray([4.0, 8.0])).round(6)
    array([2., 3.])
    """
    return _ufuncs["log"](_below_zero(x)) / _ufuncs["log"](_below_zero(n))


def power(x: ArrayLike, p: ArrayLike) -> ndarray:
    """`x` to the power `p`, complex for negative `x`; negative powers of integers are floats.

    Parameters
    ----------
    x : array_like
        The array.
    p : array_like
        The exponents.

    Returns
    -------
    ndarray

    See Also
    --------
    numpy.emath.power : The function that this one follows.

    Examples
    --------
    >>> cp.emath.power(-4.0, 0.5).imag.round(6)
    array(2.)
    """
    p = as_array(p)
    if p.dtype.kind in "iu" and bool((p < 0).any()):
        p = p * 1.0
    return _ufuncs["power"](_below_zero(x), p)


def arccos(x: ArrayLike) -> ndarray:
    """The angle of a cosine, complex outside [-1, 1]. See `numpy.emath.arccos`.

    >>> cp.emath.arccos(2.0).imag.round(6)
    array(-1.316958)
    """
    return _ufuncs["arccos"](_beyond_one(x))


def arcsin(x: ArrayLike) -> ndarray:
    """The angle of a sine, complex outside [-1, 1]. See `numpy.emath.arcsin`.

    >>> cp.emath.arcsin(2.0).real.round(6)
    array(1.570796)
    """
    return _ufuncs["arcsin"](_beyond_one(x))


def arctanh(x: ArrayLike) -> ndarray:
    """The number of a hyperbolic tangent, complex outside [-1, 1]. See `numpy.emath.arctanh`.

    >>> cp.emath.arctanh(2.0).real.round(6)
    array(0.549306)
    """
    return _ufuncs["arctanh"](_beyond_one(x))


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
