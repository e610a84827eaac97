"""Kolmogorov-Smirnov tests of one sample and of two."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ._axis import in_order, only, run
from ._common import renamed
from ._rank import _runs, counts_of
from ._results import bunch
from ._table_kolmogorov import ksone, kstwo, kstwobign

KstestResult = bunch("KstestResult", ["statistic", "pvalue"], ["statistic_location", "statistic_sign"])


def named_cdf(cdf: Any) -> Any:
    """A distribution function, which may be given by the name of its distribution."""
    if isinstance(cdf, str):
        return getattr(importlib.import_module(__name__.rpartition(".")[0]), cdf).cdf
    return cdf


def _side(alternative: str) -> str:
    side = {"t": "two-sided", "g": "greater", "l": "less"}.get(alternative.lower()[:1], alternative)
    if side not in ("two-sided", "greater", "less"):
        raise ValueError(f"Unexpected value {alternative=}")
    return side


def _nothing(v: ndarray) -> Any:
    return KstestResult(v, v, v, v)


def _picked_at(source: ndarray, at: ndarray) -> ndarray:
    return cp.take_along_axis(source, at[..., None], axis=-1)[..., 0]


@renamed("mode", "method")
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
    """The Kolmogorov-Smirnov test of a sample and a distribution.

    Parameters
    ----------
    x : array_like
        The samples.

    >>> r = cp.scipy.stats.ks_1samp(cp.linspace(-2, 2, 9), cp.scipy.stats.norm.cdf)
    >>> round(float(r.statistic), 6)
    0.174678
    """
    alternative = _side(alternative)
    if method not in ("auto", "exact", "approx", "asymp"):
        raise ValueError(f"Unexpected mode {method}")

    def core(y: ndarray, masks: Any = None) -> Any:
        mask, size = only(masks), y.shape[-1]
        n = counts_of((y,), masks)[0]
        wide = n if mask is None else n[..., None]
        ordered = cp.sort(y if mask is None else cp.where(mask, y, np.nan), axis=-1)
        values = cdf(ordered, *args)
        inside = cp.arange(size) < wide
        above = cp.where(inside, cp.arange(1.0, size + 1) / wide - values, -np.inf)
        below = cp.where(inside, values - cp.arange(0.0, size) / wide, -np.inf)
        at_plus, at_minus = cp.argmax(above, axis=-1), cp.argmax(below, axis=-1)
        plus, minus = _picked_at(above, at_plus).astype(y.dtype), _picked_at(below, at_minus).astype(y.dtype)
        where_plus, where_minus = _picked_at(ordered, at_plus), _picked_at(ordered, at_minus)
        if alternative != "two-sided":
            d, at, sign = (plus, where_plus, 1) if alternative == "greater" else (minus, where_minus, -1)
            return KstestResult(d, ksone.sf(d, n).astype(y.dtype), at, cp.full(d.shape, sign, dtype=np.int8))
        up = plus > minus
        d = cp.where(up, plus, minus)
        if method in ("auto", "exact"):
            p = kstwo.sf(d, n)
        elif method == "asymp":
            p = kstwobign.sf(d * np.sqrt(n))
        else:
            p = 2 * ksone.sf(d, n)
        sign = cp.where(up, 1, -1).astype(np.int8)
        return KstestResult(d, cp.clip(p, 0, 1).astype(y.dtype), cp.where(up, where_plus, where_minus), sign)

    options = {"masked": True, "spread_nan": True, "too_small": 0, "nothing": _nothing}
    return run(core, [x], axis, nan_policy, keepdims, **options)


@renamed("mode", "method")
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
    """The Kolmogorov-Smirnov test of two samples.

    Parameters
    ----------
    data1 : array_like
        The first sample.
    data2 : array_like
        The second sample.

    >>> r = cp.scipy.stats.ks_2samp(cp.arange(5.0), cp.arange(5.0) + 2.5)
    >>> round(float(r.statistic), 6), round(float(r.pvalue), 6)
    (0.6, 0.357143)
    """
    alternative = _side(alternative)
    if method not in ("auto", "exact", "asymp"):
        raise ValueError(f"Invalid value for mode: {method}")

    def core(a: ndarray, b: ndarray, masks: Any = None) -> Any:
        n1, n2 = counts_of((a, b), masks)
        one, two = (n1, n2) if masks is None else (n1[..., None], n2[..., None])
        parts = [cp.sort(v if masks is None else cp.where(masks[i], v, np.nan), axis=-1) for i, v in enumerate((a, b))]
        both = cp.concatenate(parts, axis=-1)
        order = cp.argsort(both, axis=-1, kind="stable")
        ordered = cp.take_along_axis(both, order, axis=-1)
        from_a = cp.cumsum((order < a.shape[-1]).astype(np.int64), axis=-1)
        places = cp.arange(1, both.shape[-1] + 1)
        difference = from_a / one - (places - from_a) / two
        # Equal elements share the value after the last of them; the first extreme is sought in sample order.
        difference = cp.take_along_axis(difference, _runs(ordered)[1], axis=-1)
        difference = cp.take_along_axis(difference, cp.argsort(order, axis=-1), axis=-1)
        inside = ~cp.isnan(both) if masks is not None else cp.ones(both.shape, dtype=bool)
        at_plus = cp.argmax(cp.where(inside, difference, -np.inf), axis=-1)
        at_minus = cp.argmax(cp.where(inside, -difference, -np.inf), axis=-1)
        plus, minus = _picked_at(difference, at_plus), cp.clip(-_picked_at(difference, at_minus), 0, 1)
        down = minus > plus if alternative == "two-sided" else cp.full(plus.shape, alternative == "less")
        d = cp.where(down, minus, plus)
        location = _picked_at(both, cp.where(down, at_minus, at_plus))
        exact: Any = method == "exact"
        if method == "auto":
            exact = cp.maximum(n1, n2) <= 10_000 if masks is not None else bool(max(n1, n2) <= 10_000)

        def asymptotic() -> ndarray:
            m, n = cp.maximum(n1, n2), cp.minimum(n1, n2)
            if alternative == "two-sided":
                return kstwo.sf(d, cp.rint(m * n / (m + n)))
            z = np.sqrt(m * n / (m + n)) * d
            return np.exp(-2 * z**2 - 2 * z * (m + 2 * n) / np.sqrt(m * n * (m + n)) / 3.0)

        if masks is None and exact:
            d, p = _ks_exact(d, int(n1), int(n2), alternative)
        else:
            if masks is not None:
                d, p = _ks_exact(d, n1, n2, alternative)
                p = cp.where(exact, p, asymptotic())
            else:
                p = asymptotic()
        return KstestResult(d, cp.clip(p, 0, 1), location, cp.where(down, -1, 1).astype(np.int8))

    options = {"masked": True, "spread_nan": True, "too_small": 0, "nothing": _nothing}
    samples, elements = in_order([data1, data2])
    result = run(core, samples, axis, nan_policy, keepdims, **options)
    if elements is None:
        return result
    location = result.statistic_location
    location = elements(location.astype(np.int64)).astype(location.dtype)
    return KstestResult(result.statistic, result.pvalue, location, result.statistic_sign)


def _ks_exact(d: ndarray, n1: Any, n2: Any, alternative: str) -> tuple[ndarray, ndarray]:
    """The distance on its lattice, and the share of paths that reach it: one sweep over the lattice a statistic."""
    flat = d.reshape(-1)
    n1, n2 = (cp.broadcast_to(cp.asarray(n), d.shape).reshape(-1).astype(np.int64) for n in (n1, n2))
    common = cp.lcm(cp.maximum(n1, 1), cp.maximum(n2, 1))
    h = cp.rint(flat * common)
    m, n = cp.maximum(n1, n2), cp.minimum(n1, n2)
    side = {"two-sided": 0, "greater": 1, "less": -1}[alternative]
    sign = cp.where(n1 < n2, -side, side)
    row = cp.ones((flat.size, int(n.max()) + 1 if flat.size else 1))
    p = 1 - _lattice(row, h, m, n, common // cp.maximum(m, 1), common // cp.maximum(n, 1), sign)
    p = cp.where(h == 0, 1.0, cp.clip(p, 0, 1))
    return (h / common).reshape(d.shape), p.reshape(d.shape)


@k.kernel
def _lattice(row: k.Out[1], h: k.Each, m: k.Each, n: k.Each, step: k.Each, other: k.Each, sign: k.Each):
    """The share of lattice paths within `h`: a path's last step comes from each side by the share of its length."""
    last = 0.0
    for i in k.steps(m + 1):
        left = 0.0
        for j in k.steps(n + 1):
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


@renamed("mode", "method")
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
    """The Kolmogorov-Smirnov test with one sample or two.

    Parameters
    ----------
    N : int
        The size of the sample where it is drawn.

    >>> round(float(cp.scipy.stats.kstest(cp.linspace(-2, 2, 9), "norm").statistic), 6)
    0.174678
    """
    if alternative == "two_sided":
        alternative = "two-sided"
    if alternative not in ("two-sided", "greater", "less"):
        raise ValueError(f"Unexpected alternative: {alternative}")
    options = {
        "alternative": alternative,
        "method": method,
        "axis": axis,
        "nan_policy": nan_policy,
        "keepdims": keepdims,
    }
    if isinstance(rvs, str):
        rvs = getattr(importlib.import_module(__name__.rpartition(".")[0]), rvs).rvs
    if callable(rvs):
        rvs = rvs(*args, size=N)
    if isinstance(cdf, str) or callable(cdf):
        return ks_1samp(rvs, named_cdf(cdf), args, **options)
    return ks_2samp(rvs, cdf, **options)


__all__ = ["ks_1samp", "ks_2samp", "kstest"]
