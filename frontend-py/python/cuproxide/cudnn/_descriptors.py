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
    """A description of a call's arguments: its kind and its facts.

    It holds nothing that would have to be destroyed. CuPy's `value`, the address of a library's descriptor, does not
    exist.

    Parameters
    ----------
    kind : str
        "tensor", "filter", "convolution", "pooling", "activation" or "rnn".
    facts : dict
        What is described, by name; each is an attribute of the descriptor as well.
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
    """A description of an array in C order.

    Parameters
    ----------
    arr : cuproxide.ndarray
        float16, float32 or float64.

    Returns
    -------
    Descriptor
        With `data_type` (the number of `CUDNN_DATA_...`), `shape`, `strides` in bytes, and `format`.

    Raises
    ------
    TypeError
        For other dtypes.
    ValueError
        For another order in memory, or another format.

    >>> described = cudnn.create_tensor_descriptor(cp.zeros((2, 3, 4, 4), dtype="float32"))
    >>> described.shape, described.strides, described.data_type == cudnn.CUDNN_DATA_FLOAT
    ((2, 3, 4, 4), (192, 64, 16, 4), True)
    """
    return _of_array("tensor", arr, format)


def create_tensor_nd_descriptor(arr: ndarray) -> Descriptor:
    """A description of an array in C order, of any number of axes."""
    return _of_array("tensor", arr, CUDNN_TENSOR_NCHW)


def create_uninitialized_tensor_descriptor() -> Descriptor:
    """A description of nothing yet."""
    return Descriptor("tensor", {})


def create_filter_descriptor(arr: ndarray, format: int = CUDNN_TENSOR_NCHW) -> Descriptor:
    """A description of filters in C order.

    Parameters
    ----------
    arr : cuproxide.ndarray
        Filters (outputs, channels of a group, spatial); float16, float32 or float64.

    Returns
    -------
    Descriptor
        With `data_type` (the number of `CUDNN_DATA_...`), `shape`, `strides` in bytes, and `format`.

    Raises
    ------
    TypeError
        For other dtypes.
    ValueError
        For another order in memory, or another format.

    >>> cudnn.create_filter_descriptor(cp.zeros((8, 3, 5, 5))).shape
    (8, 3, 5, 5)
    """
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
    """A description of a convolution; float16 is added up in float32.

    Parameters
    ----------
    pad, stride : sequence of int
        For each spatial axis: zeros on both sides, and the step of the filter.
    dtype : dtype
        That of the images: float16, float32 or float64.
    mode : int
        `CUDNN_CROSS_CORRELATION` or `CUDNN_CONVOLUTION`.
    dilation : sequence of int, optional
        For each spatial axis the distance of a filter's elements; ones otherwise.
    use_tensor_core : bool
        Whether a library may use tensor cores.
    groups : int
        Parts into which channels and outputs are split.

    Returns
    -------
    Descriptor
        With an attribute for each parameter, where `data_type` (the number of `CUDNN_DATA_...` that sums have) stands
        for `dtype`.

    Raises
    ------
    TypeError
        For other dtypes.
    ValueError
        Where `pad` and `stride` differ in length.

    >>> described = cudnn.create_convolution_descriptor((1, 1), (2, 2), "float16")
    >>> described.stride, described.dilation, described.data_type == cudnn.CUDNN_DATA_FLOAT
    ((2, 2), (1, 1), True)
    """
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
    """A description of pooling.

    Parameters
    ----------
    ksize, stride, pad : sequence of int
        For each spatial axis: the length of a window, the distance of windows, and the padding on both sides.
    mode : int
        One of `CUDNN_POOLING_...`.

    Raises
    ------
    ValueError
        Where `ksize`, `stride` and `pad` differ in length.

    >>> cudnn.create_pooling_descriptor((3, 3), (2, 2), (1, 1), cudnn.CUDNN_POOLING_MAX).ksize
    (3, 3)
    """
    if not len(ksize) == len(stride) == len(pad):
        raise ValueError(f"ksize, stride and pad must be of same length, got {ksize}, {stride} and {pad}")
    facts = {"ksize": tuple(ksize), "stride": tuple(stride), "pad": tuple(pad), "mode": mode}
    return Descriptor("pooling", facts)


def create_activation_descriptor(mode: int, nan_prop_mode: int = CUDNN_PROPAGATE_NAN, coef: float = 0.0) -> Descriptor:
    """A description of an activation function.

    Parameters
    ----------
    mode : int
        One of `CUDNN_ACTIVATION_...`.
    nan_prop_mode : int
        `CUDNN_PROPAGATE_NAN` or `CUDNN_NOT_PROPAGATE_NAN`. It is kept without an effect: NaN always propagates.
    coef : float
        The upper bound of a clipped ReLU; the factor of ELU.

    >>> cudnn.create_activation_descriptor(cudnn.CUDNN_ACTIVATION_CLIPPED_RELU, coef=6.0).coef
    6.0
    """
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
    """A description of a recurrent network.

    Parameters
    ----------
    hidden_size : int
        Units of a layer.
    num_layers : int
        Layers, each of which has one or two directions.
    dropout_desc : object
        Is kept without an effect; `DropoutStates` decide what is dropped.
    input_mode : int
        `CUDNN_LINEAR_INPUT` or `CUDNN_SKIP_INPUT`. It is kept without an effect: the input is always multiplied by a
        matrix.
    direction : int
        `CUDNN_UNIDIRECTIONAL` or `CUDNN_BIDIRECTIONAL`.
    mode : int
        `CUDNN_RNN_RELU`, `CUDNN_RNN_TANH`, `CUDNN_LSTM` or `CUDNN_GRU`.
    data_type : int
        The number of the dtype, `CUDNN_DATA_...`, as `get_data_type` gives it.
    algo : int, optional
        `CUDNN_RNN_ALGO_STANDARD`, which None stands for.

    See Also
    --------
    get_rnn_lin_layer_matrix_params : Where the matrices of such a network are within its weights.

    >>> modes = cudnn.CUDNN_LINEAR_INPUT, cudnn.CUDNN_UNIDIRECTIONAL, cudnn.CUDNN_LSTM
    >>> described = cudnn.create_rnn_descriptor(16, 2, None, *modes, cudnn.CUDNN_DATA_FLOAT)
    >>> described.hidden_size, described.num_layers
    (16, 2)
    """
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
