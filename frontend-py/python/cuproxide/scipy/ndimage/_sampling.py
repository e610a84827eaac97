"""The kernels of transforms: values between the elements of an array, by splines."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.kernel._build import build
from ..._lib.routes import way
from . import _splines as splines
from ._common import check_type, rounded
from ._lines import store_if

_MOST_UNROLLED = 300
"""Coefficients of a point up to which a kernel is written without a loop."""


@k.function
def _is_inside(x, n):
    """Whether a coordinate lies in an axis of n elements."""
    return (x >= 0) & (x <= (n - 1).astype("float64"))


@k.function
def _place(x, n, mode):
    """The coordinate in an axis of n elements that stands for any other."""
    if mode in ("constant", "grid-constant"):
        return x
    last = (n - 1).astype("float64")
    if mode == "nearest":
        # Its elements beyond the edges are those at the edges; far away all are.
        return k.where(x < -8.0, -8.0, k.where(x > last + 8.0, last + 8.0, x))
    if (x < 0) | (x > last):
        length = n.astype("float64")
        if mode == "mirror":
            period = 2 * length - 2
            if x < 0:
                x = period * k.trunc(-x / period) + x
                x = k.where(x <= 1 - length, x + period, -x)
            else:
                x = x - period * k.trunc(x / period)
                x = k.where(x >= length, period - x, x)
        elif mode == "reflect":
            period = 2 * length
            if x < 0:
                x = k.where(x < -period, period * k.trunc(-x / period) + x, x)
                x = k.where(x < -length, x + period, -x - 1)
            else:
                x = x - period * k.trunc(x / period)
                x = k.where(x >= length, period - x - 1, x)
        elif mode == "wrap":
            if x < 0:
                x = x + last * (k.trunc(-x / last) + 1)
            else:
                x = x - last * k.trunc(x / last)
        else:
            if x < 0:
                x = x + length * (k.trunc((-1 - x) / length) + 1)
            else:
                x = x - length * k.trunc(x / length)
        x = k.where(n <= 1, 0.0, x)
    return x


@k.function
def _index(i, n, mode):
    """The element that stands for a position on the grid."""
    if mode == "nearest":
        return k.clamp(i, 0, n - 1)
    if mode == "wrap":
        i = k.remainder(i, n)
    elif mode == "reflect":
        i = k.remainder(i, 2 * n)
        i = k.where(i >= n, 2 * n - 1 - i, i)
    else:
        period = k.maximum(2 * n - 2, 1)
        i = k.remainder(i, period)
        i = k.where(i >= n, period - i, i)
    return i


_SHIFT = 1.5 * 2.0**52
"""A sum with it is rounded to an integer, whose low bits are those of the sum."""


@k.function
def _floor(x):
    """The integer below a number, also as an int32: by sums, of which a GPU does more than conversions."""
    shifted = x + _SHIFT
    near, bits = shifted - _SHIFT, shifted.view("int64").astype("int32")
    above = near > x
    return k.where(above, near - 1.0, near), k.where(above, bits - 1, bits)


def _as_float(position: Any, quick: bool) -> Any:
    """A position below 2^52 as a float64: the low bits of 2^52 plus it."""
    if not quick:
        return position.astype("float64")
    return (position.astype("int64") | 0x4330000000000000).view("float64") - 2.0**52


@k.function
def _taps(x, n, order, mode, narrow, quick):
    """Around a coordinate, which in the mode 'constant' lies in the axis: the elements, which of them are beyond the
    edges, and their weights."""
    x = _place(x, n, mode)
    middle = x if order & 1 else x + 0.5
    # What is no number, or too large for an index, stands nowhere.
    if quick:
        knot, start = _floor(middle)
        start = start if mode == "constant" else k.where(abs(knot) < 2.0**30, start, -1)
    else:
        knot = k.floor(middle)
        index, most = ("int32", 2.0**30) if narrow else ("int64", 2.0**62)
        start = (knot if mode == "constant" else k.where(abs(knot) < most, knot, -1.0)).astype(index)
    start = start - order // 2
    found = tuple(start + i for i in range(order + 1))
    beyond = tuple(False for _ in found)
    if mode == "grid-constant":
        beyond = tuple((i < 0) | (i >= n) for i in found)
        found = tuple(k.clamp(i, 0, n - 1) for i in found)
    elif (start < 0) | (start + order >= n):
        kind = {"grid-wrap": "wrap", "reflect": "reflect", "nearest": "nearest"}.get(mode, "mirror")
        found = tuple(_index(i, n, kind) for i in found)
    return found, beyond, splines.weights(x - knot, order)


@k.function
def _interpolated(array, at, axes, order, mode, narrow, quick, cval, in_order):
    """The value at coordinates, of which those along `axes` lie between elements."""
    counts = k.value(True)
    if mode == "constant":
        for axis in axes:
            counts = counts & _is_inside(at[axis], array.shape[axis])
    total = k.value(cval, "float64")
    # Nothing is found out of what lies outside.
    if counts:
        total = _between(array, at, axes, order, mode, narrow, quick, cval, in_order)
    return total


@k.function
def _between(array, at, axes, order, mode, narrow, quick, cval, in_order):
    taps = {axis: _taps(at[axis], array.shape[axis], order, mode, narrow, quick) for axis in axes}
    rolled = 0
    while (order + 1) ** (len(axes) - rolled) > _MOST_UNROLLED:
        rolled += 1
    if rolled == 0:
        return _sum(array, at, axes, order, taps, [], cval, in_order)
    total = k.value(0.0, "float64")
    # The first axes are gone through by a loop, whose position picks an element of each.
    for position in k.steps((order + 1) ** rolled):
        picked, rest = [], position
        for axis in reversed(axes[:rolled]):
            picked.append(_picked(taps[axis], rest % (order + 1)))
            rest = rest // (order + 1)
        total = total + _sum(array, at, axes, order, taps, picked[::-1], cval, in_order)
    return total


def _picked(taps: Any, position: Any) -> Any:
    chosen = []
    for values in taps:
        value = values[0]
        for i, other in enumerate(values[1:], 1):
            value = k.where(position == i, other, value)
        chosen.append(value)
    return tuple(chosen)


def _element(array: Any, at: Any, axes: Any, chosen: Any, cval: Any) -> Any:
    """The element at one tap along each of some axes."""
    place = list(at)
    outside: Any = False
    for axis, (index, beyond, _) in zip(axes, chosen, strict=True):
        place[axis] = index
        outside = outside | beyond
    value = array[tuple(place)].astype("float64")
    return value if outside is False else k.where(outside, cval, value)


def _sum(
    array: Any, at: Any, axes: Any, order: int, taps: Any, picked: list[Any], cval: Any, in_order: bool
) -> Any:  # fmt: skip
    """The sum of weighted coefficients, in SciPy's order of roundings if this may show, else axis by axis."""
    rows = [[row] for row in picked] + [list(zip(*taps[axis], strict=True)) for axis in axes[len(picked) :]]
    if order > 0 and not in_order:
        return _nested(array, at, axes, rows, [], cval)
    total = k.value(0.0, "float64")
    for chosen in itertools.product(*rows):
        value = _element(array, at, axes, chosen, cval)
        if order > 0:
            for _, _, weight in chosen:
                value = value * weight
        total = total + value
    return total


def _nested(array: Any, at: Any, axes: Any, rows: list[Any], chosen: list[Any], cval: Any) -> Any:
    """The weighted sum over what is left of the axes."""
    if not rows:
        return _element(array, at, axes, chosen, cval)
    total = None
    for row in rows[0]:
        value = _nested(array, at, axes, rows[1:], [*chosen, row], cval)
        total = value * row[2] if total is None else k.fma(value, row[2], total)
    return total


class _Flat:
    """A dense array as its elements in C order, with places of 32 bits. In a kernel."""

    def __init__(self, elements: Any, shape: Sequence[Any]) -> None:
        self._elements, self.shape = elements, tuple(shape)

    def __getitem__(self, place: tuple[Any, ...]) -> Any:
        total = None
        for position, length in zip(place, self.shape, strict=True):
            position = position.astype("int32")
            total = position if total is None else total * length + position
        return self._elements[total]


def _matrix_coordinates(
    at: Any, numbers: Sequence[Any], axes: Sequence[int], padded: int, quick: bool
) -> list[Any]:  # fmt: skip
    """The rows of a matrix times the coordinates along `axes`, and an offset."""
    rank = len(axes)
    found = []
    for row in range(len(numbers) // (rank + 1)):
        parts = [_as_float(at[axis], quick) * numbers[row * (rank + 1) + column] for column, axis in enumerate(axes)]
        found.append(_moved(functools.reduce(operator.add, [*parts, numbers[row * (rank + 1) + rank]]), padded))
    return found


def _moved(value: Any, padded: int) -> Any:
    """A coordinate in what begins so many elements before the array."""
    return value + float(padded) if padded else value


def _zoom_coordinates(at: Any, numbers: Sequence[Any], axes: Sequence[int], padded: int, on_grid: bool) -> list[Any]:
    """Coordinates shifted, then stretched."""
    found = []
    for axis in axes:
        move, stretch = numbers[2 * axis], numbers[2 * axis + 1]
        value = at[axis].astype("float64") + move
        value = (value + 0.5) * stretch - 0.5 if on_grid else value * stretch
        found.append(_moved(value, padded))
    return found


@functools.cache
def _axis_taps(order: int, mode: str, padded: int, narrow: bool, kind: str) -> Any:
    """The kernel that stores the taps along one axis of a zoom: weights and places, negative if none counts."""

    def taps(places: Any, weights: Any, move: Any, stretch: Any, n: Any) -> None:
        at = k.index()
        (x,) = _zoom_coordinates([at], [move, stretch], [0], padded, kind == "grid")
        counts = _is_inside(x, n) if mode == "constant" else True
        found, beyond, factors = _taps(k.where(counts, x, 0.0), n, order, mode, narrow, False)
        for i, (place, is_beyond, factor) in enumerate(zip(found, beyond, factors, strict=True)):
            if is_beyond is not False:
                place = k.where(is_beyond, -1, place)
            places[i, at] = k.where(counts, place, -1)
            weights[i, at] = factor

    taps.has_no_branches = True  # type: ignore[attr-defined]
    described: list[tuple[str, str, int | None, None]] = [("places", "write", 2, None), ("weights", "write", 2, None)]
    described += [("move", "float", None, None), ("stretch", "float", None, None), ("n", "int", None, None)]
    return _core.Kernel(taps, lambda _: described, functools.partial(build, False))


_ROWS = 4
"""Results of a thread, one below the other: what lies along the other axes is read once for them."""


@functools.cache
def _tabled(order: int, mode: str, dtype: str, rank: int) -> Any:
    """The kernel of a zoom whose taps are stored for each axis, without branches: no read waits for another."""
    lengths, sizes = ([f"{name}{axis}" for axis in range(rank)] for name in "nm")
    tables = [f"{name}{axis}" for axis in range(rank) for name in ("places", "weights")]

    def interpolate(array: Any, y: Any, cval: Any, **given: Any) -> None:
        array, shape = _Flat(array, [given[name] for name in lengths]), [given[name] for name in sizes]
        at: list[Any] = [position.astype("int32") for position in k.coordinates()]

        def stored(axis: int, position: Any) -> Any:
            steps = [position + i * shape[axis] for i in range(order + 1)]
            found = tuple(given[f"places{axis}"][step] for step in steps)
            weights = tuple(given[f"weights{axis}"][step] for step in steps)
            beyond = tuple(i < 0 for i in found) if mode == "grid-constant" else (False,) * (order + 1)
            counts = found[0] >= 0 if mode == "constant" else k.value(True)
            if mode in ("constant", "grid-constant"):
                found = tuple(k.maximum(i, 0) for i in found)
            return counts, (found, beyond, weights)

        down = rank - 2
        known = {axis: stored(axis, at[axis]) for axis in range(rank) if axis != down}
        first = at[down] * _ROWS if rank > 1 else None
        for r in range(_ROWS if rank > 1 else 1):
            if first is not None:
                at[down] = first + r
                known[down] = stored(down, k.minimum(at[down], shape[down] - 1))
            taps = {axis: known[axis][1] for axis in range(rank)}
            # The last digit decides ties of results that are rounded to integers.
            total = _sum(array, at, range(rank), order, taps, [], cval, np.dtype(dtype).kind != "f")
            counts = functools.reduce(operator.and_, (known[axis][0] for axis in range(rank)))
            place = functools.reduce(lambda a, b: a * b[1] + b[0], zip(at[1:], shape[1:], strict=True), at[0])
            result = rounded(k.where(counts, total, cval), np.dtype(dtype))
            store_if(at[down] < shape[down] if rank > 1 else True, y, place, result)

    interpolate.__name__ = "interpolate_table"
    interpolate.has_no_branches = True  # type: ignore[attr-defined]
    described = [("array", "read", 1, None), ("y", "write", 1, None), ("cval", "float", None, None)]
    described += [(name, "read", 1, None) for name in tables]
    described += [(name, "int", None, None) for name in (*lengths, *sizes)]
    return _core.Kernel(interpolate, lambda _: described, functools.partial(build, False))


_FEW_POINTS = 8
"""Most coefficients of a result for which a thread computes `_ROWS` results: with more, the reads dominate."""


@functools.cache
def _affine_rows(order: int, mode: str, padded: int, dtype: str, rank: int, axes: int) -> Any:
    """The kernel of an affine transform of few coefficients: it computes positions and products of other axes once.

    `rank` is that of the array, `axes` that of the result.
    """
    names = [f"w{i}" for i in range(rank * (axes + 1))]
    lengths, sizes = [f"n{i}" for i in range(rank)], [f"m{i}" for i in range(axes)]

    def interpolate(array: Any, y: Any, cval: Any, **numbers: Any) -> None:
        array = _Flat(array, [numbers[name] for name in lengths])
        shape, values = [numbers[name] for name in sizes], [numbers[name] for name in names]
        at, down = list(k.coordinates()), axes - 2
        first = at[down] * _ROWS
        for r in range(_ROWS):
            at[down] = k.minimum(first + r, shape[down] - 1)
            found = _matrix_coordinates(at, values, range(axes), padded, True)
            # The last digit decides ties of results that are rounded to integers.
            is_floating = np.dtype(dtype).kind == "f"
            total = _interpolated(array, found, range(rank), order, mode, True, True, cval, not is_floating)
            place = functools.reduce(lambda a, b: a * b[1] + b[0], zip(at[1:], shape[1:], strict=True), at[0])
            store_if(first + r < shape[down], y, place, rounded(total, np.dtype(dtype)))

    interpolate.__name__ = "interpolate_rows"
    interpolate.has_no_branches = True  # type: ignore[attr-defined]
    described = [("array", "read", 1, None), ("y", "write", 1, None), ("cval", "float", None, None)]
    described += [(name, "float", None, None) for name in names]
    described += [(name, "int", None, None) for name in (*lengths, *sizes)]
    return _core.Kernel(interpolate, lambda _: described, functools.partial(build, False))


@functools.cache
def _transform(
    kind: str, count: int, axes: tuple[int, ...], order: int, mode: str, padded: int, narrow: bool, dtype: str,
    rank: int,
) -> Any:  # fmt: skip
    """The kernel of a transform: its operands are the array, the coordinates if they are an array, and numbers.

    With a rank the array comes as its elements in C order and so many lengths.
    """
    names = [f"w{i}" for i in range(count)]
    lengths = [f"n{i}" for i in range(rank)]

    def interpolate(array: Any, cval: Any, coordinates: Any = None, **numbers: Any) -> Any:
        if rank:
            array = _Flat(array, [numbers[name] for name in lengths])
        values = [numbers[name] for name in names]
        at = list(k.coordinates())
        if kind == "coordinates":
            at = [_moved(coordinates[i].astype("float64"), padded) for i in axes]
        elif kind == "matrix":
            # The result may have more or fewer axes.
            at = _matrix_coordinates(at, values, range(len(at)), padded, rank > 0)
        else:
            if kind == "plane":
                found = _matrix_coordinates(at, values, axes, padded, rank > 0)
            else:
                found = _zoom_coordinates(at, values, axes, padded, kind == "grid")
            for axis, value in zip(axes, found, strict=True):
                at[axis] = value
        # The last digit decides ties of results that are rounded to integers.
        total = _interpolated(array, at, axes, order, mode, narrow, rank > 0, cval, np.dtype(dtype).kind != "f")
        return rounded(total, np.dtype(dtype))

    interpolate.__name__ = f"interpolate_{kind}"
    interpolate.has_no_branches = True  # type: ignore[attr-defined]
    described = [("array", "read", 1 if rank else None, None), ("cval", "float", None, None)]
    if kind == "coordinates":
        described.append(("coordinates", "read", 1, None))
    described += [(name, "float", None, None) for name in names] + [(name, "int", None, None) for name in lengths]
    return _core.Kernel(interpolate, lambda _: described, functools.partial(build, False))


def _by_tables(
    kind: str,
    source: ndarray,
    output: ndarray,
    order: int,
    mode: str,
    cval: float,
    padded: int,
    numbers: Sequence[float],
) -> None:
    """A zoom whose taps are stored for each axis."""
    taps, tables, rank = _axis_taps(order, mode, padded, True, kind), [], source.ndim
    for axis, length in enumerate(output.shape):
        places = _core.empty((order + 1, length), np.int32)
        weights = _core.empty((order + 1, length), np.float64)
        taps(places, weights, *numbers[2 * axis : 2 * axis + 2], source.shape[axis], shape=(length,))
        tables += [places.reshape(-1), weights.reshape(-1)]
    kernel = _tabled(order, mode, output.dtype.name, rank)
    _store_rows(kernel, source, output, float(cval), *tables, *source.shape)


def _store_rows(kernel: Any, source: ndarray, output: ndarray, *given: Any) -> None:
    """Launches a kernel whose threads store `_ROWS` results each, one below the other."""
    is_apart = output.flags.c_contiguous and not _core.may_share_memory(source, output)
    target = output if is_apart else _core.empty(output.shape, output.dtype)
    shape = list(output.shape)
    if len(shape) > 1:
        shape[-2] = -(-shape[-2] // _ROWS)
    kernel(source.reshape(-1), target.reshape(-1), *given, *output.shape, shape=tuple(shape))
    if target is not output:
        output[...] = target


def interpolated(
    kind: str,
    source: ndarray,
    output: ndarray,
    axes: Sequence[int],
    order: int,
    mode: str,
    cval: float,
    padded: int,
    numbers: Sequence[float] = (),
    coordinates: ndarray | None = None,
) -> ndarray:
    """Stores in `output` what a transform of a kind, of which `numbers` tells, finds in `source`.

    `padded` is how many elements `source` begins before the array, along `axes`.
    """
    if output.size == 0:
        return output
    check_type(source, output)
    if source.size == 0:
        output[...] = cval
        return output
    mode = "reflect" if mode == "grid-mirror" else mode
    narrow = max(output.size, *source.shape) < 2**30
    given = [] if coordinates is None else [_core.moveaxis(coordinates, 0, -1)]
    lengths: Sequence[int] = ()
    if narrow and source.size < 2**31 and way("flat elements", source):
        points = (order + 1) ** source.ndim
        if kind in ("zoom", "grid") and way("tables of a zoom", source, output.size, points):
            _by_tables(kind, source, output, order, mode, cval, padded, numbers)
            return output
        lengths = source.shape
        if kind == "matrix" and output.ndim > 1 and points <= _FEW_POINTS:
            kernel = _affine_rows(order, mode, padded, output.dtype.name, source.ndim, output.ndim)
            _store_rows(kernel, source, output, float(cval), *numbers, *lengths)
            return output
    kernel = _transform(
        kind, len(numbers), tuple(axes), order, mode, padded, narrow, output.dtype.name, len(lengths)
    )  # fmt: skip
    elements = source.reshape(-1) if lengths else source
    kernel(elements, float(cval), *given, *numbers, *lengths, shape=output.shape, out=output)
    return output
