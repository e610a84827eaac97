"""Piecewise cubic interpolation: Hermite's form, PCHIP, Akima's and splines.

The derivatives at the points are found by array operations, which fuse, and for splines by a tridiagonal system.
"""

from __future__ import annotations

from typing import Any, Literal, NoReturn

import numpy as np

from ... import _cuproxide as _core
from ... import allclose, concatenate, diff, stack, zeros_like
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device
from ..._typing import ArrayLike
from ...linalg import solve
from ._banded import solve_band
from ._common import along, any_of, number_type, ufuncs
from ._piecewise import PPoly

_where, _absolute, _sign, _isfinite = _core.where, ufuncs["absolute"], ufuncs["sign"], ufuncs["isfinite"]


def _prepared(
    x: ArrayLike, y: ArrayLike, axis: int, dydx: ArrayLike | None = None
) -> tuple[ndarray, ndarray, ndarray, int, ndarray | None]:
    """Points, their distances, values and derivatives with the interpolated axis first, and that axis; all checked."""
    x, y = as_device(x), as_device(y)
    if x.dtype.kind == "c":
        raise ValueError("`x` must contain real values.")
    x = x.astype(np.float64, copy=False)
    dtype = number_type(y.dtype)
    if dydx is not None:
        dydx = as_device(dydx)
        if y.shape != dydx.shape:
            raise ValueError("The shapes of `y` and `dydx` must be identical.")
        dtype = number_type(y.dtype, dydx.dtype)
        dydx = dydx.astype(dtype, copy=False)
    y = y.astype(dtype, copy=False)
    axis = axis % y.ndim
    if x.ndim != 1:
        raise ValueError("`x` must be 1-dimensional.")
    if x.shape[0] < 2:
        raise ValueError("`x` must contain at least 2 elements.")
    if x.shape[0] != y.shape[axis]:
        raise ValueError(f"The length of `y` along `axis`={axis} doesn't match the length of `x`")
    for name, values in (("x", x), ("y", y), ("dydx", dydx)):
        if values is not None and not bool(_isfinite(values).all()):
            raise ValueError(f"`{name}` must contain only finite values.")
    dx = diff(x)
    if any_of(dx <= 0):
        raise ValueError("`x` must be strictly increasing sequence.")
    y = _core.moveaxis(y, axis, 0)
    if dydx is not None:
        dydx = _core.moveaxis(dydx, axis, 0)
    return x, dx, y, axis, dydx


class CubicHermiteSpline(PPoly):
    """The piecewise cubic polynomial with given values and first derivatives.

    Parameters
    ----------
    x : array of shape (n,)
        Points, rising.
    y, dydx : arrays with n elements along `axis`
        Values and derivatives.
    extrapolate : bool, "periodic" or None
        Whether the pieces at the ends are used outside (the default), or the function repeats.

    See Also
    --------
    scipy.interpolate.CubicHermiteSpline : The class that this one follows.

    >>> cp.scipy.interpolate.CubicHermiteSpline([0.0, 1.0], [0.0, 1.0], [0.0, 0.0])(0.5)
    array(0.5)
    """

    def __init__(
        self, x: ArrayLike, y: ArrayLike, dydx: ArrayLike, axis: int = 0, extrapolate: bool | str | None = None
    ) -> None:
        x, dx, y, axis, dydx = _prepared(x, y, axis, dydx)
        self._set(x, dx, y, dydx, axis, True if extrapolate is None else extrapolate)

    def _set(self, x: ndarray, dx: ndarray, y: ndarray, dydx: Any, axis: int, extrapolate: bool | str) -> None:
        widths = along(dx, y.ndim)
        slope = diff(y, axis=0) / widths
        bend = (dydx[:-1] + dydx[1:] - 2 * slope) / widths
        self.c = stack([bend / widths, (slope - dydx[:-1]) / widths - bend, dydx[:-1], y[:-1]])
        self.x, self.axis = x, axis
        self.extrapolate = extrapolate if extrapolate == "periodic" else bool(extrapolate)


class PchipInterpolator(CubicHermiteSpline):
    """The piecewise cubic polynomial that rises and falls with its points (Fritsch and Butland, 1984).

    Parameters
    ----------
    x : array of shape (n,)
        Points, rising.
    extrapolate : bool or None
        Whether the pieces at the ends are used outside (the default).

    >>> cp.scipy.interpolate.PchipInterpolator([0.0, 1.0, 2.0], [0.0, 1.0, 1.0])(1.5)
    array(1.)
    """

    __class_getitem__ = None  # type: ignore[assignment]

    def __init__(self, x: ArrayLike, y: ArrayLike, axis: int = 0, extrapolate: bool | None = None) -> None:
        x, dx, y, axis, _ = _prepared(x, y, axis)
        _refuse_complex(y, "PchipInterpolator")
        self._set(x, dx, y, _monotone_slopes(dx, y), axis, True if extrapolate is None else extrapolate)


def _refuse_complex(y: ndarray, name: str) -> None:
    if y.dtype.kind == "c":
        raise ValueError(
            f"`{name}` only works with real values for `y`. If you are trying to use the real components of the passed "
            f"array, use `np.real` on the array before passing to `{name}`."
        )


def _end_slope(h0: ndarray, h1: ndarray, m0: ndarray, m1: ndarray) -> ndarray:
    """The derivative at an end from three points, bounded as the inner ones are."""
    d = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    bounded = _where((_sign(m0) != _sign(m1)) & (_absolute(d) > 3.0 * _absolute(m0)), 3.0 * m0, d)
    return _where(_sign(d) != _sign(m0), 0.0, bounded)


def _monotone_slopes(dx: ndarray, y: ndarray) -> ndarray:
    """Weighted harmonic means of the slopes on both sides, 0 where these differ in sign."""
    h = along(dx, y.ndim)
    m = diff(y, axis=0) / h
    if y.shape[0] == 2:
        return concatenate([m, m])
    flat = (_sign(m[1:]) != _sign(m[:-1])) | (m[1:] == 0) | (m[:-1] == 0)
    w1, w2 = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    before, after = _where(flat, 1.0, m[:-1]), _where(flat, 1.0, m[1:])
    inner = _where(flat, 0.0, 1.0 / ((w1 / before + w2 / after) / (w1 + w2)))
    first, last = _end_slope(h[0], h[1], m[0], m[1]), _end_slope(h[-1], h[-2], m[-1], m[-2])
    return concatenate([first[None], inner, last[None]])


def pchip_interpolate(xi: ArrayLike, yi: ArrayLike, x: ArrayLike, der: Any = 0, axis: int = 0) -> Any:
    """The values at `x`, or derivatives, of the `PchipInterpolator` through points.

    `der` is an order of derivative or a list of them, which gives a list.

    Parameters
    ----------
    axis : int
        The axis of the values.

    Returns
    -------
    ndarray

    >>> cp.scipy.interpolate.pchip_interpolate([0.0, 1.0, 2.0], [0.0, 1.0, 1.0], cp.asarray([1.0, 1.5]))
    array([1., 1.])
    """
    found = PchipInterpolator(xi, yi, axis=axis)
    if np.ndim(der) == 0:
        return found(x) if der == 0 else found.derivative(int(der))(x)
    return [found.derivative(int(nu))(x) for nu in der]


class Akima1DInterpolator(CubicHermiteSpline):
    """Akima's piecewise cubic polynomial (1970), or the modified one that overshoots less.

    Parameters
    ----------
    x : array of shape (n,)
        Points, rising.
    method : "akima" or "makima"
        Which weights.
    extrapolate : bool or None
        Whether the pieces at the ends are used outside; NaN by default.

    >>> cp.scipy.interpolate.Akima1DInterpolator([0.0, 1.0, 2.0], [0.0, 1.0, 2.0])(0.5)
    array(0.5)
    """

    __class_getitem__ = None  # type: ignore[assignment]

    def __init__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        axis: int = 0,
        *,
        method: Literal["akima", "makima"] = "akima",
        extrapolate: bool | None = None,
    ) -> None:
        if method not in {"akima", "makima"}:
            raise NotImplementedError(f"`method`={method} is unsupported.")
        x, dx, y, axis, _ = _prepared(x, y, axis)
        _refuse_complex(y, "Akima1DInterpolator")
        slopes = _akima_slopes(dx, y, method == "makima")
        self._set(x, dx, y, slopes, axis, False if extrapolate is None else extrapolate)

    def extend(self, c: Any, x: Any, right: bool = True) -> NoReturn:
        """Not possible: more points change the neighbouring pieces.

        Parameters
        ----------
        c : array_like
            Their coefficients.
        x : array_like
            The further breakpoints.
        right : bool
            Whether the pieces come behind, or in front.
        """
        raise NotImplementedError("Extending a 1-D Akima interpolator is not yet implemented")

    @classmethod
    def from_spline(cls, tck: Any, extrapolate: bool | str | None = None) -> NoReturn:
        """Not possible."""
        raise NotImplementedError("This method does not make sense for an Akima interpolator.")

    @classmethod
    def from_bernstein_basis(cls, bp: Any, extrapolate: bool | str | None = None) -> NoReturn:
        """Not possible."""
        raise NotImplementedError("This method does not make sense for an Akima interpolator.")


def _akima_slopes(dx: ndarray, y: ndarray, modified: bool) -> ndarray:
    inner = diff(y, axis=0) / along(dx, y.ndim)
    if y.shape[0] == 2:
        return concatenate([inner, inner])
    first = 2.0 * inner[:1] - inner[1:2]
    last = 2.0 * inner[-1:] - inner[-2:-1]
    m = concatenate([2.0 * first - inner[:1], first, inner, last, 2.0 * last - inner[-1:]])
    change = _absolute(diff(m, axis=0))
    after, before = change[2:], change[:-2]
    if modified:
        mean = _absolute(m[1:] + m[:-1])
        after, before = after + 0.5 * mean[2:], before + 0.5 * mean[:-2]
    weight = after + before
    most = weight.max() if weight.size else -np.inf
    # Where both sides are straight, the mean of their slopes.
    bent = weight > 1e-9 * most
    slope = m[1:-2] + before / _where(bent, weight, 1.0) * (m[2:-1] - m[1:-2])
    return _where(bent, slope, 0.5 * (m[3:] + m[:-3]))


class CubicSpline(CubicHermiteSpline):
    """The cubic spline through points, with two continuous derivatives.

    Parameters
    ----------
    x : array of shape (n,)
        Points, rising.
    y : array with n elements along `axis`
        Values, real or complex.
    bc_type : str or pair
        "not-a-knot", "periodic", "clamped", "natural", or for each end one of these or (order, value) with the order 1
        or 2 of a derivative.
    extrapolate : bool, "periodic" or None
        Whether the pieces at the ends are used outside (the default), or the function repeats.

    >>> x = cp.linspace(0, 1, 5)
    >>> cp.scipy.interpolate.CubicSpline(x, x**3)(0.5).round(10)
    array(0.125)
    """

    def __init__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        axis: int = 0,
        bc_type: Any = "not-a-knot",
        extrapolate: bool | str | None = None,
    ) -> None:
        x, dx, y, axis, _ = _prepared(x, y, axis)
        ends, y = _validated_ends(bc_type, y, axis)
        if extrapolate is None:
            extrapolate = "periodic" if ends[0] == "periodic" else True
        slopes = zeros_like(y) if y.size == 0 else _spline_slopes(x, dx, y, ends)
        self._set(x, dx, y, slopes, axis, extrapolate)


def _validated_ends(bc_type: Any, y: ndarray, axis: int) -> tuple[list[Any], ndarray]:
    """The conditions at both ends as names or pairs, and `y`, which becomes complex if a derivative is."""
    if isinstance(bc_type, str):
        if bc_type == "periodic" and not bool(allclose(y[0], y[-1], rtol=1e-15, atol=1e-15)):
            raise ValueError(
                f"The first and last `y` point along axis {axis} must be identical (within machine precision) when "
                "bc_type='periodic'."
            )
        bc_type = (bc_type, bc_type)
    else:
        if len(bc_type) != 2:
            raise ValueError("`bc_type` must contain 2 elements to specify start and end conditions.")
        if any(isinstance(end, str) and end == "periodic" for end in bc_type):
            raise ValueError(
                "'periodic' `bc_type` is defined for both curve ends and cannot be used with other boundary conditions."
            )
    shape, ends = y.shape[1:], []
    for end in bc_type:
        if isinstance(end, str):
            if end in ("clamped", "natural"):
                ends.append((1 if end == "clamped" else 2, _core.zeros(shape, np.float64)))
            elif end in ("not-a-knot", "periodic"):
                ends.append(end)
            else:
                raise ValueError(f"bc_type={end} is not allowed.")
            continue
        try:
            order, value = end
        except Exception as error:
            raise ValueError("A specified derivative value must be given in the form (order, value).") from error
        if order not in (1, 2):
            raise ValueError("The specified derivative order must be 1 or 2.")
        value = as_device(value)
        if value.shape != shape:
            raise ValueError(f"`deriv_value` shape {value.shape} is not the expected one {shape}.")
        if value.dtype.kind == "c":
            y = y.astype(np.complex128, copy=False)
        ends.append((int(order), value))
    return ends, y


def _spline_slopes(x: ndarray, dx: ndarray, y: ndarray, ends: list[Any]) -> ndarray:
    """The derivatives at the points, which make the second derivative continuous."""
    n = x.shape[0]
    periodic = isinstance(ends[0], str) and ends[0] == "periodic"
    if n <= 3 or periodic:
        h = along(dx, y.ndim)
        slope = diff(y, axis=0) / h
    if n == 2:
        ends = [(1, slope[0]) if isinstance(end, str) else end for end in ends]
    elif n == 3 and ends == ["not-a-knot", "not-a-knot"]:
        # Both conditions are the same one here: a parabola.
        matrix = _core.zeros((3, 3), np.float64)
        matrix[0, :2] = 1.0
        matrix[2, 1:] = 1.0
        matrix[1, 0], matrix[1, 1], matrix[1, 2] = dx[1], 2 * (dx[0] + dx[1]), dx[0]
        right = stack([2 * slope[0], 3 * (h[0] * slope[1] + h[1] * slope[0]), 2 * slope[1]])
        return solve(matrix, right.reshape(3, -1)).reshape(right.shape)
    elif n == 3 and periodic:
        return _core.broadcast_to((slope / h).sum(0) / (1.0 / h).sum(0), y.shape)
    elif periodic:
        return _periodic_slopes(dx, h, slope)
    band = _core.zeros((3, n), np.float64)
    values = y.reshape(n, -1)
    orders, given = zip(*((0, 0.0) if isinstance(end, str) else end for end in ends), strict=True)
    first, last = (value.reshape(-1) if isinstance(value, ndarray) else value for value in given)
    right = _slope_rows(x, values, first, last, band, orders=orders, shape=values.shape)
    return solve_band(band, right, 1, 1).reshape(y.shape)


@k.kernel
def _slope_rows(x: k.Array, y: k.Array, first: k.Each, last: k.Each, band: k.Out, *, orders: tuple[int, int]):
    """Writes the rows of the system of slopes in LAPACK's band form, and returns their right-hand sides.

    `orders` are those of the derivatives that are given at both ends, 0 for none: the first two pieces are one.
    """
    i, j = k.coordinates()
    n = x.shape[0]
    before, at, behind = 0.0, 1.0, 0.0
    right = y[0, j] * 0
    if i == 0 or i == n - 1:
        # The end, the point beside it and the one behind that; the signs of widths and slopes do not change.
        near = k.where(i == 0, 1, n - 2)
        h = abs(x[near] - x[i])
        rise = k.where(i == 0, y[near, j] - y[i, j], y[i, j] - y[near, j])
        beside = h
        for order, value, sign, place in zip(orders, (first, last), (-0.5, 0.5), (0, n - 1), strict=True):
            if i == place:
                if order == 0:
                    far = k.where(i == 0, 2, n - 3)
                    b, beside = abs(x[far] - x[near]), abs(x[far] - x[i])
                    step = k.where(i == 0, y[far, j] - y[near, j], y[near, j] - y[far, j])
                    at = b
                    right = ((h + 2 * beside) * b * (rise / h) + h**2 * (step / b)) / beside
                elif order == 1:
                    at, beside, right = 1.0, 0.0, right + value
                else:
                    at, right = 2 * h, sign * value * h**2 + 3 * rise
        before, behind = k.where(i == 0, 0.0, beside), k.where(i == 0, beside, 0.0)
    else:
        a, b = x[i] - x[i - 1], x[i + 1] - x[i]
        before, at, behind = b, 2 * (a + b), a
        right = 3 * (b * ((y[i, j] - y[i - 1, j]) / a) + a * ((y[i + 1, j] - y[i, j]) / b))
    if j == 0:
        band[1, i] = at
        if i > 0:
            band[2, i - 1] = before
        if i < n - 1:
            band[0, i + 1] = behind
    return right


def _periodic_slopes(dx: ndarray, h: ndarray, slope: ndarray) -> ndarray:
    """As for other ends, where the first and the last unknown but one are neighbours: one more right-hand side."""
    band = _core.zeros((3, dx.shape[0]), np.float64)
    band[1, 1:] = 2 * (dx[:-1] + dx[1:])
    band[0, 2:] = dx[:-2]
    band[2, :-1] = dx[1:]
    inner = 3 * (h[1:] * slope[:-1] + h[:-1] * slope[1:])
    band[1, 0] = 2 * (dx[-1] + dx[0])
    band[0, 1] = dx[-1]
    first = 3 * (h[0] * slope[-1] + h[-1] * slope[0])
    last = 3 * (h[-1] * slope[-2] + h[-2] * slope[-1])
    right = concatenate([first[None], inner[:-1]])
    count = right.shape[0]
    # The unknown that closes the circle.
    extra = _core.zeros((count, 1), right.dtype)
    extra[0, 0] = -dx[0]
    extra[-1, 0] = -dx[-3]
    both = solve_band(band[:, :-1], concatenate([right.reshape(count, -1), extra], axis=1), 1, 1)
    s1, s2 = both[:, :-1].reshape(right.shape), along(both[:, -1], right.ndim)
    closing = (last - dx[-2] * s1[0] - dx[-1] * s1[-1]) / (2 * (dx[-1] + dx[-2]) + dx[-2] * s2[0] + dx[-1] * s2[-1])
    s = s1 + closing * s2
    return concatenate([s, closing[None], s[:1]])


__all__ = ["Akima1DInterpolator", "CubicHermiteSpline", "CubicSpline", "PchipInterpolator", "pchip_interpolate"]
