"""Faults that one of thousands of draws of `tests/differential` found, each beside SciPy or the exact result."""

import math

import cuproxide as cp
import numpy as np
import pytest
import scipy.cluster.vq
import scipy.integrate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.spatial
import scipy.special


def pair_of_cubics(xp):
    return lambda x: xp.stack([x[0] + 0.5 * (x[0] - x[1]) ** 3 - 1, 0.5 * (x[1] - x[0]) ** 3 + x[1]])


@pytest.mark.parametrize("method", ["broyden1", "broyden2", "anderson", "diagbroyden"])
def test_iterations_whose_steps_are_lost_in_rounding_begin_again(method):
    # From here the first method steps to 9104, and from there back, for ever.
    start = cp.asarray([1.2556598590246657, -1.5688106344221557])
    found = getattr(cp.scipy.optimize, method)(pair_of_cubics(cp), start, f_tol=1e-8, maxiter=900)
    np.testing.assert_allclose(found.get(), [0.8411639, 0.1588361], atol=1e-6)


def test_low_rank_matrices_of_more_vectors_than_rows_are_matrices():
    from cuproxide.scipy.optimize._nonlin import _LowRank

    random = np.random.default_rng(3)
    found, expected = _LowRank(-0.5), -0.5 * np.eye(3, dtype=complex)
    v = random.normal(size=3) + 1j
    for _ in range(6):
        c, d = random.normal(size=(2, 3)) + 1j * random.normal(size=(2, 3))
        found.append(cp.asarray(c), cp.asarray(d))
        expected = expected + np.outer(c, d.conj())
        for adjoint, matrix in ((False, expected), (True, expected.conj().T)):
            np.testing.assert_allclose(found.product(cp.asarray(v), adjoint).get(), matrix @ v, rtol=1e-12)
            np.testing.assert_allclose(
                found.inverse(cp.asarray(v), adjoint).get(), np.linalg.solve(matrix, v), rtol=1e-9
            )
    assert len(found.c) == 4


def test_line_searches_of_nonlinear_equations_evaluate_where_scipy_does():
    seen = []

    def watched(xp):
        function = pair_of_cubics(xp)

        def call(x):
            seen[-1].append([float(each) for each in x])
            return function(x)

        return call

    start = np.array([-1.5, 2.25])
    for module, xp in ((scipy.optimize, np), (cp.scipy.optimize, cp)):
        seen.append([])
        module.broyden1(watched(xp), xp.asarray(start), f_tol=1e-8)
    theirs, ours = ([point for i, point in enumerate(points) if point not in points[:i]] for points in seen)
    np.testing.assert_allclose(ours[:12], theirs[:12], rtol=1e-9)


@pytest.mark.parametrize(
    "window, order, derivative", [(101, 10, 0), (10000, 4, 0), (10000, 4, 1), (51, 8, 2), (8, 3, 1)]
)
@pytest.mark.parametrize("use", ["conv", "dot"])
def test_taps_of_long_smoothing_windows_keep_their_digits(window, order, derivative, use):
    # Applied to powers, the taps give the derivative at the place.
    place = window // 3
    taps = cp.scipy.signal.savgol_coeffs(window, order, derivative, 0.5, place, use).get()
    taps = taps[::-1] if use == "conv" else taps
    x = (np.arange(window) - place) / window
    for power in range(order + 1):
        expected = math.factorial(derivative) * (2 / window) ** derivative if power == derivative else 0.0
        size = abs(taps * x**power).sum() + abs(expected)
        assert abs(np.sum(taps * x**power) - expected) <= 1e-12 * size


def test_samples_without_elements_are_convolved_directly():
    for module, xp in ((scipy.signal, np), (cp.scipy.signal, cp)):
        assert module.choose_conv_method(xp.zeros(0), xp.zeros(0), "same") == "direct"


def test_states_that_were_not_reached_are_nan():
    with pytest.warns(cp.scipy.integrate.ODEintWarning):
        found = cp.scipy.integrate.odeint(lambda y, t: y * y, cp.asarray([1.0]), cp.asarray([0.0, 0.5, 2.0, 3.0])).get()
    np.testing.assert_allclose(found[:2, 0], [1, 2], rtol=1e-6)
    assert np.isnan(found[2:]).all()


def test_bounds_that_are_nan_have_no_integral():
    for bounds in ((-math.inf, math.nan), (math.nan, math.inf), (0.0, math.nan)):
        assert math.isnan(cp.scipy.integrate.quad(lambda x: np.exp(-x * x), *bounds)[0])


def test_one_break_point_is_a_number():
    theirs, ours = (m.integrate.quad(abs, -1.0, 2.0, points=0)[0] for m in (scipy, cp.scipy))
    assert math.isclose(ours, theirs)


def test_solutions_that_are_rounding_are_refused():
    a = cp.asarray([[-11, -1], [-4, 11]])
    for solve in (
        lambda: cp.scipy.linalg.solve_lyapunov(a, cp.eye(2)),
        lambda: cp.scipy.linalg.solve_sylvester(a, a, a),
    ):
        with pytest.raises(np.linalg.LinAlgError, match="no unique solution"):
            solve()


def test_solutions_of_triangular_matrices_are_exact():
    a, b = np.diag([1 + 1e-15, 2.0]), np.diag([-1.0, -3.0])
    found = cp.scipy.linalg.solve_sylvester(cp.asarray(a), cp.asarray(b), cp.ones((2, 2))).get()
    np.testing.assert_allclose(found, 1 / np.add.outer(np.diag(a), np.diag(b)), rtol=1e-14)


def test_of_a_stack_the_solutions_that_are_rounding_are_lost():
    bad, good = np.array([[-11.0, -1.0], [-4.0, 11.0]]), np.array([[3.0, 1.0], [2.0, 5.0]])
    stack = cp.asarray(np.stack([good, bad, 1e-30 * good]))
    with pytest.raises(np.linalg.LinAlgError, match="no unique solution"):
        cp.scipy.linalg.solve_sylvester(stack, stack, cp.eye(2))
    with cp.errstate(linalg="ignore"):
        found = cp.scipy.linalg.solve_sylvester(stack, stack, cp.eye(2)).get()
    assert np.isnan(found[1]).all()
    for factor, x in ((1.0, found[0]), (1e-30, found[2])):
        np.testing.assert_allclose(x, scipy.linalg.solve_sylvester(factor * good, factor * good, np.eye(2)), rtol=1e-12)


def test_singular_matrices_have_no_unique_solution():
    a = cp.asarray(np.add.outer(np.arange(4.0), 3 * np.arange(4.0)))
    with pytest.raises(np.linalg.LinAlgError, match="no unique solution"):
        cp.scipy.linalg.solve_sylvester(a, a, cp.eye(4))


@pytest.mark.parametrize("count", [[1 + 0j], [None], np.array([3], np.uint64), np.array(3, np.uint64)], ids=repr)
@pytest.mark.parametrize("make", ["default_rng", "RandomState"])
def test_counts_are_integers_as_numpy_reads_them(make, count):
    for module in (np.random, cp.random):
        generator = getattr(module, make)(1)
        for draw, *rest in ((generator.binomial, 0.5), (generator.hypergeometric, 5, 2)):
            with pytest.raises(TypeError):
                draw(count, *rest)


def test_points_of_any_size_are_compared():
    points = np.random.default_rng(2).normal(size=(2, 6, 2))
    expected = scipy.spatial.procrustes(*points)
    for factors in ((1e200, 1.0), (1e-200, 1e200), (1e-300, 1e-300), (5e307, 1e307)):
        scaled = [cp.asarray(each * factor) for each, factor in zip(points, factors, strict=True)]
        for theirs, ours in zip(expected, cp.scipy.spatial.procrustes(*scaled), strict=True):
            np.testing.assert_allclose(ours.get(), theirs, rtol=1e-10, atol=1e-12)
    whole = np.array([[[0, 0], [3, 1], [5, 4], [1, 6]], [[0, 1], [4, 0], [7, 5], [0, 8]]], dtype=float)
    expected = scipy.spatial.procrustes(*whole)[2]
    for factor in (5e-324, 2e307):
        found = cp.scipy.spatial.procrustes(*(cp.asarray(each * factor) for each in whole))[2]
        np.testing.assert_allclose(found.get(), expected, rtol=1e-10)


def test_a_tree_without_points_has_no_extent():
    for module, xp in ((scipy.spatial, np), (cp.scipy.spatial, cp)):
        tree = module.cKDTree(xp.zeros((0, 2)))
        assert tree.maxes.tolist() == tree.mins.tolist() == [0, 0]


def test_the_monic_gegenbauer_polynomial_of_parameter_0_is_a_chebyshev_polynomial():
    theirs, ours = (
        np.asarray(s.gegenbauer(5, 0, monic=True).coeffs.tolist()) for s in (scipy.special, cp.scipy.special)
    )
    np.testing.assert_allclose(ours, theirs, atol=1e-14)


@pytest.mark.parametrize("x", [math.inf, 1e200, -3.0])
def test_orders_beyond_all_numbers_have_no_value(x):
    special = cp.scipy.special
    for n, p, q in (
        (math.inf, 0.59, -math.inf),
        (1e200, -1e200, 0.59),
        (math.inf, 2.0, math.inf),
        (math.inf, 0.5, 0.5),
    ):
        assert math.isnan(special.eval_sh_jacobi(n, p, q, x))
        assert math.isnan(special.eval_jacobi(n, p, q, x))


def test_bins_of_labels_may_be_none():
    image, labels = np.ones((3, 3)), np.array([[1, 1, 2], [0, 2, 2], [1, 0, 0]])
    theirs, ours = (
        m.histogram(xp.asarray(image), -2, 2, 0, xp.asarray(labels), xp.asarray([1, 2, 7]))
        for m, xp in ((scipy.ndimage, np), (cp.scipy.ndimage, cp))
    )
    assert [None if each is None else each.shape for each in ours] == [None if e is None else e.shape for e in theirs]
    with pytest.raises(TypeError, match="complex numbers"):
        cp.scipy.ndimage.histogram(cp.asarray(image + 1j), -2, 2, 3, cp.asarray(labels), cp.asarray([1, 2]))


def test_functions_of_no_variables_have_no_slopes():
    assert cp.scipy.optimize.approx_fprime(cp.zeros(0), lambda x: cp.sum(x)).shape == (0,)
    assert cp.scipy.optimize.check_grad(lambda x: cp.sum(x), lambda x: x, cp.zeros(0)) == 0


def test_refusals_of_places_filters_options_and_matrices():
    with pytest.raises(ValueError, match="one for each axis"):
        cp.scipy.signal.unit_impulse((3, 4), [])
    with pytest.raises(ValueError, match="frequency must be between"):
        cp.scipy.signal.gammatone(math.nan, "fir", fs=8000.0)
    with pytest.raises(TypeError, match="must be a mapping"):
        cp.scipy.optimize.quadratic_assignment(cp.eye(3), cp.eye(3), options="no such")
    with pytest.raises(ValueError, match="square matrix"):
        cp.scipy.sparse.linalg.spsolve_triangular(cp.zeros(0), cp.ones(6))
    with pytest.raises(ValueError, match="one axis"):
        cp.scipy.interpolate.InterpolatedUnivariateSpline(cp.arange(8.0).reshape(1, 8), cp.ones(8))


def test_sweeps_of_complex_polynomials_are_complex():
    t, polynomial = np.array([0.25, 0.5]), np.array([0.5 + 0.5j, 1.0])
    theirs, ours = scipy.signal.sweep_poly(t, polynomial), cp.scipy.signal.sweep_poly(cp.asarray(t), polynomial)
    np.testing.assert_allclose(ours.get(), theirs, rtol=1e-12)


def test_means_of_no_observations():
    theirs, ours = (m.cluster.vq.kmeans(xp.zeros((0, 2)), xp.ones((2, 2))) for m, xp in ((scipy, np), (cp.scipy, cp)))
    assert ours[0].shape == theirs[0].shape and math.isnan(ours[1])


def test_flags_of_triangular_factors_are_truth_values():
    a = np.array([[2.0, 1.0], [1.0, 3.0]])
    for left, right in zip(
        scipy.linalg.ldl(a, hermitian=0), cp.scipy.linalg.ldl(cp.asarray(a), hermitian=[]), strict=True
    ):
        np.testing.assert_allclose(right.get(), left, rtol=1e-14)


def test_ratios_of_one_window_have_no_axis():
    for length in (1, 8):
        assert cp.scipy.signal.windows.dpss(length, 0.4, return_ratios=True)[1].shape == ()
        assert cp.scipy.signal.windows.dpss(length, 0.4, 1, return_ratios=True)[1].shape == (1,)


def test_values_that_have_converged_are_in_the_units_of_the_matrix():
    a = np.random.default_rng(1).normal(size=(60, 50))
    a[:, 0] *= 100
    found = []
    for factor in (1.0, 2.0**200, 2.0**-200):
        with pytest.raises(cp.scipy.sparse.linalg.ArpackNoConvergence) as caught:
            cp.scipy.sparse.linalg.svds(cp.asarray(a * factor), k=6, maxiter=2, ncv=8, v0=cp.ones(50))
        found.append(np.asarray(caught.value.eigenvalues) / factor / factor)
    assert len(found[0]) >= 1 and abs(found[0].max() - np.linalg.norm(a, 2) ** 2) < 1e-6 * found[0].max()
    for each in found[1:]:
        np.testing.assert_allclose(each, found[0], rtol=1e-10)
