"""Rows of Kolmogorov's and Smirnov's statistics."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ..._lib import kernel as k
from ._math import (
    INF,
    LOG2,
    LOG2PI,
    both,
    floor,
    kolmogc,
    kolmogi,
    kolmogorov,
    kolmogp,
    log,
    log1p,
    maximum,
    minimum,
    power,
    smirnovci,
    smirnovi,
    sqrt,
    stirling_rest,
    where,
)
from ._numeric import between, rule
from ._pairs import Pair, exp_pair, log1p_pair, log_of_pair, sum_rest
from ._row import rows_of

__all__: list[str] = []

# Rows that other modules import by name.
ksone: Any
kstwo: Any
kstwobign: Any

# Above the first number of observations the kinks of Kolmogorov's distribution are of high order: this many panels
# ignore them, with an error of the mean of 2e-12 at most.
_MOST_OF_KINKS, _PANELS = 60, 48
# From the first number on the distribution is as smooth as its limit: a few panels are enough.
_SMOOTH, _FEW_PANELS = 300, 10

_row = rows_of(globals())


def _kstwobign_logpdf(x: Any) -> Any:
    # The leading terms of both series (DLMF 20.7.32), and `kolmogp` between them.
    low = LOG2PI / 2 - np.pi**2 / (8 * x * x) - 4 * log(maximum(x, 1e-100)) + log(np.pi**2 / 4 - minimum(x * x, 1.0))
    high = 3 * LOG2 + log(x) - 2 * x * x
    return where(x < 0.2, low, where(x > 5, high, log(-kolmogp(x))))


_row(
    "kstwobign",
    "",
    "",
    (0, INF),
    sf=lambda x: kolmogorov(x),
    isf=lambda q: kolmogi(q),
    cdf=lambda x: kolmogc(x),
    logpdf=_kstwobign_logpdf,
    pdf=lambda x: -kolmogp(x),
    stats=lambda: (
        np.sqrt(np.pi / 2) * np.log(2),
        np.pi**2 / 12 - np.pi / 2 * np.log(2) ** 2,
        None,
        None,
    ),
    far={
        "cdf": lambda x: LOG2PI / 2 - log(x) - np.pi**2 / (8 * x * x),
        "sf": lambda x: LOG2 - 2 * x * x,
    },
)


# For more than `_MANY` numbers an integral replaces the sum from the term `_SUMMED` on.
_MANY, _SUMMED = 20_000, 200.0


# Binomial coefficients from here on are scaled by the inverse, whose logarithm is `-_SHIFT`.
_MOST_CHOICES, _SHIFT = 2.0**512, Pair(354.891356446692, 1.1873519686893054e-14)


def _power_product(a: Pair, p: Any, b: Pair, q: Any, c: Pair, shift: Any) -> Pair:
    """`a**p * b**q * c * exp(shift * _SHIFT)`, where a power of 0 is 1 and `c` is at most `_MOST_CHOICES`."""
    first, second = log_of_pair(a) * p, log_of_pair(b) * q
    second = Pair(k.where(q == 0, 0.0, second.high), k.where(q == 0, 0.0, second.low))
    exponent = first + second + _SHIFT * shift
    # The powers may be below the range where the product is not.
    deep = k.where(exponent.high < -600, 1.0, 0.0)
    scale = k.where(deep > 0, 1 / _MOST_CHOICES, 1.0)
    return exp_pair(exponent + _SHIFT * deep) * Pair(c.high * scale, c.low * scale)


def _smirnov_term(x: Any, n: Any, j: Any, c: Any, c_rest: Any, shift: Any, slope: bool) -> tuple[Any, Any]:
    """A term of the tail over `x`, or of its slope: all roundings count, since large powers multiply them."""
    many = Pair(x) * n
    a, b = (many + j) / n, (-many + (n - j)) / n
    left = b.high > 0
    b = Pair(k.where(left, b.high, 1.0), k.where(left, b.low, 0.0))
    term = _power_product(a, j - 1, b, n - j, Pair(c, c_rest), shift)
    if slope:
        term = term * ((Pair(j - 1) / a - Pair(n - j) / b) * x + 1)
    inside = left | (n == j)
    return k.where(inside, term.high, 0.0), k.where(inside, term.low, 0.0)


def _smirnov_first(x: Any, n: Any, slope: bool) -> Pair:
    """The term without a factor `x`, or its slope."""
    rest = Pair(1 - x, sum_rest(1.0, -x, 1 - x))
    rest = Pair(k.where(x < 1, rest.high, 1.0), k.where(x < 1, rest.low, 0.0))
    value = exp_pair(log_of_pair(rest) * (n - 1 if slope else n))
    value = value * n if slope else value
    empty = (x >= 1) & (n > 1) if slope else x >= 1
    return Pair(k.where(empty, 0.0, value.high), k.where(empty, 0.0, value.low))


def _next_choices(n: Any, j: Any, c: Any, c_rest: Any) -> tuple[Any, Any]:
    """A binomial coefficient from the one before."""
    following = Pair(c, c_rest) * (n - j) / (j + 1)
    return following.high, following.low


def _added(total: Any, total_rest: Any, term: Any, term_rest: Any) -> tuple[Any, Any]:
    value = Pair(total, total_rest) + Pair(term, term_rest)
    return value.high, value.low


@k.function
def _smirnov(table: Any, x: Any, n: Any, slope: bool) -> tuple[Any, Any]:
    """The upper tail of Smirnov's statistic, a sum of positive terms, or minus its slope; and the rest of it."""
    x = k.minimum(k.maximum(x, 0.0), 1.0)
    total, total_rest = k.value(0.0), k.value(0.0)
    j, c, c_rest, shift, last = k.value(1.0), k.value(n), k.value(0.0), k.value(0.0), k.floor(n * (1 - x))
    many = n > _MANY
    while j <= k.where(many, k.minimum(last, _SUMMED - 1), last):
        term, term_rest = _smirnov_term(x, n, j, c, c_rest, shift, slope)
        total, total_rest = _added(total, total_rest, term, term_rest)
        c, c_rest = _next_choices(n, j, c, c_rest)
        # They grow to the middle, and fall from there.
        up, down = c > _MOST_CHOICES, (c < 1) & (shift > 0)
        scale = k.where(up, 1 / _MOST_CHOICES, k.where(down, _MOST_CHOICES, 1.0))
        c, c_rest = c * scale, c_rest * scale
        shift += k.where(up, 1.0, k.where(down, -1.0, 0.0))
        j += 1.0
    first = _smirnov_first(x, n, slope)
    value = first - Pair(total, total_rest) if slope else first + Pair(total, total_rest) * x
    if many and last > 2 * _SUMMED:
        rest = _smirnov_rest(table, x, n, slope)
    else:
        rest = k.value(0.0)
    value = value + rest
    return value.high, value.low


@k.function
def _smirnov_rest(table: Any, x: Any, n: Any, slope: bool) -> Any:
    """The terms from `_SUMMED` on: those at the end one by one, those between by the Euler-Maclaurin formula."""

    def weighted(value: Any, j: Any, a: Any, b: Any) -> Any:
        return -value * (1 + x * ((j - 1) / a - (n - j) / k.maximum(b, 1e-300))) if slope else value * x

    def term(j: Any) -> Any:
        u = j / n
        rest = stirling_rest(n) - stirling_rest(j) - stirling_rest(k.maximum(n - j, 20.0))
        log_power = n * (u * k.log1p(x / u) + (1 - u) * k.log1p(-k.minimum(x / (1 - u), 1.0)))
        value = k.exp(rest + log_power) / k.sqrt(2 * np.pi * j * (1 - u)) / (x + u)
        return weighted(value, j, x + u, 1 - x - u)

    total, m, log_binomial = k.value(0.0), k.value(0.0), k.value(0.0)
    near = n * x < _SUMMED
    while near and m < _SUMMED:
        a, b = 1 + x - m / n, m / n - x
        value = k.exp(log_binomial + (n - m - 1) * k.log1p(-b) + m * k.log(k.maximum(b, 1e-300)))
        total += k.where(b > 0, weighted(value, n - m, a, b), 0.0)
        log_binomial += k.log((n - m) / (m + 1))
        m += 1.0
    # The terms fall as a power of their number: integrated over its logarithm.
    first, end = k.value(_SUMMED), n - _SUMMED
    stop = k.log(k.where(near, end, n * (1 - x)))
    total += between(table, lambda t: k.exp(t) * term(k.exp(t)), k.log(first), stop, 1.0)
    total += term(first) / 2 - (term(first + 1) - term(first - 1)) / 24
    return total + k.where(near, term(end) / 2 + (term(end + 1) - term(end - 1)) / 24, 0.0)


def _smirnov_sf(table: Any, x: Any, n: Any) -> Any:
    # Below `1/n` the other tail is one term.
    below = 1 - _smirnov_least(x, n)
    high, low = _smirnov(table, x, n, False)
    return k.where(x <= 0, 1.0, k.where(x >= 1, 0.0, k.where(x < 1 / n, below, k.minimum(high + low, 1.0))))


def _smirnov_growth(x: Any, power: Any) -> Any:
    """`(1 + x)**power`."""
    return (log1p_pair(k.maximum(x, 0.0)) * power).exp()


def _smirnov_least(x: Any, n: Any) -> Any:
    return x * _smirnov_growth(x, n - 1)


def _smirnov_cdf(table: Any, x: Any, n: Any) -> Any:
    high, low = _smirnov(table, x, n, False)
    above = k.where(x >= 1, 1.0, k.maximum((1 - high) - low, 0.0))
    return k.where(x < 1 / n, _smirnov_least(k.maximum(x, 0.0), n), above)


def _smirnov_pdf(table: Any, x: Any, n: Any) -> Any:
    least = _smirnov_growth(x, n - 2) * (1 + n * x)
    high, low = _smirnov(table, x, n, True)
    return k.where(x < 1 / n, least, high + low)


@k.kernel
def _smirnov_step(q: k.Each, x: k.Each, n: k.Each, table: k.Array):
    """A quantile of the upper tail after a step of Newton's method, by the smaller one of both tails."""
    q, x, n = (k.value(number, np.float64) for number in (q, x, n))
    above, above_rest = _smirnov(table, x, n, False)
    slope = _smirnov_pdf(table, x, n)
    missed = k.where(x < 1 / n, (1 - q) - _smirnov_least(x, n), (above - q) + above_rest)
    step = missed / slope
    return k.where((n < _MANY) & (abs(step) < 1e-12 * x), x + step, x)


def _smirnov_logpdf(self: Any, x: Any, n: Any) -> Any:
    # Below `1/n` the density begins at 1.
    return where(n * x < 1, (n - 2) * log1p(x) + log1p(n * x), log(self._pdf(x, n)))


_row(
    "ksone",
    "n",
    "1000",
    (0, 1),
    argcheck=lambda n: both(n >= 1, n == floor(n)),
    ppf=lambda q, n: smirnovci(n, q),
    isf=lambda q, n: _smirnov_step(q, smirnovi(n, q), n, rule()),
    inner={"cdf": _smirnov_cdf, "sf": _smirnov_sf, "pdf": _smirnov_pdf},
    methods={"_logpdf": _smirnov_logpdf},
)


@k.function
def _pomeranz(x: Any, n: Any) -> Any:
    """The cdf of the two-sided statistic by Pomeranz's recursion (1974), scaled in each step."""
    t = n * x
    whole = k.floor(t)
    part = t - whole
    small = part <= 0.5
    twice = k.ceil(2 * part)
    g = k.where(small, part, 1 - part)
    old, new = k.local_array(256), k.local_array(256)
    old[0] = 1.0
    before, low_old, high_old = k.value(0.0), k.value(1.0), k.value(1.0)
    i, last = k.value(2.0), 2 * n + 2
    while i <= last:
        half = k.floor(i / 2)
        even = i - 2 * half == 0
        # Points 0, g, 1 - g, 1, 1 + g, ...
        point = k.where(i >= last, n, k.where(even, half - 1 + g, half - g))
        # `floor(point - t)` and `ceil(point + t)`: one of both arguments is whole, and rounding must not change it.
        whole_below = even == small
        below = k.where(whole_below, half - 1 - whole, half - whole - twice)
        above = k.where(whole_below, half - 1 + whole + twice, half + whole)
        low, high = k.maximum(below + 2, 1.0), k.minimum(above, n + 1)
        low, high = k.where(i >= last, n + 1, low), k.where(i >= last, n + 1, high)
        gap = point - before
        j = low
        while j <= high:
            start = k.maximum(low_old, k.maximum(j - 200, 1.0))
            m = k.minimum(high_old, j)
            total = k.value(0.0)
            # `gap**p / p!`, from the nearest point outwards.
            p = k.value(0.0)
            power = k.value(1.0)
            while p < j - m:
                p += 1.0
                power *= gap / p
            while m >= start:
                total += power * old[(m - low_old).astype(np.int64)]
                p += 1.0
                power *= gap / p
                m -= 1.0
            new[(j - low).astype(np.int64)] = total * k.where(even, *_SCALES)
            j += 1.0
        j = low
        while j <= high:
            old[(j - low).astype(np.int64)] = new[(j - low).astype(np.int64)]
            j += 1.0
        low_old, high_old, before = low, high, point
        i += 1.0
    # The steps are one more even one than odd ones.
    scaled = k.exp(-n * _SCALE_LOG[0]) * (1 - n * _SCALE_LOG[1])
    return (
        old[0]
        / _SCALES[0]
        * k.where(n < 20, _factorial_quotient(n, 1 / (_SCALES[0] * _SCALES[1])), _stirling(n) * scaled)
    )


# What even and odd steps of the recursion are scaled by, and 1 with the logarithm of their product in two parts, of
# which the first has exact products with whole numbers.
_SCALES, _SCALE_LOG = (0.5, 0.75), (0.01917074697848875, 9.785012387761977e-12)


def _stirling(n: Any) -> Any:
    """`n! * (e / n)**n` for `n >= 20`."""
    return k.sqrt(2 * np.pi * n) * k.exp(stirling_rest(k.maximum(n, 20.0)))


@k.function
def _factorial_quotient(n: Any, scale: Any) -> Any:
    """`n! * (scale / n)**n` for `n < 20`."""
    value, j = k.value(1.0), k.value(1.0)
    while (j <= n) & (n < 20):
        value *= j / n * scale
        j += 1.0
    return value


@k.function
def _pelz_good(x: Any, n: Any) -> Any:
    """The limiting distribution with terms to the order `n**-1.5` (Pelz and Good 1976)."""
    z = k.sqrt(n) * x
    z2 = z * z
    z4, z6 = z2 * z2, z2 * z2 * z2
    one, two, three = k.value(0.0), k.value(0.0), k.value(0.0)
    for j in range(8):
        a = np.pi**2 * (j + 0.5) ** 2
        weight = 2 * k.exp(-a / (2 * z2))
        one += weight * (a - z2)
        two += weight * ((6 * z6 + 2 * z4) + a * (2 * z4 - 5 * z2) + a * a * (1 - 2 * z2))
        third = a**3 * (5 - 30 * z2) + a * a * (212 * z4 - 60 * z2) + a * (135 * z4 - 96 * z6)
        three += weight * (third - 30 * z6 - 90 * z4 * z4)
    fourth, fifth = k.value(0.0), k.value(0.0)
    for j in range(1, 8):
        a = np.pi**2 * j**2
        weight = 2 * k.exp(-a / (2 * z2))
        fourth += weight * a
        fifth += weight * (3 * a * z2 - a * a)
    half = np.sqrt(np.pi / 2)
    k1 = half / (6 * z4) * one
    k2 = half / (72 * z6 * z) * two - half / (36 * z2 * z) * fourth
    k3 = half / (6480 * z6 * z4) * three + half / (108 * z6) * fifth
    return kolmogc(z) + k1 / k.sqrt(n) + k2 / n + k3 / (n * k.sqrt(n))


@k.function
def _least_share(t: Any, n: Any) -> Any:
    """`n! * (t / n)**n`."""
    return k.where(n < 20, _factorial_quotient(n, 1.0) * power(t, n), _stirling(n) * k.exp(-n) * power(t, n))


@k.function
def _kstwo_cdf(table: Any, x: Any, n: Any) -> Any:
    t = n * x
    result = k.value(0.0)
    if t <= 0.5:
        result = k.value(0.0)
    elif t <= 1.0:
        # Ruben and Gambino (1982): the statistic is smallest for an evenly spread sample.
        result = _least_share(k.fma(2 * x, n, -1.0), n)
    elif x >= 0.5 or n * x * x > 4.0:
        result = 1 - 2 * _smirnov_sf(table, x, n)
    elif n <= 3000 and t < 110:
        result = _pomeranz(x, n)
    else:
        result = _pelz_good(x, n)
    return k.minimum(k.maximum(result, 0.0), 1.0)


@k.function
def _kstwo_sf(table: Any, x: Any, n: Any) -> Any:
    result = k.value(1.0)
    if x >= 0.5 or n * x * x > 4.0:
        result = 2 * _smirnov_sf(table, x, n)
    else:
        result = 1 - _kstwo_cdf(table, x, n)
    return k.minimum(k.maximum(result, 0.0), 1.0)


@k.function
def _kstwo_pdf(table: Any, x: Any, n: Any) -> Any:
    """The density: the slope of the tail where that has a formula, else differences of the cdf."""
    t = n * x
    result = k.value(0.0)
    if x >= 0.5 or n * x * x > 4.0:
        result = 2 * _smirnov_pdf(table, x, n)
    elif t > 0.5 and t <= 1.0:
        t = k.fma(2 * x, n, -1.0)
        result = 2 * n * n / t * _least_share(t, n)
    elif t > 1.0:
        h = 1e-4 / k.maximum(k.sqrt(n), 1.0)
        near = _kstwo_cdf(table, x + h, n) - _kstwo_cdf(table, x - h, n)
        far = _kstwo_cdf(table, x + 2 * h, n) - _kstwo_cdf(table, x - 2 * h, n)
        result = (8 * near - far) / (12 * h)
    return k.maximum(result, 0.0)


@k.kernel
def _kstwo_moment(n: k.Each, order: float, table: k.Array):
    """Integrated by parts, since the tail is more accurate than its slope; the kinks are the ends of panels."""
    n = k.value(n, np.float64)
    low = 0.5 / n
    total = k.exp(order * k.log(low))
    panel, end = k.value(0.0), k.where(n > _MOST_OF_KINKS, 0.0, k.minimum(2 * n - 1, 60.0))
    while panel < end:
        # Steps of 1 / (2 n), where the polynomials change, and one panel for the rest.
        start = low + panel * 0.5 / n
        stop = k.where(panel + 1 >= end, 1.0, start + 0.5 / n)
        term = lambda x: order * k.exp((order - 1) * k.log(x)) * _kstwo_sf(table, x, n)  # noqa: E731
        total += between(table, term, start, stop, 1.0)
        panel += 1.0
    return total


@k.kernel
def _kstwo_tails(x: k.Each, n: k.Each, table: k.Array):
    return _kstwo_sf(table, k.value(x, np.float64), k.value(n, np.float64))


def _kstwo_raw(order: int, n: Any) -> Any:
    by_panels = _kstwo_moment(n, float(order), rule())
    # All points in one call. Beyond the last one sf is below 1e-21 and falls faster than x**order.
    nodes, weights = np.polynomial.legendre.leggauss(16)
    panels = _FEW_PANELS if not isinstance(n, cp.ndarray) and n >= _SMOOTH else _PANELS
    places = (np.arange(panels)[:, None] + (nodes + 1) / 2).ravel() / panels
    n = cp.asarray(n)
    low = 0.5 / n
    span = minimum(1.0, (5 + 0.5 * order**0.5) / sqrt(n)) - low
    x = low[..., None] + span[..., None] * cp.asarray(places)
    terms = x ** (order - 1) * _kstwo_tails(x, n[..., None], rule()) * cp.asarray(np.tile(weights / 2, panels))
    smooth = low**order + order * span / panels * terms.sum(axis=-1)
    return where(n > _MOST_OF_KINKS, smooth, by_panels)


_row(
    "kstwo",
    "n",
    "10",
    lambda n: (0.5 / n, 1.0 + 0 * n),
    argcheck=lambda n: both(n >= 1, n == floor(n)),
    inner={"cdf": _kstwo_cdf, "sf": _kstwo_sf, "pdf": _kstwo_pdf},
    munp=lambda order, n: _kstwo_raw(order, n),
)
