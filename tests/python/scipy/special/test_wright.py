"""Wright's Bessel function, the integral of a Bessel function, and the settings for errors."""

import cuproxide as cp
import mpmath as mp
import numpy as np
import pytest
from effort import FULL
from references import precisely

special = pytest.importorskip("scipy.special")

COUNT = 300 if FULL else 25
INF, NAN = np.inf, np.nan


def _spread(random, low, high):
    return np.exp(random.uniform(np.log(low), np.log(high), COUNT))


def _wright(a, b, x):
    total, largest, k = mp.mpf(0), mp.mpf(0), 0
    while True:
        term = mp.exp(k * mp.log(x) - mp.loggamma(k + 1)) * mp.rgamma(a * k + b)
        total, largest, k = total + term, max(largest, term), k + 1
        if term < largest * mp.mpf(10) ** -40 and k > 5:
            return total


def _integral(a, power, order):
    series = mp.hyper([(power + order + 1) / 2], [order + 1, (power + order + 3) / 2], -a * a, maxterms=10**5)
    return a**order * mp.rgamma(order + 1) / (power + order + 1) * series


@pytest.mark.parametrize("ranges", [((0.01, 5), (0.01, 20), (1e-3, 10)), ((0.1, 3), (0.01, 20), (10, 700))], ids=str)
def test_wright_bessel(ranges):
    random = np.random.default_rng(1)
    points = [_spread(random, *bounds) for bounds in ranges]
    exact = [precisely(_wright, *point) for point in zip(*points, strict=True)]
    logarithms = np.array([float(mp.log(value)) for value in exact])
    found = cp.scipy.special.log_wright_bessel(*map(cp.asarray, points)).get()
    np.testing.assert_allclose(found, logarithms, rtol=2e-13, atol=1e-15)
    small = logarithms < 700
    found = cp.scipy.special.wright_bessel(*[cp.asarray(point[small]) for point in points]).get()
    np.testing.assert_allclose(found, np.exp(logarithms[small]), rtol=3e-13)


@pytest.mark.parametrize(("low", "high", "bound"), [(0.01, 2, 1e-14), (2, 20, 1e-13), (20, 100, 1e-13)])
def test_besselpoly(low, high, bound):
    random = np.random.default_rng(2)
    a, power, order = _spread(random, low, high), random.uniform(0, 5, COUNT), random.uniform(0, 5, COUNT)
    exact = np.array([float(precisely(_integral, *point)) for point in zip(a, power, order, strict=True)])
    found = cp.scipy.special.besselpoly(*map(cp.asarray, (a, power, order))).get()
    # For large a the parts of the integral cancel, and SciPy's series gives no digit.
    np.testing.assert_allclose(found, exact, rtol=bound, atol=bound if low >= 2 else 0)


SPECIAL = {
    "wright_bessel": [
        *[(0, 1, 1), (1, 0, 1), (-1, 1, 1), (1, -1, 1), (1, 1, -1), (1, 1, INF), (1, 0, 0), (NAN, 1, 1), (1, 1, 1e6)],
        *[(INF, 1, 1), (0, 0, 2), (1, INF, 1), (1, 1, 0), (1, 2, 1e-300), (0, 3, 1), (0.001, 1, 3)],
    ],
    "log_wright_bessel": [
        *[(0, 1, 1), (1, 0, 1), (-1, 1, 1), (1, 1, 1e6), (1, 1, 1e100), (1, 0, 0), (0, 0, 2), (1, 1, INF), (INF, 1, 1)],
        *[(0.1, 50, 1e20), (5, 100, 3)],
    ],
    "besselpoly": [(0, 1, 0), (0, 1, 1), (1, 1, -1), (1, 1, -2), (-1, 1, 1), (1, -1, 0), (1, 1, -0.5), (NAN, 1, 1)],
}


@pytest.mark.parametrize("name", SPECIAL)
def test_special_values(name):
    ours, scipys = getattr(cp.scipy.special, name), getattr(special, name)
    for point in SPECIAL[name]:
        np.testing.assert_allclose(ours(*point).item(), scipys(*point), rtol=1e-12, err_msg=str(point))
    points = [np.array([0.5, 1.25], "f4")] * 3
    found = ours(*map(cp.asarray, points))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found.get(), scipys(*points), rtol=4e-7)


def test_former_names_of_the_incomplete_beta_function():
    assert cp.scipy.special.btdtr(2.0, 3.0, 0.25).item() == cp.scipy.special.betainc(2.0, 3.0, 0.25).item()
    assert cp.scipy.special.btdtri(2.0, 3.0, 0.25).item() == cp.scipy.special.betaincinv(2.0, 3.0, 0.25).item()


def test_settings_for_errors():
    ours = cp.scipy.special
    assert ours.geterr() == special.geterr()
    with ours.errstate(all="warn", domain="raise"):
        inside = ours.geterr()
        assert inside["domain"] == "raise"
        assert set(inside.values()) == {"warn", "raise"}
        # Nothing is reported: results are computed later, on a device.
        assert np.isnan(ours.gammainc(-1.0, 2.0).item())
    assert ours.geterr() == special.geterr()
    before = ours.seterr(singular="warn")
    assert before["singular"] == "ignore"
    assert ours.seterr(**before)["singular"] == "warn"
    for wrong in ({"nothing": "warn"}, {"singular": "shout"}, {"all": "shout"}):
        with pytest.raises(KeyError):
            ours.seterr(**wrong)
        with pytest.raises(KeyError), ours.errstate(**wrong):
            pass
        assert ours.geterr() == before
    assert issubclass(ours.SpecialFunctionWarning, Warning)
    assert issubclass(ours.SpecialFunctionError, Exception)
