"""Explicit factors that a GPU gets once many right-hand sides have been solved for, on whatever device there is."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.sparse
from cuproxide.scipy import sparse
from cuproxide.scipy.sparse import linalg
from cuproxide.scipy.sparse.linalg import _factors
from ways import take_ways


@pytest.fixture(autouse=True)
def _gpu_without_a_direct_solver(monkeypatch):
    monkeypatch.setenv("CUPROXIDE_SPARSE_SOLVER", "own")
    take_ways(monkeypatch, True, "factors on the device")
    monkeypatch.setattr(_factors, "LEVEL", 1)


def drawn(order, dtype, seed=0):
    random = np.random.default_rng(seed)
    dense = np.where(random.random((order, order)) < 0.08, random.standard_normal((order, order)), 0)
    if np.dtype(dtype).kind == "c":
        dense = dense * np.exp(1j * random.random((order, order)))
    # Pivots are not on the diagonal.
    return (dense + 4 * np.eye(order)[random.permutation(order)]).astype(dtype)


def is_on_device(factors):
    return factors._factors._on_device is not None


@pytest.mark.parametrize("indices", ["i4", "i8"])
@pytest.mark.parametrize("right", ["f4", "f8", "c8", "c16", "i8"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_solutions_on_the_device(dtype, right, indices):
    dense = drawn(60, dtype)
    host = scipy.sparse.csc_array(dense)
    arrays = (cp.asarray(host.data), cp.asarray(host.indices.astype(indices)), cp.asarray(host.indptr.astype(indices)))
    factors = linalg.splu(sparse.csc_array(arrays, shape=host.shape))
    b = np.random.default_rng(1).integers(-5, 5, (60, 130)).astype(right)
    if b.dtype.kind == "c":
        b = (b * (1 - 2j)).astype(right)
    kind = np.result_type(dense.dtype, b.dtype if b.dtype.kind != "i" else np.float64)
    for trans, matrix in (("N", dense), ("T", dense.T), ("H", dense.conj().T)):
        x = factors.solve(cp.asarray(b), trans)
        assert is_on_device(factors)
        assert x.dtype == kind
        assert x.shape == b.shape
        size = np.abs(matrix).sum(axis=1).max() * np.abs(x.get()).max() + np.abs(b).max()
        assert np.abs(matrix @ x.get() - b).max() < 64 * np.finfo(kind).eps * size, trans
    # Few go to the host, whose factors are still there.
    np.testing.assert_allclose(factors.solve(cp.asarray(b[:, 3])).get(), np.linalg.solve(dense, b[:, 3]), rtol=2e-3)


def test_when_factors_move(monkeypatch):
    factors = linalg.splu(sparse.csc_array(scipy.sparse.csc_array(drawn(40, "f8"))))
    b = cp.ones((40, 20))
    for _ in range(6):
        factors.solve(b)
        assert not is_on_device(factors)
    factors.solve(b)
    assert is_on_device(factors)
    made = []
    monkeypatch.setattr(_factors, "Substitution", lambda *arguments: made.append(arguments))
    factors.solve(b, "T")
    assert not made
    # Of large matrices the explicit factors cost more.
    large = linalg.splu(sparse.csc_array(scipy.sparse.eye_array(40_000, format="csc")))
    large.solve(cp.ones((40_000, 150)))
    assert not is_on_device(large)
    take_ways(monkeypatch, False, "factors on the device")
    host = linalg.splu(sparse.csc_array(scipy.sparse.csc_array(drawn(40, "f8"))))
    host.solve(cp.ones((40, 200)))
    assert not is_on_device(host)


def test_long_chains_stay_on_the_host(monkeypatch):
    monkeypatch.setattr(_factors, "LEVEL", 8192)
    line = scipy.sparse.diags_array([-np.ones(299), 3 * np.ones(300), np.ones(299)], offsets=[-1, 0, 1]).tocsc()
    factors = linalg.splu(sparse.csc_array(line))
    b = np.random.default_rng(2).standard_normal((300, 140))
    np.testing.assert_allclose(line @ factors.solve(cp.asarray(b)).get(), b, atol=1e-12)
    assert not is_on_device(factors)
    assert factors._factors._matrix is None


@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_definite_matrices(dtype):
    part = drawn(50, dtype, 3)
    dense = part @ part.conj().T + np.eye(50)
    inverse = linalg.inv(sparse.csc_array(scipy.sparse.csc_array(np.kron(np.eye(3), dense))))
    np.testing.assert_allclose(inverse.toarray().get() @ np.kron(np.eye(3), dense), np.eye(150), atol=1e-8)


def test_solutions_that_stay_wrong_go_to_the_host(monkeypatch):
    factors = linalg.splu(sparse.csc_array(scipy.sparse.csc_array(drawn(40, "f8"))))
    b = np.random.default_rng(4).standard_normal((40, 130))
    monkeypatch.setattr(_factors.DeviceFactors, "_substitute", lambda self, b, form: b * 0.5)
    np.testing.assert_allclose(drawn(40, "f8") @ factors.solve(cp.asarray(b)).get(), b, atol=1e-12)
    assert not is_on_device(factors)
    monkeypatch.undo()
    b[3, 5] = np.nan
    assert np.isnan(factors.solve(cp.asarray(b)).get()[:, 5]).any()
