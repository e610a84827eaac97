"""Moments of laws on narrow intervals, about the middle: differences of raw moments would lose all of their digits.

Over such an interval a density hardly changes, and Gauss's rule with its logarithm relative to the middle is exact. The
same rule integrates what means of logarithms leave beside their closed part, in entropies.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ._logarithms import either
from ._math import exp, expm1, log1p, logical_or, maximum, minimum, ndtr, norm_pdf, where

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
# The change of the logarithm of a density up to which an interval is narrow.
_CHANGE = 0.5
# Ends of the panels for integrands that fall as an exponential.
_PANELS = (0.0, 1.0, 3.0, 7.0, 15.0, 40.0)
# Ends of the panels on a side of a peak, as shares of it.
_SHARES = (0.0, 0.1, 0.4, 1.0)


def _both_sides() -> tuple[Any, Any]:
    """Gauss's rule on the panels of both sides of a peak, each of length 1."""
    halves = 0.5 * np.diff(_SHARES)[:, None]
    places, shares = (np.array(_SHARES[:-1])[:, None] + halves * (1 + _NODES)).ravel(), (halves * _WEIGHTS).ravel()
    return np.concatenate([-places[::-1], places]), np.concatenate([shares[::-1], shares])


_SIDES = _both_sides()
#: By how much the logarithm of a density falls from its peak to where the rest is left out.
FALL = 45.0
#: Up to this order moments are integrated from the peak.
HIGHEST = 8

#: Of an interval: whether it is narrow, its middle, half its width, and the logarithm of the density at a distance from
#: the middle over that there.
Narrow = tuple[Any, Any, Any, Callable[[Any], Any]]


class Peak(NamedTuple):
    """Whether the moments of a law are integrated from the peak of its density, and what that takes.

    The integral is over a variable in which the logarithm of the density is smooth; it ends where the density has
    fallen by `FALL`. Raw moments serve laws both of whose tails lie in the interval; those of others cancel.
    """

    usable: Any
    #: The point of the peak, and the lengths of the interval on its left and right, in the variable.
    point: Any
    left: Any
    right: Any
    #: At a distance in the variable, the logarithm of the density over that of the peak, and the way from its point.
    log_ratio: Callable[[Any], Any]
    offset: Callable[[Any], Any]

    def _terms(self) -> tuple[Any, Any, Any]:
        """The shares of the probability at the nodes, an axis of their own, their ways from the peak, and its mean."""
        places, shares = _SIDES
        sides = [side for side in (self.left, self.right) if isinstance(side, ndarray)]
        if sides:
            shape = (-1, *(1,) * max(side.ndim for side in sides))
            places, shares = cp.array(places).reshape(shape), cp.array(shares).reshape(shape)
        length = where(places < 0, self.left, self.right)
        distance = length * places
        weights, offsets = length * shares * exp(self.log_ratio(distance)), self.offset(distance)
        weights = weights / weights.sum(axis=0)
        return weights, offsets, (weights * offsets).sum(axis=0)

    def raw(self, order: int) -> Any:
        weights, offsets, mean = self._terms()
        return self.point + mean if order == 1 else (weights * (self.point + offsets) ** order).sum(axis=0)

    def central(self, order: int) -> Any:
        weights, offsets, mean = self._terms()
        return (weights * (offsets - mean) ** order).sum(axis=0)


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


def _beyond(order: int, peak: Peak, moment: Callable[[int], Any], wide: Callable[[], Any]) -> Any:
    """The moment of an interval that is not narrow."""
    if not 1 <= order <= HIGHEST:
        return wide()
    return either(peak.usable, lambda: moment(order), wide)


def raw_moment(order: int, narrow: Narrow, peak: Peak, wide: Callable[[], Any]) -> Any:
    """The moment about 0, or `wide()` where the interval is not narrow and holds the bulk of its law."""

    def near() -> Any:
        _, middle, half, _ = narrow
        parts = _about_middle(narrow, order)
        return sum(math.comb(order, j) * middle ** (order - j) * half**j * parts[j] for j in range(order + 1))

    return either(narrow[0], near, lambda: _beyond(order, peak, peak.raw, wide))


def central_moment(order: int, narrow: Narrow, peak: Peak, wide: Callable[[], Any]) -> Any:
    """The moment about the mean, or `wide()` where the interval is not narrow and holds the bulk of its law."""

    def near() -> Any:
        parts = _about_middle(narrow, order)
        terms = (math.comb(order, j) * (-parts[1]) ** (order - j) * parts[j] for j in range(order + 1))
        return narrow[2] ** order * sum(terms)

    return either(narrow[0], near, lambda: _beyond(order, peak, peak.central, wide))


def power_peak(order: int, b: Any, low: Any, high: Any, width: Any) -> Peak:
    """The peak of a density `x**(-b - 1)` between two points; `width` is the logarithm of their quotient.

    In the logarithm of the point the density is an exponential, and so are powers.
    """
    steep = abs(b) > 3 * HIGHEST
    falls = b >= 0
    # A moment's integrand falls more slowly than the density.
    length = where(steep, minimum(width, FALL / maximum(abs(b) - HIGHEST, 1.0)), width)
    point = where(falls, low, high)
    return Peak(
        logical_or(steep, (abs(b) + order) * width < FALL),
        point,
        where(falls, 0.0, length),
        where(falls, length, 0.0),
        lambda t: -b * t,
        lambda t: point * expm1(t),
    )


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
