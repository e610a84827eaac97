"""Smoothing splines: as few knots as a bound of the residuals allows, and the smoothest spline that meets it.

Dierckx's algorithm (1975, 1982): knots are added where the residuals are large; then a parameter between the
residuals and the jumps of the highest derivative is found by rational interpolation. All sums and systems are on the
device; the host reads the sum of the residuals once an iteration.
"""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ... import _cuproxide as _core
from ... import allclose, concatenate, stack
from ..._cuproxide import ndarray
from ..._lib.arguments import as_device
from ..._typing import ArrayLike
from ._bspline import BSpline
from ._common import any_of, real, ufuncs
from ._interp_spline import make_interp_spline
from ._knots import not_a_knot, periodic_knots
from ._least_squares import Data, Triangle, check_fixed_knots, with_more_knots

TOLERANCE = 1e-3
_MOST_ITERATIONS = 20

_IMPOSSIBLE = """error. a theoretically impossible result was found during
the iteration process for finding a smoothing spline with
fp = s. probably causes : s too small.
"""
MESSAGES = {
    1: _IMPOSSIBLE + "the weighted sum of squared residuals is becoming NaN\n",
    2: _IMPOSSIBLE + "there is an approximation returned but the corresponding\nweighted sum of squared "
    "residuals does not satisfy the\n"
    "condition abs(fp-s)/s < tol.\n",
    3: "error. the maximal number of iterations maxit (set to 20\nby the program) allowed for finding "
    "a smoothing spline\n"
    "with fp=s has been reached. probably causes : s too small\nthere is an approximation returned "
    "but the corresponding\n"
    "weighted sum of squared residuals does not satisfy the\ncondition abs(fp-s)/s < tol.\n",
}


def _boundary_condition(bc_type: str | None) -> bool:
    """Whether splines are periodic."""
    if bc_type not in (None, "not-a-knot", "periodic"):
        raise ValueError(f"Only 'not-a-knot' and 'periodic' boundary conditions are recognised, found {bc_type}")
    return bc_type == "periodic"


class _Inputs(NamedTuple):
    x: ndarray
    y: ndarray
    w: ndarray
    k: int
    s: float
    xb: float
    xe: float


def _validated(
    x: ArrayLike,
    y: ArrayLike,
    w: ArrayLike | None,
    k: int,
    s: float,
    xb: Any,
    xe: Any,
    parametric: bool,
    periodic: bool,
) -> _Inputs:
    x, y = real(x), real(y)
    if w is None:
        w = _core.full(x.shape, 1.0, np.float64)
    else:
        w = real(w)
        if w.ndim != 1:
            raise ValueError(f"w.ndim = {w.ndim!r} not implemented yet.")
        if any_of(w < 0):
            raise ValueError("Weights must be non-negative")
        if float(w.sum()) == 0:
            raise ValueError("All weights are zero.")
    if y.ndim == 0 or y.ndim > 2:
        raise ValueError(f"y.ndim = {y.ndim!r} not supported (must be 1 or 2.)")
    if parametric:
        if y.ndim != 2:
            raise ValueError(f"y.ndim = {y.ndim!r} != 2 not supported with parametric ={parametric!r}.")
    else:
        if y.ndim != 1:
            raise ValueError(f"y.ndim = {y.ndim!r} != 1 not supported with parametric ={parametric!r}.")
        y = y[:, None]
    if w.shape[0] != x.shape[0]:
        raise ValueError(f"Weights is incompatible: w.shape ={w.shape!r} != {x.shape}.")
    if x.shape[0] != y.shape[0]:
        raise ValueError(f"Data is incompatible: x.shape = {x.shape!r} and y.shape = {y.shape!r}.")
    if x.ndim != 1 or any_of(x[1:] < x[:-1]):
        raise ValueError("Expect `x` to be an ordered 1D sequence.")
    k = operator.index(k)
    if k < 0:
        raise ValueError(f"`k` must be non-negative. Got k = {k!r}")
    if s < 0:
        raise ValueError(f"`s` must be non-negative. Got s = {s!r}")
    xb = float(x.min()) if xb is None else float(xb)
    xe = float(x.max()) if xe is None else float(xe)
    if periodic and not bool(allclose(y[0], y[-1], atol=1e-15)):
        raise ValueError("First and last points does not match which is required for `bc_type='periodic'`.")
    return _Inputs(x, y, w, k, s, xb, xe)


def fewest_knots(xb: float, xe: float, degree: int) -> ndarray:
    """The knots of a polynomial."""
    return as_device(np.array([xb] * (degree + 1) + [xe] * (degree + 1), dtype=np.float64))


def fewest_periodic_knots(data: Data, xb: float, xe: float) -> ndarray:
    """The knots of a constant."""
    degree, period = data.degree, xe - xb
    before = [float(data.x[0]) - (degree - i) * period for i in range(degree + 1)]
    after = [float(data.x[-1]) + i * period for i in range(degree + 1)]
    return as_device(np.array(before + after))


def wrapped_knots(inner: ndarray, degree: int, xb: float, xe: float) -> ndarray:
    """Knots of a periodic spline from those between the ends."""
    ends = as_device(np.array([xb, xe]))
    base = concatenate([ends[:1], inner, ends[1:]])
    period, count = xe - xb, base.shape[0] - 1
    turns = np.arange(1, degree + 1)
    before = base[as_device((-turns) % count)] + as_device(np.floor(-turns / count) * period)
    after = base[as_device(turns % count)] + as_device(np.floor_divide(turns, count) * period) + period
    return concatenate([before[::-1], base, after])


def first_periodic_knots(data: Data, xb: float, xe: float) -> ndarray:
    """One knot, at the point in the middle."""
    return wrapped_knots(data.x[(data.x.shape[0] + 1) // 2 - 1 :][:1], data.degree, xb, xe)


def _knots(data: Data, xb: float, xe: float, s: float, nest: int | None, periodic: bool) -> Iterator[ndarray]:
    """Sets of knots, each with more of them, until the residuals are below `s`."""
    degree, m = data.degree, data.x.shape[0]
    most = m + 2 * degree if periodic else m + degree + 1
    fewest = 2 * (degree + 1)
    if nest is None:
        nest = max(most, 2 * degree + 3)
    elif nest < fewest:
        raise ValueError(f"`nest` too small: nest = {nest!r} < 2*(k+1) = {fewest}.")
    acc = s * TOLERANCE
    fp = fpold = 0.0
    more = 1
    if periodic:
        t = fewest_periodic_knots(data, xb, xe)
        fp = float(data.fit(t).total)
        if fp - s < acc or most == fewest:
            yield t
            return
        t = first_periodic_knots(data, xb, xe)
    else:
        t = fewest_knots(xb, xe, degree)
    for _ in range(m):
        if periodic:
            t = wrapped_knots(t[degree + 1 : -degree - 1], degree, xb, xe)
        n = t.shape[0]
        yield t
        fpold = fp
        found = data.fit(t)
        fp = float(found.total)
        if math.isnan(fp):
            raise ValueError(MESSAGES[1])
        excess = fp - s
        if abs(excess) < acc or excess < 0:
            return
        if n == fewest:
            more = 1
        else:
            gain = fpold - fp
            guess = int(more * excess / gain) if gain > acc else more * 2
            more = min(more * 2, max(guess, more // 2, 1))
        for j in range(more):
            before = t.shape[0]
            t = with_more_knots(data, t, found.residuals, 1)
            if t.shape[0] == before:
                yield t
                return
            if t.shape[0] >= most:
                yield periodic_knots(data.x, degree) if periodic else not_a_knot(data.x, degree)
                return
            if t.shape[0] >= nest:
                yield t
                return
            if j < more - 1:
                found = data.fit(t)


def generate_knots(
    x: ArrayLike,
    y: ArrayLike,
    *,
    w: ArrayLike | None = None,
    xb: float | None = None,
    xe: float | None = None,
    k: int = 3,
    s: float = 0,
    nest: int | None = None,
    bc_type: str | None = None,
) -> Iterator[ndarray]:
    """Sets of knots for `make_lsq_spline`, each with more of them, until the residuals are small.

    Parameters
    ----------
    x, y : arrays of shape (m,)
        Points, rising, and values, or (m, d) for curves.
    xb, xe : float, optional
        The ends of the base.
    s : float
        The bound of the sum of the squared weighted residuals; 0 gives the knots of interpolation.

    Returns
    -------
    Iterator[ndarray]

    >>> x = cp.linspace(0, 6, 30)
    >>> [len(t) for t in cp.scipy.interpolate.generate_knots(x, cp.sin(x), s=1e-2)]
    [8, 9, 11]
    """
    periodic = _boundary_condition(bc_type)
    if s == 0:
        if nest is not None or w is not None:
            raise ValueError("s == 0 is interpolation only")
        x = real(x)
        yield periodic_knots(x, k) if periodic and k > 1 else not_a_knot(x, k)
        return
    parametric = as_device(y).ndim == 2
    given = _validated(x, y, w, k, s, xb, xe, parametric, periodic)
    data = Data(given.x, given.y, given.w, given.k, periodic)
    yield from _knots(data, given.xb, given.xe, given.s, nest, periodic)


class Root(NamedTuple):
    """What the search for a parameter found; `code` is FITPACK's `ier`."""

    root: float
    code: int


def rational_root(
    f: Callable[[float], float], p: float, f1: float, f3: float, acc: float, most: int = _MOST_ITERATIONS
) -> Root:
    """A zero of a convex falling function of p from 0, where it is `f1`, to infinity, where it is `f3`.

    By interpolation with (u p + v) / (p + w), as Dierckx does.
    """
    p1, p3, high, low = 0.0, math.inf, False, False
    for _ in range(most):
        p2, f2 = p, f(p)
        if abs(f2) < acc:
            return Root(p, 0)
        if not low:
            if f2 - f3 <= acc:
                # Too close to infinity.
                p3, f3 = p2, f2
                p *= 0.04
                if p <= p1:
                    p = p1 * 0.9 + p2 * 0.1
                continue
            if f2 < 0:
                low = True
        if not high:
            if f1 - f2 <= acc:
                # Too close to 0.
                p1, f1 = p2, f2
                p /= 0.04
                if p3 != math.inf and p >= p3:
                    p = p2 * 0.1 + p3 * 0.9
                continue
            if f2 > 0:
                high = True
        if f1 <= f2 or f2 <= f3:
            return Root(p, 2)
        h1, h2, h3 = f1 * (f2 - f3), f2 * (f3 - f1), f3 * (f1 - f2)
        if p3 == math.inf:
            p = -(p2 * h1 + p1 * h2) / h3
        else:
            p = -(p1 * p2 * h3 + p2 * p3 * h1 + p1 * p3 * h2) / (p1 * h1 + p2 * h2 + p3 * h3)
        if f2 < 0:
            p3, f3 = p2, f2
        else:
            p1, f1 = p2, f2
    return Root(p, 3)


class Smoothed(NamedTuple):
    """Coefficients, the sum of the squared residuals and FITPACK's code."""

    c: ndarray
    fp: float
    code: int


def smoothest(data: Data, t: ndarray, triangle: Triangle, f1: float, fpinf: float, s: float) -> Smoothed:
    """The spline with the knots `t` whose residuals sum up to `s`."""
    kept: dict[str, Any] = {}

    def excess(p: float) -> float:
        found = data.smooth(t, triangle, p)
        kept["c"], kept["fp"] = found.c, float(found.total)
        return kept["fp"] - s

    size = triangle.r.shape[0] + triangle.corner.shape[0]
    found = rational_root(excess, size / float(triangle.diagonal_sum()), f1, fpinf, s * TOLERANCE)
    return Smoothed(kept["c"], kept["fp"], found.code)


def _smoothing_spline(given: _Inputs, t: ndarray | None, nest: int | None, periodic: bool) -> BSpline:
    """The spline whose coefficients are a column for each value of a vector."""
    data = Data(given.x, given.y, given.w, given.k, periodic)
    degree, s = given.k, given.s
    if nest is not None:
        if nest < 2 * (degree + 1):
            raise ValueError(f"`nest` too small: nest = {nest!r} < 2*(k+1) = {2 * (degree + 1)}.")
        if t is not None:
            raise ValueError("Either supply `t` or `nest`.")
    if t is None:
        *_, t = _knots(data, given.xb, given.xe, s, nest, periodic)
    else:
        wrong = check_fixed_knots(given.x, t, degree, periodic)
        if wrong:
            raise ValueError(wrong)
    fit = data.fit(t)
    if t.shape[0] == 2 * (degree + 1):
        return BSpline(t, fit.c, degree)
    coarse = fewest_periodic_knots(data, given.xb, given.xe) if periodic else fewest_knots(given.xb, given.xe, degree)
    f1 = float(data.fit(coarse).total) - s
    found = smoothest(data, t, fit.triangle, f1, float(fit.total) - s, s)
    if found.code:
        warnings.warn(RuntimeWarning(MESSAGES[found.code]), stacklevel=4)
    return BSpline(t, found.c, degree)


def make_splrep(
    x: ArrayLike,
    y: ArrayLike,
    *,
    w: ArrayLike | None = None,
    xb: float | None = None,
    xe: float | None = None,
    k: int = 3,
    s: float = 0,
    t: ArrayLike | None = None,
    nest: int | None = None,
    bc_type: str | None = None,
) -> BSpline:
    """A smoothing spline of values: few knots, and residuals that sum up to `s`.

    Parameters
    ----------
    x, y : arrays of shape (m,)
        Points, rising, and values.
    xb, xe : float, optional
        The ends of the base.
    s : float
        The sum of the squared weighted residuals; 0 interpolates.
    t : array, optional
        Knots to start from.

    >>> x = cp.linspace(0, 6, 30)
    >>> spline = cp.scipy.interpolate.make_splrep(x, cp.sin(x), s=1e-2)
    >>> bool(((spline(x) - cp.sin(x)) ** 2).sum() < 1.001e-2)
    True
    """
    periodic = _boundary_condition(bc_type)
    if s == 0:
        if t is not None or w is not None or nest is not None:
            raise ValueError("s==0 is for interpolation only")
        return make_interp_spline(x, y, k=k, bc_type=bc_type)
    given = _validated(x, y, w, k, s, xb, xe, False, periodic)
    spline = _smoothing_spline(given, None if t is None else real(t), nest, periodic)
    spline.c = spline.c[:, 0]
    return spline


def chord_lengths(points: ndarray) -> ndarray:
    """The parameters of points (m, d) by the lengths between them, from 0 to 1."""
    steps = points[1:] - points[:-1]
    lengths = ufuncs["sqrt"]((steps * steps).sum(1)).cumsum()
    return concatenate([_core.zeros((1,), np.float64), lengths / lengths[-1]])


def make_splprep(
    x: Any,
    *,
    w: ArrayLike | None = None,
    u: ArrayLike | None = None,
    ub: float | None = None,
    ue: float | None = None,
    k: int = 3,
    s: float = 0,
    t: ArrayLike | None = None,
    nest: int | None = None,
    bc_type: str | None = None,
) -> tuple[BSpline, ndarray]:
    """A smoothing spline of a curve: few knots, and residuals that sum up to `s`.

    Parameters
    ----------
    x : list of arrays of shape (m,)
        The coordinates of points on the curve.
    ub, ue : float, optional
        The ends of the base.

    Returns
    -------
    spline : BSpline
        Its values have the coordinates along the first axis.
    u : array of shape (m,)
        The parameters.

    >>> a = cp.linspace(0, 3, 20)
    >>> spline, u = cp.scipy.interpolate.make_splprep([cp.cos(a), cp.sin(a)])
    >>> spline(0.0).round(10)
    array([1., 0.])
    """
    periodic = _boundary_condition(bc_type)
    points = stack([real(part) for part in x], axis=1)
    u = chord_lengths(points) if u is None else as_device(u)
    if s == 0:
        if t is not None or w is not None or nest is not None:
            raise ValueError("s==0 is for interpolation only")
        return make_interp_spline(u, points.T, k=k, axis=1), u
    given = _validated(u, points, w, k, s, ub, ue, True, periodic)
    spline = _smoothing_spline(given, None if t is None else real(t), nest, periodic)
    return BSpline(spline.t, spline.c.T, spline.k, axis=1), given.x


__all__ = ["generate_knots", "make_splprep", "make_splrep"]
