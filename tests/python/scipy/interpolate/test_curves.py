"""Interpolation of values along an axis: cubics, polynomials, fractions and `interp1d`."""

import itertools
import math

import cuproxide as cp
import cuproxide.scipy.interpolate as ours
import numpy as np
import pytest
import scipy.interpolate as theirs
from effort import sample
from interpolants import near, outcome, rising


def curve(count, axis, seed=0):
    random = np.random.default_rng([count, axis + 2, seed])
    shape = {0: (count,), 1: (2, count), -1: (3, 2, count)}[axis]
    x, y = rising(random, count, 0.2), random.normal(size=shape)
    if axis == 0 and count > 8:
        y[4:8] = 2.0
    points = np.concatenate([x, random.uniform(x[0] - 1, x[-1] + 1, 12 - count % 2), [np.nan]])
    return random, x, y, points.reshape(-1, 2) if points.size % 2 == 0 else points


BOUNDARIES = ["not-a-knot", "natural", "clamped", "derivatives", "complex", "periodic"]
CUBICS = list(itertools.product([0, 1, -1], [2, 3, 4, 5, 12]))


@pytest.mark.parametrize(("axis", "count"), CUBICS)
def test_cubics(axis, count):
    random, x, y, points = curve(count, axis)
    calls = [
        ("CubicHermiteSpline", (x, y, random.normal(size=y.shape)), {}),
        ("PchipInterpolator", (x, y), {}),
        ("Akima1DInterpolator", (x, y), {}),
        ("Akima1DInterpolator", (x, y), {"method": "makima", "extrapolate": True}),
    ]
    trailing = np.moveaxis(y, axis, 0).shape[1:]
    ends = {
        "derivatives": ((1, np.ones(trailing)), (2, np.ones(trailing))),
        "complex": ("natural", (1, 1j * np.ones(trailing))),
    }
    for name in BOUNDARIES:
        values = y.copy()
        if name == "periodic":
            np.moveaxis(values, axis, 0)[-1] = np.moveaxis(values, axis, 0)[0]
        calls.append(("CubicSpline", (x, values), {"bc_type": ends.get(name, name)}))
    for name, args, options in calls:
        a, b = getattr(ours, name)(*args, axis=axis, **options), getattr(theirs, name)(*args, axis=axis, **options)
        assert (a.extrapolate, a.axis) == (b.extrapolate, b.axis)
        near(a.c, b.c, 1e-9, (name, options))
        near(a(cp.asarray(points)), b(points), 1e-9, (name, options))
        near(a(points, 1), b(points, 1), 1e-9, (name, options))


@pytest.mark.parametrize(("axis", "count"), CUBICS)
def test_polynomials(axis, count):
    _, x, y, points = curve(count, axis)
    inside = np.nan_to_num(points)
    for name, values in itertools.product(("KroghInterpolator", "BarycentricInterpolator"), (y, y * (1 + 2j))):
        a, b = getattr(ours, name)(x, values, axis=axis), getattr(theirs, name)(x, values, axis=axis)
        near(a(cp.asarray(points)), b(points), 1e-7, name)
        for order in (None, 1, 2, count, count + 2):
            near(a.derivatives(inside, order), b.derivatives(inside, order), 1e-7, (name, order))
        for order in (1, 2):
            near(a.derivative(inside, order), b.derivative(inside, order), 1e-7, (name, order))
        near(a(x[0]), b(x[0]), 1e-9)


@pytest.mark.parametrize("name", ["krogh_interpolate", "barycentric_interpolate", "pchip_interpolate"])
@pytest.mark.parametrize("order", [0, 1, [0, 1, 2]])
def test_functions(name, order):
    x, y = np.arange(5.0), np.random.default_rng(0).normal(size=5)
    a, b = (getattr(library, name)(x, y, [0.5, 1.5], der=order) for library in (ours, theirs))
    for one, other in zip(a, b, strict=True) if isinstance(b, list) else [(a, b)]:
        near(one, other)


def test_repeated_points_of_krogh():
    x, y = [0, 0, 0, 1, 1], [1, 2, 3, 4, 5]
    near(ours.KroghInterpolator(x, y)([0.3, 0.0]), theirs.KroghInterpolator(x, y)([0.3, 0.0]))


def test_points_added_to_barycentric():
    x, y = np.arange(5.0), np.random.default_rng(1).normal(size=(5, 2))
    a, b = ours.BarycentricInterpolator(x, y), theirs.BarycentricInterpolator(x, y)
    for library in (a, b):
        library.add_xi([7.0, 8.0], [[1, 2], [3, 4]])
    near(a(0.3), b(0.3))
    near(a.wi, b.wi)
    for library in (a, b):
        library.set_yi(np.arange(7.0))
    near(a([0.3, 4]), b([0.3, 4]))


def test_coefficients():
    x, y = np.arange(5.0), np.random.default_rng(2).normal(size=5)
    near(ours.lagrange(x, y).c, theirs.lagrange(x, y).c, 1e-9)
    series = [1, 2, 3.3, 4.1, 5.5, 7.7]
    for orders in ((1, None), (2, 2), (3, 1)):
        for one, other in zip(ours.pade(series, *orders), theirs.pade(series, *orders), strict=True):
            near(one.c, other.c)
    near(
        ours.approximate_taylor_polynomial(cp.sin, 0.3, 5, 0.5, 7).c,
        theirs.approximate_taylor_polynomial(np.sin, 0.3, 5, 0.5, 7).c,
        1e-8,
    )


KINDS = ["linear", "nearest", "nearest-up", "previous", "next", "zero", "slinear", "quadratic", "cubic", 4]
FILLS = {
    "nan": np.nan,
    "extrapolate": "extrapolate",
    "pair": (0.0, 1.0),
    "number": 5,
    "vectors": (np.zeros(3), np.ones(3)),
    "bad": [1, 2],
}
LINES = list(itertools.product(KINDS, ["f8", "f4", "i4", "c16"], [-1, 0], FILLS, [None, False, True], [1, 2]))


@pytest.mark.parametrize(("kind", "dtype", "axis", "fill", "raises", "ndim"), sample(LINES, 150))
def test_interp1d(kind, dtype, axis, fill, raises, ndim):
    random = np.random.default_rng(3)
    x = random.permutation(np.cumsum(1 + random.integers(0, 3, 9))).astype("i8" if dtype == "i4" else "f8")
    y = (random.normal(size=(9,) if ndim == 1 else (3, 9) if axis == -1 else (9, 3)) * 10).astype(dtype)

    def make(library):
        return library.interp1d(x, y, kind, axis, fill_value=FILLS[fill], bounds_error=raises)

    expected = outcome(make, theirs)
    assert outcome(make, ours) == expected
    if expected[0] != "no error":
        return
    a, b = make(ours), make(theirs)
    assert a.bounds_error == b.bounds_error and a.dtype == b.dtype
    low, high = x.min(), x.max()
    for points in (
        np.linspace(low, high, 21),
        np.linspace(low - 1, high + 1, 20).reshape(4, 5),
        low + 0.5,
        np.array([]),
        x,
    ):
        expected = outcome(lambda library: (a if library is ours else b)(points), theirs, 12)  # noqa: B023
        assert outcome(lambda library: (a if library is ours else b)(points), ours, 12) == expected  # noqa: B023
        if expected[0] == "no error":
            near(a(points), b(points), 1e-6 if dtype == "f4" else 1e-9, points)


def test_interp1d_with_nan():
    x, y = np.arange(6.0), np.arange(6.0)
    y[2] = np.nan
    for kind in ("linear", "cubic", "nearest"):
        near(ours.interp1d(x, y, kind)([0.5, 1.5, 4.5]), theirs.interp1d(x, y, kind)([0.5, 1.5, 4.5]))


TRAILING = [(), (2,)]


@pytest.mark.parametrize("degree", [0, 1, 3, 5])
@pytest.mark.parametrize("trailing", TRAILING)
def test_floater_hormann(degree, trailing):
    random = np.random.default_rng(4)
    x, y = rising(random, 15), random.normal(size=(15, *trailing))
    a, b = ours.FloaterHormannInterpolator(x, y, d=degree), theirs.FloaterHormannInterpolator(x, y, d=degree)
    points = np.concatenate([random.uniform(x[0], x[-1], 11), x, [np.nan]])
    near(a.weights, b.weights)
    near(a(points), b(points), 1e-8)
    near(a(0.3), b(0.3), 1e-8)


FUNCTIONS = {
    "tan": (np.linspace(-1, 1, 120), np.tan),
    "exp": (np.linspace(-1, 1, 60), np.exp),
    "spiral": (np.exp(np.linspace(-0.5, 0.5 + 0.15j * math.pi, 200)), np.tan),
    "two": (np.array([0.0, 1.0]), np.sin),
    "few": (np.linspace(-2, 2, 7), np.cos),
    "constant": (np.linspace(-1, 1, 50), np.ones_like),
    "infinite": (np.linspace(-1, 1, 41), lambda x: np.where(abs(x + 0.3) < 1e-9, np.inf, 1 / (x + 0.31))),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("options", [{}, {"max_terms": 5}, {"clean_up": False}])
def test_aaa(name, options):
    x, function = FUNCTIONS[name]
    y = function(x)
    a, b = ours.AAA(x, y, **options), theirs.AAA(x, y, **options)
    near(a.support_points, b.support_points)
    points = x[0] + (x[-1] - x[0]) * np.random.default_rng(5).random(20)
    near(a(points), b(points), 1e-5 if options.get("max_terms") else 1e-8)
    poles = [cp.asnumpy(a.poles()), b.poles()]
    assert poles[0].shape == poles[1].shape and a.roots().shape == b.roots().shape
    if b.poles().size:
        first, second = (int(np.argmin(abs(p - (0.1 + 1.5j)))) for p in poles)
        np.testing.assert_allclose(poles[0][first], poles[1][second], rtol=1e-5, atol=1e-8)
        np.testing.assert_allclose(cp.asnumpy(a.residues())[first], b.residues()[second], rtol=1e-4, atol=1e-8)


X, ONES = np.arange(6.0), np.ones(6)
REFUSED = {
    "complex x": lambda m: m.CubicSpline(X * 1j, ONES),
    "repeated": lambda m: m.CubicSpline([0, 1, 1], [1, 2, 3]),
    "one": lambda m: m.CubicSpline([0], [1]),
    "two axes": lambda m: m.PchipInterpolator(X.reshape(2, 3), ONES.reshape(2, 3)),
    "length": lambda m: m.CubicSpline(X, ONES[:4]),
    "nan": lambda m: m.CubicSpline(X, [1, 2, np.nan, 4, 5, 6]),
    "infinite x": lambda m: m.CubicSpline([0, 1, np.inf], [1, 2, 3]),
    "derivative": lambda m: m.CubicHermiteSpline(X, ONES, ONES[:3]),
    "nan derivative": lambda m: m.CubicHermiteSpline(X, ONES, ONES * np.nan),
    "pchip complex": lambda m: m.PchipInterpolator(X, ONES * 1j),
    "akima complex": lambda m: m.Akima1DInterpolator(X, ONES * 1j),
    "akima method": lambda m: m.Akima1DInterpolator(X, ONES, method="other"),
    "akima extend": lambda m: m.Akima1DInterpolator(X, ONES).extend(1, 2),
    "akima spline": lambda m: m.Akima1DInterpolator.from_spline(1),
    "boundary": lambda m: m.CubicSpline(X, ONES, bc_type="other"),
    "boundaries": lambda m: m.CubicSpline(X, ONES, bc_type=(1, 2, 3)),
    "half periodic": lambda m: m.CubicSpline(X, ONES, bc_type=("periodic", "natural")),
    "not periodic": lambda m: m.CubicSpline(X, X, bc_type="periodic"),
    "order": lambda m: m.CubicSpline(X, ONES, bc_type=((3, 0), "natural")),
    "value": lambda m: m.CubicSpline(X, ONES, bc_type=((1, [1, 2]), "natural")),
    "pair": lambda m: m.CubicSpline(X, ONES, bc_type=(1, "natural")),
    "barycentric": lambda m: m.BarycentricInterpolator([1, 1, 2], [1, 2, 3]),
    "barycentric none": lambda m: m.BarycentricInterpolator([1, 2, 3]).add_xi([4.0], [1]),
    "barycentric no update": lambda m: m.BarycentricInterpolator([1, 2, 3], [1, 2, 3]).add_xi([4.0]),
    "krogh": lambda m: m.KroghInterpolator([1, 2, 1], [1, 2, 3]),
    "krogh length": lambda m: m.KroghInterpolator([1, 2, 1], [1, 2]),
    "pade order": lambda m: m.pade([1, 2.0], 3),
    "pade sum": lambda m: m.pade([1, 2.0], 1, 4),
    "pade negative": lambda m: m.pade([1, 2.0], 1, -1),
    "line kind": lambda m: m.interp1d(X, ONES, "other"),
    "line length": lambda m: m.interp1d(X, ONES[:3]),
    "line few": lambda m: m.interp1d(X[:2], ONES[:2], "cubic"),
    "line both": lambda m: m.interp1d(X, ONES, bounds_error=True, fill_value="extrapolate"),
    "interp2d": lambda m: m.interp2d(1, 2, 3),
    "aaa terms": lambda m: m.AAA(X, ONES, max_terms=0),
    "aaa axes": lambda m: m.AAA(X, np.ones((6, 2))),
    "aaa infinite": lambda m: m.AAA(X * np.inf, ONES),
    "aaa length": lambda m: m.AAA(X, ONES[:3]),
    "fh degree": lambda m: m.FloaterHormannInterpolator(X, ONES, d=6),
    "fh residues": lambda m: m.FloaterHormannInterpolator(X, np.ones((6, 2))).residues(),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_refusals(call):
    assert outcome(call, ours, 12) == outcome(call, theirs, 12) != ("no error", "")


def test_lagrange_takes_one_axis():
    for x, w in (([[0.0, 1.0]], [1.0, 2.0]), ([0.0, 1.0], [[1.0, 2.0]]), (0.0, 1.0)):
        with pytest.raises(ValueError, match="one-dimensional"):
            ours.lagrange(cp.asarray(x), cp.asarray(w))
    with pytest.raises(ValueError, match="each of the 2 points"):
        ours.lagrange([0.0, 1.0], [1.0])
