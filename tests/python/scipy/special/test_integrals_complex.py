"""Exponential, trigonometric and hyperbolic integrals and the dilogarithm of complex numbers, beside mpmath."""

import cuproxide as cp
import numpy as np
import pytest
from effort import FULL

special = pytest.importorskip("scipy.special")
mp = pytest.importorskip("mpmath")
ours = cp.scipy.special
COUNT = 300 if FULL else 30
INF, NAN, PI = np.inf, np.nan, np.pi

# name, which of its results, and what mpmath computes
FUNCTIONS = {
    "exp1": ("exp1", 0, mp.e1),
    "expi": ("expi", 0, mp.ei),
    "shi": ("shichi", 0, mp.shi),
    "chi": ("shichi", 1, mp.chi),
    "si": ("sici", 0, mp.si),
    "ci": ("sici", 1, mp.ci),
    "spence": ("spence", 0, lambda z: mp.polylog(2, 1 - z)),
}


def value(name, z):
    function, k, _ = FUNCTIONS[name]
    found = getattr(ours, function)(cp.asarray(z))
    return (found[k] if isinstance(found, tuple) else found).get()


def polar(random, low, high, first=-PI, last=PI):
    size = np.exp(random.uniform(np.log(low), np.log(high), COUNT))
    return size * np.exp(1j * random.uniform(first, last, COUNT))


def parabola(random):
    """Where power series and continued fraction meet: |z| + Re z = 1.5, around either half of the real axis."""
    p, y = random.uniform(1.4, 1.6, COUNT), np.exp(random.uniform(-1, 4, COUNT))
    z = (p * p - y * y) / (2 * p) + 1j * random.choice([-1, 1], COUNT) * y
    z = z * random.choice([1, -1, 1j, -1j], COUNT)
    return z[abs(z) < 600]


def beside_axes(random):
    z = random.choice([-1, 1], COUNT) * np.exp(random.uniform(-3, 5, COUNT)) + 1j * 10 ** random.uniform(-18, 0, COUNT)
    return z * random.choice([1, 1j, -1j], COUNT)


REGIONS = {
    "tiny": lambda random: polar(random, 1e-300, 1e-3),
    "small": lambda random: polar(random, 1e-3, 2),
    "middle": lambda random: polar(random, 2, 40),
    "large": lambda random: polar(random, 40, 600),
    "the parabola": parabola,
    "the circle of asymptotic series": lambda random: polar(random, 41, 45),
    "the circle of hyperbolic series": lambda random: polar(random, 3.8, 4.2),
    "beside the axes": beside_axes,
    "beside 0 and 1": lambda random: random.choice([0, 1], COUNT) + polar(random, 1e-12, 1),
    "the circle around 0": lambda random: polar(random, 0.98, 1.02),
    "the circle around 1": lambda random: 1 + polar(random, 0.98, 1.02),
}


@pytest.mark.parametrize("region", REGIONS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_accuracy(name, region):
    z = REGIONS[region](np.random.default_rng(sum(map(ord, region))))
    found, exactly = value(name, z), FUNCTIONS[name][2]
    with mp.workdps(40):
        for point, mine in zip(z, found, strict=True):
            exact = exactly(mp.mpc(complex(point)))
            if 1e-290 < abs(exact) < 1e290:
                # Next to their roots, sums lose what their terms have more than they.
                size = max(abs(exact), min(1, 1 / abs(point))) if name in ("ci", "chi", "expi") else abs(exact)
                assert abs(mp.mpc(complex(mine)) - exact) <= 8e-15 * size, (point, mine, exact)


def test_the_cut_has_two_sides():
    """E1 and the dilogarithm look at the sign of zero, the others have one value there: as SciPy's of positive zeros.

    SciPy's values of negative zeros change at 0.8 and at 40.
    """
    x = -np.geomspace(1e-3, 500, 40)
    above, below = x + 0j, (x + 0j).conj()
    assert np.signbit(below.imag).all()
    for name in ("exp1", "expi", "sici", "shichi", "spence"):
        found, expected = getattr(ours, name)(cp.asarray(above)), getattr(special, name)(above)
        other = getattr(ours, name)(cp.asarray(below))
        if not isinstance(found, tuple):
            found, expected, other = (found,), (expected,), (other,)
        for mine, theirs, opposite in zip(found, expected, other, strict=True):
            np.testing.assert_allclose(mine.get().real, theirs.real, rtol=3e-14, atol=1e-15)
            np.testing.assert_allclose(mine.get().imag, theirs.imag, rtol=1e-14)
            mirrored = mine.get().conj() if name in ("exp1", "spence") else mine.get()
            np.testing.assert_array_equal(opposite.get(), mirrored)
    np.testing.assert_array_equal(value("exp1", above).imag, np.full(40, -PI))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_real_numbers_and_symmetry(name):
    x = np.concatenate([np.geomspace(1e-300, 1, 20), np.linspace(1, 60, 60), np.geomspace(60, 700, 20)])
    found, real = value(name, x + 0j), value(name, x)
    assert (found.imag == 0).all()
    near_root = {"ci": 1e-15, "chi": 1e-15, "expi": 1e-15}.get(name, 0)
    np.testing.assert_allclose(found.real, real, rtol=2e-14, atol=near_root)
    z = polar(np.random.default_rng(3), 1e-2, 100)
    np.testing.assert_array_equal(value(name, z.conj()), value(name, z).conj())
    if name in ("shi", "si"):
        np.testing.assert_array_equal(value(name, -z), -value(name, z))
        # And imaginary numbers have imaginary values.
        assert (value(name, 1j * x).real == 0).all()


def test_ends():
    # A zero, and infinities, of which SciPy's exp1 and expi know no limits.
    zeros = np.array([0j, complex(-0.0, 0.0), complex(0.0, -0.0)])
    assert (value("exp1", zeros) == INF).all() and (value("expi", zeros) == -INF).all()
    for name in ("si", "shi"):
        assert (value(name, zeros) == 0).all()
    for name in ("ci", "chi"):
        assert (value(name, zeros).real == -INF).all() and np.isnan(value(name, zeros).imag).all()
    ends = np.array([complex(INF, 0), complex(-INF, 0), complex(INF, 3), complex(2, -INF), complex(-INF, 3)])
    found, other = value("exp1", ends), value("expi", ends)
    np.testing.assert_array_equal(found[[0, 2, 3]], [0, 0, 0])
    assert found[1] == complex(-INF, -PI) and np.isnan(found[4])
    assert other[0] == INF and np.isnan(other[2])
    np.testing.assert_array_equal(other[[1, 3, 4]], [0, complex(0, -PI), complex(0, PI)])
    for name in ("sici", "shichi"):
        for mine, theirs in zip(getattr(ours, name)(cp.asarray(ends)), getattr(special, name)(ends), strict=True):
            np.testing.assert_array_equal(mine.get()[:2], theirs[:2])
            assert np.isnan(mine.get()[2:]).all()
    assert np.isnan(value("spence", ends)).all()
    unknown = np.array([complex(NAN, 1), complex(1, NAN), complex(INF, NAN), complex(NAN, 0)])
    for name in FUNCTIONS:
        assert np.isnan(value(name, unknown)).all()


def test_overflow_and_underflow():
    """Factors do not overflow before the result does."""
    with mp.workdps(30):
        for z in (-711.5 + 2j, -714 - 0.3j, 716 + 1j, 715 - 1e-5j, 740 + 1j):
            for name in ("exp1", "expi", "shi", "chi"):
                exact, mine = FUNCTIONS[name][2](mp.mpc(z)), complex(value(name, np.array([z]))[0])
                if abs(exact) < 1e308:
                    assert abs(mp.mpc(mine) - exact) <= max(5e-14 * abs(exact), mp.mpf("1e-323")), (name, z)
    far = value("exp1", np.array([-1e4 + 1j, -1e300 + 2j, 1e300 - 1e300j]))
    assert np.isinf(far[:2].real).all() and np.isinf(far[:2].imag).all() and far[2] == 0
    # E1(z) is exp(-z) / z.
    assert far[0].real < 0 < far[0].imag
    np.testing.assert_allclose(value("spence", np.array([1e300 + 1e300j])), special.spence(1e300 + 1e300j), rtol=1e-14)


@pytest.mark.parametrize("name", ["exp1", "expi", "sici", "shichi", "spence"])
def test_types_and_layouts(name):
    z = (np.random.default_rng(1).normal(size=(20, 6)) @ [1, 1j, 0, 2, 2j, 0]).astype("c8")
    function = getattr(ours, name)
    found, expected = function(cp.asarray(z)), getattr(special, name)(z.astype("c16"))
    strided = function(cp.asarray(z)[::-3])
    if not isinstance(found, tuple):
        found, expected, strided = (found,), (expected,), (strided,)
    for mine, theirs, some in zip(found, expected, strided, strict=True):
        assert mine.dtype == "c8"
        np.testing.assert_allclose(mine.get(), theirs, rtol=5e-7)
        np.testing.assert_array_equal(some.get(), mine.get()[::-3])
