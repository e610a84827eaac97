"""`expect`: cut limits, functions with steps, complex functions, tables."""

import cuproxide as cp
import cuproxide.scipy.stats as ours
import numpy as np
import pytest
import scipy.stats as theirs
from cuproxide.scipy.stats import _discrete


def test_limits_beyond_the_support():
    d = ours.expon(1)
    exact = -np.expm1(-1)
    assert d.expect(lambda x: 1, lb=0.0, ub=2.0).item() == pytest.approx(exact, rel=1e-13)
    assert d.expect(lambda x: 1, lb=0.0, ub=2.0, conditional=True).item() == pytest.approx(1, rel=1e-13)
    assert d.expect(lambda x: 1, lb=-3.0, ub=-2.0).item() == 0
    assert ours.beta(2, 3).expect(lambda x: x, lb=-5, ub=7).item() == pytest.approx(0.4, rel=1e-12)
    assert ours.norm().expect(lambda x: x * x, lb=-30, ub=0.5).item() == pytest.approx(
        theirs.norm().expect(lambda x: x * x, lb=-30, ub=0.5), rel=1e-12
    )


@pytest.mark.parametrize(
    ("name", "shapes", "function", "exact"),
    [
        ("norm", (), lambda x: x > 0.3, theirs.norm.sf(0.3)),
        ("gamma", (0.1,), lambda x: x < 0.2, theirs.gamma.cdf(0.2, 0.1)),
        ("beta", (0.5, 0.5), lambda x: cp.floor(10 * x), sum(theirs.beta.sf(i / 10, 0.5, 0.5) for i in range(1, 10))),
        (
            "norm", (), lambda x: abs(x - 0.37),
            2 * theirs.norm.pdf(0.37) + 0.37 * (2 * theirs.norm.cdf(0.37) - 1),
        ),
    ],
)  # fmt: skip
def test_functions_with_steps_and_cusps(name, shapes, function, exact):
    # Next to the upper end of a beta distribution numbers are too coarse for the pole of its density.
    bound = 1e-7 if name == "beta" else 1e-10
    assert getattr(ours, name)(*shapes).expect(function).item() == pytest.approx(exact, rel=bound)


def test_angles_go_round_once():
    expected = theirs.vonmises(loc=2, kappa=1).expect(lambda x: np.exp(1j * x), complex_func=True)
    actual = ours.vonmises(loc=2, kappa=1).expect(lambda x: cp.exp(1j * x), complex_func=True)
    assert complex(actual.item()) == pytest.approx(expected, rel=1e-12)
    assert ours.vonmises(1.5).expect(lambda x: x * x).item() == pytest.approx(
        theirs.vonmises(1.5).expect(lambda x: x * x), rel=1e-12
    )


@pytest.mark.parametrize("limits", [{}, {"lb": 2}, {"ub": 2}, {"lb": 2, "ub": 2, "conditional": True}])
def test_tables_within_limits(limits):
    table = ([1, 2, 4], [0.2, 0.3, 0.5])
    expected = theirs.rv_discrete(values=table).expect(lambda k: k * k, **limits)
    assert ours.rv_discrete(values=table).expect(lambda k: k * k, **limits).item() == pytest.approx(expected)


def test_draws_of_a_table_have_its_kind():
    assert ours.rv_discrete(values=([1, 2], [0.5, 0.5])).rvs(size=3).dtype == np.int64
    assert ours.rv_discrete(values=([1.5, 2], [0.5, 0.5])).rvs(size=3).dtype == np.float64
    # The sixth argument by position is the table; the fifth is a tolerance.
    assert type(ours.rv_discrete(0, 5, None, None, 1e-8)) is ours.rv_discrete
    assert ours.rv_discrete(0, 5, None, None, 1e-8, ([1, 2], [0.5, 0.5])).mean().item() == 1.5


def test_draws_from_a_tabulated_support():
    arguments = (140, 80, 60, 0.5)
    x = ours.nchypergeom_wallenius.rvs(*arguments, size=20_000, random_state=1).get()
    mass = theirs.nchypergeom_wallenius.pmf(np.arange(61), *arguments)
    observed = np.bincount(x, minlength=61)
    some = mass * x.size > 5
    assert theirs.chisquare(observed[some], mass[some] / mass[some].sum() * observed[some].sum()).pvalue > 1e-4


@pytest.mark.parametrize(
    ("call", "exact"),
    [
        (lambda: ours.poisson.expect(args=(1e9,)), 1e9),
        (lambda: ours.poisson.expect(lambda k: k, args=(1e9,)), 1e9),
        (lambda: ours.poisson.expect(lambda k: k * k, args=(1e7,), loc=3), (1e7 + 3) ** 2 + 1e7),
        (lambda: ours.poisson.expect(lambda k: k > 1e9, args=(1e9,)), theirs.poisson.sf(1e9, 1e9)),
        (lambda: ours.poisson(1e9).expect(lambda k: k * 0 + 1, lb=1e9 + 2e5, conditional=True), 1.0),
        (lambda: ours.binom.expect(lambda k: k, args=(2e7, 0.5)), 1e7),
        (lambda: ours.zipfian.expect(lambda k: k, args=(1e9, 1e9)), 1.0),
        (lambda: ours.skellam.expect(lambda k: k * k, args=(4, 9)), 38.0),
        (lambda: ours.geom.expect(args=(1e-6,)), 1e6),
        (lambda: ours.zipf.expect(args=(2.5,)), theirs.zipf.mean(2.5)),
    ],
)
def test_large_supports(call, exact):
    """Sums begin at the median, however far that is from the lower end, and no array has the size of the support."""
    assert call().item() == pytest.approx(float(exact), rel=1e-9)


def test_sums_that_do_not_converge_are_unknown(monkeypatch):
    monkeypatch.setattr(_discrete, "_MOST_ADDED", 1 << 20)
    for call in (
        lambda: ours.zipf.expect(lambda k: k, args=(2.2,)),
        lambda: ours.randint.expect(lambda k: k, args=(0, 10**9)),
    ):
        with pytest.warns(RuntimeWarning, match="did not converge"):
            assert np.isnan(call().item())
    assert np.isnan(ours.poisson.expect(args=(-1,)).item())
    assert np.isnan(ours.poisson.expect(lambda k: k, args=(-1,)).item())
