"""Writes the coefficient tables of the special functions: core/src/ufunc/special/tables.rs.

    python ci/special_tables.py            # needs mpmath; some minutes
    python ci/special_tables.py --check    # fails if the file is not what would be written

A table approximates a smooth function on an interval by a polynomial in t, which runs from -1 to 1 over the interval:
the interpolant at Chebyshev points, computed with 50 digits and cut where the rest no longer matters to the type.
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import mpmath as mp

mp.mp.dps = 50
PATH = Path(__file__).resolve().parent.parent / "core" / "src" / "ufunc" / "special" / "tables.rs"
Function = Callable[[mp.mpf], mp.mpf]
# The largest sum of coefficients that may be left out, relative to the largest value.
BOUNDS = {"F64": 2.0**-56, "F32": 2.0**-27}
HEAD = """//! Coefficients of polynomials in t, which runs from -1 to 1 over an interval.
//!
//! Written by `ci/special_tables.py`.
#![allow(clippy::excessive_precision, clippy::approx_constant, reason = "generated")]

use super::approximation::Table;
"""


@dataclass
class Spec:
    """A table: what it approximates, where, and the words that explain it."""

    name: str
    function: Function
    low: float | str
    high: float | str
    doc: str
    # How much less digits matter than those of the result: the terms of an expansion are divided by powers.
    weight: float = 1.0


def chebyshev(spec: Spec, count: int) -> list[mp.mpf]:
    """The first coefficients of the Chebyshev series, by interpolation at so many points."""
    low, high = mp.mpf(spec.low), mp.mpf(spec.high)
    angles = [(mp.mpf(2 * k + 1) * mp.pi) / (2 * count) for k in range(count)]
    values = [spec.function((low + high) / 2 + (high - low) / 2 * mp.cos(angle)) for angle in angles]
    terms = [
        2 * mp.fsum(value * mp.cos(j * angle) for value, angle in zip(values, angles, strict=True)) / count
        for j in range(count)
    ]
    terms[0] /= 2
    return terms


def powers(terms: list[mp.mpf]) -> list[mp.mpf]:
    """The coefficients of the powers of t of a Chebyshev series."""
    before, current = [mp.mpf(1)], [mp.mpf(0), mp.mpf(1)]
    result = [mp.mpf(0)] * max(2, len(terms))
    result[0] += terms[0]
    for term in terms[1:]:
        for power, value in enumerate(current):
            result[power] += term * value
        after = [mp.mpf(0), *(2 * value for value in current)]
        for power, value in enumerate(before):
            after[power] -= value
        before, current = current, after
    return result[: len(terms)]


def cut(terms: list[mp.mpf], bound: float) -> list[mp.mpf]:
    """The beginning of a series whose rest is below `bound`, relative to its largest term."""
    scale, rest = max(abs(term) for term in terms), mp.mpf(0)
    count = len(terms)
    while count > 1 and rest + abs(terms[count - 1]) < bound * scale:
        count -= 1
        rest += abs(terms[count])
    return terms[:count]


def written(spec: Spec) -> str:
    """The table as Rust."""
    terms = chebyshev(spec, 96)
    if abs(terms[-1]) > 2.0**-60 * max(abs(term) for term in terms):
        raise SystemExit(f"error: {spec.name} does not converge")
    lines = [f"/// {spec.doc}", f"pub(super) const {spec.name}: Table = Table {{"]
    lines += [f"    low: {float(mp.mpf(spec.low))!r},", f"    high: {float(mp.mpf(spec.high))!r},"]
    for field, bound in (("double", BOUNDS["F64"]), ("single", BOUNDS["F32"])):
        numbers = [float(value) for value in powers(cut(terms, bound * spec.weight))]
        lines += [f"    {field}: &[", *(f"        {number!r}," for number in numbers), "    ],"]
    return "\n".join([*lines, "};"])


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


def at_square(function: Function) -> Function:
    """f(x) as a function of x**2."""
    return lambda u: function(mp.sqrt(u))


def stirling(u: mp.mpf) -> mp.mpf:
    """x times the rest of Stirling's series of log gamma(x), over u = 1 / x**2."""
    x = 1 / mp.sqrt(u)
    if x > 10**6:
        return mp.mpf(1) / 12 - u / 360 + u * u / 1260
    return x * (mp.loggamma(x) - ((x - mp.mpf(1) / 2) * mp.log(x) - x + mp.log(2 * mp.pi) / 2))


def inverse_erf_center(w: mp.mpf) -> mp.mpf:
    """erfinv(x) / x over w = -log(1 - x**2)."""
    if w < mp.mpf(10) ** -20:
        return mp.sqrt(mp.pi) / 2 * (1 + mp.pi * w / 12)
    x = mp.sqrt(-mp.expm1(-w))
    return mp.erfinv(x) / x


def inverse_erfc_tail(s: mp.mpf) -> mp.mpf:
    """erfcinv(q) / s over s = sqrt(-log(q))."""
    q = -s * s
    # Newton on log(erfc(y)) = q.
    y = mp.sqrt(max(s * s - mp.log(max(s, mp.mpf(1)) * mp.sqrt(mp.pi)), mp.mpf("0.01")))
    for _ in range(60):
        value = mp.log(mp.erfc(y))
        step = (value - q) * mp.erfc(y) / (2 / mp.sqrt(mp.pi) * mp.exp(-y * y))
        y += step
        if abs(step) < mp.mpf(10) ** -45 * abs(y):
            break
    return y / s


def digamma_root() -> mp.mpf:
    return mp.findroot(mp.digamma, mp.mpf("1.4616321449683623"))


def digamma_near_root(x: mp.mpf) -> mp.mpf:
    """digamma(x) over the distance to its positive root."""
    root = digamma_root()
    return mp.digamma(x) / (x - root) if abs(x - root) > mp.mpf(10) ** -25 else mp.polygamma(1, root)


def digamma_rest(u: mp.mpf) -> mp.mpf:
    """x**2 * (log(x) - 1 / (2 x) - digamma(x)) over u = 1 / x**2."""
    x = 1 / mp.sqrt(u)
    if x > 10**6:
        return mp.mpf(1) / 12 - u / 120 + u * u / 252
    return x * x * (mp.log(x) - 1 / (2 * x) - mp.digamma(x))


def log_gamma_center(x: mp.mpf) -> mp.mpf:
    """log gamma(x) over (x - 1) (x - 2)."""
    for root, slope in ((1, mp.digamma(1) / (1 - 2)), (2, mp.digamma(2) / (2 - 1))):
        if abs(x - root) < mp.mpf(10) ** -25:
            return slope
    return mp.loggamma(x) / ((x - 1) * (x - 2))


def scaled_bessel(kind: Function, sign: int) -> Function:
    """exp(sign * x) times sqrt(x) times a modified Bessel function, over 1 / x."""
    return lambda u: mp.exp(sign / u) * kind(1 / u) / mp.sqrt(u)


def k0_rest(u: mp.mpf) -> mp.mpf:
    """K0(x) + log(x / 2) I0(x) over x**2."""
    x = mp.sqrt(u)
    return mp.besselk(0, x) + mp.log(x / 2) * mp.besseli(0, x)


def k1_rest(u: mp.mpf) -> mp.mpf:
    """x (K1(x) - log(x / 2) I1(x)) over x**2."""
    x = mp.sqrt(u)
    return x * (mp.besselk(1, x) - mp.log(x / 2) * mp.besseli(1, x))


def dawson(x: mp.mpf) -> mp.mpf:
    if x < 60:
        return mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)
    terms, term, k = [mp.mpf(1)], mp.mpf(1), 0
    while abs(term) > mp.mpf(10) ** -50 and k < 400:
        k += 1
        term *= (2 * k - 1) / (2 * x * x)
        terms.append(term)
    return mp.fsum(terms) / (2 * x)


def log1p_rest(x: mp.mpf) -> mp.mpf:
    """(log(1 + x) - x) / x**2."""
    if abs(x) < mp.mpf(10) ** -20:
        return -mp.mpf(1) / 2 + x / 3
    return (mp.log1p(x) - x) / x**2


def incomplete_gamma_series(orders: int, count: int) -> list[list[mp.mpf]]:
    """Taylor coefficients of the first functions c_k(eta) of DLMF 8.12.10, of which each loses two to the next."""
    # mu as a series in eta, from eta**2 / 2 = mu - log(1 + mu), whose derivative is eta (1 + mu) = mu mu'.
    total = count + 2 * orders + 2
    mu = [mp.mpf(0), mp.mpf(1)]
    for n in range(2, total + 1):
        known = mp.fsum(mu[i] * (n + 1 - i) * mu[n + 1 - i] for i in range(2, n))
        mu.append((mu[n - 1] - known) / (n + 1))
    # 1 / mu = 1 / eta + a series.
    shifted = mu[1:]
    inverse = [mp.mpf(1)]
    for n in range(1, total):
        inverse.append(-mp.fsum(shifted[i] * inverse[n - i] for i in range(1, n + 1)))
    # Stirling's coefficients, gamma*(a) = sum of g_k / a**k, with signs as in 1 / gamma*: g_k (-1)**k.
    current = inverse[1:]
    result = [current]
    for _ in range(1, orders):
        derived = [n * current[n] for n in range(1, len(current))]
        # The pole of the derivative over eta is that of g_k / mu with the other sign.
        pole = derived[0]
        current = [derived[n + 1] - pole * inverse[n + 1] for n in range(len(derived) - 1)]
        result.append(current)
    return [series[:count] for series in result]


TEMME_ORDERS = 10


def temme(k: int) -> Function:
    """c_k(eta) of DLMF 8.12.7."""
    series = incomplete_gamma_series(TEMME_ORDERS, 110)[k]
    return lambda eta: mp.polyval(series[::-1], eta)


SPECS = [
    Spec("ERF_SMALL", at_square(lambda x: mp.erf(x) / x), 0, 1, "erf(x) / x over x**2."),
    Spec(
        "ERFCX",
        from_fraction(lambda x: (x + mp.mpf(1) / 2) * erfcx(x), 3),
        -1,
        1,
        "(x + 1 / 2) erfcx(x) over (x - 3) / (x + 3): M. M. Shepherd, J. G. Laframboise, Math. Comp. 36 (1981).",
    ),
    Spec(
        "ERFINV_CENTER",
        inverse_erf_center,
        0,
        6.25,
        "erfinv(x) / x over -log(1 - x**2): M. Giles, GPU Computing Gems (2012).",
    ),
    Spec("ERFCINV_TAIL", inverse_erfc_tail, 2.625, 8, "erfcinv(q) / s over s = sqrt(-log(q))."),
    Spec("ERFCINV_FAR", inverse_erfc_tail, 8, 27.5, "The same, down to the smallest number."),
    Spec("DAWSON_SMALL", at_square(lambda x: dawson(x) / x), 0, 4, "dawsn(x) / x over x**2."),
    Spec("DAWSON_MIDDLE", lambda x: x * dawson(x), 2, 5, "x dawsn(x)."),
    Spec(
        "DAWSON_LARGE",
        lambda u: dawson(1 / mp.sqrt(u)) / mp.sqrt(u) if u > 0 else mp.mpf(1) / 2,
        0,
        0.04,
        "x dawsn(x) over 1 / x**2.",
    ),
    Spec("I0E_NEAR", lambda x: mp.exp(-x) * mp.besseli(0, x), 0, 8, "exp(-x) I0(x)."),
    Spec("I0E_FAR", scaled_bessel(lambda x: mp.besseli(0, x), -1), 0, 0.125, "exp(-x) sqrt(x) I0(x) over 1 / x."),
    Spec("I1E_NEAR", lambda x: mp.exp(-x) * mp.besseli(1, x) / x, 0, 8, "exp(-x) I1(x) / x."),
    Spec("I1E_FAR", scaled_bessel(lambda x: mp.besseli(1, x), -1), 0, 0.125, "exp(-x) sqrt(x) I1(x) over 1 / x."),
    Spec("I0_SMALL", at_square(lambda x: mp.besseli(0, x)), 0, 4, "I0(x) over x**2."),
    Spec("I1_SMALL", at_square(lambda x: mp.besseli(1, x) / x), 0, 4, "I1(x) / x over x**2."),
    Spec("K0_SMALL", k0_rest, 0, 4, "K0(x) + log(x / 2) I0(x) over x**2: DLMF 10.31.2."),
    Spec("K1_SMALL", k1_rest, 0, 4, "x (K1(x) - log(x / 2) I1(x)) over x**2: DLMF 10.31.1."),
    Spec("K0E_FAR", scaled_bessel(lambda x: mp.besselk(0, x), 1), 0, 0.5, "exp(x) sqrt(x) K0(x) over 1 / x."),
    Spec("K1E_FAR", scaled_bessel(lambda x: mp.besselk(1, x), 1), 0, 0.5, "exp(x) sqrt(x) K1(x) over 1 / x."),
    Spec("GAMMA_CENTER", mp.gamma, 1, 2, "gamma(x)."),
    Spec("LOG_GAMMA_CENTER", log_gamma_center, 1, 3, "log gamma(x) over (x - 1) (x - 2)."),
    Spec(
        "STIRLING",
        stirling,
        0,
        mp.mpf(1) / 9,
        "x times the rest of Stirling's series of log gamma(x), over 1 / x**2: DLMF 5.11.1.",
    ),
    Spec("DIGAMMA_CENTER", digamma_near_root, 1, 2.5, "digamma(x) over the distance to its root."),
    Spec("LOG1P_REST", log1p_rest, -0.5, 0.75, "(log(1 + x) - x) / x**2."),
    *(
        Spec(
            f"TEMME_{k}",
            temme(k),
            -0.5,
            0.5,
            f"c_{k}(eta) of the uniform expansion of incomplete gamma functions: DLMF 8.12.10.",
            20.0**k,
        )
        for k in range(TEMME_ORDERS)
    ),
    Spec("DIGAMMA_LARGE", digamma_rest, 0, 0.16, "x**2 (log(x) - 1 / (2 x) - digamma(x)) over 1 / x**2: DLMF 5.11.2."),
]


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes the coefficient tables of the special functions.")
    parser.add_argument("--check", action="store_true", help="only fail if the file is stale")
    given = parser.parse_args()
    text = "\n\n".join([HEAD.rstrip(), *(written(spec) for spec in SPECS)]) + "\n"
    if given.check:
        if PATH.read_text() != text:
            print(f"error: {PATH} is stale; run python ci/special_tables.py", file=sys.stderr)
            return 1
        return 0
    PATH.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
