"""Special matrices: identities, diagonals, triangles and Vandermonde's."""

from __future__ import annotations

import operator
from typing import Any

from .. import _cuproxide as _core
from .. import _records
from .._cuproxide import empty, ndarray, zeros
from .._lib.conversions import accepts_like, as_array, lower_triangle, writable_diagonal
from .._typing import ArrayLike, DeviceLike, DTypeLike

__all__ = ["diag", "diagflat", "eye", "identity", "tri", "tril", "triu", "vander"]


@accepts_like
def eye(
    N: int, M: int | None = None, k: int = 0, dtype: DTypeLike = float, order: str = "C", *, device: DeviceLike = None
) -> ndarray:
    """An `N` by `M` matrix with ones on its `k`-th diagonal and zeros elsewhere.

    Parameters
    ----------
    like : ndarray, optional
        An array of this library, by which NumPy's functions find this one.

    >>> cp.eye(2, 3, k=1)
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    # Python's integers: those of NumPy wrap around.
    N, k = operator.index(N), operator.index(k)
    M = N if M is None else operator.index(M)
    result = zeros((N, M), dtype, order, device=device)
    if -N < k < M:
        writable_diagonal(result, k)[...] = 1
    return result


@accepts_like
def identity(n: int, dtype: DTypeLike = None) -> ndarray:
    """The identity matrix of `n` rows.

    Parameters
    ----------
    like : ndarray, optional
        An array of this library, by which NumPy's functions find this one.

    >>> cp.identity(2)
    array([[1., 0.],
           [0., 1.]])
    """
    return eye(n, dtype=float if dtype is None else dtype)


@_records.moves("v")
def diag(v: ArrayLike, k: int = 0) -> ndarray:
    """The `k`-th diagonal of a matrix as a view, or a matrix with `v` as its `k`-th diagonal.

    Parameters
    ----------
    v : array_like
        A matrix, or the elements of a diagonal.

    >>> cp.diag(cp.arange(1, 3))
    array([[1, 0],
           [0, 2]])
    """
    v = as_array(v)
    if v.ndim == 1:
        return diagflat(v, k)
    if v.ndim == 2:
        return v.diagonal(k)
    raise ValueError("Input must be 1- or 2-d.")


@_records.moves("v")
def diagflat(v: ArrayLike, k: int = 0) -> ndarray:
    """A matrix with the flattened `v` as its `k`-th diagonal.

    Parameters
    ----------
    v : array_like
        The elements of the diagonal.

    >>> cp.diagflat(cp.ones(2), k=1)
    array([[0., 1., 0.],
           [0., 0., 1.],
           [0., 0., 0.]])
    """
    v = as_array(v).ravel()
    length = v.size + abs(k)
    result = zeros((length, length), v.dtype)
    if v.size:
        writable_diagonal(result, k)[...] = v
    return result


@accepts_like
def tri(N: int, M: int | None = None, k: int = 0, dtype: DTypeLike = float) -> ndarray:
    """An `N` by `M` matrix with ones at and below the `k`-th diagonal.

    Parameters
    ----------
    like : ndarray, optional
        An array of this library, by which NumPy's functions find this one.

    >>> cp.tri(3, dtype=int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 1, 1]])
    """
    return lower_triangle(N, N if M is None else M, k).astype(dtype, copy=False)


def _lower(m: ndarray, k: int) -> ndarray:
    """Where the lower triangles of matrices are; of a row, that of a square."""
    triangle: Any = tri
    return triangle(*m.shape[-2:], k=k, dtype=bool)


@_records.moves("m")
def tril(m: ArrayLike, k: int = 0) -> ndarray:
    """A copy of `m` with zeros above the `k`-th diagonal of its last two axes.

    >>> cp.tril(cp.ones((3, 3), dtype=int), -1)
    array([[0, 0, 0],
           [1, 0, 0],
           [1, 1, 0]])
    """
    m = as_array(m)
    return _core.where(_lower(m, k), m, zeros((), m.dtype))


@_records.moves("m")
def triu(m: ArrayLike, k: int = 0) -> ndarray:
    """A copy of `m` with zeros below the `k`-th diagonal of its last two axes.

    >>> cp.triu(cp.ones((3, 3), dtype=int), 1)
    array([[0, 1, 1],
           [0, 0, 1],
           [0, 0, 0]])
    """
    m = as_array(m)
    return _core.where(_lower(m, k - 1), zeros((), m.dtype), m)


def vander(x: ArrayLike, N: int | None = None, increasing: bool = False) -> ndarray:
    """The Vandermonde matrix of `x`: its powers, from the highest (or lowest) to the other.

    Parameters
    ----------
    N : int, optional
        The number of columns, by default the length of `x`.
    increasing : bool
        Whether powers increase.

    >>> cp.vander(cp.asarray([1, 2, 3]), 3)
    array([[1, 1, 1],
           [4, 2, 1],
           [9, 3, 1]])
    """
    x = as_array(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    count = x.size if N is None else N
    result = empty((x.size, count), _core.promote_types(x.dtype, int))
    powers = result if increasing else result[:, ::-1]
    if count > 0:
        powers[:, 0] = 1
    if count > 1:
        powers[:, 1:] = x[:, None]
        powers[:, 1:] = powers[:, 1:].cumprod(axis=1)
    return result
