"""Statistics, tests and correlations beside SciPy's: axes, `keepdims`, `nan_policy`, alternatives."""

import warnings

import cuproxide as cp
import cuproxide.scipy.stats as ours
import effort
import numpy as np
import pytest
import scipy.stats as theirs
from versions import SCIPY_1_18

RANDOM = np.random.default_rng(1)
X, Y, Z = RANDOM.normal(size=(6, 40)), RANDOM.normal(size=(6, 40)) * 1.3 + 0.2, RANDOM.normal(size=(6, 30))
POSITIVE, GAPS = np.exp(X), X.copy()
GAPS[1, 3], GAPS[2, :5] = np.nan, np.nan
A, B = RANDOM.integers(0, 6, size=(6, 40)), RANDOM.integers(0, 6, size=(6, 40))
SHARES = RANDOM.uniform(size=20)
V, W, U = X[0], Y[0], Z[0]
ANGLES = RANDOM.uniform(0, 7, size=(4, 9))

ONE = [
    ("moment", (X,), {"order": 3}), ("skew", (X,), {"bias": False}), ("kurtosis", (X,), {"bias": False}), ("gmean", (POSITIVE,), {}),  # noqa: E501
    ("hmean", (POSITIVE,), {}), ("pmean", (POSITIVE, 3), {}), ("sem", (X,), {}), ("variation", (X,), {}), ("mode", (A,), {}),  # noqa: E501
    ("iqr", (X,), {}), ("median_abs_deviation", (X,), {}), ("gstd", (POSITIVE,), {}), ("tmean", (X, (-1, 1)), {}),
    ("tvar", (X, (-1, 1)), {}), ("tmin", (X, -0.5), {}), ("tmax", (X, 0.5), {}), ("tsem", (X, (-1, None)), {}),
    ("trim_mean", (X, 0.1), {}), ("entropy", (POSITIVE,), {}), ("kstat", (X, 3), {}), ("lmoment", (X, [1, 2, 3, 4]), {}),  # noqa: E501
    ("ttest_1samp", (X, 0.2), {}), ("normaltest", (X.repeat(3, 0),), {}), ("jarque_bera", (X,), {}), ("ttest_ind", (X, Y), {}),  # noqa: E501
    ("ttest_rel", (X, Y), {}), ("mannwhitneyu", (X, Y), {}), ("circmean", (ANGLES,), {}), ("circstd", (ANGLES,), {}),
]  # fmt: skip
AXES = [
    (name, a, {**k, "axis": axis, "keepdims": keep})
    for name, a, k in ONE
    for axis in (0, 1, None, (0, 1))
    for keep in (False, True)
]
MISSING = [
    (name, (np.exp(GAPS) if name in ("gmean", "gstd") else GAPS, *more), {"axis": 1, "nan_policy": policy})
    for policy in ("propagate", "omit", "raise")
    for name, *more in (
        ("skew",), ("kurtosis",), ("sem",), ("gmean",), ("gstd",), ("variation",), ("mode",), ("iqr",), ("tmean",), ("describe",),  # noqa: E501
        ("median_abs_deviation",), ("kstat",), ("jarque_bera",), ("ttest_ind", Y), ("ttest_1samp", 0.1), ("mannwhitneyu", Y),  # noqa: E501
        ("zscore",), ("rankdata",), ("f_oneway", Y), ("wilcoxon", Y), ("kruskal", Y), ("circvar",),
    )
]  # fmt: skip
SIDED = [
    (name, a, {**k, "alternative": side})
    for side in ("two-sided", "less", "greater")
    for name, a, k in (
        ("ttest_ind", (X, Z), {"axis": 1, "equal_var": False}), ("ttest_ind", (X, Z), {"axis": 1, "trim": 0.1}),
        ("skewtest", (X,), {"axis": 1}), ("kurtosistest", (X,), {"axis": 1}), ("mannwhitneyu", (X[:, :7], Z[:, :6]), {"axis": 1}),  # noqa: E501
        ("mannwhitneyu", (A, B), {"axis": 1}), ("ranksums", (X, Z), {"axis": 1}), ("wilcoxon", (X, Y), {"axis": 1}),
        ("wilcoxon", (X[:, :20], Y[:, :20]), {"axis": 1, "method": "asymptotic", "correction": True}),
        ("wilcoxon", (A, B), {"axis": 1}), ("wilcoxon", (A, B), {"axis": 1, "zero_method": "pratt"}),
        ("wilcoxon", (A, B), {"axis": 1, "zero_method": "zsplit"}), ("brunnermunzel", (X, Z), {"axis": 1}),
        ("mood", (X, Z), {"axis": 1}), ("mood", (A, B), {"axis": 1}), ("kstest", (V, "norm"), {}), ("ks_2samp", (V, U), {}),  # noqa: E501
        ("ks_2samp", (A[0], B[0]), {}), ("ks_2samp", (V, U), {"method": "asymp"}), ("pearsonr", (X, Y), {"axis": 1}),
        ("spearmanr", (V, W), {}), ("kendalltau", (V, W), {}), ("kendalltau", (A[0], B[0]), {}), ("kendalltau", (V[:15], W[:15]), {}),  # noqa: E501
        ("linregress", (V, W), {}), ("binomtest", (7, 20, 0.3), {}), ("fisher_exact", (np.array([[8, 2], [1, 5]]),), {}),  # noqa: E501
    )
]  # fmt: skip
OTHER = [
    ("describe", (X,), {"axis": 1}), ("describe", (A,), {}), ("zscore", (X,), {"axis": 1}), ("zmap", (X, Y), {"ddof": 1}), ("gzscore", (POSITIVE,), {}),  # noqa: E501
    ("sigmaclip", (V, 1.5, 1.5), {}), *[("differential_entropy", (X,), {"axis": 1, "method": m}) for m in ("auto", "vasicek", "van es", "ebrahimi", "correa")],  # noqa: E501
    ("kstatvar", (X, 2), {"axis": 1}), ("kstat", (X, 4), {"axis": 1}), ("expectile", (V, 0.3), {}), ("spearmanr", (X.T,), {}),  # noqa: E501
    ("kendalltau", (A[0], B[0]), {"variant": "c"}), ("pointbiserialr", ((V > 0).astype(int), W), {}), ("weightedtau", (V, W), {}),  # noqa: E501
    ("weightedtau", (A[0], B[0]), {"rank": False}), ("theilslopes", (W, V), {}), ("siegelslopes", (W, V), {}),
    ("wasserstein_distance", (V, U), {}), ("wasserstein_distance", (V, W, POSITIVE[0], POSITIVE[1]), {}), ("energy_distance", (V, U), {}),  # noqa: E501
    ("ttest_ind_from_stats", (1.0, 2.0, 10, 1.5, 1.0, 12), {}), ("f_oneway", (X, Y, Z), {"axis": 1}), ("f_oneway", (X, Y, Z), {"axis": 1, "equal_var": False}),  # noqa: E501
    ("alexandergovern", (V, W, U), {}), ("bartlett", (X, Y, Z), {"axis": 1}), *[(name, (X, Y, Z), {"axis": 1, "center": c}) for name in ("levene", "fligner") for c in ("mean", "median", "trimmed")],  # noqa: E501
    *[("shapiro", (X[:, :n],), {"axis": 1}) for n in (3, 5, 9, 40)], ("power_divergence", (A + 1,), {"axis": 1, "lambda_": "log-likelihood"}),  # noqa: E501
    ("chisquare", (A + 1,), {"axis": 1}), *[("combine_pvalues", (SHARES,), {"method": m}) for m in ("fisher", "pearson", "mudholkar_george", "tippett", "stouffer")],  # noqa: E501
    ("false_discovery_control", (SHARES,), {}), ("false_discovery_control", (SHARES,), {"method": "by"}), ("rankdata", (A,), {"axis": 1}),  # noqa: E501
    *[("rankdata", (A,), {"method": m}) for m in ("min", "max", "dense", "ordinal")], ("tiecorrect", (theirs.rankdata(A[0]),), {}),  # noqa: E501
    ("kruskal", (X, Y, Z), {"axis": 1}), ("kruskal", (A, B), {"axis": 1}), ("friedmanchisquare", (X, Y, A), {"axis": 1}),  # noqa: E501
    ("median_test", (V, W, U), {}), ("chi2_contingency", (A[:3, :4] + 1,), {}), ("chi2_contingency", (A[:2, :2] + 1,), {}),  # noqa: E501
    *[("percentileofscore", (np.round(V, 1), np.round(V[:5], 1), kind), {}) for kind in ("rank", "strict", "weak", "mean")],  # noqa: E501
    ("cumfreq", (V,), {}), ("relfreq", (V,), {}), ("obrientransform", (V, W), {}), ("boxcox_llf", (0.3, POSITIVE[0]), {}),  # noqa: E501
    ("yeojohnson_llf", (0.3, V), {}), ("scoreatpercentile", (V, 30), {}), ("bayes_mvs", (V,), {}),
]  # fmt: skip


def device(value):
    return cp.asarray(value) if isinstance(value, np.ndarray) else value


def parts(value):
    if isinstance(value, (tuple, list)):
        return [part for item in value for part in parts(item)]
    if hasattr(value, "pvalue"):
        return [np.asarray(value.statistic, float), np.asarray(value.pvalue, float)]
    return [np.asarray(value.get() if isinstance(value, cp.ndarray) else value, float)]


def compare(name, args, options, bound=1e-7):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = getattr(theirs, name)(*args, **options)
        except Exception as error:
            with pytest.raises(type(error)):
                getattr(ours, name)(*map(device, args), **options)
            return
        actual = getattr(ours, name)(*map(device, args), **options)
    actual, expected = parts(actual), parts(expected)
    assert len(actual) == len(expected)
    for one, other in zip(actual, expected, strict=True):
        assert one.shape == other.shape, (one.shape, other.shape)
        np.testing.assert_allclose(one, other, rtol=bound, atol=1e-12)


def cases(table):
    return {"argvalues": table, "ids": [f"{name}-{i}" for i, (name, *_) in enumerate(table)]}


@pytest.mark.parametrize(("name", "args", "options"), **cases(effort.sample(AXES, 120)))
def test_axes(name, args, options):
    compare(name, args, options)


@pytest.mark.parametrize(("name", "args", "options"), **cases(MISSING))
def test_missing_values(name, args, options):
    compare(name, args, options)


@pytest.mark.parametrize(("name", "args", "options"), **cases(SIDED))
def test_alternatives(name, args, options):
    compare(name, args, options)


@pytest.mark.parametrize(("name", "args", "options"), **cases(OTHER))
def test_others(name, args, options):
    if name == "obrientransform" and not SCIPY_1_18:
        pytest.skip("this SciPy joins the results into one array")
    compare(name, args, options)


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.uint8, bool])
@pytest.mark.parametrize("name", ["skew", "kurtosis", "sem", "zscore", "gmean", "iqr", "ttest_1samp"])
def test_dtypes(name, dtype):
    x = (np.abs(X) * 3 + 1).astype(dtype)
    if dtype is np.uint8 and name == "gmean":
        return  # SciPy computes the logarithms of bytes in half precision.
    if dtype is bool:
        x = X > 0
        # SciPy 1.18 computes moments of bools in bools.
        if name in ("gmean", "iqr") or (SCIPY_1_18 and name in ("skew", "kurtosis")):
            return
    more = (0.5,) if name == "ttest_1samp" else ()
    one, other = getattr(ours, name)(cp.asarray(x), *more), getattr(theirs, name)(x, *more)
    for a, b in zip(parts(one), parts(other), strict=True):
        np.testing.assert_allclose(
            a, b, rtol=2e-4 if dtype is np.float32 else 1e-9, atol=1e-4 if dtype is np.float32 else 1e-12
        )


def test_layouts():
    for cut in (lambda a: a.T, lambda a: a[::2, ::-3], lambda a: a[:, :1], lambda a: a[:, ::-1]):
        np.testing.assert_allclose(ours.skew(cut(cp.asarray(X)), axis=0).get(), theirs.skew(cut(X), axis=0), rtol=1e-9)


def test_intervals():
    one, other = ours.ttest_ind(cp.asarray(V), cp.asarray(W)), theirs.ttest_ind(V, W)
    np.testing.assert_allclose(parts(one.confidence_interval(0.9)), parts(other.confidence_interval(0.9)))
    assert one.df.item() if isinstance(one.df, cp.ndarray) else one.df == other.df
    one, other = ours.pearsonr(cp.asarray(V), cp.asarray(W)), theirs.pearsonr(V, W)
    np.testing.assert_allclose(parts(one.confidence_interval()), parts(other.confidence_interval()))
    for method in ("exact", "wilson", "wilsoncc"):
        np.testing.assert_allclose(
            ours.binomtest(7, 20, 0.3).proportion_ci(method=method),
            theirs.binomtest(7, 20, 0.3).proportion_ci(method=method),
        )


def test_transforms():
    for name in ("boxcox", "yeojohnson"):
        one, other = getattr(ours, name)(cp.asarray(POSITIVE[0])), getattr(theirs, name)(POSITIVE[0])
        np.testing.assert_allclose(one[0].get(), other[0], rtol=1e-5)
        assert abs(one[1] - other[1]) < 1e-5


ERRORS = [
    ("skew", (X,), {"nan_policy": "no"}), ("ttest_ind", (X, Y), {"alternative": "no"}), ("rankdata", (V,), {"method": "no"}),  # noqa: E501
    ("kstat", (V, 5), {}), ("trim_mean", (V, 0.7), {}), ("pearsonr", (V, W[:5]), {}), ("binomtest", (5, 3), {}),
    ("chi2_contingency", (np.array([[0, 0], [1, 2]]),), {}), ("boxcox", (V,), {}),
    ("levene", (V,), {}), ("f_oneway", (V,), {}), ("combine_pvalues", (SHARES,), {"method": "no"}), ("skew", (X,), {"axis": 5}),  # noqa: E501
]  # fmt: skip


@pytest.mark.parametrize(("name", "args", "options"), **cases(ERRORS))
def test_errors(name, args, options):
    if SCIPY_1_18 and name == "binomtest":
        pytest.skip("this SciPy returns NaN")
    with pytest.raises(Exception) as expected:
        getattr(theirs, name)(*args, **options)
    with pytest.raises(expected.type):
        getattr(ours, name)(*map(device, args), **options)


def test_contingency():
    table = np.array([[100, 150], [203, 322], [420, 700], [320, 210]])
    for method in ("cramer", "tschuprow", "pearson"):
        assert (
            abs(ours.contingency.association(cp.asarray(table), method) - theirs.contingency.association(table, method))
            < 1e-12
        )
    np.testing.assert_allclose(
        ours.contingency.expected_freq(cp.asarray(table)).get(), theirs.contingency.expected_freq(table)
    )
    one, other = ours.contingency.crosstab(cp.asarray(A[0]), cp.asarray(B[0])), theirs.contingency.crosstab(A[0], B[0])
    assert np.array_equal(one.count.get(), other.count)
    one, other = ours.contingency.relative_risk(27, 122, 44, 487), theirs.contingency.relative_risk(27, 122, 44, 487)
    np.testing.assert_allclose(one.confidence_interval(), other.confidence_interval())


def test_results_of_several_sizes():
    found = ours.obrientransform([1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 5.0])
    assert type(found) is tuple
    one, two = found
    expected = theirs.obrientransform([1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 5.0])
    np.testing.assert_allclose(one.get(), expected[0])
    np.testing.assert_allclose(two.get(), expected[1])


def test_power_of_sizes_on_the_device():
    def rvs(size):
        return ours.norm.rvs(loc=5, size=size, random_state=1)

    def test(x, axis):
        return ours.ttest_1samp(x, 0.0, axis=axis)

    result = ours.power(test, rvs, cp.asarray([5, 10]), n_resamples=20)
    assert result.power.shape == (2,)


def test_statistics_of_one_sample_that_take_no_axis():
    x, y = cp.asarray([1.0, 2.0, 3.0, 4.0]), cp.asarray([1.0, 3.0, 2.0, 4.0])
    result = ours.permutation_test((x,), lambda x: ours.spearmanr(x, y).statistic, permutation_type="pairings")
    expected = theirs.permutation_test(
        (x.get(),), lambda x: theirs.spearmanr(x, y.get()).statistic, permutation_type="pairings"
    )
    assert result.pvalue.item() == pytest.approx(expected.pvalue)


def test_names_of_scipy():
    assert ours.lmoment(sample=[1.0, 2.0, 3.0], order=2).item() == pytest.approx(2 / 3)
    assert ours.binomtest(3, 15).proportion_estimate == 0.2
    assert ours.Uniform(a=1.0, b=3.0).ab.item() == 2
    assert ours.Uniform(a=1.0, b=3.0).reset_cache() is None
    assert issubclass(ours.FitError, RuntimeError)
    assert issubclass(ours.NearConstantInputWarning, ours.DegenerateDataWarning)
    counts = ours.binned_statistic_2d([0.1, 0.2, 0.7], [0.1, 0.3, 0.9], None, "count", bins=2)
    np.testing.assert_array_equal(counts.statistic.get(), [[2, 0], [0, 1]])


def test_policies_of_sigmaclip():
    """SciPy has them from 1.18 on."""
    x = cp.asarray([1.0, np.nan, 2.0, 3.0, 2.5])
    with pytest.raises(ValueError, match="nan values"):
        cp.scipy.stats.sigmaclip(x, 1, 1, nan_policy="raise")
    with pytest.raises(ValueError, match="nan_policy"):
        cp.scipy.stats.sigmaclip(x, 1, 1, nan_policy="bogus")
    omitted = cp.scipy.stats.sigmaclip(x, 1, 1, nan_policy="omit")
    assert omitted.clipped.tolist() == [2.0, 2.5] and (omitted.lower.item(), omitted.upper.item()) == (2.0, 2.5)
    spread = cp.scipy.stats.sigmaclip(x, 1, 1)
    assert spread.clipped.size == 0 and np.isnan([spread.lower.item(), spread.upper.item()]).all()
