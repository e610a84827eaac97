"""Norms of vectors and matrices, and condition numbers."""

from __future__ import annotations

import math

import numpy as np
from numpy.linalg import LinAlgError

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.conversions import as_array, is_inexact, normalize_axis_tuple, real_axis
from .._lib.ufuncs import NUMPY as _ufuncs
from .._typing import ArrayLike, Axes
from .decompositions import prepared, stacked, stacked_square, svd, svdvals


def norm(
    x: ArrayLike, ord: float | str | None = None, axis: int | tuple[int, int] | None = None, keepdims: bool = False
) -> ndarray:
    """The norm of vectors (one axis) or matrices (two axes), by default the root of the sum of squares.

    Vectors: any number, inf or -inf. Matrices: "fro", 1, -1, inf, -inf, and by singular values 2, -2 and "nuc".

    Parameters
    ----------
    axis : int or pair of int, optional
        The axis of vectors, or the axes of matrices.

    >>> cp.linalg.norm(cp.asarray([3.0, 4.0]))
    array(5.)
    """
    x = as_array(x)
    if not is_inexact(x.dtype):
        x = x.astype(np.float64)
    if axis is None and ord is None:
        result = _core.reduce("norm", x)
        return result.reshape((1,) * x.ndim) if keepdims else result
    if axis is None and ord == 2 and x.ndim == 1:
        # As of matrices NumPy takes any truth value here.
        keepdims = bool(keepdims)
    axes = _axes(axis, x.ndim)
    absolute = _ufuncs["absolute"]
    if len(axes) == 1:
        if ord is None or ord == 2:
            return _core.reduce("norm", x, axes, None, None, keepdims)
        if ord == math.inf:
            return absolute(x).max(axes, None, keepdims, 0)
        if ord == -math.inf:
            return absolute(x).min(axes, None, keepdims)
        if ord == 0:
            return (x != 0).astype(x.real.dtype).sum(axes, None, None, keepdims)
        if ord == 1:
            return absolute(x).sum(axes, None, None, keepdims)
        if isinstance(ord, str):
            raise ValueError(f"Invalid norm order '{ord}' for vectors")
        return (absolute(x) ** ord).sum(axes, None, None, keepdims) ** (1 / ord)
    if len(axes) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    rows, columns = axes
    # NumPy takes any truth value for matrix norms; reductions along one axis require an integer.
    keepdims = bool(keepdims)
    if ord in (None, "fro", "f"):
        return _core.reduce("norm", x, axes, None, None, keepdims)
    if ord in (1, -1, math.inf, -math.inf):
        summed, other = (rows, columns) if abs(ord) == 1 else (columns, rows)
        sums = absolute(x).sum(summed, None, None, True)
        result = sums.max(other, None, True, 0) if ord > 0 else sums.min(other, None, True)
        return result if keepdims else result.squeeze(axes)
    if ord in (2, -2, "nuc"):
        values = svdvals(_core.moveaxis(x, axes, (-2, -1)))
        result = values.sum(-1) if ord == "nuc" else values.max(-1, initial=0) if ord == 2 else values.min(-1)
        return result.reshape([1 if i in axes else length for i, length in enumerate(x.shape)]) if keepdims else result
    raise ValueError("Invalid norm order for matrices.")


def _axes(axis: Axes, ndim: int) -> tuple[int, ...]:
    """`axis=` of a norm: a tuple of axes, what is an axis as an integer, or None for all."""
    if axis is not None and not isinstance(axis, tuple):
        try:
            axis = (int(axis),)
        except (TypeError, ValueError) as error:
            raise TypeError("'axis' must be None, an integer or a tuple of integers") from error
    return normalize_axis_tuple(range(ndim) if axis is None else map(real_axis, axis), ndim)


def vector_norm(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False, ord: float = 2) -> ndarray:
    """The norm of vectors along `axis`, which may be several axes counted as one.

    Parameters
    ----------
    axis : int or tuple of int, optional
        The axes of the vectors.

    >>> cp.linalg.vector_norm(cp.asarray([3.0, 4.0]))
    array(5.)
    """
    x = as_array(x)
    axes = _axes(axis, x.ndim)
    kept = [i for i in range(x.ndim) if i not in axes]
    lanes = x.transpose([*kept, *axes])
    lanes = lanes.reshape([x.shape[i] for i in kept] + [math.prod(x.shape[i] for i in axes)])
    result = norm(lanes, ord, axis=-1)
    return result.reshape([1 if i in axes else length for i, length in enumerate(x.shape)]) if keepdims else result


def matrix_norm(x: ArrayLike, /, *, keepdims: bool = False, ord: float | str = "fro") -> ndarray:
    """The norm of the matrices in the last two axes. See `norm` and `numpy.linalg.matrix_norm`.

    >>> cp.linalg.matrix_norm(cp.asarray([[3.0, 0.0], [0.0, 4.0]]))
    array(5.)
    """
    return norm(x, ord, axis=(-2, -1), keepdims=keepdims)


def cond(x: ArrayLike, p: float | str | None = None) -> ndarray:
    """The condition number in the norm `p`: by default the ratio of the largest to the smallest singular value.

    Infinite for singular matrices.

    Parameters
    ----------
    p : optional
        The order of the norm.

    >>> cp.linalg.cond(cp.asarray([[1.0, 0.0], [0.0, 4.0]]), 1)
    array(4.)
    """
    x = as_array(x)
    if x.ndim >= 2 and x.size == 0 and 0 in x.shape[-2:]:
        raise LinAlgError("cond is not defined on empty arrays")
    if p is None or p in (2, -2):
        # `svd` would raise for the whole stack if one matrix is not finite.
        x = stacked(x)
        finite = _ufuncs["isfinite"](x).all((-2, -1))
        s = svd(_core.where(finite[..., None, None], x, x.dtype.type(1)), compute_uv=False)
        ratio = s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
        ratio = _core.where(finite, ratio, ratio.dtype.type(math.nan))
    else:
        a = prepared(stacked_square(x))
        inverse, info = _core.inverse(a)
        nan = a.real.dtype.type(math.nan)
        ratio = norm(a, p, axis=(-2, -1)) * norm(inverse, p, axis=(-2, -1))
        ratio = _core.where(info != 0, nan, ratio)
    isnan = _ufuncs["isnan"]
    unclear = isnan(ratio) & ~isnan(x).any((-2, -1))
    return _core.where(unclear, ratio.dtype.type(math.inf), ratio)
