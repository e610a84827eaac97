"""Continuous and discrete random variables: how functions that they do not state are computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from .. import special
from . import _quadrature
from ._math import INF, both, isfinite, isnan, log1mexp, where
from ._random_variable import CANCELLED, UnivariateDistribution
from ._random_variable_moments import EVERY_METHOD


class ContinuousDistribution(UnivariateDistribution):
    """A continuous random variable."""

    def _at(self, name: str, *args: Any, method: str | None = None) -> Any:
        if name in ("pmf", "logpmf"):
            return cp.zeros(args[0].shape) if name == "pmf" else cp.full(args[0].shape, -np.inf)
        return super()._at(name, *args, method=method)

    # ------------------------------------------------------------------------------------ integrals

    def _place(self) -> tuple[Any, Any]:
        """Where an infinite support has its mass: the median and a width, if they are at hand."""
        if self._stated.isdisjoint(("icdf", "cdf", "logcdf")):
            return np.float64(0), np.float64(1)
        low, middle, high = (self._at("icdf", cp.full(self._shape, q)) for q in (0.25, 0.5, 0.75))
        return middle, cp.maximum(high - low, 1e-300)

    def _expected(self, f: Callable[[Any], Any], cut: Any = None) -> Any:
        """The expected value of a function, which may have a kink at `cut`."""

        def terms(x: ndarray) -> ndarray:
            density = self._at("pdf", x)
            return cp.where(density > 0, f(x) * density, 0.0)

        return self._integral(terms, cut)

    def _integral(self, terms: Callable[[ndarray], ndarray], cut: Any = None) -> Any:
        """The integral of a function over the support, in parts that meet where the mass is."""
        low, high = self._ends()
        middle, width = self._place()
        inner = [middle] if cut is None else [cp.minimum(middle, cut), cp.maximum(middle, cut)]
        ends = [low, *(cp.minimum(cp.maximum(end, low), high) for end in inner), high]
        ends = [cp.broadcast_to(cp.asarray(end, dtype=np.float64), self._shape) for end in ends]
        return sum(_quadrature.integrate(terms, a, b, scale=width) for a, b in zip(ends, ends[1:], strict=False))

    def _lmoment_integral(self, order: int) -> Any:
        """The integral of F (1 - F) J(F), with a Jacobi polynomial J: no large numbers cancel as in the definition."""
        mean = self._moment("raw", 1, EVERY_METHOD)
        if order == 1:
            return mean

        def part(n: int) -> Any:
            def terms(x: ndarray) -> ndarray:
                lower, upper = self._clipped("cdf", x), self._clipped("ccdf", x)
                # J lies between -1 and 1. With 1 added no terms are negative, so that sums agree though the whole is 0.
                shape = special.eval_jacobi(n, 1, 1, lower - upper) / (n + 1) + 1 if n else 1
                return lower * upper * shape

            return self._integral(terms)

        value = part(0) if order == 2 else part(order - 2) - part(0)
        return where(isfinite(mean), value, np.nan)

    def _by_quadrature(self, name: str, *x: Any) -> Any:
        if name == "entropy":
            return self._expected(lambda t: -self._at("logpdf", t))
        if name == "logentropy":
            return np.log(cp.asarray(self._by_quadrature("entropy")).astype(np.complex128))
        low, high = self._ends()
        inside = [cp.minimum(cp.maximum(where(isnan(v), low, v), low), high) for v in x]
        first, last = inside if len(x) == 2 else (inside[0], high) if "ccdf" in name else (low, inside[0])
        middle, width = self._place()
        shape = np.broadcast_shapes(self._shape, *(v.shape for v in inside))
        first, last, middle = (cp.broadcast_to(cp.asarray(v, dtype=np.float64), shape) for v in (first, last, middle))
        middle = cp.minimum(cp.maximum(middle, first), last)
        parts = [(first, middle), (middle, last)]
        if not name.startswith("log"):
            return sum(_quadrature.integrate(lambda t: self._at("pdf", t), a, b, scale=width) for a, b in parts)
        left, right = (_quadrature.integrate_log(lambda t: self._at("logpdf", t), a, b, scale=width) for a, b in parts)
        return np.logaddexp(left, right)

    # ------------------------------------------------------------------------------------ between two points

    def _by_subtraction(self, name: str, x: Any, y: Any) -> Any:
        if name == "cdf2":
            upper_x, upper_y = self._at("ccdf", x), self._at("ccdf", y)
            lower_x, lower_y = self._at("cdf", x), self._at("cdf", y)
            upper = (upper_x < 0.5) & (upper_y < 0.5)
            value = where(upper, upper_x - upper_y, lower_y - lower_x)
            # Of two ends in one tail the difference may cancel.
            largest = where(upper, upper_x, lower_y)
            return self._mended(name, value, both(value < CANCELLED * largest, x < y), x, y)
        lower_x, lower_y = self._at("logcdf", x), self._at("logcdf", y)
        upper_x, upper_y = self._at("logccdf", x), self._at("logccdf", y)
        left, right = lower_y < -1, upper_x < -1
        low = where(lower_x == -INF, lower_y, lower_y + log1mexp(where(lower_x == -INF, -1.0, lower_x - lower_y)))
        high = where(upper_y == -INF, upper_x, upper_x + log1mexp(where(upper_y == -INF, -1.0, upper_y - upper_x)))
        tails = np.logaddexp(lower_x, upper_y)
        value = where(left, low, where(right, high, log1mexp(tails)))
        gap = where(left, lower_y - lower_x, where(right, upper_x - upper_y, -tails))
        return self._mended(name, value, both(gap < CANCELLED, x < y), x, y)

    def _by_addition(self, name: str, x: Any, y: Any) -> Any:
        if name == "ccdf2":
            return self._at("cdf", x) + self._at("ccdf", y)
        return np.logaddexp(self._at("logcdf", x), self._at("logccdf", y))

    def _by_logexp(self, name: str, *x: Any) -> Any:
        value = super()._by_logexp(name, *x)
        if name in ("logcdf", "logccdf"):
            low, high = self._ends()
            # Below the least number the logarithm is an integral of its own.
            return self._mended(name, value, both(value == -INF, x[0] > low, x[0] < high), *x)
        return value

    # ------------------------------------------------------------------------------------ inverses and maxima

    def _inverted(self, name: str, p: Any) -> Any:
        forward = name[1:]
        low, high = self._ends()
        shape = np.broadcast_shapes(p.shape, self._shape)
        if name.endswith("ccdf"):
            return _quadrature.bisect(lambda x: self._at(forward, x) <= p, low, high, shape)
        return _quadrature.bisect(lambda x: self._at(forward, x) >= p, low, high, shape)

    def _by_optimization(self, name: str) -> Any:
        """The highest density on a grid that is drawn together around it: first of quantiles, then of points."""
        count, by_quantiles, steps = 129, 2, 9
        low, high = cp.zeros(self._shape), cp.ones(self._shape)
        share = cp.asarray(np.linspace(0, 1, count)).reshape(-1, *(1,) * len(self._shape))
        for step in range(steps):
            grid = low + (high - low) * share
            x = self._at("icdf", cp.clip(grid, 1e-300, 1 - 2.0**-53)) if step < by_quantiles else grid
            density = self._at("pdf", x)
            best = cp.argmax(cp.where(isnan(density), -1.0, density), axis=0)
            ends = grid if step < by_quantiles - 1 else x
            low, high = (
                cp.take_along_axis(ends, cp.clip(best + move, 0, count - 1)[None], axis=0)[0] for move in (-1, 1)
            )
        x = cp.take_along_axis(x, best[None], axis=0)[0]
        top = self._at("pdf", x)
        for end in self._ends():
            finite = cp.isfinite(cp.asarray(end))
            at_end = self._at("pdf", cp.where(finite, end, x))
            x = cp.where(finite & (at_end >= top), end, x)
        return x


class DiscreteDistribution(UnivariateDistribution):
    """A discrete random variable."""

    _discrete = True
    _density = "pmf"

    def _at(self, name: str, *args: Any, method: str | None = None) -> Any:
        if name in ("pdf", "logpdf"):
            # All probability lies on points.
            return where(self._at("pmf", args[0]) > 0, INF, -INF if name == "logpdf" else 0.0)
        return super()._at(name, *args, method=method)
