"""Functions that write into their arguments, keep them, or return one array every time."""

import cuproxide as cp
import numpy as np
import pytest
from cuproxide.scipy import differentiate, integrate, optimize
from cuproxide.scipy.optimize import elementwise

METHODS = [
    "Nelder-Mead", "Powell", "CG", "BFGS", "Newton-CG", "L-BFGS-B", "TNC", "COBYLA", "COBYQA", "SLSQP", "trust-constr",
    "dogleg", "trust-ncg", "trust-exact", "trust-krylov",
]  # fmt: skip
DIRECT = ("Nelder-Mead", "Powell", "COBYLA", "COBYQA")
GRADIENT = ("Newton-CG", "dogleg", "trust-ncg", "trust-exact", "trust-krylov")
CENTRE = cp.asarray([1.0, -2.0, 0.5])


class Writer:
    """A quadratic with its derivatives; all of them spoil their argument, and return what they return every time."""

    def __init__(self):
        self.value, self.slope = cp.zeros(()), cp.zeros(3)
        self.kept = []

    def spoil(self, x):
        self.kept.append(x)
        x[...] = 77

    def fun(self, x):
        self.value[...] = cp.sum((x - CENTRE) ** 2)
        self.spoil(x)
        return self.value

    def jac(self, x):
        self.slope[...] = 2 * (x - CENTRE)
        self.spoil(x)
        return self.slope

    def hess(self, x):
        self.spoil(x)
        return 2 * cp.eye(3)


@pytest.mark.parametrize(
    ("method", "given"),
    [(m, given) for m in METHODS for given in (False, True) if m not in DIRECT or not given],
)
def test_minimize(method, given):
    writer = Writer()
    more = {}
    if given or method in GRADIENT:
        more["jac"] = writer.jac
    if method in GRADIENT:
        more["hess"] = writer.hess
    start = cp.asarray([3.0, 3.0, 3.0])
    res = optimize.minimize(writer.fun, start, method=method, **more)
    assert cp.allclose(res.x, CENTRE, atol=2e-3)
    assert start.tolist() == [3, 3, 3]
    assert all((x == 77).all() for x in writer.kept)


def test_callbacks_may_keep_and_write():
    seen = []

    def callback(x):
        seen.append(x)
        x[0] = 99

    res = optimize.minimize(optimize.rosen, cp.zeros(2), callback=callback)
    assert cp.allclose(res.x, 1, atol=1e-4)
    assert len({id(x) for x in seen}) == len(seen) == res.nit


def test_systems_and_least_squares():
    buffer = cp.zeros(2)

    def fun(x):
        buffer[0], buffer[1] = x[0] ** 2 - 4, x[0] * x[1] - 6
        x[...] = 50
        return buffer

    for method in ("hybr", "lm", "broyden1", "anderson", "krylov", "df-sane"):
        assert cp.allclose(
            optimize.root(fun, cp.asarray([1.5, 2.0]), method=method).x, cp.asarray([2.0, 3.0]), atol=1e-3
        )
    assert cp.allclose(optimize.fsolve(fun, cp.asarray([1.5, 2.0])), cp.asarray([2.0, 3.0]))
    for method in ("trf", "dogbox", "lm"):
        found = optimize.least_squares(fun, cp.asarray([1.5, 2.0]), method=method)
        assert cp.allclose(found.x, cp.asarray([2.0, 3.0]))
    assert cp.allclose(optimize.leastsq(fun, cp.asarray([1.5, 2.0]))[0], cp.asarray([2.0, 3.0]))

    def model(t, a):
        a *= 1.0
        buffer[...] = a * t
        a *= 0.0
        return buffer

    assert cp.allclose(optimize.curve_fit(model, cp.asarray([1.0, 2.0]), cp.asarray([3.0, 6.0]))[0], 3.0)


def test_constraints():
    def constraint(x):
        value = x[0] + x[1] - 1
        x[...] = 3
        return value

    for method in ("SLSQP", "COBYLA", "trust-constr"):
        for kind in ({"type": "eq", "fun": constraint}, optimize.NonlinearConstraint(constraint, 0, 0)):
            res = optimize.minimize(lambda x: cp.sum(x * x), cp.asarray([2.0, 0.0]), method=method, constraints=kind)
            assert cp.allclose(res.x, 0.5, atol=1e-3)


def test_batches_and_searches():
    def fun(x):
        value = cp.sum((x - 1) ** 2, axis=1)
        x[...] = 9
        return value

    assert cp.allclose(optimize.minimize(fun, cp.zeros((4, 2)), batch=True).x, 1, atol=1e-4)

    def single(x):
        value = cp.sum((x - 1) ** 2, axis=0)
        x[...] = 9
        return value

    res = optimize.differential_evolution(single, [(-3, 3), (-3, 3)], rng=1)
    assert cp.allclose(res.x, 1, atol=1e-4)

    def square(x):
        value = x * x - 2
        x[...] = 5
        return value

    assert cp.allclose(elementwise.find_root(square, (cp.asarray([0.0]), cp.asarray([2.0]))).x, 2**0.5)
    assert cp.allclose(differentiate.derivative(square, cp.asarray([3.0])).df, 6)


@pytest.mark.parametrize("method", ["RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA"])
def test_right_hand_sides(method):
    slope = cp.zeros(2)

    def fun(t, y):
        slope[0], slope[1] = y[1], -y[0]
        y[...] = 1e3
        return slope

    sol = integrate.solve_ivp(fun, (0, 1), cp.asarray([0.0, 1.0]), method=method, rtol=1e-8, atol=1e-10)
    assert np.allclose(sol.y[:, -1].get(), [np.sin(1), np.cos(1)], atol=1e-6)


def test_odeint_and_boundary_values():
    def fun(y, t):
        slope = -y
        y[...] = 1e3
        return slope

    assert np.isclose(
        integrate.odeint(fun, cp.asarray([1.0]), cp.asarray([0.0, 1.0]))[1, 0].item(), np.exp(-1), atol=1e-7
    )

    def right(x, y):
        slope = cp.stack([y[1], -y[0]])
        y[...] = 1e3
        return slope

    def ends(ya, yb):
        values = cp.stack([ya[0], yb[0] - 1])
        ya[...] = 1e3
        return values

    x = cp.linspace(0, 1, 5)
    sol = integrate.solve_bvp(right, ends, x, cp.zeros((2, 5)))
    assert np.isclose(sol.sol(0.5)[0].item(), np.sin(0.5) / np.sin(1), atol=1e-4)
    buffer = cp.zeros(2)

    def vector(x):
        buffer[...] = cp.asarray([1.0, x])
        return buffer

    assert np.allclose(integrate.quad_vec(vector, 0, 2)[0].get(), [2, 2])


def test_right_hand_sides_of_another_shape():
    for method in ("RK45", "Radau", "BDF", "LSODA"):
        with pytest.raises(ValueError):
            integrate.solve_ivp(lambda t, y: cp.ones(2), (0, 1), cp.asarray([1.0]), method=method)
    with pytest.raises(ValueError, match="rtol"):
        integrate.odeint(lambda y, t: -y, 1.0, cp.asarray([0.0, 1.0]), rtol=-1)
