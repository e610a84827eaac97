"""Functions whose exponents, sums and products have more digits than float64: errors in units of the last place."""

import cuproxide as cp
import mpmath as mp
import numpy as np
import pytest
from cuproxide.scipy import special, stats
from references import distance, precisely

RANDOM = np.random.default_rng(53)
# What float32 loops in double precision are drawn from.
SINGLES = {
    "erf": [(-4, 4)],
    "erfc": [(-4, 9)],
    "erfcx": [(-9, 20)],
    "erfi": [(-9, 9)],
    "dawsn": [(-9, 9)],
    "erfinv": [(-1, 1)],
    "erfcinv": [(0, 2)],
    "ndtr": [(-12, 6)],
    "log_ndtr": [(-30, 6)],
    "ndtri": [(0, 1)],
    "i0": [(-80, 80)],
    "i0e": [(-80, 80)],
    "i1": [(-80, 80)],
    "i1e": [(-80, 80)],
    "k0": [(0, 80)],
    "k0e": [(0, 80)],
    "k1": [(0, 80)],
    "k1e": [(0, 80)],
    "entr": [(0, 20)],
    "exprel": [(-20, 80)],
    "cosm1": [(-10, 10)],
    "tandg": [(-400, 400)],
    "xlogy": [(0, 9), (0, 9)],
    "xlog1py": [(0, 9), (0, 9)],
    "rel_entr": [(0, 99), (0, 99)],
    "kl_div": [(0, 99), (0, 99)],
    "pseudo_huber": [(0, 9), (-9, 9)],
    "boxcox": [(0, 99), (-9, 18)],
    "boxcox1p": [(0, 99), (-9, 18)],
    "inv_boxcox": [(0, 99), (0, 4)],
    "inv_boxcox1p": [(0, 99), (0, 4)],
}


@pytest.mark.parametrize("name", SINGLES)
def test_float32_is_rounded_once(name):
    points = [RANDOM.uniform(low, high, 2000).astype("f4") for low, high in SINGLES[name]]
    function = getattr(special, name)
    found = function(*map(cp.asarray, points)).get()
    exact = function(*(cp.asarray(part.astype("f8")) for part in points)).get()
    assert found.dtype == np.float32
    normal = np.isfinite(found) & (np.abs(exact) > 1e-37)
    errors = np.abs(found.astype("f8") - exact)[normal] / np.spacing(np.abs(exact[normal]).astype("f4"))
    assert normal.mean() > 0.9
    assert errors.max() < 0.8


@pytest.mark.parametrize("name", ["arccos", "arcsinh", "arctan", "cosh", "log2", "tan"])
def test_complex64_is_rounded_once(name):
    z = (RANDOM.uniform(-8, 8, 2000) + 1j * RANDOM.uniform(-8, 8, 2000)).astype("c8")
    found = getattr(cp, name)(cp.asarray(z)).get()
    exact = getattr(cp, name)(cp.asarray(z.astype("c16"))).get()
    errors = np.abs(found - exact) / np.spacing(np.abs(exact).astype("f4"))
    assert errors.max() < 0.75


@pytest.mark.parametrize(("dtype", "size"), [("c8", 1e30), ("c16", 1e200)])
def test_squares_of_complex_numbers_overflow_by_their_parts(dtype, size):
    z = cp.asarray((np.array([3 + 1j, 1 + 3j, -2 + 2j]) * size).astype(dtype))
    assert cp.square(z).get().tolist() == [complex(np.inf, np.inf), complex(-np.inf, np.inf), complex(0, -np.inf)]
    largest = np.finfo(dtype).max
    z = cp.asarray(np.array([complex(largest, largest), complex(largest, -largest)], dtype))
    assert cp.square(z).get().tolist() == [complex(0, np.inf), complex(0, -np.inf)]
    unknown = cp.asarray(np.array([complex(np.nan, 1), complex(np.inf, np.inf)], dtype))
    assert np.isnan(cp.square(unknown).get().real).all()


@pytest.mark.parametrize(("name", "factor"), [("degrees", 180 / np.pi), ("radians", np.pi / 180)])
def test_degrees_of_float32_are_rounded_once(name, factor):
    x = np.concatenate([RANDOM.uniform(-400, 400, 2000), 10.0 ** RANDOM.uniform(-44, 36, 2000)]).astype("f4")
    for function in getattr(cp, name), getattr(cp, {"degrees": "rad2deg", "radians": "deg2rad"}[name]):
        found, exact = function(cp.asarray(x)).get(), x.astype("f8") * factor
        errors = np.abs(found - exact) / np.spacing(np.abs(exact).astype("f4"))
        normal = (np.abs(exact) > 1e-31) & (np.abs(exact) < 3.4e38)
        assert errors[normal].max() < 0.5001
        # The second part of the product is rounded to a subnormal number.
        assert errors[np.abs(exact) < 1e-31].max() <= 1
        edges = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 3.4e38], "f4")
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(function(cp.asarray(edges)).get(), (edges.astype("f8") * factor).astype("f4"))
        assert np.signbit(float(function(cp.asarray(np.float32(-0.0)))))


def smirnov_terms(n, d, slope=False):
    n, d = int(n), mp.mpf(float(d))

    def term(j):
        a, b = d + mp.mpf(j) / n, 1 - d - mp.mpf(j) / n
        if not slope:
            return mp.binomial(n, j) * (a ** (j - 1) * d if j else 1) * b ** (n - j)
        if not j:
            return -n * b ** (n - 1)
        return mp.binomial(n, j) * a ** (j - 2) * b ** (n - j - 1) * (a * b + d * ((j - 1) * b - (n - j) * a))

    return mp.fsum(term(j) for j in range(n + 1) if 1 - d - mp.mpf(j) / n > 0)


SMIRNOV = [(27, 0.7762520747271712), (3, 0.4), (40, 0.49999789489480373), (395, 0.0037659884881715198), (348, 0.0411),
           (1000, 0.05), (182, 0.0902575828715093), (1000, 0.55), (2, 0.999), (11, 1 / 11)]  # fmt: skip


@pytest.mark.parametrize(("n", "d"), SMIRNOV)
def test_smirnovs_statistic(n, d):
    mp.mp.dps = 60
    tail, slope = smirnov_terms(n, d), smirnov_terms(n, d, slope=True)
    assert distance(special.smirnov(cp.asarray([float(n)]), cp.asarray([d])).get(), [tail]) <= 1
    assert distance(stats.ksone.sf(cp.asarray([d]), n).get(), [tail]) <= 1
    assert distance(stats.ksone.cdf(cp.asarray([d]), n).get(), [1 - tail]) <= 2
    assert distance(stats.ksone.pdf(cp.asarray([d]), n).get(), [-slope]) <= 3


@pytest.mark.parametrize(("n", "d"), [(5, 0.3), (41, 0.1), (29, 0.02), (300, 0.01)])
def test_smirnovs_inverses(n, d):
    mp.mp.dps = 60
    tail = smirnov_terms(n, d)
    n, p, q = (cp.asarray([float(value)]) for value in (n, tail, 1 - tail))
    # Of a rounded probability, which the slope of the function multiplies.
    for found in (special.smirnovi(n, p), stats.ksone.isf(p, n), stats.ksone.ppf(q, n)):
        assert found.get() == pytest.approx(d, rel=1e-14)


BETAS = [(14.968646883969875, 1.3178974158433907, 0.3206116100673212), (39.5, 0.6775775523697174, 0.5000000000000053),
         (100.0, 2.5, 0.3), (0.8487152784977924, 33.0, 0.5), (104.89, 6751.474, 0.0365),
         (900.0, 1100.0, 0.3)]  # fmt: skip


@pytest.mark.parametrize(("a", "b", "x"), BETAS)
def test_incomplete_beta_far_from_the_mean(a, b, x):
    arguments = [cp.asarray([value]) for value in (a, b, x)]
    lower = precisely(lambda a, b, x: mp.betainc(a, b, 0, x, regularized=True), a, b, x)
    upper = precisely(lambda a, b, x: mp.betainc(b, a, 0, 1 - x, regularized=True), a, b, x)
    assert distance(special.betainc(*arguments).get(), [lower]) <= 12
    assert distance(special.betaincc(*arguments).get(), [upper]) <= 12


@pytest.mark.parametrize(("a", "x"), [(30.0, 4.0), (30.0, 150.0), (2.5, 90.0), (300.0, 210.0), (4233.75, 4905.5)])
def test_incomplete_gamma_far_from_the_mean(a, x):
    arguments = [cp.asarray([a]), cp.asarray([x])]
    assert distance(special.gammainc(*arguments).get(), [precisely(lower_gamma, a, x)]) <= 10
    assert distance(special.gammaincc(*arguments).get(), [precisely(upper_gamma, a, x)]) <= 10


def lower_gamma(a, x):
    return mp.gammainc(a, 0, x, regularized=True)


def upper_gamma(a, x):
    return mp.gammainc(a, x, mp.inf, regularized=True)


@pytest.mark.parametrize(("v", "x"), [(396.0478479015513, 74.15552072133111), (700.0, 650.0), (453.5, 92.25)])
def test_modified_bessel_functions_of_large_orders(v, x):
    arguments = [cp.asarray([v]), cp.asarray([x])]
    assert distance(special.kv(*arguments).get(), [precisely(mp.besselk, v, x)]) <= 8
    assert distance(special.iv(*arguments).get(), [precisely(mp.besseli, v, x)]) <= 8


def test_polynomials_beyond_the_range_are_infinite():
    order, shape = (cp.asarray([part] * 2) for part in (828.0, -44.53039121643449))
    found = special.eval_gegenbauer(order, shape, cp.asarray([-7.748, 7.75]))
    assert found.get().tolist() == [-np.inf, -np.inf]
    found = special.eval_jacobi(*(cp.asarray([part], dtype="f4") for part in (485.0, -37.8737, 0.572, -2.37956)))
    assert found.get().tolist() == [-np.inf]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_roots_of_chebyshev_polynomials_at_thirds_of_half_a_turn(dtype):
    orders = np.array([2, 5, 8, 26, 302, 21.5], dtype)
    for half in (0.5, -0.5):
        keep = orders if half < 0 else orders[:-1]
        assert not special.eval_chebyu(cp.asarray(keep), cp.asarray(np.full(keep.size, half, dtype))).get().any()
        assert not special.eval_chebys(cp.asarray(keep), cp.asarray(np.full(keep.size, 2 * half, dtype))).get().any()


def test_quantile_of_students_distribution_beyond_the_smallest_share():
    df, p = 0.44549433913495384, 5.529580131843642e-111
    found = special.stdtrit(cp.asarray([df]), cp.asarray([p])).get()[0]
    assert found == pytest.approx(-2.5252135666938868e246, rel=1e-12)


def test_sum_of_degrees_minutes_and_seconds_keeps_its_digits():
    parts = (-0.2347768589249812, 13.618356321049486, 0.304885887052205)
    mp.mp.dps = 40
    exact = (mp.mpf(parts[0]) * 3600 + mp.mpf(parts[1]) * 60 + mp.mpf(parts[2])) * mp.pi / 648000
    assert distance(special.radian(*(cp.asarray([part]) for part in parts)).get(), [exact]) <= 1.5
