"""Cholesky's factor of matrices with NaN, which is no failure where `check_finite` is off."""

import warnings

import cuproxide as cp
import numpy as np
import pytest
from cuproxide.scipy import linalg

NAN = np.nan
# Matrices, and the pivot from which on the factor is NaN.
CASES = [
    ([[2, NAN], [NAN, 3]], 1),
    ([[2, 1, 0], [1, NAN, 0], [0, 0, 3]], 1),
    ([[2, 1, 0, 0], [1, 1, 0, 0], [0, 0, NAN, 0], [0, 0, 0, 7]], 2),
    ([[NAN, 1], [1, 2]], 0),
]


@pytest.mark.parametrize("dtype", ["f", "d", "F", "D"])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize(("matrix", "first"), CASES)
def test_the_factor_is_nan_from_its_pivot_on(matrix, first, lower, dtype):
    a = np.array(matrix, dtype)
    factor = linalg.cholesky(cp.asarray(a), lower=lower, check_finite=False)
    assert factor.dtype == a.dtype
    found = factor.get() if lower else factor.get().T
    place = np.arange(len(a))
    behind = np.minimum(place[:, None], place) >= first
    assert np.isnan(found[behind & (place[:, None] >= place)]).all()
    np.testing.assert_allclose(found[:first, :first], np.linalg.cholesky(a[:first, :first]), rtol=1e-6)
    assert not np.triu(found, 1).any()
    assert np.isnan(linalg.cho_factor(cp.asarray(a), lower, check_finite=False)[0].get()).any()


def test_other_matrices_of_a_stack_keep_their_factors_and_failures():
    stack = np.array([[[2, NAN], [NAN, 3]], [[1, 0], [0, 4]]])
    found = linalg.cholesky(cp.asarray(stack), check_finite=False).get()
    assert np.isnan(found[0, 1, 1]) and found[1].tolist() == [[1, 0], [0, 2]]
    stack[1, 1, 1] = -4
    with pytest.raises(linalg.LinAlgError, match="not positive definite"):
        linalg.cholesky(cp.asarray(stack), check_finite=False)
    with pytest.raises(ValueError, match="infs or NaNs"):
        linalg.cholesky(cp.asarray(stack))


def test_the_other_triangle_is_not_read():
    a = cp.asarray([[4.0, NAN], [2.0, 5.0]])
    assert linalg.cholesky(a, lower=True, check_finite=False).tolist() == [[2, 0], [1, 2]]
    a[1, 1] = -5
    with pytest.raises(linalg.LinAlgError):
        linalg.cholesky(a, lower=True, check_finite=False)


@pytest.mark.parametrize("lower", [False, True])
def test_nan_behind_a_pivot_does_not_hide_its_failure(lower):
    a = np.diag([2.0, -3.0, NAN])
    stack = np.stack([a, np.diag([2.0, NAN, -3.0])])
    for matrix in (a, stack):
        with pytest.raises(linalg.LinAlgError, match="not positive definite"):
            linalg.cholesky(cp.asarray(matrix), lower=lower, check_finite=False)
    diagonals = (
        [[2.0, -3.0, 3.0, 2.0], [0.1, 0.1, NAN, 0.0]] if lower else [[NAN, 0.1, 0.1, NAN], [2.0, -3.0, 3.0, 2.0]]
    )
    band = np.array(diagonals)
    for matrix in (band, np.stack([band, band])):
        with pytest.raises(linalg.LinAlgError, match="not positive definite"):
            linalg.cholesky_banded(cp.asarray(matrix), lower=lower, check_finite=False)


def test_bands_and_systems():
    band = cp.asarray([[0, NAN, 0], [2.0, 3.0, 4.0]])
    found = linalg.cholesky_banded(band, check_finite=False).get()
    assert found[1, 0] == pytest.approx(np.sqrt(2)) and np.isnan(found[1, 1])
    with pytest.raises(linalg.LinAlgError):
        linalg.cholesky_banded(cp.asarray([[0, 2.0], [2.0, 1.0]]), check_finite=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", linalg.LinAlgWarning)
        x = linalg.solve(cp.asarray([[NAN, 0], [0, 3.0]]), cp.ones(2), assume_a="pos", check_finite=False)
    assert np.isnan(x.get()).any()
