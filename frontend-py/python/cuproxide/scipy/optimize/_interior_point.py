"""General constrained minima by an interior-point method."""

from __future__ import annotations

import math
import time
import warnings
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_host
from ..._lib.lending import shielded
from ._constraints import Constraints
from ._differences import METHODS, Objective, differences
from ._hessian_updates import BFGS, FLAT, HessianUpdateStrategy
from ._results import Callback, OptimizeResult, report
from ._slsqp import bound_rows

_MESSAGES = {
    0: "The maximum number of function evaluations is exceeded.",
    1: "`gtol` termination condition is satisfied.",
    2: "`xtol` termination condition is satisfied.",
    3: "`callback` function requested termination.",
    4: "Constraint violation exceeds 'gtol'",
}


class _Hessian:
    """The Hessian of the Lagrangian: exact where objective and constraints have one, else by updates."""

    def __init__(self, objective: Objective, hessp: Any, constraints: Any, whole: Constraints, n: int) -> None:
        self.objective, self.hessp, self.whole, self.n = objective, hessp, whole, n
        items = [] if constraints is None else constraints if isinstance(constraints, (list, tuple)) else [constraints]
        given = objective.given_hess
        curved = [item for item in items if isinstance(item, dict) or not hasattr(item, "A") and hasattr(item, "fun")]
        exact = callable(given) or hessp is not None or (isinstance(given, str) and given in METHODS)
        self.exact = exact and all(callable(getattr(item, "hess", None)) for item in curved)
        self.items = items
        if not self.exact:
            self.update = given if isinstance(given, HessianUpdateStrategy) else BFGS("damp_update")
            self.update.initialize(n, "hess")
        self.parts: list[Any] = []
        if self.exact:
            for item, part in zip(items, whole.parts, strict=True):
                self.parts.append(
                    (getattr(item, "hess", None) if callable(getattr(item, "hess", None)) else None, part)
                )

    def __call__(self, x: ndarray, y: ndarray, z: ndarray) -> ndarray:
        if not self.exact:
            return self.update.get_matrix()
        if self.hessp is not None and not callable(self.objective.given_hess):
            unit = cp.eye(self.n)
            columns = [as_device(shielded(self.hessp, 2)(x, unit[i], *self.objective.args)) for i in range(self.n)]
            self.objective.nhev += 1
            h = cp.stack(columns, axis=1).astype(np.float64)
        else:
            h = self.objective.hessian(x).astype(np.float64)
        at_eq = at_in = 0
        for hess, (_, _, equal, below, above, *_) in self.parts:
            v = np.zeros(equal.size)
            for mask, source, sign in ((equal, y, -1.0), (below, z, -1.0), (above, z, 1.0)):
                count = int(mask.sum())
                start = at_eq if mask is equal else at_in
                if hess is not None and count:
                    v[mask] += sign * to_host(source[start : start + count])
                if mask is equal:
                    at_eq += count
                else:
                    at_in += count
            if hess is not None:
                found = shielded(hess)(x, cp.asarray(v))
                h = h + as_device(found.toarray() if hasattr(found, "toarray") else found)
        return 0.5 * (h + h.T)


def trust_constr(
    objective: Objective, x: ndarray, hessp: Any, bounds: Any, constraints: Any, told: Callback, xtol: float = 1e-8,
    gtol: float = 1e-8, barrier_tol: float = 1e-8, maxiter: int = 1000, verbose: int = 0, disp: bool = False,
    initial_barrier_parameter: float = 0.1, initial_barrier_tolerance: float = 0.1, initial_tr_radius: float = 1.0,
    initial_constr_penalty: float = 1.0, sparse_jacobian: Any = None, finite_diff_rel_step: Any = None,
    factorization_method: Any = None, **options: Any,
) -> OptimizeResult:  # fmt: skip
    """A primal-dual interior-point method with a line search on the barrier function's exact penalty.

    SciPy's method of this name has the same tests and results; it takes trust-region steps instead.
    """
    options.pop("return_all", None)
    options.pop("workers", None)
    if options:
        raise TypeError(f"trust-constr got an unexpected option {next(iter(options))!r}")
    started = time.perf_counter()
    objective.relative = finite_diff_rel_step
    x = x.astype(np.float64)
    if bounds is not None:
        low, high = bounds
        inner = cp.where(cp.isfinite(low) & cp.isfinite(high), 0.5 * (high - low), 1.0)
        margin = cp.minimum(1e-2 * cp.maximum(1.0, abs(x)), 0.25 * inner)
        x = cp.clip(x, low + margin, high - margin)
    n = x.size
    whole = Constraints(constraints, x, bounds)
    hessian = _Hessian(objective, hessp, constraints, whole, n)
    rows, _ = bound_rows(x, bounds)

    def evaluate(x: ndarray) -> tuple[ndarray, ndarray]:
        eq, ineq = whole.values(x)
        return eq, cp.concatenate([ineq, -bound_rows(x, bounds)[1]])

    def slopes(x: ndarray) -> tuple[ndarray, ndarray]:
        a, c = whole.jacobians(x)
        return a, cp.concatenate([c, rows])

    f, g = objective(x), objective.gradient(x).astype(np.float64)
    eq, ineq = evaluate(x)
    a, c = slopes(x)
    p, m = eq.size, ineq.size
    mu, barrier_tolerance = (initial_barrier_parameter if m else 0.0), initial_barrier_tolerance
    s = cp.maximum(ineq, 1e-2 * cp.maximum(1.0, abs(ineq)))
    z = mu / s if m else cp.empty(0)
    y = cp.zeros(p)
    if p:
        y = cp.linalg.lstsq(a.T, g - (c.T @ z if m else 0.0), rcond=None)[0]
        y = cp.where(abs(y) < 1e3, y, 0.0)
    penalty, k, status, shift = initial_constr_penalty, 0, 0, 0.0
    step_size = initial_tr_radius
    optimality = violation = math.inf
    zero = cp.zeros(())
    while True:
        lagrangian = g - (a.T @ y if p else 0.0) - (c.T @ z if m else 0.0)
        parts = [
            cp.max(abs(lagrangian)), cp.max(abs(eq)) if p else zero, cp.max(cp.maximum(-ineq, 0)) if m else zero,
            cp.max(abs(ineq - s)) if m else zero, cp.max(abs(s * z - mu)) if m else zero, cp.max(s * z) if m else zero,
        ]  # fmt: skip
        optimality, eq_bad, in_bad, slack_bad, comp, gap = cp.stack(parts).tolist()
        violation = max(eq_bad, in_bad)
        if optimality < gtol and violation < gtol and gap <= max(barrier_tol, gtol) * 10:
            status = 1
            break
        if k and step_size < xtol and mu <= max(barrier_tol, 1e-12):
            status = 2
            break
        if k >= maxiter or not math.isfinite(optimality):
            status = 0
            break
        if m and max(optimality, eq_bad, slack_bad, comp) < 10 * mu and mu > 0.1 * barrier_tol:
            mu = max(0.05 * barrier_tol, min(0.2 * mu, mu**1.5))
            barrier_tolerance = min(barrier_tolerance, mu)
            continue
        h = hessian(x, y, z)
        w = z / s if m else cp.empty(0)
        base = h + (c.T * w) @ c if m else h
        top = -(g - (a.T @ y if p else 0.0) - (c.T @ (mu / s - w * (ineq - s)) if m else 0.0))
        d, dy, shift = _kkt(base, a, top, -eq, shift)
        if d is None:
            status = 0
            break
        ds = c @ d + ineq - s if m else cp.empty(0)
        dz = mu / s - z - w * ds if m else cp.empty(0)
        tau = 0.995
        reach = cp.min(cp.where(ds < 0, -tau * s / cp.where(ds < 0, ds, -1), 1.0)) if m else zero + 1
        reach_z = cp.min(cp.where(dz < 0, -tau * z / cp.where(dz < 0, dz, -1), 1.0)) if m else zero + 1
        new_y = y + dy
        bad = (cp.sum(abs(eq)) if p else zero) + (cp.sum(abs(ineq - s)) if m else zero)
        slope = cp.sum(g * d) - (mu * cp.sum(ds / s) if m else 0.0)
        logs = cp.sum(cp.log(s)) if m else zero
        mults = cp.max(abs(cp.concatenate([cp.zeros(1), new_y, z + dz])))
        alpha, alpha_z, bad, slope, logs, mults, length = cp.stack(
            [reach, reach_z, bad, slope, logs, mults, cp.sqrt(cp.sum(d * d))]
        ).tolist()
        alpha, alpha_z = min(1.0, alpha), min(1.0, alpha_z)
        if bad > 0:
            penalty = max(penalty, 1.1 * min(mults, 1e10), 2 * slope / bad if slope > 0 else 0.0)
        directional = slope - penalty * bad
        merit0 = f - mu * logs + penalty * bad
        accepted = False
        for attempt in range(30):
            new, s_new = x + alpha * d, s + alpha * ds
            f_new = objective(new)
            eq_new, ineq_new = evaluate(new)
            bad_new = (cp.sum(abs(eq_new)) if p else zero) + (cp.sum(abs(ineq_new - s_new)) if m else zero)
            bad_new, logs_new = cp.stack([bad_new, cp.sum(cp.log(s_new)) if m else zero]).tolist()
            merit = f_new - mu * logs_new + penalty * bad_new
            slack = 1e-12 * max(1.0, abs(merit0))
            if math.isfinite(merit) and merit <= merit0 + 1e-4 * alpha * min(directional, 0.0) + slack:
                accepted = True
                break
            if attempt == 0 and p + m and math.isfinite(merit):
                # A second-order correction brings the point back to the constraints.
                both = cp.concatenate([a, c]) if m else a
                rest = cp.concatenate([eq_new, ineq_new - s_new]) if m else eq_new
                fix = -cp.linalg.lstsq(both, rest, rcond=None)[0] if both.shape[0] <= n else None
                if fix is not None:
                    trial = new + fix
                    f_trial = objective(trial)
                    eq_t, ineq_t = evaluate(trial)
                    bad_t = float((cp.sum(abs(eq_t)) if p else zero) + (cp.sum(abs(ineq_t - s_new)) if m else zero))
                    merit = f_trial - mu * logs_new + penalty * bad_t
                    if math.isfinite(merit) and merit <= merit0 + 1e-4 * alpha * min(directional, 0.0) + slack:
                        new, f_new, eq_new, ineq_new, accepted = trial, f_trial, eq_t, ineq_t, True
                        break
            alpha *= 0.5
            if alpha * length < 1e-16:
                break
        if not accepted:
            # Nothing better in sight: harder regularisation, then the end.
            if shift < 1e6:
                shift = max(10 * shift, 1e-4)
                k += 1
                step_size = 0.0 if mu <= barrier_tol else step_size
                if m and mu > 0.1 * barrier_tol:
                    mu *= 0.2
                continue
            status = 2
            break
        g_new = objective.gradient(new).astype(np.float64)
        a_new, c_new = slopes(new)
        y, z = y + alpha * dy, (z + alpha_z * dz if m else z)
        if m:
            s_new = cp.maximum(s_new, ineq_new)
            z = cp.clip(z, mu / (1e10 * s_new), 1e10 * mu / s_new)
        if not hessian.exact:
            one = g_new - (a_new.T @ y if p else 0.0) - (c_new.T @ z if m else 0.0)
            two = g - (a.T @ y if p else 0.0) - (c.T @ z if m else 0.0)
            change = one - two
            has_changed, is_flat = cp.stack([cp.any(change != 0), cp.any(new != x) & cp.all(g_new == g)]).tolist()
            if has_changed:
                hessian.update.update(new - x, change)
            if is_flat and not callable(objective.given_hess) and hessp is None:
                warnings.warn(FLAT, UserWarning, stacklevel=4)
        step_size = alpha * length
        x, s, f, g, eq, ineq, a, c = new, (s_new if m else s), f_new, g_new, eq_new, ineq_new, a_new, c_new
        k += 1
        if told(x, f, nit=k, optimality=optimality, constr_violation=violation):
            status = 3
            break
    success = status in (1, 2) and violation <= max(gtol, 1e-6)
    if not success and violation > max(gtol, 1e-6) and status != 3:
        status = 4
    if verbose or disp:
        report(True, status, _MESSAGES[status], {"Iterations": k, "Function evaluations": objective.nfev}, None)
    lagrangian = g - (a.T @ y if p else 0.0) - (c.T @ z if m else 0.0)
    values, jacobians, multipliers = _by_constraint(whole, x, y, z, bounds)
    return OptimizeResult(
        message=_MESSAGES[status], success=success, status=status, fun=f, x=x, nit=k, niter=k, nfev=objective.nfev,
        njev=objective.ngev, nhev=objective.nhev, cg_niter=0, cg_stop_cond=0, grad=g, lagrangian_grad=lagrangian,
        constr=values, jac=jacobians, v=multipliers, constr_nfev=[whole.nfev] * len(whole.parts),
        constr_njev=[whole.njev] * len(whole.parts), constr_nhev=[0] * len(whole.parts), optimality=optimality,
        constr_violation=violation, tr_radius=step_size, constr_penalty=penalty,
        execution_time=time.perf_counter() - started, method="tr_interior_point" if m else "equality_constrained_sqp",
        **({"barrier_parameter": mu, "barrier_tolerance": barrier_tolerance} if m else {}),
    )  # fmt: skip


def _kkt(h: ndarray, a: ndarray, top: ndarray, bottom: ndarray, shift: float) -> tuple[Any, Any, float]:
    """The Newton step, with a multiple of the identity added until the matrix has curvature where it has to."""
    n, p = top.size, bottom.size
    unit = cp.eye(n)
    shift = shift / 3 if shift > 1e-14 else 0.0
    for _ in range(40):
        matrix = h + shift * unit if shift else h
        try:
            if p == 0:
                # A factor exists only for a definite matrix.
                factor = cp.linalg.cholesky(matrix)
                d = cp.linalg.solve(factor.T, cp.linalg.solve(factor, top))
                dy = cp.empty(0)
                good = bool(cp.all(cp.isfinite(d)))
            else:
                corner = -1e-12 * cp.eye(p)
                whole = cp.concatenate([cp.concatenate([matrix, a.T], axis=1), cp.concatenate([a, corner], axis=1)])
                values = cp.linalg.eigvalsh(whole)
                found = cp.linalg.solve(whole, cp.concatenate([top, bottom]))
                d, dy = found[:n], -found[n:]
                good = bool((cp.count_nonzero(values < 0) == p) & cp.all(cp.isfinite(found)))
        except np.linalg.LinAlgError:
            good = False
        if good:
            return d, dy, shift
        shift = max(10 * shift, 1e-8 * (1 + float(cp.max(abs(h)))))
        if not math.isfinite(shift):
            break
    return None, None, shift


def _by_constraint(whole: Constraints, x: ndarray, y: ndarray, z: ndarray, bounds: Any) -> tuple[Any, Any, Any]:
    """Values, Jacobians and multipliers of each constraint as it was given, then of the bounds."""
    values, jacobians, multipliers = [], [], []
    at_eq = at_in = 0
    for fun, given, equal, below, above, *_ in whole.parts:
        value = fun(x)
        values.append(value)
        jacobians.append(as_device(given(x)) if callable(given) else differences(fun, x, value))
        v = np.zeros(equal.size)
        for mask, sign in ((equal, 0), (below, -1.0), (above, 1.0)):
            count = int(mask.sum())
            if mask is equal:
                v[mask] -= to_host(y[at_eq : at_eq + count])
                at_eq += count
            else:
                v[mask] += sign * to_host(z[at_in : at_in + count])
                at_in += count
        multipliers.append(cp.asarray(v))
    if bounds is not None:
        low, high = (np.isfinite(to_host(b)) for b in bounds)
        v = np.zeros(x.size)
        count = int(low.sum())
        v[low] -= to_host(z[at_in : at_in + count])
        v[high] += to_host(z[at_in + count :])
        values.append(x)
        jacobians.append(cp.eye(x.size))
        multipliers.append(cp.asarray(v))
    return values, jacobians, multipliers
