"""`RegularGridInterpolator` and `interpn`: values at points from values on a grid."""

from __future__ import annotations

import itertools
from types import GenericAlias
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ... import flip
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device
from ..._typing import ArrayLike
from ._common import any_of, coordinates, find_interval, real
from ._grid import Row, before_last, flat_last, make_ndbspl, rows_of, strides_of

_DEGREES = {
    "slinear": 1, "cubic": 3, "quintic": 5, "pchip": 3, "slinear_legacy": 1, "cubic_legacy": 3, "quintic_legacy": 5,
}  # fmt: skip


@k.function
def _end_slope(h0, h1, m0, m1):
    """The derivative of PCHIP at an end."""
    d = ((2.0 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    bounded = k.where((k.sign(m0) != k.sign(m1)) & (abs(d) > 3.0 * abs(m0)), 3.0 * m0, d)
    return k.where(k.sign(d) != k.sign(m0), 0.0, bounded)


@k.function
def _inner_slope(h0, h1, m0, m1):
    """The derivative of PCHIP between two intervals."""
    flat = (k.sign(m0) != k.sign(m1)) | (m0 == 0) | (m1 == 0)
    w1, w2 = 2.0 * h1 + h0, h1 + 2.0 * h0
    a, b = k.where(flat, 1.0, m0), k.where(flat, 1.0, m1)
    return k.where(flat, 0.0, 1.0 / ((w1 / a + w2 / b) / (w1 + w2)))


@k.function
def _monotone(grid, n, i, x, y):
    """PCHIP between the points i and i + 1, from the values at i - 1 .. i + 2, as far as those are there."""
    x0, x1 = grid[i], grid[i + 1]
    before, after = grid[max(i - 1, 0)], grid[min(i + 2, n - 1)]
    is_first, is_last = i == 0, i == n - 2
    h = x1 - x0
    left, right = k.where(is_first, 1.0, x0 - before), k.where(is_last, 1.0, after - x1)
    m = (y[2] - y[1]) / h
    m_left, m_right = (y[1] - y[0]) / left, (y[3] - y[2]) / right
    d0 = k.where(is_first, _end_slope(h, right, m, m_right), _inner_slope(left, h, m_left, m))
    d1 = k.where(is_last, _end_slope(h, left, m, m_left), _inner_slope(h, right, m, m_right))
    s = x - x0
    bend = (d0 + d1 - 2.0 * m) / h
    return ((bend / h * s + ((m - d0) / h - bend)) * s + d0) * s + y[1]


def _pchip(c, places, d, offset):
    """PCHIP in the dimension `d`, of values that are PCHIP in the later ones."""
    if d == len(places):
        return c[offset]
    grid, n, i, x, stride = places[d]
    y = [_pchip(c, places, d + 1, offset + k.clamp(i + j, 0, n - 1) * stride) for j in (-1, 0, 1, 2)]
    return _monotone(grid, n, i, x, y)


@k.kernel
def _grid_values(
    x: k.Array[1],
    grids: k.Array,
    lengths: k.Array,
    strides: k.Array,
    values: k.Array[1],
    fill: k.Each,
    *,
    ndim: int,
    method: str,
    filled: bool,
):
    is_nan, outside = x[0] != x[0], x[0] != x[0]
    places, offset = [], 0
    for d in range(ndim):
        grid, n, stride = Row(grids, d), lengths[d], strides[d]
        at = x[d].astype(np.float64)
        i = find_interval(grid, at, 0, max(n - 2, 0))
        is_nan = is_nan | (at != at)
        outside = outside | (at < grid[0]) | (at > grid[n - 1])
        places.append((grid, n, i, at, stride))
        offset = offset + i * stride
    if method == "pchip":
        total = _pchip(values, places, 0, 0).astype(values.dtype)
    else:
        near = []
        for grid, n, i, at, stride in places:
            # A grid of one point has the same value everywhere.
            following = min(i + 1, n - 1)
            width = grid[following] - grid[i]
            near.append((k.where(n == 1, 0.0, (at - grid[i]) / k.where(n == 1, 1.0, width)), (following - i) * stride))
        if method == "nearest":
            for part, step in near:
                offset = offset + k.where(part <= 0.5, 0, step)
            total = values[offset]
        else:
            total = 0.0
            for corner in itertools.product((0, 1), repeat=ndim):
                weight, place = 1.0, offset
                for upper, (part, step) in zip(corner, near, strict=True):
                    weight = weight * (part if upper else 1.0 - part)
                    place = place + step if upper else place
                total = total + values[place] * weight
    if filled:
        total = k.where(outside, fill.astype(total.dtype), total)
    return k.where(is_nan, total.dtype.type(np.nan), total)


def _check_points(points: Any) -> tuple[tuple[ndarray, ...], tuple[int, ...]]:
    """The grids, all rising, and which of them fell."""
    falling, grids = [], []
    for d, vector in enumerate(points):
        vector = real(vector)
        if any_of(vector[1:] <= vector[:-1]) or any_of(vector != vector):
            if not bool((vector[1:] < vector[:-1]).all()):
                raise ValueError(f"The points in dimension {d} must be strictly ascending or descending")
            falling.append(d)
            vector = flip(vector)
        grids.append(vector)
    return tuple(grids), tuple(falling)


def _check_dimensionality(grids: Any, values: ndarray) -> None:
    if len(grids) > values.ndim:
        raise ValueError(f"There are {len(grids)} point arrays, but values has {values.ndim} dimensions")
    for d, vector in enumerate(grids):
        if vector.ndim != 1:
            raise ValueError(f"The points in dimension {d} must be 1-dimensional")
        if values.shape[d] != vector.shape[0]:
            raise ValueError(f"There are {vector.shape[0]} points and {values.shape[d]} values in dimension {d}")


class RegularGridInterpolator:
    """A function of points of several dimensions from values on a grid of lines at any distances.

    Parameters
    ----------
    points : tuple of arrays of the shapes (m1,), (m2,), ...
        The points along each dimension, rising or falling.
    values : array of shape (m1, m2, ..., ...)
        The values, real or complex; further axes are values of vectors.
    method : str
        "linear", "nearest", "slinear", "cubic", "quintic" (splines), "pchip", and "slinear_legacy", "cubic_legacy",
        "quintic_legacy", which are the same splines.
    bounds_error : bool
        Whether points outside are errors.
    fill_value : number or None
        The values outside if they are no errors; None extrapolates.
    solver, solver_args : optional
        Taken for the sake of SciPy's signature: the systems of splines are solved directly.

    >>> x = cp.asarray([0.0, 1.0, 2.0])
    >>> cp.scipy.interpolate.RegularGridInterpolator((x, x), x[:, None] * x)(cp.asarray([[0.5, 1.0], [1.5, 2.0]]))
    array([0.5, 3. ])
    """

    __class_getitem__: classmethod[Any, ..., GenericAlias] = classmethod(GenericAlias)

    def __init__(
        self,
        points: Any,
        values: ArrayLike,
        method: str = "linear",
        bounds_error: bool = True,
        fill_value: Any = np.nan,
        *,
        solver: Any = None,
        solver_args: dict[str, Any] | None = None,
    ) -> None:
        if method not in ("linear", "nearest", *_DEGREES):
            raise ValueError(f"Method '{method}' is not defined")
        points = [as_device(vector) for vector in points]
        if method in _DEGREES:
            _check_sizes(points, method)
        self.method, self.bounds_error = method, bounds_error
        self.grid, falling = _check_points(points)
        values = as_device(values)
        if values.dtype.kind not in "fc":
            values = values.astype(np.float64)
        _check_dimensionality(self.grid, values)
        if fill_value is not None and not np.can_cast(
            np.asarray(fill_value).dtype if not isinstance(fill_value, ndarray) else fill_value.dtype,
            values.dtype,
            casting="same_kind",
        ):
            raise ValueError("fill_value must be either 'None' or of a type compatible with values")
        self.fill_value = fill_value
        self.values = flip(values, axis=falling) if falling else values
        if method == "pchip" and values.dtype.kind == "c":
            raise ValueError(
                "`PchipInterpolator` only works with real values. If you are trying to use the real components of the "
                "passed array, use `np.real` on the array before passing to `RegularGridInterpolator`."
            )
        self._rows, self._lengths = rows_of(list(self.grid))
        self._ends = tuple(_core.array([float(vector[end]) for vector in self.grid]) for end in (0, -1))
        self._flat = flat_last(self.values, len(self.grid)).copy()
        self._strides = strides_of(self.values.shape[: len(self.grid)])
        self._spline = None
        if method in ("slinear", "cubic", "quintic"):
            self._spline = make_ndbspl(self.grid, self.values, _DEGREES[method])
        elif solver is not None or solver_args:
            raise ValueError(
                f"method ={method!r} does not accept the 'solver' argument. Got  solver = {solver!r} and "
                f"with arguments "
                f"{solver_args or {}}."
            )

    def __call__(self, xi: Any, method: str | None = None, *, nu: Any = None) -> ndarray:
        """The values at points: an array of shape (..., ndim) or a tuple of arrays of coordinates.

        `method` is another one than that of the interpolator; `nu` are orders of derivatives, for splines.
        """
        method = self.method if method is None else method
        if method not in ("linear", "nearest", *_DEGREES):
            raise ValueError(f"Method '{method}' is not defined")
        if nu is not None and method not in ("slinear", "cubic", "quintic"):
            raise ValueError(
                f"Can only compute derivatives for methods {{'slinear', 'cubic', 'quintic'}}, got method ={method!r}."
            )
        ndim = len(self.grid)
        xi = coordinates(xi, ndim)
        if xi.shape[-1] != ndim:
            raise ValueError(
                f"The requested sample points xi have dimension {xi.shape[-1]} but this RegularGridInterpolator has "
                f"dimension {ndim}"
            )
        if self.bounds_error:
            check_bounds(xi, *self._ends)
        filled = not self.bounds_error and self.fill_value is not None
        if method in _DEGREES and method != "pchip":
            return self._spline_values(xi, method, nu, filled)
        if method == "pchip" and method != self.method:
            _check_sizes(self.grid, method)
        fill = self.fill_value if filled else 0.0
        return _grid_values(
            before_last(xi, self.values.ndim - ndim), self._rows, self._lengths, self._strides, self._flat,
            fill if isinstance(fill, ndarray) else np.asarray(fill)[()], ndim=ndim, method=method, filled=filled,
        )  # fmt: skip

    def _spline_values(self, xi: ndarray, method: str, nu: Any, filled: bool) -> ndarray:
        spline = self._spline if method == self.method else None
        if spline is None:
            if method != self.method:
                _check_sizes(self.grid, method)
            spline = make_ndbspl(self.grid, self.values, _DEGREES[method])
            if method == self.method:
                self._spline = spline
        result = spline(xi, nu=nu)
        if method.endswith("legacy"):
            result = result.astype(self.values.dtype, copy=False)
        if filled:
            low, high = self._ends
            # NaN stays NaN.
            outside = ((xi < low) | (xi > high)).any(-1) & (xi == xi).all(-1)
            outside = outside.reshape((*outside.shape, *(1,) * (result.ndim - outside.ndim)))
            result = _core.where(outside, self.fill_value, result).astype(result.dtype, copy=False)
        return result


def check_bounds(xi: ndarray, low: ndarray, high: ndarray) -> None:
    """`ValueError` if a point lies outside, or has a NaN; one read-back."""
    inside = (low <= xi) & (xi <= high)
    if not bool(inside.all()):
        bad = inside.reshape(-1, inside.shape[-1]).all(0).tolist().index(False)
        raise ValueError(f"One of the requested xi is out of bounds in dimension {bad}")


def _check_sizes(points: Any, method: str) -> None:
    degree = _DEGREES[method]
    for d, vector in enumerate(points):
        if vector.size <= degree:
            raise ValueError(
                f"There are {vector.size} points in dimension {d}, but method {method} requires at least  {degree + 1} "
                "points per dimension."
            )


_INTERPN = (
    "linear", "nearest", "cubic", "quintic", "pchip", "splinef2d", "slinear", "slinear_legacy", "cubic_legacy",
    "quintic_legacy",
)  # fmt: skip


def interpn(
    points: Any, values: ArrayLike, xi: Any, method: str = "linear", bounds_error: bool = True, fill_value: Any = np.nan
) -> ndarray:
    """The values at points `xi` from values on a grid: one call of a `RegularGridInterpolator`.

    Parameters
    ----------
    points : tuple of array_like
        The coordinates of the grid, one strictly ascending or descending line for each axis.
    values : array_like of shape (m1, ..., mn, ...)
        The values on the grid.
    xi : array_like of shape (..., n), or tuple of array_like
        The points.
    method : str
        "linear", "nearest", "slinear", "cubic", "quintic", "pchip", or "splinef2d": a `RectBivariateSpline`.
    bounds_error : bool
        Whether a point outside of the grid is an error.
    fill_value : number, optional
        The value of such points; None extrapolates.

    Returns
    -------
    ndarray
        Of the shape of `xi` without its last axis, and the axes of `values` after those of the grid.

    Raises
    ------
    ValueError
        For a point outside of the grid if `bounds_error`; for a method that does not exist or does not fit.

    See Also
    --------
    scipy.interpolate.interpn : The function that this one follows.
    RegularGridInterpolator : For several calls.

    >>> x = cp.asarray([0.0, 1.0, 2.0])
    >>> cp.scipy.interpolate.interpn((x, x), x[:, None] * x, [0.5, 1.0])
    array([0.5])
    """
    if method not in _INTERPN:
        raise ValueError(
            "interpn only understands the methods 'linear', 'nearest', 'slinear', 'cubic', 'quintic', 'pchip', and "
            f"'splinef2d'. You provided {method}."
        )
    values = as_device(values)
    ndim = values.ndim
    if ndim > 2 and method == "splinef2d":
        raise ValueError("The method splinef2d can only be used for 2-dimensional input data")
    if not bounds_error and fill_value is None and method == "splinef2d":
        raise ValueError("The method splinef2d does not support extrapolation.")
    if len(points) > ndim:
        raise ValueError(f"There are {len(points)} point arrays, but values has {ndim} dimensions")
    if len(points) != ndim and method == "splinef2d":
        raise ValueError("The method splinef2d can only be used for scalar data with one point per coordinate")
    if method != "splinef2d":
        found = RegularGridInterpolator(points, values, method=method, bounds_error=bounds_error, fill_value=fill_value)
        return found(xi)
    from ._bivariate import RectBivariateSpline

    grids, _ = _check_points(points)
    _check_dimensionality(grids, values)
    xi = coordinates(xi, 2)
    if xi.shape[-1] != 2:
        raise ValueError(
            f"The requested sample points xi have dimension {xi.shape[-1]}, but this RegularGridInterpolator has "
            "dimension 2"
        )
    low, high = (_core.array([float(vector[end]) for vector in grids]) for end in (0, -1))
    if bounds_error:
        check_bounds(xi, low, high)
    inside = ((low <= xi) & (xi <= high)).all(-1)
    result = RectBivariateSpline(points[0], points[1], values).ev(xi[..., 0], xi[..., 1])
    return _core.where(inside, result, fill_value)


__all__ = ["RegularGridInterpolator", "interpn"]
