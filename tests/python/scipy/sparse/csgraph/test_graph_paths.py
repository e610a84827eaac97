"""Traversals, components and shortest paths of graphs, beside SciPy's."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.csgraph as theirs
from cuproxide._lib import routes
from cuproxide.scipy import sparse
from cuproxide.scipy.sparse import csgraph as ours
from cuproxide.scipy.sparse.csgraph import _all_pairs, _components, _shortest
from cuproxide.scipy.sparse.csgraph._graphs import rows_of
from helpers import same_error
from ways import take_ways

METHODS = [ours.dijkstra, ours.bellman_ford, ours.johnson, ours.floyd_warshall, ours.shortest_path]


def graphs():
    """Dense graphs: empty, disconnected, with loops, paths and cycles, and random ones. Weights are exact sums."""
    yield np.zeros((1, 1))
    yield np.zeros((4, 4))
    yield np.diag([1.0, 0, 2])
    yield np.diag(np.arange(1.0, 20), 1)
    yield np.roll(np.eye(12), 1, axis=1)
    for count, density, seed in [(2, 0.5, 0), (9, 0.2, 1), (30, 0.05, 2), (30, 0.3, 3), (25, 0.9, 4)]:
        random = np.random.default_rng(seed)
        yield np.round(random.random((count, count)) * 8) / 8 * (random.random((count, count)) < density)


def forms(graph):
    """A graph as a device array, and as sparse ones."""
    return [cp.array(graph), sparse.csr_array(sp.csr_array(graph)), sparse.coo_matrix(sp.coo_matrix(graph))]


def check_paths(graph, dist, before, sources, directed):
    """Predecessors lie on paths as long as the distances, and lead to the sources."""
    weights = np.where(graph != 0, graph, np.inf)
    weights = weights if directed else np.minimum(weights, weights.T)
    assert before.dtype == np.int32
    for source, lengths, last in zip(sources, dist, before, strict=True):
        for node, previous in enumerate(last):
            if previous < 0:
                assert previous == -9999
                assert node == source or np.isinf(lengths[node])
                continue
            np.testing.assert_allclose(lengths[previous] + weights[previous, node], lengths[node])
            steps = 0
            while last[node] >= 0:
                node, steps = last[node], steps + 1
                assert steps <= len(last)
            assert node == source


@pytest.mark.parametrize("directed", [True, False])
def test_traversals(directed):
    for graph in graphs():
        for start in {0, len(graph) // 2}:
            for name in ("breadth_first", "depth_first"):
                expected = getattr(theirs, f"{name}_order")(graph.copy(), start, directed)
                tree = getattr(theirs, f"{name}_tree")(graph.copy(), start, directed).toarray()
                for form in forms(graph):
                    found = getattr(ours, f"{name}_order")(form, start, directed)
                    for one, other in zip(found, expected, strict=True):
                        assert one.dtype == other.dtype
                        np.testing.assert_array_equal(cp.asnumpy(one), other)
                    found = getattr(ours, f"{name}_tree")(form, start, directed)
                    np.testing.assert_array_equal(cp.asnumpy(found.toarray()), tree)
                order = getattr(ours, f"{name}_order")(cp.array(graph), start, directed, return_predecessors=False)
                np.testing.assert_array_equal(cp.asnumpy(order), expected[0])


def same_parts(labels, expected):
    labels, expected = cp.asnumpy(labels), np.asarray(expected)
    pairs = set(zip(labels.tolist(), expected.tolist(), strict=True))
    return len(pairs) == len(set(labels.tolist())) == len(set(expected.tolist()))


def test_components():
    for graph in graphs():
        for directed, connection in [(True, "weak"), (True, "strong"), (False, "weak"), (False, "strong")]:
            count, expected = theirs.connected_components(graph, directed, connection)
            for form in forms(graph):
                found, labels = ours.connected_components(form, directed, connection)
                assert found == count
                assert labels.dtype == np.int32
                assert same_parts(labels, expected)
                if connection == "weak" or not directed:
                    np.testing.assert_array_equal(cp.asnumpy(labels), expected)
            assert ours.connected_components(cp.array(graph), directed, connection, return_labels=False) == count
        # Both ways to find them, whichever the device takes.
        rows = rows_of(cp.array(graph))
        assert same_parts(_components._hooked(rows), theirs.connected_components(graph)[1])
        strong = theirs.connected_components(graph, True, "strong")[1]
        assert same_parts(_components._colored(rows), strong)
        assert same_parts(_components._searched(rows), strong)
    assert ours.connected_components(cp.zeros((0, 0)))[0] == 0


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)
def test_shortest_paths(method, directed):
    for graph in graphs():
        expected = theirs.dijkstra(graph, directed)
        counted = theirs.dijkstra(graph, directed, unweighted=True)
        for form in forms(graph)[:2]:
            dist, before = method(form, directed=directed, return_predecessors=True)
            np.testing.assert_allclose(cp.asnumpy(dist), expected)
            check_paths(graph, cp.asnumpy(dist), cp.asnumpy(before), range(len(graph)), directed)
            np.testing.assert_array_equal(cp.asnumpy(method(form, directed=directed, unweighted=True)), counted)
        if method is not ours.floyd_warshall:
            for indices in (0, [len(graph) - 1, 0], [[0, 0]], -1):
                dist = method(cp.array(graph), directed=directed, indices=indices)
                np.testing.assert_allclose(
                    cp.asnumpy(dist), theirs.shortest_path(graph, "D", directed, indices=indices)
                )


def test_all_ways_to_compute():
    # What another kind of device takes gives the same.
    for graph in graphs():
        expected = theirs.dijkstra(graph)
        rows = rows_of(cp.array(graph))
        start = cp.where(cp.eye(len(graph), dtype=bool), 0.0, cp.inf)
        dist, before = _shortest.relaxed(rows, start)
        np.testing.assert_allclose(cp.asnumpy(dist), expected)
        check_paths(graph, cp.asnumpy(dist), cp.asnumpy(before), range(len(graph)), True)
        nodes = cp.arange(len(graph), dtype="int32")
        dist = cp.where(cp.array(graph) != 0, cp.array(graph), cp.inf)
        before = cp.where(dist < cp.inf, nodes[:, None], -9999).astype("int32")
        dist = cp.where(cp.eye(len(graph), dtype=bool), 0, dist)
        before = cp.where(cp.eye(len(graph), dtype=bool), -9999, before).astype("int32")
        for _ in range(6):
            dist, before = _all_pairs._squared(dist, before, nodes[:, None], nodes)
        np.testing.assert_allclose(cp.asnumpy(dist), expected)
        check_paths(graph, cp.asnumpy(dist), cp.asnumpy(before), range(len(graph)), True)


def test_as_a_gpu_computes(monkeypatch):
    """What a device with many threads takes, on this one."""
    take_ways(monkeypatch, True)
    for graph in graphs():
        device = cp.array(graph)
        expected = theirs.dijkstra(graph)
        for method in (ours.dijkstra, ours.johnson, ours.floyd_warshall):
            np.testing.assert_allclose(cp.asnumpy(method(device)), expected)
        sources = [0, len(graph) - 1]
        found = ours.dijkstra(device, indices=sources, min_only=True)
        np.testing.assert_allclose(cp.asnumpy(found), theirs.dijkstra(graph, indices=sources, min_only=True))
        found = ours.dijkstra(device, indices=0, limit=0.5)
        np.testing.assert_allclose(cp.asnumpy(found), theirs.dijkstra(graph, indices=0, limit=0.5))
        for connection in ("weak", "strong"):
            count, labels = ours.connected_components(device, connection=connection)
            assert count == theirs.connected_components(graph, connection=connection)[0]
            assert same_parts(labels, theirs.connected_components(graph, connection=connection)[1])
        np.testing.assert_array_equal(
            cp.asnumpy(ours.depth_first_order(device, 0)[0]), theirs.depth_first_order(graph.copy(), 0)[0]
        )


@pytest.mark.parametrize("steps", [8, 48])
def test_many_sources_as_a_gpu_computes(monkeypatch, steps):
    """All edges are relaxed, and heaps follow where paths have more edges than there are steps."""
    take_ways(monkeypatch, True, "paths", "loops of one thread")
    monkeypatch.setattr(routes, "FEW_SOURCES", 2)
    monkeypatch.setattr(_shortest, "MOST_HEAPS", 1)
    monkeypatch.setattr(_shortest, "MOST_STEPS", steps)
    tried = []
    original = _shortest.lengths
    monkeypatch.setattr(_shortest, "lengths", lambda *a: tried.append(original(*a) is None) or original(*a))
    line = np.diag(np.arange(1.0, 20), 1)
    for graph in (*graphs(), line):
        for limit in (np.inf, 0.75):
            found = ours.dijkstra(cp.array(graph), limit=limit)
            np.testing.assert_allclose(cp.asnumpy(found), theirs.dijkstra(graph, limit=limit))
    found = ours.dijkstra(cp.array(line), indices=[[0, 3], [5, 19]])
    np.testing.assert_allclose(cp.asnumpy(found), theirs.dijkstra(line, indices=[[0, 3], [5, 19]]))
    assert any(tried) == (steps == 8)


def test_sources_in_parts(monkeypatch):
    monkeypatch.setattr(_shortest, "MOST_HEAPS", 1)
    monkeypatch.setattr(routes, "FEW_SOURCES", 7)
    for graph in graphs():
        dist, before = ours.dijkstra(cp.array(graph), return_predecessors=True)
        np.testing.assert_allclose(cp.asnumpy(dist), theirs.dijkstra(graph))
        check_paths(graph, cp.asnumpy(dist), cp.asnumpy(before), range(len(graph)), True)


def test_dijkstra_options():
    for graph in graphs():
        for directed in (True, False):
            for limit in (0, 0.5, 1.25):
                found = ours.dijkstra(cp.array(graph), directed, limit=limit)
                np.testing.assert_allclose(cp.asnumpy(found), theirs.dijkstra(graph, directed, limit=limit))
            sources = sorted({0, len(graph) // 2})
            found = ours.dijkstra(cp.array(graph), directed, sources, True, min_only=True)
            expected = theirs.dijkstra(graph, directed, sources, True, min_only=True)
            np.testing.assert_allclose(cp.asnumpy(found[0]), expected[0])
            # Where sources are equally near, either one is right.
            whole, nearest = theirs.dijkstra(graph, directed, sources), cp.asnumpy(found[2])
            for node, source in enumerate(nearest):
                if source >= 0:
                    assert whole[sources.index(source), node] == expected[0][node]
                else:
                    assert np.isinf(expected[0][node])


NEGATIVE = np.array([[0, 1, 5, 0], [0, 0, -2, 0], [0, 0, 0, 4], [1, 0, 0, 0.0]])


def test_negative_weights():
    for method in (ours.bellman_ford, ours.johnson, ours.floyd_warshall, ours.shortest_path):
        dist, before = method(cp.array(NEGATIVE), return_predecessors=True)
        np.testing.assert_allclose(cp.asnumpy(dist), theirs.johnson(NEGATIVE))
        check_paths(NEGATIVE, cp.asnumpy(dist), cp.asnumpy(before), range(4), True)
        for cycle in (np.array([[0, 1, 0], [0, 0, -3], [1, 0, 0.0]]), np.diag([0, -1.0, 0])):
            with pytest.raises(ours.NegativeCycleError):
                method(sparse.csr_array(sp.csr_array(cycle)))
    with pytest.raises(ours.NegativeCycleError):
        ours.bellman_ford(cp.array(NEGATIVE), directed=False)
    with pytest.warns(UserWarning, match="negative weights"):
        ours.dijkstra(cp.array(NEGATIVE))
    # A cycle that no source reaches does not matter.
    apart = np.zeros((4, 4))
    apart[0, 1], apart[2, 3], apart[3, 2] = 1, -1, -1
    found = ours.bellman_ford(cp.array(apart), indices=0)
    np.testing.assert_array_equal(cp.asnumpy(found), [0, 1, np.inf, np.inf])


def test_zeros_that_are_stored():
    # An edge of length 0, a cycle of them, and two edges between the same nodes.
    offsets, targets = np.array([0, 3, 4, 5, 6]), np.array([1, 1, 2, 2, 1, 0])
    weights = np.array([2.0, 1, 0, 0, 0, 3])
    graph = sparse.csr_array((cp.array(weights), cp.array(targets), cp.array(offsets)), shape=(4, 4))
    expected = [[0, 0, 0, np.inf], [np.inf, 0, 0, np.inf], [np.inf, 0, 0, np.inf], [3, 3, 3, 0]]
    for method in METHODS:
        dist, before = method(graph, return_predecessors=True)
        np.testing.assert_array_equal(cp.asnumpy(dist), expected)
        before = cp.asnumpy(before)
        for source in range(4):
            for node in range(4):
                for _ in range(4):
                    node = node if before[source, node] < 0 else before[source, node]
                assert before[source, node] < 0


@pytest.mark.parametrize("directed", [True, False])
def test_yen(directed):
    for graph in graphs():
        count = len(graph)
        if count < 2:
            continue
        for K in (0, 1, 7):
            found, before = ours.yen(cp.array(graph), 0, count - 1, K, directed=directed, return_predecessors=True)
            # SciPy writes beyond its array for no paths.
            expected = theirs.yen(graph.copy(), 0, count - 1, K, directed=directed) if K else np.zeros(0)
            np.testing.assert_allclose(cp.asnumpy(found), expected)
            paths = set()
            for last in cp.asnumpy(before):
                path = [count - 1]
                while last[path[-1]] >= 0:
                    path.append(last[path[-1]])
                assert path[-1] == 0
                paths.add(tuple(path))
            assert len(paths) == len(expected)
    found = ours.yen(cp.array(NEGATIVE), 0, 3, 4)
    np.testing.assert_allclose(cp.asnumpy(found), theirs.yen(NEGATIVE.copy(), 0, 3, 4))


def test_wrong_arguments():
    graph = np.ones((4, 4))
    for call in [
        lambda m, g: m.dijkstra(g[:2]),
        lambda m, g: m.dijkstra(g, indices=4),
        lambda m, g: m.dijkstra(g, indices=-5),
        lambda m, g: m.dijkstra(g, limit=-1),
        lambda m, g: m.bellman_ford(g, indices=[0, 9]),
        lambda m, g: m.shortest_path(g, method="X"),
        lambda m, g: m.shortest_path(g, method="FW", indices=0),
        lambda m, g: m.connected_components(g, connection="both"),
        lambda m, g: m.floyd_warshall(g[:2]),
        lambda m, g: m.breadth_first_order(g[:2], 0),
    ]:
        same_error(lambda call=call: call(ours, cp.array(graph)), lambda call=call: call(theirs, graph.copy()))
    for source, sink in ((0, 4), (-1, 2)):
        with pytest.raises(ValueError, match=f"source={source}, sink={sink}"):
            ours.yen(cp.array(graph), source, sink, 1)
    for search in (ours.breadth_first_order, ours.depth_first_tree):
        for start in (4, -1):
            with pytest.raises(ValueError, match="i_start"):
                search(cp.array(graph), start)
