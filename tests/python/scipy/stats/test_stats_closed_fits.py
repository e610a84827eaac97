"""Fits from sums of the data: at least as likely as SciPy's, and data that no parameters explain."""

import math

import cuproxide as cp
import cuproxide.scipy.stats as ours
import numpy as np
import pytest
import scipy.stats as theirs
from cuproxide.scipy.stats import _closed_fits, _fit, _fit_errors


def draws(name, *shapes, size=400, **kwds):
    return getattr(theirs, name).rvs(*shapes, size=size, random_state=np.random.default_rng(5), **kwds)


@pytest.fixture
def no_search(monkeypatch):
    """Fits that must not search."""

    def fail(*args, **kwds):
        raise AssertionError("a closed form has searched")

    monkeypatch.setattr(_fit, "simplex", fail)


CLOSED = [
    ("vonmises", draws("vonmises", 3.99, loc=7), {}),
    ("vonmises", draws("vonmises", 3.99, loc=7), {"f0": 2}),
    ("vonmises", draws("vonmises", 3.99, loc=7), {"floc": 0.5}),
    ("vonmises", draws("vonmises", 1e6, loc=1), {}),
    ("vonmises", draws("vonmises", 1e-3, loc=1), {}),
    ("vonmises", draws("vonmises", 3.99), {"f0": 2, "floc": 0.5}),
    ("pareto", draws("pareto", 2.6), {}),
    ("pareto", draws("pareto", 2.6), {"floc": 0}),
    ("pareto", draws("pareto", 2.6), {"fscale": 1}),
    ("pareto", draws("pareto", 2.6), {"floc": 0, "fscale": 0.9}),
    ("pareto", draws("pareto", 2.6), {"f0": 2}),
    ("powerlaw", draws("powerlaw", 1.66), {"floc": 0}),
    ("powerlaw", draws("powerlaw", 0.5), {}),
    ("powerlaw", draws("powerlaw", 0.5), {"fscale": 1.1}),
    ("truncpareto", draws("truncpareto", 1.8, 5.3), {"floc": 0}),
    ("truncpareto", draws("truncpareto", -1.2, 5.3), {"floc": 0}),
    ("truncpareto", draws("truncpareto", 1.8, 5.3), {"floc": 0, "f0": 2}),
    ("loguniform", draws("loguniform", 0.01, 1.25), {"floc": 0}),
    ("reciprocal", draws("reciprocal", 0.01, 1.25), {"floc": 0}),
    ("arcsine", draws("arcsine"), {}),
    ("arcsine", draws("arcsine"), {"floc": -0.1}),
    ("arcsine", draws("arcsine"), {"fscale": 1.1}),
]


@pytest.mark.parametrize("name, x, held", CLOSED)
def test_closed_forms(no_search, name, x, held):
    distribution = getattr(theirs, name)
    found = getattr(ours, name).fit(cp.asarray(x), **held)
    expected = distribution.fit(x, **held)
    assert distribution.nnlf(found, x) <= distribution.nnlf(expected, x) + 1e-9 * len(x)
    if abs(distribution.nnlf(found, x) - distribution.nnlf(expected, x)) < 1e-6:
        np.testing.assert_allclose(found, np.array(expected, float), rtol=1e-6, atol=1e-9)


def test_circles_have_a_scale_of_one():
    x = draws("vonmises", 3.99, loc=7)
    kappa, loc, scale = ours.vonmises.fit(cp.asarray(x), fscale=2)
    assert scale == 1 and -math.pi < loc <= math.pi
    assert ours.vonmises.fit(cp.full(5, math.pi))[1] == math.pi
    assert ours.vonmises.fit(cp.full(5, 0.3)) == (1e16, 0.3, 1.0)
    # No direction: nothing is concentrated.
    assert ours.vonmises.fit(cp.asarray([1.0, 2.0, 3.0]), floc=-2.0)[0] == np.finfo(float).tiny


def test_concentrations_beside_exact_ones():
    # mpmath: 1 - I1(kappa) / I0(kappa).
    lacks = {
        0.01: 0.99500006249895835,
        1.0: 0.55361003410346549,
        50.0: 0.010051032621502247,
        1000.0: 0.0005001251251957198,
        1000000000.0: 5.00000000125e-10,
    }
    found = _closed_fits._concentration(cp.asarray(list(lacks.values()))).get()
    np.testing.assert_allclose(found, list(lacks), rtol=1e-11)


@pytest.mark.parametrize("c, d", [(0.2, 0.8), (0.05, 0.3), (0.5, 0.5), (0.9, 0.95)])
def test_trapezoid_reaches_the_maximum(c, d):
    x = draws("trapezoid", c, d, loc=3, scale=2)
    found, expected = ours.trapezoid.fit(cp.asarray(x)), theirs.trapezoid.fit(x)
    assert theirs.trapezoid.nnlf(found, x) <= theirs.trapezoid.nnlf(expected, x) + 0.01


def test_small_data_are_fitted_at_their_size():
    x = draws("gumbel_l")
    found = np.array(ours.gumbel_l.fit(cp.asarray(x * 2.0**-40)))
    np.testing.assert_allclose(found * 2.0**40, theirs.gumbel_l.fit(x), rtol=1e-4)


@pytest.mark.parametrize(
    "name, held",
    [
        ("halfnorm", {"floc": 0}),
        ("halfcauchy", {"floc": 0}),
        ("gamma", {"floc": 0}),
        ("lognorm", {"floc": 0}),
        ("beta", {"floc": 0, "fscale": 1}),
        ("powerlaw", {"floc": 0}),
        ("pareto", {"floc": 0, "fscale": 2}),
    ],
)
def test_data_outside_of_the_support(name, held):
    x = np.array([-1.0, 0.3, 0.4])
    with pytest.raises(ValueError) as expected:
        getattr(theirs, name).fit(x, **held)
    with pytest.raises(_fit_errors.FitDataError) as found:
        getattr(ours, name).fit(cp.asarray(x), **held)
    assert type(expected.value).__name__ == type(found.value).__name__ == "FitDataError"


@pytest.mark.parametrize(
    "name", ["norm", "expon", "uniform", "gamma", "beta", "gumbel_l", "skewnorm", "vonmises", "pareto"]
)
def test_nothing_to_fit(name):
    held = {f"f{i}": 2 for i in range(getattr(theirs, name).numargs)} | {"floc": 0, "fscale": 1}
    errors = []
    for module in (ours, theirs):
        with pytest.raises((ValueError, RuntimeError), match="All parameters fixed") as raised:
            getattr(module, name).fit(np.array([0.3, 0.4]), **held)
        errors.append(raised.type)
    # SciPy has a RuntimeError where a fit is its own; `beta` checks its data first.
    assert errors[0] is errors[1]
