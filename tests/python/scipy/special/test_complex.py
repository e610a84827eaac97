"""Functions of complex numbers, beside mpmath at drawn points and SciPy at special ones."""

import cuproxide as cp
import numpy as np
import pytest
from effort import FULL

special = pytest.importorskip("scipy.special")
mpmath = pytest.importorskip("mpmath")

COUNT = 200 if FULL else 24


def _w(z):
    return mpmath.exp(-z * z) * mpmath.erfc(-1j * z)


# name, what mpmath computes, the largest relative error over the size of the exponent's rounding
ROWS = {
    "wofz": _w,
    "erf": mpmath.erf,
    "erfc": mpmath.erfc,
    "erfcx": lambda z: mpmath.exp(z * z) * mpmath.erfc(z),
    "erfi": mpmath.erfi,
    "dawsn": lambda z: mpmath.sqrt(mpmath.pi) / 2 * mpmath.exp(-z * z) * mpmath.erfi(z),
    "ndtr": lambda z: mpmath.erfc(-z / mpmath.sqrt(2)) / 2,
    "log_ndtr": lambda z: mpmath.log(mpmath.erfc(-z / mpmath.sqrt(2)) / 2),
    "loggamma": mpmath.loggamma,
    "gamma": mpmath.gamma,
    "rgamma": mpmath.rgamma,
    "digamma": mpmath.digamma,
}
REGIONS = {
    "small": lambda random: 0.3 * random.normal(size=(COUNT, 2)),
    "middle": lambda random: 2 * random.normal(size=(COUNT, 2)),
    "large": lambda random: 9 * random.normal(size=(COUNT, 2)),
    "at one": lambda random: [1, 0] + 0.2 * random.normal(size=(COUNT, 2)),
    "at two": lambda random: [2, 0] + 0.2 * random.normal(size=(COUNT, 2)),
    "beside the real axis": lambda random: random.normal(size=(COUNT, 2)) * [4, 1e-6],
    "beside the imaginary axis": lambda random: random.normal(size=(COUNT, 2)) * [1e-6, 4],
    "negative axis": lambda random: [0, 0.0] + random.normal(size=(COUNT, 2)) * [9, 0],
}


@pytest.mark.parametrize("region", REGIONS)
@pytest.mark.parametrize("name", ROWS)
def test_accuracy(name, region):
    random = np.random.default_rng(sum(map(ord, name + region)))
    z = np.asarray(REGIONS[region](random)) @ [1, 1j]
    found, scipys = getattr(cp.scipy.special, name)(cp.asarray(z)).get(), getattr(special, name)(z)
    ours, theirs = [], []
    with mpmath.workdps(60):
        for point, mine, other in zip(z, found, scipys, strict=True):
            exact = ROWS[name](mpmath.mpc(complex(point)))
            if 1e-290 < abs(exact) < 1e290:
                ours.append(float(abs(mine - exact) / abs(exact)))
                theirs.append(float(abs(other - exact) / abs(exact)))
    assert len(ours) > COUNT // 2
    # Exponentials of logarithms of up to 20 lose that many units; a GPU's own functions have another 13e-15 at most.
    least = (2e-14 if cp.Device().asynchronous else 1e-14) if name.endswith("gamma") else 5e-15
    assert max(ours) <= max(2 * max(theirs), least), (max(ours), max(theirs), z[np.argmax(ours)])


@pytest.mark.parametrize("name", ROWS)
def test_single_precision(name):
    z = (np.random.default_rng(1).normal(size=(50, 2)) @ [1, 1j]).astype("c8")
    found = getattr(cp.scipy.special, name)(cp.asarray(z))
    assert found.dtype == "c8"
    np.testing.assert_allclose(found.get(), getattr(special, name)(z.astype("c16")), rtol=5e-7)


EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, np.inf, -np.inf]


@pytest.mark.parametrize("name", ["wofz", "erf", "erfc", "erfcx", "erfi", "dawsn", "ndtr"])
def test_edges(name):
    z = np.array([complex(x, y) for x in EDGES for y in EDGES])
    found, expected = getattr(cp.scipy.special, name)(cp.asarray(z)).get(), getattr(special, name)(z)
    # One infinite part of several limits: some of them are NaN here and infinite there.
    known = np.isfinite(z) | (np.isfinite(expected.real) & np.isfinite(expected.imag))
    for mine, other in ((found.real, expected.real), (found.imag, expected.imag)):
        np.testing.assert_allclose(mine[known], other[known], rtol=1e-13, atol=1e-15)


def test_poles_and_real_numbers():
    poles = cp.asarray([0j, -1 + 0j, -7 + 0j])
    assert (
        np.isnan(cp.scipy.special.gamma(poles).get()).all() and np.isnan(cp.scipy.special.loggamma(poles).get()).all()
    )
    assert (cp.scipy.special.rgamma(poles) == 0).all() and np.isnan(cp.scipy.special.digamma(poles).get()).all()
    x = np.linspace(-6.7, 6.3, 40)
    for name in ("gamma", "rgamma", "digamma"):
        value = getattr(cp.scipy.special, name)(cp.asarray(x + 0j)).get()
        np.testing.assert_allclose(value.real, getattr(special, name)(x), rtol=3e-14)
        assert (value.imag == 0).all()
    # The logarithm jumps at the negative axis; the sign of zero says on which side a number lies.
    above, below = cp.scipy.special.loggamma(cp.asarray([complex(-2.5, 0.0), complex(-2.5, -0.0)])).get()
    assert above == below.conj() and abs(above.imag) == pytest.approx(3 * np.pi)


def test_voigt_profile():
    random = np.random.default_rng(5)
    x = random.normal(size=300) * 10 ** random.uniform(-1, 2, 300)
    sigma, gamma = 10 ** random.uniform(-2, 1, 300), 10 ** random.uniform(-4, 1, 300)
    found = cp.scipy.special.voigt_profile(*map(cp.asarray, (x, sigma, gamma)))
    np.testing.assert_allclose(found.get(), special.voigt_profile(x, sigma, gamma), rtol=1e-13)
    edges = np.meshgrid([0.0, 1.0, -2.0, np.inf, -np.inf, np.nan], [0.0, 1.0], [0.0, 1.0])
    found = cp.scipy.special.voigt_profile(*map(cp.asarray, edges)).get()
    np.testing.assert_allclose(found, special.voigt_profile(*edges), rtol=1e-14)
