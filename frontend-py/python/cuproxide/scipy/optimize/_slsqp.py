"""Sequential quadratic programming."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import to_host
from ..._lib.categories import category
from ._constraints import Constraints, LinearConstraint, NonlinearConstraint
from ._differences import Objective
from ._hessian_updates import BFGS
from ._quadratic import solve_elastic, solve_qp
from ._results import Callback, OptimizeResult, OptimizeWarning, unknown_options

_MESSAGES = {
    0: "Optimization terminated successfully",
    4: "Inequality constraints incompatible",
    8: "Positive directional derivative for linesearch",
    9: "Iteration limit reached",
    # SciPy's code for these functions, which its subproblems do not survive.
    7: "NaN result encountered.",
}


def _warn_of_options(constraints: Any) -> None:
    """A warning of what constraints ask for and this method has not."""
    items = constraints if isinstance(constraints, (list, tuple)) else [constraints]
    for item in items:
        text = ""
        if isinstance(item, LinearConstraint) and bool(cp.any(item.keep_feasible)):
            text = "Constraint option `keep_feasible` is ignored by this method."
        elif isinstance(item, NonlinearConstraint) and (
            item.finite_diff_jac_sparsity is not None
            or item.finite_diff_rel_step is not None
            or not isinstance(item.hess, BFGS)
            or np.any(to_host(item.keep_feasible))
        ):
            text = (
                "Constraint options `finite_diff_jac_sparsity`, `finite_diff_rel_step`, `keep_feasible`, and `hess` "
                "are ignored by this method."
            )
        if text:
            warnings.warn(text, category(OptimizeWarning), stacklevel=5)


def bound_rows(x: ndarray, bounds: Any) -> tuple[ndarray, ndarray]:
    """The finite bounds of a step as rows of inequalities."""
    n = x.size
    if bounds is None:
        return cp.empty((0, n)), cp.empty(0)
    low, high = bounds
    below, above = (np.flatnonzero(np.isfinite(to_host(v))) for v in (low, high))
    unit = cp.eye(n)
    rows = cp.concatenate([unit[cp.asarray(below)], -unit[cp.asarray(above)]])
    return rows, cp.concatenate([(low - x)[cp.asarray(below)], (x - high)[cp.asarray(above)]])


def slsqp(
    objective: Objective,
    x: ndarray,
    bounds: Any,
    constraints: Any,
    told: Callback,
    ftol: float = 1e-6,
    maxiter: int = 100,
    disp: bool = False,
    iprint: int = 1,
    **options: Any,
) -> OptimizeResult:
    """Quadratic programs with a damped BFGS matrix, and a line search on the exact penalty function (Han, Powell)."""
    unknown_options(options)
    _warn_of_options(constraints)
    dtype = x.dtype
    x = x.astype(np.float64)
    if bounds is not None:
        x = cp.clip(x, *bounds)
    whole = Constraints(constraints, x, bounds)
    n = x.size
    if whole.count_eq > n:
        return OptimizeResult(
            message="More equality constraints than independent variables",
            success=False,
            status=2,
            fun=objective(x),
            x=x,
            nit=1,
            jac=objective.gradient(x),
            nfev=objective.nfev,
            njev=objective.ngev,
            multipliers=cp.empty(0),
        )
    b = cp.eye(n)
    penalty, k, status, resets = 0.0, 0, 9, 0
    f = objective(x)
    g = objective.gradient(x).astype(np.float64)
    eq, ineq = whole.values(x)
    aeq, ain = whole.jacobians(x)
    y = z = cp.empty(0)

    def violation(eq: ndarray, ineq: ndarray) -> ndarray:
        total = cp.sum(abs(eq)) if eq.size else cp.zeros(())
        return total + cp.sum(cp.maximum(-ineq, 0)) if ineq.size else total

    shown = iprint if disp else 0
    if shown >= 2:
        print(f"{'NIT':>5} {'FC':>5} {'OBJFUN':>16} {'GNORM':>16}")
    bad, slopes = cp.stack([violation(eq, ineq) + cp.zeros(()), cp.sum(g)]).tolist()
    broken = not all(math.isfinite(number) for number in (f, bad, slopes))
    while k < maxiter:
        k += 1
        if broken:
            status = 7
            break
        rows, ends = bound_rows(x, bounds)
        c, e = cp.concatenate([ain, rows]), cp.concatenate([-ineq, ends])
        d, y, z, good = solve_qp(b, g, aeq, -eq, c, e)
        if not good:
            d, y, z, given = solve_elastic(b, g, aeq, -eq, c, e, 1e4 * (1 + abs(f)))
            if given > 0.999 and bad > ftol:
                status = 4
                break
        z_in = z[: ineq.size]
        largest = [cp.max(abs(v)) for v in (y, z_in) if v.size]
        comp = (cp.sum(abs(y * eq)) if eq.size else 0.0) + (cp.sum(abs(z_in * ineq)) if ineq.size else 0.0)
        slope, length, mults, comp = cp.stack(
            [
                cp.sum(g * d),
                cp.sqrt(cp.sum(d * d)),
                cp.max(cp.stack(largest)) if largest else cp.zeros(()),
                comp + cp.zeros(()),
            ]
        ).tolist()
        if (abs(slope) + comp < ftol or length < ftol) and bad < ftol:
            status = 0
            break
        penalty = max(1.0 * mults, 0.5 * (penalty + mults))
        merit0 = f + penalty * bad
        directional = slope - penalty * bad
        if directional >= 0:
            if resets >= 5:
                status = 8 if bad > ftol or abs(slope) > math.sqrt(ftol) else 0
                break
            resets += 1
            b = cp.eye(n)
            continue
        step, accepted = 1.0, False
        for _ in range(25):
            new = x + step * d
            if bounds is not None:
                new = cp.clip(new, *bounds)
            f_new = objective(new)
            eq_new, ineq_new = whole.values(new)
            bad_new = float(violation(eq_new, ineq_new))
            merit = f_new + penalty * bad_new
            if math.isfinite(merit) and merit <= merit0 + 0.1 * step * directional:
                accepted = True
                break
            rise = merit - merit0 - step * directional
            ratio = -0.5 * directional * step / rise if math.isfinite(merit) and rise > 0 else 0.1
            step *= min(max(ratio, 0.1), 0.5)
            if step * length < 1e-16:
                break
        if not accepted:
            if resets >= 5:
                status = 0 if bad < ftol and abs(directional) < 10 * ftol else 8
                break
            resets += 1
            b = cp.eye(n)
            continue
        g_new = objective.gradient(new).astype(np.float64)
        aeq_new, ain_new = whole.jacobians(new)
        s = new - x
        dl = (g_new - aeq_new.T @ y - ain_new.T @ z_in) - (g - aeq.T @ y - ain.T @ z_in)
        bs = b @ s
        sy, sbs = cp.stack([cp.sum(s * dl), cp.sum(s * bs)]).tolist()
        if sbs > 0:
            # Powell's damping keeps the matrix definite.
            theta = 1.0 if sy >= 0.2 * sbs else 0.8 * sbs / (sbs - sy)
            r = theta * dl + (1 - theta) * bs
            sr = theta * sy + (1 - theta) * sbs
            if sr > 0:
                b = b - bs[:, None] * bs[None, :] / sbs + r[:, None] * r[None, :] / sr
        change, moved = abs(f_new - f), step * length
        x, f, g, eq, ineq, aeq, ain, bad = new, f_new, g_new, eq_new, ineq_new, aeq_new, ain_new, bad_new
        if shown >= 2:
            print(f"{k:5d} {objective.nfev:5d} {f:16.6E} {float(cp.sqrt(cp.sum(g * g))):16.6E}")
        if told(x, f):
            break
        if (change < ftol or moved < ftol) and bad < ftol:
            status = 0
            break
        if not math.isfinite(f):
            status = 7
            break
    if shown >= 1:
        print(f"{_MESSAGES[status]}    (Exit mode {status})\n            Current function value:", f)
        for name, count in (("Iterations", k), ("Function evaluations", objective.nfev)):
            print(f"            {name}: {count}")
        print("            Gradient evaluations:", objective.ngev)
    return OptimizeResult(
        message=_MESSAGES[status], success=status == 0, status=status, fun=f, x=x.astype(dtype), nit=k, jac=g,
        nfev=objective.nfev, njev=objective.ngev, multipliers=cp.concatenate([y, z[: ineq.size]]),
    )  # fmt: skip
