"""Rows of the gamma and exponential family."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray, reads_at_once
from ._common import holds
from ._fit_errors import FitDataError
from ._logarithms import (
    central_gamma_power,
    either,
    far_gammainc,
    far_gammaincc,
    gammainc_of,
    gammaincc_of,
    is_central,
    log_gamma_density,
    log_gamma_power,
)
from ._math import (
    EULER,
    INF,
    LOG2,
    LOG2PI,
    NAN,
    SQRT2,
    both,
    digamma,
    digamma_rest,
    exp,
    exp_product,
    expm1,
    gammainc,
    gammaincc,
    gammainccinv,
    gammaincinv,
    gammaln,
    log,
    log1p,
    log_gamma_entropy,
    logical_and,
    maximum,
    minimum,
    poch,
    sqrt,
    where,
    xlogy,
    zeta,
)
from ._row import rows_of

__all__: list[str] = []

# Rows that other modules import by name.
chi2: Any
expon: Any
gengamma: Any
invgamma: Any


_row = rows_of(globals())


def _fit_expon(data: Any, floc: Any, fscale: Any) -> tuple[float, float]:
    least = float(data.min())
    loc = least if floc is None else floc
    if least < loc:
        raise FitDataError("expon", lower=loc, upper=np.inf)
    return loc, float(data.mean()) - loc if fscale is None else fscale


def _below_numbers(c: Any, p: Any, power: Any, value: Any) -> Any:
    """`value`, a power of the inverse of `gammainc`, also where that inverse is below all numbers."""
    return where(log(p) < -600 * c, exp(power * ((log(p) + gammaln(c + 1)) / c)), value)


_row(
    "expon",
    support=(0, INF),
    formula="The exponential distribution: density `exp(-x)`.\n",
    logpdf=lambda x: -x,
    pdf=lambda x: exp(-x),
    cdf=lambda x: -expm1(-x),
    sf=lambda x: exp(-x),
    logsf=lambda x: -x,
    ppf=lambda q: -log1p(-q),
    isf=lambda q: -log(q),
    stats=lambda: (1.0, 1.0, 2.0, 6.0),
    entropy=lambda: 1.0,
    rvs=lambda size, random_state: random_state.standard_exponential(size=size),
    munp=lambda n: np.float64(math.factorial(n) if n <= 170 else np.inf),
    fit=_fit_expon,
)


def _gamma_entropy(a: Any) -> Any:
    return log_gamma_entropy(a) + digamma(a)


_GAMMA: dict[str, Any] = {
    "logpdf": lambda x, a: log_gamma_density(x, a),
    "cdf": lambda x, a: gammainc(a, x),
    "sf": lambda x, a: gammaincc(a, x),
    "ppf": lambda q, a: gammaincinv(a, q),
    "isf": lambda q, a: gammainccinv(a, q),
    "stats": lambda a: (a, a, 2 / sqrt(a), 6 / a),
    "munp": lambda n, a: poch(a, float(n)),
    "entropy": _gamma_entropy,
    "far": {"cdf": lambda x, a: far_gammainc(a, x), "sf": lambda x, a: far_gammaincc(a, x)},
    "rvs": lambda a, size, random_state: random_state.standard_gamma(a, size=size),
}
_row(
    "gamma",
    "a",
    "1.99",
    (0, INF),
    formula="The gamma distribution: density `x**(a - 1) * exp(-x) / gamma(a)`.\n",
    **_GAMMA,
)


def _whole(a: Any) -> Any:
    if isinstance(a, np.floating):
        whole = bool(np.floor(a) == a)
    else:
        whole = not isinstance(a, ndarray) or not reads_at_once(a) or holds(cp.floor(a) == a)
    if not whole:
        shown = float(a) if isinstance(a, np.floating) else a
        warnings.warn(
            f"The shape parameter of the erlang distribution has been given a non-integer value {shown!r}.",
            RuntimeWarning,
            stacklevel=5,
        )
    return a > 0


_row("erlang", "a", "10", (0, INF), argcheck=_whole, **_GAMMA)


def _chi2_entropy(df: Any) -> Any:
    return _gamma_entropy(df / 2) + LOG2


_row(
    "chi2",
    "df",
    "55",
    (0, INF),
    logpdf=lambda x, df: log_gamma_density(x / 2, df / 2) - LOG2,
    cdf=lambda x, df: gammainc(df / 2, x / 2),
    sf=lambda x, df: gammaincc(df / 2, x / 2),
    ppf=lambda q, df: 2 * gammaincinv(df / 2, q),
    isf=lambda q, df: 2 * gammainccinv(df / 2, q),
    stats=lambda df: (df, 2 * df, 2 * sqrt(2 / df), 12 / df),
    munp=lambda n, df: 2.0**n * poch(df / 2, float(n)),
    entropy=_chi2_entropy,
    rvs=lambda df, size, random_state: random_state.chisquare(df, size=size),
    far={"cdf": lambda x, df: far_gammainc(df / 2, x / 2), "sf": lambda x, df: far_gammaincc(df / 2, x / 2)},
)


def _chi_stats(df: Any) -> tuple[Any, ...]:
    mu = SQRT2 * poch(df / 2, 0.5)
    v = where(df < 500, df - mu * mu, 0.5 - 1 / (8 * df) - 1 / (16 * df * df) + 5 / (128 * df**3))
    # The others are small differences of large moments.
    return mu, v, None, None


_row(
    "chi",
    "df",
    "78",
    (0, INF),
    logpdf=lambda x, df: either(
        is_central(x * x / 2, df / 2),
        lambda: LOG2 + central_gamma_power(x * x / 2, df / 2) - log(x),
        lambda: LOG2 - 0.5 * LOG2 * df - gammaln(df / 2) + xlogy(df - 1, x) - 0.5 * x * x,
    ),
    cdf=lambda x, df: gammainc_of(df / 2, x * x / 2, 2 * log(x) - LOG2),
    sf=lambda x, df: gammaincc_of(df / 2, x * x / 2, 2 * log(x) - LOG2),
    ppf=lambda q, df: SQRT2 * _below_numbers(df / 2, q, 0.5, sqrt(gammaincinv(df / 2, q))),
    isf=lambda q, df: SQRT2 * _below_numbers(df / 2, 1 - q, 0.5, sqrt(gammainccinv(df / 2, q))),
    stats=_chi_stats,
    munp=lambda n, df: 2.0 ** (n / 2) * poch(df / 2, n / 2.0),
    entropy=lambda df: log_gamma_entropy(df / 2) + 0.5 * (digamma(df / 2) - LOG2),
    rvs=lambda df, size, random_state: sqrt(random_state.chisquare(df, size=size)),
    far={"cdf": lambda x, df: far_gammainc(df / 2, x * x / 2), "sf": lambda x, df: far_gammaincc(df / 2, x * x / 2)},
)
_row(
    "maxwell",
    "",
    "",
    (0, INF),
    logpdf=lambda x: 0.5 * np.log(2 / np.pi) + 2 * log(x) - x * x / 2,
    pdf=lambda x: np.sqrt(2 / np.pi) * minimum(x, 1e100) ** 2 * exp_product(-0.5 * x, x),
    cdf=lambda x: gammainc(1.5, x * x / 2),
    sf=lambda x: gammaincc(1.5, x * x / 2),
    ppf=lambda q: sqrt(2 * gammaincinv(1.5, q)),
    isf=lambda q: sqrt(2 * gammainccinv(1.5, q)),
    stats=lambda: (
        2 * np.sqrt(2 / np.pi),
        3 - 8 / np.pi,
        np.sqrt(2) * (32 - 10 * np.pi) / (3 * np.pi - 8) ** 1.5,
        (-12 * np.pi**2 + 160 * np.pi - 384) / (3 * np.pi - 8) ** 2,
    ),
    entropy=lambda: EULER + 0.5 * LOG2PI - 0.5,
    rvs=lambda size, random_state: sqrt(random_state.chisquare(3.0, size=size)),
    far={"cdf": lambda x: 3 * log(x) + np.log(np.sqrt(2 / np.pi) / 3), "sf": lambda x: far_gammaincc(1.5, x * x / 2)},
)


def _fit_rayleigh(data: Any, floc: Any, fscale: Any) -> Any:
    if floc is None:
        return None
    return floc, float(np.sqrt(((data - floc) ** 2).mean() / 2)) if fscale is None else fscale


_row(
    "rayleigh",
    "",
    "",
    (0, INF),
    logpdf=lambda x: log(x) - x * x / 2,
    pdf=lambda x: x * exp_product(-0.5 * x, x),
    cdf=lambda x: -expm1(-x * x / 2),
    sf=lambda x: exp_product(-0.5 * x, x),
    logsf=lambda x: -x * x / 2,
    ppf=lambda q: sqrt(-2 * log1p(-q)),
    isf=lambda q: sqrt(-2 * log(q)),
    stats=lambda: (
        np.sqrt(np.pi / 2),
        (4 - np.pi) / 2,
        2 * (np.pi - 3) * np.sqrt(np.pi) / (4 - np.pi) ** 1.5,
        6 * np.pi / (4 - np.pi) - 16 / (4 - np.pi) ** 2,
    ),
    entropy=lambda: EULER / 2 + 1 - 0.5 * LOG2,
    rvs=lambda size, random_state: random_state.rayleigh(size=size),
    fit=_fit_rayleigh,
    far={"cdf": lambda x: 2 * log(x) - LOG2},
)


def _nakagami_stats(nu: Any) -> tuple[Any, ...]:
    # A chi distribution over the root of its degrees of freedom.
    mu, v, *others = _chi_stats(2 * nu)
    return mu / sqrt(2 * nu), v / (2 * nu), *others


_row(
    "nakagami",
    "nu",
    "4.97",
    (0, INF),
    logpdf=lambda x, nu: either(
        is_central(nu * x * x, nu),
        lambda: LOG2 + central_gamma_power(nu * x * x, nu) - log(x),
        lambda: LOG2 + xlogy(nu, nu) - gammaln(nu) + xlogy(2 * nu - 1, x) - nu * x * x,
    ),
    cdf=lambda x, nu: gammainc_of(nu, nu * x * x, log(nu) + 2 * log(x)),
    sf=lambda x, nu: gammaincc_of(nu, nu * x * x, log(nu) + 2 * log(x)),
    ppf=lambda q, nu: _below_numbers(nu, q, 0.5, sqrt(gammaincinv(nu, q))) / sqrt(nu),
    isf=lambda q, nu: _below_numbers(nu, 1 - q, 0.5, sqrt(gammainccinv(nu, q))) / sqrt(nu),
    stats=_nakagami_stats,
    entropy=lambda nu: log_gamma_entropy(nu) + 0.5 * digamma_rest(nu) - LOG2,
    rvs=lambda nu, size, random_state: sqrt(random_state.standard_gamma(nu, size=size) / nu),
    far={"cdf": lambda x, nu: far_gammainc(nu, nu * x * x), "sf": lambda x, nu: far_gammaincc(nu, nu * x * x)},
)


def _if_above(a: Any, limit: float, value: Any, other: Any) -> Any:
    return where(a > limit, value, other)


_row(
    "invgamma",
    "a",
    "4.07",
    (0, INF),
    logpdf=lambda x, a: where(x == 0, -INF, log_gamma_power(1 / x, a) - log(x)),
    cdf=lambda x, a: gammaincc(a, 1 / x),
    sf=lambda x, a: gammainc(a, 1 / x),
    ppf=lambda q, a: 1 / gammainccinv(a, q),
    isf=lambda q, a: 1 / gammaincinv(a, q),
    stats=lambda a: (
        _if_above(a, 1, 1 / (a - 1), INF),
        _if_above(a, 2, 1 / (a - 1) ** 2 / (a - 2), INF),
        _if_above(a, 3, 4 * sqrt(a - 2) / (a - 3), NAN),
        _if_above(a, 4, 6 * (5 * a - 11) / (a - 3) / (a - 4), NAN),
    ),
    munp=lambda n, a: where(a > n, exp(gammaln(a - n) - gammaln(a)), INF),
    entropy=lambda a: log_gamma_entropy(a) - digamma(a),
    rvs=lambda a, size, random_state: 1 / random_state.standard_gamma(a, size=size),
    far={"cdf": lambda x, a: far_gammaincc(a, 1 / x), "sf": lambda x, a: far_gammainc(a, 1 / x)},
)


def _gengamma_tail(x: Any, a: Any, c: Any, upper: bool) -> Any:
    y = x**c
    one, other = gammainc_of(a, y, c * log(x)), gammaincc_of(a, y, c * log(x))
    return where(c > 0, other, one) if upper else where(c > 0, one, other)


def _gengamma_inverse(q: Any, a: Any, c: Any, upper: bool) -> Any:
    one = _below_numbers(a, q, 1 / c, gammaincinv(a, q) ** (1 / c))
    other = _below_numbers(a, 1 - q, 1 / c, gammainccinv(a, q) ** (1 / c))
    return where(c > 0, other, one) if upper else where(c > 0, one, other)


_row(
    "gengamma",
    "a, c",
    "4.4, 3.1",
    (0, INF),
    argcheck=lambda a, c: both(a > 0, c != 0),
    logpdf=lambda x, a, c: where(
        logical_and(x == 0, c < 0),
        -INF,
        log(abs(c))
        + either(
            is_central(x**c, a),
            lambda: central_gamma_power(x**c, a) - log(x),
            lambda: xlogy(c * a - 1, x) - x**c - gammaln(a),
        ),
    ),
    cdf=lambda x, a, c: _gengamma_tail(x, a, c, False),
    sf=lambda x, a, c: _gengamma_tail(x, a, c, True),
    ppf=lambda q, a, c: _gengamma_inverse(q, a, c, False),
    isf=lambda q, a, c: _gengamma_inverse(q, a, c, True),
    munp=lambda n, a, c: poch(a, n / c),
    entropy=lambda a, c: log_gamma_entropy(a) - log(abs(c)) + digamma(a) / c,
    rvs=lambda a, c, size, random_state: random_state.standard_gamma(a, size=size) ** (1 / c),
    far={
        "cdf": lambda x, a, c: where(c > 0, far_gammainc(a, x**c), far_gammaincc(a, x**c)),
        "sf": lambda x, a, c: where(c > 0, far_gammaincc(a, x**c), far_gammainc(a, x**c)),
    },
)


def _log_gamma_number(c: Any, p: Any, tail: Any) -> Any:
    """The logarithm of the inverse of `gammainc`, also where that is below all numbers."""
    return where(log(p) / c < -600, (log(p) + gammaln(c + 1)) / c, log(tail))


_row(
    "loggamma",
    "c",
    "0.41",
    logpdf=lambda x, c: either(
        is_central(exp(x), c), lambda: central_gamma_power(exp(x), c), lambda: c * x - exp(x) - gammaln(c)
    ),
    cdf=lambda x, c: where(x < -600, exp(c * x - gammaln(c + 1)), gammainc(c, exp(x))),
    sf=lambda x, c: where(x < -600, -expm1(minimum(c * x - gammaln(c + 1), 0.0)), gammaincc(c, exp(x))),
    ppf=lambda q, c: _log_gamma_number(c, q, gammaincinv(c, q)),
    isf=lambda q, c: _log_gamma_number(c, 1 - q, gammainccinv(c, q)),
    stats=lambda c: (
        digamma(c),
        zeta(2.0, c),
        -2 * zeta(3.0, c) / zeta(2.0, c) ** 1.5,
        6 * zeta(4.0, c) / zeta(2.0, c) ** 2,
    ),
    entropy=log_gamma_entropy,
    rvs=lambda c, size, random_state: (
        log(random_state.standard_gamma(c + 1, size=size)) + log(random_state.uniform(size=size)) / c
    ),
    far={
        "cdf": lambda x, c: where(x < -30, c * x - gammaln(c + 1), far_gammainc(c, exp(maximum(x, -30.0)))),
        "sf": lambda x, c: far_gammaincc(c, exp(x)),
    },
)


def _signed(x: Any, small: Any, large: Any) -> Any:
    return where(x > 0, large, small)


_row(
    "dgamma",
    "a",
    "1.1",
    logpdf=lambda x, a: log_gamma_density(abs(x), a) - LOG2,
    cdf=lambda x, a: where(x > 0, 0.5 + 0.5 * gammainc(a, abs(x)), 0.5 * gammaincc(a, abs(x))),
    sf=lambda x, a: where(x > 0, 0.5 * gammaincc(a, abs(x)), 0.5 + 0.5 * gammainc(a, abs(x))),
    ppf=lambda q, a: where(q > 0.5, gammainccinv(a, 2 * (1 - q)), -gammainccinv(a, 2 * q)),
    isf=lambda q, a: where(q > 0.5, -gammainccinv(a, 2 * (1 - q)), gammainccinv(a, 2 * q)),
    stats=lambda a: (0.0 * a, a * (a + 1), 0.0 * a, (a + 2) * (a + 3) / (a * (a + 1)) - 3),
    entropy=lambda a: _gamma_entropy(a) + LOG2,
    rvs=lambda a, size, random_state: (
        random_state.standard_gamma(a, size=size) * where(random_state.uniform(size=size) >= 0.5, 1.0, -1.0)
    ),
    far={"cdf": lambda x, a: far_gammaincc(a, abs(x)) - LOG2, "sf": lambda x, a: far_gammaincc(a, abs(x)) - LOG2},
)


def _gennorm_lower(x: Any, beta: Any) -> Any:
    half = 0.5 * gammaincc(1 / beta, abs(x) ** beta)
    return where(x > 0, 1 - half, half)


def _gennorm_inverse(q: Any, beta: Any, side: int) -> Any:
    both_tails = 2 * where(q > 0.5, 1 - q, q)
    far = _below_numbers(1 / beta, 1 - both_tails, 1 / beta, gammainccinv(1 / beta, both_tails) ** (1 / beta))
    return side * where(q > 0.5, far, -far)


def _gennorm_rvs(beta: Any, size: Any, random_state: Any) -> Any:
    z = random_state.standard_gamma(1 / beta, size=size) ** (1 / beta)
    return where(random_state.uniform(size=size) < 0.5, z, -z)


_row(
    "gennorm",
    "beta",
    "1.3",
    pdf=lambda x, beta: 0.5 * exp(-gammaln(1 + 1 / beta)) * exp(-(abs(x) ** beta)),
    logpdf=lambda x, beta: -LOG2 - gammaln(1 + 1 / beta) - abs(x) ** beta,
    cdf=_gennorm_lower,
    sf=lambda x, beta: _gennorm_lower(-x, beta),
    ppf=lambda q, beta: _gennorm_inverse(q, beta, 1),
    isf=lambda q, beta: _gennorm_inverse(q, beta, -1),
    stats=lambda beta: (
        0.0 * beta,
        exp(gammaln(3 / beta) - gammaln(1 / beta)),
        0.0 * beta,
        exp(gammaln(5 / beta) + gammaln(1 / beta) - 2 * gammaln(3 / beta)) - 3,
    ),
    entropy=lambda beta: 1 / beta - log(0.5 * beta) + gammaln(1 / beta),
    rvs=_gennorm_rvs,
    far={
        "cdf": lambda x, beta: far_gammaincc(1 / beta, abs(x) ** beta) - LOG2,
        "sf": lambda x, beta: far_gammaincc(1 / beta, abs(x) ** beta) - LOG2,
    },
)
_row(
    "halfgennorm",
    "beta",
    "0.67",
    (0, INF),
    logpdf=lambda x, beta: log(beta) - gammaln(1 / beta) - x**beta,
    cdf=lambda x, beta: gammainc_of(1 / beta, x**beta, beta * log(x)),
    sf=lambda x, beta: gammaincc_of(1 / beta, x**beta, beta * log(x)),
    ppf=lambda q, beta: _below_numbers(1 / beta, q, 1 / beta, gammaincinv(1 / beta, q) ** (1 / beta)),
    isf=lambda q, beta: _below_numbers(1 / beta, 1 - q, 1 / beta, gammainccinv(1 / beta, q) ** (1 / beta)),
    munp=lambda n, beta: exp(gammaln((n + 1) / beta) - gammaln(1 / beta)),
    entropy=lambda beta: 1 / beta - log(beta) + gammaln(1 / beta),
    rvs=lambda beta, size, random_state: random_state.standard_gamma(1 / beta, size=size) ** (1 / beta),
    far={
        "cdf": lambda x, beta: far_gammainc(1 / beta, x**beta),
        "sf": lambda x, beta: far_gammaincc(1 / beta, x**beta),
    },
)


def _fit_laplace(data: Any, floc: Any, fscale: Any) -> tuple[float, float]:
    import cuproxide as cp

    loc = float(cp.median(data)) if floc is None else floc
    return loc, float(abs(data - loc).mean()) if fscale is None else fscale


_row(
    "laplace",
    formula="The Laplace distribution: density `exp(-abs(x)) / 2`.\n",
    logpdf=lambda x: -abs(x) - LOG2,
    pdf=lambda x: 0.5 * exp(-abs(x)),
    cdf=lambda x: where(x > 0, 1 - 0.5 * exp(-abs(x)), 0.5 * exp(-abs(x))),
    sf=lambda x: where(x > 0, 0.5 * exp(-abs(x)), 1 - 0.5 * exp(-abs(x))),
    logcdf=lambda x: where(x > 0, log1p(-0.5 * exp(-abs(x))), -abs(x) - LOG2),
    logsf=lambda x: where(x > 0, -abs(x) - LOG2, log1p(-0.5 * exp(-abs(x)))),
    ppf=lambda q: where(q > 0.5, -log(2 * (1 - q)), log(2 * q)),
    isf=lambda q: where(q > 0.5, log(2 * (1 - q)), -log(2 * q)),
    stats=lambda: (0.0, 2.0, 0.0, 3.0),
    entropy=lambda: LOG2 + 1,
    rvs=lambda size, random_state: random_state.laplace(size=size),
    fit=_fit_laplace,
)


def _al_tail(x: Any, kappa: Any, upper: bool) -> Any:
    inverse = 1 / kappa
    total = kappa + inverse
    right = inverse / total * exp(-kappa * maximum(x, 0.0))
    left = kappa / total * exp(minimum(x, 0.0) / kappa)
    return where(x >= 0, right, 1 - left) if upper else where(x >= 0, 1 - right, left)


def _al_inverse(lower: Any, upper: Any, kappa: Any) -> Any:
    inverse = 1 / kappa
    total = kappa + inverse
    return where(lower >= kappa / total, -log(upper * total * kappa) * inverse, log(lower * total / kappa) * kappa)


_row(
    "laplace_asymmetric",
    "kappa",
    "2",
    logpdf=lambda x, kappa: where(x >= 0, -kappa * x, x / kappa) - log(kappa + 1 / kappa),
    cdf=lambda x, kappa: _al_tail(x, kappa, False),
    sf=lambda x, kappa: _al_tail(x, kappa, True),
    ppf=lambda q, kappa: _al_inverse(q, 1 - q, kappa),
    isf=lambda q, kappa: _al_inverse(1 - q, q, kappa),
    stats=lambda kappa: (
        1 / kappa - kappa,
        1 / (kappa * kappa) + kappa * kappa,
        2 * (1 - kappa**6) / (1 + kappa**4) ** 1.5,
        6 * (1 + kappa**8) / (1 + kappa**4) ** 2,
    ),
    entropy=lambda kappa: 1 + log(kappa + 1 / kappa),
    far={
        "cdf": lambda x, kappa: x / kappa + log(kappa / (kappa + 1 / kappa)),
        "sf": lambda x, kappa: -kappa * x - log(kappa * (kappa + 1 / kappa)),
    },
)
