"""Distributions far from where their formulas are comfortable, beside mpmath's values."""

import warnings

import cuproxide as cp
import numpy as np
import pytest
import scipy.stats
from cuproxide.scipy import stats

# mpmath with 40 to 300 digits: moments by quadrature over shares or normal quantiles, or in closed form.
MOMENTS = [
    ("genhalflogistic", (12.0,), 0.0798730046985342, 0.0001325768978114166),
    ("genhalflogistic", (20.0,), 0.048751554769034734, 2.9681631055033203e-05),
    ("genhalflogistic", (0.01,), 1.370023454168474, 1.307313309742833),
    ("kappa4", (1.0, 3.0), 0.25, 0.008928571428571428),
    ("kappa4", (0.5, 20.0), -226.91450216450215, 3141029.587974409),
    ("johnsonsb", (0.1, 0.05), 0.46033401578955707, 0.22865910417094149),
    ("johnsonsb", (-3.0, 0.3), 0.9954892296287916, 0.0011691259807963315),
    ("argus", (1e4,), 0.9999999849999998, 1.5e-16),
    ("exponweib", (1.0, 0.05), 2.43290200817664e18, 8.159152832419788e47),
    ("exponweib", (5000.0, 3000.0), 1.000733066864818, None),
    ("exponpow", (2.7e6,), 0.9999996676631007, None),
    ("gengamma", (1e8, 1.0), 1e8, 1e8),
    ("truncexpon", (0.001,), 0.0004999166666680556, 8.333332916666683e-08),
    ("powernorm", (1e4,), -3.851615817066675, None),
    ("crystalball", (2.0, 3.0), -0.08620576370680064, None),
]


@pytest.mark.parametrize(("name", "shapes", "mean", "variance"), MOMENTS)
def test_moments(name, shapes, mean, variance):
    distribution = getattr(stats, name)
    assert float(distribution.mean(*shapes)) == pytest.approx(mean, rel=1e-12)
    if variance is not None:
        assert float(distribution.var(*shapes)) == pytest.approx(variance, rel=1e-6 if name == "argus" else 1e-8)


def test_moments_of_arrays_are_those_of_each_element():
    c = np.array([0.01, 12.0, 20.0, 0.77])
    alone = [float(stats.genhalflogistic.mean(v)) for v in c]
    np.testing.assert_allclose(stats.genhalflogistic.mean(c).get(), alone, rtol=1e-13)


def test_what_does_not_converge_is_nan_with_a_warning():
    # The density has a pole at the upper end, where the distances of doubles hold a part of the mass.
    class Pole(stats.rv_continuous):
        def _pdf(self, x):
            return (1 - x) ** (1 / 30 - 1) / 30

        def _cdf(self, x):
            return 1 - (1 - x) ** (1 / 30)

        def _ppf(self, q):
            return 1 - (1 - q) ** 30

    with pytest.warns(cp.scipy.integrate.IntegrationWarning):
        assert np.isnan(float(Pole(a=0, b=1).entropy()))
    # The same law has a closed form among the named ones.
    assert stats.kappa4.entropy(1.0, 30.0) == -29


def test_steps_in_a_density_of_arrays():
    class Step(stats.rv_continuous):
        def _pdf(self, x, a):
            return cp.where(x < a, 0.5 / a, 0.5 / (1 - a))

    at, a = np.array([0.1, 0.5, 0.5, 0.9]), np.array([0.37, 0.37, 0.1, 0.6])
    right = np.where(at < a, 0.5 * at / a, 0.5 + 0.5 * (at - a) / (1 - a))
    np.testing.assert_allclose(Step(a=0, b=1).cdf(at, cp.asarray(a)).get(), right, rtol=1e-9)


ALONE_X = np.array([0.0, 0.3, 1.0, np.nan, 2.5, -1.0, 7.0, np.inf, -np.inf, 1e3, 1e15, 1e-300])
ALONE_Q = np.array([0.0, 1e-12, 0.25, np.nan, 0.5, 0.75, 1 - 1e-12, 1.0, 2.0, 1e-300])


class TwoSided(stats.rv_discrete):
    """Open at both ends, stated by its probabilities only."""

    def _pmf(self, k, p):
        return (1 - p) / (1 + p) * p ** abs(k)


@pytest.mark.parametrize(
    ("distribution", "shapes"),
    [
        (stats.skellam, (15, 8)),
        (stats.dlaplace, (0.8,)),
        (stats.logser, (0.99999,)),
        (stats.zipf, (6.6,)),
        (TwoSided(a=-np.inf, name="two_sided"), (0.5,)),
        (stats.genhyperbolic, (0.5, 1.5, -0.5)),
        (stats.irwinhall, (1000,)),
        (stats.johnsonsb, (0.1, 0.05)),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_each_element_is_as_alone(distribution, shapes):
    discrete = hasattr(distribution, "pmf")
    x = np.floor(ALONE_X) if discrete else ALONE_X
    methods = ["pmf", "logpmf"] if discrete else ["pdf", "logpdf"]
    for method in [*methods, "cdf", "sf", "logcdf", "logsf", "ppf", "isf"]:
        points = ALONE_Q if method in ("ppf", "isf") else x
        together = getattr(distribution, method)(cp.asarray(points), *shapes).get()
        alone = [float(getattr(distribution, method)(float(point), *shapes)) for point in points]
        np.testing.assert_allclose(together, alone, rtol=1e-11, err_msg=method)


def test_skellam_beside_an_open_end():
    q = np.linspace(0, 1, 5)
    np.testing.assert_array_equal(stats.skellam.ppf(q, 15, 8).get(), [-np.inf, 4, 7, 10, np.inf])
    np.testing.assert_array_equal(stats.skellam.ppf(np.array([np.nan, 0.5]), 15, 8).get(), [np.nan, 7])
    np.testing.assert_array_equal(stats.skellam.isf(q, 15, 8).get(), [np.inf, 10, 7, 4, -np.inf])


CUMULATIVE = [
    ("ksone", "sf", 10**-3.5, (10**7,), 0.1353067550604375),
    ("ksone", "sf", 0.05 / np.sqrt(30000), (30000,), 0.9948210449742904),
    ("ksone", "sf", 3 / np.sqrt(30000), (30000,), 1.503906159287915e-08),
    ("ksone", "pdf", 1 / np.sqrt(30000), (30000,), 93.49340323051753),
    ("logser", "sf", 1, (0.99999,), 0.913141972208313440973429518507),
    ("logser", "sf", 100, (0.5,), 1.1159788564768595e-32),
    ("logser", "cdf", 5, (0.99999,), 0.19832347050101673),
    ("skellam", "cdf", 0, (1, 4.8e15), 1.0),
    ("skellam", "sf", 0, (4.8e15, 1), 1.0),
    ("skellam", "cdf", 0, (1e6, 1e6), 0.5001410474047028),
    ("ncx2", "cdf", 2 + 1e4 - 3 * np.sqrt(2 * (2 + 2e4)), (2, 1e4), 0.0011777111022246434),
    ("ncx2", "cdf", 2 + 1e4 - 8 * np.sqrt(2 * (2 + 2e4)), (2, 1e4), 3.614322728118237e-17),
    ("ncx2", "cdf", 3010 - 2 * np.sqrt(2 * (3000 + 20)), (3000, 10), 0.021338496867515672),
    ("ncx2", "cdf", 1e14 + 2, (2, 1e14), 0.5000000199471140),
    ("genhyperbolic", "sf", 100, (-0.125, 1000, 999), 1.510743325e-28),
    ("irwinhall", "cdf", 500, (1000,), 0.5),
    ("irwinhall", "pdf", 0.0, (2,), 0.0),
    ("gausshyper", "cdf", 0.5, (0.9, 0.2, 1, 1), 0.20957345019820894),
    ("gausshyper", "cdf", 0.99, (0.9, 0.2, 1, 1), 0.6587583951151255),
    ("t", "sf", 1e155, (1.0,), 3.183098861837907e-156),
    ("t", "logsf", 1e300, (2.75,), None),
    ("cauchy", "logpdf", 1e155, (), -714.9461087140036),
    ("halfcauchy", "logpdf", 1e200, (), -921.4856199040398),
    ("foldcauchy", "logpdf", 1e200, (4.7,), -921.4856199040398),
    ("skewcauchy", "logpdf", 1e200, (0.0,), -922.1787670845997),
    ("invgauss", "pdf", 1.0, (np.inf,), 0.24197072451914337),
    ("invgauss", "cdf", 1.0, (np.inf,), 0.31731050786291415),
    ("genpareto", "logpdf", 1.0, (-1.0,), 0.0),
]


@pytest.mark.parametrize(("name", "method", "x", "shapes", "right"), CUMULATIVE)
def test_probabilities(name, method, x, shapes, right):
    value = float(getattr(getattr(stats, name), method)(x, *shapes))
    if right is None:
        # The leading term of the tail of t.
        mpmath = pytest.importorskip("mpmath")
        df = mpmath.mpf(shapes[0])
        right = float(df * (mpmath.log(df) / 2 - mpmath.log(x)) - mpmath.log(df * mpmath.beta(df / 2, 0.5)))
    assert value == pytest.approx(right, rel=1e-9, abs=0)


def test_quantiles_of_many_uniform_numbers():
    assert float(stats.irwinhall(1000).median()) == pytest.approx(500, rel=1e-12)
    # By symmetry, and near the normal distribution of the same variance.
    low, high = stats.irwinhall(1000).ppf([0.1, 0.9]).get()
    assert low + high == pytest.approx(1000, rel=1e-12)
    assert high - 500 == pytest.approx(1.2815515655446004 * np.sqrt(1000 / 12), rel=1e-3)


@pytest.mark.parametrize(
    "name",
    ["betaprime", "burr", "fisk", "invgauss", "fatiguelife", "geninvgauss", "gompertz", "gumbel_r", "kappa4", "norm"],
)
def test_density_at_infinity(name):
    shapes = {"betaprime": (5, 6), "burr": (10.5, 4.3), "fisk": (3,), "invgauss": (0.1,), "fatiguelife": (29,)}
    shapes |= {"geninvgauss": (2.3, 1.5), "gompertz": (0.9,), "kappa4": (0.1, 0.1)}
    distribution = getattr(stats, name)(*shapes.get(name, ()))
    np.testing.assert_array_equal(distribution.pdf([np.inf, -np.inf, np.nan]).get(), [0, 0, np.nan])
    np.testing.assert_array_equal(distribution.logpdf([np.inf, -np.inf, np.nan]).get(), [-np.inf, -np.inf, np.nan])


@pytest.mark.parametrize("a", [1e-10, 0.3, 5, 19.9, 20.1, 1e3, 1e16, 1e100])
def test_entropies(a):
    mpmath = pytest.importorskip("mpmath")

    def part(x):
        return mpmath.loggamma(x) - x * mpmath.digamma(x) + x

    with mpmath.workdps(300):
        x, b = mpmath.mpf(a), mpmath.mpf("1e10")
        half = x / 2
        right = {
            ("gamma", a): part(x) + mpmath.digamma(x),
            ("loggamma", a): part(x),
            ("invgamma", a): part(x) - mpmath.digamma(x),
            ("nakagami", a): part(x) + (mpmath.digamma(x) - mpmath.log(x)) / 2 - mpmath.log(2),
            ("chi", a): part(half) + (mpmath.digamma(half) - mpmath.log(2)) / 2,
            ("t", a): part(half)
            - part(half + 0.5)
            + (1 + mpmath.log(2 * mpmath.pi) - mpmath.digamma(half) + mpmath.log(half)) / 2,
            ("beta", a, 1e10): part(x)
            + part(b)
            - part(x + b)
            + mpmath.digamma(x)
            + mpmath.digamma(b)
            - 2 * mpmath.digamma(x + b),
        }
        right = {key: float(value) for key, value in right.items()}
    for (name, *shapes), value in right.items():
        ours = float(getattr(stats, name).entropy(*shapes))
        assert ours == pytest.approx(value, rel=1e-12, abs=1e-13), (name, shapes)


def test_entropies_of_several_variables():
    assert float(stats.multivariate_t.entropy(df=1e20)) == pytest.approx(0.5 * np.log(2 * np.pi * np.e), rel=1e-14)
    for alpha in ([2, 5.0, 3], [0.3, 70.0]):
        assert float(stats.dirichlet.entropy(alpha)) == pytest.approx(scipy.stats.dirichlet.entropy(alpha), rel=1e-12)


@pytest.mark.parametrize("parameterization", ["S1", "S0"])
@pytest.mark.parametrize(("alpha", "beta"), [(1.0, 0.5), (1.5, 0.5), (1.0, -0.7), (0.8, 0.3)])
def test_location_of_stable_laws(parameterization, alpha, beta):
    ours, theirs = stats.levy_stable, scipy.stats.levy_stable
    kept = theirs.parameterization
    try:
        ours.parameterization = theirs.parameterization = parameterization
        x = [1.0, 0.2, -3.0]
        for method in ("pdf", "cdf"):
            np.testing.assert_allclose(
                getattr(ours, method)(x, alpha, beta, loc=0.3, scale=2).get(),
                getattr(theirs, method)(x, alpha, beta, loc=0.3, scale=2),
                rtol=1e-7,
            )
    finally:
        ours.parameterization = theirs.parameterization = kept
    with pytest.raises(RuntimeError, match="S2"):
        ours.parameterization = "S2"


def test_draws_stay_on_the_circle():
    angles = stats.vonmises.rvs(1, loc=7, size=1000, random_state=1).get()
    assert angles.min() >= -np.pi and angles.max() <= np.pi
    angles = stats.wrapcauchy.rvs(0.5, loc=7, size=1000, random_state=1).get()
    assert angles.min() >= 0 and angles.max() <= 2 * np.pi


def test_levy_as_a_limit():
    draws = stats.invgauss.rvs(np.inf, size=4000, random_state=3).get()
    assert scipy.stats.kstest(draws, scipy.stats.levy.cdf).pvalue > 1e-4
    assert float(stats.invgauss.entropy(np.inf)) == pytest.approx(3.3244828013968899, rel=1e-14)


def test_probabilities_of_both_open_ends():
    two_sided = TwoSided(a=-np.inf, name="two_sided")
    k = np.array([-3000, -2, 0, 3])
    right = np.where(k < 0, 0.5 ** (-k) / 1.5, 1 - 0.5 ** (k + 1.0) / 1.5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_allclose(two_sided.cdf(k, 0.5).get(), right, rtol=1e-12, atol=1e-300)


def test_no_order_of_a_generalized_hyperbolic_law_is_nan():
    law = cp.scipy.stats.genhyperbolic
    for method, at in (("cdf", 13.0), ("sf", 1.0), ("pdf", 1.0), ("ppf", 0.3)):
        assert np.isnan(float(getattr(law, method)(at, np.nan, 2.3, 0.19)))
    # |b| = a belongs to negative orders alone.
    allowed = [not np.isnan(float(law.pdf(0.5, p, 1.5, 1.5))) for p in (-0.5, 0.0, 0.5)]
    assert allowed == [True, False, False]


def test_a_line_without_concentration_is_uniform():
    law = cp.scipy.stats.vonmises_line
    x = np.linspace(-np.pi, np.pi, 7)
    share = (x + np.pi) / (2 * np.pi)
    for method, right in (("pdf", np.full(7, 1 / (2 * np.pi))), ("cdf", share), ("sf", 1 - share)):
        np.testing.assert_allclose(getattr(law, method)(cp.asarray(x), 0.0).get(), right, atol=1e-15)
    np.testing.assert_allclose(law.ppf(cp.asarray([0.25, 0.5, 1.0]), 0.0).get(), [-np.pi / 2, 0, np.pi], atol=1e-14)
    assert float(law.var(0.0)) == pytest.approx(np.pi**2 / 3)
    assert np.isnan(float(law.cdf(0.0, -1.0)))
