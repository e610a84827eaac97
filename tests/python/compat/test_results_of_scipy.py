"""Dtypes of results that NumPy and SciPy choose by no general rule."""

import cuproxide as cp
import numpy as np
import pytest
from versions import SCIPY_1_18

fft = pytest.importorskip("scipy.fft")
linalg = pytest.importorskip("scipy.linalg")


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8"])
@pytest.mark.parametrize("bias", [0.0, 0.3])
def test_hankel(dtype, bias):
    x = np.linspace(1, 3, 8).astype(dtype)
    for name in ("fht", "ifht"):
        ours = getattr(cp.scipy.fft, name)(cp.asarray(x), 0.2, mu=0.5, bias=bias)
        theirs = getattr(fft, name)(x, 0.2, mu=0.5, bias=bias)
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(cp.asnumpy(ours), theirs, rtol=2e-5 if theirs.dtype == np.float32 else 1e-11)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "int64", "float32", "complex64"])
@pytest.mark.parametrize("values", [[1, 4, 120], [3], [], [[1, 4], [100, 7]], 5])
def test_fiedler(dtype, values):
    x = np.array(values, dtype)
    ours = cp.scipy.linalg.fiedler(cp.asarray(x))
    # Older SciPy takes no stacks.
    theirs = linalg.fiedler(x) if x.ndim < 2 else np.stack([linalg.fiedler(row) for row in x])
    if not SCIPY_1_18 and not x.size:
        theirs = theirs.reshape(0, 0)  # it has two axes since, as the matrix of any stack
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    np.testing.assert_array_equal(cp.asnumpy(ours), theirs)


@pytest.mark.parametrize("a", [np.eye(3), np.zeros((0, 3)), np.ones((4, 2))])
def test_rank_of_lstsq(a):
    b = np.ones(len(a))
    ours, theirs = cp.linalg.lstsq(cp.asarray(a), cp.asarray(b))[2], np.linalg.lstsq(a, b)[2]
    assert type(ours) is type(theirs) and ours == theirs
