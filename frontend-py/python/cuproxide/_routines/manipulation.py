"""Changing shape, joining, splitting and rearranging arrays."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, cast, overload

import numpy as np
from numpy import broadcast_shapes
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._typing import ArrayLike, Axes, DeviceLike, DTypeLike, Integers, Shape, ShapeLike
from ._common import (
    as_array,
    as_arrays,
    as_index_array,
    as_operand,
    as_shape,
    counting,
    host_integers,
    only_sequence,
    slice_axis,
)

__all__ = [
    "append",
    "array_split",
    "astype",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "block",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "column_stack",
    "concat",
    "concatenate",
    "copyto",
    "delete",
    "dsplit",
    "dstack",
    "expand_dims",
    "flip",
    "fliplr",
    "flipud",
    "hsplit",
    "hstack",
    "insert",
    "matrix_transpose",
    "moveaxis",
    "ndim",
    "permute_dims",
    "ravel",
    "repeat",
    "reshape",
    "resize",
    "roll",
    "rollaxis",
    "rot90",
    "row_stack",
    "shape",
    "size",
    "split",
    "squeeze",
    "stack",
    "swapaxes",
    "tile",
    "transpose",
    "trim_zeros",
    "unstack",
    "vsplit",
    "vstack",
]


# Facts about arrays.


def ndim(a: ArrayLike) -> int:
    """Number of dimensions of `a`. See `numpy.ndim`.

    >>> cp.ndim(cp.ones((2, 3)))
    2
    """
    return a.ndim if isinstance(a, ndarray) else np.ndim(a)


def shape(a: ArrayLike) -> Shape:
    """Lengths of the axes of `a`. See `numpy.shape`.

    >>> cp.shape(cp.ones((2, 3)))
    (2, 3)
    """
    return a.shape if isinstance(a, ndarray) else np.shape(a)


def size(a: ArrayLike, axis: Axes = None) -> int:
    """Number of elements of `a`, or along `axis` (one axis or a tuple). See `numpy.size`.

    >>> cp.size(cp.ones((2, 3)))
    6
    """
    lengths = shape(a)
    if axis is None:
        return math.prod(lengths)
    return math.prod(lengths[i] for i in normalize_axis_tuple(axis, len(lengths)))


# Shape.


def reshape(a: ArrayLike, /, shape: ShapeLike, order: str = "C", *, copy: bool | None = None) -> ndarray:
    """`a` with the same elements in another shape; a view where the strides allow it.

    One length may be -1 and is then inferred. `order` ("C", "F" or "A") is the order in which elements are read and
    placed. With `copy=True` the result never shares memory; with `copy=False` a needed copy is a `ValueError`.
    See `numpy.reshape`.

    >>> cp.reshape(cp.arange(6), (2, -1))
    array([[0, 1, 2],
           [3, 4, 5]])
    """
    return as_array(a).reshape(shape, order=order, copy=copy)


def ravel(a: ArrayLike, order: str = "C") -> ndarray:
    """The elements of `a` as one axis; a view where the strides allow it. See `numpy.ravel`.

    >>> cp.ravel(cp.asarray([[1, 2], [3, 4]]), order="F")
    array([1, 3, 2, 4])
    """
    return as_array(a).ravel(order=order)


def astype(x: ndarray, dtype: DTypeLike, /, *, copy: bool = True, device: DeviceLike = None) -> ndarray:
    """`x` cast to `dtype`; `x` itself if `copy` is false and nothing changes. See `numpy.astype`.

    >>> cp.astype(cp.arange(3), cp.float32)
    array([0., 1., 2.], dtype=float32)
    """
    if not isinstance(x, ndarray):
        raise TypeError(f"Input should be a cuproxide array. It is a {type(x)} instead.")
    result = x.astype(dtype, copy=copy)
    return result if device is None else result.to_device(device)


def transpose(a: ArrayLike, axes: Sequence[int] | None = None) -> ndarray:
    """A view of `a` with its axes reversed, or in the order of `axes`. See `numpy.transpose`.

    >>> cp.transpose(cp.ones((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    a = as_array(a)
    return a.transpose() if axes is None else a.transpose(axes)


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
    """A view of `a` with two axes exchanged. See `numpy.swapaxes`.

    >>> cp.swapaxes(cp.ones((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    return as_array(a).swapaxes(axis1, axis2)


def moveaxis(a: ArrayLike, source: int | Sequence[int], destination: int | Sequence[int]) -> ndarray:
    """A view of `a` with the axes `source` moved to `destination`, the others in order. See `numpy.moveaxis`.

    >>> cp.moveaxis(cp.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    return _core.moveaxis(as_array(a), source, destination)


def rollaxis(a: ArrayLike, axis: int, start: int = 0) -> ndarray:
    """A view of `a` with `axis` moved before position `start`. See `numpy.rollaxis`.

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


def expand_dims(a: ArrayLike, axis: int | Sequence[int]) -> ndarray:
    """A view of `a` with new axes of length 1 at the positions `axis` of the result. See `numpy.expand_dims`.

    >>> cp.expand_dims(cp.ones(3), (0, 2)).shape
    (1, 3, 1)
    """
    return _core.expand_dims(as_array(a), axis)


def squeeze(a: ArrayLike, axis: Axes = None) -> ndarray:
    """A view of `a` without its axes of length 1, or without those of `axis`.

    `ValueError` if an axis of `axis` is longer. See `numpy.squeeze`.

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


def broadcast_to(array: ArrayLike, shape: ShapeLike, subok: bool = False) -> ndarray:
    """A view of `array` in `shape`, repeated along new axes and axes of length 1 without copying.

    Elements of the view share memory, so it is read-only. See `numpy.broadcast_to`.

    >>> cp.broadcast_to(cp.arange(3), (2, 3))
    array([[0, 1, 2],
           [0, 1, 2]])
    """
    view = _core.broadcast_to(as_array(array), as_shape(shape))
    view.setflags(write=False)
    return view


def broadcast_arrays(*args: ArrayLike, subok: bool = False) -> tuple[ndarray, ...]:
    """Views of all arrays in their common shape. See `numpy.broadcast_arrays`.

    >>> cp.broadcast_arrays(cp.arange(2), cp.ones((2, 1)))[0]
    array([[0, 1],
           [0, 1]])
    """
    arrays = as_arrays(args)
    common = broadcast_shapes(*(a.shape for a in arrays))
    return tuple(a if a.shape == common else _core.broadcast_to(a, common) for a in arrays)


# Joining.


def concatenate(
    arrays: Iterable[ArrayLike],
    /,
    axis: int | None = 0,
    out: ndarray | None = None,
    *,
    dtype: DTypeLike | None = None,
    casting: str = "same_kind",
) -> ndarray:
    """The arrays one after another along `axis`; flattened first if `axis` is None.

    They agree in all other lengths (`ValueError` otherwise). The result has their promoted dtype, or `dtype`, which
    excludes `out`. See `numpy.concatenate`.

    >>> cp.concatenate([cp.arange(3), cp.arange(2)])
    array([0, 1, 2, 0, 1])
    """
    if isinstance(arrays, ndarray) and arrays.ndim == 0:
        raise TypeError("The first input argument needs to be a sequence")
    # A list of a thousand arrays is not gone through one by one.
    ready = isinstance(arrays, (list, tuple)) and set(map(type, arrays)) == {ndarray}
    parts = cast("Sequence[ndarray]", arrays) if ready else as_arrays(arrays)
    return _core.concatenate(parts, axis, out, dtype=dtype, casting=casting)


concat = concatenate


def stack(
    arrays: Iterable[ArrayLike],
    axis: int = 0,
    out: ndarray | None = None,
    *,
    dtype: DTypeLike | None = None,
    casting: str = "same_kind",
) -> ndarray:
    """Arrays of one shape joined along a new axis at position `axis` of the result. See `numpy.stack`.

    >>> cp.stack([cp.arange(3), cp.arange(3)], axis=1)
    array([[0, 0],
           [1, 1],
           [2, 2]])
    """
    parts = as_arrays(arrays)
    if not parts:
        raise ValueError("need at least one array to stack")
    if any(part.shape != parts[0].shape for part in parts):
        raise ValueError("all input arrays must have the same shape")
    axis = normalize_axis_index(axis, parts[0].ndim + 1)
    index = (slice(None),) * axis + (None,)
    return concatenate([part[index] for part in parts], axis, out, dtype=dtype, casting=casting)


def unstack(x: ArrayLike, /, *, axis: int = 0) -> tuple[ndarray, ...]:
    """Views of `x` at each position of `axis`. See `numpy.unstack`.

    >>> cp.unstack(cp.asarray([[1, 2], [3, 4]]))
    (array([1, 2]), array([3, 4]))
    """
    x = as_array(x)
    if x.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    moved = moveaxis(x, axis, 0)
    return tuple(moved[i] for i in range(moved.shape[0]))


def _stack_parts(tup: Sequence[ArrayLike]) -> list[ndarray]:
    return as_arrays(only_sequence(tup, "arrays to stack"))


def vstack(tup: Sequence[ArrayLike], *, dtype: DTypeLike | None = None, casting: str = "same_kind") -> ndarray:
    """Arrays joined along the first axis; (N,) counts as (1, N). See `numpy.vstack`.

    >>> cp.vstack([cp.arange(2), cp.arange(2)])
    array([[0, 1],
           [0, 1]])
    """
    return concatenate([atleast_2d(a) for a in _stack_parts(tup)], 0, dtype=dtype, casting=casting)


def row_stack(tup: Sequence[ArrayLike], *, dtype: DTypeLike | None = None, casting: str = "same_kind") -> ndarray:
    """The older name of `vstack`, deprecated as in NumPy. See `numpy.row_stack`.

    >>> cp.vstack([cp.arange(2), cp.arange(2)])
    array([[0, 1],
           [0, 1]])
    """
    warnings.warn("`row_stack` alias is deprecated. Use `vstack` directly.", DeprecationWarning, stacklevel=2)
    return vstack(tup, dtype=dtype, casting=casting)


def hstack(tup: Sequence[ArrayLike], *, dtype: DTypeLike | None = None, casting: str = "same_kind") -> ndarray:
    """Arrays joined along the second axis; one-dimensional ones along their only axis. See `numpy.hstack`.

    >>> cp.hstack([cp.arange(2), cp.arange(2)])
    array([0, 1, 0, 1])
    """
    parts = [atleast_1d(a) for a in _stack_parts(tup)]
    return concatenate(parts, 0 if parts and parts[0].ndim == 1 else 1, dtype=dtype, casting=casting)


def dstack(tup: Sequence[ArrayLike]) -> ndarray:
    """Arrays joined along the third axis. See `numpy.dstack`.

    >>> cp.dstack([cp.arange(2), cp.arange(2)])
    array([[[0, 0],
            [1, 1]]])
    """
    return concatenate([atleast_3d(a) for a in _stack_parts(tup)], 2)


def column_stack(tup: Sequence[ArrayLike]) -> ndarray:
    """One-dimensional arrays as the columns of a matrix; matrices are joined as they are. See `numpy.column_stack`.

    >>> cp.column_stack([cp.arange(2), cp.arange(2)])
    array([[0, 0],
           [1, 1]])
    """
    return concatenate([a if a.ndim >= 2 else a.reshape(-1, 1) for a in _stack_parts(tup)], 1)


def append(arr: ArrayLike, values: ArrayLike, axis: int | None = None) -> ndarray:
    """A new array of `arr` followed by `values` along `axis`; both flattened if it is None. See `numpy.append`.

    >>> cp.append(cp.arange(2), cp.asarray([7]))
    array([0, 1, 7])
    """
    return concatenate((arr, values), axis)


def block(arrays: Any) -> ndarray:
    """An array assembled from nested lists of blocks.

    The innermost lists are joined along the last axis, the next along the one before, and so on. All lists must nest
    equally deep (`ValueError`). See `numpy.block`.

    >>> cp.block([[cp.ones((1, 1)), cp.zeros((1, 2))]])
    array([[1., 0., 0.]])
    """

    def depth_of(item: Any, path: str) -> int:
        if isinstance(item, tuple):
            raise TypeError(
                f"{path} is a tuple. Only lists can be used to arrange blocks, and np.block does not allow implicit "
                "conversion from tuple to ndarray."
            )
        if not isinstance(item, list):
            return 0
        if not item:
            raise ValueError(f"List at {path} cannot be empty")
        depths = {depth_of(part, f"{path}[{i}]") for i, part in enumerate(item)}
        if len(depths) > 1:
            raise ValueError(f"List depths are mismatched below {path}")
        return 1 + depths.pop()

    def leaves(item: Any) -> Iterable[ndarray]:
        if isinstance(item, list):
            for part in item:
                yield from leaves(part)
        else:
            yield as_array(item)

    depth = depth_of(arrays, "arrays")
    dims = max(depth, *(leaf.ndim for leaf in leaves(arrays)))

    def join(item: Any, axis: int) -> ndarray:
        if isinstance(item, list):
            return concatenate([join(part, axis + 1) for part in item], axis)
        leaf = as_array(item)
        return leaf[(None,) * (dims - leaf.ndim)] if leaf.ndim < dims else leaf

    result = join(arrays, dims - depth)
    return result if isinstance(arrays, list) else result.copy()


# Splitting.


def array_split(ary: ArrayLike, indices_or_sections: Integers, axis: int = 0) -> list[ndarray]:
    """Views of consecutive parts of `ary` along `axis`.

    An integer gives that many parts, the first ones one element longer if needed; a sequence gives the positions to
    cut at. See `numpy.array_split`.

    >>> cp.array_split(cp.arange(5), 2)
    [array([0, 1, 2]), array([3, 4])]
    """
    ary = as_array(ary)
    axis = normalize_axis_index(axis, ary.ndim)
    length = ary.shape[axis]
    if np.ndim(indices_or_sections) or isinstance(indices_or_sections, ndarray):
        points = [None, *host_integers(indices_or_sections), None]
        return [slice_axis(ary, axis, slice(start, stop)) for start, stop in itertools.pairwise(points)]
    sections = int(indices_or_sections)
    if sections <= 0:
        raise ValueError("number sections must be larger than 0.")
    each, extra = divmod(length, sections)
    ends = [i * each + min(i, extra) for i in range(sections + 1)]
    return [slice_axis(ary, axis, slice(start, stop)) for start, stop in itertools.pairwise(ends)]


def split(ary: ArrayLike, indices_or_sections: Integers, axis: int = 0) -> list[ndarray]:
    """Like `array_split`, but an integer must divide the axis (`ValueError` otherwise). See `numpy.split`.

    >>> cp.split(cp.arange(4), 2)
    [array([0, 1]), array([2, 3])]
    """
    ary = as_array(ary)
    if isinstance(indices_or_sections, (int, np.integer)):
        if indices_or_sections == 0:
            raise ZeroDivisionError("an array cannot be split into 0 sections")
        if indices_or_sections > 0 and ary.shape[normalize_axis_index(axis, ary.ndim)] % indices_or_sections:
            raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


def hsplit(ary: ArrayLike, indices_or_sections: Integers) -> list[ndarray]:
    """`split` along the second axis, or the only one. See `numpy.hsplit`.

    >>> cp.hsplit(cp.asarray([[1, 2], [3, 4]]), 2)[1]
    array([[2],
           [4]])
    """
    ary = as_array(ary)
    if ary.ndim == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(ary, indices_or_sections, 1 if ary.ndim > 1 else 0)


def vsplit(ary: ArrayLike, indices_or_sections: Integers) -> list[ndarray]:
    """`split` along the first axis of an array of two or more. See `numpy.vsplit`.

    >>> cp.vsplit(cp.asarray([[1, 2], [3, 4]]), 2)[1]
    array([[3, 4]])
    """
    ary = as_array(ary)
    if ary.ndim < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


def dsplit(ary: ArrayLike, indices_or_sections: Integers) -> list[ndarray]:
    """`split` along the third axis of an array of three or more. See `numpy.dsplit`.

    >>> cp.dsplit(cp.ones((1, 2, 4)), 2)[0].shape
    (1, 2, 2)
    """
    ary = as_array(ary)
    if ary.ndim < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)


# Repeating.


def tile(A: ArrayLike, reps: int | Sequence[int]) -> ndarray:
    """`A` repeated `reps` times along each axis, missing axes of either added in front. See `numpy.tile`.

    >>> cp.tile(cp.asarray([1, 2]), (2, 2))
    array([[1, 2, 1, 2],
           [1, 2, 1, 2]])
    """
    a = as_array(A)
    counts = as_shape(reps)
    lengths = (1,) * (len(counts) - a.ndim) + a.shape
    counts = (1,) * (len(lengths) - len(counts)) + counts
    if all(count == 1 for count in counts):
        return a.copy().reshape(lengths)
    pairs = list(zip(counts, lengths, strict=True))
    spread = a.reshape([n for _, length in pairs for n in (1, length)])
    spread = _core.broadcast_to(spread, [n for pair in pairs for n in pair])
    return spread.reshape([count * length for count, length in pairs])


def repeat(a: ArrayLike, repeats: Integers, axis: int | None = None) -> ndarray:
    """Each element of `a` (or each position along `axis`) repeated.

    `repeats` is one number, or one for each position: on the device these cost one synchronisation, since the length
    of the result depends on them. See `numpy.repeat`.

    >>> cp.repeat(cp.asarray([1, 2]), 3)
    array([1, 1, 1, 2, 2, 2])
    """
    a = as_array(a)
    if axis is None:
        a, axis = a.ravel(), 0
    if a.ndim == 0:
        a = a.reshape(1)
    axis = normalize_axis_index(axis, a.ndim)
    length = a.shape[axis]
    if not isinstance(repeats, ndarray) and np.size(repeats) == 1:
        return _repeat_evenly(a, host_integers(repeats)[0], axis)
    counts = as_index_array(repeats).ravel()
    if not _core.can_cast(counts.dtype, np.int64):
        raise TypeError(
            f"Cannot cast array data from dtype('{counts.dtype}') to dtype('int64') according to the rule 'safe'"
        )
    if counts.size == 1:
        counts = _core.broadcast_to(counts, (length,))
    elif counts.size != length:
        raise ValueError(f"operands could not be broadcast together with shape ({length},) ({counts.size},)")
    if length == 0:
        return a.copy()
    if int(counts.min()) < 0:
        raise ValueError("repeats may not contain negative values.")
    ends = counts.cumsum(dtype=np.int64)
    total = int(ends[-1])
    # Each position begins where the one before ends; several begin together where counts are 0.
    begun = _core.zeros(total + 1, np.int64)
    _core.scatter(begun, ends - counts, 1, "add")
    return a.take(begun[:total].cumsum() - 1, axis=axis)


def _repeat_evenly(a: ndarray, count: int, axis: int) -> ndarray:
    if count < 0:
        raise ValueError("repeats may not contain negative values.")
    spread = expand_dims(a, axis + 1)
    spread = _core.broadcast_to(spread, (*a.shape[: axis + 1], count, *a.shape[axis + 1 :]))
    result = spread.reshape((*a.shape[:axis], a.shape[axis] * count, *a.shape[axis + 1 :]))
    return result.copy() if count == 1 else result


def resize(a: ArrayLike, new_shape: ShapeLike) -> ndarray:
    """A new array of `new_shape` filled with the elements of `a` over and over. See `numpy.resize`.

    >>> cp.resize(cp.asarray([1, 2, 3]), (2, 2))
    array([[1, 2],
           [3, 1]])
    """
    lengths = as_shape(new_shape)
    if any(length < 0 for length in lengths):
        raise ValueError("all elements of `new_shape` must be non-negative")
    flat = as_array(a).ravel()
    total = math.prod(lengths)
    if flat.size == 0 or total == 0:
        return _core.zeros(lengths, flat.dtype)
    return flat.take(counting(total) % flat.size).reshape(lengths)


# Adding and removing elements.


def delete(arr: ArrayLike, obj: slice | Integers, axis: int | None = None) -> ndarray:
    """A copy of `arr` without the positions `obj` of `axis` (of the flattened array if it is None).

    `obj` is an integer, a slice, a sequence of integers or a mask. `IndexError` if one is out of bounds.
    See `numpy.delete`.

    >>> cp.delete(cp.arange(4), 1)
    array([0, 2, 3])
    """
    arr = as_array(arr)
    if axis is None:
        arr, axis = arr.ravel(), 0
    axis = normalize_axis_index(axis, arr.ndim)
    length = arr.shape[axis]
    if isinstance(obj, (int, np.integer)) and not isinstance(obj, (bool, np.bool_)):
        position = _position(int(obj), length, axis)
        return concatenate(
            (slice_axis(arr, axis, slice(0, position)), slice_axis(arr, axis, slice(position + 1, None))), axis
        )
    kept = _core.full(length, True, np.bool_)
    if isinstance(obj, slice):
        kept[obj] = False
    else:
        indices = as_index_array(obj)
        if indices.dtype == np.bool_:
            if indices.shape != (length,):
                raise ValueError(
                    "boolean array argument `obj` to delete must be one-dimensional and match the axis length of "
                    f"{length}"
                )
            kept = ~indices
        elif indices.size:
            kept[indices] = False
    return slice_axis(arr, axis, kept)


def _position(index: int, length: int, axis: int, end: int = 0) -> int:
    if not -length <= index < length + end:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {length}")
    return index + length if index < 0 else index


def insert(arr: ArrayLike, obj: slice | Integers, values: ArrayLike, axis: int | None = None) -> ndarray:
    """A copy of `arr` with `values` inserted before the positions `obj` of `axis` (flattened if it is None).

    The positions refer to `arr`; `values` broadcasts against them and is cast to the dtype of `arr`.
    `IndexError` if one is out of bounds. See `numpy.insert`.

    >>> cp.insert(cp.arange(3), 1, 9)
    array([0, 9, 1, 2])
    """
    arr = as_array(arr)
    if axis is None:
        arr, axis = arr.ravel(), 0
    axis = normalize_axis_index(axis, arr.ndim)
    length = arr.shape[axis]
    values = as_array(values).astype(arr.dtype, copy=False)
    if isinstance(obj, slice):
        obj = list(range(*obj.indices(length)))
    if isinstance(obj, (int, np.integer)) or (not isinstance(obj, ndarray) and np.size(obj) == 1):
        single = isinstance(obj, (int, np.integer)) or np.ndim(obj) == 0
        position = _position(host_integers(obj)[0], length, axis, end=1)
        values = values[(None,) * (arr.ndim - values.ndim)] if values.ndim < arr.ndim else values
        if single:
            # For one integer the first axis of `values` runs along `axis`, as in `arr[..., obj, ...] = values`.
            values = moveaxis(values, 0, axis)
        filled = (*arr.shape[:axis], values.shape[axis], *arr.shape[axis + 1 :])
        parts = (
            slice_axis(arr, axis, slice(0, position)),
            _core.broadcast_to(values, filled),
            slice_axis(arr, axis, slice(position, None)),
        )
        return concatenate(parts, axis)
    indices = as_index_array(obj)
    if indices.dtype == np.bool_:
        indices = indices.nonzero()[0]
    if indices.ndim > 1:
        raise ValueError("index array argument `obj` to insert must be one dimensional or scalar")
    if indices.size == 0:
        return arr.copy()
    indices = indices.ravel().astype(np.int64)
    out_of_bounds = (indices < -length) | (indices > length)
    if bool(out_of_bounds.any()):
        bad = int(indices[out_of_bounds][0])
        raise IndexError(f"index {bad} is out of bounds for axis {axis} with size {length}")
    indices = _core.where(indices < 0, indices + length, indices)
    order = indices.argsort()
    indices[order] += counting(indices.size)
    kept = _core.full(length + indices.size, True, np.bool_)
    kept[indices] = False
    result = _core.empty((*arr.shape[:axis], length + indices.size, *arr.shape[axis + 1 :]), arr.dtype)
    before = (slice(None),) * axis
    result[(*before, indices)] = values
    result[(*before, kept)] = arr
    return result


def trim_zeros(filt: ArrayLike, trim: str = "fb", axis: int | Sequence[int] | None = None) -> ndarray:
    """A view of `filt` without the zeros at the front ("f") and back ("b") of each axis, or of those in `axis`.

    Costs one synchronisation, since the shape depends on the values. See `numpy.trim_zeros`.

    >>> cp.trim_zeros(cp.asarray([0, 1, 2, 0]))
    array([1, 2])
    """
    filt = as_array(filt)
    trim = trim.lower()
    if trim not in {"fb", "bf", "f", "b"}:
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    axes = range(filt.ndim) if axis is None else normalize_axis_tuple(axis, filt.ndim, "axis")
    if not axes:
        return filt
    found = stack(filt.nonzero())
    if found.size == 0:
        bounds = [(0, 0)] * filt.ndim
    else:
        extremes = stack((found.min(axis=1), found.max(axis=1) + 1), axis=1).tolist()
        bounds = [(low if "f" in trim else None, high if "b" in trim else None) for low, high in extremes]
    return filt[tuple(slice(*bounds[i]) if i in axes else slice(None) for i in range(filt.ndim))]


# Rearranging elements.


def flip(m: ArrayLike, axis: int | Sequence[int] | None = None) -> ndarray:
    """A view of `m` with the order of elements reversed along `axis` (all axes if None). See `numpy.flip`.

    >>> cp.flip(cp.asarray([[1, 2], [3, 4]]))
    array([[4, 3],
           [2, 1]])
    """
    m = as_array(m)
    axes = range(m.ndim) if axis is None else normalize_axis_tuple(axis, m.ndim)
    return m[tuple(slice(None, None, -1) if i in axes else slice(None) for i in range(m.ndim))]


def flipud(m: ArrayLike) -> ndarray:
    """`flip` along the first axis. See `numpy.flipud`.

    >>> cp.flipud(cp.asarray([[1, 2], [3, 4]]))
    array([[3, 4],
           [1, 2]])
    """
    m = as_array(m)
    if m.ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return m[::-1]


def fliplr(m: ArrayLike) -> ndarray:
    """`flip` along the second axis. See `numpy.fliplr`.

    >>> cp.fliplr(cp.asarray([[1, 2], [3, 4]]))
    array([[2, 1],
           [4, 3]])
    """
    m = as_array(m)
    if m.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return m[:, ::-1]


def rot90(m: ArrayLike, k: int = 1, axes: Sequence[int] = (0, 1)) -> ndarray:
    """A view of `m` rotated by `k` quarter turns from the first of `axes` towards the second. See `numpy.rot90`.

    >>> cp.rot90(cp.asarray([[1, 2], [3, 4]]))
    array([[2, 4],
           [1, 3]])
    """
    axes = tuple(axes)
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    m = as_array(m)
    if axes[0] == axes[1] or abs(axes[0] - axes[1]) == m.ndim:
        raise ValueError("Axes must be different.")
    if not all(-m.ndim <= axis < m.ndim for axis in axes):
        raise ValueError(f"Axes={axes} out of range for array of ndim={m.ndim}.")
    match k % 4:
        case 0:
            return m[...]
        case 1:
            return flip(m, axes[1]).swapaxes(*axes)
        case 2:
            return flip(m, axes)
        case _:
            return flip(m.swapaxes(*axes), axes[1])


def roll(a: ArrayLike, shift: Integers, axis: int | Sequence[int] | None = None) -> ndarray:
    """A copy of `a` with its elements moved by `shift` along `axis`; those that leave at one end enter at the other.

    With `axis` None the flattened array is rolled. Several shifts and axes broadcast. See `numpy.roll`.

    >>> cp.roll(cp.arange(5), 2)
    array([3, 4, 0, 1, 2])
    """
    a = as_array(a)
    if axis is None:
        return roll(a.ravel(), shift, 0).reshape(a.shape)
    axes = normalize_axis_tuple(axis, a.ndim, allow_duplicate=True)
    amounts = host_integers(shift)
    if len(amounts) != 1 and len(axes) != 1 and len(amounts) != len(axes):
        raise ValueError("shape mismatch: objects cannot be broadcast to a single shape")
    count = max(len(amounts), len(axes)) if amounts and axes else 0
    shifts = dict.fromkeys(axes, 0)
    for i in range(count):
        shifts[axes[i % len(axes)]] += amounts[i % len(amounts)]
    cuts = []
    for along, amount in shifts.items():
        amount %= max(a.shape[along], 1)
        if amount:
            moved = (slice(None, -amount), slice(amount, None)), (slice(-amount, None), slice(None, amount))
            cuts.append([(along, source, target) for source, target in moved])
    if not cuts:
        return a.copy()
    result = _core.empty_like(a)
    for corner in itertools.product(*cuts):
        source, target = [slice(None)] * a.ndim, [slice(None)] * a.ndim
        for along, taken, placed in corner:
            source[along], target[along] = taken, placed
        result[tuple(target)] = a[tuple(source)]
    return result


def copyto(dst: ndarray, src: ArrayLike, casting: str = "same_kind", where: ArrayLike | None = True) -> None:
    """Writes `src`, broadcast, into `dst`, where the mask `where` is true.

    `TypeError` if `casting` forbids the cast. See `numpy.copyto`.

    >>> a = cp.zeros(3)
    >>> cp.copyto(a, cp.arange(3), where=cp.asarray([True, False, True]))
    >>> a
    array([0., 0., 2.])
    """
    if not isinstance(dst, ndarray):
        raise TypeError(f"copyto() argument 1 must be a cuproxide array, not {type(dst).__name__}")
    mask = True if where is None or where is True else as_array(where)
    _core.copyto(dst, as_operand(src), casting, mask)
