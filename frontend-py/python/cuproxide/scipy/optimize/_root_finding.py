"""Roots of functions of one variable."""

from __future__ import annotations

import math
import operator
import warnings
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_float
from ._results import OptimizeResult

__all__ = ["RootResults", "bisect", "brenth", "brentq", "newton", "ridder", "root_scalar", "toms748"]

XTOL, RTOL, ITERATIONS = 2e-12, 4 * float(np.finfo(float).eps), 100
_FLAGS = {0: "converged", -1: "sign error", -2: "convergence error", -3: "value error", 1: "No error"}


_ArrayResult = namedtuple("result", ("root", "converged", "zero_der"))  # type: ignore[name-match]
# By which pickles find it.
_ArrayResult.__qualname__ = "_ArrayResult"


class RootResults(OptimizeResult):
    """The result of root finders with `full_output`.

    Parameters
    ----------
    root : float
        The root.
    iterations, function_calls : int
        The counts.
    flag : int or str
        Why the iterations ended: 0 means that they converged.
    method : str
        The method.

    Attributes
    ----------
    root : float
        The root.
    iterations, function_calls : int
        The counts.
    converged : bool
        Whether it was found.
    flag : str
        Why the iterations ended.
    method : str
        The method.

    >>> x, found = cp.scipy.optimize.brentq(lambda x: x**2 - 2, 0, 2, full_output=True)
    >>> found.converged, round(found.root, 6)
    (True, 1.414214)
    """

    def __init__(self, root: Any, iterations: Any, function_calls: int, flag: Any, method: str) -> None:
        super().__init__(
            converged=flag == 0, flag=_FLAGS.get(flag, flag), function_calls=function_calls, iterations=iterations,
            root=root, method=method,
        )  # fmt: skip


class _Counted:
    """A function with numbers as values, which counts its calls and refuses what is not a number."""

    def __init__(self, function: Callable[..., Any], args: Any, finite: bool = False) -> None:
        self.finite = finite
        self.function, self.args, self.calls = function, args if isinstance(args, tuple) else (args,), 0
        self.scale = 1.0

    def __call__(self, x: float) -> float:
        value = to_float(self.function(x, *self.args))
        self.calls += 1
        if math.isnan(value):
            error = ValueError(f"The function value at x={x} is NaN; solver cannot continue.")
            error._x, error._function_calls = x, self.calls  # type: ignore[attr-defined]
            raise error
        if self.finite and math.isinf(value):
            raise ValueError(f"Invalid function value: f({x:f}) -> {value} ")
        return value * self.scale

    def rescale(self, size: float) -> float:
        """Multiplies values by a power of two, which is returned, if products of three of `size` leave the range."""
        exponent = math.frexp(size)[1] if math.isfinite(size) else 0
        self.scale = (
            2.0 ** min(-exponent, 1023) if exponent < -300 else 2.0 ** (300 - exponent) if exponent > 300 else 1.0
        )
        return self.scale


def _opposite(one: float, other: float) -> bool:
    """Whether two values have different signs; their product may underflow."""
    return math.copysign(1, one) != math.copysign(1, other)


def _check(xtol: float, rtol: float, maxiter: Any) -> int:
    maxiter = operator.index(maxiter)
    if xtol <= 0:
        raise ValueError(f"xtol too small ({xtol:g} <= 0)")
    if rtol < RTOL:
        raise ValueError(f"rtol too small ({rtol:g} < {RTOL:g})")
    if maxiter < 0:
        raise ValueError("maxiter must be >= 0")
    return maxiter


def _solve(
    rule: Callable[..., tuple[float, int, bool]],
    name: str,
    f: Callable[..., Any],
    a: Any,
    b: Any,
    args: Any,
    xtol: float,
    rtol: float,
    maxiter: int,
    full_output: bool,
    disp: bool,
) -> Any:
    maxiter = _check(xtol, rtol, maxiter)
    counted = _Counted(f, args, name == "toms748")
    a, b = to_float(a), to_float(b)
    fa, fb = counted(a), counted(b)
    if fa == 0 or fb == 0:
        root, iterations, good = (a if fa == 0 else b), 0, True
    elif not _opposite(fa, fb):
        raise ValueError("f(a) and f(b) must have different signs")
    else:
        scale = counted.rescale(max(abs(fa), abs(fb)))
        root, iterations, good = rule(counted, a, b, fa * scale, fb * scale, xtol, rtol, maxiter)
    if not good and disp:
        raise RuntimeError(f"Failed to converge after {iterations} iterations.")
    if full_output:
        return root, RootResults(root, iterations, counted.calls, 0 if good else -2, name)
    return root


def _bisection(f: Any, a: float, b: float, fa: float, fb: float, xtol: float, rtol: float, most: int) -> Any:
    width, x = b - a, a
    for iteration in range(1, most + 1):
        width *= 0.5
        middle = x + width
        value = f(middle)
        if not _opposite(value, fa):
            x = middle
        if value == 0 or abs(width) < xtol + rtol * abs(middle):
            return middle, iteration, True
    return x, most, False


def _ridders(f: Any, a: float, b: float, fa: float, fb: float, xtol: float, rtol: float, most: int) -> Any:
    root = a
    for iteration in range(1, most + 1):
        half = 0.5 * (b - a)
        middle = a + half
        value = f(middle)
        step = half * value / math.sqrt(value * value - fa * fb)
        step = math.copysign(min(abs(step), abs(half) - 0.5 * xtol), step) if abs(half) > 0.5 * xtol else step
        root = middle - math.copysign(1, fb - fa) * step
        at = f(root)
        if value != 0 and at != 0 and _opposite(value, at):
            a, fa, b, fb = root, at, middle, value
        elif at != 0 and _opposite(at, fa):
            b, fb = root, at
        else:
            a, fa = root, at
        if at == 0 or abs(b - a) < xtol + rtol * abs(root):
            return root, iteration, True
    return root, most, False


def _brent(hyperbolic: bool) -> Callable[..., Any]:
    def rule(f: Any, a: float, b: float, fa: float, fb: float, xtol: float, rtol: float, most: int) -> Any:
        before, f_before, now, f_now = a, fa, b, fb
        other = f_other = last = step = 0.0
        for iteration in range(1, most + 1):
            if f_before != 0 and f_now != 0 and _opposite(f_before, f_now):
                other, f_other = before, f_before
                last = step = now - before
            if abs(f_other) < abs(f_now):
                before, now, other = now, other, now
                f_before, f_now, f_other = f_now, f_other, f_now
            tolerance = 0.5 * (xtol + rtol * abs(now))
            half = 0.5 * (other - now)
            if f_now == 0 or abs(half) < tolerance:
                return now, iteration, True
            if abs(last) > tolerance and abs(f_now) < abs(f_before):
                try:
                    if before == other:
                        trial = -f_now * (now - before) / (f_now - f_before)
                    else:
                        one, two = (f_before - f_now) / (before - now), (f_other - f_now) / (other - now)
                        if hyperbolic:
                            trial = -f_now * (f_other - f_before) / (f_other * one - f_before * two)
                        else:
                            trial = -f_now * (f_other * two - f_before * one) / (two * one * (f_other - f_before))
                except ZeroDivisionError:
                    # Equal values: nothing to extrapolate.
                    trial = math.inf
                if 2 * abs(trial) < min(abs(last), 3 * abs(half) - tolerance):
                    last, step = step, trial
                else:
                    last = step = half
            else:
                last = step = half
            before, f_before = now, f_now
            now += step if abs(step) > tolerance else (tolerance if half > 0 else -tolerance)
            f_now = f(now)
        return now, most, False

    return rule


def bisect(
    f: Callable[..., Any], a: float, b: float, args: Any = (), xtol: float = XTOL, rtol: float = RTOL,
    maxiter: int = ITERATIONS, full_output: bool = False, disp: bool = True,
) -> Any:  # fmt: skip
    """A root of a function between two points of opposite signs, by bisection.

    Parameters
    ----------
    f : callable
        `f(x, *args)` of a number.
    a, b : float
        The ends of the interval.
    xtol, rtol : float, optional
        The tolerances of the root.
    full_output : bool, optional
        Whether to return a `RootResults` as well.

    Returns
    -------
    root : float
        The root.
    r : RootResults
        With `full_output`.

    Raises
    ------
    ValueError
        If the signs are the same, a value is no number or a tolerance is too small.
    RuntimeError
        If the iterations do not converge.

    >>> from cuproxide.scipy import optimize
    >>> round(optimize.bisect(lambda x: x * x - 2, 0, 2), 10)
    1.4142135624
    """
    return _solve(_bisection, "bisect", f, a, b, args, xtol, rtol, maxiter, full_output, disp)


def ridder(
    f: Callable[..., Any], a: float, b: float, args: Any = (), xtol: float = XTOL, rtol: float = RTOL,
    maxiter: int = ITERATIONS, full_output: bool = False, disp: bool = True,
) -> Any:  # fmt: skip
    """A root of a function between two points of opposite signs, by Ridders' method.

    Parameters, results and errors are those of `bisect`.

    >>> from cuproxide.scipy import optimize
    >>> round(optimize.ridder(lambda x: x * x - 2, 0, 2), 10)
    1.4142135624
    """
    return _solve(_ridders, "ridder", f, a, b, args, xtol, rtol, maxiter, full_output, disp)


def brentq(
    f: Callable[..., Any], a: float, b: float, args: Any = (), xtol: float = XTOL, rtol: float = RTOL,
    maxiter: int = ITERATIONS, full_output: bool = False, disp: bool = True,
) -> Any:  # fmt: skip
    """A root of a function between two points of opposite signs, by Brent's method.

    Parameters, results and errors are those of `bisect`.

    >>> from cuproxide.scipy import optimize
    >>> round(optimize.brentq(lambda x: x * x - 2, 0, 2), 10)
    1.4142135624
    """
    return _solve(_brent(False), "brentq", f, a, b, args, xtol, rtol, maxiter, full_output, disp)


def brenth(
    f: Callable[..., Any], a: float, b: float, args: Any = (), xtol: float = XTOL, rtol: float = RTOL,
    maxiter: int = ITERATIONS, full_output: bool = False, disp: bool = True,
) -> Any:  # fmt: skip
    """A root of a function between two points of opposite signs, by Brent's method with hyperbolic extrapolation.

    Parameters, results and errors are those of `bisect`.

    >>> from cuproxide.scipy import optimize
    >>> round(optimize.brenth(lambda x: x * x - 2, 0, 2), 10)
    1.4142135624
    """
    return _solve(_brent(True), "brenth", f, a, b, args, xtol, rtol, maxiter, full_output, disp)


def _toms748(k: int) -> Callable[..., Any]:
    """Algorithm 748 of Alefeld, Potra and Shi (1995): `k` Newton steps on a quadratic, or inverse cubic
    interpolation."""

    def quadratic(a: float, b: float, fa: float, fb: float, d: float, fd: float, steps: int) -> float:
        slope = (fb - fa) / (b - a)
        curve = ((fd - fb) / (d - b) - slope) / (d - a)
        if curve == 0 or not math.isfinite(curve):
            return a - fa / slope
        r = a if curve * fa > 0 else b
        for _ in range(steps):
            value = fa + (slope + curve * (r - b)) * (r - a)
            derivative = slope + curve * (2 * r - a - b)
            if derivative == 0:
                return a - fa / slope
            r -= value / derivative
        return r

    def cubic(xs: list[float], fs: list[float]) -> float:
        # Neville's scheme for the inverse function at zero.
        table = list(xs)
        for level in range(1, 4):
            for i in range(3, level - 1, -1):
                low, high = fs[i - level], fs[i]
                table[i] = (high * table[i - 1] - low * table[i]) / (high - low)
        return table[3]

    def rule(f: Any, a: float, b: float, fa: float, fb: float, xtol: float, rtol: float, most: int) -> Any:
        if a > b:
            a, b, fa, fb = b, a, fb, fa
        d = e = fd = fe = math.nan

        def narrow(c: float) -> bool:
            nonlocal a, b, fa, fb, d, fd
            fc = f(c)
            if fc == 0:
                a = b = c
                fa = fb = 0.0
                return True
            if math.copysign(1, fa) != math.copysign(1, fc):
                d, fd, b, fb = b, fb, c, fc
            else:
                d, fd, a, fa = a, fa, c, fc
            return False

        def done() -> bool:
            x = a if abs(fa) < abs(fb) else b
            return b - a <= 2 * (xtol + rtol * abs(x)) * 0.5 or fa == 0 or fb == 0

        def inside(c: float) -> float:
            margin = min(0.25 * (b - a), 0.7 * (xtol + RTOL * max(abs(a), abs(b))))
            return (
                c
                if a + margin < c < b - margin
                else 0.5 * (a + b)
                if not a < c < b
                else min(max(c, a + margin), b - margin)
            )

        found = narrow(inside(a - fa * (b - a) / (fb - fa)))
        iteration = 1
        while not found and not done() and iteration < most:
            iteration += 1
            width = b - a
            for nth in range(2, k + 2):
                distinct = len({fa, fb, fd, fe}) == 4 and math.isfinite(fe)
                c = math.nan
                if distinct:
                    c = cubic([a, b, d, e], [fa, fb, fd, fe])
                if not (math.isfinite(c) and a < c < b):
                    c = quadratic(a, b, fa, fb, d, fd, nth)
                e, fe = d, fd
                if narrow(inside(c if math.isfinite(c) else 0.5 * (a + b))) or done():
                    break
            if done():
                break
            u, fu = (a, fa) if abs(fa) < abs(fb) else (b, fb)
            c = u - 2 * fu * (b - a) / (fb - fa)
            if not math.isfinite(c) or abs(c - u) > 0.5 * (b - a):
                c = 0.5 * (a + b)
            e, fe = d, fd
            if narrow(inside(c)) or done():
                break
            if b - a > 0.5 * width:
                e, fe = d, fd
                if narrow(0.5 * (a + b)):
                    break
        root = a if abs(fa) <= abs(fb) else b
        return root, iteration, done()

    return rule


def toms748(
    f: Callable[..., Any], a: float, b: float, args: Any = (), k: int = 1, xtol: float = XTOL, rtol: float = RTOL,
    maxiter: int = ITERATIONS, full_output: bool = False, disp: bool = True,
) -> Any:  # fmt: skip
    """A root of a function between two points of opposite signs, by algorithm 748 of Alefeld, Potra and Shi.

    `k` is the number of interpolations an iteration; the other parameters, results and errors are those of `bisect`.

    Parameters
    ----------
    k : int
        The number of Newton's steps in an iteration.

    >>> from cuproxide.scipy import optimize
    >>> round(optimize.toms748(lambda x: x * x - 2, 0, 2), 10)
    1.4142135624
    """
    maxiter = operator.index(maxiter)
    if xtol <= 0:
        raise ValueError(f"xtol too small ({xtol:g} <= 0)")
    if rtol < RTOL / 4:
        raise ValueError(f"rtol too small ({rtol:g} < {RTOL / 4:g})")
    if maxiter < 1:
        raise ValueError("maxiter must be greater than 0")
    if not math.isfinite(to_float(a)):
        raise ValueError(f"a is not finite {a}")
    if not math.isfinite(to_float(b)):
        raise ValueError(f"b is not finite {b}")
    if a >= b:
        raise ValueError(f"a and b are not an interval [{a}, {b}]")
    if not k >= 1:
        raise ValueError(f"k too small ({k} < 1)")
    return _solve(_toms748(int(k)), "toms748", f, a, b, args, xtol, max(rtol, RTOL), maxiter, full_output, disp)


def newton(
    func: Callable[..., Any], x0: Any, fprime: Any = None, args: Any = (), tol: float = 1.48e-8, maxiter: int = 50,
    fprime2: Any = None, x1: Any = None, rtol: float = 0.0, full_output: bool = False, disp: bool = True,
) -> Any:  # fmt: skip
    """A root of a function near a point, by the method of Newton, of Halley or of secants; of many points at once.

    Parameters
    ----------
    func : callable
        `func(x, *args)` of a number, or elementwise of an array.
    x0 : float or array_like
        Where to begin; an array of more than one element for as many roots.
    fprime, fprime2 : callable, optional
        The derivatives: Newton's method with the first, Halley's with both, secants with none.
    tol, rtol : float, optional
        The tolerances of the root.
    x1 : float, optional
        A second point for the secants.
    full_output : bool, optional
        Whether to return further information, too.

    Returns
    -------
    root : float or ndarray
        The root.
    r : RootResults, or (converged, zero_der)
        With `full_output`.

    Raises
    ------
    ValueError
        If a tolerance or the number of iterations cannot be.
    RuntimeError
        If the iterations do not converge.

    >>> optimize.newton(lambda x, a: x * x - a, cp.ones(2), args=(cp.array([2.0, 9.0]),))
    array([1.41421356, 3.        ])
    """
    if tol <= 0:
        raise ValueError(f"tol too small ({tol:g} <= 0)")
    maxiter = operator.index(maxiter)
    if maxiter < 1:
        raise ValueError("maxiter must be greater than 0")
    args = tuple(args) if isinstance(args, (tuple, list)) else (args,)
    start: Any = x0 if np.isscalar(x0) else as_device(x0)
    if not np.isscalar(start) and start.size > 1:
        return _newton_arrays(func, start, fprime, args, tol, maxiter, fprime2, full_output)
    number = complex if isinstance(start, complex) or getattr(start, "dtype", np.dtype(float)).kind == "c" else float
    point = number(start.reshape(())) if isinstance(start, ndarray) else number(start)

    # A start with one element and axes keeps them, as do the points that the functions get.
    axes = start.shape if isinstance(start, ndarray) else ()
    kind = np.result_type(start.dtype, 1.0) if axes else None

    def shaped(x: Any) -> Any:
        return as_device(np.full(axes, x, kind)) if axes else x

    def value(function: Any, x: Any) -> Any:
        found = function(shaped(x), *args)
        found = found.reshape(()) if isinstance(found, ndarray) else found
        return complex(found) if number is complex or isinstance(found, complex) else float(found)

    def close(p: Any, q: Any) -> bool:
        return abs(p - q) <= tol + rtol * abs(q)

    def give(root: Any, calls: int, iterations: int, flag: int, method: str) -> Any:
        root = shaped(root)
        return (root, RootResults(root, iterations, calls, flag, method)) if full_output else root

    calls = 0
    p: Any = point
    if fprime is not None:
        method = "halley" if fprime2 else "newton"
        for iteration in range(maxiter):
            f = value(func, point)
            calls += 1
            if f == 0:
                return give(point, calls, iteration, 0, "newton" if iteration == 0 else method)
            slope = value(fprime, point)
            calls += 1
            if slope == 0:
                message = "Derivative was zero."
                if disp:
                    raise RuntimeError(
                        f"{message} Failed to converge after {iteration + 1} iterations, value is {point}."
                    )
                warnings.warn(message, RuntimeWarning, stacklevel=2)
                return give(point, calls, iteration + 1, -2, method)
            step = f / slope
            if fprime2:
                second = value(fprime2, point)
                calls += 1
                adjust = step * second / slope / 2
                if abs(adjust) < 1:
                    step /= 1.0 - adjust
            p = point - step
            if close(p, point):
                return give(p, calls, iteration + 1, 0, method)
            point = p
    else:
        method = "secant"
        if x1 is not None:
            if x1 == point:
                raise ValueError("x1 and x0 must be different")
            other = number(x1)
        else:
            other = point * (1 + 1e-4)
            other += 1e-4 if (other.real >= 0) else -1e-4
        q0, q1 = value(func, point), value(func, other)
        calls = 2
        if abs(q1) < abs(q0):
            point, other, q0, q1 = other, point, q1, q0
        for iteration in range(maxiter):
            if q1 == q0:
                if other != point:
                    message = f"Tolerance of {other - point} reached."
                    if disp:
                        raise RuntimeError(
                            f"{message} Failed to converge after {iteration + 1} iterations, value is {other}."
                        )
                    warnings.warn(message, RuntimeWarning, stacklevel=2)
                return give((other + point) / 2.0, calls, iteration + 1, -2, method)
            if abs(q1) > abs(q0):
                p = (-q0 / q1 * other + point) / (1 - q0 / q1)
            else:
                p = (-q1 / q0 * point + other) / (1 - q1 / q0)
            if close(p, other):
                return give(p, calls, iteration + 1, 0, method)
            point, q0, other = other, q1, p
            q1 = value(func, other)
            calls += 1
    if disp:
        raise RuntimeError(f"Failed to converge after {maxiter} iterations, value is {p}.")
    return give(p, calls, maxiter, -2, method)


def _newton_arrays(
    func: Any, x0: ndarray, fprime: Any, args: Any, tol: float, maxiter: int, fprime2: Any, full_output: bool
) -> Any:
    """All elements together; the host reads once an iteration whether some go on."""
    p = x0.astype(np.result_type(x0.dtype, np.float64))
    failures = cp.ones(p.shape, bool)
    sloped = cp.ones(p.shape, bool)
    other = p
    if fprime is not None:
        for _ in range(maxiter):
            f = as_device(func(p, *args))
            slope = as_device(fprime(p, *args))
            sloped = slope != 0
            safe = cp.where(sloped, slope, 1)
            step = f / safe
            if fprime2 is not None:
                step = step / (1.0 - 0.5 * step * as_device(fprime2(p, *args)) / safe)
            zero, steep = cp.all(f == 0), cp.any(sloped)
            moved = cp.where(sloped, p - step, p)
            left = cp.where(sloped, abs(step) >= tol, failures)
            none, some, going = cp.stack([zero, steep, cp.any(left & sloped)]).tolist()
            if none:
                failures = cp.zeros(p.shape, bool)
                break
            if not some:
                break
            p, failures = moved, left
            if not going:
                break
    else:
        dx = float(np.finfo(float).eps) ** 0.33
        other = p * (1 + dx) + cp.where(cp.real(p) >= 0, dx, -dx)
        q0, q1 = as_device(func(p, *args)), as_device(func(other, *args))
        active = cp.ones(p.shape, bool)
        for _ in range(maxiter):
            sloped = q1 != q0
            step = q1 * (other - p) / cp.where(sloped, q1 - q0, 1)
            new = cp.where(sloped, other - step, cp.where(active, (other + p) / 2.0, p))
            left = cp.where(sloped, abs(step) >= tol, failures)
            some, going = cp.stack([cp.any(sloped), cp.any(left & sloped)]).tolist()
            if not some:
                p = (other + p) / 2.0
                break
            p, failures, active = new, left, active & sloped
            if not going:
                break
            other, p, q0 = p, other, q1
            q1 = as_device(func(other, *args))
    flat = ~sloped & failures
    any_flat, all_flat, any_bad, all_bad = cp.stack(
        [cp.any(flat), cp.all(flat), cp.any(failures), cp.all(failures)]
    ).tolist()
    if any_flat:
        if fprime is None:
            apart = flat & (other != p)
            if bool(cp.any(apart)):
                rms = math.sqrt(float(cp.sum(cp.where(apart, abs(other - p) ** 2, 0))))
                warnings.warn(f"RMS of {rms:g} reached", RuntimeWarning, stacklevel=3)
        else:
            warnings.warn(f"{'all' if all_flat else 'some'} derivatives were zero", RuntimeWarning, stacklevel=3)
    elif any_bad:
        message = f"{'all' if all_bad else 'some'} failed to converge after {maxiter} iterations"
        if all_bad:
            raise RuntimeError(message)
        warnings.warn(message, RuntimeWarning, stacklevel=3)
    if full_output:
        return _ArrayResult(p, ~failures, flat)
    return p


class _Tuple:
    """A function that returns its value with its derivatives, as several functions that call it once a point."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function, self.x, self.calls = function, None, 0
        self.values: Any = None

    def part(self, position: int) -> Callable[..., Any]:
        def get(x: Any, *args: Any) -> Any:
            if self.values is None or x != self.x:
                self.values, self.x = self.function(x, *args), x
                self.calls += 1
            return self.values[position]

        return get


def root_scalar(
    f: Callable[..., Any], args: Any = (), method: str | None = None, bracket: Any = None, fprime: Any = None,
    fprime2: Any = None, x0: Any = None, x1: Any = None, xtol: float | None = None, rtol: float | None = None,
    maxiter: int | None = None, options: dict[str, Any] | None = None,
) -> RootResults:  # fmt: skip
    """A root of a function of one variable.

    Parameters
    ----------
    f : callable
        `f(x, *args)`; with `fprime=True` it returns the derivative as well.
    method : str, optional
        'bisect', 'brentq', 'brenth', 'ridder', 'toms748', 'newton', 'secant' or 'halley'; by default what the other
        arguments allow.
    bracket : (float, float), optional
        An interval with opposite signs at its ends.
    fprime, fprime2 : bool or callable, optional
        The derivatives.
    x0, x1 : float, optional
        Where to begin.
    xtol, rtol : float, optional
        The tolerances.
    options : dict, optional
        Further options, such as `k` of 'toms748'.

    Returns
    -------
    RootResults
        With `root`, `converged`, `flag`, `iterations`, `function_calls`, `method`.

    Raises
    ------
    ValueError
        If the method is unknown or lacks what it needs.

    >>> res = optimize.root_scalar(lambda x: x**3 - 1, bracket=[0, 3])
    >>> round(res.root, 10), res.converged
    (1.0, True)
    """
    args = tuple(args) if isinstance(args, (tuple, list)) else (args,)
    several = None
    if fprime2 is not None and not callable(fprime2):
        if fprime2:
            several = _Tuple(f)
            fprime, fprime2 = several.part(1), several.part(2)
        else:
            fprime2 = None
    if fprime is not None and not callable(fprime):
        if fprime:
            several = _Tuple(f)
            fprime = several.part(1)
        else:
            fprime = None
    f = several.part(0) if several else f
    given = {"xtol": xtol, "rtol": rtol, "maxiter": maxiter}
    keywords = {name: v for name, v in given.items() if v is not None} | (options or {})
    keywords |= {"full_output": True, "disp": False}
    if not method:
        if bracket is not None:
            method = "brentq"
        elif x0 is not None:
            method = "halley" if fprime and fprime2 else "newton" if fprime or x1 is None else "secant"
    if not method:
        raise ValueError("Unable to select a solver as neither bracket nor starting point provided.")
    name = method.lower()
    brackets = {"bisect": bisect, "ridder": ridder, "brentq": brentq, "brenth": brenth, "toms748": toms748}
    if name in brackets:
        if not isinstance(bracket, (list, tuple, np.ndarray, ndarray)):
            raise ValueError(f"Bracket needed for {method}")
        try:
            result = brackets[name](f, bracket[0], bracket[1], args=args, **keywords)[1]
        except ValueError as error:
            if not hasattr(error, "_x"):
                raise
            calls = getattr(error, "_function_calls", 0)
            result = RootResults(getattr(error, "_x", math.nan), math.nan, calls, str(error), method)
    elif name in ("newton", "secant", "halley"):
        if x0 is None:
            raise ValueError(f"x0 must not be None for {method}")
        if "xtol" in keywords:
            keywords["tol"] = keywords.pop("xtol")
        if name == "halley" and not fprime:
            raise ValueError(f"fprime must be specified for {method}")
        if name == "halley" and not fprime2:
            raise ValueError(f"fprime2 must be specified for {method}")
        if name == "newton" and not fprime:
            root_eps = float(np.finfo(float).eps) ** 0.5

            def fprime(x: float, *rest: Any) -> float:
                h = root_eps * (1.0 if x >= 0 else -1.0) * max(1.0, abs(x))
                h = (x + h) - x
                return (to_float(f(x + h, *rest)) - to_float(f(x, *rest))) / h

        derivative = None if name == "secant" else fprime
        second = fprime2 if name == "halley" else None
        extra = {"x1": x1} if name == "secant" else {}
        result = newton(f, x0, args=args, fprime=derivative, fprime2=second, **extra, **keywords)[1]
    else:
        raise ValueError(f"Unknown solver {name}")
    if several is not None:
        result.function_calls = several.calls
    return result
