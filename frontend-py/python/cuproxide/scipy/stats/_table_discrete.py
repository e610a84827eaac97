"""Rows of discrete distributions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._lib import kernel as k
from ._counts import MOST_TRIALS, binomial, choices, hypergeometric
from ._discrete import lenient
from ._discrete_moments import boltzmann_stats, logser_stats, zipf_stats, zipfian_stats
from ._logarithms import (
    LARGE,
    LEAST,
    central_beta_power,
    central_gamma_power,
    either,
    far_betainc,
    far_gammainc,
    far_gammaincc,
    is_central,
    is_central_share,
)
from ._math import (
    INF,
    LOG2,
    LOG2PI,
    NAN,
    arctanh,
    betainc,
    betaincc,
    betaln,
    both,
    ceil,
    cosh,
    entr,
    exp,
    expm1,
    floor,
    gammainc,
    gammaincc,
    gammaln,
    kl_div,
    log,
    log1p,
    maximum,
    minimum,
    power,
    sinh,
    sqrt,
    stepwise,
    stirling_rest,
    tanh,
    where,
    xlog1py,
    xlogy,
    zeta,
)
from ._numeric import between
from ._pairs import Pair
from ._power_sums import EULER_MACLAURIN, power_sum
from ._row import rows_of
from ._row_discrete import discrete, near, sum_terms, tail_by_quotients, whole
from ._table_noncentral import _ncx2_logpdf, ncx2, ncx2_pdf

__all__: list[str] = []

# Rows that other modules import by name.
binom: Any
hypergeom: Any
poisson: Any


_row = rows_of(globals(), discrete)


def _log_choose(n: Any, j: Any) -> Any:
    """The logarithm of a binomial coefficient."""
    return -log(n + 1) - betaln(n - j + 1, j + 1)


def _central_binom(x: Any, n: Any, p: Any, least: float = LARGE) -> Any:
    """The logarithm of a binomial probability where successes and failures are `least` or more."""
    m, rest = maximum(x, least), maximum(n - x, least)
    total = m + rest
    rests = stirling_rest(total) - stirling_rest(m) - stirling_rest(rest)
    return rests - kl_div(m, total * p) - kl_div(rest, total * (1 - p)) - 0.5 * (log(m * (rest / total)) + LOG2PI)


@k.function
def _binom_parts(x: Any, n: Any, p: Any) -> tuple[Any, Any, Any]:
    """A binomial probability as a factor and a logarithm in two parts."""
    front, high, low = k.value(1.0), k.value(0.0), k.value(0.0)
    if (n <= MOST_TRIALS) & (p > 0) & (p < 1):
        front, high, low = binomial(x, n, p)
    elif is_central_share(p, 1 - p, x, n - x, LEAST):
        high = _central_binom(x, n, p, LEAST)
    else:
        high = _log_choose(n, x) + xlogy(x, p) + xlog1py(n - x, -p)
    return front, high, low


@k.function
def _whole_mass(parts: tuple[Any, Any, Any]) -> Any:
    front, high, low = parts
    return k.minimum(front * Pair(high, low).exp(), 1.0)


@k.function
def _whole_log(parts: tuple[Any, Any, Any]) -> Any:
    """The logarithm of a probability: of a large one by itself, since its parts are larger than it and cancel."""
    front, high, low = parts
    mass = k.minimum(front * Pair(high, low).exp(), 1.0)
    return k.where(mass > 0.3, k.log(mass), k.log(front) + (high + low))


# Products of two whole numbers up to the first one stay in the range; numbers up to the second one have all digits.
_MOST_ITEMS, _COUNTED = 1e150, 2.0**53
# The most probabilities that are added on a side: beside one above 0.6, each is at most two thirds of the one before.
_MOST_OTHERS = 100


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


@k.kernel
def _binom_logs(x: k.Each, n: k.Each, p: k.Each):
    x, n, p = (k.value(number, np.float64) for number in (x, n, p))
    # Only at an end can the probability be next to 1, where its logarithm has digits that it has not.
    inside = _whole_log(_binom_parts(x, n, p))
    return k.where(x == 0, xlog1py(n, -p), k.where(x == n, xlogy(n, p), inside))


def _to_int(value: Any) -> Any:
    return value.astype(np.int64) if hasattr(value, "astype") else int(value)


_row(
    "bernoulli",
    "p",
    "0.3",
    (0, 1),
    argcheck=lambda p: both(p >= 0, p <= 1),
    logpmf=lambda x, p: xlogy(x, p) + xlog1py(1 - x, -p),
    pmf=lambda x, p: where(x == 1, p, 1 - p),
    cdf=lambda x, p: where(x >= 1, 1.0, where(x >= 0, 1 - p, 0.0)),
    sf=lambda x, p: where(x >= 1, 0.0, where(x >= 0, p, 1.0)),
    stats=lambda p: (p, p * (1 - p), (1 - 2 * p) / sqrt(p * (1 - p)), (1 - 6 * p * (1 - p)) / (p * (1 - p))),
    entropy=lambda p: entr(p) + entr(1 - p),
    rvs=lambda p, size, random_state: random_state.uniform(size=size) < p,
)


def _binom_stats(n: Any, p: Any) -> tuple[Any, ...]:
    v = n * p * (1 - p)
    # All mass at one point has no skewness; a kurtosis in the limit of p alone.
    skewness = (1 - 2 * p) / sqrt(where(v == 0, NAN, v))
    return n * p, v, skewness, (1 - 6 * p * (1 - p)) / where(n == 0, NAN, v)


_row(
    "binom",
    "n, p",
    "5, 0.4",
    lambda n, p: (0.0 * n, n),
    argcheck=lambda n, p: both(n >= 0, whole(n), p >= 0, p <= 1),
    formula="The binomial distribution: the number of successes in `n` trials of probability `p`.\n",
    inner={"pmf": lambda table, x, n, p: _whole_mass(_binom_parts(x, n, p))},
    methods={"_logpmf": lambda self, x, n, p: _binom_logs(x, n, p)},
    cdf=lambda x, n, p: where(x >= n, 1.0, betaincc(floor(x) + 1, maximum(n - floor(x), 1e-300), p)),
    sf=lambda x, n, p: where(x >= n, 0.0, betainc(floor(x) + 1, maximum(n - floor(x), 1e-300), p)),
    stats=_binom_stats,
    rvs=lambda n, p, size, random_state: random_state.binomial(_to_int(n), p, size=size),
    far={
        "cdf": lambda x, n, p: far_betainc(maximum(n - floor(x), 1.0), floor(x) + 1, 1 - p, p),
        "sf": lambda x, n, p: far_betainc(floor(x) + 1, maximum(n - floor(x), 1.0), p, 1 - p),
    },
)
_row(
    "nbinom",
    "n, p",
    "5, 0.5",
    argcheck=lambda n, p: both(n > 0, p > 0, p <= 1),
    logpmf=lambda x, n, p: either(
        is_central_share(p, 1 - p, n, x),
        lambda: central_beta_power(p, 1 - p, n, x) - log(maximum(x, 1.0)),
        lambda: -log(n + x) - betaln(n, x + 1) + n * log(p) + xlog1py(x, -p),
    ),
    cdf=lambda x, n, p: betainc(n, floor(x) + 1, p),
    sf=lambda x, n, p: betaincc(n, floor(x) + 1, p),
    stats=lambda n, p: (
        n * (1 - p) / p,
        n * (1 - p) / (p * p),
        (2 - p) / sqrt(n * (1 - p)),
        (p * p - 6 * p + 6) / (n * (1 - p)),
    ),
    rvs=lambda n, p, size, random_state: random_state.negative_binomial(n, p, size=size),
    far={
        "cdf": lambda x, n, p: far_betainc(n, floor(x) + 1, p, 1 - p),
        "sf": lambda x, n, p: far_betainc(floor(x) + 1, n, 1 - p, p),
    },
)
_row(
    "geom",
    "p",
    "0.5",
    (1, INF),
    argcheck=lambda p: both(p > 0, p <= 1),
    logpmf=lambda x, p: xlog1py(x - 1, -p) + log(p),
    cdf=lambda x, p: -expm1(log1p(-p) * floor(x)),
    sf=lambda x, p: exp(log1p(-p) * floor(x)),
    ppf=lambda q, p: _geom_ppf(q, p),
    stats=lambda p: (1 / p, (1 - p) / p / p, (2 - p) / sqrt(1 - p), (p * p - 6 * p + 6) / (1 - p)),
    entropy=lambda p: -log(p) - log1p(-p) * (1 - p) / p,
    rvs=lambda p, size, random_state: random_state.geometric(p, size=size),
    far={"sf": lambda x, p: log1p(-p) * floor(x)},
)


def _geom_ppf(q: Any, p: Any) -> Any:
    """A quotient of logarithms, which also finds points whose probability is off by a rounding; one less may do.

    Next to 1, where neighbours are not apart in float64, the upper tail says so.
    """
    guess = maximum(ceil(log1p(-q) / log1p(-p)), 1.0)
    log_tail = log1p(-p) * (guess - 1)
    tail = exp(log_tail)
    q = lenient(q, False)
    enough = where(p * tail > 2.0**-52, -expm1(log_tail) >= q, tail <= 1 - q)
    return where(both(enough, guess > 1), guess - 1, guess)


_row(
    "poisson",
    "mu",
    "0.6",
    argcheck=lambda mu: mu >= 0,
    formula="The Poisson distribution: `pmf = exp(-mu) * mu**k / k!`.\n",
    logpmf=lambda x, mu: either(
        is_central(mu, x),
        lambda: central_gamma_power(mu, x) - log(maximum(x, 1.0)),
        lambda: xlogy(x, mu) - gammaln(x + 1) - mu,
    ),
    cdf=lambda x, mu: gammaincc(floor(x) + 1, mu),
    sf=lambda x, mu: gammainc(floor(x) + 1, mu),
    stats=lambda mu: (mu, mu, where(mu > 0, sqrt(1 / mu), INF), where(mu > 0, 1 / mu, INF)),
    rvs=lambda mu, size, random_state: random_state.poisson(mu, size=size),
    far={"cdf": lambda x, mu: far_gammaincc(floor(x) + 1, mu), "sf": lambda x, mu: far_gammainc(floor(x) + 1, mu)},
)
_row(
    "planck",
    "lambda_",
    "0.51",
    argcheck=lambda lam: lam > 0,
    logpmf=lambda x, lam: log(-expm1(-lam)) - lam * x,
    cdf=lambda x, lam: -expm1(-lam * (floor(x) + 1)),
    sf=lambda x, lam: exp(-lam * (floor(x) + 1)),
    stats=lambda lam: (
        1 / expm1(lam),
        exp(-lam) / expm1(-lam) ** 2,
        2 * cosh(lam / 2),
        4 + 2 * cosh(lam),
    ),
    entropy=lambda lam: lam / expm1(lam) - log(-expm1(-lam)),
    far={"sf": lambda x, lam: -lam * (floor(x) + 1)},
)


_row(
    "boltzmann",
    "lambda_, N",
    "1.4, 19",
    lambda lam, n: (0.0 * n, n - 1),
    argcheck=lambda lam, n: both(lam > 0, n > 0, whole(n)),
    logpmf=lambda x, lam, n: log(-expm1(-lam)) - log(-expm1(-lam * n)) - lam * x,
    cdf=lambda x, lam, n: expm1(-lam * (floor(x) + 1)) / expm1(-lam * n),
    sf=lambda x, lam, n: exp(-lam * (floor(x) + 1)) * expm1(-lam * (n - 1 - floor(x))) / expm1(-lam * n),
    stats=boltzmann_stats,
)
_row(
    "dlaplace",
    "a",
    "0.8",
    (-INF, INF),
    argcheck=lambda a: a > 0,
    pmf=lambda x, a: tanh(a / 2) * exp(-a * abs(x)),
    # `tanh(a / 2)` is near 1 for a large `a`.
    logpmf=lambda x, a: where(a > 1, -2 * arctanh(exp(-a)), log(tanh(a / 2))) - a * abs(x),
    cdf=lambda x, a: where(
        x >= 0,
        1 - exp(-a * maximum(floor(x), 0.0)) / (exp(a) + 1),
        exp(a * (minimum(floor(x), 0.0) + 1)) / (exp(a) + 1),
    ),
    sf=lambda x, a: where(
        x >= 0,
        exp(-a * maximum(floor(x), 0.0)) / (exp(a) + 1),
        1 - exp(a * (minimum(floor(x), 0.0) + 1)) / (exp(a) + 1),
    ),
    ppf=lambda q, a: _dlaplace_ppf(q, a),
    isf=lambda q, a: _dlaplace_isf(q, a),
    stats=lambda a: (
        0.0 * a,
        2 * exp(a) / expm1(a) ** 2,
        0.0 * a,
        2 * exp(a) * (exp(2 * a) + 10 * exp(a) + 1) / expm1(a) ** 4 / (2 * exp(a) / expm1(a) ** 2) ** 2 - 3,
    ),
    entropy=lambda a: a / sinh(a) - log(tanh(a / 2)),
    rvs=lambda a, size, random_state: (
        random_state.geometric(-expm1(-a), size=size) - random_state.geometric(-expm1(-a), size=size)
    ),
    far={"cdf": lambda x, a: a * floor(x) - log1p(exp(-a)), "sf": lambda x, a: -a * (floor(x) + 1) - log1p(exp(-a))},
)


def _dlaplace_ppf(q: Any, a: Any) -> Any:
    c = 1 + exp(a)
    guess = ceil(where(q < 1 / (1 + exp(-a)), log(q * c) / a - 1, -log((1 - q) * c) / a))
    return where(globals()["dlaplace"]._cdf(guess - 1, a) >= lenient(q, False), guess - 1, guess)


def _dlaplace_isf(q: Any, a: Any) -> Any:
    c = 1 + exp(a)
    guess = ceil(where(1 - q < 1 / (1 + exp(-a)), log((1 - q) * c) / a - 1, -log(q * c) / a))
    return where(globals()["dlaplace"]._sf(guess - 1, a) <= lenient(q, True), guess - 1, guess)


_row(
    "randint",
    "low, high",
    "7, 31",
    lambda low, high: (low, high - 1),
    argcheck=lambda low, high: both(high > low, whole(low, high)),
    pmf=lambda x, low, high: 1 / (high - low) + 0 * x,
    logpmf=lambda x, low, high: -log(high - low) + 0 * x,
    cdf=lambda x, low, high: (floor(x) - low + 1) / (high - low),
    sf=lambda x, low, high: (high - 1 - floor(x)) / (high - low),
    stats=lambda low, high: (
        (high + low - 1) / 2,
        ((high - low) ** 2 - 1) / 12,
        0.0 * low,
        -6 * ((high - low) ** 2 + 1) / (5 * ((high - low) ** 2 - 1)),
    ),
    entropy=lambda low, high: log(high - low),
    rvs=lambda low, high, size, random_state: floor(low + (high - low) * random_state.uniform(size=size)),
)


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
            value += _log_choose(n, x) + x * log_p + rest * log_q
        value -= central_beta_power(p, q, x + a, rest + b)
    else:
        value = _log_choose(n, x) + k.betaln(x + a, rest + b) - log_beta
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
        _to_int(n), random_state.beta(a, b, size=size), size=size
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
    return _log_choose(n, x) + _log_choose(m - n, draws - x) - _log_choose(m, draws)


def _hypergeom_central(x: Any, m: Any, n: Any, draws: Any, least: float) -> tuple[Any, Any]:
    """Whether the second result is meant: the logarithm by probabilities of three binomial distributions, of which the
    share of draws is that of successes: C. Loader (2000).
    """
    p = draws / m
    parts = ((x, n), (draws - x, m - n), (draws, m))
    central = both(draws >= 2 * least, *(is_central_share(p, 1 - p, k, total - k, least) for k, total in parts))

    def by_parts() -> Any:
        drawn, missed, all_of_them = (_central_binom(k, total, p, least) for k, total in parts)
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
    value = k.where(low == high, 0.0, _whole_log(_hypergeom_parts(x, m, n, draws)))
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
        lambda j: _whole_mass(_hypergeom_parts(j, m, n, draws)),
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
        "pmf": lambda table, x, m, n, draws: _whole_mass(_hypergeom_parts(x, m, n, draws)),
        "cdf": lambda table, x, m, n, draws: _hypergeom_tail(x, m, n, draws, False),
        "sf": lambda table, x, m, n, draws: _hypergeom_tail(x, m, n, draws, True),
    },
    # The zeros of its generating polynomial are real, so that it is that of independent trials; Fisher's, too.
    centre=lambda m, n, draws: draws * (n / m),
    stats=_hypergeom_stats,
    rvs=lambda m, n, draws, size, random_state: random_state.hypergeometric(
        _to_int(n), _to_int(m - n), _to_int(draws), size=size
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
    value = _whole_log(_nhypergeom_parts(x, m, n, r))
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
        lambda j: _whole_mass(_nhypergeom_parts(j, m, n, r)),
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
        "pmf": lambda table, x, m, n, r: _whole_mass(_nhypergeom_parts(x, m, n, r)),
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


@k.function
def _logser_rest(x: Any, p: Any) -> Any:
    """The sum of `p**(j - 1) / j` over `j > x`: terms, and Euler and Maclaurin's formula where they fall slowly."""
    rate = -k.log(p)
    j, total = k.maximum(k.floor(x) + 1, 1.0), k.value(0.0)
    grown = p ** (j - 1)
    for _ in k.steps(80):
        if rate >= 0.5 or j < 24:
            total += grown / j
            grown *= p
            j += 1.0
    if rate < 0.5:
        # Derivatives of `exp(-rate * t) / t` of odd orders at j.
        top, power, factor, inner = k.exp(-rate * j), 1 / j, k.value(1.0), k.value(1.0)
        total += (k.ufunc("exp1")(rate * j) + top / (2 * j)) / p
        term = k.value(1.0)
        for m in range(1, 16):
            term = term * rate * j / m
            inner = inner + term
            factor, power = factor * m, power / j
            if m % 2 == 1:
                total += EULER_MACLAURIN[m // 2] * top * factor * power * inner / p
    return total


def _log_beyond(log_first: Any, ratio: Any, change: Any) -> Any:
    """The logarithm of the sum of probabilities far out: of the first of them, of the second over the first, and of how
    much that ratio changes to the next one, which is little."""
    return log_first + log1p((ratio + change * (ratio / (1 - ratio)) ** 2) / (1 - ratio))


def _logser_pmf(x: Any, p: Any) -> Any:
    grown = power(p, x)
    # A power below all normal numbers has fewer digits.
    return where(grown < 1e-290, power(p, x - 1) / x * (p / -log1p(-p)), grown / (x * -log1p(-p)))


def _log_logser_mass(p: Any) -> Any:
    """`log(-log1p(-p) / p)`, the logarithm of a number next to 1 for a small `p`: there by the series of `arctanh`."""
    y = minimum(p, 0.5) / (2 - minimum(p, 0.5))
    total = 0.0
    for j in range(37, 1, -2):
        total = total * (y * y) + 1 / j
    return where(p < 0.5, log1p(y) + log1p(y * y * total), log(-log1p(-p) / p))


def _logser_logpmf(x: Any, p: Any) -> Any:
    return (x - 1) * log(p) - log(x) - _log_logser_mass(p)


def _logser_far(x: Any, p: Any) -> Any:
    first = floor(x) + 1
    return _log_beyond(_logser_logpmf(first, p), p * (first / (first + 1)), 1 / (first * (first + 2)))


# Below this number the lower tail is a sum of as many probabilities.
_FEW_TERMS = 12.0


def _logser_sf(table: Any, x: Any, p: Any) -> Any:
    # The quotient is near 1 where powers leave the range.
    return _logser_rest(x, p) * (p / -k.log1p(-p))


@k.function
def _logser_cdf(table: Any, x: Any, p: Any) -> Any:
    """The first probabilities by their sum: for a `p` near 1 each is small."""
    value = k.value(0.0)
    if x < _FEW_TERMS:
        j, grown = k.value(1.0), k.value(p)
        while j <= x:
            value += grown / j
            grown *= p
            j += 1.0
        value = value / -k.log1p(-p)
    else:
        value = 1 - _logser_sf(table, x, p)
    return value


_row(
    "logser",
    "p",
    "0.6",
    (1, INF),
    argcheck=lambda p: both(p > 0, p < 1),
    inner={"sf": _logser_sf, "cdf": _logser_cdf},
    pmf=_logser_pmf,
    logpmf=_logser_logpmf,
    far={"sf": _logser_far},
    stats=logser_stats,
    rvs=lambda p, size, random_state: random_state.logseries(p, size=size),
)


def _skellam_sides(x: Any, mu1: Any, mu2: Any) -> tuple[Any, Any]:
    """The mean of the side of `x`, and the other one."""
    return where(x < 0, mu2, mu1), where(x < 0, mu1, mu2)


def _skellam_pmf(x: Any, mu1: Any, mu2: Any) -> Any:
    own, other = _skellam_sides(x, mu1, mu2)
    return 2 * ncx2_pdf(2 * own, 2 * (1 + abs(x)), 2 * other)


def _skellam_logpmf(x: Any, mu1: Any, mu2: Any) -> Any:
    own, other = _skellam_sides(x, mu1, mu2)
    return LOG2 + _ncx2_logpdf(2 * own, 2 * (1 + abs(x)), 2 * other)


def _skellam_far(first: Any, step: float, mu1: Any, mu2: Any) -> Any:
    log, one, two = (_skellam_logpmf(first + i * step, mu1, mu2) for i in range(3))
    return _log_beyond(log, exp(one - log), expm1(two - 2 * one + log))


def _skellam_tail(x: Any, mu1: Any, mu2: Any, upper: bool) -> Any:
    """By the noncentral chi-square distribution, of the side that is not near one."""
    x = floor(x)
    below, above = x < 0, x >= 0
    low_order, high_order = where(below, -2 * x, 2.0), where(above, 2 * (x + 1), 2.0)
    if upper:
        tail = where(below, ncx2._sf(2 * mu2, low_order, 2 * mu1), ncx2._cdf(2 * mu1, high_order, 2 * mu2))
    else:
        tail = where(below, ncx2._cdf(2 * mu2, low_order, 2 * mu1), ncx2._sf(2 * mu1, high_order, 2 * mu2))
    return where(x == -INF, float(upper), tail)


_row(
    "skellam",
    "mu1, mu2",
    "15, 8",
    (-INF, INF),
    pmf=_skellam_pmf,
    logpmf=_skellam_logpmf,
    methods={
        "_cdf": lambda self, x, mu1, mu2: _skellam_tail(x, mu1, mu2, False),
        "_sf": lambda self, x, mu1, mu2: _skellam_tail(x, mu1, mu2, True),
    },
    far={
        "cdf": lambda x, mu1, mu2: _skellam_far(floor(x), -1.0, mu1, mu2),
        "sf": lambda x, mu1, mu2: _skellam_far(floor(x) + 1, 1.0, mu1, mu2),
    },
    stats=lambda mu1, mu2: (mu1 - mu2, mu1 + mu2, (mu1 - mu2) / sqrt((mu1 + mu2) ** 3), 1 / (mu1 + mu2)),
    rvs=lambda mu1, mu2, size, random_state: (
        random_state.poisson(mu1, size=size) - random_state.poisson(mu2, size=size)
    ),
)


def _zipf_tail(x: Any, a: Any, rest: Any) -> Any:
    # An infinite power leaves the whole mass at 1.
    return where(a == INF, 0.0, zeta(where(a == INF, 2.0, a), floor(x) + 1) / (1 + rest))


@k.function
def _zipf_cdf(table: Any, x: Any, a: Any, rest: Any) -> Any:
    """Of a small power the upper tail is most of the mass: there by the sum of the lower one."""
    value = k.value(0.0)
    if a < 1.5:
        value = power_sum(k.value(1.0), k.floor(x), a) / (1 + rest)
    else:
        value = 1 - _zipf_tail(x, a, rest)
    return value


def _zipf_raw(n: int, a: Any) -> Any:
    return where(a > n + 1, zeta(a - n, 1.0) / zeta(a, 1.0), INF)


_row(
    "zipf",
    "a",
    "6.6",
    (1, INF),
    argcheck=lambda a: a > 1,
    # What the zeta function is above 1, which large powers leave nothing of beside it.
    constants=lambda a: (where(a == INF, 0.0, zeta(where(a == INF, 2.0, a), 2.0)),),
    pmf=lambda x, a, rest: power(x, -a) / (1 + rest),
    logpmf=lambda x, a, rest: -log1p(rest) - where(x == 1, 0.0, a * log(x)),
    sf=_zipf_tail,
    inner={"cdf": _zipf_cdf},
    stats=zipf_stats,
    munp=_zipf_raw,
    rvs=lambda a, size, random_state: random_state.zipf(a, size=size),
)


@k.kernel
def _harmonic(n: k.Each, a: k.Each):
    return power_sum(k.value(1.0), k.value(n, np.float64), k.value(a, np.float64))


@k.kernel
def _zipfian_sum(n: k.Each, a: k.Each, *, order):
    n, a = k.value(n, np.float64), k.value(a, np.float64)
    return sum_terms(lambda j: (j - 1) ** order * k.exp(-a * k.log(j)), k.value(2.0), n)


def _zipfian_stats(a: Any, n: Any) -> tuple[Any, ...]:
    sums = [_zipfian_sum(n, a, order=order) for order in (1, 2, 3, 4)]
    return zipfian_stats(_harmonic(n, a), sums)


_row(
    "zipfian",
    "a, n",
    "1.25, 10",
    lambda a, n: (1.0 + 0 * n, n),
    argcheck=lambda a, n: both(a >= 0, n > 0, whole(n)),
    constants=lambda a, n: (_harmonic(n, a),),
    inner={
        "cdf": lambda table, x, a, n, h: power_sum(k.value(1.0), k.floor(x), a) / h,
        "sf": lambda table, x, a, n, h: power_sum(k.maximum(k.floor(x), 0.0) + 1, n, a) / h,
    },
    pmf=lambda x, a, n, h: power(x, -a) / h,
    logpmf=lambda x, a, n, h: -a * log(x) - log(h),
    stats=_zipfian_stats,
)


def _yulesimon_stats(alpha: Any) -> tuple[Any, ...]:
    a = alpha
    mean = where(a <= 1, INF, a / (a - 1))
    v = where(a > 2, a * a / ((a - 2) * (a - 1) ** 2), where(a <= 1, NAN, INF))
    s = where(a > 3, sqrt(a - 2) * (a + 1) ** 2 / (a * (a - 3)), where(a <= 2, NAN, INF))
    k4 = where(a > 4, a + 3 + (11 * a**3 - 49 * a - 22) / (a * (a - 4) * (a - 3)), where(a <= 2, NAN, INF))
    return mean, v, s, k4


_row(
    "yulesimon",
    "alpha",
    "11.0",
    (1, INF),
    argcheck=lambda a: a > 0,
    logpmf=lambda x, a: log(a) + betaln(x, a + 1),
    sf=lambda x, a: exp(log(floor(x)) + betaln(floor(x), a + 1)),
    far={"sf": lambda x, a: log(floor(x)) + betaln(floor(x), a + 1)},
    stats=_yulesimon_stats,
    rvs=lambda a, size, random_state: ceil(
        -random_state.standard_exponential(size=size) / log1p(-exp(-random_state.standard_exponential(size=size) / a))
    ),
)
