"""Filters with functions of the caller's, beside SciPy's."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.ndimage
from helpers import check
from images import ALL, FILTER_MODES, SHAPES, Draw, agree, compare, draws, outcome

ndimage = cp.scipy.ndimage


def sums(line, result, factor=1):
    width = len(line) - len(result) + 1
    result[:] = [line[i : i + width].sum() * factor for i in range(len(result))]


@pytest.mark.parametrize("draw", draws(60, 21))
def test_functions_on_the_host(draw):
    x = draw.array(draw(*SHAPES), draw(*ALL))
    output, mode, cval = draw(None, "f4", np.uint8, np.float64), draw(*FILTER_MODES, "unknown"), draw(0, 2.5)
    axis, origin = draw(-1, 0, 1), draw(0, 0, 1, -1)
    agree("generic_filter1d", x, sums, draw(0, 1, 2, 3, 5), axis, output, mode, cval, origin, (2,))
    window = draw((draw(1, 2, 3, (2, 3)), None), (None, draw.footprint(x.ndim)))
    agree(
        "generic_filter", x, lambda w, s: w.max() - w.sum() * s, *window, output, mode, cval, draw(0, 0, -1),
        (), {"s": 2},
    )  # fmt: skip


@pytest.mark.parametrize("draw", draws(80, 22))
def test_vectorized(draw):
    x = draw.array(draw(*SHAPES), draw(*ALL))
    footprint = draw.footprint(x.ndim)
    keywords = {
        "size": draw(None, 2, 3, (2, 3)),
        "footprint": draw(None, footprint),
        "mode": draw(*FILTER_MODES, "valid", "unknown"),
        "origin": draw(None, 0, -1, (0, 1)),
        "axes": draw(None, 0, (0, 1), (-1,)),
        "batch_memory": draw(2**30, 300, 0, np.inf),
    }
    if "constant" in keywords["mode"]:
        keywords["cval"] = draw(None, 1.0)
    expected = outcome(scipy.ndimage.vectorized_filter, x, np.sum, **keywords)
    result = outcome(ndimage.vectorized_filter, cp.array(x), cp.sum, **keywords)
    if isinstance(expected, Exception) or isinstance(result, Exception):
        assert type(expected).__name__ == type(result).__name__, (keywords, expected, result)
    else:
        compare(result, expected, str(keywords), 1e-2 if x.dtype == np.float16 else 1e-12)


def test_vectorized_output():
    x, out = cp.arange(12.0).reshape(3, 4), cp.empty((3, 4))
    ndimage.vectorized_filter(x, cp.mean, size=3, output=out)
    check(out, scipy.ndimage.vectorized_filter(cp.asnumpy(x), np.mean, size=3), ulp=4, scale=10)


def test_compiled_functions():
    x = Draw(23).array((20, 30), "f4")
    largest = cp.RawKernel(
        'extern "C" __global__ void largest(const double* b, int n, double* out) {'
        " double m = b[0]; for (int i = 1; i < n; ++i) m = b[i] > m ? b[i] : m; out[0] = m; }",
        "largest",
    )
    check(ndimage.generic_filter(cp.array(x), largest, 3), scipy.ndimage.maximum_filter(x, 3))
    total = cp.ReductionKernel("float64 x", "float64 y", "x", "a + b", "y = a", "0", "total")
    expected = scipy.ndimage.correlate(x, np.eye(3))
    check(ndimage.generic_filter(cp.array(x), total, footprint=np.eye(3)), expected, ulp=4, scale=100)
    line = cp.RawKernel(
        'extern "C" __global__ void pair(double* b, long long n, double* o, long long m) {'
        " for (long long i = 0; i < m; ++i) o[i] = b[i] + b[i + 1]; }",
        "pair",
    )
    expected = scipy.ndimage.correlate1d(x, [1, 1], 0)
    check(ndimage.generic_filter1d(cp.array(x), line, 2, 0), expected, ulp=4, scale=100)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda x: ndimage.generic_filter(x, 3, 3), RuntimeError),
        (lambda x: ndimage.generic_filter(x, max), RuntimeError),
        (lambda x: ndimage.generic_filter(x * 1j, max, 3), TypeError),
        (lambda x: ndimage.generic_filter1d(x, sums, 0), RuntimeError),
        (lambda x: ndimage.generic_filter1d(x, sums, 3, origin=3), ValueError),
        (lambda x: ndimage.vectorized_filter(x, 3, size=3), ValueError),
        (lambda x: ndimage.vectorized_filter(x, cp.sum), ValueError),
        (lambda x: ndimage.vectorized_filter(x, cp.sum, size=3, cval=1), ValueError),
    ],
)
def test_errors(call, error):
    assert isinstance(outcome(call, cp.ones((3, 4))), error)
