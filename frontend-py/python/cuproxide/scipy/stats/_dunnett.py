"""Dunnett's comparisons of several samples with a control."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_float
from ._axis import sample
from ._results import ConfidenceInterval
from ._table_gamma import chi2

_REACH = 9.0  # Beyond so many deviations a normal number does not matter.
_RADII = 160


class DunnettResult:
    """The result of `dunnett`."""

    def __init__(
        self, statistic: ndarray, pvalue: ndarray, alternative: str, factors: np.ndarray, df: int, difference: ndarray,
        error: ndarray,
    ) -> None:  # fmt: skip
        self.statistic, self.pvalue = statistic, pvalue
        self._alternative, self._factors, self._df = alternative, factors, df
        self._difference, self._error = difference, error

    def __repr__(self) -> str:
        return f"DunnettResult(statistic={self.statistic!r}, pvalue={self.pvalue!r})"

    def __str__(self) -> str:
        level, interval = 0.95, self.confidence_interval()
        rows = np.stack([v.get() for v in (self.statistic, self.pvalue, interval.low, interval.high)]).T
        lines = [
            f"Dunnett's test ({level * 100:.1f}% Confidence Interval)",
            "Comparison               Statistic  p-value  Lower CI  Upper CI",
        ]
        for i, (s, p, low, high) in enumerate(rows):
            lines.append(f" (Sample {i} - Control) {s:>10.3f}{p:>10.3f}{low:>10.3f}{high:>10.3f}")
        return "\n".join(lines) + "\n"

    def confidence_interval(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """The simultaneous intervals of the differences to the control.

        Parameters
        ----------
        confidence_level : float

        Returns
        -------
        ConfidenceInterval
            `low` and `high`, one number a sample.

        Raises
        ------
        ValueError
            For a level that is not between 0 and 1.
        """
        if not 0 < confidence_level < 1:
            raise ValueError("Confidence level must be between 0 and 1.")
        side = "two-sided" if self._alternative == "two-sided" else "greater"
        # The p-value falls with the statistic; steps are even in its inverse hyperbolic sine.
        low, high, points = (0.0 if side == "two-sided" else -12.0), 12.0, 65
        for _ in range(9):
            tried = np.linspace(low, high, points)
            p = _tail(cp.asarray(np.sinh(tried)), self._factors, self._df, side).get()
            at = min(max(int(np.sum(p > 1 - confidence_level)), 1), points - 1)
            low, high = tried[at - 1], tried[at]
        reach = abs(math.sinh((low + high) / 2)) * self._error
        lower, upper = self._difference - reach, self._difference + reach
        if self._alternative == "greater":
            upper = cp.full(upper.shape, np.inf)
        elif self._alternative == "less":
            lower = cp.full(lower.shape, -np.inf)
        return ConfidenceInterval(lower, upper)


def _tail(t: ndarray, factors: np.ndarray, df: int, side: str) -> ndarray:
    """The probability that the largest of several t statistics exceeds each of the numbers `t`.

    They have one normal number in common, that of the control, and one estimate of the variance. Given both they are
    independent, so the probability is an integral over two numbers, whatever the number of samples.
    """
    freedom = chi2(df)
    ends = np.sqrt(np.array([to_float(freedom.ppf(1e-17)), to_float(freedom.isf(1e-17))]) / df)
    nodes, weights = np.polynomial.legendre.leggauss(_RADII)
    radius = ends[0] + (ends[1] - ends[0]) * (nodes + 1) / 2
    density = cp.exp(freedom.logpdf(cp.asarray(df * radius**2)) + cp.asarray(np.log(2 * df * radius)))
    weight = density * cp.asarray(weights * (ends[1] - ends[0]) / 2)
    rest = np.sqrt(1 - factors**2)
    step = 0.3 * min(1.0, float(np.min(rest / factors)))
    z = cp.linspace(-_REACH, _REACH, int(min(max(math.ceil(2 * _REACH / step), 61), 8193)))
    normal = cp.exp(-z * z / 2)
    normal = normal / normal.sum()
    ndtr = cp.scipy.special.ndtr
    s = t[:, None, None] * cp.asarray(radius)[:, None]
    logs: Any = 0.0
    for factor, scale in zip(factors.tolist(), rest.tolist(), strict=True):
        outside = ndtr((factor * z - s) / scale)
        if side == "two-sided":
            outside = outside + ndtr((-s - factor * z) / scale)
        logs = logs + cp.log1p(-cp.minimum(outside, 1.0))
    return ((-cp.expm1(logs) * normal).sum(axis=-1) * weight).sum(axis=-1)


def dunnett(
    *samples: Any, control: Any, alternative: str = "two-sided", rng: Any = None, random_state: Any = None
) -> DunnettResult:
    """Dunnett's test of the means of several samples against that of a control. See `scipy.stats.dunnett`.

    Parameters
    ----------
    *samples : arrays of numbers, of one dimension
        The samples.
    control : array of numbers, of one dimension
        What they are compared with.
    alternative : {"two-sided", "less", "greater"}
    rng, random_state
        Taken as SciPy does; the probabilities are integrals and need no random numbers.

    Returns
    -------
    DunnettResult
        `statistic` and `pvalue`, one number a sample, and `confidence_interval()`.

    Raises
    ------
    ValueError
        For arrays of more than one dimension, empty ones, another alternative.

    >>> control = cp.asarray([7.4, 8.5, 7.2, 8.24, 9.84, 8.32])
    >>> r = cp.scipy.stats.dunnett(cp.asarray([9.76, 8.8, 7.68, 9.36]), control=control)
    >>> round(float(r.pvalue[0]), 4)
    0.3089
    """
    if alternative not in ("two-sided", "less", "greater"):
        raise ValueError("alternative must be 'less', 'greater' or 'two-sided'")
    every = [as_device(x) for x in (*samples, control)]
    if any(x.ndim > 1 for x in every):
        raise ValueError("Control and samples groups must be 1D arrays")
    if any(x.size < 1 for x in every):
        raise ValueError("Control and samples groups must have at least 1 observation")
    every = [sample(x).ravel() for x in every]
    sizes = np.array([x.size for x in every], float)
    df = int(sizes.sum()) - len(every)
    means = cp.stack([x.mean() for x in every])
    squares: Any = 0.0
    for x in every:
        squares = squares + x.var() * x.size
    deviation = np.sqrt(squares / df)
    error = deviation * cp.asarray(np.sqrt(1 / sizes[:-1] + 1 / sizes[-1]))
    difference = means[:-1] - means[-1]
    statistic = difference / error
    factors = 1 / np.sqrt(sizes[-1] / sizes[:-1] + 1)
    t = {"two-sided": abs(statistic), "greater": statistic, "less": -statistic}[alternative]
    side = "two-sided" if alternative == "two-sided" else "greater"
    return DunnettResult(statistic, _tail(t, factors, df, side), alternative, factors, df, difference, error)


__all__ = ["dunnett"]
