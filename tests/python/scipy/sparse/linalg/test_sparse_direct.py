"""Direct and triangular solvers, beside SciPy's."""

import warnings

import cuproxide as cp
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as theirs
from cuproxide.scipy import sparse
from cuproxide.scipy.sparse import linalg as ours
from cuproxide.scipy.sparse.linalg._triangular import Triangle
from helpers import same_error

DTYPES = ["float32", "float64", "complex64", "complex128"]


def matrix(dtype, count, seed=0, density=0.15):
    random = np.random.default_rng(seed)
    A = sp.random(count, count, density, rng=random).toarray() + np.eye(count) * 0.7
    if np.dtype(dtype).kind == "c":
        A = A * np.exp(1j * random.normal(size=A.shape))
    # Rows in another order, so that pivots are not on the diagonal.
    return A[random.permutation(count)].astype(dtype)


def device(A, form="csc"):
    return getattr(sparse, f"{form}_array")(getattr(sp, f"{form}_array")(A))


def near(found, expected, dtype):
    tolerance = 1e-3 if np.zeros(0, dtype).real.dtype.char == "f" else 1e-8
    np.testing.assert_allclose(
        found, expected, rtol=tolerance, atol=tolerance * (abs(expected).max() if expected.size else 1)
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("count", [1, 2, 30])
def test_spsolve(dtype, count):
    A = matrix(dtype, count)
    for form in ("csr", "csc"):
        for shape in ((count,), (count, 1), (count, 3)):
            for other in ("float64", "complex64", "int16"):
                b = (np.random.default_rng(1).normal(size=shape) * 5).astype(other)
                x = ours.spsolve(device(A, form), cp.array(b))
                y = theirs.spsolve(sp.csc_array(A), b)
                assert (x.shape, x.dtype) == (y.shape, y.dtype)
                near(A @ cp.asnumpy(x).reshape(count, -1), b.reshape(count, -1), dtype)


def test_definite_matrices():
    A = matrix("complex128", 30)
    definite = A @ A.conj().T + np.eye(30)
    indefinite = definite - 3 * np.eye(30)
    for M in (definite, indefinite, definite.real + 0, np.diag(np.arange(1.0, 31))):
        b = np.arange(30.0)
        near(M @ cp.asnumpy(ours.spsolve(device(M), cp.array(b))), b, "float64")


def test_sparse_right_hand_sides():
    A, B = matrix("float64", 20), sp.random(20, 5, 0.2, rng=np.random.default_rng(0)).tocsc()
    for form in ("csr", "csc"):
        X = ours.spsolve(device(A, form), sparse.csc_array(B))
        assert X.format == form
        near(A @ cp.asnumpy(X.toarray()), B.toarray(), "float64")
    x = ours.spsolve(device(A), sparse.csc_array(B[:, [0]]))
    near(A @ cp.asnumpy(x), B.toarray()[:, 0], "float64")


SINGULAR = [
    [[1.0, 2], [2, 4]],
    [[0.0, 1], [0, 2]],
    [[0.0, 0], [1, 1]],
    [[0.0, 0], [0, 0]],
    [[1.0, 1, 0], [1, 1, 0], [0, 0, 1]],
]


@pytest.mark.parametrize("A", SINGULAR)
def test_singular(A):
    A = np.array(A)
    with pytest.warns(ours.MatrixRankWarning):
        x = ours.spsolve(device(A), cp.ones(len(A)))
    assert np.isnan(cp.asnumpy(x)).all()
    for call in (ours.splu, ours.spilu, ours.inv, ours.factorized):
        with pytest.raises(RuntimeError, match="singular"):
            call(device(A))


def test_ill_conditioned():
    # Solutions of most right-hand sides overflow, but the matrix is regular.
    A = np.eye(120) * 1e-3 + np.diag(np.ones(119), 1)
    first, last = np.eye(120)[0], np.eye(120)[-1]
    for M in (A, A * 1j):
        factors = ours.splu(device(M))
        for found in (
            ours.spsolve(device(M), cp.array(first)),
            factors.solve(cp.array(first)),
            factors.solve(cp.array(first[:, None])),
        ):
            np.testing.assert_allclose(cp.asnumpy(found).reshape(-1), first / M[0, 0], rtol=1e-12)
        np.testing.assert_allclose(cp.asnumpy(factors.solve(cp.array(last), "T")), last / M[0, 0], rtol=1e-12)
        np.testing.assert_allclose(cp.asnumpy(factors.solve(cp.array(last), "H")), last / M[0, 0].conj(), rtol=1e-12)
    hilbert = 1 / (np.arange(12)[:, None] + np.arange(12) + 1.0)
    b = hilbert @ np.ones(12)
    assert np.linalg.norm(hilbert @ cp.asnumpy(ours.spsolve(device(hilbert), cp.array(b))) - b) < 1e-12


@pytest.mark.parametrize("dtype", DTYPES)
def test_splu(dtype):
    A = matrix(dtype, 25)
    b = np.random.default_rng(1).normal(size=(25, 2)).astype(dtype)
    for order in (None, "COLAMD", "MMD_AT_PLUS_A", "MMD_ATA", "NATURAL"):
        factors = ours.splu(device(A), permc_spec=order)
        assert factors.shape == (25, 25)
        assert factors.nnz == factors.L.nnz + factors.U.nnz
        rows, columns = cp.asnumpy(factors.perm_r), cp.asnumpy(factors.perm_c)
        L, U = (cp.asnumpy(part.toarray()) for part in (factors.L, factors.U))
        assert factors.L.dtype == np.dtype(dtype)
        np.testing.assert_array_equal(np.diag(L), 1)
        assert not np.triu(L, 1).any()
        assert not np.tril(U, -1).any()
        near((L @ U)[rows][:, columns], A, dtype)
    for trans, M in (("N", A), ("T", A.T), ("H", A.conj().T)):
        near(M @ cp.asnumpy(factors.solve(cp.array(b), trans)), b, dtype)
        near(M @ cp.asnumpy(factors.solve(cp.array(b[:, 0]), trans)), b[:, 0], dtype)
    near(A @ cp.asnumpy(ours.factorized(device(A))(cp.array(b))), b, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_spilu(dtype):
    A = matrix(dtype, 60) + np.diag(np.full(60, 3)).astype(dtype)
    b = np.random.default_rng(1).normal(size=(60, 2)).astype(dtype)
    whole = ours.spilu(device(A), drop_tol=0, fill_factor=1e6)
    part = ours.spilu(device(A), drop_tol=1e-2, fill_factor=2)
    assert part.nnz < whole.nnz
    for trans, M in (("N", A), ("T", A.T), ("H", A.conj().T)):
        near(M @ cp.asnumpy(whole.solve(cp.array(b), trans)), b, dtype)
        near(M @ cp.asnumpy(whole.solve(cp.array(b[:, 0]), trans)), b[:, 0], dtype)
    # As a preconditioner it saves iterations.
    M = ours.LinearOperator(A.shape, part.solve, lambda x: part.solve(x, "H"), dtype=dtype)
    counts = [], []
    for options, into in (({}, counts[0]), ({"M": M}, counts[1])):
        x, info = ours.bicgstab(device(A), cp.array(b[:, 0]), callback=lambda _, into=into: into.append(1), **options)
        assert info == 0
        near(A @ cp.asnumpy(x), b[:, 0], "float32")
    assert len(counts[1]) < len(counts[0])


@pytest.mark.parametrize("dtype", ["int8", "bool", "float32", "complex128"])
@pytest.mark.parametrize("lower", [True, False])
def test_spsolve_triangular(dtype, lower):
    random = np.random.default_rng(3)
    A = (sp.random(30, 30, 0.2, rng=random).toarray() * 9 + np.eye(30) * 2).astype(dtype)
    M = np.tril(A) if lower else np.triu(A)
    for form in ("csr", "csc"):
        for b in (random.normal(size=30), random.normal(size=(30, 2)).astype("complex64"), np.ones((30, 1), "int32")):
            for unit in (False, True):
                x = ours.spsolve_triangular(device(M, form), cp.array(b), lower, unit_diagonal=unit)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    # SciPy computes single precision where it divides by the diagonal beforehand: the solution is
                    # computed in double here.
                    whole = M.astype("complex128")
                    np.fill_diagonal(whole, 1 if unit else np.diag(whole))
                    y = np.linalg.solve(whole, b)
                kind = np.promote_types(np.promote_types(dtype, "float32"), b.dtype)
                assert (x.dtype, x.shape) == (kind, b.shape)
                near(cp.asnumpy(x), y if kind.kind == "c" else y.real, kind)


@pytest.mark.parametrize("lower", [True, False])
def test_levels_give_the_same(lower):
    random = np.random.default_rng(4)
    for density in (0, 0.05, 0.4, 1):
        A = (np.tril if lower else np.triu)(sp.random(50, 50, density, rng=random).toarray() + np.eye(50) * 2)
        rows = device(A, "csr")
        triangle = Triangle(rows.indptr, rows.indices, rows.data, lower=lower, unit=False)
        b = cp.array(random.normal(size=(50, 3)))
        np.testing.assert_array_equal(cp.asnumpy(triangle.solve(b, True)), cp.asnumpy(triangle.solve(b, False)))
        assert sum(len(level) for level in triangle.levels()) == 50


def test_wrong_arguments():
    for call in [
        lambda module, xp, A: module.spsolve(A(np.ones((2, 3))), xp.ones(2)),
        lambda module, xp, A: module.spsolve(A(np.eye(2)), xp.ones(3)),
        lambda module, xp, A: module.splu(A(np.ones((2, 3)))),
        lambda module, xp, A: module.spilu(A(np.ones((2, 3)))),
        lambda module, xp, A: module.splu(A(np.eye(2)), permc_spec="best"),
        lambda module, xp, A: module.splu(A(np.eye(2))).solve(xp.ones(3)),
        lambda module, xp, A: module.splu(A(np.eye(2))).solve(xp.ones(2), "X"),
        lambda module, xp, A: module.spsolve_triangular(A(np.ones((2, 3))), xp.ones(2)),
        lambda module, xp, A: module.spsolve_triangular(A(np.eye(2)), xp.ones(3)),
        lambda module, xp, A: module.spsolve_triangular(A(np.eye(2)), xp.ones((2, 1, 1))),
        lambda module, xp, A: module.spsolve_triangular(A(np.array([[0.0, 0], [1, 1]])), xp.ones(2)),
        lambda module, xp, A: module.inv(xp.eye(2)),
    ]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            same_error(lambda call=call: call(ours, cp, device), lambda call=call: call(theirs, np, sp.csc_array))


def test_other_formats_warn():
    A = matrix("float64", 6)
    for call in (lambda M: ours.spsolve(M, cp.ones(6)), ours.splu, ours.spilu):
        with pytest.warns(sparse.SparseEfficiencyWarning):
            call(sparse.coo_array(sp.coo_array(A)))
    # Duplicates are summed, and indices sorted.
    messy = sparse.csc_array((cp.array([1.0, 2, 3, 4]), cp.array([1, 0, 1, 1]), cp.array([0, 3, 4])), shape=(2, 2))
    x = cp.asnumpy(ours.splu(messy).solve(cp.array([2.0, 8])))
    np.testing.assert_allclose(np.array([[2.0, 0], [4, 4]]) @ x, [2, 8])
    assert messy.nnz == 4


def test_shape_queries():
    for A in (np.tril(np.ones((4, 4))), np.triu(np.ones((4, 6)), 1), np.eye(3), np.zeros((3, 3)), np.ones((2, 2))):
        for form in ("csr", "csc", "coo"):
            his, mine = getattr(sp, f"{form}_array")(A), getattr(sparse, f"{form}_array")(cp.array(A))
            assert ours.is_sptriangular(mine) == tuple(map(bool, theirs.is_sptriangular(his)))
            if A.any():
                assert ours.spbandwidth(mine) == tuple(map(int, theirs.spbandwidth(his)))
    assert ours.spbandwidth(sparse.csr_array(cp.zeros((3, 3)))) == (0, 0)


def test_inverse():
    for dtype in ("float64", "complex128"):
        A = matrix(dtype, 15)
        for form in ("csr", "csc"):
            inverse = ours.inv(device(A, form))
            assert inverse.format == form
            near(cp.asnumpy(inverse.toarray()) @ A, np.eye(15), dtype)
    ours.use_solver(useUmfpack=True)
    with pytest.raises(TypeError):
        ours.use_solver(other=1)


def test_host_matrices_are_taken():
    A = sp.csc_array(matrix("float64", 12) + 3 * np.eye(12))
    b, x = cp.arange(12.0), np.linalg.solve(A.toarray(), np.arange(12.0))
    for form in (A, A.tocsr(), sp.csc_matrix(A)):
        for call in (
            ours.spsolve,
            lambda M, b: ours.splu(M.tocsc()).solve(b),
            lambda M, b: ours.gmres(M, b, rtol=1e-12)[0],
        ):
            np.testing.assert_allclose(cp.asnumpy(call(form, b)), x, rtol=1e-9, atol=1e-10)
        assert isinstance(
            ours.inv(form.tocsc()), type(ours.inv(getattr(sparse, type(form.tocsc()).__name__)(form.tocsc())))
        )
        np.testing.assert_allclose(float(ours.norm(form)), theirs.norm(form))
    whole = np.linalg.eigvalsh((A + A.T).toarray())
    np.testing.assert_allclose(cp.asnumpy(ours.eigsh(A + A.T, 2, which="LA", return_eigenvectors=False)), whole[-2:])
    near(cp.asnumpy(ours.expm(A * 0.1).toarray()), theirs.expm(A * 0.1).toarray(), "float64")
    assert ours.is_sptriangular(A) == tuple(map(bool, theirs.is_sptriangular(A)))


def test_empty_systems():
    none, three = device(np.zeros((0, 0))), device(np.eye(3) * 2)
    assert ours.spsolve(none, cp.zeros(0)).shape == (0,)
    assert ours.spsolve_triangular(none, cp.zeros(0)).shape == (0,)
    assert ours.spsolve(three, cp.zeros((3, 0))).shape == (3, 0)
    assert ours.spsolve_triangular(three, cp.zeros((3, 0))).shape == (3, 0)
    for factors in (ours.splu(three), ours.spilu(three)):
        assert factors.solve(cp.zeros((3, 0))).shape == (3, 0)
