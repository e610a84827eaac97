"""Means, variances and deviations of samples with credible intervals."""

from __future__ import annotations

import math
from collections import namedtuple
from typing import Any

import numpy as np

from ..._lib.arguments import to_float
from ._axis import sample
from ._table_normal import norm

Mean = namedtuple("Mean", ["statistic", "minmax"])
Variance = namedtuple("Variance", ["statistic", "minmax"])
Std_dev = namedtuple("Std_dev", ["statistic", "minmax"])


def mvsdist(data: Any) -> tuple[Any, Any, Any]:
    """Frozen distributions of the mean, variance and deviation of data. See `scipy.stats.mvsdist`.

    >>> import cuproxide as cp
    >>> mean, variance, deviation = cp.scipy.stats.mvsdist(cp.asarray([6.0, 9.0, 12.0, 7.0, 8.0, 8.0, 13.0]))
    >>> round(float(mean.mean()), 6)
    9.0
    """
    from ._table_gamma import gengamma, invgamma
    from ._table_heavy import t

    x = sample(data).ravel()
    # Means and variances of narrow types lose digits that the intervals show.
    x = x.astype(np.float64) if x.dtype.itemsize < 4 else x
    n = x.size
    if n < 2:
        raise ValueError("Need at least 2 data-points.")
    mean, c = to_float(x.mean()), to_float(x.var())
    if n > 1000:
        return (
            norm(loc=mean, scale=math.sqrt(c / n)),
            norm(loc=c, scale=math.sqrt(2.0 / n) * c),
            norm(loc=math.sqrt(c), scale=math.sqrt(c / (2.0 * n))),
        )
    half = n * c / 2.0
    return (
        t(n - 1, loc=mean, scale=math.sqrt(c / (n - 1))),
        invgamma((n - 1) / 2.0, scale=half),
        gengamma((n - 1) / 2.0, -2, scale=math.sqrt(half)),
    )


def bayes_mvs(data: Any, alpha: float = 0.90) -> tuple[Mean, Variance, Std_dev]:
    """Bayesian intervals of mean, variance and deviation.

    Parameters
    ----------
    alpha : float
        The probability of the intervals.

    Returns
    -------
    tuple of mean, variance and deviation, each with its interval

    >>> r = cp.scipy.stats.bayes_mvs(cp.asarray([6.0, 9.0, 12.0, 7.0, 8.0, 8.0, 13.0]))
    >>> round(float(r[0].statistic), 6)
    9.0
    """
    if alpha >= 1 or alpha <= 0:
        raise ValueError(f"0 < alpha < 1 is required, but {alpha=} was given.")
    m, v, s = mvsdist(data)
    return (
        Mean(m.mean(), m.interval(alpha)),
        Variance(v.mean(), v.interval(alpha)),
        Std_dev(s.mean(), s.interval(alpha)),
    )


__all__ = ["bayes_mvs", "mvsdist"]
