"""Exact unconditional tests of tables of two rows and columns; Somers' D."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_float
from ._table_discrete import binom
from ._table_normal import norm
from ._table_urns import hypergeom
from ._tests import checked, symmetric_pvalue

_GRID = 4096  # Nuisance parameters that are tried first.
_PEAKS, _ZOOM, _ROUNDS = 16, 33, 9


class _Result:
    """A statistic and its p-value."""

    def __init__(self, statistic: float, pvalue: float) -> None:
        self.statistic, self.pvalue = statistic, pvalue

    def __repr__(self) -> str:
        return f"{type(self).__name__}(statistic={self.statistic!r}, pvalue={self.pvalue!r})"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and (self.statistic, self.pvalue) == (other.statistic, other.pvalue)

    __hash__ = None  # type: ignore[assignment]


class BarnardExactResult(_Result):
    """The result of `barnard_exact`."""


class BoschlooExactResult(_Result):
    """The result of `boschloo_exact`."""


def _counts(table: Any, n: Any) -> np.ndarray:
    """The four counts on the host: what is computed depends on them alone."""
    if n <= 0:
        raise ValueError(f"Number of points `n` must be strictly positive, found {n!r}")
    counts = as_device(table).get().astype(np.int64)
    if counts.shape != (2, 2):
        raise ValueError("The input `table` must be of shape (2, 2).")
    if np.any(counts < 0):
        raise ValueError("All values in `table` must be nonnegative.")
    return counts


def _worst(extreme: ndarray, least: int) -> float:
    """The largest probability of the tables that are extreme, over all proportions.

    Of tables with the sum s of their first row, the share of extreme ones is hypergeometric and knows no proportion;
    the sum is binomial. A grid of proportions, even in their arcsine, finds the peaks, which are enlarged together.
    """
    one, two = extreme.shape[0] - 1, extreme.shape[1] - 1
    total = one + two
    x1, x2 = cp.arange(one + 1)[:, None], cp.arange(two + 1)[None, :]
    sums = cp.broadcast_to(x1 + x2, extreme.shape)
    share = hypergeom.pmf(cp.broadcast_to(x1, extreme.shape), total, sums, one)
    weights = cp.bincount(sums.ravel(), weights=cp.where(extreme, share, 0.0).ravel(), minlength=total + 1)
    s = cp.arange(total + 1)

    def probability(angle: ndarray) -> ndarray:
        return (weights * binom.pmf(s, total, np.sin(angle)[..., None] ** 2)).sum(axis=-1)

    count = max(least, _GRID)
    step = np.pi / 2 / count
    angles = cp.arange(count + 1) * step
    values = probability(angles)
    padded = cp.concatenate([cp.full(1, -1.0), values, cp.full(1, -1.0)])
    peak = (values >= padded[:-2]) & (values >= padded[2:])
    at = cp.argsort(cp.where(peak, -values, 0.0))[:_PEAKS]
    centre, reach = angles[at], step
    offsets = cp.linspace(-1.0, 1.0, _ZOOM)
    best = values.max()
    for _ in range(_ROUNDS):
        tried = cp.clip(centre[:, None] + reach * offsets, 0.0, np.pi / 2)
        values = probability(tried)
        best = cp.maximum(best, values.max())
        centre = cp.take_along_axis(tried, cp.argmax(values, axis=1)[:, None], axis=1)[:, 0]
        reach = reach * 4 / (_ZOOM - 1)
    return min(max(to_float(best), 0.0), 1.0)


def barnard_exact(table: Any, alternative: str = "two-sided", pooled: bool = True, n: int = 32) -> BarnardExactResult:
    """Barnard's exact test of a table of two rows and columns. See `scipy.stats.barnard_exact`.

    Parameters
    ----------
    pooled : bool
        Whether the variance of Wald's statistic is that of the two samples together.

    Returns
    -------
    BarnardExactResult
        `statistic` (Wald's) and `pvalue`.

    Raises
    ------
    ValueError
        For another shape, negative counts, `n` that is not positive, another alternative.

    >>> r = cp.scipy.stats.barnard_exact([[7, 12], [8, 3]], alternative="less")
    >>> round(r.statistic, 4), round(r.pvalue, 4)
    (-1.8943, 0.0341)
    """
    counts = _counts(table, n)
    if 0 in counts.sum(axis=0):
        return BarnardExactResult(np.nan, 1.0)
    one, two = (int(v) for v in counts.sum(axis=0))
    x1, x2 = cp.arange(one + 1)[:, None], cp.arange(two + 1)[None, :]
    p1, p2 = x1 / one, x2 / two
    if pooled:
        p = (x1 + x2) / (one + two)
        variance = p * (1 - p) * (1 / one + 1 / two)
    else:
        variance = p1 * (1 - p1) / one + p2 * (1 - p2) / two
    statistic = cp.where(p1 == p2, 0.0, (p1 - p2) / np.sqrt(variance))
    observed = to_float(statistic[int(counts[0, 0]), int(counts[0, 1])])
    if alternative not in ("two-sided", "less", "greater"):
        raise ValueError(f"`alternative` should be one of {{'two-sided', 'less', 'greater'}}, found {alternative!r}")
    extreme = {
        "two-sided": abs(statistic) >= abs(observed),
        "less": statistic <= observed,
        "greater": statistic >= observed,
    }[alternative]
    return BarnardExactResult(observed, _worst(extreme, int(n)))


def boschloo_exact(table: Any, alternative: str = "two-sided", n: int = 32) -> BoschlooExactResult:
    """Boschloo's exact test of a table of two rows and columns. See `scipy.stats.boschloo_exact`.

    Returns
    -------
    BoschlooExactResult
        `statistic` (the p-value of Fisher's test) and `pvalue`.

    Raises
    ------
    ValueError
        For another shape, negative counts, `n` that is not positive, another alternative.

    >>> r = cp.scipy.stats.boschloo_exact([[74, 31], [43, 32]], alternative="greater")
    >>> round(r.statistic, 4), round(r.pvalue, 4)
    (0.0483, 0.0356)
    """
    counts = _counts(table, n)
    if 0 in counts.sum(axis=0):
        return BoschlooExactResult(np.nan, np.nan)
    if alternative == "two-sided":
        less, greater = (boschloo_exact(table, side, n) for side in ("less", "greater"))
        result = less if less.pvalue < greater.pvalue else greater
        return BoschlooExactResult(result.statistic, min(2 * result.pvalue, 1.0))
    if alternative not in ("less", "greater"):
        raise ValueError(f"`alternative` should be one of {('two-sided', 'less', 'greater')}, found {alternative!r}")
    one, two = (int(v) for v in counts.sum(axis=0))
    x1, x2 = cp.broadcast_arrays(cp.arange(one + 1)[:, None], cp.arange(two + 1)[None, :])
    if alternative == "less":
        fisher = hypergeom.cdf(x1, one + two, x1 + x2, one)
    else:
        fisher = hypergeom.cdf(x2, one + two, x1 + x2, two)
    observed = to_float(fisher[int(counts[0, 0]), int(counts[0, 1])])
    # Equal probabilities of other tables differ in their rounding.
    return BoschlooExactResult(observed, _worst(fisher <= observed * (1 + 1e-11), int(n)))


class SomersDResult:
    """The result of `somersd`."""

    def __init__(self, statistic: Any, pvalue: Any, table: ndarray) -> None:
        self.statistic, self.pvalue, self.table = statistic, pvalue, table
        self.correlation = statistic

    def __repr__(self) -> str:
        return f"SomersDResult(statistic={self.statistic!r}, pvalue={self.pvalue!r}, table={self.table!r})"


def _below(x: ndarray) -> ndarray:
    """Of each element of a table the sum of those above and to the left of it."""
    sums = cp.cumsum(cp.cumsum(x, axis=0), axis=1)
    return cp.pad(sums, ((1, 0), (1, 0)))[:-1, :-1]


def somersd(x: Any, y: Any = None, alternative: str = "two-sided") -> SomersDResult:
    """Somers' D, the asymmetric correlation of two rankings. See `scipy.stats.somersd`.

    Parameters
    ----------
    x : array of numbers
        A ranking, or a table of counts of two dimensions.
    y : array of numbers, optional
        The other ranking.

    Returns
    -------
    SomersDResult
        `statistic`, `pvalue` and `table`.

    Raises
    ------
    ValueError
        For rankings of different lengths, and tables with negative or broken counts or less than two of them.

    >>> r = cp.scipy.stats.somersd(cp.asarray([[27, 25, 14, 7, 0], [7, 14, 18, 35, 12], [1, 3, 2, 7, 17]]))
    >>> round(float(r.statistic), 6)
    0.603277
    """
    from ._contingency import crosstab

    x = as_device(x)
    if x.ndim == 1:
        y = as_device(y)
        if x.size != y.size:
            raise ValueError("Rankings must be of equal length.")
        table = crosstab(x, y)[1]
    elif x.ndim == 2:
        if bool((x < 0).any()):
            raise ValueError("All elements of the contingency table must be non-negative.")
        if x.dtype.kind == "c" or x.dtype.kind == "f" and bool((x != cp.trunc(x)).any()):
            raise ValueError("All elements of the contingency table must be integer.")
        if int((x != 0).sum()) < 2:
            raise ValueError("At least two elements of the contingency table must be nonzero.")
        table = x
    else:
        raise ValueError("x must be either a 1D or 2D array")
    checked(alternative)
    a = table.astype(np.float64)
    if min(a.shape) <= 1:
        return SomersDResult(cp.asarray(np.nan), cp.asarray(np.nan), table)
    turned = a[:, ::-1]
    agree = _below(a) + _below(a[::-1, ::-1])[::-1, ::-1]
    differ = (_below(turned) + _below(turned[::-1, ::-1])[::-1, ::-1])[:, ::-1]
    p, q, n = (a * agree).sum(), (a * differ).sum(), a.sum()
    d = (p - q) / (n**2 - (a.sum(axis=1) ** 2).sum())
    spread = (a * (agree - differ) ** 2).sum() - (p - q) ** 2 / n
    z = (p - q) / np.sqrt(4 * spread)
    return SomersDResult(d, symmetric_pvalue(z, norm, alternative), table)


__all__ = ["barnard_exact", "boschloo_exact", "somersd"]
