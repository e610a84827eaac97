"""Descriptors as CuPy's programs make them: plain facts. A library's own descriptors live within a call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._cuproxide import ndarray
from ._constants import (
    CUDNN_CROSS_CORRELATION,
    CUDNN_PROPAGATE_NAN,
    CUDNN_RNN_ALGO_STANDARD,
    CUDNN_TENSOR_NCHW,
    CUDNN_TENSOR_NHWC,
)
from ._tensors import get_data_type


@dataclass(frozen=True)
class Descriptor:
    """What a call is told about its arguments: the kind of description and its facts.

    It holds nothing that would have to be destroyed. CuPy's `value`, the address of a library's descriptor, does not
    exist.
    """

    kind: str
    facts: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        if name == "value":
            raise AttributeError("descriptors hold no address of a library's descriptor: it lives within a call only")
        try:
            return self.__dict__["facts"][name]
        except KeyError:
            raise AttributeError(f"a descriptor of kind {self.__dict__.get('kind')!r} has no {name!r}") from None


def _of_array(kind: str, arr: ndarray, layout: int) -> Descriptor:
    if layout not in (CUDNN_TENSOR_NCHW, CUDNN_TENSOR_NHWC):
        raise ValueError(f"format must be CUDNN_TENSOR_NCHW (0) or CUDNN_TENSOR_NHWC (1), got {layout}")
    if not arr.flags.c_contiguous:
        raise ValueError(f"arr must be C-contiguous, got strides {arr.strides} for shape {arr.shape}")
    facts = {"data_type": get_data_type(arr.dtype), "shape": arr.shape, "strides": arr.strides, "format": layout}
    return Descriptor(kind, facts)


def create_tensor_descriptor(arr: ndarray, format: int = CUDNN_TENSOR_NCHW) -> Descriptor:
    """A description of an array in C order."""
    return _of_array("tensor", arr, format)


def create_tensor_nd_descriptor(arr: ndarray) -> Descriptor:
    """A description of an array in C order, of any number of axes."""
    return _of_array("tensor", arr, CUDNN_TENSOR_NCHW)


def create_uninitialized_tensor_descriptor() -> Descriptor:
    """A description of nothing yet."""
    return Descriptor("tensor", {})


def create_filter_descriptor(arr: ndarray, format: int = CUDNN_TENSOR_NCHW) -> Descriptor:
    """A description of filters in C order."""
    return _of_array("filter", arr, format)


def create_convolution_descriptor(
    pad: Sequence[int],
    stride: Sequence[int],
    dtype: Any,
    mode: int = CUDNN_CROSS_CORRELATION,
    dilation: Sequence[int] | None = None,
    use_tensor_core: bool = False,
    groups: int = 1,
) -> Descriptor:
    """A description of a convolution; float16 is added up in float32."""
    if len(pad) != len(stride):
        raise ValueError(f"pad and stride must be of same length, got {pad} and {stride}")
    facts = {
        "data_type": get_data_type("float32" if np.dtype(dtype) == np.float16 else dtype),
        "pad": tuple(pad),
        "stride": tuple(stride),
        "dilation": (1,) * len(pad) if dilation is None else tuple(dilation),
        "mode": mode,
        "use_tensor_core": bool(use_tensor_core),
        "groups": groups,
    }
    return Descriptor("convolution", facts)


def create_pooling_descriptor(ksize: Sequence[int], stride: Sequence[int], pad: Sequence[int], mode: int) -> Descriptor:
    """A description of pooling."""
    if not len(ksize) == len(stride) == len(pad):
        raise ValueError(f"ksize, stride and pad must be of same length, got {ksize}, {stride} and {pad}")
    facts = {"ksize": tuple(ksize), "stride": tuple(stride), "pad": tuple(pad), "mode": mode}
    return Descriptor("pooling", facts)


def create_activation_descriptor(mode: int, nan_prop_mode: int = CUDNN_PROPAGATE_NAN, coef: float = 0.0) -> Descriptor:
    """A description of an activation function."""
    return Descriptor("activation", {"mode": mode, "nan_prop_mode": nan_prop_mode, "coef": coef})


def create_rnn_descriptor(
    hidden_size: int,
    num_layers: int,
    dropout_desc: Any,
    input_mode: int,
    direction: int,
    mode: int,
    data_type: int,
    algo: int | None = None,
) -> Descriptor:
    """A description of a recurrent network."""
    facts = {
        "hidden_size": int(hidden_size),
        "num_layers": int(num_layers),
        "dropout_desc": dropout_desc,
        "input_mode": input_mode,
        "direction": direction,
        "mode": mode,
        "data_type": data_type,
        "algo": CUDNN_RNN_ALGO_STANDARD if algo is None else algo,
    }
    return Descriptor("rnn", facts)


__all__ = [
    "Descriptor",
    "create_activation_descriptor",
    "create_convolution_descriptor",
    "create_filter_descriptor",
    "create_pooling_descriptor",
    "create_rnn_descriptor",
    "create_tensor_descriptor",
    "create_tensor_nd_descriptor",
    "create_uninitialized_tensor_descriptor",
]
