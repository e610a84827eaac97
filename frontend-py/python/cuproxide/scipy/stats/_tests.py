"""Tests of means, variances, normality and frequencies."""

from __future__ import annotations

import math
from collections import namedtuple
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_float
from ._axis import averaged, central, counted, only, run, sample, summed
from ._results import ConfidenceInterval, SignificanceResult, bunch
from ._summary import _kurtosis, _skew, trim_mean
from ._table_bounded import f as f_distribution
from ._table_gamma import chi2
from ._table_heavy import t as t_distribution
from ._table_normal import norm

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


# ------------------------------------------------------------------------------------------ t-tests


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


def _t_result(estimate: Any, hypothesis: Any, error: Any, df: Any, alternative: str) -> Any:
    with np.errstate(all="ignore"):
        statistic = (estimate - hypothesis) / error
    p = symmetric_pvalue(statistic, t_distribution(df), alternative)
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
    """The t-test of a mean. See `scipy.stats.ttest_1samp`.

    >>> import cuproxide as cp
    >>> round(float(cp.scipy.stats.ttest_1samp(cp.asarray([1.0, 2.0, 3.0]), 1.0).pvalue), 6)
    0.225403
    """
    checked(alternative)
    x = sample(a)
    popmean = as_device(popmean).astype(x.dtype) if isinstance(popmean, ndarray) or np.ndim(popmean) else popmean
    if isinstance(popmean, ndarray) and axis is not None and popmean.ndim == x.ndim and popmean.ndim:
        popmean = popmean.squeeze(axis)

    def core(y: ndarray, masks: Any = None) -> Any:
        mask = only(masks)
        n = counted(y, mask)
        error = np.sqrt(central(y, 2, mask) * n / (n - 1) / n)
        return averaged(y, mask), error, n - 1.0

    estimate, error, df = run(core, [x], axis, nan_policy, keepdims, masked=True)
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
    """The t-test of paired samples. See `scipy.stats.ttest_rel`.

    >>> import cuproxide as cp
    >>> float(cp.scipy.stats.ttest_rel(cp.asarray([1.0, 2.0, 4.0]), cp.asarray([1.0, 1.0, 2.0])).df)
    2.0
    """
    a, b = sample(a), sample(b)
    if a.shape != b.shape and a.ndim == b.ndim == 1:
        raise ValueError("Array shapes are incompatible for broadcasting.")
    return ttest_1samp(a - b, 0.0, axis, nan_policy, alternative, keepdims=keepdims)


def _two_means(m1: Any, v1: Any, n1: Any, m2: Any, v2: Any, n2: Any, equal_var: bool, alternative: str) -> Any:
    with np.errstate(all="ignore"):
        if equal_var:
            df = n1 + n2 - 2.0
            pooled = ((n1 - 1) * v1 + (n2 - 1) * v2) / df
            error = np.sqrt(pooled * (1.0 / n1 + 1.0 / n2))
        else:
            one, two = v1 / n1, v2 / n2
            df = (one + two) ** 2 / (one**2 / (n1 - 1) + two**2 / (n2 - 1))
            df = cp.where(cp.isnan(cp.asarray(df)), 1.0, df)
            error = np.sqrt(one + two)
    return _t_result(m1 - m2, 0.0, error, df, alternative)


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
    """The t-test of two independent samples, of Welch's form without `equal_var`. See `scipy.stats.ttest_ind`.

    >>> import cuproxide as cp
    >>> r = cp.scipy.stats.ttest_ind(cp.asarray([1.0, 2.0, 3.0]), cp.asarray([2.0, 3.0, 4.0]))
    >>> round(float(r.pvalue), 6)
    0.287864
    """
    checked(alternative)
    if not 0 <= trim < 0.5:
        raise ValueError("Trimming percentage should be 0 <= `trim` < .5.")
    if method is not None:
        from ._resampling import _ttest_resampled

        return _ttest_resampled(a, b, axis, equal_var, alternative, method)

    def part(x: ndarray, mask: Any) -> Any:
        n = counted(x, mask)
        if trim == 0:
            return averaged(x, mask), central(x, 2, mask) * n / (n - 1), n
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
        return (*one, *two)

    values = run(core, [a, b], axis, nan_policy, keepdims, masked=trim == 0)
    return _two_means(*values, equal_var=equal_var, alternative=alternative)


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
    """The t-test of two samples by their means and deviations. See `scipy.stats.ttest_ind_from_stats`.

    >>> import cuproxide as cp
    >>> float(cp.scipy.stats.ttest_ind_from_stats(1.0, 1.0, 5, 1.0, 1.0, 5).pvalue)
    1.0
    """
    checked(alternative)
    m1, s1, n1, m2, s2, n2 = (as_device(v).astype(np.float64) for v in (mean1, std1, nobs1, mean2, std2, nobs2))
    return _two_means(m1, s1**2, n1, m2, s2**2, n2, equal_var, alternative)


# ------------------------------------------------------------------------------------------ several samples

F_onewayResult = namedtuple("F_onewayResult", ["statistic", "pvalue"])


def f_oneway(
    *samples: Any, axis: Any = 0, equal_var: bool = True, nan_policy: str = "propagate", keepdims: bool = False
) -> F_onewayResult:
    """The analysis of variance of several samples. See `scipy.stats.f_oneway`.

    >>> import cuproxide as cp
    >>> a, b = cp.asarray([1.0, 2.0, 3.0]), cp.asarray([2.0, 3.0, 4.0])
    >>> round(float(cp.scipy.stats.f_oneway(a, b).statistic), 6)
    1.5
    """
    if len(samples) < 2:
        raise TypeError(f"at least two inputs are required; got {len(samples)}.")

    def core(*xs: ndarray, masks: Any = None) -> F_onewayResult:
        masks = masks or [None] * len(xs)
        pairs = list(zip(xs, masks, strict=True))
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

    return run(core, samples, axis, nan_policy, keepdims, masked=True)


AlexanderGovernResult = namedtuple("AlexanderGovernResult", ["statistic", "pvalue"])


def alexandergovern(*samples: Any, nan_policy: str = "propagate", axis: Any = 0, keepdims: bool = False) -> Any:
    """The Alexander-Govern test of equal means with unequal variances. See `scipy.stats.alexandergovern`.

    >>> import cuproxide as cp
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
        errors2 = [central(x, 2, m) / (n - 1) for x, m, n in zip(xs, masks, counts, strict=True)]
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

    return run(core, samples, axis, nan_policy, keepdims, masked=True)


BartlettResult = namedtuple("BartlettResult", ["statistic", "pvalue"])


def bartlett(*samples: Any, axis: Any = 0, nan_policy: str = "propagate", keepdims: bool = False) -> BartlettResult:
    """Bartlett's test of equal variances. See `scipy.stats.bartlett`.

    >>> import cuproxide as cp
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

    return run(core, samples, axis, nan_policy, keepdims, masked=True)


def _middle(x: ndarray, center: str, proportiontocut: float) -> ndarray:
    if center == "trimmed":
        return trim_mean(x, proportiontocut, axis=-1)
    return cp.median(x, axis=-1) if center == "median" else x.mean(axis=-1)


LeveneResult = namedtuple("LeveneResult", ["statistic", "pvalue"])


def levene(
    *samples: Any,
    center: str = "median",
    proportiontocut: float = 0.05,
    axis: Any = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> LeveneResult:
    """Levene's test of equal variances. See `scipy.stats.levene`.

    >>> import cuproxide as cp
    >>> a, b = cp.asarray([1.0, 2.0, 3.0]), cp.asarray([2.0, 3.0, 4.0])
    >>> float(cp.scipy.stats.levene(a, b).statistic)
    0.0
    """
    if center not in ("mean", "median", "trimmed"):
        raise ValueError("center must be 'mean', 'median' or 'trimmed'.")
    k = len(samples)
    if k < 2:
        raise ValueError("Must enter at least two input sample vectors.")

    def core(*xs: ndarray) -> LeveneResult:
        middles = [_middle(x, center, proportiontocut) for x in xs]
        z = [abs(x - m[..., None]) for x, m in zip(xs, middles, strict=True)]
        counts = [x.shape[-1] for x in xs]
        n = sum(counts)
        means = [v.mean(axis=-1) for v in z]
        grand = sum(c * m for c, m in zip(counts, means, strict=True)) / n
        top = (n - k) * sum(c * (m - grand) ** 2 for c, m in zip(counts, means, strict=True))
        bottom = (k - 1.0) * sum(((v - m[..., None]) ** 2).sum(axis=-1) for v, m in zip(z, means, strict=True))
        statistic = top / bottom
        return LeveneResult(statistic, f_distribution.sf(statistic, k - 1.0, float(n - k)))

    return run(core, samples, axis, nan_policy, keepdims)


# ------------------------------------------------------------------------------------------ normality

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


# ------------------------------------------------------------------------------------------ frequencies

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
    """The Cressie-Read test of frequencies. See `scipy.stats.power_divergence`.

    >>> import cuproxide as cp
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
    """The chi-square test of frequencies. See `scipy.stats.chisquare`.

    >>> import cuproxide as cp
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
    return run(core, arrays, axis, policy, keepdims, paired=True, masked=True)


def combine_pvalues(
    pvalues: Any,
    method: str = "fisher",
    weights: Any = None,
    *,
    axis: Any = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Any:
    """One p-value of those of independent tests. See `scipy.stats.combine_pvalues`.

    >>> import cuproxide as cp
    >>> round(float(cp.scipy.stats.combine_pvalues(cp.asarray([0.1, 0.05, 0.02])).pvalue), 6)
    0.005263
    """
    if method not in ("fisher", "pearson", "mudholkar_george", "tippett", "stouffer"):
        raise ValueError(
            f"Invalid method {method!r}. Valid methods are 'fisher', 'pearson', 'mudholkar_george', 'tippett', and "
            "'stouffer'"
        )
    from ._table_bounded import beta

    def core(p: ndarray, w: Any = None) -> Any:
        n = p.shape[-1]
        if method == "fisher":
            statistic = -2 * np.log(p).sum(axis=-1)
            value = chi2.sf(statistic, 2 * n)
        elif method == "pearson":
            statistic = 2 * np.log1p(-p).sum(axis=-1)
            value = chi2.cdf(-statistic, 2 * n)
        elif method == "mudholkar_george":
            factor = math.sqrt(3 / n) / np.pi
            statistic = -np.log(p).sum(axis=-1) + np.log1p(-p).sum(axis=-1)
            df = 5 * n + 4
            value = t_distribution.sf(statistic * factor * math.sqrt(df / (df - 2)), df)
        elif method == "tippett":
            statistic = p.min(axis=-1)
            value = beta.cdf(statistic, 1, n)
        else:
            z = norm.isf(p)
            w = cp.ones(p.shape) if w is None else w
            statistic = (w * z).sum(axis=-1) / np.sqrt((w * w).sum(axis=-1))
            value = norm.sf(statistic)
        return SignificanceResult(statistic, value)

    return run(core, [pvalues] if weights is None else [pvalues, weights], axis, nan_policy, keepdims, paired=True)


def false_discovery_control(ps: Any, *, axis: Any = 0, method: str = "bh") -> ndarray:
    """P-values adjusted for the rate of false discoveries. See `scipy.stats.false_discovery_control`.

    >>> import cuproxide as cp
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
    if p.ndim == 0 or p.shape[axis] <= 1:
        return p
    p = cp.moveaxis(p, axis, -1)
    n = p.shape[-1]
    order = cp.argsort(p, axis=-1)
    scaled = cp.take_along_axis(p, order, axis=-1) * (n / cp.arange(1, n + 1))
    if method.lower() == "by":
        scaled = scaled * float(np.sum(1 / np.arange(1, n + 1)))
    least = cp.flip(np.minimum.accumulate(cp.flip(scaled, axis=-1), axis=-1), axis=-1)
    back = cp.argsort(order, axis=-1)
    return cp.clip(cp.moveaxis(cp.take_along_axis(least, back, axis=-1), -1, axis), 0, 1)


def _binom_interval(self: Any, confidence_level: float = 0.95, method: str = "exact") -> ConfidenceInterval:
    """The confidence interval of the proportion."""
    if method not in ("exact", "wilson", "wilsoncc"):
        raise ValueError(f"method ('{method}') must be one of ('exact', 'wilson', 'wilsoncc')")
    if not 0 <= confidence_level <= 1:
        raise ValueError(f"confidence_level ({confidence_level}) must be in the interval [0, 1].")
    k, n = self.k, self.n
    alpha = 1 - confidence_level if self.alternative != "two-sided" else (1 - confidence_level) / 2
    if method == "exact":
        from ._table_bounded import beta

        low = 0.0 if k == 0 or self.alternative == "less" else float(beta.ppf(alpha, k, n - k + 1))
        high = 1.0 if k == n or self.alternative == "greater" else float(beta.isf(alpha, k + 1, n - k))
        return ConfidenceInterval(low, high)
    z, p, correct = float(norm.isf(alpha)), k / n, method == "wilsoncc"
    denominator, centre = 2 * (n + z**2), (2 * n * p + z**2) / (2 * (n + z**2))
    q = 1 - p
    if correct:
        low = 0.0 if k == 0 else (1 + z * math.sqrt(z**2 - 2 - 1 / n + 4 * p * (n * q + 1))) / denominator
        high = 1.0 if k == n else (1 + z * math.sqrt(z**2 + 2 - 1 / n + 4 * p * (n * q - 1))) / denominator
        low, high = (0.0 if k == 0 else centre - low), (1.0 if k == n else centre + high)
    else:
        delta = z / denominator * math.sqrt(4 * n * p * q + z**2)
        low, high = centre - delta, centre + delta
    if self.alternative == "less":
        low = 0.0
    if self.alternative == "greater":
        high = 1.0
    return ConfidenceInterval(max(low, 0.0), min(high, 1.0))


class BinomTestResult:
    """The result of `binomtest`."""

    proportion_ci = _binom_interval

    def __init__(self, k: int, n: int, alternative: str, statistic: float, pvalue: float) -> None:
        self.k, self.n, self.alternative = k, n, alternative
        self.statistic, self.pvalue = statistic, pvalue

    def __repr__(self) -> str:
        return (
            f"BinomTestResult(k={self.k}, n={self.n}, alternative={self.alternative!r}, statistic={self.statistic}, "
            f"pvalue={self.pvalue})"
        )


def binomtest(k: int, n: int, p: float = 0.5, alternative: str = "two-sided") -> BinomTestResult:
    """The exact test of a proportion. See `scipy.stats.binomtest`.

    >>> import cuproxide as cp
    >>> round(cp.scipy.stats.binomtest(3, 15, 0.1, "greater").pvalue, 6)
    0.184061
    """
    from ._table_discrete import binom

    k, n = int(k), int(n)
    if k < 0:
        raise ValueError(f"k ({k}) must be nonnegative.")
    if n < 1:
        raise ValueError(f"n ({n}) must be greater than or equal to 1.")
    if k > n:
        raise ValueError(f"k ({k}) must not be greater than n ({n}).")
    if not 0 <= p <= 1:
        raise ValueError(f"p ({p}) must be in range [0,1]")
    if alternative not in ALTERNATIVES:
        raise ValueError(
            f"alternative ('{alternative}') not recognized; must be one of ('two-sided', 'less', 'greater')"
        )
    if alternative == "less":
        pvalue = to_float(binom.cdf(k, n, p))
    elif alternative == "greater":
        pvalue = to_float(binom.sf(k - 1, n, p))
    else:
        # All outcomes that are no more likely than this one, up to rounding.
        mass = binom.pmf(cp.arange(n + 1), n, p)
        pvalue = min(1.0, to_float(cp.where(mass <= mass[k] * (1 + 1e-7), mass, 0.0).sum()))
    return BinomTestResult(k, n, alternative, k / n, pvalue)


__all__ = [
    "alexandergovern", "bartlett", "binomtest", "chisquare", "combine_pvalues", "f_oneway", "false_discovery_control",
    "jarque_bera", "kurtosistest", "levene", "normaltest", "power_divergence", "shapiro", "skewtest", "ttest_1samp",
    "ttest_ind", "ttest_ind_from_stats", "ttest_rel",
]  # fmt: skip
