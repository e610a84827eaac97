"""Linear algebra: products, decompositions, linear systems, eigenvalues and norms. See `numpy.linalg`."""

from __future__ import annotations

from collections.abc import Sequence as _Sequence
from operator import index as _index
from typing import Any as _Any

from numpy.linalg import LinAlgError

from . import _cuproxide as _core
from ._cuproxide import ndarray as _ndarray
from ._lib.conversions import as_array as _as_array
from ._lib.texts import complete as _complete
from ._routines._texts import OF_LINALG as _TEXTS
from ._routines.decompositions import cholesky, eig, eigh, eigvals, eigvalsh, qr, svd, svdvals
from ._routines.indexing import diagonal as _diagonal
from ._routines.norms import cond, matrix_norm, norm, vector_norm
from ._routines.products import cross as _cross
from ._routines.products import matmul as _matmul
from ._routines.products import matrix_power, multi_dot
from ._routines.products import outer as _outer
from ._routines.products import tensordot as _tensordot
from ._routines.products import trace as _trace
from ._routines.products import vecdot as _vecdot
from ._routines.shapes import matrix_transpose
from ._routines.systems import det, inv, lstsq, matrix_rank, pinv, slogdet, solve, tensorinv, tensorsolve
from ._typing import ArrayLike as _ArrayLike
from ._typing import DTypeLike as _DTypeLike

__all__ = [
    "LinAlgError",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "get_compute_type",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "set_compute_type",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vecdot",
    "vector_norm",
]


def get_compute_type(dtype: _DTypeLike) -> str:
    """The arithmetic of matrix products of a dtype: "default", "tf32" or "half".

    Parameters
    ----------
    dtype : dtype
        The type of the operands.

    >>> cp.linalg.get_compute_type(cp.float32) is not None
    True
    """
    return _core.compute_type(dtype)


def set_compute_type(dtype: _DTypeLike, compute_type: str) -> None:
    """Chooses the arithmetic of matrix products of a dtype, for the whole process.

    "default" keeps at least the precision of the operands; "tf32" multiplies float32 and complex64 with 10 bits of
    mantissa; "half" adds up float16 in float16. A device without such arithmetic computes as by default.

    Parameters
    ----------
    dtype : dtype
        The type of the operands.
    compute_type : str
        The arithmetic.

    Raises
    ------
    ValueError
        For another name, or one that does not go with the dtype.

    >>> cp.linalg.set_compute_type(np.float32, "tf32")
    >>> cp.linalg.set_compute_type(np.float32, "default")
    """
    _core.set_compute_type(dtype, compute_type)


def cross(x1: _ArrayLike, x2: _ArrayLike, /, *, axis: int = -1) -> _ndarray:
    """The cross product of vectors of three components along `axis`.

    >>> cp.linalg.cross(cp.asarray([1, 0, 0]), cp.asarray([0, 1, 0]))
    array([0, 0, 1])
    """
    x1, x2 = _as_array(x1), _as_array(x2)
    if x1.ndim < 1 or x2.ndim < 1:
        raise ValueError("At least one array has zero dimension")
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
            f"{x1.shape[axis]} and {x2.shape[axis]} dimensional instead."
        )
    return _cross(x1, x2, axis=axis)


def diagonal(x: _ArrayLike, /, *, offset: int = 0) -> _ndarray:
    """A view of the diagonals of the matrices in the last two axes.

    >>> cp.linalg.diagonal(cp.asarray([[1, 2], [3, 4]]))
    array([1, 4])
    """
    return _diagonal(x, offset, -2, -1)


def matmul(x1: _ArrayLike, x2: _ArrayLike, /) -> _ndarray:
    """Products of matrices, or of stacks of them that broadcast.

    See Also
    --------
    numpy.linalg.matmul : The function that this one follows.
    cuproxide.matmul : The ufunc, which takes `out`, `dtype` and `axes` too.

    >>> cp.linalg.matmul(cp.eye(2), cp.asarray([1.0, 2.0]))
    array([1., 2.])
    """
    return _matmul(x1, x2)


def outer(x1: _ArrayLike, x2: _ArrayLike, /) -> _ndarray:
    """The products of each element of one vector with each of another.

    >>> cp.linalg.outer(cp.asarray([1, 2]), cp.asarray([1, 10]))
    array([[ 1, 10],
           [ 2, 20]])
    """
    x1, x2 = _as_array(x1), _as_array(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"Input arrays must be one-dimensional, but they are x1.ndim={x1.ndim} and x2.ndim={x2.ndim}.")
    return _outer(x1, x2)


def tensordot(x1: _ArrayLike, x2: _ArrayLike, /, *, axes: int | _Sequence[_Any] = 2) -> _ndarray:
    """The sums of products over pairs of axes.

    Raises
    ------
    ValueError
        If the lengths of the axes differ.

    >>> cp.linalg.tensordot(cp.ones((2, 3)), cp.ones((3, 1)), axes=1)
    array([[3.],
           [3.]])
    """
    return _tensordot(x1, x2, axes)


def trace(x: _ArrayLike, /, *, offset: int = 0, dtype: _DTypeLike = None) -> _ndarray:
    """The sums of the diagonals of the matrices in the last two axes.

    >>> cp.linalg.trace(cp.asarray([[1, 2], [3, 4]]))
    array(5)
    """
    return _trace(x, offset, -2, -1, dtype)


def vecdot(x1: _ArrayLike, x2: _ArrayLike, /, *, axis: int = -1) -> _ndarray:
    """The products of vectors along `axis`, the first conjugated; other axes broadcast.

    Returns
    -------
    ndarray
        Of the shape of the other axes.

    See Also
    --------
    numpy.linalg.vecdot : The function that this one follows.
    cuproxide.vecdot : The ufunc, which takes `out`, `dtype` and `axes` too.

    >>> cp.linalg.vecdot(cp.asarray([[1, 2], [3, 4]]), cp.asarray([1, 1]))
    array([3, 7])
    """
    return _vecdot(x1, x2, axis=_index(axis))


del annotations

_OPERANDS = {
    "axes": "int or pair of sequences of int\n    The number of axes, or the axes of both.",
    "axis": "int\n    The axis of the vectors in both.",
    "dtype": "dtype, optional\n    The type of the result's elements.",
    "offset": "int\n    The number of the diagonal: 0 is the main one, positive ones are above it.",
    "x1": "array_like\n    The first operand.",
    "x2": "array_like\n    The second operand.",
}

_complete(globals(), __all__, _OPERANDS | _TEXTS, "numpy.linalg", ("get_compute_type", "set_compute_type"))
