"""Bounds, rounding, the parts of complex numbers, and numbers that are none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.conversions import as_array, as_operand, is_complex, is_inexact
from .._lib.following import follows_cupy
from .._lib.ufuncs import NUMPY as _ufuncs
from .._typing import ArrayLike

__all__ = [
    "angle",
    "around",
    "clip",
    "fix",
    "imag",
    "nan_to_num",
    "real",
    "real_if_close",
    "round",
    "sinc",
]

_isnan, _subtract = _ufuncs["isnan"], _ufuncs["subtract"]


# Bounds and rounding.


def clip(
    a: ArrayLike,
    a_min: ArrayLike | None = None,
    a_max: ArrayLike | None = None,
    out: ndarray | None = None,
    *,
    min: ArrayLike | None = None,
    max: ArrayLike | None = None,
    **kwargs: Any,
) -> ndarray:
    """`a` with elements below `a_min` (or `min`) and above `a_max` (or `max`) replaced by that bound.

    The bounds broadcast; None is no bound.

    Parameters
    ----------
    a_min : array_like or None, optional
        The lower bound.
    a_max : array_like or None, optional
        The upper bound.
    min : array_like, optional
        The lower bound, by its name of the array API standard.
    max : array_like, optional
        The upper bound, by its name of the array API standard.
    **kwargs
        The options of ufuncs.

    >>> cp.clip(cp.arange(5), 1, 3)
    array([1, 1, 2, 3, 3])
    """
    if (min is not None and a_min is not None) or (max is not None and a_max is not None):
        raise ValueError("Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is forbidden.")
    a = as_operand(a)
    low = _bound("a_min", a_min) if min is None else _bound("min", min)
    high = _bound("a_max", a_max) if max is None else _bound("max", max)
    if kwargs:
        if low is None and high is None:
            return _ufuncs["positive"](a, out=out, **kwargs)
        at_least: Any = a if low is None else _ufuncs["maximum"](a, low, out=out, **kwargs)
        return at_least if high is None else _ufuncs["minimum"](at_least, high, out=out, **kwargs)
    return _core.clip(a, low, high, out)


def _bound(name: str, value: Any) -> Any:
    """A bound of `clip` as an operand; the error for what is none names the argument as the caller does."""
    if value is None:
        return None
    try:
        return as_operand(value)
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from error


def round(a: ArrayLike, decimals: int = 0, out: ndarray | None = None) -> ndarray:
    """`a` rounded to `decimals` places, halves to the even neighbour.

    Parameters
    ----------
    decimals : int
        The number of places, negative ones left of the point.

    See Also
    --------
    numpy.round : The function that this one follows.

    >>> cp.round(cp.asarray([0.5, 1.5, 2.567]), 2)
    array([0.5 , 1.5 , 2.57])
    """
    return as_array(a).round(decimals, out)


around = round


def fix(x: ArrayLike, out: ndarray | None = None) -> ndarray:
    """`x` rounded towards zero.

    Parameters
    ----------
    out : ndarray, optional
        An array for the result.

    >>> cp.fix(cp.asarray([1.7, -1.7]))
    array([ 1., -1.])
    """
    return _ufuncs["trunc"](as_operand(x), out=out)


# Complex numbers.


def real(val: ArrayLike) -> ndarray:
    """The real part: a view for a complex array, the array itself for a real one. See `numpy.real`.

    >>> cp.real(cp.asarray([1 + 2j]))
    array([1.])
    """
    return as_array(val).real


def imag(val: ArrayLike) -> ndarray:
    """The imaginary part: a view for a complex array, zeros for a real one. See `numpy.imag`.

    >>> cp.imag(cp.asarray([1 + 2j]))
    array([2.])
    """
    return as_array(val).imag


def angle(z: ArrayLike, deg: bool = False) -> ndarray:
    """The angle of complex numbers in the plane, in radians or degrees.

    Parameters
    ----------
    z : array_like
        Complex numbers.
    deg : bool
        Whether the angle is in degrees.

    >>> cp.angle(cp.asarray([1j]), deg=True)
    array([90.])
    """
    z = as_array(z)
    result = _ufuncs["arctan2"](z.imag, z.real) if is_complex(z.dtype) else _ufuncs["arctan2"](0, z)
    if deg:
        result *= 180 / math.pi
    return result


def real_if_close(a: ArrayLike, tol: float = 100) -> ndarray:
    """The real part of `a` if all imaginary parts are near 0, else `a` (waits for the device).

    `tol` counts units of the dtype's precision if it is above 1.

    Parameters
    ----------
    tol : float
        The tolerance.

    >>> cp.real_if_close(cp.asarray([1 + 0j]))
    array([1.])
    """
    a = as_array(a)
    if not is_complex(a.dtype):
        return a
    if tol > 1:
        tol *= np.finfo(a.dtype).eps
    return a.real if bool((_ufuncs["absolute"](a.imag) < tol).all()) else a


def nan_to_num(
    x: ArrayLike,
    copy: bool = True,
    nan: ArrayLike = 0.0,
    posinf: ArrayLike | None = None,
    neginf: ArrayLike | None = None,
) -> ndarray:
    """`x` with NaN and infinities replaced, infinities by the largest finite numbers unless given.

    Replacements are numbers or arrays, which broadcast. Without `copy` in place.

    Parameters
    ----------
    copy : bool
        Whether to copy, or to write to `x`.
    nan : number
        What becomes of NaN.
    posinf : number, optional
        What becomes of infinity, by default the largest number.
    neginf : number, optional
        What becomes of negative infinity, by default the least number.

    >>> cp.nan_to_num(cp.asarray([cp.nan, 1.0]))
    array([0., 1.])
    """
    if isinstance(copy, str):
        raise ValueError("strings are not allowed for 'copy' keyword. Use True/False/None instead.")
    x = as_array(x)
    # A ufunc in CuPy, whose results lie in C order.
    result = x.copy(order="C" if follows_cupy() else "K") if copy else x
    if not is_inexact(x.dtype):
        return result
    for part in (result.real, result.imag) if is_complex(x.dtype) else (result,):
        limits = _finfo(part.dtype)
        isinf, negative = _ufuncs["isinf"](part), _ufuncs["signbit"](part)
        high, low = (limits.max if posinf is None else posinf), (limits.min if neginf is None else neginf)
        for value, mask in ((nan, _isnan(part)), (high, isinf & ~negative), (low, isinf & negative)):
            _core.copyto(part, as_operand(value), "same_kind", mask)
    return result


def _finfo(dtype: np.dtype[Any]) -> Any:
    from ..dtypes import finfo

    return finfo(dtype)


# Functions of one variable.


def sinc(x: ArrayLike) -> ndarray:
    """sin(pi x) / (pi x), and 1 at 0. See `numpy.sinc`.

    >>> cp.sinc(cp.asarray([0.0, 0.5]))
    array([1.        , 0.63661977])
    """
    from ..dtypes import finfo

    y = math.pi * as_array(x)
    # In place of 0, of which float16 would make the fixed number that complex ones take, too.
    tiny = 1.0e-20 if is_complex(y.dtype) else finfo(y.dtype).eps
    y = _core.where(y == 0, _core.full((), tiny, y.dtype), y)
    return _ufuncs["sin"](y) / y
