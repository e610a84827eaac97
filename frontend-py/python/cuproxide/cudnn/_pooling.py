"""Pooling of windows and its gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib import kernel as k
from ._constants import (
    CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING,
    CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING,
    CUDNN_POOLING_MAX,
    CUDNN_POOLING_MAX_DETERMINISTIC,
    CUDNN_TENSOR_NCHW,
)
from ._tensors import as_volumes, by_library, channels_first, check, dense, lengths_of, same_shape, three, wide

_MAXIMA = (CUDNN_POOLING_MAX, CUDNN_POOLING_MAX_DETERMINISTIC)
_INCLUDE, _EXCLUDE = CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING, CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING


@k.function
def _bounds(at, stride, pad, window, length):
    """Where the window of an output begins and ends within the input."""
    start = at * stride - pad
    return k.maximum(start, 0), k.minimum(start + window, length)


@k.kernel
def _maximum(
    x: k.Array,
    w0: int,
    w1: int,
    w2: int,
    s0: int,
    s1: int,
    s2: int,
    p0: int,
    p1: int,
    p2: int,
):
    """The greatest element of a window, or its first NaN, and where it is."""
    n, c, o0, o1, o2 = k.coordinates()
    a0, b0 = _bounds(o0, s0, p0, w0, x.shape[2])
    a1, b1 = _bounds(o1, s1, p1, w1, x.shape[3])
    a2, b2 = _bounds(o2, s2, p2, w2, x.shape[4])
    best, place = x[n, c, a0, a1, a2], (a0 * x.shape[3] + a1) * x.shape[4] + a2
    for i in k.steps(a0, b0):
        for j in k.steps(a1, b1):
            for m in k.steps(a2, b2):
                v = x[n, c, i, j, m]
                better = (v > best) | ((v != v) & (best == best))
                best = k.where(better, v, best)
                place = k.where(better, (i * x.shape[3] + j) * x.shape[4] + m, place)
    return best, place


@k.kernel
def _mean(
    x: k.Array,
    w0: int,
    w1: int,
    w2: int,
    s0: int,
    s1: int,
    s2: int,
    p0: int,
    p1: int,
    p2: int,
    *,
    padded: bool,
    wide: Any,
):
    n, c, o0, o1, o2 = k.coordinates()
    a0, b0 = _bounds(o0, s0, p0, w0, x.shape[2])
    a1, b1 = _bounds(o1, s1, p1, w1, x.shape[3])
    a2, b2 = _bounds(o2, s2, p2, w2, x.shape[4])
    total = k.value(0, wide)
    for i in k.steps(a0, b0):
        for j in k.steps(a1, b1):
            for m in k.steps(a2, b2):
                total += x[n, c, i, j, m].astype(wide)
    count = w0 * w1 * w2 if padded else (b0 - a0) * (b1 - a1) * (b2 - a2)
    return (total / k.value(count, wide)).astype(x.dtype)


@k.function
def _covering(at, stride, pad, window, outputs):
    """The first output whose window covers an input, and the one after the last."""
    end = at + pad
    first = k.maximum((end - window) // stride + 1, 0)
    return first, k.minimum(end // stride + 1, outputs)


@k.kernel
def _maximum_gradient(
    gy: k.Array,
    place: k.Array,
    w0: int,
    w1: int,
    w2: int,
    s0: int,
    s1: int,
    s2: int,
    p0: int,
    p1: int,
    p2: int,
    l1: int,
    l2: int,
    *,
    wide: Any,
):
    n, c, i, j, m = k.coordinates()
    a0, b0 = _covering(i, s0, p0, w0, gy.shape[2])
    a1, b1 = _covering(j, s1, p1, w1, gy.shape[3])
    a2, b2 = _covering(m, s2, p2, w2, gy.shape[4])
    own, total = (i * l1 + j) * l2 + m, k.value(0, wide)
    for o0 in k.steps(a0, b0):
        for o1 in k.steps(a1, b1):
            for o2 in k.steps(a2, b2):
                taken = place[n, c, o0, o1, o2] == own
                total += k.where(taken, gy[n, c, o0, o1, o2].astype(wide), 0.0)
    return total.astype(gy.dtype)


@k.kernel
def _mean_gradient(
    gy: k.Array,
    w0: int,
    w1: int,
    w2: int,
    s0: int,
    s1: int,
    s2: int,
    p0: int,
    p1: int,
    p2: int,
    l0: int,
    l1: int,
    l2: int,
    *,
    padded: bool,
    wide: Any,
):
    n, c, i, j, m = k.coordinates()
    a0, b0 = _covering(i, s0, p0, w0, gy.shape[2])
    a1, b1 = _covering(j, s1, p1, w1, gy.shape[3])
    a2, b2 = _covering(m, s2, p2, w2, gy.shape[4])
    total = k.value(0, wide)
    for o0 in k.steps(a0, b0):
        for o1 in k.steps(a1, b1):
            for o2 in k.steps(a2, b2):
                if padded:
                    count = w0 * w1 * w2
                else:
                    c0, d0 = _bounds(o0, s0, p0, w0, l0)
                    c1, d1 = _bounds(o1, s1, p1, w1, l1)
                    c2, d2 = _bounds(o2, s2, p2, w2, l2)
                    count = (d0 - c0) * (d1 - c1) * (d2 - c2)
                total += gy[n, c, o0, o1, o2].astype(wide) / k.value(count, wide)
    return total.astype(gy.dtype)


def _window(
    shape: Sequence[int], ksize: Sequence[int], stride: Sequence[int], pad: Sequence[int], mode: int
) -> tuple[list[int], tuple[int, ...]]:
    """Windows, strides and padding of three axes, and the spatial shape of the result."""
    count = len(shape) - 2
    if not 1 <= count <= 3:
        raise ValueError(
            f"x must have 3, 4 or 5 axes (images, channels and 1 to 3 spatial ones), got shape {tuple(shape)}"
        )
    if mode not in range(CUDNN_POOLING_MAX_DETERMINISTIC + 1):
        raise ValueError(f"mode must be one of CUDNN_POOLING_* (0 to 3), got {mode}")
    ksize = lengths_of("ksize", ksize, count, 1)
    stride, pad = lengths_of("stride", stride, count, 1), lengths_of("pad", pad, count, 0)
    if any(p >= w for p, w in zip(pad, ksize, strict=True)):
        raise ValueError(f"pad must be less than ksize, got {pad} and {ksize}: a window would see padding alone")
    spatial = zip(shape[2:], ksize, stride, pad, strict=True)
    out = tuple((length + 2 * p - w) // s + 1 for length, w, s, p in spatial)
    return [*three(ksize, 1), *three(stride, 1), *three(pad, 0)], out


def _check_result(name: str, array: ndarray, x: ndarray, out: tuple[int, ...]) -> None:
    expected = (*x.shape[:2], *out)
    if array.shape != expected or min(out) < 1:
        raise ValueError(f"{name} must have shape {expected} (with channels at axis 1), got {array.shape}")


def pooling_forward(
    x: ndarray,
    y: ndarray,
    ksize: Sequence[int],
    stride: Sequence[int],
    pad: Sequence[int],
    mode: int,
    *,
    d_layout: int = CUDNN_TENSOR_NCHW,
) -> ndarray:
    """The maximum or mean of each window, written to `y`.

    Parameters
    ----------
    x : cuproxide.ndarray
        Images and channels, then one to three spatial axes; float16, float32 or float64.
    y : cuproxide.ndarray
        Takes the result, whose spatial lengths are `(length + 2 * pad - ksize) // stride + 1`.
    ksize, stride, pad : tuple of int
        The windows, for each spatial axis.
    mode : int
        `CUDNN_POOLING_MAX` or `CUDNN_POOLING_MAX_DETERMINISTIC`, for which NaN is the greatest; or a mean that counts
        padding as zeros or not, `CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING` and
        `CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING`.

    Returns
    -------
    cuproxide.ndarray
        `y`.

    Raises
    ------
    ValueError
        For shapes that do not fit, and for padding as wide as a window.

    >>> x = cp.arange(16.0).reshape(1, 1, 4, 4)
    >>> cudnn.pooling_forward(x, cp.empty((1, 1, 2, 2)), (2, 2), (2, 2), (0, 0), cudnn.CUDNN_POOLING_MAX)
    array([[[[ 5.,  7.],
             [13., 15.]]]])
    """
    dtype = check(x=x, y=y)
    given, x, y = y, channels_first(x, d_layout), channels_first(y, d_layout)
    window, out = _window(x.shape, ksize, stride, pad, mode)
    _check_result("y", y, x, out)
    if x.size == 0:
        return given
    x, result = as_volumes(dense(x)), _core.empty(y.shape, dtype)
    target = as_volumes(result)
    if not by_library("pooling", *_images(x, target, dims=len(out)), mode=int(mode), window=window):
        if mode in _MAXIMA:
            target[...] = _maximum(x, *window, shape=target.shape)[0]
        else:
            _mean(x, *window, padded=mode == _INCLUDE, wide=wide(dtype), shape=target.shape, out=target)
    y[...] = result
    return given


def pooling_backward(
    x: ndarray,
    y: ndarray,
    gy: ndarray,
    ksize: Sequence[int],
    stride: Sequence[int],
    pad: Sequence[int],
    mode: int,
    *,
    d_layout: int = CUDNN_TENSOR_NCHW,
) -> ndarray:
    """The gradient for the input of `pooling_forward`, from its input, its result and the gradient for that.

    Of equal maxima in a window the first one gets the gradient, or for `CUDNN_POOLING_MAX` the one that the library
    takes.

    Parameters
    ----------
    x : cuproxide.ndarray
        The input of `pooling_forward`: images and channels, then one to three spatial axes; float16, float32 or
        float64.
    y : cuproxide.ndarray
        Its result, of the dtype of `x`.
    ksize, stride, pad : tuple of int
        The windows that it was given: for each spatial axis their length, their distance, and the padding on both
        sides.
    mode : int
        The `CUDNN_POOLING_...` that it was given.

    Returns
    -------
    cuproxide.ndarray
        The gradient for `x`, of its shape and dtype.

    Raises
    ------
    TypeError
        For arrays of other dtypes, or of different ones.
    ValueError
        For shapes that do not fit, and for padding as wide as a window.

    >>> x, gy = cp.arange(4.0).reshape(1, 1, 2, 2), cp.ones((1, 1, 1, 1))
    >>> cudnn.pooling_backward(x, gy * 3, gy, (2, 2), (2, 2), (0, 0), cudnn.CUDNN_POOLING_MAX)
    array([[[[0., 0.],
             [0., 1.]]]])
    """
    dtype = check(x=x, y=y, gy=gy)
    shape = x.shape
    x, y, gy = (channels_first(array, d_layout) for array in (x, y, gy))
    window, out = _window(x.shape, ksize, stride, pad, mode)
    _check_result("y", y, x, out)
    same_shape(y=y, gy=gy)
    result = _core.empty(shape, dtype)
    if x.size == 0:
        return result
    x, y, gy = (as_volumes(dense(array)) for array in (x, y, gy))
    gx = _core.empty(x.shape, dtype)
    if not by_library("pooling_gradient", *_images(y, gy, x, gx, dims=len(out)), mode=int(mode), window=window):
        lengths = x.shape[2:]
        if mode in _MAXIMA:
            place = _maximum(x, *window, shape=gy.shape)[1]
            _maximum_gradient(gy, place, *window, *lengths[1:], wide=wide(dtype), shape=x.shape, out=gx)
        else:
            padded = mode == _INCLUDE
            _mean_gradient(gy, *window, *lengths, padded=padded, wide=wide(dtype), shape=x.shape, out=gx)
    channels_first(result, d_layout)[...] = gx.reshape(channels_first(result, d_layout).shape)
    return result


def _images(*volumes: ndarray, dims: int) -> list[ndarray]:
    """Volumes of fewer than three spatial axes as images, which libraries know better."""
    return list(volumes) if dims == 3 else [v.reshape(*v.shape[:2], *v.shape[3:]) for v in volumes]


__all__ = ["pooling_backward", "pooling_forward"]
