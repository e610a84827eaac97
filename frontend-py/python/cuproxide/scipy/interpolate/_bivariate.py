"""Splines of two variables: FITPACK's surfaces through values on a grid and near to scattered points."""

from __future__ import annotations

from types import GenericAlias
from typing import Any, NamedTuple

import numpy as np

from ... import _cuproxide as _core
from ... import concatenate
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device
from ..._typing import ArrayLike
from ._basis import basis_values
from ._bspline import differentiated
from ._common import any_of, find_interval, point_values, real
from ._fitpack import _basis_integrals
from ._interp_spline import make_interp_spline
from ._knots import not_a_knot
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

    __class_getitem__: classmethod[Any, ..., GenericAlias] = classmethod(GenericAlias)
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
        x, y = as_device(x), as_device(y)
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
        """The integral over a rectangle, as far as it lies in the base.

        Parameters
        ----------
        xa : float
            The lower end along the first coordinate.
        xb : float
            The upper end.
        ya : float
            The lower end along the second coordinate.
        yb : float
            The upper end.
        """
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
        for name, array in zip("xyz", (x, y, z), strict=True):
            if array.ndim > 1:
                raise ValueError(f"{name} should have one axis, but its shape is {array.shape}")
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
        if kx < 0 or ky < 0:
            raise ValueError(f"Degrees must be at least 0, got kx={kx} and ky={ky}")
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


def four_ends(bbox: Any) -> Any:
    """The ends of a rectangle on the host, None where one is not given."""
    bbox = np.ravel(bbox.get() if isinstance(bbox, ndarray) else np.asarray(bbox, dtype=object))
    if bbox.shape != (4,):
        raise ValueError(f"bbox shape should be (4,), got {bbox.shape}")
    return bbox


def _box(bbox: Any, x: ndarray, y: ndarray) -> tuple[float, float, float, float]:
    """The rectangle, where it is not given that of the points."""
    bbox = four_ends(bbox)
    ends = [float(x.min()), float(x.max()), float(y.min()), float(y.max())]
    x0, x1, y0, y1 = (end if given is None else float(given) for given, end in zip(bbox, ends, strict=True))
    return x0, x1, y0, y1


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
    kx, ky : int
        Degrees.
    s : float
        The sum of the squared residuals; 0 interpolates.
    maxit : int
        The most iterations of the search for the smoothing parameter.

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
        if not (1 <= kx <= 5 and 1 <= ky <= 5):
            raise ValueError(f"Degrees must be from 1 to 5, got kx={kx} and ky={ky}")
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


__all__ = ["BivariateSpline", "RectBivariateSpline"]
