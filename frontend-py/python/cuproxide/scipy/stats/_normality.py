"""Tests of normality."""

from __future__ import annotations

import math
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
    """The test of a normal sample's skewness. See `scipy.stats.skewtest`.

    >>> import cuproxide as cp
    >>> round(float(cp.scipy.stats.skewtest(cp.arange(8.0) ** 2).pvalue), 6)
    0.258212
    """
    checked(alternative)

    def core(x: ndarray, masks: Any = None) -> SkewtestResult:
        if x.shape[-1] < 8:
            return SkewtestResult(*_nothing(x))
        z = _skew_z(x, masks)
        return SkewtestResult(z, symmetric_pvalue(z, norm, alternative))

    return run(core, [a], axis, nan_policy, keepdims, masked=True)


def _nothing(x: ndarray) -> tuple[ndarray, ndarray]:
    """NaN for a sample that is too small, with SciPy's warning."""
    import warnings

    from ._axis import SmallSampleWarning

    warnings.warn(
        "One or more sample arguments is too small; all returned values will be NaN.", SmallSampleWarning, stacklevel=4
    )
    return cp.full(x.shape[:-1], np.nan), cp.full(x.shape[:-1], np.nan)


def kurtosistest(
    a: Any, axis: Any = 0, nan_policy: str = "propagate", alternative: str = "two-sided", *, keepdims: bool = False
) -> KurtosistestResult:
    """The test of a normal sample's kurtosis. See `scipy.stats.kurtosistest`.

    >>> import cuproxide as cp
    >>> round(float(cp.scipy.stats.kurtosistest(cp.arange(20.0)).statistic), 4)
    -1.7058
    """
    checked(alternative)

    def core(x: ndarray, masks: Any = None) -> KurtosistestResult:
        if x.shape[-1] < 5:
            return KurtosistestResult(*_nothing(x))
        z = _kurtosis_z(x, masks)
        return KurtosistestResult(z, symmetric_pvalue(z, norm, alternative))

    return run(core, [a], axis, nan_policy, keepdims, masked=True)


def normaltest(a: Any, axis: Any = 0, nan_policy: str = "propagate", *, keepdims: bool = False) -> NormaltestResult:
    """D'Agostino and Pearson's test of normality. See `scipy.stats.normaltest`.

    >>> import cuproxide as cp
    >>> round(float(cp.scipy.stats.normaltest(cp.arange(20.0)).pvalue), 4)
    0.1359
    """

    def core(x: ndarray, masks: Any = None) -> NormaltestResult:
        if x.shape[-1] < 8:
            return NormaltestResult(*_nothing(x))
        statistic = _skew_z(x, masks) ** 2 + _kurtosis_z(x, masks) ** 2
        return NormaltestResult(statistic, chi2.sf(statistic, 2))

    return run(core, [a], axis, nan_policy, keepdims, masked=True)


def jarque_bera(x: Any, *, axis: Any = None, nan_policy: str = "propagate", keepdims: bool = False) -> Any:
    """The Jarque-Bera test of normality. See `scipy.stats.jarque_bera`.

    >>> import cuproxide as cp
    >>> round(float(cp.scipy.stats.jarque_bera(cp.arange(20.0)).statistic), 4)
    1.2121
    """

    def core(y: ndarray, masks: Any = None) -> Any:
        n = counted(y, only(masks))
        statistic = n / 6 * (_skew(y, True, masks) ** 2 + _kurtosis(y, True, True, masks) ** 2 / 4)
        return SignificanceResult(statistic, chi2.sf(statistic, 2))

    return run(core, [x], axis, nan_policy, keepdims, masked=True)


ShapiroResult = namedtuple("ShapiroResult", ["statistic", "pvalue"])


def _horner(coefficients: Any, x: float) -> float:
    return float(np.polyval(coefficients[::-1], x))


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
    """The Shapiro-Wilk test of normality. See `scipy.stats.shapiro`.

    >>> import cuproxide as cp
    >>> round(float(cp.scipy.stats.shapiro(cp.arange(20.0)).statistic), 4)
    0.9604
    """

    def core(y: ndarray) -> ShapiroResult:
        n = y.shape[-1]
        if n < 3:
            return ShapiroResult(*_nothing(y))
        half = _shapiro_weights(n)
        full = np.concatenate([-half, np.zeros(n % 2), half[::-1]])
        ordered = cp.sort(y, axis=-1).astype(np.float64)
        ordered = ordered - ordered.mean(axis=-1, keepdims=True)
        top = (ordered * cp.asarray(full)).sum(axis=-1)
        spread = (ordered**2).sum(axis=-1)
        # `1 - w` as a sum of squares, so that it does not cancel near 1.
        fitted = top[..., None] * cp.asarray(full / np.sum(full**2))
        rest = ((ordered - fitted) ** 2).sum(axis=-1) / spread + top**2 / spread * (1 / np.sum(full**2) - 1)
        w = 1 - rest
        if n == 3:
            p = 6 / np.pi * (np.arcsin(np.sqrt(w)) - math.asin(math.sqrt(0.75)))
            return ShapiroResult(w, cp.clip(p, 0.0, 1.0))
        y1, log_n = np.log(rest), math.log(n)
        if n <= 11:
            gamma = _horner([-2.273, 0.459], n)
            mean = _horner([0.544, -0.39978, 0.025054, -0.0006714], n)
            deviation = math.exp(_horner([1.3822, -0.77857, 0.062767, -0.0020322], n))
            z = (-np.log(gamma - y1) - mean) / deviation
            z = cp.where(y1 >= gamma, np.inf, z)
        else:
            mean = _horner([-1.5861, -0.31082, -0.083751, 0.0038915], log_n)
            deviation = math.exp(_horner([-0.4803, -0.082676, 0.0030302], log_n))
            z = (y1 - mean) / deviation
        return ShapiroResult(w, norm.sf(z))

    return run(core, [x], axis, nan_policy, keepdims)


__all__ = ["jarque_bera", "kurtosistest", "normaltest", "shapiro", "skewtest"]
