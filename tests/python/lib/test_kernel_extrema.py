"""The smaller and the larger of two numbers in kernels."""

import cuproxide as cp
import numpy as np
import pytest
from cuproxide._lib import kernel as k


@k.kernel
def extrema_along(x: k.Each, y: k.Array[1]):
    """Loops over an array in memory are compiled for one point at a time."""
    low, high = x, x
    for i in k.steps(y.shape[0]):
        low, high = min(low, y[i]), max(high, y[i])
    return low, high


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_extrema_of_one_point(dtype):
    numbers = np.array([0.0, -0.0, 1.5, -1.5, np.inf, -np.inf, np.finfo(dtype).smallest_subnormal, np.nan], dtype)
    for y in numbers:
        low, high = extrema_along(cp.array(numbers), cp.array([y]))
        for found, reduced, of_zeros in ((low, np.minimum, np.logical_or), (high, np.maximum, np.logical_and)):
            expected = reduced(numbers, y)
            np.testing.assert_array_equal(found.get(), expected)
            zeros = (numbers == 0) & (y == 0)
            signs = np.where(zeros, of_zeros(np.signbit(numbers), np.signbit(y)), np.signbit(expected))
            known = ~np.isnan(expected)
            np.testing.assert_array_equal(np.signbit(found.get())[known], signs[known])
