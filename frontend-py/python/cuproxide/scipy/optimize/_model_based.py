"""Constrained minima without derivatives: models that interpolate the functions near the best point."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import to_host
from ._constraints import Constraints
from ._differences import Objective
from ._quadratic import solve_elastic, solve_qp
from ._results import Callback, OptimizeResult, TooManyCalls, report, unknown_options
from ._slsqp import bound_rows


class _Merit:
    """Objective and constraints together, of the variables that bounds do not fix: one read a point."""

    def __init__(self, objective: Objective, x: ndarray, bounds: Any, constraints: Any, most: float) -> None:
        self.objective, self.whole = objective, Constraints(constraints, x, bounds)
        objective.most = most
        fixed = np.zeros(x.size, bool) if bounds is None else to_host(bounds[0] == bounds[1])
        # Models of variables that cannot move are singular.
        self.free = cp.asarray(np.flatnonzero(~fixed)) if fixed.any() and not fixed.all() else None
        self.x = x
        self.bounds = bounds if self.free is None else tuple(bound[self.free] for bound in bounds)

    def reduced(self, x: ndarray) -> ndarray:
        """The variables that may move."""
        return x if self.free is None else x[self.free]

    def full(self, x: ndarray) -> ndarray:
        """The point that belongs to the variables that may move."""
        if self.free is None:
            return x
        point = self.x.copy()
        point[self.free] = x
        return point

    def __call__(self, x: ndarray) -> tuple[ndarray, float, float]:
        """All values in one array, the objective and the largest violation."""
        x = self.full(x)
        value = self.objective._call(x)
        eq, ineq = self.whole.values(x)
        worst = cp.max(cp.concatenate([cp.zeros(1), abs(eq), -ineq]))
        f, bad = cp.stack([value.astype(np.float64), worst]).tolist()
        return cp.concatenate([value.reshape(1).astype(np.float64), eq, ineq]), f, bad


def _step(
    h: ndarray, slopes: ndarray, values: ndarray, count_eq: int, x: ndarray, bounds: Any, radius: float, price: float
) -> tuple[ndarray, ndarray, ndarray]:
    """The minimum of the models in a box around the best point, with the multipliers."""
    n = x.size
    g, aeq, ain = slopes[0], slopes[1 : 1 + count_eq], slopes[1 + count_eq :]
    eq, ineq = values[1 : 1 + count_eq], values[1 + count_eq :]
    rows, ends = bound_rows(x, bounds)
    unit = cp.eye(n)
    c = cp.concatenate([ain, rows, unit, -unit])
    e = cp.concatenate([-ineq, ends, cp.full(2 * n, -radius)])
    d, y, z, good = solve_qp(h, g, aeq, -eq, c, e)
    if not good:
        d, y, z, _ = solve_elastic(h, g, aeq, -eq, c, e, price)
    d = cp.clip(d, -radius, radius)
    if bounds is not None:
        d = cp.clip(x + d, *bounds) - x
    return d, y, z[: ineq.size]


def _directions(x: ndarray, bounds: Any, radius: float) -> ndarray:
    """Steps along the axes, turned where a bound is nearer."""
    if bounds is None:
        return radius * cp.eye(x.size)
    low, high = bounds
    up = cp.where(x + radius <= high, radius, cp.where(x - radius >= low, -radius, cp.maximum(high - x, low - x)))
    up = cp.where(abs(up) > 0, up, radius)
    return cp.diag(up)


def _radii(first: float, last: float) -> tuple[float, float]:
    """The first and the last radius, with a warning where one that is out of range is replaced."""
    if not 0 < first < math.inf:
        first = max(1.0, 10 * last) if 0 < last < math.inf else 1.0
        warnings.warn(f"COBYLA: Invalid RHOBEG; it should be a positive number; it is set to {first}", stacklevel=4)
    if not 0 < last <= first:
        last = max(np.finfo(float).eps, min(0.1 * first, 1e-6))
        warnings.warn(
            f"COBYLA: Invalid RHOEND; it should be a positive number and RHOEND <= RHOBEG; it is set to {last}",
            stacklevel=4,
        )
    return first, last


def cobyla(
    objective: Objective,
    x: ndarray,
    bounds: Any,
    constraints: Any,
    told: Callback,
    rhobeg: float = 1.0,
    tol: float = 1e-4,
    maxiter: int = 1000,
    disp: bool = False,
    catol: float | None = None,
    f_target: float = -np.inf,
    **options: Any,
) -> OptimizeResult:
    """Linear models that interpolate at the corners of a simplex (after Powell's COBYLA)."""
    unknown_options(options)
    catol = math.sqrt(np.finfo(float).eps) if catol is None else catol
    x = x.astype(np.float64)
    x = x if bounds is None else cp.clip(x, *bounds)
    if maxiter < x.size + 2:
        maxiter = x.size + 2
        warnings.warn(f"COBYLA: the number of evaluations must be at least n + 2, it is set to {maxiter}", stacklevel=3)
    rhobeg, tol = _radii(rhobeg, tol)
    merit = _Merit(objective, x, bounds, constraints, maxiter)
    whole, bounds, x = merit.whole, merit.bounds, merit.reduced(x)
    n, price, radius = x.size, 1.0, rhobeg
    status, k = 1, 0
    h = 1e-10 * cp.eye(n)
    best, f, bad = merit(x)

    def corners(x: ndarray) -> tuple[ndarray, ndarray, list[tuple[float, float]]]:
        steps = _directions(x, bounds, radius)
        found = [merit(x + steps[i]) for i in range(n)]
        return x[None] + steps, cp.stack([v for v, _, _ in found]), [(a, b) for _, a, b in found]

    try:
        points, values, numbers = corners(x)
        while True:
            costs = [a + price * b for a, b in numbers]
            i = min(range(n), key=lambda j: costs[j] if math.isfinite(costs[j]) else math.inf)
            if costs[i] < f + price * bad:
                # The best corner becomes the centre.
                old = (x, best, (f, bad))
                x, best, (f, bad) = points[i], values[i], numbers[i]
                points = cp.where(cp.arange(n)[:, None] == i, old[0][None], points)
                values = cp.where(cp.arange(n)[:, None] == i, old[1][None], values)
                numbers[i] = old[2]
                continue
            if f <= f_target and bad <= catol:
                status = 2
                break
            if math.isnan(f):
                status = -1
                break
            edges = points - x
            spread = float(cp.max(cp.sqrt(cp.sum(edges * edges, axis=1))))
            regular = float(cp.min(cp.linalg.svd(edges, compute_uv=False)))
            if not regular > 1e-3 * min(radius, spread) or spread > 4 * radius:
                points, values, numbers = corners(x)
                edges = points - x
            slopes = cp.linalg.solve(edges, values - best).T
            if not bool(cp.all(cp.isfinite(slopes))):
                radius *= 0.5
                if radius < tol:
                    break
                points, values, numbers = corners(x)
                continue
            d, y, z = _step(h, slopes, best, whole.count_eq, x, bounds, radius, max(1e4, 10 * price))
            largest = [float(cp.max(abs(v))) for v in (y, z) if v.size]
            price = max([price, *(1.5 * v for v in largest if v < 1e8)])
            linear = best + slopes @ d
            length, ahead, worst = cp.stack(
                [
                    cp.max(abs(d)),
                    linear[0],
                    cp.max(
                        cp.concatenate(
                            [cp.zeros(1), abs(linear[1 : 1 + whole.count_eq]), -linear[1 + whole.count_eq :]]
                        )
                    ),
                ]
            ).tolist()
            predicted = f + price * bad - ahead - price * worst
            k += 1
            accepted = False
            if length > 0.1 * radius and predicted > 0:
                new_values, f_new, bad_new = merit(x + d)
                actual = f + price * bad - f_new - price * bad_new
                ratio = actual / predicted if math.isfinite(actual) else -1.0
                # The corner that the new point stands for best leaves the simplex.
                weights = abs(cp.linalg.solve(edges.T, d)) * (1 + cp.sqrt(cp.sum(edges * edges, axis=1)) / radius)
                j = int(cp.argmax(weights))
                points = cp.where(cp.arange(n)[:, None] == j, (x + d)[None], points)
                values = cp.where(cp.arange(n)[:, None] == j, new_values[None], values)
                numbers[j] = (f_new, bad_new)
                accepted = ratio > 0.1
                if ratio > 0.75 and length > 0.9 * radius:
                    radius *= 1.5
            if told(merit.full(x), f, nfev=objective.nfev, nit=k, maxcv=bad):
                status = 30
                break
            if accepted:
                continue
            if radius <= tol:
                break
            radius = max(0.5 * radius, tol) if radius > 3 * tol else tol
            points, values, numbers = corners(x)
    except TooManyCalls:
        status = 3
        numbers = locals().get("numbers", [])
        for i, (a, b) in enumerate(numbers):
            if a + price * b < f + price * bad:
                x, f, bad = points[i], a, b
    message = {
        1: "Return from COBYLA because the trust region radius reaches its lower bound.",
        2: "Return from COBYLA because the target function value is achieved.",
        -1: "Return from COBYLA because NaN was encountered.",
        3: "Return from COBYLA because the objective function has been evaluated MAXFUN times.",
        30: "Return from COBYLA because the callback function requested termination",
    }[status]
    success = status in (1, 2) and bad <= max(catol, tol)
    # SciPy's codes: 0 for the radius, 1 for the target.
    status = status - 1 if status in (1, 2) else status
    if status == 0 and not success:
        message = (
            "Did not converge to a solution satisfying the constraints. See `maxcv` for the magnitude of the violation."
        )
    report(disp, 0 if success else status, message, {"Function evaluations": objective.nfev}, None)
    return OptimizeResult(
        message=message, success=success, status=status, x=merit.full(x), fun=f, maxcv=bad, nfev=objective.nfev
    )


def cobyqa(
    objective: Objective, x: ndarray, bounds: Any, constraints: Any, told: Callback, disp: bool = False,
    maxfev: int | None = None, maxiter: int | None = None, f_target: float = -np.inf, feasibility_tol: float = 1e-8,
    initial_tr_radius: float = 1.0, final_tr_radius: float = 1e-6, scale: bool = False, **options: Any,
) -> OptimizeResult:  # fmt: skip
    """Quadratic models: slopes and curvatures along the axes at the scale of the region, and updates between them."""
    unknown_options(options)
    x = x.astype(np.float64)
    x = x if bounds is None else cp.clip(x, *bounds)
    n = x.size
    maxfev = 500 * n if maxfev is None else maxfev
    maxiter = 1000 * n if maxiter is None else maxiter
    for value, what in ((maxfev, "function evaluations"), (maxiter, "iterations")):
        if value <= 0:
            raise ValueError(f"The maximum number of {what} must be positive, got {value}.")
    merit = _Merit(objective, x, bounds, constraints, maxfev)
    whole, bounds, x = merit.whole, merit.bounds, merit.reduced(x)
    n = x.size
    radius, price, k, status = initial_tr_radius, 1.0, 0, 0
    scale_of = radius
    h = cp.eye(n)
    best, f, bad = merit(x)
    last: Any = None
    try:
        while True:
            if f <= f_target and bad <= feasibility_tol:
                status = 1
                break
            if k >= maxiter:
                status = 6
                break
            k += 1
            # Slopes at the scale of the region; central where there is room on both sides.
            steps = _directions(x, bounds, scale_of)
            up = [merit(x + steps[i]) for i in range(n)]
            lift = cp.diagonal(steps)
            one = cp.stack([v for v, _, _ in up])
            back = x[None] - steps
            room = cp.ones(n, bool) if bounds is None else cp.all((back >= bounds[0]) & (back <= bounds[1]), axis=1)
            opposite = cp.where(room[:, None], back, x[None] + 0.5 * steps)
            down = [merit(opposite[i]) for i in range(n)]
            two = cp.stack([v for v, _, _ in down])
            central = (one - two) / (2 * lift)[:, None]
            sided = (4 * two - one - 3 * best) / lift[:, None]
            slopes = cp.where(room[:, None], central, sided).T
            curvature = cp.where(room[:, None], one - 2 * best + two, 4 * (one - 2 * two + best)) / (lift**2)[:, None]
            candidates = [(f + price * bad, None), *((a + price * b, i) for i, (_, a, b) in enumerate(up + down))]
            top = min((c for c in candidates if math.isfinite(c[0])), default=candidates[0], key=lambda c: c[0])
            y = last[2] if last is not None else cp.zeros(whole.count_eq)
            z = last[3] if last is not None else cp.zeros(best.size - 1 - whole.count_eq)
            weights = cp.concatenate([cp.ones(1), -y, -z])
            lagrangian = weights @ slopes
            if last is not None:
                s, dl = x - last[0], lagrangian - weights @ last[1]
                hs = h @ s
                sy, shs, ss = cp.stack([cp.sum(s * dl), cp.sum(s * hs), cp.sum(s * s)]).tolist()
                if ss > 0 and shs > 0 and math.isfinite(sy):
                    theta = 1.0 if sy >= 0.2 * shs else 0.8 * shs / (shs - sy)
                    r, sr = theta * dl + (1 - theta) * hs, theta * sy + (1 - theta) * shs
                    h = h - hs[:, None] * hs[None, :] / shs + r[:, None] * r[None, :] / sr
            else:
                h = cp.diag(cp.clip(curvature @ weights, 1e-3, 1e8))
            if not bool(cp.all(cp.isfinite(slopes)) & cp.all(cp.isfinite(h))):
                h = cp.eye(n)
                slopes = cp.where(cp.isfinite(slopes), slopes, 0)
            moved = False
            for _ in range(8):
                d, y, z = _step(h, slopes, best, whole.count_eq, x, bounds, radius, max(1e4, 10 * price))
                largest = [float(cp.max(abs(v))) for v in (y, z) if v.size]
                price = max([price, *(1.5 * v for v in largest if v < 1e8)])
                linear = best + slopes @ d
                model = linear[0] + 0.5 * cp.sum(d * (h @ d))
                ahead = cp.concatenate(
                    [cp.zeros(1), abs(linear[1 : 1 + whole.count_eq]), -linear[1 + whole.count_eq :]]
                )
                length, value, worst = cp.stack([cp.max(abs(d)), model, cp.max(ahead)]).tolist()
                predicted = f + price * bad - value - price * worst
                if not predicted > 0 or length < 0.01 * final_tr_radius:
                    break
                new_values, f_new, bad_new = merit(x + d)
                actual = f + price * bad - f_new - price * bad_new
                ratio = actual / predicted if math.isfinite(actual) else -1.0
                if ratio > 0.1:
                    last = (x, slopes, y, z)
                    x, best, f, bad = x + d, new_values, f_new, bad_new
                    moved = True
                    if ratio > 0.7 and length > 0.9 * radius:
                        radius *= 2
                    scale_of = max(min(scale_of, 0.5 * length), 0.1 * final_tr_radius)
                    break
                radius = max(0.25 * min(radius, length), 1e-3 * final_tr_radius)
            if told(merit.full(x), f, nfev=objective.nfev, nit=k, maxcv=bad):
                status = 3
                break
            if not moved:
                if top[1] is not None and top[0] < f + price * bad - 1e-15 * abs(f):
                    i = top[1]
                    source = (x + steps[i]) if i < n else opposite[i - n]
                    x, (best, f, bad) = source, (up + down)[i]
                    last = None
                if scale_of <= final_tr_radius:
                    break
                scale_of = max(0.1 * scale_of, final_tr_radius)
                radius = max(radius, 10 * scale_of)
    except TooManyCalls:
        status = 5
    message = {
        0: "The lower bound for the trust-region radius has been reached",
        1: "The target objective function value has been reached",
        3: "The callback requested to stop the optimization procedure",
        5: "The maximum number of function evaluations has been exceeded",
        6: "The maximum number of iterations has been exceeded",
    }[status]
    success = status in (0, 1) and bad <= max(feasibility_tol, 1e-6) and math.isfinite(f)
    if status == 0 and not success and math.isfinite(f):
        status = 8
    report(disp, 0 if success else status, message, {"Function evaluations": objective.nfev}, None)
    return OptimizeResult(
        message=message, success=success, status=status, x=merit.full(x), fun=f, maxcv=bad, nfev=objective.nfev, nit=k
    )
