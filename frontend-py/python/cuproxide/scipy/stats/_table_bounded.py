"""Rows of distributions on intervals and circles: the beta family, uniform, triangular, trigonometric."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._lib import kernel as k
from ._continuous import rv_continuous
from ._fit_errors import FitDataError, FitUniformFixedScaleDataError
from ._logarithms import LEAST, central_beta_power, either, far_betainc, is_central_share
from ._math import (
    INF,
    LOG2,
    LOG2PI,
    NAN,
    PI_REST,
    SQRT2,
    SQRT2PI,
    arcsin,
    arctan,
    betainc,
    betaincc,
    betainccinv,
    betaincinv,
    betaln,
    both,
    cos,
    digamma,
    exp,
    expm1,
    fdtri,
    gammainc,
    gammaincc,
    gammaln,
    log,
    log1p,
    log_gamma_entropy,
    logical_and,
    logical_or,
    maximum,
    minimum,
    sin,
    sqrt,
    stepwise,
    tan,
    where,
    xlog1py,
    xlogy,
)
from ._narrow import central_moment, interval, power_peak
from ._numeric import between
from ._row import Row, rows_of

__all__: list[str] = []

# Rows that other modules import by name.
uniform: Any
beta: Any
f: Any


_row = rows_of(globals())


def _fit_uniform(data: Any, floc: Any, fscale: Any) -> tuple[float, float]:
    least, most = float(data.min()), float(data.max())
    if fscale is None:
        loc = least if floc is None else floc
        if loc > least:
            raise FitDataError("uniform", lower=loc, upper=loc + most - loc)
        return loc, most - loc
    width = most - least
    if width > fscale:
        raise FitUniformFixedScaleDataError(ptp=width, fscale=fscale)
    return (least - 0.5 * (fscale - width) if floc is None else floc), fscale


_row(
    "uniform",
    "",
    "",
    (0, 1),
    formula="The uniform distribution on `[loc, loc + scale]`.\n",
    pdf=lambda x: 1.0 * (x == x),
    logpdf=lambda x: x * 0.0,
    cdf=lambda x: x,
    sf=lambda x: 1 - x,
    ppf=lambda q: q + 0.0,
    isf=lambda q: 1 - q,
    stats=lambda: (0.5, 1 / 12, 0.0, -1.2),
    munp=lambda n: 1 / (n + 1),
    entropy=lambda: 0.0,
    rvs=lambda size, random_state: random_state.uniform(size=size),
    fit=_fit_uniform,
)


def _beta_stats(a: Any, b: Any) -> tuple[Any, ...]:
    total = a + b
    mean = a / total
    v = a * b / (total * total * (total + 1))
    g1 = 2 * (b - a) * sqrt(1 + total) / ((total + 2) * sqrt(a * b))
    g2 = 6 * ((a - b) ** 2 * (1 + total) - a * b * (total + 2)) / (a * b * (total + 2) * (total + 3))
    return mean, v, g1, g2


def _beta_entropy(a: Any, b: Any) -> Any:
    parts = log_gamma_entropy(a) + log_gamma_entropy(b) - log_gamma_entropy(a + b)
    return parts + (digamma(a) - digamma(a + b)) + (digamma(b) - digamma(a + b))


def _log_slope(x: Any) -> Any:
    """The logarithm of `x * (1 - x)`, also where the product is subnormal."""
    return where(x < 1e-290, log(maximum(x, 5e-324)), log(maximum(x * (1 - x), 1e-300)))


_row(
    "beta",
    "a, b",
    "2.3, 0.63",
    (0, 1),
    formula="The beta distribution: density `x**(a - 1) * (1 - x)**(b - 1) / beta(a, b)`.\n",
    logpdf=lambda x, a, b: either(
        both(a >= LEAST, b >= LEAST),
        lambda: central_beta_power(x, 1 - x, a, b, LEAST) - _log_slope(x),
        lambda: xlog1py(b - 1, -x) + xlogy(a - 1, x) - betaln(a, b),
    ),
    cdf=lambda x, a, b: betainc(a, b, x),
    sf=lambda x, a, b: betaincc(a, b, x),
    ppf=lambda q, a, b: betaincinv(a, b, q),
    isf=lambda q, a, b: betainccinv(a, b, q),
    stats=_beta_stats,
    munp=lambda n, a, b: exp(betaln(a + n, b) - betaln(a, b)),
    entropy=lambda a, b: _beta_entropy(a, b),
    rvs=lambda a, b, size, random_state: random_state.beta(a, b, size=size),
    far={"cdf": lambda x, a, b: far_betainc(a, b, x, 1 - x), "sf": lambda x, a, b: far_betainc(b, a, 1 - x, x)},
)


def _betaprime_tail(x: Any, a: Any, b: Any, upper: bool) -> Any:
    near, far = x / (1 + x), 1 / (1 + x)
    if upper:
        return where(x > 1, betainc(b, a, far), betaincc(a, b, near))
    return where(x > 1, betaincc(b, a, far), betainc(a, b, near))


def _betaprime_inverse(share: Any, rest: Any) -> Any:
    return where(share < 0.5, share / (1 - share), (1 - rest) / rest)


def _betaprime_munp(n: int, a: Any, b: Any) -> Any:
    product: Any = 1.0
    for i in range(1, stepwise(n) + 1):
        product = product * (a + i - 1) / (b - i)
    return where(b > n, product, INF)


_row(
    "betaprime",
    "a, b",
    "5, 6",
    (0, INF),
    logpdf=lambda x, a, b: either(
        is_central_share(x / (1 + x), 1 / (1 + x), a, b),
        lambda: central_beta_power(x / (1 + x), 1 / (1 + x), a, b) - log(x),
        lambda: xlogy(a - 1, x) - xlog1py(a + b, x) - betaln(a, b),
    ),
    cdf=lambda x, a, b: _betaprime_tail(x, a, b, False),
    sf=lambda x, a, b: _betaprime_tail(x, a, b, True),
    ppf=lambda q, a, b: _betaprime_inverse(betaincinv(a, b, q), betainccinv(b, a, q)),
    isf=lambda q, a, b: _betaprime_inverse(betainccinv(a, b, q), betaincinv(b, a, q)),
    munp=_betaprime_munp,
    rvs=lambda a, b, size, random_state: (
        random_state.standard_gamma(a, size=size) / random_state.standard_gamma(b, size=size)
    ),
    far={
        "cdf": lambda x, a, b: far_betainc(a, b, x / (1 + x), 1 / (1 + x)),
        "sf": lambda x, a, b: far_betainc(b, a, 1 / (1 + x), x / (1 + x)),
    },
)


def _f_stats(n: Any, m: Any) -> tuple[Any, ...]:
    m2, m4, m6, m8 = m - 2, m - 4, m - 6, m - 8
    mu = where(m > 2, m / m2, INF)
    v = where(m > 4, 2 * m * m * (n + m2) / (n * m2 * m2 * m4), INF)
    s = where(m > 6, (2 * n + m2) / m6 * sqrt(8 * m4 / (n * (n + m2))), NAN)
    k = 12 * (n * (5 * m - 22) * (n + m2) + m4 * m2 * m2) / (n * m6 * m8 * (n + m2))
    return mu, v, s, where(m > 8, k, NAN)


def _f_logpdf(x: Any, n: Any, m: Any) -> Any:
    """By the odds `n * x / m`: the logarithms of both parameters would be far larger than what is left of them.

    Where the odds are beyond numbers, by their logarithm.
    """
    ratio = n / m
    odds = ratio * x
    inside = both(ratio > 1e-300, ratio < 1e300, odds > 1e-300, odds < 1e300)
    level = log(where(inside, ratio, n)) - where(inside, 0.0, log(m))
    log_odds = log(where(inside, odds, x)) + where(inside, 0.0, level)
    below = log_odds < 0
    power = where(below, n / 2 - 1, -m / 2 - 1)
    powers = where(power == 0, 0.0, power * log_odds)
    least = where(inside, where(below, odds, 1 / odds), exp(-abs(log_odds)))
    return powers - (n + m) / 2 * log1p(least) + (level - betaln(n / 2, m / 2))


_row(
    "f",
    "dfn, dfd",
    "29, 18",
    (0, INF),
    formula="Fisher's F distribution.\n",
    logpdf=lambda x, n, m: either(
        is_central_share(n * x / (n * x + m), m / (n * x + m), n / 2, m / 2),
        lambda: central_beta_power(n * x / (n * x + m), m / (n * x + m), n / 2, m / 2) - log(x),
        lambda: _f_logpdf(x, n, m),
    ),
    cdf=lambda x, n, m: where(
        n * x < m, betainc(n / 2, m / 2, n * x / (n * x + m)), betaincc(m / 2, n / 2, m / (n * x + m))
    ),
    sf=lambda x, n, m: where(
        n * x < m, betaincc(n / 2, m / 2, n * x / (n * x + m)), betainc(m / 2, n / 2, m / (n * x + m))
    ),
    ppf=lambda q, n, m: fdtri(n, m, q),
    # The inverse of the variable has the parameters in the other order.
    isf=lambda q, n, m: 1 / fdtri(m, n, q),
    stats=_f_stats,
    munp=lambda r, n, m: where(
        m > 2 * r, (m / n) ** r * exp(gammaln(n / 2 + r) + gammaln(m / 2 - r) - gammaln(n / 2) - gammaln(m / 2)), INF
    ),
    entropy=lambda n, m: (
        (log(m) - digamma(m / 2))
        - (log(n) - digamma(n / 2))
        + (log_gamma_entropy(n / 2) + log_gamma_entropy(m / 2) - log_gamma_entropy((n + m) / 2))
    ),
    rvs=lambda n, m, size, random_state: random_state.f(n, m, size=size),
    far={
        "cdf": lambda x, n, m: far_betainc(n / 2, m / 2, n * x / (n * x + m), m / (n * x + m)),
        "sf": lambda x, n, m: far_betainc(m / 2, n / 2, m / (n * x + m), n * x / (n * x + m)),
    },
)


def _symmetric_tail(x: Any, a: Any, upper: bool) -> Any:
    """A tail of a beta distribution with equal parameters on (-1, 1), by the distance from the nearer end."""
    beyond = betainc(a, a, (1 - abs(x)) / 2)
    return where(x > 0, beyond, 1 - beyond) if upper else where(x > 0, 1 - beyond, beyond)


_row(
    "rdist",
    "c",
    "1.6",
    (-1, 1),
    logpdf=lambda x, c: either(
        is_central_share((1 + x) / 2, (1 - x) / 2, c / 2, c / 2),
        lambda: central_beta_power((1 + x) / 2, (1 - x) / 2, c / 2, c / 2) + LOG2 - log1p(x) - log1p(-x),
        lambda: xlog1py(c / 2 - 1, x) + xlog1py(c / 2 - 1, -x) - betaln(c / 2, c / 2) - (c - 1) * LOG2,
    ),
    cdf=lambda x, c: _symmetric_tail(x, c / 2, False),
    sf=lambda x, c: _symmetric_tail(x, c / 2, True),
    ppf=lambda q, c: 2 * betaincinv(c / 2, c / 2, q) - 1,
    isf=lambda q, c: 1 - 2 * betaincinv(c / 2, c / 2, q),
    munp=lambda n, c: (n % 2 == 0) * exp(betaln((n + 1.0) / 2, c / 2) - betaln(0.5, c / 2)),
    # A law of beta, stretched to twice its length.
    entropy=lambda c: _beta_entropy(c / 2, c / 2) + LOG2,
    rvs=lambda c, size, random_state: 2 * random_state.beta(c / 2, c / 2, size=size) - 1,
)
_row(
    "semicircular",
    "",
    "",
    (-1, 1),
    pdf=lambda x: 2 / np.pi * sqrt(1 - x * x),
    logpdf=lambda x: np.log(2 / np.pi) + 0.5 * xlog1py(1.0, -x * x),
    cdf=lambda x: _symmetric_tail(x, 1.5, False),
    sf=lambda x: _symmetric_tail(x, 1.5, True),
    ppf=lambda q: 2 * betaincinv(1.5, 1.5, q) - 1,
    isf=lambda q: 1 - 2 * betaincinv(1.5, 1.5, q),
    stats=lambda: (0.0, 0.25, 0.0, -1.0),
    entropy=lambda: 0.64472988584940017414,
    rvs=lambda size, random_state: sqrt(random_state.uniform(size=size)) * cos(np.pi * random_state.uniform(size=size)),
)
# Where the density of the arcsine law is 1, and what the rounding leaves.
_ARCSINE_ROOTS = ((0.1144110785335473, -3.931148570741796e-18), (0.8855889214664527, -3.770221485270158e-17))


def _arcsine_logpdf(x: Any) -> Any:
    """By the factors of `1 - pi**2 * x * (1 - x)` in the middle, where the logarithm is near 0."""
    (a, a_rest), (b, b_rest) = _ARCSINE_ROOTS
    rise = np.pi**2 * ((x - a) - a_rest) * ((x - b) - b_rest)
    return where(rise < 0.5, -0.5 * log1p(-minimum(rise, 0.5)), -0.5 * log(x * (1 - x)) - np.log(np.pi))


_row(
    "arcsine",
    "",
    "",
    (0, 1),
    pdf=lambda x: 1 / (np.pi * sqrt(x * (1 - x))),
    logpdf=_arcsine_logpdf,
    cdf=lambda x: 2 / np.pi * arcsin(sqrt(x)),
    sf=lambda x: 2 / np.pi * arcsin(sqrt(1 - x)),
    ppf=lambda q: sin(np.pi / 2 * q) ** 2,
    isf=lambda q: sin(np.pi / 2 * (1 - q)) ** 2,
    stats=lambda: (0.5, 0.125, 0.0, -1.5),
    entropy=lambda: -0.24156447527049044468,
)


def _anglit_inverse(lower: Any, upper: Any) -> Any:
    end = where(lower < 0.5, arcsin(sqrt(lower)) - np.pi / 4, np.pi / 4 - arcsin(sqrt(upper)))
    return where(abs(lower - 0.5) < 0.25, 0.5 * arcsin(lower - upper), end)


_row(
    "anglit",
    "",
    "",
    (-np.pi / 4, np.pi / 4),
    pdf=lambda x: cos(2 * x),
    cdf=lambda x: sin((x + np.pi / 4) + PI_REST / 4) ** 2,
    sf=lambda x: sin((np.pi / 4 - x) + PI_REST / 4) ** 2,
    ppf=lambda q: _anglit_inverse(q, 1 - q),
    isf=lambda q: _anglit_inverse(1 - q, q),
    stats=lambda: (0.0, np.pi**2 / 16 - 0.5, 0.0, -2 * (np.pi**4 - 96) / (np.pi**2 - 8) ** 2),
    entropy=lambda: 1 - LOG2,
)


# Terms of the power series of `y - sin(y)` below 1.8.
_COSINE_TERMS = 11


def _cosine_cdf(x: Any) -> Any:
    y = (x + np.pi) + PI_REST
    y2 = y * y
    # `y - sin(y)` cancels near 0.
    rest: Any = 1.0
    for n in range(_COSINE_TERMS, 1, -1):
        rest = 1 - y2 * (1.0 / (2 * n * (2 * n + 1))) * rest
    return where(y < 1.8, y * y2 * (rest / (12 * np.pi)), (y + sin(x)) / (2 * np.pi))


def _cosine_quantile(share: Any, found: Any) -> Any:
    """A quantile found by a search, with a step of Newton's method: about the mean the share has lost digits."""
    step = (2 * np.pi * (share - 0.5) - (found + sin(found))) / (1 + cos(found))
    return where(abs(share - 0.5) < 0.4, found + step, found)


_row(
    "cosine",
    "",
    "",
    (-np.pi, np.pi),
    pdf=lambda x: cos(x / 2) ** 2 / np.pi,
    logpdf=lambda x: 2 * log(cos(x / 2)) - np.log(np.pi),
    cdf=_cosine_cdf,
    sf=lambda x: _cosine_cdf(-x),
    methods={
        "_ppf": lambda self, q: _cosine_quantile(q, Row._ppf(self, q)),
        "_isf": lambda self, q: -_cosine_quantile(q, -Row._isf(self, q)),
    },
    stats=lambda: (0.0, np.pi**2 / 3 - 2, 0.0, -6 * (np.pi**4 - 90) / (5 * (np.pi**2 - 6) ** 2)),
    entropy=lambda: np.log(4 * np.pi) - 1,
)


_row(
    "bradford",
    "c",
    "0.3",
    (0, 1),
    pdf=lambda x, c: c / (c * x + 1) / log1p(c),
    cdf=lambda x, c: log1p(c * x) / log1p(c),
    sf=lambda x, c: log1p(c * (1 - x) / (1 + c * x)) / log1p(c),
    ppf=lambda q, c: expm1(q * log1p(c)) / c,
    isf=lambda q, c: expm1((1 - q) * log1p(c)) / c,
    entropy=lambda c: log1p(c) / 2 - log(c / log1p(c)),
)


def _log_share(x: Any, y: Any, a: Any, b: Any) -> Any:
    """`log(x / y)` for `a <= y <= x <= b`, precise where they are near, too."""
    return either(b * 1e-300 < a, lambda: log1p((x - y) / y), lambda: log(x) - log(y))


_RECIPROCAL: dict[str, Any] = {
    "argcheck": lambda a, b: both(a > 0, b > a),
    # The inverse of a number below all normal ones may overflow.
    "pdf": lambda x, a, b: where(x < 1e-308, 1 / (x * _log_share(b, a, a, b)), 1 / x / _log_share(b, a, a, b)),
    # One logarithm of a product, unless that is beyond numbers.
    "logpdf": lambda x, a, b: either(
        b < 1e300, lambda: -log(x * _log_share(b, a, a, b)), lambda: -log(x) - log(_log_share(b, a, a, b))
    ),
    "cdf": lambda x, a, b: _log_share(x, a, a, b) / _log_share(b, a, a, b),
    "sf": lambda x, a, b: _log_share(b, x, a, b) / _log_share(b, a, a, b),
    "ppf": lambda q, a, b: a * exp(q * _log_share(b, a, a, b)),
    "isf": lambda q, a, b: b * exp(-q * _log_share(b, a, a, b)),
    "methods": {
        "_moment_from_raw": lambda self, n, mean, a, b: central_moment(
            n,
            interval(a, b, lambda x: 1 / x, lambda middle, t: -log1p(t / middle)),
            power_peak(n, np.float64(0), a, b, _log_share(b, a, a, b)),
            lambda: Row._moment_from_raw(self, n, mean, a, b),
        )
    },
    "munp": lambda n, a, b: (
        exp(log(a) * n) / _log_share(b, a, a, b) / n * expm1(n * _log_share(b, a, a, b)) if n else np.float64(1)
    ),
    "entropy": lambda a, b: 0.5 * (log(a) + log(b)) + log(_log_share(b, a, a, b)),
}
_row("reciprocal", "a, b", "0.01, 1.25", lambda a, b: (a, b), **_RECIPROCAL)
_row("loguniform", "a, b", "0.01, 1.25", lambda a, b: (a, b), **_RECIPROCAL)


def _powerlaw_stats(a: Any) -> tuple[Any, ...]:
    return (
        a / (a + 1),
        a / (a + 2) / (a + 1) ** 2,
        -2 * ((a - 1) / (a + 3)) * sqrt((a + 2) / a),
        6 * (((a - 1) * a - 6) * a + 2) / (a * (a + 3) * (a + 4)),
    )


_row(
    "powerlaw",
    "a",
    "1.66",
    (0, 1),
    pdf=lambda x, a: a * x ** (a - 1),
    logpdf=lambda x, a: log(a) + xlogy(a - 1, x),
    cdf=lambda x, a: x**a,
    logcdf=lambda x, a: a * log(x),
    sf=lambda x, a: -expm1(a * log(x)),
    ppf=lambda q, a: q ** (1 / a),
    isf=lambda q, a: where(q < 0.5, exp(log1p(-q) / a), (1 - q) ** (1 / a)),
    stats=_powerlaw_stats,
    munp=lambda n, a: a / (a + n),
    entropy=lambda a: 1 - 1 / a - log(a),
    rvs=lambda a, size, random_state: random_state.power(a, size=size),
)
_row(
    "triang",
    "c",
    "0.16",
    (0, 1),
    argcheck=lambda c: both(c >= 0, c <= 1),
    pdf=lambda x, c: where(logical_or(x < c, logical_and(x == c, c == 1)), 2 * x / c, 2 * (1 - x) / (1 - c)),
    cdf=lambda x, c: where(x < c, x * x / c, where(x < 0.5, x * (2 - x) - c, 1 - c - (1 - x) ** 2) / (1 - c)),
    sf=lambda x, c: where(x < c, 1 - x * x / c, (1 - x) ** 2 / (1 - c)),
    ppf=lambda q, c: where(q < c, sqrt(c * q), 1 - sqrt((1 - c) * (1 - q))),
    isf=lambda q, c: where(1 - q < c, sqrt(c * (1 - q)), 1 - sqrt((1 - c) * q)),
    stats=lambda c: (
        (c + 1) / 3,
        (1 - c + c * c) / 18,
        SQRT2 * (2 * c - 1) * (c + 1) * (c - 2) / (5 * (1 - c + c * c) ** 1.5),
        -3.0 / 5 + 0 * c,
    ),
    entropy=lambda c: 0.5 - LOG2 + 0 * c,
    rvs=lambda c, size, random_state: random_state.triangular(0.0, c, 1.0, size=size),
)


def _trapezoid_pdf(x: Any, c: Any, d: Any) -> Any:
    u = 2 / (d - c + 1)
    return where(x < c, u * x / c, where(x <= d, u, u * (1 - x) / (1 - d)))


def _trapezoid_cdf(x: Any, c: Any, d: Any) -> Any:
    w = d - c + 1
    return where(x < c, x * x / c / w, where(x <= d, (c + 2 * (x - c)) / w, 1 - (1 - x) ** 2 / w / (1 - d)))


def _trapezoid_sf(x: Any, c: Any, d: Any) -> Any:
    w = d - c + 1
    return where(x < c, 1 - x * x / c / w, where(x <= d, (1 - d + 2 * (d - x)) / w, (1 - x) ** 2 / w / (1 - d)))


def _trapezoid_ppf(q: Any, c: Any, d: Any, rest: Any) -> Any:
    w = 1 + d - c
    qc, qd = c / w, (2 * d - c) / w
    return where(q < qc, sqrt(q * c * w), where(q <= qd, 0.5 * q * w + 0.5 * c, 1 - sqrt(rest * w * (1 - d))))


def _trapezoid_munp(n: int, c: Any, d: Any) -> Any:
    upper = where(d == 1, n + 2.0, (1 - d ** (n + 2)) / where(d == 1, 1.0, 1 - d))
    return 2 / (1 + d - c) * (upper - c ** (n + 1)) / ((n + 1) * (n + 2))


_row(
    "trapezoid",
    "c, d",
    "0.2, 0.8",
    (0, 1),
    argcheck=lambda c, d: both(c >= 0, c <= 1, d >= 0, d <= 1, d >= c),
    pdf=_trapezoid_pdf,
    cdf=_trapezoid_cdf,
    sf=_trapezoid_sf,
    ppf=lambda q, c, d: _trapezoid_ppf(q, c, d, 1 - q),
    isf=lambda q, c, d: _trapezoid_ppf(1 - q, c, d, q),
    munp=_trapezoid_munp,
    entropy=lambda c, d: 0.5 * (1 - d + c) / (1 + d - c) + log(0.5 * (1 + d - c)),
)


def _argus_phi(chi: Any) -> Any:
    return gammainc(1.5, chi * chi / 2) / 2


@k.function
def _argus_cdf(table: Any, x: Any, chi: Any) -> Any:
    """By the integral where the difference of two tails would cancel: there the density has no narrow peak."""
    whole = chi * chi / 2
    if whole * x * x < 1:
        share = between(table, lambda t: t * sqrt((1 - t) * (1 + t)) * exp(-whole * (1 - t) * (1 + t)), 0.0 * x, x, 1.0)
        value = chi**3 / SQRT2PI / _argus_phi(chi) * share
    else:
        value = (gammaincc(1.5, whole * (1 - x) * (1 + x)) - gammaincc(1.5, whole)) / gammainc(1.5, whole)
    return minimum(value, 1.0)


_row(
    "argus",
    "chi",
    "1.0",
    (0, 1),
    logpdf=lambda x, chi: (
        3 * log(chi)
        - LOG2PI / 2
        - log(_argus_phi(chi))
        + log(x)
        + 0.5 * log((1 - x) * (1 + x))
        - chi * chi * (1 - x) * (1 + x) / 2
    ),
    sf=lambda x, chi: gammainc(1.5, chi * chi * (1 - x) * (1 + x) / 2) / gammainc(1.5, chi * chi / 2),
    inner={"cdf": _argus_cdf},
)

# ------------------------------------------------------------------------------------------ on circles


def _wrapcauchy_cdf(x: Any, c: Any) -> Any:
    r = (1 + c) / (1 - c)
    rest = minimum((np.pi - x / 2) + PI_REST, np.pi / 2)
    return where(x < np.pi, arctan(r * tan(x / 2)) / np.pi, 1 - arctan(r * tan(rest)) / np.pi)


def _wrapcauchy_sf(x: Any, c: Any) -> Any:
    r = (1 + c) / (1 - c)
    rest = minimum((np.pi - x / 2) + PI_REST, np.pi / 2)
    return where(x < np.pi, 1 - arctan(r * tan(x / 2)) / np.pi, arctan(r * tan(rest)) / np.pi)


def _wrapcauchy_inverse(lower: Any, upper: Any, c: Any) -> Any:
    r = (1 - c) / (1 + c)
    return where(lower < 0.5, 2 * arctan(r * tan(np.pi * lower)), 2 * np.pi - 2 * arctan(r * tan(np.pi * upper)))


_row(
    "wrapcauchy",
    "c",
    "0.03",
    (0, 2 * np.pi),
    argcheck=lambda c: both(c > 0, c < 1),
    pdf=lambda x, c: (1 - c) * (1 + c) / (2 * np.pi * ((1 - c) ** 2 + 4 * c * sin(x / 2) ** 2)),
    cdf=_wrapcauchy_cdf,
    sf=_wrapcauchy_sf,
    ppf=lambda q, c: _wrapcauchy_inverse(q, 1 - q, c),
    isf=lambda q, c: _wrapcauchy_inverse(1 - q, q, c),
    entropy=lambda c: log(2 * np.pi * (1 - c) * (1 + c)),
    methods={"rvs": lambda self, *args, **kwds: rv_continuous.rvs(self, *args, **kwds) % (2 * np.pi)},
)
