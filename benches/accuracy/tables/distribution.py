"""The rows of a continuous distribution: density and distribution function are written once, the rest follows."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.stats
from accuracy.draws import EXPONENTS, LARGE, ORDINARY, Kind, positive, real
from accuracy.row import Row, Table
from accuracy.settle import inverse
from accuracy.tables.gamma import normal
from flint import arb

continuous = Table("stats", "continuous distributions")
TABLES = (continuous,)

TAILS, WIDE = "tails", "wide shapes"
REGIONS = (ORDINARY, TAILS, WIDE)
HUGE = 1e300


def shapes_of(kinds: tuple[Kind, ...], region: str, source: random.Random) -> tuple[float, ...]:
    if region != WIDE:
        return tuple(kind[ORDINARY](source) for kind in kinds)
    return tuple(kind[source.choice((EXPONENTS, LARGE, ORDINARY))](source) for kind in kinds)


def probability(region: str, source: random.Random) -> float:
    """From one end to the other, or next to an end."""
    if region != TAILS:
        return source.uniform(0, 1)
    return 10.0 ** source.uniform(-300, -1) if source.random() < 0.7 else 1 - 10.0 ** source.uniform(-15, -1)


def quantile(name: str, shapes: tuple[float, ...], region: str, source: random.Random) -> float:
    """A place with such a probability on one of its sides, roughly: SciPy's quantile, which only says where to look."""
    distribution = getattr(scipy.stats, name)
    q = 10.0 ** source.uniform(-250, -1) if region == TAILS else source.uniform(0, 1)
    side = source.choice(("ppf", "isf"))
    try:
        with np.errstate(all="ignore"):
            found = float(getattr(distribution, side)(q, *shapes))
    except Exception:  # noqa: BLE001
        found = math.nan
    return found


def distribution(
    name: str,
    pdf: Callable[..., arb | None] | None,
    cdf: Callable[..., arb | None] | None,
    *kinds: Kind,
    sf: Callable[..., arb | None] | None = None,
    support: Callable[..., tuple[float, float]] = lambda *shapes: (-math.inf, math.inf),
    places: Callable[[random.Random], float] | None = None,
    shapes: Callable[[str, random.Random], tuple[float, ...]] | None = None,
    weight: float = 1.0,
    roots: bool = True,
    table: Table = continuous,
) -> None:
    """The rows of a distribution: what is left out follows, 1 - cdf, logarithms and roots."""
    if sf is None and cdf is not None:
        sf = lambda x, *s: 1 - cdf(x, *s)  # noqa: E731
    drawn_shapes = shapes or (lambda region, source: shapes_of(kinds, region, source))
    count = 1 + (len(kinds) if shapes is None else len(shapes(ORDINARY, random.Random(0))))

    def drawn(region: str, source: random.Random) -> tuple[float, ...]:
        parameters = drawn_shapes(region, source)
        low, high = support(*parameters)
        x = places(source) if places else quantile(name, parameters, region, source)
        if not (low < x < high and math.isfinite(x)):
            x = source.uniform(max(low, -3.0), min(high, max(low, -3.0) + 5))
        return (x, *parameters)

    def drawn_probability(region: str, source: random.Random) -> tuple[float, ...]:
        return (probability(region, source), *drawn_shapes(region, source))

    def guarded(function: Callable[..., arb | None]) -> Callable[..., arb | None]:
        def value(x: arb, *parameters: arb) -> arb | None:
            low, high = support(*(float(p.mid()) for p in parameters))
            return function(x, *parameters) if low < float(x.mid()) < high else None

        return value

    def root(side: Callable[..., arb | None]) -> Callable[..., arb | None]:
        def value(q: arb, *parameters: arb) -> arb | None:
            low, high = support(*(float(p.mid()) for p in parameters))
            low = math.nextafter(low, math.inf) if math.isfinite(low) else -HUGE
            high = math.nextafter(high, -math.inf) if math.isfinite(high) else HUGE
            return inverse(lambda x: side(x, *parameters), q, low, high)

        return value

    def logarithm(function: Callable[..., arb | None]) -> Callable[..., arb | None]:
        def value(*arguments: arb) -> arb | None:
            found = function(*arguments)
            return None if found is None else found.log()

        return value

    methods: dict[str, tuple[Any, Any, float]] = {}
    if pdf is not None:
        methods |= {"pdf": (guarded(pdf), drawn, 1.0), "logpdf": (logarithm(guarded(pdf)), drawn, 1.0)}
    if cdf is not None and sf is not None:
        methods |= {
            "cdf": (guarded(cdf), drawn, 1.0),
            "sf": (guarded(sf), drawn, 1.0),
            "logsf": (logarithm(guarded(sf)), drawn, 1.0),
        }
        if roots:
            methods |= {"ppf": (root(cdf), drawn_probability, 0.6), "isf": (root(sf), drawn_probability, 0.6)}
    for method, (reference, draw, share) in methods.items():
        table.rows.append(
            Row(
                "stats",
                table.family,
                f"{name}.{method}",
                reference,
                kinds,
                ("d" * count,),
                REGIONS,
                weight=weight * share * 0.4,
                drawn=draw,
            )
        )


S = positive(low=-0.5, high=1.0, smallest=-3, largest=4)
A = real(low=-0.5, high=0.7, smallest=-3, largest=2)
POSITIVE = lambda *shapes: (0.0, math.inf)  # noqa: E731
ONE_ = lambda *shapes: (0.0, 1.0)  # noqa: E731


def root2pi() -> arb:
    return (2 * arb.pi()).sqrt()


def bell(x: arb) -> arb:
    return (-x * x / 2).exp() / root2pi()


def tail(x: arb) -> arb:
    """The normal distribution's share above x."""
    return normal(-x)


def sign(x: arb) -> int:
    return 1 if x > 0 else -1
