"""Quasi-minimal residuals, and minimal residuals of symmetric systems."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

import cuproxide as cp

from .._devices import own_device
from ._operators import FunctionOperator, IdentityOperator, as_matrix_operator
from ._scaling import OutOfRange, near_one, within_range
from ._systems import CONVERGED, Progress, System, dot, epsilon, host_norm, iterate, norm, ratio, tolerance

__all__ = ["minres", "qmr", "tfqmr"]


@own_device
@within_range
def qmr(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M1: Any = None,
    M2: Any = None,
    callback: Any = None,
) -> tuple[Any, int]:
    """Solves `A x = b` by quasi-minimal residuals.

    Parameters
    ----------
    A : array, sparse array or LinearOperator
        N x N, with products with its conjugate transpose.
    rtol, atol : float
        It has converged when the norm of the residual is below `max(rtol * norm(b), atol)`.
    M1, M2 : array, sparse array or LinearOperator, optional
        Left and right preconditioners, with products with their conjugate transposes.

    Returns
    -------
    x : array
        The solution.
    info : int
        0: it has converged. Above 0: `maxiter` iterations were not enough. Below 0: a breakdown.

    Raises
    ------
    ValueError
        For shapes that do not fit and for a negative `atol`.

    Notes
    -----
    Source: Freund and Nachtigal 1991; `scipy.sparse.linalg.qmr`.

    >>> A = cp.array([[4.0, 1.0], [2.0, 3.0]])
    >>> x, info = cp.scipy.sparse.linalg.qmr(A, cp.array([1.0, 2.0]))
    >>> bool(cp.allclose(A @ x, cp.array([1.0, 2.0]))), info
    (True, 0)
    """
    system = System(A, None, x0, b)
    size = system.size_of_side()
    atol = tolerance("qmr", size, atol, rtol)
    if size == 0:
        return system.b, 0
    if M1 is None and M2 is None and hasattr(system.given, "psolve"):
        M1, M2 = (_preconditioner(system, side) for side in ("left", "right"))
    identity = IdentityOperator(system.A.shape, system.dtype)
    left = identity if M1 is None else as_matrix_operator(M1)
    right = identity if M2 is None else as_matrix_operator(M2)
    maxiter = system.size * 10 if maxiter is None else maxiter
    least = epsilon(system.dtype)
    progress, state = Progress(), SimpleNamespace()
    state.x, state.r = system.x, system.residual()
    state.vt = state.wt = state.r
    state.y, state.z = left.matvec(state.vt), right.rmatvec(state.wt)
    state.rho, state.xi = norm(state.y), norm(state.z)
    state.gamma, state.eta, state.theta = cp.ones_like(state.rho), -cp.ones_like(state.rho), cp.zeros_like(state.rho)

    def step(number: int) -> None:
        size = norm(state.r)
        progress.stop((size < atol) | (size == 0), CONVERGED)
        progress.stop(abs(state.rho) < least, -10)
        progress.stop(abs(state.xi) < least, -15)
        v, state.y = ratio(state.vt, state.rho), ratio(state.y, state.rho)
        w, state.z = ratio(state.wt, state.xi), ratio(state.z, state.xi)
        delta = dot(state.z, state.y)
        progress.stop(abs(delta) < least, -13)
        yt, zt = right.matvec(state.y), left.rmatvec(state.z)
        if number == 0:
            state.p, state.q = yt, zt
        else:
            state.p = yt - state.xi * ratio(delta, state.eps) * state.p
            state.q = zt - state.rho * ratio(delta, state.eps).conj() * state.q
        pt = system.A.matvec(state.p)
        state.eps = dot(state.q, pt)
        progress.stop(abs(state.eps) < least, -14)
        beta = ratio(state.eps, delta)
        progress.stop(abs(beta) < least, -11)
        state.vt = pt - beta * v
        state.y = left.matvec(state.vt)
        rho_before, state.rho = state.rho, norm(state.y)
        state.wt = system.A.rmatvec(state.q) - beta.conj() * w
        state.z = right.rmatvec(state.wt)
        state.xi = norm(state.z)
        gamma_before, theta_before = state.gamma, state.theta
        state.theta = ratio(state.rho, gamma_before * abs(beta))
        state.gamma = 1 / cp.sqrt(1 + state.theta * state.theta)
        runs = progress.stop(abs(state.gamma) < least, -12)
        state.eta = -state.eta * ratio(rho_before, beta) * (state.gamma / gamma_before) ** 2
        if number == 0:
            state.d, state.s = state.eta * state.p, state.eta * pt
        else:
            factor = (theta_before * state.gamma) ** 2
            state.d, state.s = state.eta * state.p + factor * state.d, state.eta * pt + factor * state.s
        state.x = cp.where(runs, state.x + state.d, state.x)
        state.r = cp.where(runs, state.r - state.s, state.r)

    status = iterate(step, progress, state, maxiter, callback, (system.A, left, right))
    return state.x, 0 if status == CONVERGED else status or maxiter


@own_device
@within_range
def tfqmr(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Any = None,
    show: bool = False,
) -> tuple[Any, int]:
    """Solves `A x = b` by quasi-minimal residuals without products with the transpose.

    Parameters
    ----------
    rtol, atol : float
        It has converged when a bound of the norm of the residual is below `max(rtol * norm(b - A @ x0), atol)`.
    maxiter : int, optional
        Most iterations, by default the smaller of 10000 and 10 N.

    Returns
    -------
    x : array
        The solution.
    info : int
        0: it has converged. Above 0: `maxiter` iterations were not enough. -1: a breakdown.

    Raises
    ------
    ValueError
        For shapes that do not fit and for a negative `atol`.

    Notes
    -----
    Source: Freund 1993; `scipy.sparse.linalg.tfqmr`.

    >>> A = cp.array([[4.0, 1.0], [2.0, 3.0]])
    >>> x, info = cp.scipy.sparse.linalg.tfqmr(A, cp.array([1.0, 2.0]))
    >>> bool(cp.allclose(A @ x, cp.array([1.0, 2.0]))), info
    (True, 0)
    """
    system = System(A, M, x0, b)
    if system.size_of_side() == 0:
        return system.b.copy(), 0
    maxiter = min(10000, system.size * 10) if maxiter is None else maxiter
    x, r = system.x, system.residual()
    size = host_norm(r)
    if size == 0:
        return x, 0
    atol = tolerance("tfqmr", size, atol, rtol)
    progress = Progress()

    def applied(v: Any) -> Any:
        # Preconditioned on the right: SciPy's takes `M A v` beside residuals of `A`, and ends with them large.
        return system.A.matvec(system.M.matvec(v))

    shadow = u = w = r
    v = image = applied(r)
    d = cp.zeros_like(x)
    rho = dot(shadow, r)
    tau = cp.sqrt(rho.real)
    theta = cp.zeros_like(tau)
    alpha = cp.ones_like(rho)
    eta = cp.zeros_like(rho)
    following = before = None

    def step(number: int) -> None:
        nonlocal x, u, w, v, image, d, rho, tau, theta, eta, alpha, following, before
        if number % 2 == 0:
            product = dot(shadow, v)
            progress.stop(product == 0, -1)
            alpha = ratio(rho, product)
            following = u - alpha * v
        runs = progress.runs
        w = w - alpha * image
        d = u + theta * theta * ratio(eta, alpha) * d
        theta = ratio(norm(w), tau)
        c = cp.sqrt(1 / (1 + theta * theta))
        tau = tau * theta * c
        eta = c * c * alpha
        x = cp.where(runs, x + eta * system.M.matvec(d), x)
        # The callback sees the step that converged, so its end is noted by another code for a while.
        progress.stop((tau * np.sqrt(number + 1) < atol) | (tau == 0), CONVERGED)
        if number % 2:
            rho = dot(shadow, w)
            beta = ratio(rho, before)
            u = w + beta * u
            v = beta * image + beta * beta * v
            image = applied(u)
            v = v + image
        else:
            image = applied(following)
            u = following
            before = rho

    every = 1 if callback is not None else None
    status = taken = 0
    for number in range(maxiter):
        step(number)
        status = progress.over(number, maxiter, every or 8)
        taken = number + 1
        if callback is not None and status >= 0:
            callback(x)
        if status:
            break
    if show:
        end = "reach TOL" if status == CONVERGED else "not converged"
        print(f"TFQMR: {end}, iterations {taken}")
    return x, 0 if status == CONVERGED else status or maxiter


@own_device
@within_range
def minres(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    shift: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Any = None,
    show: bool = False,
    check: bool = False,
) -> tuple[Any, int]:
    """Solves `(A - shift I) x = b` with a real symmetric matrix, perhaps indefinite, by minimal residuals.

    Parameters
    ----------
    A : array, sparse array or LinearOperator
        N x N, symmetric or Hermitian.
    rtol : float
        It has converged when the norm of the residual, divided by those of the matrix and the solution, is below it.
    shift : float
        The multiple of the identity that is taken off.
    maxiter : int, optional
        Most iterations, by default 5 N.
    M : array, sparse array or LinearOperator, optional
        A symmetric or Hermitian positive definite preconditioner.
    check : bool
        Whether to look for a matrix or preconditioner that is not symmetric.

    Returns
    -------
    x : array
        The solution.
    info : int
        0, or `maxiter` if these iterations were not enough.

    Raises
    ------
    ValueError
        For shapes that do not fit, an indefinite preconditioner, and a matrix that turns out not to be symmetric.

    Notes
    -----
    Source: Paige and Saunders 1975; `scipy.sparse.linalg.minres`.

    >>> A = cp.array([[1.0, 2.0], [2.0, 1.0]])
    >>> x, info = cp.scipy.sparse.linalg.minres(A, cp.array([1.0, 0.0]))
    >>> bool(cp.allclose(A @ x, cp.array([1.0, 0.0]))), info
    (True, 0)
    """
    system = System(A, M, x0, b)
    eps = epsilon(system.dtype)
    maxiter = 5 * system.size if maxiter is None else maxiter
    x, r1, size = system.x, system.residual(), system.size_of_side()
    if shift and system.has_guess:
        # SciPy's leaves the shift out here, and so solves another system.
        r1 = r1 + shift * x
    # It ends by norms of the matrix, which are no numbers where its squares are none.
    if near_one(system.A, beside=shift)[1]:
        raise OutOfRange
    y = system.M.matvec(r1)
    first = float(dot(r1, y).real)
    if first < 0:
        raise ValueError("indefinite preconditioner")
    if first == 0:
        return x, 0
    if size == 0:
        return system.b, 0
    if check:
        _require_symmetric(system, y, r1, eps)
    beta1 = first**0.5
    progress, state = Progress(), SimpleNamespace()
    state.x, state.r1, state.r2, state.y = x, r1, r1, y
    state.w = state.w2 = cp.zeros(system.size, system.dtype)
    real = np.zeros(0, system.dtype).real.dtype
    state.beta = state.phibar = state.rhs1 = cp.full((), beta1, real)
    state.before = state.dbar = state.epsln = state.rhs2 = state.tnorm2 = state.gmax = state.sn = cp.zeros((), real)
    state.gmin, state.cs = cp.full((), np.finfo(real).max, real), cp.full((), -1, real)

    def step(number: int) -> None:
        runs, beta = progress.runs, state.beta
        v = ratio(state.y, beta)
        y = system.A.matvec(v) - shift * v
        if number:
            y = y - ratio(beta, state.before) * state.r1
        alfa = dot(v, y).real
        y = y - ratio(alfa, beta) * state.r2
        state.r1, state.r2 = state.r2, y
        state.y = system.M.matvec(y)
        before, square = beta, dot(y, state.y).real
        progress.stop(square < 0, -2)
        state.before, state.beta = before, cp.sqrt(cp.maximum(square, 0))
        beta = state.beta
        # The first of the betas is the length of the right-hand side, and no part of the matrix.
        state.tnorm2 = state.tnorm2 + alfa * alfa + beta * beta + (before * before if number else 0)
        size = cp.sqrt(state.tnorm2)
        lucky = (beta <= 10 * eps * abs(alfa)) if number == 0 else None
        old, cs, sn, dbar = state.epsln, state.cs, state.sn, state.dbar
        delta = cs * dbar + sn * alfa
        gbar = sn * dbar - cs * alfa
        state.epsln, state.dbar = sn * beta, -cs * beta
        root = cp.hypot(gbar, state.dbar)
        gamma = cp.maximum(cp.hypot(gbar, beta), cp.where(size == 0, eps, eps * size))
        state.cs, state.sn = gbar / gamma, beta / gamma
        phi, state.phibar = state.cs * state.phibar, state.sn * state.phibar
        w1, state.w2 = state.w2, state.w
        state.w = (v - old * w1 - delta * state.w2) / gamma
        state.x = cp.where(runs, state.x + phi * state.w, state.x)
        state.gmax, state.gmin = cp.maximum(state.gmax, gamma), cp.minimum(state.gmin, gamma)
        z = state.rhs1 / gamma
        state.rhs1, state.rhs2 = state.rhs2 - delta * z, -state.epsln * z
        length = norm(state.x)
        none = (length == 0) | (size == 0)
        test1 = cp.where(none, np.inf, ratio(state.phibar, size * length))
        test2 = cp.where(size == 0, np.inf, ratio(root, size))
        done = (1 + test2 <= 1) | (1 + test1 <= 1) | (state.gmax / state.gmin >= 0.1 / eps)
        done = done | (size * length * eps >= beta1) | (test2 <= rtol) | (test1 <= rtol)
        if lucky is not None:
            done = done | lucky
        progress.stop(done & cp.isfinite(length), CONVERGED)

    status = iterate(step, progress, state, maxiter, callback, (system.A, system.M))
    if status == -2:
        raise ValueError("non-symmetric matrix")
    if status and callback is not None:
        # As in SciPy, the step that converges is seen, too.
        callback(state.x)
    if show:
        print("Exit  minres.  ", "converged" if status else "The iteration limit was reached")
    return state.x, 0 if status else maxiter


def _preconditioner(system: System, side: str) -> FunctionOperator:
    """The preconditioner that an operator brings along for one side."""
    given: Any = system.given
    return FunctionOperator(
        system.A.shape, lambda x: given.psolve(x, side), lambda x: given.rpsolve(x, side), dtype=system.dtype
    )


def _require_symmetric(system: System, y: Any, r1: Any, eps: float) -> None:
    """`ValueError` where products show that an operator is not symmetric."""
    w = system.A.matvec(y)
    for kind, s, t in (
        ("matrix", dot(w, w), dot(y, system.A.matvec(w))),
        ("preconditioner", dot(y, y), dot(r1, system.M.matvec(y))),
    ):
        if abs(complex(s - t)) > abs(complex(s)) * eps ** (1 / 3):
            raise ValueError(f"non-symmetric {kind}")
