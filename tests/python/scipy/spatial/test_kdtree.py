"""k-d trees beside SciPy's."""

import pickle

import cuproxide as cp
import cuproxide.scipy.spatial as cs
import numpy as np
import pytest
import scipy.spatial as ss
from helpers import check, same_error

CASES = [
    ((1, 2, 10), None),
    ((3, 2, 1), 1.0),
    ((100, 3, 10), None),
    ((100, 3, 10), 1.0),
    ((57, 6, 4), None),
    ((300, 2, 1), 1.0),
    ((120, 9, 16), None),
]


@pytest.fixture(params=CASES, ids=str, scope="module")
def trees(request):
    (n, m, leaf), box = request.param
    random = np.random.default_rng(n)
    points, queries = random.random((n, m)), random.random((40, m))
    if n == 300:
        # Many equal coordinates.
        points = np.round(points * 8) / 8 % 1.0
    ours = [cs.KDTree(cp.asarray(x), leaf, boxsize=box) for x in (points, queries)]
    theirs = [ss.KDTree(x, leaf, boxsize=box) for x in (points, queries)]
    return ours, theirs, queries, n == 300


@pytest.mark.parametrize("p", [1, 2, 3.5, np.inf])
def test_queries(trees, p):
    (ours, _), (theirs, _), queries, has_ties = trees
    for k in (1, 5, 30, [1, 3]):
        for bound in (np.inf, 0.3):
            distances, numbers = ours.query(cp.asarray(queries), k, p=p, distance_upper_bound=bound)
            expected = theirs.query(queries, k, p=p, distance_upper_bound=bound)
            check(distances, expected[0], ulp=16)
            if not has_ties:
                check(numbers, expected[1])


@pytest.mark.parametrize("p", [1, 2, 3.5, np.inf])
def test_balls(trees, p):
    (ours, other), (theirs, their_other), queries, _ = trees
    for r in (0.1, 0.4):
        assert ours.query_ball_point(queries, r, p=p).tolist() == theirs.query_ball_point(queries, r, p=p).tolist()
        check(
            ours.query_ball_point(queries, r, p=p, return_length=True),
            theirs.query_ball_point(queries, r, p=p, return_length=True),
        )
        assert ours.query_pairs(r, p=p) == theirs.query_pairs(r, p=p)
        assert ours.query_ball_tree(other, r, p=p) == [sorted(x) for x in theirs.query_ball_tree(their_other, r, p=p)]
        found = ours.sparse_distance_matrix(other, r, p=p, output_type="dict")
        expected = theirs.sparse_distance_matrix(their_other, r, p=p, output_type="dict")
        assert found.keys() == expected.keys()
        assert all(found[key] == pytest.approx(expected[key], rel=1e-14) for key in found)
    radii = np.array([0, 0.1, 0.3, 0.5, 2.0])
    random = np.random.default_rng(1)
    weights = random.random(ours.n), random.random(other.n)
    for options in ({}, {"cumulative": False}, {"weights": weights}):
        check(
            ours.count_neighbors(other, radii, p=p, **options),
            theirs.count_neighbors(their_other, radii, p=p, **options),
            ulp=2000,
        )


def test_shapes_and_members():
    points = np.random.default_rng(2).random((200, 3))
    ours, theirs = cs.KDTree(cp.asarray(points)), ss.KDTree(points)
    for shape in ((3,), (4, 3), (2, 5, 3), (0, 3)):
        x = np.random.default_rng(3).random(shape)
        for k in (1, 2, [1], [2, 3]):
            for one, other in zip(ours.query(cp.asarray(x), k), theirs.query(x, k), strict=True):
                check(one, np.asarray(other), ulp=8)
        found, expected = ours.query_ball_point(x, 0.2), theirs.query_ball_point(x, 0.2)
        assert sorted(found) == sorted(expected) if len(shape) == 1 else found.tolist() == expected.tolist()
    check(ours.mins, theirs.mins)
    check(ours.maxes, theirs.maxes)
    assert (ours.n, ours.m, ours.leafsize) == (200, 3, 10)
    assert sorted(ours.indices.tolist()) == list(range(200))
    check(
        ours.query_pairs(0.1, output_type="ndarray").sum(axis=0),
        theirs.query_pairs(0.1, output_type="ndarray").sum(axis=0),
    )
    root = ours.tree
    assert isinstance(root, cs.KDTree.innernode)
    assert root.children == 200
    at = points[:, root.split_dim]
    leaves, pending = [], [root]
    while pending:
        node = pending.pop()
        if isinstance(node, cs.KDTree.leafnode):
            assert len(node.idx) == node.children <= 10
            leaves += node.idx.tolist()
        else:
            pending += [node.less, node.greater]
    assert sorted(leaves) == list(range(200))
    assert (at[root.less._node.indices] <= root.split).all()
    again = pickle.loads(pickle.dumps(ours))
    check(again.query(points[:3], 2)[1], theirs.query(points[:3], 2)[1])
    nothing = cs.KDTree(cp.empty((0, 2)))
    check(nothing.query(np.zeros((1, 2)))[1], np.array([0]))


def test_approximate_neighbours_are_near_enough():
    points, x = np.random.default_rng(4).random((2000, 3)), np.random.default_rng(5).random((3000, 3))
    exact, rough = (cs.cKDTree(cp.asarray(points)).query(cp.asarray(x), 4, eps=eps)[0] for eps in (0, 0.5))
    assert bool((rough <= 1.5 * exact).all())
    check(exact, ss.cKDTree(points).query(x, 4)[0], ulp=8)


@pytest.mark.parametrize(
    "call",
    [
        lambda m, x: m.KDTree(x[0]),
        lambda m, x: m.KDTree(x, leafsize=0),
        lambda m, x: m.KDTree(x * np.nan),
        lambda m, x: m.KDTree(x + 1j),
        lambda m, x: m.KDTree(x + 1, boxsize=1.0),
        lambda m, x: m.KDTree(x).query(x[:, :1]),
        lambda m, x: m.KDTree(x).query(x, 0),
        lambda m, x: m.KDTree(x).query(x, None),
        lambda m, x: m.KDTree(x).query(x, p=0.5),
        lambda m, x: m.KDTree(x).query(x * np.inf),
        lambda m, x: m.KDTree(x).query_ball_tree(m.KDTree(x[:, :1]), 1),
        lambda m, x: m.KDTree(x).query_pairs(1, output_type="list"),
        lambda m, x: m.KDTree(x).count_neighbors(m.KDTree(x), [[1.0]]),
        lambda m, x: m.KDTree(x).sparse_distance_matrix(m.KDTree(x), 1, output_type="x"),
    ],
)
def test_errors(call):
    x = np.random.default_rng(6).random((6, 2))
    same_error(lambda: call(cs, cp.asarray(x)), lambda: call(ss, x))


@pytest.mark.parametrize("box", [[0, 1.0, 0], [1, 2.0, 1]])
def test_periods_along_some_axes(box):
    random = np.random.default_rng(7)
    points, x = random.random((80, 3)), random.random((30, 3)) * 3 - 1
    ours, theirs = cs.KDTree(cp.asarray(points), 4, boxsize=box), ss.KDTree(points, 4, boxsize=box)
    for p in (1, 3.0, np.inf):
        check(ours.query(cp.asarray(x), 4, p=p)[0], theirs.query(x, 4, p=p)[0], ulp=64)
        assert ours.query_ball_point(x, 0.5, p=p).tolist() == theirs.query_ball_point(x, 0.5, p=p).tolist()
        assert ours.query_pairs(0.3, p=p) == theirs.query_pairs(0.3, p=p)
        check(
            ours.count_neighbors(ours, [0.1, 0.5, 0.9], p=p),
            theirs.count_neighbors(theirs, [0.1, 0.5, 0.9], p=p),
        )


@pytest.mark.parametrize("kind", ["even", "crowded", "equal"])
def test_many_and_few_neighbours(kind):
    random = np.random.default_rng(9)
    x = {
        "even": random.random((900, 3)),
        "crowded": np.concatenate([random.random((60, 3)) * 0.02, random.random((300, 3))]),
        "equal": np.repeat(random.random((40, 3)), 7, axis=0),
    }[kind]
    ours, theirs = cs.KDTree(cp.asarray(x)), ss.KDTree(x)
    for r in (0.0, 0.01, 0.05, 0.2):
        assert ours.query_pairs(r) == theirs.query_pairs(r)
        assert ours.query_ball_point(x, r).tolist() == theirs.query_ball_point(x, r, return_sorted=True).tolist()


def test_sparse_distances_as_arrays():
    points = np.random.default_rng(4).random((20, 3))
    tree = cp.scipy.spatial.KDTree(cp.asarray(points))
    expected = tree.sparse_distance_matrix(tree, 0.4, output_type="coo_matrix").toarray().get()
    for name in ("dok_array", "coo_array", "dok_matrix", "coo_matrix"):
        found = tree.sparse_distance_matrix(tree, 0.4, output_type=name)
        assert type(found).__name__ == name
        np.testing.assert_array_equal(found.toarray().get(), expected)
