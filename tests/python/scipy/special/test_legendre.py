"""Legendre functions and spherical harmonics, beside SciPy and, where that is less precise, mpmath."""

import cuproxide as cp
import numpy as np
import pytest
from kept import kept
from versions import SCIPY_1_18

mp = pytest.importorskip("mpmath")
special = pytest.importorskip("scipy.special")
if not hasattr(special, "sph_harm_y_all"):
    pytest.skip("SciPy has no such functions yet", allow_module_level=True)
ours = cp.scipy.special
RNG = np.random.default_rng(20)
X = np.concatenate((RNG.uniform(-1, 1, 12), [0.0, 0.9999999, -0.9999999, 1 - 1e-12, 1e-9]))
Z = RNG.uniform(-2, 2, 12) + 1j * RNG.uniform(-2, 2, 12)
# Further out or on the cut, and with zeros that have signs.
Z = np.concatenate((Z, [1e3 + 1e2j, 0.5j, -3.0 - 1e-9j, complex(2.0, 0.0), complex(2.0, -0.0), complex(-2.0, -0.0)]))
ANGLES = np.concatenate((RNG.uniform(-4, 7, 12), [0.0, 1e-8, np.pi, np.pi / 2]))


def check(found, expected, tolerance=1e-12):
    """Equal to `tolerance`, or to that part of the largest value among the points: functions have zeros."""
    assert isinstance(found, cp.ndarray)
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    found = found.get()
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(np.isfinite(found), finite)
    np.testing.assert_array_equal(found[~finite], expected[~finite])
    size = np.max(np.abs(np.where(finite, expected, 0)), axis=-1, keepdims=True, initial=0)
    bound = tolerance * (np.abs(expected) + (size if tolerance < 1e-6 else 0) * 0.1)
    assert np.all((np.abs(found - expected) <= bound)[finite])


@pytest.mark.parametrize("diff", [0, 1, 2])
def test_polynomials(diff):
    n = np.array([0, 1, 2, 7, 50, 200])[:, None]
    check(ours.legendre_p(cp.asarray(n), cp.asarray(X), diff_n=diff), special.legendre_p(n, X, diff_n=diff))
    check(ours.legendre_p(4, cp.asarray(3 * X), diff_n=diff), special.legendre_p(4, 3 * X, diff_n=diff))
    for points in (X, Z):
        expected = special.legendre_p_all(9, points, diff_n=diff)
        check(ours.legendre_p_all(9, cp.asarray(points), diff_n=diff), expected)


@pytest.mark.parametrize("diff", [0, 1, 2])
@pytest.mark.parametrize("cut", [2, 3])
@pytest.mark.parametrize("norm", [False, True])
@pytest.mark.parametrize("points", [X, 3 * X, Z], ids=["inside", "outside", "complex"])
def test_associated(points, norm, cut, diff):
    options = {"norm": norm, "branch_cut": cut, "diff_n": diff}
    with np.errstate(all="ignore"):
        expected = special.assoc_legendre_p_all(6, 5, points, **options)
    # SciPy takes 1 - z**2, which loses digits near 1 where roots of it are taken.
    tolerance = 1e-12 if points is not X else 1e-3
    check(ours.assoc_legendre_p_all(6, 5, cp.asarray(points), **options), expected, tolerance)
    n, m = np.array([[0], [3], [6]]), np.array([-2, 0, 3])[:, None, None]
    with np.errstate(all="ignore"):
        expected = special.assoc_legendre_p(n, m, points, **options)
    found = ours.assoc_legendre_p(cp.asarray(n), cp.asarray(m), cp.asarray(points), **options)
    check(found, expected, tolerance)


@pytest.mark.parametrize("diff", [0, 1, 2])
def test_high_degrees(diff):
    n, m = 200, np.array([-200, -199, -100, -7, 0, 3, 50, 199, 200])[:, None]
    x = X[np.abs(X) < 0.99]
    expected = special.assoc_legendre_p(n, m, x, norm=True, diff_n=diff)
    check(ours.assoc_legendre_p(n, cp.asarray(m), cp.asarray(x), norm=True, diff_n=diff), expected, 1e-10)
    expected = special.sph_legendre_p(n, m, ANGLES, diff_n=diff)
    check(ours.sph_legendre_p(n, cp.asarray(m), cp.asarray(ANGLES), diff_n=diff), expected, 1e-10)


@pytest.mark.parametrize("diff", [0, 1, 2])
def test_harmonics(diff):
    angles, azimuth = cp.asarray(ANGLES), RNG.uniform(-5, 5, (3, 1))
    check(ours.sph_legendre_p_all(6, 5, angles, diff_n=diff), special.sph_legendre_p_all(6, 5, ANGLES, diff_n=diff))
    n = np.array([0, 2, 9])[:, None, None]
    for found, expected in (
        (
            ours.sph_harm_y_all(6, -5, angles, cp.asarray(azimuth), diff_n=diff),
            special.sph_harm_y_all(6, -5, ANGLES, azimuth, diff_n=diff),
        ),
        (
            ours.sph_harm_y(cp.asarray(n), -1, angles, cp.asarray(azimuth), diff_n=diff),
            special.sph_harm_y(n, -1, ANGLES, azimuth, diff_n=diff),
        ),
    ):
        assert isinstance(found, tuple) == (diff > 0)
        for mine, theirs in zip(found, expected, strict=True) if diff else [(found, expected)]:
            check(mine, theirs)


def exact(n, m, z, kind, norm, diff):
    """By the coefficients of the polynomial's derivative, with as many digits as cancel."""
    order = abs(m)
    with mp.workdps(60 + n):
        z = mp.mpmathify(z)
        factor = mp.sqrt(mp.mpf(2 * n + 1) * mp.factorial(n - m) / (2 * mp.factorial(n + m))) if norm else mp.mpf(1)
        if m < 0:
            factor *= mp.factorial(n - order) / mp.factorial(n + order) * (-1 if kind == 2 and m % 2 else 1)
        if kind == 2 and m % 2:
            factor = -factor
        terms = [
            ((-1) ** j * mp.binomial(n, j) * mp.binomial(2 * n - 2 * j, n) * mp.ff(n - 2 * j, order), n - 2 * j - order)
            for j in range((n - order) // 2 + 1)
        ]

        def function(t):
            root = mp.sqrt(1 - t * t) if kind == 2 else mp.sqrt(t - 1) * mp.sqrt(t + 1)
            return factor * root**order * mp.fsum(c * t**power for c, power in terms) / mp.mpf(2) ** n

        return complex(function(z) if diff == 0 else mp.diff(function, z, diff, h=mp.mpf(10) ** -25))


@pytest.mark.parametrize("norm", [False, True])
@pytest.mark.parametrize(
    ("kind", "points"), [(2, [0.3, -0.77, 0.999999, -0.9999999999]), (3, [1.0001, 7.5]), (3, [0.4 + 1.3j, -2.0 + 0.1j])]
)
def test_associated_beside_mpmath(kind, points, norm):
    degrees = [(0, 0), (1, 1), (4, -3), (9, 2), (40, 40), (60, -11)]
    for n, m in degrees:
        found = ours.assoc_legendre_p(n, m, cp.asarray(points), branch_cut=kind, norm=norm, diff_n=2).get()
        for d in range(3):
            expected = np.array([exact(n, m, point, kind, norm, d) for point in points])
            np.testing.assert_allclose(found[d], expected, rtol=3e-12, atol=0)


def test_large_orders_do_not_vanish_between():
    # The sine to the 600th power is below all numbers; the function is not.
    found = float(ours.assoc_legendre_p(1400, 600, 0.96, norm=True)[0])
    np.testing.assert_allclose(found, exact(1400, 600, 0.96, 2, True, 0).real, rtol=1e-11)


@pytest.mark.parametrize("norm", [False, True])
def test_ends(norm):
    """At -1 and 1: the limits, by polynomials for even orders, and infinities for order 1 and 3."""
    for m in (-4, -2, 0, 2, 4):
        found = ours.assoc_legendre_p(6, m, cp.asarray([-1.0, 1.0]), norm=norm, diff_n=2).get()
        near = [[exact(6, m, sign * (1 - mp.mpf(10) ** -18), 2, norm, d).real for sign in (-1, 1)] for d in range(3)]
        np.testing.assert_allclose(found, near, rtol=1e-12, atol=1e-12)
    found = ours.assoc_legendre_p(4, cp.asarray([[1], [-1], [3], [5]]), cp.asarray([-1.0, 1.0]), diff_n=2).get()
    np.testing.assert_array_equal(found[0], 0.0)
    np.testing.assert_array_equal(found[1], [[np.inf, np.inf], [-np.inf, -np.inf], [0, 0], [0, 0]])
    assert np.isinf(found[2, :3]).all()
    np.testing.assert_array_equal(found[2, 3], 0.0)


def test_not_finite():
    points = np.array([np.nan, 1.0, -1.0])
    for diff in (0, 1, 2):
        with np.errstate(all="ignore"):
            expected = special.legendre_p_all(3, points, diff_n=diff)
        np.testing.assert_array_equal(ours.legendre_p_all(3, cp.asarray(points), diff_n=diff).get(), expected)
    assert np.isnan(ours.legendre_p(-1, 0.5).get()).all()
    assert (ours.assoc_legendre_p(2, cp.asarray([3, -3]), 0.5, diff_n=2).get() == 0).all()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.complex64, np.complex128, np.int32, np.bool_])
def test_types_and_layouts(dtype):
    if SCIPY_1_18 and np.dtype(dtype).itemsize < 16 and dtype not in (np.float64, np.int32):
        pytest.skip("this SciPy keeps single precision")
    points = np.array([[0.5, -0.25, 1], [0, 1, 0.75]]).astype(dtype)[:, ::-2]
    device = cp.asarray(np.array(points))
    for shape in ((2, 2), (0, 2), ()):
        some, mine = (points, device) if shape == (2, 2) else (np.zeros(shape, dtype), cp.zeros(shape, dtype))
        calls = [("legendre_p_all", (3,)), ("assoc_legendre_p", (3, 1)), ("assoc_legendre_p_all", (3, 2))]
        if np.dtype(dtype).kind != "c":
            calls += [("legendre_p", (3,)), ("sph_legendre_p", (3, 1)), ("sph_legendre_p_all", (3, 2))]
            for name in ("sph_harm_y", "sph_harm_y_all"):
                found, expected = getattr(ours, name)(2, 1, mine, mine), getattr(special, name)(2, 1, some, some)
                assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
                np.testing.assert_allclose(found.get(), expected, rtol=1e-6, atol=1e-7)
        for name, limits in calls:
            found, expected = getattr(ours, name)(*limits, mine), getattr(special, name)(*limits, some)
            assert (found.dtype, found.shape) == (expected.dtype, expected.shape), name
            np.testing.assert_allclose(found.get(), expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(
    ("name", "args", "options"),
    [
        ("legendre_p", (2.0, 0.5), {}),
        ("legendre_p", (2, 0.5j), {}),
        ("legendre_p", (2, 0.5), {"diff_n": 3}),
        ("legendre_p", (2, 0.5), {"diff_n": 1.0}),
        ("legendre_p_all", (-1, 0.5), {}),
        ("legendre_p_all", (2.5, 0.5), {}),
        ("legendre_p_all", (2, 0.5), {"diff_n": 3}),
        ("assoc_legendre_p", (2, 1.0, 0.5), {}),
        ("assoc_legendre_p", (2, 1, 0.5), {"branch_cut": 2.5}),
        ("assoc_legendre_p_all", (2, -1, 0.5), {}),
        ("assoc_legendre_p_all", (2, 1, 0.5), {"diff_n": -1}),
        ("sph_legendre_p", (2, 1, 0.5j), {}),
        ("sph_legendre_p_all", (2, 1.0, 0.5), {}),
        ("sph_harm_y", (2, 1, 0.5, 0.5j), {}),
        ("sph_harm_y_all", (-2, 1, 0.5, 0.5), {}),
        ("lqn", (-1, 0.5), {}),
        ("lqn", (1.5, 0.5), {}),
        ("lqn", ([1], 0.5), {}),
        ("lqmn", (-1, 2, 0.5), {}),
        ("lqmn", (1, [2], 0.5), {}),
    ],
)
def test_errors(name, args, options):
    with pytest.raises(Exception) as theirs:  # noqa: PT011
        getattr(special, name)(*args, **options)
    kind = next(kind for kind in (NotImplementedError, TypeError, ValueError) if isinstance(theirs.value, kind))
    with pytest.raises(kind):
        getattr(ours, name)(*args, **options)


def test_second_kind_beside_scipy():
    # SciPy takes the logarithm of a quotient, which loses digits near 0.
    for points in (X[:-1], np.concatenate((Z[:12], [0.5j, 1 + 0j])), np.array([1.5, -3.0, 1.0]), np.float32(0.25)):
        mine = cp.asarray(points)
        for found, expected in zip(ours.lqmn(4, 6, mine), special.lqmn(4, 6, points), strict=True):
            assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
            # SciPy computes functions of float32 in that.
            np.testing.assert_allclose(found.get(), expected, rtol=1e-5 if points.dtype == np.float32 else 1e-9)
        for found, expected in zip(ours.lqn(6, mine), ours.lqmn(0, 6, mine), strict=True):
            np.testing.assert_array_equal(found.get(), expected[0].get())


@kept()
def second_kind(m, n, point):
    """A function of the second kind and its slope."""
    outer = abs(point) > 1
    with mp.workdps(50):
        z = mp.mpmathify(point)
        # To the left the root of odd orders is the other one.
        sign = -1 if outer and m % 2 and mp.re(z) < 0 else 1
        # For degrees below the order mpmath needs one that is not quite whole.
        degree = n if n >= m else n + mp.mpf(10) ** -30

        def function(t):
            value = mp.legenq(degree, m, t, type=3 if outer else 2)
            return sign * (mp.re(value) if isinstance(point, float) else value)

        return function(z), mp.diff(function, z, h=mp.mpf(10) ** -20)


@pytest.mark.parametrize("point", [1 + 1e-9, 1.0001, 1.2, -1.01, 30.0, 0.3, 0.2 + 0.9j, 1.3 - 0.01j, -4.0 + 2.0j])
def test_second_kind_beside_mpmath(point):
    functions, derivatives = (values.get() for values in ours.lqmn(3, 60, point))
    for m, n in ((0, 0), (0, 20), (1, 1), (1, 60), (2, 5), (3, 1)):
        value, slope = second_kind(m, n, point)
        np.testing.assert_allclose(functions[m, n], complex(value), rtol=1e-11)
        np.testing.assert_allclose(derivatives[m, n], complex(slope), rtol=1e-11)
