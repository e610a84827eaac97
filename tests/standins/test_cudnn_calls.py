"""cuDNN's stand-in: descriptors and workspaces are given back, failures become exceptions with the library's words."""

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import cudnn

OPTIONS = {"auto_tune": True, "tensor_core": "never"}


def layers():
    """A few layers and their gradients."""
    x, w = cp.ones((2, 3, 4, 4), "float32"), cp.ones((4, 3, 3, 3), "float32")
    y, pooled = cp.empty((2, 4, 4, 4), "float32"), cp.empty((2, 4, 2, 2), "float32")
    geometry = (1, 1), (1, 1), (1, 1), 1
    window = (2, 2), (2, 2), (0, 0), cudnn.CUDNN_POOLING_MAX
    cudnn.convolution_forward(x, w, None, y, *geometry, **OPTIONS)
    active = cudnn.activation_forward(y, cudnn.CUDNN_ACTIVATION_RELU)
    cudnn.pooling_forward(active, pooled, *window)
    shares = cudnn.softmax_forward(pooled, 1, cudnn.CUDNN_SOFTMAX_ACCURATE)
    slopes = cudnn.softmax_backward(shares, shares, 1, cudnn.CUDNN_SOFTMAX_ACCURATE)
    slopes = cudnn.pooling_backward(active, pooled, slopes, *window)
    slopes = cudnn.activation_backward(y, active, slopes, cudnn.CUDNN_ACTIVATION_RELU)
    cudnn.convolution_backward_data(w, slopes, None, x, *geometry, deterministic=False, **OPTIONS)
    cudnn.convolution_backward_filter(x, slopes, w, *geometry, deterministic=False, **OPTIONS)


def test_nothing_is_left_behind(standin):
    assert cudnn.getVersion() == 91000
    layers()
    before, used = standin.live(), cp.get_default_memory_pool().used_bytes()
    assert before["descriptors"] == 0
    made = standin.calls("cudnnCreateTensorDescriptor")
    layers()
    assert standin.calls("cudnnCreateTensorDescriptor") > made
    assert standin.calls("cudnnCreateTensorDescriptor") == standin.calls("cudnnDestroyTensorDescriptor")
    assert standin.live() == before
    assert cp.get_default_memory_pool().used_bytes() == used


def test_algorithms_are_measured_once(standin):
    x, w, y = cp.ones((1, 1, 5, 5)), cp.ones((1, 1, 2, 2)), cp.empty((1, 1, 4, 4))
    arguments = x, w, None, y, (0, 0), (1, 1), (1, 1), 1
    before = standin.calls("cudnnFindConvolutionForwardAlgorithmEx")
    for _ in range(3):
        cudnn.convolution_forward(*arguments, **OPTIONS)
    assert standin.calls("cudnnFindConvolutionForwardAlgorithmEx") == before + 1
    estimates = standin.calls("cudnnGetConvolutionForwardAlgorithm_v7")
    cudnn.convolution_forward(*arguments, auto_tune=False, tensor_core="never")
    assert standin.calls("cudnnGetConvolutionForwardAlgorithm_v7") == estimates + 1
    np.testing.assert_array_equal(y.get(), np.full((1, 1, 4, 4), 4.0))


@pytest.mark.parametrize(
    "call", ["cudnnActivationForward", "cudnnSetActivationDescriptor", "cudnnSetTensorNdDescriptor"]
)
def test_failures_are_exceptions_with_the_words_of_the_library(standin, call):
    x = cp.ones((2, 3), "float32")
    cudnn.activation_forward(x, 0)
    before = standin.live()
    standin.fail(f"{call}:1=2000")
    with pytest.raises(
        cudnn.CuDNNError, match=f"{call} failed with code 2000 .CUDNN_STATUS_BAD_PARAM.: the stand-in says no"
    ) as caught:
        cudnn.activation_forward(x, 0)
    assert caught.value.status == 2000
    assert standin.live()["descriptors"] == before["descriptors"] == 0
    np.testing.assert_allclose(cudnn.activation_forward(x, 0).get(), np.full((2, 3), 1 / (1 + np.exp(-1.0))), rtol=1e-6)


def test_what_the_library_does_not_support_is_left_to_own_kernels(standin):
    x = cp.array([[-1.0, 2.0]], "float32")
    standin.fail("cudnnActivationForward:1=3000")
    np.testing.assert_array_equal(cudnn.activation_forward(x, cudnn.CUDNN_ACTIVATION_RELU).get(), [[0, 2]])
    calls = standin.calls("cudnnActivationForward")
    half = cudnn.activation_forward(x.astype("float16"), cudnn.CUDNN_ACTIVATION_RELU)
    assert standin.calls("cudnnActivationForward") == calls + 1
    np.testing.assert_array_equal(half.get(), [[0, 2]])
