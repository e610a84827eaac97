"""Censored data, their empirical distributions, fits and the test of two of them, beside SciPy."""

import warnings

import cuproxide as cp
import cuproxide.scipy.stats as ours
import numpy as np
import pytest
import scipy.stats as theirs
from pictures import Axes

FIRST = {"uncensored": [6, 13, 21, 30, 37, 38, 49, 50, 63, 79, 86, 98, 202, 219], "right": [31, 47, 80, 82, 82, 149]}
SECOND = {"uncensored": [10, 10, 12, 13, 14, 15, 40, 40, 46, 48, 76, 81, 82, 91, 112, 181], "right": [34, 40, 70]}
TIES = {"uncensored": [1.0, 1, 2, 3, 3], "right": [3.0, 1, 5]}
KNOWN = {"uncensored": [3.0, 1.0, 1.0, 8.0]}
INTERVALS = {
    "uncensored": [1, 1.5], "left": [0], "right": [10],
    "interval": [[2, 3], [4, 4], [-np.inf, 3], [2, np.inf]],
}  # fmt: skip


@pytest.mark.parametrize("parts", [FIRST, KNOWN, INTERVALS, {}], ids=["right", "known", "intervals", "none"])
def test_censored_data(parts):
    one, other = (s.CensoredData(**parts) for s in (ours, theirs))
    assert (repr(one), str(one), len(one), one.num_censored()) == (
        repr(other),
        str(other),
        len(other),
        other.num_censored(),
    )
    assert repr((one - 1) / 2.0) == repr((other - 1) / 2.0)
    x, marks = np.array([4.0, 10, 24, 25]), [False, False, True, True]
    for method in ("left_censored", "right_censored"):
        assert repr(getattr(ours.CensoredData, method)(cp.asarray(x), marks)) == repr(
            getattr(theirs.CensoredData, method)(x, marks)
        )
    low, high = [0.5, 2, -np.inf], [1, 3, 4]
    assert repr(ours.CensoredData.interval_censored(low, high)) == repr(
        theirs.CensoredData.interval_censored(low, high)
    )


ERRORS = {
    "nan": lambda s: s.CensoredData([1.0, np.nan]),
    "infinite": lambda s: s.CensoredData(left=[np.inf]),
    "dimensions": lambda s: s.CensoredData([[1.0]]),
    "interval": lambda s: s.CensoredData(interval=[1.0, 2.0]),
    "order": lambda s: s.CensoredData(interval=[[2.0, 1.0]]),
    "both": lambda s: s.CensoredData(interval=[[-np.inf, np.inf]]),
    "marks": lambda s: s.CensoredData.right_censored([1.0, 2.0], [True]),
    "ecdf": lambda s: s.ecdf(s.CensoredData(left=[1.0])),
    "level": lambda s: s.ecdf([1.0, 2.0]).cdf.confidence_interval(2.0),
    "method": lambda s: s.ecdf([1.0, 2.0]).cdf.confidence_interval(method="x"),
    "alternative": lambda s: s.logrank([1.0, 2.0], [3.0], "x"),
    "moments": lambda s: s.gamma.fit(s.CensoredData([1.0, 2.0], left=[1.0]), method="mm"),
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors(case):
    with pytest.raises(Exception) as expected:  # noqa: PT011
        ERRORS[case](theirs)
    with pytest.raises(type(expected.value)):
        ERRORS[case](ours)


@pytest.mark.parametrize("parts", [FIRST, SECOND, TIES, KNOWN], ids=["first", "second", "ties", "known"])
def test_empirical_distributions(parts):
    one, other = (s.ecdf(s.CensoredData(**parts)) for s in (ours, theirs))
    x = np.array([-np.inf, 0, 1, 6, 6.5, 40, 82, 200, 219, 300, np.inf])
    for kind in ("cdf", "sf"):
        steps, expected = getattr(one, kind), getattr(other, kind)
        np.testing.assert_array_equal(steps.quantiles.get(), expected.quantiles)
        np.testing.assert_allclose(steps.probabilities.get(), expected.probabilities, atol=1e-15)
        np.testing.assert_allclose(steps.evaluate(cp.asarray(x)).get(), expected.evaluate(x), atol=1e-15)
        for method in ("linear", "log-log"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                inner, outer = (s.confidence_interval(0.9, method=method) for s in (steps, expected))
            for end in ("low", "high"):
                ours_end, theirs_end = (getattr(interval, end).probabilities for interval in (inner, outer))
                np.testing.assert_allclose(ours_end.get(), theirs_end, atol=1e-14)
    with pytest.raises(NotImplementedError):
        inner.low.confidence_interval()
    axes = Axes()
    one.sf.plot(axes)
    assert axes.calls[0][0] == "step"


def test_intervals_that_are_undefined_warn():
    with pytest.warns(RuntimeWarning, match="undefined"):
        ours.ecdf([1.0, 2.0]).sf.confidence_interval()


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_logrank(alternative):
    pairs = [(FIRST, SECOND), (SECOND, KNOWN), (TIES, KNOWN)]
    for x, y in pairs:
        one, other = (s.logrank(s.CensoredData(**x), s.CensoredData(**y), alternative) for s in (ours, theirs))
        assert one.statistic.item() == pytest.approx(other.statistic, rel=1e-13)
        assert one.pvalue.item() == pytest.approx(other.pvalue, rel=1e-12)
    assert ours.logrank(cp.asarray([1.0, 2.0]), [3.0, 4.0]).pvalue.shape == ()


def test_fits():
    w = 30 * np.random.default_rng(1).weibull(2.5, 250)
    x, whole = np.minimum(w, 40), np.floor(w)
    for name, make, held in (
        ("weibull_min", lambda s: s.CensoredData.right_censored(x, w > 40), {"floc": 0}),
        ("gamma", lambda s: s.CensoredData.interval_censored(whole, whole + 1), {"floc": 0}),
        ("norm", lambda s: s.CensoredData.left_censored(x, x < 20), {}),
        ("norm", lambda s: s.CensoredData(x), {}),
    ):
        found, expected = (getattr(s, name).fit(make(s), **held) for s in (ours, theirs))
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-6)
