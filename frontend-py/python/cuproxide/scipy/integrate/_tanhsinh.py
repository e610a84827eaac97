"""Integrals and sums of elementwise functions, all elements at once: the tanh-sinh rule and the Euler-Maclaurin
formula."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, as_promoted, to_host
from ..._lib.elementwise import CONVERGED, GOING, NOT_FINITE, bind, iterate, prepare
from ..._lib.results import Result
from ..._typing import ArrayLike
from ._cubature import _log_sum

__all__ = ["nsum", "tanhsinh"]

# Points on each side at level 0.
BASE = 8
UNFIT, TOO_MANY = -1, -4


@functools.lru_cache(64)
def _level(level: int, h: float) -> tuple[Any, Any]:
    """The points that a level adds, as distances from the end of [-1, 1], and their weights, on the host."""
    step = h / 2**level
    most = BASE * 2**level
    j = np.arange(most + 1) if level == 0 else np.arange(1, most + 1, 2)
    u = np.pi / 2 * np.sinh(j * step)
    weights = np.pi / 2 * np.cosh(j * step) / np.cosh(u) ** 2
    distances = 1 / (np.exp(u) * np.cosh(u))
    if level == 0:
        # The middle belongs to both sides.
        weights[0] /= 2
    return distances, weights


@functools.lru_cache(16)
def _levels(first: int, last: int, h: float) -> tuple[Any, Any]:
    parts = [_level(level, h) for level in range(first, last + 1)]
    return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])


def _tolerances(log: bool, atol: Any, rtol: Any, extra: str = "") -> tuple[float, float | None]:
    atol = (-math.inf if log else 0.0) if atol is None else atol
    numbers = np.asarray([to_host(atol), 0.0 if rtol is None else to_host(rtol), 0.0])
    if numbers.dtype.kind != "f":
        raise ValueError("`atol` and `rtol` must be real numbers.")
    if log:
        if np.any(np.isposinf(numbers)) or (extra and np.any(np.isnan(numbers))):
            raise ValueError(f"`atol` and `rtol` may not be positive infinity{extra}.")
    elif np.any(numbers < 0) or np.any(np.isinf(numbers)) or (extra and np.any(np.isnan(numbers))):
        raise ValueError("`atol` and `rtol` must be non-negative and finite.")
    return float(numbers[0]), rtol if rtol is None else float(numbers[1])


def tanhsinh(
    f: Callable[..., Any],
    a: ArrayLike,
    b: ArrayLike,
    *,
    args: tuple[Any, ...] = (),
    kwargs: dict[str, Any] | None = None,
    log: bool = False,
    maxlevel: int | None = None,
    minlevel: int = 2,
    atol: float | None = None,
    rtol: float | None = None,
    preserve_shape: bool = False,
    callback: Callable[[Result], Any] | None = None,
) -> Result:
    """The integral of an elementwise function between limits, which may be infinite, by the tanh-sinh rule.

    Each level doubles the points; elements stop one by one. Singularities at the limits do no harm.

    Parameters
    ----------
    f : callable
        `f(x, *args, **kwargs)`, elementwise on arrays.
    a, b : array_like of float
        The limits, broadcast.
    log : bool, optional
        Whether `f` returns the logarithm of the integrand; the results are logarithms then.
    maxlevel, minlevel : int, optional
        The last level (10) and the first.
    atol, rtol : float, optional
        The tolerances; by default 0 and the machine epsilon to the power 3/4.
    preserve_shape : bool, optional
        Whether `f` always gets arrays of the shape of the limits (with an axis behind it), and may change shapes.
    callback : callable, optional
        Called with the results after each level; `StopIteration` ends the iterations.

    Returns
    -------
    Result
        With `success`, `status`, `integral`, `error`, `maxlevel`, `nfev`. The status is 0 (converged), -2 (too many
        levels),
        -3 (not finite) or -4 (stopped by the callback).

    Raises
    ------
    ValueError
        If an argument is of the wrong kind.

    >>> integrate.tanhsinh(lambda x: cp.exp(-x * x), -np.inf, cp.array([0.0, np.inf])).integral
    array([0.88622693, 1.77245385])
    """
    low, high = as_promoted(a, b)
    if not callable(f):
        raise ValueError("`f` must be callable.")
    if low.dtype.kind == "c" or high.dtype.kind == "c":
        raise ValueError("All elements of `a` and `b` must be real numbers.")
    if log not in {True, False}:
        raise ValueError("`log` must be True or False.")
    log = bool(log)
    atol, rtol = _tolerances(log, atol, rtol)
    maxlevel = 10 if maxlevel is None else maxlevel
    try:
        integers = (
            np.isreal(minlevel) and np.isreal(maxlevel) and int(maxlevel) == maxlevel and int(minlevel) == minlevel
        )
    except (TypeError, ValueError):
        integers = False
    if not integers:
        raise ValueError("`maxfun`, `maxlevel`, and `minlevel` must be integers.")
    if maxlevel < 0 or minlevel < 0:
        raise ValueError("`maxfun`, `maxlevel`, and `minlevel` must be non-negative.")
    minlevel, maxlevel = min(int(minlevel), int(maxlevel)), int(maxlevel)
    f, args = bind(f, args, kwargs)
    if preserve_shape not in {True, False}:
        raise ValueError("`preserve_shape` must be True or False.")
    if callback is not None and not callable(callback):
        raise ValueError("`callback` must be callable.")
    low, high = cp.broadcast_arrays(low, high)
    infinite = (cp.isinf(low), cp.isinf(high))
    # Some point between the limits.
    middle = cp.where(
        infinite[0] & infinite[1],
        0.0,
        cp.where(infinite[0], high - 1, cp.where(infinite[1], low + 1, (low + high) / 2)),
    )
    func, _, (first,), extra, shape, dtype = prepare(
        f, (middle,), args, complex_ok=True, preserve_shape=bool(preserve_shape)
    )
    low, high = (cp.broadcast_to(v, shape).reshape(-1).astype(np.float64) for v in (low, high))
    real = np.dtype(dtype.char.lower()) if dtype.kind == "c" else dtype
    low, high = low.astype(real), high.astype(real)
    search = _TanhSinh(low, high, first, log, minlevel, real, dtype, atol, rtol)
    fields = [("status", "status"), ("integral", "Sn"), ("error", "aerr"), ("nit", "nit"), ("nfev", "nfev")]

    def finish(result: Result) -> None:
        negative = search.negative
        if log:
            turned = bool(cp.any(negative))
            if turned:
                result["integral"] = result["integral"] + negative * (math.pi * 1j)
        else:
            result["integral"] = cp.where(negative, -result["integral"], result["integral"])
        result["error"] = cp.real(result["error"])
        nit = result.pop("nit")
        nfev = result.pop("nfev")
        result["maxlevel"] = cp.where(nit == 0, -1, minlevel + nit - 1).astype(np.int32)
        result["nfev"] = nfev

    return iterate(
        search.work,
        func,
        extra,
        shape,
        dtype,
        maxlevel - minlevel + 1,
        search.before,
        search.after,
        search.check,
        fields,
        between=search.between,
        finish=finish,
        callback=callback,
        preserve_shape=bool(preserve_shape),
    )


class _TanhSinh:
    """The steps of the iteration."""

    def __init__(
        self,
        a: ndarray,
        b: ndarray,
        first: ndarray,
        log: bool,
        minlevel: int,
        real: np.dtype[Any],
        dtype: np.dtype[Any],
        atol: float,
        rtol: float | None,
    ) -> None:
        limits = np.finfo(real)
        self.eps = float(limits.eps)
        self.log, self.minlevel, self.real, self.dtype, self.atol = log, minlevel, real, dtype, atol
        self.rtol = (0.75 * math.log(self.eps) if log else self.eps**0.75) if rtol is None else rtol
        # The largest argument at which the weights can still be told from zero.
        self.h = math.asinh(math.log(2 / (4 * float(limits.smallest_normal)) - 1) / math.pi) / BASE
        same = a == b
        bad = cp.isnan(a) | cp.isnan(b) | cp.isnan(first)
        a, b = cp.where(same, 1, a), cp.where(same, 1, b)
        self.negative = b < a
        a, b = cp.where(self.negative, b, a), cp.where(self.negative, a, b)
        whole = cp.isinf(a) & cp.isinf(b)
        left = cp.isinf(a) & ~whole
        # A range to minus infinity is reflected; one to infinity becomes (0, 1] with its start kept.
        a, b = cp.where(whole, -1, cp.where(left, -b, a)), cp.where(whole, 1, cp.where(left, -a, b))
        half = cp.isinf(b)
        start = a
        a, b = cp.where(half, 0, a), cp.where(half, 1, b)
        zero = -math.inf if log else 0.0
        total = cp.where(bad, math.nan, zero).astype(dtype)
        n = total.shape[0]
        self.work = Result(
            a=a,
            b=b,
            start=start,
            whole=whole,
            left=left,
            half=half,
            Sn=total,
            aerr=cp.full(n, math.nan, real),
            same=same,
            bad=bad,
            xr=cp.full(n, -math.inf, real),
            fr=cp.full(n, math.nan, dtype),
            wr=cp.zeros(n, real),
            xl=cp.full(n, math.inf, real),
            fl=cp.full(n, math.nan, dtype),
            wl=cp.zeros(n, real),
            d4=cp.zeros(n, real),
            nit=0,
            nfev=1,
            status=cp.full(n, GOING, np.int32),
        )
        self.previous: list[str] = []
        self.level = minlevel

    def before(self, work: Result) -> ndarray:
        first = self.level == self.minlevel
        distances, weights = _levels(0 if first else self.level, self.level, self.h)
        d, w = cp.asarray(distances, dtype=self.real), cp.asarray(weights, dtype=self.real)
        alpha = ((work.b - work.a) / 2)[:, None]
        x = cp.concatenate([work.b[:, None] - alpha * d, work.a[:, None] + alpha * d], axis=1)
        w = cp.concatenate([w, w]) * alpha
        # Points that round to a limit count nothing.
        work.w = cp.where((x <= work.a[:, None]) | (x >= work.b[:, None]), 0, w)
        work.x = x
        x = cp.where(
            work.whole[:, None], x / (1 - x**2), cp.where(work.half[:, None], 1 / x - 1 + work.start[:, None], x)
        )
        return cp.where(work.left[:, None], -x, x).astype(self.dtype)

    def _sum(self, values: ndarray) -> ndarray:
        return _log_sum(values, axis=1) if self.log else cp.sum(values, axis=1)

    def after(self, _: ndarray, f: ndarray, work: Result) -> None:
        x, w = work.x, work.w
        if self.log:
            f = f + cp.where(work.whole[:, None], cp.log(1 + x**2) - 2 * cp.log(1 - x**2), 0)
            f = f - cp.where(work.half[:, None], 2 * cp.log(x), 0)
        else:
            f = f * cp.where(
                work.whole[:, None], (1 + x**2) / (1 - x**2) ** 2, cp.where(work.half[:, None], x**-2.0, 1)
            )
        count = x.shape[1] // 2
        usable = cp.isfinite(f) & (w != 0)
        # What is not finite near a limit is taken as the outermost finite value on its side.
        sides = []
        for name, part, sign in (("r", slice(None, count), 1.0), ("l", slice(count, None), -1.0)):
            reach = cp.where(usable[:, part], x[:, part] * sign, -math.inf)
            best = cp.argmax(reach, axis=1)[:, None]
            found = cp.take_along_axis(reach, best, axis=1)[:, 0]
            further = found > work["x" + name] * sign
            work["x" + name] = cp.where(further, found * sign, work["x" + name])
            for key, source in (("f", f), ("w", w)):
                value = cp.take_along_axis(source[:, part], best, axis=1)[:, 0]
                work[key + name] = cp.where(further, value, work[key + name])
            sides.append(cp.where(usable[:, part], f[:, part], work["f" + name][:, None]))
        f = cp.concatenate(sides, axis=1)
        if self.log:
            ends = [cp.real(work["f" + name]) + cp.log(work["w" + name]) for name in "rl"]
            work.terms = f + cp.log(w)
        else:
            ends = [abs(work["f" + name] * work["w" + name]) for name in "rl"]
            work.terms = f * w
        work.d4 = cp.maximum(*ends)
        h = self.h / 2**self.level
        total = self._sum(work.terms) + math.log(h) if self.log else self._sum(work.terms) * h
        if self.previous:
            last = work[self.previous[-1]]
            if self.log:
                total = _log_sum(cp.stack([last - math.log(2), total]), axis=0)
            else:
                total = last / 2 + total
        work.Sn = total.astype(self.dtype)

    def _coarse(self, work: Result, levels: int) -> ndarray:
        """The sum of the first level of the iteration, from the points of the levels below only."""
        count = _levels(0, self.level - levels, self.h)[0].size
        half = work.terms.shape[1] // 2
        terms = cp.concatenate([work.terms[:, :count], work.terms[:, half : half + count]], axis=1)
        h = self.h / 2 ** (self.level - levels)
        return self._sum(terms) + math.log(h) if self.log else self._sum(terms) * h

    def _error(self, work: Result) -> tuple[ndarray, ndarray]:
        if self.level == 0:
            nan = cp.full(work.Sn.shape, math.nan)
            return nan, nan
        if not self.previous:
            work.S0 = self._coarse(work, 1).astype(self.dtype)
            self.previous = ["S0"]
        if self.level == 1:
            nan = cp.full(work.Sn.shape, math.nan)
            return nan, nan
        if len(self.previous) < 2:
            work.S00 = self._coarse(work, 2).astype(self.dtype)
            self.previous.insert(0, "S00")
        two, one = work[self.previous[-2]], work[self.previous[-1]]
        if self.log:
            turned = np.pi * 1j
            d1 = cp.real(_log_sum(cp.stack([work.Sn + 0j, one + turned]), axis=0))
            d2 = cp.real(_log_sum(cp.stack([work.Sn + 0j, two + turned]), axis=0))
            d3 = math.log(self.eps) + cp.max(cp.real(work.terms), axis=1)
            d5 = math.log(self.eps) + cp.real(work.Sn)
            guess = cp.where(d1 > -math.inf, d1**2 / d2, -math.inf)
            error = cp.clip(cp.max(cp.stack([guess, 2 * d1, d3, work.d4]), axis=0), d5, d1)
            return error - cp.real(work.Sn), error
        d1, d2 = abs(work.Sn - one), abs(work.Sn - two)
        d3 = self.eps * cp.max(abs(work.terms), axis=1)
        d5 = self.eps * abs(work.Sn)
        guess = cp.where(d1 > 0, d1 ** (cp.log(d1) / cp.log(d2)), 0)
        error = cp.clip(cp.max(cp.stack([guess, d1**2, d3, work.d4]), axis=0), d5, d1)
        return error / abs(work.Sn), error

    def check(self, work: Result) -> ndarray:
        if work.nit == 0:
            value = cp.where(work.bad, math.nan, -math.inf if self.log else 0.0)
            work.Sn = cp.where(work.same, value, work.Sn).astype(self.dtype)
            work.aerr = cp.where(work.same, value, work.aerr).astype(self.real)
            stop = work.same
        else:
            relative, error = self._error(work)
            stop = (relative < self.rtol) | (error < self.atol)
            work.aerr = error.astype(self.real)
        work.status = cp.where(stop, CONVERGED, work.status)
        if self.log:
            total = cp.real(work.Sn)
            bad = ((total == math.inf) | cp.isnan(work.Sn)) & ~stop
        else:
            bad = ~cp.isfinite(work.Sn) & ~stop
        work.status = cp.where(bad, NOT_FINITE, work.status)
        return stop | bad

    def between(self, work: Result) -> None:
        self.level += 1
        name = f"S{self.level}"
        work[name] = work.Sn
        self.previous.append(name)


def nsum(
    f: Callable[..., Any],
    a: ArrayLike,
    b: ArrayLike,
    *,
    step: ArrayLike = 1,
    args: tuple[Any, ...] = (),
    kwargs: dict[str, Any] | None = None,
    log: bool = False,
    maxterms: int = 2**20,
    tolerances: dict[str, float] | None = None,
) -> Result:
    """The sum of an elementwise function over equally spaced points, finitely or infinitely many.

    Sums of at most `maxterms` terms are taken directly. Longer ones of falling terms are an integral with bounds of the
    error from the integral test.

    Parameters
    ----------
    f : callable
        `f(x, *args, **kwargs)`, elementwise on arrays; falling in the tail.
    a, b : array_like of float
        The first and the last point.
    step : array_like of float, optional
        Their distance.
    log : bool, optional
        Whether `f` returns the logarithm of the terms; the results are logarithms then.
    maxterms : int, optional
        The most terms that are summed directly.
    tolerances : dict, optional
        `atol` and `rtol` of the integrals and of where they begin.

    Returns
    -------
    Result
        With `sum`, `error`, `status`, `success`, `nfev`. The status is 0, -1 (limits or step that cannot be), -2 (the
        integral did not converge), -3 (not finite) or -4 (terms too large after `maxterms`).

    Raises
    ------
    ValueError
        If an argument is of the wrong kind.

    >>> from cuproxide.scipy import integrate
    >>> bool(abs(integrate.nsum(lambda k: 1 / k**2, 1, np.inf).sum - np.pi**2 / 6) < 1e-8)
    True
    """
    low, high, gap = as_promoted(a, b, step)
    if not callable(f):
        raise ValueError("`f` must be callable.")
    if any(v.dtype.kind == "c" for v in (low, high, gap)):
        raise ValueError("All elements of `a`, `b`, and `step` must be real numbers.")
    if log not in {True, False}:
        raise ValueError("`log` must be True or False.")
    tolerances = tolerances or {}
    atol, rtol = _tolerances(log, tolerances.get("atol"), tolerances.get("rtol"), " or NaN")
    if maxterms < 0 or int(maxterms) != maxterms:
        raise ValueError("`maxterms` must be a non-negative integer.")
    f, args = bind(f, args, kwargs)
    low, high, gap = cp.broadcast_arrays(low, high, gap)
    func, (start,), _, extra, shape, dtype = prepare(f, (low,), args)
    end = cp.broadcast_to(high, shape).reshape(-1).astype(dtype)
    gap = cp.broadcast_to(gap, shape).reshape(-1).astype(dtype)
    fit = (end >= start) & cp.isfinite(gap) & (gap > 0)
    terms = cp.floor((end - start) / gap)
    end = cp.where(cp.isfinite(terms), start + terms * gap, end)
    eps = float(np.finfo(dtype).eps)
    rtol = (0.5 * math.log(eps) if log else eps**0.5) if rtol is None else rtol
    direct = fit & (terms + 1 <= maxterms)
    upward = fit & ~direct & cp.isfinite(start)
    downward = fit & ~direct & ~upward & cp.isfinite(end)
    both = fit & ~direct & ~upward & ~downward
    zero = -math.inf if log else 0.0
    n = start.shape[0]
    empty = end < start
    total = cp.where(empty, zero, cp.full(n, math.nan, dtype)).astype(dtype)
    error = total.copy()
    status = cp.where(fit | empty, 0, UNFIT).astype(np.int32)
    nfev = cp.ones(n, np.int32)
    sums = _Sums(func, dtype, bool(log), eps, rtol, atol, int(maxterms))

    def two_sided(x: ndarray, *rest: Any) -> ndarray:
        # Zero is a point of both sides.
        if log:
            halved = cp.where(x == 0, math.log(0.5), 0)
            return _log_sum(cp.stack([func(x, *rest), func(-x, *rest)]), axis=0) + halved
        return (func(x, *rest) + func(-x, *rest)) * cp.where(x == 0, 0.5, 1)

    def reflected(x: ndarray, *rest: Any) -> ndarray:
        return func(-x, *rest)

    # Each kind of sum takes the elements that it is for: one read tells how many there are of each.
    counts = cp.stack([cp.count_nonzero(mask) for mask in (direct, upward, downward, both)]).tolist()
    for kind, mask in enumerate((direct, upward, downward, both)):
        if not counts[kind]:
            continue
        at = cp.flatnonzero(mask)
        own = [arg[at] for arg in extra]
        first, last, width = start[at], end[at], gap[at]
        if kind == 0:
            value, wrong, calls = sums.direct(func, first, last, width, own, True)
            code: Any = cp.where(cp.isfinite(value), 0, NOT_FINITE)
        elif kind == 1:
            value, wrong, code, calls = sums.tail(func, first, last, width, own)
        elif kind == 2:
            value, wrong, code, calls = sums.tail(reflected, -last, -first, width, own)
        else:
            value, wrong, code, calls = sums.tail(two_sided, cp.zeros_like(first), last, width, own)
            calls = 2 * calls
        total[at], error[at] = value.astype(dtype), wrong.astype(dtype)
        status[at] = code.astype(np.int32)
        nfev[at] = (nfev[at] + calls).astype(np.int32)
    total, error, status, nfev = (v.reshape(shape) for v in (total, error, status, nfev))
    return Result(sum=total, error=error, status=status, success=status == 0, nfev=nfev)


class _Sums:
    def __init__(self, f: Any, dtype: Any, log: bool, eps: float, rtol: float, atol: float, maxterms: int) -> None:
        self.dtype, self.log, self.eps, self.rtol, self.atol, self.maxterms = dtype, log, eps, rtol, atol, maxterms
        self.zero = -math.inf if log else 0.0

    def direct(self, f: Any, a: ndarray, b: ndarray, step: ndarray, args: list[ndarray], inclusive: bool) -> Any:
        """The sum of all terms, a bound of its rounding and the number of terms."""
        more = int(inclusive)
        # A tail that is given up has no terms.
        length = cp.nan_to_num(cp.round((b - a) / step) + more, nan=0.0)
        most = int(cp.max(length))
        points = a[:, None] + cp.arange(most, dtype=self.dtype) * step[:, None]
        beyond = ~(points < b[:, None] + more * step[:, None] / 2)
        values = f(cp.where(beyond, math.nan, points), *[arg[:, None] for arg in args])
        values = cp.where(beyond, self.zero, as_device(values))
        count = most - cp.count_nonzero(beyond, axis=1)
        if self.log:
            total = _log_sum(values, axis=1) if most else cp.full(a.shape, self.zero)
            return total, cp.real(total) + math.log(self.eps), count
        total = cp.sum(values, axis=1)
        return total, self.eps * abs(total), count

    def tail(self, f: Any, a: ndarray, b: ndarray, step: ndarray, args: list[ndarray]) -> Any:
        """Some terms directly, then an integral: the sum lies between it and it plus the first term."""
        log, maxterms = self.log, self.maxterms
        whole = tanhsinh(f, a, b, args=tuple(args), atol=self.atol, rtol=self.rtol, log=log)
        tolerance = cp.full(whole.integral.shape, self.atol)
        if log:
            tolerance = _log_sum(cp.stack([tolerance, cp.real(self.rtol + whole.integral)]), axis=0)
        else:
            tolerance = tolerance + self.rtol * whole.integral
        given_up = whole.status == NOT_FINITE
        tolerance = cp.where(given_up, math.nan, tolerance)
        # At which of the powers of two the terms fall and are small enough.
        powers = math.floor(math.log2(maxterms)) if maxterms else 0
        tried = cp.asarray([*(2.0**k for k in range(powers)), float(maxterms)], dtype=self.dtype)
        points = a[:, None] + tried * step[:, None]
        wide = [arg[:, None] for arg in args]
        here, after = as_device(f(points, *wide)), as_device(f(points + step[:, None], *wide))
        short = cp.count_nonzero((here > tolerance[:, None]) | (after > here), axis=1)
        chosen = cp.minimum(short, tried.size - 1)
        insufficient = short == tried.size
        k = a + tried[chosen] * step
        left, left_error, left_count = self.direct(f, a, k, step, args, False)
        infinite = cp.isinf(left) & (left > 0)
        given_up = given_up | infinite
        status = cp.where(infinite, NOT_FINITE, whole.status)
        k = cp.where(given_up, math.nan, k)
        right = tanhsinh(f, k, b, args=tuple(args), atol=self.atol, rtol=self.rtol, log=log)
        first = cp.take_along_axis(here, chosen[:, None], axis=1)[:, 0]
        finite = cp.isfinite(b)
        last = cp.where(finite, as_device(f(cp.where(finite, b, a), *args)), self.zero)
        if log:
            gap = cp.log(step)
            parts = [left, cp.real(right.integral) - gap, first - math.log(2), last - math.log(2)]
            total = _log_sum(cp.stack(parts), axis=0)
            parts = [
                left_error + 0j,
                right.error - gap + 0j,
                first - math.log(2) + 0j,
                last - math.log(2) + math.pi * 1j,
            ]
            error = cp.real(_log_sum(cp.stack(parts), axis=0))
        else:
            total = left + right.integral / step + first / 2 + last / 2
            error = left_error + right.error / step + first / 2 - last / 2
        status = cp.where(given_up, status, right.status)
        status = cp.where((status == 0) & insufficient, TOO_MANY, status)
        calls = left_count + right.nfev + 2 * tried.size + finite.astype(np.int32) + whole.nfev
        return total, error, status, calls
