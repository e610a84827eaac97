"""Triangulations, hulls and diagrams beside SciPy's."""

import math

import cuproxide as cp
import cuproxide.scipy.spatial as cs
import numpy as np
import pytest
import scipy.spatial as ss
from helpers import check, same_error

DIMENSIONS = [2, 3, 4, 5]


def points(dimension, count=40):
    return np.random.default_rng(dimension).random((count, dimension))


def rows(array):
    array = cp.asnumpy(array) if isinstance(array, cp.ndarray) else array
    return sorted(np.sort(array, axis=1).tolist())


def grid(side, dimension):
    return np.stack(np.meshgrid(*[np.arange(float(side))] * dimension), -1).reshape(-1, dimension)


def volumes(coordinates, simplices):
    edges = coordinates[simplices[:, 1:]] - coordinates[simplices[:, :1]]
    return abs(np.linalg.det(edges))


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_delaunay(dimension):
    x = points(dimension)
    ours, theirs = cs.Delaunay(cp.asarray(x)), ss.Delaunay(x)
    assert rows(ours.simplices) == rows(theirs.simplices)
    assert rows(ours.convex_hull) == rows(theirs.convex_hull)
    simplices, neighbors = cp.asnumpy(ours.simplices), cp.asnumpy(ours.neighbors)
    for cell in range(len(simplices)):
        for facet in range(dimension + 1):
            if neighbors[cell, facet] >= 0:
                assert set(np.delete(simplices[cell], facet)) <= set(simplices[neighbors[cell, facet]])
    queries = np.random.default_rng(1).random((200, dimension)) * 1.4 - 0.2
    expected = theirs.find_simplex(queries)
    expected = np.where(expected[:, None] >= 0, np.sort(theirs.simplices[expected], axis=1), -1)
    for bruteforce in (False, True):
        found = ours.find_simplex(cp.asarray(queries), bruteforce=bruteforce)
        assert found.dtype == np.int32
        found = cp.asnumpy(found)
        np.testing.assert_array_equal(np.where(found[:, None] >= 0, np.sort(simplices[found], axis=1), -1), expected)
    # Centres of simplices have equal barycentric coordinates.
    transform = cp.asnumpy(ours.transform)
    centres = x[simplices].mean(axis=1)
    parts = np.einsum("nij,nj->ni", transform[:, :dimension], centres - transform[:, dimension])
    np.testing.assert_allclose(parts, 1 / (dimension + 1), atol=1e-9)
    assert ours.paraboloid_scale == pytest.approx(theirs.paraboloid_scale)
    np.testing.assert_allclose(
        np.sort(cp.asnumpy(ours.plane_distance(queries[:5])), axis=1),
        np.sort(theirs.plane_distance(queries[:5]), axis=1),
        atol=1e-10,
    )
    starts, vertices = map(cp.asnumpy, ours.vertex_neighbor_vertices)
    expected_starts, expected_vertices = theirs.vertex_neighbor_vertices
    np.testing.assert_array_equal(starts, expected_starts)
    for i in range(len(x)):
        part = slice(starts[i], starts[i + 1])
        assert sorted(vertices[part]) == sorted(expected_vertices[part])
        assert i in simplices[int(ours.vertex_to_simplex[i])]
    check(cs.tsearch(ours, cp.asarray(centres)), np.arange(len(simplices), dtype=np.int32))


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_hull(dimension):
    x = points(dimension)
    ours, theirs = cs.ConvexHull(cp.asarray(x)), ss.ConvexHull(x)
    assert rows(ours.simplices) == rows(theirs.simplices)
    assert (ours.area, ours.volume) == pytest.approx((theirs.area, theirs.volume))
    found, expected = cp.asnumpy(ours.vertices), theirs.vertices
    if dimension == 2:
        expected = np.roll(expected, -expected.tolist().index(found[0]))
    np.testing.assert_array_equal(found, expected)
    orders = [np.lexsort(np.sort(s, axis=1).T) for s in (cp.asnumpy(ours.simplices), theirs.simplices)]
    np.testing.assert_allclose(cp.asnumpy(ours.equations)[orders[0]], theirs.equations[orders[1]], atol=1e-12)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_voronoi(dimension):
    x = points(dimension)
    ours, theirs = cs.Voronoi(cp.asarray(x)), ss.Voronoi(x)
    vertices = cp.asnumpy(ours.vertices)
    assert len(vertices) == len(theirs.vertices)
    distance, match = ss.KDTree(vertices).query(theirs.vertices)
    assert (distance <= 1e-7 * (1 + abs(theirs.vertices).max(axis=1))).all()

    def named(row):
        return {match[v] if v >= 0 else -1 for v in row}

    pairs = [tuple(sorted(pair)) for pair in theirs.ridge_points.tolist()]
    expected = dict(zip(pairs, map(named, theirs.ridge_vertices), strict=True))
    assert {pair: set(row) for pair, row in ours.ridge_dict.items()} == expected
    regions = [set(ours.regions[r]) for r in ours.point_region.tolist()]
    assert regions == [named(theirs.regions[r]) for r in theirs.point_region]
    if dimension == 3:
        # Vertices of a ridge are in the order around it.
        for pair, row in zip(pairs, theirs.ridge_vertices, strict=True):
            if -1 not in row:
                ring, other = [match[v] for v in row], ours.ridge_dict[pair]
                at = ring.index(other[0])
                ring = ring[at:] + ring[:at]
                assert other in (ring, [ring[0], *ring[:0:-1]])


@pytest.mark.parametrize("dimension", [2, 3, 4])
def test_furthest_sites(dimension):
    x = points(dimension)
    ours, theirs = cs.Delaunay(cp.asarray(x), furthest_site=True), ss.Delaunay(x, furthest_site=True)
    assert rows(ours.simplices) == rows(theirs.simplices)
    assert rows(ours.convex_hull) == rows(theirs.convex_hull)
    ours, theirs = cs.Voronoi(cp.asarray(x), furthest_site=True), ss.Voronoi(x, furthest_site=True)
    vertices = cp.asnumpy(ours.vertices)
    distance, match = ss.KDTree(vertices).query(theirs.vertices)
    assert len(vertices) == len(theirs.vertices)
    assert distance.max() < 1e-9
    pairs = [tuple(sorted(pair)) for pair in theirs.ridge_points.tolist()]
    expected = {
        pair: {match[v] if v >= 0 else -1 for v in row} for pair, row in zip(pairs, theirs.ridge_vertices, strict=True)
    }
    assert {pair: set(row) for pair, row in ours.ridge_dict.items()} == expected


def test_points_on_grids():
    for side, dimension in ((4, 2), (3, 3), (3, 4)):
        x = grid(side, dimension)
        ours, theirs = cs.Voronoi(cp.asarray(x)), ss.Voronoi(x)
        assert ours.vertices.shape == theirs.vertices.shape
        if dimension == 4:
            # Edges of the grid with at least three cells around them; Qhull has diagonals as well.
            assert len(ours.ridge_vertices) == 56
            continue
        assert len(ours.ridge_vertices) == len(theirs.ridge_vertices)
        assert sorted(map(sorted, ours.ridge_points.tolist())) == sorted(map(sorted, theirs.ridge_points.tolist()))
        simplices = cp.asnumpy(cs.Delaunay(cp.asarray(x)).simplices)
        sizes = volumes(x, simplices)
        assert sizes.min() > 0.5
        assert sizes.sum() == pytest.approx((side - 1) ** dimension * math.factorial(dimension))
        hull = cs.ConvexHull(cp.asarray(x))
        assert hull.vertices.size == 2**dimension
        assert hull.volume == (side - 1) ** dimension


def test_twins_and_more_points():
    x = np.concatenate([points(2), points(2)[:3]])
    ours = cs.Delaunay(cp.asarray(x), incremental=True)
    assert ours.coplanar.shape == (3, 3)
    assert (np.sort(cp.asnumpy(ours.coplanar)[:, 0]) % 40 < 3).all()
    more = np.random.default_rng(9).random((10, 2))
    ours.add_points(more)
    assert rows(ours.simplices) == rows(cs.Delaunay(cp.asarray(np.concatenate([x, more]))).simplices)
    assert ours.npoints == 53
    ours.close()
    with pytest.raises(RuntimeError):
        ours.add_points(more)


def test_visible_facets():
    square = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1], [1.5, 0.5]])
    ours, theirs = cs.ConvexHull(cp.asarray(square), qhull_options="QG4"), ss.ConvexHull(square, qhull_options="QG4")
    assert rows(ours.simplices) == rows(theirs.simplices)
    visible = [rows(hull.simplices[hull.good]) for hull in (ours, theirs)]
    assert visible[0] == visible[1]


def test_halfspaces_and_spheres():
    random = np.random.default_rng(10)
    planes = np.c_[random.normal(size=(20, 3)), -np.ones(20)]
    ours = cs.HalfspaceIntersection(cp.asarray(planes), cp.zeros(3), incremental=True)
    theirs = ss.HalfspaceIntersection(planes, np.zeros(3), incremental=True)
    more = np.c_[random.normal(size=(5, 3)), -np.full(5, 0.5)]
    for _ in range(2):
        np.testing.assert_allclose(
            np.sort(cp.asnumpy(ours.intersections), axis=0), np.sort(theirs.intersections, axis=0), rtol=1e-9
        )
        assert sorted(map(sorted, ours.dual_facets)) == sorted(map(sorted, theirs.dual_facets))
        ours.add_halfspaces(cp.asarray(more))
        theirs.add_halfspaces(more)
    sphere = random.normal(size=(30, 3))
    sphere = 2 * sphere / np.linalg.norm(sphere, axis=1)[:, None] + 1
    ours, theirs = cs.SphericalVoronoi(cp.asarray(sphere), 2, np.ones(3)), ss.SphericalVoronoi(sphere, 2, np.ones(3))
    ours.sort_vertices_of_regions()
    theirs.sort_vertices_of_regions()
    check(ours.calculate_areas(), theirs.calculate_areas(), ulp=4000)
    assert [len(region) for region in ours.regions] == [len(region) for region in theirs.regions]
    angles = np.sort(random.random(9)) * 6
    circle = cs.SphericalVoronoi(cp.asarray(np.c_[np.cos(angles), np.sin(angles)]))
    gaps = np.diff(np.append(angles, angles[0] + 2 * np.pi))
    np.testing.assert_allclose(cp.asnumpy(circle.calculate_areas()), (gaps + np.roll(gaps, 1)) / 2, rtol=1e-12)


@pytest.mark.parametrize("name", ["Delaunay", "ConvexHull", "Voronoi"])
@pytest.mark.parametrize(
    "bad",
    [
        np.zeros((5, 2)),
        np.arange(10.0).reshape(5, 2),
        np.zeros((2, 2)),
        np.full((5, 2), np.nan),
        np.zeros((5, 1)),
        np.zeros((0, 2)),
        np.c_[np.linspace(0, 1, 9), 0.1 * np.linspace(0, 1, 9)],
        np.random.default_rng(0).random((3, 3)),
    ],
    ids=str,
)
def test_errors(name, bad):
    same_error(lambda: getattr(cs, name)(cp.asarray(bad)), lambda: getattr(ss, name)(bad))


def test_other_errors():
    tri = cs.Delaunay(cp.asarray(points(2)))
    with pytest.raises(ValueError, match="dimension"):
        tri.find_simplex(cp.zeros((2, 3)))
    check(tri.find_simplex(cp.asarray([[np.nan, 0.5], [np.inf, 0]])), np.array([-1, -1], np.int32))
    with pytest.raises(cs.QhullError):
        cs.HalfspaceIntersection(cp.asarray([[1.0, 0, -1], [0, 1, -1], [-1, 0, 0], [0, -1, 0]]), cp.asarray([2.0, 2.0]))
    for bad in (np.eye(3)[:2], np.eye(3) * 2, np.concatenate([np.eye(3), -np.eye(3), np.eye(3)])):
        same_error(lambda: cs.SphericalVoronoi(cp.asarray(bad)), lambda: ss.SphericalVoronoi(bad))  # noqa: B023


def test_larger_triangulation_is_delaunay():
    """Many points, some of them on lines and circles: no point is inside the circle of a neighbour."""
    random = np.random.default_rng(11)
    angles = random.random(300) * 7
    x = np.concatenate(
        [
            random.random((3000, 2)),
            np.c_[np.cos(angles), np.sin(angles)],
            np.c_[np.linspace(0, 1, 200), np.full(200, 0.5)],
        ]
    )
    tri = cs.Delaunay(cp.asarray(x))
    s, n = cp.asnumpy(tri.simplices), cp.asnumpy(tri.neighbors)
    assert volumes(x, s).sum() / 2 == pytest.approx(cs.ConvexHull(cp.asarray(x)).volume)
    cell, facet = np.nonzero(n >= 0)
    opposite = np.array([np.setdiff1d(s[b], s[a])[0] for a, b in zip(cell, n[cell, facet], strict=True)])
    a, b, c = (x[s[cell, i]] - x[opposite] for i in range(3))
    inside = np.linalg.det(np.stack([np.c_[p, (p * p).sum(axis=1)] for p in (a, b, c)], axis=1))
    assert inside.max() < 1e-14


@pytest.mark.parametrize("seed", range(12))
def test_hostile_points(seed):
    """Coordinates that are equal, nearly equal, on spheres, or of any magnitude."""
    random = np.random.default_rng(seed)
    dimension, count = 2 + seed % 3, 12 + seed
    x = [
        lambda: random.integers(0, 4, (count, dimension)).astype(float),
        lambda: random.integers(0, 4, (count, dimension)) * 0.1,
        lambda: random.integers(0, 3, (count, dimension)) + random.choice([0, 1e-15, -1e-16], (count, dimension)),
        lambda: random.random((count, dimension)) * 10.0 ** random.integers(-90, 90),
    ][seed % 4]()
    hull, tri = cs.ConvexHull(cp.asarray(x)), cs.Delaunay(cp.asarray(x))
    simplices, size = cp.asnumpy(tri.simplices), abs(x).max()
    filled = volumes(x / size, simplices).sum() / math.factorial(dimension)
    assert filled == pytest.approx(hull.volume / size**dimension, rel=1e-9)
    assert set(simplices.ravel()) | set(cp.asnumpy(tri.coplanar)[:, 0]) == set(range(count))
    if seed % 4 != 2:
        assert hull.volume == pytest.approx(ss.ConvexHull(x / size).volume * size**dimension)
        assert bool((tri.find_simplex((x / size)[simplices].mean(axis=1) * size) >= 0).all())


@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e200])
@pytest.mark.parametrize("kind", ["even", "crowded", "grid", "line and point"])
def test_find_simplex_walks_to_where_points_are(kind, scale):
    random = np.random.default_rng(3)
    x = {
        "even": random.random((500, 2)),
        "crowded": np.concatenate([random.random((400, 2)) * 1e-6, random.random((20, 2)), [[0.5, 0.5]] * 3]),
        "grid": grid(12, 2),
        "line and point": np.concatenate([np.stack([np.linspace(0, 1, 300), np.zeros(300)], 1), [[0.5, 1e-3]]]),
    }[kind]
    tri = cs.Delaunay(cp.asarray(x * scale))
    simplices = cp.asnumpy(tri.simplices)
    centres = (x[simplices] * scale).mean(axis=1)
    found = cp.asnumpy(tri.find_simplex(cp.asarray(centres)))
    # Rounding may put the centre of a thin simplex into its neighbour.
    thick = volumes(x, simplices) > 1e-3 * volumes(x, simplices).max()
    assert (found[thick] == np.flatnonzero(thick)).all()
    outside = x.max(axis=0) * scale * np.array([[2.0, 2.0], [-1.0, 3.0]])
    check(tri.find_simplex(cp.asarray(outside)), np.array([-1, -1], np.int32))
