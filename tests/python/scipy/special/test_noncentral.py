"""Noncentral distributions beside mpmath and SciPy, and their inverses by the functions that they invert."""

import cuproxide as cp
import mpmath as mp
import numpy as np
import pytest
from effort import FULL
from kept import kept
from references import precisely

special = pytest.importorskip("scipy.special")

COUNT = 200 if FULL else 20


def _spread(random, low, high):
    return np.exp(random.uniform(np.log(low), np.log(high), COUNT))


def _mixture(mean, value):
    """The sum of Poisson's probabilities times `value`, from the largest on both ways."""
    peak = int(mean)
    first = mp.exp(-mean + peak * mp.log(mean) - mp.loggamma(peak + 1))
    total, weight, j = mp.mpf(0), first, peak
    while j >= 0 and weight > mp.mpf(10) ** -120:
        total += weight * value(j)
        weight, j = weight * j / mean, j - 1
    weight, j = first * mean / (peak + 1), peak + 1
    while weight > mp.mpf(10) ** -120:
        total += weight * value(j)
        weight, j = weight * mean / (j + 1), j + 1
    return total


@kept(_mixture)
def _chi(x, df, nc):
    return _mixture(nc / 2, lambda j: mp.gammainc(df / 2 + j, 0, x / 2, regularized=True))


@kept(_mixture)
def _f(dfn, dfd, nc, f):
    share = dfn * f / (dfn * f + dfd)
    return _mixture(nc / 2, lambda j: mp.betainc(dfn / 2 + j, dfd / 2, 0, share, regularized=True))


@pytest.mark.parametrize("sizes", [(0.1, 50), (50, 300)], ids=str)
def test_mixtures(sizes):
    random = np.random.default_rng(1)
    few = slice(None) if FULL else slice(7)
    df, nc = _spread(random, 0.5, 50)[few], _spread(random, *sizes)[few]
    x = (df + nc) * _spread(random, 0.4, 2)[few]
    found = cp.scipy.special.chndtr(*map(cp.asarray, (x, df, nc))).get()
    exact = np.array([float(precisely(_chi, *point)) for point in zip(x, df, nc, strict=True)])
    np.testing.assert_allclose(found, exact, rtol=2e-13)
    dfd, f = _spread(random, 0.5, 50)[few], _spread(random, 0.3, 10)[few]
    found = cp.scipy.special.ncfdtr(*map(cp.asarray, (df, dfd, nc, f))).get()
    exact = np.array([float(precisely(_f, *point)) for point in zip(df, dfd, nc, f, strict=True)])
    np.testing.assert_allclose(found, exact, rtol=2e-13)


def test_large_noncentralities():
    """Strides through the terms: beside the normal distribution's neighbourhood that SciPy still sums."""
    nc = np.array([1e3, 2e4, 1e5, 1e6])
    x = nc + 3 + np.sqrt(2 * (3 + 2 * nc)) * np.array([-2, 1, -1, 0.5])
    found = cp.scipy.special.chndtr(cp.asarray(x), 3.0, cp.asarray(nc)).get()
    np.testing.assert_allclose(found, special.chndtr(x, 3.0, nc), rtol=1e-11)
    # A chi square variable of one degree of freedom is the square of a normal one.
    x = nc + np.sqrt(nc)
    root, shift = np.sqrt(x), np.sqrt(nc)
    expected = special.ndtr(root - shift) - special.ndtr(-root - shift)
    np.testing.assert_allclose(cp.scipy.special.chndtr(cp.asarray(x), 1.0, cp.asarray(nc)).get(), expected, rtol=1e-11)


@kept()
def _t(df, nc, t):
    def density(u):
        power = 2 * (df / 2) ** (df / 2) / mp.gamma(df / 2) * u ** (df - 1) * mp.exp(-df * u * u / 2)
        return power * mp.ncdf(t * u - nc)

    return mp.quad(density, [0, 0.1, 0.3, 0.6, 0.9, 1.2, 1.6, 2.2, 4, 12])


def test_noncentral_t():
    random = np.random.default_rng(3)
    df, nc, t = _spread(random, 1, 50), random.uniform(-4, 4, COUNT), random.uniform(-5, 8, COUNT)
    found = cp.scipy.special.nctdtr(*map(cp.asarray, (df, nc, t))).get()
    with mp.workdps(25):
        exact = np.array([float(_t(*map(mp.mpf, point))) for point in zip(df, nc, t, strict=True)])
    # In the far left tail SciPy leaves four digits of its own.
    np.testing.assert_allclose(found, exact, rtol=2e-13)
    central = cp.scipy.special.nctdtr(cp.asarray(df), 0.0, cp.asarray(t)).get()
    np.testing.assert_allclose(central, special.stdtr(df, t), rtol=2e-13)


INF, NAN = np.inf, np.nan
SPECIAL = {
    "chndtr": [
        (-1, 2, 3),
        (0, 2, 3),
        (1, 0, 3),
        (1, 2, 0),
        (1, 2, -1),
        (INF, 2, 3),
        (1, 2, INF),
        (NAN, 1, 1),
        (2, 3, 1e-200),
    ],
    "ncfdtr": [(2, 3, 1, -1), (2, 3, 1, 0), (2, 3, 0, 1), (2, 3, -1, 1), (0, 3, 1, 1), (2, 3, 1, INF), (NAN, 3, 1, 1)],
    "nctdtr": [
        (0, 1, 1),
        (2, 0, 1),
        (2, INF, 1),
        (2, 1, INF),
        (2, 1, -INF),
        (INF, 1, 1),
        (NAN, 1, 1),
        (3, 1, 0),
        (3, 1, 1e10),
    ],
    "chndtrix": [(0, 2, 3), (1, 2, 3), (-1, 2, 3), (0.5, 0, 3), (0.5, 2, -1), (0.5, 2, 0)],
    "ncfdtri": [(2, 3, 1, 0), (2, 3, 1, 1), (2, 3, 1, -1)],
    "chndtridf": [(2, 0, 3), (2, 1, 3), (2, 2, 3), (-1, 0.5, 3)],
    "fdtridfd": [(10, 1, 0.5), (10, 0.5, -1), (NAN, 0.5, 1)],
    "smirnov": [(0, 0.5), (1, 0.5), (5, 0), (5, 1), (5, -0.1), (5, 1.1), (2.5, 0.3), (NAN, 0.1), (3, 1e-300), (3, 0.9)],
    "smirnovi": [(0, 0.5), (1, 0.5), (5, 0), (5, 1), (5, -0.1), (5, 1.1), (3, 1e-300)],
}


@pytest.mark.filterwarnings("ignore:floating point number truncated")
@pytest.mark.parametrize("name", SPECIAL)
def test_special_values(name):
    for point in SPECIAL[name]:
        found, expected = getattr(cp.scipy.special, name)(*point).item(), getattr(special, name)(*point).item()
        np.testing.assert_allclose(found, expected, rtol=1e-12, err_msg=str(point))


# An inverse, its function, which argument of the function is found, and where the probability stands in its place.
INVERSES = [
    ("chndtrix", "chndtr", 0, 0),
    ("chndtridf", "chndtr", 1, 1),
    ("chndtrinc", "chndtr", 2, 2),
    ("ncfdtri", "ncfdtr", 3, 3),
    ("ncfdtridfd", "ncfdtr", 1, 1),
    ("ncfdtridfn", "ncfdtr", 0, 0),
    ("ncfdtrinc", "ncfdtr", 2, 2),
    ("nctdtrit", "nctdtr", 2, 2),
    ("nctdtridf", "nctdtr", 0, 0),
    ("nctdtrinc", "nctdtr", 1, 1),
    ("fdtridfd", "fdtr", 1, 1),
    ("smirnovi", "smirnov", 1, 1),
]


@pytest.mark.parametrize(("name", "forward", "place", "at"), INVERSES)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_inverses(name, forward, place, at, dtype):
    random = np.random.default_rng(5)
    points = {
        "chndtr": [_spread(random, 5, 60), _spread(random, 1, 30), _spread(random, 1, 30)],
        "ncfdtr": [_spread(random, 1, 30), _spread(random, 1, 30), _spread(random, 1, 30), _spread(random, 0.5, 5)],
        "nctdtr": [_spread(random, 1, 30), random.uniform(-3, 3, COUNT), random.uniform(-3, 4, COUNT)],
        "fdtr": [_spread(random, 1, 30), _spread(random, 1, 30), _spread(random, 1.2, 5)],
        "smirnov": [random.integers(1, 200, COUNT).astype(float), random.uniform(0.01, 0.3, COUNT)],
    }[forward]
    points = [point.astype(dtype) for point in points]
    ours = getattr(cp.scipy.special, forward)
    value = ours(*map(cp.asarray, points)).get()
    usual = (value > 1e-6) & (value < 1 - 1e-4)
    assert usual.sum() > COUNT / 3
    points = [point[usual] for point in points]
    value = value[usual]
    given = [*points[:at], value, *points[at + 1 :]] if at == place else points
    found = getattr(cp.scipy.special, name)(*map(cp.asarray, given))
    assert found.dtype == dtype
    back = ours(*map(cp.asarray, [*points[:place], found.get(), *points[place + 1 :]])).get()
    # Some degrees of freedom are not found: another root has the same probability, or the rounded one has none.
    known = ~np.isnan(back)
    assert known.mean() > (0.6 if "df" in name[4:] else 0.99)
    np.testing.assert_allclose(back[known], value[known], rtol=1e-12 if dtype == "f8" else 2e-5)


def test_smirnov():
    def exact(n, d):
        total = mp.mpf(0)
        for j in range(int(mp.floor(n * (1 - d))) + 1):
            total += mp.binomial(n, j) * (d + mp.mpf(j) / n) ** (j - 1) * (1 - d - mp.mpf(j) / n) ** (n - j)
        return d * total

    random = np.random.default_rng(6)
    n = np.concatenate([random.integers(1, 60, COUNT), [1200, 2000]])
    d = np.concatenate([random.uniform(0.01, 0.9, COUNT), [0.05, 0.02]])
    found = cp.scipy.special.smirnov(cp.asarray(n), cp.asarray(d)).get()
    values = np.array([float(precisely(exact, *point)) for point in zip(n, d, strict=True)])
    np.testing.assert_allclose(found, values, rtol=2e-14)
    # Beyond all sums the leading terms of the expansion.
    found = cp.scipy.special.smirnov(10.0**9, 1e-8).item()
    np.testing.assert_allclose(found, special.smirnov(10**9, 1e-8), rtol=1e-9)


@pytest.mark.parametrize("nc", [1e-5, 0.19, 2.0, 50.0, 1000.0])
def test_all_of_a_mixture_lies_far_below(nc):
    # The gain at the largest weight is nothing in float64 there.
    assert (cp.scipy.special.chndtr(cp.asarray([3000.0 + 4 * nc, 1e4, 1e6, 1e9]), 5.35, nc).get() == 1).all()
    assert float(cp.scipy.special.ncfdtr(5.35, 3000.0, nc, 3000.0 + nc)) == pytest.approx(1, abs=1e-15)
