"""Derivatives beside SciPy."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.differentiate
from cuproxide.scipy import differentiate

X = np.linspace(0.6, 3, 7)
OPTIONS = [
    {}, {"step_direction": 1}, {"step_direction": -1}, {"order": 4}, {"initial_step": 1e-2}, {"maxiter": 2},
    {"tolerances": {"rtol": 1e-5}}, {"step_factor": 3.0}, {"step_direction": np.array([-1, 0, 1, -1, 0, 1, 1])},
]  # fmt: skip


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_derivative(options):
    found = differentiate.derivative(cp.log, cp.asarray(X), **options)
    wanted = scipy.differentiate.derivative(np.log, X, **options)
    for name in ("df", "error", "x"):
        np.testing.assert_allclose(found[name].get(), wanted[name], rtol=1e-10, atol=1e-11)
    for name in ("status", "success", "nit", "nfev"):
        np.testing.assert_array_equal(found[name].get(), wanted[name], err_msg=name)


def test_arguments_dtypes_and_bad_points():
    found = differentiate.derivative(lambda x, p: x**p, cp.asarray(X), args=(cp.asarray([[2.0], [3.0]]),))
    np.testing.assert_allclose(found.df.get(), [2 * X, 3 * X**2], rtol=1e-9)
    single = differentiate.derivative(cp.exp, cp.asarray(X, dtype="f"))
    assert single.df.dtype == np.float32
    np.testing.assert_allclose(single.df.get(), np.exp(X), rtol=2e-3)
    bad = differentiate.derivative(cp.exp, cp.asarray([1.0, np.nan]))
    assert bad.success.tolist() == [True, False] and int(bad.status[1]) == -3

    def stop(result):
        raise StopIteration

    assert set(differentiate.derivative(cp.exp, cp.asarray(X), callback=stop).status.tolist()) == {-4}


def test_jacobian_and_hessian():
    x = np.random.default_rng(0).normal(size=(3, 4))

    def f(m):
        return lambda x: m.stack([x[0] * x[1], m.sin(x[2])])

    found, wanted = differentiate.jacobian(f(cp), cp.asarray(x)), scipy.differentiate.jacobian(f(np), x)
    np.testing.assert_allclose(found.df.get(), wanted.df, atol=1e-9)
    assert found.df.shape == (2, 3, 4)
    # The derivative of what does not change is exactly zero, and known to be.
    assert found.success.all() and not found.df[0, 2].any()

    def g(m):
        return lambda x: x[0] * x[1] ** 2 * m.sin(x[2])

    found, wanted = differentiate.hessian(g(cp), cp.asarray(x)), scipy.differentiate.hessian(g(np), x)
    np.testing.assert_allclose(found.ddf.get(), wanted.ddf, atol=1e-7)
    assert {k for k in wanted if not k.startswith("_")} == set(found)


@pytest.mark.parametrize(
    "call",
    [
        lambda: differentiate.derivative(1, 2.0),
        lambda: differentiate.derivative(cp.exp, 2.0, maxiter=0),
        lambda: differentiate.derivative(cp.exp, 2.0, order=1.5),
        lambda: differentiate.derivative(cp.exp, 2.0, tolerances={"atol": -1}),
        lambda: differentiate.derivative(cp.exp, 2.0, preserve_shape="no"),
        lambda: differentiate.derivative(cp.exp, 2.0, callback=1),
        lambda: differentiate.derivative(lambda x: cp.ones(3), cp.ones(2)),
        lambda: differentiate.derivative(lambda x: x * 1j, cp.ones(2)),
        lambda: differentiate.jacobian(cp.exp, 2.0),
    ],
)
def test_errors(call):
    with pytest.raises(ValueError):
        call()
