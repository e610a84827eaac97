"""Gamma, beta, error and zeta functions, logarithms and exponentials of `scipy.special`."""

from __future__ import annotations

from accuracy.draws import UNIT, between, counts, plane, positive, real
from accuracy.row import Table
from accuracy.settle import inverse, whole
from flint import acb, arb

gamma = Table("special", "gamma and beta functions")
error = Table("special", "error functions")
simple = Table("special", "logarithms, exponentials and angles")
zeta = Table("special", "zeta functions and dilogarithm")
TABLES = (gamma, error, simple, zeta)

HALF = arb(0.5)
PLACE, ANY = real(largest=2.2), real(largest=300)
SHAPE = positive(largest=5)
PLANE = plane()


def log_gamma(x: arb) -> arb:
    return x.lgamma() if x > 0 else abs(x.gamma()).log()


def beta(a: arb, b: arb) -> arb:
    return a.gamma() * b.gamma() * (a + b).rgamma()


def log_beta(a: arb, b: arb) -> arb:
    return log_gamma(a) + log_gamma(b) - log_gamma(a + b)


def binom(n: arb, k: arb) -> arb:
    return (n + 1).gamma() * (k + 1).rgamma() * (n - k + 1).rgamma()


def lower(a: arb, x: arb) -> arb:
    return x.gamma_lower(a, regularized=1)


def upper(a: arb, x: arb) -> arb:
    return x.gamma_upper(a, regularized=1)


def betainc(a: arb, b: arb, x: arb) -> arb:
    return x.beta_lower(a, b, regularized=True)


def betaincc(a: arb, b: arb, x: arb) -> arb:
    return (1 - x).beta_lower(b, a, regularized=True)


gamma.real("gamma", lambda x: x.gamma(), PLACE)
gamma.complex("gamma", lambda z: z.gamma(), plane(largest=2.2))
gamma.real("rgamma", lambda x: x.rgamma(), PLACE)
gamma.complex("rgamma", lambda z: z.rgamma(), plane(largest=2.2))
gamma.real("gammaln", log_gamma, real(largest=20))
gamma.real("loggamma", log_gamma, positive(largest=20))
gamma.complex("loggamma", lambda z: z.lgamma(), plane(largest=20))
gamma.real("gammasgn", lambda x: 1.0 if x.gamma() > 0 else -1.0, real(largest=3))
for alias in ("digamma", "psi"):
    gamma.real(alias, lambda x: x.digamma(), real(largest=20))
    gamma.complex(alias, lambda z: z.digamma(), plane(largest=20))
gamma.real("poch", lambda x, m: (x + m).gamma() * x.rgamma(), PLACE, real(largest=2))
gamma.real("beta", beta, real(largest=3), real(largest=3))
gamma.real("betaln", log_beta, real(largest=10), real(largest=10))
gamma.real("binom", binom, real(largest=3), real(largest=2.5))
gamma.real("gammainc", lower, SHAPE, SHAPE)
gamma.real("gammaincc", upper, SHAPE, SHAPE)
gamma.real(
    "gammaincinv",
    lambda a, y: inverse(lambda x: lower(a, x), y, 5e-324, 1e300),
    positive(smallest=-2),
    UNIT,
    weight=0.5,
)
gamma.real(
    "gammainccinv",
    lambda a, y: inverse(lambda x: upper(a, x), y, 5e-324, 1e300),
    positive(smallest=-2),
    UNIT,
    weight=0.5,
)
gamma.real("betainc", betainc, SHAPE, SHAPE, UNIT)
gamma.real("betaincc", betaincc, SHAPE, SHAPE, UNIT)
SMALLER = positive(smallest=-2, largest=3)
ONE = 1 - 2.0**-53
gamma.real(
    "betaincinv",
    lambda a, b, y: inverse(lambda x: betainc(a, b, x), y, 5e-324, ONE),
    SMALLER,
    SMALLER,
    UNIT,
    weight=0.5,
)
gamma.real(
    "betainccinv",
    lambda a, b, y: inverse(lambda x: betaincc(a, b, x), y, 5e-324, ONE),
    SMALLER,
    SMALLER,
    UNIT,
    weight=0.5,
)


def faddeeva(z: acb) -> acb:
    return (-z * z).exp() * (z * acb(0, -1)).erfc()


def dawson(x):  # type: ignore[no-untyped-def]
    return (-x * x).exp() * x.erfi() * arb.pi().sqrt() / 2


def normal(x):  # type: ignore[no-untyped-def]
    return (-x / arb(2).sqrt()).erfc() / 2


def probit(p: arb) -> arb:
    return arb(2).sqrt() * (2 * p - 1).erfinv()


error.real("erf", lambda x: x.erf(), real(largest=1))
error.real("erfc", lambda x: x.erfc(), real(largest=1.5))
error.real("erfcx", lambda x: (x * x).exp() * x.erfc(), real(largest=8))
error.real("erfi", lambda x: x.erfi(), real(largest=1.5))
error.real("dawsn", dawson, real(largest=10))
error.real("ndtr", normal, real(largest=1.6))
error.real("log_ndtr", lambda x: normal(x).log(), real(largest=5))
error.complex("erf", lambda z: z.erf(), plane(largest=1.5))
error.complex("erfc", lambda z: z.erfc(), plane(largest=1.5))
error.complex("erfcx", lambda z: (z * z).exp() * z.erfc(), plane(largest=5))
error.complex("erfi", lambda z: z.erfi(), plane(largest=1.5))
error.complex("dawsn", dawson, plane(largest=5))
error.complex("wofz", faddeeva, plane(largest=5))
error.complex("ndtr", normal, plane(largest=1.5))
error.complex("log_ndtr", lambda z: normal(z).log(), plane(size=4, largest=1))
error.real("erfinv", lambda y: y.erfinv(), between(-1.0, 1.0))
error.real("erfcinv", lambda y: (1 - y).erfinv(), between(0.0, 2.0))
error.real("ndtri", probit, UNIT)
error.real(
    "ndtri_exp",
    lambda y: inverse(lambda x: normal(x).log(), y, -1e155, 40.0, -1.0),
    {k: (lambda s, d=d: -d(s)) for k, d in positive(largest=30).items()},
    weight=0.5,
)
error.real(
    "voigt_profile",
    lambda x, s, g: faddeeva(acb(x, g) / (s * arb(2).sqrt())).real / (s * (2 * arb.pi()).sqrt()),
    real(smallest=-20),
    positive(smallest=-4, largest=3),
    positive(smallest=-20, largest=3),
)
error.real("fresnel", lambda x: (x.fresnel_s(), x.fresnel_c()), real(largest=8), outputs=("S", "C"))
error.complex("fresnel", lambda z: (z.fresnel_s(), z.fresnel_c()), plane(size=4, largest=1), outputs=("S", "C"))


def modified_fresnel(x: arb, sign: int) -> tuple[acb, acb]:
    """The integral of exp(i t^2) from x to infinity, and it without its oscillation."""
    turn = acb(0, 1 if sign > 0 else -1)
    first = arb.pi().sqrt() / 2 * (turn * arb.pi() / 4).exp() * (acb(x) * (-turn * arb.pi() / 4).exp()).erfc()
    return first, first * (-turn * (x * x + arb.pi() / 4)).exp() / arb.pi().sqrt()


error.real("modfresnelp", lambda x: modified_fresnel(x, 1), real(largest=4), outputs=("F", "K"))
error.real("modfresnelm", lambda x: modified_fresnel(x, -1), real(largest=4), outputs=("F", "K"))


def owens_t(h: arb, a: arb) -> arb:
    half, ratio = h * h / 2, acb(a)
    integral = acb.integral(lambda t, _: (-half * (t * ratio) ** 2).exp() / (1 + (t * ratio) ** 2), acb(0), acb(1)).real
    return a * (-half).exp() * integral / (2 * arb.pi())


error.real("owens_t", owens_t, real(largest=1.5, smallest=-20), real(largest=1.5, smallest=-20), weight=0.5)


def degrees(x: arb) -> arb:
    return x * arb.pi() / 180


def log_expit(x: arb) -> arb:
    return -(1 + (-x).exp()).log()


FEW = real(largest=2.8)
simple.real("cosdg", lambda x: degrees(x).cos(), real(largest=12))
simple.real("sindg", lambda x: degrees(x).sin(), real(largest=12))
simple.real("tandg", lambda x: degrees(x).tan(), real(largest=12))
simple.real("cotdg", lambda x: degrees(x).cot(), real(largest=12))
simple.real("radian", lambda d, m, s: degrees(d + m / 60 + s / 3600), real(), real(), real())
simple.real("cosm1", lambda x: -2 * (x / 2).sin() ** 2, real(largest=10))
simple.real("cbrt", lambda x: x.root(3) if x > 0 else -(-x).root(3), ANY)
simple.real("exp2", lambda x: arb(2) ** x, FEW)
simple.real("exp10", lambda x: arb(10) ** x, real(largest=2.4))
simple.real("expm1", lambda x: x.expm1(), FEW)
simple.complex("expm1", lambda z: z.expm1(), plane(largest=2.5))
simple.real("log1p", lambda x: x.log1p(), positive(largest=300))
simple.complex("log1p", lambda z: z.log1p(), plane(largest=100))
simple.real("exprel", lambda x: x.expm1() / x, FEW)
simple.real("expit", lambda x: 1 / (1 + (-x).exp()), FEW)
simple.real("log_expit", log_expit, FEW)
simple.real("logit", lambda x: (x / (1 - x)).log(), UNIT)
simple.real("entr", lambda x: -x * x.log(), ABOVE := positive(largest=300))
simple.real("rel_entr", lambda x, y: x * (x / y).log(), positive(), positive())
simple.real("kl_div", lambda x, y: x * (x / y).log() - x + y, positive(), positive())
simple.real("xlogy", lambda x, y: x * y.log(), real(), positive())
simple.complex("xlogy", lambda x, y: x * y.log(), PLANE, PLANE)
simple.real("xlog1py", lambda x, y: x * y.log1p(), real(), positive())
simple.complex("xlog1py", lambda x, y: x * y.log1p(), PLANE, PLANE)
simple.real("powm1", lambda x, y: (y * x.log()).expm1(), positive(), real(largest=2))
simple.real("boxcox", lambda x, p: (p * x.log()).expm1() / p, positive(), real(largest=2))
simple.real("boxcox1p", lambda x, p: (p * x.log1p()).expm1() / p, positive(), real(largest=2))
simple.real("inv_boxcox", lambda y, p: ((p * y).log1p() / p).exp(), positive(), positive(largest=2))
simple.real("inv_boxcox1p", lambda y, p: ((p * y).log1p() / p).expm1(), positive(), positive(largest=2))
simple.real("huber", lambda d, r: r * r / 2 if abs(r) <= d else d * (abs(r) - d / 2), positive(), real())
simple.real("pseudo_huber", lambda d, r: d * d * ((1 + (r / d) ** 2).sqrt() - 1), positive(), real())
simple.real("round", lambda x: float(round(float(x.mid()))), real(largest=15))
simple.real("agm", lambda a, b: a.agm(b), ABOVE, ABOVE)


def omega(z: acb) -> acb:
    """The branch of W that continues the solution of w + log(w) = z."""
    branch = whole(((z.imag - arb.pi()) / (2 * arb.pi())).ceil())
    return z.exp().lambertw(branch)


simple.real("wrightomega", lambda x: acb(x).exp().lambertw().real, real(largest=2.8))
simple.complex("wrightomega", omega, plane(largest=2))
simple.real(
    "tklmbda",
    lambda x, p: inverse_tukey(x, p),
    between(-1.0, 1.0),
    positive(low=-1, high=0, smallest=-5, largest=0.3),
    weight=0.5,
)


def inverse_tukey(x: arb, p: arb) -> arb | None:
    if not abs(x) < 1 / p:
        return None
    return inverse(lambda q: (q**p - (1 - q) ** p) / p, x, 5e-324, ONE)


zeta.real("zetac", lambda x: x.zeta() - 1, real(largest=3))
zeta.real(
    "zeta",
    lambda x, q: x.zeta(q),
    {k: (lambda s, d=d: 1 + d(s)) for k, d in positive(smallest=-14, largest=2).items()},
    positive(smallest=-20, largest=6),
)
zeta.real("spence", lambda z: (1 - z).polylog(2), positive(largest=20))
zeta.complex("spence", lambda z: (1 - z).polylog(2), plane(largest=5))
zeta.real(
    "polygamma", lambda n, x: acb(x).polygamma(acb(n)).real, counts(10, 60, least=1), positive(smallest=-4), weight=0.5
)
