"""Splines of the two angles on a sphere, with one value and one tangent plane at each pole (Dierckx, 1984).

The coefficients of the two rows next to a pole are a constant and a multiple of cosine and sine, which leaves six
numbers for both poles; the columns are periodic. The systems are dense.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ... import _cuproxide as _core
from ... import concatenate, eye
from ..._cuproxide import ndarray
from ..._lib.arguments import as_device
from ..._typing import ArrayLike
from ._bivariate import BivariateBase, _surface
from ._common import any_of, point_values, real, ufuncs
from ._scattered_splines import add_line, jump_matrix, solve_triangle, spread_basis, squared_misses, triangle_of
from ._smoothing import TOLERANCE, rational_root, wrapped_knots

_MESSAGES = {
    1: "\nThe required storage space exceeds the available storage space: ntest or npest too small, or s too small.",
    2: "\nA theoretically impossible result was found during the iteration process for finding a smoothing spline with "
    "fp = s: s too small or badly chosen eps.",
    3: "\nThe maximal number of iterations allowed for finding a smoothing spline with fp=s has "
    "been reached: s too small.",
    4: "\nNo more knots can be added because the number of coefficients already exceeds the "
    "number of data points m: either "
    "s or m too small.",
    5: "\nNo more knots can be added because the additional knot would (quasi) coincide with an "
    "old one: s too small or too "
    "large a weight to an inaccurate data point.",
}


class SphereBivariateSpline(BivariateBase):
    """A spline of the angles on a sphere: theta from 0 to pi, phi around."""

    def __call__(self, theta: ArrayLike, phi: ArrayLike, dtheta: int = 0, dphi: int = 0, grid: bool = True) -> ndarray:
        """The values, or derivatives of the orders `dtheta` and `dphi`; see `BivariateSpline`."""
        theta, phi = point_values(theta), point_values(phi)
        _check_angles(theta, math.pi, "requested theta out of bounds.")
        return super().__call__(theta, around(phi, 0.0), dx=dtheta, dy=dphi, grid=grid)

    def ev(self, theta: ArrayLike, phi: ArrayLike, dtheta: int = 0, dphi: int = 0) -> ndarray:
        """The values, or derivatives, at points.

        Parameters
        ----------
        theta : array_like
            The polar angles.
        phi : array_like
            The azimuths.
        dtheta : int
            The order of the derivative along the first.
        dphi : int
            The order of the derivative along the second.
        """
        return self(theta, phi, dtheta=dtheta, dphi=dphi, grid=False)


def around(phi: Any, start: float) -> ndarray:
    """Angles in the turn from `start` on."""
    phi, turn = as_device(phi), 2.0 * math.pi
    return _core.where((phi < start) | (phi > start + turn), start + (phi - start) % turn, phi)


def _check_angles(values: Any, most: float, message: str) -> None:
    values = as_device(values)
    if values.size and any_of((values < 0.0) | (values > most)):
        raise ValueError(message)


class _Reduced(NamedTuple):
    """From the free numbers to the coefficients: those of cosine and sine, and the sizes."""

    tt: ndarray
    tp: ndarray
    around: ndarray
    rows: int
    period: int

    def columns(self, theta: ndarray, phi: ndarray) -> ndarray:
        """The base of free numbers in values of B-splines of theta (m, rows) and, once around, of phi (m, period)."""
        waves = _core.matmul(phi, self.around)
        poles = []
        for outer, inner in ((0, 1), (-1, -2)):
            constant = (theta[:, outer] * phi.sum(1) + theta[:, inner] * phi.sum(1))[:, None]
            poles += [constant, theta[:, inner][:, None] * waves]
        middle = theta[:, 2:-2, None] * phi[:, None, :]
        count = (self.rows - 4) * self.period
        return concatenate([*poles[:2], middle.reshape(theta.shape[0], count), *poles[2:]], axis=1)

    def coefficients(self, free: ndarray) -> ndarray:
        """All coefficients, those of phi beside each other and the first three of them again."""
        rows = []
        for start, is_first in ((0, True), (free.shape[0] - 3, False)):
            constant = _core.broadcast_to(free[start], (self.period,))
            wave = constant + _core.matmul(self.around, free[start + 1 : start + 3])
            rows += [[constant[None], wave[None]] if is_first else [wave[None], constant[None]]]
        middle = free[3:-3].reshape(self.rows - 4, self.period)
        whole = concatenate([*rows[0], middle, *rows[1]])
        return whole[:, as_device(np.arange(self.period + 3) % self.period)].reshape(-1)


def _reduced(inner_theta: np.ndarray, inner_phi: np.ndarray) -> _Reduced:
    tt = as_device(np.concatenate([np.zeros(4), inner_theta, np.full(4, math.pi)]))
    tp = wrapped_knots(as_device(inner_phi), 3, 0.0, 2.0 * math.pi)
    period = inner_phi.size + 1
    # Cosine and sine as splines through their values at the knots.
    at = tp[3 : 3 + period]
    waves = np.array(at.tolist())
    matrix = np.array(_wrapped(spread_basis(at, tp, 3), period).tolist())
    around = np.linalg.solve(matrix, np.stack([np.cos(waves), np.sin(waves)], axis=1))
    return _Reduced(tt, tp, as_device(around), inner_theta.size + 4, period)


def _wrapped(values: ndarray, period: int) -> ndarray:
    """Columns that are the same function, added."""
    total = values[:, :period].copy()
    for start in range(period, values.shape[1], period):
        part = values[:, start : start + period]
        total[:, : part.shape[1]] += part
    return total


class _Data(NamedTuple):
    theta: ndarray
    phi: ndarray
    r: ndarray
    w: ndarray
    eps: float

    def triangle(self, base: _Reduced) -> tuple[ndarray, ndarray]:
        theta = spread_basis(self.theta, base.tt, 3) * self.w[:, None]
        phi = _wrapped(spread_basis(self.phi, base.tp, 3), base.period)
        return triangle_of(base.columns(theta, phi), self.r * self.w)

    def finished(self, base: _Reduced, triangle: tuple[ndarray, ndarray]) -> tuple[ndarray, ndarray, int]:
        free, rank = solve_triangle(*triangle, max(self.eps, float(np.finfo(np.float64).eps)))
        c = base.coefficients(free)
        values = _surface(self.theta, self.phi, base.tt, base.tp, c, degrees=(3, 3), nu=(0, 0))
        return c, ((values - self.r) * self.w) ** 2, rank


def _checked(
    theta: ArrayLike, phi: ArrayLike, r: ArrayLike, w: ArrayLike | None, eps: float
) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    theta, phi, r = real(theta), real(phi), real(r)
    # NaN is not between them either.
    if any_of(~((theta >= 0.0) & (theta <= math.pi))):
        raise ValueError("theta should be between [0, pi]")
    if any_of(~((phi >= 0.0) & (phi <= 2.0 * math.pi))):
        raise ValueError("phi should be between [0, 2pi]")
    if w is None:
        w = _core.full(theta.shape, 1.0, np.float64)
    else:
        w = real(w)
        if any_of(~(w >= 0.0)):
            raise ValueError("w should be positive")
    sizes = [part.size for part in (theta, phi, r, w)]
    if len(set(sizes)) > 1:
        raise ValueError(f"theta, phi, r and w must have the same length, got {sizes}")
    if not 0.0 < eps < 1.0:
        raise ValueError("eps should be between (0, 1)")
    return theta.reshape(-1), phi.reshape(-1), r.reshape(-1), w.reshape(-1)


class LSQSphereBivariateSpline(SphereBivariateSpline):
    """The least squares spline on a sphere with given inner knots.

    Parameters
    ----------
    theta, phi, r : arrays of shape (m,)
        Angles (theta from 0 to pi, phi from 0 to 2 pi) and values.
    tt, tp : arrays
        Inner knots, rising.

    >>> a = cp.linspace(0.1, 3.0, 8)
    >>> theta, phi = (part.ravel() for part in cp.meshgrid(a, 2 * a))
    >>> knots = cp.asarray([1.0, 2.0]), cp.asarray([1.5, 3.0, 4.5])
    >>> spline = cp.scipy.interpolate.LSQSphereBivariateSpline(theta, phi, 0 * phi + 2.0, *knots)
    >>> spline(1.0, 2.0).round(10)
    array([[2.]])
    """

    def __init__(
        self,
        theta: ArrayLike,
        phi: ArrayLike,
        r: ArrayLike,
        tt: ArrayLike,
        tp: ArrayLike,
        w: ArrayLike | None = None,
        eps: float = 1e-16,
    ) -> None:
        theta, phi, r, weights = _checked(theta, phi, r, None, 0.5)
        down, around = (np.array(real(knots).reshape(-1).tolist()) for knots in (tt, tp))
        for name, knots, most, text in (("tt", down, math.pi, "pi"), ("tp", around, 2 * math.pi, "2pi")):
            if not ((knots > 0.0).all() and (knots < most).all()):
                raise ValueError(f"{name} should be between (0, {text})")
        theta, phi, r, w = _checked(theta, phi, r, weights if w is None else w, eps)
        if (np.diff(down) <= 0).any() or (np.diff(around) <= 0).any() or any_of(w <= 0) or around.size < 1:
            raise ValueError("\nERROR. On entry, the input data are controlled on validity.")
        base = _reduced(down, around)
        data = _Data(theta, phi, r, w, eps)
        c, squares, _ = data.finished(base, data.triangle(base))
        self.fp, self.tck, self.degrees = float(squares.sum()), (base.tt, base.tp, c), (3, 3)


class SmoothSphereBivariateSpline(SphereBivariateSpline):
    """A smoothing spline on a sphere.

    Parameters
    ----------
    theta, phi, r : arrays of shape (m,)
        Angles (theta from 0 to pi, phi from 0 to 2 pi) and values.
    s : float
        The sum of the squared weighted residuals.

    >>> a = cp.linspace(0.1, 3.0, 8)
    >>> theta, phi = (part.ravel() for part in cp.meshgrid(a, 2 * a))
    >>> cp.scipy.interpolate.SmoothSphereBivariateSpline(theta, phi, 0 * phi + 2.0, s=1.0)(1.0, 2.0).round(10)
    array([[2.]])
    """

    def __init__(
        self,
        theta: ArrayLike,
        phi: ArrayLike,
        r: ArrayLike,
        w: ArrayLike | None = None,
        s: float = 0.0,
        eps: float = 1e-16,
    ) -> None:
        theta, phi, r, w = _checked(theta, phi, r, w, 0.5)
        if not s >= 0.0:
            raise ValueError("s should be positive")
        if not 0.0 < eps < 1.0:
            raise ValueError("eps should be between (0, 1)")
        if any_of(w <= 0):
            raise ValueError("\nERROR. On entry, the input data are controlled on validity.")
        found = _smooth(_Data(theta, phi, r, w, eps), float(s))
        if found.code > 0:
            raise ValueError(_MESSAGES[found.code])
        self.fp, self.tck, self.degrees = found.fp, (found.tt, found.tp, found.c), (3, 3)


class _Found(NamedTuple):
    tt: ndarray
    tp: ndarray
    c: ndarray
    fp: float
    code: int


def _smooth(data: _Data, s: float) -> _Found:
    """Knots where the residuals are large, then the parameter between residuals and jumps."""
    m, acc = data.r.shape[0], s * TOLERANCE
    # Without inner knots: one value at each pole and a cubic between them.
    tt = as_device(np.repeat([0.0, math.pi], 4))
    rows = spread_basis(data.theta, tt, 3)
    pair = concatenate([rows[:, :2].sum(1)[:, None], rows[:, 2:].sum(1)[:, None]], axis=1) * data.w[:, None]
    poles, _ = solve_triangle(*triangle_of(pair, data.r * data.w), float(np.finfo(np.float64).eps))
    fp0 = float(((_core.matmul(pair, poles) - data.r * data.w) ** 2).sum())
    if fp0 - s <= acc:
        tp = as_device(np.repeat([0.0, 2.0 * math.pi], 4))
        return _Found(tt, tp, poles[as_device(np.repeat([0, 1], 8))], fp0, -2)
    most = 8 + int(math.sqrt(m / 2))
    half = math.pi / 2
    lines = [np.array([half]), np.array([half, 2 * half, 3 * half])]
    for _ in range(m):
        base = _reduced(*lines)
        triangle = data.triangle(base)
        c, squares, _ = data.finished(base, triangle)
        fp = squared_misses(squares, data.w, data.r, c)
        excess = fp - s
        if abs(excess) <= acc:
            return _Found(base.tt, base.tp, c, fp, 0)
        if excess < 0:
            return _smoothest(data, base, triangle, fp0, fp, s)
        if triangle[0].shape[0] > m:
            return _Found(base.tt, base.tp, c, fp, 4)
        whole = [
            np.concatenate([np.zeros(4), line, np.full(4, end)])
            for line, end in zip(lines, (2 * half, 4 * half), strict=True)
        ]
        code = add_line((data.theta, data.phi), (3, 3), whole, squares, (most, most - 1))
        if code:
            return _Found(base.tt, base.tp, c, fp, code)
        fresh = np.setdiff1d(whole[1][4:-4], lines[1])
        lines = [line[4:-4] for line in whole]
        if fresh.size:
            # Knots of phi come in pairs on both sides of the poles.
            lines[1] = np.sort(np.append(lines[1], (fresh + math.pi) % (2 * math.pi)))
    return _Found(base.tt, base.tp, c, fp, 3)


def _smoothest(
    data: _Data, base: _Reduced, triangle: tuple[ndarray, ndarray], fp0: float, fp: float, s: float
) -> _Found:
    r, q = triangle
    jumps = []
    if base.rows > 4:
        theta = jump_matrix(base.tt, 3)
        phi = eye(base.period)
        jumps.append(_pairs(base, theta, phi))
    phi = _wrapped(jump_matrix(base.tp, 3), base.period)
    jumps.append(_pairs(base, eye(base.rows)[1:-1], phi))
    rows = concatenate(jumps)
    zeros = _core.zeros((rows.shape[0],), np.float64)
    kept: list[Any] = []

    def over(p: float) -> float:
        found = data.finished(base, triangle_of(concatenate([r, rows / p]), concatenate([q, zeros])))
        kept[:] = [found[0], float(found[1].sum())]
        return kept[1] - s

    p = r.shape[0] / float(ufuncs["absolute"](r.diagonal()).sum())
    root = rational_root(over, p, fp0 - s, fp - s, s * TOLERANCE)
    return _Found(base.tt, base.tp, kept[0], kept[1], root.code)


def _pairs(base: _Reduced, theta: ndarray, phi: ndarray) -> ndarray:
    """The base of free numbers for all pairs of rows for both angles."""
    a, b = theta.shape[0], phi.shape[0]
    first = _core.broadcast_to(theta[:, None], (a, b, theta.shape[1])).reshape(a * b, -1)
    second = _core.broadcast_to(phi[None], (a, b, phi.shape[1])).reshape(a * b, -1)
    return base.columns(first, second)


__all__ = ["LSQSphereBivariateSpline", "SmoothSphereBivariateSpline"]
