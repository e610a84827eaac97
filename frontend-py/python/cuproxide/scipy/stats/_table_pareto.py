"""Rows of distributions with power-law tails: those of Burr, of Pareto and related ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._logarithms import either
from ._math import (
    INF,
    NAN,
    beta_,
    both,
    exp,
    expm1,
    gamma_,
    gammaln,
    isfinite,
    log,
    log1m_product,
    log1p,
    log_expit,
    log_quotient,
    logaddexp,
    logical_not,
    maximum,
    minimum,
    power,
    sqrt,
    stepwise,
    where,
    xlogy,
)
from ._narrow import central_moment, interval, power_peak, raw_moment
from ._pairs import product_rest, root_of, sum_rest
from ._row import Row, rows_of

__all__: list[str] = []

_row = rows_of(globals())


def _smaller_power(x: Any, c: Any) -> Any:
    """`x**c` or `x**-c`, which is not above 1: for `c > 0` that never overflows."""
    return power(x, where(x < 1, c, -c))


def _log1p_power(x: Any, c: Any) -> Any:
    """`log(1 + x**c)` without overflow."""
    return logaddexp(0.0, c * log(x))


def _precise_log1p_power(x: Any, c: Any) -> Any:
    """The same, where the result is small too: a logarithm under an exponential would multiply its rounding."""
    return log1p(_smaller_power(x, abs(c))) + maximum(c * log(x), 0.0)


def _power_density(x: Any, c: Any) -> Any:
    """`c * x**(c - 1) / (1 + x**c)**2`, from 1 on by the inverse power: neither overflows."""
    grown = power(x, where(x < 1, c, -c))
    at_zero = where(c < 1, INF, where(c == 1, 1.0, 0.0))
    return where(x > 0, c * grown / x / (1 + grown) ** 2, at_zero)


def _log_power_quotient(x: Any, below: Any, above: Any, s: Any, times: Any) -> Any:
    """`log(x**below / (1 + x**s)**times)`; beyond 1 as that of `x**above / (1 + x**-s)**times`."""
    far = x > 1
    rest = log1p(exp(where(far, -s, s) * log(x)))
    return xlogy(where(far, above, below), x) - times * rest


def _power_inverse(log_q: Any, d: Any, c: Any) -> Any:
    """`(1 / share - 1)**(-1 / c)` for `share = q**(1 / d)`, also where the share is below all numbers."""
    log_share = log_q / d
    return where(log_share < -600, exp(log_share / c), root_of(expm1(-log_share), -c))


def _where_below(n: int, limit: Any, value: Any, other: Any = INF) -> Any:
    return where(n < limit, value, other)


_row(
    "burr",
    "c, d",
    "10.5, 4.3",
    (0, INF),
    logpdf=lambda x, c, d: log(c) + log(d) + _log_power_quotient(x, c * d - 1, -c - 1, c, d + 1),
    logcdf=lambda x, c, d: -d * _log1p_power(x, -c),
    cdf=lambda x, c, d: exp(-d * _log1p_power(x, -c)),
    sf=lambda x, c, d: -expm1(-d * _precise_log1p_power(x, -c)),
    ppf=lambda q, c, d: _power_inverse(log(q), d, c),
    isf=lambda q, c, d: _power_inverse(log1p(-q), d, c),
    munp=lambda n, c, d: where(c > n, d * beta_(1 - n / c, d + n / c), NAN),
    far={"sf": lambda x, c, d: log(d) - c * log(x)},
)


def _density_powers(x: Any, below: Any, above: Any, rest: Any = 0.0) -> Any:
    """`x**(below - 1)` up to 1 and `x**(above + rest - 1)` beyond it; of a small `below` the 1 would take digits."""
    small = below < 0.5
    near = x < 1
    value = power(x, where(near, where(small, below, below - 1), above))
    return value / where(both(near, logical_not(small)), 1.0, x) * where(near, 1.0, 1 + rest * log(x))


def _burr12_sf(x: Any, c: Any, d: Any) -> Any:
    """By powers: the rounding of their logarithms would grow with these."""
    product = -c * d
    beyond = maximum(x, 1.0)
    far = power(beyond, product) * (1 + product_rest(-c, d, product) * log(beyond))
    return where(x < INF, far, 0.0) * exp(-d * log1p(_smaller_power(x, c)))


def _burr12_pdf(x: Any, c: Any, d: Any) -> Any:
    product = -c * d
    powers = _density_powers(x, c, product, product_rest(-c, d, product))
    at_zero = where(c < 1, INF, where(c == 1, d, 0.0))
    return where(x > 0, c * d * powers * exp(-(d + 1) * log1p(_smaller_power(x, c))), at_zero)


def _burr12_isf(q: Any, c: Any, d: Any) -> Any:
    log_share = log(q) / d
    share = root_of(q, d)
    odds = root_of(where(log_share < -1, (1 - share) / share, expm1(-log_share)), c)
    # Where the share is below all numbers the 1 beside its inverse does not count.
    product = -c * d
    return where(log_share < -600, root_of(q, product, product_rest(-c, d, product)), odds)


_row(
    "burr12",
    "c, d",
    "10, 4",
    (0, INF),
    pdf=_burr12_pdf,
    logpdf=lambda x, c, d: log(c * d) + _log_power_quotient(x, c - 1, -c * d - 1, c, d + 1),
    logsf=lambda x, c, d: -d * _precise_log1p_power(x, c),
    sf=_burr12_sf,
    cdf=lambda x, c, d: -expm1(-d * _precise_log1p_power(x, c)),
    ppf=lambda q, c, d: _power_inverse(log1p(-q), d, -c),
    isf=_burr12_isf,
    munp=lambda n, c, d: where(c * d > n, d * beta_(1 + n / c, d - n / c), NAN),
    far={"cdf": lambda x, c, d: log(d) + c * log(x)},
)
_row(
    "fisk",
    "c",
    "3.09",
    (0, INF),
    pdf=_power_density,
    logpdf=lambda x, c: log(c) + _log_power_quotient(x, c - 1, -c - 1, c, 2.0),
    cdf=lambda x, c: 1 / (1 + power(x, -c)),
    sf=lambda x, c: 1 / (1 + power(x, c)),
    logcdf=lambda x, c: log_expit(c * log(x)),
    logsf=lambda x, c: log_expit(-c * log(x)),
    ppf=lambda q, c: power(q / (1 - q), 1 / c),
    # The odds overflow before their root does.
    isf=lambda q, c: where(q < 1e-290, root_of(q, -c), root_of((1 - q) / q, c)),
    munp=lambda n, c: where(c > n, beta_(1 - n / c, 1 + n / c), NAN),
    entropy=lambda c: 2 - log(c),
)


def _mielke_pdf(x: Any, k: Any, s: Any) -> Any:
    rest = exp(-(1 + k / s) * log1p(_smaller_power(x, s)))
    at_zero = where(k < 1, INF, where(k == 1, 1.0, 0.0))
    return where(x > 0, k * _density_powers(x, k, -s) * rest, at_zero)


_row(
    "mielke",
    "k, s",
    "10.4, 4.6",
    (0, INF),
    pdf=_mielke_pdf,
    logpdf=lambda x, k, s: log(k) + _log_power_quotient(x, k - 1, -s - 1, s, 1 + k / s),
    logcdf=lambda x, k, s: -k / s * _log1p_power(x, -s),
    cdf=lambda x, k, s: exp(-k / s * _log1p_power(x, -s)),
    sf=lambda x, k, s: -expm1(-k / s * _log1p_power(x, -s)),
    ppf=lambda q, k, s: _power_inverse(log(q), k / s, s),
    isf=lambda q, k, s: _power_inverse(log1p(-q), k / s, s),
    munp=lambda n, k, s: where(n < s, gamma_((k + n) / s) * gamma_(1 - n / s) / gamma_(k / s), INF),
    far={"sf": lambda x, k, s: log(k / s) - s * log(x)},
)


def _pareto_stats(b: Any) -> tuple[Any, ...]:
    return (
        where(b > 1, b / (b - 1), INF),
        where(b > 2, b / (b - 2) / (b - 1) ** 2, INF),
        where(b > 3, 2 * sqrt(b - 2) * (b + 1) / ((b - 3) * sqrt(b)), NAN),
        where(b > 4, 6 * (b**3 + b * b - 6 * b - 2) / (b * (b * b - 7 * b + 12)), NAN),
    )


_row(
    "pareto",
    "b",
    "2.62",
    (1, INF),
    pdf=lambda x, b: b * power(x, -b) / x,
    logpdf=lambda x, b: log(b) - (b + 1) * log(x),
    cdf=lambda x, b: -expm1(-b * log(x)),
    sf=lambda x, b: power(x, -b),
    logsf=lambda x, b: -b * log(x),
    ppf=lambda q, b: exp(-log1p(-q) / b),
    isf=lambda q, b: root_of(q, -b),
    stats=_pareto_stats,
    munp=lambda n, b: where(n < b, b / (b - n), INF),
    entropy=lambda b: 1 + 1 / b - log(b),
    rvs=lambda b, size, random_state: random_state.pareto(b, size=size) + 1,
)


def _lomax_stats(c: Any) -> tuple[Any, ...]:
    mean, v, s, k = _pareto_stats(c)
    return where(c > 1, 1 / (c - 1), INF), v, s, k


def _lomax_pdf(x: Any, c: Any) -> Any:
    total = 1 + x
    rest = where(x < INF, sum_rest(1.0, x, total), 0.0)
    return c * power(total, -c) / total * exp(-c * (rest / total))


_row(
    "lomax",
    "c",
    "1.88",
    (0, INF),
    pdf=_lomax_pdf,
    logpdf=lambda x, c: log(c) - (c + 1) * log1p(x),
    cdf=lambda x, c: -expm1(-c * log1p(x)),
    sf=lambda x, c: exp(-c * log1p(x)),
    logsf=lambda x, c: -c * log1p(x),
    ppf=lambda q, c: expm1(-log1p(-q) / c),
    isf=lambda q, c: expm1(-log(q) / c),
    stats=_lomax_stats,
    munp=lambda n, c: where(c > n, exp(gammaln(n + 1.0) + gammaln(c - n) - gammaln(c)), INF),
    entropy=lambda c: 1 + 1 / c - log(c),
    rvs=lambda c, size, random_state: random_state.pareto(c, size=size),
)


def _genpareto_log(x: Any, c: Any) -> Any:
    """`-log(sf)` of the generalized Pareto distribution."""
    return where(c == 0, x, log1m_product(-c, where(c == 0, 0.0, x)) / where(c == 0, 1.0, c))


def _genpareto_inverse(y: Any, c: Any) -> Any:
    return where(c == 0, y, expm1(c * y) / where(c == 0, 1.0, c))


def _genpareto_munp(n: int, c: Any) -> Any:
    value: Any = np.float64(1)
    for i in range(1, stepwise(n) + 1):
        value = value * i / (1 - i * c)
    return where(c * n < 1, value, INF)


_row(
    "genpareto",
    "c",
    "0.1",
    lambda c: (0.0 * c, where(c < 0, -1 / minimum(c, -1e-300), INF)),
    argcheck=lambda c: isfinite(c),
    logpdf=lambda x, c: where(c == -1, 0.0, -_genpareto_log(x, c) * (1 + c)),
    logsf=lambda x, c: -_genpareto_log(x, c),
    sf=lambda x, c: exp(-_genpareto_log(x, c)),
    cdf=lambda x, c: -expm1(-_genpareto_log(x, c)),
    ppf=lambda q, c: _genpareto_inverse(-log1p(-q), c),
    isf=lambda q, c: _genpareto_inverse(-log(q), c),
    stats=lambda c: (
        where(c < 1, 1 / (1 - c), INF),
        where(c < 0.5, 1 / (1 - c) ** 2 / (1 - 2 * c), NAN),
        where(c < 1.0 / 3, 2 * (1 + c) * sqrt(1 - 2 * c) / (1 - 3 * c), NAN),
        where(c < 0.25, 3 * (1 - 2 * c) * (2 * c * c + c + 3) / (1 - 3 * c) / (1 - 4 * c) - 3, NAN),
    ),
    munp=_genpareto_munp,
    entropy=lambda c: 1 + c,
)


def _truncpareto_munp(n: int, b: Any, c: Any) -> Any:
    mass = -expm1(-b * log(c))
    same = b == n
    safe = where(same, b + 1.0, b)
    return where(same, b * log(c) / mass, safe / (safe - n) * (-expm1((n - safe) * log(c))) / mass)


def _truncpareto_narrow(b: Any, c: Any) -> Any:
    return interval(1.0, c, lambda x: (b + 1) / x, lambda middle, t: -(b + 1) * log1p(t / middle))


def _truncpareto_inverse(lower: Any, upper: Any, b: Any, c: Any) -> Any:
    """The point whose power is `c**-b` and the share `upper` of what is left to 1; next to 1 by its distance."""
    log_power = -b * log(c)
    log_survival = either(
        log_power > -1,
        lambda: log1p(lower * expm1(log_power)),
        lambda: log(exp(log_power) + upper * (1 - exp(log_power))),
    )
    return exp(-log_survival / b)


_row(
    "truncpareto",
    "b, c",
    "1.8, 5.3",
    lambda b, c: (0 * c + 1.0, c),
    argcheck=lambda b, c: both(b != 0, b == b, c > 1),
    logpdf=lambda x, b, c: log(b / -expm1(-b * log(c))) - (b + 1) * log(x),
    cdf=lambda x, b, c: expm1(-b * log(x)) / expm1(-b * log(c)),
    sf=lambda x, b, c: exp(-b * log(x)) * expm1(-b * log_quotient(c, x)) / expm1(-b * log(c)),
    ppf=lambda q, b, c: _truncpareto_inverse(q, 1 - q, b, c),
    isf=lambda q, b, c: _truncpareto_inverse(1 - q, q, b, c),
    munp=lambda n, b, c: raw_moment(
        n, _truncpareto_narrow(b, c), power_peak(n, b, 1.0, c, log(c)), lambda: _truncpareto_munp(n, b, c)
    ),
    methods={
        "_moment_from_raw": lambda self, n, mean, b, c: central_moment(
            n,
            _truncpareto_narrow(b, c),
            power_peak(n, b, 1.0, c, log(c)),
            lambda: Row._moment_from_raw(self, n, mean, b, c),
        )
    },
    entropy=lambda b, c: -(log(b / -expm1(-b * log(c))) + (b + 1) * (log(c) / (exp(b * log(c)) - 1) - 1 / b)),
)


def _kappa3_log(x: Any, a: Any) -> Any:
    """`log(1 + a * x**-a)` without overflow."""
    grown = _smaller_power(x, a)
    far = where(grown < 1e-290, log(a) - a * log(minimum(x, 1.0)), log1p(a / maximum(grown, 1e-290)))
    return where(x < 1, far, log1p(a * grown))


def _kappa3_pdf(x: Any, a: Any) -> Any:
    grown = _smaller_power(x, a)
    total = a + grown
    near = a / total * root_of(total, -a) * (1 - sum_rest(a, grown, total) / total / a)
    return where(x < 1, near, a * grown / x * exp(-(1 + 1 / a) * log1p(a * grown)))


def _kappa3_raw(n: int, a: Any) -> Any:
    """The raw moment of order n: a beta integral in `t = a * x**-a`."""
    return where(n < a, a ** (n / a) * beta_(1 - n / a, (n + 1) / a) / a, NAN)


_row(
    "kappa3",
    "a",
    "1.0",
    (0, INF),
    pdf=_kappa3_pdf,
    logpdf=lambda x, a: log(a) - (1 + 1 / a) * (log(a) + logaddexp(0.0, a * log(x) - log(a))),
    logcdf=lambda x, a: -_kappa3_log(x, a) / a,
    cdf=lambda x, a: exp(-_kappa3_log(x, a) / a),
    sf=lambda x, a: -expm1(-_kappa3_log(x, a) / a),
    ppf=lambda q, a: q * (a / -expm1(a * log(q))) ** (1 / a),
    isf=lambda q, a: (1 - q) * (a / -expm1(a * log1p(-q))) ** (1 / a),
    far={"sf": lambda x, a: -a * log(x)},
    munp=_kappa3_raw,
)
