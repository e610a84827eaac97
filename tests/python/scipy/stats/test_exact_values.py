"""Statistics beside values that follow by arithmetic or from mpmath, and resampling of several numbers."""

import contextlib
from fractions import Fraction

import cuproxide as cp
import cuproxide.scipy.stats as ours
import mpmath
import numpy as np
import pytest
import scipy.stats as theirs

RANDOM = np.random.default_rng(1)
X, Y = RANDOM.normal(size=(2, 20))


def several(x, axis):
    return cp.stack([x.mean(axis=axis), x.std(axis=axis), x.max(axis=axis)])


@pytest.mark.parametrize("method", ["percentile", "basic", "BCa"])
@pytest.mark.parametrize("batch", [None, 7])
def test_bootstrap_of_several_numbers(method, batch):
    r = ours.bootstrap((cp.asarray(X),), several, n_resamples=60, rng=1, method=method, batch=batch)
    assert r.bootstrap_distribution.shape == (3, 60) and r.standard_error.shape == (3,)
    low, high = r.confidence_interval
    assert low.shape == high.shape == (3,)
    assert (low[:2] < several(cp.asarray(X), -1)[:2]).all() and (several(cp.asarray(X), -1)[:2] < high[:2]).all()
    # Each of the numbers has the interval that it has alone.
    one = ours.bootstrap((cp.asarray(X),), cp.mean, n_resamples=60, rng=1, method=method, batch=batch)
    np.testing.assert_allclose(one.confidence_interval.low.item(), low[0].item(), rtol=1e-12)


def test_bootstrap_by_rows_and_of_rows():
    by_rows = ours.bootstrap(
        (cp.asarray(X),), lambda x: cp.stack([x.mean(), x.max()]), n_resamples=9, vectorized=False, rng=2
    )
    assert by_rows.bootstrap_distribution.shape == (2, 9)
    rows = ours.bootstrap((cp.asarray(X.reshape(4, 5)),), several, axis=1, n_resamples=9, rng=2, method="percentile")
    assert rows.bootstrap_distribution.shape == (3, 4, 9) and rows.confidence_interval.low.shape == (3, 4)


@pytest.mark.parametrize("vectorized", [True, False])
def test_resampled_places_stay_integers(vectorized):
    data = cp.asarray(X)

    def statistic(i, axis=-1):
        assert i.dtype.kind == "i"
        return data[i].mean(axis=axis)

    r = ours.bootstrap((cp.arange(20),), statistic, n_resamples=30, vectorized=vectorized, rng=1)
    same = ours.bootstrap((data,), cp.mean, n_resamples=30, rng=1)
    np.testing.assert_allclose(r.bootstrap_distribution.get(), same.bootstrap_distribution.get(), rtol=1e-12)


@pytest.mark.parametrize("options", [{"batch": 0}, {"batch": 1.5}, {"n_resamples": 0}, {"confidence_level": "a"}])
def test_bootstrap_refuses(options):
    with pytest.raises(ValueError):
        ours.bootstrap((cp.asarray(X),), cp.mean, **{"n_resamples": 9, **options})


@pytest.mark.parametrize("source", [lambda: np.random.default_rng(3), lambda: 3, lambda: np.random.RandomState(3)])
def test_generators_of_numpy_in_resampling_methods(source):
    x, y, table = cp.asarray(X), cp.asarray(Y), cp.asarray([[3, 4], [5, 9]])
    methods = [ours.PermutationMethod(99, rng=source())]
    if not isinstance(source(), np.random.RandomState):
        methods.append(ours.MonteCarloMethod(99, rng=source()))
    for method in methods:
        for found in (
            ours.ttest_ind(x, y, method=method),
            ours.pearsonr(x, y, method=method),
            ours.fisher_exact(table, method=method),
        ):
            assert 0 < float(found.pvalue) <= 1
    found = ours.ttest_ind(x, y, method=methods[0])
    np.testing.assert_allclose(found.statistic.item(), theirs.ttest_ind(X, Y).statistic, rtol=1e-12)


def test_monte_carlo_of_rows():
    draws = (np.random.default_rng(1).normal, np.random.default_rng(2).normal)
    rows = X.reshape(4, 5), Y.reshape(4, 5)
    method = ours.MonteCarloMethod(n_resamples=199, rvs=draws)
    found = ours.ttest_ind(*(cp.asarray(v) for v in rows), axis=1, method=method)
    np.testing.assert_allclose(found.pvalue.get(), theirs.ttest_ind(*rows, axis=1).pvalue, atol=0.12)
    with pytest.raises(ValueError, match="MonteCarloMethod"):
        ours.ttest_ind(X, Y, method="x")


def test_xi_by_permutations():
    method = ours.PermutationMethod(n_resamples=199, rng=1)
    for x, y in ((X, Y), (X.reshape(2, 10).T, Y.reshape(2, 10).T)):
        found = ours.chatterjeexi(cp.asarray(x), cp.asarray(y), method=method)
        expected = theirs.chatterjeexi(x, y)
        np.testing.assert_allclose(found.statistic.get(), expected.statistic, atol=1e-12)
        np.testing.assert_allclose(found.pvalue.get(), expected.pvalue, atol=0.15)


def test_ranks_of_pairs_lose_their_own_elements_only():
    rows = RANDOM.normal(size=(9, 4))
    rows[0, 0] = rows[3, 1] = rows[4, 1] = rows[8, 3] = np.nan
    found = ours.spearmanr(cp.asarray(rows), nan_policy="omit")
    for i in range(4):
        for j in range(i):
            both = ~np.isnan(rows[:, i]) & ~np.isnan(rows[:, j])
            expected = theirs.spearmanr(rows[both, i], rows[both, j])
            np.testing.assert_allclose(found.statistic[i, j].item(), expected.statistic, rtol=1e-12)
            np.testing.assert_allclose(found.pvalue[i, j].item(), expected.pvalue, rtol=1e-10)
    with pytest.raises(ValueError, match="foobar"):
        ours.spearmanr(X, Y, nan_policy="foobar")


def test_exponents_of_years():
    years = [1980.0, 2003, 2009, 2010, 2014, 2016, 2020]
    np.testing.assert_allclose(float(ours.yeojohnson_normmax(years)), theirs.yeojohnson_normmax(years), rtol=1e-6)
    with mpmath.workdps(50):
        for x, start in (([2019, 2018, 2020], 0.6), ([2020, 2021, 2022, 2023, 2024], 0.7)):
            x = [mpmath.mpf(v) for v in x]

            def likelihood(p, x=x):
                y = [(v**p - 1) / p for v in x]
                middle = sum(y) / len(y)
                spread = sum((v - middle) ** 2 for v in y) / len(y)
                return (p - 1) * sum(mpmath.log(v) for v in x) - len(x) / mpmath.mpf(2) * mpmath.log(spread)

            best = float(mpmath.findroot(lambda p, f=likelihood: mpmath.diff(f, p), start))
            given = [float(v) for v in x]
            np.testing.assert_allclose(float(ours.boxcox_normmax(given, method="mle")), best, atol=1e-4)
            np.testing.assert_allclose(float(ours.boxcox_llf(best, given)), float(likelihood(best)), rtol=1e-13)


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e9, 1e12])
def test_analysis_of_variance_with_an_offset(offset):
    """As NIST's SmLs sets: small differences beside a large mean."""
    groups = [[1.0, 2, 3, 4], [2.0, 3, 4, 5], [2.0, 3, 3.5, 5]]
    between = sum(4 * (np.mean(g) - np.mean(groups)) ** 2 for g in groups) / 2
    within = sum(((np.array(g) - np.mean(g)) ** 2).sum() for g in groups) / 9
    found = ours.f_oneway(*(cp.asarray(g) + offset for g in groups)).statistic.item()
    np.testing.assert_allclose(found, between / within, rtol=1e-13)


@pytest.mark.parametrize("equal_var", [True, False])
def test_analysis_of_variance_of_means_that_are_no_numbers_of_the_type(equal_var):
    """At 1e12 a mean of tenths has four decimals, its distance from another mean has all digits."""
    groups = [np.array([0.3, 0.1, 0.4]) + 1e12, np.array([0.4, 0.2, 0.2]) + 1e12, np.array([0.5, 0.1, 0.3]) + 1e12]
    exact = [[Fraction(v) for v in group] for group in groups]
    means = [sum(g) / 3 for g in exact]
    squares = [sum((v - m) ** 2 for v in g) for g, m in zip(exact, means, strict=True)]
    if equal_var:
        grand = sum(means) / 3
        expected = sum(3 * (m - grand) ** 2 for m in means) / 2 / (sum(squares) / 6)
    else:
        weights = [3 / (s / 2) for s in squares]
        total = sum(weights)
        middle = sum(w * m for w, m in zip(weights, means, strict=True)) / total
        spread = sum(w * (m - middle) ** 2 for w, m in zip(weights, means, strict=True)) / 2
        expected = spread / (1 + Fraction(2, 8) * sum((1 - w / total) ** 2 / 2 for w in weights))
    found = ours.f_oneway(*map(cp.asarray, groups), equal_var=equal_var).statistic.item()
    np.testing.assert_allclose(found, float(expected), rtol=1e-11)


def test_degrees_of_freedom():
    positive = np.exp(X)
    assert np.isnan(ours.gstd(positive, ddof=20).item()) and np.isnan(ours.gstd(positive, ddof=21).item())
    for result in (ours.ttest_1samp(X, 0.0), ours.ttest_rel(X, Y), ours.ttest_1samp(X.astype(np.float32), 0.0)):
        assert result.df.dtype == np.int64 and result.df.item() == 19
    assert ours.ttest_1samp(X.reshape(4, 5), 0.0, axis=1).df.tolist() == [4] * 4


def test_as_many_degrees_of_freedom_as_elements():
    assert np.isnan(ours.zscore(X, ddof=30).get()).all() and np.isnan(ours.zscore(X, ddof=20).get()).all()
    assert ours.sem(X, ddof=30).item() == np.inf
    gaps = np.array([[1.0, np.nan], [2.0, 3.0]])
    np.testing.assert_array_equal(ours.moment(gaps, order=0).get(), [1, np.nan])


@pytest.mark.parametrize("scale", [1e200, 1e-200])
def test_normality_of_numbers_whose_squares_leave_the_range(scale):
    expected = theirs.shapiro(X)
    found = ours.shapiro(X * scale)
    np.testing.assert_allclose([found.statistic.item(), found.pvalue.item()], expected, rtol=1e-8)


def test_samples_of_two_types_are_compared_in_the_wider_one():
    narrow = X.astype(np.float32)
    for name in ("ttest_ind", "levene", "fligner", "bartlett"):
        expected = getattr(theirs, name)(narrow.astype(np.float64), Y)
        found = getattr(ours, name)(cp.asarray(narrow), cp.asarray(Y))
        np.testing.assert_allclose(found.statistic.item(), expected.statistic, rtol=1e-10)


def test_extremes_keep_the_type_of_integers():
    for dtype in (np.int64, np.uint8):
        x = np.array([3, 1, 7, 5], dtype)
        for found, expected in (
            (ours.tmin(x), 1), (ours.tmin(x, 2), 3), (ours.tmax(x), 7), (ours.tmax(x, 6), 5),
        ):  # fmt: skip
            assert found.dtype == dtype and found.item() == expected
    assert ours.tmin(np.array([1.5, 2.5])).dtype == np.float64


def test_columns_of_nan_alone():
    x = RANDOM.normal(size=(8, 2))
    y = x + RANDOM.normal(size=(8, 2))
    expected = theirs.epps_singleton_2samp(x[:, 1], y[:, 1])
    x[:, 0] = np.nan
    for policy in ("omit", "propagate"):
        with pytest.warns(Warning) if policy == "omit" else contextlib.nullcontext():
            found = ours.epps_singleton_2samp(cp.asarray(x), cp.asarray(y), nan_policy=policy)
        assert np.isnan(found.statistic[0].item())
        np.testing.assert_allclose(found.statistic[1].item(), expected.statistic, rtol=1e-9)


def test_older_and_other_names():
    found = ours.wilcoxon(X, method="approx")
    np.testing.assert_allclose(found.pvalue.item(), theirs.wilcoxon(X, method="asymptotic").pvalue, rtol=1e-12)
    for name in ("Random-CD", "LLOYD", "lloyd"):
        assert ours.qmc.Halton(2, optimization=name, rng=1).random(8).shape == (8, 2)
    with pytest.raises(ValueError, match="not a valid optimization"):
        ours.qmc.Halton(2, optimization="x")


def test_lloyd_moves_points_apart():
    for seed in range(3):
        plain, moved = (
            ours.qmc.LatinHypercube(2, optimization=name, rng=np.random.default_rng(seed)).random(32)
            for name in (None, "lloyd")
        )
        near = [cp.scipy.spatial.KDTree(x).query(x, k=2)[0][:, 1].mean().item() for x in (plain, moved)]
        assert near[1] > 1.15 * near[0]
        assert ((moved >= 0) & (moved <= 1)).all()
    with pytest.raises(ValueError, match="dimension"):
        ours.qmc.Halton(1, optimization="lloyd").random(8)


@pytest.mark.parametrize(
    "error, call",
    [
        (TypeError, lambda: ours.binomtest(3.5, 10)),
        (TypeError, lambda: ours.poisson_means_test(3.5, 10, 4, 12)),
        (TypeError, lambda: ours.contingency.relative_risk(3.5, 10, 4, 12)),
        (TypeError, lambda: ours.f_oneway(X, Y, equal_var="x")),
        (ValueError, lambda: ours.chi2_contingency([[1, 2], [3, 4]], lambda_="x")),
        (ValueError, lambda: ours.mannwhitneyu(X, Y, use_continuity="x")),
        (ValueError, lambda: ours.percentileofscore(X.reshape(4, 5), 0.0)),
        (ValueError, lambda: ours.percentileofscore(X, 0.0, nan_policy="x")),
        (ValueError, lambda: ours.median_test(X, Y, nan_policy="x")),
        (ValueError, lambda: ours.median_test(X.reshape(4, 5), Y)),
        (ValueError, lambda: ours.wasserstein_distance(X.reshape(4, 5), Y)),
        (ValueError, lambda: ours.energy_distance(X, Y.reshape(4, 5))),
        (ValueError, lambda: ours.wasserstein_distance(X, Y, X[None] ** 2)),
        (ValueError, lambda: ours.energy_distance(X, Y, None, Y[:, None] ** 2)),
        (ValueError, lambda: ours.theilslopes(Y, alpha=2)),
        (ValueError, lambda: ours.binned_statistic(X, Y, "min", range=(1, -1))),
        (ValueError, lambda: ours.binned_statistic(X, Y, "min", bins=0)),
        (ValueError, lambda: ours.binned_statistic(X, Y, "min", bins=[1, 0])),
    ],
)
def test_refusals(error, call):
    with pytest.raises(error):
        call()


def test_samples_that_hardly_differ_are_warned_about():
    near = 3.0 + 1e-15 * np.arange(20)
    with pytest.warns(ours.NearConstantInputWarning):
        np.testing.assert_allclose(ours.pearsonr(near, near[::-1].copy()).statistic.item(), -1, rtol=1e-12)
    for function in (ours.pearsonr, ours.spearmanr):
        with pytest.warns(ours.ConstantInputWarning):
            assert np.isnan(function(np.ones(20), X).statistic.item())


@pytest.mark.parametrize(
    ("h", "k"), [(2.5, 0.5558942540965388), (0.5, -0.3), (0.0, 0.4), (-0.7, 0.2), (1e-9, 2.0), (-3.0, -1.5)]
)
def test_entropy_of_kappa4(h, k):
    def quantile_density(q):
        u = -mpmath.log(q) if h == 0 else -mpmath.expm1(h * mpmath.log(q)) / h
        return (1 - k) * mpmath.log(u) + (1 - h) * mpmath.log(q)

    with mpmath.workdps(30):
        expected = -mpmath.quad(quantile_density, [0, 0.5, 1])
    np.testing.assert_allclose(float(ours.kappa4(h, k).entropy()), float(expected), rtol=1e-12)
