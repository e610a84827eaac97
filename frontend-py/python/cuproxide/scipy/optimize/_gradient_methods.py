"""Conjugate gradients, BFGS and truncated Newton steps with line searches."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.lending import shielded_if
from ._differences import Objective
from ._line_search import along, wolfe
from ._results import EPSILON, STATUS, Callback, OptimizeResult, report, unknown_options


def _norm(order: float) -> Any:
    if order == np.inf:
        return lambda v: cp.max(abs(v))
    if order == -np.inf:
        return lambda v: cp.min(abs(v))
    return lambda v: cp.sum(abs(v) ** order) ** (1.0 / order)


def check_line_search(c1: float, c2: float) -> None:
    """`ValueError` for parameters of Wolfe's conditions that no step could satisfy."""
    if not 0 < c1 < c2 < 1:
        raise ValueError("'c1' and 'c2' do not satisfy'0 < c1 < c2 < 1'.")


def _result(
    objective: Objective, x: ndarray, f: float, g: ndarray, k: int, flag: int, disp: Any, everything: Any, **more: Any
) -> OptimizeResult:
    message = [STATUS["success"], STATUS["maxiter"], STATUS["pr_loss"], STATUS["nan"]][flag]
    counts = {
        "Current function value": f, "Iterations": k, "Function evaluations": objective.nfev,
        "Gradient evaluations": objective.ngev,
    }  # fmt: skip
    # Newton's method alone counts Hessians.
    counts |= {"Hessian evaluations": more["nhev"]} if "nhev" in more else {}
    report(disp, flag, message, counts)
    found = OptimizeResult(
        message=message, success=flag == 0, status=flag, fun=f, x=x, nit=k, jac=g, **more, nfev=objective.nfev,
        njev=objective.ngev,
    )  # fmt: skip
    if everything is not None:
        found["allvecs"] = everything
    return found


def cg(
    objective: Objective,
    x: ndarray,
    callback: Callback,
    gtol: float = 1e-5,
    norm: float = np.inf,
    maxiter: int | None = None,
    disp: bool = False,
    return_all: bool = False,
    c1: float = 1e-4,
    c2: float = 0.4,
    **options: Any,
) -> OptimizeResult:
    """Nonlinear conjugate gradients in the form of Polak and Ribiere, never negative."""
    unknown_options(options)
    check_line_search(c1, c2)
    maxiter = x.size * 200 if maxiter is None else maxiter
    size = _norm(norm)
    g = objective.gradient(x)
    f, gnorm, gg = objective.read(x, size(g), cp.sum(g * g))
    before: float | None = f + math.sqrt(gg) / 2
    everything = [x] if return_all else None
    p, k, flag = -g, 0, 0
    slope = -gg
    while gnorm > gtol and k < maxiter:
        keep: dict[float, Any] = {}
        phi = along(objective, x, p, keep)
        later: dict[float, Any] = {}

        def direction(step: float, g: Any = g, gg: float = gg, p: Any = p, keep: Any = keep, later: Any = later) -> Any:
            if step not in later:
                new = keep[step][1]
                yg, ng, nn, gp = cp.stack(
                    [cp.sum((new - g) * new), size(new), cp.sum(new * new), cp.sum(p * new)]
                ).tolist()
                beta = max(0.0, yg / gg) if gg else 0.0
                later[step] = (-new + beta * p, new, ng, nn, -nn + beta * gp)
            return later[step]

        def descends(step: float) -> bool:
            _, _, ng, nn, pg = direction(step)
            return ng <= gtol or pg <= -0.01 * nn

        step, f_new, _ = wolfe(phi, f, slope, before, c1, c2, accept=descends)
        if step is None:
            flag = 2
            break
        before, f = f, f_new
        p, g, gnorm, gg, slope = direction(step)
        x = keep[step][0]
        k += 1
        if everything is not None:
            everything.append(x)
        if callback(x, f):
            break
        if not math.isfinite(f):
            break
    if flag == 0:
        flag = 1 if k >= maxiter and gnorm > gtol else 3 if math.isnan(gnorm) or math.isnan(f) else 0
    return _result(objective, x, f, g, k, flag, disp, everything)


def bfgs(
    objective: Objective,
    x: ndarray,
    callback: Callback,
    gtol: float = 1e-5,
    norm: float = np.inf,
    maxiter: int | None = None,  # noqa: E501
    disp: bool = False,
    return_all: bool = False,
    xrtol: float = 0,
    c1: float = 1e-4,
    c2: float = 0.9,
    hess_inv0: Any = None,
    **options: Any,
) -> OptimizeResult:
    """The quasi-Newton method with the inverse Hessian kept on the device."""
    unknown_options(options)
    check_line_search(c1, c2)
    n = x.size
    maxiter = n * 200 if maxiter is None else maxiter
    size = _norm(norm)
    if hess_inv0 is not None:
        h = cp.asarray(hess_inv0).astype(objective.dtype)
        if not bool(cp.all(cp.linalg.eigvalsh(h) > 0)) or not bool(cp.allclose(h, h.T)):
            raise ValueError("'hess_inv0' matrix isn't positive definite.")
    else:
        h = cp.eye(n, dtype=objective.dtype)
    g = objective.gradient(x)
    p = -(h @ g)
    f, gnorm, gg, slope = objective.read(x, size(g), cp.sum(g * g), cp.sum(p * g))
    before: float | None = f + math.sqrt(gg) / 2
    everything = [x] if return_all else None
    k = flag = 0
    while gnorm > gtol and k < maxiter:
        keep: dict[float, Any] = {}
        step, f_new, _ = wolfe(along(objective, x, p, keep), f, slope, before, c1, c2)
        if step is None:
            flag = 2
            break
        new, g_new, _, _ = keep[step]
        s, y = p * step, g_new - g
        before, f, x, g = f, f_new, new, g_new
        k += 1
        if everything is not None:
            everything.append(x)
        if callback(x, f):
            break
        sy, gnorm, ss, xx = cp.stack([cp.sum(s * y), size(g), cp.sum(s * s), cp.sum(x * x)]).tolist()
        if gnorm <= gtol:
            break
        if math.sqrt(ss) <= xrtol * (xrtol + math.sqrt(xx)):
            break
        if not math.isfinite(f):
            flag = 2
            break
        rho = 1000.0 if sy == 0 else 1.0 / sy
        hy = h @ y
        cross = hy[:, None] * s[None, :]
        h = h - rho * (cross + cross.T) + (rho * rho * cp.sum(y * hy) + rho) * (s[:, None] * s[None, :])
        p = -(h @ g)
        slope = float(cp.sum(p * g))
    if flag == 0:
        flag = 1 if k >= maxiter and gnorm > gtol else 3 if math.isnan(gnorm) or math.isnan(f) else 0
    return _result(objective, x, f, g, k, flag, disp, everything, hess_inv=h)


def newton_cg(
    objective: Objective, x: ndarray, callback: Callback, hessp: Any = None, xtol: float = 1e-5, eps: float = EPSILON,
    maxiter: int | None = None, disp: bool = False, return_all: bool = False, c1: float = 1e-4, c2: float = 0.9,
    **options: Any,
) -> OptimizeResult:  # fmt: skip
    """Newton's method with systems that conjugate gradients solve as exactly as it pays."""
    unknown_options(options)
    check_line_search(c1, c2)
    n = x.size
    maxiter, hessp = n * 200 if maxiter is None else maxiter, shielded_if(hessp, 2)
    xtol, eps = n * xtol, max(eps, math.sqrt(np.finfo(x.dtype).eps))
    before: float | None = None
    everything = [x] if return_all else None
    k = flag = 0
    hcalls = 0
    g = objective.gradient(x)
    f = objective(x)
    update = math.inf
    if math.isnan(f) or bool(cp.any(cp.isnan(g))):
        return _result(objective, x, f, g, 0, 3, disp, everything, nhev=0)
    while update > xtol:
        if k >= maxiter:
            flag = 1
            break
        gabs = float(cp.sum(abs(g)))
        tolerance = min(0.5, math.sqrt(gabs)) * gabs
        matrix = objective.hessian(x) if hessp is None and objective.given_hess is not None else None
        hcalls += matrix is not None
        p, r = cp.zeros_like(x), g
        d = -g
        rr = float(cp.sum(r * r))
        for inner in range(20 * n):
            if matrix is not None:
                hd = matrix @ d
            elif hessp is not None:
                hd = cp.asarray(hessp(x, d, *objective.args))
                hcalls += 1
            else:
                saved = (objective.x, objective.f, objective.g, objective.gx)
                hd = (objective.gradient(x + eps * d) - g) / eps
                objective.x, objective.f, objective.g, objective.gx = saved
            curvature, rest = cp.stack([cp.sum(d * hd), cp.sum(abs(r))]).tolist()
            if rest <= tolerance:
                break
            if 0 <= curvature <= 3 * np.finfo(float).eps:
                break
            if curvature < 0:
                if inner == 0:
                    p = rr / -curvature * g * -1.0
                break
            alpha = rr / curvature
            p, r = p + alpha * d, r + alpha * hd
            new = float(cp.sum(r * r))
            d = -r + new / rr * d
            rr = new
            if not math.isfinite(rr):
                break
        else:
            message = "Warning: CG iterations didn't converge. The Hessian is not positive definite."
            found = _result(objective, x, f, g, k, 3, False, everything, nhev=hcalls)
            found["message"] = message
            report(disp, 3, message, {})
            return found
        slope = float(cp.sum(p * g))
        keep: dict[float, Any] = {}
        step, f_new, _ = wolfe(along(objective, x, p, keep), f, slope, before, c1, c2)
        if step is None:
            flag = 2 if gabs > 0 else 0
            break
        x, g_new = keep[step][0], keep[step][1]
        update = float(cp.sum(abs(p))) * step
        before, f, g = f, f_new, g_new
        k += 1
        if everything is not None:
            everything.append(x)
        if callback(x, f):
            break
        if not math.isfinite(f) or not math.isfinite(update):
            flag = 3
            break
    return _result(objective, x, f, g, k, flag, disp, everything, nhev=hcalls)
