"""The exact test of proportions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_float
from ._common import quiet, whole_number
from ._results import ConfidenceInterval
from ._table_bounded import beta
from ._table_discrete import binom
from ._table_normal import norm
from ._tests import ALTERNATIVES

# Outcomes that one round of the search for the other tail looks at, for each test.
_SAMPLED = 16


class BinomTestResult:
    """The result of `binomtest`."""

    def __init__(self, k: Any, n: Any, alternative: str, statistic: Any, pvalue: Any) -> None:
        self.k, self.n, self.alternative = k, n, alternative
        self.statistic, self.pvalue = statistic, pvalue
        self.proportion_estimate = statistic

    def proportion_ci(self, confidence_level: float = 0.95, method: str = "exact") -> ConfidenceInterval:
        """The confidence interval of the proportion.

        Parameters
        ----------
        confidence_level : float
            The probability that it covers the proportion.
        method : {'exact', 'wilson', 'wilsoncc'}
            The exact interval, or Wilson's without and with correction for continuity.
        """
        if method not in ("exact", "wilson", "wilsoncc"):
            raise ValueError(f"method ('{method}') must be one of ('exact', 'wilson', 'wilsoncc')")
        if not 0 <= confidence_level <= 1:
            raise ValueError(f"confidence_level ({confidence_level}) must be in the interval [0, 1].")
        k, n = (cp.asarray(part, dtype=np.float64) for part in (self.k, self.n))
        alpha = 1 - confidence_level if self.alternative != "two-sided" else (1 - confidence_level) / 2
        with quiet():
            low, high = _exact(k, n, alpha) if method == "exact" else _wilson(k, n, alpha, method == "wilsoncc")
        unknown = cp.isnan(k)
        low = cp.where((k == 0) | (self.alternative == "less"), 0.0, cp.maximum(low, 0.0))
        high = cp.where((k == n) | (self.alternative == "greater"), 1.0, cp.minimum(high, 1.0))
        return ConfidenceInterval(*(self._like_pvalue(cp.where(unknown, np.nan, end)) for end in (low, high)))

    def _like_pvalue(self, value: ndarray) -> Any:
        return value.astype(self.pvalue.dtype) if isinstance(self.pvalue, ndarray) else to_float(value)

    def __repr__(self) -> str:
        return (
            f"BinomTestResult(k={self.k}, n={self.n}, alternative={self.alternative!r}, statistic={self.statistic}, "
            f"pvalue={self.pvalue})"
        )


def _exact(k: ndarray, n: ndarray, alpha: float) -> tuple[ndarray, ndarray]:
    return beta.ppf(alpha, k, n - k + 1), beta.isf(alpha, k + 1, n - k)


def _wilson(k: ndarray, n: ndarray, alpha: float, correct: bool) -> tuple[ndarray, ndarray]:
    z, p = float(norm.isf(alpha)), k / n
    q = 1 - p
    denominator, centre = 2 * (n + z**2), (2 * n * p + z**2) / (2 * (n + z**2))
    if not correct:
        delta = z / denominator * np.sqrt(4 * n * p * q + z**2)
        return centre - delta, centre + delta
    low = (1 + z * np.sqrt(z**2 - 2 - 1 / n + 4 * p * (n * q + 1))) / denominator
    high = (1 + z * np.sqrt(z**2 + 2 - 1 / n + 4 * p * (n * q - 1))) / denominator
    return centre - low, centre + high


def _least_rare(rarest: ndarray, start: ndarray, direction: ndarray, n: ndarray, p: ndarray, most: int) -> ndarray:
    """The outcome nearest to `start`, in a direction, no more likely than `rarest`; one beyond the end if none is.

    Probabilities fall on that way, so that each round leaves one gap between the outcomes it looks at. `most` bounds
    the number of trials, and with it that of the rounds.
    """
    low, count = cp.zeros(n.shape), cp.where(direction > 0, n - start, start) + 1
    lanes = cp.arange(float(_SAMPLED)).reshape(-1, *(1,) * n.ndim)
    left = most + 1
    while left > 0:
        step = cp.maximum(cp.ceil(count / _SAMPLED), 1.0)
        offsets = lanes * step
        likely = (binom.pmf(start + direction * (low + offsets), n, p) > rarest) & (offsets < count)
        found = likely.sum(axis=0)
        # What is left are the outcomes after the last likely one that was looked at, up to the first rare one.
        end = cp.minimum(found * step, count)
        first = cp.where(found > 0, (found - 1) * step + 1, 0.0)
        low, count = low + first, cp.where(found > 0, end - first, 0.0)
        left = math.ceil(left / _SAMPLED) - 1
    return start + direction * low


def _two_sided(k: ndarray, n: ndarray, p: ndarray, most: int) -> ndarray:
    """The probability of all outcomes that are no more likely than `k`, up to rounding."""
    rarest = binom.pmf(k, n, p) * (1 + 1e-7)
    below = k < n * p
    start = cp.where(below, cp.ceil(n * p), cp.floor(n * p))
    other = _least_rare(rarest, start, cp.where(below, 1.0, -1.0), n, p, most)
    lower, upper = cp.where(below, k, other), cp.where(below, other, k)
    tails = cp.minimum(binom.cdf(lower, n, p) + binom.sf(upper - 1, n, p), 1.0)
    return cp.where(k == n * p, 1.0, tails)


def _pvalue(k: ndarray, n: ndarray, p: ndarray, *, alternative: str, most: int) -> ndarray:
    if alternative == "two-sided":
        return _two_sided(k, n, p, most)
    return binom.cdf(k, n, p) if alternative == "less" else binom.sf(k - 1, n, p)


def binomtest(k: Any, n: Any, p: Any = 0.5, alternative: str = "two-sided") -> BinomTestResult:
    """The exact test of a proportion, or of many.

    Parameters
    ----------
    k : array_like of int
        The number of successes.
    n : array_like of int
        The number of trials.
    p : array_like of float
        The probability of success under the null hypothesis.

    Returns
    -------
    BinomTestResult
        With Python's numbers for one test, with arrays for several: NaN where `k`, `n` or `p` make no sense.

    Raises
    ------
    TypeError
        For one test with a count that is no integer.
    ValueError
        For one test with numbers out of range.

    >>> round(cp.scipy.stats.binomtest(3, 15, 0.1, "greater").pvalue, 6)
    0.184061
    >>> cp.scipy.stats.binomtest([3, 9], 15, 0.1).pvalue.round(6)
    array([1.84061e-01, 3.00000e-06])
    """
    if alternative not in ALTERNATIVES:
        raise ValueError(
            f"alternative ('{alternative}') not recognized; must be one of ('two-sided', 'less', 'greater')"
        )
    if any(np.ndim(part) for part in (k, n, p)):
        return _several(*(as_device(part) for part in (k, n, p)), alternative=alternative)
    k, n, p = whole_number(k, "k"), whole_number(n, "n"), to_float(p)
    if k < 0:
        raise ValueError(f"k ({k}) must be nonnegative.")
    if n < 1:
        raise ValueError(f"n ({n}) must be greater than or equal to 1.")
    if k > n:
        raise ValueError(f"k ({k}) must not be greater than n ({n}).")
    if not 0 <= p <= 1:
        raise ValueError(f"p ({p}) must be in range [0,1]")
    pvalue = _pvalue(*(cp.asarray(part, dtype=np.float64) for part in (k, n, p)), alternative=alternative, most=n)
    return BinomTestResult(k, n, alternative, k / n, to_float(pvalue))


def _several(k: ndarray, n: ndarray, p: ndarray, *, alternative: str) -> BinomTestResult:
    narrow = [part.dtype for part in (k, n, p) if part.dtype.kind == "f"]
    dtype = np.result_type(*narrow) if narrow else np.dtype(np.float64)
    k, n, p = cp.broadcast_arrays(*(part.astype(np.float64) for part in (k, n, p)))
    valid = (k >= 0) & (k <= n) & (k == cp.floor(k)) & (n >= 1) & (n == cp.floor(n)) & cp.isfinite(n)
    valid = valid & (p >= 0) & (p <= 1)
    k, n, p = (cp.where(valid, part, np.nan) for part in (k, n, p))
    most = int(cp.where(valid, n, 0.0).max()) if n.size and alternative == "two-sided" else 0
    with quiet():
        pvalue = _pvalue(k, n, p, alternative=alternative, most=most)
    shown = (part.astype(dtype) for part in (k, n, k / n, cp.where(valid, pvalue, np.nan)))
    k, n, statistic, pvalue = shown
    return BinomTestResult(k, n, alternative, statistic, pvalue)


__all__ = ["binomtest"]
