"""Integrals of functions beside SciPy."""

import math
import warnings

import cuproxide as cp
import numpy as np
import pytest
import scipy.integrate
import scipy.stats
from cuproxide.scipy import integrate

INF = np.inf
# Name, the function of a namespace, the limits, options.
INTEGRALS = [
    ("gauss", lambda m: lambda x: m.exp(-x * x), -INF, INF, {}),
    ("half line", lambda m: lambda x: 1 / (1 + x * x), 1, INF, {}),
    ("other half line", lambda m: lambda x: 1 / (1 + x * x), -INF, 0, {}),
    ("reversed", lambda m: lambda x: x, 2, 1, {}),
    ("root", lambda m: lambda x: 1 / m.sqrt(x), 0, 1, {}),
    ("logarithm", lambda m: lambda x: m.log(x), 0, 1, {}),
    ("strong", lambda m: lambda x: x**-0.9, 0, 1, {}),
    ("kink", lambda m: lambda x: m.sqrt(abs(x - 0.3)), 0, 1, {}),
    ("step", lambda m: lambda x: 1.0 * (x > math.pi / 7), 0, 1, {}),
    ("waves", lambda m: lambda x: m.cos(50 * x), 0, 3, {}),
    ("scalars only", lambda m: lambda x: x if x < 0.3 else 1.0, 0, 1, {}),
    ("points", lambda m: lambda x: m.where(x < 0.3, x, 1.0), 0, 1, {"points": [0.3]}),
    ("constant", lambda m: lambda x: 3.0, 0, 2, {}),
    ("cosine", lambda m: lambda x: m.exp(x), 0, 2, {"weight": "cos", "wvar": 300.0}),
    ("slow sine", lambda m: lambda x: m.exp(x) / (x + 1), 0, 2, {"weight": "sin", "wvar": 3.0}),
    ("sine to infinity", lambda m: lambda x: 1 / m.sqrt(x + 1), 0, INF, {"weight": "sin", "wvar": 3.0}),
    ("cosine to infinity", lambda m: lambda x: m.exp(-x), 0, INF, {"weight": "cos", "wvar": 3.0}),
    ("sine from infinity", lambda m: lambda x: m.exp(x), -INF, 0, {"weight": "sin", "wvar": 3.0}),
    ("powers", lambda m: lambda x: m.exp(x), 0, 2, {"weight": "alg", "wvar": (-0.5, 0.3)}),
    ("powers and logarithms", lambda m: lambda x: m.exp(x), 0, 2, {"weight": "alg-log", "wvar": (-0.5, -0.3)}),
    ("one logarithm", lambda m: lambda x: m.exp(x), 0, 2, {"weight": "alg-loga", "wvar": (-0.5, 1.3)}),
    ("pole", lambda m: lambda x: m.exp(x), 0, 2, {"weight": "cauchy", "wvar": 0.7}),
    ("pole outside", lambda m: lambda x: m.exp(x), 0, 2, {"weight": "cauchy", "wvar": 3.0}),
]


@pytest.mark.parametrize(("name", "f", "a", "b", "options"), INTEGRALS, ids=[i[0] for i in INTEGRALS])
def test_quad(name, f, a, b, options):
    found = integrate.quad(f(cp), a, b, full_output=1, **options)
    wanted = scipy.integrate.quad(f(np), a, b, full_output=1, **options)
    assert len(found) == 3, found[3:]
    assert abs(found[0] - wanted[0]) <= 1.5e-8 * max(1, abs(wanted[0]))
    assert found[1] <= 1.5e-8 * max(1, abs(found[0]))
    assert found[2]["neval"] > 0


@pytest.mark.parametrize(
    ("f", "a", "b"),
    [
        (lambda x: 1 / x, 0, 1),
        (lambda x: 1 / (x - 0.3), 0, 1),
        (lambda x: x * math.nan, 0, 1),
        (lambda x: cp.exp(x), 0, INF),
    ],
)
def test_no_integral_is_told(f, a, b):
    assert len(integrate.quad(f, a, b, full_output=1)) == 4
    with pytest.warns(integrate.IntegrationWarning):
        integrate.quad(f, a, b)


def test_functions_that_mix_points_are_called_one_by_one():
    assert integrate.quad(lambda x: x + 0 * cp.max(cp.asarray(x)), 0, 1)[0] == pytest.approx(0.5)
    calls = []

    def of_the_largest(x):
        calls.append(x)
        return cp.asarray(x) * 0 + cp.max(cp.asarray(x))

    assert integrate.quad(of_the_largest, 0, 1)[0] == pytest.approx(0.5)
    assert not isinstance(calls[-1], cp.ndarray)


def test_complex():
    found = integrate.quad(lambda x: cp.exp(1j * cp.asarray(x)), 0, 1, complex_func=True)
    assert found[0] == pytest.approx((np.exp(1j) - 1) / 1j)


def test_several_variables():
    cases = [
        ("dblquad", (lambda m: lambda y, x: m.exp(x * y), 0, 1, lambda x: x, 2)),
        ("tplquad", (lambda m: lambda z, y, x: x * y * m.cos(z), 1, 2, 2, lambda x: 3, 0, lambda x, y: x + y)),
    ]
    for name, (f, *limits) in cases:
        found, wanted = getattr(integrate, name)(f(cp), *limits), getattr(scipy.integrate, name)(f(np), *limits)
        assert found[0] == pytest.approx(wanted[0], rel=1e-12)
    options = {"full_output": True, "args": (2.0,), "opts": [{"epsabs": 1e-6}, {}]}
    ranges = [lambda y, a: (0, y), (0, 2)]
    found = integrate.nquad(lambda x, y, a: cp.sin(x * y) * a, ranges, **options)
    wanted = scipy.integrate.nquad(lambda x, y, a: np.sin(x * y) * a, ranges, **options)
    assert found[0] == pytest.approx(wanted[0], rel=1e-12) and found[2] == wanted[2]


@pytest.mark.parametrize("rule", [None, "gk21", "gk15", "trapezoid"])
@pytest.mark.parametrize("limits", [(0, 2), (0, INF), (-INF, INF), (INF, 1)])
def test_quad_vec(rule, limits):
    options = {"quadrature": rule, "full_output": True, "epsrel": 1e-4 if rule == "trapezoid" else 1e-8}
    found = integrate.quad_vec(lambda x: cp.exp(-x * x * cp.arange(1, 4)), *limits, **options)
    wanted = scipy.integrate.quad_vec(lambda x: np.exp(-x * x * np.arange(1, 4)), *limits, **options)
    np.testing.assert_allclose(found[0].get(), wanted[0], rtol=1e-4 if rule == "trapezoid" else 1e-9)
    assert found[2].success and found[2].intervals.shape[1] == 2
    if rule != "trapezoid":
        assert found[2].neval == wanted[2].neval
        np.testing.assert_allclose(found[1], wanted[1], rtol=1e-3)


def test_quad_vec_of_numbers_and_points():
    assert integrate.quad_vec(math.exp, 0, 1)[0] == pytest.approx(math.e - 1)
    found = integrate.quad_vec(lambda x: cp.where(cp.asarray(x) < 0.3, cp.ones(2), 2.0), 0, 1, points=[0.3])
    np.testing.assert_allclose(found[0].get(), 1.7)
    assert not integrate.quad_vec(lambda x: cp.asarray([x, math.nan]), 0, 1, full_output=True)[2].success
    with pytest.raises(ValueError):
        integrate.quad_vec(math.exp, 0, 1, quadrature="gk99")


BOXES = [
    ("gk21", [0, 0], [1, 2]), ("genz-malik", [0, 0, 0], [1, 2, 1]), ("gk15", [-INF, 0], [INF, INF]),
    ("gk15", [-INF], [1]), ("genz-malik", [0, 0], [1, -2]),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "a", "b"), BOXES)
def test_cubature(rule, a, b):
    def f(m):
        return lambda x: m.exp(-m.sum(x * x, axis=1)[:, None] * m.arange(1.0, 4))

    found = integrate.cubature(f(cp), a, b, rule=rule)
    wanted = scipy.integrate.cubature(f(np), a, b, rule=rule)
    np.testing.assert_allclose(found.estimate.get(), wanted.estimate, rtol=1e-9)
    assert found.status == wanted.status == "converged"
    assert abs(found.subdivisions - wanted.subdivisions) <= 40
    assert float(cp.sum(cp.stack([r.estimate for r in found.regions]))) != 0


def test_cubature_ends():
    found = integrate.cubature(lambda x: 1 / x[:, 0], [0], [1], max_subdivisions=20)
    assert found.status == "not_converged"
    found = integrate.cubature(lambda x: cp.full(x.shape[0], cp.nan), [0], [1])
    assert found.status == "not_converged"
    with pytest.raises(ValueError):
        integrate.cubature(lambda x: x, [], [])


def test_qmc_quad():
    found = integrate.qmc_quad(lambda x: cp.exp(-cp.sum(x * x, axis=0)), [0, 0, 0], [1, 1, -1])
    exact = -((math.sqrt(math.pi) / 2 * math.erf(1)) ** 3)
    assert abs(float(found.integral) - exact) < 10 * float(found.standard_error) < 0.01
    logs = integrate.qmc_quad(lambda x: -cp.sum(x * x, axis=0), [0, 0, 0], [1, 1, -1], log=True)
    assert complex(logs.integral) == pytest.approx(np.log(-exact) + np.pi * 1j, abs=1e-2)
    halton = scipy.stats.qmc.Halton(3, seed=1)
    other = integrate.qmc_quad(lambda x: cp.exp(-cp.sum(x * x, axis=0)), [0, 0, 0], [1, 1, -1], qrng=halton)
    assert abs(float(other.integral) - exact) < 0.01
    with pytest.raises(TypeError):
        integrate.qmc_quad(1, [0], [1])


A = np.array
TANHSINH = [
    ("gauss", lambda m, x: m.exp(-x * x), -INF, A([0, 1, INF]), {}),
    ("singular", lambda m, x: 1 / m.sqrt(x), 0, A([1.0, 2, 0]), {}),
    ("two ends", lambda m, x: m.log(x), A([0, 2.0]), A([1, 1.0]), {}),
    ("minlevel", lambda m, x: m.cos(9 * x), 0, A([1, 3.0]), {"minlevel": 0}),
    ("maxlevel", lambda m, x: m.cos(90 * x), 0, A([1, 3.0]), {"maxlevel": 3}),
    ("log", lambda m, x: -x * x, -INF, A([0, 1, INF]), {"log": True}),
    ("log negative", lambda m, x: -x * x, A([1, 2.0]), 0, {"log": True}),
    ("nan", lambda m, x: x, 0, A([np.nan, 1]), {}),
    ("complex", lambda m, x: m.exp(1j * x), 0, A(1.0), {}),
    ("float32", lambda m, x: m.exp(x), A([0], "f"), A([1.0], "f"), {}),
]
NSUM = [
    ("zeta", lambda m, x: 1 / x**2, 1, A([INF]), {}),
    ("direct", lambda m, x: 1 / x**2, 1, A([10, 100, 0, 4.5]), {}),
    ("step", lambda m, x: 1 / x**2, 1, A([10, INF]), {"step": 2.0}),
    ("from infinity", lambda m, x: 1 / x**2, -INF, A([-1.0]), {}),
    ("both", lambda m, x: m.exp(-x * x), -INF, A([INF]), {}),
    ("log", lambda m, x: -2 * m.log(x), 1, A([INF, 20]), {"log": True}),
    ("maxterms", lambda m, x: 1 / x**2, 1, A([10000.0]), {"maxterms": 100}),
    ("bad step", lambda m, x: 1 / x**2, 1, A([10000.0]), {"step": -1}),
    ("divergent", lambda m, x: 1 / x, 1, A([INF]), {}),
]


def compare(found, wanted):
    for name in wanted:
        if name.startswith("_"):
            continue
        one, two = found[name].get(), np.asarray(wanted[name])
        if two.dtype.kind in "bi":
            np.testing.assert_array_equal(one, two, err_msg=name)
        else:
            np.testing.assert_allclose(one, two, rtol=1e-6 if name == "error" else 1e-7, atol=1e-12, err_msg=name)


def on_device(value):
    return cp.asarray(value) if isinstance(value, np.ndarray) else value


@pytest.mark.parametrize(("name", "f", "a", "b", "options"), TANHSINH, ids=[c[0] for c in TANHSINH])
def test_tanhsinh(name, f, a, b, options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = scipy.integrate.tanhsinh(lambda x: f(np, x), a, b, **options)
    compare(integrate.tanhsinh(lambda x: f(cp, x), on_device(a), on_device(b), **options), wanted)


@pytest.mark.parametrize(("name", "f", "a", "b", "options"), NSUM, ids=[c[0] for c in NSUM])
def test_nsum(name, f, a, b, options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = scipy.integrate.nsum(lambda x: f(np, x), a, b, **options)
    compare(integrate.nsum(lambda x: f(cp, x), on_device(a), on_device(b), **options), wanted)


def test_tanhsinh_shapes_and_callback():
    found = integrate.tanhsinh(lambda x: cp.stack([x, cp.sin(x)]), 0, cp.asarray([1.0, 2.0]), preserve_shape=True)
    np.testing.assert_allclose(found.integral.get(), [[0.5, 2], [1 - math.cos(1), 1 - math.cos(2)]])

    def stop(result):
        raise StopIteration

    assert int(integrate.tanhsinh(cp.exp, 0, 1.0, callback=stop).status) == -4


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (ValueError, lambda: integrate.quad(cp.exp, 0, 1, epsabs=0, epsrel=1e-40)),
        (ValueError, lambda: integrate.quad(cp.exp, 0, 1, limit=0)),
        (ValueError, lambda: integrate.quad(cp.exp, 0, INF, points=[1])),
        (ValueError, lambda: integrate.quad(cp.exp, 0, 1, weight="tan", wvar=1)),
        (ValueError, lambda: integrate.quad(cp.exp, -INF, INF, weight="cos", wvar=1)),
        (ValueError, lambda: integrate.quad(cp.exp, 0, 1, weight="cauchy", wvar=0)),
        (ValueError, lambda: integrate.quad(cp.exp, 0, 1, weight="alg", wvar=(-1.5, 0))),
        (ValueError, lambda: integrate.tanhsinh(1, 0, 1)),
        (ValueError, lambda: integrate.tanhsinh(cp.exp, 0, 1j)),
        (ValueError, lambda: integrate.tanhsinh(cp.exp, 0, 1, maxlevel=-1)),
        (ValueError, lambda: integrate.tanhsinh(cp.exp, 0, 1, atol=-1)),
        (ValueError, lambda: integrate.nsum(cp.exp, 0, 1, maxterms=1.5)),
        (ZeroDivisionError, lambda: integrate.quad(lambda x: 1 // 0, 0, 1)),
    ],
)
def test_errors(error, call):
    with pytest.raises(error):
        call()


def test_orders_and_tolerances_on_the_device():
    x, w = integrate.lebedev_rule(cp.asarray(5))
    assert x.shape == (3, w.size)
    f = lambda x: cp.log(cp.sqrt(2 / cp.pi)) - x**2 / 2  # noqa: E731
    found = integrate.tanhsinh(f, 20, 30, log=True, rtol=cp.log(cp.asarray(1e-10)))
    expected = scipy.integrate.tanhsinh(
        lambda x: np.log(np.sqrt(2 / np.pi)) - x**2 / 2, 20, 30, log=True, rtol=np.log(1e-10)
    )
    assert found.integral.item() == pytest.approx(expected.integral, rel=1e-10)
