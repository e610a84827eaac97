"""Sample sort: ranks sort their keys, agree on splitters, exchange what lies between them, and sort what they got."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import cuproxide as cp

from ..program import Program, Rates, Shape, made, part, require, rounded, total

SAMPLES = 1024  # of each rank


class SampleSort(Program):
    name, title, unit, tiny = "sort", "sample sort of uint32", "keys", Fraction(1, 1 << 15)

    def __init__(self, group: Any, shape: Shape) -> None:
        super().__init__(group, shape)
        first, last = part(shape[0], group)
        rng = cp.random.default_rng(group.rank)
        self.keys = made(rng.integers(0, 1 << 32, last - first, dtype="uint32"))

    @staticmethod
    def sizes(scale: Fraction, share: Fraction, most: int) -> Shape:
        return (rounded((1 << 31) * scale / most, 1) * int(share * most),)

    @staticmethod
    def work(shape: Shape) -> float:
        return shape[0]

    @staticmethod
    def need(shape: Shape, count: int) -> float:
        # Keys, in order, received, the result, and what sorting takes besides.
        return 6.5 * 4 * shape[0] / count

    @staticmethod
    def limit(shape: Shape, count: int, rates: Rates) -> float:
        """A radix sort of four bytes reads and writes each key four times; there are two where keys travel."""
        held = 4 * shape[0] / count
        sorts = 1 if count == 1 else 2
        return sorts * 4 * 2 * held / rates.memory + held * (count - 1) / count / rates.link

    def step(self) -> None:
        group = self.group
        ordered = cp.sort(self.keys)
        if group.size == 1:
            self.result = made(ordered)
            return
        mine = ordered[cp.arange(SAMPLES) * len(ordered) // SAMPLES]
        everything = cp.empty(group.size * SAMPLES, mine.dtype)
        group.all_gather(mine, everything, SAMPLES)
        splitters = cp.sort(everything)[SAMPLES::SAMPLES]
        ends = cp.searchsorted(ordered, splitters)
        cuts = [0, *ends.tolist(), len(ordered)]
        parts = group.all_to_allv([ordered[begin:end] for begin, end in pairwise(cuts)])
        del ordered
        # The parts lie one after the other.
        self.result = made(cp.sort(parts[0].base))

    def check(self) -> str:
        """In order within each rank and from rank to rank; count, sum and sum of squares are those before."""
        result, group = self.result, self.group
        require(bool((result[1:] >= result[:-1]).all()), f"rank {group.rank} is not in order")
        ends = cp.empty(2 * group.size, "uint32")
        group.all_gather(result[cp.asarray([0, len(result) - 1])], ends, 2)
        require(bool((ends[1:] >= ends[:-1]).all()), f"ranks are not in order: {ends.tolist()}")
        count = total(group, len(result))
        require(count == self.shape[0], f"{count} keys of {self.shape[0]} are left")
        sums = [[total(group, self.sums(keys, power)) for power in (1, 2)] for keys in (self.keys, result)]
        require(sums[0] == sums[1], f"sums of keys and of squares were {sums[0]}, and are {sums[1]}")
        return f"in order, {count} keys, sums of keys and squares unchanged"

    @staticmethod
    def sums(keys: Any, power: int) -> Any:
        """Of powers of the keys, modulo 2^64."""
        found = cp.zeros((), "uint64")
        for begin in range(0, len(keys), 1 << 28):
            found = found + (keys[begin : begin + (1 << 28)].astype("uint64") ** power).sum(dtype="uint64")
        return found
