"""Splines of two variables: FITPACK's surfaces through values on a grid and near to scattered points."""

from __future__ import annotations

import math
import warnings
from types import GenericAlias
from typing import Any, NamedTuple

import numpy as np

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._routines.creation import eye
from ..._routines.decompositions import qr, svd
from ..._routines.histograms import bincount
from ..._routines.joining import concatenate
from ..._typing import ArrayLike
from ._bspline import basis_rows, basis_values, differentiated, intervals
from ._common import any_of, array, find_interval, point_values, real, ufuncs
from ._fitpack import _basis_integrals
from ._interp_spline import make_interp_spline, not_a_knot
from ._least_squares import Data, Fit, with_more_knots
from ._smoothing import TOLERANCE, fewest_knots, rational_root

MESSAGES = {
    1: "\nThe required storage space exceeds the available storage space: nxest\nor nyest too small, "
    "or s too small.\nThe "
    "weighted least-squares spline corresponds to the current set of\nknots.",
    2: "\nA theoretically impossible result was found during the iteration\nprocess for finding a "
    "smoothing spline with "
    "fp = s: s too small or\nbadly chosen eps.\nWeighted sum of squared residuals does not satisfy abs(fp-s)/s < tol.",
    3: "\nthe maximal number of iterations maxit (set to 20 by the program)\nallowed for finding a "
    "smoothing spline with "
    "fp=s has been reached:\ns too small.\nWeighted sum of squared residuals does not satisfy abs(fp-s)/s < tol.\nTry "
    "increasing maxit by passing it as a keyword argument.",
    4: "\nNo more knots can be added because the number of b-spline coefficients\n(nx-kx-1)*(ny-ky-1) "
    "already exceeds the "
    "number of data points m:\neither s or m too small.\nThe weighted least-squares spline "
    "corresponds to the current set "
    "of\nknots.",
    5: "\nNo more knots can be added because the additional knot would (quasi)\ncoincide with an old "
    "one: s too small or "
    "too large a weight to an\ninaccurate data point.\nThe weighted least-squares spline "
    "corresponds to the current set "
    "of\nknots.",
    10: "\nError on entry, no approximation returned. The following conditions\nmust "
    "hold:\nxb<=x[i]<=xe, yb<=y[i]<=ye, "
    "w[i]>0, i=0..m-1\nIf iopt==-1, then\n  xb<tx[kx+1]<tx[kx+2]<...<tx[nx-kx-2]<xe\n  yb<ty[ky+1]<ty[ky+2]<...<"
    "ty[ny-ky-2]<ye",
    -3: "\nThe coefficients of the spline returned have been computed as the\nminimal norm least-squares solution of a "
    "(numerically) rank deficient\nsystem (deficiency=%i). If deficiency is large, the results may be\ninaccurate. "
    "Deficiency may strongly depend on the value of eps.",
}


@k.kernel
def _surface(x: k.Each, y: k.Each, tx: k.Array, ty: k.Array, c: k.Array, *, degrees, nu):
    """The value or a derivative; points outside are moved to the edge."""
    total, kx, ky = 0.0, degrees[0], degrees[1]
    nx, ny = tx.shape[0] - kx - 1, ty.shape[0] - ky - 1
    x, y = x.astype(np.float64), y.astype(np.float64)
    is_number = (x == x) & (y == y)
    x, y = min(max(x, tx[kx]), tx[nx]), min(max(y, ty[ky]), ty[ny])
    i, j = find_interval(tx, x, kx, nx - 1), find_interval(ty, y, ky, ny - 1)
    rows, columns = basis_values(tx, x, i, kx, nu[0]), basis_values(ty, y, j, ky, nu[1])
    for a in range(kx + 1):
        inner = 0.0
        for b in range(ky + 1):
            inner = inner + columns[b] * c[(i - kx + a) * ny + j - ky + b]
        total = total + rows[a] * inner
    return k.where(is_number, total, np.nan)


class BivariateBase:
    """A spline of two variables: knots and coefficients `tck`, and `degrees`."""

    __class_getitem__ = classmethod(GenericAlias)
    tck: tuple[ndarray, ndarray, ndarray]
    degrees: tuple[int, int]
    fp: float

    @classmethod
    def _from_tck(cls, tck: Any) -> Any:
        self = cls.__new__(cls)
        if len(tck) != 5:
            raise ValueError("tck should be a 5 element tuple of tx, ty, c, kx, ky")
        self.tck, self.degrees = tuple(tck[:3]), tuple(tck[3:])
        return self

    def get_residual(self) -> float:
        """The sum of the squared weighted residuals."""
        return self.fp

    def get_knots(self) -> tuple[ndarray, ndarray]:
        """The knots of both variables."""
        return self.tck[:2]

    def get_coeffs(self) -> ndarray:
        """The coefficients, those of the second variable beside each other."""
        return self.tck[2]

    def __call__(self, x: ArrayLike, y: ArrayLike, dx: int = 0, dy: int = 0, grid: bool = True) -> ndarray:
        """The values, or derivatives of the orders `dx` and `dy`.

        With `grid` at all pairs of `x` and `y`, which rise; without at the points of both, broadcast. Outside the base
        the values at its edge.
        """
        if dx or dy:
            name = "parder" if grid else "pardeu"
            if not (0 <= dx < self.degrees[0] and 0 <= dy < self.degrees[1]):
                raise ValueError(f"Error code returned by {name}: 10")
        if not grid:
            return _surface(point_values(x), point_values(y), *self.tck, degrees=self.degrees, nu=(dx, dy))
        x, y = array(x), array(y)
        if x.size == 0 or y.size == 0:
            return _core.zeros((x.size, y.size), np.float64)
        for name, values in (("x", x), ("y", y)):
            if values.size >= 2 and any_of(values[1:] < values[:-1]):
                raise ValueError(f"{name} must be strictly increasing when `grid` is True")
        return _surface(x.reshape(-1, 1), y.reshape(1, -1), *self.tck, degrees=self.degrees, nu=(dx, dy))

    def partial_derivative(self, dx: int, dy: int) -> Any:
        """The spline that is the partial derivative of the orders `dx` and `dy`."""
        if dx == 0 and dy == 0:
            return self
        kx, ky = self.degrees
        if not (dx >= 0 and dy >= 0):
            raise ValueError("order of derivative must be positive or zero")
        if not (dx < kx and dy < ky):
            raise ValueError("order of derivative must be less than degree of spline")
        tx, ty, c = self.tck
        c = c.reshape(tx.shape[0] - kx - 1, ty.shape[0] - ky - 1)
        tx, c, kx = _derived(tx, c, kx, dx)
        ty, c, ky = _derived(ty, c.T, ky, dy)
        return DerivedBivariateSpline._from_tck((tx, ty, c.T.reshape(-1), kx, ky))


def _derived(t: ndarray, c: ndarray, degree: int, order: int) -> tuple[ndarray, ndarray, int]:
    """Knots, coefficients along the first axis and degree of a derivative."""
    filled = concatenate([c, _core.zeros((t.shape[0] - c.shape[0], c.shape[1]), c.dtype)])
    t, c, degree = differentiated(t, filled, degree, order)
    return t, c[: t.shape[0] - degree - 1], degree


class BivariateSpline(BivariateBase):
    """What the splines of two variables have in common: evaluation and integrals.

    See `scipy.interpolate.BivariateSpline`; `RectBivariateSpline`, `SmoothBivariateSpline` and `LSQBivariateSpline`
    make them.
    """

    def ev(self, xi: ArrayLike, yi: ArrayLike, dx: int = 0, dy: int = 0) -> ndarray:
        """The values, or derivatives, at points."""
        return self(xi, yi, dx=dx, dy=dy, grid=False)

    def integral(self, xa: float, xb: float, ya: float, yb: float) -> ndarray:
        """The integral over a rectangle, as far as it lies in the base."""
        tx, ty, c = self.tck
        (kx, ky), sign = self.degrees, 1.0
        nx, ny = tx.shape[0] - kx - 1, ty.shape[0] - ky - 1
        rows, columns = _basis_integrals(xa, xb, tx, kx)[:nx], _basis_integrals(ya, yb, ty, ky)[:ny]
        return (rows[:, None] * c.reshape(nx, ny) * columns).sum() * sign

    @staticmethod
    def _validate_input(
        x: ArrayLike, y: ArrayLike, z: ArrayLike, w: ArrayLike | None, kx: int, ky: int, eps: float | None
    ) -> tuple[ndarray, ndarray, ndarray, ndarray]:
        x, y, z = real(x), real(y), real(z)
        if not x.size == y.size == z.size:
            raise ValueError("x, y, and z should have a same length")
        if w is None:
            w = _core.full(x.shape, 1.0, np.float64)
        else:
            w = real(w)
            if x.size != w.size:
                raise ValueError("x, y, z, and w should have a same length")
            if not bool((w >= 0.0).all()):
                raise ValueError("w should be positive")
        if eps is not None and not 0.0 < eps < 1.0:
            raise ValueError("eps should be between (0, 1)")
        if not x.size >= (kx + 1) * (ky + 1):
            raise ValueError("The length of x, y and z should be at least (kx+1) * (ky+1)")
        return x.reshape(-1), y.reshape(-1), z.reshape(-1), w.reshape(-1)


class DerivedBivariateSpline(BivariateBase):
    """A derivative of a spline of two variables, which has no points."""

    _why = (
        "is unavailable, because _DerivedBivariateSpline instance is not constructed from data that are to be "
        "interpolated or smoothed, but derived from the underlying knots and coefficients of another spline object"
    )

    @property
    def fp(self) -> float:  # type: ignore[override]
        """There are no residuals."""
        raise AttributeError(f'attribute "fp" {self._why}')

    def get_residual(self) -> float:
        """There are no residuals."""
        raise AttributeError(f'method "get_residual" {self._why}')


def _box(bbox: Any, x: ndarray, y: ndarray) -> tuple[float, float, float, float]:
    """The rectangle, where it is not given that of the points."""
    bbox = np.ravel(np.asarray(bbox, dtype=object))
    if bbox.shape != (4,):
        raise ValueError("bbox shape should be (4,)")
    ends = [float(x.min()), float(x.max()), float(y.min()), float(y.max())]
    return tuple(end if given is None else float(given) for given, end in zip(bbox, ends, strict=True))


# Values on a grid.


class _GridFit(NamedTuple):
    c: ndarray
    squares: ndarray
    fp: float


class _GridData:
    """Values on a grid and their splines: least squares in one variable after the other."""

    def __init__(self, x: ndarray, y: ndarray, z: ndarray, kx: int, ky: int) -> None:
        self.x, self.y, self.z, self.kx, self.ky = x, y, z, kx, ky
        self.wx, self.wy = (_core.full(v.shape, 1.0, np.float64) for v in (x, y))

    def fit(self, tx: ndarray, ty: ndarray, p: float | None = None) -> _GridFit:
        c = self._along(self.x, self.z, self.wx, self.kx, tx, p).c
        c = self._along(self.y, c.T, self.wy, self.ky, ty, p).c.T
        tck = (tx, ty, c.reshape(-1))
        values = _surface(self.x[:, None], self.y, *tck, degrees=(self.kx, self.ky), nu=(0, 0))
        squares = (values - self.z) ** 2
        return _GridFit(c, squares, float(squares.sum()))

    @staticmethod
    def _along(x: ndarray, z: ndarray, w: ndarray, degree: int, t: ndarray, p: float | None) -> Fit:
        data = Data(x, z, w, degree)
        found = data.fit(t)
        if p is None or t.shape[0] == 2 * (degree + 1):
            return found
        return data.smooth(t, found.triangle, p)

    def more(self, t: ndarray, squares: ndarray, wanted: int, *, in_x: bool) -> ndarray:
        x, degree = (self.x, self.kx) if in_x else (self.y, self.ky)
        sums = squares.sum(1) if in_x else squares.sum(0)
        return with_more_knots(Data(x, x[:, None], x, degree), t, sums, wanted, last=x.shape[0] - 1)


def _interpolating(x: ndarray, degree: int, low: float, high: float) -> ndarray:
    t = not_a_knot(x, degree)
    t[: degree + 1] = low
    t[-degree - 1 :] = high
    return t


class _Grid(NamedTuple):
    tx: ndarray
    ty: ndarray
    c: ndarray
    fp: float
    code: int


def _fit_grid(data: _GridData, s: float, box: tuple[float, float, float, float], most: int) -> _Grid:
    """A smoothing spline of values on a grid (Dierckx, 1982): knots are added in the variable that needs fewer."""
    xb, xe, yb, ye = box
    x, y, kx, ky = data.x, data.y, data.kx, data.ky
    if s == 0:
        tx, ty = _interpolating(x, kx, xb, xe), _interpolating(y, ky, yb, ye)
        c = make_interp_spline(x, data.z, kx, t=tx, check_finite=False).c
        c = make_interp_spline(y, c.T, ky, t=ty, check_finite=False).c.T
        return _Grid(tx, ty, c, 0.0, -1)
    acc, mx, my = s * TOLERANCE, x.shape[0], y.shape[0]
    tx, ty = fewest_knots(xb, xe, kx), fewest_knots(yb, ye, ky)
    fewest_x, fewest_y, most_x, most_y = tx.shape[0], ty.shape[0], mx + kx + 1, my + ky + 1
    code, direction, more_x, more_y = 0, 0, 0, 0
    fp0 = fpold = gain_x = gain_y = 0.0
    for _ in range(mx + my):
        nx, ny = tx.shape[0], ty.shape[0]
        is_coarse = nx == fewest_x and ny == fewest_y
        code = -2 if is_coarse else 0
        found = data.fit(tx, ty)
        fp = found.fp
        if is_coarse:
            fp0 = fp
        excess = fp - s
        if abs(excess) < acc or (excess < 0 and is_coarse):
            return _Grid(tx, ty, found.c, fp, code)
        if excess < 0:
            break
        if nx == most_x and ny == most_y:
            return _Grid(tx, ty, found.c, 0.0, -1)
        if direction < 0:
            gain_x = fpold - fp
        elif direction > 0:
            gain_y = fpold - fp
        fpold = fp
        next_x = _next_count(more_x, gain_x, excess, acc) if nx != fewest_x else 1
        next_y = _next_count(more_y, gain_y, excess, acc) if ny != fewest_y else 1
        in_x = next_x < next_y or (next_x == next_y and direction >= 0)
        if nx == most_x:
            in_x = False
        elif ny == most_y:
            in_x = True
        if in_x:
            direction, more_x = -1, next_x
            tx = data.more(tx, found.squares, min(next_x, most_x - nx), in_x=True)
            if tx.shape[0] == most_x:
                tx = _interpolating(x, kx, xb, xe)
        else:
            direction, more_y = 1, next_y
            ty = data.more(ty, found.squares, min(next_y, most_y - ny), in_x=False)
            if ty.shape[0] == most_y:
                ty = _interpolating(y, ky, yb, ye)
    kept: list[_GridFit] = []

    def over(p: float) -> float:
        kept[:] = [data.fit(tx, ty, p)]
        return kept[0].fp - s

    root = rational_root(over, 1.0, fp0 - s, fp - s, acc, most)
    return _Grid(tx, ty, kept[0].c, kept[0].fp, root.code)


def _next_count(before: int, gain: float, excess: float, acc: float) -> int:
    guess = int(before * excess / gain) if gain > acc else before * 2
    return min(before * 2, max(guess, before // 2, 1))


class RectBivariateSpline(BivariateSpline):
    """A spline through, or near to, values on a grid.

    Parameters
    ----------
    x, y : arrays of the shapes (mx,), (my,)
        The points along both variables, rising.
    z : array of shape (mx, my)
        Values.
    bbox : four floats, optional
        The ends of the base: xb, xe, yb, ye.
    kx, ky : int
        Degrees.
    s : float
        The sum of the squared residuals; 0 interpolates.
    maxit : int
        The most iterations of the search for the smoothing parameter.

    See `scipy.interpolate.RectBivariateSpline`.

    >>> x = cp.arange(5.0)
    >>> cp.scipy.interpolate.RectBivariateSpline(x, x, x[:, None] * x).ev(1.5, 2.0).round(10)
    array(3.)
    """

    def __init__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        z: ArrayLike,
        bbox: Any = (None, None, None, None),
        kx: int = 3,
        ky: int = 3,
        s: float | None = 0,
        maxit: int = 20,
    ) -> None:
        x, y, z = real(x).reshape(-1), real(y).reshape(-1), real(z)
        for name, values in (("x", x), ("y", y)):
            if not bool((values[1:] > values[:-1]).all()):
                raise ValueError(f"{name} must be strictly increasing")
        if x.size != z.shape[0]:
            raise ValueError("x dimension of z must have same number of elements as x")
        if y.size != z.shape[1]:
            raise ValueError("y dimension of z must have same number of elements as y")
        box = _box(bbox, x, y)
        s = 0.0 if s is None else float(s)
        if not s >= 0.0:
            raise ValueError("s should be s >= 0.0")
        if x.size <= kx or y.size <= ky:
            raise ValueError(f"There must be more than kx={kx} and ky={ky} points, got {x.size} and {y.size}")
        if box[0] > float(x[0]) or box[1] < float(x[-1]) or box[2] > float(y[0]) or box[3] < float(y[-1]):
            raise ValueError(MESSAGES[10])
        found = _fit_grid(_GridData(x, y, z, kx, ky), s, box, maxit)
        if found.code > 0:
            raise ValueError(MESSAGES[found.code])
        self.fp = found.fp
        self.tck = (found.tx, found.ty, found.c.reshape(-1))
        self.degrees = (kx, ky)


# Scattered points.


class Scatter(NamedTuple):
    """A fitted surface: knots, coefficients, residuals and FITPACK's code."""

    tx: ndarray
    ty: ndarray
    c: ndarray
    fp: float
    code: int


class _ScatterData:
    """Weighted scattered points and their least squares splines, by dense orthogonal factors."""

    def __init__(self, x: ndarray, y: ndarray, z: ndarray, w: ndarray, kx: int, ky: int, eps: float) -> None:
        self.x, self.y, self.z, self.w, self.degrees = x, y, z, w, (kx, ky)
        self.eps = max(eps, float(np.finfo(np.float64).eps))

    def rows(self, tx: ndarray, ty: ndarray) -> ndarray:
        """The products of B-splines at the points, times their weights."""
        parts = [
            spread_basis(x, t, degree) for x, t, degree in zip((self.x, self.y), (tx, ty), self.degrees, strict=True)
        ]
        products = (parts[0] * self.w[:, None])[:, :, None] * parts[1][:, None, :]
        return products.reshape(self.x.shape[0], -1)

    def reduced(self, tx: ndarray, ty: ndarray) -> tuple[ndarray, ndarray]:
        """A triangle with as many rows as columns, and its right-hand side."""
        rows = self.rows(tx, ty)
        return triangle_of(rows, self.z * self.w)

    def finished(self, tx: ndarray, ty: ndarray, r: ndarray, q: ndarray) -> tuple[ndarray, ndarray, int]:
        """Coefficients, squared residuals and rank."""
        c, rank = solve_triangle(r, q, self.eps)
        values = _surface(self.x, self.y, tx, ty, c, degrees=self.degrees, nu=(0, 0))
        return c, ((values - self.z) * self.w) ** 2, rank


def spread_basis(x: ndarray, t: ndarray, degree: int) -> ndarray:
    """All B-splines at points: a row for each point."""
    count = t.shape[0] - degree - 1
    values = basis_rows(x[:, None], t, _core.arange(0, 1, degree + 1, np.int64), degree=degree, nu=0)
    first = intervals(x, t, degree) - degree
    return _spread(
        values, first[:, None], _core.arange(0, 1, count, np.int64), _core.arange(0, 1, x.shape[0], np.int64)[:, None]
    )


@k.kernel
def _spread(values: k.Array, first: k.Each, column: k.Each, row: k.Each):
    at, width = column - first, values.shape[1]
    inside = (at >= 0) & (at < width)
    return k.where(inside, values[row, k.clamp(at, 0, width - 1)], 0.0)


def triangle_of(rows: ndarray, right: ndarray) -> tuple[ndarray, ndarray]:
    """The triangular factor of rows and the right-hand side that goes with it."""
    count = rows.shape[1]
    both = concatenate([rows, right[:, None]], axis=1)
    if both.shape[0] < count + 1:
        both = concatenate([both, _core.zeros((count + 1 - both.shape[0], count + 1), np.float64)])
    r = qr(both, mode="r")
    return r[:count, :count], r[:count, count]


def solve_triangle(r: ndarray, q: ndarray, eps: float) -> tuple[ndarray, int]:
    """The solution, the shortest one if the triangle is singular, and the rank."""
    from ..linalg import solve_triangular

    count = r.shape[0]
    size = ufuncs["absolute"](r.diagonal())
    if bool(size.min() > eps * size.max() * count):
        return solve_triangular(r, q, check_finite=False), count
    u, s, v = svd(r)
    kept = s > eps * count * s[0]
    inverse = _core.where(kept, 1.0 / _core.where(kept, s, 1.0), 0.0)
    return _core.matmul(v.T, inverse * _core.matmul(u.T, q)), int(kept.sum())


def jump_matrix(t: ndarray, degree: int) -> ndarray:
    """The jumps of the highest derivative of all B-splines: a row for each inner knot."""
    band, offset, _ = Data(t, t[:, None], t, degree).jumps(t)
    columns = _core.arange(0, 1, t.shape[0] - degree - 1, np.int64)
    return _spread(band, offset[:, None], columns, _core.arange(0, 1, band.shape[0], np.int64)[:, None])


def _jump_rows(data: _ScatterData, tx: ndarray, ty: ndarray) -> ndarray:
    """The jumps of the highest derivatives at the inner knots of both variables."""
    kx, ky = data.degrees
    nx, ny = tx.shape[0] - kx - 1, ty.shape[0] - ky - 1
    blocks = []
    if nx > kx + 1:
        rows = jump_matrix(tx, kx)[:, None, :, None] * eye(ny)[None, :, None, :]
        blocks.append(rows.reshape(-1, nx * ny))
    if ny > ky + 1:
        rows = jump_matrix(ty, ky)[:, None, None, :] * eye(nx)[None, :, :, None]
        blocks.append(rows.reshape(-1, nx * ny))
    return concatenate(blocks)


def fit_scatter(
    data: _ScatterData, s: float, box: tuple[float, float, float, float], nxest: int, nyest: int,
    knots: tuple[ndarray, ndarray] | None = None,
) -> Scatter:  # fmt: skip
    """A smoothing spline of scattered points (Dierckx, 1981): each iteration adds a knot where residuals are large."""
    xb, xe, yb, ye = box
    kx, ky = data.degrees
    m = data.x.shape[0]
    outside = (data.x < xb) | (data.x > xe) | (data.y < yb) | (data.y > ye) | (data.w <= 0)
    if any_of(outside):
        return Scatter(fewest_knots(xb, xe, kx), fewest_knots(yb, ye, ky), _core.zeros((0,), np.float64), 0.0, 10)
    if knots is not None:
        tx, ty = knots
        c, squares, rank = data.finished(tx, ty, *data.reduced(tx, ty))
        return Scatter(tx, ty, c, float(squares.sum()), 0 if rank == c.shape[0] else -rank)
    acc, fp0 = s * TOLERANCE, 0.0
    lines = [
        np.array([low] * (degree + 1) + [high] * (degree + 1), dtype=np.float64)
        for low, high, degree in ((xb, xe, kx), (yb, ye, ky))
    ]
    for _ in range(m):
        tx, ty = (array(line) for line in lines)
        is_coarse = tx.shape[0] == 2 * (kx + 1) and ty.shape[0] == 2 * (ky + 1)
        r, q = data.reduced(tx, ty)
        c, squares, rank = data.finished(tx, ty, r, q)
        fp, count = float(squares.sum()), c.shape[0]
        if is_coarse:
            fp0 = fp
        excess = fp - s
        code = -2 if is_coarse else 0 if rank == count else -rank
        if abs(excess) <= acc:
            return Scatter(tx, ty, c, fp, -1 if fp <= 0 else code)
        if excess < 0:
            if is_coarse:
                return Scatter(tx, ty, c, fp, -2)
            break
        if count > m:
            return Scatter(tx, ty, c, fp, 4)
        code = add_line((data.x, data.y), data.degrees, lines, squares, (nxest, nyest))
        if code:
            return Scatter(tx, ty, c, fp, code)
    return _smoothest(data, tx, ty, r, q, fp0, fp, s)


def add_line(
    points: tuple[ndarray, ndarray],
    degrees: tuple[int, int],
    lines: list[np.ndarray],
    squares: ndarray,
    most: tuple[int, int],
) -> int:
    """Adds a knot in one variable, at the mean of the points of an interval weighted by their residuals."""
    sums = []
    for x, line, degree, limit in zip(points, lines, degrees, most, strict=True):
        pieces = line.size - 2 * degree - 1
        place = intervals(x, array(line), degree) - degree
        parts = [np.array(bincount(place, weights, pieces).tolist()) for weights in (squares, squares * x)]
        sums.append((*parts, line.size >= limit))
    if sums[0][2] and sums[1][2]:
        return 1
    while True:
        best = max(
            ((part[i], -d, -i) for d, (part, _, full) in enumerate(sums) if not full for i in range(part.size)),
            default=(0.0, 0, 0),
        )
        if best[0] <= 0:
            return 5
        d, i = -best[1], -best[2]
        part, weighted, _ = sums[d]
        at, low, high = weighted[i] / part[i], lines[d][degrees[d] + i], lines[d][degrees[d] + i + 1]
        part[i] = 0.0
        if high - at <= 10 * (at - low) and at - low <= 10 * (high - at):
            lines[d] = np.insert(lines[d], degrees[d] + i + 1, at)
            return 0


def _smoothest(
    data: _ScatterData, tx: ndarray, ty: ndarray, r: ndarray, q: ndarray, fp0: float, fp: float, s: float
) -> Scatter:
    kx, ky = data.degrees
    nx, ny = tx.shape[0] - kx - 1, ty.shape[0] - ky - 1
    if kx * ny + ky > ky * nx + kx:
        # FITPACK takes the variables the other way round, which changes the diagonal that the search begins with.
        order = array(np.arange(nx * ny).reshape(nx, ny).T.reshape(-1))
        start = qr(r[:, order], mode="r").diagonal()
    else:
        start = r.diagonal()
    p = nx * ny / float(ufuncs["absolute"](start).sum())
    jumps = _jump_rows(data, tx, ty)
    zeros = _core.zeros((jumps.shape[0],), np.float64)
    kept: list[Any] = []

    def over(p: float) -> float:
        found = data.finished(tx, ty, *triangle_of(concatenate([r, jumps / p]), concatenate([q, zeros])))
        kept[:] = [*found, float(found[1].sum())]
        return kept[3] - s

    root = rational_root(over, p, fp0 - s, fp - s, s * TOLERANCE)
    c, _, rank, fp = kept
    return Scatter(tx, ty, c, fp, root.code or (0 if rank == nx * ny else -rank))


class SmoothBivariateSpline(BivariateSpline):
    """A smoothing spline near to scattered points.

    Parameters
    ----------
    x, y, z : arrays of shape (m,)
        Points and values.
    w : array of shape (m,), optional
        Weights.
    bbox : four floats, optional
        The ends of the base: xb, xe, yb, ye.
    kx, ky : int
        Degrees.
    s : float, optional
        The sum of the squared weighted residuals, by default the number of points.
    eps : float
        What is 0 beside the largest element, for the rank.

    See `scipy.interpolate.SmoothBivariateSpline`.

    >>> x, y = (a.ravel() for a in cp.meshgrid(cp.arange(5.0), cp.arange(5.0)))
    >>> cp.scipy.interpolate.SmoothBivariateSpline(x, y, x * y, s=1e-3).ev(1.5, 2.0).round(6)
    array(3.)
    """

    def __init__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        z: ArrayLike,
        w: ArrayLike | None = None,
        bbox: Any = (None, None, None, None),
        kx: int = 3,
        ky: int = 3,
        s: float | None = None,
        eps: float = 1e-16,
    ) -> None:
        x, y, z, w = self._validate_input(x, y, z, w, kx, ky, eps)
        box = _box(bbox, x, y)
        if s is not None and not s >= 0.0:
            raise ValueError("s should be s >= 0.0")
        m = x.size
        most = [max(int(degree + 1 + math.sqrt(m / 2)), 2 * (degree + 1)) for degree in (kx, ky)]
        found = fit_scatter(_ScatterData(x, y, z, w, kx, ky, eps), float(m) if s is None else float(s), box, *most)
        if found.code not in (0, -1, -2):
            warnings.warn(MESSAGES.get(found.code, f"ier={found.code}"), stacklevel=2)
        self.fp, self.tck, self.degrees = found.fp, (found.tx, found.ty, found.c), (kx, ky)


class LSQBivariateSpline(BivariateSpline):
    """The least squares spline of scattered points with given inner knots `tx` and `ty`.

    The other parameters are those of `SmoothBivariateSpline`. See `scipy.interpolate.LSQBivariateSpline`.

    >>> x, y = (a.ravel() for a in cp.meshgrid(cp.arange(6.0), cp.arange(6.0)))
    >>> cp.scipy.interpolate.LSQBivariateSpline(x, y, x * y, [2.5], [2.5]).ev(1.5, 2.0).round(6)
    array(3.)
    """

    def __init__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        z: ArrayLike,
        tx: ArrayLike,
        ty: ArrayLike,
        w: ArrayLike | None = None,
        bbox: Any = (None, None, None, None),
        kx: int = 3,
        ky: int = 3,
        eps: float | None = None,
    ) -> None:
        x, y, z, w = self._validate_input(x, y, z, w, kx, ky, eps)
        tx, ty = real(tx).reshape(-1), real(ty).reshape(-1)
        bbox = np.ravel(np.asarray(bbox, dtype=object))
        if bbox.shape != (4,):
            raise ValueError("bbox shape should be (4,)")
        wider = (*_wide_ends(x, tx, kx), *_wide_ends(y, ty, ky))
        box = tuple(end if given is None else float(given) for given, end in zip(bbox, wider, strict=True))
        knots = (whole_knots(tx, kx, *box[:2]), whole_knots(ty, ky, *box[2:]))
        data = _ScatterData(x, y, z, w, kx, ky, 1e-16 if eps is None else eps)
        if not all(_rises(t, degree) for t, degree in zip(knots, (kx, ky), strict=True)):
            raise ValueError(MESSAGES[10])
        found = fit_scatter(data, 0.0, box, 0, 0, knots)
        if found.code < -2:
            warnings.warn(MESSAGES[-3] % (found.c.shape[0] + found.code), stacklevel=2)
        elif found.code > 0:
            warnings.warn(MESSAGES[found.code], stacklevel=2)
        self.fp, self.tck, self.degrees = found.fp, (found.tx, found.ty, found.c), (kx, ky)


def _wide_ends(x: ndarray, inner: ndarray, degree: int) -> tuple[float, float]:
    """The ends of a base that is not given: as SciPy has them, which counts 0 among the inner knots."""
    low, high = float(x.min()), float(x.max())
    knots = [0.0, *inner.tolist()]
    first, last = min(knots), max(knots)
    step = (last - first) / (inner.shape[0] + 2 * degree + 2)
    return low if first > low else first - step, high if last < high else last + step


def whole_knots(inner: ArrayLike, degree: int, low: float, high: float) -> ndarray:
    """All knots from the inner ones."""
    return concatenate([array(np.full(degree + 1, low)), real(inner).reshape(-1), array(np.full(degree + 1, high))])


def _rises(t: ndarray, degree: int) -> bool:
    inner = t[degree : t.shape[0] - degree]
    return bool((inner[1:] > inner[:-1]).all())


_BISPLREP = {
    0: "The spline has a residual sum of squares fp such that abs(fp-s)/s<=0.001",
    -1: "The spline is an interpolating spline (fp=0)",
    -2: "The spline is weighted least-squares polynomial of degree kx and ky.\nfp gives the upper bound fp0 for the "
    "smoothing factor s",
    -3: "Warning. The coefficients of the spline have been computed as the\nminimal norm least-squares "
    "solution of a rank "
    "deficient system.",
    1: "The required storage space exceeds the available storage space.\nProbable causes: nxest or "
    "nyest too small or s is "
    "too small. (fp>s)",
    2: "A theoretically impossible result when finding a smoothing spline\nwith fp = s. Probable "
    "causes: s too small or "
    "badly chosen eps.\n(abs(fp-s)/s>0.001)",
    3: "The maximal number of iterations (20) allowed for finding smoothing\nspline with fp=s has been "
    "reached. Probable "
    "cause: s too small.\n(abs(fp-s)/s>0.001)",
    4: "No more knots can be added because the number of B-spline\ncoefficients already exceeds the "
    "number of data points "
    "m.\nProbable causes: either s or m too small. (fp>s)",
    5: "No more knots can be added because the additional knot would\ncoincide with an old one. "
    "Probable cause: s too small "
    "or too large\na weight to an inaccurate data point. (fp>s)",
    10: "Error on input data",
}


def bisplrep(
    x: ArrayLike,
    y: ArrayLike,
    z: ArrayLike,
    w: ArrayLike | None = None,
    xb: float | None = None,
    xe: float | None = None,
    yb: float | None = None,
    ye: float | None = None,
    kx: int = 3,
    ky: int = 3,
    task: int = 0,
    s: float | None = None,
    eps: float = 1e-16,
    tx: ArrayLike | None = None,
    ty: ArrayLike | None = None,
    full_output: int = 0,
    nxest: int | None = None,
    nyest: int | None = None,
    quiet: int = 1,
) -> Any:
    """A spline surface near to scattered points.

    Parameters
    ----------
    x, y, z : arrays of shape (m,)
        Points and values.
    w : array of shape (m,), optional
        Weights.
    xb, xe, yb, ye : float, optional
        The ends of the base.
    kx, ky : int
        Degrees, 1 to 5.
    task : int
        0 finds knots; -1 uses those in `tx` and `ty`.
    s : float, optional
        The sum of the squared weighted residuals, by default `m - sqrt(2 m)`.
    eps : float
        What is 0 beside the largest element, for the rank.
    tx, ty : arrays, optional
        All knots, for `task=-1`.
    full_output : bool
        Whether the residuals, a code and a message are returned, too.
    nxest, nyest : int, optional
        The largest numbers of knots.
    quiet : bool
        Whether messages are not shown.

    Returns
    -------
    tck : list
        The knots of both variables, coefficients and degrees.

    See `scipy.interpolate.bisplrep`.

    >>> x, y = (a.ravel() for a in cp.meshgrid(cp.arange(5.0), cp.arange(5.0)))
    >>> cp.scipy.interpolate.bisplev(1.5, 2.0, cp.scipy.interpolate.bisplrep(x, y, x * y)).round(6)
    array(3.)
    """
    x, y, z = (real(values).reshape(-1) for values in (x, y, z))
    m = len(x)
    if not m == len(y) == len(z):
        raise TypeError("len(x)==len(y)==len(z) must hold.")
    w = _core.full((m,), 1.0, np.float64) if w is None else real(w)
    if len(w) != m:
        raise TypeError(f"len(w)={len(w)} is not equal to m={m}")
    if not -1 <= task <= 1:
        raise TypeError("task must be -1, 0 or 1")
    s = m - math.sqrt(2 * m) if s is None else float(s)
    for name, t, degree in (("x", tx, kx), ("y", ty, ky)):
        if t is None and task == -1:
            raise TypeError(f"Knots_{name} must be given for task=-1")
        if task == -1 and len(t) < 2 * degree + 2:
            raise TypeError(f"There must be at least 2*k{name}+2 knots_x for task=-1")
    if not (1 <= kx <= 5 and 1 <= ky <= 5):
        raise TypeError(f"Given degree of the spline (kx,ky={kx},{ky}) is not supported. (1<=k<=5)")
    if m < (kx + 1) * (ky + 1):
        raise TypeError("m >= (kx+1)(ky+1) must hold")
    box = _box((xb, xe, yb, ye), x, y)
    most = [
        int(kx + math.sqrt(m / 2)) if nxest is None else nxest,
        int(ky + math.sqrt(m / 2)) if nyest is None else nyest,
    ]
    if task >= 0 and s == 0:
        most = [int(kx + math.sqrt(3 * m)), int(ky + math.sqrt(3 * m))]
    most = [max(count, 2 * degree + 3) for count, degree in zip(most, (kx, ky), strict=True)]
    knots = None
    if task == -1:
        inner = [real(t)[degree + 1 : -degree - 1] for t, degree in ((tx, kx), (ty, ky))]
        knots = (whole_knots(inner[0], kx, *box[:2]), whole_knots(inner[1], ky, *box[2:]))
        if not all(_rises(t, degree) for t, degree in zip(knots, (kx, ky), strict=True)):
            raise ValueError(_BISPLREP[10])
    if task == 1:
        raise TypeError("task=1 needs a call before: use `SmoothBivariateSpline` instead")
    found = fit_scatter(_ScatterData(x, y, z, w, kx, ky, eps), s, box, *most, knots)
    tck = [found.tx, found.ty, found.c, kx, ky]
    code = max(-3, found.code)
    message = _BISPLREP[code]
    if code <= 0 and not quiet or 0 < code < 10 and not full_output:
        sizes = f"kx,ky={kx},{ky} nx,ny={found.tx.shape[0]},{found.ty.shape[0]} m={m} fp={found.fp} s={s}"
        warnings.warn(RuntimeWarning(f"{message}\n\t{sizes}"), stacklevel=2)
    if code == 10 and not full_output:
        raise ValueError(message)
    return (tck, found.fp, found.code, message) if full_output else tck


def bisplev(x: ArrayLike, y: ArrayLike, tck: Any, dx: int = 0, dy: int = 0) -> ndarray:
    """The values, or derivatives of the orders `dx` and `dy`, of a spline surface at all pairs of `x` and `y`.

    `tck` is what `bisplrep` returned. One number and one array give one axis, two numbers none. See
    `scipy.interpolate.bisplev`.

    >>> t = cp.asarray([0.0, 0.0, 1.0, 1.0])
    >>> cp.scipy.interpolate.bisplev(0.5, [0.0, 1.0], (t, t, cp.arange(4.0), 1, 1))
    array([1., 2.])
    """
    tx, ty, c, kx, ky = tck
    if not 0 <= dx < kx:
        raise ValueError(f"0 <= dx = {dx} < kx = {kx} must hold")
    if not 0 <= dy < ky:
        raise ValueError(f"0 <= dy = {dy} < ky = {ky} must hold")
    x, y = (values.reshape(1) if values.ndim == 0 else values for values in (real(x), real(y)))
    if x.ndim != 1 or y.ndim != 1:
        raise ValueError("First two entries should be rank-1 arrays.")
    if any_of(x[1:] < x[:-1]) or any_of(y[1:] < y[:-1]):
        raise ValueError("Invalid input data")
    z = _surface(x[:, None], y, real(tx), real(ty), real(c), degrees=(kx, ky), nu=(dx, dy))
    return z if len(x) > 1 else z[0] if len(y) > 1 else z[0, 0]


__all__ = [
    "BivariateSpline",
    "LSQBivariateSpline",
    "RectBivariateSpline",
    "SmoothBivariateSpline",
    "bisplev",
    "bisplrep",
]
