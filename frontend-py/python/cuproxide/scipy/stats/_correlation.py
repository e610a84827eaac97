"""Correlations and regressions."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device, to_float
from ._axis import averaged, only, run, sample
from ._rank import _rank, counts_of, rank_rows, result_type
from ._results import ConfidenceInterval, SignificanceResult, bunch
from ._table_heavy import t as t_distribution
from ._table_normal import norm
from ._tests import checked, symmetric_pvalue


def _pearson_interval(self: Any, confidence_level: float = 0.95, method: Any = None) -> ConfidenceInterval:
    """The confidence interval by Fisher's transformation."""
    r, n = self.statistic, self._n
    if n <= 3:
        return ConfidenceInterval(-1 + 0 * r, 1 + 0 * r)
    z, s = np.arctanh(r), 1 / math.sqrt(n - 3)
    low, high = -1 + 0 * r, 1 + 0 * r
    if self._alternative == "two-sided":
        h = norm.ppf(0.5 + confidence_level / 2)
        low, high = np.tanh(z - h * s), np.tanh(z + h * s)
    elif self._alternative == "less":
        high = np.tanh(z + norm.ppf(confidence_level) * s)
    else:
        low = np.tanh(z - norm.ppf(confidence_level) * s)
    return ConfidenceInterval(low, high)


PearsonRResult = bunch("PearsonRResult", ["statistic", "pvalue"], confidence_interval=_pearson_interval)
PearsonRResult.correlation = property(lambda self: self.statistic)


def _correlate(x: ndarray, y: ndarray, mask: Any = None) -> ndarray:
    """The correlation of what counts along the last axis; NaN where one of the two is constant."""
    parts, constant = [], False
    for v in (x, y):
        d = v - averaged(v, mask)[..., None]
        d = d if mask is None else cp.where(mask, d, 0)
        # Scaled by their largest element, so that squares neither overflow nor vanish.
        parts.append(d / abs(d).max(axis=-1, keepdims=True))
        if mask is None:
            constant = constant | (v == v[..., :1]).all(axis=-1)
        else:
            top, bottom = cp.where(mask, v, -np.inf).max(axis=-1), cp.where(mask, v, np.inf).min(axis=-1)
            constant = constant | (top == bottom)
    one, two = parts
    r = (one * two).sum(axis=-1) / np.sqrt((one * one).sum(axis=-1) * (two * two).sum(axis=-1))
    return cp.where(constant, np.nan, cp.clip(r, -1.0, 1.0))


def _pearson_pvalue(r: ndarray, n: Any, alternative: str) -> ndarray:
    """The p-value of a correlation of n pairs: of two pairs nothing is known."""
    from ._table_bounded import beta

    shape = cp.maximum(n, 3) / 2 - 1 if isinstance(n, ndarray) else max(n, 3) / 2 - 1
    p = symmetric_pvalue(r, beta(shape, shape, loc=-1, scale=2), alternative)
    return cp.where(cp.isnan(r), np.nan, cp.where(cp.asarray(n) == 2, 1.0, p))


def _no_significance(v: ndarray) -> Any:
    return SignificanceResult(v, v)


def pearsonr(
    x: Any,
    y: Any,
    *,
    alternative: str = "two-sided",
    method: Any = None,
    axis: Any = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Any:
    """Pearson's coefficient of correlation and the p-value of independence. See `scipy.stats.pearsonr`.

    >>> import cuproxide as cp
    >>> r = cp.scipy.stats.pearsonr(cp.asarray([1.0, 2.0, 3.0, 4.0, 5.0]), cp.asarray([10.0, 9.0, 2.5, 6.0, 4.0]))
    >>> round(float(r.statistic), 6)
    -0.742611
    """
    checked(alternative)
    x, y = sample(x), sample(y)
    if x.dtype.kind == "c" or y.dtype.kind == "c":
        raise ValueError("This function does not support complex data")
    if axis is not None and x.ndim and y.ndim and x.shape[axis] != y.shape[axis]:
        raise ValueError("`x` and `y` must have the same length along `axis`.")
    sizes: list[int] = []

    def core(a: ndarray, b: ndarray) -> Any:
        n = a.shape[-1]
        if n < 2:
            raise ValueError("`x` and `y` must have length at least 2.")
        sizes.append(n)
        r = _correlate(a, b)
        if n == 2:
            return cp.rint(r), cp.where(cp.isnan(r), np.nan, 1.0)
        from ._table_bounded import beta

        shape = n / 2 - 1
        null = beta(shape, shape, loc=-1, scale=2)
        return r, symmetric_pvalue(r, null, alternative)

    r, p = run(core, [x, y], axis, nan_policy, keepdims, paired=True)
    if method is not None:
        from ._resampling import _resampled_correlation

        p = _resampled_correlation(x, y, axis, alternative, method)
    result = PearsonRResult(r, p)
    result._n, result._alternative = sizes[0] if sizes else 0, alternative
    return result


def spearmanr(
    a: Any, b: Any = None, axis: int | None = 0, nan_policy: str = "propagate", alternative: str = "two-sided"
) -> Any:
    """Spearman's rank correlation, of two samples or all pairs of columns. See `scipy.stats.spearmanr`.

    >>> import cuproxide as cp
    >>> r = cp.scipy.stats.spearmanr(cp.asarray([1, 2, 3, 4, 5]), cp.asarray([5, 6, 7, 8, 7]))
    >>> round(float(r.statistic), 6)
    0.820783
    """
    checked(alternative)
    if axis is not None and axis > 1:
        raise ValueError(
            f"spearmanr only handles 1-D or 2-D arrays, supplied axis argument {axis}, please use only values 0, 1 or "
            "None for axis"
        )
    a = sample(a)
    if axis is None:
        a, axis = a.ravel(), 0
        b = None if b is None else sample(b).ravel()
    if a.ndim > 2:
        raise ValueError("spearmanr only handles 1-D or 2-D arrays")
    if b is None:
        if a.ndim < 2:
            raise ValueError("`spearmanr` needs at least 2 variables to compare")
        columns = a if axis == 0 else a.T
    else:
        b = sample(b)
        one, two = (v.reshape(-1, 1) if v.ndim == 1 else v if axis == 0 else v.T for v in (a, b))
        columns = cp.concatenate([one, two], axis=1)
    bad = cp.isnan(columns)
    if nan_policy == "raise" and bool(bad.any()):
        raise ValueError("The input contains nan values")
    if nan_policy == "omit" and bool(bad.any()):
        columns = columns[~bad.any(axis=1)]
    n = columns.shape[0]
    ranks = _rank(columns.T)[0]
    ranks = cp.where(cp.isnan(columns.T).any(axis=-1, keepdims=True), np.nan, ranks)
    rs = cp.corrcoef(ranks)
    constant = (columns == columns[:1]).all(axis=0)
    rs = cp.where(constant[:, None] | constant[None, :], np.nan, rs)
    df = n - 2
    with np.errstate(all="ignore"):
        t = rs * np.sqrt(cp.clip(df / ((rs + 1.0) * (1.0 - rs)), 0, np.inf))
    p = symmetric_pvalue(t, t_distribution(df), alternative)
    if rs.shape == (2, 2):
        rs, p = rs[1, 0], p[1, 0]
    result = SignificanceResult(rs, p)
    result.correlation = rs
    return result


def spearmanrho(
    x: Any,
    y: Any,
    /,
    *,
    alternative: str = "two-sided",
    method: Any = None,
    axis: Any = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Any:
    """Spearman's rank correlation of pairs of samples. See `scipy.stats.spearmanrho`.

    Parameters
    ----------
    x, y : arrays of numbers
        The samples, along `axis`.
    alternative : {"two-sided", "less", "greater"}
    method : PermutationMethod or MonteCarloMethod, optional
        Find the p-value by resampling.

    Returns
    -------
    SignificanceResult
        `statistic` and `pvalue`.

    Raises
    ------
    ValueError
        For samples of different lengths, another alternative or method.

    >>> import cuproxide as cp
    >>> r = cp.scipy.stats.spearmanrho(cp.asarray([1, 2, 3, 4, 5]), cp.asarray([5, 6, 7, 8, 7]))
    >>> round(float(r.statistic), 6)
    0.820783
    """
    checked(alternative)

    def core(a: ndarray, b: ndarray, masks: Any = None) -> Any:
        dtype = result_type(a, b)
        one, two = (rank_rows((v,), None if masks is None else (masks[0],))[0][0] for v in (a, b))
        if method is not None:
            r = pearsonr(one, two, alternative=alternative, method=method, axis=-1)
            return SignificanceResult(r.statistic.astype(dtype), r.pvalue.astype(dtype))
        r = _correlate(one, two, only(masks))
        p = _pearson_pvalue(r, counts_of((a,), None if masks is None else masks[:1])[0], alternative)
        return SignificanceResult(r.astype(dtype), p.astype(dtype))

    options = {
        "masked": method is None,
        "spread_nan": True,
        "too_small": 1,
        "nothing": lambda v: SignificanceResult(v, v),
    }
    return run(core, [x, y], axis, nan_policy, keepdims, paired=True, **options)


def pointbiserialr(x: Any, y: Any, *, axis: Any = 0, nan_policy: str = "propagate", keepdims: bool = False) -> Any:
    """The correlation of a truth value and a number. See `scipy.stats.pointbiserialr`.

    >>> import cuproxide as cp
    >>> r = cp.scipy.stats.pointbiserialr(cp.asarray([0, 0, 0, 1, 1, 1, 1]), cp.arange(7.0))
    >>> round(float(r.statistic), 6)
    0.866025
    """
    r = pearsonr(x, y, axis=axis, nan_policy=nan_policy, keepdims=keepdims)
    result = SignificanceResult(r.statistic, r.pvalue)
    result.correlation = r.statistic
    return result


@k.kernel
def _concordance(x: k.Array[1], y: k.Array[1], i: k.Each):
    """Of pairs with one element: how many are concordant less discordant."""
    total = 0
    for j in k.steps(i):
        total += k.sign(x[i] - x[j]).astype(np.int64) * k.sign(y[i] - y[j]).astype(np.int64)
    return total


@cache
def _kendall_counts(n: int) -> np.ndarray:
    """The distribution of the number of discordant pairs of permutations."""
    shares = np.array([1.0])
    for i in range(2, n + 1):
        grown = np.convolve(shares, np.ones(i)) / i
        shares = grown
    return shares


def kendalltau(
    x: Any,
    y: Any,
    *,
    nan_policy: str = "propagate",
    method: str = "auto",
    variant: str = "b",
    alternative: str = "two-sided",
    axis: Any = None,
    keepdims: bool = False,
) -> Any:
    """Kendall's rank correlation. See `scipy.stats.kendalltau`.

    >>> import cuproxide as cp
    >>> r = cp.scipy.stats.kendalltau(cp.asarray([12, 2, 1, 12, 2]), cp.asarray([1, 4, 7, 1, 0]))
    >>> round(float(r.statistic), 6), round(float(r.pvalue), 6)
    (-0.471405, 0.282745)
    """
    checked(alternative)
    if variant not in ("b", "c"):
        raise ValueError(f"Unknown variant of Kendall's tau: {variant}. Variant must be 'b' or 'c'.")
    if method not in ("auto", "exact", "asymptotic"):
        raise ValueError(f"Unknown method {method} specified.  Use 'auto', 'exact' or 'asymptotic'.")

    def core(a: ndarray, b: ndarray) -> Any:
        n = a.shape[-1]
        if a.ndim > 1:
            parts = [core(p, q) for p, q in zip(a.reshape(-1, n), b.reshape(-1, n), strict=True)]
            return SignificanceResult(*(cp.stack([v[i] for v in parts]).reshape(a.shape[:-1]) for i in (0, 1)))
        if n == 0:
            return SignificanceResult(cp.asarray(np.nan), cp.asarray(np.nan))
        bad = bool((cp.isnan(a) | cp.isnan(b)).any())
        if bad:
            return SignificanceResult(cp.asarray(np.nan), cp.asarray(np.nan))
        total = n * (n - 1) // 2
        difference = to_float(_concordance(a, b, cp.arange(n)).sum())
        xt, x0, x1 = _ties(a)
        yt, y0, y1 = _ties(b)
        joint = _joint_ties(a, b)
        if xt == total or yt == total:
            return SignificanceResult(cp.asarray(np.nan), cp.asarray(np.nan))
        discordant = (total - xt - yt + joint - difference) / 2
        if variant == "b":
            tau = difference / math.sqrt(total - xt) / math.sqrt(total - yt)
        else:
            classes = min(cp.unique(a).size, cp.unique(b).size)
            tau = 2 * difference / (n**2 * (classes - 1) / classes)
        how = method
        if how == "exact" and (xt or yt):
            raise ValueError("Ties found, exact method cannot be used.")
        if how == "auto":
            how = (
                "exact" if not xt and not yt and (n <= 33 or min(discordant, total - discordant) <= 1) else "asymptotic"
            )
        if how == "exact":
            shares = _kendall_counts(n)
            c = int(round(total - discordant))
            less, greater = float(shares[: c + 1].sum()), float(shares[c:].sum())
            p = {"less": less, "greater": greater, "two-sided": min(1.0, 2 * min(less, greater))}[alternative]
            p = cp.asarray(p)
        else:
            m = n * (n - 1.0)
            variance = (m * (2 * n + 5) - x1 - y1) / 18 + 2 * xt * yt / m
            variance += x0 * y0 / (9 * m * (n - 2)) if n > 2 else 0.0
            p = symmetric_pvalue(cp.asarray(difference / math.sqrt(variance)), norm, alternative)
        return SignificanceResult(cp.asarray(max(-1.0, min(1.0, tau))), p)

    x, y = sample(x), sample(y)
    if axis is None and x.size != y.size:
        raise ValueError(f"Array shapes are incompatible for broadcasting: {x.shape} {y.shape}")
    result = run(
        core,
        [x.ravel(), y.ravel()] if axis is None else [x, y],
        0 if axis is None else axis,
        nan_policy,
        keepdims,
        paired=True,
    )
    result.correlation = result.statistic
    return result


def _ties(x: ndarray) -> tuple[float, float, float]:
    """Pairs of ties, and the sums over groups of `t (t-1) (t-2)` and `t (t-1) (2t+5)`."""
    t = _rank(x)[1].astype(np.float64)
    t = cp.where(t == 0, 1.0, t)
    sums = cp.stack([(t * (t - 1) / 2).sum(), (t * (t - 1) * (t - 2)).sum(), (t * (t - 1) * (2 * t + 5)).sum()])
    return tuple(sums.tolist())


def _joint_ties(x: ndarray, y: ndarray) -> float:
    codes = _rank(x, "dense")[0] * x.size + _rank(y, "dense")[0]
    return _ties(codes)[0]


def weightedtau(
    x: Any,
    y: Any,
    rank: Any = True,
    weigher: Any = None,
    additive: bool = True,
    *,
    axis: Any = None,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Any:
    """Kendall's correlation with weights of ranks. See `scipy.stats.weightedtau`.

    >>> import cuproxide as cp
    >>> r = cp.scipy.stats.weightedtau(cp.asarray([12, 2, 1, 12, 2]), cp.asarray([1, 4, 7, 1, 0]))
    >>> round(float(r.statistic), 6)
    -0.56695
    """
    x, y = sample(x).ravel(), sample(y).ravel()
    if x.size != y.size:
        raise ValueError("All inputs to `weightedtau` must be of the same size")
    if x.size == 0 or bool((cp.isnan(x) | cp.isnan(y)).any()):
        return SignificanceResult(cp.asarray(np.nan), cp.asarray(np.nan))

    def tau(ranks: ndarray) -> ndarray:
        weights = (
            1.0 / (1.0 + ranks)
            if weigher is None
            else cp.asarray(np.array([weigher(int(r)) for r in ranks.tolist()], dtype=float))
        )
        both, x_ties, y_ties = _weighted_pairs(x, y, weights, cp.arange(x.size), additive=additive)
        top, one, two = both.sum(), x_ties.sum(), y_ties.sum()
        return top / np.sqrt(one * two)

    def by(first: ndarray, second: ndarray) -> ndarray:
        order = cp.lexsort(cp.stack([second, first]))[::-1]
        ranks = cp.empty(x.size, dtype=np.float64)
        ranks[order] = cp.arange(float(x.size))
        return ranks

    if rank is True:
        value = (tau(by(x, y)) + tau(by(y, x))) / 2
    elif rank is False or rank is None:
        value = tau(cp.arange(float(x.size)))
    else:
        value = tau(as_device(rank).astype(np.float64))
    result = SignificanceResult(value, cp.asarray(np.nan))
    result.correlation = value
    return result


@k.kernel
def _weighted_pairs(x: k.Array[1], y: k.Array[1], w: k.Array[1], i: k.Each, *, additive):
    total, xs, ys = 0.0, 0.0, 0.0
    for j in k.steps(i):
        weight = w[i] + w[j] if additive else w[i] * w[j]
        a, b = k.sign(x[i] - x[j]), k.sign(y[i] - y[j])
        total += a * b * weight
        xs += abs(a) * weight
        ys += abs(b) * weight
    return total, xs, ys


LinregressResult = bunch("LinregressResult", ["slope", "intercept", "rvalue", "pvalue", "stderr"], ["intercept_stderr"])


def linregress(
    x: Any,
    y: Any,
    alternative: str = "two-sided",
    *,
    axis: Any = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Any:
    """The regression line by least squares. See `scipy.stats.linregress`.

    >>> import cuproxide as cp
    >>> r = cp.scipy.stats.linregress(cp.asarray([0.0, 1.0, 2.0]), cp.asarray([1.0, 3.0, 5.0]))
    >>> float(r.slope), float(r.intercept)
    (2.0, 1.0)
    """
    checked(alternative)

    def core(a: ndarray, b: ndarray) -> Any:
        n = a.shape[-1]
        if n < 2:
            raise ValueError("Inputs must not be empty.")
        am, bm = a.mean(axis=-1), b.mean(axis=-1)
        da, db = a - am[..., None], b - bm[..., None]
        sxx, sxy, syy = ((u * v).sum(axis=-1) / n for u, v in ((da, da), (da, db), (db, db)))
        r = cp.where(
            (sxx == 0) | (syy == 0),
            cp.where((sxx == 0) & (syy == 0), np.nan, 0.0),
            cp.clip(sxy / np.sqrt(sxx * syy), -1, 1),
        )
        slope = sxy / sxx
        intercept = bm - slope * am
        if n == 2:
            p = cp.where(b[..., 0] == b[..., 1], 1.0, 0.0)
            zero = 0.0 * slope
            return LinregressResult(slope, intercept, r, p, zero, zero)
        df = n - 2
        t = r * np.sqrt(df / ((1.0 - r + 1e-20) * (1.0 + r + 1e-20)))
        p = symmetric_pvalue(t, t_distribution(df), alternative)
        error = np.sqrt((1 - r**2) * syy / sxx / df)
        return LinregressResult(slope, intercept, r, p, error, error * np.sqrt(sxx + am**2))

    x, y = sample(x), sample(y)
    if x.size and bool((x == x.ravel()[0]).all()) and x.size > 1 and x.ndim == 1:
        raise ValueError("Cannot calculate a linear regression if all x values are identical")
    parts = run(
        lambda a, b: (*core(a, b), core(a, b).intercept_stderr), [x, y], axis, nan_policy, keepdims, paired=True
    )
    return LinregressResult(*parts)


TheilslopesResult = bunch("TheilslopesResult", ["slope", "intercept", "low_slope", "high_slope"])
SiegelslopesResult = bunch("SiegelslopesResult", ["slope", "intercept"])


def theilslopes(
    y: Any,
    x: Any = None,
    alpha: float = 0.95,
    method: str = "separate",
    *,
    axis: Any = None,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Any:
    """The Theil-Sen line: the median of the slopes of all pairs. See `scipy.stats.theilslopes`.

    >>> import cuproxide as cp
    >>> float(cp.scipy.stats.theilslopes(cp.asarray([1.0, 3.0, 5.0])).slope)
    2.0
    """
    if method not in ("joint", "separate"):
        raise ValueError(f"method must be either 'joint' or 'separate'.'{method}' is invalid.")
    y = sample(y).ravel()
    x = cp.arange(float(y.size)) if x is None else sample(x).ravel()
    if x.size != y.size:
        raise ValueError("Array shapes are incompatible for broadcasting.")
    n = y.size
    i, j = (cp.asarray(v) for v in np.triu_indices(n, 1))
    dx, dy = x[j] - x[i], y[j] - y[i]
    keep = dx != 0
    slopes = cp.sort((dy / cp.where(keep, dx, 1.0))[keep])
    slope = cp.median(slopes)
    intercept = cp.median(y) - slope * cp.median(x) if method == "separate" else cp.median(y - slope * x)
    if alpha > 0.5:
        alpha = 1.0 - alpha
    z = to_float(norm.ppf(alpha / 2.0))
    nt, ny = slopes.size, n
    xt, yt = _rank(x)[1].astype(np.float64), _rank(y)[1].astype(np.float64)
    ties = sum(to_float((t * (t - 1) * (2 * t + 5)).sum()) for t in (xt, yt))
    sigma = math.sqrt(1 / 18.0 * (ny * (ny - 1) * (2 * ny + 5) - ties))
    upper = min(int(round((nt - z * sigma) / 2.0)), nt - 1)
    lower = max(int(round((nt + z * sigma) / 2.0)) - 1, 0)
    return TheilslopesResult(slope, intercept, slopes[lower], slopes[upper])


def siegelslopes(
    y: Any,
    x: Any = None,
    method: str = "hierarchical",
    *,
    axis: Any = None,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Any:
    """Siegel's line: the median over points of the median slopes to others. See `scipy.stats.siegelslopes`.

    >>> import cuproxide as cp
    >>> float(cp.scipy.stats.siegelslopes(cp.asarray([1.0, 3.0, 5.0])).slope)
    2.0
    """
    if method not in ("hierarchical", "separate"):
        raise ValueError("method can only be 'hierarchical' or 'separate'")
    y = sample(y).ravel()
    x = cp.arange(float(y.size)) if x is None else sample(x).ravel()
    dx, dy = x[None, :] - x[:, None], y[None, :] - y[:, None]
    slopes = cp.nanmedian(cp.where(dx == 0, np.nan, dy / cp.where(dx == 0, 1.0, dx)), axis=1)
    slope = cp.nanmedian(slopes)
    if method == "separate":
        crossing = cp.where(
            dx == 0, np.nan, (y[:, None] * x[None, :] - y[None, :] * x[:, None]) / cp.where(dx == 0, 1.0, dx)
        )
        return SiegelslopesResult(slope, cp.nanmedian(cp.nanmedian(crossing, axis=1)))
    return SiegelslopesResult(slope, cp.median(y - slope * x))


# ------------------------------------------------------------------------------------------ distances


def _cdf_distance(p: float, u: Any, v: Any, uw: Any, vw: Any) -> ndarray:
    u, v = sample(u).ravel(), sample(v).ravel()
    if u.size == 0 or v.size == 0:
        raise ValueError("Distribution can't be empty.")
    every = cp.sort(cp.concatenate([u, v]))
    widths = cp.diff(every)

    def cdf(x: ndarray, w: Any) -> ndarray:
        order = cp.argsort(x)
        at = cp.searchsorted(x[order], every[:-1], side="right")
        if w is None:
            return at / x.size
        w = sample(w).ravel()
        if w.size != x.size:
            raise ValueError(
                "Value and weight array-likes for the same empirical distribution must be of the same size."
            )
        if not bool((w >= 0).all()):
            raise ValueError("All weights must be non-negative.")
        sums = cp.concatenate([cp.zeros(1), cp.cumsum(w[order])])
        return sums[at] / sums[-1]

    difference = abs(cdf(u, uw) - cdf(v, vw))
    if p == 1:
        return (difference * widths).sum()
    return np.sqrt((difference**2 * widths).sum())


def wasserstein_distance(u_values: Any, v_values: Any, u_weights: Any = None, v_weights: Any = None) -> ndarray:
    """The Wasserstein distance of two samples of numbers. See `scipy.stats.wasserstein_distance`.

    >>> import cuproxide as cp
    >>> float(cp.scipy.stats.wasserstein_distance(cp.asarray([0, 1, 3]), cp.asarray([5, 6, 8])))
    5.0
    """
    return _cdf_distance(1, u_values, v_values, u_weights, v_weights)


def energy_distance(u_values: Any, v_values: Any, u_weights: Any = None, v_weights: Any = None) -> ndarray:
    """The energy distance of two samples of numbers. See `scipy.stats.energy_distance`.

    >>> import cuproxide as cp
    >>> round(float(cp.scipy.stats.energy_distance(cp.asarray([0]), cp.asarray([2]))), 6)
    2.0
    """
    return math.sqrt(2) * _cdf_distance(2, u_values, v_values, u_weights, v_weights)


__all__ = [
    "energy_distance", "kendalltau", "linregress", "pearsonr", "pointbiserialr", "siegelslopes", "spearmanr",
    "spearmanrho", "theilslopes", "wasserstein_distance", "weightedtau",
]  # fmt: skip
