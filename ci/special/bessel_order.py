"""What Bessel functions of any order are made of: Temme's gamma functions, Olver's expansions at the turning point."""

from fractions import Fraction
from functools import cache

import mpmath as mp
from special_tables import Function, Spec


def gamma_1(u: mp.mpf) -> mp.mpf:
    """(1 / gamma(1 - m) - 1 / gamma(1 + m)) / (2 m) over m**2."""
    m = mp.sqrt(u)
    return (mp.rgamma(1 - m) - mp.rgamma(1 + m)) / (2 * m)


def gamma_2(u: mp.mpf) -> mp.mpf:
    """(1 / gamma(1 - m) + 1 / gamma(1 + m)) / 2 over m**2."""
    m = mp.sqrt(u)
    return (mp.rgamma(1 - m) + mp.rgamma(1 + m)) / 2


def atanh_rest(s: mp.mpf) -> mp.mpf:
    """(atanh(w) - w) / w**3 over s = w**2, of either sign."""
    if abs(s) < mp.mpf(10) ** -20:
        return mp.mpf(1) / 3 + s / 5 + s**2 / 7 + s**3 / 9 + s**4 / 11
    w = mp.sqrt(mp.mpc(s))
    return mp.re((mp.atanh(w) - w) / w**3)


@cache
def debye(k: int) -> dict[int, Fraction]:
    """The coefficients of U_k by powers: DLMF 10.41.9."""
    if k == 0:
        return {0: Fraction(1)}
    result: dict[int, Fraction] = {}
    for n, c in debye(k - 1).items():
        result[n + 1] = result.get(n + 1, Fraction(0)) + c * (Fraction(n, 2) + Fraction(1, 8 * (n + 1)))
        result[n + 3] = result.get(n + 3, Fraction(0)) - c * (Fraction(n, 2) + Fraction(5, 8 * (n + 3)))
    return result


def airy_coefficients(count: int) -> tuple[list[Fraction], list[Fraction]]:
    """u_k and v_k of DLMF 9.7.2."""
    u = [Fraction(1)]
    for k in range(1, count):
        u.append(u[-1] * Fraction((6 * k - 5) * (6 * k - 3) * (6 * k - 1), 216 * k * (2 * k - 1)))
    return u, [Fraction(6 * k + 1, 1 - 6 * k) * value for k, value in enumerate(u)]


def number(value: Fraction) -> mp.mpf:
    return mp.mpf(value.numerator) / value.denominator


def olver(k: int, second: bool) -> Function:
    """A_k(zeta), or B_k(zeta): DLMF 10.20.10 and 10.20.11."""
    u, v = airy_coefficients(2 * k + 2)
    top = 2 * k + 1 if second else 2 * k

    def value(zeta: mp.mpf) -> mp.mpf:
        with mp.workdps(110):
            zeta = mp.mpf(zeta)
            # Newton's rule in y = log(1 - s) = 2 log(z): d zeta / dy is -sqrt(s / zeta) / 2, nearly constant.
            y = -mp.mpf("1.78") * zeta
            for _ in range(12):
                s = -mp.expm1(y)
                found = s * (mp.mpf(3) / 2 * atanh_rest(s)) ** (mp.mpf(2) / 3)
                y += 2 * (found - zeta) / mp.sqrt(s / found)
            s = -mp.expm1(y)
            root, p = mp.sqrt(mp.mpc(zeta)), 1 / mp.sqrt(mp.mpc(s))
            total = mp.mpc(0)
            for j in range(top + 1):
                polynomial = mp.fsum(number(c) * p**n for n, c in debye(top - j).items())
                total += (mp.mpf(3) / 2) ** j * number((u if second else v)[j]) * root ** (-3 * j) * polynomial
            return mp.re(-total / root if second else total)

    return value


SPECS = [
    Spec("TEMME_GAMMA_1", gamma_1, 0, 0.25, "(1 / gamma(1 - m) - 1 / gamma(1 + m)) / (2 m) over m**2."),
    Spec("TEMME_GAMMA_2", gamma_2, 0, 0.25, "(1 / gamma(1 - m) + 1 / gamma(1 + m)) / 2 over m**2."),
    Spec("ATANH_REST", atanh_rest, -0.3, 0.3, "(atanh(w) - w) / w**3 over w**2, of either sign."),
    *(
        Spec(f"OLVER_A{k}", olver(k, second=False), -1.25, 1.25, f"A_{k}(zeta) of DLMF 10.20.10.", 1600.0**k)
        for k in (1, 2, 3)
    ),
    *(
        Spec(f"OLVER_B{k}", olver(k, second=True), -1.25, 1.25, f"B_{k}(zeta) of DLMF 10.20.11.", 1600.0**k)
        for k in (0, 1, 2, 3)
    ),
]
