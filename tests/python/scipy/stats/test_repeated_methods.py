"""Methods that are called again with the same numbers: what was written down gives the bits of the method itself."""

import operator

import cuproxide as cp
import cuproxide.scipy.stats as stats
import effort
import numpy as np
import pytest
from cuproxide.scipy.stats import _tape
from cuproxide.scipy.stats._row import ROWS
from launches import launches
from scipy.stats._distr_params import distcont, distdiscrete

# Rows whose methods are kernels or take seconds.
SLOW = {"genhyperbolic", "gausshyper", "levy_stable", "studentized_range", "ksone", "kstwo", "norminvgauss", "landau"}
CASES = [(name, args) for name, args in distcont if name in ROWS and name not in SLOW]
OF_POINTS = ("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf")
EDGES = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e300, 1e-300, 0.25, 0.5]
COMMON = ["norm", "expon", "gamma", "beta", "t", "chi2", "lognorm", "weibull_min", "logistic", "cauchy", "uniform"]


def points(method):
    rng = np.random.default_rng(3)
    inner = rng.random(20) if method in ("ppf", "isf") else rng.normal(size=20) * 2
    return cp.asarray(np.concatenate([inner, EDGES]))


def thrice(row, method, *args):
    """The results of three calls, of which the last may be by steps, and whether it was."""
    row._known.clear()
    x = points(method)
    results = [getattr(row, method)(x, *args).get() for _ in range(3)]
    (known,) = row._known.values()
    return results, isinstance(known, _tape.Steps)


@pytest.mark.parametrize("case", effort.sample(CASES, 12), ids=lambda case: case[0])
def test_later_calls_give_the_same_bits(case):
    name, args = case
    for more in ((), (0.5, 2.5)):
        for method in (*OF_POINTS, "ppf", "isf"):
            (first, _, third), _ = thrice(ROWS[name], method, *args, *more)
            assert np.array_equal(first, third, equal_nan=True), (method, more)
            known = ~np.isnan(first)
            assert np.array_equal(np.signbit(first[known]), np.signbit(third[known])), (method, more)


@pytest.mark.parametrize("name", COMMON)
def test_common_methods_become_steps(name):
    args = dict(distcont)[name]
    # The quantiles of t are a loop, which is one step as any other ufunc is.
    for method in (*OF_POINTS, "ppf", "isf"):
        assert thrice(ROWS[name], method, *args)[1], method


@pytest.mark.parametrize("name", ["poisson", "geom", "bernoulli", "randint", "planck"])
def test_discrete_ones_too(name):
    args = dict(distdiscrete)[name]
    for more in ((), (2,)):
        for method in ("pmf", "logpmf", "cdf", "sf", "logcdf", "logsf"):
            (first, _, third), is_by_steps = thrice(ROWS[name], method, *args, *more)
            assert is_by_steps, method
            assert np.array_equal(first, third, equal_nan=True), (method, more)


def test_steps_are_one_kernel():
    x = cp.linspace(0.1, 2, 64)
    stats.logistic._known.clear()
    for _ in range(2):
        # Their results wait and fuse.
        assert launches(lambda: cp.evaluate(2 * stats.logistic.pdf(x, loc=0.5) + 1)) == 1
    (known,) = stats.logistic._known.values()
    assert isinstance(known, _tape.Steps)


def test_parameters_are_told_apart():
    x = cp.asarray([0.25, 0.5, 2.0])
    for value in (2, 2.0, np.float64(2), 3, True, np.float32(2.5), cp.asarray(2.0), [2.0, 2.5, 3.0]):
        wanted = stats.gamma.pdf(x, cp.asarray(value, dtype=float))
        for _ in range(3):
            assert cp.allclose(stats.gamma.pdf(x, value), wanted, rtol=1e-14)
    for _ in range(3):
        assert np.isnan(stats.gamma.pdf(x, -1.0).get()).all()
        assert np.isnan(stats.gamma.pdf(x, np.nan).get()).all()
        assert stats.norm.pdf(0.5, 0, 2).shape == ()
        assert stats.norm.pdf(cp.asarray([1, 2])).dtype == np.float64
        with pytest.raises(TypeError):
            stats.norm.pdf(cp.asarray([1j]))
        with pytest.raises(TypeError, match="missing"):
            stats.gamma.pdf(x)


def test_few_parameters_are_remembered():
    stats.gamma._known.clear()
    for k in range(2000):
        stats.gamma.logpdf(cp.asarray([1.0]), 1 + k / 7)
    assert len(stats.gamma._known) <= 256


def test_each_call_warns():
    for _ in range(4):
        with pytest.warns(RuntimeWarning, match="non-integer"):
            stats.erlang.pdf(cp.asarray([1.0]), 2.5)


def test_formulas_of_users_run_at_each_call():
    class Counted(stats.rv_continuous):
        calls = 0

        def _pdf(self, x):
            Counted.calls += 1
            return cp.exp(-abs(x)) / 2

    class Shifted(type(stats.norm)):
        def _pdf(self, x):
            Counted.calls += 1
            return super()._pdf(x - 1)

    for law in (Counted(name="counted"), Shifted(name="shifted")):
        before = Counted.calls
        for _ in range(4):
            law.pdf(cp.asarray([0.5]))
        assert Counted.calls == before + 4
    assert abs(float(law.pdf(1.0)) - 0.3989422804014327) < 1e-15


def test_a_point_is_no_array():
    x = cp.asarray([1.0, 4.0])
    steps = _tape.traced(lambda p: abs(-p) * 2 + np.sqrt(p) / 4 - (np.float64(1) <= p) * 0.5)
    assert np.array_equal(steps(x).get(), (abs(-x) * 2 + np.sqrt(x) / 4 - (x >= 1) * 0.5).get())
    assert not _tape.is_traced()
    for formula in (float, np.asarray, lambda p: p.shape, lambda p: p if p > 0 else -p, lambda p: np.add.reduce(p)):
        assert _tape.traced(formula) is None
        assert not _tape.is_traced()
    # A division by a power of two is a product; equal steps are one.
    steps = _tape.traced(lambda p: (p * p / 8) * (p * p))
    assert [function for function, _, _ in steps.steps] == [operator.mul] * 3
