"""`quantile` of `scipy.stats` beside SciPy's."""

import cuproxide as cp
import cuproxide.scipy.stats as ours
import numpy as np
import pytest
import scipy.stats as theirs

METHODS = [
    "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull",
    "linear", "median_unbiased", "normal_unbiased", "harrell-davis", "round_outward", "round_inward", "round_nearest",
]  # fmt: skip
# Shapes of samples and probabilities, and the axis.
SHAPES = [
    ((7,), (), 0), ((7,), (3,), 0), ((4, 7), (4, 1), -1), ((4, 7), (2,), 1), ((4, 7), (4, 3), -1), ((4, 7), (), None),
    ((4, 7), (3, 7), 0), ((2, 3, 5), (5,), 1), ((0,), (2,), 0), ((4, 0), (), 1),
]  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("nan_policy", ["propagate", "omit"])
def test_slices_with_their_own_probabilities(method, nan_policy):
    rng = np.random.default_rng(3)
    for shape, levels, axis in SHAPES:
        if 0 in shape and method.startswith("round"):
            continue  # SciPy's index is out of range
        x = rng.integers(0, 6, shape).astype(float)
        p = rng.random(levels) if levels else float(rng.random())
        if np.size(p) > 1:
            p.flat[:2] = 0.0, 1.0
        if x.size > 4:
            x.flat[3] = np.nan
        for keepdims in (None, True):
            options = {"method": method, "axis": axis, "keepdims": keepdims, "nan_policy": nan_policy}
            expected = theirs.quantile(x, p, **options)
            actual = ours.quantile(cp.asarray(x), p if np.isscalar(p) else cp.asarray(p), **options)
            assert actual.shape == np.shape(expected), options
            np.testing.assert_allclose(actual.get(), expected, rtol=1e-12, atol=1e-14, err_msg=str((shape, options)))


@pytest.mark.parametrize("method", METHODS[:9])
def test_weights(method):
    rng = np.random.default_rng(4)
    for shape, levels, axis in (((7,), (3,), 0), ((4, 7), (4, 1), -1), ((4, 7), (), 1), ((3, 6), (2, 6), 0)):
        x, weights = rng.integers(0, 6, shape).astype(float), rng.integers(0, 4, shape).astype(float)
        x.flat[2] = np.nan
        p = rng.random(levels) if levels else 0.3
        for nan_policy in ("propagate", "omit"):
            options = {"method": method, "axis": axis, "nan_policy": nan_policy}
            expected = theirs.quantile(x, p, weights=weights, **options)
            actual = ours.quantile(cp.asarray(x), cp.asarray(p), weights=cp.asarray(weights), **options)
            np.testing.assert_allclose(actual.get(), expected, rtol=1e-12, err_msg=str((shape, options)))


def test_probabilities_out_of_range_and_types():
    assert np.isnan(ours.quantile(cp.arange(4.0), cp.asarray([-0.1, 1.1, np.nan])).get()).all()
    single = cp.arange(4, dtype=np.float32)
    assert ours.quantile(single, 0.5).dtype == np.float32
    assert ours.quantile(single, cp.asarray([0.5])).dtype == np.float64
    assert ours.quantile(cp.arange(4), 0.5).dtype == np.float64


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (([1.0, 2.0], [0.1, 0.2]), {"keepdims": False}), (([1.0, 2.0], 0.5), {"method": "nearest"}),
        (([1.0, 2.0], 0.5), {"axis": 1}), (([1.0, 2.0], 0.5), {"axis": 0.5}), (([1.0, 2.0], 1), {}),
        (([1.0, 2.0], 0.5), {"method": "harrell-davis", "weights": [1.0, 1.0]}),
        (([1.0, np.nan], 0.5), {"nan_policy": "raise"}), (([1.0, 2.0], 0.5), {"keepdims": "yes"}),
        (([1j, 2.0], 0.5), {}),
    ],
)  # fmt: skip
def test_errors(arguments, options):
    for module in (theirs, ours):
        with pytest.raises(ValueError):
            module.quantile(*arguments, **options)
