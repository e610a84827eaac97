"""The test of a quantile of a sample by the binomial distribution."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device
from ._quantile import _counts
from ._results import ConfidenceInterval
from ._table_discrete import binom


class QuantileTestResult:
    """The result of `quantile_test`."""

    def __init__(
        self, statistic: Any, statistic_type: Any, pvalue: Any, alternative: str, x: ndarray, p: ndarray, arranged: Any
    ) -> None:
        self.statistic, self.statistic_type, self.pvalue = statistic, statistic_type, pvalue
        self._alternative, self._x, self._p = alternative, x, p
        self._shape, self._arranged = p.shape, arranged

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
        x = cp.sort(self._x, axis=-1)
        n = x.shape[-1]
        below = binom(n, self._p)
        p = (1 - confidence_level) / 2 if self._alternative == "two-sided" else 1 - confidence_level
        low = cp.full(self._shape, -np.inf)
        high = cp.full(self._shape, np.inf)
        if self._alternative != "less":
            low = self._element(x, below.ppf(p).astype(np.int64) - 1)
        if self._alternative != "greater":
            high = self._element(x, below.isf(p).astype(np.int64))
        return ConfidenceInterval(*(self._arranged(v) for v in (low, high)))

    def _element(self, x: ndarray, at: ndarray) -> ndarray:
        """The elements at places of the sorted rows, NaN outside of them."""
        at = cp.broadcast_to(at, self._shape)
        found = cp.take_along_axis(x, cp.clip(at, 0, x.shape[-1] - 1), axis=-1)
        return cp.where((at >= 0) & (at < x.shape[-1]), found, np.nan)


def quantile_test(
    x: Any,
    *,
    q: Any = 0,
    p: Any = 0.5,
    alternative: str = "two-sided",
    axis: int | None = 0,
    keepdims: bool | None = None,
) -> QuantileTestResult:
    """The test whether a quantile of a population has some value. See `scipy.stats.quantile_test`.

    The shapes of `x`, `q` and `p` are broadcast, except `axis`.

    Parameters
    ----------
    x : array of numbers
        The samples.
    q : array of numbers
        The values of the quantile under the null hypothesis.
    p : array of numbers
        Its probabilities.
    alternative : {"two-sided", "less", "greater"}
    keepdims : bool, optional
        Whether the axis stays, with length 1. By default it goes if there is one quantile for each sample.

    Returns
    -------
    QuantileTestResult
        `statistic` (a count), `statistic_type` (1: elements up to `q`, 2: elements below it), `pvalue`, and
        `confidence_interval()`; numbers of the host for one sample and one quantile.

    Raises
    ------
    TypeError
        For complex numbers.
    ValueError
        For arrays that are not of numbers, `p` that is not between 0 and 1, another alternative, or `keepdims=False`
        with several quantiles.

    >>> r = cp.scipy.stats.quantile_test(cp.arange(20.0), q=14, p=0.5, alternative="greater")
    >>> float(r.statistic), round(float(r.pvalue), 6)
    (15.0, 0.994091)
    """
    given = []
    for name, value in (("x", x), ("q", q), ("p", p)):
        try:
            array = as_device(value)
        except (TypeError, ValueError):
            raise ValueError(f"`{name}` must be an array of numbers, not {value!r}.") from None
        if array.dtype.kind not in "iuf":
            error = TypeError if array.dtype.kind == "c" else ValueError
            raise error(f"`{name}` must be an array of real numbers, not of {array.dtype}.")
        given.append(array)
    if bool(((given[2] <= 0) | (given[2] >= 1) | cp.isnan(given[2] * 1.0)).any()):
        raise ValueError(f"`p` must be strictly between 0 and 1, not {p}.")
    if alternative not in ("two-sided", "less", "greater"):
        raise ValueError(f"`alternative` must be one of {{'two-sided', 'less', 'greater'}}, not {alternative!r}.")
    if keepdims not in (None, True, False):
        raise ValueError(f"If specified, `keepdims` must be True or False, not {keepdims!r}.")
    # Python's numbers do not decide on the type.
    dtypes = [v if isinstance(v, (int, float)) else array.dtype for v, array in zip((x, q, p), given, strict=True)]
    dtype = np.result_type(*dtypes)
    dtype = dtype if dtype.kind == "f" else np.dtype(np.float64)
    is_plain = given[0].ndim < 2 and given[1].ndim == given[2].ndim == 0 and not keepdims
    dimensions = max(1, *(v.ndim for v in given))
    if axis is None:
        given, place = [v.ravel() for v in given], 0
    else:
        place = normalize_axis_index(axis, dimensions)
        given = [cp.moveaxis(v.reshape((1,) * (dimensions - v.ndim) + v.shape), place, -1) for v in given]
    lead = np.broadcast_shapes(*(v.shape[:-1] for v in given))
    count = np.broadcast_shapes(given[1].shape[-1:], given[2].shape[-1:])[0]
    if keepdims is False and count != 1:
        raise ValueError("`keepdims` may be False only if the length of `p` and `q` along `axis` is 1.")
    rows = cp.broadcast_to(given[0], (*lead, given[0].shape[-1]))
    q, p = (cp.broadcast_to(v, (*lead, count)) for v in given[1:])
    ordered, n = cp.sort(rows, axis=-1), rows.shape[-1]
    upto, below = _ranked(ordered, q, "right"), _ranked(ordered, q, "left")
    null = binom(n, p.astype(np.float64))
    tails = null.cdf(upto), null.sf(below - 1)
    kind = {"less": cp.full(q.shape, 2), "greater": cp.full(q.shape, 1)}.get(alternative)
    kind = cp.where(tails[0] <= tails[1], 1, 2) if kind is None else kind
    pvalue = cp.where(kind == 1, *tails)
    pvalue = cp.minimum(2 * pvalue, 1.0) if alternative == "two-sided" else pvalue
    keep = count != 1 if keepdims is None else keepdims
    flat = (1,) * (dimensions - 1) if axis is None and keep else ()
    arranged = _Arrangement(place, keep, flat, is_plain)
    counted = cp.where(kind == 1, upto, below)
    found = [v.astype(dtype) for v in (counted, kind, pvalue)]
    if n:
        # NaN is sorted to the end.
        unknown = cp.isnan(ordered[..., -1:]) | cp.isnan(q)
        found = [cp.where(unknown, np.asarray(np.nan, dtype)[()], v) for v in found]
    # Of no elements there is no quantile.
    statistic, statistic_type, pvalue = (arranged(v if n else cp.full_like(v, np.nan)) for v in found)
    return QuantileTestResult(statistic, statistic_type, pvalue, alternative, rows, p.astype(np.float64), arranged)


class _Arrangement:
    """From results with the axis of quantiles last to those that the caller gets."""

    def __init__(self, axis: int, keep: bool, flat: tuple[int, ...], is_plain: bool) -> None:
        self.axis, self.keep, self.flat, self.is_plain = axis, keep, flat, is_plain

    def __call__(self, values: ndarray) -> Any:
        if self.is_plain:
            return values.dtype.type(values.item())
        if self.flat:
            return values.reshape(*self.flat, *values.shape)
        values = cp.moveaxis(values, -1, self.axis)
        return values if self.keep else values.squeeze(self.axis)


def _ranked(ordered: ndarray, q: ndarray, side: str) -> ndarray:
    """How many elements of each row are below `q`, or up to it."""
    if ordered.ndim == 1:
        return cp.searchsorted(ordered, q, side=side)
    # From the right: the places of the numbers in a row with both, in which equal ones stay behind the elements.
    if side == "right":
        return _counts(ordered, q).astype(np.int64)
    return ordered.shape[-1] - _counts(-ordered[..., ::-1], -q).astype(np.int64)


__all__ = ["quantile_test"]
