"""Eigenvalues by locally optimal block preconditioned conjugate gradients."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import cuproxide as cp

from ... import linalg as dense
from .. import issparse
from .._devices import outside, own_device
from .._foreign import taken
from . import _shown
from ._operators import LinearOperator, as_matrix_operator
from ._systems import CHECK_EVERY, epsilon

__all__ = ["lobpcg"]


def _product(A: Any, count: int, name: str) -> Any:
    """A function that multiplies a matrix by an operator; None for none."""
    if A is None:
        return None
    A = taken(A)
    if callable(A) and not isinstance(A, LinearOperator):
        return A
    operator = as_matrix_operator(A if issparse(A) or hasattr(A, "matvec") else cp.asarray(A))
    if operator.shape != (count, count):
        raise ValueError(f"The shape of {name} is {operator.shape}, expected {(count, count)}")
    return operator.matmat


def _orthonormal(X: Any, weigh: Any) -> tuple[Any, Any, Any]:
    """A basis of the columns of `X`, its image, and whether a column has no length. Directions of rounding are 0."""
    image = X if weigh is None else weigh(X)
    gram = X.conj().T @ image
    scale = cp.sqrt(cp.maximum(cp.diagonal(gram).real, 0))
    scale = cp.where(scale > 0, 1 / cp.where(scale > 0, scale, 1), 0)
    values, vectors = cp.linalg.eigh(gram * scale[:, None] * scale)
    good = values > epsilon(X.dtype) * 10 * values[-1] * X.shape[1]
    factor = scale[:, None] * vectors * cp.where(good, 1 / cp.sqrt(cp.where(good, values, 1)), 0)
    factor = factor.astype(X.dtype, copy=False)
    return X @ factor, image @ factor, scale == 0


def _check_lengths(are_none: Any, message: str) -> None:
    if bool(are_none.any()):
        raise ValueError(f"{message}: a vector is 0, or B is not positive definite")


@own_device
def lobpcg(
    A: Any,
    X: Any,
    B: Any = None,
    M: Any = None,
    Y: Any = None,
    tol: float | None = None,
    maxiter: int | None = None,
    largest: bool = True,
    verbosityLevel: int = 0,
    retLambdaHistory: bool = False,
    retResidualNormsHistory: bool = False,
    restartControl: int = 20,
) -> Any:
    """The largest or smallest eigenvalues of a Hermitian matrix, from a guess of their vectors.

    All vectors are improved at once; residuals are read once every 8 iterations.

    Parameters
    ----------
    A : (N, N) array, sparse array, LinearOperator or callable
        The matrix, Hermitian. A callable multiplies a matrix.
    X : (N, K) array
        Guesses of the eigenvectors.
    B : optional
        A positive definite matrix, for `A x = w B x`; as `A`.
    M : optional
        A preconditioner, an approximation of the inverse of `A`; as `A`.
    Y : (N, L) array, optional
        Vectors to which the eigenvectors are to be orthogonal.
    tol : float, optional
        It has converged when all residuals are below it, by default N times the root of epsilon.
    maxiter : int, optional
        Most iterations after the first one, by default 20.
    largest : bool
        Whether the largest eigenvalues are wanted.
    verbosityLevel : int
        Above 0 it prints eigenvalues and residuals of each iteration.
    retLambdaHistory, retResidualNormsHistory : bool
        Whether to return eigenvalues and residuals of all iterations.
    restartControl : int
        Not used: the basis is made orthonormal in every iteration.

    Returns
    -------
    w : (K,) array
        The eigenvalues, the wanted end first.
    v : (N, K) array
        The eigenvectors, orthonormal (with `B`, in its inner product).
    lambda_history, residual_history : lists of arrays
        As asked for.

    Raises
    ------
    ValueError
        For shapes that do not fit, vectors of zeros in `X` or `Y`, and `B` that is not positive definite.

    Warns
    -----
    UserWarning
        If it has not converged, and for matrices so small that all eigenvalues are computed.

    Notes
    -----
    Source: Knyazev 2001, Hetmaniuk and Lehoucq 2006; `scipy.sparse.linalg.lobpcg`.

    >>> X = cp.eye(60, 2)[::-1] + 0.1
    >>> w, v = cp.scipy.sparse.linalg.lobpcg(cp.diag(cp.arange(1.0, 61.0)), X, maxiter=60, tol=1e-6)
    >>> w.round(4)
    array([60., 59.])
    """
    del restartControl
    X = cp.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"expected rank-2 array for argument X, got {X.ndim} axes")
    count, width = X.shape
    if X.dtype.kind not in "fc":
        warnings.warn(f"X has the type {X.dtype}, which is converted to float64.", UserWarning, stacklevel=outside())
        X = X.astype(np.float64)
    multiply, weigh, improve = (_product(part, count, name) for part, name in ((A, "A"), (B, "B"), (M, "M")))
    kind = np.result_type(X.dtype, multiply(X[:, :1]).dtype)
    X = X.astype(kind, copy=False)
    fixed = None
    if Y is not None:
        Y = cp.asarray(Y).astype(kind)
        if Y.ndim != 2 or Y.shape[0] != count:
            raise ValueError(f"expected Y of {count} rows, got {Y.shape}")
        basis, image, are_none = _orthonormal(Y, weigh)
        _check_lengths(are_none, "Linearly dependent constraints")
        fixed = (basis, image)
    held = 0 if Y is None else Y.shape[1]
    table = _shown.Lobpcg(count, width, held, B is not None, M is not None) if verbosityLevel else None
    if count - held < 5 * width:
        warnings.warn(
            f"The problem size {count} minus the constraints size {held} is too small relative to the block "
            f"size {width}. Using a dense eigensolver instead of LOBPCG iterations. No "
            "output of the history of the iterations.",
            UserWarning,
            stacklevel=outside(),
        )
        return _dense(multiply, weigh, fixed, count, width, largest, kind)
    # The guess is improved once more than `maxiter` says, as SciPy does.
    steps = max((20 if maxiter is None else int(maxiter)) + 1, 0)
    tol = float(np.sqrt(epsilon(kind)) * count) if tol is None or tol <= 0 else float(tol)

    def without(Z: Any) -> Any:
        return Z if fixed is None else Z - fixed[0] @ (fixed[1].conj().T @ Z)

    X, BX, are_none = _orthonormal(without(X), weigh)
    _check_lengths(are_none, "Linearly dependent initial approximations")
    AX = multiply(X).astype(kind, copy=False)
    values, C = _ritz(X, AX, width, largest, BX)
    X, AX, BX = X @ C, AX @ C, BX @ C
    P = AP = BP = None
    lambdas, residuals = [values], []
    best: Any = None
    for number in range(steps + 1):
        R = AX - BX * values
        if fixed is not None:
            # What lies along the constraints stays at the solution, so that it is no residual.
            R = R - fixed[1] @ (fixed[0].conj().T @ R)
        norms = cp.sqrt((abs(R) ** 2).sum(axis=0))
        residuals.append(norms)
        if table is not None:
            table.row(number, width, cp.asnumpy(values), cp.asnumpy(norms))
        # The best iterate so far is what counts: rounding may spoil later ones.
        worst = norms.max()
        if best is None:
            best = (worst, X, values, norms)
        else:
            better = worst <= best[0]
            latest = (worst, X, values, norms)
            best = tuple(cp.where(better, new, old) for new, old in zip(latest, best, strict=True))
        if number == steps or (number % CHECK_EVERY == CHECK_EVERY - 1 and float(best[0]) <= tol):
            break
        W = without(R if improve is None else improve(R).astype(kind, copy=False))
        parts = [W] if P is None else [W, P]
        Z = cp.concatenate(parts, axis=1)
        # What goes beside X is orthogonal to it, so that few digits are lost.
        for _ in range(2):
            Z = Z - X @ (BX.conj().T @ Z)
        Z, BZ, _ = _orthonormal(Z, weigh)
        if fixed is not None:
            # Of directions that hardly differ this has made roundings along the constraints large.
            Z, BZ, _ = _orthonormal(without(Z), weigh)
        S, BS = cp.concatenate([X, Z], axis=1), cp.concatenate([BX, BZ], axis=1)
        AS = cp.concatenate([AX, multiply(Z).astype(kind, copy=False)], axis=1)
        values, C = _ritz(S, AS, width, largest, BS)
        P, AP, BP = (part[:, width:] @ C[width:] for part in (S, AS, BS))
        X, AX, BX = S @ C, AS @ C, BS @ C
        lambdas.append(values)
    del AP, BP
    worst, X, values, best_norms = best
    if float(worst) > tol:
        warnings.warn(
            f"Exited at iteration {number} with accuracies {cp.asnumpy(norms)} not reaching the requested "
            f"tolerance {tol}.",
            UserWarning,
            stacklevel=outside(),
        )
    if table is not None:
        table.end(cp.asnumpy(values), cp.asnumpy(best_norms))
    result: tuple[Any, ...] = (values, X)
    if retLambdaHistory:
        result += (lambdas,)
    if retResidualNormsHistory:
        result += (residuals,)
    return result


def _ritz(S: Any, AS: Any, width: int, largest: bool, BS: Any = None) -> tuple[Any, Any]:
    """The wanted values of a matrix in a basis, and the combinations of the basis. Zero vectors are left out."""
    gram = S.conj().T @ AS
    gram = (gram + gram.conj().T) * 0.5
    there = cp.diagonal(S.conj().T @ (S if BS is None else BS)).real > 0.5
    # A direction that is not there gets a value beyond the unwanted end.
    beyond = abs(gram).sum() * 2 + 1
    gram = gram + cp.diag(cp.where(there, 0, -beyond if largest else beyond).astype(gram.dtype))
    values, vectors = cp.linalg.eigh(gram)
    if largest:
        values, vectors = values[::-1], vectors[:, ::-1]
    return values[:width], vectors[:, :width]


def _dense(multiply: Any, weigh: Any, fixed: Any, count: int, width: int, largest: bool, kind: Any) -> Any:
    identity = cp.eye(count, dtype=kind)
    A = multiply(identity).astype(kind, copy=False)
    B = None if weigh is None else weigh(identity).astype(kind, copy=False)
    if fixed is not None:
        # Inside the space that is orthogonal to the given vectors.
        basis = dense.null_space(fixed[1].conj().T)
        values, vectors = dense.eigh(basis.conj().T @ A @ basis, b=None if B is None else basis.conj().T @ B @ basis)
        vectors = basis @ vectors
    else:
        values, vectors = dense.eigh(A, b=B)
    if largest:
        values, vectors = values[::-1], vectors[:, ::-1]
    return values[:width].copy(), vectors[:, :width].copy()
