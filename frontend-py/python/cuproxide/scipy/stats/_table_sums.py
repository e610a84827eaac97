"""Distributions of sums of independent numbers: of uniform ones, and of trials with probabilities of their own."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device
from ._common import points
from ._discrete import lenient, rv_discrete
from ._math import both, floor, stepwise
from ._row import rows_of
from ._row_discrete import whole

__all__: list[str] = ["poisson_binom"]

# Rows that other modules import by name.
irwinhall: Any

_row = rows_of(globals())

# Of so many uniform numbers half the splines fit into a local array.
_MOST_BY_RECURRENCE = 500
# Points of the integral for more of them, and how many standard deviations it goes.
_STEPS, _REACH = 64, 9.0


@k.function
def _splines(x: Any, n: Any, cumulative: bool) -> Any:
    """The density at `x <= n / 2`, or the share below, by the recurrence of B-splines: a sum of positive terms."""
    values = k.local_array(256, 0.0)
    last = k.clamp(k.floor(x), 0.0, 255.0).astype(np.int64)
    values[last] = 1.0
    degree = k.value(2.0)
    most = n + 1 if cumulative else n
    while degree <= most:
        first = k.maximum(last - degree.astype(np.int64) + 1, 0)
        j = first
        while j <= last:
            at = x - j.astype(np.float64)
            following = k.where(j < last, values[k.minimum(j + 1, 255)], 0.0)
            values[j] = (at * values[j] + (degree - at) * following) / (degree - 1)
            j += 1
        degree += 1.0
    total = values[0]
    if cumulative:
        total = k.value(0.0)
        j = k.value(0)
        while j <= last:
            total += values[j]
            j += 1
    return total


@k.function
def _saddle(share: Any) -> Any:
    """The tilt `s > 0` under which a number of [-1/2, 1/2] has the mean `1/2 - share`."""
    # 1 / s - 1 / (e^s - 1) is the share; Newton's method in the logarithm of s.
    s = k.where(share < 0.25, 1 / share, k.maximum(12 * (0.5 - share), 1e-8))
    for _ in k.steps(40):
        away = k.expm1(s)
        value = k.where(s < 1e-3, 0.5 - s / 12, 1 / s - 1 / away)
        slope = k.where(s < 1e-3, -1.0 / 12, -1 / (s * s) + (1 + 1 / away) / away)
        step = (value - share) / slope
        s = k.where(k.isfinite(step), k.clamp(s - step, s / 4, s * 4), s)
    return s


@k.function
def _tilted(x: Any, n: Any, cumulative: bool) -> Any:
    """The density at `x <= n / 2`, or the share below, for many numbers.

    The inverse Fourier integral through the saddle point, where the integrand is nearly a normal density, by the
    trapezoidal rule. By symmetry it is the upper tail of numbers of [-1/2, 1/2], which the tilt moves to its middle.
    """
    # Below, squares of the tilt overflow; the result is 0 there.
    share = k.maximum(x / n, 1e-100)
    s = _saddle(share)
    curvature = k.where(s < 1e-2, 1.0 / 12, 1 / (s * s) - 0.25 / (k.sinh(k.minimum(s, 600.0) / 2) ** 2))
    width = 1 / k.sqrt(n * curvature)
    if cumulative:
        # The pole at zero stays away by some widths.
        s = k.maximum(s, 2 * width)
    sine = k.sinh(k.minimum(s, 600.0) / 2)
    # The logarithm of the moment generating function, less s times the point.
    level = k.where(s < 1e-2, s * s / 24 - s**4 / 2880 - s * (0.5 - share), k.log(-k.expm1(-s)) - k.log(s) + s * share)
    total = k.value(0.0)
    for i in k.steps(_STEPS + 1):
        t = i.astype(np.float64) * (_REACH / _STEPS) * width
        half = k.sin(t / 2)
        size = k.log1p((half / sine) ** 2) / 2 - k.log1p((t / s) ** 2) / 2
        angle = k.arctan2(half * k.cosh(k.minimum(s, 600.0) / 2), k.cos(t / 2) * sine) - k.arctan2(t, s)
        phase = n * (angle - t * (0.5 - share))
        term = k.exp(n * size)
        if cumulative:
            # Divided by s + i t.
            term = term * (s * k.cos(phase) + t * k.sin(phase)) / (s * s + t * t)
        else:
            term = term * k.cos(phase)
        total += k.where(i == 0, term / 2, term)
    return k.exp(n * level) * total * (_REACH / _STEPS) * width / np.pi


def _lower(table: Any, x: Any, n: Any, cumulative: bool) -> Any:
    value = k.value(0.0)
    if x > 0:
        value = _splines(x, n, cumulative) if n <= _MOST_BY_RECURRENCE else _tilted(x, n, cumulative)
    return value


_lower_half = k.function(_lower)


def _irwinhall_pdf(table: Any, x: Any, n: Any) -> Any:
    # A single number is uniform, at both ends too.
    return k.where(n == 1, 1.0, _lower_half(table, k.where(x > n / 2, n - x, x), n, False))


def _irwinhall_cdf(table: Any, x: Any, n: Any) -> Any:
    near = _lower_half(table, k.where(x > n / 2, n - x, x), n, True)
    return k.where(x > n / 2, 1 - near, near)


def _irwinhall_sf(table: Any, x: Any, n: Any) -> Any:
    near = _lower_half(table, k.where(x > n / 2, n - x, x), n, True)
    return k.where(x > n / 2, near, 1 - near)


def _bernoulli_numbers(count: int) -> list[Fraction]:
    """Bernoulli's numbers by the triangle of Akiyama and Tanigawa."""
    row: list[Fraction] = []
    numbers = []
    for m in range(count + 1):
        row.append(Fraction(1, m + 1))
        for j in range(m, 0, -1):
            row[j - 1] = j * (row[j - 1] - row[j])
        numbers.append(row[0])
    return numbers


def _irwinhall_munp(order: int, n: Any) -> Any:
    bernoulli = _bernoulli_numbers(stepwise(order, 250))
    cumulants = [n / 2, *(n * float(bernoulli[j] / j) for j in range(2, order + 1))]
    moments: list[Any] = [1.0 + 0.0 * n]
    for i in range(1, order + 1):
        moments.append(sum(math.comb(i - 1, j - 1) * cumulants[j - 1] * moments[i - j] for j in range(1, i + 1)))
    return moments[order]


def _no_fit(self: Any, data: Any, *args: Any, **kwds: Any) -> Any:
    """SciPy has none: the number of terms is whole."""
    raise NotImplementedError(
        "The search of `fit` is unreliable for this distribution, whose shape is a whole number. Consider `stats.fit`."
    )


_row(
    "irwinhall",
    "n",
    "10",
    support=lambda n: (0.0 * n, n),
    formula="The sum of `n` independent uniform numbers: piecewise polynomials, the cardinal B-splines.\n",
    argcheck=lambda n: both(n > 0, whole(n)),
    inner={"pdf": _irwinhall_pdf, "cdf": _irwinhall_cdf, "sf": _irwinhall_sf},
    stats=lambda n: (n / 2, n / 12, 0.0 * n, -6 / (5 * n)),
    munp=_irwinhall_munp,
    rvs=lambda n, size, random_state: _drawn_sum(n, size, random_state),
    centre=lambda n: n / 2,
    spread=lambda n: np.sqrt(n / 12),
    methods={"fit": _no_fit},
)


def _drawn_sum(n: Any, size: tuple[int, ...], source: Any) -> Any:
    """Sums of uniform numbers; of differing counts those that do not count are left out."""
    most = int(n.max()) if isinstance(n, ndarray) else int(n)
    u = cp.asarray(source.uniform(size=(*size, most)))
    if not isinstance(n, ndarray):
        return u.sum(axis=-1)
    return cp.where(cp.arange(most) < n[..., None], u, 0.0).sum(axis=-1)


# ---------------------------------------------------------------------------------------------- trials


@k.kernel
def _products(a: k.Array[1], b: k.Array[1], j: k.Each):
    """A coefficient of a product of polynomials."""
    total = 0.0
    i = k.maximum(j - b.shape[0] + 1, 0)
    while i <= k.minimum(j, a.shape[0] - 1):
        total += a[i] * b[j - i]
        i += 1
    return total


@k.kernel
def _picked(values: k.Array[1], at: k.Each):
    last = values.shape[0] - 1
    return values[k.clamp(at, 0.0, last).astype(np.int64)]


@k.kernel
def _picked_log(values: k.Array[1], at: k.Each):
    """The logarithm of a probability; next to 1 from the sum of the others, which keeps its digits."""
    last = values.shape[0] - 1
    place = k.clamp(at, 0.0, last).astype(np.int64)
    picked = values[place]
    others, i = 0.0, k.where(picked > 0.5, 0, last + 1)
    while i <= last:
        others += k.where(i == place, 0.0, values[i])
        i += 1
    return k.where(picked > 0.5, k.log1p(-others), k.log(picked))


@k.kernel
def _reached(values: k.Array[1], q: k.Each, *, falling):
    """The first place at which a table reaches `q`."""
    low, high = k.value(0), values.shape[0] - 1
    while low < high:
        middle = (low + high) >> 1
        value = values[middle]
        if value <= q if falling else value >= q:
            high = middle
        else:
            low = middle + 1
    return low.astype(np.float64)


class _Trials:
    """Probabilities of success along the last axis, as one parameter, with the tables made of them."""

    def __init__(self, p: Any) -> None:
        p = points(as_device(p))
        if p.ndim == 0:
            raise ValueError("`p` must have at least one dimension, along which the trials lie.")
        self.p, self.shape, self.count = p, p.shape[:-1], p.shape[-1]
        self.good = ((p >= 0) & (p <= 1)).all(axis=-1)

    @cached_property
    def mass(self) -> ndarray:
        """The probabilities of each number of successes: coefficients of a product of linear polynomials.

        Pairs of factors are multiplied, pairs of products, and so on; no term is negative.
        """
        width = 1 << max(0, (self.count - 1).bit_length())
        p = cp.zeros((*self.shape, width))
        p[..., : self.count] = self.p
        factors = cp.stack([1 - p, p], axis=-1)
        while factors.shape[-2] > 1:
            at = cp.arange(2 * factors.shape[-1] - 1)
            factors = _products(factors[..., 0::2, None, :], factors[..., 1::2, None, :], at)
        return factors[..., 0, : self.count + 1]

    @cached_property
    def lower(self) -> ndarray:
        """The shares up to each number."""
        return cp.cumsum(self.mass, axis=-1)

    @cached_property
    def upper(self) -> ndarray:
        """The shares above each number."""
        above = cp.cumsum(self.mass[..., ::-1], axis=-1)[..., ::-1]
        return cp.concatenate([above[..., 1:], cp.zeros((*self.shape, 1))], axis=-1)


class poisson_binom_gen(rv_discrete):
    """The number of successes of independent trials with probabilities of their own. See `scipy.stats.poisson_binom`.

    Its methods take points, then `p`, whose last axis are the trials, and `loc`.

    >>> import cuproxide as cp
    >>> d = cp.scipy.stats.poisson_binom([0.1, 0.6, 0.7, 0.8])
    >>> float(d.mean().round(6)), float(d.pmf(2).round(6))
    (2.2, 0.4256)
    """

    def __new__(cls, *args: Any, **kwds: Any) -> Any:
        return object.__new__(cls)

    def __reduce__(self) -> Any:
        return _the_poisson_binom, ()

    def _infer_shapes(self) -> tuple[str, ...]:
        return ("p",)

    def _shape_parameter(self, value: Any) -> Any:
        return value if isinstance(value, _Trials) else _Trials(value)

    def freeze(self, *args: Any, **kwds: Any) -> Any:
        """The distribution with its parameters."""
        shapes, loc, _ = self._parse(args, kwds)
        return super().freeze(*shapes, loc=loc)

    def _argcheck(self, *args: Any) -> Any:
        return args[0].good

    def _get_support(self, *args: Any, **kwds: Any) -> tuple[Any, Any]:
        return np.float64(0), np.float64(args[0].count)

    def _pmf(self, x: Any, trials: Any) -> Any:
        return _picked(trials.mass, x)

    def _logpmf(self, x: Any, trials: Any) -> Any:
        return _picked_log(trials.mass, x)

    def _cdf(self, x: Any, trials: Any) -> Any:
        return _picked(trials.lower, floor(x))

    def _sf(self, x: Any, trials: Any) -> Any:
        return _picked(trials.upper, floor(x))

    def _ppf(self, q: Any, trials: Any) -> Any:
        return _reached(trials.lower, lenient(q, False), falling=False)

    def _isf(self, q: Any, trials: Any) -> Any:
        return _reached(trials.upper, lenient(q, True), falling=True)

    def _stats(self, trials: Any, **kwds: Any) -> tuple[Any, ...]:
        p = trials.p
        terms = p * (1 - p)
        variance = terms.sum(axis=-1)
        third = (terms * (1 - 2 * p)).sum(axis=-1)
        fourth = (terms * (1 - 6 * terms)).sum(axis=-1)
        return p.sum(axis=-1), variance, third / variance**1.5, fourth / variance**2

    def _rvs(self, *args: Any, size: Any = None, random_state: Any = None) -> Any:
        (trials,) = args
        u = cp.asarray(random_state.uniform(size=(*size, trials.count)))
        return (u < trials.p).sum(axis=-1)


poisson_binom = poisson_binom_gen(name="poisson_binom", shapes="p")
poisson_binom.__doc__ = poisson_binom_gen.__doc__


def _the_poisson_binom() -> Any:
    return poisson_binom
