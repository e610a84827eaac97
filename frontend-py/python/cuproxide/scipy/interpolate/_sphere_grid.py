"""Splines of values on a grid of angles, with one value and, if wanted, one tangent plane at each pole (Dierckx, 1987).

The coefficients are a matrix C between two matrices of B-splines, A C B' = R; those of the rows next to the poles are
given by six numbers, which enter linearly. What the rest leaves of the data is found by projections in either variable.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ... import _cuproxide as _core
from ... import concatenate, stack
from ..._cuproxide import ndarray
from ..._lib.arguments import as_device
from ..._typing import ArrayLike
from ...linalg import qr
from ..linalg import solve_triangular
from ._bivariate import _next_count, _surface
from ._common import any_of, real
from ._least_squares import Data, with_more_knots
from ._scattered_splines import jump_matrix, spread_basis
from ._smoothing import TOLERANCE, rational_root
from ._sphere import _MESSAGES, SphereBivariateSpline, _check_angles, _wrapped, around

_TURN = 2.0 * math.pi


class _Pole(NamedTuple):
    """What is known about a pole: its value, whether that is exact; whether the spline is smooth there, and flat."""

    value: float | None
    is_exact: bool
    is_smooth: bool
    is_flat: bool


class _Fit(NamedTuple):
    c: ndarray
    numbers: ndarray
    squares: ndarray
    fp: float


class _SphereGrid:
    """Values on a grid and their splines."""

    def __init__(self, u: ndarray, v: ndarray, r: ndarray, poles: tuple[_Pole, _Pole]) -> None:
        self.u, self.v, self.r, self.poles = u, v, r, poles
        self.first = float(v[0])
        ends = (float(r[0].mean()), float(r[-1].mean()))
        self.guesses = [end if pole.value is None else pole.value for end, pole in zip(ends, poles, strict=True)]

    def knots_u(self, inner: ndarray) -> ndarray:
        return concatenate([_core.zeros((4,), np.float64), inner, _core.full((4,), math.pi, np.float64)])

    def knots_v(self, inner: ndarray) -> ndarray:
        """The knots from the first angle once around, going on periodically."""
        base = concatenate([_core.full((1,), self.first, np.float64), inner])
        n = base.shape[0]
        at = np.arange(-3, n + 4)
        return base[as_device(at % n)] + as_device(_TURN * (at // n))

    def fit(
        self,
        tu: ndarray,
        tv: ndarray,
        p: float,
        exact: tuple[bool, ...],
        turns: tuple[bool, ...],
        numbers: list[float] | None = None,
    ) -> _Fit:
        """The spline with given knots; `exact` says whose poles' values are, `turns` whose slopes are sought.

        `numbers` are those of the poles, of which those that are sought are only a guess.
        """
        smooth = [int(pole.is_smooth) for pole in self.poles]
        period = tv.shape[0] - 7
        along, around = spread_basis(self.u, tu, 3), _wrapped(spread_basis(self.v, tv, 3), period)
        mu, mv = along.shape[0], around.shape[0]
        if p < math.inf:
            if tu.shape[0] > 8:
                along = concatenate([along, jump_matrix(tu, 3) / p])
            if tv.shape[0] > 8:
                around = concatenate([around, _wrapped(jump_matrix(tv, 3), period) / p])
        count = along.shape[1]
        inside = slice(1 + smooth[0], count - 1 - smooth[1])
        q_u, r_u = qr(along[:, inside], mode="reduced")
        q_v, r_v = qr(around, mode="reduced")
        waves = self._waves(tv, period)
        # Each number's rows of coefficients, of which the outer one is constant.
        shapes, seeks, start = [], [], []
        ones = _core.full((period,), 1.0, np.float64)
        widths = [(tu[4] - tu[3]) / 3.0, (tu[count - 1] - tu[count]) / 3.0]
        for side, (outer, inner) in enumerate(((0, 1), (count - 1, count - 2))):
            rows = [(outer, ones), (inner, ones)] if smooth[side] else [(outer, ones)]
            shapes.append(rows)
            seeks.append(not exact[side])
            start.append(self.guesses[side])
            if smooth[side]:
                for wave in (waves[:, 0], waves[:, 1]):
                    shapes.append([(inner, wave * widths[side])])
                    seeks.append(turns[side])
                    start.append(0.0)
        start = start if numbers is None else numbers
        matrices = []
        for rows in shapes:
            c = _core.zeros((period, count), np.float64)
            for at, values in rows:
                c[:, at] = values
            matrices.append(c)
        data = _core.zeros((around.shape[0], along.shape[0]), np.float64)
        data[:mv, :mu] = self.r.T
        parts = stack([_core.matmul(_core.matmul(around, c), along.T) for c in matrices])
        given = as_device(np.array(start))
        base = data - (given[:, None, None] * parts).sum(0)

        def left(x: ndarray) -> ndarray:
            return x - _core.matmul(_core.matmul(q_v, _core.matmul(_core.matmul(q_v.T, x), q_u)), q_u.T)

        sought = [i for i, wanted in enumerate(seeks) if wanted]
        if sought:
            columns = [left(parts[i]).reshape(-1) for i in sought]
            right = left(base).reshape(-1)
            # A value at a pole that is not exact is one more datum.
            extra_rows, extra_right = [], []
            for i, side in ((0, 0), (1 + 2 * smooth[0], 1)):
                if not exact[side] and self.poles[side].value is not None:
                    extra_rows.append([float(j == i) for j in sought])
                    extra_right.append(self.poles[side].value - start[i])
            matrix = stack(columns, axis=1)
            if extra_rows:
                matrix = concatenate([matrix, as_device(np.array(extra_rows))])
                right = concatenate([right, as_device(np.array(extra_right))])
            # At most six numbers: their triangle is small, and products of the columns would lose half of the digits.
            triangle: ndarray = qr(concatenate([matrix, right[:, None]], axis=1), mode="r")
            small = np.array(triangle.tolist())
            change = np.zeros(len(start))
            change[sought] = np.linalg.lstsq(small[:, :-1], small[:, -1], rcond=1e-13)[0]
            given = given + as_device(change)
            base = data - (given[:, None, None] * parts).sum(0)
        middle = solve_triangular(r_v, _core.matmul(_core.matmul(q_v.T, base), q_u), check_finite=False)
        middle = solve_triangular(r_u, middle.T, check_finite=False)
        c = (given[:, None, None] * stack(matrices)).sum(0).T.copy()
        c[inside] = c[inside] + middle
        whole = c[:, as_device(np.arange(period + 3) % period)].reshape(-1)
        values = _surface(self.u[:, None], self.v, tu, tv, whole, degrees=(3, 3), nu=(0, 0))
        squares = (values - self.r) ** 2
        return _Fit(whole, given, squares, float(squares.sum()))

    def _waves(self, tv: ndarray, period: int) -> ndarray:
        """The coefficients of the splines through cosine and sine at the knots; 0 where there are too few knots."""
        if period < 4:
            return _core.zeros((period, 2), np.float64)
        at = tv[3 : 3 + period]
        angles = np.array(at.tolist())
        matrix = np.array(_wrapped(spread_basis(at, tv, 3), period).tolist())
        return as_device(np.linalg.solve(matrix, np.stack([np.cos(angles), np.sin(angles)], axis=1)))

    def more(self, t: ndarray, found: _Fit, wanted: int, *, in_u: bool) -> ndarray:
        """More knots at points of intervals with large residuals."""
        nothing = _core.zeros((1,), np.float64)
        if not in_u:
            x = concatenate([self.v, self.v[:1] + _TURN])
            sums = concatenate([found.squares.sum(0), nothing])
            t = with_more_knots(Data(x, x[:, None], x, 3), t, sums, wanted, last=x.shape[0] - 1)
            return self.knots_v(t[4:-4])
        parts, sums = [self.u], [found.squares.sum(1)]
        south = 1 + 2 * int(self.poles[0].is_smooth)
        for side, (end, place) in enumerate(((0.0, 0), (math.pi, south))):
            pole = self.poles[side]
            extra = 0.0
            if pole.value is not None and not pole.is_exact:
                extra = (pole.value - float(found.numbers[place])) ** 2
            at = 0 if side == 0 else -1
            if pole.is_smooth:
                # The pole is a point of the grid, and the outermost one may become a knot.
                point, total = _core.full((1,), end, np.float64), _core.full((1,), extra, np.float64)
                parts = [point, *parts] if side == 0 else [*parts, point]
                sums = [total, *sums] if side == 0 else [*sums, total]
            elif extra:
                whole = concatenate(sums)
                whole[at] = whole[at] + extra
                sums = [whole]
        x = concatenate(parts)
        return with_more_knots(Data(x, x[:, None], x, 3), t, concatenate(sums), wanted, last=x.shape[0] - 1)

    def through(self) -> tuple[ndarray, ndarray, _Fit]:
        """The spline through all values; what is not known at the poles is that of a spline with half the knots."""
        north, south = self.poles
        tv = self.knots_v(self.v[1:])
        exact = (north.value is not None, south.value is not None)
        turns = tuple(pole.is_smooth and not pole.is_flat for pole in self.poles)
        tu = self.knots_u(self.u[1 - int(north.is_smooth) : self.u.shape[0] - 1 + int(south.is_smooth)])
        if not all(exact) or any(turns):
            coarse = self.knots_u(self.u[2 : self.u.shape[0] - 2 : 2])
            found = self.fit(coarse, tv, math.inf, exact, turns)
            numbers = found.numbers.tolist()
            return tu, tv, self.fit(tu, tv, math.inf, (True, True), (False, False), numbers)
        return tu, tv, self.fit(tu, tv, math.inf, (True, True), (False, False))

    def smooth(self, s: float) -> tuple[ndarray, ndarray, _Fit, int]:
        """A smoothing spline: knots are added in the variable that needs fewer."""
        acc = s * TOLERANCE
        mu, mv = self.u.shape[0], self.v.shape[0]
        most_u = mu + 6 + int(self.poles[0].is_smooth) + int(self.poles[1].is_smooth)
        most_v = mv + 7
        tu, tv = self.knots_u(self.u[:0]), self.knots_v(self.v[:0])
        exact = tuple(pole.is_exact and pole.value is not None for pole in self.poles)
        later = tuple(pole.is_smooth and not pole.is_flat for pole in self.poles)
        turns = (False, False)
        direction = more_u = more_v = 0
        fp0 = fpold = gain_u = gain_v = excess = 0.0
        for step in range(mu + mv):
            found = self.fit(tu, tv, math.inf, exact, turns)
            excess = found.fp - s
            if step == 0:
                fp0 = found.fp
            if abs(excess) < acc or (excess < 0 and step == 0):
                return tu, tv, found, -2 if step == 0 else 0
            if excess < 0:
                break
            nu, nv = tu.shape[0], tv.shape[0]
            if nu == most_u and nv == most_v:
                return tu, tv, found._replace(fp=0.0), -1
            if direction < 0:
                gain_u = fpold - found.fp
            elif direction > 0:
                gain_v = fpold - found.fp
            fpold = found.fp
            if direction == 0:
                turns, next_u, next_v, in_u = later, 0, 3, False
            else:
                next_u = _next_count(more_u, gain_u, excess, acc) if nu != 8 else 1
                next_v = _next_count(more_v, gain_v, excess, acc) if nv != 8 else 3
                in_u = next_u < next_v or (next_u == next_v and direction >= 0)
            if nu == most_u:
                in_u = False
            elif nv == most_v:
                in_u = True
            if in_u:
                direction, more_u = -1, max(next_u, 1)
                tu = self.more(tu, found, min(more_u, most_u - nu), in_u=True)
            else:
                direction, more_v = 1, next_v
                tv = self.more(tv, found, min(next_v, most_v - nv), in_u=False)
        kept: list[_Fit] = []

        def over(p: float) -> float:
            kept[:] = [self.fit(tu, tv, p, exact, turns)]
            return kept[0].fp - s

        root = rational_root(over, 1.0, fp0 - s, excess, acc)
        return tu, tv, kept[0], root.code


def _pair(value: Any) -> tuple[Any, Any]:
    return (value, value) if isinstance(value, (bool, np.bool_)) else tuple(value)


class RectSphereBivariateSpline(SphereBivariateSpline):
    """A spline of values on a grid of the angles on a sphere.

    Parameters
    ----------
    u : array of shape (m,)
        Angles from the north pole, rising, between 0 and pi.
    v : array of shape (n,)
        Angles around, rising, from `v[0]` between -pi and pi to less than once around.
    r : array of shape (m, n)
        Values.
    s : float
        The sum of the squared residuals; with 0 the spline goes through all values.
    pole_continuity : bool or two of them
        Whether there is a tangent plane at the north and at the south pole, or one value only.
    pole_values : float or two of them, optional
        Values at the poles; None for unknown ones.
    pole_exact : bool or two of them
        Whether the values at the poles are exact.
    pole_flat : bool or two of them
        Whether the slopes vanish at the poles.

    Notes
    -----
    Angles `phi` outside of the turn from `v[0]` on are taken into it; SciPy has the value at the nearest end there.

    Raises
    ------
    ValueError
        For angles that are out of bounds or do not rise, another shape of `r`, a negative `s`, flat poles that are not
        smooth, and searches that end without a spline.

    >>> u, v = cp.linspace(0.2, 2.9, 8), cp.linspace(0, 6, 10)
    >>> spline = cp.scipy.interpolate.RectSphereBivariateSpline(u, v, cp.cos(u)[:, None] + 0 * v)
    >>> spline(u[3], v[4]).round(3), cp.cos(u[3]).round(3)
    (array([[0.212]]), array(0.212))
    """

    def __init__(
        self,
        u: ArrayLike,
        v: ArrayLike,
        r: ArrayLike,
        s: float = 0.0,
        pole_continuity: Any = False,
        pole_values: Any = None,
        pole_exact: Any = False,
        pole_flat: Any = False,
    ) -> None:
        u, v, r = real(u).reshape(-1), real(v).reshape(-1), real(r)
        values = (None, None) if pole_values is None else pole_values
        values = (values, values) if isinstance(values, (float, np.floating)) else tuple(values)
        smooth, exact, flat = _pair(pole_continuity), _pair(pole_exact), _pair(pole_flat)
        if not (float(u[0]) > 0.0 and float(u[-1]) < math.pi):
            raise ValueError("u should be between (0, pi)")
        if not -math.pi <= float(v[0]) < math.pi:
            raise ValueError("v[0] should be between [-pi, pi)")
        if not float(v[-1]) <= float(v[0]) + _TURN:
            raise ValueError("v[-1] should be v[0] + 2pi or less ")
        if any_of(u[1:] <= u[:-1]):
            raise ValueError("u must be strictly increasing")
        if any_of(v[1:] <= v[:-1]):
            raise ValueError("v must be strictly increasing")
        if u.shape[0] != r.shape[0]:
            raise ValueError("u dimension of r must have same number of elements as u")
        if v.shape[0] != r.shape[1]:
            raise ValueError("v dimension of r must have same number of elements as v")
        if any(not smooth[i] and flat[i] for i in (0, 1)):
            raise ValueError("if pole_continuity is False, so must be pole_flat")
        if not s >= 0.0:
            raise ValueError("s should be positive")
        north, south = (_Pole(values[i], bool(exact[i]), bool(smooth[i]), bool(flat[i])) for i in (0, 1))
        # The fewest values that fix the polynomial of three degrees and what is known at the poles.
        fewest = 4 - sum((pole.value is not None) + (pole.is_smooth and pole.is_flat) for pole in (north, south))
        if u.shape[0] < max(fewest, 1) or v.shape[0] < 4 or float(v[-1]) == float(v[0]) + _TURN:
            raise ValueError("\nERROR: on entry, the input data are controlled on validity.")
        data = _SphereGrid(u, v, r, (north, south))
        tu, tv, found, code = (*data.through(), -1) if s == 0 else data.smooth(float(s))
        if code > 0:
            raise ValueError(_MESSAGES.get(code, f"ier={code}"))
        self.fp = 0.0 if code == -1 else found.fp
        self.tck, self.degrees, self.v0 = (tu, tv, found.c), (3, 3), float(v[0])

    def __call__(self, theta: ArrayLike, phi: ArrayLike, dtheta: int = 0, dphi: int = 0, grid: bool = True) -> ndarray:
        """The values, or derivatives of the orders `dtheta` and `dphi`; see `BivariateSpline`."""
        theta, phi = as_device(theta), as_device(phi)
        _check_angles(theta, math.pi, "requested theta out of bounds.")
        if grid:
            # Here for the message only: pairs are points, too.
            for name, values in (("x", theta), ("y", phi)):
                if values.size >= 2 and any_of(values[1:] < values[:-1]):
                    raise ValueError(f"{name} must be strictly increasing when `grid` is True")
            theta, phi = theta.reshape(-1, 1), phi.reshape(1, -1)
        if (dtheta or dphi) and not (0 <= dtheta < 3 and 0 <= dphi < 3):
            raise ValueError(f"Error code returned by {'parder' if grid else 'pardeu'}: 10")
        phi = around(phi, self.v0)
        return _surface(theta, phi, *self.tck, degrees=self.degrees, nu=(dtheta, dphi))


__all__ = ["RectSphereBivariateSpline"]
