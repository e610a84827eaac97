"""Maximum likelihood by roots of equations: logistic, Gumbel and Weibull samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import to_float

_NEWTON = 60
_EVERY = 8  # Steps between two looks at whether a search has converged.


def _newton(step: Callable[[ndarray, ndarray], tuple[ndarray, ndarray]], loc: ndarray, scale: ndarray) -> Any:
    """Newton's method for location and scale of each row, until no row moves; scales stay positive."""
    for i in range(_NEWTON):
        d_loc, d_scale = step(loc, scale)
        d_scale = cp.maximum(d_scale, -scale / 2)
        loc, scale = loc + d_loc, scale + d_scale
        if i % _EVERY == _EVERY - 1 and bool((abs(d_loc) + abs(d_scale) <= 1e-14 * scale).all()):
            break
    return loc, scale


def logistic(x: ndarray) -> tuple[ndarray, ndarray]:
    """Location and scale of logistic distributions, along the last axis."""
    n = x.shape[-1]

    def step(loc: ndarray, scale: ndarray) -> tuple[ndarray, ndarray]:
        t = (x - loc[..., None]) / scale[..., None]
        slope = cp.tanh(t / 2)
        curve = (1 - slope**2) / 2
        f, g = -slope.sum(axis=-1) / 2, n - (t * slope).sum(axis=-1)
        weight = slope + t * curve
        fa, fb = curve.sum(axis=-1) / 2, (curve * t).sum(axis=-1) / 2
        ga, gb = weight.sum(axis=-1), (weight * t).sum(axis=-1)
        determinant = fa * gb - fb * ga
        return -scale * (f * gb - fb * g) / determinant, -scale * (fa * g - f * ga) / determinant

    return _newton(step, x.mean(axis=-1), x.std(axis=-1, ddof=1) * (np.sqrt(3) / np.pi))


def gumbel(x: ndarray, left: bool) -> tuple[ndarray, ndarray]:
    """Location and scale of Gumbel's distributions, along the last axis."""
    y = -x if left else x
    mean, least = y.mean(axis=-1), y.min(axis=-1, keepdims=True)

    def step(loc: ndarray, scale: ndarray) -> tuple[ndarray, ndarray]:
        w = cp.exp((least - y) / scale[..., None])
        total = w.sum(axis=-1)
        weighted = (w * y).sum(axis=-1) / total
        spread = (w * (y - weighted[..., None]) ** 2).sum(axis=-1) / total
        return 0.0 * loc, -(scale - mean + weighted) / (1 + spread / scale**2)

    _, scale = _newton(step, mean, y.std(axis=-1) * (np.sqrt(6) / np.pi))
    w = cp.exp((least - y) / scale[..., None])
    loc = least[..., 0] - scale * cp.log(w.mean(axis=-1))
    return (-loc if left else loc), scale


def weibull(x: ndarray) -> tuple[float, float, float]:
    """Shape, location and scale of Weibull's distribution; `ValueError` where the likelihood has no inner maximum."""
    advice = (
        "Maximum likelihood estimation is known to be challenging for the three-parameter Weibull distribution. "
        "Consider performing a custom goodness-of-fit test using `scipy.stats.monte_carlo_test`."
    )
    least, most = to_float(x.min()), to_float(x.max())
    # The likelihood of each of many locations with its best shape; it grows without bound close to the least element.
    locations = least - (most - least) * np.logspace(-4, 3, 400)
    logs = cp.log(x - cp.asarray(locations)[:, None])
    top = logs.max(axis=1, keepdims=True)
    mean = (logs - top).mean(axis=1)
    shapes = 1.2 / cp.maximum(logs.std(axis=1), 1e-300)
    for _ in range(_NEWTON):
        w = cp.exp(shapes[:, None] * (logs - top))
        total = w.sum(axis=1)
        first = (w * (logs - top)).sum(axis=1) / total
        second = (w * (logs - top) ** 2).sum(axis=1) / total
        change = (first - 1 / shapes - mean) / (second - first**2 + 1 / shapes**2)
        shapes = shapes - cp.minimum(change, shapes / 2)
    spread = cp.log(cp.exp(shapes[:, None] * (logs - top)).mean(axis=1))
    likelihood = (cp.log(shapes) - spread + (shapes - 1) * mean - top[:, 0]).get()
    inner = np.flatnonzero((likelihood[1:-1] >= likelihood[:-2]) & (likelihood[1:-1] > likelihood[2:])) + 1
    shape = to_float(shapes[int(inner[np.argmax(likelihood[inner])])]) if inner.size else 0.0
    loc = locations[inner[np.argmax(likelihood[inner])]] if inner.size else least
    if np.allclose(loc, least) or shape < 1:
        raise ValueError(
            "Maximum likelihood estimation has converged to a solution in which the location is equal to the minimum "
            "of the data, the shape parameter is less than 2, or both. The table of critical values in [7] does not "
            "include this case. " + advice
        )

    def gradient(m: float, u: float) -> np.ndarray:
        y = x - u
        logs, power = cp.log(y), y**m
        total = power.sum()
        one = 1 / m - (power * logs).sum() / total + logs.mean()
        two = (m - 1) / m * (1 / y).sum() - x.size * (y ** (m - 1)).sum() / total
        return np.array(cp.stack([one, two]).tolist())

    at = np.array([shape, loc])
    for _ in range(_NEWTON):
        value = gradient(*at)
        sizes = 1e-6 * np.maximum(abs(at), 1e-3)
        columns = []
        for i in range(2):
            moved = at.copy()
            moved[i] -= sizes[i]
            columns.append((value - gradient(*moved)) / sizes[i])
        with np.errstate(all="ignore"):
            change = np.linalg.lstsq(np.array(columns).T, -value, rcond=None)[0]
        limit = 0.5 * (least - at[1])
        change *= min(1.0, 0.5 * at[0] / max(abs(change[0]), 1e-300), limit / max(change[1], 1e-300))
        at = at + change
        if not np.all(np.isfinite(at)):
            raise ValueError(
                "An error occurred while fitting the Weibull distribution to the data, so `anderson` cannot continue. "
                + advice
            )
        if np.all(abs(change) <= 1e-10 * np.maximum(abs(at), 1e-3)):
            break
    else:
        raise ValueError(
            "Solution of MLE first-order conditions failed: no convergence. `anderson` cannot continue. " + advice
        )
    m, u = (float(v) for v in at)
    return m, u, to_float(((x - u) ** m).mean()) ** (1 / m)
