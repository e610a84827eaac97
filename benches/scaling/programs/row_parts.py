"""The product of a sparse matrix and a vector in parts: each rank has rows of the matrix and elements of the vector.

At the start, a rank finds the columns of its elements and requests the entries of the vector there from the ranks that
have them. In each step it receives these entries, and multiplies.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import cuproxide as cp
from cuproxide.scipy import sparse

from ..program import Program, Rates, Shape, made, part, require, rounded, total

REACH = 2  # of the stencil, in each direction of a torus
OFFSETS = [(down, across) for down in range(-REACH, REACH + 1) for across in range(-REACH, REACH + 1)]
BLOCK = 1 << 20  # rows that are made at once


def weight(number: int) -> float:
    """The element of a row at its stencil's point: an integer, so that sums are exact."""
    return number % 7 - 2.0


def vector(places: Any) -> Any:
    """The elements at some places, small integers in float32."""
    return ((places * 11) % 17).astype("float32")


class RowParts(Program):
    name, title, unit, tiny = "sparse", "sparse A @ x in row parts", "elements", Fraction(1, 1 << 14)

    def __init__(self, group: Any, shape: Shape) -> None:
        super().__init__(group, shape)
        rows = shape[0] * shape[1]
        self.first, self.last = part(rows, group)
        self.x = made(vector(cp.arange(self.first, self.last)))
        columns = cp.empty((self.last - self.first, len(OFFSETS)), "int32")
        wanted = cp.zeros(rows, "bool")
        for begin in range(self.first, self.last, BLOCK):
            end = min(begin + BLOCK, self.last)
            at = slice(begin - self.first, end - self.first)
            for number, offset in enumerate(OFFSETS):
                columns[at, number] = self.places(begin, end, offset)
            wanted[columns[at].ravel()] = True
        # The elements of x that the rows meet, in order, and the rank that has each.
        needed = cp.flatnonzero(wanted)
        owned = cp.asarray([rows * rank // group.size for rank in range(group.size + 1)])
        edges = cp.searchsorted(needed, owned).tolist()
        spans = list(zip(edges, edges[1:], strict=False))
        place = cp.cumsum(wanted, dtype="int32") - 1
        del wanted
        for begin in range(0, len(columns), BLOCK):
            columns[begin : begin + BLOCK] = place[columns[begin : begin + BLOCK]]
        del place
        self.operand = cp.empty(len(needed), "float32")
        self.pieces = [self.operand[begin:end] for begin, end in spans]
        # Each rank asks each for its places.
        asked = group.all_to_allv([needed[begin:end] for begin, end in spans])
        self.asked = [made(places - self.first) for places in asked]
        weights = cp.asarray([weight(number) for number in range(len(OFFSETS))], "float32")
        values = cp.broadcast_to(weights, columns.shape).ravel()
        starts = cp.arange(len(columns) + 1) * len(OFFSETS)
        self.matrix = sparse.csr_matrix((values, columns.ravel(), starts), shape=(len(columns), len(needed)))

    def places(self, begin: int, end: int, offset: tuple[int, int]) -> Any:
        """The columns of one point of the stencil, for some rows."""
        rows = cp.arange(begin, end)
        down, across = rows // self.shape[1] + offset[0], rows % self.shape[1] + offset[1]
        return down % self.shape[0] * self.shape[1] + across % self.shape[1]

    @staticmethod
    def sizes(scale: Fraction, share: Fraction, most: int) -> Shape:
        """A torus of 6,400 x 6,250 points has 10^9 elements."""
        edge = max(2 * REACH + 1, round(6250 * float(scale) ** 0.5))
        return max(1, rounded(6400 * float(scale) ** 0.5 / most, 1)) * int(share * most), edge

    @staticmethod
    def work(shape: Shape) -> float:
        return len(OFFSETS) * shape[0] * shape[1]

    @staticmethod
    def need(shape: Shape, count: int) -> float:
        # Values and columns, and one of them once more while they are made; vectors and marks of all rows; a block.
        rows = shape[0] * shape[1]
        return 14 * RowParts.work(shape) / count + 40 * rows + 2000 * min(BLOCK, rows / count)

    @staticmethod
    def limit(shape: Shape, count: int, rates: Rates) -> float:
        """Values and columns are read once, and of each row its end and two elements; halos travel meanwhile."""
        rows = shape[0] * shape[1] / count
        halo = 0 if count == 1 else rates.latency + (1 if count == 2 else 2) * 4 * REACH * shape[1] / rates.link
        return max(rows * (8 * len(OFFSETS) + 12) / rates.memory, halo)

    def step(self) -> None:
        peers = [rank for rank in range(self.group.size) if rank != self.group.rank]
        self.group.exchange(
            [(rank, self.x[self.asked[rank]]) for rank in peers if len(self.asked[rank])],
            [(rank, self.pieces[rank]) for rank in peers if len(self.pieces[rank])],
        )
        self.pieces[self.group.rank][...] = self.x[self.asked[self.group.rank]]
        self.result = made(self.matrix @ self.operand)

    def check(self) -> str:
        """Each element is the sum over its stencil, exactly."""
        wrong = cp.zeros((), "int64")
        for begin in range(self.first, self.last, BLOCK):
            end = min(begin + BLOCK, self.last)
            wanted = cp.zeros(end - begin, "float32")
            for number, offset in enumerate(OFFSETS):
                wanted += weight(number) * vector(self.places(begin, end, offset))
            wrong = wrong + (self.result[begin - self.first : end - self.first] != wanted).sum()
        count = total(self.group, wrong)
        require(count == 0, f"{count} elements of {self.shape[0] * self.shape[1]} are not their sums")
        return "all elements exact"
