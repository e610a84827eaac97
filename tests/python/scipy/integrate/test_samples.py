"""Integrals of samples beside SciPy."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.integrate
from cuproxide.scipy import integrate

RULES = ["trapezoid", "simpson", "cumulative_trapezoid", "cumulative_simpson"]
VALUES = np.random.default_rng(0).normal(size=(3, 9, 4))
X = np.sort(np.random.default_rng(1).normal(size=9))


@pytest.mark.parametrize("count", [2, 3, 4, 5, 8, 9])
@pytest.mark.parametrize("name", RULES)
def test_rules(name, count):
    y = VALUES[:, :count]
    for options in ({}, {"x": X[:count]}, {"dx": 0.3}):
        wanted = getattr(scipy.integrate, name)(y, axis=1, **options)
        given = {key: cp.asarray(v) if key == "x" else v for key, v in options.items()}
        for layout in (cp.asarray(y), cp.asarray(y[:, ::-1])[:, ::-1], cp.asarray(y.T.copy()).T):
            found = getattr(integrate, name)(layout, axis=1, **given)
            np.testing.assert_allclose(found.get(), wanted, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("dtype", ["int32", "float32", "float64", "complex128"])
def test_dtypes(name, dtype):
    y = (VALUES[0] * 10).astype(dtype)
    wanted = getattr(scipy.integrate, name)(y)
    found = getattr(integrate, name)(cp.asarray(y))
    assert found.dtype == np.asarray(wanted).dtype
    np.testing.assert_allclose(found.get(), wanted, rtol=1e-5, atol=1e-5)


def test_repeated_points_and_nan():
    x = np.array([0.0, 1.0, 1.0, 2.0, 3.0])
    y = np.array([1.0, 2.0, 3.0, 4.0, np.nan])
    for values in (y[:4], y):
        with np.errstate(all="ignore"):
            wanted = scipy.integrate.simpson(values, x=x[: values.size])
        np.testing.assert_allclose(integrate.simpson(cp.asarray(values), x=x[: values.size]).get(), wanted)


def test_initial():
    y = cp.asarray(VALUES)
    wanted = scipy.integrate.cumulative_simpson(VALUES, axis=1, initial=2.0)
    np.testing.assert_allclose(integrate.cumulative_simpson(y, axis=1, initial=2.0).get(), wanted)
    assert integrate.cumulative_trapezoid(y, axis=1, initial=0).shape == VALUES.shape


@pytest.mark.parametrize("count", [2, 3, 5, 9])
def test_romb(count):
    np.testing.assert_allclose(
        integrate.romb(cp.asarray(VALUES[:, :count]), dx=0.5, axis=1).get(),
        scipy.integrate.romb(VALUES[:, :count], dx=0.5, axis=1),
        rtol=1e-13,
    )


def test_newton_cotes():
    for n in range(1, 15):
        wanted, found = scipy.integrate.newton_cotes(n, 1), integrate.newton_cotes(n, 1)
        np.testing.assert_allclose(found[0].get(), wanted[0], rtol=1e-13)
        np.testing.assert_allclose(found[1], wanted[1], rtol=1e-9)
    wanted, found = scipy.integrate.newton_cotes(np.array([0, 0.5, 2])), integrate.newton_cotes([0, 0.5, 2])
    np.testing.assert_allclose(found[0].get(), wanted[0])
    np.testing.assert_allclose(found[1], wanted[1])


@pytest.mark.parametrize("order", [3, 7, 13, 31, 59, 131])
def test_lebedev(order):
    x, w = (v.get() for v in integrate.lebedev_rule(order))
    wanted = scipy.integrate.lebedev_rule(order)
    assert x.shape == wanted[0].shape
    np.testing.assert_allclose(np.sort(w), np.sort(wanted[1]), rtol=1e-13)
    for f in (lambda x: np.exp(x[0] + 0.3 * x[1] * x[2]), lambda x: x[0] ** 2 * x[2] ** 4 + x[1]):
        np.testing.assert_allclose(np.sum(w * f(x)), np.sum(wanted[1] * f(wanted[0])), rtol=1e-12)


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (ValueError, lambda: integrate.romb(cp.ones(4))),
        (ValueError, lambda: integrate.simpson(cp.ones(4), x=cp.ones(3))),
        (ValueError, lambda: integrate.simpson(cp.ones((2, 4)), x=cp.ones((1, 1, 4)))),
        (ValueError, lambda: integrate.cumulative_simpson(cp.ones(4), x=cp.asarray([0.0, 2, 1, 3]))),
        (ValueError, lambda: integrate.cumulative_trapezoid(cp.ones(4), initial=1)),
        (ValueError, lambda: integrate.cumulative_trapezoid(cp.ones(0))),
        (ValueError, lambda: integrate.newton_cotes([1, 2, 3])),
        (NotImplementedError, lambda: integrate.lebedev_rule(4)),
        (ValueError, lambda: integrate.fixed_quad(cp.exp, 0, np.inf)),
    ],
)
def test_errors(error, call):
    with pytest.raises(error):
        call()
