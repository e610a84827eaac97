"""Rows of discrete distributions, and the kernels that sum and search their probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from . import _numeric
from ._discrete import lenient, rv_discrete
from ._logarithms import log_of_tails
from ._math import INF, both, exp, floor, log1p, maximum, minimum, sqrt, stepwise, where
from ._row import _EXAMPLE, ROWS, _default_support, _named, _supplied

# Most terms of a sum: what is smaller than rounding ends it before in all but hostile cases.
_MOST, _MOST_OF_INFINITE = 20_000_000, 50_000
# Terms that fall by a smaller share, whose sum is that of the integral to the square of it; how many are added one
# by one in search of a quantile, before it is sought by the upper tail.
_SLOW, _MOST_STEPS = 3e-6, 200_000
# Where quantiles of infinite supports are no longer sought, and more steps than any search takes.
_FAR, _MOST_HALVINGS = 1e300, 1100
# Below this logarithm of a probability a sum is that of multiples of it.
_LEAST_LOG = -650.0
# Tails above this share of the point tell cumulative functions of neighbours apart.
_APART = 2.0**-52
# Supports up to this size are tabulated for draws.
_TABLE = 4096


@k.kernel
def _sums(
    x: k.Each,
    a: k.Each,
    b: k.Each,
    c: k.Each,
    d: k.Each,
    e: k.Each,
    low: k.Each,
    high: k.Each,
    table: k.Array,
    *,
    row,
    count,
    upper,
):
    return row.kernel_sum(
        table,
        k.value(x, np.float64),
        k.value(low, np.float64),
        k.value(high, np.float64),
        upper,
        *(a, b, c, d, e)[:count],
    )


@k.function
def sum_terms(term: Any, first: Any, last: Any, table: Any = None) -> Any:
    """The sum of a function over whole numbers, which ends where terms are falling and too small to count.

    With `table`, a `_numeric.rule()`, also where they fall so slowly that the integral of the rest is as good.
    """
    total, j, before, previous = k.value(0.0), first, k.value(0.0), k.value(0.0)
    count, going, slow = k.value(0), first <= last, k.value(False)
    most = k.where(k.isinf(last), _MOST_OF_INFINITE, _MOST)
    while going and count < most:
        value = term(j)
        total += value
        going = (j < last) & ~((abs(value) < abs(before)) & (abs(value) < 1e-18 * abs(total)) & (count > 50))
        if table is not None:
            is_slow = (abs(value) <= abs(before)) & (abs(value - before) < _SLOW * abs(value)) & k.isinf(last)
            slow = is_slow & (count > 0)
            going = going & ~slow
        previous = before
        before = value
        j += 1.0
        count += 1
    if table is not None:
        rest = k.value(0.0)
        if slow or (count >= most and k.isinf(last)):
            rest, error = _numeric.estimated_between(table, term, j - 0.5, last, abs(j) + 1)
            # Far out terms are differences of large logarithms: their rounding is most of the error.
            rest = k.where(error <= 1e-4 * abs(rest), rest, np.nan)
        return total + rest
    # The rest of a heavy tail: the integral of the power that the last terms follow.
    power = -k.log(abs(value_or(before, 1.0)) / abs(value_or(previous, 1.0))) * (j - 1.5)
    rest = before * ((j - 1) / (power - 1) - 0.5 + power / (12 * (j - 1)))
    rest = k.where((count >= most) & k.isinf(last) & (power > 1), rest, 0.0)
    return total + k.where(k.isfinite(rest), rest, 0.0)


def value_or(number: Any, other: float) -> Any:
    """A number, or another one in place of 0."""
    return k.where(number == 0, other, number)


def near(centre: Any, low: Any, high: Any) -> tuple[Any, Any]:
    """The part of a support that counts, where a number is that of successes among `high` - `low` independent trials.

    By Bernstein's inequality all that is further from the mean has a probability below 1e-320. `centre` is the mean or
    the mode, which are less than 1 apart.
    """
    reach = 20.0 * sqrt(high - low) + 502.0
    return maximum(low, floor(centre - reach)), minimum(high, floor(centre + reach))


@k.function
def sum_down(term: Any, first: Any, last: Any) -> Any:
    """As `sum_terms`, from `last` down to `first`."""
    return sum_terms(lambda j: term(-j), -last, -first)


@k.function
def tail_by_quotients(x: Any, centre: Any, low: Any, high: Any, mass: Any, quotient: Any, upper: bool) -> Any:
    """The lower or upper tail on `low` to `high` from one probability and the quotients of neighbours.

    `quotient(j)` gives the quotient of the probabilities of `j + 1` and `j` as numerator and denominator. The side of
    `x` away from `centre` is summed, or the other one if its mass is smaller, since a small difference from 1 has few
    digits. A side of too many terms is NaN.
    """
    x = k.floor(x)
    down = x < centre
    part = _side_by_quotients(x, down, low, high, mass, quotient)
    if part > 0.5:
        down = ~down
        part = _side_by_quotients(x, down, low, high, mass, quotient)
    return k.where(down, 1 - part, part) if upper else k.where(down, part, 1 - part)


@k.function
def _side_by_quotients(x: Any, down: Any, low: Any, high: Any, mass: Any, quotient: Any) -> Any:
    """The probability of `x` and what lies below it, or of what lies above it, from `x` on outwards."""
    j = k.minimum(k.maximum(k.where(down, x, x + 1), low), high)
    inside = k.where(down, x >= low, x < high)
    first, end = mass(j), k.where(down, low, high)
    total, term, count, going = k.value(1.0), k.value(1.0), k.value(0), inside & (first > 0) & (j != end)
    while going and count < _MOST * 10:
        above, below = quotient(k.where(down, j - 1, j))
        term *= k.where(down, below, above) / k.where(down, above, below)
        total += term
        j += k.where(down, -1.0, 1.0)
        count += 1
        going = (term > 1e-18 * total) & (j != end)
    part = k.where(inside, k.minimum(first * total, 1.0), 0.0)
    return k.where(going, np.nan, part)


@k.kernel
def _walk(
    q: k.Each,
    a: k.Each,
    b: k.Each,
    c: k.Each,
    d: k.Each,
    e: k.Each,
    low: k.Each,
    high: k.Each,
    table: k.Array,
    *,
    row,
    count,
    upper,
):
    """The least point that reaches `q`, by adding probabilities from the lower end, for `upper` from the other."""
    shapes = (a, b, c, d, e)[:count]
    low, high = k.value(low, np.float64), k.value(high, np.float64)
    start, stop = low - 1, high
    stop = k.where(k.isinf(high), _FAR, high)
    steps, wide = k.value(0), k.value(1.0)
    if row.is_summed and not upper:
        return _climbed(table, q, low, high, stop, shapes, row)
    # Outwards in doubled steps while the upper end is far.
    top = k.minimum(low + 8, stop)
    while steps < _MOST_HALVINGS and top < stop and not row.reached(table, top, q, low, high, upper, *shapes):
        start = top
        wide *= k.where(steps < 20, 2.0, 16.0)
        top = k.minimum(top + 8 * wide, stop)
        steps += 1
    return _halved(lambda x: row.reached(table, x, q, low, high, upper, *shapes), start, top, high)


@k.function
def _halved(reached: Any, start: Any, top: Any, high: Any) -> Any:
    """The least whole number above `start` and up to `top` that is reached, as `top` is unless it lies too far out."""
    middle, steps = k.floor(start / 2 + top / 2), k.value(0)
    # Far out whole numbers are wider apart than one.
    while top - start > 1 and middle > start and middle < top and steps < _MOST_HALVINGS:
        if reached(middle):
            top = middle
        else:
            start = middle
        middle = k.floor(start / 2 + top / 2)
        steps += 1
    return k.where((top >= _FAR) & k.isinf(high), np.inf, top)


@k.function
def _climbed(table: Any, q: Any, low: Any, high: Any, stop: Any, shapes: tuple[Any, ...], row: Any) -> Any:
    """The least point that reaches `q`: each probability is added once, in the order of the cumulative function."""
    j, total, before = low, k.value(0.0), k.value(0.0)
    count, going = k.value(0), k.value(True)
    most = k.where(k.isinf(high), _MOST_STEPS, _MOST)
    while going:
        value = row.kernel_pmf(table, j, *shapes)
        total += value
        ends = (value < before) & (value < 1e-18 * total) & (count > 50)
        going = (k.minimum(total, 1.0) < q) & (j < stop) & (count < most) & ~ends
        before = value
        j += k.where(going, 1.0, 0.0)
        count += 1
    found = k.where(k.minimum(total, 1.0) >= q, j, k.where(k.isinf(high), np.inf, high))
    if k.isinf(high) and count >= most and total < q:
        start, top, wide, steps = j, j, k.value(1.0), k.value(0)
        while steps < _MOST_HALVINGS and top < _FAR and row.kernel_sum(table, top, low, high, True, *shapes) > 1 - q:
            start = top
            top = k.minimum(top + wide, _FAR)
            wide *= 16.0
            steps += 1
        found = _halved(lambda x: row.kernel_sum(table, x, low, high, True, *shapes) <= 1 - q, start, top, high)
    return found


@k.kernel
def _folded(
    a: k.Each,
    b: k.Each,
    c: k.Each,
    d: k.Each,
    e: k.Each,
    low: k.Each,
    high: k.Each,
    centre: k.Each,
    table: k.Array,
    *,
    row,
    count,
    order,
):
    shapes = (a, b, c, d, e)[:count]

    def term(j):
        mass = row.kernel_pmf(table, j, *shapes)
        if order is None:
            return k.where(mass > 0, -mass * k.log(k.where(mass > 0, mass, 1.0)), 0.0)
        return (j - centre) ** order * mass

    low, high = k.value(low, np.float64), k.value(high, np.float64)
    up = sum_terms(term, k.maximum(low, 0.0), high)
    down = k.value(0.0)
    if low < 0:
        down = sum_down(term, low, k.minimum(high, -1.0))
    return up + down


def _five(shapes: tuple[Any, ...]) -> tuple[Any, ...]:
    return (*shapes, *(0.0,) * 5)[:5]


class DiscreteRow(rv_discrete):
    """A discrete distribution of the table. What its row does not state is computed from the rest, in one kernel."""

    stated: dict[str, Any]
    inner: dict[str, Any]
    # The logarithms of tails where these are below all numbers, by "cdf" and "sf".
    far: dict[str, Any]
    constants: Any = None
    centre: Any = None

    def __new__(cls, *args: Any, **kwds: Any) -> Any:
        return object.__new__(cls)

    def _infer_shapes(self) -> tuple[str, ...]:
        return tuple((self.shapes or "").replace(",", " ").split())

    def __reduce__(self) -> Any:
        return _named, (self.name,)

    def _extended(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        return args if self.constants is None else (*args, *self.constants(*args))

    def _counted(self, args: tuple[Any, ...]) -> tuple[Any, Any]:
        """The part of the support that sums go over: none of it where the parameters are invalid."""
        low, high = self._get_support(*args)
        if self.centre is not None:
            low, high = near(self.centre(*args), low, high)
        return low, where(self._argcheck(*args), high, np.nan)

    def _pmf(self, k: Any, *args: Any) -> Any:
        if "logpmf" in self.stated:
            return exp(self._logpmf(k, *args))
        return _mass(k, *_five(self._extended(args)), _numeric.rule(), row=self, count=len(self._extended(args)))

    def _sum(self, x: Any, args: tuple[Any, ...], upper: bool) -> Any:
        shapes = self._extended(args)
        return _sums(x, *_five(shapes), *self._counted(args), _numeric.rule(), row=self, count=len(shapes), upper=upper)

    def _cdf(self, x: Any, *args: Any) -> Any:
        by_sf = "sf" in self.stated and "cdf" not in self.inner
        return 1 - self._sf(x, *args) if by_sf else self._sum(x, args, False)

    def _sf(self, x: Any, *args: Any) -> Any:
        return 1 - self._cdf(x, *args) if "cdf" in self.stated else self._sum(x, args, True)

    def _logcdf(self, x: Any, *args: Any) -> Any:
        far = self.far["cdf"](x, *args) if "cdf" in self.far else None
        return log_of_tails(self._cdf(x, *args), self._sf(x, *args), far)

    def _logsf(self, x: Any, *args: Any) -> Any:
        far = self.far["sf"](x, *args) if "sf" in self.far else None
        return log_of_tails(self._sf(x, *args), self._cdf(x, *args), far)

    def _found(self, q: Any, args: tuple[Any, ...], upper: bool) -> Any:
        if "_cdf" in vars(type(self)) and "cdf" not in self.stated:
            return rv_discrete._isf(self, q, *args) if upper else rv_discrete._ppf(self, q, *args)
        shapes = self._extended(args)
        q = lenient(q, upper)
        return _walk(q, *_five(shapes), *self._counted(args), _numeric.rule(), row=self, count=len(shapes), upper=upper)

    def _ppf(self, q: Any, *args: Any) -> Any:
        return self._found(q, args, False)

    def _rvs(self, *args: Any, size: Any = None, random_state: Any = None) -> Any:
        u = cp.asarray(random_state.uniform(size=size))
        low, high = self._get_support(*args)
        fixed = not any(isinstance(value, ndarray) for value in (*args, low, high))
        if fixed and high - low < max(_TABLE, u.size):
            # One table of the sums for all draws, where each draw would walk through the probabilities.
            numbers = cp.arange(low, high + 1, dtype=np.float64)
            sums = cp.cumsum(self._pmf(numbers, *args))
            return numbers[cp.minimum(cp.searchsorted(sums, u * sums[-1], side="right"), numbers.size - 1)]
        return self._ppf(u, *args)

    def _isf(self, q: Any, *args: Any) -> Any:
        return self._found(q, args, True)

    def _raw_moment(self, n: int, *args: Any) -> Any:
        return self._moment_about(n, 0.0, *args)

    def _moment_about(self, n: int, centre: Any, *args: Any) -> Any:
        return self._fold(stepwise(n), centre, args)

    def _entropy(self, *args: Any) -> Any:
        return self._fold(None, 0.0, args)

    def _fold(self, order: int | None, centre: Any, args: tuple[Any, ...]) -> Any:
        shapes = self._extended(args)
        return _folded(
            *_five(shapes), *self._counted(args), centre, _numeric.rule(), row=self, count=len(shapes), order=order
        )

    # ------------------------------------------------------------------------------------ the same formulas in kernels

    @property
    def is_summed(self) -> bool:
        """Whether both tails are sums of probabilities."""
        return not {"cdf", "sf"} & (self.stated.keys() | self.inner.keys())

    @property
    def is_by_tail(self) -> bool:
        """Whether next to 1 the cumulative function is 1 less the upper tail, of which quantiles are those."""
        return "sf" in self.stated and "cdf" not in self.stated

    def kernel_pmf(self, table: Any, x: Any, *shapes: Any) -> Any:
        """The probability of a point, for use in a kernel."""
        if "pmf" in self.inner:
            return self.inner["pmf"](table, x, *shapes)
        return self.stated["pmf"](x, *shapes) if "pmf" in self.stated else exp(self.stated["logpmf"](x, *shapes))

    def kernel_sum(self, table: Any, x: Any, low: Any, high: Any, upper: bool, *shapes: Any) -> Any:
        """The lower or upper tail, for use in a kernel."""
        own, other = ("sf", "cdf") if upper else ("cdf", "sf")
        if own in self.inner:
            return self.inner[own](table, x, *shapes)
        if own in self.stated:
            return self.stated[own](x, *shapes)
        if other in self.inner:
            return 1 - self.inner[other](table, x, *shapes)
        if other in self.stated:
            return 1 - self.stated[other](x, *shapes)
        first, last = (k.maximum(x + 1, low), high) if upper else (low, k.minimum(x, high))
        rule = table if upper else None
        if "pmf" in self.stated or "logpmf" not in self.stated:
            return k.minimum(sum_terms(lambda j: self.kernel_pmf(table, j, *shapes), first, last, rule), 1.0)
        # Of a heavy tail the probabilities are below all normal numbers long before their sum is.
        log = self.stated["logpmf"](first if upper else last, *shapes)
        log = k.where((log < _LEAST_LOG) & (log > -np.inf), log, 0.0)
        value = sum_terms(lambda j: k.exp(self.stated["logpmf"](j, *shapes) - log), first, last, rule)
        return k.minimum(k.where(log == 0, value, k.exp(log + k.log(value))), 1.0)

    def reached(self, table: Any, x: Any, q: Any, low: Any, high: Any, upper: bool, *shapes: Any) -> Any:
        """Whether the share up to a point is at least `q`, or that above it at most `q`."""
        if self.is_by_tail and not upper:
            tail = self.kernel_sum(table, x, low, high, True, *shapes)
            return k.where(tail > x * _APART, 1 - tail >= q, tail <= 1 - q)
        value = self.kernel_sum(table, x, low, high, upper, *shapes)
        return value <= q if upper else value >= q


@k.kernel
def _mass(x: k.Each, a: k.Each, b: k.Each, c: k.Each, d: k.Each, e: k.Each, table: k.Array, *, row, count):
    return row.kernel_pmf(table, k.value(x, np.float64), *(a, b, c, d, e)[:count])


def discrete(
    name: str,
    shapes: str = "",
    example: str = "",
    support: Any = (0, INF),
    formula: str = "",
    inner: dict[str, Any] | None = None,
    constants: Any = None,
    centre: Any = None,
    methods: dict[str, Any] | None = None,
    far: dict[str, Any] | None = None,
    **stated: Any,
) -> Any:
    """A row of a discrete distribution; arguments as those of `continuous`.

    `centre` is the mean or the mode of a number of successes in independent trials, as many as the support has steps.
    """
    points = {
        key: _supplied(value, constants) if key in ("pmf", "logpmf", "cdf", "sf") and constants else value
        for key, value in stated.items()
    }
    members: dict[str, Any] = {f"_{key}": staticmethod(value) for key, value in points.items()}
    members["_get_support"] = staticmethod(support if callable(support) else _default_support(*support))
    members |= {
        "stated": stated,
        "inner": inner or {},
        "far": far or {},
        "constants": constants and staticmethod(constants),
        "centre": centre and staticmethod(centre),
        **(methods or {}),
        "shapes": shapes or None,
    }
    members["__doc__"] = _EXAMPLE.format(
        kind=f"The {name}",
        name=name,
        formulas=formula + "\n" if formula else "",
        shapes=f"`{shapes}` and `loc`" if shapes else "`loc`",
        example=example,
        check="bool(d.cdf(d.ppf(0.75)) >= 0.75)",
    )
    members["__module__"] = __name__.rpartition(".")[0]
    made = type(f"{name}_gen", (DiscreteRow,), members)
    low, high = support if not callable(support) else (-INF, INF)
    row = made(name=name, a=low, b=high, shapes=shapes or None)
    row.__doc__ = made.__doc__
    ROWS[name] = row
    return row


def whole(*values: Any) -> Any:
    """Whether all values are whole numbers."""
    return both(*(floor(value) == value for value in values))


def to_int(value: Any) -> Any:
    return value.astype(np.int64) if hasattr(value, "astype") else int(value)


def log_beyond(log_first: Any, ratio: Any, change: Any) -> Any:
    """The logarithm of the sum of probabilities far out: of the first of them, of the second over the first, and of how
    much that ratio changes to the next one, which is little."""
    return log_first + log1p((ratio + change * (ratio / (1 - ratio)) ** 2) / (1 - ratio))
