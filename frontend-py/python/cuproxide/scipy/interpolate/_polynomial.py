"""Polynomials through points: Krogh's and the barycentric form, and coefficients of polynomials and fractions."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from types import GenericAlias
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ... import concatenate, eye, poly1d
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device
from ..._typing import ArrayLike
from ...linalg import solve
from ._common import any_of, last_first, number_type, numbers, real, ufuncs


class Interpolator1D:
    """What interpolators of values along one axis have in common: the shapes of what they return."""

    __class_getitem__: classmethod[Any, ..., GenericAlias] = classmethod(GenericAlias)

    def _set_values(self, xi: Any, yi: ndarray, axis: int) -> None:
        shape = yi.shape or (1,)
        if xi is not None and shape[axis] != len(xi):
            raise ValueError("x and y arrays must be equal in length along interpolation axis.")
        self._y_axis = axis % yi.ndim
        self._y_extra_shape = yi.shape[: self._y_axis] + yi.shape[self._y_axis + 1 :]
        self.dtype = number_type(yi.dtype).type

    def _columns(self, yi: ndarray, check: bool = False) -> ndarray:
        """The values with the interpolated axis first and all others as one."""
        yi = _core.moveaxis(yi, self._y_axis, 0)
        if check and yi.shape[1:] != self._y_extra_shape:
            extra, axis = self._y_extra_shape, self._y_axis
            raise ValueError(f"Data must be of shape {extra[-axis:]!r} + (N,) + {extra[:-axis]!r}")
        return yi.reshape(yi.shape[0], -1)

    def _points(self, x: Any) -> tuple[ndarray, tuple[int, ...]]:
        x = as_device(x)
        if x.dtype.kind not in "fc":
            x = x.astype(np.float64)
        return x.reshape(-1), x.shape

    def _finished(self, y: ndarray, shape: tuple[int, ...], before: int = 0) -> ndarray:
        """`y` of `before` axes, points and columns in its shape."""
        y = y.reshape((*y.shape[:before], *shape, *self._y_extra_shape))
        if self._y_axis == 0 or shape == ():
            return y
        order = list(range(y.ndim))
        at, axis = before + len(shape), self._y_axis
        return y.transpose(order[:before] + order[at : at + axis] + order[before:at] + order[at + axis :])

    def __call__(self, x: ArrayLike) -> ndarray:
        """The values at `x`, whose axes stand where the interpolated axis was."""
        x, shape = self._points(x)
        return self._finished(self._evaluate(x), shape)

    def _evaluate(self, x: ndarray) -> ndarray:
        raise NotImplementedError


class _WithDerivatives(Interpolator1D):
    def derivatives(self, x: ArrayLike, der: int | None = None) -> ndarray:
        """The value and derivatives at `x`, `der` of them (as many as points by default), along a new first axis."""
        x, shape = self._points(x)
        return self._finished(self._derivatives(x, der), shape, before=1)

    def derivative(self, x: ArrayLike, der: int = 1) -> ndarray:
        """The derivative of order `der` at `x`."""
        x, shape = self._points(x)
        return self._finished(self._derivatives(x, der + 1)[der], shape)

    def _derivatives(self, x: ndarray, der: int | None) -> ndarray:
        raise NotImplementedError


@k.kernel
def _divided(xi: k.Array, y: k.Array[1], c: k.Out[1], v: k.Out[1], bad: k.Out[0]) -> None:
    """Newton's coefficients; points that are repeated come with derivatives."""
    n = xi.shape[0]
    c[0] = y[0]
    for m in k.steps(1, n):
        repeats = 0
        while repeats < m and xi[m - 1 - repeats] == xi[m]:
            repeats += 1
        factorial = 1.0
        for j in k.steps(2, repeats + 1):
            factorial *= j
        v[0] = y[m] / factorial
        for i in k.steps(m - repeats):
            distance = xi[i] - xi[m]
            if distance == 0:
                bad[...] = 1
            if repeats == 0:
                v[i + 1] = (c[i] - v[i]) / distance
            else:
                v[i + 1] = (v[i + 1] - v[i]) / distance
        c[m] = v[m - repeats]


@k.kernel
def _newton(x: k.Each, xi: k.Array, c: k.Array[1]):
    n = xi.shape[0]
    total = c[n - 1] + 0.0 * x
    for j in k.steps(n - 2, -1, -1):
        total = total * (x - xi[j]) + c[j]
    return total


@k.kernel
def _taylor(x: k.Each, xi: k.Array, c: k.Array[1], a: k.Out[1]) -> None:
    """The derivatives, by replacing one node after another by the point."""
    n = xi.shape[0]
    for j in k.steps(n):
        a[j] = c[j]
    factorial = 1.0
    for m in k.steps(n):
        for j in k.steps(n - 2, m - 1, -1):
            a[j] += (x - xi[j - m]) * a[j + 1]
        if m > 1:
            factorial *= m
        a[m] *= factorial


class KroghInterpolator(_WithDerivatives):
    """The polynomial through points, some with derivatives (Krogh, 1970).

    Parameters
    ----------
    xi : array of shape (n,)
        Points. Those that stand there several times in a row come with a value and then derivatives.
    yi : array with n elements along `axis`
        Values and derivatives.

    >>> cp.scipy.interpolate.KroghInterpolator([0, 0, 1], [0.0, 2.0, 1.0])(0.5)
    array(0.75)
    """

    def __init__(self, xi: ArrayLike, yi: ArrayLike, axis: int = 0) -> None:
        self.xi, yi = numbers(xi), as_device(yi)
        self._set_values(self.xi, yi, axis)
        self.yi = self._columns(yi)
        self.n, self.r = self.yi.shape
        if (count := self.xi.size) > 30:
            warnings.warn(
                f"{count} degrees provided, degrees higher than about thirty cause problems with numerical instability "
                "with 'KroghInterpolator'",
                stacklevel=2,
            )
        dtype = np.result_type(self.dtype, self.xi.dtype)
        c = _core.zeros((self.n + 1, self.r), dtype)
        work, bad = _core.empty((self.r, self.n + 1), dtype), _core.zeros((self.r,), np.int64)
        if c.size and self.n:
            _divided(self.xi, last_first(self.yi), last_first(c), work, bad)
            if any_of(bad):
                raise ValueError("Elements of `xi` can't be equal.")
        self.c = c

    def _evaluate(self, x: ndarray) -> ndarray:
        return _newton(x[:, None], self.xi, last_first(self.c))

    def _derivatives(self, x: ndarray, der: int | None) -> ndarray:
        der = self.n if der is None else der
        dtype = np.result_type(self.c.dtype, x.dtype)
        found = _core.zeros((len(x), self.r, max(der, self.n + 1)), dtype)
        if found.size:
            _taylor(x[:, None], self.xi, last_first(self.c), found)
        return _core.moveaxis(found, -1, 0)[:der]


def krogh_interpolate(xi: ArrayLike, yi: ArrayLike, x: ArrayLike, der: Any = 0, axis: int = 0) -> ndarray:
    """The values at `x`, or derivatives of order `der`, of the `KroghInterpolator` through points.

    A list of orders gives them along a new first axis.

    Parameters
    ----------
    axis : int
        The axis of the values.

    >>> cp.scipy.interpolate.krogh_interpolate([0, 1, 2], [0.0, 1.0, 4.0], 1.5)
    array(2.25)
    """
    return _by_order(KroghInterpolator(xi, yi, axis=axis), x, der)


def _by_order(found: Any, x: ArrayLike, der: Any) -> ndarray:
    if np.ndim(der) == 0:
        return found(x) if der == 0 else found.derivative(x, der=int(der))
    orders = np.asarray(der)
    return found.derivatives(x, der=int(orders.max()) + 1)[as_device(orders)]


def approximate_taylor_polynomial(
    f: Callable[[ndarray], ndarray], x: float, degree: int, scale: float, order: int | None = None
) -> poly1d:
    """About the Taylor polynomial of a function, from its values at Chebyshev's points around `x`.

    Parameters
    ----------
    f : function of arrays
    x : float
        Where the polynomial is taken.
    degree : int
        Its degree.
    scale : float
        The width of the interval around `x` of the points.
    order : int, optional
        The degree of the polynomial through the points, `degree` by default.

    >>> cp.scipy.interpolate.approximate_taylor_polynomial(cp.exp, 0, 2, 1, order=6).coeffs.round(3)
    array([0.5, 1. , 1. ])
    """
    n = (degree if order is None else order) + 1
    xs = as_device(scale * np.cos(np.linspace(0, np.pi, n, endpoint=False)) + x)
    found = KroghInterpolator(xs, f(xs)).derivatives(x, der=degree + 1)
    factorials = as_device(np.array([float(math.factorial(i)) for i in range(degree + 1)]))
    return poly1d((found / factorials)[::-1])


@k.kernel
def _weight(xi: k.Array, i: k.Each, scale: float, step: int):
    """The reciprocal product of the distances of a point from all others, in an order that keeps it in range."""
    n, total, j = xi.shape[0], 1.0, i
    for _ in k.steps(n - 1):
        j = (j + step) % n
        total *= scale * (xi[i] - xi[j])
    return 1.0 / total


@k.kernel
def _barycentric(x: k.Each, xi: k.Array, w: k.Array, y: k.Array[1]):
    above: Any = 0.0
    below, hit = 0.0, -1
    for j in k.steps(xi.shape[0]):
        distance = x - xi[j]
        if distance == 0:
            hit = j
        part = w[j] / distance
        above, below = above + part * y[j], below + part
    total = above / below
    if hit >= 0:
        total = y[hit] + 0.0 * total.dtype.type(0)
    return total


class BarycentricInterpolator(_WithDerivatives):
    """The polynomial through points in the barycentric form (Berrut and Trefethen, 2004).

    Parameters
    ----------
    xi : array of shape (n,)
        Points, no two the same.
    yi : array with n elements along `axis`, optional
        Values, which `set_yi` sets later, too.
    wi : array of shape (n,), optional
        Weights that are known.
    rng, random_state : optional
        Taken for the sake of SciPy's signature: the order of the factors is fixed here.

    >>> cp.scipy.interpolate.BarycentricInterpolator([0.0, 1.0, 2.0], [0.0, 1.0, 4.0])(1.5)
    array(2.25)
    """

    def __init__(
        self,
        xi: ArrayLike,
        yi: ArrayLike | None = None,
        axis: int = 0,
        *,
        wi: ArrayLike | None = None,
        rng: Any = None,
        random_state: Any = None,
    ) -> None:
        if rng is not None and random_state is not None:
            raise TypeError("got multiple values for argument now known as `rng`")
        self._y_axis = axis
        self.xi = real(xi)
        self.set_yi(yi, axis)
        self.n = len(self.xi)
        self._diff_matrix: ndarray | None = None
        if wi is not None:
            self.wi = as_device(wi)
        else:
            self._set_weights()

    def _set_weights(self) -> None:
        if not hasattr(self, "_inv_capacity"):
            # One point has no distances, nor have equal ones, which the weights show.
            distance = float(self.xi.max() - self.xi.min()) if self.n > 1 else 0.0
            self._inv_capacity = 4.0 / distance if distance else 1.0
        n = self.n
        # Steps of about the golden section, which visit all points.
        step = max(1, int(0.618 * n))
        while math.gcd(step, n) != 1:
            step += 1
        self.wi = _weight(self.xi, _core.arange(0, 1, n, np.int64), self._inv_capacity, step)
        if n > 1 and not bool(ufuncs["isfinite"](self.wi).all()):
            raise ValueError("Interpolation points xi must be distinct.")

    def set_yi(self, yi: ArrayLike | None, axis: int | None = None) -> None:
        """Sets the values at the points.

        Parameters
        ----------
        axis : int, optional
            The axis of the values.
        """
        self._derived: BarycentricInterpolator | None = None
        if yi is None:
            self.yi: Any = None
            return
        yi = as_device(yi)
        self._set_values(self.xi, yi, self._y_axis if axis is None else axis)
        self.yi = self._columns(yi)
        self.n, self.r = self.yi.shape

    def add_xi(self, xi: ArrayLike, yi: ArrayLike | None = None) -> None:
        """Adds points, and their values if there are values."""
        if yi is not None:
            if self.yi is None:
                raise ValueError("No previous yi value to update!")
            self.yi = concatenate([self.yi, self._columns(as_device(yi), check=True)])
        elif self.yi is not None:
            raise ValueError("No update to yi provided!")
        self.xi = concatenate([self.xi, real(xi)])
        self.n = len(self.xi)
        self._set_weights()
        self._diff_matrix = self._derived = None

    def __call__(self, x: ArrayLike) -> ndarray:
        """The values at `x`, whose axes stand where the interpolated axis was."""
        return super().__call__(x)

    def _evaluate(self, x: ndarray) -> ndarray:
        return _barycentric(x[:, None], self.xi, self.wi, last_first(self.yi.astype(self.dtype, copy=False)))

    def derivative(self, x: ArrayLike, der: int = 1) -> ndarray:
        """The derivative of order `der` at `x`."""
        x, shape = self._points(x)
        return self._finished(self._derivative(x, der), shape)

    def _derivative(self, x: ndarray, der: int) -> ndarray:
        if der == 0:
            return self._evaluate(x)
        if der >= self.n:
            return _core.zeros((len(x), self.r), self.dtype)
        if self._diff_matrix is None:
            diagonal = _core.arange(0, 1, self.n, np.int64)
            on = diagonal[:, None] == diagonal
            distance = _core.where(on, 1.0, self.xi[:, None] - self.xi)
            matrix = _core.where(on, 0.0, self.wi / (distance * self.wi[:, None]))
            self._diff_matrix = _core.where(on, -matrix.sum(1, keepdims=True), matrix)
        if self._derived is None:
            values = _core.matmul(self._diff_matrix, self.yi.astype(self.dtype, copy=False))
            self._derived = BarycentricInterpolator(self.xi, values, wi=self.wi)
            self._derived._diff_matrix = self._diff_matrix
        return self._derived._derivative(x, der - 1)

    def _derivatives(self, x: ndarray, der: int | None) -> ndarray:
        der = self.n if der is None else der
        if der == 0:
            return _core.zeros((0, len(x), self.r), self.dtype)
        return concatenate([self._derivative(x, order)[None] for order in range(der)])


def barycentric_interpolate(
    xi: ArrayLike, yi: ArrayLike, x: ArrayLike, axis: int = 0, *, der: Any = 0, rng: Any = None
) -> ndarray:
    """The values at `x`, or derivatives of order `der`, of the `BarycentricInterpolator` through points.

    A list of orders gives them along a new first axis.

    Parameters
    ----------
    axis : int
        The axis of the values.
    rng : Generator, int or None, optional
        The generator of random numbers, or a seed for one.

    >>> cp.scipy.interpolate.barycentric_interpolate([0.0, 1.0, 2.0], [0.0, 1.0, 4.0], 1.5)
    array(2.25)
    """
    return _by_order(BarycentricInterpolator(xi, yi, axis=axis, rng=rng), x, der)


@k.kernel
def _lagrange(x: k.Array, w: k.Each, j: k.Each, row: k.Out[1]) -> None:
    """The coefficients of one of Lagrange's polynomials times its value, lowest power first."""
    n = x.shape[0]
    row[0] = w
    for m in k.steps(n):
        if m != j:
            scale = 1.0 / (x[j] - x[m])
            for i in k.steps(n - 1, 0, -1):
                row[i] = (row[i - 1] - row[i] * x[m]) * scale
            row[0] *= -x[m] * scale


def lagrange(x: ArrayLike, w: ArrayLike) -> poly1d:
    """Lagrange's polynomial through points `x` with values `w`: numerically unstable from about 20 points.

    Parameters
    ----------
    x : array_like
        The points.
    w : array_like
        The values.

    >>> cp.scipy.interpolate.lagrange([0.0, 1.0, 2.0], [0.0, 1.0, 4.0]).coeffs
    array([1., 0., 0.])
    """
    x, w = numbers(x), numbers(w)
    if x.ndim != 1 or w.ndim != 1:
        raise ValueError(f"x and w must be one-dimensional, got the shapes {x.shape} and {w.shape}")
    n = x.shape[0]
    if n > w.shape[0]:
        raise ValueError(f"w must have a value for each of the {n} points, got {w.shape[0]}")
    if n == 0:
        return poly1d(_core.zeros((1,), np.float64))
    rows = _core.zeros((n, n), np.result_type(x.dtype, w.dtype))
    _lagrange(x, w[:n], _core.arange(0, 1, n, np.int64), rows)
    return poly1d(rows.sum(0)[::-1])


def pade(an: ArrayLike, m: int, n: int | None = None) -> tuple[poly1d, poly1d]:
    """Padé's approximation to a power series: a fraction of two polynomials.

    Parameters
    ----------
    an : array of shape (N,)
        Coefficients of the series, lowest power first.
    m : int
        The degree of the denominator.
    n : int, optional
        The degree of the numerator, `len(an) - 1 - m` by default.

    Returns
    -------
    p, q : poly1d
        Numerator and denominator.

    >>> p, q = cp.scipy.interpolate.pade([1.0, 1.0, 0.5], 1)
    >>> q.coeffs
    array([-0.5,  1. ])
    """
    an = numbers(an)
    if n is None:
        n = len(an) - 1 - m
        if n < 0:
            raise ValueError("Order of q <m> must be smaller than len(an)-1.")
    if n < 0:
        raise ValueError("Order of p <n> must be greater than 0.")
    total = m + n
    if total > len(an) - 1:
        raise ValueError("Order of q+p <m+n> must be smaller than len(an).")
    an = an[: total + 1]
    row, column = np.indices((total + 1, m))
    inside = as_device(row > column)
    shifted = an[as_device(np.maximum(row - column - 1, 0))]
    matrix = concatenate([eye(total + 1, n + 1, dtype=an.dtype), _core.where(inside, -shifted, 0.0)], axis=1)
    found = solve(matrix, an)
    q = concatenate([_core.full((1,), 1, an.dtype), found[n + 1 :]])
    return poly1d(found[: n + 1][::-1]), poly1d(q[::-1])


__all__ = [
    "BarycentricInterpolator",
    "KroghInterpolator",
    "approximate_taylor_polynomial",
    "barycentric_interpolate",
    "krogh_interpolate",
    "lagrange",
    "pade",
]
