"""Functions of points of several dimensions from values on a grid or pieces on one.

The grids of all dimensions stand in the rows of one array; an evaluation is one launch.
"""

from __future__ import annotations

import math
import operator
from types import GenericAlias
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ... import concatenate, diff
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device
from ..._typing import ArrayLike
from ._basis import basis_rows, basis_values, intervals
from ._bspline import check_knots, differentiated
from ._common import any_of, coordinates, find_interval, number_type, real
from ._interp_spline import make_interp_spline
from ._knots import not_a_knot
from ._piecewise import PPoly


class Row:
    """A row of a kernel's array, indexed as a vector."""

    def __init__(self, rows: Any, number: int) -> None:
        self._rows, self._number = rows, number

    def __getitem__(self, position: Any) -> Any:
        return self._rows[self._number, position]


def rows_of(vectors: list[ndarray]) -> tuple[ndarray, ndarray]:
    """Vectors as the rows of one array, and their lengths."""
    lengths = [vector.shape[0] for vector in vectors]
    rows = _core.full((len(vectors), max(lengths)), np.nan, np.float64)
    for number, vector in enumerate(vectors):
        rows[number, : vector.shape[0]] = vector
    return rows, as_device(np.array(lengths))


def strides_of(shape: tuple[int, ...]) -> ndarray:
    """How far neighbours along each axis are from each other in C order."""
    return as_device(np.array([math.prod(shape[axis + 1 :]) for axis in range(len(shape))], dtype=np.int64))


def flat_last(values: ndarray, ndim: int) -> ndarray:
    """Values with their first axes as one, behind the others."""
    flat = values.reshape((math.prod(values.shape[:ndim]), *values.shape[ndim:]))
    return flat if flat.ndim == 1 else _core.moveaxis(flat, 0, -1)


def before_last(x: ndarray, count: int) -> ndarray:
    """Points with that many axes of length 1 before their coordinates."""
    return x.reshape((*x.shape[:-1], *(1,) * count, x.shape[-1])) if count else x


# Tensor products of B-splines.

_MOST_UNROLLED = 64


@k.kernel
def _spline_values(
    x: k.Array[1], t: k.Array, lengths: k.Array, strides: k.Array, c: k.Array[1], *, degrees, nu, extrapolate
):
    inside, offset = x[0] == x[0], 0
    bases = []
    for d, degree in enumerate(degrees):
        knots, n = Row(t, d), lengths[d] - degree - 1
        at = x[d].astype(np.float64)
        i = find_interval(knots, at, degree, n - 1)
        inside = inside & (at == at)
        if not extrapolate:
            inside = inside & (knots[degree] <= at) & (at <= knots[n])
        bases.append(basis_values(knots, at, i, degree, nu[d]))
        offset = offset + (i - degree) * strides[d]
    if math.prod(degree + 1 for degree in degrees) <= _MOST_UNROLLED:
        total = _unrolled(c, bases, strides, offset, 0)
    else:
        total = _looped(c, bases, strides, offset)
    return k.where(inside, total, np.nan)


def _unrolled(c, bases, strides, offset, d):
    """The sum over the B-splines of the dimensions from `d` on."""
    if d == len(bases):
        return c[offset]
    total = c.dtype.type(0)
    for j, b in enumerate(bases[d]):
        total = total + b * _unrolled(c, bases, strides, offset + j * strides[d], d + 1)
    return total


@k.function
def _looped(c, bases, strides, offset):
    """The same in a loop, with the B-splines in a local array."""
    kept = k.local_array(sum(len(base) for base in bases), dtype=np.float64)
    first = []
    for base in bases:
        first.append(sum(len(other) for other in bases[: len(first)]))
        for j, b in enumerate(base):
            kept[first[-1] + j] = b
    total = c.dtype.type(0)
    for number in k.steps(math.prod(len(base) for base in bases[:-1])):
        left, weight, place = number, 1.0, offset
        for d in range(len(bases) - 2, -1, -1):
            j = left % len(bases[d])
            left = left // len(bases[d])
            weight = weight * kept[first[d] + j]
            place = place + j * strides[d]
        inner = c.dtype.type(0)
        for j, b in enumerate(bases[-1]):
            inner = inner + b * c[place + j * strides[len(bases) - 1]]
        total = total + weight * inner
    return total


class NdBSpline:
    """A tensor product of splines: a function of points of several dimensions.

    Parameters
    ----------
    t : tuple of arrays
        The knots of each dimension.
    c : array of shape (n1, n2, ..., ...)
        Coefficients; further axes are values of vectors.
    extrapolate : bool, optional
        Whether the pieces at the ends are used outside (the default), else NaN.

    >>> t = cp.asarray([0.0, 0.0, 1.0, 1.0])
    >>> cp.scipy.interpolate.NdBSpline((t, t), cp.asarray([[0.0, 1.0], [2.0, 3.0]]), 1)([0.5, 0.5])
    array(1.5)
    """

    __class_getitem__: classmethod[Any, ..., GenericAlias] = classmethod(GenericAlias)

    def __init__(self, t: tuple[ArrayLike, ...], c: ArrayLike, k: Any, *, extrapolate: bool | None = None) -> None:
        self.k, self.t = _checked_knots(k, t)
        self.extrapolate = True if extrapolate is None else bool(extrapolate)
        c = as_device(c)
        ndim = len(self.t)
        if c.ndim < ndim:
            raise ValueError(f"Coefficients must be at least {ndim}-dimensional.")
        for d in range(ndim):
            knots, degree = self.t[d].shape[0], self.k[d]
            if c.shape[d] != knots - degree - 1:
                raise ValueError(
                    f"Knots, coefficients and degree in dimension {d} are inconsistent: got {c.shape[d]} "
                    f"coefficients for "
                    f"{knots} knots, need at least {knots - degree - 1} for k={degree}."
                )
        self.c = c.astype(number_type(c.dtype), copy=False)
        if not self.c.flags.c_contiguous:
            self.c = self.c.copy(order="C")
        self._rows, self._lengths = rows_of(list(self.t))
        self._strides = strides_of(c.shape[:ndim])

    def __call__(self, xi: ArrayLike, *, nu: Any = None, extrapolate: bool | None = None) -> ndarray:
        """The values, or derivatives of the orders `nu`, at points `xi` of shape (..., ndim)."""
        ndim = len(self.t)
        extrapolate = self.extrapolate if extrapolate is None else bool(extrapolate)
        orders = _orders(nu, ndim)
        xi = as_device(xi)
        if xi.ndim == 0 or xi.shape[-1] != ndim:
            raise ValueError(f"Shapes: xi.shape={xi.shape} and ndim={ndim}")
        return _spline_values(
            before_last(xi, self.c.ndim - ndim), self._rows, self._lengths, self._strides, flat_last(self.c, ndim),
            degrees=self.k, nu=orders, extrapolate=extrapolate,
        )  # fmt: skip

    @classmethod
    def design_matrix(cls, xvals: ArrayLike, t: tuple[ArrayLike, ...], k: Any, extrapolate: bool = True) -> Any:
        """The products of B-splines at points, as a sparse array in the format CSR: a row for each point.

        Parameters
        ----------
        xvals : array_like
            The points.
        t : array_like or tuple of it
            The knots.
        k : int or tuple of int
            The degree.
        """
        from ..sparse import csr_array

        del extrapolate
        xvals = real(xvals)
        count, ndim = xvals.shape
        if len(t) != ndim:
            raise ValueError(f"Data and knots are inconsistent: len(t) = {len(t)} for  ndim = {ndim!r}.")
        degrees, knots = _checked_knots(k, t)
        sizes = [knots[d].shape[0] - degrees[d] - 1 for d in range(ndim)]
        values = _core.full((count, 1), 1.0, np.float64)
        columns = _core.zeros((count, 1), np.int64)
        for d, degree in enumerate(degrees):
            x, number = xvals[:, d], _core.arange(0, 1, degree + 1, np.int64)
            part = basis_rows(x[:, None], knots[d], number, degree=degree, nu=0)
            column = (intervals(x, knots[d], degree) - degree)[:, None] + number
            values = (values[:, :, None] * part[:, None, :]).reshape(count, -1)
            columns = (columns[:, :, None] * sizes[d] + column[:, None, :]).reshape(count, -1)
        width = values.shape[1]
        starts = _core.arange(0, width, count + 1, np.int64)
        return csr_array((values.reshape(-1), columns.reshape(-1), starts), shape=(count, math.prod(sizes)))

    def derivative(self, nu: Any) -> NdBSpline:
        """The spline that is the partial derivative of the orders `nu`."""
        orders = _orders(nu, len(self.t), "derivative orders")
        c, knots, degrees = self.c, list(self.t), list(self.k)
        for axis, order in enumerate(orders):
            if order == 0:
                continue
            c = _core.moveaxis(c, axis, 0)
            t, degree = knots[axis], degrees[axis]
            if degree >= order:
                filled = concatenate([c, _core.zeros((t.shape[0] - c.shape[0], *c.shape[1:]), c.dtype)])
                t, c, degree = differentiated(t, filled, degree, order)
                c = c[: t.shape[0] - degree - 1]
            else:
                c, degree = _core.zeros((t.shape[0] - 1, *c.shape[1:]), c.dtype), 0
            knots[axis], degrees[axis], c = t, degree, _core.moveaxis(c, 0, axis)
        return NdBSpline(tuple(knots), c, tuple(degrees), extrapolate=self.extrapolate)


def _orders(nu: Any, ndim: int, what: str = "derivatives") -> tuple[int, ...]:
    """Orders of derivatives, one for each dimension."""
    if nu is None:
        return (0,) * ndim
    orders = np.asarray(nu.tolist() if isinstance(nu, ndarray) else nu, dtype=np.int64)
    if orders.ndim != 1 or orders.shape[0] != ndim:
        raise ValueError(f"invalid number of derivative orders nu = {nu!r} for ndim = {ndim}.")
    if any(orders < 0):
        raise ValueError(f"{what} must be positive, got nu = {nu!r}")
    return tuple(int(order) for order in orders)


def _degrees(degrees: Any, ndim: int) -> tuple[int, ...]:
    try:
        len(degrees)
    except TypeError:
        degrees = (degrees,) * ndim
    return tuple(operator.index(degree) for degree in degrees)


def _checked_knots(k: Any, t: Any) -> tuple[tuple[int, ...], tuple[ndarray, ...]]:
    if not isinstance(t, tuple):
        raise ValueError(f"Expect `t` to be a tuple of array-likes. Got {t} instead.")
    degrees, knots = _degrees(k, len(t)), tuple(real(vector) for vector in t)
    if len(degrees) != len(t):
        raise ValueError(f"len(t) = {len(t)} != len(k) = {len(degrees)!r}.")
    for d, (degree, vector) in enumerate(zip(degrees, knots, strict=True)):
        if degree < 0:
            raise ValueError(f"Spline degree in dimension {d} cannot be negative.")
        if vector.ndim != 1:
            raise ValueError(f"Knot vector in dimension {d} must be one-dimensional.")
        n = vector.shape[0] - degree - 1
        if n < degree + 1:
            raise ValueError(f"Need at least {2 * degree + 2} knots for degree {degree} in dimension {d}.")
        check_knots(vector, degree, n, f" in dimension {d}")
    return degrees, knots


def make_ndbspl(
    points: tuple[ArrayLike, ...], values: ArrayLike, k: Any = 3, *, solver: Any = None, **args: Any
) -> NdBSpline:
    """The tensor product of splines through values on a grid.

    Parameters
    ----------
    points : tuple of arrays
        The points along each dimension, rising.
    values : array of shape (m1, m2, ..., ...)
        The values; further axes are values of vectors.
    k : int or tuple of ints
        Degrees.
    solver, **args
        Taken for the sake of SciPy's signature: the systems are banded ones, one dimension after another, and solved
        directly.

    See Also
    --------
    scipy.interpolate.make_ndbspl : The function that this one follows.

    Examples
    --------
    >>> x = cp.arange(5.0)
    >>> cp.scipy.interpolate.make_ndbspl((x, x), x[:, None] * x)([1.5, 2.0]).round(10)
    array(3.)
    """
    del solver, args
    ndim = len(points)
    degrees = _degrees(k, ndim)
    grid = tuple(real(vector) for vector in points)
    for d, vector in enumerate(grid):
        if vector.size <= degrees[d]:
            raise ValueError(
                f"There are {vector.size} points in dimension {d}, but order {degrees[d]} requires at least  "
                f"{degrees[d] + 1} points per dimension."
            )
    c, knots = as_device(values), []
    c = c.astype(number_type(c.dtype), copy=False)
    for d, vector in enumerate(grid):
        t = not_a_knot(vector, degrees[d])
        knots.append(t)
        spline = make_interp_spline(vector, c, degrees[d], t=t, axis=d)
        c = _core.moveaxis(spline.c, 0, d)
    return NdBSpline(tuple(knots), c, degrees)


# Pieces of polynomials on a grid.


@k.kernel
def _piece_values(
    x: k.Array[1], breaks: k.Array, lengths: k.Array, strides: k.Array, c: k.Array[1], *, orders, nu, extrapolate
):
    inside, offset, distances, pieces = x[0] == x[0], 0, [], 1
    for d in range(len(orders)):
        grid, n = Row(breaks, d), lengths[d]
        at = x[d].astype(np.float64)
        i = find_interval(grid, at, 0, n - 2)
        inside = inside & (at == at)
        if not extrapolate:
            inside = inside & (grid[0] <= at) & (at <= grid[n - 1])
        distances.append(at - grid[i])
        offset, pieces = offset + i * strides[d], pieces * (n - 1)
    return k.where(inside, _nested(c, distances, orders, nu, pieces, offset, 0, 0), np.nan)


def _nested(c, distances, orders, nu, pieces, offset, number, d):
    """Horner's scheme in the dimension `d` with those of the later ones as coefficients."""
    if d == len(orders):
        return c[offset + number * pieces]
    total = c.dtype.type(0)
    for j in range(orders[d] - nu[d]):
        power = orders[d] - 1 - j
        term = _nested(c, distances, orders, nu, pieces, offset, number * orders[d] + j, d + 1)
        total = total * distances[d] + term * float(math.prod(range(power - nu[d] + 1, power + 1)))
    return total


class NdPPoly:
    """A polynomial on each cell of a grid, in powers of the distances from the cell's lowest corner.

    Parameters
    ----------
    c : array of shape (k1, k2, ..., m1, m2, ..., ...)
        Coefficients, of the highest powers first; further axes are values of vectors.
    x : tuple of arrays of the shapes (m1 + 1,), ...
        Breakpoints of each dimension, rising.
    extrapolate : bool, optional
        Whether the cells at the ends are used outside (the default), else NaN.

    >>> c = cp.asarray([[1.0, 0.0], [0.0, 0.0]]).reshape(2, 2, 1, 1)
    >>> cp.scipy.interpolate.NdPPoly(c, ([0.0, 1.0], [0.0, 1.0]))([[0.5, 0.5]])
    array([0.25])
    """

    __class_getitem__: classmethod[Any, ..., GenericAlias] = classmethod(GenericAlias)

    def __init__(self, c: ArrayLike, x: tuple[ArrayLike, ...], extrapolate: bool | None = None) -> None:
        self.x = tuple(real(vector) for vector in x)
        c = as_device(c)
        self.extrapolate = True if extrapolate is None else bool(extrapolate)
        ndim = len(self.x)
        if any(vector.ndim != 1 for vector in self.x):
            raise ValueError("x arrays must all be 1-dimensional")
        if any(vector.size < 2 for vector in self.x):
            raise ValueError("x arrays must all contain at least 2 points")
        if c.ndim < 2 * ndim:
            raise ValueError("c must have at least 2*len(x) dimensions")
        if any(any_of(diff(vector) < 0) for vector in self.x):
            raise ValueError("x-coordinates are not in increasing order")
        if any(a != b.size - 1 for a, b in zip(c.shape[ndim : 2 * ndim], self.x, strict=True)):
            raise ValueError("x and c do not agree on the number of intervals")
        self.c = c.astype(number_type(c.dtype), copy=False)

    @classmethod
    def construct_fast(cls, c: ArrayLike, x: Any, extrapolate: bool | None = None) -> NdPPoly:
        """A piecewise polynomial of arrays that are known to be right: nothing is checked or converted.

        Parameters
        ----------
        x : array_like
            The breakpoints.
        """
        self = object.__new__(cls)
        self.c, self.x = as_device(c), tuple(as_device(vector) for vector in x)
        self.extrapolate = True if extrapolate is None else extrapolate
        return self

    def _packed(self) -> tuple[ndarray, ndarray, ndarray]:
        """The breakpoints as rows, their numbers and the strides of cells; made when first asked for."""
        found = getattr(self, "_rows", None)
        if found is None or found[0] is not self.x:
            ndim = len(self.x)
            found = self._rows = (self.x, *rows_of(list(self.x)), strides_of(self.c.shape[ndim : 2 * ndim]))
        return found[1:]

    def __call__(self, x: ArrayLike, nu: Any = None, extrapolate: bool | None = None) -> ndarray:
        """The values, or derivatives of the orders `nu`, at points."""
        ndim = len(self.x)
        extrapolate = self.extrapolate if extrapolate is None else bool(extrapolate)
        x = coordinates(x)
        if nu is None:
            orders = (0,) * ndim
        else:
            found = np.asarray(nu.tolist() if isinstance(nu, ndarray) else nu)
            if found.ndim != 1 or found.shape[0] != ndim:
                raise ValueError("invalid number of derivative orders nu")
            if any(found < 0):
                raise ValueError("Order of derivative cannot be negative")
            orders = tuple(int(order) for order in found)
        if x.shape[-1] != ndim:
            raise ValueError(f"points have {x.shape[-1]} coordinates, the function has {ndim}")
        return _piece_values(
            before_last(x, self.c.ndim - 2 * ndim), *self._packed(), flat_last(self.c, 2 * ndim),
            orders=self.c.shape[:ndim], nu=orders, extrapolate=extrapolate,
        )  # fmt: skip

    def _along(self, axis: int) -> PPoly:
        """The same pieces as functions of one variable."""
        c = _core.moveaxis(_core.moveaxis(self.c, axis, 0), len(self.x) + axis, 1)
        return PPoly.construct_fast(c, self.x[axis], self.extrapolate)

    def _changed(self, axis: int, nu: int) -> None:
        axis = axis % len(self.x)
        c = self._along(axis).derivative(nu).c
        self.c = _core.moveaxis(_core.moveaxis(c, 1, len(self.x) + axis), 0, axis)

    def derivative(self, nu: Any) -> NdPPoly:
        """The partial derivative of the orders `nu`; negative ones are antiderivatives."""
        made = self.construct_fast(self.c.copy(), self.x, self.extrapolate)
        for axis, order in enumerate(nu):
            if order != 0:
                made._changed(axis, int(order))
        return made

    def antiderivative(self, nu: Any) -> NdPPoly:
        """The partial antiderivative of the orders `nu`; negative ones are derivatives."""
        return self.derivative([-int(order) for order in nu])

    def integrate_1d(self, a: float, b: float, axis: int, extrapolate: bool | None = None) -> Any:
        """The integral along one dimension, from `a` to `b`: a function of the others, or a value.

        Parameters
        ----------
        axis : int
            The axis of the values.
        """
        extrapolate = self.extrapolate if extrapolate is None else bool(extrapolate)
        ndim = len(self.x)
        axis = int(axis) % ndim
        out = self._along(axis).integrate(a, b, extrapolate=extrapolate)
        if ndim == 1:
            return out
        return self.construct_fast(out, self.x[:axis] + self.x[axis + 1 :], extrapolate=extrapolate)

    def integrate(self, ranges: Any, extrapolate: bool | None = None) -> ndarray:
        """The integral over a box, given as a pair of ends for each dimension.

        Parameters
        ----------
        ranges : sequence of pairs
            The intervals along all axes.
        """
        if not hasattr(ranges, "__len__") or len(ranges) != len(self.x):
            raise ValueError("Range not a sequence of correct length")
        found: Any = self
        for a, b in ranges:
            found = found.integrate_1d(a, b, 0, extrapolate)
        return found


__all__ = ["NdBSpline", "NdPPoly"]
