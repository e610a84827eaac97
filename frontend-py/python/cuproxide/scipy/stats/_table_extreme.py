"""Rows of extreme values and lifetimes: Weibull, Gumbel, Gompertz and related distributions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._logarithms import either
from ._math import (
    EULER,
    INF,
    LOG2,
    NAN,
    PI,
    both,
    exp,
    exp1,
    expm1,
    gamma_,
    gammainc,
    gammaln,
    isfinite,
    log,
    log1m_product,
    log1mexp,
    log1p,
    log_complement,
    logical_not,
    maximum,
    minimum,
    sign,
    where,
    xlogy,
)
from ._narrow import FALL, Peak, central_moment, interval, raw_moment
from ._row import Row, rows_of

__all__: list[str] = []

# Rows that other modules import by name.
gumbel_l: Any
gumbel_r: Any
weibull_min: Any


_row = rows_of(globals())


def _weibull_density(y: Any, c: Any) -> Any:
    grown = y**c
    # Beyond, the exponential is 0, and the other factor may overflow.
    slope = where(grown < 1e-290, y ** (c - 1), grown / y)
    return where(grown > 800, 0.0, c * slope * exp(-grown))


_WEIBULL_MOMENT = lambda n, c: exp(gammaln(1 + n / c))  # noqa: E731

_row(
    "weibull_min",
    "c",
    "1.79",
    (0, INF),
    pdf=_weibull_density,
    logpdf=lambda x, c: log(c) + xlogy(c - 1, x) - x**c,
    cdf=lambda x, c: -expm1(-(x**c)),
    sf=lambda x, c: exp(-(x**c)),
    logsf=lambda x, c: -(x**c),
    ppf=lambda q, c: (-log1p(-q)) ** (1 / c),
    isf=lambda q, c: (-log(q)) ** (1 / c),
    munp=_WEIBULL_MOMENT,
    entropy=lambda c: -EULER / c - log(c) + EULER + 1,
    rvs=lambda c, size, random_state: random_state.weibull(c, size=size),
    far={"cdf": lambda x, c: c * log(x)},
)
_row(
    "weibull_max",
    "c",
    "2.87",
    (-INF, 0),
    pdf=lambda x, c: _weibull_density(-x, c),
    logpdf=lambda x, c: log(c) + xlogy(c - 1, -x) - (-x) ** c,
    cdf=lambda x, c: exp(-((-x) ** c)),
    sf=lambda x, c: -expm1(-((-x) ** c)),
    logcdf=lambda x, c: -((-x) ** c),
    ppf=lambda q, c: -((-log(q)) ** (1 / c)),
    isf=lambda q, c: -((-log1p(-q)) ** (1 / c)),
    munp=lambda n, c: (-1.0) ** n * _WEIBULL_MOMENT(n, c),
    entropy=lambda c: -EULER / c - log(c) + EULER + 1,
    far={"sf": lambda x, c: c * log(-x)},
)
_row(
    "dweibull",
    "c",
    "2.07",
    pdf=lambda x, c: 0.5 * _weibull_density(abs(x), c),
    logpdf=lambda x, c: log(c) - LOG2 + xlogy(c - 1, abs(x)) - abs(x) ** c,
    cdf=lambda x, c: where(x > 0, 1 - 0.5 * exp(-(abs(x) ** c)), 0.5 * exp(-(abs(x) ** c))),
    sf=lambda x, c: where(x > 0, 0.5 * exp(-(abs(x) ** c)), 1 - 0.5 * exp(-(abs(x) ** c))),
    ppf=lambda q, c: where(q > 0.5, (-log(2 * (1 - q))) ** (1 / c), -((-log(2 * q)) ** (1 / c))),
    isf=lambda q, c: where(q > 0.5, -((-log(2 * (1 - q))) ** (1 / c)), (-log(2 * q)) ** (1 / c)),
    munp=lambda n, c: (n % 2 == 0) * gamma_(1 + n / c),
    entropy=lambda c: -EULER / c - log(c) + EULER + 1 + LOG2,
    rvs=lambda c, size, random_state: (
        random_state.weibull(c, size=size) * where(random_state.uniform(size=size) >= 0.5, 1.0, -1.0)
    ),
    far={"cdf": lambda x, c: -(abs(x) ** c) - LOG2, "sf": lambda x, c: -(abs(x) ** c) - LOG2},
)


def _exponweib_logcdf(x: Any, a: Any, c: Any) -> Any:
    """A power may be below all numbers where its share of a small power `a` is not."""
    grown = x**c
    return a * where(grown < 1e-300, c * log(x), log1mexp(-grown))


def _exponweib_inverse(log_q: Any, a: Any, c: Any) -> Any:
    """The point itself may be a normal number where its power, the share without `a`, is below all numbers."""
    log_share = log_q / a
    return where(log_share < -600, exp(log_share / c), (-log1mexp(maximum(log_share, -600.0))) ** (1 / c))


def _exponweib_isf(q: Any, a: Any, c: Any) -> Any:
    """Of a small tail the share without `a` is `q / a`, which may be below all normal numbers."""
    return where(q < 1e-20 * a, (log(a) - log(q)) ** (1 / c), _exponweib_inverse(log1p(-q), a, c))


_row(
    "exponweib",
    "a, c",
    "2.9, 1.95",
    (0, INF),
    logpdf=lambda x, a, c: log(a) + log(c) + xlogy(a - 1, -expm1(-(x**c))) - x**c + xlogy(c - 1, x),
    cdf=lambda x, a, c: exp(_exponweib_logcdf(x, a, c)),
    logcdf=lambda x, a, c: _exponweib_logcdf(x, a, c),
    sf=lambda x, a, c: -expm1(_exponweib_logcdf(x, a, c)),
    ppf=lambda q, a, c: _exponweib_inverse(log(q), a, c),
    isf=lambda q, a, c: _exponweib_isf(q, a, c),
    far={"sf": lambda x, a, c: log(a) - x**c},
)
# Of the law of the exponent 1 the entropy, 1 - e E1(1), and the mean of the logarithm.
_EXPONPOW_ENTROPY, _EXPONPOW_LOG = 0.40365263767680593, -0.8973099939981582

_row(
    "exponpow",
    "b",
    "2.7",
    (0, INF),
    logpdf=lambda x, b: log(b) + xlogy(b - 1, x) + (minimum(x**b, 800.0) - expm1(x**b)),
    cdf=lambda x, b: -expm1(-expm1(x**b)),
    sf=lambda x, b: exp(-expm1(x**b)),
    logsf=lambda x, b: -expm1(x**b),
    ppf=lambda q, b: log1p(-log1p(-q)) ** (1 / b),
    isf=lambda q, b: log1p(-log(q)) ** (1 / b),
    far={"cdf": lambda x, b: b * log(x)},
    entropy=lambda b: _EXPONPOW_ENTROPY - log(b) + (1 / b - 1) * _EXPONPOW_LOG,
)


def _truncated_log(low: Any, high: Any, c: Any) -> Any:
    """The logarithm of `exp(-low**c) - exp(-high**c)`."""
    power = low**c
    # The powers of near numbers cancel, those of others may be 0 and infinite.
    ratio = c * log1p((high - low) / maximum(low, 1e-300))
    return log1mexp(where(ratio < 1, -power * expm1(minimum(ratio, 1.0)), power - high**c)) - power


def _truncweibull_inverse(lower: Any, upper: Any, c: Any, a: Any, b: Any) -> Any:
    """The point whose share of the probability is `lower`, next to 1 by what `upper` leaves."""
    start = a**c
    drop = start - b**c
    part = lower * expm1(drop)
    return (start - where(part > -0.5, log1p(part), log(upper + lower * exp(drop)))) ** (1 / c)


def _truncweibull_narrow(c: Any, a: Any, b: Any) -> Any:
    def log_ratio(middle: Any, t: Any) -> Any:
        change = log1p(t / middle)
        return (c - 1) * change - middle**c * expm1(c * change)

    return interval(a, b, lambda x: (abs(c - 1) + c * x**c) / x, log_ratio)


def _truncweibull_peak(order: int, c: Any, a: Any, b: Any) -> Peak:
    """In the logarithm of the power the density is that of Gumbel's law, whatever the exponent, with its peak at 0."""
    low, high = c * log(a), c * log(b)
    width = c * either(b * 1e-300 < a, lambda: log1p((b - a) / a), lambda: log(b) - log(a))
    falls, grows = low >= 0, high <= 0
    point = where(falls, a, where(grows, b, 1.0))
    power = point**c
    left = where(falls, 0.0, where(grows, width, -low))
    right = where(falls, width, where(grows, 0.0, high))
    shown_left = minimum(left, FALL)
    shown_right = minimum(right, log1p(1.4 * FALL / power))
    whole = both(left <= shown_left, right <= shown_right)
    bulk = both(c < 10, low < -3, high > 1.5)
    # Small exponents make powers of the point so steep that they move the bulk.
    usable = where(c < 1, both(whole, width * (1 + order / c) < FALL), logical_not(bulk))
    return Peak(
        usable,
        point,
        shown_left,
        shown_right,
        lambda t: t - power * expm1(t),
        lambda t: point * expm1(t / c),
    )


_row(
    "truncweibull_min",
    "c, a, b",
    "2.5, 0.25, 1.75",
    lambda c, a, b: (a, b),
    argcheck=lambda c, a, b: both(a >= 0, b > a, c > 0),
    logpdf=lambda x, c, a, b: log(c) + xlogy(c - 1, x) - x**c - _truncated_log(a, b, c),
    logcdf=lambda x, c, a, b: log_complement(
        _truncated_log(a, x, c) - _truncated_log(a, b, c), _truncated_log(x, b, c) - _truncated_log(a, b, c)
    ),
    logsf=lambda x, c, a, b: log_complement(
        _truncated_log(x, b, c) - _truncated_log(a, b, c), _truncated_log(a, x, c) - _truncated_log(a, b, c)
    ),
    ppf=lambda q, c, a, b: _truncweibull_inverse(q, 1 - q, c, a, b),
    isf=lambda q, c, a, b: _truncweibull_inverse(1 - q, q, c, a, b),
    munp=lambda n, c, a, b: raw_moment(
        n,
        _truncweibull_narrow(c, a, b),
        _truncweibull_peak(n, c, a, b),
        lambda: (
            gamma_(n / c + 1) * (gammainc(n / c + 1, b**c) - gammainc(n / c + 1, a**c)) / exp(_truncated_log(a, b, c))
        ),
    ),
    methods={
        "_moment_from_raw": lambda self, n, mean, c, a, b: central_moment(
            n,
            _truncweibull_narrow(c, a, b),
            _truncweibull_peak(n, c, a, b),
            lambda: Row._moment_from_raw(self, n, mean, c, a, b),
        )
    },
)


def _inverse_weibull_pdf(x: Any, c: Any) -> Any:
    grown = x ** (-c)
    return where(grown > 800, 0.0, c * grown / x * exp(-grown))


_row(
    "invweibull",
    "c",
    "10.58",
    (0, INF),
    pdf=_inverse_weibull_pdf,
    logpdf=lambda x, c: where(x == 0, -INF, log(c) - (c + 1) * log(x) - x ** (-c)),
    cdf=lambda x, c: exp(-(x ** (-c))),
    logcdf=lambda x, c: -(x ** (-c)),
    sf=lambda x, c: -expm1(-(x ** (-c))),
    ppf=lambda q, c: (-log(q)) ** (-1 / c),
    isf=lambda q, c: (-log1p(-q)) ** (-1 / c),
    munp=lambda n, c: where(n < c, gamma_(1 - n / c), INF),
    entropy=lambda c: 1 + EULER + EULER / c - log(c),
    far={"sf": lambda x, c: -c * log(x)},
)
_APERY = 1.202056903159594285399738
_row(
    "gumbel_r",
    logpdf=lambda x: -x - exp(-x),
    cdf=lambda x: exp(-exp(-x)),
    logcdf=lambda x: -exp(-x),
    sf=lambda x: -expm1(-exp(-x)),
    ppf=lambda q: -log(-log(q)),
    isf=lambda q: -log(-log1p(-q)),
    stats=lambda: (EULER, np.pi**2 / 6, 12 * np.sqrt(6) / np.pi**3 * _APERY, 12.0 / 5),
    entropy=lambda: EULER + 1,
    rvs=lambda size, random_state: random_state.gumbel(size=size),
    far={"sf": lambda x: -x},
)
_row(
    "gumbel_l",
    logpdf=lambda x: x - exp(x),
    cdf=lambda x: -expm1(-exp(x)),
    sf=lambda x: exp(-exp(x)),
    logsf=lambda x: -exp(x),
    ppf=lambda q: log(-log1p(-q)),
    isf=lambda q: log(-log(q)),
    stats=lambda: (-EULER, np.pi**2 / 6, -12 * np.sqrt(6) / np.pi**3 * _APERY, 12.0 / 5),
    entropy=lambda: EULER + 1,
    rvs=lambda size, random_state: -random_state.gumbel(size=size),
    far={"cdf": lambda x: x},
)


def _extreme(x: Any, c: Any) -> Any:
    """`log(-log(cdf))` of the generalized extreme value distribution."""
    return where(c == 0, -x, log1m_product(c, where(c == 0, 0.0, x)) / where(c == 0, 1.0, c))


def _extreme_support(c: Any) -> tuple[Any, Any]:
    return where(c < 0, 1 / minimum(c, -1e-300), -INF), where(c > 0, 1 / maximum(c, 1e-300), INF)


def _extreme_logpdf(x: Any, c: Any) -> Any:
    y = _extreme(x, c)
    step = where(c == 0, 0.0, log1m_product(c, where(c == 0, 0.0, x)))
    value = -exp(y) + y - step
    # At the end where the sum is one of infinities: its limit.
    return where(c * x >= 1, where(c < 1, -INF, where(c == 1, 0.0, INF)), value)


def _extreme_inverse(y: Any, c: Any) -> Any:
    return where(c == 0, y, -expm1(-c * y) / where(c == 0, 1.0, c))


def _extreme_stats(c: Any) -> tuple[Any, ...]:
    g1, g2, g3, g4 = (gamma_(n * c + 1) for n in (1, 2, 3, 4))
    near = abs(c) < 1e-7
    safe = where(near, 1.0, c)
    spread = where(near, (c * PI) ** 2 / 6, g2 - g1 * g1)
    gam2k = where(near, PI**2 / 6, expm1(gammaln(2 * safe + 1) - 2 * gammaln(safe + 1)) / (safe * safe))
    gamk = where(
        abs(c) < 1e-14, -EULER, expm1(gammaln(where(abs(c) < 1e-14, 1.0, c) + 1)) / where(abs(c) < 1e-14, 1.0, c)
    )
    m = where(c < -1, NAN, -gamk)
    v = where(c < -0.5, NAN, g1 * g1 * gam2k)
    s = where(
        abs(c) <= 3e-5, 12 * np.sqrt(6) * _APERY / np.pi**3, sign(c) * (-g3 + (g2 + 2 * spread) * g1) / spread**1.5
    )
    k = where(abs(c) <= 3e-4, 12.0 / 5, (g4 + (-4 * g3 + 3 * (g2 + spread) * g1) * g1) / (spread * spread) - 3)
    return m, v, where(c < -1.0 / 3, NAN, s), where(c < -0.25, NAN, k)


_row(
    "genextreme",
    "c",
    "-0.1",
    _extreme_support,
    argcheck=lambda c: isfinite(c),
    logpdf=_extreme_logpdf,
    cdf=lambda x, c: exp(-exp(_extreme(x, c))),
    logcdf=lambda x, c: -exp(_extreme(x, c)),
    sf=lambda x, c: -expm1(-exp(_extreme(x, c))),
    ppf=lambda q, c: _extreme_inverse(-log(-log(q)), c),
    isf=lambda q, c: _extreme_inverse(-log(-log1p(-q)), c),
    stats=_extreme_stats,
    exists=lambda n, c: n * c > -1,
    entropy=lambda c: EULER * (1 - c) + 1,
    far={"sf": lambda x, c: _extreme(x, c)},
)


def _gompertz_entropy(c: Any) -> Any:
    scaled = where(c < 300, exp(minimum(c, 300.0)) * exp1(minimum(c, 300.0)), (1 - 1 / c + 2 / (c * c) - 6 / c**3) / c)
    return 1 - log(c) - scaled


_row(
    "gompertz",
    "c",
    "0.95",
    (0, INF),
    logpdf=lambda x, c: log(c) + x - c * expm1(x),
    cdf=lambda x, c: -expm1(-c * expm1(x)),
    sf=lambda x, c: exp(-c * expm1(x)),
    logsf=lambda x, c: -c * expm1(x),
    ppf=lambda q, c: log1p(-log1p(-q) / c),
    isf=lambda q, c: log1p(-log(q) / c),
    entropy=_gompertz_entropy,
)


def _genexpon_logsf(x: Any, a: Any, b: Any, c: Any) -> Any:
    return (-a - b) * x - b * expm1(-c * x) / c


_row(
    "genexpon",
    "a, b, c",
    "9.1, 16.2, 3.28",
    (0, INF),
    pdf=lambda x, a, b, c: (a - b * expm1(-c * x)) * exp(_genexpon_logsf(x, a, b, c)),
    logpdf=lambda x, a, b, c: log(a - b * expm1(-c * x)) + _genexpon_logsf(x, a, b, c),
    logsf=_genexpon_logsf,
    cdf=lambda x, a, b, c: -expm1(_genexpon_logsf(x, a, b, c)),
)
_row(
    "truncexpon",
    "b",
    "4.69",
    lambda b: (np.float64(0), b),
    pdf=lambda x, b: exp(-x) / -expm1(-b),
    logpdf=lambda x, b: -x - log1mexp(-b),
    cdf=lambda x, b: expm1(-x) / expm1(-b),
    sf=lambda x, b: exp(-x) * expm1(x - b) / expm1(-b),
    ppf=lambda q, b: -log1p(q * expm1(-b)),
    isf=lambda q, b: where(
        q > 0.5,
        -log1p((1 - q) * expm1(-b)),
        where(b < 1, b - log1p(q * expm1(minimum(b, 1.0))), -log(exp(-b) - q * expm1(-b))),
    ),
    entropy=lambda b: log1mexp(-b) + b - (b - 1 + exp(-b)) / (-expm1(-b)),
)
