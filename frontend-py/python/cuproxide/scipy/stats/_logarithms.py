"""Logarithms of densities of large parameters, and of tails below all numbers: what formulas of distributions share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._math import (
    LOG2PI,
    SQRT2,
    betaln,
    both,
    erfcx,
    exp,
    expm1,
    gammainc,
    gammaincc,
    gammaln,
    kl_div,
    log,
    log1p,
    log_ndtr,
    logical_and,
    maximum,
    minimum,
    norm_logpdf,
    stirling_rest,
    where,
    xlog1py,
    xlogy,
)

# From this parameter on the usual formulas lose digits, and those of this module, which cost more, are used instead.
LARGE = 1000.0
# From this parameter on the formulas of this module are accurate.
LEAST = 20.0
# Below this share of the mean a density with a large parameter is 0 in float64 with either formula.
_SHARE = 0.5
# Levels of continued fractions, for points so far out that a tail is below all numbers.
_LEVELS = 8


def either(condition: Any, yes: Callable[[], Any], no: Callable[[], Any]) -> Any:
    """`where` whose sides are only built if they may be wanted: a condition on numbers decides at once."""
    if isinstance(condition, (bool, np.bool_)):
        return yes() if condition else no()
    return where(condition, yes(), no())


def is_central(y: Any, a: Any) -> Any:
    """Whether `central_gamma_power` is meant for a point and a parameter; what numbers decide takes no array."""
    return both(a >= LARGE, y >= _SHARE * LARGE, y > _SHARE * a)


def central_gamma_power(y: Any, a: Any) -> Any:
    """`log(y**a * exp(-y) / gamma(a))` of large `a`, whose large parts cancel exactly: C. Loader (2000)."""
    many = maximum(a, LARGE)
    return 0.5 * (log(many) - LOG2PI) - where(y > 1e300, y, kl_div(many, y)) - stirling_rest(many)


def log_gamma_power(y: Any, a: Any) -> Any:
    """`log(y**a * exp(-y) / gamma(a))`."""
    return either(is_central(y, a), lambda: central_gamma_power(y, a), lambda: xlogy(a, y) - y - gammaln(a))


def log_gamma_density(y: Any, a: Any) -> Any:
    """The logarithm of the density of the gamma distribution."""
    return either(
        is_central(y, a), lambda: central_gamma_power(y, a) - log(y), lambda: xlogy(a - 1, y) - y - gammaln(a)
    )


def is_central_share(p: Any, q: Any, a: Any, b: Any, least: float = LARGE) -> Any:
    """Whether `central_beta_power` is meant for shares and parameters from `least` on."""
    share = _SHARE / (a + b)
    return both(a >= least, b >= least, p > a * share, q > b * share)


def central_beta_power(p: Any, q: Any, a: Any, b: Any, least: float = LARGE) -> Any:
    """`log(p**a * q**b / beta(a, b))`, where `p + q` is 1, for large `a` and `b`, whose large parts cancel exactly."""
    m, n = maximum(a, least), maximum(b, least)
    total = m + n
    rests = stirling_rest(total) - stirling_rest(m) - stirling_rest(n)
    return 0.5 * (log(m) + log(n / total) - LOG2PI) - kl_div(m, total * p) - kl_div(n, total * q) + rests


def log_mills(x: Any) -> Any:
    """The logarithm of Mills's ratio: the upper tail of the normal distribution over its density."""
    near = log(erfcx(maximum(x, -1.0) / SQRT2)) + 0.5 * LOG2PI - log(2.0)
    return where(x > -1, near, log_ndtr(-x) - norm_logpdf(x))


# Below this point only the first term of the lower incomplete gamma function counts.
_FIRST_TERM = 1e-290


def gammainc_of(a: Any, y: Any, log_y: Any) -> Any:
    """`gammainc(a, y)` of a power, which may be below all numbers where the function of a small `a` is not."""
    return where(y < _FIRST_TERM, exp(a * log_y - gammaln(a + 1)), gammainc(a, y))


def gammaincc_of(a: Any, y: Any, log_y: Any) -> Any:
    """1 less `gammainc_of`."""
    return where(y < _FIRST_TERM, -expm1(minimum(a * log_y - gammaln(a + 1), 0.0)), gammaincc(a, y))


def far_gammainc(a: Any, y: Any) -> Any:
    """`log(gammainc(a, y))` where that is below all numbers: DLMF 8.9.1."""
    value: Any = 1.0
    for k in range(_LEVELS, 0, -1):
        step = k // 2 * y if k % 2 == 0 else -(a + k // 2) * y
        value = 1 + step / ((a + (k - 1)) * (a + k)) / value
    return log_gamma_power(y, a) - log(a) - log(value)


def far_gammaincc(a: Any, y: Any) -> Any:
    """`log(gammaincc(a, y))` where that is below all numbers: DLMF 8.9.2."""
    value: Any = y + (2 * _LEVELS + 1 - a)
    for k in range(_LEVELS, 0, -1):
        value = y + (2 * k - 1 - a) - k * (k - a) / value
    return log_gamma_power(y, a) - log(value)


def far_betainc(a: Any, b: Any, p: Any, q: Any) -> Any:
    """`log(betainc(a, b, p))` where that is below all numbers, `q` is `1 - p`: DLMF 8.17.22."""
    value: Any = 1.0
    for k in range(_LEVELS, 0, -1):
        m = k // 2
        first, second = (m, b - m) if k % 2 == 0 else (-(a + m), a + b + m)
        value = 1 + first / (a + (k - 1)) * (second / (a + k)) * p / value
    return (
        either(
            is_central_share(p, q, a, b),
            lambda: central_beta_power(p, q, a, b),
            lambda: xlogy(a, p) + xlog1py(b, -p) - betaln(a, b),
        )
        - log(a)
        - log(value)
    )


def log_of_tails(own: Any, other: Any, far: Any) -> Any:
    """The logarithm of a tail: of the larger one from the other one, below all numbers from `far`."""
    value = where(own > 0.5, log1p(-other), log(own))
    # Where all is beyond numbers the logarithm is infinite.
    return value if far is None else where(logical_and(own < 1e-300, far == far), far, value)
