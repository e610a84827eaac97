"""Kelvin, Struve and Mathieu functions, and integrals of Bessel and Airy functions, beside mpmath and SciPy."""

import cuproxide as cp
import mpmath as mp
import numpy as np
import pytest
from effort import FULL, sample
from kept import kept

special = pytest.importorskip("scipy.special")
ours = cp.scipy.special
COUNT = 100 if FULL else 10


@pytest.fixture(autouse=True)
def digits():
    with mp.workdps(40):
        yield


def log_uniform(seed, low, high):
    return np.exp(np.random.default_rng(seed).uniform(np.log(low), np.log(high), COUNT))


def check(found, exact, bound, least=0.0):
    """Errors relative to the value, or to `least` where that is larger."""
    for mine, value in zip(found, exact, strict=True):
        assert abs(mp.mpmathify(complex(mine)) - value) <= bound * max(abs(value), least), (mine, value)


@pytest.mark.parametrize(("low", "high"), [(1e-4, 2), (2, 6), (6, 50), (50, 900)])
def test_kelvin(low, high):
    x = log_uniform(1, low, high)
    turn = mp.expjpi(mp.mpf(1) / 4)
    exact = [
        [f(mp.mpf(a)) for a in x]
        for f in (
            lambda a: mp.besseli(0, a * turn),
            lambda a: mp.besselk(0, a * turn),
            lambda a: turn * mp.besseli(1, a * turn),
            lambda a: -turn * mp.besselk(1, a * turn),
        )
    ]
    found = ours.kelvin(cp.asarray(x))
    for name, mine, values in zip(("be", "ke", "be", "ke"), found, exact, strict=True):
        check(mine.get(), values, 3e-15)
        del name
    for k, names in enumerate((("ber", "bei"), ("ker", "kei"), ("berp", "beip"), ("kerp", "keip"))):
        for name, part in zip(names, ("real", "imag"), strict=True):
            value = getattr(ours, name)(cp.asarray(x)).get()
            np.testing.assert_allclose(value, getattr(found[k].get(), part), rtol=1e-14)


@pytest.mark.parametrize("name", ["ber", "bei", "ker", "kei", "berp", "beip", "kerp", "keip"])
def test_edges_of_kelvin(name):
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -1, 2, -30, 2000])
    np.testing.assert_allclose(getattr(ours, name)(cp.asarray(x)).get(), getattr(special, name)(x), rtol=1e-12)
    assert getattr(ours, name)(cp.asarray(np.float32([1.0]))).dtype == "f4"
    zeros = getattr(ours, f"{name}_zeros")(8).get()
    np.testing.assert_allclose(zeros, getattr(special, f"{name}_zeros")(8), rtol=1e-9)
    np.testing.assert_allclose(getattr(ours, name)(cp.asarray(zeros[:1])).get(), 0, atol=1e-13)
    with pytest.raises(ValueError, match="nt must be"):
        getattr(ours, f"{name}_zeros")(0)


STRUVE = {
    "small": ((-3, 10), (1e-5, 3), 2e-14),
    "middle": ((-3, 10), (3, 30), 2e-14),
    "large": ((-3, 20), (30, 400), 5e-14),
    "order": ((10, 100), (1, 150), 5e-14),
    "negative": ((-20, -3), (0.1, 60), 2e-13),
    "whole": ((-5, 15), (0.1, 60), 5e-14),
}


@pytest.mark.parametrize("region", STRUVE)
@pytest.mark.parametrize("name", ["struve", "modstruve"])
def test_struve(name, region):
    orders, (low, high), bound = STRUVE[region]
    v, x = np.random.default_rng(2).uniform(*orders, COUNT), log_uniform(3, low, high)
    v = np.floor(v) if region == "whole" else v
    exact = [(mp.struveh if name == "struve" else mp.struvel)(mp.mpf(a), mp.mpf(b)) for a, b in zip(v, x, strict=True)]
    found = getattr(ours, name)(cp.asarray(v), cp.asarray(x)).get()
    for a, b, mine, value in zip(v, x, found, exact, strict=True):
        least = np.sqrt(2 / np.pi / b) if name == "struve" and b > abs(a) else 0
        assert abs(mp.mpf(float(mine)) - value) <= bound * max(abs(value), least), (a, b, mine, value)


@pytest.mark.parametrize("name", ["struve", "modstruve"])
def test_edges_of_struve(name):
    v, x = np.meshgrid([0.0, 1.0, -1.0, 0.5, -0.5, -1.2, -2.0, -2.5], [1.0, -1.0, -2.5, np.nan])
    found = getattr(ours, name)(cp.asarray(v), cp.asarray(x)).get()
    np.testing.assert_allclose(found, getattr(special, name)(v, x), rtol=1e-13)
    v, zero = np.array([0.0, 1.0, -1.0, 0.5, -0.5, -1.2, -2.0]), np.zeros(7)
    np.testing.assert_allclose(getattr(ours, name)(cp.asarray(v), 0.0).get(), getattr(special, name)(v, zero))
    # Of orders -n - 1 / 2 they are Bessel functions of order n + 1 / 2, which are 0 at 0.
    assert getattr(ours, name)(-2.5, 0.0).item() == 0


@kept()
def integrals(x):
    """What the functions return, by mpmath's quadrature."""
    one = mp.mpf(1)

    def tail(f):
        return mp.quad(f, [x, x + 1, x + 4, x + 16, x + 50, x + 150])

    j = mp.quad(lambda t: mp.besselj(0, t), mp.linspace(0, x, 1 + int(x / 4) + 1))
    y = mp.quad(lambda t: mp.bessely(0, t), [0, x / 64, x / 8, *mp.linspace(x / 4, x, 1 + int(x / 4) + 1)])
    i = mp.quad(lambda t: mp.besseli(0, t), mp.linspace(0, x, 1 + int(x / 4) + 1))
    k = mp.pi / 2 - tail(lambda t: mp.besselk(0, t))
    quotient_j = mp.quad(lambda t: (1 - mp.besselj(0, t)) / t if t else one * 0, mp.linspace(0, x, 2 + int(x / 4)))
    quotient_i = mp.quad(lambda t: (mp.besseli(0, t) - 1) / t if t else one * 0, mp.linspace(0, x, 2 + int(x / 4)))
    quotient_k = tail(lambda t: mp.besselk(0, t) / t)
    h = mp.quad(lambda t: mp.struveh(0, t), mp.linspace(0, x, 2 + int(x / 4)))
    m = mp.quad(lambda t: mp.struvel(0, t), mp.linspace(0, x, 2 + int(x / 4)))
    return {"itj0y0": (j, y), "iti0k0": (i, k), "it2j0y0": (quotient_j, None), "it2i0k0": (quotient_i, quotient_k),
            "itstruve0": (h,), "itmodstruve0": (m,)}  # fmt: skip


def test_integrals():
    with mp.workdps(20):
        for x in (0.3, 1.7, 7.5, 9.0, 25.0) if FULL else (1.3, 9.0):
            for name, exact in integrals(mp.mpf(x)).items():
                found = getattr(ours, name)(cp.asarray(x))
                found = found if isinstance(found, tuple) else (found,)
                for mine, value in zip(found, exact, strict=True):
                    if value is not None:
                        assert abs(mp.mpf(mine.item()) - value) <= 5e-15 * max(abs(value), 0.1), (name, x, value)


@pytest.mark.parametrize(
    ("name", "bound"),
    [
        ("itj0y0", 1e-8), ("it2j0y0", 1e-7), ("iti0k0", 1e-6), ("it2i0k0", 1e-7), ("itstruve0", 1e-6),
        ("it2struve0", 1e-6), ("itmodstruve0", 1e-6),
    ],
)  # fmt: skip
def test_integrals_beside_scipy(name, bound):
    # SciPy's own errors are up to so large.
    x = np.concatenate([np.linspace(0.1, 9, 30), [-1.5, np.nan]])
    found, expected = getattr(ours, name)(cp.asarray(x)), getattr(special, name)(x)
    pairs = [(found, expected)] if isinstance(found, cp.ndarray) else zip(found, expected, strict=True)
    for mine, theirs in pairs:
        np.testing.assert_allclose(mine.get(), theirs, rtol=bound, atol=1e-8)
    single = getattr(ours, name)(cp.asarray(x.astype("f4")))
    assert (single if isinstance(single, cp.ndarray) else single[0]).dtype == "f4"


@pytest.mark.parametrize(("low", "high"), [(1e-3, 2.5), (2.5, 8), (8, 60)])
def test_itairy(low, high):
    x = log_uniform(6, low, high)
    found = [part.get() for part in ours.itairy(cp.asarray(x))]
    swapped = [part.get() for part in ours.itairy(cp.asarray(-x))]
    for k in range(4):
        exact = mp.airybi if k % 2 else mp.airyai
        sign = 1 if k < 2 else -1
        values = [sign * exact(sign * mp.mpf(a), derivative=-1) for a in x]
        least = 0.1 if low > 1 and k > 1 else 0
        check(found[k], values, 1e-14 if high < 10 else 1e-13, least)
        np.testing.assert_array_equal(swapped[(k + 2) % 4], -found[k])


@pytest.mark.parametrize("sign", [1, -1])
def test_modfresnel(sign):
    x = np.concatenate([log_uniform(7, 1e-2, 20), -log_uniform(8, 1e-2, 5)])
    found = (ours.modfresnelp if sign > 0 else ours.modfresnelm)(cp.asarray(x))
    with mp.workdps(60):
        eighth = mp.expjpi(mp.mpf(sign) / 4)
        exact = [mp.sqrt(mp.pi) / 2 * eighth * mp.erfc(mp.mpf(a) / eighth) for a in x]
        check(found[0].get(), exact, 3e-14)
        turned = [
            f * mp.expj(-sign * (mp.mpf(a) ** 2 + mp.pi / 4)) / mp.sqrt(mp.pi) for f, a in zip(exact, x, strict=True)
        ]
        check(found[1].get(), turned, 3e-14)


def matrix(m, q, sine):
    """The Mathieu equation's matrix, and the first multiple."""
    first = 1 if m % 2 else (2 if sine else 0)
    size = int(m / 2 + 2 * q**0.5 + 30)
    a = mp.zeros(size)
    for k in range(size):
        a[k, k] = mp.mpf(2 * k + first) ** 2
        if k:
            a[k, k - 1] = a[k - 1, k] = mp.mpf(q) * (mp.sqrt(2) if k == 1 and first == 0 else 1)
    if first == 1:
        a[0, 0] += -mp.mpf(q) if sine else mp.mpf(q)
    return a, first


@kept(matrix)
def mode(m, q, sine):
    """The characteristic value and the coefficients of a function."""
    with mp.workdps(25):
        a, first = matrix(m, q, sine)
        values, vectors = mp.eigsy(a)
    exact = sorted(values)[(m - first) // 2]
    return exact, [float(c) for c in vectors[:, list(values).index(exact)]], first


@pytest.mark.parametrize("sine", [False, True])
def test_mathieu(sine):
    x = np.array([0.0, 17.0, 90.0, -135.0, 400.0])
    name, angular = ("mathieu_b", "mathieu_sem") if sine else ("mathieu_a", "mathieu_cem")
    for m, q in sample([(1, 0.01), (2, 5.0), (3, 40.0), (13, 73.16977689133107), (8, 0.3)], 2 + (not sine)):
        exact, coefficients, first = mode(m, q, sine)
        place = (m - first) // 2
        assert abs(getattr(ours, name)(m, q).item() - exact) <= 4e-15 * max(abs(exact), q)
        # The sign is that of DLMF 28.2(vi); the constant has the other norm.
        multiples = 2 * np.arange(len(coefficients)) + first
        weight = 1 if (m % 2 == 1) == sine else multiples
        sign = np.sign(sum((-1.0) ** np.arange(len(coefficients)) * weight * coefficients)) * (-1) ** place
        coefficients = np.array(coefficients) * sign / np.where(multiples == 0, 2**0.5, 1)
        angles = np.radians(x)[:, None] * multiples
        wave, slope = (np.sin, np.cos) if sine else (np.cos, lambda t: -np.sin(t))
        found = getattr(ours, angular)(m, q, cp.asarray(x))
        np.testing.assert_allclose(found[0].get(), wave(angles) @ coefficients, rtol=0, atol=1e-14)
        np.testing.assert_allclose(found[1].get(), slope(angles) @ (coefficients * multiples), rtol=0, atol=3e-13)


def test_mathieu_beside_scipy():
    random = np.random.default_rng(9)
    m, x = random.integers(0, 10, 60).astype(float), random.uniform(-180, 360, 60)
    q = np.exp(random.uniform(np.log(1e-3), np.log(50), 60)) * random.choice([-1, 1], 60)
    for name in ("mathieu_a", "mathieu_b"):
        expected = getattr(special, name)(m, q)
        np.testing.assert_allclose(getattr(ours, name)(cp.asarray(m), cp.asarray(q)).get(), expected, rtol=1e-8)
        assert np.isnan(getattr(ours, name)(cp.asarray([-1.0, 1.5, np.nan]), 1.0).get()).all()
    for name in ("mathieu_cem", "mathieu_sem"):
        for mine, theirs in zip(
            getattr(ours, name)(*map(cp.asarray, (m, q, x))), getattr(special, name)(m, q, x), strict=True
        ):
            np.testing.assert_allclose(mine.get(), theirs, rtol=1e-7, atol=1e-9, equal_nan=True)
    m, q, t = m, abs(q) + 0.1, random.uniform(0, 2.5, 60)
    for name in ("mathieu_modcem1", "mathieu_modcem2", "mathieu_modsem1", "mathieu_modsem2"):
        found, expected = getattr(ours, name)(*map(cp.asarray, (m, q, t))), getattr(special, name)(m, q, t)
        for mine, theirs in zip(found, expected, strict=True):
            np.testing.assert_allclose(mine.get(), theirs, rtol=1e-8, atol=1e-9, equal_nan=True)
    for name in ("mathieu_even_coef", "mathieu_odd_coef"):
        for order, parameter in ((1, 0.5), (2, 3.0), (5, 20.0)):
            found, expected = getattr(ours, name)(order, parameter).get(), getattr(special, name)(order, parameter)
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14)
        with pytest.raises(ValueError, match="q >=0"):
            getattr(ours, name)(1, -1.0)


def test_modified_mathieu_wronskian():
    # DLMF 28.20(iv): the Wronskian of both kinds is 2 / pi.
    random = np.random.default_rng(10)
    m, q, t = random.integers(1, 14, 50).astype(float), random.uniform(0.1, 80, 50), random.uniform(0, 3, 50)
    for name in ("modcem", "modsem"):
        first, second = (getattr(ours, f"mathieu_{name}{k}")(*map(cp.asarray, (m, q, t))) for k in (1, 2))
        wronskian = first[0] * second[1] - first[1] * second[0]
        np.testing.assert_allclose(wronskian.get(), 2 / np.pi, rtol=1e-11)


def test_zeros_and_jahnke_emden():
    for name in ("y0_zeros", "y1_zeros", "y1p_zeros"):
        for not_real in (False, True):
            found, expected = getattr(ours, name)(6, not_real), getattr(special, name)(6, not_real)
            for mine, theirs in zip(found, expected, strict=True):
                np.testing.assert_allclose(mine.get(), theirs, rtol=1e-7, atol=1e-8)
        with pytest.raises(ValueError, match="positive integer"):
            getattr(ours, name)(0)
    for count in (1, 12, 100):
        for mine, theirs in zip(ours.jnjnp_zeros(count), special.jnjnp_zeros(count), strict=True):
            assert mine.dtype == theirs.dtype
            np.testing.assert_allclose(mine.get(), theirs, rtol=1e-8)
    for v, x in ((2.5, 1.0), (0, 2.0), (2, -1.5), (7.2, 20.0), (30, 1e-9)):
        for mine, theirs in zip(ours.lmbda(v, x), special.lmbda(v, x), strict=True):
            np.testing.assert_allclose(mine.get(), theirs, rtol=1e-12)
    assert ours.lmbda(3, 0.0)[0].get().tolist() == [1, 1, 1, 1]
