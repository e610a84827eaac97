"""Tests of frequencies and proportions; p-values of several tests together."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device
from ._axis import averaged, counted, only, run, sample, summed
from ._results import SignificanceResult
from ._table_gamma import chi2
from ._table_heavy import t as t_distribution
from ._table_normal import norm

Power_divergenceResult = namedtuple("Power_divergenceResult", ["statistic", "pvalue"])
_POWERS = {
    "pearson": 1,
    "log-likelihood": 0,
    "freeman-tukey": -0.5,
    "mod-log-likelihood": -1,
    "neyman": -2,
    "cressie-read": 2 / 3,
}


def power_divergence(
    f_obs: Any,
    f_exp: Any = None,
    ddof: Any = 0,
    axis: Any = 0,
    lambda_: Any = None,
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Any:
    """The Cressie-Read test of frequencies.

    >>> round(float(cp.scipy.stats.power_divergence(cp.asarray([16, 18, 16, 14, 12, 12])).statistic), 6)
    2.0
    """
    return _frequencies(f_obs, f_exp, ddof, axis, lambda_, True, nan_policy, keepdims)


def chisquare(
    f_obs: Any,
    f_exp: Any = None,
    ddof: Any = 0,
    axis: Any = 0,
    *,
    sum_check: bool = True,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Any:
    """The chi-square test of frequencies.

    Parameters
    ----------
    sum_check : bool
        Whether the sums of both have to agree.

    >>> round(float(cp.scipy.stats.chisquare(cp.asarray([16, 18, 16, 14, 12, 12])).pvalue), 6)
    0.849145
    """
    return _frequencies(f_obs, f_exp, ddof, axis, "pearson", sum_check, nan_policy, keepdims)


def _frequencies(
    f_obs: Any, f_exp: Any, ddof: Any, axis: Any, lambda_: Any, sum_check: bool, policy: str, keepdims: bool
) -> Any:
    if isinstance(lambda_, str):
        if lambda_ not in _POWERS:
            raise ValueError(f"invalid string for lambda_: {lambda_!r}. Valid strings are {list(_POWERS)!r}")
        lambda_ = _POWERS[lambda_]
    elif lambda_ is None:
        lambda_ = 1
    special = cp.scipy.special
    freedom = as_device(ddof)

    def core(observed: ndarray, expected: Any = None, masks: Any = None) -> Any:
        mask = only(masks)
        n = counted(observed, mask)
        if expected is None:
            expected = averaged(observed, mask)[..., None]
        elif sum_check:
            one, two = summed(observed, mask), summed(expected, mask)
            relative = abs(one - two) / cp.minimum(abs(one), abs(two))
            if bool((relative > 1.49e-08).any()):
                raise ValueError(
                    "For each axis slice, the sum of the observed frequencies must agree with the sum of the expected "
                    "frequencies to a relative tolerance of 1.4901161193847656e-08"
                )
        if lambda_ == 1:
            terms = (observed - expected) ** 2 / expected
        elif lambda_ == 0:
            terms = 2.0 * special.xlogy(observed, observed / expected)
        elif lambda_ == -1:
            terms = 2.0 * special.xlogy(expected, expected / observed)
        else:
            terms = observed * ((observed / expected) ** lambda_ - 1) / (0.5 * lambda_ * (lambda_ + 1))
        statistic = summed(terms, mask)
        df = n - 1 - freedom
        return Power_divergenceResult(statistic, chi2.sf(statistic, df))

    arrays = [f_obs] if f_exp is None else [f_obs, f_exp]
    options = {"masked": True, "too_small": -1, "nothing": lambda v: Power_divergenceResult(v, v)}
    return run(core, arrays, axis, policy, keepdims, paired=True, **options)


def combine_pvalues(
    pvalues: Any,
    method: str = "fisher",
    weights: Any = None,
    *,
    axis: Any = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Any:
    """One p-value of those of independent tests.

    Parameters
    ----------
    pvalues : array_like
        The p-values.
    method : str
        How they are combined.

    >>> round(float(cp.scipy.stats.combine_pvalues(cp.asarray([0.1, 0.05, 0.02])).pvalue), 6)
    0.005263
    """
    if method not in ("fisher", "pearson", "mudholkar_george", "tippett", "stouffer"):
        raise ValueError(
            f"Invalid method {method!r}. Valid methods are 'fisher', 'pearson', 'mudholkar_george', 'tippett', and "
            "'stouffer'"
        )
    from ._table_bounded import beta

    def core(p: ndarray, w: Any = None, masks: Any = None) -> Any:
        # A statistic that no probabilities have has no p-value: numbers below 0 or above 1 are none.
        mask = only(masks)
        dtype, n = (p.dtype if p.dtype.kind == "f" else np.dtype(np.float64)), counted(p, mask)
        p = p if mask is None else cp.where(mask, p, 0.5)
        if method == "fisher":
            statistic = -2 * summed(np.log(p), mask)
            value = cp.where(statistic < 0, np.nan, chi2.sf(statistic, 2 * n))
        elif method == "pearson":
            statistic = 2 * summed(np.log1p(-p), mask)
            value = cp.where(statistic > 0, np.nan, chi2.cdf(-statistic, 2 * n))
        elif method == "mudholkar_george":
            statistic = -summed(np.log(p), mask) + summed(np.log1p(-p), mask)
            df = 5 * n + 4
            value = t_distribution.sf(statistic * np.sqrt(3 / n) / np.pi * np.sqrt(df / (df - 2)), df)
        elif method == "tippett":
            statistic = (p if mask is None else cp.where(mask, p, np.inf)).min(axis=-1)
            value = cp.where((statistic < 0) | (statistic > 1), np.nan, beta.cdf(statistic, 1, n))
        else:
            z = norm.isf(p)
            w = cp.ones(p.shape, dtype=p.dtype) if w is None else w
            statistic = summed(w * z, mask) / np.sqrt(summed(w * w, mask))
            value = norm.sf(statistic)
        return SignificanceResult(statistic.astype(dtype), value.astype(dtype))

    options = {"masked": True, "spread_nan": True, "too_small": 0, "nothing": lambda v: SignificanceResult(v, v)}
    arrays = [pvalues] if weights is None else [pvalues, weights]
    return run(core, arrays, axis, nan_policy, keepdims, paired=True, **options)


def false_discovery_control(ps: Any, *, axis: Any = 0, method: str = "bh") -> ndarray:
    """P-values adjusted for the rate of false discoveries.

    Parameters
    ----------
    ps : array_like
        The p-values.
    method : {'bh', 'by'}
        The procedure: Benjamini's with Hochberg or Yekutieli.

    >>> cp.scipy.stats.false_discovery_control(cp.asarray([0.01, 0.04, 0.03])).round(6)
    array([0.03, 0.04, 0.04])
    """
    p = sample(ps)
    if not bool(((p >= 0) & (p <= 1)).all()):
        raise ValueError("`ps` must include only numbers between 0 and 1.")
    if method.lower() not in ("bh", "by"):
        raise ValueError(f"Unrecognized `method` '{method}'.Method must be one of ['bh', 'by'].")
    if axis is None:
        p, axis = p.ravel(), -1
    elif np.ndim(axis) or int(axis) != axis:
        raise ValueError(f"`axis` must be an integer or `None`, not {axis!r}")
    if p.ndim == 0 or p.shape[axis] <= 1:
        return p
    p = cp.moveaxis(p, axis, -1)
    n = p.shape[-1]
    order = cp.argsort(p, axis=-1)
    weights = (n / cp.arange(1, n + 1)).astype(p.dtype if p.dtype.kind == "f" else np.float64, copy=False)
    scaled = cp.take_along_axis(p, order, axis=-1) * weights
    if method.lower() == "by":
        scaled = scaled * float(np.sum(1 / np.arange(1, n + 1)))
    least = cp.flip(np.minimum.accumulate(cp.flip(scaled, axis=-1), axis=-1), axis=-1)
    back = cp.argsort(order, axis=-1)
    return cp.clip(cp.moveaxis(cp.take_along_axis(least, back, axis=-1), -1, axis), 0, 1)


__all__ = ["chisquare", "combine_pvalues", "false_discovery_control", "power_divergence"]
