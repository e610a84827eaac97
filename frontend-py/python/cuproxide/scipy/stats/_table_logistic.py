"""Rows of the logistic distribution and its generalisations."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._math import (
    EULER,
    INF,
    LOG2,
    arctan,
    arctanh,
    both,
    cosh,
    digamma,
    digamma_rest,
    exp,
    exp_product,
    expit,
    expm1,
    gamma_,
    isfinite,
    log,
    log1m_product,
    log1mexp,
    log1p,
    log_expit,
    logaddexp,
    logical_or,
    logit,
    maximum,
    minimum,
    tan,
    tanh,
    where,
    zeta,
)
from ._pairs import Pair, known, log_pair, product_rest, sum_rest
from ._row import rows_of

__all__: list[str] = []

# Rows that other modules import by name.
logistic: Any


_row = rows_of(globals())


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
