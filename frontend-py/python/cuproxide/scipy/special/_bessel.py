"""Bessel functions made of others: derivatives, spherical and Riccati functions."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ... import arange
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.conversions import as_array, as_operand
from ..._lib.ufuncs import NUMPY as _numpy
from ..._lib.ufuncs import SPECIAL as _special
from ..._typing import ArrayLike

__all__ = [
    "h1vp",
    "h2vp",
    "ivp",
    "jvp",
    "kvp",
    "lmbda",
    "riccati_jn",
    "riccati_yn",
    "spherical_in",
    "spherical_jn",
    "spherical_kn",
    "spherical_yn",
    "yvp",
]


def _not_negative(value: Any, name: str) -> int:
    """A whole number of the host's that is not negative."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, not {value!r}") from None
    if number < 0:
        raise ValueError(f"{name} must be a non-negative integer, not {number}")
    return number


def _derivative(name: str, v: ArrayLike, z: ArrayLike, n: int, sign: int) -> Any:
    """The derivative of order n as a sum over orders: DLMF 10.6.7 and 10.29.5."""
    function, times = _special[name], _not_negative(n, "n")
    order, x = as_array(v), as_array(z)
    if name.startswith("hankel") and x.dtype.kind != "c":
        x = x.astype(np.complex64 if x.dtype == np.float32 else np.complex128)
    if not times:
        return function(as_operand(v), x)
    factor, total = 1.0, function(order - times, x)
    for i in range(1, times + 1):
        factor = sign * factor * (times - i + 1) / i
        total = total + factor * function(order - times + 2 * i, x)
    return total / 2.0**times


def jvp(v: ArrayLike, z: ArrayLike, n: int = 1) -> Any:
    return _derivative("jv", v, z, n, -1)


def yvp(v: ArrayLike, z: ArrayLike, n: int = 1) -> Any:
    return _derivative("yv", v, z, n, -1)


def ivp(v: ArrayLike, z: ArrayLike, n: int = 1) -> Any:
    return _derivative("iv", v, z, n, 1)


def kvp(v: ArrayLike, z: ArrayLike, n: int = 1) -> Any:
    return (-1) ** _not_negative(n, "n") * _derivative("kv", v, z, n, 1)


def h1vp(v: ArrayLike, z: ArrayLike, n: int = 1) -> Any:
    return _derivative("hankel1", v, z, n, -1)


def h2vp(v: ArrayLike, z: ArrayLike, n: int = 1) -> Any:
    return _derivative("hankel2", v, z, n, -1)


# What they are derivatives of, the formula, and the example's result.
_DERIVATIVES = (
    (jvp, "Bessel functions of the first kind", "10.6.7", "-0.440051"),
    (yvp, "Bessel functions of the second kind", "10.6.7", "0.781213"),
    (ivp, "modified Bessel functions of the first kind", "10.29.5", "0.565159"),
    (kvp, "modified Bessel functions of the second kind", "10.29.5", "-0.601907"),
    (h1vp, "Hankel functions of the first kind", "10.6.7", "-0.440051+0.781213j"),
    (h2vp, "Hankel functions of the second kind", "10.6.7", "-0.440051-0.781213j"),
)
for _function, _of_what, _formula, _shown in _DERIVATIVES:
    _function.__doc__ = f"""Derivatives of {_of_what}.

    Parameters
    ----------
    v : array_like
        Order.
    z : array_like
        Argument, real or complex.
    n : int, optional
        Which derivative; 0 is the function itself.

    Returns
    -------
    ndarray
        The derivatives with respect to `z`; those of Hankel functions are complex.

    Raises
    ------
    ValueError
        `n` is negative.

    See Also
    --------
    scipy.special.{_function.__name__} : The function that this one follows; DLMF {_formula}.

    Examples
    --------
    >>> import cuproxide as cp
    >>> cp.scipy.special.{_function.__name__}(0, cp.asarray([1.0])).round(6)
    array([{_shown}])
    """


def lmbda(v: float, x: float) -> tuple[ndarray, ndarray]:
    """Jahnke and Emden's functions, gamma(v + 1) (2 / x)**v J_v(x), and their derivatives.

    Parameters
    ----------
    v : float
        Orders are those from its fraction to it.

    Raises
    ------
    ValueError
        An argument is not a scalar, or `v` is negative.

    See Also
    --------
    scipy.special.lmbda : The function that this one follows; Jahnke and Emden (1945), VIII.

    >>> cp.scipy.special.lmbda(1, 2.0)[0].round(6)
    array([0.223891, 0.576725])
    """
    if np.ndim(v) != 0 or np.ndim(x) != 0:
        raise ValueError("arguments must be scalars.")
    if v < 0:
        raise ValueError("argument must be > 0.")
    top = int(v)
    orders = (arange(top + 2) + (float(v) - top)).astype(np.float64)
    point = abs(float(x))
    quarter = point * point / 4
    # Where the first terms shrink, the power series; it keeps its digits where powers of x underflow.
    series = 1.0 + orders * 0.0
    for term in range(_LAMBDA_TERMS, 0, -1):
        series = 1.0 - quarter / (term * (orders + term)) * series
    log = _special["gammaln"](orders + 1.0) - orders * _numpy["log"](as_array(max(point, 1e-300) / 2))
    values = _core.where(
        quarter <= 2.0 * (orders + 1.0), series, _numpy["exp"](log) * _special["jv"](orders, as_array(point))
    )
    return values[:-1], -float(x) / 2 / orders[1:] * values[1:]


_LAMBDA_TERMS = 30


# From this argument on, and up to this order, spherical waves come from the sine and the cosine, whose phase is exact.
_FAR, _STEPS, _FEW = 25.0, 1000, 40
# Below this the leading term is all, and other formulas take powers that leave the range: DLMF 10.52.1.
_NEAR = 1e-9
# Lifts subnormal numbers, whose quotients would have few digits.
_SCALE = 2.0**200


@k.kernel
def _waves(order: k.Each, x: k.Each, *, name: str, regular: bool, turns: bool):
    """Spherical Bessel functions of positive numbers; those that turn go by recurrence far out, DLMF 10.51.1.

    Those of the second kind prevail in it everywhere, and low orders take less time than the function of half an order.
    """
    n = order.astype(np.float64)
    by_steps = (n <= _STEPS) & (x > k.maximum(_FAR, 1.2 * n))
    if name == "yv":
        by_steps = by_steps | ((n <= _FEW) & (x > 0.0))
    value = k.value(0.0)
    if regular and x < _NEAR:
        value = 1.0
        j = k.value(1.0)
        while j <= n and value > 0.0:
            value *= x / (2.0 * j + 1.0)
            j += 1.0
    elif turns and by_steps:
        sine, cosine = k.sin(x) / x, k.cos(x) / x
        value, following = (sine, sine / x - cosine) if name == "jv" else (-cosine, -cosine / x - sine)
        # The inverse has a second part: steps depend on one another, and divisions would take most of their time.
        inverse = 1.0 / x
        left = k.fma(-inverse, x, 1.0) * inverse
        # What the roundings of hundreds of steps leave of both numbers.
        low, following_low = k.value(0.0), k.value(0.0)
        j = k.value(1.0)
        while j <= n and following > -np.inf:
            count = 2.0 * j + 1.0
            factor = count * inverse
            rest = k.fma(count, inverse, -factor) + count * left
            product = factor * following
            next = product - value
            part = next - product
            lost = (product - (next - part)) - (value + part) + k.fma(factor, following, -product)
            lost = lost + k.fma(rest, following, k.fma(factor, following_low, -low))
            value, following, low, following_low = following, next, following_low, lost
            j += 1.0
        # Those of higher orders are infinite, too.
        value = k.where(j <= n, following, value + low)
    else:
        value = k.ufunc(name)(n + 0.5, x) * (np.pi / 2) ** 0.5 / k.sqrt(x)
    return value


def _spherical(name: str, n: ArrayLike, z: ArrayLike) -> tuple[Any, Any, Any]:
    """The order as whole numbers, the argument, and sqrt(pi / 2 |z|) times the function of order n + 1 / 2 of |z|."""
    order, x = as_array(n).astype(np.int64), as_array(z)
    if x.dtype.kind == "c":
        wide = x.astype(np.complex128)
        values = _special[name](order + 0.5, wide) * (np.pi / 2) ** 0.5 / wide**0.5
        if name in ("jv", "iv"):
            # The leading term of the size, turned, where Bessel functions underflow before these do.
            size = abs(wide)
            leading = _waves(
                order, _numpy["minimum"](size, np.nextafter(_NEAR, 0)), name=name, regular=True, turns=False
            )
            unit = _core.where(size > 0, wide, 1.0) * _SCALE / (_core.where(size > 0, size, 1.0) * _SCALE)
            values = _core.where(size < _NEAR, leading * unit**order, values)
        return order, x, _core.where(order < 0, np.nan, values)
    x = x if x.dtype.kind == "f" else x.astype(np.float64)
    size = abs(x).astype(np.float64)
    values = _waves(order, size, name=name, regular=name in ("jv", "iv"), turns=name in ("jv", "yv"))
    return order, x, _core.where(order < 0, np.nan, values)


def _regular(n: ArrayLike, z: ArrayLike, name: str, at_infinity: float) -> Any:
    """Spherical functions that are finite at 0, where all but that of order 0 are 0."""
    order, x, values = _spherical(name, n, z)
    if x.dtype.kind == "c":
        beyond = at_infinity * (_core.where((x.real < 0) & (order % 2 == 1), -1.0, 1.0) if at_infinity else 1.0)
        edge = complex(np.inf, np.inf) if name == "jv" else np.nan
        values = _core.where(abs(x) == np.inf, _core.where(x.imag == 0, beyond, edge), values)
        return _core.where((x == 0) & (order >= 0), _core.where(order == 0, 1.0, 0.0), values).astype(x.dtype)
    values = _core.where(abs(x) == np.inf, at_infinity, values)
    values = _core.where((x < 0) & (order % 2 == 1), -values, values)
    edge = _core.where(order == 0, 1.0, 0.0)
    values = _core.where((x == 0) & (order >= 0), edge, values)
    return values.astype(np.float64)


def _singular(n: ArrayLike, z: ArrayLike, name: str, at_zero: float) -> Any:
    """Spherical functions that are infinite at 0."""
    order, x, values = _spherical(name, n, z)
    if x.dtype.kind == "c":
        if name == "yv":
            beyond = _core.where(x.imag == 0, 0.0, complex(np.inf, np.inf))
        else:
            beyond = _core.where(x.imag == 0, _core.where(x.real > 0, 0.0, -np.inf), np.nan)
        values = _core.where(abs(x) == np.inf, beyond, values)
        return _core.where(x == 0, np.nan, values).astype(x.dtype)
    values = _core.where(abs(x) == np.inf, 0.0, values)
    values = _core.where((x == 0) & (order >= 0), at_zero, values)
    if name == "yv":
        values = _core.where((x < 0) & (order % 2 == 0), -values, values)
    else:
        # DLMF 10.47.16: the continuation to negative numbers.
        regular = _spherical("iv", n, x)[2]
        values = _core.where(x < 0, -np.pi * regular - _core.where(order % 2 == 1, -values, values), values)
    # SciPy's function of the third kind keeps float32, the others are of double precision.
    return values.astype(x.dtype if name == "kv" and x.dtype == np.float32 else np.float64)


def _spherical_slope(
    function: Callable[..., Any], n: ArrayLike, z: ArrayLike, signs: tuple[int, int], regular: bool
) -> Any:
    """The slope: signs[0] f of order n - 1 less (n + 1) f / z, and signs[1] f of order 1 for order 0: DLMF 10.51."""
    order, x = as_array(n).astype(np.int64), as_array(z)
    x = x if x.dtype.kind in "fc" else x.astype(np.float64)
    below = function(_numpy["maximum"](order - 1, 0), x)
    values = signs[0] * below - (order + 1) * function(order, x) / x
    values = _core.where(order == 0, signs[1] * function(_numpy["maximum"](order, 1), x), values)
    if regular:
        values = _core.where((x == 0) & (order > 0), _core.where(order == 1, 1.0 / 3.0, 0.0), values)
    return values.astype(below.dtype)


def spherical_jn(n: ArrayLike, z: ArrayLike, derivative: bool = False) -> Any:
    """Spherical Bessel functions of the first kind, or their derivatives.

    See Also
    --------
    scipy.special.spherical_jn : The function that this one follows; DLMF 10.47.3.

    >>> cp.scipy.special.spherical_jn(cp.asarray([0, 1]), 1.0).round(6)
    array([0.841471, 0.301169])
    """
    if derivative:
        return _spherical_slope(spherical_jn, n, z, (1, -1), regular=True)
    return _regular(n, z, "jv", 0.0)


def spherical_yn(n: ArrayLike, z: ArrayLike, derivative: bool = False) -> Any:
    """Spherical Bessel functions of the second kind, or their derivatives.

    See Also
    --------
    scipy.special.spherical_yn : The function that this one follows; DLMF 10.47.4.

    >>> cp.scipy.special.spherical_yn(cp.asarray([0, 1]), 1.0).round(6)
    array([-0.540302, -1.381773])
    """
    if derivative:
        return _spherical_slope(spherical_yn, n, z, (1, -1), regular=False)
    return _singular(n, z, "yv", -np.inf)


def spherical_in(n: ArrayLike, z: ArrayLike, derivative: bool = False) -> Any:
    """Modified spherical Bessel functions of the first kind, or their derivatives.

    See Also
    --------
    scipy.special.spherical_in : The function that this one follows; DLMF 10.47.7.

    >>> cp.scipy.special.spherical_in(cp.asarray([0, 1]), 1.0).round(6)
    array([1.175201, 0.367879])
    """
    if derivative:
        return _spherical_slope(spherical_in, n, z, (1, 1), regular=True)
    return _regular(n, z, "iv", np.inf)


def spherical_kn(n: ArrayLike, z: ArrayLike, derivative: bool = False) -> Any:
    """Modified spherical Bessel functions of the second kind, or their derivatives.

    See Also
    --------
    scipy.special.spherical_kn : The function that this one follows; DLMF 10.47.9.

    >>> cp.scipy.special.spherical_kn(cp.asarray([0, 1]), 1.0).round(6)
    array([0.577864, 1.155727])
    """
    if derivative:
        return _spherical_slope(spherical_kn, n, z, (-1, -1), regular=False)
    return _singular(n, z, "kv", np.inf)


def _riccati(function: Callable[..., Any], n: int, x: float, start: str) -> tuple[ndarray, ndarray]:
    """x times spherical functions of orders 0 to n, and the derivatives."""
    for value, name in ((n, "n"), (x, "x")):
        if np.ndim(value) != 0:
            raise ValueError(f"{name} must be a scalar, not an array of shape {np.shape(value)}")
    if isinstance(n, (float, np.floating)):
        if n != np.floor(n):
            raise ValueError(f"n must be a non-negative integer, not {n}")
        n = int(n)
    top = _not_negative(n, "n")
    point = as_array(x).astype(np.float64)
    orders = arange(top + 1)
    values = point * function(orders, point)
    below = point * function(_numpy["maximum"](orders - 1, 0), point)
    slopes = below - orders * values / point
    return values, _core.where(orders == 0, _numpy[start](point), slopes)


def riccati_jn(n: int, x: float) -> tuple[ndarray, ndarray]:
    """Riccati-Bessel functions of the first kind, x j_k(x), and their derivatives.

    Parameters
    ----------
    n : int
        Orders are 0 to `n`.

    Raises
    ------
    ValueError
        `n` is negative, or `x` is not a scalar.

    See Also
    --------
    scipy.special.riccati_jn : The function that this one follows; DLMF 10.51(i).

    >>> cp.scipy.special.riccati_jn(1, 1.0)[0].round(6)
    array([0.841471, 0.301169])
    """
    return _riccati(spherical_jn, n, x, "cos")


def riccati_yn(n: int, x: float) -> tuple[ndarray, ndarray]:
    """Riccati-Bessel functions of the second kind, x y_k(x), and their derivatives.

    Parameters
    ----------
    n : int
        Orders are 0 to `n`.

    Raises
    ------
    ValueError
        `n` is negative, or `x` is not a scalar.

    See Also
    --------
    scipy.special.riccati_yn : The function that this one follows; DLMF 10.51(i).

    >>> cp.scipy.special.riccati_yn(1, 1.0)[0].round(6)
    array([-0.540302, -1.381773])
    """
    return _riccati(spherical_yn, n, x, "sin")
