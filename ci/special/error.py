"""Error functions."""

import mpmath as mp
from special_tables import Function, Spec, at_square


def erfcx(x: mp.mpf) -> mp.mpf:
    if x < 40:
        return mp.exp(x * x) * mp.erfc(x)
    terms, term, k = [mp.mpf(1)], mp.mpf(1), 0
    while abs(term) > mp.mpf(10) ** -50 and k < 200:
        k += 1
        term *= -(2 * k - 1) / (2 * x * x)
        terms.append(term)
    return mp.fsum(terms) / (x * mp.sqrt(mp.pi))


def from_fraction(function: Function, k: float) -> Function:
    """A function of x >= 0 as one of t = (x - k) / (x + k)."""
    return lambda t: function(k * (1 + t) / (1 - t))


def inverse_erf_center(w: mp.mpf) -> mp.mpf:
    """erfinv(x) / x over w = -log(1 - x**2)."""
    if w < mp.mpf(10) ** -20:
        return mp.sqrt(mp.pi) / 2 * (1 + mp.pi * w / 12)
    x = mp.sqrt(-mp.expm1(-w))
    return mp.erfinv(x) / x


def inverse_erfc_tail(s: mp.mpf) -> mp.mpf:
    """erfcinv(q) / s over s = sqrt(-log(q (2 - q)))."""
    product = mp.exp(-s * s)
    q = mp.log(product / (1 + mp.sqrt(1 - product)))
    # Newton on log(erfc(y)) = q.
    y = mp.sqrt(max(s * s - mp.log(max(s, mp.mpf(1)) * mp.sqrt(mp.pi)), mp.mpf("0.01")))
    for _ in range(60):
        value = mp.log(mp.erfc(y))
        step = (value - q) * mp.erfc(y) / (2 / mp.sqrt(mp.pi) * mp.exp(-y * y))
        y += step
        if abs(step) < mp.mpf(10) ** -45 * abs(y):
            break
    return y / s


def dawson(x: mp.mpf) -> mp.mpf:
    if x < 60:
        return mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)
    terms, term, k = [mp.mpf(1)], mp.mpf(1), 0
    while abs(term) > mp.mpf(10) ** -50 and k < 400:
        k += 1
        term *= (2 * k - 1) / (2 * x * x)
        terms.append(term)
    return mp.fsum(terms) / (2 * x)


def erf_rest(x: mp.mpf) -> mp.mpf:
    """erf(x) / x less its value at 0, divided by x**2."""
    if x < mp.mpf(10) ** -6:
        return 2 / mp.sqrt(mp.pi) * (-mp.mpf(1) / 3 + x * x / 10)
    return (mp.erf(x) / x - 2 / mp.sqrt(mp.pi)) / (x * x)


def less_middle(function: Function, low: float, high: float) -> Function:
    """The divided difference of a function from the middle of its interval, over t from -1 to 1.

    The function is then a constant, which may have twice the digits, and a small part.
    """
    middle, half = (mp.mpf(low) + mp.mpf(high)) / 2, (mp.mpf(high) - mp.mpf(low)) / 2
    value = function(middle)

    def quotient(x: mp.mpf) -> mp.mpf:
        t = (x - middle) / half
        t = t if abs(t) > mp.mpf(10) ** -12 else mp.mpf(10) ** -12
        return (function(middle + half * t) - value) / t

    return quotient


SPECS = [
    Spec(
        "ERF_REST",
        lambda u: erf_rest(mp.sqrt(u)),
        0,
        1,
        "erf(x) / x less 2 / sqrt(pi), over and divided by x**2.",
        weight=8.0,
    ),
    Spec(
        "ERF_EXPONENT",
        lambda s: -mp.log(mp.erfc(1 + s)),
        0,
        5,
        "-log(erfc(x)) over x - 1, as exactly as erf(x) needs it.",
        scale=lambda s: mp.erf(1 + s) / mp.erfc(1 + s),
        of_argument=True,
    ),
    Spec(
        "ERFCX",
        less_middle(from_fraction(lambda x: (x + mp.mpf(1) / 2) * erfcx(x), 3), -1, 1),
        -1,
        1,
        "(x + 1 / 2) erfcx(x) less that at 3, over and divided by t = (x - 3) / (x + 3): M. M. Shepherd, J. G. "
        "Laframboise, Math. Comp. 36 (1981).",
        weight=4.0,
    ),
    Spec(
        "ERFINV_CENTER",
        less_middle(inverse_erf_center, 0, 6.25),
        0,
        6.25,
        "erfinv(x) / x less that in the middle, divided by t, over -log(1 - x**2): M. Giles, GPU Computing Gems "
        "(2012).",
    ),
    Spec(
        "ERFCINV_TAIL",
        less_middle(inverse_erfc_tail, 2.5, 8),
        2.5,
        8,
        "erfcinv(q) / s less that in the middle, divided by t, over s = sqrt(-log(q (2 - q))).",
        weight=8.0,
    ),
    Spec("ERFCINV_FAR", less_middle(inverse_erfc_tail, 8, 27.5), 8, 27.5, "The same.", weight=60.0),
    Spec("DAWSON_SMALL", at_square(lambda x: dawson(x) / x), 0, 4, "dawsn(x) / x over x**2."),
    Spec("DAWSON_MIDDLE", lambda x: x * dawson(x), 2, 5, "x dawsn(x)."),
    Spec(
        "DAWSON_LARGE",
        lambda u: dawson(1 / mp.sqrt(u)) / mp.sqrt(u) if u > 0 else mp.mpf(1) / 2,
        0,
        0.04,
        "x dawsn(x) over 1 / x**2.",
    ),
]
