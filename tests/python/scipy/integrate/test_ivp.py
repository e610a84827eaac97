"""Initial and boundary value problems beside SciPy."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.integrate
import scipy.linalg
from cuproxide.scipy import integrate


def lorenz(m):
    return lambda t, y: m.stack([10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]])


def oscillator(m):
    return lambda t, y: m.stack([y[1], 100 * (1 - y[0] ** 2) * y[1] - y[0]])


EXPLICIT, STIFF = ["RK23", "RK45", "DOP853"], ["Radau", "BDF"]


@pytest.mark.parametrize("method", EXPLICIT + STIFF)
def test_steps_are_those_of_scipy(method):
    options = {"rtol": 1e-4, "atol": 1e-7, "method": method}
    found = integrate.solve_ivp(lorenz(cp), (0, 0.5), [1.0, 2, 3], **options)
    wanted = scipy.integrate.solve_ivp(lorenz(np), (0, 0.5), [1.0, 2, 3], **options)
    assert (found.nfev, found.njev, found.nlu, found.status) == (wanted.nfev, wanted.njev, wanted.nlu, 0)
    np.testing.assert_allclose(found.t.get(), wanted.t, rtol=1e-6)
    np.testing.assert_allclose(found.y.get(), wanted.y, rtol=1e-6, atol=1e-6)
    assert found.message == wanted.message and set(found) == set(wanted)


@pytest.mark.parametrize("method", [*STIFF, "LSODA"])
def test_stiff(method):
    options = {"rtol": 1e-5, "atol": 1e-8}
    found = integrate.solve_ivp(oscillator(cp), (0, 100), [2.0, 0], method=method, **options)
    wanted = scipy.integrate.solve_ivp(oscillator(np), (0, 100), [2.0, 0], method="Radau", rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(found.y[:, -1].get(), wanted.y[:, -1], rtol=2e-3)
    assert found.success and found.nfev < 6000


def test_jacobians():
    def jac(t, y):
        return cp.stack([cp.stack([y[0] * 0, y[0] * 0 + 1]), cp.stack([-200 * y[0] * y[1] - 1, 100 * (1 - y[0] ** 2)])])

    plain = integrate.solve_ivp(oscillator(cp), (0, 20), [2.0, 0], method="BDF", jac=jac)
    reference = scipy.integrate.solve_ivp(oscillator(np), (0, 20), [2.0, 0], method="Radau", rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(plain.y[:, -1].get(), reference.y[:, -1], rtol=1e-2)
    n = 12
    rate = cp.linspace(1, 50, n)
    sparse = np.eye(n) + np.eye(n, k=1)
    for options in ({"jac_sparsity": sparse}, {"vectorized": True}, {}):

        def fun(t, y):
            column = rate[:, None] if y.ndim == 2 else rate
            return -column * y + 0.1 * cp.concatenate([y[1:], y[:1] * 0])

        found = integrate.solve_ivp(fun, (0, 1), np.ones(n), method="Radau", **options)
        exact = scipy.linalg.expm(-np.diag(rate.get()) + 0.1 * np.eye(n, k=1)) @ np.ones(n)
        np.testing.assert_allclose(found.y[:, -1].get(), exact, atol=2e-3)
    with pytest.raises(ValueError):
        integrate.solve_ivp(oscillator(cp), (0, 1), [2.0, 0], method="BDF", jac=np.eye(3))


@pytest.mark.parametrize("method", [*EXPLICIT, *STIFF, "LSODA"])
def test_events_and_dense_output(method):
    def height(t, y):
        return y[0]

    height.terminal, height.direction = True, -1

    def top(t, y):
        return y[1]

    def throw(t, y):
        return [y[1], -9.81]

    options = {"method": method, "events": [height, top], "dense_output": True, "rtol": 1e-6, "max_step": 0.5}
    found = integrate.solve_ivp(throw, (0, 100), [0.0, 10.0], **options)
    wanted = scipy.integrate.solve_ivp(throw, (0, 100), [0.0, 10.0], **options)
    assert found.status == wanted.status == 1
    for one, two in zip(found.t_events, wanted.t_events, strict=True):
        np.testing.assert_allclose(one.get(), two, rtol=1e-7)
    np.testing.assert_allclose(found.y_events[1].get(), wanted.y_events[1], atol=1e-5)
    times = np.linspace(0, 2, 7)
    np.testing.assert_allclose(found.sol(times).get(), wanted.sol(times), atol=1e-4)
    assert found.sol(0.5).shape == (2,)


def test_t_eval_backwards_complex_and_args():
    times = np.linspace(2, 0, 5)
    found = integrate.solve_ivp(lambda t, y, a: a * y, (2, 0), [1.0 + 1j], t_eval=times, args=(1j,), rtol=1e-8)
    np.testing.assert_allclose(found.y.get()[0], (1 + 1j) * np.exp(1j * (times - 2)), rtol=1e-6)
    np.testing.assert_array_equal(found.t.get(), times)
    empty = integrate.solve_ivp(lambda t, y: y, (0, 1), np.zeros(0))
    assert empty.success and empty.y.shape[0] == 0


def test_failures_end_with_a_status():
    for method in ("RK45", "Radau", "BDF", "LSODA"):
        found = integrate.solve_ivp(lambda t, y: y**2, (0, 2), [1.0], method=method)
        assert found.status == -1 and not found.success and float(found.t[-1]) < 1.01
    found = integrate.solve_ivp(lambda t, y: y * cp.nan, (0, 2), [1.0], first_step=0.1)
    assert found.status == -1


@pytest.mark.parametrize("method", EXPLICIT)
def test_batches_are_single_problems(method):
    starts = np.random.default_rng(0).normal(size=(3, 5)) + [[1], [1], [20]]
    times = np.linspace(0, 1, 7)
    options = {"method": method, "t_eval": times, "rtol": 1e-6}
    found = integrate.solve_ivp(lorenz(cp), (0, 1), cp.asarray(starts), batch=True, **options)
    for i in range(5):
        wanted = scipy.integrate.solve_ivp(lorenz(np), (0, 1), starts[:, i], **options)
        np.testing.assert_allclose(found.y.get()[:, i], wanted.y, rtol=1e-8, atol=1e-9)
    assert found.success.all() and found.steps.shape == (5,)


def test_batches_of_other_kinds():
    rates = cp.asarray([0.5, 1.0, 2.0])
    found = integrate.solve_ivp(lambda t, y: -rates * y, (0, 2), cp.ones((1, 3)), batch=True, rtol=1e-8)
    np.testing.assert_allclose(found.y[0, :, 0].get(), np.exp(-2 * rates.get()), rtol=1e-5)
    back = integrate.solve_ivp(lambda t, y: -rates * y, (2, 0), cp.ones((1, 3)), batch=True, t_eval=[2, 1, 0])
    np.testing.assert_allclose(back.y[0].get(), np.exp(np.outer(rates.get(), [0, 1, 2])), rtol=2e-2)
    blown = integrate.solve_ivp(lambda t, y: y**2, (0, 2), cp.asarray([[0.1, 1.0]]), batch=True)
    assert blown.status.tolist() == [0, -1]
    with pytest.raises(ValueError):
        integrate.solve_ivp(lorenz(cp), (0, 1), cp.ones((3, 2)), batch=True, method="BDF")
    with pytest.raises(ValueError):
        integrate.solve_ivp(lorenz(cp), (0, 1), cp.ones(3), batch=True)


def test_odeint():
    times = np.linspace(0, 2, 11)
    found, info = integrate.odeint(lorenz(cp), [1.0, 2, 3], times, tfirst=True, full_output=1)
    wanted, theirs = scipy.integrate.odeint(lorenz(np), [1.0, 2, 3], times, tfirst=True, full_output=1)
    np.testing.assert_allclose(found.get(), wanted, rtol=1e-5)
    assert set(info) == set(theirs) and info["message"] == theirs["message"]
    with pytest.raises(ValueError):
        integrate.odeint(lambda y, t: y, [1.0], [0, 2, 1])
    with pytest.warns(integrate.ODEintWarning):
        integrate.odeint(lambda y, t: y**2, [1.0], [0, 2.0])


@pytest.mark.parametrize("name", ["vode", "lsoda", "dopri5", "dop853"])
def test_ode(name):
    found = integrate.ode(lorenz(cp)).set_integrator(name, rtol=1e-8).set_initial_value([1.0, 2, 3])
    wanted = scipy.integrate.solve_ivp(lorenz(np), (0, 0.8), [1.0, 2, 3], rtol=1e-11, atol=1e-12)
    for t in (0.3, 0.8):
        state = found.integrate(t)
    assert found.successful() and found.t == 0.8
    np.testing.assert_allclose(state.get(), wanted.y[:, -1], rtol=1e-4)


def test_complex_ode_and_solout():
    problem = integrate.complex_ode(lambda t, y: 1j * y).set_integrator("dopri5")
    times = []
    problem.set_solout(lambda t, y: times.append(t) or (-1 if t > 0.5 else 0))
    problem.set_initial_value([1.0 + 0j, 2])
    state = problem.integrate(1.0)
    assert 0.5 < problem.t < 1 and len(times) > 2
    np.testing.assert_allclose(state.get(), np.exp(1j * problem.t) * np.array([1, 2]), rtol=1e-5)
    zvode = integrate.ode(lambda t, y: 1j * y).set_integrator("zvode", method="bdf").set_initial_value([1.0 + 0j])
    np.testing.assert_allclose(zvode.integrate(1.0).get(), [np.exp(1j)], rtol=1e-4)
    with pytest.warns(UserWarning):
        integrate.ode(lambda t, y: y).set_integrator("nothing")


BOUNDARY = [
    (
        "bratu",
        lambda m: lambda x, y: m.stack([y[1], -m.exp(y[0])]),
        lambda m: lambda a, b: m.stack([a[0], b[0]]),
        5,
        0.0,
        {},  # noqa: E501
    ),
    (
        "eigenvalue",
        lambda m: lambda x, y, p: m.stack([y[1], -(p[0] ** 2) * y[0]]),
        lambda m: lambda a, b, p: m.stack([a[0], b[0], a[1] - p[0]]),
        5,
        None,
        {"p": np.array([6.0])},
    ),
    (
        "singular",
        lambda m: lambda x, y: m.stack([y[1], -(y[0] ** 5)]),
        lambda m: lambda a, b: m.stack([a[1], b[0] - 0.75**0.5]),
        11,
        0.5,
        {"S": np.array([[0, 0], [0, -2.0]])},
    ),
    (
        "layer",
        lambda m: lambda x, y: m.stack([y[1], (y[0] - 1) / 1e-4]),
        lambda m: lambda a, b: m.stack([a[0], b[0]]),
        11,  # noqa: E501
        0.0,
        {"tol": 1e-6},
    ),
    (
        "too many nodes",
        lambda m: lambda x, y: m.stack([y[1], (y[0] - 1) / 1e-4]),
        lambda m: lambda a, b: m.stack([a[0], b[0]]),
        11,
        0.0,
        {"tol": 1e-6, "max_nodes": 20},
    ),
    (
        "no solution",
        lambda m: lambda x, y: m.stack([y[1], 0 * y[0]]),
        lambda m: lambda a, b: m.stack([a[1], b[1] - 1]),
        11,
        0.0,
        {},
    ),
]


@pytest.mark.parametrize(("name", "f", "bc", "nodes", "guess", "options"), BOUNDARY, ids=[c[0] for c in BOUNDARY])
def test_solve_bvp(name, f, bc, nodes, guess, options):
    x = np.linspace(0, 1, nodes)
    y = np.array([[0, 1, 0, -1, 0], [0.0] * 5]) if guess is None else np.full((2, nodes), guess)
    given = {key: cp.asarray(v) if isinstance(v, np.ndarray) else v for key, v in options.items()}
    found = integrate.solve_bvp(f(cp), bc(cp), cp.asarray(x), cp.asarray(y), **given)
    wanted = scipy.integrate.solve_bvp(f(np), bc(np), x, y.copy(), **options)
    assert (found.status, found.niter, found.x.size) == (wanted.status, wanted.niter, wanted.x.size)
    assert found.success == wanted.success and set(found) == set(wanted)
    if found.status != 2:
        points = np.linspace(0, 1, 50)
        for nu in (0, 1):
            np.testing.assert_allclose(found.sol(points, nu).get(), wanted.sol(points, nu), rtol=1e-6, atol=1e-8)
        if "p" in options:
            np.testing.assert_allclose(found.p.get(), wanted.p)


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (ValueError, lambda: integrate.solve_ivp(lorenz(cp), (0, 1), [1.0, 2, 3], method="none")),
        (ValueError, lambda: integrate.solve_ivp(lorenz(cp), (0, 1), [1.0, 2, 3], t_eval=[0, 2])),
        (ValueError, lambda: integrate.solve_ivp(lorenz(cp), (0, 1), [1.0, 2, 3], t_eval=[0.5, 0.2])),
        (ValueError, lambda: integrate.solve_ivp(lorenz(cp), (0, 1), [[1.0]])),
        (ValueError, lambda: integrate.solve_ivp(lorenz(cp), (0, 1), [1.0, np.nan, 3])),
        (ValueError, lambda: integrate.solve_ivp(lorenz(cp), (0, 1), [1.0, 2, 3], max_step=-1)),
        (ValueError, lambda: integrate.solve_ivp(lorenz(cp), (0, 1), [1.0, 2, 3], first_step=5)),
        (ValueError, lambda: integrate.solve_ivp(lorenz(cp), (0, 1), [1.0, 2, 3], atol=[1, 2])),
        (ValueError, lambda: integrate.solve_ivp(lorenz(cp), (0, 1), [1j, 2, 3], method="Radau")),
        (TypeError, lambda: integrate.solve_ivp(lorenz(cp), (0, 1), [1.0, 2, 3], args=1)),
        (ValueError, lambda: integrate.solve_bvp(lorenz(cp), lorenz(cp), [0, 0], np.zeros((2, 2)))),
        (ValueError, lambda: integrate.solve_bvp(lorenz(cp), lorenz(cp), [0, 1], np.zeros((2, 3)))),
        (RuntimeError, lambda: integrate.RK45(lorenz(cp), 0, [1.0, 2, 3], 1).dense_output()),
    ],
)
def test_errors(error, call):
    with pytest.raises(error):
        call()
