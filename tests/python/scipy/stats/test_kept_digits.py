"""Formulas of distributions that keep the digits of their powers, sums and mixtures; and work that stays bounded."""

import math

import cuproxide as cp
import mpmath
import numpy as np
import pytest

ours = cp.scipy.stats
# Values of mpmath, and how far off results may be relative to them.
POINTS = [
    ("dlaplace.pmf", (22.0, 15.793898046581557), 1.2518115481762447102e-151, 4e-14),
    ("fisk.cdf", (1.5254542391176064e-31, 4.456695922922516), 4.568575280239783533e-138, 1e-15),
    ("loglaplace.pdf", (3.4818269420199003e24, 8.5636337966352), 8.3708874058610439633e-235, 1e-15),
    ("logser.pmf", (134.0, 0.25417282040830586), 4.9310661209387378506e-82, 1e-15),
    ("logser.sf", (172.0, 0.08458774731102914), 1.8964413339245322156e-187, 1e-14),
    ("moyal.isf", (1.4913829130172886e-262,), 1205.3035983854839473, 1e-15),
    ("powerlaw.pdf", (4.9597937818097744e-26, 2.5751867069467065), 3.5599130477584377807e-40, 1e-15),
    ("truncexpon.pdf", (0.0077083772383342, 0.010648704000293904), 93.684085945511214404, 1e-15),
    ("weibull_min.pdf", (5.664660229617609, 3.6521304720569883), 8.9215313600294669498e-243, 1e-13),
    # By the nearer end, or by what is left to 1.
    ("rdist.sf", (-0.9999999961660465, 0.03620319842793486), 0.6521440083635115866, 1e-15),
    ("rdist.cdf", (0.9999999961660465, 0.03620319842793486), 0.6521440083635115866, 1e-15),
    (
        "truncweibull_min.ppf",
        (0.9999999999998913, 1.8943859569274606, 1.8074280942701657, 4.67066447848673),
        4.670664402944104728,
        1e-15,
    ),
    (
        "truncweibull_min.isf",
        (1.087e-13, 1.8943859569274606, 1.8074280942701657, 4.67066447848673),
        4.6706644029377342263,
        1e-15,
    ),
    ("reciprocal.isf", (0.78078960982909, 6.350371226539594e78, 1.014791181473615e79), 7.0376138313378113921e78, 1e-15),
    ("loguniform.ppf", (0.78078960982909, 6.350371226539594e78, 1.014791181473615e79), 9.1569399433090782963e78, 1e-15),
    ("zipf.logpmf", (1.0, 20.091665974097584), -8.9522437598972216509e-7, 1e-15),
    # Next to the least statistic, half the inverse number.
    ("kstwo.cdf", (0.03333333333333336, 15.0), 1.48838245583806293147e-232, 1e-12),
    ("kstwo.logsf", (0.027777777777814552, 18.0), -2.53947105736463165397e-221, 1e-12),
    # Most of the root in the denominator lies next to 0.
    ("nct.sf", (0.6316064723237645, 0.1330503464024726, 14.142398917155056), 0.999999999999948502, 1e-15),
    ("nct.sf", (-0.22518988426809972, 0.16104317086371656, -18.021202597495886), 4.25692183362158776e-57, 1e-12),
    ("nct.sf", (23.59444149092541, 0.10762501592278993, 18.1779584680463), 0.8535483108359749546, 1e-14),
    ("nct.pdf", (0.6316064723237645, 0.1330503464024726, 14.142398917155056), 3.15062920609751003e-12, 1e-10),
    ("nct.pdf", (23.59444149092541, 0.10762501592278993, 18.1779584680463), 0.0037767391100524616882, 1e-10),
    ("nct.pdf", (126.78355563338877, 0.10622107148918858, -9.02442467365423), 2.9857074378196082011e-23, 1e-10),
    ("nct.pdf", (1.5, 0.5, 1.0), 0.14214518116031383955, 1e-10),
    ("nct.pdf", (4.091759600606836, 0.9389130124506347, 4.758236468305444), 0.10594000157699767692, 1e-14),
    ("nct.pdf", (3100.0, 2000.0, 3000.0), 9.93204556558313908e-4, 1e-13),
    ("nct.pdf", (-2.0, 1e5, -1.5), 0.35206092602766129044, 1e-14),
    ("nct.pdf", (1e4, 0.05, 300.0), 3.8798161705009080889e-6, 1e-14),
    ("nct.pdf", (-3.0, 5.0, 20.0), 1.950062629701318899e-95, 1e-13),
    ("nct.pdf", (1.0, 5.0, 1e200), 0.0, 0),
    ("nct.pdf", (math.inf, 5.0, 1.0), 0.0, 0),
    ("nct.pdf", (19.0, 1e10, 20.0), 0.241970724628030153, 1e-13),
    ("nct.pdf", (-2.5, 1e12, 0.5), 0.0044318484119839876, 1e-13),
    ("nct.pdf", (5.5, 1e15, 0.5), 1.48671951473455695e-6, 1e-13),
    # Many terms of the mixture lie below all numbers.
    ("nct.cdf", (0.1, 1e4, 7.5), 6.80919156067759077e-14, 1e-12),
    ("nct.cdf", (0.08, 200.0, 7.9), 2.64038176705042342e-15, 1e-12),
    ("nct.cdf", (0.3, 1000.0, 7.0), 1.0426381600542271e-11, 1e-12),
    # Many degrees of freedom, where the root's law is nearly a point.
    ("nct.cdf", (0.3, 3e14, 1.2), 0.18406012534675944886, 1e-14),
    ("nct.cdf", (1.0, 2e15, 0.5), 0.69146246127401303763, 1e-14),
    ("nct.cdf", (2.5, 9.9e15, 0.5), 0.97724986805182077235, 1e-14),
    ("nct.cdf", (-3.0, 5e15, 1.0), 0.000031671241833120182223, 1e-14),
    ("nct.cdf", (7.0, 1e12, 1.5), 0.99999998101043752667, 1e-14),
    ("nct.sf", (1e8, 9.9e15, 1e8), 0.50000000091303664535, 1e-13),
    ("nct.sf", (1.0, 9.9e15, 1e8), 1.0, 0),
    ("nct.cdf", (-1.0, 9.9e15, -100.0), 1.0, 0),
    # At the ends of the numbers.
    ("nct.sf", (1e308, 5.0, 1.0), 0.0, 0),
    ("nct.cdf", (-1e308, 5.0, 1.0), 0.0, 0),
    ("nct.pdf", (5.0, 3.0, 1e308), 0.0, 0),
    ("nct.pdf", (-5.0, 3.0, 1e308), 0.0, 0),
    ("genlogistic.logpdf", (-161.5817160559336, 0.008270032412681653), -6.1314028797249687135, 4e-16),
    ("fisk.pdf", (0.0, 0.5), math.inf, 0),
    ("fisk.pdf", (1e-310, 0.001), 2.20676663481856e306, 1e-12),
    ("logser.pmf", (2.0, 1e-300), 5e-301, 1e-15),
    ("logser.sf", (1.0, 1e-300), 5e-301, 1e-15),
    # Small tails above the mean.
    ("hypergeom.sf", (0.0, 1e10, 1.0, 1.0), 1e-10, 1e-13),
    ("nhypergeom.sf", (0.0, 1e8, 1.0, 1.0), 1e-8, 1e-13),
    ("betabinom.sf", (0.0, 5.0, 1e-10, 1.0), 2.2833333330e-10, 1e-9),
    ("betabinom.sf", (0.0, 40.0, 1e-8, 1e10), 4e-17, 1e-8),
    # Large parameters and many trials: central parts, and tails as expansions.
    ("betabinom.cdf", (0.0, 40.0, 1e8, 1e8), 9.09498248808481328e-13, 1e-12),
    ("betabinom.pmf", (371896868.0, 371897173.0, 4130918467.770436, 2606.265453396948), 3.36956124579081559e-6, 1e-11),
    ("betabinom.pmf", (15.0, 3722177.0, 580.3923192506375, 209072500.9574693), 0.0409023091029308626, 1e-11),
    ("betabinom.sf", (5e8, 1e9, 1.0, 1.0), 0.4999999995, 1e-13),
    ("betabinom.sf", (199758195.0, 579752916.0, 1.0, 127.21480265608507), 4.57605420511280673e-24, 1e-12),
    ("betabinom.cdf", (3e11, 1e12, 0.5, 2.0), 0.739425452632333696, 1e-12),
    # The limit at the end of the support, as for the beta distribution of the same parameter.
    ("powerlaw.pdf", (0.0, 0.5), math.inf, 0),
    ("beta.pdf", (0.0, 0.5, 1.0), math.inf, 0),
    # Sums of populations of any size, by quotients of neighbours.
    ("hypergeom.cdf", (498800.0, 1e12, 5e11, 1e6), 0.0082199090790278470937, 1e-13),
    ("hypergeom.cdf", (100.0, 1000.0, 300.0, 400.0), 0.0028699384504345971037, 2e-14),
    ("hypergeom.cdf", (92.0, 428.0, 248.0, 264.0), 6.4429705385164780067e-40, 1e-13),
    # The rounding of the end of the support.
    ("pearson3.pdf", (-5.65975853891767, 0.3533719575837871), 2.3516589665780504e-224, 1e-13),
    ("pearson3.pdf", (-1.5692294520200203, 1.27451087374473), 1.6066876925431096e-23, 1e-13),
    ("pearson3.pdf", (0.1624339179348845, -12.312699376011773), 508836518647438.7, 1e-13),
    ("pearson3.logpdf", (-0.2136969224491213, 9.359049146867742), 20.048885656767737, 1e-14),
    ("pearson3.sf", (-0.08288153391767251, 24.13082752484063), 0.18110026549877847, 1e-14),
    ("pearson3.logsf", (0.10060111157693971, -19.880496036760295), -0.32769504396773746, 1e-14),
    # Quantiles far out, where the lower probability rounds to 1.
    ("alpha.ppf", (0.9999999999952498, 6.152926706310321), 508.1122762466298, 1e-11),
    ("alpha.isf", (6.747094619700522e-23, 9.322262927957363), 800.2654188228889, 1e-11),
    ("truncpareto.isf", (4.788064305849517e-20, 9.012602356885221, 37.02570947939695), 37.025682557298104, 1e-14),
    ("truncpareto.isf", (1e-30, 400.0, 100.0), 1.1885022274370184, 1e-14),
    ("truncpareto.isf", (0.0, 400.0, 100.0), 100.0, 1e-14),
    ("truncpareto.ppf", (0.75, -0.5, 9.0), 6.25, 1e-14),
    # The point of the tail, among many whose cumulative function rounds to one number.
    ("yulesimon.ppf", (0.999999999998709, 1.965400119289584), 1568032.0, 0),
    ("yulesimon.ppf", (0.9999999999999927, 1.3041244360054483), 77785391988.0, 0),
    ("yulesimon.ppf", (0.9999999999999968, 6.822553570584109), 437.0, 0),
    ("zipf.ppf", (0.9999999999996452, 1.8511639801233004), 254911324491779.0, 0),
    ("zipf.ppf", (0.9999999999999962, 2.634090864046722), 423931565.0, 0),
    ("zipf.ppf", (0.9999999999994834, 1.2014794476518293), 5.500585713117538e60, 1e-14),
    ("zipf.ppf", (0.99999999719827, 1.7931257819249868), 36388015642.0, 0),
    ("geom.ppf", (0.9999999999999988, 0.12271113957520782), 263.0, 0),
    ("geom.ppf", (0.9999999999999997, 1e-6), 35638171.0, 0),
    # Shares without their power that are below all normal numbers.
    (
        "exponweib.ppf",
        (2.995268379857138e-191, 0.4004062726238515, 3.800231180509639),
        6.1708938821188514483e-126,
        1e-13,
    ),
    ("exponweib.isf", (5e-324, 2.0, 3.8), 5.69968734195459153403, 1e-14),
    ("exponweib.isf", (5e-324, 0.4, 3.8), 5.69644503871782888954, 1e-14),
    ("exponweib.isf", (1e-300, 1e-290, 1.0), 23.0258509299904568842, 1e-14),
    # Next to the greatest statistic.
    ("kstwo.sf", (0.9999999999999997, 8.0), 3.02887863556461062288e-124, 1e-14),
    ("kstwo.logsf", (0.9999999999999997, 8.0), -284.412359067511988352, 1e-14),
    ("kstwo.pdf", (0.9999999999999997, 8.0), 7.2751235703889262691e-108, 1e-14),
    ("kstwo.isf", (1e-100, 8.0), 0.99999999999971001786, 3e-16),
    ("ksone.sf", (0.9999999999999997, 8.0), 1.51443931778230531144e-124, 1e-14),
]


@pytest.mark.parametrize(("name", "arguments", "value", "bound"), POINTS)
def test_values(name, arguments, value, bound):
    row, method = name.split(".")
    found = getattr(getattr(ours, row), method)(*map(cp.asarray, arguments)).item()
    assert found == pytest.approx(value, rel=bound)


def choose(n, k):
    return mpmath.binomial(n, k)


@pytest.mark.parametrize("shapes", [(28, 21, 1), (49, 1, 28), (60, 20, 7), (10, 3, 0), (10, 0, 3)])
def test_negative_hypergeometric_tails_to_their_ends(shapes):
    m, n, r = shapes
    with mpmath.workdps(30):
        masses = [choose(x + r - 1, x) * choose(m - r - x, n - x) / choose(m, n) for x in range(n + 1)]
        masses = masses if r else [1] + [0] * n
        lower = [float(mpmath.fsum(masses[: x + 1])) for x in range(n + 1)]
        upper = [float(mpmath.fsum(masses[x + 1 :])) for x in range(n + 1)]
    x = cp.arange(n + 1)
    np.testing.assert_allclose(ours.nhypergeom.cdf(x, *shapes).get(), lower, rtol=1e-13)
    np.testing.assert_allclose(ours.nhypergeom.sf(x, *shapes).get(), upper, rtol=1e-13, atol=1e-16)
    assert ours.nhypergeom.cdf(-1, *shapes).item() == 0 and ours.nhypergeom.sf(n, *shapes).item() == 0
    # The support may be one point; ranks of equal shares are not told apart.
    apart = np.diff(lower, prepend=0.0) > 1e-12
    assert (
        ours.nhypergeom.ppf(cp.asarray(np.array(lower)[apart] - 1e-13), *shapes).get() == np.flatnonzero(apart)
    ).all()


@pytest.mark.parametrize("shapes", [(5, 1.0, 1.0), (40, 2.3, 0.63), (12, 1.0, 7.5), (0, 2.0, 3.0)])
def test_beta_binomial_tails_to_their_ends(shapes):
    n, a, b = shapes
    with mpmath.workdps(30):
        masses = [choose(n, x) * mpmath.beta(x + a, n - x + b) / mpmath.beta(a, b) for x in range(n + 1)]
        lower = [float(mpmath.fsum(masses[: x + 1])) for x in range(n + 1)]
        upper = [float(mpmath.fsum(masses[x + 1 :])) for x in range(n + 1)]
    x = cp.arange(n + 1)
    np.testing.assert_allclose(ours.betabinom.cdf(x, *shapes).get(), lower, rtol=1e-13)
    np.testing.assert_allclose(ours.betabinom.sf(x, *shapes).get(), upper, rtol=1e-13, atol=1e-16)


def test_beta_binomial_of_many_trials():
    n, k = 10**6, 10**5
    # Of whole parameters probabilities are quotients of whole numbers.
    below = sum((x + 1) * (n - x + 1) * (n - x + 2) // 2 for x in range(k + 1))
    exact = below / math.comb(n + 4, 4)
    assert ours.betabinom.cdf(k, n, 2.0, 3.0).item() == pytest.approx(exact, rel=1e-10)


def test_densities_at_infinity():
    for name, shapes in [("fisk", (3.0,)), ("weibull_min", (2.5,)), ("dweibull", (2.5,)), ("loglaplace", (2.0,))]:
        density = getattr(ours, name).pdf
        assert density(np.inf, *shapes).item() == 0
        assert density(1e200, *shapes).item() == 0


def test_entropies_of_the_studentized_range():
    # By mpmath's quadrature of the density; of two numbers it is that of a multiple of Student's t, folded.
    with mpmath.workdps(20):
        normal = mpmath.log(2 * mpmath.sqrt(mpmath.pi)) + mpmath.mpf(1) / 2 - mpmath.log(2)
    assert ours.studentized_range.entropy(2.0, np.inf).item() == pytest.approx(float(normal), rel=1e-10)
    folded = ours.t.entropy(5.0).item() - np.log(2) + np.log(2) / 2
    assert ours.studentized_range.entropy(2.0, 5.0).item() == pytest.approx(folded, rel=1e-9)
    several = ours.studentized_range.entropy(cp.asarray([2.0, 2.0]), cp.asarray([5.0, 400.0]))
    wide = ours.t.entropy(400.0).item() - np.log(2) / 2
    assert several.get() == pytest.approx([folded, wide], rel=1e-9)


@pytest.mark.parametrize("df", [0.01, 0.1, 0.3, 0.5, 1.0, 15.9, 16.1, 29.0])
def test_entropy_of_the_studentized_range_of_heavy_tails(df):
    # Of two numbers: that of the absolute value of Student's t times the root of 2.
    with mpmath.workdps(30):
        v = mpmath.mpf(df)
        rise = mpmath.digamma((v + 1) / 2) - mpmath.digamma(v / 2)
        exact = (v + 1) / 2 * rise + mpmath.log(mpmath.sqrt(v) * mpmath.beta(v / 2, 0.5)) - mpmath.log(2) / 2
    assert ours.studentized_range.entropy(2.0, df).item() == pytest.approx(float(exact), rel=1e-12)


def test_mean_of_kolmogorovs_statistic_of_many():
    # The expansion of the mean in powers of the inverse root, whose first terms are the limit's mean and -1 / (6 n).
    few, many = ours.kstwo.mean(cp.asarray([299.0, 1000.0])).tolist()
    limit = np.sqrt(np.pi / 2) * np.log(2)
    for n, mean in ((299, few), (1000, many)):
        assert mean * np.sqrt(n) == pytest.approx(limit - 1 / (6 * np.sqrt(n)), abs=0.5 / n)
    assert ours.kstwo.mean(1000).item() == pytest.approx(many, rel=1e-12)


@pytest.mark.parametrize("x", [1e-3, 0.5, 4.0, 15.8, 24.0])
def test_studentized_range_of_two_normal_numbers(x):
    """The size of the difference of two normal numbers, also where the larger one is far out."""
    row = ours.studentized_range(2.0, np.inf)
    assert row.cdf(x).item() == pytest.approx(math.erf(x / 2), rel=1e-12)
    assert row.sf(x).item() == pytest.approx(math.erfc(x / 2), rel=1e-12)
    assert row.pdf(x).item() == pytest.approx(math.exp(-x * x / 4) / math.sqrt(math.pi), rel=1e-12)


@pytest.mark.parametrize("df", [1.0, 3.0, 30.0, 5e3, 2e5, 1e9])
@pytest.mark.parametrize("x", [0.5, 3.0, 4.0, 12.0])
def test_studentized_range_of_two_is_students(df, x):
    """Of two numbers it is the root of two times the size of Student's variable, for many degrees of freedom too."""
    with mpmath.workdps(40):
        size, half = mpmath.mpf(x) / mpmath.sqrt(2), mpmath.mpf(df) / 2
        exact = mpmath.betainc(half, 0.5, 0, df / (df + size * size), regularized=True)
        rest = 1 - exact
    assert ours.studentized_range.sf(x, 2.0, df).item() == pytest.approx(float(exact), rel=2e-14)
    assert ours.studentized_range.cdf(x, 2.0, df).item() == pytest.approx(float(rest), rel=2e-14)


@pytest.mark.parametrize("df", [1e9, 1e12, 1e15, 9e15])
@pytest.mark.parametrize("x", [0.5, 3.0, 4.0, 12.0])
def test_studentized_range_of_two_for_almost_endless_degrees(df, x):
    """By the integral of Student's density."""
    with mpmath.workdps(50):
        size, nu = mpmath.mpf(x) / mpmath.sqrt(2), mpmath.mpf(df)
        height = mpmath.exp(mpmath.loggamma((nu + 1) / 2) - mpmath.loggamma(nu / 2)) / mpmath.sqrt(nu * mpmath.pi)
        ends = [size, size + 1, size + 3, size + 8, size + 30]
        exact = 2 * height * mpmath.quad(lambda t: mpmath.exp(-(nu + 1) / 2 * mpmath.log1p(t * t / nu)), ends)
        rest = 1 - exact
    assert ours.studentized_range.sf(x, 2.0, df).item() == pytest.approx(float(exact), rel=5e-15)
    assert ours.studentized_range.cdf(x, 2.0, df).item() == pytest.approx(float(rest), rel=5e-15)


@pytest.mark.parametrize(
    ("x", "many", "df", "exact"),
    [
        (3.0, 1e4, 10.0, 5.4654710587644e-09),
        (1.0, 1e3, 5.0, 1.2287842180517e-28),
        (3.0, 100.0, 10.0, 9.4588454078804e-03),
    ],
)
def test_studentized_range_of_many_is_narrow(x, many, df, exact):
    """By sums over a fixed grid of a fraction of the step."""
    assert ours.studentized_range.cdf(x, many, df).item() == pytest.approx(exact, rel=5e-13)


@pytest.mark.parametrize("args", [(143, 539, 311, 341), (92, 428, 248, 264), (161, 329, 162, 229), (5, 30, 12, 6)])
def test_hypergeometric_probabilities_by_their_shares(args):
    x, total, good, drawn = args
    exact = math.comb(good, x) * math.comb(total - good, drawn - x) / math.comb(total, drawn)
    assert ours.hypergeom.pmf(*map(float, args)).item() == pytest.approx(exact, rel=2e-14)


@pytest.mark.parametrize(
    ("x", "n", "p"), [(609, 991, 0.38567622625262327), (60, 200, 0.4), (19, 40, 0.4), (3, 40, 0.4)]
)
def test_binomial_probabilities_by_their_shares(x, n, p):
    with mpmath.workdps(40):
        exact = float(mpmath.binomial(n, x) * mpmath.mpf(p) ** x * (1 - mpmath.mpf(p)) ** (n - x))
    assert ours.binom.pmf(x, n, p).item() == pytest.approx(exact, rel=1e-14)
    assert ours.binom.logpmf(x, n, p).item() == pytest.approx(math.log(exact), rel=1e-13)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("rice", (1.3167726049471843e-107, 0.20223611388690776)),
        ("invgauss", (0.0016064860410258742, 5.504920998817936)),
        ("skewnorm", (-33.29995358238116, -0.31887057821649184)),
        ("rel_breitwigner", (1e6, 3.033152646898658)),
        ("alpha", (0.040531710668029734, 0.8112239206293129)),
        ("moyal", (-5.0,)),
        ("powernorm", (5.0, 2.1)),
        ("recipinvgauss", (0.0106, 1.18)),
    ],
)
def test_densities_are_products(name, args):
    """Their logarithms, computed as sums, are rounded as their size is: `exp` of them loses more digits."""
    x, *shapes = args
    with mpmath.workdps(40):
        y, *b = map(mpmath.mpf, args)
        exact = {
            "rice": lambda: (
                y * mpmath.exp(-((y - b[0]) ** 2) / 2) * mpmath.besseli(0, y * b[0]) * mpmath.exp(-y * b[0])
            ),
            "invgauss": lambda: mpmath.exp(-((y / b[0] - 1) ** 2) / (2 * y)) / mpmath.sqrt(2 * mpmath.pi * y**3),
            "skewnorm": lambda: 2 * mpmath.npdf(y) * mpmath.ncdf(b[0] * y),
            "rel_breitwigner": lambda: breit_wigner(y, b[0]),
            "alpha": lambda: mpmath.npdf(b[0] - 1 / y) / y**2 / mpmath.ncdf(b[0]),
            "moyal": lambda: mpmath.exp(-(y + mpmath.exp(-y)) / 2) / mpmath.sqrt(2 * mpmath.pi),
            "powernorm": lambda: b[0] * mpmath.npdf(y) * mpmath.ncdf(-y) ** (b[0] - 1),
            "recipinvgauss": lambda: (
                mpmath.exp(-((1 - b[0] * y) ** 2) / (2 * y * b[0] ** 2)) / mpmath.sqrt(2 * mpmath.pi * y)
            ),
        }[name]()
        size = abs(mpmath.log(exact))
    found = getattr(ours, name).pdf(x, *shapes).item()
    # The exponent's own rounding alone.
    assert abs(found / float(exact) - 1) < 2e-16 * (4 + 4 * min(float(size), 400.0))
    assert getattr(ours, name).pdf(cp.asarray([np.inf, 0.0]), *shapes).tolist()[0] == 0


@pytest.mark.parametrize(
    ("name", "args", "a", "log_y"),
    [
        ("nakagami.cdf", (6.6e-181, 0.775), 0.775, lambda x: math.log(0.775) + 2 * math.log(x)),
        ("chi.cdf", (1e-200, 1.0), 0.5, lambda x: 2 * math.log(x) - math.log(2)),
        ("gengamma.cdf", (1e-130, 0.5, 3.0), 0.5, lambda x: 3 * math.log(x)),
        ("gengamma.sf", (5.4e122, 0.27, -4.8), 0.27, lambda x: -4.8 * math.log(x)),
        ("halfgennorm.cdf", (1e-200, 3.0), 1 / 3, lambda x: 3 * math.log(x)),
    ],
)
def test_gamma_tails_of_powers_below_all_numbers(name, args, a, log_y):
    row, method = name.split(".")
    found = getattr(getattr(ours, row), method)(*args).item()
    assert found == pytest.approx(math.exp(a * log_y(args[0]) - math.lgamma(a + 1)), rel=1e-12)
    complement = getattr(getattr(ours, row), {"cdf": "sf", "sf": "cdf"}[method])(*args).item()
    assert complement == pytest.approx(1.0, abs=1e-15)


def test_exponentiated_weibull_of_small_powers():
    assert ours.exponweib.cdf(1e-200, 0.1, 2.0).item() == pytest.approx(1e-40, rel=1e-12)
    assert ours.exponweib.sf(1e-200, 0.001, 2.0).item() == pytest.approx(-math.expm1(-0.4 * math.log(10)), rel=1e-12)


def breit_wigner(x, rho):
    r = mpmath.sqrt(1 + 1 / (rho * rho))
    return 2 / mpmath.pi * mpmath.sqrt(2 * r * r / (1 + r)) / (((x - rho) * (x + rho) / rho) ** 2 + 1)


@pytest.mark.parametrize(
    ("name", "shape"), [("zipf", 2.5), ("zipf", 1.3), ("yulesimon", 0.7), ("yulesimon", 3.0), ("geom", 0.015)]
)
def test_quantiles_invert_the_cumulative_function_where_it_tells_points_apart(name, shape):
    row, points = getattr(ours, name), np.arange(1.0, 3000.0)
    values = row.cdf(cp.asarray(points), shape)
    apart = np.diff(values.get(), prepend=0.0) > 2.0**-52
    assert apart.sum() > 1000
    np.testing.assert_array_equal(row.ppf(values, shape).get()[apart], points[apart])


@pytest.mark.parametrize("method", ["cdf", "sf", "logsf", "pdf", "logpdf"])
@pytest.mark.parametrize(
    "arguments",
    [
        (-1.600288990492184, 0.6127122418249868, 4.152267784581471),
        (-0.6782006061088376, 0.5416389185072281, 0.3235235098669865),
        (0.5532017482920737, 4.82310079765063, 1.678861698153515),
        (0.5876828507252524, 1.5884259342866474, -0.9949273761824873),
    ],
)
def test_kappa_next_to_its_lower_end_is_as_far_off_as_rounded_arguments(method, arguments):
    """What cancels, `1 - h * u`, may be off by roundings of 1."""
    with mpmath.workdps(60):
        x, h, k = map(mpmath.mpf, arguments)
        log_u = mpmath.log1p(-k * x) / k
        exact, values = -mpmath.expm1(mpmath.log(h) + log_u), []
        assert 0 < exact < 1e-9
        for left in (max(exact - 2.0**-51, 0), exact + 2.0**-51):
            log_cdf = mpmath.log(left) / h
            log_pdf, cdf = (1 - k) * log_u + (1 - h) * log_cdf, mpmath.exp(log_cdf)
            pairs = {"sf": 1 - cdf, "logsf": mpmath.log1p(-cdf), "cdf": cdf, "logpdf": log_pdf}
            values.append(float((pairs | {"pdf": mpmath.exp(log_pdf)})[method]))
    assert min(values) <= getattr(ours.kappa4, method)(*arguments).item() <= max(values)


def test_zipf_of_an_infinite_power_is_one():
    zipf = cp.scipy.stats.zipf
    assert zipf.pmf(cp.asarray([1, 2]), np.inf).tolist() == [1, 0]
    assert zipf.logpmf(cp.asarray([1, 2]), np.inf).tolist() == [0, -np.inf]


@pytest.mark.parametrize(("n", "p", "kurtosis"), [(0, 0.3, np.nan), (5, 0.0, np.inf), (5, 1.0, np.inf)])
def test_binom_at_one_point_has_no_skewness(n, p, kurtosis):
    np.testing.assert_equal([float(x) for x in cp.scipy.stats.binom.stats(n, p, moments="sk")], [np.nan, kurtosis])


def test_entropy_of_noncentral_t():
    """One sum around the peak gives the density: an integral of integrals took seconds."""
    found = ours.nct.entropy(cp.asarray([14.0, 3.0, 100.0]), cp.asarray([0.24, 20.0, 50.0])).tolist()
    assert found == pytest.approx([1.4925219090250184, 3.8177913752070880, 2.7284687846883346], rel=1e-13)


def test_tails_of_noncentral_t_beyond_the_squares_of_numbers_are_powers():
    """Beside `x` the normal number's spread is nothing: the tails are those of the root at 0."""
    for df, nc in ((0.001, 1.0), (0.05, -2.0), (0.5, 30.0)):
        for sign, tail in ((1, ours.nct.sf), (-1, ours.nct.cdf)):
            start, end = (float(tail(sign * x, df, nc)) for x in (1e130, 1e308))
            assert end == pytest.approx(start * 1e-178**df, rel=1e-12), (df, nc, sign)
            both = ours.nct.sf(-sign * 1e308, df, nc) + ours.nct.cdf(-sign * 1e308, df, nc)
            assert float(both) == pytest.approx(1)


def test_densities_of_noncentral_t_beside_a_huge_noncentrality_are_those_of_the_root():
    for x, df, nc, exact in (
        (1e308, 3.0, 1e308, 9.250819788226156e-309),
        (1e200, 5.0, 3e200, 6.112575668758019e-207),
        (-1e250, 0.5, -1e251, 1.713057242001537e-261),
    ):
        found = float(ours.nct.pdf(x, df, nc))
        assert found == pytest.approx(exact, rel=1e-12)


def test_entropy_of_a_law_that_lies_beyond_all_numbers_is_unknown_at_once():
    with pytest.warns(Warning):
        assert np.isnan(float(ours.nct.entropy(1e-3, 5)))
