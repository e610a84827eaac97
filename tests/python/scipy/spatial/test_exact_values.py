"""Restarts, duplicates, and lengths whose squares overflow."""

import cuproxide as cp
import numpy as np
import pytest
from cuproxide.scipy import cluster, spatial

ROTATION = spatial.transform.Rotation
POINTS = np.random.default_rng(1).normal(size=(12, 2))


@pytest.mark.parametrize("restart", [False, True])
def test_points_before_are_kept(restart):
    for kind in (spatial.Delaunay, spatial.ConvexHull, spatial.Voronoi):
        made = kind(cp.asarray(POINTS[:8]), incremental=True)
        made.add_points(cp.asarray(POINTS[8:]), restart=restart)
        np.testing.assert_array_equal(made.points.get(), POINTS)
        assert made.npoints == 12


@pytest.mark.parametrize("restart", [False, True])
def test_half_spaces_before_are_kept(restart):
    square = np.array([[-1.0, 0, 0], [1, 0, -1], [0, -1, 0], [0, 1, -1]])
    made = spatial.HalfspaceIntersection(square, np.array([0.2, 0.2]), incremental=True)
    made.add_halfspaces(np.array([[1.0, 1, -1]]), restart=restart)
    assert made.halfspaces.shape == (5, 3)
    corners = set(map(tuple, (made.intersections.get().round(9) + 0.0).tolist()))
    assert corners == {(0.0, 0.0), (0.0, 1.0), (1.0, 0.0)}


def test_simplices_of_duplicates():
    points = np.array([[0, 0], [1, 0], [0, 1], [1, 1.0], [0.5, 0.5], [0.5, 0.5]])
    d = spatial.Delaunay(cp.asarray(points))
    found, simplices = d.vertex_to_simplex.get(), d.simplices.get()
    assert (found >= 0).all()
    for i, simplex in enumerate(found):
        assert points[i].tolist() in points[simplices[simplex]].tolist()


@pytest.mark.parametrize("scale", [1e200, 1e-200, 1.0])
def test_lengths_whose_squares_leave_the_range(scale):
    u, v = np.array([3.0, 0.0]) * scale, np.array([0.0, 4.0]) * scale
    for found in (spatial.distance.euclidean(u, v), spatial.distance.minkowski(u, v, 2)):
        np.testing.assert_allclose(found.item(), 5 * scale, rtol=1e-15)
    for p in (0.5, 3, 4.5):
        found, unscaled = spatial.distance.minkowski(u, v, p).item(), (3**p + 4**p) ** (1 / p)
        np.testing.assert_allclose(found, unscaled * scale, rtol=1e-14)
    assert spatial.distance.euclidean([np.inf, 0.0], [0.0, 1.0]).item() == np.inf
    assert np.isnan(spatial.distance.euclidean([np.nan, 0.0], [0.0, 1.0]).item())
    quat = ROTATION.from_quat(np.array([1.0, 0, 0, 1.0]) * scale).as_quat().get()
    np.testing.assert_allclose(quat, np.array([1, 0, 0, 1]) / np.sqrt(2), rtol=1e-15)


@pytest.mark.parametrize("quat", [[np.nan, 0, 0, 1], [np.inf, 0, 0, 1], [0, 0, 0, 0]])
def test_quaternions_without_a_length_are_refused(quat):
    with pytest.raises(ValueError, match="zero norm"):
        ROTATION.from_quat([[0.0, 0, 0, 1], quat])


def test_no_rotations_are_picked_by_an_empty_list():
    many = ROTATION.from_quat(np.eye(4))
    assert many[[]].as_quat().shape == (0, 4)
    assert spatial.transform.RigidTransform.from_translation(np.ones((3, 3)))[[]].as_matrix().shape == (0, 4, 4)
    with pytest.raises(ValueError, match="weights"):
        many.mean([1.0])


def test_pairs_of_near_points_by_the_names_of_their_fields():
    tree = spatial.KDTree(cp.asarray([[0.0, 0], [3, 4]]))
    pairs = tree.sparse_distance_matrix(tree, 6.0, output_type="ndarray")
    order = np.lexsort((pairs["j"].get(), pairs["i"].get()))
    assert pairs["v"].get()[order].tolist() == [0, 5, 5, 0]
    i, j, v = pairs
    assert i.shape == j.shape == v.shape == (4,)


def test_a_single_cluster_may_count_more():
    linkage = cp.asarray([[0, 1, 0.3, 4.0]])
    hierarchy = cluster.hierarchy
    assert hierarchy.is_valid_linkage(linkage)
    assert hierarchy.maxdists(linkage).tolist() == [0.3]
    assert hierarchy.maxRstat(linkage, cp.ones((1, 4)), 2).tolist() == [1.0]
    assert not hierarchy.is_valid_linkage(cp.asarray([[0, 5, 0.3, 2.0]]))


def test_points_with_nan_have_no_nearest_one():
    u, v = np.random.default_rng(2).random((2, 5, 2))
    broken = u.copy()
    broken[3, 0] = np.nan
    hausdorff = cp.scipy.spatial.distance.directed_hausdorff
    assert np.isnan(float(hausdorff(cp.asarray(broken), cp.asarray(v))[0]))
    assert np.isnan(float(hausdorff(cp.asarray(v), cp.asarray(broken))[0]))
    broken[3, 0] = np.inf
    assert float(hausdorff(cp.asarray(broken), cp.asarray(v))[0]) == np.inf
