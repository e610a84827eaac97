"""`cupy.cublas`, `cupyx.lapack` and `cupyx.linalg` beside SciPy's BLAS, NumPy and SciPy."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.linalg as sl
import scipy.sparse
from cuproxide.compat import cublas, lapack
from cuproxide.compat.linalg import invh
from cuproxide.compat.linalg.sparse import lschol
from scipy.linalg import blas

TYPES = "fdFD"
REAL = {"F": "f", "D": "d"}


def drawn(random, dtype, *shape):
    numbers = random.standard_normal(shape)
    return (numbers + 1j * random.standard_normal(shape) if dtype in "FD" else numbers).astype(dtype)


def routine(name, dtype):
    """SciPy's routine of a name for a dtype."""
    prefix = {"f": "s", "d": "d", "F": "c", "D": "z"}[dtype]
    if name in ("asum", "nrm2") and dtype in "FD":
        prefix = {"F": "sc", "D": "dz"}[dtype]
    return getattr(blas, f"i{prefix}amax" if name == "iamax" else prefix + name)


def near(ours, theirs):
    assert ours.dtype == theirs.dtype, (ours.dtype, theirs.dtype)
    np.testing.assert_allclose(cp.asnumpy(ours), theirs, rtol=2e-5 if theirs.dtype.char in "fF" else 1e-12, atol=1e-5)


@pytest.fixture
def random():
    return np.random.default_rng(3)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("size", [0, 1, 7, 300])
def test_vectors(random, dtype, size):
    x, y = drawn(random, dtype, size), drawn(random, dtype, size)
    a, b = cp.asarray(x), cp.asarray(y)
    sizes = np.abs(x.real) + np.abs(x.imag) if dtype in "FD" else np.abs(x)
    assert int(cublas.iamax(a)) == (sizes.argmax() + 1 if size else 0) and cublas.iamax(a).dtype == np.int32
    assert int(cublas.iamin(a)) == (sizes.argmin() + 1 if size else 0)
    real = np.dtype(REAL.get(dtype, dtype))
    near(cublas.asum(a), np.asarray(routine("asum", dtype)(x) if size else 0, real))
    near(cublas.nrm2(a), np.asarray(routine("nrm2", dtype)(x) if size else 0, real))
    near(cublas.dotu(a, b), np.asarray((x * y).sum(), dtype))
    near(cublas.dotc(a, b), np.asarray((x.conj() * y).sum(), dtype))
    expected = (2 * x + y).astype(dtype)
    assert cublas.axpy(2, a, b) is b
    near(b, expected)
    assert cublas.scal(cp.asarray(3.0), a) is a
    near(a, (3 * x).astype(dtype))


def test_results_go_where_they_are_wanted():
    x = cp.asarray([3.0, 4.0])
    host, device = np.empty((), "f"), cp.empty((), "f")
    assert cublas.nrm2(x, out=host) is host and host == 5
    assert cublas.nrm2(x, out=device) is device and float(device) == 5
    with pytest.raises(TypeError, match="out"):
        cublas.nrm2(x, out=[0])


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_norms_of_extreme_numbers(scale):
    """Where the sum of squares would underflow or overflow."""
    assert float(cublas.nrm2(cp.asarray([3 * scale, 4 * scale]))) == pytest.approx(5 * scale)
    assert float(cublas.nrm2(cp.asarray([np.inf, 1.0]))) == np.inf
    assert np.isnan(float(cublas.nrm2(cp.asarray([np.nan, 1.0]))))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("trans", ["N", "T", "H"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_matrix_and_vector(random, dtype, trans, order):
    a, alpha, beta = np.asarray(drawn(random, dtype, 5, 4), order=order), 2, 0.5
    op = {"N": a, "T": a.T, "H": a.conj().T}[trans]
    x, y = drawn(random, dtype, op.shape[1]), drawn(random, dtype, op.shape[0])
    given = cp.asarray(y)
    assert cublas.gemv(trans, alpha, cp.asarray(a), cp.asarray(x), beta, given) is given
    near(given, (alpha * (op @ x) + beta * y).astype(dtype))
    # With beta 0 what is in y is not read.
    given = cp.full(y.shape, np.nan, dtype)
    near(cublas.gemv(trans, alpha, cp.asarray(a), cp.asarray(x), 0, given), (alpha * (op @ x)).astype(dtype))


@pytest.mark.parametrize("dtype", TYPES)
def test_updates_of_rank_one(random, dtype):
    x, y, a = drawn(random, dtype, 4), drawn(random, dtype, 3), drawn(random, dtype, 4, 3)
    near(cublas.geru(2, cp.asarray(x), cp.asarray(y), cp.asarray(a)), (a + 2 * np.outer(x, y)).astype(dtype))
    near(cublas.gerc(2, cp.asarray(x), cp.asarray(y), cp.asarray(a)), (a + 2 * np.outer(x, y.conj())).astype(dtype))
    if dtype in "fd":
        near(cublas.ger(2, cp.asarray(x), cp.asarray(y), cp.asarray(a)), (a + 2 * np.outer(x, y)).astype(dtype))
    else:
        with pytest.raises(TypeError, match="geru"):
            cublas.ger(2, cp.asarray(x), cp.asarray(y), cp.asarray(a))


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize(("k", "n"), [(0, 3), (2, 6), (3, 2)])
def test_band_matrices(random, lower, k, n):
    a, x, y = random.random((k + 1, n)), random.random(n), random.random(n)
    dense = np.zeros((n, n))
    for j in range(n):
        for i in range(max(0, j - k), j + 1):
            dense[i, j] = dense[j, i] = a[j - i, i] if lower else a[k + i - j, j]
    given = cp.asarray(y)
    near(cublas.sbmv(k, 2, cp.asarray(a), cp.asarray(x), 3, given, lower), 2 * dense @ x + 3 * y)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("transa", ["N", "T", "H"])
@pytest.mark.parametrize("transb", ["N", "T", "H"])
def test_matrices(random, dtype, transa, transb):
    def op(trans, matrix):
        return {"N": matrix, "T": matrix.T, "H": matrix.conj().T}[trans]

    a = drawn(random, dtype, *((3, 4) if transa == "N" else (4, 3)))
    b = drawn(random, dtype, *((4, 2) if transb == "N" else (2, 4)))
    product = (op(transa, a) @ op(transb, b)).astype(dtype)
    near(cublas.gemm(transa, transb, cp.asarray(a), cp.asarray(b)), product)
    out = drawn(random, dtype, 3, 2)
    given = cp.asarray(out)
    assert cublas.gemm(transa, transb, cp.asarray(a), cp.asarray(b), given, 2.0, cp.asarray(0.5)) is given
    near(given, (2 * product + 0.5 * out).astype(dtype))
    c = drawn(random, dtype, *((3, 4) if transb == "N" else (4, 3)))
    total = (2 * op(transa, a) - 3 * op(transb, c)).astype(dtype)
    near(cublas.geam(transa, transb, 2, cp.asarray(a), -3, cp.asarray(c)), total)
    given = cp.empty((3, 4), dtype)
    assert cublas.geam(transa, transb, 2, cp.asarray(a), -3, cp.asarray(c), given) is given
    near(given, total)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("trans", ["N", "T"])
@pytest.mark.parametrize("lower", [False, True])
def test_symmetric_products(random, dtype, trans, lower):
    a, out = drawn(random, dtype, 4, 3), drawn(random, dtype, *((4, 4) if trans == "N" else (3, 3)))
    whole = (2 * (a @ a.T if trans == "N" else a.T @ a) + 0.5 * out).astype(dtype)
    triangle = np.tri(len(out), dtype=bool) if lower else np.tri(len(out), dtype=bool).T
    given = cp.asarray(out)
    near(cublas.syrk(trans, cp.asarray(a), given, 2, 0.5, lower), np.where(triangle, whole, out))


@pytest.mark.parametrize("step", [1, 2, -1, -2, 0])
def test_diagonal_products(random, step):
    a, x = random.random((3, 4)), random.random(9)
    rows = np.full(3, x[0]) if step == 0 else x[: 2 * abs(step) + 1][::step]
    columns = np.full(4, x[0]) if step == 0 else x[: 3 * abs(step) + 1][::step]
    near(cublas.dgmm("L", cp.asarray(a), cp.asarray(x), incx=step), rows[:, None] * a)
    near(cublas.dgmm("R", cp.asarray(a), cp.asarray(x), incx=step), a * columns)


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (TypeError, lambda: cublas.asum(np.ones(3))),
        (TypeError, lambda: cublas.asum(cp.ones(3, int))),
        (ValueError, lambda: cublas.asum(cp.ones((3, 3)))),
        (TypeError, lambda: cublas.dot(cp.ones(3), cp.ones(4))),
        (TypeError, lambda: cublas.dot(cp.ones(3), cp.ones(3, "f"))),
        (TypeError, lambda: cublas.dot(cp.ones(3, complex), cp.ones(3, complex))),
        (TypeError, lambda: cublas.gemm("X", "N", cp.ones((2, 2)), cp.ones((2, 2)))),
        (ValueError, lambda: cublas.gemm("N", "N", cp.ones((2, 3)), cp.ones((2, 3)))),
        (ValueError, lambda: cublas.gemv("N", 1, cp.ones((2, 3)), cp.ones(2), 0, cp.ones(2))),
        (ValueError, lambda: cublas.dgmm("X", cp.ones((2, 2)), cp.ones(2))),
        (ValueError, lambda: cublas.dgmm("L", cp.ones((2, 2)), cp.ones(2), incx=2)),
        (ValueError, lambda: cublas.batched_gesv(cp.ones((2, 3, 3)), cp.ones((3, 3)))),
        (np.linalg.LinAlgError, lambda: cublas.batched_gesv(cp.ones((2, 3, 2)), cp.ones((2, 3)))),
        (np.linalg.LinAlgError, lambda: invh(-cp.eye(2))),
        (np.linalg.LinAlgError, lambda: lapack.posv(-cp.eye(2), cp.ones(2))),
        (ValueError, lambda: lapack.gesv(cp.ones((2, 2, 2)), cp.ones(2))),
        (TypeError, lambda: lschol(cp.eye(2), cp.ones(2))),
        (ValueError, lambda: lschol(cp.scipy.sparse.eye(2), cp.ones(3))),
    ],
)
def test_arguments_that_do_not_fit(error, call):
    with pytest.raises(error):
        call()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("stack", [(), (3,), (2, 3)])
def test_solutions(random, dtype, stack):
    half = drawn(random, dtype, *stack, 4, 4)
    a = (half @ half.conj().swapaxes(-1, -2) + 4 * np.eye(4)).astype(dtype)
    b, v = drawn(random, dtype, *stack, 4, 2), drawn(random, dtype, *stack, 4)
    for solve in (cublas.batched_gesv, lapack.posv):
        near(solve(cp.asarray(a), cp.asarray(b)), np.linalg.solve(a, b))
        near(solve(cp.asarray(a), cp.asarray(v)), np.linalg.solve(a, v[..., None])[..., 0])
    near(invh(cp.asarray(a)), np.linalg.inv(a))
    if not stack:
        near(lapack.gesv(cp.asarray(a), cp.asarray(b)), np.linalg.solve(a, b))
        near(lapack.gels(cp.asarray(half[:, :3]), cp.asarray(v)), np.linalg.lstsq(half[:, :3], v, rcond=None)[0])
        sparse = scipy.sparse.csr_matrix(a)
        ours = cp.scipy.sparse.csr_matrix(sparse)
        found = lschol(ours, cp.asarray(v))
        np.testing.assert_allclose(found.get(), np.linalg.solve(a, v), rtol=1e-4 if dtype in "fF" else 1e-10, atol=1e-5)


def test_triangular_systems_of_stacks():
    """As in SciPy and CuPy: a right-hand side with two axes is one matrix for all."""
    random = np.random.default_rng(0)
    a, b = np.tril(random.random((4, 4, 4))) + np.eye(4), random.random((4, 4))
    ours = cp.scipy.linalg.solve_triangular(cp.asarray(a), cp.asarray(b), lower=True)
    np.testing.assert_allclose(ours.get(), np.stack([sl.solve_triangular(one, b, lower=True) for one in a]), rtol=1e-10)
