"""Zeros of Bessel and Airy functions: uniform asymptotic values and Newton's rule. DLMF 9.9 and 10.21."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import arange, concatenate
from ..._cuproxide import ndarray
from ..._lib.ufuncs import NUMPY as _numpy
from ..._lib.ufuncs import SPECIAL as _special


def _airy_start(count: int, offset: int, slope: bool) -> ndarray:
    """First approximations of the sizes of zeros of Ai or Bi, or of their derivatives: DLMF 9.9(iv)."""
    t = 3.0 * np.pi / 8.0 * (4.0 * arange(1, count + 1).astype(np.float64) - offset)
    inverse = 1.0 / (t * t)
    if slope:
        return t ** (2.0 / 3.0) * (1.0 - 7.0 / 48.0 * inverse / (1.0 + 5.0 / 6.0 * inverse))
    return t ** (2.0 / 3.0) * (1.0 + 5.0 / 48.0 * inverse / (1.0 + 4.0 / 3.0 * inverse))


# Newton's steps double the digits; the first approximations have one at least.
_STEPS = 7


def _airy_zeros(nt: int, which: int, offsets: tuple[int, int]) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """Zeros of Ai (which 0) or Bi (2), of the derivative, and the values of one at zeros of the other."""
    if isinstance(nt, bool) or np.ndim(nt) != 0 or int(nt) != nt or nt <= 0:
        raise ValueError("nt must be a positive integer scalar.")
    count = int(nt)
    zeros, turns = -_airy_start(count, offsets[0], False), -_airy_start(count, offsets[1], True)
    for _ in range(_STEPS):
        at, slope = _special["airy"](zeros)[which : which + 2]
        zeros = zeros - at / slope
        at, slope = _special["airy"](turns)[which : which + 2]
        # The second derivative is x times the function.
        turns = turns - slope / (turns * at)
    return zeros, turns, _special["airy"](turns)[which], _special["airy"](zeros)[which + 1]


def _bessel_start(order: int, count: int, offset: int, slope: bool) -> ndarray:
    """First approximations of zeros: Olver's uniform ones, DLMF 10.21.41 and 10.21.43, or McMahon's for order 0."""
    if order == 0:
        angle = np.pi / 4.0 * (4.0 * arange(1, count + 1).astype(np.float64) - offset)
        return angle + 1.0 / (8.0 * angle + 1.0)
    return _uniform_start(order, count, offset, slope)


def _uniform_start(order: Any, count: int, offset: int, slope: bool) -> ndarray:
    """Olver's approximations for one order from 1 on, or for a column of them."""
    # The z beyond 1 at which sqrt(z**2 - 1) - acos(1 / z) is the given number: by Newton's rule for w = sqrt(z**2 - 1).
    target = _airy_start(count, offset, slope) ** 1.5 * (2.0 / 3.0) / order
    w = target + _numpy["minimum"]((3.0 * target) ** (1.0 / 3.0), np.pi / 2)
    for _ in range(_STEPS):
        w = w - (w - _numpy["arctan"](w) - target) * (1.0 + 1.0 / (w * w))
    return order * (1.0 + w * w) ** 0.5


def _bessel_zeros(name: str, n: int, nt: int, slope: bool) -> ndarray:
    """The first positive zeros of J or Y of a whole order, or of the derivative."""
    order, count = _orders(n, nt)
    function = _special[name]
    if slope and order == 0:
        # The derivative is the function of order 1 with the other sign.
        return _bessel_zeros(name, 1, nt, slope=False)
    offset = {("jv", False): 1, ("jv", True): 3, ("yv", False): 3, ("yv", True): 1}[name, slope]
    return _improved(function, order, _bessel_start(order, count, offset, slope), slope)


def _improved(function: Callable[..., Any], order: Any, x: ndarray, slope: bool) -> ndarray:
    """Newton's steps towards zeros of a Bessel function, or of its derivative."""
    for _ in range(_STEPS):
        at, above = function(order * 1.0, x), function(order + 1.0, x)
        derivative = order / x * at - above
        second = -derivative / x - (1.0 - (order / x) ** 2) * at
        x = x - (derivative / second if slope else at / derivative)
    return x


def _orders(n: Any, nt: Any) -> tuple[int, int]:
    if np.ndim(n) != 0 or np.ndim(nt) != 0:
        raise ValueError("Arguments must be scalars.")
    if int(n) != n or int(nt) != nt:
        raise ValueError("Arguments must be integers.")
    if nt <= 0:
        raise ValueError("nt > 0")
    return abs(int(n)), int(nt)


_OF_BESSEL = """The first positive zeros of {text} of a whole order.

    Parameters
    ----------
    n : int
        Order.
    nt : int
        How many.

    Returns
    -------
    ndarray
        The zeros.

    Raises
    ------
    ValueError
        An argument is not a whole scalar, or `nt` is not positive.

    See Also
    --------
    scipy.special.{name} : The function that this one follows; DLMF 10.21.

    Examples
    --------
    >>> import cuproxide as cp
    >>> cp.scipy.special.{name}({order}, 2).round(6)
    array({shown})
    """

_OF_AIRY = """The first {negative}zeros of the Airy function {text} and of its derivative.

    Parameters
    ----------
    nt : int
        How many.

    Returns
    -------
    tuple of ndarray
        Zeros of {text}, zeros of {text}', {text} at the latter, {text}' at the former.

    Raises
    ------
    ValueError
        `nt` is not a positive integer.

    See Also
    --------
    scipy.special.{name} : The function that this one follows; DLMF 9.9.

    Examples
    --------
    >>> import cuproxide as cp
    >>> cp.scipy.special.{name}(2)[0].round(6)
    array({shown})
    """


def _named(function: Callable[..., Any], name: str, doc: str) -> Callable[..., Any]:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def _of_bessel(name: str, ufunc: str, slope: bool, text: str, order: int, shown: str) -> Callable[..., ndarray]:
    def zeros(n: int, nt: int) -> ndarray:
        return _bessel_zeros(ufunc, n, nt, slope)

    return _named(zeros, name, _OF_BESSEL.format(name=name, text=text, order=order, shown=shown))


def _of_airy(
    name: str, which: int, offsets: tuple[int, int], text: str, negative: str, shown: str
) -> Callable[..., Any]:
    def zeros(nt: int) -> tuple[ndarray, ndarray, ndarray, ndarray]:
        return _airy_zeros(nt, which, offsets)

    return _named(zeros, name, _OF_AIRY.format(name=name, text=text, negative=negative, shown=shown))


_OF_SECOND = """The first zeros of {text}, and {values} there.

    Parameters
    ----------
    nt : int
        How many.
    complex : bool, optional
        Gives the zeros in the upper half plane that are not real, instead of the positive ones.

    Returns
    -------
    tuple of ndarray
        The zeros and the values, complex.

    Raises
    ------
    ValueError
        `nt` is not a positive integer.

    See Also
    --------
    scipy.special.{name} : The function that this one follows; DLMF 10.21(ix).

    Examples
    --------
    >>> import cuproxide as cp
    >>> cp.scipy.special.{name}(2)[0].round(6)
    array({shown})
    """


def _of_second(name: str, order: int, slope: bool, text: str, values: str, shown: str) -> Callable[..., Any]:
    def zeros(nt: int, complex: bool = False) -> tuple[ndarray, ndarray]:
        if np.ndim(nt) != 0 or int(nt) != nt or nt <= 0:
            raise ValueError("Arguments must be scalar positive integer.")
        if complex:
            # Beside the zeros of the first kind on the negative axis: DLMF 10.21(ix); the first ones are apart.
            start = -_bessel_zeros("jv", order, int(nt), slope) + 0.55j
            first = {(0, False): None, (1, False): -0.5 + 0.79j, (1, True): 0.58 + 0.9j}[order, slope]
            if first is not None:
                start = concatenate([arange(1) + first, start])[: int(nt)]
            z = _improved(_special["yv"], order, start, slope)
        else:
            z = _bessel_zeros("yv", order, int(nt), slope).astype(np.complex128)
        return z, _special["yv"](1.0 if slope or order == 0 else 0.0, z)

    return _named(zeros, name, _OF_SECOND.format(name=name, text=text, values=values, shown=shown))


_FIRST, _SECOND = "Bessel function of the first kind", "Bessel function of the second kind"
jn_zeros = _of_bessel("jn_zeros", "jv", False, f"the {_FIRST}", 0, "[2.404826, 5.520078]")
jnp_zeros = _of_bessel("jnp_zeros", "jv", True, f"the derivative of the {_FIRST}", 1, "[1.841184, 5.331443]")
yn_zeros = _of_bessel("yn_zeros", "yv", False, f"the {_SECOND}", 0, "[0.893577, 3.957678]")
ynp_zeros = _of_bessel("ynp_zeros", "yv", True, f"the derivative of the {_SECOND}", 0, "[2.197141, 5.429681]")
ai_zeros = _of_airy("ai_zeros", 0, (1, 3), "Ai", "", "[-2.338107, -4.087949]")
bi_zeros = _of_airy("bi_zeros", 2, (3, 1), "Bi", "negative ", "[-1.173713, -3.271093]")


y0_zeros = _of_second(
    "y0_zeros", 0, False, "Y0", "Y1, which is minus the derivative of Y0,", "[0.893577+0.j, 3.957678+0.j]"
)
y1_zeros = _of_second("y1_zeros", 1, False, "Y1", "its derivative", "[2.197141+0.j, 5.429681+0.j]")
y1p_zeros = _of_second("y1p_zeros", 1, True, "the derivative of Y1", "Y1", "[3.683023+0.j, 6.9415  +0.j]")


def jnjnp_zeros(nt: int) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """The smallest zeros of Bessel functions of the first kind of all whole orders and of their derivatives, in order.

    Parameters
    ----------
    nt : int
        How many, at most 1200.

    Returns
    -------
    tuple of ndarray
        The zeros, the orders, which zeros of their orders they are, and 1 for zeros of derivatives, else 0.

    Raises
    ------
    ValueError
        `nt` is not a whole scalar up to 1200.

    See Also
    --------
    scipy.special.jnjnp_zeros : The function that this one follows; DLMF 10.21.

    >>> cp.scipy.special.jnjnp_zeros(3)[0].round(6)
    array([0.      , 1.841184, 2.404826])
    """
    if np.ndim(nt) != 0 or int(nt) != nt or nt > 1200:
        raise ValueError("Number must be integer <= 1200.")
    total = max(int(nt), 0)
    # About x**2 / 4 zeros lie below x, and orders up to x have some.
    bound = int(2.0 * total**0.5) + 5
    count = int(bound / np.pi) + 3
    orders = arange(1, bound + 1).reshape(-1, 1)
    parts = []
    for slope, offset in ((False, 1), (True, 3)):
        rest = _improved(_special["jv"], orders, _uniform_start(orders, count, offset, slope), slope)
        zeros = concatenate([_bessel_zeros("jv", 0, count, slope).reshape(1, -1), rest])
        order = arange(bound + 1).reshape(-1, 1) + zeros.astype(np.int32) * 0
        which = arange(1, count + 1) + zeros.astype(np.int32) * 0
        parts.append([zeros.ravel(), order.ravel(), which.ravel(), (which * 0 + int(slope)).ravel()])
    # The derivative of order 0 is 0 at 0.
    first = [arange(1) * 0.0, arange(1) * 0, arange(1) * 0, arange(1) * 0 + 1]
    columns = [concatenate([f, a, b]) for f, a, b in zip(first, *parts, strict=True)]
    rank = columns[0].argsort(kind="stable")[:total]
    zeros, order, which, kind = (column[rank] for column in columns)
    return zeros, order.astype(np.int32), which.astype(np.int32), kind.astype(np.int32)


def jnyn_zeros(n: int, nt: int) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """The first positive zeros of J, J', Y and Y' of a whole order.

    Returns
    -------
    tuple of ndarray
        Zeros of J, of J', of Y and of Y'.

    Raises
    ------
    ValueError
        An argument is not a whole scalar, or `nt` is not positive.

    See Also
    --------
    scipy.special.jnyn_zeros : The function that this one follows; DLMF 10.21.

    >>> [zeros.round(6).item() for zeros in cp.scipy.special.jnyn_zeros(1, 1)]
    [3.831706, 1.841184, 2.197141, 3.683023]
    """
    return tuple(_bessel_zeros(name, n, nt, slope) for name in ("jv", "yv") for slope in (False, True))  # type: ignore[return-value]


__all__ = [
    "ai_zeros",
    "bi_zeros",
    "jn_zeros",
    "jnjnp_zeros",
    "jnp_zeros",
    "jnyn_zeros",
    "y0_zeros",
    "y1_zeros",
    "y1p_zeros",
    "yn_zeros",
    "ynp_zeros",
]
