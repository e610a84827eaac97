"""Preconditioners against dense eliminations that keep the pattern."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.sparse
from cuproxide.linalg import LinAlgError
from cuproxide.scipy import sparse
from cuproxide.scipy.sparse import linalg
from ways import take_ways


@pytest.fixture(params=[False, True], ids=["rows", "levels"], autouse=True)
def _ways(request, monkeypatch):
    """Row after row as on a CPU, and level by level as on a GPU."""
    take_ways(monkeypatch, request.param, "by levels")


def matrix(dtype, seed, hermitian=False):
    random = np.random.default_rng(seed)
    dense = random.random((25, 25)) * (random.random((25, 25)) < 0.2)
    if np.dtype(dtype).kind == "c":
        dense = dense + 1j * random.random((25, 25)) * (dense != 0)
    if hermitian:
        dense = dense + dense.conj().T
    np.fill_diagonal(dense, 6)
    return dense.astype(dtype)


def incomplete_lu(dense):
    factors, pattern = dense.astype("D"), dense != 0
    for row in range(len(dense)):
        for other in np.flatnonzero(pattern[row, :row]):
            factors[row, other] /= factors[other, other]
            change = factors[row, other] * factors[other] * pattern[row]
            factors[row, other + 1 :] -= change[other + 1 :]
    return np.tril(factors, -1) + np.eye(len(dense)), np.triu(factors)


def incomplete_root(dense):
    factor, pattern = np.zeros(dense.shape, "D"), dense != 0
    for row in range(len(dense)):
        for other in np.flatnonzero(pattern[row, : row + 1]):
            total = dense[row, other] - factor[row, :other] @ factor[other, :other].conj()
            factor[row, other] = np.sqrt(total) if row == other else total / factor[other, other]
    return factor


def close(found, wanted, dtype):
    scale = 1e-4 if np.dtype(dtype).char in "fF" else 1e-11
    np.testing.assert_allclose(found.get(), wanted, rtol=scale, atol=scale)


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
def test_factors(dtype, format):
    dense, random = matrix(dtype, 1), np.random.default_rng(2)
    given = getattr(sparse, f"{format}_array")(cp.asarray(dense))
    kept = given.toarray().get()
    right = random.random((25, 3)).astype(dtype)
    lower, upper = incomplete_lu(dense)
    made = linalg.ilu0(given)
    assert made.dtype == dtype and made.shape == (25, 25)
    close(made @ cp.asarray(right), np.linalg.solve(lower @ upper, right), dtype)
    close(made.H @ cp.asarray(right[:, 0]), np.linalg.solve((lower @ upper).conj().T, right[:, 0]), dtype)
    close(linalg.ilu0(given, sweeps=25) @ cp.asarray(right), np.linalg.solve(lower @ upper, right), dtype)
    # Two steps of the method for each triangle.
    rows, solution = linalg.ilu0(given, sweeps=2), right
    for triangle in (lower, upper):
        diagonal = np.diag(triangle)[:, None]
        start = x = solution / diagonal
        for _ in range(2):
            x = start - (triangle @ x - diagonal * x) / diagonal
        solution = x
    close(rows @ cp.asarray(right), solution, dtype)
    np.testing.assert_array_equal(given.toarray().get(), kept)

    dense = matrix(dtype, 3, hermitian=True)
    given = getattr(sparse, f"{format}_array")(cp.asarray(dense))
    root = incomplete_root(dense)
    close(linalg.ic0(given) @ cp.asarray(right), np.linalg.solve(root @ root.conj().T, right), dtype)
    swept = linalg.ic0(given, sweeps=2) @ cp.eye(25, dtype=dtype)
    close(swept, swept.get().conj().T, dtype)
    close(linalg.jacobi(given) @ cp.asarray(right), right / np.diag(dense)[:, None], dtype)
    close(linalg.jacobi(given).H @ cp.asarray(right[:, 0]), right[:, 0] / np.diag(dense).conj(), dtype)


def test_fewer_steps():
    side = 20
    line = scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(side, side))
    eye = scipy.sparse.eye_array(side)
    operator = sparse.csr_array(scipy.sparse.csr_array(scipy.sparse.kron(line, eye) + scipy.sparse.kron(eye, line)))
    right, counts = cp.ones(side * side), {}
    made = {"none": None, "ilu0": linalg.ilu0(operator), "ic0": linalg.ic0(operator), "swept": linalg.ic0(operator, 3)}
    for name, preconditioner in made.items():
        steps = []
        x, info = linalg.cg(operator, right, M=preconditioner, callback=steps.append, rtol=1e-8)
        assert info == 0
        np.testing.assert_allclose((operator @ x).get(), 1, atol=1e-6)
        counts[name] = len(steps)
    assert max(counts["ilu0"], counts["ic0"], counts["swept"]) < 0.7 * counts["none"]


def test_integers_repeated_places_and_nothing():
    parts = cp.asarray([2, 2, 1, 4]), (cp.asarray([0, 0, 1, 1]), cp.asarray([0, 0, 0, 1]))
    given = sparse.coo_array(parts, shape=(2, 2))
    close(linalg.ilu0(given) @ cp.asarray([4.0, 5.0]), [1, 1], "d")
    empty = sparse.csr_array((0, 0))
    for make in (linalg.ilu0, linalg.ic0, linalg.jacobi):
        assert (make(empty) @ cp.zeros(0)).shape == (0,)


def test_errors():
    hole, flat = cp.asarray([[1.0, 2], [3, 0]]), cp.asarray([[1.0, 2], [2, 4]])
    for make in (linalg.ilu0, linalg.ic0, linalg.jacobi):
        with pytest.raises(LinAlgError, match="diagonal"):
            make(sparse.csr_array(hole))
        with pytest.raises(ValueError, match=r"expected square matrix, but got shape=\(1, 2\)"):
            make(sparse.csr_array(cp.ones((1, 2))))
    with pytest.raises(LinAlgError, match="pivot is zero"):
        linalg.ilu0(sparse.csr_array(flat))
    with pytest.raises(LinAlgError, match="pivot is not positive"):
        linalg.ic0(sparse.csr_array(cp.asarray([[1.0, 2], [2, 1]])))
