"""Distances of samples of numbers."""

from __future__ import annotations

import math
from typing import Any

import cuproxide as cp

from ..._cuproxide import ndarray
from ._axis import sample


def _cdf_distance(p: float, u: Any, v: Any, uw: Any, vw: Any) -> ndarray:
    u, v = sample(u, real=True), sample(v, real=True)
    for name, values in (("u_values", u), ("v_values", v)):
        if values.ndim > 1:
            raise ValueError(f"{name} must have one axis, not the shape {values.shape}")
    u, v = u.ravel(), v.ravel()
    if u.size == 0 or v.size == 0:
        raise ValueError("Distribution can't be empty.")
    every = cp.sort(cp.concatenate([u, v]))
    widths = cp.diff(every)

    def cdf(x: ndarray, w: Any) -> ndarray:
        order = cp.argsort(x)
        at = cp.searchsorted(x[order], every[:-1], side="right")
        if w is None:
            return at / x.size
        w = sample(w, real=True)
        if w.ndim > 1 or w.size != x.size:
            raise ValueError(
                "Value and weight array-likes for the same empirical distribution must be of the same size."
            )
        if not bool((w >= 0).all()):
            raise ValueError("All weights must be non-negative.")
        if not bool(cp.isfinite(w.sum()) & (w.sum() > 0)):
            raise ValueError("Weight array-like sum must be positive and finite. Set as None for equal weights.")
        sums = cp.concatenate([cp.zeros(1), cp.cumsum(w[order])])
        return sums[at] / sums[-1]

    difference = abs(cdf(u, uw) - cdf(v, vw))
    if p == 1:
        return (difference * widths).sum()
    return cp.sqrt((difference**2 * widths).sum())


def wasserstein_distance(u_values: Any, v_values: Any, u_weights: Any = None, v_weights: Any = None) -> ndarray:
    """The Wasserstein distance of two samples of numbers.

    >>> float(cp.scipy.stats.wasserstein_distance(cp.asarray([0, 1, 3]), cp.asarray([5, 6, 8])))
    5.0
    """
    return _cdf_distance(1, u_values, v_values, u_weights, v_weights)


def energy_distance(u_values: Any, v_values: Any, u_weights: Any = None, v_weights: Any = None) -> ndarray:
    """The energy distance of two samples of numbers.

    >>> round(float(cp.scipy.stats.energy_distance(cp.asarray([0]), cp.asarray([2]))), 6)
    2.0
    """
    return math.sqrt(2) * _cdf_distance(2, u_values, v_values, u_weights, v_weights)


__all__ = ["energy_distance", "wasserstein_distance"]
