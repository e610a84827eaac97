"""Power series with the lowest power first. See `numpy.polynomial.polynomial`."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._routines._common import SCALARS, along, as_array, is_inexact
from .._routines.manipulation import atleast_1d, concatenate, stack
from .._routines.math import convolve
from .._routines.polynomials import HORNER, divide, evaluate, from_roots
from .._typing import ArrayLike
from .polyutils import as_series, trimcoef, trimseq

__all__ = [
    "polyadd",
    "polycompanion",
    "polyder",
    "polydiv",
    "polyfromroots",
    "polygrid2d",
    "polygrid3d",
    "polyint",
    "polyline",
    "polymul",
    "polymulx",
    "polypow",
    "polysub",
    "polytrim",
    "polyval",
    "polyval2d",
    "polyval3d",
    "polyvalfromroots",
    "polyvander",
    "polyvander2d",
    "polyvander3d",
]

polytrim = trimcoef


def _inexact(c: ArrayLike) -> ndarray:
    c = atleast_1d(as_array(c))
    return c if is_inexact(c.dtype) else c + 0.0


def _order(value: Any, what: str) -> int:
    try:
        return operator.index(value)
    except TypeError as error:
        raise TypeError(f"{what} must be an integer, received {value}") from error


def polyline(off: float, scl: float) -> ndarray:
    """The coefficients of `off + scl * x`. See `numpy.polynomial.polynomial.polyline`."""
    return _core.array([off, scl] if scl != 0 else [off])


def polyfromroots(roots: ArrayLike) -> ndarray:
    """The coefficients of the polynomial with these roots and the leading coefficient 1.

    See `numpy.polynomial.polynomial.polyfromroots`.
    """
    if len(roots) == 0:  # type: ignore[arg-type]
        return _core.full(1, 1.0, np.float64)
    (roots,) = as_series([roots], trim=False)
    return from_roots(roots, real=False)[::-1]


def _added(c1: ArrayLike, c2: ArrayLike, sign: int) -> ndarray:
    first, second = as_series([c1, c2])
    length = max(first.size, second.size)
    first, second = (concatenate((c, _core.zeros(length - c.size, c.dtype))) for c in (first, second))
    return trimseq(first + second if sign > 0 else first - second)


def polyadd(c1: ArrayLike, c2: ArrayLike) -> ndarray:
    """The sum of two polynomials. Waits for the device. See `numpy.polynomial.polynomial.polyadd`."""
    return _added(c1, c2, 1)


def polysub(c1: ArrayLike, c2: ArrayLike) -> ndarray:
    """The difference of two polynomials. Waits for the device. See `numpy.polynomial.polynomial.polysub`."""
    return _added(c1, c2, -1)


def polymulx(c: ArrayLike) -> ndarray:
    """The polynomial times x. Waits for the device. See `numpy.polynomial.polynomial.polymulx`."""
    (c,) = as_series([c])
    return trimseq(concatenate((c[:1] * 0, c)))


def polymul(c1: ArrayLike, c2: ArrayLike) -> ndarray:
    """The product of two polynomials. Waits for the device. See `numpy.polynomial.polynomial.polymul`."""
    first, second = as_series([c1, c2])
    return trimseq(convolve(first, second))


def polydiv(c1: ArrayLike, c2: ArrayLike) -> tuple[ndarray, ndarray]:
    """Quotient and remainder of two polynomials; `ZeroDivisionError` for 0. Waits for the device.

    See `numpy.polynomial.polynomial.polydiv`.
    """
    first, second = as_series([c1, c2])
    if bool(second[-1] == 0):
        raise ZeroDivisionError
    if first.size < second.size:
        return first[:1] * 0, first
    if second.size == 1:
        return first / second[-1], first[:1] * 0
    quotient, rest = divide(first[::-1], second[::-1])
    return quotient[::-1], trimseq(rest[::-1])


def polypow(c: ArrayLike, pow: int, maxpower: int | None = None) -> ndarray:
    """The polynomial to the power `pow`, at most `maxpower`. Waits for the device.

    See `numpy.polynomial.polynomial.polypow`.
    """
    (c,) = as_series([c])
    power = int(pow)
    if power != pow or power < 0:
        raise ValueError("Power must be a non-negative integer.")
    if maxpower is not None and power > maxpower:
        raise ValueError("Power is too large")
    result = _core.full(1, 1, c.dtype)
    while power:
        if power & 1:
            result = convolve(result, c)
        power >>= 1
        c = convolve(c, c) if power else c
    return result


def polyval(x: ArrayLike, c: ArrayLike, tensor: bool = True) -> ndarray:
    """The polynomials with coefficients along the first axis of `c` at `x`; each at all of `x` if `tensor`.

    See `numpy.polynomial.polynomial.polyval`.
    """
    c = _inexact(c)
    point = x if isinstance(x, SCALARS) else as_array(x)
    if isinstance(point, ndarray) and tensor:
        c = c.reshape(c.shape + (1,) * point.ndim)
    if c.shape[0] > HORNER:
        dtype = _core.result_type(c, point)
        c = c.astype(dtype, copy=False)
        point = _core.array(point).astype(dtype, copy=False)
    return evaluate(c[::-1], point)


def polyvalfromroots(x: ArrayLike, r: ArrayLike, tensor: bool = True) -> ndarray:
    """The polynomials with roots along the first axis of `r` at `x`; each at all of `x` if `tensor`.

    See `numpy.polynomial.polynomial.polyvalfromroots`.
    """
    r = atleast_1d(as_array(r))
    if not is_inexact(r.dtype):
        r = r.astype(np.float64)
    point = x if isinstance(x, SCALARS) else as_array(x)
    if isinstance(point, ndarray):
        if tensor:
            r = r.reshape(r.shape + (1,) * point.ndim)
        elif point.ndim >= r.ndim:
            raise ValueError("x.ndim must be < r.ndim when tensor == False")
    return (point - r).prod(0)


def _values(c: ArrayLike, *points: ArrayLike) -> ndarray:
    arrays = [as_array(point) for point in points]
    if any(array.shape != arrays[0].shape for array in arrays):
        raise ValueError(f"{', '.join('xyz'[: len(points)])} are incompatible")
    result = polyval(arrays[0], c)
    for array in arrays[1:]:
        result = polyval(array, result, tensor=False)
    return result


def polyval2d(x: ArrayLike, y: ArrayLike, c: ArrayLike) -> ndarray:
    """The polynomial of two variables at the points (`x`, `y`). See `numpy.polynomial.polynomial.polyval2d`."""
    return _values(c, x, y)


def polyval3d(x: ArrayLike, y: ArrayLike, z: ArrayLike, c: ArrayLike) -> ndarray:
    """The polynomial of three variables at the points (`x`, `y`, `z`).

    See `numpy.polynomial.polynomial.polyval3d`.
    """
    return _values(c, x, y, z)


def polygrid2d(x: ArrayLike, y: ArrayLike, c: ArrayLike) -> ndarray:
    """The polynomial of two variables at each of `x` with each of `y`. See `numpy.polynomial.polynomial.polygrid2d`."""
    return polyval(y, polyval(x, c))


def polygrid3d(x: ArrayLike, y: ArrayLike, z: ArrayLike, c: ArrayLike) -> ndarray:
    """The polynomial of three variables at each of `x` with each of `y` and `z`.

    See `numpy.polynomial.polynomial.polygrid3d`.
    """
    return polyval(z, polyval(y, polyval(x, c)))


def polyder(c: ArrayLike, m: int = 1, scl: float = 1, axis: int = 0) -> ndarray:
    """The `m`-th derivative, each time multiplied by `scl`. See `numpy.polynomial.polynomial.polyder`."""
    c, count, axis = _inexact(c), _order(m, "the order of derivation"), _order(axis, "the axis")
    if count < 0:
        raise ValueError("The order of derivation must be non-negative")
    axis = _core.normalize_axis(axis, c.ndim)
    if count == 0:
        return c.copy()
    dtype = c.dtype
    c = _core.moveaxis(c, axis, 0)
    if count >= c.shape[0]:
        return _core.moveaxis(c[:1] * 0, 0, axis)
    for _ in range(count):
        powers = along(_core.arange(1, 1, c.shape[0] - 1, np.int64).astype(dtype), 0, c.ndim)
        c = powers * (c[1:] * scl).astype(dtype, copy=False)
    return _core.moveaxis(c, 0, axis)


def polyint(
    c: ArrayLike,
    m: int = 1,
    k: Any = [],  # noqa: B006
    lbnd: float = 0,
    scl: float = 1,
    axis: int = 0,
) -> ndarray:
    """The `m`-th antiderivative from `lbnd`, with the constants `k`, each time multiplied by `scl` before.

    See `numpy.polynomial.polynomial.polyint`.
    """
    c, count, axis = _inexact(c), _order(m, "the order of integration"), _order(axis, "the axis")
    constants = list(k) if isinstance(k, (Sequence, ndarray)) and not (isinstance(k, ndarray) and k.ndim == 0) else [k]
    if count < 0:
        raise ValueError("The order of integration must be non-negative")
    if len(constants) > count:
        raise ValueError("Too many integration constants")
    for name, value in (("lbnd", lbnd), ("scl", scl)):
        if (value.ndim if isinstance(value, ndarray) else np.ndim(value)) != 0:
            raise ValueError(f"{name} must be a scalar.")
    axis = _core.normalize_axis(axis, c.ndim)
    if count == 0:
        return c.copy()
    dtype = c.dtype
    c = _core.moveaxis(c, axis, 0)
    for constant in constants + [0] * (count - len(constants)):
        c = (c * scl).astype(dtype, copy=False)
        if c.shape[0] == 1 and bool((c == 0).all()):
            c = (c + constant).astype(dtype, copy=False)
            continue
        powers = along(_core.arange(1, 1, c.shape[0], np.int64).astype(dtype), 0, c.ndim)
        c = concatenate((c[:1] * 0, c / powers))
        c[0] += constant - polyval(lbnd, c)
    return _core.moveaxis(c, 0, axis)


def polyvander(x: ArrayLike, deg: int) -> ndarray:
    """The powers of each of `x` up to `deg` along a new last axis. See `numpy.polynomial.polynomial.polyvander`."""
    degree = _order(deg, "deg")
    if degree < 0:
        raise ValueError("deg must be non-negative")
    x = atleast_1d(as_array(x)) + 0.0
    result = _core.empty((degree + 1, *x.shape), x.dtype)
    result[0] = x * 0 + 1
    # Each round doubles how many powers are known.
    known = 1
    power = x
    while known <= degree:
        count = min(known, degree + 1 - known)
        result[known : known + count] = result[:count] * power
        known += count
        power = power * power
    return _core.moveaxis(result, 0, -1)


def _vanders(points: Sequence[ArrayLike], degrees: Sequence[int]) -> ndarray:
    if len(points) != len(degrees):
        raise ValueError(f"Expected {len(points)} dimensions of degrees, got {len(degrees)}")
    joined = stack([as_array(point) for point in points]) + 0.0
    result: Any = None
    for i, degree in enumerate(degrees):
        powers = polyvander(joined[i], degree)
        place = tuple(slice(None) if j == i else None for j in range(len(degrees)))
        powers = powers[(..., *place)]
        result = powers if result is None else result * powers
    return result.reshape((*result.shape[: -len(degrees)], -1))


def polyvander2d(x: ArrayLike, y: ArrayLike, deg: Sequence[int]) -> ndarray:
    """The products of the powers of `x` and `y` up to the degrees `deg` along a new last axis.

    See `numpy.polynomial.polynomial.polyvander2d`.
    """
    return _vanders((x, y), deg)


def polyvander3d(x: ArrayLike, y: ArrayLike, z: ArrayLike, deg: Sequence[int]) -> ndarray:
    """The products of the powers of `x`, `y` and `z` up to the degrees `deg` along a new last axis.

    See `numpy.polynomial.polynomial.polyvander3d`.
    """
    return _vanders((x, y, z), deg)


def polycompanion(c: ArrayLike) -> ndarray:
    """The companion matrix, whose eigenvalues are the roots. See `numpy.polynomial.polynomial.polycompanion`."""
    (c,) = as_series([c])
    if c.size < 2:
        raise ValueError("Series must have maximum degree of at least 1.")
    order = c.size - 1
    result = _core.zeros((order, order), c.dtype)
    result.reshape(-1)[order :: order + 1] = 1
    result[:, -1] -= c[:-1] / c[-1]
    return result
