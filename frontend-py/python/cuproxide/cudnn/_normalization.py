"""Batch normalisation: training, inference and gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.ufuncs import NUMPY
from ._constants import CUDNN_BATCHNORM_PER_ACTIVATION, CUDNN_BATCHNORM_SPATIAL_PERSISTENT, CUDNN_TENSOR_NCHW
from ._tensors import by_library, channels_first, check, dense, same_shape, wide

sqrt = NUMPY["sqrt"]


def _form(x: ndarray, is_for_conv2d: bool, mode: int, layout: int) -> tuple[ndarray, tuple[int, ...], tuple[int, ...]]:
    """A view with channels at axis 1, the axes that are averaged over, and the shape of parameters beside the view."""
    if mode not in range(CUDNN_BATCHNORM_SPATIAL_PERSISTENT + 1):
        raise ValueError(f"cudnn_mode must be one of CUDNN_BATCHNORM_* (0 to 2), got {mode}")
    if not is_for_conv2d:
        # As CuPy does: the last axis is what has parameters, all others are the batch.
        x = x.reshape(-1, x.shape[-1] if x.ndim else 1)
    elif x.ndim < 3:
        raise ValueError(f"x must have 3 axes or more with is_for_conv2d, got shape {x.shape}")
    else:
        x = channels_first(x, layout)
    if mode == CUDNN_BATCHNORM_PER_ACTIVATION:
        return x, (0,), (1, *x.shape[1:])
    return x, (0, *range(2, x.ndim)), (1, x.shape[1], *(1,) * (x.ndim - 2))


def _parameters(shape: tuple[int, ...], dtype: np.dtype[Any], **arrays: ndarray) -> list[ndarray]:
    """Parameters in the form that goes with the view; `ValueError` if they have another number of elements."""
    count = int(np.prod(shape))
    made = []
    for name, array in arrays.items():
        if array.size != count:
            raise ValueError(f"{name} must have {count} elements, as {shape} has, got shape {array.shape}")
        if array.dtype.kind != "f":
            raise TypeError(f"{name} must be floating, got {array.dtype}")
        made.append(dense(array.astype(dtype, copy=False)).reshape(shape))
    return made


def _library_form(view: ndarray, *parameters: ndarray) -> tuple[ndarray, list[ndarray]]:
    """Both with four or five axes, which libraries ask for."""
    # Views, since a library writes to some of them.
    more = (..., *(None,) * max(4 - view.ndim, 0))
    return view[more], [array[more] for array in parameters]


def batch_normalization_forward_training(
    x: ndarray,
    gamma: ndarray,
    beta: ndarray,
    running_mean: ndarray,
    running_var: ndarray,
    mean: ndarray | None,
    inv_std: ndarray | None,
    eps: float,
    decay: float,
    is_for_conv2d: bool,
    cudnn_mode: int,
    debug: bool,
    d_layout: int = CUDNN_TENSOR_NCHW,
) -> Any:
    """Normalises by the mean and variance of the batch, and updates running averages of both in place.

    Parameters
    ----------
    gamma, beta : cuproxide.ndarray
        Scale and offset. Parameters are float32 for float16 input; of another dtype they are converted.
    running_mean, running_var : cuproxide.ndarray
        Become `decay` times themselves plus `1 - decay` times the mean and the unbiased variance of the batch.
    mean, inv_std : cuproxide.ndarray or None
        Take the mean of the batch and the inverse of its standard deviation. If None, both are returned.
    decay : float
        The share of the running averages that stays.

    Returns
    -------
    cuproxide.ndarray or tuple of it
        The result, and where `mean` is None also the mean and the inverse of the standard deviation.

    Raises
    ------
    ValueError
        For parameters of another number of elements, or if only one of `mean` and `inv_std` is None.

    >>> x, one, zero = cp.array([[1.0], [3.0]]), cp.ones(1), cp.zeros(1)
    >>> arguments = x, one, zero, zero.copy(), one.copy(), None, None, 0.0, 0.9
    >>> mode = cudnn.CUDNN_BATCHNORM_PER_ACTIVATION
    >>> cudnn.batch_normalization_forward_training(*arguments, False, mode, False)[0]
    array([[-1.],
           [ 1.]])
    """
    if (mean is None) != (inv_std is None):
        raise ValueError("mean and inv_std must both be None, or neither")
    dtype = check(x=x)
    computed = wide(dtype)
    x = dense(x)
    y = _core.empty(x.shape, dtype)
    view, axes, shape = _form(x, is_for_conv2d, cudnn_mode, d_layout)
    names = {"gamma": gamma, "beta": beta, "running_mean": running_mean, "running_var": running_var}
    scale, offset, average, variance = _parameters(shape, computed, **names)
    saved = [_core.empty(shape, computed) for _ in range(2)]
    target = _form(y, is_for_conv2d, cudnn_mode, d_layout)[0]
    count = view.size // max(int(np.prod(shape)), 1)
    if x.size == 0:
        raise ValueError(f"x of shape {x.shape} has no elements to average over")
    flat, parameters = _library_form(view, scale, offset, average, variance, *saved)
    options = {"per_activation": cudnn_mode == CUDNN_BATCHNORM_PER_ACTIVATION, "eps": float(eps)}
    # A library would divide by zero for a batch of one.
    done = count > 1 and by_library(
        "normalization", flat, *parameters[:2], _library_form(target)[0], *parameters[2:], factor=1.0 - decay, **options
    )
    if not done:
        wider = view.astype(computed, copy=False)
        centre = wider.mean(axis=axes, keepdims=True)
        centred = wider - centre
        spread = (centred * centred).mean(axis=axes, keepdims=True)
        saved[0][...] = centre
        saved[1][...] = 1.0 / sqrt(spread + eps)
        target[...] = centred * saved[1] * scale + offset
        average = average * decay + centre * (1.0 - decay)
        variance = variance * decay + spread * ((1.0 - decay) * count / max(count - 1, 1))
    for own, made in ((running_mean, average), (running_var, variance)):
        own[...] = made.reshape(own.shape)
    if mean is None:
        return y, saved[0].reshape(gamma.shape), saved[1].reshape(gamma.shape)
    assert inv_std is not None
    for own, made in ((mean, saved[0]), (inv_std, saved[1])):
        own[...] = made.reshape(own.shape)
    return y


def batch_normalization_forward_training_ex(*args: Any, **kwargs: Any) -> Any:
    """`batch_normalization_forward_training` with a reserve before its results, which is None: none is needed.

    Parameters
    ----------
    *args, **kwargs
        The arguments of `batch_normalization_forward_training`.

    Returns
    -------
    tuple
        None and the result, and where the argument `mean` is None also the mean and the inverse of the standard
        deviation.

    >>> x, one, zero = cp.array([[1.0], [3.0]]), cp.ones(1), cp.zeros(1)
    >>> arguments = x, one, zero, zero.copy(), one.copy(), None, None, 0.0, 0.9
    >>> mode = cudnn.CUDNN_BATCHNORM_PER_ACTIVATION
    >>> reserve, y, mean, inv_std = cudnn.batch_normalization_forward_training_ex(*arguments, False, mode, False)
    >>> reserve is None, mean, inv_std
    (True, array([2.]), array([1.]))
    """
    made = batch_normalization_forward_training(*args, **kwargs)
    return (None, *made) if isinstance(made, tuple) else (None, made)


def batch_normalization_forward_inference(
    x: ndarray,
    gamma: ndarray,
    beta: ndarray,
    mean: ndarray,
    var: ndarray,
    eps: float,
    is_for_conv2d: bool,
    cudnn_mode: int,
    d_layout: int = CUDNN_TENSOR_NCHW,
) -> ndarray:
    """Normalises by a mean and a variance that are given: `gamma * (x - mean) / sqrt(var + eps) + beta`.

    Parameters
    ----------
    gamma, beta : cuproxide.ndarray
        Scale and offset: one element a channel, or one an element of an image, as `cudnn_mode` says.
    mean, var : cuproxide.ndarray
        The mean and the variance, of as many elements; usually the running averages of
        `batch_normalization_forward_training`. Parameters of another dtype are converted: to float32 for float16 input,
        else to the dtype of `x`.

    Returns
    -------
    cuproxide.ndarray
        Of the shape and dtype of `x`.

    Raises
    ------
    TypeError
        For other dtypes of `x`, and for parameters that are not floating.
    ValueError
        For parameters of another number of elements, another mode, or fewer than 3 axes with `is_for_conv2d`.

    >>> one = cp.ones(1)
    >>> mode = cudnn.CUDNN_BATCHNORM_PER_ACTIVATION
    >>> cudnn.batch_normalization_forward_inference(cp.array([[3.0]]), one, one, one, 4 * one, 0.0, False, mode)
    array([[2.]])
    """
    dtype = check(x=x)
    computed = wide(dtype)
    x = dense(x)
    y = _core.empty(x.shape, dtype)
    view, _, shape = _form(x, is_for_conv2d, cudnn_mode, d_layout)
    made = _parameters(shape, computed, gamma=gamma, beta=beta, mean=mean, var=var)
    target = _form(y, is_for_conv2d, cudnn_mode, d_layout)[0]
    flat, parameters = _library_form(view, *made)
    options = {"per_activation": cudnn_mode == CUDNN_BATCHNORM_PER_ACTIVATION, "eps": float(eps)}
    if not by_library("normalization_inference", flat, *parameters, _library_form(target)[0], **options):
        scale, offset, centre, spread = made
        target[...] = (view.astype(computed, copy=False) - centre) * (scale / sqrt(spread + eps)) + offset
    return y


def batch_normalization_backward(
    x: ndarray,
    gamma: ndarray,
    gy: ndarray,
    mean: ndarray,
    inv_std: ndarray,
    eps: float,
    is_for_conv2d: bool,
    cudnn_mode: int,
    debug: bool,
    d_layout: int = CUDNN_TENSOR_NCHW,
    *,
    reserve_space: Any = None,
) -> tuple[ndarray, ndarray, ndarray]:
    """The gradients of `batch_normalization_forward_training` for `x`, `gamma` and `beta`.

    Parameters
    ----------
    x : cuproxide.ndarray
        The input of `batch_normalization_forward_training`; float16, float32 or float64.
    gamma : cuproxide.ndarray
        The scale that it was given.
    gy : cuproxide.ndarray
        The gradient for its result, of the shape and dtype of `x`.
    mean, inv_std : cuproxide.ndarray
        The mean of the batch and the inverse of its standard deviation, as it returned them.
    eps : float
        The `eps` that it was given. Own kernels do not use it, since `inv_std` includes it.
    cudnn_mode : int
        The `CUDNN_BATCHNORM_...` that it was given.
    reserve_space : None
        Has no effect; the reserve of `batch_normalization_forward_training_ex`.

    Returns
    -------
    gx : cuproxide.ndarray
        The gradient for `x`, of its shape and dtype.
    ggamma, gbeta : cuproxide.ndarray
        The gradients for the scale and the offset, of the shape and dtype of `gamma`.

    Raises
    ------
    TypeError
        For arrays of other dtypes, or where those of `x` and `gy` differ.
    ValueError
        For parameters of another number of elements, `gy` of another shape than `x`, or `x` without elements.

    >>> x, gy, one, zero = cp.array([[1.0], [3.0]]), cp.array([[1.0], [0.0]]), cp.ones(1), cp.zeros(1)
    >>> options = False, cudnn.CUDNN_BATCHNORM_PER_ACTIVATION, False
    >>> arguments = x, one, zero, zero.copy(), one.copy(), None, None, 0.0, 0.9
    >>> _, mean, inv_std = cudnn.batch_normalization_forward_training(*arguments, *options)
    >>> gx, ggamma, gbeta = cudnn.batch_normalization_backward(x, one, gy, mean, inv_std, 0.0, *options)
    >>> ggamma, gbeta
    (array([-1.]), array([1.]))
    """
    dtype = check(x=x, gy=gy)
    same_shape(x=x, gy=gy)
    computed = wide(dtype)
    x, gy = dense(x), dense(gy)
    if x.size == 0:
        raise ValueError(f"x of shape {x.shape} has no elements to average over")
    gx = _core.empty(x.shape, dtype)
    view, axes, shape = _form(x, is_for_conv2d, cudnn_mode, d_layout)
    slopes, target = (_form(array, is_for_conv2d, cudnn_mode, d_layout)[0] for array in (gy, gx))
    made = _parameters(shape, computed, gamma=gamma, mean=mean, inv_std=inv_std)
    ggamma, gbeta = (_core.empty(shape, computed) for _ in range(2))
    arrays = [_library_form(array)[0] for array in (view, slopes, target)]
    parameters = _library_form(view, *made, ggamma, gbeta)[1]
    options = {"per_activation": cudnn_mode == CUDNN_BATCHNORM_PER_ACTIVATION, "eps": float(eps)}
    done = by_library("normalization_gradient", *arrays[:2], *parameters[:3], arrays[2], *parameters[3:], **options)
    if not done:
        scale, centre, inverse = made
        g = slopes.astype(computed, copy=False)
        normal = (view.astype(computed, copy=False) - centre) * inverse
        gbeta[...] = g.sum(axis=axes, keepdims=True)
        ggamma[...] = (g * normal).sum(axis=axes, keepdims=True)
        count = view.size // int(np.prod(shape))
        target[...] = scale * inverse * (g - (normal * ggamma + gbeta) / count)
    of_scale, of_shift = (array.reshape(gamma.shape).astype(gamma.dtype, copy=False) for array in (ggamma, gbeta))
    return gx, of_scale, of_shift


__all__ = [
    "batch_normalization_backward",
    "batch_normalization_forward_inference",
    "batch_normalization_forward_training",
    "batch_normalization_forward_training_ex",
]
