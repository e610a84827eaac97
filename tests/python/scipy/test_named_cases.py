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
import scipy.stats
from cuproxide.scipy import interpolate, linalg, optimize, sparse, special, stats

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


@pytest.mark.parametrize("start", [[-1.2, 1.0], [-3.0, 0.0]])
def test_differences_have_no_points_outside_of_bounds(start):
    for module, convert in ((scipy.optimize, np.array), (optimize, cp.array)):
        given = {"method": "TNC", "bounds": [(-2, 2), (-2, 0.5)]}
        with pytest.raises(ValueError, match="`x0` violates bound constraints"):
            module.minimize(module.rosen, convert(start), **given)
        assert module.minimize(module.rosen, convert(start), jac=module.rosen_der, **given).success


def test_an_update_says_that_the_objective_is_linear():
    for module, array in ((scipy.optimize, np), (optimize, cp)):
        with pytest.warns(UserWarning, match="delta_grad == 0.0"):
            found = module.minimize(
                lambda x: x.sum(),
                array.array([1.0, 1.0]),
                jac=lambda x, array=array: array.ones(2),
                method="trust-constr",
                bounds=[(0, 2)] * 2,
            )
        assert found.success


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"tr_solver": "exact", "jac_sparsity": np.ones((3, 2))}, ValueError, "jac_sparsity"),
        ({"tr_solver": "lsmr", "tr_options": {"toll": 1}}, TypeError, "toll"),
        ({"method": "dogbox", "jac_sparsity": np.ones((2, 2))}, ValueError, "jac_sparsity"),
    ],
)
def test_options_of_least_squares_that_do_not_go_together(options, error, text):
    for module, array in ((scipy.optimize, np), (optimize, cp)):
        given = {key: array.asarray(v) if isinstance(v, np.ndarray) else v for key, v in options.items()}
        with pytest.raises(error, match=text):
            module.least_squares(
                lambda x, array=array: array.stack([x[0] - 1, x[1] + 2, x[0] * x[1]]), array.array([3.0, 4.0]), **given
            )


def test_dogbox_does_not_regularize():
    for module, array in ((scipy.optimize, np), (optimize, cp)):
        with pytest.warns(UserWarning, match="regularize"):
            module.least_squares(
                lambda x: x - 1,
                array.array([3.0, 4.0]),
                method="dogbox",
                tr_solver="lsmr",
                tr_options={"regularize": True},
            )


def test_the_covariance_of_bounded_parameters_that_are_one_is_a_pseudo_inverse():
    x, y = np.array([1.0, 2, 3, 4]), np.array([2.1, 3.9, 6.2, 7.8])
    for method in ("trf", "dogbox"):
        covariances = []
        for module, array in ((scipy.optimize, np), (optimize, cp)):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                found = module.curve_fit(
                    lambda x, a, b: (a + b) * x,
                    array.asarray(x),
                    array.asarray(y),
                    p0=[1.0, 0.5],
                    jac=lambda x, a, b, array=array: array.stack([x, x], axis=1),
                    bounds=(0, 10),
                    method=method,
                )
            covariances.append(cp.asnumpy(found[1]))
        np.testing.assert_allclose(covariances[1], covariances[0], rtol=1e-10)


def test_an_oscillating_integral_names_its_limit_of_cycles():
    import scipy.integrate

    for module in (scipy.integrate, cp.scipy.integrate):
        with pytest.warns(scipy.integrate.IntegrationWarning, match="limlst"):
            module.quad(lambda x: 1 / (1 + x), 0, np.inf, weight="cos", wvar=1.0, limlst=3)


@pytest.mark.parametrize("name", ["X", "Y", "B"])
def test_vectors_of_lobpcg_have_a_length(name):
    rng = np.random.default_rng(0)
    given = {"A": np.diag(np.arange(1.0, 31.0)), "X": rng.normal(size=(30, 2)), "Y": None, "B": None}
    given[name] = -np.eye(30) if name == "B" else np.eye(30, 2) * [1, 0]
    for module, convert in ((scipy.sparse.linalg, np.array), (sparse.linalg, cp.array)):
        with pytest.raises(ValueError, match="Linearly dependent"):
            module.lobpcg(**{key: None if value is None else convert(value) for key, value in given.items()})


def test_whole_guesses_of_lobpcg_are_converted_with_a_warning():
    X = np.random.default_rng(0).integers(-9, 10, (30, 2))
    for module, convert in ((scipy.sparse.linalg, np.array), (sparse.linalg, cp.array)):
        with pytest.warns(UserWarning, match="int64"):
            values, _ = module.lobpcg(convert(np.diag(np.arange(1.0, 31.0))), convert(X), maxiter=60, tol=1e-3)
        np.testing.assert_allclose(cp.asnumpy(values), [30, 29], rtol=1e-3)


@pytest.mark.parametrize("count", [1.5, 0, -1])
def test_numbers_of_resamples_are_whole_and_positive(count):
    for module, array in ((scipy.stats, np), (stats, cp)):
        x = array.arange(5.0)
        for call in (
            lambda m=module, x=x, a=array: m.monte_carlo_test(x, m.norm.rvs, a.mean, n_resamples=count),
            lambda m=module, x=x, a=array: m.permutation_test((x, x), lambda u, v: a.mean(u - v), n_resamples=count),
            lambda m=module: m.power(m.ttest_1samp, m.norm.rvs, 5, n_resamples=count),
        ):
            with pytest.raises(ValueError, match="n_resamples"):
                call()


def test_spread_without_degrees_of_freedom():
    for name in ("tvar", "tstd", "tsem"):
        found = getattr(stats, name)(cp.asarray([[0.5, 1, 1.5], [0.5, 9, 9]]), (0, 2), axis=1, ddof=2)
        assert np.isfinite(found[0].item()) and np.isnan(found[1].item()), name


def test_shapes_of_matrices_beside_their_law():
    for module, array in ((scipy.stats, np), (stats, cp)):
        with pytest.raises(ValueError, match="not compatible"):
            module.matrix_normal.logpdf(array.eye(5), rowcov=array.eye(5))
        assert module.matrix_normal.logpdf(array.ones((5, 1)), rowcov=array.eye(5)).ndim == 0


def test_equal_points_have_no_polynomial():
    for points in ([1.0, 1.0], [0.0, 1.0, 1.0]):
        with pytest.raises(ValueError, match="distinct"):
            interpolate.BarycentricInterpolator(cp.asarray(points), cp.ones(len(points)))


def test_sums_of_sparse_arrays_cast_elements_first():
    """As NumPy and, from 1.18 on, SciPy do."""
    dense = np.array([[1.6, -1.6, 0], [0.7, 0.6, 0], [0, 1, -1]])
    for kind in (sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.dia_array):
        for dtype in ("i4", "f4", bool):
            for axis in (None, 0, 1):
                found = kind(cp.asarray(dense)).sum(axis, dtype=dtype)
                expected = dense.astype(dtype).sum(axis).astype(dtype)
                np.testing.assert_allclose(cp.asnumpy(found), expected, rtol=1e-6)
                assert found.dtype == dtype
    twice = sparse.coo_array((cp.asarray([0.6, 0.6]), (cp.asarray([0, 0]), cp.asarray([1, 1]))), shape=(2, 2))
    assert twice.sum(dtype="i4").item() == 1 and twice.nnz == 2


@pytest.mark.parametrize(
    ("name", "shapes", "order", "expected"),
    [("levy_l", (), 2, np.inf), ("levy_l", (), 3, -np.inf), ("levy", (), 2, np.inf), ("lomax", (1.5,), 3, np.inf),
     ("invgamma", (1.5,), 4, np.inf), ("zipf", (2.5,), 3, np.inf), ("t", (1.5,), 4, np.inf), ("t", (1.5,), 3, np.nan)],
)  # fmt: skip
def test_moments_that_diverge_do_so_wherever_the_law_lies(name, shapes, order, expected):
    law = getattr(stats, name)
    for loc in (0, 1.5, -1.5, cp.asarray([1.5, -1.5])):
        np.testing.assert_array_equal(cp.asnumpy(law.moment(order, *shapes, loc=loc)), expected)
