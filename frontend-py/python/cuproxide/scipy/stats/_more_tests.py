"""Empirical distributions, multiple comparisons, and tests that are needed less often."""

from __future__ import annotations

import math
import warnings
from collections import namedtuple
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import to_float
from ._axis import only, run, sample
from ._common import whole_number
from ._power_transforms import _medians
from ._rank import _rank, counts_of, result_type
from ._resampling import PermutationMethod, permutation_test
from ._results import ConfidenceInterval, SignificanceResult
from ._table_gamma import chi2
from ._table_normal import norm
from ._table_numeric import studentized_range
from ._tests import checked

# ------------------------------------------------------------------------------------------ multiple comparisons


class TukeyHSDResult:
    """The result of `tukey_hsd`."""

    def __init__(self, statistic: ndarray, pvalue: ndarray, groups: int, df: float, error: ndarray) -> None:
        self.statistic, self.pvalue = statistic, pvalue
        self._groups, self._df, self._error = groups, df, error

    def confidence_interval(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """The simultaneous intervals of all differences."""
        if not 0 < confidence_level < 1:
            raise ValueError("Confidence level must be between 0 and 1.")
        reach = studentized_range.ppf(confidence_level, float(self._groups), self._df) * self._error
        return ConfidenceInterval(self.statistic - reach, self.statistic + reach)


def tukey_hsd(*samples: Any, equal_var: bool = True) -> TukeyHSDResult:
    """Tukey's test of all differences of means.

    >>> a, b = cp.asarray([1.0, 2.0, 3.0]), cp.asarray([4.0, 5.0, 6.0])
    >>> round(float(cp.scipy.stats.tukey_hsd(a, b).statistic[0, 1]), 6)
    -3.0
    """
    if len(samples) < 2:
        raise ValueError("There must be more than 1 treatment.")
    if not isinstance(equal_var, bool):
        raise TypeError(f"Expected a boolean value for 'equal_var', not {equal_var!r}")
    groups = [sample(x) for x in samples]
    for x in groups:
        if x.ndim != 1:
            raise ValueError("Input samples must be one-dimensional.")
        if x.size <= 1:
            raise ValueError("Input sample size must be greater than one.")
        if bool(cp.isinf(x).any()):
            raise ValueError("Input samples must be finite.")
    sizes = np.array([x.size for x in groups], float)
    means = cp.stack([x.mean() for x in groups])
    variances = cp.stack([x.var(ddof=1) for x in groups])
    k, n = len(groups), cp.asarray(sizes)
    if equal_var:
        df: Any = float(sizes.sum() - k)
        within = (variances * (n - 1)).sum() / df
        error = np.sqrt(within * (1 / n[:, None] + 1 / n[None, :]) / 2)
    else:
        share = variances / n
        total = share[:, None] + share[None, :]
        error = np.sqrt(total / 2)
        df = total**2 / (share[:, None] ** 2 / (n[:, None] - 1) + share[None, :] ** 2 / (n[None, :] - 1))
    difference = means[:, None] - means[None, :]
    p = studentized_range.sf(abs(difference) / error, float(k), df)
    p = cp.where(cp.eye(k, dtype=bool) & ~cp.isnan(error), 1.0, p)
    return TukeyHSDResult(difference, p, k, df, error)


# ------------------------------------------------------------------------------------------ other tests


def chatterjeexi(
    x: Any,
    y: Any,
    *,
    axis: Any = 0,
    y_continuous: bool = False,
    method: Any = "asymptotic",
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Any:
    """Chatterjee's correlation, 1 if y is a function of x.

    Parameters
    ----------
    y_continuous : bool
        Whether the second samples have no ties.

    >>> x = cp.arange(100.0)
    >>> round(float(cp.scipy.stats.chatterjeexi(x, x**2).statistic), 6)
    0.970297
    """
    if not isinstance(method, PermutationMethod) and method != "asymptotic":
        raise ValueError("`method` must be 'asymptotic' or a PermutationMethod instance.")
    if y_continuous not in (True, False):
        raise ValueError("`y_continuous` must be boolean.")

    def statistic(a: ndarray, b: ndarray, mask: Any = None, n: Any = None, wide: Any = None) -> Any:
        size = a.shape[-1]
        n, wide = (size, size) if n is None else (n, wide)
        if mask is not None:
            a, b = (cp.where(mask, v, np.nan) for v in (a, b))
        order = cp.argsort(a, axis=-1, kind="stable")
        b = cp.take_along_axis(b, cp.broadcast_to(order, b.shape), axis=-1)
        inside = cp.arange(size) < wide
        r, upper = (cp.where(inside, _rank(v, "max")[0], 0).astype(np.float64) for v in (b, -b))
        steps = cp.where(cp.arange(1, size) < wide, abs(cp.diff(r, axis=-1)), 0.0).sum(axis=-1)
        if y_continuous:
            return 1 - 3 * steps / (n**2 - 1), r, upper, inside
        return 1 - n * steps / (2 * (upper * (wide - upper)).sum(axis=-1)), r, upper, inside

    def core(a: ndarray, b: ndarray, masks: Any = None) -> Any:
        dtype, mask = result_type(a, b), only(masks)
        if isinstance(method, PermutationMethod):
            null = permutation_test(
                (b,), lambda b, axis: statistic(a, b)[0], permutation_type="pairings", alternative="greater", axis=-1,
                vectorized=True, **method._asdict(),
            )  # fmt: skip
            return SignificanceResult(null.statistic, null.pvalue)
        n = counts_of((a,), None if mask is None else (mask,))[0]
        wide = n if mask is None else n[..., None]
        xi, r, upper, inside = statistic(a, b, mask, n, wide)
        if y_continuous:
            deviation = math.sqrt(2 / 5) / np.sqrt(n)
        else:
            i = cp.arange(1, a.shape[-1] + 1)
            u = cp.sort(cp.where(inside, r, np.inf), axis=-1)
            u = cp.where(inside, u, 0.0)
            v, weight = cp.cumsum(u, axis=-1), cp.where(inside, 2 * wide - 2 * i + 1, 0.0)
            an = 1 / n**4 * (weight * u**2).sum(axis=-1)
            bn = 1 / n**5 * cp.where(inside, (v + (wide - i) * u) ** 2, 0.0).sum(axis=-1)
            cn = 1 / n**3 * (weight * u).sum(axis=-1)
            dn = 1 / n**3 * (upper * (wide - upper)).sum(axis=-1)
            deviation = np.sqrt((an - 2 * bn + cn**2) / dn**2) / np.sqrt(n)
        return SignificanceResult(xi.astype(dtype), norm.sf(xi / deviation).astype(dtype))

    options = {"masked": method == "asymptotic", "spread_nan": True, "too_small": 1}
    options["nothing"] = lambda v: SignificanceResult(v, v)
    return run(core, [x, y], axis, nan_policy, keepdims, paired=True, **options)


Epps_Singleton_2sampResult = namedtuple("Epps_Singleton_2sampResult", ["statistic", "pvalue"])


def epps_singleton_2samp(
    x: Any, y: Any, t: Any = (0.4, 0.8), *, axis: Any = 0, nan_policy: str = "propagate", keepdims: bool = False
) -> Any:
    """Epps and Singleton's test of two samples.

    Parameters
    ----------
    t : array_like
        Where the characteristic functions are compared.

    >>> x = cp.arange(10.0)
    >>> round(float(cp.scipy.stats.epps_singleton_2samp(x, x).pvalue), 6)
    1.0
    """
    if cp.iscomplexobj(x) or cp.iscomplexobj(y):
        raise ValueError("`x` and `y` must have real dtypes.")
    t = np.asarray(t, float)
    if t.ndim > 1:
        raise ValueError(f"t must be 1d, but t.ndim equals {t.ndim}.")
    if np.any(t <= 0):
        raise ValueError("t must contain positive elements only.")

    def core(a: ndarray, b: ndarray, masks: Any = None) -> Any:
        n1, n2 = counts_of((a, b), masks)
        n, each = n1 + n2, masks or (None, None)
        infinite: Any = False
        parts = []
        for v, m in zip((a, b), each, strict=True):
            finite = cp.isfinite(v)
            infinite = infinite | ~finite.all(axis=-1)
            v = cp.where(finite, v, 1.0)
            parts.append(v if m is None else cp.where(m, v, np.nan))
        joined = cp.concatenate(parts, axis=-1)
        high, low = (cp.nanquantile(joined, q, axis=-1) for q in (0.75, 0.25))
        # A sample of NaN alone has no quantiles; its waves would not be numbers that an inverse can be made of.
        scale = (high - low) / 2
        nothing = ~(scale > 0) | (n1 == 0) | (n2 == 0)
        scale, infinite = cp.where(nothing, 1.0, scale), infinite | nothing
        ts = cp.asarray(t.ravel()) / scale[..., None]
        means, covariance = [], 0.0
        for v, m, size in zip(parts, each, (n1, n2), strict=True):
            waves = ts[..., :, None] * v[..., None, :]
            g = cp.concatenate([np.cos(waves), np.sin(waves)], axis=-2)
            wide = size if m is None else size[..., None]
            g = g if m is None else cp.where(m[..., None, :], g, 0.0)
            mean = g.sum(axis=-1) / wide
            centred = g - mean[..., None]
            centred = centred if m is None else cp.where(m[..., None, :], centred, 0.0)
            product = centred @ cp.swapaxes(centred, -1, -2)
            # The covariance is the product divided by the size, and counts n / size times.
            share = n / size**2
            covariance = covariance + product * (share if m is None else share[..., None, None])
            means.append(mean)
        covariance = cp.where(nothing[..., None, None], cp.eye(2 * t.size), covariance)
        inverse = cp.linalg.pinv(covariance)
        rank = cp.linalg.matrix_rank(inverse)
        if bool((rank < 2 * t.size).any()):
            warnings.warn(
                "Estimated covariance matrix does not have full rank. This indicates a bad choice of the input t and "
                "the test might not be consistent.",
                stacklevel=5,
            )
        difference = means[0] - means[1]
        w = n * (difference * (inverse @ difference[..., None])[..., 0]).sum(axis=-1)
        few = cp.maximum(n1, n2) < 25
        w = w / cp.where(few, 1.0 + n ** (-0.45) + 10.1 * (n1 ** (-1.7) + n2 ** (-1.7)), 1.0)
        w = cp.where(infinite, np.nan, w)
        return Epps_Singleton_2sampResult(w, chi2.sf(w, rank))

    options = {"masked": True, "spread_nan": True, "too_small": 4}
    options["nothing"] = lambda v: Epps_Singleton_2sampResult(v, v)
    return run(core, [x, y], axis, nan_policy, keepdims, **options)


def probplot(
    x: Any, sparams: Any = (), dist: Any = "norm", fit: bool = True, plot: Any = None, rvalue: bool = False
) -> Any:
    """The points of a probability plot, and the line through them. See `scipy.stats.probplot`.

    >>> import cuproxide as cp
    >>> (positions, values), line = cp.scipy.stats.probplot(cp.asarray([1.0, 2.0, 3.0]))
    >>> round(float(line[1]), 6)
    2.0
    """
    import importlib

    y = sample(x).ravel()
    if isinstance(dist, str):
        dist = getattr(importlib.import_module(__name__.rpartition(".")[0]), dist)
    sparams = () if sparams is None else sparams if isinstance(sparams, tuple) else (sparams,)
    if y.size == 0:
        return ((y, y), (np.nan, np.nan, 0.0)) if fit else (y, y)
    positions, ordered = dist.ppf(_medians(y.size), *sparams), cp.sort(y)
    if not fit:
        return positions, ordered
    from ._regression import linregress

    line = linregress(positions, ordered)
    if plot is not None:
        plot.plot(
            positions.get(), ordered.get(), "bo", positions.get(), (line.slope * positions + line.intercept).get(), "r-"
        )
    return (positions, ordered), (line.slope, line.intercept, line.rvalue)


def poisson_means_test(
    k1: int, n1: float, k2: int, n2: float, *, diff: float = 0, alternative: str = "two-sided"
) -> SignificanceResult:
    """The test of the difference of two Poisson means.

    Parameters
    ----------
    k1 : int
        The first count.
    n1 : float
        The size of what it was counted in.
    k2 : int
        The second count.
    n2 : float
        The size of what it was counted in.
    diff : float
        The difference of the means under the null hypothesis.

    >>> round(float(cp.scipy.stats.poisson_means_test(0, 100, 3, 100).pvalue), 6)
    0.088379
    """
    from ._table_discrete import poisson

    checked(alternative)
    k1, k2 = whole_number(k1, "`k1`"), whole_number(k2, "`k2`")
    if k1 < 0 or k2 < 0:
        raise ValueError("`k1` and `k2` must be greater than or equal to 0.")
    if n1 <= 0 or n2 <= 0:
        raise ValueError("`n1` and `n2` must be greater than 0.")
    if diff < 0:
        raise ValueError("diff must be greater than or equal to 0.")
    rate = (k1 + k2) / (n1 + n2) - diff * n1 / (n1 + n2)
    if rate <= 0:
        return SignificanceResult(0.0, 1.0)
    variance = k1 / n1**2 + k2 / n2**2
    t = (k1 / n1 - k2 / n2 - diff) / math.sqrt(variance)
    means = (n1 * (rate + diff), n2 * rate)
    low = [to_float(poisson.ppf(1e-16, m)) for m in means]
    high = [to_float(poisson.ppf(1 - 1e-16, m)) for m in means]
    x, y = (cp.arange(a, b + 1) for a, b in zip(low, high, strict=True))
    one, two = poisson.pmf(x, means[0])[:, None], poisson.pmf(y, means[1])[None, :]
    spread = x[:, None] / n1**2 + y[None, :] / n2**2
    values = (x[:, None] / n1 - y[None, :] / n2 - diff) / np.sqrt(spread)
    far = {"two-sided": abs(values) >= abs(t), "less": values <= t, "greater": values >= t}[alternative]
    return SignificanceResult(t, to_float(cp.where(far, one * two, 0.0).sum()))


__all__ = [
    "chatterjeexi", "epps_singleton_2samp", "poisson_means_test",
    "tukey_hsd",
]  # fmt: skip
