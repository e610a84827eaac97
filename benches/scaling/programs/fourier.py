"""A three-dimensional FFT in slabs.

Each rank transforms two axes of its planes, ranks transpose the array, and each transforms the third axis. Planes
travel in batches on a stream of their own, while the next ones are transformed.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import cuproxide as cp
import numpy

from ..program import Program, Rates, Shape, made, require, rounded, total

BATCHES = 4  # of the planes of a rank


class Fourier(Program):
    name, title, unit, tiny = "fourier", "3-d FFT of complex64", "points", Fraction(1, 1 << 15)

    def __init__(self, group: Any, shape: Shape) -> None:
        super().__init__(group, shape)
        self.x = cp.empty((shape[0] // group.size, *shape[1:]), "complex64")
        rng = cp.random.default_rng(group.rank)
        self.x.real = rng.standard_normal(self.x.shape, dtype="float32")
        self.x.imag = rng.standard_normal(self.x.shape, dtype="float32")
        cp.evaluate(self.x)
        self.travel = cp.cuda.Stream(non_blocking=True)

    @staticmethod
    def sizes(scale: Fraction, share: Fraction, most: int) -> Shape:
        edge = rounded(1024 * float(scale) ** (1 / 3), most * 4)
        return int(edge * share), edge, edge

    @staticmethod
    def work(shape: Shape) -> float:
        return shape[0] * shape[1] * shape[2]

    @staticmethod
    def need(shape: Shape, count: int) -> float:
        # The input, what travels, what arrives, the result, and the library's workspace, some of it twice.
        return 6 * 8 * Fourier.work(shape) / count

    @staticmethod
    def limit(shape: Shape, count: int, rates: Rates) -> float:
        """Each of three axes is read and written once; meanwhile all but one part of `count` travels."""
        held = 8 * Fourier.work(shape) / count
        return max(3 * 2 * held / rates.memory, held * (count - 1) / count / rates.link)

    def step(self) -> None:
        size, (planes, height, width) = self.group.size, self.x.shape
        current = cp.cuda.get_current_stream()
        arrived = cp.empty((size, planes, height // size, width), self.x.dtype)
        batches = []
        for begin in range(0, planes, -(-planes // BATCHES)):
            held = slice(begin, begin + -(-planes // BATCHES))
            flat = cp.fft.fftn(self.x[held], axes=(1, 2))
            # Part i holds the rows of rank i, which then lie in the order of their planes.
            parts = cp.ascontiguousarray(flat.reshape(-1, size, height // size, width).transpose(1, 0, 2, 3))
            cp.evaluate(parts)
            # These planes travel while the next ones are transformed.
            self.travel.wait_event(current.record())
            self.group.all_to_allv(list(parts), list(arrived[:, held]), stream=self.travel)
            # Its memory is not used again before it was sent.
            batches.append(parts)
        current.wait_event(self.travel.record())
        del batches
        self.result = made(cp.fft.fft(arrived.reshape(self.shape[0], height // size, width), axis=0))

    def check(self) -> str:
        """Parseval's equation, and three elements as the sums that define them."""
        points = self.work(self.shape)
        energy = total(self.group, sum((abs(plane) ** 2).sum(dtype="float64") for plane in self.x))
        found = total(self.group, sum((abs(plane) ** 2).sum(dtype="float64") for plane in self.result)) / points
        require(abs(found - energy) <= 1e-5 * energy, f"the energy is {found:.9g}, not {energy:.9g}")
        worst = 0.0
        planes, rank = self.x.shape[0], self.group.rank
        rows = self.result.shape[1]
        for place in [
            tuple(7 * axis * size // 16 for axis, size in zip(turn, self.shape, strict=True))
            for turn in ((0, 1, 2), (1, 2, 0), (2, 0, 1))
        ]:
            first, second, third = (
                cp.asarray(numpy.exp(-2j * numpy.pi * (number * numpy.arange(size) % size) / size).astype("complex64"))
                for number, size in zip(place, self.shape, strict=True)
            )
            partial = ((self.x @ third) @ second) @ first[planes * rank : planes * (rank + 1)]
            wanted = total(self.group, partial.astype("complex128"))
            here = rows * rank <= place[1] < rows * (rank + 1)
            value = self.result[place[0], place[1] - rows * rank, place[2]] if here else cp.zeros((), "complex64")
            worst = max(worst, abs(total(self.group, value.astype("complex128")) - wanted))
        # A random element is about the square root of the energy.
        relative = worst / energy**0.5
        require(relative <= 1e-4, f"an element is {relative:.2e} of its size off its sum")
        return f"Parseval within {abs(found / energy - 1):.1e}, three elements within {relative:.1e} of their sums"
