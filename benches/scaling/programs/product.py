"""A product of float32 matrices in blocks on a grid of ranks: the `@` of distributed arrays."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import cuproxide as cp
from cuproxide.distributed.array import from_chunks, make_2d_index_map

from ..program import Program, Rates, Shape, grid, made, require, rounded, total

ANGLES = 0.37, 0.61, 0.43, 0.29  # of the waves that the operands are


def wave(rows: slice, columns: slice, down: float, across: float) -> Any:
    """Elements cos(down * i + across * j), each rounded once."""
    i, j = (cp.arange(places.start, places.stop, dtype="float64") for places in (rows, columns))
    return cp.cos(down * i[:, None] + across * j).astype("float32")


def series(angle: float, count: int) -> tuple[float, float]:
    """The sums of cos(angle * k) and sin(angle * k) for k below `count`, in closed form."""
    half = angle / 2
    size = cp.sin(count * half) / cp.sin(half)
    return float(size * cp.cos((count - 1) * half)), float(size * cp.sin((count - 1) * half))


class Product(Program):
    name, title, unit, tiny = "product", "product of matrices", "FLOP", Fraction(1, 1 << 19)

    def __init__(self, group: Any, shape: Shape) -> None:
        super().__init__(group, shape)
        (size,) = shape
        down, across = grid(group.size)
        places = [[row * across + column for column in range(across)] for row in range(down)]
        cuts = [[size * number // parts for number in range(parts + 1)] for parts in (down, across)]
        blocks = make_2d_index_map(*cuts, places)
        (place,) = blocks[group.rank]
        self.a, self.b = (
            from_chunks((size, size), "float32", blocks, {group.rank: [made(wave(*place, *angles))]}, group=group)
            for angles in (ANGLES[:2], ANGLES[2:])
        )

    @staticmethod
    def sizes(scale: Fraction, share: Fraction, most: int) -> Shape:
        return (rounded(32768 * float(scale * share) ** (1 / 3), 16),)

    @staticmethod
    def work(shape: Shape) -> float:
        return 2.0 * shape[0] ** 3

    @staticmethod
    def need(shape: Shape, count: int) -> float:
        # Operands, the result, a product beside it, a panel of each operand.
        down, across = grid(count)
        return 4 * shape[0] ** 2 * (5 / count + 1 / (down * across) + 1 / max(down, across))

    @staticmethod
    def limit(shape: Shape, count: int, rates: Rates) -> float:
        """Operations at the rate of a product on one device, or the parts of operands that each rank lacks."""
        down, across = grid(count)
        block = 4 * shape[0] ** 2 / count
        sent = block * (across - 1 + down - 1)
        return max(Product.work(shape) / count / rates.product, sent / rates.link)

    def step(self) -> None:
        self.result = self.a @ self.b
        for parts in self.result.all_chunks().values():
            cp.evaluate(*parts)

    def check(self) -> str:
        """Every element of the product of two waves is a sum of cosines, by its closed form."""
        (size,), (a, b, c, d) = self.shape, ANGLES
        worst = cp.zeros(())
        for part, (rows, columns) in zip(
            self.result.all_chunks()[self.group.rank], self.result.index_map[self.group.rank], strict=True
        ):
            j = d * cp.arange(columns.start, columns.stop, dtype="float64")
            for begin in range(0, len(part), 4096):
                found = part[begin : begin + 4096]
                first = rows.start + begin
                i = a * cp.arange(first, first + len(found), dtype="float64")[:, None]
                # cos(x) cos(y) = (cos(x + y) + cos(x - y)) / 2, each summed over k.
                wanted = 0.0
                for angle, phase in ((b + c, i + j), (b - c, i - j)):
                    cosines, sines = series(angle, size)
                    wanted = wanted + (cp.cos(phase) * cosines - cp.sin(phase) * sines) / 2
                worst = cp.maximum(worst, abs(found - wanted).max())
        error = total(self.group, worst, "max")
        # Roundings of the elements are independent; sums of float32 grow with the square root of their length.
        bound = 4e-6 * size**0.5 + 1e-7 * size
        require(error <= bound, f"an element is {error:.2e} off its closed form, more than {bound:.2e}")
        return f"elements within {error:.1e} of the closed form (bound {bound:.1e})"
