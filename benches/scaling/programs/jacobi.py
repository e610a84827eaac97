"""Jacobi's iteration on a grid of points, in strips of rows whose edges the ranks exchange in each step."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import cuproxide as cp

from ..program import Program, Rates, Shape, part, require, rounded, total

MODES = 7, 5  # half waves of the start, down and across


class Jacobi(Program):
    name, title, unit, tiny = "jacobi", "Jacobi with halos", "points", Fraction(1, 1 << 15)

    def __init__(self, group: Any, shape: Shape) -> None:
        super().__init__(group, shape)
        self.first, self.last = part(shape[0], group)
        self.u = cp.zeros((self.last - self.first + 2, shape[1] + 2), "float32")
        for begin, end in self.strips():
            self.u[begin - self.first + 1 : end - self.first + 1, 1:-1] = self.wave(begin, end)
        # The edge of zeros is that of both.
        self.spare = self.u.copy()
        self.steps = 0

    def strips(self) -> Iterator[tuple[int, int]]:
        """First and last rows of parts that take little memory."""
        for begin in range(self.first, self.last, 4096):
            yield begin, min(begin + 4096, self.last)

    def wave(self, first: int, last: int) -> Any:
        """An eigenvector of the iteration: rows `first` to `last`, float32."""
        rows, columns = (
            cp.sin(cp.pi * mode * (places + 1.0) / (size + 1)).astype("float32")
            for mode, places, size in zip(
                MODES, (cp.arange(first, last), cp.arange(self.shape[1])), self.shape, strict=True
            )
        )
        return rows[:, None] * columns

    @staticmethod
    def sizes(scale: Fraction, share: Fraction, most: int) -> Shape:
        edge = rounded(65536 * float(scale) ** 0.5, 8)
        return int(rounded(2 * edge / most, 1) * share * most), edge

    @staticmethod
    def work(shape: Shape) -> float:
        return shape[0] * shape[1]

    @staticmethod
    def need(shape: Shape, count: int) -> float:
        return 2.2 * 4 * shape[0] * shape[1] / count

    @staticmethod
    def limit(shape: Shape, count: int, rates: Rates) -> float:
        """Each point is read and written once; meanwhile two rows go to neighbours."""
        halo = 0 if count == 1 else rates.latency + (1 if count == 2 else 2) * 4 * shape[1] / rates.link
        return max(8 * shape[0] * shape[1] / count / rates.memory, halo)

    def step(self) -> None:
        u, new = self.u, self.spare
        above, below = self.group.rank - 1, self.group.rank + 1
        sends, receives = [], []
        if above >= 0:
            sends.append((above, u[1]))
            receives.append((above, u[0]))
        if below < self.group.size:
            sends.append((below, u[-2]))
            receives.append((below, u[-1]))
        self.group.exchange(sends, receives)
        new[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        cp.evaluate(new)
        self.u, self.spare, self.steps = new, u, self.steps + 1

    def check(self) -> str:
        """After m steps the start is multiplied by the m-th power of its eigenvalue."""
        angles = (cp.pi * mode / (size + 1) for mode, size in zip(MODES, self.shape, strict=True))
        factor = float(sum(cp.cos(angle) for angle in angles) / 2) ** self.steps
        worst = cp.zeros((), "float32")
        for begin, end in self.strips():
            found = self.u[begin - self.first + 1 : end - self.first + 1, 1:-1]
            worst = cp.maximum(worst, abs(found - factor * self.wave(begin, end)).max())
        error = total(self.group, worst, "max")
        bound = 1e-6 + 3e-7 * self.steps**0.5
        require(error <= bound, f"after {self.steps} steps {error:.2e} off the eigenvector, more than {bound:.2e}")
        return f"after {self.steps} steps {error:.1e} off the closed form (bound {bound:.1e})"
