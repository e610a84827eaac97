"""Moments of laws on narrow intervals, about the middle: differences of raw moments would lose all of their digits.

Over such an interval a density hardly changes, and Gauss's rule with its logarithm relative to the middle is exact. The
same rule integrates what means of logarithms leave beside their closed part, in entropies.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ._logarithms import either
from ._math import exp, log1p, ndtr, norm_pdf, where

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
# The change of the logarithm of a density up to which an interval is narrow.
_CHANGE = 0.5
# Ends of the panels for integrands that fall as an exponential.
_PANELS = (0.0, 1.0, 3.0, 7.0, 15.0, 40.0)

#: Of an interval: whether it is narrow, its middle, half its width, and the logarithm of the density at a distance from
#: the middle over that there.
Narrow = tuple[Any, Any, Any, Callable[[Any], Any]]


def interval(low: Any, high: Any, slope: Callable[[Any], Any], log_ratio: Callable[[Any, Any], Any]) -> Narrow:
    """An interval from the slope of the logarithm of its density at a point, and that relative to the middle."""
    middle, half = 0.5 * low + 0.5 * high, 0.5 * (high - low)
    narrow = (abs(slope(middle)) + abs(slope(low)) + abs(slope(high))) * half < _CHANGE
    return narrow, middle, where(narrow, half, 0.0), lambda t: log_ratio(middle, t)


def _about_middle(narrow: Narrow, order: int) -> list[Any]:
    """The moments about the middle over powers of half the width, up to an order."""
    _, _, half, log_ratio = narrow
    weights = [float(w) * exp(log_ratio(half * float(x))) for x, w in zip(_NODES, _WEIGHTS, strict=True)]
    total = sum(weights)
    return [sum(w * float(x) ** j for w, x in zip(weights, _NODES, strict=True)) / total for j in range(order + 1)]


def raw_moment(order: int, narrow: Narrow, wide: Callable[[], Any]) -> Any:
    """The moment about 0, or `wide()` where the interval is not narrow."""

    def near() -> Any:
        _, middle, half, _ = narrow
        parts = _about_middle(narrow, order)
        return sum(math.comb(order, j) * middle ** (order - j) * half**j * parts[j] for j in range(order + 1))

    return either(narrow[0], near, wide)


def central_moment(order: int, narrow: Narrow, wide: Callable[[], Any]) -> Any:
    """The moment about the mean, or `wide()` where the interval is not narrow."""

    def near() -> Any:
        parts = _about_middle(narrow, order)
        terms = (math.comb(order, j) * (-parts[1]) ** (order - j) * parts[j] for j in range(order + 1))
        return narrow[2] ** order * sum(terms)

    return either(narrow[0], near, wide)


def falling_integral(f: Callable[[Any], Any]) -> Any:
    """The integral from 0 of a smooth function that falls at least as `exp(-x)`."""
    total: Any = 0.0
    for low, high in zip(_PANELS[:-1], _PANELS[1:], strict=True):
        half = 0.5 * (high - low)
        for x, w in zip(_NODES, _WEIGHTS, strict=True):
            total = total + half * float(w) * f(low + half * (1 + float(x)))
    return total


def mean_log_cosh(mean: Any, deviation: Any) -> Any:
    """The mean of `log(2 * cosh(v))` over a normal number `v`."""
    wide = deviation > 1

    def by_ends() -> Any:
        spread = where(wide, deviation, 1.0)
        z = mean / spread

        def term(v: Any) -> Any:
            return log1p(exp(-2 * v)) * (norm_pdf(v / spread - z) + norm_pdf(v / spread + z)) / spread

        # The mean of its absolute value, and what the integrand is above that.
        return 2 * spread * norm_pdf(z) + mean * (1 - 2 * ndtr(-z)) + falling_integral(term)

    def about_mean() -> Any:
        total: Any = 0.0
        for z in np.arange(-36, 37) / 4:
            v = abs(mean + deviation * float(z))
            total = total + float(np.exp(-z * z / 2) / np.sqrt(32 * np.pi)) * (v + log1p(exp(-2 * v)))
        return total

    return either(wide, by_ends, about_mean)
