"""Integrals, zeta functions and functions that iterate: beside mpmath in units in the last place, and at special values
beside SciPy."""

import cuproxide as cp
import effort
import numpy as np
import pytest
from kept import kept

mp = pytest.importorskip("mpmath")
special = pytest.importorskip("scipy.special")
COUNT = 400 if effort.FULL else 40
INF, NAN = np.inf, np.nan


def ulps(found, exact, points):
    """The largest error in float64's spacing at the exact values."""
    errors = []
    with mp.workdps(40):
        for value, point in zip(found, points, strict=True):
            reference = mp.mpf(exact(mp.mpf(float(point))))
            assert np.isfinite(value), point
            errors.append(
                float(abs(mp.mpf(float(value)) - reference) / mp.mpf(float(np.spacing(abs(float(reference))))))
            )
    return max(errors)


def drawn(low, high, geometric=False):
    random = np.random.default_rng(7)
    if geometric:
        return np.exp(random.uniform(np.log(low), np.log(high), COUNT))
    return random.uniform(low, high, COUNT)


# Function, which of its results, exact, region, bound. Near roots nothing but the distance to the exact root helps.
ACCURACY = [
    ("exp1", None, mp.e1, (0, 1), 6),
    ("exp1", None, mp.e1, (1e-300, 1, True), 3),
    ("exp1", None, mp.e1, (1, 700), 5),
    ("expi", None, mp.ei, (0.2, 1), 4),
    ("expi", None, mp.ei, (1e-300, 0.2, True), 4),
    ("expi", None, mp.ei, (1, 716), 5),
    ("expi", None, mp.ei, (-700, 0), 6),
    ("sici", 0, mp.si, (-4, 4), 4),
    ("sici", 0, mp.si, (4, 1e5, True), 4),
    ("sici", 1, mp.ci, (0.7, 3), 30),
    ("shichi", 0, mp.shi, (-1, 1), 4),
    ("shichi", 0, mp.shi, (1, 700), 6),
    ("shichi", 1, mp.chi, (1, 700), 6),
    ("fresnel", 0, mp.fresnels, (-1.6, 1.6), 4),
    ("fresnel", 0, mp.fresnels, (1.6, 1e6, True), 8),
    ("fresnel", 1, mp.fresnelc, (-1.6, 1.6), 4),
    ("fresnel", 1, mp.fresnelc, (1.6, 1e6, True), 8),
    ("spence", None, lambda x: mp.re(mp.polylog(2, 1 - x)), (0, 3), 4),
    ("spence", None, lambda x: mp.re(mp.polylog(2, 1 - x)), (2, 1e30, True), 4),
]


@pytest.mark.parametrize(("name", "part", "exact", "region", "bound"), ACCURACY)
def test_accuracy(name, part, exact, region, bound):
    x = drawn(*region)
    found = getattr(cp.scipy.special, name)(cp.asarray(x))
    found = found if part is None else found[part]
    assert ulps(found.get(), exact, x) < bound
    narrow = getattr(cp.scipy.special, name)(cp.asarray(x.astype(np.float32)))
    narrow = narrow if part is None else narrow[part]
    expected = getattr(cp.scipy.special, name)(cp.asarray(x.astype(np.float32).astype(np.float64)))
    expected = expected if part is None else expected[part]
    # float32 is float64, rounded.
    np.testing.assert_array_equal(narrow.get(), expected.get().astype(np.float32))


@pytest.mark.parametrize("name", ["exp1", "expi", "sici", "shichi", "fresnel", "spence"])
def test_special_values(name):
    x = np.array([0.0, -0.0, -1.0, -2.0, 1.0, 4.0, INF, -INF, NAN])
    found, expected = getattr(cp.scipy.special, name)(cp.asarray(x)), getattr(special, name)(x)
    for ours, scipys in zip(found, expected, strict=True) if isinstance(found, tuple) else [(found, expected)]:
        np.testing.assert_allclose(ours.get(), scipys, rtol=1e-13)


@kept()
def _expint(order, x):
    """mpmath's value: its recurrence loses a digit and more with each order."""
    with mp.workdps(40 + 10 * order):
        return mp.expint(order, x)


@pytest.mark.parametrize("order", [0, 1, 2, 3, 7, 19, 20, 50, 300, 6000])
def test_expn(order):
    x = np.concatenate([drawn(1e-8, 1, True), drawn(0, 3), drawn(3, 600)])
    found = cp.scipy.special.expn(order, cp.asarray(x)).get()
    np.testing.assert_allclose(found, special.expn(order, x), rtol=1e-13)
    some = x[::10]
    if order > 50:
        return
    assert ulps(found[::10], lambda point: _expint(order, point), some) < 16


def test_expn_special_values():
    n, x = np.meshgrid([-1.0, 0, 1, 1.5, 2, 3], [0.0, -1.0, 1.0, INF, NAN, 1e-300])
    np.testing.assert_allclose(
        cp.scipy.special.expn(cp.asarray(n), cp.asarray(x)).get(), special.expn(n, x), rtol=1e-13
    )
    whole = cp.scipy.special.expn(cp.asarray([1, 2]), cp.asarray([1.0, 2.0]))
    assert whole.dtype == np.float64
