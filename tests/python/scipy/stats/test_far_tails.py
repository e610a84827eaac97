"""Logarithms of tails below all numbers, and quantiles beside squares that overflow; numbers by mpmath."""

import cuproxide as cp
import numpy as np
import pytest

stats = cp.scipy.stats

# Integrals of the density beyond the point over the density there.
BELOW_ALL_NUMBERS = [
    ("skewnorm", (0.05,), "logsf", 40.0, -803.938238942908347),
    ("skewnorm", (0.05,), "logcdf", -40.0, -807.701438986211328),
    ("rice", (1.895,), "logsf", 40.0, -729.028667317277436),
    ("ncx2", (4.55, 4.145), "logsf", 5000.0, -2356.96658941224986),
    ("norminvgauss", (2.3, 0.05), "logsf", 800.0, -1809.04294208362728),
    ("genhyperbolic", (0.5, 2.3, 0.05), "logsf", 800.0, -1802.35828250090044),
    ("geninvgauss", (0.5, 1.985), "logsf", 800.0, -795.927774475554549),
    ("recipinvgauss", (1.445,), "logsf", 1e5, -50005.290224956948),
    ("wald", (), "logsf", 1e12, -500000000040.672323),
    ("yulesimon", (5.66,), "logsf", 1e200, -2600.57478754230469),
    ("logser", (0.5,), "logsf", 5000, -3473.88698291069429),
    ("skellam", (4.325, 4.325), "logsf", 400, -1427.85804694600639),
    ("skellam", (4.325, 4.325), "logcdf", -400, -1423.32835453059379),
    # Beside a Bessel function that has lost its digits, and where the mean is far above all numbers that count.
    ("skellam", (1e-5, 1e-5), "logsf", 50, -739.56881110566937),
    ("skellam", (1e-5, 1e-5), "logsf", 1e5, -2202614.7942770745),
    ("skellam", (1e-5, 1e-5), "logcdf", -1e6, -24328443.849648398),
    # On this side of where the density is used.
    ("invgauss", (1e4,), "logsf", 1.0000001e14, -500030.20930071156),
    # The slope of the logarithm times the point.
    ("genhyperbolic", (0.37, 1.06, 0.47), "logsf", 1e200, -0.59e200),
]


@pytest.mark.parametrize(("name", "shapes", "method", "point", "expected"), BELOW_ALL_NUMBERS)
def test_a_tail_below_all_numbers_has_a_logarithm(name, shapes, method, point, expected):
    found = getattr(getattr(stats, name), method)(point, *shapes)
    assert float(found) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("name", "shapes"), [("skewnorm", (0.5,)), ("norminvgauss", (2.3, 0.5)), ("rice", (2.0,))])
def test_logarithms_of_tails_have_no_step_where_the_tails_end(name, shapes):
    law = getattr(stats, name)(*shapes)
    # About 1e-300 on.
    begin = float(law.isf(1e-300))
    points = begin + cp.linspace(-0.5, 0.5, 201)
    second = np.diff(cp.asnumpy(law.logsf(points)), n=2)
    assert np.ptp(second) < 1e-9


def test_outside_of_a_support_the_logarithm_is_infinite():
    assert cp.asnumpy(stats.rice.logcdf([0.0, -1.0, -1e200], 3.0)).tolist() == [-np.inf] * 3
    assert cp.asnumpy(stats.geninvgauss.logsf([np.inf], 0.5, 2.0)).tolist() == [-np.inf]
    assert np.isnan(float(stats.skewnorm.logsf(np.nan, 1.0)))


@pytest.mark.parametrize(("b", "expected"), [(100, 98.360187907705291), (10000, 9998.35519637716107)])
def test_quantiles_of_rice_beside_squares_that_overflow(b, expected):
    assert float(stats.rice.ppf(0.05, b)) == pytest.approx(expected, rel=1e-13)
    assert float(stats.rice.isf(0.95, b)) == pytest.approx(expected, rel=1e-13)
    np.testing.assert_array_equal(cp.asnumpy(stats.rice.cdf([1e155, 1e300], b)), [1.0, 1.0])
    np.testing.assert_array_equal(cp.asnumpy(stats.rice.sf([1e155, 1e300], b)), [0.0, 0.0])


# By Arb with 300 bits.
LARGE_FREEDOM = [
    (2e4, 20000.0, 1.05, -6.21727801199374951),
    (30.0, 3000.0, 500.0, -5670.92093759835681),
    (1.05, 20000.0, 20000.0, -98543.3364642905871),
    (1e-5, 100.0, 3.0, -744.85645560788334),
    (1e-300, 3.0, 2.0, -347.306702482311525),
]


@pytest.mark.parametrize(("x", "df", "nc", "expected"), LARGE_FREEDOM)
def test_a_density_whose_bessel_function_underflows(x, df, nc, expected):
    assert float(stats.ncx2.logpdf(x, df, nc)) == pytest.approx(expected, rel=1e-11)


def test_far_tails_of_many_terms():
    # Three probabilities stand for ten thousand.
    assert float(stats.logser.logsf(7000000, 0.9999)) == pytest.approx(-708.80793500288689, rel=1e-10)


def test_a_wide_skellam_law():
    assert float(stats.skellam.logsf(14000, 10000, 0.5)) == pytest.approx(-715.531222606149773, rel=1e-8)
    law = stats.skellam(10000, 0.5263554895901403)
    np.testing.assert_allclose(
        cp.asnumpy(law.logpmf([9999, 9000, 11200])),
        [-5.52413090267426, -57.1683968238154, -74.9185029846445],
        rtol=1e-12,
    )
    assert float(law.entropy()) == pytest.approx(6.02412670471783, rel=1e-10)


@pytest.mark.parametrize(("x", "df", "nc"), [(1e-10, 1e4, 0.1), (1e-5, 2e5, 1e3)])
def test_nothing_lies_far_below_the_mean(x, df, nc):
    assert float(stats.ncx2.cdf(x, df, nc)) == 0
    assert float(stats.ncx2.sf(x, df, nc)) == 1


@pytest.mark.parametrize(
    "method, q, shapes, expected",
    [
        ("ppf", 1e-300, (29.0, 18.0), 5.212995030223888326e-22),
        ("isf", 1e-300, (29.0, 18.0), 5.906407110359987633e33),
        ("ppf", 1 - 2.0**-53, (3.0, 2.5), 7049790744449.235428),
        ("isf", 1 - 2.0**-53, (3.0, 2.5), 1.587845921150515431e-11),
        ("ppf", 0.25, (0.75, 40.0), 0.04976058370173410352),
        ("isf", 0.25, (0.75, 40.0), 1.273916185794131489),
        ("ppf", 0.9, (1e5, 7.0), 2.470812448334401186),
        ("isf", 1e-20, (0.5, 0.5), 8.462352468967379017e78),
        ("isf", 1e-300, (1e6, 2.0), 9.999999999999999749e299),
        # The ends of the support, of a law with an infinite parameter too.
        ("ppf", 0.0, (2.0, np.inf), 0.0),
        ("isf", 0.0, (np.inf, 2.0), np.inf),
    ],
)
def test_quantiles_of_fisher(method, q, shapes, expected):
    found = getattr(stats.f, method)(cp.asarray(q), *shapes)
    np.testing.assert_allclose(float(found), expected, rtol=3e-15)


def test_quantiles_of_fisher_whose_share_is_subnormal():
    # The incomplete beta function is a power there; the share has 45 bits.
    expected = 6.277447478145200229e-307
    np.testing.assert_allclose(float(stats.f.isf(cp.asarray(0.3), 1e-3, 1.0)), expected, rtol=1e-12)
    np.testing.assert_allclose(float(stats.f.ppf(cp.asarray(0.7), 1e-3, 1.0)), expected, rtol=1e-12)


@pytest.mark.parametrize(
    "method, x, df, expected",
    [
        ("sf", 6.066800332517493e153, 0.8189621590217244, 3.5513156497735168073e-127),
        ("cdf", -6.812930517729142e153, 1.032790777007891, 4.2472579685943506687e-160),
        ("logsf", -4.95245802555418e153, 0.5457403161692442, -4.2048677378285822062e-85),
        ("sf", 1.7e308, 0.05, 1.7390060906836770342e-16),
        ("sf", np.inf, 0.05, 0.0),
        ("sf", -np.inf, np.inf, 1.0),
        ("cdf", 0.0, 0.05, 0.5),
    ],
)
def test_tails_of_student_beyond_squares_are_powers(method, x, df, expected):
    np.testing.assert_allclose(float(getattr(stats.t, method)(cp.asarray(x), df)), expected, rtol=2e-15)
