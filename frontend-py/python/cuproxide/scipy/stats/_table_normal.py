"""Rows of the normal family, of what is made of normal numbers, and of other distributions on the whole line."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._common import holds
from ._logarithms import either, log_mills
from ._math import (
    EULER,
    INF,
    LOG2,
    LOG2PI,
    SQRT2,
    SQRT2PI,
    arcsinh,
    both,
    cosh,
    erf,
    erfc,
    erfcinv,
    erfcx,
    erfinv,
    exp,
    exp1,
    exp_product,
    expit,
    expm1,
    hypot,
    is_narrow,
    isfinite,
    isinf,
    log,
    log1mexp,
    log1p,
    log_ndtr,
    log_ndtr_narrow,
    logaddexp,
    logical_not,
    logit,
    maximum,
    mean_density,
    minimum,
    ndtr,
    ndtr_between,
    ndtri,
    norm_logpdf,
    norm_pdf,
    normal_moment,
    sign,
    sinh,
    sqrt,
    stepwise,
    where,
    zeta,
)
from ._narrow import FALL, Peak, central_moment, interval, mean_log_cosh, raw_moment
from ._pairs import Pair, sum_rest
from ._row import Row, rows_of

__all__: list[str] = []

# Rows that other modules import by name.
norm: Any


_row = rows_of(globals())


def _fit_norm(data: Any, floc: Any, fscale: Any) -> tuple[float, float]:
    loc = float(data.mean()) if floc is None else floc
    scale = float(np.sqrt(((data - loc) ** 2).mean())) if fscale is None else fscale
    return loc, scale


_row(
    "norm",
    formula="The normal distribution: density `exp(-x**2 / 2) / sqrt(2 * pi)`.\n",
    logpdf=norm_logpdf,
    pdf=norm_pdf,
    cdf=ndtr,
    sf=lambda x: ndtr(-x),
    logcdf=log_ndtr,
    logsf=lambda x: log_ndtr(-x),
    ppf=ndtri,
    isf=lambda q: -ndtri(q),
    stats=lambda: (0.0, 1.0, 0.0, 0.0),
    munp=normal_moment,
    entropy=lambda: 0.5 * (LOG2PI + 1),
    rvs=lambda size, random_state: random_state.normal(size=size),
    fit=_fit_norm,
)


def _mills(x: Any) -> Any:
    """Mills's ratio of a normal number: the upper tail over the density."""
    return np.sqrt(np.pi / 2) * erfcx(x / SQRT2)


def _normal_exponential(z: Any, rate: Any) -> Any:
    """`exp(rate * (rate / 2 - z)) * ndtr(z - rate)`: by Mills's ratio where its factors lie far apart."""
    ahead = rate - z
    near = norm_pdf(z) * _mills(maximum(ahead, 0.0))
    return where(ahead > 0, near, exp_product(rate, minimum(rate / 2 - z, 0.0)) * ndtr(-ahead))


def _lognorm_stats(s: Any) -> tuple[Any, ...]:
    p = exp(s * s)
    e = expm1(s * s)
    return sqrt(p), p * e, sqrt(e) * (2 + p), ((((p + 2) * p + 3) * p) + 0) * p - 6


def _exp_of_quantile(q: Any, s: Any) -> Any:
    """`exp(s * ndtri(q))`, in the tails with a step of Newton's method: the exponential multiplies the rounding."""
    z = ndtri(q)
    least = minimum(q, 1 - q)
    step = (least - ndtr(-abs(z))) / norm_pdf(z) * where(z > 0, -1.0, 1.0)
    return exp_product(s, z) * (1 + s * where((least < 0.1) & (least > 1e-300), step, 0.0))


_row(
    "lognorm",
    "s",
    "0.95",
    (0, INF),
    logpdf=lambda x, s: where(x == 0, -INF, -(log(x) ** 2) / (2 * s * s) - log(s * x * SQRT2PI)),
    cdf=lambda x, s: ndtr(log(x) / s),
    sf=lambda x, s: ndtr(-log(x) / s),
    logcdf=lambda x, s: log_ndtr(log(x) / s),
    logsf=lambda x, s: log_ndtr(-log(x) / s),
    ppf=lambda q, s: _exp_of_quantile(q, s),
    isf=lambda q, s: _exp_of_quantile(q, -s),
    stats=_lognorm_stats,
    munp=lambda n, s: exp(n * n * s * s / 2),
    entropy=lambda s: 0.5 * (1 + LOG2PI + 2 * log(s)),
    rvs=lambda s, size, random_state: exp(s * random_state.normal(size=size)),
)
_row(
    "gibrat",
    "",
    "",
    (0, INF),
    logpdf=lambda x: where(x == 0, -INF, -(log(x) ** 2) / 2 - log(x * SQRT2PI)),
    cdf=lambda x: ndtr(log(x)),
    sf=lambda x: ndtr(-log(x)),
    logcdf=lambda x: log_ndtr(log(x)),
    logsf=lambda x: log_ndtr(-log(x)),
    ppf=lambda q: _exp_of_quantile(q, 1.0),
    isf=lambda q: _exp_of_quantile(q, -1.0),
    stats=lambda: _lognorm_stats(np.float64(1)),
    munp=lambda n: np.exp(n * n / 2),
    entropy=lambda: 0.5 * LOG2PI + 0.5,
    rvs=lambda size, random_state: exp(random_state.normal(size=size)),
)
_row(
    "halfnorm",
    "",
    "",
    (0, INF),
    pdf=lambda x: 2 * norm_pdf(x),
    logpdf=lambda x: 0.5 * np.log(2 / np.pi) - x * x / 2,
    cdf=lambda x: erf(x / SQRT2),
    sf=lambda x: erfc(x / SQRT2),
    ppf=lambda q: SQRT2 * erfinv(q),
    isf=lambda q: -ndtri(q / 2),
    stats=lambda: (
        np.sqrt(2 / np.pi),
        1 - 2 / np.pi,
        np.sqrt(2) * (4 - np.pi) / (np.pi - 2) ** 1.5,
        8 * (np.pi - 3) / (np.pi - 2) ** 2,
    ),
    entropy=lambda: 0.5 * np.log(np.pi / 2) + 0.5,
    rvs=lambda size, random_state: abs(random_state.normal(size=size)),
    far={"sf": lambda x: LOG2 + log_ndtr(-x)},
)


def _foldnorm_stats(c: Any) -> tuple[Any, ...]:
    fac = exp(-0.5 * c * c) / SQRT2PI
    # What the mean, and its square, are above those of the normal number.
    d = 2 * fac - c * erfc(c / SQRT2)
    mu, q = c + d, d * (2 * c + d)
    v = 1 - q
    return mu, v, 2 * (mu * q - fac) / v**1.5, (8 * fac * mu - 4 * c * (c * q) - 6 * q * q) / (v * v)


_row(
    "foldnorm",
    "c",
    "1.95",
    (0, INF),
    argcheck=lambda c: c >= 0,
    logpdf=lambda x, c: norm_logpdf(x - c) + log1p(exp(-2 * c * x)),
    pdf=lambda x, c: norm_pdf(x + c) + norm_pdf(x - c),
    cdf=lambda x, c: ndtr_between(c, 2 * x),
    sf=lambda x, c: ndtr(c - x) + ndtr(-c - x),
    stats=_foldnorm_stats,
    rvs=lambda c, size, random_state: abs(random_state.normal(size=size) + c),
    far={"sf": lambda x, c: logaddexp(log_ndtr(c - x), log_ndtr(-c - x))},
)


def _minimum_isf(share: Any) -> Any:
    """The point that a normal number exceeds with a probability whose logarithm is given."""
    return where(share < -LOG2, -ndtri(exp(share)), ndtri(-expm1(share)))


def _powernorm_logpdf(x: Any, c: Any) -> Any:
    """The logarithm of c phi(x) Phi(-x)^(c - 1); far right, where both vanish, by the ratio of the two."""
    far = x > 1
    near = minimum(x, 1.0)
    body = norm_logpdf(near) + (c - 1) * log_ndtr(-near)
    return log(c) + where(far, c * norm_logpdf(x) + (c - 1) * log_mills(x), body)


_row(
    "powernorm",
    "c",
    "4.4",
    logpdf=_powernorm_logpdf,
    logsf=lambda x, c: c * log_ndtr(-x),
    cdf=lambda x, c: -expm1(c * log_ndtr(-x)),
    ppf=lambda q, c: _minimum_isf(log1p(-q) / c),
    isf=lambda q, c: _minimum_isf(log(q) / c),
    far={"cdf": lambda x, c: log(c) + log_ndtr(x)},
)
_row(
    "powerlognorm",
    "c, s",
    "2.1, 0.4",
    (0, INF),
    logpdf=lambda x, c, s: where(
        x > 0, log(c) - log(x) - log(s) + norm_logpdf(log(x) / s) + log_ndtr(-log(x) / s) * (c - 1), -INF
    ),
    logsf=lambda x, c, s: c * log_ndtr(-log(x) / s),
    cdf=lambda x, c, s: -expm1(c * log_ndtr(-log(x) / s)),
    ppf=lambda q, c, s: exp(s * _minimum_isf(log1p(-q) / c)),
    isf=lambda q, c, s: exp(s * _minimum_isf(log(q) / c)),
    far={"cdf": lambda x, c, s: log(c) + log_ndtr(log(x) / s)},
)


def _log_mass(a: Any, b: Any) -> Any:
    """The logarithm of a normal number's probability to lie between two points, which may lie far out."""
    flip = a > 0
    low, high = where(flip, -b, a), where(flip, -a, b)
    left = log_ndtr(high) + log1mexp(log_ndtr(low) - log_ndtr(high))
    centre, width = (a + b) / 2, b - a
    central = log1p(-ndtr(low) - ndtr(-high))
    wide = where(high <= 0, left, central)
    return where(is_narrow(centre, width), log_ndtr_narrow(centre, width), wide)


def _log_mass_over_density(a: Any, b: Any, nearest: Any) -> Any:
    """The logarithm of `_log_mass` over the density at the point of the interval that is nearest to 0."""
    flip = a > 0
    low, high = where(flip, -b, a), where(flip, -a, b)
    centre, width = (a + b) / 2, b - a
    apart = where(is_narrow(centre, width), 0.5 * (nearest - centre) * (nearest + centre), 0.0)
    narrow = apart + log(where(is_narrow(centre, width), width, 1.0) * mean_density(centre, width))
    one_side = log_mills(-minimum(high, 0.0)) + log1mexp(log_ndtr(low) - log_ndtr(high))
    central = log1p(-ndtr(low) - ndtr(-high)) + LOG2PI / 2
    return where(is_narrow(centre, width), narrow, where(high <= 0, one_side, central))


def _truncnorm_median(a: Any, b: Any) -> Any:
    """A point with about half of the probability on either side."""
    flip = a > 0
    low, high = where(flip, -b, a), where(flip, -a, b)
    share = 0.5 * (ndtr(low) + ndtr(high))
    far = high - LOG2 / maximum(abs(high), 1.0)
    middle = minimum(maximum(where(share > 1e-290, ndtri(share), far), low), high)
    return where(flip, -middle, middle)


def _truncnorm_log_tail(x: Any, a: Any, b: Any, upper: bool) -> Any:
    """The logarithm of a tail, from the smaller one of both."""
    left = x < _truncnorm_median(a, b)
    part = _log_mass(where(left, a, x), where(left, x, b)) - _log_mass(a, b)
    return where(left, log1mexp(part), part) if upper else where(left, part, log1mexp(part))


def _truncnorm_entropy(a: Any, b: Any) -> Any:
    mass = _log_mass(a, b)
    edges = _weighted(a, mass) - _weighted(b, mass)
    return 0.5 * (LOG2PI + 1) + mass + edges / 2


def _weighted(a: Any, mass: Any) -> Any:
    return where(isinf(a), 0.0, a * exp(norm_logpdf(a) - mass))


def _truncnorm_munp(n: int, a: Any, b: Any) -> Any:
    mass = _log_mass(a, b)
    pa, pb = exp(norm_logpdf(a) - mass), exp(norm_logpdf(b) - mass)
    moments: list[Any] = [1.0, pa - pb]
    for order in range(2, stepwise(n) + 1):
        ends = where(isinf(a), 0.0, a ** (order - 1) * pa) - where(isinf(b), 0.0, b ** (order - 1) * pb)
        moments.append((order - 1) * moments[order - 2] + ends)
    return moments[n]


def _truncnorm_logpdf(x: Any, a: Any, b: Any) -> Any:
    """Beside the density at the point of the interval that is nearest to 0: far out both are tiny."""
    nearest = minimum(maximum(a, 0.0), b)
    return 0.5 * (nearest - x) * (nearest + x) - _log_mass_over_density(a, b, nearest)


def _truncnorm_narrow(a: Any, b: Any) -> Any:
    return interval(a, b, lambda x: -x, lambda middle, t: -t * (middle + 0.5 * t))


def _truncnorm_peak(a: Any, b: Any) -> Peak:
    point = minimum(maximum(a, 0.0), b)
    # Where the density has fallen from the peak.
    length = 2 * FALL / (abs(point) + sqrt(point * point + 2 * FALL))
    return Peak(
        logical_not(both(a <= -1, b >= 1)),
        point,
        minimum(point - a, length),
        minimum(b - point, length),
        lambda t: -t * (point + 0.5 * t),
        lambda t: t,
    )


_row(
    "truncnorm",
    "a, b",
    "-1.0, 2.7",
    lambda a, b: (a, b),
    argcheck=lambda a, b: a < b,
    logpdf=_truncnorm_logpdf,
    logcdf=lambda x, a, b: _truncnorm_log_tail(x, a, b, False),
    logsf=lambda x, a, b: _truncnorm_log_tail(x, a, b, True),
    munp=lambda n, a, b: raw_moment(
        n, _truncnorm_narrow(a, b), _truncnorm_peak(a, b), lambda: _truncnorm_munp(n, a, b)
    ),
    methods={
        "_moment_from_raw": lambda self, n, mean, a, b: central_moment(
            n,
            _truncnorm_narrow(a, b),
            _truncnorm_peak(a, b),
            lambda: Row._moment_from_raw(self, n, mean, a, b),
        )
    },
    entropy=_truncnorm_entropy,
)


def _skewnorm_stats(a: Any) -> tuple[Any, ...]:
    delta = np.sqrt(2 / np.pi) * where(isinf(a), sign(a), a / hypot(1.0, a))
    v = 1 - delta * delta
    return delta, v, (4 - np.pi) / 2 * (delta / sqrt(v)) ** 3, 2 * (np.pi - 3) * delta**4 / (v * v)


def _skewnorm_rvs(a: Any, size: Any, random_state: Any) -> Any:
    u, v = random_state.normal(size=size), random_state.normal(size=size)
    d = a / hypot(1.0, a)
    w = d * u + v * sqrt(1 - d * d)
    return where(u >= 0, w, -w)


_row(
    "skewnorm",
    "a",
    "4.0",
    argcheck=lambda a: isfinite(a),
    pdf=lambda x, a: 2 * norm_pdf(x) * ndtr(a * x),
    logpdf=lambda x, a: LOG2 + norm_logpdf(x) + log_ndtr(a * x),
    centre=lambda a: 0.5 * a / hypot(1.0, a),
    stats=_skewnorm_stats,
    rvs=_skewnorm_rvs,
    by_density=True,
)


def _normal_score(a: Any, b: Any, y: Any) -> tuple[Any, Any]:
    """`a + b * y`, and what the rounding of the sum leaves."""
    product = b * y
    total = a + product
    return total, where(abs(total) < 1e150, sum_rest(a, product, total), 0.0)


def _score_tail(score: tuple[Any, Any]) -> Any:
    """A normal number's probability to lie below a score: far out its rounding would be most of the error."""
    z, rest = score
    # Far out a tail falls by as much as its point; beyond the bounds it is 0 or 1.
    return ndtr(z) * (1 + rest * minimum(maximum(-z, 0.0), 50.0))


def _log_score_tail(score: tuple[Any, Any]) -> Any:
    """The logarithm of `_score_tail`."""
    z, rest = score
    value, change = log_ndtr(z), rest * minimum(maximum(z, -1e150), 1e150)
    return where(z < 0, value - change, value * (1 - change))


def _negative(score: tuple[Any, Any]) -> tuple[Any, Any]:
    return -score[0], -score[1]


def _johnsonsb_logpdf(x: Any, a: Any, b: Any) -> Any:
    inside = x * (1 - x)
    # Next to 0 the quotient may overflow.
    least = maximum(inside, 1e-290)
    slope = log(b / least) + log(least / where(inside > 0, inside, 1.0))
    return where(inside > 0, slope + norm_logpdf(a + b * logit(x)), -INF)


_row(
    "johnsonsb",
    "a, b",
    "4.3, 3.2",
    (0, 1),
    argcheck=lambda a, b: both(b > 0, a == a),
    pdf=lambda x, a, b: where((x > 0) & (x < 1), b / (x * (1 - x)) * norm_pdf(a + b * logit(x)), 0.0),
    logpdf=_johnsonsb_logpdf,
    cdf=lambda x, a, b: ndtr(a + b * logit(x)),
    sf=lambda x, a, b: ndtr(-(a + b * logit(x))),
    logcdf=lambda x, a, b: log_ndtr(a + b * logit(x)),
    logsf=lambda x, a, b: log_ndtr(-(a + b * logit(x))),
    ppf=lambda q, a, b: expit((ndtri(q) - a) / b),
    isf=lambda q, a, b: expit((-ndtri(q) - a) / b),
    entropy=lambda a, b: 0.5 * (LOG2PI + 1) - log(b) - 2 * mean_log_cosh(-0.5 * a / b, 0.5 / b),
)


def _johnsonsu_stats(a: Any, b: Any) -> tuple[Any, ...]:
    w, e, r = exp(1 / (b * b)), expm1(1 / (b * b)), a / b
    v = 0.5 * e * (w * cosh(2 * r) + 1)
    g1 = -sqrt(w) * e * e * (w * (w + 2) * sinh(3 * r) + 3 * sinh(r)) / (4 * v**1.5)
    k1 = w * w * (w**4 + 2 * w**3 + 3 * w * w - 3) * cosh(4 * r)
    k2 = 4 * w * w * (w + 2) * cosh(2 * r)
    # The sign and the factor of the skewness follow the expansion of sinh's third power.
    g2 = e * e * (k1 + k2 + 3 * (2 * w + 1)) / (8 * v * v) - 3
    return -sqrt(w) * sinh(r), v, g1, g2


_row(
    "johnsonsu",
    "a, b",
    "2.55, 2.25",
    argcheck=lambda a, b: both(b > 0, a == a),
    pdf=lambda x, a, b: b / hypot(1.0, x) * norm_pdf(a + b * arcsinh(x)),
    logpdf=lambda x, a, b: log(b) - log(hypot(1.0, x)) + norm_logpdf(a + b * arcsinh(x)),
    cdf=lambda x, a, b: _score_tail(_normal_score(a, b, arcsinh(x))),
    sf=lambda x, a, b: _score_tail(_negative(_normal_score(a, b, arcsinh(x)))),
    logcdf=lambda x, a, b: _log_score_tail(_normal_score(a, b, arcsinh(x))),
    logsf=lambda x, a, b: _log_score_tail(_negative(_normal_score(a, b, arcsinh(x)))),
    ppf=lambda q, a, b: sinh((ndtri(q) - a) / b),
    isf=lambda q, a, b: sinh((-ndtri(q) - a) / b),
    entropy=lambda a, b: 0.5 * (LOG2PI + 1) - log(b) + mean_log_cosh(-a / b, 1 / b) - LOG2,
    stats=_johnsonsu_stats,
    rvs=lambda a, b, size, random_state: sinh((random_state.normal(size=size) - a) / b),
)


def _exponnorm_logpdf(x: Any, k: Any) -> Any:
    def plain() -> Any:
        return (0.5 / k - x) / k + log_ndtr(x - 1 / k) - log(k)

    def by_ratio() -> Any:
        return norm_logpdf(x) + log(_mills(maximum(1 / k - x, 0.0)) / k)

    # Of small `K` its parts cancel.
    return either(k >= 0.5, plain, lambda: where(x < 1 / k, by_ratio(), plain()))


def _exponnorm_far_cdf(x: Any, k: Any) -> Any:
    near = log1p(-exp(log_mills(1 / k - x) - log_mills(-x)))
    return norm_logpdf(x) + log_mills(-x) + where(x < -1e5, -log1p(-k * x), near)


def _exponnorm_far_sf(x: Any, k: Any) -> Any:
    return logaddexp(log_ndtr(-x), _exponnorm_logpdf(x, k) + log(k))


_row(
    "exponnorm",
    "K",
    "1.5",
    pdf=lambda x, k: _normal_exponential(x, 1 / k) / k,
    logpdf=_exponnorm_logpdf,
    cdf=lambda x, k: ndtr(x) - _normal_exponential(x, 1 / k),
    sf=lambda x, k: ndtr(-x) + _normal_exponential(x, 1 / k),
    stats=lambda k: (k, 1 + k * k, 2 * k**3 / (1 + k * k) ** 1.5, 6 * (k * k / (1 + k * k)) ** 2),
    rvs=lambda k, size, random_state: random_state.standard_exponential(size=size) * k + random_state.normal(size=size),
    far={"cdf": lambda x, k: _exponnorm_far_cdf(x, k), "sf": lambda x, k: _exponnorm_far_sf(x, k)},
)


def _dpln_parts(x: Any, u: Any, s: Any, a: Any, b: Any) -> tuple[Any, Any, Any]:
    z = (log(x) - u) / s
    return z, _normal_exponential(-z, b * s), _normal_exponential(z, a * s)


def _log_normal_exponential(z: Any, rate: Any) -> Any:
    """The logarithm of `_normal_exponential`."""
    ahead = rate - z
    near = norm_logpdf(z) + log_mills(maximum(ahead, 0.0))
    return where(ahead > 0, near, rate * minimum(rate / 2 - z, 0.0) + log_ndtr(-ahead))


def _dpln_logpdf(x: Any, u: Any, s: Any, a: Any, b: Any) -> Any:
    z = (log(x) - u) / s
    parts = logaddexp(_log_normal_exponential(-z, b * s), _log_normal_exponential(z, a * s))
    return where(x > 0, parts + log(a) + log(b) - log(a + b) - log(x), -INF)


def _dpln_pdf(x: Any, u: Any, s: Any, a: Any, b: Any) -> Any:
    share = a * b / (a + b) * sum(_dpln_parts(x, u, s, a, b)[1:])
    # The share of a small `x` may be below all numbers when the density is not.
    return where(x > 0, where(share < 1e-290, exp(_dpln_logpdf(x, u, s, a, b)), share / x), 0.0)


def _dpln_far(x: Any, u: Any, s: Any, a: Any, b: Any, side: int) -> Any:
    """The logarithm of a tail, which falls as a power."""
    z = (log(x) - u) / s
    power, other = (b, a) if side < 0 else (a, b)
    return log(other / (a + b)) + power * (power * s / 2 - side * z) * s


def _dpln_tail(x: Any, u: Any, s: Any, a: Any, b: Any, side: int) -> Any:
    z, right, left = _dpln_parts(x, u, s, a, b)
    return ndtr(-side * z) + side * (b * left - a * right) / (a + b)


_row(
    "dpareto_lognorm",
    "u, s, a, b",
    "3, 1.2, 1.5, 2",
    (0, INF),
    argcheck=lambda u, s, a, b: both(s > 0, a > 0, b > 0, u == u),
    pdf=_dpln_pdf,
    logpdf=_dpln_logpdf,
    cdf=lambda x, u, s, a, b: _dpln_tail(x, u, s, a, b, -1),
    sf=lambda x, u, s, a, b: _dpln_tail(x, u, s, a, b, 1),
    munp=lambda n, u, s, a, b: where(n < a, a * b / ((a - n) * (b + n)) * exp(n * u + n * n * s * s / 2), INF),
    rvs=lambda u, s, a, b, size, random_state: exp(
        u
        + s * random_state.normal(size=size)
        + random_state.standard_exponential(size=size) / a
        - random_state.standard_exponential(size=size) / b
    ),
    far={
        "cdf": lambda x, u, s, a, b: _dpln_far(x, u, s, a, b, -1),
        "sf": lambda x, u, s, a, b: _dpln_far(x, u, s, a, b, 1),
    },
)


def _fatigue(x: Any, c: Any) -> Any:
    return (sqrt(x) - 1 / sqrt(x)) / c


def _fatigue_inverse(z: Any, c: Any) -> Any:
    t = abs(c * z)
    # The larger root, of which the smaller one is the inverse.
    large = 0.25 * (t + sqrt(t * t + 4)) ** 2
    return where(z < 0, 1 / large, large)


def _fatigue_stats(c: Any) -> tuple[Any, ...]:
    c2 = c * c
    den = 5 * c2 + 4
    return c2 / 2 + 1, c2 * den / 4, 4 * c * (11 * c2 + 6) / den**1.5, 6 * c2 * (93 * c2 + 40) / (den * den)


_row(
    "fatiguelife",
    "c",
    "29",
    (0, INF),
    logpdf=lambda x, c: where(
        x > 0,
        log(x + 1) - (x - 1) * ((x - 1) / x) / (2 * c * c) - log(2 * c) - 0.5 * (LOG2PI + 3 * log(x)),
        -INF,
    ),
    cdf=lambda x, c: ndtr(_fatigue(x, c)),
    sf=lambda x, c: ndtr(-_fatigue(x, c)),
    logcdf=lambda x, c: log_ndtr(_fatigue(x, c)),
    logsf=lambda x, c: log_ndtr(-_fatigue(x, c)),
    ppf=lambda q, c: _fatigue_inverse(ndtri(q), c),
    isf=lambda q, c: _fatigue_inverse(-ndtri(q), c),
    stats=_fatigue_stats,
    rvs=lambda c, size, random_state: _fatigue_inverse(random_state.normal(size=size), c),
)


def _ig_log_tail(x: Any, mu: Any, side: int) -> Any:
    root = 1 / sqrt(x)
    a = log_ndtr(side * root * (x / mu - 1))
    b = 2 / mu + log_ndtr(-root * (x / mu + 1))
    if side > 0:
        return a + log1p(exp(b - a))
    # Scaled functions keep more digits of the difference than logarithms of both; far out the tail is the density over
    # the slope of its logarithm.
    low, high = root * (x / mu - 1) / SQRT2, root * (x / mu + 1) / SQRT2
    near = log((erfcx(low) - erfcx(high)) / 2) - low * low
    far = _ig_logpdf(x, mu) + log(2 * mu * mu) - log1p(mu * mu * (3 - 1 / x) / x)
    value = where(x > mu, near, a + log1mexp(minimum(b - a, 0.0)))
    return where(x > 1e5 * mu * mu + 1e3 * mu, far, value)


def _ig_cdf(x: Any, mu: Any) -> Any:
    """By scaled functions: both terms of the tail share an exponential, whose rounding is most of the error."""
    # Beyond, squares overflow, and the result is 1; a mean beyond is as good as none.
    x, mu = minimum(x, 1e150), minimum(mu, 1e300)
    away = Pair(x) / mu - 1
    factor = 0.5 * (-(away * away) / (2 * x)).exp()
    root = sqrt(2 * x)
    own = erfcx(maximum(-away.high, 0.0) / root)
    left = factor * (own + erfcx((x / mu + 1) / root))
    return where(x > mu, left - factor * own + ndtr(away.high / sqrt(x)), left)


def _ig_logpdf(x: Any, mu: Any) -> Any:
    return where(x == 0, -INF, -0.5 * LOG2PI - 1.5 * log(x) - (x / mu - 1) * ((x / mu - 1) / (2 * x)))


def _wald_logpdf(x: Any) -> Any:
    # Far out the square overflows, and the 1 does not count.
    rest = where(x < 1e150, (x - 1) * (x - 1), x) / where(x < 1e150, 2 * x, 2.0)
    # The constant within the logarithm is one rounding less.
    return where(x == 0, -INF, -(1.5 * log(np.cbrt(2 * np.pi) * minimum(x, 9e307)) + rest))


def _ig_entropy(mu: Any) -> Any:
    r = 2 / mu
    scaled = where(r < 300, exp(minimum(r, 300.0)) * exp1(minimum(r, 300.0)), (1 - 1 / r + 2 / (r * r) - 6 / r**3) / r)
    # Without a bound on the mean, Levy's distribution.
    return where(isinf(mu), 0.5 * (1 + 3 * EULER + np.log(16 * np.pi)), 0.5 * (1 + LOG2PI + 3 * log(mu)) - 1.5 * scaled)


def _ig_rvs(mu: Any, size: Any, random_state: Any) -> Any:
    far = isinf(mu)
    if holds(~far):
        return random_state.wald(mu, 1.0, size=size)
    return where(far, random_state.normal(size=size) ** -2.0, random_state.wald(where(far, 1.0, mu), 1.0, size=size))


# Densities are products, since the sum of logarithms would be rounded as the exponent is.
_IG: dict[str, Any] = {
    "pdf": lambda x, mu: where(x == 0, 0.0, exp(-(x / mu - 1) * ((x / mu - 1) / (2 * x))) / (SQRT2PI * sqrt(x)) / x),
    "logpdf": _ig_logpdf,
    "cdf": _ig_cdf,
    "logcdf": lambda x, mu: _ig_log_tail(x, mu, 1),
    "logsf": lambda x, mu: where(isinf(x), -INF, _ig_log_tail(x, mu, -1)),
    "stats": lambda mu: (mu, mu**3, 3 * sqrt(mu), 15 * mu),
    "entropy": _ig_entropy,
    "rvs": _ig_rvs,
}
_row("invgauss", "mu", "0.145", (0, INF), argcheck=lambda mu: mu > 0, **_IG)


def _with(value: float, formulas: dict[str, Any]) -> dict[str, Any]:
    """The formulas of a row with its one shape fixed."""
    fixed = np.float64(value)

    def bind(name: str, formula: Any) -> Any:
        if name == "rvs":
            return lambda size, random_state: formula(fixed, size=size, random_state=random_state)
        if name in ("stats", "entropy"):
            return lambda: formula(fixed)
        return lambda x: formula(x, fixed)

    return {name: bind(name, formula) for name, formula in formulas.items()}


_row("wald", "", "", (0, INF), **(_with(1.0, _IG) | {"logpdf": _wald_logpdf}))


def _recipinvgauss_pdf(x: Any, mu: Any) -> Any:
    away = (-(Pair(mu) * x) + 1) / mu
    return where(x == 0, 0.0, (-(away * away) / (2 * x)).exp() / sqrt(x) / SQRT2PI)


# Powers of minus its argument in `erfcx`, from the first on.
_ERFCX_POWERS = tuple((-1) ** n / math.gamma(n / 2 + 1) for n in range(1, 12))


def _recipinvgauss_tail(x: Any, mu: Any, upper: bool) -> Any:
    """By scaled functions: both terms of a tail share an exponential, whose rounding is most of the error."""
    middle = 1 / mu
    away, root = abs(middle - x), SQRT2 * sqrt(x)
    fall = 0.5 * away * (away / x)
    low, high = away / root, (middle + x) / root
    factor, own, other = 0.5 * exp(-fall), erfcx(low), erfcx(high)
    if upper:
        return where(x < middle, 1 - factor * (own - other), factor * (own + other))
    # For small points all terms are near 1: the power series of `erfcx` less 1, and of its divided difference.
    value: Any = 0.0
    slope: Any = 0.0
    for coefficient in (*reversed(_ERFCX_POWERS), 0.0):
        slope = slope * high + value
        value = value * low + coefficient
    small = high < 0.03
    # For near arguments the derivative at their middle; beyond the bound the tail is 0.
    slope = where(small, slope, minimum(middle / root, 1e3) * (own + other) - 2 / np.sqrt(np.pi))
    rise = where(small | (x < where(high < 1, 1e-5, 5e-7) * middle), 2 * minimum(x, middle) / root * slope, other - own)
    total = where(small, 2 * value + rise, (own - 1) + (other - 1))
    return where(x < middle, -factor * rise, -factor * total - expm1(-fall))


_row(
    "recipinvgauss",
    "mu",
    "0.63",
    (0, INF),
    pdf=_recipinvgauss_pdf,
    logpdf=lambda x, mu: where(x == 0, -INF, -(1 / mu - x) * ((1 / mu - x) / (2 * x)) - 0.5 * (LOG2PI + log(x))),
    cdf=lambda x, mu: _recipinvgauss_tail(x, mu, False),
    sf=lambda x, mu: _recipinvgauss_tail(x, mu, True),
    stats=lambda mu: (
        1 / mu + 1,
        1 / mu + 2,
        (3 / mu + 8) / (1 / mu + 2) ** 1.5,
        (15 / mu + 48) / (1 / mu + 2) ** 2,
    ),
    rvs=lambda mu, size, random_state: 1 / random_state.wald(mu, 1.0, size=size),
    by_density=True,
)


def _moyal_cdf(x: Any) -> Any:
    """Uses the scaled function: half the square of its argument is an exponential, which keeps its digits."""
    half_square = 0.5 * exp(-x)
    return exp(-half_square) * erfcx(sqrt(half_square))


# The upper tail at 0, what its rounding leaves, and factors of the odd and higher powers of its inverse about it.
_MOYAL_SHARE, _MOYAL_REST = 0.6826894921370859, 4.561744065090056e-17
_MOYAL_SLOPE = -4.132731354122493
_MOYAL_POWERS = (-5.882071229652654, -6.077255049491843, -22.604096241030764, -46.70832863345511, -134.30601117905323)


def _moyal_isf(q: Any) -> Any:
    """Uses a series about its zero, where the square is next to 1 and its logarithm loses digits."""
    away = (q - _MOYAL_SHARE) - _MOYAL_REST
    series: Any = 0.0
    for power in reversed(_MOYAL_POWERS):
        series = series * away + power
    near = away * (_MOYAL_SLOPE + away * away * series)
    wide = where(q < 1e-20, np.log(2 / np.pi) - 2 * log(q), -log(2 * erfinv(q) ** 2))
    return where(abs(away) < 0.002, near, wide)


_row(
    "moyal",
    pdf=lambda x: exp(-0.5 * (x + exp(-x))) / SQRT2PI,
    logpdf=lambda x: -0.5 * (x + exp(-x)) - LOG2PI / 2,
    cdf=_moyal_cdf,
    sf=lambda x: erf(exp(-0.5 * x) / SQRT2),
    ppf=lambda q: -log(2 * erfcinv(q) ** 2),
    isf=_moyal_isf,
    stats=lambda: (np.log(2) + EULER, np.pi**2 / 2, 28 * np.sqrt(2) * zeta(3.0, 1.0) / np.pi**3, 4.0),
    rvs=lambda size, random_state: -log(random_state.normal(size=size) ** 2),
    far={"cdf": lambda x: LOG2 + log_ndtr(-exp(-0.5 * x)), "sf": lambda x: -0.5 * x + 0.5 * np.log(2 / np.pi)},
)


def _crystal(beta: Any, m: Any) -> tuple[Any, Any, Any]:
    tail = exp(-beta * beta / 2) * m / beta / (m - 1)
    return 1 / (tail + SQRT2PI * ndtr(beta)), tail, m / beta


def _crystal_pdf(x: Any, beta: Any, m: Any) -> Any:
    factor, _, r = _crystal(beta, m)
    far = exp(-beta * beta / 2) * (1 + (-beta - minimum(x, -beta)) / r) ** (-m)
    return factor * where(x > -beta, exp_product(-0.5 * x, x), far)


def _crystal_logpdf(x: Any, beta: Any, m: Any) -> Any:
    factor, _, r = _crystal(beta, m)
    power = -beta * beta / 2 - m * log1p((-beta - minimum(x, -beta)) / r)
    return log(factor) + where(x > -beta, -x * x / 2, power)


def _crystal_far(x: Any, beta: Any, m: Any) -> Any:
    factor, tail, r = _crystal(beta, m)
    return log(factor * tail) + (1 - m) * log1p((-beta - minimum(x, -beta)) / r)


def _crystal_cdf(x: Any, beta: Any, m: Any) -> Any:
    factor, tail, r = _crystal(beta, m)
    # The rounding of a base is multiplied by its exponent.
    away = (-beta - minimum(x, -beta)) / r
    base = 1 + away
    far = tail * base ** (1 - m) * (1 + (1 - m) * where(away < INF, sum_rest(1.0, away, base), 0.0) / base)
    return factor * where(x > -beta, tail + SQRT2PI * (ndtr(x) - ndtr(-beta)), far)


def _crystal_inverse(lower: Any, upper: Any, beta: Any, m: Any) -> Any:
    factor, tail, r = _crystal(beta, m)
    far = -beta - r * expm1(log(lower / (factor * tail)) / (1 - m))
    left = ndtri((lower / factor - tail) / SQRT2PI + ndtr(-beta))
    core = where(lower < 0.5, left, -ndtri(upper / (factor * SQRT2PI)))
    return where(lower < factor * tail, far, core)


def _crystal_raw(n: int, beta: Any, m: Any) -> Any:
    """The raw moment of order n: that of the normal part by recurrence, and beta integrals of the tail."""
    factor, tail, r = _crystal(beta, m)
    edge = exp(-beta * beta / 2)
    core = [SQRT2PI * ndtr(beta), edge]
    for j in range(2, n + 1):
        core.append((-beta) ** (j - 1) * edge + (j - 1) * core[j - 2])
    far, power = beta**n, 1.0
    for i in range(1, n + 1):
        power = power * r * (n - i + 1) / (m - i - 1)
        far = far + power * beta ** (n - i)
    return where(n + 1 < m, factor * (core[n] + (-1) ** n * tail * far), INF)


_row(
    "crystalball",
    "beta, m",
    "2.0, 3.0",
    argcheck=lambda beta, m: both(m > 1, beta > 0),
    pdf=_crystal_pdf,
    logpdf=_crystal_logpdf,
    cdf=_crystal_cdf,
    sf=lambda x, beta, m: where(
        x > -beta, _crystal(beta, m)[0] * SQRT2PI * ndtr(-maximum(x, -beta)), 1 - _crystal_cdf(x, beta, m)
    ),
    ppf=lambda q, beta, m: _crystal_inverse(q, 1 - q, beta, m),
    isf=lambda q, beta, m: _crystal_inverse(1 - q, q, beta, m),
    munp=_crystal_raw,
    far={
        "cdf": lambda x, beta, m: _crystal_far(x, beta, m),
        "sf": lambda x, beta, m: log(_crystal(beta, m)[0] * SQRT2PI) + log_ndtr(-x),
    },
)
