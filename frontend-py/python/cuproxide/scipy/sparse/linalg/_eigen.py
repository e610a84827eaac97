"""A few eigenvalues and eigenvectors of large matrices: what is multiplied by, and SciPy's functions."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ... import linalg as dense
from .. import csc_array, issparse
from .._devices import outside, own_device
from .._foreign import taken
from ._direct import floating
from ._factors import SingularError, factors_of
from ._identity import identity_like
from ._krylov import ArpackNoConvergence, krylov_schur, start_of, usual_restarts, usual_size
from ._operators import IdentityOperator, LinearOperator, MatrixLinearOperator, as_matrix_operator
from ._scaling import near_one, times_power
from ._systems import epsilon

__all__ = ["eigs", "eigsh"]


def _matrix(A: Any) -> tuple[Any, np.dtype[Any]]:
    """An operator in one of the dtypes of solvers, and that."""
    if not issparse(A) and not isinstance(A, LinearOperator) and not hasattr(A, "matvec"):
        A = cp.asarray(A)
    operator = as_matrix_operator(A)
    dtype = np.dtype(operator.dtype) if operator.dtype is not None else np.dtype(np.float64)
    if dtype.char not in "fdFD":
        dtype = np.dtype(np.float64)
    return operator, dtype


def _times(operator: LinearOperator, dtype: Any) -> Callable[[Any], Any]:
    return lambda x: operator.matvec(x).astype(dtype, copy=False)


def _near_one(A: Any, sigma: Any, OPinv: Any, mode: str = "normal") -> tuple[Any, Any, int]:
    """A matrix and a shift times a power of two, if squares of its elements leave the range, and the exponent."""
    # An inverse that is given, and an inner product of the matrix, belong to the matrix as it is.
    if OPinv is not None or mode == "buckling":
        return A, sigma, 0
    scaled, exponent = near_one(A, beside=sigma)
    if sigma and exponent:
        kind = np.complex128 if isinstance(sigma, complex) else np.float64
        sigma = times_power(kind(sigma), -exponent).item()
    return scaled, sigma, exponent


def inverse_of(A: Any, sigma: Any, M: Any, dtype: Any, tol: float) -> Callable[[Any], Any]:
    """Products with the inverse of `A - sigma M`: by factors of a matrix, or iteratively for operators."""
    # Operators of other classes may call anything `A`.
    A, M = (X.A if type(X) is MatrixLinearOperator else X for X in (A, M))
    if issparse(A) and (M is None or issparse(M)):
        shifted = floating(A)
        if sigma != 0:
            shifted = shifted - (identity_like(shifted) if M is None else M) * dtype.type(sigma)
        shifted = csc_array(shifted.tocsc())
        shifted.sum_duplicates()
        factors = factors_of(floating(shifted))
        if factors is None:
            raise SingularError
        return lambda x: factors.solve(x, "N").astype(dtype, copy=False)
    if isinstance(A, cp.ndarray) and (M is None or isinstance(M, cp.ndarray) or issparse(M)):
        M = M.toarray() if issparse(M) else M
        other = cp.eye(A.shape[0], dtype=dtype) if M is None else M
        factors = dense.lu_factor((A - other * sigma if sigma != 0 else A).astype(dtype))
        return lambda x: dense.lu_solve(factors, x)
    if isinstance(A, cp.ndarray) and issparse(M):
        return inverse_of(A, sigma, M.toarray(), dtype, tol)
    left = as_matrix_operator(A)
    right = IdentityOperator(left.shape, dtype) if M is None else as_matrix_operator(M)
    shifted = left if sigma == 0 else left - right * sigma
    from ._residuals import gmres

    rtol = 2 * epsilon(dtype) if tol <= 0 else max(tol * 0.1, 2 * epsilon(dtype))

    def solve(x: Any) -> Any:
        solution, info = gmres(shifted, x, rtol=rtol, atol=0.0, restart=50)
        if info:
            raise ValueError(f"Error in inverting [A-sigma*M]: function gmres did not converge (info = {info}).")
        return solution.astype(dtype, copy=False)

    return solve


def _given_inverse(OPinv: Any, dtype: Any) -> Callable[[Any], Any]:
    return _times(as_matrix_operator(OPinv), dtype)


def _check(A: LinearOperator, k: int, ncv: Any, least: int) -> int:
    if A.shape[0] != A.shape[1]:
        raise ValueError(f"expected square matrix (shape={A.shape})")
    if k <= 0:
        raise ValueError(f"k={k} must be greater than 0.")
    count = A.shape[0]
    ncv = usual_size(k, count) if ncv is None else min(count, int(ncv))
    if not k + least < ncv <= count and not (least == 0 and ncv == count and k <= ncv):
        raise ValueError(f"ncv must be k{'+1' if least else ''}<ncv<=n, ncv={ncv}")
    return ncv


def _few(kind: str, A: Any, M: Any, k: int, sigma: Any, vectors: bool, operator: LinearOperator) -> Any:
    """All eigenvalues of a small matrix, where fewer than all cannot be asked for."""
    if issparse(A):
        raise TypeError(
            f"Cannot use scipy.linalg.{kind} for sparse A with k >= N{'' if kind == 'eigh' else ' - 1'}. "
            f"Use scipy.linalg.{kind}(A.toarray()) or reduce k."
        )
    if isinstance(A, LinearOperator):
        raise TypeError(
            f"Cannot use scipy.linalg.{kind} for LinearOperator A with k >= N{'' if kind == 'eigh' else ' - 1'}."
        )
    if isinstance(M, LinearOperator):
        raise TypeError(
            f"Cannot use scipy.linalg.{kind} for LinearOperator M with k >= N{'' if kind == 'eigh' else ' - 1'}."
        )
    del operator, sigma, k
    A = cp.asarray(A)
    if kind == "eigh":
        values, found = dense.eigh(A, b=M)
        return (values, found) if vectors else values
    values, found = dense.eig(A, b=M)
    return (values, found) if vectors else values


@own_device
def eigsh(
    A: Any,
    k: int = 6,
    M: Any = None,
    sigma: float | None = None,
    which: str = "LM",
    v0: Any = None,
    ncv: int | None = None,
    maxiter: int | None = None,
    tol: float = 0,
    return_eigenvectors: bool = True,
    Minv: Any = None,
    OPinv: Any = None,
    mode: str = "normal",
    rng: Any = None,
) -> Any:
    """A few eigenvalues and eigenvectors of a Hermitian matrix, by a thick-restarted Lanczos method.

    Vectors stay on the device, and are kept orthogonal to all others. A small matrix is read once in each restart.

    Parameters
    ----------
    A : (N, N) array, sparse array or LinearOperator
        The matrix, real symmetric or complex Hermitian.
    k : int
        How many.
    sigma : float, optional
        The eigenvalues near this are found, by systems with `A - sigma M`; `which` means `1 / (w - sigma)` then.
    which : {'LM', 'SM', 'LA', 'SA', 'BE'}
        The largest or smallest in size, the largest or smallest, or those of both ends.
    Minv, OPinv : optional
        Operators for the inverses of `M` and of `A - sigma M`.
    mode : {'normal', 'buckling', 'cayley'}
        Which transformation `sigma` makes; see SciPy.

    Returns
    -------
    w : (k,) array
        The eigenvalues, ascending.
    v : (N, k) array
        The eigenvectors, orthonormal (with `M`, in its inner product). Only with `return_eigenvectors`.

    Raises
    ------
    ArpackNoConvergence
        If not all have converged; it has those that have.
    ValueError
        For numbers and names that make no sense, and shapes that do not fit.
    TypeError
        For as many eigenvalues of a sparse matrix as it has rows.

    Notes
    -----
    Source: Wu and Simon 2000; `scipy.sparse.linalg.eigsh`.

    >>> w = cp.scipy.sparse.linalg.eigsh(cp.diag(cp.arange(1.0, 31.0)), k=2, return_eigenvectors=False)
    >>> w.round(6)
    array([29., 30.])
    """
    A, M = taken(A), taken(M)
    operator, dtype = _matrix(A)
    if operator.shape[0] == operator.shape[1] and k >= operator.shape[0] > 0:
        warnings.warn(
            "k >= N for N * N square matrix. Attempting to use scipy.linalg.eigh instead.",
            RuntimeWarning,
            stacklevel=outside(),
        )
        return _few("eigh", A, M, k, sigma, return_eigenvectors, operator)
    ncv = _check(operator, k, ncv, 0)
    if which not in ("LM", "SM", "LA", "SA", "BE"):
        raise ValueError(f"which must be one of LM SM LA SA BE, got {which!r}")
    if which == "BE" and dtype.kind == "c":
        raise ValueError("which='BE' cannot be used with complex matrix A")
    if mode not in ("normal", "buckling", "cayley"):
        raise ValueError(f"unrecognized mode {mode!r}")
    count = operator.shape[0]
    right = None if M is None else as_matrix_operator(M)
    if right is not None and right.shape != operator.shape:
        raise ValueError(f"wrong M dimensions {right.shape}, should be {operator.shape}")
    maxiter = usual_restarts(k, count, ncv) if maxiter is None else int(maxiter)
    if maxiter <= 0:
        raise ValueError(f"maxiter must be positive, maxiter={maxiter}")
    A, sigma, exponent = _near_one(operator, sigma, OPinv, mode)
    operator = as_matrix_operator(A)
    times = _times(operator, dtype)
    weigh = None if right is None else _times(right, dtype)
    inner = weigh
    if sigma is None:
        if mode != "normal":
            raise ValueError("sigma must be specified for mode " + repr(mode))
        if OPinv is not None:
            raise ValueError("OPinv should not be specified with sigma=None.")
        product, back = times, lambda theta: theta
        if right is not None:
            solve = _given_inverse(Minv, dtype) if Minv is not None else inverse_of(M, 0, None, dtype, tol)
            product = lambda x: solve(times(x))  # noqa: E731
        elif Minv is not None:
            raise ValueError("Minv should not be specified without M")
    else:
        if Minv is not None:
            raise ValueError("Minv should not be specified when sigma is")
        solve = _given_inverse(OPinv, dtype) if OPinv is not None else inverse_of(A, sigma, M, dtype, tol)
        if mode == "normal":
            product = solve if weigh is None else lambda x: solve(weigh(x))
            back = lambda theta: sigma + 1 / theta  # noqa: E731
        elif mode == "buckling":
            product, inner = (lambda x: solve(times(x))), times
            back = lambda theta: sigma * theta / (theta - 1)  # noqa: E731
        else:
            weighed = (lambda x: x) if weigh is None else weigh
            product = lambda x: solve(times(x) + sigma * weighed(x))  # noqa: E731
            back = lambda theta: sigma * (theta + 1) / (theta - 1)  # noqa: E731
    plain = (operator,) if product is times and right is None else None
    start = start_of(count, dtype, v0, rng)
    theta, vectors, converged = krylov_schur(product, start, k, which, ncv, maxiter, tol, True, inner, plain)
    with np.errstate(divide="ignore"):
        values = times_power(back(theta), exponent)
    order = np.argsort(values)
    values = cp.asarray(values[order].astype(np.zeros(0, dtype).real.dtype))
    vectors = vectors[:, cp.asarray(order)]
    if not converged:
        raise ArpackNoConvergence(
            f"No convergence ({maxiter} iterations, {len(order)}/{k} eigenvectors converged)", values, vectors
        )
    return (values, vectors) if return_eigenvectors else values


@own_device
def eigs(
    A: Any,
    k: int = 6,
    M: Any = None,
    sigma: complex | None = None,
    which: str = "LM",
    v0: Any = None,
    ncv: int | None = None,
    maxiter: int | None = None,
    tol: float = 0,
    return_eigenvectors: bool = True,
    Minv: Any = None,
    OPinv: Any = None,
    OPpart: str | None = None,
    rng: Any = None,
) -> Any:
    """A few eigenvalues and eigenvectors of a square matrix, by Krylov-Schur's restarts of Arnoldi's method.

    Vectors stay on the device, and are kept orthogonal to all others. A small matrix is read once in each restart.

    Parameters
    ----------
    A : (N, N) array, sparse array or LinearOperator
        The matrix.
    k : int
        How many, at most N - 2.
    sigma : number, optional
        The eigenvalues near this are found, by systems with `A - sigma M`; `which` means `1 / (w - sigma)` then. A
        complex one makes the computation complex.
    which : {'LM', 'SM', 'LR', 'SR', 'LI', 'SI'}
        The largest or smallest in size, real part or size of the imaginary part.
    Minv, OPinv : optional
        Operators for the inverses of `M` and of `A - sigma M`.
    OPpart : {'r', 'i'}, optional
        Checked and not used: with a complex `sigma` the complex inverse itself is taken.

    Returns
    -------
    w : (k,) complex array
        The eigenvalues, those that `which` says first before the others.
    v : (N, k) complex array
        The eigenvectors, of length 1. Only with `return_eigenvectors`.

    Raises
    ------
    ArpackNoConvergence
        If not all have converged; it has those that have.
    ValueError
        For numbers and names that make no sense, and shapes that do not fit.
    TypeError
        For almost as many eigenvalues of a sparse matrix as it has rows.

    Notes
    -----
    Source: Stewart 2001; `scipy.sparse.linalg.eigs`.

    >>> w = cp.scipy.sparse.linalg.eigs(cp.diag(cp.arange(1.0, 31.0)), k=2, return_eigenvectors=False)
    >>> w.real.round(6)
    array([30., 29.])
    """
    A, M = taken(A), taken(M)
    operator, dtype = _matrix(A)
    if operator.shape[0] == operator.shape[1] and k >= operator.shape[0] - 1 >= 0:
        warnings.warn(
            "k >= N - 1 for N * N square matrix. Attempting to use scipy.linalg.eig instead.",
            RuntimeWarning,
            stacklevel=outside(),
        )
        return _few("eig", A, M, k, sigma, return_eigenvectors, operator)
    ncv = _check(operator, k, ncv, 1)
    if which not in ("LM", "SM", "LR", "SR", "LI", "SI"):
        raise ValueError(f"Parameter which must be one of LM SM LR SR LI SI, got {which!r}")
    if OPpart is not None and OPpart.lower() not in ("r", "i"):
        raise ValueError("OPpart must be one of ('r','i')")
    right = None if M is None else as_matrix_operator(M)
    if right is not None and right.shape != operator.shape:
        raise ValueError(f"wrong M dimensions {right.shape}, should be {operator.shape}")
    count = operator.shape[0]
    maxiter = usual_restarts(k, count, ncv) if maxiter is None else int(maxiter)
    if maxiter <= 0:
        raise ValueError(f"maxiter must be positive, maxiter={maxiter}")
    if sigma is not None and np.iscomplexobj(sigma) and complex(sigma).imag != 0:
        dtype = np.result_type(dtype, np.complex64)
    elif sigma is not None:
        sigma = complex(sigma).real
    A, sigma, exponent = _near_one(operator, sigma, OPinv)
    operator = as_matrix_operator(A)
    times = _times(operator, dtype)
    if sigma is None:
        if OPinv is not None:
            raise ValueError("OPinv should not be specified with sigma=None.")
        product = times
        if right is not None:
            solve = _given_inverse(Minv, dtype) if Minv is not None else inverse_of(M, 0, None, dtype, tol)
            product = lambda x: solve(times(x))  # noqa: E731
        elif Minv is not None:
            raise ValueError("Minv should not be specified without M")
    else:
        if Minv is not None:
            raise ValueError("Minv should not be specified when sigma is")
        solve = _given_inverse(OPinv, dtype) if OPinv is not None else inverse_of(A, sigma, M, dtype, tol)
        weigh = None if right is None else _times(right, dtype)
        product = solve if weigh is None else lambda x: solve(weigh(x))
    plain = (operator,) if product is times and right is None else None
    start = start_of(count, dtype, v0, rng)
    theta, vectors, converged = krylov_schur(product, start, k, which, ncv, maxiter, tol, False, None, plain)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = times_power(theta if sigma is None else sigma + 1 / theta, exponent)
    kind = np.result_type(dtype, np.complex64)
    values = cp.asarray(values.astype(kind))
    vectors = vectors.astype(kind, copy=False)
    vectors = vectors / cp.sqrt((abs(vectors) ** 2).sum(axis=0))
    if not converged:
        raise ArpackNoConvergence(
            f"No convergence ({maxiter} iterations, {len(theta)}/{k} eigenvectors converged)", values, vectors
        )
    return (values, vectors) if return_eigenvectors else values
