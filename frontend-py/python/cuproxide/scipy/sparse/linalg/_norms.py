"""Norms of sparse matrices, and estimates of norms of operators."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from .. import issparse
from .._devices import own_device
from .._foreign import taken
from .._structure import is_hollow
from ._operators import LinearOperator, as_matrix_operator

__all__ = ["norm", "onenormest"]


def _flat(values: Any) -> Any:
    values = values.toarray() if issparse(values) else cp.asarray(values)
    return values.reshape(-1)


def _sums(x: Any, axis: int) -> Any:
    """The sums along an axis; of a long axis with few elements those that are not zero, and one zero."""
    if not is_hollow(x.shape[1 - axis], x.nnz):
        return _flat(x.sum(axis=axis))
    lines, places = cp.unique(x.tocoo().coords[1 - axis], return_inverse=True)
    sums = cp.zeros(lines.size + 1, x.dtype)
    cp.add.at(sums, places, x.data)
    return sums


def _frobenius(x: Any) -> Any:
    if x.nnz and not x.has_canonical_format:
        x = x.copy()
        x.sum_duplicates()
    return cp.linalg.norm(x.data)


@own_device
def norm(x: Any, ord: Any = None, axis: Any = None) -> Any:
    """The norm of a sparse matrix, or of its rows or columns.

    Parameters
    ----------
    x : sparse array
        The matrix.
    ord : {None, 'fro', 'f', 1, -1, 2, inf, -inf} or number, optional
        Of matrices: Frobenius' norm (the default), the largest or smallest sum of a column (1, -1) or row (inf,
        -inf), the
        largest singular value (2). For vectors: as `numpy.linalg.norm`.
    axis : int or tuple of int, optional
        The axis of vectors, or both axes.

    Returns
    -------
    0-d array or array
        The norm or norms.

    Raises
    ------
    TypeError
        For a matrix that is not sparse, and axes that are no integers.
    ValueError
        For missing or equal axes, and unknown norms.

    Notes
    -----
    Source: `scipy.sparse.linalg.norm`.

    >>> cp.scipy.sparse.linalg.norm(cp.scipy.sparse.csr_array(cp.array([[3.0, 0.0], [0.0, 4.0]])))
    array(5.)
    """
    x = taken(x)
    if not issparse(x):
        raise TypeError("input is not sparse. use numpy.linalg.norm")
    if axis is None and ord in (None, "fro", "f"):
        is_hollow_coo = x.format == "coo" and x.ndim == 2 and is_hollow(x.shape[0], x.nnz)
        return _frobenius(x if x.format in ("csr", "csc") or is_hollow_coo else x.tocsr())
    # The rows of a tall matrix with few elements are no table to be made.
    x = x if x.format == "csc" and x.ndim == 2 else x.tocsr()
    if axis is None:
        axis = tuple(range(x.ndim))
    elif not isinstance(axis, tuple):
        message = "'axis' must be None, an integer or a tuple of integers"
        try:
            number = int(axis)
        except TypeError as error:
            raise TypeError(message) from error
        if number != axis:
            raise TypeError(message)
        axis = (number,)
    if any(not -x.ndim <= a < x.ndim for a in axis):
        raise ValueError(f"Invalid axis {axis!r} for an array with shape {x.shape!r}")
    if len(axis) == 1:
        return _vector_norms(x, ord, axis[0])
    if len(axis) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    rows, columns = axis
    if rows % x.ndim == columns % x.ndim:
        raise ValueError("Duplicate axes given.")
    if ord in (None, "fro", "f"):
        return _frobenius(x)
    if ord == 2:
        from ._singular import svds

        return svds(x, k=1, return_singular_vectors=False)[0]
    if ord in (1, -1, np.inf, -np.inf):
        sums = _sums(abs(_in_double(x)), (rows if abs(ord) == 1 else columns) % 2)
        return sums.max() if ord > 0 else sums.min()
    if ord == -2:
        raise NotImplementedError("the smallest singular value is not computed as a norm: use svds")
    raise ValueError("Invalid norm order for matrices.")


def _in_double(x: Any) -> Any:
    """An array of real numbers in float64, as SciPy 1.18 adds up their sizes: those of narrow integers would wrap."""
    return x.astype(np.float64, copy=False) if np.can_cast(x.dtype, np.float64) else x


def _vector_norms(x: Any, ord: Any, axis: int) -> Any:
    sizes = abs(x if ord == 0 else _in_double(x))
    if ord in (np.inf, -np.inf):
        return _flat(sizes.max(axis=axis) if ord > 0 else sizes.min(axis=axis))
    if ord == 0:
        return _flat((x != 0).sum(axis=axis))
    if ord == 1:
        return _flat(sizes.sum(axis=axis))
    if ord in (2, None):
        return cp.sqrt(_flat(sizes.power(2).sum(axis=axis)))
    if not isinstance(ord, (int, float, np.number)):
        raise ValueError(f"Invalid norm order for vectors: {ord!r}")
    return _flat(sizes.power(ord).sum(axis=axis)) ** (1 / ord)


def exact_one_norm(A: Any) -> float:
    """The largest sum of a column's sizes, as a number; 0 for a matrix without columns."""
    sums = _flat(abs(A).sum(axis=0))
    return float(sums.max()) if sums.shape[0] else 0.0


def _signs(Y: Any) -> Any:
    """Each element divided by its size, 1 for 0."""
    if Y.dtype.kind == "c":
        size = abs(Y)
        return cp.where(size == 0, 1, Y / cp.where(size == 0, 1, size))
    return cp.where(Y < 0, -1.0, 1.0)


@own_device
def onenormest(A: Any, t: int = 2, itmax: int = 5, compute_v: bool = False, compute_w: bool = False) -> Any:
    """A lower bound of the 1-norm of a matrix, as a rule the norm, from a few products with some columns.

    Parameters
    ----------
    A : (N, N) array, sparse array or LinearOperator
        The matrix, with products with its conjugate transpose.
    t : int
        Columns at a time.
    itmax : int
        Most iterations; each is read from the device.
    compute_v, compute_w : bool
        Whether to return vectors.

    Returns
    -------
    est : float
        The estimate.
    v : (N,) array
        A vector of 1-norm 1. Only with `compute_v`.
    w : (N,) array
        The product with it, whose 1-norm is the estimate. Only with `compute_w`.

    Raises
    ------
    ValueError
        For matrices that are not square, fewer than one column or two iterations.

    Notes
    -----
    Source: Higham and Tisseur 2000; `scipy.sparse.linalg.onenormest`.

    >>> cp.scipy.sparse.linalg.onenormest(cp.array([[1.0, -2.0], [3.0, 4.0]]))
    6.0
    """
    A = as_matrix_operator(A)
    if A.shape[0] != A.shape[1]:
        raise ValueError(f"expected the operator to act like a square matrix, got {A.shape}")
    count = A.shape[1]
    if itmax < 2:
        raise ValueError(f"at least two iterations are required, got {itmax}")
    if t < 1:
        raise ValueError(f"at least one column is required, got {t}")
    est, place, w = _exact(A, count) if t >= count else _estimate(A, count, t, itmax)
    if not (compute_v or compute_w):
        return est
    v = cp.zeros(count)
    v[place] = 1
    return (est, *((v,) if compute_v else ()), *((w,) if compute_w else ()))


def _exact(A: LinearOperator, count: int) -> tuple[float, int, Any]:
    matrix = A.matmat(cp.eye(count))
    sums = abs(matrix).sum(axis=0)
    place = int(cp.argmax(sums))
    return float(sums[place]), place, matrix[:, place]


def _estimate(A: LinearOperator, count: int, t: int, itmax: int) -> tuple[float, int, Any]:
    adjoint = A.H
    random = cp.random.default_rng(0)
    X = cp.where(random.random((count, t)) < 0.5, -1.0, 1.0)
    X[:, 0] = 1
    X = X / count
    best, place, w = 0.0, 0, None
    places: list[int] = []
    tried: list[int] = []
    for number in range(1, itmax + 2):
        Y = A.matmat(X)
        sums = cp.asnumpy(abs(Y).sum(axis=0))
        column = int(np.argmax(sums))
        if number > 2 and not sums[column] > best:
            break
        if sums[column] > best or number <= 2:
            best, w = float(sums[column]), Y[:, column]
            place = places[column] if places else place
        if number > itmax:
            break
        heights = abs(adjoint.matmat(_signs(Y))).max(axis=1)
        order = cp.asnumpy(cp.argsort(-heights)[: t + len(tried)])
        if number > 1 and float(heights[place]) >= float(heights.max()):
            break
        fresh = [int(i) for i in order if int(i) not in tried]
        if not fresh or all(int(i) in tried for i in order[:t]):
            break
        places = (fresh + [int(i) for i in order if int(i) in tried])[:t]
        tried += [i for i in places if i not in tried]
        X = cp.zeros((count, len(places)))
        X[cp.asarray(places), cp.arange(len(places))] = 1
    return best, place, w
