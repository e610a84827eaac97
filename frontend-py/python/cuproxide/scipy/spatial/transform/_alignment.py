"""The rotation between two sets of vectors (Wahba's problem), by a singular value decomposition (Kabsch, Markley)."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import cuproxide as cp

from ...._cuproxide import ndarray
from . import _quaternions as quaternions


def align(a: Any, b: Any, weights: Any, return_sensitivity: bool) -> tuple[ndarray, ndarray, ndarray]:
    """The quaternion, the distance left, and the sensitivity."""
    a, b = cp.asarray(a), cp.asarray(b)
    for name, x in (("a", a), ("b", b)):
        if x.ndim not in (1, 2) or x.shape[-1] != 3:
            raise ValueError(f"Expected input `{name}` to have shape (3,) or (N, 3), got {x.shape}")
    if a.shape != b.shape:
        raise ValueError(f"Expected inputs `a` and `b` to have same shapes, got {a.shape} and {b.shape} respectively.")
    a, b = (cp.atleast_2d(x).astype(np.float64, copy=False) for x in (a, b))
    count = a.shape[0]
    weights = cp.ones(count) if weights is None else cp.asarray(weights).astype(np.float64)
    if weights.ndim != 1:
        raise ValueError(f"Expected `weights` to be 1 dimensional, got shape {weights.shape}.")
    if weights.shape[0] != count:
        raise ValueError(
            "Expected `weights` to have number of values equal to number of input vectors, got "
            f"{weights.shape[0]} values and {count} vectors."
        )
    if bool((weights < 0).any()):
        raise ValueError("`weights` may not contain negative values")
    infinite = 1 if count == 1 else int((weights == np.inf).sum())
    if infinite > 1:
        raise ValueError("Only one infinite weight is allowed")
    if infinite and return_sensitivity:
        raise ValueError("Cannot return sensitivity matrix with an infinite weight or one vector pair")
    return _exactly(a, b, weights) if infinite else _best(a, b, weights)


def _best(a: ndarray, b: ndarray, weights: ndarray) -> tuple[ndarray, ndarray, ndarray]:
    products = (weights[:, None] * a).T @ b
    u, s, vh = cp.linalg.svd(products)
    # A rotation and no reflection: the least singular direction is turned.
    sign = cp.where(cp.linalg.det(u @ vh) < 0, -1.0, 1.0)
    flip = cp.stack([cp.ones(()), cp.ones(()), sign])
    s, u = s * flip, u * flip
    if bool(s[1] + s[2] < 1e-16 * s[0]):
        warnings.warn("Optimal rotation is not uniquely or poorly defined for the given sets of vectors.", stacklevel=4)
    square = (weights * (a * a + b * b).sum(axis=1)).sum() - 2 * s.sum()
    zeta = (s[0] + s[1]) * (s[1] + s[2]) * (s[2] + s[0])
    kappa = s[0] * s[1] + s[1] * s[2] + s[2] * s[0]
    sensitivity = weights.mean() / zeta * (kappa * cp.eye(3) + products @ products.T)
    return quaternions.from_orthogonal(u @ vh), cp.sqrt(cp.maximum(square, 0.0)), sensitivity


def _exactly(a: ndarray, b: ndarray, weights: ndarray) -> tuple[ndarray, ndarray, ndarray]:
    """The shortest turn of one vector onto another, then the best turn about it for the others."""
    count = a.shape[0]
    at = 0 if count == 1 else int(cp.argmax(weights))
    first, second = a[at], b[at]
    lengths = cp.sqrt((first * first).sum()), cp.sqrt((second * second).sum())
    if bool((lengths[0] == 0) | (lengths[1] == 0)):
        raise ValueError("Cannot align zero length primary vectors")
    first, second = first / lengths[0], second / lengths[1]
    main = _shortest(first, second)
    chosen = cp.arange(count) == at
    others = cp.where(chosen, 0.0, weights)
    result = main
    if count > 1:
        turned = quaternions.rotated(main, b, False)
        sine = (cp.cross(turned, a) * first).sum(axis=1)
        cosine = (turned * a).sum(axis=1) - (turned * first).sum(axis=1) * (a * first).sum(axis=1)
        angle = cp.arctan2((others * sine).sum(), (others * cosine).sum())
        result = quaternions.composed(quaternions.from_vectors(angle * first), main)
    if count == 1:
        # Its weight counts unless it is infinite.
        others = cp.where(weights == np.inf, 0.0, weights)
    left = a - quaternions.rotated(result, b, False)
    return result, cp.sqrt((others[:, None] * left * left).sum()), cp.full((), np.nan)


def _shortest(to: ndarray, start: ndarray) -> ndarray:
    """The quaternion that turns one unit vector onto another: from the sum of both, which half the angle lies between.

    Opposite vectors are turned about an axis that is orthogonal to them.
    """
    axis = cp.cross(start, to)
    # 1 + cos without cancellation is half the square of the sum.
    total = start + to
    scalar = (total * total).sum() / 2
    least = abs(to).argmin()
    other = (cp.arange(3) == least).astype(np.float64)
    across = cp.cross(to, other)
    across = across / cp.sqrt((across * across).sum())
    sine = cp.sqrt((axis * axis).sum())
    opposite = scalar < 1e-14
    axis = cp.where(opposite & (sine == 0), across, axis)
    quat = cp.concatenate([axis, cp.where(opposite & (sine == 0), 0.0, scalar)[None]])
    return quat / cp.sqrt((quat * quat).sum())
