"""Boundary value problems by collocation."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_host
from ..._lib.lending import shielded, shielded_if
from ..._lib.results import Result
from ._ode_base import EPS, as_state

__all__ = ["solve_bvp"]

_MESSAGES = {
    0: "The algorithm converged to the desired accuracy.",
    1: "The maximum number of mesh nodes is exceeded.",
    2: "A singular Jacobian encountered when solving the collocation system.",
    3: "The solver was unable to satisfy boundary conditions tolerance on iteration 10.",
}


class BVPResult(Result):
    """The result of `solve_bvp`."""


class CubicSpline:
    """The cubic with given values and slopes at its nodes; derivatives by a second argument."""

    def __init__(self, x: Any, y: ndarray, slopes: ndarray) -> None:
        h = cp.asarray(np.diff(x))
        rise = (y[:, 1:] - y[:, :-1]) / h
        t = (slopes[:, :-1] + slopes[:, 1:] - 2 * rise) / h
        self.nodes = x
        self.x = cp.asarray(x)
        # Coefficients of each interval from the highest power on, of shape (4, intervals, n).
        self.c = cp.stack([t / h, (rise - slopes[:, :-1]) / h - t, slopes[:, :-1], y[:, :-1]]).transpose(0, 2, 1)

    def __call__(self, x: Any, nu: int = 0) -> ndarray:
        """The value, or the derivative of order `nu`, at a point or at several."""
        points = to_host(x).astype(float)
        interval = np.clip(np.searchsorted(self.nodes, points, side="right") - 1, 0, len(self.nodes) - 2)
        d = cp.asarray(points - self.nodes[interval])[..., None]
        c = self.c[:, cp.asarray(interval)]
        a, b, s, y = c[0], c[1], c[2], c[3]
        if nu == 0:
            value = ((a * d + b) * d + s) * d + y
        elif nu == 1:
            value = (3 * a * d + 2 * b) * d + s
        elif nu == 2:
            value = 6 * a * d + 2 * b
        else:
            value = 6 * a + 0 * d if nu == 3 else 0 * a * d
        return cp.moveaxis(value, -1, 0)


class _Blocks:
    """A system of the form `L[i] y[i] + R[i] y[i+1] + P[i] p = b[i]` with conditions on both ends.

    Neighbouring blocks are joined in pairs by orthogonal transformations, so its solution takes a number of launches
    that grows with the logarithm of the nodes, and is as stable as a QR factorisation of the whole (Wright, 1992).
    """

    def __init__(self, left: ndarray, right: ndarray, params: ndarray, ends: tuple[ndarray, ndarray, ndarray]) -> None:
        self.n, self.k = left.shape[1], params.shape[2]
        self.levels: list[Any] = []
        n = self.n
        while left.shape[0] > 1:
            pairs = left.shape[0] // 2
            one, two = slice(0, 2 * pairs, 2), slice(1, 2 * pairs, 2)
            tall = cp.concatenate([right[one], left[two]], axis=1)
            q, r = cp.linalg.qr(tall, mode="complete")
            q = cp.conj(q).transpose(0, 2, 1)
            # What is left of both blocks, split into the rows of the middle node and the others.
            first, second = q[:, :, :n] @ left[one], q[:, :, n:] @ right[two]
            other = q[:, :, :n] @ params[one] + q[:, :, n:] @ params[two]
            self.levels.append((pairs, left.shape[0], q, r[:, :n], first[:, :n], second[:, :n], other[:, :n]))
            rest = slice(2 * pairs, None)
            left = cp.concatenate([first[:, n:], left[rest]])
            right = cp.concatenate([second[:, n:], right[rest]])
            params = cp.concatenate([other[:, n:], params[rest]])
        bottom = cp.concatenate([left[0], right[0], params[0]], axis=1)
        self.matrix = cp.concatenate([bottom, cp.concatenate(ends, axis=1)], axis=0)
        # Transformations kept the norms, so a singular system shows in the last block.
        diagonal = abs(cp.diagonal(cp.linalg.qr(self.matrix / cp.max(abs(self.matrix)))[1]))
        if not bool(cp.min(diagonal) > 4 * EPS):
            raise np.linalg.LinAlgError("singular matrix")

    def solve(self, b: ndarray, conditions: ndarray) -> tuple[ndarray, ndarray]:
        """The states, of shape `(nodes, n)`, and the parameters."""
        n, kept = self.n, []
        for pairs, _, q, *_ in self.levels:
            both = cp.concatenate([b[0 : 2 * pairs : 2], b[1 : 2 * pairs : 2]], axis=1)
            turned = (q @ both[:, :, None])[:, :, 0]
            kept.append(turned[:, :n])
            b = cp.concatenate([turned[:, n:], b[2 * pairs :]])
        ends = cp.linalg.solve(self.matrix, cp.concatenate([b[0], conditions]))
        states, p = cp.stack([ends[:n], ends[n : 2 * n]]), ends[2 * n :]
        for (pairs, count, _, r, first, second, other), g in zip(reversed(self.levels), reversed(kept), strict=True):
            start, end = states[:pairs], states[1 : pairs + 1]
            right = g - (first @ start[:, :, None])[:, :, 0] - (second @ end[:, :, None])[:, :, 0]
            right = right - (other @ p[None, :, None])[:, :, 0] if self.k else right
            middle = cp.linalg.solve(r, right[:, :, None])[:, :, 0]
            wider = cp.empty((count + 1, n), states.dtype)
            wider[0 : 2 * pairs : 2] = start
            wider[1 : 2 * pairs : 2] = middle
            wider[2 * pairs :] = states[pairs:]
            states = wider
        return states, p


class _Problem:
    """The functions of a problem with their Jacobians, with a singular term added."""

    def __init__(
        self, fun: Any, bc: Any, fun_jac: Any, bc_jac: Any, k: int, a: float, s: ndarray | None, d: Any, dtype: Any
    ) -> None:
        self.given, self.given_bc = shielded(fun, 3), shielded(bc, 3)
        self.given_jac, self.given_bc_jac = shielded_if(fun_jac, 3), shielded_if(bc_jac, 3)
        self.k, self.a, self.s, self.d, self.dtype = k, a, s, d, dtype

    def _args(self, *args: Any) -> tuple[Any, ...]:
        return args if self.k else args[:-1]

    def plain(self, x: ndarray, y: ndarray, p: ndarray) -> ndarray:
        found = self.given(*self._args(x, y, p))
        if isinstance(found, (list, tuple)):
            shape = y.shape[1:]
            found = cp.stack([cp.broadcast_to(as_device(row), shape) for row in found])
        return as_device(found).astype(self.dtype)

    def fun(self, x: Any, y: ndarray, p: ndarray) -> ndarray:
        f = self.plain(cp.asarray(x), y, p)
        if self.s is None:
            return f
        if x[0] != self.a:
            return f + self.s @ y / cp.asarray(x - self.a)
        rest = f[:, 1:] + self.s @ y[:, 1:] / cp.asarray(x[1:] - self.a)
        return cp.concatenate([(self.d @ f[:, 0])[:, None], rest], axis=1)

    def bc(self, ya: ndarray, yb: ndarray, p: ndarray) -> ndarray:
        return as_state(self.given_bc(*self._args(ya, yb, p)), self.dtype)

    def jac(self, x: Any, y: ndarray, p: ndarray) -> tuple[ndarray, ndarray]:
        """The derivatives with respect to the state and the parameters, of shapes `(m, n, n)` and `(m, n, k)`."""
        points, m, n = cp.asarray(x), y.shape[1], y.shape[0]
        if self.given_jac is not None:
            found = self.given_jac(*self._args(points, y, p))
            dy, dp = found if self.k else (found, None)
            dy = cp.moveaxis(as_device(dy).astype(self.dtype), -1, 0)
            dp = cp.moveaxis(as_device(dp).astype(self.dtype), -1, 0) if self.k else cp.zeros((m, n, 0), self.dtype)
        else:
            f0 = self.plain(points, y, p)
            columns = []
            for i in range(n):
                h = EPS**0.5 * (1 + abs(y[i]))
                moved = cp.array(y)
                moved[i] = y[i] + h
                columns.append((self.plain(points, moved, p) - f0) / (moved[i] - y[i]))
            dy = cp.stack(columns, axis=2).transpose(1, 0, 2)
            columns = []
            for i in range(self.k):
                moved = cp.array(p)
                moved[i] = p[i] + EPS**0.5 * (1 + abs(p[i]))
                columns.append((self.plain(points, y, moved) - f0) / (moved[i] - p[i]))
            dp = cp.stack(columns, axis=2).transpose(1, 0, 2) if self.k else cp.zeros((m, n, 0), self.dtype)
        if self.s is None:
            return dy, dp
        if x[0] != self.a:
            return dy + self.s / cp.asarray(x - self.a)[:, None, None], dp
        dy = cp.concatenate([(self.d @ dy[0])[None], dy[1:] + self.s / cp.asarray(x[1:] - self.a)[:, None, None]])
        if self.k:
            dp = cp.concatenate([(self.d @ dp[0])[None], dp[1:]])
        return dy, dp

    def bc_jac(self, ya: ndarray, yb: ndarray, p: ndarray, value: ndarray) -> tuple[ndarray, ndarray, ndarray]:
        n, rows = ya.size, value.size
        if self.given_bc_jac is not None:
            found = [as_device(v).astype(self.dtype) for v in self.given_bc_jac(*self._args(ya, yb, p))]
            return found[0], found[1], found[2] if self.k else cp.zeros((rows, 0), self.dtype)
        parts = []
        for position, (vector, count) in enumerate(((ya, n), (yb, n), (p, self.k))):
            columns = []
            for i in range(count):
                moved = cp.array(vector)
                moved[i] = vector[i] + EPS**0.5 * (1 + abs(vector[i]))
                args = [ya, yb, p]
                args[position] = moved
                columns.append((self.bc(*args) - value) / (moved[i] - vector[i]))
            parts.append(cp.stack(columns, axis=1) if columns else cp.zeros((rows, 0), self.dtype))
        return parts[0], parts[1], parts[2]

    def collocation(self, y: ndarray, p: ndarray, x: Any, h: ndarray) -> tuple[ndarray, ndarray, ndarray, ndarray]:
        """Residuals of the cubic that fits the equation at nodes and in the middle between them."""
        f = self.fun(x, y, p)
        middle = 0.5 * (y[:, 1:] + y[:, :-1]) - 0.125 * h * (f[:, 1:] - f[:, :-1])
        f_middle = self.fun(0.5 * (x[1:] + x[:-1]), middle, p)
        residual = y[:, 1:] - y[:, :-1] - h / 6 * (f[:, :-1] + f[:, 1:] + 4 * f_middle)
        return residual, middle, f, f_middle

    def system(self, y: ndarray, p: ndarray, middle: ndarray, x: Any, h: ndarray, bc_value: ndarray) -> _Blocks:
        dy, dp = self.jac(x, y, p)
        my, mp = self.jac(0.5 * (x[1:] + x[:-1]), middle, p)
        h = h[:, None, None]
        unit = cp.eye(y.shape[0], dtype=self.dtype)
        left = -unit - h / 6 * (dy[:-1] + 2 * my) - h**2 / 12 * (my @ dy[:-1])
        right = unit - h / 6 * (dy[1:] + 2 * my) + h**2 / 12 * (my @ dy[1:])
        if self.k:
            mp = mp + 0.125 * h * (my @ (dp[:-1] - dp[1:]))
        params = -h / 6 * (dp[:-1] + dp[1:] + 4 * mp)
        return _Blocks(left, right, params, self.bc_jac(y[:, 0], y[:, -1], p, bc_value))


def _newton(
    problem: _Problem, x: Any, h: ndarray, y: ndarray, p: ndarray, b: ndarray | None, tol: float, bc_tol: float
) -> tuple[ndarray, ndarray, bool]:
    """A damped Newton iteration with the affine-invariant criterion (Ascher, Mattheij, Russell, 1995)."""
    bound = 2 / 3 * h * 0.05 * tol
    residual, middle, f, f_middle = problem.collocation(y, p, x, h)
    at_ends = problem.bc(y[:, 0], y[:, -1], p)
    system, jacobians = None, 0
    step: Any = None
    cost = math.inf
    for _ in range(8):
        if system is None:
            try:
                system = problem.system(y, p, middle, x, h, at_ends)
                step = system.solve(residual.T, at_ends)
            except np.linalg.LinAlgError:
                return y, p, True
            jacobians += 1
            cost = float(cp.sum(abs(step[0]) ** 2) + cp.sum(abs(step[1]) ** 2))
            if not math.isfinite(cost):
                return y, p, True
        alpha = 1.0
        for trial in range(5):
            y_new, p_new = y - alpha * step[0].T, p - alpha * step[1]
            if b is not None:
                y_new = cp.concatenate([(b @ y_new[:, 0])[:, None], y_new[:, 1:]], axis=1)
            residual, middle, f, f_middle = problem.collocation(y_new, p_new, x, h)
            at_ends = problem.bc(y_new[:, 0], y_new[:, -1], p_new)
            new = system.solve(residual.T, at_ends)
            new_cost = float(cp.sum(abs(new[0]) ** 2) + cp.sum(abs(new[1]) ** 2))
            if new_cost < (1 - 2 * alpha * 0.2) * cost:
                break
            if trial < 4:
                alpha *= 0.5
        y, p = y_new, p_new
        if jacobians == 4:
            break
        if bool(cp.all(abs(residual) < bound * (1 + abs(f_middle))) & cp.all(abs(at_ends) < bc_tol)):
            break
        if alpha == 1:
            step, cost = new, new_cost
        else:
            system = None
    return y, p, False


def _residuals(problem: _Problem, sol: CubicSpline, x: Any, p: ndarray, middle: ndarray, f_middle: ndarray) -> Any:
    """The root mean square of the relative residual in each interval, by Lobatto's rule, on the host."""
    h = np.diff(x)
    centre, s = x[:-1] + 0.5 * h, 0.5 * h * (3 / 7) ** 0.5
    total = 32 / 45 * cp.sum(abs(middle / (1 + abs(f_middle))) ** 2, axis=0)
    for points in (centre + s, centre - s):
        f = problem.fun(points, sol(points), p)
        total = total + 49 / 90 * cp.sum(abs((sol(points, 1) - f) / (1 + abs(f))) ** 2, axis=0)
    return to_host(cp.sqrt(0.5 * total))


def solve_bvp(
    fun: Callable[..., Any],
    bc: Callable[..., Any],
    x: Any,
    y: Any,
    p: Any = None,
    S: Any = None,
    fun_jac: Callable[..., Any] | None = None,
    bc_jac: Callable[..., Any] | None = None,
    tol: float = 0.001,
    max_nodes: int = 1000,
    verbose: int = 0,
    bc_tol: float | None = None,
) -> BVPResult:
    """Solves a boundary value problem by collocation of order four on a mesh that adapts to the residual.

    Newton's systems are solved by orthogonal transformations that join neighbouring intervals in pairs.

    Parameters
    ----------
    fun : callable
        `fun(x, y)` or `fun(x, y, p)`: the derivatives, for x of shape `(m,)` and y of shape `(n, m)`.
    bc : callable
        `bc(ya, yb)` or `bc(ya, yb, p)`: the residuals of the conditions, of shape `(n + k,)`.
    x : array_like
        The first mesh, strictly increasing.
    y : array_like
        A guess of the solution there, of shape `(n, m)`.
    p : array_like, optional
        A guess of unknown parameters, of shape `(k,)`.
    S : array_like, optional
        The matrix of a singular term `S y / (x - a)`.
    fun_jac, bc_jac : callable, optional
        The Jacobians; by differences without them.
    tol : float, optional
        The relative residual asked for.
    max_nodes : int, optional
        The most nodes.
    verbose : {0, 1, 2}, optional
        Whether to print a report.
    bc_tol : float, optional
        The tolerance of the conditions, by default `tol`.

    Returns
    -------
    BVPResult
        With `sol` (a cubic spline to call), `p`, `x`, `y`, `yp`, `rms_residuals`, `niter`, `status`, `message`,
        `success`. The status is 0 (converged), 1 (too many nodes), 2 (singular) or 3 (conditions not met).

    Raises
    ------
    ValueError
        If shapes do not fit or the mesh does not increase.

    >>> x = cp.linspace(0, np.pi / 2, 5)
    >>> res = integrate.solve_bvp(
    ...     lambda x, y: cp.stack([y[1], -y[0]]), lambda ya, yb: cp.stack([ya[0], yb[0] - 1]), x, cp.zeros((2, 5))
    ... )
    >>> res.status, round(float(res.sol(np.pi / 6)[0]), 3)
    (0, 0.5)
    """
    mesh = to_host(x).astype(float)
    if mesh.ndim != 1:
        raise ValueError("`x` must be 1 dimensional.")
    if np.any(np.diff(mesh) <= 0):
        raise ValueError("`x` must be strictly increasing.")
    guess = as_device(y)
    dtype = np.dtype(np.complex128 if guess.dtype.kind == "c" else np.float64)
    guess = cp.array(guess, dtype)
    if guess.ndim != 2:
        raise ValueError("`y` must be 2 dimensional.")
    if guess.shape[1] != mesh.size:
        raise ValueError(f"`y` is expected to have {mesh.size} columns, but actually has {guess.shape[1]}.")
    params = cp.empty(0, dtype) if p is None else as_device(p).astype(dtype)
    if params.ndim != 1:
        raise ValueError("`p` must be 1 dimensional.")
    if tol < 100 * EPS:
        warnings.warn(f"`tol` is too low, setting to {100 * EPS:.2e}", stacklevel=2)
        tol = 100 * EPS
    if verbose not in (0, 1, 2):
        raise ValueError("`verbose` must be in [0, 1, 2].")
    n, k = guess.shape[0], params.size
    s = b = d = None
    if S is not None:
        s = as_device(S).astype(dtype)
        if s.shape != (n, n):
            raise ValueError(f"`S` is expected to have shape {(n, n)}, but actually has {s.shape}")
        unit = cp.eye(n, dtype=dtype)
        b, d = unit - cp.linalg.pinv(s) @ s, cp.linalg.pinv(unit - s)
        guess[:, 0] = b @ guess[:, 0]
    bc_tol = tol if bc_tol is None else bc_tol
    problem = _Problem(fun, bc, fun_jac, bc_jac, k, mesh[0], s, d, dtype)
    f = problem.fun(mesh, guess, params)
    if f.shape != guess.shape:
        raise ValueError(f"`fun` return is expected to have shape {guess.shape}, but actually has {f.shape}.")
    at_ends = problem.bc(guess[:, 0], guess[:, -1], params)
    if at_ends.shape != (n + k,):
        raise ValueError(f"`bc` return is expected to have shape {(n + k,)}, but actually has {at_ends.shape}.")
    if verbose == 2:
        print(f"{'Iteration':^15}{'Max residual':^15}{'Max BC residual':^15}{'Total nodes':^15}{'Nodes added':^15}")
    y_now, iteration = guess, 0
    while True:
        h = cp.asarray(np.diff(mesh))
        y_now, params, singular = _newton(problem, mesh, h, y_now, params, b, tol, bc_tol)
        iteration += 1
        residual, _, f, f_middle = problem.collocation(y_now, params, mesh, h)
        worst_bc = float(cp.max(abs(problem.bc(y_now[:, 0], y_now[:, -1], params))))
        sol = CubicSpline(mesh, y_now, f)
        rms = _residuals(problem, sol, mesh, params, 1.5 * residual / h, f_middle)
        if singular:
            status = 2
            break
        one, two = (rms > tol) & (rms < 100 * tol), ~(rms < 100 * tol)
        added = int(one.sum() + 2 * two.sum())
        if verbose == 2:
            print(f"{iteration:^15}{rms.max():^15.2e}{worst_bc:^15.2e}{mesh.size:^15}{added:^15}")
        if mesh.size + added > max_nodes:
            status = 1
            break
        if added:
            start, width = mesh[:-1], np.diff(mesh)
            thirds = np.concatenate([start[two] + width[two] / 3, start[two] + 2 * width[two] / 3])
            mesh = np.sort(np.concatenate([mesh, start[one] + 0.5 * width[one], thirds]))
            y_now = sol(mesh)
        elif worst_bc <= bc_tol:
            status = 0
            break
        elif iteration >= 10:
            status = 3
            break
    if verbose:
        print(
            f"{_MESSAGES[status]} Iterations: {iteration}, nodes: {mesh.size}.\n"
            f"Maximum relative residual: {rms.max():.2e} \nMaximum boundary residual: {worst_bc:.2e}"
        )
    return BVPResult(
        sol=sol, p=params if k else None, x=cp.asarray(mesh), y=y_now, yp=f, rms_residuals=cp.asarray(rms),
        niter=iteration, status=status, message=_MESSAGES[status], success=status == 0,
    )  # fmt: skip
