"""Least squares and smoothing splines of one variable, and the functions with FITPACK's names."""

import itertools

import cuproxide as cp
import cuproxide.scipy.interpolate as ours
import numpy as np
import pytest
import scipy.interpolate as theirs
from effort import sample
from interpolants import near, outcome, rising
from launches import launches
from versions import SCIPY_1_18

pytestmark = pytest.mark.filterwarnings("ignore")


def wave(count, seed, weighted=True):
    random = np.random.default_rng([count, seed])
    x = np.linspace(0, 2 * np.pi, count)
    y = np.sin(2 * x) + 0.1 * random.normal(size=count)
    y[-1] = y[0]
    return random, x, y, 5 + random.random(count) if weighted else None


LEAST = list(itertools.product([1, 2, 3, 5], [30, 3000], [(), (2,)], ["qr", "norm-eq"], [False, True]))


@pytest.mark.parametrize(("degree", "count", "trailing", "method", "is_complex"), sample(LEAST, 20))
def test_make_lsq_spline(degree, count, trailing, method, is_complex):
    random = np.random.default_rng([degree, count])
    x, y, w = np.sort(random.random(count)), random.normal(size=(count, *trailing)), 0.5 + random.random(count)
    is_complex = is_complex and not (trailing and method == "norm-eq")
    y = y + 1j * y[::-1] if is_complex else y
    t = np.r_[[0] * (degree + 1), [0.2, 0.4, 0.6], [1] * (degree + 1)]
    a, b = (library.make_lsq_spline(x, y, t, degree, w, method=method) for library in (ours, theirs))
    near(a.c, b.c, 1e-7)


@pytest.mark.parametrize(("count", "lam"), list(itertools.product([5, 6, 7, 40], [0.0, 0.1, 5.0, None])))
@pytest.mark.parametrize("trailing", [(), (2,)])
def test_make_smoothing_spline(count, lam, trailing):
    random = np.random.default_rng(count)
    x = rising(random, count, 0.2)
    y = np.sin(x).reshape(count, *(1,) * len(trailing)) + 0.2 * random.normal(size=(count, *trailing))
    for w in (None, 0.5 + random.random(count)):
        expected = outcome(lambda library: library.make_smoothing_spline(x, y, w=w, lam=lam), theirs)  # noqa: B023
        assert outcome(lambda library: library.make_smoothing_spline(x, y, w=w, lam=lam), ours) == expected  # noqa: B023
        if expected[0] == "no error":
            a, b = (library.make_smoothing_spline(x, y, w=w, lam=lam) for library in (ours, theirs))
            near(a.t, b.t)
            near(a.c, b.c, 1e-6 if lam is None else 1e-9)


SMOOTHING = list(itertools.product([1, 2, 3, 4, 5], [None, "periodic"], [0.05, 0.3, 1.0, 3.0, 200.0], [False, True]))


@pytest.mark.parametrize(("degree", "condition", "s", "weighted"), sample(SMOOTHING, 24))
def test_knots_and_make_splrep(degree, condition, s, weighted):
    random, x, y, w = wave(100, degree, weighted)
    s = s * 30 if weighted else s
    options = {"k": degree, "s": s, "w": w, "bc_type": condition}
    found, expected = (list(library.generate_knots(x, y, **options)) for library in (ours, theirs))
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        near(one, other)
    near(ours.make_splrep(x, y, **options).c, theirs.make_splrep(x, y, **options).c, 1e-6)
    curve = [np.cos(x) + 0.05 * random.normal(size=x.size), np.sin(x)]
    for part in curve:
        part[-1] = part[0]
    a, b = (library.make_splprep(curve, k=degree, s=s / 3, bc_type=condition) for library in (ours, theirs))
    near(a[1], b[1])
    near(a[0].c, b[0].c, 1e-6)


FITPACK = list(itertools.product([20, 60], [1, 2, 3, 4, 5], [0, 1], [0, None, 0.3, 2.0, 1000.0], [False, True]))


@pytest.mark.parametrize(("count", "degree", "periodic", "s", "weighted"), sample(FITPACK, 40))
def test_splrep_and_what_takes_its_splines(count, degree, periodic, s, weighted):
    random, x, y, w = wave(count, degree, weighted)
    a, b = (library.splrep(x, y, w=w, k=degree, s=s, per=periodic, full_output=1) for library in (ours, theirs))
    near(a[0][0], b[0][0])
    near(a[0][1], b[0][1], 1e-6)
    assert a[2:] == b[2:] and a[1] == pytest.approx(b[1], rel=1e-5, abs=1e-9)
    tck, reference = a[0], b[0]
    points = random.uniform(-1, 8, 20)
    for order, outside in itertools.product(range(degree + 1), (0, 1, 3)):
        scale = 1e-6 * 30.0**order
        near(ours.splev(points, tck, order, outside), theirs.splev(points, reference, order, outside), scale)
    for ends in ((0.3, 2.0), (-3, 20.0), (2.0, 0.3)):
        near(ours.splint(*ends, tck), theirs.splint(*ends, reference), 1e-7, dtype=False)
    if not SCIPY_1_18:
        shapes = ours.splint(0.3, 2.0, tck, 1)[1], theirs.splint(0.3, 2.0, reference, 1)[1]
        near(shapes[0][: -degree - 1], shapes[1][: -degree - 1])
    near(ours.spalde(1.0, tck), theirs.spalde(1.0, reference), 1e-4)
    near(ours.splantider(tck)[1], theirs.splantider(reference)[1], 1e-6)
    near(ours.splder(tck)[1], theirs.splder(reference)[1], 1e-5)
    if degree == 3:
        near(ours.sproot(tck, 50), theirs.sproot(reference, 50), 1e-6)
    expected = outcome(lambda library: library.insert(1.2, reference, 2, periodic), theirs)
    assert outcome(lambda library: library.insert(1.2, reference, 2, periodic), ours) == expected
    if expected[0] == "no error":
        for one, other in zip(
            ours.insert(1.2, reference, 2, periodic), theirs.insert(1.2, reference, 2, periodic), strict=True
        ):
            near(one, other, 1e-9) if np.ndim(other) else None


@pytest.mark.parametrize(("degree", "periodic", "s"), list(itertools.product([1, 3, 5], [0, 1], [0, None, 0.1, 100.0])))
def test_splprep(degree, periodic, s):
    random = np.random.default_rng(degree)
    a = np.linspace(0, 2 * np.pi, 40)
    curve = [np.cos(a) + 0.05 * random.normal(size=40), np.sin(a)]
    for part in curve:
        part[-1] = part[0]
    (one, u), fp, code, _ = ours.splprep(curve, k=degree, s=s, per=periodic, full_output=1)
    (other, v), expected, expected_code, _ = theirs.splprep(curve, k=degree, s=s, per=periodic, full_output=1)
    assert code == expected_code and fp == pytest.approx(expected, rel=1e-5, abs=1e-9)
    near(u, v)
    near(one[0], other[0])
    for part, reference in zip(one[1], other[1], strict=True):
        near(part, reference, 1e-6)
    for part, reference in zip(ours.splev([0.1, 0.5], one), theirs.splev([0.1, 0.5], other), strict=True):
        near(part, reference, 1e-6)


def same_spline(a, b, degree):
    near(a.get_knots(), b.get_knots())
    near(a.get_coeffs(), b.get_coeffs(), 1e-6)
    assert type(a).__name__ == type(b).__name__ and a.get_residual() == pytest.approx(b.get_residual(), abs=1e-6)
    points = np.array([-0.5, 0.3, 2.0, 5.5, 7.0])
    for outside in (0, 1, 3):
        near(a(points, ext=outside), b(points, ext=outside), 1e-6)
    near(a.integral(0, 1.0), b.integral(0, 1.0), 1e-7, dtype=False)
    near(a.derivatives(0.5), b.derivatives(0.5), 1e-4)
    near(a.derivative()(points), b.derivative()(points), 1e-5)
    near(a.antiderivative()(points), b.antiderivative()(points), 1e-6)
    if degree == 3:
        near(a.roots(), b.roots(), 1e-6)


@pytest.mark.parametrize(("degree", "s"), list(itertools.product([1, 3, 4], [None, 0, 0.5, 3.0, 500.0])))
def test_univariate(degree, s):
    _, x, y, _ = wave(60, degree, False)
    a, b = ours.UnivariateSpline(x, y, k=degree, s=s), theirs.UnivariateSpline(x, y, k=degree, s=s)
    same_spline(a, b, degree)
    if SCIPY_1_18:
        return
    # The search goes on from the knots that are there.
    for s in (0.4, 50.0, 0.2):
        a.set_smoothing_factor(s)
        b.set_smoothing_factor(s)
        same_spline(a, b, degree)


def test_kin_of_univariate():
    _, x, y, w = wave(60, 3)
    same_spline(ours.LSQUnivariateSpline(x, y, [1, 2, 4.0], w), theirs.LSQUnivariateSpline(x, y, [1, 2, 4.0], w), 3)
    for options in ({}, {"bbox": [-1, 7]}, {"k": 2}):
        a, b = (library.InterpolatedUnivariateSpline(x, y, **options) for library in (ours, theirs))
        same_spline(a, b, options.get("k", 3))
    near(ours.splrep(x, y, w, t=[1, 2, 4.0])[1], theirs.splrep(x, y, w, t=[1, 2, 4.0])[1], 1e-7)


def test_b_spline_objects():
    x = np.arange(8.0)
    a, b = ours.make_interp_spline(x, np.sin(x)), theirs.make_interp_spline(x, np.sin(x))
    near(ours.splev([0.5, 2], a), theirs.splev([0.5, 2], b))
    near(ours.splint(1, 3, a), theirs.splint(1, 3, b), dtype=False)
    near(ours.sproot(a), theirs.sproot(b))
    # SciPy's result has more elements, which are not set.
    near(ours.insert(2.5, a).c, theirs.insert(2.5, b).c[:9])
    near(ours.splder(a).c, theirs.splder(b).c)
    near(ours.splantider(a).c, theirs.splantider(b).c)


def test_launches_do_not_depend_on_points():
    counts = []
    for count in (10_000, 50_000):
        x = cp.linspace(0, 1, count)
        t = cp.asarray(np.r_[[0] * 4, np.linspace(0.1, 0.9, 9), [1] * 4])
        counts.append(launches(lambda: ours.make_lsq_spline(x, cp.sin(x), t)))  # noqa: B023
    # Beside many points, small arrays are computed where they are used.
    assert counts[1] <= counts[0]


LINE = np.arange(5.0)
REFUSED = {
    "lsq few": lambda m: m.make_lsq_spline([1, 2, 3.0], [1, 2, 3], [0, 0, 0, 0, 1, 1, 1, 1]),
    "lsq falls": lambda m: m.make_lsq_spline([3, 2, 1, 0.0], [1, 2, 3, 4], [0, 0, 0, 0, 3, 3, 3, 3]),
    "lsq outside": lambda m: m.make_lsq_spline([0, 1, 2, 3.0], [1, 2, 3, 4], [0, 0, 0, 0, 2, 2, 2, 2]),
    "lsq length": lambda m: m.make_lsq_spline([0, 1, 2, 3.0], LINE, [0, 0, 0, 0, 3, 3, 3, 3]),
    "lsq method": lambda m: m.make_lsq_spline(LINE, LINE, [0, 0, 0, 0, 4, 4, 4, 4], method="other"),
    "lsq knots": lambda m: m.make_lsq_spline(LINE, LINE, [0, 0, 0, 0, 4, 3, 4, 4]),
    "smoothing few": lambda m: m.make_smoothing_spline([1, 2, 3, 4], [1, 2, 3, 4]),
    "smoothing repeated": lambda m: m.make_smoothing_spline([1, 2, 2, 4, 5], LINE),
    "smoothing weights": lambda m: m.make_smoothing_spline(LINE, LINE, w=[0, 1, 1, 1, 1]),
    "smoothing factor": lambda m: m.make_smoothing_spline(LINE, LINE, lam=-1.0),
    "splrep few": lambda m: m.splrep([1, 2, 3], [1, 2, 3]),
    "splrep length": lambda m: m.splrep(LINE, [1, 2, 3, 4]),
    "splrep order": lambda m: m.splrep([1, 2, 3, 2, 5], LINE),
    "splrep degree": lambda m: m.splrep(LINE, LINE, k=7),
    "splev outside": lambda m: m.splev([9.0], m.splrep(LINE, LINE), ext=2),
    "splev mode": lambda m: m.splev([9.0], m.splrep(LINE, LINE), ext=7),
    "splev order": lambda m: m.splev([9.0], m.splrep(LINE, LINE), der=4),
    "sproot degree": lambda m: m.sproot(m.splrep(LINE, LINE, k=2)),
    "spalde outside": lambda m: m.spalde(9.0, m.splrep(LINE, LINE)),
    "splder order": lambda m: m.splder(m.splrep(LINE, LINE), 4),
    "make_splrep": lambda m: m.make_splrep(LINE, LINE, nest=10),
    "make_splrep s": lambda m: m.make_splrep(LINE, LINE, s=-1),
    "make_splrep w": lambda m: m.make_splrep(LINE, LINE, s=1, w=-LINE),
    "make_splrep ends": lambda m: m.make_splrep(LINE, LINE, s=1, bc_type="periodic"),
    "make_splrep condition": lambda m: m.make_splrep(LINE, LINE, s=1, bc_type="other"),
    "make_splrep nest": lambda m: m.make_splrep(LINE, LINE, s=1, nest=3),
    "univariate order": lambda m: m.UnivariateSpline([1, 3, 2, 4, 5.0], LINE),
    "univariate repeated": lambda m: m.UnivariateSpline([1, 2, 2, 4, 5.0], LINE, s=0),
    "univariate length": lambda m: m.UnivariateSpline(LINE, LINE[:3]),
    "univariate degree": lambda m: m.UnivariateSpline(LINE, LINE, k=6),
    "univariate mode": lambda m: m.UnivariateSpline(LINE, LINE, ext="x"),
    "univariate nan": lambda m: m.UnivariateSpline(LINE, LINE * np.nan, check_finite=True),
    "univariate s": lambda m: m.UnivariateSpline(LINE, LINE, s=-1.0),
    "univariate box": lambda m: m.UnivariateSpline(LINE, LINE, bbox=[1]),
    "knots rejected": lambda m: m.LSQUnivariateSpline(np.arange(9.0), np.arange(9.0), [3, 3.1, 3.2, 3.3, 3.4, 3.5]),
    "knots fall": lambda m: m.LSQUnivariateSpline(np.arange(9.0), np.arange(9.0), [3, 2]),
    "interpolated": lambda m: m.InterpolatedUnivariateSpline([1, 2, 2, 4, 5.0], LINE),
    "roots": lambda m: m.UnivariateSpline(LINE, LINE, k=2).roots(),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_refusals(call):
    assert outcome(call, ours, 12) == outcome(call, theirs, 12) != ("no error", "")


def test_a_penalty_that_hides_the_values_is_named():
    x = cp.arange(20.0)
    with pytest.raises(ValueError, match="`lam` is too large"):
        cp.scipy.interpolate.make_smoothing_spline(x, cp.sin(x), lam=1e20)


@pytest.mark.parametrize("s", [0, 0.3])
@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_the_last_value_of_a_period_is_not_looked_at(k, s):
    x = np.linspace(0, 6, 12)
    y = np.sin(x) + 0.1 * x
    expected, found = theirs.splrep(x, y, k=k, s=s, per=1), ours.splrep(x, y, k=k, s=s, per=1)
    np.testing.assert_allclose(found[0].get(), expected[0], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found[1].get(), expected[1], rtol=1e-6, atol=1e-8)
    y[-1] = np.nan
    np.testing.assert_allclose(ours.splrep(x, y, k=k, s=s, per=1)[1].get(), found[1].get())
