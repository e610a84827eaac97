"""Sorting, searching and the positions of extremes."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from .. import _cuproxide as _core
from .. import _records
from .._cuproxide import ndarray
from .._lib.conversions import as_array, as_arrays, counting, deliver, is_complex, is_inexact
from .._lib.ordering import check_kind, lexicographic, opposite
from .._typing import ArrayLike, Axes, DTypeLike, Integers
from .shapes import moveaxis

__all__ = [
    "argmax",
    "argmin",
    "argpartition",
    "argsort",
    "count_nonzero",
    "lexsort",
    "msort",
    "nanargmax",
    "nanargmin",
    "partition",
    "searchsorted",
    "sort",
    "sort_complex",
]


@_records.gives_way(_records.in_order, _records.is_records)
def sort(
    a: ArrayLike,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    stable: bool | None = None,
    descending: bool | None = None,
) -> ndarray:
    """A sorted copy of `a` along `axis` (flattened if None); NaN comes last. Always stable.

    `descending` puts the greatest first; NaN still comes last, and equal elements keep their order, as in NumPy 2.5.

    >>> cp.sort(cp.asarray([3, 1, 2]))
    array([1, 2, 3])
    """
    check_kind(kind, order, stable, descending)
    a = as_array(a)
    if not descending:
        return _core.sort(a, axis)
    return opposite(_core.sort(opposite(a), axis))


@_records.gives_way(_records.argsort, _records.is_records)
def argsort(
    a: ArrayLike,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    stable: bool | None = None,
    descending: bool | None = None,
) -> ndarray:
    """The indices that sort `a` along `axis` (flattened if None). Always stable.

    `descending` as in `sort`.

    >>> cp.argsort(cp.asarray([3, 1, 2]))
    array([1, 2, 0])
    """
    check_kind(kind, order, stable, descending)
    a = as_array(a)
    return _core.argsort(opposite(a) if descending else a, axis)


def msort(a: ArrayLike) -> ndarray:
    """A copy of `a` sorted along the first axis.

    >>> cp.msort(cp.asarray([3, 1, 2]))
    array([1, 2, 3])
    """
    return sort(a, axis=0)


def sort_complex(a: ArrayLike) -> ndarray:
    """A sorted copy of `a` as complex numbers, by real part and then imaginary part. See `numpy.sort_complex`.

    >>> cp.sort_complex(cp.asarray([2, 1]))
    array([1.+0.j, 2.+0.j])
    """
    result = sort(a)
    if is_complex(result.dtype):
        return result
    return result.astype(np.complex64 if result.dtype.char in "bhBH" else np.complex128)


def lexsort(keys: Sequence[ArrayLike] | ndarray, axis: int = -1) -> ndarray:
    """The indices that sort by the last of `keys`, ties by the one before, and so on.

    Parameters
    ----------
    keys : sequence of array_like
        The keys, the last one the most important.

    >>> cp.lexsort((cp.asarray([1, 0, 2]), cp.asarray([0, 1, 0])))
    array([0, 2, 1])
    """
    keys = as_arrays(keys)
    if not keys:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    return lexicographic(keys, axis)


def partition(
    a: ArrayLike, kth: Integers, axis: int | None = -1, kind: str = "introselect", order: None = None
) -> ndarray:
    """A copy of `a` with the element `kth` of `axis` where sorting puts it, smaller ones before and larger after.

    Devices other than the CPU sort the whole axis, which satisfies that. A `kth` on the device is read, for which the
    call waits.

    Parameters
    ----------
    kind : str
        Taken for compatibility.

    >>> cp.partition(cp.asarray([3, 1, 2]), 0)[0]
    array(1)
    """
    a = as_array(a)
    return _core.sort(a, axis, _places(a, kth, axis, kind, order))


def argpartition(
    a: ArrayLike, kth: Integers, axis: int | None = -1, kind: str = "introselect", order: None = None
) -> ndarray:
    """The indices of `partition`.

    Parameters
    ----------
    kind : str
        Taken for compatibility.

    >>> cp.argpartition(cp.asarray([3, 1, 2]), 0)[0]
    array(1)
    """
    a = as_array(a)
    return _core.argsort(a, axis, _places(a, kth, axis, kind, order))


def _places(a: ndarray, kth: Integers, axis: int | None, kind: str, order: Any) -> tuple[int, int] | None:
    """The positions from the least of `kth` to the one after the greatest; None where they are not known here."""
    if kind != "introselect":
        raise ValueError(f"select kind must be 'introselect' (got {kind!r})")
    if order is not None:
        raise ValueError("Cannot specify order when the array has no fields.")
    length = a.size if axis is None else a.shape[normalize_axis_index(axis, a.ndim)]
    positions = kth.get() if isinstance(kth, ndarray) else np.asarray(kth)
    if positions.dtype == bool:
        raise ValueError("Booleans unacceptable as partition index")
    if not np.issubdtype(positions.dtype, np.integer):
        raise TypeError("Partition index must be integer")
    if positions.ndim > 1:
        raise ValueError("object too deep for desired array")
    positions = np.atleast_1d(positions).tolist() if a.size else []
    for position in positions:
        if not -length <= position < length:
            raise ValueError(f"kth(={position}) out of bounds ({length})")
    places = [position % length for position in positions]
    return (min(places), max(places) + 1) if places else None


def searchsorted(a: ArrayLike, v: ArrayLike, side: str = "left", sorter: ArrayLike | None = None) -> ndarray:
    """The positions in sorted `a` where the elements of `v` would keep it sorted.

    Equal elements come after them with `side` "left" and before with "right". `sorter` are indices that sort `a`.
    A binary search of all of `v` at once.

    Parameters
    ----------
    a : array_like
        The array, in order.
    v : array_like
        What to look for.
    side : {'left', 'right'}
        On which side of equal elements.
    sorter : array_like of int, optional
        Indices that sort the array.

    >>> cp.searchsorted(cp.asarray([1, 2, 3]), cp.asarray([0, 2]), side="right")
    array([0, 2])
    """
    if not isinstance(side, str):
        raise TypeError(f"side must be a string, not {type(side).__name__}")
    if side not in ("left", "right"):
        raise ValueError(f"side must be 'left' or 'right' (got {side!r})")
    a, v = as_array(a), as_array(v)
    if a.ndim != 1:
        raise ValueError(
            "object too deep for desired array" if a.ndim else "object of too small depth for desired array"
        )
    if sorter is not None:
        sorter = as_array(sorter)
        if sorter.dtype.kind not in "iu":
            raise TypeError("sorter must only contain integers")
        if sorter.shape != a.shape:
            raise ValueError("sorter.size must equal a.size")
        a = a.take(sorter)
    common = _core.promote_types(a.dtype, v.dtype)
    a, v = a.astype(common, copy=False), v.astype(common, copy=False)
    return _core.searchsorted(a, v, side == "right")


def argmax(
    a: ArrayLike,
    axis: int | None = None,
    out: ndarray | None = None,
    *,
    keepdims: bool = False,
    dtype: DTypeLike = None,
) -> ndarray:
    """The index of the first largest element along `axis`, or in the flattened array, as int64 or `dtype`.

    Parameters
    ----------
    dtype : dtype, optional
        The type of the indices, by default int64.

    >>> cp.argmax(cp.asarray([[1, 5], [7, 2]]), axis=1)
    array([1, 0])
    """
    return as_array(a).argmax(axis, out, dtype, keepdims)


def argmin(
    a: ArrayLike,
    axis: int | None = None,
    out: ndarray | None = None,
    *,
    keepdims: bool = False,
    dtype: DTypeLike = None,
) -> ndarray:
    """The index of the first smallest element along `axis`, or in the flattened array, as int64 or `dtype`.

    Parameters
    ----------
    dtype : dtype, optional
        The type of the indices, by default int64.

    >>> cp.argmin(cp.asarray([[1, 5], [7, 2]]), axis=1)
    array([0, 1])
    """
    return as_array(a).argmin(axis, out, dtype, keepdims)


def _nan_position(
    name: str, a: ArrayLike, axis: int | None, out: ndarray | None, keepdims: bool, dtype: DTypeLike
) -> ndarray:
    a = as_array(a)
    axis = None if axis is None else operator.index(axis)
    result = _core.reduce(name, a, axis, None, out if dtype is None else None, keepdims)
    if is_inexact(a.dtype) and bool((result < 0).any()):
        raise ValueError("All-NaN slice encountered")
    return result if dtype is None else deliver(result.astype(dtype, copy=False), out)


def nanargmax(
    a: ArrayLike,
    axis: int | None = None,
    out: ndarray | None = None,
    *,
    keepdims: bool = False,
    dtype: DTypeLike = None,
) -> ndarray:
    """`argmax` that ignores NaN, as int64 or `dtype`; `ValueError` where there is nothing else (waits for the device).

    >>> cp.nanargmax(cp.asarray([cp.nan, 1.0, 2.0]))
    array(2)
    """
    return _nan_position("nanargmax", a, axis, out, keepdims, dtype)


def nanargmin(
    a: ArrayLike,
    axis: int | None = None,
    out: ndarray | None = None,
    *,
    keepdims: bool = False,
    dtype: DTypeLike = None,
) -> ndarray:
    """`argmin` that ignores NaN, as int64 or `dtype`; `ValueError` where there is nothing else (waits for the device).

    >>> cp.nanargmin(cp.asarray([cp.nan, 1.0, 2.0]))
    array(1)
    """
    return _nan_position("nanargmin", a, axis, out, keepdims, dtype)


@_records.by_truth
def count_nonzero(a: ArrayLike, axis: Axes = None, *, keepdims: bool = False) -> ndarray:
    """The number of elements over `axis` that are not zero.

    >>> cp.count_nonzero(cp.asarray([[0, 1], [2, 3]]), axis=1)
    array([1, 2])
    """
    # NumPy's sum converts the flag to an integer of C; without an axis it is called for a true flag only.
    keepdims = bool((axis is not None or keepdims) and np.intc(operator.index(keepdims)))
    return _core.reduce("count_nonzero", as_array(a), axis, None, None, keepdims)


def sorted_rows(a: ndarray) -> ndarray:
    """The indices that sort the rows of a matrix lexicographically."""
    columns = moveaxis(a, 1, 0)
    return lexsort(columns[::-1]) if a.shape[1] else counting(a.shape[0])
