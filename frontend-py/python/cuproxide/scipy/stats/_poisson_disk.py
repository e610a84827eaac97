"""Poisson disk sampling: random points of which no two are near each other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ._math import gammainc
from ._qmc import QMCEngine
from ._unit_cube import box

# Up to so many dimensions a grid of cells finds what is near; above, all points are looked at.
_MOST_GRID = 3
_NOBODY = np.int64(1 << 62)


@k.function
def _squared(a: Any, i: Any, b: Any, j: Any) -> Any:
    # A loop, of whatever number of axes.
    total = k.value(0.0)
    for axis in k.steps(a.shape[1]):
        total += (a[i, axis] - b[j, axis]) * (a[i, axis] - b[j, axis])
    return total


@k.kernel
def _cells(x: k.Array[2], i: k.Each, low: k.Array[1], sizes: k.Array[1], cell: float, *, d):
    """The number of the cell of a point."""
    place = k.value(0)
    for axis in range(d):
        at = k.floor((x[i, axis] - low[axis]) / cell).astype(np.int64)
        place = place * sizes[axis] + k.clamp(at, 0, sizes[axis] - 1)
    return place


@k.kernel
def _near_in_grid(
    x: k.Array[2], i: k.Each, others: k.Array[2], owner: k.Array[1], low: k.Array[1], sizes: k.Array[1],
    cell: float, radius2: float, *, d, reach, earlier,
):  # fmt: skip
    """Whether a point lies within the radius of the owner of a cell around; for `earlier` of one before it."""
    near = k.value(False)
    step = k.value(0)
    while step < (2 * reach + 1) ** d and not near:
        rest, place, inside = step, k.value(0), k.value(True)
        for axis in range(d):
            at = k.floor((x[i, axis] - low[axis]) / cell).astype(np.int64)
            at = k.clamp(at, 0, sizes[axis] - 1) + rest % (2 * reach + 1) - reach
            rest = rest // (2 * reach + 1)
            inside = inside & (at >= 0) & (at < sizes[axis])
            place = place * sizes[axis] + k.clamp(at, 0, sizes[axis] - 1)
        who = owner[place]
        counts = inside & (who < i if earlier else who < others.shape[0])
        if counts and others.shape[0] > 0:
            near = _squared(x, i, others, k.clamp(who, 0, others.shape[0] - 1)) < radius2
        step += 1
    return near


@k.kernel
def _near_any(x: k.Array[2], i: k.Each, others: k.Array[2], radius2: float, *, earlier):
    """Whether a point lies within the radius of any other; for `earlier` of one before it."""
    near = k.value(False)
    j = k.value(0)
    last = k.minimum(i, others.shape[0]) if earlier else others.shape[0] + 0 * i
    while j < last and not near:
        near = _squared(x, i, others, j) < radius2
        j += 1
    return near


@k.kernel
def _claim(owner: k.Out[1], place: k.Each, i: k.Each):
    owner.min(place, i)


class PoissonDisk(QMCEngine):
    """Random points of which no two are nearer than a radius. See `scipy.stats.qmc.PoissonDisk`.

    New points are tried around all points that may still have room, at once (after Bridson 2007): a candidate stays if
    it is far from all points and from the candidates before it.

    Parameters
    ----------
    radius : float
        The least distance.
    hypersphere : {"volume", "surface"}
        Whether candidates lie anywhere within twice the radius, or just outside of it.
    ncandidates : int
        How many are tried around a point.
    optimization : {None, "random-cd"}, optional
        Swaps of coordinates that lower the discrepancy afterwards.
    rng : int or Generator, optional
        A seed, or a generator of `cuproxide.random`.
    l_bounds, u_bounds : array_like, optional
        The corners of the box; the unit cube if not given.

    Raises
    ------
    ValueError
        If an argument is none of these, or bounds do not fit.

    >>> engine = cp.scipy.stats.qmc.PoissonDisk(d=2, radius=0.2, rng=1)
    >>> x = engine.fill_space()
    >>> float(cp.scipy.stats.qmc.geometric_discrepancy(x)) >= 0.2
    True
    """

    def __init__(
        self, d: int, *, radius: float = 0.05, hypersphere: str = "volume", ncandidates: int = 30,
        optimization: str | None = None, rng: Any = None, l_bounds: Any = None, u_bounds: Any = None, seed: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(d, optimization=optimization, rng=rng, seed=seed)
        if hypersphere not in ("volume", "surface"):
            raise ValueError(
                f"{hypersphere!r} is not a valid hypersphere sampling method. It must be one of {{'surface', 'volume'}}"
            )
        if not radius > 0:
            raise ValueError(f"`radius` must be positive, got {radius!r}")
        self.radius, self.radius_squared, self.ncandidates = float(radius), float(radius) ** 2, int(ncandidates)
        self._hypersphere = hypersphere
        # On the surface all new points are nearly at the radius, and rounding must not bring them inside.
        self.radius_factor = 2 if hypersphere == "volume" else 1.001
        self.l_bounds, self.u_bounds = box(
            np.zeros(self.d) if l_bounds is None else l_bounds,
            np.ones(self.d) if u_bounds is None else u_bounds,
            self.d,
        )
        self.cell_size = self.radius / math.sqrt(self.d) if self.d else 0.0
        # Points within the radius lie so many cells away at most.
        self._reach = math.ceil(math.sqrt(self.d))
        self._in_grid = 0 < self.d <= _MOST_GRID
        self._start()

    def _start(self) -> None:
        self._points, self._open = cp.zeros((0, self.d)), cp.zeros((0, self.d))
        if self._in_grid:
            counts = cp.ceil((self.u_bounds - self.l_bounds) / self.cell_size).get().astype(np.int64)
            self._sizes = cp.asarray(np.maximum(counts, 1))
            self._owner = cp.full(int(np.prod(np.maximum(counts, 1))), _NOBODY)

    def _near(self, x: ndarray, others: ndarray, owner: ndarray | None, earlier: bool) -> ndarray:
        number = cp.arange(len(x))
        if owner is None:
            return _near_any(x, number, others, self.radius_squared, earlier=earlier)
        return _near_in_grid(
            x, number, others, owner, self.l_bounds, self._sizes, self.cell_size, self.radius_squared,
            d=self.d, reach=self._reach, earlier=earlier,
        )  # fmt: skip

    def _place(self, x: ndarray) -> ndarray:
        return _cells(x, cp.arange(len(x)), self.l_bounds, self._sizes, self.cell_size, d=self.d)

    def _candidates(self, centres: ndarray) -> ndarray:
        z = cp.asarray(self.rng.normal(size=(len(centres), self.ncandidates, self.d)))
        square = (z * z).sum(axis=-1, keepdims=True)
        reach = self.radius * self.radius_factor
        if self._hypersphere == "volume":
            # The share of the ball within a point's distance is uniform.
            reach = reach * gammainc(self.d / 2, square / 2) ** (1 / self.d)
        return centres[:, None, :] + z * (reach / np.sqrt(square))

    def _take(self, new: ndarray) -> None:
        first = len(self._points)
        self._points = cp.concatenate([self._points, new])
        self._open = cp.concatenate([self._open, new])
        if self._in_grid:
            _claim(self._owner, self._place(new), cp.arange(first, first + len(new)))

    def _round(self, most: float) -> ndarray:
        """Candidates around all open points; those that stay become points, and points without any are closed."""
        tried = self._candidates(self._open)
        flat = tried.reshape(-1, self.d)
        inside = ((flat >= self.l_bounds) & (flat <= self.u_bounds)).all(axis=-1)
        free = inside & ~self._near(flat, self._points, self._owner if self._in_grid else None, False)
        room = free.reshape(len(self._open), self.ncandidates).any(axis=-1)
        kept = flat[free]
        owner, alone = None, cp.ones(len(kept), dtype=bool)
        if self._in_grid:
            # Of several in a cell the first counts.
            owner = cp.full(self._owner.shape, _NOBODY)
            place, number = self._place(kept), cp.arange(len(kept))
            _claim(owner, place, number)
            alone = owner[place] == number
        new = kept[alone & ~self._near(kept, kept, owner, True)]
        new = new[: int(min(most, len(new)))]
        self._open = self._open[room]
        return new

    def _random(self, n: float = 1, *, workers: int = 1) -> ndarray:
        if n == 0 or self.d == 0:
            return cp.zeros((int(n) if np.isfinite(n) else 0, self.d))
        first = len(self._points)
        if first == 0:
            u = cp.asarray(self.rng.uniform(size=(1, self.d)))
            self._take(self.l_bounds + u * (self.u_bounds - self.l_bounds))
        while len(self._open) and len(self._points) - first < n:
            self._take(self._round(n - (len(self._points) - first)))
        return self._points[first:]

    def random(self, n: Any = 1, *, workers: int = 1) -> ndarray:
        """Up to so many more points; fewer if there is no room."""
        before = self.num_generated
        x = self._optimized(self._random(n, workers=workers))
        self.num_generated = before + len(x)
        return x

    def fill_space(self) -> ndarray:
        """Points until there is no room for more."""
        return self.random(np.inf)

    def reset(self) -> PoissonDisk:
        """The engine in its first state."""
        super().reset()
        self._start()
        return self
