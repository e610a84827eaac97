"""Generalised minimal residuals and their relatives that keep vectors between restarts."""

from __future__ import annotations

import functools
import math
import warnings
from typing import Any

import numpy as np

import cuproxide as cp

from .._devices import outside, own_device
from ._arnoldi import BEARABLE, Arnoldi, least_squares
from ._operators import IdentityOperator
from ._scaling import within_range
from ._systems import System, dot, epsilon, host_norm, tolerance

__all__ = ["gcrotmk", "gmres", "lgmres"]


@own_device
@functools.partial(within_range, retries=True)
def gmres(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    restart: int | None = None,
    maxiter: int | None = None,
    M: Any = None,
    callback: Any = None,
    callback_type: str | None = None,
) -> tuple[Any, int]:
    """Solves `A x = b` by generalised minimal residuals.

    The basis stays on the device. Its small matrix is read every 5 steps, on a GPU every 10, so some steps more than
    needed are made; they change nothing.

    Parameters
    ----------
    rtol, atol : float
        It has converged when the norm of the residual is at most `max(rtol * norm(b), atol)`.
    restart : int, optional
        Steps between restarts, by default 20.
    maxiter : int, optional
        Most restarts, by default 10 N. With the callback type 'legacy' most steps.
    callback : callable, optional
        Called as `callback_type` says.
    callback_type : {'x', 'pr_norm', 'legacy'}, optional
        'x': with the solution at each restart. 'pr_norm' and 'legacy': with the norm of the preconditioned residual,
        divided by that of `b`, for each step.

    Returns
    -------
    x : array
        The solution.
    info : int
        0, or `maxiter` if it has not converged.

    Raises
    ------
    ValueError
        For shapes that do not fit, a negative `atol` and an unknown `callback_type`.

    Notes
    -----
    Source: Saad and Schultz 1986; `scipy.sparse.linalg.gmres`.

    >>> A = cp.array([[4.0, 1.0], [2.0, 3.0]])
    >>> x, info = cp.scipy.sparse.linalg.gmres(A, cp.array([1.0, 2.0]))
    >>> bool(cp.allclose(A @ x, cp.array([1.0, 2.0]))), info
    (True, 0)
    """
    if callback is not None and callback_type is None:
        warnings.warn(
            "scipy.sparse.linalg.gmres called without specifying `callback_type`: 'legacy' is taken, and the default "
            "will change. Specify a value, e.g. `callback_type='pr_norm'`.",
            DeprecationWarning,
            stacklevel=outside(),
        )
    kind = callback_type or "legacy"
    if kind not in ("x", "pr_norm", "legacy"):
        raise ValueError(f"Unknown callback_type: {callback_type!r}")
    if callback is None:
        kind = "none"
    system = System(A, M, x0, b)
    size = system.size_of_side()
    atol = tolerance("gmres", size, atol, rtol)
    if size == 0:
        return system.b, 0
    maxiter = system.size * 10 if maxiter is None else maxiter
    restart = min(20 if restart is None else restart, system.size)
    eps = epsilon(system.dtype)
    x, r = system.x, system.residual()
    rnorm = host_norm(r) if system.has_guess else size
    if rnorm < atol or rnorm == 0:
        return x, 0
    factor, steps = 1.0, 0
    plain = isinstance(system.M, IdentityOperator)
    inner_tolerance = (size if plain else host_norm(system.M.matvec(system.b))) * min(factor, atol / size)
    process: Arnoldi | None = None

    def seen(residual: float) -> bool:
        nonlocal steps
        steps += 1
        if kind in ("legacy", "pr_norm"):
            callback(residual / size)
        return kind == "legacy" and steps == maxiter

    def product(v: Any) -> Any:
        return system.M.matvec(system.A.matvec(v))

    for _ in range(maxiter):
        start = system.M.matvec(r)
        beta = rnorm if plain else host_norm(start)
        if not math.isfinite(beta):
            return cp.full_like(x, cp.nan), maxiter
        if beta == 0:
            break
        if process is None:
            operators = (system.A, system.M)
            process = Arnoldi(start / beta, restart, bearable=BEARABLE, product=product, operators=operators)
        else:
            process.begin(start / beta)
        y, presid = least_squares(process, None, restart, beta, inner_tolerance, seen)
        x = x + process.combined(y).astype(x.dtype, copy=False)
        r = system.b - system.A.matvec(x)
        before, rnorm = rnorm, host_norm(r)
        if kind == "legacy" and steps == maxiter:
            break
        if kind == "x":
            callback(x)
        if rnorm <= atol or (process.ended == len(y) and not rnorm < 0.5 * before):
            break
        # The inner tolerance follows what the outer test says.
        factor = max(eps, 0.25 * factor) if presid <= inner_tolerance else min(1.0, 1.5 * factor)
        inner_tolerance = presid * min(factor, atol / rnorm)
    return x, 0 if rnorm <= atol else maxiter


@own_device
@functools.partial(within_range, retries=True)
def lgmres(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int = 1000,
    M: Any = None,
    callback: Any = None,
    inner_m: int = 30,
    outer_k: int = 3,
    outer_v: list[Any] | None = None,
    store_outer_Av: bool = True,
    prepend_outer_v: bool = False,
) -> tuple[Any, int]:
    """Solves `A x = b` by generalised minimal residuals that keep corrections of earlier restarts.

    Parameters
    ----------
    rtol, atol : float
        It has converged when the norm of the residual is at most `max(rtol * norm(b), atol)`.
    maxiter : int
        Most restarts.
    callback : callable, optional
        Called with the solution so far before each restart.
    inner_m : int
        Steps between restarts.
    outer_k : int
        Corrections that are kept.
    outer_v : list of (v, Av), optional
        Corrections with the products of the preconditioned matrix with them, or None; the list is changed, for the next
        system with the same matrix.
    store_outer_Av : bool
        Whether to keep these products too.
    prepend_outer_v : bool
        Whether corrections come before the Krylov vectors.

    Returns
    -------
    x : array
        The solution.
    info : int
        0: it has converged. Above 0: the number of restarts that were not enough.

    Raises
    ------
    ValueError
        For shapes that do not fit, a negative `atol`, infinities and NaN in `b`.
    RuntimeError
        If the preconditioner returns zero.

    Notes
    -----
    Source: Baker, Jessup and Manteuffel 2005; `scipy.sparse.linalg.lgmres`.

    >>> A = cp.array([[4.0, 1.0], [2.0, 3.0]])
    >>> x, info = cp.scipy.sparse.linalg.lgmres(A, cp.array([1.0, 2.0]))
    >>> bool(cp.allclose(A @ x, cp.array([1.0, 2.0]))), info
    (True, 0)
    """
    system = System(A, M, x0, b)
    size = system.size_of_side()
    if not math.isfinite(size) and not bool(cp.isfinite(system.b).all()):
        raise ValueError("RHS must contain only finite numbers")
    outer_v = [] if outer_v is None else outer_v
    atol = tolerance("lgmres", size, atol, rtol)
    if size == 0:
        return system.b, 0
    x, factor = system.x, 1.0
    preconditioned = lambda v: system.M.matvec(system.A.matvec(v))  # noqa: E731
    for number in range(maxiter):
        r = system.b - system.A.matvec(x)
        if callback is not None:
            callback(x)
        rnorm = host_norm(r)
        if rnorm <= atol:
            return x, 0
        start = system.M.matvec(r)
        beta = host_norm(start)
        if beta == 0:
            raise RuntimeError(f"Preconditioner returned a zero vector; |v| ~ {rnorm:.1g}, |M v| = 0")
        enough = min(factor, atol / rnorm)
        most = inner_m + len(outer_v)
        process = Arnoldi(start / beta, most, bearable=BEARABLE)
        place = 0 if prepend_outer_v else inner_m

        def advance(j: int, process: Arnoldi = process, place: int = place) -> tuple[Any, Any]:
            if place <= j < place + len(outer_v):
                z, w = outer_v[j - place]
                return z, preconditioned(z) if w is None else w
            if prepend_outer_v and j == len(outer_v):
                return process.V[0], preconditioned(process.V[0])
            return None, preconditioned(process.V[j])

        y, residual = least_squares(process, advance, most, 1.0, enough)
        y = y * beta
        if not np.isfinite(y).all():
            return x, number + 1
        factor = min(1.0, 1.5 * factor) if residual > enough else max(1e-16, 0.25 * factor)
        dx = process.combined(y).astype(x.dtype, copy=False)
        length = host_norm(dx)
        if length > 0:
            image = None
            if store_outer_Av:
                hy = process.H[: len(y) + 1, : len(y)] @ y
                image = cp.asarray((hy / length).astype(process.V.dtype)) @ process.V[: len(y) + 1]
            outer_v.append((dx / length, image))
        del outer_v[: max(0, len(outer_v) - outer_k)]
        x = x + dx
    return x, maxiter


@own_device
@functools.partial(within_range, retries=True)
def gcrotmk(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int = 1000,
    M: Any = None,
    callback: Any = None,
    m: int = 20,
    k: int | None = None,
    CU: list[Any] | None = None,
    discard_C: bool = False,
    truncate: str = "oldest",
) -> tuple[Any, int]:
    """Solves `A x = b` by generalised conjugate residuals with optimal truncation, which recycle subspaces.

    Parameters
    ----------
    rtol, atol : float
        It has converged when the norm of the residual is at most `max(rtol * norm(b), atol)`.
    maxiter : int
        Most outer iterations.
    M : array, sparse array or LinearOperator, optional
        A preconditioner: an approximation of the inverse of `A`. It may change between products.
    callback : callable, optional
        Called with the solution so far before each outer iteration.
    m : int
        Inner steps of an outer iteration.
    k : int, optional
        Vectors that are carried on, by default `m`.
    CU : list of (c, u), optional
        Vectors `u` with the products `c` of the matrix with them, or None; the list is changed, for the next system.
    discard_C : bool
        Whether to drop the products, because the next matrix is another one.
    truncate : {'oldest', 'smallest'}
        Which vectors are dropped.

    Returns
    -------
    x : array
        The solution.
    info : int
        0: it has converged. Above 0: the number of outer iterations that were not enough.

    Raises
    ------
    ValueError
        For shapes that do not fit, a negative `atol`, an unknown `truncate`, infinities and NaN in `b`.

    Notes
    -----
    Source: Hicken and Zingg 2010, de Sturler 1999; `scipy.sparse.linalg.gcrotmk`.

    >>> A = cp.array([[4.0, 1.0], [2.0, 3.0]])
    >>> x, info = cp.scipy.sparse.linalg.gcrotmk(A, cp.array([1.0, 2.0]))
    >>> bool(cp.allclose(A @ x, cp.array([1.0, 2.0]))), info
    (True, 0)
    """
    system = System(A, M, x0, b)
    size = system.size_of_side()
    if not math.isfinite(size) and not bool(cp.isfinite(system.b).all()):
        raise ValueError("RHS must contain only finite numbers")
    if truncate not in ("oldest", "smallest"):
        raise ValueError(f"Invalid value for 'truncate': {truncate!r}")
    CU = [] if CU is None else CU
    k = m if k is None else k
    atol = tolerance("gcrotmk", size, atol, rtol)
    # No residual is small enough for NaN.
    atol = 0.0 if math.isnan(atol) else atol
    if size == 0:
        return system.b, 0
    x, r = system.x, system.residual()
    _recycle(system, CU, discard_C)
    for c, u in CU:
        part = dot(c, r)
        x, r = x + part * u, r - part * c
    info, rounding, before = maxiter, epsilon(system.dtype) * size, (x, math.inf)
    for number in range(maxiter):
        if callback is not None:
            callback(x)
        beta = host_norm(r)
        if beta <= max(atol, rounding) and (number > 0 or CU):
            r = system.b - system.A.matvec(x)
            beta = host_norm(r)
            if atol < beta <= 1e3 * rounding:
                # There are no further digits, and steps along rounding errors would lose those that are there.
                break
        if beta <= atol:
            info = 0
            break
        if before[1] <= 1e3 * rounding and not beta < before[1]:
            # Residuals never grow but by rounding.
            x = before[0]
            break
        before = x, beta
        most = m + max(k - len(CU), 0)
        process = Arnoldi(r / beta, most, [c for c, _ in CU])

        def advance(j: int, process: Arnoldi = process) -> tuple[Any, Any]:
            z = system.M.matvec(process.V[j])
            return z, system.A.matvec(z)

        y, _ = least_squares(process, advance, most, 1.0, atol / beta)
        y = y * beta
        count = len(y)
        if not np.isfinite(y).all():
            info = number + 1
            break
        ux = process.combined(y)
        for (_, u), part in zip(CU, process.B[:, :count] @ y, strict=True):
            ux = ux - part * u
        cx = cp.asarray((process.H[: count + 1, :count] @ y).astype(process.V.dtype)) @ process.V[: count + 1]
        length = host_norm(cx)
        if length == 0 or not math.isfinite(length):
            continue
        cx, ux = (cx / length).astype(x.dtype, copy=False), (ux / length).astype(x.dtype, copy=False)
        gamma = dot(cx, r)
        r, x = r - gamma * cx, x + gamma * ux
        if truncate == "oldest":
            del CU[: max(0, len(CU) - k + 1)]
        elif len(CU) >= k and CU:
            _keep_best(process, CU, count, k)
        CU.append((cx, ux))
    CU.append((None, x.copy()))
    if discard_C:
        CU[:] = [(None, u) for _, u in CU]
    return x, info


def _recycle(system: System, CU: list[Any], discard: bool) -> None:
    """Makes the products of carried vectors orthonormal, and the vectors go with them."""
    if not CU:
        return
    pairs = [(None if discard else c, u) for c, u in CU]
    pairs.sort(key=lambda pair: pair[0] is not None)
    kept: list[Any] = []
    for c, u in pairs:
        c = system.A.matvec(u) if c is None else c
        size = host_norm(c)
        for other, direction in kept + kept:
            part = dot(other, c)
            c, u = c - part * other, u - part * direction
        length = host_norm(c)
        if length > 1e-12 * size:
            kept.append((c / length, u / length))
    CU[:] = kept[::-1]


def _keep_best(process: Arnoldi, CU: list[Any], count: int, k: int) -> None:
    """Keeps the `k - 1` combinations of carried vectors that matter most."""
    R = np.linalg.qr(process.H[: count + 1, :count])[1]
    D = np.linalg.lstsq(R.T, process.B[:, :count].T, rcond=None)[0].T
    W = np.linalg.svd(D)[0][:, : k - 1]
    if W.shape[1] == 0:
        CU.clear()
        return
    weights = cp.asarray(W.T.astype(process.V.dtype))
    C, U = weights @ cp.stack([c for c, _ in CU]), weights @ cp.stack([u for _, u in CU])
    CU[:] = [(C[i], U[i]) for i in range(W.shape[1])]
