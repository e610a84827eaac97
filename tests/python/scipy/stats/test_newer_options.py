"""What newer releases of SciPy added: the estimated distribution function, axes and policies of some tests."""

import cuproxide as cp
import cuproxide.scipy.stats as ours
import numpy as np
import pytest
import scipy.stats as theirs

RANDOM = np.random.default_rng(1)
X = RANDOM.normal(size=(4, 9))
SAMPLE, AT = [1, 2, 4, 4, 7.0], [0, 1, 1.5, 4, 5, 7, 9]
# By hand: the count of elements up to the point plus the share of the gap, at the positions of Hyndman and Fan.
BY_HAND = {
    "inverted_cdf": [0, 1 / 5, 1 / 5, 4 / 5, 4 / 5, 1, 1],
    "averaged_inverted_cdf": [0, 1 / 5, 1 / 5, 4 / 5, 4 / 5, 1, 1],
    "closest_observation": [0, 0.3, 0.3, 0.9, 0.9, 1, 1],
    "interpolated_inverted_cdf": [0, 1 / 5, 3 / 10, 4 / 5, 13 / 15, 1, 1],
    "hazen": [0, 1 / 10, 2 / 10, 7 / 10, 23 / 30, 9 / 10, 1],
    "weibull": [0, 1 / 6, 1.5 / 6, 4 / 6, 13 / 18, 5 / 6, 1],
    "linear": [0, 0, 1 / 8, 3 / 4, 5 / 6, 1, 1],
    "median_unbiased": [0, 1 / 8, 3.5 / 16, 11 / 16, 3 / 4, 7 / 8, 1],
    "normal_unbiased": [0, 2.5 / 21, 4.5 / 21, 14.5 / 21, 47.5 / 63, 18.5 / 21, 1],
}


@pytest.mark.parametrize("method", BY_HAND)
def test_distribution_functions(method):
    found = ours.estimated_cdf(SAMPLE, AT, method=method)
    np.testing.assert_allclose(found.get(), BY_HAND[method], rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("method", ["linear", "hazen", "weibull", "median_unbiased"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_the_inverse_of_quantiles(method, axis):
    p = np.linspace(0.2, 0.8, 7)
    p = p[:, None] if axis == 0 else p[None]
    q = ours.quantile(cp.asarray(X), cp.asarray(p), method=method, axis=axis)
    found = ours.estimated_cdf(cp.asarray(X), q, method=method, axis=axis)
    np.testing.assert_allclose(found.get(), np.broadcast_to(p, found.shape), rtol=1e-12)


def test_shapes_and_nan_of_distribution_functions():
    gaps = np.array([1, 2, np.nan, 4, 7.0])
    assert np.isnan(ours.estimated_cdf(gaps, [1, 3.0]).get()).all()
    omitted = ours.estimated_cdf(gaps, [1, np.nan, 4], nan_policy="omit").get()
    np.testing.assert_allclose(omitted, [0, np.nan, 2 / 3])
    with pytest.raises(ValueError, match="nan"):
        ours.estimated_cdf(gaps, 1.0, nan_policy="raise")
    assert ours.estimated_cdf(SAMPLE, 4.0).shape == () and ours.estimated_cdf(SAMPLE, 4, keepdims=True).shape == (1,)
    assert ours.estimated_cdf(X, 0.0, axis=None).shape == ()
    assert np.isnan(ours.estimated_cdf([], 3.0).item())
    for options in ({"method": "x"}, {"keepdims": False}, {"nan_policy": "x"}, {"axis": 3}):
        with pytest.raises(ValueError):
            ours.estimated_cdf(SAMPLE, AT, **options)


def test_expectiles_along_axes():
    weights = RANDOM.uniform(size=9)
    found = ours.expectile(cp.asarray(X), 0.7, axis=1, weights=cp.asarray(weights))
    for row, value in zip(X, found.tolist(), strict=True):
        np.testing.assert_allclose(value, theirs.expectile(row, 0.7, weights=weights), rtol=1e-9)
    gaps = np.append(X[0], np.nan)
    np.testing.assert_allclose(
        ours.expectile(gaps, 0.7, nan_policy="omit").item(), theirs.expectile(X[0], 0.7), rtol=1e-9
    )
    assert np.isnan(ours.expectile(gaps, 0.7).item())
    assert ours.expectile(X, 0.7, keepdims=True).shape == (1, 1)


def test_tests_of_quantiles_along_axes():
    found = ours.quantile_test(cp.asarray(X), q=0.1, p=0.4, axis=1)
    low, high = found.confidence_interval()
    for i, row in enumerate(X):
        expected = theirs.quantile_test(row, q=0.1, p=0.4)
        assert (found.statistic[i], found.statistic_type[i]) == (expected.statistic, expected.statistic_type)
        np.testing.assert_allclose(found.pvalue[i].item(), expected.pvalue, rtol=1e-12)
        ends = expected.confidence_interval()
        np.testing.assert_allclose([low[i].item(), high[i].item()], [ends.low, ends.high])
    several = ours.quantile_test(cp.asarray(X), q=cp.asarray([[0.0, 0.5]]), axis=1)
    assert several.pvalue.shape == (4, 2)
    np.testing.assert_allclose(several.pvalue[2, 1].item(), theirs.quantile_test(X[2], q=0.5).pvalue, rtol=1e-12)
    assert ours.quantile_test(X, axis=1, keepdims=True).pvalue.shape == (4, 1)


def test_baumgartner_weiss_schindler_along_axes():
    y = RANDOM.normal(size=(4, 7))
    method = ours.PermutationMethod(n_resamples=20, rng=1)
    found = ours.bws_test(cp.asarray(X), cp.asarray(y), axis=1, method=method)
    assert found.pvalue.shape == (4,)
    for i in range(4):
        expected = theirs.bws_test(X[i], y[i], method=theirs.PermutationMethod(n_resamples=20)).statistic
        np.testing.assert_allclose(found.statistic[i].item(), expected, rtol=1e-12)


def test_methods_of_ansari_and_bradley():
    x, y = cp.asarray([1, 2, 3.0]), cp.asarray([4, 5, 6, 1.5])
    exact = ours.ansari(x, y, method="exact").pvalue.item()
    np.testing.assert_allclose(exact, theirs.ansari(x.get(), y.get()).pvalue, rtol=1e-12)
    np.testing.assert_allclose(ours.ansari(x, y, method=ours.PermutationMethod()).pvalue.item(), exact, rtol=1e-12)
    # The normal approximation by hand: 3 and 4 scores, whose sum of 8 is to be 48 / 7.
    spread = 3 * 4 * 8 * (3 + 49) / (48 * 49)
    expected = 2 * theirs.norm.sf(abs(8 - 48 / 7) / np.sqrt(spread))
    np.testing.assert_allclose(ours.ansari(x, y, method="asymptotic").pvalue.item(), expected, rtol=1e-10)
    with pytest.raises(ValueError, match="'x'"):
        ours.ansari(x, y, method="x")


@pytest.mark.parametrize("name", ["boxcox", "yeojohnson"])
def test_transforms_of_samples_with_nan(name):
    full, gaps = np.array([1, 2, 4.0]), np.array([1, 2, np.nan, 4])
    function = getattr(ours, name)
    expected, exponent = function(full)
    found, best = function(gaps, nan_policy="omit")
    np.testing.assert_allclose(found.get()[[0, 1, 3]], expected.get())
    assert np.isnan(found[2].item()) and float(best) == float(exponent)
    found, best = function(gaps)
    assert np.isnan(found.get()).all() and np.isnan(best)
    assert np.isnan(function(gaps, 0.5).get()).tolist() == [False, False, True, False]
    for args in ((), (0.5,)):
        with pytest.raises(ValueError, match="nan"):
            function(gaps, *args, nan_policy="raise")
    with pytest.raises(ValueError, match="nan_policy"):
        function(gaps, nan_policy="x")


def test_obriens_transform_of_samples_with_nan():
    found = ours.obrientransform([1, 2, np.nan, 4], [2, 3, 5, 1.0], nan_policy="omit")
    expected = theirs.obrientransform([1, 2, 4.0])
    np.testing.assert_allclose(found[0].get()[[0, 1, 3]], np.asarray(expected[0]))
    assert np.isnan(found[0][2].item())
    with pytest.raises(ValueError, match="nan"):
        ours.obrientransform([1, np.nan], nan_policy="raise")


@pytest.mark.parametrize("method", ["average", "min", "max", "dense", "ordinal"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64, np.uint8, bool])
def test_ranks_are_floats_as_wide_as_the_samples(method, dtype):
    x = np.array([1, 0, 1, 3]).astype(dtype)
    found = ours.rankdata(cp.asarray(x), method)
    assert found.dtype == (dtype if np.dtype(dtype).kind == "f" else np.float64)
    np.testing.assert_array_equal(found.get(), theirs.rankdata(x.astype(np.float64), method))
    if np.dtype(dtype).kind == "f":
        gaps = np.append(x, dtype(np.nan))
        assert ours.rankdata(gaps, method, nan_policy="omit").dtype == dtype
        assert np.isnan(ours.rankdata(gaps, method).get()).all()


@pytest.mark.parametrize("name", ["wilcoxon", "pointbiserialr", "spearmanrho", "pearsonr"])
@pytest.mark.parametrize("first", [True, False])
def test_complex_samples_are_refused(name, first):
    real, imaginary = np.arange(6.0), np.arange(6) + 1j
    pair = (imaginary, real) if first else (real, imaginary)
    with pytest.raises(ValueError, match="complex data|array of real numbers"):
        getattr(ours, name)(*map(cp.asarray, pair))


@pytest.mark.parametrize("continuity", [True, False])
def test_z_of_ranks(continuity):
    """By hand: U less its mean, less half a step towards it, over the deviation with its correction for ties."""
    x, y = np.array([[1.0, 2, 4, 9], [5, 5, 5, 6], [1, 3, 2, 2]]), np.array([[2.0, 3, 9], [1, 2, 7], [0, 5, 2]])
    u = (x[:, :, None] > y[:, None]).sum((1, 2)) + (x[:, :, None] == y[:, None]).sum((1, 2)) / 2
    n1, n2 = x.shape[1], y.shape[1]
    n = n1 + n2
    ties = np.array([sum(c**3 - c for c in np.unique(row, return_counts=True)[1]) for row in np.hstack([x, y])])
    deviation = np.sqrt(n1 * n2 / 12 * (n + 1 - ties / (n * (n - 1))))
    for alternative, sign in {"two-sided": np.sign(u - n1 * n2 / 2), "less": -1, "greater": 1}.items():
        found = ours.mannwhitneyu(x, y, continuity, alternative, axis=1, method="asymptotic", keepdims=True)
        expected = (u - n1 * n2 / 2 - 0.5 * continuity * sign) / deviation
        assert found.zstatistic.shape == (3, 1)
        np.testing.assert_allclose(found.zstatistic.get()[:, 0], expected, rtol=1e-14)
    x[1, 2] = np.nan
    assert np.isnan(ours.mannwhitneyu(x, y, axis=1, method="asymptotic").zstatistic.get()).tolist() == [
        False,
        True,
        False,
    ]
    with pytest.warns(RuntimeWarning, match="too small"):
        assert np.isnan(ours.mannwhitneyu([], [1.0], method="asymptotic").zstatistic)
    assert len(found) == 2
    assert not hasattr(ours.mannwhitneyu(x[0], y[0], method="exact"), "zstatistic")
    assert ours.mannwhitneyu(np.float32([1, 2]), np.float32([0, 3]), method="asymptotic").zstatistic.dtype == np.float32


K, N = np.array([[0, 3, 7], [20, 11, 1]]), np.array([20, 11, 500])
SHARES = np.array([[[0.3]], [[0.01]], [[0.0]], [[1.0]]])


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_several_tests_of_proportions(alternative):
    found = ours.binomtest(cp.asarray(K), N, cp.asarray(SHARES), alternative)
    assert found.pvalue.shape == found.k.shape == (4, 2, 3)
    for index, (k, n, p) in zip(np.ndindex(4, 2, 3), np.broadcast(K, N, SHARES), strict=True):
        if k > n:
            assert all(np.isnan(part[index]) for part in (found.k, found.n, found.statistic, found.pvalue))
            continue
        one, expected = ours.binomtest(k, n, p, alternative), theirs.binomtest(int(k), int(n), p, alternative)
        assert (found.k[index], found.n[index], found.statistic[index]) == (k, n, k / n)
        assert isinstance(one.pvalue, float)
        assert one.pvalue == float(found.pvalue[index])
        np.testing.assert_allclose(one.pvalue, expected.pvalue, rtol=1e-10, atol=1e-300)


@pytest.mark.parametrize("method", ["exact", "wilson", "wilsoncc"])
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_several_intervals_of_proportions(method, alternative):
    k, n = np.array([0, 3, 20, 7]), 20
    low, high = ours.binomtest(k, n, 0.3, alternative).proportion_ci(0.9, method)
    for i, count in enumerate(k):
        one = ours.binomtest(count, n, 0.3, alternative).proportion_ci(0.9, method)
        expected = theirs.binomtest(int(count), n, 0.3, alternative).proportion_ci(0.9, method)
        assert one == (float(low[i]), float(high[i]))
        np.testing.assert_allclose(one, expected, rtol=1e-9, atol=1e-12)


def test_proportions_that_make_no_sense():
    found = ours.binomtest([3.5, -1, 6, 2, 2, 2, np.nan], [5, 5, 5, 0, 5, 5, 5], [0.5] * 4 + [-0.1, 0.5, 0.5])
    assert np.isnan(found.pvalue.get()).tolist() == [True, True, True, True, True, False, True]
    low, high = found.proportion_ci()
    assert np.isnan(low.get()).tolist() == np.isnan(high.get()).tolist() == np.isnan(found.k.get()).tolist()
    narrow = ours.binomtest(np.float32([3, 1]), np.float32(5), np.float32(0.3))
    assert narrow.pvalue.dtype == narrow.proportion_ci().low.dtype == np.float32
    assert ours.binomtest(np.zeros((0, 2)), 5).pvalue.shape == (0, 2)
    with pytest.raises(ValueError, match="k"):
        ours.binomtest(6, 5)
    with pytest.raises(ValueError, match="alternative"):
        ours.binomtest([1, 2], 5, alternative="more")
