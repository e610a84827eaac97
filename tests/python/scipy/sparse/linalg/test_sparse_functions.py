"""Functions and norms of sparse matrices, and Laplacians of grids, beside SciPy's."""

import cuproxide as cp
import mpmath
import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg as theirs
from cuproxide.scipy import linalg as dense
from cuproxide.scipy import sparse
from cuproxide.scipy.sparse import linalg as ours
from helpers import same_error

RANDOM = np.random.default_rng(0)
BASE = sp.random(30, 30, 0.15, rng=RANDOM).toarray() * 3
BASE[3] = 0


def device(A, form="csr"):
    return getattr(sparse, f"{form}_array")(getattr(sp, f"{form}_array")(A))


def near(found, expected, tolerance=1e-9):
    found = cp.asnumpy(found.toarray() if sparse.issparse(found) else found)
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * 0.1 * abs(expected).max())


def test_norms():
    for A in (BASE, BASE * (1 - 2j), BASE[:, :20], BASE.astype("float32"), np.zeros((3, 4))):
        for order in (None, "fro", 1, -1, np.inf, -np.inf, *((2,) if A.any() else ())):
            np.testing.assert_allclose(
                float(ours.norm(device(A), order)), theirs.norm(sp.csr_array(A), order), rtol=1e-6
            )
        for axis in (0, 1, -1):
            for order in (None, 0, 1, 2, 3, np.inf, -np.inf):
                found, expected = ours.norm(device(A), order, axis), theirs.norm(sp.csr_array(A), order, axis)
                np.testing.assert_allclose(cp.asnumpy(found), expected, rtol=1e-6)
    for call in [
        lambda m, A: m.norm(A, "q"),
        lambda m, A: m.norm(A, 3),
        lambda m, A: m.norm(A, axis=2),
        lambda m, A: m.norm(A, axis=(0, 0)),
        lambda m, A: m.norm(A, axis="x"),
        lambda m, A: m.norm(A, "q", axis=0),
        lambda m, A: m.norm(A.toarray()),
    ]:
        same_error(lambda call=call: call(ours, device(BASE)), lambda call=call: call(theirs, sp.csr_array(BASE)))


def test_onenormest():
    exact = reference = 0
    for seed in range(20):
        random = np.random.default_rng(seed)
        A = random.normal(size=(25, 25)) * (1j if seed % 3 == 0 else 1) + (seed % 2) * np.eye(25)
        estimate, v, w = ours.onenormest(cp.array(A), compute_v=True, compute_w=True)
        norm = abs(A).sum(axis=0).max()
        assert norm * 0.4 < estimate <= norm * (1 + 1e-12)
        exact += estimate > norm * (1 - 1e-12)
        reference += theirs.onenormest(A) > norm * (1 - 1e-12)
        np.testing.assert_allclose(A @ cp.asnumpy(v), cp.asnumpy(w), atol=1e-12)
        np.testing.assert_allclose(abs(cp.asnumpy(w)).sum(), estimate)
    assert exact >= reference - 3
    assert ours.onenormest(device(np.array([[1.0, 2], [3, -4]])), t=2) == 6
    for call in [
        lambda m, xp: m.onenormest(xp.ones((2, 3))),
        lambda m, xp: m.onenormest(xp.ones((5, 5)), itmax=1),
        lambda m, xp: m.onenormest(xp.ones((5, 5)), t=0),
    ]:
        same_error(lambda call=call: call(ours, cp), lambda call=call: call(theirs, np))


def test_matrix_power():
    for A in (BASE, BASE * 1j, np.array([[1, 1], [1, 0]])):
        for power in (0, 1, 2, 3, 7):
            found = ours.matrix_power(device(A), power)
            assert found.dtype == A.dtype
            near(found, np.linalg.matrix_power(A, power))
    for call in [
        lambda m, A: m.matrix_power(A, -1),
        lambda m, A: m.matrix_power(A, 1.5),
        lambda m, A: m.matrix_power(A[:3], 2),
    ]:
        same_error(lambda call=call: call(ours, device(BASE)), lambda call=call: call(theirs, sp.csr_array(BASE)))


@pytest.mark.parametrize("scale", [0, 1e-3, 0.02, 0.07, 0.2, 1, 5])
def test_exponentials(scale):
    B = RANDOM.normal(size=(30, 2))
    for A in (BASE * scale, BASE * scale * 1j, np.triu(BASE) * scale - np.eye(30)):
        expected = scipy.linalg.expm(A)
        near(ours.expm(device(A, "csc")), expected)
        assert ours.expm(device(A)).format == "csr"
        near(ours.expm_multiply(device(A), cp.array(B)), expected @ B)
        near(ours.expm_multiply(cp.array(A), cp.array(B[:, 0])), expected @ B[:, 0])
        with pytest.warns(UserWarning, match="trace"):
            near(ours.expm_multiply(ours.aslinearoperator(device(A)), cp.array(B)), expected @ B)
        near(ours.funm_multiply_krylov(dense.expm, device(A), cp.array(B[:, 0]), rtol=1e-10), expected @ B[:, 0], 1e-7)
        times = {"start": 0.5, "stop": 1.5, "num": 3, "endpoint": True}
        near(
            ours.expm_multiply(device(A), cp.array(B), **times), theirs.expm_multiply(sp.csr_array(A), B, **times), 1e-7
        )


def test_exponentials_of_other_kinds():
    near(ours.expm(cp.array(BASE)), scipy.linalg.expm(BASE))
    near(ours.expm(device(np.array([[1]]))), np.array([[np.e]]))
    near(ours.expm(device(np.array([[0, 1], [0, 0]]))), np.array([[1, 1], [0, 1]]))
    assert ours.expm(device(BASE.astype("float32"), "csc")).dtype == np.float32
    hermitian = (BASE + BASE.T) / 4
    b = RANDOM.normal(size=30)
    for assume in ("her", "hermitian"):
        found = ours.funm_multiply_krylov(
            dense.expm, device(hermitian), cp.array(b), assume_a=assume, t=-0.5, rtol=1e-10
        )
        near(found, scipy.linalg.expm(-0.5 * hermitian) @ b, 1e-7)
    found = ours.funm_multiply_krylov(dense.cosm, device(hermitian), cp.array(b), restart_every_m=8, rtol=1e-10)
    near(found, scipy.linalg.cosm(hermitian) @ b, 1e-6)
    for call in [
        lambda m, xp, A: m.expm(A[:3]),
        lambda m, xp, A: m.expm_multiply(A, xp.ones(4)),
        lambda m, xp, A: m.expm_multiply(A[:3], xp.ones(30)),
        lambda m, xp, A: m.expm_multiply(A, xp.ones(30), start=0, stop=1, num=1),
        lambda m, xp, A: m.funm_multiply_krylov(None, A, xp.ones((30, 2))),
        lambda m, xp, A: m.funm_multiply_krylov(None, A, xp.ones(30), assume_a="pos"),
        lambda m, xp, A: m.funm_multiply_krylov(None, A, xp.ones(30), restart_every_m=-1),
        lambda m, xp, A: m.funm_multiply_krylov(None, A, xp.ones(30), max_restarts=0),
    ]:
        same_error(
            lambda call=call: call(ours, cp, device(BASE)), lambda call=call: call(theirs, np, sp.csr_array(BASE))
        )


@pytest.mark.parametrize("conditions", ["neumann", "dirichlet", "periodic"])
@pytest.mark.parametrize("shape", [(1,), (5,), (6,), (3, 4), (2, 3, 4), (1, 3)])
def test_grid_laplacian(conditions, shape):
    mine = ours.LaplacianNd(shape, boundary_conditions=conditions)
    his = theirs.LaplacianNd(shape, boundary_conditions=conditions)
    # SciPy's matrices have no neighbours along axes of length 1, unlike its products.
    whole = np.round(his.matmat(np.eye(mine.shape[0]))).astype("int8")
    assert mine.toarray().dtype == np.int8
    np.testing.assert_array_equal(cp.asnumpy(mine.toarray()), whole)
    np.testing.assert_array_equal(cp.asnumpy(mine.tosparse().toarray()), whole)
    X = RANDOM.normal(size=(mine.shape[0], 2))
    np.testing.assert_allclose(cp.asnumpy(mine @ cp.array(X)), his @ X, atol=1e-14)
    np.testing.assert_allclose(cp.asnumpy(mine.T @ cp.array(X[:, 0])), his @ X[:, 0], atol=1e-14)
    np.testing.assert_allclose(cp.asnumpy(mine.eigenvalues()), his.eigenvalues(), atol=1e-14)
    vectors = cp.asnumpy(mine.eigenvectors())
    np.testing.assert_allclose(whole.astype(float) @ vectors, vectors * cp.asnumpy(mine.eigenvalues()), atol=1e-12)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(whole)), atol=1e-12)
    few = min(2, len(whole))
    assert mine.eigenvectors(few).shape == (len(whole), few)
    np.testing.assert_allclose(cp.asnumpy(mine.eigenvalues(few)), his.eigenvalues()[-few:], atol=1e-14)
    with pytest.raises(ValueError, match="boundary_conditions"):
        ours.LaplacianNd(shape, boundary_conditions="none")


@pytest.mark.parametrize(
    "matrix",
    [
        [[-1.0, 1e10], [0.0, -2.0]],
        [[0.5, 1e12], [0.0, -0.5]],
        # Every third term is large.
        [[0.0, 1e9, 0.0], [0.0, 0.0, 1e-3], [1e-6, 0.0, 0.0]],
        [[1.0, 1e-8, 1e-16], [1e8, -1.0, 1e-8], [1e16, 1e8, 2.0]],
    ],
)
def test_products_with_exponentials_of_badly_scaled_matrices(matrix):
    """As many products as powers of the matrix ask for, not its norm, and no end at a single small term."""
    with mpmath.workdps(80):
        exact = mpmath.expm(mpmath.matrix(matrix), method="taylor") * mpmath.ones(len(matrix), 1)
    exact = np.array([float(number) for number in exact])
    count = [0]

    def times(a, x):
        count[0] += 1
        return a @ x

    a = cp.asarray(matrix)
    counted = ours.LinearOperator(
        a.shape, dtype=a.dtype, matvec=lambda x: times(a, x), rmatvec=lambda x: times(a.T, x),
        matmat=lambda x: times(a, x), rmatmat=lambda x: times(a.T, x),
    )  # fmt: skip
    start = cp.ones(len(matrix))
    for given in (a, sparse.csr_array(a)):
        np.testing.assert_allclose(ours.expm_multiply(given, start).get(), exact, rtol=1e-13)
        np.testing.assert_allclose(ours.expm_multiply(given, start, 0, 1, 3)[-1].get(), exact, rtol=1e-12)
    found = ours.expm_multiply(counted, start, 0, 1, 3, traceA=float(np.trace(matrix)))[-1].get()
    np.testing.assert_allclose(found, exact, rtol=1e-12)
    assert count[0] < 2000


@pytest.mark.parametrize("size", [1e20, 1e60, 1e100, 1e200])
def test_exponentials_of_nilpotent_matrices_of_all_sizes(size):
    """Their norm asks for hundreds of squarings, in which the diagonal would fade to 0."""
    dense = np.array([[0, size, 0], [0, 0, 0], [0, 0, -2.0]])
    found = ours.expm(sparse.csc_array(cp.asarray(dense))).toarray().get()
    np.testing.assert_allclose(found, [[1, size, 0], [0, 1, 0], [0, 0, np.exp(-2.0)]], rtol=1e-13)
