"""Exact, permutation and goodness-of-fit tests beside SciPy's: statistics, p-values, intervals, errors."""

import warnings

import cuproxide as cp
import cuproxide.scipy.stats as ours
import numpy as np
import pytest
import scipy.stats as theirs
from versions import SCIPY_1_18

RANDOM = np.random.default_rng(5)
SIDES = ("two-sided", "less", "greater")
pytestmark = pytest.mark.filterwarnings("ignore")


def host(value):
    if isinstance(value, tuple):
        return np.stack([host(v) for v in value])
    return np.asarray(value.get() if isinstance(value, cp.ndarray) else value, float)


def close(one, other, bound=1e-9, least=1e-12):
    assert host(one).shape == host(other).shape
    np.testing.assert_allclose(host(one), host(other), rtol=bound, atol=least)


def both(name, args, options=None, more=(), bound=1e-9, least=1e-12):
    """The two results, whose statistics and p-values are the same."""
    options = options or {}
    one = getattr(ours, name)(*map(cp.asarray, args), *more, **options)
    other = getattr(theirs, name)(*args, *more, **options)
    close(one.statistic, other.statistic)
    close(one.pvalue, other.pvalue, bound, least)
    return one, other


@pytest.mark.parametrize("side", SIDES)
def test_tables(side):
    for most in (4, 4, 10, 25):
        table = RANDOM.integers(0, most, size=(2, 2))
        for pooled in (True, False):
            # SciPy's search for the worst proportion stops earlier.
            both("barnard_exact", (table,), {"alternative": side, "pooled": pooled}, bound=1e-4)
        both("boschloo_exact", (table,), {"alternative": side}, bound=1e-4)


@pytest.mark.parametrize("kind", ["conditional", "sample"])
def test_odds_ratio(kind):
    for most in (3, 4, 10, 60):
        table = RANDOM.integers(0, most, size=(2, 2))
        one, other = (m.contingency.odds_ratio(a, kind=kind) for m, a in ((ours, cp.asarray(table)), (theirs, table)))
        close(one.statistic, other.statistic, 1e-7)
        for side in SIDES:
            close(one.confidence_interval(0.9, side), other.confidence_interval(0.9, side), 1e-7)


@pytest.mark.parametrize("side", SIDES)
def test_somers(side):
    x, y, table = RANDOM.integers(0, 5, 20), RANDOM.integers(0, 5, 20), RANDOM.integers(0, 5, size=(3, 4))
    one, other = both("somersd", (x, y), {"alternative": side})
    close(one.table, other.table)
    both("somersd", (table,), {"alternative": side})


@pytest.mark.parametrize("side", SIDES)
def test_dunnett(side):
    a, b, c, d = (RANDOM.normal(size=n) + s for n, s in ((8, 0), (9, 1), (5, 0.5), (30, 0.2)))
    options = {"alternative": side}
    one = ours.dunnett(*map(cp.asarray, (a, b, d)), control=cp.asarray(c), **options)
    other = theirs.dunnett(a, b, d, control=c, rng=1, **options)
    close(one.statistic, other.statistic)
    close(one.pvalue, other.pvalue, 1e-3, 2e-4)  # SciPy's is a Monte Carlo integral.
    lone, alone = one.confidence_interval(), other.confidence_interval()
    close(lone, tuple(np.asarray(v, float) for v in alone), 5e-3, 3e-3)


def test_dunnett_of_one_sample_is_the_t_test():
    a, b = RANDOM.normal(size=9), RANDOM.normal(size=7) + 1
    for side in SIDES:
        one = ours.dunnett(cp.asarray(a), control=cp.asarray(b), alternative=side)
        other = theirs.ttest_ind(a, b, alternative=side)
        close(one.pvalue[0], other.pvalue, 1e-10)
        if side == "two-sided":
            low, high = other.confidence_interval(0.9)
            close(tuple(v[0] for v in one.confidence_interval(0.9)), (low, high), 1e-9)


def test_page():
    for shape, methods in (((4, 5), 3), ((3, 8), 3), ((25, 4), 2), ((5, 10), 2)):
        table = np.round(RANDOM.normal(size=shape) * 2)
        for method in ("auto", "asymptotic", "exact")[:methods]:
            one, other = both("page_trend_test", (table,), {"method": method})
            assert one.method == other.method


@pytest.mark.parametrize("side", SIDES)
def test_baumgartner(side):
    one, other = both("bws_test", (RANDOM.normal(size=6), RANDOM.normal(size=7)), {"alternative": side})
    close(np.sort(host(one.null_distribution)), np.sort(other.null_distribution))


@pytest.mark.parametrize("side", SIDES)
def test_quantiles(side):
    x = np.round(RANDOM.normal(size=30), 1)
    for p in (0.1, 0.5, 0.9):
        one, other = both("quantile_test", (x,), {"q": 0.3, "p": p, "alternative": side})
        assert one.statistic_type == other.statistic_type
        close(one.confidence_interval(), other.confidence_interval())


@pytest.mark.parametrize("side", SIDES)
def test_logrank(side):
    both("logrank", (np.round(RANDOM.exponential(size=15), 1), np.round(RANDOM.exponential(size=20), 1)), {"alternative": side})  # fmt: skip  # noqa: E501


@pytest.mark.parametrize("method", ["auto", "exact", "asymptotic"])
def test_cramer_von_mises(method):
    for m, n in ((5, 7), (12, 12), (18, 20)):
        x, y = np.round(RANDOM.normal(size=m), 1), np.round(RANDOM.normal(size=n), 1)
        both("cramervonmises_2samp", (x, y), {"method": method}, bound=1e-6, least=1e-7)


def test_cramer_von_mises_of_one_sample():
    for n in (2, 5, 40, 500):
        both("cramervonmises", (RANDOM.normal(size=n),), more=("norm",), bound=1e-6, least=1e-7)
        x = np.sort(RANDOM.random(n)) ** 2
        one, other = ours.cramervonmises(cp.asarray(x), "uniform"), theirs.cramervonmises(x, "uniform")
        close(one.pvalue, other.pvalue, 1e-5, 1e-7)


SHAPES = {"norm": 1e-9, "expon": 1e-9, "gumbel_l": 1e-7, "gumbel_r": 1e-7, "logistic": 1e-4, "weibull_min": 1e-6}


@pytest.mark.parametrize("dist", SHAPES)
def test_anderson(dist):
    random = np.random.default_rng(3)
    for n in (12, 60):
        x = random.weibull(3.0, size=n) + (0 if dist == "expon" else 1)
        if dist == "weibull_min" and n == 12:
            with pytest.raises(ValueError):
                theirs.anderson(x, dist)
            with pytest.raises(ValueError):
                ours.anderson(cp.asarray(x), dist)
            continue
        one, other = ours.anderson(cp.asarray(x), dist), theirs.anderson(x, dist)
        close(one.statistic, other.statistic, SHAPES[dist])
        close(one.critical_values, other.critical_values)
        close(one.significance_level, other.significance_level)
        close(tuple(one.fit_result.params), tuple(other.fit_result.params), SHAPES[dist] * 10)
        options = {"method": "interpolate"}
        one, other = ours.anderson(cp.asarray(x), dist, **options), theirs.anderson(x, dist, **options)
        close(one.pvalue, other.pvalue, SHAPES[dist] * 10)


@pytest.mark.parametrize("variant", ["midrank", "right", "continuous"])
def test_anderson_of_several_samples(variant):
    for k in (2, 3, 5):
        samples = [np.round(RANDOM.normal(size=RANDOM.integers(5, 20)) * 2 + 0.3 * i) for i in range(k)]
        one = ours.anderson_ksamp([cp.asarray(s) for s in samples], variant=variant)
        other = theirs.anderson_ksamp(samples, variant=variant)
        close(one.statistic, other.statistic)
        close(one.pvalue, other.pvalue)
    samples = [RANDOM.normal(size=5), RANDOM.normal(size=4) + 1]
    one = ours.anderson_ksamp([cp.asarray(s) for s in samples], variant=variant, method=ours.PermutationMethod())
    other = theirs.anderson_ksamp(samples, variant=variant, method=theirs.PermutationMethod())
    close(one.pvalue, other.pvalue)


@pytest.mark.parametrize("statistic", ["ad", "ks", "cvm", "filliben"])
def test_goodness_of_fit(statistic):
    x = np.random.default_rng(2).normal(size=40) * 2 + 1
    one = ours.goodness_of_fit(ours.norm, cp.asarray(x), statistic=statistic, n_mc_samples=1000, rng=1)
    other = theirs.goodness_of_fit(theirs.norm, x, statistic=statistic, n_mc_samples=1000, rng=np.random.default_rng(1))
    close(one.statistic, other.statistic)
    assert abs(float(one.pvalue) - float(other.pvalue)) < 0.08
    close(tuple(one.fit_result.params), tuple(other.fit_result.params))


def test_goodness_of_fit_of_a_family_without_closed_form():
    x = np.random.default_rng(4).gamma(2.5, size=50)
    options = {"known_params": {"loc": 0}, "n_mc_samples": 100}
    one = ours.goodness_of_fit(ours.gamma, cp.asarray(x), rng=1, **options)
    shape, _, scale = theirs.gamma.fit(x, floc=0)
    close(tuple(one.fit_result.params), (shape, 0.0, scale), 1e-5)
    # Each drawn sample has parameters of its own: at those of the first the distances would be several times as large.
    assert float(one.null_distribution.max()) < 2.5


def test_graph_correlation():
    random = np.random.default_rng(1)
    x = random.normal(size=(20, 2))
    for a, b in ((x, x[:, :1] ** 2), (np.round(x), np.round(random.normal(size=(20, 1)))), (x[:9], x[9:] + 1)):
        one, other = both("multiscale_graphcorr", (a, b), {"reps": 100, "random_state": 1}, bound=1, least=0.2)
        close(one.mgc_dict["mgc_map"], other.mgc_dict["mgc_map"], least=1e-9)
        assert list(one.mgc_dict["opt_scale"]) == list(other.mgc_dict["opt_scale"])


def test_graph_correlations_are_at_most_one():
    # A regular grid has ties at every scale.
    x = np.arange(40.0)
    one, other = both("multiscale_graphcorr", (x, x), {"reps": 20, "random_state": 1}, bound=1, least=0.2)
    close(one.mgc_dict["mgc_map"], other.mgc_dict["mgc_map"], least=1e-9)
    assert float(one.mgc_dict["mgc_map"].max()) == 1


def test_graph_correlations_of_permutations():
    from scipy.spatial.distance import cdist
    from scipy.stats._mgc import _mgc_stat

    random = np.random.default_rng(1)
    x = random.normal(size=(15, 2))
    one, two = cdist(x, x), cdist(x[:, :1] ** 2, x[:, :1] ** 2)
    orders = np.array([random.permutation(15) for _ in range(30)])
    maps = ours.multiscale_graphcorr.__globals__["_Maps"](cp.asarray(one), cp.asarray(two))
    values, at = maps.statistics(maps.correlations(cp.asarray(orders)))
    expected = [_mgc_stat(one, two[p][:, p]) for p in orders]
    close(values, [v for v, _ in expected])
    scales = np.array([more["opt_scale"] for _, more in expected])
    assert np.array_equal(at.get(), (scales[:, 0] - 1) * maps.columns + scales[:, 1] - 1)


def test_sobol_indices():
    random = np.random.default_rng(1)
    for s in (1, 2):
        values = {"f_A": random.normal(size=(s, 64)), "f_B": random.normal(size=(s, 64)), "f_AB": random.normal(size=(3, s, 64))}  # fmt: skip  # noqa: E501
        one = ours.sobol_indices(func={k: cp.asarray(v) for k, v in values.items()}, n=64)
        other = theirs.sobol_indices(func=values, n=64)
        close(one.first_order, other.first_order)
        close(one.total_order, other.total_order)
        lone, alone = one.bootstrap(n_resamples=50), other.bootstrap(n_resamples=50)
        for name in ("first_order", "total_order"):
            assert getattr(lone, name).bootstrap_distribution.shape == getattr(alone, name).bootstrap_distribution.shape
            assert (
                getattr(lone, name).confidence_interval.low.shape == getattr(alone, name).confidence_interval.low.shape
            )
    r = ours.sobol_indices(func=lambda x: x[0] + 2 * x[1], n=256, dists=[ours.uniform(), ours.uniform()], rng=1)
    close(r.first_order, [0.2, 0.8], 0.1)
    high = r.bootstrap(n_resamples=99).first_order.confidence_interval.high
    assert bool((high > r.first_order).all())


def test_wasserstein():
    for m, n, d in ((5, 7, 2), (30, 30, 3), (12, 40, 1), (1, 4, 2)):
        u, v = np.round(RANDOM.normal(size=(m, d)), 2), np.round(RANDOM.normal(size=(n, d)), 2)
        p, q = RANDOM.integers(0, 4, m) + (m == 1), RANDOM.integers(0, 4, n) + (np.arange(n) == 0)
        p[0] += 1
        for weights in ((), (p, q)):
            one = ours.wasserstein_distance_nd(*map(cp.asarray, (u, v, *weights)))
            close(one, theirs.wasserstein_distance_nd(u, v, *weights), 1e-9)
    close(ours.wasserstein_distance_nd(cp.asarray(u), cp.asarray(u)), 0.0, least=1e-9)
    infinite = cp.asarray([[np.inf, 0.0]])
    assert float(ours.wasserstein_distance_nd(infinite, cp.asarray([[0.0, 0.0]]))) == np.inf
    assert np.isnan(float(ours.wasserstein_distance_nd(infinite, infinite)))


TABLE, X = np.array([[3, 4], [5, 6]]), np.arange(6.0)
ERRORS = [
    ("barnard_exact", (TABLE,), {"n": 0}), ("barnard_exact", (TABLE[0],), {}), ("barnard_exact", (-TABLE,), {}), ("barnard_exact", (TABLE,), {"alternative": "no"}),  # noqa: E501
    ("boschloo_exact", (TABLE,), {"n": -1}), ("boschloo_exact", (-TABLE,), {}), ("boschloo_exact", (TABLE,), {"alternative": "no"}),  # noqa: E501
    ("somersd", (X, X[1:]), {}), ("somersd", (-TABLE,), {}), ("somersd", (TABLE + 0.5,), {}), ("somersd", (np.zeros((2, 2)),), {}),  # noqa: E501
    ("page_trend_test", (X,), {}), ("page_trend_test", (TABLE,), {}), ("page_trend_test", (X.reshape(2, 3),), {"method": "no"}),  # noqa: E501
    ("page_trend_test", (X.reshape(2, 3),), {"ranked": True}), ("page_trend_test", (X.reshape(2, 3),), {"predicted_ranks": [1, 1, 2]}),  # noqa: E501
    ("page_trend_test", (X.reshape(2, 3),), {"ranked": 1}), ("page_trend_test", (X.reshape(2, 3) * np.nan,), {}),
    ("bws_test", (TABLE, X), {}), ("bws_test", (X * np.nan, X), {}), ("bws_test", (X[:0], X), {}), ("bws_test", (X, X), {"alternative": "no"}),  # noqa: E501
    ("quantile_test", (X,), {"p": 1.0}), ("quantile_test", (X,), {"alternative": "no"}),  # noqa: E501
    ("dunnett", (TABLE,), {"control": X}), ("dunnett", (X[:0],), {"control": X}), ("dunnett", (X,), {"control": X, "alternative": "no"}),  # noqa: E501
    ("cramervonmises_2samp", (X, X), {"method": "no"}), ("cramervonmises", (X, "nothing"), {}), ("anderson", (X, "nothing"), {}),  # noqa: E501
    ("anderson", (X, "norm"), {"method": "no"}), ("multiscale_graphcorr", (X, X[:4]), {}), ("multiscale_graphcorr", (X[:3], X[:3]), {}),  # noqa: E501
    ("multiscale_graphcorr", (X, X), {"reps": -1}), ("multiscale_graphcorr", (np.full(6, np.inf), X), {}), ("multiscale_graphcorr", (X, X), {"compute_distance": 3}),  # noqa: E501
    ("wasserstein_distance_nd", (TABLE, X), {}), ("wasserstein_distance_nd", (TABLE, np.ones((2, 3))), {}), ("wasserstein_distance_nd", (TABLE[:0], TABLE), {}),  # noqa: E501
    ("wasserstein_distance_nd", (TABLE, TABLE, [1, -1]), {}), ("wasserstein_distance_nd", (TABLE, TABLE, [0, 0]), {}), ("wasserstein_distance_nd", (TABLE, TABLE, [1, 1, 1]), {}),  # noqa: E501
    ("spearmanrho", (X, X), {"alternative": "no"}), ("logrank", (X, X), {"alternative": "no"}), ("logrank", (TABLE, X), {}),  # noqa: E501
]  # fmt: skip


@pytest.mark.parametrize(("name", "args", "options"), ERRORS)
def test_errors(name, args, options):
    if SCIPY_1_18 and name in ("bws_test", "quantile_test"):
        pytest.skip("takes stacks there")
    with pytest.raises(Exception) as expected:
        getattr(theirs, name)(*args, **options)
    with pytest.raises(expected.type):
        device = {k: cp.asarray(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}
        getattr(ours, name)(*(cp.asarray(a) if isinstance(a, np.ndarray) else a for a in args), **device)


def test_more_errors():
    for call in (
        lambda m: m.sobol_indices(func=lambda x: x, n=3, dists=[m.uniform()]),
        lambda m: m.sobol_indices(func=lambda x: x, n=4),
        lambda m: m.sobol_indices(func={"f_A": X[:4]}, n=4),
        lambda m: m.sobol_indices(func=lambda x: x, n=4, dists=[m.uniform()], method="no"),
        lambda m: m.sobol_indices(func=lambda x: x, n=4, dists=[1]),
        lambda m: m.goodness_of_fit(m.norm(), X),
        lambda m: m.goodness_of_fit(m.norm, TABLE),
        lambda m: m.goodness_of_fit(m.norm, X, statistic="no"),
        lambda m: m.contingency.odds_ratio(TABLE, kind="no"),
        lambda m: m.contingency.odds_ratio(TABLE + 0.5),
        lambda m: m.contingency.odds_ratio(-TABLE),
        lambda m: m.contingency.odds_ratio(X),
        lambda m: m.contingency.odds_ratio(TABLE).confidence_interval(2),
        lambda m: m.quantile_test(X).confidence_interval(1),
        lambda m: m.anderson_ksamp([X]),
        lambda m: m.anderson_ksamp([X, X[:0]]),
        lambda m: m.anderson_ksamp([X[:1], X[:1]]),
        lambda m: m.anderson_ksamp([X, X], variant="no"),
    ):
        with pytest.raises(Exception) as expected:
            call(theirs)
        with pytest.raises(expected.type):
            call(ours)


@pytest.mark.filterwarnings("default")
def test_warnings():
    for category, call in (
        (FutureWarning, lambda m: m.anderson(X)),
        (UserWarning, lambda m: m.anderson_ksamp([X, X + 10])),
        (RuntimeWarning, lambda m: m.multiscale_graphcorr(*[X if m is theirs else cp.asarray(X)] * 2, reps=9)),
    ):
        for module in (theirs, ours):
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                call(module)
            assert category in {w.category for w in seen}


@pytest.mark.parametrize("kind", ["PermutationMethod", "MonteCarloMethod"])
def test_tables_by_resampling(kind):
    table = [[12, 3], [17, 16]]
    options = {"n_resamples": 4999}
    one = theirs.chi2_contingency(table, correction=False, method=getattr(theirs, kind)(**options, rng=1))
    other = ours.chi2_contingency(table, correction=False, method=getattr(ours, kind)(**options, rng=1))
    close(other.statistic, one.statistic)
    assert abs(float(other.pvalue) - one.pvalue) < 0.03
    assert np.isnan(other.dof)
    table = [[8, 2, 3], [1, 5, 4]]
    one = theirs.fisher_exact(table, method=getattr(theirs, kind)(**options, rng=1))
    other = ours.fisher_exact(table, method=getattr(ours, kind)(**options, rng=1))
    close(other.statistic, one.statistic)
    assert abs(float(other.pvalue) - one.pvalue) < 0.02
    # All permutations are tried where there are few, so that there is no chance in it.
    if kind == "PermutationMethod":
        table = [[2, 1], [0, 3]]
        one = theirs.fisher_exact(table, method=theirs.PermutationMethod())
        close(ours.fisher_exact(table, method=ours.PermutationMethod()).pvalue, one.pvalue)


def test_larger_tables_of_fisher():
    table = [[8, 2, 3], [1, 5, 4]]
    assert abs(float(ours.fisher_exact(table).pvalue) - 0.0585) < 0.01
    assert ours.fisher_exact([[1, 2, 3]]) == (1.0, 1.0)
    for module in (theirs, ours):
        with pytest.raises(ValueError, match="alternative"):
            module.fisher_exact(table, alternative="less")
        with pytest.raises(ValueError, match="method"):
            module.fisher_exact(table, method="exact")
        with pytest.raises(ValueError, match="correction"):
            module.chi2_contingency(table, method=module.PermutationMethod())
        with pytest.raises(ValueError, match="rvs"):
            module.fisher_exact(table, method=module.MonteCarloMethod(rvs=np.random.random))


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_interval_of_a_correlation_by_bootstrap(alternative):
    rng = np.random.default_rng(2)
    x = rng.normal(size=40)
    y = x + 0.7 * rng.normal(size=40)
    one = theirs.pearsonr(x, y, alternative=alternative).confidence_interval(0.9, theirs.BootstrapMethod(rng=1))
    result = ours.pearsonr(cp.asarray(x), cp.asarray(y), alternative=alternative)
    other = result.confidence_interval(0.9, method=ours.BootstrapMethod(rng=1))
    np.testing.assert_allclose([float(v) for v in other], list(one), atol=0.01)
    with pytest.raises(ValueError, match="method"):
        result.confidence_interval(method="bootstrap")


def test_sparse_tables_of_counts():
    a, b = cp.asarray([1, 1, 2, 2]), cp.asarray([5, 6, 6, 6])
    result = ours.contingency.crosstab(a, b, sparse=True)
    assert isinstance(result.count, cp.scipy.sparse.coo_array)
    np.testing.assert_array_equal(result.count.toarray().get(), ours.contingency.crosstab(a, b).count.get())
    for arrays in ((a,), (a, b, a[::-1])):
        result = ours.contingency.crosstab(*arrays, sparse=True)
        assert result.count.ndim == len(arrays)
        np.testing.assert_array_equal(result.count.toarray().get(), ours.contingency.crosstab(*arrays).count.get())
