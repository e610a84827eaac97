"""Complex functions on their branch cuts, where the sign of a zero says from which side: the limits of either side."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

from accuracy.row import Row, Table
from flint import acb, arb, ctx

numpy_cuts = Table("numpy", "signed zeros on branch cuts")
special_cuts = Table("special", "signed zeros on branch cuts")
TABLES = (numpy_cuts, special_cuts)

SIDES = ("zero above", "zero below")
#: A distance from the cut that no digit of a result shows.
BESIDE = arb(2) ** -5000

Place = Callable[[random.Random], float]


def spread(low: float, high: float) -> Place:
    return lambda source: 10.0 ** source.uniform(low, high)


def cut(table: Table, name: str, function: Callable[..., acb], place: Place, upright: bool = False) -> None:
    """The row of a function with a cut: `place` draws a point of it, on the imaginary axis where `upright`.

    The zero of the other part has either sign; the reference is the function next to the cut on that side.
    """

    def drawn(region: str, source: random.Random) -> tuple[complex, ...]:
        zero, x = math.copysign(0.0, 1 if region == SIDES[0] else -1), place(source)
        return (complex(zero, x) if upright else complex(x, zero),)

    # The balls of arguments have no signed zeros: the row of each side has its own reference.
    for side in SIDES:
        sign = 1 if side == SIDES[0] else -1

        def value(z: acb, sign: int = sign) -> acb | None:
            # Arguments of float32 may be rounded to a pole.
            if abs(z) == 1:
                return None
            ctx.prec = ctx.prec + 5100
            return function(z + (acb(sign * BESIDE) if upright else acb(0, sign * BESIDE)))

        for loop in ("D", "F"):
            table.rows.append(
                Row(table.package, table.family, f"{name} on a cut, {side}", value, (), (loop,), (side,), drawn=drawn)
            )


def left(least: float = 0.0, low: float = -150, high: float = 150) -> Place:
    """Numbers below -`least`."""
    return lambda source: -(least + 10.0 ** source.uniform(low, high))


def outside(low: float = -14, high: float = 150) -> Place:
    """Numbers beyond 1 or -1."""
    return lambda source: source.choice((-1, 1)) * (1 + 10.0 ** source.uniform(low, high))


for name, function, place, upright in [
    ("sqrt", lambda z: z.sqrt(), left(), False),
    ("log", lambda z: z.log(), left(), False),
    ("log2", lambda z: z.log() / arb(2).log(), left(), False),
    ("log10", lambda z: z.log() / arb(10).log(), left(), False),
    ("log1p", lambda z: z.log1p(), left(1.0, -14), False),
    ("arcsin", lambda z: z.asin(), outside(), False),
    ("arccos", lambda z: z.acos(), outside(), False),
    ("arctanh", lambda z: z.atanh(), outside(), False),
    ("arccosh", lambda z: z.acosh(), left(0.0, -14), False),
    ("arcsinh", lambda z: z.asinh(), outside(), True),
    ("arctan", lambda z: z.atan(), outside(), True),
]:
    cut(numpy_cuts, name, function, place, upright)


def spence(z: acb) -> acb:
    return (1 - z).polylog(2)


for name, function, place in [
    ("loggamma", lambda z: z.lgamma(), left(0.0, -10, 3)),
    ("exp1", lambda z: z.expint(1), left(0.0, -50, 2)),
    ("spence", spence, left(0.0, -10, 30)),
]:
    cut(special_cuts, name, function, place)
