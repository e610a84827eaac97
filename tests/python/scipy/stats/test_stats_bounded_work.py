"""Work that depends on the size of a number no more than as its logarithm, or is refused."""

import math

import cuproxide as cp
import cuproxide.scipy.stats as ours
import mpmath
import numpy as np
import pytest
import scipy.stats as theirs
from cuproxide.scipy.stats import _fit


def test_moments_of_the_normal_distribution_of_any_order():
    double_factorial = math.prod(range(1, 300, 2))
    assert float(ours.norm.moment(300)) == float(double_factorial)
    assert float(ours.norm.moment(303)) == 0 and float(ours.norm.moment(302)) == math.inf
    assert float(ours.norm.moment(10**9)) == math.inf and float(ours.norm.moment(10**9 + 1)) == 0
    assert float(ours.expon.moment(20)) == math.factorial(20) and float(ours.expon.moment(10**9)) == math.inf
    np.testing.assert_allclose(float(ours.beta.moment(10**6, 2, 3)), 24e-18, rtol=1e-5)


@pytest.mark.parametrize(
    "call",
    [
        lambda n: ours.norm.moment(n, loc=1),
        lambda n: ours.rice.moment(n, 1.0),
        lambda n: ours.betaprime.moment(n, 5, 6),
        lambda n: ours.truncnorm.moment(n, -1, 2),
        lambda n: ours.irwinhall.moment(n, 3),
        lambda n: ours.betanbinom.moment(n, 5, 9.3, 1),
        lambda n: ours.poisson.moment(n, 2.0),
        lambda n: ours.ncf.moment(n, 27, 1e9, 0.4),
        lambda n: ours.Normal(mu=1.0).moment(n),
    ],
)
def test_orders_that_take_as_many_steps_are_refused(call):
    with pytest.raises(ValueError, match="moment of order 1000000000"):
        call(10**9)


def test_large_populations():
    # Symmetric, so each side has half of the probability, and half of that in the middle.
    population, half = 2 * 10**8, 10**8

    def choose(n, x):
        return mpmath.loggamma(n + 1) - mpmath.loggamma(x + 1) - mpmath.loggamma(n - x + 1)

    with mpmath.workdps(40):
        middle = mpmath.exp(2 * choose(half, half // 2) - choose(population, half))
        expected = float((1 + middle) / 2)
    shapes = population, half, half
    np.testing.assert_allclose(float(ours.hypergeom.cdf(half // 2, *shapes)), expected, rtol=1e-7)
    np.testing.assert_allclose(float(ours.hypergeom.sf(half // 2 - 1, *shapes)), expected, rtol=1e-7)
    q = cp.asarray([1e-12, 0.1, 0.5, 0.9])
    low, high = ours.hypergeom.ppf(q, *shapes).get(), ours.hypergeom.isf(q, *shapes).get()
    np.testing.assert_array_equal(low + high, half)
    np.testing.assert_allclose(ours.hypergeom.cdf(cp.asarray(low), *shapes).get() / q.get(), 1, rtol=2e-3)
    np.testing.assert_allclose(float(ours.nchypergeom_fisher.cdf(half // 2, *shapes, 1.0)), expected, rtol=1e-7)


def test_tails_beyond_the_least_probability():
    # mpmath: the tail of the power 9.3 where probabilities are subnormal numbers or 0.
    found = ours.betanbinom.sf(cp.asarray([1e31, 2.2715e32, 3e33]), 5, 9.3, 1).get()
    np.testing.assert_allclose(found, [2.8486255e-280, 6.9330905e-293, 2.6146147e-303], rtol=1e-7)


def test_quantiles_far_out_of_sums():
    # The tail falls as a power of 9.3: mpmath's asymptotic value of the inverse.
    found = ours.betanbinom.isf(cp.asarray([1e-300, 1e-10, 1e-3]), 5, 9.3, 1).get()
    np.testing.assert_allclose(found[0], 1.58278949e33, rtol=1e-7)
    np.testing.assert_array_equal(found[1:], theirs.betanbinom.isf([1e-10, 1e-3], 5, 9.3, 1))
    tails = ours.betanbinom.sf(cp.asarray([1e1, 1e2, 1e5, 1e7, 1e9]), 5, 1.3, 1).get()
    # mpmath: nsum of the probabilities.
    expected = [
        0.2260353818607611,
        0.01954537158082125,
        2.65891079997271e-6,
        6.679410602370155e-9,
        1.67779341423842e-11,
    ]
    np.testing.assert_allclose(tails, expected, rtol=2e-8)
    far = ours.betanbinom.ppf(1 - 1e-9, 5, 0.6, 1)
    np.testing.assert_allclose(float(ours.betanbinom.sf(far, 5, 0.6, 1)), 1e-9, rtol=1e-6)


@pytest.mark.parametrize(
    "name, shapes", [("hypergeom", (20, 7, 12)), ("betabinom", (30, 2.3, 0.63)), ("logser", (0.6,))]
)
def test_quantiles_of_sums_reach_the_same_points(name, shapes):
    q = np.linspace(0, 1, 41)
    np.testing.assert_array_equal(getattr(ours, name).ppf(q, *shapes).get(), getattr(theirs, name).ppf(q, *shapes))
    numbers = cp.arange(1.0, 8)
    row = getattr(ours, name)
    np.testing.assert_array_equal(row.ppf(row.cdf(numbers, *shapes), *shapes).get(), numbers.get())


def test_binomtest_looks_at_few_outcomes(monkeypatch):
    from cuproxide.scipy.stats import _table_discrete

    looked = []
    pmf = type(_table_discrete.binom).pmf
    monkeypatch.setattr(
        type(_table_discrete.binom), "pmf", lambda self, k, *args: looked.append(np.size(k)) or pmf(self, k, *args)
    )
    n = 20_000_000
    found = ours.binomtest(n // 2 + 1000, n).pvalue
    np.testing.assert_allclose(found, theirs.binomtest(n // 2 + 1000, n).pvalue, rtol=1e-9)
    assert sum(looked) < 10_000


def test_binomtest_of_all_outcomes():
    for n, p in ((1, 0.5), (17, 0.3), (2100, 0.01), (3000, 0.5), (12, 0.0), (12, 1.0)):
        for k in {0, 1, n // 3, int(n * p), n - 1, n}:
            expected = theirs.binomtest(k, n, p).pvalue
            np.testing.assert_allclose(ours.binomtest(k, n, p).pvalue, expected, rtol=1e-9, atol=1e-300)


def test_searches_end_after_so_many_evaluations():
    count = [0]

    def endless(theta):
        count[0] += 1
        return -float(np.exp(min(theta[0], 700)))

    _fit.simplex(endless, np.array([1.0, 2.0]))
    assert count[0] < 2 * 400 + 10


def test_nothing_is_summed_for_invalid_parameters():
    """Of as many elements as a support would have that is none."""
    for m in (1000.0, cp.asarray(1000.0)):
        for found in (
            ours.nhypergeom.cdf(1e9, m, 1e12, 1.0),
            ours.nhypergeom.ppf(0.5, m, 1e12, 1.0),
            ours.nhypergeom.moment(3, m, 1e12, 1.0),
        ):
            assert np.isnan(found.item())
    np.testing.assert_array_equal(
        ours.nhypergeom.cdf(2, [20, 7], [7, 20], 1).get(), [ours.nhypergeom.cdf(2, 20, 7, 1).item(), np.nan]
    )


@pytest.mark.parametrize("n", [3, 41, 61, 100])
def test_means_of_kolmogorovs_statistic(n):
    # Between its kinks the distribution is a polynomial, for which this rule is as good as exact.
    nodes, weights = np.polynomial.legendre.leggauss(30)
    begins = np.arange(1, 2 * n)[:, None] / (2 * n)
    tails = ours.kstwo.sf(cp.asarray((begins + (nodes + 1) / (4 * n)).ravel()), n).get().reshape(-1, 30)
    np.testing.assert_allclose(float(ours.kstwo.mean(n)), 0.5 / n + (tails @ weights).sum() / (4 * n), rtol=5e-12)
