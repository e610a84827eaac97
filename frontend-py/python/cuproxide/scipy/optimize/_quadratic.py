"""Convex quadratic programs of moderate size, by a primal-dual interior-point method on the device."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray


def solve_qp(
    h: ndarray, g: ndarray, a: ndarray, b: ndarray, c: ndarray, e: ndarray, most: int = 60, tol: float = 1e-10
) -> tuple[ndarray, ndarray, ndarray, bool]:
    """Minimises `d' h d / 2 + g' d` with `a d = b` and `c d >= e` (Mehrotra's predictor and corrector).

    Returns the point, the multipliers of both kinds, and whether it is optimal.
    """
    n, p, m = g.size, b.size, e.size
    d = cp.zeros(n)

    def system(matrix: ndarray, top: ndarray, bottom: ndarray) -> tuple[ndarray, ndarray]:
        if p == 0:
            return cp.linalg.solve(matrix, top), cp.empty(0)
        zero = cp.zeros((p, p)) - 1e-14 * cp.eye(p)
        whole = cp.concatenate([cp.concatenate([matrix, a.T], axis=1), cp.concatenate([a, zero], axis=1)])
        found = cp.linalg.solve(whole, cp.concatenate([top, bottom]))
        return found[:n], -found[n:]

    shift = 1e-14 * (1 + cp.max(abs(cp.diagonal(h)))) * cp.eye(n)
    try:
        if m == 0:
            d, y = system(h + shift, -g, b)
            return d, y, cp.empty(0), bool(cp.all(cp.isfinite(d)))
        y = cp.zeros(p)
        s = cp.maximum(abs(e), 1.0)
        z = cp.ones(m) * cp.maximum(1.0, cp.max(abs(g)))
        size = 1 + float(cp.max(abs(g))) + float(cp.max(abs(e))) + (float(cp.max(abs(b))) if p else 0.0)
        best = math.inf
        kept: Any = (d, y, z)
        for _ in range(most):
            dual = h @ d + g - a.T @ y - c.T @ z
            primal, slack = a @ d - b, c @ d - s - e
            w = z / s
            matrix = h + shift + (c.T * w) @ c
            # Where only the complementarity counts.
            step, dy = system(matrix, -dual - c.T @ (z + w * slack), -primal)
            ds = c @ step + slack
            dz = -(z + w * ds)
            reach = cp.minimum(1.0, cp.min(cp.where(ds < 0, -s / cp.where(ds < 0, ds, -1), 1e30)))
            reach_z = cp.minimum(1.0, cp.min(cp.where(dz < 0, -z / cp.where(dz < 0, dz, -1), 1e30)))
            mu = cp.sum(s * z) / m
            ahead = cp.sum((s + reach * ds) * (z + reach_z * dz)) / m
            centre = (ahead / mu) ** 3 * mu
            right = s * z + ds * dz - centre
            step, dy = system(matrix, -dual - c.T @ ((right + z * slack) / s), -primal)
            ds = c @ step + slack
            dz = -(right + z * ds) / s
            one = cp.min(cp.where(ds < 0, -s / cp.where(ds < 0, ds, -1), 1e30))
            two = cp.min(cp.where(dz < 0, -z / cp.where(dz < 0, dz, -1), 1e30))
            worst = [cp.max(abs(dual)), cp.max(abs(slack)), cp.max(abs(primal)) if p else cp.zeros(())]
            alpha, alpha_z, gap, *rest = cp.stack([one, two, mu, *worst]).tolist()
            measure = max(gap, *rest)
            if not math.isfinite(measure):
                break
            if measure < best:
                best, kept = measure, (d, y, z)
            if measure <= tol * size:
                return d, y, z, True
            alpha, alpha_z = min(1.0, 0.995 * alpha), min(1.0, 0.995 * alpha_z)
            d, s = d + alpha * step, s + alpha * ds
            y, z = y + alpha_z * dy, z + alpha_z * dz
    except np.linalg.LinAlgError:
        if m == 0:
            return cp.zeros(n), cp.zeros(p), cp.empty(0), False
    d, y, z = kept
    return d, y, z, best <= 1e-6 * size


def solve_elastic(
    h: ndarray, g: ndarray, a: ndarray, b: ndarray, c: ndarray, e: ndarray, penalty: float
) -> tuple[ndarray, ndarray, ndarray, float]:
    """The same with constraints that give way together at a price; how far they do is the last result."""
    n, m = g.size, e.size
    zero = cp.zeros((n, 1))
    h2 = cp.concatenate([cp.concatenate([h, zero], axis=1), cp.concatenate([zero.T, cp.full((1, 1), 1e-8)], axis=1)])
    g2 = cp.concatenate([g, cp.full(1, penalty)])
    a2 = cp.concatenate([a, b[:, None]], axis=1)
    c2 = cp.concatenate([c, cp.maximum(e, 0)[:, None]], axis=1)
    last = cp.concatenate([cp.zeros(n), cp.ones(1)])
    c2 = cp.concatenate([c2, last[None], -last[None]])
    e2 = cp.concatenate([e, cp.asarray([0.0, -1.0])])
    d, y, z, _ = solve_qp(h2, g2, a2, b, c2, e2)
    return d[:n], y, z[:m], float(d[n])
