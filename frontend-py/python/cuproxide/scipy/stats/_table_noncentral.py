"""Rows of noncentral distributions: series of Poisson weights, and integrals."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._lib import kernel as k
from ._math import (
    INF,
    LOG2,
    NAN,
    SQRT2,
    SQRT2PI,
    both,
    exp,
    exp_product,
    gamma_,
    gammaln,
    hypot,
    i0e,
    i1e,
    isfinite,
    ive,
    log,
    log1p,
    maximum,
    nctdtr,
    power,
    rgamma,
    sqrt,
    stepwise,
    stirling_rest,
    where,
    xlogy,
)
from ._numeric import between
from ._pairs import Pair, product_rest
from ._row import rows_of

__all__: list[str] = []

# Rows that other modules import by name.
ncx2: Any

_row = rows_of(globals())


# Most nodes of a sum on one side of a peak, and the degrees of freedom that are as good as infinitely many.
_MOST_NODES, _MOST_FREEDOM = 10_000.0, 1e16
# From this noncentrality on Student's normal number has no spread.
_FARTHEST = 1e100
# Weights of means below this are products, scaled so that none leaves the range.
_PRODUCTS = 1300.0
_MOST_TERMS = 100_000


@k.function
def _mixed(a: Any, b: Any, mean: Any, y: Any, first: Any, part: Any, upper: bool, beta: bool) -> tuple[Any, Any]:
    """The sum over `j` of Poisson weights times a tail of the gamma or beta distribution of order `a + j` at `y`.

    The tails of neighbouring orders differ by `first` times a product, so both are sums of positive numbers: the upper
    one of the weights times the tails, from `part` on, the lower one of those differences times the sums of weights.
    Of the latter the rest is the tail of the order `a + j` of the second result.
    """
    weight, step, total = k.exp(-mean / 2), k.value(first), k.value(0.0)
    most, tail, weights = 1 / weight, k.value(part), k.value(0.0)
    j, going, last = k.value(0.0), mean >= 0, k.value(0.0)
    while going:
        weights += weight
        term = weight * tail if upper else step * weights
        total += term
        tail += step
        j += 1.0
        growth = y / (a + j) * ((a + b + j - 1) if beta else 1.0)
        step *= growth
        weight *= mean / j
        # Past the largest term the rest falls faster than a geometric series.
        if upper:
            going = (term > 1e-18 * total) | (term > last)
        else:
            going = (step * most > 1e-18 * total) | (growth > 1)
            going = going & (j <= 40 + 12 * k.sqrt(mean) + mean)
        going = going & (mean > 0) & (j < _MOST_TERMS)
        last = k.value(term)
    return total / most, j


@k.function
def _poisson_gamma(half: Any, mean: Any, y: Any, upper: bool) -> Any:
    """The sum over `j` of Poisson weights times the lower (upper) incomplete gamma function of order `half + j`."""
    # The differences are scaled as the weights are.
    scale, power = k.exp(k.minimum(y, _PRODUCTS) / 2), y**half
    log_first = half * k.log(k.maximum(y, 1e-308)) - y / 2 - k.gammaln(half + 1)
    plain = (power > 1e-290) & (power < 1e290) & (half < 150)
    first = k.where(plain, power * rgamma(half + 1) / scale, k.exp(log_first))
    part = k.gammaincc(half, y) * scale
    value, j = _mixed(half, k.value(1.0), mean, y, first, part, upper, False)
    value = value / scale if upper else value / scale + k.gammainc(half + j, y)
    # Beyond, with a small curvature, all is on one side.
    value = k.where(y > _PRODUCTS, 0.0 if upper else 1.0, value)
    return k.where(mean > _PRODUCTS, 1.0 if upper else 0.0, value)


# Points of the integral through the saddle point, and how many standard deviations it goes.
_STEPS, _REACH = 64, 9.0


@k.function
def _saddle(x: Any, df: Any, nc: Any) -> tuple[Any, Any, Any]:
    """The saddle point `u` of the inverse Laplace integral, `1 - u`, and the curvature there in `log(u)`."""
    root = k.hypot(df, 2 * k.sqrt(nc) * k.sqrt(x))
    u = (df + root) / (2 * x)
    # `root - df` would cancel.
    return u, (x - df - nc) / (x + nc / u), nc / u + df / 2


@k.function
def _through_saddle(x: Any, df: Any, nc: Any, upper: Any) -> Any:
    """A tail of the noncentral chi-square distribution, for a large curvature: by the trapezoidal rule, which converges
    geometrically. The moment generating function at `(1 - u) / 2` is written about the saddle, so nothing cancels."""
    u, away, curvature = _saddle(x, df, nc)
    width = 1 / k.sqrt(curvature)
    above = away > 0
    # The pole at u = 1 stays away by two widths.
    a = k.maximum(2 * width - abs(away) / u, 0.0) * k.where(above, -1.0, 1.0)
    level = -away * (x - nc / u) / 2 - df / 2 * k.where(u < 0.5, k.log(u), k.log1p(-away))
    total = k.value(0.0)
    for i in k.steps(_STEPS + 1):
        b = i.astype(np.float64) * (_REACH / _STEPS) * width
        # `w**2 / (1 + w)` and `log(1 + w)` of w = a + ib.
        size = (1 + a) * (1 + a) + b * b
        square = a * a - b * b
        real = (square * (1 + a) + 2 * a * b * b) / size
        imaginary = (2 * a * b * (1 + a) - square * b) / size
        half = nc / (2 * u)
        real = half * real + df / 2 * (a - k.log(size) / 2)
        imaginary = half * imaginary + df / 2 * (b - k.arctan2(b, 1 + a))
        # Divided by `1 - u - u * w`.
        c = away - u * a
        term = k.exp(level + real) * (k.cos(imaginary) * c - k.sin(imaginary) * u * b) / (c * c + u * u * b * b)
        total += k.where(i == 0, term / 2, term)
    # Far out factors beside the power overflow.
    tail = k.where(level >= -750, k.clamp(abs(total) * u * (_REACH / _STEPS) * width / np.pi, 0.0, 1.0), 0.0)
    return k.where(above == upper, tail, 1 - tail)


@k.function
def _ncx2_tail(x: Any, df: Any, nc: Any, upper: bool) -> Any:
    x = k.maximum(x, 0.0)
    _, _, curvature = _saddle(k.maximum(x, 1e-300), df, nc)
    if curvature > 400:
        value = _through_saddle(x, df, nc, k.value(upper))
    else:
        value = _poisson_gamma(df / 2, nc / 2, x / 2, upper)
    return k.minimum(value, 1.0)


@k.function
def _ncx2_cdf(table: Any, x: Any, df: Any, nc: Any) -> Any:
    # Infinite is also the square of a large number.
    return k.where(x <= 0, 0.0, k.where(k.isinf(2 * x), 1.0, _ncx2_tail(x, df, nc, False)))


@k.function
def _ncx2_sf(table: Any, x: Any, df: Any, nc: Any) -> Any:
    return k.where(x <= 0, 1.0, k.where(k.isinf(2 * x), 0.0, _ncx2_tail(x, df, nc, True)))


def _log_ive(order: Any, z: Any) -> Any:
    """The logarithm of a scaled Bessel function below all numbers: Debye's expansion, or for low orders, which are that
    small next to 0 only, the leading term of the series."""
    root = hypot(order, z)
    p = order / root
    square = p * p
    # Polynomials of (10.41.10) of the Digital Library of Mathematical Functions, over powers of the order.
    rest = (3 - 5 * square) / (24 * root)
    rest = rest + (81 + square * (385 * square - 462)) / (1152 * root * root)
    rest = rest + (30375 + square * (square * (765765 - 425425 * square) - 369603)) / (414720 * root**3)
    debye = order * (order / (root + z) + log(z / (order + root))) - 0.5 * log(2 * np.pi * root) + log1p(rest)
    return where(order < 30, order * log(z / 2) - gammaln(order + 1) - z, debye)


def _ncx2_log_parts(x: Any, df: Any, nc: Any, z: Any, bessel: Any) -> Any:
    order = df / 2 - 1
    central = xlogy(df / 2 - 1, x) - x / 2 - gammaln(df / 2) - LOG2 * df / 2
    bessel = log(bessel)
    bessel = where(bessel < -690, _log_ive(order, z), bessel)
    value = -LOG2 + xlogy(order / 2, x / where(nc == 0, 1.0, nc)) - 0.5 * (sqrt(x) - sqrt(nc)) ** 2 + bessel
    # At 0 all terms of the sum but the first vanish.
    return where(nc == 0, central, where(x == 0, central - nc / 2, value))


def _ncx2_logpdf(x: Any, df: Any, nc: Any) -> Any:
    z = sqrt(x * nc)
    return _ncx2_log_parts(x, df, nc, z, ive(df / 2 - 1, z))


def _root_pair(x: Any) -> Pair:
    """The square root of a number."""
    root = sqrt(x)
    square = root * root
    rest = (x - square) - product_rest(root, root, square)
    return Pair(root, where(root > 0, rest / (2 * where(root > 0, root, 1.0)), 0.0))


def ncx2_pdf(x: Any, df: Any, nc: Any) -> Any:
    """The density for large degrees of freedom, as a product while its factors are normal numbers.

    A sum of their logarithms would be rounded as the largest is.
    """
    z = sqrt(x * nc)
    bessel = ive(df / 2 - 1, z)
    away = _root_pair(x) - _root_pair(nc)
    powers = power(x / where(nc > 0, nc, 1.0), df / 4 - 0.5)
    plain = both(bessel > 1e-290, powers > 1e-290, powers < 1e290, nc > 0, x > 1e-290, x < 1e300)
    value = 0.5 * (away * away * -0.5).exp() * powers * bessel
    return where(plain, value, exp(_ncx2_log_parts(x, df, nc, z, bessel)))


_row(
    "ncx2",
    "df, nc",
    "21, 1.06",
    (0, INF),
    argcheck=lambda df, nc: both(df > 0, isfinite(df), nc >= 0),
    logpdf=_ncx2_logpdf,
    inner={"cdf": _ncx2_cdf, "sf": _ncx2_sf},
    stats=lambda df, nc: (
        df + nc,
        2 * (df + 2 * nc),
        np.sqrt(8) * (df + 3 * nc) / (df + 2 * nc) ** 1.5,
        12 * (df + 4 * nc) / (df + 2 * nc) ** 2,
    ),
    rvs=lambda df, nc, size, random_state: random_state.noncentral_chisquare(df, nc, size=size),
    by_density=True,
)


def _laguerre(n: int, b: Any) -> Any:
    """Raw moments of Rice's distribution: half-integer Laguerre polynomials by their recurrence."""
    y = b * b / 2
    if n % 2 == 0:
        before, value = 1.0, 1 + y
        for m in range(1, stepwise(n) // 2):
            before, value = value, ((2 * m + 1 + y) * value - m * before) / (m + 1)
        return 2.0 ** (n / 2) * float(np.prod(np.arange(1, n // 2 + 1))) * (value if n else 1.0)
    before, value = i0e(y / 2), (1 + y) * i0e(y / 2) + y * i1e(y / 2)
    order = 0.5
    while order < stepwise(n) / 2:
        before, value = value, ((2 * order + 1 + y) * value - order * before) / (order + 1)
        order += 1
    return 2.0 ** (n / 2) * gamma_(1 + n / 2.0) * value


@k.function
def _rice_cdf(table: Any, x: Any, b: Any) -> Any:
    return _ncx2_cdf(table, x * x, k.value(2.0), b * b)


@k.function
def _rice_sf(table: Any, x: Any, b: Any) -> Any:
    return _ncx2_sf(table, x * x, k.value(2.0), b * b)


_row(
    "rice",
    "b",
    "0.77",
    (0, INF),
    argcheck=lambda b: b >= 0,
    pdf=lambda x, b: x * exp_product(-0.5 * (x - b), x - b) * i0e(x * b),
    logpdf=lambda x, b: log(x) - (x - b) ** 2 / 2 + log(i0e(x * b)),
    inner={"cdf": _rice_cdf, "sf": _rice_sf},
    munp=_laguerre,
    rvs=lambda b, size, random_state: hypot(
        b / SQRT2 + random_state.normal(size=size), b / SQRT2 + random_state.normal(size=size)
    ),
    by_density=True,
)


@k.function
def _poisson_beta(a: Any, b: Any, mean: Any, y: Any, z: Any, upper: bool) -> Any:
    """As `_poisson_gamma`, of incomplete beta functions at `y = 1 - z`."""
    if mean < _PRODUCTS:
        power = y**a
        log_rest = k.log(k.maximum(z, 1e-308)) * b - k.log(a) - k.betaln(a, b)
        plain = (power > 1e-290) & (a < 150)
        first = k.where(plain, power * k.exp(log_rest), k.exp(a * k.log(k.maximum(y, 1e-308)) + log_rest))
        part = k.where(y < 0.5, k.betaincc(a, b, y), k.betainc(b, a, z))
        value, j = _mixed(a, b, mean, y, first, part, upper, True)
        if not upper:
            value += k.where(y < 0.5, k.betainc(a + j, b, y), k.betaincc(b, a + j, z))
    else:
        value = _poisson_beta_far(a, b, mean, y, z, upper)
    return value


@k.function
def _poisson_beta_far(a: Any, b: Any, mean: Any, y: Any, z: Any, upper: bool) -> Any:
    """The same by logarithms, for a mean whose weights leave the range."""
    reach = 40 + 12 * k.sqrt(mean) + mean
    log_y, log_mean = k.log(k.maximum(y, 1e-308)), k.log(k.maximum(mean, 1e-308))
    j = k.value(0.0) if upper else k.where(mean == 0, 0.0, k.floor(reach))
    step = 1.0 if upper else -1.0
    part = k.where(y < 0.5, k.betaincc(a + j, b, y), k.betainc(b, a + j, z))
    if not upper:
        part = k.where(y < 0.5, k.betainc(a + j, b, y), k.betaincc(b, a + j, z))
    log_weight = k.where(mean == 0, 0.0, j * log_mean - mean - k.gammaln(j + 1))
    at = a + j - (0.0 if upper else 1.0)
    log_term = at * log_y + b * k.log(k.maximum(z, 1e-308)) - k.log(at) - k.betaln(at, b)
    total, count, going = k.value(0.0), k.value(0), k.value(True)
    while going and count < 2_000_000:
        total += k.exp(log_weight) * part
        before = j
        j += step
        part += k.exp(log_term)
        if upper:
            log_weight += log_mean - k.log(j)
            log_term += log_y + k.log((a + b + j - 1) / (a + j))
            going = (j <= reach) & (mean > 0)
        else:
            log_weight += k.log(before) - log_mean
            log_term += k.log((a + j) / (a + b + j - 1)) - log_y
            going = (j >= 0) & (mean > 0)
        count += 1
    return total


@k.function
def _poisson_beta_pdf(a: Any, b: Any, mean: Any, log_y: Any, z: Any) -> Any:
    """The density that belongs to `_poisson_beta`, as a function of y, from the logarithm of that."""
    reach = 40 + 12 * k.sqrt(mean) + mean
    log_mean = k.log(k.maximum(mean, 1e-308))
    j = k.value(0.0)
    log_term = (a - 1) * log_y + (b - 1) * k.log(k.maximum(z, 1e-308)) - k.betaln(a, b) - mean
    total, count, going = k.value(0.0), k.value(0), k.value(True)
    while going and count < 2_000_000:
        total += k.exp(log_term)
        log_term += log_y + log_mean - k.log(j + 1) + k.log((a + b + j) / (a + j))
        j += 1.0
        going = (j <= reach + a + b) & (mean > 0)
        count += 1
    return total


@k.function
def _ncf_cdf(table: Any, x: Any, n: Any, m: Any, nc: Any) -> Any:
    d = n * x + m
    return k.where(x <= 0, 0.0, k.minimum(_poisson_beta(n / 2, m / 2, nc / 2, n * x / d, m / d, False), 1.0))


@k.function
def _ncf_sf(table: Any, x: Any, n: Any, m: Any, nc: Any) -> Any:
    d = n * x + m
    return k.where(x <= 0, 1.0, k.minimum(_poisson_beta(n / 2, m / 2, nc / 2, n * x / d, m / d, True), 1.0))


@k.function
def _ncf_pdf(table: Any, x: Any, n: Any, m: Any, nc: Any) -> Any:
    d = n * x + m
    log_y = k.log(k.maximum(x, 5e-324)) + k.log(n / d)
    return _poisson_beta_pdf(n / 2, m / 2, nc / 2, log_y, m / d) * n * m / (d * d)


def _ncf_raw(order: int, n: Any, m: Any, nc: Any) -> Any:
    """`E[(noncentral chi-square / n)**order] * E[(chi-square / m)**-order]`, the first by its recurrence."""
    import math

    first: list[Any] = [1.0]
    for r in range(1, stepwise(order) + 1):
        total = 2.0 ** (r - 1) * math.factorial(r - 1) * (n + r * nc)
        for i in range(1, r):
            total = total + math.factorial(r - 1) * 2.0 ** (i - 1) / math.factorial(r - i) * (n + i * nc) * first[r - i]
        first.append(total)
    second: Any = 1.0
    for i in range(1, order + 1):
        second = second * m / (m - 2 * i)
    return where(m > 2 * order, first[order] / n**order * second, INF)


def _ncf_stats(n: Any, m: Any, nc: Any) -> tuple[Any, ...]:
    e1, e2, e3, e4 = (_ncf_raw(r, n, m, nc) for r in (1, 2, 3, 4))
    v = where(m > 4, e2 - e1 * e1, INF)
    s = where(m > 6, (e3 - 3 * e1 * e2 + 2 * e1**3) / v**1.5, NAN)
    return e1, v, s, where(m > 8, (e4 - 4 * e1 * e3 + 6 * e1 * e1 * e2 - 3 * e1**4) / (v * v) - 3, NAN)


_row(
    "ncf",
    "dfn, dfd, nc",
    "27, 27, 0.42",
    (0, INF),
    argcheck=lambda n, m, nc: both(n > 0, m > 0, nc >= 0),
    inner={"cdf": _ncf_cdf, "sf": _ncf_sf, "pdf": _ncf_pdf},
    stats=_ncf_stats,
    munp=_ncf_raw,
    rvs=lambda n, m, nc, size, random_state: random_state.noncentral_f(n, m, nc, size=size),
)


@k.function
def _over_chi(table: Any, f: Any, df: Any, c: Any) -> Any:
    """The mean of `f(s)` over `s`, the root of a chi-square number divided by its degrees of freedom."""

    def term(s: Any) -> Any:
        return k.exp(c + (df - 1) * k.log(s) - df * s * s / 2) * f(s)

    def by_logarithm(v: Any) -> Any:
        s = k.exp(-v)
        return k.exp(c - df * v - df * s * s / 2) * f(s)

    part = k.value(0.0)
    if df < 2:
        # The density is infinite at 0, and for few degrees of freedom most of it lies there.
        part += between(table, by_logarithm, k.value(0.0), k.value(np.inf), 1 / df)
    else:
        part += between(table, term, k.value(0.0), k.value(1.0), 1.0)
    return part + between(table, term, k.value(1.0), k.value(np.inf), 1 / k.sqrt(df))


def _nct_constant(df: Any) -> Any:
    """The logarithm of what the density of a chi number leads with, at most of its exponential."""
    n = maximum(df / 2, 2.3e-308)
    large = log(n / (2 * np.pi)) / 2 - stirling_rest(maximum(n, 20.0))
    return LOG2 + where(n >= 20, large, n * log(n) - n - gammaln(n))


@k.function
def _nct_pdf(table: Any, x: Any, df: Any, nc: Any, c: Any) -> Any:
    """The mean of `s * norm.pdf(x * s - nc)` over `s` as in `_over_chi`, by the trapezoidal rule in `log(s)`.

    At the peak `s` times `size` is `top`, and beside it the exponent depends on the distance alone.
    """
    size = k.hypot(x, k.sqrt(df))
    mean = nc * (x / size)
    root = k.hypot(mean, 2 * k.sqrt(df + 1))
    top = k.where(mean > 0, (root + mean) / 2, 2 * (df + 1) / k.where(mean > 0, 1.0, root - mean))
    scale = top / size
    step = k.minimum(0.1, 0.45 / k.hypot(top, k.sqrt(df + 1)))
    total = k.value(1.0)
    for side in (-1.0, 1.0):
        count, going = k.value(1.0), k.value(True)
        while going:
            distance = side * count * step
            growth = k.expm1(distance)
            # `distance - growth`, whose digits the difference of close numbers would lose.
            series = k.value(1.0)
            for n in (10.0, 9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0):
                series = 1 + series * distance / n
            rest = k.where(abs(distance) < 0.1, series * distance * distance / -2, distance - growth)
            term = k.exp((df + 1) * rest - (top * growth) ** 2 / 2)
            total += term
            count += 1
            going = (term > 1e-18 * total) & (count < _MOST_NODES)
    # The square of the peak less 1, and the deviate there: the peak's equation keeps their digits.
    square = x * x + df
    more = k.where(k.isinf(square), scale * scale - 1, (x * (nc * scale - x) + 1) / square)
    near = abs(more) < 0.5
    log_square = k.where(near, k.log1p(k.where(near, more, 0.0)), 2 * k.log(scale))
    by_peak = (abs(x) > size / 2) & near
    deviate = k.where(by_peak, (1 - df * more) / k.where(by_peak, x * scale, 1.0), x * scale - nc)
    # Of few degrees of freedom far below 1 a power keeps the digits that its logarithm would lose.
    apart = (df < 20) & ~near & (scale < 1)
    log_square = k.where(apart, 0.0, log_square)
    lead = c + df * (log_square - more) / 2 + log_square / 2 - deviate * deviate / 2
    # Where the law of `s` is a point the number is a normal one.
    factor = k.where(apart, scale ** (df + 1), 1.0) * step * total
    value = k.where(df > _MOST_FREEDOM, k.exp((x - nc) * (x - nc) / -2), k.exp(lead) * factor) / SQRT2PI
    # Beside a huge `nc` the normal number is a point, and `s` is `nc / x`.
    ratio = nc / k.where(x == 0, 1.0, x)
    alone = (x != 0) & (ratio > 0) & (ratio < 1e100)
    point = k.where(alone, ratio, 1.0)
    far = point - 1
    of_point = k.exp(c + df * (k.log1p(far) - far * (far + 2) / 2)) / k.where(alone, abs(x), 1.0)
    value = k.where((abs(nc) > _FARTHEST) & (df <= _MOST_FREEDOM), k.where(alone, of_point, 0.0), value)
    return k.where(k.isinf(x), 0.0, value)


def _nct_raw(n: int, df: Any, nc: Any) -> Any:
    normal: list[Any] = [1.0, nc]
    for order in range(2, stepwise(n) + 1):
        normal.append(nc * normal[order - 1] + (order - 1) * normal[order - 2])
    factor = exp(n / 2 * log(df / 2) + gammaln((df - n) / 2) - gammaln(df / 2))
    return where(df > n, factor * normal[n], INF)


def _nct_stats(df: Any, nc: Any) -> tuple[Any, ...]:
    e1, e2, e3, e4 = (_nct_raw(n, df, nc) for n in (1, 2, 3, 4))
    v = where(df > 2, e2 - e1 * e1, INF)
    s = where(df > 3, (e3 - 3 * e1 * e2 + 2 * e1**3) / v**1.5, NAN)
    return e1, v, s, where(df > 4, (e4 - 4 * e1 * e3 + 6 * e1 * e1 * e2 - 3 * e1**4) / (v * v) - 3, NAN)


_row(
    "nct",
    "df, nc",
    "14, 0.24",
    argcheck=lambda df, nc: both(df > 0, nc == nc),
    constants=lambda df, nc: (_nct_constant(df),),
    cdf=lambda x, df, nc, c: nctdtr(df, nc, x),
    sf=lambda x, df, nc, c: nctdtr(df, -nc, -x),
    inner={"pdf": _nct_pdf},
    stats=_nct_stats,
    rvs=lambda df, nc, size, random_state: (
        (random_state.normal(size=size) + nc) / sqrt(random_state.chisquare(df, size=size) / df)
    ),
)
