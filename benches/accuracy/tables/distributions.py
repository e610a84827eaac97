"""Continuous distributions of `scipy.stats` from alpha to invweibull, out of their definitions."""

from __future__ import annotations

import math
import random

from accuracy.draws import counts, positive, real
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
    tail,
)
from accuracy.tables.gamma import beta, betainc, lower, normal, upper
from accuracy.tables.probability import fdtr
from flint import acb, arb


def argus_part(x: arb) -> arb:
    return normal(x) - x * bell(x) - arb(0.5)


distribution(
    "alpha",
    lambda x, a: bell(a - 1 / x) / (x * x * normal(a)),
    lambda x, a: normal(a - 1 / x) / normal(a),
    S,
    support=POSITIVE,
)
distribution(
    "anglit",
    lambda x: (2 * x).cos(),
    lambda x: (x + arb.pi() / 4).sin() ** 2,
    support=lambda: (-math.pi / 4, math.pi / 4),
)
distribution(
    "arcsine", lambda x: 1 / (arb.pi() * (x * (1 - x)).sqrt()), lambda x: 2 / arb.pi() * x.sqrt().asin(), support=ONE_
)
distribution(
    "argus",
    lambda x, c: c**3 / (root2pi() * argus_part(c)) * x * (1 - x * x).sqrt() * (-c * c * (1 - x * x) / 2).exp(),
    lambda x, c: 1 - argus_part(c * (1 - x * x).sqrt()) / argus_part(c),
    S,
    support=ONE_,
)
distribution(
    "beta",
    lambda x, a, b: x ** (a - 1) * (1 - x) ** (b - 1) / beta(a, b),
    lambda x, a, b: betainc(a, b, x),
    S,
    S,
    support=ONE_,
)
distribution(
    "betaprime",
    lambda x, a, b: x ** (a - 1) * (1 + x) ** (-a - b) / beta(a, b),
    lambda x, a, b: betainc(a, b, x / (1 + x)),
    S,
    S,
    support=POSITIVE,
)
distribution(
    "bradford", lambda x, c: c / (c.log1p() * (1 + c * x)), lambda x, c: (c * x).log1p() / c.log1p(), S, support=ONE_
)
distribution(
    "burr",
    lambda x, c, d: c * d * x ** (-c - 1) * (1 + x**-c) ** (-d - 1),
    lambda x, c, d: (1 + x**-c) ** -d,
    S,
    S,
    support=POSITIVE,
)
distribution(
    "burr12",
    lambda x, c, d: c * d * x ** (c - 1) * (1 + x**c) ** (-d - 1),
    lambda x, c, d: 1 - (1 + x**c) ** -d,
    S,
    S,
    support=POSITIVE,
)
distribution("cauchy", lambda x: 1 / (arb.pi() * (1 + x * x)), lambda x: arb(0.5) + x.atan() / arb.pi())
distribution(
    "chi",
    lambda x, k: x ** (k - 1) * (-x * x / 2).exp() * arb(2) ** (1 - k / 2) * (k / 2).rgamma(),
    lambda x, k: lower(k / 2, x * x / 2),
    S,
    support=POSITIVE,
)
distribution(
    "chi2",
    lambda x, k: x ** (k / 2 - 1) * (-x / 2).exp() * arb(2) ** (-k / 2) * (k / 2).rgamma(),
    lambda x, k: lower(k / 2, x / 2),
    S,
    support=POSITIVE,
)
distribution(
    "cosine",
    lambda x: (1 + x.cos()) / (2 * arb.pi()),
    lambda x: (arb.pi() + x + x.sin()) / (2 * arb.pi()),
    support=lambda: (-math.pi, math.pi),
)


def crystal_scale(b: arb, m: arb) -> tuple[arb, arb]:
    """The unnormalised mass left of -beta, and the factor that normalises."""
    left = m / b / (m - 1) * (-b * b / 2).exp()
    return left, 1 / (left + root2pi() * normal(b))


def crystal_pdf(x: arb, b: arb, m: arb) -> arb:
    _, scale = crystal_scale(b, m)
    return scale * ((-x * x / 2).exp() if x > -b else (-b * b / 2).exp() * (1 - b * (b + x) / m) ** -m)


def crystal_cdf(x: arb, b: arb, m: arb) -> arb:
    left, scale = crystal_scale(b, m)
    return scale * (left * (1 - b * (b + x) / m) ** (1 - m) if x <= -b else left + root2pi() * (normal(x) - normal(-b)))


ABOVE_ONE = {key: (lambda s, d=d: 1 + d(s)) for key, d in positive(low=-0.5, high=0.7, smallest=-2, largest=2).items()}
distribution("crystalball", crystal_pdf, crystal_cdf, positive(low=-0.5, high=0.5, smallest=-2, largest=0.7), ABOVE_ONE)
distribution(
    "dgamma",
    lambda x, a: abs(x) ** (a - 1) * (-abs(x)).exp() * a.rgamma() / 2,
    lambda x, a: upper(a, -x) / 2 if x < 0 else 1 - upper(a, x) / 2,
    S,
)


def mills(x: arb) -> arb:
    return tail(x) / bell(x)


def dpl_pdf(x: arb, u: arb, s: arb, a: arb, b: arb) -> arb:
    z = (x.log() - u) / s
    return a * b / ((a + b) * x) * bell(z) * (mills(a * s - z) + mills(b * s + z))


def dpl_cdf(x: arb, u: arb, s: arb, a: arb, b: arb) -> arb:
    z = (x.log() - u) / s
    return normal(z) - bell(z) * (b * mills(a * s - z) - a * mills(b * s + z)) / (a + b)


MODEST = positive(low=-0.5, high=0.5, smallest=-1, largest=1)
distribution(
    "dpareto_lognorm",
    dpl_pdf,
    dpl_cdf,
    real(low=-1, high=0.5, smallest=-2, largest=1),
    MODEST,
    MODEST,
    MODEST,
    support=POSITIVE,
)
distribution(
    "dweibull",
    lambda x, c: c / 2 * abs(x) ** (c - 1) * (-(abs(x) ** c)).exp(),
    lambda x, c: (-((-x) ** c)).exp() / 2 if x < 0 else 1 - (-(x**c)).exp() / 2,
    S,
)
distribution("expon", lambda x: (-x).exp(), lambda x: -(-x).expm1(), support=POSITIVE)
distribution(
    "exponnorm",
    lambda x, k: (1 / (2 * k * k) - x / k).exp() / k * normal(x - 1 / k),
    lambda x, k: normal(x) - (1 / (2 * k * k) - x / k).exp() * normal(x - 1 / k),
    S,
)
distribution(
    "exponpow",
    lambda x, b: b * x ** (b - 1) * (1 + x**b - (x**b).exp()).exp(),
    lambda x, b: 1 - (1 - (x**b).exp()).exp(),
    S,
    support=POSITIVE,
)
distribution(
    "exponweib",
    lambda x, a, c: a * c * (1 - (-(x**c)).exp()) ** (a - 1) * (-(x**c)).exp() * x ** (c - 1),
    lambda x, a, c: (1 - (-(x**c)).exp()) ** a,
    S,
    S,
    support=POSITIVE,
)


def f_pdf(x: arb, a: arb, b: arb) -> arb:
    y = a * x / b
    return a / b * y ** (a / 2 - 1) * (1 + y) ** (-(a + b) / 2) / beta(a / 2, b / 2)


distribution("f", f_pdf, lambda x, a, b: fdtr(a, b, x), S, S, support=POSITIVE)
distribution(
    "fatiguelife",
    lambda x, c: (x + 1) / (2 * c * x * x.sqrt()) * bell((x - 1) / (x.sqrt() * c)),
    lambda x, c: normal((x - 1) / (x.sqrt() * c)),
    S,
    support=POSITIVE,
)
distribution("fisk", lambda x, c: c * x ** (c - 1) / (1 + x**c) ** 2, lambda x, c: 1 / (1 + x**-c), S, support=POSITIVE)
distribution(
    "foldcauchy",
    lambda x, c: (1 / (1 + (x - c) ** 2) + 1 / (1 + (x + c) ** 2)) / arb.pi(),
    lambda x, c: ((x - c).atan() + (x + c).atan()) / arb.pi(),
    S,
    support=POSITIVE,
)
distribution(
    "foldnorm", lambda x, c: bell(x - c) + bell(x + c), lambda x, c: normal(x - c) - normal(-x - c), S, support=POSITIVE
)
for name, kind in [("gamma", S), ("erlang", counts(20, 1000, least=1))]:
    distribution(
        name, lambda x, a: x ** (a - 1) * (-x).exp() * a.rgamma(), lambda x, a: lower(a, x), kind, support=POSITIVE
    )


def gausshyper(x: arb, low: arb, high: arb, a: arb, b: arb, c: arb, z: arb) -> arb:
    scale = beta(a, b) * acb(-z).hypgeom_2f1(acb(c), acb(a), acb(a + b)).real
    if low == 0:
        return (
            quadrature.between(lambda t, left, _: left ** (a - 1) * (1 - t) ** (b - 1) * (1 + z * t) ** -c, low, high)
            / scale
        )
    return quadrature.between(lambda t, _, rest: t ** (a - 1) * rest ** (b - 1) * (1 + z * t) ** -c, low, high) / scale


def gausshyper_pdf(x: arb, a: arb, b: arb, c: arb, z: arb) -> arb:
    return (
        x ** (a - 1)
        * (1 - x) ** (b - 1)
        * (1 + z * x) ** -c
        / (beta(a, b) * acb(-z).hypgeom_2f1(acb(c), acb(a), acb(a + b)).real)
    )


distribution(
    "gausshyper",
    gausshyper_pdf,
    lambda x, *s: gausshyper(x, arb(0), x, *s),
    MODEST,
    MODEST,
    MODEST,
    MODEST,
    sf=lambda x, *s: gausshyper(x, x, arb(1), *s),
    support=ONE_,
    places=lambda s: s.uniform(0, 1),
    weight=0.3,
)


def genexpon_exponent(x: arb, a: arb, b: arb, c: arb) -> arb:
    return (-(a + b) * x - b / c * (-c * x).expm1()).exp()


distribution(
    "genexpon",
    lambda x, a, b, c: (a - b * (-c * x).expm1()) * genexpon_exponent(x, a, b, c),
    lambda x, *s: 1 - genexpon_exponent(x, *s),
    MODEST,
    MODEST,
    MODEST,
    support=POSITIVE,
)


def below_inverse(c: float) -> tuple[float, float]:
    return (-math.inf, 1 / c) if c > 0 else (1 / c, math.inf)


distribution(
    "genextreme",
    lambda x, c: (1 - c * x) ** (1 / c - 1) * (-((1 - c * x) ** (1 / c))).exp(),
    lambda x, c: (-((1 - c * x) ** (1 / c))).exp(),
    A,
    support=below_inverse,
)
distribution(
    "gengamma",
    lambda x, a, c: c * x ** (c * a - 1) * (-(x**c)).exp() * a.rgamma(),
    lambda x, a, c: lower(a, x**c),
    S,
    S,
    support=POSITIVE,
)


def half_logistic_power(x: arb, c: arb) -> arb:
    return (1 - c * x) ** (1 / c)


distribution(
    "genhalflogistic",
    lambda x, c: 2 * (1 - c * x) ** (1 / c - 1) / (1 + half_logistic_power(x, c)) ** 2,
    lambda x, c: (1 - half_logistic_power(x, c)) / (1 + half_logistic_power(x, c)),
    S,
    support=lambda c: (0.0, 1 / c),
)


def genhyperbolic_pdf(x: arb, p: arb, a: arb, b: arb) -> arb:
    root, arc = (a * a - b * b).sqrt(), (1 + x * x).sqrt()
    return (
        root**p
        / (root2pi() * a ** (p - arb(0.5)) * root.bessel_k(p))
        * (b * x).exp()
        * (a * arc).bessel_k(p - arb(0.5))
        * arc ** (p - arb(0.5))
    )


def norminvgauss_pdf(x: arb, a: arb, b: arb) -> arb:
    arc = (1 + x * x).sqrt()
    return a * (a * arc).bessel_k(1) / (arb.pi() * arc) * ((a * a - b * b).sqrt() + b * x).exp()


def above(pdf):  # type: ignore[no-untyped-def]
    return lambda x, *s: quadrature.beyond(lambda t, _: pdf(t, *s), x)


def under(pdf):  # type: ignore[no-untyped-def]
    return lambda x, *s: quadrature.beyond(lambda t, _: pdf(-t, *s), -x)


def tilted(region: str, source: random.Random) -> tuple[float, float]:
    a = 10.0 ** source.uniform(-0.5, 2 if region == WIDE else 1)
    return a, a * source.uniform(-0.9, 0.9)


distribution(
    "genhyperbolic",
    genhyperbolic_pdf,
    under(genhyperbolic_pdf),
    sf=above(genhyperbolic_pdf),
    shapes=lambda region, s: (s.uniform(-3, 3), *tilted(region, s)),
    places=lambda s: s.uniform(-4, 4),
    weight=0.2,
    roots=False,
)
distribution(
    "norminvgauss",
    norminvgauss_pdf,
    under(norminvgauss_pdf),
    sf=above(norminvgauss_pdf),
    shapes=tilted,
    places=lambda s: s.uniform(-4, 4),
    weight=0.2,
    roots=False,
)


def geninvgauss_pdf(x: arb, p: arb, b: arb) -> arb:
    return x ** (p - 1) * (-b * (x + 1 / x) / 2).exp() / (2 * b.bessel_k(p))


distribution(
    "geninvgauss",
    geninvgauss_pdf,
    lambda x, p, b: quadrature.beyond(lambda t, _: geninvgauss_pdf(1 / t, p, b) / t**2, 1 / x),
    real(low=-0.5, high=0.5, smallest=-1, largest=1),
    positive(low=-1, high=0.7, smallest=-1, largest=1),
    sf=above(geninvgauss_pdf),
    support=POSITIVE,
    places=lambda s: 10.0 ** s.uniform(-1, 1),
    weight=0.3,
)
distribution(
    "genlogistic", lambda x, c: c * (-x).exp() * (1 + (-x).exp()) ** (-c - 1), lambda x, c: (1 + (-x).exp()) ** -c, S
)
distribution(
    "gennorm",
    lambda x, b: b / 2 * (1 / b).rgamma() * (-(abs(x) ** b)).exp(),
    lambda x, b: upper(1 / b, (-x) ** b) / 2 if x < 0 else 1 - upper(1 / b, x**b) / 2,
    S,
)
distribution(
    "genpareto",
    lambda x, c: (1 + c * x) ** (-1 - 1 / c),
    lambda x, c: 1 - (1 + c * x) ** (-1 / c),
    A,
    support=lambda c: (0.0, math.inf if c > 0 else -1 / c),
)


def lognormal(x: arb, s: arb) -> arb:
    return bell(x.log() / s) / (s * x)


distribution("gibrat", lambda x: lognormal(x, arb(1)), lambda x: normal(x.log()), support=POSITIVE)
distribution("lognorm", lognormal, lambda x, s: normal(x.log() / s), S, support=POSITIVE)
distribution(
    "gompertz", lambda x, c: c * (x - c * x.expm1()).exp(), lambda x, c: -(-c * x.expm1()).expm1(), S, support=POSITIVE
)
distribution("gumbel_l", lambda x: (x - x.exp()).exp(), lambda x: -(-(x.exp())).expm1())
distribution("gumbel_r", lambda x: (-x - (-x).exp()).exp(), lambda x: (-((-x).exp())).exp())
distribution("halfcauchy", lambda x: 2 / (arb.pi() * (1 + x * x)), lambda x: 2 / arb.pi() * x.atan(), support=POSITIVE)
distribution(
    "halfgennorm",
    lambda x, b: b * (1 / b).rgamma() * (-(x**b)).exp(),
    lambda x, b: lower(1 / b, x**b),
    S,
    support=POSITIVE,
)
distribution("halflogistic", lambda x: 1 / (2 * (x / 2).cosh() ** 2), lambda x: (x / 2).tanh(), support=POSITIVE)
distribution("halfnorm", lambda x: 2 * bell(x), lambda x: 1 - 2 * tail(x), support=POSITIVE)
distribution("hypsecant", lambda x: 1 / (arb.pi() * x.cosh()), lambda x: 2 / arb.pi() * x.exp().atan())
distribution(
    "invgamma",
    lambda x, a: x ** (-a - 1) * (-1 / x).exp() * a.rgamma(),
    lambda x, a: upper(a, 1 / x),
    S,
    support=POSITIVE,
)


def invgauss_pdf(x: arb, mu: arb) -> arb:
    return bell((x - mu) / (mu * x.sqrt())) / (x * x.sqrt())


def invgauss_cdf(x: arb, mu: arb) -> arb:
    return normal((x / mu - 1) / x.sqrt()) + (2 / mu).exp() * normal(-(x / mu + 1) / x.sqrt())


distribution("invgauss", invgauss_pdf, invgauss_cdf, S, support=POSITIVE)
distribution("wald", lambda x: invgauss_pdf(x, arb(1)), lambda x: invgauss_cdf(x, arb(1)), support=POSITIVE)
distribution(
    "recipinvgauss",
    lambda x, mu: invgauss_pdf(1 / x, mu) / x**2,
    lambda x, mu: 1 - invgauss_cdf(1 / x, mu),
    S,
    support=POSITIVE,
)
distribution(
    "invweibull", lambda x, c: c * x ** (-c - 1) * (-(x**-c)).exp(), lambda x, c: (-(x**-c)).exp(), S, support=POSITIVE
)
