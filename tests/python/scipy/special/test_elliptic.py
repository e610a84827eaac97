"""Elliptic integrals and functions, beside mpmath at drawn points and SciPy at special ones."""

import cuproxide as cp
import numpy as np
import pytest

special = pytest.importorskip("scipy.special")
mpmath = pytest.importorskip("mpmath")

COUNT = 40
EPSILON = np.finfo(np.float64).eps


def _sizes(random, low, high):
    return 10 ** random.uniform(low, high, COUNT)


def _angles(random):
    return random.uniform(-1.57, 1.57, COUNT)


def _halfplane(random):
    return np.abs(random.normal(size=COUNT)) + 1j * random.normal(size=COUNT)


def _positive(low, high):
    return lambda random: _sizes(random, low, high)


def _below_one(random):
    return random.uniform(0, 1, COUNT)


def _near_one(random):
    return 1 - _sizes(random, -14, -1)


def _negative(low, high):
    return lambda random: -_sizes(random, low, high)


def _of_complement(p):
    return mpmath.pi / 2 / mpmath.agm(1, mpmath.sqrt(p))


# name, what mpmath computes, the arguments' regions, the bound in units of float64's epsilon
REGIONS = [
    ("ellipk", mpmath.ellipk, [_below_one], 6),
    ("ellipk", mpmath.ellipk, [_near_one], 6),
    ("ellipk", mpmath.ellipk, [_negative(-10, 12)], 6),
    ("ellipkm1", _of_complement, [_positive(-300, 0)], 6),
    ("ellipkm1", _of_complement, [_positive(0, 300)], 6),
    ("ellipe", mpmath.ellipe, [_below_one], 6),
    ("ellipe", mpmath.ellipe, [_near_one], 6),
    ("ellipe", mpmath.ellipe, [_negative(-10, 12)], 6),
    ("ellipkinc", mpmath.ellipf, [_angles, _below_one], 8),
    ("ellipkinc", mpmath.ellipf, [_angles, _near_one], 8),
    ("ellipkinc", mpmath.ellipf, [lambda random: random.uniform(-30, 30, COUNT), _negative(-3, 2)], 8),
    ("ellipeinc", mpmath.ellipe, [_angles, _below_one], 8),
    ("ellipeinc", mpmath.ellipe, [_angles, _near_one], 8),
    ("ellipeinc", mpmath.ellipe, [_angles, _negative(-3, 12)], 8),
    ("elliprc", mpmath.elliprc, [_positive(-100, 100)] * 2, 8),
    ("elliprc", mpmath.elliprc, [_positive(-3, 3), _negative(-3, 3)], 8),
    ("elliprc", mpmath.elliprc, [_halfplane] * 2, 8),
    ("elliprf", mpmath.elliprf, [_positive(-100, 100)] * 3, 8),
    ("elliprf", mpmath.elliprf, [_halfplane] * 3, 8),
    ("elliprd", mpmath.elliprd, [_positive(-3, 3)] * 3, 12),
    ("elliprd", mpmath.elliprd, [_halfplane] * 3, 12),
    ("elliprg", mpmath.elliprg, [_positive(-100, 100)] * 3, 8),
    ("elliprg", mpmath.elliprg, [_halfplane] * 3, 40),
    ("elliprj", mpmath.elliprj, [_positive(-3, 3)] * 4, 12),
    ("elliprj", mpmath.elliprj, [_halfplane] * 4, 12),
]


@pytest.mark.parametrize("row", range(len(REGIONS)), ids=lambda row: f"{REGIONS[row][0]}-{row}")
def test_accuracy(row):
    name, exact, regions, bound = REGIONS[row]
    random = np.random.default_rng(row)
    points = [region(random) for region in regions]
    found = getattr(cp.scipy.special, name)(*map(cp.asarray, points)).get()
    assert found.dtype == points[0].dtype
    with mpmath.workdps(30):
        for value, *arguments in zip(found, *points, strict=True):
            expected = exact(*map(mpmath.mpmathify, map(np.ndarray.item, map(np.asarray, arguments))))
            error = abs(mpmath.mpmathify(value.item()) - expected) / abs(expected)
            assert error < bound * EPSILON, (name, arguments, value, expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_jacobis_functions(dtype):
    random = np.random.default_rng(0)
    u, m = random.uniform(-8, 8, 200).astype(dtype), random.uniform(0, 1, 200).astype(dtype)
    sn, cn, dn, amplitude = (part.get() for part in cp.scipy.special.ellipj(cp.asarray(u), cp.asarray(m)))
    for ours, scipys in zip((sn, cn, dn, amplitude), special.ellipj(u, m), strict=True):
        assert ours.dtype == dtype
        np.testing.assert_allclose(ours, scipys, rtol=300 * np.finfo(dtype).eps, atol=10 * np.finfo(dtype).eps)
    wide = 8 * np.finfo(dtype).eps
    np.testing.assert_allclose(sn**2 + cn**2, 1, rtol=wide)
    np.testing.assert_allclose(np.sin(amplitude), sn, atol=20 * wide)
    # The amplitude increases without end.
    line = cp.scipy.special.ellipj(cp.linspace(-50, 50, 500), 0.7)[3].get()
    assert (np.diff(line) > 0).all()


SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, 2.0, 0.5, np.inf, -np.inf, np.nan])


@pytest.mark.parametrize("name", ["ellipk", "ellipkm1", "ellipe", "ellipkinc", "ellipeinc"])
@pytest.mark.parametrize("dtype", ["i1", "i4", "f2", "f4", "f8"])
def test_special_values(name, dtype):
    ours, scipys = getattr(cp.scipy.special, name), getattr(special, name)
    values = np.arange(-3, 3, dtype=dtype) if dtype[0] == "i" else SPECIAL.astype(dtype)
    points = np.meshgrid(*[values] * scipys.nin)
    expected = scipys(*points)
    found = ours(*map(cp.asarray, points))
    # SciPy 1.18 has float32 first, so narrower types compute in it.
    if ours.types[0] == scipys.types[0]:
        assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.get(), expected, rtol=20 * np.finfo(expected.dtype).eps, atol=0)


@pytest.mark.parametrize("name", ["elliprc", "elliprd", "elliprf", "elliprg"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_carlsons_edges(name, dtype):
    ours, scipys = getattr(cp.scipy.special, name), getattr(special, name)
    points = np.meshgrid(*[np.array([0, 1, 0.25, 3], dtype)] * scipys.nin)
    expected = scipys(*points)
    found = ours(*map(cp.asarray, points)).get()
    assert found.dtype == expected.dtype
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(np.isfinite(found), finite)
    np.testing.assert_allclose(found[finite], expected[finite], rtol=20 * np.finfo(dtype).eps)
    if dtype[0] == "f":
        assert np.isnan(ours(*[cp.asarray(np.array([-1.0, np.nan, 1], dtype))] * scipys.nin).get()[:2]).all()


def test_principal_value_of_the_third_kind():
    random = np.random.default_rng(5)
    points = [_sizes(random, -1, 1) for _ in range(3)] + [-_sizes(random, -1, 1)]
    found = cp.scipy.special.elliprj(*map(cp.asarray, points)).get()
    expected = special.elliprj(*points)
    # Terms of both signs cancel near a zero, which the sum of their sizes measures.
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)
