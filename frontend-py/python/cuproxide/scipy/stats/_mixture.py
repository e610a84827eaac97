"""Mixtures of random variables."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ._math import logaddexp, stepwise
from ._random_variable import Interval
from ._random_variable_kinds import ContinuousDistribution
from ._random_variable_moments import EVERY_METHOD, moved

__all__ = ["Mixture"]


class Mixture(ContinuousDistribution):
    """One of several random variables, chosen with given probabilities. See `scipy.stats.Mixture`.

    Parameters
    ----------
    components : sequence of ContinuousDistribution
        The random variables; their parameters are numbers.
    weights : sequence of float, optional
        Their probabilities, which sum to one; equal if not given.

    Raises
    ------
    ValueError
        If a component is not continuous or has array parameters, or weights do not fit.

    >>> parts = [stats.Normal(mu=-2.0, sigma=1.0), stats.Normal(mu=2.0, sigma=1.0)]
    >>> x = stats.Mixture(parts, weights=[0.4, 0.6])
    >>> float(x.mean().round(6)), float(x.cdf(0.0).round(6)), float(x.mode().round(2))
    (0.4, 0.40455, 2.0)
    """

    _stated = frozenset({"pdf", "logpdf", "cdf", "logcdf", "ccdf", "logccdf", "cdf2", "sample"})
    _domain = Interval(inclusive=(True, True))
    _has_methods = False

    def __init__(self, components: Any, *, weights: Any = None) -> None:
        if len(components) == 0:
            raise ValueError("`components` must contain at least one random variable.")
        for component in components:
            if not isinstance(component, ContinuousDistribution):
                raise ValueError("Each element of `components` must be an instance of `ContinuousDistribution`.")
            if component._shape != ():
                raise ValueError("All elements of `components` must have scalar shapes.")
        if weights is None:
            weights = np.full(len(components), 1 / len(components))
        else:
            weights = weights.get() if isinstance(weights, ndarray) else np.asarray(weights)
            if weights.shape != (len(components),):
                raise ValueError("`components` and `weights` must have the same length.")
            if weights.dtype.kind != "f":
                raise ValueError("`weights` must have floating point dtype.")
            if not np.isclose(weights.sum(), 1.0):
                raise ValueError("`weights` must sum to 1.0.")
            if not np.all(weights >= 0):
                raise ValueError("All `weights` must be non-negative.")
        self._components, self._weights = list(components), weights
        super().__init__()
        self._dtype = np.result_type(*(component._dtype for component in components))

    @property
    def components(self) -> list[Any]:
        """The random variables."""
        return list(self._components)

    @property
    def weights(self) -> ndarray:
        """Their probabilities."""
        return cp.asarray(self._weights)

    def _shown(self, show: Callable[[Any], str]) -> str:
        with np.printoptions(threshold=10):
            listed = "".join(f"        {component._shown(show)},\n" for component in self._components)
            return f"Mixture(\n    [\n{listed}    ],\n    weights={show(self._weights)},\n)"

    def _ends(self) -> tuple[Any, Any]:
        lows, highs = zip(*(component._ends() for component in self._components), strict=True)
        low, high = lows[0], highs[0]
        for other in lows[1:]:
            low = np.minimum(low, other)
        for other in highs[1:]:
            high = np.maximum(high, other)
        return low, high

    def _formula(self, name: str, *args: Any) -> Any:
        if name == "sample":
            return self._drawn(*args)
        total: Any = None
        for component, weight in zip(self._components, self._weights.tolist(), strict=True):
            part = component._clipped(name, *args)
            part = part + math.log(weight) if name.startswith("log") and weight else part * weight
            if name.startswith("log") and not weight:
                continue
            total = part if total is None else logaddexp(total, part) if name.startswith("log") else total + part
        return total

    def _drawn(self, full: tuple[int, ...], source: Any) -> Any:
        count = math.prod(full)
        counts = source.multinomial(count, self._weights)
        counts = (counts.get() if isinstance(counts, ndarray) else counts).tolist()
        parts = [
            component.sample(number, rng=source).astype(np.float64)
            for component, number in zip(self._components, counts, strict=True)
        ]
        return source.permutation(cp.concatenate(parts)).reshape(full)

    def _moment_formula(self, kind: str, order: int) -> Any:
        if kind == "standardized":
            return None
        every = EVERY_METHOD
        mean = self._moment("raw", 1, every) if kind == "central" else None
        total: Any = 0.0
        for component, weight in zip(self._components, self._weights.tolist(), strict=True):
            if kind == "raw":
                part = component._moment("raw", order, every)
            else:
                known = [component._moment("central", i, every) for i in range(stepwise(order) + 1)]
                part = moved(known, component._moment("raw", 1, every) - mean)
            total = total + part * weight
        return total
