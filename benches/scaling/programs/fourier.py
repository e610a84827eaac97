"""A three-dimensional FFT in slabs.

Each rank transforms two axes of its planes, ranks transpose the array, and each transforms the third axis. Planes
travel in batches on a stream of their own, while the next ones are transformed; the last batch travels in blocks of
rows, of which each is transformed while the next one travels.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import cuproxide as cp
import numpy

from ..program import Program, Rates, Shape, made, require, rounded, total

BATCHES = 4  # of the planes of a rank
BLOCKS = 4  # of the rows of a rank, at most


class Fourier(Program):
    name, title, unit, tiny = "fourier", "3-d FFT of complex64", "points", Fraction(1, 1 << 15)

    def __init__(self, group: Any, shape: Shape) -> None:
        super().__init__(group, shape)
        self.x = cp.empty((shape[0] // group.size, *shape[1:]), "complex64")
        rng = cp.random.default_rng(group.rank)
        self.x.real = rng.standard_normal(self.x.shape, dtype="float32")
        self.x.imag = rng.standard_normal(self.x.shape, dtype="float32")
        cp.evaluate(self.x)
        # Transforms fill all processors: messages come first wherever one is free.
        self.travel = cp.cuda.Stream(non_blocking=True, priority=-1)

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
        """Leaves the result in blocks of rows, each with all planes."""
        if self.group.size == 1:
            self.result = [made(cp.fft.fftn(self.x))]
            return
        size, rank, (planes, height, width) = self.group.size, self.group.rank, self.x.shape
        blocks = next(number for number in range(BLOCKS, 0, -1) if height // size % number == 0)
        current = cp.cuda.get_current_stream()
        # For each block of this rank's rows the planes of all ranks, in the order of the array.
        arrived = cp.empty((blocks, size, planes, height // size // blocks, width), self.x.dtype)
        sent, landed = [], []
        for begin in range(0, planes, -(-planes // BATCHES)):
            held = slice(begin, min(begin + -(-planes // BATCHES), planes))
            flat = cp.fft.fftn(self.x[held], axes=(1, 2)).reshape(-1, size, blocks, *arrived.shape[3:])
            parts = flat.transpose(2, 1, 0, 3, 4)
            arrived[:, rank, held] = parts[:, rank]
            # What goes to a rank lies in one piece.
            packed = cp.empty(parts.shape, parts.dtype)
            packed[:, :rank], packed[:, rank + 1 :] = parts[:, :rank], parts[:, rank + 1 :]
            cp.evaluate(arrived, packed)
            # These planes travel while the next ones are transformed.
            self.travel.wait_event(current.record())
            for some in [[block] for block in range(blocks)] if held.stop == planes else [range(blocks)]:
                places = [(peer, block) for peer in range(size) if peer != rank for block in some]
                self.group.exchange(
                    [(peer, packed[block, peer]) for peer, block in places],
                    [(peer, arrived[block, peer, held]) for peer, block in places],
                    stream=self.travel,
                )
                if held.stop == planes:
                    landed.append(self.travel.record())
            # Its memory is not used again before it was sent.
            sent.append(packed)
        self.result = []
        for block, event in zip(arrived, landed, strict=True):
            current.wait_event(event)
            self.result.append(made(cp.fft.fft(block.reshape(self.shape[0], *block.shape[2:]), axis=0)))

    def check(self) -> str:
        """Parseval's equation, and three elements as the sums that define them."""
        points = self.work(self.shape)
        energy = total(self.group, sum((abs(plane) ** 2).sum(dtype="float64") for plane in self.x))
        mine = sum((abs(plane) ** 2).sum(dtype="float64") for block in self.result for plane in block)
        found = total(self.group, mine) / points
        require(abs(found - energy) <= 1e-5 * energy, f"the energy is {found:.9g}, not {energy:.9g}")
        worst = 0.0
        planes, rank = self.x.shape[0], self.group.rank
        rows = self.shape[1] // self.group.size
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
            value = cp.zeros((), "complex64")
            if rows * rank <= place[1] < rows * (rank + 1):
                block, row = divmod(place[1] - rows * rank, self.result[0].shape[1])
                value = self.result[block][place[0], row, place[2]]
            worst = max(worst, abs(total(self.group, value.astype("complex128")) - wanted))
        # A random element is about the square root of the energy.
        relative = worst / energy**0.5
        require(relative <= 1e-4, f"an element is {relative:.2e} of its size off its sum")
        return f"Parseval within {abs(found / energy - 1):.1e}, three elements within {relative:.1e} of their sums"
