"""Correlations, smoothing filters and derivatives, beside SciPy's."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.ndimage
from helpers import check, to_device
from images import ALL, FILTER_MODES, REALS, SHAPES, agree, draws, outcome
from ways import take_ways

ndimage = cp.scipy.ndimage
OUTPUTS = [None, None, None, "f4", np.float64, np.uint8, np.int16, bool, np.complex64]


def common(draw):
    """An array, and what all filters take."""
    x = draw.layout(draw.array(draw(*SHAPES), draw(*ALL)))
    return x, draw(*OUTPUTS), draw(*FILTER_MODES, "unknown"), draw(0, 0.0, 2.5, -3, 300)


def weights_1d(draw):
    n = draw(1, 2, 3, 4, 5, 9, 28, 60)
    half = np.arange(n // 2, dtype=float)
    return draw(
        draw.random.normal(size=n),
        np.r_[half, 7.0, half[::-1]],
        np.r_[half, 0.0, -half[::-1]],
        draw.random.integers(-3, 4, n),
        draw.array(n, "c16"),
    )


@pytest.mark.parametrize("draw", draws(150, 1))
def test_one_axis(draw):
    x, output, mode, cval = common(draw)
    axis, origin = draw(-1, 0, 1), draw(0, 0, 1, -1, 2)
    agree(draw("correlate1d", "convolve1d"), x, weights_1d(draw), axis, output, mode, cval, origin)
    agree("uniform_filter1d", x, draw(0, 1, 2, 3, 7, 20, 70, 600), axis, output, mode, cval, origin)
    agree("gaussian_filter1d", x, draw(0.5, 1, 2.3, 0), axis, draw(0, 1, 2, 3, -1), output, mode, cval)


@pytest.mark.parametrize("draw", draws(150, 2))
def test_more_axes(draw):
    x, output, mode, cval = common(draw)
    shape = tuple(draw.random.integers(1, 5, x.ndim))
    weights = draw(draw.random.normal(size=shape), draw.random.integers(-1, 2, shape), draw.array(shape, "c16"))
    agree(draw("correlate", "convolve"), x, weights, output, mode, cval, draw(0, 0, -1, 1))
    agree("uniform_filter", x, draw(1, 2, 3, (3, 2)), output, mode, cval, draw(0, 0, -1))
    axes = draw(None, None, 0, (0, 1), (1,))
    agree("gaussian_filter", x, draw(0.5, 1, (1, 2)), draw(0, 1, (0, 1)), output, mode, cval, axes=axes)
    agree(draw("sobel", "prewitt"), x, draw(-1, 0, 1), output, mode, cval)
    output = None if output is bool else output
    agree("laplace", x, output, mode, cval)
    agree(draw("gaussian_laplace", "gaussian_gradient_magnitude"), x, draw(1, 1.5), output, mode, cval)


@pytest.mark.parametrize("draw", draws(60, 7))
def test_ends_of_large_arrays(draw, monkeypatch):
    # Large arrays are not copied: strips at their ends are extended.
    monkeypatch.setattr(ndimage._windows, "_LARGE", 0)
    x = draw.layout(draw.array((41, 38), draw("u1", "i4", "f4", "f8", "c8")))
    axis, mode, cval = draw(-1, 0), draw(*FILTER_MODES), draw(0, 2.5)
    size = draw(2, 3, 5, 8, 9)
    origin = draw(0, 0, 1, -1, -(size // 2), (size - 1) // 2)
    output = draw(None, None, np.complex64 if x.dtype.kind == "c" else np.float64)
    agree("correlate1d", x, draw.random.normal(size=size), axis, output, mode, cval, origin)
    agree("uniform_filter1d", x, size, axis, output, mode, cval, origin)
    agree("gaussian_filter", x, draw(0.7, 1.2), 0, output, mode, cval)
    agree(draw("sobel", "laplace"), x, output=output, mode=mode, cval=cval)
    if x.dtype.kind != "c":
        agree(draw("minimum_filter1d", "maximum_filter1d"), x, size, axis, output, mode, cval, origin)
        agree("maximum_filter", x, (3, 7), None, output, mode, cval, draw(0, 1))


@pytest.fixture(params=[1, 4])
def many_threads(request, monkeypatch):
    """The kernels of devices with many threads, with so many results in each; one: of any size."""
    monkeypatch.setattr(ndimage._lines, "_WIDE", 0 if request.param == 1 else 2**31)
    take_ways(monkeypatch, True, "windows of a line in one launch", "windows over axes in one launch", "weights stay")
    monkeypatch.setattr(ndimage._lines, "results_of", lambda size, length: min(request.param, length))
    return request.param


@pytest.mark.parametrize("draw", draws(60, 8))
def test_kernels_for_many_threads_along_an_axis(draw, many_threads):
    shape = draw((41, 38), (12, 7, 10), (30,), (5, 1, 6), (9, 40), (9, 44))
    x = draw.layout(draw.array(shape, draw("u1", "i4", "f4", "f4", "f8", "c8", "?")))
    axis, mode, cval = draw(-1, 0), draw(*FILTER_MODES), draw(0, 2.5)
    size = draw(1, 2, 3, 5, 8, 9)
    origin = draw(0, 0, 1, -1, -(size // 2), (size - 1) // 2)
    output = draw(None, None, np.complex64 if x.dtype.kind == "c" else np.float64)
    weights = draw(draw.random.normal(size=size), np.r_[1.0, 2.0, 1.0], np.r_[-1.0, 0.0, 1.0])
    agree("correlate1d", x, weights, axis, output, mode, cval, origin)
    agree("uniform_filter1d", x, size, axis, output, mode, cval, origin)
    agree("gaussian_filter", x, draw(0.7, 1.2), 0, output, mode, cval)
    if x.dtype.kind != "c":
        agree(draw("minimum_filter1d", "maximum_filter1d"), x, size, axis, output, mode, cval, origin)
        if x.dtype.kind != "b" or mode != "constant":
            # SciPy keeps bytes that are no truth values between both.
            agree(draw("grey_opening", "grey_closing"), x, draw(2, 3, 5), None, None, output, mode, cval, draw(0, 0, 1))


@pytest.mark.parametrize("draw", draws(60, 9))
def test_kernels_for_many_threads_over_axes(draw, many_threads):
    shape = draw((21, 18), (12, 7, 10), (2, 3), (5, 1, 6))
    x = draw.layout(draw.array(shape, draw("u1", "i4", "f4", "f4", "f8", "c8")))
    mode, cval, output = draw(*FILTER_MODES), draw(0, 2.5, 3), draw(None, np.float32, np.float64, np.int16)
    output = np.complex64 if x.dtype.kind == "c" else output
    agree(draw("sobel", "prewitt"), x, draw(-1, 0), output, mode, cval)
    agree("laplace", x, output, mode, cval, axes=draw(None, 0, (1, 0)))
    window = tuple(draw.random.integers(1, 5, x.ndim))
    weights = draw.random.normal(size=window) * draw.random.integers(0, 2, window)
    kept = draw(weights, weights, draw.random.integers(-1, 2, window), draw.array(window, "c16"))
    agree(draw("correlate", "convolve"), x, kept, output, mode, cval, draw(0, 0, -1, 1))


def test_weights_that_do_not_count(many_threads):
    x, weights = np.random.default_rng(5).normal(size=(30, 20)), np.random.default_rng(6).normal(size=(3, 5))
    weights[1, 1], weights[0, 0], x[3, 4], x[20, 10] = 0, 1e-17, np.inf, np.nan
    agree("correlate", x, weights)
    agree("correlate", x, weights.tolist())


def test_large_windows():
    x = np.random.default_rng(3).normal(size=(40, 50)).astype("f4")
    for shape in ((11, 13), (31, 29)):
        agree("correlate", x, np.random.default_rng(4).normal(size=shape))
    agree("gaussian_filter", x, 12)


@pytest.mark.parametrize("name", ["generic_laplace", "generic_gradient_magnitude"])
def test_derivatives_of_the_caller(name):
    x = np.random.default_rng(5).normal(size=(6, 7))

    def derivative(module):
        return lambda a, axis, output, mode, cval, *rest: module.correlate1d(a, [1, -2, 3], axis, output, mode, cval)

    for axes in (None, (1,), ()):
        expected = getattr(scipy.ndimage, name)(x, derivative(scipy.ndimage), None, "wrap", 0.0, (1,), axes=axes)
        result = getattr(ndimage, name)(cp.array(x), derivative(ndimage), None, "wrap", 0.0, (1,), axes=axes)
        check(result, expected, ulp=16, scale=10)


@pytest.mark.parametrize("dtype", ["u1", "f4", "c8"])
def test_output_arrays_and_overlap(dtype):
    calls = [
        lambda m, a, out: m.gaussian_filter(a, 1.5, output=out),
        lambda m, a, out: m.convolve(a, np.arange(9).reshape(3, 3), output=out),
        lambda m, a, out: m.uniform_filter(a, (3, 4), output=out),
        lambda m, a, out: m.sobel(a, output=out),
    ]
    x = np.random.default_rng(6).integers(0, 9, (9, 8)).astype(dtype)
    for call in calls:
        expected, own = np.empty((9, 8), dtype), cp.empty((9, 8), dtype)
        call(scipy.ndimage, x, expected)
        assert call(ndimage, cp.array(x), own) is own
        check(own, expected, ulp=8, scale=40)
        same = cp.array(x)
        check(call(ndimage, same, same), expected, ulp=8, scale=40)
        # A part of the array that is filtered, in another order.
        part = to_device(x)
        expected = call(scipy.ndimage, x[1:, :-1], np.empty((8, 7), dtype))
        call(ndimage, part[1:, :-1], part[:-1, 1:])
        check(part[:-1, 1:].copy(), expected, ulp=8, scale=40)


def test_uniform_windows_are_independent():
    x = np.arange(40.0)
    x[20] = np.inf
    result = cp.asnumpy(ndimage.uniform_filter1d(cp.array(x), 3))
    # SciPy's running sum is not a number from there on.
    assert np.isfinite(result[22:]).all()
    np.testing.assert_allclose(result[22:-1], x[22:-1])


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda x: ndimage.correlate1d(x, []), RuntimeError),
        (lambda x: ndimage.correlate1d(x, [1, 2], mode="edge"), RuntimeError),
        (lambda x: ndimage.correlate1d(x, [1, 2], axis=2), ValueError),
        (lambda x: ndimage.correlate1d(x, [1, 2, 3], origin=2), ValueError),
        (lambda x: ndimage.correlate(x, [1, 2, 3]), RuntimeError),
        (lambda x: ndimage.correlate(x, np.ones((3, 3)), mode=["wrap", "wrap"]), RuntimeError),
        (lambda x: ndimage.correlate(x, np.ones((3, 3)), cval=1j) if x.dtype.kind == "c" else 1 / 0, ZeroDivisionError),
        (lambda x: ndimage.correlate(x, np.ones((3, 3)) * 1j, cval=1j), ValueError),
        (lambda x: ndimage.correlate(x, np.ones((3, 3)), output=cp.empty((2, 2))), RuntimeError),
        (lambda x: ndimage.correlate(x, np.ones((3, 3)), output=np.empty((3, 4))), TypeError),
        (lambda x: ndimage.gaussian_filter(x, 1, axes=(0, 0)), ValueError),
        (lambda x: ndimage.gaussian_filter(x, 1, axes=(3,)), ValueError),
        (lambda x: ndimage.gaussian_filter(x, (1, 2, 3)), RuntimeError),
        (lambda x: ndimage.gaussian_filter(x, 1, radius=-1), ValueError),
        (lambda x: ndimage.uniform_filter1d(x, 0), RuntimeError),
        (lambda x: ndimage.uniform_filter1d(x, 3, origin=-2), ValueError),
        (lambda x: ndimage.gaussian_filter(x.astype(cp.float16), 1), RuntimeError),
    ],
)
def test_errors(call, error):
    assert isinstance(outcome(call, cp.ones((3, 4))), error)


@pytest.mark.parametrize("dtype", REALS)
def test_integers_are_truncated(dtype):
    x = (np.arange(30) % 7).astype(dtype)
    for output in (None, np.int8, np.uint64, np.float32):
        agree("correlate1d", x, [0.3, 0.3, 0.3], output=output)
        agree("correlate1d", x, [-1, 0, 1] if output != np.uint64 else [1, 0, 1], output=output)
