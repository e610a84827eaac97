"""Legendre functions of the second kind of whole degrees and orders, and their derivatives."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ... import moveaxis
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.conversions import as_array
from ..._typing import ArrayLike

__all__ = ["lqmn", "lqn"]

# What stands for the poles at -1 and 1, as in SciPy.
POLE = 1e300
# After so many foldings by e, twice, the start of a continued fraction is forgotten to the last digit.
FOLDINGS = 20.0


@k.function
def _logarithm(z, outer):
    """The function of degree 0: artanh of `z`, or of its inverse outside the unit circle."""
    if z.dtype.kind == "f":
        return k.where(outer, k.copysign(0.5 * k.log1p(2.0 / (abs(z) - 1.0)), z), k.arctanh(z))
    # The imaginary part by the quotient itself: it decides the side of the cut.
    turned = k.where(outer, -1.0, 1.0) * (1.0 + z) / (1.0 - z)
    # The function is odd, and for positive real parts nothing cancels.
    x = abs(z.real)
    real = k.copysign(0.25 * k.log1p(4.0 * x / ((1.0 - x) * (1.0 - x) + z.imag * z.imag)), z.real)
    return k.complex_(real, 0.5 * k.arctan2(turned.imag, turned.real))


@k.function
def _row(target, order: int, z, first, second, growth):
    """Functions of one order (0 or 1) and all degrees from those of degrees 0 and 1."""
    n = target.shape[2] - 1
    target[0, order, 0] = first
    degrees = n.astype(np.float64)
    if 2.0 * degrees * growth <= 1.0:
        before, now, j = first, second, k.value(1)
        while j <= n:
            target[0, order, j] = now
            t = j.astype(np.float64)
            following = ((2.0 * t + 1.0) * z * now - (t + order) * before) / (t + 1.0 - order)
            before, now = now, following
            j += 1
    else:
        # Where functions of the second kind fall with the degree, their quotients come down a continued fraction.
        ratio = 0.0 * z
        j = n + k.ceil(FOLDINGS / growth).astype(np.int64)
        while j > 0:
            t = j.astype(np.float64)
            ratio = (t + order) / ((2.0 * t + 1.0) * z - (t + 1.0 - order) * ratio)
            if j <= n:
                target[0, order, j] = ratio
            j -= 1
        now, j = first, k.value(1)
        while j <= n:
            now = now * target[0, order, j]
            target[0, order, j] = now
            j += 1


@k.kernel
def _second_kind(target: k.Out[3], z: k.Each):
    """Writes the functions, then the derivatives, by order and degree."""
    m, n = target.shape[1] - 1, target.shape[2] - 1
    wide = np.complex128 if z.dtype.kind == "c" else np.float64
    z = z.astype(wide)
    outer = abs(z) > 1.0
    side = k.where(outer, -1.0, 1.0)
    inverse = 1.0 / ((1.0 - z) * (1.0 + z))
    root = k.sqrt(side * (1.0 - z) * (1.0 + z))
    edge = (abs(z.real) == 1.0) & (z.imag == 0.0) if z.dtype.kind == "c" else abs(z) == 1.0
    if edge:
        i = k.value(0)
        while i <= m:
            j = k.value(0)
            while j <= n:
                target[0, i, j] = k.value(POLE).astype(wide)
                target[1, i, j] = k.value(POLE).astype(wide)
                j += 1
            i += 1
    else:
        q = _logarithm(z, outer)
        growth = k.value(0.0)
        if outer:
            growth = k.log(abs(z + k.sqrt(z - 1.0) * k.sqrt(z + 1.0))) if wide is np.complex128 else k.arccosh(abs(z))
        _row(target, 0, z, q, z * q - 1.0, growth)
        target[1, 0, 0] = inverse
        j = k.value(1)
        while j <= n:
            t = j.astype(np.float64)
            target[1, 0, j] = inverse * t * (target[0, 0, j - 1] - z * target[0, 0, j])
            j += 1
        if m > 0:
            _row(target, 1, z, -1.0 / root, -side * root * (q + z * inverse), growth)
        i = k.value(1)
        while i <= m:
            order = i.astype(np.float64)
            j = k.value(0)
            while j <= n:
                t = j.astype(np.float64)
                if i > 1:
                    steep = -2.0 * (order - 1.0) * z / root * target[0, i - 1, j]
                    target[0, i, j] = steep - side * (t + order - 1.0) * (t - order + 2.0) * target[0, i - 2, j]
                own = order * z * inverse * target[0, i, j]
                target[1, i, j] = own + (order + t) * (t - order + 1.0) / root * target[0, i - 1, j]
                j += 1
            i += 1


def _both(m: int, n: int, z: ArrayLike) -> tuple[ndarray, ndarray]:
    x = as_array(z)
    if x.dtype.kind not in "biufc":
        raise TypeError(f"z must be made of numbers, not {x.dtype}")
    out = _core.empty((2, m + 1, n + 1, *x.shape), np.complex128 if x.dtype.kind == "c" else np.float64)
    _second_kind(moveaxis(out, (0, 1, 2), (-3, -2, -1)), x)
    return out[0], out[1]


def _size_of(value: Any, name: str) -> int:
    if np.ndim(value) != 0 or value < 0:
        raise ValueError(f"{name} must be a non-negative integer, not {value!r}.")
    return int(value)


def lqn(n: int, z: ArrayLike) -> tuple[ndarray, ndarray]:
    """Legendre functions of the second kind of all degrees up to `n`, and their derivatives.

    Parameters
    ----------
    n : int
        The last degree.

    Returns
    -------
    tuple of ndarray
        The functions and the derivatives, float64 or complex128, each of the shape ``(n + 1, ...)``. Outside the unit
        circle they are those with the cut from -1 to 1, inside it Ferrers' functions. 1e300 stands for poles.

    Raises
    ------
    TypeError
        `n` is not a number.
    ValueError
        `n` is not a non-negative integer.

    See Also
    --------
    scipy.special.lqn : The function that this one follows; DLMF 14.7.

    >>> cp.scipy.special.lqn(2, 0.5)[0].round(6)
    array([ 0.549306, -0.725347, -0.818663])
    """
    if isinstance(n, (float, np.floating)):
        raise ValueError(f"n must be a non-negative integer, not {n!r}")
    try:
        last = operator.index(n)
    except TypeError:
        raise TypeError(f"n must be a non-negative integer, not {n!r}") from None
    functions, derivatives = _both(0, _size_of(last, "n"), z)
    return functions[0], derivatives[0]


def lqmn(m: int, n: int, z: ArrayLike) -> tuple[ndarray, ndarray]:
    """Associated Legendre functions of the second kind of all orders up to `m` and degrees up to `n`.

    Parameters
    ----------
    m, n : int
        The last order and degree.

    Returns
    -------
    tuple of ndarray
        The functions and their derivatives, float64 or complex128, each of the shape ``(m + 1, n + 1, ...)``. Outside
        the unit circle they are those with the cut from -1 to 1, inside it Ferrers' functions. 1e300 stands for poles.

    Raises
    ------
    ValueError
        `m` or `n` is negative or not a scalar.

    See Also
    --------
    scipy.special.lqmn : The function that this one follows; DLMF 14.10.

    >>> cp.scipy.special.lqmn(1, 1, 0.5)[0].round(6)
    array([[ 0.549306, -0.725347],
           [-1.154701, -1.053063]])
    """
    return _both(_size_of(m, "m"), _size_of(n, "n"), z)
