"""Truth, comparison of whole arrays, and questions about their kind."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import isscalar

from .. import _cuproxide as _core
from .. import _records
from .._cuproxide import ndarray
from .._lib.conversions import as_array, as_arrays, as_mask, as_operand, is_complex, is_inexact
from .._lib.ufuncs import NUMPY as _ufuncs
from .._typing import ArrayLike, Axes

__all__ = [
    "all",
    "allclose",
    "any",
    "array_equal",
    "array_equiv",
    "isclose",
    "iscomplex",
    "iscomplexobj",
    "isfortran",
    "isneginf",
    "isposinf",
    "isreal",
    "isrealobj",
    "isscalar",
    "may_share_memory",
    "shares_memory",
]


def all(
    a: ArrayLike, axis: Axes = None, out: ndarray | None = None, keepdims: bool = False, *, where: ArrayLike = True
) -> ndarray:
    """Whether all elements over `axis` are true (not zero), of those where `where` is true.

    >>> cp.all(cp.asarray([[True, False], [True, True]]), axis=1)
    array([False,  True])
    """
    return as_array(a).all(axis, out, keepdims, where=as_mask(where))


def any(
    a: ArrayLike, axis: Axes = None, out: ndarray | None = None, keepdims: bool = False, *, where: ArrayLike = True
) -> ndarray:
    """Whether any element over `axis` is true (not zero), of those where `where` is true.

    >>> cp.any(cp.asarray([[True, False], [False, False]]), axis=1)
    array([ True, False])
    """
    return as_array(a).any(axis, out, keepdims, where=as_mask(where))


def isclose(
    a: ArrayLike, b: ArrayLike, rtol: ArrayLike = 1e-05, atol: ArrayLike = 1e-08, equal_nan: bool = False
) -> ndarray:
    """Where `|a - b| <= atol + rtol * |b|`; equal infinities are close, and NaN to NaN with `equal_nan`.

    Parameters
    ----------
    a : array_like
        The first array.
    b : array_like
        The second array, to whose elements `rtol` is relative.

    >>> cp.isclose(cp.asarray([1.0, 2.0]), cp.asarray([1.0 + 1e-9, 2.1]))
    array([ True, False])
    """
    x, y, rtol, atol = (as_operand(value) for value in (a, b, rtol, atol))
    if not isinstance(x, ndarray) and not isinstance(y, ndarray):
        x = as_array(x)
    # As in NumPy integers are compared as floats, so that atol + rtol |b| does not overflow.
    if isinstance(y, ndarray):
        y = y.astype(_core.result_type(y.dtype, 1.0), copy=False)
    elif isinstance(y, (int, np.integer)):
        y = float(y)
    close = _ufuncs["less_equal"](_ufuncs["absolute"](_ufuncs["subtract"](x, y)), atol + rtol * _ufuncs["absolute"](y))
    result = close & _ufuncs["isfinite"](y) | (_ufuncs["equal"](x, y))
    if equal_nan:
        result |= _ufuncs["isnan"](x) & _ufuncs["isnan"](y)
    return result


def allclose(
    a: ArrayLike, b: ArrayLike, rtol: ArrayLike = 1e-05, atol: ArrayLike = 1e-08, equal_nan: bool = False
) -> ndarray:
    """Whether all elements are close, as an array of no axes. See `isclose` and `numpy.allclose`.

    Parameters
    ----------
    a : array_like
        The first array.
    b : array_like
        The second array, to whose elements `rtol` is relative.

    >>> cp.allclose(cp.asarray([1.0, 2.0]), cp.asarray([1.0, 2.0 + 1e-9]))
    array(True)
    """
    return isclose(a, b, rtol, atol, equal_nan).all()


def _comparable(a1: ArrayLike, a2: ArrayLike) -> list[ndarray] | None:
    """Both as arrays; None if one of them is nothing that an array can be made of."""
    try:
        return as_arrays((a1, a2))
    except (TypeError, ValueError):
        if isinstance(a1, np.ndarray) or isinstance(a2, np.ndarray):
            raise
        return None


@_records.gives_way(_records.array_equal)
def array_equal(a1: ArrayLike, a2: ArrayLike, equal_nan: bool = False) -> ndarray:
    """Whether two arrays have the same shape and elements, as an array of no axes; not if one of them is no array of
    numbers.

    >>> cp.array_equal(cp.arange(3), cp.asarray([0, 1, 2]))
    array(True)
    """
    pair = _comparable(a1, a2)
    if pair is None or pair[0].shape != pair[1].shape:
        return _core.array(False)
    a1, a2 = pair
    same = _ufuncs["equal"](a1, a2)
    if equal_nan and is_inexact(a1.dtype) and is_inexact(a2.dtype):
        same |= _ufuncs["isnan"](a1) & _ufuncs["isnan"](a2)
    return same.all()


@_records.gives_way(_records.array_equiv)
def array_equiv(a1: ArrayLike, a2: ArrayLike) -> ndarray:
    """Whether two arrays broadcast together and have the same elements then.

    >>> cp.array_equiv(cp.ones(3), cp.ones((2, 3)))
    array(True)
    """
    pair = _comparable(a1, a2)
    if pair is None:
        return _core.array(False)
    try:
        np.broadcast_shapes(pair[0].shape, pair[1].shape)
    except ValueError:
        return _core.array(False)
    return _ufuncs["equal"](*pair).all()


def iscomplexobj(x: Any) -> bool:
    """Whether the dtype of `x` is complex. See `numpy.iscomplexobj`.

    >>> cp.iscomplexobj(cp.asarray([1j]))
    True
    """
    return is_complex(x.dtype) if hasattr(x, "dtype") else np.iscomplexobj(x)


def isrealobj(x: Any) -> bool:
    """Whether the dtype of `x` is not complex. See `numpy.isrealobj`.

    >>> cp.isrealobj(cp.asarray([1.0]))
    True
    """
    return not iscomplexobj(x)


def iscomplex(x: ArrayLike) -> ndarray:
    """Where the imaginary part is not 0. See `numpy.iscomplex`.

    >>> cp.iscomplex(cp.asarray([1 + 1j, 2]))
    array([ True, False])
    """
    x = as_array(x)
    return x.imag != 0 if is_complex(x.dtype) else _core.zeros(x.shape, np.bool_)


def isreal(x: ArrayLike) -> ndarray:
    """Where the imaginary part is 0. See `numpy.isreal`.

    >>> cp.isreal(cp.asarray([1 + 1j, 2]))
    array([False,  True])
    """
    x = as_array(x)
    return x.imag == 0 if is_complex(x.dtype) else _core.full(x.shape, True, np.bool_)


def isfortran(a: ndarray) -> bool:
    """Whether `a` is contiguous in Fortran order and not in C order. See `numpy.isfortran`.

    >>> cp.isfortran(cp.ones((2, 3), order="F"))
    True
    """
    return a.flags.fnc


def _infinite(x: ArrayLike, out: ndarray | None, negative: bool, name: str) -> ndarray:
    x = as_array(x)
    if is_complex(x.dtype):
        raise TypeError(f"This operation is not supported for {x.dtype} values because it would be ambiguous.")
    sign = _ufuncs["signbit"](x) if is_inexact(x.dtype) else x < 0
    return _ufuncs["logical_and"](_ufuncs["isinf"](x), sign if negative else ~sign, out)


def isneginf(x: ArrayLike, out: ndarray | None = None) -> ndarray:
    """Where `x` is minus infinity; `TypeError` for complex numbers.

    >>> cp.isneginf(cp.asarray([-cp.inf, cp.inf]))
    array([ True, False])
    """
    return _infinite(x, out, True, "isneginf")


def isposinf(x: ArrayLike, out: ndarray | None = None) -> ndarray:
    """Where `x` is infinity; `TypeError` for complex numbers.

    >>> cp.isposinf(cp.asarray([-cp.inf, cp.inf]))
    array([False,  True])
    """
    return _infinite(x, out, False, "isposinf")


@_records.by_memory
def may_share_memory(a: ndarray, b: ndarray, /, max_work: int = 0) -> bool:
    """Whether the memory ranges of two arrays overlap.

    >>> a = cp.arange(4)
    >>> cp.may_share_memory(a, a[1:])
    True
    """
    return isinstance(a, ndarray) and isinstance(b, ndarray) and _core.may_share_memory(a, b)


@_records.by_memory
def shares_memory(a: ndarray, b: ndarray, /, max_work: int = -1) -> bool:
    """Whether two arrays have an element in common; exact, as in NumPy, so slow for intricate strides.

    >>> a = cp.arange(4)
    >>> cp.shares_memory(a[::2], a[1::2])
    False
    """
    if not may_share_memory(a, b):
        return False
    return bool(np.shares_memory(np.asarray(_Span(a)), np.asarray(_Span(b))))


class _Span:
    """The addresses of an array's elements, for NumPy to reason about; nothing is read there."""

    def __init__(self, a: ndarray) -> None:
        self.__array_interface__ = {
            "data": (a.data.ptr, True),
            "shape": a.shape,
            "strides": a.strides,
            "typestr": f"|V{a.itemsize}",
            "version": 3,
        }
