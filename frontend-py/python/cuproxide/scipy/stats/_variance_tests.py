"""Tests of the means and the variances of several samples."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ._axis import averaged, central, counted, run, together, warn_of_cancellation
from ._common import HAS_NAN, check_policy
from ._table_bounded import f as f_distribution
from ._table_gamma import chi2
from ._tests import middle_of

F_onewayResult = namedtuple("F_onewayResult", ["statistic", "pvalue"])


def f_oneway(
    *samples: Any, axis: Any = 0, equal_var: bool = True, nan_policy: str = "propagate", keepdims: bool = False
) -> F_onewayResult:
    """The analysis of variance of several samples.

    >>> a, b = cp.asarray([1.0, 2.0, 3.0]), cp.asarray([2.0, 3.0, 4.0])
    >>> round(float(cp.scipy.stats.f_oneway(a, b).statistic), 6)
    1.5
    """
    if len(samples) < 2:
        raise TypeError(f"at least two inputs are required; got {len(samples)}.")

    def core(*xs: ndarray, masks: Any = None) -> F_onewayResult:
        masks = masks or [None] * len(xs)
        # Distances from the mean of the first sample: means and squares of them keep their digits beside an offset.
        origin = averaged(xs[0], masks[0])[..., None]
        pairs = [(x - origin, m) for x, m in zip(xs, masks, strict=True)]
        counts = [counted(x, m) for x, m in pairs]
        means = [averaged(x, m) for x, m in pairs]
        with np.errstate(all="ignore"):
            if equal_var:
                n = sum(counts)
                grand = sum(c * m for c, m in zip(counts, means, strict=True)) / n
                between = sum(c * (m - grand) ** 2 for c, m in zip(counts, means, strict=True))
                within = sum(central(x, 2, m) * c for (x, m), c in zip(pairs, counts, strict=True))
                groups = len(xs)
                statistic = between / (groups - 1.0) / (within / (n - groups))
                return F_onewayResult(statistic, f_distribution.sf(statistic, groups - 1.0, n - groups))
            variances = [central(x, 2, m) * c / (c - 1) for (x, m), c in zip(pairs, counts, strict=True)]
            weights = [c / v for c, v in zip(counts, variances, strict=True)]
            total = sum(weights)
            k = len(xs)
            middle = sum(w * m for w, m in zip(weights, means, strict=True)) / total
            spread = sum(w * (m - middle) ** 2 for w, m in zip(weights, means, strict=True)) / (k - 1)
            lam = sum((1 - w / total) ** 2 / (c - 1) for w, c in zip(weights, counts, strict=True))
            statistic = spread / (1 + 2 * (k - 2) / (k * k - 1) * lam)
            df = (k * k - 1) / (3 * lam)
            return F_onewayResult(statistic, f_distribution.sf(statistic, k - 1.0, df))

    def few(counts: Any) -> Any:
        empty, single = False, True
        for n in counts:
            empty, single = empty | (n == 0), single & (n == 1)
        return empty | single

    if not isinstance(equal_var, (bool, np.bool_)):
        raise TypeError(f"Expected a boolean value for 'equal_var', not {equal_var!r}")
    options = {"masked": True, "too_small": few, "nothing": lambda v: F_onewayResult(v, v)}
    return run(core, samples, axis, nan_policy, keepdims, **options)


AlexanderGovernResult = namedtuple("AlexanderGovernResult", ["statistic", "pvalue"])


def alexandergovern(*samples: Any, nan_policy: str = "propagate", axis: Any = 0, keepdims: bool = False) -> Any:
    """The Alexander-Govern test of equal means with unequal variances.

    Returns
    -------
    result with `statistic` and `pvalue`

    >>> a, b = cp.asarray([1.0, 2.0, 3.0]), cp.asarray([1.0, 2.0, 3.0])
    >>> float(cp.scipy.stats.alexandergovern(a, b).pvalue)
    1.0
    """
    if len(samples) < 2:
        raise TypeError(f"2 or more inputs required, got {len(samples)}")

    def core(*xs: ndarray, masks: Any = None) -> Any:
        masks = masks or [None] * len(xs)
        counts = [counted(x, m) for x, m in zip(xs, masks, strict=True)]
        means = [averaged(x, m) for x, m in zip(xs, masks, strict=True)]
        variances = [central(x, 2, m, mean) for x, m, mean in zip(xs, masks, means, strict=True)]
        for x, v, mean, m in zip(xs, variances, means, masks, strict=True):
            warn_of_cancellation(x, v, mean, m)
        errors2 = [v / (n - 1) for v, n in zip(variances, counts, strict=True)]
        total = sum(1 / e for e in errors2)
        middle = sum(m / e for m, e in zip(means, errors2, strict=True)) / total
        statistic: Any = 0.0
        for m, e, n in zip(means, errors2, counts, strict=True):
            t, v = (m - middle) / np.sqrt(e), n - 1
            a, b = v - 0.5, 48 * (v - 0.5) ** 2
            c = (a * np.log(1 + t**2 / v)) ** 0.5
            z = (
                c
                + (c**3 + 3 * c) / b
                - (4 * c**7 + 33 * c**5 + 240 * c**3 + 855 * c) / (b**2 * 10 + 8 * b * c**4 + 1000 * b)
            )
            statistic = statistic + z**2
        return AlexanderGovernResult(statistic, chi2.sf(statistic, len(xs) - 1))

    options = {"masked": True, "too_small": 1, "nothing": lambda v: AlexanderGovernResult(v, v)}
    return run(core, samples, axis, nan_policy, keepdims, **options)


BartlettResult = namedtuple("BartlettResult", ["statistic", "pvalue"])


def bartlett(*samples: Any, axis: Any = 0, nan_policy: str = "propagate", keepdims: bool = False) -> BartlettResult:
    """Bartlett's test of equal variances.

    >>> a, b = cp.asarray([1.0, 2.0, 3.0]), cp.asarray([2.0, 3.0, 4.0])
    >>> float(cp.scipy.stats.bartlett(a, b).pvalue)
    1.0
    """
    k = len(samples)
    if k < 2:
        raise ValueError("Must enter at least two input sample vectors.")

    def core(*xs: ndarray, masks: Any = None) -> BartlettResult:
        masks = masks or [None] * k
        counts = [counted(x, m) for x, m in zip(xs, masks, strict=True)]
        variances = [central(x, 2, m) * n / (n - 1) for x, m, n in zip(xs, masks, counts, strict=True)]
        n = sum(counts)
        pooled = sum((c - 1) * v for c, v in zip(counts, variances, strict=True)) / (n - k)
        top = (n - k) * np.log(pooled) - sum((c - 1) * np.log(v) for c, v in zip(counts, variances, strict=True))
        bottom = 1.0 + 1.0 / (3 * (k - 1)) * (sum(1.0 / (c - 1.0) for c in counts) - 1.0 / (n - k))
        statistic = cp.maximum(top / bottom, 0.0)
        return BartlettResult(statistic, chi2.sf(statistic, k - 1))

    options = {"masked": True, "too_small": 0, "nothing": lambda v: BartlettResult(v, v)}
    return run(core, samples, axis, nan_policy, keepdims, **options)


LeveneResult = namedtuple("LeveneResult", ["statistic", "pvalue"])


def levene(
    *samples: Any,
    center: str = "median",
    proportiontocut: float = 0.05,
    axis: Any = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> LeveneResult:
    """Levene's test of equal variances.

    >>> a, b = cp.asarray([1.0, 2.0, 3.0]), cp.asarray([2.0, 3.0, 4.0])
    >>> float(cp.scipy.stats.levene(a, b).statistic)
    0.0
    """
    if center not in ("mean", "median", "trimmed"):
        raise ValueError("center must be 'mean', 'median' or 'trimmed'.")
    k = len(samples)
    if k < 2:
        raise ValueError("Must provide at least two samples.")

    def core(*xs: ndarray, masks: Any = None) -> LeveneResult:
        masks = masks or [None] * k
        z = [abs(x - middle_of(x, center, proportiontocut, m)[..., None]) for x, m in zip(xs, masks, strict=True)]
        counts = [counted(x, m) for x, m in zip(xs, masks, strict=True)]
        n = sum(counts)
        means = [averaged(v, m) for v, m in zip(z, masks, strict=True)]
        grand = sum(c * m for c, m in zip(counts, means, strict=True)) / n
        top = (n - k) * sum(c * (m - grand) ** 2 for c, m in zip(counts, means, strict=True))
        bottom = (k - 1.0) * sum(central(v, 2, m) * c for v, m, c in zip(z, masks, counts, strict=True))
        statistic = top / bottom
        return LeveneResult(statistic, f_distribution.sf(statistic, k - 1.0, n - k))

    return run(
        core, samples, axis, nan_policy, keepdims, masked=True, too_small=0, nothing=lambda v: LeveneResult(v, v)
    )


def obrientransform(*samples: Any, nan_policy: str = "propagate") -> Any:
    """The transform of O'Brien, with which an analysis of variance tests whether variances are equal.

    Parameters
    ----------
    nan_policy : {'propagate', 'omit', 'raise'}
        What NaN does: spread to the transforms of its sample, be left out, or be a `ValueError`.

    Returns
    -------
    tuple of ndarray
        The transforms of the samples.

    >>> round(float(cp.scipy.stats.obrientransform(cp.asarray([1.0, 2.0, 3.0]))[0].mean()), 6)
    1.0
    """
    arrays = []
    check_policy(nan_policy)
    for given in together(samples):
        known = x = given.astype(np.promote_types(given.dtype, np.float64), copy=False)
        if nan_policy != "propagate" and bool((bad := cp.isnan(x)).any()):
            if nan_policy == "raise":
                raise ValueError(HAS_NAN)
            known = x[~bad]
        n, mean = known.size, known.mean()
        squares = (x - mean) ** 2
        total = ((known - mean) ** 2).sum()
        t = ((n - 1.5) * n * squares - 0.5 * total) / ((n - 1) * (n - 2))
        arrays.append(t.astype(given.dtype, copy=False))
    return tuple(arrays)


__all__ = ["alexandergovern", "bartlett", "f_oneway", "levene", "obrientransform"]
