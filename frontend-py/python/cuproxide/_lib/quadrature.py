"""Rules of Gauss quadrature from their nodes to some digits: Newton's method, and weights (DLMF 3.5(v)).

The polynomials are summed within one kernel, by recurrences that keep the digits of nodes next to an end.
"""

from __future__ import annotations

import math

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from . import kernel as k
from .ufuncs import NUMPY as _numpy

_exp, _absolute = _numpy["exp"], _numpy["absolute"]

#: What is added to the logarithm of a scale when polynomials beyond 1e100 are divided by that.
_LOG_SCALE = math.log(1e100)

Rule = tuple[ndarray, ndarray]
"""Nodes and weights."""


def _recurrence(n: int, a: float, b: float) -> np.ndarray:
    """Factors of the last step and of the polynomial in the next step of Jacobi polynomials (DLMF 18.9.2)."""
    j = np.arange(1.0, n)
    t = 2 * j + a + b
    # Quotients near 1, since products of four orders overflow.
    kept = j / (j + a + 1) * ((j + b) / (j + a + b + 1)) * ((t + 2) / t)
    return np.stack([kept, (t + 1) / (2 * (j + a + 1)) * ((t + 2) / (j + a + b + 1))])


@k.kernel
def _jacobi_step(distance: k.Each, left: k.Each, factors: k.Array[3], ends: k.Array[2], n: int):
    """A step of Newton's method for a node, and the logarithm of a multiple of the weight there.

    The node is known by its distance from the nearer end of (-1, 1), which keeps the digits of nodes next to it. From
    the left end the polynomial is the one with both parameters exchanged. Polynomials that are 1 at that end are
    summed by their steps; the logarithm of their scale is kept apart, since far from it they may be very small.
    """
    side = k.where(left, 1, 0)
    a, b = ends[side, 0], ends[side, 1]
    step = -distance * (a + b + 2.0) / (2.0 * (a + 1.0))
    here, scale = 1.0 + step, 0.0
    for j in k.steps(n - 1):
        step = factors[side, 0, j] * step - factors[side, 1, j] * distance * here
        here += step
        size = abs(here) + abs(step)
        if size > 1e100:
            step, here, scale = step * 1e-100, here * 1e-100, scale + _LOG_SCALE
        if size < 1e-100:
            step, here, scale = step * 1e100, here * 1e100, scale - _LOG_SCALE
    slope = (n * here - 2.0 * n * (n + b) / (2.0 * n + a + b) * (step / distance)) / (2.0 - distance)
    weight = k.log(distance * (2.0 - distance)) - 2.0 * (k.log(abs(here - step)) + scale)
    return distance + here / slope, weight


def jacobi(near: ndarray, n: int, alpha: float, beta: float, total: float, iterations: int = 2) -> Rule:
    """The rule of Jacobi polynomials: from their zeros to some digits, by so many steps of Newton's method.

    The weights add up to `total`.
    """
    x = near
    symmetric = alpha == beta
    if symmetric:
        x = x[n // 2 :]
    left = x < 0
    ends = np.array([[alpha, beta], [beta, alpha]])
    factors = _core.array(np.stack([_recurrence(n, *pair) for pair in ends.tolist()]))
    # No zero is nearer to an end than the reciprocal of the sum of all reciprocals.
    least = (2 * (ends[:, 0] + 1) / (n * (n + alpha + beta + 1))).tolist()
    distance = _numpy["maximum"](1 - _absolute(x), _core.where(left, least[1], least[0]))
    ends = _core.array(ends)
    for _ in range(iterations):
        distance, _ = _jacobi_step(distance, left, factors, ends, n)
    _, weight = _jacobi_step(distance, left, factors, ends, n)
    # What the polynomial is at the left end, relative to the right one.
    j = np.arange(1.0, n)
    change = (alpha - beta) / (j + beta)
    ratios = np.where(abs(change) < 0.5, np.log1p(np.maximum(change, -0.5)), np.log((j + alpha) / (j + beta)))
    weight = weight + _core.where(left, 2 * math.fsum(ratios), 0.0)
    w = _exp(weight - weight.max())
    x = _core.where(left, distance - 1, 1 - distance)
    if symmetric:
        middle = n % 2
        x[:middle] = 0
        x, w = _core.concatenate([-x[middle:][::-1], x]), _core.concatenate([w[middle:][::-1], w])
    return x, w * (total / w.sum())


def legendre(n: int) -> Rule:
    """The rule of Legendre polynomials, whose weights add up to 2."""
    # Near enough for Newton's method (DLMF 18.16.7).
    angle = np.pi * (np.arange(n, 0, -1) - 0.25) / (n + 0.5)
    return jacobi(_core.array(np.cos(angle)), n, 0.0, 0.0, 2.0, iterations=5)


@k.kernel
def _laguerre_step(x: k.Each, n: int, alpha: float):
    """A step of Newton's method for a zero of the polynomial of order n, and a multiple of the weight there.

    The polynomials that are 1 at 0 are summed by their steps (DLMF 18.9.1), which keeps the digits of small zeros;
    they grow as exp(x / 2), so the logarithm of their scale is kept apart. The slope is n * step / x (DLMF 18.9.23).
    """
    step, here, scale = 0.0, 1.0, 0.0
    for j in k.steps(n):
        step = (j * step - x * here) / (j + 1.0 + alpha)
        here += step
        if abs(here) > 1e100:
            step, here, scale = step * 1e-100, here * 1e-100, scale + _LOG_SCALE
    return x - here * x / (n * step), x * k.exp(-2.0 * scale) / (step * (step - here))


def laguerre(near: ndarray, n: int, alpha: float, total: float) -> Rule:
    """The rule of generalized Laguerre polynomials, whose weights add up to `total`."""
    x, _ = _laguerre_step(near, n, alpha)
    _, w = _laguerre_step(x, n, alpha)
    return x, w * (total / w.sum())


@k.kernel
def _hermite_step(x: k.Each, n: int):
    """A step of Newton's method for a zero of the polynomial of order n, and the weight there.

    The orthonormal polynomials (DLMF 18.3) overflow beyond order 700, so the logarithm of their scale is kept apart.
    """
    before, here, scale = 0.0, 0.7511255444649425, 0.0
    for j in k.steps(n):
        following = k.sqrt(2.0 / (j + 1.0)) * x * here - k.sqrt(j / (j + 1.0)) * before
        before, here = here, following
        if abs(here) > 1e100:
            before, here, scale = before * 1e-100, here * 1e-100, scale + _LOG_SCALE
    slope = k.sqrt(2.0 * n) * before
    # The derivative of the weight's factor at the old place is of second order in the step.
    return x - here / slope, k.exp(-2.0 * scale) / (n * before * before)


def hermite(near: ndarray, n: int) -> Rule:
    """The rule of physicists' Hermite polynomials, whose weights add up to the root of pi."""
    x, _ = _hermite_step(near, n)
    _, w = _hermite_step(x, n)
    return (x - x[::-1]) / 2, (w + w[::-1]) * (math.sqrt(math.pi) / (2 * w.sum()))
