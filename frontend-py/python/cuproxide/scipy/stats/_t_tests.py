"""Tests of one mean and of two, by Student's t distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device
from ._axis import averaged, central, counted, only, run, sample, together, warn_of_cancellation
from ._resampling import ttest_resampled
from ._results import ConfidenceInterval, bunch
from ._table_heavy import t as t_distribution
from ._tests import checked, symmetric_pvalue


def _interval(self: Any, confidence_level: float = 0.95) -> ConfidenceInterval:
    """The confidence interval of the mean or the difference of means."""
    if not 0 < confidence_level < 1:
        raise ValueError("`confidence_level` must be a number between 0 and 1.")
    t = t_distribution
    if self._alternative == "less":
        return ConfidenceInterval(
            -np.inf + 0 * self._estimate, self._estimate + t.ppf(confidence_level, self.df) * self._error
        )
    if self._alternative == "greater":
        return ConfidenceInterval(
            self._estimate - t.ppf(confidence_level, self.df) * self._error, np.inf + 0 * self._estimate
        )
    reach = t.ppf((1 + confidence_level) / 2, self.df) * self._error
    return ConfidenceInterval(self._estimate - reach, self._estimate + reach)


TtestResult = bunch("TtestResult", ["statistic", "pvalue"], ["df"], confidence_interval=_interval)


def _t_result(estimate: Any, hypothesis: Any, error: Any, df: Any, alternative: str, dtype: Any = None) -> Any:
    with np.errstate(all="ignore"):
        statistic = (estimate - hypothesis) / error
    p = symmetric_pvalue(statistic, t_distribution(df), alternative)
    if dtype is not None:
        statistic = statistic.astype(dtype)
    if isinstance(statistic, ndarray) and isinstance(p, ndarray):
        p = p.astype(statistic.dtype)
    result = TtestResult(statistic, p, df)
    result._estimate, result._error, result._alternative = estimate, error, alternative
    return result


def ttest_1samp(
    a: Any,
    popmean: Any,
    axis: Any = 0,
    nan_policy: str = "propagate",
    alternative: str = "two-sided",
    *,
    keepdims: bool = False,
) -> Any:
    """The t-test of a mean.

    Parameters
    ----------
    popmean : array_like
        The mean under the null hypothesis.

    >>> round(float(cp.scipy.stats.ttest_1samp(cp.asarray([1.0, 2.0, 3.0]), 1.0).pvalue), 6)
    0.225403
    """
    checked(alternative)
    x = sample(a, real=True)
    popmean = as_device(popmean).astype(x.dtype) if isinstance(popmean, ndarray) or np.ndim(popmean) else popmean
    if isinstance(popmean, ndarray) and axis is not None and popmean.ndim == x.ndim and popmean.ndim:
        popmean = popmean.squeeze(axis)

    def core(y: ndarray, masks: Any = None) -> Any:
        mask = only(masks)
        n = counted(y, mask)
        mean = averaged(y, mask)
        variance = central(y, 2, mask, mean)
        warn_of_cancellation(y, variance, mean, mask)
        error = np.sqrt(variance * n / (n - 1) / n)
        # An integer where no elements are omitted.
        df = cp.full(mean.shape, y.shape[-1] - 1) if mask is None else cp.broadcast_to(n - 1.0, mean.shape)
        return mean, error, df

    options = {"masked": True, "spread_nan": True, "nothing": lambda v: (v, v, v)}
    estimate, error, df = run(core, [x], axis, nan_policy, keepdims, **options)
    return _t_result(estimate, popmean, error, df, alternative)


def ttest_rel(
    a: Any,
    b: Any,
    axis: Any = 0,
    nan_policy: str = "propagate",
    alternative: str = "two-sided",
    *,
    keepdims: bool = False,
) -> Any:
    """The t-test of paired samples.

    >>> float(cp.scipy.stats.ttest_rel(cp.asarray([1.0, 2.0, 4.0]), cp.asarray([1.0, 1.0, 2.0])).df)
    2.0
    """
    a, b = together([a, b], real=True)
    if a.shape != b.shape and a.ndim == b.ndim == 1:
        raise ValueError("Array shapes are incompatible for broadcasting.")
    if axis is None:
        ones = (1,) * (max(a.ndim, b.ndim) - 1)
        a, b = a.reshape(*ones, -1), b.reshape(*ones, -1)
    return ttest_1samp(a - b, 0.0, axis, nan_policy, alternative, keepdims=keepdims)


def _two_means(
    m1: Any, v1: Any, n1: Any, m2: Any, v2: Any, n2: Any, *, equal_var: bool, alternative: str, dtype: Any = None
) -> Any:
    with np.errstate(all="ignore"):
        if equal_var:
            df = n1 + n2 - 2.0
            # One observation has no variance, and adds none.
            one, two = (cp.where(cp.asarray(n) == 1, 0.0, (n - 1) * v) for n, v in ((n1, v1), (n2, v2)))
            pooled = (one + two) / df
            error = np.sqrt(pooled * (1.0 / n1 + 1.0 / n2))
        else:
            one, two = v1 / n1, v2 / n2
            df = (one + two) ** 2 / (one**2 / (n1 - 1) + two**2 / (n2 - 1))
            df = cp.where(cp.isnan(cp.asarray(df)), 1.0, df)
            error = np.sqrt(one + two)
    return _t_result(m1 - m2, 0.0, error, df, alternative, dtype)


def ttest_ind(
    a: Any,
    b: Any,
    *,
    axis: Any = 0,
    equal_var: bool = True,
    nan_policy: str = "propagate",
    alternative: str = "two-sided",
    trim: float = 0,
    method: Any = None,
    keepdims: bool = False,
) -> Any:
    """The t-test of two independent samples, of Welch's form without `equal_var`.

    Parameters
    ----------
    trim : float
        The part that is cut from each end.

    >>> r = cp.scipy.stats.ttest_ind(cp.asarray([1.0, 2.0, 3.0]), cp.asarray([2.0, 3.0, 4.0]))
    >>> round(float(r.pvalue), 6)
    0.287864
    """
    checked(alternative)
    if not 0 <= trim < 0.5:
        raise ValueError("Trimming percentage should be 0 <= `trim` < .5.")
    if method is not None:
        return ttest_resampled(ttest_ind, a, b, axis, equal_var, alternative, method)

    a, b, dtype = as_device(a), as_device(b), None
    if np.float16 in (a.dtype, b.dtype) and np.result_type(a.dtype, b.dtype) == np.float16:
        # Variances leave the range of half precision, the result does not.
        a, b, dtype = a.astype(np.float32), b.astype(np.float32), np.float16

    def part(x: ndarray, mask: Any) -> Any:
        n = counted(x, mask)
        if trim == 0:
            mean = averaged(x, mask)
            variance = central(x, 2, mask, mean)
            warn_of_cancellation(x, variance, mean, mask)
            return mean, variance * n / (n - 1), n
        size = x.shape[-1]
        g = int(size * trim)
        ordered = cp.sort(x, axis=-1)
        # Winsorized deviations of what the trimmed mean leaves out (Yuen 1974).
        clipped = cp.clip(ordered, ordered[..., g : g + 1], ordered[..., size - g - 1 : size - g])
        h = size - 2 * g
        return (
            ordered[..., g : size - g].mean(axis=-1),
            clipped.var(axis=-1, ddof=1) * (size - 1) / (h - 1),
            np.float64(h),
        )

    def core(x: ndarray, y: ndarray, masks: Any = None) -> Any:
        one, two = part(x, masks and masks[0]), part(y, masks and masks[1])
        shape = one[0].shape
        return tuple(cp.broadcast_to(cp.asarray(v), shape) for v in (*one, *two))

    options = {"masked": trim == 0, "spread_nan": True, "real": True, "nothing": lambda v: (v,) * 6}
    values = run(core, [a, b], axis, nan_policy, keepdims, **options)
    return _two_means(*values, equal_var=equal_var, alternative=alternative, dtype=dtype)


def ttest_ind_from_stats(
    mean1: Any,
    std1: Any,
    nobs1: Any,
    mean2: Any,
    std2: Any,
    nobs2: Any,
    equal_var: bool = True,
    alternative: str = "two-sided",
) -> Any:
    """The t-test of two samples by their means and deviations.

    Parameters
    ----------
    mean1 : array_like
        The mean of the first sample.
    std1 : array_like
        The deviation of the first sample.
    nobs1 : array_like
        The size of the first sample.
    mean2 : array_like
        The mean of the second sample.
    std2 : array_like
        The deviation of the second sample.
    nobs2 : array_like
        The size of the second sample.

    >>> float(cp.scipy.stats.ttest_ind_from_stats(1.0, 1.0, 5, 1.0, 1.0, 5).pvalue)
    1.0
    """
    checked(alternative)
    m1, s1, n1, m2, s2, n2 = (as_device(v).astype(np.float64) for v in (mean1, std1, nobs1, mean2, std2, nobs2))
    return _two_means(m1, s1**2, n1, m2, s2**2, n2, equal_var=equal_var, alternative=alternative)


__all__ = ["ttest_1samp", "ttest_ind", "ttest_ind_from_stats", "ttest_rel"]
