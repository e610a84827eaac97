"""Splines near to points: least squares with given knots, and natural splines with a penalty for bending."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ... import _cuproxide as _core
from ... import concatenate, stack
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._typing import ArrayLike
from ..linalg import LinAlgError
from ._banded import solve_band
from ._basis import basis_rows
from ._bspline import BSpline
from ._common import any_of, last_first, numbers, padded, real
from ._least_squares import Data


def make_lsq_spline(
    x: ArrayLike,
    y: ArrayLike,
    t: ArrayLike,
    k: int = 3,
    w: ArrayLike | None = None,
    axis: int = 0,
    check_finite: bool = True,
    *,
    method: str = "qr",
) -> BSpline:
    """The spline with given knots and the smallest sum of squared weighted residuals.

    Parameters
    ----------
    x : array of shape (m,)
        Points, not falling.
    y : array of shape (m, ...)
        Values, real or complex.
    t : array of shape (n + k + 1,)
        Knots; those at the ends occur `k + 1` times.
    axis : int
        The axis of `y` that goes with `x`.
    method : "qr" or "norm-eq"
        Both are solved by rotations here; the latter refuses repeated points and knots without points as SciPy does.

    >>> x = cp.linspace(0, 1, 20)
    >>> cp.scipy.interpolate.make_lsq_spline(x, x**2, [0, 0, 0, 0.5, 1, 1, 1], k=2)(0.3).round(10)
    array(0.09)
    """
    x, y, t = numbers(x, check_finite), numbers(y, check_finite), numbers(t, check_finite)
    w = _core.full(x.shape, 1.0, np.float64) if w is None else numbers(w, check_finite)
    degree = operator.index(k)
    axis = normalize_axis_index(axis, y.ndim)
    y = _core.moveaxis(y, axis, 0)
    if x.ndim != 1:
        raise ValueError("Expect x to be a 1-D sequence.")
    if x.shape[0] < degree + 1:
        raise ValueError("Need more x points.")
    if degree < 0:
        raise ValueError("Expect non-negative k.")
    if t.ndim != 1 or any_of(t[1:] < t[:-1]):
        raise ValueError("Expect t to be a 1D strictly increasing sequence.")
    if x.size != y.shape[0]:
        raise ValueError(f"Shapes of x {x.shape} and y {y.shape} are incompatible")
    if t.size < 2 * degree + 2:
        raise ValueError(f"Need at least {2 * degree + 2} knots, got {t.size}.")
    if any_of((x < t[degree]) | (x > t[-degree - 1])):
        raise ValueError(f"Out of bounds w/ x = {x}.")
    if x.size != w.size:
        raise ValueError(f"Shapes of x {x.shape} and w {w.shape} are incompatible")
    if method == "norm-eq" and any_of(x[1:] <= x[:-1]):
        raise ValueError("Expect x to be a 1D strictly increasing sequence.")
    if method == "qr" and any_of(x[1:] < x[:-1]):
        raise ValueError("Expect x to be a 1D non-decreasing sequence.")
    if method not in ("qr", "norm-eq"):
        raise ValueError(f"Unknown method ={method!r}.")
    n, shape = t.size - degree - 1, y.shape[1:]
    columns = y.reshape(x.size, -1) if y.size else y.reshape((x.size, math.prod(shape)))
    if y.dtype.kind == "c":
        columns = stack([columns.real, columns.imag], axis=-1).reshape(x.size, -1)
    fit = Data(x, columns, w, degree).fit(t)
    if method == "norm-eq" and any_of(fit.triangle.r[:, 0] == 0):
        raise LinAlgError("the normal equations are not positive definite")
    c = fit.c
    if y.dtype.kind == "c":
        pairs = c.reshape(n, -1, 2)
        c = pairs[..., 0] + 1j * pairs[..., 1]
    return BSpline.construct_fast(t, c.reshape((n, *shape)), degree, axis=axis)


# A natural spline with a penalty (Woltring, 1986): a band X of values and a band E of fourth differences.


@k.kernel
def _penalty(row: k.Each, j: k.Each, x: k.Array, w: k.Array):
    """An element of the penalty: the weight of a point in a divided difference of up to five."""
    n = x.shape[0]
    i = j + row - 2
    first, last = max(j - 2, 0), min(j + 2, n - 1)
    total = 0.0
    if i >= first and i <= last:
        product = w[i]
        for m in k.steps(first, last + 1):
            if m != i:
                product *= x[i] - x[m]
        factor = 1.0
        if j >= 2 and j < n - 2:
            factor = x[j + 2] - x[j - 2]
        elif j == n - 2:
            factor = -1.0
        total = 6.0 * factor / product
    return total


def _values_band(x: ndarray, t: ndarray) -> ndarray:
    """The values of the base of natural splines at the points, in LAPACK's band form."""
    n = x.shape[0]
    b = basis_rows(x[:, None], t, _core.arange(0, 1, 4, np.int64), degree=3, nu=0)
    band = _core.zeros((5, n), np.float64)
    for i in (1, 2, 3):
        band[i, 2:-2] = b[i : n - 4 + i, 3 - i]
    band[1, 1] = b[0, 0]
    band[2, 0] = (x[2] + x[1] - 2 * x[0]) * b[0, 0]
    band[2, 1] = b[1, 0] + b[1, 1]
    band[3, 0] = (x[2] - x[0]) * b[1, 0]
    band[3, 1] = b[2, 0]
    band[1, -2] = b[-3, 2]
    band[1, -1] = (x[-1] - x[-3]) * b[-2, 2]
    band[2, -2] = b[-2, 1] + b[-2, 2]
    band[2, -1] = (2 * x[-1] - x[-2] - x[-3]) * b[-1, 3]
    band[3, -2] = b[-1, 3]
    return band


@k.kernel
def _gram(i: k.Each, j: k.Each, a: k.Array, b: k.Array, w: k.Array):
    """The element i, i + j of the product of a transposed band, weights and a band."""
    total = 0.0
    n = a.shape[1]
    if i + j < n:
        for row in k.steps(max(i + j - 2, 0), min(i + 2, n - 1) + 1):
            total += a[2 + row - i, i] * w[row] * b[2 + row - i - j, i + j]
    return total


@k.function
def _validation(p, x, e, xwx, xe, y, rows, c, u, inverse):
    """The criterion of generalised cross-validation for a factor of the penalty (Hutchinson and De Hoog, 1985)."""
    n = x.shape[1]
    # The system by elimination within the band, with pivots.
    for i in k.steps(n):
        c[i] = y[i]
        for m in k.steps(7):
            column = i - 2 + m
            rows[i, m] = 0.0
            if m < 5 and column >= 0 and column < n:
                rows[i, m] = x[4 - m, column] + p * e[4 - m, column]
    for i in k.steps(n):
        last = min(i + 2, n - 1)
        pivot, most = i, abs(rows[i, 2])
        for m in k.steps(i + 1, last + 1):
            size = abs(rows[m, 2 + i - m])
            if size > most:
                pivot, most = m, size
        if pivot != i:
            for m in k.steps(5):
                if i + m < n:
                    rows[i, 2 + m], rows[pivot, 2 + m + i - pivot] = rows[pivot, 2 + m + i - pivot], rows[i, 2 + m]
            c[i], c[pivot] = c[pivot], c[i]
        for m in k.steps(i + 1, last + 1):
            factor = rows[m, 2 + i - m] / rows[i, 2]
            for q in k.steps(1, 5):
                if i + q < n:
                    rows[m, 2 + i - m + q] -= factor * rows[i, 2 + q]
            c[m] -= factor * c[i]
    for i in k.steps(n - 1, -1, -1):
        total = c[i]
        for m in k.steps(1, 5):
            if i + m < n:
                total -= rows[i, 2 + m] * c[i + m]
        c[i] = total / rows[i, 2]
    above = 0.0
    for i in k.steps(n):
        total = 0.0
        for column in k.steps(max(i - 2, 0), min(i + 2, n - 1) + 1):
            total += e[2 + i - column, column] * c[column]
        above += (p * total) * (p * total)
    # The factors of the normal equations, with a unit diagonal: u[i, 0] is the pivot.
    for i in k.steps(n):
        for m in k.steps(4):
            total = 0.0
            if i + m < n:
                total = xwx[m, i] + p * xe[m, i]
                for q in k.steps(max(i + m - 3, 0), i):
                    total -= u[q, i - q] * u[q, 0] * u[q, i + m - q]
                if m > 0:
                    total = total / u[i, 0]
            u[i, m] = total
    # The band of the inverse, from its end, and the trace with the matrix of the values.
    trace = 0.0
    for i in k.steps(n - 1, -1, -1):
        reach = min(3, n - 1 - i)
        for m in k.steps(reach, -1, -1):
            total = 0.0
            if m == 0:
                total = 1.0 / u[i, 0]
            for q in k.steps(1, reach + 1):
                total -= u[i, q] * inverse[i + min(q, m), abs(q - m)]
            inverse[i, m] = total
            trace += k.where(m == 0, 1.0, 2.0) * total * xwx[m, i]
    below = 1.0 - trace / n
    return above / n / (below * below)


@k.kernel
def _best_penalty(
    x: k.Array, e: k.Array, xwx: k.Array, xe: k.Array, y: k.Array[1], rows: k.Out[2], c: k.Out[1], u: k.Out[2],
    inverse: k.Out[2],
):  # fmt: skip
    """The factor that minimises the criterion between 0 and the number of points, by Brent's method."""
    n = x.shape[1]
    golden = 0.5 * (3.0 - math.sqrt(5.0))
    low, high = 0.0, 1.0 * n.astype(np.float64)
    best = low + golden * (high - low)
    second, third = best, best
    f_best = _validation(best, x, e, xwx, xe, y, rows, c, u, inverse)
    f_second, f_third = f_best, f_best
    step, before, count = 0.0, 0.0, 1
    middle = 0.5 * (low + high)
    near = 1.4832396974191326e-08 * abs(best) + 1e-5 / 3.0
    while abs(best - middle) > 2.0 * near - 0.5 * (high - low) and count < 500:
        use_section = True
        if abs(before) > near:
            # A parabola through three points.
            r = (best - second) * (f_best - f_third)
            q = (best - third) * (f_best - f_second)
            above = (best - third) * q - (best - second) * r
            q = 2.0 * (q - r)
            above = k.where(q > 0, -above, above)
            q = abs(q)
            r, before = before, step
            if abs(above) < abs(0.5 * q * r) and above > q * (low - best) and above < q * (high - best):
                use_section = False
                step = above / q
                at = best + step
                if at - low < 2.0 * near or high - at < 2.0 * near:
                    step = k.where(middle >= best, near, -near)
        if use_section:
            before = k.where(best >= middle, low - best, high - best)
            step = golden * before
        at = best + k.where(step >= 0, 1.0, -1.0) * max(abs(step), near)
        value = _validation(at, x, e, xwx, xe, y, rows, c, u, inverse)
        count += 1
        if value <= f_best:
            if at >= best:
                low = best
            else:
                high = best
            third, f_third = second, f_second
            second, f_second = best, f_best
            best, f_best = at, value
        else:
            if at < best:
                low = at
            else:
                high = at
            if value <= f_second or second == best:
                third, f_third = second, f_second
                second, f_second = at, value
            elif value <= f_third or third == best or third == second:
                third, f_third = at, value
        middle = 0.5 * (low + high)
        near = 1.4832396974191326e-08 * abs(best) + 1e-5 / 3.0
    return k.where(f_best == f_best, best, np.nan)


# What refinement may change of the coefficients of a smoothing spline.
_MOST_CHANGE = 1e-5
_ILL_POSED = (
    "Seems like the problem is ill-posed: the points lie too near to each other for the coefficients, `lam` is too "
    "large beside them, or a value is not finite"
)


def _cross_validated(x: ndarray, e: ndarray, w: ndarray, y: ndarray) -> ndarray:
    """The factor of the penalty for each column of `y`; one launch finds all of them."""
    n, columns = y.shape
    i, j = _core.arange(0, 1, n, np.int64), _core.arange(0, 1, 4, np.int64)[:, None]
    xwx, xe = _gram(i, j, x, x, w), _gram(i, j, x, e, w)
    work = [_core.empty((columns, n, *more), np.float64) for more in ((7,), (), (4,), (4,))]
    found = _best_penalty(x, e, xwx, xe, last_first(y), *work)
    if any_of(found != found):
        raise ValueError("Seems like the problem is ill-posed")
    return found


def _solved(band: ndarray, right: ndarray) -> ndarray:
    """The solution of a system with two diagonals on each side, of which at least five digits are right.

    What a step of refinement changes is the size of the error.
    """
    c = solve_band(band, right, 2, 2)
    step = solve_band(band, _rest(band, c, right), 2, 2)
    size, change = (abs(part).max(axis=-2) for part in (c, step))
    if any_of(~(change <= _MOST_CHANGE * size + np.finfo(np.float64).tiny)):
        raise ValueError(_ILL_POSED)
    return c


def _rest(band: ndarray, c: ndarray, right: ndarray) -> ndarray:
    """The right side less the product of a matrix with two diagonals on each side."""
    n = c.shape[-2]
    rest = right.astype(np.float64)
    for offset in range(-2, 3):
        # Row i takes the column i + offset.
        rows, taken = slice(max(-offset, 0), n - max(offset, 0)), slice(max(offset, 0), n + min(offset, 0))
        rest[..., rows, :] -= band[..., 2 - offset, taken, None] * c[..., taken, :]
    return rest


def _check_residuals(rest: ndarray, x: ndarray, w: ndarray, y: ndarray) -> None:
    """What the spline leaves is orthogonal to all straight lines, unless the elements of the matrix had no digits."""
    size = (w[:, None] * abs(y)).sum(axis=0)
    rest = w[:, None] * rest
    line = ((x - x[0]) / (x[-1] - x[0]))[:, None]
    if any_of(~(abs(rest.sum(axis=0)) + abs((line * rest).sum(axis=0)) <= _MOST_CHANGE * size)):
        raise ValueError(_ILL_POSED)


def make_smoothing_spline(
    x: ArrayLike, y: ArrayLike, w: ArrayLike | None = None, lam: Any = None, *, axis: int = 0
) -> BSpline:
    """The natural cubic spline that minimises squared weighted residuals and `lam` times the squared second derivative.

    Parameters
    ----------
    x : array of shape (n,)
        Points, rising, at least 5.
    y : array with n elements along `axis`
        Values.
    w : array of shape (n,), optional
        Weights.
    lam : float, optional
        The factor; by default generalised cross-validation chooses one for each column.

    Raises
    ------
    ValueError
        If points do not rise or are too few, weights are not positive, `lam` is negative, or points are so near to each
        other, or `lam` is so large, that the coefficients lose their digits.

    >>> x = cp.arange(6.0)
    >>> cp.scipy.interpolate.make_smoothing_spline(x, 2 * x, lam=1.0)(1.5).round(10)
    array(3.)
    """
    x, y = real(x), real(y)
    if any_of(x[1:] - x[:-1] <= 0):
        raise ValueError("``x`` should be an ascending array")
    if x.ndim != 1 or x.shape[0] != y.shape[axis]:
        raise ValueError(f"``x`` should be 1D and x.shape = {x.shape!r} == y.shape = {y.shape!r}")
    if w is None:
        w = _core.full(x.shape, 1.0, np.float64)
    else:
        w = real(w)
        if any_of(w <= 0):
            raise ValueError("Invalid vector of weights")
    n = x.shape[0]
    if n <= 4:
        raise ValueError("``x`` and ``y`` length must be at least 5")
    t = padded(x[:1], 3, x, x[-1:], 3)
    axis = normalize_axis_index(axis, y.ndim)
    y = _core.moveaxis(y, axis, 0)
    shape = y.shape[1:]
    columns = y.reshape((n, math.prod(shape)))
    values = _values_band(x, t)
    penalty = _penalty(_core.arange(0, 1, 5, np.int64)[:, None], _core.arange(0, 1, n, np.int64), x, w)
    if lam is None:
        lam = _cross_validated(values, penalty, w, columns)
        band = values[None] + lam[:, None, None] * penalty
        c = _core.moveaxis(_solved(band, _core.moveaxis(columns, 0, 1)[..., None])[..., 0], -1, 0)
    else:
        lam = float(lam)
        if lam < 0.0:
            raise ValueError("Regularization parameter should be non-negative")
        c = _solved(values + lam * penalty, columns)
    _check_residuals(_rest(values, c, columns), x, w, columns)
    first, second, last, before = c[:1], c[1:2], c[-1:], c[-2:-1]
    c = concatenate(
        [
            first * (t[5] + t[4] - 2 * t[3]) + second,
            first * (t[5] - t[3]) + second,
            c[1:-1],
            last * (t[-4] - t[-6]) + before,
            last * (2 * t[-4] - t[-5] - t[-6]) + before,
        ]
    )
    return BSpline.construct_fast(t, c.reshape((c.shape[0], *shape)), 3, axis=axis)


__all__ = ["make_lsq_spline", "make_smoothing_spline"]
