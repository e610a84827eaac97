"""Bases of polynomials, one table row each, and the arithmetic that follows from a row.

A row says how the variable multiplies a member of the basis, `x P[n] = up(n) P[n+1] + mid(n) P[n] + down(n) P[n-1]`,
and what its derivative, integral and weight are. Functions of the index serve Python numbers and arrays alike.
See Abramowitz and Stegun, chapter 22.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib import quadrature
from .._lib.conversions import along, as_array, counting, is_inexact
from .._lib.ufuncs import NUMPY as _ufuncs
from .._routines.joining import concatenate
from .._routines.shapes import atleast_1d
from .._typing import ArrayLike

Coefficient = Callable[[Any], Any]


def zero(n: Any) -> Any:
    """The coefficient of a term that a basis does not have."""
    return 0.0 * n


@dataclass(frozen=True)
class Basis:
    """A family of polynomials."""

    name: str  # of NumPy's class
    module: str
    prefix: str  # of the functions
    symbol: str  # in printed series
    up: Coefficient
    down: Coefficient
    # The derivative of P[j] has this multiple of P[k].
    slope: Callable[[Any, Any], Any]
    # The integral of P[n] by P[n+1], P[n] and P[n-1].
    integral: tuple[Coefficient, Coefficient, Coefficient]
    weight: Callable[[Any], Any]
    mid: Coefficient = zero
    domain: tuple[float, float] = (-1.0, 1.0)

    def step(self, k: int) -> tuple[float, float, float]:
        """`a`, `b` and `c` of `P[k+1] = (a x + b) P[k] - c P[k-1]`."""
        up = self.up(k)
        return 1 / up, -self.mid(k) / up, self.down(k) / up

    def coefficients_of_x(self) -> list[float]:
        """The variable itself."""
        return [self.mid(0), self.up(0)]


def _odd_above(k: Any, j: Any) -> Any:
    """1 where `j` exceeds `k` by an odd number."""
    return (j > k) * ((j - k) % 2)


# Power series: its functions are its own, faster than those that follow from the row.
POWER = Basis(
    name="Polynomial",
    module="polynomial",
    prefix="poly",
    symbol="",
    up=lambda n: 1.0 + 0 * n,
    down=zero,
    slope=lambda k, j: (j == k + 1) * 1.0 * j,
    integral=(lambda n: 1 / (n + 1), zero, zero),
    weight=lambda x: x * 0.0 + 1.0,
)
CHEBYSHEV = Basis(
    name="Chebyshev",
    module="chebyshev",
    prefix="cheb",
    symbol="T",
    up=lambda n: 1 - 0.5 * (n > 0),
    down=lambda n: 0.5 + 0 * n,
    slope=lambda k, j: _odd_above(k, j) * j * (2 - 1.0 * (k == 0)),
    integral=(lambda n: (1 + 1.0 * (n == 0)) / (2 * n + 2), zero, lambda n: -1.0 * (n > 1) / (2 * n - 2 + (n == 1))),
    weight=lambda x: 1.0 / (_ufuncs["sqrt"](1.0 + x) * _ufuncs["sqrt"](1.0 - x)),
)
LEGENDRE = Basis(
    name="Legendre",
    module="legendre",
    prefix="leg",
    symbol="P",
    up=lambda n: (n + 1) / (2 * n + 1),
    down=lambda n: n / (2 * n + 1),
    slope=lambda k, j: _odd_above(k, j) * (2 * k + 1.0),
    integral=(lambda n: 1 / (2 * n + 1), zero, lambda n: -1 / (2 * n + 1)),
    weight=lambda x: x * 0.0 + 1.0,
)
LAGUERRE = Basis(
    name="Laguerre",
    module="laguerre",
    prefix="lag",
    symbol="L",
    up=lambda n: -1.0 * (n + 1),
    mid=lambda n: 2.0 * n + 1,
    down=lambda n: -1.0 * n,
    slope=lambda k, j: -1.0 * (j > k),
    integral=(lambda n: -1.0 + 0 * n, lambda n: 1.0 + 0 * n, zero),
    weight=lambda x: _ufuncs["exp"](-x),
    domain=(0.0, 1.0),
)
HERMITE = Basis(
    name="Hermite",
    module="hermite",
    prefix="herm",
    symbol="H",
    up=lambda n: 0.5 + 0 * n,
    down=lambda n: 1.0 * n,
    slope=lambda k, j: (j == k + 1) * 2.0 * j,
    integral=(lambda n: 1 / (2 * n + 2), zero, zero),
    weight=lambda x: _ufuncs["exp"](-(x**2)),
)
HERMITE_E = Basis(
    name="HermiteE",
    module="hermite_e",
    prefix="herme",
    symbol="He",
    up=lambda n: 1.0 + 0 * n,
    down=lambda n: 1.0 * n,
    slope=lambda k, j: (j == k + 1) * 1.0 * j,
    integral=(lambda n: 1 / (n + 1), zero, zero),
    weight=lambda x: _ufuncs["exp"](-0.5 * x**2),
)


def inexact(c: ArrayLike) -> ndarray:
    """Coefficients with at least one axis, integers as float64."""
    c = atleast_1d(as_array(c))
    return c if is_inexact(c.dtype) else c.astype(np.float64)


def scaled(value: Any, factor: float) -> Any:
    """The product, without a launch for the factor 1."""
    return value if factor == 1 else value * factor


def banded(c: ndarray, up: Coefficient, mid: Coefficient, down: Coefficient) -> ndarray:
    """Each term `n` of the series `c` spread over the terms `n + 1`, `n` and `n - 1`."""
    n = counting(c.shape[0], np.float64)

    def times(factor: Coefficient) -> ndarray:
        return along(factor(n).astype(c.dtype, copy=False), 0, c.ndim) * c

    result = _core.zeros((c.shape[0] + 1, *c.shape[1:]), c.dtype)
    result[1:] = times(up)
    if mid is not zero:
        result[:-1] += times(mid)
    if down is not zero:
        result[:-2] += times(down)[1:]
    return result


def times_x(basis: Basis, c: ndarray) -> ndarray:
    """The series multiplied by the variable, one term longer."""
    return banded(c, basis.up, basis.mid, basis.down)


def clenshaw(
    basis: Basis,
    c: ndarray,
    times: Callable[[ndarray], ndarray],
    one: Any = None,
    plus: Callable[[Any, Any], Any] = operator.add,
) -> ndarray:
    """The sum of `c[k] P[k](x)`, where `times` multiplies by `x` and `one` is 1, by Clenshaw's recurrence.

    `plus` adds to the longer one of two series. Some launches for each term of the series.
    """
    later: Any = None
    latest: Any = None
    for k in reversed(range(c.shape[0])):
        value = c[k] if one is None else c[k] * one
        if later is not None:
            a, b, _ = basis.step(k)
            value = plus(scaled(times(later), a), value)
            if b:
                value = plus(value, scaled(later, b))
        if latest is not None and basis.down is not zero:
            value = plus(value, scaled(latest, -basis.step(k + 1)[2]))
        later, latest = value, later
    return later


def product(basis: Basis, c1: ndarray, c2: ndarray) -> ndarray:
    """The product of two series of one dtype: the shorter one evaluated at the operator "times x" on the longer."""
    if c1.size > c2.size:
        c1, c2 = c2, c1
    if basis is CHEBYSHEV:
        # As products of cosines: polynomials in z and 1/z.
        reach = 2 * c1.size - 2
        whole = _core.sliding_products(_mirrored(c2)[None], _mirrored(c1)[None], reach, reach)[0]
        result = whole[c1.size + c2.size - 2 :]
        result[1:] *= 2
        return result
    # Series grow by a term each time: zeros in its place would make NaN of infinities.
    return clenshaw(basis, c1, lambda c: times_x(basis, c), c2, _plus)


def _mirrored(c: ndarray) -> ndarray:
    """The coefficients of z^k and z^-k of a series of cosines."""
    half = c / 2
    return concatenate((half[:0:-1], c[:1], half[1:]))


def _plus(longer: ndarray, c: ndarray) -> ndarray:
    """The sum of two series, the longer one first."""
    result = longer.copy()
    result[: c.size] += c
    return result


def members(basis: Basis, x: ndarray, count: int) -> ndarray:
    """The first members of the basis at `x`, along a new first axis."""
    found = _core.empty((count, *x.shape), x.dtype)
    found[0] = x * 0 + 1
    for k in range(count - 1):
        a, b, c = basis.step(k)
        value = scaled(x, a) * found[k] if not b else (scaled(x, a) + b) * found[k]
        found[k + 1] = value if k == 0 else value - scaled(found[k - 1], c)
    return found


def derivative(basis: Basis, c: ndarray) -> ndarray:
    """The derivative of the series along the first axis, one term shorter."""
    length = c.shape[0]
    n = counting(length, np.float64)
    slopes = basis.slope(n[:-1, None], n).astype(c.dtype, copy=False)
    slopes = slopes.reshape(slopes.shape + (1,) * (c.ndim - 1))
    # Terms that do not count are kept out, since 0 * inf would be NaN.
    return _core.where(slopes != 0, slopes * c, c[:1] * 0).sum(1, c.dtype)


def companion(basis: Basis, c: ndarray) -> ndarray:
    """The matrix whose eigenvalues are the roots: that of "times x", made symmetric, less the highest member."""
    order = c.size - 1
    n = counting(order, np.float64)
    up, down = basis.up(n), basis.down(n)
    # The matrix of "times x" becomes symmetric where members are divided by their norms.
    coupling = _ufuncs["sqrt"](up[:-1] * down[1:])
    if basis.up(0) < 0:
        coupling = -coupling
    ratios = _ufuncs["sqrt"](up[:-1] / down[1:])
    norms = concatenate((ratios[::-1].cumprod()[::-1], _core.full(1, 1.0, np.float64))).astype(c.dtype, copy=False)
    result = _core.zeros((order, order), c.dtype)
    flat = result.reshape(-1)
    flat[:: order + 1] = basis.mid(n)
    flat[1 :: order + 1] = coupling
    flat[order :: order + 1] = coupling
    result[:, -1] -= norms * (c[:-1] / c[-1]) * basis.up(order - 1)
    return result


def gauss(basis: Basis, deg: int) -> tuple[ndarray, ndarray]:
    """Points and weights of Gauss' quadrature: exact for polynomials of degree `2 * deg - 1` or less.

    The points are near the eigenvalues of the companion matrix (Golub and Welsch).
    """
    from ..linalg import eigvalsh

    if basis is LEGENDRE:
        return quadrature.legendre(deg)
    near = eigvalsh(companion(basis, concatenate((_core.zeros(deg, np.float64), _core.full(1, 1.0, np.float64)))))
    if basis is LAGUERRE:
        return quadrature.laguerre(near, deg, 0.0, 1.0)
    if basis is HERMITE:
        return quadrature.hermite(near, deg)
    # Those of probabilists are stretched.
    root = math.sqrt(2.0)
    points, weights = quadrature.hermite(near / root, deg)
    return points * root, weights * root
