"""Averages, spread and correlation."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.conversions import (
    UFuncTypeError,
    as_array,
    as_mask,
    as_operand,
    deliver,
    is_complex,
    is_inexact,
    normalize_axis_tuple,
)
from .._lib.ufuncs import NUMPY as _ufuncs
from .._typing import ArrayLike, Axes, DTypeLike
from .joining import concatenate, stack
from .shapes import broadcast_to
from .weighted import aligned_weights

__all__ = [
    "average",
    "corrcoef",
    "cov",
    "mean",
    "nanmean",
    "nanstd",
    "nanvar",
    "ptp",
    "std",
    "var",
]

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
    """The mean over `axis` of the elements where `where` is true; float64 for integers.

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


def _warn_of_few(a: ndarray, axis: Axes, count: ndarray, ddof: float, text: str) -> None:
    """NumPy's warning where no more than `ddof` elements of a slice count: by lengths, or if a look costs no wait."""
    axes = range(a.ndim) if axis is None else normalize_axis_tuple(axis, a.ndim)
    few = math.prod(a.shape[place] for place in axes) <= ddof
    if few or (count.size and _core.reads_at_once(count) and bool((count <= ddof).any())):
        warnings.warn(text, RuntimeWarning, stacklevel=3)


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

    `mean` is the mean, kept with axes of length 1, if it is known already.

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
    _warn_of_few(a, axis, count, ddof, "Degrees of freedom <= 0 for slice")
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
    """The square root of `var`.

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
    """`mean` that ignores NaN; NaN where there is nothing else.

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
    """`var` that ignores NaN; NaN where the count does not exceed `ddof`.

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
    with warnings.catch_warnings():
        # Of the same slices, in the words of `var`.
        warnings.filterwarnings("ignore", "Degrees of freedom", RuntimeWarning)
        result = var(a, axis, dtype, None, ddof, keepdims, where=valid, mean=mean)
    count = valid.sum(axis, np.int64, None, keepdims)
    _warn_of_few(a, axis, count, ddof, "Degrees of freedom <= 0 for slice.")
    enough = count > ddof
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
    """The square root of `nanvar`.

    >>> cp.nanstd(cp.asarray([1.0, cp.nan, 3.0]))
    array(1.)
    """
    a, ddof = as_array(a), _degrees(ddof, correction)
    if not is_inexact(a.dtype):
        return std(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean)
    if mean is None:
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

    Weights have the shape of `a`, or that of the axes in `axis`.

    Parameters
    ----------
    returned : bool
        Whether the sum of weights is returned too.

    Returns
    -------
    ndarray, or a tuple of it and the sums of weights

    Raises
    ------
    ZeroDivisionError
        If they sum to 0 (waits for the device).

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
        weights = aligned_weights(weights, a, axis)
        dtype = _core.promote_types(a.dtype, weights.dtype)
        if not is_inexact(a.dtype):
            dtype = _core.promote_types(dtype, np.float64)
        total = weights.sum(axes, dtype, keepdims=keepdims)
        if bool((total == 0).any()):
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        result = _ufuncs["multiply"](a, weights, dtype=dtype).sum(axes, keepdims=keepdims) / total
    return (result, broadcast_to(total, result.shape).copy()) if returned else result


def ptp(a: ArrayLike, axis: Axes = None, out: ndarray | None = None, keepdims: bool = False) -> ndarray:
    """The distance of the largest from the smallest element over `axis`.

    >>> cp.ptp(cp.asarray([3, 9, 1]))
    array(8)
    """
    return _core.reduce("ptp", as_array(a), axis, None, out, keepdims)


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

    `fweights` counts observations, `aweights` weighs them.

    Parameters
    ----------
    m : array_like
        The variables and their observations.
    bias : bool
        Whether to divide by the count instead of one less.
    ddof : int, optional
        What is taken from the count instead of what `bias` says.
    fweights : array_like of int, optional
        How often each observation counts.
    aweights : array_like, optional
        The weight of each observation.

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
    elif not is_inexact(_core.dtype(dtype)):
        raise UFuncTypeError(f"distances from the mean do not fit in {_core.dtype(dtype)!r}: dtype must be inexact")

    def rows(given: ndarray) -> ndarray:
        given = given.astype(dtype)
        if given.ndim < 2:
            return given.reshape(1, -1)
        return given if rowvar else given.T

    x = rows(m)
    if x.shape[0] == 0:
        return _core.zeros((0, 0), np.float64)
    if y is not None:
        # As in NumPy one row stays a row.
        x = concatenate((x, rows(y[0] if y.ndim == 2 and y.shape[0] == 1 else y)))
    ddof = (0 if bias else 1) if ddof is None else ddof
    weights = _cov_weights(fweights, aweights, x.shape[1])
    if weights is None:
        mean, factor = x.mean(1), x.shape[1] - ddof
    else:
        total = weights.sum()
        mean = (x * weights).sum(1) / total
        adjusted = weights if aweights is None else weights * as_array(aweights)
        factor = total - ddof * (adjusted.sum() / total if aweights is not None else 1) if ddof else total
        whole, factor = stack((total, factor)).tolist()
        if whole == 0:
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    if factor <= 0:
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=2)
        factor = 0.0
    x = x - mean[:, None]
    weighted = x if weights is None else x * weights
    product = _core.matmul(x, weighted.T.conj())
    product = product * (1 / factor if factor else math.inf)
    return product.astype(dtype, copy=False).squeeze()


def _cov_weights(fweights: ArrayLike | None, aweights: ArrayLike | None, count: int) -> ndarray | None:
    weights = None
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is None:
            continue
        given = as_array(given)
        if name == "fweights" and given.dtype.kind not in "biu" and bool((given != _ufuncs["rint"](given)).any()):
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
    """The matrix of correlation coefficients; the arguments are those of `cov`.

    Parameters
    ----------
    x : array_like
        The variables and their observations.

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
