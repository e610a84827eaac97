"""Methods without derivatives: the simplex of Nelder and Mead, Powell's directions."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import to_host
from ..._lib.categories import category
from ._differences import Objective
from ._results import STATUS, Callback, OptimizeResult, OptimizeWarning, TooManyCalls, report, unknown_options
from ._scalar import BracketError, _bounded, _brent


def _limits(n: int, maxiter: Any, maxfev: Any, each: int) -> tuple[float, float]:
    if maxiter is None and maxfev is None:
        return n * each, n * each
    if maxiter is None:
        return (n * each if maxfev == np.inf else np.inf), maxfev
    if maxfev is None:
        return maxiter, (n * each if maxiter == np.inf else np.inf)
    return maxiter, maxfev


def nelder_mead(
    objective: Objective, x: ndarray, bounds: Any, callback: Callback, maxiter: Any = None, maxfev: Any = None,
    disp: bool = False, return_all: bool = False, initial_simplex: Any = None, xatol: float = 1e-4, fatol: float = 1e-4,
    adaptive: bool = False, **options: Any,
) -> OptimizeResult:  # fmt: skip
    """The simplex method; the points are rows of an array of the device, their values are known to the host."""
    maxfun = options.pop("maxfun", None)
    maxfev = maxfun if maxfev is None else maxfev
    unknown_options(options)
    n = x.size
    rho, chi, psi, sigma = (1, 1 + 2 / n, 0.75 - 1 / (2 * n), 1 - 1 / n) if adaptive and n > 0 else (1, 2, 0.5, 0.5)

    def inside(v: ndarray) -> ndarray:
        return v if bounds is None else cp.clip(v, *bounds)

    if bounds is not None:
        if bool(cp.any((x < bounds[0]) | (x > bounds[1]))):
            warnings.warn("Initial guess is not within the specified bounds", category(OptimizeWarning), stacklevel=4)
        x = inside(x)
    if initial_simplex is None:
        corners = cp.where(x != 0, 1.05 * x, 0.00025)
        sim = cp.concatenate([x[None], cp.where(cp.eye(n, dtype=bool), corners[None], x[None])])
    else:
        sim = cp.atleast_2d(cp.array(cp.asarray(initial_simplex), objective.dtype))
        if sim.ndim != 2 or sim.shape[0] != sim.shape[1] + 1:
            raise ValueError("`initial_simplex` should be an array of shape (N+1,N)")
        if n != sim.shape[1]:
            raise ValueError("Size of `initial_simplex` is not consistent with `x0`")
    maxiter, maxfev = _limits(n, maxiter, maxfev, 200)
    objective.most = maxfev
    if bounds is not None:
        sim = inside(cp.where(sim > bounds[1], 2 * bounds[1] - sim, sim))
    values = np.full(n + 1, np.inf)
    try:
        found = []
        for k in range(n + 1):
            found.append(objective._call(sim[k]))
        values[:] = to_host(cp.stack(found))
    except TooManyCalls:
        values[: len(found)] = to_host(cp.stack(found)) if found else []

    def sort() -> None:
        nonlocal sim
        order = np.argsort(values, kind="stable")
        if np.any(order != np.arange(n + 1)):
            sim, values[:] = sim[cp.asarray(order)], values[order]

    def trial(v: ndarray) -> tuple[ndarray, float]:
        v = inside(v)
        return v, float(objective._call(v))

    sort()
    everything = [sim[0]] if return_all else None
    iteration = 1
    while objective.nfev < maxfev and iteration < maxiter:
        if np.max(np.abs(values[0] - values[1:])) <= fatol and float(cp.max(abs(sim[1:] - sim[0]))) <= xatol:
            break
        try:
            centre, last = cp.sum(sim[:-1], axis=0) / n, sim[-1]
            shrink = False
            point, value = trial((1 + rho) * centre - rho * last)
            if value < values[0]:
                further, best = trial((1 + rho * chi) * centre - rho * chi * last)
                if best < value:
                    point, value = further, best
            elif not value < values[-2]:
                if value < values[-1]:
                    outer, at = trial((1 + psi * rho) * centre - psi * rho * last)
                    shrink = not at <= value
                else:
                    outer, at = trial((1 - psi) * centre + psi * last)
                    shrink = not at < values[-1]
                point, value = outer, at
            if shrink:
                sim = inside(sim[:1] + sigma * (sim - sim[:1]))
                found = []
                try:
                    for j in range(1, n + 1):
                        found.append(objective._call(sim[j]))
                finally:
                    if found:
                        values[1 : len(found) + 1] = to_host(cp.stack(found))
            else:
                sim = cp.concatenate([sim[:-1], point[None]])
                values[-1] = value
            iteration += 1
        except TooManyCalls:
            pass
        sort()
        if everything is not None:
            everything.append(sim[0])
        if callback(sim[0], float(values[0])):
            break
    value = float(np.min(values)) if not np.isnan(values).any() else float(values[0])
    flag = 1 if objective.nfev >= maxfev else 2 if iteration >= maxiter else 0
    message = STATUS[("success", "maxfev", "maxiter")[flag]]
    if disp:
        if flag:
            warnings.warn(message, RuntimeWarning, stacklevel=4)
        else:
            counts = {"Iterations": iteration, "Function evaluations": objective.nfev}
            report(disp, 0, message, {"Current function value": value, **counts})
    found_result = OptimizeResult(
        message=message, success=flag == 0, status=flag, fun=value, x=sim[0], nit=iteration, nfev=objective.nfev,
        final_simplex=(sim, cp.asarray(values)),
    )  # fmt: skip
    if everything is not None:
        found_result["allvecs"] = everything
    return found_result


def powell(
    objective: Objective,
    x: ndarray,
    bounds: Any,
    callback: Callback,
    xtol: float = 1e-4,
    ftol: float = 1e-4,
    maxiter: Any = None,
    maxfev: Any = None,
    disp: bool = False,
    direc: Any = None,
    return_all: bool = False,
    **options: Any,
) -> OptimizeResult:
    """Line searches along a set of directions that adapts (Powell, 1964)."""
    unknown_options(options)
    n = x.size
    maxiter, maxfev = _limits(n, maxiter, maxfev, 1000)
    objective.most = maxfev
    directions = cp.eye(n, dtype=objective.dtype) if direc is None else cp.asarray(direc).astype(objective.dtype)
    if direc is not None and int(cp.linalg.matrix_rank(directions)) != n:
        warnings.warn(
            "direc input is not full rank, some parameters may not be optimized",
            category(OptimizeWarning),
            stacklevel=4,
        )
    if bounds is not None and bool(cp.any((x < bounds[0]) | (x > bounds[1]))):
        # The first line searches bring it inside.
        warnings.warn("Initial guess is not within the specified bounds", category(OptimizeWarning), stacklevel=4)
    everything = [x] if return_all else None

    def line(p: ndarray, direction: ndarray, value: float) -> tuple[float, ndarray, ndarray]:
        low, high = -math.inf, math.inf
        if bounds is not None:
            safe = cp.where(direction == 0, 1, direction)
            one, two = (bounds[0] - p) / safe, (bounds[1] - p) / safe
            still = direction == 0
            below = cp.where(still, -np.inf, cp.minimum(one, two))
            above = cp.where(still, np.inf, cp.maximum(one, two))
            low, high, longest = cp.stack([cp.max(below), cp.min(above), cp.max(abs(direction))]).tolist()
        else:
            longest = float(cp.max(abs(direction)))
        if longest == 0 or low > high or low == high == 0:
            # No step along it: a direction that stays in the corner of the bounds must not join the set.
            return value, p, cp.zeros_like(direction)
        f = lambda step: objective(p + step * direction)  # noqa: E731
        if low == high:
            at, best = low, f(low)
        elif math.isinf(low) and math.isinf(high):
            try:
                res = _brent(f, None, (), xtol=100 * xtol)
                at, best = res.x, res.fun
            except BracketError as error:
                xs, fs = error.data[:3], error.data[3:6]
                best = min(fs)
                at = xs[fs.index(best)]
        elif math.isfinite(low) and math.isfinite(high):
            res = _bounded(f, (low, high), (), xatol=xtol)
            at, best = res.x, res.fun
        else:
            # A half line is mapped to an interval.
            ends = math.atan(low), math.atan(high)
            res = _bounded(lambda angle: f(math.tan(angle)), ends, (), xatol=xtol)
            at, best = math.tan(res.x), res.fun
        return best, p + at * direction, at * direction

    f = objective(x)
    start, k, flag = x, 0, 0
    try:
        while True:
            before, largest, index = f, 0.0, 0
            for i in range(n):
                previous = f
                f, x, _ = line(x, directions[i], f)
                if previous - f > largest:
                    largest, index = previous - f, i
            k += 1
            if everything is not None:
                everything.append(x)
            if callback(x, f):
                break
            if 2.0 * (before - f) <= ftol * (abs(before) + abs(f)) + 1e-20:
                break
            if objective.nfev >= maxfev or k >= maxiter:
                break
            if math.isnan(before) and math.isnan(f):
                break
            move = x - start
            start = x
            reach = 1.0
            if bounds is not None:
                safe = cp.where(move == 0, 1, move)
                above = cp.maximum((bounds[0] - x) / safe, (bounds[1] - x) / safe)
                reach = min(1.0, float(cp.min(cp.where(move == 0, np.inf, above))))
            extended = objective(x + reach * move)
            if before > extended:
                t = 2.0 * (before + extended - 2.0 * f) * (before - f - largest) * (before - f - largest)
                t -= largest * (before - extended) * (before - extended)
                if t < 0.0:
                    f, x, moved = line(x, move, f)
                    if bool(cp.any(moved != 0)):
                        rows = [directions[i] for i in range(n)]
                        rows[index], rows[-1] = rows[-1], moved
                        directions = cp.stack(rows)
    except TooManyCalls:
        pass
    if bounds is not None and bool(cp.any((x < bounds[0]) | (x > bounds[1]))):
        flag, message = 4, STATUS["out_of_bounds"]
    elif objective.nfev >= maxfev:
        flag, message = 1, STATUS["maxfev"]
    elif k >= maxiter:
        flag, message = 2, STATUS["maxiter"]
    elif math.isnan(f) or bool(cp.any(cp.isnan(x))):
        flag, message = 3, STATUS["nan"]
    else:
        message = STATUS["success"]
    counts = {"Current function value": f, "Iterations": k, "Function evaluations": objective.nfev}
    report(disp, flag, message, counts, RuntimeWarning)
    found = OptimizeResult(
        message=message, success=flag == 0, status=flag, fun=f, x=x, nit=k, direc=directions, nfev=objective.nfev
    )
    if everything is not None:
        found["allvecs"] = everything
    return found
