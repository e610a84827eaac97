"""Rows of distributions with heavy tails, the logistic family, and quantile families."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._logarithms import central_beta_power, either, is_central_share
from ._math import (
    EULER,
    INF,
    LOG2,
    LOG2PI,
    NAN,
    SQRT2PI,
    arctan,
    arctan2,
    arctanh,
    beta_,
    betainc,
    betaincc,
    betainccinv,
    betaincinv,
    betaln,
    both,
    cosh,
    cot_pi,
    digamma,
    digamma_rest,
    erf,
    erfc,
    erfcinv,
    erfinv,
    exp,
    exp_product,
    expit,
    expm1,
    gamma_,
    gammaln,
    hypot,
    isfinite,
    isinf,
    log,
    log1m_product,
    log1mexp,
    log1p,
    log1p_square,
    log_expit,
    log_gamma_entropy,
    log_ndtr,
    log_quotient,
    logaddexp,
    logical_not,
    logical_or,
    logit,
    maximum,
    minimum,
    ndtr,
    ndtr_between,
    ndtri,
    norm_logpdf,
    norm_pdf,
    normal_moment,
    poch,
    power,
    sign,
    sqrt,
    stdtr,
    stdtrit,
    stepwise,
    tan,
    tanh,
    where,
    xlogy,
    zeta,
)
from ._narrow import central_moment, interval, power_peak, raw_moment
from ._pairs import Pair, known, log_pair, product_rest, root_of, sum_rest
from ._row import Row, rows_of

__all__: list[str] = []

# Rows that other modules import by name.
logistic: Any
t: Any


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


def _alpha_sf(x: Any, a: Any) -> Any:
    end = a - 1 / x
    # Of two tails on one side of 0 the smaller ones.
    wide = where(end > 0, ndtr(-end) - ndtr(-a), ndtr(a) - ndtr(end))
    return where(x < 1, wide, ndtr_between(a - 0.5 / maximum(x, 1.0), 1 / maximum(x, 1.0))) / ndtr(a)


def _alpha_inverse(lower: Any, upper: Any, a: Any) -> Any:
    """The inverse of the distance from `a` within which a normal number has a share of its probability below `a`."""
    t = upper * exp(log_ndtr(a) - norm_logpdf(a))
    near = t * (1 + a) < 1e-4
    # The inverse of the integral's Taylor series.
    second, third = a / 2, (a * a - 1) / 6
    fourth = 5 * second * (third - second * second) - a * (a * a - 3) / 24
    d = t * (1 - t * (second - t * (2 * second * second - third + t * fourth)))
    # By the smaller one of both tails. The upper one is all above `a`, and `upper` of what lies below it.
    far = upper < 0.5
    deviate = ndtri(where(far, ndtr(-a) + upper * ndtr(a), lower * ndtr(a)))
    return 1 / where(near, d, a + where(far, deviate, -deviate))


_row(
    "alpha",
    "a",
    "3.57",
    (0, INF),
    pdf=lambda x, a: where(x == 0, 0.0, norm_pdf(a - 1 / x) / (ndtr(a) * x) / x),
    logpdf=lambda x, a: where(x == 0, -INF, -2 * log(x) + norm_logpdf(a - 1 / x) - log_ndtr(a)),
    cdf=lambda x, a: ndtr(a - 1 / x) / ndtr(a),
    logcdf=lambda x, a: log_ndtr(a - 1 / x) - log_ndtr(a),
    sf=lambda x, a: _alpha_sf(x, a),
    ppf=lambda q, a: _alpha_inverse(q, 1 - q, a),
    isf=lambda q, a: _alpha_inverse(1 - q, q, a),
    munp=lambda n, a: INF + 0 * a,
    stats=lambda a: (INF, INF, NAN, NAN),
    far={"sf": lambda x, a: norm_logpdf(a) - log(x) - log_ndtr(a)},
)


_row(
    "cauchy",
    formula="The Cauchy distribution: density `1 / (pi * (1 + x**2))`.\n",
    pdf=lambda x: 1 / np.pi / (1 + x * x),
    logpdf=lambda x: -np.log(np.pi) - log1p_square(x),
    cdf=lambda x: arctan2(1.0, -x) / np.pi,
    sf=lambda x: arctan2(1.0, x) / np.pi,
    ppf=lambda q: -cot_pi(q),
    isf=cot_pi,
    stats=lambda: (NAN, NAN, NAN, NAN),
    munp=lambda n: NAN,
    entropy=lambda: np.log(4 * np.pi),
    rvs=lambda size, random_state: random_state.standard_cauchy(size=size),
)
_row(
    "halfcauchy",
    "",
    "",
    (0, INF),
    pdf=lambda x: 2 / np.pi / (1 + x * x),
    logpdf=lambda x: np.log(2 / np.pi) - log1p_square(x),
    cdf=lambda x: 2 / np.pi * arctan(x),
    munp=lambda n: INF,
    sf=lambda x: 2 / np.pi * arctan2(1.0, x),
    ppf=lambda q: where(q < 0.5, tan(np.pi / 2 * q), 1 / tan(np.pi / 2 * (1 - q))),
    isf=lambda q: where(q < 0.5, 1 / tan(np.pi / 2 * q), tan(np.pi / 2 * (1 - q))),
    stats=lambda: (INF, INF, NAN, NAN),
    entropy=lambda: np.log(2 * np.pi),
    rvs=lambda size, random_state: abs(random_state.standard_cauchy(size=size)),
)
_row(
    "foldcauchy",
    "c",
    "4.7",
    (0, INF),
    argcheck=lambda c: c >= 0,
    pdf=lambda x, c: 1 / np.pi * (1 / (1 + (x - c) ** 2) + 1 / (1 + (x + c) ** 2)),
    logpdf=lambda x, c: logaddexp(-log1p_square(x - c), -log1p_square(x + c)) - np.log(np.pi),
    cdf=lambda x, c: arctan2(2 * x, 1 + (c - x) * (c + x)) / np.pi,
    munp=lambda n, c: INF + 0 * c,
    sf=lambda x, c: (arctan2(1.0, x - c) + arctan2(1.0, x + c)) / np.pi,
    stats=lambda c: (INF, INF, NAN, NAN),
    rvs=lambda c, size, random_state: abs(random_state.standard_cauchy(size=size) + c),
)


def _skewcauchy_tail(x: Any, a: Any, upper: bool) -> Any:
    left = (1 - a) / np.pi * arctan2(1.0, -x / (1 - a))
    right = (1 + a) / np.pi * arctan2(1.0, x / (1 + a))
    return where(x > 0, right, 1 - left) if upper else where(x > 0, 1 - right, left)


def _skewcauchy_inverse(lower: Any, upper: Any, a: Any) -> Any:
    left = lower < (1 - a) / 2
    return where(left, -(1 - a) * cot_pi(lower / (1 - a)), (1 + a) * cot_pi(upper / (1 + a)))


_row(
    "skewcauchy",
    "a",
    "0.5",
    argcheck=lambda a: both(a > -1, a < 1),
    pdf=lambda x, a: 1 / (np.pi * (x * x / (a * sign(x) + 1) ** 2 + 1)),
    logpdf=lambda x, a: -np.log(np.pi) - log1p_square(x / (a * sign(x) + 1)),
    cdf=lambda x, a: _skewcauchy_tail(x, a, False),
    munp=lambda n, a: NAN * a,
    sf=lambda x, a: _skewcauchy_tail(x, a, True),
    ppf=lambda q, a: _skewcauchy_inverse(q, 1 - q, a),
    isf=lambda q, a: _skewcauchy_inverse(1 - q, q, a),
    stats=lambda a: (NAN, NAN, NAN, NAN),
)


def _t_stats(df: Any) -> tuple[Any, ...]:
    whole = isinf(df)
    v = where(df > 2, where(whole, 1.0, df / (df - 2)), where(df > 1, INF, NAN))
    k = where(df > 4, where(whole, 0.0, 6 / (df - 4)), where(df > 2, INF, NAN))
    return where(df > 1, 0.0, INF), v, where(df > 3, 0.0, NAN), k


def _t_logpdf(x: Any, df: Any) -> Any:
    # Where the square would overflow, twice the logarithm of its root.
    far = abs(x) > 1e150
    ratio = where(far, abs(x), x * x) / where(far, sqrt(df), df) - where(far, 1.0, 0.0)
    fall = (df + 1) / 2 * (log1p(ratio) * where(far, 2.0, 1.0))
    value = -betaln(df / 2, 0.5) - 0.5 * log(df) - fall
    # For many degrees of freedom the beta function cancels; the series of its logarithm does not.
    many = -LOG2PI / 2 - 1 / (4 * df) + 1 / (24 * df**3) - fall
    return where(isinf(df), norm_logpdf(x), where(df > 1e5, many, value))


def _t_log_tail(x: Any, df: Any) -> Any:
    """The logarithm of the probability above `x`; far out, where that underflows, by a series."""
    tail, below = stdtr(df, -x), stdtr(df, x)
    half = df / 2
    share = 1 / (1 + (x / sqrt(df)) ** 2)
    log_share = -log1p_square(x / sqrt(df))
    series = 1.0
    for i in range(6, -1, -1):
        series = 1 + series * share * (half + 0.5 + i) / (half + 1 + i)
    far = half * log_share + 0.5 * log1p(-share) - log(df) - betaln(half, 0.5) + log(series)
    near = where(x < 0, log1p(-below), log(tail))
    return where(both(x > 0, share < 1e-2), far, near)


def _t_munp(n: int, df: Any) -> Any:
    if n % 2:
        return where(df > n, 0.0, NAN)
    value = exp(n / 2 * log(df) + gammaln((n + 1) / 2.0) + gammaln((df - n) / 2) - gammaln(df / 2)) / np.sqrt(np.pi)
    return where(isinf(df), normal_moment(n), where(df > n, value, INF))


def _t_entropy(df: Any) -> Any:
    half = df / 2
    value = log_gamma_entropy(half) - log_gamma_entropy(half + 0.5) + 0.5 * (1 + LOG2PI - digamma_rest(half))
    return where(isinf(df), 0.5 * LOG2PI + 0.5, value)


_row(
    "t",
    "df",
    "2.74",
    formula="Student's t distribution.\n",
    logpdf=_t_logpdf,
    cdf=lambda x, df: stdtr(df, x),
    sf=lambda x, df: stdtr(df, -x),
    logcdf=lambda x, df: _t_log_tail(-x, df),
    logsf=_t_log_tail,
    ppf=lambda q, df: stdtrit(df, q),
    isf=lambda q, df: 0.0 - stdtrit(df, q),
    stats=_t_stats,
    munp=_t_munp,
    entropy=_t_entropy,
    rvs=lambda df, size, random_state: random_state.standard_t(df, size=size),
)


def _jf_share(x: Any, a: Any, b: Any) -> Any:
    """`(1 + x / sqrt(a + b + x**2)) / 2`, also far to the left."""
    root = hypot(sqrt(a + b), x)
    return where(x < 0, (a + b) / (2 * root) / (root - x), 0.5 * (1 + x / root))


def _jf_log_share(x: Any, a: Any, b: Any) -> Any:
    """The logarithm of twice that, also where it is below all numbers."""
    root = hypot(sqrt(a + b), x)
    return where(x < 0, log((a + b) / root) - log(root - x), log1p(x / root))


def _jf_logpdf(x: Any, a: Any, b: Any) -> Any:
    root = hypot(sqrt(a + b), x)
    share, rest = _jf_share(x, a, b), _jf_share(-x, a, b)
    large = LOG2 - log(root) + central_beta_power(share, rest, a, b)
    powers = (a + 0.5) * _jf_log_share(x, a, b) + (b + 0.5) * _jf_log_share(-x, a, b)
    plain = powers - (a + b - 1) * LOG2 - betaln(a, b) - 0.5 * log(a + b)
    return where(is_central_share(share, rest, a, b), large, plain)


def _jf_far(x: Any, a: Any, b: Any) -> Any:
    """The logarithm of the lower tail, far out."""
    return a * (_jf_log_share(x, a, b) - LOG2) - log(a) - betaln(a, b)


def _jf_munp(n: int, a: Any, b: Any) -> Any:
    """By the moments of `2 * B - 1` for a number `B` of the beta distribution of `a - n / 2` and `b - n / 2`."""
    p, q = a - n / 2, b - n / 2
    before, moment = 0.0, 1.0 + 0.0 * a
    for k in range(stepwise(n)):
        before, moment = moment, ((p - q) * moment + k * before) / (p + q + k)
    # The quotient of the beta functions, by whole steps.
    scale: Any = 1.0
    for k in range(n // 2):
        scale = scale * ((p + q + 2 * k) / (p + k)) * ((p + q + (2 * k + 1)) / (q + k)) * (0.25 * (a + b))
    if n % 2:
        rest = n // 2
        roots = poch(p + rest, 0.5) * poch(q + rest, 0.5)
        scale = scale * ((p + q + 2 * rest) / roots) * (0.5 * sqrt(a + b))
    return where(minimum(a, b) > n / 2, scale * moment, NAN)


def _jf_inverse(one: Any, other: Any, a: Any, b: Any) -> Any:
    return (one - other) * sqrt(a + b) / (2 * sqrt(one * other))


_row(
    "jf_skew_t",
    "a, b",
    "8, 4",
    logpdf=_jf_logpdf,
    cdf=lambda x, a, b: where(x < 0, betainc(a, b, _jf_share(x, a, b)), betaincc(b, a, _jf_share(-x, a, b))),
    sf=lambda x, a, b: where(x < 0, betaincc(a, b, _jf_share(x, a, b)), betainc(b, a, _jf_share(-x, a, b))),
    ppf=lambda q, a, b: _jf_inverse(betaincinv(a, b, q), betainccinv(b, a, q), a, b),
    isf=lambda q, a, b: _jf_inverse(betainccinv(a, b, q), betaincinv(b, a, q), a, b),
    munp=_jf_munp,
    rvs=lambda a, b, size, random_state: (lambda p: _jf_inverse(p, 1 - p, a, b))(random_state.beta(a, b, size=size)),
    far={"cdf": lambda x, a, b: _jf_far(x, a, b), "sf": lambda x, a, b: _jf_far(-x, b, a)},
)


def _levy_logpdf(x: Any) -> Any:
    # The constant within the logarithm is one rounding less.
    inverse = 1 / x
    return where(x == 0, -INF, 1.5 * log(minimum(inverse, 1e308) / np.cbrt(2 * np.pi)) - 0.5 * inverse)


_row(
    "levy",
    "",
    "",
    (0, INF),
    pdf=lambda x: where(x == 0, 0.0, exp(-1 / (2 * x)) / (SQRT2PI * sqrt(x)) / x),
    logpdf=lambda x: _levy_logpdf(x),
    cdf=lambda x: erfc(sqrt(0.5 / x)),
    munp=lambda n: INF,
    sf=lambda x: erf(sqrt(0.5 / x)),
    ppf=lambda q: 0.5 / erfcinv(q) ** 2,
    isf=lambda q: 0.5 / erfinv(q) ** 2,
    stats=lambda: (INF, INF, NAN, NAN),
    entropy=lambda: 0.5 * (1 + 3 * EULER + np.log(16 * np.pi)),
    far={"cdf": lambda x: LOG2 + log_ndtr(-1 / sqrt(x))},
)
_row(
    "levy_l",
    "",
    "",
    (-INF, 0),
    pdf=lambda x: where(x == 0, 0.0, exp(1 / (2 * x)) / (SQRT2PI * sqrt(-x)) / -x),
    logpdf=lambda x: _levy_logpdf(-x),
    cdf=lambda x: erf(sqrt(-0.5 / x)),
    munp=lambda n: (-1) ** n * INF,
    sf=lambda x: erfc(sqrt(-0.5 / x)),
    ppf=lambda q: -0.5 / erfinv(q) ** 2,
    isf=lambda q: -0.5 / erfcinv(q) ** 2,
    stats=lambda: (INF, INF, NAN, NAN),
    entropy=lambda: 0.5 * (1 + 3 * EULER + np.log(16 * np.pi)),
    far={"sf": lambda x: LOG2 + log_ndtr(-1 / sqrt(-x))},
)
_row(
    "loglaplace",
    "c",
    "3.25",
    (0, INF),
    pdf=lambda x, c: c / 2 * power(x, where(x < 1, c - 1, -c - 1)),
    logpdf=lambda x, c: log(c / 2) + xlogy(where(x < 1, c - 1, -c - 1), x),
    cdf=lambda x, c: where(x < 1, 0.5 * x**c, 1 - 0.5 * x ** (-c)),
    sf=lambda x, c: where(x < 1, 1 - 0.5 * x**c, 0.5 * x ** (-c)),
    ppf=lambda q, c: root_of(2 * minimum(q, 1 - q), where(q < 0.5, c, -c)),
    isf=lambda q, c: root_of(2 * minimum(q, 1 - q), where(q > 0.5, c, -c)),
    munp=lambda n, c: where(n < c, c * c / (c * c - n * n), INF),
    entropy=lambda c: log(2 / c) + 1,
    far={"cdf": lambda x, c: c * log(x) - LOG2, "sf": lambda x, c: -c * log(x) - LOG2},
)

# ------------------------------------------------------------------------------------------ logistic and its kin


def _logistic_pdf(x: Any) -> Any:
    fall = exp(-abs(x))
    return fall / ((1 + fall) * (1 + fall))


_row(
    "logistic",
    formula="The logistic distribution: `cdf = 1 / (1 + exp(-x))`.\n",
    logpdf=lambda x: -abs(x) - 2 * log1p(exp(-abs(x))),
    pdf=_logistic_pdf,
    cdf=expit,
    sf=lambda x: expit(-x),
    logcdf=log_expit,
    logsf=lambda x: log_expit(-x),
    ppf=logit,
    isf=lambda q: -logit(q),
    stats=lambda: (0.0, np.pi**2 / 3, 0.0, 1.2),
    entropy=lambda: 2.0,
    rvs=lambda size, random_state: random_state.logistic(size=size),
)


def _genlogistic_stats(c: Any) -> tuple[Any, ...]:
    v = np.pi**2 / 6 + zeta(2.0, c)
    return (
        EULER + digamma(c),
        v,
        (-2 * zeta(3.0, c) + 2 * 1.202056903159594285399738) / v**1.5,
        (np.pi**4 / 15 + 6 * zeta(4.0, c)) / (v * v),
    )


def _genlogistic_upper(t: Any) -> Any:
    """`-log(expm1(t))` without overflow."""
    return where(t > 30, -t - log1p(-exp(-t)), -log(expm1(t)))


_row(
    "genlogistic",
    "c",
    "0.41",
    argcheck=lambda c: c > 0,
    pdf=lambda x, c: c * exp_product(where(x < 0, c, -1.0), x) * exp(-(c + 1) * log1p(exp(-abs(x)))),
    logpdf=lambda x, c: log(c) + where(x < 0, c * x, -x) - (c + 1) * log1p(exp(-abs(x))),
    logcdf=lambda x, c: -c * logaddexp(0.0, -x),
    cdf=lambda x, c: exp(-c * logaddexp(0.0, -x)),
    sf=lambda x, c: -expm1(-c * logaddexp(0.0, -x)),
    ppf=lambda q, c: where(log(q) < -30 * c, log(q) / c - log1p(-exp(log(q) / c)), -log(expm1(-log(q) / c))),
    isf=lambda q, c: _genlogistic_upper(-log1p(-q) / c),
    stats=_genlogistic_stats,
    entropy=lambda c: -log(c) + digamma(c + 1) + EULER + 1,
    far={"sf": lambda x, c: log(c) - x},
)
_row(
    "halflogistic",
    "",
    "",
    (0, INF),
    logpdf=lambda x: LOG2 - x - 2 * log1p(exp(-x)),
    cdf=lambda x: tanh(x / 2),
    # The exponential overflows before its inverse vanishes.
    sf=lambda x: where(x < 700, 2 / (1 + exp(x)), 2 * expit(-x)),
    ppf=lambda q: 2 * arctanh(q),
    isf=lambda q: where(q < 0.5, -logit(q / 2), 2 * arctanh(1 - q)),
    munp=lambda n: (
        (1.0, 2 * np.log(2.0), np.pi**2 / 3, 9 * 1.202056903159594285399738, 7 * np.pi**4 / 15)[n]
        if n <= 4
        else 2 * (1 - 2.0 ** (1 - n)) * gamma_(n + 1.0) * zeta(float(n), 1.0)
    ),
    entropy=lambda: 2 - LOG2,
    far={"sf": lambda x: LOG2 - x},
)


def _ghl_power(x: Any, c: Any) -> Any:
    return log1m_product(c, x) / c


_row(
    "genhalflogistic",
    "c",
    "0.77",
    lambda c: (0.0 * c, 1 / c),
    logpdf=lambda x, c: LOG2 + where(c == 1, 0.0, (1 - c) * _ghl_power(x, c)) - 2 * log1p(exp(_ghl_power(x, c))),
    cdf=lambda x, c: -expm1(_ghl_power(x, c)) / (1 + exp(_ghl_power(x, c))),
    sf=lambda x, c: 2 * expit(_ghl_power(x, c)),
    ppf=lambda q, c: -expm1(c * (log1p(-q) - log1p(q))) / c,
    isf=lambda q, c: -expm1(c * where(q > 0.5, -2 * arctanh(1 - q), log(q) - log(2 - q))) / c,
    entropy=lambda c: 2 - (2 * c + 1) * LOG2,
)
_row(
    "hypsecant",
    pdf=lambda x: 1 / np.pi / cosh(x),
    logpdf=lambda x: -np.log(np.pi) + LOG2 - abs(x) - log1p(exp(-2 * abs(x))),
    cdf=lambda x: arctan(exp(x)) / (np.pi / 2),
    sf=lambda x: arctan(exp(-x)) / (np.pi / 2),
    ppf=lambda q: where(q < 0.5, log(tan(np.pi * q / 2)), -log(tan(np.pi * (1 - q) / 2))),
    isf=lambda q: where(q < 0.5, -log(tan(np.pi * q / 2)), log(tan(np.pi * (1 - q) / 2))),
    stats=lambda: (0.0, np.pi**2 / 4, 0.0, 2.0),
    entropy=lambda: np.log(2 * np.pi),
    far={"cdf": lambda x: x + np.log(2 / np.pi), "sf": lambda x: -x + np.log(2 / np.pi)},
)

# ------------------------------------------------------------------------------------------ quantile families


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


def _kappa4_support(h: Any, k: Any) -> tuple[Any, Any]:
    low = where(h > 0, _kappa4_end(h, k)[0], where(k < 0, 1 / minimum(k, -1e-300), -INF))
    return low + 0 * (h + k), where(k > 0, 1 / maximum(k, 1e-300), INF) + 0 * (h + k)


def _kappa4_end(h: Any, k: Any) -> tuple[Any, Any]:
    """The lower end where `h` is positive, and the size of its rounding."""
    kk = where(k == 0, 1.0, k)
    log_h = log(where(h > 0, h, 1.0))
    fall = k * log_h
    change = expm1(-fall)
    end = where(k == 0, log_h, -change / kk)
    return end, 1e-15 * abs(end) + 2.5e-16 * minimum(abs(fall), 800.0) * ((1 + change) / abs(kk))


def _kappa4_reach(h: Any, k: Any) -> tuple[Any, Any]:
    """The support and some roundings more: the formulas know which points lie below the end."""
    low, high = _kappa4_support(h, k)
    error = _kappa4_end(h, k)[1]
    return where(both(h > 0, isfinite(error)), low - error, low), high


def _kappa4_u(x: Any, k: Any) -> Pair:
    """`log(u)` with `u = (1 - k*x)**(1/k)`, of twice the digits: next to the lower end `h * u` is near 1."""
    kk = where(k == 0, 1.0, k)
    product = k * x
    small, inside = abs(product) < 1e-5, (abs(product) < 1e290) & (product < 1)
    # The terms of the series that are left of a small product.
    series = -x * (product * (0.5 + product * (1 / 3 + product / 4)))
    rounded = 1 - product
    rest = sum_rest(1.0, -product, rounded) - product_rest(k, x, product)
    base = rounded + rest
    own = log_pair(where(inside, base, 1.0))
    rest = own.low + ((rounded - base) + rest) / base
    total = own.high + rest
    value = total / kk
    left = ((own.high - total) + rest) + ((total - value * kk) - product_rest(value, kk, value * kk))
    # Beyond numbers one rounding more does not count.
    far = where(product < 0, log(abs(kk)) + log(abs(x)), log1m_product(k, x)) / kk
    high = where(inside, value, far)
    near = series - x
    return Pair(where(small, near, high), where(small, (-x - near) + series, where(inside, left / kk, 0.0)))


def _kappa4_log_rest(u: Pair, h: Any) -> Any:
    """`log(1 - h * u) / h` from the logarithm of `u`: next to the lower end from that of the product."""
    m = where(h == 0, 1.0, abs(h))
    size = u.exp()
    product, log_m = m * size, log_pair(m)
    rounded = u.high + log_m.high
    rest = known(sum_rest(u.high, log_m.high, rounded) + (u.low + log_m.low))
    log_product = rounded + rest
    rest = known((rounded - log_product) + rest)
    fall = expm1(minimum(log_product, 0.0))
    near = log(maximum(-(fall + (1 + fall) * rest), 0.0))
    above = where(product > 0.5, near, log1p(-minimum(product, 0.5)))
    # The product overflows before its logarithm is large.
    below = where(log_product > 700, log_product, log1p(product))
    return where(h == 0, -size, where(h < 0, -below, above) / m)


def _kappa4_logcdf(x: Any, h: Any, k: Any) -> Any:
    return _kappa4_log_rest(_kappa4_u(x, k), h)


def _kappa4_logpdf(x: Any, h: Any, k: Any) -> Any:
    u = _kappa4_u(x, k)
    rest = _kappa4_log_rest(u, h)
    power = where(k == 1, 0.0, u.number() * (1 - k))
    # At the end itself the density is 0, or the limit of its other factor, or infinite.
    end = where(x >= _kappa4_support(h, k)[0], where(h == 1, power, where(h > 1, INF, -INF)), -INF)
    return where(rest > -INF, power + (1 - h) * rest, end)


def _kappa4_inverse(log_q: Any, h: Any, k: Any) -> Any:
    t = log(where(h == 0, -log_q, -expm1(h * log_q) / where(h == 0, 1.0, h)))
    return where(k == 0, -t, -expm1(k * t) / where(k == 0, 1.0, k))


def _kappa4_entropy(h: Any, k: Any) -> Any:
    """The mean of minus the logarithm of the density at the quantiles, `u**(1 - k) * q**(1 - h)`."""
    m = abs(h)
    return 1 - h + (1 - k) * (EULER + digamma_rest(1 / m) + maximum(h, 0.0))


def _kappa4_exists(n: int, h: Any, k: Any) -> Any:
    below = logical_or(h >= 0, n * h * k > -1)
    return where(k < 0, n * k > -1, below)


_row(
    "kappa4",
    "h, k",
    "0.1, 0.1",
    _kappa4_support,
    argcheck=lambda h, k: both(h == h, k == k),
    reach=_kappa4_reach,
    logpdf=_kappa4_logpdf,
    logcdf=_kappa4_logcdf,
    logsf=lambda x, h, k: log1mexp(_kappa4_logcdf(x, h, k)),
    ppf=lambda q, h, k: _kappa4_inverse(log(q), h, k),
    isf=lambda q, h, k: _kappa4_inverse(log1p(-q), h, k),
    exists=_kappa4_exists,
    entropy=_kappa4_entropy,
    # The upper tail is too heavy where k < 0, otherwise the lower one.
    divergent=lambda n, h, k: where(k < 0, INF, (-1) ** n * INF),
)
