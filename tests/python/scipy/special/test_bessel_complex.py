"""Bessel, Hankel and Airy functions of complex arguments beside mpmath and SciPy."""

import cuproxide as cp
import mpmath as mp
import numpy as np
import pytest
from effort import FULL

special = pytest.importorskip("scipy.special")
ours = cp.scipy.special
COUNT = 200 if FULL else 12


@pytest.fixture(autouse=True)
def digits():
    with mp.workdps(40):
        yield


def polar(random, low, high):
    size = np.exp(random.uniform(np.log(low), np.log(high), COUNT))
    return size * np.exp(1j * random.uniform(-np.pi, np.pi, COUNT))


def beside_turning_points(random):
    v = np.exp(random.uniform(np.log(40), np.log(500), COUNT))
    return v, v * (1 + (random.uniform(-2, 2, COUNT) + 1j * random.uniform(-2, 2, COUNT)) * v ** (-2 / 3))


# Orders and arguments of each region, and the relative errors that are allowed.
REGIONS = {
    "small": (lambda r: (r.uniform(0, 40, COUNT), polar(r, 1e-6, 2)), 2e-14),
    "middle": (lambda r: (r.uniform(0, 25, COUNT), polar(r, 2, 30)), 2e-14),
    "whole": (lambda r: (np.floor(r.uniform(0, 30, COUNT)), polar(r, 0.1, 60)), 2e-14),
    "negative": (lambda r: (r.uniform(-20, 0, COUNT), polar(r, 0.1, 30)), 2e-14),
    "large": (lambda r: (r.uniform(0, 40, COUNT), polar(r, 25, 300)), 2e-14),
    "large order": (lambda r: (r.uniform(40, 200, COUNT), polar(r, 1, 200)), 3e-13),
    "turning point": (beside_turning_points, 3e-13),
}


def hankel(v, z, sign):
    """By digits enough for J + i Y, most of which cancels in one half-plane."""
    with mp.workdps(mp.mp.dps + 10 + int(abs(z.imag))):
        return mp.besselj(v, z) + mp.mpc(0, sign) * mp.bessely(v, z)


def scaled(name, v, z):
    factors = {
        "iv": lambda: mp.besseli(v, z) * mp.exp(-abs(z.real)),
        "kv": lambda: mp.besselk(v, z) * mp.exp(z),
        "jv": lambda: mp.besselj(v, z) * mp.exp(-abs(z.imag)),
        "yv": lambda: mp.bessely(v, z) * mp.exp(-abs(z.imag)),
        "hankel1": lambda: hankel(v, z, 1) * mp.exp(mp.mpc(0, -1) * z),
        "hankel2": lambda: hankel(v, z, -1) * mp.exp(mp.mpc(0, 1) * z),
    }
    return factors[name]()


NAMES = ["iv", "kv", "jv", "yv", "hankel1", "hankel2"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("region", REGIONS)
def test_accuracy(name, region):
    make, bound = REGIONS[region]
    v, z = make(np.random.default_rng(sum(map(ord, region))))
    found = getattr(ours, name + "e")(cp.asarray(v), cp.asarray(z)).get()
    plain = getattr(ours, name)(cp.asarray(v), cp.asarray(z)).get()
    known, checked = getattr(special, name)(v, z), 0
    for a, b, mine, other, theirs in zip(v, z, found, plain, known, strict=True):
        exact = scaled(name, mp.mpf(a), mp.mpc(b))
        if 1e-290 < abs(exact) < 1e290:
            assert abs(mp.mpc(mine) - exact) <= bound * abs(exact), (a, b, mine, exact)
            checked += 1
        if np.isfinite(theirs) and 1e-290 < abs(theirs) < 1e290:
            assert abs(other - theirs) <= 1e-11 * abs(theirs), (a, b, other, theirs)
    assert checked > COUNT // 3


@pytest.mark.parametrize("name", [n + e for n in NAMES for e in ("", "e")])
def test_special_values(name):
    zero_has_value = name[:2] in ("jv", "iv") or name == "yv"
    v = np.array([0.0, 1.0, 2.0, 0.5, -1.0, -2.0, np.nan])[:, None]
    z = np.array([0j, complex(np.nan, 1), complex(np.inf, 0), complex(1, -np.inf)])
    found = getattr(ours, name)(cp.asarray(v), cp.asarray(z)).get()
    expected = getattr(special, name)(v, z)
    if zero_has_value:
        np.testing.assert_array_equal(found[:, 0].real, expected[:, 0].real)
    else:
        assert np.isnan(found[:, 0]).all()
    assert np.isnan(found[:, 1:]).all() and np.isnan(expected[:, 1:]).all()


def direction(exact):
    """What a number too large for float64 is, part by part: infinite, or 0 where mpmath's has nothing but rounding."""
    parts = [part if abs(part) > abs(exact) * mp.mpf(10) ** -15 else mp.mpf(0) for part in (exact.real, exact.imag)]
    assert abs(exact) > mp.mpf(10) ** 320
    return [float(mp.sign(part)) * np.inf if part else 0.0 for part in parts]


@pytest.mark.parametrize(
    ("name", "exact", "turn"),
    [("jv", mp.besselj, 1), ("yv", mp.bessely, 1), ("iv", mp.besseli, 1j), ("kv", mp.besselk, -1j)],
)
def test_overflow(name, exact, turn):
    """Each part overflows for itself: SciPy's j is infinite in both parts, its y and k NaN."""
    for z in (1000j, -1000j, 1000 + 1000j, 3 + 800j, -3 - 800j, -1000 + 1000j):
        for v in (1, 2.5):
            # Where the large solution is, and for whole orders nothing but the tiny one in the other part.
            point = complex(z * turn) if name in ("iv", "kv") else z
            if name == "kv" and point.real > 0:
                continue
            found = complex(getattr(ours, name)(v, cp.asarray(point)))
            expected = direction(exact(v, mp.mpc(point)))
            for mine, theirs in zip((found.real, found.imag), expected, strict=True):
                assert mine == theirs or (theirs == 0 and np.isfinite(mine)), (z, v, found, expected)


@pytest.mark.parametrize("name", NAMES)
def test_types_and_shapes(name):
    v, z = np.float32([0.5, 2.0]), np.complex64([[1 + 2j], [3 - 1j], [-2 + 0.5j]])
    found = getattr(ours, name)(cp.asarray(v), cp.asarray(z))
    assert found.dtype == "c8" and found.shape == (3, 2)
    expected = getattr(special, name)(v.astype(float), z.astype("c16"))
    np.testing.assert_allclose(found.get(), expected, rtol=1e-6)
    strided = getattr(ours, name)(1, cp.asarray(z)[::-2, 0])
    np.testing.assert_allclose(strided.get(), getattr(special, name)(1, z[::-2, 0]), rtol=1e-6)
    assert getattr(ours, name)(0.5, cp.zeros((0,), "c16")).shape == (0,)
    if name.startswith("hankel"):
        assert getattr(ours, name)(1, cp.asarray([1.0])).dtype == "c16"
    else:
        # Real numbers stay real, and the complex loop agrees on the axis.
        x = np.linspace(0.3, 40, 23)
        real, complex_ = getattr(ours, name)(2.5, cp.asarray(x)), getattr(ours, name)(2.5, cp.asarray(x + 0j)).get()
        np.testing.assert_allclose(complex_.real, real.get(), rtol=3e-13, atol=1e-14)
        assert (complex_.imag == 0).all()


@pytest.mark.parametrize(("low", "high", "bound"), [(1e-6, 1, 3e-15), (1, 8, 2e-14), (8, 60, 1e-13)])
def test_airy(low, high, bound):
    z = polar(np.random.default_rng(5), low, high)
    z[0], z[1] = abs(z[0]), -abs(z[1])
    plain, found = ours.airy(cp.asarray(z)), ours.airye(cp.asarray(z))
    for k in range(4):
        exact = mp.airybi if k > 1 else mp.airyai
        for point, mine, other in zip(z, found[k].get(), plain[k].get(), strict=True):
            w = mp.mpc(point)
            zeta = 2 * w * mp.sqrt(w) / 3
            value = exact(w, derivative=k % 2)
            assert abs(mp.mpc(other) - value) <= bound * abs(value) * max(1, abs(zeta) / 20)
            value *= mp.exp(-abs(zeta.real)) if k > 1 else mp.exp(zeta)
            assert abs(mp.mpc(mine) - value) <= bound * abs(value) * max(1, abs(zeta) / 20)
    for mine, theirs in zip(ours.airy(cp.asarray([0j, np.nan])), special.airy(np.array([0j, np.nan])), strict=True):
        np.testing.assert_allclose(mine.get(), theirs, rtol=1e-15)
    assert ours.airy(cp.asarray(z.astype("c8")))[0].dtype == "c8"


@pytest.mark.parametrize("name", ["spherical_jn", "spherical_yn", "spherical_in", "spherical_kn"])
def test_spherical(name):
    random = np.random.default_rng(3)
    z, n = random.normal(size=30) * 5 + 1j * random.normal(size=30) * 5, random.integers(0, 12, 30)
    for derivative in (False, True):
        found = getattr(ours, name)(cp.asarray(n), cp.asarray(z), derivative)
        expected = getattr(special, name)(n, z, derivative)
        assert (abs(found.get() - expected) <= 1e-11 * abs(expected)).all()
    edges = np.array([0j, np.inf, -np.inf])
    np.testing.assert_array_equal(
        getattr(ours, name)(0, cp.asarray(edges)).get().real, getattr(special, name)(0, edges).real
    )


@pytest.mark.parametrize("name", ["h1vp", "h2vp", "jvp", "yvp", "ivp", "kvp"])
def test_derivatives(name):
    random = np.random.default_rng(4)
    z = random.normal(size=30) * 5 + 1j * random.normal(size=30) * 5
    for n in (0, 1, 3):
        found, expected = getattr(ours, name)(1.5, cp.asarray(z), n).get(), getattr(special, name)(1.5, z, n)
        np.testing.assert_allclose(found, expected, rtol=1e-11)
    with pytest.raises(ValueError, match="n must be"):
        getattr(ours, name)(1, 1.0, -1)
