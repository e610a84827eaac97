"""Delaunay triangulations, convex hulls and what is made of them.

Simplices are found on the host by exact predicates (the crate `cuproxide-geometry`): the points are copied there, the
arrays of integers back. What is computed with coordinates afterwards, and searches for simplices, run on the device.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import cuproxide as cp

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ._kdtree import cKDTree

HostArray = np.ndarray[Any, Any]


class QhullError(RuntimeError):
    """There is no triangulation or hull: points in a hyperplane, or too few of them. Named as in SciPy."""


_REASONS = {
    "too few": "QH6214 qhull input error: not enough points ({count}) to construct initial simplex (need {need})",
    "flat": "QH6154 Qhull precision error: Initial simplex is flat (all points lie in a hyperplane)",
    "dimension": "the points have {dimension} dimensions: 2 to 9 are supported",
}


def host_points(points: Any) -> tuple[ndarray, HostArray]:
    """Points on the device and on the host, checked."""
    points = cp.asarray(points)
    if points.dtype.kind == "c":
        raise TypeError("points must be real")
    points = cp.ascontiguousarray(points.astype(np.float64, copy=False))
    if points.ndim != 2:
        raise ValueError("`points` should be a 2-dimensional array")
    if points.shape[1] < 2:
        raise ValueError("Need at least 2-D data")
    if points.shape[0] == 0:
        raise ValueError("No points given")
    host = cp.asnumpy(points)
    if np.isnan(host).any():
        raise ValueError("Points cannot contain NaN")
    if np.isinf(host).any():
        raise QhullError("Points cannot contain infinities")
    return points, host


def found(result: Any, host: HostArray) -> Any:
    """What the host returned, or the error that it says."""
    if isinstance(result, str):
        count, dimension = host.shape
        raise QhullError(_REASONS[result].format(count=count, need=dimension + 1, dimension=dimension))
    return result


def integers(data: bytes, columns: int | None = None) -> HostArray:
    """Bytes of int32 as an array of rows."""
    flat = np.frombuffer(data, np.int32)
    return flat if columns is None else flat.reshape(-1, columns)


class _Incremental:
    """What is made of points can be made again of more of them."""

    def _begin(self, points: Any, incremental: bool, options: Any) -> HostArray:
        if np.ma.isMaskedArray(points):
            raise ValueError("Input points cannot be a masked array")
        if options is not None and not isinstance(options, (str, bytes)):
            raise TypeError("qhull_options must be a string")
        self._incremental, self._closed = bool(incremental), False
        self._points, host = host_points(points)
        return host

    @property
    def points(self) -> ndarray:
        """The coordinates of the points."""
        return self._points

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._points.shape[1]

    @property
    def npoints(self) -> int:
        """The number of points."""
        return self._points.shape[0]

    @property
    def min_bound(self) -> ndarray:
        """The smallest coordinates."""
        return self._points.min(axis=0)

    @property
    def max_bound(self) -> ndarray:
        """The largest coordinates."""
        return self._points.max(axis=0)

    def add_points(self, points: Any, restart: bool = False) -> None:
        """Adds points to what was made with `incremental=True`. It is made again of all of them.

        Parameters
        ----------
        restart : bool
            Whether to start again, with all points.
        """
        if not self._incremental or self._closed:
            raise RuntimeError("incremental mode not enabled or already closed")
        more, _ = host_points(points)
        if more.shape[1] != self.ndim:
            raise ValueError(f"the points have {more.shape[1]} dimensions, those before {self.ndim}")
        self._points = cp.concatenate([self._points, more])
        for name in [name for name, value in vars(type(self)).items() if isinstance(value, functools.cached_property)]:
            self.__dict__.pop(name, None)
        self._make(cp.asnumpy(self._points))

    def close(self) -> None:
        """No more points can be added."""
        self._closed = True

    def _make(self, host: HostArray) -> None:
        raise TypeError(f"{type(self).__name__} is made of nothing")


@k.kernel
def _edges(points: k.Array[2], simplices: k.Array[2], edges: k.Out[3], n: int) -> None:
    """The edges of a simplex from its last vertex, as columns, and that vertex."""
    s = k.index()
    last = simplices[s, n]
    for i in k.steps(n):
        edges[s, n, i] = points[last, i]
        for j in k.steps(n):
            edges[s, i, j] = points[simplices[s, j], i] - points[last, i]


@k.kernel
def _inverted(edges: k.Array[3], work: k.Out[3], transform: k.Out[3], n: int) -> None:
    """Inverts the edges of a simplex, with NaN where they are as good as dependent."""
    s = k.index()
    norm = 0.0
    for j in k.steps(n):
        column = 0.0
        for i in k.steps(n):
            column += abs(edges[s, i, j])
            work[s, i, j] = edges[s, i, j]
            work[s, i, n + j] = k.where(i == j, 1.0, 0.0)
        norm = max(norm, column)
    for c in k.steps(n):
        pivot, most = c, abs(work[s, c, c])
        for i in k.steps(c + 1, n):
            size = abs(work[s, i, c])
            if size > most:
                pivot, most = i, size
        for j in k.steps(2 * n):
            above, below = work[s, c, j], work[s, pivot, j]
            work[s, pivot, j] = above
            work[s, c, j] = below
        scale = 1.0 / work[s, c, c]
        for j in k.steps(2 * n):
            work[s, c, j] = work[s, c, j] * scale
        for i in k.steps(n):
            factor = work[s, i, c]
            if i != c:
                for j in k.steps(2 * n):
                    work[s, i, j] = work[s, i, j] - factor * work[s, c, j]
    inverse = 0.0
    for j in k.steps(n):
        column = 0.0
        for i in k.steps(n):
            column += abs(work[s, i, n + j])
        inverse = max(inverse, column)
    # Below this reciprocal condition SciPy says that a simplex is degenerate.
    usable = 1.0 / (norm * inverse) > 1000 * 2.220446049250313e-16
    for i in k.steps(n):
        for j in k.steps(n):
            transform[s, i, j] = k.where(usable, work[s, i, n + j], np.nan)


@k.function
def _smallest_part(x, transform, s, n, axes):
    """The smallest barycentric coordinate of a point, and of which vertex."""
    rest, least, at = 1.0, np.inf, 0
    lost = False
    for i in range(axes) if axes else k.steps(n):
        part = 0.0
        for j in range(axes) if axes else k.steps(n):
            part += transform[s, i, j] * (x[j] - transform[s, n, j])
        rest -= part
        if part < least:
            least, at = part, i
        lost = lost | (part != part)
    if rest < least:
        least, at = rest, n
    if lost:
        least = np.nan
    return least, at


# From so many points in one cell of a grid on, walks from the simplex of a cell are long.
_MOST_IN_CELL = 64


@k.function
def _is_inside(x, n):
    """Whether all coordinates are finite."""
    inside = True
    for d in k.steps(n):
        inside = inside & (x[d] - x[d] == 0.0)
    return inside


@k.function
def _cell_of(x, low, scale, side, n):
    """The number of the cell of a grid that is nearest to a point."""
    cell = 0
    for d in k.steps(n):
        at = k.clamp((x[d] - low[d]) * scale[d], 0.0, side - 1.0)
        cell = cell * side + k.clamp(at.astype(np.int64), 0, side - 1)
    return cell


@k.kernel
def _cells(x: k.Array[1], low: k.Array[1], scale: k.Array[1], side: int, n: int):
    """The cells of points."""
    return _cell_of(x, low, scale, side, n)


@k.kernel
def _locate_by_grid(x: k.Array[1], starts: k.Array[1], low: k.Array[1], scale: k.Array[1], transform: k.Array[3],
                    neighbors: k.Array[2], side: int, eps: float, n: int, *, axes: int):  # fmt: skip
    """The simplex that contains a point: a walk from the simplex of its cell."""
    found = -1
    if _is_inside(x, n):
        found = _walk(x, starts[_cell_of(x, low, scale, side, n)], transform, neighbors, eps, n, True, axes)
    return k.value(found, np.int32)


@k.kernel
def _locate(x: k.Array[1], start: k.Each, transform: k.Array[3], neighbors: k.Array[2], eps: float, n: int, walks: bool,
            *, axes: int):  # fmt: skip
    """The same from a simplex that the caller knows, or among all of them."""
    found = -1
    if _is_inside(x, n):
        found = _walk(x, start, transform, neighbors, eps, n, walks, axes)
    return k.value(found, np.int32)


@k.function
def _walk(x, start, transform, neighbors, eps, n, walks, axes):
    """The simplex that contains a point: a walk from `start`, and a search through all where that gets lost."""
    simplex, found, going, lost, steps = start.astype(np.int64), -1, walks, not walks, 0
    while going:
        least, at = _smallest_part(x, transform, simplex, n, axes)
        if least >= -eps:
            found, going = simplex, False
        elif least != least or steps > transform.shape[0]:
            going, lost = False, True
        else:
            simplex = neighbors[simplex, at].astype(np.int64)
            steps += 1
            going = simplex >= 0
    if lost:
        s = 0
        while found < 0 and s < transform.shape[0]:
            least, at = _smallest_part(x, transform, s, n, axes)
            if least >= -eps:
                found = s
            s += 1
    return found


class Delaunay(_Incremental):
    """A Delaunay triangulation in 2 to 9 dimensions. See `scipy.spatial.Delaunay`.

    Points on one sphere are triangulated in some way; no simplex is flat. Attributes are arrays on the device.

    Parameters
    ----------
    points
        Coordinates, of shape (npoints, ndim).
    furthest_site
        Whether spheres contain all points instead of none. Only corners of the hull are vertices then.
    incremental
        Whether points can be added.
    qhull_options
        Accepted and of no use.

    Raises
    ------
    QhullError
        If there are too few points, or all lie in a hyperplane.
    ValueError
        For NaN and shapes that do not fit.

    >>> tri = cp.scipy.spatial.Delaunay(cp.asarray([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    >>> tri.find_simplex(cp.asarray([[0.2, 0.2], [2.0, 2.0]]))
    array([ 0, -1], dtype=int32)
    """

    def __init__(
        self, points: Any, furthest_site: bool = False, incremental: bool = False, qhull_options: str | None = None
    ) -> None:
        self.furthest_site = bool(furthest_site)
        self._make(self._begin(points, incremental, qhull_options))

    def _make(self, host: HostArray) -> None:
        parts = found(_core.delaunay(host.tobytes(), host.shape[1], False, self.furthest_site), host)
        size = host.shape[1] + 1
        self._host = integers(parts[0], size), integers(parts[1], size)
        self.simplices, self.neighbors = (cp.asarray(a) for a in self._host)
        self._convex_hull = cp.asarray(integers(parts[2], size - 1))
        self.coplanar = cp.asarray(integers(parts[3], 3))
        # As Qhull scales squares: to the range of coordinates, with its point at infinity a tenth above them. Those of
        # huge and tiny coordinates are out of bounds.
        with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
            squares = np.square(host).sum(axis=1)
            low, high = squares.min(), squares.max()
            scale = np.abs(host).max() / (1.1 * high - low)
            self.paraboloid_scale, self.paraboloid_shift = float(scale), float(-low * scale)

    @property
    def nsimplex(self) -> int:
        """The number of simplices."""
        return self._host[0].shape[0]

    @property
    def convex_hull(self) -> ndarray:
        """The facets of the hull."""
        return self._convex_hull

    @property
    def vertices(self) -> ndarray:
        """The simplices, by the name that they once had."""
        return self.simplices

    @functools.cached_property
    def transform(self) -> ndarray:
        """For each simplex the matrix from `x - r` to barycentric coordinates, and `r`, its last vertex.

        NaN for simplices that are as good as flat.
        """
        n, count = self.ndim, self.nsimplex
        edges = cp.empty((count, n + 1, n))
        _edges(self._points, self.simplices, edges, n, shape=(count,))
        result = edges.copy()
        _inverted(edges, cp.empty((count, n, 2 * n)), result, n, shape=(count,))
        return result

    @functools.cached_property
    def equations(self) -> ndarray:
        """The hyperplanes of the simplices lifted onto the paraboloid: normal and offset, outward."""
        corners = self._points[self.simplices]
        last, scale = corners[:, -1], self.paraboloid_scale
        edges = corners[:, :-1] - last[:, None]
        # The centre of the sphere through the corners, from the last one.
        right = (edges * edges).sum(axis=-1) / 2
        centre = (right[:, :, None] * self.transform[:, : self.ndim]).sum(axis=1)
        normal = cp.concatenate([2 * scale * (centre + last), cp.full((self.nsimplex, 1), -1.0)], axis=1)
        normal = normal / cp.sqrt((normal * normal).sum(axis=1, keepdims=True))
        offset = -(normal * self.lift_points(last)).sum(axis=1, keepdims=True)
        return cp.concatenate([normal, offset], axis=1)

    @functools.cached_property
    def vertex_to_simplex(self) -> ndarray:
        """For each point a simplex that it is a vertex of, or in which a point that is no vertex lies."""
        result = np.full(self.npoints, -1, np.int32)
        simplices = self._host[0]
        result[simplices.reshape(-1)] = np.repeat(np.arange(simplices.shape[0], dtype=np.int32), simplices.shape[1])
        coplanar = cp.asnumpy(self.coplanar)
        result[coplanar[:, 0]] = coplanar[:, 1]
        return cp.asarray(result)

    @functools.cached_property
    def vertex_neighbor_vertices(self) -> tuple[ndarray, ndarray]:
        """The neighbours of all points, one after another: where those of each begin, and which they are."""
        simplices, size = self.simplices.astype(np.int64), self.ndim + 1
        first, second = (
            np.array(x) for x in zip(*((i, j) for i in range(size) for j in range(size) if i != j), strict=True)
        )
        keys = simplices[:, cp.asarray(first)] * self.npoints + simplices[:, cp.asarray(second)]
        keys = cp.unique(keys)
        counts = cp.bincount(keys // self.npoints, minlength=self.npoints)
        starts = cp.concatenate([cp.zeros(1, np.int64), cp.cumsum(counts)])
        return starts.astype(np.int32), (keys % self.npoints).astype(np.int32)

    @functools.cached_property
    def _nearest(self) -> cKDTree:
        return cKDTree(self._points)

    @functools.cached_property
    def _grid(self) -> tuple[ndarray, ndarray, ndarray, int] | None:
        """A simplex near the centre of each cell of a grid with about as many cells as points, where cells begin, their
        number for a unit of length, and how many there are along an axis; none for points that crowd in few cells."""
        n = self.ndim
        side = max(round(self.npoints ** (1 / n)), 1)
        low, high = cp.asnumpy(cp.stack([self.min_bound, self.max_bound]))
        with np.errstate(over="ignore", divide="ignore"):
            scale = side / (high - low)
        if n > 3 or not np.isfinite(scale).all() or not (scale > 0).all():
            return None
        axes = np.meshgrid(*(low[d] + (np.arange(side) + 0.5) / scale[d] for d in range(n)), indexing="ij")
        centres = cp.asarray(np.stack([axis.reshape(-1) for axis in axes], axis=1))
        begin, scale = cp.asarray(low), cp.asarray(scale)
        cells = _cells(self._points, begin, scale, side, n, shape=(self.npoints,))
        if int(cp.bincount(cells).max()) > _MOST_IN_CELL:
            return None
        return self._starts(centres), begin, scale, side

    def _starts(self, points: ndarray) -> ndarray:
        """For each point a simplex at the nearest vertex."""
        # In this norm nothing overflows.
        _, near = self._nearest.query(points, p=np.inf)
        return cp.maximum(self.vertex_to_simplex[near], 0)

    def find_simplex(self, xi: Any, bruteforce: bool = False, tol: float | None = None) -> ndarray:
        """The simplices that contain points, -1 for points outside.

        Each point walks from the simplex at its cell of a grid, or, where points crowd, at the nearest vertex. `tol`
        is how negative barycentric coordinates may be.

        Parameters
        ----------
        bruteforce : bool
            Whether every simplex is looked at, instead of walking from one to the next.
        tol : float, optional
            How far outside a point may be.
        """
        xi = cp.asarray(xi)
        if xi.dtype.kind == "c":
            raise TypeError("xi must be real")
        xi = xi.astype(np.float64, copy=False)
        if xi.ndim == 0 or xi.shape[-1] != self.ndim:
            raise ValueError("wrong dimensionality in xi")
        shape = xi.shape[:-1]
        rows = xi.reshape(int(np.prod(shape)), self.ndim)
        if rows.shape[0] == 0:
            return cp.empty(shape, np.int32)
        eps = 100 * float(np.finfo(float).eps) if tol is None else float(tol)
        n = self.ndim
        axes, grid = n if n <= 3 else 0, None if bruteforce else self._grid
        if grid is not None:
            starts, low, scale, side = grid
            found = _locate_by_grid(
                rows, starts, low, scale, self.transform, self.neighbors, side, eps, n, axes=axes,
                shape=(rows.shape[0],),
            )  # fmt: skip
            return found.reshape(shape)
        start: Any = np.int32(0)
        if not bruteforce:
            start = self._starts(cp.where(cp.isfinite(rows).all(axis=1, keepdims=True), rows, 0.0))
        found = _locate(
            rows, start, self.transform, self.neighbors, eps, n, not bruteforce, axes=axes, shape=(rows.shape[0],)
        )
        return found.reshape(shape)

    def lift_points(self, x: Any) -> ndarray:
        """Points with their height on the paraboloid behind their coordinates."""
        x = cp.asarray(x)
        height = self.paraboloid_scale * (x * x).sum(axis=-1, keepdims=True) + self.paraboloid_shift
        return cp.concatenate([x, height], axis=-1)

    def plane_distance(self, xi: Any) -> ndarray:
        """The distances of lifted points to the hyperplanes of all simplices."""
        xi = cp.asarray(xi).astype(np.float64, copy=False)
        if xi.ndim == 0 or xi.shape[-1] != self.ndim:
            raise ValueError("xi has different dimensionality than triangulation")
        return self.lift_points(xi) @ self.equations[:, :-1].T + self.equations[:, -1]


def tsearch(tri: Delaunay, xi: Any) -> ndarray:
    """The simplices of a triangulation that contain points: `tri.find_simplex(xi)`.

    >>> tri = cp.scipy.spatial.Delaunay(cp.asarray([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    >>> cp.scipy.spatial.tsearch(tri, cp.asarray([[0.2, 0.2], [2.0, 2.0]]))
    array([ 0, -1], dtype=int32)
    """
    return tri.find_simplex(xi)


class ConvexHull(_Incremental):
    """A convex hull in 2 to 9 dimensions. See `scipy.spatial.ConvexHull`.

    Faces of more corners than a simplex has are divided. Vertices are corners: points on faces and edges are none.

    Parameters
    ----------
    points
        Coordinates, of shape (npoints, ndim).
    incremental
        Whether points can be added.
    qhull_options
        `QGn` asks for `good`: the facets visible from point n, which is then no part of the hull. Others are of no use.

    >>> hull = cp.scipy.spatial.ConvexHull(cp.asarray([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [0.5, 0.5]]))
    >>> sorted(hull.vertices.tolist()), hull.volume
    ([0, 1, 2], 2.0)
    """

    def __init__(self, points: Any, incremental: bool = False, qhull_options: str | None = None) -> None:
        words = (qhull_options or "").split()
        seen = [int(word[2:]) for word in words if word.startswith("QG") and word[2:].isdigit()]
        self._seen_from = seen[0] if seen else None
        self._make(self._begin(points, incremental, qhull_options))

    def _make(self, host: HostArray) -> None:
        dimension = host.shape[1]
        kept = np.arange(host.shape[0])
        if self._seen_from is not None:
            if self._seen_from >= host.shape[0]:
                raise QhullError(f"QG{self._seen_from} names a point that is not there")
            kept = np.delete(kept, self._seen_from)
        facets, neighbors, equations, planes, vertices, self.area, self.volume = found(
            _core.convex_hull(host[kept].tobytes(), dimension), host
        )
        self.simplices = cp.asarray(kept[integers(facets, dimension)].astype(np.int32))
        self.neighbors = cp.asarray(integers(neighbors, dimension))
        self.equations = cp.asarray(np.frombuffer(equations).reshape(-1, dimension + 1))
        self.coplanar = cp.empty((0, 3), np.int32)
        self._planes = integers(planes)
        corners = kept[integers(vertices)].astype(np.int32)
        if dimension == 2:
            corners = _around(self.simplices, self.neighbors)
        self._vertices = cp.asarray(corners)
        self.good = None
        if self._seen_from is not None:
            point = self._points[self._seen_from]
            self.good = (self.equations[:, :-1] * point).sum(axis=1) + self.equations[:, -1] > 0

    @property
    def vertices(self) -> ndarray:
        """The corners; in two dimensions counterclockwise."""
        return self._vertices

    @property
    def nsimplex(self) -> int:
        """The number of facets."""
        return self.simplices.shape[0]


def _around(facets: ndarray, neighbors: ndarray) -> HostArray:
    """The corners of a polygon, counterclockwise: edges lead from their first vertex to their second one."""
    facets, neighbors = cp.asnumpy(facets).tolist(), cp.asnumpy(neighbors).tolist()
    at, corners = 0, []
    for _ in facets:
        corners.append(facets[at][0])
        at = neighbors[at][0]
    return np.array(corners, np.int32)


__all__ = ["ConvexHull", "Delaunay", "QhullError", "tsearch"]
