"""The Wasserstein distance of samples of vectors: the linear programme of optimal transport."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_float
from ._distances import wasserstein_distance

_STEPS = 200  # An interior-point method takes 10 to 40.
_TOLERANCE = 1e-13  # Of the gap between the two bounds of the cost, as a share of the largest distance.


def _checked(values: Any, weights: Any) -> tuple[ndarray, ndarray]:
    """The points and their shares of one distribution."""
    values = as_device(values).astype(np.float64)
    if values.shape[0] == 0:
        raise ValueError("Distribution can't be empty.")
    if weights is None:
        return values, cp.full(values.shape[0], 1.0 / values.shape[0])
    weights = as_device(weights).astype(np.float64)
    if weights.shape[0] != values.shape[0]:
        raise ValueError("Value and weight array-likes for the same empirical distribution must be of the same size.")
    if not bool((weights >= 0).all()):
        raise ValueError("All weights must be non-negative.")
    total = weights.sum()
    if not bool((total > 0) & cp.isfinite(total)):
        raise ValueError(
            "Weight array-like sum must be positive and finite. Set as None for an equal distribution of weight."
        )
    kept = weights > 0
    return values[kept], weights[kept] / total


def _cost(cost: ndarray, p: ndarray, q: ndarray) -> ndarray:
    """The least cost to carry the masses `p` to the masses `q` (Mehrotra's predictor and corrector, 1992).

    The matrix of the normal equations has the plan's row and column sums on its diagonal and the plan itself beside
    them, so a step is a few products and the solution of equations as many as the smaller sample has points.
    """
    if p.size > q.size:
        cost, p, q = cost.T, q, p
    scale = cost.max()
    scale = cp.where(scale > 0, scale, 1.0)
    c = cost / scale
    m, n = c.shape
    x = p[:, None] * q[None, :]
    u, v = cp.zeros(m), cp.zeros(n)
    s = c + 1.0
    v = v - 1.0

    best, least_gap, failures = (c * x).sum(), math.inf, 0
    for _ in range(_STEPS):
        rp, rq = p - x.sum(axis=1), q - x.sum(axis=0)
        rd = c - u[:, None] - v[None, :] - s
        mu = (x * s).mean()
        here = (x, s, rd, rp, rq)
        try:
            dx, du, dv, ds = _direction(-x * s, *here)
            reach_x, reach_s = _reach(x, dx), _reach(s, ds)
            after = ((x + reach_x * dx) * (s + reach_s * ds)).mean()
            sigma = (after / mu) ** 3
            dx, du, dv, ds = _direction(sigma * mu - x * s - dx * ds, *here)
        except np.linalg.LinAlgError:
            break
        reach_x, reach_s = 0.995 * _reach(x, dx), 0.995 * _reach(s, ds)
        x, u, v, s = x + reach_x * dx, u + reach_s * du, v + reach_s * dv, s + reach_s * ds
        upper, lower = (c * x).sum(), (u * p).sum() + (v * q).sum()
        gap = to_float(abs(upper - lower) + abs(p - x.sum(axis=1)).sum() + abs(q - x.sum(axis=0)).sum())
        # Close to the solution rounding takes over, and later steps are worse again.
        if gap < least_gap:
            least_gap, best, failures = gap, upper, 0
        else:
            failures += 1
        if gap <= _TOLERANCE or failures == 3:
            break
    if not least_gap <= 1e-7:
        warnings.warn(
            f"The search for the optimal transport stopped {least_gap} of the largest distance from its solution.",
            RuntimeWarning,
            stacklevel=3,
        )
    return best * scale


def _direction(target: Any, x: ndarray, s: ndarray, rd: ndarray, rp: ndarray, rq: ndarray) -> Any:
    """Newton's direction towards feasibility and a change of `x s` by `target`."""
    d = x / s
    t = (target - x * rd) / s
    right_u, right_v = rp - t.sum(axis=1), rq - t.sum(axis=0)
    # `rows(d) du + d dv = right_u` and `d' du + columns(d) dv = right_v`: the Schur complement of the columns.
    columns = d.sum(axis=0)
    share = d / columns
    right = right_u - share @ right_v
    schur = cp.diag(d.sum(axis=1)) - share @ d.T
    # One equation follows from the others, so the first unknown may be 0.
    first = cp.arange(right.size) == 0
    schur = cp.where(first[:, None] | first[None, :], 0.0, schur)
    schur = schur + cp.diag(cp.where(first, 1.0, 1e-14 * cp.diag(schur)))
    du = cp.linalg.solve(schur, cp.where(first, 0.0, right))
    dv = (right_v - d.T @ du) / columns
    ds = rd - du[:, None] - dv[None, :]
    return (target - x * ds) / s, du, dv, ds


def _reach(x: ndarray, dx: ndarray) -> ndarray:
    """How far a step may go, at most 1, until an element vanishes."""
    return cp.minimum(1.0, cp.where(dx < 0, -x / cp.where(dx < 0, dx, -1.0), np.inf).min())


def wasserstein_distance_nd(u_values: Any, v_values: Any, u_weights: Any = None, v_weights: Any = None) -> ndarray:
    """The Wasserstein distance of two samples of vectors. See `scipy.stats.wasserstein_distance_nd`.

    Parameters
    ----------
    u_values, v_values : arrays of numbers, of shapes (m, d) and (n, d) or (m,) and (n,)
        The samples, one vector a row.
    u_weights, v_weights : arrays of numbers, optional
        The weights of the vectors; equal ones by default.

    Returns
    -------
    ndarray
        The distance, 0-d.

    Raises
    ------
    ValueError
        For arrays of other dimensions, empty samples, weights that are negative or vanish.

    >>> r = cp.scipy.stats.wasserstein_distance_nd([[0, 2, 3], [1, 2, 5]], [[3, 2, 3], [4, 2, 5]])
    >>> round(float(r), 9)
    3.0
    """
    u, v = as_device(u_values), as_device(v_values)
    if u.ndim > 2 or v.ndim > 2:
        raise ValueError("Invalid input values. The inputs must have either one or two dimensions.")
    if u.ndim != v.ndim:
        raise ValueError("Invalid input values. Dimensions of inputs must be equal.")
    if u.ndim == 1:
        return wasserstein_distance(u, v, u_weights, v_weights)
    infinite = [bool(cp.isinf(x).any()) for x in (u, v)]
    (u, p), (v, q) = _checked(u, u_weights), _checked(v, v_weights)
    if u.shape[1] != v.shape[1]:
        raise ValueError(
            "Invalid input values. If two-dimensional, `u_values` and `v_values` must have the same number of columns."
        )
    if any(infinite):
        return cp.asarray(np.nan if all(infinite) else math.inf)
    difference = u[:, None, :] - v[None, :, :]
    return _cost(np.sqrt((difference * difference).sum(axis=-1)), p, q)


__all__ = ["wasserstein_distance_nd"]
