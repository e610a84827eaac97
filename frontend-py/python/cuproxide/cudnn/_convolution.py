"""Convolutions with their gradients. Own kernels gather columns and multiply matrices, in a bounded number of parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib import kernel as k
from ..lib.stride_tricks import as_strided
from ._constants import CUDNN_TENSOR_NCHW
from ._tensors import by_library, channels_first, check, dense, lengths_of, product, three, wide

_max_workspace_size = 8 * 1024 * 1024
_MOST_PARTS = 16


def get_max_workspace_size() -> int:
    """How many bytes an algorithm of a convolution may take to work in."""
    return _max_workspace_size


def set_max_workspace_size(size: int) -> None:
    """Sets how many bytes an algorithm of a convolution may take to work in.

    The package's own kernels take a sixteenth of what all columns need if that is more.
    """
    global _max_workspace_size
    if size < 0:
        raise ValueError(f"size must not be negative, got {size}")
    _max_workspace_size = int(size)


@dataclass(frozen=True)
class _Geometry:
    """A convolution of images (n, c, spatial) with filters (outputs, c / groups, spatial)."""

    pad: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    groups: int
    images: tuple[int, ...]
    filters: tuple[int, ...]
    result: tuple[int, ...]

    @property
    def rows(self) -> int:
        """Elements of a filter."""
        return product(self.filters[1:])

    @property
    def points(self) -> int:
        """Spatial elements of a result."""
        return product(self.result[2:])

    def parts(self, itemsize: int) -> Iterator[slice]:
        """Ranges of images whose columns fit into the workspace, at most `_MOST_PARTS` of them."""
        count = self.images[0]
        each = self.images[1] * product(self.filters[2:]) * self.points * itemsize
        step = max(-(-count // _MOST_PARTS), _max_workspace_size // max(each, 1), 1)
        for start in range(0, count, step):
            yield slice(start, min(start + step, count))


def _geometry(
    images: Sequence[int],
    filters: Sequence[int],
    pad: Sequence[int],
    stride: Sequence[int],
    dilation: Sequence[int] | None,
    groups: int,
) -> _Geometry:
    images, filters = tuple(images), tuple(filters)
    count = len(images) - 2
    if not 1 <= count <= 3 or len(filters) != len(images):
        raise ValueError(
            f"images and filters must have the same number of axes, 3 to 5, got shapes {images} and {filters}"
        )
    pad, stride = lengths_of("pad", pad, count, 0), lengths_of("stride", stride, count, 1)
    dilation = lengths_of("dilation", (1,) * count if dilation is None else dilation, count, 1)
    if groups < 1 or filters[0] % groups or images[1] != filters[1] * groups:
        raise ValueError(
            f"groups={groups} does not fit {images[1]} channels and filters of shape {filters}: "
            "channels must be groups * filters.shape[1], and filters.shape[0] a multiple of groups"
        )
    spatial = zip(images[2:], filters[2:], pad, stride, dilation, strict=True)
    out = tuple((n + 2 * p - (w - 1) * d - 1) // s + 1 for n, w, p, s, d in spatial)
    return _Geometry(pad, stride, dilation, int(groups), images, filters, (images[0], filters[0], *out))


def _expect(name: str, array: ndarray, shape: tuple[int, ...]) -> None:
    if array.shape != shape or min(shape[2:]) < 0:
        raise ValueError(f"{name} must have shape {shape} (with channels at axis 1), got {array.shape}")


def _columns(x: ndarray, g: _Geometry, dtype: np.dtype[Any]) -> ndarray:
    """What each point of the result sees, as columns (groups, elements of a filter, images and points)."""
    n, channels, *spatial = x.shape
    if any(g.pad) or x.dtype != dtype:
        padded = _core.zeros((n, channels, *(m + 2 * p for m, p in zip(spatial, g.pad, strict=True))), dtype)
        padded[(..., *(slice(p, p + m) for m, p in zip(spatial, g.pad, strict=True)))] = x
    else:
        padded = x
    image, channel, *steps = padded.strides
    taps = [step * d for step, d in zip(steps, g.dilation, strict=True)]
    places = [step * s for step, s in zip(steps, g.stride, strict=True)]
    shape = (channels, *g.filters[2:], n, *g.result[2:])
    seen = as_strided(padded, shape, (channel, *taps, image, *places))
    return seen.reshape(g.groups, g.rows, n * g.points)


def _lines(y: ndarray, g: _Geometry, dtype: np.dtype[Any]) -> ndarray:
    """A result (images, outputs, spatial) as (groups, outputs of a group, images and points)."""
    moved = y.transpose(1, 0, *range(2, y.ndim)).astype(dtype, copy=False)
    return moved.reshape(g.groups, g.filters[0] // g.groups, y.shape[0] * g.points)


@k.kernel
def _gather(
    columns: k.Array,
    p0: int,
    p1: int,
    p2: int,
    s0: int,
    s1: int,
    s2: int,
    d0: int,
    d1: int,
    d2: int,
    *,
    wide: Any,
    dtype: Any,
):
    """The sum of what the columns (channels, taps, images, points) hold for an element of the images."""
    n, c, i, j, m = k.coordinates()
    total = k.value(0, wide)
    for a0 in k.steps(columns.shape[1]):
        t0 = i + p0 - a0 * d0
        o0 = t0 // s0
        if (t0 >= 0) & (o0 * s0 == t0) & (o0 < columns.shape[5]):
            for a1 in k.steps(columns.shape[2]):
                t1 = j + p1 - a1 * d1
                o1 = t1 // s1
                if (t1 >= 0) & (o1 * s1 == t1) & (o1 < columns.shape[6]):
                    for a2 in k.steps(columns.shape[3]):
                        t2 = m + p2 - a2 * d2
                        o2 = t2 // s2
                        if (t2 >= 0) & (o2 * s2 == t2) & (o2 < columns.shape[7]):
                            total += columns[c, a0, a1, a2, n, o0, o1, o2]
    return total.astype(dtype)


def _math(tensor_core: str | bool, dtype: np.dtype[Any]) -> bool:
    """Whether a library may compute in less than the dtype (TF32), or in float16."""
    if tensor_core not in ("auto", "always", "never"):
        raise ValueError(f'tensor_core must be "always", "auto" or "never", got {tensor_core!r}')
    return tensor_core == "always" or (tensor_core == "auto" and dtype.char == "e")


def _add_bias(y: ndarray, b: ndarray | None) -> None:
    if b is not None:
        if b.size != y.shape[1]:
            raise ValueError(f"b must have {y.shape[1]} elements, one for each channel of y, got shape {b.shape}")
        y += b.reshape(-1, *(1,) * (y.ndim - 2))


def _options(g: _Geometry, tensor_cores: bool, search: bool, deterministic: bool) -> dict[str, Any]:
    return {
        "pad": list(g.pad),
        "stride": list(g.stride),
        "dilation": list(g.dilation),
        "groups": g.groups,
        "tensor_cores": tensor_cores,
        "search": search,
        "deterministic": deterministic,
        "limit": _max_workspace_size,
    }


def _forward(x: ndarray, W: ndarray, b: ndarray | None, y: ndarray, g: _Geometry, computed: np.dtype[Any]) -> None:
    """A convolution by own kernels."""
    filters = W.astype(computed, copy=False).reshape(g.groups, g.filters[0] // g.groups, g.rows)
    bias = None if b is None else b.astype(computed, copy=False)
    for part in g.parts(computed.itemsize):
        made = _core.matmul(filters, _columns(x[part], g, computed))
        lines = made.reshape(g.filters[0], part.stop - part.start, *g.result[2:])
        one = lines.transpose(1, 0, *range(2, lines.ndim))
        _add_bias(one, bias)
        y[part] = one


def _mirrored(W: ndarray, g: _Geometry) -> tuple[ndarray, _Geometry] | None:
    """The gradient for the images as a convolution with mirrored filters, which it is where all steps are one."""
    reach = [d * (w - 1) for d, w in zip(g.dilation, g.filters[2:], strict=True)]
    pad = tuple(r - p for r, p in zip(reach, g.pad, strict=True))
    if any(s > 1 for s in g.stride) or min(pad) < 0:
        return None
    outputs, channels = g.filters[0] // g.groups, g.filters[1]
    split = W.reshape(g.groups, outputs, channels, *g.filters[2:])
    turned = split.transpose(0, 2, 1, *range(3, split.ndim))[(..., *(slice(None, None, -1) for _ in pad))]
    filters = g.images[1], outputs, *g.filters[2:]
    mirrored = _Geometry(pad, g.stride, g.dilation, g.groups, g.result, filters, g.images)
    return turned.reshape(filters), mirrored


def _planar(array: ndarray) -> ndarray:
    """An array of one spatial axis with two, which is the least that libraries know."""
    return array if array.ndim > 3 else array[:, :, None]


def _by_library(name: str, arrays: list[ndarray], g: _Geometry, *flags: bool) -> bool:
    if len(g.pad) == 1:
        g = _Geometry((0, *g.pad), (1, *g.stride), (1, *g.dilation), g.groups, g.images, g.filters, g.result)
        arrays = [_planar(array) for array in arrays]
    return by_library(name, *arrays, **_options(g, *flags))


def _packed(array: ndarray, layout: int) -> ndarray:
    """The array, given with channels first, as memory without gaps in its layout."""
    if layout == CUDNN_TENSOR_NCHW or array.ndim < 3:
        return dense(array)
    last = array.transpose(0, *range(2, array.ndim), 1)
    return channels_first(dense(last), layout)


def _is_packed(array: ndarray, layout: int) -> bool:
    last = array if layout == CUDNN_TENSOR_NCHW else array.transpose(0, *range(2, array.ndim), 1)
    return bool(last.flags.c_contiguous)


def _into(target: ndarray, layout: int) -> ndarray:
    """`target` if a library can write there, else memory like it."""
    return target if _is_packed(target, layout) else _packed(_core.empty(target.shape, target.dtype), layout)


def convolution_forward(
    x: ndarray,
    W: ndarray,
    b: ndarray | None,
    y: ndarray,
    pad: Sequence[int],
    stride: Sequence[int],
    dilation: Sequence[int] | None,
    groups: int,
    *,
    auto_tune: bool,
    tensor_core: str,
    d_layout: int = CUDNN_TENSOR_NCHW,
    w_layout: int = CUDNN_TENSOR_NCHW,
) -> None:
    """Cross-correlation of images with filters, plus a bias for each channel, written to `y`.

    Parameters
    ----------
    x, W, b, y : cuproxide.ndarray
        Images (n, c, spatial), filters (outputs, c / groups, spatial), a bias for each output or None, and what takes
        the result; float16 (added up in float32), float32 or float64. One to three spatial axes, of any strides.
    pad, stride, dilation : tuple of int
        For each spatial axis: zeros on both sides, the step of the filter, the distance of its elements.
    d_layout, w_layout : int
        `CUDNN_TENSOR_NHWC` for images or filters with channels in the last axis.

    Raises
    ------
    ValueError
        For shapes that do not fit.
    TypeError
        For other dtypes.

    >>> x, w, y = cp.arange(4.0).reshape(1, 1, 1, 4), cp.ones((1, 1, 1, 2)), cp.empty((1, 1, 1, 3))
    >>> cudnn.convolution_forward(x, w, None, y, (0, 0), (1, 1), (1, 1), 1, auto_tune=False, tensor_core="auto")
    >>> y
    array([[[[1., 3., 5.]]]])
    """
    dtype = check(x=x, W=W, b=b, y=y)
    tensor_cores = _math(tensor_core, dtype)
    x, y, W = channels_first(x, d_layout), channels_first(y, d_layout), channels_first(W, w_layout, "w_layout")
    g = _geometry(x.shape, W.shape, pad, stride, dilation, groups)
    _expect("y", y, g.result)
    if y.size == 0:
        return
    target = _into(y, d_layout)
    arrays = [_packed(x, d_layout), _packed(W, w_layout), target]
    if W.size and _by_library("convolution", arrays, g, tensor_cores, auto_tune, False):
        if target is not y:
            y[...] = target
        _add_bias(y, b)
        return
    _forward(x, W, b, y, g, wide(dtype))


def convolution_backward_data(
    W: ndarray,
    x: ndarray,
    b: ndarray | None,
    y: ndarray,
    pad: Sequence[int],
    stride: Sequence[int],
    dilation: Sequence[int] | None,
    groups: int,
    *,
    deterministic: bool,
    auto_tune: bool,
    tensor_core: str,
    d_layout: int = CUDNN_TENSOR_NCHW,
    w_layout: int = CUDNN_TENSOR_NCHW,
) -> None:
    """The gradient of `convolution_forward` for the images, which is the transposed convolution, written to `y`.

    Parameters
    ----------
    W : cuproxide.ndarray
        Filters (outputs, c / groups, spatial), with one to three spatial axes; float16 (added up in float32), float32
        or float64.
    x : cuproxide.ndarray
        The gradient for the result of the convolution (n, outputs, spatial), of the dtype of `W`.
    b : cuproxide.ndarray or None
        `c` elements, each of which is added to a channel of `y`.
    y : cuproxide.ndarray
        Takes the result (n, c, spatial), which has the shape of the images; any strides.
    pad, stride, dilation : tuple of int
        Those of the convolution, for each spatial axis: zeros on both sides, the step of the filter, the distance of
        its elements. None as `dilation` stands for ones.
    d_layout, w_layout : int
        `CUDNN_TENSOR_NHWC` for images or filters with channels in the last axis.

    Raises
    ------
    ValueError
        For shapes that do not fit.
    TypeError
        For arrays of other dtypes, or of different ones.

    >>> w, gy, gx = cp.array([[[[1.0, 10.0]]]]), cp.arange(1.0, 4.0).reshape(1, 1, 1, 3), cp.empty((1, 1, 1, 4))
    >>> options = {"deterministic": False, "auto_tune": False, "tensor_core": "auto"}
    >>> cudnn.convolution_backward_data(w, gy, None, gx, (0, 0), (1, 1), (1, 1), 1, **options)
    >>> gx
    array([[[[ 1., 12., 23., 30.]]]])
    """
    dtype = check(W=W, x=x, b=b, y=y)
    tensor_cores = _math(tensor_core, dtype) and not deterministic
    x, y, W = channels_first(x, d_layout), channels_first(y, d_layout), channels_first(W, w_layout, "w_layout")
    g = _geometry(y.shape, W.shape, pad, stride, dilation, groups)
    _expect("x", x, g.result)
    if y.size == 0:
        return
    target = _into(y, d_layout)
    arrays = [_packed(W, w_layout), _packed(x, d_layout), target]
    if W.size and x.size and _by_library("convolution_data", arrays, g, tensor_cores, auto_tune, deterministic):
        if target is not y:
            y[...] = target
        _add_bias(y, b)
        return
    computed = wide(dtype)
    mirrored = _mirrored(W, g)
    if mirrored is not None:
        _forward(x, mirrored[0], b, y, mirrored[1], computed)
        return
    filters = W.astype(computed, copy=False).reshape(g.groups, g.filters[0] // g.groups, g.rows).transpose(0, 2, 1)
    bias = None if b is None else b.astype(computed, copy=False)
    options = [*three(g.pad, 0), *three(g.stride, 1), *three(g.dilation, 1)]
    taps, points = three(g.filters[2:], 1), three(g.result[2:], 1)
    for part in g.parts(computed.itemsize):
        made = _core.matmul(filters, _lines(x[part], g, computed))
        columns = made.reshape(g.images[1], *taps, part.stop - part.start, *points)
        images = y[part]
        one = _gather(
            columns, *options, wide=computed, dtype=computed, shape=(*images.shape[:2], *three(images.shape[2:], 1))
        )
        one = one.reshape(images.shape)
        _add_bias(one, bias)
        y[part] = one


def convolution_backward_filter(
    x: ndarray,
    gy: ndarray,
    gW: ndarray,
    pad: Sequence[int],
    stride: Sequence[int],
    dilation: Sequence[int] | None,
    groups: int,
    *,
    deterministic: bool,
    auto_tune: bool,
    tensor_core: str,
    d_layout: int = CUDNN_TENSOR_NCHW,
    w_layout: int = CUDNN_TENSOR_NCHW,
) -> None:
    """The gradient of `convolution_forward` for the filters, written to `gW`.

    Parameters
    ----------
    x : cuproxide.ndarray
        The images of the convolution (n, c, spatial), with one to three spatial axes; float16 (added up in float32),
        float32 or float64.
    gy : cuproxide.ndarray
        The gradient for its result (n, outputs, spatial), of the dtype of `x`.
    gW : cuproxide.ndarray
        Takes the result (outputs, c / groups, spatial), which has the shape of the filters; any strides.
    pad, stride, dilation : tuple of int
        Those of the convolution, for each spatial axis: zeros on both sides, the step of the filter, the distance of
        its elements. None as `dilation` stands for ones.
    d_layout, w_layout : int
        `CUDNN_TENSOR_NHWC` for images or filters with channels in the last axis.

    Raises
    ------
    ValueError
        For shapes that do not fit.
    TypeError
        For arrays of other dtypes, or of different ones.

    >>> x, gy, gw = cp.arange(4.0).reshape(1, 1, 1, 4), cp.ones((1, 1, 1, 3)), cp.empty((1, 1, 1, 2))
    >>> options = {"deterministic": False, "auto_tune": False, "tensor_core": "auto"}
    >>> cudnn.convolution_backward_filter(x, gy, gw, (0, 0), (1, 1), (1, 1), 1, **options)
    >>> gw
    array([[[[3., 6.]]]])
    """
    dtype = check(x=x, gy=gy, gW=gW)
    tensor_cores = _math(tensor_core, dtype) and not deterministic
    x, gy, gW = channels_first(x, d_layout), channels_first(gy, d_layout), channels_first(gW, w_layout, "w_layout")
    g = _geometry(x.shape, gW.shape, pad, stride, dilation, groups)
    _expect("gy", gy, g.result)
    if gW.size == 0:
        return
    target = _into(gW, w_layout)
    arrays = [_packed(x, d_layout), _packed(gy, d_layout), target]
    if gy.size and _by_library("convolution_filter", arrays, g, tensor_cores, auto_tune, deterministic):
        if target is not gW:
            gW[...] = target
        return
    computed = wide(dtype)
    total = _core.zeros((g.groups, g.filters[0] // g.groups, g.rows), computed)
    for part in g.parts(computed.itemsize):
        columns = _columns(x[part], g, computed).transpose(0, 2, 1)
        total += _core.matmul(_lines(gy[part], g, computed), columns)
    gW[...] = total.reshape(g.filters)


__all__ = [
    "convolution_backward_data",
    "convolution_backward_filter",
    "convolution_forward",
    "get_max_workspace_size",
    "set_max_workspace_size",
]
