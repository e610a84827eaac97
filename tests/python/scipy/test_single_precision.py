"""float32 in, float32 out, where SciPy keeps it: what the drawn calls of `tests/differential` have found."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.integrate
import scipy.optimize.elementwise
import scipy.signal
import scipy.stats

f = np.float32
TAPS, ROOTS = np.array([1, 0.5, 0.25], f), np.array([0.5, -0.25], f)
SQUARE, COLUMN, ROW, ONE = (np.full(shape, 0.5, f) for shape in ((2, 2), (2, 1), (1, 2), (1, 1)))
POINTS = np.array([0.1, 0.2], f)


def _leaves(result):
    return list(result) if isinstance(result, tuple) else [result]


CASES = {
    "freqz": lambda s, a: s.signal.freqz(a(TAPS), a(ROOTS), worN=4),
    "freqz of one kind of coefficient": lambda s, a: s.signal.freqz(a(TAPS), worN=4),
    "freqz at given points": lambda s, a: s.signal.freqz(a(TAPS), a(ROOTS), worN=a(POINTS.astype(float))),
    "freqz of doubles at single points": lambda s, a: s.signal.freqz(a(TAPS.astype(float)), worN=a(POINTS)),
    "freqz of integers": lambda s, a: s.signal.freqz(a(np.array([1, 2])), worN=4),
    "freqz of complex": lambda s, a: s.signal.freqz(a(TAPS.astype("F")), a(ROOTS), worN=4),
    "freqz_zpk": lambda s, a: s.signal.freqz_zpk(a(ROOTS), a(ROOTS), 1.0, worN=4),
    "freqz_zpk at given points": lambda s, a: s.signal.freqz_zpk(a(ROOTS), a(ROOTS), 1.0, worN=a(POINTS.astype(float))),
    "freqz_sos": lambda s, a: s.signal.freqz_sos(a(np.array([[1, 0.5, 0, 1, 0.25, 0]], f)), worN=4),
    "ss2tf": lambda s, a: s.signal.ss2tf(a(SQUARE), a(COLUMN), a(ROW), a(ONE)),
    "ss2tf of integers": lambda s, a: s.signal.ss2tf(*(a(np.ones(m.shape, int)) for m in (SQUARE, COLUMN, ROW, ONE))),
    "false_discovery_control": lambda s, a: s.stats.false_discovery_control(a(POINTS)),
    "false_discovery_control by": lambda s, a: s.stats.false_discovery_control(a(POINTS), method="by"),
    "tanhsinh": lambda s, a: s.integrate.tanhsinh(lambda x: 1 / (1 + x * x), a(POINTS), np.inf).integral,
    "tanhsinh of two types": lambda s, a: s.integrate.tanhsinh(lambda x: x, a(POINTS), a(np.ones(2))).integral,
    "nsum": lambda s, a: s.integrate.nsum(lambda k: 1 / k**2, a(np.array([1, 2], f)), 40).sum,
    "find_root": lambda s, a: s.optimize.elementwise.find_root(lambda x: x * x - 2, (a(POINTS), 2.0)).x,
}


@pytest.mark.parametrize("name", CASES)
def test_single_precision_is_kept(name):
    theirs = _leaves(CASES[name](scipy, lambda x: x))
    ours = _leaves(CASES[name](cp.scipy, cp.asarray))
    for left, right in zip(theirs, ours, strict=True):
        assert right.dtype == np.asarray(left).dtype
        np.testing.assert_allclose(np.asarray(right.get() if hasattr(right, "get") else right), left, rtol=2e-3)


X, Y = (np.random.default_rng(3).normal(size=(2, 12)) + [[0], [0.5]]).astype(f)
# SciPy keeps the type of the samples from 1.18 on, and gives float64 before.
LATER = {
    "linregress": lambda s, a: s.stats.linregress(a(X), a(Y)),
    "theilslopes": lambda s, a: s.stats.theilslopes(a(X), a(Y)),
    "theilslopes without x": lambda s, a: s.stats.theilslopes(a(X)),
    "siegelslopes": lambda s, a: s.stats.siegelslopes(a(X), a(Y), method="separate"),
    "kendalltau": lambda s, a: s.stats.kendalltau(a(X), a(Y)),
    "brunnermunzel": lambda s, a: s.stats.brunnermunzel(a(X), a(Y)),
    "ks_2samp": lambda s, a: s.stats.ks_2samp(a(X), a(Y)),
    "shapiro": lambda s, a: s.stats.shapiro(a(X)),
    "cumfreq": lambda s, a: s.stats.cumfreq(a(X))[:3],
    "relfreq": lambda s, a: s.stats.relfreq(a(X))[:3],
    "sawtooth": lambda s, a: s.signal.sawtooth(a(X), 0.25),
    "square": lambda s, a: s.signal.square(a(X), 0.25),
    "abcd_normalize": lambda s, a: s.signal.abcd_normalize(a(SQUARE), a(COLUMN.astype("i1")), a(ROW)),
    "ss2tf of two types": lambda s, a: s.signal.ss2tf(a(SQUARE), a(COLUMN.astype("i1")), a(ROW), a(ONE)),
}


@pytest.mark.parametrize("name", LATER)
def test_single_precision_is_kept_as_by_newer_releases(name):
    ours, theirs = (_leaves(LATER[name](*side)) for side in ((cp.scipy, cp.asarray), (scipy, lambda x: x)))
    for left, right in zip(theirs, ours, strict=True):
        assert right.dtype == f
        np.testing.assert_allclose(np.asarray(right.get() if hasattr(right, "get") else right), left, rtol=2e-5)


def test_samples_of_two_types_have_results_of_both():
    wide = X.astype(float)
    assert {part.dtype.char for part in cp.scipy.stats.theilslopes(cp.asarray(X), cp.asarray(wide))} == {"d"}
    assert {part.dtype.char for part in cp.scipy.stats.obrientransform(cp.asarray(X), cp.asarray(wide))} == {"d"}
    assert {part.dtype.char for part in cp.scipy.stats.obrientransform(cp.asarray(X), cp.asarray(Y))} == {"f"}
    assert {part.dtype.char for part in cp.scipy.signal.abcd_normalize(SQUARE, COLUMN.astype(float), ROW)} == {"d"}


def test_the_quantile_test_has_the_type_of_its_sample():
    found = cp.scipy.stats.quantile_test(cp.asarray(X), q=0.25)
    wide = cp.scipy.stats.quantile_test(cp.asarray(X.astype(float)), q=0.25)
    assert {v.dtype.char for v in (found.statistic, found.statistic_type, found.pvalue)} == {"f"}
    assert found.statistic == wide.statistic == np.count_nonzero(X <= 0.25)
    assert wide.pvalue == pytest.approx(float(found.pvalue), rel=1e-6)
    assert cp.scipy.stats.quantile_test(cp.arange(9)).statistic.dtype == np.float64


def test_a_line_of_single_precision_is_computed_in_double():
    x, y = (X + 4096).astype(f), (Y + 4096).astype(f)
    exact = cp.scipy.stats.linregress(cp.asarray(x, float), cp.asarray(y, float))
    found = cp.scipy.stats.linregress(cp.asarray(x), cp.asarray(y))
    slopes = [cp.scipy.stats.theilslopes(cp.asarray(y, t), cp.asarray(x, t)).slope for t in (f, float)]
    assert float(found.slope) == pytest.approx(float(exact.slope), rel=1e-6)
    assert float(slopes[0]) == pytest.approx(float(slopes[1]), rel=1e-6)
