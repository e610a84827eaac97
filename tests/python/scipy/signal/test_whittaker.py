"""Whittaker and Henderson's smoothing beside its equations, solved densely."""

import cuproxide as cp
import numpy as np
import pytest
from cuproxide.scipy.signal import whittaker_henderson

Y = np.sin(np.arange(40) / 5) + 0.3 * np.random.default_rng(1).normal(size=40)


def dense(y, w, lamb, order):
    d = np.diff(np.eye(y.size), order, axis=0)
    return np.linalg.solve(np.diag(w) + lamb * d.T @ d, w * y), d


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("lamb", [0.5, 20.0, cp.asarray(3.0)])
def test_equations(order, lamb):
    w = np.random.default_rng(2).uniform(0, 2, 40) * (np.arange(40) % 7 > 0)
    gaps = np.where(w == 0, np.nan, Y)
    found = whittaker_henderson(cp.asarray(gaps), lamb=lamb, order=order, weights=cp.asarray(w))
    np.testing.assert_allclose(found.x.get(), dense(Y, w, float(lamb), order)[0], rtol=1e-8, atol=1e-10)
    assert found.lamb is lamb


def test_the_penalty_with_the_largest_restricted_likelihood():
    found = whittaker_henderson(cp.asarray(Y))

    def loss(lamb):
        x, d = dense(Y, np.ones(40), lamb, 2)
        squares = ((Y - x) ** 2).sum() + lamb * ((d @ x) ** 2).sum()
        return 38 * np.log(squares) + np.linalg.slogdet(np.eye(40) + lamb * d.T @ d)[1] - 38 * np.log(lamb)

    assert all(loss(found.lamb) <= loss(found.lamb * factor) for factor in (0.5, 0.99, 1.01, 2))
    np.testing.assert_allclose(found.x.get(), dense(Y, np.ones(40), found.lamb, 2)[0], rtol=1e-9)


def test_limits():
    place = np.arange(40)
    line = np.polyval(np.polyfit(place, Y, 1), place)
    np.testing.assert_allclose(whittaker_henderson(Y, lamb=np.inf).x.get(), line, rtol=1e-10)
    np.testing.assert_array_equal(whittaker_henderson(Y, lamb=0).x.get(), Y)
    turned = whittaker_henderson(Y * (1 + 2j), lamb=3.0).x.get()
    np.testing.assert_allclose(turned, dense(Y, np.ones(40), 3.0, 2)[0] * (1 + 2j), rtol=1e-9)


@pytest.mark.parametrize(
    "error, args, options",
    [
        (ValueError, ([1.0, 2],), {}),
        (ValueError, ([[1.0, 2, 3]],), {}),
        (ValueError, ([1.0, 2, np.nan],), {}),
        (ValueError, ([1.0, 2, 3],), {"lamb": -1}),
        (ValueError, ([1.0, 2, 3],), {"lamb": "x"}),
        (ValueError, ([1.0, 2, 3],), {"order": 0}),
        (TypeError, ([1.0, 2, 3],), {"order": 1.5}),
        (ValueError, ([1.0, 2, 3],), {"weights": [1.0, 2]}),
        (ValueError, ([1.0, 2, 3],), {"weights": [1.0, -2, 3]}),
    ],
)
def test_refusals(error, args, options):
    with pytest.raises(error):
        whittaker_henderson(*args, **options)
