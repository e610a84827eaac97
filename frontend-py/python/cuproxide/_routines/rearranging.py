"""Repeating, adding, removing and moving elements."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from .. import _cuproxide as _core
from .. import _records
from .._cuproxide import ndarray
from .._lib.conversions import (
    as_array,
    as_elements,
    as_index_array,
    as_mask,
    as_operand,
    as_shape,
    counting,
    host_integers,
    normalize_axis_tuple,
    real_axis,
    slice_axis,
)
from .._typing import ArrayLike, Integers, ShapeLike
from .joining import concatenate, stack
from .shapes import expand_dims, moveaxis

__all__ = [
    "copyto",
    "delete",
    "flip",
    "fliplr",
    "flipud",
    "insert",
    "repeat",
    "resize",
    "roll",
    "rot90",
    "tile",
    "trim_zeros",
]


# Repeating.


@_records.moves("A")
def tile(A: ArrayLike, reps: int | Sequence[int]) -> ndarray:
    """`A` repeated `reps` times along each axis, missing axes of either added in front.

    Parameters
    ----------
    A : array_like
        The array.
    reps : int or sequence of int
        How often along each axis.

    >>> cp.tile(cp.asarray([1, 2]), (2, 2))
    array([[1, 2, 1, 2],
           [1, 2, 1, 2]])
    """
    a = as_array(A)
    counts = as_shape(reps)
    lengths = (1,) * (len(counts) - a.ndim) + a.shape
    counts = (1,) * (len(lengths) - len(counts)) + counts
    if all(count == 1 for count in counts):
        return _core.array(a, ndmin=len(lengths))
    pairs = list(zip(counts, lengths, strict=True))
    spread = a.reshape([n for _, length in pairs for n in (1, length)])
    spread = _core.broadcast_to(spread, [n for pair in pairs for n in pair])
    return _own(spread.reshape([count * length for count, length in pairs]))


@_records.by_method
def repeat(a: ArrayLike, repeats: Integers, axis: int | None = None) -> ndarray:
    """Each element of `a` (or each position along `axis`) repeated.

    `repeats` is one number, or one for each position: on the device these cost one synchronisation, since the length
    of the result depends on them.

    Parameters
    ----------
    repeats : int or array_like of int
        How often.

    >>> cp.repeat(cp.asarray([1, 2]), 3)
    array([1, 1, 1, 2, 2, 2])
    """
    a = as_array(a)
    if axis is None:
        a, axis = a.ravel(), 0
    if a.ndim == 0:
        a = a.reshape(1)
    axis = normalize_axis_index(real_axis(axis), a.ndim)
    length = a.shape[axis]
    if not isinstance(repeats, ndarray) and np.size(repeats) == 1 and np.ndim(repeats) < 2:
        return _repeat_evenly(a, host_integers(repeats)[0], axis)
    counts = as_index_array(repeats)
    if counts.ndim > 1:
        raise ValueError("object too deep for desired array")
    counts = counts.ravel()
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
    return _own(spread.reshape((*a.shape[:axis], a.shape[axis] * count, *a.shape[axis + 1 :])))


def _own(a: ndarray) -> ndarray:
    """`a`, or a copy of one that is a view, as what repeats axes of one element can be."""
    return a if a.flags.owndata else a.copy()


def resize(a: ArrayLike, new_shape: ShapeLike) -> ndarray:
    """A new array of `new_shape` filled with the elements of `a` over and over.

    Parameters
    ----------
    new_shape : int or tuple of int
        The shape of the result.

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
    whole = total - total % flat.size
    result = _core.empty(total, flat.dtype)
    result[:whole].reshape(-1, flat.size)[...] = flat
    result[whole:] = flat[: total - whole]
    return result.reshape(lengths)


# Adding and removing elements.


@_records.moves("arr")
def delete(arr: ArrayLike, obj: slice | Integers, axis: int | None = None) -> ndarray:
    """A copy of `arr` without the positions `obj` of `axis` (of the flattened array if it is None).

    `obj` is an integer, a slice, a sequence of integers or a mask.

    Parameters
    ----------
    obj : int, slice or sequence of int or bool
        The positions to leave out.

    Raises
    ------
    IndexError
        If one is out of bounds.

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
        parts = slice_axis(arr, axis, slice(0, position)), slice_axis(arr, axis, slice(position + 1, None))
        return _ordered(concatenate(parts, axis), arr)
    kept = _core.full(length, True, np.bool_)
    if isinstance(obj, slice):
        kept[obj] = False
        return _ordered(slice_axis(arr, axis, kept), arr)
    else:
        indices = as_index_array(obj)
        if isinstance(obj, Sequence) and indices.dtype != np.bool_ and indices.size == 1:
            return delete(arr, indices.item(), axis)
        if indices.dtype == np.bool_:
            if indices.shape != (length,):
                raise ValueError(
                    "boolean array argument `obj` to delete must be one-dimensional and match the axis length of "
                    f"{length}"
                )
            kept = ~indices
        elif indices.dtype.kind not in "iu":
            raise IndexError(_NO_INDICES)
        elif indices.size:
            kept[indices] = False
        if not indices.ndim:
            return _ordered(slice_axis(arr, axis, kept), arr)
    return slice_axis(arr, axis, kept)


_NO_INDICES = "arrays used as indices must be of integer (or boolean) type"


def _order(arr: ndarray) -> Literal["C", "F"]:
    """The order in memory of what is made of `arr`: Fortran's if it is that of `arr`."""
    return "F" if arr.flags.fnc else "C"


def _ordered(result: ndarray, arr: ndarray) -> ndarray:
    """`result` in the order of what is made of `arr`."""
    order = _order(arr)
    # Reshaping gives axes of length 1 the strides of a new array.
    return _core.array(result, copy=None, order=order).reshape(result.shape, order=order)


def _position(index: int, length: int, axis: int, end: int = 0) -> int:
    if not -length <= index < length + end:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {length}")
    return index + length if index < 0 else index


@_records.moves("arr", "values")
def insert(arr: ArrayLike, obj: slice | Integers, values: ArrayLike, axis: int | None = None) -> ndarray:
    """A copy of `arr` with `values` inserted before the positions `obj` of `axis` (flattened if it is None).

    The positions refer to `arr`; `values` broadcasts against them and is cast to the dtype of `arr`.

    Parameters
    ----------
    obj : int, slice or sequence of int or bool
        The positions before which to insert.
    values : array_like
        What is inserted.

    Raises
    ------
    IndexError
        If one is out of bounds.

    >>> cp.insert(cp.arange(3), 1, 9)
    array([0, 9, 1, 2])
    """
    arr = as_array(arr)
    if axis is None:
        arr, axis = arr.ravel(), 0
    axis = normalize_axis_index(axis, arr.ndim)
    length = arr.shape[axis]
    values = as_elements(values, arr.dtype)
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
        return _ordered(concatenate(parts, axis), arr)
    indices = as_index_array(obj)
    if indices.dtype == np.bool_:
        indices = indices.nonzero()[0]
    if indices.dtype.kind not in "iu":
        raise IndexError(_NO_INDICES)
    if indices.ndim > 1:
        raise ValueError("index array argument `obj` to insert must be one dimensional or scalar")
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
    lengths = (*arr.shape[:axis], length + indices.size, *arr.shape[axis + 1 :])
    result = _core.empty(lengths, arr.dtype, _order(arr))
    before = (slice(None),) * axis
    result[(*before, indices)] = values
    result[(*before, kept)] = arr
    return result


def trim_zeros(filt: ArrayLike, trim: str = "fb", axis: int | Sequence[int] | None = None) -> ndarray:
    """A view of `filt` without the zeros at the front ("f") and back ("b") of each axis, or of those in `axis`.

    Costs one synchronisation, since the shape depends on the values.

    Parameters
    ----------
    filt : array_like
        The array.
    trim : str
        The ends to trim: 'f', 'b' or 'fb'.

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
        bounds: list[Any] = [(0, 0)] * filt.ndim
    else:
        extremes = stack((found.min(axis=1), found.max(axis=1) + 1), axis=1).tolist()
        bounds = [(low if "f" in trim else None, high if "b" in trim else None) for low, high in extremes]
    return filt[tuple(slice(*bounds[i]) if i in axes else slice(None) for i in range(filt.ndim))]


# Rearranging elements.


def flip(m: ArrayLike, axis: int | Sequence[int] | None = None) -> ndarray:
    """A view of `m` with the order of elements reversed along `axis` (all axes if None).

    Parameters
    ----------
    axis : int or tuple of int, optional
        The axes to reverse, by default all.

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
    """A view of `m` rotated by `k` quarter turns from the first of `axes` towards the second.

    Parameters
    ----------
    k : int
        The number of quarter turns.
    axes : tuple of int
        The axes of the plane of the rotation.

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

    With `axis` None the flattened array is rolled. Several shifts and axes broadcast.

    Parameters
    ----------
    shift : int or sequence of int
        How far.
    axis : int or sequence of int, optional
        Along which axes.

    >>> cp.roll(cp.arange(5), 2)
    array([3, 4, 0, 1, 2])
    """
    a = as_array(a)
    if axis is None:
        return roll(a.ravel(), shift, 0).reshape(a.shape)
    axes = normalize_axis_tuple(axis, a.ndim, allow_duplicate=True)
    if np.ndim(shift) > 1:
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    amounts = [int(one) for one in (shift.ravel() if isinstance(shift, ndarray) else np.ravel(shift)).tolist()]
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
        return a.copy("K")
    result = _core.empty_like(a)
    for corner in itertools.product(*cuts):
        source, target = [slice(None)] * a.ndim, [slice(None)] * a.ndim
        for along, taken, placed in corner:
            source[along], target[along] = taken, placed
        result[tuple(target)] = a[tuple(source)]
    return result


@_records.moves("dst", "src")
def copyto(dst: ndarray, src: ArrayLike, casting: str = "same_kind", where: ArrayLike | None = True) -> None:
    """Writes `src`, broadcast, into `dst`, where the mask `where` is true.

    Parameters
    ----------
    dst : ndarray
        The array that is written.
    src : array_like
        What is written.
    where : array_like of bool
        Which elements are written.

    Raises
    ------
    TypeError
        If `casting` forbids the cast.

    >>> a = cp.zeros(3)
    >>> cp.copyto(a, cp.arange(3), where=cp.asarray([True, False, True]))
    >>> a
    array([0., 0., 2.])
    """
    if not isinstance(dst, ndarray):
        raise TypeError(f"copyto() argument 1 must be a cuproxide array, not {type(dst).__name__}")
    mask = True if where is None else as_mask(where)
    _core.copyto(dst, as_operand(src), casting, mask)
