"""Splines through points: `make_interp_spline`.

Each condition is a row with at most k + 1 elements beside each other, so the coefficients are the solution of a banded
system; it is built in one launch and solved on the device.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index
from numpy.linalg import LinAlgError

from ... import _cuproxide as _core
from ... import allclose, concatenate, eye
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device
from ..._typing import ArrayLike
from ...linalg import solve
from ._banded import solve_band
from ._basis import basis_rows, basis_values
from ._bspline import BSpline
from ._common import any_of, find_interval, number_type, numbers
from ._knots import end_knots, not_a_knot, periodic_knots


@k.kernel
def _collocate(x: k.Each, i: k.Each, t: k.Array, ab: k.Out, *, degree: int):
    """Writes the row of a point into a matrix in LAPACK's band form."""
    last = t.shape[0] - degree - 2
    # A point lies in the support of the B-spline of its row, or the matrix is singular.
    left = find_interval(t, x, k.clamp(i, degree, last), k.clamp(i + degree, degree, last))
    if t[left] > x or (t[left + 1] <= x and left < last):
        left = find_interval(t, x, degree, last)
    for j, b in enumerate(basis_values(t, x, left, degree, 0)):
        column = left - degree + j
        row = degree + i - column
        if row >= 0 and row <= 2 * degree:
            ab[row, column] = b


def _boundary(ab: ndarray, t: ndarray, x: ndarray, degree: int, orders: list[int], row: int, at_end: bool) -> None:
    """Writes the rows of derivatives at one end."""
    count = t.shape[0] - degree - 1
    first = count - degree - 1 if at_end else 0
    columns = as_device(first + np.arange(degree + 1))
    for i, nu in enumerate(orders):
        values = basis_rows(x, t, _core.arange(0, 1, degree + 1, np.int64), degree=degree, nu=nu)
        ab[degree + row + i - columns, columns] = values


def _conditions(given: Any, shape: tuple[int, ...]) -> tuple[list[int], list[Any]]:
    """Orders and values of the derivatives at one end."""
    if given is None:
        return [], []
    if isinstance(given, str):
        if given not in ("clamped", "natural"):
            raise ValueError(f"Unknown boundary condition : {given}")
        return [1 if given == "clamped" else 2], [_core.zeros(shape, np.float64)]
    try:
        orders, values = zip(*given, strict=True)
    except TypeError as error:
        raise ValueError(
            "Derivatives, `bc_type`, should be specified as a pair of iterables of pairs of (order, value)."
        ) from error
    return [int(order) for order in orders], list(values)


def make_interp_spline(
    x: ArrayLike,
    y: ArrayLike,
    k: int = 3,
    t: ArrayLike | None = None,
    bc_type: Any = None,
    axis: int = 0,
    check_finite: bool = True,
) -> BSpline:
    """The spline through points.

    Parameters
    ----------
    x : array of shape (n,)
        Where the values are given, rising.
    y : array of shape (n, ...)
        The values, real or complex.
    t : array of shape (n + k + 1,), optional
        The knots; more of them with conditions at the ends.
    bc_type : None, "not-a-knot", "natural", "clamped", "periodic" or a pair
        Conditions at both ends: a name, or lists of pairs of an order of derivative and its value.
    axis : int
        The axis of `y` that goes with `x`.

    Raises
    ------
    ValueError
        If points are repeated or do not rise, or the conditions do not fit.
    LinAlgError
        If the knots and points determine no spline.

    >>> x = cp.linspace(0, 1, 5)
    >>> cp.scipy.interpolate.make_interp_spline(x, x**2)(0.3).round(10)
    array(0.09)
    """
    if bc_type is None or (isinstance(bc_type, str) and bc_type in ("not-a-knot", "periodic")):
        left, right = None, None
    elif isinstance(bc_type, str):
        left, right = bc_type, bc_type
    else:
        try:
            left, right = bc_type
        except TypeError as error:
            raise ValueError(f"Unknown boundary condition: {bc_type}") from error
    periodic = isinstance(bc_type, str) and bc_type == "periodic"
    x, y = numbers(x, check_finite), numbers(y, check_finite)
    axis = normalize_axis_index(axis, y.ndim)
    y = _core.moveaxis(y, axis, 0)
    if periodic and not bool(allclose(y[0], y[-1], atol=1e-15)):
        raise ValueError("First and last points does not match while periodic case expected")
    if x.size != y.shape[0]:
        raise ValueError(f"Shapes of x {x.shape} and y {y.shape} are incompatible")
    if x.ndim != 1:
        raise ValueError("Expect x to be a 1D strictly increasing sequence.")
    if any_of(x[1:] <= x[:-1]):
        if any_of(x[1:] == x[:-1]):
            raise ValueError("Expect x to not have duplicates")
        raise ValueError("Expect x to be a 1D strictly increasing sequence.")
    degree = k
    if degree == 0:
        if any(item is not None for item in (t, left, right)):
            raise ValueError("Too much info for k=0: t and bc_type can only be None.")
        return BSpline.construct_fast(concatenate([x, x[-1:]]), y.copy(), degree, axis=axis)
    if degree == 1 and t is None:
        if not (left is None and right is None):
            raise ValueError("Too much info for k=1: bc_type can only be None.")
        return BSpline.construct_fast(concatenate([x[:1], x, x[-1:]]), y.copy(), degree, axis=axis)
    degree = operator.index(degree)
    if periodic and t is not None:
        raise NotImplementedError("For periodic case t is constructed automatically and can not be passed manually")
    given = t is not None
    if degree < 0:
        raise ValueError("Expect non-negative k.")
    if t is not None:
        t = numbers(t, check_finite)
    elif left is not None or right is not None:
        t = end_knots(x, degree)
    else:
        t = periodic_knots(x, degree) if periodic else not_a_knot(x, degree)
    if t.ndim != 1 or (given and any_of(t[1:] < t[:-1])):
        raise ValueError("Expect t to be a 1-D sorted array_like.")
    if t.size < x.size + degree + 1:
        raise ValueError(f"Got {t.size} knots, need at least {x.size + degree + 1}.")
    if given and bool((x[0] < t[degree]) | (x[-1] > t[-degree])):
        raise ValueError(f"Out of bounds w/ x = {x}.")
    if periodic:
        return BSpline.construct_fast(t, _periodic(x, y, t, degree), degree, extrapolate="periodic", axis=axis)
    left_orders, left_values = _conditions(left, y.shape[1:])
    right_orders, right_values = _conditions(right, y.shape[1:])
    for orders, end in ((left_orders, x[:1]), (right_orders, x[-1:])):
        if not all(0 <= order <= degree for order in orders):
            raise ValueError(f"Bad boundary conditions at {float(end[0])}.")
    count = t.size - degree - 1
    if count - x.size != len(left_orders) + len(right_orders):
        raise ValueError(
            f"The number of derivatives at boundaries does not match: expected {count - x.size}, got "
            f"{len(left_orders)}+{len(right_orders)}"
        )
    if y.size == 0:
        return BSpline.construct_fast(t, _core.zeros((count, *y.shape[1:]), np.float64), degree, axis=axis)
    ab = _core.zeros((2 * degree + 1, count), np.float64)
    first = len(left_orders)
    _collocate(x, _core.arange(first, 1, x.size, np.int64), t, ab, degree=degree)
    _boundary(ab, t, x[:1], degree, left_orders, 0, False)
    _boundary(ab, t, x[-1:], degree, right_orders, count - len(right_orders), True)
    if left_values or right_values:
        ends = [numbers(value, check_finite) for value in (*left_values, *right_values)]
        dtype = number_type(y.dtype, *(value.dtype for value in ends))
        shape = (1, *y.shape[1:])
        ends = [
            _core.broadcast_to(
                value.astype(dtype, copy=False).reshape(-1)[:1]
                if value.size == 1
                else value.astype(dtype, copy=False).reshape(shape),
                shape,
            )
            for value in ends
        ]
        y = concatenate([*ends[:first], y.astype(dtype, copy=False), *ends[first:]])
    try:
        c = solve_band(ab, y.reshape(count, -1), degree, degree).reshape(y.shape)
    except LinAlgError as error:
        raise LinAlgError("Colocation matrix is singular.") from error
    return BSpline.construct_fast(t, c, degree, axis=axis)


@k.kernel
def _collocate_around(
    x: k.Each, i: k.Each, t: k.Array, band: k.Out, corners: k.Out, period: int, shift: int, *, degree: int, width: int
):
    """Writes a row of a periodic matrix: into a band of `width` diagonals beside the main one, else into the corners.

    Rows near the ends have a row in `corners`, with all columns.
    """
    left = find_interval(t, x, degree, t.shape[0] - degree - 2)
    for j, b in enumerate(basis_values(t, x, left, degree, 0)):
        column = left - degree + j - shift
        wrapped = column
        if column < 0:
            wrapped = column + period
        elif column >= period:
            wrapped = column - period
        if wrapped == column and abs(i - column) <= width:
            band[width + i - column, column] = b
        elif b != 0:
            row = i if i < width else i - period + 2 * width
            row = k.clamp(row, 0, 2 * width - 1)
            corners[row, wrapped] = b


def _periodic(x: ndarray, y: ndarray, t: ndarray, degree: int) -> ndarray:
    """The coefficients of a periodic spline: those of a circulant band, and some of them again."""
    period = x.size - 1
    shape = y.shape[1:]
    right = y[:-1].reshape(period, -1)
    half = degree // 2
    if period <= 4 * degree + 4:
        matrix = _core.zeros((period, period), np.float64)
        for j in range(degree + 1):
            values = basis_rows(x[:-1], t, j, degree=degree, nu=0)
            rows = np.arange(period)
            # The interval of the point i is degree + i, or for even degrees the one that begins before it.
            columns = (rows + j) % period
            matrix[as_device(rows), as_device(columns)] += values
        found = solve(matrix, right)
        order = np.arange(period + degree) % period
    else:
        band = _core.zeros((2 * half + 1, period), np.float64)
        corners = _core.zeros((2 * half, period), np.float64)
        number = _core.arange(0, 1, period, np.int64)
        _collocate_around(x[:-1], number, t, band, corners, period, half, degree=degree, width=half)
        # Woodbury's formula: the matrix is the band plus `units @ corners`.
        units = concatenate([eye(period, half), eye(period, half, half - period)], axis=1)
        both = solve_band(band, concatenate([right, units.astype(right.dtype)], axis=1), half, half)
        plain, extra = both[:, : right.shape[1]], both[:, right.shape[1] :]
        small = eye(2 * half) + _core.matmul(corners, extra)
        found = plain - _core.matmul(extra, solve(small, _core.matmul(corners, plain)))
        order = (np.arange(period + degree) - half) % period
    return found[as_device(order)].reshape((period + degree, *shape))


__all__ = ["make_interp_spline"]
