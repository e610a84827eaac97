"""Results that no number defines (no law, no elements, no range), and shapes and scales at the edges, beside SciPy."""

import warnings

import cuproxide as cp
import mpmath
import numpy as np
import pytest
import scipy.linalg
import scipy.linalg.interpolative
import scipy.optimize
import scipy.signal
import scipy.spatial
import scipy.stats
from versions import SCIPY_1_15

newer = pytest.mark.skipif(not SCIPY_1_15, reason="SciPy has it from 1.15 on")


def test_a_peak_of_infinite_height_has_a_width_of_zero_with_a_warning():
    x = np.array([0, 1, np.inf, 0, 2, 1.0])
    for module, y in ((scipy.signal, x), (cp.scipy.signal, cp.asarray(x))):
        with pytest.warns(module.PeakPropertyWarning if hasattr(module, "PeakPropertyWarning") else RuntimeWarning):
            peaks, _ = module.find_peaks(y, width=(0.5, 3))
        assert peaks.tolist() == [4]


@pytest.mark.parametrize("order", [-1, -2, [-1, 2]])
def test_moments_of_negative_order_are_means_of_reciprocals(order):
    x = np.array([[3.0, 1.0, 4.0], [2.0, 2.5, 7.0]])
    found = cp.scipy.stats.moment(cp.asarray(x), order, axis=1, center=0.5)
    expected = [np.mean((x - 0.5) ** power, axis=1) for power in np.atleast_1d(order).astype(float)]
    np.testing.assert_allclose(found.get(), np.squeeze(expected), rtol=1e-14)


def test_an_empty_list_of_categories_is_one_of_integers():
    for module in (scipy.stats, cp.scipy.stats):
        with pytest.raises(ValueError):
            module.multivariate_hypergeom([], 7).pmf([2, 1, 4])


@pytest.mark.parametrize("name", ["x", "y", "z"])
def test_scattered_samples_have_one_axis(name):
    """As in SciPy from 1.18 on."""
    x, y = cp.meshgrid(cp.arange(5.0), cp.arange(5.0))
    given = {"x": x.ravel(), "y": y.ravel(), "z": (x * y).ravel()}
    given[name] = given[name][None]
    with pytest.raises(ValueError, match=f"{name} should have one axis"):
        cp.scipy.interpolate.SmoothBivariateSpline(**given)


@newer
def test_a_rank_is_estimated_with_a_seed_that_is_one():
    for module, convert in ((scipy.linalg.interpolative, np.asarray), (cp.scipy.linalg.interpolative, cp.asarray)):
        with pytest.raises(ValueError):
            module.estimate_rank(convert(np.eye(3)), 1e-6, rng=-1)


@newer
@pytest.mark.parametrize("name", ["mu", "lmbda", "a", "b"])
@pytest.mark.parametrize("value", [[], [4.0, 5.0], np.full((2, 3), 4.0)])
def test_moments_of_a_normal_inverse_gamma_have_one_shape(name, value):
    given = {"mu": 1, "lmbda": 2, "a": 3, "b": 4} | {name: value}
    for method in ("mean", "var"):
        theirs, ours = (getattr(s.normal_inverse_gamma(**given), method)() for s in (scipy.stats, cp.scipy.stats))
        for expected, found in zip(theirs, ours, strict=True):
            assert found.shape == np.shape(expected)
            np.testing.assert_allclose(found.get(), expected, rtol=1e-14)


def test_no_elements_have_no_quantile():
    found = cp.scipy.stats.quantile_test(cp.zeros(0))
    assert all(np.isnan(float(value)) for value in (found.statistic, found.statistic_type, found.pvalue))


@pytest.mark.parametrize("scale", [1e200, 1e-200])
def test_the_residual_of_nonnegative_least_squares_of_any_scale(scale):
    a, b = np.array([[1.0, 0], [0, 1], [1, 1]]), np.array([3.0, -4, 0])
    x, rest = cp.scipy.optimize.nnls(cp.asarray(a), cp.asarray(b * scale))
    np.testing.assert_allclose(x.get() / scale, [1.5, 0], rtol=1e-13)
    np.testing.assert_allclose(rest / scale, np.hypot(4, np.hypot(1.5, 1.5)), rtol=1e-13)


@pytest.mark.parametrize("a", [2.5, np.nan, [2.5, 3.0], [np.nan, 2.0]])
def test_a_shape_of_erlang_s_law_that_is_no_whole_number_warns(a):
    for module, convert in ((scipy.stats, np.asarray), (cp.scipy.stats, cp.asarray)):
        with pytest.warns(RuntimeWarning, match="non-integer value"):
            module.erlang.mean(a if np.isscalar(a) else convert(np.array(a)))


@pytest.mark.parametrize("method", ["entropy", "std", "stats", "moment"])
@pytest.mark.parametrize("name", ["kappa3", "recipinvgauss", "dpareto_lognorm", "ksone"])
def test_the_moments_of_no_law_are_nan_without_an_integral(name, method):
    law = getattr(cp.scipy.stats, name)
    arguments = [2] * (method == "moment") + [-1.0] * law.numargs
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = getattr(law, method)(*arguments)
        assert all(np.isnan(float(value)) for value in (found if isinstance(found, tuple) else (found,)))


def test_steps_and_generations_may_be_none():
    x = np.array([3.0, -4.0])
    theirs = scipy.optimize.approx_fprime(x, lambda x: (x**2).sum(), None)
    ours = cp.scipy.optimize.approx_fprime(cp.asarray(x), lambda x: (x**2).sum(), None)
    np.testing.assert_allclose(ours.get(), theirs, rtol=1e-6)
    found = cp.scipy.optimize.differential_evolution(lambda x: (x**2).sum(), [(-2, 2)], maxiter=None, rng=1)
    assert found.success


@pytest.mark.parametrize("where", [(0, 0), (1, 0)])
def test_shapes_that_are_not_finite_are_refused(where):
    """A comparison with NaN is false, which must not let it pass."""
    points = np.arange(6.0).reshape(3, 2) ** 2
    spoiled = points.copy()
    spoiled[where] = np.nan
    ends = np.array([[1.0, 0], [0, 1]])
    ends[where] = np.nan
    for module, convert in ((scipy.spatial, np.asarray), (cp.scipy.spatial, cp.asarray)):
        with pytest.raises(ValueError):
            module.procrustes(convert(points), convert(spoiled))
        with pytest.raises(ValueError):
            module.geometric_slerp(convert(ends[0]), convert(ends[1]), 0.5)


def test_a_line_through_equal_points_is_nan_with_a_warning():
    """As in SciPy from 1.18 on; the other rows keep their lines."""
    x, y = np.array([[1.0, 1, 1], [0, 1, 2]]), np.array([[1.0, 2, 3], [1, 3, 5]])
    with pytest.warns(RuntimeWarning, match="identical"):
        found = cp.scipy.stats.linregress(cp.asarray(x), cp.asarray(y), axis=1)
    assert all(np.isnan(float(part[0])) for part in found)
    np.testing.assert_allclose([float(found.slope[1]), float(found.intercept[1])], [2, 1], rtol=1e-14)


def test_two_points_leave_nothing_to_estimate_an_error_from():
    found = cp.scipy.stats.linregress(cp.array([0.0, 1]), cp.array([1.0, 3]))
    assert [float(part) for part in found[:3]] == [2, 1, 1]
    assert np.isnan([float(found.pvalue), float(found.stderr), float(found.intercept_stderr)]).all()


def test_a_sample_without_a_range_has_no_statistic():
    with pytest.warns(UserWarning, match="range zero"):
        found = cp.scipy.stats.shapiro(cp.array([[1.0, 1, 1], [1, 2, 4]]), axis=1)
    assert np.isnan(float(found.statistic[0])) and np.isnan(float(found.pvalue[0]))
    expected = scipy.stats.shapiro([1.0, 2, 4])
    np.testing.assert_allclose([float(part[1]) for part in found], expected, rtol=1e-12)


@pytest.mark.parametrize("given", [{"loc": np.nan}, {"scale": -1.0}])
@pytest.mark.parametrize("method", ["pdf", "logpdf", "cdf", "logsf", "ppf", "isf", "median", "interval"])
def test_no_law_has_results_of_the_shape_of_its_parameters(method, given):
    c = np.full(4, 1.3)
    arguments = () if method == "median" else (0.3,)
    theirs = getattr(scipy.stats.bradford, method)(*arguments, c, **given)
    ours = getattr(cp.scipy.stats.bradford, method)(*arguments, cp.asarray(c), **given)
    parts = zip(ours, theirs, strict=True) if isinstance(ours, tuple) else [(ours, theirs)]
    for found, expected in parts:
        assert found.shape == np.shape(expected) and np.isnan(found.get()).all()


@pytest.mark.parametrize("method", ["pmf", "logcdf", "ppf"])
def test_no_discrete_law_has_results_of_the_shape_of_its_parameters(method):
    theirs = getattr(scipy.stats.binom, method)(0.5, np.array([3, 4]), 0.5, loc=np.nan)
    ours = getattr(cp.scipy.stats.binom, method)(0.5, cp.array([3, 4]), 0.5, loc=np.nan)
    assert ours.shape == theirs.shape and np.isnan(ours.get()).all()


@pytest.mark.parametrize("b", [[1.0, 2, 0], [1.0, 0, 0], [0.0, 0, 0], [1.0, 2]])
@pytest.mark.parametrize("a", [[1.0, 0.5], [2.0, 0.5, 0], [1.0]])
def test_initial_states_fit_the_filter_also_where_it_ends_in_zeros(b, a):
    """As in SciPy from 1.18 on: the state continues a filtered signal."""
    signal = np.array([1.0, -2, 3, 5, 4, -1])
    whole = scipy.signal.lfilter(b, a, signal)
    given = cp.asarray(b), cp.asarray(a)
    state = cp.scipy.signal.lfiltic(*given, cp.asarray(whole[2::-1]), cp.asarray(signal[2::-1]))
    assert state.size == max(len(a), len(b)) - 1
    rest, _ = cp.scipy.signal.lfilter(*given, cp.asarray(signal[3:]), zi=state)
    np.testing.assert_allclose(rest.get(), whole[3:], rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("c", [1e-3, 0.1, 0.845, 1.0, 1.6, 7.0, 300.0])
def test_the_entropy_of_rdist_also_where_its_density_has_poles(c):
    with mpmath.workdps(30):
        a = mpmath.mpf(c) / 2
        logarithm = mpmath.log(mpmath.beta(a, a))
        expected = logarithm - 2 * (a - 1) * (mpmath.digamma(a) - mpmath.digamma(2 * a)) + mpmath.log(2)
    np.testing.assert_allclose(float(cp.scipy.stats.rdist(c).entropy()), float(expected), rtol=1e-12)


@pytest.mark.parametrize(("shape", "axis"), [((4, 0), 0), ((4, 0), 1), ((0,), 0), ((2, 0, 3), 1)])
def test_the_mode_of_nothing_is_counted_in_integers(shape, axis):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = cp.scipy.stats.mode(cp.zeros(shape), axis=axis)
    assert found.count.dtype == np.int64 and not found.count.any()
    assert np.isnan(found.mode.get()).all()
