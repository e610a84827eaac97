"""Arrays as sets of their elements."""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.conversions import as_array, counting, is_inexact
from .._lib.routes import way
from .._lib.ufuncs import NUMPY as _ufuncs
from .._typing import ArrayLike
from .joining import concatenate
from .shapes import moveaxis
from .sorting import searchsorted, sorted_rows

__all__ = [
    "in1d",
    "intersect1d",
    "isin",
    "setdiff1d",
    "setxor1d",
    "union1d",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]


class UniqueAllResult(NamedTuple):
    """The result of `unique_all`."""

    values: ndarray
    indices: ndarray
    inverse_indices: ndarray
    counts: ndarray


class UniqueCountsResult(NamedTuple):
    """The result of `unique_counts`."""

    values: ndarray
    counts: ndarray


class UniqueInverseResult(NamedTuple):
    """The result of `unique_inverse`."""

    values: ndarray
    inverse_indices: ndarray


def unique(
    ar: ArrayLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """The distinct elements of `ar`, sorted; with `axis` the distinct slices along it.

    Optionally also, in this order, the index of each one's first appearance, the indices that rebuild `ar` from them,
    and how often each appears. NaN counts once, unless `equal_nan` is false. Waits for the device, since the shape
    depends on the data.

    Parameters
    ----------
    ar : array_like
        The array.
    return_index : bool
        Whether the indices of first appearances are returned too.
    return_inverse : bool
        Whether the indices that rebuild the array are returned too.
    return_counts : bool
        Whether counts are returned too.
    sorted : bool
        Whether the elements shall be in order; they always are.

    Returns
    -------
    ndarray, or a tuple of it and what was asked for

    >>> cp.unique(cp.asarray([3, 1, 3]), return_counts=True)
    (array([1, 3]), array([1, 2]))
    """
    ar = as_array(ar)
    if axis is None:
        keys, inverse_shape = ar.reshape(-1), ar.shape
    elif ar.ndim == 1:
        normalize_axis_index(axis, 1)
        keys, inverse_shape = ar, ar.shape
    else:
        axis = normalize_axis_index(axis, ar.ndim)
        moved = moveaxis(ar, axis, 0)
        keys = moved.reshape(ar.shape[axis], math.prod(moved.shape[1:]))
        inverse_shape = (ar.shape[axis],)
    order: Any = None
    if keys.ndim == 2:
        order = sorted_rows(keys)
        ranked = keys.take(order, axis=0)
    elif return_index or return_inverse:
        order = keys.argsort()
        ranked = keys.take(order)
    else:
        ranked = _core.sort(keys)
        if not return_counts and (distinct := _core.distinct(ranked, equal_nan)) is not None:
            return distinct
    starts = _starts(ranked, equal_nan)
    if keys.ndim == 2:
        chosen = moved.take(order[starts], axis=0)
        results: list[ndarray] = [moveaxis(chosen, 0, axis)]
    else:
        results = [ranked[starts]]
    if return_index:
        results.append(order[starts])
    if return_inverse:
        inverse = _core.empty(order.shape, np.int64)
        inverse[order] = starts.cumsum(dtype=np.int64) - 1
        results.append(inverse.reshape(inverse_shape))
    if return_counts:
        bounds = concatenate((starts.nonzero()[0], counting(1) + starts.size))
        results.append(bounds[1:] - bounds[:-1])
    return results[0] if len(results) == 1 else tuple(results)


def _starts(ranked: ndarray, equal_nan: bool) -> ndarray:
    """Where a sorted array (or the rows of a sorted matrix) begins something new."""
    starts = _core.full(ranked.shape[0], True, np.bool_)
    if ranked.shape[0] > 1:
        before, after = ranked[:-1], ranked[1:]
        differ = before != after
        if equal_nan and is_inexact(ranked.dtype) and ranked.ndim == 1:
            differ &= ~(_ufuncs["isnan"](before) & _ufuncs["isnan"](after))
        starts[1:] = differ.any(axis=1) if ranked.ndim == 2 else differ
    return starts


def unique_all(x: ArrayLike) -> UniqueAllResult:
    """Distinct elements, first indices, inverse indices and counts; NaNs are distinct. See `numpy.unique_all`.

    >>> cp.unique_all(cp.asarray([3, 1, 3])).counts
    array([1, 2])
    """
    return UniqueAllResult(*unique(x, True, True, True, equal_nan=False))


def unique_counts(x: ArrayLike) -> UniqueCountsResult:
    """Distinct elements and their counts; NaNs are distinct. See `numpy.unique_counts`.

    >>> cp.unique_counts(cp.asarray([3, 1, 3])).counts
    array([1, 2])
    """
    return UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x: ArrayLike) -> UniqueInverseResult:
    """Distinct elements and the indices that rebuild `x`; NaNs are distinct. See `numpy.unique_inverse`.

    >>> cp.unique_inverse(cp.asarray([3, 1, 3])).inverse_indices
    array([1, 0, 1])
    """
    return UniqueInverseResult(*unique(x, return_inverse=True, equal_nan=False))


def unique_values(x: ArrayLike) -> ndarray:
    """Distinct elements; NaNs are distinct. See `numpy.unique_values`.

    >>> cp.unique_values(cp.asarray([3, 1, 3]))
    array([1, 3])
    """
    return unique(x, equal_nan=False)


def isin(
    element: ArrayLike,
    test_elements: ArrayLike,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: str | None = None,
) -> ndarray:
    """Where `element` is one of `test_elements` (is none of them with `invert`). NaN is never.

    Integers are looked up in a table if `kind` is "table"; if it is None, where they are many, the table is not much
    larger than the arrays, and the device need not be waited for to know their range.

    Parameters
    ----------
    element : array_like
        The elements to look for.
    test_elements : array_like
        The elements to look among.
    kind : {'sort', 'table'}, optional
        Whether to sort, or to look integers up in a table.

    Raises
    ------
    RuntimeError
        If the range is too large for "table".

    >>> cp.isin(cp.arange(4), cp.asarray([1, 3]))
    array([False,  True, False,  True])
    """
    if kind not in (None, "sort", "table"):
        raise ValueError(f"Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.")
    element, tests = as_array(element), as_array(test_elements).ravel()
    if kind == "table" and not (element.dtype.kind in "iub" and tests.dtype.kind in "iub"):
        raise ValueError(
            "The 'table' method is only supported for boolean or integer arrays. Please select 'sort' or None for kind."
        )
    common = _core.promote_types(element.dtype, tests.dtype)
    element, tests = element.astype(common, copy=False), tests.astype(common, copy=False)
    if tests.size == 0:
        return _core.full(element.shape, invert, np.bool_)
    if common.kind in "iub" and (kind == "table" or (kind is None and _is_worth_a_table(element, tests))):
        least, most = int(tests.min()), int(tests.max())
        if most - least <= np.iinfo(_as_integers(common)).max - 2 and (
            kind == "table" or most - least <= 6 * (element.size + tests.size)
        ):
            return _looked_up(element, tests, least, most, invert)
        if kind == "table":
            raise RuntimeError(
                f"kind='table' was chosen, but the elements to test for, {least} to {most}, have too large a range for"
                f" {common}. Please set `kind` to None or 'sort'."
            )
    ranked = _core.sort(tests)
    found = ranked.take(searchsorted(ranked, element), mode="clip")
    return found != element if invert else found == element


def _is_worth_a_table(element: ndarray, tests: ndarray) -> bool:
    """Whether the elements are many enough, and on a device that knows their range without being waited for."""
    return bool(way("table of integers", element, element.size + tests.size))


def _as_integers(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type to count in: that of the elements, if it has room for a table's length."""
    return dtype if dtype.itemsize > 2 else np.dtype(np.int64)


def _looked_up(element: ndarray, tests: ndarray, least: int, most: int, invert: bool) -> ndarray:
    """`isin` by a table with an entry for each integer from `least` to `most`, and one at either end for all beyond."""

    def place(values: ndarray) -> ndarray:
        # What wraps around ends beyond the table, which has fewer entries than half of all integers are.
        counted = values.astype(_as_integers(values.dtype), copy=False)
        return (counted - least + 1).astype(np.int64, copy=False)

    table = _core.full((most - least + 3,), invert, np.bool_)
    table[place(tests)] = not invert
    return table.take(place(element), mode="clip")


def in1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, invert: bool = False) -> ndarray:
    """`isin` of the flattened `ar1`.

    >>> cp.in1d(cp.asarray([1, 2, 3]), [2])
    array([False,  True, False])
    """
    return isin(as_array(ar1).ravel(), ar2, assume_unique, invert)


def union1d(ar1: ArrayLike, ar2: ArrayLike) -> ndarray:
    """The distinct elements of both arrays, sorted.

    >>> cp.union1d(cp.asarray([1, 2]), cp.asarray([2, 3]))
    array([1, 2, 3])
    """
    return unique(concatenate((ar1, ar2), axis=None))


@overload
def intersect1d(
    ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, return_indices: Literal[False] = False
) -> ndarray: ...
@overload
def intersect1d(
    ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, *, return_indices: Literal[True]
) -> tuple[ndarray, ndarray, ndarray]: ...
@overload
def intersect1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, return_indices: bool = False) -> Any: ...
def intersect1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, return_indices: bool = False) -> Any:
    """The distinct elements that both arrays have, sorted; optionally the indices of their first appearances.

    Parameters
    ----------
    return_indices : bool
        Whether the indices of the elements are returned too.

    Returns
    -------
    ndarray, or a tuple of it and two arrays of indices

    >>> cp.intersect1d(cp.asarray([1, 2]), cp.asarray([2, 3]))
    array([2])
    """
    first, second = as_array(ar1).ravel(), as_array(ar2).ravel()
    index1: Any = None
    index2: Any = None
    if not assume_unique:
        first, index1 = unique(first, return_index=True)
        second, index2 = unique(second, return_index=True)
    joined = concatenate((first, second))
    order = joined.argsort()
    ranked = joined[order]
    pairs = (ranked[1:] == ranked[:-1]).nonzero()[0]
    common = ranked[pairs]
    if not return_indices:
        return common
    positions1, positions2 = order[pairs], order[pairs + 1] - first.size
    if not assume_unique:
        positions1, positions2 = index1[positions1], index2[positions2]
    return common, positions1, positions2


def setxor1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> ndarray:
    """The elements that only one of the arrays has, sorted.

    >>> cp.setxor1d(cp.asarray([1, 2]), cp.asarray([2, 3]))
    array([1, 3])
    """
    if not assume_unique:
        ar1, ar2 = unique(ar1), unique(ar2)
    ranked = _core.sort(concatenate((ar1, ar2), axis=None))
    if ranked.size == 0:
        return ranked
    edge = _core.full(1, True, np.bool_)
    differ = concatenate((edge, ranked[1:] != ranked[:-1], edge))
    return ranked[differ[1:] & differ[:-1]]


def setdiff1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> ndarray:
    """The distinct elements of `ar1` that `ar2` lacks; sorted unless `assume_unique`.

    >>> cp.setdiff1d(cp.asarray([1, 2]), cp.asarray([2, 3]))
    array([1])
    """
    first = as_array(ar1).ravel() if assume_unique else unique(ar1)
    return first[isin(first, ar2, invert=True)]
