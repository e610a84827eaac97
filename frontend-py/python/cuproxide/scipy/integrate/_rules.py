"""Fixed rules: Gauss-Legendre, Newton-Cotes."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import to_host

__all__ = ["fixed_quad", "newton_cotes"]


@functools.lru_cache(64)
def legendre(n: int) -> tuple[Any, Any]:
    """Nodes and weights of the Gauss-Legendre rule of `n` points on [-1, 1], on the host."""
    return np.polynomial.legendre.leggauss(n)


def fixed_quad(func: Callable[..., Any], a: Any, b: Any, args: tuple[Any, ...] = (), n: int = 5) -> tuple[Any, None]:
    """The integral of a function by the Gauss-Legendre rule of a fixed order.

    Parameters
    ----------
    func : callable
        Called once with an array of `n` points; what it returns may have axes before that of the points.
    a, b : float
        The limits, which must be finite.
    n : int, optional
        The number of points.

    Returns
    -------
    val : ndarray
        The integral.
    none : None
        Always None.

    Raises
    ------
    ValueError
        If a limit is infinite.

    >>> from cuproxide.scipy import integrate
    >>> round(float(integrate.fixed_quad(lambda x: x**8, 0.0, 3.0)[0]), 8)
    2187.0
    """
    x, w = legendre(n)
    if np.isinf(a) or np.isinf(b):
        raise ValueError("Gaussian quadrature is only available for finite limits.")
    points = cp.asarray((b - a) * (x + 1) / 2.0 + a)
    return (b - a) / 2.0 * cp.sum(cp.asarray(w) * func(points, *args), axis=-1), None


def newton_cotes(rn: Any, equal: int = 0) -> tuple[ndarray, float]:
    """Weights and the coefficient of the error of a Newton-Cotes rule.

    Equally spaced rules are worked out in rational numbers, so their weights are correctly rounded.

    Parameters
    ----------
    rn : int or array_like
        The order, or the positions of the samples: from 0 to N, of N + 1 numbers.
    equal : int, optional
        1 if the samples are to be taken as equally spaced.

    Returns
    -------
    an : ndarray
        The weights.
    B : float
        The coefficient of the error.

    Raises
    ------
    ValueError
        If the positions do not start at 0 and end at N.

    >>> integrate.newton_cotes(2)[0] * 3
    array([1., 4., 1.])
    """
    try:
        order = len(rn) - 1
    except TypeError:
        order, positions, equal = rn, np.arange(rn + 1), 1
    else:
        positions = np.arange(order + 1) if equal else to_host(rn)
        equal = int(equal or np.all(np.diff(positions) == 1))
    if positions[0] != 0 or positions[-1] != order:
        raise ValueError("The sample positions must start at 0 and end at N")
    exact = [Fraction(float(p)) / order for p in positions] if order else [Fraction(0)]
    weights = _weights(exact)
    power = order + (2 if order % 2 == 0 and equal else 1)
    # The error of the rule at the first power that it does not integrate.
    error = Fraction(1, power + 1) - sum(w * p**power for w, p in zip(weights, exact, strict=True))
    factor = Fraction(order) ** (power + 1) / math.factorial(power)
    return cp.asarray(np.array([float(w * order) for w in weights])), float(error * factor)


def _weights(positions: list[Fraction]) -> list[Fraction]:
    """The integrals over [0, 1] of the Lagrange polynomials of some positions."""
    weights = []
    for j, at in enumerate(positions):
        polynomial, scale = [Fraction(1)], Fraction(1)
        for k, other in enumerate(positions):
            if k != j:
                shifted = [Fraction(0), *polynomial]
                polynomial = [s - other * p for s, p in zip(shifted, [*polynomial, Fraction(0)], strict=True)]
                scale *= at - other
        weights.append(sum(c / (power + 1) for power, c in enumerate(polynomial)) / scale)
    return weights
