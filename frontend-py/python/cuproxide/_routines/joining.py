"""Joining arrays and splitting them."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, cast

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from .. import _cuproxide as _core
from .. import _records
from .._cuproxide import ndarray
from .._lib.conversions import as_array, as_arrays, host_integers, only_sequence, slice_axis
from .._typing import ArrayLike, DTypeLike, Integers
from .shapes import atleast_1d, atleast_2d, atleast_3d, moveaxis

__all__ = [
    "append",
    "array_split",
    "block",
    "column_stack",
    "concat",
    "concatenate",
    "dsplit",
    "dstack",
    "hsplit",
    "hstack",
    "row_stack",
    "split",
    "stack",
    "unstack",
    "vsplit",
    "vstack",
]


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
    excludes `out`.

    See Also
    --------
    numpy.concatenate : The function that this one follows.

    >>> cp.concatenate([cp.arange(3), cp.arange(2)])
    array([0, 1, 2, 0, 1])
    """
    if out is None and dtype is None and casting == "same_kind":
        joined = _core.fast_concatenate(arrays, axis)
        if joined is not None:
            return joined
    # A list of a thousand arrays is not gone through one by one.
    ready = isinstance(arrays, (list, tuple)) and set(map(type, arrays)) == {ndarray}
    if not ready and (not hasattr(arrays, "__getitem__") or getattr(arrays, "ndim", 1) == 0):
        raise TypeError("The first input argument needs to be a sequence")
    parts = cast("Sequence[ndarray]", arrays) if ready else as_arrays(arrays)
    if dtype is None and casting == "same_kind":
        return _core.concatenate(parts, axis, out)
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
    """Arrays of one shape joined along a new axis at position `axis` of the result.

    >>> cp.stack([cp.arange(3), cp.arange(3)], axis=1)
    array([[0, 0],
           [1, 1],
           [2, 2]])
    """
    parts = as_arrays(only_sequence(arrays, "arrays to stack"))
    if not parts:
        raise ValueError("need at least one array to stack")
    if any(part.shape != parts[0].shape for part in parts):
        raise ValueError("all input arrays must have the same shape")
    axis = normalize_axis_index(axis, parts[0].ndim + 1)
    index = (slice(None),) * axis + (None,)
    return concatenate([part[index] for part in parts], axis, out, dtype=dtype, casting=casting)


@_records.moves("x")
def unstack(x: ArrayLike, /, *, axis: int = 0) -> tuple[ndarray, ...]:
    """Views of `x` at each position of `axis`.

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
    """Arrays joined along the first axis; (N,) counts as (1, N).

    >>> cp.vstack([cp.arange(2), cp.arange(2)])
    array([[0, 1],
           [0, 1]])
    """
    return concatenate([atleast_2d(a) for a in _stack_parts(tup)], 0, dtype=dtype, casting=casting)


def row_stack(tup: Sequence[ArrayLike], *, dtype: DTypeLike | None = None, casting: str = "same_kind") -> ndarray:
    """The older name of `vstack`, deprecated as in NumPy.

    >>> cp.vstack([cp.arange(2), cp.arange(2)])
    array([[0, 1],
           [0, 1]])
    """
    warnings.warn("`row_stack` alias is deprecated. Use `vstack` directly.", DeprecationWarning, stacklevel=2)
    return vstack(tup, dtype=dtype, casting=casting)


def hstack(tup: Sequence[ArrayLike], *, dtype: DTypeLike | None = None, casting: str = "same_kind") -> ndarray:
    """Arrays joined along the second axis; one-dimensional ones along their only axis.

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
    """A new array of `arr` followed by `values` along `axis`; both flattened if it is None.

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
    cut at.

    >>> cp.array_split(cp.arange(5), 2)
    [array([0, 1, 2]), array([3, 4])]
    """
    ary = as_array(ary)
    axis = normalize_axis_index(axis, ary.ndim)
    length = ary.shape[axis]
    if _ndim(indices_or_sections):
        points = [None, *host_integers(indices_or_sections), None]
        return [slice_axis(ary, axis, slice(start, stop)) for start, stop in itertools.pairwise(points)]
    sections = int(indices_or_sections)
    if sections <= 0:
        raise ValueError("number sections must be larger than 0.")
    each, extra = divmod(length, sections)
    ends = [i * each + min(i, extra) for i in range(sections + 1)]
    return [slice_axis(ary, axis, slice(start, stop)) for start, stop in itertools.pairwise(ends)]


def _ndim(value: Integers) -> int:
    return value.ndim if isinstance(value, ndarray) else np.ndim(value)


def split(ary: ArrayLike, indices_or_sections: Integers, axis: int = 0) -> list[ndarray]:
    """Like `array_split`, but an integer must divide the axis (`ValueError` otherwise).

    >>> cp.split(cp.arange(4), 2)
    [array([0, 1]), array([2, 3])]
    """
    ary = as_array(ary)
    if not _ndim(indices_or_sections):
        if isinstance(indices_or_sections, ndarray):
            indices_or_sections = int(indices_or_sections)
        if indices_or_sections == 0:
            raise ZeroDivisionError("an array cannot be split into 0 sections")
        if indices_or_sections > 0 and ary.shape[normalize_axis_index(axis, ary.ndim)] % indices_or_sections:
            raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


def hsplit(ary: ArrayLike, indices_or_sections: Integers) -> list[ndarray]:
    """`split` along the second axis, or the only one.

    >>> cp.hsplit(cp.asarray([[1, 2], [3, 4]]), 2)[1]
    array([[2],
           [4]])
    """
    ary = as_array(ary)
    if ary.ndim == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(ary, indices_or_sections, 1 if ary.ndim > 1 else 0)


def vsplit(ary: ArrayLike, indices_or_sections: Integers) -> list[ndarray]:
    """`split` along the first axis of an array of two or more.

    >>> cp.vsplit(cp.asarray([[1, 2], [3, 4]]), 2)[1]
    array([[3, 4]])
    """
    ary = as_array(ary)
    if ary.ndim < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


def dsplit(ary: ArrayLike, indices_or_sections: Integers) -> list[ndarray]:
    """`split` along the third axis of an array of three or more.

    >>> cp.dsplit(cp.ones((1, 2, 4)), 2)[0].shape
    (1, 2, 2)
    """
    ary = as_array(ary)
    if ary.ndim < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)
