"""Arguments of special functions: over all exponents, next to integers and ends, of large orders."""

from __future__ import annotations

import random
from collections.abc import Callable

Draw = Callable[[random.Random], float]


def uniform(low: float, high: float) -> Draw:
    return lambda source: source.uniform(low, high)


def spread(low: float, high: float) -> Draw:
    """10**u for u between two numbers."""
    return lambda source: 10.0 ** source.uniform(low, high)


def signed(draw: Draw) -> Draw:
    return lambda source: source.choice((-1.0, 1.0)) * draw(source)


def negative(draw: Draw) -> Draw:
    return lambda source: -draw(source)


def whole(low: int, high: int) -> Draw:
    return lambda source: float(source.randint(low, high))


def beside_whole(low: int, high: int) -> Draw:
    """Integers, and numbers at distances of 1e-15 to 0.1 from them."""

    def draw(source: random.Random) -> float:
        return source.randint(low, high) + source.choice((0, 1, -1)) * 10.0 ** source.uniform(-15, -1)

    return draw


def below(end: float, low: float, high: float) -> Draw:
    """`end` - 10**u."""
    return lambda source: end - 10.0 ** source.uniform(low, high)


def either(*draws: Draw) -> Draw:
    return lambda source: source.choice(draws)(source)
