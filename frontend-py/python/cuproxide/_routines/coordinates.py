"""The indices of elements: grids, diagonals, triangles, and positions in the flattened array."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, Literal, overload

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.conversions import along, as_array, as_index_array, as_shape, counting, few, lower_triangle
from .._typing import ArrayLike, DTypeLike, Integers, ShapeLike
from .ranges import arange

__all__ = [
    "diag_indices",
    "diag_indices_from",
    "indices",
    "ix_",
    "mask_indices",
    "ravel_multi_index",
    "tril_indices",
    "tril_indices_from",
    "triu_indices",
    "triu_indices_from",
    "unravel_index",
]

_MOST_ELEMENTS = 2**63 - 1


@overload
def indices(dimensions: Sequence[int], dtype: DTypeLike = int, sparse: Literal[False] = False) -> ndarray: ...
@overload
def indices(dimensions: Sequence[int], dtype: DTypeLike = int, *, sparse: Literal[True]) -> tuple[ndarray, ...]: ...
@overload
def indices(dimensions: Sequence[int], dtype: DTypeLike = int, sparse: bool = False) -> Any: ...
def indices(dimensions: Sequence[int], dtype: DTypeLike = int, sparse: bool = False) -> Any:
    """The coordinates of every point of a grid: stacked, or as open grids if `sparse`.

    Parameters
    ----------
    dimensions : sequence of int
        The lengths of the axes.

    Returns
    -------
    ndarray or tuple of ndarray

    >>> cp.indices((2, 2))[0]
    array([[0, 0],
           [1, 1]])
    """
    lengths = tuple(few(dimensions))
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


def unravel_index(indices: Integers, shape: ShapeLike, order: str | None = "C") -> tuple[ndarray, ...]:
    """The coordinates in `shape` of positions in the flattened array.

    Parameters
    ----------
    shape : tuple of int
        The lengths of the axes.

    Raises
    ------
    ValueError
        If one is out of bounds.

    >>> cp.unravel_index(cp.asarray([5]), (2, 3))
    (array([1]), array([2]))
    """
    lengths = _lengths(shape)
    indices = _integers(indices)
    total = math.prod(lengths)
    if total > _MOST_ELEMENTS:
        raise ValueError("the shape has more elements than an int64 can count")
    order = _c_or_f(order)
    if not lengths and indices.ndim:
        raise ValueError("multiple indices are not supported for 0d arrays")
    wrong = (indices < 0) | (indices >= total)
    if indices.size and bool(wrong.any()):
        bad = int(indices[wrong].ravel()[0])
        raise ValueError(f"index {bad} is out of bounds for array with size {total}")
    return unravel(indices, lengths, order)


def unravel(positions: ndarray, lengths: tuple[int, ...], order: str = "C") -> tuple[ndarray, ...]:
    """The coordinates in `lengths` of positions that lie in it."""
    coordinates = []
    for length in reversed(lengths) if order == "C" else lengths:
        coordinates.append(positions % max(length, 1))
        positions = positions // max(length, 1)
    return tuple(reversed(coordinates) if order == "C" else coordinates)


def _c_or_f(order: str | None) -> str:
    """An order as NumPy takes it: of either case, and C if it is None."""
    if order is not None and not isinstance(order, str):
        raise TypeError(f"order must be str, not {type(order).__name__}")
    known = "C" if order is None else order.upper()
    if known not in ("C", "F"):
        raise ValueError(f"order must be 'C' or 'F' (got {order!r})")
    return known


def _lengths(shape: ShapeLike) -> tuple[int, ...]:
    return tuple(operator.index(length) for length in as_shape(shape))


def _integers(value: Integers) -> ndarray:
    positions = as_index_array(value)
    if positions.dtype.kind not in "biu" or (isinstance(value, (list, tuple)) and positions.size == 0):
        raise TypeError("indices must be integral; an empty sequence counts as floats")
    return positions.astype(np.int64, copy=False)


def ravel_multi_index(
    multi_index: Sequence[Integers] | ndarray,
    dims: Sequence[int],
    mode: str | Sequence[str] = "raise",
    order: str | None = "C",
) -> ndarray:
    """The positions in the flattened array of coordinates in `dims`; the counterpart of `unravel_index`.

    `mode` is as for `take`, for all axes or for each.

    Parameters
    ----------
    multi_index : sequence of array_like
        The coordinates.
    dims : tuple of int
        The lengths of the axes.

    >>> cp.ravel_multi_index((cp.asarray([1]), cp.asarray([2])), (2, 3))
    array([5])
    """
    dims = _lengths(dims)
    modes = (mode,) * len(dims) if isinstance(mode, str) else tuple(mode)
    coordinates = [_integers(part) for part in multi_index]
    if len(coordinates) != len(dims) or len(modes) != len(dims):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(dims)}")
    order = _c_or_f(order)
    if math.prod(dims) > _MOST_ELEMENTS:
        raise ValueError("invalid dims: array size defined by dims is larger than the maximum possible size.")
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
    """The indices of the main diagonal of an array of `ndim` axes of length `n`.

    Parameters
    ----------
    n : int
        The length of the axes.
    ndim : int
        The number of axes.

    >>> cp.ones((2, 2))[cp.diag_indices(2)]
    array([1., 1.])
    """
    return (arange(operator.index(n)),) * ndim


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
    """The indices where `mask_func(ones((n, n)), k)` is not zero.

    Parameters
    ----------
    n : int
        The number of rows and columns.
    mask_func : callable
        A function like `triu` that makes a mask.
    k : int
        What the function is given besides.

    >>> cp.arange(9).reshape(3, 3)[cp.mask_indices(3, cp.triu, 1)]
    array([1, 2, 5])
    """
    return as_array(mask_func(_core.full((n, n), 1, int), k)).nonzero()


def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[ndarray, ...]:
    """The indices at and below the `k`-th diagonal of an `n` by `m` matrix.

    >>> cp.arange(9).reshape(3, 3)[cp.tril_indices(3)]
    array([0, 3, 4, 6, 7, 8])
    """
    return lower_triangle(n, n if m is None else m, k).nonzero()


def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[ndarray, ...]:
    """The indices at and above the `k`-th diagonal of an `n` by `m` matrix.

    >>> cp.arange(9).reshape(3, 3)[cp.triu_indices(3)]
    array([0, 1, 2, 4, 5, 8])
    """
    return (~lower_triangle(n, n if m is None else m, k - 1)).nonzero()


def _matrix_shape(arr: ndarray) -> tuple[int, int]:
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    rows, columns = arr.shape
    return rows, columns


def tril_indices_from(arr: ndarray, k: int = 0) -> tuple[ndarray, ...]:
    """The indices at and below the `k`-th diagonal of a matrix.

    >>> cp.tril_indices_from(cp.ones((2, 2)))
    (array([0, 1, 1]), array([0, 0, 1]))
    """
    rows, columns = _matrix_shape(arr)
    return tril_indices(rows, k, columns)


def triu_indices_from(arr: ndarray, k: int = 0) -> tuple[ndarray, ...]:
    """The indices at and above the `k`-th diagonal of a matrix.

    >>> cp.triu_indices_from(cp.ones((2, 2)))
    (array([0, 0, 1]), array([0, 1, 1]))
    """
    rows, columns = _matrix_shape(arr)
    return triu_indices(rows, k, columns)
