"""Splines of two variables beside FITPACK's."""

import itertools

import cuproxide as cp
import cuproxide.scipy.interpolate as ours
import numpy as np
import pytest
import scipy.interpolate as theirs
from effort import sample
from interpolants import near, outcome, rising
from versions import SCIPY_1_18

pytestmark = pytest.mark.filterwarnings("ignore")
other_knots = pytest.mark.skipif(SCIPY_1_18, reason="this SciPy's FITPACK is new code, which ends boxes elsewhere")


def same_surface(a, b, degrees, tolerance=1e-6):
    for one, other in zip(a.tck, b.tck, strict=True):
        near(one, other, tolerance)
    assert a.get_residual() == pytest.approx(b.get_residual(), rel=1e-5, abs=1e-9)
    x, y = (np.linspace(t[0] - 1, t[-1] + 1, n) for t, n in zip(b.get_knots(), (7, 5), strict=True))
    near(a(x, y), b(x, y), tolerance)
    near(a.ev(x[:5], y), b.ev(x[:5], y), tolerance)
    near(a.integral(x[1], x[4], y[0], y[3]), b.integral(x[1], x[4], y[0], y[3]), tolerance, dtype=False)
    for dx, dy in ((1, 0), (0, 1), (1, 1)):
        if dx < degrees[0] and dy < degrees[1]:
            near(a(x, y, dx, dy), b(x, y, dx, dy), tolerance * 100)
            near(a.ev(x[:5], y, dx, dy), b.ev(x[:5], y, dx, dy), tolerance * 100)
            near(a.partial_derivative(dx, dy)(x, y), b.partial_derivative(dx, dy)(x, y), tolerance * 100)


DEGREES = [(3, 3), (1, 2), (5, 3), (2, 2)]


@pytest.mark.parametrize(("degrees", "s"), list(itertools.product(DEGREES, [0, 3.0, 20.0, 500.0])))
def test_rectangles(degrees, s):
    random = np.random.default_rng(0)
    x, y = rising(random, 18), rising(random, 21)
    z = np.sin(x)[:, None] * np.cos(y) + 0.1 * random.normal(size=(18, 21))
    a, b = (library.RectBivariateSpline(x, y, z, kx=degrees[0], ky=degrees[1], s=s) for library in (ours, theirs))
    same_surface(a, b, degrees)


def test_rectangle_with_a_wider_base():
    random = np.random.default_rng(1)
    x, y, z = np.arange(7.0), np.arange(6.0), random.normal(size=(7, 6))
    a, b = (library.RectBivariateSpline(x, y, z, bbox=[-1, 8, None, 7]) for library in (ours, theirs))
    same_surface(a, b, (3, 3))


def scattered(count):
    random = np.random.default_rng(count)
    x, y = random.random(count) * 3, random.random(count) * 2
    return x, y, np.sin(2 * x) * np.cos(y) + 0.05 * random.normal(size=count), 1 + random.random(count)


@other_knots
@pytest.mark.parametrize(("degrees", "s"), sample(itertools.product(DEGREES, [None, 0.2, 0.6, 1.0, 1e-3]), 12))
def test_scattered_points(degrees, s):
    x, y, z, w = scattered(90)
    a, b = (library.SmoothBivariateSpline(x, y, z, w, kx=degrees[0], ky=degrees[1], s=s) for library in (ours, theirs))
    same_surface(a, b, degrees)


@other_knots
@pytest.mark.parametrize("degrees", DEGREES)
def test_fixed_knots(degrees):
    x, y, z, w = scattered(150)
    kx, ky = degrees
    a, b = (library.LSQBivariateSpline(x, y, z, [1, 2], [1.0], w, kx=kx, ky=ky) for library in (ours, theirs))
    same_surface(a, b, degrees)
    options = {"w": 10 * w, "kx": kx, "ky": ky, "full_output": 1}
    a, b = (library.bisplrep(x, y, z, **options) for library in (ours, theirs))
    assert a[2:] == b[2:] and a[1] == pytest.approx(b[1], rel=1e-5)
    near(a[0][2], b[0][2], 1e-6)
    points = np.linspace(0, 3, 5)
    for at in ((points, points / 2), (points, 1.0), (1.0, points), (1.0, 1.0)):
        near(ours.bisplev(*at, a[0]), theirs.bisplev(*at, b[0]), 1e-6)
        if kx > 1:
            near(ours.bisplev(*at, a[0], dx=1), theirs.bisplev(*at, b[0], dx=1), 1e-4)


def on_sphere(count):
    random = np.random.default_rng(count)
    theta, phi = np.arccos(random.uniform(-1, 1, count)), random.random(count) * 2 * np.pi
    r = np.sin(theta) * np.cos(phi) + np.cos(theta) ** 2 + 0.1 * random.normal(size=count)
    return theta, phi, r, 0.5 + random.random(count)


def same_sphere(a, b, tolerance):
    for one, other in zip(a.tck, b.tck, strict=True):
        near(one, other, tolerance)
    assert a.get_residual() == pytest.approx(b.get_residual(), rel=1e-4)
    angles = np.linspace(0, 3.1, 9)
    near(a(angles, 2 * angles), b(angles, 2 * angles), tolerance)
    near(a.ev(angles, angles[::-1], 1, 1), b.ev(angles, angles[::-1], 1, 1), 100 * tolerance)


@pytest.mark.parametrize("knots", [([1.0, 2], [1.5, 3, 4.5]), ([0.7, 1.5, 2.2], [1, 2, 3, 4, 5.0]), ([1.5], [3.0])])
def test_fixed_knots_on_a_sphere(knots):
    theta, phi, r, w = on_sphere(150)
    same_sphere(*(library.LSQSphereBivariateSpline(theta, phi, r, *knots, w) for library in (ours, theirs)), 1e-9)


@other_knots
@pytest.mark.parametrize("s", [225.0, 3.0, 1.8, 1.2])
def test_smoothing_on_a_sphere(s):
    theta, phi, r, w = on_sphere(150)
    same_sphere(*(library.SmoothSphereBivariateSpline(theta, phi, r, w, s=s) for library in (ours, theirs)), 1e-4)


X, ONES = np.arange(6.0), np.ones((6, 6))
REFUSED = {
    "order": lambda m: m.RectBivariateSpline(X[::-1], X, ONES),
    "shape": lambda m: m.RectBivariateSpline(X, X, ONES[:, :5]),
    "s": lambda m: m.RectBivariateSpline(X, X, ONES, s=-1.0),
    "box": lambda m: m.RectBivariateSpline(X, X, ONES, bbox=[1, 2]),
    "points": lambda m: m.RectBivariateSpline(X, X, ONES)([2, 1], [1, 2]),
    "derivative": lambda m: m.RectBivariateSpline(X, X, ONES)([1], [1, 2], dx=3),
    "partial": lambda m: m.RectBivariateSpline(X, X, ONES).partial_derivative(3, 0),
    "few": lambda m: m.SmoothBivariateSpline(X, X, X),
    "length": lambda m: m.SmoothBivariateSpline(X, X, X[:3]),
    "eps": lambda m: m.SmoothBivariateSpline(X, X, X, eps=2.0),
    "bisplrep few": lambda m: m.bisplrep(X, X, X),
    "bisplrep length": lambda m: m.bisplrep(X, X, X[:2]),
    "bisplrep task": lambda m: m.bisplrep(X, X, X, task=-1),
    "bisplev order": lambda m: m.bisplev([1], [2], ([1], [1], [1], 1, 1), dx=3),
    "theta": lambda m: m.SmoothSphereBivariateSpline(X, X, X),
    "phi": lambda m: m.SmoothSphereBivariateSpline(X / 6, X + 5, X),
    "sphere s": lambda m: m.SmoothSphereBivariateSpline(X / 6, X, X, s=-1.0),
    "sphere eps": lambda m: m.LSQSphereBivariateSpline(X / 6, X, X, [1.0], [1.0], eps=1.0),
    "sphere weights": lambda m: m.LSQSphereBivariateSpline(X / 6, X, X, [1.0], [1.0], -X),
    "sphere knots": lambda m: m.LSQSphereBivariateSpline(X / 6, X, X, [7.0], [1.0]),
    "derived residual": lambda m: m.RectBivariateSpline(X, X, ONES).partial_derivative(1, 0).get_residual(),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_refusals(call):
    assert outcome(call, ours, 12) == outcome(call, theirs, 12) != ("no error", "")


def grid_on_sphere(mu, mv, seed):
    """Angles, and values that are nearly those of a linear function."""
    random = np.random.default_rng(seed)
    u, v = np.sort(random.uniform(0.1, 3.0, mu)), np.sort(random.uniform(0, 6.2, mv))
    r = np.cos(u)[:, None] + np.sin(u)[:, None] * np.cos(v - 1) + 0.05 * random.normal(size=(mu, mv))
    return u, v, r


EXACT = {"pole_values": (1.0, -1.0), "pole_exact": True}
POLES = [
    {},
    {"pole_continuity": True},
    {"pole_continuity": (True, False)},
    {"pole_values": (1.0, -1.0)},
    {"pole_values": (1.0, None), "pole_exact": True},
    {"pole_continuity": True, **EXACT},
    {"pole_continuity": True, "pole_flat": True},
    {"pole_continuity": (False, True), "pole_values": 0.5, "pole_flat": (False, True)},
]


@pytest.mark.parametrize("poles", POLES)
def test_grid_on_sphere(poles):
    for seed, (mu, mv) in enumerate(((6, 8), (4, 5), (12, 16))):
        u, v, r = grid_on_sphere(mu, mv, seed)
        total = float((r**2).sum())
        for share in (0.0, 0.03, 0.3, 2.0):
            expected = theirs.RectSphereBivariateSpline(u, v, r, s=share * total, **poles)
            actual = ours.RectSphereBivariateSpline(*map(cp.asarray, (u, v, r)), s=share * total, **poles)
            assert actual.get_residual() < share * total * 1.0011 + 1e-12
            # SciPy's results depend on memory that nobody wrote, and are NaN at times.
            unknown = any(np.isnan(part).any() for part in expected.tck)
            if unknown or (share and poles.get("pole_continuity")):
                continue
            for one, other in zip(actual.tck, expected.tck, strict=True):
                np.testing.assert_allclose(one.get(), other, rtol=1e-6, atol=1e-6)
            theta, phi = np.linspace(0, np.pi, 7), np.linspace(v[0], 6.28, 9)
            for more in ({}, {"dtheta": 1}, {"dphi": 1}):
                one = actual(cp.asarray(theta), cp.asarray(phi), **more)
                np.testing.assert_allclose(one.get(), expected(theta, phi, **more), rtol=1e-5, atol=1e-5)
            np.testing.assert_allclose(actual.ev(1.0, 3.0).get(), expected.ev(1.0, 3.0), rtol=1e-6, atol=1e-6)


@pytest.mark.skipif(SCIPY_1_18, reason="FITPACK is new code there, and chooses other knots")
def test_grid_on_sphere_with_little_smoothing():
    u, v, r = grid_on_sphere(12, 16, 3)
    s = 1e-3 * float((r**2).sum())
    expected = theirs.RectSphereBivariateSpline(u, v, r, s=s)
    actual = ours.RectSphereBivariateSpline(*map(cp.asarray, (u, v, r)), s=s)
    # Both stop within a thousandth of `s`.
    assert abs(actual.get_residual() - s) < 1.1e-3 * s and abs(expected.get_residual() - s) < 1.1e-3 * s
    np.testing.assert_allclose(actual.get_knots()[0].get(), expected.get_knots()[0])


def test_grid_on_sphere_goes_around():
    """SciPy has the value at the nearest end for angles before the first one."""
    u, v = np.linspace(0.2, 2.9, 9), np.linspace(-np.pi, np.pi, 16, endpoint=False)
    r = np.sin(u)[:, None] * np.cos(v - 1)
    spline = ours.RectSphereBivariateSpline(*map(cp.asarray, (u, v, r)))
    phi = np.linspace(0, 2 * np.pi, 20)
    np.testing.assert_allclose(spline(1.2, cp.asarray(phi))[0].get(), np.sin(1.2) * np.cos(phi - 1), atol=2e-3)


def test_grid_on_sphere_errors():
    u, v, r = grid_on_sphere(6, 8, 0)
    for args, options in (
        ((u - 1, v, r), {}),
        ((u[::-1], v, r), {}),
        ((u, v[::-1], r), {}),
        ((u, v + 4, r), {}),
        ((u[1:], v, r), {}),
        ((u, v[1:], r), {}),
        ((u, v, r), {"s": -1.0}),
        ((u, v, r), {"pole_flat": True}),
        ((u[:3], v, r[:3]), {}),
        ((u, v[:3], r[:, :3]), {}),
    ):
        with pytest.raises(ValueError):
            theirs.RectSphereBivariateSpline(*args, **options)
        with pytest.raises(ValueError):
            ours.RectSphereBivariateSpline(*map(cp.asarray, args), **options)


@pytest.mark.parametrize("place", range(4))
def test_points_that_are_nan_have_no_surface(place):
    """NaN lies in no rectangle and between no angles, and no number comes from it."""
    rng = np.random.default_rng(3)
    data = [3 * rng.random(60), 6 * rng.random(60), rng.random(60), np.ones(60)]
    data[place][3] = np.nan
    x, y, z, w = map(cp.asarray, data)
    sphere = lambda: ours.SmoothSphereBivariateSpline(x, y, z, w=w, s=100.0)  # noqa: E731
    lsq_sphere = lambda: ours.LSQSphereBivariateSpline(x, y, z, [1.0, 2.0], [2.0, 4.0], w=w)  # noqa: E731
    makers = [
        lambda: ours.SmoothBivariateSpline(x, y, z, w=w),
        lambda: ours.LSQBivariateSpline(x, y, z, [1.5], [3.0], w=w),
    ]
    if place != 2:
        for make in (sphere, lsq_sphere):
            with pytest.raises(ValueError, match="should be"):
                make()
        with pytest.raises(ValueError, match="input data"):
            ours.bisplrep(x, y, z, w=w)
    if place == 3:
        for make in makers:
            with pytest.raises(ValueError, match="w should be positive"):
                make()
        return
    for make in makers:
        assert np.isnan(make()(1.0, 2.0).item())
