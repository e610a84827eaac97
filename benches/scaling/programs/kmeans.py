"""Lloyd's algorithm for points in the plane: each rank has a share of them, and only sums of clusters travel."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import cuproxide as cp

from ..program import Program, Rates, Shape, part, require, rounded, total

CLUSTERS = 8
BLOCK = 1 << 26  # points whose labels are in memory at once


def true_centres() -> list[tuple[float, float]]:
    """On a grid of 4 x 2, two apart: points at most a half away from theirs are never nearer to another."""
    return [(2.0 * (number % 4), 2.0 * (number // 4)) for number in range(CLUSTERS)]


def points(rng: Any, count: int) -> tuple[Any, Any]:
    """Coordinates of points, each cluster with as many: its centre and a uniform deviation below a half."""
    cluster = cp.arange(count, dtype="int32") % CLUSTERS
    x = 2 * (cluster % 4) + (rng.random(count, dtype="float32") - 0.5)
    y = 2 * (cluster // 4) + (rng.random(count, dtype="float32") - 0.5)
    return x.astype("float32"), y.astype("float32")


def sums(x: Any, y: Any, centres: Any) -> Any:
    """For each cluster the number of its points, and the sums of their coordinates."""
    # Distances have an axis of clusters, and are never in memory: they are part of a reduction.
    distances = (x - centres[:, 0, None]) ** 2 + (y - centres[:, 1, None]) ** 2
    label = distances.argmin(axis=0).astype("int8")
    # Sums over all points share kernels, four of them each; with an axis of clusters each cluster would read the points
    # again.
    found: list[list[Any]] = [[], [], []]
    for number in range(CLUSTERS):
        member = label == number
        for values, own in zip((member, cp.where(member, x, 0), cp.where(member, y, 0)), found, strict=True):
            own.append(values.sum(dtype="float64"))
    return cp.stack([cp.stack(own) for own in found])


class KMeans(Program):
    name, title, unit, tiny = "kmeans", "k-means", "points", Fraction(1, 1 << 13)

    def __init__(self, group: Any, shape: Shape) -> None:
        super().__init__(group, shape)
        first, last = (CLUSTERS * end for end in part(shape[0] // CLUSTERS, group))
        rng = cp.random.default_rng(group.rank)
        self.blocks = [points(rng, min(BLOCK, last - begin)) for begin in range(first, last, BLOCK)]
        for block in self.blocks:
            cp.evaluate(*block)
        # A tenth off, so that there is something to find.
        self.centres = cp.asarray(true_centres(), "float32") + 0.1

    @staticmethod
    def sizes(scale: Fraction, share: Fraction, most: int) -> Shape:
        return (rounded((1 << 30) * scale / most, CLUSTERS) * int(share * most),)

    @staticmethod
    def work(shape: Shape) -> float:
        return shape[0]

    @staticmethod
    def need(shape: Shape, count: int) -> float:
        return 8 * shape[0] / count + 64 * min(BLOCK, shape[0] / count)

    @staticmethod
    def limit(shape: Shape, count: int, rates: Rates) -> float:
        """The coordinates are read once."""
        return 8 * shape[0] / count / rates.memory

    def step(self) -> None:
        found = cp.zeros((3, CLUSTERS))
        for x, y in self.blocks:
            found += sums(x, y, self.centres)
        self.group.all_reduce(found, found)
        self.found = found
        self.centres = (found[1:] / cp.maximum(found[0], 1)).T.astype("float32")
        cp.evaluate(self.centres)

    def check(self) -> str:
        """Each cluster has as many points, its centre is where it was drawn, and the sums are those of all points."""
        counts, *coordinates = self.found.tolist()
        wanted = self.shape[0] / CLUSTERS
        require(counts == [wanted] * CLUSTERS, f"clusters have {counts} points, not {wanted} each")
        # The deviation of a uniform mean, with six of its standard deviations, and the rounding of float32.
        bound = 6 * (12 * wanted) ** -0.5 + 1e-5
        worst = 0.0
        for axis, values in enumerate(coordinates):
            for number, value in enumerate(values):
                worst = max(worst, abs(value / wanted - true_centres()[number][axis]))
            everything = total(self.group, sum(block[axis].sum(dtype="float64") for block in self.blocks))
            require(abs(sum(values) - everything) <= 1e-9 * abs(everything), f"sums {sum(values)} are not {everything}")
        require(worst <= bound, f"a centre is {worst:.2e} off, more than {bound:.2e}")
        return f"counts exact, centres within {worst:.1e} of those drawn from (bound {bound:.1e})"
