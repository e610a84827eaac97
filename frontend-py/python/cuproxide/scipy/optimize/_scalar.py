"""Minima of functions of one variable."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._lib.arguments import to_float, to_host
from ..._lib.categories import category
from ._results import STATUS, OptimizeResult, OptimizeWarning, unknown_options

__all__ = ["bracket", "brent", "fminbound", "golden", "minimize_scalar"]

_GOLDEN = 0.381966011250105


class BracketError(RuntimeError):
    """No three points with the lowest value in the middle were found; `data` is the last state."""

    data: Any = None


def _function(fun: Callable[..., Any], args: Any) -> Callable[[float], float]:
    args = args if isinstance(args, tuple) else (args,)
    return lambda x: to_float(fun(x, *args))


def bracket(
    func: Callable[..., Any], xa: float = 0.0, xb: float = 1.0, args: Any = (), grow_limit: float = 110.0,
    maxiter: int = 1000,
) -> tuple[float, float, float, float, float, float, int]:  # fmt: skip
    """Three points between which a function has a minimum, found downhill from two.

    Parameters
    ----------
    xa, xb : float, optional
        Two points to begin with.
    grow_limit : float, optional
        By how much a step may grow.

    Returns
    -------
    xa, xb, xc, fa, fb, fc : float
        The points and the values there.
    funcalls : int
        The number of calls.

    Raises
    ------
    RuntimeError
        If there is no minimum to be found.

    >>> optimize.bracket(lambda x: 10 * x**2 + 3 * x + 5, 0.1)[:3]
    (1.0, 0.1, -1.3562306)
    """
    f = _function(func, args)
    ratio, tiny = 1.618034, 1e-21
    fa, fb = f(xa), f(xb)
    if fa < fb:
        xa, xb, fa, fb = xb, xa, fb, fa
    xc = xb + ratio * (xb - xa)
    fc = f(xc)
    calls, iteration = 3, 0
    while fc < fb:
        one, two = (xb - xa) * (fb - fc), (xb - xc) * (fb - fa)
        bottom = two - one
        bottom = 2 * tiny if abs(bottom) < tiny else 2 * bottom
        w = xb - ((xb - xc) * two - (xb - xa) * one) / bottom
        limit = xb + grow_limit * (xc - xb)
        if iteration > maxiter:
            error = BracketError(
                "No valid bracket was found before the iteration limit was reached. Consider trying different "
                "initial points or increasing `maxiter`."
            )
            error.data = (xa, xb, xc, fa, fb, fc, calls)
            raise error
        iteration += 1
        if (w - xc) * (xb - w) > 0:
            fw = f(w)
            calls += 1
            if fw < fc:
                xa, xb, fa, fb = xb, w, fb, fw
                break
            if fw > fb:
                xc, fc = w, fw
                break
            w = xc + ratio * (xc - xb)
            fw = f(w)
            calls += 1
        elif (w - limit) * (limit - xc) >= 0:
            w = limit
            fw = f(w)
            calls += 1
        elif (w - limit) * (xc - w) > 0:
            fw = f(w)
            calls += 1
            if fw < fc:
                xb, xc, fb, fc = xc, w, fc, fw
                w = xc + ratio * (xc - xb)
                fw = f(w)
                calls += 1
        else:
            w = xc + ratio * (xc - xb)
            fw = f(w)
            calls += 1
        xa, xb, xc, fa, fb, fc = xb, xc, w, fb, fc, fw
    low = (fb < fc and fb <= fa) or (fb < fa and fb <= fc)
    ordered = xa < xb < xc or xc < xb < xa
    finite = all(map(math.isfinite, (xa, xb, xc)))
    if not (low and ordered and finite):
        error = BracketError(
            "The algorithm terminated without finding a valid bracket. Consider trying different initial points."
        )
        error.data = (xa, xb, xc, fa, fb, fc, calls)
        raise error
    return xa, xb, xc, fa, fb, fc, calls


def _bracketed(f: Callable[[float], float], brack: Any) -> tuple[float, float, float, float, float, float, int]:
    if brack is None:
        return bracket(f)
    brack = tuple(float(v) for v in brack)
    if len(brack) == 2:
        return bracket(f, *brack)
    if len(brack) == 3:
        xa, xb, xc = sorted((brack[0], brack[2]))[0], brack[1], sorted((brack[0], brack[2]))[1]
        if not xa < xb < xc:
            raise ValueError("Bracketing values (xa, xb, xc) do not fulfill this requirement: (xa < xb) and (xb < xc)")
        fa, fb, fc = f(xa), f(xb), f(xc)
        if not (fb < fa and fb < fc):
            raise ValueError(
                "Bracketing values (xa, xb, xc) do not fulfill this requirement: (f(xb) < f(xa)) and (f(xb) < f(xc))"
            )
        return xa, xb, xc, fa, fb, fc, 3
    raise ValueError("Bracketing interval must be length 2 or 3 sequence.")


def _print_row(calls: int | None = None, x: float = 0.0, fx: float = 0.0) -> None:
    """A row of the table of `disp=3`, or its head."""
    if calls is None:
        print(f" \n{'Func-count':^12} {'x':^12} {'f(x)': ^12}")
    else:
        print(f"{calls:^12g} {x:^12.6g} {fx:^12.6g}")


def _brent(
    fun: Any, brack: Any, args: Any, xtol: float = 1.48e-8, maxiter: int = 500, disp: Any = 0, **options: Any
) -> OptimizeResult:
    unknown_options(options)
    if xtol < 0:
        raise ValueError(f"tolerance should be >= 0, got {xtol!r}")
    f = _function(fun, args)
    xa, xb, xc, _, fb, _, calls = _bracketed(f, brack)
    x = w = v = xb
    fx = fw = fv = fb
    a, b = min(xa, xc), max(xa, xc)
    step = last = 0.0
    iteration = 0
    if disp > 2:
        _print_row()
        _print_row(calls, x, fx)
    while iteration < maxiter:
        tolerance = xtol * abs(x) + 1e-11
        middle = 0.5 * (a + b)
        if abs(x - middle) < 2.0 * tolerance - 0.5 * (b - a):
            break
        if abs(last) <= tolerance:
            last = (a - x) if x >= middle else (b - x)
            step = _GOLDEN * last
        else:
            one, two = (x - w) * (fx - fv), (x - v) * (fx - fw)
            p = (x - v) * two - (x - w) * one
            two = 2.0 * (two - one)
            p = -p if two > 0 else p
            two = abs(two)
            before, last = last, step
            if p > two * (a - x) and p < two * (b - x) and abs(p) < abs(0.5 * two * before):
                step = p / two
                u = x + step
                if u - a < 2.0 * tolerance or b - u < 2.0 * tolerance:
                    step = tolerance if middle - x >= 0 else -tolerance
            else:
                last = (a - x) if x >= middle else (b - x)
                step = _GOLDEN * last
        u = x + (step if abs(step) >= tolerance else tolerance if step >= 0 else -tolerance)
        fu = f(u)
        calls += 1
        if fu > fx:
            a, b = (u, b) if u < x else (a, u)
            if fu <= fw or w == x:
                v, w, fv, fw = w, u, fw, fu
            elif fu <= fv or v in (x, w):
                v, fv = u, fu
        else:
            a, b = (x, b) if u >= x else (a, x)
            v, w, x, fv, fw, fx = w, x, u, fw, fx, fu
        if disp > 2:
            _print_row(calls, x, fx)
        iteration += 1
    success = iteration < maxiter and not (math.isnan(x) or math.isnan(fx))
    message = (
        f"\nOptimization terminated successfully;\nThe returned value satisfies the termination criteria\n(using xtol = "  # noqa: E501
        f"{xtol} )"
        if success
        else "\nMaximum number of iterations exceeded"
    )
    if math.isnan(x) or math.isnan(fx):
        message = STATUS["nan"]
    if disp:
        print(message)
    return OptimizeResult(fun=fx, x=x, nit=iteration, nfev=calls, success=success, message=message)


def _golden(
    fun: Any,
    brack: Any,
    args: Any,
    xtol: float = 1.4901161193847656e-8,
    maxiter: int = 5000,
    disp: Any = 0,
    **options: Any,
) -> OptimizeResult:
    unknown_options(options)
    if xtol < 0:
        raise ValueError(f"tolerance should be >= 0, got {xtol!r}")
    f = _function(fun, args)
    xa, xb, xc, _, _, _, calls = _bracketed(f, brack)
    r = 0.61803399
    c = 1.0 - r
    x0, x3 = xa, xc
    x1, x2 = (xb, xb + c * (xc - xb)) if abs(xc - xb) > abs(xb - xa) else (xb - c * (xb - xa), xb)
    f1, f2 = f(x1), f(x2)
    calls += 2
    iteration = 0
    if disp > 2:
        _print_row()
    for _ in range(maxiter):
        if abs(x3 - x0) <= xtol * (abs(x1) + abs(x2)):
            break
        if f2 < f1:
            x0, x1, x2 = x1, x2, r * x2 + c * x3
            f1, f2 = f2, f(x2)
        else:
            x3, x2, x1 = x2, x1, r * x1 + c * x0
            f2, f1 = f1, f(x1)
        calls += 1
        if disp > 2:
            _print_row(calls, *((x1, f1) if f1 < f2 else (x2, f2)))
        iteration += 1
    value, x = (f1, x1) if f1 < f2 else (f2, x2)
    success = iteration < maxiter and not (math.isnan(value) or math.isnan(x))
    message = (
        f"\nOptimization terminated successfully;\nThe returned value satisfies the termination criteria\n(using xtol = "  # noqa: E501
        f"{xtol} )"
        if success
        else STATUS["nan"]
        if math.isnan(value) or math.isnan(x)
        else "\nMaximum number of iterations exceeded"
    )
    if disp:
        print(message)
    return OptimizeResult(fun=value, nfev=calls, x=x, nit=iteration, success=success, message=message)


def _bounded(
    fun: Any, bounds: Any, args: Any, xatol: float = 1e-5, maxiter: int = 500, disp: Any = 0, **options: Any
) -> OptimizeResult:
    unknown_options(options)
    f = _function(fun, args)
    if len(bounds) != 2:
        raise ValueError("bounds must have two elements.")
    x1, x2 = (to_host(v) for v in bounds)
    if x1.size != 1 or x2.size != 1 or not (np.isfinite(x1).all() and np.isfinite(x2).all()):
        raise ValueError("Optimization bounds must be finite scalars.")
    x1, x2 = float(x1.reshape(())), float(x2.reshape(()))
    if x1 > x2:
        raise ValueError("The lower bound exceeds the upper bound.")
    root_eps, ratio = math.sqrt(2.2e-16), 0.5 * (3.0 - math.sqrt(5.0))
    a, b = x1, x2
    w = v = x = a + ratio * (b - a)
    last = step = 0.0
    fx = fv = fw = f(x)
    calls, flag = 1, 0
    middle = 0.5 * (a + b)
    tolerance = root_eps * abs(x) + xatol / 3.0
    if disp > 2:
        print(" \n Func-count     x          f(x)          Procedure")
        print(f"{calls:5.0f}   {x:12.6g} {fx:12.6g}        initial")
    while abs(x - middle) > 2.0 * tolerance - 0.5 * (b - a):
        golden = True
        if abs(last) > tolerance:
            r, q = (x - w) * (fx - fv), (x - v) * (fx - fw)
            p, q = (x - v) * q - (x - w) * r, 2.0 * (q - r)
            p = -p if q > 0 else p
            q = abs(q)
            before, last = last, step
            if abs(p) < abs(0.5 * q * before) and q * (a - x) < p < q * (b - x):
                golden = False
                step = p / q
                u = x + step
                if u - a < 2.0 * tolerance or b - u < 2.0 * tolerance:
                    step = tolerance * (1.0 if middle - x >= 0 else -1.0)
        if golden:
            last = a - x if x >= middle else b - x
            step = ratio * last
        u = x + (1.0 if step >= 0 else -1.0) * max(abs(step), tolerance)
        fu = f(u)
        calls += 1
        if disp > 2:
            print(f"{calls:5.0f}   {u:12.6g} {fu:12.6g}        {'golden' if golden else 'parabolic'}")
        if fu <= fx:
            a, b = (x, b) if u >= x else (a, x)
            v, fv, w, fw, x, fx = w, fw, x, fx, u, fu
        else:
            a, b = (u, b) if u < x else (a, u)
            if fu <= fw or w == x:
                v, fv, w, fw = w, fw, u, fu
            elif fu <= fv or v in (x, w):
                v, fv = u, fu
        middle = 0.5 * (a + b)
        tolerance = root_eps * abs(x) + xatol / 3.0
        if calls >= maxiter:
            flag = 1
            break
    if math.isnan(x) or math.isnan(fx):
        flag = 2
    message = ["Solution found.", "Maximum number of function calls reached.", STATUS["nan"]][flag]
    if disp > 0 and flag:
        warnings.warn(message, category(OptimizeWarning), stacklevel=3)
    elif disp > 1:
        print("\nOptimization terminated successfully;\nThe returned value satisfies the termination criteria")
        print("(using xtol = ", xatol, ")")
    return OptimizeResult(fun=fx, status=flag, success=flag == 0, message=message, x=x, nfev=calls, nit=calls)


def _with_brackets(
    method: Callable[..., OptimizeResult], fun: Any, brack: Any, args: Any, **options: Any
) -> OptimizeResult:
    try:
        return method(fun, brack, args, **options)
    except BracketError as error:
        xa, xb, xc, fa, fb, fc, calls = error.data
        xs, fs = (xa, xb, xc), (fa, fb, fc)
        bad = any(map(math.isnan, (*xs, *fs)))
        x, value = (math.nan, math.nan) if bad else (xs[fs.index(min(fs))], min(fs))
        return OptimizeResult(fun=value, nfev=calls, x=x, nit=0, success=False, message=str(error))


def minimize_scalar(
    fun: Callable[..., Any], bracket: Any = None, bounds: Any = None, args: Any = (), method: Any = None,
    tol: float | None = None, options: dict[str, Any] | None = None,
) -> OptimizeResult:  # fmt: skip
    """A minimum of a function of one variable.

    Parameters
    ----------
    fun : callable
        `fun(x, *args)` of a number.
    bracket : sequence, optional
        Two or three points to begin with, for 'brent' and 'golden'.
    bounds : (float, float), optional
        The interval of 'bounded'.
    method : {'brent', 'bounded', 'golden'} or callable, optional
        The method.
    options : dict, optional
        `maxiter`, `disp`, and `xtol` or `xatol`.

    Returns
    -------
    OptimizeResult
        With `x`, `fun`, `success`, `message`, `nfev`, `nit`.

    Raises
    ------
    ValueError
        If the method is unknown, or the bounds or points cannot be.

    >>> from cuproxide.scipy import optimize
    >>> round(optimize.minimize_scalar(lambda x: (x - 2) * x * (x + 2) ** 2).x, 6)
    1.280776
    """
    args = args if isinstance(args, tuple) else (args,)
    name = "_custom" if callable(method) else method.lower() if method else "brent" if bounds is None else "bounded"
    options = dict(options or {})
    if bounds is not None and name in ("brent", "golden"):
        raise ValueError(f"Use of `bounds` is incompatible with 'method={method}'.")
    if tol is not None:
        if name == "bounded" and "xatol" not in options:
            warnings.warn(
                "Method 'bounded' does not support relative tolerance in x; defaulting to absolute tolerance.",
                RuntimeWarning,
                stacklevel=2,
            )
            options["xatol"] = tol
        else:
            options.setdefault("tol" if name == "_custom" else "xtol", tol)
    if name == "_custom":
        return method(fun, args=args, bracket=bracket, bounds=bounds, **options)
    if name == "brent":
        return _with_brackets(_brent, fun, bracket, args, **options)
    if name == "golden":
        return _with_brackets(_golden, fun, bracket, args, **options)
    if name == "bounded":
        if bounds is None:
            raise ValueError("The `bounds` parameter is mandatory for method `bounded`.")
        return _bounded(fun, bounds, args, **options)
    raise ValueError(f"Unknown solver {method}")


def brent(
    func: Callable[..., Any], args: Any = (), brack: Any = None, tol: float = 1.48e-8, full_output: int = 0,
    maxiter: int = 500,
) -> Any:  # fmt: skip
    """A minimum of a function of one variable, by Brent's method.

    Parameters
    ----------
    brack : sequence, optional
        Two or three points to begin with.
    tol : float, optional
        The relative tolerance.
    full_output : bool, optional
        Whether to return `(x, fun, iterations, calls)`.

    >>> from cuproxide.scipy import optimize
    >>> round(optimize.brent(lambda x: (x - 1) ** 2), 6)
    1.0
    """
    res = _brent(func, brack, args, xtol=tol, maxiter=maxiter)
    return (res.x, res.fun, res.nit, res.nfev) if full_output else res.x


def golden(
    func: Callable[..., Any],
    args: Any = (),
    brack: Any = None,
    tol: float = 1.4901161193847656e-8,
    full_output: int = 0,
    maxiter: int = 5000,
) -> Any:
    """A minimum of a function of one variable, by golden sections.

    Parameters are those of `brent`; with `full_output` it returns `(x, fun, calls)`.

    Parameters
    ----------
    args : tuple
        Further arguments of the functions.
    brack : tuple, optional
        The interval in which to begin.

    Returns
    -------
    ndarray, or a tuple of it and what belongs to it

    >>> from cuproxide.scipy import optimize
    >>> round(optimize.golden(lambda x: (x - 1) ** 2), 6)
    1.0
    """
    res = _golden(func, brack, args, xtol=tol, maxiter=maxiter)
    return (res.x, res.fun, res.nfev) if full_output else res.x


def fminbound(
    func: Callable[..., Any], x1: float, x2: float, args: Any = (), xtol: float = 1e-5, maxfun: int = 500,
    full_output: int = 0, disp: int = 1,
) -> Any:  # fmt: skip
    """A minimum of a function of one variable between two bounds.

    Parameters
    ----------
    x1, x2 : float
        The bounds.
    xtol : float, optional
        The absolute tolerance.
    maxfun : int, optional
        The most calls.
    full_output : bool, optional
        Whether to return `(x, fun, flag, calls)`.
    disp : int, optional
        What to print.

    >>> from cuproxide.scipy import optimize
    >>> round(optimize.fminbound(lambda x: (x - 1) ** 2, 0, 3), 6)
    1.0
    """
    res = _bounded(func, (x1, x2), args, xatol=xtol, maxiter=maxfun, disp=disp)
    return (res.x, res.fun, res.status, res.nfev) if full_output else res.x
