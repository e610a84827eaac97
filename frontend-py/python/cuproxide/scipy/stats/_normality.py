"""Tests of normality."""

from __future__ import annotations

import math
import warnings
from collections import namedtuple
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ._axis import counted, only, run
from ._results import SignificanceResult
from ._summary import _kurtosis, _skew
from ._table_gamma import chi2
from ._table_normal import norm
from ._tests import checked, symmetric_pvalue

SkewtestResult = namedtuple("SkewtestResult", ["statistic", "pvalue"])
KurtosistestResult = namedtuple("KurtosistestResult", ["statistic", "pvalue"])
NormaltestResult = namedtuple("NormaltestResult", ["statistic", "pvalue"])


def _skew_z(x: ndarray, masks: Any) -> Any:
    n = counted(x, only(masks))
    b2 = _skew(x, True, masks)
    y = b2 * np.sqrt((n + 1) * (n + 3) / (6.0 * (n - 2)))
    beta2 = 3.0 * (n**2 + 27 * n - 70) * (n + 1) * (n + 3) / ((n - 2.0) * (n + 5) * (n + 7) * (n + 9))
    w2 = -1 + np.sqrt(2 * (beta2 - 1))
    delta = 1 / np.sqrt(0.5 * np.log(w2))
    alpha = np.sqrt(2.0 / (w2 - 1))
    y = cp.where(y == 0, 1, y)
    return delta * np.log(y / alpha + np.sqrt((y / alpha) ** 2 + 1))


def _kurtosis_z(x: ndarray, masks: Any) -> Any:
    n = counted(x, only(masks))
    b2 = _kurtosis(x, False, True, masks)
    e = 3.0 * (n - 1) / (n + 1)
    v = 24.0 * n * (n - 2) * (n - 3) / ((n + 1) * (n + 1.0) * (n + 3) * (n + 5))
    z = (b2 - e) / np.sqrt(v)
    beta1 = 6.0 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9)) * np.sqrt(6.0 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
    a = 6.0 + 8.0 / beta1 * (2.0 / beta1 + np.sqrt(1 + 4.0 / (beta1**2)))
    term1 = 1 - 2 / (9.0 * a)
    denominator = 1 + z * np.sqrt(2 / (a - 4.0))
    ratio = (1 - 2.0 / a) / abs(denominator)
    term2 = cp.sign(denominator) * cp.where(denominator == 0, np.nan, ratio ** (1 / 3.0))
    return (term1 - term2) / np.sqrt(2 / (9.0 * a))


def skewtest(
    a: Any, axis: Any = 0, nan_policy: str = "propagate", alternative: str = "two-sided", *, keepdims: bool = False
) -> SkewtestResult:
    """The test of a normal sample's skewness.

    >>> round(float(cp.scipy.stats.skewtest(cp.arange(8.0) ** 2).pvalue), 6)
    0.258212
    """
    checked(alternative)

    def core(x: ndarray, masks: Any = None) -> SkewtestResult:
        z = _skew_z(x, masks)
        return SkewtestResult(z, symmetric_pvalue(z, norm, alternative))

    options = {"masked": True, "too_small": 7, "nothing": lambda v: SkewtestResult(v, v)}
    return run(core, [a], axis, nan_policy, keepdims, **options)


def kurtosistest(
    a: Any, axis: Any = 0, nan_policy: str = "propagate", alternative: str = "two-sided", *, keepdims: bool = False
) -> KurtosistestResult:
    """The test of a normal sample's kurtosis.

    >>> round(float(cp.scipy.stats.kurtosistest(cp.arange(20.0)).statistic), 4)
    -1.7058
    """
    checked(alternative)

    def core(x: ndarray, masks: Any = None) -> KurtosistestResult:
        z = _kurtosis_z(x, masks)
        return KurtosistestResult(z, symmetric_pvalue(z, norm, alternative))

    options = {"masked": True, "too_small": 4, "nothing": lambda v: KurtosistestResult(v, v)}
    return run(core, [a], axis, nan_policy, keepdims, **options)


def normaltest(a: Any, axis: Any = 0, nan_policy: str = "propagate", *, keepdims: bool = False) -> NormaltestResult:
    """D'Agostino and Pearson's test of normality.

    >>> round(float(cp.scipy.stats.normaltest(cp.arange(20.0)).pvalue), 4)
    0.1359
    """

    def core(x: ndarray, masks: Any = None) -> NormaltestResult:
        statistic = _skew_z(x, masks) ** 2 + _kurtosis_z(x, masks) ** 2
        return NormaltestResult(statistic, chi2.sf(statistic, 2))

    options = {"masked": True, "too_small": 7, "nothing": lambda v: NormaltestResult(v, v)}
    return run(core, [a], axis, nan_policy, keepdims, **options)


def jarque_bera(x: Any, *, axis: Any = None, nan_policy: str = "propagate", keepdims: bool = False) -> Any:
    """The Jarque-Bera test of normality.

    Returns
    -------
    result with `statistic` and `pvalue`

    >>> round(float(cp.scipy.stats.jarque_bera(cp.arange(20.0)).statistic), 4)
    1.2121
    """

    def core(y: ndarray, masks: Any = None) -> Any:
        n = counted(y, only(masks))
        statistic = n / 6 * (_skew(y, True, masks) ** 2 + _kurtosis(y, True, True, masks) ** 2 / 4)
        return SignificanceResult(statistic, chi2.sf(statistic, 2))

    options = {"masked": True, "nothing": lambda v: SignificanceResult(v, v)}
    return run(core, [x], axis, nan_policy, keepdims, **options)


ShapiroResult = namedtuple("ShapiroResult", ["statistic", "pvalue"])


def _horner(coefficients: Any, x: Any) -> Any:
    total: Any = 0.0
    for c in reversed(coefficients):
        total = total * x + c
    return total


def _shapiro_weights(n: int) -> np.ndarray:
    """Royston's approximation of the weights (1995, AS R94): numbers that depend on the sample's size alone."""
    half = n // 2
    if n == 3:
        return np.array([math.sqrt(0.5)])
    from statistics import NormalDist

    m = np.array([NormalDist().inv_cdf((i - 0.375) / (n + 0.25)) for i in range(1, half + 1)])
    total = 2 * np.sum(m**2)
    root, u = math.sqrt(total), 1 / math.sqrt(n)
    first = _horner([0.0, 0.221157, -0.147981, -2.07119, 4.434685, -2.706056], u) - m[0] / root
    weights = np.empty(half)
    if n > 5:
        second = -m[1] / root + _horner([0.0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633], u)
        factor = math.sqrt((total - 2 * m[0] ** 2 - 2 * m[1] ** 2) / (1 - 2 * first**2 - 2 * second**2))
        weights[1], start = second, 2
    else:
        factor, start = math.sqrt((total - 2 * m[0] ** 2) / (1 - 2 * first**2)), 1
    weights[0] = first
    weights[start:] = -m[start:] / factor
    return weights


def shapiro(x: Any, *, axis: Any = None, nan_policy: str = "propagate", keepdims: bool = False) -> ShapiroResult:
    """The Shapiro-Wilk test of normality.

    >>> round(float(cp.scipy.stats.shapiro(cp.arange(20.0)).statistic), 4)
    0.9604
    """

    def core(y: ndarray, masks: Any = None) -> ShapiroResult:
        mask, size = only(masks), y.shape[-1]
        if mask is None:
            sizes, which = np.array([size]), cp.zeros(y.shape[:-1], dtype=np.int64)
        else:
            distinct, which = cp.unique(mask.sum(axis=-1), return_inverse=True)
            sizes, which = distinct.get(), which.reshape(y.shape[:-1])
        # A row of weights for each sample size that occurs.
        table = np.zeros((sizes.size, size))
        for row, n in zip(table, sizes.tolist(), strict=True):
            if n >= 3:
                half = _shapiro_weights(n)
                row[:n] = np.concatenate([-half, np.zeros(n % 2), half[::-1]])
        weights, scale = cp.asarray(table)[which], cp.asarray(np.sum(table**2, axis=1))[which]
        n = cp.asarray(sizes.astype(float))[which]
        ordered = cp.sort(y.astype(np.float64) if mask is None else cp.where(mask, y, np.nan), axis=-1)
        inside = cp.arange(size) < n[..., None]
        ordered = cp.where(inside, ordered, 0.0)
        ordered = ordered - (ordered.sum(axis=-1) / n)[..., None]
        ordered = cp.where(inside, ordered, 0.0) if mask is not None else ordered
        # By the largest, as squares of very large and very small numbers leave the range.
        largest = abs(ordered).max(axis=-1, keepdims=True)
        ordered = ordered / cp.where((largest > 0) & (largest < np.inf), largest, 1.0)
        top, spread = (ordered * weights).sum(axis=-1), (ordered**2).sum(axis=-1)
        flat = ordered.max(axis=-1) == ordered.min(axis=-1)
        if bool(flat.any()):
            warnings.warn("scipy.stats.shapiro: Input data has range zero. The results are NaN.", stacklevel=5)
        if size > 5000:
            warnings.warn(
                f"scipy.stats.shapiro: For N > 5000, computed p-value may not be accurate. Current N is {size}.",
                stacklevel=5,
            )
        # `1 - w` as a sum of squares, so that it does not cancel near 1.
        fitted = (top / scale)[..., None] * weights
        rest = ((ordered - fitted) ** 2).sum(axis=-1) / spread + top**2 / spread * (1 / scale - 1)
        w = 1 - rest
        p3 = cp.clip(6 / np.pi * (np.arcsin(np.sqrt(w)) - math.asin(math.sqrt(0.75))), 0.0, 1.0)
        y1, logs = np.log(rest), np.log(n)
        few = n <= 11
        gamma = _horner([-2.273, 0.459], n)
        mean = cp.where(
            few,
            _horner([0.544, -0.39978, 0.025054, -0.0006714], n),
            _horner([-1.5861, -0.31082, -0.083751, 0.0038915], logs),
        )
        deviation = np.exp(
            cp.where(
                few,
                _horner([1.3822, -0.77857, 0.062767, -0.0020322], n),
                _horner([-0.4803, -0.082676, 0.0030302], logs),
            )
        )
        z = (cp.where(few, cp.where(y1 >= gamma, np.inf, -np.log(gamma - y1)), y1) - mean) / deviation
        p = cp.where(n == 3, p3, norm.sf(z))
        return ShapiroResult(cp.where(flat, np.nan, w), cp.where(flat, np.nan, p))

    options = {"masked": True, "spread_nan": True, "too_small": 2, "nothing": lambda v: ShapiroResult(v, v)}
    return run(core, [x], axis, nan_policy, keepdims, **options)


__all__ = ["jarque_bera", "kurtosistest", "normaltest", "shapiro", "skewtest"]
