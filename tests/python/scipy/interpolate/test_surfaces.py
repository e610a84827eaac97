"""Splines of two variables beside FITPACK's."""

import itertools

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
