"""Discrete distributions: the class that rows of the table and users' subclasses share."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_float
from ._base import answer, rv_generic
from ._common import holds, points, quiet, shape_of
from ._math import INF, NAN, both, exp, floor, isfinite, isnan, log, minimum, where

__all__ = ["rv_discrete"]

# Most points of a support that sums of a user's distribution look at, and the first number of them.
_MOST_POINTS, _FIRST_POINTS, _FARTHEST = 1 << 20, 1 << 10, 2.0**52
# Most points on either side of the median that expected values take into account.
_MOST_ADDED = 1 << 23
# Rounding that a share is allowed where a quantile is sought, relative to the smaller of both tails.
_ROUNDING = 64 * 2.0**-52


def lenient(q: Any, upper: bool) -> Any:
    """The share, moved by the rounding of the cdf (for `upper`, of the sf), so that an exactly reached share counts."""
    slack = _ROUNDING * minimum(q, 1 - q)
    return q + slack if upper else q - slack


class rv_discrete(rv_generic):
    """A discrete distribution.

    Subclasses state `_pmf` or `_cdf`; `values=(xk, pk)` makes a distribution of a table of values and probabilities.

    Parameters
    ----------
    a, b : float, optional
        The ends of the support; 0 and infinity by default.
    name, longname : str, optional
        The name.
    badvalue : float, optional
        The result for parameters outside of their range; NaN by default.
    moment_tol : float, optional
        The tolerance of sums for moments.
    values : tuple of array_like, optional
        Integers, and their probabilities.
    inc : int, optional
        The step of the support.
    shapes : str, optional
        The names of the shape parameters, separated by commas; those of `_pmf` or `_cdf` by default.
    seed : Generator, int or None, optional
        Where random numbers come from.

    >>> dice = cp.scipy.stats.rv_discrete(values=([1, 2, 3], [0.5, 0.25, 0.25]))
    >>> float(dice.mean())
    1.75
    """

    _root = True
    _has_scale = False

    def __new__(cls, *args: Any, values: Any = None, **kwds: Any) -> Any:
        if values is not None or (len(args) > 5 and args[5] is not None):
            return super().__new__(rv_sample)
        return super().__new__(cls)

    def __init__(
        self,
        a: float = 0,
        b: float = np.inf,
        name: str | None = None,
        badvalue: float | None = None,
        moment_tol: float = 1e-8,
        values: Any = None,
        inc: int = 1,
        longname: str | None = None,
        shapes: str | None = None,
        seed: Any = None,
    ) -> None:
        super().__init__(seed)
        self.badvalue = np.nan if badvalue is None else badvalue
        self.name = "Distribution" if name is None else name
        self.a, self.b = np.float64(a), np.float64(b)
        self.inc, self.moment_tol, self.longname = inc, moment_tol, longname
        if shapes is not None or not hasattr(self, "shapes"):
            self.shapes = shapes
        self._set_shapes()

    # ------------------------------------------------------------------------------------ formulas and their defaults

    def _states(self, *names: str) -> bool:
        return any(getattr(type(self), name) is not getattr(rv_discrete, name) for name in names)

    def _pmf(self, k: Any, *args: Any) -> Any:
        if self._states("_logpmf"):
            return exp(self._logpmf(k, *args))
        return self._cdf(k, *args) - self._cdf(k - 1, *args)

    def _logpmf(self, k: Any, *args: Any) -> Any:
        return log(self._pmf(k, *args))

    def _grid(self, last: float, *args: Any) -> tuple[ndarray, ndarray]:
        """Points of the support from its lower end to `last` along a leading axis, and their probabilities."""
        low, _ = self._get_support(*args)
        low = to_float(low.min()) if isinstance(low, ndarray) else float(low)
        if np.isinf(low):
            low = self._start(*args)
        count = int(min(max(last - low, 0), _MOST_POINTS)) + 1
        k = (cp.arange(count, dtype=np.float64) + low).reshape((-1,) + (1,) * len(shape_of(*args)))
        mass = where(self._support_mask(k, *args), self._pmf(k, *args), 0.0)
        # Far out a formula may be a quotient of infinities.
        mass = cp.where(isnan(mass), 0.0, mass)
        return k, cp.broadcast_to(mass, np.broadcast_shapes(mass.shape, (1, *shape_of(*args))))

    def _start(self, *args: Any) -> float:
        """Where sums over a support that is open below begin: where its probabilities are too small to count."""
        starts = -np.array([_FIRST_POINTS, _FIRST_POINTS * 16, _MOST_POINTS // 2], dtype=np.float64)
        mass = self._pmf(cp.array(starts).reshape((-1,) + (1,) * len(shape_of(*args))), *args)
        small = (mass * np.float64(_MOST_POINTS) < 1e-16).reshape(len(starts), -1).all(axis=1).get()
        return float(starts[np.argmax(small)] if small.any() else starts[-1])

    def _cdf(self, x: Any, *args: Any) -> Any:
        shape = np.broadcast_shapes(x.shape, shape_of(*args))
        finite = cp.where(cp.isfinite(x), x, 0.0)
        k, mass = self._grid(to_float(finite.max()) if x.size else 0.0, *args)
        total = cp.concatenate([cp.zeros((1, *mass.shape[1:])), cp.cumsum(mass, axis=0)])
        place = cp.floor(x) - k.ravel()[0] + 1
        at = cp.clip(place, 0, total.shape[0] - 1)
        at = cp.broadcast_to(cp.where(isnan(at), 0, at).astype(np.int64), shape)
        total = cp.broadcast_to(
            total.reshape(total.shape[0], *(1,) * (len(shape) - total.ndim + 1), *total.shape[1:]),
            (total.shape[0], *shape),
        )
        value = cp.take_along_axis(total, at[None], axis=0)[0]
        # Behind the last point of the grid the sum is known only if nothing is left.
        return cp.where((place >= total.shape[0]) & (value < 1 - 1e-12), np.nan, value)

    def _sf(self, k: Any, *args: Any) -> Any:
        return 1 - self._cdf(k, *args)

    def _logcdf(self, k: Any, *args: Any) -> Any:
        return log(self._cdf(k, *args))

    def _logsf(self, k: Any, *args: Any) -> Any:
        return log(self._sf(k, *args))

    def _ppf(self, q: Any, *args: Any) -> Any:
        return self._search(lambda k: self._cdf(k, *args) >= lenient(q, False), both(q > 0, q < 1), *args)

    def _isf(self, q: Any, *args: Any) -> Any:
        return self._search(lambda k: self._sf(k, *args) <= lenient(q, True), both(q > 0, q < 1), *args)

    def _search(self, reached: Callable[[Any], Any], wanted: Any, *args: Any) -> Any:
        """The least point of the support at which a condition holds: growing steps outwards, then bisection.

        Each element has a bracket of its own, and those that are not `wanted` none: far from where the mass is, a
        formula may lose its digits.
        """
        shape = np.broadcast_shapes(wanted.shape, shape_of(*args))
        first, last = (cp.broadcast_to(points(end), shape) for end in self._get_support(*args))
        below, above = cp.isinf(first) & wanted, cp.isinf(last) & wanted
        low = cp.where(cp.isinf(first), cp.where(cp.isinf(last), -16.0, last - 16), first - 1)
        high = cp.where(cp.isinf(last), low + 32, last)
        step = 16.0
        below = below & reached(low)
        while step < _FARTHEST and not holds(~below):
            low, high = cp.where(below, low - step, low), cp.where(below, low, high)
            below, step = below & reached(low), step * 16
        step = 16.0
        above = above & ~reached(high)
        while step < _FARTHEST and not holds(~above):
            low, high = cp.where(above, high, low), cp.where(above, high + step, high)
            above, step = above & ~reached(high), step * 16
        for step_number in range(64):
            if step_number % 8 == 0 and holds(high - low <= 1):
                break
            middle = cp.floor((low + high) / 2)
            up = reached(middle)
            open_ = high - low > 1
            low, high = cp.where(up | ~open_, low, middle), cp.where(up & open_, middle, high)
            cp.evaluate(low, high)
        return cp.where(above, INF, cp.where(below, -INF, high))

    def _moment_sum(self, f: Callable[[Any], Any], *args: Any) -> Any:
        """The sum of a function over the support by the probabilities, until the rest is too small to count."""
        _, high = self._get_support(*args)
        high = to_float(high.max()) if isinstance(high, ndarray) else float(high)
        last, before = float(_FIRST_POINTS), None
        while True:
            k, mass = self._grid(min(last, high), *args)
            total = (f(k) * mass).sum(axis=0)
            if last >= min(high, _MOST_POINTS) or (
                before is not None and holds(abs(total - before) <= 1e-15 * abs(total))
            ):
                return total
            before, last = total, last * 8

    def _raw_moment(self, n: int, *args: Any) -> Any:
        return self._moment_about(n, 0.0, *args)

    def _moment_about(self, n: int, centre: Any, *args: Any) -> Any:
        return self._moment_sum(lambda k: (k - centre) ** n, *args)

    def _entropy(self, *args: Any) -> Any:
        return self._moment_sum(lambda k: -_log_or_zero(self._pmf(k, *args)), *args)

    def _support_mask(self, k: Any, *args: Any) -> Any:
        low, high = self._get_support(*args)
        return both(low <= k, k <= high, isfinite(k))

    def _nonzero(self, k: Any, *args: Any) -> Any:
        return floor(k) == k

    # ------------------------------------------------------------------------------------ functions of points

    def pmf(self, k: Any, *args: Any, **kwds: Any) -> ndarray:
        """The probability of `k`."""
        with quiet():
            y, shapes, _, _, good = self._prepare(k, args, kwds)
            inside = both(self._support_mask(y, *shapes), self._nonzero(y, *shapes))
            return answer(good, y, where(inside, cp.clip(self._pmf(y, *shapes), 0.0, 1.0), 0.0))

    def logpmf(self, k: Any, *args: Any, **kwds: Any) -> ndarray:
        """The logarithm of the probability of `k`."""
        with quiet():
            y, shapes, _, _, good = self._prepare(k, args, kwds)
            inside = both(self._support_mask(y, *shapes), self._nonzero(y, *shapes))
            return answer(good, y, where(inside, self._logpmf(y, *shapes), -INF))

    def _cumulative(self, formula: str, k: Any, args: Any, kwds: Any, below: float, above: float) -> ndarray:
        with quiet():
            y, shapes, _, _, good = self._prepare(k, args, kwds)
            low, high = self._get_support(*shapes)
            value = getattr(self, formula)(floor(y), *shapes)
            if above in (0.0, 1.0) and below in (0.0, 1.0):
                value = cp.clip(value, 0.0, 1.0)
            value = where(y >= high, above, where(y < low, below, value))
            return answer(good, y, value)

    def cdf(self, k: Any, *args: Any, **kwds: Any) -> ndarray:
        """The probability of values up to `k`."""
        return self._cumulative("_cdf", k, args, kwds, 0.0, 1.0)

    def sf(self, k: Any, *args: Any, **kwds: Any) -> ndarray:
        """The probability of values above `k`."""
        return self._cumulative("_sf", k, args, kwds, 1.0, 0.0)

    def logcdf(self, k: Any, *args: Any, **kwds: Any) -> ndarray:
        """The logarithm of `cdf`."""
        return self._cumulative("_logcdf", k, args, kwds, -np.inf, 0.0)

    def logsf(self, k: Any, *args: Any, **kwds: Any) -> ndarray:
        """The logarithm of `sf`."""
        return self._cumulative("_logsf", k, args, kwds, 0.0, -np.inf)

    def _quantile(self, formula: str, q: Any, args: Any, kwds: Any, upper: bool) -> ndarray:
        with quiet():
            shapes, loc, scale = self._parse(args, kwds)
            q = points(q)
            low, high = self._get_support(*shapes)
            at_zero, at_one = (high, low - 1) if upper else (low - 1, high)
            value = where(q == 0, at_zero, where(q == 1, at_one, getattr(self, formula)(q, *shapes)))
            if not isinstance(loc, np.float64) or loc != 0:
                value = value + loc
            good = self._good(shapes, loc, scale)
            # NaN is no share either.
            return answer(good, q, value) if good is False else where(both(good, q >= 0, q <= 1), value, NAN)

    def ppf(self, q: Any, *args: Any, **kwds: Any) -> ndarray:
        """The least value that at least a share `q` does not exceed."""
        return self._quantile("_ppf", q, args, kwds, False)

    def isf(self, q: Any, *args: Any, **kwds: Any) -> ndarray:
        """The least value that at most a share `q` exceeds."""
        return self._quantile("_isf", q, args, kwds, True)

    def nnlf(self, theta: Any, x: Any) -> ndarray:
        """The negative logarithm of the likelihood of data, for shapes and location."""
        return -self.logpmf(x, *theta).sum()

    def expect(
        self,
        func: Callable[[Any], Any] | None = None,
        args: tuple[Any, ...] = (),
        loc: float = 0,
        lb: float | None = None,
        ub: float | None = None,
        conditional: bool = False,
        maxcount: int = 1000,
        tolerance: float = 1e-10,
        chunksize: int = 32,
    ) -> ndarray:
        """The expected value of a function, which is called with an array of points.

        Parameters
        ----------
        maxcount : int
            The greatest number of terms.
        tolerance : float
            The size below which terms count as zero.
        chunksize : int
            How many terms are computed at a time.

        Notes
        -----
        The sum over a support of more than a million points begins at the median, and ends where terms no longer count.
        Where this takes more than 8 million points on a side, the result is NaN with a `RuntimeWarning`.
        """
        shapes, loc, _ = self._parse(args, {"loc": loc})
        low, high = (to_float(end) for end in self._get_support(*shapes))
        lower = low if lb is None else max(low, float(lb) - float(loc))
        upper = high if ub is None else min(high, float(ub) - float(loc))
        terms = (lambda k: k + loc) if func is None else lambda k: func(k + loc)
        if func is None and (lower, upper) == (low, high):
            return self.mean(*shapes) + loc
        if upper - lower < _MOST_POINTS:
            total, mass, _ = self._weighed(terms, lower, upper, shapes)
        else:
            middle = min(max(np.floor(to_float(self.ppf(0.5, *shapes))), lower), upper)
            total, mass = self._weighed_outwards(terms, middle, lower, upper, shapes)
        return total / mass if conditional else total

    def _weighed(self, terms: Any, low: float, high: float, shapes: tuple[Any, ...]) -> tuple[Any, Any, Any]:
        """The sum of a function by probabilities, the sum of these, and that of the sizes of the first."""
        k = low + cp.arange(max(high - low + 1, 0), dtype=np.float64)
        mass = self.pmf(k, *shapes)
        weighed = terms(k) * mass
        return weighed.sum(), mass.sum(), abs(weighed).sum()

    def _weighed_outwards(
        self, terms: Any, middle: float, low: float, high: float, shapes: tuple[Any, ...]
    ) -> tuple[Any, Any]:
        """The sums over a large support: parts that grow, up and down from the middle, until they no longer count."""
        # NaN for invalid parameters, as the median is.
        total: Any = 0.0 * middle
        mass = size = 0.0
        for direction, end in ((1, high), (-1, low)):
            first, count = middle + (direction < 0) * direction, _FIRST_POINTS
            taken, is_done = 0, False
            while (end - first) * direction >= 0 and not is_done:
                if taken >= _MOST_ADDED or not abs(first) < _FARTHEST:
                    warnings.warn("expect(): sum did not converge", RuntimeWarning, stacklevel=4)
                    return cp.asarray(np.nan), np.nan
                last = first + direction * (min(count, abs(end - first) + 1) - 1)
                part, of_mass, of_size = self._weighed(terms, min(first, last), max(first, last), shapes)
                added, grown = to_float(of_mass), to_float(of_size)
                total, mass, size = total + part, mass + added, size + grown
                is_done = not (added > 1e-16 * mass or grown > 1e-12 * size)
                taken, count, first = taken + count, min(4 * count, _MOST_POINTS), last + direction
        return cp.asarray(total), mass


def _log_or_zero(mass: Any) -> Any:
    return where(mass > 0, log(where(mass > 0, mass, 1.0)), 0.0)


class rv_sample(rv_discrete):
    """The distribution of a table of values and probabilities."""

    def __init__(
        self,
        a: float = 0,
        b: float = np.inf,
        name: str | None = None,
        badvalue: float | None = None,
        moment_tol: float = 1e-8,
        values: Any = None,
        inc: int = 1,
        longname: str | None = None,
        shapes: str | None = None,
        seed: Any = None,
    ) -> None:
        rv_generic.__init__(self, seed)
        if values is None:
            raise ValueError("rv_sample.__init__(..., values=None,...)")
        xk, pk = (as_device(part).astype(np.float64) for part in values)
        if xk.shape != pk.shape:
            raise ValueError("xk and pk must have the same shape.")
        if not holds(pk >= 0):
            raise ValueError("All elements of pk must be non-negative.")
        if abs(to_float(pk.sum()) - 1) > 1e-8:
            raise ValueError("The sum of provided pk is not 1.")
        if cp.unique(xk).size != xk.size:
            raise ValueError("xk may not contain duplicate values.")
        self._whole = as_device(values[0]).dtype.kind in "iu"
        order = cp.argsort(xk.ravel())
        self.xk, self.pk = xk.ravel()[order], pk.ravel()[order]
        self.qvals = cp.cumsum(self.pk)
        self.a, self.b = np.float64(to_float(self.xk[0])), np.float64(to_float(self.xk[-1]))
        self.badvalue = np.nan if badvalue is None else badvalue
        self.name = "Distribution" if name is None else name
        self.inc, self.moment_tol, self.longname = inc, moment_tol, longname
        self.shapes, self._names, self.numargs = None, (), 0

    def _nonzero(self, k: Any, *args: Any) -> Any:
        return True

    def _pmf(self, k: Any) -> Any:
        at = cp.clip(cp.searchsorted(self.xk, k), 0, self.xk.size - 1)
        return cp.where(self.xk[at] == k, self.pk[at], 0.0)

    def _cumulative(self, formula: str, k: Any, args: Any, kwds: Any, below: float, above: float) -> ndarray:
        y, _, _, _, good = self._prepare(k, args, kwds)
        value = getattr(self, formula)(y)
        return answer(good, y, where(y >= self.b, above, where(y < self.a, below, value)))

    def _cdf(self, x: Any) -> Any:
        at = cp.searchsorted(self.xk, x, side="right")
        return cp.where(at > 0, self.qvals[cp.clip(at - 1, 0, self.xk.size - 1)], 0.0)

    def _ppf(self, q: Any) -> Any:
        return self.xk[cp.clip(cp.searchsorted(self.qvals, q), 0, self.xk.size - 1)]

    def _isf(self, q: Any) -> Any:
        return self._ppf(1 - q)

    def _rvs(self, *args: Any, size: Any = None, random_state: Any = None) -> Any:
        return self._ppf(cp.asarray(random_state.uniform(size=size)))

    def rvs(self, *args: Any, **kwds: Any) -> ndarray:
        """Random draws of the table's values: integers where these are."""
        return super().rvs(*args, **{"discrete": self._whole, **kwds})

    def _munp(self, n: int) -> Any:
        return (self.xk**n * self.pk).sum()

    def _stats(self, **kwds: Any) -> tuple[Any, ...]:
        mean = (self.xk * self.pk).sum()
        centred = self.xk - mean
        v, third, fourth = ((centred**n * self.pk).sum() for n in (2, 3, 4))
        return mean, v, third / v**1.5, fourth / (v * v) - 3

    def _entropy(self) -> Any:
        return -(self.pk * _log_or_zero(self.pk)).sum()

    def expect(
        self, func: Any = None, args: tuple[Any, ...] = (), loc: float = 0, lb: float | None = None,
        ub: float | None = None, conditional: bool = False, maxcount: int = 1000, tolerance: float = 1e-10,
        chunksize: int = 32,
    ) -> Any:  # fmt: skip
        """The expected value of a function."""
        del args, maxcount, tolerance, chunksize
        k = self.xk + loc
        mass = self.pk if lb is None else cp.where(k >= lb, self.pk, 0.0)
        mass = mass if ub is None else cp.where(k <= ub, mass, 0.0)
        total = ((k if func is None else func(k)) * mass).sum()
        return total / mass.sum() if conditional else total
