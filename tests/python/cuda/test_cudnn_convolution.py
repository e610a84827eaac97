"""Convolutions of `cuproxide.cudnn` and their gradients beside NumPy and SciPy."""

import itertools

import cuproxide as cp
import numpy as np
import pytest
import scipy.signal
from cuproxide import cudnn
from networks import DTYPES, close, convolve, layouts, outputs, random, way  # noqa: F401

pytestmark = pytest.mark.usefixtures("way")

FORWARD = {"auto_tune": False, "tensor_core": "never"}
BACK = {**FORWARD, "deterministic": True}
# Images, filters, pad, stride, dilation, groups.
CASES = [
    ((2, 3, 6, 5), (4, 3, 3, 3), (1, 1), (1, 1), (1, 1), 1), ((3, 4, 7, 8), (6, 2, 3, 2), (0, 1), (2, 1), (1, 1), 2),
    ((2, 3, 9, 9), (3, 1, 3, 3), (2, 2), (2, 2), (2, 2), 3), ((1, 2, 5, 5), (2, 2, 1, 1), (0, 0), (1, 1), (1, 1), 1),
    ((2, 2, 6, 6), (3, 2, 2, 3), (3, 0), (3, 2), (1, 2), 1),
    ((2, 2, 4, 5, 6), (3, 2, 2, 3, 2), (1, 0, 1), (1, 2, 1), (1, 1, 2), 1),
    ((2, 4, 4, 4, 4), (4, 1, 3, 3, 3), (1, 1, 1), (1, 1, 1), (1, 1, 1), 4),
    ((2, 3, 10), (4, 3, 4), (2,), (3,), (1,), 1),
    ((5, 2, 3, 3), (2, 2, 3, 3), (0, 0), (1, 1), (1, 1), 1), ((0, 2, 4, 4), (3, 2, 3, 3), (0, 0), (1, 1), (1, 1), 1),
    ((1, 2, 3, 4), (2, 2, 1, 2), (1, 2), (1, 1), (1, 1), 1), ((2, 4, 6, 7), (4, 2, 3, 3), (1, 2), (1, 1), (2, 2), 2),
]  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("case", CASES)
def test_convolution(case, dtype):
    images, filters, *options = case
    x, w, b = random(images, dtype), random(filters, dtype, 1), random(filters[:1], dtype, 2)
    shift = b.astype(float).reshape(-1, *(1,) * (len(images) - 2))
    wanted = convolve(x, w, *options)
    gy = random(wanted.shape, dtype, 3)
    gx, gw = convolve(x, w, *options, gy)
    every = itertools.islice(zip(layouts(x), layouts(w), layouts(gy), strict=True), None if dtype == "float32" else 1)
    for ours, kernels, slopes in every:
        y = cp.full(wanted.shape, np.nan, dtype)
        assert cudnn.convolution_forward(ours, kernels, cp.array(b), y, *options, **FORWARD) is None
        close(y, wanted + shift, 2)
        own_x, own_w = cp.full(images, np.nan, dtype), cp.full(filters, np.nan, dtype)
        cudnn.convolution_backward_data(kernels, slopes, None, own_x, *options, **BACK)
        cudnn.convolution_backward_filter(ours, slopes, own_w, *options, **BACK)
        close(own_x, gx, 2)
        close(own_w, gw, 2)


@pytest.mark.parametrize("target", ["C", "F", "steps"])
@pytest.mark.parametrize("layouts_", [(0, 1), (1, 0), (1, 1)])
def test_channels_last(layouts_, target):
    d_layout, w_layout = layouts_
    options = (1, 0), (1, 2), (1, 1), 1
    x, w = random((2, 3, 6, 5), "float32"), random((4, 3, 3, 2), "float32", 1)
    wanted = convolve(x, w, *options)
    gy = random(wanted.shape, "float32", 2)
    gx, gw = convolve(x, w, *options, gy)

    def turned(array, last):
        return np.moveaxis(array, 1, -1) if last else array

    def empty(shape):
        if target == "steps":
            return cp.empty((*shape[:-1], 2 * shape[-1]), "float32")[..., ::2]
        return cp.empty(shape, "float32", order=target)

    arguments = {"d_layout": d_layout, "w_layout": w_layout}
    ours, kernels, slopes = (cp.array(turned(a, last)) for a, last in ((x, d_layout), (w, w_layout), (gy, d_layout)))
    y, own_x, own_w = empty(slopes.shape), empty(ours.shape), empty(kernels.shape)
    cudnn.convolution_forward(ours, kernels, None, y, *options, **FORWARD, **arguments)
    cudnn.convolution_backward_data(kernels, slopes, None, own_x, *options, **BACK, **arguments)
    cudnn.convolution_backward_filter(ours, slopes, own_w, *options, **BACK, **arguments)
    close(y, turned(wanted, d_layout))
    close(own_x, turned(gx, d_layout))
    close(own_w, turned(gw, w_layout))


def test_against_scipy():
    x, w = random((1, 2, 7, 9), "float64"), random((1, 2, 3, 4), "float64", 1)
    y = cp.empty((1, 1, 5, 6))
    cudnn.convolution_forward(cp.array(x), cp.array(w), None, y, (0, 0), (1, 1), None, 1, **FORWARD)
    close(y, scipy.signal.correlate(x, w, "valid"))


def test_gradients_are_slopes():
    """Finite differences of a sum of squares, which is quadratic, so that central ones are exact."""
    options = (1, 1), (2, 1), (1, 2), 2
    x, w = random((2, 4, 5, 6), "float64"), random((4, 2, 3, 2), "float64", 1)
    shape = (2, 4, *outputs((5, 6), (3, 2), *options[:3]))

    def result(images, kernels):
        y = cp.empty(shape)
        cudnn.convolution_forward(cp.array(images), cp.array(kernels), None, y, *options, **FORWARD)
        return y

    y = result(x, w)
    gx, gw = cp.empty(x.shape), cp.empty(w.shape)
    cudnn.convolution_backward_data(cp.array(w), y, None, gx, *options, **BACK)
    cudnn.convolution_backward_filter(cp.array(x), y, gw, *options, **BACK)
    for seed in range(3):
        dx, dw = random(x.shape, "float64", 10 + seed), random(w.shape, "float64", 20 + seed)
        slope_x = float((result(x + dx, w) ** 2).sum() - (result(x - dx, w) ** 2).sum()) / 4
        slope_w = float((result(x, w + dw) ** 2).sum() - (result(x, w - dw) ** 2).sum()) / 4
        np.testing.assert_allclose(float((gx * cp.array(dx)).sum()), slope_x, rtol=1e-10)
        np.testing.assert_allclose(float((gw * cp.array(dw)).sum()), slope_w, rtol=1e-10)


def test_a_bias_of_the_transposed_convolution():
    x, w = random((2, 3, 4, 4), "float32"), random((3, 2, 3, 3), "float32", 1)
    y, b = cp.empty((2, 2, 9, 9), "float32"), cp.array(random(2, "float32", 2))
    cudnn.convolution_backward_data(cp.array(w), cp.array(x), b, y, (0, 0), (2, 2), (1, 1), 1, **BACK)
    gx, _ = convolve(np.zeros((2, 2, 9, 9)), w, (0, 0), (2, 2), (1, 1), 1, x)
    close(y, gx + b.get().astype(float).reshape(1, 2, 1, 1))


@pytest.mark.parametrize("size", [0, 1000, 1 << 23])
def test_workspaces_are_limited(size):
    before = cudnn.get_max_workspace_size()
    cudnn.set_max_workspace_size(size)
    try:
        assert cudnn.get_max_workspace_size() == size
        x, w = random((37, 2, 6, 6), "float32"), random((3, 2, 3, 3), "float32", 1)
        options = (1, 1), (1, 1), (1, 1), 1
        wanted = convolve(x, w, *options)
        gx, gw = convolve(x, w, *options, wanted)
        for tune in (False, True):
            y, own_x, own_w = cp.empty(wanted.shape, "float32"), cp.empty_like(cp.array(x)), cp.empty_like(cp.array(w))
            arguments = {"auto_tune": tune, "tensor_core": "never"}
            ours, kernels, slopes = cp.array(x), cp.array(w), cp.array(wanted.astype("float32"))
            cudnn.convolution_forward(ours, kernels, None, y, *options, **arguments)
            cudnn.convolution_backward_data(kernels, slopes, None, own_x, *options, deterministic=False, **arguments)
            cudnn.convolution_backward_filter(ours, slopes, own_w, *options, deterministic=False, **arguments)
            close(y, wanted)
            close(own_x, gx)
            close(own_w, gw, 2)
    finally:
        cudnn.set_max_workspace_size(before)
    with pytest.raises(ValueError, match="size"):
        cudnn.set_max_workspace_size(-1)


def test_launches_do_not_grow_with_images(way):  # noqa: F811
    """Own kernels cut the images into at most so many parts, however little memory they may take."""
    if way == "library":
        pytest.skip("a matter of own kernels")
    from cuproxide.cudnn import _convolution

    before = cudnn.get_max_workspace_size()
    cudnn.set_max_workspace_size(0)
    try:
        geometry = _convolution._geometry((1000, 2, 6, 6), (3, 2, 3, 3), (0, 0), (1, 1), None, 1)
        parts = list(geometry.parts(4))
        assert len(parts) <= 16
        assert [part.start for part in parts[1:]] == [part.stop for part in parts[:-1]]
        assert (parts[0].start, parts[-1].stop) == (0, 1000)
    finally:
        cudnn.set_max_workspace_size(before)


def test_arguments_that_do_not_fit():
    x, w, y = (cp.zeros(shape, "float32") for shape in ((2, 4, 5, 5), (6, 2, 3, 3), (2, 6, 3, 3)))
    good = (0, 0), (1, 1), (1, 1), 2
    cases = [
        ("y must have shape", (x, w, None, y[:, :, :2], *good)),
        ("groups=1 does not fit", (x, w, None, y, *good[:3], 1)),
        ("groups=0", (x, w, None, y, *good[:3], 0)),
        ("pad must have 2", (x, w, None, y, (0,), *good[1:])),
        ("pad must be at least 0", (x, w, None, y, (-1, 0), *good[1:])),
        ("stride must be at least 1", (x, w, None, y, (0, 0), (0, 1), (1, 1), 2)),
        ("number of axes", (x, w[0], None, y, *good)),
        ("b must have 6 elements", (x, w, w[0, 0, 0], y, *good)),
    ]
    for message, arguments in cases:
        with pytest.raises(ValueError, match=message):
            cudnn.convolution_forward(*arguments, **FORWARD)
    with pytest.raises(TypeError, match="W is float64"):
        cudnn.convolution_forward(x, w.astype(float), None, y, *good, **FORWARD)
    with pytest.raises(ValueError, match="tensor_core"):
        cudnn.convolution_forward(x, w, None, y, *good, auto_tune=False, tensor_core="sometimes")
    with pytest.raises(ValueError, match="x must have shape"):
        cudnn.convolution_backward_data(w, y[:, :3], None, x, *good, **BACK)
    with pytest.raises(ValueError, match="gy must have shape"):
        cudnn.convolution_backward_filter(x, x, w, *good, **BACK)
