"""Hierarchical clustering beside SciPy's."""

import itertools

import cuproxide as cp
import cuproxide.scipy.cluster.hierarchy as ch
import numpy as np
import pytest
import scipy.cluster.hierarchy as sh
import scipy.spatial.distance as sd
from helpers import check, same_error

METHODS = ["single", "complete", "average", "weighted", "centroid", "median", "ward"]


def observations(n):
    return np.random.default_rng(n).normal(size=(n, 3))


@pytest.mark.parametrize("n", [2, 3, 17, 60])
@pytest.mark.parametrize("method", METHODS)
def test_trees(method, n):
    x = observations(n)
    Z = sh.linkage(x, method)
    ours = ch.linkage(cp.asarray(x), method)
    check(ours, Z, ulp=2e5)
    check(getattr(ch, method)(cp.asarray(sd.pdist(x))), Z, ulp=2e5)
    z = cp.asarray(Z)
    check(ch.leaves_list(z), sh.leaves_list(Z))
    check(ch.cophenet(z), sh.cophenet(Z))
    if n > 2:
        check(ch.cophenet(z, sd.pdist(x))[0], np.asarray(sh.cophenet(Z, sd.pdist(x))[0]), ulp=1000)
    for depth in (0, 1, 2, 3, 9):
        check(ch.inconsistent(z, depth), sh.inconsistent(Z, depth), ulp=1e8, scale=1e-3)
    R = sh.inconsistent(Z)
    r = cp.asarray(R)
    check(ch.maxdists(z), sh.maxdists(Z))
    check(ch.maxinconsts(z, r), sh.maxinconsts(Z, R))
    for i in range(4):
        check(ch.maxRstat(z, r, i), sh.maxRstat(Z, R, i))
    if n > 2:
        for criterion, limits in (
            ("inconsistent", (0.5, 0.9, 1.1)),
            ("distance", (0.3, 1, 2)),
            ("maxclust", (1, 2, 3, n - 1, n, n + 1)),
        ):
            for t in limits:
                check(ch.fcluster(z, t, criterion), sh.fcluster(Z, t, criterion))
        levels = sh.maxRstat(Z, R, 1)
        check(ch.fcluster(z, 0.5, "monocrit", monocrit=levels), sh.fcluster(Z, 0.5, "monocrit", monocrit=levels))
    clusters = sh.fcluster(Z, 1.0, "distance")
    for one, other in zip(ch.leaders(z, cp.asarray(clusters)), sh.leaders(Z, clusters), strict=True):
        check(one, other)
    if method not in ("centroid", "median"):
        check(ch.cut_tree(z), sh.cut_tree(Z))
        check(ch.cut_tree(z, n_clusters=[2, 1]), sh.cut_tree(Z, n_clusters=[2, 1]))
        check(ch.cut_tree(z, height=1.0), sh.cut_tree(Z, height=1.0))
    matlab = sh.to_mlab_linkage(Z)
    check(ch.to_mlab_linkage(z), matlab)
    check(ch.from_mlab_linkage(matlab), Z)
    assert bool(ch.is_monotonic(z)) == bool(sh.is_monotonic(Z))
    assert ch.is_valid_linkage(z)
    assert ch.is_valid_im(r)
    assert ch.num_obs_linkage(z) == n
    assert ch.correspond(z, cp.asarray(sd.pdist(x)))
    assert ch.to_tree(z).pre_order() == sh.to_tree(Z).pre_order()


@pytest.mark.parametrize("method", ["single", "average", "centroid"])
def test_optimal_order(method):
    for n in (2, 3, 8, 40):
        x = observations(n)
        square = sd.squareform(sd.pdist(x))
        Z = sh.linkage(x, method)

        def length(tree):
            order = cp.asnumpy(ch.leaves_list(cp.asarray(tree)))
            return square[order[:-1], order[1:]].sum()  # noqa: B023

        found = length(ch.optimal_leaf_ordering(cp.asarray(Z), cp.asarray(x)))
        assert found == pytest.approx(length(ch.linkage(cp.asarray(x), method, optimal_ordering=True)))
        # SciPy's search misses some orders.
        assert found <= length(sh.optimal_leaf_ordering(Z, x)) * (1 + 1e-12)
        if n <= 8:
            lengths = []
            for swaps in itertools.product((False, True), repeat=n - 1):
                turned = np.where(np.array(swaps)[:, None], Z[:, [1, 0, 2, 3]], Z)
                lengths.append(length(turned))
            assert found == pytest.approx(min(lengths))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"p": 4, "truncate_mode": "lastp"},
        {"p": 2, "truncate_mode": "level"},
        {"count_sort": True},
        {"distance_sort": "descending"},
        {"orientation": "left", "show_leaf_counts": False, "p": 3, "truncate_mode": "lastp"},
        {"color_threshold": 0.5},
        {"labels": [f"x{i}" for i in range(17)]},
        {"link_color_func": lambda i: f"C{i % 3}"},
        {"leaf_label_func": lambda i: f"<{i}>", "get_leaves": True},
    ],
)
def test_dendrograms(options):
    for method in ("average", "centroid"):
        Z = sh.linkage(observations(17), method)
        found, expected = (m.dendrogram(z, no_plot=True, **options) for m, z in ((ch, cp.asarray(Z)), (sh, Z)))
        assert found.keys() == expected.keys()
        for key in found:
            if key in ("icoord", "dcoord"):
                np.testing.assert_allclose(found[key], expected[key])
            else:
                assert found[key] == expected[key]


def test_equal_distances():
    """All distances are one: any merge is right, so the tree is what is tested."""
    for method in METHODS:
        z = ch.linkage(cp.ones(15), method)
        assert ch.is_valid_linkage(z)
        assert z[-1, 3].item() == 6
        assert float(z[0, 2]) == pytest.approx(1)


def test_sets():
    random = np.random.default_rng(1)
    ours, theirs = ch.DisjointSet(range(9)), sh.DisjointSet(range(9))
    for i, j in random.integers(0, 9, (8, 2)).tolist():
        assert ours.merge(i, j) == theirs.merge(i, j)
        assert (ours[i], ours.subset(j), ours.n_subsets) == (theirs[i], theirs.subset(j), theirs.n_subsets)
        assert ours.connected(i, j)
        assert ours.subset_size(i) == theirs.subset_size(i)
    assert ours.subsets() == theirs.subsets()
    assert list(ours) == list(theirs)
    ours.add("x")
    assert "x" in ours
    assert len(ours) == 10
    with pytest.raises(KeyError):
        ours.merge(1, 77)


def test_nodes_and_palette():
    root, nodes = ch.to_tree(cp.asarray(sh.linkage(observations(5))), rd=True)
    assert [node.get_id() for node in nodes] == list(range(9))
    assert (root.get_count(), root.is_leaf(), nodes[0].is_leaf()) == (5, False, True)
    assert root > nodes[0]
    assert root.get_left().count + root.get_right().count == 5
    ch.set_link_color_palette(["m"])
    assert "m" in ch.dendrogram(cp.asarray(sh.linkage(observations(9))), no_plot=True)["color_list"]
    ch.set_link_color_palette(None)
    for bad in ("red", [1]):
        same_error(lambda: ch.set_link_color_palette(bad), lambda: sh.set_link_color_palette(bad))  # noqa: B023
    for arguments in ((-1,), (0, None, nodes[0]), (0, None, None, -1.0), (0, None, None, 0.0, 0)):
        same_error(lambda: ch.ClusterNode(*arguments), lambda: sh.ClusterNode(*arguments))  # noqa: B023
    assert bool(ch.is_isomorphic(cp.asarray([1, 1, 2]), cp.asarray([4, 4, 0])))
    assert not bool(ch.is_isomorphic(cp.asarray([1, 1, 2]), cp.asarray([4, 0, 4])))
    assert not bool(ch.is_isomorphic(cp.asarray([1, 2, 1, 2]), cp.asarray([1, 1, 2, 2])))
    x = observations(12)
    check(ch.fclusterdata(cp.asarray(x), 1.0), sh.fclusterdata(x, 1.0))


GOOD = sh.linkage(observations(6))


@pytest.mark.parametrize(
    "bad",
    [GOOD[:, :3], -GOOD, GOOD.astype(np.float32), np.zeros((0, 4)), GOOD[::-1].copy(), GOOD[0],
     np.where(np.arange(4) == 3, 99.0, GOOD), np.where(np.arange(4) < 2, 1.0, GOOD)],
)  # fmt: skip
def test_invalid_linkages(bad):
    assert not ch.is_valid_linkage(cp.asarray(bad))
    same_error(lambda: ch.is_valid_linkage(cp.asarray(bad), throw=True), lambda: sh.is_valid_linkage(bad, throw=True))
    same_error(lambda: ch.leaves_list(cp.asarray(bad)), lambda: sh.leaves_list(bad))
    with pytest.warns(ch.ClusterWarning):
        ch.is_valid_linkage(cp.asarray(bad), warning=True)


@pytest.mark.parametrize(
    "call",
    [
        lambda m, x: m.linkage(x, "nothing"),
        lambda m, x: m.linkage(x, "ward", "cityblock"),
        lambda m, x: m.linkage(x[0, :2]),
        lambda m, x: m.linkage(x * np.nan),
        lambda m, x: m.linkage(x[None]),
        lambda m, x: m.linkage(x[:1]),
        lambda m, x: m.fcluster(m.linkage(x), 1, "nothing"),
        lambda m, x: m.inconsistent(m.linkage(x), -1),
        lambda m, x: m.inconsistent(m.linkage(x), 1.5),
        lambda m, x: m.maxRstat(m.linkage(x), m.inconsistent(m.linkage(x)), 4),
        lambda m, x: m.maxRstat(m.linkage(x), m.inconsistent(m.linkage(x)), 1.0),
        lambda m, x: m.maxinconsts(m.linkage(x), m.inconsistent(m.linkage(x))[:2]),
        lambda m, x: m.is_valid_im(x, throw=True),
        lambda m, x: m.dendrogram(m.linkage(x), no_plot=True, orientation="x"),
        lambda m, x: m.dendrogram(m.linkage(x), no_plot=True, truncate_mode="x"),
        lambda m, x: m.dendrogram(m.linkage(x), no_plot=True, labels=["a"]),
        lambda m, x: m.dendrogram(m.linkage(x), p="a", no_plot=True),
        lambda m, x: m.cut_tree(m.linkage(x), n_clusters=2, height=1),
        lambda m, x: m.leaders(m.linkage(x), np.arange(6)),
        lambda m, x: m.leaders(m.linkage(x), np.array([1, 2, 1, 2, 1, 2], np.int32)),
        lambda m, x: m.is_isomorphic(x, x),
        lambda m, x: m.from_mlab_linkage(np.zeros((2, 3))),
    ],
)
def test_errors(call):
    x = observations(6)
    same_error(lambda: call(ch, cp.asarray(x)), lambda: call(sh, x))


def test_suspicious_observations():
    square = sd.squareform(sd.pdist(observations(5)))
    with pytest.warns(ch.ClusterWarning, match="suspiciously"):
        ch.linkage(cp.asarray(square))


@pytest.mark.parametrize("method", ["single", "complete", "average", "weighted", "ward"])
@pytest.mark.parametrize("side", [3, 7])
def test_ties_on_a_grid(method, side):
    x = np.stack(np.meshgrid(np.arange(float(side)), np.arange(float(side))), -1).reshape(-1, 2)
    x = np.concatenate([x, x[::2]])
    distances = sd.pdist(x, "cityblock" if method != "ward" else "sqeuclidean")
    check(ch.linkage(cp.asarray(distances), method), sh.linkage(distances, method), ulp=64)
