"""Averages, spread, order statistics, correlation and counts."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._typing import ArrayLike, Axes, DTypeLike
from ._common import SCALARS, as_array, as_mask, as_operand, deliver, is_complex, is_inexact
from .creation import linspace
from .joining import concatenate
from .shapes import broadcast_to, moveaxis
from .sorting import searchsorted

__all__ = [
    "average",
    "bincount",
    "corrcoef",
    "cov",
    "digitize",
    "histogram",
    "mean",
    "median",
    "nanmean",
    "nanmedian",
    "nanstd",
    "nanvar",
    "percentile",
    "ptp",
    "quantile",
    "std",
    "var",
]

_ufuncs = _core.ufuncs()
_isnan = _ufuncs["isnan"]


# Mean and spread.


def mean(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
) -> ndarray:
    """The mean over `axis` of the elements where `where` is true; float64 for integers. See `numpy.mean`.

    >>> cp.mean(cp.asarray([[1, 2], [3, 4]]), axis=0)
    array([2., 3.])
    """
    return as_array(a).mean(axis, dtype, out, keepdims, where=as_mask(where))


def _degrees(ddof: float, correction: float | None) -> float:
    if correction is None:
        return ddof
    if ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return correction


def var(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
    mean: ArrayLike | None = None,
    correction: float | None = None,
) -> ndarray:
    """The variance over `axis`: the squared distance from the mean, divided by the count less `ddof`.

    `mean` is the mean, kept with axes of length 1, if it is known already. See `numpy.var`.

    >>> cp.var(cp.asarray([1.0, 3.0]))
    array(1.)
    """
    a, ddof = as_array(a), _degrees(ddof, correction)
    if mean is None:
        return a.var(axis, dtype, out, ddof, keepdims, where=as_mask(where))
    if dtype is None and not is_inexact(a.dtype):
        dtype = np.float64
    distance = _ufuncs["subtract"](a, as_operand(mean))
    squares = (distance * distance.conj()).real if is_complex(distance.dtype) else _ufuncs["square"](distance)
    total = squares.sum(axis, dtype, None, keepdims, where=as_mask(where))
    count = broadcast_to(as_array(where), a.shape).sum(axis, np.int64, None, keepdims)
    return deliver(total / _ufuncs["maximum"](count - ddof, 0), out).astype(total.dtype, copy=False)


def std(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
    mean: ArrayLike | None = None,
    correction: float | None = None,
) -> ndarray:
    """The square root of `var`. See `numpy.std`.

    >>> cp.std(cp.asarray([1.0, 3.0]))
    array(1.)
    """
    a, ddof = as_array(a), _degrees(ddof, correction)
    if mean is None:
        return a.std(axis, dtype, out, ddof, keepdims, where=as_mask(where))
    return _ufuncs["sqrt"](var(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean), out=out)


def _valid(a: ndarray, where: ArrayLike) -> ndarray:
    """Where elements are not NaN, of those that `where` selects."""
    return ~_isnan(a) if where is True else ~_isnan(a) & as_array(where)


def _check_nan_arguments(dtype: DTypeLike, out: ndarray | None) -> None:
    if dtype is not None and not is_inexact(_core.dtype(dtype)):
        raise TypeError("If a is inexact, then dtype must be inexact")
    if out is not None and not is_inexact(out.dtype):
        raise TypeError("If a is inexact, then out must be inexact")


def nanmean(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
) -> ndarray:
    """`mean` that ignores NaN; NaN where there is nothing else. See `numpy.nanmean`.

    >>> cp.nanmean(cp.asarray([1.0, cp.nan, 3.0]))
    array(2.)
    """
    a = as_array(a)
    if not is_inexact(a.dtype):
        return a.mean(axis, dtype, out, keepdims, where=as_mask(where))
    _check_nan_arguments(dtype, out)
    return _core.reduce("nanmean", a, axis, dtype, out, keepdims, None, as_mask(where))


def nanvar(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
    mean: ArrayLike | None = None,
    correction: float | None = None,
) -> ndarray:
    """`var` that ignores NaN; NaN where the count does not exceed `ddof`. See `numpy.nanvar`.

    >>> cp.nanvar(cp.asarray([1.0, cp.nan, 3.0]))
    array(1.)
    """
    a, ddof = as_array(a), _degrees(ddof, correction)
    if not is_inexact(a.dtype):
        return var(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean)
    _check_nan_arguments(dtype, out)
    if mean is None:
        return _core.reduce("nanvar", a, axis, dtype, out, keepdims, None, as_mask(where), ddof)
    valid = _valid(a, where)
    result = var(a, axis, dtype, None, ddof, keepdims, where=valid, mean=mean)
    enough = valid.sum(axis, np.int64, None, keepdims) > ddof
    return deliver(_core.where(enough, result, _core.full((), math.nan, result.dtype)), out)


def nanstd(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
    mean: ArrayLike | None = None,
    correction: float | None = None,
) -> ndarray:
    """The square root of `nanvar`. See `numpy.nanstd`.

    >>> cp.nanstd(cp.asarray([1.0, cp.nan, 3.0]))
    array(1.)
    """
    a, ddof = as_array(a), _degrees(ddof, correction)
    if mean is None and is_inexact(a.dtype):
        _check_nan_arguments(dtype, out)
        return _core.reduce("nanstd", a, axis, dtype, out, keepdims, None, as_mask(where), ddof)
    return deliver(_ufuncs["sqrt"](nanvar(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean)), out)


def average(
    a: ArrayLike,
    axis: Axes = None,
    weights: ArrayLike | None = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Any:
    """The mean over `axis`, weighted by `weights`; with `returned` also the sum of weights.

    Weights have the shape of `a`, or that of the axes in `axis`. `ZeroDivisionError` if they sum to 0 (waits for the
    device). See `numpy.average`.

    >>> cp.average(cp.asarray([1.0, 3.0]), weights=cp.asarray([3.0, 1.0]))
    array(1.5)
    """
    a = as_array(a)
    axes = None if axis is None else normalize_axis_tuple(axis, a.ndim, "axis")
    if weights is None:
        result = a.mean(axes, keepdims=keepdims)
        count = a.size // max(result.size, 1) if result.size else 0
        total = _core.full(result.shape, count, result.dtype)
    else:
        weights = as_array(weights)
        if weights.shape != a.shape:
            if axes is None:
                raise TypeError("Axis must be specified when shapes of a and weights differ.")
            if weights.shape != tuple(a.shape[i] for i in axes):
                raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
            order = sorted(range(len(axes)), key=lambda i: axes[i])
            weights = weights.transpose(order)
            weights = weights.reshape([length if i in axes else 1 for i, length in enumerate(a.shape)])
        dtype = _core.promote_types(a.dtype, weights.dtype)
        if not is_inexact(a.dtype):
            dtype = _core.promote_types(dtype, np.float64)
        total = broadcast_to(weights, a.shape).sum(axes, dtype, keepdims=keepdims)
        if bool((total == 0).any()):
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        result = _ufuncs["multiply"](a, weights, dtype=dtype).sum(axes, keepdims=keepdims) / total
    return (result, total) if returned else result


def ptp(a: ArrayLike, axis: Axes = None, out: ndarray | None = None, keepdims: bool = False) -> ndarray:
    """The distance of the largest from the smallest element over `axis`. See `numpy.ptp`.

    >>> cp.ptp(cp.asarray([3, 9, 1]))
    array(8)
    """
    return _core.reduce("ptp", as_array(a), axis, None, out, keepdims)


# Order statistics.


def _lanes(a: ndarray, axis: Axes) -> tuple[ndarray, tuple[int, ...]]:
    """`a` with the axes to reduce merged into the last one, and its shape with them kept at length 1."""
    axes = normalize_axis_tuple(range(a.ndim) if axis is None else axis, a.ndim)
    kept = [i for i in range(a.ndim) if i not in axes]
    moved = a.transpose([*kept, *axes])
    lanes = moved.reshape([a.shape[i] for i in kept] + [math.prod(a.shape[i] for i in axes)])
    return lanes, tuple(1 if i in axes else length for i, length in enumerate(a.shape))


def median(
    a: ArrayLike,
    axis: Axes = None,
    out: ndarray | None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> ndarray:
    """The middle of the sorted elements over `axis`, or the mean of the two middle ones; NaN if there is one.

    See `numpy.median`.

    >>> cp.median(cp.asarray([3, 1, 2]))
    array(2.)
    """
    lanes, kept = _lanes(as_array(a), axis)
    length = lanes.shape[-1]
    if length == 0:
        result = lanes.mean(-1)
    else:
        ranked = _core.sort(lanes)
        result = ranked[..., (length - 1) // 2 : length // 2 + 1].mean(-1)
        if is_inexact(ranked.dtype):
            last = ranked[..., -1]
            result = _core.where(_isnan(last), last.astype(result.dtype, copy=False), result)
    return deliver(result.reshape(kept) if keepdims else result, out)


def nanmedian(
    a: ArrayLike,
    axis: Axes = None,
    out: ndarray | None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> ndarray:
    """`median` that ignores NaN; NaN where there is nothing else. See `numpy.nanmedian`.

    >>> cp.nanmedian(cp.asarray([3.0, cp.nan, 1.0]))
    array(2.)
    """
    a = as_array(a)
    if not is_inexact(a.dtype) or a.size == 0:
        return median(a, axis, out, overwrite_input, keepdims)
    lanes, kept = _lanes(a, axis)
    ranked = _core.sort(lanes)
    count = (~_isnan(lanes)).sum(-1, np.int64)
    middle = [_pick(ranked, _ufuncs["maximum"](position, 0)) for position in ((count - 1) // 2, count // 2)]
    result = (middle[0] + middle[1]) / 2
    result = _core.where(middle[0] == middle[1], middle[0], result)
    return deliver(result.reshape(kept) if keepdims else result, out)


def _pick(lanes: ndarray, position: ndarray) -> ndarray:
    """The elements at `position` in the last axis, which may be past the end."""
    from .indexing import take_along_axis

    position = _core.clip(position, 0, lanes.shape[-1] - 1)
    return take_along_axis(lanes, position[..., None], -1)[..., 0]


# Where the quantile q of n sorted elements lies, for the methods that interpolate between two: alpha, beta of
# Hyndman and Fan.
_CONTINUOUS = {
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "linear": (1.0, 1.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
_METHODS = (
    *_CONTINUOUS,
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "lower",
    "higher",
    "midpoint",
    "nearest",
)


def _virtual_index(q: ndarray, n: int, method: str) -> ndarray:
    """The position of quantile `q` among `n` sorted elements; fractions lie between two."""
    floor, ceil = _ufuncs["floor"], _ufuncs["ceil"]
    match method:
        case "lower":
            return floor(q * (n - 1))
        case "higher":
            return ceil(q * (n - 1))
        case "midpoint":
            return 0.5 * (floor(q * (n - 1)) + ceil(q * (n - 1)))
        case "nearest":
            return _ufuncs["rint"](q * (n - 1))
        case "inverted_cdf":
            return ceil(q * n) - 1
        case "averaged_inverted_cdf":
            rank = q * n
            return _core.where(rank == floor(rank), rank - 0.5, ceil(rank) - 1)
        case "closest_observation":
            rank = q * n - 1 - 0.5
            down = floor(rank)
            even = (rank == down) & (down.astype(np.int64) % 2 == 1)
            return _core.where(even, down, down + 1)
        case _:
            alpha, beta = _CONTINUOUS[method]
            return n * q + (alpha + q * (1 - alpha - beta)) - 1


def quantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axes = None,
    out: ndarray | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> ndarray:
    """The values below which the fractions `q` (in [0, 1]) of the elements over `axis` lie; NaN if there is one.

    The axes of `q` come first in the result. `method` says what to do between two elements. With `weights`, of the
    shape of `a` or of its axes `axis`, `method` must be "inverted_cdf". See `numpy.quantile`.

    >>> cp.quantile(cp.asarray([1.0, 2.0, 4.0]), [0.0, 0.5])
    array([1., 2.])
    """
    if weights is not None:
        from .weighted import checked_fractions, weighted_quantile

        fractions = checked_fractions(q, 1, "Quantiles must be in the range [0, 1]")
        return weighted_quantile(as_array(a), fractions, weights, axis, out, method, keepdims, False)
    if method not in _METHODS:
        raise ValueError(f"{method!r} is not a valid method. Use one of: {set(_METHODS)}")
    a = as_array(a)
    if is_complex(a.dtype):
        raise TypeError("a must be an array of real numbers")
    host = np.asarray(q, dtype=np.float64) if not isinstance(q, ndarray) else None
    if not (((host >= 0) & (host <= 1)).all() if host is not None else bool(((q >= 0) & (q <= 1)).all())):
        raise ValueError("Quantiles must be in the range [0, 1]")
    fractions = as_array(q)
    dtype = a.dtype if is_inexact(a.dtype) else np.dtype(np.float64)
    if not isinstance(q, (int, float)):
        # Only one number leaves the dtype alone.
        dtype = _core.result_type(dtype, fractions.dtype, 0.0)
    if method == "linear" and fractions.dtype.kind in "biu":
        # Integers ask for elements themselves.
        dtype = a.dtype
    elif a.dtype == np.bool_ and (method in _CONTINUOUS or method in ("midpoint", "averaged_inverted_cdf")):
        raise TypeError("numpy boolean subtract, the `-` operator, is not supported: quantiles of bools are elements")
    fractions = fractions.astype(np.float64, copy=False)
    lanes, kept = _lanes(a, axis)
    length = lanes.shape[-1]
    if length == 0:
        result = _core.full((*fractions.shape, *lanes.shape[:-1]), math.nan, dtype)
    else:
        ranked = _core.sort(lanes)
        position = _core.clip(_virtual_index(fractions, length, method), 0, length - 1)
        down = _ufuncs["floor"](position)
        weight = (position - down).reshape(fractions.shape + (1,) * (lanes.ndim - 1))
        below = down.astype(np.int64)
        flat = moveaxis(ranked, -1, 0)
        low, high = flat.take(below, axis=0), flat.take(_ufuncs["minimum"](below + 1, length - 1), axis=0)
        discrete = method in ("lower", "higher", "nearest", "inverted_cdf", "closest_observation")
        if discrete:
            result, dtype = low, a.dtype
        else:
            weight = weight.astype(dtype, copy=False)
            low, high = low.astype(dtype, copy=False), high.astype(dtype, copy=False)
            distance = high - low
            # From the nearer end, so that the result never leaves the interval.
            result = _core.where(weight < 0.5, low + distance * weight, high - distance * (1 - weight))
            result = _core.where(weight == 0, low, result)
        if is_inexact(ranked.dtype):
            last = ranked[..., -1]
            result = _core.where(_isnan(last), last.astype(result.dtype, copy=False), result)
    result = result.astype(dtype, copy=False)
    if keepdims:
        result = result.reshape(fractions.shape + kept)
    return deliver(result, out)


def percentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axes = None,
    out: ndarray | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> ndarray:
    """`quantile` with `q` in percent. See `numpy.percentile`.

    >>> cp.percentile(cp.asarray([1.0, 2.0, 4.0]), 50)
    array(2.)
    """
    if weights is not None:
        from .weighted import checked_fractions, weighted_quantile

        fractions = checked_fractions(q, 100, "Percentiles must be in the range [0, 100]")
        return weighted_quantile(as_array(a), fractions, weights, axis, out, method, keepdims, False)
    if isinstance(q, (ndarray, *SCALARS)):
        fractions = q / 100
        if not isinstance(fractions, ndarray) and not 0 <= fractions <= 1:
            raise ValueError("Percentiles must be in the range [0, 100]")
    else:
        host = np.asarray(q, dtype=np.float64)
        if not ((host >= 0) & (host <= 100)).all():
            raise ValueError("Percentiles must be in the range [0, 100]")
        fractions = (host / 100).tolist()
    return quantile(a, fractions, axis, out, overwrite_input, method, keepdims)


# Correlation.


def cov(
    m: ArrayLike,
    y: ArrayLike | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: ArrayLike | None = None,
    aweights: ArrayLike | None = None,
    *,
    dtype: DTypeLike = None,
) -> ndarray:
    """The covariance matrix of the rows of `m` (columns without `rowvar`), and of `y` if given.

    `fweights` counts observations, `aweights` weighs them. See `numpy.cov`.

    >>> cp.cov(cp.asarray([[0.0, 2.0], [2.0, 0.0]]))
    array([[ 2., -2.],
           [-2.,  2.]])
    """
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    m = as_array(m)
    y = None if y is None else as_array(y)
    for name, given in (("m", m), ("y", y)):
        if given is not None and given.ndim > 2:
            raise ValueError(f"{name} has more than 2 dimensions")
    if dtype is None:
        dtype = _core.result_type(*(given.dtype for given in (m, y) if given is not None), np.float64)

    def rows(given: ndarray) -> ndarray:
        given = given.astype(dtype)
        if given.ndim < 2:
            return given.reshape(1, -1)
        return given if rowvar else given.T

    x = rows(m)
    if x.shape[0] == 0:
        return _core.zeros((0, 0), np.float64)
    if y is not None:
        x = concatenate((x, rows(y)))
    ddof = (0 if bias else 1) if ddof is None else ddof
    weights = _cov_weights(fweights, aweights, x.shape[1])
    if weights is None:
        mean, factor = x.mean(1), max(x.shape[1] - ddof, 0)
    else:
        total = weights.sum()
        mean = (x * weights).sum(1) / total
        adjusted = weights if aweights is None else weights * as_array(aweights)
        factor = total - ddof * (adjusted.sum() / total if aweights is not None else 1) if ddof else total
        factor = _ufuncs["maximum"](factor, 0.0)
    x = x - mean[:, None]
    weighted = x if weights is None else x * weights
    product = _core.matmul(x, weighted.T.conj())
    product = product * _ufuncs["true_divide"](1, as_array(factor).astype(np.float64))
    return product.astype(dtype, copy=False).squeeze()


def _cov_weights(fweights: ArrayLike | None, aweights: ArrayLike | None, count: int) -> ndarray | None:
    weights = None
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is None:
            continue
        given = as_array(given)
        if name == "fweights" and given.dtype.kind not in "iu":
            raise TypeError("fweights must be integer")
        if given.ndim > 1:
            raise RuntimeError(f"cannot handle multidimensional {name}")
        if given.shape != (count,):
            raise RuntimeError(f"incompatible numbers of samples and {name}")
        if bool((given < 0).any()):
            raise ValueError(f"{name} cannot be negative")
        given = given.astype(np.float64)
        weights = given if weights is None else weights * given
    return weights


def corrcoef(x: ArrayLike, y: ArrayLike | None = None, rowvar: bool = True, *, dtype: DTypeLike = None) -> ndarray:
    """The matrix of correlation coefficients; the arguments are those of `cov`. See `numpy.corrcoef`.

    >>> cp.corrcoef(cp.asarray([[0.0, 1.0], [1.0, 0.0]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return c / c
    deviation = _ufuncs["sqrt"](c.diagonal().real)
    c = c / deviation[:, None] / deviation[None, :]
    for part in (c.real, c.imag) if is_complex(c.dtype) else (c,):
        part[...] = _core.clip(part, -1, 1)
    return c


# Counts.


def bincount(x: ArrayLike, /, weights: ArrayLike | None = None, minlength: int = 0) -> ndarray:
    """How often each integer from 0 appears in `x`, or the sum of the `weights` where it does.

    `ValueError` for negative integers. Waits for the device, since the length depends on the data.
    See `numpy.bincount`.

    >>> cp.bincount(cp.asarray([0, 2, 2]))
    array([1, 0, 2])
    """
    x = as_array(x)
    if x.ndim != 1:
        raise ValueError(
            "object too deep for desired array" if x.ndim else "object of too small depth for desired array"
        )
    if x.dtype.kind not in "biu":
        raise TypeError(
            f"Cannot cast array data from dtype('{x.dtype}') to dtype('int64') according to the rule 'safe'"
        )
    minlength = operator.index(minlength)
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    if weights is not None:
        weights = as_array(weights).astype(np.float64, copy=False)
        if weights.shape != x.shape:
            raise ValueError("The weights and list don't have the same length.")
    length = minlength
    if x.size:
        low, high = concatenate((x.min().reshape(1), x.max().reshape(1)), dtype=np.int64).tolist()
        if low < 0:
            raise ValueError("'list' argument must have no negative elements")
        length = max(minlength, high + 1)
    if weights is None or not x.size:
        return _core.bincount(x, length)
    result = _core.zeros(length, np.float64)
    _core.scatter(result, x.astype(np.int64, copy=False), weights, "add")
    return result


def digitize(x: ArrayLike, bins: ArrayLike, right: bool = False) -> ndarray:
    """The number of the bin of each element: `bins[i-1] <= x < bins[i]`, or the other ends with `right`.

    `bins` increases or decreases (`ValueError` otherwise, which waits for the device). See `numpy.digitize`.

    >>> cp.digitize(cp.asarray([0.5, 2.5]), cp.asarray([0.0, 1.0, 2.0]))
    array([1, 3])
    """
    x, bins = as_array(x), as_array(bins)
    if is_complex(x.dtype):
        raise TypeError("x may not be complex")
    if is_complex(bins.dtype):
        raise TypeError("bins may not be complex")
    if bins.ndim != 1:
        raise ValueError(
            "object too deep for desired array" if bins.ndim else "object of too small depth for desired array"
        )
    rising = falling = True
    if bins.size > 1:
        steps = concatenate(((bins[1:] >= bins[:-1]).all().reshape(1), (bins[1:] <= bins[:-1]).all().reshape(1)))
        rising, falling = steps.tolist()
    if not rising and not falling:
        raise ValueError("bins must be monotonically increasing or decreasing")
    side = "left" if right else "right"
    if rising:
        return searchsorted(bins, x, side)
    return bins.size - searchsorted(bins[::-1], x, "right" if right else "left")


def histogram(
    a: ArrayLike,
    bins: int | str | ArrayLike = 10,
    range: tuple[float, float] | None = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
) -> tuple[ndarray, ndarray]:
    """The number of elements in each bin (or the sum of their `weights`), and the edges of the bins.

    `bins` is a number of equal bins over `range`, by default that of the elements, the increasing edges, or the name of
    an estimator of `histogram_bin_edges`. The last bin includes its right edge. With `density` the integral is 1. See
    `numpy.histogram`.

    >>> cp.histogram(cp.asarray([1, 2, 2, 4]), bins=3)[0]
    array([1, 2, 1])
    """
    a = as_array(a).ravel()
    if weights is not None:
        weights = as_array(weights)
        if weights.size != a.size:
            raise ValueError("weights should have the same shape as a.")
        weights = weights.ravel()
    if isinstance(bins, str):
        from .histograms import histogram_bin_edges

        bins = histogram_bin_edges(a, bins, range, weights).size - 1
    if isinstance(bins, (int, np.integer)):
        if bins < 1:
            raise ValueError("`bins` must be positive, when an integer")
        low, high = _outer_edges(a, range)
        edges = linspace(low, high, int(bins) + 1, dtype=_core.result_type(a.dtype, 1.0))
    else:
        edges = as_array(bins)
        if edges.ndim == 0 and not isinstance(bins, ndarray):
            raise TypeError("`bins` must be an integer, a string, or an array")
        if edges.ndim != 1:
            raise ValueError("`bins` must be 1d, when an array")
        if bool((edges[:-1] > edges[1:]).any()):
            raise ValueError("`bins` must increase monotonically, when an array")
    result = _core.histogram(a, edges, isinstance(bins, (int, np.integer))) if weights is None else None
    if result is None:
        result = _binned(a, edges, weights, (low, high) if isinstance(bins, (int, np.integer)) else None)
    if density:
        widths = edges[1:] - edges[:-1]
        return result / widths.astype(np.float64) / result.sum(), edges
    return result, edges


def _binned(a: ndarray, edges: ndarray, weights: ndarray | None, ends: tuple[float, float] | None) -> ndarray:
    """The number or the weight of the elements between `edges`, which are equally far apart between `ends` if given."""
    count = edges.size - 1
    inside = (a >= edges[0]) & (a <= edges[-1])
    if ends is not None:
        low, high = ends
        # The bin follows from the distance, up to rounding, which the edges correct.
        position = (a - low) * (count / (high - low))
        position = _core.clip(_core.where(inside, position, 0).astype(np.int64), 0, count - 1)
        position = position - (a < edges.take(position))
        position = position + ((a >= edges.take(position + 1)) & (position < count - 1))
    else:
        position = _ufuncs["minimum"](searchsorted(edges, a, "right") - 1, count - 1)
    # Elements outside go to a bin of their own, which is dropped.
    position = _core.where(inside, position, count)
    dtype = np.dtype(np.int64) if weights is None else weights.dtype
    result = _core.zeros(count + 1, dtype)
    if a.size:
        _core.scatter(result, position, 1 if weights is None else weights, "add")
    return result[:count]


def _outer_edges(a: ndarray, range: tuple[float, float] | None) -> tuple[float, float]:
    if range is not None:
        low, high = (float(edge) for edge in range)
        if low > high:
            raise ValueError("max must be larger than min in range parameter.")
        if not (math.isfinite(low) and math.isfinite(high)):
            raise ValueError(f"supplied range of [{low}, {high}] is not finite")
    elif a.size == 0:
        low, high = 0.0, 1.0
    else:
        low, high = concatenate((a.min().reshape(1), a.max().reshape(1))).tolist()
        if not (math.isfinite(low) and math.isfinite(high)):
            raise ValueError(f"autodetected range of [{low}, {high}] is not finite")
    return (low - 0.5, high + 0.5) if low == high else (low, high)
