"""Modified Bessel functions of orders 0 and 1."""

import mpmath as mp
from special_tables import Function, Spec, at_square


def scaled_bessel(kind: Function, sign: int) -> Function:
    """exp(sign * x) times sqrt(x) times a modified Bessel function, over 1 / x."""
    return lambda u: mp.exp(sign / u) * kind(1 / u) / mp.sqrt(u)


def k0_rest(u: mp.mpf) -> mp.mpf:
    """K0(x) + log(x / 2) I0(x) over x**2."""
    x = mp.sqrt(u)
    return mp.besselk(0, x) + mp.log(x / 2) * mp.besseli(0, x)


def k1_rest(u: mp.mpf) -> mp.mpf:
    """(K1(x) - 1 / x - log(x / 2) I1(x)) / x over x**2."""
    x = mp.sqrt(u)
    if x < mp.mpf(10) ** -12:
        return mp.euler / 2 - mp.mpf(1) / 4
    return (mp.besselk(1, x) - 1 / x - mp.log(x / 2) * mp.besseli(1, x)) / x


def i0_of_square(u: mp.mpf) -> mp.mpf:
    return mp.besseli(0, mp.sqrt(u))


def i1_of_square(u: mp.mpf) -> mp.mpf:
    return mp.besseli(1, mp.sqrt(u)) / mp.sqrt(u) if u else mp.mpf(1) / 2


SPECS = [
    Spec("I0_NEAR", i0_of_square, 0, 100, "I0(x) over x**2.", scale=i0_of_square, of_argument=True),
    Spec("I1_NEAR", i1_of_square, 0, 100, "I1(x) / x over x**2.", scale=i1_of_square, of_argument=True),
    Spec("I0E_NEAR", lambda x: mp.exp(-x) * mp.besseli(0, x), 0, 8, "exp(-x) I0(x)."),
    Spec("I0E_FAR", scaled_bessel(lambda x: mp.besseli(0, x), -1), 0, 0.125, "exp(-x) sqrt(x) I0(x) over 1 / x."),
    Spec("I1E_NEAR", lambda x: mp.exp(-x) * mp.besseli(1, x) / x, 0, 8, "exp(-x) I1(x) / x."),
    Spec("I1E_FAR", scaled_bessel(lambda x: mp.besseli(1, x), -1), 0, 0.125, "exp(-x) sqrt(x) I1(x) over 1 / x."),
    Spec("I0_SMALL", at_square(lambda x: mp.besseli(0, x)), 0, 4, "I0(x) over x**2."),
    Spec("I1_SMALL", at_square(lambda x: mp.besseli(1, x) / x), 0, 4, "I1(x) / x over x**2."),
    Spec("K0_SMALL", k0_rest, 0, 4, "K0(x) + log(x / 2) I0(x) over x**2: DLMF 10.31.2."),
    Spec("K1_SMALL", k1_rest, 0, 4, "(K1(x) - 1 / x - log(x / 2) I1(x)) / x over x**2: DLMF 10.31.1."),
    Spec("K0E_FAR", scaled_bessel(lambda x: mp.besselk(0, x), 1), 0, 0.5, "exp(x) sqrt(x) K0(x) over 1 / x."),
    Spec("K1E_FAR", scaled_bessel(lambda x: mp.besselk(1, x), 1), 0, 0.5, "exp(x) sqrt(x) K1(x) over 1 / x."),
]
