"""Bessel, Airy, Kelvin, Struve and parabolic cylinder functions, and integrals of them."""

from __future__ import annotations

from accuracy.draws import counts, plane, positive, real
from accuracy.row import Table
from accuracy.tables.series import summed
from flint import acb, arb

bessel = Table("special", "Bessel functions")
airy = Table("special", "Airy and Kelvin functions")
integrals = Table("special", "integrals of Bessel, Airy and Struve functions")
struve = Table("special", "Struve and parabolic cylinder functions")
TABLES = (bessel, airy, integrals, struve)

ABOVE, ANY = positive(largest=5), real(largest=5)
ORDER = real(smallest=-20, largest=3.3)
PLANE = plane(largest=2.8)


def i_scaled(v, x):  # type: ignore[no-untyped-def]
    return x.bessel_i(v) * (-abs(x.real if isinstance(x, acb) else x)).exp()


def j_scaled(v, x):  # type: ignore[no-untyped-def]
    return x.bessel_j(v) * (-abs(x.imag)).exp() if isinstance(x, acb) else x.bessel_j(v)


def y_scaled(v, x):  # type: ignore[no-untyped-def]
    return x.bessel_y(v) * (-abs(x.imag)).exp() if isinstance(x, acb) else x.bessel_y(v)


def k_scaled(v, x):  # type: ignore[no-untyped-def]
    return x.bessel_k(v) * x.exp()


def hankel(kind: int, scaled: bool):  # type: ignore[no-untyped-def]
    turn = acb(0, 1 if kind == 1 else -1)

    def value(v: arb, z: acb) -> acb:
        result = z.bessel_j(v) + turn * z.bessel_y(v)
        return result * (-turn * z).exp() if scaled else result

    return value


for order in (0, 1):
    bessel.real(f"j{order}", lambda x, v=order: x.bessel_j(v), ANY)
    bessel.real(f"y{order}", lambda x, v=order: x.bessel_y(v), ABOVE)
    bessel.real(f"i{order}", lambda x, v=order: x.bessel_i(v), real(largest=2.8))
    bessel.real(f"k{order}", lambda x, v=order: x.bessel_k(v), positive(largest=2.8))
    bessel.real(f"i{order}e", lambda x, v=order: i_scaled(arb(v), x), ANY)
    bessel.real(f"k{order}e", lambda x, v=order: k_scaled(arb(v), x), ABOVE)
bessel.real("yn", lambda n, x: x.bessel_y(n), counts(), ABOVE)
bessel.real("kn", lambda n, x: x.bessel_k(n), counts(), positive(largest=2.8))
for name, function in {
    "jv": lambda v, x: x.bessel_j(v),
    "yv": lambda v, x: x.bessel_y(v),
    "jve": j_scaled,
    "yve": y_scaled,
    "kve": k_scaled,
    "ive": i_scaled,
    "kv": lambda v, x: x.bessel_k(v),
    "iv": lambda v, x: x.bessel_i(v),
}.items():
    bessel.real(name, function, ORDER, positive(smallest=-30, largest=3.5))
    bessel.complex(name, function, ORDER, PLANE, orders=1)
for kind in (1, 2):
    bessel.complex(f"hankel{kind}", hankel(kind, False), ORDER, PLANE, orders=1)
    bessel.complex(f"hankel{kind}e", hankel(kind, True), ORDER, PLANE, orders=1)
bessel.real(
    "spherical_jn",
    lambda n, x: (arb.pi() / (2 * x)).sqrt() * x.bessel_j(n + arb(0.5)),
    counts(),
    positive(smallest=-30),
)
bessel.real(
    "spherical_yn",
    lambda n, x: (arb.pi() / (2 * x)).sqrt() * x.bessel_y(n + arb(0.5)),
    counts(),
    positive(smallest=-30),
)
bessel.real(
    "spherical_in",
    lambda n, x: (arb.pi() / (2 * x)).sqrt() * x.bessel_i(n + arb(0.5)),
    counts(),
    positive(smallest=-30, largest=2.8),
)
bessel.real(
    "spherical_kn",
    lambda n, x: (arb.pi() / (2 * x)).sqrt() * x.bessel_k(n + arb(0.5)),
    counts(),
    positive(smallest=-30, largest=2.8),
)


def besselpoly(a: arb, power: arb, order: arb) -> arb:
    last = (power + order + 1) / 2
    series = acb(-a * a).hypgeom([acb(last)], [acb(last + 1), acb(order + 1)])
    return series.real * a**order * (order + 1).rgamma() / (power + order + 1)


bessel.real(
    "besselpoly",
    besselpoly,
    positive(smallest=-10, largest=2.5),
    positive(smallest=-5, largest=2),
    positive(smallest=-5, largest=2),
)


def wright_bessel(a: arb, b: arb, x: arb) -> arb:
    return summed(lambda k, fact: x**k * (a * k + b).rgamma() / fact)


SHORT = positive(low=-1, high=0.8, smallest=-5, largest=1)
bessel.real(
    "wright_bessel", wright_bessel, SHORT, SHORT, positive(low=-1, high=1, smallest=-5, largest=1.8), weight=0.5
)
bessel.real(
    "log_wright_bessel",
    lambda a, b, x: wright_bessel(a, b, x).log(),
    SHORT,
    SHORT,
    positive(low=-1, high=1, smallest=-5, largest=1.8),
    weight=0.5,
)

airy.real("airy", lambda x: x.airy(), real(largest=6), outputs=("Ai", "Ai'", "Bi", "Bi'"))
airy.complex("airy", lambda z: z.airy(), plane(largest=2), outputs=("Ai", "Ai'", "Bi", "Bi'"))


def airy_scaled(z):  # type: ignore[no-untyped-def]
    exponent = z * z.sqrt() * 2 / 3
    ai, aip, bi, bip = z.airy()
    down = exponent.exp()
    up = (-abs(exponent.real if isinstance(z, acb) else exponent)).exp()
    return ai * down, aip * down, bi * up, bip * up


airy.real("airye", airy_scaled, positive(largest=6), outputs=("Ai", "Ai'", "Bi", "Bi'"))
airy.complex("airye", airy_scaled, plane(largest=2.5), outputs=("Ai", "Ai'", "Bi", "Bi'"))


def kelvin(x: arb) -> tuple[acb, acb, acb, acb]:
    steep, flat = (acb(0, 1) * arb.pi() * 3 / 4).exp(), (acb(0, 1) * arb.pi() / 4).exp()
    left, right = x * steep, x * flat
    return left.bessel_j(0), right.bessel_k(0), -steep * left.bessel_j(1), -flat * right.bessel_k(1)


LINE = positive(smallest=-50, largest=2.8)
airy.real("kelvin", kelvin, LINE, outputs=("Be", "Ke", "Be'", "Ke'"))
for place, (name, slope) in enumerate([("be", False), ("ke", False), ("be", True), ("ke", True)]):
    airy.real(f"{name}r{'p' * slope}", lambda x, n=place: kelvin(x)[n].real, LINE)
    airy.real(f"{name}i{'p' * slope}", lambda x, n=place: kelvin(x)[n].imag, LINE)


def hypergeometric(above: list[arb], below: list[arb], z: arb) -> arb:
    return acb(z).hypgeom([acb(a) for a in above], [acb(b) for b in below]).real


def thirds(n: int) -> arb:
    return arb(n) / 3


def airy_integrals(x: arb) -> tuple[arb, arb]:
    cube = x**3 / 9
    first = x * hypergeometric([thirds(1)], [thirds(2), thirds(4)], cube)
    second = x * x / 2 * hypergeometric([thirds(2)], [thirds(4), thirds(5)], cube)
    left, right = thirds(2).rgamma() / arb(3) ** thirds(2), thirds(1).rgamma() / arb(3) ** thirds(1)
    return left * first - right * second, arb(3).sqrt() * (left * first + right * second)


def both_airy_integrals(x: arb) -> tuple[arb, ...]:
    ahead, behind = airy_integrals(x), airy_integrals(-x)
    return ahead[0], ahead[1], -behind[0], -behind[1]


def log_half(x: arb) -> arb:
    return (x / 2).log()


def integral_of_k0(x: arb) -> arb:
    def term(k: int, fact: arb) -> arb:
        return (
            (x / 2) ** (2 * k) / fact**2 * x / (2 * k + 1) * (arb(k + 1).digamma() - log_half(x) + arb(1) / (2 * k + 1))
        )

    return summed(term)


def integral_of_y0(x: arb) -> arb:
    def term(k: int, fact: arb) -> arb:
        part = log_half(x) - arb(k + 1).digamma() - arb(1) / (2 * k + 1)
        return (-1) ** k * (x / 2) ** (2 * k) / fact**2 * x / (2 * k + 1) * part

    return summed(term) * 2 / arb.pi()


def tail_of_k0(x: arb) -> arb:
    """The integral of K0(t) / t from x on: its series at 0 (the constant by the Mellin transform of K0)."""

    def term(k: int, fact: arb) -> arb:
        if k == 0:
            return (log_half(x) + arb.const_euler()) ** 2 / 2 + arb.pi() ** 2 / 24
        return -((x / 2) ** (2 * k)) / fact**2 / (2 * k) * (arb(k + 1).digamma() - log_half(x) + arb(1) / (2 * k))

    return summed(term)


def tail_of_y0(x: arb) -> arb:
    """The integral of Y0(t) / t from x on."""

    def term(k: int, fact: arb) -> arb:
        if k == 0:
            return (log_half(x) + arb.const_euler()) ** 2 / 2 - arb.pi() ** 2 / 12
        part = log_half(x) - arb(k + 1).digamma() - arb(1) / (2 * k)
        return (-1) ** k * (x / 2) ** (2 * k) / fact**2 / (2 * k) * part

    return -summed(term) * 2 / arb.pi()


SERIES = positive(smallest=-30, largest=2.2)
H, TH = arb(0.5), arb(1.5)
integrals.real(
    "itairy", both_airy_integrals, positive(smallest=-30, largest=1.5), outputs=("Ai", "Bi", "Ai left", "Bi left")
)
integrals.real(
    "iti0k0",
    lambda x: (x * hypergeometric([H], [arb(1), TH], x * x / 4), integral_of_k0(x)),
    SERIES,
    outputs=("I0", "K0"),
    weight=0.5,
)
integrals.real(
    "itj0y0",
    lambda x: (x * hypergeometric([H], [arb(1), TH], -x * x / 4), integral_of_y0(x)),
    SERIES,
    outputs=("J0", "Y0"),
    weight=0.5,
)
TWO = [arb(2), arb(2), arb(2)]
integrals.real(
    "it2i0k0",
    lambda x: (x * x / 8 * hypergeometric([arb(1), arb(1)], TWO, x * x / 4), tail_of_k0(x)),
    SERIES,
    outputs=("I0", "K0"),
    weight=0.5,
)
integrals.real(
    "it2j0y0",
    lambda x: (x * x / 8 * hypergeometric([arb(1), arb(1)], TWO, -x * x / 4), tail_of_y0(x)),
    SERIES,
    outputs=("J0", "Y0"),
    weight=0.5,
)
integrals.real(
    "itstruve0", lambda x: x * x / arb.pi() * hypergeometric([arb(1), arb(1)], [arb(2), TH, TH], -x * x / 4), SERIES
)
integrals.real(
    "itmodstruve0", lambda x: x * x / arb.pi() * hypergeometric([arb(1), arb(1)], [arb(2), TH, TH], x * x / 4), SERIES
)
integrals.real(
    "it2struve0",
    lambda x: arb.pi() / 2 - 2 * x / arb.pi() * hypergeometric([arb(1), H], [TH, TH, TH], -x * x / 4),
    SERIES,
)


def struve_series(v: arb, x: arb, sign: int) -> arb:
    """DLMF 11.2.1 and 11.2.2."""
    half = x / 2
    return hypergeometric([arb(1)], [TH, v + TH], sign * half**2) * half ** (v + 1) * TH.rgamma() * (v + TH).rgamma()


STRUVE = real(smallest=-10, largest=2)
struve.real("struve", lambda v, x: struve_series(v, x, -1), STRUVE, positive(smallest=-20, largest=2.5))
struve.real("modstruve", lambda v, x: struve_series(v, x, 1), STRUVE, positive(smallest=-20, largest=2.5))


def even_and_odd(a: arb, x: arb) -> tuple[arb, arb, arb, arb]:
    """DLMF 12.4: the even and the odd solution of Weber's equation, and their derivatives."""
    square, damp = x * x / 2, (-x * x / 4).exp()
    p, q = a / 2 + arb(1) / 4, a / 2 + arb(3) / 4
    even, odd = square.hypgeom_1f1(p, H), square.hypgeom_1f1(q, TH)
    even_slope = -x / 2 * even + 2 * p * x * square.hypgeom_1f1(p + 1, TH)
    odd_slope = (1 - square) * odd + q * 2 / 3 * x * x * square.hypgeom_1f1(q + 1, arb(2.5))
    return damp * even, damp * x * odd, damp * even_slope, damp * odd_slope


def combined(parts, first: arb, second: arb):  # type: ignore[no-untyped-def]
    return first * parts[0] + second * parts[1], first * parts[2] + second * parts[3]


def cylinder_d(v: arb, x: arb) -> tuple[arb, arb]:
    a = -v - H
    first = arb.pi().sqrt() * arb(2) ** (-a / 2 - arb(1) / 4) * (arb(3) / 4 + a / 2).rgamma()
    second = -arb.pi().sqrt() * arb(2) ** (-a / 2 + arb(1) / 4) * (arb(1) / 4 + a / 2).rgamma()
    return combined(even_and_odd(a, x), first, second)


def cylinder_v(v: arb, x: arb) -> tuple[arb, arb]:
    """DLMF 12.2.8 and 12.2.9 with the poles of the gamma functions taken out."""
    a = -v - H
    first = (
        arb.pi() * arb(2) ** (a / 2 + arb(1) / 4) * (arb(3) / 4 - a / 2).rgamma() ** 2 * (arb(1) / 4 + a / 2).rgamma()
    )
    second = (
        arb.pi() * arb(2) ** (a / 2 + arb(3) / 4) * (arb(1) / 4 - a / 2).rgamma() ** 2 * (arb(3) / 4 + a / 2).rgamma()
    )
    return combined(even_and_odd(a, x), first, second)


def cylinder_w(a: arb, x: arb) -> tuple[arb, arb]:
    """DLMF 12.14: even and odd solutions with an imaginary argument."""
    square, damp = acb(0, 1) * x * x / 2, (acb(0, -1) * x * x / 4).exp()
    p, q = acb(arb(1) / 4, -a / 2), acb(arb(3) / 4, -a / 2)
    even, odd = square.hypgeom_1f1(p, acb(H)), square.hypgeom_1f1(q, acb(TH))
    slope = acb(0, 1) * x
    even_slope = -slope / 2 * even + slope * p * 2 * square.hypgeom_1f1(p + 1, acb(TH))
    odd_slope = odd * (1 - square) + x * slope * q * 2 / 3 * square.hypgeom_1f1(q + 1, acb(2.5))
    parts = [(damp * part).real for part in (even, x * odd, even_slope, odd_slope)]
    left, right = abs(acb(arb(1) / 4, a / 2).gamma()), abs(acb(arb(3) / 4, a / 2).gamma())
    return combined(
        parts, arb(2) ** (-arb(3) / 4) * (left / right).sqrt(), -(arb(2) ** (-arb(1) / 4)) * (right / left).sqrt()
    )


BOTH = ("value", "derivative")
struve.real("pbdv", cylinder_d, real(smallest=-10, largest=2), real(smallest=-10, largest=1.7), outputs=BOTH)
struve.real("pbvv", cylinder_v, real(smallest=-10, largest=2), real(smallest=-10, largest=1.7), outputs=BOTH)
struve.real(
    "pbwa",
    cylinder_w,
    real(high=0.69, smallest=-10, largest=0.69, whole=4),
    real(high=0.69, smallest=-10, largest=0.69, whole=4),
    outputs=BOTH,
)
