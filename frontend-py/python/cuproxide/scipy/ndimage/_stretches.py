"""Squared Euclidean distances to the background on devices with many threads.

Along the first axis, each thread sweeps over a band of a line, forwards and backwards. Along the other axes, a line is
cut into stretches. The nearest site of a later place never lies before that of an earlier place. So the nearest sites
of a stretch lie between those of its first place and of the first place of the next stretch. A thread passes over the
sites in this range once, and keeps the least square of each place of its stretch in registers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib import kernel as k

# Places of a stretch: more places take more registers, fewer places take more searches for ends.
_STRETCH = 16
# Places that a sweep loads at once.
_AT_ONCE = 8

FARTHEST = 1 << 30
"""Larger than all squares that are stored as integers; the sum of two such numbers does not overflow."""

# ------------------------------------------------------------------------------------------------------ the first axis


@k.kernel
def _ends_of_bands(foreground: k.Array[1], width: int):
    """The first and the last background of each band; for bands without background, places far outside the line."""
    length = foreground.shape[0]
    band, _ = k.coordinates()
    begin = band * width
    first, last = 2 * length, -length
    for i in k.steps(begin, k.minimum(begin + width, length)):
        if not foreground[i]:
            first, last = k.minimum(first, i), i
    return first, last


@k.kernel
def _around_bands(first: k.Out[1], last: k.Out[1], length: int):
    """The last background before each band and the first one after it, in place."""
    bands = first.shape[0]
    before = -length
    for band in k.steps(bands):
        own = last[band]
        last[band] = before
        before = k.maximum(before, own)
    after = 2 * length
    for band in k.steps(bands - 1, -1, -1):
        own = first[band]
        first[band] = after
        after = k.minimum(after, own)


@k.function
def _sweep(foreground, before, after, found, features, width, step):
    """Squares of a band: a forward sweep finds the background before each place, a backward sweep the nearest one."""
    band, inner = k.coordinates()
    length = foreground.shape[0]
    begin = band * width
    end = k.minimum(begin + width, length)
    # A compiler keeps the order of loads and stores. With several loads before the stores, a thread waits less often.
    for start in k.steps(begin, end, _AT_ONCE):
        kinds = tuple(foreground[k.minimum(start + m, end - 1)] for m in range(_AT_ONCE))
        for m in range(_AT_ONCE):
            i = start + m
            before = k.where(kinds[m], before, i)
            if i < end:
                found[i, inner] = (i - before).astype(found.dtype)
    for turn in k.steps((end - begin - 1) // _AT_ONCE, -1, -1):
        start = begin + turn * _AT_ONCE
        all_apart = tuple(found[k.minimum(start + m, end - 1), inner] for m in range(_AT_ONCE))
        for m in range(_AT_ONCE - 1, -1, -1):
            i = start + m
            if i < end:
                apart = all_apart[m].astype("int64")
                after = k.where(apart == 0, i, after)
                # Of two equally near places, the first wins.
                is_before = apart <= after - i
                place = k.where(is_before, i - apart, after)
                apart = k.minimum(apart, after - i)
                exists = apart < length
                found[i, inner] = k.where(exists, square(apart, step, found.dtype), -1).astype(found.dtype)
                if features is not None:
                    size = features.shape[1]
                    features[i, inner] = k.where(exists, place * size + inner, -1).astype(features.dtype)


@k.kernel
def _swept(foreground: k.Array[1], before: k.Each, after: k.Each, found: k.Out[2], width: int, step: float):
    _sweep(foreground, before, after, found, None, width, step)


@k.kernel
def _swept_features(
    foreground: k.Array[1], before: k.Each, after: k.Each, found: k.Out[2], features: k.Out[2], width: int, step: float
):
    _sweep(foreground, before, after, found, features, width, step)


def square(apart: Any, step: Any, kind: Any) -> Any:
    """The square of a distance in places; exact for integers, where the step is 1. For kernels."""
    along = apart.astype(kind)
    if kind == np.float64:
        along = along * step
    return along * along


def first_axis(
    foreground: ndarray, found: ndarray, features: ndarray | None, step: float, width: Callable[[int, int], int]
) -> None:
    """Stores squared distances, and the positions of the nearest background in C order, along the first axis."""
    length = foreground.shape[0]
    flat: list[Any] = [None if a is None else a.reshape(length, -1) for a in (foreground, found, features)]
    inner = flat[0].shape[1]
    places = width(length, inner)
    bands = -(-length // places)
    lines = flat[0].T[None]
    before: Any = -length
    after: Any = 2 * length
    if bands > 1:
        after, before = _ends_of_bands(lines, places, shape=(bands, inner))
        _around_bands(after.T, before.T, length, shape=(inner,))
    kernel = _swept if features is None else _swept_features
    outputs = [a for a in flat[1:] if a is not None]
    kernel(lines, before, after, *outputs, places, step, shape=(bands, inner))


# ----------------------------------------------------------------------------------------------------- the other axes


@k.kernel
def _nearest_of_ends(squares: k.Array[1], far: k.Out[2], reach: int, step: float, *, narrow):
    """The nearest site of the first place of each stretch, and of the line's last place: the first of several.

    -1 if the line has no site. If the nearest site lies beyond `reach`, the line is marked as `far`.
    """
    length = squares.shape[0]
    word = "int32" if narrow else "int64"
    outer, stretch, inner = k.coordinates()
    i = k.minimum(stretch * _STRETCH, length - 1).astype(word)
    end = length.astype(word)
    best_place = k.value(-1, word)
    # Once one thread has marked the line, the others need not search.
    if far[outer, inner] == 0:
        kind = squares.dtype
        here = squares[i]
        best = k.where(here >= 0, here, _none(kind))
        best_place = k.where(here >= 0, i, best_place)
        r = k.value(1, word)
        distance = square(r, step, kind)
        last = k.maximum(i, end - 1 - i)
        limit = k.minimum(last, reach.astype(word))  # type: ignore[attr-defined]
        while (r <= limit) & (distance <= best):
            left = squares[k.maximum(i - r, 0)]
            is_left = (i >= r) & (left >= 0) & (left + distance <= best)
            best = k.where(is_left, left + distance, best)
            best_place = k.where(is_left, i - r, best_place)
            right = squares[k.minimum(i + r, end - 1)]
            is_right = (i + r < end) & (right >= 0) & (right + distance < best)
            best = k.where(is_right, right + distance, best)
            best_place = k.where(is_right, i + r, best_place)
            r = r + 1
            distance = square(r, step, kind)
        if (r <= last) & (distance <= best):
            far[outer, inner] = 1
    return best_place


def _none(kind: Any) -> Any:
    return k.value(np.inf if kind == np.float64 else np.iinfo(kind).max, kind.name)


@k.function
def _fill(far, squares, ends, found, features, found_features, step, fallback, narrow, finish):
    """The least square of each place of a stretch, unless its line is far."""
    outer, stretch, inner = k.coordinates()
    if far == 0:
        length = squares.shape[0]
        kind = squares.dtype
        begin = stretch * _STRETCH
        low, high = ends[stretch].astype("int64"), ends[stretch + 1].astype("int64")
        best = k.local_array(_STRETCH, _none(kind))
        nearest = k.local_array(_STRETCH, k.value(0, "int32" if narrow else "int64"))
        exists = low >= 0
        if exists:
            for j in k.steps(low, high + 1):
                height = squares[j]
                if kind == np.float64:
                    height = k.where(height >= 0, height, np.inf)
                    base = height
                else:
                    # (d - m)^2 = d^2 - 2 m d + m^2; the last term is added at the end.
                    apart = (j - begin).astype(kind)
                    base = k.where(height >= 0, height, FARTHEST) + apart * apart
                for m in range(_STRETCH):
                    if kind == np.float64:
                        along = (j - begin - m).astype(kind) * step
                        value = base + along * along
                    else:
                        value = base - apart * (2 * m)
                    if features is None:
                        best[m] = k.minimum(best[m], value)
                    else:
                        is_better = value < best[m]
                        best[m] = k.where(is_better, value, best[m])
                        nearest[m] = k.where(is_better, j.astype(nearest.dtype), nearest[m])
        for m in range(_STRETCH):
            i = begin + m
            if i < length:
                least = best[m] if kind == np.float64 else best[m] + m * m
                found[outer, i, inner] = finish(exists, least, i, fallback, step).astype(found.dtype)
                if features is not None:
                    found_features[outer, i, inner] = k.where(exists, features[nearest[m].astype("int64")], -1)


@k.kernel
def _filled(
    far: k.Each, squares: k.Array[1], ends: k.Array[1], found: k.Out[3], step: float, fallback: k.Each,
    *, narrow, finish,
):  # fmt: skip
    _fill(far, squares, ends, found, None, None, step, fallback, narrow, finish)


@k.kernel
def _filled_features(
    far: k.Each, squares: k.Array[1], ends: k.Array[1], found: k.Out[3], features: k.Array[1],
    found_features: k.Out[3], step: float, fallback: k.Each, *, narrow, finish,
):  # fmt: skip
    _fill(far, squares, ends, found, features, found_features, step, fallback, narrow, finish)


@k.function
def squares(exists, least, i, fallback, step):
    """The result of every pass except the last: the square, or -1 without background."""
    return k.where(exists, least, -1)


@k.function
def distances(exists, least, i, fallback, step):
    """The result of the last pass: the distance; without background the distance to place -1, as in SciPy."""
    along = i.astype("float64") * step
    return k.sqrt(k.where(exists, least.astype("float64"), fallback + along * along))


def pass_of_stretches(
    far: ndarray, squares: ndarray, places: list[ndarray], reach: int, step: float, fallback: Any, finish: Any
) -> None:
    """One pass along the last axis of `squares`. It marks lines as `far` and stores nothing for these.

    `places` are the results, the positions of the background before the pass (with lines as the last axis), and after.
    """
    outer, length, inner = places[0].shape
    count = -(-length // _STRETCH)
    narrow = max(outer * (count + 1) * inner, 2 * length) < 2**31
    options: dict[str, Any] = {"narrow": narrow}
    ends = _nearest_of_ends(squares, far.reshape(outer, inner), reach, step, shape=(outer, count + 1, inner), **options)
    ends = _core.moveaxis(ends[:, None], 2, -1)
    kernel = _filled if len(places) == 1 else _filled_features
    kernel(far, squares, ends, *places, step, fallback, finish=finish, shape=(outer, count, inner), **options)
