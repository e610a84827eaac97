"""What a campaign of drawn calls found in statistics and distributions; numbers by mpmath with 30 digits."""

import warnings

import cuproxide as cp
import numpy as np
import pytest

stats = cp.scipy.stats
INF = np.inf


def _near(found, expected, bound=1e-12):
    np.testing.assert_allclose(cp.asnumpy(found), cp.asnumpy(expected), rtol=bound, atol=0)


# Distributions -----------------------------------------------------------------------------------------------


def test_a_truncated_law_of_a_high_shape_keeps_its_tails():
    law = stats.truncweibull_min(10000, 0.3079161424214062, 1.4027088477489666)
    _near(law.sf([0.5, 0.9, 0.99, 1.0]), [1.0, 1.0, 1.0, np.exp(-1.0)])
    _near(law.var() * 2.5**2, 1.027814922676398525e-7, 1e-9)
    # Near ends, whose powers cancel.
    _near(stats.truncweibull_min(2.0, 1.0, 1.0 + 1e-9).cdf(1.0 + 5e-10), 0.5, 1e-6)


def test_the_entropy_of_pearson3_is_closed():
    found = stats.pearson3.entropy([2.99151447, -2.99151447, 2.97977099, 1.0, 0.0])
    normal = 0.5 * np.log(2 * np.pi * np.e)
    _near(found, [0.2882957378246861, 0.2882957378246861, 0.29946225611207435, 1.3302592833727083, normal], 1e-11)


def test_noncentral_densities_at_zero_are_their_limits():
    _near(stats.ncx2.pdf(0.0, cp.asarray([1.44, 2.0, 3.0]), 0.19), [INF, 0.5 * np.exp(-0.095), 0.0])
    _near(stats.ncx2.logpdf(0.0, cp.asarray([1.44, 2.0, 3.0]), 0.19), [INF, np.log(0.5) - 0.095, -INF])


def test_no_successes_have_no_failures():
    _near(stats.betanbinom.pmf([0, 1, 5], 0, 5.0, 2.0), [1.0, 0.0, 0.0])
    _near(stats.betanbinom.ppf([0.2, 0.9], 0, 5.0, 2.0), [0.0, 0.0])
    _near(stats.betanbinom.pmf(cp.asarray([0, 1]), cp.asarray([0, 3]), 5.0, 2.0), [1.0, 0.25])


def test_a_search_does_not_end_where_the_tail_is_unknown():
    shapes = 9.594501614952, 10000.0
    points = stats.nct.ppf(cp.asarray([0.2, 0.619, 0.9]), *shapes)
    known = ~cp.isnan(points)
    _near(stats.nct.cdf(points, *shapes)[known], np.array([0.2, 0.619, 0.9])[cp.asnumpy(known)], 1e-6)
    # Nothing of this law is known: its Bessel functions overflow.
    law = stats.genhyperbolic(10000, 2.3903844486463344, 0.8739346676772844)
    assert np.isnan(cp.asnumpy(law.cdf([-100.0, 0.0, 1e5]))).all()
    assert np.isnan(cp.asnumpy(law.ppf([0.1, 0.5]))).all()
    _near(stats.genhyperbolic(1, 2.39, 0.874).sf(1e200), 0.0)


def test_a_single_uniform_number_has_its_density_at_the_ends():
    _near(stats.irwinhall.pdf([-0.1, 0.0, 0.5, 1.0, 1.1], 1), [0.0, 1.0, 1.0, 1.0, 0.0])
    _near(stats.irwinhall.logpdf([0.0, 1.0, 2.0], 1), [0.0, 0.0, -INF])
    _near(stats.irwinhall.pdf([0.0, 2.0], 2), [0.0, 0.0])


def test_the_entropy_of_exponpow_is_closed():
    found = stats.exponpow.entropy([1.0, 0.01, 2.7], scale=1.0)
    _near(found, [0.403652637676805926, -83.8248665821527633, -0.0246261761494519389], 1e-13)


def test_a_moment_with_a_location_is_infinite_where_its_last_term_is():
    for law, order, expected in (
        (stats.invweibull(0.59, loc=-2), 2, INF),
        (stats.pareto(1.5, loc=-2), 3, INF),
        (stats.levy(loc=-1.5), 2, INF),
        (stats.levy_l(loc=1.5), 2, INF),
        (stats.levy_l(loc=1.5), 3, -INF),
        (stats.pareto(3.5, loc=-2), 2, 3.5 / 1.5 - 4 * 3.5 / 2.5 + 4),
    ):
        assert float(law.moment(order)) == pytest.approx(expected, rel=1e-14)


def test_moments_of_matrices_of_one_row_are_numbers():
    for scale in (2.5, [[2.5]]):
        law = stats.invwishart(7, scale)
        assert [v.shape for v in (law.mean(), law.mode(), law.var(), stats.wishart(7, scale).mode())] == [()] * 4
        _near([float(law.mean()), float(law.mode()), float(law.var())], [0.5, 2.5 / 9, 1 / 6], 1e-14)


ENDS = [
    ("genhalflogistic", 2.0, INF),
    ("genhalflogistic", 0.274, -INF),
    ("genhalflogistic", 1.0, np.log(2)),
]
ENDS += [("genpareto", -2.297, INF), ("genpareto", -0.1, -INF), ("genpareto", -1.0, 0.0)]
ENDS += [("genextreme", 2.0, INF), ("genextreme", 1.0, 0.0), ("genextreme", 0.1, -INF), ("genextreme", -0.1, -INF)]


@pytest.mark.parametrize("name, c, expected", ENDS)
def test_densities_at_a_rounded_end_are_their_limits(name, c, expected):
    law = getattr(stats, name)(c)
    end = float(law.support()[0 if c < 0 and name == "genextreme" else 1])
    _near(law.logpdf(end), expected)
    _near(law.pdf(end), np.exp(expected))


def test_the_density_of_kappa4_at_its_end_is_its_limit():
    for k, expected in ((0.1, -INF), (1.73, INF), (1.348, INF)):
        _near(stats.kappa4.logpdf(float(stats.kappa4.support(0.1, k)[1]), 0.1, k), expected)


@pytest.mark.parametrize("name, shapes", [("maxwell", ()), ("exponpow", (2.7,))])
def test_densities_far_away_are_zero(name, shapes):
    law = getattr(stats, name)(*shapes)
    _near(law.pdf([1e160, 1e200, 1e308]), [0.0, 0.0, 0.0])
    assert not np.isnan(cp.asnumpy(law.logpdf([1e160, 1e200, 1e308]))).any()


def test_complex_parameters_are_refused():
    shape = cp.asarray([8 + 0.5j, 8 + 0.5j])
    for name, shapes in (("irwinhall", (shape,)), ("gamma", (shape,)), ("beta", (2.0, shape)), ("poisson", (shape,))):
        with pytest.raises(TypeError, match="must be real"):
            getattr(stats, name).mean(*shapes)
    with pytest.raises(TypeError, match="must be real"):
        stats.norm.pdf(0.5, loc=shape)


def test_parameters_out_of_the_domain_are_not_warned_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(float(stats.mielke.entropy(cp.asarray([-1.0]), 3.6)[0]))
        found = cp.asnumpy(stats.exponnorm.entropy(cp.asarray([0.0, 1.0])))
    assert np.isnan(found[0])
    assert np.isfinite(found[1])


def test_a_multinomial_law_needs_an_array_of_probabilities():
    for method in ("cov", "entropy", "mean"):
        with pytest.raises(ValueError, match="array"):
            getattr(stats.multinomial, method)(5, 0)


def test_an_estimate_far_from_all_points_is_zero():
    estimate = stats.gaussian_kde(cp.asarray([-1.0, 0.0, 2.0]))
    _near(estimate(cp.asarray([1e150, 1e200, -1e300])), [0.0, 0.0, 0.0])
    _near(estimate.logpdf(cp.asarray([1e200])), [-INF])


# Samples -----------------------------------------------------------------------------------------------------


def test_samples_flattened_by_axis_none_do_not_broadcast():
    generator = np.random.default_rng(3)
    x, y = (generator.random(shape) + 1 for shape in ((3, 1), (1, 3)))
    a, b = cp.asarray(x), cp.asarray(y)
    _near(stats.ttest_rel(a, b, axis=None).statistic, stats.ttest_rel(a.ravel(), b.ravel()).statistic)
    _near(stats.pearsonr(a, b, axis=None).statistic, np.corrcoef(x.ravel(), y.ravel())[0, 1])
    _near(stats.gmean(a, weights=b, axis=None), np.exp(np.average(np.log(x.ravel()), weights=y.ravel())))
    _near(stats.entropy(a, b, axis=None), stats.entropy(a.ravel(), b.ravel()))
    _near(stats.wilcoxon(a, b, axis=None).pvalue, stats.wilcoxon(a.ravel(), b.ravel()).pvalue)
    # Six numbers beside four times six.
    wide = cp.ones((4, 6)) + cp.arange(6.0)
    for name in ("entropy", "ttest_rel", "pearsonr", "spearmanrho"):
        with pytest.raises(ValueError, match=r"broadcast|shape"):
            getattr(stats, name)(wide, wide[0], axis=None)
    _near(stats.entropy(wide, 2.0, axis=None), stats.entropy(wide.ravel(), cp.full(24, 2.0)))


def test_a_quantile_of_a_sample_with_nan_is_not_tested():
    r = stats.quantile_test(cp.asarray([0.96, 0.74, -1.82, np.nan]))
    assert np.isnan([float(r.statistic), float(r.statistic_type), float(r.pvalue)]).all()
    rows = cp.asarray([[1.0, 2.0, 3.0], [1.0, np.nan, 3.0]])
    found = cp.asnumpy(stats.quantile_test(rows, q=1.5, axis=1).pvalue)
    _near(found[0], 1.0)
    assert np.isnan(found[1])
    assert np.isnan(float(stats.quantile_test(cp.asarray([1.0, 2.0]), q=np.nan).pvalue))
    with pytest.raises(TypeError, match="real"):
        stats.quantile_test(cp.asarray([1.0, 2.0 + 1j]))


@pytest.mark.parametrize("name", ["cumfreq", "relfreq"])
def test_frequencies_check_their_limits_and_have_the_common_type(name):
    x, w = cp.asarray([0.5, 1.5, 2.5], np.float32), cp.asarray([1.0, 2.0, 4.0])
    for limits in (-1, np.nan, (1, 2, 3), (2, 1), (1, 1)):
        with pytest.raises(ValueError, match="in the order"):
            getattr(stats, name)(x, 3, limits)
    r = getattr(stats, name)(x, 3, (0, 3), weights=w)
    assert all(np.dtype(v.dtype) == np.float64 for v in r[:3])
    _near(r[0], np.cumsum([1.0, 2, 4]) if name == "cumfreq" else np.array([1, 2, 4]) / 7)
    assert getattr(stats, name)(x, 3, weights=w.astype(np.float32))[0].dtype == np.float32


def test_points_infinitely_far_away_lie_in_no_bin():
    x = cp.asarray([0.5, INF, 1.5, 2.5, -INF])
    r = stats.binned_statistic(x, cp.arange(5.0), "sum", bins=2)
    _near(r.bin_edges, [0.5, 1.5, 2.5])
    _near(r.statistic, [0.0, 5.0])
    assert cp.asnumpy(r.binnumber).tolist() == [1, 3, 2, 2, 0]
    r = stats.binned_statistic_2d(x, cp.arange(5.0), cp.ones(5), "count", bins=1)
    _near(r.statistic, [[3.0]])
    with pytest.raises(ValueError, match="NaN"):
        stats.binned_statistic(cp.asarray([0.5, np.nan]), cp.arange(2.0), bins=[0.0, 1.0])


def test_distances_from_an_infinite_middle_have_no_ranks():
    samples = cp.asarray([3.0, 3.0, 2.0]), cp.asarray([2.0, 0.0, INF])
    for center, known in (("median", True), ("mean", False), ("trimmed", False)):
        assert np.isfinite(float(stats.fligner(*samples, center=center, proportiontocut=0.08).pvalue)) == known


def test_flags_and_limits_are_checked():
    x, y = cp.arange(5.0), cp.arange(5.0) ** 2
    with pytest.raises(TypeError, match="boolean"):
        stats.f_oneway(x, y, equal_var=0)
    for name in ("tmean", "tvar", "tstd", "tsem"):
        with pytest.raises(ValueError, match="unpack"):
            getattr(stats, name)(x, limits=(1, 3), inclusive="no such")


def test_one_element_beside_nan_is_no_loss_of_precision():
    x = cp.asarray([np.nan, 0.46])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(float(stats.gstd(x, nan_policy="omit")))
        assert float(stats.gstd(x, nan_policy="omit", ddof=0)) == 1.0


def test_ranks_of_nan_are_not_warned_of():
    x, y = cp.full((10, 4), np.nan), cp.asarray(np.random.default_rng(0).random((7, 4)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(cp.asnumpy(stats.brunnermunzel(x, y).pvalue)).all()


def test_points_of_ten_thousand_dimensions_are_drawn():
    points = stats.qmc.PoissonDisk(10_000, radius=0.3, rng=1).random(3)
    assert points.shape[1] == 10_000
    assert 1 <= len(points) <= 3
    assert bool(((points >= 0) & (points <= 1)).all())


def test_rows_within_limits_warn_of_lost_precision():
    """On a GPU there is no warning, for which the caller would wait."""
    for name in ("tvar", "tstd", "tsem"):
        for x, limits, warned in (
            ([1.0, 1.0, 1.0], (-2, 2), True),
            ([1.0, 1.0, 1.0], (0, None), True),
            ([1.0, 1.0, 5.0], (-2, 2), False),
            ([[1.0, 1.0], [1.0, 5.0], [3.0, 4.0]], (0, 4.5), True),
        ):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                getattr(stats, name)(cp.asarray(x), limits=limits, axis=-1)
            at_once = not cp.Device().asynchronous
            assert [w.category for w in caught] == [RuntimeWarning] * (warned and at_once), (name, x)


def test_scores_of_a_sample_that_is_all_nan_are_not_warned_of():
    x = cp.asarray([[1.0, 2.0], [np.nan, np.nan]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for score in (stats.zscore, stats.gzscore):
            assert cp.isnan(score(x, axis=1, nan_policy="omit")).tolist() == [[False, False], [True, True]]
    with pytest.warns(RuntimeWarning, match="After omitting NaNs"):
        stats.zmap(x, x + 0, axis=1, nan_policy="omit")


def test_a_small_sample_with_nan_is_not_warned_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in ("sem", "shapiro", "normaltest", "skewtest", "kurtosistest"):
            result = getattr(stats, name)(cp.asarray([np.nan]))
            assert np.isnan(float(getattr(result, "pvalue", result))), name
        assert np.isnan(float(stats.cramervonmises_2samp(cp.arange(8.0), np.nan).pvalue))
    with pytest.warns(RuntimeWarning, match="too small"):
        stats.sem(cp.asarray([1.0]))
    with pytest.warns(RuntimeWarning, match="After omitting"):
        stats.sem(cp.asarray([np.nan]), nan_policy="omit")


def test_an_omitted_sample_is_not_warned_of_twice():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        stats.brunnermunzel(cp.full((4, 4), np.nan), cp.arange(16.0), axis=None, nan_policy="omit")
    assert [w.category.__name__ for w in caught] == ["SmallSampleWarning"]


def test_numbers_and_rows_are_refused_as_samples():
    x = cp.arange(6.0)
    with pytest.raises(ValueError, match="same length"):
        stats.wilcoxon(x, -0.85, axis=None)
    assert float(stats.wilcoxon(x, cp.asarray([-0.85])).statistic) == 0.0
    for proportion in (-1, -0.2):
        with pytest.raises(ValueError, match="must not be negative"):
            stats.trimboth(x, proportion)
    for axis in (np.nan, 1.0):
        with pytest.raises(TypeError):
            stats.spearmanr(x.reshape(3, 2), axis=axis)
    with pytest.raises(ValueError, match="not a number"):
        stats.chi2_contingency(2.5)
    for alternative in ("TWO-SIDED", "Less", None):
        with pytest.raises(ValueError, match="alternative"):
            stats.logrank(x, x + 1, alternative)


def test_a_bandwidth_of_zero_is_singular():
    kernels = stats.gaussian_kde(cp.arange(6.0), bw_method=0)
    for method in ("evaluate", "logpdf"):
        with pytest.raises(np.linalg.LinAlgError):
            getattr(kernels, method)(1.0)


def test_bins_that_have_no_width_are_refused():
    for statistic in ("mean", "median", "count"):
        with pytest.raises(ValueError, match="numerically 0"):
            stats.binned_statistic_dd(cp.asarray([[1e200, 1.3]]), cp.asarray([1.0]), statistic)
    assert stats.binned_statistic(cp.asarray([1e15, 1e15 + 8]), cp.asarray([1.0, 2.0]), bins=4).statistic.size == 4


def test_nan_has_no_straightness():
    exponents, straight = stats.boxcox_normplot(cp.asarray([1.0, np.nan, 3.0]), -1, 1, N=5)
    assert exponents.shape == (5,)
    assert cp.isnan(straight).all()
    with pytest.raises(ValueError, match="positive"):
        stats.boxcox_normplot(cp.asarray([1.0, 0.0, np.nan]), -1, 1)


def test_likelihoods_and_correlations_without_a_maximum_are_refused():
    for x in ([6.4], [2.0, 2.0, 2.0]):
        for method in ("mle", "pearsonr", "all"):
            with pytest.raises(ValueError, match="constant"):
                stats.boxcox_normmax(cp.asarray(x), method=method)
    for x in ([1.0, 2.0], [1.0, 2.0, 2.0]):
        with pytest.raises(ValueError, match="two values"):
            stats.boxcox_normmax(cp.asarray(x))
    assert abs(float(stats.boxcox_normmax(cp.asarray([1.0, 2.0]), method="mle"))) < 1e-6


def test_scores_of_a_number_are_a_number():
    for score in (stats.zscore, stats.gzscore):
        assert score(1.5, axis=None).shape == ()
    assert stats.zmap(1.5, cp.asarray([1.0, 2.0]), axis=None).shape == (1,)


def test_a_second_moment_may_have_a_negative_real_part():
    x = np.array([1j, -1j, 3j, -2j + 0.1])
    d = x - x.mean()
    _near(stats.skew(cp.asarray(x)), (d**3).mean() / (d**2).mean() ** 1.5)
    _near(stats.kurtosis(cp.asarray(x)), (d**4).mean() / (d**2).mean() ** 2 - 3)
