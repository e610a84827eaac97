"""NumPy arrays over page-locked host memory, which devices copy from and to fastest."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._typing import DTypeLike

__all__ = ["empty_like_pinned", "empty_pinned", "zeros_like_pinned", "zeros_pinned"]


def empty_pinned(shape: Any, dtype: DTypeLike = float, order: str = "C") -> np.ndarray[Any, Any]:
    """A NumPy array with unspecified elements over page-locked memory, as `numpy.empty`.

    Parameters
    ----------
    shape : int or tuple of int
        The shape of the result.
    dtype : dtype, optional
        The type of the result's elements.
    order : {'C', 'F', 'A', 'K'}, optional
        The order of elements in memory.

    Returns
    -------
    numpy.ndarray

    >>> cp.empty_pinned((2, 3)).shape
    (2, 3)
    """
    from ..cuda.pinned_memory import alloc_pinned_memory

    shape = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    if any(length < 0 for length in shape):
        raise ValueError("negative dimensions are not allowed")
    dtype = np.dtype(dtype)
    memory = alloc_pinned_memory(max(math.prod(map(int, shape)) * dtype.itemsize, 1))
    return np.ndarray(shape, dtype, buffer=memory, order=order)


def zeros_pinned(shape: Any, dtype: DTypeLike = float, order: str = "C") -> np.ndarray[Any, Any]:
    """A NumPy array of zeros over page-locked memory, as `numpy.zeros`.

    Parameters
    ----------
    shape : int or tuple of int
        The shape of the result.
    dtype : dtype, optional
        The type of the result's elements.
    order : {'C', 'F', 'A', 'K'}, optional
        The order of elements in memory.

    Returns
    -------
    numpy.ndarray

    >>> cp.zeros_pinned(3)
    array([0., 0., 0.])
    """
    made = empty_pinned(shape, dtype, order)
    made.fill(0)
    return made


def empty_like_pinned(
    a: Any, dtype: DTypeLike = None, order: str = "K", subok: bool | None = None, shape: Any = None
) -> np.ndarray[Any, Any]:
    """A NumPy array over page-locked memory with the shape, type and order of `a`, as `numpy.empty_like`.

    `a` may live on the host or on a device. `subok` must be None or False: the result is a plain array.

    Parameters
    ----------
    a : array_like
        The array.
    dtype : dtype, optional
        The type of the result's elements.
    order : {'C', 'F', 'A', 'K'}, optional
        The order of elements in memory.
    subok : bool, optional
        None or False: the result is a plain array.
    shape : int or tuple of int, optional
        Another shape.

    Returns
    -------
    numpy.ndarray

    >>> cp.empty_like_pinned(np.ones(3)).shape
    (3,)
    """
    if subok:
        raise TypeError("subok=True is not possible: the result is a plain numpy.ndarray")
    if order not in ("C", "F", "A", "K"):
        raise ValueError(f"order={order!r} is none of 'C', 'F', 'A' and 'K'")
    shape = a.shape if shape is None else (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    dtype = a.dtype if dtype is None else np.dtype(dtype)
    if order == "A":
        order = "F" if a.flags.f_contiguous and not a.flags.c_contiguous else "C"
    if order != "K" or len(shape) != a.ndim:
        return empty_pinned(shape, dtype, "C" if order == "K" else order)
    # The axes lie in memory as those of `a` do.
    axes = sorted(range(a.ndim), key=lambda axis: -abs(a.strides[axis]))
    made = empty_pinned([shape[axis] for axis in axes], dtype)
    return made.transpose(np.argsort(axes)) if axes else made


def zeros_like_pinned(
    a: Any, dtype: DTypeLike = None, order: str = "K", subok: bool | None = None, shape: Any = None
) -> np.ndarray[Any, Any]:
    """A NumPy array of zeros over page-locked memory, otherwise as `empty_like_pinned`.

    Parameters
    ----------
    a : array_like
        The array.
    dtype : dtype, optional
        The type of the result's elements.
    order : {'C', 'F', 'A', 'K'}, optional
        The order of elements in memory.
    subok : bool, optional
        None or False: the result is a plain array.
    shape : int or tuple of int, optional
        Another shape.

    Returns
    -------
    numpy.ndarray

    >>> cp.zeros_like_pinned(np.ones(3))
    array([0., 0., 0.])
    """
    made = empty_like_pinned(a, dtype, order, subok, shape)
    made.fill(0)
    return made
