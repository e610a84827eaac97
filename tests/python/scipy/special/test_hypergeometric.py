"""Hypergeometric functions and what stands on them, beside mpmath in all regions, and SciPy at special values."""

import cuproxide as cp
import mpmath as mp
import numpy as np
import pytest
from effort import FULL

special = pytest.importorskip("scipy.special")

COUNT = 400 if FULL else 24


def _between(low, high):
    return lambda random: random.uniform(low, high, COUNT)


def _spread(low, high, signs=(1,)):
    """Numbers that are uniform in their logarithms."""

    def draw(random):
        return np.exp(random.uniform(np.log(low), np.log(high), COUNT)) * random.choice(signs, COUNT)

    return draw


def _whole(low, high):
    return lambda random: random.integers(low, high, COUNT).astype(float)


def _complex(low, high, center=0.0):
    """Numbers at these distances from a point, in all directions."""
    return lambda random: center + _spread(low, high)(random) * np.exp(1j * random.uniform(-np.pi, np.pi, COUNT))


def _below_one(random):
    return 1 - _spread(1e-9, 0.1)(random)


def _terms(function):
    return lambda *arguments: function(*arguments, maxterms=10**6)


def _legendre(m, v, x):
    # Of order -|m|, which needs no limits, and the quotient of gamma functions for positive orders.
    m, k = int(m), abs(int(m))
    value = ((1 - x) / (1 + x)) ** (mp.mpf(k) / 2) / mp.factorial(k) * mp.hyp2f1(-v, v + 1, 1 + k, (1 - x) / 2)
    return (-1) ** k * mp.rf(v - k + 1, 2 * k) * value if m >= 0 else value


def _jacobi(n, a, b, x):
    return mp.binomial(n + a, n) * mp.hyp2f1(-n, n + a + b + 1, a + 1, (1 - x) / 2)


def _gegenbauer(n, a, x):
    value = mp.hyp2f1(-n, n + 2 * a, a + mp.mpf(1) / 2, (1 - x) / 2)
    return mp.gamma(n + 2 * a) / mp.gamma(n + 1) / mp.gamma(2 * a) * value


def _laguerre(n, a, x):
    return mp.binomial(n + a, n) * mp.hyp1f1(-n, a + 1, x)


BOTH = (-1, 1)
# Functions, what mpmath computes, the ranges of parameters and argument, and the relative error in float64.
REGIONS = [
    ("hyp0f1", mp.hyp0f1, [_spread(0.01, 50), _spread(0.01, 100, BOTH)], 2e-14),
    ("hyp0f1", mp.hyp0f1, [_between(-20, 20), _spread(0.01, 100, BOTH)], 1e-12),
    ("hyp0f1", mp.hyp0f1, [_spread(0.1, 100), _spread(100, 1e5, BOTH)], 1e-12),
    ("hyp0f1", mp.hyp0f1, [_between(-10, 30), _complex(0.01, 100)], 1e-13),
    ("hyp0f1", mp.hyp0f1, [_between(-5, 5), _complex(1e3, 9e4)], 1e-12),
    ("hyp1f1", mp.hyp1f1, [_spread(0.01, 20), _spread(0.01, 20), _spread(0.01, 30, BOTH)], 1e-13),
    ("hyp1f1", mp.hyp1f1, [_between(-20, 20), _between(-20, 20), _spread(0.01, 30, BOTH)], 1e-12),
    ("hyp1f1", mp.hyp1f1, [_between(-5, 5), _spread(0.1, 20), _spread(30, 700, BOTH)], 1e-12),
    ("hyp1f1", mp.hyp1f1, [_spread(20, 200, BOTH), _spread(0.1, 100), _spread(0.1, 100, BOTH)], 1e-11),
    ("hyp1f1", mp.hyp1f1, [_whole(-40, 0), _spread(0.1, 20), _spread(0.1, 100, BOTH)], 1e-12),
    ("hyp1f1", mp.hyp1f1, [_between(-5, 5), _between(0.1, 5), _complex(0.01, 30)], 1e-12),
    ("hyp1f1", mp.hyp1f1, [_between(-5, 5), _between(0.1, 5), _complex(30, 300)], 1e-10),
    ("hyp2f1", mp.hyp2f1, [*[_between(0.1, 5)] * 3, _between(-1, 0.9)], 2e-14),
    ("hyp2f1", mp.hyp2f1, [*[_between(-5, 5)] * 3, _between(-1, 1)], 1e-12),
    ("hyp2f1", mp.hyp2f1, [*[_between(0.1, 5)] * 3, _below_one], 2e-13),
    ("hyp2f1", mp.hyp2f1, [*[_between(-5, 5)] * 2, _between(0.1, 5), _spread(1, 1e6, (-1,))], 4e-13),
    ("hyp2f1", mp.hyp2f1, [*[_between(-50, 50)] * 2, _between(0.1, 50), _between(-2, 0.95)], 2e-12),
    ("hyp2f1", mp.hyp2f1, [*[_whole(1, 6)] * 2, _whole(1, 9), _between(0.5, 1)], 2e-14),
    ("hyp2f1", mp.hyp2f1, [*[_between(-5, 5)] * 2, _between(0.1, 5), _complex(0.01, 3)], 1e-11),
    ("hyp2f1", mp.hyp2f1, [*[_between(-5, 5)] * 2, _between(0.1, 5), _complex(1e-4, 0.3, 1.0)], 1e-11),
    ("hyp2f1", mp.hyp2f1, [*[_whole(1, 6)] * 2, _whole(1, 9), _complex(0.1, 10)], 1e-13),
    ("hyperu", mp.hyperu, [_spread(0.01, 20), _between(-5, 5), _spread(0.01, 30)], 1e-13),
    ("hyperu", mp.hyperu, [_between(-10, 5), _between(-5, 5), _spread(0.1, 30)], 1e-10),
    ("hyperu", mp.hyperu, [_between(-5, 5), _between(5, 20), _spread(0.01, 3)], 2e-12),
    ("hyperu", mp.hyperu, [_between(-5, 5), _between(-5, 5), _spread(30, 1e4)], 1e-13),
    ("lpmv", _legendre, [_whole(0, 5), _between(0, 10), _between(-0.99, 1)], 1e-12),
    ("lpmv", _legendre, [_whole(-5, 0), _between(0, 10), _between(-0.99, 1)], 1e-12),
    ("lpmv", _legendre, [_whole(0, 3), _between(20, 80), _between(-0.9, 1)], 1e-12),
    ("eval_jacobi", _jacobi, [_between(-3, 20), *[_between(-0.9, 5)] * 2, _between(-0.99, 1)], 1e-11),
    ("eval_jacobi", _jacobi, [_between(-3, 20), *[_between(-0.9, 5)] * 2, _complex(0.01, 2)], 1e-11),
    ("eval_gegenbauer", _gegenbauer, [_between(-0.1, 8), _between(0.1, 5), _between(-0.99, 1)], 1e-11),
    ("eval_gegenbauer", _gegenbauer, [_between(-0.1, 8), _between(0.1, 5), _complex(0.01, 2)], 1e-11),
    ("eval_legendre", mp.legendre, [_between(-3, 20), _between(-0.99, 3)], 1e-11),
    ("eval_legendre", mp.legendre, [_between(-3, 20), _complex(0.01, 2)], 1e-11),
    ("eval_genlaguerre", _laguerre, [_between(-3, 20), _between(-0.9, 5), _between(0, 30)], 1e-11),
    ("eval_genlaguerre", _laguerre, [_between(-3, 20), _between(-0.9, 5), _complex(0.01, 10)], 1e-11),
]


def _exact(function, points):
    def number(value):
        return mp.mpc(value) if isinstance(value, complex) else mp.mpf(value)

    with mp.workdps(40):
        values = [complex(function(*map(number, point))) for point in zip(*(p.tolist() for p in points), strict=True)]
    return np.array(values)


@pytest.mark.parametrize("row", range(len(REGIONS)), ids=lambda row: f"{REGIONS[row][0]}-{row}")
def test_accuracy(row):
    name, function, draws, bound = REGIONS[row]
    random = np.random.default_rng(row)
    points = [draw(random) for draw in draws]
    function = function if function in (_legendre, _jacobi, _gegenbauer, _laguerre, mp.hyperu) else _terms(function)
    exact = _exact(function, points)
    found = getattr(cp.scipy.special, name)(*map(cp.asarray, points))
    assert found.dtype == points[-1].dtype
    error = np.abs(found.get() - exact)
    # Beside a zero the error counts relative to what cancels there.
    usual = np.abs(exact) > 1e-290
    error = (error / np.where(usual, np.abs(exact) + 1e-3 * min(1, np.median(np.abs(exact))), 1))[usual]
    assert error.max() < bound


NARROW = [
    ("hyp0f1", (1.5, 3.0)),
    ("hyp1f1", (0.5, 1.5, 3.0)),
    ("hyp2f1", (0.5, 1.5, 2.25, -0.75)),
    ("hyperu", (0.5, 1.5, 3.0)),
    ("lpmv", (1.0, 2.5, 0.25)),
    ("eval_legendre", (2.5, 0.25)),
    ("eval_laguerre", (2.5, 0.25)),
    ("eval_genlaguerre", (2.5, 0.5, 0.25)),
    ("eval_gegenbauer", (2.5, 0.5, 0.25)),
    ("eval_jacobi", (2.5, 0.5, 1.5, 0.25)),
    ("eval_sh_jacobi", (2.5, 3.5, 1.5, 0.25)),
    ("eval_sh_legendre", (2.5, 0.25)),
]


@pytest.mark.parametrize(("name", "point"), NARROW)
def test_loops(name, point):
    ours, scipys = getattr(cp.scipy.special, name), getattr(special, name)
    expected = scipys(*point)
    types = ["f4", "f8"] + (["c8", "c16"] if any(loop[-1] == "D" for loop in scipys.types) else [])
    for dtype in types:
        *parameters, z = point
        real = "f4" if dtype in ("f4", "c8") else "f8"
        arguments = [np.full(3, value, real) for value in parameters] + [np.full(3, z, dtype)]
        found = ours(*map(cp.asarray, arguments))
        assert found.dtype == scipys(*arguments).dtype
        # Every value is exact in float32; results are rounded once.
        np.testing.assert_allclose(found.get(), expected, rtol=np.finfo(real).eps if real == "f4" else 4e-14)
    found = 2 * ours(*[cp.asarray(np.full((2, 6), value))[::-1, ::2] for value in point]) + 1
    np.testing.assert_allclose(found.get(), np.full((2, 3), 2 * expected + 1), rtol=1e-13)
    assert ours(*[cp.zeros((0, 2))] * len(point)).shape == (0, 2)


INF, NAN = np.inf, np.nan
SPECIAL = {
    "hyp0f1": [(0, 1), (-1, 1), (0, 0), (1, INF), (NAN, 1), (1.5, NAN), (INF, 1.0), (2, 0), (2, 0j), (0, 1j)],
    "hyp1f1": [
        *[(1, 0, 1), (-1, -2, 1), (-2, -2, 1), (-3, -2, 1), (1, -2, 0), (1, 2, INF), (1, 2, -INF)],
        *[(NAN, 1, 1), (0, 0, 1.0), (0, 0, 0), (1, INF, 1), (0, 2, 5.0), (1, 2, 0j), (-3, -2, 1j), (1, 2, 800.0)],
        *[(1, 2, -1e5), (3, 3, 2), (5, 2, -3)],
    ],
    "hyp2f1": [
        *[(1, 2, 0, 0.5), (-1, 2, -2, 0.5), (-2, 2, -2, 0.5), (-3, 2, -2, 0.5), (0, 1, -2, 0.5), (1, 2, 3, 1)],
        *[(1, 1, 3, 1), (1, 2, 3, 1.5), (-2, 2, 3, 1.5), (1, 1.5, -2, 0), (1, 2, 3, -1e300), (1, 2, 3, -INF)],
        *[(NAN, 1, 1, 0.5), (1, 2, 3, INF), (2.5, 1.5, 0.5, 2), (1, 1, 1, 1), (0.5, 0.5, -0.5, 1), (5, 2, 3, 2)],
        *[(-1, -1, -1, 0.5), (2, 3, 3, 2), (1, 2, 0, 0.5 + 0j), (1, 1, 3, 1 + 0j), (1, 2, 3.5, 1.5 + 0j)],
        *[(1, 2, 3.5, complex(1.5, -0.0)), (-2, 2, 3, 1.5 + 0j), (0, 1, -2, 0.5j), (-2, 2, -2, 0.5j)],
        *[(1, 1, 2, 0.999999999), (1, 2, 2, -3.0), (1, -1, 3, -2e10), (2, 3, 4, 1 - 2**-53)],
    ],
    "hyperu": [
        *[(1, 2, 0), (1, 0.5, 0), (1, 1, 0), (1, 2, -1), (1, 2, INF), (0, 2, 3), (-2, 2, 3), (-1, 2, INF), (-2, -3, 0)],
        *[(NAN, 1, 1), (2, 3, 0), (-1.5, 0.3, 0), (0, 5, 0), (1, 1, 1e-300), (1e-10, 2, 1), (3, 4, 1e300)],
    ],
    "lpmv": [
        *[(0, 2, -1), (1, 1.5, 1), (0, 0.5, 1), (0.5, 1, 0.3), (-1, 2.5, 0.3), (2, 1, 0.3), (2, -1.5, 0.3)],
        *[
            (1, 2, -1),
            (2, 1.5, -1),
            (NAN, 1, 0.1),
            (1, -3, 0.2),
            (1, 0, 0.2),
            (0, -1, 0.3),
            (3, -2, 0.5),
            (-2, -3, 0.4),
        ],
        *[(1, 3, -0.4), (2, 3, -0.4), (-1, 3, -0.4)],
    ],
    "eval_legendre": [(-2.0, 0.3), (-1.5, 0.3), (2.5, 1), (2.5, 3), (-3.0, 2), (2.0, 0.5), (0.0, 0.5)],
    "eval_laguerre": [(-2.0, 0.3), (-1.5, 0.3), (2.5, -1), (2.0, 3)],
    "eval_genlaguerre": [(-2.0, 0.5, 0.3), (-1.5, 0.5, 0.3), (2.5, -1, 0.3), (2.5, -1.5, 0.3)],
    "eval_gegenbauer": [(-2.0, 0.5, 0.3), (-1.5, 0.5, 0.3), (2.5, 0, 0.3), (2.0, 0.5, 0.3), (-2, 0.5, 0.3)],
    "eval_jacobi": [(-2.0, 0.5, 0.2, 0.3), (-1.5, 0.5, 0.2, 0.3), (2.5, 0.5, 0.2, 3)],
}


@pytest.mark.parametrize("name", SPECIAL)
def test_special_values(name):
    for point in SPECIAL[name]:
        found = getattr(cp.scipy.special, name)(*point).item()
        with np.errstate(all="ignore"):
            expected = getattr(special, name)(*point).item()
        np.testing.assert_allclose(found, expected, rtol=1e-12, err_msg=str(point))


def test_ends_of_the_cut():
    """At -1 the sign is that of -sin(pi v), DLMF 14.8.2, of which SciPy takes no notice."""
    v = np.array([0.5, 1.5, 2.5, -0.5])
    expected = np.array([-INF, INF, -INF, INF])
    np.testing.assert_array_equal(cp.scipy.special.lpmv(0, cp.asarray(v), -1.0).get(), expected)
    np.testing.assert_array_equal(cp.scipy.special.eval_legendre(cp.asarray(v), -1.0).get(), expected)
    # Beyond the degree SciPy has no function of negative order.
    found = cp.scipy.special.lpmv(-3, 1.0, 0.3).item()
    np.testing.assert_allclose(found, float(_legendre(-3, mp.mpf(1), mp.mpf(0.3))), rtol=1e-14)


def _whole_legendre(m, v, x):
    """By the polynomial of DLMF 14.3.1 around the nearer end, or around 1 where there is no symmetry."""
    degree, order = (-v - 1 if v < 0 else v), abs(m)
    if m > degree:
        return mp.mpf(0)
    mirrored = x < 0 and order <= degree
    with mp.workdps(400):
        t = abs(mp.mpf(x)) if mirrored else mp.mpf(x)
        if t == -1:
            return mp.inf
        factor = -1 if mirrored and (degree + order) % 2 else 1
        if m > 0:
            factor *= (-1) ** m * mp.factorial(degree + m) / mp.factorial(degree - m)
        term = total = mp.mpf(1)
        for k in range(degree):
            term = term * (k - degree) * (degree + 1 + k) * (1 - t) / (2 * (order + 1 + k) * (k + 1))
            total += term
        return factor * ((1 - t) / (1 + t)) ** (mp.mpf(order) / 2) * total / mp.factorial(order)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_whole_legendre_functions(dtype):
    """Both signs of the order below, at and beyond the degree, reflected degrees, and both halves of the cut."""
    ends = [-1, np.nextafter(dtype(-1), dtype(0)), np.nextafter(dtype(1), dtype(0)), 1]
    x = np.array([*ends, -0.97, -0.5, -1e-5, -1e-30, -0.0, 0.0, 1e-30, 1e-5, 0.5, 0.97], dtype)
    limits = np.finfo(dtype)
    for v in (0, 1, 4, 7, 12, 40, -1, -2, -6, -13):
        degree = -v - 1 if v < 0 else v
        orders = sorted({sign * m for sign in (1, -1) for m in (0, 1, 5, 11, degree, degree + 1, degree + 2, 50)})
        found = cp.scipy.special.lpmv(cp.asarray(orders, dtype)[:, None], dtype(v), cp.asarray(x)).get()
        assert found.dtype == dtype
        for m, row in zip(orders, found, strict=True):
            for point, value in zip(x, row, strict=True):
                exact = _whole_legendre(m, v, float(point))
                if abs(exact) > limits.max:
                    assert value == np.copysign(np.inf, float(mp.sign(exact))), (m, v, point)
                else:
                    error = abs(mp.mpf(float(value)) - exact)
                    assert error <= 100 * limits.eps * abs(exact) + limits.tiny, (m, v, point, value)


@pytest.mark.parametrize(
    ("m", "v", "x", "exact"),
    [
        # DLMF 14.5.2 and 14.9.3: beyond the degree there is no symmetry.
        (-5, 4, -1e-300, 0.0010582010582010583),
        (-1, 0, -0.6, 2.0),
        (-1, -1, -0.6, 2.0),
        (-2, 1, -0.6, 0.9333333333333333),
        (-1, 0, -1.0, np.inf),
        # At -1 a negative order has the sign of the order times that of the degree.
        (-1, 1.5, -1.0, -np.inf),
        (-1, 0.5, -1.0, np.inf),
        (1, 0.5, -1.0, -np.inf),
        (3, 1.5, -1.0, np.inf),
        (1, 0, -1.0, 0.0),
        # The function of negative order is below all numbers.
        (80, 80, 0.999999, 5.9912853746137555e-87),
        (79, 80, 1e-300, -5.449151280716251e-159),
        (80, 80, np.nextafter(1.0, 0.0), 0.0),
        (9, 60, 1e-300, 6.482267795675151e-284),
        # What it is multiplied by is beyond all numbers.
        (90, 90, 0.5, 2.606710958197306e158),
        (143, -162, -0.17159144464532972, 1.892447221535645e303),
    ],
)
def test_legendre_functions_beyond_the_degree(m, v, x, exact):
    found = cp.scipy.special.lpmv(m, cp.asarray(float(v)), x).item()
    assert found == pytest.approx(exact, rel=2e-13, abs=0.0)


HARD = {
    "0F1": ("hyp0f1", [_between(-500, -20), _spread(1, 1e4, BOTH)]),
    "0F1, complex": ("hyp0f1", [_between(-200, -20), _complex(10, 1e4)]),
    "1F1": ("hyp1f1", [_spread(0.1, 100, BOTH), _spread(0.1, 100, (-1,)), _spread(0.1, 100, BOTH)]),
    "2F1": ("hyp2f1", [*[_spread(0.1, 60, BOTH)] * 2, _spread(10, 90, (-1,)), _between(-3, 1)]),
    "2F1, complex": ("hyp2f1", [*[_between(-30, 30)] * 2, _between(-30, 30), _complex(1, 5)]),
}


@pytest.mark.parametrize("region", HARD)
def test_no_digits_give_no_value(region):
    """Where another solution of the equation may have taken over, the result is nan, never another number."""
    name, draws = HARD[region]
    random = np.random.default_rng(7)
    points = [draw(random) for draw in draws]
    found = getattr(cp.scipy.special, name)(*map(cp.asarray, points)).get()
    exact = _exact(_terms(getattr(mp, name)), points)
    known = ~np.isnan(found) & (np.abs(exact) < 1e300)
    assert known.mean() > 0.7
    assert (np.abs(found - exact) / np.abs(exact))[known].max() < 1e-5


def test_shorter_polynomials():
    """Where U(a, b, x) and Kummer's transformation of it both are polynomials."""
    points = [[-9.0, -6.0, -10.0], [-8.0, -5.0, -8.0], [0.004, 0.002, 0.005]]
    with mp.workdps(30):
        exact = [float(mp.hyperu(*map(mp.mpf, point))) for point in zip(*points, strict=True)]
    np.testing.assert_allclose(cp.scipy.special.hyperu(*map(cp.asarray, points)).get(), exact, rtol=1e-14)
