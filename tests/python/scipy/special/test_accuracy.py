"""Special functions beside mpmath at seeded points of their regions: errors in units of the last place."""

import cuproxide as cp
import mpmath as mp
import numpy as np
import pytest
from effort import FULL
from references import distance, drawn, precisely

COUNT = 2000 if FULL else 40


def erfcx(x):
    return mp.exp(x * x) * mp.erfc(x)


def dawson(x):
    return mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)


def log_normal(x):
    return mp.log(mp.ncdf(x)) if x < 5 else mp.log1p(-mp.ncdf(-x))


def log_gamma(x):
    return mp.log(abs(mp.gamma(x))) if x < 100 else mp.loggamma(x)


# A function, its regions, and what is allowed in float64 and float32: most float32 loops compute in float64.
REAL = {
    "gamma": (mp.gamma, [(1e-300, 1), (-30, 30), (-170, -30), (30, 171.6)], 5, 1),
    "gammaln": (log_gamma, [(1e-300, 0.5), (0, 5), (3, 1e10)], 4, 4),
    "rgamma": (mp.rgamma, [(-30, 30), (-170, -30), (30, 177)], 5, 1),
    "digamma": (mp.digamma, [(1e-100, 0.5), (0.01, 5), (3, 1e10)], 4, 4),
    "erf": (mp.erf, [(1e-300, 1), (-6, 6)], 1, 1),
    "erfc": (mp.erfc, [(-6, 6), (0, 26)], 4, 1),
    "erfcx": (erfcx, [(-25, 0), (1e-3, 1e3)], 3, 1),
    "erfi": (mp.erfi, [(1e-200, 1), (-26, 26)], 5, 1),
    "dawsn": (dawson, [(1e-200, 1), (-8, 8)], 4, 1),
    "ndtr": (mp.ncdf, [(-37, 8), (-2, 2)], 3, 1),
    "log_ndtr": (log_normal, [(-37, 8), (-2, 2)], 4, 1),
    "erfinv": (mp.erfinv, [(1e-100, 0.01), (-0.999, 0.999)], 3, 1),
    "i0": (lambda x: mp.besseli(0, x), [(-20, 20), (1, 700)], 5, 1),
    "i0e": (lambda x: mp.exp(-abs(x)) * mp.besseli(0, x), [(-20, 20), (1, 1e4)], 4, 1),
    "i1": (lambda x: mp.besseli(1, x), [(-20, 20), (1e-5, 700)], 8, 1),
    "i1e": (lambda x: mp.exp(-abs(x)) * mp.besseli(1, x), [(-20, 20), (1, 1e4)], 6, 1),
    "k0": (lambda x: mp.besselk(0, x), [(0.01, 10), (1e-10, 700)], 8, 1),
    "k0e": (lambda x: mp.exp(x) * mp.besselk(0, x), [(0.01, 10), (1e-10, 700)], 8, 1),
    "k1": (lambda x: mp.besselk(1, x), [(0.01, 10), (1e-10, 700)], 5, 1),
    "k1e": (lambda x: mp.exp(x) * mp.besselk(1, x), [(0.01, 10), (1e-10, 700)], 5, 1),
    "expit": (lambda x: 1 / (1 + mp.exp(-x)), [(-700, 40), (-2, 2)], 2, 2),
    "logit": (lambda x: mp.log(x / (1 - x)), [(1e-300, 1), (0.49, 0.51), (0.01, 0.99)], 2, 2),
    "log_expit": (lambda x: -mp.log1p(mp.exp(-x)), [(-100, 700), (-2, 2)], 2, 2),
    "entr": (lambda x: -x * mp.log(x), [(1e-300, 0.9), (1.1, 3)], 2, 1),
    "exprel": (lambda x: mp.expm1(x) / x, [(-50, 700), (1e-20, 1)], 2, 1),
    "cosm1": (lambda x: -2 * mp.sin(x / 2) ** 2, [(-10, 10), (1e-15, 1)], 3, 1),
    "sindg": (lambda x: mp.sin(x * mp.pi / 180), [(-1000, 1000), (1e-20, 1)], 2, 2),
    "cosdg": (lambda x: mp.cos(x * mp.pi / 180), [(-1000, 1000), (1e-20, 1)], 2, 2),
    "exp10": (lambda x: mp.mpf(10) ** x, [(-300, 300)], 2, 2),
}


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_functions_of_one_number(name, dtype):
    function, regions, double, single = REAL[name]
    random = np.random.default_rng(1)
    bound = double if dtype == "f8" else single
    for low, high in regions:
        if dtype == "f4":
            low, high = (np.sign(end) * np.clip(abs(end), 1e-30, 1e30) if end else end for end in (low, high))
        points = drawn(random, low, high, COUNT, dtype)
        found = getattr(cp.scipy.special, name)(cp.asarray(points)).get()
        assert distance(found, [precisely(function, point) for point in points]) <= bound, (low, high)


def lower_gamma(a, x):
    return mp.gammainc(a, 0, x, regularized=True)


def upper_gamma(a, x):
    return mp.gammainc(a, x, mp.inf, regularized=True)


def spread(random, low, high, count):
    return np.exp(random.uniform(np.log(low), np.log(high), count))


# Ranges of a, and of x in units of a; the bounds are relative: what the rounding of a large exponent makes of an ulp.
GAMMAS = [((1e-5, 1), (1e-3, 10), 2e-14), ((1, 30), (0.1, 8), 4e-14), ((20, 1e3), (0.85, 1.2), 4e-14)]


@pytest.mark.parametrize("name", ["gammainc", "gammaincc"])
@pytest.mark.parametrize(("shapes", "places", "bound"), GAMMAS, ids=str)
def test_incomplete_gamma_functions(name, shapes, places, bound):
    random = np.random.default_rng(2)
    a = spread(random, *shapes, COUNT)
    x = (a if shapes[0] >= 1 else 1) * spread(random, *places, COUNT)
    found = getattr(cp.scipy.special, name)(cp.asarray(a), cp.asarray(x)).get()
    function = lower_gamma if name == "gammainc" else upper_gamma
    exact = np.array([float(precisely(function, *point)) for point in zip(a, x, strict=True)])
    np.testing.assert_allclose(found, exact, rtol=bound, atol=1e-290)


@pytest.mark.parametrize(("shapes", "bound"), [((1e-3, 1), 2e-13), ((0.5, 50), 4e-14), ((50, 2e3), 3e-13)], ids=str)
def test_incomplete_beta_functions(shapes, bound):
    random = np.random.default_rng(3)
    a, b = spread(random, *shapes, COUNT), spread(random, *shapes, COUNT)
    x = np.clip(a / (a + b) * (1 + random.uniform(-0.2, 0.2, COUNT)), 1e-3, 0.999)
    x = random.uniform(0.001, 0.999, COUNT) if shapes[0] < 50 else x
    arguments = [cp.asarray(part) for part in (a, b, x)]

    def lower(a, b, x):
        return mp.betainc(a, b, 0, x, regularized=True)

    def upper(a, b, x):
        return mp.betainc(b, a, 0, 1 - x, regularized=True)

    for name, exact in (("betainc", lower), ("betaincc", upper)):
        values = [precisely(exact, *point) for point in zip(a, b, x, strict=True)]
        found = getattr(cp.scipy.special, name)(*arguments).get()
        np.testing.assert_allclose(found, np.array(values, float), rtol=bound, atol=1e-280)


@pytest.mark.parametrize(("low", "high"), [(0.01, 1), (1, 100), (100, 1e4)])
def test_inverses_of_incomplete_gamma_functions(low, high):
    """The error of the argument, by the function and its derivative at what was found."""
    random = np.random.default_rng(4)
    a = spread(random, low, high, COUNT)
    p = np.where(random.random(COUNT) < 0.5, random.uniform(0.01, 0.99, COUNT), spread(random, 1e-30, 1, COUNT))
    for name, function in (("gammaincinv", lower_gamma), ("gammainccinv", upper_gamma)):
        found = getattr(cp.scipy.special, name)(cp.asarray(a), cp.asarray(p)).get()
        for shape, probability, x in zip(a, p, found, strict=True):
            if x < 1e-280:
                continue
            with mp.workdps(50):
                shape, x = mp.mpf(float(shape)), mp.mpf(float(x))
                slope = mp.exp((shape - 1) * mp.log(x) - x - mp.loggamma(shape))
                off = abs((function(shape, x) - mp.mpf(float(probability))) / slope / x)
            # Near 1 the rounding of a probability moves the argument further than an ulp.
            assert off < 1e-13 * max(1, 1 / float(shape)), (name, float(shape), float(probability))
