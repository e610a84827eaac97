"""Rows of other distributions with heavy tails: Cauchy, Student, Lévy."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._logarithms import central_beta_power, is_central_share
from ._math import (
    EULER,
    INF,
    LOG2,
    LOG2PI,
    NAN,
    SQRT2PI,
    arctan,
    arctan2,
    betainc,
    betaincc,
    betainccinv,
    betaincinv,
    betaln,
    both,
    cot_pi,
    digamma_rest,
    erf,
    erfc,
    erfcinv,
    erfinv,
    exp,
    gammaln,
    hypot,
    isinf,
    log,
    log1p,
    log1p_square,
    log_gamma_entropy,
    log_ndtr,
    logaddexp,
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
    where,
    xlogy,
)
from ._pairs import root_of
from ._row import rows_of

__all__: list[str] = []

# Rows that other modules import by name.
t: Any

# The square of this number is far from both ends of the range.
_FAR = 1e140


_row = rows_of(globals())


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


def _t_tail(x: Any, df: Any) -> Any:
    """The probability above `x`; beyond `_FAR`, where the square leaves the range, it falls as a power."""
    return stdtr(df, -minimum(x, _FAR)) * power(_FAR / maximum(x, _FAR), df)


def _t_log_tail(x: Any, df: Any) -> Any:
    """The logarithm of the probability above `x`; far out, where that underflows, by a series."""
    tail, below = _t_tail(x, df), _t_tail(-x, df)
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
    cdf=lambda x, df: _t_tail(-x, df),
    sf=_t_tail,
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
