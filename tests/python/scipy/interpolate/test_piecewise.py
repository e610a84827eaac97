"""PPoly, BPoly and NdPPoly beside SciPy."""

import itertools

import cuproxide as cp
import cuproxide.scipy.interpolate as ours
import numpy as np
import pytest
import scipy.interpolate as theirs
from effort import sample
from helpers import to_device
from interpolants import near, outcome, rising
from launches import launches

TRAILING = [(), (3,), (2, 3)]
CASES = list(itertools.product(["PPoly", "BPoly"], TRAILING, [False, True], [False, True], [1, 2, 4, 7]))


def coefficients(random, shape, is_complex):
    values = random.normal(size=shape)
    return values + 1j * random.normal(size=shape) if is_complex else values


@pytest.mark.parametrize(("name", "trailing", "is_complex", "falling", "order"), sample(CASES, 30))
def test_values_and_calculus(name, trailing, is_complex, falling, order):
    random = np.random.default_rng(order)
    x = rising(random, 8)
    x = x[::-1].copy() if falling else x
    c = coefficients(random, (order, 7, *trailing), is_complex)
    a, b = getattr(ours, name)(cp.asarray(c), cp.asarray(x)), getattr(theirs, name)(c, x)
    points = np.concatenate([random.uniform(-4, 8, 12), x, [np.nan]]).reshape(3, 7)
    for nu, extrapolate in itertools.product((0, 1, order - 1), (True, False, "periodic")):
        near(a(cp.asarray(points), nu, extrapolate), b(points, nu, extrapolate), 1e-9, (nu, extrapolate))
    near(a(0.3), b(0.3))
    for nu in (0, 1, 2, -1, -2):
        near(a.derivative(nu).c, b.derivative(nu).c, 1e-9, nu)
    if not falling:
        for low, high in ((x[0] + 0.1, x[3]), (x[5], x[1]), (x[0] - 1, x[-1] + 12.5)):
            for extrapolate in (True, False, "periodic"):
                near(a.integrate(low, high, extrapolate), b.integrate(low, high, extrapolate), 1e-9, extrapolate)


@pytest.mark.parametrize("axis", [1, 2])
def test_axis(axis):
    random = np.random.default_rng(5)
    x, c = rising(random, 5), np.moveaxis(random.normal(size=(3, 4, 2, 5)), [0, 1], [axis, axis + 1])
    a, b = ours.PPoly(to_device(c), x, axis=axis), theirs.PPoly(c, x, axis=axis)
    points = random.uniform(-2, 2, (2, 3))
    near(a(points), b(points))
    near(a.antiderivative()(points), b.antiderivative()(points))


@pytest.mark.parametrize("order", [2, 3, 4, 6])
@pytest.mark.parametrize("falling", [False, True])
def test_roots(order, falling):
    random = np.random.default_rng(order)
    x, c = rising(random, 9), random.normal(size=(order, 8, 3))
    x = x[::-1].copy() if falling else x
    for y, jumps, extrapolate in itertools.product((0, 0.3), (True, False), (True, False)):
        found = ours.PPoly(c, x).solve(y, jumps, extrapolate)
        assert found.shape == (3,) and found.dtype == object
        for column in range(3):
            # SciPy's columns influence each other where a jump of one is a jump of the next, so each is taken alone.
            expected = theirs.PPoly(c[..., column], x).solve(y, jumps, extrapolate)
            # In intervals that fall SciPy's zeros have no order; ours fall.
            one, other = (cp.sort(found[column]), np.sort(expected)) if falling else (found[column], expected)
            near(one, other, 1e-8, (y, jumps, extrapolate))


@pytest.mark.parametrize(
    ("c", "x"),
    [
        ([[0.0], [0.0]], [0, 1]),
        ([[0.0, 0.0], [0.0, 0.0]], [0, 1, 2]),
        ([[0.0, 1.0, 0.0], [0.0, -0.5, 1.0]], [0, 1, 2, 3]),
        ([[1.0], [-1.0], [0.25]], [0, 1]),
        ([[1.0, -1.0, 2.0]], [0, 1, 2, 3]),
    ],
)
def test_special_roots(c, x):
    near(ours.PPoly(c, x).roots(), theirs.PPoly(np.array(c), x).roots())


def test_changes_of_basis():
    random = np.random.default_rng(1)
    x, c = rising(random, 6), random.normal(size=(4, 5, 2))
    a, b = ours.PPoly(c, x), theirs.PPoly(c, x)
    bernstein = ours.BPoly.from_power_basis(a)
    near(bernstein.c, theirs.BPoly.from_power_basis(b).c)
    near(ours.PPoly.from_bernstein_basis(bernstein).c, c, 1e-8)
    spline = theirs.make_interp_spline(x, random.normal(size=6))
    near(ours.PPoly.from_spline(spline.tck).c, theirs.PPoly.from_spline(spline.tck).c)


@pytest.mark.parametrize(
    ("yi", "orders"),
    [
        ([[0], [1]], None),
        ([[0, 1], [2, 3, 4], [5]], None),
        ([[0.0, 1], [2, 3], [4, 5]], None),
        ([[0, 1, 2], [2, 3, 4], [5, 5, 6], [7, 7, 7]], 3),
        ([[0, 1, 2], [2, 3, 4], [5, 5, 6], [7, 7, 7]], [3, 2, 4]),
        ([[0, 1], [1, 2]], 5),
    ],
)
def test_from_derivatives(yi, orders):
    xi = list(range(len(yi)))
    expected = outcome(lambda library: library.BPoly.from_derivatives(xi, yi, orders=orders), theirs, 0)
    assert outcome(lambda library: library.BPoly.from_derivatives(xi, yi, orders=orders), ours, 0) == expected
    if expected[0] == "no error":
        near(
            ours.BPoly.from_derivatives(xi, yi, orders=orders).c, theirs.BPoly.from_derivatives(xi, yi, orders=orders).c
        )
        if len({len(y) for y in yi}) == 1:
            array = cp.asarray(np.array(yi, float))
            near(
                ours.BPoly.from_derivatives(xi, array, orders=orders).c, theirs.BPoly.from_derivatives(xi, yi, orders).c
            )


def test_orders_of_some_intervals():
    """SciPy's documentation allows None among the orders; its code does not."""
    yi = [[0, 1, 2], [2, 3, 4], [5, 5, 6], [7, 7, 7]]
    near(ours.BPoly.from_derivatives(range(4), yi, [None] * 3).c, theirs.BPoly.from_derivatives(range(4), yi).c)
    some, all_cubic = (ours.BPoly.from_derivatives(range(4), yi, orders) for orders in ([3, None, 5], 3))
    near(some([0.25, 0.5]), cp.asnumpy(all_cubic([0.25, 0.5])))


@pytest.mark.parametrize("name", ["PPoly", "BPoly"])
def test_extend(name):
    random = np.random.default_rng(2)
    # SciPy's power basis does not take fewer coefficients behind.
    c, more = random.normal(size=(3, 4, 2)), random.normal(size=(3 if name == "PPoly" else 2, 3, 2))
    for x in ([5.0, 6, 7], [-3.0, -2, -1]):
        a, b = getattr(ours, name)(c, np.arange(5.0)), getattr(theirs, name)(c, np.arange(5.0))
        a.extend(more, x)
        b.extend(more, np.array(x))
        near(a.c, b.c)
        near(a.x, b.x)


@pytest.mark.parametrize("ndim", [1, 2, 3])
@pytest.mark.parametrize("trailing", [(), (2,)])
def test_several_variables(ndim, trailing):
    random = np.random.default_rng(ndim)
    orders, pieces = (3, 2, 4)[:ndim], (4, 5, 3)[:ndim]
    x = tuple(rising(random, n + 1) for n in pieces)
    c = random.normal(size=orders + pieces + trailing)
    a, b = ours.NdPPoly(c, x), theirs.NdPPoly(c, x)
    points = random.uniform(-3, 3, (3, 5, ndim))
    for nu, extrapolate in itertools.product((None, [1] * ndim, [0] * (ndim - 1) + [2]), (True, False)):
        near(a(points, nu, extrapolate), b(points, nu, extrapolate), 1e-9, (nu, extrapolate))
    for nu in ([1] * ndim, [2] + [0] * (ndim - 1), [-1] * ndim, [0] * (ndim - 1) + [-2]):
        near(a.derivative(nu).c, b.derivative(nu).c, 1e-9, nu)
    ranges = [(v[0] + 0.1, v[-1] - 0.2) for v in x]
    near(a.integrate(ranges), b.integrate(ranges))
    for axis in range(ndim):
        one, other = (p.integrate_1d(*ranges[axis], axis) for p in (a, b))
        near(one if ndim == 1 else one.c, other if ndim == 1 else other.c)


@pytest.mark.parametrize("count", [10, 1000])
def test_launches(count):
    x = cp.linspace(0, 1, count + 1)
    for name in ("PPoly", "BPoly"):
        found = getattr(ours, name)(cp.ones((4, count, 2)), x)
        assert launches(lambda: found(x)) == 1  # noqa: B023
        assert launches(lambda: found(0.5)) == 1  # noqa: B023
    # The zeros take as many launches for any number of pieces.
    assert launches(lambda: ours.PPoly(cp.ones((4, count)), x).roots()) < 30


REFUSED = {
    "flat": lambda m: m.PPoly(np.ones(3), [0, 1]),
    "axis": lambda m: m.PPoly(np.ones((2, 1)), [0, 1], axis=3),
    "few points": lambda m: m.PPoly(np.ones((2, 1)), [0]),
    "count": lambda m: m.PPoly(np.ones((2, 3)), [0, 1]),
    "order": lambda m: m.PPoly(np.ones((0, 1)), [0, 1]),
    "unsorted": lambda m: m.PPoly(np.ones((2, 3)), [0, 2, 1, 3]),
    "two axes": lambda m: m.BPoly(np.ones((2, 3)), [[0, 2, 1, 3]]),
    "complex roots": lambda m: m.PPoly(np.ones((2, 1)) * 1j, [0, 1]).roots(),
    "wrong basis": lambda m: m.BPoly.from_power_basis(3),
    "wrong basis too": lambda m: m.PPoly.from_bernstein_basis(3),
    "extend shape": lambda m: m.PPoly(np.ones((2, 1)), [0, 1]).extend(np.ones((2, 2)), np.ones(1)),
    "extend inside": lambda m: m.PPoly(np.ones((2, 2)), [0, 1, 2]).extend(np.ones((2, 2)), np.array([0.5, 3])),
    "extend order": lambda m: m.PPoly(np.ones((2, 2)), [0, 1, 2]).extend(np.ones((2, 2)), np.array([4.0, 3])),
    "lengths": lambda m: m.BPoly.from_derivatives([0, 1, 2], [[1], [2]]),
    "xi falls": lambda m: m.BPoly.from_derivatives([0, 1, -1], [[1], [2], [3]]),
    "flat yi": lambda m: m.BPoly.from_derivatives([0, 1], [1, 2]),
    "bad order": lambda m: m.BPoly.from_derivatives([0, 1], [[1], [2]], orders=0),
    "nd count": lambda m: m.NdPPoly(np.ones((2, 2, 1, 1)), ([0, 1], [0, 1, 2])),
    "nd order": lambda m: m.NdPPoly(np.ones((2, 2, 1, 2)), ([0, 1], [0, 1, 0.5])),
    "nd nu": lambda m: m.NdPPoly(np.ones((2, 2, 1, 1)), ([0, 1], [0, 1]))([[0, 1]], nu=[1]),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_refusals(call):
    assert outcome(call, ours) == outcome(call, theirs) != ("no error", "")
