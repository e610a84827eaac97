"""Padding arrays at their edges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.conversions import as_array, counting, slice_axis
from .._typing import ArrayLike
from .iterators import ndindex
from .quantiles import median
from .ranges import linspace
from .shapes import moveaxis

__all__ = ["pad"]

Pair = tuple[Any, Any]

_ARGUMENTS = {
    "constant": "constant_values",
    "edge": None,
    "empty": None,
    "linear_ramp": "end_values",
    "maximum": "stat_length",
    "mean": "stat_length",
    "median": "stat_length",
    "minimum": "stat_length",
    "reflect": "reflect_type",
    "symmetric": "reflect_type",
    "wrap": None,
}
# What the boundary modes are called that go on with elements of the array.
_BOUNDARIES = {"edge": "nearest", "reflect": "mirror", "symmetric": "reflect", "wrap": "wrap"}
_STATISTICS: dict[str, Callable[..., ndarray]] = {
    "maximum": lambda chunk, axis: chunk.max(axis, keepdims=True),
    "minimum": lambda chunk, axis: chunk.min(axis, keepdims=True),
    "mean": lambda chunk, axis: chunk.mean(axis, keepdims=True),
    "median": lambda chunk, axis: median(chunk, axis, keepdims=True),
}


def pad(array: ArrayLike, pad_width: Any, mode: str | Callable[..., None] = "constant", **kwargs: Any) -> ndarray:
    """`array` with `pad_width` elements added before and after each axis.

    `pad_width` is a number, a pair, a pair for each axis, or a dictionary of these by axis. `mode` is "constant"
    (`constant_values`), "edge", "linear_ramp" (`end_values`), "maximum", "mean", "median" or "minimum" (`stat_length`),
    "reflect" or "symmetric" (`reflect_type` "even" or "odd"), "wrap", "empty", or a function as NumPy describes it.

    Parameters
    ----------
    pad_width : int, sequence or dict
        The number of elements before and after.
    mode : str or callable
        What they are.
    **kwargs
        The options of the mode.

    >>> cp.pad(cp.asarray([1, 2, 3]), 2, mode="reflect")
    array([3, 2, 1, 2, 3, 2, 1])
    """
    array = as_array(array)
    widths = _widths(pad_width, array.ndim)
    if callable(mode):
        return _pad_by_function(array, widths, mode, kwargs)
    if mode not in _ARGUMENTS:
        raise ValueError(f"mode '{mode}' is not supported")
    unsupported = set(kwargs) - {_ARGUMENTS[mode]}
    if unsupported:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unsupported}")
    if mode not in ("constant", "empty") and array.size == 0:
        for axis, width in enumerate(widths):
            if array.shape[axis] == 0 and any(width):
                raise ValueError(f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'")
    if mode in _BOUNDARIES and array.size and kwargs.get("reflect_type", "even") != "odd":
        return _pad_edges(array, widths, _BOUNDARIES[mode])
    padded, inside = _frame(array, widths)
    if mode == "empty" or (array.size == 0 and mode != "constant"):
        return padded
    if mode == "constant":
        values = _pairs(kwargs.get("constant_values", 0), array.ndim)
    elif mode == "linear_ramp":
        values = _pairs(kwargs.get("end_values", 0), array.ndim)
    elif mode in _STATISTICS:
        length = kwargs.get("stat_length")
        values = [(None, None)] * array.ndim if length is None else _widths(length, array.ndim, "stat_length")
    else:
        values = [(None, None)] * array.ndim
    for axis, (width, value) in enumerate(zip(widths, values, strict=True)):
        # Corners belong to later axes, so each axis extends what the ones before it have filled.
        region = padded[(slice(None),) * (axis + 1) + inside[axis + 1 :]]
        if mode == "constant":
            _set_edges(region, axis, width, value)
        elif mode == "linear_ramp":
            _set_edges(region, axis, width, _ramps(region, axis, width, value))
        elif mode in _STATISTICS:
            _set_edges(region, axis, width, _statistics(region, axis, width, value, mode))
        else:
            _reflect_oddly(region, axis, width, mode == "symmetric")
    return padded


def _pad_edges(array: ndarray, widths: Sequence[tuple[int, int]], boundary: str) -> ndarray:
    if array.dtype.kind != "V":
        return _core.pad_edges(array, widths, boundary)
    # Records: where each element comes from is the same question of an array of places.
    padded, _ = _frame(array, widths)
    source = array
    for axis, width in enumerate(widths):
        places = _core.pad_edges(counting(array.shape[axis]), [width], boundary)
        source = source.take(places, axis=axis)
    padded[...] = source
    return padded


def _widths(pad_width: Any, ndim: int, name: str = "pad_width") -> list[tuple[int, int]]:
    """The widths as a pair of integers for each axis."""
    if isinstance(pad_width, ndarray):
        pad_width = pad_width.tolist()
    if isinstance(pad_width, dict):
        pairs = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            pairs[axis] = (width, width) if isinstance(width, int) else width
        pad_width = pairs
    host = np.asarray(pad_width)
    if host.dtype.kind not in "iu":
        if name == "stat_length":
            host = np.round(host).astype(np.intp)
        else:
            raise TypeError("`pad_width` must be of integral type.")
    if host.size and host.min() < 0:
        raise ValueError("index can't contain negative values")
    return _pairs(host, ndim)


def _pairs(values: Any, ndim: int) -> list[Pair]:
    """A value, a pair or pairs, as a pair for each axis."""
    host = np.asarray(values.tolist() if isinstance(values, ndarray) else values)
    if host.size in (1, 2) and host.shape != (2, 1) and host.ndim < 3:
        # Scalars of NumPy, as there, which become elements by rules of their own.
        return [(host.flat[0], host.flat[host.size - 1])] * ndim
    return [(before, after) for before, after in np.broadcast_to(host, (ndim, 2)).tolist()]


def _frame(array: ndarray, widths: Sequence[tuple[int, int]]) -> tuple[ndarray, tuple[slice, ...]]:
    """An uninitialised array of the padded shape that has `array` inside, and where that is."""
    lengths = [before + length + after for length, (before, after) in zip(array.shape, widths, strict=True)]
    padded = _core.empty(lengths, array.dtype, "F" if array.flags.fnc else "C")
    inside = tuple(slice(before, before + n) for n, (before, _) in zip(array.shape, widths, strict=True))
    padded[inside] = array
    return padded, inside


def _set_edges(region: ndarray, axis: int, width: tuple[int, int], values: Pair) -> None:
    before, after = width
    length = region.shape[axis]
    for part, value in ((slice(0, before), values[0]), (slice(length - after, length), values[1])):
        if part.start < part.stop:
            slice_axis(region, axis, part)[...] = value


def _ramps(region: ndarray, axis: int, width: tuple[int, int], ends: Pair) -> Pair:
    before, after = width
    inner = slice_axis(region, axis, slice(before, region.shape[axis] - after))
    edges = slice_axis(inner, axis, 0), slice_axis(inner, axis, -1)
    left, right = (
        linspace(end, edge, count, endpoint=False, dtype=region.dtype, axis=axis)
        for end, edge, count in zip(ends, edges, width, strict=True)
    )
    return left, slice_axis(right, axis, slice(None, None, -1))


def _statistics(region: ndarray, axis: int, width: tuple[int, int], lengths: Pair, mode: str) -> Pair:
    before, after = width
    inner = slice_axis(region, axis, slice(before, region.shape[axis] - after))
    whole = inner.shape[axis]
    counts = [whole if length is None else min(length, whole) for length in lengths]
    if 0 in counts and mode in ("maximum", "minimum"):
        raise ValueError("stat_length of 0 yields no value for padding")

    def value(part: slice) -> ndarray:
        result = _STATISTICS[mode](slice_axis(inner, axis, part), axis)
        return result.round() if region.dtype.kind in "iu" else result

    left = value(slice(0, counts[0]))
    return left, left if counts == [whole, whole] else value(slice(whole - counts[1], whole))


def _reflect_oddly(region: ndarray, axis: int, width: tuple[int, int], include_edge: bool) -> None:
    """Extends by twice the edge less the reflection, in steps as long as what is there already."""
    before, after = width
    length = region.shape[axis]
    original = length - before - after
    if original == 1:
        inner = slice_axis(region, axis, slice(before, before + 1))
        _set_edges(region, axis, width, (inner, inner))
        return
    offset = 0 if include_edge else 1
    period = original - offset

    def extend(view: ndarray, missing: int, filled: int) -> int:
        """Fills the `missing` first elements of a view from the ones after; returns how many it filled."""
        chunk = min((filled - offset) // period * period, missing)
        edge = slice_axis(view, axis, slice(missing, missing + 1))
        source = slice_axis(view, axis, slice(missing + offset, missing + offset + chunk))
        target = slice_axis(view, axis, slice(missing - chunk, missing))
        target[...] = 2 * edge - slice_axis(source, axis, slice(None, None, -1))
        return chunk

    reverse = slice_axis(region, axis, slice(None, None, -1))
    while before or after:
        filled = length - before - after
        if before:
            before -= extend(region, before, filled)
        if after:
            after -= extend(reverse, after, filled)


def _pad_by_function(
    array: ndarray, widths: Sequence[tuple[int, int]], function: Callable[..., None], kwargs: dict[str, Any]
) -> ndarray:
    """Calls the user's function for each vector along each axis, as NumPy documents it."""
    padded, inside = _frame(array, widths)
    result = _core.zeros_like(padded)
    result[inside] = array
    for axis in range(result.ndim):
        view = moveaxis(result, axis, -1)
        for index in ndindex(view.shape[:-1]):
            function(view[index], widths[axis], axis, kwargs)
    return result
