"""Rows of discrete distributions: counts of trials, Poisson's and its differences, and plain ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._lib import kernel as k
from ._counts import MOST_TRIALS, binomial, central_binomial, log_choose, whole_log, whole_mass
from ._discrete import lenient
from ._discrete_moments import boltzmann_stats
from ._logarithms import (
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
    log,
    log1p,
    maximum,
    minimum,
    sinh,
    sqrt,
    tanh,
    where,
    xlog1py,
    xlogy,
)
from ._row import rows_of
from ._row_discrete import discrete, log_beyond, to_int, whole
from ._table_noncentral import _ncx2_logpdf, ncx2, ncx2_pdf

__all__: list[str] = []

# Rows that other modules import by name.
binom: Any
poisson: Any


_row = rows_of(globals(), discrete)


@k.function
def _binom_parts(x: Any, n: Any, p: Any) -> tuple[Any, Any, Any]:
    """A binomial probability as a factor and a logarithm in two parts."""
    front, high, low = k.value(1.0), k.value(0.0), k.value(0.0)
    if (n <= MOST_TRIALS) & (p > 0) & (p < 1):
        front, high, low = binomial(x, n, p)
    elif is_central_share(p, 1 - p, x, n - x, LEAST):
        high = central_binomial(x, n, p, LEAST)
    else:
        high = log_choose(n, x) + xlogy(x, p) + xlog1py(n - x, -p)
    return front, high, low


@k.kernel
def _binom_logs(x: k.Each, n: k.Each, p: k.Each):
    x, n, p = (k.value(number, np.float64) for number in (x, n, p))
    # Only at an end can the probability be next to 1, where its logarithm has digits that it has not.
    inside = whole_log(_binom_parts(x, n, p))
    return k.where(x == 0, xlog1py(n, -p), k.where(x == n, xlogy(n, p), inside))


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
    inner={"pmf": lambda table, x, n, p: whole_mass(_binom_parts(x, n, p))},
    methods={"_logpmf": lambda self, x, n, p: _binom_logs(x, n, p)},
    cdf=lambda x, n, p: where(x >= n, 1.0, betaincc(floor(x) + 1, maximum(n - floor(x), 1e-300), p)),
    sf=lambda x, n, p: where(x >= n, 0.0, betainc(floor(x) + 1, maximum(n - floor(x), 1e-300), p)),
    stats=_binom_stats,
    rvs=lambda n, p, size, random_state: random_state.binomial(to_int(n), p, size=size),
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
    return log_beyond(log, exp(one - log), expm1(two - 2 * one + log))


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
