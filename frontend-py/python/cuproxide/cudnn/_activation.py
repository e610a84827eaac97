"""Activation functions and softmax with their gradients."""

from __future__ import annotations

from typing import Any

from numpy.lib.array_utils import normalize_axis_index

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib import kernel as k
from .._lib.ufuncs import NUMPY
from ._constants import (
    CUDNN_ACTIVATION_CLIPPED_RELU,
    CUDNN_ACTIVATION_ELU,
    CUDNN_ACTIVATION_IDENTITY,
    CUDNN_ACTIVATION_RELU,
    CUDNN_ACTIVATION_SIGMOID,
    CUDNN_ACTIVATION_SWISH,
    CUDNN_ACTIVATION_TANH,
    CUDNN_SOFTMAX_FAST,
    CUDNN_SOFTMAX_LOG,
)
from ._tensors import by_library, check, dense, product, same_shape, wide

exp, log = NUMPY["exp"], NUMPY["log"]


@k.kernel
def _activate(x: k.Each, coef: k.Number, *, mode: int, wide: Any):
    v, c = x.astype(wide), coef.astype(wide)
    if mode == CUDNN_ACTIVATION_SIGMOID:
        y = 1.0 / (1.0 + k.exp(-v))
    elif mode == CUDNN_ACTIVATION_RELU:
        y = k.maximum(v, 0.0)
    elif mode == CUDNN_ACTIVATION_TANH:
        y = k.tanh(v)
    elif mode == CUDNN_ACTIVATION_CLIPPED_RELU:
        y = k.minimum(k.maximum(v, 0.0), c)
    elif mode == CUDNN_ACTIVATION_ELU:
        y = k.where(v < 0.0, c * k.expm1(v), v)
    else:
        y = v / (1.0 + k.exp(-v))
    return y.astype(x.dtype)


@k.kernel
def _activate_gradient(x: k.Each, y: k.Each, gy: k.Each, coef: k.Number, *, mode: int, wide: Any):
    v, w, g, c = x.astype(wide), y.astype(wide), gy.astype(wide), coef.astype(wide)
    if mode == CUDNN_ACTIVATION_SIGMOID:
        gx = g * w * (1.0 - w)
    elif mode == CUDNN_ACTIVATION_RELU:
        gx = k.where(v > 0.0, g, 0.0)
    elif mode == CUDNN_ACTIVATION_TANH:
        gx = g * (1.0 - w * w)
    elif mode == CUDNN_ACTIVATION_CLIPPED_RELU:
        gx = k.where((v > 0.0) & (v < c), g, 0.0)
    elif mode == CUDNN_ACTIVATION_ELU:
        gx = k.where(v < 0.0, g * (w + c), g)
    else:
        s = 1.0 / (1.0 + k.exp(-v))
        gx = g * s * (1.0 + v * (1.0 - s))
    return gx.astype(x.dtype)


def _as_images(*arrays: ndarray) -> list[ndarray]:
    """Views (n, m, 1, 1), the form that libraries take elementwise operations in."""
    first = arrays[0]
    rows = first.shape[0] if first.ndim and first.size else 1
    return [array.reshape(rows, -1, 1, 1) if array.size else array for array in arrays]


def _check_mode(mode: int) -> int:
    if mode not in range(CUDNN_ACTIVATION_SWISH + 1):
        raise ValueError(f"mode must be one of CUDNN_ACTIVATION_* (0 to 6), got {mode}")
    return int(mode)


def activation_forward(x: ndarray, mode: int, coef: float = 0.0) -> ndarray:
    """An activation function of each element.

    Parameters
    ----------
    mode : int
        `CUDNN_ACTIVATION_SIGMOID`, `RELU`, `TANH`, `CLIPPED_RELU`, `ELU`, `IDENTITY` or `SWISH`. NaN stays NaN in all.
    coef : float
        Where a clipped ReLU ends; the factor of ELU.

    Raises
    ------
    TypeError
        For other dtypes.
    ValueError
        For another mode.

    >>> cudnn.activation_forward(cp.array([-1.0, 2.0]), cudnn.CUDNN_ACTIVATION_RELU)
    array([0., 2.])
    """
    dtype, mode = check(x=x), _check_mode(mode)
    if mode == CUDNN_ACTIVATION_IDENTITY:
        return x.copy()
    x = dense(x)
    y = _core.empty(x.shape, dtype)
    if by_library("activation", *_as_images(x, y), mode=mode, coef=float(coef)):
        return y
    return _activate(x, float(coef), mode=mode, wide=wide(dtype), out=y)


def activation_backward(x: ndarray, y: ndarray, gy: ndarray, mode: int, coef: float = 0.0) -> ndarray:
    """The gradient for the input of `activation_forward`, from its input, its result and the gradient for that.

    Parameters
    ----------
    x : cuproxide.ndarray
        The input of `activation_forward`; float16, float32 or float64.
    y : cuproxide.ndarray
        Its result, of the shape and dtype of `x`.
    gy : cuproxide.ndarray
        The gradient for `y`, of the same shape and dtype.
    mode : int
        The `CUDNN_ACTIVATION_...` that `y` was computed with.
    coef : float
        Its coefficient: the upper bound of a clipped ReLU, or the factor of ELU.

    Returns
    -------
    cuproxide.ndarray
        The gradient for `x`, of its shape and dtype.

    Raises
    ------
    TypeError
        For arrays of other dtypes, or of different ones.
    ValueError
        For arrays of different shapes, or another mode.

    >>> x, mode = cp.array([-1.0, 2.0]), cudnn.CUDNN_ACTIVATION_RELU
    >>> cudnn.activation_backward(x, cudnn.activation_forward(x, mode), cp.array([3.0, 3.0]), mode)
    array([0., 3.])
    """
    dtype, mode = check(x=x, y=y, gy=gy), _check_mode(mode)
    same_shape(x=x, y=y, gy=gy)
    if mode == CUDNN_ACTIVATION_IDENTITY:
        return gy.copy()
    x, y, gy = dense(x), dense(y), dense(gy)
    gx = _core.empty(x.shape, dtype)
    if by_library("activation_gradient", *_as_images(y, gy, x, gx), mode=mode, coef=float(coef)):
        return gx
    return _activate_gradient(x, y, gy, float(coef), mode=mode, wide=wide(dtype), out=gx)


def _around(axis: int, *arrays: ndarray) -> list[ndarray]:
    """Views (left, axis, right, 1)."""
    shape = arrays[0].shape
    sizes = product(shape[:axis]), shape[axis], product(shape[axis + 1 :]), 1
    return [array.reshape(sizes) for array in arrays]


def _check_softmax(algorithm: int, axis: int, ndim: int) -> int:
    if algorithm not in range(CUDNN_SOFTMAX_LOG + 1):
        raise ValueError(f"algorithm must be one of CUDNN_SOFTMAX_* (0 to 2), got {algorithm}")
    return normalize_axis_index(axis, ndim)


def softmax_forward(x: ndarray, axis: int, algorithm: int) -> ndarray:
    """Softmax along an axis.

    Parameters
    ----------
    axis : int
        The axis along which results add up to one.
    algorithm : int
        `CUDNN_SOFTMAX_FAST` (exponentials may overflow), `CUDNN_SOFTMAX_ACCURATE` (the maximum is subtracted first), or
        `CUDNN_SOFTMAX_LOG` (its logarithm).

    Raises
    ------
    ValueError
        For another algorithm, and `AxisError` for an axis that `x` does not have.

    >>> cudnn.softmax_forward(cp.array([[0.0, 0.0]]), 1, cudnn.CUDNN_SOFTMAX_ACCURATE)
    array([[0.5, 0.5]])
    """
    dtype = check(x=x)
    axis = _check_softmax(algorithm, axis, x.ndim)
    x = dense(x)
    y = _core.empty(x.shape, dtype)
    if x.size == 0 or by_library("softmax", *_around(axis, x, y), algorithm=int(algorithm)):
        return y
    wider = x.astype(wide(dtype), copy=False)
    if algorithm == CUDNN_SOFTMAX_FAST:
        shares = exp(wider)
        y[...] = shares / shares.sum(axis=axis, keepdims=True)
        return y
    shifted = wider - wider.max(axis=axis, keepdims=True)
    shares = exp(shifted)
    total = shares.sum(axis=axis, keepdims=True)
    y[...] = shifted - log(total) if algorithm == CUDNN_SOFTMAX_LOG else shares / total
    return y


def softmax_backward(y: ndarray, gy: ndarray, axis: int, algorithm: int) -> ndarray:
    """The gradient for the input of `softmax_forward`, from its result and the gradient for that.

    Parameters
    ----------
    y : cuproxide.ndarray
        The result of `softmax_forward`; float16, float32 or float64. With `CUDNN_SOFTMAX_LOG` these are logarithms.
    axis : int
        The axis along which softmax was computed.
    algorithm : int
        The `CUDNN_SOFTMAX_...` that `y` was computed with. `FAST` and `ACCURATE` have the same gradient.

    Returns
    -------
    cuproxide.ndarray
        The gradient for the input, of the shape and dtype of `y`.

    Raises
    ------
    TypeError
        For arrays of other dtypes, or of different ones.
    ValueError
        For arrays of different shapes or another algorithm, and `AxisError` for an axis that `y` does not have.

    >>> cudnn.softmax_backward(cp.array([[0.5, 0.5]]), cp.array([[1.0, 0.0]]), 1, cudnn.CUDNN_SOFTMAX_ACCURATE)
    array([[ 0.25, -0.25]])
    """
    dtype = check(y=y, gy=gy)
    same_shape(y=y, gy=gy)
    axis = _check_softmax(algorithm, axis, y.ndim)
    y, gy = dense(y), dense(gy)
    gx = _core.empty(y.shape, dtype)
    if y.size == 0 or by_library("softmax_gradient", *_around(axis, y, gy, gx), algorithm=int(algorithm)):
        return gx
    w, g = y.astype(wide(dtype), copy=False), gy.astype(wide(dtype), copy=False)
    if algorithm == CUDNN_SOFTMAX_LOG:
        gx[...] = g - exp(w) * g.sum(axis=axis, keepdims=True)
    else:
        gx[...] = w * (g - (w * g).sum(axis=axis, keepdims=True))
    return gx


__all__ = ["activation_backward", "activation_forward", "softmax_backward", "softmax_forward"]
