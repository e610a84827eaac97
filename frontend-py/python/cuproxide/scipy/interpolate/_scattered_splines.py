"""Splines near to scattered points of the plane: FITPACK's `surfit`, by dense orthogonal factors."""

from __future__ import annotations

import math
import warnings
from typing import Any, NamedTuple

import numpy as np

from ... import _cuproxide as _core
from ... import bincount, concatenate, eye
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device
from ..._typing import ArrayLike
from ...linalg import qr, svd
from ..linalg import solve_triangular
from ._basis import basis_rows, intervals
from ._bivariate import MESSAGES, BivariateSpline, _box, _surface, four_ends
from ._common import any_of, real, ufuncs
from ._least_squares import Data
from ._smoothing import TOLERANCE, fewest_knots, rational_root


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
    r: ndarray = qr(both, mode="r")
    return r[:count, :count], r[:count, count]


def solve_triangle(r: ndarray, q: ndarray, eps: float) -> tuple[ndarray, int]:
    """The solution, the shortest one if the triangle is singular, and the rank."""
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


def squared_misses(squares: ndarray, w: ndarray, z: ndarray, c: ndarray) -> float:
    """The sum of squared residuals, which is 0 where a spline goes through its points up to rounding.

    More knots than that would only let it oscillate between the points.
    """
    size = ufuncs["maximum"](abs(z).max(), abs(c).max()) if c.size else abs(z).max()
    noise = (64 * np.finfo(np.float64).eps * size) ** 2 * (w * w).sum()
    total = squares.sum()
    return float(_core.where(total <= noise, 0.0, total))


def fit_scatter(
    data: _ScatterData, s: float, box: tuple[float, float, float, float], nxest: int, nyest: int,
    knots: tuple[ndarray, ndarray] | None = None,
) -> Scatter:  # fmt: skip
    """A smoothing spline of scattered points (Dierckx, 1981): each iteration adds a knot where residuals are large."""
    xb, xe, yb, ye = box
    kx, ky = data.degrees
    m = data.x.shape[0]
    inside = (data.x >= xb) & (data.x <= xe) & (data.y >= yb) & (data.y <= ye) & (data.w > 0)
    if any_of(~inside):
        # NaN is outside, too. A spline that nobody has fitted is NaN everywhere.
        none = _core.full(((kx + 1) * (ky + 1),), math.nan, np.float64)
        return Scatter(fewest_knots(xb, xe, kx), fewest_knots(yb, ye, ky), none, 0.0, 10)
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
        tx, ty = (as_device(line) for line in lines)
        is_coarse = tx.shape[0] == 2 * (kx + 1) and ty.shape[0] == 2 * (ky + 1)
        r, q = data.reduced(tx, ty)
        c, squares, rank = data.finished(tx, ty, r, q)
        fp, count = squared_misses(squares, data.w, data.z, c), c.shape[0]
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
    sums: list[Any] = []
    for x, line, degree, limit in zip(points, lines, degrees, most, strict=True):
        pieces = line.size - 2 * degree - 1
        place = intervals(x, as_device(line), degree) - degree
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
        order = as_device(np.arange(nx * ny).reshape(nx, ny).T.reshape(-1))
        triangle: ndarray = qr(r[:, order], mode="r")
        start = triangle.diagonal()
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
    kx, ky : int
        Degrees.
    s : float, optional
        The sum of the squared weighted residuals, by default the number of points.

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

    The other parameters are those of `SmoothBivariateSpline`.

    Parameters
    ----------
    z : array_like
        The values.
    tx : array_like
        The knots along the first coordinate.
    ty : array_like
        The knots along the second coordinate.
    w : array_like, optional
        The weights.
    bbox : sequence of float, optional
        The ends of the rectangle.
    kx : int
        The degree along the first coordinate.
    ky : int
        The degree along the second coordinate.
    eps : float, optional
        What counts as zero in the rank of the system.

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
        bbox = four_ends(bbox)
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
    return concatenate(
        [as_device(np.full(degree + 1, low)), real(inner).reshape(-1), as_device(np.full(degree + 1, high))]
    )


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
    xb, xe, yb, ye : float, optional
        The ends of the base.
    kx, ky : int
        Degrees, 1 to 5.
    task : int
        0 finds knots; -1 uses those in `tx` and `ty`.
    tx, ty : arrays, optional
        All knots, for `task=-1`.
    nxest, nyest : int, optional
        The largest numbers of knots.

    Returns
    -------
    tck : list
        The knots of both variables, coefficients and degrees.

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
    if not 0 < eps < 1:
        raise ValueError(f"eps must be between 0 and 1, not {eps}")
    if s < 0:
        raise ValueError(f"s must not be negative, but it is {s}")
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
    found = fit_scatter(_ScatterData(x, y, z, w, kx, ky, eps), s, box, most[0], most[1], knots)
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

    `tck` is what `bisplrep` returned. One number and one array give one axis, two numbers none.

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


__all__ = ["LSQBivariateSpline", "SmoothBivariateSpline", "bisplev", "bisplrep"]
