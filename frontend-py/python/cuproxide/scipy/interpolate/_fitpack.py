"""The functions with FITPACK's names: splines as tuples (t, c, k) of knots, coefficients and degree."""

from __future__ import annotations

import math
import warnings
from typing import Any, NamedTuple

import numpy as np

from ... import _cuproxide as _core
from ... import concatenate, stack
from ..._cuproxide import ndarray
from ..._lib.arguments import as_device
from ..._typing import ArrayLike
from ._basis import basis_rows, intervals, spline_values
from ._bspline import BSpline, differentiated, integrated, with_knot
from ._common import any_of, numbers, padded, point_values, real
from ._interp_spline import make_interp_spline
from ._knots import not_a_knot, periodic_knots
from ._least_squares import Data, check_fixed_knots, with_more_knots
from ._piecewise import PPoly
from ._smoothing import (
    TOLERANCE,
    chord_lengths,
    fewest_knots,
    fewest_periodic_knots,
    first_periodic_knots,
    smoothest,
    wrapped_knots,
)

MESSAGES = {
    0: "The spline has a residual sum of squares fp such that abs(fp-s)/s<=0.001",
    -1: "The spline is an interpolating spline (fp=0)",
    -2: "The spline is weighted least-squares polynomial of degree k.\nfp gives the upper bound fp0 for the smoothing "
    "factor s",
    1: "The required storage space exceeds the available storage space.\nProbable causes: data (x,y) "
    "size is too small or "
    "smoothing parameter\ns is too small (fp>s).",
    2: "A theoretically impossible result when finding a smoothing spline\nwith fp = s. Probable cause: s too small. "
    "(abs(fp-s)/s>0.001)",
    3: "The maximal number of iterations (20) allowed for finding smoothing\nspline with fp=s has been "
    "reached. Probable "
    "cause: s too small.\n(abs(fp-s)/s>0.001)",
    10: "Error on input data",
}


class Curve(NamedTuple):
    """A fitted spline: knots, coefficients (n, d), residuals, FITPACK's code, and what a later call goes on from."""

    t: ndarray
    c: ndarray
    fp: float
    code: int
    fp0: float = 0.0
    fpold: float = 0.0
    more: int = 0


def fit_curve(
    data: Data, s: float, xb: float, xe: float, nest: int, before: Curve | None = None, knots: ndarray | None = None
) -> Curve:
    """A smoothing spline as FITPACK finds it: knots are added several at a time; `before` is a fit to go on from.

    With `knots` those are used as they are. Periodic splines have `data.periodic`.
    """
    if knots is not None:
        found = data.fit(knots)
        return Curve(knots, found.c, float(found.total), 0)
    degree, m, periodic = data.degree, data.x.shape[0], data.periodic
    most, fewest = (m + 2 * degree if periodic else m + degree + 1), 2 * (degree + 1)
    if s == 0:
        if most > nest:
            return Curve(fewest_knots(xb, xe, degree), _core.zeros((0, data.y.shape[1]), np.float64), 0.0, 1)
        return _through(data, xb, xe)
    acc = s * TOLERANCE
    code, fp0, fpold, more, t = 0, 0.0, 0.0, 0, None
    if before is not None and before.t.shape[0] > fewest and before.fp0 > s:
        # After a pause for more room one knot comes next, as after a polynomial.
        t, code, fp0, fpold, more = before.t, before.code, before.fp0, before.fpold, before.more
    if t is None:
        t = fewest_periodic_knots(data, xb, xe) if periodic else fewest_knots(xb, xe, degree)
    if periodic and t.shape[0] == fewest:
        found = data.fit(t)
        fp0 = float(found.total)
        if fp0 - s < acc or most == fewest:
            return Curve(t, found.c, fp0, -2, fp0)
        if fewest >= nest:
            return Curve(t, found.c, fp0, 1, fp0)
        fpold, more, t = fp0, 1, first_periodic_knots(data, xb, xe)
    for _ in range(m):
        if t.shape[0] == fewest:
            code = -2
        if t.shape[0] == most:
            t = _interpolating_knots(data, xb, xe)
        found = data.fit(t)
        fp = float(found.total)
        if code == -2:
            fp0 = fp
        excess = fp - s
        result = Curve(t, found.c, fp, code, fp0, fpold, more)
        if abs(excess) < acc or (excess < 0 and code == -2):
            return result
        if excess < 0:
            break
        if t.shape[0] == most:
            return result._replace(code=-1)
        if t.shape[0] == nest:
            return result._replace(code=1)
        if code != 0:
            more, code = 1, 0
        else:
            gain = fpold - fp
            guess = int(more * excess / gain) if gain > acc else more * 2
            more = min(more * 2, max(guess, more // 2, 1))
        fpold = fp
        wanted = min(more, most - t.shape[0], nest - t.shape[0])
        longer = with_more_knots(data, t, found.residuals, wanted, last=m - 1, circular=periodic)
        if longer.shape[0] == t.shape[0]:
            return result._replace(code=1)
        t = wrapped_knots(longer[degree + 1 : -degree - 1], degree, xb, xe) if periodic else longer
    smooth = smoothest(data, t, found.triangle, fp0 - s, fp - s, s)
    return Curve(t, smooth.c, smooth.fp, smooth.code, fp0, fpold, more)


def _interpolating_knots(data: Data, xb: float, xe: float) -> ndarray:
    """As many knots as a spline through all points needs."""
    degree, x = data.degree, data.x
    if data.periodic:
        return periodic_knots(x, degree)
    t = not_a_knot(x, degree)
    t[: degree + 1] = xb
    t[-degree - 1 :] = xe
    return t


def _through(data: Data, xb: float, xe: float) -> Curve:
    """The spline through all points."""
    t = _interpolating_knots(data, xb, xe)
    if not data.periodic:
        c = make_interp_spline(data.x, data.y, data.degree, t=t, check_finite=False).c
    elif data.degree == 1:
        c = data.fit(t).c
    else:
        c = make_interp_spline(data.x, data.y, data.degree, bc_type="periodic").c
    # A spline that is NaN has no residual of 0.
    return Curve(t, c, math.nan if any_of(c != c) else 0.0, -1)


def _with_zeros(c: ndarray, n: int) -> ndarray:
    """Coefficients, with zeros up to `n` of them."""
    return concatenate([c, _core.zeros((n - c.shape[0], *c.shape[1:]), c.dtype)]) if n > c.shape[0] else c


def _report(found: Curve, tck: Any, full_output: Any, quiet: Any, k: int, m: int, s: float) -> Any:
    """What the functions return or raise for a code."""
    code = found.code
    message = MESSAGES[code]
    if code <= 0 and not quiet:
        text = f"{message}\tk={k} n={found.t.shape[0]} m={m} fp={found.fp} s={s}"
        warnings.warn(RuntimeWarning(text), stacklevel=3)
    if code > 0 and not full_output:
        if code == 10:
            raise ValueError(message)
        warnings.warn(RuntimeWarning(message), stacklevel=3)
    return (tck, found.fp, code, message) if full_output else tck


_FAILED = MESSAGES[10]


def splrep(
    x: ArrayLike,
    y: ArrayLike,
    w: ArrayLike | None = None,
    xb: float | None = None,
    xe: float | None = None,
    k: int = 3,
    task: int = 0,
    s: float | None = None,
    t: ArrayLike | None = None,
    full_output: int = 0,
    per: int = 0,
    quiet: int = 1,
) -> Any:
    """A spline near to points, or through them.

    Parameters
    ----------
    x, y : arrays of shape (m,)
        Points, rising, and values.
    xb, xe : float, optional
        The ends of the base.
    task : int
        0 finds knots; -1 uses those in `t`. (1, to continue an earlier call, is not possible, as in SciPy.)
    s : float, optional
        The sum of the squared weighted residuals: by default 0, or `m - sqrt(2 m)` with weights.
    t : array, optional
        Inner knots.

    Returns
    -------
    tck : tuple
        Knots, coefficients (as many, with zeros behind) and degree.

    >>> x = cp.arange(5.0)
    >>> cp.scipy.interpolate.splev(2.5, cp.scipy.interpolate.splrep(x, x**2)).round(10)
    array(6.25)
    """
    x, y = (value.reshape(-1) if value.ndim == 0 else value for value in (real(x), real(y)))
    m = len(x)
    if w is None:
        w = _core.full((m,), 1.0, np.float64)
        s = 0.0 if s is None else s
    else:
        w = real(w)
        s = m - math.sqrt(2 * m) if s is None else s
    if len(w) != m:
        raise TypeError(f"len(w)={len(w)} is not equal to m={m}")
    if m != len(y):
        raise TypeError("Lengths of the first three arguments (x,y,w) must be equal")
    if not 1 <= k <= 5:
        raise TypeError(f"Given degree of the spline (k={k}) is not supported. (1<=k<=5)")
    if m <= k:
        raise TypeError("m > k must hold")
    if not -1 <= task <= 1:
        raise TypeError("task must be -1, 0 or 1")
    if t is not None:
        task = -1
    if task == -1 and t is None:
        raise TypeError("Knots must be given for task=-1")
    if task == 1:
        raise TypeError("must call with task=1 only after call with task=0,-1")
    if x.ndim != 1 or y.ndim != 1:
        raise ValueError(f"x and y must be one-dimensional, got the shapes {x.shape} and {y.shape}")
    xb = float(x[0]) if xb is None or per else float(xb)
    xe = float(x[-1]) if xe is None or per else float(xe)
    if s < 0 or _is_bad(x, w, xb, xe, bool(per)):
        raise ValueError(_FAILED)
    data = Data(x, y[:, None], w, k, bool(per))
    knots = None
    if t is not None:
        inner = real(t)
        ends = as_device(np.array([xb, xe]))
        knots = wrapped_knots(inner, k, xb, xe) if per else padded(ends[:1], k + 1, inner, ends[1:], k + 1)
        if check_fixed_knots(x, knots, k, bool(per)):
            raise ValueError(_FAILED)
    found = fit_curve(data, float(s), xb, xe, max(m + (2 * k if per else k + 1), 2 * k + 3), knots=knots)
    tck = (found.t, _with_zeros(found.c[:, 0], found.t.shape[0]), k)
    return _report(found, tck, full_output, quiet, k, m, s)


def _is_bad(x: ndarray, w: ndarray, xb: float, xe: float, periodic: bool) -> bool:
    """FITPACK's checks of points and weights."""
    steps = x[1:] - x[:-1]
    disorder = steps <= 0 if periodic else steps < 0
    return bool(disorder.any() | (w[: x.shape[0] - periodic] <= 0).any() | (x[0] < xb) | (x[-1] > xe))


def splprep(
    x: Any,
    w: ArrayLike | None = None,
    u: ArrayLike | None = None,
    ub: float | None = None,
    ue: float | None = None,
    k: int = 3,
    task: int = 0,
    s: float | None = None,
    t: ArrayLike | None = None,
    full_output: int = 0,
    nest: int | None = None,
    per: int = 0,
    quiet: int = 1,
) -> Any:
    """A spline curve near to points, or through them.

    Parameters
    ----------
    x : list of arrays of shape (m,)
        The coordinates of the points.
    ub, ue : float, optional
        The ends of the base.
    task : int
        0 finds knots; -1 uses those in `t`.
    t : array, optional
        All knots, for `task=-1`.
    per : bool
        Whether the curve is closed.

    Returns
    -------
    tck : list
        Knots, a list with the coefficients of each coordinate, and the degree.
    u : array of shape (m,)
        The parameters.

    >>> a = cp.linspace(0, 3, 20)
    >>> tck, u = cp.scipy.interpolate.splprep([cp.cos(a), cp.sin(a)], s=0)
    >>> [value.round(10).item() for value in cp.scipy.interpolate.splev(0.0, tck)]
    [1.0, 0.0]
    """
    points = real(x) if isinstance(x, (ndarray, np.ndarray)) else stack([real(part) for part in x])
    if points.ndim == 1:
        points = points[None]
    dimensions, m = points.shape
    if per:
        for d in range(dimensions):
            if bool(points[d, 0] != points[d, -1]):
                if not quiet:
                    warnings.warn(RuntimeWarning(f"Setting x[{d}][{m}]=x[{d}][0]"), stacklevel=2)
                points = concatenate([points[:, :-1], points[:, :1]], axis=1)
                break
    if not 0 < dimensions < 11:
        raise TypeError("0 < idim < 11 must hold")
    w = _core.full((m,), 1.0, np.float64) if w is None else real(w)
    if not 1 <= k <= 5:
        raise TypeError(f"1 <= k= {k} <=5 must hold")
    if not -1 <= task <= 1:
        raise TypeError("task must be -1, 0 or 1")
    if len(w) != m or (u is not None and len(u) != m):
        raise TypeError("Mismatch of input dimensions")
    s = m - math.sqrt(2 * m) if s is None else s
    if task == -1 and t is None:
        raise TypeError("Knots must be given for task=-1")
    if task == 1:
        raise TypeError("must call with task=1 only after call with task=0,-1")
    if task == -1 and len(t) < 2 * k + 2:
        raise TypeError("There must be at least 2*k+2 knots for task=-1")
    if m <= k:
        raise TypeError("m > k must hold")
    if nest is None:
        nest = m + 2 * k
    if (task >= 0 and s == 0) or nest < 0:
        nest = m + 2 * k if per else m + k + 1
    nest = max(nest, 2 * k + 3)
    y = points.T
    u = chord_lengths(y) if u is None else real(u)
    ub = float(u[0]) if ub is None or per else float(ub)
    ue = float(u[-1]) if ue is None or per else float(ue)
    if s < 0 or _is_bad(u, w, ub, ue, bool(per)) or any_of(u != u):
        raise ValueError("Invalid inputs.")
    data = Data(u, y, w, k, bool(per))
    knots = None
    if task == -1:
        ends = as_device(np.array([ub, ue]))
        inner = real(t)[k + 1 : -k - 1]
        knots = wrapped_knots(inner, k, ub, ue) if per else padded(ends[:1], k + 1, inner, ends[1:], k + 1)
        if check_fixed_knots(u, knots, k, bool(per)):
            raise ValueError("Invalid inputs.")
    found = fit_curve(data, float(s), ub, ue, nest, knots=knots)
    tck = [found.t, [found.c[:, d] for d in range(dimensions)], k]
    return _report(found, (tck, u), full_output, quiet, k, m, s)


def _is_parametric(c: Any) -> bool:
    return (c.ndim > 1) if hasattr(c, "ndim") else np.ndim(c[0]) > 0 or hasattr(c[0], "shape") and c[0].ndim > 0


_OUTSIDE = {0: True, 1: "zeros", 2: False, 3: "constant"}


def splev(x: ArrayLike, tck: Any, der: int = 0, ext: int = 0) -> Any:
    """The values, or derivatives of order `der`, of a spline at `x`; a list of them for a curve.

    `tck` is a tuple of knots, coefficients and degree, or a `BSpline`. `ext` is what stands outside: 0 the pieces
    at the ends, 1 zero, 2 a `ValueError`, 3 the values at the ends (derivatives as
    for 0).

    >>> tck = (cp.asarray([0.0, 0.0, 1.0, 1.0]), cp.asarray([1.0, 3.0]), 1)
    >>> cp.scipy.interpolate.splev(cp.asarray([0.5, 2.0]), tck)
    array([2., 5.])
    """
    if isinstance(tck, BSpline):
        if tck.c.ndim > 1:
            raise ValueError(
                "Calling splev() with BSpline objects with c.ndim > 1 is not allowed. Use BSpline.__call__(x) instead."
            )
        if ext != 0:
            raise ValueError(f"Extrapolation mode {ext} is not supported by BSpline.")
        return tck(x, der, extrapolate=True)
    t, c, k = tck
    if _is_parametric(c):
        return [splev(x, (t, part, k), der, ext) for part in c]
    if not 0 <= der <= k:
        raise ValueError(f"0<=der={der}<=k={k} must hold")
    if ext not in list(_OUTSIDE):
        raise ValueError(f"ext = {ext} not in (0, 1, 2, 3) ")
    t, c, x = real(t), numbers(c), point_values(x)
    if ext == 2:
        at = as_device(x)
        if any_of((at < t[k]) | (at > t[-k - 1])):
            raise ValueError("Found x value not in the domain")
    # FITPACK knows no constant derivatives.
    return spline_values(x, t, c, k, der, True if der and ext == 3 else _OUTSIDE[ext])


def splint(a: float, b: float, tck: Any, full_output: int = 0) -> Any:
    """The integral of a spline from `a` to `b`, which is 0 outside its base; a list of them for a curve.

    With `full_output` the integrals of the B-splines are returned, too.

    Parameters
    ----------
    full_output : bool
        Taken for compatibility.

    >>> cp.scipy.interpolate.splint(0, 1, ([0.0, 0.0, 1.0, 1.0], [1.0, 3.0], 1))
    array(2.)
    """
    if isinstance(tck, BSpline):
        if tck.c.ndim > 1:
            raise ValueError(
                "Calling splint() with BSpline objects with c.ndim > 1 is not allowed. Use BSpline.integrate() instead."
            )
        return tck.integrate(a, b, extrapolate=False)
    t, c, k = tck
    if _is_parametric(c):
        return [splint(a, b, (t, part, k)) for part in c]
    t, c = real(t), real(c)
    total = BSpline.construct_fast(t, c, k).integrate(a, b, extrapolate=False)
    if not full_output:
        return total
    return total, _basis_integrals(float(a), float(b), t, k)


def _basis_integrals(a: float, b: float, t: ndarray, k: int) -> ndarray:
    """The integral of each B-spline, from those of one degree more at the ends; zeros behind."""
    n = t.shape[0] - k - 1
    low, high = float(t[k]), float(t[n])
    wide = concatenate([t[:1], t, t[-1:]])
    number = _core.arange(0, 1, k + 2, np.int64)
    sums = []
    for end in (a, b):
        at = _core.full((1,), min(max(end, low), high), np.float64)
        values = _core.zeros((n + 2,), np.float64)
        first = int(intervals(at, wide, k + 1)[0]) - (k + 1)
        values[first : first + k + 2] = basis_rows(at, wide, number, degree=k + 1, nu=0)
        sums.append(values[::-1].cumsum()[::-1][1 : n + 1])
    scaled = (sums[1] - sums[0]) * (t[k + 1 :] - t[:n]) * (1.0 / (k + 1))
    return _with_zeros(scaled, t.shape[0])


def sproot(tck: Any, mest: int = 10) -> Any:
    """The zeros of a cubic spline in its base, at most `mest`; a list of them for a curve.

    Parameters
    ----------
    mest : int
        Taken for compatibility.

    >>> x = cp.arange(6.0)
    >>> cp.scipy.interpolate.sproot(cp.scipy.interpolate.splrep(x, (x - 1.5) * (x - 3.25))).round(10)
    array([1.5 , 3.25])
    """
    t, c, k = tck.tck if isinstance(tck, BSpline) else tck
    if isinstance(tck, BSpline):
        if tck.c.ndim > 1:
            raise ValueError("Calling sproot() with BSpline objects with c.ndim > 1 is not allowed.")
    elif k == 3 and _is_parametric(c):
        return [sproot((t, part, k), mest) for part in c]
    if k != 3:
        raise ValueError("sproot works only for cubic (k=3) splines")
    t, c = real(t), real(c)
    n = t.shape[0]
    if n < 8:
        raise TypeError(f"The number of knots {n}>=8")
    inner = t[3 : n - 3]
    if any_of(t[:3] > t[1:4]) or any_of(t[-3:] < t[-4:-1]) or any_of(inner[1:] <= inner[:-1]):
        raise TypeError("Invalid input data. t1<=..<=t4<t5<..<tn-3<=..<=tn must hold.")
    rows = [spline_values(inner[:-1], t, c, 3, nu=m) * (1.0 / math.factorial(m)) for m in (3, 2, 1, 0)]
    found = PPoly.construct_fast(stack(rows), inner).roots(discontinuity=False, extrapolate=False)
    if found.size > mest:
        warnings.warn(RuntimeWarning("The number of zeros exceeds mest"), stacklevel=2)
    return found[:mest]


def spalde(x: ArrayLike, tck: Any) -> Any:
    """All derivatives of a spline at a point; a list of arrays for several points or for a curve.

    >>> cp.scipy.interpolate.spalde(0.5, ([0.0, 0.0, 1.0, 1.0], [1.0, 3.0], 1))
    array([2., 2.])
    """
    if isinstance(tck, BSpline):
        raise TypeError("spalde does not accept BSpline instances.")
    t, c, k = tck
    if _is_parametric(c):
        return [spalde(x, (t, part, k)) for part in c]
    t, c, x = real(t), real(c), real(x)
    if any_of((x < t[k]) | (x > t[-k - 1])):
        raise TypeError("Invalid input data. t(k)<=x<=t(n-k+1) must hold.")
    rows = stack([spline_values(x.reshape(-1), t, c, k, nu) for nu in range(k + 1)], axis=1)
    return rows[0] if rows.shape[0] == 1 else [rows[i] for i in range(rows.shape[0])]


def insert(x: float, tck: Any, m: int = 1, per: int = 0) -> Any:
    """The same spline with `m` more knots at `x`.

    `tck` is a tuple of knots, coefficients and degree, or a `BSpline`, of which one is returned.

    Parameters
    ----------
    x : float
        The knot.

    Returns
    -------
    tuple or BSpline

    Raises
    ------
    ValueError
        If `m` is below 1, or `x` outside the spline's interval.

    >>> t, c, k = cp.scipy.interpolate.insert(0.5, ([0.0, 0.0, 1.0, 1.0], [1.0, 3.0], 1))
    >>> t
    array([0. , 0. , 0.5, 1. , 1. ])
    """
    if m < 1:
        raise ValueError(f"m must be >= 1, got {m!r}")
    if isinstance(tck, BSpline):
        t, c = tck.t, tck.c
        if float(x) < float(t[tck.k]) or float(x) > float(t[-tck.k - 1]):
            raise ValueError("Invalid input data")
        return BSpline(*_inserted(float(x), t, c, tck.k, m, per), tck.k)
    t, c, k = tck
    if _is_parametric(c):
        parts = [insert(x, (t, part, k), m, per) for part in c]
        return parts[-1][0], [part[1] for part in parts], k
    t, c, x = real(t), real(c), float(x)
    if x < float(t[k]) or x > float(t[-k - 1]):
        raise ValueError("Invalid input data")
    length = c.shape[0]
    c = c[: t.shape[0] - k - 1]
    t, c = _inserted(x, t, c, k, m, per)
    return t, _with_zeros(c, length + m), k


def _inserted(x: float, t: ndarray, c: ndarray, k: int, m: int, per: Any) -> tuple[ndarray, ndarray]:
    for _ in range(m):
        try:
            t, c = with_knot(x, t, c, k, bool(per))
        except ValueError as error:
            raise ValueError("Invalid input data") from error
    return t, c


def _tuple_of(tck: Any) -> tuple[ndarray, ndarray, int]:
    t, c, k = tck
    t, c = real(t), numbers(c)
    return t, _with_zeros(c, t.shape[0]), k


def splder(tck: Any, n: int = 1) -> Any:
    """The derivative of order `n` of a spline, in the form that was given: a tuple or a `BSpline`.

    Returns
    -------
    tuple or BSpline

    >>> cp.scipy.interpolate.splder(([0.0, 0.0, 1.0, 1.0], [1.0, 3.0, 0.0, 0.0], 1))[1]
    array([2., 0.])
    """
    return tck.derivative(n) if isinstance(tck, BSpline) else differentiated(*_tuple_of(tck), n)


def splantider(tck: Any, n: int = 1) -> Any:
    """An antiderivative of order `n` of a spline, in the form that was given: a tuple or a `BSpline`.

    Returns
    -------
    tuple or BSpline

    >>> cp.scipy.interpolate.splantider(([0.0, 0.0, 1.0, 1.0], [1.0, 3.0, 0.0, 0.0], 1))[1]
    array([0. , 0.5, 2. , 2. , 2. , 2. ])
    """
    return tck.antiderivative(n) if isinstance(tck, BSpline) else integrated(*_tuple_of(tck), n)


__all__ = ["insert", "spalde", "splantider", "splder", "splev", "splint", "splprep", "splrep", "sproot"]
