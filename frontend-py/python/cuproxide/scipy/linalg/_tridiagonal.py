"""Eigenvalues of real symmetric tridiagonal matrices.

Where a device has an operation for all values, it is used. Elsewhere, and for a part of the values, each is found by
bisection in a thread of its own.
"""

from __future__ import annotations

import numpy as np

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ._common import complain, ufuncs


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
    wide_d, wide_e = d.astype(np.float64, copy=False), e.astype(np.float64, copy=False)
    # In a unit in which nothing overflows and pivots that vanish can be replaced: a power of two.
    largest = ufuncs["absolute"](wide_d).max(-1)
    if e.size:
        largest = ufuncs["maximum"](largest, ufuncs["absolute"](wide_e).max(-1))
    exponent = ufuncs["frexp"](largest)[1]
    numbers = _core.broadcast_to(_core.arange(low, 1, high - low, np.int64), (*stack, high - low))
    # Narrow values are found in double precision, to some digits more than they have.
    epsilon = max(float(np.finfo(d.dtype).eps) / 8, float(np.finfo(np.float64).eps))
    parts = (_times_power(part, -exponent[..., None])[..., None, :] for part in (wide_d, wide_e))
    found = _times_power(_bisect(*parts, numbers, epsilon=epsilon), exponent[..., None])
    # The values of zero are zero, and what is no number in a matrix makes its values none.
    largest = largest[..., None]
    return _core.where(largest > 0, found + largest * 0, largest).astype(d.dtype, copy=False)


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
