"""B-splines: evaluation, calculus and knots.

An evaluation is one launch, which finds the interval of each point and sums the B-splines that are not 0 there
(de Boor, A Practical Guide to Splines, 2001, chapter X).
"""

from __future__ import annotations

import math
import operator
from types import GenericAlias
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ... import _cuproxide as _core
from ... import concatenate, diff
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device
from ..._typing import ArrayLike
from ._basis import basis_rows, intervals, spline_values, values_at
from ._common import (
    along,
    any_of,
    last_first,
    number_type,
    numbers,
    point_values,
    real,
    set_axis,
    shape_of,
    ufuncs,
)
from ._cubic import CubicSpline
from ._knots import end_knots, not_a_knot, periodic_knots


class BSpline:
    """A spline in the B-spline basis: `sum(c[j] * B[j](x) for j in range(n))`, of degree `k`.

    Parameters
    ----------
    t : array of shape (n + k + 1,)
        Knots, not falling.
    c : array of shape (>= n, ...)
        Coefficients; further axes are values of vectors.
    extrapolate : bool or "periodic"
        Whether the pieces at the ends are used outside the base `t[k]..t[n]` (else NaN), or the spline repeats.
    axis : int
        The axis of the coefficients.

    >>> spline = cp.scipy.interpolate.BSpline([0, 1, 2, 3, 4, 5, 6], [-1.0, 2.0, 0.0, -1.0], 2)
    >>> spline(cp.asarray([2.5, 3.5]))
    array([1.375, 0.125])
    """

    __class_getitem__: classmethod[Any, ..., GenericAlias] = classmethod(GenericAlias)

    def __init__(self, t: ArrayLike, c: ArrayLike, k: int, extrapolate: bool | str = True, axis: int = 0) -> None:
        self.k = operator.index(k)
        t, c = real(t), as_device(c)
        self.extrapolate = extrapolate if extrapolate == "periodic" else bool(extrapolate)
        n = t.shape[0] - self.k - 1 if t.ndim else 0
        self.axis = normalize_axis_index(axis, c.ndim)
        if self.axis:
            c = _core.moveaxis(c, self.axis, 0)
        if self.k < 0:
            raise ValueError("Spline order cannot be negative.")
        if t.ndim != 1:
            raise ValueError("Knot vector must be one-dimensional.")
        if n < self.k + 1:
            raise ValueError(f"Need at least {2 * self.k + 2} knots for degree {self.k}")
        check_knots(t, self.k, n)
        if c.shape[0] < n:
            raise ValueError("Knots, coefficients and degree are inconsistent.")
        self.t, self.c = t, c.astype(number_type(c.dtype), copy=False)

    @classmethod
    def construct_fast(
        cls, t: ArrayLike, c: ArrayLike, k: int, extrapolate: bool | str = True, axis: int = 0
    ) -> BSpline:
        """A spline of arrays that are known to be right: nothing is checked or converted.

        Parameters
        ----------
        axis : int
            The axis of the values.
        """
        self = object.__new__(cls)
        self.t, self.c, self.k = as_device(t), as_device(c), k
        self.extrapolate, self.axis = extrapolate, axis
        return self

    @property
    def tck(self) -> tuple[ndarray, ndarray, int]:
        """Knots, coefficients and degree."""
        return self.t, self.c, self.k

    @classmethod
    def basis_element(cls, t: ArrayLike, extrapolate: bool | str = True) -> BSpline:
        """The B-spline of the knots `t`, of degree `len(t) - 2`."""
        t = numbers(t)
        degree = t.shape[0] - 2
        t = concatenate([t[:1] - np.ones(1)[0]] * degree + [t] + [t[-1:] + 1.0] * degree)
        c = _core.zeros(t.shape, np.float64)
        c[degree] = 1.0
        return cls.construct_fast(t, c, degree, extrapolate)

    @classmethod
    def design_matrix(cls, x: ArrayLike, t: ArrayLike, k: int, extrapolate: bool | str = False) -> Any:
        """The B-splines at points, as a sparse array in the format CSR: a row for each point, `k + 1` elements each.

        Parameters
        ----------
        t : array_like or tuple of it
            The knots.
        k : int or tuple of int
            The degree.
        """
        from ..sparse import csr_array

        values, first = design_rows(x, t, k, extrapolate)
        count = first.shape[0]
        t = as_device(t)
        columns = first[:, None] + _core.arange(0, 1, k + 1, np.int64)
        kind = np.int32 if count * (k + 1) < np.iinfo(np.int32).max else np.int64
        starts = _core.arange(0, k + 1, count + 1, kind)
        return csr_array(
            (values.reshape(-1), columns.astype(kind).reshape(-1), starts), shape=(count, t.shape[0] - k - 1)
        )

    def __call__(self, x: ArrayLike, nu: int = 0, extrapolate: bool | str | None = None) -> ndarray:
        """The values, or derivatives of order `nu`, at `x`.

        The axes of `x` stand where the axis of the coefficients was.
        """
        outside = self.extrapolate if extrapolate is None else extrapolate
        if outside != "periodic":
            outside = bool(outside)
        x, c = point_values(x), self.c
        if c.ndim == 1 and nu == 0:
            return values_at(x, self.t, c, degree=self.k, nu=0, outside=outside)
        out = spline_values(x, self.t, c, self.k, nu, outside)
        return set_axis(out, len(shape_of(x)), self.axis) if self.axis else out

    def derivative(self, nu: int = 1) -> BSpline:
        """The spline that is the derivative of order `nu`."""
        t, c, degree = differentiated(self.t, _filled(self.t, self.c), self.k, nu)
        return self.construct_fast(t, c, degree, self.extrapolate, self.axis)

    def antiderivative(self, nu: int = 1) -> BSpline:
        """A spline that is an antiderivative of order `nu`."""
        t, c, degree = integrated(self.t, _filled(self.t, self.c), self.k, nu)
        extrapolate = False if self.extrapolate == "periodic" else self.extrapolate
        return self.construct_fast(t, c, degree, extrapolate, self.axis)

    def integrate(self, a: float, b: float, extrapolate: bool | str | None = None) -> ndarray:
        """The integral from `a` to `b`; without `extrapolate` over the part of it in the base."""
        if extrapolate is None:
            extrapolate = self.extrapolate
        a, b, sign = float(a), float(b), 1.0
        if b < a:
            a, b, sign = b, a, -1.0
        n = self.t.size - self.k - 1
        first, last = float(self.t[self.k]), float(self.t[n])
        if extrapolate != "periodic" and not extrapolate:
            a, b = max(a, first), min(b, last)
            if self.c.ndim == 1 and a >= b:
                return _core.zeros((), self.c.dtype)
        t, c, degree = integrated(self.t, _filled(self.t, self.c), self.k, 1)

        def between(low: float, high: float, outside: bool) -> ndarray:
            values = spline_values(as_device(np.array([low, high])), t, c, degree, 0, outside)
            return values[1] - values[0]

        if extrapolate != "periodic":
            return between(a, b, bool(extrapolate)) * sign
        period = last - first
        count, left = divmod(b - a, period)
        total = _core.zeros(c.shape[1:], c.dtype)
        if count > 0:
            total = between(first, last, False) * count
        a = first + (a - first) % period
        b = a + left
        if b <= last:
            total = total + between(a, b, False)
        else:
            total = total + between(a, last, False) + between(first, first + b - last, False)
        return total * sign

    @classmethod
    def from_power_basis(cls, pp: Any, bc_type: str = "not-a-knot") -> BSpline:
        """The B-spline form of a `CubicSpline`, whose boundary conditions must be named.

        Parameters
        ----------
        bc_type : str
            The conditions at the ends.
        """
        if not isinstance(pp, CubicSpline):
            raise NotImplementedError(f"Only CubicSpline objects are accepted for now. Got {type(pp)} instead.")
        x, coefficients = pp.x, pp.c
        degree = coefficients.shape[0] - 1
        if bc_type == "not-a-knot":
            t = not_a_knot(x, degree)
        elif bc_type in ("natural", "clamped"):
            t = end_knots(x, degree)
        elif bc_type == "periodic":
            t = periodic_knots(x, degree)
        else:
            raise TypeError(f"Unknown boundary condition: {bc_type}")
        count = t.shape[0] - degree - 1
        # Each coefficient is a dual functional of de Boor and Fix at a breakpoint in the support of its B-spline.
        number = _core.arange(0, 1, count, np.int64)
        piece = ufuncs["minimum"](number, np.int64(x.shape[0] - 2))
        c = _dual(number, piece, x, t, last_first(coefficients, 2)[..., None, :, :], degree=degree)
        return cls.construct_fast(t, _core.moveaxis(c, -1, 0), degree, pp.extrapolate, pp.axis)

    def insert_knot(self, x: float, m: int = 1) -> BSpline:
        """The same spline with `m` more knots at `x`.

        Parameters
        ----------
        x : float
            The knot.
        """
        x = float(x)
        if x < float(self.t[self.k]) or x > float(self.t[-self.k - 1]):
            raise ValueError(f"Cannot insert a knot at {x}.")
        if m <= 0:
            raise ValueError(f"`m` must be positive, got m = {m!r}.")
        t, c = self.t, self.c
        for _ in range(m):
            t, c = with_knot(x, t, c, self.k, self.extrapolate == "periodic")
        return self.construct_fast(t, c, self.k, self.extrapolate, self.axis)


def check_knots(t: ndarray, degree: int, n: int, name: str = "") -> None:
    """`ValueError` unless knots do not fall, are finite and span more than a point."""
    steps = diff(t)
    if any_of(steps < 0):
        raise ValueError(f"Knots{name} must be in a non-decreasing order.")
    if not any_of(steps[degree:n] != 0):
        raise ValueError(f"Need at least two internal knots{name}.")
    if not bool(ufuncs["isfinite"](t).all()):
        raise ValueError(f"Knots{name} should not have nans or infs.")


def _filled(t: ndarray, c: ndarray) -> ndarray:
    """Coefficients, with zeros up to the number of knots."""
    missing = t.shape[0] - c.shape[0]
    return concatenate([c, _core.zeros((missing, *c.shape[1:]), c.dtype)]) if missing > 0 else c


def design_rows(x: ArrayLike, t: ArrayLike, degree: int, extrapolate: bool | str) -> tuple[ndarray, ndarray]:
    """The values of the B-splines that are not 0 at each point, and the number of the first of them."""
    x, t = numbers(x, True), numbers(t, True)
    if x.ndim == 0:
        x = x.reshape(1)
    if x.ndim != 1:
        raise ValueError(f"x must have one axis, not the shape {x.shape}")
    if extrapolate != "periodic":
        extrapolate = bool(extrapolate)
    if degree < 0:
        raise ValueError("Spline order cannot be negative.")
    if t.ndim != 1 or any_of(t[1:] < t[:-1]):
        raise ValueError(f"Expect t to be a 1-D sorted array_like, but got t={t}.")
    if len(t) < 2 * degree + 2:
        raise ValueError(f"Length t is not enough for k={degree}.")
    n = t.size - degree - 1
    if extrapolate == "periodic":
        x = t[degree] + (x - t[degree]) % (t[n] - t[degree])
    elif not extrapolate and any_of((x < t[degree]) | (x > t[n])):
        raise ValueError(f"Out of bounds w/ x = {x}.")
    values = basis_rows(x[:, None], t, _core.arange(0, 1, degree + 1, np.int64), degree=degree, nu=0)
    return values, intervals(x, t, degree) - degree


@k.kernel
def _dual(number: k.Each, piece: k.Each, x: k.Array, t: k.Array, c: k.Array[2], *, degree):
    """De Boor and Fix's functional of the polynomial `piece` for the B-spline `number`."""
    at = x[piece]
    # The derivatives at this point of the product of (y - t) over the inner knots, from its Taylor coefficients.
    taylor = [1.0 + 0.0 * at]
    for p in range(1, degree + 1):
        distance = at - t[number + p]
        longer = [value * distance for value in taylor] + [0.0 * at]
        taylor = [longer[q] + (taylor[q - 1] if q else 0.0) for q in range(p + 1)]
    total = c.dtype.type(0)
    for m in range(degree + 1):
        # The derivative of order m of the product, and that of order k - m of the piece.
        weight = (-1.0) ** (degree - m) * math.factorial(m) * math.factorial(degree - m) / math.factorial(degree)
        total = total + taylor[m] * weight * c[m, piece]
    return total


def differentiated(t: ndarray, c: ndarray, degree: int, n: int) -> tuple[ndarray, ndarray, int]:
    """Knots, coefficients (as many as knots) and degree of a derivative of order `n`."""
    if n < 0:
        return integrated(t, c, degree, -n)
    if n > degree:
        raise ValueError(f"Order of derivative (n = {n!r}) must be <= order of spline (k = {degree!r})")
    for _ in range(n):
        widths = t[degree + 1 : -1] - t[1 : -degree - 1]
        if any_of(widths == 0):
            raise ValueError(f"The spline has internal repeated knots and is not differentiable {n} times")
        c = (c[1 : -1 - degree] - c[: -2 - degree]) * float(degree) / along(widths, c.ndim)
        c = concatenate([c, _core.zeros((degree, *c.shape[1:]), c.dtype)])
        t = t[1:-1]
        degree -= 1
    return t, c, degree


def integrated(t: ndarray, c: ndarray, degree: int, n: int) -> tuple[ndarray, ndarray, int]:
    """Knots, coefficients (as many as knots) and degree of an antiderivative of order `n`."""
    if n < 0:
        return differentiated(t, c, degree, -n)
    for _ in range(n):
        widths = t[degree + 1 :] - t[: -degree - 1]
        sums = (c[: -degree - 1] * along(widths, c.ndim)).cumsum(0) * (1.0 / (degree + 1))
        last = _core.broadcast_to(sums[-1:], (degree + 2, *sums.shape[1:]))
        c = concatenate([_core.zeros((1, *sums.shape[1:]), c.dtype), sums, last])
        t = concatenate([t[:1], t, t[-1:]])
        degree += 1
    return t, c, degree


@k.kernel
def _blended(c: k.Array[1], t: k.Array, i: k.Each, x: float, interval: int, *, degree):
    """The coefficients after a knot at `x` went into the interval (Boehm, 1980); `t` are the new knots."""
    last = c.shape[0] - 1
    old, before = c[min(i, last)], c[max(i - 1, 0)]
    inner = (i > interval - degree) & (i <= interval)
    low, high = t[i], t[min(i + degree + 1, t.shape[0] - 1)]
    factor = k.where(inner, (x - low) / k.where(inner, high - low, 1.0), 0.0)
    mixed = factor * old + (1.0 - factor) * before
    return k.where(i <= interval - degree, old, k.where(i > interval, before, mixed))


def with_knot(x: float, t: ndarray, c: ndarray, degree: int, periodic: bool = False) -> tuple[ndarray, ndarray]:
    """Knots and coefficients of the same spline with one more knot."""
    interval = int(intervals(x, t, degree))
    if bool(t[interval] == t[interval + degree + 1]):
        interval -= 1
    if periodic and interval + 1 <= 2 * degree and interval + 1 >= t.shape[0] - 2 * degree:
        raise ValueError("Not enough internal knots.")
    knots = concatenate([t[: interval + 1], _core.full((1,), x, np.float64), t[interval + 1 :]])
    number = _core.arange(0, 1, c.shape[0] + 1, np.int64)
    mixed = _blended(last_first(c)[..., None, :], knots, number, x, interval, degree=degree)
    fresh = _core.moveaxis(mixed, -1, 0).copy()
    if periodic:
        n = knots.shape[0]
        end, far = n - degree - 1, n - 2 * degree - 1
        period = knots[end] - knots[degree]
        if interval >= end - degree:
            knots[:degree] = knots[end - degree : end] - period
            fresh[:degree] = fresh[far : far + degree]
        if interval <= 2 * degree - 1:
            knots[n - degree :] = knots[degree + 1 : 2 * degree + 1] + period
            fresh[far : far + degree] = fresh[:degree]
    return knots, fresh


__all__ = ["BSpline"]
