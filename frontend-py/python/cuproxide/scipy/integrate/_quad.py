"""Integrals of functions of one variable to a tolerance: QUADPACK's strategy on vectors of points."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._lib.categories import category
from ..._lib.results import Vectorized
from ._filon import oscillating
from ._kronrod import RULES

__all__ = ["IntegrationWarning", "quad"]

EPSILON = sys.float_info.epsilon
SMALLEST = sys.float_info.min
LARGEST = sys.float_info.max


class IntegrationWarning(UserWarning):
    """An integral is less exact than asked for."""


def gauss_kronrod(
    function: Callable[[Any], Any], a: Any, b: Any, points: int
) -> list[tuple[float, float, float, float]]:
    """For each of some intervals the integral, its error, the integral of the absolute value, and of the deviation from
    the mean. `function` takes an array of points and is called once.
    """
    nodes, kronrod, gauss = RULES[points]
    a, b = np.asarray(a, float), np.asarray(b, float)
    half = 0.5 * (b - a)
    with np.errstate(all="ignore"):
        values = function(0.5 * (a + b)[:, None] + half[:, None] * nodes)
        result = values @ kronrod
        difference = abs((result - values @ gauss) * half)
        size = (abs(values) @ kronrod) * abs(half)
        deviation = (abs(values - result[:, None] / 2) @ kronrod) * abs(half)
        error = difference.copy()
        some = (deviation != 0) & (error != 0)
        error[some] = deviation[some] * np.minimum(1.0, (200 * error[some] / deviation[some]) ** 1.5)
        large = size > SMALLEST / (50 * EPSILON)
        error[large] = np.maximum(EPSILON * 50 * size[large], error[large])
    return list(zip((result * half).tolist(), error.tolist(), size.tolist(), deviation.tolist(), strict=True))


class _Extrapolation:
    """The epsilon algorithm (Wynn) on a sequence of integrals, with an estimate of the error from its last results."""

    def __init__(self) -> None:
        self.diagonal: list[float] = []
        self.columns: list[float] = []
        self.best: list[float] = []

    def add(self, value: float) -> None:
        # The lowest diagonal of the table suffices for the next one.
        new = [value]
        for k, old in enumerate(self.diagonal):
            above = self.diagonal[k - 1] if k else 0.0
            difference = new[k] - old
            if difference == 0 or not math.isfinite(difference):
                break
            step = above + 1 / difference
            if not math.isfinite(step):
                break
            new.append(step)
        self.diagonal = new[:50]
        even = new[0::2]
        # Of the columns take the one that moved least since the last value.
        previous = self.columns
        self.columns = even
        moves = [abs(x - y) for x, y in zip(even, previous, strict=False)]
        choice = min(range(len(moves)), key=moves.__getitem__) if moves else len(even) - 1
        self.best.append(even[choice])

    def result(self) -> tuple[float, float]:
        """The limit and its error, infinite before there are four results."""
        if len(self.best) < 4:
            return self.best[-1], math.inf
        last = self.best[-1]
        error = sum(abs(last - other) for other in self.best[-4:-1])
        return last, max(error, 5 * EPSILON * abs(last))


class _Adaptive:
    """Global adaptive integration with extrapolation over ever smaller intervals (QAGS of QUADPACK)."""

    def __init__(self, function: Callable[[Any], Any], points: int, epsabs: float, epsrel: float, limit: int) -> None:
        self.function, self.points = function, points
        self.epsabs, self.epsrel, self.limit = epsabs, epsrel, limit
        self.evaluations = 0

        self.each = points

    def rule(self, a: list[float], b: list[float]) -> list[tuple[float, float, float, float]]:
        self.evaluations += self.each * len(a)
        return gauss_kronrod(self.function, a, b, self.points)

    def run(self, edges: list[float]) -> tuple[float, float, int]:
        """The integral over neighbouring intervals, its error and QUADPACK's code."""
        parts = self.rule(edges[:-1], edges[1:])
        self.a, self.b = list(edges[:-1]), list(edges[1:])
        self.r, self.e = [p[0] for p in parts], [p[1] for p in parts]
        size = sum(p[2] for p in parts)
        result, error = math.fsum(self.r), sum(self.e)
        bound = max(self.epsabs, self.epsrel * abs(result))
        if not math.isfinite(result) or not math.isfinite(error):
            return result, error, 3 if self.limit > 1 else 1
        if error <= 100 * EPSILON * size and error > bound:
            return result, error, 2
        if error <= bound:
            return result, error, 0
        if self.limit <= len(parts):
            return result, error, 1
        return self._subdivide(size, len(edges) > 2)

    def _subdivide(self, size: float, given: bool) -> tuple[float, float, int]:
        levels = [0] * len(self.a)
        depth, sequence = 0, _Extrapolation()
        sequence.add(math.fsum(self.r))
        best: tuple[float, float] = (0.0, math.inf)
        stuck, grew, code, extrapolated = 0, 0, 0, 0
        while len(self.a) < self.limit:
            # Intervals of the present size are refined until the larger ones matter less than the tolerance.
            errors = [e if level <= depth else -1.0 for e, level in zip(self.e, levels, strict=True)]
            worst = max(range(len(errors)), key=errors.__getitem__)
            if errors[worst] < 0:
                worst = max(range(len(errors)), key=self.e.__getitem__)
            lower, upper = self.a[worst], self.b[worst]
            middle = 0.5 * (lower + upper)
            if max(abs(lower), abs(upper)) <= (1 + 100 * EPSILON) * (abs(middle) + 1000 * SMALLEST):
                code = 4
                break
            (r1, e1, _, d1), (r2, e2, _, d2) = self.rule([lower, middle], [middle, upper])
            old_r, old_e = self.r[worst], self.e[worst]
            if d1 != e1 and d2 != e2:
                if abs(old_r - (r1 + r2)) <= 1e-5 * abs(r1 + r2) and e1 + e2 >= 0.99 * old_e:
                    stuck += 1
                if len(self.a) > 10 and e1 + e2 > old_e:
                    grew += 1
            level = levels[worst] + 1
            self.a[worst], self.b[worst], self.r[worst], self.e[worst], levels[worst] = lower, middle, r1, e1, level
            self.a.append(middle)
            self.b.append(upper)
            self.r.append(r2)
            self.e.append(e2)
            levels.append(level)
            result, error = math.fsum(self.r), math.fsum(self.e)
            if not math.isfinite(result) or not math.isfinite(error):
                return result, error, 3
            bound = max(self.epsabs, self.epsrel * abs(result))
            if error <= bound:
                return result, error, 0
            if stuck >= 10 or grew >= 20:
                code = 2
                break
            large = sum(e for e, one in zip(self.e, levels, strict=True) if one <= depth)
            if large > bound and depth < 60:
                continue
            # All larger intervals are exact: the sequence over the smallest ones is extrapolated.
            depth += 1
            sequence.add(result)
            limit, estimate = sequence.result()
            extrapolated += 1
            if estimate < best[1]:
                best, extrapolated = (limit, estimate + large), 0
                if estimate + large <= max(self.epsabs, self.epsrel * abs(limit)):
                    break
            if extrapolated > 5 and best[1] < 1e-3 * error:
                code = 5
                break
        else:
            code = 1
        result, error = math.fsum(self.r), math.fsum(self.e)
        value, estimate = best
        if estimate < error and (code != 2 or estimate < 1e-3 * error):
            # QUADPACK's test of divergence, which does not count where the integrand changes its sign and cancels.
            definite = abs(result) >= (1 - 50 * EPSILON) * size
            if definite or max(abs(value), abs(result)) > 0.01 * size:
                if result == 0 or not 0.01 <= value / result <= 100 or error > abs(result):
                    return value, estimate, 5
            done = estimate <= max(self.epsabs, self.epsrel * abs(value))
            return value, estimate, 0 if done else code or 5
        if code == 0:
            code = 0 if error <= max(self.epsabs, self.epsrel * abs(result)) else 5
        return result, error, code

    def info(self) -> dict[str, Any]:
        count = len(self.a)
        order = np.argsort(-np.array(self.e), kind="stable")
        lists = {
            name: np.concatenate([np.array(values)[:], np.zeros(max(self.limit - count, 0))])
            for name, values in (("alist", self.a), ("blist", self.b), ("rlist", self.r), ("elist", self.e))
        }
        iord = np.zeros(max(self.limit, count), np.int32)
        iord[:count] = order
        return {"neval": self.evaluations, "last": count, "iord": cp.asarray(iord)} | {
            name: cp.asarray(values) for name, values in lists.items()
        }


_MESSAGES: dict[Any, str] = {
    1: "The maximum number of subdivisions ({limit}) has been achieved.\n  Raising the limit may help; if it does not, look "  # noqa: E501
    "at the integrand and split the interval at its singularities or jumps.",
    2: "The occurrence of roundoff error is detected, which prevents \n  the requested tolerance from being achieved.  "
    "The error may be \n  underestimated.",
    3: "Extremely bad integrand behavior occurs at some points of the\n  integration interval.",
    4: "The algorithm does not converge.  Roundoff error is detected\n  in the extrapolation table.  The requested tolerance "  # noqa: E501
    "cannot be\n  achieved, and the returned result is the best that was found.",
    5: "The integral is probably divergent, or slowly convergent.",
    7: "Abnormal termination of the routine.  The estimates for result\n  and error are less reliable.",
    # Of an oscillating integral to infinity.
    "cycles": "The maximum number of cycles (limlst={limlst}) has been achieved.\n  The integral converges slowly or "
    "not at all; raising limlst may help.",
}


def quad(
    func: Callable[..., Any],
    a: float,
    b: float,
    args: Any = (),
    full_output: int = 0,
    epsabs: float = 1.49e-8,
    epsrel: float = 1.49e-8,
    limit: int = 50,
    points: Any = None,
    weight: str | None = None,
    wvar: Any = None,
    wopts: Any = None,
    maxp1: int = 50,
    limlst: int = 50,
    complex_func: bool = False,
) -> tuple[Any, ...]:
    """The integral of a function of one variable between two limits, which may be infinite.

    Adaptive Gauss-Kronrod integration with extrapolation. The function gets an array of points, one call an iteration,
    if it can take one: the first results are compared with one for a single number. Otherwise it is called with
    numbers.

    Parameters
    ----------
    func : callable
        `func(x, *args)`, of an array of points or of one number.
    a, b : float
        The limits.
    full_output : int, optional
        Not 0 to return a dictionary of the intervals, and the message instead of a warning.
    epsabs, epsrel : float, optional
        The absolute and the relative error asked for; the larger of the two counts.
    weight : {'cos', 'sin', 'alg', 'alg-loga', 'alg-logb', 'alg-log', 'cauchy'}, optional
        A weight function with the parameters `wvar`. Oscillating ones are integrated exactly with an interpolating
        polynomial, for any frequency.
    wvar : float or (float, float), optional
        The frequency, the exponents, or the pole.
    wopts, maxp1 : optional
        Moments of SciPy's routines, which are not needed here.
    limlst : int, optional
        The most cycles for 'cos' and 'sin' with an infinite limit.
    complex_func : bool, optional
        Whether the values are complex.

    Returns
    -------
    y : float or complex
        The integral.
    abserr : float
        An estimate of its error.
    infodict : dict
        With `full_output`.
    message : str
        With `full_output`, if the tolerance was not reached.

    Raises
    ------
    ValueError
        If the tolerances, the limit or the weight cannot be.

    Warns
    -----
    IntegrationWarning
        If the tolerance was not reached.

    >>> y, error = integrate.quad(lambda x: cp.exp(-x), 0, np.inf)
    >>> round(y, 12), error < 1e-7
    (1.0, True)
    """
    args = args if isinstance(args, tuple) else (args,)
    a, b = float(a), float(b)
    common = (epsabs, epsrel, limit, points, weight, wvar, wopts, maxp1, limlst)
    if complex_func:
        real = quad(lambda x, *rest: np.real(_plain(func(x, *rest))), a, b, args, full_output, *common)
        imaginary = quad(lambda x, *rest: np.imag(_plain(func(x, *rest))), a, b, args, full_output, *common)
        both = (real[0] + 1j * imaginary[0], real[1] + 1j * imaginary[1])
        return (*both, {"real": real[2:], "imag": imaginary[2:]}) if full_output else both
    if a == b:
        empty = {"neval": 0, "last": 0, "iord": cp.zeros(limit, np.int32)} | {
            name: cp.full(limit, np.nan) if name in ("alist", "blist") else cp.zeros(limit)
            for name in ("alist", "blist", "rlist", "elist")
        }
        return (0.0, 0.0, empty) if full_output else (0.0, 0.0)
    # `min` and `max` may lose a bound that is NaN.
    is_nan = math.isnan(a) or math.isnan(b)
    sign, a, b = (-1 if b < a else 1), min(a, b), max(a, b)
    if weight is not None and points is not None:
        warnings.warn(
            "Break points cannot be specified when using weighted integrand.\nContinuing, ignoring specified points.",
            category(IntegrationWarning),
            stacklevel=2,
        )
        points = None
    if epsabs <= 0 and epsrel < max(50 * EPSILON, 5e-29):
        raise ValueError("If 'epsabs'<=0, 'epsrel' must be greater than both 5e-29 and 50*(machine epsilon).")
    if limit < 1:
        raise ValueError("Invalid 'limit' argument. There must be at least one subinterval")
    if is_nan:
        return (math.nan, math.nan, {"neval": 0, "last": 0}) if full_output else (math.nan, math.nan)
    function = func if isinstance(func, Vectorized) else Vectorized(func, args)
    if weight is None:
        found, info = _unweighted(function, a, b, epsabs, epsrel, limit, points)
    else:
        found, info = _weighted(function, a, b, epsabs, epsrel, limit, weight, wvar, limlst)
    value, error, code = found
    value *= sign
    if code == 0:
        return (value, error, info) if full_output else (value, error)
    kind = "cycles" if code == 1 and "lst" in info else code
    message = _MESSAGES[kind].format(limit=limit, limlst=limlst)
    if full_output:
        return value, error, info, message
    warnings.warn(message, category(IntegrationWarning), stacklevel=2)
    return value, error


def _plain(value: Any) -> Any:
    return value if isinstance(value, (complex, float, int)) or hasattr(value, "real") else np.asarray(value)


def _unweighted(
    function: Callable[[Any], Any], a: float, b: float, epsabs: float, epsrel: float, limit: int, points: Any
) -> tuple[tuple[float, float, int], dict[str, Any]]:
    infinite = math.isinf(a) or math.isinf(b)
    if points is not None:
        if infinite:
            raise ValueError("Infinity inputs cannot be used with break points.")
        edges = sorted({float(p) for p in np.atleast_1d(points) if a < float(p) < b})
        if len(edges) >= limit:
            raise ValueError(f"Number of break points ({len(edges)}) must be less than subinterval limit ({limit})")
        edges = [a, *edges, b]
    elif infinite:
        function, edges = _from_infinity(function, a, b), [0.0, 1.0]
    else:
        edges = [a, b]
    search = _Adaptive(function, 15 if infinite else 21, epsabs, epsrel, limit)
    if math.isinf(a) and math.isinf(b):
        search.each = 30
    found = search.run(edges)
    return found, search.info()


def _from_infinity(function: Callable[[Any], Any], a: float, b: float) -> Callable[[Any], Any]:
    """The function on (0, 1] with x = bound + (1 - t) / t; over the whole line both directions together."""
    if math.isinf(a) and math.isinf(b) and a != b:

        def both(t: Any) -> Any:
            x = (1 - t) / t
            values = function(np.concatenate([x, -x]))
            return (values[: len(x)] + values[len(x) :]) / t / t

        return both
    if math.isinf(b) and math.isfinite(a):
        return lambda t: function(a + (1 - t) / t) / t / t
    if math.isinf(a) and math.isfinite(b):
        return lambda t: function(b - (1 - t) / t) / t / t
    raise ValueError(f"no integral from {a} to {b}")


def _weighted(
    function: Callable[[Any], Any],
    a: float,
    b: float,
    epsabs: float,
    epsrel: float,
    limit: int,
    weight: str,
    wvar: Any,
    limlst: int,
) -> tuple[tuple[float, float, int], dict[str, Any]]:
    infinite = math.isinf(a) or math.isinf(b)
    if weight in ("cos", "sin"):
        if math.isinf(a) and math.isinf(b):
            raise ValueError("Cannot integrate with this weight from -Inf to +Inf.")
        if not infinite:
            return oscillating(function, a, b, float(wvar), weight, epsabs, epsrel, limit)
        if epsabs <= 0:
            raise ValueError("Sine or cosine weighted integrals with infinite domain must have 'epsabs'>0.")
        if limlst < 3:
            raise ValueError("Cycle limit limlst must be >=3.")
        if math.isinf(a):
            reflected = function
            sign = -1.0 if weight == "sin" else 1.0
            return _cycles(lambda x: sign * reflected(-x), -b, float(wvar), weight, epsabs, limit, limlst)
        return _cycles(function, a, float(wvar), weight, epsabs, limit, limlst)
    if weight not in ("alg", "alg-loga", "alg-logb", "alg-log", "cauchy"):
        raise ValueError(f"{weight} not a recognized weighting function.")
    if infinite:
        raise ValueError("Cannot integrate with this weight over an infinite interval.")
    if weight == "cauchy":
        return _principal_value(function, a, b, float(wvar), epsabs, epsrel, limit)
    alpha, beta = (float(w) for w in wvar)
    if min(alpha, beta) <= -1:
        raise ValueError("wvar parameters (alpha, beta) must both be >= -1.")
    return _algebraic(function, a, b, alpha, beta, weight, epsabs, epsrel, limit)


def _cycles(
    function: Callable[[Any], Any], a: float, omega: float, weight: str, epsabs: float, limit: int, limlst: int
) -> tuple[tuple[float, float, int], dict[str, Any]]:
    """An oscillating integral to infinity: cycle by cycle, the sums extrapolated."""
    if omega == 0:
        if weight == "sin":
            return (0.0, 0.0, 0), {"neval": 0, "lst": 1}
        return _unweighted(function, a, math.inf, epsabs, 0.0, limit, None)
    cycle = (2 * math.floor(abs(omega)) + 1) * math.pi / abs(omega)
    sequence, total, evaluations, errors = _Extrapolation(), 0.0, 0, 0.0
    terms, code, value, error = [], 1, 0.0, math.inf
    for k in range(limlst):
        tolerance = epsabs * 0.1 * 0.9**k
        found, info = oscillating(function, a + k * cycle, a + (k + 1) * cycle, omega, weight, tolerance, 0.0, limit)
        total += found[0]
        errors += found[1]
        evaluations += info["neval"]
        terms.append(found[0])
        sequence.add(total)
        value, error = sequence.result()
        if not math.isfinite(total):
            return (total, math.inf, 3), {"neval": evaluations, "lst": k + 1}
        if k >= 5 and error + errors <= epsabs:
            code = 0
            break
        if k >= 2 and abs(terms[-1]) + abs(terms[-2]) <= 0.1 * epsabs:
            value, error, code = total, abs(terms[-1]) + abs(terms[-2]), 0
            break
    return (value, error + errors, code), {"neval": evaluations, "lst": len(terms), "rslst": cp.asarray(terms)}


def _principal_value(
    function: Callable[[Any], Any], a: float, b: float, pole: float, epsabs: float, epsrel: float, limit: int
) -> tuple[tuple[float, float, int], dict[str, Any]]:
    if pole in (a, b):
        raise ValueError("Parameter 'wvar' must not equal integration limits 'a' or 'b'.")
    if not a < pole < b:
        return _unweighted(lambda x: function(x) / (x - pole), a, b, epsabs, epsrel, limit, None)
    width = min(pole - a, b - pole)

    def folded(t: Any) -> Any:
        # Both sides of the pole together are smooth.
        values = function(np.concatenate([pole + t, pole - t]))
        return (values[: len(t)] - values[len(t) :]) / t

    found, info = _unweighted(folded, 0.0, width, epsabs / 2, epsrel, limit, None)
    rest = (pole + width, b) if pole - a < b - pole else (a, pole - width)
    if rest[0] < rest[1]:
        outer, _ = _unweighted(lambda x: function(x) / (x - pole), *rest, epsabs / 2, epsrel, limit, None)
        found = (found[0] + outer[0], found[1] + outer[1], max(found[2], outer[2]))
    return found, info


def _algebraic(
    function: Callable[[Any], Any],
    a: float,
    b: float,
    alpha: float,
    beta: float,
    weight: str,
    epsabs: float,
    epsrel: float,
    limit: int,
) -> tuple[tuple[float, float, int], dict[str, Any]]:
    """Powers and logarithms at the ends; x = a + t**p takes the pole out of a negative power."""
    middle = 0.5 * (a + b)
    log_a, log_b = weight in ("alg-loga", "alg-log"), weight in ("alg-logb", "alg-log")

    def half(start: float, sign: float, near: float, far: float, log_near: bool, log_far: bool) -> Any:
        power = max(1, math.ceil(1 / (1 + near))) if near < 0 else 1

        def integrand(t: Any) -> Any:
            distance = t**power
            other = (b - a) - distance
            values = function(start + sign * distance) * other**far * power * t ** (power * (near + 1) - 1)
            values = values * (power * np.log(t)) if log_near else values
            return values * np.log(other) if log_far else values

        return _unweighted(integrand, 0.0, (middle - a) ** (1 / power), epsabs / 2, epsrel, limit, None)

    left, info = half(a, 1.0, alpha, beta, log_a, log_b)
    right, more = half(b, -1.0, beta, alpha, log_b, log_a)
    info["neval"] += more["neval"]
    return (left[0] + right[0], left[1] + right[1], max(left[2], right[2])), info
