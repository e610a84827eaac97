"""Fits within bounds, tests of goodness of fit, probability plots, beside SciPy."""

import cuproxide as cp
import cuproxide.scipy.stats as ours
import mpmath
import numpy as np
import pytest
import scipy.optimize
import scipy.stats as theirs
from pictures import Axes

GAMMA = theirs.gamma.rvs(2.5, loc=1, scale=2, size=200, random_state=1)
COUNTS = theirs.nbinom.rvs(5, 0.5, size=300, random_state=1)
WIDE = {"a": (0.1, 10), "loc": (-5, 5), "scale": (0.1, 10)}


@pytest.mark.parametrize("method", ["mle", "mse"])
def test_fit_of_a_continuous_distribution(method):
    one, other = (s.fit(s.gamma, GAMMA, WIDE, method=method) for s in (ours, theirs))
    assert one.success
    assert one.params._fields == other.params._fields
    # The optimum is flat, and where a search ends in it depends on rounding: what was minimised agrees, and the mean.
    minimised = theirs.gamma.nnlf if method == "mle" else theirs.gamma._penalized_nlpsf
    assert minimised(one.params, GAMMA) <= minimised(other.params, GAMMA) + 1e-3
    assert theirs.gamma.mean(*one.params) == pytest.approx(GAMMA.mean(), rel=0.1)
    assert one.nllf().item() == pytest.approx(theirs.gamma.nnlf(one.params, GAMMA))
    assert one.nllf((2.0, 0.0, 1.0), [1.0, 2.0]).item() == pytest.approx(theirs.gamma.nnlf((2.0, 0.0, 1.0), [1.0, 2.0]))


def test_fit_of_a_discrete_distribution():
    one, other = (s.fit(s.nbinom, COUNTS, [(0, 30), (0, 1)], guess=[6, 0.4]) for s in (ours, theirs))
    best = max(range(1, 30), key=lambda n: theirs.nbinom.logpmf(COUNTS, n, n / (n + COUNTS.mean())).sum())
    # The likelihoods of neighbours differ by a ten thousandth; the search, which draws at random, may end at one.
    assert abs(one.params.n - best) <= 1 and abs(other.params.n - best) <= 2
    assert one.params.p == pytest.approx(one.params.n / (one.params.n + COUNTS.mean()), rel=1e-6)
    assert "FitParams" in repr(one)
    held = ours.fit(ours.nbinom, COUNTS, {"n": (5, 5)})
    assert held.params.n == 5
    assert held.params.p == pytest.approx(5 / (5 + COUNTS.mean()), rel=1e-4)

    def simple(f, bounds, **options):
        from scipy.optimize import minimize

        return minimize(f, np.mean(bounds, axis=1), bounds=bounds)

    found = ours.fit(ours.gamma, GAMMA, {"a": (1, 5), "scale": (1, 4)}, optimizer=simple)
    expected = theirs.fit(theirs.gamma, GAMMA, {"a": (1, 5), "scale": (1, 4)}, optimizer=simple)
    np.testing.assert_allclose(found.params, expected.params, rtol=1e-4)


FIT_ERRORS = {
    "kind": lambda s: s.fit(s.norm(), GAMMA) if s is theirs else s.fit(3.0, GAMMA),
    "data": lambda s: s.fit(s.norm, [[1.0]]),
    "nan": lambda s: s.fit(s.norm, [np.nan]),
    "missing bounds": lambda s: s.fit(s.gamma, GAMMA),
    "few bounds": lambda s: s.fit(s.gamma, GAMMA, []),
    "many bounds": lambda s: s.fit(s.norm, GAMMA, [(0, 1)] * 3),
    "empty": lambda s: s.fit(s.norm, GAMMA, {"loc": (2, 1)}),
    "no whole": lambda s: s.fit(s.nbinom, COUNTS, {"n": (1.2, 1.8)}),
    "outside": lambda s: s.fit(s.nbinom, COUNTS, {"n": (1, 8), "p": (2, 3)}),
    "shape": lambda s: s.fit(s.norm, GAMMA, {"loc": (1, 2, 3)}),
    "guess": lambda s: s.fit(s.gamma, GAMMA, WIDE, guess=[]),
    "guess shape": lambda s: s.fit(s.gamma, GAMMA, WIDE, guess=[[1.0]]),
    "method": lambda s: s.fit(s.gamma, GAMMA, WIDE, method="x"),
    "statistic": lambda s: s.goodness_of_fit(s.norm, GAMMA, statistic="x"),
    "family": lambda s: s.goodness_of_fit(s.nbinom, GAMMA),
    "samples": lambda s: s.goodness_of_fit(s.norm, GAMMA, n_mc_samples=1.5),
    "dimensions": lambda s: s.goodness_of_fit(s.norm, [GAMMA]),
    "ppcc": lambda s: s.ppcc_plot(GAMMA, 1, 1),
    "name": lambda s: s.ppcc_max(GAMMA, dist="gauss"),
    "object": lambda s: s.ppcc_max(GAMMA, dist=3),
    "positive": lambda s: s.boxcox_normplot([-1.0, 2.0], 0, 1),
    "limits": lambda s: s.yeojohnson_normplot(GAMMA, 1, 0),
}


@pytest.mark.parametrize("case", FIT_ERRORS)
def test_errors(case):
    with pytest.raises(Exception) as expected:  # noqa: PT011
        FIT_ERRORS[case](theirs)
    with pytest.raises(ValueError if case in ("kind", "method") else type(expected.value)):
        FIT_ERRORS[case](ours)


def test_bounds_and_guesses_that_are_changed_warn():
    with pytest.warns(RuntimeWarning, match="unrecognized"):
        ours.fit(ours.expon, GAMMA, {"scale": (1, 9), "shape": (0, 1)})
    with pytest.warns(RuntimeWarning, match="clipped"):
        ours.fit(ours.expon, GAMMA, {"scale": (1, 9)}, guess={"scale": 20.0})
    with pytest.warns(RuntimeWarning, match="rounded"):
        ours.fit(ours.nbinom, COUNTS, {"n": (1, 9)}, guess={"n": 4.5})


@pytest.mark.parametrize("statistic", ["ad", "ks", "cvm", "filliben"])
def test_goodness_of_fit(statistic):
    x = np.random.default_rng(1).uniform(size=60)
    one = ours.goodness_of_fit(ours.norm, x, statistic=statistic, rng=1, n_mc_samples=599)
    other = theirs.goodness_of_fit(theirs.norm, x, statistic=statistic, rng=1, n_mc_samples=599)
    assert one.statistic.item() == pytest.approx(float(other.statistic), rel=1e-10)
    assert one.pvalue.item() == pytest.approx(other.pvalue, abs=0.05)
    np.testing.assert_allclose(one.fit_result.params, other.fit_result.params, rtol=1e-12)
    quantiles = np.quantile(one.null_distribution.get(), [0.2, 0.5, 0.8])
    np.testing.assert_allclose(quantiles, np.quantile(other.null_distribution, [0.2, 0.5, 0.8]), rtol=0.12)


def test_goodness_of_fit_by_searches_side_by_side():
    x = theirs.weibull_min.rvs(1.5, size=50, random_state=1)
    one = ours.goodness_of_fit(ours.weibull_min, x, known_params={"loc": 0.0}, rng=1, n_mc_samples=99)
    other = theirs.goodness_of_fit(theirs.weibull_min, x, known_params={"loc": 0.0}, rng=1, n_mc_samples=99)
    assert one.statistic.item() == pytest.approx(float(other.statistic), rel=1e-3)
    np.testing.assert_allclose(np.median(one.null_distribution.get()), np.median(other.null_distribution), rtol=0.2)
    known = {"a": 2.0, "loc": 0.0, "scale": 1.0}
    all_known = ours.goodness_of_fit(ours.gamma, x, known_params=known, statistic="ks", rng=1, n_mc_samples=49)
    assert all_known.statistic.item() == pytest.approx(theirs.kstest(x, "gamma", (2.0,)).statistic)

    def widest(dist, data, axis):
        return cp.abs(data - dist.mean()).max(axis=axis)

    own = ours.goodness_of_fit(ours.expon, x, statistic=widest, rng=1, n_mc_samples=49)
    assert own.null_distribution.shape == (49,)


@pytest.mark.parametrize("statistic", ["ad"])
def test_simplex_searches_reach_the_likelihood_of_single_fits(statistic):
    from cuproxide.scipy.stats._goodness import _row_fit

    data = theirs.gamma.rvs(2.0, scale=1.5, size=(6, 80), random_state=2)
    a, loc, scale = _row_fit(ours.gamma, cp.asarray(data), {"loc": 0.0}, [2.0, 0.0, 1.0])
    for i in range(6):
        expected = theirs.gamma.fit(data[i], floc=0)
        np.testing.assert_allclose([a[i].item(), scale[i].item()], [expected[0], expected[2]], rtol=1e-5)


WEIBULL = np.random.default_rng(3).weibull(2.5, 80)


def test_probability_plots():
    for arguments in ((), (2.5, "weibull_min"), ((2.5,), "weibull_min"), (None,)):
        (x, y), line = ours.probplot(cp.asarray(WEIBULL), *arguments)
        (expected_x, expected_y), expected = theirs.probplot(WEIBULL, *arguments)
        np.testing.assert_allclose(x.get(), expected_x, rtol=1e-10)
        np.testing.assert_array_equal(y.get(), expected_y)
        np.testing.assert_allclose([v.item() for v in line], expected, rtol=1e-10)
    x, y = ours.probplot(WEIBULL, dist=ours.norm, fit=False)
    np.testing.assert_array_equal(y.get(), np.sort(WEIBULL))
    assert ours.probplot([])[1] == theirs.probplot([])[1] or np.isnan(ours.probplot([])[1][0])
    axes = Axes()
    ours.probplot(WEIBULL, plot=axes, rvalue=True)
    assert [name for name, _ in axes.calls] == ["plot", "plot", "set_title", "set_xlabel", "set_ylabel", "text"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("ppcc_plot", (1.0, 4.0, "weibull_min")),
        ("ppcc_plot", (-1.0, 1.0)),
        ("boxcox_normplot", (-2, 2)),
        ("yeojohnson_normplot", (-2, 3)),
    ],
)
def test_straightness(name, arguments):
    axes = Axes()
    x, y = getattr(ours, name)(cp.asarray(WEIBULL), *arguments, plot=axes, N=21)
    expected_x, expected_y = getattr(theirs, name)(WEIBULL, *arguments, N=21)
    np.testing.assert_allclose(x.get(), expected_x)
    np.testing.assert_allclose(y.get(), expected_y, rtol=1e-9)
    assert axes.calls[0][0] == "plot"


def test_the_straightest_shape():
    for brack, dist in (((1, 3), "weibull_min"), ((0.0, 1.0), "tukeylambda")):
        found = ours.ppcc_max(cp.asarray(WEIBULL), brack, dist)
        assert found == pytest.approx(theirs.ppcc_max(WEIBULL, brack, dist), rel=1e-5)
    assert ours.boxcox_normplot([], 0, 1).size == 0


@pytest.mark.parametrize("kind", ["hist", "qq", "pp", "cdf"])
def test_pictures_of_fits(kind):
    axes = Axes()
    ours.fit(ours.expon, GAMMA, {"scale": (1, 9)}).plot(axes, plot_type=kind)
    assert len(axes.calls) >= 4
    ours.fit(ours.poisson, COUNTS, {"mu": (1, 9)}).plot(axes, plot_type=kind)
    with pytest.raises(ValueError, match="plot_type"):
        ours.fit(ours.expon, GAMMA, {"scale": (1, 9)}).plot(axes, plot_type="x")


@pytest.mark.parametrize("kind", ["boxcox", "yeojohnson"])
def test_exponents_far_out_keep_their_digits(kind):
    # Powers of -20 differ from their limit by less than a rounding: 50 digits tell what is right.
    x = theirs.loggamma.rvs(5, size=60, random_state=1) + 5
    _, straight = getattr(ours, f"{kind}_normplot")(cp.asarray(x), -20, 20, N=5)
    medians = [1 - 0.5 ** (1 / 60), *((np.arange(2, 60) - 0.3175) / 60.365), 0.5 ** (1 / 60)]
    across = theirs.norm.ppf(medians)
    with mpmath.workdps(50):
        for exponent, found in zip((-20, -10, 10, 20), straight.get()[[0, 1, 3, 4]], strict=True):
            bases = [mpmath.mpf(v) + (kind == "yeojohnson") for v in x.tolist()]
            values = sorted((v**exponent - 1) / exponent for v in bases)
            off = [v - mpmath.fsum(values) / 60 for v in values]
            expected = mpmath.fsum(a * b for a, b in zip(across.tolist(), off, strict=True)) / mpmath.sqrt(
                mpmath.fsum(a * a for a in across.tolist()) * mpmath.fsum(b * b for b in off)
            )
            assert found == pytest.approx(float(expected), abs=1e-10)
            spread = mpmath.log(mpmath.fsum(v * v for v in off) / 60)
            likelihood = (exponent - 1) * mpmath.fsum(mpmath.log(v) for v in bases) - 30 * spread
            value = getattr(ours, f"{kind}_llf")(exponent, cp.asarray(x)).item()
            assert value == pytest.approx(float(likelihood), rel=1e-10)


def test_likelihoods_of_rows_of_one_sign():
    x = np.array([[0.1, 2.0, 3.0, 0.7], [-0.1, -2.0, -3.0, -0.7], [-0.1, 2.0, -3.0, 0.7]])
    for exponent in (-1.5, 0, 0.5, 2, 3.0):
        expected = theirs.yeojohnson_llf(exponent, x, axis=1)
        np.testing.assert_allclose(ours.yeojohnson_llf(exponent, cp.asarray(x), axis=1).get(), expected, rtol=1e-11)


@pytest.mark.parametrize("method", ["pearsonr", "mle", "all"])
def test_minimisers_of_the_user(method):
    x = theirs.loggamma.rvs(5, size=30, random_state=1) + 5
    one = theirs.boxcox_normmax(
        x, method=method, optimizer=lambda f: scipy.optimize.minimize_scalar(f, bounds=(6, 7), method="bounded")
    )
    other = ours.boxcox_normmax(
        cp.asarray(x), method=method,
        optimizer=lambda f: cp.scipy.optimize.minimize_scalar(f, bounds=(6, 7), method="bounded"),
    )  # fmt: skip
    np.testing.assert_allclose(other.get(), one, rtol=1e-9)
    with pytest.raises(ValueError, match="callable"):
        ours.boxcox_normmax(cp.asarray(x), optimizer="brent")
    with pytest.raises(ValueError, match="`brack`"):
        ours.boxcox_normmax(cp.asarray(x), brack=(0, 1), optimizer=lambda f: None)
    with pytest.raises(ValueError, match="attribute `x`"):
        ours.boxcox_normmax(cp.asarray(x), optimizer=lambda f: 1.0)


def test_exponents_are_bounded():
    x = np.array([2003.0, 1950.0, 1997.0, 2000.0, 2009.0])
    for data in (x, 1 / x):
        for ymax in ({}, {"ymax": 100.0}):
            with pytest.warns(UserWarning, match="overflow|exceed"):
                expected = theirs.boxcox_normmax(data, method="mle", **ymax)
            with pytest.warns(UserWarning, match="overflow in float64|exceed specified `ymax`"):
                found = ours.boxcox_normmax(cp.asarray(data), method="mle", **ymax)
            assert found.item() == pytest.approx(expected, rel=1e-9)
