"""Recursive filters over rows: in chunks, by powers of the recurrence, or in memory; states in SciPy's form."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device, to_host
from ..._lib.routes import way
from ._common import wide
from ._convolution import sliding
from ._recurrence import (
    CHUNK,
    REGISTERS,
    by_powers,
    chunk_starts,
    depth,
    direct_plan,
    in_chunks,
    section_plan,
    starts_by_powers,
)

# Points from which on results are written beside each other and then turned: a thread that writes a line of memory for
# itself leaves little of a cache to what it reads.
_LARGE = 1 << 22


def _direct_step(value: Any, z: Any, taps: Any) -> tuple[Any, Any]:
    """A point through a filter in transposed direct form II, and the state after it."""
    b, a = taps
    order = len(z)
    out = z[0] + b[0] * value
    following = tuple(
        (z[i + 1] + b[i + 1] * value if i + 1 < order else b[i + 1] * value) - a[i + 1] * out for i in range(order)
    )
    return out, following


def _sections_step(value: Any, z: Any, taps: Any) -> tuple[Any, Any]:
    """A point through a few biquadratic sections, and their states after it."""
    following: tuple[Any, ...] = ()
    for s, (b0, b1, b2, a1, a2) in enumerate(taps):
        out = z[2 * s] + b0 * value
        following = (*following, z[2 * s + 1] + b1 * value - a1 * out, b2 * value - a2 * out)
        value = out
    return value, following


def _halves(word: Any, kind: str) -> tuple[Any, Any]:
    """Two neighbours that move as one word: each thread reads and writes a line of memory for itself."""
    return word.astype("uint32").view(kind), (word >> 32).astype("uint32").view(kind)


@k.kernel
def _run_chunks(
    x: k.Array, start: k.Array, taps: k.Array, y: k.Out, last: k.Out, chunk: int, length: int,
    *, step, rows, columns, order, kind, paired, turned,
):  # fmt: skip
    """A chunk of a row with its state in registers; the last one leaves the final state.

    With `turned` the results of all chunks at one place lie beside each other, since threads write them together.
    """
    row, part = k.coordinates()
    first = part * chunk
    stop = min(first + chunk, length)
    c = tuple(tuple(taps[s * columns + i].astype(kind) for i in range(columns)) for s in range(rows))
    z = tuple(start[row, part, i].astype(kind) for i in range(order))
    if paired:
        for t in k.steps(first >> 1, stop >> 1):
            low, high = _halves(x[row, t], kind)
            low, z = step(low, z, c)
            high, z = step(high, z, c)
            word = low.view("uint32").astype("uint64") | (high.view("uint32").astype("uint64") << 32)
            y[(row, t - (first >> 1), part) if turned else (row, t)] = word
    else:
        for t in k.steps(first, stop):
            out, z = step(x[row, t].astype(kind), z, c)
            y[(row, t - first, part) if turned else (row, t)] = out
    if stop == length:
        for i in range(order):
            last[row, 0, i] = z[i]


@k.kernel
def _chunk_ends(x: k.Array, taps: k.Array, ends: k.Out, chunk: int, *, step, rows, columns, order, kind, paired):
    """The states that chunks leave if they start from zero, in double precision."""
    row, part = k.coordinates()
    c = tuple(tuple(taps[s * columns + i] for i in range(columns)) for s in range(rows))
    z = (k.value(0.0, "float64"),) * order
    first = part * chunk
    if paired:
        for t in k.steps(first >> 1, (first + chunk) >> 1):
            low, high = _halves(x[row, t], kind)
            _, z = step(low.astype("float64"), z, c)
            _, z = step(high.astype("float64"), z, c)
    else:
        for t in k.steps(first, first + chunk):
            _, z = step(x[row, t].astype(kind).astype("float64"), z, c)
    for i in range(order):
        ends[row, part, i] = z[i]


@k.kernel
def _run_in_memory(x: k.Array, start: k.Array, taps: k.Array, y: k.Out, last: k.Out, chunk: int, *, order, kind):
    """The same for high orders in direct form: `last` holds the state meanwhile."""
    row, part = k.coordinates()
    first = part * chunk
    stop = min(first + chunk, x.shape[1])
    for i in k.steps(order):
        last[row, part, i] = start[row, part, i]
    for t in k.steps(first, stop):
        value = x[row, t].astype(kind)
        out = last[row, part, 0] + taps[0, 0] * value
        for i in k.steps(1, order):
            last[row, part, i - 1] = last[row, part, i] + taps[0, i] * value - taps[1, i] * out
        last[row, part, order - 1] = taps[0, order] * value - taps[1, order] * out
        y[row, t] = out


class Filter:
    """A filter in a dtype: its taps, and how its states go through the chunks of rows."""

    def __init__(self, taps: np.ndarray, kind: np.dtype[Any], order: int, step: Any, plan: Any) -> None:
        self.taps, self.kind, self.order, self.step, self._plan = taps.astype(kind), kind, order, step, plan
        self.options = {
            "step": step, "rows": taps.shape[0], "columns": taps.shape[1], "order": order, "kind": kind.name,
        }  # fmt: skip
        self._numbers: dict[int, np.ndarray] = {}

    @functools.cached_property
    def _made(self) -> Any:
        return self._plan()

    def plan(self, length: int) -> Any:
        """The plan for rows of a length, if there is one."""
        return self._made if self._made is not None and self._made.is_finite(depth(length)) else None

    def numbers(self, chunks: int) -> np.ndarray:
        """The taps and the numbers of a scan over so many chunks, which move to a device at once."""
        if chunks not in self._numbers:
            self._numbers[chunks] = np.concatenate((self.taps.ravel(), self._made.scan(chunks).numbers))
        return self._numbers[chunks]


@functools.lru_cache(maxsize=256)
def direct_filter(b: bytes, b_dtype: str, a: bytes, a_dtype: str, kind: str) -> Filter:
    """The filter of coefficients, rounded to the dtype of the result before they are normalised, as SciPy's are."""
    dtype = np.dtype(kind)
    top, bottom = np.frombuffer(b, b_dtype), np.frombuffer(a, a_dtype)
    top, bottom = (part.astype(np.result_type(dtype, part.dtype)) for part in (top, bottom))
    if bottom[0] == 0:
        raise ValueError("filter coefficient a[0] == 0 not supported yet")
    with np.errstate(all="ignore"):
        top, bottom = top / bottom[0], bottom / bottom[0]
    order = max(top.size, bottom.size) - 1
    taps = np.zeros((2, order + 1), np.result_type(top, bottom, float))
    taps[0, : top.size], taps[1, : bottom.size] = top, bottom
    return Filter(taps, dtype, order, _direct_step, lambda: direct_plan(*(tuple(row) for row in taps.tolist())))


@functools.lru_cache(maxsize=256)
def cascade_filter(sections: bytes, dtype: str, kind: str) -> Filter:
    """The filter of sections, each (b0, b1, b2, a1, a2)."""
    taps = np.frombuffer(sections, dtype).reshape(-1, 5)

    def plan() -> Any:
        return section_plan(tuple(tuple(row) for row in taps.tolist()))

    return Filter(taps, np.dtype(kind), 2 * len(taps), _sections_step, plan)


def run_rows(x: ndarray, start: ndarray, through: Filter) -> tuple[ndarray, ndarray]:
    """The rows of `x` (rows, length) filtered, and the states at their ends (rows, order)."""
    kind, order = through.kind, through.order
    rows, length = x.shape
    y = cp.empty((rows, length), kind)
    if rows == 0 or length == 0:
        return y, start
    plan = through.plan(length) if in_chunks(x, order) else None
    chunk, states, parts = length, start[:, None, :], 1
    if plan is not None:
        x, chunk, parts = cp.ascontiguousarray(x), CHUNK, -(-length // CHUNK)
    scan = plan.scan(parts) if plan is not None and by_powers(x, kind, order) else None
    numbers = cp.asarray(through.taps if scan is None else through.numbers(parts))
    if scan is None and plan is not None:
        states = chunk_starts(x.astype(kind, copy=False), start, plan)
    if order > REGISTERS and through.step is _direct_step:
        last = cp.empty((rows, parts, order), kind)
        _run_in_memory(x, states, numbers, y, last, chunk, order=order, kind=kind.name, shape=(rows, parts))
        return y, last[:, -1]
    numbers = numbers.reshape(-1)
    paired = plan is not None and length % 2 == 0 and x.dtype == kind == np.float32 and way("pairs of points", x)
    source, target = (a.view(np.uint64) for a in (x, y)) if paired else (x, y)
    if scan is not None:
        ends = cp.empty((rows, parts - 1, order))
        _chunk_ends(source, numbers, ends, chunk, **through.options, paired=paired, shape=(rows, parts - 1))
        states = starts_by_powers(ends, start, scan, numbers, through.taps.size)
    last = cp.empty((rows, 1, order), kind)
    turned = scan is not None and x.size >= _LARGE
    size = CHUNK // 2 if paired else CHUNK
    held = cp.empty((rows, size, parts), target.dtype) if turned else target
    _run_chunks(
        source, states, numbers, held, last, chunk, length, **through.options, paired=paired, turned=turned,
        shape=(rows, parts),
    )  # fmt: skip
    if turned:
        whole = target.shape[1] // size
        target[:, : whole * size].reshape(rows, whole, size)[...] = cp.swapaxes(held[:, :, :whole], 1, 2)
        if whole < parts:
            target[:, whole * size :] = held[:, : target.shape[1] - whole * size, whole]
    return y, last[:, 0]


def direct_rows(b: np.ndarray, a: np.ndarray, x: ndarray, start: ndarray) -> tuple[ndarray, ndarray]:
    """Rows (rows, length) through a filter of some order; the state is (rows, order)."""
    return run_rows(x, start, direct_filter(b.tobytes(), b.dtype.str, a.tobytes(), a.dtype.str, start.dtype.str))


def rows_along(x: ndarray, axis: int) -> ndarray:
    if x.ndim == 1:
        return x.reshape(1, -1)
    moved = cp.moveaxis(x, axis, -1)
    return moved.reshape(math.prod(moved.shape[:-1]), moved.shape[-1])


def from_rows(rows: ndarray, shape: tuple[int, ...], axis: int) -> ndarray:
    if len(shape) == 1:
        return rows.reshape(-1)
    others = [size for i, size in enumerate(shape) if i != axis]
    return cp.moveaxis(rows.reshape(*others, rows.shape[-1]), -1, axis)


def _coefficients(values: Any, name: str) -> Any:
    values = values if isinstance(values, ndarray) else np.asarray(values)
    if values.ndim == 0:
        values = values.reshape(1)
    if values.ndim != 1:
        raise ValueError(f"object of too small depth for desired array: {name} must have one axis, not {values.ndim}")
    if values.size == 0:
        raise ValueError(f"filter coefficients {name} must not be empty")
    return values


def _initial(zi: ndarray, x: ndarray, axis: int, order: int) -> ndarray:
    """The states of rows, from an array that is broadcast along the other axes."""
    expected = tuple(order if i == axis else size for i, size in enumerate(x.shape))
    if zi.ndim != x.ndim or any(
        have != want and (i == axis or have != 1) for i, (have, want) in enumerate(zip(zi.shape, expected, strict=True))
    ):
        raise ValueError(f"Unexpected shape for zi: expected {expected}, found {zi.shape}.")
    return rows_along(cp.broadcast_to(zi, expected), axis)


def _finite_response(b: Any, first: Any, x: ndarray, axis: int, zi: Any, dtype: np.dtype[Any]) -> Any:
    """A filter without feedback: a convolution."""
    taps = as_device(b).astype(dtype) / first
    rows = rows_along(x, axis).astype(dtype, copy=False)
    length, order = rows.shape[1], taps.size - 1
    if length == 0 or rows.shape[0] == 0:
        full = cp.zeros((rows.shape[0], length + order), dtype)
    elif rows.shape[0] == 1:
        full = cp.convolve(rows[0], taps)[None]
    else:
        full = sliding(cp.pad(rows, [(0, 0), (order, order)]), taps[::-1].reshape(1, -1), dtype)
    if zi is None:
        return from_rows(full[:, :length], x.shape, axis)
    state = _initial(zi, x, axis, order).astype(dtype, copy=False)
    full = cp.concatenate((full[:, :order] + state, full[:, order:]), axis=1)
    return from_rows(full[:, :length], x.shape, axis), from_rows(full[:, length:], x.shape, axis)


def rational(b: Any, a: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """`lfilter` with SciPy's form of states."""
    b, a, x = _coefficients(b, "b"), _coefficients(a, "a"), as_device(x)
    if x.ndim == 0:
        raise ValueError("x must be at least 1-D")
    axis = normalize_axis_index(axis, x.ndim)
    state = None if zi is None else as_device(zi)
    dtype = wide(*(part.dtype for part in (b, a, x, state) if part is not None))
    if a.size == 1:
        return _finite_response(b, to_host(a)[0], x, axis, state, dtype)
    host = [part if part.dtype.kind in "biufc" else part.astype(dtype) for part in (to_host(b), to_host(a))]
    through = direct_filter(*(item for part in host for item in (part.tobytes(), part.dtype.str)), dtype.str)
    rows = rows_along(x, axis)
    if state is None:
        start = cp.zeros((rows.shape[0], through.order), dtype)
    else:
        start = _initial(state, x, axis, through.order).astype(dtype)
    y, last = run_rows(rows, start, through)
    y = from_rows(y, x.shape, axis)
    return y if state is None else (y, from_rows(last, x.shape, axis))
