"""Moments of discrete distributions whose raw moments cancel: of a mass at nearly one value, or nearly flat ones."""

from __future__ import annotations

import math
from typing import Any

from ._math import INF, NAN, exp, expm1, log1p, maximum, minimum, where, zeta


def central(m1: Any, m2: Any, m3: Any, m4: Any) -> tuple[Any, ...]:
    """The mean's distance from a point, variance, skewness and excess kurtosis, of the moments about that point."""
    v = m2 - m1 * m1
    third = m3 - 3 * m1 * m2 + 2 * m1**3
    return m1, v, third / v**1.5, (m4 - 4 * m1 * m3 + 6 * m1 * m1 * m2 - 3 * m1**4) / (v * v) - 3


# Bernoulli's numbers of orders 2, 4, ... over the orders' factorials.
_BERNOULLI = (
    0.08333333333333333, -0.001388888888888889, 3.306878306878307e-05, -8.267195767195768e-07, 2.08767569878681e-08,
    -5.284190138687493e-10, 1.3382536530684679e-11, -3.3896802963225827e-13, 8.586062056277845e-15,
    -2.174868698558062e-16, 5.5090028283602295e-18, -1.3954464685812522e-19, 3.534707039629467e-21,
)  # fmt: skip


def _geometric_cumulant(order: int, x: Any) -> Any:
    """A cumulant of the numbers 0, 1, ... with the weights `exp(-x j)`."""
    z, top = exp(-x), (1, 1, 1 + exp(-x), 1 + 4 * exp(-x) + exp(-2 * x))[order - 1]
    return z * top / (-expm1(-x)) ** order


def _regular_cumulant(order: int, x: Any) -> Any:
    """`_geometric_cumulant` without its pole at 0, `(order - 1)! / x**order`."""
    small, large = minimum(x, 1.0), maximum(x, 1.0)
    # Derivatives of the series of 1 / (exp(x) - 1), with alternating signs.
    near: Any = 0.0
    for k in reversed(range(1, len(_BERNOULLI) + 1)):
        power = 2 * k - order
        if power >= 0:
            near = near + _BERNOULLI[k - 1] * math.perm(2 * k - 1, order - 1) * small**power
    near = near - 0.5 if order == 1 else near * (-1) ** (order - 1)
    return where(x < 1, near, _geometric_cumulant(order, large) - math.factorial(order - 1) / large**order)


def boltzmann_stats(lam: Any, n: Any) -> tuple[Any, ...]:
    def cumulant(order: int) -> Any:
        # The poles of the two cancel.
        flat = _regular_cumulant(order, lam) - n**order * _regular_cumulant(order, lam * n)
        steep = maximum(lam, 1.0)
        cut = _geometric_cumulant(order, steep) - n**order * _geometric_cumulant(order, steep * n)
        return where(lam < 1, flat, cut)

    mean, v, third, fourth = (cumulant(order) for order in (1, 2, 3, 4))
    return mean, v, third / v**1.5, fourth / (v * v)


def logser_stats(p: Any) -> tuple[Any, ...]:
    r, odds = -log1p(-p), p / (1 - p)
    # The mean above 1: of a small `p` by its series.
    small = minimum(p, 0.1)
    series: Any = 0.0
    for k in reversed(range(2, 20)):
        series = series * small + (k - 1) / k
    m1 = where(p < 0.1, series * small * small, odds - r) / r
    # Of the factorial moments, about 1.
    m2 = odds**2 / r - m1
    m3 = 2 * odds**3 / r + m1
    m4 = 6 * odds**4 / r + 2 * m3 + m2 - 2 * m1
    above, *others = central(m1, m2, m3, m4)
    return 1 + above, *others


def zipf_stats(a: Any) -> tuple[Any, ...]:
    # Sums from 2 on, where the moments about 1 begin. An infinite power leaves the whole mass at 1.
    def beyond(r: int) -> Any:
        value = zeta(minimum(maximum(a - r, 1.0 + 1e-9), 1e4), 2.0)
        return where(a > r + 1, value, INF)

    z0, z1, z2, z3, z4 = (beyond(r) for r in range(5))
    m1, m2 = z1 - z0, z2 - 2 * z1 + z0
    m3, m4 = z3 - 3 * z2 + 3 * z1 - z0, z4 - 4 * z3 + 6 * z2 - 4 * z1 + z0
    above, v, s, kurtosis = central(*(m / (1 + z0) for m in (m1, m2, m3, m4)))
    mean = where(a > 2, 1 + above, INF)
    s = where(a > 4, s, where(a > 3, INF, NAN))
    return mean, where(a > 3, v, INF), s, where(a > 5, kurtosis, where(a > 4, INF, NAN))


def zipfian_stats(h: Any, sums: Any) -> tuple[Any, ...]:
    """The moments by the sum of the weights, and by those of the weights times powers 1 to 4 of the distance from 1."""
    above, *others = central(*(value / h for value in sums))
    return 1 + above, *others
