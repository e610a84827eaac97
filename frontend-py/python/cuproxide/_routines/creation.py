"""Making arrays: filled, from functions, buffers and other arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import array, asnumpy, empty, from_dlpack, full, ndarray, zeros
from .._lib.conversions import (
    accepts_like,
    as_array,
    as_operand,
    host_dtype,
    is_inexact,
)
from .._lib.ufuncs import NUMPY
from .._typing import ArrayLike, DeviceLike, DTypeLike, ShapeLike
from .coordinates import indices

__all__ = [
    "array",
    "asanyarray",
    "asarray",
    "asarray_chkfinite",
    "ascontiguousarray",
    "asfortranarray",
    "asnumpy",
    "copy",
    "empty",
    "empty_like",
    "from_dlpack",
    "frombuffer",
    "fromfunction",
    "fromiter",
    "full",
    "full_like",
    "ones",
    "ones_like",
    "require",
    "zeros",
    "zeros_like",
]


# Filled arrays.


@accepts_like
def ones(shape: ShapeLike, dtype: DTypeLike = None, order: str = "C", *, device: DeviceLike = None) -> ndarray:
    """A new array of ones.

    Parameters
    ----------
    like : ndarray, optional
        An array of this library, by which NumPy's functions find this one.

    >>> cp.ones((2, 3))
    array([[1., 1., 1.],
           [1., 1., 1.]])
    """
    return full(shape, 1, float if dtype is None else dtype, order, device=device)


def empty_like(
    prototype: ArrayLike,
    dtype: DTypeLike = None,
    order: str = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
    *,
    device: DeviceLike = None,
) -> ndarray:
    """An uninitialised array like `prototype`, except for the given properties.

    Parameters
    ----------
    prototype : array_like
        The array that gives shape, type and order.
    dtype : dtype, optional
        Another type of elements.

    >>> cp.empty_like(cp.ones((2, 3))).shape
    (2, 3)
    """
    return _core.empty_like(as_array(prototype), dtype, order, shape, subok, device=device)


def zeros_like(
    a: ArrayLike,
    dtype: DTypeLike = None,
    order: str = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
    *,
    device: DeviceLike = None,
) -> ndarray:
    """An array of zeros like `a`, except for the given properties.

    Parameters
    ----------
    dtype : dtype, optional
        Another type of elements.

    >>> cp.zeros_like(cp.arange(3))
    array([0, 0, 0])
    """
    return _core.zeros_like(as_array(a), dtype, order, shape, subok, device=device)


def ones_like(
    a: ArrayLike,
    dtype: DTypeLike = None,
    order: str = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
    *,
    device: DeviceLike = None,
) -> ndarray:
    """An array of ones like `a`, except for the given properties.

    Parameters
    ----------
    dtype : dtype, optional
        Another type of elements.

    >>> cp.ones_like(cp.arange(3), dtype=cp.float32)
    array([1., 1., 1.], dtype=float32)
    """
    return _core.full_like(as_array(a), 1, dtype, order, shape, subok, device=device)


def full_like(
    a: ArrayLike,
    fill_value: ArrayLike,
    dtype: DTypeLike = None,
    order: str = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
    *,
    device: DeviceLike = None,
) -> ndarray:
    """An array like `a`, filled with `fill_value` (cast as by assignment).

    Parameters
    ----------
    fill_value : array_like
        The value of the elements.
    dtype : dtype, optional
        Another type of elements.

    >>> cp.full_like(cp.arange(3), 7)
    array([7, 7, 7])
    """
    return _core.full_like(as_array(a), as_operand(fill_value), dtype, order, shape, subok, device=device)


# From other things.


@accepts_like
def asarray(
    a: Any, dtype: DTypeLike = None, order: str | None = None, *, device: DeviceLike = None, copy: bool | None = None
) -> ndarray:
    """`a` as an array: itself if nothing changes, otherwise copied to the device.

    Takes arrays of this library and of NumPy, scalars, nested sequences and exporters of DLPack or the CUDA array
    interface. `copy=True` always copies, `copy=False` is a `ValueError` where a copy is needed.

    Parameters
    ----------
    like : ndarray, optional
        An array of this library, by which NumPy's functions find this one.

    >>> cp.asarray([[1, 2], [3, 4]], dtype=cp.float32)
    array([[1., 2.],
           [3., 4.]], dtype=float32)
    """
    if dtype is None and order is None and device is None and copy is None and type(a) is ndarray:
        return a
    return array(a, dtype, copy, "K" if order is None else order, device=device)


@accepts_like
def asanyarray(
    a: Any, dtype: DTypeLike = None, order: str | None = None, *, device: DeviceLike = None, copy: bool | None = None
) -> ndarray:
    """`asarray` that keeps the class of an array of a subclass.

    Parameters
    ----------
    like : ndarray, optional
        An array of this library, by which NumPy's functions find this one.

    >>> cp.asanyarray([1, 2])
    array([1, 2])
    """
    return array(a, dtype, copy, "K" if order is None else order, True, device=device)


@accepts_like
def ascontiguousarray(a: Any, dtype: DTypeLike = None) -> ndarray:
    """`a` as an array of at least one axis, contiguous in C order.

    Parameters
    ----------
    like : ndarray, optional
        An array of this library, by which NumPy's functions find this one.

    >>> cp.ascontiguousarray(cp.ones((2, 3)).T).flags.c_contiguous
    True
    """
    return array(a, dtype, None, "C", ndmin=1)


@accepts_like
def asfortranarray(a: Any, dtype: DTypeLike = None) -> ndarray:
    """`a` as an array of at least one axis, contiguous in Fortran order.

    Parameters
    ----------
    like : ndarray, optional
        An array of this library, by which NumPy's functions find this one.

    >>> cp.asfortranarray(cp.ones((2, 3))).flags.f_contiguous
    True
    """
    return array(a, dtype, None, "F", ndmin=1)


def asarray_chkfinite(a: Any, dtype: DTypeLike = None, order: str | None = None) -> ndarray:
    """`asarray`, with a `ValueError` if an element is infinite or NaN (waits for the device).

    >>> cp.asarray_chkfinite([1.0, 2.0])
    array([1., 2.])
    """
    result = asarray(a, dtype, order)
    if is_inexact(result.dtype) and not bool(_isfinite(result).all()):
        raise ValueError("array must not contain infs or NaNs")
    return result


_isfinite = NUMPY["isfinite"]


def copy(a: ArrayLike, order: str = "K", subok: bool = False) -> ndarray:
    """A copy of `a`.

    >>> cp.copy(cp.arange(3))
    array([0, 1, 2])
    """
    a = as_array(a)
    return a.copy(order=order) if subok else array(a, order=order)


@accepts_like
def require(a: Any, dtype: DTypeLike = None, requirements: str | Sequence[str] | None = None) -> ndarray:
    """`a` as an array that meets `requirements`: "C", "F", "A" (aligned), "W" (writeable), "O" (owns its data).

    Parameters
    ----------
    requirements : str or list of str, optional
        What has to hold.
    like : ndarray, optional
        An array of this library, by which NumPy's functions find this one.

    >>> cp.require([[1, 2], [3, 4]], requirements="F").flags.f_contiguous
    True
    """
    if not requirements:
        return asarray(a, dtype)
    known = {"C": "C", "C_CONTIGUOUS": "C", "CONTIGUOUS": "C", "F": "F", "F_CONTIGUOUS": "F", "FORTRAN": "F"}
    known |= {"A": "A", "ALIGNED": "A", "W": "W", "WRITEABLE": "W", "O": "O", "OWNDATA": "O", "E": "E"}
    known |= {"ENSUREARRAY": "E"}
    wanted = {known[requirement.upper()] for requirement in requirements}
    if {"C", "F"} <= wanted:
        raise ValueError('Cannot specify both "C" and "F" order')
    order = "F" if "F" in wanted else "C" if "C" in wanted else "K"
    result = array(a, dtype, None, order)
    lacking = ("O" in wanted and not result.flags.owndata) or ("W" in wanted and not result.flags.writeable)
    return result.copy(order=order) if lacking else result


@accepts_like
def frombuffer(buffer: Any, dtype: DTypeLike = None, count: int = -1, offset: int = 0) -> ndarray:
    """An array of one axis with a copy of the bytes of a host buffer.

    Parameters
    ----------
    buffer : bytes-like
        The memory.
    like : ndarray, optional
        An array of this library, by which NumPy's functions find this one.

    >>> cp.frombuffer(b"abc", dtype=cp.uint8)
    array([97, 98, 99], dtype=uint8)
    """
    return array(np.frombuffer(buffer, host_dtype(float if dtype is None else dtype), count, offset))


@accepts_like
def fromiter(iter: Iterable[Any], dtype: DTypeLike, count: int = -1) -> ndarray:
    """An array of one axis with the items of a Python iterable.

    Parameters
    ----------
    iter : iterable
        The items.
    like : ndarray, optional
        An array of this library, by which NumPy's functions find this one.

    >>> cp.fromiter((i * i for i in range(4)), dtype=int)
    array([0, 1, 4, 9])
    """
    return array(np.fromiter(iter, host_dtype(dtype), count))


@accepts_like
def fromfunction(function: Callable[..., Any], shape: Sequence[int], *, dtype: DTypeLike = float, **kwargs: Any) -> Any:
    """The result of `function` called once with arrays of coordinates, one for each axis.

    Parameters
    ----------
    function : callable
        The function of the coordinates.
    shape : int or tuple of int
        The shape of the result.
    like : ndarray, optional
        An array of this library, by which NumPy's functions find this one.
    **kwargs
        Further arguments of the function.

    Returns
    -------
    what the function returns

    >>> cp.fromfunction(lambda i, j: i + j, (2, 3))
    array([[0., 1., 2.],
           [1., 2., 3.]])
    """
    iter(shape)
    return function(*indices(shape, dtype=dtype), **kwargs)
