"""Counting functions and sums of exponentials at their edges, beside SciPy."""

import itertools

import cuproxide as cp
import numpy as np
import pytest

special = pytest.importorskip("scipy.special")
INF, NAN = np.inf, np.nan


@pytest.mark.parametrize("repetition", [False, True])
@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_comb(repetition, dtype):
    n, k = np.meshgrid(np.arange(-2, 12).astype(dtype), np.arange(-1, 13).astype(dtype))
    found = cp.scipy.special.comb(cp.asarray(n), cp.asarray(k), repetition=repetition)
    np.testing.assert_allclose(found.get(), special.comb(n, k, repetition=repetition), rtol=1e-14)


@pytest.mark.parametrize("repetition", [False, True])
def test_comb_exact(repetition):
    for n, k in itertools.product(range(-2, 12), range(-1, 13)):
        given = {"exact": True, "repetition": repetition}
        assert cp.scipy.special.comb(n, k, **given) == special.comb(n, k, **given), (n, k)


@pytest.mark.parametrize("a", [[-INF, -INF], [INF, INF], [INF, -INF], [NAN, 1.0], [1.0, 2.0], [-INF, 1.0], [INF, NAN]])
@pytest.mark.parametrize("b", [None, [1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [0.0, 1.0], [1.0, 0.0], [0.0, 0.0]])
def test_logsumexp_edges(a, b):
    with np.errstate(all="ignore"):
        expected = special.logsumexp(np.array(a), b=b, return_sign=True)
    found = cp.scipy.special.logsumexp(cp.asarray(a), b=None if b is None else cp.asarray(b), return_sign=True)
    for ours, scipys in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours.get(), scipys, rtol=1e-14)


def test_logsumexp_of_nothing():
    for ours, scipys in zip(
        cp.scipy.special.logsumexp(cp.zeros((2, 0)), axis=1, return_sign=True),
        special.logsumexp(np.zeros((2, 0)), axis=1, return_sign=True),
        strict=True,
    ):
        np.testing.assert_array_equal(ours.get(), scipys)


@pytest.mark.parametrize("b", [2, 2.0, True, 1 + 1j])
def test_a_python_number_does_not_widen_a_sum_of_exponentials(b):
    a = np.float32([0.5, 1.5])
    found, expected = cp.scipy.special.logsumexp(cp.asarray(a), b=b), special.logsumexp(a, b=b)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.get(), expected, rtol=1e-6)
