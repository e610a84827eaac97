"""Statistics of one sample and of two over types, axes, policies for NaN and sizes, beside SciPy's: a seeded sample.

Values, shapes, types of exceptions, and warnings of samples that are too small.
"""

import itertools
import warnings

import cuproxide as cp
import cuproxide.scipy.stats as ours
import numpy as np
import pytest
import scipy.stats as theirs
from effort import sample
from versions import SCIPY_1_18

ONE = {
    "moment": {"order": 3},
    "skew": {},
    "kurtosis": {"bias": False},
    "gmean": {},
    "hmean": {},
    "pmean": {"p": 2},
    "sem": {},
    "variation": {},
    "mode": {},
    "iqr": {},
    "median_abs_deviation": {},
    "gstd": {},
    "tmean": {"limits": (-9, 9)},
    "tvar": {},
    "tstd": {"limits": (-9, 9)},
    "tmin": {"lowerlimit": -9},
    "tmax": {"upperlimit": 9},
    "tsem": {},
    "entropy": {},
    "trim_mean": {"proportiontocut": 0.2},
    "kstat": {"n": 2},
    "kstatvar": {"n": 1},
    "lmoment": {"order": 2},
    "differential_entropy": {},
    "ttest_1samp": {"popmean": 0.5},
    "skewtest": {},
    "kurtosistest": {},
    "normaltest": {},
    "jarque_bera": {},
    "shapiro": {},
    "circmean": {},
    "circvar": {},
    "wilcoxon": {},
    "combine_pvalues": {},
    "chisquare": {},
    "power_divergence": {},
    "zscore": {},
    "rankdata": {},
    "boxcox_llf": {},
    "yeojohnson_llf": {},
}
TWO = [
    "ttest_ind",
    "ttest_rel",
    "mannwhitneyu",
    "ranksums",
    "brunnermunzel",
    "mood",
    "ansari",
    "kruskal",
    "fligner",
    "levene",
    "bartlett",
    "f_oneway",
    "alexandergovern",
    "ks_2samp",
    "cramervonmises_2samp",
    "epps_singleton_2samp",
    "wilcoxon",
    "linregress",
    "kendalltau",
    "spearmanrho",
    "weightedtau",
    "theilslopes",
    "pointbiserialr",
    "chatterjeexi",
]
POSITIVE = {"gmean", "hmean", "pmean", "gstd", "entropy", "chisquare", "power_divergence", "boxcox_llf"}
FIRST = ("popmean", "p", "proportiontocut", "lowerlimit")
SHAPES = {
    "plain": (5, 12),
    "ties": (5, 12),
    "gaps": (5, 12),
    "more axes": (2, 3, 9),
    "empty": (0,),
    "empty rows": (3, 0),
    "one": (1,),
    "two": (2,),
}
# Where SciPy computes with bytes or in half precision, converts NaN to integers, takes a single NaN for a number, or
# divides by a variance or a covariance that is rounding only.
OTHERWISE = {
    ("epps_singleton_2samp", np.float32),
    ("f_oneway", "more axes"),
    ("ttest_rel", np.uint8),
    ("gmean", np.uint8),
    ("gstd", np.uint8),
    ("yeojohnson_llf", np.uint8),
    ("boxcox_llf", np.uint8),
    ("entropy", np.uint8),
    ("bartlett", np.uint8),
    ("bartlett", np.int64),
    ("combine_pvalues", np.uint8),
    ("combine_pvalues", np.int64),
    ("wilcoxon", np.uint8),
    ("wilcoxon", np.int64),
    ("weightedtau", "gaps"),
    ("weightedtau", "more axes"),
    ("gstd", "empty"),
    ("gstd", "empty rows"),
    ("gstd", "one"),
    ("zscore", "empty"),
    ("zscore", "empty rows"),
    ("wilcoxon", "one"),
}


def all_cases():
    names = [(name, 1) for name in ONE] + [(name, 2) for name in TWO]
    for (name, count), dtype, kind in itertools.product(names, (np.float64, np.float32, np.int64, np.uint8), SHAPES):
        gaps = kind in ("gaps", "more axes")
        if SCIPY_1_18 and name in ("ks_2samp", "linregress"):
            # Ties are found elsewhere there, and float32 is kept.
            continue
        if name == "linregress" and kind == "more axes":
            # Of the two points that are left SciPy estimates errors of 0 before 1.18.
            continue
        if (gaps and np.dtype(dtype).kind != "f") or {(name, dtype), (name, kind)} & OTHERWISE:
            continue
        for axis in (1, 0, None) if len(SHAPES[kind]) > 1 else (0,):
            for policy in ("propagate", "omit", "raise") if gaps else ("propagate",):
                yield name, count, dtype, kind, axis, policy


def draw(random, name, dtype, kind):
    x = random.normal(size=SHAPES[kind]) * 2
    if kind == "ties" or np.dtype(dtype).kind in "iu":
        x = np.round(x)
    if np.dtype(dtype).kind == "u" or name in POSITIVE:
        x = np.abs(x) + 1
    if name == "combine_pvalues":
        x = np.abs(np.sin(x))
    if kind in ("gaps", "more axes"):
        x[random.random(x.shape) < 0.2] = np.nan
    return x.astype(dtype)


def host(value):
    if isinstance(value, tuple):
        more = [getattr(value, key) for key in ("df", "statistic_location", "statistic_sign") if hasattr(value, key)]
        return [part for item in (*value, *more) for part in host(item)]
    if hasattr(value, "pvalue"):
        return host(value.statistic) + host(value.pvalue)
    return [np.asarray(value.get() if isinstance(value, cp.ndarray) else value)]


def called(module, name, arrays, options):
    """What a function returns or raises, and whether it warns that there is too little data."""
    options = dict(options)
    arrays = [cp.asarray(a) if module is ours else a for a in arrays]
    if name.endswith("_llf"):
        arrays = [0.7, *arrays]
    arrays += [options.pop(key) for key in FIRST if key in options]
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            result = host(getattr(module, name)(*arrays, **options))
        except Exception as error:
            return error, False
    return result, any("SmallSample" in w.category.__name__ for w in seen)


CASES = sample(all_cases(), 400)


@pytest.mark.parametrize("part", range(8))
def test_like_scipy(part):
    for number, (name, count, dtype, kind, axis, policy) in enumerate(CASES):
        if number % 8 != part:
            continue
        random = np.random.default_rng(number)
        arrays = [draw(random, name, dtype, kind) for _ in range(count)]
        options = {"axis": axis, "nan_policy": policy, **(ONE[name] if count == 1 else {})}
        case = f"{name}, {np.dtype(dtype)}, {kind}, {options}"
        (expected, expected_warning), (actual, warning) = (called(m, name, arrays, options) for m in (theirs, ours))
        if isinstance(expected, Exception):
            assert isinstance(actual, Exception), case
            assert isinstance(actual, type(expected)) or isinstance(expected, type(actual)), (case, actual, expected)
            continue
        assert not isinstance(actual, Exception), (case, actual)
        assert warning == expected_warning, case
        assert len(actual) == len(expected), case
        bound = 2e-3 if dtype is np.float32 else 1e-6
        for one, other in zip(actual, expected, strict=True):
            assert one.shape == other.shape, (case, one.shape, other.shape)
            np.testing.assert_allclose(
                one.astype(float), other.astype(float), rtol=bound, atol=bound / 10, err_msg=case
            )


def test_types_are_kept():
    x = cp.asarray(np.random.default_rng(0).normal(size=(3, 20)).astype(np.float32))
    for name in ("skew", "kurtosis", "sem", "variation", "kstat", "tmean", "iqr", "circmean", "median_abs_deviation"):
        assert getattr(ours, name)(x, axis=1).dtype == np.float32, name
    for name in ("ttest_ind", "mannwhitneyu", "kruskal", "levene", "f_oneway"):
        assert getattr(ours, name)(x, x + 1, axis=1).pvalue.dtype == np.float32, name


def test_trimmed_statistics_of_rows_with_nan_are_nan():
    """They were those of the other elements."""
    x = cp.asarray([[1.0, cp.nan, 3.0], [1.0, 2.0, 3.0]])
    for name in ("tmean", "tvar", "tstd", "tsem", "tmin", "tmax"):
        result = getattr(ours, name)(x, axis=1).get()
        assert np.isnan(result[0]) and not np.isnan(result[1]), name


def test_one_observation_adds_no_variance():
    a, b = np.array([1.5]), np.array([1.0, 2.0, 4.0])
    one, other = ours.ttest_ind(cp.asarray(a), cp.asarray(b)), theirs.ttest_ind(a, b)
    np.testing.assert_allclose([float(one.statistic), float(one.pvalue)], other)


def test_bytes_are_not_subtracted_as_bytes():
    """SciPy's differences go around."""
    a, b = np.array([1, 2, 3, 5], np.uint8), np.array([4, 2, 7, 9], np.uint8)
    one, other = ours.ttest_rel(cp.asarray(a), cp.asarray(b)), theirs.ttest_rel(a.astype(float), b.astype(float))
    np.testing.assert_allclose([float(one.statistic), float(one.pvalue)], other)


@pytest.mark.filterwarnings("error")
def test_binned_functions():
    random = np.random.default_rng(1)
    x, values = random.uniform(size=60), random.normal(size=60)
    for ours_f, theirs_f in (
        (cp.std, np.std),
        (cp.sum, np.sum),
        (lambda v, axis: v.max(axis=axis) - v.min(axis=axis), np.ptp),
    ):
        one = ours.binned_statistic(cp.asarray(x), cp.asarray(values), ours_f, bins=9)
        other = theirs.binned_statistic(x, values, theirs_f, bins=9)
        np.testing.assert_allclose(one.statistic.get(), other.statistic, rtol=1e-9)
    several = [values, values**2, -values]
    for name in ("mean", "std", "median", "min", "max", "count", "sum"):
        one = ours.binned_statistic(cp.asarray(x), [cp.asarray(v) for v in several], name, bins=5)
        np.testing.assert_allclose(
            one.statistic.get(), theirs.binned_statistic(x, several, name, bins=5).statistic, rtol=1e-9
        )
    calls = []

    def spread(v, axis):
        calls.append(v.shape)
        return v.std(axis=axis)

    ours.binned_statistic(cp.arange(1000.0), [cp.arange(1000.0)] * 3, spread, bins=500)
    assert calls == [(3, 500, 2)]
