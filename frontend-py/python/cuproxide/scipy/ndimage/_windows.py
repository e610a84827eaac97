"""Functions of the elements in a window around each point.

The input is extended beyond its edges once. Each place of the window is then a view of the extended array, and a kernel
over such views has no gathers: it is vector code on a CPU, and reads neighbouring elements together on a GPU.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib.kernel._build import build
from ..._lib.routes import way

MOST_VIEWS = 26
"""Views that one launch takes, beside an array that it goes on with and its result."""


def holds(dtype: Any, value: float) -> bool:
    """Whether elements of a dtype can be this number."""
    with np.errstate(all="ignore"):
        return bool(np.asarray(value, np.float64).astype(dtype).astype(np.float64) == value)


def as_element(value: Any, dtype: Any) -> Any:
    """A number converted to a dtype as C does."""
    with np.errstate(all="ignore"):
        return np.asarray(float(value)).astype(np.int64 if np.dtype(dtype).kind in "iu" else dtype).astype(dtype)[()]


def extended(x: ndarray, widths: Sequence[tuple[int, int]], modes: Sequence[str], cval: Any) -> ndarray:
    """`x` with so many elements more before and after each axis. `cval` is an element of the dtype."""
    for mode in dict.fromkeys(modes):
        chosen = [width if m == mode else (0, 0) for width, m in zip(widths, modes, strict=True)]
        if not any(map(any, chosen)):
            continue
        if mode != "constant":
            x = _core.pad_edges(x, chosen, mode)
            continue
        shape = tuple(length + sum(width) for length, width in zip(x.shape, chosen, strict=True))
        wide = _core.full(shape, cval, x.dtype)
        wide[tuple(slice(low, low + length) for length, (low, _) in zip(x.shape, chosen, strict=True))] = x
        x = wide
    return x


def bands(
    x: ndarray, output: ndarray, width: tuple[int, int], mode: str
) -> Iterator[tuple[ndarray, ndarray, int, int]]:
    """Parts of an array along its first axis, of the output, and how far each part is to be extended at either end."""
    before, after = width
    n, count = x.shape[0], way("bands", x, x.size)
    if (
        count == 1
        or mode == "wrap"
        # A band that is extended holds what is repeated beyond the edge.
        or n // count <= 2 * (before + after)
        or _core.may_share_memory(x, output)
    ):
        yield x, output, before, after
        return
    for band in range(count):
        start, end = n * band // count, n * (band + 1) // count
        part = x[max(0, start - before) : min(n, end + after)]
        yield part, output[start:end], max(0, before - start), max(0, end + after - n)


_LARGE = 1 << 18
"""Elements from which on an array is not copied to be extended along one axis."""


def parts_of_lines(
    x: ndarray, axis: int, edges: tuple[int, int], mode: str, cval: Any, output: ndarray
) -> list[tuple[ndarray, ndarray]]:
    """Pairs of an extended array and the part of the output that windows along an axis in it give.

    Of large arrays only strips at both ends are extended: what is between them has its windows in the array itself.
    """
    before, after = edges
    n, reach = x.shape[axis], before + after

    def cut(a: ndarray, start: int, end: int) -> ndarray:
        return a[(slice(None),) * axis + (slice(start, end),)]

    def wide(a: ndarray, low: int, high: int) -> ndarray:
        along = [i == axis for i in range(a.ndim)]
        return extended(
            a,
            [(low, high) if here else (0, 0) for here in along],
            [mode if here else "nearest" for here in along],
            cval,
        )

    if x.size < _LARGE or n < 4 * reach or _core.may_share_memory(x, output):
        return [(wide(x, before, after), output)]
    if mode == "wrap":
        head = _core.concatenate([cut(x, n - before, n), cut(x, 0, reach)], axis)
        tail = _core.concatenate([cut(x, n - reach, n), cut(x, 0, after)], axis)
    else:
        head = cut(wide(cut(x, 0, reach + 1), before, 0), 0, before + reach)
        tail = cut(wide(cut(x, n - reach - 1, n), 0, after), 1, 1 + reach + after)
    found = [(x, cut(output, before, n - after))]
    found += [(head, cut(output, 0, before))] if before else []
    found += [(tail, cut(output, n - after, n))] if after else []
    return found


def places(footprint: np.ndarray) -> list[tuple[int, ...]]:
    """The coordinates of a window's elements, in C order."""
    return [tuple(map(int, place)) for place in np.argwhere(footprint)]


def widths(shape: Sequence[int], origins: Sequence[int]) -> list[tuple[int, int]]:
    """The elements that a window needs before and after each axis."""
    return [
        (length // 2 + origin, length - length // 2 - 1 - origin) for length, origin in zip(shape, origins, strict=True)
    ]


def view(wide: ndarray, place: Sequence[int], shape: Sequence[int]) -> ndarray:
    """What stands at one place of the window, for all points."""
    return wide[tuple(slice(start, start + length) for start, length in zip(place, shape, strict=True))]


Combine = Callable[[Sequence[Any], Sequence[Any], Any], Any]


@functools.cache
def _kernel(combine: Combine, count: int, numbers: int, key: Any) -> Any:
    names = [f"x{i}" for i in range(count)], [f"w{i}" for i in range(numbers)]

    def window(**values: Any) -> Any:
        return combine([values[name] for name in names[0]], [values[name] for name in names[1]], key)

    window.__name__ = combine.__name__.strip("_")
    window.has_no_branches = True  # type: ignore[attr-defined]
    described = [(name, "read", 0, None) for name in names[0]] + [(name, "float", None, None) for name in names[1]]
    return _core.Kernel(window, lambda _: described, functools.partial(build, False))


def combined(
    combine: Combine, views: Sequence[ndarray], numbers: Sequence[float] = (), key: Any = None, out: Any = None
) -> Any:
    """`combine(elements, numbers, key)` at each point, in one launch; it has no branches on values."""
    return _kernel(combine, len(views), len(numbers), key)(*views, *numbers, out=out)


def parts(items: Sequence[Any], most: int = MOST_VIEWS) -> list[Sequence[Any]]:
    """The items in groups that fit a launch."""
    return [items[start : start + most] for start in range(0, len(items), most)]


def grid(shape: Sequence[int]) -> list[tuple[int, ...]]:
    """All places of a full window."""
    return list(itertools.product(*map(range, shape)))
