"""Bessel and Airy functions beside mpmath and SciPy."""

import cuproxide as cp
import mpmath as mp
import numpy as np
import pytest
from effort import FULL
from kept import kept
from versions import SCIPY_1_18

special = pytest.importorskip("scipy.special")
ours = cp.scipy.special
EPS = 2.0**-52
COUNT = 200 if FULL else 16


@pytest.fixture(autouse=True)
def digits():
    with mp.workdps(40):
        yield


def log_uniform(random, low, high):
    return np.exp(random.uniform(np.log(low), np.log(high), COUNT))


def errors(found, expected, scale):
    """The largest error in units of eps times the scale."""
    rows = zip(found.astype(float), expected, scale, strict=True)
    return max(float(abs(mp.mpf(float(f)) - e) / s) / EPS for f, e, s in rows if s > 1e-300)


ORDERS_0_AND_1 = {
    "j0": lambda x: mp.besselj(0, x),
    "j1": lambda x: mp.besselj(1, x),
    "y0": lambda x: mp.bessely(0, x),
    "y1": lambda x: mp.bessely(1, x),
}


@pytest.mark.parametrize("name", ORDERS_0_AND_1)
@pytest.mark.parametrize(("low", "high"), [(1e-10, 1e-3), (0.01, 3), (3, 8), (8, 100), (1e3, 1e15)])
def test_orders_0_and_1(name, low, high):
    x = log_uniform(np.random.default_rng(1), low, high)
    expected = [ORDERS_0_AND_1[name](mp.mpf(v)) for v in x.tolist()]
    # Up to 8 digits are relative to the value itself, zeros included; beyond, to the amplitude.
    amplitude = [abs(e) if v < 8 else max(abs(e), np.sqrt(2 / np.pi / v)) for e, v in zip(expected, x, strict=True)]
    assert errors(getattr(ours, name)(cp.asarray(x)).get(), expected, amplitude) < 5


@pytest.mark.parametrize("name", ORDERS_0_AND_1)
def test_next_to_zeros(name):
    zeros = special.jn_zeros(int(name[1]), 2) if name[0] == "j" else special.yn_zeros(int(name[1]), 2)
    x = (zeros[:, None] * (1 + np.array([0, 1, -3, 100, -1e4]) * EPS)).ravel()
    expected = [ORDERS_0_AND_1[name](mp.mpf(v)) for v in x.tolist()]
    assert errors(getattr(ours, name)(cp.asarray(x)).get(), expected, [abs(e) for e in expected]) < 10


# The order and the number of each region, and the errors that are allowed: of J and Y, and of I and K.
REGIONS = {
    "small": (lambda r: (r.uniform(0, 40, COUNT), log_uniform(r, 1e-8, 2)), 16, 16),
    "middle": (lambda r: (r.uniform(0, 25, COUNT), r.uniform(2, 25, COUNT)), 100, 30),
    "whole": (lambda r: (np.floor(r.uniform(0, 40, COUNT)), r.uniform(0.1, 60, COUNT)), 100, 30),
    "negative": (lambda r: (r.uniform(-20, 0, COUNT), r.uniform(0.1, 30, COUNT)), 100, 30),
    "recurrence": (lambda r: (r.uniform(0, 40, COUNT), r.uniform(25, 300, COUNT)), 16, 16),
    "large order": (lambda r: (r.uniform(40, 120, COUNT), r.uniform(1, 100, COUNT)), 1000, 1000),
    "turning point": (None, 30, 3000),
    "huge number": (lambda r: (r.uniform(0, 30, COUNT), log_uniform(r, 1e3, 1e15)), 8, 8),
}


def region(name):
    random = np.random.default_rng(2)
    if name != "turning point":
        return REGIONS[name][0](random)
    v = log_uniform(random, 40, 1500)
    return v, v * (1 + random.uniform(-2, 2, COUNT) * v ** (-2 / 3))


@pytest.mark.parametrize("name", REGIONS)
def test_real_orders_of_oscillating_functions(name):
    v, x = region(name)
    first, second = (
        [f(mp.mpf(a), mp.mpf(b)) for a, b in zip(v.tolist(), x.tolist(), strict=True)] for f in (mp.besselj, mp.bessely)
    )
    amplitude = [
        mp.hypot(a, b) if number > abs(order) or order < 0 else 0
        for a, b, number, order in zip(first, second, x, v, strict=True)
    ]
    for function, expected in ((ours.jv, first), (ours.yv, second)):
        scale = [max(abs(e), a) for e, a in zip(expected, amplitude, strict=True)]
        found = function(cp.asarray(v), cp.asarray(x)).get()
        assert errors(found, expected, scale) < REGIONS[name][1]


@kept()
def scaled(name, v, x):
    value = (mp.besseli if name == "ive" else mp.besselk)(mp.mpf(v), mp.mpf(x))
    return value * mp.exp(mp.mpf(-x if name == "ive" else x))


@pytest.mark.parametrize("name", REGIONS)
def test_real_orders_of_modified_functions(name):
    v, x = region(name)
    for function in ("ive", "kve"):
        expected = [scaled(function, *pair) for pair in zip(v.tolist(), x.tolist(), strict=True)]
        found = getattr(ours, function)(cp.asarray(v), cp.asarray(x)).get()
        usable = [1e-300 < abs(e) < 1e300 for e in expected]
        assert any(usable) or name == "turning point"
        scale = [abs(e) if u else 0 for e, u in zip(expected, usable, strict=True)]
        assert (
            errors(
                np.where(usable, found, 0),
                [e if u else 0 for e, u in zip(expected, usable, strict=True)],
                [s or mp.mpf(1) for s in scale],
            )
            < REGIONS[name][2]
        )


@pytest.mark.parametrize(("low", "high"), [(-1000, -6), (-6, 0), (0, 3), (3, 100)])
def test_airy(low, high):
    x = np.random.default_rng(3).uniform(low, high, COUNT)
    found = [part.get() for part in ours.airy(cp.asarray(x))]
    for k, part in enumerate(found):
        exact = mp.airybi if k > 1 else mp.airyai
        expected = [exact(mp.mpf(v), derivative=k % 2) for v in x.tolist()]
        amplitude = [
            max(abs(e), abs(v) ** (0.25 if k % 2 else -0.25) / 1.77 if v < -2 else 0)
            for e, v in zip(expected, x, strict=True)
        ]
        assert errors(part, expected, amplitude) < 16


NAMES = ["jv", "yv", "iv", "kv", "jve", "yve", "ive", "kve"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_special_values(name, dtype):
    orders = np.array([0, 1, 2, 3, 0.5, -0.5, -1, -1.5, -2, 7.25, -7.25, 41, 60.5], dtype)
    numbers = np.array([0, -0.0, -1.5, 0.1, 2, 30, np.inf, -np.inf, np.nan], dtype)
    v, x = (array.ravel() for array in np.meshgrid(orders, numbers))
    with np.errstate(all="ignore"):
        expected = getattr(special, name)(v, x)
    found = getattr(ours, name)(cp.asarray(v), cp.asarray(x)).get()
    assert found.dtype == expected.dtype
    tiny = np.finfo(dtype).tiny
    np.testing.assert_allclose(found, expected, rtol=1e-5 if dtype == "f4" else 1e-12, atol=tiny)
    zeros = (found == 0) & (expected == 0)
    np.testing.assert_array_equal(np.signbit(found[zeros]), np.signbit(expected[zeros]))


@pytest.mark.parametrize("name", ["yn", "kn"])
def test_whole_orders(name):
    n = cp.asarray([[0], [3], [-4]])
    x = np.array([0.5, 3.0, 40.0])
    expected = getattr(special, name)(n.get(), x)
    np.testing.assert_allclose(getattr(ours, name)(n, cp.asarray(x)).get(), expected, rtol=1e-12)


def test_layouts():
    x = np.linspace(0.5, 30, 24).reshape(4, 6)
    view = cp.asarray(x)[::-2, ::3]
    np.testing.assert_allclose(ours.jv(2.5, view).get(), special.jv(2.5, x[::-2, ::3]), rtol=1e-11)
    assert ours.jv(2.5, cp.zeros((0, 3))).shape == (0, 3)


@pytest.mark.parametrize("name", ["spherical_jn", "spherical_yn", "spherical_in", "spherical_kn"])
@pytest.mark.parametrize("derivative", [False, True])
def test_spherical(name, derivative):
    n, z = np.arange(6)[:, None], np.array([1e-5, 0.5, 3, -3, 40])
    expected = getattr(special, name)(n, z, derivative)
    found = getattr(ours, name)(cp.asarray(n), cp.asarray(z), derivative).get()
    np.testing.assert_allclose(found, expected, rtol=1e-11)


@pytest.mark.parametrize("name", ["jvp", "yvp", "ivp", "kvp"])
def test_derivatives(name):
    v, z = np.array([0, 1, 2.5]), np.array([0.5, 3, 7])
    for n in range(4):
        expected = getattr(special, name)(v, z, n)
        np.testing.assert_allclose(getattr(ours, name)(cp.asarray(v), cp.asarray(z), n).get(), expected, rtol=1e-11)
    with pytest.raises(ValueError, match="n must be"):
        getattr(ours, name)(0, cp.asarray(z), -1)


@pytest.mark.parametrize("n", [0, 1, 5, 100])
def test_zeros(n):
    for found, expected in zip(ours.jnyn_zeros(n, 12), special.jnyn_zeros(n, 12), strict=True):
        np.testing.assert_allclose(found.get(), expected, rtol=1e-10)
    with pytest.raises(ValueError, match="nt"):
        ours.jn_zeros(n, 0)


def test_zeros_of_airy_functions():
    for found, expected in ((ours.ai_zeros(12), special.ai_zeros(12)), (ours.bi_zeros(12), special.bi_zeros(12))):
        for mine, scipys in zip(found, expected, strict=True):
            np.testing.assert_allclose(mine.get(), scipys, rtol=1e-9)
    exact = [float(mp.airyaizero(k)) for k in (1, 2, 12)]
    np.testing.assert_allclose(ours.ai_zeros(12)[0].get()[[0, 1, 11]], exact, rtol=1e-15)


@pytest.mark.parametrize("name", ["riccati_jn", "riccati_yn"])
def test_riccati(name):
    for found, expected in zip(getattr(ours, name)(6, 2.5), getattr(special, name)(6, 2.5), strict=True):
        np.testing.assert_allclose(found.get(), expected, rtol=1e-11)


@pytest.mark.parametrize("name", ["h1vp", "h2vp", "jvp", "yvp", "ivp", "kvp"])
@pytest.mark.parametrize("n", [0, 1])
def test_the_type_of_a_derivative(name, n):
    """A Python number of the order is weak only for the function itself, where SciPy passes it on."""
    for z in (np.float32([0.5, 1.5]), np.complex64([0.5, 1.5j])):
        found, expected = getattr(cp.scipy.special, name)(5, cp.asarray(z), n), getattr(special, name)(5, z, n)
        assert found.dtype == expected.dtype, (z.dtype, found.dtype, expected.dtype)


@pytest.mark.parametrize("name", ["spherical_jn", "spherical_yn", "spherical_in", "spherical_kn"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64])
@pytest.mark.parametrize("derivative", [False, True])
def test_the_type_of_a_spherical_function(name, dtype, derivative):
    z = np.array([1, 2], dtype)
    found = getattr(cp.scipy.special, name)(cp.asarray([0, 1]), cp.asarray(z), derivative)
    expected = getattr(special, name)(np.array([0, 1]), z, derivative).dtype
    # SciPy 1.18 computes one of the four in single precision.
    assert found.dtype == (np.float64 if dtype is np.float16 and SCIPY_1_18 else expected)
