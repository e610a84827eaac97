"""Integrals of Bessel, Airy and Struve functions."""

from functools import cache

import mpmath as mp
from special_tables import Function, Spec, at_square

PI = mp.pi
PATH = [0, 1, 2, 4, 7, 12]


def over_powers(function: Function, power: int) -> Function:
    return at_square(lambda x: function(x) / x**power)


def at_inverse(function: Function, limit: float) -> Function:
    """A function of 1 / u, with its limit at 0."""
    return lambda u: function(1 / u) if u > mp.mpf(10) ** -30 else mp.mpf(limit)


def at_inverse_square(function: Function) -> Function:
    return lambda u: function(1 / mp.sqrt(u))


def log_part(x: mp.mpf) -> mp.mpf:
    return mp.log(x / 2) + mp.euler


# Integrals from 0, by power series.
def power_series(first: mp.mpf, ratio: Function) -> mp.mpf:
    total, term, k = first, first, 0
    while abs(term) > abs(total) * mp.mpf(10) ** -110 or k < 20:
        term *= ratio(k)
        total += term
        k += 1
    return total


def with_digits(function: Function) -> Function:
    """With digits for series that cancel."""

    def wrapped(x: mp.mpf) -> mp.mpf:
        with mp.workdps(130):
            return function(x)

    return cache(wrapped)


def of_first(sign: int) -> Function:
    """The integral of J0 or I0."""
    return with_digits(
        lambda x: power_series(x, lambda k: sign * x * x * mp.mpf(2 * k + 1) / (4 * (k + 1) ** 2 * mp.mpf(2 * k + 3)))
    )


def of_quotient(sign: int) -> Function:
    """The integral of (1 - J0) / t or (I0 - 1) / t."""
    return with_digits(
        lambda x: power_series(x * x / 8, lambda k: sign * x * x * mp.mpf(k + 1) / (4 * mp.mpf(k + 2) ** 3))
    )


def of_struve(sign: int) -> Function:
    """The integral of H0 or L0."""
    return with_digits(
        lambda x: power_series(x * x / PI, lambda k: sign * x * x * mp.mpf(k + 1) / ((2 * k + 3) ** 2 * mp.mpf(k + 2)))
    )


struve_quotient = with_digits(
    lambda x: power_series(2 * x / PI, lambda k: -x * x * mp.mpf(2 * k + 1) / (mp.mpf(2 * k + 3) ** 3))
)
j_integral, i_integral = of_first(-1), of_first(1)
j_quotient, i_quotient = of_quotient(-1), of_quotient(1)
h_integral, l_integral = of_struve(-1), of_struve(1)


# Integrals to infinity, over their leading terms: along the path of steepest descent of the integral for the function.
@cache
def hankel_tail(x: mp.mpf) -> mp.mpc:
    def inner(t: mp.mpf) -> mp.mpc:
        s = mp.mpc(0, 1) * t * t / x
        return mp.exp(-t * t) / ((1 + s) * mp.sqrt(1 + s / 2))

    return 2 / mp.sqrt(PI) * mp.quad(inner, PATH)


@cache
def hankel_quotient_tail(x: mp.mpf) -> mp.mpc:
    def inner(t: mp.mpf) -> mp.mpc:
        s = mp.mpc(0, 1) * t * t / x
        return mp.e1(t * t - mp.mpc(0, x)) / mp.sqrt(1 + s / 2)

    value = 2 / (PI * mp.mpc(0, 1)) * mp.sqrt(2 / x) * mp.expjpi(mp.mpf(1) / 4) * mp.quad(inner, PATH)
    return value / (mp.sqrt(2 / PI) * x ** mp.mpf(-1.5) * mp.expj(x + PI / 4))


@cache
def k_tail(x: mp.mpf) -> mp.mpf:
    return 2 / mp.sqrt(PI) * mp.quad(lambda t: mp.exp(-t * t) / ((1 + t * t / x) * mp.sqrt(1 + t * t / (2 * x))), PATH)


def y_integral(x: mp.mpf) -> mp.mpf:
    return -(mp.sqrt(2 / (PI * x)) * mp.expj(x + PI / 4) * hankel_tail(x)).imag


def y_quotient(x: mp.mpf) -> mp.mpf:
    return (mp.sqrt(2 / PI) * x ** mp.mpf(-1.5) * mp.expj(x + PI / 4) * hankel_quotient_tail(x)).imag


def k_integral(x: mp.mpf) -> mp.mpf:
    return PI / 2 - mp.exp(-x) * mp.sqrt(PI / (2 * x)) * k_tail(x)


def regular_part(x: mp.mpf, sign: int) -> mp.mpf:
    """What the integral of K0 / t or Y0 / t from x on has beside logarithms, from the power series of the functions."""
    total, term, harmonic = mp.mpf(0), mp.mpf(1), mp.mpf(0)
    for k in range(1, 400):
        term *= sign * x * x / (4 * mp.mpf(k) ** 2)
        harmonic += mp.mpf(1) / k
        total -= term * (harmonic + mp.mpf(1) / (2 * k)) / (2 * k)
    return total


def k_quotient_tail(x: mp.mpf) -> mp.mpf:
    if x > 60:
        return expansion(x, -1, 1)
    with mp.workdps(120):
        log = log_part(x)
        value = log**2 / 2 + PI**2 / 24 + log * i_quotient(x) + regular_part(x, 1)
        return value / (mp.sqrt(PI / 2) * x ** mp.mpf(-1.5) * mp.exp(-x))


# Asymptotic expansions, where power series and quadrature take long.
ASYMPTOTIC = 150


def expansion(x: mp.mpf, sign: int, shift: mp.mpf) -> mp.mpf:
    """The sum over exp(sign x) x**(-shift - 1 / 2) that belongs to the integral of I0 or K0 by t**shift."""
    a, term, power, total = mp.mpf(1), mp.mpf(1), mp.mpf(1), mp.mpf(1)
    for k in range(1, 70):
        a *= mp.mpf((2 * k - 1) ** 2) / (8 * k)
        term = sign**k * a + sign * (k - mp.mpf(1) / 2 + shift) * term
        power /= x
        total += term * power
    return total


def struve_expansion(x: mp.mpf, shift: int) -> mp.mpf:
    """The sum that belongs to the integral of (H0 - Y0) by t**shift, but for its leading logarithm."""
    total, term = mp.mpf(0), mp.mpf(1)
    for k in range(60):
        power = 2 * k + shift
        if power:
            total += term / power * x ** (-power)
        term *= -((2 * k + 1) ** 2)
    return 2 / PI * total


# Airy functions.
def zeta(x: mp.mpf) -> mp.mpf:
    return 2 * x ** mp.mpf(1.5) / 3


def from_zeta(z: mp.mpf) -> mp.mpf:
    return (3 * z / 2) ** (mp.mpf(2) / 3)


def ai_integral(x: mp.mpf) -> mp.mpf:
    with mp.workdps(90):
        return mp.airyai(x, derivative=-1)


def bi_integral(x: mp.mpf) -> mp.mpf:
    with mp.workdps(90):
        return mp.airybi(x, derivative=-1)


def ai_tail(x: mp.mpf) -> mp.mpf:
    if zeta(x) > 60:
        u = d = total = mp.mpf(1)
        for k in range(1, 70):
            u *= mp.mpf((6 * k - 5) * (6 * k - 3) * (6 * k - 1)) / (216 * k * (2 * k - 1))
            d = (-1) ** k * u - (k - mp.mpf(1) / 2) * d
            total += d * zeta(x) ** -k
        return total / (2 * mp.sqrt(PI))
    with mp.workdps(120):
        return (mp.mpf(1) / 3 - mp.airyai(x, derivative=-1)) * mp.exp(zeta(x)) * x ** mp.mpf(0.75)


def bi_growth(x: mp.mpf) -> mp.mpf:
    return bi_integral(x) * mp.exp(-zeta(x)) * x ** mp.mpf(0.75)


def airy_tail(x: mp.mpf) -> mp.mpc:
    """The integral of Ai(-t) - i Bi(-t) from x on, over its leading term."""
    with mp.workdps(90):
        value = mp.mpf(2) / 3 + mp.airyai(-x, derivative=-1) - mp.mpc(0, 1) * mp.airybi(-x, derivative=-1)
        leading = mp.mpc(0, 1) / mp.sqrt(PI) * x ** mp.mpf(-0.75) * mp.expj(zeta(x) - PI / 4)
        return value / leading


airy_tail = cache(airy_tail)

FAR = 1.0 / 64
SPECS = [
    Spec("INT_J", over_powers(j_integral, 1), 0, 64, "The integral of J0 over x."),
    Spec(
        "INT_Y",
        over_powers(lambda x: y_integral(x) - 2 / PI * log_part(x) * j_integral(x), 1),
        0,
        64,
        "The regular part of the integral of Y0 over x.",
    ),
    Spec("INT_H_RE", at_inverse_square(lambda x: hankel_tail(x).real), 0, FAR, "The tail's real part, over x**-2."),
    Spec("INT_H_IM", at_inverse_square(lambda x: x * hankel_tail(x).imag), 0, FAR, "x times its imaginary part.", 8),
    Spec("INT_I_SMALL", over_powers(i_integral, 1), 0, 4, "The integral of I0 over x."),
    Spec("INT_I", over_powers(i_integral, 1), 4, 64, "The same."),
    Spec(
        "INT_I_FAR",
        at_inverse(
            lambda x: (
                i_integral(x) * mp.exp(-x) * mp.sqrt(x) if x < ASYMPTOTIC else expansion(x, 1, 0) / mp.sqrt(2 * PI)
            ),
            0,
        ),
        0,
        0.125,
        "sqrt(x) exp(-x) times that integral over 1 / x.",
    ),
    Spec(
        "INT_K",
        over_powers(lambda x: k_integral(x) + log_part(x) * i_integral(x), 1),
        0,
        4,
        "The regular part of the integral of K0 over x.",
    ),
    Spec("INT_K_FAR", at_inverse(k_tail, 1), 0, 0.5, "The tail of the integral of K0 over 1 / x.", 8),
    Spec("QUO_J", over_powers(j_quotient, 2), 0, 64, "The integral of (1 - J0) / t over x**2."),
    Spec(
        "QUO_Y",
        over_powers(lambda x: -2 / PI * regular_part(x, -1), 2),
        0,
        64,
        "The regular part of the integral of Y0 / t over x**2.",
    ),
    Spec("QUO_H_RE", at_inverse_square(lambda x: hankel_quotient_tail(x).real), 0, FAR, "As INT_H_RE, of H / t."),
    Spec("QUO_H_IM", at_inverse_square(lambda x: x * hankel_quotient_tail(x).imag), 0, FAR, "As INT_H_IM.", 8),
    Spec("QUO_I", over_powers(i_quotient, 2), 0, 64, "The integral of (I0 - 1) / t over x**2."),
    Spec(
        "QUO_I_FAR",
        at_inverse(
            lambda x: (
                (i_quotient(x) + log_part(x)) * mp.exp(-x) * x ** mp.mpf(1.5)
                if x < ASYMPTOTIC
                else expansion(x, 1, 1) / mp.sqrt(2 * PI)
            ),
            0,
        ),
        0,
        0.125,
        "The same with the logarithm, times x**(3 / 2) exp(-x), over 1 / x.",
    ),
    Spec(
        "QUO_K",
        over_powers(lambda x: regular_part(x, 1), 2),
        0,
        4,
        "The regular part of the integral of K0 / t over x**2.",
    ),
    Spec("QUO_K_FAR", at_inverse(k_quotient_tail, 1), 0, 0.5, "The tail of the integral of K0 / t over 1 / x."),
    Spec("INT_STRUVE", over_powers(h_integral, 2), 0, 64, "The integral of H0 over x**2."),
    Spec(
        "INT_STRUVE_FAR",
        at_inverse_square(
            lambda x: (
                x * x * (h_integral(x) - y_integral(x) - 2 / PI * (mp.log(2 * x) + mp.euler))
                if x < 60
                else -x * x * struve_expansion(x, 0)
            )
        ),
        0,
        FAR,
        "What its integral differs by from that of Y0 and a logarithm, times x**2.",
        64,
    ),
    Spec("QUO_STRUVE", over_powers(struve_quotient, 1), 0, 64, "The integral of H0 / t from 0 over x."),
    Spec(
        "QUO_STRUVE_FAR",
        at_inverse_square(
            lambda x: x * (PI / 2 - struve_quotient(x) - y_quotient(x)) if x < 60 else x * struve_expansion(x, 1)
        ),
        0,
        FAR,
        "What the integral of H0 / t from x on differs by from that of Y0 / t, times x.",
    ),
    Spec("INT_MOD_STRUVE", over_powers(l_integral, 2), 0, 64, "The integral of L0 over x**2."),
    Spec(
        "INT_MOD_STRUVE_FAR",
        at_inverse(
            lambda x: (
                l_integral(x) * mp.exp(-x) * mp.sqrt(x) if x < ASYMPTOTIC else expansion(x, 1, 0) / mp.sqrt(2 * PI)
            ),
            0,
        ),
        0,
        0.125,
        "As INT_I_FAR, of L0.",
    ),
    Spec("INT_AI_LEFT", lambda x: ai_integral(x), -6, -2.5, "The integral of Ai."),
    Spec("INT_AI", lambda x: ai_integral(x) / x, -2.5, 2.5, "The integral of Ai over x."),
    Spec("INT_AI_FAR", at_inverse(lambda z: ai_tail(from_zeta(z)), 0.28209479177387814), 0, 0.385, "Its tail.", 8),
    Spec("INT_BI_LEFT", lambda x: bi_integral(x), -6, -2.5, "The integral of Bi."),
    Spec("INT_BI", lambda x: bi_integral(x) / x, -2.5, 2.5, "The integral of Bi over x."),
    Spec("INT_BI_BEYOND", bi_growth, 2.5, 8, "exp(-zeta) x**(3 / 4) times the integral of Bi."),
    Spec("INT_BI_FAR", at_inverse(lambda z: bi_growth(from_zeta(z)), 0), 0, 0.0664, "The same over 1 / zeta."),
    Spec(
        "INT_AIRY_RE",
        at_inverse_square(lambda z: airy_tail(from_zeta(z)).real),
        0,
        0.0105,
        "The real part of the tail of the left side, over zeta**-2.",
    ),
    Spec(
        "INT_AIRY_IM",
        at_inverse_square(lambda z: z * airy_tail(from_zeta(z)).imag),
        0,
        0.0105,
        "zeta times the other.",
        8,
    ),
]
