"""Mathieu and spheroidal functions: eigenvectors of tridiagonal matrices, refined by Rayleigh's quotient.

Each is computed twice, with more terms and digits the second time; what they differ by is the radius of the result.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from accuracy.draws import between, counts, positive, real
from accuracy.row import Table
from flint import arb, ctx

mathieu = Table("special", "Mathieu functions")
spheroidal = Table("special", "spheroidal wave functions")
TABLES = (mathieu, spheroidal)


def middle(x: arb) -> arb:
    return x.mid()


def solved(diagonal: list[arb], off: list[arb], right: list[arb]) -> list[arb]:
    """A symmetric tridiagonal system by elimination, in midpoints."""
    pivots, sides = [diagonal[0]], [right[0]]
    for k in range(1, len(diagonal)):
        factor = middle(off[k - 1] / pivots[-1])
        pivots.append(middle(diagonal[k] - factor * off[k - 1]))
        sides.append(middle(right[k] - factor * sides[-1]))
    result = [middle(sides[-1] / pivots[-1])]
    for k in range(len(diagonal) - 2, -1, -1):
        result.append(middle((sides[k] - off[k] * result[-1]) / pivots[k]))
    return result[::-1]


def eigenpair(diagonal: list[arb], off: list[arb], index: int) -> tuple[arb, list[arb]]:
    """The eigenvalue with this number from below, and its vector of length 1."""
    matrix = (
        np.diag([float(x) for x in diagonal])
        + np.diag([float(x) for x in off], 1)
        + np.diag([float(x) for x in off], -1)
    )
    values, vectors = np.linalg.eigh(matrix)
    value, vector = arb(float(values[index])), [arb(float(x)) for x in vectors[:, index]]
    for _ in range(9):
        shifted = [middle(x - value) for x in diagonal]
        if any(x == 0 for x in shifted[:1]):
            value, shifted = value + arb(2) ** -60, [middle(x - value - arb(2) ** -60) for x in diagonal]
        fresh = solved(shifted, off, vector)
        square = middle(sum((x * x for x in fresh), arb(0)))
        change = middle(sum((x * y for x, y in zip(fresh, vector, strict=True)), arb(0)) / square)
        length = square.sqrt()
        vector = [middle(x / length) for x in fresh]
        value = middle(value + change)
        if abs(change) < arb(2) ** (8 - ctx.prec) * (1 + abs(value)):
            break
    return value, vector


def twice(function: Callable[[int], tuple[arb, ...]]) -> tuple[arb, ...]:
    """Results with the difference of two computations as their radius; the argument says how many terms to add."""
    bits = ctx.prec
    ctx.prec = 2 * bits
    rough = function(0)
    ctx.prec = 3 * bits
    fine = function(24)
    ctx.prec = bits
    return tuple(arb(x.mid(), abs(x.mid() - y.mid())) for x, y in zip(fine, rough, strict=True))


def expansion(m: int, q: arb, odd: bool, more: int) -> tuple[arb, list[arb], int]:
    """The characteristic value, the coefficients, positive at 0 or with a positive slope, the first frequency."""
    size = m // 2 + 24 + more + ctx.prec // 16 + int(2 * abs(float(q)) ** 0.5)
    first = (m % 2) if not odd else 2 - m % 2
    diagonal = [arb((first + 2 * k) ** 2) for k in range(size)]
    off = [q] * (size - 1)
    if m % 2:
        diagonal[0] = diagonal[0] + (-q if odd else q)
    elif not odd:
        off[0] = q * arb(2).sqrt()
    value, vector = eigenpair(diagonal, [middle(x) for x in off], (m - first) // 2)
    if not odd and m % 2 == 0:
        vector[0] = vector[0] / arb(2).sqrt()
    weights = [(first + 2 * k if odd else 1) * x for k, x in enumerate(vector)]
    if sum(weights, arb(0)) < 0:
        vector = [-x for x in vector]
    return value, vector, first


def count(x: arb) -> int:
    return int(float(x.mid()))


def characteristic(m: arb, q: arb, odd: bool) -> arb:
    return twice(lambda more: (expansion(count(m), q, odd, more)[0],))[0]


def angular(m: arb, q: arb, degrees: arb, odd: bool) -> tuple[arb, ...]:
    def value(more: int) -> tuple[arb, arb]:
        x = degrees * arb.pi() / 180
        _, vector, first = expansion(count(m), q, odd, more)
        waves = [(first + 2 * k, c) for k, c in enumerate(vector)]
        if odd:
            return sum((c * (k * x).sin() for k, c in waves), arb(0)), sum(
                (k * c * (k * x).cos() for k, c in waves), arb(0)
            )
        return sum((c * (k * x).cos() for k, c in waves), arb(0)), sum(
            (-k * c * (k * x).sin() for k, c in waves), arb(0)
        )

    return twice(value)


def modified(m: arb, q: arb, z: arb, odd: bool, second: bool) -> tuple[arb, ...]:
    """DLMF 28.24, with the largest coefficient in the denominator."""

    def value(more: int) -> tuple[arb, arb]:
        order = count(m)
        _, vector, first = expansion(order, q, odd, more)
        s = max(range(len(vector)), key=lambda k: abs(float(vector[k])))
        shrinking, growing = q.sqrt() * (-z).exp(), q.sqrt() * z.exp()
        sign = -1 if odd else 1

        def inner(n: int) -> tuple[arb, arb]:
            return shrinking.bessel_j(n), -shrinking * (shrinking.bessel_j(n - 1) - shrinking.bessel_j(n + 1)) / 2

        def outer(n: int) -> tuple[arb, arb]:
            f = growing.bessel_y if second else growing.bessel_j
            return f(n), growing * (f(n - 1) - f(n + 1)) / 2

        total, slope = arb(0), arb(0)
        for k, c in enumerate(vector):
            if abs(c) < arb(2) ** -ctx.prec:
                continue
            (a, da), (b, db) = inner(k - s), outer(k + s + first)
            (d, dd), (e, de) = inner(k + s + first), outer(k - s)
            total += (-1) ** k * c * (a * b + sign * d * e)
            slope += (-1) ** k * c * (da * b + a * db + sign * (dd * e + d * de))
        half = 2 if first == 0 and s == 0 else 1
        factor = (-1) ** ((order - first) // 2) / (half * vector[s])
        return total * factor, slope * factor

    return twice(value)


BOTH = ("value", "derivative")
ORDER, ABOVE_ZERO = counts(12, 40), counts(12, 40, least=1)
Q = real(low=-1, high=1.3, smallest=-8, largest=2.7)
POSITIVE_Q = positive(low=-1, high=1.3, smallest=-4, largest=2)
ANGLE = real(low=0, high=2, smallest=-3, largest=3)
RADIUS = positive(low=-1, high=0.2, smallest=-4, largest=0.3, whole=2)
mathieu.real("mathieu_a", lambda m, q: characteristic(m, q, False), ORDER, Q, weight=0.4)
mathieu.real("mathieu_b", lambda m, q: characteristic(m, q, True), ABOVE_ZERO, Q, weight=0.4)
mathieu.real("mathieu_cem", lambda m, q, x: angular(m, q, x, False), ORDER, Q, ANGLE, outputs=BOTH, weight=0.4)
mathieu.real("mathieu_sem", lambda m, q, x: angular(m, q, x, True), ABOVE_ZERO, Q, ANGLE, outputs=BOTH, weight=0.4)
for kind in (1, 2):
    mathieu.real(
        f"mathieu_modcem{kind}",
        lambda m, q, x, k=kind: modified(m, q, x, False, k == 2),
        ORDER,
        POSITIVE_Q,
        RADIUS,
        outputs=BOTH,
        weight=0.2,
    )
    mathieu.real(
        f"mathieu_modsem{kind}",
        lambda m, q, x, k=kind: modified(m, q, x, True, k == 2),
        ABOVE_ZERO,
        POSITIVE_Q,
        RADIUS,
        outputs=BOTH,
        weight=0.2,
    )


def spheroid(m: int, n: int, square: arb, more: int) -> tuple[arb, list[tuple[int, arb]]]:
    """The characteristic value and Flammer's coefficients by place; `square` is c^2, negative for oblate ones."""
    size = (n - m) // 2 + 24 + more + ctx.prec // 16 + int(abs(float(square)) ** 0.5)
    places = [(n - m) % 2 + 2 * k for k in range(size)]
    diagonal, off = [], []
    for r in places:
        t = m + r
        diagonal.append(
            middle(t * (t + 1) + square * (2 * t * (t + 1) - 2 * m * m - 1) / arb((2 * t - 1) * (2 * t + 3)))
        )
        root = arb((2 * m + r + 1) * (2 * m + r + 2) * (r + 1) * (r + 2)) / arb((2 * t + 1) * (2 * t + 5))
        off.append(middle(square / (2 * t + 3) * root.sqrt()))
    value, vector = eigenpair(diagonal, off[:-1], (n - m) // 2)
    scaled = []
    for r, x in zip(places, vector, strict=True):
        scaled.append((r, x * ((2 * m + 2 * r + 1) * arb(r + 1).gamma() / arb(r + 2 * m + 1).gamma()).sqrt()))

    def at_zero(r: int) -> arb:
        """The value at 0 of the Legendre function with that place, or its slope."""
        odd = r % 2
        top = arb(r + 2 * m + odd + 1).gamma()
        return (
            (-1) ** ((r - odd) // 2)
            * top
            / (arb(2) ** r * arb((r - odd) // 2 + 1).gamma() * arb((r + 2 * m + odd) // 2 + 1).gamma())
        )

    scale = at_zero(n - m) / sum((d * at_zero(r) for r, d in scaled), arb(0))
    return value, [(r, d * scale) for r, d in scaled]


def spheroid_value(m: arb, n: arb, c: arb, sign: int) -> arb:
    return twice(lambda more: (spheroid(count(m), count(n), sign * c * c, more)[0],))[0]


def spheroid_angular(m: arb, n: arb, c: arb, x: arb, sign: int) -> tuple[arb, ...]:
    def value(more: int) -> tuple[arb, arb]:
        order = count(m)
        _, parts = spheroid(order, count(n), sign * c * c, more)
        total, slope = arb(0), arb(0)
        for r, d in parts:
            degree = order + r
            here = x.legendre_p(degree, order) * (-1) ** order
            before = x.legendre_p(degree - 1, order) * (-1) ** order if degree > order else arb(0)
            total += d * here
            slope += d * (degree * x * here - (degree + order) * before) / (x * x - 1)
        return total, slope

    return twice(value)


def spheroid_radial(m: arb, n: arb, c: arb, x: arb, sign: int) -> tuple[arb, ...]:
    def value(more: int) -> tuple[arb, arb]:
        order, degree, z = count(m), count(n), c * x
        _, parts = spheroid(order, degree, sign * c * c, more)
        total, slope, below = arb(0), arb(0), arb(0)
        for r, d in parts:
            weight = d * arb(r + 2 * order + 1).gamma() / arb(r + 1).gamma()
            below += weight
            turn = (-1) ** ((r + order - degree) // 2)
            half = (arb.pi() / (2 * z)).sqrt()
            here, after = half * z.bessel_j(order + r + arb(0.5)), half * z.bessel_j(order + r + arb(1.5))
            total += turn * weight * here
            slope += turn * weight * c * ((order + r) / z * here - after)
        square = x * x - sign
        factor = (square / (x * x)) ** (arb(order) / 2) / below
        return total * factor, (slope + total * order * sign / (x * square)) * factor

    return twice(value)


def degrees_and(c, *rest):  # type: ignore[no-untyped-def]
    def drawn(region, source):  # type: ignore[no-untyped-def]
        order = source.randint(0, 6)
        degree = order + source.randint(0, 10 if region != "large" else 30)
        chosen = region if source.random() < 0.7 else "ordinary"
        return (float(order), float(degree), c[chosen](source), *(kind[chosen](source) for kind in rest))

    return drawn


SIZE = positive(low=-1, high=1, smallest=-3, largest=1.5)
INSIDE = between(-1.0, 1.0)
OUTSIDE = {key: (lambda s, d=d: 1 + d(s)) for key, d in positive(low=-1, high=0.5, smallest=-4, largest=1).items()}
ANY_RADIUS = positive(low=-1, high=0.5, smallest=-3, largest=1)
for prefix, sign, outside in (("pro", 1, OUTSIDE), ("obl", -1, ANY_RADIUS)):
    three, four = (SIZE,) * 3, (SIZE,) * 4
    spheroidal.real(
        f"{prefix}_cv", lambda m, n, c, s=sign: spheroid_value(m, n, c, s), *three, weight=0.3, drawn=degrees_and(SIZE)
    )
    spheroidal.real(
        f"{prefix}_ang1",
        lambda m, n, c, x, s=sign: spheroid_angular(m, n, c, x, s),
        *four,
        outputs=BOTH,
        weight=0.2,
        drawn=degrees_and(SIZE, INSIDE),
    )
    spheroidal.real(
        f"{prefix}_rad1",
        lambda m, n, c, x, s=sign: spheroid_radial(m, n, c, x, s),
        *four,
        outputs=BOTH,
        weight=0.2,
        drawn=degrees_and(SIZE, outside),
    )
