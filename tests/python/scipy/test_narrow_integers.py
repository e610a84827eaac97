"""Results that are floats are of narrow integers, such as the bytes of an image, what they are of doubles.

In some of these functions NumPy and SciPy wrap around (findings/numpy_narrow_integers.sh, scipy_narrow_integers.sh), so
the referee is the same function of float64 numbers.
"""

import cuproxide as cp
import numpy as np
import pytest
from cuproxide.scipy import integrate, interpolate, ndimage, signal, spatial, stats
from cuproxide.scipy.cluster import vq

BYTES = [200, 100, 50, 255, 0, 20, 30, 250, 199]
OTHERS = [20, 120, 60, 0, 255, 70, 90, 10, 200]
FALLING = [250, 200, 199, 120, 100, 70, 50, 20, 0]
SIGNED = [-100, 100, -128, 127, 0, 50, -60, 126, -127]
FUNCTIONS = {
    "numpy.quantile": lambda x, y, z: cp.quantile(x, [0.2, 0.3, 0.9]),
    "numpy.median": lambda x, y, z: cp.median(x[:4]),
    "numpy.trapezoid": lambda x, y, z: cp.trapezoid(x),
    "numpy.trapezoid of points": lambda x, y, z: cp.trapezoid(x, z),
    "numpy.gradient": lambda x, y, z: cp.gradient(x),
    "numpy.gradient of points": lambda x, y, z: cp.gradient(x, z),
    "numpy.interp": lambda x, y, z: cp.interp(cp.asarray([30.0, 60.5]), z[::-1], x),
    "numpy.average": lambda x, y, z: cp.average(x, weights=y),
    "numpy.cov": lambda x, y, z: cp.cov(x, y),
    "numpy.corrcoef": lambda x, y, z: cp.corrcoef(x, y),
    "numpy.linalg.norm": lambda x, y, z: cp.linalg.norm(x),
    "trapezoid": lambda x, y, z: integrate.trapezoid(x),
    "trapezoid of points": lambda x, y, z: integrate.trapezoid(x, z),
    "cumulative_trapezoid": lambda x, y, z: integrate.cumulative_trapezoid(x),
    "cumulative_trapezoid of points": lambda x, y, z: integrate.cumulative_trapezoid(x, z),
    "simpson": lambda x, y, z: integrate.simpson(x),
    "simpson of points": lambda x, y, z: integrate.simpson(x, x=z),
    "simpson of an even number": lambda x, y, z: integrate.simpson(x[:8], x=z[:8]),
    "cumulative_simpson of points": lambda x, y, z: integrate.cumulative_simpson(x, x=z[::-1]),
    "romb": lambda x, y, z: integrate.romb(x),
    "interp1d": lambda x, y, z: interpolate.interp1d(z, x)(cp.asarray([33.0, 99.0])),
    "interp1d, nearest": lambda x, y, z: interpolate.interp1d(z, x, kind="nearest")(cp.asarray([33.0, 99.0])),
    "interp1d, cubic": lambda x, y, z: interpolate.interp1d(z, x, kind="cubic")(cp.asarray([33.0, 99.0])),
    "RegularGridInterpolator": lambda x, y, z: interpolate.RegularGridInterpolator((z[::-1],), x)(cp.asarray([33.0])),
    "PchipInterpolator": lambda x, y, z: interpolate.PchipInterpolator(z[::-1], x)(cp.asarray([33.0])),
    "Akima1DInterpolator": lambda x, y, z: interpolate.Akima1DInterpolator(z[::-1], x)(cp.asarray([33.0])),
    "CubicSpline": lambda x, y, z: interpolate.CubicSpline(z[::-1], x)(cp.asarray([33.0])),
    "CubicHermiteSpline": lambda x, y, z: interpolate.CubicHermiteSpline(z[::-1], x, y)(cp.asarray([33.0])),
    "BarycentricInterpolator": lambda x, y, z: interpolate.BarycentricInterpolator(z, x)(cp.asarray([33.0])),
    "KroghInterpolator": lambda x, y, z: interpolate.KroghInterpolator(z[:4], x[:4])(cp.asarray([33.0])),
    "UnivariateSpline": lambda x, y, z: interpolate.UnivariateSpline(z[::-1], x, s=0)(cp.asarray([33.0])),
    "make_smoothing_spline": lambda x, y, z: interpolate.make_smoothing_spline(z[::-1], x, lam=1.0)(cp.asarray([33.0])),
    "griddata": lambda x, y, z: interpolate.griddata(cp.stack([x, y], 1), z, cp.asarray([[60.0, 90.0]])),
    "RBFInterpolator": lambda x, y, z: interpolate.RBFInterpolator(z[:, None], x)(cp.asarray([[33.0]])),
    "AAA": lambda x, y, z: interpolate.AAA(z[:5], x[:5])(cp.asarray([33.0])),
    "tmean": lambda x, y, z: stats.tmean(x),
    "tvar": lambda x, y, z: stats.tvar(x),
    "tstd": lambda x, y, z: stats.tstd(x),
    "gmean": lambda x, y, z: stats.gmean(z[:-1]),
    "hmean": lambda x, y, z: stats.hmean(z[:-1]),
    "pmean": lambda x, y, z: stats.pmean(z[:-1], 3),
    "zscore": lambda x, y, z: stats.zscore(x),
    "zmap": lambda x, y, z: stats.zmap(x, y),
    "sem": lambda x, y, z: stats.sem(x),
    "iqr": lambda x, y, z: stats.iqr(x),
    "moment": lambda x, y, z: stats.moment(x, order=3),
    "skew": lambda x, y, z: stats.skew(x),
    "kurtosis": lambda x, y, z: stats.kurtosis(x),
    "kstat": lambda x, y, z: stats.kstat(x, 3),
    "kstatvar": lambda x, y, z: stats.kstatvar(x, 2),
    "lmoment": lambda x, y, z: stats.lmoment(x),
    "variation": lambda x, y, z: stats.variation(x),
    "median_abs_deviation": lambda x, y, z: stats.median_abs_deviation(x),
    "trim_mean": lambda x, y, z: stats.trim_mean(x, 0.2),
    "expectile": lambda x, y, z: stats.expectile(x, 0.3),
    "circmean": lambda x, y, z: stats.circmean(x, high=360),
    "quantile": lambda x, y, z: stats.quantile(x, 0.3),
    "scoreatpercentile": lambda x, y, z: stats.scoreatpercentile(x, 30),
    "entropy": lambda x, y, z: stats.entropy(z),
    "pearsonr": lambda x, y, z: stats.pearsonr(x, y)[0],
    "spearmanr": lambda x, y, z: stats.spearmanr(x, y)[0],
    "linregress": lambda x, y, z: stats.linregress(x, y)[0],
    "theilslopes": lambda x, y, z: stats.theilslopes(x, y)[0],
    "siegelslopes": lambda x, y, z: stats.siegelslopes(x, y)[0],
    "ttest_rel": lambda x, y, z: stats.ttest_rel(x, y)[0],
    "ttest_ind": lambda x, y, z: stats.ttest_ind(x, y)[0],
    "ttest_1samp": lambda x, y, z: stats.ttest_1samp(x, 30)[0],
    "wilcoxon": lambda x, y, z: stats.wilcoxon(x, y)[0],
    "f_oneway": lambda x, y, z: stats.f_oneway(x, y)[0],
    "bartlett": lambda x, y, z: stats.bartlett(x, y)[0],
    "levene": lambda x, y, z: stats.levene(x, y)[0],
    "fligner": lambda x, y, z: stats.fligner(x, y)[0],
    "obrientransform": lambda x, y, z: stats.obrientransform(x, y)[0],
    "chisquare": lambda x, y, z: stats.chisquare(z + 1)[0],
    "energy_distance": lambda x, y, z: stats.energy_distance(x, y),
    "wasserstein_distance": lambda x, y, z: stats.wasserstein_distance(x, y),
    "boxcox": lambda x, y, z: stats.boxcox(z[:-1], lmbda=2),
    "yeojohnson": lambda x, y, z: stats.yeojohnson(x, lmbda=2),
    "gaussian_kde": lambda x, y, z: stats.gaussian_kde(x)(cp.asarray([33.0])),
    "euclidean": lambda x, y, z: spatial.distance.euclidean(x, y),
    "sqeuclidean": lambda x, y, z: spatial.distance.sqeuclidean(x, y),
    "minkowski": lambda x, y, z: spatial.distance.minkowski(x, y, p=3),
    "cosine": lambda x, y, z: spatial.distance.cosine(x, y),
    "correlation": lambda x, y, z: spatial.distance.correlation(x, y),
    "canberra": lambda x, y, z: spatial.distance.canberra(x, y),
    "braycurtis": lambda x, y, z: spatial.distance.braycurtis(x, y),
    "cityblock": lambda x, y, z: spatial.distance.cityblock(x, y),
    "chebyshev": lambda x, y, z: spatial.distance.chebyshev(x, y),
    "cdist": lambda x, y, z: spatial.distance.cdist(x.reshape(3, 3), y.reshape(3, 3)),
    "pdist": lambda x, y, z: spatial.distance.pdist(x.reshape(3, 3), "cityblock"),
    "distance_matrix": lambda x, y, z: spatial.distance_matrix(x.reshape(3, 3), y.reshape(3, 3)),
    "minkowski_distance": lambda x, y, z: spatial.minkowski_distance(x, y),
    "procrustes": lambda x, y, z: spatial.procrustes(x.reshape(3, 3), y.reshape(3, 3))[2],
    "whiten": lambda x, y, z: vq.whiten(x.reshape(3, 3)),
    "vq": lambda x, y, z: vq.vq(x.reshape(3, 3), y.reshape(3, 3))[1],
    "detrend": lambda x, y, z: signal.detrend(x),
    "fftconvolve": lambda x, y, z: signal.fftconvolve(x, y),
    "savgol_filter": lambda x, y, z: signal.savgol_filter(x, 5, 2),
    "wiener": lambda x, y, z: signal.wiener(x),
    "decimate": lambda x, y, z: signal.decimate(cp.concatenate([x] * 4), 2),
    "resample": lambda x, y, z: signal.resample(x, 4),
    "resample_poly, line": lambda x, y, z: signal.resample_poly(x, 3, 2, padtype="line"),
    "resample_poly, maximum": lambda x, y, z: signal.resample_poly(x, 3, 2, padtype="maximum"),
    "upfirdn, antireflect": lambda x, y, z: signal.upfirdn([1.0, 0.5], x, 2, mode="antireflect"),
    "upfirdn, antisymmetric": lambda x, y, z: signal.upfirdn([1.0, 0.5], x, 2, mode="antisymmetric"),
    "upfirdn, smooth": lambda x, y, z: signal.upfirdn([1.0, 0.5], x, 2, mode="smooth"),
    "numpy.unwrap": lambda x, y, z: cp.unwrap(x),
    "numpy.unwrap of degrees": lambda x, y, z: cp.unwrap(x, period=360.0),
    "lfilter": lambda x, y, z: signal.lfilter(x, [1.0, 0.5], y),
    "sosfilt": lambda x, y, z: signal.sosfilt(signal.butter(2, 0.3, output="sos"), x),
    "filtfilt": lambda x, y, z: signal.filtfilt([1.0, 1.0], [2.0], x, padlen=3),
    "hilbert": lambda x, y, z: signal.hilbert(x),
    "peak_prominences": lambda x, y, z: signal.peak_prominences(x, cp.asarray([3]))[0],
    "variance of a label": lambda x, y, z: ndimage.variance(x),
    "standard_deviation of a label": lambda x, y, z: ndimage.standard_deviation(x),
    "mean of a label": lambda x, y, z: ndimage.mean(x, cp.asarray([1, 1, 1, 2, 2, 2, 2, 2, 2]), [1, 2]),
    "median of a label": lambda x, y, z: ndimage.median(x[:4]),
    "center_of_mass": lambda x, y, z: cp.asarray(ndimage.center_of_mass(x)),
}
FOR_BYTES_ALONE = (
    "gmean",
    "hmean",
    "pmean",
    "boxcox",
    "entropy",
    "chisquare",
    "canberra",
    "center_of_mass",
    "circmean",
)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_as_of_doubles(name, dtype):
    if dtype == "int8" and name in FOR_BYTES_ALONE:
        pytest.skip("of what is not negative")
    three = (BYTES, OTHERS, FALLING) if dtype == "uint8" else (SIGNED, SIGNED[::-1], sorted(SIGNED)[::-1])
    function = FUNCTIONS[name]
    found = function(*(cp.asarray(x, dtype) for x in three))
    wanted = function(*(cp.asarray(x, "float64") for x in three))
    tolerance = 1e-5 if cp.asarray(found).dtype == np.float32 else 1e-12
    np.testing.assert_allclose(cp.asnumpy(found), cp.asnumpy(wanted), rtol=tolerance, atol=1e-10)


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in FUNCTIONS
        if name.startswith("numpy.gradient of")
        or name
        in (
            "zscore",
            "zmap",
            "sem",
            "skew",
            "kurtosis",
            "variation",
            "lmoment",
            "tmean",
            "tstd",
            "trim_mean",
            "pearsonr",
            "circmean",
            "ttest_rel",
            "ttest_ind",
            "ttest_1samp",
            "f_oneway",
            "bartlett",
            "levene",
            "entropy",
            "cosine",
            "correlation",
            "center_of_mass",
            "variance of a label",
        )
    ],
)
def test_half_precision_within_its_range(name):
    """Squares and sums of float16 leave its range, where the result does not."""
    three = [np.float16(x) * np.float16(200) for x in (BYTES, OTHERS, FALLING)]
    found, wanted = (FUNCTIONS[name](*(cp.asarray(x, dtype) for x in three)) for dtype in ("float16", "float64"))
    np.testing.assert_allclose(cp.asnumpy(found).astype(float), cp.asnumpy(wanted), rtol=5e-3, atol=2e-3)


@pytest.mark.parametrize("function", [stats.ttest_ind, stats.ttest_rel])
def test_half_precision_of_results(function):
    one, two = (cp.asarray(np.float16(x)) for x in (BYTES, OTHERS))
    found = function(one, two)
    assert found.statistic.dtype == found.pvalue.dtype == np.float16
    assert function(one, two.astype("float32")).statistic.dtype == np.float32


def test_unwrapped_integers():
    """Whole numbers stay in their type, and the steps between them do not wrap around."""
    angles = np.array([-15000, 15000, -19200, 18900], "i2")
    found = cp.unwrap(cp.asarray(angles), period=360)
    assert found.dtype == np.int16
    np.testing.assert_array_equal(found.get(), np.unwrap(angles.astype("i8"), period=360))


def test_ends_far_apart():
    """The distance of two numbers can leave the range of their type, where what lies between does not."""
    end = 2.0**1023
    assert cp.linspace(-end, end, 5).tolist() == [-end, -end / 2, 0, end / 2, end]
    values, step = cp.linspace(cp.asarray([-end, 0.0]), end, 3, retstep=True)
    assert values.tolist() == [[-end, 0], [0, end / 2], [end, end]] and step.tolist() == [end, end / 2]
    assert cp.linspace(np.float16(-60000), np.float16(60000), 3).tolist() == [-60000, 0, 60000]
    assert cp.quantile(cp.asarray([-end, end]), [0.25, 0.5]).tolist() == [-end / 2, 0]
    assert cp.nanquantile(cp.asarray([-end, np.nan, end]), 0.25) == -end / 2
    assert float(cp.quantile(cp.asarray([-60000, 60000], "f2"), 0.5)) == 0
    assert interpolate.interp1d(cp.asarray([-60000, 60000], "f2"), [0.0, 1.0])(0.0) == 0.5
    assert np.isnan(cp.asnumpy(cp.linspace(-np.inf, 1, 3))).tolist() == np.isnan(np.linspace(-np.inf, 1, 3)).tolist()
