"""Cramer-von Mises tests of one sample and of two."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ._axis import only, run
from ._common import FLOAT64
from ._rank import counts_of, exact_tails, picked, rank_rows

_TERMS = 20  # Enough for arguments up to `_FAR`.
_FAR = 20.0  # From here on the distribution function is 1 to all digits.


class CramerVonMisesResult:
    """The result of `cramervonmises` and `cramervonmises_2samp`."""

    def __init__(self, statistic: Any, pvalue: Any) -> None:
        self.statistic, self.pvalue = statistic, pvalue

    def __repr__(self) -> str:
        return f"CramerVonMisesResult(statistic={self.statistic}, pvalue={self.pvalue})"


@k.function
def _limit(x):
    """The limiting distribution function (Csorgo and Faraway 1996, equation 1.2): a series of Bessel functions."""
    total, weight = 0.0, 1.0 / (np.pi * k.sqrt(x))  # gamma(i + 1/2) / (gamma(i + 1) pi^(3/2) sqrt(x)) at i = 0
    for i in k.steps(_TERMS):
        y = 4.0 * i + 1.0
        q = y * y / (16.0 * x)
        total += weight * k.sqrt(y) * k.exp(-2.0 * q) * k.kve(0.25, q)
        weight = weight * (i + 0.5) / (i + 1.0)
    return total


@k.function
def _second(y):
    z = y * y / 4.0
    b = k.kve(0.25, z) + k.kve(0.75, z)
    return k.exp(-2.0 * z) * (y / 2.0) ** 1.5 * b / math.sqrt(math.pi)


@k.function
def _third(y):
    z = y * y / 4.0
    b = 2.0 * k.kve(0.25, z) + 3.0 * k.kve(0.75, z) - k.kve(1.25, z)
    return k.exp(-2.0 * z) * (y / 2.0) ** 2.5 * b / math.sqrt(math.pi)


@k.kernel
def _probability(x: k.Each, n: k.Each):
    """The distribution function with its correction of order 1/n (there: equation 1.8); `n = 0` is the limit."""
    finite = n > 0.0
    inside = (x > 0.0) & ((n <= 0.0) | ((x > 1.0 / (12.0 * n)) & (x < n / 3.0)))
    value = 0.0
    if inside and x < _FAR:
        value = _limit(x)
        if finite:
            root = 2.0 * k.sqrt(x)
            one, two = x**0.75, x**1.25
            correction, half = 0.0, math.sqrt(math.pi)  # gamma(i + 1/2) / gamma(i + 1) at i = 0
            for i in k.steps(_TERMS):
                m = 2.0 * i + 1.0
                at1, at3, at5 = (4.0 * i + 1.0) / root, (4.0 * i + 3.0) / root, (4.0 * i + 5.0) / root
                e = m * _second(at3) / (9.0 * one) + _third(at1) / (72.0 * two)
                e += 2.0 * (m + 2.0) * (i + 0.5) * _third(at5) / (12.0 * two)
                e += 7.0 * m * (_second(at1) + _second(at5)) / (144.0 * one)
                correction -= e * half / np.pi
                half = half * (i + 0.5) / (i + 1.0)
            value = value * (1.0 + 1.0 / (12.0 * n)) + correction / n
    elif inside:
        value = 1.0
    if finite and x >= n / 3.0:
        value = 1.0
    return k.where(k.isnan(x), x, value)


def _upper(x: ndarray, n: Any) -> ndarray:
    return cp.clip(1.0 - _probability(x.astype(FLOAT64), n), 0.0, None).astype(x.dtype)


def cramervonmises(
    rvs: Any,
    cdf: Any,
    args: tuple[Any, ...] = (),
    *,
    axis: Any = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> CramerVonMisesResult:
    """The Cramer-von Mises test of a sample and a distribution. See `scipy.stats.cramervonmises`.

    Parameters
    ----------
    rvs : array of numbers
        The sample, along `axis`.
    args : tuple
        Parameters of the distribution.

    Raises
    ------
    ValueError
        For a name that is none of a distribution's.

    >>> r = cp.scipy.stats.cramervonmises(cp.linspace(-2, 2, 9), "norm")
    >>> round(float(r.statistic), 6), round(float(r.pvalue), 4)
    (0.072649, 0.7478)
    """
    from ._kolmogorov_smirnov import named_cdf

    function = named_cdf(cdf)

    def core(x: ndarray, masks: Any = None) -> Any:
        mask, size = only(masks), x.shape[-1]
        x = x if x.dtype.kind == "f" else x.astype(FLOAT64)
        n = cp.asarray(float(size)) if mask is None else mask.sum(axis=-1).astype(x.dtype)
        ordered = cp.sort(x if mask is None else cp.where(mask, x, np.nan), axis=-1)
        i = cp.arange(1, size + 1, dtype=x.dtype)
        terms = ((2 * i - 1) / (2 * n[..., None]) - function(ordered, *args)) ** 2
        terms = terms if mask is None else cp.where(i <= n[..., None], terms, 0)
        w = 1 / (12 * n) + terms.sum(axis=-1)
        w = w.astype(x.dtype)
        return w, _upper(w, n.astype(FLOAT64))

    options = {"masked": True, "spread_nan": True, "too_small": 1, "nothing": lambda v: (v, v)}
    return CramerVonMisesResult(*run(core, [rvs], axis, nan_policy, keepdims, real=True, **options))


@cache
def _two_sample_table(m: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The values of the statistic of m and n numbers and their probabilities (Xiao, Gordon and Yakovlev 2007).

    A lattice path's value is a sum of squares of distances to the diagonal: the numbers of paths by value, swept over
    the lattice. They depend on the two sizes alone.
    """
    if m * n == 0:
        return np.zeros(1, np.int64), np.ones(1)
    lcm = math.lcm(m, n)
    a, b = lcm // m, lcm // n
    rows = [(np.zeros(1, np.int64), np.ones(1))] + [(np.empty(0, np.int64), np.empty(0))] * m
    for u in range(n + 1):
        values, shares = np.empty(0, np.int64), np.empty(0)
        following = []
        for v, (other, more) in enumerate(rows):
            both, at = np.unique(np.concatenate([values, other]), return_inverse=True)
            shares = np.bincount(at, weights=np.concatenate([shares, more]), minlength=both.size)
            values = both + (a * v - b * u) ** 2
            following.append((values, shares))
        rows = following
    values, paths = rows[m]
    return values, paths / paths.sum()


def cramervonmises_2samp(
    x: Any, y: Any, method: str = "auto", *, axis: Any = 0, nan_policy: str = "propagate", keepdims: bool = False
) -> CramerVonMisesResult:
    """The Cramer-von Mises test of two samples. See `scipy.stats.cramervonmises_2samp`.

    Parameters
    ----------
    x, y : arrays of numbers
        The samples, along `axis`.
    method : {"auto", "exact", "asymptotic"}
        How the p-value is found; "auto" is "exact" for samples of at most 20.

    Raises
    ------
    ValueError
        For another `method`.

    >>> r = cp.scipy.stats.cramervonmises_2samp(cp.arange(5.0), cp.arange(5.0) + 2.5)
    >>> round(float(r.statistic), 6), round(float(r.pvalue), 6)
    (0.45, 0.087302)
    """

    def core(a: ndarray, b: ndarray, masks: Any = None) -> Any:
        if method not in ("auto", "exact", "asymptotic"):
            raise ValueError("method must be either auto, exact or asymptotic.")
        dtype = np.result_type(a.dtype, b.dtype)
        parts = [cp.sort(v if masks is None else cp.where(masks[i], v, np.nan), axis=-1) for i, v in enumerate((a, b))]
        ranks = rank_rows(parts, None if masks is None else [_front(m) for m in masks])[0]
        nx, ny = counts_of((a, b), masks)
        u: Any = 0.0
        for r, n in zip(ranks, (nx, ny), strict=True):
            i = cp.arange(1, r.shape[-1] + 1, dtype=np.float64)
            squares = (r - i) ** 2
            squares = squares if masks is None else cp.where(i <= n[..., None], squares, 0.0)
            u = u + n * squares.sum(axis=-1)
        product, total = nx * ny, nx + ny
        t = u / (product * total) - (4 * product - 1) / (6 * total)
        p = _two_sample_p(u, t, nx, ny, method)
        return t.astype(dtype), p.astype(dtype)

    options = {"masked": True, "spread_nan": True, "too_small": 1, "nothing": lambda v: (v, v)}
    return CramerVonMisesResult(*run(core, [x, y], axis, nan_policy, keepdims, ordered=True, **options))


def _front(mask: ndarray) -> ndarray:
    """The mask of what is left of a row that is sorted with the omitted elements last."""
    return cp.arange(mask.shape[-1]) < mask.sum(axis=-1, keepdims=True)


def _two_sample_p(u: ndarray, t: ndarray, nx: Any, ny: Any, method: str) -> ndarray:
    exact: Any = method == "exact"
    if method == "auto":
        exact = cp.maximum(nx, ny) <= 20 if isinstance(nx, ndarray) else bool(max(nx, ny) <= 20)

    def asymptotic() -> ndarray:
        total, product = nx + ny, nx * ny
        expected = (1 + 1 / total) / 6
        variance = (total + 1) * (4 * product * total - 3 * (nx**2 + ny**2) - 2 * product)
        variance = variance / (45 * total**2 * 4 * product)
        scaled = 1 / 6 + (t - expected) / np.sqrt(45 * variance)
        return cp.where(scaled >= 0.003, _upper(cp.maximum(scaled, 0.003), 0.0), 1.0)

    def counted_paths() -> ndarray:
        m, n = (cp.maximum(cp.asarray(v).astype(np.int64), 1) for v in (nx, ny))
        square, product = (cp.lcm(m, n) ** 2 * (m + n)).astype(FLOAT64), (m * n).astype(FLOAT64)
        zeta = cp.floor_divide(square * (6 * u - product * (4 * product - 1)), 6 * product**2)
        return exact_tails(zeta, zeta, (nx, ny), _two_sample_table, exact)[1]

    return picked(exact, counted_paths, asymptotic)


__all__ = ["cramervonmises", "cramervonmises_2samp"]
