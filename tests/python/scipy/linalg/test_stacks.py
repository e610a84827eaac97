"""Stacks of matrices, with the shapes of SciPy 1.18."""

import numpy as np
import pytest

scipy = pytest.importorskip("scipy.linalg")

import cuproxide as cp  # noqa: E402
from cuproxide.scipy import linalg  # noqa: E402

rng = np.random.default_rng(3)


def test_lstsq_of_stacks():
    a, b = rng.standard_normal((2, 3, 5, 3)), rng.standard_normal((3, 5, 4))
    a[1, 0, :, 2] = a[1, 0, :, 1]
    x, residuals, rank, values = linalg.lstsq(cp.asarray(a), cp.asarray(b))
    assert (x.shape, residuals.shape, rank.shape, values.shape) == ((2, 3, 3, 4), (2, 3, 4), (2, 3), (2, 3, 3))
    for i, j in np.ndindex(2, 3):
        wanted = scipy.lstsq(a[i, j], b[j])
        assert np.allclose(x[i, j].get(), wanted[0])
        assert rank[i, j] == wanted[2]
        assert np.allclose(values[i, j].get(), wanted[3])
        assert np.isnan(residuals[i, j].get()).all() if wanted[2] < 3 else np.allclose(residuals[i, j].get(), wanted[1])
    # One right-hand side for all matrices, and one matrix for all right-hand sides.
    assert linalg.lstsq(cp.asarray(a), cp.ones(5))[0].shape == (2, 3, 3)
    x, residuals, rank, values = linalg.lstsq(cp.asarray(a[0, 0]), cp.asarray(b))
    assert (x.shape, residuals.shape, rank.shape, values.shape) == ((3, 3, 4), (3, 4), (3,), (3, 3))


def test_residuals_of_dependent_columns_are_nan():
    a = cp.asarray([[1.0, 1], [1, 1], [2, 2]])
    residuals = linalg.lstsq(a, cp.asarray([1.0, 2, 3]))[1]
    assert residuals.shape == () and np.isnan(residuals.item())
    assert np.isnan(linalg.lstsq(a, cp.ones((3, 2)))[1].get()).tolist() == [True, True]
    assert linalg.lstsq(a[:2], cp.ones(2))[1].shape == (0,)
    assert linalg.lstsq(a, cp.ones(3), lapack_driver="gelsy")[1].shape == (0,)
    assert linalg.lstsq(cp.zeros((3, 0)), cp.ones(3))[1].item() == 3


def test_bases_and_angles_of_stacks():
    a, b = rng.standard_normal((2, 5, 3)), rng.standard_normal((2, 5, 2))
    basis = linalg.orth(cp.asarray(a))
    assert basis.shape == (2, 5, 3)
    null = linalg.null_space(cp.asarray(np.swapaxes(a, 1, 2)))
    assert null.shape == (2, 5, 2)
    assert np.allclose(np.swapaxes(a, 1, 2) @ null.get(), 0, atol=1e-14)
    angles = linalg.subspace_angles(cp.asarray(a), cp.asarray(b))
    assert np.allclose(angles.get(), [scipy.subspace_angles(x, y) for x, y in zip(a, b, strict=True)])
    assert linalg.subspace_angles(cp.asarray(a), cp.asarray(b[0])).shape == (2, 2)
    with pytest.raises(ValueError, match="different ranks, from 1 to 3"):
        linalg.null_space(cp.asarray([np.ones((3, 3)), np.eye(3)]))


def test_riccati_equations_of_stacks():
    a, b = rng.standard_normal((3, 4, 4)), rng.standard_normal((3, 4, 2))
    q, r = np.eye(4), np.diag([1.0, 2])
    x = linalg.solve_continuous_are(cp.asarray(a), cp.asarray(b), cp.asarray(q), cp.asarray(r)).get()
    wanted = [scipy.solve_continuous_are(m, n, q, r) for m, n in zip(a, b, strict=True)]
    assert np.allclose(x, wanted, rtol=1e-11)
    with pytest.raises(np.linalg.LinAlgError):
        linalg.solve_continuous_are(cp.zeros((2, 1, 1)), cp.zeros((2, 1, 1)), cp.zeros((1, 1)), cp.ones((1, 1)))


@pytest.mark.parametrize("mode", ["full", "economic"])
def test_updates_of_stacks(mode):
    a = rng.standard_normal((2, 5, 3))
    q, r = linalg.qr(cp.asarray(a), mode=mode)

    def check(found, wanted):
        unitary, triangle = (m.get() for m in found)
        assert np.allclose(unitary @ triangle, wanted)
        assert np.allclose(np.swapaxes(unitary, -1, -2) @ unitary, np.eye(unitary.shape[-1]), atol=1e-13)
        assert np.array_equal(triangle, np.triu(triangle))

    u, v = rng.standard_normal((2, 5, 2)), rng.standard_normal((2, 3, 2))
    check(linalg.qr_update(q, r, cp.asarray(u), cp.asarray(v)), a + u @ np.swapaxes(v, -1, -2))
    check(linalg.qr_update(q, r, cp.asarray(u[0, :, 0]), cp.asarray(v[0, :, 0])), a + np.outer(u[0, :, 0], v[0, :, 0]))
    check(linalg.qr_update(q[0], r[0], cp.asarray(u), cp.asarray(v)), a[0] + u @ np.swapaxes(v, -1, -2))
    rows = rng.standard_normal((2, 2, 3))
    check(linalg.qr_insert(q, r, cp.asarray(rows), 1), np.insert(a, [1], rows, axis=1))
    check(linalg.qr_insert(q, r, cp.asarray(rows[0]), 1), np.insert(a, [1], rows[0], axis=1))
    column = rng.standard_normal(5)
    check(linalg.qr_insert(q, r, cp.asarray(column), 1, which="col"), np.insert(a, 1, column, axis=2))
    check(linalg.qr_delete(q, r, 1), np.delete(a, 1, 1))
    check(linalg.qr_delete(q, r, 1, 2), np.delete(a, [1, 2], 1))
    check(linalg.qr_delete(q, r, 0, which="col"), np.delete(a, 0, 2))


def test_cho_factor_of_stacks():
    a = rng.standard_normal((2, 3, 3))
    a = a @ np.swapaxes(a, -1, -2) + np.eye(3)
    for lower in (False, True):
        factor = linalg.cho_factor(cp.asarray(a), lower)
        assert factor[1].tolist() == [lower, lower]
        b = rng.standard_normal((2, 3, 4))
        assert np.allclose(linalg.cho_solve(factor, cp.asarray(b)).get(), np.linalg.solve(a, b))
        assert linalg.cho_solve(factor, cp.ones(3)).shape == (2, 3)


def test_vectors_of_real_eigenvalues_are_real():
    a = rng.standard_normal((4, 4))
    values, left, right = linalg.eig(cp.asarray(a + a.T), left=True)
    assert values.dtype == np.complex128 and left.dtype == right.dtype == np.float64
    assert np.allclose((a + a.T) @ right.get(), right.get() * values.get().real)
    assert linalg.eig(cp.asarray([[0.0, 1], [-1, 0]]))[1].dtype == np.complex128
    assert linalg.eig(cp.zeros((0, 0)))[1].dtype == np.float64


def test_determinants_are_in_double_precision():
    found = linalg.det(cp.diag(cp.asarray([1e30, 1e30], np.float32)))
    assert found.dtype == np.float64
    assert np.isclose(found.item(), 1e60)
    assert linalg.det(cp.eye(2, dtype=np.complex64)).dtype == np.complex128


def test_hankel_flattens_with_a_warning():
    with pytest.warns(FutureWarning, match="1.19"):
        assert linalg.hankel(cp.ones((2, 2))).shape == (4, 4)


def test_balances_are_in_double_precision():
    balanced, transformation = linalg.matrix_balance(cp.eye(2, dtype=np.float32))
    assert (balanced.dtype, transformation.dtype) == (np.float32, np.float64)
