"""Squared Euclidean distances to the background: lower envelopes of parabolas along each axis.

Devices with many threads take most lines another way, by the file `_stretches.py`.

Along a line, the squared distance of place i is the least of height[j] + (step * (i - j))^2 over all places j. Heights
are the squared distances in the axes before. Places whose parabolas are the lowest somewhere are the line's *sites*.
Squared distances are negative where there is no background.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.routes import way
from ..._lib.ufuncs import NUMPY as ufuncs
from . import _stretches
from ._common import copy_to, for_lines, lined_up

# ------------------------------------------------------------------------------------------------------- one envelope


@k.function
def _is_hidden(before, height_before, place, height, after, height_after, step):
    """Whether the parabola of `place` is nowhere below both of its neighbours."""
    a = (place - before).astype("float64") * step
    b = (after - place).astype("float64") * step
    c = a + b
    return c * height - b * height_before - a * height_after - a * b * c > 0.0


@k.function
def _height(squares, place):
    return squares[place].astype("float64")


@k.function
def _at(place, height, i, step):
    """A parabola at place i."""
    distance = (place - i).astype("float64") * step
    return height + distance * distance


@k.function
def _sites(squares, nearest, begin, end, step):
    """Stores the sites of the places from `begin` on, in their order, and counts them (Maurer, Qi, Raghavan 2003)."""
    top = k.value(-1)
    place, before = k.value(0), k.value(0)
    height, height_before = k.value(0.0, "float64"), k.value(0.0, "float64")
    for i in k.steps(begin, end):
        square = _height(squares, i)
        if square >= 0:
            hidden = top >= 1
            while hidden:
                hidden = _is_hidden(before, height_before, place, height, i, square, step)
                if hidden:
                    top = top - 1
                    place, height = before, height_before
                    if top >= 1:
                        before = nearest[top - 1].astype("int64")
                        height_before = _height(squares, before)
                    else:
                        hidden = False
            top = top + 1
            nearest[top] = i
            before, height_before = place, height
            place, height = i, square
    return top + 1


@k.function
def _envelope(squares, nearest, found, step, features, found_features):
    """The envelope of a line: its sites, then for each place the nearest, of several the first."""
    n = squares.shape[0]
    top = _sites(squares, nearest, 0, n, step) - 1
    if top >= 0:
        at = k.value(0)
        place = nearest[0].astype("int64")
        height = _height(squares, place)
        for i in k.steps(n):
            best = _at(place, height, i, step)
            looking = at < top
            while looking:
                next_place = nearest[at + 1].astype("int64")
                next_height = _height(squares, next_place)
                other = _at(next_place, next_height, i, step)
                looking = best > other
                if looking:
                    at = at + 1
                    place, height, best = next_place, next_height, other
                    looking = at < top
            found[i] = best
            if features is not None:
                found_features[i] = features[place]
    else:
        for i in k.steps(n):
            found[i] = -1.0
            if features is not None:
                found_features[i] = -1


@k.kernel
def _distances(squares: k.Array[1], nearest: k.Out[1], found: k.Out[1], step: float):
    _envelope(squares, nearest, found, step, None, None)


@k.kernel
def _distances_and_features(
    squares: k.Array[1], nearest: k.Out[1], found: k.Out[1], features: k.Array[1], found_features: k.Out[1], step: float
):
    _envelope(squares, nearest, found, step, features, found_features)


def _pass_of_lines(
    squares: ndarray, features: ndarray | None, axis: int, step: float
) -> tuple[ndarray, ndarray | None]:
    """One pass along an axis in which each thread takes lines as a whole."""
    squares = lined_up(squares, axis)
    scratch = for_lines(squares, axis, np.int32 if squares.shape[axis] < 2**31 else np.int64)
    found = for_lines(squares, axis, squares.dtype)
    operands = [squares, scratch, found]
    if features is not None:
        operands += [lined_up(features, axis), for_lines(squares, axis, features.dtype)]
        features = operands[-1]
    lines = [_core.moveaxis(a, axis, -1) for a in operands]
    kernel = _distances if features is None else _distances_and_features
    kernel(*lines, step, shape=lines[0].shape[:-1])
    return found, features


# ------------------------------------------------------------------------------------------ devices with many threads

# How far the ends of stretches search for the background, to both sides: enough for most images. A line in which an end
# finds none is cut into bands (Cao, Tang, Mohamed and Tan 2010).
_REACH = 256
# Fewest places of a band, and the number of bands that keeps a device busy.
_WIDTH, _BANDS = 64, 2**17


@k.kernel
def _sites_of_bands(far: k.Each, squares: k.Array[1], nearest: k.Out[1], width: int, step: float):
    """The sites of each band, as if it were alone: where in the line's sites they begin and end."""
    band = k.coordinates()[1]
    begin, count = band * width, k.value(0)
    if far != 0:
        count = _sites(squares, nearest, begin, k.minimum(begin + width, squares.shape[0]), step)
    return begin, begin + count


@k.kernel
def _joined(far: k.Each, squares: k.Array[1], nearest: k.Array[1], first: k.Out[1], past: k.Out[1], step: float):
    """Joins the envelopes of a line's bands: how many bands have sites, which become the first ones.

    Two envelopes side by side cross once. So the left one loses sites at its end, the right one at its beginning.
    """
    kept = k.value(0)
    if far != 0:
        place, before = k.value(0), k.value(-1)
        height, height_before = k.value(0.0, "float64"), k.value(0.0, "float64")
        for band in k.steps(first.shape[0]):
            begin, end = first[band], past[band]
            if begin < end:
                after = nearest[begin].astype("int64")
                height_after = _height(squares, after)
                looking = kept > 0
                while looking:
                    looking = False
                    if before >= 0:
                        looking = _is_hidden(before, height_before, place, height, after, height_after, step)
                    if looking:
                        # The left one's last site is lost.
                        left = past[kept - 1] - 1
                        past[kept - 1] = left
                        if left == first[kept - 1]:
                            kept = kept - 1
                            left = past[kept - 1]
                        place, height = before, height_before
                        before = k.value(-1)
                        if left - 1 > first[kept - 1]:
                            before = nearest[left - 2].astype("int64")
                        elif kept > 1:
                            before = nearest[past[kept - 2] - 1].astype("int64")
                        height_before = _height(squares, k.maximum(before, 0))
                    elif begin + 1 < end:
                        second = nearest[begin + 1].astype("int64")
                        height_second = _height(squares, second)
                        looking = _is_hidden(place, height, after, height_after, second, height_second, step)
                        if looking:
                            begin = begin + 1
                            after, height_after = second, height_second
                first[kept] = begin
                past[kept] = end
                if end - begin > 1:
                    before = nearest[end - 2].astype("int64")
                    height_before = _height(squares, before)
                else:
                    before, height_before = k.where(kept > 0, place, -1), height
                kept = kept + 1
                place = nearest[end - 1].astype("int64")
                height = _height(squares, place)
    return kept


@k.function
def _is_better(squares, place, other, i, step):
    """Whether at place i the parabola of a site is below that of the one before it."""
    return _at(place, _height(squares, place), i, step) < _at(other, _height(squares, other), i, step)


@k.function
def _look_up(far, squares, nearest, first, past, count, found, features, found_features, width, step, fallback, finish):
    """The nearest site of each place of a band: that of the first place by bisection, then from one to the next."""
    outer, band, inner = k.coordinates()
    length = squares.shape[0]
    begin = band * width
    end = k.minimum(begin + width, length)
    if far != 0 and count == 0:
        for i in k.steps(begin, end):
            found[outer, i, inner] = finish(k.value(False), k.value(0.0), i, fallback, step).astype(found.dtype)
            if features is not None:
                found_features[outer, i, inner] = -1
    elif far != 0:
        low, high = k.value(0), count - 1
        while low < high:
            middle = (low + high + 1) >> 1
            site, other = nearest[first[middle]].astype("int64"), nearest[past[middle - 1] - 1].astype("int64")
            if _is_better(squares, site, other, begin, step):
                low = middle
            else:
                high = middle - 1
        part, at, last = low, first[low], past[low] - 1
        high = last
        while at < high:
            middle = (at + high + 1) >> 1
            site, other = nearest[middle].astype("int64"), nearest[middle - 1].astype("int64")
            if _is_better(squares, site, other, begin, step):
                at = middle
            else:
                high = middle - 1
        place = nearest[at].astype("int64")
        height = _height(squares, place)
        at, part, last, next_place, next_height = _next(squares, nearest, first, past, count, at, part, last)
        for i in k.steps(begin, end):
            best = _at(place, height, i, step)
            other = _at(next_place, next_height, i, step)
            while other < best:
                place, height, best = next_place, next_height, other
                at, part, last, next_place, next_height = _next(squares, nearest, first, past, count, at, part, last)
                other = _at(next_place, next_height, i, step)
            found[outer, i, inner] = finish(k.value(True), best, i, fallback, step).astype(found.dtype)
            if features is not None:
                found_features[outer, i, inner] = features[place]


@k.function
def _next(squares, nearest, first, past, count, at, part, last):
    """The site after one; after the last of all, an infinite height."""
    place, height = k.value(0), k.value(np.inf, "float64")
    at = at + 1
    exists = at <= last
    if not exists and part + 1 < count:
        part = part + 1
        at, last = first[part], past[part] - 1
        exists = at <= last
    if exists:
        place = nearest[at].astype("int64")
        height = _height(squares, place)
    return at, part, last, place, height


@k.kernel
def _looked_up(
    far: k.Each, squares: k.Array[1], nearest: k.Array[1], first: k.Array[1], past: k.Array[1], count: k.Each,
    found: k.Out[3], width: int, step: float, fallback: k.Each, *, finish,
):  # fmt: skip
    _look_up(far, squares, nearest, first, past, count, found, None, None, width, step, fallback, finish)


@k.kernel
def _looked_up_features(
    far: k.Each, squares: k.Array[1], nearest: k.Array[1], first: k.Array[1], past: k.Array[1], count: k.Each,
    found: k.Out[3], features: k.Array[1], found_features: k.Out[3], width: int, step: float, fallback: k.Each,
    *, finish,
):  # fmt: skip
    _look_up(far, squares, nearest, first, past, count, found, features, found_features, width, step, fallback, finish)


def _width(length: int, lines: int) -> int:
    """How many places a band has.

    Threads of a band go through its places, those that join bands through the bands of a line: both are few if they are
    as many. Many lines need no more bands than keep the device busy.
    """
    return max(_WIDTH, math.isqrt(length), -(-length * lines // _BANDS))


def _pass_of_bands(
    squares: ndarray, features: ndarray | None, axis: int, step: float, found: ndarray, fallback: Any
) -> ndarray | None:
    """One pass along an axis other than the first: squares, or with `fallback` distances.

    Arrays are C-contiguous. Returns the positions of the nearest background.
    """
    shape = squares.shape
    length, outer, inner = shape[axis], math.prod(shape[:axis]), math.prod(shape[axis + 1 :])
    found_features = None if features is None else _core.empty(shape, features.dtype)
    far = _core.zeros((outer, 1, inner), np.int8)

    def lines(a: ndarray) -> ndarray:
        """Lines as the last axis, the same ones for all bands."""
        return _core.moveaxis(a.reshape(outer, -1, 1, inner), 1, -1)

    places = [a.reshape(outer, length, inner) for a in (found, found_features) if a is not None]
    if features is not None:
        places.insert(1, lines(features))
    last: Any = (0.0, _stretches.squares) if fallback is None else (fallback, _stretches.distances)
    _stretches.pass_of_stretches(far, lines(squares), places, _REACH, step, *last)
    if length <= _REACH + 1:
        return found_features
    width = _width(length, outer * inner)
    bands = -(-length // width)
    sites = _core.empty((outer, bands, width, inner), np.int32 if length < 2**31 else np.int64)
    first, past = _sites_of_bands(
        far, lines(squares), _core.moveaxis(sites, 2, -1), width, step, shape=(outer, bands, inner)
    )
    shared = [far, lines(squares), lines(sites), lines(first), lines(past)]
    count = _joined(*shared, step)
    kernel = _looked_up if features is None else _looked_up_features
    kernel(*shared, count, *places, width, step, last[0], finish=last[1], shape=(outer, bands, inner))
    return found_features


# ----------------------------------------------------------------------------------------------------------- all axes


def _position(shape: Sequence[int]) -> type[np.integer[Any]]:
    return np.int32 if math.prod(shape) < 2**31 else np.int64


def _by_lines(foreground: ndarray, steps: Sequence[float], wants_features: bool) -> tuple[ndarray, ndarray | None]:
    shape, size = foreground.shape, foreground.size
    squares = _core.where(foreground, -1.0, 0.0)
    features = _core.arange(0, 1, size, _position(shape)).reshape(shape) if wants_features else None
    for axis in range(foreground.ndim if size else 0):
        squares, features = _pass_of_lines(squares, features, axis, float(steps[axis]))
    # In C order, whatever the last pass needed.
    return _core.array(squares, order="C", copy=None), features


def _by_bands(
    foreground: ndarray, steps: Sequence[float], wants_features: bool, last: ndarray | None
) -> tuple[ndarray, ndarray | None]:
    """Squares, or distances in the array `last`, if there is one."""
    shape = foreground.shape
    # The passes are memory-bound: int32 if it holds all squares.
    is_whole = all(step == 1 for step in steps) and sum((n - 1) ** 2 for n in shape) < _stretches.FARTHEST
    kind = np.int32 if is_whole else np.float64
    squares = _core.empty(shape, kind)
    features = _core.empty(shape, _position(shape)) if wants_features else None
    if not foreground.size:
        return squares, features
    foreground = _core.array(foreground, order="C", copy=None)
    _stretches.first_axis(foreground, squares, features, float(steps[0]), _width)
    for axis in range(1, len(shape)):
        is_last = last is not None and axis == len(shape) - 1
        found = last if is_last else _core.empty(shape, kind)
        beyond = _beyond(shape[:axis], steps).reshape(-1, 1, 1) if is_last else None
        features = _pass_of_bands(squares, features, axis, float(steps[axis]), found, beyond)
        squares = found
    return squares, features


def _beyond(shape: Sequence[int], steps: Sequence[float]) -> Any:
    """Squared distances to place -1 along the first axis: SciPy's results without background."""
    other: Any = 0.0
    for axis, (length, step) in enumerate(zip(shape, steps, strict=False)):
        places = _core.arange(1 if axis == 0 else 0, 1, length, np.float64) * step
        other = other + (places * places).reshape([-1] + [1] * (len(shape) - 1 - axis))
    return other


def nearest_background(
    foreground: ndarray,
    steps: Sequence[float],
    wants_distances: bool,
    wants_features: bool,
    dtype: Any,
    out: ndarray | None,
) -> tuple[ndarray | None, ndarray | None]:
    """Distances to the nearest background, in `out` or as a new array of `dtype`, and its positions in C order.

    Positions are -1 where there is no background.
    """
    shape = foreground.shape
    if way("distances of lines", foreground) == "bands":
        last = None
        if wants_distances and foreground.ndim > 1 and foreground.size:
            last = out if out is not None and out.flags.c_contiguous else _core.empty(shape, dtype)
        squares, features = _by_bands(foreground, steps, wants_features, last)
        if last is not None:
            return last if out is None or last is out else copy_to(out, last), features
    else:
        squares, features = _by_lines(foreground, steps, wants_features)
    if not wants_distances:
        return None, features
    squares = _core.where(squares < 0, _beyond(shape, steps), squares)
    if out is None:
        return ufuncs["sqrt"](squares).astype(dtype, copy=False), features
    return ufuncs["sqrt"](squares, out=out, casting="same_kind"), features
