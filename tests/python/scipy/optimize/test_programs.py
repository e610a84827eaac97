"""Linear programs, assignments, bounded linear least squares and global minima beside SciPy."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.optimize
import scipy.sparse
from cuproxide.scipy import optimize

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("shape", [(5, 3), (20, 20), (30, 10), (8, 15)])
def test_linear_squares(shape):
    for _ in range(3):
        a, b = RNG.normal(size=shape), RNG.normal(size=shape[0])
        x, rnorm = optimize.nnls(cp.asarray(a), cp.asarray(b))
        assert rnorm == pytest.approx(scipy.optimize.nnls(a, b)[1], rel=1e-9) and float(x.min()) >= 0
        found = optimize.lsq_linear(a, b, bounds=(-0.1, 0.3))
        wanted = scipy.optimize.lsq_linear(a, b, bounds=(-0.1, 0.3), method="bvls")
        assert found.cost == pytest.approx(wanted.cost, rel=1e-8, abs=1e-12) and set(found) == set(wanted)
        assert optimize.lsq_linear(a, b).status == 3


def test_isotonic_regression():
    for count in (1, 2, 50):
        y, w = RNG.normal(size=count).cumsum(), RNG.uniform(0.1, 1, count)
        for increasing in (True, False):
            found = optimize.isotonic_regression(cp.asarray(y), weights=w, increasing=increasing)
            wanted = scipy.optimize.isotonic_regression(y, weights=w, increasing=increasing)
            np.testing.assert_allclose(found.x.get(), wanted.x)
            np.testing.assert_array_equal(found.blocks.get(), wanted.blocks)
            np.testing.assert_allclose(found.weights.get(), wanted.weights)
    assert optimize.isotonic_regression(cp.zeros(0)).x.size == 0


@pytest.mark.parametrize("shape", [(5, 5), (10, 20), (20, 10), (1, 3), (0, 3), (40, 40)])
@pytest.mark.parametrize("maximize", [False, True])
def test_linear_sum_assignment(shape, maximize):
    for cost in (RNG.uniform(size=shape), RNG.integers(0, 5, shape)):
        found = optimize.linear_sum_assignment(cp.asarray(cost), maximize)
        wanted = scipy.optimize.linear_sum_assignment(cost, maximize)
        for one, two in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(one.get(), two)
    stack = RNG.uniform(size=(3, *shape)) if shape[0] else RNG.uniform(size=(3, 2, 2))
    rows, columns = optimize.linear_sum_assignment(stack)
    for i in range(3):
        np.testing.assert_array_equal(columns[i].get(), scipy.optimize.linear_sum_assignment(stack[i])[1])


def test_quadratic_assignment():
    # Without ties: which of equal assignments comes first depends on the last bits.
    a, b = np.random.default_rng(5).uniform(0, 9, (2, 12, 12))
    for options in ({}, {"maximize": True}, {"partial_match": np.array([[0, 3], [4, 1]])}):
        found = optimize.quadratic_assignment(a, b, options=dict(options))
        wanted = scipy.optimize.quadratic_assignment(a, b, options=dict(options))
        np.testing.assert_allclose(found.fun, wanted.fun, rtol=1e-12)
        assert set(found) == set(wanted)
        other = optimize.quadratic_assignment(a, b, method="2opt", options={"rng": 1, **options})
        perm = other.col_ind.get()
        assert sorted(perm) == list(range(12)) and np.isclose(other.fun, (a * b[perm][:, perm]).sum(), rtol=1e-12)
        if "partial_match" in options:
            assert (perm[0], perm[4]) == (3, 1)


def program(m, n, equations):
    a, x, e = RNG.normal(size=(m, n)), RNG.uniform(0, 1, n), RNG.normal(size=(equations, n))
    return RNG.uniform(-0.2, 1, n), a, a @ x + RNG.uniform(0, 0.5, m), e, e @ x


@pytest.mark.parametrize("method", ["highs", "interior-point", "pdhg"])
@pytest.mark.parametrize("bounds", [(0, None), (None, None), (0, 2)])
def test_linprog(method, bounds):
    c, a, b, e, f = program(8, 10, 2)
    options = {"tol": 1e-7} if method == "pdhg" else {}
    found = optimize.linprog(c, a, b, e, f, bounds=bounds, method=method, options=options)
    wanted = scipy.optimize.linprog(c, a, b, e, f, bounds=bounds)
    assert found.status == wanted.status
    if wanted.success:
        assert found.fun == pytest.approx(wanted.fun, abs=1e-5)
        np.testing.assert_allclose(found.x.get(), wanted.x, atol=1e-3)
        assert float(found.slack.min()) > -1e-5 and float(abs(found.con).max()) < 1e-5


@pytest.mark.parametrize("method", ["highs", "interior-point", "pdhg"])
def test_linprog_ends(method):
    assert optimize.linprog([-1, -1], [[1, -1]], [1], method=method).status == 3
    assert optimize.linprog([1, 1], [[1, 1]], [-1], method=method).status == 2
    if method != "highs":
        c, a, b, e, f = program(8, 10, 2)
        assert optimize.linprog(c, a, b, e, f, method=method, options={"maxiter": 2}).status == 1


def test_sparse_linprog_and_milp():
    a = scipy.sparse.random(60, 80, density=0.1, random_state=0)
    x = RNG.uniform(size=80)
    b, c = a @ x + 0.1, -(a.T @ RNG.uniform(size=60))
    found = optimize.linprog(c, a, b, method="pdhg")
    assert found.status == 0 and max(found.primal_residual, found.dual_residual, found.gap) <= 1e-4
    assert found.fun == pytest.approx(scipy.optimize.linprog(c, a, b).fun, rel=1e-3)
    constraint = ([[2.0, 3]], -np.inf, 7.5)
    found = optimize.milp([-1.0, -2], integrality=[1, 1], constraints=optimize.LinearConstraint(*constraint))
    assert found.fun == -4 and found.success


def rastrigin(m):
    return lambda x: m.sum(x * x - 10 * m.cos(2 * np.pi * x), axis=0) + 10 * x.shape[0]


@pytest.mark.parametrize("strategy", ["best1bin", "rand1exp", "currenttobest1bin", "rand2bin"])
def test_differential_evolution(strategy):
    found = optimize.differential_evolution(rastrigin(cp), [(-5, 5)] * 3, rng=1, strategy=strategy)
    assert found.success and found.fun < 1e-6
    assert set(found) == set(scipy.optimize.differential_evolution(rastrigin(np), [(-5, 5)] * 3, rng=1))


def test_differential_evolution_of_other_kinds():
    def shifted(x):
        return cp.sum((x - 1.3) ** 2, axis=0)

    found = optimize.differential_evolution(shifted, [(0, 5)] * 2, rng=1, integrality=[True, False])
    np.testing.assert_allclose(found.x.get(), [1, 1.3], atol=1e-2)
    # Alone a member sees no others, so this one is called for each.
    found = optimize.differential_evolution(lambda x: cp.sum((x - 1) ** 2), [(0, 5)] * 2, rng=1, maxiter=30)
    np.testing.assert_allclose(found.x.get(), 1, atol=1e-2)
    limit = optimize.LinearConstraint([[1, 1]], 1, np.inf)
    found = optimize.differential_evolution(
        lambda x: x[0] ** 2 + x[1] ** 2, [(-3, 5)] * 2, rng=1, constraints=limit, maxiter=40
    )
    assert found.fun == pytest.approx(0.5, abs=1e-3)


def test_annealing_and_hopping():
    best = min(
        optimize.dual_annealing(rastrigin(cp), [(-5.12, 5.12)] * 2, rng=seed, maxiter=60).fun for seed in range(3)
    )
    assert best < 1e-6

    def waves(m):
        return lambda x: m.cos(14.5 * x[0] - 0.3) + (x[0] + 0.2) * x[0]

    found = optimize.basinhopping(waves(cp), [1.0], rng=0, niter=30)
    wanted = scipy.optimize.basinhopping(waves(np), [1.0], rng=0, niter=30)
    assert found.fun == pytest.approx(wanted.fun, rel=1e-6) and set(found) == set(wanted)


def test_grids_and_rectangles():
    def bowl(x):
        return (x[0] - 1) ** 2 + (x[1] + 0.3) ** 2

    found = optimize.brute(bowl, ((-2, 2), (-2, 2)), full_output=1)
    wanted = scipy.optimize.brute(bowl, ((-2, 2), (-2, 2)), full_output=1)
    for one, two in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one.get() if isinstance(one, cp.ndarray) else one, two)
    for biased in (True, False):
        found = optimize.direct(rastrigin(cp), [(-4, 5)] * 2, locally_biased=biased)
        assert found.success and found.fun < 1e-4
    assert optimize.direct(bowl, [(-2, 2)] * 2, maxfun=20).status == 1
    found = optimize.shgo(rastrigin(cp), [(-2.2, 2.3)] * 2, n=200)
    assert found.success and found.fun < 1e-6 and len(found.funl) > 5


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (ValueError, lambda: optimize.nnls(np.ones((2, 2)), np.ones(3))),
        (ValueError, lambda: optimize.lsq_linear(np.ones((2, 2)), np.ones(2), bounds=(1, 0))),
        (ValueError, lambda: optimize.isotonic_regression(np.ones(3), weights=-np.ones(3))),
        (ValueError, lambda: optimize.isotonic_regression(np.ones((3, 2)))),
        (ValueError, lambda: optimize.linear_sum_assignment(np.ones(3))),
        (ValueError, lambda: optimize.linear_sum_assignment([[np.inf, np.inf], [1, 2]])),
        (ValueError, lambda: optimize.linear_sum_assignment([[np.nan, 1], [1, 2]])),
        (ValueError, lambda: optimize.quadratic_assignment(np.ones((2, 3)), np.ones((2, 3)))),
        (ValueError, lambda: optimize.linprog([1, 2], [[1, 2, 3]], [1])),
        (ValueError, lambda: optimize.linprog([1, 2], method="none")),
        (ValueError, lambda: optimize.differential_evolution(len, [(0, np.inf)])),
        (ValueError, lambda: optimize.differential_evolution(len, [(0, 1)], strategy="none")),
        (ValueError, lambda: optimize.dual_annealing(len, [(1, 0)])),
        (ValueError, lambda: optimize.direct(len, [(0, 1)], vol_tol=2)),
        (ValueError, lambda: optimize.shgo(len, [(0, 1)], sampling_method="none")),
    ],
)
def test_errors(error, call):
    with pytest.raises(error):
        call()


def _eggholder(m):
    def f(x):
        a, b = m.sqrt(abs(x[0] / 2 + x[1] + 47)), m.sqrt(abs(x[0] - (x[1] + 47)))
        return -(x[1] + 47) * m.sin(a) - x[0] * m.sin(b)

    return f


def test_shgo_tells_minima_apart_by_a_triangulation():
    bounds = [(-512, 512)] * 2
    expected = scipy.optimize.shgo(_eggholder(np), bounds, n=64, sampling_method="sobol")
    found = optimize.shgo(_eggholder(cp), bounds, n=64, sampling_method="sobol")
    assert found.fun == pytest.approx(expected.fun, rel=1e-9)
    np.testing.assert_allclose(found.x.get(), expected.x, rtol=1e-5)
    # What a local search from the same samples finds: other line searches may end elsewhere in a few of them.
    common = [any(np.allclose(x, y, atol=1e-2) for y in found.xl.get()) for x in expected.xl]
    assert sum(common) >= len(common) - 3
    line = optimize.shgo(lambda x: x[0] ** 4 - x[0] ** 2, [(-2, 2)], n=16, sampling_method="sobol")
    np.testing.assert_allclose(np.sort(line.xl.get().ravel()), [-(0.5**0.5), 0.5**0.5], atol=1e-4)
