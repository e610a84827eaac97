"""Graphs in all forms beside SciPy's: masked, with stored zeros, of narrow types, and what types results have."""

import warnings

import cuproxide as cp
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.csgraph as theirs
from cuproxide.scipy import sparse
from cuproxide.scipy.sparse import csgraph as ours


def graph(seed, format="csr", dtype="f8", zeros=0.3):
    """A sparse graph of SciPy's, with stored zeros."""
    random = np.random.default_rng(seed)
    made = sp.csr_array(sp.random(9, 9, 0.3, rng=random))
    made.data = np.ceil(made.data * 5) * (random.random(made.nnz) > zeros)
    return made.asformat(format).astype(dtype)


def device(x):
    if sp.issparse(x):
        return getattr(sparse, type(x).__name__)(x)
    return cp.asarray(x) if type(x) is np.ndarray else x


def same(found, expected):
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            same(one, other)
        return
    if sp.issparse(expected):
        assert type(found).__name__ == type(expected).__name__
        found, expected = found.toarray(), expected.toarray()
    found = found.get() if isinstance(found, cp.ndarray) else found
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(np.asarray(found, dtype=float), np.asarray(expected, dtype=float))


@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
@pytest.mark.parametrize("directed", [True, False])
def test_searches_of_stored_zeros(format, directed):
    for seed in range(12):
        A = graph(seed, format)
        for name in ("breadth_first_order", "depth_first_order", "breadth_first_tree", "depth_first_tree"):
            same(getattr(ours, name)(device(A), 2, directed), getattr(theirs, name)(A, 2, directed))
        before = theirs.dijkstra(A, directed, 2, return_predecessors=True)[1]
        same(
            ours.reconstruct_path(device(A), cp.asarray(before), directed), theirs.reconstruct_path(A, before, directed)
        )
        before = theirs.dijkstra(A, directed, return_predecessors=True)[1]
        if format != "coo":
            found = ours.construct_dist_matrix(device(A), cp.asarray(before), directed)
            same(found, theirs.construct_dist_matrix(A, before, directed))


def test_repeated_edges_of_trees_add_up():
    A = sp.csr_array((np.array([2.0, 3.0, 1.0]), np.array([1, 1, 2]), np.array([0, 2, 3, 3])), shape=(3, 3))
    for directed in (True, False):
        same(ours.breadth_first_tree(device(A), 0, directed), theirs.breadth_first_tree(A, 0, directed))
    # Edges that the graph lacks weigh nothing.
    before = np.array([-9999, 2, 0], dtype=np.int32)
    same(ours.reconstruct_path(device(A), cp.asarray(before)), theirs.reconstruct_path(A, before))


def test_masked_zeros_are_no_edges_of_dense_paths():
    random = np.random.default_rng(3)
    values = np.ceil(random.random((7, 7)) * 4) * (random.random((7, 7)) < 0.6)
    A = np.ma.masked_array(values, random.random((7, 7)) < 0.4)
    for directed in (True, False):
        for unweighted in (True, False):
            options = {"directed": directed, "unweighted": unweighted}
            same(ours.floyd_warshall(A.copy(), **options), theirs.floyd_warshall(A.copy(), **options))
            same(ours.shortest_path(A.copy(), **options), theirs.shortest_path(A.copy(), **options))


def test_paths_of_lists_choose_a_method():
    A = graph(1, "lil", zeros=0)
    for indices in (None, [1, 2]):
        same(ours.shortest_path(device(A), indices=indices), theirs.shortest_path(A, indices=indices))


def test_a_node_has_a_path_to_itself():
    A = graph(2)
    found, before = ours.yen(device(A), 3, 3, 4, return_predecessors=True)
    same((found, before), theirs.yen(A, 3, 3, 4, return_predecessors=True))


@pytest.mark.parametrize("dtype", ["int32", "uint8", "float32", "bool"])
@pytest.mark.parametrize("null", [0, None, np.nan, np.inf, 2])
def test_masked_from_dense_keeps_the_type(dtype, null):
    values = np.array([[0, 2, 1], [3, 0, 0], [1, 1, 0]]).astype(dtype)
    found = ours.csgraph_masked_from_dense(cp.asarray(values), null)
    expected = theirs.csgraph_masked_from_dense(values, null)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(np.ma.getmaskarray(found), np.ma.getmaskarray(expected))
    np.testing.assert_array_equal(found.filled(1), expected.filled(1))
    assert found.fill_value == expected.fill_value


def test_nothing_is_masked_in_a_plain_array():
    assert ours.csgraph_from_masked(cp.ones((2, 2))).nnz == 4


@pytest.mark.parametrize("dtype", ["int8", "uint32", "int64"])
def test_flows_are_int32_where_they_fit(dtype):
    A = sp.csr_array(np.array([[0, 3, 2], [0, 0, 1], [0, 0, 0]], dtype))
    found, expected = ours.maximum_flow(device(A), 0, 2), theirs.maximum_flow(A, 0, 2)
    assert found.flow_value == expected.flow_value
    assert found.flow.dtype == expected.flow.dtype == np.int32
    # SciPy's capacities wrap here.
    wide = sparse.csr_array(cp.asarray([[0, 2**40, 0], [0, 0, 2**41], [0, 0, 0]]))
    found = ours.maximum_flow(wide, 0, 2)
    assert found.flow_value == 2**40
    assert found.flow.dtype == np.int64


@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (4, 4), (0, 3)])
def test_types_of_full_matchings(shape):
    A = sp.csr_array(np.random.default_rng(0).random(shape) + 1)
    for found, expected in zip(
        ours.min_weight_full_bipartite_matching(device(A)),
        theirs.min_weight_full_bipartite_matching(A),
        strict=True,
    ):
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found.get(), expected)


def test_real_parts_of_weights_are_matched():
    A = sp.csr_array(np.array([[3 + 1j, 1], [1, 2 - 5j]]))
    with pytest.warns(np.exceptions.ComplexWarning):
        found = ours.min_weight_full_bipartite_matching(device(A))
    assert [part.tolist() for part in found] == [[0, 1], [1, 0]]


def test_order_reads_columns_as_they_are_stored():
    # Node 3 has most neighbours by columns, node 0 by rows: the ties of degrees are few.
    values = np.array([[1, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1], [0, 0, 0, 1]], dtype=float)
    for format in ("csr", "csc"):
        A = sp.csr_array(values).asformat(format)
        same(ours.reverse_cuthill_mckee(device(A), True), theirs.reverse_cuthill_mckee(A, True))


@pytest.mark.parametrize("form", ["array", "function"])
def test_laplacians_of_truths_and_diagonals(form):
    truths = np.random.default_rng(5).random((6, 6)) < 0.5
    vectors = np.random.default_rng(6).random((6, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if form == "function":
            options = {"symmetrized": True, "normed": True, "form": form}
            found, expected = ours.laplacian(cp.asarray(truths), **options), theirs.laplacian(truths, **options)
            same(found(cp.asarray(vectors)), expected(vectors))
            return
        A = sp.dia_array(np.diag([1.0, 2, 3], 1) + np.diag([4.0, 5, 6, 7]))
        for options in ({}, {"use_out_degree": True}, {"symmetrized": True}, {"normed": True}):
            same(ours.laplacian(device(A), **options), theirs.laplacian(A, **options))
