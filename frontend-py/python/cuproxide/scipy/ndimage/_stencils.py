"""Windows over several axes in one launch, for devices with many threads.

A thread computes neighbouring results along the last axis but one: what their windows share is read and converted once,
and threads beside each other read neighbouring elements.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.kernel._build import build
from ..._lib.routes import way
from . import _lines as lines
from ._common import copy_to, stored
from ._lines import either, folded, is_reachable, store_if, weighted


def _dense(a: ndarray) -> ndarray:
    return a if a.flags.c_contiguous else a.copy()


def fits(x: ndarray, output: ndarray, modes: Sequence[str], widths: Sequence[tuple[int, int]], rows: int) -> bool:
    """Whether windows over all axes, of so many weights along the last but one, are taken here."""
    return (
        way("windows over axes in one launch", x, rows)
        and x.ndim in (2, 3)
        and 0 < x.size < 2**31
        and output.dtype.kind in "iuf"
        and all(is_reachable(mode, n, *width) for mode, n, width in zip(modes, x.shape, widths, strict=True))
    )


def _point(shape: Sequence[Any], blocks: Any, count: int) -> tuple[Any, ...]:
    """The coordinates of a thread's first result along three axes, in a kernel."""
    width, by = shape[2].astype("uint32"), blocks.astype("uint32")
    index = k.index().astype("uint32")
    row = index // width
    plane = row // by
    return tuple(v.astype("int32") for v in (plane, (row - plane * by) * count, index - row * width))


def _narrow(*numbers: Any) -> tuple[Any, ...]:
    return tuple(number.astype("int32") for number in numbers)


# --------------------------------------------------------------------------------------------------------- derivatives


def _differences(
    kind: str, axes: Sequence[int], across: Sequence[int], dtype: str, count: int, x: Any, base: Any,
    at: Callable[[int, int], tuple[Any, Any]], beyond: Any,
) -> list[Any]:  # fmt: skip
    """The results of a thread; `at` says where element `i` along an axis lies. In a kernel."""

    @functools.cache
    def element(place: tuple[int, ...]) -> Any:
        offset = base
        for axis, i in enumerate(place):
            offset = offset + at(axis, i)[0]
        return x[offset]

    def window(value: Any, axis: int, place: tuple[int, ...]) -> list[Any]:
        """The values of three neighbours along an axis, or what is beyond the edge."""
        found = []
        for i in range(3):
            neighbour = tuple(p + i - 1 if a == axis else p for a, p in enumerate(place))
            here, exists = value(neighbour), at(axis, neighbour[axis])[1]
            found.append(here if exists is None else k.where(exists, here, beyond.astype(here.dtype)))
        return found

    @functools.cache
    def passed(stage: int, place: tuple[int, ...]) -> Any:
        """What the passes along the first so many axes give."""
        if stage == 0:
            return element(place)
        weights, sign = ((-1.0, 0.0, 1.0), -1) if stage == 1 else (tuple(map(float, across)), 1)
        values = window(functools.partial(passed, stage - 1), axes[stage - 1], place)
        return weighted(values, weights, 3, 1, (sign, dtype))[0]

    def laplacian(place: tuple[int, ...]) -> Any:
        second = [weighted(window(element, axis, place), (1.0, -2.0, 1.0), 3, 1, (1, dtype))[0] for axis in axes]
        return functools.reduce(operator.add, second)

    places = [(1, i + 1, 1) for i in range(count)]
    return [laplacian(place) if kind == "laplace" else passed(len(axes), place) for place in places]


@functools.cache
def _derivative(
    kind: str, axes: tuple[int, ...], across: tuple[int, ...], modes: tuple[str, ...], count: int, dtype: str
):
    """The kernel of a derivative over three elements along each axis.

    "difference": differences along the first axis, smoothed by `across` along the others. "laplace": the sum of second
    differences along the axes. As in passes along one axis after another, what each finds has the result's dtype.
    """

    def difference(x: Any, y: Any, beyond: Any, depth: Any, height: Any, width: Any, blocks: Any) -> None:
        shape = (depth, height, width)
        first = _point(shape, blocks, count)
        ends = [length.astype("int32") for length in shape]
        pitches = (height * width, width, 1)
        starts = [position.astype("int64") for position in first]
        base = (starts[0] * height + starts[1]) * width + starts[2]

        def near(axis: int, i: int) -> tuple[Any, Any]:
            """How far an element lies from the thread's first, and whether there is one, far from the edges."""
            return (i - 1) * pitches[axis] if axis in axes or axis == 1 else 0, None

        def folds(axis: int, i: int) -> tuple[Any, Any]:
            """The same near them."""
            if axis not in axes and axis != 1:
                return 0, None
            position, exists = folded(first[axis] + (i - 1), ends[axis], modes[axis])
            return (position - first[axis]).astype("int64") * pitches[axis], exists

        def inside() -> None:
            results = _differences(kind, axes, across, dtype, count, x, base, near, beyond)
            for i, result in enumerate(results):
                y[base + i * width] = result

        def outside() -> None:
            results = _differences(kind, axes, across, dtype, count, x, base, functools.cache(folds), beyond)
            for i, result in enumerate(results):
                store_if(first[1] + i < ends[1], y, base + i * width, result)

        reaches = [(count + 1 if axis == 1 else 2) - 1 for axis in range(3)]
        is_near = (first[1] > 0) & (first[1] + reaches[1] < ends[1])
        for axis in axes:
            if axis != 1:
                is_near = is_near & (first[axis] > 0) & (first[axis] + 1 < ends[axis])
        either(is_near, inside, outside)

    difference.__name__ = kind
    difference.has_no_branches = True  # type: ignore[attr-defined]
    described = [("x", "read", 1, None), ("y", "write", 1, None), ("beyond", "number", None, None)]
    described += [(name, "int", None, None) for name in ("depth", "height", "width", "blocks")]
    return _core.Kernel(difference, lambda _: described, functools.partial(build, False))


def derivative(
    kind: str,
    x: ndarray,
    axes: Sequence[int],
    across: Sequence[int],
    output: ndarray,
    modes: Sequence[str],
    beyond: Any,
) -> ndarray:
    """A derivative of an array of two or three axes; `axes` in the order of the passes, with their modes."""
    by_axis = ["nearest"] * x.ndim
    for axis, mode in zip(axes, modes, strict=True):
        by_axis[axis] = mode
    more = 3 - x.ndim
    target = output if output.flags.c_contiguous else _core.empty(output.shape, output.dtype)
    count = lines.results_of(x.size, x.shape[-2])
    depth, height, width = (1,) * more + x.shape
    blocks = -(-height // count)
    kernel = _derivative(
        kind, tuple(axis + more for axis in axes), tuple(across), ("nearest",) * more + tuple(by_axis), count,
        output.dtype.name,
    )  # fmt: skip
    kernel(
        _dense(x).reshape(-1), target.reshape(-1), x.dtype.type(beyond), depth, height, width, blocks,
        shape=(depth * blocks * width,),
    )  # fmt: skip
    return output if target is output else copy_to(output, target)


# --------------------------------------------------------------------------------------------------------- correlation


@k.kernel
def _correlation(
    x: k.Array[1], weights: k.Array[1], y: k.Out[1], beyond: k.Number,
    depth: int, height: int, width: int, blocks: int, planes: int, columns: int,
    before_plane: int, before_row: int, before_column: int, *, rows, count, mode, dtype, negligible,
):  # fmt: skip
    """Sums over columns of the window, one after another. Weights that hardly differ from zero count as none."""
    plane, row, column = _point((depth, height, width), blocks, count)
    end_plane, end_row, end_column = _narrow(depth, height, width)
    first_plane, first_row, first_column = _narrow(before_plane, before_row, before_column)
    low = row - first_row
    reached = [folded(low + r, end_row, mode) for r in range(rows + count - 1)]
    # Arrays of less than 2^31 elements: places of 32 bits leave registers for sums.
    places = [position * end_column for position, _ in reached]
    sums = tuple(k.value(0.0, "float64") for _ in range(count))
    for p in k.steps(planes):
        at_plane, plane_exists = folded(plane + p.astype("int32") - first_plane, end_plane, mode)
        for c in k.steps(columns):
            at_column, column_exists = folded(column + c.astype("int32") - first_column, end_column, mode)
            base = at_plane * (end_row * end_column) + at_column
            values = []
            for place, (_, exists) in zip(places, reached, strict=True):
                value = x[base + place]
                if exists is not None:
                    value = k.where(exists & plane_exists & column_exists, value, beyond)
                values.append(value.astype("float64"))
            factors = [weights[(p * rows + r) * columns + c] for r in range(rows)]
            counts = [abs(factor) > negligible for factor in factors]
            all_count = functools.reduce(lambda a, b: a & b, counts)
            if all_count:
                sums = _added(sums, values, factors, None)
            else:
                sums = _added(sums, values, factors, counts)
    base = (plane.astype("int64") * height + row.astype("int64")) * width + column.astype("int64")
    for i in range(count):
        store_if(row + i < end_row, y, base + i * width, stored(sums[i], np.dtype(dtype)))


def _added(sums: Sequence[Any], values: Sequence[Any], factors: Sequence[Any], counts: Any) -> tuple[Any, ...]:
    found = []
    for i, total in enumerate(sums):
        for r, factor in enumerate(factors):
            more = k.fma(values[i + r], factor, total)
            total = more if counts is None else k.where(counts[r], more, total)
        found.append(total)
    return tuple(found)


def correlation(
    x: ndarray, weights: ndarray, output: ndarray, mode: str, beyond: Any, befores: Sequence[int]
) -> ndarray:
    """Weighted sums of windows over two or three axes; the weights stay on the device."""
    more = 3 - x.ndim
    target = output if output.flags.c_contiguous else _core.empty(output.shape, output.dtype)
    count = lines.results_of(x.size, x.shape[-2])
    depth, height, width = (1,) * more + x.shape
    planes, rows, columns = (1,) * more + weights.shape
    blocks = -(-height // count)
    _correlation(
        _dense(x).reshape(-1), _dense(weights.astype(np.float64, copy=False)).reshape(-1), target.reshape(-1),
        x.dtype.type(beyond), depth, height, width, blocks, planes, columns, *(0,) * more, *befores,
        rows=rows, count=count, mode=mode, dtype=output.dtype.name, negligible=float(np.finfo(np.float64).eps),
        shape=(depth * blocks * width,),
    )  # fmt: skip
    return output if target is output else copy_to(output, target)
