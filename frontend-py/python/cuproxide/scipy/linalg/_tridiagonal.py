"""Eigenvalues of real symmetric tridiagonal matrices, and vectors of a part of them.

Where a device has an operation for all values, it is used. Elsewhere, and for a part of the values, each is found by
bisection in a thread of its own, and each vector by inverse iteration.
"""

from __future__ import annotations

import numpy as np

from ... import _cuproxide as _core
from ... import linalg as _numpy
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ._common import complain, ufuncs

INVERSE_STEPS = 3


def tridiagonal_values(d: ndarray, e: ndarray, low: int, high: int) -> ndarray:
    """The eigenvalues with the numbers `low` to `high`, which is not one of them, ascending.

    `d` are diagonals and `e` the elements beside them, in one floating dtype. Bisection has an error of a few units of
    epsilon times the norm, as LAPACK's `stebz` (Barth, Martin and Wilkinson 1967; Kahan 1966).
    """
    stack = _core.broadcast_shapes(d.shape[:-1], e.shape[:-1])
    if high - low == d.shape[-1]:
        rows = (_core.broadcast_to(part, (*stack, part.shape[-1]))[..., None, :] for part in (d, e))
        if (found := _core.eigen_tridiagonal(*rows)) is not None:
            values, info = found
            complain(info != 0, "Eigenvalues did not converge")
            return values[..., 0, :]
    wide_d, wide_e, largest, exponent = _scaled(d, e)
    numbers = _core.broadcast_to(_core.arange(low, 1, high - low, np.int64), (*stack, high - low))
    # Narrow values are found in double precision, to some digits more than they have.
    epsilon = max(float(np.finfo(d.dtype).eps) / 8, float(np.finfo(np.float64).eps))
    parts = (part[..., None, :] for part in (wide_d, wide_e))
    found = _times_power(_bisect(*parts, numbers, epsilon=epsilon), exponent[..., None])
    # The values of zero are zero, and what is no number in a matrix makes its values none.
    largest = largest[..., None]
    return _core.where(largest > 0, found + largest * 0, largest).astype(d.dtype, copy=False)


def tridiagonal_vectors(d: ndarray, e: ndarray, values: ndarray) -> ndarray:
    """Orthonormal eigenvectors of a part of the eigenvalues, in columns.

    Inverse iteration. After each step all vectors are made orthogonal, which separates those of close values, as
    LAPACK's `stein` does within a cluster.
    """
    wide_d, wide_e, _, exponent = _scaled(d, e)
    n, stack = d.shape[-1], values.shape
    shifts = _times_power(values.astype(np.float64, copy=False), -exponent[..., None])
    # Any start serves that is orthogonal to no vector: digits of a sine, the same in each run.
    number, place = _core.arange(0, 1, stack[-1], np.int64)[:, None], _core.arange(0, 1, n, np.int64)
    noise = ufuncs["sin"](number * 12.9898 + place * 78.233) * 43758.5453
    x = _core.broadcast_to(noise - ufuncs["floor"](noise) - 0.5, (*stack, n)).copy()
    factors = _core.empty((*stack, 5, n), np.float64)
    _factor_shifted(wide_d[..., None, :], wide_e[..., None, :], shifts, factors)
    for _ in range(INVERSE_STEPS):
        _solve_shifted(factors, x)
        size = ufuncs["absolute"](x).max(-1, keepdims=True)
        x = _core.moveaxis(_numpy.qr(_core.moveaxis(x / size, -1, -2))[0], -1, -2).copy()
    return _core.moveaxis(x, -1, -2).astype(d.dtype)


def _scaled(d: ndarray, e: ndarray) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """The matrix in float64 and a unit in which nothing overflows and pivots that vanish can be replaced.

    Also the largest element, and the exponent of the unit, a power of two.
    """
    d, e = d.astype(np.float64, copy=False), e.astype(np.float64, copy=False)
    largest = ufuncs["absolute"](d).max(-1)
    if e.size:
        largest = ufuncs["maximum"](largest, ufuncs["absolute"](e).max(-1))
    exponent = ufuncs["frexp"](largest)[1]
    d, e = (_times_power(part, -exponent[..., None]) for part in (d, e))
    return d, e, largest, exponent


def _times_power(x: ndarray, exponent: ndarray) -> ndarray:
    """`x` times a power of two, in two steps, as the power itself may be no number."""
    half = exponent >> 1
    return ufuncs["ldexp"](ufuncs["ldexp"](x, half), exponent - half)


@k.function
def _count(d, e, x, tiny):
    """How many eigenvalues lie below each of three numbers: the negative pivots of the matrix less the number."""
    a, b, c = (0, 0, 0)
    p, q, r = (1.0, 1.0, 1.0)
    beside = 0.0
    for i in k.steps(d.shape[0]):
        middle = d[i]
        p = middle - x[0] - beside * (beside / p)
        q = middle - x[1] - beside * (beside / q)
        r = middle - x[2] - beside * (beside / r)
        p, q, r = (k.where(abs(y) < tiny, -tiny, y) for y in (p, q, r))
        a, b, c = a + (p < 0), b + (q < 0), c + (r < 0)
        if i + 1 < d.shape[0]:
            beside = e[i]
    return a, b, c


@k.kernel
def _bisect(d: k.Array[1], e: k.Array[1], number: k.Each, *, epsilon: float):
    """The eigenvalue of this number, from 0."""
    tiny = float(np.finfo(np.float64).tiny) * 4
    # Gershgorin's bound of a matrix with elements up to 1.
    low, high = -3.0001, 3.0001
    unfinished = True
    while unfinished:
        # Three numbers at a time, since the pivots of one wait for each other.
        quarter = (high - low) * 0.25
        x = (low + quarter, low + quarter * 2, high - quarter)
        a, b, c = _count(d, e, x, tiny)
        if b <= number:
            low, high = (x[2], high) if c <= number else (x[1], x[2])
        else:
            low, high = (x[0], x[1]) if a <= number else (low, x[0])
        unfinished = high - low > epsilon * (0.25 + max(abs(low), abs(high))) and high - low < quarter * 2
    return low + (high - low) * 0.5


@k.kernel
def _factor_shifted(d: k.Array[1], e: k.Array[1], shift: k.Each, factors: k.Out[2]) -> None:
    """LU factors with exchanges of neighbours, as LAPACK's `gttrf`.

    The rows of `factors` are the diagonal of U, the two above it, the multipliers, and 1 where rows were exchanged. A
    pivot that vanishes is one unit in the last place of the matrix.
    """
    n = d.shape[0]
    least = float(np.finfo(np.float64).eps)
    pivot, beside = d[0] - shift, e[0]
    for i in k.steps(n - 1):
        below, following = e[i], d[i + 1] - shift
        next_beside = 0.0
        if i + 2 < n:
            next_beside = e[i + 1]
        if abs(pivot) >= abs(below):
            if abs(pivot) < least:
                pivot = least
            multiplier = below / pivot
            factors[0, i], factors[1, i], factors[2, i] = pivot, beside, 0.0
            factors[3, i], factors[4, i] = multiplier, 0.0
            pivot, beside = following - multiplier * beside, next_beside
        else:
            multiplier = pivot / below
            factors[0, i], factors[1, i], factors[2, i] = below, following, next_beside
            factors[3, i], factors[4, i] = multiplier, 1.0
            pivot, beside = beside - multiplier * following, -multiplier * next_beside
    if abs(pivot) < least:
        pivot = least
    factors[0, n - 1], factors[1, n - 1], factors[2, n - 1] = pivot, 0.0, 0.0


@k.kernel
def _solve_shifted(factors: k.Array[2], x: k.Out[1]) -> None:
    """Replaces a right-hand side by the solution."""
    n = x.shape[0]
    for i in k.steps(n - 1):
        upper, lower = x[i], x[i + 1]
        if factors[4, i] > 0:
            upper, lower = lower, upper
        x[i], x[i + 1] = upper, lower - factors[3, i] * upper
    one, two = 0.0, 0.0
    for i in k.steps(n - 1, -1, -1):
        one, two = (x[i] - factors[1, i] * one - factors[2, i] * two) / factors[0, i], one
        x[i] = one
