"""Least squares, fits and systems of equations beside SciPy."""

import warnings

import cuproxide as cp
import numpy as np
import pytest
import scipy.optimize
import scipy.sparse
from cuproxide.scipy import optimize

RNG = np.random.default_rng(0)
T = np.linspace(0, 4, 60)
Y = 2.5 * np.exp(-1.3 * T) + 0.5 + 0.05 * RNG.normal(size=60)
ROUGH = Y + 3 * (np.arange(60) % 9 == 0)


def residuals(m, y):
    t, y = (cp.asarray(T), cp.asarray(y)) if m is cp else (T, y)
    return lambda x: x[0] * m.exp(-x[1] * t) + x[2] - y


BOX = ([0, 0, 0], [2, 3, 1])
OPTIONS = [
    {}, {"method": "lm"}, {"method": "dogbox"}, {"bounds": BOX}, {"method": "dogbox", "bounds": BOX},
    {"loss": "huber", "f_scale": 0.1}, {"loss": "soft_l1", "f_scale": 0.1}, {"loss": "cauchy"}, {"loss": "arctan"},
    {"x_scale": "jac"}, {"jac": "3-point"}, {"jac": "cs"}, {"max_nfev": 3},
]  # fmt: skip


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_least_squares(options):
    y = ROUGH if "loss" in options else Y
    start = np.array([1.0, 1, 0]) + (0.1 if "bounds" in options else 0)
    found = optimize.least_squares(residuals(cp, y), start, **options)
    wanted = scipy.optimize.least_squares(residuals(np, y), start, **options)
    np.testing.assert_allclose(found.x.get(), wanted.x, atol=1e-6)
    assert found.cost == pytest.approx(wanted.cost, rel=1e-8) and found.status == wanted.status
    np.testing.assert_array_equal(found.active_mask.get(), wanted.active_mask)
    assert set(found) == set(wanted) and found.message == wanted.message
    if options.get("method") != "lm":
        assert (found.nfev, found.njev) == (wanted.nfev, wanted.njev)


def model(m):
    return lambda t, a, b, c: a * m.exp(-b * t) + c


FITS = [
    {}, {"p0": [2, 1, 0]}, {"bounds": (0, [3, 2, 1])}, {"sigma": np.full(60, 0.05), "absolute_sigma": True},
    {"method": "trf"}, {"sigma": np.eye(60) * 0.01},
]  # fmt: skip


@pytest.mark.parametrize("options", FITS, ids=range(len(FITS)))
def test_curve_fit(options):
    found = optimize.curve_fit(model(cp), cp.asarray(T), cp.asarray(Y), **options)
    wanted = scipy.optimize.curve_fit(model(np), T, Y, **options)
    np.testing.assert_allclose(found[0].get(), wanted[0], rtol=1e-6)
    np.testing.assert_allclose(found[1].get(), wanted[1], rtol=1e-3, atol=1e-9)


def test_curve_fit_of_batches():
    y = RNG.uniform(1, 3, (40, 1)) * np.exp(-RNG.uniform(0.5, 2, (40, 1)) * T) + 0.02 * RNG.normal(size=(40, 60))
    for options in ({}, {"bounds": (0, [2.5, 1.5, 1])}):
        popt, pcov = optimize.curve_fit(model(cp), T, y, batch=True, **options)
        for i in range(0, 40, 5):
            wanted = scipy.optimize.curve_fit(model(np), T, y[i], **options)
            np.testing.assert_allclose(popt[i].get(), wanted[0], atol=1e-4)
            if not options:
                np.testing.assert_allclose(pcov[i].get(), wanted[1], rtol=1e-2, atol=1e-8)
    slope = optimize.curve_fit(
        lambda x, a: a * x,
        T,
        3 * T[None] * np.ones((2, 1)),
        batch=True,
        jac=lambda x, a: cp.ones((2, 1, 1)) * x[None, :, None],
    )
    np.testing.assert_allclose(slope[0].get(), 3)


def test_leastsq_and_failed_fits():
    found = optimize.leastsq(residuals(cp, Y), [1.0, 1, 0], full_output=True)
    wanted = scipy.optimize.leastsq(residuals(np, Y), [1.0, 1, 0], full_output=True)
    np.testing.assert_allclose(found[0].get(), wanted[0], rtol=1e-6)
    assert found[2]["nfev"] == wanted[2]["nfev"] and found[3:] == wanted[3:]
    with pytest.warns(optimize.OptimizeWarning):
        _, cov = optimize.curve_fit(lambda t, a, b: a + b + 0 * t, T, Y)
    assert cp.isinf(cov).all()
    with pytest.raises(RuntimeError):
        optimize.curve_fit(model(cp), T, Y, maxfev=3)


def pair(m):
    return lambda x: m.stack([x[0] + 0.5 * (x[0] - x[1]) ** 3 - 1, 0.5 * (x[1] - x[0]) ** 3 + x[1]])


def chain(m):
    def f(x):
        zero = m.zeros(1)
        return (3 - 2 * x) * x + 1 - m.concatenate([zero, x[:-1]]) - 2 * m.concatenate([x[1:], zero])

    return f


@pytest.mark.parametrize(
    "method", ["hybr", "broyden1", "broyden2", "anderson", "diagbroyden", "df-sane", "krylov", "lm"]
)
def test_root(method):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = optimize.root(pair(cp), [0.0, 0], method=method)
        wanted = scipy.optimize.root(pair(np), [0.0, 0], method=method)
    assert found.success and set(found) == set(wanted)
    assert float(cp.max(abs(found.fun))) < 1e-4
    np.testing.assert_allclose(found.x.get(), [0.8411639, 0.1588361], atol=1e-4)


@pytest.mark.parametrize("method", ["hybr", "krylov", "df-sane"])
def test_root_of_many_variables(method):
    found = optimize.root(chain(cp), -np.ones(60), method=method)
    wanted = scipy.optimize.root(chain(np), -np.ones(60), method="hybr")
    assert found.success
    np.testing.assert_allclose(found.x.get(), wanted.x, atol=1e-4)


def test_fsolve_bands_and_failures():
    found = optimize.fsolve(chain(cp), -np.ones(60), band=(1, 1), full_output=True)
    wanted = scipy.optimize.fsolve(chain(np), -np.ones(60), band=(1, 1), full_output=True)
    np.testing.assert_allclose(found[0].get(), wanted[0], rtol=1e-6)
    assert set(found[1]) == set(wanted[1]) and found[2:] == wanted[2:]
    lost = optimize.root(lambda x: x**2 + 1, [1.0, 2.0])
    assert not lost.success and lost.status > 1
    with pytest.raises(optimize.NoConvergence):
        optimize.broyden1(lambda x: x**2 + 1, [1.0, 2.0], maxiter=20)
    with pytest.warns(RuntimeWarning):
        optimize.fsolve(lambda x: x**2 + 1, [1.0])
    for method in ("del2", "iteration"):
        found = optimize.fixed_point(lambda x: cp.cos(x), cp.asarray([1.0, 0.5]), method=method)
        np.testing.assert_allclose(found.get(), 0.7390851, rtol=1e-6)


def test_approximations_are_operators():
    for kind in (optimize.BroydenFirst,):
        ours, theirs = kind(), scipy.optimize.BroydenFirst()
        rng = np.random.default_rng(3)
        x, f = rng.normal(size=(2, 4))
        ours.setup(cp.asarray(x), cp.asarray(f), None), theirs.setup(x, f, None)
        for _ in range(3):
            x, f = rng.normal(size=(2, 4))
            ours.update(cp.asarray(x), cp.asarray(f)), theirs.update(x, f)
        for name in ("solve", "matvec", "rsolve", "rmatvec"):
            np.testing.assert_allclose(getattr(ours, name)(cp.asarray(f)).get(), getattr(theirs, name)(f), rtol=1e-6)
        np.testing.assert_allclose(ours.todense().get(), theirs.todense(), rtol=1e-6)
        operator = optimize.InverseJacobian(ours)
        np.testing.assert_allclose(operator.matvec(cp.asarray(f)).get(), theirs.solve(f), rtol=1e-6)
        assert operator.shape == (4, 4)


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (ValueError, lambda: optimize.least_squares(residuals(cp, Y), [1.0, 1, 0], method="none")),
        (ValueError, lambda: optimize.least_squares(residuals(cp, Y), [1.0, 1, 0], loss="none")),
        (ValueError, lambda: optimize.least_squares(residuals(cp, Y), [1.0, 1, 0], method="lm", loss="huber")),
        (ValueError, lambda: optimize.least_squares(residuals(cp, Y), [1.0, 1, 0], bounds=(2, 3))),
        (ValueError, lambda: optimize.least_squares(residuals(cp, Y), [1.0, 1, 0], bounds=(1, 0))),
        (ValueError, lambda: optimize.least_squares(residuals(cp, Y), [1.0, 1, 0], ftol=None, xtol=None, gtol=None)),
        (ValueError, lambda: optimize.least_squares(lambda x: x * np.inf, [1.0])),
        (TypeError, lambda: optimize.leastsq(lambda x: x[:1], [1.0, 2])),
        (ValueError, lambda: optimize.curve_fit(lambda t, *p: t, T, Y)),
        (ValueError, lambda: optimize.curve_fit(model(cp), T, Y * np.nan)),
        (ValueError, lambda: optimize.curve_fit(model(cp), T, Y, sigma=np.ones(3))),
        (ValueError, lambda: optimize.root(pair(cp), [0, 0.0], method="none")),
        (TypeError, lambda: optimize.fsolve(lambda x: x[:1], [1.0, 2])),
        (RuntimeError, lambda: optimize.fixed_point(lambda x: 2 * x + 1, 1.0, maxiter=5, method="iteration")),
    ],
)
def test_errors(error, call):
    with pytest.raises(error):
        call()


def test_bounds_of_which_some_are_infinite():
    fun = lambda m: lambda x: m.stack([10 * (x[1] - x[0] ** 2), 1 - x[0]])  # noqa: E731
    for bounds in (([-np.inf, 1.5], np.inf), (-np.inf, [np.inf, 1.9]), ([-np.inf, -np.inf], [0.5, np.inf])):
        start = np.clip([0.2, 1.7], *bounds)
        expected = scipy.optimize.least_squares(fun(np), start, bounds=bounds)
        found = optimize.least_squares(fun(cp), start.tolist(), bounds=bounds)
        np.testing.assert_allclose(found.x.get(), expected.x, atol=1e-6)
        np.testing.assert_array_equal(found.active_mask.get(), expected.active_mask)


def _broyden(m):
    def fun(x):
        f = (3 - x) * x + 1
        before = m.concatenate([m.zeros(1), x[:-1]])
        after = m.concatenate([x[1:], m.zeros(1)])
        return f - before - 2 * after

    return fun


def _banded(n):
    return scipy.sparse.diags_array([np.ones(n - 1), np.ones(n), np.ones(n - 1)], offsets=[-1, 0, 1], format="coo")


def _on_device(a):
    parts = (cp.asarray(a.data), (cp.asarray(a.row), cp.asarray(a.col)))
    return cp.scipy.sparse.coo_array(parts, shape=a.shape)


SPARSE = [
    {}, {"jac": "3-point"}, {"jac": "cs"}, {"bounds": (-0.55, 10.0)}, {"loss": "soft_l1"}, {"x_scale": "jac"},
    {"bounds": ([-0.6] * 199 + [-0.5], np.inf), "jac": "3-point"}, {"tr_options": {"regularize": False}},
]  # fmt: skip


@pytest.mark.parametrize("options", SPARSE, ids=str)
def test_sparse_differences(options):
    n = 200
    expected = scipy.optimize.least_squares(_broyden(np), -0.5 * np.ones(n), jac_sparsity=_banded(n), **options)
    found = optimize.least_squares(_broyden(cp), -0.5 * cp.ones(n), jac_sparsity=_on_device(_banded(n)), **options)
    assert found.jac.format == "csr"
    assert found.success
    assert abs(found.cost - expected.cost) <= 1e-6 * expected.cost + 1e-12
    np.testing.assert_allclose(found.x.get(), expected.x, atol=1e-4)


def test_sparse_differences_call_once_a_group():
    calls = []
    fun = _broyden(cp)

    def counted(x):
        calls.append(x)
        return fun(x)

    found = optimize.least_squares(counted, -0.5 * cp.ones(500), jac_sparsity=_on_device(_banded(500)))
    # Three groups of columns of a band of three; no call for each of 500 variables.
    assert len(calls) == found.nfev + 3 * found.njev


def test_sparse_jacobians_that_are_given():
    n = 100

    def jac(x):
        main = 3 - 2 * x
        ones = cp.ones(n - 1)
        return cp.scipy.sparse.diags_array([-ones, main, -2 * ones], offsets=[-1, 0, 1])

    found = optimize.least_squares(_broyden(cp), -0.5 * cp.ones(n), jac)
    dense = optimize.least_squares(_broyden(cp), -0.5 * cp.ones(n), jac, tr_solver="exact")
    assert found.jac.format == "csr"
    assert isinstance(dense.jac, cp.ndarray)
    np.testing.assert_allclose(found.x.get(), dense.x.get(), atol=1e-9)


def test_patterns_that_do_not_fit():
    for module, m in ((scipy.optimize, np), (optimize, cp)):
        with pytest.raises(ValueError, match="jac_sparsity"):
            module.least_squares(_broyden(m), m.zeros(4), jac_sparsity=np.ones((3, 4)).tolist())
        with pytest.raises(ValueError, match="jac_sparsity"):
            module.least_squares(_broyden(m), m.zeros(4), jac_sparsity=np.eye(4).tolist(), method="lm")
