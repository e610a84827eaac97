"""Roots and minima of functions of one variable, and elementwise ones, beside SciPy."""

import warnings

import cuproxide as cp
import numpy as np
import pytest
import scipy.optimize
import scipy.optimize.elementwise
from cuproxide.scipy import optimize
from cuproxide.scipy.optimize import elementwise

FUNCTIONS = [
    (lambda x: x**3 - 2 * x - 5, 2, 3),
    (lambda x: np.exp(x) - 2, -4, 4 / 3),
    (lambda x: np.cos(x) - x, 0, 2),
    (lambda x: 1e-3 * x - 1e-6, -7, 5),
]


@pytest.mark.parametrize("method", ["bisect", "ridder", "brentq", "brenth", "toms748"])
def test_brackets(method):
    for f, a, b in FUNCTIONS:
        root, info = getattr(optimize, method)(f, a, b, full_output=True)
        wanted, theirs = getattr(scipy.optimize, method)(f, a, b, full_output=True)
        assert root == pytest.approx(wanted, abs=5e-12) and info.converged and set(info) == set(theirs)
        if method != "toms748":
            assert (info.iterations, info.function_calls) == (theirs.iterations, theirs.function_calls)
        assert abs(info.function_calls - theirs.function_calls) <= 4
    device = getattr(optimize, method)(lambda x: cp.exp(cp.asarray(x)) - 2, 0, 1)
    assert device == pytest.approx(np.log(2))


@pytest.mark.parametrize(
    "options",
    [
        {"x0": 1.0}, {"x0": 1.0, "fprime": lambda x: 3 * x * x}, {"x0": 1.0, "x1": 2.0},
        {"x0": 1.0, "fprime": lambda x: 3 * x * x, "fprime2": lambda x: 6 * x}, {"bracket": [0, 2]},
        {"bracket": [0, 2], "method": "ridder", "xtol": 1e-3},
    ],
)  # fmt: skip
def test_root_scalar(options):
    found = optimize.root_scalar(lambda x: x**3 - 2, **options)
    wanted = scipy.optimize.root_scalar(lambda x: x**3 - 2, **options)
    assert dict(found) == pytest.approx(dict(wanted))


def test_newton_of_arrays():
    a = np.array([2.0, 9.0, 1e-3])
    for more in ({}, {"fprime": lambda x, a: 2 * x}, {"fprime": lambda x, a: 2 * x, "fprime2": lambda x, a: 2}):
        found = optimize.newton(lambda x, a: x * x - a, cp.ones(3), args=(cp.asarray(a),), **more)
        np.testing.assert_allclose(found.get(), np.sqrt(a), rtol=1e-8)
    with pytest.warns(RuntimeWarning):
        optimize.newton(lambda x: x**2 + cp.asarray([1.0, -1.0]), cp.ones(2), maxiter=20)
    assert optimize.newton(lambda z: z**3 - 1, -1 + 1j).imag == pytest.approx(3**0.5 / 2)


@pytest.mark.parametrize(("method", "options"), [("brent", {}), ("golden", {}), ("bounded", {"bounds": (-3, 3)})])
def test_minimize_scalar(method, options):
    for f in (lambda x: (x - 2) * x * (x + 2) ** 2, lambda x: (x - 1) ** 4, lambda x: np.cosh(x - 0.1)):
        found = optimize.minimize_scalar(f, method=method, **options)
        wanted = scipy.optimize.minimize_scalar(f, method=method, **options)
        assert dict(found) == pytest.approx(dict(wanted))
    missing = optimize.minimize_scalar(lambda x: x, method="brent") if method == "brent" else None
    assert missing is None or not missing.success


def compare(found, wanted):
    for name in (name for name in wanted if not name.startswith("_")):
        ones = found[name] if isinstance(found[name], tuple) else (found[name],)
        twos = wanted[name] if isinstance(wanted[name], tuple) else (wanted[name],)
        for one, two in zip(ones, twos, strict=True):
            np.testing.assert_allclose(one.get(), two, rtol=1e-9, atol=1e-9, err_msg=name)


A = np.array([2.0, 9, -3, 0.5])
ELEMENTWISE = [
    ("find_root", lambda x, a: x**3 - a, ((-9.0, 10.0),), 1, {}),
    ("find_root", lambda x, a: x**2 - a, ((0.0, 10.0),), 1, {"maxiter": 5}),
    ("find_root", lambda x, a: x - a * np.nan, ((0.0, 10.0),), 1, {}),
    ("find_minimum", lambda x, a: (x - a) ** 4, ((-9.0, 0.5, 10.0),), 1, {}),
    ("find_minimum", lambda x, a: (x - a) ** 2, ((-9.0, 0.5, 5.0),), 1, {"tolerances": {"xatol": 1e-2}}),
    ("bracket_root", lambda x, a: x**3 - a, (A - 5,), 1, {}),
    ("bracket_root", lambda x, a: x**3 - a, (A - 5,), 100, {"xmin": -50, "xmax": 6}),
    ("bracket_root", lambda x, a: x**2 + 1, (0.0,), 1, {"maxiter": 4}),
    ("bracket_minimum", lambda x, a: (x - a) ** 2, (A - 5,), 1, {}),
    ("bracket_minimum", lambda x, a: (x - a) ** 2, (A - 5,), 1, {"xmin": -20, "xmax": 3}),
]


@pytest.mark.parametrize(("name", "f", "points", "scale", "options"), ELEMENTWISE)
def test_elementwise(name, f, points, scale, options):
    given = [cp.asarray(p) if isinstance(p, np.ndarray) else p for p in points]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = getattr(scipy.optimize.elementwise, name)(f, *points, args=(A * scale,), **options)
    compare(getattr(elementwise, name)(f, *given, args=(cp.asarray(A * scale),), **options), wanted)


def test_many_elements_stop_at_their_own_time():
    a = cp.linspace(0.1, 1e6, 5000)
    seen = []

    def f(x, a):
        seen.append(x.shape)
        return x**3 - a

    found = elementwise.find_root(f, (0.0, 1e3), args=(a,))
    assert found.success.all() and len({shape[0] for shape in seen}) > 1
    np.testing.assert_allclose(found.x.get(), np.cbrt(a.get()), rtol=1e-12)


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (ValueError, lambda: optimize.brentq(lambda x: x * x + 1, 0, 1)),
        (ValueError, lambda: optimize.brentq(lambda x: x, -1, 1, xtol=-1)),
        (ValueError, lambda: optimize.brentq(lambda x: x * np.nan, -1, 1)),
        (RuntimeError, lambda: optimize.bisect(lambda x: x - 0.3, -1, 1, maxiter=3)),
        (ValueError, lambda: optimize.newton(lambda x: x, 1.0, tol=-1)),
        (RuntimeError, lambda: optimize.newton(lambda x: x * x + 1, 1.0)),
        (RuntimeError, lambda: optimize.newton(lambda x: x, 1.0, fprime=lambda x: 0.0)),
        (ValueError, lambda: optimize.root_scalar(lambda x: x)),
        (ValueError, lambda: optimize.root_scalar(lambda x: x, x0=1, method="none")),
        (ValueError, lambda: optimize.minimize_scalar(lambda x: x, bounds=(0, 1), method="brent")),
        (ValueError, lambda: optimize.minimize_scalar(lambda x: x, bounds=(1, 0))),
        (ValueError, lambda: optimize.minimize_scalar(lambda x: x, method="none")),
        (RuntimeError, lambda: optimize.bracket(lambda x: x)),
        (ValueError, lambda: elementwise.find_root(1, (0, 1))),
        (ValueError, lambda: elementwise.find_root(lambda x: x, (0.0, 1.0), tolerances={"xatol": -1})),
        (ValueError, lambda: elementwise.bracket_root(lambda x: x, 0.0, factor=0.5)),
    ],
)
def test_errors(error, call):
    with pytest.raises(error):
        call()


@pytest.mark.parametrize("shape", [(1,), (1, 1)])
@pytest.mark.parametrize("dtype", ["f", "d", "i"])
def test_newton_keeps_the_axes_of_a_single_start(shape, dtype):
    def curve(x):
        assert x.shape == shape
        return x * x - 2

    for more in ({}, {"fprime": lambda x: 2 * x}, {"fprime": lambda x: 2 * x, "fprime2": lambda x: 2 + 0 * x}):
        start = np.ones(shape, dtype)
        expected = scipy.optimize.newton(curve, start, tol=1e-6, **more)
        found, result = optimize.newton(curve, cp.asarray(start), tol=1e-6, full_output=True, **more)
        assert found.shape == shape and found.dtype == expected.dtype and result.root.shape == shape
        np.testing.assert_allclose(found.get(), expected, rtol=1e-5)
