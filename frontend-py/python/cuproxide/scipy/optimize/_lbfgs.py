"""Methods for many variables with bounds: limited-memory BFGS and truncated Newton steps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ._differences import Objective
from ._hessian_updates import LbfgsInvHessProduct
from ._line_search import along, more_thuente
from ._results import Callback, OptimizeResult, report, unknown_options


def _projected(x: ndarray, g: ndarray, bounds: Any) -> ndarray:
    """The gradient without what points out of the bounds."""
    if bounds is None:
        return g
    low, high = bounds
    return x - cp.clip(x - g, low, high)


class _Memory:
    """The last steps and changes of the gradient, with which a gradient is turned into a direction.

    The two loops of the method run on the products of all kept vectors, a small matrix that is read once an
    iteration; so a
    direction costs two matrix products, however many vectors there are.
    """

    def __init__(self, n: int, most: int, dtype: Any) -> None:
        self.most, self.count, self.next = most, 0, 0
        # Steps, changes of the gradient, and in the last row the gradient.
        self.rows = cp.zeros((2 * most + 1, n), dtype)

    def add(self, s: ndarray, y: ndarray) -> None:
        self.rows[self.next] = s
        self.rows[self.most + self.next] = y
        self.next = (self.next + 1) % self.most
        self.count = min(self.count + 1, self.most)

    def clear(self) -> None:
        self.count = self.next = 0

    def order(self) -> list[int]:
        """The places of the kept vectors, the oldest first."""
        return [(self.next - self.count + i) % self.most for i in range(self.count)]

    def direction(self, g: ndarray, free: ndarray | None, *more: ndarray) -> tuple[ndarray, float, list[float]]:
        """The direction, its slope, and more numbers of the device, read together with the products."""
        m = self.most
        self.rows[2 * m] = g if free is None else g * free
        rows = self.rows if free is None else self.rows * free
        products = (rows @ rows.T).astype(np.float64)
        read = cp.concatenate([products.reshape(-1), *(v.reshape(1).astype(np.float64) for v in more)]).get()
        gram = read[: products.size].reshape(products.shape)
        q = np.zeros(2 * m + 1)
        q[2 * m] = 1.0
        used, alphas = [], {}
        for i in self.order():
            sy, yy = gram[i, m + i], gram[m + i, m + i]
            if sy > 2.2e-16 * yy and math.isfinite(sy):
                used.append(i)
        for i in reversed(used):
            alphas[i] = float(gram[i] @ q) / gram[i, m + i]
            q[m + i] -= alphas[i]
        if used:
            i = used[-1]
            q *= gram[i, m + i] / gram[m + i, m + i]
        for i in used:
            beta = float(gram[m + i] @ q) / gram[i, m + i]
            q[i] += alphas[i] - beta
        slope = -float(gram[2 * m] @ q)
        return -(cp.asarray(q, dtype=rows.dtype) @ rows), slope, read[products.size :].tolist()

    def operator(self) -> LbfgsInvHessProduct:
        order = cp.asarray(np.array(self.order(), np.int64))
        return LbfgsInvHessProduct(self.rows[order], self.rows[self.most + order])


def _arc(
    objective: Objective, x: ndarray, p: ndarray, f: float, g: ndarray, bounds: Any, step: float, most: int = 20
) -> tuple[ndarray | None, float]:
    """A point on the projection of a direction that lowers the function enough (Bertsekas, 1982)."""
    low, high = bounds
    for _ in range(most):
        point = cp.clip(x + step * p, low, high)
        value, decrease, moved = objective.read(point, cp.sum(g * (point - x)), cp.max(abs(point - x)))
        if moved == 0:
            return None, f
        if math.isfinite(value) and value <= f + 1e-4 * decrease:
            return point, value
        if math.isfinite(value) and decrease < 0:
            # The minimum of the parabola with this slope and these values, within a tenth and a half.
            ratio = -0.5 * decrease / (value - f - decrease) if value - f - decrease > 0 else 0.5
            step *= min(max(ratio, 0.1), 0.5)
        else:
            step *= 0.25
    return None, f


def l_bfgs_b(
    objective: Objective,
    x: ndarray,
    bounds: Any,
    callback: Callback,
    maxcor: int = 10,
    ftol: float = 2.2204460492503131e-09,
    gtol: float = 1e-5,
    maxfun: int = 15000,
    maxiter: int = 15000,
    maxls: int = 20,
    disp: Any = None,
    **options: Any,
) -> OptimizeResult:
    """Limited-memory BFGS; bounds by projection of the steps of the free variables."""
    for name in ("iprint", "eps", "finite_diff_rel_step", "workers"):
        options.pop(name, None)
    unknown_options(options)
    if not maxls > 0:
        raise ValueError("maxls must be positive.")
    objective.most = math.inf
    memory = _Memory(x.size, maxcor, objective.dtype)
    if bounds is not None:
        x = cp.clip(x, *bounds)
    g = objective.gradient(x)
    size = cp.max(abs(_projected(x, g, bounds))) if x.size else cp.zeros(())
    f, gnorm = objective.read(x, size)
    k, message, status = 0, "", 2
    failed_before = False
    if not math.isfinite(f) or not math.isfinite(gnorm):
        message = "ABNORMAL: "
    elif gnorm <= gtol:
        message, status = "CONVERGENCE: NORM OF PROJECTED GRADIENT <= PGTOL", 0
    while not message:
        free = None
        if bounds is not None:
            low, high = bounds
            free = (~(((x <= low) & (g > 0)) | ((x >= high) & (g < 0)))).astype(objective.dtype)
        p, slope, _ = memory.direction(g, free)
        if slope >= 0:
            memory.clear()
            p, slope, _ = memory.direction(g, free)
        first = 1.0 if memory.count else min(1.0, 1.0 / math.sqrt(-slope)) if slope < 0 else 1.0
        keep: dict[float, Any] = {}
        if bounds is None:
            step, f_new, _ = more_thuente(
                along(objective, x, p, keep), f, slope, first, 1e-3, 0.9, 0.1, 0.0, 1e10, maxls
            )
            new = keep[step][0] if step else None
        else:
            new, f_new = _arc(objective, x, p, f, g, bounds, first, maxls)
        if new is None:
            if memory.count and not failed_before:
                # Once more from the plain gradient.
                memory.clear()
                failed_before = True
                continue
            message = "ABNORMAL: "
            break
        failed_before = False
        g_new = objective.gradient(new)
        s, y = new - x, g_new - g
        sy, yy, gnorm = cp.stack([cp.sum(s * y), cp.sum(y * y), cp.max(abs(_projected(new, g_new, bounds)))]).tolist()
        if sy > 2.2e-16 * yy:
            memory.add(s, y)
        change, scale = f - f_new, max(abs(f), abs(f_new), 1.0)
        x, f, g = new, f_new, g_new
        k += 1
        if callback(x, f):
            message, status = "CALLBACK REQUESTED HALT", 99
            break
        if gnorm <= gtol:
            message, status = "CONVERGENCE: NORM OF PROJECTED GRADIENT <= PGTOL", 0
        elif change <= ftol * scale:
            message, status = "CONVERGENCE: RELATIVE REDUCTION OF F <= FACTR*EPSMCH", 0
        elif k >= maxiter:
            message, status = "STOP: TOTAL NO. OF ITERATIONS REACHED LIMIT", 1
        elif objective.nfev > maxfun:
            message, status = "STOP: TOTAL NO. OF F,G EVALUATIONS EXCEEDS LIMIT", 1
        elif not math.isfinite(gnorm):
            message = "ABNORMAL: "
    report(disp, status, message, {"Iterations": k, "Function evaluations": objective.nfev}, None)
    return OptimizeResult(
        message=message, success=status == 0, status=status, fun=f, x=x, nit=k, jac=g, nfev=objective.nfev,
        njev=objective.ngev, hess_inv=memory.operator(),
    )  # fmt: skip


_TNC = {
    -1: "Infeasible (lower bound > upper bound)",
    0: "Local minimum reached (|pg| ~= 0)",
    1: "Converged (|f_n-f_(n-1)| ~= 0)",
    2: "Converged (|x_n-x_(n-1)| ~= 0)",
    3: "Max. number of function evaluations reached",
    4: "Linear search failed",
    5: "All lower bounds are equal to the upper bounds",
    6: "Unable to progress",
    7: "User requested end of minimization",
}


def tnc(
    objective: Objective, x: ndarray, bounds: Any, callback: Callback, maxCGit: int = -1, eta: float = -1,
    stepmx: float = 0, accuracy: float = 0, minfev: float = 0, ftol: float = -1, xtol: float = -1, gtol: float = -1,
    rescale: float = -1, scale: Any = None, offset: Any = None, disp: Any = False, maxfun: int | None = None,
    mesg_num: Any = None, **options: Any,
) -> OptimizeResult:  # fmt: skip
    """Newton steps of the free variables, truncated, with products by differences of the gradient."""
    for name in ("eps", "finite_diff_rel_step", "workers"):
        options.pop(name, None)
    unknown_options(options)
    eps = float(np.finfo(x.dtype).eps)
    n = x.size
    maxfun = max(100, 10 * n) if maxfun is None else maxfun
    maxCGit = max(1, min(50, n)) if maxCGit < 0 else maxCGit
    ftol = 0.0 if ftol < 0 else ftol
    xtol = math.sqrt(eps) if xtol < 0 else xtol
    gtol = 1e-2 * math.sqrt(accuracy or math.sqrt(eps)) if gtol < 0 else gtol
    if bounds is None:
        bounds = (cp.full_like(x, -np.inf), cp.full_like(x, np.inf))
    low, high = bounds
    by_differences = objective.given_jac is not True and not callable(objective.given_jac)
    # Variables with equal bounds are held there from the start.
    if by_differences and bool(cp.any(((x < low) | (x > high)) & (low < high))):
        raise ValueError("`x0` violates bound constraints.")
    x = cp.clip(x, low, high)
    g = objective.gradient(x)
    f, gnorm = objective.read(x, cp.max(abs(_projected(x, g, bounds))))
    # Gradients are measured by the first one.
    steepest = gnorm
    k, status = 0, None
    if not math.isfinite(f) or math.isnan(gnorm):
        status = 6
    elif gnorm <= eps * max(1.0, abs(f)):
        status = 0
    while status is None:
        free = (~(((x <= low) & (g > 0)) | ((x >= high) & (g < 0)))).astype(objective.dtype)
        r = g * free
        p, d = cp.zeros_like(x), -r
        rr = float(cp.sum(r * r))
        start, xx = rr, float(cp.sum(x * x))
        model = 0.0
        for inner in range(max(1, maxCGit)):
            if rr <= eps * start and inner:
                break
            dd = float(cp.sum(d * d))
            if dd == 0:
                break
            h = math.sqrt(eps) * (1 + math.sqrt(xx)) / math.sqrt(dd)
            saved = (objective.x, objective.f, objective.g, objective.gx)
            hd = (objective.gradient(x + h * d) - g) / h * free
            objective.x, objective.f, objective.g, objective.gx = saved
            curvature = float(cp.sum(d * hd))
            if curvature <= eps * dd:
                p = d if inner == 0 else p
                break
            alpha = rr / curvature
            p, r = p + alpha * d, r + alpha * hd
            new, lower = cp.stack([cp.sum(r * r), 0.5 * cp.sum((g + r) * p)]).tolist()
            d = -r + new / rr * d
            rr = new
            # The quadratic model hardly falls any more (Nash and Sofer, 1990).
            if inner and lower < 0 and (inner + 1) * (1 - model / lower) <= 0.5:
                break
            model = lower
        if not math.isfinite(rr):
            status = 4
            break
        point, value = _arc(objective, x, p, f, g, bounds, 1.0, 25)
        if point is None:
            point, value = _arc(objective, x, -g * free, f, g, bounds, 1.0, 25)
        if point is None:
            status = 1 if gnorm <= 1e-4 * max(1.0, abs(f)) else 4
            break
        moved, g = float(cp.max(abs(point - x))), objective.gradient(point)
        change = f - value
        x, f = point, value
        gnorm = float(cp.max(abs(_projected(x, g, bounds))))
        k += 1
        if callback(x, f):
            status = 7
        elif gnorm <= gtol * steepest:
            status = 0
        elif change <= ftol + eps * abs(f):
            status = 1
        elif moved <= xtol:
            status = 2
        elif objective.ngev >= maxfun:
            # Each gradient counts, also those by differences; SciPy has one count of functions with gradients.
            status = 3
    message = _TNC[status]
    report(disp, 0 if status in (0, 1, 2) else status, message, {"Iterations": k}, None)
    return OptimizeResult(
        message=message, success=-1 < status < 3, status=status, fun=f, x=x, nit=k, jac=g, nfev=objective.nfev,
    )  # fmt: skip
