"""B-splines, the splines through points, and those of several variables."""

import itertools

import cuproxide as cp
import cuproxide.scipy.interpolate as ours
import numpy as np
import pytest
import scipy.interpolate as theirs
import scipy.linalg
from effort import sample
from helpers import to_device
from interpolants import near, outcome, rising

TRAILING = [(), (3,), (2, 3)]


def knots_and_values(degree, trailing, is_complex):
    random = np.random.default_rng([degree, len(trailing)])
    n = degree + 6
    t = rising(random, n + degree + 1)
    if degree >= 2:
        t[: degree + 1], t[-degree - 1 :], t[degree + 2] = t[degree], t[-degree - 1], t[degree + 3]
    c = random.normal(size=(n, *trailing))
    return random, t, c + 1j * random.normal(size=c.shape) if is_complex else c


@pytest.mark.parametrize(
    ("degree", "trailing", "is_complex"),
    sample(list(itertools.product([0, 1, 2, 3, 5, 9], TRAILING, [False, True])), 18),
)
def test_values_and_calculus(degree, trailing, is_complex):
    random, t, c = knots_and_values(degree, trailing, is_complex)
    a, b = ours.BSpline(cp.asarray(t), cp.asarray(c), degree), theirs.BSpline(t, c, degree)
    points = np.concatenate([random.uniform(t[0] - 1, t[-1] + 1, 20), t, [np.nan]])
    for nu, extrapolate in itertools.product((0, 1, degree), (True, False, "periodic")):
        near(a(cp.asarray(points), nu, extrapolate), b(points, nu, extrapolate), 1e-8, (nu, extrapolate))
    near(a(2.0), b(2.0))
    for nu in range(degree + 1):
        expected = outcome(lambda library: (a if library is ours else b).derivative(nu), theirs, 20)  # noqa: B023
        assert outcome(lambda library: (a if library is ours else b).derivative(nu), ours, 20) == expected  # noqa: B023
        if expected[0] == "no error":
            near(a.derivative(nu).c, b.derivative(nu).c, 1e-9, nu)
    for nu in (1, 2):
        near(a.antiderivative(nu).c, b.antiderivative(nu).c)
        near(a.antiderivative(nu).t, b.antiderivative(nu).t)
    if not is_complex and not (degree == 0 and trailing):
        first, last = t[degree], t[-degree - 1]
        for low, high in ((first, last), (first + 0.9, first + 0.2), (first - 1.1, last + 9.3), (t[-1] + 1, t[-1] + 2)):
            for extrapolate in (True, False, "periodic"):
                near(a.integrate(low, high, extrapolate), b.integrate(low, high, extrapolate), 1e-9, extrapolate)
    if degree > 1:
        for m in (1, 2):
            one, other = a.insert_knot(first_inner(t, degree), m), b.insert_knot(first_inner(t, degree), m)
            near(one.t, other.t)
            near(one.c, other.c)


def first_inner(t, degree):
    return float(t[degree] + 0.7)


def test_integral_of_complex_splines_keeps_its_imaginary_part():
    """SciPy drops it without extrapolation."""
    t, c = np.arange(8.0), np.arange(4.0)
    found = ours.BSpline(t, c * (1 + 2j), 3).integrate(3, 4, extrapolate=False)
    near(found, theirs.BSpline(t, c, 3).integrate(3, 4) * (1 + 2j))


@pytest.mark.parametrize("layout", ["negative", "spread", "transposed"])
def test_layouts(layout):
    random = np.random.default_rng(3)
    t, c = np.arange(12.0), random.normal(size=(8, 4))
    points = random.uniform(2, 9, (6, 5))
    c = {"negative": c[::-1], "spread": np.repeat(c, 2, 1)[:, ::2], "transposed": np.asfortranarray(c)}[layout]
    points = {"negative": points[::-1, ::-1], "spread": points[::2, ::3], "transposed": points.T}[layout]
    near(ours.BSpline(t, to_device(c), 3)(to_device(points)), theirs.BSpline(t, c, 3)(points))


def test_axis_and_elements():
    random = np.random.default_rng(4)
    t, c = np.arange(9.0), random.normal(size=(2, 5, 3))
    points = random.uniform(3, 5, (2, 4))
    near(ours.BSpline(t, c, 3, axis=1)(points), theirs.BSpline(t, c, 3, axis=1)(points))
    element = [0.0, 1, 2.5, 4]
    near(ours.BSpline.basis_element(element)(points), theirs.BSpline.basis_element(element)(points))


PERIODIC = list(itertools.product([2, 3, 4, 5], [4, 6, 7, 13, 40]))


@pytest.mark.parametrize(("degree", "count"), sample(PERIODIC, 12))
def test_periodic_interpolation(degree, count):
    random = np.random.default_rng(count)
    x, y = rising(random, count), random.normal(size=(count, 2))
    y[-1] = y[0]
    a = ours.make_interp_spline(x, y, degree, bc_type="periodic")
    b = theirs.make_interp_spline(x, y, degree, bc_type="periodic")
    assert a.extrapolate == "periodic"
    near(a.t, b.t)
    near(a.c, b.c, 1e-7)


BOUNDARIES = {
    "none": None, "natural": "natural", "clamped": "clamped", "first": ([(1, 2.0)], [(1, 1.0)]),
    "left": ([(2, 1.0), (1, 0.5)], None), "mixed": ([(1, 0.0)], [(2, 1.0)]), "not-a-knot": "not-a-knot",
}  # fmt: skip
INTERPOLATION = list(itertools.product(range(8), BOUNDARIES, [0, 1, 5, 25], TRAILING, [False, True]))


@pytest.mark.parametrize(("degree", "boundary", "more", "trailing", "is_complex"), sample(INTERPOLATION, 120))
def test_interpolation(degree, boundary, more, trailing, is_complex):
    random = np.random.default_rng(more)
    n = degree + 1 + more
    x, y = rising(random, n, 0.4), random.normal(size=(n, *trailing))
    y = y + 1j * random.normal(size=y.shape) if is_complex else y
    bc = BOUNDARIES[boundary]
    if isinstance(bc, tuple):
        bc = tuple(side and [(order, np.full(trailing, value)) for order, value in side] for side in bc)

    def call(library):
        return library.make_interp_spline(x, y, degree, bc_type=bc)

    expected = outcome(call, theirs, 18)
    assert outcome(call, ours, 18) == expected
    if expected[0] == "no error":
        near(call(ours).t, call(theirs).t)
        near(call(ours).c, call(theirs).c, 1e-8)


def test_interpolation_with_knots_and_axis():
    random = np.random.default_rng(6)
    x, y = rising(random, 12), random.normal(size=(3, 12))
    t = np.r_[[x[0]] * 4, x[2:-2] + 0.1, [x[-1]] * 4]
    near(ours.make_interp_spline(x, y, t=t, axis=1).c, theirs.make_interp_spline(x, y, t=t, axis=1).c, 1e-8)


@pytest.mark.parametrize("width", [1, 2, 3, 5])
@pytest.mark.parametrize(("count", "part"), [(10, 0), (100, 20), (600, 20), (600, 48), (2500, 48)])
def test_parts_of_banded_systems(width, count, part):
    """What devices with many threads do."""
    from cuproxide.scipy.interpolate._banded import solve_band

    random = np.random.default_rng(count)
    ab, right = random.random((2 * width + 1, count)), random.normal(size=(count, 3))
    ab[width] += 2 * width + 1
    for values in (right, right * (1 + 2j)):
        expected = scipy.linalg.solve_banded((width, width), ab, values)
        near(solve_band(cp.asarray(ab), cp.asarray(values), width, width, part), expected, 1e-11)
    # Without its pivots this one needs the way around.
    ab[width] = 0
    near(
        solve_band(cp.asarray(ab), cp.asarray(right), width, width, part),
        scipy.linalg.solve_banded((width, width), ab, right),
        1e-6,
    )


@pytest.mark.parametrize("extrapolate", [False, True, "periodic"])
def test_design_matrix(extrapolate):
    random = np.random.default_rng(10)
    x, t = np.sort(random.random(20)), np.r_[[0] * 4, 0.3, 0.5, 0.7, [1] * 4]
    a, b = (library.BSpline.design_matrix(x, t, 3, extrapolate) for library in (ours, theirs))
    assert a.format == b.format and a.indices.dtype == b.indices.dtype
    near(a.toarray(), b.toarray())
    points = random.random((10, 2))
    a, b = (library.NdBSpline.design_matrix(points, (t, t), (3, 3)) for library in (ours, theirs))
    # SciPy's matrix ends with the last column that is used.
    near(a.toarray()[:, : b.shape[1]], b.toarray())
    assert a.shape == (10, 49)


@pytest.mark.parametrize("kind", ["natural", "clamped", "not-a-knot"])
def test_from_power_basis(kind):
    random = np.random.default_rng(7)
    x, y = rising(random, 9), random.normal(size=9)
    a, b = ours.CubicSpline(x, y, bc_type=kind), theirs.CubicSpline(x, y, bc_type=kind)
    near(ours.BSpline.from_power_basis(a, kind).c, theirs.BSpline.from_power_basis(b, kind).c, 1e-8)


@pytest.mark.parametrize("ndim", [1, 2, 3, 4])
@pytest.mark.parametrize("trailing", [(), (2,)])
def test_several_variables(ndim, trailing):
    random = np.random.default_rng(ndim)
    degrees, sizes = (3, 2, 1, 3)[:ndim], (7, 6, 5, 5)[:ndim]
    t = tuple(rising(random, n + k + 1) for n, k in zip(sizes, degrees, strict=True))
    c = random.normal(size=sizes + trailing)
    points = np.stack([random.uniform(v[0], v[-1], (3, 6)) for v in t], axis=-1)
    for values in (c, c * (1 + 2j)):
        a, b = ours.NdBSpline(t, values, degrees), theirs.NdBSpline(t, values, degrees)
        for nu, extrapolate in itertools.product((None, [1] * ndim), (True, False)):
            near(a(points, nu=nu, extrapolate=extrapolate), b(points, nu=nu, extrapolate=extrapolate), 1e-8)
    a, b = ours.NdBSpline(t, c, degrees), theirs.NdBSpline(t, c, degrees)
    for nu in ([1] * ndim, [2] + [0] * (ndim - 1)):
        near(a.derivative(nu).c, b.derivative(nu).c, 1e-8)


def test_many_products_of_splines():
    """More of them than are written out one by one."""
    random = np.random.default_rng(8)
    t, c = (np.arange(14.0),) * 3, random.normal(size=(8, 8, 8))
    points = random.uniform(4, 9, (20, 3))
    near(ours.NdBSpline(t, c, 5)(points), theirs.NdBSpline(t, c, 5)(points))


@pytest.mark.parametrize("degree", [1, 2, 3, (3, 1)])
def test_make_ndbspl(degree):
    import scipy.sparse.linalg

    random = np.random.default_rng(9)
    grid, values = (rising(random, 9), rising(random, 8)), random.normal(size=(9, 8, 2))
    solver = scipy.sparse.linalg.spsolve
    from scipy.interpolate._ndbspline import make_ndbspl

    near(ours.make_ndbspl(grid, values, degree).c, make_ndbspl(grid, values, degree, solver=solver).c, 1e-8)


X, ONES = np.arange(6.0), np.ones(6)
REFUSED = {
    "design outside": lambda m: m.BSpline.design_matrix([0.5, 3], [0, 1, 2, 3], 1),
    "design knots": lambda m: m.BSpline.design_matrix([0.5], [0, 1, 3, 2], 1),
    "design few": lambda m: m.BSpline.design_matrix([0.5], [0, 1, 2], 1),
    "degree": lambda m: m.BSpline([0, 1, 2, 3], [1, 2], -1),
    "knots": lambda m: m.BSpline([0, 1, 2], [1, 2], 3),
    "falling": lambda m: m.BSpline([0, 1, 3, 2], [1, 2], 1),
    "one knot": lambda m: m.BSpline([1, 1, 1, 1], [1, 2], 1),
    "nan": lambda m: m.BSpline([0, 1, 2, np.nan], [1, 2], 1),
    "coefficients": lambda m: m.BSpline([0, 1, 2, 3], [1], 1),
    "axis": lambda m: m.BSpline([0, 1, 2, 3], [1, 2], 1, axis=2),
    "insert": lambda m: m.BSpline([0, 1, 2, 3], [1, 2], 1).insert_knot(7),
    "insert count": lambda m: m.BSpline([0, 1, 2, 3], [1, 2], 1).insert_knot(1.5, 0),
    "repeated": lambda m: m.make_interp_spline([0, 1, 1, 2], [1, 2, 3, 4]),
    "unsorted": lambda m: m.make_interp_spline([0, 2, 1, 3], [1, 2, 3, 4]),
    "not finite": lambda m: m.make_interp_spline(X, [1, 2, 3, np.nan, 5, 6]),
    "shape": lambda m: m.make_interp_spline(X, [1, 2]),
    "boundary": lambda m: m.make_interp_spline(X, ONES, bc_type="none such"),
    "pairs": lambda m: m.make_interp_spline(X, ONES, bc_type=([1], [2])),
    "order": lambda m: m.make_interp_spline(X, ONES, bc_type=([(9, 0)], [(1, 0)])),
    "too many": lambda m: m.make_interp_spline(X, ONES, bc_type=([(1, 0), (2, 0)], [(1, 0)])),
    "few knots": lambda m: m.make_interp_spline(X, ONES, t=[0, 0, 0, 0, 5, 5, 5, 5]),
    "outside": lambda m: m.make_interp_spline(X, ONES, t=[1, 1, 1, 1, 2, 3, 4, 4, 4, 4]),
    "ends": lambda m: m.make_interp_spline(X, X, bc_type="periodic"),
    "constant with knots": lambda m: m.make_interp_spline(X, ONES, k=0, t=X),
    "nd tuple": lambda m: m.NdBSpline([1, 2], 1, 1),
    "nd degree": lambda m: m.NdBSpline((X, X), np.ones((4, 4)), (1, 1, 1)),
    "nd coefficients": lambda m: m.NdBSpline((X, X), np.ones((4, 3)), 1),
    "nd points": lambda m: m.NdBSpline((X, X), np.ones((4, 4)), 1)([1, 2, 3]),
    "nd nu": lambda m: m.NdBSpline((X, X), np.ones((4, 4)), 1)([1, 2], nu=[-1, 0]),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_refusals(call):
    assert outcome(call, ours) == outcome(call, theirs) != ("no error", "")


def test_singular_conditions():
    x = np.arange(6.0)
    t = np.r_[[0] * 4, [0.1, 0.2], [5] * 4]
    with pytest.raises(np.linalg.LinAlgError):
        ours.make_interp_spline(x, x, t=t)
