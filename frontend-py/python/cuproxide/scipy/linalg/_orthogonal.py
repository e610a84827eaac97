"""Orthogonal factors: QR and its relatives, singular values, polar factors, ranges and null spaces."""

from __future__ import annotations

import numpy as np

from ... import _cuproxide as _core
from ... import concatenate, stack, triu
from ... import linalg as _numpy
from ..._cuproxide import ndarray
from ..._lib.conversions import as_array, counting
from ..._typing import ArrayLike
from ._common import adjoint, computed, epsilon, finite, matrices, stacked, transposed, ufuncs
from ._pivoted import pivoted_qr


def _reflections(a: ndarray, pivoting: bool) -> tuple[ndarray, ndarray, ndarray | None]:
    """Reflections with R, their factors, and with `pivoting` the order of the columns."""
    return pivoted_qr(a) if pivoting else (*_core.qr_factor(a), None)


def qr(
    a: ArrayLike,
    overwrite_a: bool = False,
    lwork: int | None = None,
    mode: str = "full",
    pivoting: bool = False,
    check_finite: bool = True,
) -> tuple:
    """A unitary and an upper triangular factor whose product is `a`.

    `mode` is "full", "economic", "r" or "raw" (reflections with their factors, and R). With `pivoting` the product is
    `a[:, p]`, the columns in an order that makes the diagonal of R fall, and `p` is returned too. `overwrite_a` and
    `lwork` change nothing.

    Parameters
    ----------
    mode : {'full', 'r', 'economic', 'raw'}
        Which factors are returned.

    >>> q, r = cp.scipy.linalg.qr(cp.asarray([[2.0, 1.0], [1.0, 3.0]]))
    >>> bool(cp.allclose(q @ r, cp.asarray([[2.0, 1.0], [1.0, 3.0]])))
    True
    """
    if mode not in ("full", "qr", "r", "economic", "raw"):
        raise ValueError("Mode argument should be one of ['full', 'r', 'economic', 'raw']")
    a = matrices(a, check_finite)
    rows, columns = a.shape[-2:]
    reflections, tau, order = _reflections(a, pivoting)
    count = min(rows, columns)
    kept = rows if mode in ("full", "qr", "r") else count
    upper = triu(reflections)[..., : (count if mode in ("economic", "raw") else rows), :]
    tail = () if order is None else (order.astype(np.int32),)
    if mode == "r":
        return (upper, *tail)
    if mode == "raw":
        return ((reflections, tau), upper, *tail)
    return (_core.qr_vectors(reflections, tau, kept), upper, *tail)


def qr_multiply(
    a: ArrayLike,
    c: ArrayLike,
    mode: str = "right",
    pivoting: bool = False,
    conjugate: bool = False,
    overwrite_a: bool = False,
    overwrite_c: bool = False,
) -> tuple:
    """The product of `c` with the unitary factor of `a` on its right or left, and the triangular factor.

    Parameters
    ----------
    c : array_like
        The matrix to multiply.
    mode : {'left', 'right'}
        On which side the unitary factor is.
    conjugate : bool
        Whether the unitary factor is conjugated.
    overwrite_a, overwrite_c : bool
        Taken for compatibility; the input is never overwritten.

    >>> cp.scipy.linalg.qr_multiply(cp.asarray([[2.0, 1.0], [1.0, 3.0]]), cp.eye(2))[0].shape
    (2, 2)
    """
    if mode not in ("left", "right"):
        raise ValueError(f"Mode argument can only be 'left' or 'right' but not '{mode}'")
    a, c = matrices(a, True), finite(as_array(c), True)
    vector = c.ndim < 2
    if vector:
        c = c[:, None] if mode == "left" else c[None]
    dtype = computed(a, c)
    q, *rest = qr(a.astype(dtype, copy=False), mode="economic", pivoting=pivoting)
    c = c.astype(dtype, copy=False)
    factor = q.conj() if conjugate and dtype.kind == "c" else q
    if mode == "left":
        if c.shape[-2] != factor.shape[-1]:
            raise ValueError(f"Array shapes are not compatible for Q @ c operation: {a.shape} vs {c.shape}")
        product = _core.matmul(factor, c)
    else:
        if c.shape[-1] != factor.shape[-2]:
            raise ValueError(f"Array shapes are not compatible for c @ Q operation: {c.shape} vs {a.shape}")
        product = _core.matmul(c, factor)
    if vector:
        product = product[..., 0] if mode == "left" else product[..., 0, :]
    return (product, *rest)


def rq(
    a: ArrayLike,
    overwrite_a: bool = False,
    lwork: int | None = None,
    mode: str = "full",
    check_finite: bool = True,
) -> ndarray | tuple[ndarray, ndarray]:
    """An upper triangular factor and one of orthonormal rows whose product is `a`.

    `mode` is "full", "r" or "economic".

    Parameters
    ----------
    mode : {'full', 'r', 'economic'}
        Which factors are returned.

    >>> r, q = cp.scipy.linalg.rq(cp.asarray([[2.0, 1.0], [1.0, 3.0]]))
    >>> bool(cp.allclose(r @ q, cp.asarray([[2.0, 1.0], [1.0, 3.0]])))
    True
    """
    if mode not in ("full", "r", "economic"):
        raise ValueError("Mode argument should be one of ['full', 'r', 'economic']")
    a = matrices(a, check_finite)
    rows, columns = a.shape[-2:]
    # The adjoint with its order reversed has the QR factors that are wanted, reversed.
    turned = adjoint(a)[..., ::-1, ::-1]
    if rows > columns:
        # More rows than the unitary factor has: R is wide at the top.
        q, r = _wide_rq(a, mode)
    else:
        reflections, tau = _core.qr_factor(turned)
        kept = rows if mode == "economic" else columns
        q = adjoint(_core.qr_vectors(reflections, tau, kept))[..., ::-1, ::-1]
        upper = triu(reflections)[..., :kept, :]
        r = adjoint(upper)[..., ::-1, ::-1]
    return r if mode == "r" else (r, q)


def _wide_rq(a: ndarray, mode: str) -> tuple[ndarray, ndarray]:
    """As for the last square part; the rows above are multiplied by the unitary factor."""
    columns = a.shape[-1]
    square = a[..., a.shape[-2] - columns :, :]
    reflections, tau = _core.qr_factor(adjoint(square)[..., ::-1, ::-1])
    q = adjoint(_core.qr_vectors(reflections, tau, columns))[..., ::-1, ::-1]
    lower = adjoint(triu(reflections))[..., ::-1, ::-1]
    return q, concatenate([_core.matmul(a[..., : a.shape[-2] - columns, :], adjoint(q)), lower], axis=-2)


# Singular values.


def svd(
    a: ArrayLike,
    full_matrices: bool = True,
    compute_uv: bool = True,
    overwrite_a: bool = False,
    check_finite: bool = True,
    lapack_driver: str = "gesdd",
) -> tuple[ndarray, ndarray, ndarray] | ndarray:
    """The singular value decomposition `a = (u * s[..., None, :]) @ vh`, or the values alone.

    Parameters
    ----------
    full_matrices : bool
        Whether the unitary factors are square.
    compute_uv : bool
        Whether the unitary factors are computed too.

    Returns
    -------
    ndarray or tuple of ndarray

    >>> cp.scipy.linalg.svd(cp.asarray([[3.0, 0.0], [0.0, 4.0]]))[1].round(6)
    array([4., 3.])
    """
    if not isinstance(lapack_driver, str):
        raise TypeError(f"lapack_driver must be a string, got {lapack_driver!r}")
    if lapack_driver not in ("gesdd", "gesvd"):
        raise ValueError(f'lapack_driver must be "gesdd" or "gesvd", not "{lapack_driver}"')
    result = _numpy.svd(matrices(a, check_finite), full_matrices, compute_uv)
    return tuple(result) if compute_uv else result


def svdvals(a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True) -> ndarray:
    """The singular values, descending.

    >>> cp.scipy.linalg.svdvals(cp.asarray([[3.0, 0.0], [0.0, 4.0]])).round(6)
    array([4., 3.])
    """
    values: ndarray = svd(a, compute_uv=False, check_finite=check_finite)
    return values


def diagsvd(s: ArrayLike, M: int, N: int) -> ndarray:
    """The matrix of `M` x `N` with these singular values.

    Parameters
    ----------
    s : array_like
        The singular values.
    M : int
        The number of rows.
    N : int
        The number of columns.

    >>> cp.scipy.linalg.diagsvd(cp.asarray([1.0, 2.0]), 2, 3)
    array([[1., 0., 0.],
           [0., 2., 0.]])
    """
    s = as_array(s)
    if s.ndim == 0:
        raise ValueError("s must have at least one dimension, got 0")
    if s.shape[-1] not in (M, N):
        raise ValueError("Length of s must be M or N.")
    result = _core.zeros((*s.shape[:-1], M, N), s.dtype)
    count = min(M, N, s.shape[-1])
    result[..., counting(count), counting(count)] = s[..., :count]
    return result


def _rank(s: ndarray, shape: tuple[int, int], rcond: float | None) -> int:
    """How many singular values count, which the host has to know; `ValueError` where matrices of a stack differ."""
    if s.size == 0:
        return 0
    if rcond is None:
        rcond = epsilon(s) * max(shape)
    ranks = (s > s.max(-1, None, True) * rcond).sum(-1)
    least, most = stack([ranks.min(), ranks.max()]).tolist()
    if least != most:
        raise ValueError(f"the matrices of the stack have different ranks, from {least} to {most}")
    return int(most)


def orth(A: ArrayLike, rcond: float | None = None) -> ndarray:
    """An orthonormal basis of the range of a matrix. Waits for the device.

    Parameters
    ----------
    A : array_like
        The matrix, or a stack of them in the last two axes, of one rank.

    >>> cp.scipy.linalg.orth(cp.ones((2, 2))).shape
    (2, 1)
    """
    A = matrices(A, True)
    u, s, vh = svd(A, full_matrices=False, check_finite=False)
    return u[..., : _rank(s, (u.shape[-2], vh.shape[-1]), rcond)]


def null_space(
    A: ArrayLike,
    rcond: float | None = None,
    *,
    overwrite_a: bool = False,
    check_finite: bool = True,
    lapack_driver: str = "gesdd",
) -> ndarray:
    """An orthonormal basis of the null space of a matrix. Waits for the device.

    Parameters
    ----------
    A : array_like
        The matrix, or a stack of them in the last two axes, of one rank.

    >>> cp.scipy.linalg.null_space(cp.asarray([[1.0, 1.0]])).shape
    (2, 1)
    """
    u, s, vh = svd(A, True, True, overwrite_a, check_finite, lapack_driver)
    return adjoint(vh[..., _rank(s, (u.shape[-2], vh.shape[-1]), rcond) :, :])


def subspace_angles(A: ArrayLike, B: ArrayLike) -> ndarray:
    """The angles between the ranges of two matrices, descending.

    Parameters
    ----------
    A : array_like
        The matrix, or a stack of them in the last two axes, of one rank.

    >>> cp.scipy.linalg.subspace_angles(cp.asarray([[1.0], [0.0]]), cp.asarray([[0.0], [1.0]])).round(4)
    array([1.5708])
    """
    first, second = orth(A), orth(B)
    if first.shape[-2] != second.shape[-2]:
        raise ValueError(f"A and B must have the same number of rows, got {first.shape[-2]} and {second.shape[-2]}")
    cosines = _core.matmul(adjoint(first), second)
    sigma = svdvals(cosines)
    if first.shape[-1] >= second.shape[-1]:
        rest = second - _core.matmul(first, cosines)
    else:
        rest = first - _core.matmul(second, adjoint(cosines))
    sines = svdvals(rest)[..., : sigma.shape[-1]]
    # The sine is the better half for small angles, the cosine for large ones.
    one = sigma.dtype.type(1)
    small = ufuncs["arcsin"](ufuncs["minimum"](ufuncs["maximum"](sines, -one), one))
    large = ufuncs["arccos"](ufuncs["minimum"](ufuncs["maximum"](sigma[..., ::-1], -one), one))
    return _core.where(sigma[..., ::-1] * sigma[..., ::-1] >= 0.5, small, large)


def polar(a: ArrayLike, side: str = "right") -> tuple[ndarray, ndarray]:
    """A factor of orthonormal columns (or rows) and a semidefinite one: `a = u @ p`, or `p @ u` on the left.

    Parameters
    ----------
    side : {'left', 'right'}
        On which side the semidefinite factor is.

    >>> u, p = cp.scipy.linalg.polar(cp.asarray([[2.0, 1.0], [1.0, 3.0]]))
    >>> bool(cp.allclose(u @ p, cp.asarray([[2.0, 1.0], [1.0, 3.0]])))
    True
    """
    if side not in ("right", "left"):
        raise ValueError("`side` must be either 'right' or 'left'")
    a = matrices(a)
    w, s, vh = svd(a, full_matrices=False, check_finite=False)
    u = _core.matmul(w, vh)
    if side == "right":
        return u, _core.matmul(adjoint(vh) * s[..., None, :], vh)
    return u, _core.matmul(w * s[..., None, :], adjoint(w))


def orthogonal_procrustes(A: ArrayLike, B: ArrayLike, check_finite: bool = True) -> tuple[ndarray, ndarray]:
    """The unitary matrix that takes `A` nearest to `B`, and the sum of the singular values of `A' B`.

    >>> cp.scipy.linalg.orthogonal_procrustes(cp.eye(2), cp.eye(2))[0].round(6)
    array([[1., 0.],
           [0., 1.]])
    """
    A, B = matrices(A, check_finite), matrices(B, check_finite, name="b")
    if A.shape[-2:] != B.shape[-2:]:
        raise ValueError(f"the shapes of A and B differ ({A.shape[-2:]} vs {B.shape[-2:]})")
    A, B = stacked(A, B)
    dtype = computed(A, B)
    product = _core.matmul(transposed(B.astype(dtype, copy=False)), A.astype(dtype, copy=False).conj())
    u, s, vh = svd(transposed(product), full_matrices=False, check_finite=False)
    return _core.matmul(u, vh), s.sum(-1)


__all__ = [
    "diagsvd",
    "null_space",
    "orth",
    "orthogonal_procrustes",
    "polar",
    "qr",
    "qr_multiply",
    "rq",
    "subspace_angles",
    "svd",
    "svdvals",
]
