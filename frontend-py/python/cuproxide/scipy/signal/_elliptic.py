"""Elliptic integrals and functions on the host, for the design of filters."""

from __future__ import annotations

import math

import numpy as np


def complete_from_rest(rest: float) -> float:
    """The complete integral K(m) by the arithmetic-geometric mean, from 1 - m."""
    if rest <= 0:
        return math.inf if rest == 0 else math.nan
    a, b = 1.0, math.sqrt(rest)
    while abs(a - b) > 1e-16 * a:
        a, b = (a + b) / 2, math.sqrt(a * b)
        if abs(a - b) <= 2.3e-16 * a:
            break
    return math.pi / (a + b)


def complete(m: float) -> float:
    """The complete integral of the first kind, K(m)."""
    return complete_from_rest(1.0 - m)


def jacobian(u: np.ndarray, m: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """sn, cn and dn by descending Landen transformations (DLMF 22.20)."""
    u = np.asarray(u, float)
    means, halves = [1.0], [math.sqrt(m)]
    b = math.sqrt(1.0 - m)
    while abs(halves[-1]) > 1e-17 and len(means) < 20:
        a = means[-1]
        halves.append((a - b) / 2)
        means.append((a + b) / 2)
        b = math.sqrt(a * b)
    count = len(means) - 1
    angle = 2.0**count * means[-1] * u
    before = angle
    for a, c in zip(means[:0:-1], halves[:0:-1], strict=True):
        before = angle
        angle = (angle + np.arcsin(np.clip(c * np.sin(angle) / a, -1, 1))) / 2
    sn, cn = np.sin(angle), np.cos(angle)
    cosine = np.cos(before - angle)
    dn = np.sqrt(1 - m * sn * sn)
    small = abs(cosine) > 0.1
    dn = np.where(small & (count > 0), cn / np.where(small, cosine, 1.0), dn)
    return sn, cn, dn


def inverse_sc(w: float, rest: float) -> float:
    """The real z with sn(z) / cn(z) = w, for the parameter 1 - `rest`: Carlson's integral by duplication."""
    hypotenuse = math.hypot(1.0, w)
    sine, cosine = w / hypotenuse, 1.0 / hypotenuse
    x, y, z = cosine * cosine, cosine * cosine + rest * sine * sine, 1.0
    while max(abs(x - y), abs(y - z), abs(x - z)) > 3e-4 * (x + y + z):
        shift = math.sqrt(x * y) + math.sqrt(y * z) + math.sqrt(z * x)
        x, y, z = (x + shift) / 4, (y + shift) / 4, (z + shift) / 4
    mean = (x + y + z) / 3
    a, b = (mean - x) / mean, (mean - y) / mean
    c = -a - b
    e2, e3 = a * b - c * c, a * b * c
    series = 1 - e2 / 10 + e3 / 14 + e2 * e2 / 24 - 3 * e2 * e3 / 44 - 5 * e2**3 / 208 + 3 * e3 * e3 / 104
    return sine * series / math.sqrt(mean)


def degree_parameter(order: int, m1: float) -> float:
    """The parameter whose degree equation of some order leads to `m1`, through the nome."""
    nome = math.exp(-math.pi * complete_from_rest(m1) / complete(m1) / order)
    top = sum(nome ** (i * (i + 1)) for i in range(8))
    bottom = 1 + 2 * sum(nome ** (i * i) for i in range(1, 9))
    return 16 * nome * top**4 / bottom**4
