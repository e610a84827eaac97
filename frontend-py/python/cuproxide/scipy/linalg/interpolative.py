"""Interpolative decompositions: some columns of a matrix, times coefficients. See `scipy.linalg.interpolative`."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ... import concatenate, eye
from ..._cuproxide import ndarray
from ..._lib.conversions import as_array
from ..._lib.generators import device_generator
from ..._typing import ArrayLike
from ._common import adjoint, is_complex, matrices, triangular
from ._orthogonal import qr
from ._orthogonal import svd as _svd

# Rows of a random sketch beyond the rank that is asked for.
_MARGIN = 10


def _matrix(a: ArrayLike, name: str = "A") -> ndarray:
    a = matrices(a, False, name=name)
    if a.ndim != 2:
        raise ValueError(f"{name} must be one matrix, got {a.ndim} dimensions")
    return a


def _normal(shape: tuple[int, ...], like: ndarray, rng: Any) -> ndarray:
    generator = device_generator(rng)
    values = generator.standard_normal(shape)
    if is_complex(like.dtype):
        values = values + 1j * generator.standard_normal(shape)
    return values.astype(like.dtype)


def interp_decomp(A: ArrayLike, eps_or_k: float, rand: bool = True, rng: Any = None) -> tuple:
    """Columns `idx` of a matrix and coefficients `proj`: `A[:, idx[k:]]` is nearly `A[:, idx[:k]] @ proj`.

    `eps_or_k` is a rank, or below 1 a relative precision; then the rank is returned first. With `rand` columns for a
    given rank are chosen by a random sketch.

    Returns
    -------
    tuple of ndarray

    >>> x = cp.arange(1.0, 6.0)
    >>> A = x[:, None] * x + 1  # of rank 2
    >>> rank, idx, proj = interpolative.interp_decomp(A, 1e-9)
    >>> rank
    2
    >>> bool(cp.allclose(A[:, idx[rank:]], A[:, idx[:rank]] @ proj))
    True
    """
    a = _matrix(A)
    rows, columns = a.shape
    if eps_or_k < 1:
        _check_precision(eps_or_k, "eps_or_k")
        upper, order = qr(a, mode="r", pivoting=True, check_finite=False)
        size = abs(upper.diagonal())
        rank = int((size > size[:1] * size.dtype.type(eps_or_k)).sum()) if size.size else 0
        return rank, order.astype(np.int64), _coefficients(upper, rank)
    rank = operator.index(eps_or_k) if not isinstance(eps_or_k, float) else int(eps_or_k)
    if rank > min(rows, columns):
        raise ValueError(f"Approximation rank {rank} exceeds the smallest side of a {rows} x {columns} matrix")
    if rand and rank + _MARGIN < rows:
        sketch = _core.matmul(_normal((rank + _MARGIN, rows), a, rng), a)
        upper, order = qr(sketch, mode="r", pivoting=True, check_finite=False)
    else:
        upper, order = qr(a, mode="r", pivoting=True, check_finite=False)
    return order.astype(np.int64), _coefficients(upper, rank)


def _check_precision(eps: float, name: str) -> None:
    if not 0 <= eps < 1:
        raise ValueError(f"{name} must be at least 0 and below 1 as a precision, got {eps}")


def _coefficients(upper: ndarray, rank: int) -> ndarray:
    """What the first columns must be multiplied by to give the others, where they are independent."""
    corner, rest = upper[:rank, :rank], upper[:rank, rank:]
    if 0 in rest.shape:
        return _core.zeros(rest.shape, upper.dtype)
    return triangular(corner, rest, False)


def reconstruct_interp_matrix(idx: ArrayLike, proj: ArrayLike) -> ndarray:
    """The matrix `p` of coefficients: `A` is nearly `A[:, idx[:k]] @ p`.

    >>> x = cp.arange(1.0, 6.0)
    >>> A = x[:, None] * x + 1  # of rank 2
    >>> idx, proj = interpolative.interp_decomp(A, 2)
    >>> p = interpolative.reconstruct_interp_matrix(idx, proj)
    >>> bool(cp.allclose(A[:, idx[:2]] @ p, A))
    True
    """
    proj = _matrix(proj, "proj")
    order = as_array(idx)
    identity = eye(proj.shape[0], dtype=proj.dtype)
    return concatenate([identity, proj], 1).take(order.argsort(), axis=1)


def reconstruct_matrix_from_id(B: ArrayLike, idx: ArrayLike, proj: ArrayLike) -> ndarray:
    """The matrix from the chosen columns `B` and the coefficients of the others.

    Parameters
    ----------
    B : array_like
        The chosen columns.

    >>> x = cp.arange(1.0, 6.0)
    >>> A = x[:, None] * x + 1  # of rank 2
    >>> idx, proj = interpolative.interp_decomp(A, 2)
    >>> bool(cp.allclose(interpolative.reconstruct_matrix_from_id(A[:, idx[:2]], idx, proj), A))
    True
    """
    return _core.matmul(_matrix(B, "B"), reconstruct_interp_matrix(idx, proj))


def reconstruct_skel_matrix(A: ArrayLike, k: int, idx: ArrayLike) -> ndarray:
    """The chosen columns `A[:, idx[:k]]`.

    Parameters
    ----------
    k : int
        The rank.

    >>> x = cp.arange(1.0, 6.0)
    >>> A = x[:, None] * x + 1  # of rank 2
    >>> idx, proj = interpolative.interp_decomp(A, 2)
    >>> interpolative.reconstruct_skel_matrix(A, 2, idx).shape
    (5, 2)
    """
    idx = as_array(idx)
    return _matrix(A).take((idx if idx.size else idx.astype(np.int64))[:k], axis=1)


def id_to_svd(B: ArrayLike, idx: ArrayLike, proj: ArrayLike) -> tuple[ndarray, ndarray, ndarray]:
    """`u`, `s` and `v` with `u @ diag(s) @ v.conj().T` what the decomposition stands for.

    Parameters
    ----------
    B : array_like
        The chosen columns.

    >>> x = cp.arange(1.0, 6.0)
    >>> A = x[:, None] * x + 1  # of rank 2
    >>> idx, proj = interpolative.interp_decomp(A, 2)
    >>> u, s, v = interpolative.id_to_svd(A[:, idx[:2]], idx, proj)
    >>> bool(cp.allclose(u * s @ v.T, A))
    True
    """
    q, r = qr(_matrix(B, "B"), mode="economic", check_finite=False)
    basis, factor = qr(adjoint(reconstruct_interp_matrix(idx, proj)), mode="economic", check_finite=False)
    u, s, vh = _svd(_core.matmul(r, adjoint(factor)), full_matrices=False, check_finite=False)
    return _core.matmul(q, u), s, _core.matmul(basis, adjoint(vh))


def svd(A: ArrayLike, eps_or_k: float, rand: bool = True, rng: Any = None) -> tuple[ndarray, ndarray, ndarray]:
    """`u`, `s` and `v` of a given rank or precision, by way of an interpolative decomposition.

    >>> x = cp.arange(1.0, 6.0)
    >>> A = x[:, None] * x + 1  # of rank 2
    >>> u, s, v = interpolative.svd(A, 2)
    >>> bool(cp.allclose(s, cp.linalg.svd(A, compute_uv=False)[:2]))
    True
    """
    if eps_or_k < 1:
        rank, order, proj = interp_decomp(A, eps_or_k, rand, rng)
    else:
        rank, (order, proj) = int(eps_or_k), interp_decomp(A, eps_or_k, rand, rng)
    return id_to_svd(reconstruct_skel_matrix(A, rank, order), order, proj)


def estimate_rank(A: ArrayLike, eps: float, rng: Any = None) -> int:
    """How many singular values exceed `eps` times the largest. They are computed, so `rng` changes nothing.

    Parameters
    ----------
    eps : float
        The relative precision.

    >>> x = cp.arange(1.0, 6.0)
    >>> A = x[:, None] * x + 1  # of rank 2
    >>> interpolative.estimate_rank(A, 1e-9)
    2
    """
    a = _matrix(A)
    _check_precision(eps, "eps")
    device_generator(rng)
    s: ndarray = _svd(a, compute_uv=False, check_finite=False)
    return int((s > s[:1] * s.dtype.type(eps)).sum()) if s.size else 0


def estimate_spectral_norm(A: ArrayLike, its: int = 20, rng: Any = None) -> float:
    """The largest singular value, by `its` steps of the power method.

    >>> from cuproxide.scipy.linalg import interpolative
    >>> x = cp.arange(1.0, 6.0)
    >>> A = cp.diag(x)
    >>> round(interpolative.estimate_spectral_norm(A, its=100, rng=0), 6)
    5.0
    """
    a = _matrix(A)
    return _power(lambda x: _core.matmul(a, x), lambda y: _core.matmul(adjoint(a), y), a, its, rng)


def estimate_spectral_norm_diff(A: ArrayLike, B: ArrayLike, its: int = 20, rng: Any = None) -> float:
    """The largest singular value of `A - B`, by `its` steps of the power method.

    >>> from cuproxide.scipy.linalg import interpolative
    >>> x = cp.arange(1.0, 6.0)
    >>> A, B = cp.diag(x), cp.diag(x / 2)
    >>> round(interpolative.estimate_spectral_norm_diff(A, B, its=100, rng=0), 6)
    2.5
    """
    a, b = _matrix(A), _matrix(B, "B")
    if a.shape != b.shape:
        raise ValueError(f"shapes of A {a.shape} and B {b.shape} differ")
    return estimate_spectral_norm(a - b, its, rng)


def _power(forward: Any, back: Any, a: ndarray, its: int, rng: Any) -> float:
    if a.size == 0:
        return 0.0
    x = _normal((a.shape[1], 1), a, rng)
    length = _core.reduce("norm", x, (0, 1))
    for _ in range(max(its, 1)):
        x = back(forward(x / _core.where(length > 0, length, length.dtype.type(1))))
        length = _core.reduce("norm", x, (0, 1))
    return float(np.sqrt(float(length)))


__all__ = [
    "estimate_rank",
    "estimate_spectral_norm",
    "estimate_spectral_norm_diff",
    "id_to_svd",
    "interp_decomp",
    "reconstruct_interp_matrix",
    "reconstruct_matrix_from_id",
    "reconstruct_skel_matrix",
    "svd",
]
