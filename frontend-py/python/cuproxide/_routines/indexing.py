"""Selecting and setting elements, and the indices to do it with."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, overload

import numpy as np
from numpy import index_exp, ndindex, s_
from numpy.lib.array_utils import normalize_axis_index

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._typing import ArrayLike, DTypeLike, Integers, ShapeLike
from ._common import along, as_array, as_arrays, as_index_array, as_operand, as_shape, counting, deliver
from .creation import arange, linspace, tri
from .joining import concatenate, stack
from .rearranging import resize
from .shapes import broadcast_arrays

__all__ = [
    "argwhere",
    "broadcast",
    "c_",
    "choose",
    "compress",
    "diag_indices",
    "diag_indices_from",
    "diagonal",
    "extract",
    "fill_diagonal",
    "flatiter",
    "flatnonzero",
    "index_exp",
    "indices",
    "ix_",
    "mask_indices",
    "ndenumerate",
    "ndindex",
    "nonzero",
    "place",
    "put",
    "put_along_axis",
    "putmask",
    "r_",
    "ravel_multi_index",
    "s_",
    "scatter_add",
    "scatter_max",
    "scatter_min",
    "select",
    "take",
    "take_along_axis",
    "tril_indices",
    "tril_indices_from",
    "triu_indices",
    "triu_indices_from",
    "unravel_index",
    "where",
]


# Selecting.


def take(
    a: ArrayLike, indices: Integers, axis: int | None = None, out: ndarray | None = None, mode: str = "raise"
) -> ndarray:
    """The elements of `a` at `indices` along `axis` (of the flattened array if it is None).

    `mode` says what an index out of bounds does: "raise" an `IndexError`, "wrap" around or "clip". See `numpy.take`.

    >>> cp.take(cp.asarray([10, 20, 30]), cp.asarray([2, 0]))
    array([30, 10])
    """
    given = as_index_array(indices) if isinstance(indices, (list, tuple)) else indices
    return _core.take(as_array(a), given, axis, out, mode)


def _along_axis_index(arr: ndarray, indices: ndarray, axis: int) -> tuple[ndarray, ...]:
    if indices.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if arr.ndim != indices.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    return tuple(indices if i == axis else along(counting(length), i, arr.ndim) for i, length in enumerate(arr.shape))


def take_along_axis(arr: ArrayLike, indices: ArrayLike, axis: int | None = -1) -> ndarray:
    """The elements of `arr` at `indices` along `axis`, matched with it in the other axes.

    The counterpart of `argsort` and `argmax(keepdims=True)`. See `numpy.take_along_axis`.

    >>> cp.take_along_axis(cp.asarray([[1, 5], [7, 2]]), cp.asarray([[1], [0]]), axis=1)
    array([[5],
           [7]])
    """
    arr, indices = as_array(arr), as_index_array(indices)
    if axis is None:
        if indices.ndim != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        arr, axis = arr.ravel(), 0
    return arr[_along_axis_index(arr, indices, normalize_axis_index(axis, arr.ndim))]


def put_along_axis(arr: ndarray, indices: ArrayLike, values: ArrayLike, axis: int | None) -> None:
    """Writes `values` to the elements of `arr` at `indices` along `axis`. See `numpy.put_along_axis`.

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
        arr[_along_axis_index(arr, indices, normalize_axis_index(axis, arr.ndim))] = as_operand(values)


def choose(
    a: ArrayLike, choices: Sequence[ArrayLike] | ndarray, out: ndarray | None = None, mode: str = "raise"
) -> ndarray:
    """At each point the element of the array `choices[a]`; all broadcast. `mode` is as for `take`.

    See `numpy.choose`.

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
    options = stack(spread, dtype=common)
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
    return deliver(take_along_axis(options, selector[None], 0)[0], out)


def compress(condition: ArrayLike, a: ArrayLike, axis: int | None = None, out: ndarray | None = None) -> ndarray:
    """The positions of `axis` (of the flattened array if it is None) where `condition` is true.

    `condition` has one axis, no longer than `axis`. See `numpy.compress`.

    >>> cp.compress([False, True], cp.asarray([[1, 2], [3, 4]]), axis=0)
    array([[3, 4]])
    """
    condition = as_array(condition)
    if condition.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    return _core.take(as_array(a), condition.nonzero()[0], axis, out)


def extract(condition: ArrayLike, arr: ArrayLike) -> ndarray:
    """The elements of `arr` where `condition` is true, flattened. See `numpy.extract`.

    >>> cp.extract(cp.arange(6) % 2 == 0, cp.arange(6))
    array([0, 2, 4])
    """
    return _core.take(as_array(arr).ravel(), as_array(condition).ravel().nonzero()[0])


def select(condlist: Sequence[ArrayLike], choicelist: Sequence[ArrayLike], default: ArrayLike = 0) -> ndarray:
    """At each point the first of `choicelist` whose condition is true, else `default`; all broadcast.

    See `numpy.select`.

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
    for condition, choice in zip(reversed(conditions), reversed(choices), strict=True):
        result = _core.where(condition, choice, result)
    return result.astype(dtype, copy=False)


def where(condition: ArrayLike, x: ArrayLike | None = None, y: ArrayLike | None = None, /) -> Any:
    """`x` where `condition` is true and `y` elsewhere; with `condition` alone its `nonzero`. See `numpy.where`.

    >>> cp.where(cp.arange(4) > 1, cp.arange(4), -1)
    array([-1, -1,  2,  3])
    """
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
    return stack(a.nonzero(), axis=1)


def diagonal(a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> ndarray:
    """A view of a diagonal over two axes, as the last axis of the result. See `numpy.diagonal`.

    >>> cp.diagonal(cp.arange(9).reshape(3, 3), offset=1)
    array([1, 5])
    """
    return as_array(a).diagonal(offset, axis1, axis2)


# Setting.


def put(a: ndarray, ind: Integers, v: ArrayLike, mode: str = "raise") -> None:
    """Writes `v`, repeated as needed, to the positions `ind` of the flattened `a`. See `numpy.put`.

    >>> a = cp.arange(5)
    >>> cp.put(a, [0, 2], [-1, -2])
    >>> a
    array([-1,  1, -2,  3,  4])
    """
    _core.put(a, ind, as_operand(v), mode)


def place(arr: ndarray, mask: ArrayLike, vals: ArrayLike) -> None:
    """Writes `vals`, repeated as needed, to the elements of `arr` where `mask` is true. See `numpy.place`.

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


def putmask(a: ndarray, /, mask: ArrayLike, values: ArrayLike) -> None:
    """Writes to each element of `a` where `mask` is true that of `values`, repeated to its size.

    See `numpy.putmask`.

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
    if not isinstance(values, ndarray):
        return as_array(values).ravel().astype(a.dtype, copy=False)
    if not _core.can_cast(values.dtype, a.dtype):
        raise TypeError(f"Cannot cast array data from {values.dtype!r} to {a.dtype!r} according to the rule 'safe'")
    return values.ravel().astype(a.dtype, copy=False)


def fill_diagonal(a: ndarray, val: ArrayLike, wrap: bool = False) -> None:
    """Writes `val`, repeated as needed, to the main diagonal of `a`.

    With `wrap` the diagonal of a tall matrix starts again after a gap of one row. See `numpy.fill_diagonal`.

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
    val = as_array(val)
    a[index] = val if val.ndim == 0 else resize(val, length)


def scatter_add(a: ndarray, slices: Any, value: ArrayLike) -> None:
    """`a[slices] += value` in which every repetition of an index counts, as in `numpy.add.at`.

    >>> a = cp.zeros(3)
    >>> cp.scatter_add(a, cp.asarray([0, 0, 2]), 1)
    >>> a
    array([2., 0., 1.])
    """
    _core.scatter(a, slices, as_operand(value), "add")


def scatter_max(a: ndarray, slices: Any, value: ArrayLike) -> None:
    """Raises `a[slices]` to at least `value`, every repetition of an index included, as in `numpy.maximum.at`.

    >>> a = cp.zeros(3)
    >>> cp.scatter_max(a, cp.asarray([0, 0]), cp.asarray([1.0, 5.0]))
    >>> a
    array([5., 0., 0.])
    """
    _core.scatter(a, slices, as_operand(value), "max")


def scatter_min(a: ndarray, slices: Any, value: ArrayLike) -> None:
    """Lowers `a[slices]` to at most `value`, every repetition of an index included, as in `numpy.minimum.at`.

    >>> a = cp.zeros(3)
    >>> cp.scatter_min(a, cp.asarray([0, 0]), cp.asarray([1.0, -5.0]))
    >>> a
    array([-5.,  0.,  0.])
    """
    _core.scatter(a, slices, as_operand(value), "min")


# Indices.


@overload
def indices(dimensions: Sequence[int], dtype: DTypeLike = int, sparse: Literal[False] = False) -> ndarray: ...
@overload
def indices(dimensions: Sequence[int], dtype: DTypeLike = int, *, sparse: Literal[True]) -> tuple[ndarray, ...]: ...
@overload
def indices(dimensions: Sequence[int], dtype: DTypeLike = int, sparse: bool = False) -> Any: ...
def indices(dimensions: Sequence[int], dtype: DTypeLike = int, sparse: bool = False) -> Any:
    """The coordinates of every point of a grid: stacked, or as open grids if `sparse`. See `numpy.indices`.

    >>> cp.indices((2, 2))[0]
    array([[0, 0],
           [1, 1]])
    """
    lengths = as_shape(dimensions)
    if any(length < 0 for length in lengths):
        raise ValueError("negative dimensions are not allowed")
    grids = [along(counting(length, dtype), i, len(lengths)) for i, length in enumerate(lengths)]
    if sparse:
        return tuple(grids)
    result = _core.empty((len(lengths), *lengths), dtype)
    for i, grid in enumerate(grids):
        result[i] = grid
    return result


def ix_(*args: ArrayLike) -> tuple[ndarray, ...]:
    """Index arrays that select the product of one-dimensional sequences; masks become positions. See `numpy.ix_`.

    >>> cp.arange(9).reshape(3, 3)[cp.ix_(cp.asarray([0, 2]), cp.asarray([1, 2]))]
    array([[1, 2],
           [7, 8]])
    """
    results = []
    for i, arg in enumerate(args):
        positions = as_index_array(arg)
        if positions.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if positions.dtype == np.bool_:
            positions = positions.nonzero()[0]
        results.append(along(positions, i, len(args)))
    return tuple(results)


def unravel_index(indices: Integers, shape: ShapeLike, order: str = "C") -> tuple[ndarray, ...]:
    """The coordinates in `shape` of positions in the flattened array. `ValueError` if one is out of bounds.

    See `numpy.unravel_index`.

    >>> cp.unravel_index(cp.asarray([5]), (2, 3))
    (array([1]), array([2]))
    """
    lengths = as_shape(shape)
    indices = _integers(indices)
    total = math.prod(lengths)
    if order not in ("C", "F"):
        raise ValueError("order must be 'C' or 'F'")
    wrong = (indices < 0) | (indices >= total)
    if indices.size and bool(wrong.any()):
        bad = int(indices[wrong].ravel()[0])
        raise ValueError(f"index {bad} is out of bounds for array with size {total}")
    return _unravel(indices, lengths, order)


def _unravel(positions: ndarray, lengths: tuple[int, ...], order: str = "C") -> tuple[ndarray, ...]:
    coordinates = []
    for length in reversed(lengths) if order == "C" else lengths:
        coordinates.append(positions % max(length, 1))
        positions = positions // max(length, 1)
    return tuple(reversed(coordinates) if order == "C" else coordinates)


def _integers(value: Integers) -> ndarray:
    positions = as_index_array(value)
    if positions.dtype.kind not in "iu":
        raise TypeError("only int indices permitted")
    return positions.astype(np.int64, copy=False)


def ravel_multi_index(
    multi_index: Sequence[Integers] | ndarray,
    dims: Sequence[int],
    mode: str | Sequence[str] = "raise",
    order: str = "C",
) -> ndarray:
    """The positions in the flattened array of coordinates in `dims`; the counterpart of `unravel_index`.

    `mode` is as for `take`, for all axes or for each. See `numpy.ravel_multi_index`.

    >>> cp.ravel_multi_index((cp.asarray([1]), cp.asarray([2])), (2, 3))
    array([5])
    """
    dims = as_shape(dims)
    modes = (mode,) * len(dims) if isinstance(mode, str) else tuple(mode)
    coordinates = [_integers(part) for part in multi_index]
    if len(coordinates) != len(dims) or len(modes) != len(dims):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(dims)}")
    if order not in ("C", "F"):
        raise ValueError("order must be 'C' or 'F'")
    checked = []
    for part, length, how in zip(coordinates, dims, modes, strict=True):
        match how:
            case "wrap":
                part = part % length
            case "clip":
                part = _core.clip(part, 0, length - 1)
            case "raise":
                if part.size and bool(((part < 0) | (part >= length)).any()):
                    raise ValueError("invalid entry in coordinates array")
            case _:
                raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {how!r})")
        checked.append(part)
    pairs = list(zip(checked, dims, strict=True))
    result = _core.full((), 0, np.int64)
    for part, length in pairs if order == "C" else reversed(pairs):
        result = result * length + part
    return result


def diag_indices(n: int, ndim: int = 2) -> tuple[ndarray, ...]:
    """The indices of the main diagonal of an array of `ndim` axes of length `n`. See `numpy.diag_indices`.

    >>> cp.ones((2, 2))[cp.diag_indices(2)]
    array([1., 1.])
    """
    return (counting(n),) * ndim


def diag_indices_from(arr: ndarray) -> tuple[ndarray, ...]:
    """The indices of the main diagonal of `arr`. See `numpy.diag_indices_from`.

    >>> cp.arange(4).reshape(2, 2)[cp.diag_indices_from(cp.ones((2, 2)))]
    array([0, 3])
    """
    if arr.ndim < 2:
        raise ValueError("input array must be at least 2-d")
    if len(set(arr.shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")
    return diag_indices(arr.shape[0], arr.ndim)


def mask_indices(n: int, mask_func: Callable[..., ndarray], k: int = 0) -> tuple[ndarray, ...]:
    """The indices where `mask_func(ones((n, n)), k)` is not zero. See `numpy.mask_indices`.

    >>> cp.arange(9).reshape(3, 3)[cp.mask_indices(3, cp.triu, 1)]
    array([1, 2, 5])
    """
    return nonzero(mask_func(_core.full((n, n), 1, int), k))


def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[ndarray, ...]:
    """The indices at and below the `k`-th diagonal of an `n` by `m` matrix. See `numpy.tril_indices`.

    >>> cp.arange(9).reshape(3, 3)[cp.tril_indices(3)]
    array([0, 3, 4, 6, 7, 8])
    """
    return tri(n, m, k, bool).nonzero()


def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[ndarray, ...]:
    """The indices at and above the `k`-th diagonal of an `n` by `m` matrix. See `numpy.triu_indices`.

    >>> cp.arange(9).reshape(3, 3)[cp.triu_indices(3)]
    array([0, 1, 2, 4, 5, 8])
    """
    return (~tri(n, m, k - 1, bool)).nonzero()


def _matrix_shape(arr: ndarray) -> tuple[int, int]:
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return arr.shape


def tril_indices_from(arr: ndarray, k: int = 0) -> tuple[ndarray, ...]:
    """The indices at and below the `k`-th diagonal of a matrix. See `numpy.tril_indices_from`.

    >>> cp.tril_indices_from(cp.ones((2, 2)))
    (array([0, 1, 1]), array([0, 0, 1]))
    """
    rows, columns = _matrix_shape(arr)
    return tril_indices(rows, k, columns)


def triu_indices_from(arr: ndarray, k: int = 0) -> tuple[ndarray, ...]:
    """The indices at and above the `k`-th diagonal of a matrix. See `numpy.triu_indices_from`.

    >>> cp.triu_indices_from(cp.ones((2, 2)))
    (array([0, 0, 1]), array([0, 1, 1]))
    """
    rows, columns = _matrix_shape(arr)
    return triu_indices(rows, k, columns)


# Joining by index syntax.


class _Concatenator:
    """Joins what is written in brackets; see `numpy.r_`."""

    def __init__(self, name: str, axis: int, ndmin: int, trans1d: int) -> None:
        self._name, self._defaults = name, (axis, ndmin, trans1d)

    def __getitem__(self, key: Any) -> ndarray:
        axis, ndmin, trans1d = self._defaults
        parts: list[Any] = []
        sequence = key if isinstance(key, tuple) else (key,)
        for i, item in enumerate(sequence):
            if isinstance(item, str):
                if i:
                    raise ValueError("special directives must be the first entry.")
                fields = item.split(",")
                try:
                    axis, ndmin, trans1d = (*map(int, fields), *(axis, ndmin, trans1d)[len(fields) :])
                except ValueError as error:
                    raise ValueError(f"unknown special directive {item!r}") from error
            elif isinstance(item, slice):
                parts.append(self._place(_slice_values(item), 1, ndmin, trans1d))
            else:
                array = item if isinstance(item, ndarray) else as_operand(item)
                dims = array.ndim if isinstance(array, ndarray) else 0
                parts.append(self._place(array, dims, ndmin, trans1d) if dims else array)
        common = _core.result_type(*parts)
        arrays = [part if isinstance(part, ndarray) else as_array(part).astype(common) for part in parts]
        arrays = [part[(None,) * (ndmin - part.ndim)] if part.ndim == 0 else part for part in arrays]
        return concatenate(arrays, axis, dtype=common)

    @staticmethod
    def _place(array: ndarray, dims: int, ndmin: int, trans1d: int) -> ndarray:
        """The array with `ndmin` axes, its own ones from position `trans1d` on."""
        missing = ndmin - dims
        if missing <= 0:
            return array
        first = trans1d if trans1d >= 0 else trans1d + missing + 1
        return array[(*(None,) * first, *(slice(None),) * dims, *(None,) * (missing - first))]

    def __len__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return f"cuproxide.{self._name}"


def _slice_values(item: slice) -> ndarray:
    start = 0 if item.start is None else item.start
    if isinstance(item.step, (complex, np.complexfloating)):
        return linspace(start, item.stop, int(abs(item.step)))
    return arange(start, item.stop, 1 if item.step is None else item.step)


r_ = _Concatenator("r_", 0, 1, -1)
"""Joins along the first axis: `r_[1:4, 0, x]`. See `numpy.r_`."""

c_ = _Concatenator("c_", -1, 2, 0)
"""Joins one-dimensional arrays as columns: `c_[x, y]`. See `numpy.c_`."""


# Iterators.


class flatiter:
    """The elements of an array in C order, to be indexed and set as one axis (`ndarray.flat`). See `numpy.flatiter`.

    >>> cp.arange(6).reshape(2, 3).T.flat[1:4]
    array([3, 1, 4])
    """

    def __init__(self, a: ndarray) -> None:
        self._base = a
        self._next = 0

    @property
    def base(self) -> ndarray:
        """The array."""
        return self._base

    @property
    def index(self) -> int:
        """How many elements were iterated over."""
        return self._next

    @property
    def coords(self) -> tuple[int, ...]:
        """The coordinates of the next element."""
        return tuple(int(i) for i in np.unravel_index(self._next, self.base.shape))

    def __len__(self) -> int:
        return self.base.size

    def __getitem__(self, key: Any) -> ndarray:
        return self.base.ravel()[key].copy()

    def __setitem__(self, key: Any, value: ArrayLike) -> None:
        value = as_operand(value)
        if isinstance(key, (int, np.integer)):
            key = operator.index(key)
            if not -len(self) <= key < len(self):
                raise IndexError(f"index {key} is out of bounds for size {len(self)}")
            self.base[tuple(int(i) for i in np.unravel_index(key % len(self), self.base.shape))] = value
            return
        positions = counting(len(self))[as_index_array(key) if isinstance(key, (list, np.ndarray)) else key]
        if isinstance(value, ndarray) and value.ndim:
            value = resize(value, positions.shape)
        self.base[_unravel(positions, self.base.shape)] = value

    def __iter__(self) -> Iterator[ndarray]:
        return flatiter(self.base)

    def __next__(self) -> ndarray:
        if self._next >= len(self):
            raise StopIteration
        index = np.unravel_index(self._next, self.base.shape)
        self._next += 1
        return self.base[tuple(int(i) for i in index)]

    def copy(self) -> ndarray:
        """A copy of the elements as one axis."""
        return self.base.flatten()


class ndenumerate:
    """Pairs of the coordinates of an element and the element, in C order. See `numpy.ndenumerate`.

    Elements are arrays without axes that view the array: nothing is read from the device.

    >>> for index, value in cp.ndenumerate(cp.asarray([[1, 2]])):
    ...     print(index, int(value))
    (0, 0) 1
    (0, 1) 2
    """

    def __init__(self, arr: ArrayLike) -> None:
        self._array = as_array(arr)
        self._places = ndindex(self._array.shape)

    def __iter__(self) -> ndenumerate:
        return self

    def __next__(self) -> tuple[tuple[int, ...], ndarray]:
        place = next(self._places)
        return place, self._array[place]


class broadcast:
    """The common shape of several arrays, views of them in it (`values`), and their elements side by side.

    Iterating gives a tuple of elements for each position, as arrays without axes: nothing is read from the device. See
    `numpy.broadcast`.

    >>> cp.broadcast(cp.arange(3), cp.ones((2, 1))).shape
    (2, 3)
    """

    def __init__(self, *arrays: ArrayLike) -> None:
        self._values = tuple(broadcast_arrays(*arrays))
        self.reset()

    def reset(self) -> None:
        """Starts the iteration again."""
        self._index = 0
        self._iters = tuple(flatiter(value) for value in self._values)

    @property
    def values(self) -> tuple[ndarray, ...]:
        """Views of the arrays in the common shape."""
        return self._values

    @property
    def iters(self) -> tuple[flatiter, ...]:
        """Iterators over the elements of each array in the common shape."""
        return self._iters

    @property
    def index(self) -> int:
        """How many positions were iterated over."""
        return self._index

    @property
    def numiter(self) -> int:
        """Number of arrays."""
        return len(self._values)

    @property
    def shape(self) -> tuple[int, ...]:
        """The common shape."""
        return self._values[0].shape if self._values else ()

    @property
    def ndim(self) -> int:
        """Number of axes of the common shape."""
        return len(self.shape)

    nd = ndim

    @property
    def size(self) -> int:
        """Number of positions."""
        return math.prod(self.shape)

    def __iter__(self) -> broadcast:
        return self

    def __next__(self) -> tuple[ndarray, ...]:
        if self._index >= self.size or not self._iters:
            raise StopIteration
        self._index += 1
        return tuple(next(each) for each in self._iters)
