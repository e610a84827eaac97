"""Kinds of arguments, and what each region draws of them.

A kind maps the name of a region to a draw. A point of a region draws at least one argument from that region and the
others from it or from `ordinary`, so that extremes meet ordinary values too.
"""

from __future__ import annotations

import cmath
import math
import random
from collections.abc import Callable

Draw = Callable[[random.Random], complex]
Kind = dict[str, Draw]

ORDINARY, EXPONENTS, INTEGERS, LARGE = "ordinary", "all exponents", "beside integers", "large"
REGIONS = (ORDINARY, EXPONENTS, INTEGERS, LARGE)


def uniform(low: float, high: float) -> Draw:
    return lambda source: source.uniform(low, high)


def spread(low: float, high: float) -> Draw:
    """10**u for u between two numbers."""
    return lambda source: 10.0 ** source.uniform(low, high)


def signed(draw: Draw) -> Draw:
    return lambda source: source.choice((-1.0, 1.0)) * draw(source)


def either(*draws: Draw) -> Draw:
    return lambda source: source.choice(draws)(source)


def integers(low: int, high: int) -> Draw:
    return lambda source: float(source.randint(low, high))


def beside(low: int, high: int, unit: float = 1.0) -> Draw:
    """Multiples of `unit`, and numbers at distances of 1e-15 to 0.1 from them."""
    return lambda source: unit * source.randint(low, high) + source.choice((0, 1, -1)) * 10.0 ** source.uniform(-15, -1)


def positive(low: float = -1, high: float = 1.3, smallest: float = -300, largest: float = 4, whole: int = 40) -> Kind:
    """Above 0: exponents from `smallest` to `largest`."""
    return {
        ORDINARY: spread(low, high),
        EXPONENTS: spread(smallest, largest),
        INTEGERS: lambda source: abs(either(beside(1, whole), beside(1, 2 * whole, 0.5))(source)),
        LARGE: spread(high, largest),
    }


def real(low: float = -1, high: float = 1.3, smallest: float = -300, largest: float = 4, whole: int = 40) -> Kind:
    return {name: signed(draw) for name, draw in positive(low, high, smallest, largest, whole).items()}


def counts(most: int = 30, large: int = 1000, least: int = 0) -> Kind:
    """Integers."""
    return {
        ORDINARY: integers(least, most),
        EXPONENTS: integers(least, 3),
        INTEGERS: integers(least, most),
        LARGE: integers(most, large),
    }


def between(low: float, high: float) -> Kind:
    """Inside an interval, down to its ends."""
    width = high - low

    def near(source: random.Random) -> float:
        distance = width * 10.0 ** source.uniform(-15, -1)
        return source.choice((low + distance, high - distance))

    def tiny(source: random.Random) -> float:
        if low == 0:
            return width * 10.0 ** source.uniform(-300, 0)
        sign = source.choice((-1, 1)) if low < 0 else 1
        return min(max(sign * 10.0 ** source.uniform(-300, 0), low), high) if low < 0 else near(source)

    middle = beside(0, 0)
    return {
        ORDINARY: uniform(low, high),
        EXPONENTS: tiny,
        INTEGERS: lambda source: min(
            max((low + high) / 2 + width / 2 * middle(source), low + 1e-16), high - 1e-16 * abs(high)
        ),
        LARGE: near,
    }


UNIT = between(0.0, 1.0)


def plane(size: float = 8, smallest: float = -300, largest: float = 3) -> Kind:
    """Complex numbers; next to integers and to the axes, where branch cuts are."""

    def axis(source: random.Random) -> complex:
        long, short = (
            source.uniform(-size, size),
            source.choice((-1, 1)) * 10.0 ** source.uniform(max(smallest, -30), -1),
        )
        return complex(long, short) if source.random() < 0.7 else complex(short, long)

    def whole(source: random.Random) -> complex:
        offset = cmath.rect(10.0 ** source.uniform(-14, -1), source.uniform(0, 2 * math.pi))
        return source.randint(-int(size), int(size)) + offset

    def parts(source: random.Random) -> complex:
        return complex(*(source.choice((-1, 1)) * 10.0 ** source.uniform(smallest, 1) for _ in range(2)))

    def huge(source: random.Random) -> complex:
        return cmath.rect(10.0 ** source.uniform(math.log10(size), largest), source.uniform(0, 2 * math.pi))

    return {
        ORDINARY: lambda source: complex(source.uniform(-size, size), source.uniform(-size, size)),
        EXPONENTS: parts,
        INTEGERS: either(axis, whole),
        LARGE: huge,
    }


def point(kinds: tuple[Kind, ...], region: str, source: random.Random) -> tuple[complex, ...]:
    """The arguments of one point."""
    chosen = [source.random() < 0.6 for _ in kinds]
    chosen[source.randrange(len(kinds))] = True
    return tuple(kind[region if own else ORDINARY](source) for kind, own in zip(kinds, chosen, strict=True))
