"""Values that underflow, functions that are NaN, singular Jacobians, bounds that fix variables, bad scales."""

import math
import warnings

import cuproxide as cp
import numpy as np
import pytest
from cuproxide._lib.categories import category
from cuproxide.scipy import integrate, linalg, optimize

GRADIENT = ("Newton-CG", "dogleg", "trust-ncg", "trust-exact", "trust-krylov")


@pytest.mark.parametrize("method", ["bisect", "ridder", "brentq", "brenth", "toms748"])
@pytest.mark.parametrize("scale", [1.0, 1e-165, 1e-300, 1e165, 1e305])
def test_roots_of_values_of_any_size(method, scale):
    root, found = getattr(optimize, method)(lambda z: (z - 0.1) * scale, -1, 1, full_output=True)
    assert abs(root - 0.1) < 1e-11
    assert found.converged
    # A jump has no slope to extrapolate.
    assert abs(getattr(optimize, method)(lambda z: -1e-165 if z < 0.3 else 1e-165, 0, 1) - 0.3) < 1e-10


def test_toms748_refuses_infinite_values():
    with pytest.raises(ValueError, match="Invalid function value"):
        optimize.toms748(lambda x: math.inf if x > 0.5 else -1.0, 0, 1)


def test_singular_jacobians_are_no_roots():
    for fun, start, success in (
        (lambda x: x * 0 + 1.0, [1.0, 2.0], False),
        (lambda x: [x[0] + x[1] - 1, 2 * x[0] + 2 * x[1] - 5], [0.0, 0.0], False),
        (lambda x: [x[0] + x[1] - 3, (x[0] + x[1]) ** 2 - 9], [1.0, 1.0], True),
    ):
        res = optimize.root(fun, cp.asarray(start))
        assert res.success is success
        if success:
            assert abs(float(cp.sum(res.x)) - 3) < 1e-6


def test_single_precision_starts_take_steps_of_double():
    x, _, code, _ = optimize.fsolve(lambda x: x**2 - 2, cp.asarray([1.0], np.float32), full_output=True)
    assert code == 1 and x.dtype == np.float64 and abs(x.item() - 2**0.5) < 1e-12
    assert cp.allclose(optimize.approx_fprime(cp.asarray([1.0, 2.0], np.float32), lambda x: cp.sum(x**2)), [2, 4], 1e-6)


@pytest.mark.parametrize("method", ["L-BFGS-B", "TNC", "SLSQP", "COBYLA", "COBYQA", "Powell", "Nelder-Mead"])
def test_equal_bounds_hold_variables(method):
    seen = []

    def fun(x):
        seen.append(x)
        return cp.sum((x - 1) ** 2)

    bounds = [(0, 2), (0.5, 0.5), (-1, 0.25)]
    res = optimize.minimize(fun, cp.zeros(3), bounds=bounds, method=method)
    assert res.success
    assert cp.allclose(res.x, cp.asarray([1.0, 0.5, 0.25]), atol=1e-3)
    assert res.x[1] == 0.5
    if method in ("COBYLA", "COBYQA"):
        assert all(x[1] == 0.5 for x in seen)


def test_constraints_see_fixed_variables():
    for method in ("COBYLA", "COBYQA"):
        res = optimize.minimize(
            lambda x: cp.sum(x * x), cp.asarray([0.0, 3.0, 0.0]), method=method, bounds=[(-5, 5), (2, 2), (-5, 5)],
            constraints={"type": "ineq", "fun": lambda x: x[0] + x[1] + x[2] - 4},
        )  # fmt: skip
        assert cp.allclose(res.x, cp.asarray([1.0, 2.0, 1.0]), atol=1e-2)


@pytest.mark.parametrize(
    ("method", "status"),
    [
        ("Nelder-Mead", None), ("CG", 3), ("BFGS", 3), ("Newton-CG", 3), ("L-BFGS-B", 2), ("TNC", 6), ("COBYLA", -1),
        ("COBYQA", 0), ("SLSQP", 7), ("trust-constr", 0),
    ],
)  # fmt: skip
def test_functions_that_are_nan_do_not_succeed(method, status):
    more = {"jac": lambda x: x * math.nan} if method in GRADIENT else {}
    res = optimize.minimize(lambda x: cp.sum(x) * math.nan, cp.zeros(2), method=method, **more)
    if status is not None:
        assert (res.success, res.status) == (False, status)


def test_starts_that_are_nan():
    start = cp.asarray([math.nan, 1.0])
    for method in ("dogleg", "trust-ncg", "trust-exact", "trust-krylov"):
        with pytest.raises(ValueError, match="NaN"):
            optimize.minimize(optimize.rosen, start, method=method, jac=optimize.rosen_der, hess=optimize.rosen_hess)
    for method in ("SLSQP", "COBYLA", "COBYQA", "TNC", "Newton-CG"):
        assert not optimize.minimize(optimize.rosen, start, method=method, jac=optimize.rosen_der).success


def test_limits_and_targets():
    square = lambda x: cp.sum((x - 1) ** 2)  # noqa: E731
    res = optimize.minimize(square, cp.zeros(2), method="COBYLA", options={"f_target": 0.5})
    assert (res.success, res.status) == (True, 1)
    with pytest.warns(UserWarning, match="n \\+ 2"):
        assert optimize.minimize(square, cp.zeros(2), method="COBYLA", options={"maxiter": 0}).status == 3
    with pytest.raises(ValueError, match="must be positive, got 0"):
        optimize.minimize(square, cp.zeros(2), method="COBYQA", options={"maxiter": 0})
    with pytest.raises(TypeError, match="foo"):
        optimize.minimize(square, cp.zeros(2), method="trust-constr", options={"foo": 1})
    res = optimize.dual_annealing(square, [(-3, 3)] * 2, maxfun=20, rng=1)
    assert not res.success and "function call" in res.message[0]
    for method in ("BFGS", "CG", "Newton-CG"):
        with pytest.raises(ValueError, match="c1"):
            optimize.minimize(
                optimize.rosen, cp.zeros(2), method=method, jac=optimize.rosen_der, options={"c1": 0.9, "c2": 0.1}
            )
    with pytest.raises(ValueError, match="upper bound"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        optimize.minimize(square, cp.zeros(2), method="BFGS", bounds=[(1, 0), (0, 1)])


def test_nnls_of_columns_of_any_size():
    a = np.array([[1.0, 2, 0.5], [0.3, 1, 4], [2, 0.1, 1], [1, 1, 3]])
    exact = np.array([0.5, 2.0, 0.0])
    for scale in ([1, 1, 1], [1, 1e-8, 1e8], [1, 1e-150, 1e150], [1e-12, 1e3, 1]):
        scale = np.array(scale)
        b = a @ exact - np.array([0, 0, 0, 1e-3]) * 0
        x, norm = optimize.nnls(cp.asarray(a * scale), cp.asarray(b))
        assert np.allclose(x.get() * scale, exact, atol=1e-12) and norm < 1e-12


def test_linear_programs_of_bad_scale_by_the_interior_point_method():
    solve = lambda *args, **more: optimize.linprog(*args, method="interior-point", **more)  # noqa: E731
    c = [-1.0, -2]
    for rows in ([1, 1], [1e6, 1e-6], [1e-5, 1e4]):
        rows = np.array(rows)
        a, b = np.array([[1.0, 1], [1, -1]]) * rows[:, None], np.array([4.0, 2]) * rows
        res = solve(c, a, b)
        assert res.status == 0 and np.allclose(res.x.get(), [0, 4], atol=1e-5)
        # Bounds far away count for nothing, nor do rows that depend on each other.
        res = solve(c, a, b, bounds=(0, 1e9))
        assert res.status == 0 and np.allclose(res.x.get(), [0, 4], atol=1e-4)
        res = solve(c, a, b, A_eq=[[1.0, 1], [2, 2]], b_eq=[3.0, 6])
        assert res.status == 0 and np.allclose(res.x.get(), [0, 3], atol=1e-5)
        assert solve(c, a, b, A_eq=[[1.0, 1], [2, 2]], b_eq=[3.0, 7]).status == 2
        assert solve(c, a, np.array([-1.0, 2]) * rows).status == 2
        assert solve(c, a[1:], b[1:]).status == 3
        assert solve(c, a, b, bounds=[(None, None), (None, 2)]).status == 0
        assert solve(c, a, b, bounds=[(None, None), (None, None)]).status == 3
    # Unbounded in one direction, and no point at all.
    assert solve([-1.0, 0], [[0.0, 1]], [-1.0]).status == 2


def test_old_methods_of_linprog_are_highs():
    pytest.importorskip("scipy")
    for method in ("simplex", "revised simplex"):
        with pytest.warns(DeprecationWarning, match=method):
            assert optimize.linprog([-1.0], [[1.0]], [2.0], method=method, options={"bland": True}).fun == -2
    for method in ("highs", "interior-point", "pdhg"):
        assert optimize.linprog([1.0], bounds=[(2, 1)], method=method).status == 2
    limit = ([[1.0, 2]], 0, 4)
    for constraints in ([limit], limit, (limit,)):
        assert optimize.milp(cp.asarray([-1.0, -1]), constraints=constraints, bounds=optimize.Bounds(0, 3)).fun == -3.5
    with pytest.raises(ValueError, match="convertible"):
        optimize.milp([-1.0], constraints=5)


def test_arguments():
    line = lambda x, a: a * x  # noqa: E731
    x = cp.asarray([1.0, 2, math.nan, 4])
    popt, _ = optimize.curve_fit(line, x, cp.asarray([2.0, 4.1, 6, 8]), sigma=0.05, nan_policy="omit")
    assert abs(popt.item() - 2.0095238) < 1e-6
    popt, pcov = optimize.curve_fit(line, cp.asarray([1.0, 2, 3]), 2.0)
    assert pcov.shape == (1, 1) and math.isfinite(pcov.item())
    assert optimize.shgo(lambda x: cp.sum((x - 1) ** 2), [(-3, 3)] * 2, n=None).success
    assert optimize.isotonic_regression(3.0).x.tolist() == [3]
    assert abs(optimize.newton(lambda x, a: x * x - a, 1.5, args=[2.0]) - 2**0.5) < 1e-8
    for function in (optimize.rosen, optimize.rosen_der, optimize.rosen_hess):
        assert function(cp.asarray([1, 2, 3])).dtype == np.float64
    with pytest.raises(ValueError, match="lsmr_tol"):
        optimize.lsq_linear(cp.eye(2), cp.ones(2), lsmr_tol="abc")
    with pytest.raises(ValueError, match="x_scale"):
        optimize.least_squares(lambda x: x - 1, cp.asarray([0.5]), x_scale=1j)


def test_filters_on_classes_of_scipy_catch_our_warnings():
    pytest.importorskip("scipy")
    import scipy.integrate
    import scipy.linalg
    import scipy.optimize

    for own, theirs in (
        (optimize.OptimizeWarning, scipy.optimize.OptimizeWarning),
        (integrate.IntegrationWarning, scipy.integrate.IntegrationWarning),
        (linalg.LinAlgWarning, scipy.linalg.LinAlgWarning),
    ):
        assert issubclass(category(own), own) and issubclass(category(own), theirs)
        assert category(own) is category(own)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", category=scipy.optimize.OptimizeWarning)
        optimize.minimize(optimize.rosen, cp.zeros(2), options={"foo": 1, "maxiter": 1})
    for filtered in (optimize.OptimizeWarning, scipy.optimize.OptimizeWarning):
        with pytest.warns(filtered, match="foo"):
            optimize.minimize(optimize.rosen, cp.zeros(2), options={"foo": 1, "maxiter": 1})


def test_brackets_keep_single_precision():
    low, high = cp.asarray(0, np.float32), cp.asarray(1, np.float32)
    found = optimize.elementwise.bracket_root(lambda x: x - 5, low, high)
    assert {x.dtype for x in found.bracket} == {np.dtype(np.float32)}
    assert optimize.elementwise.bracket_root(lambda x: x - 5, low, high, xmax=cp.asarray(9.0)).bracket[0].dtype == "f8"
    assert optimize.elementwise.bracket_root(lambda x: x - 5, 0, 1).bracket[0].dtype == np.float64


@pytest.mark.parametrize("method", ["TNC", "Powell"])
def test_methods_take_the_steps_of_scipy(method):
    scipy = pytest.importorskip("scipy.optimize")
    start = [-1.2, 1.0]
    for more in ({}, {"bounds": [(-2, 2), (-2, 2)]}):
        ours = optimize.minimize(optimize.rosen, cp.asarray(start), method=method, **more)
        theirs = scipy.minimize(scipy.rosen, start, method=method, **more)
        assert ours.success and ours.fun < 1e-6
        assert 0.4 < ours.nfev / theirs.nfev < 2.5
        if method == "Powell" and not more:
            assert (ours.nfev, ours.nit) == (theirs.nfev, theirs.nit)
