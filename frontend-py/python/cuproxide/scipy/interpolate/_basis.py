"""B-splines: the values of a basis, and of splines."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ._common import (
    find_interval,
    last_first,
    with_axes,
)


@k.function
def basis_values(t, x, i, degree, nu):
    """The derivatives of order `nu` at `x` of the degree + 1 B-splines that are not 0 from `t[i]` to `t[i + 1]`."""
    h = [1.0 + 0.0 * x]
    knots = [t[i + r] for r in range(1 - degree, degree + 1)]
    for j in range(1, degree + 1):
        differs = j > degree - nu
        before, h = h, [0.0 * x] * (j + 1)
        for n in range(1, j + 1):
            above, below = knots[degree - 1 + n], knots[degree - 1 + n - j]
            width = above - below
            w = k.where(width == 0, 0.0, before[n - 1] / width)
            if differs:
                h[n - 1] = h[n - 1] - w * float(j)
                h[n] = w * float(j)
            else:
                h[n - 1] = h[n - 1] + w * (above - x)
                h[n] = w * (x - below)
    return h if nu <= degree else [0.0 * x] * (degree + 1)


@k.kernel
def values_at(x: k.Each, t: k.Array, c: k.Array[1], *, degree, nu, outside):
    """`outside` is True (extrapolate), False (NaN), "periodic", "zeros" or "constant"."""
    x = x.astype(np.float64)
    n = t.shape[0] - degree - 1
    first, last = t[degree], t[n]
    if outside == "periodic":
        x = first + (x - first) % (last - first)
    elif outside == "constant":
        x = k.where(x == x, min(max(x, first), last), x)
    i = find_interval(t, x, degree, n - 1)
    total = c.dtype.type(0)
    for j, b in enumerate(basis_values(t, x, i, degree, nu)):
        total = total + b * c[i - degree + j]
    if outside is False:
        total = k.where((first <= x) & (x <= last), total, np.nan)
    elif outside == "zeros":
        total = k.where((first <= x) & (x <= last) | (x != x), total, 0.0)
    return k.where(x == x, total, np.nan)


@k.kernel
def basis_rows(x: k.Each, t: k.Array, j: k.Each, *, degree, nu):
    """The B-spline number `j` of those that are not 0 at a point."""
    n = t.shape[0] - degree - 1
    i = find_interval(t, x, degree, n - 1)
    total = 0.0 * x
    for number, b in enumerate(basis_values(t, x, i, degree, nu)):
        total = k.where(j == number, b, total)
    return total


@k.kernel
def intervals(x: k.Each, t: k.Array, degree: int):
    """The interval of a point between the first and last knot of the base."""
    return find_interval(t, x, degree, t.shape[0] - degree - 2)


def spline_values(x: Any, t: ndarray, c: ndarray, degree: int, nu: int = 0, outside: bool | str = True) -> ndarray:
    """The values or derivatives at `x` of a spline whose coefficients lie along the first axis of `c`."""
    if nu < 0:
        raise NotImplementedError(f"Cannot do derivative order nu={nu}: it must not be negative")
    x = with_axes(x, c.ndim - 1)
    return values_at(x, t, last_first(c), degree=degree, nu=int(nu), outside=outside)
