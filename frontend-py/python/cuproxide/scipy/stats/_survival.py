"""Censored data, empirical distributions of them, and the test that compares two of these."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device
from ._common import current_axes, points, quiet
from ._math import ndtr, ndtri
from ._results import ConfidenceInterval

__all__ = ["CensoredData", "ecdf", "logrank"]


def _sequence(values: Any, name: str, infinite: bool = False) -> ndarray:
    x = points(as_device([] if values is None else values))
    if x.ndim != 1:
        raise ValueError(f"`{name}` must be a one-dimensional sequence.")
    if bool(cp.isnan(x).any()):
        raise ValueError(f"`{name}` must not contain nan.")
    if not infinite and bool(cp.isinf(x).any()):
        raise ValueError(f"`{name}` must contain only finite values.")
    return x


def _sorted_intervals(interval: Any) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """Intervals by what they are: single values, upper bounds, lower bounds, and finite intervals."""
    x = points(as_device(np.empty((0, 2)) if interval is None else interval))
    if x.shape == (0,):
        x = x.reshape(0, 2)
    if x.ndim != 2 or x.shape[-1] != 2:
        raise ValueError(
            "`interval` must be a two-dimensional array with shape (m, 2), where m is the number of interval-censored "
            f"values, but got shape {x.shape}"
        )
    if bool(cp.isnan(x).any()):
        raise ValueError("`interval` must not contain nan.")
    if bool(cp.isinf(x).all(axis=1).any()):
        raise ValueError("In each row in `interval`, both values must not be infinite.")
    low, high = x[:, 0], x[:, 1]
    if bool((low > high).any()):
        raise ValueError("In each row of `interval`, the left value must not exceed the right value.")
    known = low == high
    finite = cp.isfinite(low) & cp.isfinite(high) & ~known
    return low[known], high[cp.isinf(low)], low[cp.isinf(high)], x[finite]


def _marked(x: Any, censored: Any) -> tuple[ndarray, ndarray]:
    x, marks = points(as_device(x)), as_device(censored)
    if x.ndim != 1:
        raise ValueError("`x` must be one-dimensional.")
    if marks.ndim != 1:
        raise ValueError("`censored` must be one-dimensional.")
    if not bool(cp.isfinite(x).all()):
        raise ValueError("`x` must not contain nan or inf.")
    if marks.size != x.size:
        raise ValueError("`x` and `censored` must have the same length.")
    return x, marks.astype(bool)


class CensoredData:
    """Observations of which some are known as bounds only. See `scipy.stats.CensoredData`.

    `fit` of continuous distributions, `ecdf` and `logrank` take it.

    Parameters
    ----------
    uncensored : array_like, optional
        Observations that are known.
    left, right : array_like, optional
        Upper bounds of observations, and lower bounds.
    interval : array_like, shape (m, 2), optional
        Bounds of observations on both sides; one of a row may be infinite, and both equal.

    Raises
    ------
    ValueError
        If there are NaN or values that are not finite, or shapes do not fit.

    >>> print(cp.scipy.stats.CensoredData([1, 1.5], left=[0], right=[10], interval=[[2, 3]]))
    CensoredData(5 values: 2 not censored, 1 left-censored, 1 right-censored, 1 interval-censored)
    """

    def __init__(self, uncensored: Any = None, *, left: Any = None, right: Any = None, interval: Any = None) -> None:
        known, below, above = (
            _sequence(values, name) for values, name in ((uncensored, "uncensored"), (left, "left"), (right, "right"))
        )
        more_known, more_below, more_above, self._interval = _sorted_intervals(interval)
        self._uncensored = cp.concatenate([known, more_known])
        self._left, self._right = cp.concatenate([below, more_below]), cp.concatenate([above, more_above])

    def __repr__(self) -> str:
        parts = {"uncensored": self._uncensored, "left": self._left, "right": self._right, "interval": self._interval}
        shown = (f"{name}={' '.join(repr(values.get()).split())}" for name, values in parts.items())
        return f"CensoredData({', '.join(shown)})"

    def __str__(self) -> str:
        parts = [f"{len(self._uncensored)} not censored"]
        for values, name in ((self._left, "left"), (self._right, "right"), (self._interval, "interval")):
            if len(values):
                parts.append(f"{len(values)} {name}-censored")
        return f"CensoredData({len(self)} values: {', '.join(parts)})"

    def _mapped(self, change: Any) -> CensoredData:
        return CensoredData(
            change(self._uncensored),
            left=change(self._left),
            right=change(self._right),
            interval=change(self._interval),
        )

    def __sub__(self, other: Any) -> CensoredData:
        return self._mapped(lambda x: x - other)

    def __truediv__(self, other: Any) -> CensoredData:
        return self._mapped(lambda x: x / other)

    def __len__(self) -> int:
        return len(self._uncensored) + self.num_censored()

    def num_censored(self) -> int:
        """How many values are bounds."""
        return len(self._left) + len(self._right) + len(self._interval)

    def _uncensor(self) -> ndarray:
        """Bounds in place of values, and the middles of intervals."""
        return cp.concatenate([self._uncensored, self._left, self._right, self._interval.mean(axis=1)])

    @classmethod
    def right_censored(cls, x: Any, censored: Any) -> CensoredData:
        """From values, of which the marked ones are lower bounds."""
        x, marks = _marked(x, censored)
        return cls(x[~marks], right=x[marks])

    @classmethod
    def left_censored(cls, x: Any, censored: Any) -> CensoredData:
        """From values, of which the marked ones are upper bounds."""
        x, marks = _marked(x, censored)
        return cls(x[~marks], left=x[marks])

    @classmethod
    def interval_censored(cls, low: Any, high: Any) -> CensoredData:
        """From lower and upper bounds.

        Parameters
        ----------
        low : array_like
            The lower ends of the intervals.
        high : array_like
            The upper ends of the intervals.
        """
        low, high = _sequence(low, "low", True), _sequence(high, "high", True)
        if len(low) != len(high):
            raise ValueError("`low` and `high` must have the same length.")
        return cls(interval=cp.stack([low, high], axis=1))


def log_likelihood(distribution: Any, data: CensoredData, *theta: Any) -> ndarray:
    """The terms of the likelihood of censored data, as logarithms."""
    low, high = data._interval[:, 0], data._interval[:, 1]
    above = distribution.sf(low, *theta)
    # Of both tails the smaller has the digits of the difference.
    between = cp.where(
        above < 0.5,
        above - distribution.sf(high, *theta),
        distribution.cdf(high, *theta) - distribution.cdf(low, *theta),
    )
    parts = [
        distribution.logpdf(data._uncensored, *theta),
        distribution.logcdf(data._left, *theta),
        distribution.logsf(data._right, *theta),
        np.log(between),
    ]
    return cp.concatenate([part for part in parts if part.size])


# ---------------------------------------------------------------------------------------------- empirical functions


@dataclass
class EmpiricalDistributionFunction:
    """A step function of `ecdf`."""

    quantiles: ndarray
    probabilities: ndarray
    _n: Any = field(repr=False)  # how many were left before each step
    _d: Any = field(repr=False)  # how many ended at it
    _kind: str = field(repr=False)

    def evaluate(self, x: Any) -> ndarray:
        """The value at points."""
        first = 0.0 if self._kind == "cdf" else 1.0
        x = points(as_device(x))
        steps = cp.concatenate([cp.full(1, first), self.probabilities])
        value = steps[cp.searchsorted(self.quantiles, x, side="right")]
        return cp.where(cp.isnan(x), np.nan, cp.where(x == np.inf, 1 - first, value))

    def plot(self, ax: Any = None, **matplotlib_kwargs: Any) -> Any:
        """Draws the steps by matplotlib; returns the lines."""
        ax = current_axes("EmpiricalDistributionFunction.plot") if ax is None else ax
        q = self.quantiles.get()
        margin = (q[-1] - q[0]) * 0.05
        q = np.concatenate([[q[0] - margin], q, [q[-1] + margin]])
        return ax.step(q, self.evaluate(cp.asarray(q)).get(), **{"where": "post", **matplotlib_kwargs})

    def confidence_interval(self, confidence_level: float = 0.95, *, method: str = "linear") -> ConfidenceInterval:
        """The interval at each step by Greenwood's formula, or by its log-log form (Sawyer 2003)."""
        if self._n is None:
            raise NotImplementedError("Confidence interval bounds do not implement a `confidence_interval` method.")
        if method.lower() not in ("linear", "log-log"):
            raise ValueError("`method` must be one of {'linear', 'log-log'}.")
        if np.ndim(confidence_level) != 0 or not 0 <= confidence_level <= 1:
            raise ValueError("`confidence_level` must be a scalar between 0 and 1.")
        n, d, p = self._n.astype(np.float64), self._d.astype(np.float64), self.probabilities
        upper = p if self._kind == "sf" else 1 - p
        total = cp.cumsum(d / (n * (n - d)))
        z = float(ndtri(cp.asarray(0.5 + float(confidence_level) / 2)))
        with quiet():
            if method.lower() == "linear":
                reach = z * np.sqrt(upper**2 * total)
                low, high = p - reach, p + reach
            else:
                reach = z * np.sqrt(total / np.log(upper) ** 2)
                middle = np.log(-np.log(upper))
                low, high = np.exp(-np.exp(middle + reach)), np.exp(-np.exp(middle - reach))
                if self._kind == "cdf":
                    low, high = 1 - high, 1 - low
        if bool((cp.isnan(low) | cp.isnan(high)).any()):
            warnings.warn(
                "The confidence interval is undefined at some observations. This is a feature of the mathematical "
                "formula used, not an error in its implementation.",
                RuntimeWarning,
                stacklevel=2,
            )
        ends = (cp.clip(end, 0.0, 1.0) for end in (low, high))
        return ConfidenceInterval(
            *(EmpiricalDistributionFunction(self.quantiles, end, None, None, self._kind) for end in ends)
        )


@dataclass
class ECDFResult:
    """The result of `ecdf`."""

    cdf: EmpiricalDistributionFunction
    sf: EmpiricalDistributionFunction


def _censored(sample: Any, name: str) -> CensoredData:
    if isinstance(sample, CensoredData):
        return sample
    x = _sequence(sample, name)
    return CensoredData(x)


def ecdf(sample: Any) -> ECDFResult:
    """The empirical distribution of a sample. See `scipy.stats.ecdf`.

    Parameters
    ----------
    sample : array_like or CensoredData
        Observations, one-dimensional; or with lower bounds of some, of which Kaplan and Meier's estimate is made.

    Returns
    -------
    ECDFResult
        `cdf` and `sf`: step functions with `quantiles`, `probabilities`, `evaluate`, `confidence_interval` and `plot`.

    Raises
    ------
    ValueError
        If the sample is not one-dimensional, or has NaN.
    NotImplementedError
        If there are upper bounds or intervals, as in SciPy.

    >>> cp.scipy.stats.ecdf(cp.asarray([6.23, 5.58, 7.06, 6.42, 5.20])).cdf.probabilities
    array([0.2, 0.4, 0.6, 0.8, 1. ])
    """
    data = _censored(sample, "sample")
    if data.num_censored() != len(data._right):
        raise NotImplementedError("Currently, only uncensored and right-censored data is supported.")
    times, left, ended = _steps(data)
    if data.num_censored() == 0:
        lower = cp.cumsum(ended) / len(data)
        upper = 1 - lower
    else:
        upper = cp.cumprod((left - ended) / left)
        lower = 1 - upper
    return ECDFResult(
        EmpiricalDistributionFunction(times, lower, left, ended, "cdf"),
        EmpiricalDistributionFunction(times, upper, left, ended, "sf"),
    )


def _steps(data: CensoredData) -> tuple[ndarray, ndarray, ndarray]:
    """Distinct times, how many were left just before each, and how many ended there."""
    times = cp.concatenate([data._uncensored, data._right])
    died = cp.concatenate([cp.ones(len(data._uncensored), dtype=np.int64), cp.zeros(len(data._right), dtype=np.int64)])
    order = cp.argsort(times)
    times, died = times[order], died[order]
    count = times.size
    if count == 0:
        return times, died, died
    changes = times[1:] != times[:-1]
    edge = cp.ones(1, dtype=bool)
    first, last = cp.concatenate([edge, changes]), cp.concatenate([changes, edge])
    left = cp.arange(count, 0, -1)[first]
    upto = cp.cumsum(died)[last]
    return times[first], left, cp.diff(upto, prepend=0)


@dataclass
class LogRankResult:
    """The result of `logrank`."""

    statistic: ndarray
    pvalue: ndarray


def logrank(x: Any, y: Any, alternative: str = "two-sided") -> LogRankResult:
    """The test that compares how long two groups survive. See `scipy.stats.logrank`.

    Parameters
    ----------
    x, y : array_like or CensoredData
        The times; of some a lower bound may be known only.
    alternative : {"two-sided", "less", "greater"}
        Whether the rate of `x` differs, is lower, or is higher.

    Returns
    -------
    LogRankResult
        `statistic`, which is normally distributed in the limit, and `pvalue`.

    Raises
    ------
    ValueError
        If `alternative` is none of these, or samples are not one-dimensional.

    >>> x = stats.CensoredData([6, 13, 21, 30], right=[31, 47])
    >>> y = stats.CensoredData([5, 7, 9, 10, 12], right=[14])
    >>> round(float(stats.logrank(x, y).pvalue), 6)
    0.069787
    """
    x, y = _censored(x, "x"), _censored(y, "y")
    if alternative not in ("two-sided", "less", "greater"):
        raise ValueError("`alternative` must be 'less', 'greater', or 'two-sided'.")
    for data in (x, y):
        if data.num_censored() != len(data._right):
            raise NotImplementedError("Currently, only uncensored and right-censored data is supported.")
    pooled = CensoredData(cp.concatenate([x._uncensored, y._uncensored]), right=cp.concatenate([x._right, y._right]))
    times, left, ended = _steps(pooled)
    happened = ended > 0
    times, left, ended = times[happened], left[happened].astype(np.float64), ended[happened].astype(np.float64)
    every = cp.sort(cp.concatenate([x._uncensored, x._right]))
    left_x = len(x) - cp.searchsorted(every, times, side="left").astype(np.float64)
    variance = left_x * (left - left_x) * ended * (left - ended) / (left * left * cp.maximum(left - 1, 1.0))
    expected = (left_x * ended / left).sum()
    statistic = (len(x._uncensored) - expected) / np.sqrt(variance.sum())
    if alternative == "two-sided":
        pvalue = 2 * ndtr(-cp.abs(statistic))
    else:
        pvalue = ndtr(statistic if alternative == "less" else -statistic)
    return LogRankResult(statistic, pvalue)
