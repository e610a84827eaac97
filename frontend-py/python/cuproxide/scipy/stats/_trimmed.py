"""Statistics of samples without their extreme elements."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device
from ._axis import averaged, counted, run, spread, warn_of_cancellation
from ._common import check_policy, holds, refuse_nan


def trim_mean(
    a: Any, proportiontocut: float, axis: Any = 0, *, nan_policy: str = "propagate", keepdims: bool = False
) -> ndarray:
    """The mean without a share of the least and of the largest elements.

    >>> float(cp.scipy.stats.trim_mean(cp.asarray([0.0, 1.0, 2.0, 3.0, 100.0]), 0.2))
    2.0
    """

    def core(x: ndarray, masks: Any = None) -> ndarray:
        n = x.shape[-1]
        low = int(proportiontocut * n)
        if low > n - low:
            raise ValueError("Proportion too big.")
        if low < 0:
            raise ValueError(f"`proportiontocut` must not be negative, but is {proportiontocut!r}.")
        if masks is not None:
            return trimmed_mean(x, proportiontocut, masks[0])
        return averaged(cp.sort(x, axis=-1)[..., low : n - low], None)

    return run(core, [a], axis, nan_policy, keepdims, masked=True, spread_nan=True)


def trimmed_mean(x: ndarray, proportiontocut: float, mask: ndarray) -> ndarray:
    """The trimmed mean of what counts along the last axis."""
    n = mask.sum(axis=-1, keepdims=True)
    low = cp.trunc(proportiontocut * n)
    i = cp.arange(x.shape[-1])
    return averaged(cp.sort(cp.where(mask, x, np.nan), axis=-1), (i >= low) & (i < n - low))


def trimboth(a: Any, proportiontocut: float, axis: int | None = 0) -> ndarray:
    """Elements without a share at both ends.

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
    if low < 0:
        raise ValueError(f"`proportiontocut` must not be negative, but is {proportiontocut!r}.")
    return cp.take(cp.sort(x, axis=axis), cp.arange(low, n - low), axis=axis)


def trim1(a: Any, proportiontocut: float, tail: str = "right", axis: int | None = 0) -> ndarray:
    """Elements without a share at one end.

    Parameters
    ----------
    tail : {'right', 'left'}
        The end.

    >>> cp.sort(cp.scipy.stats.trim1(cp.arange(5), 0.2))
    array([0, 1, 2, 3])
    """
    x = as_device(a)
    x, axis = (x.ravel(), 0) if axis is None else (x, axis)
    n = x.shape[axis]
    if proportiontocut >= 1:
        return x[:0]
    if not proportiontocut >= 0:
        raise ValueError(f"`proportiontocut` must not be negative, but is {proportiontocut!r}.")
    cut = int(proportiontocut * n)
    if tail.lower() not in ("right", "left"):
        raise ValueError(f"`tail` must be 'right' or 'left', not {tail!r}.")
    low, high = (0, n - cut) if tail.lower() == "right" else (cut, n)
    return cp.take(cp.sort(x, axis=axis), cp.arange(low, high), axis=axis)


def _within(x: ndarray, limits: Any, inclusive: Any) -> ndarray:
    keep = cp.ones(x.shape, dtype=bool)
    if limits is None:
        return keep
    (low, high), (with_low, with_high) = limits, inclusive
    if low is not None:
        keep = keep & ((x >= low) if with_low else (x > low))
    if high is not None:
        keep = keep & ((x <= high) if with_high else (x < high))
    return keep


def _trimmed(core: Any, a: Any, limits: Any, inclusive: Any, axis: Any, policy: str, keepdims: bool) -> Any:
    """`core(x, keep, whole)`: `keep` marks elements within the limits, `whole` rows without an element outside them."""

    def inner(x: ndarray, masks: Any = None) -> Any:
        keep = _within(x, limits, inclusive)
        if limits is not None and x.size:
            # NaN lies within all limits; of rows with gaps each must have elements, of others one of them.
            found = (
                (keep | cp.isnan(x)).any() if masks is None else ((keep & masks[0]).any(-1) | ~masks[0].any(-1)).all()
            )
            if not bool(found):
                raise ValueError("No array values within given limits")
        if masks is None:
            return core(x, keep, keep.all(axis=-1))
        return core(x, keep & masks[0], (keep | ~masks[0]).all(axis=-1))

    return run(inner, [a], axis, policy, keepdims, masked=True, spread_nan=True)


def _in_own_type(extreme: ndarray, a: Any) -> ndarray:
    """The extremes of integers as integers, unless a row has none within the limits."""
    kind = as_device(a).dtype
    if kind.kind not in "iub" or not holds(~cp.isnan(extreme)):
        return extreme
    return extreme.astype(kind)


def tmean(
    a: Any,
    limits: Any = None,
    inclusive: Any = (True, True),
    axis: Any = None,
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> ndarray:
    """The mean of the elements within limits.

    >>> float(cp.scipy.stats.tmean(cp.arange(5.0), (1, 3)))
    2.0
    """
    return _trimmed(lambda x, keep, whole: averaged(x, keep), a, limits, inclusive, axis, nan_policy, keepdims)


def _tvar(x: ndarray, keep: ndarray, whole: ndarray, ddof: int) -> ndarray:
    n, mean = counted(x, keep), averaged(x, keep)
    variance = spread(x, keep, mean).astype(x.dtype, copy=False)
    # As in SciPy, rows that the limits cut are not warned of.
    warn_of_cancellation(x, cp.where(whole, variance, np.nan), mean, keep)
    # No degrees of freedom, no estimate: not one below 0.
    return variance * n / cp.where(n > ddof, n - ddof, np.nan)


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
    """The variance of the elements within limits.

    >>> float(cp.scipy.stats.tvar(cp.arange(5.0), (1, 3)))
    1.0
    """
    return _trimmed(
        lambda x, keep, whole: _tvar(x, keep, whole, ddof), a, limits, inclusive, axis, nan_policy, keepdims
    )


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
    """The standard deviation of the elements within limits.

    >>> float(cp.scipy.stats.tstd(cp.arange(5.0), (1, 3)))
    1.0
    """

    def core(x: ndarray, keep: ndarray, whole: ndarray) -> ndarray:
        return cp.sqrt(_tvar(x, keep, whole, ddof))

    return _trimmed(core, a, limits, inclusive, axis, nan_policy, keepdims)


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
    """The standard error of the mean of the elements within limits.

    >>> round(float(cp.scipy.stats.tsem(cp.arange(5.0), (1, 3))), 6)
    0.57735
    """

    def core(x: ndarray, keep: ndarray, whole: ndarray) -> ndarray:
        return np.sqrt(_tvar(x, keep, whole, ddof) / counted(x, keep))

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
    """The least element from a limit on.

    Parameters
    ----------
    lowerlimit : float, optional
        The least value that counts.

    >>> float(cp.scipy.stats.tmin(cp.arange(5.0), 2))
    2.0
    """

    def core(x: ndarray, keep: ndarray, whole: ndarray) -> ndarray:
        return cp.where(keep.any(axis=-1), cp.where(keep | cp.isnan(x), x, np.inf).min(axis=-1), np.nan)

    return _in_own_type(_trimmed(core, a, (lowerlimit, None), (inclusive, True), axis, nan_policy, keepdims), a)


def tmax(
    a: Any,
    upperlimit: Any = None,
    axis: Any = 0,
    inclusive: bool = True,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> ndarray:
    """The largest element up to a limit.

    Parameters
    ----------
    upperlimit : float, optional
        The greatest value that counts.

    >>> float(cp.scipy.stats.tmax(cp.arange(5.0), 2))
    2.0
    """

    def core(x: ndarray, keep: ndarray, whole: ndarray) -> ndarray:
        return cp.where(keep.any(axis=-1), cp.where(keep | cp.isnan(x), x, -np.inf).max(axis=-1), np.nan)

    return _in_own_type(_trimmed(core, a, (None, upperlimit), (True, inclusive), axis, nan_policy, keepdims), a)


SigmaclipResult = namedtuple("SigmaclipResult", ["clipped", "lower", "upper"])


def sigmaclip(a: Any, low: float = 4.0, high: float = 4.0, *, nan_policy: str = "propagate") -> SigmaclipResult:
    """Elements within so many deviations of their mean, until none is outside.

    Parameters
    ----------
    low : float
        The factor of the standard deviation below the mean.
    high : float
        The factor of the standard deviation above the mean.

    Raises
    ------
    ValueError
        `nan_policy` is unknown, or is "raise" and there is a NaN.

    >>> cp.scipy.stats.sigmaclip(cp.asarray([1.0, 2.0, 3.0, 100.0]), 1.5, 1.5).clipped
    array([1., 2., 3.])
    """
    check_policy(nan_policy)
    c = as_device(a).ravel()
    if nan_policy == "raise":
        refuse_nan(c)
    elif nan_policy == "omit":
        c = c[~cp.isnan(c)]
    while True:
        deviation, mean, size = c.std(), c.mean(), c.size
        lower, upper = mean - deviation * low, mean + deviation * high
        c = c[(c >= lower) & (c <= upper)]
        if c.size == size:
            return SigmaclipResult(c, lower, upper)


__all__ = ["sigmaclip", "tmax", "tmean", "tmin", "trim1", "trim_mean", "trimboth", "tsem", "tstd", "tvar"]
