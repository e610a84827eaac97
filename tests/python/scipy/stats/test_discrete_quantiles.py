"""Quantiles of discrete laws where a share is reached exactly, by fractions."""

from fractions import Fraction
from math import comb

import cuproxide as cp
import numpy as np
import pytest

stats = cp.scipy.stats
SHARES = (0.5, 0.25, 0.75, 0.125, 0.0625, 0.875)


def hypergeom(m, n, draws):
    return {k: Fraction(comb(n, k) * comb(m - n, draws - k), comb(m, draws)) for k in range(min(n, draws) + 1)}


def nhypergeom(m, n, r):
    return {k: Fraction(comb(k + r - 1, k) * comb(m - r - k, n - k), comb(m, n)) for k in range(n + 1)}


def binom(n, p):
    p = Fraction(p)
    return {k: comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)}


def nbinom(n, p):
    p = Fraction(p)
    return {k: comb(k + n - 1, k) * p**n * (1 - p) ** k for k in range(90)}


def geom(p):
    p = Fraction(p)
    return {k: p * (1 - p) ** (k - 1) for k in range(1, 90)}


LAWS = {
    hypergeom: [(m, n, d) for m in (8, 15, 22, 40) for n in range(1, m, 3) for d in range(1, m, 4)],
    nhypergeom: [(m, n, r) for m in (8, 15, 22, 40) for n in range(1, m, 3) for r in range(1, m - n + 1, 4)],
    binom: [(n, p) for n in range(1, 60, 3) for p in (0.5, 0.25, 0.75, 0.125)],
    nbinom: [(n, p) for n in (1, 2, 3, 5) for p in (0.5, 0.25, 0.75)],
    geom: [(p,) for p in (0.5, 0.25, 0.75, 0.875)],
}


def quantile(law, share, upper):
    total = Fraction(0)
    for k, mass in law.items():
        total += mass
        if 1 - total <= share if upper else total >= share:
            return k
    raise AssertionError("the law is cut off too early")


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_a_share_that_is_reached_exactly(law):
    cases = LAWS[law]
    masses, shapes = [law(*case) for case in cases], [cp.asarray(column) for column in np.array(cases, float).T]
    for share in SHARES:
        for name in ("ppf", "isf"):
            exact = [quantile(mass, Fraction(share), name == "isf") for mass in masses]
            found = getattr(getattr(stats, law.__name__), name)(share, *shapes)
            assert found.tolist() == exact, (share, name)


def test_tails_next_to_1_keep_their_digits():
    # The share that is allowed for rounding is one of the smaller tail.
    law = stats.geom(0.5)
    for places in (20, 40, 50):
        assert float(law.ppf(1 - 2.0**-places)) == places
        assert float(law.isf(2.0**-places)) == places
        assert float(law.isf(2.0**-places * (1 - 1e-12))) == places + 1
    assert float(stats.binom(4, 0.5).ppf(0.0625 * (1 + 1e-12))) == 1


def test_a_table_of_trials_and_the_newer_class():
    assert float(stats.poisson_binom([0.5, 0.5, 0.5, 0.5]).ppf(0.0625)) == 0
    assert float(stats.Binomial(n=4, p=0.5).icdf(0.0625)) == 0
    assert float(stats.Binomial(n=7, p=0.5).iccdf(0.0625)) == 5


def test_moments_of_one_point():
    for law, point in (
        (stats.nhypergeom(24, 13, 0), 0),
        (stats.bernoulli(1.0), 1),
        (stats.poisson_binom([0.0, 1.0]), 1),
    ):
        assert [float(law.moment(order)) for order in (1, 2, 3, 4, 5)] == [point] * 5
    assert [float(value) for value in stats.binom(0, 0.37).stats("mv")] == [0, 0]
    assert np.isnan([float(value) for value in stats.binom(0, 0.37).stats("sk")]).all()
