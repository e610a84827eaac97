"""Neural networks under the names of CuPy 10's `cupy.cudnn`: by the device's library, or else by own kernels.

A library is opened at the first call. `getVersion()` is its version, 0 without one. NaN propagates through all
functions.
"""

# ruff: noqa: F403, F405

from __future__ import annotations

from typing import Any

from .. import _cuproxide
from .._cuproxide import DeviceError
from .._lib.exports import declared as _declared
from .._lib.texts import complete as _complete
from . import _constants
from ._activation import *
from ._constants import *
from ._convolution import *
from ._descriptors import *
from ._dropout import *
from ._normalization import *
from ._pooling import *
from ._recurrent import *
from ._tensors import get_data_type
from ._tensors import own_kernels as own_kernels
from ._texts import TEXTS as _TEXTS

CuDNNError = DeviceError

__all__ = [
    "CuDNNError",
    "getVersion",
    "is_tensor_core_available",
    *(name for name in vars(_constants) if name.startswith("CUDNN_")),
    *_declared(globals()),
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
