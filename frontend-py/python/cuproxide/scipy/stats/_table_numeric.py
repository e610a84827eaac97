"""Rows that need integrals or series: noncentral, stable, hyperbolic and circular ones, Kolmogorov's, ranges."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._lib import kernel as k
from ._math import (
    INF,
    LOG2,
    LOG2PI,
    NAN,
    SQRT2,
    SQRT2PI,
    arctan,
    beta_,
    both,
    cos,
    exp,
    expm1,
    floor,
    gamma_,
    gammainc,
    gammaincc,
    gammainccinv,
    gammaincinv,
    gammaln,
    hypot,
    i0e,
    i1e,
    isfinite,
    isinf,
    ive,
    k1e,
    kolmogorov,
    kve,
    log,
    log1p,
    logical_and,
    maximum,
    minimum,
    ndtr,
    ndtri,
    norm_logpdf,
    sin,
    sqrt,
    tan,
    where,
    xlog1py,
    xlogy,
)
from ._numeric import between, root, rule
from ._row import continuous

__all__: list[str] = []

# Rows that other modules import by name.
ksone: Any
kstwo: Any
kstwobign: Any
ncx2: Any
studentized_range: Any


def _row(name: str, *args: Any, **kwds: Any) -> None:
    globals()[name] = continuous(name, *args, **kwds)
    __all__.append(name)


# ------------------------------------------------------------------------------------------ hyperbolic distributions


def _nig_gamma(a: Any, b: Any) -> tuple[Any, ...]:
    return (sqrt((a - b) * (a + b)),)


_row(
    "norminvgauss",
    "a, b",
    "1.25, 0.5",
    argcheck=lambda a, b: both(a > 0, abs(b) < a),
    constants=_nig_gamma,
    logpdf=lambda x, a, b, g: (
        log(a / np.pi) + log(k1e(a * hypot(1.0, x))) + b * x - a * hypot(1.0, x) + g - log(hypot(1.0, x))
    ),
    centre=lambda a, b, g: b / g,
    spread=lambda a, b, g: a / g**1.5,
    stats=lambda a, b: (
        b / _nig_gamma(a, b)[0],
        a * a / _nig_gamma(a, b)[0] ** 3,
        3 * b / (a * sqrt(_nig_gamma(a, b)[0])),
        3 * (1 + 4 * b * b / (a * a)) / _nig_gamma(a, b)[0],
    ),
    rvs=lambda a, b, size, random_state: (lambda v: b * v + sqrt(v) * random_state.normal(size=size))(
        random_state.wald(1 / _nig_gamma(a, b)[0], 1.0, size=size)
    ),
)


def _gh_constants(p: Any, a: Any, b: Any) -> tuple[Any, ...]:
    g = sqrt((a - b) * (a + b))
    # K of the argument 0 and a negative order: the limit of `g**p / K(p, g)`.
    limit = -(log(2.0) * (-p - 1) + gammaln(-p))
    general = p * log(g) - log(kve(p, g)) + g
    return (where(g == 0, limit, general) - LOG2PI / 2 - (p - 0.5) * log(a),)


def _gh_stats(p: Any, a: Any, b: Any) -> tuple[Any, ...]:
    """From the moments of the mixing distribution, whose cumulants carry over."""
    g = sqrt((a - b) * (a + b))
    below = kve(p, g)
    m1, m2, m3, m4 = (kve(p + n, g) / below / g**n for n in (1.0, 2.0, 3.0, 4.0))
    c2 = m2 - m1 * m1
    c3 = m3 - 3 * m2 * m1 + 2 * m1**3
    c4 = m4 - 4 * m3 * m1 - 3 * m2 * m2 + 12 * m2 * m1 * m1 - 6 * m1**4
    v = m1 + b * b * c2
    third = b**3 * c3 + 3 * b * c2
    fourth = b**4 * c4 + 6 * b * b * c3 + 3 * c2
    return b * m1, v, third / v**1.5, fourth / (v * v)


_row(
    "genhyperbolic",
    "p, a, b",
    "0.5, 1.5, -0.5",
    argcheck=lambda p, a, b: where(p >= 0, abs(b) < a, abs(b) <= a),
    constants=_gh_constants,
    logpdf=lambda x, p, a, b, c: (
        c + log(kve(p - 0.5, a * hypot(1.0, x))) - a * hypot(1.0, x) + b * x + (p - 0.5) * log(hypot(1.0, x))
    ),
    centre=lambda p, a, b, c: b / maximum(a - abs(b), 1e-3),
    stats=_gh_stats,
)


def _gig_mode(p: Any, b: Any) -> Any:
    r = hypot(p - 1, b)
    return where(p < 1, b / (r + 1 - p), (r + p - 1) / b)


_row(
    "geninvgauss",
    "p, b",
    "2.3, 1.5",
    (0, INF),
    argcheck=lambda p, b: both(p == p, b > 0),
    constants=lambda p, b: (log(kve(p, b)),),
    logpdf=lambda x, p, b, c: where(x == 0, -INF, (p - 1) * log(x) - b * (x - 1) ** 2 / (2 * x) - LOG2 - c),
    centre=lambda p, b, c: _gig_mode(p, b),
    spread=lambda p, b, c: _gig_mode(p, b),
    munp=lambda n, p, b: kve(p + n, b) / kve(p, b),
)


@k.kernel
def _gausshyper_mass(a: k.Each, b: k.Each, c: k.Each, z: k.Each, table: k.Array):
    return between(table, lambda x: _gausshyper_term(x, a, b, c, z), k.value(0.0), k.value(1.0), 1.0)


def _gausshyper_term(x: Any, a: Any, b: Any, c: Any, z: Any) -> Any:
    return exp(xlogy(a - 1, x) + xlog1py(b - 1, -x) - xlog1py(c, z * x))


def _gausshyper_raw(n: int, a: Any, b: Any, c: Any, z: Any) -> Any:
    return _gausshyper_mass(a + n, b, c, z, rule()) / _gausshyper_mass(a, b, c, z, rule())


_row(
    "gausshyper",
    "a, b, c, z",
    "13.8, 3.12, 2.51, 5.18",
    (0, 1),
    argcheck=lambda a, b, c, z: both(a > 0, b > 0, c == c, z > -1),
    constants=lambda a, b, c, z: (log(_gausshyper_mass(a, b, c, z, rule())),),
    logpdf=lambda x, a, b, c, z, mass: xlogy(a - 1, x) + xlog1py(b - 1, -x) - xlog1py(c, z * x) - mass,
    centre=lambda a, b, c, z, mass: a / (a + b),
    munp=_gausshyper_raw,
)

# ------------------------------------------------------------------------------------------ on circles

_VON_MISES: dict[str, Any] = {
    "constants": lambda kappa: (log(2 * np.pi * i0e(kappa)),),
    "logpdf": lambda x, kappa, c: -2 * kappa * sin(x / 2) ** 2 - c,
    "entropy": lambda kappa: -kappa * i1e(kappa) / i0e(kappa) + log(2 * np.pi * i0e(kappa)) + kappa,
    "rvs": lambda kappa, size, random_state: random_state.vonmises(0.0, kappa, size=size),
}
_row(
    "vonmises_line",
    "kappa",
    "3.99",
    (-np.pi, np.pi),
    argcheck=lambda kappa: kappa > 0,
    munp=lambda n, kappa: np.float64(0) if n % 2 else globals()["vonmises_line"]._raw_moment(n, kappa),
    **_VON_MISES,
)


def _turned(self: Any, x: Any, kappa: Any) -> Any:
    turns = floor(x / (2 * np.pi) + 0.5)
    return globals()["vonmises_line"]._cdf(x - 2 * np.pi * turns, kappa) + turns


_row(
    "vonmises",
    "kappa",
    "3.99",
    argcheck=lambda kappa: kappa >= 0,
    munp=lambda n, kappa: np.float64(0) if n % 2 else globals()["vonmises_line"]._raw_moment(n, kappa),
    ppf=lambda q, kappa, *_: globals()["vonmises_line"]._ppf(q, kappa),
    isf=lambda q, kappa, *_: -globals()["vonmises_line"]._ppf(q, kappa),
    methods={"_cdf": _turned, "_sf": lambda self, x, kappa: _turned(self, -x, kappa)},
    **_VON_MISES,
)

# ------------------------------------------------------------------------------------------ noncentral distributions


@k.function
def _poisson_gamma(half: Any, mean: Any, y: Any, upper: bool) -> Any:
    """The sum over `j` of Poisson weights times the lower (upper) incomplete gamma function of order `half + j`.

    Neighbouring orders differ by one term, which is added on the way down (up), so nothing cancels.
    """
    reach = 40 + 12 * k.sqrt(mean) + mean
    log_y, log_mean = k.log(k.maximum(y, 1e-308)), k.log(k.maximum(mean, 1e-308))
    j = k.value(0.0) if upper else k.floor(reach)
    step = 1.0 if upper else -1.0
    if not upper:
        j = k.where(mean == 0, 0.0, j)
    part = k.gammaincc(half, y) if upper else k.gammainc(half + j, y)
    log_weight = j * log_mean - mean - k.gammaln(j + 1)
    log_weight = k.where(mean == 0, 0.0, log_weight)
    log_term = (half + j - (0.0 if upper else 1.0)) * log_y - y - k.gammaln(half + j + (1.0 if upper else 0.0))
    total = k.value(0.0)
    count = k.value(0)
    going = k.value(True)
    while going and count < 2_000_000:
        total += k.exp(log_weight) * part
        before = j
        j += step
        part += k.exp(log_term)
        if upper:
            log_weight += log_mean - k.log(j)
            log_term += log_y - k.log(half + j)
            going = (j <= reach) & (mean > 0)
        else:
            log_weight += k.log(before) - log_mean
            log_term += k.log(half + before - 1) - log_y
            going = (j >= 0) & (mean > 0)
        count += 1
    return total


@k.function
def _ncx2_cdf(table: Any, x: Any, df: Any, nc: Any) -> Any:
    return k.where(x <= 0, 0.0, k.minimum(_poisson_gamma(df / 2, nc / 2, k.maximum(x, 0.0) / 2, False), 1.0))


@k.function
def _ncx2_sf(table: Any, x: Any, df: Any, nc: Any) -> Any:
    return k.where(x <= 0, 1.0, k.minimum(_poisson_gamma(df / 2, nc / 2, k.maximum(x, 0.0) / 2, True), 1.0))


def _ncx2_logpdf(x: Any, df: Any, nc: Any) -> Any:
    order = df / 2 - 1
    central = xlogy(df / 2 - 1, x) - x / 2 - gammaln(df / 2) - LOG2 * df / 2
    z = sqrt(x * nc)
    bessel = log(ive(order, z))
    # Where the Bessel function is below all numbers: its leading term.
    bessel = where(isinf(bessel), order * log(z / 2) - gammaln(df / 2) - z + z * z / (4 * (order + 1)), bessel)
    value = -LOG2 + xlogy(order / 2, x / where(nc == 0, 1.0, nc)) - 0.5 * (sqrt(x) - sqrt(nc)) ** 2 + bessel
    return where(nc == 0, central, value)


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
)


def _laguerre(n: int, b: Any) -> Any:
    """Raw moments of Rice's distribution: half-integer Laguerre polynomials by their recurrence."""
    y = b * b / 2
    if n % 2 == 0:
        before, value = 1.0, 1 + y
        for m in range(1, n // 2):
            before, value = value, ((2 * m + 1 + y) * value - m * before) / (m + 1)
        return 2.0 ** (n / 2) * float(np.prod(np.arange(1, n // 2 + 1))) * (value if n else 1.0)
    before, value = i0e(y / 2), (1 + y) * i0e(y / 2) + y * i1e(y / 2)
    order = 0.5
    while order < n / 2:
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
    logpdf=lambda x, b: log(x) - (x - b) ** 2 / 2 + log(i0e(x * b)),
    inner={"cdf": _rice_cdf, "sf": _rice_sf},
    munp=_laguerre,
    rvs=lambda b, size, random_state: hypot(
        b / SQRT2 + random_state.normal(size=size), b / SQRT2 + random_state.normal(size=size)
    ),
)


@k.function
def _poisson_beta(a: Any, b: Any, mean: Any, y: Any, z: Any, upper: bool) -> Any:
    """As `_poisson_gamma`, of incomplete beta functions at `y = 1 - z`."""
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
def _poisson_beta_pdf(a: Any, b: Any, mean: Any, y: Any, z: Any) -> Any:
    """The density that belongs to `_poisson_beta`, as a function of y."""
    reach = 40 + 12 * k.sqrt(mean) + mean
    log_y, log_mean = k.log(k.maximum(y, 1e-308)), k.log(k.maximum(mean, 1e-308))
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
    return _poisson_beta_pdf(n / 2, m / 2, nc / 2, n * x / d, m / d) * n * m / (d * d)


def _ncf_raw(order: int, n: Any, m: Any, nc: Any) -> Any:
    """`E[(noncentral chi-square / n)**order] * E[(chi-square / m)**-order]`, the first by its recurrence."""
    import math

    first: list[Any] = [1.0]
    for r in range(1, order + 1):
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
def _over_chi(table: Any, f: Any, df: Any, c: Any, near: Any = None) -> Any:
    """The mean of `f(s)` over `s`, the root of a chi-square number divided by its degrees of freedom.

    `f` may change much up to `near`.
    """

    def term(s: Any) -> Any:
        return k.exp(c + (df - 1) * k.log(s) - df * s * s / 2) * f(s)

    width = 1 / k.sqrt(df)
    part = k.value(0.0)
    if near is not None:
        near = k.minimum(near, 1.0)
        part += between(table, term, k.value(0.0), near, 1.0)
    else:
        near = k.value(0.0)
    if near < 1.0:
        part += between(table, term, near, k.value(1.0), 1.0)
    return part + between(table, term, k.value(1.0), k.value(np.inf), width)


def _chi_constant(df: Any) -> Any:
    return LOG2 + df / 2 * log(df / 2) - gammaln(df / 2)


def _nct_near(x: Any, nc: Any) -> Any:
    return (abs(nc) + 8) / k.maximum(abs(x), 1e-300)


@k.function
def _nct_cdf(table: Any, x: Any, df: Any, nc: Any, c: Any) -> Any:
    return k.minimum(_over_chi(table, lambda s: k.ndtr(x * s - nc), df, c, _nct_near(x, nc)), 1.0)


@k.function
def _nct_sf(table: Any, x: Any, df: Any, nc: Any, c: Any) -> Any:
    return k.minimum(_over_chi(table, lambda s: k.ndtr(nc - x * s), df, c, _nct_near(x, nc)), 1.0)


@k.function
def _nct_pdf(table: Any, x: Any, df: Any, nc: Any, c: Any) -> Any:
    return _over_chi(table, lambda s: s * k.exp(-((x * s - nc) ** 2) / 2) / SQRT2PI, df, c, _nct_near(x, nc))


def _nct_raw(n: int, df: Any, nc: Any) -> Any:
    normal: list[Any] = [1.0, nc]
    for order in range(2, n + 1):
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
    constants=lambda df, nc: (_chi_constant(df),),
    inner={"cdf": _nct_cdf, "sf": _nct_sf, "pdf": _nct_pdf},
    stats=_nct_stats,
    rvs=lambda df, nc, size, random_state: (
        (random_state.normal(size=size) + nc) / sqrt(random_state.chisquare(df, size=size) / df)
    ),
)


# ------------------------------------------------------------------------------------------ studentized range


@k.function
def _range_mass(table: Any, w: Any, many: Any, kind: str) -> Any:
    """Of the range of `many` normal numbers: its cdf, sf or density at w, by sums over panels of normal numbers."""
    total = k.value(0.0)
    # The integrand has the normal density of z as a factor.
    low, width = -9.0, 18.0 / 8
    for panel in k.steps(8):
        for i in k.steps(15):
            z = low + (panel.astype(np.float64) + (1 + table[0, i]) / 2) * width
            lower, upper = k.ndtr(z - w), k.ndtr(z)
            inside = k.maximum(upper - lower, 0.0)
            inside = k.where(z - w > 0, k.ndtr(w - z) - k.ndtr(-z), inside)
            if kind == "cdf":
                value = k.exp((many - 1) * k.log(k.maximum(inside, 1e-320)))
            elif kind == "sf":
                share = k.where(upper > 0, lower / k.maximum(upper, 1e-320), 1.0)
                value = k.exp((many - 1) * k.log(k.maximum(upper, 1e-320)))
                value *= -k.expm1((many - 1) * k.log1p(-k.minimum(share, 1.0)))
            else:
                value = (
                    (many - 1)
                    * k.exp((many - 2) * k.log(k.maximum(inside, 1e-320)))
                    * k.exp(-((z - w) ** 2) / 2)
                    / SQRT2PI
                )
            total += table[1, i] * width / 2 * value * k.exp(-z * z / 2) / SQRT2PI
    return many * total


def _range_function(kind: str) -> Any:
    @k.function
    def value(table: Any, x: Any, many: Any, df: Any, c: Any) -> Any:
        if df >= 1e5:
            result = _range_mass(table, x, many, kind)
        elif kind == "pdf":
            result = _over_chi(table, lambda s: s * _range_mass(table, x * s, many, kind), df, c)
        else:
            result = _over_chi(table, lambda s: _range_mass(table, x * s, many, kind), df, c)
        return result

    return value


def _range_raw(n: int, many: Any, df: Any) -> Any:
    """That of the normal range times that of the root in its denominator."""
    whole = globals()["studentized_range"]._raw_moment(n, many, INF)
    factor = exp(n / 2 * log(df / 2) + gammaln((df - n) / 2) - gammaln(df / 2))
    return where(df > n, whole * where(df > 1e5, 1.0, factor), NAN)


_row(
    "studentized_range",
    "k, df",
    "3.0, 10.0",
    (0, INF),
    argcheck=lambda many, df: both(many > 1, df > 0),
    constants=lambda many, df: (_chi_constant(minimum(df, 1e6)),),
    inner={"cdf": _range_function("cdf"), "sf": _range_function("sf"), "pdf": _range_function("pdf")},
    munp=lambda n, many, df: _range_raw(n, many, df),
)

# ------------------------------------------------------------------------------------------ stable distributions


def _stable_integral(table: Any, g: Any, f: Any, length: Any, rising: Any) -> Any:
    """The integral of `f(g(u, v))` over angles: u from the right end, v from the left one, which are `length` apart.

    Each half is seen from its own end, where angles have all their digits, in parts that meet where g is 0; g is
    monotone.
    """
    half = length / 2
    falling = k.logical_not(rising)

    def right(u: Any) -> Any:
        return g(u, length - u)

    def left(v: Any) -> Any:
        return g(length - v, v)

    total = k.value(0.0)
    for side, down in ((right, rising), (left, falling)):
        start = k.value(0.0)
        # The integrand changes where g is near 0, which may be a tiny part of the interval.
        for level in (3.0, 0.0, -5.0, -30.0) if side is right else (-30.0, -5.0, 0.0, 3.0):
            stop = _crossing(side, level, down, half)
            total += k.where(stop > start, between(table, lambda t, side=side: f(side(t)), start, stop, 1.0), 0.0)
            start = k.maximum(start, stop)
        total += between(table, lambda t, side=side: f(side(t)), start, half, 1.0)
    return total


def _crossing(side: Any, level: float, down: Any, half: Any) -> Any:
    return root(lambda t: k.where(down, side(t) <= level, side(t) >= level), k.value(1e-300), half)


def _stable_term(kind: str) -> Any:
    def term(g: Any) -> Any:
        g = k.minimum(g, 700.0)
        if kind == "pdf":
            return k.exp(g - k.exp(g))
        if kind == "large":
            return -k.expm1(-k.exp(g))
        return k.exp(-k.exp(g))

    return term


def _stable_log_g(y: Any, alpha: Any, beta: Any) -> tuple[Any, Any]:
    """The logarithm of Nolan's g for `alpha != 1` at `y > 0`, and the length of the interval of angles."""
    tangent = beta * k.tan(np.pi * alpha / 2)
    xi = k.arctan(tangent) / alpha
    length = np.pi / 2 + xi
    start = -0.5 * k.log1p(tangent * tangent) / (alpha - 1) + alpha / (alpha - 1) * k.log(y)
    power = alpha / (alpha - 1)

    def log_g(u: Any, v: Any) -> Any:
        cosine = k.log(k.maximum(k.sin(u), 1e-300))
        inside = k.log(k.maximum(k.sin(alpha * v), 1e-300))
        last = k.log(k.maximum(k.cos(alpha * v - np.pi / 2 + u), 1e-300))
        return start + power * (cosine - inside) + last - cosine

    return log_g, length


@k.function
def _stable_positive(table: Any, y: Any, alpha: Any, beta: Any, kind: str) -> Any:
    """The integral of a density or tail at `y > 0` for `alpha != 1` (Nolan 1997)."""
    log_g, length = _stable_log_g(y, alpha, beta)
    return _stable_integral(table, log_g, _stable_term(kind), length, alpha < 1)


@k.function
def _stable_one(table: Any, x: Any, beta: Any, kind: str) -> Any:
    """The integral for `alpha = 1` and `beta > 0`."""

    def log_g(u: Any, v: Any) -> Any:
        # `pi/2 + beta * angle`, from the left end.
        inside = np.pi / 2 * (1 - beta) + beta * v
        # The sine of either: they add up to pi.
        cosine = k.log(k.maximum(k.sin(k.minimum(u, v)), 1e-300))
        slope = k.where(v < u, -k.cos(v) / k.maximum(k.sin(v), 1e-300), k.cos(u) / k.maximum(k.sin(u), 1e-300))
        value = np.log(2 / np.pi) + k.log(k.maximum(inside, 1e-300)) - cosine + inside * slope / beta
        return value - np.pi * x / (2 * beta)

    return _stable_integral(table, log_g, _stable_term(kind), k.value(np.pi), k.value(True))


@k.function
def _stable_tail(table: Any, x: Any, alpha: Any, beta: Any, upper: bool) -> Any:
    result = k.value(0.0)
    if alpha == 2.0:
        result = k.ndtr((-x if upper else x) / SQRT2)
    elif alpha == 1.0:
        if beta == 0.0:
            result = k.arctan2(1.0, x if upper else -x) / np.pi
        elif beta > 0.0 if upper else beta < 0.0:
            result = _stable_one(table, k.where(beta > 0, x, -x), abs(beta), "large") / np.pi
        else:
            result = _stable_one(table, k.where(beta > 0, x, -x), abs(beta), "small") / np.pi
    else:
        xi = k.arctan(beta * k.tan(np.pi * alpha / 2)) / alpha
        # Of the mirrored distribution on the left.
        left = x < 0
        side = k.where(left, -beta, beta)
        above = k.where(left, not upper, upper)
        turned = k.where(left, -xi, xi)
        y = k.maximum(abs(x), 1e-300)
        if alpha > 1:
            small = _stable_positive(table, y, alpha, side, "small") / np.pi
            result = k.where(above, small, 1 - small)
        elif above:
            result = _stable_positive(table, y, alpha, side, "large") / np.pi
        else:
            result = 0.5 - turned / np.pi + _stable_positive(table, y, alpha, side, "small") / np.pi
    return k.minimum(k.maximum(result, 0.0), 1.0)


@k.function
def _stable_pdf(table: Any, x: Any, alpha: Any, beta: Any) -> Any:
    result = k.value(0.0)
    if alpha == 2.0:
        result = k.exp(-x * x / 4) / (2 * SQRT_PI)
    elif alpha == 1.0:
        if beta == 0.0:
            result = 1 / (np.pi * (1 + x * x))
        else:
            result = _stable_one(table, k.where(beta > 0, x, -x), abs(beta), "pdf") / (2 * abs(beta))
    else:
        tangent = beta * k.tan(np.pi * alpha / 2)
        xi = k.arctan(tangent) / alpha
        at_zero = k.gamma(1 + 1 / alpha) * k.cos(xi) / np.pi * k.exp(-k.log1p(tangent * tangent) / (2 * alpha))
        y = abs(x)
        side = k.where(x < 0, -beta, beta)
        part = _stable_positive(table, k.maximum(y, 1e-300), alpha, side, "pdf")
        result = k.where(y < 1e-12, at_zero, alpha * part / (np.pi * abs(alpha - 1) * k.maximum(y, 1e-300)))
    return result


SQRT_PI = np.sqrt(np.pi)


@k.function
def _stable_cdf(table: Any, x: Any, alpha: Any, beta: Any) -> Any:
    return _stable_tail(table, x, alpha, beta, False)


@k.function
def _stable_sf(table: Any, x: Any, alpha: Any, beta: Any) -> Any:
    return _stable_tail(table, x, alpha, beta, True)


def _stable_rvs(alpha: Any, beta: Any, size: Any, random_state: Any) -> Any:
    """Chambers, Mallows and Stuck (1976)."""
    angle = np.pi * (random_state.uniform(size=size) - 0.5)
    w = random_state.standard_exponential(size=size)
    tangent = beta * tan(np.pi * alpha / 2)
    xi = arctan(tangent) / alpha
    inside = alpha * (angle + xi)
    general = (
        exp(log1p(tangent * tangent) / (2 * alpha))
        * sin(inside)
        / cos(angle) ** (1 / alpha)
        * (cos(angle - inside) / w) ** ((1 - alpha) / alpha)
    )
    turned = np.pi / 2 + beta * angle
    one = 2 / np.pi * (turned * tan(angle) - beta * log(np.pi / 2 * w * cos(angle) / turned))
    return where(alpha == 1, one, general)


_row(
    "levy_stable",
    "alpha, beta",
    "1.8, -0.5",
    lambda alpha, beta: (
        where(logical_and(alpha < 1, beta == 1), 0.0, -INF) + 0 * alpha,
        where(logical_and(alpha < 1, beta == -1), 0.0, INF) + 0 * alpha,
    ),
    argcheck=lambda alpha, beta: both(alpha > 0, alpha <= 2, beta >= -1, beta <= 1),
    inner={"cdf": _stable_cdf, "sf": _stable_sf, "pdf": _stable_pdf},
    stats=lambda alpha, beta: (
        where(alpha > 1, 0.0, NAN) + 0 * beta,
        where(alpha == 2, 2.0, INF) + 0 * beta,
        where(alpha == 2, 0.0, NAN) + 0 * beta,
        where(alpha == 2, 0.0, NAN) + 0 * beta,
    ),
    rvs=_stable_rvs,
)


def _landau(f: Any) -> Any:
    return lambda table, x: f(table, x, k.value(1.0), k.value(1.0))


_row(
    "landau",
    inner={"cdf": _landau(_stable_cdf), "sf": _landau(_stable_sf), "pdf": _landau(_stable_pdf)},
    stats=lambda: (NAN, NAN, NAN, NAN),
    munp=lambda n: np.float64(1) if n == 0 else NAN,
    entropy=lambda: 2.37263644000448182,
    rvs=lambda size, random_state: _stable_rvs(np.float64(1), np.float64(1), size, random_state),
)

# ------------------------------------------------------------------------------------------ others


def _log1p_square(t: Any) -> Any:
    """`log(1 + t**2)` without overflow."""
    return where(abs(t) > 1e100, 2 * log(abs(t)), log1p(t * t))


def _bw_factor(rho: Any) -> Any:
    r = sqrt(1 + 1 / (rho * rho))
    return log(2 / np.pi * sqrt(2 * r * r / (1 + r)))


_row(
    "rel_breitwigner",
    "rho",
    "36.5",
    (0, INF),
    constants=lambda rho: (_bw_factor(rho),),
    logpdf=lambda x, rho, c: c - _log1p_square((x - rho) * ((x + rho) / rho)),
    centre=lambda rho, c: rho,
    spread=lambda rho, c: minimum(rho, 0.5),
    munp=lambda n, rho: _bw_raw(n, rho),
    stats=lambda rho: (None, None, NAN * rho, NAN * rho),
)


def _bw_raw(n: int, rho: Any) -> Any:
    r = sqrt(1 + 1 / (rho * rho))
    if n == 1:
        return sqrt(2 * r * r / (1 + r)) / np.pi * rho * (np.pi / 2 + arctan(rho))
    if n == 2:
        # The real part of `(1 - i*rho) / sqrt(-1 - i/rho)`.
        size = sqrt(r)
        half = 0.5 * (arctan(1 / rho) - np.pi)
        return sqrt(r * r / (2 * (1 + r))) * rho * 2 * (cos(half) - rho * sin(half)) / size * 1.0
    return INF if n > 2 else np.float64(1)


def _p3(skew: Any) -> tuple[Any, Any, Any, Any]:
    normal = abs(skew) < 1.6e-5
    s = where(normal, 1.0, skew)
    beta = 2 / s
    return normal, beta * beta, beta, s


def _p3_logpdf(x: Any, skew: Any) -> Any:
    normal, alpha, beta, s = _p3(skew)
    y = beta * (x + 2 / s)
    inside = where(y > 0, xlogy(alpha - 1, maximum(y, 0.0)) - y - gammaln(alpha), -INF)
    return where(normal, norm_logpdf(x), log(abs(beta)) + inside)


def _p3_tail(x: Any, skew: Any, upper: bool) -> Any:
    normal, alpha, beta, s = _p3(skew)
    y = maximum(beta * (x + 2 / s), 0.0)
    lower = (skew > 0) if not upper else (skew < 0)
    return where(normal, ndtr(-x if upper else x), where(lower, gammainc(alpha, y), gammaincc(alpha, y)))


def _p3_inverse(q: Any, skew: Any, upper: bool) -> Any:
    normal, alpha, beta, s = _p3(skew)
    lower = (skew > 0) if not upper else (skew < 0)
    y = where(lower, gammaincinv(alpha, q), gammainccinv(alpha, q))
    return where(normal, -ndtri(q) if upper else ndtri(q), y / beta - 2 / s)


_row(
    "pearson3",
    "skew",
    "0.1",
    argcheck=lambda skew: isfinite(skew),
    logpdf=_p3_logpdf,
    cdf=lambda x, skew: _p3_tail(x, skew, False),
    sf=lambda x, skew: _p3_tail(x, skew, True),
    ppf=lambda q, skew: _p3_inverse(q, skew, False),
    isf=lambda q, skew: _p3_inverse(q, skew, True),
    stats=lambda skew: (0.0 * skew, 1 + 0.0 * skew, skew, 1.5 * skew * skew),
    rvs=lambda skew, size, random_state: _p3_rvs(skew, size, random_state),
)


def _p3_rvs(skew: Any, size: Any, random_state: Any) -> Any:
    normal, alpha, beta, s = _p3(skew)
    return where(normal, random_state.normal(size=size), random_state.standard_gamma(alpha, size=size) / beta - 2 / s)


def _tukey_ppf(q: Any, lam: Any) -> Any:
    a, b = log(q), log1p(-q)
    near = abs(lam) < 1e-8
    safe = where(near, 1.0, lam)
    return where(near, a - b, (expm1(safe * a) - expm1(safe * b)) / safe)


def _tukey_end(lam: Any) -> Any:
    return where(lam > 0, 1 / maximum(lam, 1e-300), INF)


@k.function
def _tukey_cdf(table: Any, x: Any, lam: Any) -> Any:
    return k.where(abs(x) >= _tukey_end(lam), k.where(x < 0, 0.0, 1.0), _tukey_middle(x, lam))


@k.function
def _tukey_middle(x: Any, lam: Any) -> Any:
    """The share at a point: that of the nearer end, which has all its digits."""
    share = root(lambda q: _tukey_ppf(q, lam) >= -abs(x), k.value(0.0), k.value(0.5))
    return k.where(x < 0, share, 1 - share)


@k.function
def _tukey_sf(table: Any, x: Any, lam: Any) -> Any:
    return _tukey_cdf(table, -x, lam)


@k.function
def _tukey_pdf(table: Any, x: Any, lam: Any) -> Any:
    q = _tukey_middle(-abs(x), lam)
    return 1 / (k.exp((lam - 1) * k.log(q)) + k.exp((lam - 1) * k.log1p(-q)))


def _tukey_stats(lam: Any) -> tuple[Any, ...]:
    near = abs(lam) < 0.02
    y = where(near, 1.0, lam)

    def b(m: Any, n: Any) -> Any:
        return beta_(m * y + 1, n * y + 1)

    v = 2 / (y * y) * (1 / (2 * y + 1) - b(1, 1))
    fourth = (2 / (4 * y + 1) - 8 * b(3, 1) + 6 * b(2, 2)) / y**4
    kurtosis = fourth / (v * v) - 3
    # About 0, where the terms cancel: Taylor's polynomials of both.
    p_v = _polynomial(lam, _TUKEY_V)
    p_k = _polynomial(lam, _TUKEY_K)
    v = where(near, p_v, v)
    v = where(lam < -0.5, NAN, where(lam == -0.5, INF, v))
    kurtosis = where(lam < -0.25, NAN, where(lam == -0.25, INF, where(near, p_k, kurtosis)))
    return 0.0 * lam, v, 0.0 * lam, kurtosis


def _polynomial(x: Any, coefficients: Any) -> Any:
    value: Any = 0.0
    for c in reversed(coefficients):
        value = value * x + c
    return value


# Taylor's coefficients of variance and kurtosis about 0 (mpmath, 60 digits).
_TUKEY_V = (
    3.289868133696453,
    -11.387963880031283,
    27.646382311762686,
    -59.82668028405663,
    123.91986011147516,
    -251.96303370635772,
    507.98261521905386,
    -1019.9916510164344,
    2043.995928246521,
    -4091.997994857436,
    8187.9990068062525,
)
_TUKEY_K = (
    1.2,
    -14.458844170399813,
    65.47312417972091,
    -282.3459363246929,
    1189.9528355138798,
    -4940.792976352238,
    20305.758915142807,
    -82850.43619257024,
    336283.4819585377,
    -1359778.49489533,
    5483046.741371222,
)

_row(
    "tukeylambda",
    "lam",
    "3.13",
    lambda lam: (-_tukey_end(lam), _tukey_end(lam)),
    argcheck=lambda lam: isfinite(lam),
    ppf=_tukey_ppf,
    isf=lambda q, lam: -_tukey_ppf(q, lam),
    inner={"cdf": _tukey_cdf, "sf": _tukey_sf, "pdf": _tukey_pdf},
    stats=_tukey_stats,
)


# ------------------------------------------------------------------------------------------ Kolmogorov's distributions


@k.function
def _kolmogorov_lower(x: Any) -> Any:
    """The lower tail: Jacobi's series where x is small, the other one elsewhere."""
    small = k.value(0.0)
    u = -np.pi * np.pi / (8 * k.maximum(x, 1e-3) ** 2)
    for j in range(4):
        small += k.exp(u * (2 * j + 1) ** 2)
    small *= SQRT2PI / k.maximum(x, 1e-3)
    return k.where(x < 0.03, 0.0, k.where(x < 0.82, small, 1 - k.kolmogorov(x)))


@k.function
def _kolmogorov_density(x: Any) -> Any:
    y = k.maximum(x, 0.03)
    u = -np.pi * np.pi / (8 * y * y)
    small, large = k.value(0.0), k.value(0.0)
    for j in range(5):
        odd = (2 * j + 1) ** 2
        small += k.exp(u * odd) * (np.pi * np.pi * odd / (4 * y**4) - 1 / (y * y))
        n = j + 1
        large += (1 if j % 2 == 0 else -1) * n * n * k.exp(-2.0 * n * n * y * y)
    return k.where(x < 0.03, 0.0, k.where(x < 0.82, SQRT2PI * small, 8 * y * large))


_row(
    "kstwobign",
    "",
    "",
    (0, INF),
    sf=lambda x: kolmogorov(x),
    inner={"cdf": lambda table, x: _kolmogorov_lower(x), "pdf": lambda table, x: _kolmogorov_density(x)},
    stats=lambda: (
        np.sqrt(np.pi / 2) * np.log(2),
        np.pi**2 / 12 - np.pi / 2 * np.log(2) ** 2,
        None,
        None,
    ),
)


@k.function
def _smirnov(x: Any, n: Any, slope: bool) -> Any:
    """The upper tail of Smirnov's statistic, or minus its slope: a sum of positive terms."""
    x = k.minimum(k.maximum(x, 0.0), 1.0)
    total = n * k.exp((n - 1) * k.log1p(-x)) if slope else k.exp(n * k.log1p(-x))
    j, log_binomial = k.value(1.0), k.log(n)
    while j <= k.minimum(k.floor(n * (1 - x)), 1e6):
        a, b = x + j / n, k.maximum(1 - x - j / n, 0.0)
        log_term = log_binomial + (j - 1) * k.log(a) + k.where(n == j, 0.0, (n - j) * k.log1p(-k.minimum(a, 1.0)))
        term = k.where((b > 0) | (n == j), k.exp(log_term), 0.0)
        if slope:
            rate = 1 + x * ((j - 1) / a - k.where(n == j, 0.0, (n - j) / k.maximum(b, 1e-300)))
            total -= term * rate
        else:
            total += term * x
        log_binomial += k.log((n - j) / (j + 1))
        j += 1.0
    return total


def _smirnov_sf(table: Any, x: Any, n: Any) -> Any:
    # Below `1/n` the other tail is one term.
    below = 1 - _smirnov_least(x, n)
    return k.where(x <= 0, 1.0, k.where(x >= 1, 0.0, k.where(x < 1 / n, below, k.minimum(_smirnov(x, n, False), 1.0))))


def _smirnov_least(x: Any, n: Any) -> Any:
    return x * k.exp((n - 1) * k.log1p(k.maximum(x, 0.0)))


def _smirnov_cdf(table: Any, x: Any, n: Any) -> Any:
    return k.where(x < 1 / n, _smirnov_least(k.maximum(x, 0.0), n), 1 - _smirnov_sf(table, x, n))


def _smirnov_pdf(table: Any, x: Any, n: Any) -> Any:
    least = k.exp((n - 2) * k.log1p(k.maximum(x, 0.0))) * (1 + n * x)
    return k.where(x < 1 / n, least, _smirnov(x, n, True))


_row(
    "ksone",
    "n",
    "1000",
    (0, 1),
    argcheck=lambda n: both(n >= 1, n == floor(n)),
    inner={"cdf": _smirnov_cdf, "sf": _smirnov_sf, "pdf": _smirnov_pdf},
)


@k.function
def _pomeranz(x: Any, n: Any) -> Any:
    """The distribution of the two-sided statistic by Pomeranz's recursion (1974), scaled by `exp(-1/2)` a step."""
    t = n * x
    whole = k.floor(t)
    part = t - whole
    small = part <= 0.5
    twice = k.ceil(2 * part)
    g = k.where(small, part, 1 - part)
    old, new = k.local_array(256), k.local_array(256)
    old[0] = 1.0
    before, low_old, high_old = k.value(0.0), k.value(1.0), k.value(1.0)
    i, last = k.value(2.0), 2 * n + 2
    while i <= last:
        half = k.floor(i / 2)
        even = i - 2 * half == 0
        # Points 0, g, 1 - g, 1, 1 + g, ...
        point = k.where(i >= last, n, k.where(even, half - 1 + g, half - g))
        # `floor(point - t)` and `ceil(point + t)`: one of both is of a whole number, which rounding must not move.
        whole_below = even == small
        below = k.where(whole_below, half - 1 - whole, half - whole - twice)
        above = k.where(whole_below, half - 1 + whole + twice, half + whole)
        low, high = k.maximum(below + 2, 1.0), k.minimum(above, n + 1)
        low, high = k.where(i >= last, n + 1, low), k.where(i >= last, n + 1, high)
        gap = point - before
        j = low
        while j <= high:
            start = k.maximum(low_old, k.maximum(j - 200, 1.0))
            m = k.minimum(high_old, j)
            total = k.value(0.0)
            # `gap**p / p!` from the nearest point on.
            p = k.value(0.0)
            power = k.value(1.0)
            while p < j - m:
                p += 1.0
                power *= gap / p
            while m >= start:
                total += power * old[(m - low_old).astype(np.int64)]
                p += 1.0
                power *= gap / p
                m -= 1.0
            new[(j - low).astype(np.int64)] = total * np.exp(-0.5)
            j += 1.0
        j = low
        while j <= high:
            old[(j - low).astype(np.int64)] = new[(j - low).astype(np.int64)]
            j += 1.0
        low_old, high_old, before = low, high, point
        i += 1.0
    return old[0] * k.exp(k.gammaln(n + 1) - n * k.log(n) + (2 * n + 1) / 2)


@k.function
def _pelz_good(x: Any, n: Any) -> Any:
    """The limiting distribution with terms to the order `n**-1.5` (Pelz and Good 1976)."""
    z = k.sqrt(n) * x
    z2 = z * z
    z4, z6 = z2 * z2, z2 * z2 * z2
    one, two, three = k.value(0.0), k.value(0.0), k.value(0.0)
    for j in range(8):
        a = np.pi**2 * (j + 0.5) ** 2
        weight = 2 * k.exp(-a / (2 * z2))
        one += weight * (a - z2)
        two += weight * ((6 * z6 + 2 * z4) + a * (2 * z4 - 5 * z2) + a * a * (1 - 2 * z2))
        third = a**3 * (5 - 30 * z2) + a * a * (212 * z4 - 60 * z2) + a * (135 * z4 - 96 * z6)
        three += weight * (third - 30 * z6 - 90 * z4 * z4)
    fourth, fifth = k.value(0.0), k.value(0.0)
    for j in range(1, 8):
        a = np.pi**2 * j**2
        weight = 2 * k.exp(-a / (2 * z2))
        fourth += weight * a
        fifth += weight * (3 * a * z2 - a * a)
    half = np.sqrt(np.pi / 2)
    k1 = half / (6 * z4) * one
    k2 = half / (72 * z6 * z) * two - half / (36 * z2 * z) * fourth
    k3 = half / (6480 * z6 * z4) * three + half / (108 * z6) * fifth
    return _kolmogorov_lower(z) + k1 / k.sqrt(n) + k2 / n + k3 / (n * k.sqrt(n))


@k.function
def _kstwo_cdf(table: Any, x: Any, n: Any) -> Any:
    t = n * x
    result = k.value(0.0)
    if t <= 0.5:
        result = k.value(0.0)
    elif t <= 1.0:
        # Ruben and Gambino (1982): the statistic is least where the sample is evenly spread.
        result = k.exp(k.gammaln(n + 1) + n * k.log(2 * x - 1 / n))
    elif x >= 0.5 or n * x * x > 4.0:
        result = 1 - 2 * _smirnov_sf(table, x, n)
    elif n <= 3000 and t < 110:
        result = _pomeranz(x, n)
    else:
        result = _pelz_good(x, n)
    return k.minimum(k.maximum(result, 0.0), 1.0)


@k.function
def _kstwo_sf(table: Any, x: Any, n: Any) -> Any:
    result = k.value(1.0)
    if x >= 0.5 or n * x * x > 4.0:
        result = 2 * _smirnov_sf(table, x, n)
    else:
        result = 1 - _kstwo_cdf(table, x, n)
    return k.minimum(k.maximum(result, 0.0), 1.0)


@k.function
def _kstwo_pdf(table: Any, x: Any, n: Any) -> Any:
    """The slope: of the tail where that has a formula, else differences of the distribution."""
    t = n * x
    result = k.value(0.0)
    if x >= 0.5 or n * x * x > 4.0:
        result = 2 * _smirnov_pdf(table, x, n)
    elif t > 0.5 and t <= 1.0:
        result = 2 * n * k.exp(k.gammaln(n + 1) + (n - 1) * k.log(2 * x - 1 / n))
    elif t > 1.0:
        h = 1e-4 / k.maximum(k.sqrt(n), 1.0)
        near = _kstwo_cdf(table, x + h, n) - _kstwo_cdf(table, x - h, n)
        far = _kstwo_cdf(table, x + 2 * h, n) - _kstwo_cdf(table, x - 2 * h, n)
        result = (8 * near - far) / (12 * h)
    return k.maximum(result, 0.0)


@k.kernel
def _kstwo_moment(n: k.Each, order: float, table: k.Array):
    """By parts, since the distribution has digits that its slope has not; in panels, at whose ends it has kinks."""
    n = k.value(n, np.float64)
    low = 0.5 / n
    total = k.exp(order * k.log(low))
    panel, end = k.value(0.0), k.minimum(2 * n - 1, 60.0)
    while panel < end:
        # Halves of 1/n, where the polynomials change, and the rest as one.
        start = low + panel * 0.5 / n
        stop = k.where(panel + 1 >= end, 1.0, start + 0.5 / n)
        term = lambda x: order * k.exp((order - 1) * k.log(x)) * _kstwo_sf(table, x, n)  # noqa: E731
        total += between(table, term, start, stop, 1.0)
        panel += 1.0
    return total


def _kstwo_raw(order: int, n: Any) -> Any:
    return _kstwo_moment(n, float(order), rule())


_row(
    "kstwo",
    "n",
    "10",
    lambda n: (0.5 / n, 1.0 + 0 * n),
    argcheck=lambda n: both(n >= 1, n == floor(n)),
    inner={"cdf": _kstwo_cdf, "sf": _kstwo_sf, "pdf": _kstwo_pdf},
    munp=lambda order, n: _kstwo_raw(order, n),
)
