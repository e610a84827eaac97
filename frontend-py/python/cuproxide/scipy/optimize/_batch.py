"""Independent problems that advance together: least squares, BFGS, the simplex."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device
from ..._lib.lending import shielded, shielded_if
from ._differences import as_values
from ._results import EPSILON, STATUS, Callback, OptimizeResult, unknown_options

# Iterations between two looks at how many problems go on.
LOOK = 4


@k.kernel
def _damped(scratch: k.Out[2], matrix: k.Array[2], right: k.Array[1], damping: k.Each, step: k.Out[1]):
    """Solves `(A + damping * diag(A)) p = -g` by Cholesky's method, one problem a thread; false where it is not
    definite."""
    n = right.shape[0]
    good = damping == damping
    for i in k.steps(n):
        for j in k.steps(i + 1):
            total = matrix[i, j]
            if i == j:
                total = total + damping * k.where(total > 0, total, total * 0.0 + 1.0)
            for at in k.steps(j):
                total = total - scratch[i, at] * scratch[j, at]
            if i == j:
                good = good & (total > 0)
                scratch[i, j] = k.sqrt(k.where(total > 0, total, total * 0.0 + 1.0))
            else:
                scratch[i, j] = total / scratch[j, j]
    for i in k.steps(n):
        total = -right[i]
        for at in k.steps(i):
            total = total - scratch[i, at] * step[at]
        step[i] = total / scratch[i, i]
    for r in k.steps(n):
        i = n - 1 - r
        total = step[i]
        for at in k.steps(r):
            total = total - scratch[n - 1 - at, i] * step[n - 1 - at]
        step[i] = total / scratch[i, i]
    return good


def inverse_of(matrices: ndarray) -> tuple[ndarray, ndarray]:
    """The inverses of definite matrices, and which of them are regular."""
    problems, n = matrices.shape[0], matrices.shape[-1]
    scale = cp.sqrt(cp.maximum(cp.diagonal(matrices, axis1=1, axis2=2), 1e-300))
    scaled = matrices / scale[:, :, None] / scale[:, None, :]
    columns = []
    regular = cp.ones(problems, bool)
    for i in range(n):
        right = cp.zeros((problems, n), matrices.dtype)
        right[:, i] = -1.0
        step, scratch = cp.zeros_like(right), cp.zeros_like(matrices)
        good = _damped(scratch, scaled, right, cp.zeros(problems, matrices.dtype), step)
        pivots = cp.min(cp.diagonal(scratch, axis1=1, axis2=2), axis=1)
        regular = regular & good & (pivots > 1e-8)
        columns.append(step)
    inverse = cp.stack(columns, axis=2) / scale[:, :, None] / scale[:, None, :]
    return inverse, regular & cp.all(cp.isfinite(inverse), axis=(1, 2))


def least_squares_batch(
    fun: Callable[..., Any], x: ndarray, jac: Any, bounds: Any, ftol: float, xtol: float, gtol: float, most: int | None,
    args: Any, kwargs: Any, diff_step: Any,
) -> OptimizeResult:  # fmt: skip
    """Levenberg and Marquardt's method on all problems: one damping for each, steps projected to the bounds."""
    if x.ndim != 2:
        raise ValueError(f"`x0` of a batch must have two axes, got {x.ndim}")
    fun, jac = shielded(fun), shielded_if(jac)
    problems, n = x.shape
    low, high = (bounds.lb, bounds.ub) if hasattr(bounds, "lb") else bounds
    low, high = as_device(low).astype(x.dtype), as_device(high).astype(x.dtype)
    bounded = bool(cp.any(cp.isfinite(low)) | cp.any(cp.isfinite(high)))
    if bounded and bool(cp.any(low >= high)):
        raise ValueError("Each lower bound must be strictly less than each upper bound.")
    if bounded and bool(cp.any((x < low) | (x > high))):
        raise ValueError("Initial guess is outside of provided bounds")
    calls = [0, 0]

    def values(x: ndarray) -> ndarray:
        calls[0] += 1
        found = as_values(fun(x, *args, **kwargs))
        if found.ndim != 2 or found.shape[0] != problems:
            raise ValueError(f"`fun` of a batch must return an array of shape ({problems}, m), got {found.shape}")
        return found

    eps = float(np.finfo(x.dtype).eps)

    def jacobian(x: ndarray, f: ndarray) -> ndarray:
        calls[1] += 1
        if callable(jac):
            return as_device(jac(x, *args, **kwargs))
        columns = []
        for i in range(n):
            column = x[:, i]
            size = eps**0.5 * cp.maximum(1.0, abs(column)) if diff_step is None else abs(column) * diff_step + eps
            h = size * cp.where(column >= 0, 1.0, -1.0)
            if bounded:
                beyond = (column + h > cp.broadcast_to(high, (n,))[i]) | (column + h < cp.broadcast_to(low, (n,))[i])
                h = cp.where(beyond, -h, h)
            moved = column + h
            new = cp.concatenate([x[:, :i], moved[:, None], x[:, i + 1 :]], axis=1)
            columns.append((values(new) - f) / (moved - column)[:, None])
        return cp.stack(columns, axis=2)

    most = 100 * n if most is None else most
    f = values(x)
    if not bool(cp.all(cp.isfinite(f))):
        raise ValueError("Residuals are not finite in the initial point.")
    cost = 0.5 * cp.sum(f * f, axis=1)
    damping = cp.full(problems, 1e-3, x.dtype)
    growth = cp.full(problems, 2.0, x.dtype)
    status = cp.zeros(problems, np.int32)
    tries = cp.zeros(problems, np.int32)
    j = jacobian(x, f)
    iteration = 0
    while True:
        normal = cp.einsum("bmi,bmj->bij", j, j)
        g = cp.einsum("bmi,bm->bi", j, f)
        pinned = g
        if bounded:
            at = ((x <= low) & (g > 0)) | ((x >= high) & (g < 0))
            pinned = cp.where(at, 0, g)
            # What a bound holds takes no part in the step.
            keep = ~at
            normal = cp.where(keep[:, :, None] & keep[:, None, :], normal, 0)
        small = cp.max(abs(pinned), axis=1) < gtol
        status = cp.where((status == 0) & small, 1, status)
        if iteration % LOOK == 0 and int(cp.count_nonzero(status == 0)) == 0:
            break
        if iteration >= most:
            break
        iteration += 1
        step = cp.zeros_like(x)
        good = _damped(cp.zeros_like(normal), normal, pinned, damping, step)
        new = x + step
        if bounded:
            new = cp.clip(new, low, high)
            step = new - x
        active = status == 0
        new = cp.where(active[:, None] & good[:, None] & cp.isfinite(step), new, x)
        step = new - x
        f_new = values(new)
        cost_new = 0.5 * cp.sum(f_new * f_new, axis=1)
        # The model needs the small matrices only: what a bound holds does not move.
        bend = cp.sum(normal * step[:, None, :], axis=2)
        predicted = -cp.sum(step * (g + 0.5 * bend), axis=1)
        actual = cost - cost_new
        ratio = cp.where(predicted > 0, actual / cp.where(predicted > 0, predicted, 1), 0)
        better = active & good & (actual > 0) & cp.isfinite(cost_new)
        length, size = cp.sqrt(cp.sum(step * step, axis=1)), cp.sqrt(cp.sum(x * x, axis=1))
        by_f = (abs(actual) < ftol * cost) & (predicted < ftol * cost) & good
        by_x = (length < xtol * (xtol + size)) & good
        ended = cp.where(by_f & by_x, 4, cp.where(by_f, 2, cp.where(by_x, 3, 0)))
        status = cp.where(active, ended, status).astype(np.int32)
        # Nielsen's rule: the damping falls smoothly with the ratio and rises ever faster.
        fall = cp.maximum(1 / 3, 1 - (2 * ratio - 1) ** 3)
        damping = cp.where(active, cp.where(better, damping * fall, damping * growth), damping)
        damping = cp.clip(damping, 1e-15, 1e30)
        growth = cp.where(better, 2.0, cp.minimum(growth * 2, 64.0))
        tries = tries + active
        x, f, cost = (
            cp.where(better[:, None], new, x),
            cp.where(better[:, None], f_new, f),
            cp.where(better, cost_new, cost),
        )
        j = jacobian(x, f)
    g = cp.einsum("bmi,bm->bi", j, f)
    mask = cp.where(x <= low, -1, cp.where(x >= high, 1, 0)) if bounded else cp.zeros((problems, n), np.int64)
    held = (mask * g < 0) if bounded else cp.zeros((problems, n), bool)
    optimality = cp.max(cp.where(held, 0, abs(g)), axis=1)
    return OptimizeResult(
        message="The status of each problem is that of `least_squares`.", success=status > 0, status=status, fun=f, x=x,
        cost=cost, jac=j, grad=g, optimality=optimality, active_mask=mask, nfev=calls[0], njev=calls[1], nit=tries,
    )  # fmt: skip


def _gradient(fun: Any, jac: Any, args: Any, bounds: Any) -> Any:
    def by_differences(x: ndarray, f: ndarray) -> ndarray:
        columns = []
        for i in range(x.shape[1]):
            h = EPSILON
            if bounds is not None:
                h = cp.where(x[:, i] + EPSILON > bounds[1][i], -EPSILON, EPSILON)
            moved = x[:, i] + h
            new = cp.concatenate([x[:, :i], moved[:, None], x[:, i + 1 :]], axis=1)
            columns.append((as_values(fun(new, *args)) - f) / (moved - x[:, i]))
        return cp.stack(columns, axis=1)

    if callable(jac):
        return lambda x, f: as_device(jac(x, *args))
    return by_differences


def minimize_batch(
    fun: Callable[..., Any],
    x0: Any,
    args: Any,
    method: Any,
    jac: Any,
    bounds: Any,
    tol: Any,
    callback: Any,
    options: Any,
) -> OptimizeResult:
    """`minimize` for the rows of an array."""
    x = as_device(x0)
    if x.ndim != 2:
        raise ValueError(f"`x0` of a batch must have two axes, got {x.ndim}")
    x = cp.array(x, x.dtype if x.dtype.kind == "f" and x.dtype.itemsize >= 4 else np.float64)
    name = "bfgs" if method is None and bounds is None else "l-bfgs-b" if method is None else str(method).lower()
    options = dict(options or {})
    limits = None
    if bounds is not None:
        from ._constraints import bounds_of

        limits = bounds_of(bounds, x.shape[1])
    told, fun, jac = Callback(callback), shielded(fun), shielded_if(jac)
    if name == "nelder-mead":
        return _simplex(fun, x, args, limits, tol, told, options)
    if name not in ("bfgs", "l-bfgs-b"):
        raise ValueError(f"a batch is minimised by 'BFGS', 'L-BFGS-B' or 'Nelder-Mead', not by {method!r}")
    if name == "bfgs" and limits is not None:
        raise ValueError("Method BFGS cannot handle bounds.")
    if jac is True:
        both = fun
        fun = lambda x, *rest: both(x, *rest)[0]  # noqa: E731
        jac = lambda x, *rest: both(x, *rest)[1]  # noqa: E731
    return _quasi_newton(fun, _gradient(fun, jac, args, limits), x, args, limits, tol, told, options, name)


def _quasi_newton(
    fun: Any,
    gradient: Any,
    x: ndarray,
    args: Any,
    limits: Any,
    tol: Any,
    told: Callback,
    options: dict[str, Any],
    name: str,
) -> OptimizeResult:
    """Quasi-Newton steps with an inverse Hessian or a memory for each problem, and backtracking by parabolas."""
    gtol = options.pop("gtol", 1e-5 if tol is None else tol)
    ftol = options.pop("ftol", 2.220446049250313e-09 if tol is None else tol) if name == "l-bfgs-b" else -1.0
    maxiter = options.pop("maxiter", 200 * x.shape[1] if name == "bfgs" else 15000)
    memory = int(options.pop("maxcor", 10))
    for ignored in ("maxfun", "maxls", "eps", "disp", "norm"):
        options.pop(ignored, None)
    unknown_options(options)
    problems, n = x.shape
    if limits is not None:
        x = cp.clip(x, *limits)
    calls = [1, 1]
    f = as_values(fun(x, *args))
    if f.shape != (problems,):
        raise ValueError(f"`fun` of a batch must return an array of shape ({problems},), got {f.shape}")
    g = gradient(x, f)
    dense = name == "bfgs"
    h = cp.array(cp.broadcast_to(cp.eye(n, dtype=x.dtype), (problems, n, n))) if dense else None
    pairs: list[tuple[ndarray, ndarray, ndarray]] = []
    status = cp.full(problems, -1, np.int32)
    nit = cp.zeros(problems, np.int32)
    taken = 0

    def dot(a: ndarray, b: ndarray) -> ndarray:
        return cp.sum(a * b, axis=1)

    def projected(x: ndarray, g: ndarray) -> ndarray:
        return g if limits is None else x - cp.clip(x - g, *limits)

    while True:
        size = cp.max(abs(projected(x, g)), axis=1)
        status = cp.where((status < 0) & (size <= gtol), 0, status)
        status = cp.where((status < 0) & ~cp.isfinite(f + size), 3, status)
        if taken % LOOK == 0 and int(cp.count_nonzero(status < 0)) == 0:
            break
        if taken >= maxiter:
            status = cp.where(status < 0, 1, status)
            break
        taken += 1
        active = status < 0
        free = cp.ones_like(x)
        if limits is not None:
            free = cp.where(((x <= limits[0]) & (g > 0)) | ((x >= limits[1]) & (g < 0)), 0.0, 1.0).astype(x.dtype)
        gf = g * free
        if dense:
            p = -cp.einsum("bij,bj->bi", h, g)
        else:
            p = -_two_loops(gf, pairs, dot) * free
        slope = dot(p, g)
        p = cp.where((slope < 0)[:, None], p, -gf)
        slope = cp.where(slope < 0, slope, -dot(gf, gf))
        step = cp.where(active, 1.0, 0.0).astype(x.dtype)
        if taken == 1:
            step = cp.where(active, cp.minimum(1.0, 1.0 / cp.sqrt(cp.maximum(-slope, 1e-300))), 0.0).astype(x.dtype)
        # Backtracking, and doubling where the slope is still steep: a fixed number of attempts, without a read.
        best_x, best_f, done = x, f, ~active
        for attempt in range(20):
            point = x + step[:, None] * p
            point = point if limits is None else cp.clip(point, *limits)
            value = as_values(fun(point, *args))
            calls[0] += 1
            decrease = dot(g, point - x)
            fits = cp.isfinite(value) & (value <= f + 1e-4 * decrease)
            take = fits & ~done
            best_x, best_f = cp.where(take[:, None], point, best_x), cp.where(take, value, best_f)
            done = done | take
            if attempt % 5 == 4 and bool(cp.all(done)):
                break
            rise = value - f - slope * step
            ratio = cp.where(cp.isfinite(rise) & (rise > 0), -0.5 * slope * step / cp.where(rise > 0, rise, 1), 0.25)
            step = cp.where(done, step, step * cp.clip(ratio, 0.1, 0.5))
            if attempt == 0 and bool(cp.all(done)):
                break
        stuck = active & ~done
        g_new = gradient(best_x, best_f)
        calls[1] += 1
        s, y = best_x - x, g_new - g
        sy, yy = dot(s, y), dot(y, y)
        usable = active & done & (sy > 1e-10 * cp.sqrt(dot(s, s) * yy))
        rho = cp.where(usable, 1 / cp.where(usable, sy, 1), 0).astype(x.dtype)
        if dense:
            if taken == 1:
                scale = cp.where(usable, sy / cp.where(yy > 0, yy, 1), 1)
                h = h * scale[:, None, None]
            hy = cp.einsum("bij,bj->bi", h, y)
            cross = hy[:, :, None] * s[:, None, :]
            square = s[:, :, None] * s[:, None, :]
            r = rho[:, None, None]
            h = h - r * (cross + cp.swapaxes(cross, 1, 2)) + (r * r * dot(y, hy)[:, None, None] + r) * square
        else:
            pairs.append((s, y, rho))
            del pairs[:-memory]
        change = f - best_f
        flat = active & done & (change <= ftol * cp.maximum(cp.maximum(abs(f), abs(best_f)), 1.0))
        status = cp.where(stuck, 2, cp.where(flat, 0, status)).astype(np.int32)
        nit = nit + active
        x, f, g = best_x, best_f, g_new
        if told and told(x, f):
            break
    status = cp.where(status < 0, 1, status).astype(np.int32)
    return OptimizeResult(
        message=STATUS["success"] if bool(cp.all(status == 0)) else "Some problems did not converge: see `status`.",
        success=status == 0, status=status, fun=f, x=x, jac=g, nit=nit, nfev=calls[0], njev=calls[1],
    )  # fmt: skip


def _two_loops(g: ndarray, pairs: list[Any], dot: Any) -> ndarray:
    q, alphas = g, []
    for s, y, rho in reversed(pairs):
        alphas.append(rho * dot(s, q))
        q = q - alphas[-1][:, None] * y
    scale = cp.ones(g.shape[0], g.dtype)
    for s, y, rho in pairs:
        scale = cp.where(rho > 0, dot(s, y) / cp.maximum(dot(y, y), 1e-300), scale)
    q = q * scale[:, None]
    for (s, y, rho), alpha in zip(pairs, reversed(alphas), strict=True):
        q = q + s * (alpha - rho * dot(y, q))[:, None]
    return q


def _simplex(
    fun: Any, x: ndarray, args: Any, limits: Any, tol: Any, told: Callback, options: dict[str, Any]
) -> OptimizeResult:
    """Nelder and Mead's method on all problems: all trial points are evaluated, each problem takes the one that it
    needs."""
    xatol = options.pop("xatol", 1e-4 if tol is None else tol)
    fatol = options.pop("fatol", 1e-4 if tol is None else tol)
    problems, n = x.shape
    maxiter = options.pop("maxiter", 200 * n)
    for ignored in ("maxfev", "disp", "adaptive"):
        options.pop(ignored, None)
    unknown_options(options)
    calls = 0

    def inside(v: ndarray) -> ndarray:
        return v if limits is None else cp.clip(v, *limits)

    def value(v: ndarray) -> ndarray:
        nonlocal calls
        calls += 1
        found = as_values(fun(inside(v), *args))
        if found.shape != (problems,):
            raise ValueError(f"`fun` of a batch must return an array of shape ({problems},), got {found.shape}")
        return found

    x = inside(x)
    corners = [x]
    for i in range(n):
        moved = cp.where(x[:, i] != 0, 1.05 * x[:, i], 0.00025)
        if limits is not None:
            # Reflected at the upper bound, so that the simplex has an inside.
            moved = cp.where(moved > limits[1][i], 2 * limits[1][i] - moved, moved)
        corners.append(inside(cp.concatenate([x[:, :i], moved[:, None], x[:, i + 1 :]], axis=1)))
    values = cp.stack([value(c) for c in corners], axis=1)
    sim = cp.stack(corners, axis=1)
    status = cp.full(problems, -1, np.int32)
    nit = cp.ones(problems, np.int32)
    taken = 1
    while True:
        order = cp.argsort(values, axis=1)
        values = cp.take_along_axis(values, order, axis=1)
        sim = cp.take_along_axis(sim, order[:, :, None], axis=1)
        close = (cp.max(abs(values[:, :1] - values[:, 1:]), axis=1) <= fatol) & (
            cp.max(abs(sim[:, 1:] - sim[:, :1]), axis=(1, 2)) <= xatol
        )
        status = cp.where((status < 0) & close, 0, status).astype(np.int32)
        if taken % LOOK == 0 and int(cp.count_nonzero(status < 0)) == 0:
            break
        if taken >= maxiter:
            break
        taken += 1
        active = status < 0
        nit = nit + active
        centre, last = cp.mean(sim[:, :-1], axis=1), sim[:, -1]
        away = centre - last
        first, second, worst = values[:, 0], values[:, -2], values[:, -1]
        reflected = inside(centre + away)
        fr = value(reflected)
        # One more point for each: further out, or a contraction outside or inside.
        factor = cp.where(fr < first, 2.0, cp.where(fr < worst, 0.5, -0.5))
        other = inside(centre + factor[:, None] * away)
        fo = value(other)
        expand = fr < first
        plain = ~expand & (fr < second)
        contract = ~expand & ~plain
        take_other = (expand & (fo < fr)) | (contract & (fo <= cp.where(fr < worst, fr, worst)) & (fo < worst))
        take_reflected = (expand & ~take_other) | plain
        shrink = active & contract & ~take_other
        point = cp.where(take_other[:, None], other, cp.where(take_reflected[:, None], reflected, last))
        best = cp.where(take_other, fo, cp.where(take_reflected, fr, worst))
        point, best = cp.where(active[:, None], point, last), cp.where(active, best, worst)
        sim = cp.concatenate([sim[:, :-1], point[:, None]], axis=1)
        values = cp.concatenate([values[:, :-1], best[:, None]], axis=1)
        if bool(cp.any(shrink)):
            smaller = inside(sim[:, :1] + 0.5 * (sim - sim[:, :1]))
            fresh = cp.stack([values[:, 0], *(value(smaller[:, j]) for j in range(1, n + 1))], axis=1)
            sim = cp.where(shrink[:, None, None], smaller, sim)
            values = cp.where(shrink[:, None], fresh, values)
        if told and told(sim[:, 0], values[:, 0]):
            break
    status = cp.where(status < 0, 2, status).astype(np.int32)
    return OptimizeResult(
        message=STATUS["success"] if bool(cp.all(status == 0)) else "Some problems did not converge: see `status`.",
        success=status == 0,
        status=status,
        fun=values[:, 0],
        x=sim[:, 0],
        nit=nit,
        nfev=calls,
        final_simplex=(sim, values),
    )
