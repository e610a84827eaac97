"""Neural networks under the names of CuPy 10's `cupy.cudnn`: by the device's library, or else by own kernels.

A library is opened at the first call. `getVersion()` is its version, 0 without one. NaN propagates through all
functions.
"""

from __future__ import annotations

from typing import Any

from .. import _cuproxide
from .._cuproxide import DeviceError
from .._lib.texts import complete as _complete
from . import _constants
from ._activation import activation_backward, activation_forward, softmax_backward, softmax_forward
from ._constants import *  # noqa: F403
from ._convolution import (
    convolution_backward_data,
    convolution_backward_filter,
    convolution_forward,
    get_max_workspace_size,
    set_max_workspace_size,
)
from ._descriptors import (
    Descriptor,
    create_activation_descriptor,
    create_convolution_descriptor,
    create_filter_descriptor,
    create_pooling_descriptor,
    create_rnn_descriptor,
    create_tensor_descriptor,
    create_tensor_nd_descriptor,
    create_uninitialized_tensor_descriptor,
)
from ._dropout import DropoutStates
from ._normalization import (
    batch_normalization_backward,
    batch_normalization_forward_inference,
    batch_normalization_forward_training,
    batch_normalization_forward_training_ex,
)
from ._pooling import pooling_backward, pooling_forward
from ._recurrent import (
    get_rnn_lin_layer_bias_params,
    get_rnn_lin_layer_matrix_params,
    rnn_backward_data,
    rnn_backward_data_ex,
    rnn_backward_weights,
    rnn_backward_weights_ex,
    rnn_forward_inference,
    rnn_forward_inference_ex,
    rnn_forward_training,
    rnn_forward_training_ex,
)
from ._tensors import get_data_type, own_kernels
from ._texts import TEXTS as _TEXTS

CuDNNError = DeviceError

__all__ = [
    *(name for name in vars(_constants) if name.startswith("CUDNN_")),
    "CuDNNError",
    "Descriptor",
    "DropoutStates",
    "activation_backward",
    "activation_forward",
    "batch_normalization_backward",
    "batch_normalization_forward_inference",
    "batch_normalization_forward_training",
    "batch_normalization_forward_training_ex",
    "convolution_backward_data",
    "convolution_backward_filter",
    "convolution_forward",
    "create_activation_descriptor",
    "create_convolution_descriptor",
    "create_filter_descriptor",
    "create_pooling_descriptor",
    "create_rnn_descriptor",
    "create_tensor_descriptor",
    "create_tensor_nd_descriptor",
    "create_uninitialized_tensor_descriptor",
    "getVersion",
    "get_data_type",
    "get_max_workspace_size",
    "get_rnn_lin_layer_bias_params",
    "get_rnn_lin_layer_matrix_params",
    "is_tensor_core_available",
    "own_kernels",
    "pooling_backward",
    "pooling_forward",
    "rnn_backward_data",
    "rnn_backward_data_ex",
    "rnn_backward_weights",
    "rnn_backward_weights_ex",
    "rnn_forward_inference",
    "rnn_forward_inference_ex",
    "rnn_forward_training",
    "rnn_forward_training_ex",
    "set_max_workspace_size",
    "softmax_backward",
    "softmax_forward",
]

_IN_ONE_LAUNCH = "array arithmetic does it in one launch"
_GRAPHS = "cuDNN 9 deprecates it in favour of graphs of operations, which have no call in CuPy's module"
_MISSING = {
    "add_tensor": f"it takes addresses of the host; y *= beta; y += alpha * b: {_IN_ONE_LAUNCH}",
    "create_op_tensor_descriptor": _IN_ONE_LAUNCH,
    "create_reduce_tensor_descriptor": "reductions of arrays (sum, max, ...) do it in one launch",
    "create_dropout_descriptor": "it takes the address of states; use DropoutStates",
    "set_dropout_descriptor": "use DropoutStates.set_dropout_ratio",
    "create_dropout_states": "CuPy deprecated it; use DropoutStates",
    "create_ctc_loss_descriptor": "there is no CTC loss here",
    "ctc_loss": "there is no CTC loss here",
    "create_spatial_transformer_descriptor": "scipy.ndimage.affine_transform and map_coordinates sample images",
    "spatial_tf_grid_forward": "scipy.ndimage.affine_transform samples images",
    "spatial_tf_grid_backward": "no gradient of scipy.ndimage.affine_transform",
    "spatial_tf_sampler_forward": "scipy.ndimage.map_coordinates samples images",
    "spatial_tf_sampler_backward": "no gradient of scipy.ndimage.map_coordinates",
    "create_fused_ops_plan": _GRAPHS,
    "create_fused_ops_const_param_pack": _GRAPHS,
    "create_fused_ops_variant_param_pack": _GRAPHS,
    "get_handle": "handles of the library stay within calls, one a device",
    "reset_handles": "handles of the library stay within calls, one a device",
}
"""What CuPy 10's module had and this one does not, and why."""


def getVersion() -> int:
    """The version of the device's library: for cuDNN major * 10000 + minor * 100 + patch level; 0 without one.

    Examples
    --------
    >>> cudnn.getVersion() >= 0
    True
    """
    return _cuproxide.dnn_version() or 0


def is_tensor_core_available(dtype: Any) -> bool:
    """Whether `tensor_core="auto"` has a library use tensor cores for a dtype: for float16 with a library."""
    return get_data_type(dtype) == _constants.CUDNN_DATA_HALF and getVersion() > 0


_complete(globals(), __all__, _TEXTS)


def __getattr__(name: str) -> Any:
    if name in _MISSING:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}: {_MISSING[name]}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
