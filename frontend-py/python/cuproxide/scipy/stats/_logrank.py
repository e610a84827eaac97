"""The logrank test of two samples of survival times."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device
from ._table_normal import norm
from ._tests import checked, symmetric_pvalue


class LogRankResult:
    """The result of `logrank`."""

    def __init__(self, statistic: Any, pvalue: Any) -> None:
        self.statistic, self.pvalue = statistic, pvalue

    def __repr__(self) -> str:
        return f"LogRankResult(statistic={self.statistic!r}, pvalue={self.pvalue!r})"


def _times(sample: Any, name: str) -> tuple[ndarray, ndarray]:
    """Times of deaths, and times at which others were lost from sight."""
    if hasattr(sample, "_uncensored"):
        if as_device(sample._left).size or as_device(sample._interval).size:
            raise NotImplementedError("Currently, only uncensored and right-censored data is supported.")
        return tuple(as_device(v).astype(np.float64).ravel() for v in (sample._uncensored, sample._right))
    deaths = as_device(sample).astype(np.float64)
    if deaths.ndim != 1:
        raise ValueError(f"`{name}` must be one-dimensional.")
    if bool(cp.isnan(deaths).any()):
        raise ValueError(f"`{name}` must not contain nan.")
    return deaths, cp.zeros(0)


def logrank(x: Any, y: Any, alternative: str = "two-sided") -> LogRankResult:
    """The test whether two samples have one survival function. See `scipy.stats.logrank`.

    Parameters
    ----------
    x, y : arrays of numbers of one dimension, or censored data
        Times; of censored data those that are right-censored or not at all.
    alternative : {"two-sided", "less", "greater"}

    Returns
    -------
    LogRankResult
        `statistic` and `pvalue`.

    Raises
    ------
    ValueError
        For samples of more dimensions or with NaN, and another alternative.
    NotImplementedError
        For data that are censored on the left or in an interval, as SciPy.

    >>> import cuproxide as cp
    >>> r = cp.scipy.stats.logrank(cp.asarray([1.0, 2.0, 5.0, 7.0]), cp.asarray([3.0, 4.0, 8.0, 9.0]))
    >>> round(float(r.statistic), 6)
    1.258635
    """
    checked(alternative)
    (deaths_x, lost_x), (deaths_y, lost_y) = _times(x, "x"), _times(y, "y")
    of_x = cp.sort(cp.concatenate([deaths_x, lost_x]))
    every = cp.sort(cp.concatenate([of_x, deaths_y, lost_y]))
    times, died = cp.unique(cp.concatenate([deaths_x, deaths_y]), return_counts=True)
    risk = (every.size - cp.searchsorted(every, times, side="left")).astype(np.float64)
    risk_x = (of_x.size - cp.searchsorted(of_x, times, side="left")).astype(np.float64)
    spread = risk_x * (risk - risk_x) * died * (risk - died) / (risk**2 * (risk - 1))
    variance = cp.where(risk > 1, spread, 0.0).sum()
    statistic = (deaths_x.size - (risk_x * (died / risk)).sum()) / np.sqrt(variance)
    return LogRankResult(statistic, symmetric_pvalue(statistic, norm, alternative))


__all__ = ["logrank"]
