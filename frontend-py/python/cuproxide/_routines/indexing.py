"""Selecting and setting elements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from .. import _cuproxide as _core
from .. import _records
from .._cuproxide import ndarray
from .._lib.conversions import (
    SCALARS,
    as_array,
    as_arrays,
    as_elements,
    as_index_array,
    as_operand,
    counting,
    deliver,
    real_axis,
    wrapped,
)
from .._lib.ordering import along_axis
from .._typing import ArrayLike, Integers
from .iterators import flatiter
from .joining import stack
from .rearranging import resize
from .shapes import broadcast_arrays

__all__ = [
    "argwhere",
    "choose",
    "compress",
    "diagonal",
    "extract",
    "fill_diagonal",
    "flatnonzero",
    "is_deterministic",
    "nonzero",
    "place",
    "put",
    "put_along_axis",
    "putmask",
    "scatter_add",
    "scatter_max",
    "scatter_min",
    "select",
    "set_deterministic",
    "take",
    "take_along_axis",
    "where",
]


# Selecting.


@_records.by_method
def take(
    a: ArrayLike, indices: Integers, axis: int | None = None, out: ndarray | None = None, mode: str = "raise"
) -> ndarray:
    """The elements of `a` at `indices` along `axis` (of the flattened array if it is None).

    `mode` says what an index out of bounds does: "raise" an `IndexError`, "wrap" around or "clip".

    >>> cp.take(cp.asarray([10, 20, 30]), cp.asarray([2, 0]))
    array([30, 10])
    """
    given = as_index_array(indices) if isinstance(indices, (list, tuple)) else indices
    return _core.take(as_array(a), given, axis, out, mode)


@_records.moves("arr")
def take_along_axis(arr: ArrayLike, indices: ArrayLike, axis: int | None = -1) -> ndarray:
    """The elements of `arr` at `indices` along `axis`, matched with it in the other axes.

    The counterpart of `argsort` and `argmax(keepdims=True)`.

    >>> cp.take_along_axis(cp.asarray([[1, 5], [7, 2]]), cp.asarray([[1], [0]]), axis=1)
    array([[5],
           [7]])
    """
    arr, indices = as_array(arr), as_index_array(indices)
    if axis is None:
        if indices.ndim != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        arr, axis = arr.ravel(), 0
    return arr[along_axis(arr, indices, axis)]


@_records.moves("arr", "values")
def put_along_axis(arr: ndarray, indices: ArrayLike, values: ArrayLike, axis: int | None) -> None:
    """Writes `values` to the elements of `arr` at `indices` along `axis`.

    Parameters
    ----------
    arr : ndarray
        The array that is written.

    >>> a = cp.asarray([[10, 30, 20]])
    >>> cp.put_along_axis(a, cp.argmax(a, axis=1, keepdims=True), 99, axis=1)
    >>> a
    array([[10, 99, 20]])
    """
    indices = as_index_array(indices)
    if axis is None:
        if indices.ndim != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        flatiter(arr)[indices] = values
    else:
        arr[along_axis(arr, indices, axis)] = as_operand(values)


@_records.moves("choices", joined=True)
def choose(
    a: ArrayLike, choices: Sequence[ArrayLike] | ndarray, out: ndarray | None = None, mode: str = "raise"
) -> ndarray:
    """At each point the element of the array `choices[a]`; all broadcast. `mode` is as for `take`.

    Parameters
    ----------
    a : array_like of int
        The number of the choice at each point.
    choices : sequence of array_like
        The arrays to choose from.

    >>> cp.choose(cp.asarray([0, 1, 0]), [cp.asarray([1, 2, 3]), cp.asarray([10, 20, 30])])
    array([ 1, 20,  3])
    """
    a = as_array(a)
    if not _core.can_cast(a.dtype, np.int64):
        raise TypeError(
            f"Cannot cast array data from dtype('{a.dtype}') to dtype('int64') according to the rule 'safe'"
        )
    choices = [as_operand(choice) for choice in choices]
    common = _core.result_type(*choices) if choices else None
    if common is None:
        raise ValueError("invalid entry in choice array")
    selector, *spread = broadcast_arrays(a, *choices)
    options = stack(spread, dtype=common, casting="unsafe")
    count = options.shape[0]
    selector = selector.astype(np.int64)
    match mode:
        case "wrap":
            selector = selector % count
        case "clip":
            selector = _core.clip(selector, 0, count - 1)
        case "raise":
            if selector.size and bool(((selector < 0) | (selector >= count)).any()):
                raise ValueError("invalid entry in choice array")
        case _:
            raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    chosen = _core.array(take_along_axis(options, selector[None], 0)[0], copy=None, order="C")
    return deliver(chosen, out, "unsafe")


@_records.moves("a")
def compress(condition: ArrayLike, a: ArrayLike, axis: int | None = None, out: ndarray | None = None) -> ndarray:
    """The positions of `axis` (of the flattened array if it is None) where `condition` is true.

    `condition` has one axis, no longer than `axis`.

    >>> cp.compress([False, True], cp.asarray([[1, 2], [3, 4]]), axis=0)
    array([[3, 4]])
    """
    condition = as_array(condition)
    if condition.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    a = as_array(a)
    axis = None if axis is None else normalize_axis_index(real_axis(axis), a.ndim or 1)
    line = axis is None or a.ndim == 1
    if line and out is None and condition.size == a.size:
        return a.ravel()[condition != 0]
    return _core.take(a, condition.nonzero()[0], axis, out)


@_records.moves("arr")
def extract(condition: ArrayLike, arr: ArrayLike) -> ndarray:
    """The elements of `arr` where `condition` is true, flattened.

    >>> cp.extract(cp.arange(6) % 2 == 0, cp.arange(6))
    array([0, 2, 4])
    """
    arr, condition = as_array(arr).ravel(), as_array(condition).ravel()
    if condition.size == arr.size:
        return arr[condition != 0]
    return _core.take(arr, condition.nonzero()[0])


@_records.moves("choicelist", "default", joined=True)
def select(condlist: Sequence[ArrayLike], choicelist: Sequence[ArrayLike], default: ArrayLike = 0) -> ndarray:
    """At each point the first of `choicelist` whose condition is true, else `default`; all broadcast.

    Parameters
    ----------
    choicelist : list of array_like
        What is taken where the condition of that place is true.
    default : scalar or array_like, optional
        What is taken where nothing else is.

    >>> cp.select([cp.arange(4) < 1, cp.arange(4) < 3], [cp.full(4, 10), cp.full(4, 20)], default=-1)
    array([10, 20, 20, -1])
    """
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if len(condlist) == 0:
        raise ValueError("select with an empty condition list is not possible")
    conditions = as_arrays(condlist)
    for i, condition in enumerate(conditions):
        if condition.dtype != np.bool_:
            raise TypeError(f"invalid entry {i} in condlist: should be boolean ndarray")
    choices = [as_operand(choice) for choice in choicelist]
    result = as_operand(default)
    dtype = _core.result_type(*choices, result)
    result = wrapped(result, dtype)
    for condition, choice in zip(reversed(conditions), reversed(choices), strict=True):
        result = _core.where(condition, wrapped(choice, dtype), result)
    return result.astype(dtype, "C", copy=False)


def where(condition: ArrayLike, x: ArrayLike | None = None, y: ArrayLike | None = None, /) -> Any:
    """`x` where `condition` is true and `y` elsewhere; with `condition` alone its `nonzero`.

    Parameters
    ----------
    x : array_like, optional
        What is taken where the condition is true.
    y : array_like, optional
        What is taken elsewhere.

    Returns
    -------
    ndarray or tuple of ndarray

    >>> cp.where(cp.arange(4) > 1, cp.arange(4), -1)
    array([-1, -1,  2,  3])
    """
    chosen = _core.fast_where(condition, x, y)
    return _where(condition, x, y) if chosen is None else chosen


@_records.moves("x", "y", joined=True)
def _where(condition: ArrayLike, x: ArrayLike | None, y: ArrayLike | None) -> Any:
    """`where` of anything."""
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ValueError("either both or neither of x and y should be given")
    return _core.where(as_operand(condition), as_operand(x), as_operand(y))


def nonzero(a: ArrayLike) -> tuple[ndarray, ...]:
    """The indices of the elements that are not zero, one array for each axis.

    Waits for the device, since the lengths depend on the data. See `numpy.nonzero`.

    >>> cp.nonzero(cp.asarray([0, 3, 0, 4]))
    (array([1, 3]),)
    """
    return as_array(a).nonzero()


@_records.by_truth
def flatnonzero(a: ArrayLike) -> ndarray:
    """The positions in the flattened `a` of its nonzero elements. See `numpy.flatnonzero`.

    >>> cp.flatnonzero(cp.asarray([[0, 3], [4, 0]]))
    array([1, 2])
    """
    return as_array(a).ravel().nonzero()[0]


def argwhere(a: ArrayLike) -> ndarray:
    """The indices of the nonzero elements as rows. See `numpy.argwhere`.

    >>> cp.argwhere(cp.asarray([[0, 3], [4, 0]]))
    array([[0, 1],
           [1, 0]])
    """
    a = as_array(a)
    if a.ndim == 0:
        return argwhere(a.reshape(1))[:, :0]
    return stack(a.nonzero()).T


@_records.moves("a")
def diagonal(a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> ndarray:
    """A view of a diagonal over two axes, as the last axis of the result.

    Parameters
    ----------
    offset : int
        The number of the diagonal: 0 is the main one, positive ones are above it.

    >>> cp.diagonal(cp.arange(9).reshape(3, 3), offset=1)
    array([1, 5])
    """
    return as_array(a).diagonal(offset, axis1, axis2)


# Setting.


@_records.moves("a", "v")
def put(a: ndarray, ind: Integers, v: ArrayLike, mode: str = "raise") -> None:
    """Writes `v`, repeated as needed, to the positions `ind` of the flattened `a`.

    Parameters
    ----------
    a : ndarray
        The array that is written.
    ind : array_like of int
        The positions.
    v : array_like
        What is written.

    >>> a = cp.arange(5)
    >>> cp.put(a, [0, 2], [-1, -2])
    >>> a
    array([-1,  1, -2,  3,  4])
    """
    _core.put(a, ind, v if isinstance(v, SCALARS) else as_elements(v, a.dtype), mode)


@_records.moves("arr", "vals")
def place(arr: ndarray, mask: ArrayLike, vals: ArrayLike) -> None:
    """Writes `vals`, repeated as needed, to the elements of `arr` where `mask` is true.

    Parameters
    ----------
    arr : ndarray
        The array that is written.
    vals : array_like
        What is written.

    >>> a = cp.arange(4)
    >>> cp.place(a, a > 1, [7, 8])
    >>> a
    array([0, 1, 7, 8])
    """
    mask, vals = as_array(mask).astype(np.bool_, copy=False), _fillers(arr, vals)
    if mask.size != arr.size:
        raise ValueError("place: mask and data must be the same size")
    positions = mask.ravel().nonzero()[0]
    if positions.size == 0:
        return
    if vals.size == 0:
        raise ValueError("Cannot insert from an empty array!")
    _core.put(arr, positions, resize(vals, positions.size))


@_records.moves("a", "values")
def putmask(a: ndarray, /, mask: ArrayLike, values: ArrayLike) -> None:
    """Writes to each element of `a` where `mask` is true that of `values`, repeated to its size.

    Parameters
    ----------
    a : ndarray
        The array that is written.

    >>> a = cp.arange(4)
    >>> cp.putmask(a, a > 1, a * 10)
    >>> a
    array([ 0,  1, 20, 30])
    """
    mask, values = as_array(mask), _fillers(a, values)
    if mask.size != a.size:
        raise ValueError("putmask: mask and data must be the same size")
    if values.size == 0:
        return
    _core.copyto(a, resize(values, a.shape), "safe", mask.reshape(a.shape).astype(np.bool_, copy=False))


def _fillers(a: ndarray, values: ArrayLike) -> ndarray:
    """The values to fill with, flat and of the dtype of `a`, to which those of an array cast safely."""
    if isinstance(values, ndarray) and not _core.can_cast(values.dtype, a.dtype):
        raise TypeError(f"Cannot cast array data from {values.dtype!r} to {a.dtype!r} according to the rule 'safe'")
    return as_elements(values, a.dtype).ravel()


@_records.moves("a", "val")
def fill_diagonal(a: ndarray, val: ArrayLike, wrap: bool = False) -> None:
    """Writes `val`, repeated as needed, to the main diagonal of `a`.

    With `wrap` the diagonal of a tall matrix starts again after a gap of one row.

    Parameters
    ----------
    a : ndarray
        The array that is written.
    val : array_like
        What is written.
    wrap : bool
        Whether the diagonal of a tall matrix starts again.

    >>> a = cp.zeros((2, 2), int)
    >>> cp.fill_diagonal(a, 5)
    >>> a
    array([[5, 0],
           [0, 5]])
    """
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim > 2 and len(set(a.shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")
    length = min(a.shape)
    if wrap and a.ndim == 2 and a.shape[0] > a.shape[1]:
        steps = counting(math.ceil(a.size / (a.shape[1] + 1))) * (a.shape[1] + 1)
        index = (steps // a.shape[1], steps % a.shape[1])
        length = steps.size
    else:
        index = (counting(length),) * a.ndim
    val = as_elements(val, a.dtype)
    if val.size:
        a[index] = val if val.ndim == 0 else resize(val, length)


def scatter_add(a: ndarray, slices: Any, value: ArrayLike) -> None:
    """`a[slices] += value` in which every repetition of an index counts, as in `numpy.add.at`.

    Parameters
    ----------
    a : ndarray
        The array that is written.

    >>> a = cp.zeros(3)
    >>> cp.scatter_add(a, cp.asarray([0, 0, 2]), 1)
    >>> a
    array([2., 0., 1.])
    """
    _core.scatter(a, slices, as_operand(value), "add")


def set_deterministic(enabled: bool) -> bool:
    """Makes writes through repeated indices give the same bits at every call on GPUs too, at the price of a sort.

    That concerns sums of floats (`add.at`, `scatter_add`, `bincount` and `histogram` with weights), which then round in
    NumPy's order, and assignments, of which the last stays. The CPU always works like that. `CUPROXIDE_DETERMINISTIC=1`
    does the same for a process.

    Parameters
    ----------
    enabled : bool
        Whether to do so from now on, in all threads.

    Returns
    -------
    bool
        What held before.

    >>> before = cp.set_deterministic(True)
    >>> cp.is_deterministic()
    True
    >>> cp.set_deterministic(before)
    True
    """
    return _core.set_deterministic(enabled)


def is_deterministic() -> bool:
    """Whether writes through repeated indices give the same bits at every call on GPUs too; see `set_deterministic`.

    >>> cp.is_deterministic()
    False
    """
    return _core.is_deterministic()


def scatter_max(a: ndarray, slices: Any, value: ArrayLike) -> None:
    """Raises `a[slices]` to at least `value`, every repetition of an index included, as in `numpy.maximum.at`.

    Parameters
    ----------
    a : ndarray
        The array that is written.

    >>> a = cp.zeros(3)
    >>> cp.scatter_max(a, cp.asarray([0, 0]), cp.asarray([1.0, 5.0]))
    >>> a
    array([5., 0., 0.])
    """
    _core.scatter(a, slices, as_operand(value), "max")


def scatter_min(a: ndarray, slices: Any, value: ArrayLike) -> None:
    """Lowers `a[slices]` to at most `value`, every repetition of an index included, as in `numpy.minimum.at`.

    Parameters
    ----------
    a : ndarray
        The array that is written.

    >>> a = cp.zeros(3)
    >>> cp.scatter_min(a, cp.asarray([0, 0]), cp.asarray([1.0, -5.0]))
    >>> a
    array([-5.,  0.,  0.])
    """
    _core.scatter(a, slices, as_operand(value), "min")
