"""Correlations and regressions."""

from __future__ import annotations

import math
import operator
import warnings
from functools import cache
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ._axis import averaged, in_order, only, run, sample, together
from ._common import check_policy, refuse_nan
from ._inversions import inversions, weighted_inversions
from ._rank import _rank, counts_of, exact_tails, picked, rank_rows, result_type
from ._resampling import BootstrapMethod, bootstrap, resampled_correlation
from ._results import ConfidenceInterval, ConstantInputWarning, NearConstantInputWarning, SignificanceResult, bunch
from ._table_heavy import t as t_distribution
from ._table_normal import norm
from ._tests import checked, symmetric_pvalue


def _pearson_interval(self: Any, confidence_level: float = 0.95, method: Any = None) -> ConfidenceInterval:
    """The confidence interval by Fisher's transformation, or by a `BootstrapMethod`."""
    if isinstance(method, BootstrapMethod):
        found = bootstrap(
            self._data, lambda x, y, axis: pearsonr(x, y, axis=axis)[0], confidence_level=confidence_level,
            axis=self._axis, paired=True, alternative=self._alternative, **method._asdict(),
        )  # fmt: skip
        return ConfidenceInterval(*(cp.clip(end, -1, 1) for end in found.confidence_interval))
    if method is not None:
        raise ValueError("`method` must be an instance of `BootstrapMethod` or None.")
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


_CONSTANT = "An input array is constant; the correlation coefficient is not defined."


def _correlate(x: ndarray, y: ndarray, mask: Any = None) -> ndarray:
    """The correlation of what counts along the last axis; NaN where one of the two is constant."""
    parts: list[ndarray] = []
    constant: Any = False
    near: Any = False
    for v in (x, y):
        mean = averaged(v, mask)
        d = v - mean[..., None]
        # The mean's own rounding would count where elements hardly differ.
        d = d - averaged(d, mask)[..., None]
        d = d if mask is None else cp.where(mask, d, 0)
        near = near | (abs(d).max(axis=-1) < cp.finfo(v.dtype).eps ** 0.75 * abs(mean))
        # Scaled by their largest element, so that squares neither overflow nor vanish.
        parts.append(d / abs(d).max(axis=-1, keepdims=True))
        if mask is None:
            constant = constant | (v == v[..., :1]).all(axis=-1)
        else:
            top, bottom = cp.where(mask, v, -np.inf).max(axis=-1), cp.where(mask, v, np.inf).min(axis=-1)
            constant = constant | (top == bottom)
    several = constant if mask is None else constant & (mask.sum(axis=-1) > 1)
    is_constant, is_near = cp.stack([several.any(), (near & ~constant).any()]).tolist()
    if is_constant:
        warnings.warn(_CONSTANT, ConstantInputWarning, stacklevel=6)
    if is_near:
        warnings.warn(
            "An input array is nearly constant; the computed correlation coefficient may be inaccurate.",
            NearConstantInputWarning,
            stacklevel=6,
        )
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
    """Pearson's coefficient of correlation and the p-value of independence.

    >>> r = cp.scipy.stats.pearsonr(cp.asarray([1.0, 2.0, 3.0, 4.0, 5.0]), cp.asarray([10.0, 9.0, 2.5, 6.0, 4.0]))
    >>> round(float(r.statistic), 6)
    -0.742611
    """
    checked(alternative)
    x, y = together([x, y])
    if x.dtype.kind == "c" or y.dtype.kind == "c":
        raise ValueError("This function does not support complex data")
    if axis is not None and (np.ndim(axis) or int(axis) != axis):
        raise ValueError(f"`axis` must be an integer, not {axis!r}.")
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

    r, p = run(core, [x, y], axis, nan_policy, keepdims, paired=True, too_small=-1, nothing=lambda v: (v, v))
    if method is not None:
        p = resampled_correlation(_correlate, x, y, axis, alternative, method)
    result = PearsonRResult(r, p)
    result._n, result._alternative = sizes[0] if sizes else 0, alternative
    result._data, result._axis = (x, y), axis
    return result


def _pairwise_ranks(rows: ndarray) -> tuple[ndarray, ndarray]:
    """The correlations of the ranks of all pairs of rows, and how many elements count: those that neither row lacks."""
    shape = (rows.shape[0], *rows.shape)
    valid = ~cp.isnan(rows)
    mask = valid[:, None, :] & valid[None, :, :]
    pair = (cp.broadcast_to(rows[:, None, :], shape), cp.broadcast_to(rows[None, :, :], shape))
    one, two = (rank_rows((v,), (mask,))[0][0] for v in pair)
    return _correlate(one, two, mask), mask.sum(axis=-1)


def spearmanr(
    a: Any, b: Any = None, axis: int | None = 0, nan_policy: str = "propagate", alternative: str = "two-sided"
) -> Any:
    """Spearman's rank correlation, of two samples or all pairs of columns.

    Parameters
    ----------
    b : array_like, optional
        The second samples.

    >>> r = cp.scipy.stats.spearmanr(cp.asarray([1, 2, 3, 4, 5]), cp.asarray([5, 6, 7, 8, 7]))
    >>> round(float(r.statistic), 6)
    0.820783
    """
    checked(alternative)
    check_policy(nan_policy)
    if axis is not None and axis > 1:
        raise ValueError(
            f"spearmanr only handles 1-D or 2-D arrays, supplied axis argument {axis}, please use only values 0, 1 or "
            "None for axis"
        )
    axis = axis if axis is None else operator.index(axis)
    a, b = (*map(sample, in_order([a] if b is None else [a, b])[0]), None)[:2]
    if axis is None:
        a, axis = a.ravel(), 0
        b = None if b is None else b.ravel()
    if a.ndim > 2:
        raise ValueError("spearmanr only handles 1-D or 2-D arrays")
    if b is None:
        if a.ndim < 2:
            raise ValueError("`spearmanr` needs at least 2 variables to compare")
        columns = a if axis == 0 else a.T
    else:
        one, two = (v.reshape(-1, 1) if v.ndim == 1 else v if axis == 0 else v.T for v in (a, b))
        columns = cp.concatenate([one, two], axis=1)
    bad = cp.isnan(columns)
    if nan_policy == "raise":
        refuse_nan(columns)
    if nan_policy == "omit" and bool(bad.any()):
        rs, n = _pairwise_ranks(columns.T)
    else:
        n = columns.shape[0]
        ranks = _rank(columns.T)[0]
        ranks = cp.where(cp.isnan(columns.T).any(axis=-1, keepdims=True), np.nan, ranks)
        rs = cp.corrcoef(ranks)
        constant = (columns == columns[:1]).all(axis=0)
        if n > 0 and bool(constant.any()):
            warnings.warn(_CONSTANT, ConstantInputWarning, stacklevel=2)
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

    >>> r = cp.scipy.stats.spearmanrho(cp.asarray([1, 2, 3, 4, 5]), cp.asarray([5, 6, 7, 8, 7]))
    >>> round(float(r.statistic), 6)
    0.820783
    """
    checked(alternative)
    # Not converted here: ranks of whole numbers are exact.
    if cp.iscomplexobj(x) or cp.iscomplexobj(y):
        raise ValueError("This function does not support complex data")

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
    return run(core, [x, y], axis, nan_policy, keepdims, paired=True, ordered=True, **options)


def pointbiserialr(x: Any, y: Any, *, axis: Any = 0, nan_policy: str = "propagate", keepdims: bool = False) -> Any:
    """The correlation of a truth value and a number.

    >>> r = cp.scipy.stats.pointbiserialr(cp.asarray([0, 0, 0, 1, 1, 1, 1]), cp.arange(7.0))
    >>> round(float(r.statistic), 6)
    0.866025
    """
    if cp.iscomplexobj(x) or cp.iscomplexobj(y):
        raise ValueError("This function does not support complex data")

    def core(a: ndarray, b: ndarray, masks: Any = None) -> Any:
        r = _correlate(a, b, only(masks))
        return SignificanceResult(
            r, _pearson_pvalue(r, counts_of((a,), None if masks is None else masks[:1])[0], "two-sided")
        )

    options = {"masked": True, "spread_nan": True, "too_small": 1, "nothing": _no_significance}
    result = run(core, [x, y], axis, nan_policy, keepdims, paired=True, **options)
    result.correlation = result.statistic
    return result


def _lexicographic(first: ndarray, second: ndarray, mask: Any) -> tuple[ndarray, int]:
    """Codes of pairs of whole numbers that sort by the first, then by the second; what does not count comes last."""
    base = first.shape[-1] + 1
    codes = first * base + second
    return (codes if mask is None else cp.where(mask, codes, base * base - 1)), base


def _discordant(x: ndarray, y: ndarray, mask: Any) -> ndarray:
    """Of rows of ranks from 1 on the number of pairs that x and y order differently."""
    codes, base = _lexicographic(x, y, mask)
    return inversions(cp.sort(codes, axis=-1) % base)


def _weighted_discordant(x: ndarray, y: ndarray, weights: ndarray, additive: bool, mask: Any) -> ndarray:
    """As `_discordant`, each pair counted by its weights."""
    codes, base = _lexicographic(x, y, mask)
    order = cp.argsort(codes, axis=-1)
    ordered = cp.take_along_axis(codes, order, axis=-1)
    return weighted_inversions(ordered % base, cp.take_along_axis(weights, order, axis=-1), additive)


@cache
def _kendall_table(n: int) -> tuple[np.ndarray, np.ndarray]:
    """The distribution of the number of discordant pairs of permutations."""
    shares = np.array([1.0])
    for i in range(2, n + 1):
        shares = np.convolve(shares, np.ones(i)) / i
    return np.arange(shares.size), shares


_EXACT = 33  # Up to so many pairs p-values are exact, if there are no ties.


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
    """Kendall's rank correlation.

    Parameters
    ----------
    method : str
        How p-values are computed.
    variant : {'b', 'c'}
        The variant.

    >>> r = cp.scipy.stats.kendalltau(cp.asarray([12, 2, 1, 12, 2]), cp.asarray([1, 4, 7, 1, 0]))
    >>> round(float(r.statistic), 6), round(float(r.pvalue), 6)
    (-0.471405, 0.282745)
    """
    checked(alternative)
    if variant not in ("b", "c"):
        raise ValueError(f"Unknown variant of Kendall's tau: {variant}. Variant must be 'b' or 'c'.")
    if method not in ("auto", "exact", "asymptotic"):
        raise ValueError(f"Unknown method {method} specified.  Use 'auto', 'exact' or 'asymptotic'.")

    def core(a: ndarray, b: ndarray, masks: Any = None) -> Any:
        n = counts_of((a,), None if masks is None else masks[:1])[0]
        left = cp.zeros(a.shape[:-1]) if masks is None else a.shape[-1] - n
        if masks is not None:
            a, b = (cp.where(masks[0], v, np.nan) for v in (a, b))
        x_ranks, y_ranks = (_rank(v, "dense")[0] for v in (a, b))
        discordant = _discordant(x_ranks, y_ranks, only(masks)).astype(np.float64)
        xt, x0, x1, x_classes = _ties(a)
        yt, y0, y1, y_classes = _ties(b)
        joint = _joint_ties(a, b, x_ranks, y_ranks)
        total = n * (n - 1) / 2
        difference = total - xt - yt + joint - 2 * discordant
        if variant == "b":
            tau = difference / np.sqrt(total - xt) / np.sqrt(total - yt)
        else:
            classes = cp.minimum(x_classes, y_classes) - left
            tau = 2 * difference / (n**2 * (classes - 1) / classes)
        constant = (xt == total) | (yt == total)
        tied = (xt > 0) | (yt > 0)
        if method == "exact":
            bad = (cp.isnan(a) | cp.isnan(b)).any(axis=-1) if masks is None else constant
            if bool((tied & ~constant & ~bad).any()):
                raise ValueError("Ties found, exact method cannot be used.")
        fewest = cp.minimum(discordant, total - discordant)
        exact: Any = ~tied & ((n <= _EXACT) | (fewest <= 1)) if method == "auto" else method == "exact"
        small = n <= _EXACT if method == "auto" else True

        def permutations() -> ndarray:
            c = total - discordant
            wanted = exact & small
            if not isinstance(n, ndarray) and small is True or isinstance(small, np.bool_) and bool(small):
                lower, upper = exact_tails(c, c, (n,), _kendall_table, wanted)
            else:
                sizes = cp.where(wanted, n, 1.0)
                lower, upper = exact_tails(c, c, (sizes,), _kendall_table, wanted)
                # Of many pairs of which all but one are in order: 1 and n - 1 permutations have so few discordant.
                one = np.exp(-cp.scipy.special.gammaln(n + 1.0))
                ends = cp.where(fewest < 0.5, one, n * one)
                rest = cp.where(fewest < 0.5, 1.0, 1 - one)
                low = c < total / 2
                lower = cp.where(wanted, lower, cp.where(low, ends, rest))
                upper = cp.where(wanted, upper, cp.where(low, rest, ends))
            one_sided = {"less": lower, "greater": upper}.get(alternative)
            return cp.minimum(2 * cp.minimum(lower, upper), 1.0) if one_sided is None else one_sided

        def asymptotic() -> ndarray:
            m = n * (n - 1.0)
            triples = cp.where(cp.asarray(n) > 2, x0 * y0 / (9 * m * (n - 2)), 0.0)
            variance = (m * (2 * n + 5) - x1 - y1) / 18 + 2 * xt * yt / m + triples
            return symmetric_pvalue(difference / np.sqrt(variance), norm, alternative)

        p = picked(exact, permutations, asymptotic)
        tau = cp.clip(tau, -1.0, 1.0)
        return SignificanceResult(cp.where(constant, np.nan, tau), cp.where(constant, np.nan, p))

    x, y = (sample(v) for v in in_order([x, y])[0])
    if axis is None and x.size != y.size:
        raise ValueError(f"Array shapes are incompatible for broadcasting: {x.shape} {y.shape}")
    options = {"masked": True, "spread_nan": True, "too_small": 1, "nothing": _no_significance}
    result = run(core, [x, y], axis, nan_policy, keepdims, paired=True, **options)
    result.correlation = result.statistic
    return result


def _ties(x: ndarray) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """Of each row the pairs of ties, the sums over groups of `t (t-1) (t-2)` and `t (t-1) (2t+5)`, and the groups."""
    t = _rank(x)[1].astype(np.float64)
    pairs = t * (t - 1)
    return (
        (pairs / 2).sum(axis=-1),
        (pairs * (t - 2)).sum(axis=-1),
        (pairs * (2 * t + 5)).sum(axis=-1),
        (t > 0).sum(axis=-1).astype(np.float64),
    )


def _joint_ties(x: ndarray, y: ndarray, x_ranks: ndarray, y_ranks: ndarray) -> ndarray:
    codes = _lexicographic(x_ranks, y_ranks, None)[0].astype(np.float64)
    return _ties(cp.where(cp.isnan(x) | cp.isnan(y), np.nan, codes))[0]


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
    """Kendall's correlation with weights of ranks.

    Parameters
    ----------
    rank : bool or array_like
        Which ranks weigh.
    weigher : callable, optional
        The weights of ranks.
    additive : bool
        Whether the weights of two ranks are added, or multiplied.

    >>> r = cp.scipy.stats.weightedtau(cp.asarray([12, 2, 1, 12, 2]), cp.asarray([1, 4, 7, 1, 0]))
    >>> round(float(r.statistic), 6)
    -0.56695
    """
    x, y = (sample(v) for v in in_order([x, y])[0])
    samples = [x, y]
    if rank is not True and rank is not False and rank is not None:
        samples.append(sample(rank))
    if axis is None and any(v.size != x.size for v in samples):
        raise ValueError("Array shapes are incompatible for broadcasting.")

    def weights_of(ranks: ndarray) -> ndarray:
        if weigher is None:
            return 1.0 / (1.0 + ranks)
        distinct, at = cp.unique(ranks, return_inverse=True)
        table = np.array([weigher(int(r)) for r in distinct.tolist()], dtype=float)
        return cp.asarray(table)[at.reshape(ranks.shape)]

    def core(a: ndarray, b: ndarray, given: Any = None, masks: Any = None) -> Any:
        mask = only(masks)
        # NaN that is not omitted is less than all numbers.
        a, b = (_rank(cp.where(cp.isnan(v), -np.inf, v), "dense")[0] for v in (a, b))
        a, b = (v if mask is None else cp.where(mask, v, -1) for v in (a, b))
        at, downwards = cp.arange(a.shape[-1]), [a.shape[-1] + 1 - v for v in (a, b)]

        def tau(ranks: ndarray) -> ndarray:
            weights = cp.broadcast_to(weights_of(ranks), a.shape)

            def total(first: ndarray, second: ndarray) -> ndarray:
                return _weighted_discordant(first, second, weights, additive, mask)

            both = total(downwards[0], b) - total(a, b)
            # Of what is sorted downwards all pairs but ties are out of order.
            return both / np.sqrt(total(downwards[0], a) * total(downwards[1], b))

        def by(first: ndarray, second: ndarray) -> ndarray:
            """Ranks from the largest element on, of equal ones by the other sample."""
            one = cp.argsort(second, axis=-1, kind="stable")
            two = cp.argsort(cp.take_along_axis(first, one, axis=-1), axis=-1, kind="stable")
            order = cp.flip(cp.take_along_axis(one, two, axis=-1), axis=-1)
            return cp.argsort(order, axis=-1).astype(np.float64)

        if rank is True:
            value = (tau(by(a, b)) + tau(by(b, a))) / 2
        elif rank is False:
            value = tau((at if mask is None else cp.maximum(cp.cumsum(mask, axis=-1) - 1, 0)).astype(np.float64))
        elif rank is None:
            value = tau(by(a, b))
        else:
            value = tau(given)
        return SignificanceResult(value, cp.full(value.shape, np.nan))

    options = {"masked": True, "spread_nan": False, "too_small": 1, "nothing": _no_significance}
    result = run(core, samples, axis, nan_policy, keepdims, paired=True, narrow=False, **options)
    result.correlation = result.statistic
    return result


__all__ = ["kendalltau", "pearsonr", "pointbiserialr", "spearmanr", "spearmanrho", "weightedtau"]
