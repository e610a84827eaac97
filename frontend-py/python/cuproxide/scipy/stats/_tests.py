"""What tests share: alternatives, p-values, middles of samples."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ._axis import averaged
from ._trimmed import trim_mean, trimmed_mean

ALTERNATIVES = ("two-sided", "less", "greater")


def checked(alternative: str) -> str:
    """One of the three alternatives, or `ValueError`."""
    if alternative not in ALTERNATIVES:
        raise ValueError("`alternative` must be 'less', 'greater', or 'two-sided'.")
    return alternative


def symmetric_pvalue(statistic: Any, distribution: Any, alternative: str) -> Any:
    """The p-value of a statistic whose distribution is symmetric about 0."""
    if alternative == "less":
        return distribution.cdf(statistic)
    if alternative == "greater":
        return distribution.sf(statistic)
    return 2 * distribution.sf(abs(statistic))


def middle_of(x: ndarray, center: str, proportiontocut: float, mask: Any = None) -> ndarray:
    """The mean, median or trimmed mean of what counts along the last axis."""
    if center == "trimmed":
        return trim_mean(x, proportiontocut, axis=-1) if mask is None else trimmed_mean(x, proportiontocut, mask)
    if center == "mean":
        return averaged(x, mask)
    return cp.median(x, axis=-1) if mask is None else cp.nanmedian(cp.where(mask, x, np.nan), axis=-1)
