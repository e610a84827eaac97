"""Voronoi diagrams, in space and on a sphere, and intersections of half-spaces."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ._triangulations import ConvexHull, HostArray, QhullError, _Incremental, found, host_points, integers


def _rows(elements: bytes, ends: bytes) -> list[list[int]]:
    """Lists from their elements, one after another."""
    flat, stops = integers(elements).tolist(), integers(ends).tolist()
    return [flat[start:stop] for start, stop in zip([0, *stops][: len(stops)], stops, strict=True)]


class Voronoi(_Incremental):
    """The Voronoi diagram of points in 2 to 9 dimensions. See `scipy.spatial.Voronoi`.

    Simplices on one sphere are one vertex, exactly. `ridge_vertices` and `regions` are lists of the host, other
    attributes arrays on the device.

    Parameters
    ----------
    points
        Coordinates, of shape (npoints, ndim).
    furthest_site
        Whether a region is nearer to all other points instead of to none.
    incremental
        Whether points can be added.
    qhull_options
        Accepted and of no use.

    >>> vor = cp.scipy.spatial.Voronoi(cp.asarray([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]]))
    >>> vor.vertices
    array([[1., 1.]])
    """

    def __init__(
        self, points: Any, furthest_site: bool = False, incremental: bool = False, qhull_options: str | None = None
    ) -> None:
        self.furthest_site = bool(furthest_site)
        self._make(self._begin(points, incremental, qhull_options))

    def _make(self, host: HostArray) -> None:
        count, dimension = host.shape
        simplices, neighbors, _, _, spheres, planes = found(
            _core.delaunay(host.tobytes(), dimension, True, self.furthest_site), host
        )
        first = integers(spheres)
        distinct, numbers = np.unique(first, return_inverse=True)
        numbers = numbers.astype(np.int32)
        corners = self._points[cp.asarray(integers(simplices, dimension + 1)[distinct])]
        self.vertices = _centres(corners)
        points, ridges, ridge_ends, regions, region_ends = _core.voronoi(
            simplices, neighbors, numbers.tobytes(), planes, dimension, count
        )
        self.ridge_points = cp.asarray(integers(points, 2))
        self.ridge_vertices = _rows(ridges, ridge_ends)
        all_regions = _rows(regions, region_ends)
        # Points that are no vertex of the triangulation, since they are there twice, have none.
        self.regions = [region for region in all_regions if region]
        present = np.array([bool(region) for region in all_regions], bool)
        self.point_region = cp.asarray(np.where(present, np.cumsum(present) - 1, -1))

    @property
    def ridge_dict(self) -> dict[tuple[int, int], list[int]]:
        """The vertices of each ridge, by the pair of points that it is between."""
        pairs = cp.asnumpy(self.ridge_points).tolist()
        return {tuple(pair): row for pair, row in zip(pairs, self.ridge_vertices, strict=True)}


def _centres(corners: ndarray) -> ndarray:
    """The centres of the spheres through simplices; division by nothing where rounding makes them flat."""
    last = corners[:, -1]
    edges = corners[:, :-1] - last[:, None]
    # Squares of edges neither overflow nor underflow in units of the longest one.
    size = abs(edges).max(axis=(1, 2), keepdims=True)
    edges = edges / size
    right = (edges * edges).sum(axis=-1, keepdims=True) / 2
    with cp.errstate(linalg="ignore"):
        return last + (cp.linalg.solve(edges, right) * size)[..., 0]


class SphericalVoronoi:
    """The Voronoi diagram of points on a sphere. See `scipy.spatial.SphericalVoronoi`.

    Parameters
    ----------
    points
        Coordinates, of shape (npoints, ndim).
    radius, center
        Of the sphere.
    threshold
        How far points may be off the sphere or apart from each other, relative to the radius.

    >>> points = cp.asarray([[0, 0, 1], [0, 0, -1], [1, 0, 0], [0, 1, 0], [0, -1, 0], [-1, 0, 0]])
    >>> cp.scipy.spatial.SphericalVoronoi(points).vertices.shape
    (8, 3)
    """

    def __init__(self, points: Any, radius: float = 1, center: Any = None, threshold: float = 1e-06) -> None:
        if radius is None:
            raise ValueError("`radius` is `None`. Please provide a floating point number (i.e. `radius=1`).")
        self.radius = float(radius)
        self.points, host = host_points(cp.asarray(points).astype(np.float64))
        self._dim = self.points.shape[1]
        self.center = cp.zeros(self._dim) if center is None else cp.asarray(center).astype(np.float64)
        relative = self.points - self.center
        if int(cp.linalg.matrix_rank(self.points - self.points[0], tol=threshold * self.radius)) < self._dim:
            raise ValueError(f"Rank of input points must be at least {self._dim}")
        lengths = cp.sqrt((relative * relative).sum(axis=1))
        if bool((abs(lengths - self.radius) >= threshold * self.radius).any()):
            raise ValueError("Radius inconsistent with generators.")
        from ._kdtree import cKDTree

        if cKDTree(self.points).query_pairs(threshold * self.radius):
            raise ValueError("Duplicate generators present.")
        hull = ConvexHull(self.points)
        self.vertices = self.radius * hull.equations[:, :-1] + self.center
        self._simplices, self._neighbors = hull.simplices, hull.neighbors
        simplices, neighbors = (cp.asnumpy(a).astype(np.int32) for a in (hull.simplices, hull.neighbors))
        self.regions = _rows(*_core.stars(simplices.tobytes(), neighbors.tobytes(), self._dim, host.shape[0]))

    def sort_vertices_of_regions(self) -> None:
        """Regions of points in three dimensions are sorted from the start; `TypeError` for others."""
        if self._dim != 3:
            raise TypeError("Only supported for three-dimensional point sets")

    def calculate_areas(self) -> ndarray:
        """The areas of the regions; in two dimensions the lengths of their arcs."""
        if self._dim == 3:
            return self._areas()
        if self._dim == 2:
            return self._lengths()
        raise TypeError("Only supported for 2D and 3D point sets")

    def _areas(self) -> ndarray:
        """From each pair of neighbouring vertices a spherical triangle with the point (van Oosterom and Strackee)."""
        owner = np.repeat(np.arange(len(self.regions)), [len(region) for region in self.regions])
        first = np.concatenate([np.array(region, np.int64) for region in self.regions])
        second = np.concatenate([np.roll(np.array(region, np.int64), -1) for region in self.regions])
        owner, first, second = (cp.asarray(x) for x in (owner, first, second))
        a, b, c = (
            (x - self.center) / self.radius for x in (self.points[owner], self.vertices[first], self.vertices[second])
        )
        triple = (a * cp.cross(b, c)).sum(axis=1)
        below = 1 + (a * b).sum(axis=1) + (b * c).sum(axis=1) + (c * a).sum(axis=1)
        angles = 2 * cp.arctan2(abs(triple), below)
        return cp.bincount(owner, weights=angles, minlength=len(self.regions)) * self.radius**2

    def _lengths(self) -> ndarray:
        ends = cp.asarray(np.array(self.regions))
        a, b, p = (
            (x - self.center) / self.radius for x in (self.vertices[ends[:, 0]], self.vertices[ends[:, 1]], self.points)
        )

        def angle(x: ndarray, y: ndarray) -> ndarray:
            # Exact for small angles and near half a turn.
            return 2 * cp.arctan2(cp.linalg.norm(x - y, axis=1), cp.linalg.norm(x + y, axis=1))

        return self.radius * (angle(a, p) + angle(p, b))


class HalfspaceIntersection(_Incremental):
    """The corners of an intersection of half-spaces, by the hull of the dual points.

    See `scipy.spatial.HalfspaceIntersection`.

    Parameters
    ----------
    halfspaces
        Rows `[A, b]` of `A @ x + b <= 0`.
    interior_point
        A point that is strictly inside of all.
    incremental
        Whether half-spaces can be added.
    qhull_options
        Accepted and of no use.

    >>> square = cp.asarray([[-1.0, 0, 0], [0, -1, 0], [1, 0, -1], [0, 1, -1]])
    >>> hs = cp.scipy.spatial.HalfspaceIntersection(square, cp.asarray([0.5, 0.5]))
    >>> sorted(hs.intersections.tolist())
    [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    """

    def __init__(
        self, halfspaces: Any, interior_point: Any, incremental: bool = False, qhull_options: str | None = None
    ) -> None:
        self.interior_point = cp.asarray(interior_point).astype(np.float64)
        self._intersect(self._begin_half(halfspaces, incremental))

    def _begin_half(self, halfspaces: Any, incremental: bool) -> ndarray:
        halfspaces = cp.asarray(halfspaces).astype(np.float64)
        if halfspaces.ndim != 2:
            raise ValueError("`halfspaces` should be a 2-dimensional array")
        if self.interior_point.shape != (halfspaces.shape[1] - 1,):
            raise ValueError("Feasible point must be a (ndim-1,) array")
        self._incremental, self._closed = bool(incremental), False
        return halfspaces

    def _intersect(self, halfspaces: ndarray) -> None:
        self._halfspaces = halfspaces
        distance = halfspaces[:, -1] + (halfspaces[:, :-1] * self.interior_point).sum(axis=1)
        if not bool((distance < 0).all()):
            raise QhullError("QH6023 qhull input error: feasible point is not clearly inside halfspace")
        self.dual_points = halfspaces[:, :-1] / -distance[:, None]
        self._points = self.dual_points
        hull = ConvexHull(self.dual_points)
        planes, equations = hull._planes, cp.asnumpy(hull.equations)
        facets = cp.asnumpy(hull.simplices).tolist()
        groups: dict[int, list[int]] = {}
        for facet, plane in zip(facets, planes.tolist(), strict=True):
            row = groups.setdefault(plane, [])
            row.extend(vertex for vertex in facet if vertex not in row)
        self.dual_facets = list(groups.values())
        self.dual_equations = cp.asarray(equations[list(groups)])
        self._dual_vertices = hull.vertices
        self.dual_area, self.dual_volume = hull.area, hull.volume
        self.intersections = self.dual_equations[:, :-1] / -self.dual_equations[:, -1:] + self.interior_point

    @property
    def halfspaces(self) -> ndarray:
        """The half-spaces."""
        return self._halfspaces

    @property
    def dual_vertices(self) -> ndarray:
        """The half-spaces that bound the intersection."""
        return self._dual_vertices

    def add_halfspaces(self, halfspaces: Any, restart: bool = False) -> None:
        """Adds half-spaces to what was made with `incremental=True`.

        Parameters
        ----------
        halfspaces : array_like
            The half-spaces, one in each row.
        """
        if not self._incremental or self._closed:
            raise RuntimeError("incremental mode not enabled or already closed")
        more = self._begin_half(halfspaces, True)
        self._intersect(cp.concatenate([self.halfspaces, more]))

    def add_points(self, points: Any, restart: bool = False) -> None:
        """`add_halfspaces`, by the name that the other classes have for it."""
        self.add_halfspaces(points, restart)


__all__ = ["HalfspaceIntersection", "SphericalVoronoi", "Voronoi"]
