"""Summaries of samples: means, moments, scores, trimmed and robust estimates."""

from __future__ import annotations

import math
from collections import namedtuple
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_float
from ._axis import averaged, central, counted, only, run, sample, summed

DescribeResult = namedtuple("DescribeResult", ["nobs", "minmax", "mean", "variance", "skewness", "kurtosis"])
ModeResult = namedtuple("ModeResult", ["mode", "count"])


def _tiny(x: ndarray, second: ndarray, mask: Any) -> ndarray:
    """Whether the second moment is rounding only: then ratios of moments mean nothing."""
    return second <= (np.finfo(x.dtype).resolution * averaged(x, mask)) ** 2


def _moment(x: ndarray, order: Any = 1, center: Any = None, masks: Any = None) -> Any:
    mask = only(masks)
    if np.ndim(order):
        return cp.stack([_moment(x, o, center, masks) for o in np.asarray(order).tolist()])
    if int(order) != order:
        raise ValueError("All elements of `order` must be integral.")
    order = int(order)
    if order == 0:
        return cp.ones(x.shape[:-1], dtype=x.dtype)
    if order == 1 and center is None:
        return averaged(x, mask) * 0
    mean = averaged(x, mask) if center is None else cp.broadcast_to(cp.asarray(center, dtype=x.dtype), x.shape[:-1])
    return central(x, order, mask, mean)


def moment(
    a: Any, order: Any = 1, axis: Any = 0, nan_policy: str = "propagate", *, center: Any = None, keepdims: bool = False
) -> ndarray:
    """The moment of an order about the mean, or about `center`. See `scipy.stats.moment`.

    >>> import cuproxide as cp
    >>> float(cp.scipy.stats.moment(cp.asarray([1.0, 2.0, 3.0, 4.0, 5.0]), order=2))
    2.0
    """
    return run(_moment, [a], axis, nan_policy, keepdims, masked=True, order=order, center=center)


def _skew(x: ndarray, bias: bool, masks: Any = None) -> ndarray:
    mask = only(masks)
    n, m2, m3 = counted(x, mask), central(x, 2, mask), central(x, 3, mask)
    value = cp.where(_tiny(x, m2, mask), np.nan, m3 / m2**1.5)
    if not bias:
        better = np.sqrt((n - 1.0) * n) / (n - 2.0) * m3 / m2**1.5
        value = cp.where((n > 2) & ~_tiny(x, m2, mask), better, value)
    return value


def skew(a: Any, axis: Any = 0, bias: bool = True, nan_policy: str = "propagate", *, keepdims: bool = False) -> ndarray:
    """The skewness of a sample. See `scipy.stats.skew`.

    >>> import cuproxide as cp
    >>> float(cp.scipy.stats.skew(cp.asarray([1.0, 2.0, 3.0, 4.0, 5.0])))
    0.0
    """
    return run(_skew, [a], axis, nan_policy, keepdims, masked=True, bias=bias)


def _kurtosis(x: ndarray, fisher: bool, bias: bool, masks: Any = None) -> ndarray:
    mask = only(masks)
    n, m2, m4 = counted(x, mask), central(x, 2, mask), central(x, 4, mask)
    value = cp.where(_tiny(x, m2, mask), np.nan, m4 / m2**2)
    if not bias:
        better = 1.0 / (n - 2) / (n - 3) * ((n**2 - 1.0) * m4 / m2**2 - 3 * (n - 1) ** 2) + 3.0
        value = cp.where((n > 3) & ~_tiny(x, m2, mask), better, value)
    return value - 3 if fisher else value


def kurtosis(
    a: Any,
    axis: Any = 0,
    fisher: bool = True,
    bias: bool = True,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> ndarray:
    """The kurtosis of a sample, 0 for a normal one if `fisher`. See `scipy.stats.kurtosis`.

    >>> import cuproxide as cp
    >>> float(cp.scipy.stats.kurtosis(cp.asarray([1.0, 2.0, 3.0, 4.0, 5.0])))
    -1.3
    """
    return run(_kurtosis, [a], axis, nan_policy, keepdims, masked=True, fisher=fisher, bias=bias)


def describe(a: Any, axis: Any = 0, ddof: int = 1, bias: bool = True, nan_policy: str = "propagate") -> DescribeResult:
    """Number, extrema, mean, variance, skewness and kurtosis of a sample. See `scipy.stats.describe`.

    >>> import cuproxide as cp
    >>> float(cp.scipy.stats.describe(cp.arange(5.0)).mean)
    2.0
    """
    x = as_device(a)
    if x.size == 0:
        raise ValueError("The input must not be empty.")
    x = x.ravel() if axis is None else x
    axis = 0 if axis is None else axis
    values = sample(x)
    n: Any = x.shape[axis] if not isinstance(axis, tuple) else math.prod(x.shape[i] for i in axis)

    def core(y: ndarray, masks: Any = None) -> Any:
        mask = only(masks)
        count = counted(y, mask)
        low = y.min(axis=-1) if mask is None else cp.where(mask, y, np.inf).min(axis=-1)
        high = y.max(axis=-1) if mask is None else cp.where(mask, y, -np.inf).max(axis=-1)
        v = central(y, 2, mask) * count / (count - ddof)
        return count, low, high, averaged(y, mask), v, _skew(y, bias, masks), _kurtosis(y, True, bias, masks)

    count, low, high, mean, v, s, kurt = run(core, [values], axis, nan_policy, masked=True)
    if isinstance(count, ndarray):
        n = count.astype(np.int64)
    if nan_policy == "propagate" or x.dtype.kind in "iub":
        low, high = x.min(axis=axis), x.max(axis=axis)
    return DescribeResult(n, (low, high), mean, v, s, kurt)


def gmean(
    a: Any,
    axis: Any = 0,
    dtype: Any = None,
    weights: Any = None,
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> ndarray:
    """The geometric mean. See `scipy.stats.gmean`.

    >>> import cuproxide as cp
    >>> round(float(cp.scipy.stats.gmean(cp.asarray([1.0, 4.0]))), 12)
    2.0
    """
    return _mean_of(a, axis, dtype, weights, nan_policy, keepdims, np.log, np.exp)


def hmean(
    a: Any,
    axis: Any = 0,
    dtype: Any = None,
    *,
    weights: Any = None,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> ndarray:
    """The harmonic mean; NaN where elements are negative. See `scipy.stats.hmean`.

    >>> import cuproxide as cp
    >>> float(cp.scipy.stats.hmean(cp.asarray([1.0, 4.0])))
    1.6
    """
    return _mean_of(a, axis, dtype, weights, nan_policy, keepdims, _inverse_of_positive, lambda m: 1.0 / m)


def _inverse_of_positive(x: ndarray) -> ndarray:
    return cp.where(x < 0, np.nan, 1.0 / x)


def pmean(
    a: Any,
    p: float,
    *,
    axis: Any = 0,
    dtype: Any = None,
    weights: Any = None,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> ndarray:
    """The power mean of exponent `p`. See `scipy.stats.pmean`.

    >>> import cuproxide as cp
    >>> round(float(cp.scipy.stats.pmean(cp.asarray([1.0, 4.0]), 2)), 6)
    2.915476
    """
    if not isinstance(p, (int, float, np.number)):
        raise ValueError("Power mean only implemented for finite `p`")
    if p == 0:
        return gmean(a, axis=axis, dtype=dtype, weights=weights, nan_policy=nan_policy, keepdims=keepdims)

    def into(x: ndarray) -> ndarray:
        return cp.where(x < 0, np.nan, x ** float(p))

    return _mean_of(a, axis, dtype, weights, nan_policy, keepdims, into, lambda m: m ** (1 / p))


def _mean_of(a: Any, axis: Any, dtype: Any, weights: Any, policy: str, keepdims: bool, into: Any, back: Any) -> ndarray:
    x = sample(a if dtype is None else as_device(a).astype(dtype))

    def core(y: ndarray, w: Any = None, masks: Any = None) -> ndarray:
        mask = only(masks)
        with np.errstate(all="ignore"):
            terms = into(y if mask is None else cp.where(mask, y, 1))
            if w is None:
                return back(averaged(terms, mask))
            return back(summed(terms * w, mask) / summed(w, mask))

    return run(core, [x] if weights is None else [x, weights], axis, policy, keepdims, paired=True, masked=True)


def sem(a: Any, axis: Any = 0, ddof: int = 1, nan_policy: str = "propagate", *, keepdims: bool = False) -> ndarray:
    """The standard error of the mean. See `scipy.stats.sem`.

    >>> import cuproxide as cp
    >>> round(float(cp.scipy.stats.sem(cp.asarray([1.0, 2.0, 3.0]))), 6)
    0.57735
    """

    def core(x: ndarray, masks: Any = None) -> ndarray:
        n = counted(x, only(masks))
        return np.sqrt(central(x, 2, only(masks)) * n / (n - ddof) / n)

    return run(core, [a], axis, nan_policy, keepdims, masked=True)


def variation(
    a: Any, axis: Any = 0, nan_policy: str = "propagate", ddof: int = 0, *, keepdims: bool = False
) -> ndarray:
    """The coefficient of variation: deviation by mean. See `scipy.stats.variation`.

    >>> import cuproxide as cp
    >>> round(float(cp.scipy.stats.variation(cp.asarray([1.0, 2.0, 3.0]))), 6)
    0.408248
    """

    def core(x: ndarray, masks: Any = None) -> ndarray:
        mask = only(masks)
        n = counted(x, mask)
        return np.sqrt(central(x, 2, mask) * n / (n - ddof)) / averaged(x, mask)

    return run(core, [a], axis, nan_policy, keepdims, masked=True)


def mode(a: Any, axis: Any = 0, nan_policy: str = "propagate", keepdims: bool = False) -> ModeResult:
    """The most frequent value (the least of several) and its count. See `scipy.stats.mode`.

    >>> import cuproxide as cp
    >>> int(cp.scipy.stats.mode(cp.asarray([1, 2, 2, 3])).mode)
    2
    """

    def core(x: ndarray) -> ModeResult:
        n = x.shape[-1]
        if n == 0:
            return ModeResult(cp.full(x.shape[:-1], np.nan), cp.zeros(x.shape[:-1]))
        ordered = cp.sort(x, axis=-1)
        places = cp.broadcast_to(cp.arange(n), ordered.shape)
        same = ordered[..., 1:] == ordered[..., :-1]
        if x.dtype.kind == "f":
            same = same | (cp.isnan(ordered[..., 1:]) & cp.isnan(ordered[..., :-1]))
        starts = cp.concatenate([cp.ones((*x.shape[:-1], 1), dtype=bool), ~same], axis=-1)
        # The start of each run, carried along it; its length is largest at its end.
        first = _running_max(cp.where(starts, places, 0))
        length = places - first + 1
        best = cp.argmax(length, axis=-1)[..., None]
        value = cp.take_along_axis(ordered, best, axis=-1)[..., 0]
        count = cp.take_along_axis(length, best, axis=-1)[..., 0]
        return ModeResult(value, count)

    return run(core, [a], axis, nan_policy, keepdims, convert=False, spread_nan=False)


def _running_max(x: ndarray) -> ndarray:
    return np.maximum.accumulate(x, axis=-1)


# ------------------------------------------------------------------------------------------ scores


def zmap(scores: Any, compare: Any, axis: Any = 0, ddof: int = 0, nan_policy: str = "propagate") -> ndarray:
    """Scores in standard deviations from the mean of `compare`. See `scipy.stats.zmap`.

    >>> import cuproxide as cp
    >>> float(cp.scipy.stats.zmap(cp.asarray([4.0]), cp.asarray([1.0, 3.0]))[0])
    2.0
    """
    if nan_policy not in ("propagate", "raise", "omit"):
        raise ValueError("nan_policy must be one of {'propagate', 'raise', 'omit'}")
    a, scores = sample(compare), sample(scores)
    if a.size == 0:
        return cp.full(scores.shape, np.nan)
    if nan_policy == "raise" and bool(cp.isnan(a).any().item()):
        raise ValueError("The input contains nan values")
    if nan_policy == "omit":
        mean, deviation = cp.nanmean(a, axis=axis, keepdims=True), cp.nanstd(a, axis=axis, ddof=ddof, keepdims=True)
        constant = cp.nanmax(a, axis=axis, keepdims=True) == cp.nanmin(a, axis=axis, keepdims=True)
    else:
        mean, deviation = a.mean(axis=axis, keepdims=True), a.std(axis=axis, ddof=ddof, keepdims=True)
        constant = a.max(axis=axis, keepdims=True) == a.min(axis=axis, keepdims=True)
    if axis is None:
        mean, deviation, constant = (v.reshape(()) for v in (mean, deviation, constant))
    # A deviation that is rounding only counts as none.
    small = abs(mean) * np.finfo(a.dtype).eps * 0
    return (scores - mean) / cp.where(constant | (deviation <= small), np.nan, deviation)


def zscore(a: Any, axis: Any = 0, ddof: int = 0, nan_policy: str = "propagate") -> ndarray:
    """Elements in standard deviations from their mean. See `scipy.stats.zscore`.

    >>> import cuproxide as cp
    >>> cp.scipy.stats.zscore(cp.asarray([1.0, 3.0]))
    array([-1.,  1.])
    """
    return zmap(a, a, axis=axis, ddof=ddof, nan_policy=nan_policy)


def gzscore(a: Any, *, axis: Any = 0, ddof: int = 0, nan_policy: str = "propagate") -> ndarray:
    """The standard score of the logarithms. See `scipy.stats.gzscore`.

    >>> import cuproxide as cp
    >>> cp.scipy.stats.gzscore(cp.asarray([1.0, 4.0]))
    array([-1.,  1.])
    """
    return zscore(np.log(sample(a)), axis=axis, ddof=ddof, nan_policy=nan_policy)


def gstd(a: Any, axis: Any = 0, ddof: int = 1, *, keepdims: bool = False, nan_policy: str = "propagate") -> ndarray:
    """The geometric standard deviation. See `scipy.stats.gstd`.

    >>> import cuproxide as cp
    >>> round(float(cp.scipy.stats.gstd(cp.asarray([1.0, 4.0]), ddof=0)), 12)
    2.0
    """

    def core(x: ndarray, masks: Any = None) -> ndarray:
        mask = only(masks)
        logs = np.log(x if mask is None else cp.where(mask, x, 1))
        n = counted(x, mask)
        return np.exp(np.sqrt(central(logs, 2, mask) * n / (n - ddof)))

    return run(core, [a], axis, nan_policy, keepdims, masked=True)


# ------------------------------------------------------------------------------------------ robust estimates


def iqr(
    x: Any,
    axis: Any = None,
    rng: tuple[float, float] = (25, 75),
    scale: Any = 1.0,
    nan_policy: str = "propagate",
    interpolation: str = "linear",
    keepdims: bool = False,
) -> ndarray:
    """The distance between two percentiles. See `scipy.stats.iqr`.

    >>> import cuproxide as cp
    >>> float(cp.scipy.stats.iqr(cp.asarray([1.0, 2.0, 3.0, 4.0, 5.0])))
    2.0
    """
    if isinstance(scale, str):
        if scale.lower() != "normal":
            raise ValueError(f"{scale} not a valid scale for `iqr`")
        scale = 1.3489795003921634
    if len(rng) != 2:
        raise TypeError("quantile range must be two element sequence")
    low, high = sorted(rng)

    def core(y: ndarray) -> ndarray:
        ends = cp.percentile(y, cp.asarray([low, high], dtype=np.float64), axis=-1, method=interpolation)
        return (ends[1] - ends[0]) / scale

    return run(core, [x], axis, nan_policy, keepdims)


def median_abs_deviation(
    x: Any,
    axis: Any = 0,
    center: Any = None,
    scale: Any = 1.0,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> ndarray:
    """The median of the distances to the median. See `scipy.stats.median_abs_deviation`.

    >>> import cuproxide as cp
    >>> float(cp.scipy.stats.median_abs_deviation(cp.asarray([1.0, 2.0, 3.0, 4.0, 9.0])))
    1.0
    """
    if isinstance(scale, str):
        if scale.lower() != "normal":
            raise ValueError(f"{scale} is not a valid scale value.")
        scale = 0.6744897501960817
    center = cp.median if center is None else center

    def core(y: ndarray) -> ndarray:
        middle = center(y, axis=-1)
        return cp.median(abs(y - middle[..., None]), axis=-1) / scale

    return run(core, [x], axis, nan_policy, keepdims)


def trim_mean(
    a: Any, proportiontocut: float, axis: Any = 0, *, nan_policy: str = "propagate", keepdims: bool = False
) -> ndarray:
    """The mean without a share of the least and of the largest elements. See `scipy.stats.trim_mean`.

    >>> import cuproxide as cp
    >>> float(cp.scipy.stats.trim_mean(cp.asarray([0.0, 1.0, 2.0, 3.0, 100.0]), 0.2))
    2.0
    """

    def core(x: ndarray) -> ndarray:
        n = x.shape[-1]
        if n == 0:
            return cp.full(x.shape[:-1], np.nan)
        low = int(proportiontocut * n)
        high = n - low
        if low > high:
            raise ValueError("Proportion too big.")
        return cp.sort(x, axis=-1)[..., low:high].mean(axis=-1)

    return run(core, [a], axis, nan_policy, keepdims)


def trimboth(a: Any, proportiontocut: float, axis: int | None = 0) -> ndarray:
    """Elements without a share at both ends. See `scipy.stats.trimboth`.

    >>> import cuproxide as cp
    >>> cp.sort(cp.scipy.stats.trimboth(cp.arange(5), 0.2))
    array([1, 2, 3])
    """
    x = as_device(a)
    if x.size == 0:
        return x
    x, axis = (x.ravel(), 0) if axis is None else (x, axis)
    n = x.shape[axis]
    low = int(proportiontocut * n)
    if low >= n - low:
        raise ValueError("Proportion too big.")
    return cp.take(cp.sort(x, axis=axis), cp.arange(low, n - low), axis=axis)


def trim1(a: Any, proportiontocut: float, tail: str = "right", axis: int | None = 0) -> ndarray:
    """Elements without a share at one end. See `scipy.stats.trim1`.

    >>> import cuproxide as cp
    >>> cp.sort(cp.scipy.stats.trim1(cp.arange(5), 0.2))
    array([0, 1, 2, 3])
    """
    x = as_device(a)
    x, axis = (x.ravel(), 0) if axis is None else (x, axis)
    n = x.shape[axis]
    if proportiontocut >= 1:
        return x[:0]
    cut = int(proportiontocut * n)
    low, high = (0, n - cut) if tail.lower() == "right" else (cut, n)
    return cp.take(cp.sort(x, axis=axis), cp.arange(low, high), axis=axis)


def _within(x: ndarray, limits: Any, inclusive: Any) -> ndarray:
    keep = cp.ones(x.shape, dtype=bool)
    low, high = (None, None) if limits is None else limits
    if low is not None:
        keep = keep & ((x >= low) if inclusive[0] else (x > low))
    if high is not None:
        keep = keep & ((x <= high) if inclusive[1] else (x < high))
    return keep


def _trimmed(core: Any, a: Any, limits: Any, inclusive: Any, axis: Any, policy: str, keepdims: bool) -> Any:
    def inner(x: ndarray, masks: Any = None) -> Any:
        keep = _within(x, limits, inclusive)
        return core(x, keep if masks is None else keep & masks[0])

    return run(inner, [a], axis, policy, keepdims, masked=True)


def tmean(
    a: Any,
    limits: Any = None,
    inclusive: Any = (True, True),
    axis: Any = None,
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> ndarray:
    """The mean of the elements within limits. See `scipy.stats.tmean`.

    >>> import cuproxide as cp
    >>> float(cp.scipy.stats.tmean(cp.arange(5.0), (1, 3)))
    2.0
    """
    return _trimmed(averaged, a, limits, inclusive, axis, nan_policy, keepdims)


def _tvar(x: ndarray, keep: ndarray, ddof: int) -> ndarray:
    n = counted(x, keep)
    return central(x, 2, keep) * n / (n - ddof)


def tvar(
    a: Any,
    limits: Any = None,
    inclusive: Any = (True, True),
    axis: Any = 0,
    ddof: int = 1,
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> ndarray:
    """The variance of the elements within limits. See `scipy.stats.tvar`.

    >>> import cuproxide as cp
    >>> float(cp.scipy.stats.tvar(cp.arange(5.0), (1, 3)))
    1.0
    """
    return _trimmed(lambda x, keep: _tvar(x, keep, ddof), a, limits, inclusive, axis, nan_policy, keepdims)


def tstd(
    a: Any,
    limits: Any = None,
    inclusive: Any = (True, True),
    axis: Any = 0,
    ddof: int = 1,
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> ndarray:
    """The standard deviation of the elements within limits. See `scipy.stats.tstd`.

    >>> import cuproxide as cp
    >>> float(cp.scipy.stats.tstd(cp.arange(5.0), (1, 3)))
    1.0
    """
    return np.sqrt(tvar(a, limits, inclusive, axis, ddof, nan_policy=nan_policy, keepdims=keepdims))


def tsem(
    a: Any,
    limits: Any = None,
    inclusive: Any = (True, True),
    axis: Any = 0,
    ddof: int = 1,
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> ndarray:
    """The standard error of the mean of the elements within limits. See `scipy.stats.tsem`.

    >>> import cuproxide as cp
    >>> round(float(cp.scipy.stats.tsem(cp.arange(5.0), (1, 3))), 6)
    0.57735
    """

    def core(x: ndarray, keep: ndarray) -> ndarray:
        return np.sqrt(_tvar(x, keep, ddof) / counted(x, keep))

    return _trimmed(core, a, limits, inclusive, axis, nan_policy, keepdims)


def tmin(
    a: Any,
    lowerlimit: Any = None,
    axis: Any = 0,
    inclusive: bool = True,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> ndarray:
    """The least element from a limit on. See `scipy.stats.tmin`.

    >>> import cuproxide as cp
    >>> float(cp.scipy.stats.tmin(cp.arange(5.0), 2))
    2.0
    """

    def core(x: ndarray, keep: ndarray) -> ndarray:
        return cp.where(keep.any(axis=-1), cp.where(keep | cp.isnan(x), x, np.inf).min(axis=-1), np.nan)

    return _trimmed(core, a, (lowerlimit, None), (inclusive, True), axis, nan_policy, keepdims)


def tmax(
    a: Any,
    upperlimit: Any = None,
    axis: Any = 0,
    inclusive: bool = True,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> ndarray:
    """The largest element up to a limit. See `scipy.stats.tmax`.

    >>> import cuproxide as cp
    >>> float(cp.scipy.stats.tmax(cp.arange(5.0), 2))
    2.0
    """

    def core(x: ndarray, keep: ndarray) -> ndarray:
        return cp.where(keep.any(axis=-1), cp.where(keep | cp.isnan(x), x, -np.inf).max(axis=-1), np.nan)

    return _trimmed(core, a, (None, upperlimit), (True, inclusive), axis, nan_policy, keepdims)


SigmaclipResult = namedtuple("SigmaclipResult", ["clipped", "lower", "upper"])


def sigmaclip(a: Any, low: float = 4.0, high: float = 4.0, *, nan_policy: str = "propagate") -> SigmaclipResult:
    """Elements within so many deviations of their mean, until none is outside. See `scipy.stats.sigmaclip`.

    >>> import cuproxide as cp
    >>> cp.scipy.stats.sigmaclip(cp.asarray([1.0, 2.0, 3.0, 100.0]), 1.5, 1.5).clipped
    array([1., 2., 3.])
    """
    c = as_device(a).ravel()
    if nan_policy == "omit":
        c = c[~cp.isnan(c)]
    while True:
        deviation, mean, size = c.std(), c.mean(), c.size
        lower, upper = mean - deviation * low, mean + deviation * high
        c = c[(c >= lower) & (c <= upper)]
        if c.size == size:
            return SigmaclipResult(c, lower, upper)


# ------------------------------------------------------------------------------------------ entropy, k-statistics


def entropy(
    pk: Any,
    qk: Any = None,
    base: float | None = None,
    axis: Any = 0,
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> ndarray:
    """Shannon's entropy of frequencies, or the relative entropy to others. See `scipy.stats.entropy`.

    >>> import cuproxide as cp
    >>> float(cp.scipy.stats.entropy(cp.asarray([1, 1]), base=2))
    1.0
    """
    if base is not None and base <= 0:
        raise ValueError("`base` must be a positive number or `None`.")
    special = cp.scipy.special

    def core(p: ndarray, q: Any = None, masks: Any = None) -> ndarray:
        p = p / p.sum(axis=-1, keepdims=True)
        terms = special.entr(p) if q is None else special.rel_entr(p, q / q.sum(axis=-1, keepdims=True))
        total = summed(terms, only(masks))
        return total if base is None else total / np.log(base)

    return run(core, [pk] if qk is None else [pk, qk], axis, nan_policy, keepdims, paired=True, masked=True)


def differential_entropy(
    values: Any,
    *,
    window_length: int | None = None,
    base: float | None = None,
    axis: Any = 0,
    method: str = "auto",
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> ndarray:
    """The entropy of the density that a sample comes from. See `scipy.stats.differential_entropy`.

    >>> import cuproxide as cp
    >>> bool(abs(cp.scipy.stats.differential_entropy(cp.linspace(0, 1, 1000))) < 0.05)
    True
    """
    if base is not None and base <= 0:
        raise ValueError("`base` must be a positive number or `None`.")
    if method not in ("vasicek", "van es", "ebrahimi", "correa", "auto"):
        raise ValueError(
            f"`method` must be one of {{'vasicek', 'van es', 'correa', 'ebrahimi', 'auto'}}, got {method!r}"
        )

    def core(x: ndarray) -> ndarray:
        n = x.shape[-1]
        m = math.floor(math.sqrt(n) + 0.5) if window_length is None else window_length
        if not 2 <= 2 * m < n:
            raise ValueError(f"Window length ({m}) must be positive and less than half the sample size ({n}).")
        ordered = cp.sort(x, axis=-1)
        how = method
        if how == "auto":
            how = "van es" if n <= 10 else "ebrahimi" if n <= 1000 else "vasicek"
        value = _ENTROPIES[how](ordered, m, n)
        return value if base is None else value / np.log(base)

    return run(core, [values], axis, nan_policy, keepdims)


def _padded(x: ndarray, m: int) -> ndarray:
    n = x.shape[-1]
    places = np.clip(np.arange(-m, n + m), 0, n - 1)
    return cp.take(x, cp.asarray(places), axis=-1)


def _vasicek(x: ndarray, m: int, n: int) -> ndarray:
    wide = _padded(x, m)
    return np.log(n / (2 * m) * (wide[..., 2 * m :] - wide[..., : -2 * m])).mean(axis=-1)


def _van_es(x: ndarray, m: int, n: int) -> ndarray:
    difference = x[..., m:] - x[..., :-m]
    k = np.arange(m, n + 1)
    return (
        1 / (n - m) * np.log((n + 1) / m * difference).sum(axis=-1) + float(np.sum(1 / k)) + np.log(m) - np.log(n + 1)
    )


def _ebrahimi(x: ndarray, m: int, n: int) -> ndarray:
    wide = _padded(x, m)
    i = np.arange(1, n + 1, dtype=float)
    weight = np.where(i <= m, 1 + (i - 1) / m, np.where(i >= n - m + 1, 1 + (n - i) / m, 2.0))
    return np.log(n * (wide[..., 2 * m :] - wide[..., : -2 * m]) / cp.asarray(weight * m)).mean(axis=-1)


def _correa(x: ndarray, m: int, n: int) -> ndarray:
    wide = _padded(x, m)
    windows = cp.lib.stride_tricks.sliding_window_view(wide, 2 * m + 1, axis=-1)
    centred = windows - windows.mean(axis=-1, keepdims=True)
    j = cp.arange(-m, m + 1, dtype=x.dtype)
    top = (centred * j).sum(axis=-1)
    return -np.log(top / (n * (centred**2).sum(axis=-1))).mean(axis=-1)


_ENTROPIES = {"vasicek": _vasicek, "van es": _van_es, "ebrahimi": _ebrahimi, "correa": _correa}


def kstat(data: Any, n: int = 2, *, axis: Any = None, nan_policy: str = "propagate", keepdims: bool = False) -> ndarray:
    """The k-statistic of an order from 1 to 4: the unbiased estimate of a cumulant. See `scipy.stats.kstat`.

    >>> import cuproxide as cp
    >>> float(cp.scipy.stats.kstat(cp.asarray([1.0, 2.0, 3.0])))
    1.0
    """
    if n not in (1, 2, 3, 4):
        raise ValueError("k-statistics only supported for 1<=n<=4")

    def core(x: ndarray, masks: Any = None) -> ndarray:
        mask = only(masks)
        count = counted(x, mask)
        if n == 1:
            return averaged(x, mask)
        m2 = central(x, 2, mask)
        if n == 2:
            return m2 * count / (count - 1)
        if n == 3:
            return central(x, 3, mask) * count**2 / ((count - 1) * (count - 2))
        top = count**2 * ((count + 1) * central(x, 4, mask) - 3 * (count - 1) * m2 * m2)
        return top / ((count - 1) * (count - 2) * (count - 3))

    return run(core, [data], axis, nan_policy, keepdims, masked=True)


def kstatvar(
    data: Any, n: int = 2, *, axis: Any = None, nan_policy: str = "propagate", keepdims: bool = False
) -> ndarray:
    """An unbiased estimate of the variance of a k-statistic of order 1 or 2. See `scipy.stats.kstatvar`.

    >>> import cuproxide as cp
    >>> round(float(cp.scipy.stats.kstatvar(cp.asarray([1.0, 2.0, 3.0]), 1)), 6)
    0.333333
    """
    if n not in (1, 2):
        raise ValueError("Only n=1 or n=2 supported.")
    x = sample(data)
    count = x.size if axis is None else math.prod(x.shape[i] for i in (axis if isinstance(axis, tuple) else (axis,)))
    k2 = kstat(x, 2, axis=axis, nan_policy=nan_policy, keepdims=keepdims)
    if n == 1:
        return k2 / count
    k4 = kstat(x, 4, axis=axis, nan_policy=nan_policy, keepdims=keepdims)
    return (2 * count * k2**2 + (count - 1) * k4) / (count * (count + 1))


def lmoment(
    sample_: Any,
    order: Any = None,
    *,
    axis: Any = 0,
    sorted: bool = False,
    standardize: bool = True,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> ndarray:
    """L-moments of a sample. See `scipy.stats.lmoment`.

    >>> import cuproxide as cp
    >>> round(float(cp.scipy.stats.lmoment(cp.asarray([1.0, 2.0, 3.0]), 2)), 6)
    0.666667
    """
    wanted = np.atleast_1d([1, 2, 3, 4] if order is None else order)
    if np.any(wanted != np.round(wanted)) or np.any(wanted <= 0):
        raise ValueError("`order` must be a scalar or a non-empty array of positive integers.")
    wanted = wanted.astype(int)

    def core(x: ndarray) -> Any:
        n = x.shape[-1]
        ordered = x if sorted else cp.sort(x, axis=-1)
        most = int(wanted.max()) if not standardize else max(int(wanted.max()), 2)
        j = np.arange(n, dtype=float)
        weights, bks = np.ones(n) / n, []
        for r in range(most):
            if r:
                weights = weights * (j - r + 1) / (n - r) if n > r else np.full(n, np.nan)
            bks.append((ordered * cp.asarray(weights, dtype=x.dtype)).sum(axis=-1))
        moments = []
        for r in range(most):
            total: Any = 0.0
            for i in range(r + 1):
                total = total + (-1) ** (r - i) * math.comb(r, i) * math.comb(r + i, i) * bks[i]
            moments.append(total)
        if standardize:
            moments = [m / moments[1] if i >= 2 else m for i, m in enumerate(moments)]
        picked = [moments[w - 1] for w in wanted]
        return picked[0] if np.ndim(order) == 0 and order is not None else tuple(picked)

    result = run(core, [sample_], axis, nan_policy, keepdims)
    return cp.stack(list(result)) if isinstance(result, tuple) else result


def expectile(a: Any, alpha: float = 0.5, *, weights: Any = None) -> ndarray:
    """The expectile of a level: the minimum of asymmetric squares. See `scipy.stats.expectile`.

    >>> import cuproxide as cp
    >>> round(float(cp.scipy.stats.expectile(cp.asarray([1.0, 2.0, 3.0]))), 12)
    2.0
    """
    if not 0 <= alpha <= 1:
        raise ValueError("The expectile level alpha must be in the range [0, 1].")
    x = sample(a).ravel()
    w = cp.ones(x.shape) if weights is None else sample(weights).ravel()
    # A fixed point of weighted means, which is reached after finitely many steps.
    value = to_float((x * w).sum() / w.sum())
    for _ in range(100):
        sides = w * cp.where(x > value, alpha, 1 - alpha)
        after = to_float((x * sides).sum() / sides.sum())
        if after == value or abs(after - value) < 1e-15 * abs(value):
            break
        value = after
    return cp.asarray(value)


__all__ = [
    "describe", "differential_entropy", "entropy", "expectile", "gmean", "gstd", "gzscore", "hmean", "iqr", "kstat",
    "kstatvar", "kurtosis", "lmoment", "median_abs_deviation", "mode", "moment", "pmean", "sem", "sigmaclip", "skew",
    "tmax", "tmean", "tmin", "trim1", "trim_mean", "trimboth", "tsem", "tstd", "tvar", "variation", "zmap", "zscore",
]  # fmt: skip
