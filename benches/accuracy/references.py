"""Values of special functions by python-flint, whose precision is doubled until the value's ball is small enough.

A reference takes the arguments as balls and gives one; what the greatest precision does not settle is left out.
"""

from __future__ import annotations

from collections.abc import Callable

from flint import acb, arb, ctx

#: Bits at the start and at the end, and bits of a value that are enough.
FIRST, LAST, ENOUGH = 160, 5120, 80
#: Results outside are not judged: next to the range's ends float64 has no digits to compare.
SMALLEST, LARGEST = 1e-290, 1e300


def settled(function: Callable[..., arb], arguments: tuple[float, ...]) -> tuple[float, float] | None:
    """The value as the nearest float64 and what that leaves; None where no precision settles it."""
    bits = FIRST
    while bits <= LAST:
        ctx.prec = bits
        value = function(*map(arb, arguments))
        if value.is_finite() and (value.rel_accuracy_bits() >= ENOUGH or value == 0):
            nearest = float(value.mid())
            if nearest == 0 or SMALLEST < abs(nearest) < LARGEST:
                return nearest, float((value - arb(nearest)).mid())
            return None
        bits *= 2
    return None


def real(value: acb) -> arb:
    return value.real


def binom(n: arb, k: arb) -> arb:
    return (n + 1).gamma() * (k + 1).rgamma() * (n - k + 1).rgamma()


def beta(a: arb, b: arb) -> arb:
    return a.gamma() * b.gamma() * (a + b).rgamma()


def struve(v: arb, x: arb, sign: int) -> arb:
    """DLMF 11.2.1 and 11.2.2."""
    half = x / 2
    series = acb(sign * half**2).hypgeom([acb(1)], [acb(1.5), acb(v + arb(1.5))])
    return real(series) * half ** (v + 1) * arb(1.5).rgamma() * (v + arb(1.5)).rgamma()


def besselpoly(a: arb, power: arb, order: arb) -> arb:
    last = (power + order + 1) / 2
    series = acb(-a * a).hypgeom([acb(last)], [acb(last + 1), acb(order + 1)])
    return real(series) * a**order * (order + 1).rgamma() / (power + order + 1)


def divergence(x: arb, y: arb) -> arb:
    return x * (x / y).log() - x + y


REFERENCES: dict[str, Callable[..., arb]] = {
    "airy": lambda x: x.airy_ai(),
    "bdtr": lambda k, n, p: (1 - p).beta_lower(n - k, k + 1, regularized=True),
    "besselpoly": besselpoly,
    "beta": beta,
    "betainc": lambda a, b, x: x.beta_lower(a, b, regularized=True),
    "betaincc": lambda a, b, x: (1 - x).beta_lower(b, a, regularized=True),
    "betaln": lambda a, b: abs(beta(a, b)).log(),
    "binom": binom,
    "digamma": lambda x: x.digamma(),
    "elliprj": lambda x, y, z, p: real(acb.elliptic_rj(acb(x), acb(y), acb(z), acb(p))),
    "eval_gegenbauer": lambda n, a, x: x.gegenbauer_c(n, a),
    "eval_jacobi": lambda n, a, b, x: x.jacobi_p(n, a, b),
    "eval_legendre": lambda n, x: x.legendre_p(n),
    "gammaln": lambda x: abs(x.gamma()).log(),
    "hyp0f1": lambda b, x: x.hypgeom_0f1(b),
    "hyp1f1": lambda a, b, x: x.hypgeom_1f1(a, b),
    "hyp2f1": lambda a, b, c, x: real(acb(x).hypgeom_2f1(acb(a), acb(b), acb(c))),
    "hyperu": lambda a, b, x: x.hypgeom_u(a, b),
    "iv": lambda v, x: x.bessel_i(v),
    "jv": lambda v, x: x.bessel_j(v),
    "kl_div": divergence,
    "kv": lambda v, x: x.bessel_k(v),
    "modstruve": lambda v, x: struve(v, x, 1),
    "poch": lambda x, m: (x + m).gamma() * x.rgamma(),
    "stdtr": lambda n, t: (n / (n + t * t)).beta_lower(n / 2, arb(0.5), regularized=True) / 2,
    "struve": lambda v, x: struve(v, x, -1),
    "yv": lambda v, x: x.bessel_y(v),
    "zeta": lambda x: x.zeta(),
    "zetac": lambda x: x.zeta() - 1,
}
