"""Pairs out of order, counted by merging: exact, in as many launches as the size has digits."""

import cuproxide as cp
import cuproxide.scipy.stats as ours
import numpy as np
import pytest
import scipy.stats as theirs
from cuproxide.scipy.stats._inversions import inversions, weighted_inversions
from launches import launches


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 8, 9, 64, 100])
def test_inversions_are_those_of_all_pairs(n):
    r = np.random.default_rng(n)
    keys, weights = r.integers(0, max(n // 2, 2), (3, n)), r.random((3, n))
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    wrong = [[(i, j) for i, j in pairs if row[i] > row[j]] for row in keys]
    assert inversions(cp.asarray(keys)).tolist() == [len(found) for found in wrong]
    for additive, joined in ((True, np.add), (False, np.multiply)):
        expected = [sum(joined(w[i], w[j]) for i, j in found) for found, w in zip(wrong, weights, strict=True)]
        found = weighted_inversions(cp.asarray(keys), cp.asarray(weights), additive)
        np.testing.assert_allclose(found.get(), expected, rtol=1e-13)


def test_launches_grow_as_the_logarithm():
    r = np.random.default_rng(0)

    def of(n, function):
        x, y = (cp.asarray(r.integers(0, n // 3, n)) for _ in range(2))
        return launches(lambda: function(x, y).statistic.item())

    for function, passes in ((ours.kendalltau, 1), (ours.weightedtau, 8)):
        assert of(4096, function) - of(1024, function) <= 4 * passes


@pytest.mark.parametrize("levels", [3, 50, 10**9])
@pytest.mark.parametrize("variant", ["b", "c"])
def test_kendalltau_of_ties(levels, variant):
    r = np.random.default_rng(levels)
    x, y = r.integers(0, levels, 3000), r.integers(0, levels, 3000)
    found, expected = (f(x, y, variant=variant) for f in (ours.kendalltau, theirs.kendalltau))
    np.testing.assert_allclose(float(found.statistic), expected.statistic, rtol=1e-13)
    np.testing.assert_allclose(float(found.pvalue), expected.pvalue, rtol=1e-11)


@pytest.mark.parametrize("additive", [True, False])
@pytest.mark.parametrize("rank", [True, False, None])
def test_weightedtau_of_ties(additive, rank):
    r = np.random.default_rng(1)
    x, y = r.integers(0, 40, 500), r.integers(0, 40, 500)
    found, expected = (f(x, y, rank=rank, additive=additive) for f in (ours.weightedtau, theirs.weightedtau))
    np.testing.assert_allclose(float(found.statistic), expected.statistic, rtol=1e-11)


def test_omitted_elements_take_part_in_no_pair():
    r = np.random.default_rng(2)
    x, y = r.integers(0, 20, 200).astype(float), r.integers(0, 20, 200).astype(float)
    x[::7] = np.nan
    y[::11] = np.nan
    for name in ("kendalltau", "weightedtau"):
        found, expected = (getattr(m, name)(x, y, nan_policy="omit") for m in (ours, theirs))
        np.testing.assert_allclose(float(found.statistic), expected.statistic, rtol=1e-12)


def test_weights_of_constant_samples():
    assert np.isnan(float(ours.weightedtau(cp.ones(50), cp.arange(50.0)).statistic))
