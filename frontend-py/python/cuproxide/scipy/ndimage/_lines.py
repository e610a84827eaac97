"""Windows along one axis in one launch, for devices with many threads.

A thread computes several neighbouring results, so that what their windows share is read and converted once. Where the
axis runs along the memory, two neighbours of 32 bits move as one word of 64 bits. Threads whose windows lie in the line
read at constant distances; the others, few, look up what stands beyond the ends.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.kernel._build import build
from ..._lib.routes import way
from ._common import copy_to, stored

_WIDE = 2**31
"""Elements of an array whose positions take 64 bits."""
Combine = Callable[[Sequence[Any], Sequence[Any], int, int, Any], Sequence[Any]]
"""From the elements of `count` windows of `size` that overlap, numbers, size, count and a key to the results."""


@k.function
def either(condition, inside, outside):
    """Runs one of two functions of a kernel."""
    if condition:
        inside()
    else:
        outside()


@k.function
def store_if(condition, array, place, value):
    """Stores a value where a condition holds."""
    if condition:
        array[place] = value


def is_reachable(mode: str, length: int, before: int, after: int) -> bool:
    """Whether what stands beyond the ends is found by one reflection or turn."""
    reach = max(before, after, 0)
    return min(before, after) >= 0 and (
        mode in ("nearest", "constant") or reach <= length - (1 if mode == "mirror" else 0)
    )


def folded(position: Any, length: Any, mode: str) -> tuple[Any, Any]:
    """Which element of a line stands at a position, and whether one does. In a kernel, for `is_reachable` windows."""
    last = length - 1
    exists = None
    if mode == "reflect":
        position = k.where(position < 0, -1 - position, position)
        position = k.where(position > last, last + length - position, position)
    elif mode == "mirror":
        position = k.where(position < 0, -position, position)
        position = k.where(position > last, last + last - position, position)
    elif mode == "wrap":
        position = k.where(position < 0, position + length, position)
        position = k.where(position > last, position - length, position)
    elif mode == "constant":
        exists = (position >= 0) & (position < length)
    # Results that are not stored may look further.
    return k.clamp(position, 0, last), exists


def shared(values: Sequence[Any], size: int, count: int, fold: Callable[[Any, Any], Any]) -> list[Any]:
    """The folds of `count` windows of `size` elements, each window's elements from left to right.

    What all windows have in common is folded once, and what is left and right of it from both sides.
    """
    if count > size:
        return [functools.reduce(fold, values[start : start + size]) for start in range(count)]
    found = [functools.reduce(fold, values[count - 1 : size])] * count
    left = right = None
    for i in range(count - 1):
        element = values[count - 2 - i]
        left = element if left is None else fold(element, left)
        found[count - 2 - i] = fold(left, found[count - 2 - i])
    for i in range(1, count):
        element = values[size + i - 1]
        right = element if right is None else fold(right, element)
        found[i] = fold(found[i], right)
    return found


def weighted(elements: Sequence[Any], weights: Sequence[Any], size: int, count: int, key: Any) -> list[Any]:
    """The weighted sums of windows that overlap: of elements, or of sums (1) or differences (-1) of mirrored ones."""
    kind, dtype = key
    # A product that is added without a rounding of its own does not show in single precision.
    add = (lambda a, w, b: k.fma(a, w, b)) if dtype == "float32" else (lambda a, w, b: b + a * w)
    wide, left = [element.astype("float64") for element in elements], size // 2
    found = []
    for start in range(count):
        window = wide[start : start + size]
        first = left if kind else size - 1
        total = window[first] * weights[first]
        for i in range(left if kind else size - 1):
            term = window[i]
            if kind:
                term = term + window[-1 - i] if kind > 0 else term - window[-1 - i]
            total = add(term, weights[i], total)
        found.append(stored(total, np.dtype(dtype)))
    return found


def _pair(word: Any, dtype: str) -> tuple[Any, Any]:
    return word.astype("uint32").view(dtype), (word >> 32).astype("uint32").view(dtype)


def _word(low: Any, high: Any) -> Any:
    return low.view("uint32").astype("uint64") | (high.view("uint32").astype("uint64") << 32)


@functools.cache
def _kernel(
    combine: Combine, size: int, before: int, count: int, mode: str, numbers: int, layout: str, key: Any
) -> Any:
    """The kernel of a window; `layout` says "wide" for many points, "inner" and "outer" for other axes, "pairs"."""
    after = size - 1 - before
    index = "int64" if "wide" in layout else "int32"
    weights = [f"w{i}" for i in range(numbers)]

    def window(x: Any, y: Any, beyond: Any, **given: Any) -> None:
        length, inner, blocks = (given[name] for name in ("length", "inner", "blocks"))
        factors = [given[name] for name in weights]
        point = k.index()
        unsigned = "u" + index
        rest: Any = point.astype(unsigned)
        place: Any = 0
        if "inner" in layout:
            by = inner.astype(unsigned)
            rest, place = rest // by, rest
            place = (place - rest * by).astype("int64")
        line: Any = 0
        if "outer" in layout:
            by = blocks.astype(unsigned)
            rest, line = rest - rest // by * by, (rest // by).astype("int64")
        start = rest.astype(index) * count
        step = inner if "inner" in layout else 1
        end = length.astype(index)
        first = (line * length) * step + place
        base = first + start.astype("int64") * step
        reads = range(size + count - 1)
        low, high = before, count - 1 + after
        if "pairs" in layout:
            low, high = before + before % 2, high + 1 - high % 2

        word = point * (count // 2)

        def store_words(found: Sequence[Any]) -> None:
            for i in range(count // 2):
                y[word + i] = _word(found[2 * i], found[2 * i + 1])

        def inside() -> None:
            if "pairs" in layout:
                loaded = [given["words"][word + i] for i in range(-(low // 2), high // 2 + 1)]
                values = [half for pair in loaded for half in _pair(pair, x.dtype.name)][low - before :][: len(reads)]
                store_words(combine(values, factors, size, count, key))
                return
            values = [x[base + (r - before) * step] for r in reads]
            for i, result in enumerate(combine(values, factors, size, count, key)):
                y[base + i * step] = result

        def outside() -> None:
            values = []
            for r in reads:
                position, exists = folded(start + (r - before), end, mode)
                value = x[first + position.astype("int64") * step]
                values.append(value if exists is None else k.where(exists, value, beyond))
            found = combine(values, factors, size, count, key)
            if "pairs" in layout:
                store_words(found)
                return
            for i, result in enumerate(found):
                store_if(start + i < end, y, base + i * step, result)

        either((start >= low) & (start + high < end), inside, outside)

    window.__name__ = combine.__name__.strip("_")
    window.has_no_branches = True  # type: ignore[attr-defined]
    described = [
        ("x", "read", 1, None), ("y", "write", 1, None), *([("words", "read", 1, None)] if "pairs" in layout else []),
        ("beyond", "number", None, None), ("length", "int", None, None), ("inner", "int", None, None),
        ("blocks", "int", None, None), *((name, "float", None, None) for name in weights),
    ]  # fmt: skip
    return _core.Kernel(window, lambda _: described, functools.partial(build, False))


def results_of(size: int, length: int) -> int:
    """How many neighbouring results a thread computes, of so many elements in lines of a length."""
    return min(8 if size >= 2**20 else 4 if size >= 2**18 else 2, max(1, length // 2))


def fits(x: ndarray, size: int, axis: int, mode: str, origin: int) -> bool:
    """Whether `along` takes windows of this size."""
    before = size // 2 + origin
    return way("windows of a line in one launch", x, size, axis == x.ndim - 1) and is_reachable(
        mode, x.shape[axis], before, size - 1 - before
    )


def along(
    combine: Combine,
    x: ndarray,
    size: int,
    axis: int,
    output: ndarray,
    mode: str,
    beyond: Any,
    origin: int,
    numbers: Sequence[float] = (),
    key: Any = None,
    converts: bool = True,
) -> ndarray:
    """`combine` of the windows along an axis, stored in `output`, in one launch.

    `beyond` is what the mode 'constant' means, an element of the dtype of `x`. Where elements are converted, which
    takes longer than to read them, a thread computes more.
    """
    target = output if output.flags.c_contiguous else _core.empty(output.shape, output.dtype)
    x = x if x.flags.c_contiguous else x.copy()
    length, inner, outer = x.shape[axis], math.prod(x.shape[axis + 1 :]), math.prod(x.shape[:axis])
    layout = "wide " if x.size >= _WIDE else ""
    layout += ("inner " if inner > 1 else "") + ("outer " if outer > 1 else "")
    flat, stored, words, count = x.reshape(-1), target.reshape(-1), (), 1
    if inner > 1:
        count = results_of(x.size, length)
    elif length % 2 == 0 and x.dtype == target.dtype == np.float32:
        layout, count = layout + "pairs", 4 if converts and size > 8 and length % 4 == 0 else 2
        words, stored = (flat.view(np.uint64),), stored.view(np.uint64)
    blocks = -(-length // count)
    kernel = _kernel(combine, size, size // 2 + origin, count, mode, len(numbers), layout, key)
    kernel(
        flat, stored, *words, x.dtype.type(beyond), length, inner, blocks, *numbers, shape=(outer * blocks * inner,)
    )  # fmt: skip
    return output if target is output else copy_to(output, target)
