"""Sparse arrays by the vendor's library, which the stand-in plays: what is called, given back, and left to kernels."""

import threading

import cuproxide as cp
import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg
from cuproxide.scipy import sparse
from cuproxide.scipy.sparse import linalg
from cuproxide.scipy.sparse.linalg._triangular import Triangle

HIP = cp.cuda.runtime.is_hip


def name(function):
    return function.replace("cusparse", "hipsparse") if HIP else function


@pytest.fixture(autouse=True)
def _wherever_it_can(monkeypatch):
    monkeypatch.setenv("CUPROXIDE_SPARSE", "library")


def drawn(rows, columns, dtype, share=0.3, seed=0):
    random = np.random.default_rng(seed)
    dense = random.integers(1, 5, (rows, columns)) * (random.random((rows, columns)) < share)
    return scipy.sparse.csr_array(dense.astype(dtype) * (1 + 1j if np.dtype(dtype).kind == "c" else 1))


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_what_the_library_does(standin, dtype):
    dtype = np.dtype(dtype)
    host = drawn(23, 17, dtype).astype(dtype)
    other = drawn(17, 29, dtype, seed=1).astype(dtype)
    a, b = sparse.csr_array(host), sparse.csr_array(other)
    x = np.arange(17).astype(dtype)
    X = np.arange(17.0 * 3).reshape(17, 3).astype(dtype)
    for work, function, expected in [
        (lambda: a @ cp.asarray(x), "cusparseSpMV", host @ x),
        (lambda: a @ cp.asarray(np.repeat(x, 2))[::2], "cusparseSpMV", host @ x),
        (lambda: a @ cp.asarray(X), "cusparseSpMM", host @ X),
        (lambda: a @ cp.asarray(X.T.copy()).T, "cusparseSpMM", host @ X),
        (lambda: (a @ b).toarray(), "cusparseSpGEMM_copy", (host @ other).toarray()),
        (lambda: a.tocsc().T.toarray(), "cusparseCsr2cscEx2", host.T.toarray()),
    ]:
        before = standin.calls(name(function))
        found = work()
        assert standin.calls(name(function)) == before + 1, function
        assert found.dtype == dtype
        np.testing.assert_array_equal(found.get(), expected)
    product = a @ b
    assert not product.has_sorted_indices
    product.sort_indices()
    np.testing.assert_array_equal(product.toarray().get(), (host @ other).toarray())
    assert standin.live()["descriptors"] == 0


def test_what_it_cannot_do_is_done_by_kernels(standin, monkeypatch):
    calls = lambda: standin.calls(name("cusparseSpMV")) + standin.calls(name("cusparseSpGEMM_copy"))  # noqa: E731
    before = calls()
    host = drawn(9, 9, "f8")
    x = np.arange(9.0)
    for dtype in ("i4", "?", "f2"):
        a = sparse.csr_array(host.astype(dtype) if dtype != "f2" else host).astype(dtype)
        np.testing.assert_array_equal((a @ cp.asarray(x)).get(), host.astype("?" if dtype == "?" else "f8") @ x)
    a = sparse.csr_array(host)
    np.testing.assert_array_equal((a @ cp.arange(9)).get(), host @ x)
    wide = sparse.csr_array((a.data, a.indices.astype("i8"), a.indptr.astype("i8")), shape=a.shape)
    if wide.indices.dtype == np.int64:
        np.testing.assert_array_equal((wide @ wide).toarray().get(), (host @ host).toarray())
    assert (sparse.csr_array((9, 9)) @ cp.asarray(x) == 0).all()
    twice = sparse.csr_array((cp.ones(4), cp.asarray([2, 0, 0, 1]), cp.asarray([0, 2, 4, 4])), shape=(3, 3))
    np.testing.assert_array_equal((twice @ twice).toarray().get(), np.array([[1.0, 0, 1], [2, 1, 1], [0, 0, 0]]))
    monkeypatch.setenv("CUPROXIDE_SPARSE", "own")
    np.testing.assert_array_equal((a @ cp.asarray(x)).get(), host @ x)
    np.testing.assert_array_equal((a @ a).toarray().get(), (host @ host).toarray())
    monkeypatch.setenv("CUPROXIDE_SPARSE", "library")
    was = cp.set_deterministic(True)
    try:
        np.testing.assert_array_equal((a @ cp.asarray(x)).get(), host @ x)
    finally:
        cp.set_deterministic(was)
    assert calls() == before


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("unit", [True, False])
def test_triangles(standin, lower, unit):
    host = drawn(20, 20, "f8") + scipy.sparse.eye_array(20) * 9
    host = scipy.sparse.csr_array(scipy.sparse.tril(host) if lower else scipy.sparse.triu(host))
    options = {"lower": lower, "unit_diagonal": unit}
    if unit:
        host.setdiag(1.0)
    a, b = sparse.csr_array(host), np.arange(20.0)
    solved = standin.calls(name("cusparseSpSV_solve"))
    found = linalg.spsolve_triangular(a, cp.asarray(b), **options)
    assert standin.calls(name("cusparseSpSV_solve")) == solved + 1
    dense = host.toarray()
    np.testing.assert_allclose(dense @ found.get(), b, atol=1e-9)
    many = linalg.spsolve_triangular(a, cp.asarray(np.stack([b, -b], axis=1)), **options)
    assert standin.calls(name("cusparseSpSV_solve")) == solved + 1
    np.testing.assert_allclose(dense @ many.get()[:, 1], -b, atol=1e-9)
    del found, many
    assert standin.live()["descriptors"] == 0


@pytest.mark.parametrize(
    "dtype, pivot",
    [
        ("f4", 2e-39),
        ("f8", 1e-310),
        ("f8", 1.7e308),
        ("c8", 1e20 + 1e20j),
        ("c8", 1e-25j),
        ("c16", 1e200),
        ("c16", 1e-165),
    ],
)
def test_pivots_whose_reciprocals_a_library_gets_wrong(standin, dtype, pivot):
    """rocSPARSE multiplies by them: x was 0 for the pivot 1e20 + 1e20j of complex64, without an error."""
    host = np.array([[pivot, 0], [1, 2]], dtype)
    offsets, columns = cp.asarray([0, 1, 3], np.int32), cp.asarray([0, 0, 1], np.int32)
    a = sparse.csr_array((cp.asarray(host[[0, 1, 1], [0, 0, 1]]), columns, offsets), shape=(2, 2))
    b = cp.asarray(np.array([pivot, 5], dtype))
    solved = standin.calls(name("cusparseSpSV_solve"))
    np.testing.assert_allclose(linalg.spsolve_triangular(a, b).get(), [1, 2], rtol=4 * np.finfo(dtype).eps)
    assert standin.calls(name("cusparseSpSV_solve")) == solved
    # The diagonal of a unit triangle is not read.
    np.testing.assert_array_equal(
        linalg.spsolve_triangular(a, b, unit_diagonal=True).get(), [b.get()[0], 5 - b.get()[0]]
    )
    assert standin.calls(name("cusparseSpSV_solve")) == solved + 1


def test_a_zero_pivot_is_divided_by(standin):
    """rocSPARSE takes it for a one, without an error; so no other caller than the check of zeros may rely on it."""
    offsets, columns = cp.asarray([0, 1, 3], np.int32), cp.asarray([0, 0, 1], np.int32)
    triangle = Triangle(offsets, columns, cp.asarray([2.0, 1.0, 0.0]), lower=True, unit=False)
    solved = standin.calls(name("cusparseSpSV_solve"))
    np.testing.assert_array_equal(triangle.solve(cp.asarray([[2.0], [5.0]])).get(), [[1], [np.inf]])
    assert standin.calls(name("cusparseSpSV_solve")) == solved


def test_factors_keep_their_analysis(standin):
    host = drawn(30, 30, "f8") + scipy.sparse.eye_array(30) * 40
    factors = linalg.spilu(sparse.csc_array(scipy.sparse.csc_array(host)))
    before = standin.calls(name("cusparseSpSV_analysis"))
    for number in range(3):
        b = np.arange(30.0) + number
        x = factors.solve(cp.asarray(b)).get()
        np.testing.assert_allclose(host @ x, b, rtol=0.2, atol=2)
    assert standin.calls(name("cusparseSpSV_analysis")) == before + 2
    del factors
    assert standin.live()["descriptors"] == 0


def test_a_failure_of_the_library_is_an_error(standin):
    a = sparse.csr_array(drawn(9, 9, "f8"))
    b = a @ a
    del b
    for function, work in [("cusparseSpGEMM_compute", lambda: a @ a), ("cusparseSpMV", lambda: a @ cp.ones(9))]:
        standin.fail(f"{name(function)}:*=11")
        with pytest.raises(RuntimeError, match="too little memory"):
            work()
        standin.fail("")
        assert standin.live()["descriptors"] == 0


def test_solvers_capture_products(standin):
    line = scipy.sparse.diags_array([-np.ones(99), 2.1 * np.ones(100), -np.ones(99)], offsets=[-1, 0, 1])
    before = standin.calls(name("cusparseSpMV"))
    x, info = linalg.cg(sparse.csr_array(line.tocsr()), cp.ones(100), rtol=1e-12, maxiter=400)
    assert info == 0
    np.testing.assert_allclose(line @ x.get(), np.ones(100), atol=1e-9)
    assert standin.calls(name("cusparseSpMV")) > before


def test_preconditioners_solve_by_analysed_triangles(standin):
    line = scipy.sparse.diags_array([-np.ones(99), 2.3 * np.ones(100), -np.ones(99)], offsets=[-1, 0, 1]).tocsr()
    line = scipy.sparse.csr_array(
        line + scipy.sparse.eye_array(100, k=7) * 0.1 + scipy.sparse.eye_array(100, k=-7) * 0.1
    )
    a = sparse.csr_array(line)
    M = linalg.ic0(a)
    before = standin.calls(name("cusparseSpSV_analysis"))
    x, info = linalg.cg(a, cp.ones(100), M=M, rtol=1e-11, maxiter=60)
    assert info == 0
    np.testing.assert_allclose(line @ x.get(), np.ones(100), atol=1e-8)
    assert standin.calls(name("cusparseSpSV_analysis")) == before + 2


@pytest.mark.parametrize("dtype", ["f8", "c8"])
def test_steps_of_eigensolvers_are_captured(standin, dtype):
    from cuproxide.scipy.sparse.linalg import _krylov

    host = drawn(60, 60, dtype)
    a = sparse.csr_array(host)
    start = cp.asarray(np.random.default_rng(1).random(60).astype(dtype))
    before = standin.live()["graphs"], standin.live()["executables"]
    process = _krylov.Krylov(lambda x: a @ x, start, 40, None, [linalg.aslinearoperator(a)])
    process.grow()
    assert (process.steps.captured is not None) == (threading.active_count() == 1)
    V, T = process.V.get(), process.T
    tolerance = 1e-12 if dtype == "f8" else 1e-4
    np.testing.assert_allclose(V[:40].conj() @ V[:40].T, np.eye(40), atol=tolerance)
    np.testing.assert_allclose(host @ V[:40].T, V.T @ T, atol=100 * tolerance)
    del process
    assert (standin.live()["graphs"], standin.live()["executables"]) == before
