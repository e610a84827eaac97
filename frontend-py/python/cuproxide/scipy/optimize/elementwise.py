"""Roots and minima of elementwise functions of one variable, all elements at once. See `scipy.optimize.elementwise`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_floating
from ..._lib.elementwise import BAD_INPUT, CONVERGED, GOING, NOT_FINITE, SIGN, bind, iterate, prepare
from ..._lib.results import Result

__all__ = ["bracket_minimum", "bracket_root", "find_minimum", "find_root"]

LIMITS = -1


def _check(
    f: Any, args: Any, kwargs: Any, tolerances: Any, maxiter: Any, callback: Any
) -> tuple[Any, Any, dict[str, Any]]:
    if not callable(f):
        raise ValueError("`func` must be callable.")
    f, args = bind(f, args, kwargs)
    given = {"xatol": None, "xrtol": None, "fatol": None, "frtol": None} | dict(tolerances or {})
    if set(given) != {"xatol", "xrtol", "fatol", "frtol"}:
        raise TypeError(f"unexpected tolerances {set(given) - {'xatol', 'xrtol', 'fatol', 'frtol'}}")
    numbers = np.asarray([1 if v is None else v for v in given.values()])
    if numbers.dtype.kind not in "iuf" or numbers.shape != (4,) or not np.all(numbers >= 0):
        raise ValueError("Tolerances must be non-negative scalars.")
    if maxiter is not None and (maxiter != int(maxiter) or maxiter < 0):
        raise ValueError("`maxiter` must be a non-negative integer.")
    if callback is not None and not callable(callback):
        raise ValueError("`callback` must be callable.")
    return f, args, given


def _named(result: Result, order: list[str]) -> Result:
    return Result({name: result[name] for name in order})


def find_root(
    f: Callable[..., Any],
    init: tuple[Any, Any],
    /,
    *,
    args: tuple[Any, ...] = (),
    kwargs: dict[str, Any] | None = None,
    tolerances: dict[str, float] | None = None,
    maxiter: int | None = None,
    callback: Callable[[Result], Any] | None = None,
) -> Result:
    """Roots between two points of opposite signs, by Chandrupatla's method.

    Parameters
    ----------
    init : (array_like, array_like)
        The ends of the intervals.
    args : tuple of array_like, optional
        Further arguments, broadcast with the ends.
    kwargs : dict of array_like, optional
        Further arguments by name, broadcast with the ends.
    tolerances : dict, optional
        `xatol`, `xrtol`, `fatol`, `frtol`.
    callback : callable, optional
        Called with the results after each iteration; `StopIteration` ends them.

    Returns
    -------
    Result
        With `success`, `status`, `x`, `f_x`, `nfev`, `nit`, `bracket`, `f_bracket`. The status is 0 (converged), -1
        (signs
        are the same), -2 (too many iterations), -3 (not finite) or -4 (stopped by the callback).

    >>> elementwise.find_root(lambda x, a: x**2 - a, (0.0, 10.0), args=(cp.array([2.0, 9.0]),)).x
    array([1.41421356, 3.        ])
    """
    f, args, tol = _check(f, args, kwargs, tolerances, maxiter, callback)
    func, (x1, x2), (f1, f2), extra, shape, dtype = prepare(f, init, args)
    limits = np.finfo(dtype)
    xatol = 4 * float(limits.smallest_normal) if tol["xatol"] is None else tol["xatol"]
    xrtol = 4 * float(limits.eps) if tol["xrtol"] is None else tol["xrtol"]
    fatol = float(limits.smallest_normal) if tol["fatol"] is None else tol["fatol"]
    frtol = (tol["frtol"] or 0) * cp.minimum(abs(f1), abs(f2))
    if maxiter is None:
        maxiter = math.log2(float(limits.max)) - math.log2(float(limits.smallest_normal))
    work = Result(
        x1=x1, f1=f1, x2=x2, f2=f2, x3=x2, f3=f2, t=cp.full_like(x1, 0.5), frtol=frtol, nit=0, nfev=2,
        status=cp.full(x1.shape, GOING, np.int32),
    )  # fmt: skip

    def before(work: Result) -> ndarray:
        return work.x1 + work.t * (work.x2 - work.x1)

    def after(x: ndarray, f: ndarray, work: Result) -> None:
        same = cp.sign(f) == cp.sign(work.f1)
        work.x3, work.f3 = cp.where(same, work.x1, work.x2), cp.where(same, work.f1, work.f2)
        work.x2, work.f2 = cp.where(same, work.x2, work.x1), cp.where(same, work.f2, work.f1)
        work.x1, work.f1 = x, f

    def check(work: Result) -> ndarray:
        first = abs(work.f1) < abs(work.f2)
        least = cp.where(first, work.f1, work.f2)
        x = cp.where(first, work.x1, work.x2)
        zero = abs(least) <= fatol + work.frtol
        sign = (cp.sign(work.f1) == cp.sign(work.f2)) & ~zero
        finite = cp.isfinite(work.x1) & cp.isfinite(work.x2)
        bad = (~finite | (cp.isnan(work.f1) & cp.isnan(work.f2))) & ~zero & ~sign
        # Where a sign is wrong or a value not finite there is no root to report.
        lost = sign | bad
        work.xmin, work.fmin = cp.where(lost, math.nan, x), cp.where(lost, math.nan, least)
        work.dx, work.tol = abs(work.x2 - work.x1), abs(work.xmin) * xrtol + xatol
        near = work.dx < work.tol
        status = cp.where(zero, CONVERGED, cp.where(sign, SIGN, cp.where(bad, NOT_FINITE, work.status)))
        work.status = cp.where(near, CONVERGED, status).astype(np.int32)
        return zero | lost | near

    def between(work: Result) -> None:
        xi = (work.x1 - work.x2) / (work.x3 - work.x2)
        phi = (work.f1 - work.f2) / (work.f3 - work.f2)
        alpha = (work.x3 - work.x1) / (work.x2 - work.x1)
        inverse = (1 - cp.sqrt(1 - xi) < phi) & (phi < cp.sqrt(xi))
        f1, f2, f3 = work.f1, work.f2, work.f3
        t = f1 / (f1 - f2) * f3 / (f3 - f2) - alpha * f1 / (f3 - f1) * f2 / (f2 - f3)
        least = 0.5 * work.tol / work.dx
        work.t = cp.clip(cp.where(inverse, t, 0.5), least, 1 - least)

    fields = [
        ("status", "status"),
        ("x", "xmin"),
        ("f_x", "fmin"),
        ("nit", "nit"),
        ("nfev", "nfev"),
        ("xl", "x1"),
        ("fl", "f1"),
        ("xr", "x2"),
        ("fr", "f2"),
    ]
    order = ["success", "status", "x", "f_x", "nfev", "nit", "bracket", "f_bracket"]

    def shaped(result: Result) -> Result:
        forward = result.xl < result.xr
        xl, xr = cp.where(forward, result.xl, result.xr), cp.where(forward, result.xr, result.xl)
        fl, fr = cp.where(forward, result.fl, result.fr), cp.where(forward, result.fr, result.fl)
        return _named(Result(result, bracket=(xl, xr), f_bracket=(fl, fr)), order)

    told = None if callback is None else (lambda r: callback(shaped(r)))
    return shaped(
        iterate(work, func, extra, shape, dtype, maxiter, before, after, check, fields, between=between, callback=told)
    )


def find_minimum(
    f: Callable[..., Any], init: tuple[Any, Any, Any], /, *, args: tuple[Any, ...] = (),
    kwargs: dict[str, Any] | None = None, tolerances: dict[str, float] | None = None, maxiter: int = 100,
    callback: Callable[[Result], Any] | None = None,
) -> Result:  # fmt: skip
    """Minima between three points with the lowest value in the middle, by Chandrupatla's method.

    Parameters
    ----------
    init : (array_like, array_like, array_like)
        The points.
    args, kwargs, tolerances, maxiter, callback
        As for `find_root`.

    Returns
    -------
    Result
        With `success`, `status`, `x`, `f_x`, `nfev`, `nit`, `bracket`, `f_bracket`. The status is as for `find_root`;
        -1
        says that the value in the middle is not the lowest.

    >>> elementwise.find_minimum(lambda x, a: (x - a) ** 2, (-9.0, 0.5, 9.0), args=(cp.array([1.0, 2.0]),)).x
    array([1., 2.])
    """
    f, args, tol = _check(f, args, kwargs, tolerances, maxiter, callback)
    func, xs, fs, extra, shape, dtype = prepare(f, init, args)
    limits = np.finfo(dtype)
    tiny, phi = float(limits.smallest_normal), 0.5 + 0.5 * 5**0.5
    fatol, frtol, xatol = (tiny if tol[name] is None else tol[name] for name in ("fatol", "frtol", "xatol"))
    xrtol = math.sqrt(float(limits.eps)) if tol["xrtol"] is None else tol["xrtol"]
    points, values = cp.stack(xs), cp.stack(fs)
    index = cp.argsort(points, axis=0)
    points, values = cp.take_along_axis(points, index, axis=0), cp.take_along_axis(values, index, axis=0)
    work = Result(
        x1=points[0], f1=values[0], x2=points[1], f2=values[1], x3=points[2], f3=values[2], q0=points[2], nit=0, nfev=3,
        status=cp.full(points.shape[1:], GOING, np.int32), xtol=cp.zeros_like(points[0]),
    )  # fmt: skip

    def before(work: Result) -> ndarray:
        x21, x32 = work.x2 - work.x1, work.x3 - work.x2
        a, b = x21 * (work.f3 - work.f2), x32 * (work.f1 - work.f2)
        q1 = 0.5 * (a / (a + b) * (work.x1 - work.x3) + work.x2 + work.x3)
        parabola = abs(q1 - work.q0) < 0.5 * abs(x21)
        close = abs(q1 - work.x2) <= work.xtol
        q = cp.where(close, work.x2 + cp.sign(x32) * work.xtol, q1)
        work.q0 = q1
        return cp.where(parabola, q, work.x2 + (2 - phi) * x32)

    def after(x: ndarray, f: ndarray, work: Result) -> None:
        same, higher = cp.sign(x - work.x2) == cp.sign(work.x3 - work.x2), f > work.f2
        for kind, new in (("x", x), ("f", f)):
            one, two, three = work[kind + "1"], work[kind + "2"], work[kind + "3"]
            work[kind + "1"] = cp.where(same, cp.where(higher, one, two), cp.where(higher, new, one))
            work[kind + "2"] = cp.where(higher, two, new)
            work[kind + "3"] = cp.where(same, cp.where(higher, new, three), cp.where(higher, three, two))

    def check(work: Result) -> ndarray:
        sign = (work.f2 > work.f1) | (work.f2 > work.f3)
        finite = cp.isfinite(work.x1 + work.x2 + work.x3 + work.f1 + work.f2 + work.f3)
        bad = ~finite & ~sign
        lost = sign | bad
        work.x2, work.f2 = cp.where(lost, math.nan, work.x2), cp.where(lost, math.nan, work.f2)
        swap = abs(work.x3 - work.x2) < abs(work.x2 - work.x1)
        work.x1, work.x3 = cp.where(swap, work.x3, work.x1), cp.where(swap, work.x1, work.x3)
        work.f1, work.f3 = cp.where(swap, work.f3, work.f1), cp.where(swap, work.f1, work.f3)
        work.xtol = abs(work.x2) * xrtol + xatol
        near = abs(work.x3 - work.x2) <= 2 * work.xtol
        flat = work.f1 - 2 * work.f2 + work.f3 <= 2 * (abs(work.f2) * frtol + fatol)
        good = (near | flat) & ~lost
        status = cp.where(sign, SIGN, cp.where(bad, NOT_FINITE, cp.where(good, CONVERGED, work.status)))
        work.status = status.astype(np.int32)
        return lost | good

    fields = [
        ("status", "status"), ("x", "x2"), ("f_x", "f2"), ("nit", "nit"), ("nfev", "nfev"), ("xl", "x1"), ("xm", "x2"),
        ("xr", "x3"), ("fl", "f1"), ("fm", "f2"), ("fr", "f3"),
    ]  # fmt: skip
    order = ["success", "status", "x", "f_x", "nfev", "nit", "bracket", "f_bracket"]

    def shaped(result: Result) -> Result:
        turned = result.xl >= result.xr
        xl, xr = cp.where(turned, result.xr, result.xl), cp.where(turned, result.xl, result.xr)
        fl, fr = cp.where(turned, result.fr, result.fl), cp.where(turned, result.fl, result.fr)
        return _named(Result(result, bracket=(xl, result.xm, xr), f_bracket=(fl, result.fm, fr)), order)

    told = None if callback is None else (lambda r: callback(shaped(r)))
    return shaped(iterate(work, func, extra, shape, dtype, maxiter, before, after, check, fields, callback=told))


def _real(name: str, value: Any) -> ndarray:
    try:
        array = as_floating(value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"`{name}` must be numeric and real.") from error
    if array.dtype.kind != "f":
        raise ValueError(f"`{name}` must be numeric and real.")
    return array


def _bracket_arguments(
    f: Any, args: Any, kwargs: Any, maxiter: Any, **values: Any
) -> tuple[Any, Any, int, dict[str, ndarray]]:
    if not callable(f):
        raise ValueError("`func` must be callable.")
    f, args = bind(f, args, kwargs)
    arrays = {name: _real(name, value) for name, value in values.items()}
    # Plain numbers, such as the defaults, take the type of the arrays.
    kinds = [a.dtype for name, a in arrays.items() if type(values[name]) not in (int, float)]
    dtype = np.result_type(*kinds) if kinds else np.dtype(np.float64)
    wide = cp.broadcast_arrays(*(a.astype(dtype) for a in arrays.values()))
    arrays = dict(zip(arrays, wide, strict=True))
    if not bool(cp.all(arrays["factor"] > 1)):
        raise ValueError("All elements of `factor` must be greater than 1.")
    try:
        good = np.isscalar(maxiter) and np.isreal(maxiter) and int(maxiter) == maxiter and maxiter >= 0
    except (TypeError, ValueError):
        good = False
    if not good:
        raise ValueError("`maxiter` must be a non-negative integer.")
    return f, args, int(maxiter), arrays


def bracket_root(
    f: Callable[..., Any], xl0: Any, xr0: Any = None, *, xmin: Any = None, xmax: Any = None, factor: Any = None,
    args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None, maxiter: int = 1000,
) -> Result:  # fmt: skip
    """Intervals with opposite signs at their ends, by expanding intervals.

    Parameters
    ----------
    xl0, xr0 : array_like
        The ends of the first intervals; the right one by default 1 further, or an eighth of the way to `xmax`.
    xmin, xmax : array_like, optional
        Where the function is defined.
    factor : array_like, optional
        By how much an interval grows, 2.
    args : tuple of array_like, optional
        Further arguments.
    kwargs : dict of array_like, optional
        Further arguments by name.

    Returns
    -------
    Result
        With `success`, `status`, `nit`, `nfev`, `bracket`, `f_bracket`. The status is 0 (found), -1 (the limits were
        reached), -2 (too many iterations), -3 (not finite) or -5 (ends that cannot be).

    >>> elementwise.bracket_root(lambda x: x**3 - 20, cp.array([0.0])).bracket
    (array([2.]), array([4.]))
    """
    low = -math.inf if xmin is None else xmin
    high = math.inf if xmax is None else xmax
    f, args, maxiter, given = _bracket_arguments(
        f, args, kwargs, maxiter, xl0=xl0, xr0=math.nan if xr0 is None else xr0, xmin=low, xmax=high,
        factor=2.0 if factor is None else factor,
    )  # fmt: skip
    right = given["xr0"]
    if xr0 is None:
        right = given["xl0"] + cp.minimum((given["xmax"] - given["xl0"]) / 8, 1.0)
    func, (xl, xr), (fl, fr), extra, shape, dtype = prepare(f, (given["xl0"], right), args)
    limit = [cp.broadcast_to(given[n], shape).reshape(-1).astype(dtype) for n in ("xmin", "xmax")]
    growth = cp.broadcast_to(given["factor"], shape).reshape(-1).astype(dtype)[:, None]
    invalid = ~((limit[0] <= xl) & (xl < xr) & (xr <= limit[1]))
    # Both directions side by side: a column goes left, a column goes right.
    limit, x = cp.stack(limit, axis=1), cp.stack([xl, xr], axis=1)
    opposite = x[:, ::-1]
    endless = cp.isinf(limit)
    side = cp.full(x.shape, GOING, np.int32)
    work = Result(
        x=x, f=cp.stack([fl, fr], axis=1), x_last=opposite, f_last=cp.stack([fr, fl], axis=1), x0=opposite, limit=limit,
        d=cp.where(endless, x - opposite, limit - x), factor=growth, side=cp.where(invalid[:, None], BAD_INPUT, side),
        calls=cp.full(xl.shape, 2, np.int32), nit=0, nfev=2, status=cp.full(xl.shape, GOING, np.int32),
    )  # fmt: skip

    def before(work: Result) -> ndarray:
        endless = cp.isinf(work.limit)
        work.d_new = cp.where(endless, work.d * work.factor, work.d / work.factor)
        return cp.where(endless, work.x0 + work.d_new, work.limit - work.d_new)

    def after(x: ndarray, f: ndarray, work: Result) -> None:
        going = work.side == GOING
        work.calls = work.calls + cp.count_nonzero(going, axis=1).astype(np.int32)
        work.d = cp.where(going, work.d_new, work.d)
        work.x_last, work.f_last = cp.where(going, work.x, work.x_last), cp.where(going, work.f, work.f_last)
        work.x, work.f = cp.where(going, x, work.x), cp.where(going, f, work.f)

    def check(work: Result) -> ndarray:
        going = work.side == GOING
        sign, last = cp.sign(work.f), cp.sign(work.f_last)
        found = ((last == -sign) | (last == 0) | (sign == 0)) & going
        limits = (work.x == work.limit) & going & ~found
        bad = ~(cp.isfinite(work.x) & cp.isfinite(work.f)) & going & ~found & ~limits
        side = cp.where(found, CONVERGED, cp.where(limits, LIMITS, cp.where(bad, NOT_FINITE, work.side)))
        work.side = side.astype(np.int32)
        left, right = side[:, 0], side[:, 1]
        stop = (left == CONVERGED) | (right == CONVERGED) | ((left != GOING) & (right != GOING))
        work.status = cp.where(stop, cp.where(left == CONVERGED, left, right), GOING).astype(np.int32)
        left_found = (left == CONVERGED) & (
            (right != CONVERGED) | (work.x_last[:, 0] - work.x[:, 0] <= work.x[:, 1] - work.x_last[:, 1])
        )
        right_found = (right == CONVERGED) & (
            (left != CONVERGED) | (work.x[:, 1] - work.x_last[:, 1] <= work.x_last[:, 0] - work.x[:, 0])
        )
        work.xl, work.fl = (
            cp.where(right_found, v[:, 1], w[:, 0]) for v, w in ((work.x_last, work.x), (work.f_last, work.f))
        )
        work.xr, work.fr = (
            cp.where(left_found, v[:, 0], w[:, 1]) for v, w in ((work.x_last, work.x), (work.f_last, work.f))
        )
        return stop

    fields = [
        ("status", "status"), ("xl", "xl"), ("xr", "xr"), ("nit", "nit"), ("nfev", "calls"), ("fl", "fl"), ("fr", "fr")
    ]  # fmt: skip
    result = iterate(work, func, extra, shape, dtype, maxiter, before, after, check, fields)
    return Result(
        success=result.success, status=result.status, nit=result.nit, nfev=result.nfev, bracket=(result.xl, result.xr),
        f_bracket=(result.fl, result.fr),
    )  # fmt: skip


def bracket_minimum(
    f: Callable[..., Any], xm0: Any, *, xl0: Any = None, xr0: Any = None, xmin: Any = None, xmax: Any = None,
    factor: Any = None, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None,
    maxiter: int = 1000,
) -> Result:  # fmt: skip
    """Three points with the lowest value in the middle, by steps downhill.

    Parameters
    ----------
    xm0 : array_like
        The middle of the first three points.
    xl0, xr0 : array_like, optional
        The others, by default half a unit away, or a sixteenth of the way to the limits.
    xmin, xmax, factor, args, kwargs, maxiter
        As for `bracket_root`.

    Returns
    -------
    Result
        With `success`, `status`, `nit`, `nfev`, `bracket`, `f_bracket`. The status is as for `bracket_root`.

    >>> elementwise.bracket_minimum(lambda x: (x - 5) ** 2, cp.array([0.0])).bracket
    (array([2.5]), array([4.5]), array([8.5]))
    """
    low = -math.inf if xmin is None else xmin
    high = math.inf if xmax is None else xmax
    nan = math.nan
    f, args, maxiter, given = _bracket_arguments(
        f,
        args,
        kwargs,
        maxiter,
        xm0=xm0,
        xl0=nan if xl0 is None else xl0,
        xr0=nan if xr0 is None else xr0,
        xmin=low,
        xmax=high,
        factor=2.0 if factor is None else factor,
    )
    middle, left, right = given["xm0"], given["xl0"], given["xr0"]
    if xl0 is None:
        left = middle - cp.minimum((middle - given["xmin"]) / 16, 0.5)
    if xr0 is None:
        right = middle + cp.minimum((given["xmax"] - middle) / 16, 0.5)
    func, (xl, xm, xr), (fl, fm, fr), extra, shape, dtype = prepare(f, (left, middle, right), args)
    low, high, growth = (cp.broadcast_to(given[n], shape).reshape(-1).astype(dtype) for n in ("xmin", "xmax", "factor"))
    invalid = ~((low <= xl) & (xl < xm) & (xm < xr) & (xr <= high))
    # Downhill is to the right after an exchange.
    turned = fl < fr
    xl, xr = cp.where(turned, xr, xl), cp.where(turned, xl, xr)
    fl, fr = cp.where(turned, fr, fl), cp.where(turned, fl, fr)
    limit = cp.where(turned, low, high)
    limited = ~cp.isinf(limit)
    work = Result(
        xl=xl, xm=xm, xr=xr, xr0=xr, fl=fl, fm=fm, fr=fr, step=cp.where(limited, limit - xr, xr - xm), limit=limit,
        factor=cp.where(limited, 1 / growth, growth), nit=0, nfev=3,
        status=cp.where(invalid, BAD_INPUT, GOING).astype(np.int32),
    )  # fmt: skip

    def before(work: Result) -> ndarray:
        work.step = work.step * work.factor
        limited = ~cp.isinf(work.limit)
        near = work.limit - work.step
        near = cp.where(near == work.xr, work.limit, near)
        return cp.where(limited, near, work.xr0 + work.step)

    def after(x: ndarray, f: ndarray, work: Result) -> None:
        work.xl, work.xm, work.xr = work.xm, work.xr, x
        work.fl, work.fm, work.fr = work.fm, work.fr, f

    def check(work: Result) -> ndarray:
        bad_input = work.status == BAD_INPUT
        one = (work.fl >= work.fm) & (work.fr > work.fm)
        two = (work.fl > work.fm) & (work.fr >= work.fm)
        found = (one | two) & ~bad_input
        limits = (work.xr == work.limit) & ~bad_input & ~found
        bad = ~(cp.isfinite(work.xr) & cp.isfinite(work.fr)) & ~bad_input & ~found & ~limits
        status = cp.where(found, CONVERGED, cp.where(limits, LIMITS, cp.where(bad, NOT_FINITE, work.status)))
        work.status = status.astype(np.int32)
        return bad_input | found | limits | bad

    names = ("status", "xl", "xm", "xr", "nit", "nfev", "fl", "fm", "fr")
    result = iterate(work, func, extra, shape, dtype, maxiter, before, after, check, [(n, n) for n in names])
    turned = result.xl > result.xr
    xl, xr = cp.where(turned, result.xr, result.xl), cp.where(turned, result.xl, result.xr)
    fl, fr = cp.where(turned, result.fr, result.fl), cp.where(turned, result.fl, result.fr)
    return Result(
        success=result.success, status=result.status, nit=result.nit, nfev=result.nfev, bracket=(xl, result.xm, xr),
        f_bracket=(fl, result.fm, fr),
    )  # fmt: skip


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
