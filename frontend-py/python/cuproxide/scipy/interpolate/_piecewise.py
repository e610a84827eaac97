"""Piecewise polynomials of one variable in the power and the Bernstein basis.

An evaluation is one launch, which finds the interval of each point and applies Horner's or de Casteljau's scheme.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from types import GenericAlias
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ... import concatenate, diff, stack
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device, is_integer
from ..._typing import ArrayLike
from ._basis import spline_values
from ._common import along, any_of, last_first, number_type, point_values, real, set_axis, shape_of, with_axes


def rising_factors(count: int, nu: int) -> np.ndarray:
    """`m (m + 1) ... (m + nu - 1)` for m from `count` down to 1."""
    return np.array([math.prod(range(m, m + nu)) for m in range(count, 0, -1)], dtype=np.float64)


@k.function
def _place(breaks, x):
    """The interval of a point, and whether it lies in one; the breakpoints rise or fall."""
    low, high = 0, breaks.shape[0] - 2
    rises = breaks[0] <= breaks[-1]
    while low < high:
        middle = (low + high + 1) >> 1
        there = breaks[middle]
        behind = k.where(rises, there <= x, there >= x)
        low = k.where(behind, middle, low)
        high = k.where(behind, high, middle - 1)
    first, last = breaks[0], breaks[-1]
    return low, (min(first, last) <= x) & (x <= max(first, last))


@k.function
def _wrapped(breaks, x, periodic):
    if periodic:
        first = breaks[0]
        x = first + (x - first) % (breaks[-1] - first)
    return x


@k.function
def horner(s, c, i, order, nu):
    """The derivative of order `nu` of the polynomial number `i` at distance `s` from its breakpoint."""
    total = c.dtype.type(0)
    for j in range(order - nu):
        power = order - 1 - j
        term = c[j, i] * float(math.prod(range(power - nu + 1, power + 1))) if nu else c[j, i]
        total = total * s + term if j else term
    return total


@k.kernel
def _power_values(x: k.Each, breaks: k.Array, c: k.Array[2], *, order, nu, extrapolate):
    x = _wrapped(breaks, x.astype(np.float64), extrapolate == "periodic")
    i, inside = _place(breaks, x)
    total = horner(x - breaks[i], c, i, order, nu)
    return k.where(inside if extrapolate is False else x == x, total, np.nan)


@k.kernel
def _bernstein_values(x: k.Each, breaks: k.Array, c: k.Array[2], *, order, nu, extrapolate):
    x = _wrapped(breaks, x.astype(np.float64), extrapolate == "periodic")
    i, inside = _place(breaks, x)
    width = breaks[i + 1] - breaks[i]
    s = (x - breaks[i]) / width
    b = [c[j, i] for j in range(order)]
    for step in range(min(nu, order)):
        b = [(b[j + 1] - b[j]) * float(order - 1 - step) / width for j in range(len(b) - 1)]
    while len(b) > 1:
        b = [b[j] * (1.0 - s) + b[j + 1] * s for j in range(len(b) - 1)]
    total = b[0] if b else c.dtype.type(0)
    return k.where(inside if extrapolate is False else x == x, total, np.nan)


@k.kernel
def _integrals(a: float, b: float, breaks: k.Array, c: k.Array[2], i: k.Each, *, order, extrapolate):
    """The integral over the part of the interval `i` between two points; the intervals at the ends may be larger."""
    last = breaks.shape[0] - 2
    start, stop = breaks[i], breaks[i + 1]
    low, high = min(start, stop), max(start, stop)
    if extrapolate:
        rises = breaks[0] <= breaks[-1]
        low = k.where(i == k.where(rises, 0, last), -np.inf, low)
        high = k.where(i == k.where(rises, last, 0), np.inf, high)
    inside = (min(breaks[0], breaks[-1]) <= a) & (b <= max(breaks[0], breaks[-1]))
    left, right = min(max(a, low), high) - start, min(max(b, low), high) - start
    upper, lower = c.dtype.type(0), c.dtype.type(0)
    for j in range(order):
        term = c[j, i] / float(order - j)
        upper, lower = (upper + term) * right, (lower + term) * left
    total = k.where(left == right, 0.0, upper - lower)
    return total if extrapolate else k.where(inside, total, np.nan)


class _PiecewiseBase:
    """What the two bases have in common: breakpoints `x`, coefficients `c`, evaluation."""

    __class_getitem__: classmethod[Any, ..., GenericAlias] = classmethod(GenericAlias)
    _kernel: Any

    def __init__(self, c: ArrayLike, x: ArrayLike, extrapolate: bool | str | None = None, axis: int = 0) -> None:
        c, x = as_device(c), real(x)
        if extrapolate is None:
            extrapolate = True
        elif extrapolate != "periodic":
            extrapolate = bool(extrapolate)
        self.extrapolate = extrapolate
        if c.ndim < 2:
            raise ValueError("Coefficients array must be at least 2-dimensional.")
        if not 0 <= axis < c.ndim - 1:
            raise ValueError(f"axis={axis} must be between 0 and {c.ndim - 1}")
        self.axis = axis
        if axis != 0:
            c = _core.moveaxis(_core.moveaxis(c, axis + 1, 0), axis + 1, 0)
        if x.ndim != 1:
            raise ValueError("x must be 1-dimensional")
        if x.size < 2:
            raise ValueError("at least 2 breakpoints are needed")
        if c.shape[0] == 0:
            raise ValueError("polynomial must be at least of order 0")
        if c.shape[1] != x.size - 1:
            raise ValueError("number of coefficients != len(x)-1")
        _check_order(x, "`x` must be strictly increasing or decreasing.")
        self.x, self.c = x, c.astype(number_type(c.dtype), copy=False)

    @classmethod
    def construct_fast(cls, c: ArrayLike, x: ArrayLike, extrapolate: bool | str | None = None, axis: int = 0) -> Any:
        """A piecewise polynomial of arrays that are known to be right: nothing is checked or converted.

        Parameters
        ----------
        x : array_like
            The breakpoints.
        axis : int
            The axis of the values.
        """
        self = object.__new__(cls)
        self.c, self.x = as_device(c), as_device(x)
        self.axis = axis
        self.extrapolate = True if extrapolate is None else extrapolate
        return self

    def __call__(self, x: ArrayLike, nu: int = 0, extrapolate: bool | str | None = None) -> ndarray:
        """The values, or derivatives of order `nu`, at `x`.

        `extrapolate` is True, False (NaN outside) or "periodic". The axes of `x` stand where the interpolated axis was.
        """
        if extrapolate is None:
            extrapolate = self.extrapolate
        if extrapolate != "periodic":
            extrapolate = bool(extrapolate)
        if nu < 0:
            raise ValueError("Order of derivative cannot be negative")
        x, c = point_values(x), self.c
        out = type(self)._kernel(
            with_axes(x, c.ndim - 2), self.x, last_first(c, 2), order=c.shape[0], nu=int(nu), extrapolate=extrapolate
        )
        return set_axis(out, len(shape_of(x)), self.axis) if self.axis else out

    def extend(self, c: ArrayLike, x: ArrayLike) -> None:
        """Adds intervals after the last or before the first one: as many breakpoints `x` as coefficients."""
        c, x = as_device(c), as_device(x)
        if c.ndim < 2:
            raise ValueError("invalid dimensions for c")
        if x.ndim != 1:
            raise ValueError("invalid dimensions for x")
        if x.shape[0] != c.shape[1]:
            raise ValueError(f"Shapes of x {x.shape} and c {c.shape} are incompatible")
        if c.shape[2:] != self.c.shape[2:] or c.ndim != self.c.ndim:
            raise ValueError(f"Shapes of c {c.shape} and self.c {self.c.shape} are incompatible")
        if c.size == 0:
            return
        x = x.astype(np.float64, copy=False)
        _check_order(x, "`x` is not sorted.")
        own_first, own_last, first, last = (float(end) for end in (self.x[0], self.x[-1], x[0], x[-1]))
        sign = 1 if own_last >= own_first else -1
        if sign * last < sign * first:
            raise ValueError("`x` is in the different order than `self.x`.")
        if sign * first >= sign * own_last:
            append = True
        elif sign * last <= sign * own_first:
            append = False
        else:
            raise ValueError("`x` is neither on the left or on the right from `self.x`.")
        order = max(self.c.shape[0], c.shape[0])
        dtype = number_type(self.c.dtype, c.dtype)
        parts = [_with_order(part.astype(dtype, copy=False), order) for part in (self.c, c)]
        if append:
            self.x = concatenate([self.x, x])
        else:
            parts.reverse()
            self.x = concatenate([x, self.x])
        self.c = concatenate(parts, axis=1)


def _check_order(x: ndarray, message: str) -> None:
    steps = diff(x)
    if not (bool((steps >= 0).all()) or bool((steps <= 0).all())):
        raise ValueError(message)


def _with_order(c: ndarray, order: int) -> ndarray:
    """Coefficients with zeros for higher powers."""
    missing = order - c.shape[0]
    return concatenate([_core.zeros((missing, *c.shape[1:]), c.dtype), c]) if missing else c


class PPoly(_PiecewiseBase):
    """A piecewise polynomial: `sum(c[m, i] * (x - x[i]) ** (k - m) for m in range(k + 1))` from `x[i]` to `x[i + 1]`.

    Parameters
    ----------
    c : array of shape (k + 1, m, ...)
        Coefficients, of the highest power first; further axes are values of vectors.
    x : array of shape (m + 1,)
        Breakpoints that rise or fall.
    extrapolate : bool, "periodic" or None
        Whether the first and last polynomial are used outside (the default), or the function repeats.
    axis : int
        The axis of the intervals, less one.

    See Also
    --------
    scipy.interpolate.PPoly : The class that this one follows.

    >>> p = cp.scipy.interpolate.PPoly([[1.0, 2.0], [0.0, 1.0]], [0.0, 1.0, 2.0])
    >>> p(cp.asarray([0.5, 1.5]))
    array([0.5, 2. ])
    """

    _kernel = _power_values

    def derivative(self, nu: int = 1) -> PPoly:
        """The derivative of order `nu`, or an antiderivative of a negative order."""
        if nu < 0:
            return self.antiderivative(-nu)
        c = self.c[: max(self.c.shape[0] - nu, 0)] if nu else self.c
        if c.shape[0] == 0:
            c = _core.zeros((1, *c.shape[1:]), c.dtype)
        factors = as_device(rising_factors(c.shape[0], nu))
        return self.construct_fast(c * along(factors, c.ndim), self.x, self.extrapolate, self.axis)

    def antiderivative(self, nu: int = 1) -> PPoly:
        """An antiderivative of order `nu`, continuous and 0 at the first breakpoint."""
        if nu <= 0:
            return self.derivative(-nu)
        c = self.c
        widths = diff(self.x)
        for _ in range(nu):
            c = c / along(as_device(np.arange(c.shape[0], 0, -1.0)), c.ndim)
            # The integral over each interval, by Horner's scheme.
            s, total = along(widths, c.ndim - 1), c[0]
            for row in range(1, c.shape[0]):
                total = total * s + c[row]
            constant = _exclusive_sum(total * s)
            c = concatenate([c, constant[None]])
        extrapolate = False if self.extrapolate == "periodic" else self.extrapolate
        return self.construct_fast(c, self.x, extrapolate, self.axis)

    def integrate(self, a: float, b: float, extrapolate: bool | str | None = None) -> ndarray:
        """The integral from `a` to `b`."""
        if extrapolate is None:
            extrapolate = self.extrapolate
        a, b, sign = float(a), float(b), 1.0
        if b < a:
            a, b, sign = b, a, -1.0
        if extrapolate != "periodic":
            total = self._integral(a, b, bool(extrapolate))
        else:
            first, last = float(self.x[0]), float(self.x[-1])
            period = last - first
            count, left = divmod(b - a, period)
            total = _core.zeros(self.c.shape[2:], self.c.dtype)
            if count > 0:
                total = self._integral(first, last, False) * count
            a = first + (a - first) % period
            b = a + left
            if b <= last:
                total = total + self._integral(a, b, False)
            else:
                total = total + self._integral(a, last, False) + self._integral(first, first + left + a - last, False)
        return total * sign

    def _integral(self, a: float, b: float, extrapolate: bool) -> ndarray:
        c = last_first(self.c, 2)
        interval = _core.arange(0, 1, self.x.size - 1, np.int64)
        parts = _integrals(a, b, self.x, c[..., None, :, :], interval, order=c.shape[-2], extrapolate=extrapolate)
        return parts.sum(-1)

    def solve(self, y: float = 0.0, discontinuity: bool = True, extrapolate: bool | str | None = None) -> Any:
        """Where the function is `y`: an array, or an array of objects for functions of vectors.

        Jumps over `y` count with `discontinuity`. Where the function is `y` all along an interval, its start and a NaN
        stand in the result.

        Parameters
        ----------
        y : float
            The value.
        """
        from ._roots import solve_pieces

        if extrapolate is None:
            extrapolate = self.extrapolate
        if self.c.dtype.kind == "c":
            raise ValueError("Root finding is only for real-valued polynomials")
        return solve_pieces(self.c, self.x, float(y), bool(discontinuity), bool(extrapolate))

    def roots(self, discontinuity: bool = True, extrapolate: bool | str | None = None) -> Any:
        """Where the function is 0; see `solve`."""
        return self.solve(0, discontinuity, extrapolate)

    @classmethod
    def from_spline(cls, tck: Any, extrapolate: bool | str | None = None) -> PPoly:
        """The piecewise polynomial that is a B-spline, given as a `BSpline` or a tuple (t, c, k)."""
        if hasattr(tck, "tck"):
            t, c, degree = tck.tck
            if extrapolate is None:
                extrapolate = tck.extrapolate
        else:
            t, c, degree = tck
            t, c = real(t), as_device(c)
        rows = [spline_values(t[:-1], t, c, degree, nu=m) * (1.0 / math.factorial(m)) for m in range(degree, -1, -1)]
        return cls.construct_fast(stack(rows), t, extrapolate)

    @classmethod
    def from_bernstein_basis(cls, bp: BPoly, extrapolate: bool | str | None = None) -> PPoly:
        """The same function in the power basis."""
        if not isinstance(bp, BPoly):
            raise TypeError(f".from_bernstein_basis only accepts BPoly instances. Got {type(bp)} instead.")
        degree = bp.c.shape[0] - 1
        widths = along(diff(bp.x), bp.c.ndim - 1)
        rows = []
        for power in range(degree, -1, -1):
            total = 0
            for a in range(power + 1):
                sign = (-1) ** (a + power)
                total = total + bp.c[a] * float(sign * math.comb(degree, a) * math.comb(degree - a, power - a))
            rows.append(total / widths**power)
        return cls.construct_fast(stack(rows), bp.x, bp.extrapolate if extrapolate is None else extrapolate, bp.axis)


def _exclusive_sum(values: ndarray) -> ndarray:
    """Running sums along the first axis, beginning with 0."""
    return concatenate([_core.zeros((1, *values.shape[1:]), values.dtype), values[:-1].cumsum(0)])


class BPoly(_PiecewiseBase):
    """A piecewise polynomial in the Bernstein basis, in which the coefficients of an interval bound its values.

    Parameters
    ----------
    c : array of shape (k + 1, m, ...)
        Coefficients; further axes are values of vectors.
    x : array of shape (m + 1,)
        Breakpoints that rise or fall.
    extrapolate : bool, "periodic" or None
        Whether the first and last polynomial are used outside (the default), or the function repeats.
    axis : int
        The axis of the intervals, less one.

    >>> cp.scipy.interpolate.BPoly([[1.0], [2.0], [3.0]], [0.0, 1.0])(cp.asarray([0.0, 0.5]))
    array([1., 2.])
    """

    _kernel = _bernstein_values

    def derivative(self, nu: int = 1) -> BPoly:
        """The derivative of order `nu`, or an antiderivative of a negative order."""
        if nu < 0:
            return self.antiderivative(-nu)
        c = self.c
        widths = along(diff(self.x), c.ndim - 1)
        for _ in range(nu):
            degree = c.shape[0] - 1
            c = diff(c, axis=0) * float(degree) / widths
            if degree == 0:
                c = _core.zeros((1, *c.shape[1:]), c.dtype)
        return self.construct_fast(c.copy() if nu == 0 else c, self.x, self.extrapolate, self.axis)

    def antiderivative(self, nu: int = 1) -> BPoly:
        """An antiderivative of order `nu`, continuous and 0 at the first breakpoint."""
        if nu <= 0:
            return self.derivative(-nu)
        extrapolate = False if self.extrapolate == "periodic" else self.extrapolate
        made = self
        for _ in range(nu):
            rows = made._integrals()
            made = self.construct_fast(rows + _exclusive_sum(rows[-1]), self.x, extrapolate, self.axis)
        return made

    def integrate(self, a: float, b: float, extrapolate: bool | str | None = None) -> ndarray:
        """The integral from `a` to `b`."""
        if extrapolate is None:
            extrapolate = self.extrapolate
        a, b, sign = float(a), float(b), 1.0
        if extrapolate != "periodic":
            return self._integral(a, b, bool(extrapolate))
        if a > b:
            a, b, sign = b, a, -1.0
        first, last = float(self.x[0]), float(self.x[-1])
        period = last - first
        count, left = divmod(b - a, period)
        total = self._integral(first, last, False) * count
        a = first + (a - first) % period
        b = a + left
        if b <= last:
            total = total + self._integral(a, b, False)
        else:
            total = total + self._integral(a, last, False) + self._integral(first, first + left + a - last, False)
        return total * sign

    def _integral(self, a: float, b: float, extrapolate: bool) -> ndarray:
        rows = self._integrals()
        part = self.construct_fast(rows, self.x, extrapolate, self.axis)
        # Whole intervals count where a breakpoint lies between: others may be so large that they would leave no digit.
        inner, whole = along(self.x[1:-1], rows.ndim - 1), rows[-1, :-1]
        rises = self.x[0] <= self.x[-1]
        after_a, after_b = (_core.where(rises, inner <= end, inner >= end) for end in (a, b))
        zero = whole.dtype.type(0)
        more, less = _core.where(after_b & ~after_a, whole, zero), _core.where(after_a & ~after_b, whole, zero)
        return part(b) - part(a) + (more.sum(0) - less.sum(0))

    def _integrals(self) -> ndarray:
        """Coefficients of the integral of each interval from its start on."""
        c = self.c
        rows = c.cumsum(0) * (along(diff(self.x), c.ndim - 1) / float(c.shape[0]))
        return concatenate([_core.zeros((1, *c.shape[1:]), c.dtype), rows])

    def extend(self, c: ArrayLike, x: ArrayLike) -> None:
        """Adds intervals after the last or before the first one: as many breakpoints `x` as coefficients."""
        c = as_device(c)
        order = max(self.c.shape[0], c.shape[0])
        self.c = _raise_degree(self.c, order - self.c.shape[0])
        super().extend(_raise_degree(c, order - c.shape[0]), x)

    @classmethod
    def from_power_basis(cls, pp: PPoly, extrapolate: bool | str | None = None) -> BPoly:
        """The same function in the Bernstein basis."""
        if not isinstance(pp, PPoly):
            raise TypeError(f".from_power_basis only accepts PPoly instances. Got {type(pp)} instead.")
        degree = pp.c.shape[0] - 1
        widths = along(diff(pp.x), pp.c.ndim - 1)
        rows: list[Any] = [0] * (degree + 1)
        for power in range(degree + 1):
            term = pp.c[degree - power] * widths**power * (1.0 / math.comb(degree, power))
            for j in range(power, degree + 1):
                rows[j] = rows[j] + term * float(math.comb(j, power))
        return cls.construct_fast(stack(rows), pp.x, pp.extrapolate if extrapolate is None else extrapolate, pp.axis)

    @classmethod
    def from_derivatives(
        cls, xi: ArrayLike, yi: Any, orders: int | Sequence[int | None] | None = None, extrapolate: bool | None = None
    ) -> BPoly:
        """The polynomials that have given values and derivatives at the breakpoints.

        Parameters
        ----------
        xi : array of shape (m + 1,)
            Breakpoints that rise.
        yi : array of shape (m + 1, d, ...) or list of m + 1 arrays
            The value and the first derivatives at each breakpoint.
        orders : None, int or list of m ints
            The degrees of the polynomials; None takes all derivatives.
        """
        xi = real(xi)
        count = xi.shape[0]
        if count != len(yi):
            raise ValueError("xi and yi need to have the same length")
        if any_of(xi[1:] - xi[:1] <= 0):
            raise ValueError("x coordinates are not in increasing order")
        if isinstance(yi, (ndarray, np.ndarray)):
            yi = as_device(yi)
            if yi.ndim < 2:
                raise ValueError("Using a 1-D array for y? Please .reshape(-1, 1).")
            lengths = [yi.shape[1]] * count
        else:
            try:
                lengths = [len(y) for y in yi]
            except TypeError as error:
                raise ValueError("Using a 1-D array for y? Please .reshape(-1, 1).") from error
        taken = _taken_derivatives(lengths, orders)
        largest = max(a + b for a, b in zip(lengths, lengths[1:], strict=False))
        if orders is not None:
            given: Any = [orders] if is_integer(orders) else orders
            largest = max([largest, *(int(order) for order in given if order is not None)])
        groups: dict[tuple[int, int], list[int]] = {}
        for i, pair in enumerate(taken):
            groups.setdefault(pair, []).append(i)
        found = []
        for (left, right), where in groups.items():
            index = as_device(np.array(where))
            ya, yb = (_derivatives(yi, [i + after for i in where], n) for after, n in ((0, left), (1, right)))
            c = _between(xi[index + 1] - xi[index], ya, yb)
            found.append(_raise_degree(c, largest - c.shape[0]))
        c = concatenate(found, axis=1)
        if len(groups) > 1:
            order = np.argsort(np.concatenate(list(groups.values())))
            c = c[:, as_device(order)]
        return cls(c, xi, extrapolate)


def _taken_derivatives(lengths: list[int], orders: Any) -> list[tuple[int, int]]:
    """How many derivatives each interval takes from its two ends."""
    count = len(lengths) - 1
    if orders is None:
        orders = [None] * count
    else:
        if is_integer(orders):
            orders = [orders] * count
        if any(order is not None and order <= 0 for order in orders):
            raise ValueError("Orders must be positive.")
    taken = []
    for i, order in enumerate(orders):
        left, right = lengths[i], lengths[i + 1]
        if order is not None:
            wanted = operator.index(order) + 1
            left = min(wanted // 2, lengths[i])
            right = min(wanted - left, lengths[i + 1])
            left = min(wanted - right, lengths[i])
            if left + right != wanted:
                raise ValueError(
                    f"Point {i} has {lengths[i]} derivatives, point {i + 1} has {lengths[i + 1]} derivatives, "
                    f"but order "
                    f"{order} requested"
                )
        taken.append((left, right))
    return taken


def _derivatives(yi: Any, where: list[int], count: int) -> ndarray:
    """The first derivatives at some breakpoints: `count` rows."""
    if isinstance(yi, ndarray):
        picked = yi[as_device(np.array(where))]
        return _core.moveaxis(picked[:, :count], 0, 1)
    parts = [yi[i][:count] for i in where]
    if any(isinstance(part, ndarray) for part in parts):
        shapes = {part.shape for part in map(as_device, parts)}
        if len(shapes) > 1:
            raise ValueError(f"Shapes of ya and yb are incompatible: {sorted(shapes)}")
        return stack([as_device(part) for part in parts], axis=1)
    return as_device(np.moveaxis(np.asarray(parts), 0, 1))


def _between(widths: ndarray, ya: ndarray, yb: ndarray) -> ndarray:
    """The Bernstein coefficients for derivatives at both ends of intervals."""
    if ya.shape[2:] != yb.shape[2:]:
        raise ValueError(f"Shapes of ya {ya.shape} and yb {yb.shape} are incompatible")
    dtype = number_type(ya.dtype, yb.dtype)
    ya, yb, widths = ya.astype(dtype, copy=False), yb.astype(dtype, copy=False), along(widths, ya.ndim - 1)
    na, nb = ya.shape[0], yb.shape[0]
    degree = na + nb - 1
    rows: list[Any] = [None] * (degree + 1)
    for q in range(na):
        # poch(n - q, q), with n = degree + 1: the factors of the derivative of order q.
        row = ya[q] * widths**q * (1.0 / math.prod(range(degree + 1 - q, degree + 1)))
        for j in range(q):
            row = row - rows[j] * float((-1) ** (j + q) * math.comb(q, j))
        rows[q] = row
    for q in range(nb):
        row = yb[q] * widths**q * ((-1) ** q / math.prod(range(degree + 1 - q, degree + 1)))
        for j in range(q):
            row = row - rows[degree - q + 1 + j] * float((-1) ** (j + 1) * math.comb(q, j + 1))
        rows[degree - q] = row
    return stack(rows)


def _raise_degree(c: ndarray, more: int) -> ndarray:
    """The coefficients of the same polynomials in the basis of a degree that is higher by `more`."""
    if more == 0:
        return c
    degree = c.shape[0] - 1
    rows: list[Any] = [0] * (c.shape[0] + more)
    for a in range(degree + 1):
        factor = c[a] * float(math.comb(degree, a))
        for j in range(more + 1):
            rows[a + j] = rows[a + j] + factor * (math.comb(more, j) / math.comb(degree + more, a + j))
    return stack(rows)


__all__ = ["BPoly", "PPoly"]
