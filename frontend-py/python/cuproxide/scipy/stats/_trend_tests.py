"""Rank tests whose null distribution is enumerated: Page's test of a trend, Baumgartner, Weiss and Schindler's test."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_float
from ._axis import sample
from ._rank import _rank
from ._resampling import PermutationMethod, permutation_test
from ._table_normal import norm


class PageTrendTestResult:
    """The result of `page_trend_test`."""

    def __init__(self, statistic: float, pvalue: float, method: str) -> None:
        self.statistic, self.pvalue, self.method = statistic, pvalue, method

    def __repr__(self) -> str:
        return f"PageTrendTestResult(statistic={self.statistic!r}, pvalue={self.pvalue!r}, method={self.method!r})"


@cache
def _page_row(n: int) -> np.ndarray:
    """The probabilities of the sum of i times a random permutation of 1 to n, from 0 on: over sets of ranks taken."""
    most = n * (n + 1) * (2 * n + 1) // 6
    sums = np.zeros((1 << n, most + 1))
    sums[0, 0] = 1.0
    for taken in range(1 << n):
        position = taken.bit_count() + 1
        for rank in range(1, n + 1):
            if not taken >> (rank - 1) & 1:
                step = position * rank
                sums[taken | 1 << (rank - 1), step:] += sums[taken, : most + 1 - step] / (n - position + 1)
    return sums[-1]


@cache
def _page_rows(m: int, n: int) -> np.ndarray:
    """The same for the sum of m rows."""
    row = _page_row(n)
    total = row
    for _ in range(m - 1):
        total = np.convolve(total, row)
    return total


def page_trend_test(
    data: Any, ranked: bool = False, predicted_ranks: Any = None, method: str = "auto"
) -> PageTrendTestResult:
    """Page's test of a trend over treatments. See `scipy.stats.page_trend_test`.

    Parameters
    ----------
    data : array of numbers, of two dimensions
        A row for each subject, a column for each treatment.
    ranked : bool
        Whether `data` are ranks already.
    predicted_ranks : array of integers, optional
        The order of the columns' means that is expected; from left to right by default.
    method : {"auto", "asymptotic", "exact"}

    Returns
    -------
    PageTrendTestResult
        `statistic`, `pvalue`, and the `method` that was used.

    Raises
    ------
    ValueError
        For data of another shape, with NaN, or that are no ranks; for another `method` or prediction.

    >>> table = cp.asarray([[3, 4, 3], [2, 2, 4], [3, 3, 5], [1, 3, 2], [2, 3, 2], [2, 4, 5], [1, 2, 4]])
    >>> r = cp.scipy.stats.page_trend_test(table)
    >>> float(r.statistic), r.method
    (92.0, 'exact')
    """
    if method not in ("asymptotic", "exact", "auto"):
        raise ValueError("`method` must be in {'asymptotic', 'exact', 'auto'}")
    ranks = sample(data)
    if ranks.ndim != 2:
        raise ValueError("`data` must be a 2d array.")
    m, n = ranks.shape
    if m < 2 or n < 3:
        raise ValueError("Page's L is only appropriate for data with two or more rows and three or more columns.")
    if bool(cp.isnan(ranks).any()):
        raise ValueError("`data` contains NaNs, which cannot be ranked meaningfully")
    if not ranked:
        ranks = _rank(ranks)[0]
    elif not bool(((ranks >= 1) & (ranks <= n)).all()):
        raise ValueError("`data` is not properly ranked. Rank the data or pass `ranked=False`.")
    expected = np.arange(1, n + 1) if predicted_ranks is None else as_device(predicted_ranks).get()
    if expected.ndim < 1 or sorted(expected.ravel().tolist()) != list(range(1, n + 1)):
        raise ValueError(
            f"`predicted_ranks` must include each integer from 1 to {n} (the number of columns in `data`) exactly once."
        )
    if not isinstance(ranked, bool):
        raise TypeError("`ranked` must be boolean.")
    statistic = to_float((ranks.sum(axis=0) * cp.asarray(expected)).sum())
    if method == "auto":
        method = "asymptotic" if n > 8 or (m > 12 and n > 3) or m > 20 else "exact"
    if method == "exact":
        p = float(np.sum(_page_rows(m, n)[int(statistic) :]))
    else:
        mean, variance = m * n * (n + 1) ** 2 / 4, m * n**2 * (n + 1) * (n**2 - 1) / 144
        p = to_float(norm.sf((statistic - mean) / np.sqrt(variance)))
    return PageTrendTestResult(statistic, p, method)


def _bws(x: ndarray, y: ndarray, alternative: str) -> ndarray:
    """The statistic of ranks along the last axis."""
    n, m = x.shape[-1], y.shape[-1]
    parts = []
    for v, own, other in ((x, n, m), (y, m, n)):
        i = cp.arange(1.0, own + 1)
        distance = cp.sort(v, axis=-1) - (n + m) / own * i
        top = distance * (distance if alternative == "two-sided" else abs(distance))
        share = i / (own + 1)
        parts.append((top / (share * (1 - share) * other * (n + m) / own)).mean(axis=-1))
    return (parts[0] + parts[1]) / 2 if alternative == "two-sided" else (parts[0] - parts[1]) / 2


def bws_test(x: Any, y: Any, *, alternative: str = "two-sided", axis: int | None = 0, method: Any = None) -> Any:
    """Baumgartner, Weiss and Schindler's test of two samples, by permutations. See `scipy.stats.bws_test`.

    Parameters
    ----------
    x, y : arrays of numbers
        The samples.
    alternative : {"two-sided", "less", "greater"}
    method : PermutationMethod, optional
        How many permutations there are, and how they are drawn.

    Returns
    -------
    PermutationTestResult
        `statistic`, `pvalue` and `null_distribution`.

    Raises
    ------
    ValueError
        For samples that are empty or have NaN; for another alternative or method.

    >>> x = cp.asarray([1, 2, 3, 4, 7, 8])
    >>> y = cp.asarray([5, 6, 9, 10, 11, 12])
    >>> round(float(cp.scipy.stats.bws_test(x, y).statistic), 6)
    3.164583
    """
    x, y = (cp.atleast_1d(sample(v)) for v in (x, y))
    if axis is None:
        x, y, axis = x.ravel(), y.ravel(), 0
    most = max(x.ndim, y.ndim)
    x, y = (cp.moveaxis(v.reshape((1,) * (most - v.ndim) + v.shape), axis, -1) for v in (x, y))
    lead = np.broadcast_shapes(x.shape[:-1], y.shape[:-1])
    x, y = (cp.broadcast_to(v, (*lead, v.shape[-1])) for v in (x, y))
    if bool(cp.isnan(x).any()) or bool(cp.isnan(y).any()):
        raise ValueError("`x` and `y` must not contain NaNs.")
    if x.size == 0 or y.size == 0:
        raise ValueError("`x` and `y` must be of nonzero size.")
    alternative = alternative.lower()
    if alternative not in ("two-sided", "less", "greater"):
        raise ValueError("`alternative` must be one of {'two-sided', 'less', 'greater'}.")
    method = PermutationMethod() if method is None else method
    if not isinstance(method, PermutationMethod):
        raise ValueError("`method` must be an instance of `scipy.stats.PermutationMethod`")
    ranks, size = _rank(cp.concatenate([x, y], axis=-1))[0], x.shape[-1]

    def statistic(a: ndarray, b: ndarray, axis: int) -> ndarray:
        return _bws(a, b, alternative)

    return permutation_test(
        (ranks[..., :size], ranks[..., size:]), statistic, alternative="less" if alternative == "less" else "greater",
        vectorized=True, axis=-1, **method._asdict(),
    )  # fmt: skip


__all__ = ["bws_test", "page_trend_test"]
