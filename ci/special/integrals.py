"""Exponential, trigonometric and Fresnel integrals, the dilogarithm."""

import mpmath as mp
from special_tables import Function, Spec, at_square

EI_ROOT = mp.findroot(mp.ei, mp.mpf("0.3725"))


def over_x(function: Function, at_zero: int) -> Function:
    """A function divided by x, with its limit at 0."""
    return lambda x: function(x) / x if abs(x) > mp.mpf(10) ** -30 else mp.mpf(at_zero)


def at_inverse(function: Function, limit: float) -> Function:
    """A function of 1 / u, with its limit at 0."""
    return lambda u: function(1 / u) if u > mp.mpf(10) ** -30 else mp.mpf(limit)


def ein(x: mp.mpf) -> mp.mpf:
    """The entire exponential integral."""
    return mp.re(mp.e1(x) + mp.log(x)) + mp.euler


def scaled_e1(t: mp.mpf) -> mp.mpf:
    """x exp(x) exp1(x) at t = (x - 3) / (x + 3)."""
    x = 3 * (1 + t) / (1 - t)
    return x * mp.exp(x) * mp.e1(x) if x < 1e8 else 1 - 1 / x + 2 / x**2 - 6 / x**3 + 24 / x**4 - 120 / x**5


def scaled_ei(x: mp.mpf) -> mp.mpf:
    return x * mp.exp(-x) * mp.ei(x)


def auxiliary(x: mp.mpf) -> tuple[mp.mpf, mp.mpf]:
    """The functions f and g of DLMF 6.2(ii): exp(i x) E1(i x) is g - i f."""
    value = mp.exp(mp.mpc(0, x)) * mp.e1(mp.mpc(0, x))
    return -value.imag, value.real


def fresnel_auxiliary(x: mp.mpf) -> tuple[mp.mpf, mp.mpf]:
    """The functions f and g of DLMF 7.2(iv), by erfcx on a diagonal: DLMF 7.5.10."""
    z = mp.sqrt(mp.pi) / 2 * mp.mpc(1, -1) * x
    value = mp.mpc(1, 1) / 2 * mp.exp(z * z) * mp.erfc(z)
    return value.imag, value.real


def fresnel_f(v: mp.mpf) -> mp.mpf:
    x = v ** mp.mpf("0.25")
    return mp.pi * x * fresnel_auxiliary(x)[0]


def fresnel_g(v: mp.mpf) -> mp.mpf:
    x = v ** mp.mpf("0.25")
    return mp.pi**2 * x**3 * fresnel_auxiliary(x)[1]


def shi_like(function: Function, power: int) -> Function:
    """An even function of x**2 that is divided by x**power; series lose digits below that matter here."""
    return at_square(lambda x: function(x) / x**power)


SPECS = [
    Spec("EIN", over_x(ein, 1), -1, 1, "(exp1(x) + log(x) + gamma) / x."),
    Spec("E1_LARGE", scaled_e1, -0.5, 1, "x exp(x) exp1(x) over (x - 3) / (x + 3)."),
    Spec("EI_ROOT", lambda x: mp.ei(x) / (x - EI_ROOT), 0.25, 1, "expi(x) / (x - root)."),
    Spec("EI_1", scaled_ei, 1, 3, "x exp(-x) expi(x)."),
    Spec("EI_3", scaled_ei, 3, 8, "The same."),
    Spec("EI_8", scaled_ei, 8, 24, "The same."),
    Spec("EI_LARGE", at_inverse(scaled_ei, 1), 0, 1 / 24, "The same over 1 / x."),
    Spec("SI_SMALL", shi_like(mp.si, 1), 0, 16, "si(x) / x over x**2."),
    Spec(
        "CIN_SMALL", shi_like(lambda x: mp.euler + mp.log(x) - mp.ci(x), 2), 0, 16, "(log(x) + gamma - ci(x)) / x**2."
    ),
    Spec("SHI_SMALL", shi_like(mp.shi, 1), 0, 1, "shi(x) / x over x**2."),
    Spec(
        "CHIN_SMALL", shi_like(lambda x: mp.chi(x) - mp.log(x) - mp.euler, 2), 0, 1, "(chi(x) - log(x) - gamma) / x**2."
    ),
    Spec("SICI_F", at_inverse(lambda v: mp.sqrt(v) * auxiliary(mp.sqrt(v))[0], 1), 0, 1 / 144, "x f(x) over x**-2."),
    Spec("SICI_F_4", lambda u: auxiliary(1 / mp.sqrt(u))[0] / mp.sqrt(u), 1 / 144, 1 / 16, "The same, from 4 to 12."),
    Spec("SICI_G", at_inverse(lambda v: v * auxiliary(mp.sqrt(v))[1], 1), 0, 1 / 144, "x**2 g(x) over x**-2."),
    Spec("SICI_G_4", lambda u: auxiliary(1 / mp.sqrt(u))[1] / u, 1 / 144, 1 / 16, "The same, from 4 to 12."),
    Spec("SPENCE", over_x(lambda y: mp.polylog(2, y).real, 1), -1, 0.5, "spence(1 - y) / y."),
    Spec(
        "FRESNEL_S",
        lambda w: mp.fresnels(w ** mp.mpf("0.25")) / w ** mp.mpf("0.75"),
        0,
        6.5536,
        "S(x) / x**3 over x**4.",
    ),
    Spec(
        "FRESNEL_C",
        lambda w: mp.fresnelc(w ** mp.mpf("0.25")) / w ** mp.mpf("0.25"),
        0,
        6.5536,
        "C(x) / x over x**4.",
    ),
    Spec("FRESNEL_F", at_inverse(fresnel_f, 1), 0, 1 / 50, "pi x f(x) over x**-4."),
    Spec("FRESNEL_F_1", at_inverse(fresnel_f, 1), 1 / 50, 1 / 6.5536, "The same, from 1.6 on."),
    Spec("FRESNEL_G", at_inverse(fresnel_g, 1), 0, 1 / 50, "pi**2 x**3 g(x) over x**-4."),
    Spec("FRESNEL_G_1", at_inverse(fresnel_g, 1), 1 / 50, 1 / 6.5536, "The same, from 1.6 on."),
]
