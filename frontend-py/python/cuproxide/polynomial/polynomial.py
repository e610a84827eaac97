"""Power series with the lowest power first. See `numpy.polynomial.polynomial`."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.conversions import SCALARS, along, as_array, is_inexact
from .._lib.texts import complete
from .._routines.joining import concatenate
from .._routines.polynomials import HORNER, divide, evaluate, from_roots
from .._routines.sequences import convolve
from .._routines.shapes import atleast_1d
from .._typing import ArrayLike
from ._basis import POWER, inexact
from ._classes import ABCPolyBase, series_class
from ._functions import (
    added,
    constants,
    eigenvalues,
    fit,
    integer,
    integrate,
    order_and_axis,
    power,
    values,
    vanders,
)
from ._texts import TEXTS
from .polyutils import as_series, trimcoef, trimseq

__all__ = [  # noqa: F822
    "ABCPolyBase",
    "Polynomial",
    "polyadd",
    "polycompanion",
    "polyder",
    "polydiv",
    "polydomain",
    "polyfit",
    "polyfromroots",
    "polygrid2d",
    "polygrid3d",
    "polyint",
    "polyline",
    "polymul",
    "polymulx",
    "polyone",
    "polypow",
    "polyroots",
    "polysub",
    "polytrim",
    "polyval",
    "polyval2d",
    "polyval3d",
    "polyvalnd",
    "polyvalfromroots",
    "polyvander",
    "polyvander2d",
    "polyvander3d",
    "polyx",
    "polyzero",
]

polytrim = trimcoef


def __getattr__(name: str) -> Any:
    return constants(POWER, name)


def polyline(off: float, scl: float) -> ndarray:
    """The coefficients of `off + scl * x`.

    >>> cp.polynomial.polynomial.polyline(1, 2)
    array([1, 2])
    """
    return _core.array([off, scl] if scl != 0 else [off])


def polyfromroots(roots: ArrayLike) -> ndarray:
    """The coefficients of the polynomial with these roots and the leading coefficient 1.

    See `numpy.polynomial.polynomial.polyfromroots`.

    >>> cp.polynomial.polynomial.polyfromroots([1.0, 2.0])
    array([ 2., -3.,  1.])
    """
    if len(roots) == 0:  # type: ignore[arg-type]
        return _core.full(1, 1.0, np.float64)
    (roots,) = as_series([roots], trim=False)
    return from_roots(roots, real=False)[::-1]


def polyadd(c1: ArrayLike, c2: ArrayLike) -> ndarray:
    """The sum of two polynomials. Waits for the device.

    >>> cp.polynomial.polynomial.polyadd([1, 2], [3])
    array([4., 2.])
    """
    return added(c1, c2, 1)


def polysub(c1: ArrayLike, c2: ArrayLike) -> ndarray:
    """The difference of two polynomials. Waits for the device.

    >>> cp.polynomial.polynomial.polysub([1, 2], [3])
    array([-2.,  2.])
    """
    return added(c1, c2, -1)


def polymulx(c: ArrayLike) -> ndarray:
    """The polynomial times x. Waits for the device. See `numpy.polynomial.polynomial.polymulx`.

    >>> cp.polynomial.polynomial.polymulx([1, 2])
    array([0., 1., 2.])
    """
    (c,) = as_series([c])
    return trimseq(concatenate((c[:1] * 0, c)))


def polymul(c1: ArrayLike, c2: ArrayLike) -> ndarray:
    """The product of two polynomials. Waits for the device.

    >>> cp.polynomial.polynomial.polymul([1, 2], [3, 4])
    array([ 3., 10.,  8.])
    """
    first, second = as_series([c1, c2])
    return trimseq(convolve(first, second))


def polydiv(c1: ArrayLike, c2: ArrayLike) -> tuple[ndarray, ndarray]:
    """Quotient and remainder of two polynomials; `ZeroDivisionError` for 0. Waits for the device.

    >>> cp.polynomial.polynomial.polydiv([1.0, 2.0, 3.0], [3.0, 2.0])
    (array([-1.25,  1.5 ]), array([4.75]))
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

    >>> cp.polynomial.polynomial.polypow([1, 2], 2)
    array([1., 4., 4.])
    """
    return power(convolve, c, pow, maxpower)


def polyval(x: ArrayLike, c: ArrayLike, tensor: bool = True) -> ndarray:
    """The polynomials with coefficients along the first axis of `c` at `x`; each at all of `x` if `tensor`.

    >>> cp.polynomial.polynomial.polyval(2.0, [1.0, 2.0])
    array(5.)
    """
    c = inexact(c)
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

    Parameters
    ----------
    r : array_like
        The roots.

    >>> cp.polynomial.polynomial.polyvalfromroots(3.0, [1.0, 2.0])
    array(2.)
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


def polyval2d(x: ArrayLike, y: ArrayLike, c: ArrayLike) -> ndarray:
    """The polynomial of two variables at the points (`x`, `y`).

    >>> cp.polynomial.polynomial.polyval2d(1.0, 2.0, [[1.0, 2.0], [3.0, 4.0]])
    array(16.)
    """
    return values(polyval, c, x, y)


def polyval3d(x: ArrayLike, y: ArrayLike, z: ArrayLike, c: ArrayLike) -> ndarray:
    """The polynomial of three variables at the points (`x`, `y`, `z`).

    >>> cp.polynomial.polynomial.polyval3d(1.0, 2.0, 3.0, [[[1.0, 2.0]]])
    array(7.)
    """
    return values(polyval, c, x, y, z)


def polyvalnd(pts: Sequence[ArrayLike], c: ArrayLike) -> ndarray:
    """The polynomial of several variables at points, whose coordinates `pts` holds one after the other.

    >>> cp.polynomial.polynomial.polyvalnd((1.0, 2.0), [[1.0, 2.0], [3.0, 4.0]])
    array(16.)
    """
    return values(polyval, c, *pts)


def polygrid2d(x: ArrayLike, y: ArrayLike, c: ArrayLike) -> ndarray:
    """The polynomial of two variables at each of `x` with each of `y`.

    >>> cp.polynomial.polynomial.polygrid2d([0.0, 1.0], [2.0], [[1.0, 2.0], [3.0, 4.0]])
    array([[ 5.],
           [16.]])
    """
    return polyval(y, polyval(x, c))


def polygrid3d(x: ArrayLike, y: ArrayLike, z: ArrayLike, c: ArrayLike) -> ndarray:
    """The polynomial of three variables at each of `x` with each of `y` and `z`.

    >>> cp.polynomial.polynomial.polygrid3d([0.0], [2.0], [1.0], [[[1.0, 2.0]]])
    array([[[3.]]])
    """
    return polyval(z, polyval(y, polyval(x, c)))


def polyder(c: ArrayLike, m: int = 1, scl: float = 1, axis: int = 0) -> ndarray:
    """The `m`-th derivative, each time multiplied by `scl`.

    >>> cp.polynomial.polynomial.polyder([1, 2, 3])
    array([2., 6.])
    """
    c = inexact(c)
    count, axis = order_and_axis(c, m, axis, "derivation")
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


def _antiderivative(c: ndarray) -> ndarray:
    powers = along(_core.arange(1, 1, c.shape[0], np.int64).astype(c.dtype), 0, c.ndim)
    return concatenate((c[:1] * 0, c / powers))


def polyint(
    c: ArrayLike,
    m: int = 1,
    k: Any = [],  # noqa: B006
    lbnd: float = 0,
    scl: float = 1,
    axis: int = 0,
) -> ndarray:
    """The `m`-th antiderivative from `lbnd`, with the constants `k`, each time multiplied by `scl` before.

    >>> cp.polynomial.polynomial.polyint([1, 2])
    array([0., 1., 1.])
    """
    return integrate(_antiderivative, polyval, c, m, k, lbnd, scl, axis)


def polyvander(x: ArrayLike, deg: int) -> ndarray:
    """The powers of each of `x` up to `deg` along a new last axis.

    >>> cp.polynomial.polynomial.polyvander([1.0, 2.0], 2)
    array([[1., 1., 1.],
           [1., 2., 4.]])
    """
    degree = integer(deg, "deg")
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


def polyvander2d(x: ArrayLike, y: ArrayLike, deg: Sequence[int]) -> ndarray:
    """The products of the powers of `x` and `y` up to the degrees `deg` along a new last axis.

    >>> cp.polynomial.polynomial.polyvander2d([1.0], [2.0], [1, 1])
    array([[1., 2., 1., 2.]])
    """
    return vanders(polyvander, (x, y), deg)


def polyvander3d(x: ArrayLike, y: ArrayLike, z: ArrayLike, deg: Sequence[int]) -> ndarray:
    """The products of the powers of `x`, `y` and `z` up to the degrees `deg` along a new last axis.

    >>> cp.polynomial.polynomial.polyvander3d([1.0], [2.0], [3.0], [1, 0, 1])
    array([[1., 3., 1., 3.]])
    """
    return vanders(polyvander, (x, y, z), deg)


def polycompanion(c: ArrayLike) -> ndarray:
    """The companion matrix, whose eigenvalues are the roots. See `numpy.polynomial.polynomial.polycompanion`.

    >>> cp.polynomial.polynomial.polycompanion([1.0, 2.0, 3.0])
    array([[ 0.        , -0.33333333],
           [ 1.        , -0.66666667]])
    """
    (c,) = as_series([c])
    if c.size < 2:
        raise ValueError("Series must have maximum degree of at least 1.")
    order = c.size - 1
    result = _core.zeros((order, order), c.dtype)
    result.reshape(-1)[order :: order + 1] = 1
    result[:, -1] -= c[:-1] / c[-1]
    return result


def polyfit(
    x: ArrayLike,
    y: ArrayLike,
    deg: int | Sequence[int],
    rcond: float | None = None,
    full: bool = False,
    w: ArrayLike | None = None,
) -> Any:
    """The polynomial of degree `deg` (or with these powers) of least squared error at `x`, weighted by `w`.

    With `full` also residuals, rank, singular values and `rcond` of the solver.

    Returns
    -------
    ndarray, or a tuple of it and what was asked for

    >>> cp.polynomial.polynomial.polyfit(cp.asarray([0.0, 1.0, 2.0]), cp.asarray([1.0, 3.0, 5.0]), 1).round(6)
    array([1., 2.])
    """
    return fit(polyvander, x, y, deg, rcond, full, w)


def polyroots(c: ArrayLike) -> ndarray:
    """The roots in ascending order: eigenvalues of the companion matrix. Waits for the device.

    See `numpy.polynomial.polynomial.polyroots`.

    >>> cp.sort(cp.polynomial.polynomial.polyroots([2.0, -3.0, 1.0])).round(6)
    array([1., 2.])
    """
    (c,) = as_series([c])
    if c.size < 2:
        return _core.empty((0,), c.dtype)
    return -c[:1] / c[1:] if c.size == 2 else eigenvalues(polycompanion(c))


_series = SimpleNamespace(
    **{name.removeprefix("poly"): function for name, function in globals().items() if name in __all__}
)
Polynomial = series_class(POWER, _series)


complete(globals(), __all__, TEXTS, "numpy.polynomial.polynomial")


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
