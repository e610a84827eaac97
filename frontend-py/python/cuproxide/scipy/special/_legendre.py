"""Legendre functions of the first kind and their derivatives: one kernel that climbs the degrees for a fixed order."""

from __future__ import annotations

import numbers
import operator
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ... import moveaxis
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.conversions import as_array
from ..._typing import ArrayLike

__all__ = [
    "assoc_legendre_p",
    "assoc_legendre_p_all",
    "legendre_p",
    "legendre_p_all",
    "sph_legendre_p",
    "sph_legendre_p_all",
]

# Factors beyond these are split off, so that powers of the sine and polynomials that grow against them meet in range.
BITS = 400
LARGE, SMALL = 2.0**BITS, 2.0**-BITS
# How many values a point has by kind: the derivatives, or for harmonics value, gradient and Hessian.
HARMONIC_SLOTS = (1, 3, 7)
MOST_DERIVATIVES = 2


@k.function
def _size(x):
    return abs(x.real) + abs(x.imag) if x.dtype.kind == "c" else abs(x)


@k.function
def _sectoral(m, w, squared, *, norm):
    """The function of degree and order |m| over w**2 = `squared`, less a power of `LARGE`, which comes second."""
    order = abs(m)
    odd = (order & 1) == 1
    negative = m < 0
    if norm:
        value = k.where(odd, 0.5 * 3.0**0.5 * w, 0.5**0.5)
    else:
        value = k.where(odd, k.where(negative, 0.5 * w, w), 1.0)
    power, j = 0, k.where(odd, 3, 2)
    while j <= order:
        t = j.astype(np.float64)
        if norm:
            factor = k.sqrt((2.0 * t + 1.0) * (2.0 * t - 1.0) / (4.0 * t * (t - 1.0)))
        else:
            factor = k.where(negative, 1.0 / (4.0 * t * (t - 1.0)), (2.0 * t - 1.0) * (2.0 * t - 3.0))
        value = value * (factor * squared)
        size = _size(value)
        if size > LARGE:
            value = value * SMALL
            power += 1
        elif size < SMALL:
            # Of a zero nothing is left to split off.
            if size > 0.0:
                value = value * LARGE
                power -= 1
        j += 2
    return value, power


@k.function
def _factors(n, m, *, norm):
    """What the functions of degrees n - 1, times the argument, and n - 2 contribute to that of degree n."""
    a, b = n.astype(np.float64), m.astype(np.float64)
    if norm:
        below = (a - b) * (a + b)
        up = k.sqrt((2.0 * a + 1.0) * (2.0 * a - 1.0) / below)
        down = (a - 1.0 - b) * (a - 1.0 + b) * (2.0 * a + 1.0) / ((2.0 * a - 3.0) * below)
        return up, k.sqrt(k.where(down > 0.0, down, 0.0))
    return (2.0 * a - 1.0) / (a - b), (a + b - 1.0) / (a - b)


@k.function
def _scaled(value, power):
    if power != 0:
        # In four steps, since the whole factor may leave the range where the product does not.
        step = k.exp2((BITS // 4) * k.clamp(power, -8, 8).astype(np.float64))
        value = value * step * step * step * step
    return value


@k.function
def _on_axis(start, order, x, sign, q, q1, q2):
    """The function and two derivatives where w = 0, of w**order times a polynomial with the derivatives q, q1, q2."""
    value, first, second = k.where(order == 0, start * q, 0.0), 0.0 * start, 0.0 * start
    if order == 0:
        first, second = start * q1, start * q2
    elif order == 1:
        first, second = -sign * x * start * q * np.inf, -start * q * np.inf
    elif order == 2:
        first, second = -2.0 * sign * x * start * q, -2.0 * sign * start * (q + 2.0 * x * q1)
    elif order == 3:
        second = 3.0 * start * q * np.inf
    elif order == 4:
        second = 8.0 * start * q
    return value, first, second


@k.function
def _on_pole(start, order, cosine, q, q1):
    """The same with respect to the angle where its sine is 0: nothing is infinite there."""
    value, first, second = k.where(order == 0, start * q, 0.0), 0.0 * start, 0.0 * start
    if order == 0:
        second = -cosine * start * q1
    elif order == 1:
        first = cosine * start * q
    elif order == 2:
        second = 2.0 * start * q
    return value, first, second


@k.function
def _derivatives(start, power, m, z, sine, squared, sign, edge, q, q1, q2, *, sph, diff):
    """The function and its derivatives of w**|m| times a polynomial with the derivatives q, q1 and q2."""
    order = abs(m)
    e = order.astype(np.float64)
    if sph:
        value, first, second = start * q, 0.0 * start, 0.0 * start
        if edge:
            value, first, second = _on_pole(start, order, z, q, q1)
        elif diff > 0:
            slope = z / sine
            first = start * (e * slope * q - sine * q1)
            if diff > 1:
                own = (e * (e - 1.0) * slope * slope - e) * q
                second = start * (own - (2.0 * e + 1.0) * z * q1 + sine * sine * q2)
        return _scaled(value, power), _scaled(first, power), _scaled(second, power)
    value, first, second = start * q, 0.0 * start, 0.0 * start
    if edge:
        if z.dtype.kind == "c":
            # Real, and so are infinities.
            value, first, second = _on_axis(start.real, order, z.real, sign, q.real, q1.real, q2.real)
            value, first, second = (k.complex_(part, 0.0) for part in (value, first, second))
        else:
            value, first, second = _on_axis(start, order, z, sign, q, q1, q2)
    elif diff > 0:
        if order == 0:
            first, second = start * q1, start * q2
        else:
            slope = z / squared
            first = start * (q1 - sign * e * slope * q)
            if diff > 1:
                own = (e * (e - 2.0) * slope * slope - sign * e / squared) * q
                second = start * (q2 - 2.0 * sign * e * slope * q1 + own)
    return _scaled(value, power), _scaled(first, power), _scaled(second, power)


@k.function
def _store(target, row, m, turn, values, *, harmonic, diff):
    """Writes the derivatives, for harmonics times exp(i m phi) = `turn` and with those along phi."""
    if harmonic:
        e = m.astype(np.float64)
        along = k.complex_(-e * turn.imag, e * turn.real)
        parts = [values[0] * turn]
        if diff > 0:
            parts += [values[1] * turn, values[0] * along]
        if diff > 1:
            mixed = values[1] * along
            parts += [values[2] * turn, mixed, mixed, -e * e * values[0] * turn]
    else:
        parts = values[: diff + 1]
    for slot in range(len(parts)):
        target[row, slot] = parts[slot].astype(target.dtype)


@k.kernel
def _climb(
    target: k.Out[2], n: k.Each, m: k.Each, z: k.Each, phi: k.Each, cut: k.Each, top: int,
    *, every, kind, norm, diff,
):  # fmt: skip
    """Functions of the degree n or, with `every`, of degrees up to that of the last row, for orders -top to top."""
    sph, harmonic = kind in ("spherical", "harmonic"), kind == "harmonic"
    rows = target.shape[0]
    if every:
        m = k.coordinates()[0]
        m = k.where(m > top, m - 2 * top - 1, m)
        n = rows - 1 + 0 * m
    else:
        n, m = n.astype(np.int64), m.astype(np.int64)
    wide = np.complex128 if z.dtype.kind == "c" else np.float64
    z, sign, sine, turn = z.astype(wide), k.value(1.0), k.value(0.0), k.value(0.0)
    if sph:
        sine, z = k.sin(z), k.cos(z)
        edge = sine == 0.0
        w, squared = k.where(m < 0, abs(sine), -abs(sine)), sine * sine
        w = k.where(edge, k.where(m < 0, 1.0, -1.0), w)
    else:
        outer = cut == 3
        sign = k.where(outer, -1.0, 1.0)
        edge = (_size(z.real) == 1.0) & (z.imag == 0.0) if z.dtype.kind == "c" else abs(z) == 1.0
        squared = k.where(outer, (z - 1.0) * (z + 1.0), (1.0 - z) * (1.0 + z))
        inner = k.where(m < 0, 1.0, -1.0)
        w = k.where(outer, k.sqrt(z - 1.0) * k.sqrt(z + 1.0), inner * k.sqrt(squared))
        w = k.where(edge, k.where(outer, 1.0, inner).astype(wide), w)
        if z.dtype.kind == "f":
            # Beyond the cut real functions of even orders have no number either, as in SciPy.
            squared = k.where(k.isnan(w), np.nan, squared)
    if harmonic:
        angle = m.astype(np.float64) * phi.astype(np.float64)
        turn = k.complex_(k.cos(angle), k.sin(angle))
    power_of = k.where(edge, k.value(1.0).astype(wide), squared)
    start, power = _sectoral(m, w, power_of, norm=norm)
    if sph:
        start = start * (1.0 / (2.0 * np.pi)) ** 0.5
    order = abs(m)
    zero = k.value(0.0).astype(wide)
    if every:
        j = 0
        while j < k.where(order < rows, order, rows):
            _store(target, j, m, turn, (zero, zero, zero), harmonic=harmonic, diff=diff)
            j += 1
    elif order > n:
        # A polynomial (of no orders) of negative degree is none.
        none = zero + np.nan if kind == "polynomial" else zero
        _store(target, 0, m, turn, (none, none, none), harmonic=harmonic, diff=diff)
    q, q1, q2 = k.value(1.0).astype(wide), zero, zero
    p, p1, p2 = zero, zero, zero
    j = order
    while j <= n:
        if j > order:
            up, down = _factors(j, m, norm=norm)
            r = up * (z * q) - down * p
            # Of a constant there is no slope, even where the argument is not finite.
            slope = k.where(j == order + 1, zero, z * q1) if diff > 0 else zero
            r1 = up * (slope + q) - down * p1 if diff > 0 else zero
            bend = k.where(j == order + 1, zero, z * q2) if diff > 1 else zero
            r2 = up * (bend + 2.0 * q1) - down * p2 if diff > 1 else zero
            p, p1, p2, q, q1, q2 = q, q1, q2, r, r1, r2
            if _size(q) + _size(q1) + _size(q2) > LARGE:
                p, p1, p2, q, q1, q2 = p * SMALL, p1 * SMALL, p2 * SMALL, q * SMALL, q1 * SMALL, q2 * SMALL
                power += 1
        if every or j == n:
            values = _derivatives(start, power, m, z, sine, squared, sign, edge, q, q1, q2, sph=sph, diff=diff)
            _store(target, j if every else 0, m, turn, values, harmonic=harmonic, diff=diff)
        j += 1


def _order_of_derivative(value: Any, strict: bool = False) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        number = -1
    if number < 0:
        raise ValueError(f"diff_n must be a non-negative integer, received: {value!r}.")
    if number > MOST_DERIVATIVES:
        error = NotImplementedError if strict else ValueError
        raise error(f"diff_n is currently only implemented for orders 0, 1, and 2, received: {number}.")
    return number


def _whole(name: str, **operands: ArrayLike) -> list[ndarray]:
    """Operands that must be integers of at most 64 bits, as in SciPy's loops."""
    arrays = []
    for operand, value in operands.items():
        array = as_array(value)
        if array.dtype.kind not in "biu" or array.dtype == np.uint64:
            raise TypeError(f"{name} takes integers for {operand}, not {array.dtype}")
        arrays.append(array)
    return arrays


def _points(name: str, operand: str, value: ArrayLike, complex_too: bool = False) -> ndarray:
    array = as_array(value)
    if array.dtype.kind not in ("biufc" if complex_too else "biuf"):
        raise TypeError(f"{name} takes {'' if complex_too else 'real '}numbers for {operand}, not {array.dtype}")
    return array


def _wide(*arrays: ndarray) -> np.dtype[Any]:
    return np.dtype(np.complex128 if any(array.dtype.kind == "c" for array in arrays) else np.float64)


def _own(*arrays: ndarray) -> np.dtype[Any]:
    """The type that functions of all degrees compute in: single precision stays."""
    if all(array.dtype in (np.float32, np.complex64) for array in arrays):
        return np.dtype(np.complex64 if any(array.dtype.kind == "c" for array in arrays) else np.float32)
    return _wide(*arrays)


def _limits(n: Any, m: Any = 0, negative_order: bool = True) -> tuple[int, int]:
    if not isinstance(n, numbers.Integral) or n < 0:
        raise ValueError(f"n must be a non-negative integer, not {n!r}.")
    if not negative_order and (not isinstance(m, numbers.Integral) or m < 0):
        raise ValueError(f"m must be a non-negative integer, not {m!r}.")
    return operator.index(n), abs(operator.index(m))


def _slots(kind: str, diff: int) -> int:
    return HARMONIC_SLOTS[diff] if kind == "harmonic" else diff + 1


def _one(
    kind: str, n: ndarray, m: ndarray | int, z: ndarray, diff: int, norm: bool,
    dtype: Any, phi: ndarray | float = 0.0, cut: ndarray | int = 2,
) -> ndarray:  # fmt: skip
    """Values of one degree and order at each point, derivatives along the first axis."""
    shape = np.broadcast_shapes(*(array.shape for array in (n, m, z, phi, cut) if isinstance(array, ndarray)))
    out = _core.empty((_slots(kind, diff), 1, *shape), dtype)
    target = moveaxis(out, (1, 0), (-2, -1))
    _climb(target, n, m, z, phi, cut, 0, every=False, kind=kind, norm=norm, diff=diff)
    return out[:, 0]


def _all(
    kind: str, n: int, m: int, z: ndarray, diff: int, norm: bool,
    dtype: Any, phi: ndarray | float = 0.0, cut: ndarray | int = 2,
) -> ndarray:  # fmt: skip
    """Values of all degrees and orders: axes for derivatives, degrees and orders come first."""
    shape = np.broadcast_shapes(*(array.shape for array in (z, phi, cut) if isinstance(array, ndarray)))
    out = _core.empty((_slots(kind, diff), n + 1, 2 * m + 1, *shape), dtype)
    target = moveaxis(out, (1, 0), (-2, -1))
    _climb(target, 0, 0, z, phi, cut, m, every=True, kind=kind, norm=norm, diff=diff)
    return out


def legendre_p(n: ArrayLike, z: ArrayLike, *, diff_n: int = 0) -> ndarray:
    """Legendre polynomials and their derivatives.

    Parameters
    ----------
    n : array_like of ints
        Degree; NaN is returned where it is negative.
    z : array_like of floats
        Argument.

    Returns
    -------
    ndarray
        float64, of the shape ``(diff_n + 1, ...)``: the polynomials, then the derivatives with respect to `z`.

    Raises
    ------
    TypeError
        `n` is not made of integers, or `z` not of real numbers.
    ValueError
        `diff_n` is not a non-negative integer.
    NotImplementedError
        `diff_n` is more than 2.

    See Also
    --------
    scipy.special.legendre_p : The function that this one follows; DLMF 18.9.1.

    >>> cp.scipy.special.legendre_p(cp.asarray([1, 2]), 0.5, diff_n=1)
    array([[ 0.5  , -0.125],
           [ 1.   ,  1.5  ]])
    """
    diff = _order_of_derivative(diff_n, strict=True)
    (degree,) = _whole("legendre_p", n=n)
    return _one("polynomial", degree, 0, _points("legendre_p", "z", z), diff, False, np.float64)


def legendre_p_all(n: int, z: ArrayLike, *, diff_n: int = 0) -> ndarray:
    """Legendre polynomials of all degrees up to `n`, and their derivatives.

    Parameters
    ----------
    n : int
        The last degree.

    Returns
    -------
    ndarray
        Of the shape ``(diff_n + 1, n + 1, ...)``; single precision for arguments of single precision.

    Raises
    ------
    ValueError
        `n` is not a non-negative integer, or `diff_n` is not 0, 1 or 2.

    See Also
    --------
    scipy.special.legendre_p_all : The function that this one follows; DLMF 18.9.1.

    >>> cp.scipy.special.legendre_p_all(2, 0.5)
    array([[ 1.   ,  0.5  , -0.125]])
    """
    diff = _order_of_derivative(diff_n)
    last, _ = _limits(n)
    x = _points("legendre_p_all", "z", z, complex_too=True)
    return _all("legendre", last, 0, x, diff, False, _own(x))[:, :, 0]


def assoc_legendre_p(
    n: ArrayLike, m: ArrayLike, z: ArrayLike, *, branch_cut: ArrayLike = 2, norm: bool = False, diff_n: int = 0
) -> ndarray:
    """Associated Legendre functions of whole degrees and orders, and their derivatives.

    Parameters
    ----------
    n, m : array_like of ints
        Degree and order; functions are 0 where ``abs(m) > n``.
    branch_cut : array_like of ints, optional
        2 for the cut along the real axis beyond -1 and 1, 3 for that between them. Real arguments on the cut give NaN.
    norm : bool, optional
        Multiplies by ``sqrt((2 n + 1) (n - m)! / (2 (n + m)!))``, which makes the integral of the square 1.

    Returns
    -------
    ndarray
        float64 or complex128, of the shape ``(diff_n + 1, ...)``: the functions, then the derivatives with respect to
        `z`. At -1 and 1 those of orders 1 and 3 may be infinite; all else is exact there, where SciPy leaves out `norm`
        and the signs at -1.

    Raises
    ------
    TypeError
        `n`, `m` or `branch_cut` are not made of integers.
    ValueError
        `diff_n` is not 0, 1 or 2.

    See Also
    --------
    scipy.special.assoc_legendre_p : The function that this one follows; DLMF 14.10.3.

    >>> cp.scipy.special.assoc_legendre_p(2, cp.asarray([-1, 0, 1]), 0.5).round(6)
    array([[ 0.216506, -0.125   , -1.299038]])
    """
    diff = _order_of_derivative(diff_n)
    degree, order, cut = _whole("assoc_legendre_p", n=n, m=m, branch_cut=branch_cut)
    x = _points("assoc_legendre_p", "z", z, complex_too=True)
    return _one("legendre", degree, order, x, diff, bool(norm), _wide(x), cut=cut)


def assoc_legendre_p_all(
    n: int, m: int, z: ArrayLike, *, branch_cut: ArrayLike = 2, norm: bool = False, diff_n: int = 0
) -> ndarray:
    """Associated Legendre functions of all degrees up to `n` and orders from `-m` to `m`, and their derivatives.

    Parameters
    ----------
    n, m : int
        The last degree and order.
    branch_cut : array_like of ints, optional
        2 for the cut along the real axis beyond -1 and 1, 3 for that between them.
    norm : bool, optional
        Multiplies by ``sqrt((2 n + 1) (n - m)! / (2 (n + m)!))``.

    Returns
    -------
    ndarray
        float64 or complex128, of the shape ``(diff_n + 1, n + 1, 2 * m + 1, ...)``. Negative orders count from the end.

    Raises
    ------
    ValueError
        `n` or `m` is not a non-negative integer, or `diff_n` is not 0, 1 or 2.

    See Also
    --------
    scipy.special.assoc_legendre_p_all : The function that this one follows; DLMF 14.10.3.

    >>> cp.scipy.special.assoc_legendre_p_all(1, 1, 0.6).round(6)
    array([[[ 1. ,  0. ,  0. ],
            [ 0.6, -0.8,  0.4]]])
    """
    diff = _order_of_derivative(diff_n)
    last, top = _limits(n, m, negative_order=False)
    (cut,) = _whole("assoc_legendre_p_all", branch_cut=branch_cut)
    x = _points("assoc_legendre_p_all", "z", z, complex_too=True)
    return _all("legendre", last, top, x, diff, bool(norm), _wide(x), cut=cut)


def sph_legendre_p(n: ArrayLike, m: ArrayLike, theta: ArrayLike, *, diff_n: int = 0) -> ndarray:
    """Spherical Legendre functions, which are spherical harmonics at the azimuth 0, and their derivatives.

    Parameters
    ----------
    n, m : array_like of ints
        Degree and order; functions are 0 where ``abs(m) > n``.

    Returns
    -------
    ndarray
        float64, of the shape ``(diff_n + 1, ...)``: the functions, then the derivatives with respect to `theta`.

    Raises
    ------
    TypeError
        `n` or `m` are not made of integers, or `theta` not of real numbers.
    ValueError
        `diff_n` is not 0, 1 or 2.

    See Also
    --------
    scipy.special.sph_legendre_p : The function that this one follows; DLMF 14.30.1.

    >>> cp.scipy.special.sph_legendre_p(1, cp.asarray([0, 1]), 0.0, diff_n=1).round(6)
    array([[ 0.488603,  0.      ],
           [ 0.      , -0.345494]])
    """
    diff = _order_of_derivative(diff_n)
    degree, order = _whole("sph_legendre_p", n=n, m=m)
    return _one("spherical", degree, order, _points("sph_legendre_p", "theta", theta), diff, True, np.float64)


def sph_legendre_p_all(n: int, m: int, theta: ArrayLike, *, diff_n: int = 0) -> ndarray:
    """Spherical Legendre functions of all degrees up to `n` and orders from `-m` to `m`, and their derivatives.

    Parameters
    ----------
    n, m : int
        The last degree and order.

    Returns
    -------
    ndarray
        Of the shape ``(diff_n + 1, n + 1, 2 * abs(m) + 1, ...)``; float32 for angles of float32. Negative orders count
        from the end.

    Raises
    ------
    TypeError
        `m` is not an integer, or `theta` not made of real numbers.
    ValueError
        `n` is not a non-negative integer, or `diff_n` is not 0, 1 or 2.

    See Also
    --------
    scipy.special.sph_legendre_p_all : The function that this one follows; DLMF 14.30.1.

    >>> cp.scipy.special.sph_legendre_p_all(1, 1, 0.5).round(6)
    array([[[ 0.282095,  0.      ,  0.      ],
            [ 0.428789, -0.165639,  0.165639]]])
    """
    diff = _order_of_derivative(diff_n)
    last, top = _limits(n, m)
    angle = _points("sph_legendre_p_all", "theta", theta)
    return _all("spherical", last, top, angle, diff, True, _own(angle))
