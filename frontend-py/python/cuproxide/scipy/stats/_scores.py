"""Positions of scores among others, and frequencies of intervals."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import to_float
from ._axis import sample
from ._common import check_policy, refuse_nan


def percentileofscore(a: Any, score: Any, kind: str = "rank", nan_policy: str = "propagate") -> ndarray:
    """The share of elements below a score, in percent.

    Parameters
    ----------
    score : array_like
        The scores.
    kind : {'rank', 'weak', 'strict', 'mean'}
        How ties count.

    >>> float(cp.scipy.stats.percentileofscore(cp.asarray([1, 2, 3, 4]), 3))
    75.0
    """
    if kind not in ("rank", "strict", "weak", "mean"):
        raise ValueError("kind can only be 'rank', 'strict', 'weak' or 'mean'")
    check_policy(nan_policy)
    x, at = sample(a), sample(score)
    if x.ndim != 1:
        raise ValueError(f"`a` must be 1-dimensional, but it has the shape {x.shape}.")
    bad = cp.isnan(x)
    if nan_policy == "raise":
        refuse_nan(x, at)
    if nan_policy == "omit":
        x = x[~bad]
    n = x.size
    if n == 0:
        return cp.full(at.shape, np.nan)
    ordered = cp.sort(x)
    below, upto = cp.searchsorted(ordered, at, side="left"), cp.searchsorted(ordered, at, side="right")
    share = {
        "rank": (below + upto + (below < upto)) * 50.0 / n,
        "strict": below * 100.0 / n,
        "weak": upto * 100.0 / n,
        "mean": (below + upto) * 50.0 / n,
    }[kind]
    share = cp.where(cp.isnan(at), np.nan, share)
    return cp.where(bad.any(), np.nan, share) if nan_policy == "propagate" else share


def scoreatpercentile(
    a: Any, per: Any, limit: Any = (), interpolation_method: str = "fraction", axis: Any = None
) -> ndarray:
    """The score at a percentile.

    Parameters
    ----------
    per : array_like
        The percentiles.
    limit : tuple, optional
        The ends outside of which elements do not count.
    interpolation_method : str
        How values between elements are found.

    >>> float(cp.scipy.stats.scoreatpercentile(cp.arange(101.0), 50))
    50.0
    """
    methods = {"fraction": "linear", "lower": "lower", "higher": "higher"}
    if interpolation_method not in methods:
        raise ValueError("interpolation_method can only be 'fraction', 'lower' or 'higher'")
    # Scores are float64 whatever the samples are.
    x = sample(a, real=True).astype(np.float64, copy=False)
    if limit:
        x = x[(limit[0] <= x) & (x <= limit[1])]
    if x.size == 0:
        return cp.full(np.shape(per), np.nan)
    return cp.percentile(x, per, axis=axis, method=methods[interpolation_method])


HistogramResult = namedtuple("HistogramResult", ["count", "lowerlimit", "binsize", "extrapoints"])
CumfreqResult = namedtuple("CumfreqResult", ["cumcount", "lowerlimit", "binsize", "extrapoints"])
RelfreqResult = namedtuple("RelfreqResult", ["frequency", "lowerlimit", "binsize", "extrapoints"])


def _binned(a: Any, numbins: int, limits: Any, weights: Any) -> HistogramResult:
    x = sample(a).ravel()
    if weights is not None:
        weights = sample(weights)
        x = x.astype(np.result_type(x.dtype, weights.dtype), copy=False)
    if limits is None:
        if x.size == 0:
            limits = (0.0, 1.0)
        else:
            least, most = to_float(x.min()), to_float(x.max())
            margin = (most - least) / (2.0 * (numbins - 1.0)) if numbins > 1 else 0.5
            limits = (least - margin, most + margin)
    elif not (hasattr(limits, "__len__") and len(limits) == 2 and limits[0] < limits[1]):
        raise ValueError(
            "If specified, `defaultreallimits` must be given as an iterable in the order (lower limit, upper limit)."
        )
    elif x.dtype.kind == "c":
        raise ValueError("`a` and (if specified) `weights` must have real dtype.")
    elif weights is not None and bool((weights < 0).any()):
        raise ValueError("All `weights` must be non-negative.")
    count, edges = cp.histogram(x, bins=numbins, range=limits, weights=weights)
    outside = x.size - int(((x >= limits[0]) & (x <= limits[1])).sum())
    step = edges[1] - edges[0]
    return HistogramResult(count.astype(x.dtype), x.dtype.type(limits[0]), step, outside)


def cumfreq(a: Any, numbins: int = 10, defaultreallimits: Any = None, weights: Any = None) -> CumfreqResult:
    """The cumulative histogram.

    >>> cp.scipy.stats.cumfreq(cp.arange(4.0), numbins=4).cumcount
    array([1., 2., 3., 4.])
    """
    h = _binned(a, numbins, defaultreallimits, weights)
    return CumfreqResult(cp.cumsum(h.count), *h[1:])


def relfreq(a: Any, numbins: int = 10, defaultreallimits: Any = None, weights: Any = None) -> RelfreqResult:
    """The histogram as shares.

    >>> cp.scipy.stats.relfreq(cp.arange(4.0), numbins=4).frequency
    array([0.25, 0.25, 0.25, 0.25])
    """
    h = _binned(a, numbins, defaultreallimits, weights)
    total = sample(a).size if weights is None else sample(weights).sum().astype(h.count.dtype)
    return RelfreqResult(h.count / total, *h[1:])


__all__ = ["cumfreq", "percentileofscore", "relfreq", "scoreatpercentile"]
