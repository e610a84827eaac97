"""Spheroidal, parabolic cylinder and ellipsoidal functions beside mpmath and SciPy."""

import cuproxide as cp
import mpmath as mp
import numpy as np
import pytest
from effort import FULL
from kept import kept
from versions import SCIPY_1_15

special = pytest.importorskip("scipy.special")
ours = cp.scipy.special
COUNT = 150 if FULL else 40


@pytest.fixture(autouse=True)
def digits():
    with mp.workdps(30):
        yield


@kept()
def eigenvector(m, n, c, oblate):
    """The characteristic value and the coefficients of Legendre functions, by mpmath: DLMF 30.8."""
    square, first, size = mp.mpf(c) ** 2 * (-1 if oblate else 1), (n - m) % 2, 36
    above, below = [], []
    a = mp.zeros(size)
    for k in range(size):
        r = first + 2 * k
        degree, twice = m + r, 2 * (m + r)
        energy = degree * (degree + 1)
        a[k, k] = energy + mp.mpf(2 * energy - 2 * m * m - 1) / ((twice - 1) * (twice + 3)) * square
        above.append(mp.mpf((2 * m + r + 2) * (2 * m + r + 1)) / ((twice + 3) * (twice + 5)) * square)
        below.append(mp.mpf(r * (r - 1)) / ((twice - 3) * (twice - 1)) * square)
    for k in range(size - 1):
        a[k, k + 1] = a[k + 1, k] = mp.sqrt(above[k] * below[k + 1])
    values, vectors = mp.eigsy(a)
    place = (n - m) // 2
    d, factor = [], mp.mpf(1)
    for k in range(size):
        if k:
            factor *= mp.sqrt(below[k] / above[k - 1]) * (-1 if oblate else 1)
        d.append(vectors[k, place] * factor)
    return values[place], d, first


def legendre(m, top, t):
    """Legendre functions of orders m to m + top over (2 m - 1)!! (1 - t**2)**(m / 2), and their slopes."""
    values, slopes = [mp.mpf(0), mp.mpf(1)], [mp.mpf(0), mp.mpf(0)]
    for r in range(top):
        a, b = mp.mpf(2 * (m + r) + 1) / (r + 1), mp.mpf(2 * m + r) / (r + 1)
        values.append(a * t * values[-1] - b * values[-2])
        slopes.append(a * (values[-2] + t * slopes[-1]) - b * slopes[-2])
    return values[1:], slopes[1:]


@pytest.mark.parametrize("oblate", [False, True])
def test_angular_functions(oblate):
    kind = "obl" if oblate else "pro"
    for m, n, c in ((0, 6, 27.063945863944863), (1, 4, 3.0)) if FULL else ((1, 5, 20.5),):
        value, d, first = eigenvector(m, n, c, oblate)
        assert abs(getattr(ours, f"{kind}_cv")(m, n, c).item() - value) <= 1e-14 * max(abs(value), c)
        x = np.array([-0.9, 0.31, 0.7])

        def function(t, m=m, d=d, first=first):
            # A power and a constant of m and t apart.
            values, slopes = legendre(m, 2 * len(d), t)
            return mp.fsum(e * values[first + 2 * k] for k, e in enumerate(d)), mp.fsum(
                e * slopes[first + 2 * k] for k, e in enumerate(d)
            )

        scale = legendre(m, n - m, mp.mpf(0))[first][n - m] / function(mp.mpf(0))[first]
        factor = [mp.fac2(2 * m - 1) * (1 - mp.mpf(t) ** 2) ** (mp.mpf(m) / 2) for t in x]
        exact = np.array([float(scale * f * function(mp.mpf(t))[0]) for f, t in zip(factor, x, strict=True)])
        found, slope = getattr(ours, f"{kind}_ang1")(m, n, c, cp.asarray(x))
        assert (abs(found.get() - exact) <= 1e-11 * abs(exact).max()).all()
        known = getattr(ours, f"{kind}_ang1_cv")(m, n, c, float(value), cp.asarray(x))
        np.testing.assert_allclose(known[0].get(), found.get(), rtol=1e-11)
        step = 1e-6
        nearby = [getattr(ours, f"{kind}_ang1")(m, n, c, cp.asarray(x + s))[0].get() for s in (-step, step)]
        np.testing.assert_allclose((nearby[1] - nearby[0]) / (2 * step), slope.get(), rtol=1e-5, atol=1e-4)


def drawn(seed, largest):
    random = np.random.default_rng(seed)
    m = random.integers(0, 6, COUNT).astype(float)
    n = m + random.integers(0, 12, COUNT)
    return m, n, np.exp(random.uniform(np.log(0.1), np.log(largest), COUNT)), random


@pytest.mark.parametrize("kind", ["pro", "obl"])
def test_radial_functions(kind):
    m, n, c, random = drawn(1, 12)
    x = np.exp(random.uniform(np.log(0.01), np.log(10), COUNT)) + (kind == "pro")
    arguments = [cp.asarray(a) for a in (m, n, c, x)]
    first, second = (getattr(ours, f"{kind}_rad{k}")(*arguments) for k in (1, 2))
    # The Wronskian: DLMF 30.11.7.
    wronskian = (first[0] * second[1] - first[1] * second[0]).get() * c * (x * x + (1 if kind == "obl" else -1))
    np.testing.assert_allclose(wronskian, 1, rtol=1e-10)
    for mine, theirs in zip(first, getattr(special, f"{kind}_rad1")(m, n, c, x), strict=True):
        np.testing.assert_allclose(mine.get(), theirs, rtol=1e-9)
    value = getattr(ours, f"{kind}_cv")(*arguments[:3])
    np.testing.assert_allclose(value.get(), getattr(special, f"{kind}_cv")(m, n, c), rtol=1e-12)
    for k, exact in ((1, first), (2, second)):
        known = getattr(ours, f"{kind}_rad{k}_cv")(*arguments[:3], value, arguments[3])
        np.testing.assert_array_equal(known[0].get(), exact[0].get())


def test_radial_functions_of_the_second_kind_far_away():
    # Where SciPy's sums converge, too.
    m, n, c, random = drawn(2, 8)
    x = random.uniform(3, 10, COUNT)
    for mine, theirs in zip(
        ours.pro_rad2(*(cp.asarray(a) for a in (m, n, c, x))), special.pro_rad2(m, n, c, x), strict=True
    ):
        close = abs(mine.get() - theirs) <= 1e-6 * abs(theirs)
        assert close.mean() > 0.8


def test_domains_of_spheroidal_functions():
    for name in ("pro_ang1", "obl_ang1", "pro_rad1", "obl_rad1", "pro_rad2", "obl_rad2"):
        bad = [(-1, 2, 1, 0.5), (2, 1, 1, 0.5), (1.5, 2, 1, 0.5), (1, 2, np.nan, 0.5), (1, 250, 1, 0.5)]
        bad.append((1, 2, 1, 1.0 if name.endswith("ang1") else (-0.5 if name[0] == "o" else 1.0)))
        for arguments in bad:
            assert np.isnan(getattr(ours, name)(*map(float, arguments))[0].item()), (name, arguments)
    assert ours.pro_ang1(cp.asarray(np.float32([1])), np.float32(2), np.float32(1), np.float32(0.5))[0].dtype == "f4"
    for name in ("pro_cv_seq", "obl_cv_seq"):
        if SCIPY_1_15:
            np.testing.assert_allclose(
                getattr(ours, name)(1, 9, 2.5).get(), getattr(special, name)(1, 9, 2.5), rtol=1e-13
            )
        with pytest.raises(ValueError, match="too large"):
            getattr(ours, name)(0, 300, 1.0)


PARABOLIC = {
    "positive": ((0, 20), (0, 12)),
    "negative orders": ((-20, 0), (0, 12)),
    "both negative": ((-20, 0), (-10, 0)),
    "negative arguments": ((0, 20), (-10, 0)),
    "large": ((-100, 100), (-25, 25)),
}


@pytest.mark.parametrize("region", PARABOLIC)
def test_parabolic_cylinder(region):
    orders, arguments = PARABOLIC[region]
    random = np.random.default_rng(3)
    v, x = random.uniform(*orders, COUNT // 3), random.uniform(*arguments, COUNT // 3)
    v[:4] = np.floor(v[:4])
    found, grown = ours.pbdv(cp.asarray(v), cp.asarray(x)), ours.pbvv(cp.asarray(v), cp.asarray(x))
    for a, b, mine, slope, other in zip(v, x, found[0].get(), found[1].get(), grown[0].get(), strict=True):
        order, point = mp.mpf(a), mp.mpf(b)
        value, above = mp.pcfd(order, point), mp.pcfd(order + 1, point)
        if 1e-290 < abs(value) < 1e290:
            assert abs(mp.mpf(float(mine)) - value) <= 1e-12 * abs(value), (a, b)
            size = abs(point / 2 * value) + abs(above)
            assert abs(mp.mpf(float(slope)) - (point / 2 * value - above)) <= 1e-12 * size, (a, b)
        value = mp.re(mp.pcfv(-order - 0.5, point))
        if 1e-290 < abs(value) < 1e290:
            assert abs(mp.mpf(float(other)) - value) <= 1e-12 * abs(value), (a, b)
    # DLMF 12.2.19: the Wronskian of both, as a difference of its products.
    products = [(found[k] * grown[1 - k]).get() for k in (0, 1)]
    finite = np.isfinite(products[0]) & np.isfinite(products[1])
    size = np.maximum(1, abs(products[0]))[finite]
    assert (abs(products[0] - products[1] - np.sqrt(2 / np.pi))[finite] <= 1e-11 * size).all()


def test_parabolic_cylinder_w():
    random = np.random.default_rng(4)
    a, x = random.uniform(-5, 5, COUNT // 2), random.uniform(-5, 5, COUNT // 2)
    found = ours.pbwa(cp.asarray(a), cp.asarray(x))
    for order, point, mine in zip(a, x, found[0].get(), strict=True):
        exact = mp.re(mp.pcfw(mp.mpf(order), mp.mpf(point)))
        # For positive a the two sides differ by exp(pi a).
        assert abs(mp.mpf(float(mine)) - exact) <= 5e-14 * max(1, np.exp(np.pi * order)) * max(abs(exact), 0.1)
    np.testing.assert_allclose(found[1].get(), special.pbwa(a, x)[1], rtol=1e-7)
    assert np.isnan(ours.pbwa(cp.asarray([6.0, 1.0, np.nan]), cp.asarray([1.0, 6.0, 1.0]))[0].get()).all()


def test_sequences_of_parabolic_cylinder_functions():
    for name in ("pbdv_seq", "pbvv_seq"):
        for v, x in ((2.5, 1.0), (0, 1.0), (3, -1.0), (0.5, 2.0), (-1, 1.0)):
            for mine, theirs in zip(getattr(ours, name)(v, x), getattr(special, name)(v, x), strict=True):
                np.testing.assert_allclose(mine.get(), theirs, rtol=1e-12, atol=1e-14)
        with pytest.raises(ValueError, match="scalars"):
            getattr(ours, name)([1.0], 2.0)
    # SciPy computes exp(-abs(z)**2 / 4) in place of exp(-z**2 / 4) for orders that are not negative.
    for n, z in ((3, 1.5), (0, 1.0), (-3, 1 + 1j), (-1, 1.0)):
        for mine, theirs in zip(ours.pbdn_seq(n, z), special.pbdn_seq(n, z), strict=True):
            np.testing.assert_allclose(mine.get(), theirs, rtol=1e-12, atol=1e-14)
    for n, z in ((5, 1 + 1j), (8, 2j), (-5, -1.5 + 0.5j)):
        values, slopes = (part.get() for part in ours.pbdn_seq(n, z))
        for k, (mine, slope) in enumerate(zip(values, slopes, strict=True)):
            order, point = k if n > 0 else -k, mp.mpc(z)
            exact, above = mp.pcfd(order, point), mp.pcfd(order + 1, point)
            assert abs(mp.mpc(mine) - exact) <= 1e-12 * abs(exact)
            assert abs(mp.mpc(slope) - (point / 2 * exact - above)) <= 1e-12 * (abs(exact) + abs(above))
    with pytest.raises(ValueError, match="integer"):
        ours.pbdn_seq(1.5, 1.0)


def test_ellipsoidal_harmonics():
    random = np.random.default_rng(5)
    for n in range(6):
        p = np.arange(1, 2 * n + 2)
        h2 = random.uniform(0.5, 4, p.size)
        k2 = h2 + random.uniform(0.5, 4, p.size)
        s, signs = random.uniform(-4, 4, p.size), random.choice([-1, 1], (2, p.size))
        found = ours.ellip_harm(*map(cp.asarray, (h2, k2)), n, cp.asarray(p), cp.asarray(s), *map(cp.asarray, signs))
        expected = special.ellip_harm(h2, k2, n, p, s, *signs)
        assert (abs(found.get() - expected) <= 1e-12 * np.maximum(1, abs(s)) ** n * 4**n).all()
        norm = ours.ellip_normal(*map(cp.asarray, (h2, k2)), n, cp.asarray(p))
        np.testing.assert_allclose(norm.get(), special.ellip_normal(h2, k2, n, p), rtol=1e-12)
        s = np.sqrt(k2) * random.uniform(1.2, 5, p.size) * random.choice([-1, 1], p.size)
        second = ours.ellip_harm_2(*map(cp.asarray, (h2, k2)), n, cp.asarray(p), cp.asarray(s))
        np.testing.assert_allclose(second.get(), special.ellip_harm_2(h2, k2, n, p, s), rtol=1e-10)
    for arguments in ((8, 5, 2, 1, 1.0), (5, 8, 2, 6, 1.0), (5, 8, -1, 1, 1.0), (5, 8, 2, 1, np.nan)):
        assert np.isnan(ours.ellip_harm(*arguments).item())
    assert np.isnan(ours.ellip_harm(5, 8, 2, 1, 1.0, 2, 1).item()) and np.isnan(
        ours.ellip_harm_2(5, 8, 2, 1, 1.0).item()
    )
