"""Direct solvers by the stand-in for cuDSS: what is called, kept and given back, and when the host takes over.

The stand-in exchanges no rows: it replaces pivots that are too small, and is inaccurate where others are small.
"""

import gc
import weakref

import cuproxide as cp
import numpy as np
import pytest
import scipy.sparse
from cuproxide.scipy import sparse
from cuproxide.scipy.sparse import linalg
from cuproxide.scipy.sparse.linalg import _factors

pytestmark = pytest.mark.skipif(cp.cuda.runtime.is_hip, reason="AMD has no such library")

EXECUTE = "cudssExecute"


@pytest.fixture(autouse=True)
def _wherever_it_can(monkeypatch):
    monkeypatch.setenv("CUPROXIDE_SPARSE_SOLVER", "library")
    _factors._KEPT.clear()
    _factors._SEEN.clear()
    yield
    _factors._KEPT.clear()
    _factors._SEEN.clear()


def line(order, shift=0.0, dtype="f8"):
    """A tridiagonal matrix that is not symmetric."""
    ones = np.ones(order)
    found = scipy.sparse.diags_array([-ones[1:], (4 + shift) * ones, 2 * ones[1:]], offsets=[-1, 0, 1])
    return scipy.sparse.csc_array(found).astype(dtype)


def solved_by_library(factors):
    return isinstance(factors._factors, _factors.LibraryFactors) and factors._factors._host is None


@pytest.mark.parametrize("indices", ["i4", "i8"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_phases(standin, dtype, indices):
    host = line(30, dtype=dtype)
    if np.dtype(dtype).kind == "c":
        host.data[::3] *= 1j
    arrays = (cp.asarray(host.data), cp.asarray(host.indices.astype(indices)), cp.asarray(host.indptr.astype(indices)))
    before = standin.calls(EXECUTE)
    factors = linalg.splu(sparse.csc_array(arrays, shape=host.shape))
    assert standin.calls(EXECUTE) == before + 2
    assert solved_by_library(factors)
    b = np.arange(60.0).reshape(30, 2).astype(dtype)
    for trans, matrix in (("N", host), ("T", host.T), ("H", host.conj().T)):
        before = standin.calls(EXECUTE)
        x = factors.solve(cp.asarray(b), trans).get()
        assert standin.calls(EXECUTE) == before + 1
        assert x.dtype == b.dtype
        np.testing.assert_allclose(matrix @ x, b, atol=1e-4 if dtype in ("f4", "c8") else 1e-12)
    assert solved_by_library(factors)
    del factors
    _factors._KEPT.clear()
    assert standin.live()["descriptors"] == 0


def test_positive_matrices_take_their_own_factors(standin):
    host = scipy.sparse.csc_array(line(20) + line(20).T)
    assert linalg.splu(sparse.csc_array(host))._factors._hermitian
    _factors._KEPT.clear()
    indefinite = scipy.sparse.csc_array(host - scipy.sparse.eye_array(20) * 7.5)
    indefinite.setdiag(np.abs(indefinite.diagonal()))
    before = standin.calls(EXECUTE)
    factors = linalg.splu(sparse.csc_array(indefinite))
    assert not factors._factors._hermitian
    # Analysis and factorisation twice: positive first.
    assert standin.calls(EXECUTE) == before + 4
    np.testing.assert_allclose(indefinite @ factors.solve(cp.ones(20)).get(), np.ones(20), atol=1e-10)


def test_an_analysis_is_kept_for_its_pattern(standin):
    a, b = sparse.csc_array(line(25)), cp.ones(25)
    linalg.spsolve(a, b)
    gc.collect()
    before = standin.calls("cudssDataCreate")
    for shift in (1.0, 2.0, 3.0):
        host = line(25, shift)
        executed = standin.calls(EXECUTE)
        x = linalg.spsolve(sparse.csc_array(host), b).get()
        assert standin.calls(EXECUTE) == executed + 2
        np.testing.assert_allclose(host @ x, np.ones(25), atol=1e-13)
    assert standin.calls("cudssDataCreate") == before
    # Factors that are in use are not taken away.
    first, second = linalg.splu(sparse.csc_array(line(25))), linalg.splu(sparse.csc_array(line(25, 5.0)))
    for host, factors in ((line(25), first), (line(25, 5.0), second)):
        np.testing.assert_allclose(host @ factors.solve(b).get(), np.ones(25), atol=1e-13)
    del first, second, factors
    linalg.spsolve(sparse.csc_array(line(26)), cp.ones(26))
    gc.collect()
    assert len(_factors._KEPT) == 1
    _factors._KEPT.clear()
    assert standin.live()["descriptors"] == 0


def kept():
    """Has an analysis kept that nobody uses."""
    linalg.spsolve(sparse.csc_array(line(25)), cp.ones(25))
    gc.collect()
    assert len(_factors._KEPT) == 1


def test_a_kept_analysis_goes_when_memory_is_wanted(standin):
    pool = cp.get_default_memory_pool()
    kept()
    pool.free_all_blocks(cp.cuda.get_current_stream())
    assert _factors._KEPT
    pool.free_all_blocks()
    assert not _factors._KEPT
    assert standin.live()["descriptors"] == 0
    kept()
    before = pool.get_limit()
    pool.set_limit(size=pool.total_bytes() + 1024)
    try:
        with pytest.raises(cp.cuda.memory.OutOfMemoryError):
            cp.empty(1 << 22)
    finally:
        pool.set_limit(size=before)
    assert not _factors._KEPT
    assert standin.live()["descriptors"] == 0


def test_a_kept_analysis_stays_while_a_stream_captures(standin):
    kept()
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        cp.get_default_memory_pool().free_all_blocks()
        stream.end_capture()
    assert _factors._KEPT


def test_a_pattern_is_remembered_without_its_arrays(monkeypatch):
    monkeypatch.setenv("CUPROXIDE_SPARSE_SOLVER", "auto")
    host = line(1200)
    a = sparse.csc_array(host)
    indices, indptr = weakref.ref(a.indices), weakref.ref(a.indptr)
    linalg.spsolve(a, cp.ones(1200))
    assert _factors._SEEN
    del a
    gc.collect()
    assert indices() is None
    assert indptr() is None
    # The next matrix with this pattern is known all the same, another one of its size is not.
    moved = host.copy()
    moved.indices = moved.indices.copy()
    moved.indices[-1], moved.indices[-2] = 1199, 1197
    assert not _factors._comes_again(sparse.csc_array(moved))
    assert not _factors._comes_again(sparse.csc_array(host))
    assert _factors._comes_again(sparse.csc_array(host))


def test_great_factors_are_not_kept(standin, monkeypatch):
    monkeypatch.setattr(_factors, "MOST_KEPT", 0)
    linalg.spsolve(sparse.csc_array(line(25)), cp.ones(25))
    gc.collect()
    assert not _factors._KEPT
    assert standin.live()["descriptors"] == 0


def test_it_is_chosen_when_a_pattern_comes_again(standin, monkeypatch):
    monkeypatch.setenv("CUPROXIDE_SPARSE_SOLVER", "auto")
    small, large, other = line(40), line(1200), line(1201)
    b = cp.ones(1200)
    called = lambda: standin.calls(EXECUTE)  # noqa: E731
    before = called()
    for host in (small, small, small, large, other, large):
        linalg.spsolve(sparse.csc_array(host), cp.ones(host.shape[0]))
    assert called() == before
    for values in (large, line(1200, 1.0)):
        before = called()
        x = linalg.spsolve(sparse.csc_array(values), b).get()
        assert called() > before
        np.testing.assert_allclose(values @ x, np.ones(1200), atol=1e-12)
    monkeypatch.setenv("CUPROXIDE_SPARSE_SOLVER", "own")
    before = called()
    linalg.spsolve(sparse.csc_array(large), b)
    monkeypatch.setenv("CUPROXIDE_SPARSE_SOLVER", "library")
    was = cp.set_deterministic(True)
    try:
        linalg.spsolve(sparse.csc_array(large), b)
    finally:
        cp.set_deterministic(was)
    assert called() == before


def test_pivots_that_were_replaced(standin):
    """Regular, but not without exchanges: the host has to do it."""
    host = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 2.0], [3.0, 1.0, 0.0]])
    stored = scipy.sparse.csc_array(np.where(host == 0, 1.0, host))
    stored.data[...] = host.T.ravel()
    before = standin.calls(EXECUTE)
    factors = linalg.splu(sparse.csc_array(stored))
    assert standin.calls(EXECUTE) == before + 2
    assert not isinstance(factors._factors, _factors.LibraryFactors)
    np.testing.assert_allclose(host @ factors.solve(cp.ones(3)).get(), np.ones(3), atol=1e-14)


def test_solutions_are_refined():
    """A small pivot costs nine digits, which one step restores."""
    host = np.array([[1e-8, 1.0, 2.0], [1.0, 1.0, 0.5], [0.5, 3.0, 1.0]])
    factors = linalg.splu(sparse.csc_array(scipy.sparse.csc_array(host)))
    raw = factors._factors._substitute(cp.ones((3, 1)), "N").get()[:, 0]
    assert np.abs(host @ raw - 1).max() > 1e-12
    assert np.abs(host @ factors.solve(cp.ones(3)).get() - 1).max() < 1e-14
    assert solved_by_library(factors)


def test_solutions_that_stay_wrong(monkeypatch):
    """Pivots that look well, and elements that grow by 2^59: the residual tells."""
    order = 60
    host = np.eye(order) - np.tril(np.ones((order, order)), -1)
    host[:, -1] = 1
    a = sparse.csc_array(scipy.sparse.csc_array(host))
    b = np.random.default_rng(0).standard_normal((order, 2))
    factors = linalg.splu(a)
    np.testing.assert_allclose(host @ factors.solve(cp.asarray(b)).get(), b, atol=1e-13)
    assert solved_by_library(factors)
    monkeypatch.setattr(_factors, "STEPS", 0)
    np.testing.assert_allclose(host @ factors.solve(cp.asarray(b)).get(), b, atol=1e-13)
    assert not solved_by_library(factors)
    np.testing.assert_allclose(host.T @ factors.solve(cp.asarray(b), "T").get(), b, atol=1e-13)


def test_a_failure_leaves_the_host(standin):
    a, b = sparse.csc_array(line(25)), cp.ones(25)
    for function, status in (("cudssDataCreate", 2), (EXECUTE, 5), ("cudssDataGet", 6), ("cudssMatrixCreateCsr", 4)):
        standin.fail(f"{function}:*={status}")
        x = linalg.spsolve(a, b).get()
        standin.fail("")
        np.testing.assert_allclose(line(25) @ x, np.ones(25), atol=1e-13)
        assert standin.live()["descriptors"] == 0, function


def test_nothing_is_captured():
    factors = linalg.splu(sparse.csc_array(line(25)))
    stream = cp.cuda.Stream()
    with stream:
        stream.begin_capture()
        try:
            with pytest.raises(RuntimeError, match="waits for the device"):
                factors._factors._analysis.found.solve(cp.ones((1, 25)), "N")
        finally:
            try:
                stream.end_capture()
            except RuntimeError:
                pass
