"""The test of a quantile of a sample by the binomial distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_float
from ._results import ConfidenceInterval
from ._table_discrete import binom


class QuantileTestResult:
    """The result of `quantile_test`."""

    def __init__(
        self, statistic: int, statistic_type: int, pvalue: float, alternative: str, x: ndarray, p: float
    ) -> None:
        self.statistic, self.statistic_type, self.pvalue = statistic, statistic_type, pvalue
        self._alternative, self._x, self._p = alternative, x, p

    def __repr__(self) -> str:
        return (
            f"QuantileTestResult(statistic={self.statistic!r}, statistic_type={self.statistic_type!r}, "
            f"pvalue={self.pvalue!r})"
        )

    def confidence_interval(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """The confidence interval of the quantile: two elements of the sample, NaN where it is too small.

        Parameters
        ----------
        confidence_level : float

        Returns
        -------
        ConfidenceInterval
            `low` and `high`.

        Raises
        ------
        ValueError
            For a level that is not between 0 and 1.
        """
        if confidence_level <= 0 or confidence_level >= 1:
            raise ValueError("`confidence_level` must be a number between 0 and 1.")
        x = cp.sort(self._x)
        n = x.size
        below = binom(n, self._p)
        two_sided = self._alternative == "two-sided"
        p = (1 - confidence_level) / 2 if two_sided else 1 - confidence_level
        low: Any = -np.inf
        high: Any = np.inf
        if self._alternative != "less":
            at = int(to_float(below.ppf(p))) - 1
            low = x[at] if at >= 0 else np.nan
        if self._alternative != "greater":
            at = int(to_float(below.isf(p)))
            high = x[at] if at < n else np.nan
        return ConfidenceInterval(low, high)


def quantile_test(x: Any, *, q: float = 0, p: float = 0.5, alternative: str = "two-sided") -> QuantileTestResult:
    """The test whether a quantile of a population has some value. See `scipy.stats.quantile_test`.

    Parameters
    ----------
    x : array of numbers, of one dimension
        The sample.
    q : float
        The value of the quantile under the null hypothesis.
    p : float
        Its probability.
    alternative : {"two-sided", "less", "greater"}

    Returns
    -------
    QuantileTestResult
        `statistic` (a count), `statistic_type` (1: elements up to `q`, 2: elements below it), `pvalue`, and
        `confidence_interval()`.

    Raises
    ------
    ValueError
        For a sample of more dimensions, `q` that is no number, `p` that is not between 0 and 1, another alternative.

    Examples
    --------
    >>> import cuproxide as cp
    >>> r = cp.scipy.stats.quantile_test(cp.arange(20.0), q=14, p=0.5, alternative="greater")
    >>> r.statistic, round(r.pvalue, 6)
    (15, 0.994091)
    """
    x = cp.atleast_1d(as_device(x))
    if x.ndim != 1 or x.dtype.kind not in "iufc":
        raise ValueError("`x` must be a one-dimensional array of numbers.")
    q, p = (v.get()[()] if isinstance(v, ndarray) else np.array(v)[()] for v in (q, p))
    if np.ndim(q) != 0 or not np.issubdtype(np.asarray(q).dtype, np.number):
        raise ValueError("`q` must be a scalar.")
    if np.ndim(p) != 0 or p >= 1 or p <= 0:
        raise ValueError("`p` must be a float strictly between 0 and 1.")
    if alternative not in ("two-sided", "less", "greater"):
        raise ValueError("`alternative` must be one of {'two-sided', 'less', 'greater'}")
    upto, below = (int(v) for v in cp.stack([(x <= q).sum(), (x < q).sum()]).tolist())
    null = binom(x.size, float(p))
    tails = {1: to_float(null.cdf(upto)), 2: to_float(null.sf(below - 1))}
    kind = {"less": 2, "greater": 1}.get(alternative) or (1 if tails[1] <= tails[2] else 2)
    pvalue = tails[kind] if alternative != "two-sided" else min(2 * tails[kind], 1.0)
    return QuantileTestResult(upto if kind == 1 else below, kind, pvalue, alternative, x, float(p))


__all__ = ["quantile_test"]
