"""Linear programs, and those with integers."""

from __future__ import annotations

import importlib.util
import math
import warnings
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_host
from ..._lib.categories import category
from ._results import OptimizeResult, OptimizeWarning

__all__ = ["linprog", "linprog_verbose_callback", "milp"]

_STATUS = {
    0: "Optimization terminated successfully.",
    1: "The iteration limit was reached before the algorithm converged.",
    2: "The algorithm terminated successfully and determined that the problem is infeasible.",
    3: "The algorithm terminated successfully and determined that the problem is unbounded.",
    4: "Numerical difficulties were encountered before the problem converged.",
}
# Beyond so many elements of the matrices a first-order method is chosen.
LARGE = 4_000_000


def linprog_verbose_callback(res: OptimizeResult) -> None:
    """A callback that prints each iteration.

    Parameters
    ----------
    res : OptimizeResult
        What `linprog` knows.

    >>> optimize.linprog_verbose_callback(optimize.OptimizeResult(nit=1, fun=2.0, x=cp.ones(1)))
    iteration 1: objective 2, x = [1.]
    """
    print(f"iteration {res['nit']}: objective {res['fun']:g}, x = {to_host(res['x'])}")


class _Matrix:
    """A constraint matrix: dense, or by coordinates, with its products on the device."""

    def __init__(self, given: Any, columns: int) -> None:
        self.coordinates: Any = None
        if given is None:
            self.dense, self.shape = cp.empty((0, columns)), (0, columns)
        elif hasattr(given, "tocoo"):
            coo = given.tocoo()
            self.shape = tuple(coo.shape)
            self.coordinates = (
                as_device(coo.row).astype(np.int64),
                as_device(coo.col).astype(np.int64),
                as_device(coo.data).astype(float),
            )
        else:
            dense = as_device(given.toarray() if hasattr(given, "toarray") else given)
            self.dense = cp.atleast_2d(dense).astype(np.float64) if dense.size else cp.empty((0, columns))
            self.shape = self.dense.shape

    @property
    def size(self) -> int:
        return self.coordinates[2].size if self.coordinates is not None else self.dense.size

    def toarray(self) -> ndarray:
        if self.coordinates is None:
            return self.dense
        rows, columns, data = self.coordinates
        flat = cp.bincount(rows * self.shape[1] + columns, weights=data, minlength=self.shape[0] * self.shape[1])
        return flat.reshape(self.shape)

    def entries(self) -> tuple[ndarray, ndarray, ndarray]:
        if self.coordinates is not None:
            return self.coordinates
        index = cp.flatnonzero(self.dense.reshape(-1))
        return index // self.shape[1], index % self.shape[1], self.dense.reshape(-1)[index]


def _host_matrix(given: Any) -> Any:
    """A matrix for SciPy: arrays of the host, sparse ones by coordinates."""
    if given is None:
        return None
    if hasattr(given, "tocoo"):
        from scipy.sparse import coo_array  # type: ignore[import-untyped, unused-ignore]

        coo = given.tocoo()
        return coo_array((to_host(coo.data), (to_host(coo.row), to_host(coo.col))), shape=coo.shape).tocsc()
    return _host(given)


def _host(value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, (list, tuple)):
        return [to_host(part).tolist() if isinstance(part, ndarray) else part for part in value]
    return to_host(value)


def _to_device(result: Any) -> OptimizeResult:
    found = OptimizeResult()
    for name, value in result.items():
        if isinstance(value, np.ndarray):
            value = cp.asarray(value)
        elif isinstance(value, dict):
            value = _to_device(value)
        found[name] = value
    return found


def _bounds(bounds: Any, n: int) -> tuple[Any, Any]:
    if bounds is None:
        return np.zeros(n), np.full(n, np.inf)
    if hasattr(bounds, "lb"):
        return np.broadcast_to(to_host(bounds.lb), n).astype(float), np.broadcast_to(to_host(bounds.ub), n).astype(
            float
        )
    array = np.array(_host(bounds), dtype=object)
    if array.size == 0:
        return np.zeros(n), np.full(n, np.inf)
    if array.shape == (2,):
        array = array.reshape(1, 2)
    if array.shape == (1, 2):
        array = np.repeat(array, n, axis=0)
    if array.shape != (n, 2):
        raise ValueError(
            f"Invalid input for linprog: provide a 2-tuple that defines bounds for all variables or {n} of them, got the "  # noqa: E501
            f"shape {array.shape}"
        )
    low = np.array([-np.inf if v is None else float(v) for v in array[:, 0]])
    high = np.array([np.inf if v is None else float(v) for v in array[:, 1]])
    if np.any(np.isnan(low) | np.isnan(high)) or np.any(low == np.inf) or np.any(high == -np.inf):
        raise ValueError("Invalid input for linprog: bounds must be ordered numbers, infinities on the right sides")
    return low, high


class _Problem:
    def __init__(self, c: Any, a_ub: Any, b_ub: Any, a_eq: Any, b_eq: Any, bounds: Any) -> None:
        self.c = cp.atleast_1d(as_device(c)).astype(np.float64)
        if self.c.size != max(self.c.shape):
            raise ValueError(f"Invalid input for linprog: c must have one axis, got the shape {self.c.shape}")
        self.c = self.c.reshape(-1)
        n = self.c.size
        if not bool(cp.all(cp.isfinite(self.c))):
            raise ValueError("Invalid input for linprog: c must not contain values inf, nan, or None")
        self.low, self.high = _bounds(bounds, n)
        self.ub, self.eq = _Matrix(a_ub, n), _Matrix(a_eq, n)
        self.b_ub, self.b_eq = (
            cp.empty(0) if b is None else cp.atleast_1d(as_device(b)).astype(np.float64).reshape(-1)
            for b in (b_ub, b_eq)
        )
        for matrix, b, name in ((self.ub, self.b_ub, "ub"), (self.eq, self.b_eq, "eq")):
            if matrix.shape[0] and matrix.shape[1] != n:
                raise ValueError(
                    f"Invalid input for linprog: A_{name} must have exactly two dimensions, and the number of columns in "  # noqa: E501
                    f"A_{name} must be equal to the size of c"
                )
            if b.size != matrix.shape[0]:
                raise ValueError(
                    f"Invalid input for linprog: b_{name} must be a 1-D array; b_{name} must not have more than one "
                    f"non-singleton dimension and the number of rows in A_{name} must equal the number of values in b_{name}"  # noqa: E501
                )
            if not bool(cp.all(cp.isfinite(b))):
                raise ValueError(f"Invalid input for linprog: b_{name} must not contain values inf, nan, or None")


def _independent(a: ndarray, b: ndarray) -> ndarray | None:
    """The indices of independent equations, or None where the dependent ones contradict them."""
    from ..linalg import qr

    if 0 in a.shape:
        return None if bool(cp.any(abs(b) > 0)) else cp.empty(0, np.int64)
    triangle, order = qr(a.T, mode="r", pivoting=True)
    diagonal = abs(cp.diagonal(triangle))
    rank = int(cp.sum(diagonal > 1e-10 * diagonal[0])) if float(diagonal[0]) > 0 else 0
    kept, rest = cp.sort(order[:rank]), order[rank:]
    if rest.size:
        wanted = b[kept] @ cp.linalg.lstsq(a[kept].T, a[rest].T, rcond=None)[0] if rank else cp.zeros(rest.size)
        if bool(cp.any(abs(b[rest] - wanted) > 1e-8 * (1 + cp.max(abs(b))))):
            return None
    return kept


def _of_one_size(a: ndarray, b: ndarray) -> tuple[ndarray, ndarray]:
    """Rows whose largest elements are 1, and their right-hand sides."""
    if 0 in a.shape:
        return a, b
    size = cp.max(abs(a), axis=1)
    size = cp.where(size > 0, size, 1.0)
    return a / size[:, None], b / size


def _equilibrated(a: ndarray) -> tuple[ndarray, ndarray, ndarray]:
    """A matrix whose rows and columns have largest elements near 1, and what they were multiplied by (Ruiz, 2001)."""
    left, right = cp.ones(a.shape[0]), cp.ones(a.shape[1])
    for _ in range(8):
        rows, columns = (cp.max(abs(a), axis=axis) for axis in (1, 0))
        rows, columns = (cp.where(size > 0, 1 / cp.sqrt(cp.where(size > 0, size, 1)), 1.0) for size in (rows, columns))
        a = a * rows[:, None] * columns
        left, right = left * rows, right * columns
    return a, left, right


def _proven(a: ndarray, b: ndarray, c: ndarray, x: ndarray, y: ndarray) -> int:
    """2 or 3 where `y` proves that there is no feasible point, or `x` is a direction without end, else 4."""
    size_x, size_y = cp.max(abs(x)), cp.max(abs(y))
    x, y = x / cp.where(size_x > 0, size_x, 1), y / cp.where(size_y > 0, size_y, 1)
    numbers = [cp.sum(b * y), cp.max(a.T @ y), -cp.sum(c * x), cp.max(abs(a @ x))]
    proof, excess, descent, residual = cp.stack(numbers).tolist()
    if proof > 0 and excess < 1e-5 * proof and (descent <= 0 or proof >= descent or residual > 1e-5 * descent):
        return 2
    return 3 if descent > 0 and residual < 1e-5 * descent else 4


def _twice(factor: ndarray, b: ndarray) -> ndarray:
    """The solution with `factor.T @ factor` for an upper triangular factor."""
    from ..linalg import solve_triangular

    inner = solve_triangular(factor, b, trans=1, check_finite=False)
    return solve_triangular(factor, inner, check_finite=False)


def _interior_point(problem: _Problem, maxiter: int, tol: float, callback: Any) -> tuple[ndarray, int, int]:
    """The homogeneous self-dual method (Andersen and Andersen, 2000) on the standard form, dense, on the device."""
    low, high = problem.low, problem.high
    n = problem.c.size
    # x = low + t, x = high - t, or x = t - u for free variables; finite ranges become rows.
    shift = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high, 0.0))
    sign = np.where(np.isfinite(low), 1.0, np.where(np.isfinite(high), -1.0, 1.0))
    free = np.flatnonzero(~np.isfinite(low) & ~np.isfinite(high))
    boxed = np.flatnonzero(np.isfinite(low) & np.isfinite(high))
    signs, start, free_index = cp.asarray(sign), cp.asarray(shift), cp.asarray(free)

    def columns(matrix: ndarray) -> ndarray:
        return cp.concatenate([matrix * signs, -matrix[:, free_index]], axis=1)

    # Rows of one size, before slack variables hide which rows are small.
    (a_ub, b_ub), (a_eq, b_eq) = (
        _of_one_size(matrix.toarray(), b) for matrix, b in ((problem.ub, problem.b_ub), (problem.eq, problem.b_eq))
    )
    rows_ub, rows_eq = columns(a_ub), columns(a_eq)
    rows_box = cp.concatenate([cp.eye(n)[cp.asarray(boxed)], cp.zeros((boxed.size, free.size))], axis=1)
    m1, m2 = a_ub.shape[0] + boxed.size, a_eq.shape[0]
    upper = cp.concatenate([rows_ub, rows_box])
    a = cp.concatenate(
        [
            cp.concatenate([upper, cp.eye(m1)], axis=1),
            cp.concatenate([rows_eq, cp.zeros((m2, m1))], axis=1),
        ]
    )
    b_eq = b_eq - a_eq @ start
    b = cp.concatenate([b_ub - a_ub @ start, cp.asarray((high - low)[boxed]), b_eq])
    if m2:
        kept = _independent(a_eq, b_eq)
        if kept is None:
            return start, 2, 0
        rows = cp.concatenate([cp.arange(m1), m1 + kept])
        a, b = a[rows], b[rows]
    c = cp.concatenate([problem.c * signs, -problem.c[free_index], cp.zeros(m1)])
    m, size = a.shape
    if m == 0:
        c_host = to_host(c)
        unbounded = bool(np.any(c_host < 0))
        return start, 3 if unbounded else 0, 0
    a, left, right = _equilibrated(a)
    b, c = b * left, c * right
    b_size, c_size = (size if size > 0 else 1.0 for size in cp.stack([cp.max(abs(b)), cp.max(abs(c))]).tolist())
    b, c = b / b_size, c / c_size
    x, y, z, tau, kappa = cp.ones(size), cp.zeros(m), cp.ones(size), 1.0, 1.0
    best: tuple[float, ndarray] = (math.inf, x)
    absolute, floor = abs(a), 1e-2
    mu0 = 1.0
    status = 1
    iteration = 0
    for iteration in range(1, maxiter + 1):
        rp, rd = b * tau - a @ x, c * tau - a.T @ y - z
        # Residuals in each row and column, by the sizes of their terms.
        net = x
        if free.size:
            # Both parts of a free variable may grow together.
            difference = abs(x[free_index] - x[n : n + free.size])
            net = cp.concatenate([x[:n], cp.zeros(free.size), x[n + free.size :]])
            net[free_index] = difference
        p_bad = cp.max(abs(rp) / (abs(b) * tau + absolute @ net + floor * tau))
        d_bad = cp.max(abs(rd) / (abs(c) * tau + absolute.T @ abs(y) + z + floor * tau))
        cx, by, mu, p_bad, d_bad = cp.stack([cp.sum(c * x), cp.sum(b * y), cp.sum(x * z), p_bad, d_bad]).tolist()
        rg = cx - by + kappa
        mu = (mu + tau * kappa) / (size + 1)
        if not math.isfinite(mu + p_bad + d_bad):
            status = 4
            break
        if callback is not None:
            point = start + signs * (right[:n] * x[:n]) * (b_size / tau)
            callback(
                OptimizeResult(
                    x=point, fun=float(cp.sum(problem.c * point)), nit=iteration - 1, status=0, success=False
                )
            )
        gap = abs(cx - by) / max(tau / (b_size * c_size), abs(cx), abs(by))
        worst = max(p_bad, d_bad, gap)
        if worst < best[0]:
            best = (worst, x / tau)
        if worst < tol:
            status = 0
            break
        if mu < tol * mu0 * 1e-2 and tau < tol * max(1.0, kappa) or tau < 1e-12 * max(1.0, kappa):
            status = _proven(a, b, c, x, y)
            break
        d = x / z
        # A QR factor, not that of the squared matrix, whose condition is too much for Cholesky's at the end.
        factor = cp.linalg.qr((a * cp.sqrt(d)).T, mode="r")
        diagonal = cp.diagonal(factor)
        least = 1e-15 * cp.max(abs(diagonal))
        factor = factor + cp.diag(cp.where(abs(diagonal) > least, 0, cp.where(diagonal < 0, -least, least)))

        def normal(top: ndarray, bottom: ndarray, factor: Any = factor, d: Any = d) -> tuple[ndarray, ndarray]:
            # A' v - u / d = top and A u = bottom.
            whole = bottom + a @ (d * top)
            v = _twice(factor, whole)
            # One step of refinement: the matrix is nearly singular at the end.
            v = v + _twice(factor, whole - a @ (d * (a.T @ v)))
            return d * (a.T @ v - top), v

        p, q = normal(c, b)
        centre, eta, corrections, extra = 0.0, 1.0, cp.zeros(size), 0.0
        for attempt in range(2):
            rxz = centre * mu - x * z - corrections
            rtk = centre * mu - tau * kappa - extra
            u, v = normal(eta * rd - rxz / x, eta * rp)
            cu, bv, cp_, bq = cp.stack([cp.sum(c * u), cp.sum(b * v), cp.sum(c * p), cp.sum(b * q)]).tolist()
            bottom = kappa / tau + (-cp_ + bq)
            dtau = (eta * rg + rtk / tau - (-cu + bv)) / bottom
            dx, dy = u + p * dtau, v + q * dtau
            dz = (rxz - z * dx) / x
            dkappa = (rtk - kappa * dtau) / tau
            one = cp.min(cp.where(dx < 0, -x / cp.where(dx < 0, dx, -1), 1e30))
            two = cp.min(cp.where(dz < 0, -z / cp.where(dz < 0, dz, -1), 1e30))
            alpha = min(
                *cp.stack([one, two]).tolist(),
                -tau / dtau if dtau < 0 else 1e30,
                -kappa / dkappa if dkappa < 0 else 1e30,
            )
            if attempt == 0:
                alpha = min(1.0, alpha)
                centre = (1 - alpha) ** 2 * min(0.1, 1 - alpha)
                eta = 1 - centre
                corrections, extra = dx * dz, dtau * dkappa
        alpha = min(1.0, 0.9995 * alpha)
        x, y, z = x + alpha * dx, y + alpha * dy, z + alpha * dz
        tau, kappa = tau + alpha * dtau, kappa + alpha * dkappa
    point = x / tau
    if status in (1, 4):
        # The best iterate, and success where it is as good as HiGHS' answers.
        point = best[1]
        status = 0 if best[0] < 100 * tol else status
    point = point * right * b_size
    solution = point[:n]
    if free.size:
        spread = cp.zeros(n)
        spread[free_index] = point[n : n + free.size]
        solution = solution - spread
    return start + signs * solution, status, iteration


class _Products:
    """All rows of a problem scaled, with products of the matrix and its transpose on the device."""

    def __init__(self, problem: _Problem) -> None:
        parts = [problem.ub.entries(), problem.eq.entries()]
        m1 = problem.ub.shape[0]
        self.m, self.n = m1 + problem.eq.shape[0], problem.c.size
        self.rows = cp.concatenate([parts[0][0], parts[1][0] + m1])
        self.columns = cp.concatenate([parts[0][1], parts[1][1]])
        self.data = cp.concatenate([parts[0][2], parts[1][2]])
        self.left, self.right = cp.ones(self.m), cp.ones(self.n)
        # Ruiz' equilibration, then one pass with the sums of rows and columns (Pock and Chambolle).
        for kind in ("largest",) * 10 + ("sum",):
            size = abs(self.data)
            if kind == "largest":
                r, s = cp.zeros(self.m), cp.zeros(self.n)
                cp.maximum.at(r, self.rows, size)
                cp.maximum.at(s, self.columns, size)
            else:
                r = cp.bincount(self.rows, weights=size, minlength=self.m)
                s = cp.bincount(self.columns, weights=size, minlength=self.n)
            r, s = (cp.where(v > 0, 1 / cp.sqrt(cp.where(v > 0, v, 1)), 1.0) for v in (r, s))
            self.data = self.data * r[self.rows] * s[self.columns]
            self.left, self.right = self.left * r, self.right * s
        order = cp.argsort(self.columns)
        self.by_column = (self.rows[order], self.columns[order], self.data[order])

    def forward(self, x: ndarray) -> ndarray:
        return cp.bincount(self.rows, weights=self.data * x[self.columns], minlength=self.m)

    def backward(self, y: ndarray) -> ndarray:
        rows, columns, data = self.by_column
        return cp.bincount(columns, weights=data * y[rows], minlength=self.n)


def _pdhg(problem: _Problem, maxiter: int, tol: float, callback: Any) -> tuple[ndarray, int, int, dict[str, float]]:
    """Primal-dual hybrid gradients with restarts at averages and an adaptive weight (Applegate and others, 2021).

    The host reads a few numbers every 40 iterations.
    """
    a = _Products(problem)
    c = problem.c * a.right
    b = cp.concatenate([problem.b_ub, problem.b_eq]) * a.left
    m1 = problem.b_ub.size
    low, high = cp.asarray(problem.low) / a.right, cp.asarray(problem.high) / a.right
    inequality = cp.arange(a.m) < m1
    x, y = cp.clip(cp.zeros(a.n), low, high), cp.zeros(a.m)
    # The largest singular value, by power iterations.
    v = cp.cos(cp.arange(a.n) * 1.3) + 1.5
    norm = cp.ones(())
    for _ in range(30):
        v = v / cp.maximum(cp.sqrt(cp.sum(v * v)), 1e-300)
        v = a.backward(a.forward(v))
        norm = cp.sqrt(cp.sqrt(cp.sum(v * v)))
    norm, c_size, b_size = cp.stack([norm, cp.sqrt(cp.sum(c * c)), cp.sqrt(cp.sum(b * b))]).tolist()
    step = 0.95 / norm if norm > 0 else 1.0
    weight = c_size / b_size if c_size > 0 and b_size > 0 else 1.0
    b_unscaled = 1 + float(cp.sqrt(cp.sum((b / a.left) ** 2)))
    c_unscaled = 1 + float(cp.sqrt(cp.sum((c / a.right) ** 2)))

    def residuals(x: ndarray, y: ndarray) -> ndarray:
        """Infeasibilities of both problems and both objectives, in the problem's own units."""
        ax, aty = a.forward(x), a.backward(y)
        row = (ax - b) / a.left
        row = cp.where(inequality, cp.maximum(row, 0), row)
        reduced = c + aty
        # Where a bound is infinite the reduced cost has no dual to take it.
        up = cp.where(cp.isfinite(low), cp.maximum(reduced, 0), 0)
        down = cp.where(cp.isfinite(high), cp.minimum(reduced, 0), 0)
        rest = (reduced - up - down) / a.right
        dual = -cp.sum(b * y) + cp.sum(cp.where(up > 0, up * cp.where(cp.isfinite(low), low, 0), 0))
        dual = dual + cp.sum(cp.where(down < 0, down * cp.where(cp.isfinite(high), high, 0), 0))
        return cp.stack([cp.sqrt(cp.sum(row * row)), cp.sqrt(cp.sum(rest * rest)), cp.sum(c * x), dual])

    def error(values: list[float]) -> tuple[float, float, float, float]:
        p, d, primal, dual = values
        gap = abs(primal - dual) / (1 + abs(primal) + abs(dual))
        return max(p / b_unscaled, d / c_unscaled, gap), p / b_unscaled, d / c_unscaled, gap

    total = last = 0
    x_sum, y_sum, count = cp.zeros(a.n), cp.zeros(a.m), 0
    x0, y0 = x, y
    start_error = previous = error(residuals(x, y).tolist())[0]
    status, best = 1, (math.inf, x, (math.inf,) * 3)
    while total < maxiter:
        for _ in range(40):
            tau, sigma = step / weight, step * weight
            new = cp.clip(x - tau * (c + a.backward(y)), low, high)
            y = y + sigma * (a.forward(2 * new - x) - b)
            y = cp.where(inequality, cp.maximum(y, 0), y)
            x = new
            x_sum, y_sum, count, total = x_sum + x, y_sum + y, count + 1, total + 1
        xa, ya = x_sum / count, y_sum / count
        both = cp.stack([residuals(x, y), residuals(xa, ya)]).tolist()
        now, mean = error(both[0]), error(both[1])
        chosen, cx, cy = (now, x, y) if now[0] <= mean[0] else (mean, xa, ya)
        if chosen[0] < best[0]:
            best = (chosen[0], cx, chosen[1:])
        if callback is not None:
            point = cx * a.right
            callback(OptimizeResult(x=point, fun=both[0][2], nit=total, status=0, success=False))
        if not math.isfinite(chosen[0]):
            status = 4
            break
        if max(chosen[1:]) <= tol:
            status = 0
            break
        found = _certificate(a, b, c, x - x0, y - y0, low, high, inequality)
        if found:
            status = found
            break
        stale = total - last >= 0.36 * total
        if chosen[0] <= 0.2 * start_error or (chosen[0] <= 0.8 * start_error and chosen[0] > previous) or stale:
            dx, dy = cp.stack([cp.sum((cx - x0) ** 2), cp.sum((cy - y0) ** 2)]).tolist()
            if dx > 1e-20 and dy > 1e-20:
                weight = math.exp(0.5 * math.log(math.sqrt(dy / dx)) + 0.5 * math.log(weight))
            x, y, x0, y0 = cx, cy, cx, cy
            x_sum, y_sum, count, last = cp.zeros(a.n), cp.zeros(a.m), 0, total
            start_error = chosen[0]
        previous = chosen[0]
    names = ("primal_residual", "dual_residual", "gap")
    return best[1] * a.right, status, total, dict(zip(names, best[2], strict=True))


def _certificate(
    a: _Products, b: ndarray, c: ndarray, dx: ndarray, dy: ndarray, low: ndarray, high: ndarray, inequality: ndarray
) -> int:
    """2 or 3 if the differences of the iterates prove that there is no solution (Applegate and others, 2024)."""
    ray = cp.where(inequality, cp.maximum(dy, 0), dy)
    aty = a.backward(ray)
    # A combination of rows that no point within the bounds satisfies.
    up = cp.where(cp.isfinite(low), cp.maximum(aty, 0), 0)
    down = cp.where(cp.isfinite(high), cp.minimum(aty, 0), 0)
    value = (
        -cp.sum(b * ray)
        + cp.sum(up * cp.where(cp.isfinite(low), low, 0))
        + cp.sum(down * cp.where(cp.isfinite(high), high, 0))
    )
    rest = cp.max(abs(aty - up - down))
    # A direction along which the objective falls for ever.
    forward = a.forward(dx)
    forward = cp.where(inequality, cp.maximum(forward, 0), forward)
    out = cp.where(cp.isfinite(low), cp.maximum(-dx, 0), 0) + cp.where(cp.isfinite(high), cp.maximum(dx, 0), 0)
    fall = -cp.sum(c * dx)
    worst = cp.maximum(cp.max(abs(forward)) if a.m else cp.zeros(()), cp.max(out))
    v, r, f, w = cp.stack([value, rest, fall, worst]).tolist()
    if v > 0 and r <= 1e-8 * v:
        return 2
    if f > 0 and w <= 1e-8 * f:
        return 3
    return 0


def linprog(
    c: Any, A_ub: Any = None, b_ub: Any = None, A_eq: Any = None, b_eq: Any = None, bounds: Any = (0, None),
    method: str = "highs", callback: Any = None, options: dict[str, Any] | None = None, x0: Any = None,
    integrality: Any = None,
) -> OptimizeResult:  # fmt: skip
    """Minimises `c @ x` with `A_ub @ x <= b_ub`, `A_eq @ x == b_eq` and bounds.

    Small problems go to HiGHS through SciPy where it is installed, else to an interior-point method on the device.
    Large
    ones are solved on the device by primal-dual hybrid gradients with restarts, to a relative tolerance of 1e-4 of
    feasibility and gap unless `options` say otherwise.

    Parameters
    ----------
    A_ub, A_eq : array_like or sparse matrix, optional
        The constraints.
    b_ub, b_eq : array_like, optional
        Their right-hand sides.
    bounds : sequence of pairs, or a pair for all, optional
        The bounds, None for none; by default the variables are not negative.
    method : str, optional
        'highs', 'highs-ds' or 'highs-ipm' for HiGHS; and, not in SciPy in this form, 'interior-point' and 'pdhg',
        which run
        on the device. 'highs' chooses as above.
    callback : callable, optional
        Called after each iteration, for the methods of the device.
    options : dict, optional
        `maxiter`, `disp`, `tol` (1e-8 for 'interior-point', 1e-4 for 'pdhg'), and those of HiGHS.
    x0 : array_like, optional
        Not used.
    integrality : array_like, optional
        Which variables are integers; these problems are solved by HiGHS.

    Returns
    -------
    OptimizeResult
        With `x`, `fun`, `slack`, `con`, `status`, `success`, `message`, `nit`. The status is 0 (optimal), 1 (too many
        iterations), 2 (infeasible), 3 (unbounded) or 4 (numerical difficulties).

    Raises
    ------
    ValueError
        If the shapes do not fit or the method is unknown.

    >>> res = optimize.linprog([-1, 4], A_ub=[[-3, 1], [1, 2]], b_ub=[6, 4], bounds=[(None, None), (-3, None)])
    >>> res.x, res.fun
    (array([10., -3.]), -22.0)
    """
    name = method.lower()
    options = dict(options or {})
    if name in ("simplex", "revised simplex"):
        warnings.warn(
            f"`method='{method}'` is deprecated in SciPy; method='highs' is used, without the options of the other.",
            DeprecationWarning,
            stacklevel=2,
        )
        known = ("maxiter", "disp", "presolve", "time_limit")
        name, options = "highs", {key: value for key, value in options.items() if key in known}
        callback = None
    if x0 is not None and method.lower() != "revised simplex":
        warnings.warn("x0 is used only when method is 'revised simplex'.", category(OptimizeWarning), stacklevel=2)
    if name not in ("highs", "highs-ds", "highs-ipm", "interior-point", "pdhg"):
        raise ValueError(f"Unknown solver '{method}'")
    problem = _Problem(c, A_ub, b_ub, A_eq, b_eq, bounds)
    scipy = importlib.util.find_spec("scipy") is not None
    integers = integrality is not None and bool(np.any(_host(integrality)))
    if name == "highs" and not integers and problem.ub.size + problem.eq.size > LARGE:
        name = "pdhg"
    if name.startswith("highs") and not scipy:
        if name != "highs" or integers:
            raise ModuleNotFoundError(f"method {method!r} and integers need SciPy, which has HiGHS")
        name = "interior-point"
    if name.startswith("highs"):
        from scipy.optimize import linprog as solve  # type: ignore[import-untyped, unused-ignore]

        if callback is not None:
            raise NotImplementedError("HiGHS solvers do not support the callback interface.")
        return _to_device(
            solve(
                to_host(problem.c), _host_matrix(A_ub), to_host(problem.b_ub) if A_ub is not None else None,
                _host_matrix(A_eq), to_host(problem.b_eq) if A_eq is not None else None,
                bounds=np.stack([problem.low, problem.high], axis=1), method=name, options=options,
                integrality=_host(integrality),
            )
        )  # fmt: skip
    if integers:
        warnings.warn(f"Method {method} does not support integrality.", category(OptimizeWarning), stacklevel=2)
    return _on_device(problem, name, callback, options)


def _on_device(problem: _Problem, name: str, callback: Any, options: dict[str, Any]) -> OptimizeResult:
    tol = options.pop("tol", 1e-8 if name == "interior-point" else 1e-4)
    maxiter = options.pop("maxiter", 1000 if name == "interior-point" else 200_000)
    disp = options.pop("disp", False)
    if options:
        warnings.warn(f"Unknown solver options: {', '.join(options)}", category(OptimizeWarning), stacklevel=3)
    extra: dict[str, float] = {}
    if np.any(problem.low > problem.high):
        x, status, nit = cp.asarray(np.where(np.isfinite(problem.low), problem.low, 0.0)), 2, 0
    elif name == "interior-point":
        x, status, nit = _interior_point(problem, maxiter, tol, callback)
        if status == 3:
            # A direction without end says nothing of whether there is a feasible point.
            problem.c, c = cp.zeros_like(problem.c), problem.c
            status = 2 if _interior_point(problem, maxiter, tol, None)[1] == 2 else 3
            problem.c = c
    else:
        x, status, nit, extra = _pdhg(problem, maxiter, tol, callback)
    if problem.ub.coordinates is not None or problem.eq.coordinates is not None:

        def times(matrix: _Matrix) -> ndarray:
            rows, columns, data = matrix.entries()
            return cp.bincount(rows, weights=data * x[columns], minlength=matrix.shape[0])

        slack, con = problem.b_ub - times(problem.ub), problem.b_eq - times(problem.eq)
    else:
        slack, con = problem.b_ub - problem.ub.toarray() @ x, problem.b_eq - problem.eq.toarray() @ x
    fun = float(cp.sum(problem.c * x))
    if disp:
        print(_STATUS[status])
    return OptimizeResult(
        message=_STATUS[status],
        success=status == 0,
        status=status,
        x=x,
        fun=fun,
        slack=slack,
        con=con,
        nit=nit,
        **extra,
    )


def milp(
    c: Any,
    *,
    integrality: Any = None,
    bounds: Any = None,
    constraints: Any = None,
    options: dict[str, Any] | None = None,
) -> OptimizeResult:
    """A linear program with integers, by HiGHS through SciPy.

    Parameters
    ----------
    integrality : array_like, optional
        0 for real variables, 1 for integers, 2 for what is within the bounds or zero, 3 for such integers.
    bounds : Bounds, optional
        The bounds; by default the variables are not negative.
    constraints : LinearConstraint or list of them, optional
        The constraints.
    options : dict, optional
        `disp`, `node_limit`, `presolve`, `time_limit`, `mip_rel_gap`.

    Returns
    -------
    OptimizeResult
        With `x`, `fun`, `status`, `success`, `message`, `mip_node_count`, `mip_dual_bound`, `mip_gap`.

    Raises
    ------
    ModuleNotFoundError
        If SciPy is not installed.

    >>> limit = optimize.LinearConstraint([[2.0, 3.0]], ub=[7.5])
    >>> optimize.milp([-1.0, -2.0], integrality=[1, 1], constraints=limit).fun
    -4.0
    """
    if importlib.util.find_spec("scipy") is None:
        raise ModuleNotFoundError("milp needs SciPy, which has HiGHS")
    from scipy import optimize as scipy  # type: ignore[import-untyped, unused-ignore]

    def constraint(item: Any) -> Any:
        if hasattr(item, "A"):
            return scipy.LinearConstraint(_host_matrix(item.A), to_host(item.lb), to_host(item.ub))
        try:
            return scipy.LinearConstraint(_host_matrix(item[0]), *(to_host(v) for v in item[1:]))
        except (TypeError, IndexError) as error:
            raise ValueError(
                "`constraints` (or each element within `constraints`) must be convertible into an instance of "
                f"`scipy.optimize.LinearConstraint`, got {item!r}"
            ) from error

    # One constraint may be a tuple of its matrix and limits, or there may be several.
    if constraints is None:
        given = None
    elif isinstance(constraints, (list, tuple)) and all(isinstance(c, tuple) or hasattr(c, "A") for c in constraints):
        given = [constraint(item) for item in constraints]
    else:
        given = constraint(constraints)
    if bounds is not None:
        low, high = (bounds.lb, bounds.ub) if hasattr(bounds, "lb") else bounds
        bounds = scipy.Bounds(to_host(low), to_host(high))
    return _to_device(
        scipy.milp(to_host(c), integrality=_host(integrality), bounds=bounds, constraints=given, options=options)
    )
