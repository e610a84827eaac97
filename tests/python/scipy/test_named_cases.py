"""Types of results, statuses and warnings that programs rely on: single cases, beside SciPy."""

import warnings

import cuproxide as cp
import numpy as np
import pytest
import scipy.interpolate
import scipy.linalg
import scipy.optimize
import scipy.sparse.linalg
import scipy.special
from cuproxide.scipy import interpolate, linalg, optimize, sparse, special

MATRIX = np.array([[4.0, 1, 0], [1, 5, 1], [0, 1, 6]])
RIGHT = np.array([1.0, 2, 3])


@pytest.mark.parametrize("name", ["lsqr", "lsmr", "cg", "gmres", "bicgstab"])
@pytest.mark.parametrize("start", [None, np.float32, np.float64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_type_of_a_solution(name, start, dtype):
    given = {} if start is None else {"x0": np.zeros(3, start)}
    expected = getattr(scipy.sparse.linalg, name)(MATRIX.astype(dtype), RIGHT.astype(dtype), **given)[0]
    given = {key: cp.asarray(value) for key, value in given.items()}
    found = getattr(sparse.linalg, name)(cp.asarray(MATRIX.astype(dtype)), cp.asarray(RIGHT.astype(dtype)), **given)[0]
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.get(), np.linalg.solve(MATRIX, RIGHT), rtol=1e-4)


@pytest.mark.parametrize("method", ["SLSQP", "COBYQA", "L-BFGS-B", "Nelder-Mead", "BFGS"])
def test_a_function_that_is_nan_has_no_minimum(method):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert not optimize.minimize(lambda x: cp.sum(x) * np.nan, [1.0, 2.0], method=method).success


def test_constraints_of_a_mixed_integer_program_as_tuples():
    found = optimize.milp([-1.0, -2.0], integrality=[1, 1], constraints=[([[1, 1]], -np.inf, 3.5), ([[1, 0]], 1, 2)])
    assert found.success and found.x.tolist() == [1, 2]


def test_crossed_bounds_are_infeasible():
    assert optimize.linprog([1.0], bounds=[(2, 1)]).status == 2
    assert optimize.milp([1.0], bounds=optimize.Bounds(2, 1)).status == 2


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_bracket_has_the_type_of_its_start(dtype):
    found = optimize.elementwise.bracket_root(lambda x: x * x - 2, cp.asarray(dtype(0.5)), xr0=cp.asarray(dtype(1)))
    assert all(part.dtype == dtype for part in (*found.bracket, *found.f_bracket))


@pytest.mark.parametrize("name", ["rosen", "rosen_der", "rosen_hess"])
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32])
def test_rosenbrock_s_function_of_other_types(name, dtype):
    x = np.array([1, 2, 3], dtype)
    expected, found = getattr(scipy.optimize, name)(x), getattr(optimize, name)(cp.asarray(x))
    assert found.dtype == np.asarray(expected).dtype
    np.testing.assert_allclose(found.get(), expected, rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.complex64])
def test_matrices_without_elements(dtype):
    for shape in ((0, 0), (2, 0, 0)):
        a = np.zeros(shape, dtype)
        for name in ("det", "hessenberg", "matrix_balance"):
            expected = getattr(scipy.linalg, name)(a)
            found = getattr(linalg, name)(cp.asarray(a))
            pairs = zip(found, expected, strict=True) if isinstance(found, tuple) else [(found, expected)]
            for one, other in pairs:
                assert (one.shape, one.dtype) == (np.shape(other), np.asarray(other).dtype), (name, shape)


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float32])
@pytest.mark.parametrize("exact", [False, True])
def test_factorials_of_no_numbers(dtype, exact):
    """They have the type of the argument, as in SciPy."""
    empty = np.zeros((0, 3), dtype)
    for name, step in (("factorial", ()), ("factorial2", ()), ("factorialk", (3,))):
        if dtype is not np.float32 or (name == "factorial" and not exact):
            found = getattr(special, name)(cp.asarray(empty), *step, exact=exact)
            assert found.dtype == getattr(scipy.special, name)(empty, *step, exact=exact).dtype == dtype
            assert found.shape == (0, 3)


def test_splines_of_samples_with_two_axes_are_refused():
    x, y = cp.linspace(0, 1, 8), cp.ones((8, 2))
    for samples in ((x, y), (y, x), (y, y)):
        with pytest.raises(ValueError, match="one-dimensional"):
            interpolate.splrep(*samples)


def test_an_operator_without_a_trace_warns():
    operator = sparse.linalg.aslinearoperator(cp.asarray(MATRIX / 9))
    with pytest.warns(UserWarning, match="[Tt]race"):
        found = sparse.linalg.expm_multiply(operator, cp.asarray(RIGHT))
    np.testing.assert_allclose(found.get(), scipy.linalg.expm(MATRIX / 9) @ RIGHT, rtol=1e-12)


def test_expm_multiply_of_a_badly_scaled_matrix():
    a = np.array([[0, 1e-8, 0], [-(2e2 + 4 / 6), -3, 2e2], [200 / 3, 0, -200 / 3]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = sparse.linalg.expm_multiply(sparse.csr_array(cp.asarray(a)), cp.asarray(RIGHT))
    np.testing.assert_allclose(found.get(), linalg.expm(cp.asarray(a)).get() @ RIGHT, rtol=1e-10)


def test_a_smoothing_factor_that_is_too_small_warns():
    random = np.random.default_rng(1)
    x, y, z = random.random((3, 40))
    with pytest.warns(UserWarning, match="storage space"):
        interpolate.SmoothBivariateSpline(cp.asarray(x), cp.asarray(y), cp.asarray(z), s=1e-9)
