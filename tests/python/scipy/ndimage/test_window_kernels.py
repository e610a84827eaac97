"""Kernels of `generic_filter`: each window is reduced as if it were alone."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.ndimage as theirs

X = np.random.default_rng(0).normal(size=(6, 7))
MEAN = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a / _in_ind.size()", "0", "mean_of_window")
TYPED = cp.ReductionKernel(
    "X x", "Y y", "x", "a + b", "y = a / _in_ind.size() * _out_ind.size()", "0", "typed", "double"
)


@pytest.mark.parametrize("kernel", [MEAN, TYPED])
@pytest.mark.parametrize("window", [{"size": 3}, {"size": (2, 3)}, {"footprint": [[1, 0, 1], [1, 1, 0]]}])
def test_sizes_are_those_of_one_window(kernel, window):
    found = cp.scipy.ndimage.generic_filter(cp.asarray(X), kernel, **window).get()
    np.testing.assert_allclose(found, theirs.generic_filter(X, np.mean, **window), rtol=1e-12, atol=1e-14)


def test_the_output_says_its_type():
    image = (X * 100).astype(np.int64)
    found = cp.scipy.ndimage.generic_filter(cp.asarray(image), TYPED, size=3)
    assert found.dtype == np.int64
    np.testing.assert_array_equal(found.get(), theirs.generic_filter(image, np.mean, size=3))
    narrow = cp.scipy.ndimage.generic_filter(cp.asarray(X), TYPED, size=3, output=np.float32)
    assert narrow.dtype == np.float32
    np.testing.assert_allclose(narrow.get(), theirs.generic_filter(X, np.mean, size=3), rtol=1e-5, atol=1e-6)


def test_the_kernel_itself_stays_as_it_is():
    cp.scipy.ndimage.generic_filter(cp.asarray(X), MEAN, size=3)
    np.testing.assert_allclose(MEAN(cp.asarray(X)).item(), X.mean(), rtol=1e-12)
