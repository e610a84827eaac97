"""Direct solvers of very large and very small matrices, growth in incomplete factors, and types of solutions."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.sparse as host_sparse
import scipy.sparse.linalg as host_linalg
from cuproxide.scipy import sparse
from cuproxide.scipy.sparse import linalg
from versions import SCIPY_1_18

UNIT = np.finfo(float).eps


def system(complex_elements, order=12):
    draw = np.random.default_rng(3)
    kept = draw.random((order, order)) < 0.4
    dense = np.where(kept, draw.standard_normal((order, order)), 0) + 3 * np.eye(order)
    right = draw.standard_normal(order)
    return (dense + 1j * dense.T, right + 1j * right[::-1]) if complex_elements else (dense, right)


SOLVERS = {
    "spsolve": linalg.spsolve,
    "splu": lambda A, b: linalg.splu(A).solve(b),
    "spilu": lambda A, b: linalg.spilu(A, drop_tol=0.0).solve(b),
    "factorized": lambda A, b: linalg.factorized(A)(b),
}


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("complex_elements", [False, True])
@pytest.mark.parametrize("exponent", [-1070, -1030, -1000, 1000, 1020])
def test_matrices_of_all_sizes(exponent, complex_elements, name):
    dense, right = system(complex_elements)
    steps = [2.0 ** (exponent // 2), 2.0 ** (exponent - exponent // 2)]
    small, b = (dense * steps[0] * steps[1], right * steps[0] * steps[1])
    # What is left of the digits of tiny numbers is an exact matrix: that one is to be solved.
    near = small / steps[0] / steps[1]
    expected = np.linalg.solve(near, b / steps[0] / steps[1])
    x = SOLVERS[name](sparse.csc_array(cp.asarray(small)), cp.asarray(b)).get()
    np.testing.assert_allclose(x, expected, rtol=0, atol=2000 * UNIT * abs(expected).max())


def test_factors_of_small_matrices():
    dense, _ = system(False)
    small = dense * 2.0**-1000
    factors = linalg.splu(sparse.csc_array(cp.asarray(small)))
    product = (factors.L @ factors.U).toarray().get()
    rows, columns = factors.perm_r.get(), factors.perm_c.get()
    permuted = np.empty_like(small)
    permuted[np.ix_(rows, columns)] = small
    np.testing.assert_allclose(product * 2.0**1000, permuted * 2.0**1000, atol=100 * UNIT)


def test_quotients_of_small_complex_pivots():
    # Squares of the pivots' sizes are no numbers, and no power of two brings both pivots near 1.
    dense = np.diag([1.0, 1e-200j, 1e170 + 1e170j])
    dense[2, 0] = 0.5
    right = cp.asarray([1.0, 1e-200j, 0.5 + 1e170 + 1e170j])
    for factors in (linalg.splu, linalg.spilu):
        x = factors(sparse.csc_array(cp.asarray(dense))).solve(right).get()
        np.testing.assert_allclose(x, [1, 1, 1], rtol=1e-14)


@pytest.mark.parametrize("order", [30, 60])
def test_incomplete_factors_without_growth(order):
    # Wilkinson's matrix, whose elements double with every row that is eliminated by its diagonal.
    dense = np.tril(-np.ones((order, order)), -1) + np.eye(order)
    dense[:, -1] = 1
    b = np.random.default_rng(1).standard_normal(order)
    A = sparse.csc_array(cp.asarray(dense))
    x = linalg.spilu(A, drop_tol=0.0, fill_factor=order).solve(cp.asarray(b)).get()
    error = np.abs(b - dense @ x) / (np.abs(dense) @ np.abs(x) + np.abs(b))
    assert error.max() < 100 * UNIT
    # Who asks for pivots on the diagonal gets them.
    largest = abs(linalg.spilu(A, drop_tol=0.0, fill_factor=order, diag_pivot_thresh=0.1).U).max()
    assert float(largest) > 1e3


@pytest.mark.parametrize("types", [("f4", "f4"), ("f8", "f4"), ("i4", "f8"), ("i8", "i8")])
@pytest.mark.parametrize("guess", [None, "f4", "f8"])
@pytest.mark.parametrize("name", ["minres", "lsqr", "lsmr", "cg", "gmres"])
def test_types_of_solutions(name, types, guess):
    dense, right = np.diag([2.0, 3, 4]).astype(types[0]), np.ones(3, types[1])
    start = None if guess is None else np.zeros(3, guess)
    theirs = getattr(host_linalg, name)(host_sparse.csr_array(dense), right, x0=start)[0]
    start = None if start is None else cp.asarray(start)
    mine = getattr(linalg, name)(sparse.csr_array(cp.asarray(dense)), cp.asarray(right), x0=start)[0]
    # Before SciPy 1.18 `minres` computes in double precision whatever it is given.
    assert mine.dtype == (theirs.dtype if SCIPY_1_18 or name != "minres" else np.result_type(*types, "f4"))
    np.testing.assert_allclose(mine.get(), theirs, rtol=1e-4)


def test_indices_of_inverses_are_narrow():
    A = sparse.csr_array(cp.asarray(system(False)[0]))
    assert linalg.inv(A).indices.dtype == host_linalg.inv(A.get().tocsc()).indices.dtype == np.int32
