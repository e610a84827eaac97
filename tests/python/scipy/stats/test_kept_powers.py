"""Powers, tails and counts whose roundings an exponential would multiply, beside values of mpmath and exact fractions.

Each point is one at which the sum of logarithms that a product or a pair of numbers replaced was far off.
"""

import math
from fractions import Fraction

import cuproxide as cp
import mpmath
import numpy as np
import pytest
import scipy.special
from cuproxide._lib import kernel as k
from cuproxide.scipy.stats import _pairs
from mpmath import mp, mpf

ours = cp.scipy.stats


def off(found, exact):
    """The error in units of the last place."""
    exact = mpf(exact.numerator) / exact.denominator if isinstance(exact, Fraction) else exact
    return float(abs(mpf(float(found)) - exact) / mpf(float(np.spacing(abs(float(exact))))))


def check(name, arguments, exact, bound):
    distribution, method = name.split(".")
    found = getattr(getattr(ours, distribution), method)(*arguments)
    with mp.workdps(60):
        error = off(found, exact(*map(mpf, arguments)))
    assert error <= bound, f"{name}{arguments} = {float(found)!r} is off by {error:.3g} ULP"


# ---------------------------------------------------------------------------------------------------------- pairs


@k.kernel
def _in_kernel(x: k.Each):
    value = _pairs.log_pair(x)
    return value.high, value.low


def test_pairs_have_sixty_bits():
    random = np.random.default_rng(7)
    x = np.concatenate([random.uniform(0.1, 9, 60), 10 ** random.uniform(-300, 300, 60), [5e-324, 1.7e308, 0.5, 2.0]])
    c = random.uniform(-2, 2, x.size) / np.maximum(np.abs(np.log(x)) / 300, 1)
    # A quotient below all normal numbers has fewer digits.
    y = np.maximum(x, 1e-290)
    cases = [
        (_pairs.log_pair(cp.asarray(x)), lambda i: mpmath.log(x[i])),
        (_pairs.exp_pair(_pairs.Pair(cp.asarray(c * 300))), lambda i: mpmath.exp(mpf(c[i] * 300))),
        (_pairs.power_pair(cp.asarray(x), cp.asarray(c)), lambda i: mpf(x[i]) ** mpf(c[i])),
        (_pairs.log1p_pair(cp.asarray(x)), lambda i: mpmath.log1p(x[i])),
        (_pairs.log_of_pair(_pairs.Pair(cp.asarray(y)) / 3), lambda i: mpmath.log(mpf(y[i]) / 3)),
    ]
    high, low = _in_kernel(cp.asarray(x))
    cases.append((_pairs.Pair(high, low), lambda i: mpmath.log(x[i])))
    with mp.workdps(60):
        for number, (pair, exact) in enumerate(cases):
            first, rest = pair.high.get(), pair.low.get()
            for i in range(x.size):
                error = abs(mpf(float(first[i])) + mpf(float(rest[i])) - exact(i))
                assert error <= abs(exact(i)) * mpf(2) ** -59, (number, x[i], c[i])


def test_the_logarithm_of_a_pair_has_the_limits_of_a_logarithm():
    for x in (cp.asarray([0.0, np.inf, -1.0, np.nan, 1.0]), np.array([0.0, np.inf, -1.0, np.nan, 1.0])):
        with np.errstate(all="ignore"):
            found = _pairs.log_pair(x).number()
        found = found.get() if isinstance(found, cp.ndarray) else found
        assert np.array_equal(found, [-np.inf, np.inf, np.nan, np.nan, 0.0], equal_nan=True)


# ---------------------------------------------------------------------------------------------------------- powers


def _burr12_pdf(x, c, d):
    return c * d * x ** (c - 1) * (1 + x**c) ** (-d - 1)


POWERS = [
    ("pareto.sf", (1.0083517504563212e56, 3.4925853363370187), lambda x, b: x**-b, 1),
    ("pareto.pdf", (1.2070445057961103e73, 1.8597937184946722), lambda x, b: b * x ** (-b - 1), 3),
    ("pareto.isf", (4.166007153131238e-90, 0.3536834122696976), lambda q, b: q ** (-1 / b), 3),
    ("lomax.pdf", (5.0890718364015624e64, 3.1066793495438216), lambda x, c: c * (1 + x) ** (-c - 1), 3),
    ("lomax.pdf", (3e-9, 1e7), lambda x, c: c * (1 + x) ** (-c - 1), 3),
    ("loglaplace.isf", (5.10863727060371e-238, 0.8653745138508483), lambda q, c: (2 * q) ** (-1 / c), 3),
    ("powerlaw.isf", (0.9999998919390115, 0.43372014850165336), lambda q, a: (1 - q) ** (1 / a), 8),
    ("burr12.cdf", (7.777399796592614e-215, 1.0553796792884171, 3.2085399025681625),
     lambda x, c, d: -mpmath.expm1(-d * mpmath.log1p(x**c)), 5),
    ("burr12.logsf", (6.012507085238289e-30, 7.710266570074193, 0.7004155076981644),
     lambda x, c, d: -d * mpmath.log1p(x**c), 5),
    ("burr12.sf", (4.843464044607332e77, 3.2817735847584633, 0.7044293986707589), lambda x, c, d: (1 + x**c) ** -d, 5),
    ("burr12.pdf", (3.2400473114907226e32, 3.583569603087743, 1.731365582224952), _burr12_pdf, 8),
    ("burr12.pdf", (1e-300, 0.01, 2.0), _burr12_pdf, 8),
    ("burr12.isf", (1.0771014397447539e-109, 2.3343994686813336, 0.3300129239459024),
     lambda q, c, d: (q ** (-1 / d) - 1) ** (1 / c), 8),
    ("burr.sf", (1.0611258934307528e30, 7.2995913811063176, 4.128634339380475),
     lambda x, c, d: -mpmath.expm1(-d * mpmath.log1p(x**-c)), 5),
    ("mielke.pdf", (3.685847372397681e-22, 9.419759284195347, 1.5133952836346363),
     lambda x, k, s: k * x ** (k - 1) * (1 + x**s) ** (-1 - k / s), 8),
    ("kappa3.sf", (1.8351873418394078, 940.2658318536396), lambda x, a: -mpmath.expm1(-mpmath.log1p(a * x**-a) / a), 5),
    ("kappa3.sf", (0.005962067835328089, 0.005646704528903995),
     lambda x, a: -mpmath.expm1(-mpmath.log1p(a * x**-a) / a), 5),
    ("kappa3.pdf", (2.1616303093402426e112, 0.42875395021478113), lambda x, a: a * (a + x**a) ** (-1 - 1 / a), 5),
    ("kappa3.pdf", (1.475704325162369e-29, 0.004274317588249432), lambda x, a: a * (a + x**a) ** (-1 - 1 / a), 200),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "exact", "bound"), POWERS)
def test_a_power_has_no_rounding_of_its_logarithm(name, arguments, exact, bound):
    check(name, arguments, exact, bound)


def test_densities_of_powers_at_0_and_infinity():
    x = [0.0, np.inf]
    for name, shapes, at_zero in (
        ("burr12", (0.5, 2.0), np.inf), ("burr12", (1.0, 2.0), 2.0), ("burr12", (3.0, 2.0), 0.0),
        ("mielke", (0.5, 2.0), np.inf), ("mielke", (1.0, 2.0), 1.0), ("mielke", (2.0, 2.0), 0.0),
        ("lomax", (2.0,), 2.0), ("kappa3", (1.5,), 1.5 ** (-1 / 1.5)), ("levy", (), 0.0), ("invweibull", (2.0,), 0.0),
        ("recipinvgauss", (2.0,), 0.0), ("weibull_min", (2.0,), 0.0), ("weibull_min", (1.0,), 1.0),
    ):  # fmt: skip
        found = getattr(ours, name).pdf(x, *shapes).get()
        assert found[0] == pytest.approx(at_zero, rel=1e-15), name
        assert found[1] == 0.0, name
    assert ours.burr12.sf([0.0, np.inf], 3.0, 2.0).tolist() == [1.0, 0.0]
    assert ours.burr12.isf([0.0, 1.0], 3.0, 2.0).tolist() == [np.inf, 0.0]
    assert ours.pareto.isf([0.0, 1.0], 3.0).tolist() == [np.inf, 1.0]


# ------------------------------------------------------------------------------------ exponentials and normal numbers


def _normal_quantile(q):
    return mpmath.findroot(lambda z: mpmath.log(mpmath.ncdf(z)) - mpmath.log(q), float(ours.norm.ppf(float(q))))


def _exponnorm_pdf(x, k):
    return mpmath.exp((1 / (2 * k) - x) / k) * mpmath.ncdf(x - 1 / k) / k


def _invgauss_cdf(x, mu):
    root = 1 / mpmath.sqrt(x)
    return mpmath.ncdf(root * (x / mu - 1)) + mpmath.exp(2 / mu) * mpmath.ncdf(-root * (x / mu + 1))


def _pareto_lognormal(x, u, s, a, b, side):
    z = (mpmath.log(x) - u) / s
    left = mpmath.exp(a * s * (a * s / 2 - z)) * mpmath.ncdf(z - a * s)
    right = mpmath.exp(b * s * (b * s / 2 + z)) * mpmath.ncdf(-z - b * s)
    if side == 0:
        return a * b / (a + b) / x * (left + right)
    return mpmath.ncdf(-side * z) + side * (b * left - a * right) / (a + b)


def _truncnorm_pdf(x, a, b):
    return mpmath.npdf(x) / (mpmath.ncdf(-a) - mpmath.ncdf(-b))


def _crystal_cdf(x, beta, m):
    base = mpmath.exp(-beta * beta / 2)
    tail = base * m / beta / (m - 1)
    return tail * (1 - beta * (beta + x) / m) ** (1 - m) / (tail + mpmath.sqrt(2 * mpmath.pi) * mpmath.ncdf(beta))


def _f_logpdf(x, n, m):
    powers = n / 2 * mpmath.log(n / m) + (n / 2 - 1) * mpmath.log(x) - (n + m) / 2 * mpmath.log1p(n * x / m)
    return powers - mpmath.log(mpmath.beta(n / 2, m / 2))


def _argus_logpdf(x, chi):
    phi = mpmath.gammainc(1.5, 0, chi * chi / 2) / mpmath.gamma(1.5) / 2
    inside = mpmath.log(chi**3 / mpmath.sqrt(2 * mpmath.pi) / phi * x * mpmath.sqrt(1 - x * x))
    return inside - chi * chi * (1 - x * x) / 2


def _nig_pdf(x, a, b):
    h, g = mpmath.sqrt(1 + x * x), mpmath.sqrt(a * a - b * b)
    return a / mpmath.pi * mpmath.besselk(1, a * h) / h * mpmath.exp(g + b * x)


NORMALS = [
    ("gibrat.ppf", (4.221505276675663e-298,), lambda q: mpmath.exp(_normal_quantile(q)), 3),
    ("gibrat.isf", (5.973330716869897e-178,), lambda q: mpmath.exp(-_normal_quantile(q)), 3),
    ("lognorm.isf", (1e-30, 40.0), lambda q, s: mpmath.exp(-s * _normal_quantile(q)), 60),
    ("exponnorm.pdf", (-33.709118991820425, 0.3360404512357425), _exponnorm_pdf, 5),
    ("exponnorm.sf", (100.0, 0.34568319896981), lambda x, k: mpmath.ncdf(-x) + k * _exponnorm_pdf(x, k), 200),
    ("exponnorm.logpdf", (-0.27313910838759575, 0.018344394739020508), lambda *a: mpmath.log(_exponnorm_pdf(*a)), 6),
    ("dpareto_lognorm.sf", (1e19, -1.1576044384125053, 0.7568445057654724, 0.8398429719907858, 0.6728878642039288),
     lambda *a: _pareto_lognormal(*a, 1), 90),
    ("dpareto_lognorm.cdf",
     (7.103244386080872e-12, -2.909518995791386, 0.361708405347979, 0.35526893161128736, 0.43614268281973917),
     lambda *a: _pareto_lognormal(*a, -1), 30),
    ("dpareto_lognorm.pdf", (1e50, -1.7109856653786695, 0.7949261927686143, 0.3215515444361135, 2.1421140693112988),
     lambda *a: _pareto_lognormal(*a, 0), 110),
    ("crystalball.cdf", (-4.849352773171148, 0.41778269627784936, 27.901830820205895), _crystal_cdf, 8),
    ("truncnorm.pdf", (47.64876534326211, 47.63628760423912, 47.741446487279134), _truncnorm_pdf, 20),
    ("truncnorm.pdf", (47.7, 47.6, np.inf), _truncnorm_pdf, 20),
    ("truncnorm.pdf", (0.3, -1.0, 2.7), _truncnorm_pdf, 5),
    ("wald.cdf", (0.0009250333626904454,), lambda x: _invgauss_cdf(x, 1), 6),
    ("invgauss.cdf", (0.000917102368815629, 0.547765872192397), _invgauss_cdf, 6),
    ("invgauss.cdf", (3.0, 0.6), _invgauss_cdf, 6),
    ("recipinvgauss.pdf", (1.4053964843143475e-05, 8.789847458360097),
     lambda x, mu: mpmath.exp(-((1 - mu * x) ** 2) / (2 * x * mu * mu)) / mpmath.sqrt(2 * mpmath.pi * x), 5),
    ("wald.logpdf", (0.23350847541061057,),
     lambda x: -((x - 1) ** 2) / (2 * x) - mpmath.log(2 * mpmath.pi * x**3) / 2, 250),
    ("genlogistic.pdf", (-500.0, 1.3), lambda x, c: c * mpmath.exp(-x) * (1 + mpmath.exp(-x)) ** (-c - 1), 5),
    ("genlogistic.pdf", (300.0, 1.3), lambda x, c: c * mpmath.exp(-x) * (1 + mpmath.exp(-x)) ** (-c - 1), 5),
    ("levy.logpdf", (0.24023565049021023,), lambda x: -mpmath.log(2 * mpmath.pi * x**3) / 2 - 1 / (2 * x), 2.5),
    ("levy.logpdf", (1.536024387348567e308,), lambda x: -mpmath.log(2 * mpmath.pi * x**3) / 2 - 1 / (2 * x), 2.5),
    ("f.logpdf", (1.0586161535976937, 6252.979122737494, 16.341643986317287), _f_logpdf, 6000),
    ("f.pdf", (1e-12, 5.0, 7.0), lambda *a: mpmath.exp(_f_logpdf(*a)), 60),
    ("argus.logpdf", (0.9999999920540408, 5689.135242593136), _argus_logpdf, 10),
    ("arcsine.logpdf", (0.8830075820481288,), lambda x: -mpmath.log(mpmath.pi * mpmath.sqrt(x * (1 - x))), 8),
    ("reciprocal.logpdf", (10.093768981978586, 9.62254551270972, 10.849603927390973),
     lambda x, a, b: -mpmath.log(x * mpmath.log(b / a)), 9),
    ("gennorm.logpdf", (0.0, 5118.112082699969), lambda x, b: mpmath.log(b / 2 / mpmath.gamma(1 / b)) - abs(x) ** b, 3),
    ("gennorm.pdf", (2.419668519909717, 6.70821063756134),
     lambda x, b: b / 2 / mpmath.gamma(1 / b) * mpmath.exp(-(abs(x) ** b)), 250),
    ("vonmises_line.pdf", (-3.141592653589787, 9.962486058712225),
     lambda x, k: mpmath.exp(k * mpmath.cos(x)) / (2 * mpmath.pi * mpmath.besseli(0, k)), 4),
    ("norminvgauss.pdf", (2.4055349054113773, 25.100776497796225, 2.662129672769142), _nig_pdf, 90),
    ("cosine.isf", (0.46482344195741376,),
     lambda q: mpmath.findroot(lambda x: x + mpmath.sin(x) - 2 * mpmath.pi * (mpf(1) / 2 - q), 0.11), 3),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "exact", "bound"), NORMALS)
def test_an_exponential_has_no_rounding_of_its_parts(name, arguments, exact, bound):
    check(name, arguments, exact, bound)


def test_the_cdf_of_the_inverse_gaussian_law_far_out():
    assert ours.invgauss.cdf([1e248, 5e171, 1e-310], 0.3).tolist() == [1.0, 1.0, 0.0]
    # Without a mean it is Levy's law.
    assert ours.invgauss.cdf([0.5, 7.0], np.inf).tolist() == pytest.approx(
        ours.levy.cdf([0.5, 7.0]).tolist(), rel=1e-15
    )


# ---------------------------------------------------------------------------------------------------------- counts


def _choose(n, j):
    return math.comb(int(n), int(j))


def _binom(x, n, p):
    p = Fraction(p)
    return _choose(n, x) * p ** int(x) * (1 - p) ** int(n - x)


def _hypergeom(x, m, n, draws):
    return Fraction(_choose(n, x) * _choose(m - n, draws - x), _choose(m, draws))


def _nhypergeom(x, m, n, r):
    return Fraction(_choose(x + r - 1, x) * _choose(m - r - x, n - x), _choose(m, n))


COUNTS = [
    ("binom.pmf", (382, 965, 0.8668530850424152), _binom, 5),
    ("binom.pmf", (0, 500, 0.3), _binom, 5),
    ("binom.pmf", (500, 500, 0.3), _binom, 5),
    ("binom.pmf", (1, 2, 0.5), _binom, 3),
    ("hypergeom.pmf", (49, 358, 54, 100), _hypergeom, 5),
    ("hypergeom.pmf", (0, 20, 5, 7), _hypergeom, 5),
    ("hypergeom.pmf", (1, 10, 1, 10), _hypergeom, 1),
    ("hypergeom.cdf", (92, 428, 248, 264), lambda x, *a: sum(_hypergeom(j, *a) for j in range(84, x + 1)), 8),
    ("hypergeom.sf", (287, 400, 368, 311), lambda x, *a: sum(_hypergeom(j, *a) for j in range(x + 1, 312)), 8),
    ("nhypergeom.pmf", (25, 57, 38, 19), _nhypergeom, 5),
    ("nhypergeom.cdf", (16, 46, 25, 20), lambda x, *a: sum(_nhypergeom(j, *a) for j in range(x + 1)), 8),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "exact", "bound"), COUNTS)
def test_a_probability_of_counts_beside_the_exact_fraction(name, arguments, exact, bound):
    distribution, method = name.split(".")
    with mp.workdps(60):
        assert off(getattr(getattr(ours, distribution), method)(*arguments), exact(*arguments)) <= bound
        if method == "pmf":
            value = exact(*arguments)
            log = mpmath.log(mpf(value.numerator) / value.denominator)
            assert abs(float(getattr(ours, distribution).logpmf(*arguments)) - float(log)) <= 1e-15 * max(1, -log)


def test_degenerate_counts_are_certain():
    assert ours.binom.pmf([0, 1, 5], 5, 0.0).tolist() == [1.0, 0.0, 0.0]
    assert ours.binom.pmf([0, 4, 5], 5, 1.0).tolist() == [0.0, 0.0, 1.0]
    assert ours.binom.pmf(0, 0, 0.5).item() == 1.0
    assert ours.nhypergeom.pmf([0, 1], 20, 7, 0).tolist() == [1.0, 0.0]
    assert ours.hypergeom.pmf([0, 1], 20, 0, 7).tolist() == [1.0, 0.0]


def test_many_trials_keep_the_formula_of_large_parameters():
    # Beyond a million trials pairs have too few digits.
    for n in (999_999, 1_000_001, 10**9):
        x = n // 3
        with mp.workdps(60):
            exact = mpmath.exp(
                mpmath.loggamma(n + 1) - mpmath.loggamma(x + 1) - mpmath.loggamma(n - x + 1)
                + x * mpmath.log(0.33) + (n - x) * mpmath.log1p(-mpf(0.33))
            )  # fmt: skip
            found = float(ours.binom.pmf(x, n, 0.33))
            if exact > 1e-250:
                assert abs(found - exact) <= 1e-11 * exact


def test_noncentral_hypergeometric_probabilities():
    m, n, draws, odds = 22, 5, 9, mpf(0.25108620184971914)
    with mp.workdps(40):
        rest = odds * (n - 4) + (m - n - draws + 4)
        value = mpmath.quad(
            lambda t: (1 - t ** (odds / rest)) ** 4 * (1 - t ** (1 / rest)) ** 5, [0, 1e-9, 1e-6, 1e-3, 0.1, 0.5, 1]
        )
        exact = _choose(n, 4) * _choose(m - n, draws - 4) * value
        assert off(ours.nchypergeom_wallenius.pmf(4, m, n, draws, float(odds)), exact) <= 8
        # Next to 1 the mode's weight leaves nothing to cancel.
        weights = [_choose(19, j) * _choose(3, 21 - j) * mpf(0.20610786875273618) ** j for j in (18, 19)]
        found = ours.nchypergeom_fisher.logpmf(18, 22, 19, 21, 0.20610786875273618)
        assert off(found, mpmath.log(weights[0] / sum(weights))) <= 30


# ---------------------------------------------------------------------------------------------------------- sums


def _power_sum(first, last, a):
    return mpmath.fsum(mpf(j) ** -a for j in range(int(first), int(last) + 1))


def _logser_cdf(x, p):
    return mpmath.fsum(p**j / j for j in range(1, int(x) + 1)) / -mpmath.log1p(-p)


SUMS = [
    ("zipf.cdf", (4, 1.0054824018687407), lambda x, a: _power_sum(1, x, a) / mpmath.zeta(a), 4),
    ("zipf.cdf", (3000, 1.2), lambda x, a: _power_sum(1, x, a) / mpmath.zeta(a), 4),
    ("zipfian.cdf", (598, 1.0235679461900364, 875), lambda x, a, n: _power_sum(1, x, a) / _power_sum(1, n, a), 5),
    ("zipfian.cdf", (20, 0.0, 50), lambda x, a, n: x / n, 2),
    ("zipfian.sf", (870, 1.0, 875), lambda x, a, n: _power_sum(x + 1, n, a) / _power_sum(1, n, a), 5),
    ("zipfian.sf", (40, 30.0, 50), lambda x, a, n: _power_sum(x + 1, n, a) / _power_sum(1, n, a), 8),
    ("zipfian.logsf", (36, 1.0127693679240815, 885),
     lambda x, a, n: mpmath.log(_power_sum(x + 1, n, a) / _power_sum(1, n, a)), 5),
    ("logser.cdf", (1, 0.9145388812993627), _logser_cdf, 4),
    ("logser.cdf", (30, 0.9145388812993627), _logser_cdf, 4),
    ("dlaplace.logpmf", (0, 6.1343772821050635), lambda x, a: mpmath.log(mpmath.tanh(a / 2)) - a * x, 3),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "exact", "bound"), SUMS)
def test_a_sum_of_powers_cancels_nothing(name, arguments, exact, bound):
    check(name, arguments, exact, bound)


def _smirnov(x, n, slope=False):
    x, total = Fraction(x), Fraction(0)
    for j in range(n + 1):
        if 1 - x - Fraction(j, n) < 0:
            break
        a, b = x + Fraction(j, n), 1 - x - Fraction(j, n)
        if slope:
            first = x * (j - 1) * a ** (j - 2) * b ** (n - j) + a ** (j - 1) * b ** (n - j)
            total -= math.comb(n, j) * (first - (x * (n - j) * a ** (j - 1) * b ** (n - j - 1) if n > j else 0))
        else:
            total += math.comb(n, j) * x * a ** (j - 1) * b ** (n - j)
    return total


@pytest.mark.parametrize(
    ("x", "n"),
    [(0.0902575828715093, 182), (0.020501522141285304, 264), (0.3, 3), (0.55, 20), (0.01, 120), (0.004, 300)],
)
def test_smirnovs_sums_are_rounded_once(x, n):
    with mp.workdps(40):
        tail = _smirnov(x, n)
        assert off(ours.ksone.sf(x, n), tail) <= 2
        assert off(ours.ksone.cdf(x, n), 1 - tail) <= 2
        assert off(ours.ksone.pdf(x, n), _smirnov(x, n, slope=True)) <= 3
        for q in (float(1 - tail), float(tail)):
            found = float(ours.ksone.ppf(q, n))
            assert abs(1 - float(_smirnov(found, n)) - q) <= 1e-15


@pytest.mark.parametrize("n", [1500, 2000, 5000, 19_999])
def test_binomial_coefficients_beyond_the_range_fall_back_into_it(n):
    x = np.linspace(0.1, 4, 40) / np.sqrt(n)
    found = ours.ksone.sf(cp.asarray(x), n).get()
    np.testing.assert_allclose(found, scipy.special.smirnov(n, x), rtol=1e-13)
    np.testing.assert_allclose(ours.ksone.isf(cp.asarray(found), n).get(), x, rtol=1e-12)


def _kolmogorov(x, n):
    """Durbin's matrix, by fractions."""
    t = n * Fraction(x)
    rows = math.ceil(t)
    h = rows - t
    size = 2 * rows - 1
    matrix = [[Fraction(int(i - j + 1 >= 0)) for j in range(size)] for i in range(size)]
    for i in range(size):
        matrix[i][0] -= h ** (i + 1)
        matrix[size - 1][i] -= h ** (size - i)
    matrix[size - 1][0] += (2 * h - 1) ** size if 2 * h > 1 else 0
    for i in range(size):
        for j in range(size):
            if i - j + 1 > 0:
                matrix[i][j] /= math.factorial(i - j + 1)
    row = [Fraction(int(i == rows - 1)) for i in range(size)]
    for _ in range(n):
        row = [sum(row[i] * matrix[i][j] for i in range(size)) for j in range(size)]
    return row[rows - 1] * Fraction(math.factorial(n), n**n)


@pytest.mark.parametrize(("x", "n"), [(0.3614190188682923, 19), (0.25, 10), (0.17, 30), (0.12, 59), (0.04, 14)])
def test_kolmogorovs_recursion_loses_little(x, n):
    with mp.workdps(40):
        exact = _kolmogorov(x, n)
        assert off(ours.kstwo.cdf(x, n), exact) <= 25
        # Where the upper tail is a difference from 1.
        assert abs(float(ours.kstwo.sf(x, n)) - float(1 - exact)) <= 2e-15


def _skellam_pmf(x, one, two):
    power = (one / two) ** (x / 2)
    return mpmath.exp(-one - two) * power * mpmath.besseli(abs(x), 2 * mpmath.sqrt(one * two))


@pytest.mark.parametrize(
    ("name", "arguments", "exact", "bound"),
    [
        ("skellam.pmf", (75.0, 61.93093920338549, 0.007737263261934386), _skellam_pmf, 450),
        ("skellam.pmf", (-7.0, 15.0, 8.0), _skellam_pmf, 60),
        ("skellam.pmf", (0.0, 15.0, 8.0), _skellam_pmf, 60),
        (
            "beta.pdf",
            (0.9273077362336953, 5039.033601322672, 324.90513124788924),
            lambda x, a, b: x ** (a - 1) * (1 - x) ** (b - 1) / mpmath.beta(a, b),
            100,
        ),
        ("logistic.ppf", (0.3832179277381732,), lambda q: mpmath.log(q / (1 - q)), 1),
        ("logistic.ppf", (0.5000001,), lambda q: mpmath.log(q / (1 - q)), 1),
    ],
)
def test_products_of_powers_and_quantiles_in_the_middle(name, arguments, exact, bound):
    check(name, arguments, exact, bound)


def test_the_beta_density_at_its_ends():
    assert ours.beta.pdf([0.0, 1.0], 30.0, 40.0).tolist() == [0.0, 0.0]
    assert ours.beta.pdf([0.0, 1.0], 1.0, 2.0).tolist() == pytest.approx([2.0, 0.0], rel=1e-15)
    assert ours.beta.logpdf([0.0, 1.0], 30.0, 40.0).tolist() == [-np.inf, -np.inf]


@pytest.mark.parametrize(
    ("distribution", "method", "arguments", "expected"),
    [
        ("recipinvgauss", "pdf", (1e160, 0.63), 0.0),
        ("invgauss", "cdf", (1e150, 1e-5), 1.0),
        ("invgauss", "cdf", (1e160, 1e-8), 1.0),
        ("pareto", "isf", (0.3, 1e302), 1.0),
        ("loglaplace", "ppf", (0.3, 1e305), 1.0),
        ("burr12", "sf", (0.5, 1e301, 1), 1.0),
        ("burr12", "isf", (0.5, 1e301, 1), 1.0),
        ("burr12", "pdf", (1, 1e301, 1), 2.5e300),
        ("beta", "logpdf", (1e-305, 20, 30), -13309.511793108519),
        ("beta", "logpdf", (0.0, 20, 30), -np.inf),
        ("binom", "logpmf", (0, 4, 1e-20), -4e-20),
        ("binom", "logpmf", (0, 1000, 1e-14), -1.0000000000000050e-11),
        ("binom", "logpmf", (4, 4, 1 - 2.0**-40), -4 * (2.0**-40 + 2.0**-81)),
        ("binom", "logpmf", (0, 5, 1.0), -np.inf),
        ("hypergeom", "logpmf", (0, 165, 17, 0), 0.0),
        ("hypergeom", "logpmf", (3, 10, 3, 10), 0.0),
        ("ksone", "sf", (0.5565394834256112, 1012), 7.870721941734755e-296),
        ("ksone", "pdf", (0.5565394834256112, 1012), 2.1034334624972645e-292),
    ],
)
def test_parts_that_leave_the_range(distribution, method, arguments, expected):
    found = float(getattr(getattr(ours, distribution), method)(*arguments))
    assert found == pytest.approx(expected, rel=2e-14, abs=0)


# ------------------------------------------------------------------------------------------ the ends of the numbers


def _logser_pmf(x, p):
    return p**x / (x * -mpmath.log1p(-p))


def _genlogistic_isf(q, c):
    return -mpmath.log(mpmath.expm1(-mpmath.log1p(-q) / c))


def _fisk_isf(q, c):
    return ((1 - q) / q) ** (1 / c)


ENDS = [
    ("dpareto_lognorm.pdf", (1.9023959842996378e-233, -0.6725, 0.3790, 0.4958, 1.4055),
     lambda *a: _pareto_lognormal(*a, 0), 1500),
    ("dpareto_lognorm.pdf", (1e-200, 3.0, 1.2, 1.5, 2.0), lambda *a: _pareto_lognormal(*a, 0), 1500),
    ("dpareto_lognorm.logpdf", (1e-200, 3.0, 1.2, 1.5, 2.0), lambda *a: mpmath.log(_pareto_lognormal(*a, 0)), 4),
    ("dpareto_lognorm.logpdf", (5.0, 3.0, 1.2, 1.5, 2.0), lambda *a: mpmath.log(_pareto_lognormal(*a, 0)), 4),
    ("logser.pmf", (2, 1e-162), _logser_pmf, 2),
    ("logser.pmf", (2, 1e-160), _logser_pmf, 2),
    ("logser.pmf", (1, 5e-324), _logser_pmf, 2),
    ("logser.logpmf", (1, 1e-10), lambda *a: mpmath.log(_logser_pmf(*a)), 2),
    ("logser.logpmf", (1, 0.4999), lambda *a: mpmath.log(_logser_pmf(*a)), 4),
    ("logser.logpmf", (1, 0.5), lambda *a: mpmath.log(_logser_pmf(*a)), 4),
    ("logser.logpmf", (7, 0.01), lambda *a: mpmath.log(_logser_pmf(*a)), 4),
    ("halflogistic.sf", (709.9,), lambda x: 2 / (1 + mpmath.exp(x)), 2),
    ("halflogistic.sf", (740.0,), lambda x: 2 / (1 + mpmath.exp(x)), 2),
    ("reciprocal.pdf", (1e-309, 1e-309, 1.0), lambda x, a, b: 1 / (x * mpmath.log(b / a)), 4),
    ("f.logpdf", (0.1, 1e200, 1e-200), _f_logpdf, 4),
    ("f.logpdf", (0.1, 1e-200, 1e200), _f_logpdf, 4),
    ("f.logpdf", (1e250, 1e70, 3.0), _f_logpdf, 4),
    ("f.logpdf", (1e-250, 3.0, 1e70), _f_logpdf, 4),
    ("genlogistic.isf", (1 - 1e-6, 0.001), _genlogistic_isf, 2),
    ("genlogistic.isf", (0.9998397908847683, 0.005197993025073635), _genlogistic_isf, 2),
    ("fisk.isf", (1e-310, 2.4877), _fisk_isf, 2),
    ("fisk.isf", (1.7e-319, 2.4877), _fisk_isf, 2),
    ("fisk.isf", (1e-280, 2.4877), _fisk_isf, 2),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "exact", "bound"), ENDS)
def test_a_result_in_range_whose_parts_leave_it(name, arguments, exact, bound):
    # Digits for the logarithm of 1 and a number that is far from it.
    with mp.workdps(700):
        value = exact(*map(mpf, arguments))
    check(name, arguments, lambda *_: value, bound)


def test_laws_at_the_ends_of_their_supports():
    assert ours.dpareto_lognorm.pdf([0.0, np.inf], 3.0, 1.2, 1.5, 2.0).tolist() == [0.0, 0.0]
    assert ours.dpareto_lognorm.logpdf([0.0, np.inf], 3.0, 1.2, 1.5, 2.0).tolist() == [-np.inf, -np.inf]
    assert ours.f.logpdf([0.0, np.inf], 3.0, 4.0).tolist() == [-np.inf, -np.inf]
    assert ours.f.logpdf(0.0, 2.0, 4.0).item() == pytest.approx(0.0, abs=1e-15)
    assert ours.f.logpdf(0.0, 1.5, 4.0).item() == np.inf
    assert ours.genlogistic.isf([0.0, 1.0], 0.001).tolist() == [np.inf, -np.inf]
    assert ours.fisk.isf([0.0, 1.0], 2.4877).tolist() == [np.inf, 0.0]
    assert ours.halflogistic.sf([0.0, np.inf]).tolist() == [1.0, 0.0]
