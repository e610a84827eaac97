"""Levenberg and Marquardt's method with the tests and codes of MINPACK."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import to_host
from ..._lib.results import Result

EPS = float(np.finfo(float).eps)


def _parameter(uf: Any, s: Any, v: Any, radius: float) -> tuple[float, Any]:
    """The damping with which a step has a length within a tenth of the radius, and the step."""
    su = s * uf
    full = s.size and s[-1] > EPS * len(s) * s[0]
    if full:
        p = -v @ (uf / s)
        if np.linalg.norm(p) <= 1.1 * radius:
            return 0.0, p
    low = 0.0
    high = float(np.linalg.norm(su)) / radius
    if high == 0:
        keep = s > EPS * len(s) * s[0] if s.size else s > 0
        return 0.0, -(v[:, keep] @ (uf[keep] / s[keep]))
    if full:
        norm = float(np.linalg.norm(uf / s))
        low = (norm - radius) / (float(np.sum(uf**2 / s**4)) / norm)
    damping = max(low, 1e-3 * high)
    for _ in range(50):
        bottom = s**2 + damping
        norm = float(np.linalg.norm(su / bottom))
        if abs(norm - radius) <= 0.1 * radius:
            break
        if norm > radius:
            low = damping
        else:
            high = damping
        slope = float(np.sum(su**2 / bottom**3)) / norm
        damping += (norm - radius) / radius * norm / slope
        if not low < damping < high:
            damping = max(math.sqrt(max(low, 1e-3 * high) * high), 1e-3 * high)
    return damping, -v @ (su / (s**2 + damping))


def levenberg_marquardt(
    residuals: Any, x: ndarray, f: ndarray, ftol: float, xtol: float, gtol: float, most: int, factor: float, scale: Any
) -> Result:
    """The iteration of MINPACK's `lmder` (Moré, 1978), on singular values instead of pivoted factors.

    `info` is MINPACK's: 1 to 3 for the tolerances of cost and parameters, 4 for that of the gradient, 5 for too many
    evaluations, 6 to 8 for tolerances that are too small.
    """
    n = x.size
    point = to_host(x).astype(float)
    fnorm = math.sqrt(float(cp.sum(f * f)))
    counted = residuals.count_differences and not callable(residuals.jac)
    diagonal, radius, info, first = scale, 0.0, 0, True
    while True:
        j = residuals.jacobian(x, f)
        if counted:
            residuals.nfev += n
        norms, g = cp.sqrt(cp.sum(j * j, axis=0)), j.T @ f
        read = to_host(cp.concatenate([norms, g])).astype(float)
        norms, g = read[:n], read[n:]
        if first:
            diagonal = np.where(norms == 0, 1.0, norms) if scale is None else np.broadcast_to(scale, (n,)).astype(float)
            size = float(np.linalg.norm(diagonal * point))
            radius = factor * size or factor
        usable = norms != 0
        cosine = float(np.max(np.abs(g[usable]) / (norms[usable] * fnorm))) if fnorm and usable.any() else 0.0
        # From a point without finite residuals there is no way on; MINPACK says so too.
        if cosine <= gtol or (first and not (np.isfinite(read).all() and math.isfinite(fnorm))):
            info = 4
            break
        if scale is None:
            diagonal = np.maximum(diagonal, norms)
        u, s, vt = cp.linalg.svd(j / cp.asarray(diagonal, dtype=j.dtype), full_matrices=False)
        k = s.size
        read = to_host(cp.concatenate([u.T @ f, s, vt.reshape(-1)])).astype(float)
        uf, s, v = read[:k], read[k : 2 * k], read[2 * k :].reshape(k, n).T
        accepted = False
        while not accepted:
            damping, p = _parameter(uf, s, v, radius)
            step, length = p / diagonal, float(np.linalg.norm(p))
            if first:
                radius = min(radius, length)
            new = cp.asarray(point + step, dtype=x.dtype)
            f_new = residuals(new)
            norm = math.sqrt(float(cp.sum(f_new * f_new)))
            norm = norm if math.isfinite(norm) else math.inf
            actual = 1 - (norm / fnorm) ** 2 if 0.1 * norm < fnorm else -1.0
            linear, damped = float(np.linalg.norm(s * (v.T @ p))) / fnorm, math.sqrt(damping) * length / fnorm
            predicted = linear * linear + 2 * damped * damped
            slope = -(linear * linear + damped * damped)
            ratio = actual / predicted if predicted else 0.0
            if ratio <= 0.25:
                shrink = 0.5 if actual >= 0 else 0.5 * slope / (slope + 0.5 * actual)
                if 0.1 * norm >= fnorm or shrink < 0.1:
                    shrink = 0.1
                radius = shrink * min(radius, length / 0.1)
            elif damping == 0 or ratio >= 0.75:
                radius = length / 0.5
            if ratio >= 1e-4:
                accepted = True
                x, f, fnorm = new, f_new, norm
                point = point + step
                size = float(np.linalg.norm(diagonal * point))
            first = False
            by_f = abs(actual) <= ftol and predicted <= ftol and ratio / 2 <= 1
            by_x = radius <= xtol * size
            info = 3 if by_f and by_x else 1 if by_f else 2 if by_x else 0
            if info:
                break
            if residuals.nfev >= most:
                info = 5
            elif abs(actual) <= EPS and predicted <= EPS and ratio / 2 <= 1:
                info = 6
            elif radius <= EPS * size:
                info = 7
            elif cosine <= EPS:
                info = 8
            if info:
                break
        if info:
            break
    if residuals.njev and info != 4:
        j = residuals.jacobian(x, f)
        residuals.njev -= 1
    return Result(x=x, fun=f, jac=j, info=info)
