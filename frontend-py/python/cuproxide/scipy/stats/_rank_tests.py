"""Tests that rest on ranks: of two samples, of pairs, of several samples."""

from __future__ import annotations

import math
from collections import namedtuple
from functools import cache
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ._axis import averaged, only, run, sample
from ._common import check_policy, renamed
from ._rank import _rank, _runs, counts_of, exact_tails, picked, rank_rows, result_type
from ._results import SignificanceResult, bunch
from ._table_gamma import chi2
from ._table_heavy import t as t_distribution
from ._table_normal import norm
from ._tests import checked, middle_of, symmetric_pvalue


def _both(make: Any) -> dict[str, Any]:
    """How `run` serves a test of ranks: masks, NaN for samples with NaN and for empty ones."""
    return {"masked": True, "spread_nan": True, "too_small": 0, "nothing": lambda v: make(v, v)}


# ------------------------------------------------------------------------------------------ two samples

MannwhitneyuResult = bunch("MannwhitneyuResult", ["statistic", "pvalue"])


@cache
def _mwu_table(m: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The distribution of U without ties: coefficients of the Gaussian binomial, exact as integers of any size."""
    m, n = min(m, n), max(m, n)
    counts = np.zeros(m * n + 1, dtype=np.int64 if math.comb(m + n, m) < 2**62 else object)
    counts[0] = 1
    for i in range(1, m + 1):
        # Times (1 - q^(n + i)), divided by (1 - q^i).
        top = n + i
        counts[top:] = counts[top:] - counts[:-top] if top < counts.size else counts[top:]
        rows = -(-counts.size // i)
        padded = np.zeros(rows * i, dtype=counts.dtype)
        padded[: counts.size] = counts
        counts = np.cumsum(padded.reshape(rows, i), axis=0).reshape(-1)[: counts.size]
    return np.arange(counts.size), (counts / math.comb(m + n, m)).astype(np.float64)


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
) -> Any:
    """The Mann-Whitney U test.

    Parameters
    ----------
    use_continuity : bool
        Whether to correct for continuity.

    Returns
    -------
    MannwhitneyuResult
        With `statistic`, `pvalue` and, where `method` is "asymptotic", `zstatistic`.

    >>> r = cp.scipy.stats.mannwhitneyu(cp.asarray([1.0, 2.0, 3.0]), cp.asarray([4.0, 5.0, 6.0]))
    >>> round(float(r.pvalue), 6)
    0.1
    """
    from ._resampling import PermutationMethod, permutation_test

    alternative = checked(str(alternative).lower())
    if use_continuity not in (True, False):
        raise ValueError(f"`use_continuity` must be one of {{False, True}}, got {use_continuity!r}.")
    resampled = isinstance(method, PermutationMethod)
    if not resampled and method not in ("auto", "asymptotic", "exact"):
        raise ValueError(f"`method` must be one of {{'asymptotic', 'auto', 'exact'}}, got {method!r}")

    def core(a: ndarray, b: ndarray, masks: Any = None) -> Any:
        dtype = result_type(a, b)
        (ranks, _), ties, tied = rank_rows((a, b), masks)
        n1, n2 = counts_of((a, b), masks)
        u1 = ranks.sum(axis=-1) - n1 * (n1 + 1) / 2
        u2 = n1 * n2 - u1
        u, factor = {"greater": (u1, 1), "less": (u2, 1)}.get(alternative) or (cp.maximum(u1, u2), 2)
        exact: Any = method == "exact"
        if method == "auto":
            exact = (n1 <= 8) | (n2 <= 8)
            exact = exact & ~tied if masks is not None else bool(exact) and not bool(tied.any())

        def standardized() -> ndarray:
            n = n1 + n2
            s = np.sqrt(n1 * n2 / 12 * (n + 1 - ties / (n * (n - 1))))
            return (u - n1 * n2 / 2 - (0.5 if use_continuity else 0.0)) / s

        p = picked(
            exact, lambda: exact_tails(u, cp.trunc(u), (n1, n2), _mwu_table, exact)[1], lambda: norm.sf(standardized())
        )
        result = MannwhitneyuResult(u1.astype(dtype), cp.clip(p * factor, 0, 1).astype(dtype))
        if method == "asymptotic":
            sign: Any = {"greater": 1, "less": -1}.get(alternative)
            result.zstatistic = (standardized() * (cp.sign(u1 - u2) if sign is None else sign)).astype(dtype)
        return result

    def nothing(v: ndarray) -> Any:
        return MannwhitneyuResult(v, v, **({"zstatistic": v} if method == "asymptotic" else {}))

    if not resampled:
        options = {**_both(MannwhitneyuResult), "nothing": nothing}
        return run(core, [x, y], axis, nan_policy, keepdims, ordered=True, **options)

    def permuted(a: ndarray, b: ndarray) -> Any:
        def statistic(a: ndarray, b: ndarray, axis: int) -> ndarray:
            return rank_rows((a, b))[0][0].sum(axis=-1) - a.shape[-1] * (a.shape[-1] + 1) / 2

        r = permutation_test((a, b), statistic, axis=-1, alternative=alternative, vectorized=True, **method._asdict())
        return MannwhitneyuResult(r.statistic, r.pvalue)

    options = {"too_small": 0, "nothing": lambda v: MannwhitneyuResult(v, v)}
    return run(permuted, [x, y], axis, nan_policy, keepdims, ordered=True, **options)


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
    """Wilcoxon's rank-sum test.

    >>> round(float(cp.scipy.stats.ranksums(cp.asarray([1.0, 2.0, 3.0]), cp.asarray([4.0, 5.0, 6.0])).pvalue), 6)
    0.049535
    """
    checked(alternative)

    def core(a: ndarray, b: ndarray, masks: Any = None) -> RanksumsResult:
        n1, n2 = counts_of((a, b), masks)
        s = rank_rows((a, b), masks)[0][0].sum(axis=-1)
        z = (s - n1 * (n1 + n2 + 1) / 2.0) / np.sqrt(n1 * n2 * (n1 + n2 + 1) / 12.0)
        return RanksumsResult(z, symmetric_pvalue(z, norm, alternative))

    return run(core, [x, y], axis, nan_policy, keepdims, narrow=False, ordered=True, **_both(RanksumsResult))


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
    """The Brunner-Munzel test.

    Parameters
    ----------
    distribution : {'t', 'normal'}
        The distribution under the null hypothesis.

    >>> a, b = cp.asarray([1.0, 2.0, 1.0, 4.0]), cp.asarray([3.0, 3.0, 4.0, 3.0])
    >>> round(float(cp.scipy.stats.brunnermunzel(a, b).statistic), 6)
    1.272792
    """
    checked(alternative)
    if distribution not in ("t", "normal"):
        raise ValueError("distribution should be 't' or 'normal'")

    def core(a: ndarray, b: ndarray, masks: Any = None) -> Any:
        masks = masks or (None, None)
        n1, n2 = (counts_of((v,), None if m is None else (m,))[0] for v, m in zip((a, b), masks, strict=True))
        joint = rank_rows((a, b), None if masks[0] is None else masks)[0]
        means, spreads = [], []
        for r, v, m, n in zip(joint, (a, b), masks, (n1, n2), strict=True):
            own = rank_rows((v,), None if m is None else (m,))[0][0]
            mean = averaged(r, m)
            deviation = (r - own) - (mean - averaged(own, m))[..., None]
            deviation = deviation if m is None else cp.where(m, deviation, 0.0)
            means.append(mean)
            spreads.append((deviation**2).sum(axis=-1) / (n - 1))
        one, two = n1 * spreads[0], n2 * spreads[1]
        w = n1 * n2 * (means[1] - means[0]) / ((n1 + n2) * np.sqrt(one + two))
        if distribution == "t":
            top, bottom = (one + two) ** 2, one**2 / (n1 - 1) + two**2 / (n2 - 1)
            # Beside NaN, whose ranks are none, and of nothing there is nothing to say.
            known = [cp.isnan(v) if m is None else cp.isnan(v) & m for v, m in zip((a, b), masks, strict=True)]
            known = ~(known[0].any(axis=-1) | known[1].any(axis=-1)) & (n1 > 0) & (n2 > 0)
            if bool(((top == 0) & (bottom == 0) & known).any()):
                import warnings

                warnings.warn(
                    "p-value cannot be estimated with `distribution='t' because degrees of freedom parameter is "
                    "undefined (0/0). Try using `distribution='normal'",
                    RuntimeWarning,
                    stacklevel=2,
                )
            return BrunnerMunzelResult(w, symmetric_pvalue(-w, t_distribution(top / bottom), alternative))
        return BrunnerMunzelResult(w, symmetric_pvalue(-w, norm, alternative))

    return run(core, [x, y], axis, nan_policy, keepdims, ordered=True, **_both(BrunnerMunzelResult))


def mood(
    x: Any,
    y: Any,
    axis: Any = 0,
    alternative: str = "two-sided",
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> SignificanceResult:
    """Mood's test of equal scales.

    >>> round(float(cp.scipy.stats.mood(cp.arange(5.0), cp.arange(5.0) * 3 + 0.5).statistic), 4)
    -0.8257
    """
    checked(alternative)

    def core(a: ndarray, b: ndarray, masks: Any = None) -> Any:
        dtype = result_type(a, b)
        m, n = counts_of((a, b), masks)
        total = m + n
        joined, every = cp.concatenate([a, b], axis=-1), None
        if masks is not None:
            every = cp.concatenate(list(masks), axis=-1)
            joined = cp.where(every, joined, np.nan)
        # Scores of ties are averaged over the positions that they take.
        order = cp.argsort(joined, axis=-1, kind="stable")
        first, last = _runs(cp.take_along_axis(joined, order, axis=-1))
        centre = ((total + 1.0) / 2)[..., None] if masks is not None else (total + 1.0) / 2
        places = cp.arange(1, joined.shape[-1] + 1)
        inside = places <= (total[..., None] if masks is not None else total)
        scores = cp.broadcast_to(cp.where(inside, (places - centre) ** 2, 0.0), joined.shape)
        sums = cp.concatenate([cp.zeros((*joined.shape[:-1], 1)), cp.cumsum(scores, axis=-1)], axis=-1)
        span = cp.take_along_axis(sums, last + 1, axis=-1) - cp.take_along_axis(sums, first, axis=-1)
        mean_scores = span / (last - first + 1)
        phi = cp.take_along_axis(mean_scores, cp.argsort(order, axis=-1), axis=-1)
        taken = phi[..., : a.shape[-1]]
        statistic = (taken if masks is None else cp.where(masks[0], taken, 0.0)).sum(axis=-1)
        middle = (total**2 - 1.0) / 12
        squares = (mean_scores - (middle if masks is None else middle[..., None])) ** 2
        spread = cp.where(inside, squares, 0.0).sum(axis=-1)
        variance = m * n / (total * (total - 1.0)) * spread
        plain = m * n * (total + 1.0) * (total + 2) * (total - 2) / 180
        variance = cp.where((last == first).all(axis=-1), plain, variance)
        # Of one sample alone nothing varies.
        z = (statistic - m * middle) / np.sqrt(cp.where(variance > 0, variance, np.nan))
        # All elements are equal: what is left of both is rounding.
        z = cp.where((last - first + 1 == (total[..., None] if masks is not None else total)).any(axis=-1), np.nan, z)
        return SignificanceResult(z.astype(dtype), symmetric_pvalue(z, norm, alternative).astype(dtype))

    def few(counts: Any) -> Any:
        return counts[0] + counts[1] < 3

    return run(core, [x, y], axis, nan_policy, keepdims, **{**_both(SignificanceResult), "too_small": few})


AnsariResult = namedtuple("AnsariResult", ["statistic", "pvalue"])


def ansari(
    x: Any,
    y: Any,
    alternative: str = "two-sided",
    *,
    axis: Any = 0,
    method: Any = "auto",
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> AnsariResult:
    """The Ansari-Bradley test of equal scales.

    Parameters
    ----------
    method : {'auto', 'asymptotic', 'exact'} or PermutationMethod
        How the p-value is found; "auto" is exact for small samples without ties.

    >>> float(cp.scipy.stats.ansari(cp.arange(60.0), cp.arange(60.0) + 0.5).statistic)
    1830.0
    """
    from ._resampling import PermutationMethod

    checked(alternative)
    resampled = isinstance(method, PermutationMethod)
    if not resampled and method not in ("auto", "asymptotic", "exact"):
        raise ValueError(
            f"`method` must be one of {{'auto', 'asymptotic', 'exact'}} or an instance of `PermutationMethod`, not "
            f"{method!r}."
        )
    if resampled:
        options = {"axis": axis, "nan_policy": nan_policy, "keepdims": keepdims}
        return _ansari_permuted(x, y, alternative, method, options)

    def core(a: ndarray, b: ndarray, masks: Any = None) -> AnsariResult:
        dtype = result_type(a, b)
        m, n = counts_of((a, b), masks)
        total = m + n
        ranks, _, tied = rank_rows((a, b), masks)
        wide = total[..., None] if masks is not None else total
        scores = [cp.minimum(r, wide - r + 1) for r in ranks]
        scores = scores if masks is None else [cp.where(v, s, 0.0) for v, s in zip(masks, scores, strict=True)]
        ab = scores[0].sum(axis=-1)
        small = (m < 55) & (n < 55)
        if masks is None:
            tied = bool(tied.any())
            exact: Any = bool(small) and not tied
        else:
            exact = small & ~tied
        if method != "auto":
            exact = method == "exact" if masks is None else cp.full(exact.shape, method == "exact")

        def asymptotic() -> ndarray:
            odd = total % 2 == 1
            mean = cp.where(odd, m * (total + 1.0) ** 2 / 4 / total, m * (total + 2.0) / 4)
            plain = cp.where(
                odd,
                m * n * (total + 1.0) * (3 + total**2) / (48.0 * total**2),
                m * n * (total + 2) * (total - 2.0) / 48 / (total - 1.0),
            )
            fac = (scores[0] ** 2).sum(axis=-1) + (scores[1] ** 2).sum(axis=-1)
            spread = cp.where(
                odd,
                m * n * (16 * total * fac - (total + 1) ** 4) / (16.0 * total**2 * (total - 1)),
                m * n * (16 * fac - total * (total + 2) ** 2) / (16.0 * total * (total - 1)),
            )
            z = (mean - ab) / np.sqrt(cp.where(cp.asarray(tied), spread, plain))
            return symmetric_pvalue(z, norm, alternative)

        def counted_paths() -> ndarray:
            lower, upper = exact_tails(ab, ab, (m, n), _ansari_table, exact)
            # A small statistic means a large scale.
            one_sided = {"greater": lower, "less": upper}.get(alternative)
            return cp.minimum(2 * cp.minimum(lower, upper), 1.0) if one_sided is None else one_sided

        return AnsariResult(ab.astype(dtype), picked(exact, counted_paths, asymptotic).astype(dtype))

    return run(core, [x, y], axis, nan_policy, keepdims, ordered=True, real=True, **_both(AnsariResult))


def _ansari_permuted(x: Any, y: Any, alternative: str, method: Any, options: dict[str, Any]) -> AnsariResult:
    """The test whose p-value is that of permutations."""
    from ._resampling import permutation_test

    # A small statistic means a large scale.
    turned = {"less": "greater", "greater": "less"}.get(alternative, alternative)

    def scores(a: ndarray, b: ndarray, axis: int) -> ndarray:
        total = a.shape[-1] + b.shape[-1]
        (ranks, _), _, _ = rank_rows((a, b))
        return cp.minimum(ranks, total - ranks + 1).sum(axis=-1)

    def core(a: ndarray, b: ndarray) -> AnsariResult:
        found = permutation_test((a, b), scores, axis=-1, alternative=turned, vectorized=True, **method._asdict())
        return AnsariResult(found.statistic, found.pvalue)

    axis, policy, keepdims = options["axis"], options["nan_policy"], options["keepdims"]
    return run(core, [x, y], axis, policy, keepdims, real=True, nothing=lambda v: AnsariResult(v, v))


@cache
def _ansari_table(m: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """How many sets of m scores have each sum, as shares."""
    total = m + n
    scores = [min(i, total - i + 1) for i in range(1, total + 1)]
    most = sum(sorted(scores)[total - m :])
    counts = np.zeros((m + 1, most + 1))
    counts[0, 0] = 1
    for s in scores:
        counts[1:, s:] += counts[:-1, : most + 1 - s].copy()
    row = counts[m]
    return np.arange(most + 1), row / row.sum()


# ------------------------------------------------------------------------------------------ pairs

WilcoxonResult = bunch("WilcoxonResult", ["statistic", "pvalue"])
_FLIPS = 13  # Up to so many pairs all signs are tried where there are ties or zeros.


@cache
def _signed_rank_table(n: int) -> tuple[np.ndarray, np.ndarray]:
    counts = np.array([1.0])
    for i in range(1, n + 1):
        grown = np.zeros(counts.size + i)
        grown[: counts.size] += counts
        grown[i:] += counts
        counts = grown / 2
    return np.arange(counts.size), counts


@k.kernel
def _all_signs(scores: k.Array[1], observed: k.Each, n: int):
    """Of all sums of scores with signs chosen each way: the shares at most and at least as large as one."""
    least, most = 0, 0
    slack = abs(1e-12 * observed)
    for choice in k.steps(1 << n):
        total = 0.0
        for i in k.steps(n):
            total += k.where((choice >> i) & 1 == 1, scores[i], 0.0)
        least += k.where(total <= observed + slack, 1, 0)
        most += k.where(total >= observed - slack, 1, 0)
    return least / (1 << n), most / (1 << n)


@renamed("mode", "method")
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
    """Wilcoxon's signed-rank test of paired samples.

    Parameters
    ----------
    x : array_like
        The first samples, or differences.
    zero_method : {'wilcox', 'pratt', 'zsplit'}
        What pairs without difference count.

    >>> round(float(cp.scipy.stats.wilcoxon(cp.asarray([1.0, 2.0, 3.0, -4.0, 5.0])).pvalue), 6)
    0.4375
    """
    from ._resampling import PermutationMethod, permutation_test

    alternative, zero_method = checked(str(alternative).lower()), str(zero_method).lower()
    if zero_method not in ("wilcox", "pratt", "zsplit"):
        raise ValueError(f"`zero_method` must be one of {{'pratt', 'wilcox', 'zsplit'}}, got {zero_method!r}.")
    if correction not in (True, False):
        raise ValueError(f"`correction` must be one of {{True, False}}, got {correction!r}.")
    resampled = isinstance(method, PermutationMethod)
    if isinstance(method, str):
        # By its older name, too.
        method = "asymptotic" if method == "approx" else method
    if not resampled and method not in ("auto", "asymptotic", "exact"):
        raise ValueError(
            "`method` must be one of {'asymptotic', 'auto', 'exact'} or an instance of `stats.PermutationMethod`."
        )

    def ranked(d: ndarray, mask: Any) -> Any:
        zero = d == 0 if mask is None else (d == 0) & mask
        kept = ~zero if zero_method == "wilcox" else None
        counting = kept if mask is None else mask if kept is None else mask & kept
        (ranks,), ties, tied = rank_rows((abs(d),), None if counting is None else (counting,))
        return zero, ranks, ties, tied

    def core(*pair: ndarray, masks: Any = None) -> Any:
        d, mask = (pair[0] - pair[1] if len(pair) == 2 else pair[0]), only(masks)
        dtype, width = result_type(d), d.shape[-1]
        n = np.float64(width) if mask is None else mask.sum(axis=-1).astype(np.float64)
        zero, ranks, ties, tied = ranked(d, mask)
        zeros = zero.sum(axis=-1).astype(np.float64)
        positive = ((d > 0) * ranks).sum(axis=-1)
        negative = ((d < 0) * ranks).sum(axis=-1)
        half = (zero * ranks).sum(axis=-1) / 2 if zero_method == "zsplit" else 0.0
        flipped = positive
        positive, negative = positive + half, negative + half
        count = n - zeros if zero_method == "wilcox" else n + 0 * zeros
        mean = count * (count + 1) * 0.25
        variance = count * (count + 1) * (2 * count + 1)
        if zero_method == "pratt":
            mean = mean - zeros * (zeros + 1) * 0.25
            variance = variance - zeros * (zeros + 1) * (2 * zeros + 1)
            ties = ties - (zeros**3 - zeros)
        s = np.sqrt((variance - ties / 2) / 24)
        z = (positive - mean) / s
        shift: Any = 0.0
        if correction:
            sign = {"greater": 1.0, "less": -1.0}.get(alternative)
            shift = 0.5 * (cp.sign(z) if sign is None else sign) / s
        z = z - shift

        def two_sided(lower: ndarray, upper: ndarray) -> ndarray:
            one = {"less": lower, "greater": upper}.get(alternative)
            return cp.minimum(2 * cp.minimum(lower, upper), 1.0) if one is None else one

        def flips() -> ndarray:
            scores = cp.where(zero, 0.0, ranks)
            scores = cp.flip(cp.sort(scores, axis=-1), axis=-1)[..., :_FLIPS]
            return two_sided(*_all_signs(scores, flipped, min(width, _FLIPS)))

        plain: Any = method == "exact"
        every: Any = False
        if method == "auto":
            any_zero = zeros > 0
            if masks is None:
                untouched = not bool((any_zero | tied).any())
                plain, every = untouched and width <= 50, not untouched and width <= _FLIPS
            else:
                untouched = ~(any_zero | tied)
                plain, every = untouched & (n <= 50), ~untouched & (n <= _FLIPS)
        p = picked(
            plain,
            lambda: two_sided(*exact_tails(cp.ceil(positive), cp.floor(positive), (count,), _signed_rank_table, plain)),
            lambda: picked(every, flips, lambda: symmetric_pvalue(z, norm, alternative)),
        )
        statistic = positive if alternative != "two-sided" else cp.minimum(positive, negative)
        result = WilcoxonResult(statistic.astype(dtype), cp.clip(p, 0, 1).astype(dtype))
        if method == "asymptotic":
            result.zstatistic = (-abs(z) if alternative == "two-sided" else z).astype(dtype)
        return result

    def permuted(*pair: ndarray) -> Any:
        d = pair[0] - pair[1] if len(pair) == 2 else pair[0]

        def statistic(d: ndarray, axis: int = -1) -> ndarray:
            zero, ranks, _, _ = ranked(d, None)
            half = (zero * ranks).sum(axis=-1) / 2 if zero_method == "zsplit" else 0.0
            return ((d > 0) * ranks).sum(axis=-1) + half

        options = {"permutation_type": "samples", "alternative": alternative, "axis": -1, "vectorized": True}
        p = permutation_test((d,), statistic, **options, **method._asdict()).pvalue
        up, down = statistic(d), statistic(-d)
        return WilcoxonResult(cp.minimum(up, down) if alternative == "two-sided" else up, p)

    def nothing(v: ndarray) -> Any:
        result = WilcoxonResult(v, v)
        if method == "asymptotic":
            result.zstatistic = v
        return result

    samples = [sample(x)] if y is None else [sample(x), sample(y)]
    if any(v.dtype.kind == "c" for v in samples):
        raise ValueError("`x` (and `y`, if provided) must be an array of real numbers.")
    if y is not None and axis is not None and all(v.ndim for v in samples):
        lengths = {v.shape[axis] for v in samples} if np.ndim(axis) == 0 else set()
        if len(lengths) > 1 and 1 not in lengths:
            raise ValueError("`x` and `y` must have the same length along `axis`.")
    if axis is None and len({v.size for v in samples}) > 1:
        raise ValueError("`x` and `y` must have the same length along `axis`.")
    if resampled:
        return run(permuted, samples, axis, nan_policy, keepdims, paired=True, too_small=0, nothing=nothing)
    return run(core, samples, axis, nan_policy, keepdims, paired=True, **{**_both(None), "nothing": nothing})


# ------------------------------------------------------------------------------------------ several samples

KruskalResult = namedtuple("KruskalResult", ["statistic", "pvalue"])


def kruskal(*samples: Any, nan_policy: str = "propagate", axis: Any = 0, keepdims: bool = False) -> KruskalResult:
    """The Kruskal-Wallis test.

    >>> a, b = cp.asarray([1, 3, 5, 7, 9]), cp.asarray([2, 4, 6, 8, 10])
    >>> round(float(cp.scipy.stats.kruskal(a, b).statistic), 6)
    0.272727
    """
    if len(samples) < 2:
        raise ValueError("Need at least two groups in stats.kruskal()")

    def core(*xs: ndarray, masks: Any = None) -> KruskalResult:
        dtype = result_type(*xs)
        counts = counts_of(xs, masks)
        ranks, ties, _ = rank_rows(xs, masks)
        n = sum(counts)
        total = sum(r.sum(axis=-1) ** 2 / c for r, c in zip(ranks, counts, strict=True))
        h = (12.0 / (n * (n + 1)) * total - 3 * (n + 1)) / (1 - ties / (n**3 - n))
        return KruskalResult(h.astype(dtype), chi2.sf(h, len(xs) - 1).astype(dtype))

    return run(core, samples, axis, nan_policy, keepdims, ordered=True, real=True, **_both(KruskalResult))


FriedmanchisquareResult = namedtuple("FriedmanchisquareResult", ["statistic", "pvalue"])


def friedmanchisquare(*samples: Any, axis: Any = 0, nan_policy: str = "propagate", keepdims: bool = False) -> Any:
    """Friedman's test of repeated samples.

    >>> a, b, c = (cp.asarray(v) for v in ([1.0, 2.0, 3.0], [2.0, 3.0, 4.0], [3.0, 4.0, 5.0]))
    >>> float(cp.scipy.stats.friedmanchisquare(a, b, c).statistic)
    6.0
    """
    k = len(samples)
    if k < 3:
        raise ValueError(f"At least 3 samples must be given for Friedman test, got {k}.")

    def core(*xs: ndarray, masks: Any = None) -> Any:
        dtype, mask = result_type(*xs), only(masks)
        n = counts_of(xs[:1], None if mask is None else (mask,))[0]
        ranks, ties = _rank(cp.stack(xs, axis=-1))
        t = ties.astype(np.float64)
        tied = (t**3 - t).sum(axis=-1)
        if mask is not None:
            ranks, tied = cp.where(mask[..., None], ranks, 0.0), cp.where(mask, tied, 0.0)
        c = 1 - tied.sum(axis=-1) / (k * (k * k - 1) * n)
        squares = (ranks.sum(axis=-2) ** 2).sum(axis=-1)
        statistic = (12.0 / (k * n * (k + 1)) * squares - 3 * n * (k + 1)) / c
        return FriedmanchisquareResult(statistic.astype(dtype), chi2.sf(statistic, k - 1).astype(dtype))

    options = {"paired": True, "ordered": True, "real": True, **_both(FriedmanchisquareResult)}
    return run(core, samples, axis, nan_policy, keepdims, **options)


FlignerResult = namedtuple("FlignerResult", ["statistic", "pvalue"])


def fligner(
    *samples: Any,
    center: str = "median",
    proportiontocut: float = 0.05,
    axis: Any = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> FlignerResult:
    """The Fligner-Killeen test of equal variances.

    >>> a, b = cp.asarray([1.0, 2.0, 3.0]), cp.asarray([2.0, 3.0, 4.0])
    >>> round(float(cp.scipy.stats.fligner(a, b).pvalue), 12)
    1.0
    """
    if center not in ("mean", "median", "trimmed"):
        raise ValueError("center must be 'mean', 'median' or 'trimmed'.")
    k = len(samples)
    if k < 2:
        raise ValueError("Must provide at least two samples.")

    def core(*xs: ndarray, masks: Any = None) -> FlignerResult:
        dtype = result_type(*xs)
        each = masks or [None] * k
        distances = [
            abs(x - middle_of(x, center, proportiontocut, m)[..., None]) for x, m in zip(xs, each, strict=True)
        ]
        ranks = cp.concatenate(rank_rows(distances, masks)[0], axis=-1)
        counts = counts_of(xs, masks)
        n = sum(counts)
        a = norm.ppf(ranks / (2.0 * (n[..., None] if masks is not None else n) + 2.0) + 0.5)
        every = None if masks is None else cp.concatenate(list(masks), axis=-1)
        a = a if every is None else cp.where(every, a, 0.0)
        mean = averaged(a, every)
        squares = (a - mean[..., None]) ** 2
        variance = (squares if every is None else cp.where(every, squares, 0.0)).sum(axis=-1) / (n - 1)
        statistic, start = 0.0, 0
        for x, c in zip(xs, counts, strict=True):
            part = a[..., start : start + x.shape[-1]].sum(axis=-1) / c
            statistic = statistic + c * (part - mean) ** 2
            start += x.shape[-1]
        # Equal distances differ from their mean by rounding only.
        top, bottom = (a, a) if every is None else (cp.where(every, a, -np.inf), cp.where(every, a, np.inf))
        # An infinite element of a sample whose middle is infinite too has no distance from it, and no rank.
        lost = [cp.isnan(d) if m is None else cp.isnan(d) & m for d, m in zip(distances, each, strict=True)]
        none = cp.concatenate(lost, axis=-1).any(axis=-1) | (top.max(axis=-1) == bottom.min(axis=-1))
        statistic = cp.where(none, np.nan, statistic / variance)
        return FlignerResult(statistic.astype(dtype), chi2.sf(statistic, k - 1).astype(dtype))

    return run(core, samples, axis, nan_policy, keepdims, real=True, **_both(FlignerResult))


MedianTestResult = bunch("MedianTestResult", ["statistic", "pvalue", "median", "table"])


def median_test(
    *samples: Any, ties: str = "below", correction: bool = True, lambda_: Any = 1, nan_policy: str = "propagate"
) -> Any:
    """Mood's median test.

    Parameters
    ----------
    ties : {'below', 'above', 'ignore'}
        Where elements count that equal the median.

    >>> r = cp.scipy.stats.median_test(cp.asarray([1, 2, 3, 4]), cp.asarray([3, 4, 5, 6]))
    >>> float(r.median)
    3.5
    """
    if len(samples) < 2:
        raise ValueError("median_test requires two or more samples.")
    if ties not in ("below", "above", "ignore"):
        raise ValueError(f"invalid 'ties' option '{ties}'; 'ties' must be one of: 'below', 'above', 'ignore'")
    check_policy(nan_policy)
    from ._contingency import chi2_contingency

    data = [sample(x) for x in samples]
    for number, x in enumerate(data, 1):
        if x.ndim != 1:
            raise ValueError(f"Sample {number} has {x.ndim} dimensions. All samples must be one-dimensional sequences.")
    if nan_policy == "omit":
        data = [x[~cp.isnan(x)] for x in data]
    grand = cp.median(cp.concatenate(data))
    counts = cp.stack([cp.stack([(x > grand).sum(), (x < grand).sum(), (x == grand).sum()]) for x in data]).get()
    above, below, equal = counts.T
    rows = [above + (equal if ties == "above" else 0), below + (equal if ties == "below" else 0)]
    table = cp.asarray(np.array(rows, dtype=np.int64))
    if min(sum(rows[0]), sum(rows[1])) == 0:
        raise ValueError(
            "All values are " + ("below" if sum(rows[0]) == 0 else "above") + f" the grand median ({float(grand)})."
        )
    statistic, p, _, _ = chi2_contingency(table, lambda_=lambda_, correction=correction)
    return MedianTestResult(statistic, p, grand, table)


__all__ = [
    "ansari", "brunnermunzel", "fligner", "friedmanchisquare", "kruskal", "mannwhitneyu", "median_test",
    "mood", "ranksums", "wilcoxon",
]  # fmt: skip
