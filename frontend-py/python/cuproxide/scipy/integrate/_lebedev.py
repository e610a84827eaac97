"""Lebedev's rules for integrals over the unit sphere."""

from __future__ import annotations

import itertools
import math
import operator
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray

__all__ = ["lebedev_rule"]


def lebedev_rule(n: int) -> tuple[ndarray, ndarray]:
    """Points and weights of Lebedev's rule on the unit sphere.

    Parameters
    ----------
    n : int
        The order: polynomials up to it are integrated exactly. One of 3, 5, ..., 31, 35, 41, ..., 131.

    Returns
    -------
    x : ndarray
        The points, of shape `(3, m)`.
    w : ndarray
        The weights, of shape `(m,)`, whose sum is `4 pi`.

    Raises
    ------
    NotImplementedError
        If there is no rule of this order.

    >>> x, w = integrate.lebedev_rule(5)
    >>> round(float(cp.sum(w * x[0] ** 2)), 10) == round(4 * np.pi / 3, 10)
    True
    """
    from ._lebedev_table import ORBITS

    n = operator.index(n)
    if n not in ORBITS:
        raise NotImplementedError(f"Order n={n} not available. Available orders are {list(ORBITS)}.")
    points: list[Any] = []
    weights: list[float] = []
    for weight, a, b in ORBITS[n]:
        c = math.sqrt(max(0.0, 1 - a * a - b * b))
        # Two coordinates that differ by rounding are the same.
        b = c if abs(b - c) < 1e-9 else b
        a = b if abs(a - b) < 1e-9 else a
        orbit = set()
        for order in set(itertools.permutations((a, b, c))):
            for signs in itertools.product((1.0, -1.0), repeat=3):
                orbit.add(tuple(s * v + 0.0 for s, v in zip(signs, order, strict=True)))
        points += sorted(orbit, reverse=True)
        weights += [weight * 4 * math.pi] * len(orbit)
    return cp.asarray(np.array(points).T.copy()), cp.asarray(np.array(weights))
