"""Minima of functions of several variables beside SciPy."""

import inspect
import warnings

import cuproxide as cp
import numpy as np
import pytest
import scipy.optimize
from cuproxide.scipy import optimize

X0 = np.array([1.3, 0.7, 0.8, 1.9, 1.2])
BOUNDS = [(None, 1.2), (0, 2), (0.5, 0.9), (1.1, 3), (None, None)]
# Method, what is given: j(acobian), h(essian), p(roduct), b(ounds); and whether the steps are those of SciPy.
METHODS = [
    ("Nelder-Mead", "", True), ("Nelder-Mead", "b", True), ("Powell", "", False), ("Powell", "b", False),
    ("CG", "j", True), ("CG", "", False), ("BFGS", "", True), ("BFGS", "j", True), ("Newton-CG", "j", True),
    ("Newton-CG", "jh", True), ("L-BFGS-B", "", True), ("L-BFGS-B", "j", True), ("L-BFGS-B", "jb", False),
    ("TNC", "j", False), ("TNC", "jb", False), ("trust-ncg", "jh", True), ("trust-ncg", "jp", True),
    ("trust-exact", "jh", False), ("trust-krylov", "jh", False), ("SLSQP", "j", False), ("SLSQP", "jb", False),
    ("COBYQA", "b", False), ("trust-constr", "jh", False), ("trust-constr", "jb", False),
]  # fmt: skip


def both(method, given, **more):
    ours, theirs = dict(more), dict(more)
    start = X0
    for options, module in ((ours, optimize), (theirs, scipy.optimize)):
        if "j" in given:
            options["jac"] = module.rosen_der
        if "h" in given:
            options["hess"] = module.rosen_hess
        if "p" in given:
            options["hessp"] = module.rosen_hess_prod
        if "b" in given:
            options["bounds"] = BOUNDS
            start = np.clip(X0, [-9, 0, 0.5, 1.1, -9], [1.2, 2, 0.9, 3, 9])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return (
            optimize.minimize(optimize.rosen, cp.asarray(start), method=method, **ours),
            scipy.optimize.minimize(scipy.optimize.rosen, start, method=method, **theirs),
        )


@pytest.mark.parametrize(("method", "given", "same"), METHODS)
def test_methods(method, given, same):
    found, wanted = both(method, given)
    assert found.success and set(found) == set(wanted)
    if same:
        assert (found.nit, found.nfev, found.status, found.message) == (
            wanted.nit, wanted.nfev, wanted.status, wanted.message,
        )  # fmt: skip
        np.testing.assert_allclose(found.x.get(), wanted.x, rtol=1e-6)
    else:
        assert found.fun <= wanted.fun + 1e-4 * max(1, abs(wanted.fun))


@pytest.mark.parametrize(
    "method", ["Nelder-Mead", "Powell", "CG", "BFGS", "L-BFGS-B", "SLSQP", "COBYQA", "trust-constr"]
)
def test_limits_and_values_that_are_not_finite(method):
    short = optimize.minimize(optimize.rosen, X0, method=method, options={"maxiter": 2})
    assert not short.success and short.message
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bad = optimize.minimize(lambda x: cp.sum(x) * cp.nan, X0, method=method, options={"maxiter": 30})
        optimize.minimize(lambda x: -cp.sum(x**2), X0, method=method, options={"maxiter": 30})
    assert bad.fun != bad.fun or not bad.success


def test_gradient_with_the_value_dtypes_and_callback():
    calls = []

    def fun(x):
        calls.append(1)
        return optimize.rosen(x), optimize.rosen_der(x)

    found = optimize.minimize(fun, X0, jac=True)
    assert found.success and len(calls) == found.nfev
    single = optimize.minimize(lambda x: cp.sum((x - 1) ** 2), cp.zeros(3, np.float32), jac=lambda x: 2 * (x - 1))
    assert single.x.dtype == np.float32 and single.success
    seen = []

    def tell(intermediate_result):
        seen.append(intermediate_result.fun)
        if len(seen) == 3:
            raise StopIteration

    stopped = optimize.minimize(optimize.rosen, X0, callback=tell)
    assert stopped.status == 99 and not stopped.success and len(seen) == 3
    everything = optimize.minimize(optimize.rosen, X0, options={"return_all": True})
    assert len(everything.allvecs) == everything.nit + 1


def test_many_variables():
    n = 2000
    x = np.tile([-1.2, 1.0], n // 2)
    options = {"method": "L-BFGS-B", "options": {"maxiter": 20}}
    found = optimize.minimize(optimize.rosen, cp.asarray(x), jac=optimize.rosen_der, **options)
    wanted = scipy.optimize.minimize(scipy.optimize.rosen, x, jac=scipy.optimize.rosen_der, **options)
    assert found.fun == pytest.approx(wanted.fun, rel=1e-6) and found.nfev == wanted.nfev
    # The inverse Hessian satisfies the last secant equation.
    inverse = found.hess_inv
    np.testing.assert_allclose((inverse @ inverse.yk[-1]).get(), inverse.sk[-1].get(), rtol=1e-6, atol=1e-12)


PROBLEMS = [
    (
        "inequalities", lambda m: lambda x: (x[0] - 1) ** 2 + (x[1] - 2.5) ** 2, [2.0, 0],
        lambda o: {
            "constraints": [
                {"type": "ineq", "fun": lambda x: x[0] - 2 * x[1] + 2},
                {"type": "ineq", "fun": lambda x: -x[0] - 2 * x[1] + 6},
                {"type": "ineq", "fun": lambda x: -x[0] + 2 * x[1] + 2},
            ],
            "bounds": [(0, None), (0, None)],
        }, 0.8,
    ),
    (
        "disk", lambda m: lambda x: 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2, [0.2, 0.1],
        lambda o: {"constraints": o.NonlinearConstraint(lambda x: x[0] ** 2 + x[1] ** 2, -np.inf, 1)}, 0.04567480872,
    ),
    (
        "hs71", lambda m: lambda x: x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2], [1.0, 5, 5, 1],
        lambda o: {
            "constraints": [
                o.NonlinearConstraint(lambda x: x[0] * x[1] * x[2] * x[3], 25, np.inf),
                o.NonlinearConstraint(lambda x: x[0] ** 2 + x[1] ** 2 + x[2] ** 2 + x[3] ** 2, 40, 40),
            ],
            "bounds": [(1, 5)] * 4,
        }, 17.0140172892,
    ),
    (
        "plane", lambda m: lambda x: m.sum(x**2), [1.0, 1, 1],
        lambda o: {"constraints": o.LinearConstraint([[1.0, 2, 3]], 6, 6)}, 36 / 14,
    ),
]  # fmt: skip


@pytest.mark.parametrize("method", ["SLSQP", "COBYLA", "COBYQA", "trust-constr"])
@pytest.mark.parametrize(("name", "f", "x0", "options", "least"), PROBLEMS, ids=[p[0] for p in PROBLEMS])
def test_constraints(method, name, f, x0, options, least):
    found = optimize.minimize(f(cp), x0, method=method, **options(optimize))
    assert found.success, found.message
    assert found.fun == pytest.approx(least, rel=2e-3 if method == "COBYLA" else 1e-5)


@pytest.mark.parametrize("method", ["SLSQP", "COBYLA", "COBYQA", "trust-constr"])
def test_infeasible(method):
    constraints = [{"type": "ineq", "fun": lambda x: x[0] - 2}, {"type": "ineq", "fun": lambda x: 1 - x[0]}]
    found = optimize.minimize(lambda x: cp.sum(x**2), [1.0, 1], method=method, constraints=constraints)
    assert not found.success and found.message


def test_updates_and_differences():
    rng = np.random.default_rng(0)
    for name in ("BFGS", "SR1"):
        for kind in ("hess", "inv_hess"):
            ours, theirs = getattr(optimize, name)(), getattr(scipy.optimize, name)()
            ours.initialize(3, kind), theirs.initialize(3, kind)
            for _ in range(4):
                s = rng.normal(size=3)
                y = s * [1, 2, 3] + 0.1 * rng.normal(size=3)
                ours.update(cp.asarray(s), cp.asarray(y)), theirs.update(s, y)
            np.testing.assert_allclose(ours.get_matrix().get(), theirs.get_matrix(), rtol=1e-10)
    found = optimize.approx_fprime(cp.asarray(X0), optimize.rosen)
    np.testing.assert_allclose(found.get(), scipy.optimize.approx_fprime(X0, scipy.optimize.rosen), rtol=1e-6)
    assert optimize.check_grad(optimize.rosen, optimize.rosen_der, X0) < 1e-4
    assert optimize.check_grad(optimize.rosen, optimize.rosen_der, X0, direction="random", rng=1) < 1e-4
    down = -scipy.optimize.rosen_der(X0)
    ours = optimize.line_search(optimize.rosen, optimize.rosen_der, cp.asarray(X0), cp.asarray(down))
    f0 = scipy.optimize.rosen(X0)
    assert ours[3] <= f0 - 1e-4 * ours[0] * down @ down
    for name in ("rosen", "rosen_der", "rosen_hess"):
        np.testing.assert_allclose(getattr(optimize, name)(cp.asarray(X0)).get(), getattr(scipy.optimize, name)(X0))


@pytest.mark.parametrize("method", ["BFGS", "L-BFGS-B", "Nelder-Mead"])
def test_batch(method):
    starts = np.random.default_rng(0).normal(size=(30, 3))
    targets = cp.asarray(np.random.default_rng(1).normal(size=(30, 3)))

    def fun(x):
        return cp.sum((x - targets) ** 4 + (x - targets) ** 2 * cp.asarray([1.0, 10, 3]), axis=1)

    tol = 1e-8 if method == "Nelder-Mead" else 1e-5
    found = optimize.minimize(fun, starts, method=method, batch=True, tol=tol)
    assert found.success.all() and found.x.shape == (30, 3)
    np.testing.assert_allclose(found.x.get(), targets.get(), atol=2e-3)
    if method != "BFGS":
        low = optimize.minimize(fun, starts, method=method, batch=True, bounds=[(0, 1)] * 3, tol=tol)
        near = abs(low.x.get() - np.clip(targets.get(), 0, 1)).max(axis=1) < 1e-3
        # A simplex may collapse at a bound, as SciPy's does.
        assert near.all() if method == "L-BFGS-B" else near.mean() > 0.7


def test_older_names():
    f = optimize.rosen
    for name in ("fmin", "fmin_powell", "fmin_cg", "fmin_bfgs"):
        np.testing.assert_allclose(getattr(optimize, name)(f, [1.3, 0.7], disp=0).get(), 1, atol=1e-3)
    assert len(optimize.fmin(f, [1.3, 0.7], disp=0, full_output=1)) == 5
    x, value, info = optimize.fmin_l_bfgs_b(f, [1.3, 0.7], fprime=optimize.rosen_der)
    assert info["warnflag"] == 0 and value < 1e-6
    with pytest.raises(ValueError):
        optimize.show_options("none")


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (ValueError, lambda: optimize.minimize(optimize.rosen, X0, method="none")),
        (ValueError, lambda: optimize.minimize(optimize.rosen, np.ones((2, 2)))),
        (ValueError, lambda: optimize.minimize(lambda x: x, X0)),
        (ValueError, lambda: optimize.minimize(optimize.rosen, X0, bounds=[(0, 1)] * 2)),
        (ValueError, lambda: optimize.minimize(optimize.rosen, X0, bounds=[(1, 0)] * 5)),
        (ValueError, lambda: optimize.minimize(optimize.rosen, X0, method="trust-ncg")),
        (ValueError, lambda: optimize.minimize(optimize.rosen, X0, method="Newton-CG")),
        (ValueError, lambda: optimize.minimize(optimize.rosen, X0, constraints={"type": "none", "fun": len})),
        (KeyError, lambda: optimize.minimize(optimize.rosen, X0, constraints={"fun": len})),
        (ValueError, lambda: optimize.minimize(optimize.rosen, X0, batch=True)),
        (ValueError, lambda: optimize.minimize(optimize.rosen, np.ones((2, 2)), method="CG", batch=True)),
        (ValueError, lambda: optimize.Bounds([0, 1], [1, 2, 3])),
        (ValueError, lambda: optimize.line_search(optimize.rosen, optimize.rosen_der, X0, X0, c1=2)),
    ],
)
def test_errors(error, call):
    with pytest.raises(error):
        call()


def test_warnings():
    for options in ({"hess": len}, {"bounds": [(0, 1)] * 5}, {"constraints": {"type": "eq", "fun": len}}):
        with pytest.warns(RuntimeWarning):
            optimize.minimize(optimize.rosen, X0, method="BFGS", **options)
    with pytest.warns(optimize.OptimizeWarning):
        optimize.minimize(optimize.rosen, X0, method="BFGS", options={"nothing": 1})


def test_line_search_counts_as_scipy():
    arguments = lambda m: (m.asarray([1.8, 1.7]), m.asarray([-1.0, -1.0]))  # noqa: E731
    for given in ({}, {"old_fval": 1.8**2 + 1.7**2}):
        calls = [lambda x: x[0] ** 2 + x[1] ** 2, lambda x: [2 * x[0], 2 * x[1]]]
        expected = scipy.optimize.line_search(*calls, *arguments(np), **given)
        found = optimize.line_search(*calls, *arguments(cp), **given)
        assert found[:3] == expected[:3]
        np.testing.assert_allclose(found[5].get(), expected[5])


@pytest.mark.parametrize("options", [{}, {"c2": 0.1}, {"c2": 0.01, "maxiter": 2}, {"amax": 0.5}])
def test_line_search_takes_the_steps_of_scipy(options):
    rng = np.random.default_rng(2)
    for size in (1.0, 1e-2, 1e-3) * 3:
        x = 2 * rng.normal(size=3)
        p = -size * scipy.optimize.rosen_der(x)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = scipy.optimize.line_search(scipy.optimize.rosen, scipy.optimize.rosen_der, x, p, **options)
            found = optimize.line_search(optimize.rosen, optimize.rosen_der, cp.asarray(x), cp.asarray(p), **options)
        assert found[1] == expected[1] and (found[5] is None) == (expected[5] is None)
        if expected[0] is None:
            assert found[0] is None
        else:
            np.testing.assert_allclose(found[0], expected[0], rtol=1e-6)


def test_the_minimum_of_a_parabola_is_found_to_rounding():
    bowl = lambda x: cp.sum((x - 1) ** 2) + cp.sum(x) ** 2  # noqa: E731
    slope = lambda x: 2 * (x - 1) + 2 * cp.sum(x)  # noqa: E731
    x, p = cp.asarray([1.07456195, 0.68393972]), cp.asarray([2.0, -4.0])
    step = optimize.line_search(bowl, slope, x, p, c2=1e-3)[0]
    assert abs(float(cp.sum(slope(x + step * p) * p))) < 1e-9


def test_inverse_hessian_is_an_operator():
    res = optimize.minimize(optimize.rosen, cp.asarray([1.3, 0.7]), method="L-BFGS-B")
    h = res.hess_inv
    dense = h.todense().get()
    vector = cp.asarray([1.0, 2.0])
    assert isinstance(h, cp.scipy.sparse.linalg.LinearOperator)
    for product in (h @ vector, h.dot(vector), h.matvec(vector), h.T @ vector, h.H @ vector, h.rmatvec(vector)):
        np.testing.assert_allclose(product.get(), dense @ [1, 2], rtol=1e-12)
    np.testing.assert_allclose((h @ cp.eye(2)).get(), dense, rtol=1e-12)


def test_signatures_of_large_systems():
    for name in ("anderson", "broyden1", "broyden2", "diagbroyden", "excitingmixing", "linearmixing", "newton_krylov"):
        expected = inspect.signature(getattr(scipy.optimize, name)).parameters
        found = inspect.signature(getattr(optimize, name)).parameters
        assert list(found) == list(expected)
        assert [found[key].default for key in found] == [expected[key].default for key in expected]
    assert isinstance(optimize.BroydenFirst().aspreconditioner(), optimize.InverseJacobian)


def test_powell_starts_outside_the_bounds():
    """The first line searches bring the point inside; moved there before, the directions may miss the minimum."""
    for start in ([-2, 8], [5.0, 1.0], [-3.0, -3.0]):
        with pytest.warns(optimize.OptimizeWarning, match="Initial guess"):
            found = optimize.minimize(
                lambda x: cp.sum((x - 1.0) ** 2) + cp.sum(x) ** 2, start, method="Powell",
                bounds=[(-2, 0.2), (0.3, 3)], tol=1e-8,
            )  # fmt: skip
        np.testing.assert_allclose(found.x.get(), [0.2, 0.4], rtol=1e-6)
        assert found.success


@pytest.mark.parametrize("bounds", [[(-np.inf, np.inf), (0, 1)], [(-1, 0.5)] * 2, [(0, 2)] * 2, [(0.1, np.inf)] * 2])
@pytest.mark.parametrize("start", [[5.0, 5.0], [0.2, 0.2], [-5.0, 0.3]])
@pytest.mark.filterwarnings("ignore:Initial guess")
def test_powell_takes_scipys_points_within_bounds(start, bounds):
    found = optimize.minimize(optimize.rosen, start, method="Powell", bounds=bounds, options={"maxiter": 4})
    expected = scipy.optimize.minimize(
        scipy.optimize.rosen, start, method="Powell", bounds=bounds, options={"maxiter": 4}
    )
    np.testing.assert_allclose(found.x.get(), expected.x, rtol=1e-4, atol=1e-7)
    assert found.nit == expected.nit
