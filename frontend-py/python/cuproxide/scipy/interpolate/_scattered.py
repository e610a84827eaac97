"""Functions of scattered points of several dimensions: the nearest value, linear, and smooth in the plane."""

from __future__ import annotations

import math
import warnings
from types import GenericAlias
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ... import concatenate
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device
from ..._typing import ArrayLike
from ..spatial import Delaunay, cKDTree
from ._common import coordinates, last_first, number_type, real
from ._grid import before_last
from ._line import interp1d


class GradientEstimationWarning(Warning):
    """The gradients of a `CloughTocher2DInterpolator` did not come to rest."""


def _tolerance(factor: float) -> float | None:
    """A multiple of the usual distance that points may lie outside of a simplex; nothing for the usual one."""
    if factor <= 0:
        raise ValueError(f"simplex_tolerance must be positive, not {factor}")
    return None if factor == 1 else factor * 100 * float(np.finfo(np.float64).eps)


class _Scattered:
    """Points, their scale, values and the triangulation."""

    __class_getitem__: classmethod[Any, ..., GenericAlias] = classmethod(GenericAlias)

    def __init__(
        self, points: Any, values: ArrayLike | None, fill_value: complex, ndim: int | None, rescale: bool,
        need_values: bool,
    ) -> None:  # fmt: skip
        self.tri: Any = None
        if isinstance(points, Delaunay):
            if rescale:
                raise ValueError(
                    "Rescaling is not supported when passing a Delaunay triangulation as argument `points`."
                )
            self.tri = points
            points = self.tri.points
        points = coordinates(points).astype(np.float64, copy=False)
        if points.ndim != 2:
            raise ValueError("invalid shape for input data points")
        if points.shape[1] < 2:
            raise ValueError("Need at least 2-D data")
        if ndim is not None and points.shape[1] != ndim:
            raise ValueError(f"this mode of interpolation available only for {ndim}-D data")
        values = as_device(values)
        if values.ndim == 0 or values.shape[0] != points.shape[0]:
            raise ValueError("different number of values and points")
        self.scale = self.offset = None
        if rescale:
            self.offset = points.mean(0)
            self.scale = points.max(0) - points.min(0)
            self.scale = _core.where(self.scale > 0, self.scale, 1.0)
            points = (points - self.offset) / self.scale
        self.points, self.fill_value = points, fill_value
        self.values = values
        if need_values:
            kind = number_type(values.dtype)
            self.is_complex = kind.kind == "c"
            self.values = values.astype(kind, copy=False)
            if self.tri is None:
                self.tri = Delaunay(points)

    def _placed(self, args: tuple[Any, ...]) -> ndarray:
        """The points of a call in the scale of the triangulation."""
        xi = (
            coordinates(args, ndim=self.points.shape[1])
            if len(args) != 1
            else coordinates(args[0], self.points.shape[1])
        )
        if xi.shape[-1] != self.points.shape[1]:
            raise ValueError("number of dimensions in xi does not match x")
        xi = xi.astype(np.float64, copy=False)
        return xi if self.scale is None else (xi - self.offset) / self.scale

    def _located(self, args: tuple[Any, ...], simplex_tolerance: float) -> tuple[ndarray, ndarray]:
        """The points of a call and the numbers of their simplices, both over the axes of values, too."""
        tol = _tolerance(simplex_tolerance)
        xi = self._placed(args)
        more = self.values.ndim - 1
        simplex = self.tri.find_simplex(xi, tol=tol)
        return before_last(xi, more), simplex.reshape((*simplex.shape, *(1,) * more))


@k.kernel
def _linear(
    x: k.Array[1], simplex: k.Each, transform: k.Array, simplices: k.Array, values: k.Array[1], fill: k.Each, *, ndim
):
    at = max(simplex, 0)
    total, rest = values.dtype.type(0), 1.0
    for j in range(ndim):
        weight = 0.0
        for d in range(ndim):
            weight = weight + transform[at, j, d] * (x[d] - transform[at, ndim, d])
        total = total + values[simplices[at, j]] * weight
        rest = rest - weight
    total = total + values[simplices[at, ndim]] * rest
    return k.where(simplex < 0, fill.astype(total.dtype), total)


class LinearNDInterpolator(_Scattered):
    """A function that is linear on each simplex of a Delaunay triangulation of points.

    Parameters
    ----------
    points : array of shape (npoints, ndim), tuple of coordinates or Delaunay
    rescale : bool
        Whether coordinates are scaled to the unit cube before the triangulation.

    >>> points = cp.asarray([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> cp.scipy.interpolate.LinearNDInterpolator(points, cp.asarray([0.0, 1.0, 2.0]))([0.25, 0.5])
    array([1.25])
    """

    def __init__(self, points: Any, values: ArrayLike, fill_value: complex = np.nan, rescale: bool = False) -> None:
        super().__init__(points, values, fill_value, None, rescale, True)

    def __call__(self, *args: Any, simplex_tolerance: float = 1.0) -> ndarray:
        """The values at points: an array of shape (..., ndim), or one array for each coordinate.

        Raises
        ------
        ValueError
            `simplex_tolerance` is not positive.
        """
        xi, simplex = self._located(args, simplex_tolerance)
        return _linear(
            xi, simplex, self.tri.transform,
            self.tri.simplices, last_first(self.values), np.asarray(self.fill_value)[()], ndim=self.points.shape[1],
        )  # fmt: skip


@k.function
def _edge(points, i, j):
    """The vector between two points, and the reciprocal of its length to the third."""
    ex, ey = points[j, 0] - points[i, 0], points[j, 1] - points[i, 1]
    square = ex * ex + ey * ey
    return ex, ey, 1.0 / (square * k.sqrt(square))


@k.kernel
def _sweep(
    i: k.Each, points: k.Array, starts: k.Array, others: k.Array, values: k.Array[1], gx: k.Array[1], gy: k.Array[1]
):
    """The gradient at a point that bends the edges to its neighbours least, for gradients that the neighbours have."""
    xx, xy, yy = 0.0, 0.0, 0.0
    sx, sy = values.dtype.type(0), values.dtype.type(0)
    for place in k.steps(starts[i], starts[i + 1]):
        j = others[place]
        ex, ey, inverse = _edge(points, i, j)
        xx, xy, yy = xx + 4.0 * ex * ex * inverse, xy + 4.0 * ex * ey * inverse, yy + 4.0 * ey * ey * inverse
        pull = (6.0 * (values[j] - values[i]) - 2.0 * (ex * gx[j] + ey * gy[j])) * inverse
        sx, sy = sx + pull * ex, sy + pull * ey
    determinant = xx * yy - xy * xy
    scale = k.where(determinant == 0, 0.0, 1.0 / determinant)
    return (yy * sx - xy * sy) * scale, (xx * sy - xy * sx) * scale


# Each sweep halves the error, as the edges of a point weigh twice as much for itself as for its neighbours.
_SWEEPS = 52


def _gradients(tri: Any, values: ndarray, tol: float, maxiter: int) -> tuple[ndarray, ndarray]:
    """Gradients at the points that minimise the curvature along all edges (Nielson, 1983; Renka, 1984)."""
    starts, others = tri.vertex_neighbor_vertices
    columns = last_first(values)
    number = _core.arange(0, 1, values.shape[0], np.int64)
    gx = gy = before = _core.zeros(columns.shape, columns.dtype)
    sweeps = min(int(maxiter), _SWEEPS)
    for _ in range(sweeps):
        before = (gx, gy)
        gx, gy = _sweep(number, tri.points, starts, others, columns[..., None, :], *(g[..., None, :] for g in (gx, gy)))
    if 0 < sweeps < _SWEEPS:
        change = max(
            float(abs(a - b).max()) / max(1.0, float(abs(a).max())) for a, b in zip((gx, gy), before, strict=True)
        )
        if change >= tol:
            warnings.warn(
                "Gradient estimation did not converge, the results may be inaccurate", GradientEstimationWarning,
                stacklevel=3,
            )  # fmt: skip
    return gx, gy


@k.kernel
def _clough_tocher(
    x: k.Array[1], simplex: k.Each, transform: k.Array, simplices: k.Array, neighbors: k.Array, points: k.Array,
    values: k.Array[1], gx: k.Array[1], gy: k.Array[1], fill: k.Each,
):  # fmt: skip
    """The cubic on one of the three parts of a triangle (Alfeld, 1984), by its Bernstein coefficients."""
    at = max(simplex, 0)
    v = [simplices[at, j].astype(np.int64) for j in range(3)]
    b = _barycentric(transform, at, x[0], x[1])
    f = [values[v[j]] for j in range(3)]

    def slope(j, other):
        """A third of the derivative at a corner towards another one."""
        ex, ey = points[v[other], 0] - points[v[j], 0], points[v[other], 1] - points[v[j], 1]
        return (gx[v[j]] * ex + gy[v[j]] * ey) * (1.0 / 3.0)

    # Beside each corner: towards the next one, towards the one before, and towards the middle.
    after = [f[j] + slope(j, (j + 1) % 3) for j in range(3)]
    before = [f[j] + slope(j, (j + 2) % 3) for j in range(3)]
    inward = [(f[j] + after[j] + before[j]) * (1.0 / 3.0) for j in range(3)]
    middle = []
    for j in range(3):
        # Opposite to the corner j: the derivative across the edge is linear along it, in the direction of the middle of
        # the neighbour, so that both sides agree.
        p, q = (j + 1) % 3, (j + 2) % 3
        other = neighbors[at, j].astype(np.int64)
        near = max(other, 0)
        cx, cy = 0.0, 0.0
        for corner in range(3):
            cx = cx + points[simplices[near, corner].astype(np.int64), 0]
            cy = cy + points[simplices[near, corner].astype(np.int64), 1]
        c = _barycentric(transform, at, cx * (1.0 / 3.0), cy * (1.0 / 3.0))
        g = k.where(other < 0, -0.5, (2.0 * c[q] + c[p] - 1.0) / (2.0 - 3.0 * c[q] - 3.0 * c[p]))
        bend = f[q] - f[p] + 3.0 * (after[p] - before[q])
        middle.append((g * bend + (2.0 * after[p] - f[p] - before[q] + inward[q] + inward[p])) * 0.5)
    inner = [(middle[(j + 1) % 3] + middle[(j + 2) % 3] + inward[j]) * (1.0 / 3.0) for j in range(3)]
    centre = (inner[0] + inner[1] + inner[2]) * (1.0 / 3.0)
    # Coordinates in the part of the triangle: one of the first three is 0.
    least = min(min(b[0], b[1]), b[2])
    u, w = [value - least for value in b], 3.0 * least
    total = w * w * w * centre
    for j in range(3):
        n, m = (j + 1) % 3, (j + 2) % 3
        total = total + u[j] * u[j] * (u[j] * f[j] + 3.0 * (u[n] * after[j] + u[m] * before[j] + w * inward[j]))
        total = total + 6.0 * u[n] * u[m] * w * middle[j] + 3.0 * u[j] * w * w * inner[j]
    return k.where(simplex < 0, fill.astype(total.dtype), total)


@k.function
def _barycentric(transform, simplex, x, y):
    dx, dy = x - transform[simplex, 2, 0], y - transform[simplex, 2, 1]
    first = transform[simplex, 0, 0] * dx + transform[simplex, 0, 1] * dy
    second = transform[simplex, 1, 0] * dx + transform[simplex, 1, 1] * dy
    return [first, second, 1.0 - first - second]


class CloughTocher2DInterpolator(_Scattered):
    """A function of the plane with a continuous gradient: cubics on the parts of the triangles of a triangulation.

    Parameters
    ----------
    points : array of shape (npoints, 2), tuple of coordinates or Delaunay
    tol : float
        The error of gradients; it is smaller here unless `maxiter` forbids.
    maxiter : int
        The most sweeps over the gradients.
    rescale : bool
        Whether coordinates are scaled to the unit square before the triangulation.

    >>> points = cp.asarray([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> cp.scipy.interpolate.CloughTocher2DInterpolator(points, points[:, 0] + points[:, 1])([0.25, 0.5]).round(10)
    array([0.75])
    """

    def __init__(
        self,
        points: Any,
        values: ArrayLike,
        fill_value: complex = np.nan,
        tol: float = 1e-6,
        maxiter: int = 400,
        rescale: bool = False,
    ) -> None:
        super().__init__(points, values, fill_value, 2, rescale, True)
        self._tol, self._maxiter = tol, maxiter
        self._gx, self._gy = _gradients(self.tri, self.values, tol, maxiter)

    @property
    def grad(self) -> ndarray:
        """The gradients at the points, along the last axis."""
        parts = [g[..., None] if g.ndim == 1 else _core.moveaxis(g, -1, 0)[..., None] for g in (self._gx, self._gy)]
        return concatenate(parts, axis=-1)

    def __call__(self, *args: Any, simplex_tolerance: float = 1.0) -> ndarray:
        """The values at points: an array of shape (..., 2), or both coordinates.

        Raises
        ------
        ValueError
            `simplex_tolerance` is not positive.
        """
        xi, simplex = self._located(args, simplex_tolerance)
        return _clough_tocher(
            xi, simplex, self.tri.transform,
            self.tri.simplices, self.tri.neighbors, self.tri.points, last_first(self.values), self._gx, self._gy,
            np.asarray(self.fill_value)[()],
        )  # fmt: skip


class NearestNDInterpolator(_Scattered):
    """The value of the nearest point.

    Parameters
    ----------
    x : array of shape (npoints, ndim) or tuple of coordinates
        Points.
    y : array of shape (npoints, ...)
        Values.
    tree_options : dict, optional
        Options of the `cKDTree`.

    >>> points = cp.asarray([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> cp.scipy.interpolate.NearestNDInterpolator(points, cp.asarray([0.0, 1.0, 2.0]))([0.9, 0.2])
    array([1.])
    """

    def __init__(self, x: Any, y: ArrayLike, rescale: bool = False, tree_options: dict[str, Any] | None = None) -> None:
        x = coordinates(x)
        if x.dtype.kind == "c":
            raise TypeError(f"points must be real, got {x.dtype}")
        super().__init__(x, y, np.nan, None, rescale, False)
        self.tree = cKDTree(self.points, **(tree_options or {}))

    def __call__(self, *args: Any, **query_options: Any) -> ndarray:
        """The values at points; options are those of `cKDTree.query`. NaN where it finds no point."""
        xi = self._placed(args)
        shape = xi.shape[:-1]
        distance, index = self.tree.query(xi.reshape(math.prod(shape), xi.shape[-1]), **query_options)
        found = distance < np.inf
        values = self.values.astype(number_type(self.values.dtype), copy=False)[_core.where(found, index, 0)]
        found = found.reshape((*found.shape, *(1,) * (values.ndim - found.ndim)))
        return _core.where(found, values, np.nan).reshape((*shape, *self.values.shape[1:]))


def griddata(
    points: Any,
    values: ArrayLike,
    xi: Any,
    method: str = "linear",
    fill_value: complex = np.nan,
    rescale: bool = False,
    simplex_tolerance: float = 1.0,
) -> ndarray:
    """Values at points from those at scattered ones.

    Parameters
    ----------
    points : array of shape (n, ndim), or tuple of coordinates
        The scattered points.
    values : array of shape (n, ...)
        Values there.
    xi : array of shape (..., ndim), or tuple of coordinates
        Where values are wanted.
    method : "nearest", "linear" or "cubic"
        The last one in one or two dimensions.
    fill_value : number
        What stands outside the convex hull; not for "nearest".
    simplex_tolerance : float
        How many times the usual distance points may lie outside of a simplex; not for "nearest".

    Raises
    ------
    ValueError
        The method is unknown, or `simplex_tolerance` is not positive.

    >>> points = cp.asarray([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> cp.scipy.interpolate.griddata(points, cp.asarray([0.0, 1.0, 2.0]), (0.25, 0.5))
    array(1.25)
    """
    if not simplex_tolerance > 0:
        raise ValueError(f"simplex_tolerance must be positive, not {simplex_tolerance}")
    points = coordinates(points)
    ndim = points.ndim if points.ndim < 2 else points.shape[-1]
    if ndim == 1 and method in ("nearest", "linear", "cubic"):
        points, values = real(points).reshape(-1), as_device(values)
        if isinstance(xi, tuple):
            if len(xi) != 1:
                raise ValueError("invalid number of dimensions in xi")
            (xi,) = xi
        order = points.argsort()
        fill = "extrapolate" if method == "nearest" else fill_value
        return interp1d(points[order], values[order], kind=method, axis=0, bounds_error=False, fill_value=fill)(xi)
    if method == "nearest":
        return NearestNDInterpolator(points, values, rescale=rescale)(xi)
    if method == "linear":
        linear = LinearNDInterpolator(points, values, fill_value=fill_value, rescale=rescale)
        return linear(xi, simplex_tolerance=simplex_tolerance)
    if method == "cubic" and ndim == 2:
        cubic = CloughTocher2DInterpolator(points, values, fill_value=fill_value, rescale=rescale)
        return cubic(xi, simplex_tolerance=simplex_tolerance)
    raise ValueError(f"Unknown interpolation method {method!r} for {ndim} dimensional data")


__all__ = ["CloughTocher2DInterpolator", "LinearNDInterpolator", "NearestNDInterpolator", "griddata"]
