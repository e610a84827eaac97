"""Sums of exponentials that neither overflow nor underflow."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib.conversions import as_array, as_operand, is_complex
from ..._lib.ufuncs import NUMPY as _numpy
from ..._typing import ArrayLike

__all__ = ["log_softmax", "logsumexp", "softmax", "softplus"]

_exp, _log, _log1p = _numpy["exp"], _numpy["log"], _numpy["log1p"]
_Axis = int | tuple[int, ...] | None


def _inexact(x: ArrayLike) -> ndarray:
    """The argument in floating point: integers and bools as float64."""
    array = as_array(x)
    return array if array.dtype.kind in "fcV" else array.astype(np.float64)


def _factors(b: ArrayLike, dtype: np.dtype[Any]) -> ndarray:
    """The factors of exponentials of this type; a Python number does not widen it."""
    if type(b) in (bool, int, float, complex):
        return _core.array(b, np.result_type(dtype, b))
    return as_array(b)


def _largest(a: ndarray, axis: _Axis) -> ndarray:
    """The largest real part along `axis`, 0 where that is infinite or NaN, in the shape that broadcasts."""
    real = a.real if is_complex(a.dtype) else a
    top = real.max(axis=axis, keepdims=True)
    return _core.where(_numpy["isfinite"](top), top, top.dtype.type(0))


def logsumexp(
    a: ArrayLike,
    axis: _Axis = None,
    b: ArrayLike | None = None,
    keepdims: bool = False,
    return_sign: bool = False,
) -> Any:
    """Logarithm of the sum of exponentials.

    Parameters
    ----------
    a : array_like
        Exponents, real or complex.
    axis : None, int or tuple of ints, optional
        Axes to sum over; all of them by default.
    b : array_like, optional
        Factors of the exponentials, broadcast with `a`; they may be negative or 0.
    keepdims : bool, optional
        Keeps the axes with length 1.
    return_sign : bool, optional
        Returns the sign of the sum, too, and the logarithm of its absolute value.

    Returns
    -------
    ndarray, or a tuple of two
        `log(sum(b * exp(a)))`. A negative sum without `return_sign` is NaN. Without elements it is minus infinity.

    >>> float(cp.scipy.special.logsumexp(cp.asarray([1000.0, 1000.0])))
    1000.6931471805599
    """
    x = _inexact(a)
    x = x.reshape(1) if x.ndim == 0 and axis is not None else x
    factors = None if b is None else _factors(b, x.dtype)
    if factors is not None:
        x, factors = _together(x, factors)
        # A factor of 0 removes its exponent; where no finite sum is left, 0 * inf is NaN as in the plain formula.
        undefined = (factors == 0) & (_numpy["isnan"](x) | _infinite(x))
        undefined = undefined.any(axis=axis, keepdims=True)
        x = _core.where(factors != 0, x, x.dtype.type(-np.inf))
    complex_sum = is_complex(x.dtype) or (factors is not None and is_complex(factors.dtype))
    if x.size == 0 and _reduced(x.shape, axis) == 0:
        shape = x.sum(axis=axis, keepdims=keepdims).shape
        result = _core.full(shape, -np.inf, x.dtype)
        # The sign of the logarithm, which SciPy returns here.
        return (result, _numpy["sign"](result)) if return_sign else result
    top = _largest(x, axis)
    terms = _exp(x - top)
    if factors is not None:
        terms = terms * factors
    total = terms.sum(axis=axis, keepdims=True)
    if complex_sum:
        logarithm = _log(abs(total)) + top if return_sign else _log(total) + top
        sign = _sign(total)
    else:
        # The logarithm of the sum beside the largest term: that of 1 plus the rest, which keeps its digits.
        sign = _numpy["sign"](total)
        logarithm = _log(abs(total)) + top
        if not return_sign and factors is not None:
            logarithm = _core.where(sign < 0, logarithm.dtype.type(np.nan), logarithm)
    if factors is not None:
        undefined = undefined & ~_numpy["isfinite"](logarithm)
        logarithm = _core.where(undefined, _nothing(logarithm.dtype), logarithm)
        sign = _core.where(undefined, _nothing(sign.dtype), sign)
    if not keepdims:
        axes = _axes(x.ndim, axis)
        logarithm, sign = (part.reshape(_without(part.shape, axes)) for part in (logarithm, sign))
    return (logarithm, sign) if return_sign else logarithm


def _infinite(x: ndarray) -> ndarray:
    """Where exponentials are infinite because their exponents are."""
    real = x.real if is_complex(x.dtype) else x
    return real == np.inf


def _nothing(dtype: Any) -> Any:
    """NaN, in both parts of a complex number."""
    return dtype.type(complex(np.nan, np.nan)) if is_complex(dtype) else dtype.type(np.nan)


def _together(x: ndarray, y: ndarray) -> tuple[ndarray, ndarray]:
    shape = np.broadcast_shapes(x.shape, y.shape)
    return _core.broadcast_to(x, shape), _core.broadcast_to(y, shape)


def _sign(total: ndarray) -> ndarray:
    size = abs(total)
    return _core.where(size == 0, total.dtype.type(0), total / _core.where(size == 0, size.dtype.type(1), size))


def _axes(ndim: int, axis: _Axis) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(ndim))
    given = axis if isinstance(axis, tuple) else (axis,)
    return tuple(np.lib.array_utils.normalize_axis_tuple(given, ndim))


def _without(shape: tuple[int, ...], axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(length for position, length in enumerate(shape) if position not in axes)


def _reduced(shape: tuple[int, ...], axis: _Axis) -> int:
    size = 1
    for position in _axes(len(shape), axis):
        size *= shape[position]
    return size


def softmax(x: ArrayLike, axis: _Axis = None) -> ndarray:
    """Exponentials divided by their sum.

    Parameters
    ----------
    axis : None, int or tuple of ints, optional
        Axes along which the results add up to 1; all of them by default.

    Returns
    -------
    ndarray
        As `exp(x) / sum(exp(x))`, without overflow.

    >>> cp.scipy.special.softmax(cp.asarray([0.0, 0.0]))
    array([0.5, 0.5])
    """
    a = _inexact(x)
    terms = _exp(a - a.max(axis=axis, keepdims=True))
    return terms / terms.sum(axis=axis, keepdims=True)


def log_softmax(x: ArrayLike, axis: _Axis = None) -> ndarray:
    """Logarithm of `softmax`, precise where that is near 1 or 0.

    Parameters
    ----------
    axis : None, int or tuple of ints, optional
        Axes along which the exponentials of the results add up to 1; all of them by default.

    Returns
    -------
    ndarray
        As `log(softmax(x))`.

    >>> cp.scipy.special.log_softmax(cp.asarray([1000.0, 1.0]))
    array([   0., -999.])
    """
    a = _inexact(x)
    shifted = a - _largest(a, axis)
    return shifted - _log(_exp(shifted).sum(axis=axis, keepdims=True))


def softplus(x: ArrayLike, **kwargs: Any) -> ndarray:
    """Softplus function, `log(1 + exp(x))` without overflow.

    Parameters
    ----------
    x : array_like
        Real numbers.
    **kwargs
        Arguments of the ufunc `logaddexp`: `out`, `where`, ...

    Returns
    -------
    ndarray
        The values.

    >>> float(cp.scipy.special.softplus(cp.asarray(1000.0)))
    1000.0
    """
    return _numpy["logaddexp"](0, as_operand(x), **kwargs)
