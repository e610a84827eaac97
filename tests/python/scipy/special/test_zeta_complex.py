"""Riemann's zeta function and Wright's omega function of complex numbers, beside mpmath and SciPy."""

import cuproxide as cp
import numpy as np
import pytest
from effort import FULL

special = pytest.importorskip("scipy.special")
mp = pytest.importorskip("mpmath")
COUNT = 200 if FULL else 20
INF, NAN, PI = np.inf, np.nan, np.pi


def zeta(z):
    return cp.scipy.special.zeta(cp.asarray(z)).get()


def omega(z):
    return cp.scipy.special.wrightomega(cp.asarray(z)).get()


def box(low, high, bottom, top):
    return lambda r: r.uniform(low, high, COUNT) + 1j * r.choice([-1, 1], COUNT) * r.uniform(bottom, top, COUNT)


# Where errors are those of the phases of powers, they grow with the imaginary part.
ZETA_REGIONS = {
    "beside the pole": (
        lambda r: 1 + 10 ** r.uniform(-12, 0.47, COUNT) * np.exp(2j * PI * r.uniform(size=COUNT)),
        3e-15,
    ),
    "the circle of its series": (
        lambda r: 1 + r.uniform(2.9, 3.1, COUNT) * np.exp(2j * PI * r.uniform(size=COUNT)),
        2e-14,
    ),
    "right": (box(3, 60, 0, 50), 2e-15),
    "far right": (box(55, 800, 0, 1e6), 1e-15),
    "strip": (box(0, 1, 2, 60), 0),
    "beside the imaginary axis": (lambda r: r.uniform(-1e-8, 1e-8, COUNT) + 1j * r.uniform(2, 40, COUNT), 0),
    "high in the strip": (box(0, 1, 60, 1500), 0),
    "left": (box(-20, 0, 0, 40), 0),
    "far left": (box(-160, -20, 0, 100), 0),
    "negative axis": (lambda r: -r.uniform(2, 30, COUNT) + 0j, 0),
}


@pytest.mark.parametrize("region", ZETA_REGIONS)
def test_zeta(region):
    make, bound = ZETA_REGIONS[region]
    z = make(np.random.default_rng(sum(map(ord, region))))
    with mp.workdps(40):
        for point, mine in zip(z, zeta(z), strict=True):
            exact = mp.zeta(mp.mpc(complex(point)))
            allowed = bound or 2e-14 + 8e-16 * abs(point) * max(1, np.log(abs(point)))
            size = max(abs(exact), 0.3 if point.real > -2.5 else 0)
            if point.imag == 0:
                # The slope beside the zeros at negative even numbers.
                size = max(size, abs(mp.zeta(mp.mpf(point.real) + 0.5)))
            assert abs(mp.mpc(complex(mine)) - exact) <= allowed * size, (point, mine, exact)


def test_zeta_is_not_worse_than_scipys():
    random = np.random.default_rng(4)
    for low, high, top in ((-20, 0, 40), (0, 1, 40), (1, 3, 40), (0, 1, 400)):
        z = random.uniform(low, high, COUNT) + 1j * random.uniform(3, top, COUNT)
        with mp.workdps(40):
            exact = [mp.zeta(mp.mpc(complex(point))) for point in z]
            errors = [
                max(float(abs(mp.mpc(complex(a)) - b) / abs(b)) for a, b in zip(values, exact, strict=True))
                for values in (zeta(z), special.zeta(z))
            ]
        assert errors[0] <= max(2 * errors[1], 1e-14), (errors, low, high, top)


def test_zeta_at_special_values():
    assert zeta(np.array([1 + 0j]))[0] == INF
    np.testing.assert_array_equal(zeta(-2 * np.arange(1.0, 60) + 0j), np.zeros(59))
    x = np.concatenate([np.linspace(-19.9, 30, 77), [60, 1e3, 1e300]])
    found = zeta(x + 0j)
    assert (found.imag == 0).all()
    np.testing.assert_allclose(found.real, zeta(x), rtol=3e-14, atol=1e-16)
    z = np.array(
        [complex(INF, 0), complex(INF, -5), complex(-INF, 0), complex(-INF, 1), complex(2, INF), complex(NAN, 1)]
    )
    found = zeta(z)
    assert (found[:2] == 1).all() and np.isnan(found[2:]).all()
    # The first zeros of the critical line.
    zeros = 0.5 + 1j * np.array([14.134725141734695, 21.022039638771556, 25.010857580145688])
    assert (abs(zeta(zeros)) < 1e-14).all()
    # So many terms nobody waits for; to the right few of them count.
    assert np.isnan(zeta(np.array([0.5 + 1e10j, 1 - 2e300j, -1 + 1e10j]))).all()
    np.testing.assert_allclose(zeta(np.array([40 + 1e10j])), 1, rtol=1e-11)
    np.testing.assert_array_equal(zeta(np.array([2 - 3j])), zeta(np.array([2 + 3j])).conj())
    with pytest.raises(TypeError):
        cp.scipy.special.zeta(cp.asarray([2 + 1j]), cp.asarray([1.0]))
    assert zeta(np.complex64([2 + 3j])).dtype == "c8"
    np.testing.assert_allclose(zeta([2 + 1j, 3]), special.zeta([2 + 1j, 3]), rtol=1e-14)


def exact_omega(z):
    z = mp.mpc(complex(z))
    return mp.lambertw(mp.exp(z), int(mp.ceil((z.imag - mp.pi) / (2 * mp.pi))))


def turned(low, high, about=0):
    return lambda r: about + 10 ** r.uniform(low, high, COUNT) * np.exp(2j * PI * r.uniform(size=COUNT))


OMEGA_REGIONS = {
    "middle": box(-4, 4, 0, 7),
    "wide": turned(0.5, 2.5),
    "huge": turned(3, 300),
    "left": box(-60, -1, 0, 3.14),
    "branch point above": turned(-15, 0.6, complex(-1, PI)),
    "branch point below": turned(-15, 0.6, complex(-1, -PI)),
    "beside the cut": lambda r: (
        -1
        - 10 ** r.uniform(-3, 3, COUNT)
        + 1j * r.choice([-1, 1], COUNT) * (PI + r.choice([-1, 1], COUNT) * 10 ** r.uniform(-15, 0, COUNT))
    ),
    "circles of the starts": lambda r: (
        r.choice([1, complex(-1, PI)], COUNT)
        + r.choice([1.7, 2.4], COUNT) * r.uniform(0.98, 1.02, COUNT) * np.exp(2j * PI * r.uniform(size=COUNT))
    ),
}


@pytest.mark.parametrize("region", OMEGA_REGIONS)
def test_wrightomega(region):
    z = OMEGA_REGIONS[region](np.random.default_rng(sum(map(ord, region))))
    with mp.workdps(60):
        for point, mine in zip(z, omega(z), strict=True):
            if abs(point) > 1e4:
                # Too large for exp: w + log(w) = z, where w is near z but in the strip that exp makes 0.
                exact = 0 if point.real < 0 and abs(point.imag) < PI else mp.mpc(complex(point))
                for _ in range(12 if exact else 0):
                    exact = mp.mpc(complex(point)) - mp.log(exact)
            else:
                exact = exact_omega(point)
            if abs(exact) > 1e-290:
                assert abs(mp.mpc(complex(mine)) - exact) <= 2e-15 * abs(exact), (point, mine, exact)


def test_wrightomega_at_special_values():
    ends = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 4.0, -4.0, INF, -INF, NAN]
    z = np.array([complex(x, y) for x in ends for y in ends])
    with np.errstate(all="ignore"):
        expected = special.wrightomega(z)
    found = omega(z)
    np.testing.assert_allclose(found.real, expected.real, rtol=1e-14, atol=1e-16)
    np.testing.assert_allclose(found.imag, expected.imag, rtol=1e-14, atol=1e-16)
    # The floating-point numbers on both sides of pi are on both sides of the cut; SciPy's branch for pi depends on x.
    with mp.workdps(60):
        for y in (PI, np.nextafter(PI, 4), -PI, -np.nextafter(PI, 4)):
            for x in (-1.0, -1.5, -5.0, -40.0, -300.0):
                exact, mine = exact_omega(complex(x, y)), omega(np.array([complex(x, y)]))[0]
                assert abs(mp.mpc(complex(mine)) - exact) <= 2e-15 * abs(exact), (x, y)
    real = np.linspace(-40, 40, 81)
    assert (omega(real + 0j).imag == 0).all()
    np.testing.assert_allclose(omega(real + 0j).real, omega(real), rtol=2e-15)
    w = omega(np.complex64([1 + 2j, -3 + 3.5j]))
    assert w.dtype == "c8"
    np.testing.assert_allclose(w, special.wrightomega(np.array([1 + 2j, -3 + 3.5j])), rtol=5e-7)
