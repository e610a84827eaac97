"""A few singular values of large matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from .. import issparse
from .._devices import own_device
from .._foreign import taken
from ._eigen import _matrix
from ._krylov import ArpackNoConvergence, krylov_schur, start_of, usual_size
from ._operators import as_matrix_operator
from ._scaling import near_one, times_power

__all__ = ["svds"]


@own_device
def svds(
    A: Any,
    k: int = 6,
    ncv: int | None = None,
    tol: float = 0,
    which: str = "LM",
    v0: Any = None,
    maxiter: int | None = None,
    return_singular_vectors: bool | str = True,
    solver: str = "arpack",
    rng: Any = None,
    options: dict[str, Any] | None = None,
    *,
    random_state: Any = None,
) -> Any:
    """A few singular values and vectors of a matrix, from the eigenvalues of its product with its adjoint.

    Parameters
    ----------
    A : (M, N) array, sparse array or LinearOperator
        The matrix.
    k : int
        How many, fewer than M and N ('propack': at most as many).
    ncv : int, optional
        Vectors that are kept; see `eigsh`.
    which : {'LM', 'SM'}
        The largest or the smallest.
    v0 : array, optional
        The vector to start with, of length min(M, N); for 'propack' of length M.
    maxiter : int, optional
        Most restarts.
    return_singular_vectors : {True, False, 'u', 'vh'}
        Whether vectors are returned, and which; the others are None then.
    solver : {'arpack', 'lobpcg', 'propack'}
        Checked; there is one method.
    rng, random_state : optional
        Where the first vector comes from.
    options : dict, optional
        Not used.

    Returns
    -------
    u : (M, k) array
        Left singular vectors.
    s : (k,) array
        Singular values, ascending.
    vh : (k, N) array
        The adjoint of the right singular vectors.

    Raises
    ------
    ArpackNoConvergence
        If not all have converged. It holds eigenvalues and vectors of the product with the adjoint.
    ValueError
        For numbers and names that make no sense.

    Notes
    -----
    Source: `scipy.sparse.linalg.svds`.

    >>> s = cp.scipy.sparse.linalg.svds(cp.diag(cp.arange(1.0, 31.0)), k=2, return_singular_vectors=False)
    >>> s.round(6)
    array([29., 30.])
    """
    del options
    A = taken(A)
    if not issparse(A) and not hasattr(A, "matvec"):
        A = cp.asarray(A)
        if A.ndim != 2 or A.size == 0:
            raise ValueError(f"`A` must be a matrix with elements, got the shape {A.shape}")
    if not hasattr(A, "matvec") and np.dtype(A.dtype).kind in "iu":
        A = A.astype(np.float64)
    operator, dtype = _matrix(A)
    if operator.dtype is not None and np.dtype(operator.dtype).kind not in "iufc":
        raise ValueError("`A` must be of numeric data type.")
    # The products with the adjoint square twice.
    scaled, exponent = near_one(A, 6)
    operator = as_matrix_operator(scaled) if exponent else operator
    rows, columns = operator.shape
    most = min(rows, columns)
    limit = most if solver == "propack" else most - 1
    if not isinstance(k, (int, np.integer)) or not 0 < k <= limit:
        raise ValueError(f"`k` must be an integer satisfying `0 < k < min(A.shape)`, got {k} for {operator.shape}")
    if which not in ("LM", "SM"):
        raise ValueError(f"`which` must be in {{'LM', 'SM'}}, got {which!r}")
    if solver not in ("arpack", "lobpcg", "propack"):
        raise ValueError(f"solver must be one of {{'arpack', 'lobpcg', 'propack'}}, got {solver!r}")
    # 1 and 0 are truth values, too.
    if return_singular_vectors not in (True, False, "u", "vh"):
        raise ValueError(
            f"`return_singular_vectors` must be in {{True, False, 'u', 'vh'}}, got {return_singular_vectors!r}"
        )
    if not tol >= 0:
        raise ValueError(f"`tol` must be a non-negative floating point value, got {tol}")
    if maxiter is not None and maxiter <= 0:
        raise ValueError(f"`maxiter` must be a positive integer, got {maxiter}")
    wide = rows < columns
    adjoint = operator.H
    first, second = (adjoint, operator) if wide else (operator, adjoint)
    product = lambda x: second.matvec(first.matvec(x)).astype(dtype, copy=False)  # noqa: E731
    ncv = usual_size(k, most) if ncv is None else int(ncv)
    if not (k < ncv <= most or k == ncv == most):
        raise ValueError(f"`ncv` must be an integer satisfying `k < ncv < min(A.shape)`, got {ncv}")
    if v0 is not None and solver == "propack" and not wide:
        v0 = adjoint.matvec(cp.asarray(v0))
    start = start_of(most, dtype, v0, random_state if rng is None else rng)
    maxiter = most * 10 if maxiter is None else maxiter
    which = "LA" if which == "LM" else "SA"
    operators = (first, second)
    theta, vectors, converged = krylov_schur(product, start, k, which, ncv, maxiter, float(tol), True, None, operators)
    if not converged:
        # The eigenvalues of the product with the adjoint, in the units of the matrix.
        theta = times_power(theta, 2 * exponent)
        raise ArpackNoConvergence(f"No convergence ({maxiter} iterations, {len(theta)}/{k} converged)", theta, vectors)
    # The decomposition of the products with the vectors restores what squaring has lost.
    images = first.matmat(vectors)
    if not return_singular_vectors:
        return times_power(cp.linalg.svd(images, compute_uv=False)[::-1].copy(), exponent)
    u, s, vh = cp.linalg.svd(images, full_matrices=False)
    u, s, vh = u[:, ::-1], times_power(s[::-1].copy(), exponent), (vh @ vectors.conj().T)[::-1]
    if wide:
        u, vh = vh.conj().T, u.conj().T
    left = None if return_singular_vectors == "vh" else cp.ascontiguousarray(u)
    right = None if return_singular_vectors == "u" else cp.ascontiguousarray(vh)
    return left, s, right
