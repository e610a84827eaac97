"""Rows of discrete power laws: the logarithmic series, Zipf's, Yule's and Simon's."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._lib import kernel as k
from ._discrete_moments import logser_stats, zipf_stats, zipfian_stats
from ._math import INF, NAN, betaln, both, ceil, exp, floor, log, log1p, minimum, power, sqrt, where, zeta
from ._power_sums import EULER_MACLAURIN, power_sum
from ._row import rows_of
from ._row_discrete import discrete, log_beyond, sum_terms, whole

__all__: list[str] = []

_row = rows_of(globals(), discrete)


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
    return log_beyond(_logser_logpmf(first, p), p * (first / (first + 1)), 1 / (first * (first + 2)))


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
