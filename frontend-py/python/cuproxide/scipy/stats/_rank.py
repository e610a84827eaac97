"""Ranks and the tests that rest on them; Kolmogorov-Smirnov and Cramer-von Mises tests."""

from __future__ import annotations

import math
from collections import namedtuple
from functools import cache
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device, to_float
from ._axis import run, sample
from ._results import SignificanceResult, bunch
from ._table_gamma import chi2
from ._table_heavy import t as t_distribution
from ._table_kolmogorov import ksone, kstwo, kstwobign
from ._table_normal import norm
from ._tests import _middle, checked, symmetric_pvalue

_METHODS = ("average", "min", "max", "dense", "ordinal")


def _runs(ordered: ndarray) -> tuple[ndarray, ndarray]:
    """Of sorted rows the first and the last position of each element's run of equal ones."""
    n = ordered.shape[-1]
    places = cp.broadcast_to(cp.arange(n), ordered.shape)
    differ = ordered[..., 1:] != ordered[..., :-1]
    edge = cp.ones((*ordered.shape[:-1], 1), dtype=bool)
    first = np.maximum.accumulate(cp.where(cp.concatenate([edge, differ], axis=-1), places, 0), axis=-1)
    ends = cp.where(cp.concatenate([differ, edge], axis=-1), places, n)
    last = cp.flip(np.minimum.accumulate(cp.flip(ends, axis=-1), axis=-1), axis=-1)
    return first, last


def _rank(x: ndarray, method: str = "average") -> tuple[ndarray, ndarray]:
    """Ranks along the last axis, and in sorted order each run's length at its last element (0 elsewhere)."""
    order = cp.argsort(x, axis=-1, kind="stable")
    ordered = cp.take_along_axis(x, order, axis=-1)
    first, last = _runs(ordered)
    places = cp.broadcast_to(cp.arange(x.shape[-1]), x.shape)
    if method == "average":
        ranks = (first + last) / 2.0 + 1
    elif method == "dense":
        ranks = cp.cumsum((first == places).astype(np.int64), axis=-1)
    else:
        ranks = {"min": first, "max": last, "ordinal": places}[method] + 1
    back = cp.argsort(order, axis=-1)
    ties = cp.where(last == places, last - first + 1, 0)
    return cp.take_along_axis(ranks, back, axis=-1), ties


def rankdata(a: Any, method: str = "average", *, axis: int | None = None, nan_policy: str = "propagate") -> ndarray:
    """Ranks from 1 on, ties by `method`. See `scipy.stats.rankdata`.

    >>> import cuproxide as cp
    >>> cp.scipy.stats.rankdata(cp.asarray([0, 2, 3, 2]))
    array([1. , 2.5, 4. , 2.5])
    """
    if method not in _METHODS:
        raise ValueError(f'unknown method "{method}"')
    if nan_policy not in ("propagate", "raise", "omit"):
        raise ValueError("nan_policy must be one of {'propagate', 'raise', 'omit'}")
    x = as_device(a)
    if axis is None:
        x, axis = x.ravel(), -1
    dtype = np.float64 if method == "average" else np.int64
    if x.size == 0:
        return cp.empty(x.shape, dtype=dtype)
    moved = cp.moveaxis(x, axis, -1)
    ranks = _rank(moved, method)[0]
    if x.dtype.kind == "f":
        bad = cp.isnan(moved)
        if nan_policy == "raise" and bool(bad.any()):
            raise ValueError("The input contains nan values")
        if nan_policy == "propagate":
            ranks = cp.where(bad.any(axis=-1, keepdims=True), np.nan, ranks) if bool(bad.any()) else ranks
        elif nan_policy == "omit" and bool(bad.any()):
            ranks = cp.where(bad, np.nan, ranks)
    return cp.moveaxis(ranks, -1, axis)


def tiecorrect(rankvals: Any) -> ndarray:
    """The factor by which ties change rank statistics. See `scipy.stats.tiecorrect`.

    >>> import cuproxide as cp
    >>> float(cp.scipy.stats.tiecorrect(cp.asarray([1, 2.5, 2.5, 4])))
    0.9
    """
    x = as_device(rankvals).ravel()
    n = float(x.size)
    if n < 2:
        return cp.asarray(1.0)
    ties = _rank(x)[1].astype(np.float64)
    return 1.0 - (ties**3 - ties).sum() / (n**3 - n)


MannwhitneyuResult = namedtuple("MannwhitneyuResult", ["statistic", "pvalue"])


@cache
def _mwu_tail(m: int, n: int) -> np.ndarray:
    """The probabilities that U is at least its value, of samples without ties: numbers of partitions."""
    counts = np.zeros(m * n + 1)
    counts[0] = 1
    for i in range(1, m + 1):
        top, bottom = n + i, i
        grown = counts.copy()
        for j in range(top, m * n + 1):
            grown[j] = counts[j] - counts[j - top] if j >= top else counts[j]
        counts = grown
        for j in range(bottom, m * n + 1):
            counts[j] += counts[j - bottom]
    return np.cumsum((counts / counts.sum())[::-1])[::-1]


def mannwhitneyu(
    x: Any,
    y: Any,
    use_continuity: bool = True,
    alternative: str = "two-sided",
    axis: Any = 0,
    method: Any = "auto",
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> MannwhitneyuResult:
    """The Mann-Whitney U test. See `scipy.stats.mannwhitneyu`.

    >>> import cuproxide as cp
    >>> r = cp.scipy.stats.mannwhitneyu(cp.asarray([1.0, 2.0, 3.0]), cp.asarray([4.0, 5.0, 6.0]))
    >>> round(float(r.pvalue), 6)
    0.1
    """
    checked(alternative)
    if method not in ("auto", "asymptotic", "exact"):
        raise ValueError(f"`method` must be one of {{'asymptotic', 'auto', 'exact'}}, got {method!r}")

    def core(a: ndarray, b: ndarray) -> MannwhitneyuResult:
        n1, n2 = a.shape[-1], b.shape[-1]
        ranks, ties = _rank(cp.concatenate([a, b], axis=-1))
        u1 = ranks[..., :n1].sum(axis=-1) - n1 * (n1 + 1) / 2
        u2 = n1 * n2 - u1
        if alternative == "greater":
            u, factor = u1, 1
        elif alternative == "less":
            u, factor = u2, 1
        else:
            u, factor = cp.maximum(u1, u2), 2
        exact = method == "exact"
        if method == "auto":
            exact = not (n1 > 8 and n2 > 8) and not bool((ties > 1).any())
        if exact:
            tail = cp.asarray(_mwu_tail(min(n1, n2), max(n1, n2)))
            p = tail[cp.clip(cp.ceil(u).astype(np.int64), 0, n1 * n2)]
        else:
            n, t = n1 + n2, ties.astype(np.float64)
            s = np.sqrt(n1 * n2 / 12 * ((n + 1) - (t**3 - t).sum(axis=-1) / (n * (n - 1))))
            z = (u - n1 * n2 / 2 - (0.5 if use_continuity else 0.0)) / s
            p = norm.sf(z)
        return MannwhitneyuResult(u1, cp.clip(p * factor, 0, 1))

    return run(core, [x, y], axis, nan_policy, keepdims)


RanksumsResult = namedtuple("RanksumsResult", ["statistic", "pvalue"])


def ranksums(
    x: Any,
    y: Any,
    alternative: str = "two-sided",
    *,
    axis: Any = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> RanksumsResult:
    """Wilcoxon's rank-sum test. See `scipy.stats.ranksums`.

    >>> import cuproxide as cp
    >>> round(float(cp.scipy.stats.ranksums(cp.asarray([1.0, 2.0, 3.0]), cp.asarray([4.0, 5.0, 6.0])).pvalue), 6)
    0.049535
    """
    checked(alternative)

    def core(a: ndarray, b: ndarray) -> RanksumsResult:
        n1, n2 = a.shape[-1], b.shape[-1]
        s = _rank(cp.concatenate([a, b], axis=-1))[0][..., :n1].sum(axis=-1)
        z = (s - n1 * (n1 + n2 + 1) / 2.0) / math.sqrt(n1 * n2 * (n1 + n2 + 1) / 12.0)
        return RanksumsResult(z, symmetric_pvalue(z, norm, alternative))

    return run(core, [x, y], axis, nan_policy, keepdims)


WilcoxonResult = bunch("WilcoxonResult", ["statistic", "pvalue"])


@cache
def _signed_rank_pmf(n: int) -> np.ndarray:
    counts = np.array([1.0])
    for i in range(1, n + 1):
        grown = np.zeros(counts.size + i)
        grown[: counts.size] += counts
        grown[i:] += counts
        counts = grown / 2
    return counts


def wilcoxon(
    x: Any,
    y: Any = None,
    zero_method: str = "wilcox",
    correction: bool = False,
    alternative: str = "two-sided",
    method: Any = "auto",
    *,
    axis: Any = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Any:
    """Wilcoxon's signed-rank test of paired samples. See `scipy.stats.wilcoxon`.

    >>> import cuproxide as cp
    >>> round(float(cp.scipy.stats.wilcoxon(cp.asarray([1.0, 2.0, 3.0, -4.0, 5.0])).pvalue), 6)
    0.4375
    """
    checked(alternative)
    if zero_method not in ("wilcox", "pratt", "zsplit"):
        raise ValueError(f"`zero_method` must be one of {{'pratt', 'wilcox', 'zsplit'}}, got {zero_method!r}.")
    if method not in ("auto", "asymptotic", "exact", "approx"):
        raise ValueError("`method` must be one of {'asymptotic', 'auto', 'exact'} or a PermutationMethod.")
    d0 = sample(x) if y is None else sample(x) - sample(y)

    def core(d: ndarray) -> Any:
        n = d.shape[-1]
        zero = d == 0
        zeros = zero.sum(axis=-1).astype(np.float64)
        size = abs(d)
        if zero_method == "wilcox":
            # Zeros get the ranks after all others, and do not count.
            size = cp.where(zero, np.inf, size)
        ranks, ties = _rank(size)
        ties = ties.astype(np.float64)
        positive = ((d > 0) * ranks).sum(axis=-1)
        negative = ((d < 0) * ranks).sum(axis=-1)
        if zero_method == "zsplit":
            half = (zero * ranks).sum(axis=-1) / 2
            positive, negative = positive + half, negative + half
        count = n - zeros if zero_method == "wilcox" else n + 0 * zeros
        any_zero = bool((zeros > 0).any())
        tied = bool(((ties > 1).sum(axis=-1) > 0).any())
        how = method
        if method == "auto":
            how = "exact" if n <= 50 and not any_zero and not tied else "asymptotic"
        mean = count * (count + 1) * 0.25
        variance = count * (count + 1) * (2 * count + 1)
        if zero_method == "pratt":
            mean = mean - zeros * (zeros + 1) * 0.25
            variance = variance - zeros * (zeros + 1) * (2 * zeros + 1)
        correct_ties = (ties**3 - ties).sum(axis=-1)
        if zero_method in ("wilcox", "pratt"):
            correct_ties = correct_ties - (zeros**3 - zeros)
        s = np.sqrt((variance - correct_ties / 2) / 24)
        z = (positive - mean) / s
        if how == "exact":
            pmf = _signed_rank_pmf(n)
            lower = cp.asarray(np.cumsum(pmf))
            upper = cp.asarray(np.cumsum(pmf[::-1])[::-1].copy())
            last = pmf.size - 1
            low = lower[cp.clip(cp.floor(positive).astype(np.int64), 0, last)]
            high = upper[cp.clip(cp.ceil(positive).astype(np.int64), 0, last)]
            p = {"less": low, "greater": high}.get(alternative)
            p = cp.minimum(2 * cp.minimum(low, high), 1.0) if p is None else p
        else:
            shift = 0.0
            if correction:
                sign = {"greater": 1.0, "less": -1.0}.get(alternative)
                shift = 0.5 * (cp.sign(z) if sign is None else sign)
            z = (positive - mean - shift) / s
            p = symmetric_pvalue(z, norm, alternative)
        statistic = positive if alternative != "two-sided" else cp.minimum(positive, negative)
        result = WilcoxonResult(statistic, cp.clip(p, 0, 1))
        if method in ("asymptotic", "approx"):
            result.zstatistic = z
        return result

    return run(core, [d0], axis, nan_policy, keepdims)


KruskalResult = namedtuple("KruskalResult", ["statistic", "pvalue"])


def kruskal(*samples: Any, nan_policy: str = "propagate", axis: Any = 0, keepdims: bool = False) -> KruskalResult:
    """The Kruskal-Wallis test. See `scipy.stats.kruskal`.

    >>> import cuproxide as cp
    >>> a, b = cp.asarray([1, 3, 5, 7, 9]), cp.asarray([2, 4, 6, 8, 10])
    >>> round(float(cp.scipy.stats.kruskal(a, b).statistic), 6)
    0.272727
    """
    if len(samples) < 2:
        raise ValueError("Need at least two groups in stats.kruskal()")

    def core(*xs: ndarray) -> KruskalResult:
        counts = [x.shape[-1] for x in xs]
        ranks, ties = _rank(cp.concatenate(list(xs), axis=-1))
        n, t = sum(counts), ties.astype(np.float64)
        correction = 1 - (t**3 - t).sum(axis=-1) / (float(n) ** 3 - n)
        total, start = 0.0, 0
        for c in counts:
            total = total + ranks[..., start : start + c].sum(axis=-1) ** 2 / c
            start += c
        h = (12.0 / (n * (n + 1)) * total - 3 * (n + 1)) / correction
        return KruskalResult(h, chi2.sf(h, len(xs) - 1))

    return run(core, samples, axis, nan_policy, keepdims)


FriedmanchisquareResult = namedtuple("FriedmanchisquareResult", ["statistic", "pvalue"])


def friedmanchisquare(*samples: Any, axis: Any = 0, nan_policy: str = "propagate", keepdims: bool = False) -> Any:
    """Friedman's test of repeated samples. See `scipy.stats.friedmanchisquare`.

    >>> import cuproxide as cp
    >>> a, b, c = (cp.asarray(v) for v in ([1.0, 2.0, 3.0], [2.0, 3.0, 4.0], [3.0, 4.0, 5.0]))
    >>> float(cp.scipy.stats.friedmanchisquare(a, b, c).statistic)
    6.0
    """
    k = len(samples)
    if k < 3:
        raise ValueError(f"At least 3 samples must be given for Friedman test, got {k}.")

    def core(*xs: ndarray) -> Any:
        n = xs[0].shape[-1]
        ranks, ties = _rank(cp.stack(xs, axis=-1))
        t = ties.astype(np.float64)
        c = 1 - (t**3 - t).sum(axis=(-1, -2)) / (k * (k * k - 1) * n)
        totals = ranks.sum(axis=-2)
        statistic = (12.0 / (k * n * (k + 1)) * (totals**2).sum(axis=-1) - 3 * n * (k + 1)) / c
        return FriedmanchisquareResult(statistic, chi2.sf(statistic, k - 1))

    return run(core, samples, axis, nan_policy, keepdims, paired=True)


BrunnerMunzelResult = namedtuple("BrunnerMunzelResult", ["statistic", "pvalue"])


def brunnermunzel(
    x: Any,
    y: Any,
    alternative: str = "two-sided",
    distribution: str = "t",
    nan_policy: str = "propagate",
    *,
    axis: Any = 0,
    keepdims: bool = False,
) -> Any:
    """The Brunner-Munzel test. See `scipy.stats.brunnermunzel`.

    >>> import cuproxide as cp
    >>> a, b = cp.asarray([1.0, 2.0, 1.0, 4.0]), cp.asarray([3.0, 3.0, 4.0, 3.0])
    >>> round(float(cp.scipy.stats.brunnermunzel(a, b).statistic), 6)
    1.272792
    """
    checked(alternative)
    if distribution not in ("t", "normal"):
        raise ValueError("distribution should be 't' or 'normal'")

    def core(a: ndarray, b: ndarray) -> Any:
        n1, n2 = a.shape[-1], b.shape[-1]
        ranks = _rank(cp.concatenate([a, b], axis=-1))[0]
        r1, r2 = ranks[..., :n1], ranks[..., n1:]
        own1, own2 = _rank(a)[0], _rank(b)[0]
        m1, m2 = r1.mean(axis=-1), r2.mean(axis=-1)
        s1 = ((r1 - own1 - (m1 - own1.mean(axis=-1))[..., None]) ** 2).sum(axis=-1) / (n1 - 1)
        s2 = ((r2 - own2 - (m2 - own2.mean(axis=-1))[..., None]) ** 2).sum(axis=-1) / (n2 - 1)
        w = n1 * n2 * (m2 - m1) / ((n1 + n2) * np.sqrt(n1 * s1 + n2 * s2))
        if distribution == "t":
            df = (n1 * s1 + n2 * s2) ** 2 / ((n1 * s1) ** 2 / (n1 - 1) + (n2 * s2) ** 2 / (n2 - 1))
            return BrunnerMunzelResult(w, symmetric_pvalue(-w, t_distribution(df), alternative))
        return BrunnerMunzelResult(w, symmetric_pvalue(-w, norm, alternative))

    return run(core, [x, y], axis, nan_policy, keepdims)


MoodResult = namedtuple("MoodResult", ["statistic", "pvalue"])


def mood(
    x: Any,
    y: Any,
    axis: Any = 0,
    alternative: str = "two-sided",
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> SignificanceResult:
    """Mood's test of equal scales (without ties). See `scipy.stats.mood`.

    >>> import cuproxide as cp
    >>> round(float(cp.scipy.stats.mood(cp.arange(5.0), cp.arange(5.0) * 3 + 0.5).statistic), 4)
    -0.8257
    """
    checked(alternative)

    def core(a: ndarray, b: ndarray) -> Any:
        m, n = a.shape[-1], b.shape[-1]
        total = m + n
        if total < 3:
            raise ValueError("Not enough observations.")
        joined = cp.concatenate([a, b], axis=-1)
        # Scores of ties are averaged over the positions that they take.
        order = cp.argsort(joined, axis=-1, kind="stable")
        first, last = _runs(cp.take_along_axis(joined, order, axis=-1))
        scores = (cp.arange(1, total + 1) - (total + 1.0) / 2) ** 2
        sums = cp.concatenate([cp.zeros(1), cp.cumsum(scores)])
        mean_scores = (sums[last + 1] - sums[first]) / (last - first + 1)
        phi = cp.take_along_axis(mean_scores, cp.argsort(order, axis=-1), axis=-1)
        statistic = phi[..., :m].sum(axis=-1)
        expected = m * (total**2 - 1.0) / 12
        spread = ((mean_scores - (total**2 - 1.0) / 12) ** 2).sum(axis=-1)
        variance = m * n / (total * (total - 1.0)) * spread
        plain = m * n * (total + 1.0) * (total + 2) * (total - 2) / 180
        variance = cp.where((last == first).all(axis=-1), plain, variance)
        z = (statistic - expected) / np.sqrt(variance)
        return SignificanceResult(z, symmetric_pvalue(z, norm, alternative))

    return run(core, [x, y], axis, nan_policy, keepdims)


FlignerResult = namedtuple("FlignerResult", ["statistic", "pvalue"])


def fligner(
    *samples: Any,
    center: str = "median",
    proportiontocut: float = 0.05,
    axis: Any = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> FlignerResult:
    """The Fligner-Killeen test of equal variances. See `scipy.stats.fligner`.

    >>> import cuproxide as cp
    >>> a, b = cp.asarray([1.0, 2.0, 3.0]), cp.asarray([2.0, 3.0, 4.0])
    >>> float(cp.scipy.stats.fligner(a, b).pvalue)
    0.9999999999999993
    """
    if center not in ("mean", "median", "trimmed"):
        raise ValueError("center must be 'mean', 'median' or 'trimmed'.")
    k = len(samples)
    if k < 2:
        raise ValueError("Must enter at least two input sample vectors.")

    def core(*xs: ndarray) -> FlignerResult:
        middles = [_middle(x, center, proportiontocut) for x in xs]
        z = cp.concatenate([abs(x - m[..., None]) for x, m in zip(xs, middles, strict=True)], axis=-1)
        n = z.shape[-1]
        a = norm.ppf(_rank(z)[0] / (2.0 * (n + 1.0)) + 0.5)
        mean, variance = a.mean(axis=-1), a.var(axis=-1, ddof=1)
        statistic, start = 0.0, 0
        for x in xs:
            c = x.shape[-1]
            statistic = statistic + c * (a[..., start : start + c].mean(axis=-1) - mean) ** 2
            start += c
        statistic = statistic / variance
        return FlignerResult(statistic, chi2.sf(statistic, k - 1))

    return run(core, samples, axis, nan_policy, keepdims)


# ------------------------------------------------------------------------------------------ empirical distributions

KstestResult = bunch("KstestResult", ["statistic", "pvalue"], ["statistic_location", "statistic_sign"])


def _distribution(cdf: Any) -> Any:
    if isinstance(cdf, str):
        import importlib

        return getattr(importlib.import_module(__name__.rpartition(".")[0]), cdf).cdf
    return cdf


def ks_1samp(
    x: Any,
    cdf: Any,
    args: tuple[Any, ...] = (),
    alternative: str = "two-sided",
    method: str = "auto",
    *,
    axis: Any = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Any:
    """The Kolmogorov-Smirnov test of a sample and a distribution. See `scipy.stats.ks_1samp`.

    >>> import cuproxide as cp
    >>> r = cp.scipy.stats.ks_1samp(cp.linspace(-2, 2, 9), cp.scipy.stats.norm.cdf)
    >>> round(float(r.statistic), 6)
    0.174678
    """
    checked(alternative)
    if method not in ("auto", "exact", "approx", "asymp"):
        raise ValueError(f"Unexpected mode {method}")

    def core(y: ndarray) -> Any:
        n = y.shape[-1]
        ordered = cp.sort(y, axis=-1)
        values = cdf(ordered, *args)
        above = cp.arange(1.0, n + 1) / n - values
        below = values - cp.arange(0.0, n) / n
        at_plus, at_minus = cp.argmax(above, axis=-1), cp.argmax(below, axis=-1)

        def pick(source: ndarray, at: ndarray) -> ndarray:
            return cp.take_along_axis(source, at[..., None], axis=-1)[..., 0]

        plus, minus = pick(above, at_plus), pick(below, at_minus)
        where_plus, where_minus = pick(ordered, at_plus), pick(ordered, at_minus)
        if alternative == "greater":
            return KstestResult(plus, _one_sided(plus, n), where_plus, cp.ones(plus.shape, dtype=np.int8))
        if alternative == "less":
            return KstestResult(minus, _one_sided(minus, n), where_minus, -cp.ones(minus.shape, dtype=np.int8))
        up = plus > minus
        d = cp.maximum(plus, minus)
        how = "exact" if method == "auto" else method
        if how == "exact":
            p = kstwo.sf(d, n)
        elif how == "asymp":
            p = kstwobign.sf(d * math.sqrt(n))
        else:
            p = 2 * ksone.sf(d, n)
        sign = cp.where(up, 1, -1).astype(np.int8)
        return KstestResult(d, cp.clip(p, 0, 1), cp.where(up, where_plus, where_minus), sign)

    return run(core, [x], axis, nan_policy, keepdims)


def _one_sided(d: ndarray, n: int) -> ndarray:
    return ksone.sf(d, n)


def ks_2samp(
    data1: Any,
    data2: Any,
    alternative: str = "two-sided",
    method: str = "auto",
    *,
    axis: Any = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Any:
    """The Kolmogorov-Smirnov test of two samples. See `scipy.stats.ks_2samp`.

    >>> import cuproxide as cp
    >>> r = cp.scipy.stats.ks_2samp(cp.arange(5.0), cp.arange(5.0) + 2.5)
    >>> round(float(r.statistic), 6), round(float(r.pvalue), 6)
    (0.6, 0.357143)
    """
    checked(alternative)
    if method not in ("auto", "exact", "asymp"):
        raise ValueError(f"Invalid value for mode: {method}")

    def core(a: ndarray, b: ndarray) -> Any:
        n1, n2 = a.shape[-1], b.shape[-1]
        if min(n1, n2) == 0:
            raise ValueError("Data passed to ks_2samp must not be empty")
        both = cp.concatenate([a, b], axis=-1)
        order = cp.argsort(both, axis=-1, kind="stable")
        ordered = cp.take_along_axis(both, order, axis=-1)
        from_a = cp.cumsum((order < n1).astype(np.int64), axis=-1)
        places = cp.arange(1, n1 + n2 + 1)
        difference = from_a / float(n1) - (places - from_a) / float(n2)
        # Only after the last of equal elements have both functions their value there.
        last = _runs(ordered)[1] == places - 1
        high, low = cp.where(last, difference, -1.0), cp.where(last, -difference, -1.0)
        at_plus, at_minus = cp.argmax(high, axis=-1), cp.argmax(low, axis=-1)
        plus = cp.clip(high.max(axis=-1), 0, 1)
        minus = cp.clip(low.max(axis=-1), 0, 1)
        up = plus > minus if alternative == "two-sided" else cp.full(plus.shape, alternative == "greater")
        d = cp.where(up, plus, minus)
        at = cp.where(up, at_plus, at_minus)
        location = cp.take_along_axis(ordered, at[..., None], axis=-1)[..., 0]
        how = method
        if how == "auto":
            how = "exact" if max(n1, n2) <= 10_000 else "asymp"
        if how == "exact":
            p = _ks_exact(d, n1, n2, alternative)
        else:
            m, n = sorted((float(n1), float(n2)), reverse=True)
            if alternative == "two-sided":
                p = kstwo.sf(d, round(m * n / (m + n)))
            else:
                z = math.sqrt(m * n / (m + n)) * d
                p = np.exp(-2 * z**2 - 2 * z * (m + 2 * n) / math.sqrt(m * n * (m + n)) / 3.0)
        return KstestResult(d, cp.clip(p, 0, 1), location, cp.where(up, 1, -1).astype(np.int8))

    return run(core, [data1, data2], axis, nan_policy, keepdims)


def _ks_exact(d: ndarray, n1: int, n2: int, alternative: str) -> ndarray:
    """The share of lattice paths that reach a distance: one sweep over the lattice for all statistics together."""
    g = math.gcd(n1, n2)
    lcm = n1 // g * n2
    h = cp.rint(d * lcm)
    flat = h.reshape(-1)
    m, n = max(n1, n2), min(n1, n2)
    sign = {"two-sided": 0, "greater": 1, "less": -1}[alternative] * (-1 if n1 < n2 else 1)
    row = cp.ones((flat.shape[0], n + 1))
    p = 1 - _lattice(row, flat, m, lcm // m, lcm // n, sign)
    return cp.where(h == 0, 1.0, cp.clip(p, 0, 1).reshape(h.shape))


@k.kernel
def _lattice(row: k.Out[1], h: k.Each, m: int, step: int, other: int, sign: int):
    """The share of lattice paths within `h`: a path's last step comes from each side by the share of its length."""
    last = 0.0
    for i in k.steps(m + 1):
        left = 0.0
        for j in k.steps(row.shape[0]):
            distance = (i * step - j * other).astype(np.float64)
            distance = k.where(sign == 0, abs(distance), distance * sign)
            x, y = i.astype(np.float64), j.astype(np.float64)
            above = k.where(i == 0, 0.0, row[j])
            value = k.where(i + j == 0, 1.0, (above * x + left * y) / k.maximum(x + y, 1.0))
            value = k.where(distance < h, value, 0.0)
            row[j] = value
            left = value
        last = left
    return last


def kstest(
    rvs: Any,
    cdf: Any,
    args: tuple[Any, ...] = (),
    N: int = 20,
    alternative: str = "two-sided",
    method: str = "auto",
    *,
    axis: Any = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Any:  # noqa: N803
    """The Kolmogorov-Smirnov test with one sample or two. See `scipy.stats.kstest`.

    >>> import cuproxide as cp
    >>> round(float(cp.scipy.stats.kstest(cp.linspace(-2, 2, 9), "norm").statistic), 6)
    0.174678
    """
    if alternative == "two_sided":
        alternative = "two-sided"
    options = {
        "alternative": alternative,
        "method": method,
        "axis": axis,
        "nan_policy": nan_policy,
        "keepdims": keepdims,
    }
    if isinstance(rvs, str):
        import importlib

        rvs = getattr(importlib.import_module(__name__.rpartition(".")[0]), rvs).rvs
    if callable(rvs):
        rvs = rvs(*args, size=N)
    if isinstance(cdf, str) or callable(cdf):
        return ks_1samp(rvs, _distribution(cdf), args, **options)
    return ks_2samp(rvs, cdf, **options)


MedianTestResult = bunch("MedianTestResult", ["statistic", "pvalue", "median", "table"])


def median_test(
    *samples: Any, ties: str = "below", correction: bool = True, lambda_: Any = 1, nan_policy: str = "propagate"
) -> Any:
    """Mood's median test. See `scipy.stats.median_test`.

    >>> import cuproxide as cp
    >>> r = cp.scipy.stats.median_test(cp.asarray([1, 2, 3, 4]), cp.asarray([3, 4, 5, 6]))
    >>> float(r.median)
    3.5
    """
    if len(samples) < 2:
        raise ValueError("median_test requires two or more samples.")
    if ties not in ("below", "above", "ignore"):
        raise ValueError(f"invalid 'ties' option '{ties}'; 'ties' must be one of: 'below', 'above', 'ignore'")
    from ._contingency import chi2_contingency

    data = [sample(x) for x in samples]
    if nan_policy == "omit":
        data = [x[~cp.isnan(x)] for x in data]
    grand = cp.median(cp.concatenate(data))
    rows = [[], []]
    for x in data:
        above, below, equal = (to_float((c).sum()) for c in (x > grand, x < grand, x == grand))
        rows[0].append(above + (equal if ties == "above" else 0))
        rows[1].append(below + (equal if ties == "below" else 0))
    table = cp.asarray(np.array(rows, dtype=np.int64))
    if min(sum(rows[0]), sum(rows[1])) == 0:
        raise ValueError(
            "All values are " + ("below" if sum(rows[0]) == 0 else "above") + f" the grand median ({float(grand)})."
        )
    statistic, p, _, _ = chi2_contingency(table, lambda_=lambda_, correction=correction)
    return MedianTestResult(statistic, p, grand, table)


__all__ = [
    "brunnermunzel", "fligner", "friedmanchisquare", "kruskal", "ks_1samp", "ks_2samp", "kstest", "mannwhitneyu",
    "median_test", "mood", "rankdata", "ranksums", "tiecorrect", "wilcoxon",
]  # fmt: skip
