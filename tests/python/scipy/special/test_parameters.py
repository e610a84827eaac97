"""Distribution functions solved for their parameters, beside SciPy and by the functions that they invert."""

import cuproxide as cp
import numpy as np
import pytest

special = pytest.importorskip("scipy.special")

COUNT = 60


def _sizes(random, low, high):
    return 10 ** random.uniform(low, high, COUNT)


def _arguments(name):
    random = np.random.default_rng(2)
    p, q = random.uniform(0.01, 0.99, COUNT), random.uniform(0.05, 0.95, COUNT)
    whole = random.integers(1, 30, COUNT).astype(float)
    t = random.normal(size=COUNT) * 2
    return {
        "bdtrik": (p, whole, q),
        "bdtrin": (whole, p, q),
        "btdtria": (p, _sizes(random, -1, 2), q),
        "btdtrib": (_sizes(random, -1, 2), p, q),
        "gdtrib": (_sizes(random, -1, 1), p, _sizes(random, -1, 2)),
        "nbdtrik": (p, whole, q),
        "nbdtrin": (whole, p, q),
        "pdtrik": (p, _sizes(random, -1, 3)),
        "stdtridf": (special.stdtr(_sizes(random, -1, 2), t), t),
        "chdtriv": (p, _sizes(random, -1, 3)),
        "nrdtrimn": (p, _sizes(random, -1, 1), t),
        "nrdtrisd": (t, p, _sizes(random, -1, 1)),
    }[name]


NAMES = [
    *("bdtrik", "bdtrin", "btdtria", "btdtrib", "gdtrib", "nbdtrik"),
    *("nbdtrin", "pdtrik", "stdtridf", "chdtriv", "nrdtrimn", "nrdtrisd"),
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_beside_scipy(name, dtype):
    points = [argument.astype(dtype) for argument in _arguments(name)]
    found = getattr(cp.scipy.special, name)(*map(cp.asarray, points))
    assert found.dtype == getattr(special, name)(*points).dtype == dtype
    # SciPy's float32 loops lose digits in between.
    expected = getattr(special, name)(*(point.astype(np.float64) for point in points))
    # SciPy ends some of its searches at a relative step of about 1e-10.
    np.testing.assert_allclose(found.get(), expected, rtol=max(1e-9, 40 * np.finfo(dtype).eps), atol=1e-9)


@pytest.mark.parametrize(("name", "forward"), [("chdtriv", special.chdtr), ("stdtridf", special.stdtr)])
def test_round_trip(name, forward):
    p, x = _arguments(name)
    found = getattr(cp.scipy.special, name)(cp.asarray(p), cp.asarray(x)).get()
    np.testing.assert_allclose(forward(found, x), p, rtol=1e-13)


@pytest.mark.parametrize("name", NAMES)
def test_no_probability(name):
    points = [np.array([np.nan, -2.0])] * getattr(special, name).nin
    assert np.isnan(getattr(cp.scipy.special, name)(*map(cp.asarray, points)).get()).all()
