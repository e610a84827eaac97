"""Squared Euclidean distances to the background: lower envelopes of parabolas along each axis.

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
from ._common import for_lines, lined_up

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

# A thread looks for the background on both sides of its own element, so far that most images need no more. Lines in
# which one does not find it are cut into bands (Cao, Tang, Mohamed and Tan 2010).
_REACH = 32
# Places of a band, at least, and bands of an array that keep a device busy.
_WIDTH, _BANDS = 64, 2**17


@k.function
def _look(squares, found, far, features, found_features, length, inner, reach, step, index):
    point = k.index().astype(index)
    by = inner.astype(index)
    rest = point // by
    line = rest // length.astype(index)
    column = (point - rest * by).astype("int64")
    i = (rest - line * length.astype(index)).astype("int64")
    base = line.astype("int64") * length * inner + column
    own = line.astype("int64") * inner + column
    # Once one thread of a line has given up, the rest of the line need not look.
    if far[own] == 0:
        kind = squares.dtype
        none = k.value(np.inf if kind == np.float64 else np.iinfo(kind).max, kind.name)
        here = squares[base + i * inner]
        best = k.where(here >= 0, here, none)
        place = i
        r = k.value(1, "int64")
        distance = _square(r, step, kind)
        last = k.maximum(i, length - 1 - i)
        while (r <= last) & (r <= reach) & (distance <= best):
            left = squares[base + k.maximum(i - r, 0) * inner]
            # Of places that are equally near, the first.
            is_left = (i >= r) & (left >= 0) & (left + distance <= best)
            best = k.where(is_left, left + distance, best)
            place = k.where(is_left, i - r, place)
            right = squares[base + k.minimum(i + r, length - 1) * inner]
            is_right = (i + r < length) & (right >= 0) & (right + distance < best)
            best = k.where(is_right, right + distance, best)
            place = k.where(is_right, i + r, place)
            r = r + 1
            distance = _square(r, step, kind)
        if (r <= last) & (distance <= best):
            far[own] = 1
        exists = best < none
        found[base + i * inner] = k.where(exists, best, k.value(-1, kind.name))
        if features is not None:
            found_features[base + i * inner] = k.where(exists, features[base + place * inner], -1)


def _square(apart: Any, step: Any, kind: Any) -> Any:
    """The square of a distance of places, exact in integers if steps are 1."""
    along = apart.astype(kind)
    if kind == np.float64:
        along = along * step
    return along * along


@k.kernel
def _nearby(
    squares: k.Array[1], found: k.Out[1], far: k.Out[1], length: int, inner: int, reach: int, step: float, *, index
):
    _look(squares, found, far, None, None, length, inner, reach, step, index)


@k.kernel
def _nearby_features(
    squares: k.Array[1], found: k.Out[1], far: k.Out[1], features: k.Array[1], found_features: k.Out[1],
    length: int, inner: int, reach: int, step: float, *, index,
):  # fmt: skip
    _look(squares, found, far, features, found_features, length, inner, reach, step, index)


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
def _look_up(far, squares, nearest, first, past, count, found, features, found_features, width, step):
    """The nearest site of each place of a band: that of the first place by bisection, then from one to the next."""
    outer, band, inner = k.coordinates()
    length = squares.shape[0]
    begin = band * width
    end = k.minimum(begin + width, length)
    if far != 0 and count == 0:
        for i in k.steps(begin, end):
            found[outer, i, inner] = -1
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
            found[outer, i, inner] = best.astype(found.dtype)
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
    found: k.Out[3], width: int, step: float,
):  # fmt: skip
    _look_up(far, squares, nearest, first, past, count, found, None, None, width, step)


@k.kernel
def _looked_up_features(
    far: k.Each, squares: k.Array[1], nearest: k.Array[1], first: k.Array[1], past: k.Array[1], count: k.Each,
    found: k.Out[3], features: k.Array[1], found_features: k.Out[3], width: int, step: float,
):  # fmt: skip
    _look_up(far, squares, nearest, first, past, count, found, features, found_features, width, step)


def _width(length: int, lines: int) -> int:
    """How many places a band has.

    Threads of a band go through its places, those that join bands through the bands of a line: both are few if they are
    as many. Many lines need no more bands than keep the device busy.
    """
    return max(_WIDTH, math.isqrt(length), -(-length * lines // _BANDS))


def _pass_of_bands(
    squares: ndarray, features: ndarray | None, axis: int, step: float
) -> tuple[ndarray, ndarray | None]:
    """One pass along an axis of arrays in C order, for devices with many threads."""
    shape = squares.shape
    length, outer, inner = shape[axis], math.prod(shape[:axis]), math.prod(shape[axis + 1 :])
    found = _core.empty(shape, squares.dtype)
    far = _core.zeros((outer, 1, inner), np.int8)
    more = [] if features is None else [features, _core.empty(shape, features.dtype)]
    kernel = _nearby_features if more else _nearby
    index = "uint32" if squares.size < 2**32 else "uint64"
    flat = [a.reshape(-1) for a in (squares, found, far, *more)]
    kernel(*flat, length, inner, _REACH, step, index=index, shape=(squares.size,))
    found_features = more[1] if more else None
    if length <= _REACH + 1:
        return found, found_features
    width = _width(length, outer * inner)
    bands = -(-length // width)

    def lines(a: ndarray) -> ndarray:
        """Lines as the last axis, the same ones for all bands."""
        return _core.moveaxis(a.reshape(outer, -1, 1, inner), 1, -1)

    sites = _core.empty((outer, bands, width, inner), np.int32 if length < 2**31 else np.int64)
    first, past = _sites_of_bands(
        far, lines(squares), _core.moveaxis(sites, 2, -1), width, step, shape=(outer, bands, inner)
    )
    shared = [far, lines(squares), lines(sites), lines(first), lines(past)]
    count = _joined(*shared, step)
    places = [a.reshape(outer, length, inner) for a in (found, *more[1:])]
    if more:
        places.insert(1, lines(more[0]))
    (_looked_up_features if more else _looked_up)(*shared, count, *places, width, step, shape=(outer, bands, inner))
    return found, found_features


# ----------------------------------------------------------------------------------------------------------- all axes


def nearest_background(
    foreground: ndarray, steps: Sequence[float], wants_features: bool
) -> tuple[ndarray, ndarray | None]:
    """Squared distances to the nearest background, and its positions in C order; -1 where there is no background."""
    shape, size = foreground.shape, foreground.size
    beside = way("distances of lines", foreground) == "bands"
    # Where memory limits the speed, integers of half the size if they hold all squares.
    is_whole = beside and all(step == 1 for step in steps) and sum((n - 1) ** 2 for n in shape) < 2**31 - 1
    squares = _core.where(foreground, -1.0, 0.0).astype(np.int32 if is_whole else np.float64, copy=False)
    position = np.int32 if size < 2**31 else np.int64
    features = _core.arange(0, 1, size, position).reshape(shape) if wants_features else None
    one_pass = _pass_of_bands if beside else _pass_of_lines
    for axis in range(foreground.ndim if size else 0):
        squares, features = one_pass(squares, features, axis, float(steps[axis]))
    # In C order, whatever the last pass needed.
    return _core.array(squares, order="C", copy=None), features
