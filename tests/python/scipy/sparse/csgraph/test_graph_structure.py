"""Trees, Laplacians, conversions, flows, matchings and orders of graphs, beside SciPy's."""

import warnings

import cuproxide as cp
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.csgraph as theirs
from cuproxide.scipy import sparse
from cuproxide.scipy.sparse import csgraph as ours
from helpers import same_error


def device(A):
    return sparse.csr_array(sp.csr_array(A))


def randoms(count=12):
    for seed in range(count):
        random = np.random.default_rng(seed)
        n, m = random.integers(1, 25, 2)
        density = random.choice([0.05, 0.2, 0.6])
        yield (
            random,
            sp.csr_array(sp.random(n, m, density, rng=random)),
            sp.csr_array(sp.random(n, n, density, rng=random)),
        )


def test_minimum_spanning_trees():
    for random, _, graph in randoms():
        for values in (graph.data, np.ceil(graph.data * 3), np.zeros(graph.nnz), random.normal(size=graph.nnz)):
            graph.data = np.array(values)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = theirs.minimum_spanning_tree(graph)
            found = ours.minimum_spanning_tree(device(graph))
            assert found.format == "csr"
            assert found.nnz == expected.nnz
            np.testing.assert_allclose(float(found.sum()), expected.sum())
            if not np.all(values):
                continue
            # As many components as before, and no cycle.
            parts = ours.connected_components(found, directed=False, return_labels=False)
            assert parts == theirs.connected_components(graph, directed=False, return_labels=False)
            assert found.nnz == graph.shape[0] - parts
    assert ours.minimum_spanning_tree(cp.zeros((3, 3))).nnz == 0


@pytest.mark.parametrize(
    "options",
    [{}, {"normed": True}, {"use_out_degree": True}, {"symmetrized": True}, {"normed": True, "symmetrized": True}],
)
def test_laplacians(options):
    for random, _, graph in randoms(6):
        for dtype in ("int64", "float32", "float64", "complex128"):
            values = np.ceil(graph.toarray() * 9) * (1 + 0.5j if dtype == "complex128" else 1)
            dense, vectors = values.astype(dtype), random.normal(size=(len(values), 2))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for mine, his in ((cp.array(dense), dense.copy()), (device(dense), sp.csr_array(dense))):
                    found = ours.laplacian(mine, return_diag=True, **options)
                    expected = theirs.laplacian(his.copy(), return_diag=True, **options)
                    for one, other in zip(found, expected, strict=True):
                        assert one.dtype == other.dtype
                        one, other = (part.toarray() if hasattr(part, "toarray") else part for part in (one, other))
                        np.testing.assert_allclose(cp.asnumpy(one), other, rtol=1e-5, atol=1e-6)
                    for form in ("lo", "function"):
                        product = ours.laplacian(mine, form=form, **options)
                        expected = theirs.laplacian(his.copy(), form=form, **options)
                        np.testing.assert_allclose(
                            cp.asnumpy(product(cp.array(vectors))), expected(vectors), rtol=1e-5, atol=1e-5
                        )
    for call in (lambda m, g: m.laplacian(g[:2]), lambda m, g: m.laplacian(g, form="matrix")):
        same_error(lambda call=call: call(ours, cp.ones((3, 3))), lambda call=call: call(theirs, np.ones((3, 3))))


def test_conversions():
    special = np.array([[0, np.nan, np.inf], [1, 2, -np.inf], [0, 0, 3.0]])
    for options in (
        {},
        {"null_value": 2},
        {"null_value": None},
        {"nan_null": False},
        {"infinity_null": False},
        {"null_value": np.nan},
    ):
        expected = theirs.csgraph_from_dense(special, **options)
        found = ours.csgraph_from_dense(cp.array(special), **options)
        assert found.dtype == np.float64
        for name in ("data", "indices", "indptr"):
            np.testing.assert_array_equal(cp.asnumpy(getattr(found, name)), getattr(expected, name))
        masked, wanted = (
            ours.csgraph_masked_from_dense(cp.array(special), **options),
            theirs.csgraph_masked_from_dense(special, **options),
        )
        np.testing.assert_array_equal(np.ma.getmaskarray(masked), np.ma.getmaskarray(wanted))
        back = ours.csgraph_from_masked(masked)
        assert back.nnz == (~np.ma.getmaskarray(masked)).sum()
    for _, _, graph in randoms(5):
        graph.data = np.ceil(graph.data * 3) - 1
        for null in (0, -1, np.inf, np.nan):
            found = ours.csgraph_to_dense(device(graph), null)
            np.testing.assert_array_equal(cp.asnumpy(found), theirs.csgraph_to_dense(graph, null))
        one, other = ours.csgraph_to_masked(device(graph)), theirs.csgraph_to_masked(graph)
        np.testing.assert_array_equal(np.ma.getmaskarray(one), np.ma.getmaskarray(other))
        for form in (device(graph), ours.csgraph_to_masked(device(graph))):
            assert ours.connected_components(form, return_labels=False) == theirs.connected_components(
                graph, return_labels=False
            )
    for call in [
        lambda m, xp: m.csgraph_from_dense(xp.ones(3)),
        lambda m, xp: m.csgraph_from_dense(xp.ones((2, 3))),
        lambda m, xp: m.csgraph_to_dense(xp.ones((3, 3))),
    ]:
        same_error(lambda call=call: call(ours, cp), lambda call=call: call(theirs, np))


@pytest.mark.parametrize("directed", [True, False])
def test_predecessors(directed):
    for _, _, graph in randoms(8):
        dense = graph.toarray()
        before = theirs.floyd_warshall(dense.copy(), directed, return_predecessors=True)[1]
        found = ours.construct_dist_matrix(device(graph), cp.array(before), directed)
        expected = theirs.construct_dist_matrix(dense.copy(), before, directed)
        np.testing.assert_allclose(cp.asnumpy(found), expected)
        found = ours.construct_dist_matrix(device(graph), cp.array(before), directed, null_value=-1)
        np.testing.assert_allclose(cp.asnumpy(found), np.where(np.isinf(expected), -1, expected))
        for row in (0, len(dense) // 2):
            found = ours.reconstruct_path(device(graph), cp.array(before[row]), directed)
            expected = theirs.reconstruct_path(graph, before[row], directed)
            np.testing.assert_allclose(cp.asnumpy(found.toarray()), expected.toarray())
    with pytest.raises(ValueError):
        ours.reconstruct_path(cp.ones((3, 3)), cp.zeros(2))
    with pytest.raises(ValueError):
        ours.construct_dist_matrix(cp.ones((3, 3)), cp.zeros((2, 2)))


def test_maximum_flow():
    for _, _, graph in randoms(14):
        count = graph.shape[0]
        if count < 2:
            continue
        for dtype in ("int32", "int64", "int8"):
            capacities = sp.csr_array(np.ceil(graph.toarray() * 10).astype(dtype))
            found = ours.maximum_flow(device(capacities), 0, count - 1)
            assert found.flow_value == theirs.maximum_flow(capacities.astype("int32"), 0, count - 1).flow_value
            flow = cp.asnumpy(found.flow.toarray()).astype("int64")
            np.testing.assert_array_equal(flow, -flow.T)
            assert (flow <= capacities.toarray()).all()
            assert not flow.sum(axis=1)[1:-1].any()
            assert flow[0].sum() == found.flow_value
    # Sums above 32 bits, and duplicates.
    wide = sparse.csr_array((cp.array([2**33, 1, 2**33]), cp.array([1, 1, 2]), cp.array([0, 2, 3, 3])), shape=(3, 3))
    assert ours.maximum_flow(wide, 0, 2).flow_value == 2**33
    square = sp.csr_array(np.array([[0, 3], [0, 0]]))
    for call in [
        lambda m, A, xp: m.maximum_flow(A.toarray(), 0, 1),
        lambda m, A, xp: m.maximum_flow(A.tocsc(), 0, 1),
        lambda m, A, xp: m.maximum_flow(A.astype(float), 0, 1),
        lambda m, A, xp: m.maximum_flow(A, 0, 0),
        lambda m, A, xp: m.maximum_flow(A, 0, 2),
        lambda m, A, xp: m.maximum_flow(A, -1, 1),
        lambda m, A, xp: m.maximum_flow(A[:1], 0, 1),
        lambda m, A, xp: m.maximum_flow(A, 0, 1, method="best"),
    ]:
        same_error(lambda call=call: call(ours, device(square), cp), lambda call=call: call(theirs, square, np))


def test_matchings():
    for random, graph, _ in randoms(20):
        dense = graph.toarray() != 0
        for kind in ("row", "column"):
            found = cp.asnumpy(ours.maximum_bipartite_matching(device(graph), kind))
            expected = theirs.maximum_bipartite_matching(graph, kind)
            assert found.dtype == expected.dtype
            assert (found >= 0).sum() == (expected >= 0).sum()
            partners = found[found >= 0]
            assert len(set(partners.tolist())) == len(partners)
            for one, other in enumerate(found):
                assert other < 0 or dense[(other, one) if kind == "row" else (one, other)]
        assert ours.structural_rank(device(graph)) == theirs.structural_rank(graph)
        weights = graph.copy()
        weights.data = np.round(random.normal(size=graph.nnz) * 5) / 4 + 0.125
        for maximize in (False, True):
            try:
                rows, columns = theirs.min_weight_full_bipartite_matching(weights, maximize)
            except ValueError:
                with pytest.raises(ValueError, match="full matching"):
                    ours.min_weight_full_bipartite_matching(device(weights), maximize)
                continue
            total = weights.toarray()[rows, columns].sum()
            rows, columns = (
                cp.asnumpy(part) for part in ours.min_weight_full_bipartite_matching(device(weights), maximize)
            )
            assert len(rows) == min(weights.shape) == len(set(columns.tolist()))
            assert dense[rows, columns].all()
            np.testing.assert_allclose(weights.toarray()[rows, columns].sum(), total)
    with pytest.warns(UserWarning, match="explicit zero"):
        stored = sparse.csr_array((cp.array([0.0, 1, 2]), cp.array([0, 1, 0]), cp.array([0, 2, 3])), shape=(2, 2))
        rows, columns = ours.min_weight_full_bipartite_matching(stored)
    np.testing.assert_array_equal(cp.asnumpy(columns), [1, 0])
    for call in [
        lambda m, A: m.maximum_bipartite_matching(A.toarray()),
        lambda m, A: m.structural_rank(A.toarray()),
        lambda m, A: m.min_weight_full_bipartite_matching(A.toarray()),
        lambda m, A: m.reverse_cuthill_mckee(A.toarray()),
    ]:
        host = sp.csr_array(np.eye(3))
        same_error(lambda call=call: call(ours, device(np.eye(3))), lambda call=call, host=host: call(theirs, host))
    with pytest.raises(ValueError, match="perm_type"):
        ours.maximum_bipartite_matching(device(np.eye(3)), "rows")


def bandwidth(graph, order):
    graph = sp.coo_array((graph + graph.T).toarray()[order][:, order])
    return int(abs(graph.coords[0] - graph.coords[1]).max()) if graph.nnz else 0


def test_reverse_cuthill_mckee():
    for _, _, graph in randoms():
        found = cp.asnumpy(ours.reverse_cuthill_mckee(device(graph)))
        expected = theirs.reverse_cuthill_mckee(graph)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(np.sort(found), np.arange(len(found)))
        # Nodes of one degree come in another order, from which a little may follow.
        assert bandwidth(graph, found) <= bandwidth(graph, expected) + 5
    # A shuffled path is found whole.
    path = np.diag(np.ones(39), 1) + np.diag(np.ones(39), -1)
    shuffled = path[np.ix_(*[np.random.default_rng(1).permutation(40)] * 2)]
    order = cp.asnumpy(ours.reverse_cuthill_mckee(device(shuffled), symmetric_mode=True))
    assert bandwidth(sp.csr_array(shuffled), order) == 1


def test_host_graphs_are_taken():
    for _, wide, graph in randoms(3):
        assert ours.connected_components(graph, return_labels=False) == theirs.connected_components(
            graph, return_labels=False
        )
        np.testing.assert_allclose(cp.asnumpy(ours.dijkstra(graph)), theirs.dijkstra(graph))
        np.testing.assert_allclose(cp.asnumpy(ours.laplacian(graph).toarray()), theirs.laplacian(graph).toarray())
        tree = ours.minimum_spanning_tree(sp.csr_matrix(graph))
        assert sparse.isspmatrix(tree)
        assert ours.structural_rank(wide) == theirs.structural_rank(wide)
        np.testing.assert_array_equal(cp.asnumpy(ours.csgraph_to_dense(graph)), theirs.csgraph_to_dense(graph))
        flows = sp.csr_array(np.ceil(graph.toarray() * 9).astype("int32"))
        if flows.shape[0] > 1:
            assert ours.maximum_flow(flows, 0, 1).flow_value == theirs.maximum_flow(flows, 0, 1).flow_value
