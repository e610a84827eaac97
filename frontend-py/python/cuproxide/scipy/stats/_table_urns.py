"""Rows of urn models: Pólya's, which beta distributions mix, and the hypergeometric ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._lib import kernel as k
from ._counts import MOST_TRIALS, central_binomial, choices, hypergeometric, log_choose, whole_log, whole_mass
from ._logarithms import LARGE, LEAST, central_beta_power, either, is_central_share
from ._math import INF, betaln, both, exp, expm1, floor, log, maximum, minimum, sqrt, stepwise, where
from ._numeric import between
from ._pairs import Pair
from ._row import rows_of
from ._row_discrete import discrete, near, sum_terms, tail_by_quotients, to_int, whole

__all__: list[str] = []

# Rows that other modules import by name.
hypergeom: Any

# Products of two whole numbers up to the first one stay in the range; numbers up to the second one have all digits.
_MOST_ITEMS, _COUNTED = 1e150, 2.0**53
# The most probabilities that are added on a side: beside one above 0.6, each is at most two thirds of the one before.
_MOST_OTHERS = 100

_row = rows_of(globals(), discrete)


@k.function
def _log_by_others(log_mass: Any, x: Any, low: Any, high: Any, quotient: Any) -> Any:
    """The logarithm of a probability next to 1, from the sum of all others over it, which keeps its digits.

    `quotient(j)` are a numerator and a denominator of the probability of `j + 1` over that of `j`.
    """
    value = log_mass
    if log_mass > -0.5:
        others, term, j = k.value(0.0), k.value(1.0), x
        while (j < high) & (j - x < _MOST_OTHERS) & (term > 1e-18 * others):
            above, below = quotient(j)
            term *= above / below
            others += term
            j += 1.0
        term, j = k.value(1.0), x
        while (j > low) & (x - j < _MOST_OTHERS) & (term > 1e-18 * others):
            above, below = quotient(j - 1.0)
            term *= below / above
            others += term
            j -= 1.0
        value = -k.log1p(others)
    return value


def _betabinom_stats(n: Any, a: Any, b: Any) -> tuple[Any, ...]:
    s = a + b
    p, q = a / s, b / s
    mean = n * p
    v = n * (s + n) * p * q / (s + 1)
    g1 = 1 / sqrt(v) * (s + 2 * n) * (b - a) / ((s + 2) * s)
    g2 = s * (s - 1 + 6 * n) + 3 * a * b * (n - 2) + 6 * n * n - 3 * p * b * n * (6 - n) - 18 * p * q * n * n
    g2 = g2 * s * s * (1 + s) / (n * a * b * (s + 2) * (s + 3) * (s + n)) - 3
    return mean, v, g1, g2


@k.function
def _betabinom_log(x: Any, n: Any, a: Any, b: Any, log_beta: Any) -> Any:
    rest = n - x
    value = k.value(0.0)
    if x + a >= LARGE and rest + b >= LARGE:
        # The prior density times the binomial probability over the posterior density, at the mean share after x
        # successes: their large parts cancel exactly.
        whole_sum = n + a + b
        p, q = (x + a) / whole_sum, (rest + b) / whole_sum
        log_p, log_q = k.where(p < 0.5, k.log(p), k.log1p(-q)), k.where(p < 0.5, k.log1p(-p), k.log(q))
        if a >= LEAST and b >= LEAST:
            value = central_beta_power(p, q, a, b, LEAST)
        else:
            value = a * log_p + b * log_q - log_beta
        if x >= LEAST and rest >= LEAST:
            value += central_beta_power(p, q, x, rest, LEAST) - k.log(x) - k.log(rest / n)
        else:
            value += log_choose(n, x) + x * log_p + rest * log_q
        value -= central_beta_power(p, q, x + a, rest + b)
    else:
        value = log_choose(n, x) + k.betaln(x + a, rest + b) - log_beta
    return value


@k.kernel
def _betabinom_logs(x: k.Each, n: k.Each, a: k.Each, b: k.Each, log_beta: k.Each):
    return _betabinom_log(*(k.value(number, np.float64) for number in (x, n, a, b, log_beta)))


# Tails of the beta-binomial distribution are expanded from this number of successes and of failures on, if the last
# term of the expansion is not larger than this: the next one is then below 1e-14.
_EXPANDED, _LAST_TERM = 1e4, 1e-10


@k.function
def _betabinom_expanded(x: Any, n: Any, a: Any, b: Any, log_beta: Any, upper: bool) -> tuple[Any, Any]:
    """A tail as the mean of a beta distribution's over its share, and the last term relative to it.

    At most x successes have the probability that a share of the distribution of (a, b) is below an independent one of
    (x + 1, n - x). That share has a variance of at most 1 / (4 n): four derivatives at its mean.
    """
    s, t = x + 1, n - x
    p, q = s / (n + 1), t / (n + 1)
    variance = p * q / (n + 2)
    skewness, fourth = 2 * variance * (q - p) / (n + 3), 3 * variance * variance * (n - 1) / (n + 3)
    tail = k.betaincc(a, b, p) if upper else k.betainc(a, b, p)
    density = k.exp((a - 1) * k.log(p) + (b - 1) * k.log(q) - log_beta)
    # The derivatives of the logarithm of the density.
    first, second = (a - 1) / p - (b - 1) / q, -(a - 1) / (p * p) - (b - 1) / (q * q)
    third = 2 * (a - 1) / (p * p * p) - 2 * (b - 1) / (q * q * q)
    change = first * variance / 2 + (first * first + second) * skewness / 6
    last = (first * first * first + 3 * first * second + third) * fourth / 24
    change = density * (change + last)
    return tail - change if upper else tail + change, abs(density * last) / tail


@k.function
def _betabinom_tail(x: Any, n: Any, a: Any, b: Any, log_beta: Any, upper: bool) -> Any:
    value, last = k.value(0.0), k.value(1.0)
    if x >= _EXPANDED and n - x >= _EXPANDED:
        value, last = _betabinom_expanded(k.floor(x), n, a, b, log_beta, upper)
    if not last <= _LAST_TERM:
        value = tail_by_quotients(
            x,
            n * (a / (a + b)),
            k.value(0.0),
            n,
            lambda j: k.exp(_betabinom_log(j, n, a, b, log_beta)),
            lambda j: ((n - j) * (j + a), (j + 1) * (n - j - 1 + b)),
            upper,
        )
    return value


_row(
    "betabinom",
    "n, a, b",
    "5, 2.3, 0.63",
    lambda n, a, b: (0.0 * n, n),
    argcheck=lambda n, a, b: both(n >= 0, whole(n), a > 0, b > 0),
    # Most arguments share it.
    constants=lambda n, a, b: (betaln(a, b),),
    inner={
        "pmf": lambda table, x, *shapes: k.exp(_betabinom_log(x, *shapes)),
        "cdf": lambda table, x, *shapes: _betabinom_tail(x, *shapes, False),
        "sf": lambda table, x, *shapes: _betabinom_tail(x, *shapes, True),
    },
    stats=_betabinom_stats,
    methods={"_logpmf": lambda self, x, *shapes: _betabinom_logs(x, *self._extended(shapes))},
    rvs=lambda n, a, b, size, random_state: random_state.binomial(
        to_int(n), random_state.beta(a, b, size=size), size=size
    ),
)


def _betanbinom_raw(order: int, n: Any, a: Any, b: Any) -> Any:
    """From the factorial moments `(n)_r * (b)_r / (a-1)...(a-r)`."""
    stirling = [1]
    for row in range(1, stepwise(order)):
        padded = [0, *stirling, 0]
        stirling = [padded[r] + (r + 1) * padded[r + 1] for r in range(row + 1)]
    total: Any = 0.0
    for r, s in enumerate(stirling, 1):
        factor: Any = 1.0
        for i in range(r):
            factor = factor * (n + i) * (b + i) / (a - 1 - i)
        total = total + s * factor
    return where(a > order, total, INF)


def _betanbinom_stats(n: Any, a: Any, b: Any) -> tuple[Any, ...]:
    e1, e2, e3, e4 = (_betanbinom_raw(r, n, a, b) for r in (1, 2, 3, 4))
    v = where(a > 2, e2 - e1 * e1, INF)
    s = where(a > 3, (e3 - 3 * e1 * e2 + 2 * e1**3) / v**1.5, INF)
    return e1, v, s, where(a > 4, (e4 - 4 * e1 * e3 + 6 * e1 * e1 * e2 - 3 * e1**4) / (v * v) - 3, INF)


_row(
    "betanbinom",
    "n, a, b",
    "5, 9.3, 1",
    argcheck=lambda n, a, b: both(n >= 0, whole(n), a > 0, b > 0),
    # Of no successes there are no failures before the last one.
    logpmf=lambda x, n, a, b: where(
        n == 0,
        where(x == 0, 0.0, -INF),
        -log(n + x) - betaln(n, x + 1) + betaln(a + n, b + x) - betaln(a, b),
    ),
    stats=_betanbinom_stats,
    munp=_betanbinom_raw,
    rvs=lambda n, a, b, size, random_state: random_state.negative_binomial(
        n, random_state.beta(a, b, size=size), size=size
    ),
)


def _hypergeom_plain(x: Any, m: Any, n: Any, draws: Any) -> Any:
    return log_choose(n, x) + log_choose(m - n, draws - x) - log_choose(m, draws)


def _hypergeom_central(x: Any, m: Any, n: Any, draws: Any, least: float) -> tuple[Any, Any]:
    """Whether the second result is meant: the logarithm by probabilities of three binomial distributions, of which the
    share of draws is that of successes: C. Loader (2000).
    """
    p = draws / m
    parts = ((x, n), (draws - x, m - n), (draws, m))
    central = both(draws >= 2 * least, *(is_central_share(p, 1 - p, k, total - k, least) for k, total in parts))

    def by_parts() -> Any:
        drawn, missed, all_of_them = (central_binomial(k, total, p, least) for k, total in parts)
        return drawn + missed - all_of_them

    return central, by_parts


def _hypergeom_log(x: Any, m: Any, n: Any, draws: Any) -> Any:
    central, by_parts = _hypergeom_central(x, m, n, draws, LARGE)
    return either(central, by_parts, lambda: _hypergeom_plain(x, m, n, draws))


@k.function
def _hypergeom_parts(x: Any, m: Any, n: Any, draws: Any) -> tuple[Any, Any, Any]:
    """The probability in a kernel, where a point takes one way only: a factor and a logarithm in two parts."""
    central, by_parts = _hypergeom_central(x, m, n, draws, LEAST)
    front, high, low = k.value(1.0), k.value(0.0), k.value(0.0)
    if (m > MOST_TRIALS) & central:
        high = by_parts()
    elif m < _MOST_ITEMS:
        # The logarithms of the coefficients of many items are far larger than their sum.
        front, high, low = hypergeometric(x, m, n, draws)
    else:
        # The coefficients of many draws have lost their digits.
        known = (k.maximum(n, draws) < 1e4) | (n == 0) | (draws == 0)
        high = k.where(known, _hypergeom_plain(x, m, n, draws), np.nan)
    return front, high, low


@k.kernel
def _hypergeom_logs(x: k.Each, m: k.Each, n: k.Each, draws: k.Each):
    x, m, n, draws = (k.value(number, np.float64) for number in (x, m, n, draws))
    low, high = k.maximum(draws - (m - n), 0.0), k.minimum(n, draws)
    value = k.where(low == high, 0.0, whole_log(_hypergeom_parts(x, m, n, draws)))
    if (m < _COUNTED) & (x >= low) & (x <= high):
        value = _log_by_others(value, x, low, high, lambda j: _hypergeom_quotient(j, m, n, draws))
    return value


def _hypergeom_quotient(j: Any, m: Any, n: Any, draws: Any) -> tuple[Any, Any]:
    return (n - j) * (draws - j), (j + 1) * ((m - n - draws) + j + 1)


def _hypergeom_stats(m: Any, n: Any, draws: Any) -> tuple[Any, ...]:
    p = n / m
    mean = draws * p
    v = draws * p * (1 - p) * (m - draws) / (m - 1)
    g1 = (m - 2 * n) * sqrt(m - 1) * (m - 2 * draws)
    g1 = g1 / (sqrt(draws * n * (m - n) * (m - draws)) * (m - 2))
    g2 = (m - 1) * m * m * (m * (m + 1) - 6 * draws * (m - draws) - 6 * n * (m - n))
    g2 = g2 + 6 * draws * n * (m - draws) * (m - n) * (5 * m - 6)
    return mean, v, g1, g2 / (draws * n * (m - draws) * (m - n) * (m - 2) * (m - 3))


def _hypergeom_tail(x: Any, m: Any, n: Any, draws: Any, upper: bool) -> Any:
    return tail_by_quotients(
        x,
        draws * (n / m),
        k.maximum(draws - (m - n), 0.0),
        k.minimum(n, draws),
        lambda j: whole_mass(_hypergeom_parts(j, m, n, draws)),
        lambda j: _hypergeom_quotient(j, m, n, draws),
        upper,
    )


_row(
    "hypergeom",
    "M, n, N",
    "30, 12, 6",
    lambda m, n, draws: (maximum(draws - (m - n), 0.0), minimum(n, draws)),
    argcheck=lambda m, n, draws: both(m > 0, n >= 0, draws >= 0, n <= m, draws <= m, whole(m, n, draws)),
    methods={"_logpmf": lambda self, x, m, n, draws: _hypergeom_logs(x, m, n, draws)},
    inner={
        "pmf": lambda table, x, m, n, draws: whole_mass(_hypergeom_parts(x, m, n, draws)),
        "cdf": lambda table, x, m, n, draws: _hypergeom_tail(x, m, n, draws, False),
        "sf": lambda table, x, m, n, draws: _hypergeom_tail(x, m, n, draws, True),
    },
    # The zeros of its generating polynomial are real, so that it is that of independent trials; Fisher's, too.
    centre=lambda m, n, draws: draws * (n / m),
    stats=_hypergeom_stats,
    rvs=lambda m, n, draws, size, random_state: random_state.hypergeometric(
        to_int(n), to_int(m - n), to_int(draws), size=size
    ),
)


@k.function
def _nhypergeom_parts(x: Any, m: Any, n: Any, r: Any) -> tuple[Any, Any, Any]:
    """`r` of the others are drawn with `x` of the `n`, and one of these `r` is the last one."""
    front, high, low = k.where((r == 0) & (x > 0), 0.0, 1.0), k.value(0.0), k.value(0.0)
    if r > 0:
        front, high, low = _hypergeom_parts(x, m, n, x + r)
        front *= r / (x + r)
    return front, high, low


@k.kernel
def _nhypergeom_logs(x: k.Each, m: k.Each, n: k.Each, r: k.Each):
    x, m, n, r = (k.value(number, np.float64) for number in (x, m, n, r))
    value = whole_log(_nhypergeom_parts(x, m, n, r))
    if (m < _COUNTED) & (r > 0) & (x >= 0) & (x <= n):
        value = _log_by_others(value, x, k.value(0.0), n, lambda j: _nhypergeom_quotient(j, m, n, r))
    return value


def _nhypergeom_quotient(j: Any, m: Any, n: Any, r: Any) -> tuple[Any, Any]:
    return (j + r) * (n - j), (j + 1) * (m - r - j)


def _nhypergeom_stats(m: Any, n: Any, r: Any) -> tuple[Any, ...]:
    mean = r * n / (m - n + 1)
    v = r * (m + 1) * n / ((m - n + 1) * (m - n + 2)) * (1 - r / (m - n + 1))
    return mean, v, None, None


def _nhypergeom_tail(x: Any, m: Any, n: Any, r: Any, upper: bool) -> Any:
    return tail_by_quotients(
        x,
        r * n / (m - n + 1),
        k.value(0.0),
        k.where(r == 0, 0.0, n),
        lambda j: whole_mass(_nhypergeom_parts(j, m, n, r)),
        lambda j: _nhypergeom_quotient(j, m, n, r),
        upper,
    )


_row(
    "nhypergeom",
    "M, n, r",
    "20, 7, 1",
    lambda m, n, r: (0.0 * n, n),
    argcheck=lambda m, n, r: both(n >= 0, n <= m, r >= 0, r <= m - n, whole(m, n, r)),
    methods={"_logpmf": lambda self, x, m, n, r: _nhypergeom_logs(x, m, n, r)},
    inner={
        "pmf": lambda table, x, m, n, r: whole_mass(_nhypergeom_parts(x, m, n, r)),
        "cdf": lambda table, x, m, n, r: _nhypergeom_tail(x, m, n, r, False),
        "sf": lambda table, x, m, n, r: _nhypergeom_tail(x, m, n, r, True),
    },
    stats=_nhypergeom_stats,
)


@k.kernel
def _fisher_mass(m: k.Each, n: k.Each, draws: k.Each, odds: k.Each):
    def term(x):
        return exp(_hypergeom_log(x, m, n, draws) + x * log(odds) - _fisher_shift(m, n, draws, odds))

    low, high = near(_fisher_mode(m, n, draws, odds), maximum(draws - (m - n), 0.0), minimum(n, draws))
    return log(sum_terms(term, low, high))


def _fisher_mode(m: Any, n: Any, draws: Any, odds: Any) -> Any:
    low, high = maximum(draws - (m - n), 0.0), minimum(n, draws)
    # The mode is a root of a quadratic equation (Liao and Rosen 2001).
    a, b = odds - 1, (n + draws + 2) * odds + (m - n - draws)
    c = (n + 1) * (draws + 1) * odds
    mode = floor(2 * c / (b + sqrt(maximum(b * b - 4 * a * c, 0.0))))
    return minimum(maximum(mode, low), high)


def _fisher_shift(m: Any, n: Any, draws: Any, odds: Any) -> Any:
    """An exponent of the size of the largest term, so that sums neither overflow nor vanish."""
    mode = _fisher_mode(m, n, draws, odds)
    return _hypergeom_log(mode, m, n, draws) + mode * log(odds)


_row(
    "nchypergeom_fisher",
    "M, n, N, odds",
    "140, 80, 60, 0.5",
    lambda m, n, draws, odds: (maximum(draws - (m - n), 0.0), minimum(n, draws)),
    argcheck=lambda m, n, draws, odds: both(
        m >= 0, n >= 0, draws >= 0, odds > 0, n <= m, draws <= m, whole(m, n, draws)
    ),
    centre=_fisher_mode,
    constants=lambda m, n, draws, odds: (_fisher_mass(m, n, draws, odds),),
    # Beside the mode's, so that next to 1 nothing cancels.
    logpmf=lambda x, m, n, draws, odds, mass: (
        (_hypergeom_log(x, m, n, draws) + x * log(odds) - _fisher_shift(m, n, draws, odds)) - mass
    ),
)


@k.function
def _wallenius(table: Any, x: Any, m: Any, n: Any, draws: Any, odds: Any) -> Any:
    """Wallenius's integral: the colours' drawing times, as shares of the time at which all are drawn."""
    rest = odds * (n - x) + (m - n - draws + x)
    front, first, first_rest = choices(n, x)
    other_front, second, second_rest = choices(m - n, draws - x)
    level = Pair(first, first_rest) + Pair(second, second_rest)

    # In the logarithm of the integration variable, where the peak is broad.
    def term(s: Any) -> Any:
        one = x * log(-expm1(-odds * s))
        other = (draws - x) * log(-expm1(-s))
        return rest * exp(level.high - rest * s + where(x == 0, 0.0, one) + where(draws == x, 0.0, other))

    value = between(table, term, k.value(0.0), k.value(1.0), 1.0) + between(
        table, term, k.value(1.0), k.value(np.inf), 1.0
    )
    return front * other_front * k.where(rest <= 0, level.exp(), value * (1 + level.low))


_row(
    "nchypergeom_wallenius",
    "M, n, N, odds",
    "140, 80, 60, 0.5",
    lambda m, n, draws, odds: (maximum(draws - (m - n), 0.0), minimum(n, draws)),
    argcheck=lambda m, n, draws, odds: both(
        m >= 0, n >= 0, draws >= 0, odds > 0, n <= m, draws <= m, whole(m, n, draws)
    ),
    inner={"pmf": _wallenius},
)
