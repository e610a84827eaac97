"""Contingency tables: expected frequencies, tests of independence, ratios."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_float
from ._common import whole_number
from ._results import ConfidenceInterval, SignificanceResult, bunch
from ._table_normal import norm
from ._tests import checked

Chi2ContingencyResult = bunch("Chi2ContingencyResult", ["statistic", "pvalue", "dof", "expected_freq"])


def margins(a: Any) -> list[ndarray]:
    """The sums of a table over all axes but one, for each. See `scipy.stats.contingency.margins`.

    >>> import cuproxide as cp
    >>> [m.ravel().tolist() for m in cp.scipy.stats.contingency.margins(cp.asarray([[1, 2], [3, 4]]))]
    [[3, 7], [4, 6]]
    """
    x = as_device(a)
    axes = range(x.ndim)
    return [x.sum(axis=tuple(other for other in axes if other != axis), keepdims=True) for axis in axes]


def expected_freq(observed: Any) -> ndarray:
    """The frequencies of a table if its factors were independent. See `scipy.stats.contingency.expected_freq`.

    >>> import cuproxide as cp
    >>> cp.scipy.stats.contingency.expected_freq(cp.asarray([[10, 10, 20], [20, 20, 20]]))
    array([[12., 12., 16.],
           [18., 18., 24.]])
    """
    x = as_device(observed).astype(np.float64)
    product: Any = 1.0
    for margin in margins(x):
        product = product * margin
    return product / x.sum() ** (x.ndim - 1)


def chi2_contingency(observed: Any, correction: bool = True, lambda_: Any = None, *, method: Any = None) -> Any:
    """The chi-square test of independence.

    Parameters
    ----------
    method : PermutationMethod or MonteCarloMethod, optional
        How the p-value is found by resampling, of a table of two ways with `correction=False`; `dof` is NaN then.

    Returns
    -------
    result with `statistic` and `pvalue`

    >>> r = cp.scipy.stats.chi2_contingency(cp.asarray([[10, 10, 20], [20, 20, 20]]))
    >>> round(float(r.statistic), 6), r.dof
    (2.777778, 2)
    """
    x = as_device(observed)
    if x.ndim == 0:
        raise ValueError("`observed` must be a table, not a number.")
    if not bool((x >= 0).all()):
        raise ValueError("All values in `observed` must be nonnegative.")
    if x.size == 0:
        raise ValueError("No data; `observed` has size 0.")
    expected = expected_freq(x)
    if bool((expected == 0).any()):
        where = [tuple(int(i) for i in at) for at in np.argwhere(expected.get() == 0)]
        raise ValueError(f"The internally computed table of expected frequencies has a zero element at {where}.")
    if method is not None:
        return _resampled_chi2(x, expected, correction, lambda_, method)
    dof = math.prod(x.shape) - sum(x.shape) + x.ndim - 1
    if dof == 0:
        return Chi2ContingencyResult(cp.asarray(0.0), cp.asarray(1.0), dof, expected)
    values = x.astype(np.float64)
    if dof == 1 and correction:
        difference = expected - values
        values = values + cp.sign(difference) * cp.minimum(0.5, abs(difference))
    from ._frequencies import power_divergence

    statistic, p = power_divergence(values, expected, ddof=x.size - 1 - dof, axis=None, lambda_=lambda_)
    return Chi2ContingencyResult(statistic, p, dof, expected)


def _resampled_chi2(x: ndarray, expected: ndarray, correction: bool, lambda_: Any, method: Any) -> Any:
    """Pearson's test by permutations or random tables."""
    from ._resampled_tables import resampled

    if x.ndim != 2:
        raise ValueError("Use of `method` is only compatible with two-way tables.")
    if correction:
        raise ValueError(f"`correction={correction!r}` is not compatible with `method={method!r}.`")
    if lambda_ is not None:
        raise ValueError(f"`lambda_={lambda_!r}` is not compatible with `method={method!r}.`")
    found = resampled(
        x, lambda t: ((t - expected) ** 2 / expected).sum(axis=(-2, -1)), method, "greater", "chi2_contingency"
    )
    return Chi2ContingencyResult(found.statistic, found.pvalue, np.nan, expected)


def association(observed: Any, method: str = "cramer", correction: bool = False, lambda_: Any = None) -> float:
    """The strength of the association in a table.

    Parameters
    ----------
    method : {'cramer', 'tschuprow', 'pearson'}
        The measure.

    >>> round(cp.scipy.stats.contingency.association(cp.asarray([[100, 150], [203, 322], [420, 700], [320, 210]])), 6)
    0.186178
    """
    x = as_device(observed)
    if x.dtype.kind not in "iu":
        raise ValueError("`observed` must be an integer array.")
    if x.ndim != 2:
        raise ValueError("method only accepts 2d arrays")
    phi2 = to_float(chi2_contingency(x, correction=correction, lambda_=lambda_)[0]) / to_float(x.sum())
    rows, columns = x.shape
    if method in ("cramer", "tschuprow") and 1 in x.shape:
        # One row is associated with nothing.
        return math.nan
    if method == "cramer":
        return math.sqrt(phi2 / min(columns - 1, rows - 1))
    if method == "tschuprow":
        return math.sqrt(phi2 / math.sqrt((rows - 1) * (columns - 1)))
    if method == "pearson":
        return math.sqrt(phi2 / (1 + phi2))
    raise ValueError("Invalid argument value: 'method' argument must be 'cramer', 'tschuprow', or 'pearson'")


CrosstabResult = bunch("CrosstabResult", ["elements", "count"])


def crosstab(*args: Any, levels: Any = None, sparse: bool = False) -> Any:
    """The table of counts of every combination of values.

    Parameters
    ----------
    *args : array_like
        The values.
    levels : sequence, optional
        The values that are counted.
    sparse : bool
        Whether the table is a sparse matrix.

    Returns
    -------
    result with elements and counts

    >>> r = cp.scipy.stats.contingency.crosstab(cp.asarray([1, 1, 2]), cp.asarray([5, 6, 6]))
    >>> r.count
    array([[1, 1],
           [0, 1]])
    """
    if not args:
        raise TypeError("At least one input sequence is required.")
    arrays = [as_device(a) for a in args]
    if any(a.shape != arrays[0].shape for a in arrays):
        raise ValueError("All input sequences must have the same length.")
    if levels is not None and len(levels) != len(args):
        raise ValueError("len(levels) must equal the number of input sequences")
    elements, codes = [], cp.zeros(arrays[0].shape, dtype=np.int64)
    keep = cp.ones(arrays[0].shape, dtype=bool)
    for i, a in enumerate(arrays):
        if levels is None or levels[i] is None:
            values, code = cp.unique(a, return_inverse=True)
        else:
            values = as_device(levels[i])
            order = cp.argsort(values)
            at = cp.clip(cp.searchsorted(values[order], a), 0, values.size - 1)
            code = order[at]
            keep = keep & (values[code] == a)
        elements.append(values)
        codes = codes * values.size + code.reshape(a.shape)
    shape = tuple(v.size for v in elements)
    if sparse:
        places, many = cp.unique(codes[keep], return_counts=True)
        where = cp.unravel_index(places, shape)
        return CrosstabResult(tuple(elements), cp.scipy.sparse.coo_array((many, where), shape=shape))
    count = cp.bincount(codes[keep], minlength=math.prod(shape)).reshape(shape)
    return CrosstabResult(tuple(elements), count)


class RelativeRiskResult:
    """The result of `relative_risk`."""

    def __init__(self, relative_risk: float, counts: tuple[int, int, int, int]) -> None:
        self.relative_risk = relative_risk
        self.exposed_cases, self.exposed_total, self.control_cases, self.control_total = counts

    def __repr__(self) -> str:
        return (
            f"RelativeRiskResult(relative_risk={self.relative_risk}, exposed_cases={self.exposed_cases}, "
            f"exposed_total={self.exposed_total}, control_cases={self.control_cases}, "
            f"control_total={self.control_total})"
        )

    def confidence_interval(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """The confidence interval by Katz's logarithmic method."""
        if not 0 <= confidence_level <= 1:
            raise ValueError("confidence_level must be in the interval [0, 1].")
        a, m, b, n = self.exposed_cases, self.exposed_total, self.control_cases, self.control_total
        if a == 0 and b == 0:
            return ConfidenceInterval(np.nan, np.nan)
        if a == 0:
            return ConfidenceInterval(0.0, np.nan)
        if b == 0:
            return ConfidenceInterval(np.nan, np.inf)
        z = to_float(norm.ppf(0.5 + confidence_level / 2))
        reach = z * math.sqrt(1 / a - 1 / m + 1 / b - 1 / n)
        return ConfidenceInterval(self.relative_risk * math.exp(-reach), self.relative_risk * math.exp(reach))


def relative_risk(exposed_cases: int, exposed_total: int, control_cases: int, control_total: int) -> RelativeRiskResult:
    """The ratio of two risks.

    Parameters
    ----------
    exposed_cases : int
        The cases among the exposed.
    exposed_total : int
        The exposed.
    control_cases : int
        The cases in the control group.
    control_total : int
        The control group.

    >>> round(cp.scipy.stats.contingency.relative_risk(27, 122, 44, 487).relative_risk, 6)
    2.449516
    """
    names = ("exposed_cases", "exposed_total", "control_cases", "control_total")
    given = (exposed_cases, exposed_total, control_cases, control_total)
    counts = tuple(whole_number(v, name) for v, name in zip(given, names, strict=True))
    a, m, b, n = counts
    if min(counts) < 0 or m == 0 or n == 0:
        raise ValueError("cases must be nonnegative and totals positive")
    if a > m:
        raise ValueError("exposed_cases must not exceed exposed_total.")
    if b > n:
        raise ValueError("control_cases must not exceed control_total.")
    if a == 0 and b == 0:
        ratio = np.nan
    elif a == 0:
        ratio = 0.0
    else:
        ratio = np.inf if b == 0 else (a / m) / (b / n)
    return RelativeRiskResult(ratio, counts)


def _hypergeom_of(table: np.ndarray) -> tuple[Any, int]:
    from ._table_urns import hypergeom

    n1, n2, n = int(table[0].sum()), int(table[1].sum()), int(table[:, 0].sum())
    return hypergeom(n1 + n2, n1, n), int(table[0, 0])


def fisher_exact(table: Any, alternative: str | None = None, *, method: Any = None) -> SignificanceResult:
    """Fisher's exact test of a table; of more than two rows or columns by random tables with the same sums.

    Parameters
    ----------
    table : array_like
        The table of counts.
    alternative : {'two-sided', 'less', 'greater'}, optional
        The alternative hypothesis, of tables of two rows and columns only; by default 'two-sided'.
    method : PermutationMethod or MonteCarloMethod, optional
        How the p-value is found by resampling; by default `MonteCarloMethod()` for larger tables. The statistic is the
        probability of the table then.

    >>> round(float(cp.scipy.stats.fisher_exact(cp.asarray([[6, 2], [1, 4]])).pvalue), 6)
    0.102564
    """
    c = np.asarray(as_device(table).get(), dtype=np.int64)
    if c.ndim != 2:
        raise ValueError("The input `table` must have two dimensions.")
    if c.shape != (2, 2) or method is not None:
        return _fisher_resampled(c, alternative, method)
    alternative = "two-sided" if alternative is None else alternative
    checked(alternative)
    if np.any(c < 0):
        raise ValueError("All values in `table` must be nonnegative.")
    if 0 in c.sum(axis=0) or 0 in c.sum(axis=1):
        return SignificanceResult(np.nan, 1.0)
    ratio = c[0, 0] * c[1, 1] / (c[1, 0] * c[0, 1]) if c[1, 0] > 0 and c[0, 1] > 0 else np.inf
    distribution, a = _hypergeom_of(c)
    if alternative == "less":
        p = to_float(distribution.cdf(a))
    elif alternative == "greater":
        p = to_float(distribution.sf(a - 1))
    else:
        low, high = (int(to_float(end)) for end in distribution.support())
        mass = distribution.pmf(cp.arange(low, high + 1))
        p = to_float(cp.where(mass <= mass[a - low] * (1 + 1e-14 * 100), mass, 0.0).sum())
    return SignificanceResult(float(ratio), min(p, 1.0))


def _fisher_resampled(c: np.ndarray, alternative: str | None, method: Any) -> SignificanceResult:
    """The test by the probabilities of tables with the same sums."""
    from ._matrix_t import random_table
    from ._resampled_tables import resampled
    from ._resampling import MonteCarloMethod

    if alternative is not None:
        raise ValueError(
            "`alternative` must be the default (None) unless `table` has shape `(2, 2)` and `method is None`."
        )
    if c.size == 0:
        raise ValueError("`table` must have at least one row and one column.")
    if np.any(c < 0):
        raise ValueError("All values in `table` must be nonnegative.")
    if 1 in c.shape or not c.any():
        return SignificanceResult(1.0, 1.0)
    rows, columns = c.sum(axis=1), c.sum(axis=0)
    found = resampled(
        cp.asarray(c),
        lambda tables: random_table.pmf(tables, rows, columns),
        MonteCarloMethod() if method is None else method,
        "less",
        "fisher_exact",
    )
    return SignificanceResult(cp.minimum(found.statistic, 1.0), found.pvalue)


class OddsRatioResult:
    """The result of `odds_ratio`."""

    def __init__(self, table: np.ndarray, kind: str, statistic: float) -> None:
        self._table, self._kind, self.statistic = table, kind, statistic

    def __repr__(self) -> str:
        return f"OddsRatioResult(statistic={self.statistic})"

    def confidence_interval(self, confidence_level: float = 0.95, alternative: str = "two-sided") -> ConfidenceInterval:
        """The confidence interval of the ratio.

        Parameters
        ----------
        confidence_level : float
        alternative : {"two-sided", "less", "greater"}
            Both ends, or the upper or the lower alone.

        Returns
        -------
        ConfidenceInterval
            `low` and `high`.

        Raises
        ------
        ValueError
            For another alternative, and levels outside of 0 to 1.
        """
        if alternative not in ("two-sided", "less", "greater"):
            raise ValueError("`alternative` must be 'two-sided', 'less' or 'greater'.")
        if confidence_level < 0 or confidence_level > 1:
            raise ValueError("confidence_level must be between 0 and 1")
        c = self._table
        if 0 in c.sum(axis=0) or 0 in c.sum(axis=1):
            return ConfidenceInterval(0, np.inf)
        alpha = (1 - confidence_level) / 2 if alternative == "two-sided" else 1 - confidence_level
        if self._kind == "sample":
            with np.errstate(all="ignore"):
                middle, error = np.log(_sample_odds_ratio(c)), np.sqrt((1 / c).sum())
            reach = to_float(norm.isf(alpha)) * error
            low, high = (float(np.exp(middle - reach)), float(np.exp(middle + reach)))
        else:
            ratio, odds = _sample_odds_ratio(c), _Odds(c)
            low = 0.0 if ratio == 0 else odds.root(lambda k, x: k >= x, alpha, rising=True)
            high = np.inf if ratio == np.inf else odds.root(lambda k, x: k <= x, alpha, rising=False)
        return ConfidenceInterval(0.0 if alternative == "less" else low, np.inf if alternative == "greater" else high)


def _sample_odds_ratio(c: np.ndarray) -> float:
    if c[1, 0] > 0 and c[0, 1] > 0:
        return float(c[0, 0] * c[1, 1] / (c[1, 0] * c[0, 1]))
    return np.nan if c[0, 0] == 0 or c[1, 1] == 0 else np.inf


class _Odds:
    """Fisher's noncentral hypergeometric distribution of the first count, given the sums of rows and columns."""

    def __init__(self, c: np.ndarray) -> None:
        distribution, self.x = _hypergeom_of(c)
        self.low, self.high = (int(to_float(end)) for end in distribution.support())
        self._k = cp.arange(self.low, self.high + 1)
        self._logs = distribution.logpmf(self._k)

    def _expected(self, value: ndarray, log_odds: ndarray) -> ndarray:
        logs = self._logs + self._k * log_odds[:, None]
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
        return (weights * value).sum(axis=1) / weights.sum(axis=1)

    def root(self, value: Any, target: float, rising: bool) -> float:
        """The odds for which a value has an expectation, which rises or falls with them: nested grids of logarithms."""
        values = value(self._k, self.x).astype(np.float64)
        low, high, points = -700.0, 700.0, 257
        for _ in range(8):
            at = np.linspace(low, high, points)
            reached = self._expected(values, cp.asarray(at)).get() < target
            place = min(max(int(np.sum(reached == rising)), 1), points - 1)
            low, high = at[place - 1], at[place]
        return float(np.exp((low + high) / 2))


def odds_ratio(table: Any, *, kind: str = "conditional") -> OddsRatioResult:
    """The odds ratio of a table of two rows and columns. See `scipy.stats.contingency.odds_ratio`.

    Parameters
    ----------
    table : array of integers, of shape (2, 2)
    kind : {"conditional", "sample"}
        The likeliest ratio given the sums of rows and columns, or the ratio of products of the counts.

    Returns
    -------
    OddsRatioResult
        `statistic` and `confidence_interval()`.

    Raises
    ------
    ValueError
        For another `kind` or shape, counts that are negative or no integers.

    >>> r = cp.scipy.stats.contingency.odds_ratio(cp.asarray([[58, 18], [24, 69]]))
    >>> round(r.statistic, 6)
    9.116741
    """
    if kind not in ("conditional", "sample"):
        raise ValueError("`kind` must be 'conditional' or 'sample'.")
    c = as_device(table).get()
    if c.shape != (2, 2):
        raise ValueError(f"Invalid shape {c.shape}. The input `table` must be of shape (2, 2).")
    if c.dtype.kind not in "iu":
        raise ValueError(f"`table` must be an array of integers, but got type {c.dtype}")
    c = c.astype(np.int64)
    if np.any(c < 0):
        raise ValueError("All values in `table` must be nonnegative.")
    if 0 in c.sum(axis=0) or 0 in c.sum(axis=1):
        return OddsRatioResult(c, kind, np.nan)
    if kind == "sample":
        return OddsRatioResult(c, kind, _sample_odds_ratio(c))
    odds = _Odds(c)
    if odds.x in (odds.low, odds.high):
        return OddsRatioResult(c, kind, 0.0 if odds.x == odds.low else np.inf)
    return OddsRatioResult(c, kind, odds.root(lambda k, x: k, float(odds.x), rising=True))


__all__ = ["association", "chi2_contingency", "crosstab", "expected_freq", "margins", "odds_ratio", "relative_risk"]
