"""`cuproxide.cudnn` beside NumPy: activation, softmax, pooling, batch normalisation, dropout, descriptors, errors."""

import subprocess
import sys

import cuproxide as cp
import numpy as np
import pytest
import scipy.special
from cuproxide import cudnn
from networks import DTYPES, close, layouts, pool, random, way  # noqa: F401

pytestmark = pytest.mark.usefixtures("way")

SIGMOID, RELU, TANH, CLIPPED, ELU, IDENTITY, SWISH = range(7)
COEF = 0.75
FUNCTIONS = {
    SIGMOID: (scipy.special.expit, lambda x, y: y * (1 - y)),
    RELU: (lambda x: np.maximum(x, 0), lambda x, y: (x > 0) * 1.0),
    TANH: (np.tanh, lambda x, y: 1 - y * y),
    CLIPPED: (lambda x: np.clip(x, 0, COEF), lambda x, y: ((x > 0) & (x < COEF)) * 1.0),
    ELU: (lambda x: np.where(x > 0, x, COEF * np.expm1(x)), lambda x, y: np.where(x > 0, 1, COEF * np.exp(x))),
    IDENTITY: (lambda x: x, lambda x, y: np.ones_like(x)),
    SWISH: (
        lambda x: x * scipy.special.expit(x),
        lambda x, y: scipy.special.expit(x) * (1 + x * (1 - scipy.special.expit(x))),
    ),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("mode", FUNCTIONS)
def test_activation(mode, dtype):
    function, slope = FUNCTIONS[mode]
    x, gy = random((2, 3, 4, 5), dtype), random((2, 3, 4, 5), dtype, 1)
    wanted = function(x.astype(float))
    for ours, theirs in zip(layouts(x), layouts(gy), strict=True):
        y = cudnn.activation_forward(ours, mode, COEF)
        assert y.dtype == dtype
        close(y, wanted)
        close(cudnn.activation_backward(ours, y, theirs, mode, COEF), gy.astype(float) * slope(x.astype(float), wanted))


@pytest.mark.parametrize("shape", [(), (1,), (7,), (3, 5), (2, 2, 2, 2, 3), (0, 4)])
def test_activation_of_any_shape(shape):
    x = random(shape, "float32")
    close(cudnn.activation_forward(cp.array(x), TANH), np.tanh(x.astype(float)))


def test_extremes_of_activation(way):  # noqa: F811
    x = np.array([-np.inf, -1e4, -0.0, 0.0, 1e4, np.inf, np.nan], "float32")
    for mode, (function, _) in FUNCTIONS.items():
        wanted = function(x.astype(float))
        if mode == SWISH:
            wanted[0] = np.nan  # -inf * 0
        if way == "library" and mode in (CLIPPED, SWISH):
            continue  # not documented
        np.testing.assert_array_equal(cudnn.activation_forward(cp.array(x), mode, COEF).get(), wanted.astype("float32"))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("algorithm", [0, 1, 2])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_softmax(axis, algorithm, dtype):
    x, gy = random((4, 5, 6), dtype), random((4, 5, 6), dtype, 1)
    wide = x.astype(float)
    wanted = scipy.special.log_softmax(wide, axis) if algorithm == 2 else scipy.special.softmax(wide, axis)
    slopes = gy.astype(float)
    if algorithm == 2:
        gradient = slopes - np.exp(wanted) * slopes.sum(axis, keepdims=True)
    else:
        gradient = wanted * (slopes - (wanted * slopes).sum(axis, keepdims=True))
    for ours, theirs in zip(layouts(x), layouts(gy), strict=True):
        y = cudnn.softmax_forward(ours, axis, algorithm)
        assert y.dtype == dtype
        close(y, wanted)
        close(cudnn.softmax_backward(cp.array(wanted.astype(dtype)), theirs, axis, algorithm), gradient, 2)


def test_softmax_of_large_numbers_does_not_overflow():
    x = np.array([[1000.0, 999.0, -1000.0]], "float32")
    for algorithm, wanted in ((1, scipy.special.softmax(x, 1)), (2, scipy.special.log_softmax(x, 1))):
        close(cudnn.softmax_forward(cp.array(x), 1, algorithm), wanted)
    assert cudnn.softmax_forward(cp.empty((0, 3)), 1, 1).shape == (0, 3)


POOLS = [
    ((2, 3, 8, 8), (2, 2), (2, 2), (0, 0)), ((2, 2, 7, 6), (3, 2), (2, 1), (1, 0)),
    ((1, 2, 5, 5), (3, 3), (1, 1), (1, 1)),
    ((2, 1, 4, 5, 6), (2, 3, 2), (2, 2, 1), (1, 1, 0)), ((2, 2, 9), (3,), (2,), (1,)),
    ((1, 1, 6, 6), (2, 2), (3, 3), (0, 0)),
    ((0, 2, 4, 4), (2, 2), (2, 2), (0, 0)),
]  # fmt: skip


@pytest.mark.parametrize("mode", range(4))
@pytest.mark.parametrize(("shape", "ksize", "stride", "pad"), POOLS)
def test_pooling(shape, ksize, stride, pad, mode):
    for dtype in DTYPES:
        x = random(shape, dtype)
        wanted = pool(x, ksize, stride, pad, mode)
        gy = random(wanted.shape, dtype, 1)
        gradient = pool(x, ksize, stride, pad, mode, gy)
        for ours, theirs in zip(layouts(x), layouts(gy), strict=True):
            y = cp.full(wanted.shape, np.nan, dtype)
            assert cudnn.pooling_forward(ours, y, ksize, stride, pad, mode) is y
            close(y, wanted)
            close(cudnn.pooling_backward(ours, y, theirs, ksize, stride, pad, mode), gradient)


def test_pooling_with_channels_last():
    x = random((2, 4, 6, 3), "float32")
    wanted = pool(x.transpose(0, 3, 1, 2), (2, 2), (2, 2), (0, 0), 0)
    gy = random(wanted.shape, "float32", 1)
    gradient = pool(x.transpose(0, 3, 1, 2), (2, 2), (2, 2), (0, 0), 0, gy)
    y = cp.empty((2, 2, 3, 3), "float32")
    slopes = cp.array(gy).transpose(0, 2, 3, 1)
    cudnn.pooling_forward(cp.array(x), y, (2, 2), (2, 2), (0, 0), 0, d_layout=cudnn.CUDNN_TENSOR_NHWC)
    close(y, wanted.transpose(0, 2, 3, 1))
    gx = cudnn.pooling_backward(cp.array(x), y, slopes, (2, 2), (2, 2), (0, 0), 0, d_layout=cudnn.CUDNN_TENSOR_NHWC)
    close(gx, gradient.transpose(0, 2, 3, 1))


def test_pooling_keeps_nan_and_the_first_of_equal_maxima():
    x = cp.array(np.array([1, np.nan, 2, 2, 7, 7], "float32").reshape(1, 1, 1, 6))
    y, mode = cp.empty((1, 1, 1, 3), "float32"), cudnn.CUDNN_POOLING_MAX_DETERMINISTIC
    cudnn.pooling_forward(x, y, (1, 2), (1, 2), (0, 0), mode)
    np.testing.assert_array_equal(y.get().ravel(), [np.nan, 2, 7])
    with cudnn.own_kernels():
        gx = cudnn.pooling_backward(x, y, cp.ones_like(y), (1, 2), (1, 2), (0, 0), mode)
    np.testing.assert_array_equal(gx.get().ravel(), [0, 1, 1, 0, 1, 0])


NORMS = [
    ((6, 3, 4, 5), True, 1, 0), ((6, 3, 4, 5), True, 2, 0), ((6, 4, 5, 3), True, 1, 1), ((6, 3, 4, 5), True, 0, 0),
    ((4, 2, 3, 4, 5), True, 1, 0), ((8, 5), False, 0, 0), ((4, 3, 5), False, 0, 0), ((5, 4, 3, 2), True, 0, 1),
]  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("shape", "images", "mode", "layout"), NORMS)
def test_batch_normalization(shape, images, mode, layout, dtype):
    x, gy, eps, decay = random(shape, dtype) * 2 + 1, random(shape, dtype, 1), 1e-3, 0.9
    if not images:
        order, wide = None, x.astype(float).reshape(-1, shape[-1])
    else:
        order = (0, len(shape) - 1, *range(1, len(shape) - 1)) if layout else tuple(range(len(shape)))
        wide = x.astype(float).transpose(order)
    axes = (0,) if mode == 0 else (0, *range(2, wide.ndim))
    mean, var = wide.mean(axes, keepdims=True), wide.var(axes, keepdims=True)
    count = wide.size // mean.size
    parameter = "float64" if dtype == "float64" else "float32"
    gamma, beta, running_mean, running_var = (random(mean.shape, parameter, seed) ** 2 for seed in range(2, 6))
    inverse = 1 / np.sqrt(var + eps)
    normal = (wide - mean) * inverse

    def back(array):
        return array.reshape(shape) if order is None else array.transpose(np.argsort(order))

    average, variance = cp.array(running_mean), cp.array(running_var)
    arguments = [cp.array(x), cp.array(gamma), cp.array(beta)]
    y, own_mean, own_inverse = cudnn.batch_normalization_forward_training(
        *arguments, average, variance, None, None, eps, decay, images, mode, False, layout
    )
    close(y, back(normal * gamma + beta), 2)
    close(own_mean, mean, 2)
    close(own_inverse, inverse, 4)
    close(average, decay * running_mean + (1 - decay) * mean)
    close(variance, decay * running_var + (1 - decay) * var * count / (count - 1), 4)
    saved = cp.empty(mean.shape, parameter), cp.empty(mean.shape, parameter)
    again = cudnn.batch_normalization_forward_training(
        *arguments, cp.array(running_mean), cp.array(running_var), *saved, eps, decay, images, mode, False, layout
    )
    np.testing.assert_array_equal(again.get(), y.get())
    np.testing.assert_array_equal(saved[0].get(), own_mean.get())

    slopes = gy.astype(float).reshape(wide.shape) if order is None else gy.astype(float).transpose(order)
    gbeta, ggamma = slopes.sum(axes, keepdims=True), (slopes * normal).sum(axes, keepdims=True)
    gradient = gamma * inverse * (slopes - (gbeta + normal * ggamma) / count)
    made = cudnn.batch_normalization_backward(
        *arguments[:2], cp.array(gy), own_mean, own_inverse, eps, images, mode, False, layout
    )
    for ours, wanted in zip(made, (back(gradient), ggamma, gbeta), strict=True):
        close(ours, wanted, 10)

    inference = cudnn.batch_normalization_forward_inference(
        *arguments, cp.array(running_mean), cp.array(running_var), eps, images, mode, layout
    )
    scale = gamma.astype(float) / np.sqrt(running_var.astype(float) + eps)
    close(inference, back((wide - running_mean) * scale + beta), 4)


def test_parameters_of_other_types_are_converted():
    x, ones = cp.array(random((4, 3), "float16")), cp.ones(3, "float16")
    running = [cp.zeros(3, "float16"), cp.ones(3, "float16")]
    y, mean, _ = cudnn.batch_normalization_forward_training(
        x, ones, ones, *running, None, None, 1e-3, 0.5, False, 0, False
    )
    assert y.dtype == running[0].dtype == "float16"
    assert mean.dtype == "float32"
    gradients = cudnn.batch_normalization_backward(x, ones, x, mean, mean, 1e-3, False, 0, False)
    assert [array.dtype for array in gradients] == ["float16"] * 3


def test_dropout():
    x = random((64, 50), "float32") + 10
    ours = cp.array(x)
    reserve, y = cudnn.DropoutStates(None, 7).forward(None, ours, 0.25)
    kept = y.get() != 0
    assert 0.7 < kept.mean() < 0.8
    np.testing.assert_allclose(y.get()[kept], x[kept] / np.float32(0.75), rtol=1e-6)
    states = cudnn.DropoutStates(None, 7)
    same, once = states.forward(None, ours, 0.25)
    np.testing.assert_array_equal(once.get(), y.get())
    _, other = states.forward(None, ours, 0.25)
    assert (other.get() != y.get()).any()
    gradient = states.backward(None, cp.ones_like(ours), 0.25, same)
    np.testing.assert_allclose(gradient.get(), kept / np.float32(0.75), rtol=1e-6)
    np.testing.assert_array_equal(states.forward(None, ours, 0.0)[1].get(), x)
    assert (cudnn.DropoutStates(None, 8).forward(None, ours, 0.25)[1].get() != y.get()).any()
    with pytest.raises(ValueError, match="dropout_ratio"):
        states.forward(None, ours, 1.0)


def test_descriptors_are_facts():
    x = cp.zeros((2, 3, 4, 5), "float32")
    tensor = cudnn.create_tensor_descriptor(x, cudnn.CUDNN_TENSOR_NHWC)
    assert (tensor.kind, tensor.shape, tensor.format, tensor.data_type) == ("tensor", x.shape, 1, 0)
    convolution = cudnn.create_convolution_descriptor((1, 1), (2, 2), np.dtype("float16"), groups=2)
    assert (convolution.pad, convolution.dilation, convolution.groups, convolution.data_type) == ((1, 1), (1, 1), 2, 0)
    with pytest.raises(AttributeError, match="address"):
        _ = tensor.value
    with pytest.raises(AttributeError, match="ksize"):
        _ = tensor.ksize
    with pytest.raises(ValueError, match="C-contiguous"):
        cudnn.create_tensor_descriptor(x.T)
    assert cudnn.create_pooling_descriptor((2,), (1,), (0,), 0).ksize == (2,)
    assert cudnn.create_activation_descriptor(1, coef=2.0).coef == 2.0


def test_arguments_that_do_not_fit():
    x = cp.zeros((2, 3, 4, 4), "float32")
    pooled = cp.zeros((2, 3, 2, 2), "float32")
    cases = [
        (TypeError, "float16, float32 or float64", lambda: cudnn.activation_forward(cp.zeros(3, int), 0)),
        (TypeError, "ndarray", lambda: cudnn.activation_forward([1.0], 0)),
        (TypeError, "gy is float64", lambda: cudnn.activation_backward(x, x, x.astype(float), 0)),
        (ValueError, "gy has shape", lambda: cudnn.activation_backward(x, x, x[:1], 0)),
        (ValueError, "mode .* got 7", lambda: cudnn.activation_forward(x, 7)),
        (ValueError, "algorithm .* got 3", lambda: cudnn.softmax_forward(x, 1, 3)),
        (np.exceptions.AxisError, "axis 4", lambda: cudnn.softmax_forward(x, 4, 0)),
        (ValueError, "y must have shape", lambda: cudnn.pooling_forward(x, x, (2, 2), (2, 2), (0, 0), 0)),
        (ValueError, "ksize", lambda: cudnn.pooling_forward(x, pooled, (2,), (2, 2), (0, 0), 0)),
        (ValueError, "pad must be less", lambda: cudnn.pooling_forward(x, pooled, (2, 2), (2, 2), (2, 0), 0)),
        (ValueError, "mode .* got 4", lambda: cudnn.pooling_forward(x, pooled, (2, 2), (2, 2), (0, 0), 4)),
        (ValueError, "d_layout", lambda: cudnn.pooling_forward(x, pooled, (2, 2), (2, 2), (0, 0), 0, d_layout=2)),
        (AttributeError, "reductions", lambda: cudnn.create_reduce_tensor_descriptor),
        (AttributeError, "no attribute 'nonsense'$", lambda: cudnn.nonsense),
    ]
    for kind, message, call in cases:
        with pytest.raises(kind, match=message):
            call()


def test_under_the_names_of_cupy(way):  # noqa: F811
    if way == "library":
        pytest.skip("one run is enough")
    program = (
        "import cuproxide.compat\ncuproxide.compat.install()\nimport cupy, cupy.cudnn\n"
        "from cupy.cuda import cudnn as low\n"
        "from cupy import cudnn\nx = cupy.array([-1.0, 2.0])\n"
        "print(cudnn.activation_forward(x, low.CUDNN_ACTIVATION_RELU), low.getVersion() >= 0, low.CuDNNError)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.startswith("[0. 2.] True"), done.stderr
