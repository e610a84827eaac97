"""Continuous distributions of `scipy.stats` from irwinhall to wrapcauchy, out of their definitions."""

from __future__ import annotations

import math
import random

from accuracy.draws import UNIT, between, counts, positive, real
from accuracy.settle import inverse
from accuracy.tables import quadrature
from accuracy.tables.distribution import (
    ONE_,
    POSITIVE,
    WIDE,
    A,
    S,
    bell,
    distribution,
    root2pi,
    sign,
)
from accuracy.tables.gamma import beta, betainc, lower, normal, owens_t, upper
from accuracy.tables.probability import chndtr, kolmogorov, ncfdtr, nctdtr, smirnov, stdtr
from accuracy.tables.series import summed
from flint import acb, arb


def irwinhall(x: arb, n: arb, power: int) -> arb:
    size, total, choose = int(float(n.mid())), arb(0), arb(1)
    for k in range(size + 1):
        if not x > k:
            break
        total += (-1) ** k * choose * (x - k) ** (size - power)
        choose = choose * (size - k) / (k + 1)
    return total * (n - power + 1).rgamma()


distribution(
    "irwinhall",
    lambda x, n: irwinhall(x, n, 1),
    lambda x, n: irwinhall(x, n, 0),
    counts(20, 200, least=2),
    support=lambda n: (0.0, n),
)


def jf_share(x: arb, a: arb, b: arb) -> arb:
    return (1 + x / (a + b + x * x).sqrt()) / 2


def jf_pdf(x: arb, a: arb, b: arb) -> arb:
    y = jf_share(x, a, b)
    return (
        (2 * y) ** (a + arb(0.5))
        * (2 - 2 * y) ** (b + arb(0.5))
        / (arb(2) ** (a + b - 1) * beta(a, b) * (a + b).sqrt())
    )


distribution("jf_skew_t", jf_pdf, lambda x, a, b: betainc(a, b, jf_share(x, a, b)), S, S)
distribution(
    "johnsonsb",
    lambda x, a, b: b / (x * (1 - x)) * bell(a + b * (x / (1 - x)).log()),
    lambda x, a, b: normal(a + b * (x / (1 - x)).log()),
    A,
    S,
    support=ONE_,
)
distribution(
    "johnsonsu",
    lambda x, a, b: b / (x * x + 1).sqrt() * bell(a + b * x.asinh()),
    lambda x, a, b: normal(a + b * x.asinh()),
    A,
    S,
)
distribution(
    "kappa3",
    lambda x, a: a * (a + x**a) ** (-(a + 1) / a),
    lambda x, a: x * (a + x**a) ** (-1 / a),
    S,
    support=POSITIVE,
)


def kappa4_cdf(x: arb, h: arb, k: arb) -> arb:
    return (1 - h * (1 - k * x) ** (1 / k)) ** (1 / h)


def kappa4_support(h: float, k: float) -> tuple[float, float]:
    low = (1 - h**-k) / k if h > 0 else (1 / k if k < 0 else -math.inf)
    return low, 1 / k if k > 0 else math.inf


distribution(
    "kappa4",
    lambda x, h, k: (1 - k * x) ** (1 / k - 1) * kappa4_cdf(x, h, k) ** (1 - h),
    kappa4_cdf,
    A,
    A,
    support=kappa4_support,
)


def ksone_pdf(x: arb, n: arb) -> arb:
    size = int(float(n.mid()))
    total, choose = arb(0), arb(1)
    for j in range(size + 1):
        left, right = x + arb(j) / n, 1 - x - arb(j) / n
        if not right > 0:
            break
        slope = left ** (j - 1) * right ** (size - j) + x * (j - 1) * left ** (j - 2) * right ** (size - j)
        total += choose * (slope - x * (size - j) * left ** (j - 1) * right ** (size - j - 1))
        choose = choose * (size - j) / (j + 1)
    return -total


distribution(
    "ksone",
    ksone_pdf,
    lambda x, n: 1 - smirnov(n, x),
    counts(40, 300, least=2),
    sf=lambda x, n: smirnov(n, x),
    support=ONE_,
)
distribution(
    "kstwobign",
    lambda x: 8 * x * summed(lambda k, _: arb(0) if k == 0 else (-1) ** (k - 1) * k * k * (-2 * (k * x) ** 2).exp()),
    lambda x: 1 - kolmogorov(x),
    sf=kolmogorov,
    support=lambda: (0.03, 30.0),
    places=lambda s: 10.0 ** s.uniform(-0.8, 0.6),
)


def landau(x: arb, power: int) -> arb:
    """The stable distribution of exponent and skewness 1 out of the density of physics, on another scale."""
    half = arb.pi() / 2
    place = half * x + half.log()
    wave = quadrature.beyond(lambda t, _: (-t * t.log() - place * t).exp() * (arb.pi() * t).sin() / t**power, arb(0))
    return wave / arb.pi() * (half if power == 0 else 1)


distribution(
    "landau",
    lambda x: landau(x, 0),
    lambda x: 1 - landau(x, 1),
    sf=lambda x: landau(x, 1),
    places=lambda s: s.choice((s.uniform(-3, 3), 10.0 ** s.uniform(0, 6))),
    weight=0.3,
)


def stable(x: arb, a: arb, b: arb, power: int) -> arb:
    slope = b * (arb.pi() * a / 2).tan()
    wave = (lambda y: y.cos()) if power == 0 else (lambda y: y.sin())
    return quadrature.beyond(lambda t, _: (-(t**a)).exp() * wave(t * x - slope * t**a) / t**power, arb(0)) / arb.pi()


distribution(
    "levy_stable",
    lambda x, a, b: stable(x, a, b, 0),
    lambda x, a, b: arb(0.5) + stable(x, a, b, 1),
    shapes=lambda region, s: (s.choice((s.uniform(1.1, 1.99), s.uniform(0.7, 0.9))), s.uniform(-1, 1)),
    places=lambda s: s.uniform(-5, 5),
    weight=0.15,
    roots=False,
)
distribution("laplace", lambda x: (-abs(x)).exp() / 2, lambda x: x.exp() / 2 if x < 0 else 1 - (-x).exp() / 2)
distribution(
    "laplace_asymmetric",
    lambda x, k: (-x * k if x > 0 else x / k).exp() / (k + 1 / k),
    lambda x, k: k * (x / k).exp() / (k + 1 / k) if x < 0 else 1 - (-x * k).exp() / (k * (k + 1 / k)),
    S,
)
distribution(
    "levy",
    lambda x: (-1 / (2 * x)).exp() / (root2pi() * x * x.sqrt()),
    lambda x: (1 / (2 * x)).sqrt().erfc(),
    support=POSITIVE,
)
distribution(
    "levy_l",
    lambda x: (1 / (2 * x)).exp() / (root2pi() * -x * (-x).sqrt()),
    lambda x: (-1 / (2 * x)).sqrt().erf(),
    support=lambda: (-math.inf, 0.0),
)
distribution("loggamma", lambda x, c: (c * x - x.exp()).exp() * c.rgamma(), lambda x, c: lower(c, x.exp()), S)
distribution("logistic", lambda x: (-x).exp() / (1 + (-x).exp()) ** 2, lambda x: 1 / (1 + (-x).exp()))
distribution(
    "loglaplace",
    lambda x, c: c / 2 * x ** (c - 1 if x < 1 else -c - 1),
    lambda x, c: x**c / 2 if x < 1 else 1 - x**-c / 2,
    S,
    support=POSITIVE,
)


def ends(region: str, source: random.Random) -> tuple[float, float]:
    low = 10.0 ** source.uniform(-2, 1) if region != WIDE else 10.0 ** source.uniform(-100, 100)
    return low, low * (1 + 10.0 ** source.uniform(-1, 3))


for name in ("loguniform", "reciprocal"):
    distribution(
        name,
        lambda x, a, b: 1 / (x * (b / a).log()),
        lambda x, a, b: (x / a).log() / (b / a).log(),
        shapes=ends,
        support=lambda a, b: (a, b),
    )
distribution("lomax", lambda x, c: c * (1 + x) ** (-c - 1), lambda x, c: 1 - (1 + x) ** -c, S, support=POSITIVE)
distribution("maxwell", lambda x: 2 * x * x * bell(x), lambda x: lower(arb(1.5), x * x / 2), support=POSITIVE)
distribution(
    "mielke",
    lambda x, k, s: k * x ** (k - 1) / (1 + x**s) ** (1 + k / s),
    lambda x, k, s: x**k / (1 + x**s) ** (k / s),
    S,
    S,
    support=POSITIVE,
)
distribution(
    "moyal", lambda x: (-(x + (-x).exp()) / 2).exp() / root2pi(), lambda x: ((-x / 2).exp() / arb(2).sqrt()).erfc()
)
distribution(
    "nakagami",
    lambda x, n: 2 * n**n * n.rgamma() * x ** (2 * n - 1) * (-n * x * x).exp(),
    lambda x, n: lower(n, n * x * x),
    S,
    support=POSITIVE,
)
NC = positive(low=-1, high=1, smallest=-3, largest=2)
DF = positive(low=-0.3, high=1, smallest=-1, largest=2)


def ncf_pdf(x: arb, a: arb, b: arb, nc: arb) -> arb:
    """Poisson's mixture: its terms are those of a confluent function."""
    y = a * x / b
    share = y / (1 + y)
    central = a / b * y ** (a / 2 - 1) * (1 + y) ** (-(a + b) / 2) / beta(a / 2, b / 2)
    return central * (-nc / 2).exp() * (nc / 2 * share).hypgeom_1f1((a + b) / 2, a / 2)


distribution("ncf", ncf_pdf, lambda x, a, b, nc: ncfdtr(a, b, nc, x), DF, DF, NC, support=POSITIVE, weight=0.3)


def nct_pdf(t: arb, df: arb, nc: arb) -> arb:
    base, z = df + t * t, nc * nc * t * t / (2 * (df + t * t))
    first = arb(2).sqrt() * nc * t * z.hypgeom_1f1(df / 2 + 1, arb(1.5)) / base * ((df + 1) / 2).rgamma()
    second = z.hypgeom_1f1((df + 1) / 2, arb(0.5)) / base.sqrt() * (df / 2 + 1).rgamma()
    return (
        df ** (df / 2)
        * (df + 1).gamma()
        * arb(2) ** -df
        * (-nc * nc / 2).exp()
        * base ** (-df / 2)
        * (df / 2).rgamma()
        * (first + second)
    )


distribution(
    "nct",
    nct_pdf,
    lambda t, df, nc: nctdtr(df, nc, t),
    DF,
    real(low=-1, high=0.5, smallest=-3, largest=1, whole=5),
    weight=0.3,
)


def ncx2_pdf(x: arb, df: arb, nc: arb) -> arb:
    return (-(x + nc) / 2).exp() / 2 * (x / nc) ** (df / 4 - arb(0.5)) * (nc * x).sqrt().bessel_i(df / 2 - 1)


distribution("ncx2", ncx2_pdf, chndtr, DF, NC, support=POSITIVE, weight=0.3)
distribution("norm", bell, normal)
distribution("pareto", lambda x, b: b * x ** (-b - 1), lambda x, b: 1 - x**-b, S, support=lambda b: (1.0, math.inf))


def pearson3_pdf(x: arb, skew: arb) -> arb:
    a, b = 4 / skew**2, 2 / skew
    y = b * (x + b)
    return abs(b) * a.rgamma() * y ** (a - 1) * (-y).exp()


def pearson3_cdf(x: arb, skew: arb) -> arb:
    a, b = 4 / skew**2, 2 / skew
    return (lower if skew > 0 else upper)(a, b * (x + b))


distribution(
    "pearson3",
    pearson3_pdf,
    pearson3_cdf,
    real(low=-1, high=0.7, smallest=-1.5, largest=1.5),
    support=lambda s: (-2 / s, math.inf) if s > 0 else (-math.inf, -2 / s),
)
distribution("powerlaw", lambda x, a: a * x ** (a - 1), lambda x, a: x**a, S, support=ONE_)
distribution(
    "powerlognorm",
    lambda x, c, s: c / (x * s) * bell(x.log() / s) * normal(-x.log() / s) ** (c - 1),
    lambda x, c, s: 1 - normal(-x.log() / s) ** c,
    S,
    S,
    support=POSITIVE,
)
distribution("powernorm", lambda x, c: c * bell(x) * normal(-x) ** (c - 1), lambda x, c: 1 - normal(-x) ** c, S)
distribution("rayleigh", lambda x: x * (-x * x / 2).exp(), lambda x: -(-x * x / 2).expm1(), support=POSITIVE)
distribution(
    "rdist",
    lambda x, c: (1 - x * x) ** (c / 2 - 1) / beta(arb(0.5), c / 2),
    lambda x, c: betainc(c / 2, c / 2, (1 + x) / 2),
    S,
    support=lambda c: (-1.0, 1.0),
)


def breit_scale(r: arb) -> arb:
    size = (r * r * (r * r + 1)).sqrt()
    return 2 * arb(2).sqrt() * r * size / (arb.pi() * (r * r + size).sqrt())


def breit_cdf(x: arb, r: arb) -> arb:
    """By partial fractions: the imaginary part of the integral of 1 / (x^2 - r^2 - i r)."""
    w = acb(r * r, r).sqrt()
    return -breit_scale(r) / r * ((acb(x) / w).atanh() / w).imag


distribution(
    "rel_breitwigner", lambda x, r: breit_scale(r) / ((x * x - r * r) ** 2 + r * r), breit_cdf, S, support=POSITIVE
)
distribution(
    "rice",
    lambda x, b: x * (-(x * x + b * b) / 2).exp() * (x * b).bessel_i(0),
    lambda x, b: chndtr(x * x, arb(2), b * b),
    positive(low=-1, high=0.7, smallest=-2, largest=1.2),
    support=POSITIVE,
    weight=0.3,
)
distribution(
    "semicircular",
    lambda x: 2 / arb.pi() * (1 - x * x).sqrt(),
    lambda x: arb(0.5) + (x * (1 - x * x).sqrt() + x.asin()) / arb.pi(),
    support=lambda: (-1.0, 1.0),
)
TILT = between(-1.0, 1.0)
distribution(
    "skewcauchy",
    lambda x, a: 1 / (arb.pi() * ((x / (1 + a * sign(x))) ** 2 + 1)),
    lambda x, a: (1 - a) / 2 + (1 + a * sign(x)) / arb.pi() * (x / (1 + a * sign(x))).atan(),
    TILT,
)
distribution(
    "skewnorm",
    lambda x, a: 2 * bell(x) * normal(a * x),
    lambda x, a: normal(x) - 2 * owens_t(x, a),
    real(low=-1, high=0.7, smallest=-2, largest=1),
    weight=0.3,
)
distribution(
    "t",
    lambda x, v: (1 + x * x / v) ** (-(v + 1) / 2) / (v.sqrt() * beta(v / 2, arb(0.5))),
    lambda x, v: stdtr(v, x),
    S,
)


def trapezoid_pdf(x: arb, c: arb, d: arb) -> arb:
    return 2 / (1 + d - c) * (x / c if x < c else (1 - x) / (1 - d) if x > d else arb(1))


def trapezoid_cdf(x: arb, c: arb, d: arb) -> arb:
    height = 1 / (1 + d - c)
    return x * x / c * height if x < c else 1 - (1 - x) ** 2 / (1 - d) * height if x > d else (2 * x - c) * height


def corners(region: str, source: random.Random) -> tuple[float, float]:
    low, high = sorted((source.uniform(0, 1), source.uniform(0, 1)))
    return low, high


distribution("trapezoid", trapezoid_pdf, trapezoid_cdf, shapes=corners, support=lambda c, d: (0.0, 1.0))
distribution(
    "triang",
    lambda x, c: 2 * x / c if x < c else 2 * (1 - x) / (1 - c),
    lambda x, c: x * x / c if x < c else 1 - (1 - x) ** 2 / (1 - c),
    UNIT,
    support=ONE_,
)
distribution(
    "truncexpon",
    lambda x, b: (-x).exp() / -(-b).expm1(),
    lambda x, b: (-x).expm1() / (-b).expm1(),
    positive(low=-0.5, high=1, smallest=-3, largest=2.5),
    support=lambda b: (0.0, b),
)


def cut(region: str, source: random.Random) -> tuple[float, float]:
    low = source.uniform(-3, 3) if region != WIDE else source.choice((-1, 1)) * 10.0 ** source.uniform(0, 1.7)
    return low, low + 10.0 ** source.uniform(-1, 1)


def truncated(x: arb, a: arb, b: arb) -> arb:
    return (normal(x) - normal(a)) / (normal(b) - normal(a))


distribution(
    "truncnorm", lambda x, a, b: bell(x) / (normal(b) - normal(a)), truncated, shapes=cut, support=lambda a, b: (a, b)
)
distribution(
    "truncpareto",
    lambda x, b, c: b * x ** (-b - 1) / (1 - c**-b),
    lambda x, b, c: (1 - x**-b) / (1 - c**-b),
    shapes=lambda region, s: (10.0 ** s.uniform(-1, 1 if region != WIDE else 2), 1 + 10.0 ** s.uniform(-1, 2)),
    support=lambda b, c: (1.0, c),
)


def weibull_cut(region: str, source: random.Random) -> tuple[float, float, float]:
    low = source.uniform(0, 2)
    return 10.0 ** source.uniform(-0.5, 0.5 if region != WIDE else 1), low, low + 10.0 ** source.uniform(-1, 0.5)


distribution(
    "truncweibull_min",
    lambda x, c, a, b: c * x ** (c - 1) * (-(x**c)).exp() / ((-(a**c)).exp() - (-(b**c)).exp()),
    lambda x, c, a, b: ((-(a**c)).exp() - (-(x**c)).exp()) / ((-(a**c)).exp() - (-(b**c)).exp()),
    shapes=weibull_cut,
    support=lambda c, a, b: (a, b),
)


def tukey_support(lam: float) -> tuple[float, float]:
    return (-1 / lam, 1 / lam) if lam > 0 else (-math.inf, math.inf)


def tukey_cdf(x: arb, lam: arb) -> arb | None:
    """The root below 1/2 keeps its digits; above it is the complement of the one at -x."""
    found = inverse(lambda q: (q**lam - (1 - q) ** lam) / lam, -abs(x), 5e-324, 1 - 2.0**-53)
    return None if found is None else found if x < 0 else 1 - found


def tukey_pdf(x: arb, lam: arb) -> arb | None:
    q = tukey_cdf(-abs(x), lam)
    return None if q is None else 1 / (q ** (lam - 1) + (1 - q) ** (lam - 1))


distribution(
    "tukeylambda",
    tukey_pdf,
    tukey_cdf,
    real(low=-1, high=0.3, smallest=-3, largest=1),
    sf=lambda x, lam: tukey_cdf(-x, lam),
    support=tukey_support,
    weight=0.4,
    roots=False,
)
distribution("uniform", lambda x: arb(1), lambda x: x, support=ONE_)


def vonmises_cdf(x: arb, k: arb) -> arb:
    waves = summed(lambda j, _: arb(0) if j == 0 else k.bessel_i(j) * (j * x).sin() / j, most=400)
    return arb(0.5) + (x / 2 + waves / k.bessel_i(0)) / arb.pi()


KAPPA = positive(low=-0.5, high=1, smallest=-3, largest=2)
for name in ("vonmises", "vonmises_line"):
    distribution(
        name,
        lambda x, k: (k * x.cos()).exp() / (2 * arb.pi() * k.bessel_i(0)),
        vonmises_cdf,
        KAPPA,
        support=lambda k: (-math.pi, math.pi),
        weight=0.2,
        roots=False,
    )
distribution(
    "weibull_max",
    lambda x, c: c * (-x) ** (c - 1) * (-((-x) ** c)).exp(),
    lambda x, c: (-((-x) ** c)).exp(),
    S,
    support=lambda c: (-math.inf, 0.0),
)
distribution(
    "weibull_min", lambda x, c: c * x ** (c - 1) * (-(x**c)).exp(), lambda x, c: -(-(x**c)).expm1(), S, support=POSITIVE
)


def wrapped_cdf(x: arb, c: arb) -> arb:
    if x < 3:
        return ((1 + c) / (1 - c) * (x / 2).tan()).atan() / arb.pi()
    return (
        1 - wrapped_cdf(2 * arb.pi() - x, c)
        if x > 3.5
        else arb(0.5) - (((1 - c) / (1 + c)) * (x / 2).cot()).atan() / arb.pi()
    )


distribution(
    "wrapcauchy",
    lambda x, c: (1 - c * c) / (2 * arb.pi() * (1 + c * c - 2 * c * x.cos())),
    wrapped_cdf,
    UNIT,
    support=lambda c: (0.0, 2 * math.pi),
)
