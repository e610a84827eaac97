"""Summaries of samples: means, moments, scores, trimmed and robust estimates."""

from __future__ import annotations

import math
import warnings
from collections import namedtuple
from collections.abc import Sequence
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray, reads_at_once
from ..._lib.arguments import as_device
from ..._lib.conversions import normalize_axis_tuple
from ._axis import (
    TOO_SMALL,
    TOO_SMALL_ROWS,
    SmallSampleWarning,
    averaged,
    central,
    counted,
    only,
    run,
    sample,
    spread,
    summed,
    together,
    warn_of_cancellation,
)
from ._common import holds, renamed

DescribeResult = namedtuple("DescribeResult", ["nobs", "minmax", "mean", "variance", "skewness", "kurtosis"])
ModeResult = namedtuple("ModeResult", ["mode", "count"])


def _tiny(x: ndarray, second: ndarray, mean: ndarray) -> ndarray:
    """Whether the second moment is rounding only: then ratios of moments mean nothing."""
    return abs(second) <= abs(cp.finfo(x.dtype).resolution * mean) ** 2


def _moment(x: ndarray, order: Any = 1, center: Any = None, masks: Any = None) -> Any:
    mask = only(masks)
    if np.ndim(order):
        return cp.stack([_moment(x, o, center, masks) for o in np.asarray(order).tolist()])
    if int(order) != order:
        raise ValueError("All elements of `order` must be integral.")
    order = int(order)
    if order == 0:
        ones = cp.ones(x.shape[:-1], dtype=x.dtype)
        return ones if mask is not None else cp.where(cp.isnan(x).any(axis=-1), np.asarray(np.nan, x.dtype)[()], ones)
    if order == 1 and center is None:
        return averaged(x, mask) * 0
    mean = averaged(x, mask) if center is None else cp.broadcast_to(cp.asarray(center, dtype=x.dtype), x.shape[:-1])
    value = central(x, order, mask, mean)
    if order > 1:
        # The power mean of an even or odd order bounds the variance, as far as the warning needs one.
        warn_of_cancellation(x, abs(value) ** (2 / order), mean, mask)
    return value


@renamed("moment", "order")
def moment(
    a: Any, order: Any = 1, axis: Any = 0, nan_policy: str = "propagate", *, center: Any = None, keepdims: bool = False
) -> ndarray:
    """The moment of an order about the mean, or about `center`.

    Parameters
    ----------
    order : int or sequence of int
        The orders of the moments.
    center : array_like, optional
        The point around which moments are taken, by default the mean.

    >>> float(cp.scipy.stats.moment(cp.asarray([1.0, 2.0, 3.0, 4.0, 5.0]), order=2))
    2.0
    """

    if np.ndim(order) > 1 or np.size(order) == 0:
        raise ValueError("`order` must be a scalar or a non-empty 1D array.")

    def nothing(v: ndarray) -> ndarray:
        return v if np.ndim(order) == 0 else cp.stack([v] * len(order))

    options = {"masked": True, "nothing": nothing, "order": order, "center": center}
    return run(_moment, [a], axis, nan_policy, keepdims, **options)


def _skew(x: ndarray, bias: bool, masks: Any = None) -> ndarray:
    mask = only(masks)
    n, mean = counted(x, mask), averaged(x, mask)
    m2, m3 = central(x, 2, mask, mean), central(x, 3, mask, mean)
    warn_of_cancellation(x, m2, mean, mask)
    value = cp.where(_tiny(x, m2, mean), np.nan, m3 / m2**1.5)
    if not bias:
        better = np.sqrt((n - 1.0) * n) / (n - 2.0) * m3 / m2**1.5
        value = cp.where((n > 2) & ~_tiny(x, m2, mean), better, value)
    return value


def skew(a: Any, axis: Any = 0, bias: bool = True, nan_policy: str = "propagate", *, keepdims: bool = False) -> ndarray:
    """The skewness of a sample.

    >>> float(cp.scipy.stats.skew(cp.asarray([1.0, 2.0, 3.0, 4.0, 5.0])))
    0.0
    """
    return run(_skew, [a], axis, nan_policy, keepdims, masked=True, bias=bias)


def _kurtosis(x: ndarray, fisher: bool, bias: bool, masks: Any = None) -> ndarray:
    mask = only(masks)
    n, mean = counted(x, mask), averaged(x, mask)
    m2, m4 = central(x, 2, mask, mean), central(x, 4, mask, mean)
    warn_of_cancellation(x, m2, mean, mask)
    value = cp.where(_tiny(x, m2, mean), np.nan, m4 / m2**2)
    if not bias:
        better = 1.0 / (n - 2) / (n - 3) * ((n**2 - 1.0) * m4 / m2**2 - 3 * (n - 1) ** 2) + 3.0
        value = cp.where((n > 3) & ~_tiny(x, m2, mean), better, value)
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
    """The kurtosis of a sample, 0 for a normal one if `fisher`.

    Parameters
    ----------
    fisher : bool
        Whether 3 is taken off, so that normal numbers have 0.

    >>> float(cp.scipy.stats.kurtosis(cp.asarray([1.0, 2.0, 3.0, 4.0, 5.0])))
    -1.3
    """
    return run(_kurtosis, [a], axis, nan_policy, keepdims, masked=True, fisher=fisher, bias=bias)


def describe(a: Any, axis: Any = 0, ddof: int = 1, bias: bool = True, nan_policy: str = "propagate") -> DescribeResult:
    """Number, extrema, mean, variance, skewness and kurtosis of a sample.

    >>> float(cp.scipy.stats.describe(cp.arange(5.0)).mean)
    2.0
    """
    x = cp.atleast_1d(as_device(a))
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

    count, low, high, mean, v, s, kurt = run(core, [values], axis, nan_policy, masked=True, nothing=lambda v: (v,) * 7)
    if isinstance(count, ndarray):
        # Samples of which nothing counts have no elements.
        n = cp.where(cp.isnan(count), 0, count).astype(np.int64)
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
    """The geometric mean.

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
    """The harmonic mean; NaN where elements are negative.

    >>> float(cp.scipy.stats.hmean(cp.asarray([1.0, 4.0])))
    1.6
    """
    result = _mean_of(a, axis, dtype, weights, nan_policy, keepdims, _inverse_of_positive, lambda m: 1.0 / m)
    _warn_of_negatives("harmonic", a, result)
    return result


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
    """The power mean of exponent `p`.

    Parameters
    ----------
    p : float
        The exponent.

    >>> round(float(cp.scipy.stats.pmean(cp.asarray([1.0, 4.0]), 2)), 6)
    2.915476
    """
    if not isinstance(p, (int, float, np.number)):
        raise ValueError(f"Power mean only defined for an exponent `p` that is a number, not {p!r}.")
    if math.isinf(p):
        raise NotImplementedError("Power mean only implemented for finite `p`")
    if p == 0:
        return gmean(a, axis=axis, dtype=dtype, weights=weights, nan_policy=nan_policy, keepdims=keepdims)

    def into(x: ndarray) -> ndarray:
        return cp.where(x < 0, np.nan, x ** float(p))

    result = _mean_of(a, axis, dtype, weights, nan_policy, keepdims, into, lambda m: m ** (1 / p))
    _warn_of_negatives("power", a, result)
    return result


def _warn_of_negatives(kind: str, a: Any, result: ndarray) -> None:
    """SciPy's warning of elements that have no mean of this kind, if a look at them costs no wait."""
    if reads_at_once(result) and not holds(~(as_device(a) < 0)):
        warnings.warn(
            f"The {kind} mean is only defined if all elements are non-negative; otherwise, the result is NaN.",
            RuntimeWarning,
            stacklevel=3,
        )


def _mean_of(a: Any, axis: Any, dtype: Any, weights: Any, policy: str, keepdims: bool, into: Any, back: Any) -> ndarray:
    x = as_device(a) if dtype is None else as_device(a).astype(dtype)

    def core(y: ndarray, w: Any = None, masks: Any = None) -> ndarray:
        mask = only(masks)
        with np.errstate(all="ignore"):
            terms = into(y if mask is None else cp.where(mask, y, 1))
            if w is None:
                return back(averaged(terms, mask))
            return back(summed(terms * w, mask) / summed(w, mask))

    return run(core, [x] if weights is None else [x, weights], axis, policy, keepdims, paired=True, masked=True)


def sem(a: Any, axis: Any = 0, ddof: int = 1, nan_policy: str = "propagate", *, keepdims: bool = False) -> ndarray:
    """The standard error of the mean.

    >>> round(float(cp.scipy.stats.sem(cp.asarray([1.0, 2.0, 3.0]))), 6)
    0.57735
    """

    def core(x: ndarray, masks: Any = None) -> ndarray:
        n = counted(x, only(masks))
        return np.sqrt(spread(x, only(masks)) * n / cp.maximum(n - ddof, 0) / n)

    def few(counts: Sequence[Any]) -> Any:
        # Of a row of one element the deviation is 0 or NaN by `ddof`.
        (n,) = counts
        return n <= (1 if axis is None or isinstance(n, ndarray) or x.ndim < 2 else 0)

    x = as_device(a)
    return run(core, [x], axis, nan_policy, keepdims, masked=True, too_small=few)


def variation(
    a: Any, axis: Any = 0, nan_policy: str = "propagate", ddof: int = 0, *, keepdims: bool = False
) -> ndarray:
    """The coefficient of variation: deviation by mean.

    >>> round(float(cp.scipy.stats.variation(cp.asarray([1.0, 2.0, 3.0]))), 6)
    0.408248
    """

    def core(x: ndarray, masks: Any = None) -> ndarray:
        mask = only(masks)
        n = counted(x, mask)
        # Fewer than no degrees of freedom are NaN, also where nothing deviates.
        free = cp.where(n < ddof, np.nan, n - ddof) if isinstance(n, ndarray) else n - ddof if n >= ddof else np.nan
        return np.sqrt(central(x, 2, mask) * n / free) / averaged(x, mask)

    return run(core, [a], axis, nan_policy, keepdims, masked=True, real=True)


def mode(a: Any, axis: Any = 0, nan_policy: str = "propagate", keepdims: bool = False) -> ModeResult:
    """The most frequent value (the least of several) and its count.

    >>> int(cp.scipy.stats.mode(cp.asarray([1, 2, 2, 3])).mode)
    2
    """

    a = as_device(a)
    if a.dtype.kind not in "iufc":
        raise TypeError("Argument `a` is not recognized as numeric.")

    def core(x: ndarray, masks: Any = None) -> ModeResult:
        n = x.shape[-1]
        ordered = cp.sort(x if masks is None else cp.where(masks[0], x, np.nan), axis=-1)
        places = cp.broadcast_to(cp.arange(n), ordered.shape)
        same = ordered[..., 1:] == ordered[..., :-1]
        if x.dtype.kind == "f" and masks is None:
            same = same | (cp.isnan(ordered[..., 1:]) & cp.isnan(ordered[..., :-1]))
        starts = cp.concatenate([cp.ones((*x.shape[:-1], 1), dtype=bool), ~same], axis=-1)
        # The start of each run, carried along it; its length is largest at its end.
        first = _running_max(cp.where(starts, places, 0))
        length = places - first + 1
        best = cp.argmax(length, axis=-1)[..., None]
        value = cp.take_along_axis(ordered, best, axis=-1)[..., 0]
        count = cp.take_along_axis(length, best, axis=-1)[..., 0]
        return ModeResult(value, count)

    options = {"convert": False, "spread_nan": False, "masked": True, "too_small": 0}
    result = run(
        core, [a], axis, nan_policy, keepdims, nothing=lambda v: ModeResult(v, 0 * cp.nan_to_num(v)), **options
    )
    # What is not there occurs no time.
    if result.count.dtype.kind == "f":
        return ModeResult(result.mode, cp.nan_to_num(result.count).astype(np.int64))
    return result


def _running_max(x: ndarray) -> ndarray:
    return cp.maximum.accumulate(x, axis=-1)


# ------------------------------------------------------------------------------------------ scores


def zmap(scores: Any, compare: Any, axis: Any = 0, ddof: int = 0, nan_policy: str = "propagate") -> ndarray:
    """Scores in standard deviations from the mean of `compare`.

    Parameters
    ----------
    scores : array_like
        The samples.
    compare : array_like
        The samples that give mean and deviation.

    >>> float(cp.scipy.stats.zmap(cp.asarray([4.0]), cp.asarray([1.0, 3.0]))[0])
    2.0
    """
    # Scores of a sample in itself are no numbers where its deviation is rounding; of another sample they are infinite.
    itself = scores is compare
    given = np.result_type(as_device(scores).dtype, as_device(compare).dtype)
    a, scores = together([compare, scores])
    if axis is not None:
        normalize_axis_tuple(axis, a.ndim)
    if a.size == 0:
        if not itself:
            flat = a.ndim == 1 or axis is None
            warnings.warn(TOO_SMALL if flat else TOO_SMALL_ROWS, SmallSampleWarning, stacklevel=2)
        return cp.full(scores.shape, np.nan)

    def core(x: ndarray, masks: Any = None) -> Any:
        mask = only(masks)
        mean, variance = _mean_and_variance(x, ddof, mask)
        low, high = (x, x) if mask is None else (cp.where(mask, x, np.inf), cp.where(mask, x, -np.inf))
        # Equal elements differ from their mean by its rounding only.
        return mean, np.sqrt(cp.where(high.max(axis=-1) == low.min(axis=-1), 0 * variance, variance))

    # Warn of an empty sample only if it is not the scores themselves.
    mean, deviation = run(core, [a], axis, nan_policy, keepdims=True, masked=True, too_small=-1 if itself else 0)
    if itself:
        deviation = cp.where(deviation <= cp.finfo(a.dtype).eps * abs(mean), np.nan, deviation)
    result = (scores - mean) / deviation
    # With `axis=None` a number is a sample.
    result = result.reshape(()) if scores.ndim == a.ndim == 0 else result
    # An integer sample beside narrow complex scores is averaged in double precision.
    return result.astype(given, copy=False) if given.kind == "c" else result


def _mean_and_variance(x: ndarray, ddof: int, mask: ndarray | None) -> tuple[ndarray, ndarray]:
    n, mean = counted(x, mask), averaged(x, mask)
    distance = abs(x - mean[..., None])
    variance = averaged(distance * distance, mask)
    warn_of_cancellation(x, variance, mean, mask)
    # As many degrees of freedom as elements leave 0 / 0. Without a mask, the host knows how many there are.
    if mask is None:
        freedom = n - ddof if n > ddof else np.float64(np.nan)
    else:
        freedom = cp.where(n > ddof, n - ddof, np.nan)
    return mean, (variance * n / freedom).astype(variance.dtype, copy=False)


def zscore(a: Any, axis: Any = 0, ddof: int = 0, nan_policy: str = "propagate") -> ndarray:
    """Elements in standard deviations from their mean.

    >>> cp.scipy.stats.zscore(cp.asarray([1.0, 3.0]))
    array([-1.,  1.])
    """
    return zmap(a, a, axis=axis, ddof=ddof, nan_policy=nan_policy)


def gzscore(a: Any, *, axis: Any = 0, ddof: int = 0, nan_policy: str = "propagate") -> ndarray:
    """The standard score of the logarithms.

    >>> cp.scipy.stats.gzscore(cp.asarray([1.0, 4.0]))
    array([-1.,  1.])
    """
    return zscore(np.log(sample(a)), axis=axis, ddof=ddof, nan_policy=nan_policy)


def gstd(a: Any, axis: Any = 0, ddof: int = 1, *, keepdims: bool = False, nan_policy: str = "propagate") -> ndarray:
    """The geometric standard deviation.

    >>> round(float(cp.scipy.stats.gstd(cp.asarray([1.0, 4.0]), ddof=0)), 12)
    2.0
    """

    a = sample(a)
    if axis is not None:
        normalize_axis_tuple(axis, a.ndim)

    def core(x: ndarray, masks: Any = None) -> ndarray:
        mask = only(masks)
        logs = np.log(x if mask is None else cp.where(mask, x, 1))
        return cp.exp(cp.sqrt(_mean_and_variance(logs, ddof, mask)[1].astype(x.dtype, copy=False)))

    result = run(core, [a], axis, nan_policy, keepdims, masked=True)
    if reads_at_once(result) and not holds(~(a <= 0)):
        warnings.warn(
            "The geometric standard deviation is only defined if all elements are greater than or equal to zero; "
            "otherwise, the result is NaN.",
            RuntimeWarning,
            stacklevel=2,
        )
    return result


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
    """The distance between two percentiles.

    Parameters
    ----------
    rng : pair of float
        The percentiles.
    interpolation : str
        How values between elements are found.

    >>> float(cp.scipy.stats.iqr(cp.asarray([1.0, 2.0, 3.0, 4.0, 5.0])))
    2.0
    """
    if isinstance(scale, str):
        if scale.lower() != "normal":
            raise ValueError(f"{scale} not a valid scale for `iqr`")
        scale = 1.3489795003921634
    if len(rng) != 2:
        raise TypeError("quantile range must be two element sequence")
    if as_device(x).dtype.kind in "bc":
        raise ValueError("`x` must have real dtype.")
    if any(np.isnan(v) for v in rng):
        raise ValueError("`rng` must not contain NaNs.")
    if min(rng) < 0 or max(rng) > 100:
        raise ValueError("Elements of `rng` must be in the range [0, 100].")
    low, high = sorted(rng)

    def core(y: ndarray, masks: Any = None) -> ndarray:
        find, y = (cp.percentile, y) if masks is None else (cp.nanpercentile, cp.where(masks[0], y, np.nan))
        ends = find(y, cp.asarray([low, high], dtype=np.float64), axis=-1, method=interpolation)
        return (ends[1] - ends[0]) / scale

    return run(core, [x], axis, nan_policy, keepdims, masked=True, spread_nan=True)


def median_abs_deviation(
    x: Any,
    axis: Any = 0,
    center: Any = None,
    scale: Any = 1.0,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> ndarray:
    """The median of the distances to the median.

    Parameters
    ----------
    center : callable, optional
        What gives the centre.

    >>> float(cp.scipy.stats.median_abs_deviation(cp.asarray([1.0, 2.0, 3.0, 4.0, 9.0])))
    1.0
    """
    if isinstance(scale, str):
        if scale.lower() != "normal":
            raise ValueError(f"{scale} is not a valid scale value.")
        scale = 0.6744897501960817
    if center is not None and not callable(center):
        raise TypeError(f"The argument 'center' must be callable. The given value {center!r} is not callable.")

    def core(y: ndarray, masks: Any = None) -> ndarray:
        if masks is not None:
            y = cp.where(masks[0], y, np.nan)
            return cp.nanmedian(abs(y - cp.nanmedian(y, axis=-1)[..., None]), axis=-1) / scale
        middle = cp.median(y, axis=-1) if center is None else center(y, axis=-1)
        return cp.median(abs(y - middle[..., None]), axis=-1) / scale

    return run(core, [x], axis, nan_policy, keepdims, masked=center is None, spread_nan=True)


__all__ = [
    "describe", "gmean", "gstd", "gzscore", "hmean", "iqr", "kurtosis", "median_abs_deviation", "mode", "moment",
    "pmean", "sem", "skew", "variation", "zmap", "zscore",
]  # fmt: skip
