"""Integers near the limits of their dtype in functions whose results are floats: sums, differences and squares of them
must not wrap around, so results are those of the same numbers in float64.

`x`, `y` have 12 elements, `a` is a matrix of 6 x 8, `s` of 4 x 4; `g` counts as floats, `f` rises from 0 to 1.
"""

import importlib

import cuproxide as cp
import mpmath
import numpy as np
import pytest

for name in (
    "ndimage stats cluster.vq spatial spatial.distance signal interpolate sparse.linalg sparse.csgraph special".split()
):
    importlib.import_module(f"cuproxide.scipy.{name}")

DTYPES = ["int8", "uint8", "int64"]
CALLS = """
    ndimage.mean(x) | ndimage.mean(x, labels) | ndimage.mean(x, labels, [1, 2]) | ndimage.variance(x)
    ndimage.variance(x, labels, 2)
    ndimage.variance(x, labels, [1, 2, 3]) | ndimage.standard_deviation(x)
    ndimage.standard_deviation(x, labels, [1, 3])
    ndimage.center_of_mass(a) | ndimage.center_of_mass(x, labels, 2) | ndimage.center_of_mass(x, labels, [1, 3])
    ndimage.median(x, labels, [1, 2]) | ndimage.gaussian_filter(a, 1.0, output=float)
    ndimage.uniform_filter(a, 3, output=float)
    ndimage.sobel(a, output=float) | ndimage.laplace(a, output=float) | ndimage.convolve1d(x, [1, 2, 1], output=float)
    ndimage.gaussian_gradient_magnitude(a, 1.0, output=float) | ndimage.spline_filter1d(x)
    stats.moment(x, 2) | stats.moment(x, 3) | stats.skew(x) | stats.kurtosis(x) | stats.describe(x)[2:]
    stats.gmean(abs(y) + 1)
    stats.pmean(y, 2) | stats.sem(x) | stats.zscore(x) | stats.zmap(x, y) | stats.variation(x) | stats.tmean(x)
    stats.tvar(x)
    stats.tsem(x) | stats.trim_mean(x, 0.1) | stats.kstat(x, 2) | stats.kstat(x, 3) | stats.f_oneway(x, y)
    stats.ttest_ind(x, y)
    stats.ttest_rel(x, y) | stats.ttest_1samp(x, 3) | stats.pearsonr(x, y) | stats.linregress(x, y)[:2]
    stats.levene(x, y)
    stats.bartlett(x, y) | stats.theilslopes(x, y)[:2] | stats.iqr(x) | stats.median_abs_deviation(x)
    stats.boxcox(y, 0.5)
    stats.binned_statistic(g, x, "mean", 4)[0] | stats.binned_statistic(g, x, "std", 4)[0] | stats.norm.fit(x)
    stats.circmean(y)
    stats.wasserstein_distance(x, y) | stats.energy_distance(x, y) | stats.differential_entropy(y) | stats.lmoment(x)
    stats.chi2_contingency(y.reshape(3, 4))[0] | stats.alexandergovern(x, y).statistic | stats.quantile(x, 0.3)
    stats.cumfreq(x, 4)[0]
    cluster.vq.whiten(a) | cluster.vq.vq(a, a[:2])[1]
    spatial.distance.euclidean(x, y) | spatial.distance.sqeuclidean(x, y) | spatial.distance.cityblock(x, y)
    spatial.distance.chebyshev(x, y) | spatial.distance.canberra(x, y) | spatial.distance.braycurtis(x, y)
    spatial.distance.cosine(x, y) | spatial.distance.correlation(x, y) | spatial.distance.minkowski(x, y, 3)
    spatial.distance.minkowski(x, y, 1, w=f) | spatial.distance.euclidean(x, y, w=f)
    spatial.distance.cityblock(x, y, w=f)
    spatial.distance.sqeuclidean(x, y, w=f) | spatial.distance.chebyshev(x, y, w=f)
    spatial.distance.seuclidean(x, y, f + 1)
    spatial.distance.mahalanobis(x, y, cp.eye(12)) | spatial.distance.jensenshannon(y, x * x.dtype.type(0) + y[::-1])
    spatial.distance.cdist(a, a[:2]) | spatial.distance.cdist(a, a[:2], "cityblock")
    spatial.distance.cdist(a, a[:2], "correlation")
    spatial.distance.pdist(a, "sqeuclidean") | spatial.minkowski_distance(a, a[:1])
    spatial.distance_matrix(a, a[:2])
    signal.detrend(x) | signal.detrend(x, type="constant") | signal.wiener(x, 3) | signal.wiener(a, 3)
    signal.savgol_filter(x, 5, 2)
    signal.filtfilt([1.0, 2], [1, 0.5], x) | signal.sosfiltfilt([[1.0, 2, 1, 1, 0.5, 0.2]], x) | signal.hilbert(x)
    signal.lfilter([1.0, 2], [1, 0.5], x) | signal.resample(x, 20) | signal.cspline1d(x)
    signal.gauss_spline(x % x.dtype.type(7), 2) | signal.zpk2tf(x[:2], y[:2], 1) | signal.freqz(x)
    signal.group_delay((x[:3], y[:3]))
    signal.convolve2d(a, cp.ones((3, 3))) | signal.lombscargle(g, x, f + 0.1)
    interpolate.CubicSpline(g, x)(f) | interpolate.PchipInterpolator(g, x)(f)
    interpolate.Akima1DInterpolator(g, x)(f)
    interpolate.interp1d(g, x)(f) | interpolate.make_interp_spline(g, x)(f)
    interpolate.RectBivariateSpline(g[:6], g[:8], a)(f, f)
    interpolate.RegularGridInterpolator((g[:6], g[:8]), a)(cp.asarray([[0.5, 0.5]]))
    interpolate.KroghInterpolator(g[:4], x[:4])(f)
    sparse.csgraph.laplacian(s, dtype=float) | sparse.csgraph.laplacian(s, normed=True)
    sparse.csgraph.laplacian(s, form="function", dtype=float)(cp.ones(4))
    sparse.csgraph.laplacian(sparse.csr_array(s), dtype=float)
    sparse.linalg.norm(sparse.csr_array(s)) | sparse.csr_array(s).mean() | sparse.csr_array(s).mean(axis=0)
    special.logsumexp(x) | special.softmax(x) | special.cbrt(x) | special.log1p(y)
    special.exp2(y // y.dtype.type(2)) | special.expm1(y // y.dtype.type(2))
"""


def numbers(dtype, near, count, seed):
    """Numbers near the greatest of a dtype, or near both ends."""
    random = np.random.default_rng([seed, near == "ends"])
    limits = np.iinfo(dtype)
    # Doubles tell apart what lies far enough below the limit of int64.
    high, low = (limits.max, limits.min) if limits.bits < 64 else (2**53, -(2**53))
    below = high - random.integers(0, 40, count)
    above = low + random.integers(1, 40, count)
    return (
        np.where(random.integers(0, 2, count) == 0, below, above).astype(dtype)
        if near == "ends"
        else below.astype(dtype)
    )


def operands(dtype, near, convert):
    x, y = (numbers(dtype, near, 12, seed) for seed in (1, 2))
    # Some functions take only what is positive.
    y = np.maximum(y, np.asarray(1, dtype))
    a, s = numbers(dtype, near, 48, 3).reshape(6, 8), numbers(dtype, near, 16, 4).reshape(4, 4)
    own = {name: cp.asarray(convert(value)) for name, value in {"x": x, "y": y, "a": a, "s": s}.items()}
    labels = cp.asarray([1, 1, 2, 2, 1, 2, 3, 3, 1, 2, 2, 1])
    return {**own, "labels": labels, "g": cp.arange(12.0), "f": cp.linspace(0, 1, 12), "cp": cp, "float": float}


def flat(result):
    if isinstance(result, (tuple, list)):
        return [number for part in result for number in flat(part)]
    result = result.toarray() if hasattr(result, "toarray") else result
    return list(np.ravel(cp.asnumpy(result) if isinstance(result, cp.ndarray) else np.asarray(result, float)))


def evaluated(call, dtype, near, convert):
    modules = {
        name: getattr(cp.scipy, name)
        for name in "ndimage stats cluster spatial signal interpolate sparse special".split()
    }
    with np.errstate(all="ignore"):
        return np.array(flat(eval(call, {**modules, **operands(dtype, near, convert)})))


@pytest.mark.parametrize("call", [call.strip() for line in CALLS.strip().splitlines() for call in line.split(" | ")])
def test_integers_give_what_their_floats_give(call):
    for dtype in DTYPES:
        for near in ("top", "ends"):
            given = evaluated(call, dtype, near, lambda value: value)
            wanted = evaluated(call, dtype, near, lambda value: value.astype(float))
            finite = np.isfinite(wanted)
            scale = abs(wanted[finite]).max(initial=0)
            np.testing.assert_allclose(given, wanted, 1e-9, 1e-12 * scale, err_msg=f"{dtype} {near}")


# Nanoseconds since 1970: their sums exceed int64 from six on, and doubles hold them to 256 only.
TIMES = 1_764_316_800_000_000_000 + np.array(
    [0, 3_000_000, 7_500_000, 1_250_000, 4_000_000, 9_000_000, 500_000, 2_000_000]
)


def test_times_have_means_and_spreads():
    exact = [mpmath.mpf(int(value)) for value in TIMES]
    mean = sum(exact) / len(exact)
    spread = mpmath.sqrt(sum((value - mean) ** 2 for value in exact) / len(exact))
    times = cp.asarray(TIMES)
    every, ones = [1], cp.ones(len(TIMES), int)
    ndimage = cp.scipy.ndimage
    for found in (ndimage.mean(times), ndimage.mean(times, ones), ndimage.mean(times, ones, every)[0]):
        np.testing.assert_allclose(float(found), float(mean), 1e-15)
    for found in (
        ndimage.standard_deviation(times),
        ndimage.standard_deviation(times, ones, 1),
        ndimage.standard_deviation(times, ones, every)[0],
    ):
        np.testing.assert_allclose(float(found), float(spread), 1e-4)
    assert float(ndimage.variance(times)) > 0


def test_times_have_distances():
    one, other = cp.asarray(TIMES), cp.asarray(TIMES[::-1] + 3)
    wanted = [int(a) - int(b) for a, b in zip(TIMES, TIMES[::-1] + 3, strict=True)]
    distance = cp.scipy.spatial.distance
    np.testing.assert_allclose(float(distance.euclidean(one, other)), np.sqrt(float(sum(d * d for d in wanted))), 1e-15)
    assert int(distance.cityblock(one, other)) == sum(map(abs, wanted))
    assert int(distance.chebyshev(one, other)) == max(map(abs, wanted))


RANKED = """
    spearmanr kendalltau weightedtau spearmanrho mannwhitneyu ranksums brunnermunzel ansari kruskal ks_2samp
    cramervonmises_2samp
"""


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
@pytest.mark.parametrize("name", RANKED.split())
def test_ranks_of_neighbours_that_doubles_do_not_tell_apart(dtype, name):
    random = np.random.default_rng(3)
    small = [random.integers(0, 30, 15) for _ in range(2)]
    large = [value.astype(dtype) + np.asarray(2**62 if dtype == "int64" else 2**63, dtype) for value in small]
    test = getattr(cp.scipy.stats, name)
    wanted, given = (test(*map(cp.asarray, samples)) for samples in (small, large))
    np.testing.assert_array_equal(float(given.statistic), float(wanted.statistic))
    np.testing.assert_array_equal(float(given.pvalue), float(wanted.pvalue))


def test_ranks_of_several_samples():
    random = np.random.default_rng(4)
    small = [random.integers(0, 30, 10) for _ in range(3)]
    large = [value + 2**62 for value in small]
    stats = cp.scipy.stats
    for test in (
        stats.kruskal,
        stats.friedmanchisquare,
        lambda *samples: stats.anderson_ksamp(samples, variant="midrank"),
    ):
        wanted, given = (test(*map(cp.asarray, samples)) for samples in (small, large))
        np.testing.assert_array_equal(float(given.statistic), float(wanted.statistic))
    matrix = np.stack(small, axis=1)
    wanted, given = (stats.spearmanr(cp.asarray(m)).statistic for m in (matrix, matrix + 2**62))
    np.testing.assert_array_equal(cp.asnumpy(given), cp.asnumpy(wanted))


def test_the_place_of_a_statistic_is_an_element():
    one, other = (cp.asarray([2**62 + value for value in values]) for values in ((1, 5, 9), (4, 6, 30, 40)))
    result = cp.scipy.stats.ks_2samp(one, other)
    assert float(result.statistic_location) == float(2**62 + 9)


def test_laplacians_of_unsigned_integers():
    graph = np.array([[0, 200, 0], [200, 0, 100], [0, 100, 0]], np.uint8)
    wanted = [[200, -200, 0], [-200, 300, -100], [0, -100, 0 + 100]]
    csgraph = cp.scipy.sparse.csgraph
    for form in (cp.asarray, lambda value: cp.scipy.sparse.csr_array(cp.asarray(value))):
        with pytest.raises(OverflowError, match="uint8"):
            csgraph.laplacian(form(graph))
        for dtype in (np.int64, np.int16, np.float64):
            found = csgraph.laplacian(form(graph), dtype=dtype)
            found = found.toarray() if hasattr(found, "toarray") else found
            assert found.dtype == dtype
            np.testing.assert_array_equal(cp.asnumpy(found), wanted)
        ones = csgraph.laplacian(form(graph), form="function")(cp.ones((3, 1)))
        np.testing.assert_array_equal(cp.asnumpy(ones), np.zeros((3, 1)))


def test_distributions_that_nearly_agree():
    p = cp.asarray([[0.1, 0.2, 0.7], [0.1, 0.2, 0.7 + 1e-15], [2147483647, 2147483640, 2147483641]])
    found = cp.asnumpy(cp.scipy.spatial.distance.cdist(p, p * (1 + 1e-16), "jensenshannon"))
    assert np.isfinite(found).all() and (found[0, :2] < 1e-7).all()


@pytest.mark.parametrize("name", ["auto", "sqrt", "rice", "stone", "doane", "sturges", "fd", "scott"])
@pytest.mark.parametrize(
    "values",
    [
        np.array([-128, 127, -128, -127] * 40, "i1"),
        np.array([-30000, 30000, -29000, 29000] * 30, "i2"),
        np.array([-(2**31), 2**31 - 1, 0, 5] * 4, "i4"),
        np.array([200, 3, 4, 250] * 9, "u1"),
    ],
    ids=["i1", "i2", "i4", "u1"],
)
def test_numbers_of_bins_of_narrow_integers(name, values):
    # NumPy's own quartiles overflow in narrow types.
    right = np.histogram_bin_edges(values.astype(np.int64), name)
    np.testing.assert_allclose(cp.histogram_bin_edges(cp.asarray(values), name).get(), right)


def test_no_bins_between_numbers_that_are_one_float():
    top = 2**63 - 1
    for name in ("auto", "rice"):
        with pytest.raises(ValueError, match="Too many bins"):
            cp.histogram(cp.asarray([top, top - 1, top - 2, top - 7]), name)
