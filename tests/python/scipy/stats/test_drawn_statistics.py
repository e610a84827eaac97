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
    "siegelslopes": ([COMPLEX, NUMBERS[1]], TypeError),
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
