"""Shapes of arrays, and views of them in other shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, overload

import numpy as np
from numpy import broadcast_shapes
from numpy.lib.array_utils import normalize_axis_index

from .. import _cuproxide as _core
from .. import _records
from .._cuproxide import ndarray
from .._lib.conversions import as_array, as_arrays, as_base, as_shape, normalize_axis_tuple
from .._typing import ArrayLike, Axes, DeviceLike, DTypeLike, Shape, ShapeLike

__all__ = [
    "astype",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "expand_dims",
    "matrix_transpose",
    "moveaxis",
    "ndim",
    "permute_dims",
    "ravel",
    "reshape",
    "rollaxis",
    "shape",
    "size",
    "squeeze",
    "swapaxes",
    "transpose",
]


# Facts about arrays.


def ndim(a: ArrayLike) -> int:
    """Number of dimensions of `a`. See `numpy.ndim`.

    >>> cp.ndim(cp.ones((2, 3)))
    2
    """
    return len(shape(a))


def shape(a: ArrayLike) -> Shape:
    """Lengths of the axes of `a`. See `numpy.shape`.

    >>> cp.shape(cp.ones((2, 3)))
    (2, 3)
    """
    on_device = isinstance(a, ndarray) or hasattr(type(a), "__cupy_get_ndarray__")
    return as_array(a).shape if on_device else np.shape(a)


def size(a: ArrayLike, axis: Axes = None) -> int:
    """Number of elements of `a`, or along `axis` (one axis or a tuple).

    Parameters
    ----------
    axis : int, optional
        The axis along which to work.

    >>> cp.size(cp.ones((2, 3)))
    6
    """
    lengths = shape(a)
    if axis is None:
        return math.prod(lengths)
    return math.prod(lengths[i] for i in normalize_axis_tuple(axis, len(lengths)))


# Shape.


@_records.by_method
def reshape(a: ArrayLike, /, shape: ShapeLike, order: str = "C", *, copy: bool | None = None) -> ndarray:
    """`a` with the same elements in another shape; a view where the strides allow it.

    One length may be -1 and is then inferred. `order` ("C", "F" or "A") is the order in which elements are read and
    placed. With `copy=True` the result never shares memory; with `copy=False` a needed copy is a `ValueError`.

    >>> cp.reshape(cp.arange(6), (2, -1))
    array([[0, 1, 2],
           [3, 4, 5]])
    """
    return as_array(a).reshape(shape, order=order, copy=copy)


def ravel(a: ArrayLike, order: str = "C") -> ndarray:
    """The elements of `a` as one axis; a view where the strides allow it.

    >>> cp.ravel(cp.asarray([[1, 2], [3, 4]]), order="F")
    array([1, 3, 2, 4])
    """
    return as_array(a).ravel(order=order)


def astype(x: ndarray, dtype: DTypeLike, /, *, copy: bool = True, device: DeviceLike = None) -> ndarray:
    """`x` cast to `dtype`; `x` itself if `copy` is false and nothing changes.

    >>> cp.astype(cp.arange(3), cp.float32)
    array([0., 1., 2.], dtype=float32)
    """
    if not isinstance(x, ndarray):
        raise TypeError(f"Input should be a cuproxide array. It is a {type(x)} instead.")
    result = x.astype(dtype, copy=copy)
    return result if device is None else result.to_device(device)


def transpose(a: ArrayLike, axes: Sequence[int] | None = None) -> ndarray:
    """A view of `a` with its axes reversed, or in the order of `axes`.

    Parameters
    ----------
    axes : sequence of int, optional
        The order of the axes.

    See Also
    --------
    numpy.transpose : The function that this one follows.

    >>> cp.transpose(cp.ones((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    a = as_array(a)
    if axes is None:
        return a.transpose()
    if a.ndim and isinstance(axes, Sequence) and not axes:
        raise ValueError("axes don't match array")
    return a.transpose(axes)


permute_dims = transpose


def matrix_transpose(x: ArrayLike, /) -> ndarray:
    """A view of `x` with its last two axes exchanged. `ValueError` below two dimensions.

    See `numpy.matrix_transpose`.

    >>> cp.matrix_transpose(cp.ones((2, 3, 4))).shape
    (2, 4, 3)
    """
    x = as_array(x)
    if x.ndim < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {x.ndim}")
    return x.swapaxes(-1, -2)


def swapaxes(a: ArrayLike, axis1: int, axis2: int) -> ndarray:
    """A view of `a` with two axes exchanged.

    Parameters
    ----------
    axis1 : int
        The first axis.
    axis2 : int
        The second axis.

    >>> cp.swapaxes(cp.ones((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    return as_array(a).swapaxes(axis1, axis2)


@_records.moves("a")
def moveaxis(a: ArrayLike, source: int | Sequence[int], destination: int | Sequence[int]) -> ndarray:
    """A view of `a` with the axes `source` moved to `destination`, the others in order.

    Parameters
    ----------
    source : int or sequence of int
        The axes.
    destination : int or sequence of int
        Where they go.

    >>> cp.moveaxis(cp.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    return _core.moveaxis(as_array(a), source, destination)


@_records.moves("a")
def rollaxis(a: ArrayLike, axis: int, start: int = 0) -> ndarray:
    """A view of `a` with `axis` moved before position `start`.

    Parameters
    ----------
    start : int
        The position before which the axis comes.

    >>> cp.rollaxis(cp.ones((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    a = as_array(a)
    axis = normalize_axis_index(axis, a.ndim)
    target = start + a.ndim if start < 0 else start
    if not 0 <= target <= a.ndim:
        message = "'%s' arg requires %d <= %s < %d, but %d was passed in"
        raise np.exceptions.AxisError(message % ("start", -a.ndim, "start", a.ndim + 1, start))
    order = [i for i in range(a.ndim) if i != axis]
    order.insert(target - (axis < target), axis)
    return a.transpose(order)


@_records.moves("a")
def expand_dims(a: ArrayLike, axis: int | Sequence[int]) -> ndarray:
    """A view of `a` with new axes of length 1 at the positions `axis` of the result.

    Parameters
    ----------
    axis : int or tuple of int
        The positions of the new axes in the result.

    >>> cp.expand_dims(cp.ones(3), (0, 2)).shape
    (1, 3, 1)
    """
    return _core.expand_dims(as_array(a), axis)


def squeeze(a: ArrayLike, axis: Axes = None) -> ndarray:
    """A view of `a` without its axes of length 1, or without those of `axis`.

    Parameters
    ----------
    axis : int or tuple of int, optional
        The axes to remove, by default all of length 1.

    Raises
    ------
    ValueError
        If an axis of `axis` is longer.

    >>> cp.squeeze(cp.ones((1, 3, 1))).shape
    (3,)
    """
    return as_array(a).squeeze(axis)


def _at_least(arrays: tuple[ArrayLike, ...], grow: Any) -> ndarray | tuple[ndarray, ...]:
    results = tuple(grow(as_array(a)) for a in arrays)
    return results[0] if len(results) == 1 else results


@overload
def atleast_1d(arys: ArrayLike, /) -> ndarray: ...
@overload
def atleast_1d(*arys: ArrayLike) -> tuple[ndarray, ...]: ...
def atleast_1d(*arys: ArrayLike) -> Any:
    """Each array with at least one axis; a tuple for several. See `numpy.atleast_1d`.

    >>> cp.atleast_1d(cp.asarray(3))
    array([3])
    """
    return _at_least(arys, lambda a: a.reshape(1) if a.ndim == 0 else a)


@overload
def atleast_2d(arys: ArrayLike, /) -> ndarray: ...
@overload
def atleast_2d(*arys: ArrayLike) -> tuple[ndarray, ...]: ...
def atleast_2d(*arys: ArrayLike) -> Any:
    """Each array with at least two axes, new ones in front; a tuple for several. See `numpy.atleast_2d`.

    >>> cp.atleast_2d(cp.arange(3))
    array([[0, 1, 2]])
    """
    return _at_least(arys, lambda a: a if a.ndim >= 2 else a[None, None] if a.ndim == 0 else a[None])


@overload
def atleast_3d(arys: ArrayLike, /) -> ndarray: ...
@overload
def atleast_3d(*arys: ArrayLike) -> tuple[ndarray, ...]: ...
def atleast_3d(*arys: ArrayLike) -> Any:
    """Each array with at least three axes: (N,) becomes (1, N, 1), (M, N) becomes (M, N, 1). See `numpy.atleast_3d`.

    >>> cp.atleast_3d(cp.arange(3)).shape
    (1, 3, 1)
    """

    def grow(a: ndarray) -> ndarray:
        match a.ndim:
            case 0:
                return a[None, None, None]
            case 1:
                return a[None, :, None]
            case 2:
                return a[:, :, None]
            case _:
                return a

    return _at_least(arys, grow)


@_records.moves("array")
def broadcast_to(array: ArrayLike, shape: ShapeLike, subok: bool = False) -> ndarray:
    """A view of `array` in `shape`, repeated along new axes and axes of length 1 without copying.

    Elements of the view share memory, so it is read-only.

    >>> cp.broadcast_to(cp.arange(3), (2, 3))
    array([[0, 1, 2],
           [0, 1, 2]])
    """
    view = _core.broadcast_to(as_base(as_array(array), subok), as_shape(shape))
    view.setflags(write=False)
    return view


@_records.gives_way(_records.broadcast_arrays)
def broadcast_arrays(*args: ArrayLike, subok: bool = False) -> tuple[ndarray, ...]:
    """Views of all arrays in their common shape.

    Parameters
    ----------
    *args : array_like
        The arrays.

    >>> cp.broadcast_arrays(cp.arange(2), cp.ones((2, 1)))[0]
    array([[0, 1],
           [0, 1]])
    """
    arrays = [as_base(a, subok) for a in as_arrays(args)]
    common = broadcast_shapes(*(a.shape for a in arrays))
    return tuple(a if a.shape == common else _core.broadcast_to(a, common) for a in arrays)
