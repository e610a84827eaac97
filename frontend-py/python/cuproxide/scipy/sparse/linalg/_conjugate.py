"""Solvers with short recurrences that minimise over Krylov spaces: conjugate gradients and their relatives."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import cuproxide as cp

from ...._lib import kernel as k
from .._devices import own_device
from ._scaling import within_range
from ._systems import CONVERGED, Progress, System, dot, epsilon, iterate, norm, ratio, tolerance

__all__ = ["bicg", "bicgstab", "cg", "cgs"]

_DOCUMENT = """{summary}

    Vectors and scalars stay on the device; whether it has converged is read once every 8 iterations, or in each one
    if there is a `callback`. What it computes after convergence changes nothing.

    Parameters
    ----------
    A : array, sparse array or LinearOperator
        {matrix}
    b : array
        The right-hand side, of shape (N,) or (N, 1).
    x0 : array, optional
        The first guess; zeros without it. 'Mb' is the preconditioner times `b`.
    rtol, atol : float
        It has converged when the norm of the residual is below `max(rtol * norm(b), atol)`.
    maxiter : int, optional
        Most iterations, by default 10 N.
    M : array, sparse array or LinearOperator, optional
        A preconditioner: an approximation of the inverse of `A`.
    callback : callable, optional
        Called with the solution so far after each iteration.

    Returns
    -------
    x : array
        The solution, of shape (N,).
    info : int
        0: it has converged. Above 0: `maxiter` iterations were not enough. Below 0: a breakdown.

    Raises
    ------
    ValueError
        For shapes that do not fit and for a negative `atol`.

    Notes
    -----
    Source: {source}

    Examples
    --------
    >>> A = cp.array([[4.0, 1.0], [1.0, 3.0]])
    >>> x, info = cp.scipy.sparse.linalg.{name}(A, cp.array([1.0, 2.0]))
    >>> bool(cp.allclose(A @ x, cp.array([1.0, 2.0]), rtol=1e-4)), info
    (True, 0)
    """


def _documented(summary: str, matrix: str, source: str) -> Any:
    def document(function: Any) -> Any:
        function.__doc__ = _DOCUMENT.format(summary=summary, matrix=matrix, source=source, name=function.__name__)
        return function

    return document


def _start(name: str, A: Any, M: Any, x0: Any, b: Any, rtol: Any, atol: Any, maxiter: Any) -> Any:
    system = System(A, M, x0, b)
    size = system.size_of_side()
    return system, tolerance(name, size, atol, rtol), system.size * 10 if maxiter is None else maxiter, size == 0


def _small(r: Any, atol: float) -> Any:
    """Whether a residual is small enough: also when it is zero, where no further step can be made."""
    size = norm(r)
    return (size < atol) | (size == 0)


@k.kernel
def _turn(
    z: k.Each, p: k.Out[0], rho: k.Array[1], squares: k.Array[1], before: k.Array[1], status: k.Out[1],
    atol: float, first: bool, code: int,
) -> None:  # fmt: skip
    """The next direction, and the status if the residual is small enough."""
    beta = rho[0]
    if first or before[0] == 0:
        beta = beta * 0
    else:
        beta = beta / before[0]
    p[...] = z + beta * p[...]
    if k.index() == 0:
        size = k.sqrt(squares[0].real)
        if status[0] == 0 and (size < atol or size == 0):
            status[0] = code


@k.kernel
def _advance(
    p: k.Each, q: k.Each, x: k.Out[0], r: k.Out[0], rho: k.Array[1], along: k.Array[1], before: k.Out[1],
    status: k.Array[1],
) -> None:  # fmt: skip
    """The step along a direction, unless it is over."""
    if status[0] == 0:
        alpha = rho[0] / along[0]
        x[...] = x[...] + alpha * p
        r[...] = r[...] - alpha * q
    if k.index() == 0:
        before[0] = rho[0]


@own_device
@within_range
@_documented(
    "Solves `A x = b` with a Hermitian positive definite matrix by conjugate gradients.",
    "N x N, Hermitian and positive definite.",
    "Hestenes and Stiefel 1952; `scipy.sparse.linalg.cg`.",
)
def cg(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: Any = None,
    M: Any = None,
    callback: Any = None,
) -> tuple[Any, int]:
    system, atol, maxiter, trivial = _start("cg", A, M, x0, b, rtol, atol, maxiter)
    if trivial:
        return system.b, 0
    progress = Progress()
    # What steps change in place. The first guess may be an array of the program's.
    x, r, p = system.x.copy(), system.residual(), cp.zeros(system.size, system.dtype)
    before, flag = cp.zeros(1, system.dtype), progress.status.reshape(1)

    def step(number: int) -> None:
        z = system.M.matvec(r)
        squares = dot(r, r).reshape(1)
        rho = squares if z is r else dot(r, z).reshape(1)
        _turn(z, p, rho, squares, before, flag, atol, number == 0, CONVERGED)
        q = system.A.matvec(p).astype(system.dtype, copy=False)
        _advance(p, q, x, r, rho, dot(p, q).reshape(1), before, flag)

    seen = None if callback is None else lambda _: callback(x)
    status = iterate(step, progress, None, maxiter, seen, (system.A, system.M))
    return x, 0 if status == CONVERGED else status or maxiter


@own_device
@within_range
@_documented(
    "Solves `A x = b` by biconjugate gradients.",
    "N x N, with products with its conjugate transpose.",
    "Fletcher 1976; `scipy.sparse.linalg.bicg`.",
)
def bicg(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: Any = None,
    M: Any = None,
    callback: Any = None,
) -> tuple[Any, int]:
    system, atol, maxiter, trivial = _start("bicg", A, M, x0, b, rtol, atol, maxiter)
    if trivial:
        return system.b, 0
    least = epsilon(system.dtype) ** 2
    progress = Progress()
    state = SimpleNamespace(x=system.x, r=system.residual())
    state.shadow = state.r

    def step(number: int) -> None:
        progress.stop(_small(state.r, atol), CONVERGED)
        z, zt = system.M.matvec(state.r), system.M.rmatvec(state.shadow)
        rho = dot(state.shadow, z)
        progress.stop(abs(rho) < least, -10)
        if number == 0:
            state.p, state.q = z, zt
        else:
            beta = ratio(rho, state.before)
            state.p, state.q = z + beta * state.p, zt + beta.conj() * state.q
        product, adjoint = system.A.matvec(state.p), system.A.rmatvec(state.q)
        rv = dot(state.q, product)
        runs = progress.stop(rv == 0, -11)
        alpha = ratio(rho, rv)
        state.x = cp.where(runs, state.x + alpha * state.p, state.x)
        state.r = cp.where(runs, state.r - alpha * product, state.r)
        state.shadow = cp.where(runs, state.shadow - alpha.conj() * adjoint, state.shadow)
        state.before = rho

    status = iterate(step, progress, state, maxiter, callback, (system.A, system.M))
    return state.x, 0 if status == CONVERGED else status or maxiter


@k.function
def _ratio(a, b):
    """`a / b`, or 0 where `b` is 0."""
    return k.where(b == 0, 0.0, a / k.where(b == 0, 1.0, b))


@k.function
def _is_small(squares, atol):
    """Whether a residual is small enough, by its square."""
    size = k.sqrt(squares.real)
    return (size < atol) | (size == 0)


@k.function
def _stays(status, squares, rho, rv, omega, atol, least):
    """Whether `bicgstab` takes no step: it has ended before, or does here."""
    return (status != 0) | _is_small(squares, atol) | (abs(rho) < least) | (abs(omega) < least) | (rv == 0)


# Numbers are elements that all points share, and choices no branches: so the loops of a CPU are vectors.
@k.kernel
def _turn_stabilised(r: k.Each, p: k.Out[0], rho: k.Each, before: k.Each, alpha: k.Each, omega: k.Each) -> None:
    """The next direction; `p` has what is kept of the last one."""
    p[...] = r + _ratio(rho, before) * _ratio(alpha, omega) * p[...]


@k.kernel
def _half_step(
    r: k.Each, v: k.Each, direction: k.Each, x: k.Out[0], s: k.Out[0],
    status: k.Each, squares: k.Each, rho: k.Each, rv: k.Each, omega: k.Each, atol: float, least: float,
) -> None:  # fmt: skip
    """The step of biconjugate gradients; `s` is its residual."""
    alpha = _ratio(rho, rv)
    s[...] = r - alpha * v
    x[...] = k.where(_stays(status, squares, rho, rv, omega, atol, least), x[...], x[...] + alpha * direction)


@k.kernel
def _stabilise(
    s: k.Each, t: k.Each, v: k.Each, second: k.Each, x: k.Out[0], r: k.Out[0], p: k.Out[0], ts: k.Each, tt: k.Each,
    rest: k.Each, status: k.Each, squares: k.Each, rho: k.Each, rv: k.Each, omega: k.Each, atol: float, least: float,
) -> None:  # fmt: skip
    """The step that makes the residual small, unless half a step was enough, and what the next direction keeps."""
    stays = _stays(status, squares, rho, rv, omega, atol, least) | _is_small(rest, atol)
    omega = _ratio(ts, tt)
    r[...] = s - omega * t
    p[...] = p[...] - omega * v
    x[...] = k.where(stays, x[...], x[...] + omega * second)


@k.kernel
def _keep(
    kept: k.Out, status: k.Out[1], ts: k.Each, tt: k.Each,
    rest: k.Each, squares: k.Each, rho: k.Each, rv: k.Each, atol: float, least: float, code: int,
) -> None:  # fmt: skip
    """The numbers for the next step, and how this one ended."""
    if status[0] == 0:
        if _is_small(squares, atol):
            status[0] = code
        elif abs(rho) < least:
            status[0] = -10
        elif abs(kept[2]) < least or rv == 0:
            status[0] = -11
        elif _is_small(rest, atol):
            status[0] = code
    kept[0], kept[1], kept[2] = rho, _ratio(rho, rv), _ratio(ts, tt)


@own_device
@within_range
@_documented(
    "Solves `A x = b` by stabilised biconjugate gradients.",
    "N x N.",
    "van der Vorst 1992; `scipy.sparse.linalg.bicgstab`.",
)
def bicgstab(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: Any = None,
    M: Any = None,
    callback: Any = None,
) -> tuple[Any, int]:
    system, atol, maxiter, trivial = _start("bicgstab", A, M, x0, b, rtol, atol, maxiter)
    if trivial:
        return system.b, 0
    least = epsilon(system.dtype) ** 2
    progress = Progress()
    # What steps change in place. The first guess may be an array of the program's.
    x, r = system.x.copy(), system.residual().astype(system.dtype, copy=False)
    shadow, p, s = r.copy(), cp.zeros_like(r), cp.zeros_like(r)
    # The last products of residuals and step lengths: the first direction is the residual.
    kept, flag = cp.asarray([1, 0, 1], dtype=system.dtype), progress.status.reshape(1)
    before, alpha, omega = kept[0], kept[1], kept[2]

    def step(_: int) -> None:
        squares, rho = dot(r, r), dot(shadow, r)
        _turn_stabilised(r, p, rho, before, alpha, omega)
        direction = system.M.matvec(p).astype(system.dtype, copy=False)
        v = system.A.matvec(direction).astype(system.dtype, copy=False)
        rv = dot(shadow, v)
        _half_step(r, v, direction, x, s, progress.status, squares, rho, rv, omega, atol, least)
        second = system.M.matvec(s).astype(system.dtype, copy=False)
        t = system.A.matvec(second).astype(system.dtype, copy=False)
        rest, ts, tt = dot(s, s), dot(t, s), dot(t, t)
        _stabilise(s, t, v, second, x, r, p, ts, tt, rest, progress.status, squares, rho, rv, omega, atol, least)
        _keep(kept, flag, ts, tt, rest, squares, rho, rv, atol, least, CONVERGED, shape=())

    seen = None if callback is None else lambda _: callback(x)
    status = iterate(step, progress, None, maxiter, seen, (system.A, system.M))
    return x, 0 if status == CONVERGED else status or maxiter


@own_device
@within_range
@_documented(
    "Solves `A x = b` by conjugate gradients squared.",
    "N x N.",
    "Sonneveld 1989; `scipy.sparse.linalg.cgs`.",
)
def cgs(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: Any = None,
    M: Any = None,
    callback: Any = None,
) -> tuple[Any, int]:
    system, atol, maxiter, trivial = _start("cgs", A, M, x0, b, rtol, atol, maxiter)
    if trivial:
        return system.b, 0
    least = epsilon(system.dtype) ** 2
    progress = Progress()
    state = SimpleNamespace(x=system.x, r=system.residual())
    shadow = state.r

    def step(number: int) -> None:
        progress.stop(_small(state.r, atol), CONVERGED)
        rho = dot(shadow, state.r)
        progress.stop(abs(rho) < least, -10)
        if number == 0:
            u = state.p = state.r
        else:
            beta = ratio(rho, state.before)
            u = state.r + beta * state.q
            state.p = u + beta * (state.q + beta * state.p)
        v = system.A.matvec(system.M.matvec(state.p))
        rv = dot(shadow, v)
        runs = progress.stop(rv == 0, -11)
        alpha = ratio(rho, rv)
        state.q = u - alpha * v
        state.x = cp.where(runs, state.x + alpha * system.M.matvec(u + state.q), state.x)
        # The true residual: rounding makes the recurrence drift.
        state.r = cp.where(runs, system.b - system.A.matvec(state.x), state.r)
        state.before = rho

    status = iterate(step, progress, state, maxiter, callback, (system.A, system.M))
    return state.x, 0 if status == CONVERGED else status or maxiter
