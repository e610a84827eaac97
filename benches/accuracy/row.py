"""A row of the table: a function, its reference, what its arguments are drawn from, and its loops."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from accuracy.draws import REGIONS, Kind, point


@dataclass(frozen=True)
class Row:
    """One function of a package; complex loops with other arguments are another row."""

    package: str
    family: str
    name: str
    reference: Callable[..., Any]
    kinds: tuple[Kind, ...]
    loops: tuple[str, ...]
    regions: tuple[str, ...] = REGIONS
    outputs: tuple[str, ...] = ("",)
    weight: float = 1.0
    drawn: Callable[[str, random.Random], tuple[complex, ...]] | None = None

    def point(self, region: str, source: random.Random) -> tuple[complex, ...]:
        """The arguments of one point."""
        return self.drawn(region, source) if self.drawn else point(self.kinds, region, source)


class Table:
    """The rows of a family."""

    def __init__(self, package: str, family: str) -> None:
        self.package, self.family, self.rows = package, family, list[Row]()

    def real(self, name: str, reference: Callable[..., Any], *kinds: Kind, **options: Any) -> None:
        """The loops of float64 and float32."""
        count = len(kinds)
        loops = options.pop("loops", ("d" * count, "f" * count))
        self.rows.append(Row(self.package, self.family, name, reference, kinds, loops, **options))

    def complex(self, name: str, reference: Callable[..., Any], *kinds: Kind, orders: int = 0, **options: Any) -> None:
        """The loops of complex128 and complex64; the first `orders` arguments are real."""
        count = len(kinds) - orders
        loops = ("d" * orders + "D" * count, "f" * orders + "F" * count)
        self.rows.append(Row(self.package, self.family, name, reference, kinds, loops, **options))
