"""Direct solvers by the library of the device where there is one, on hard matrices: the same on all devices."""

import warnings

import cuproxide as cp
import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg
from cuproxide.scipy import sparse
from cuproxide.scipy.sparse import linalg


@pytest.fixture(autouse=True)
def _wherever_it_can(monkeypatch):
    monkeypatch.setenv("CUPROXIDE_SPARSE_SOLVER", "library")


def backward_error(host, x, b):
    """The greatest residual beside the sizes of its terms, as normwise backward errors are."""
    x, b = np.asarray(x), np.asarray(b)
    size = np.abs(host).sum(axis=1).max() * np.abs(x).max() + np.abs(b).max()
    return np.abs(host @ x - b).max() / size


def drawn(order, dtype, seed=0, share=0.05):
    random = np.random.default_rng(seed)
    dense = np.where(random.random((order, order)) < share, random.standard_normal((order, order)), 0)
    if np.dtype(dtype).kind == "c":
        dense = dense * np.exp(1j * random.random((order, order)))
    return dense.astype(dtype)


def poisson(side):
    ones = np.ones(side)
    line = scipy.sparse.diags_array([-ones[1:], 2 * ones, -ones[1:]], offsets=[-1, 0, 1])
    eye = scipy.sparse.eye_array(side)
    return scipy.sparse.csr_array(scipy.sparse.kron(line, eye) + scipy.sparse.kron(eye, line))


def matrices():
    """Regular matrices by name."""
    random = np.random.default_rng(7)
    order = 60
    permuted = np.eye(order)[random.permutation(order)] * 3 + drawn(order, "f8", 1) * 0.1
    grows = np.eye(order) - np.tril(np.ones((order, order)), -1)
    grows[:, -1] = 1
    yield "one by one", np.array([[4.0]])
    yield "identity", np.eye(5)
    yield "exchange", np.array([[0.0, 1.0], [1.0, 0.0]])
    yield "cyclic", np.roll(np.eye(7), 1, axis=0) * np.arange(1.0, 8)
    yield "tiny pivot", np.array([[1e-20, 1.0], [1.0, 1.0]])
    yield "small pivot", np.array([[1e-9, 1.0], [1.0, 1.0]])
    yield "permuted", permuted
    yield "growing pivots", grows
    yield "graded", np.diag(10.0 ** -np.linspace(0, 12, 30)) @ (np.eye(30) + np.eye(30, k=1) / 3 + np.eye(30, k=-4) / 5)
    yield "scaled rows", (drawn(order, "f8", 2) + 4 * np.eye(order)) * 10.0 ** random.integers(-9, 9, (order, 1))
    yield "scaled columns", (drawn(order, "f8", 3) + 4 * np.eye(order)) * 10.0 ** random.integers(-9, 9, order)
    yield "huge", np.array([[2.0, 1.0], [1.0, 3.0]]) * 1e200
    yield "small", np.array([[2.0, 1.0], [1.0, 3.0]]) * 1e-200
    yield "symmetric", poisson(8).toarray()
    yield "indefinite", poisson(8).toarray() - 3.3 * np.eye(64)
    yield "not definite", np.array([[1.0, 2.0], [2.0, 1.0]])
    yield "skew", np.array([[0.0, 2.0], [-2.0, 0.0]])
    yield "full", random.standard_normal((40, 40))
    yield "triangular", np.tril(random.standard_normal((30, 30))) + 3 * np.eye(30)
    yield "saddle", np.block([[np.eye(20) * 2, np.ones((20, 1))], [np.ones((1, 20)), np.zeros((1, 1))]])
    yield (
        "arrow",
        np.diag(np.r_[0.0, np.ones(29)])
        + np.outer(np.eye(30)[0], np.r_[0.0, np.ones(29)])
        + np.outer(np.r_[0.0, np.ones(29)], np.eye(30)[0]),
    )


MATRICES = dict(matrices())


@pytest.mark.parametrize("kind", ["csr", "csc"])
@pytest.mark.parametrize("name", MATRICES)
def test_hard_matrices(name, kind):
    dense = MATRICES[name]
    host = scipy.sparse.csc_array(dense)
    order = len(dense)
    b = np.random.default_rng(3).standard_normal(order)
    a = sparse.csr_array(host) if kind == "csr" else sparse.csc_array(host)
    with warnings.catch_warnings():
        warnings.simplefilter("error", linalg.MatrixRankWarning)
        x = linalg.spsolve(a, cp.asarray(b)).get()
    scaled = dense / np.abs(dense).max(axis=1, keepdims=True)
    assert backward_error(scaled, x, b / np.abs(dense).max(axis=1)) < 1e-13
    factors = linalg.splu(sparse.csc_array(host))
    B = np.random.default_rng(4).standard_normal((order, 3))
    for trans, matrix in (("N", dense), ("T", dense.T), ("H", dense.T)):
        size = np.abs(matrix).max(axis=1, keepdims=True)
        X = factors.solve(cp.asarray(B), trans).get()
        assert X.shape == B.shape
        for column in range(3):
            assert backward_error(matrix / size, X[:, column], B[:, column] / size[:, 0]) < 1e-13, trans
    rows, columns = factors.perm_r.get(), factors.perm_c.get()
    product = (factors.L @ factors.U).toarray().get()
    np.testing.assert_allclose(product[rows][:, columns], dense, rtol=1e-10, atol=1e-12 * np.abs(dense).max())


def singular():
    """Singular matrices by name: exact sums, so that every order of elimination meets a zero."""
    yield "zero", scipy.sparse.csc_array((np.zeros(1), np.zeros(1, int), np.array([0, 1])), shape=(1, 1))
    yield "nothing stored", scipy.sparse.csc_array((3, 3))
    yield "rank one", scipy.sparse.csc_array(np.array([[1.0, 2.0], [2.0, 4.0]]))
    yield "great rank one", scipy.sparse.csc_array(np.array([[1.0, 2.0], [2.0, 4.0]]) * 2.0**80)
    yield "small rank one", scipy.sparse.csc_array(np.array([[1.0, 2.0], [2.0, 4.0]]) * 2.0**-80)
    yield "empty row", scipy.sparse.csc_array(np.array([[1.0, 2.0, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 3.0]]))
    yield "empty column", scipy.sparse.csc_array(np.array([[1.0, 0.0, 2.0], [3.0, 0.0, 4.0], [0.0, 0.0, 1.0]]))
    yield "no matching", scipy.sparse.csc_array(np.array([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 1.0, 3.0]]))
    block = np.kron(np.eye(20), np.ones((2, 2)))
    yield "one bad block", scipy.sparse.csc_array(block + np.diag(np.r_[np.ones(38), 0.0, 0.0]))


SINGULAR = dict(singular())


@pytest.mark.parametrize("name", SINGULAR)
def test_singular_matrices_are_never_solved(name):
    host = SINGULAR[name]
    for a in (sparse.csc_array(host), sparse.csr_array(host)):
        with pytest.warns(linalg.MatrixRankWarning, match="exactly singular"):
            x = linalg.spsolve(a, cp.ones(host.shape[0]))
        assert np.isnan(x.get()).all()
        with pytest.raises(RuntimeError, match="exactly singular"):
            linalg.spsolve(a, sparse.csc_array(np.eye(host.shape[0])[:, :2] if host.shape[0] > 1 else np.ones((1, 2))))
    with pytest.raises(RuntimeError, match="exactly singular"):
        linalg.splu(sparse.csc_array(host))


@pytest.mark.parametrize("indices", ["i4", "i8"])
@pytest.mark.parametrize("right", ["f4", "f8", "c8", "c16", "i8"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_types(dtype, right, indices):
    order = 70
    dense = drawn(order, dtype, 5) + 3 * np.eye(order, dtype=dtype)
    host = scipy.sparse.csc_array(dense)
    arrays = (cp.asarray(host.data), cp.asarray(host.indices.astype(indices)), cp.asarray(host.indptr.astype(indices)))
    b = np.random.default_rng(6).integers(-5, 5, (order, 2)).astype(right)
    if b.dtype.kind == "c":
        b = (b * (1 - 2j)).astype(right)
    kind = np.result_type(dense.dtype, b.dtype)
    bound = 200 * np.finfo(kind).eps
    a = sparse.csc_array(arrays, shape=host.shape)
    x = linalg.spsolve(a, cp.asarray(b))
    assert x.dtype == kind
    for column in range(2):
        assert backward_error(dense.astype(kind), x.get()[:, column], b[:, column]) < bound
    factors = linalg.splu(a)
    for trans, matrix in (("N", dense), ("T", dense.T), ("H", dense.conj().T)):
        x = factors.solve(cp.asarray(b), trans)
        assert x.dtype == kind
        for column in range(2):
            assert backward_error(matrix.astype(kind), x.get()[:, column], b[:, column]) < bound, trans


@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_positive_matrices(dtype):
    part = drawn(50, dtype, 8)
    dense = part @ part.conj().T + 2 * np.eye(50)
    host = scipy.sparse.csc_array(dense)
    b = np.arange(50.0) * (1 + 2j if dtype == "c16" else 1)
    for a in (sparse.csc_array(host), sparse.csr_array(host)):
        assert backward_error(dense, linalg.spsolve(a, cp.asarray(b)).get(), b) < 1e-14
    factors = linalg.splu(sparse.csc_array(host))
    for trans, matrix in (("N", dense), ("T", dense.T), ("H", dense.conj().T)):
        assert backward_error(matrix, factors.solve(cp.asarray(b), trans).get(), b) < 1e-14, trans
    inverse = linalg.inv(sparse.csc_array(host)).toarray().get()
    np.testing.assert_allclose(inverse @ dense, np.eye(50), atol=1e-10)


def test_right_hand_sides_that_are_not_finite():
    a = sparse.csc_array(poisson(6))
    b = np.ones(36)
    b[3] = np.nan
    assert np.isnan(linalg.spsolve(a, cp.asarray(b)).get()).any()
    assert np.isfinite(linalg.spsolve(a, cp.ones(36)).get()).all()


def test_layouts_of_right_hand_sides():
    host = poisson(7)
    factors = linalg.factorized(sparse.csc_array(host))
    B = np.random.default_rng(9).standard_normal((49, 6))
    expected = scipy.sparse.linalg.spsolve(host.tocsc(), B)
    for b in (
        cp.asarray(B),
        cp.asarray(B.T.copy()).T,
        cp.asarray(np.repeat(B, 2, axis=1))[:, ::2],
        cp.asarray(B[::-1])[::-1],
    ):
        np.testing.assert_allclose(factors(b).get(), expected, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(factors(cp.asarray(B)[:, 2]).get(), expected[:, 2], rtol=1e-11, atol=1e-13)
    assert factors(cp.empty((49, 0))).shape == (49, 0)


def test_factors_do_not_follow_their_matrix():
    host = scipy.sparse.csc_array(poisson(6))
    a = sparse.csc_array(host)
    factors = linalg.splu(a)
    a.data *= 7
    np.testing.assert_allclose(host @ factors.solve(cp.ones(36)).get(), np.ones(36), rtol=1e-12)
    np.testing.assert_allclose(abs((factors.L @ factors.U).toarray().get()).max(), 4.0, rtol=1e-6)


def test_large_systems(monkeypatch):
    """Large enough for a library to be chosen by itself."""
    monkeypatch.delenv("CUPROXIDE_SPARSE_SOLVER")
    host = poisson(80)
    b = np.random.default_rng(10).standard_normal(6400)
    x = linalg.spsolve(sparse.csr_array(host), cp.asarray(b)).get()
    np.testing.assert_allclose(host @ x, b, atol=1e-11)
    moved = host + scipy.sparse.diags_array(np.linspace(0, 1, 6399), offsets=1, shape=host.shape)
    y = linalg.splu(sparse.csc_array(moved.tocsc())).solve(cp.asarray(b), "T").get()
    np.testing.assert_allclose(moved.T @ y, b, atol=1e-11)
    values = linalg.eigsh(sparse.csr_array(host), k=4, sigma=0, return_eigenvectors=False).get()
    line = 2 - 2 * np.cos(np.pi * np.arange(1, 81) / 81)
    np.testing.assert_allclose(np.sort(values), np.sort(np.add.outer(line, line).ravel())[:4], rtol=1e-9)


@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_a_pattern_that_comes_again(dtype):
    """The analysis may be kept: neither elements nor kinds of factors may be mixed up, nor patterns of one size."""
    random = np.random.default_rng(11)
    order = 90
    dense = drawn(order, dtype, 12) + 4 * np.eye(order)
    other = np.roll(dense, 1, axis=1)
    part = dense @ dense.conj().T
    b = random.standard_normal(order)
    for turn in range(3):
        for matrix in (dense, dense * (turn + 2.5), dense.real + dense.T.real, other, part, -part):
            for kind in (sparse.csr_array, sparse.csc_array):
                a = kind(scipy.sparse.csc_array(matrix))
                x = linalg.spsolve(a, cp.asarray(b)).get()
                assert backward_error(matrix, x, b) < 1e-13
    held = [linalg.splu(sparse.csc_array(scipy.sparse.csc_array(dense * factor))) for factor in (1.0, 2.0, 3.0)]
    for factor, factors in zip((1.0, 2.0, 3.0), held, strict=True):
        assert backward_error(dense * factor, factors.solve(cp.asarray(b)).get(), b) < 1e-13
    # From singular elements back to regular ones.
    for values in (
        np.ones((2, 2)),
        np.array([[1.0, 2.0], [3.0, 4.0]]),
        np.ones((2, 2)),
        np.array([[2.0, 1.0], [1.0, 3.0]]),
    ):
        a = sparse.csc_array(scipy.sparse.csc_array(values))
        if np.linalg.det(values) == 0:
            with pytest.raises(RuntimeError, match="exactly singular"):
                linalg.splu(a)
        else:
            x = linalg.splu(a).solve(cp.ones(2)).get()
            np.testing.assert_allclose(values @ x, np.ones(2), rtol=1e-13)
