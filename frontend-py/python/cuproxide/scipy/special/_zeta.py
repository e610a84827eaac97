"""Zeta functions, Lambert's W, and what is composed of gamma and zeta functions."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib.conversions import as_array, as_operand
from ..._lib.ufuncs import NUMPY as _numpy
from ..._lib.ufuncs import SPECIAL as _special
from ..._typing import ArrayLike

__all__ = ["bernoulli", "diric", "euler", "lambertw", "multigammaln", "polygamma", "zeta"]


def zeta(x: ArrayLike, q: ArrayLike | None = None, out: ndarray | None = None) -> ndarray:
    """The zeta function of Riemann, or that of Hurwitz.

    Parameters
    ----------
    x : array_like of float or complex
        The exponents, real ones with `q`.
    q : array_like of float, optional
        The first terms: the sum of `(k + q)**-x` over all `k` from 0. Without it the function is Riemann's, continued
        to all numbers.
    out : ndarray, optional
        Where the results go.

    Returns
    -------
    ndarray
        The values. Hurwitz's function is NaN for `x < 1`, Riemann's for imaginary parts beyond
        1e9 and real ones between -1.5 and 2.5, as sums of that many terms would be needed.

    Raises
    ------
    TypeError
        For complex numbers with `q`.

    >>> float(cp.scipy.special.zeta(cp.asarray(0.0)))
    -0.5
    """
    if q is None:
        return _special["_riemann_zeta"](as_operand(x), out=out)
    return _special["_zeta"](as_operand(x), as_operand(q), out=out)


def polygamma(n: ArrayLike, x: ArrayLike) -> ndarray:
    """The derivative of order `n` of the digamma function.

    Parameters
    ----------
    n : array_like of int
        Orders, not negative.

    >>> cp.scipy.special.polygamma(0, cp.asarray([1.0])) == cp.scipy.special.digamma(cp.asarray([1.0]))
    array([ True])
    """
    order, argument = as_array(n), as_array(x)
    order = order if order.dtype.kind == "f" else order.astype(np.float64)
    sign = _numpy["power"](order.dtype.type(-1.0), order + 1)
    values = sign * _special["gamma"](order + 1) * _special["_zeta"](order + 1, argument)
    return _core.where(order == 0, _special["digamma"](argument), values)


def lambertw(z: ArrayLike, k: ArrayLike = 0, tol: float = 1e-8) -> ndarray:
    """Lambert's W: the solutions of `w * exp(w) == z`.

    Parameters
    ----------
    z : array_like
        Real or complex numbers.
    k : array_like of int, optional
        The branch, 0 for the principal one.
    tol : float, optional
        The relative change at which the iteration ends. Each step triples the number of digits.

    Returns
    -------
    ndarray
        The values, complex.

    >>> w = cp.scipy.special.lambertw(cp.asarray(1.0))
    >>> bool(abs(w * cp.exp(w) - 1) < 1e-15)
    True
    """
    branches = as_array(k)
    branches = branches if branches.dtype == np.int64 else branches.astype(np.int64)
    points: Any = as_operand(z)
    # As SciPy, which has it in double precision alone.
    points = points.astype(np.complex128) if getattr(points, "dtype", None) == np.complex64 else points
    return _special["_lambertw"](points, branches, tol)


def multigammaln(a: ArrayLike, d: int) -> ndarray:
    """Logarithm of the multivariate gamma function.

    Parameters
    ----------
    a : array_like of float
        Arguments, larger than `(d - 1) / 2`.
    d : int
        The dimension.

    Raises
    ------
    ValueError
        If `d` is no positive integer or an argument is too small.

    >>> round(float(cp.scipy.special.multigammaln(cp.asarray(23.5), 10)), 6)
    457.176675
    """
    if not np.isscalar(d) or math.floor(d) != d:
        raise ValueError("d should be a positive integer (dimension)")
    x = as_array(a)
    x = x if x.dtype.kind == "f" else x.astype(np.float64)
    if x.size and bool((x <= 0.5 * (d - 1)).any()):
        raise ValueError(f"condition a ({a!r}) > 0.5 * (d-1) ({0.5 * (d - 1):f}) not met")
    shifts = _core.array((np.arange(int(d)) / 2).astype(x.dtype))
    logarithms = _special["gammaln"](x.reshape(*x.shape, 1) - shifts)
    return logarithms.sum(axis=-1) + x.dtype.type(d * (d - 1) * 0.25 * math.log(math.pi))


def diric(x: ArrayLike, n: ArrayLike) -> ndarray:
    """The periodic sinc function of Dirichlet, `sin(x n / 2) / (n sin(x / 2))`.

    Parameters
    ----------
    n : array_like of int
        Periodicities; NaN is returned where they are not positive whole numbers.

    >>> cp.scipy.special.diric(cp.asarray([0.0, 2 * cp.pi]), 2)
    array([ 1., -1.])
    """
    argument, count = as_array(x), as_array(n)
    argument = argument if argument.dtype.kind == "f" else argument.astype(np.float64)
    dtype = argument.dtype
    count = count.astype(dtype)
    # Below this distance from a pole the quotient is its limit.
    near = dtype.type({2: 1e-3, 4: 1e-7, 8: 1e-15}[dtype.itemsize])
    half = argument / 2
    sine = _numpy["sin"](half)
    turns = _numpy["rint"](half / np.pi)
    odd = _numpy["remainder"](turns * (count - 1), 2)
    limit = 1 - 2 * odd
    pole = _numpy["absolute"](sine) < near
    quotient = _numpy["sin"](count * half) / (count * _core.where(pole, dtype.type(1), sine))
    # Around poles the product with n would round the distance away; the sine still has it.
    distance = _numpy["arcsin"](sine)
    around = limit * _numpy["sin"](count * distance) / (count * _core.where(pole, dtype.type(1), sine))
    quotient = _core.where(_numpy["absolute"](sine) < 0.1, around, quotient)
    valid = (count > 0) & (count == _numpy["floor"](count))
    return _core.where(valid, _core.where(pole, limit, quotient), dtype.type(np.nan))


def _order(n: Any) -> int:
    if not np.isscalar(n) or n < 0:
        raise ValueError("n must be a non-negative integer.")
    return int(n)


#: From here on both the numbers of Bernoulli and those of Euler are 0 or infinite in float64.
_LAST = 263


def _continued(values: list[float], n: int) -> ndarray:
    """The numbers from 0 to n: from the last ones on they are those of four places before."""
    known = np.array(values[: n + 1])
    return _core.array(np.concatenate([known, np.resize(known[-4:], n + 1 - len(known))]))


def _tangents(count: int) -> list[int]:
    """The first zigzag numbers (OEIS A000111), by the triangle of Seidel."""
    numbers, row = [1], [1]
    for _ in range(count):
        total, following = 0, [0]
        for value in reversed(row):
            total += value
            following.append(total)
        row = following
        numbers.append(row[-1])
    return numbers


def bernoulli(n: int) -> ndarray:
    """The numbers of Bernoulli from B0 to Bn.

    Returns
    -------
    ndarray
        `n + 1` numbers, float64: correctly rounded from fractions.

    Raises
    ------
    ValueError
        If `n` is negative.

    >>> float(cp.scipy.special.bernoulli(4)[2]) == 1 / 6
    True
    """
    n = _order(n)
    last = max(min(n, _LAST), 2)
    # B(2 m) = (-1)**(m - 1) 2 m T(2 m - 1) / (4**m (4**m - 1)) with the tangent numbers T.
    tangents = _tangents(last)
    values = [1.0, -0.5] + [0.0] * (last - 1)
    for m in range(1, last // 2 + 1):
        fraction = Fraction((-1) ** (m - 1) * 2 * m * tangents[2 * m - 1], 4**m * (4**m - 1))
        values[2 * m] = _rounded(fraction)
    return _continued(values, n)


def euler(n: int) -> ndarray:
    """The numbers of Euler from E0 to En.

    Returns
    -------
    ndarray
        `n + 1` numbers, float64: correctly rounded from integers.

    Raises
    ------
    ValueError
        If `n` is negative.

    >>> cp.scipy.special.euler(4)
    array([ 1.,  0., -1.,  0.,  5.])
    """
    n = _order(n)
    last = max(min(n, _LAST), 2)
    numbers = _tangents(last)
    values = [
        0.0 if index % 2 else _rounded(Fraction((-1) ** (index // 2) * numbers[index])) for index in range(last + 1)
    ]
    return _continued(values, n)


def _rounded(value: Fraction) -> float:
    """The nearest number; infinite where none is near."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
