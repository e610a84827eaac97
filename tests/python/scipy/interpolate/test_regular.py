"""Interpolation on regular grids."""

import itertools

import cuproxide as cp
import cuproxide.scipy.interpolate as ours
import numpy as np
import pytest
import scipy.interpolate as theirs
import scipy.sparse.linalg
from effort import sample
from helpers import to_device
from interpolants import near, outcome, rising
from launches import launches

SIZES = [(7,), (6, 8), (6, 7, 8), (4, 3, 5, 4)]
METHODS = ["linear", "nearest", "slinear", "cubic", "quintic", "pchip", "slinear_legacy", "cubic_legacy"]
OUTSIDE = [(True, np.nan), (False, np.nan), (False, None), (False, 3.0)]
CASES = list(itertools.product(SIZES, [(), (2,)], ["f8", "f4", "c16", "i4"], METHODS, OUTSIDE))


@pytest.mark.parametrize(("sizes", "trailing", "dtype", "method", "outside"), sample(CASES, 110))
def test_values(sizes, trailing, dtype, method, outside):
    random = np.random.default_rng(len(sizes))
    ndim, (raises, fill) = len(sizes), outside
    grid = [rising(random, n, 0.2) for n in sizes]
    # SciPy keeps integers with grids that fall.
    if ndim > 1 and dtype != "i4":
        grid[1] = grid[1][::-1].copy()
    values = (random.normal(size=sizes + trailing) * 9).astype(dtype)
    # SciPy's own solver of splines stops early.
    options = {"solver": scipy.sparse.linalg.spsolve} if method in ("slinear", "cubic", "quintic") else {}

    def make(library):
        return library.RegularGridInterpolator(grid, values, method, raises, fill, **options)

    expected = outcome(make, theirs, 30)
    assert outcome(make, ours, 30) == expected
    if expected[0] != "no error":
        return
    a, b = make(ours), make(theirs)
    low, high = (np.array([f(v) for v in grid]) for f in (np.min, np.max))
    inside, around = (low - d + (high - low + 2 * d) * random.random((3, 4, ndim)) for d in (0, 1))
    around[0, 0, 0] = np.nan
    tolerance = 1e-5 if dtype == "f4" else 1e-8
    for points in (inside, around, inside[0, 0], np.stack([v[:3] for v in grid], -1)):
        expected = outcome(lambda library: (a if library is ours else b)(points), theirs, 30)  # noqa: B023
        assert outcome(lambda library: (a if library is ours else b)(points), ours, 30) == expected  # noqa: B023
        if expected[0] == "no error":
            near(a(points), b(points), tolerance)
            near(a(to_device(points)), b(points), tolerance)
    if ndim > 1:
        parts = tuple(inside[..., d] for d in range(ndim))
        near(a(parts), b(parts), tolerance)


def test_derivatives_and_other_methods():
    random = np.random.default_rng(1)
    grid, values = (rising(random, 7), rising(random, 8)), random.normal(size=(7, 8))
    solver = scipy.sparse.linalg.spsolve
    a, b = (m.RegularGridInterpolator(grid, values, "cubic", solver=solver) for m in (ours, theirs))
    points = np.stack([random.uniform(v[0], v[-1], 9) for v in grid], axis=-1)
    near(a(points, nu=[1, 2]), b(points, nu=[1, 2]), 1e-7)
    for method in ("linear", "nearest", "pchip"):
        near(a(points, method), b(points, method))


def test_single_points_of_an_axis():
    grid, values = ([3.0], [0, 1.0, 2]), np.array([[1.0, 2, 3]])
    a, b = (m.RegularGridInterpolator(grid, values, bounds_error=False, fill_value=None) for m in (ours, theirs))
    near(a([[3, 0.5], [4, 1.5]]), b([[3, 0.5], [4, 1.5]]))


@pytest.mark.parametrize("method", ["linear", "nearest", "pchip", "splinef2d"])
@pytest.mark.parametrize("raises", [True, False])
def test_interpn(method, raises):
    random = np.random.default_rng(2)
    x, z = np.arange(6.0), random.normal(size=(6, 6))
    for points in ([[1, 2.5], [3, 1.5]], [[1, 2.5], [3, 9]]):

        def call(library):
            return library.interpn((x, x), z, points, method, bounds_error=raises)  # noqa: B023

        assert outcome(call, ours) == outcome(call, theirs)
        if outcome(call, theirs)[0] == "no error":
            near(call(ours), call(theirs))


def test_one_launch():
    x = cp.arange(5.0)
    points = cp.asarray(np.random.default_rng(3).random((100, 2)))
    for method in ("linear", "nearest", "pchip", "cubic"):
        found = ours.RegularGridInterpolator((x, x), x[:, None] * x, method, bounds_error=False, fill_value=None)
        assert launches(lambda: found(points)) == 1, method  # noqa: B023


X, ONES = np.arange(5.0), np.ones((5, 5))
REFUSED = {
    "method": lambda m: m.RegularGridInterpolator((X, X), ONES, "other"),
    "dimensions": lambda m: m.RegularGridInterpolator((X, X, X), ONES),
    "length": lambda m: m.RegularGridInterpolator((X, X[:3]), ONES),
    "repeated": lambda m: m.RegularGridInterpolator((X, [0, 1, 1, 2, 3]), ONES),
    "fill": lambda m: m.RegularGridInterpolator((X, X), ONES, fill_value=1j),
    "few": lambda m: m.RegularGridInterpolator((X[:3], X), ONES[:3], "cubic"),
    "solver": lambda m: m.RegularGridInterpolator((X, X), ONES, solver=1),
    "complex": lambda m: m.RegularGridInterpolator((X, X), ONES * 1j, "pchip"),
    "points": lambda m: m.RegularGridInterpolator((X, X), ONES)([1, 2, 3]),
    "outside": lambda m: m.RegularGridInterpolator((X, X), ONES)([1, 9]),
    "derivative": lambda m: m.RegularGridInterpolator((X, X), ONES)([1, 2], nu=[1, 1]),
    "interpn method": lambda m: m.interpn((X, X), ONES, [1, 2], "other"),
    "interpn outside": lambda m: m.interpn((X, X), ONES, [1, 9]),
    "interpn spline": lambda m: m.interpn((X, X), np.ones((5, 5, 2)), [1, 2], "splinef2d"),
    "interpn fill": lambda m: m.interpn((X, X), ONES, [1, 2], "splinef2d", False, None),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_refusals(call):
    assert outcome(call, ours, 20) == outcome(call, theirs, 20) != ("no error", "")
