"""Faults of statistics that the drawn calls of `tests/differential` have found, each as a call beside SciPy."""

import warnings

import cuproxide as cp
import numpy as np
import pytest
import scipy.stats

on_the_cpu = pytest.mark.skipif(cp.Device().backend != "cpu", reason="a GPU gives no warnings that depend on elements")
NUMBERS = np.random.default_rng(7).lognormal(size=(3, 12))
COMPLEX = NUMBERS[0] + 0.5j
# How SciPy refuses complex samples.
REFUSED = {
    "ansari": ([COMPLEX, NUMBERS[1]], TypeError),
    "fligner": ([NUMBERS[1], COMPLEX], TypeError),
    "kruskal": ([COMPLEX, NUMBERS[1]], TypeError),
    "friedmanchisquare": ([*NUMBERS[:2], COMPLEX], TypeError),
    # A ValueError in SciPy 1.18.
    "siegelslopes": ([COMPLEX, NUMBERS[1]], (TypeError, ValueError)),
    "ttest_1samp": ([COMPLEX, 0.0], TypeError),
    "ttest_rel": ([NUMBERS[1], COMPLEX], TypeError),
    "ttest_ind": ([COMPLEX, NUMBERS[1]], TypeError),
    "variation": ([COMPLEX], TypeError),
    "lmoment": ([COMPLEX], ValueError),
    "iqr": ([COMPLEX], ValueError),
    "epps_singleton_2samp": ([COMPLEX, NUMBERS[1]], ValueError),
    "ppcc_max": ([COMPLEX], ValueError),
    "yeojohnson": ([COMPLEX], ValueError),
    "yeojohnson_normplot": ([COMPLEX, -1, 2], ValueError),
}


def _on(module, arguments):
    given = [cp.asarray(v) if isinstance(v, np.ndarray) and module is cp.scipy.stats else v for v in arguments]
    return given


@pytest.mark.parametrize("name", REFUSED)
def test_complex_samples_are_refused(name):
    arguments, kind = REFUSED[name]
    for module in (scipy.stats, cp.scipy.stats):
        with pytest.raises(kind):
            getattr(module, name)(*_on(module, arguments))


@pytest.mark.parametrize("name", ["theilslopes", "yeojohnson_normmax", "cramervonmises"])
def test_complex_samples_lose_no_part(name):
    """SciPy returns some number, or fails on the way."""
    more = {"theilslopes": [NUMBERS[1]], "cramervonmises": ["norm"]}.get(name, [])
    with pytest.raises((TypeError, ValueError), match=r"real|complex"):
        getattr(cp.scipy.stats, name)(*_on(cp.scipy.stats, [COMPLEX, *more]))


EQUAL = np.full(9, 2.1)
NEAR = 1e8 + np.array([0.0, 1e-8, 1e-8])
DOUBTED = {
    "ttest_1samp": ([EQUAL, 1.0],),
    "ttest_rel": ([np.arange(4.0) + 1, np.arange(4.0)], [NEAR, np.zeros(3)]),
    "ttest_ind": ([EQUAL, NUMBERS[0]], [NUMBERS[0], NEAR]),
    "skew": ([EQUAL], [NEAR], [np.stack([EQUAL, np.arange(9.0)]), 1]),
    "kurtosis": ([EQUAL],),
    "moment": ([EQUAL, 2], [NEAR, 4], [NEAR, 3]),
    "describe": ([EQUAL],),
    "alexandergovern": ([EQUAL, NUMBERS[0]],),
    "zscore": ([EQUAL], [NEAR]),
    "zmap": ([NUMBERS[0], EQUAL],),
    "gstd": ([EQUAL], [np.array([1.0, 2.0, -3.0])], [np.array([1.0, 0.0])]),
}


@on_the_cpu
@pytest.mark.parametrize("name", DOUBTED)
def test_nearly_equal_elements_give_scipys_warning(name):
    for arguments in DOUBTED[name]:
        said = []
        for module in (scipy.stats, cp.scipy.stats):
            with pytest.warns(RuntimeWarning, match=r"Precision loss|geometric standard deviation") as caught:
                getattr(module, name)(*_on(module, arguments))
            said.append({str(w.message) for w in caught if "encountered" not in str(w.message)})
        assert said[0] == said[1]


@pytest.mark.parametrize("name", ["skew", "kurtosis", "moment", "describe", "zscore", "gstd", "ttest_1samp"])
def test_other_samples_give_none(name):
    arguments = {"moment": [NUMBERS[0], 3], "ttest_1samp": [NUMBERS[0], 0.0]}.get(name, [NUMBERS[0]])
    symmetric = [np.array([-1.0, 0.0, 1.0]) + 1, *arguments[1:]] if name == "moment" else arguments
    for given in (arguments, symmetric):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            getattr(cp.scipy.stats, name)(*_on(cp.scipy.stats, given))


def test_scores_beside_equal_elements_are_infinite():
    scores, compare = np.array([1.0, 2.0, 3.0]), np.array([2.0, 2.0, 2.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = scipy.stats.zmap(scores, compare)
        ours = cp.scipy.stats.zmap(cp.asarray(scores), cp.asarray(compare))
        np.testing.assert_array_equal(ours.get(), theirs)
        # A deviation of a rounding is none of the sample itself.
        assert np.isnan(cp.scipy.stats.zscore(cp.asarray([1.0, 1.0 + 2e-16, 1.0])).get()).all()


@pytest.mark.parametrize("name", ["gstd", "zscore", "gzscore"])
def test_scalars_have_no_axis(name):
    for module, value in ((scipy.stats, np.array(2.0)), (cp.scipy.stats, cp.asarray(2.0))):
        with pytest.raises(np.exceptions.AxisError, match="axis 0 is out of bounds for array of dimension 0"):
            getattr(module, name)(value)
    assert np.isnan(float(cp.scipy.stats.gstd(cp.asarray(2.0), axis=None)))


@pytest.mark.parametrize("narrow", [np.uint8, np.int16, np.bool_])
@pytest.mark.parametrize(
    "name", ["ttest_ind", "ttest_rel", "mannwhitneyu", "bartlett", "f_oneway", "pearsonr", "entropy", "zmap"]
)
def test_narrow_integers_take_the_width_of_floats_beside_them(name, narrow):
    x = np.array([1, 2, 0, 4, 7, 1, 0, 3, 1, 0]).astype(narrow)
    y = np.linspace(0.5, 3, 10, dtype=np.float32) ** 2
    theirs, ours = getattr(scipy.stats, name)(x, y), getattr(cp.scipy.stats, name)(cp.asarray(x), cp.asarray(y))
    theirs, ours = getattr(theirs, "statistic", theirs), getattr(ours, "statistic", ours)
    assert ours.dtype == theirs.dtype == np.float32
    np.testing.assert_allclose(ours.get(), theirs, rtol=2e-5)
    wide = getattr(cp.scipy.stats, name)(cp.asarray(x.astype(np.int64)), cp.asarray(y))
    assert getattr(wide, "statistic", wide).dtype == np.float64


@pytest.mark.parametrize("name", ["hmean", "pmean"])
@on_the_cpu
def test_means_of_negative_numbers_are_nan_with_a_warning(name):
    arguments = [cp.asarray([1.0, -2.0, 3.0]), *([2] if name == "pmean" else [])]
    with pytest.warns(RuntimeWarning, match="mean is only defined if all elements are non-negative"):
        assert np.isnan(float(getattr(cp.scipy.stats, name)(*arguments)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        getattr(cp.scipy.stats, name)(abs(arguments[0]), *arguments[1:])


@pytest.mark.parametrize("name", ["linregress", "expectile", "wasserstein_distance", "energy_distance"])
def test_imaginary_parts_are_not_dropped(name):
    arguments = [cp.asarray(COMPLEX), *([] if name == "expectile" else [cp.asarray(NUMBERS[1])])]
    with pytest.raises(TypeError, match="samples must be real"):
        getattr(cp.scipy.stats, name)(*arguments)


@pytest.mark.parametrize("statistic", ["mean", "sum", "count", "std", "min", "max", "median"])
def test_statistics_of_bins_keep_imaginary_parts(statistic):
    # Bins of several elements, whose deviations SciPy takes of absolute values.
    x, values = np.array([0.1, 0.2, 0.3, 0.8, 0.9]), np.array([1 + 2j, 3 - 1j, 0.5j, 4.0, 1 - 1j])
    theirs = scipy.stats.binned_statistic(x, values, statistic, bins=2).statistic
    ours = cp.scipy.stats.binned_statistic(cp.asarray(x), cp.asarray(values), statistic, bins=2).statistic
    np.testing.assert_allclose(ours.get(), theirs, rtol=1e-12)


@pytest.mark.parametrize("option", ["sorted", "standardize"])
@pytest.mark.parametrize("value", [1, 10000, "x"])
def test_options_of_lmoment_are_truth_values(option, value):
    for module, x in ((scipy.stats, NUMBERS[0]), (cp.scipy.stats, cp.asarray(NUMBERS[0]))):
        with pytest.raises(ValueError, match=f"`{option}` must be True or False"):
            module.lmoment(x, **{option: value})


def test_the_error_of_a_mean_of_rows_of_one():
    for shape, axis, expected in (((1, 1), 0, 0.0), ((3, 1), 1, 0.0), ((1,), 0, np.nan)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = scipy.stats.sem(np.ones(shape), axis=axis, ddof=0)
            ours = cp.scipy.stats.sem(cp.ones(shape), axis=axis, ddof=0)
        np.testing.assert_array_equal(ours.get(), theirs)
        np.testing.assert_array_equal(theirs, np.full(np.shape(theirs), expected))


def test_shapes_of_scores():
    a, b = NUMBERS[0, :6], NUMBERS[:2]
    theirs = scipy.stats.zmap(a, b, axis=None)
    ours = cp.scipy.stats.zmap(cp.asarray(a), cp.asarray(b), axis=None)
    assert ours.shape == theirs.shape == (1, 6)
    np.testing.assert_allclose(ours.get(), theirs, rtol=1e-12)
    empty = np.zeros((2, 0))
    assert np.isnan(scipy.stats.scoreatpercentile(empty, 50)) and np.isnan(
        float(cp.scipy.stats.scoreatpercentile(cp.asarray(empty), 50))
    )
    assert np.isnan(cp.scipy.stats.scoreatpercentile(cp.asarray(empty), [10, 90]).get()).all()


def test_quantiles_without_a_line_keep_the_data():
    data = np.arange(9)[::-1]
    theirs = scipy.stats.probplot(data, fit=False)[1]
    ours = cp.scipy.stats.probplot(cp.asarray(data), fit=False)[1]
    assert ours.dtype == theirs.dtype == data.dtype
    shapes, straight = cp.scipy.stats.ppcc_plot(cp.zeros(0), 0.1, 1, N=5)
    np.testing.assert_allclose(shapes.get(), scipy.stats.ppcc_plot(np.zeros(0), 0.1, 1, N=5)[0])
    assert not straight.any()


@pytest.mark.parametrize("repeated", [False, True])
@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "chebyshev"])
@pytest.mark.parametrize("method", ["mindist", "mst"])
def test_geometric_discrepancies_in_all_metrics(method, metric, repeated):
    x = np.random.default_rng(3).random((6, 2))
    x = np.concatenate([x, x[:1]]) if repeated else x
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = scipy.stats.qmc.geometric_discrepancy(x, method, metric)
        ours = cp.scipy.stats.qmc.geometric_discrepancy(cp.asarray(x), method, metric)
    np.testing.assert_allclose(float(ours), theirs, rtol=1e-12)
    if repeated:
        with pytest.warns(UserWarning, match="duplicate points"):
            cp.scipy.stats.qmc.geometric_discrepancy(cp.asarray(x), method, metric)
    with pytest.raises(TypeError):
        cp.scipy.stats.qmc.geometric_discrepancy(cp.asarray(x), method, None)


def test_probabilities_of_one_broadcast_parameter():
    ours = cp.scipy.stats.dirichlet_multinomial.logpmf(cp.asarray([2, 1, 5]), cp.asarray(1.25), 8)
    np.testing.assert_allclose(float(ours), scipy.stats.dirichlet_multinomial.logpmf([2, 1, 5], 1.25, 8), rtol=1e-12)
    # mpmath: n B(A, n) / prod(x B(x, a)).
    found = cp.scipy.stats.dirichlet_multinomial.logpmf(cp.asarray([2, 1, 3]), cp.asarray([0.25, 0.5, 1e200]), 6)
    np.testing.assert_allclose(float(found), -1379.31300922457094, rtol=1e-12)


@pytest.mark.parametrize("method", ["mean", "var", "cov"])
def test_moments_of_more_draws_than_there_are_do_not_exist(method):
    for n in (-1, 18):
        theirs = getattr(scipy.stats.multivariate_hypergeom, method)([5, 6, 6], n)
        ours = getattr(cp.scipy.stats.multivariate_hypergeom, method)(cp.asarray([5, 6, 6]), n)
        assert np.isnan(ours.get()).all() and np.isnan(theirs).all()


REFUSED_PARAMETERS = {
    "one eigenvalue": (lambda s: s.random_correlation([1.0])),
    "no eigenvalues": (lambda s: s.random_correlation([])),
    "the sum of eigenvalues": (lambda s: s.random_correlation([1.0, 2.0])),
    "an empty mean": (lambda s: s.matrix_normal(np.zeros((0, 2)), np.eye(3), np.eye(2))),
    "rows": (lambda s: s.matrix_normal(np.zeros((4, 2)), np.eye(3), np.eye(2))),
    "columns": (lambda s: s.matrix_normal(np.zeros((3, 3)), np.eye(3), np.eye(2))),
    "a covariance that is not square": (lambda s: s.matrix_normal(np.zeros((3, 2)), np.ones((3, 2)), np.eye(2))),
    "a mean of one axis": (lambda s: s.matrix_normal(np.zeros(3))),
    "broken counts": (lambda s: s.somersd(s.norm.rvs(size=(3, 3), random_state=1) ** 2 + 1j)),
}


@pytest.mark.parametrize("case", REFUSED_PARAMETERS)
def test_parameters_of_no_distribution_are_refused(case):
    for module in (scipy.stats, cp.scipy.stats):
        with pytest.raises(ValueError):
            REFUSED_PARAMETERS[case](module)


def test_a_parameter_of_nan_gives_nan():
    alpha = np.array([1.0, np.nan, 2.0])
    assert np.isnan(cp.scipy.stats.dirichlet.var(cp.asarray(alpha)).get()).all()
    assert np.isnan(scipy.stats.dirichlet.var(alpha)).all()


@pytest.mark.parametrize("name", ["kstat", "gmean", "moment"])
def test_narrow_complex_samples_have_narrow_results(name):
    x, more = COMPLEX.astype(np.complex64), [] if name == "gmean" else [2]
    theirs, ours = getattr(scipy.stats, name)(x, *more), getattr(cp.scipy.stats, name)(cp.asarray(x), *more)
    assert ours.dtype == np.asarray(theirs).dtype == np.complex64
    np.testing.assert_allclose(ours.get(), theirs, rtol=1e-4)


@pytest.mark.parametrize("m", [[3, 4, 5], [[3, 4, 5], [5, 6, 7]], [[0, 0, 9], [5, 0, 1]]])
@pytest.mark.parametrize("n", [4, [4, 6], [[4], [0], [6]]])
@pytest.mark.parametrize("size", [None, (5, 3, 2), 4])
def test_hypergeometric_draws_of_stacks(m, n, size):
    rvs = cp.scipy.stats.multivariate_hypergeom.rvs
    lead = np.broadcast_shapes(np.shape(m)[:-1], np.shape(n))
    shape = lead if size is None else size if isinstance(size, tuple) else (size,)
    try:
        fits = np.broadcast_shapes(lead, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        with pytest.raises(ValueError):
            rvs(m, n, size=size, random_state=1)
        return
    drawn = rvs(m, n, size=size, random_state=1).get()
    assert drawn.shape == (*shape, 3)
    assert drawn.dtype == np.int64 and (drawn >= 0).all() and (drawn <= np.asarray(m)).all()
    np.testing.assert_array_equal(drawn.sum(axis=-1), np.broadcast_to(n, shape))


def test_hypergeometric_draws_have_their_mean():
    m, n = np.array([[3, 4, 5], [50, 6, 7]]), np.array([4, 40])
    drawn = cp.scipy.stats.multivariate_hypergeom.rvs(m, n, size=(4000, 2), random_state=3).get()
    deviation = np.sqrt(scipy.stats.multivariate_hypergeom.var(m, n) / 4000)
    assert (abs(drawn.mean(axis=0) - scipy.stats.multivariate_hypergeom.mean(m, n)) < 6 * deviation).all()


@pytest.mark.parametrize("n", [4, [4, 5], [[4, 5], [1, 9], [0, 2]]])
@pytest.mark.parametrize("p", [[0.25, 0.75], [[0.25, 0.75], [0.5, 0.5]]])
def test_entropies_of_stacks_of_multinomials(n, p):
    ours = cp.scipy.stats.multinomial.entropy(cp.asarray(n), cp.asarray(p))
    theirs = scipy.stats.multinomial.entropy(n, p)
    assert ours.shape == np.shape(theirs)
    np.testing.assert_allclose(ours.get(), theirs, rtol=1e-10, atol=1e-14)


def test_narrow_complex_scores_stay_narrow_beside_integers():
    scores, compare = np.array([1 + 2j, -3j], np.complex64), np.array([5, 3, 6], np.uint8)
    ours = cp.scipy.stats.zmap(cp.asarray(scores), cp.asarray(compare))
    assert ours.dtype == np.complex64
    np.testing.assert_allclose(ours.get(), (scores - compare.mean()) / compare.std(), rtol=1e-6)
