"""Elements of a rank in windows: medians and percentiles.

Small windows are sorted by a network of comparisons as far as the rank needs. Histograms slide over larger ones of
8-bit elements: of columns where a device has a primitive for it, else of the window (Huang, Yang and Tang 1979). Of
others the bits of the element are found from the highest on, each by counting the elements that are not larger.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.routes import way
from ..._typing import ArrayLike
from . import _windows as win
from ._common import (
    check_type,
    converted,
    each,
    make_output,
    normal_axes,
    real_input,
    spread,
    warn_size,
)
from ._extrema import maximum_filter, minimum_filter
from ._filters import Filter, Window, centred, filtered, footprint_of, one_mode, placed

__all__ = ["median_filter", "percentile_filter", "rank_filter"]

_MOST_SORTED = 81
"""Elements of windows that a network sorts."""


@functools.cache
def _network(count: int, rank: int) -> tuple[tuple[int, int], ...]:
    """The comparisons that put the element of a rank in its place: of those of Batcher's odd-even merge sort."""
    pairs = []
    width = 1
    while width < count:
        step = width
        while step >= 1:
            for start in range(step % width, count - step, 2 * step):
                for i in range(start, min(start + step, count - step)):
                    if i // (2 * width) == (i + step) // (2 * width):
                        pairs.append((i, i + step))
            step //= 2
        width *= 2
    needed, kept = {rank}, []
    for low, high in reversed(pairs):
        if low in needed or high in needed:
            # What is needed of the two of them is told by which of them is.
            kept.append((low, high))
            needed |= {low, high}
    return tuple(reversed(kept))


def _ordered(value: Any) -> Any:
    """A signed integer with the order of a number, of the same size; its own inverse on such integers."""
    if value.dtype.kind == "f":
        bits = 8 * value.dtype.itemsize
        value = value.view(f"int{bits}")
        value = value ^ ((value >> (bits - 1)) & (2 ** (bits - 1) - 1))
    return value


def _number(value: Any, dtype: np.dtype[Any]) -> Any:
    """The number that `_ordered` made an integer of."""
    if dtype.kind == "f":
        bits = 8 * dtype.itemsize
        return (value ^ ((value >> (bits - 1)) & (2 ** (bits - 1) - 1))).view(dtype.name)
    return value


def _selected(values: list[Any], rank: int) -> Any:
    for low, high in _network(len(values), rank):
        a, b = values[low], values[high]
        values[low], values[high] = k.minimum(a, b), k.maximum(a, b)
    return values[rank]


def _select_of_views(views: Sequence[Any], _: Any, key: Any) -> Any:
    rank, dtype = key
    return converted(_number(_selected([_ordered(view) for view in views], rank), views[0].dtype), np.dtype(dtype))


@k.kernel
def _select_by_network(wide: k.Array, *, places: tuple[tuple[int, ...], ...], rank: int, dtype: str):
    at = k.coordinates()
    values = [
        _ordered(wide[tuple(position + offset for position, offset in zip(at, place, strict=True))]) for place in places
    ]
    return converted(_number(_selected(values, rank), wide.dtype), np.dtype(dtype))


@k.kernel
def _select_by_bits(wide: k.Array, flat: k.Array[1], offsets: k.Array[1], rank: int, *, dtype: str):
    base = k.value(0)
    for position, length in zip(k.coordinates(), wide.shape, strict=True):
        base = base * length + position
    kind = wide.dtype
    bits, is_signed = 8 * kind.itemsize, kind.kind in "if"
    known = k.value(-(2 ** (bits - 1)) if is_signed else 0, f"int{bits}" if is_signed else kind.name)
    quarter = k.value(2 ** (bits - 2), known.dtype)
    # Two bits a round: into which quarter of what is left the element falls.
    while quarter != 0:
        first, second, third = known + quarter, known + quarter + quarter, known + quarter + quarter + quarter
        below, below_second, below_third = k.value(0), k.value(0), k.value(0)
        for i in k.steps(offsets.shape[0]):
            element = _ordered(flat[base + offsets[i]])
            below = below + (element < first)
            below_second = below_second + (element < second)
            below_third = below_third + (element < third)
        known = k.where(below <= rank, first, known)
        known = k.where(below_second <= rank, second, known)
        known = k.where(below_third <= rank, third, known)
        quarter = quarter >> 2
    return converted(_number(known, kind), np.dtype(dtype))


_RUN = 128
"""Places that a histogram slides over, in one thread."""


@k.kernel
def _select_by_histogram(
    wide: k.Array,
    flat: k.Array[1],
    offsets: k.Array[1],
    found: k.Out,
    size: int,
    step: int,
    rank: int,
    run: int,
    *,
    is_large: bool,
):
    """Slides a histogram along the first axis; `offsets` are the places of a window's first layer, `step` apart.

    The result moves up and down by as many bins as the histogram's change needs.
    """
    start, *at = k.coordinates()
    start = start * run
    base = start
    for position, length in zip(at, wide.shape[1:], strict=True):
        base = base * length + position
    shift = 128 if wide.dtype == np.int8 else 0
    bins = k.local_array(256, 0, "int32" if is_large else "uint16")
    value, below = k.value(0), k.value(0)
    layer = offsets.shape[0]
    for i in k.steps(size):
        for j in k.steps(layer):
            element = flat[base + i * step + offsets[j]].astype("int64") + shift
            bins[element] = bins[element] + 1
    for i in k.steps(k.minimum(run, found.shape[0] - start)):
        if i > 0:
            for j in k.steps(layer):
                old = flat[base + offsets[j]].astype("int64") + shift
                bins[old] = bins[old] - 1
                new = flat[base + size * step + offsets[j]].astype("int64") + shift
                bins[new] = bins[new] + 1
                below = below - (old < value) + (new < value)
            base = base + step
        while below > rank:
            value = value - 1
            below = below - bins[value]
        here = bins[value].astype("int64")
        while below + here <= rank:
            below, value = below + here, value + 1
            here = bins[value].astype("int64")
        bin_value: Any = value - shift
        found[(start + i, *at)] = converted(bin_value.astype(wide.dtype), found.dtype)


def _of_planes(wide: ndarray, footprint: np.ndarray, rank: int) -> ndarray | None:
    """The result of full windows over one or two axes of bytes, if the device has a primitive for it."""
    beside = [axis for axis, length in enumerate(footprint.shape) if length > 1]
    if wide.dtype.itemsize > 1 or not footprint.all() or len(beside) > 2 or not way("ranks of planes", wide):
        return None
    axes = [axis for axis in range(wide.ndim) if axis not in beside] + beside
    planes = _core.moveaxis(wide, axes, range(wide.ndim)) if axes != [*range(wide.ndim)] else wide
    rows, columns = [1, 1, *(footprint.shape[axis] for axis in beside)][-2:]
    height, width = (1, 1, *planes.shape)[-2:]
    found = _core.window_ranks(planes.reshape(-1, height, width), rows, columns, rank)
    if found is None:
        return None
    others = planes.shape[: max(wide.ndim - 2, 0)]
    found = found.reshape(*others, *found.shape[1:]) if wide.ndim > 1 else found.reshape(-1)
    return _core.moveaxis(found, range(wide.ndim), axes) if planes is not wide else found


def _filter(
    input: ArrayLike,
    rank: Any,
    size: Any,
    footprint: Any,
    output: Any,
    mode: Any,
    cval: float,
    origin: Any,
    axes: Any,
    operation: str,
) -> ndarray:
    warn_size(size, footprint)
    input = real_input(input)
    axes = normal_axes(axes, input.ndim)
    footprint, origins = placed(input, axes, footprint_of(size, footprint, len(axes)), origin)
    if not isinstance(mode, str) and isinstance(mode, Iterable):
        mode = spread(each(mode, len(axes)), axes, input.ndim, "constant")
    count = int(footprint.sum())
    if operation == "median":
        rank = count // 2
    elif operation == "percentile":
        percentile = rank + 100.0 if rank < 0.0 else rank
        if percentile < 0 or percentile > 100:
            raise RuntimeError(f"invalid percentile: {rank}")
        rank = count - 1 if percentile == 100.0 else int(float(count) * percentile / 100.0)
    if rank < 0:
        rank += count
    if rank < 0 or rank >= count:
        raise RuntimeError("rank not within filter footprint size")
    if rank == 0:
        return minimum_filter(input, None, footprint, output, mode, cval, origins)
    if rank == count - 1:
        return maximum_filter(input, None, footprint, output, mode, cval, origins)
    output = make_output(output, input)
    window = centred(footprint, one_mode(mode, " by non-separable rank filters"), cval, origins)
    if input.size == 0:
        return output
    if not (input.ndim == 1 and input.dtype == np.float16):
        check_type(input, output)
    if input.ndim == 1 and input.dtype.kind in "biu" and window.mode == "constant" and not win.holds(input.dtype, cval):
        # SciPy compares 64-bit integers here, and elements of the input's dtype in more dimensions.
        input = input.astype(np.int64)
    elif input.dtype == np.float16:
        input = input.astype(np.float32)
    elif input.dtype.kind == "b":
        input = input.astype(np.uint8)
    rule = Filter(functools.partial(_select, rank), widens=False, in_bands=True, is_checked=True)
    return filtered(rule, input, window, output)


def _select(rank: int, wide: ndarray, window: Window, output: ndarray) -> None:
    """The elements of a rank in the windows of an extended array."""
    footprint = window.weights
    count = int(footprint.sum())
    places = win.places(footprint)
    if count <= win.MOST_VIEWS:
        views = [win.view(wide, place, output.shape) for place in places]
        win.combined(_select_of_views, views, key=(rank, output.dtype.name), out=output)
    elif count > _MOST_SORTED and (found := _of_planes(wide, footprint, rank)) is not None:
        output[...] = found
    elif wide.dtype.itemsize == 1 and footprint.all() and way("ranks by histogram", wide, count):
        layer = _core.array(np.ravel_multi_index(tuple(np.argwhere(footprint[:1]).T), wide.shape))
        shape = (-(-output.shape[0] // _RUN), *output.shape[1:])
        step = wide.size // wide.shape[0]
        found = output if not _core.may_share_memory(wide, output) else _core.empty(output.shape, output.dtype)
        _select_by_histogram(
            wide,
            wide.reshape(-1),
            layer,
            found,
            footprint.shape[0],
            step,
            rank,
            _RUN,
            shape=shape,
            is_large=count > 65535,
        )
        if found is not output:
            output[...] = found
    elif count <= _MOST_SORTED:
        _select_by_network(
            wide, shape=output.shape, out=output, places=tuple(places), rank=rank, dtype=output.dtype.name
        )
    else:
        offsets = _core.array(np.ravel_multi_index(tuple(np.array(places).T), wide.shape))
        _select_by_bits(wide, wide.reshape(-1), offsets, rank, shape=output.shape, out=output, dtype=output.dtype.name)


def rank_filter(
    input: ArrayLike,
    rank: int,
    size: Any = None,
    footprint: Any = None,
    output: Any = None,
    mode: Any = "reflect",
    cval: float = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> ndarray:
    """The elements of a rank in windows. See `scipy.ndimage.rank_filter`.

    Parameters
    ----------
    rank : int
        0 for the smallest; negative ones count from the largest, -1.

    Returns
    -------
    ndarray
        Of the shape of `input`. Integers of 64 bits are compared exactly.

    Raises
    ------
    RuntimeError
        If neither size nor footprint is given, or the rank is not in the window.
    TypeError
        If `input` is complex.
    ValueError
        If `origin` leaves the window.

    >>> cp.scipy.ndimage.rank_filter(cp.asarray([2, 8, 0, 4, 1, 9, 9, 0]), rank=1, size=3)
    array([2, 2, 4, 1, 4, 9, 9, 0])
    """
    return _filter(input, operator.index(rank), size, footprint, output, mode, cval, origin, axes, "rank")


def median_filter(
    input: ArrayLike,
    size: Any = None,
    footprint: Any = None,
    output: Any = None,
    mode: Any = "reflect",
    cval: float = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> ndarray:
    """The medians of windows, of even ones the larger of both middle elements.

    Parameters, results and errors are those of `rank_filter`.

    >>> cp.scipy.ndimage.median_filter(cp.asarray([[5, 3, 8], [1, 9, 7], [4, 6, 2]]), size=3)
    array([[5, 5, 8],
           [4, 5, 7],
           [4, 4, 6]])
    """
    return _filter(input, 0, size, footprint, output, mode, cval, origin, axes, "median")


def percentile_filter(
    input: ArrayLike,
    percentile: float,
    size: Any = None,
    footprint: Any = None,
    output: Any = None,
    mode: Any = "reflect",
    cval: float = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> ndarray:
    """The elements of a percentile in windows. See `scipy.ndimage.percentile_filter`.

    Parameters
    ----------
    percentile : float
        0 for the smallest, 100 for the largest; negative ones count from 100.

    Returns
    -------
    ndarray
        Of the shape of `input`.

    Raises
    ------
    RuntimeError
        If neither size nor footprint is given, or the percentile is not between -100 and 100.
    TypeError
        If `input` is complex.

    >>> cp.scipy.ndimage.percentile_filter(cp.asarray([2, 8, 0, 4, 1, 9, 9, 0]), percentile=20, size=3)
    array([2, 0, 0, 0, 1, 1, 0, 0])
    """
    return _filter(input, percentile, size, footprint, output, mode, cval, origin, axes, "percentile")
