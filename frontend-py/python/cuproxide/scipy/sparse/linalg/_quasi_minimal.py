"""Quasi-minimal residuals, and minimal residuals of symmetric systems."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

import cuproxide as cp

from ...._lib import kernel as k
from .._devices import own_device
from . import _shown
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

    every = 1 if show or callback is not None else None
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
        end = "converged due to reach TOL" if status == CONVERGED else "not converged due to reach MAXIT"
        print(f"TFQMR: Linear solve {end} iterations {taken}")
    return x, 0 if status == CONVERGED else status or maxiter


# The places of the numbers of `minres`: two betas and their ratio, the rotation, what the next solution is made of, and
# estimates of norms.
_BETA, _GROWTH, _CS, _SN, _DBAR, _EPSLN, _PHIBAR, _OLD, _DELTA, _GAMMA, _PHI = range(11)
_TNORM2, _ROOT, _GMAX, _GMIN, _LUCKY = range(11, 16)


@k.kernel
def _next_residual(y: k.Each, r1: k.Out[0], r2: k.Out[0], alfa: k.Each, beta: k.Each) -> None:
    """The next vector of Lanczos' process, not of length 1 yet; the last two are kept."""
    before = r2[...]
    r1[...] = before
    r2[...] = y - k.where(beta == 0, 0.0, alfa.real / k.where(beta == 0, 1.0, beta)) * before


@k.kernel
def _rotate(s: k.Out, status: k.Out[1], alfa: k.Each, square: k.Each, first: bool) -> None:
    """The next rotation of the tridiagonal matrix."""
    eps = float(np.finfo(s.dtype).eps)
    alfa, square, before = alfa.real, square.real, s[_BETA]
    if status[0] == 0 and square < 0.0:
        status[0] = -2
    beta = k.sqrt(k.maximum(square, 0.0))
    cs, sn, dbar = s[_CS], s[_SN], s[_DBAR]
    delta, gbar = cs * dbar + sn * alfa, sn * dbar - cs * alfa
    # The first of the betas is the length of the right-hand side, and no part of the matrix.
    tnorm2 = s[_TNORM2] + alfa * alfa + beta * beta + k.where(first, 0.0, before * before)
    size = k.sqrt(tnorm2)
    gamma = k.maximum(k.hypot(gbar, beta), k.where(size == 0, eps, eps * size))
    s[_OLD] = s[_EPSLN]
    s[_EPSLN] = sn * beta
    s[_DBAR] = -cs * beta
    s[_ROOT] = k.hypot(gbar, cs * beta)
    cs, sn = gbar / gamma, beta / gamma
    s[_PHI] = cs * s[_PHIBAR]
    s[_PHIBAR] = sn * s[_PHIBAR]
    s[_CS], s[_SN], s[_DELTA], s[_GAMMA] = cs, sn, delta, gamma
    s[_GMAX], s[_GMIN] = k.maximum(s[_GMAX], gamma), k.minimum(s[_GMIN], gamma)
    s[_TNORM2], s[_BETA] = tnorm2, beta
    s[_GROWTH] = k.where(before == 0, 0.0, beta / k.where(before == 0, 1.0, before))
    s[_LUCKY] = k.where(first and beta <= 10 * eps * abs(alfa), 1.0, 0.0)


@k.kernel
def _advance(
    z: k.Each, v: k.Out[0], w: k.Out[0], w2: k.Out[0], x: k.Out[0], status: k.Each,
    old: k.Each, delta: k.Each, gamma: k.Each, phi: k.Each, beta: k.Each,
) -> None:  # fmt: skip
    """The solution along the next direction, unless it is over, and the next vector of length 1."""
    before = w[...]
    fresh = (v[...] - old * w2[...] - delta * before) / gamma
    w2[...] = before
    w[...] = fresh
    # A choice and no branch: so the loops of a CPU are vectors.
    x[...] = k.where(status == 0, x[...] + phi * fresh, x[...])
    v[...] = k.where(beta == 0, 0.0, z / k.where(beta == 0, 1.0, beta))


@k.kernel
def _test(s: k.Array[1], status: k.Out[1], squares: k.Each, beta1: float, rtol: float, code: int) -> None:
    """The status, if one of the tests ends it."""
    eps = float(np.finfo(s.dtype).eps)
    size, length = k.sqrt(s[_TNORM2]), k.sqrt(squares.real)
    known, product = size != 0, size * length
    test1 = k.where(product != 0, s[_PHIBAR] / k.where(product != 0, product, 1.0), np.inf)
    test2 = k.where(known, s[_ROOT] / k.where(known, size, 1.0), np.inf)
    done = (1 + test2 <= 1) | (1 + test1 <= 1) | (s[_GMAX] / s[_GMIN] >= 0.1 / eps) | (s[_LUCKY] > 0)
    done = done | (product * eps >= beta1) | (test2 <= rtol) | (test1 <= rtol)
    if status[0] == 0 and done and k.isfinite(length):
        status[0] = code


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
    progress = Progress()
    # What steps change in place. The first guess may be an array of the program's.
    x, v, r1, r2 = x.copy(), *(part.astype(system.dtype) for part in (y / beta1, r1, r1))
    w, w2 = (cp.zeros(system.size, system.dtype) for _ in range(2))
    real = np.zeros(0, system.dtype).real.dtype
    numbers = np.zeros(_LUCKY + 1, real)
    numbers[[_BETA, _PHIBAR]], numbers[_CS], numbers[_GMIN] = beta1, -1, np.finfo(real).max
    s, flag = cp.asarray(numbers), progress.status.reshape(1)
    beta, growth, *along = (s[place] for place in (_BETA, _GROWTH, _OLD, _DELTA, _GAMMA, _PHI))

    def step(number: int) -> None:
        y = system.A.matvec(v)
        if shift:
            y = y - shift * v
        if number:
            y = y - growth * r1
        y = y.astype(system.dtype, copy=False)
        alfa = dot(v, y)
        _next_residual(y, r1, r2, alfa, beta)
        z = system.M.matvec(r2).astype(system.dtype, copy=False)
        _rotate(s, flag, alfa, dot(r2, z), number == 0, shape=())
        _advance(z, v, w, w2, x, progress.status, *along, beta)
        _test(s, flag, dot(x, x), beta1, float(rtol), CONVERGED, shape=())

    table = _shown.Minres(system.size, shift, maxiter, rtol, float(np.finfo(real).eps), beta1) if show else None

    def seen(_: Any) -> None:
        if table is not None:
            numbers, size = cp.asnumpy(s).astype(float), host_norm(x)
            table.row(
                x, numbers[_TNORM2] ** 0.5, numbers[_GMAX] / numbers[_GMIN],
                (np.hypot(numbers[_PHI], numbers[_PHIBAR]), numbers[_PHIBAR]), numbers[_ROOT],
                numbers[_CS] * numbers[_GAMMA], size, bool(numbers[_LUCKY]),
            )  # fmt: skip
        if callback is not None:
            # As in SciPy, each vector that is seen is an array of its own.
            callback(x.copy())

    watch = seen if show or callback is not None else None
    status = iterate(step, progress, None, maxiter, watch, (system.A, system.M))
    if status == -2:
        raise ValueError("non-symmetric matrix")
    if status and watch is not None:
        # The step that converges is seen, too.
        watch(None)
    if table is not None:
        table.end()
    return x, 0 if status else maxiter


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
