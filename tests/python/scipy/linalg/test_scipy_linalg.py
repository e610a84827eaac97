"""`scipy.linalg`: special matrices, signatures, and what happens on failure."""

import inspect

import cuproxide as cp
import cuproxide.scipy.linalg as ours
import numpy as np
import pytest
from matrices import DTYPES, hermitian, host, matrix, pair, positive

theirs = pytest.importorskip("scipy.linalg")


@pytest.mark.parametrize("dtype", [*DTYPES, np.int64])
@pytest.mark.parametrize("name", ["toeplitz", "hankel"])
@pytest.mark.parametrize("sizes", [(1, 1), (4, 4), (3, 6), (6, 3), (0, 3), (3, 0)], ids=str)
def test_constant_diagonals(name, sizes, dtype):
    c, r = (np.arange(1, n + 1).astype(dtype) for n in sizes)
    if np.dtype(dtype).kind == "c":
        c = c * (1 + 1j)
    pair(name, c.astype(dtype))
    pair(name, c.astype(dtype), -r)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 9])
def test_special_matrices(n):
    values = np.arange(1.0, n + 1)
    for name in ("circulant", "fiedler"):
        pair(name, values)
    if n > 1:
        # Versions of SciPy differ in what a single coefficient gives.
        pair("companion", values * 2, ulp=2)
        pair("fiedler_companion", values * 2, ulp=2)
        pair("leslie", values, values[1:] / 10)
    pair("helmert", n, ulp=4)
    pair("helmert", n, full=True, ulp=4)
    pair("helmert", -n - 1)
    pair("hilbert", n, ulp=1)
    pair("invhilbert", n)
    pair("invhilbert", n, exact=True)
    pair("hadamard", n)
    pair("hadamard", n, dtype=np.float32)
    for scale in (None, "sqrtn", "n", "odd"):
        pair("dft", n, scale, ulp=4 * n, scale=1)
    for kind in ("symmetric", "lower", "upper", "odd"):
        for exact in (True, False):
            pair("pascal", n, kind, exact)
            pair("invpascal", n, kind, exact, ulp=1)
    for mode in ("full", "same", "valid", "odd"):
        for length in (1, 2, 4, 7):
            pair("convolution_matrix", values, length, mode)
    pair("convolution_matrix", values, 0)


def test_special_matrices_of_stacks():
    c = matrix(np.float64, (3, 5))
    for name in ("toeplitz", "circulant", "fiedler"):
        stack = host(getattr(ours, name)(cp.array(c)))
        assert np.array_equal(stack, np.stack([getattr(theirs, name)(row) for row in c]))
    large = 40
    with pytest.raises(ValueError, match="fit"):
        ours.pascal(large)
    with pytest.raises(ValueError, match="fit"):
        ours.invhilbert(large, exact=True)


def test_blocks_and_products():
    parts = [np.ones((2, 3), np.int32), np.full((1, 2), 2.5), np.array([7]), np.zeros((0, 2)), np.array([[1j]])]
    pair("block_diag", *parts)
    pair("block_diag")
    pair("block_diag", 1, 2.0, [[3, 4]])
    a, b = matrix(np.float64, (3, 4)), matrix(np.float64, (2, 4), 1)
    pair("khatri_rao", a, b)
    pair("khatri_rao", a, b[:, :3])
    pair("khatri_rao", a[:, :0], b[:, :0])


def test_what_a_matrix_is():
    for a in (np.eye(4), np.triu(np.ones((4, 6)), 1), np.tril(np.ones((5, 3)), -2), np.zeros((2, 2)), np.zeros((0, 3))):
        assert ours.bandwidth(cp.array(a)) == tuple(theirs.bandwidth(a))
    stack = np.stack([np.eye(4), np.triu(np.ones((4, 4)), 1), np.tril(np.ones((4, 4)))]).reshape(3, 1, 4, 4)
    below, above = (cp.asnumpy(x).ravel().tolist() for x in ours.bandwidth(cp.array(stack)))
    assert (below, above) == ([0, 0, 3], [0, 3, 0])
    a = hermitian(np.complex128, (4, 4))
    for value in (a, a.real, a + 1e-12, a * 1j, np.zeros((0, 0))):
        for tolerance in ({}, {"atol": 1e-9}, {"rtol": 1e-9}):
            assert ours.ishermitian(cp.array(value), **tolerance) == theirs.ishermitian(value, **tolerance)
            assert ours.issymmetric(cp.array(value), **tolerance) == theirs.issymmetric(value, **tolerance)
    infinite = np.array([[1, np.inf], [np.inf, 2]])
    wrapping = np.array([[1, 2**31 - 1], [-(2**31), 1]], np.int32)
    for value in (np.diag([np.nan, 1, 2]), infinite, wrapping, infinite + 0j, np.ones((2, 2), bool)):
        for tolerance in ({}, {"atol": 5}, {"rtol": 0.1}):
            for name in ("issymmetric", "ishermitian"):
                expected = getattr(theirs, name)(value, **tolerance)
                assert getattr(ours, name)(cp.array(value), **tolerance) == expected
    pair("ishermitian", np.ones((2, 3)))
    pair("issymmetric", np.ones(3))
    for order in (None, 1, 2, np.inf, "fro", "nuc"):
        pair("norm", a, order, ulp=50, scale=5)
    pair("norm", np.array([np.nan]))


@pytest.mark.parametrize("name", [name for name in ours.__all__ if inspect.isfunction(getattr(ours, name))])
def test_signatures_are_scipys(name):
    mine = inspect.signature(getattr(ours, name)).parameters
    other = inspect.signature(getattr(theirs, name)).parameters
    # What newer versions of SciPy have dropped stays.
    assert set(other) <= set(mine) <= {*other, "lwork", "disp", "blocksize", "overwrite_b"}
    for parameter in mine.values():
        if parameter.name in other:
            assert (parameter.default is parameter.empty) == (other[parameter.name].default is parameter.empty)


def test_errstate():
    assert cp.geterr() == {
        "divide": "ignore",
        "over": "ignore",
        "under": "ignore",
        "invalid": "ignore",
        "linalg": "raise",
    }
    before = cp.seterr(linalg="ignore")
    try:
        assert before["linalg"] == "raise" and cp.geterr()["linalg"] == "ignore"
        assert not np.isfinite(host(cp.linalg.inv(cp.zeros((2, 2))))).any()
    finally:
        cp.seterr(**before)
    with pytest.raises(np.linalg.LinAlgError):
        cp.linalg.inv(cp.zeros((2, 2)))
    with pytest.raises(ValueError, match="divide"):
        cp.seterr(divide="raise")
    with pytest.raises(ValueError, match="linalg"):
        cp.seterr(linalg="warn")

    @cp.errstate(linalg="ignore")
    def run():
        return cp.linalg.cholesky(cp.array([[-1.0]]))

    run()
    assert cp.geterr()["linalg"] == "raise"


def test_nothing_waits_where_failures_are_ignored():
    """No value is read back inside `errstate(linalg="ignore")`."""
    from cuproxide import _cuproxide as core

    a, b = cp.array(positive(np.float64, (5, 5))), cp.array(matrix(np.float64, (5, 2)))

    def run():
        cp.linalg.solve(a, b)
        cp.linalg.inv(a)
        cp.linalg.cholesky(a)
        cp.linalg.eigh(a)
        cp.linalg.svd(a)
        ours.cho_solve(ours.cho_factor(a, check_finite=False), b, check_finite=False)
        ours.lu_solve(ours.lu_factor(a, check_finite=False), b, check_finite=False)
        ours.solve_triangular(a, b, check_finite=False)

    with cp.errstate(linalg="ignore"):
        run()
        before = core.host_transfers()
        run()
        assert core.host_transfers() == before
