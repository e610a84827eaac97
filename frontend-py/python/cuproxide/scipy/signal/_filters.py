"""Filters with infinite impulse responses."""

from __future__ import annotations

import functools
import math
import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device, to_host
from ..._lib.following import follows_cupy
from ._common import along, extended, prefers_one_kernel, read_arrays, wide
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

__all__ = [
    "deconvolve",
    "filtfilt",
    "lfilter",
    "sosfilt",
    "sosfiltfilt",
    "symiirorder1",
    "symiirorder2",
]

# So many sections run in one pass.
SECTIONS = 4
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


class _Filter:
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
def _direct(b: bytes, b_dtype: str, a: bytes, a_dtype: str, kind: str) -> _Filter:
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
    return _Filter(taps, dtype, order, _direct_step, lambda: direct_plan(*(tuple(row) for row in taps.tolist())))


@functools.lru_cache(maxsize=256)
def _cascade(sections: bytes, dtype: str, kind: str) -> _Filter:
    """The filter of sections, each (b0, b1, b2, a1, a2)."""
    taps = np.frombuffer(sections, dtype).reshape(-1, 5)

    def plan() -> Any:
        return section_plan(tuple(tuple(row) for row in taps.tolist()))

    return _Filter(taps, np.dtype(kind), 2 * len(taps), _sections_step, plan)


def _run(x: ndarray, start: ndarray, through: _Filter) -> tuple[ndarray, ndarray]:
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
    paired = plan is not None and length % 2 == 0 and x.dtype == kind == np.float32 and prefers_one_kernel(x)
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
    return _run(x, start, _direct(b.tobytes(), b.dtype.str, a.tobytes(), a.dtype.str, start.dtype.str))


def _rows(x: ndarray, axis: int) -> ndarray:
    if x.ndim == 1:
        return x.reshape(1, -1)
    moved = cp.moveaxis(x, axis, -1)
    return moved.reshape(math.prod(moved.shape[:-1]), moved.shape[-1])


def _back(rows: ndarray, shape: tuple[int, ...], axis: int) -> ndarray:
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
    return _rows(cp.broadcast_to(zi, expected), axis)


def _finite_response(b: Any, first: Any, x: ndarray, axis: int, zi: Any, dtype: np.dtype[Any]) -> Any:
    """A filter without feedback: a convolution."""
    taps = as_device(b).astype(dtype) / first
    rows = _rows(x, axis).astype(dtype, copy=False)
    length, order = rows.shape[1], taps.size - 1
    if length == 0 or rows.shape[0] == 0:
        full = cp.zeros((rows.shape[0], length + order), dtype)
    elif rows.shape[0] == 1:
        full = cp.convolve(rows[0], taps)[None]
    else:
        full = sliding(cp.pad(rows, [(0, 0), (order, order)]), taps[::-1].reshape(1, -1), dtype)
    if zi is None:
        return _back(full[:, :length], x.shape, axis)
    state = _initial(zi, x, axis, order).astype(dtype, copy=False)
    full = cp.concatenate((full[:, :order] + state, full[:, order:]), axis=1)
    return _back(full[:, :length], x.shape, axis), _back(full[:, length:], x.shape, axis)


def lfilter(b: Any, a: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """A rational filter along an axis, in transposed direct form II.

    Rows are filtered side by side. Few long rows are cut into chunks that run side by side, too (`_recurrence.py`).

    Parameters
    ----------
    b, a : array_like
        The coefficients of numerator and denominator; those of a device are read.
    zi : array_like, optional
        The initial state: the shape of `x` with max(len(a), len(b)) - 1 along `axis`. Under `cuproxide.compat` it is
        CuPy's: the last len(b) - 1 inputs and then the last len(a) - 1 outputs, oldest first.

    Returns
    -------
    ndarray, or a tuple with the final state if `zi` was given
        The filtered signal, in a floating dtype of at least float32.

    Raises
    ------
    ValueError
        `x` has no axis, coefficients are empty or a[0] is zero, or `zi` has another shape.

    See Also
    --------
    scipy.signal.lfilter : The function that this one follows; it takes no integers alone.

    Examples
    --------
    >>> import cuproxide as cp
    >>> cp.scipy.signal.lfilter([1.0], [1.0, -0.5], cp.asarray([1.0, 0.0, 0.0, 0.0]))
    array([1.   , 0.5  , 0.25 , 0.125])
    """
    if zi is not None and follows_cupy():
        from ._histories import filtered

        return filtered(b, a, x, axis, zi)
    return rational(b, a, x, axis, zi)


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
    through = _direct(*(item for part in host for item in (part.tobytes(), part.dtype.str)), dtype.str)
    rows = _rows(x, axis)
    if state is None:
        start = cp.zeros((rows.shape[0], through.order), dtype)
    else:
        start = _initial(state, x, axis, through.order).astype(dtype)
    y, last = _run(rows, start, through)
    y = _back(y, x.shape, axis)
    return y if state is None else (y, _back(last, x.shape, axis))


def deconvolve(signal: Any, divisor: Any) -> tuple[ndarray, ndarray]:
    """The quotient and remainder for which signal = convolve(divisor, quotient) + remainder.

    Parameters
    ----------
    signal, divisor : array_like
        Arrays with one axis.

    Returns
    -------
    tuple of ndarray
        The quotient and the remainder.

    Raises
    ------
    ValueError
        An array has more than one axis, or the divisor begins with zero.

    Examples
    --------
    >>> import cuproxide as cp
    >>> cp.scipy.signal.deconvolve(cp.asarray([1.0, 3.0, 2.0]), cp.asarray([1.0, 1.0]))[0]
    array([1., 2.])
    """
    num, den = (cp.atleast_1d(as_device(value)) for value in (signal, divisor))
    if num.ndim > 1:
        raise ValueError("signal must be 1-D.")
    if den.ndim > 1:
        raise ValueError("divisor must be 1-D.")
    for name, values in (("signal", num), ("divisor", den)):
        if values.size == 0:
            raise ValueError(f"Parameter {name} must be non-empty 1d array, but its shape is {values.shape}!")
    if num.size < den.size:
        return cp.asarray([]), num
    impulse = cp.zeros(num.size - den.size + 1, wide(num.dtype, den.dtype))
    impulse[0] = 1
    quotient = lfilter(num, den, impulse)
    return quotient, num - cp.convolve(den, quotient)


def _padding(padtype: Any, padlen: Any, x: ndarray, axis: int, ntaps: int) -> tuple[int, ndarray]:
    if padtype not in ("even", "odd", "constant", None):
        raise ValueError(
            f"Unknown value '{padtype}' given to padtype. padtype must be 'even', 'odd', 'constant', or None."
        )
    edge = 0 if padtype is None else ntaps * 3 if padlen is None else operator.index(padlen)
    if x.shape[axis] <= edge:
        raise ValueError(f"The length of the input vector x must be greater than padlen, which is {edge}.")
    if padtype is None or edge == 0:
        return edge, x
    # Mirrored differences of integers may not fit their dtype.
    return edge, extended(x.astype(np.float64) if x.dtype.kind in "biu" else x, edge, axis, padtype)


def filtfilt(
    b: Any,
    a: Any,
    x: Any,
    axis: int = -1,
    padtype: Any = "odd",
    padlen: int | None = None,
    method: str = "pad",
    irlen: int | None = None,
) -> ndarray:
    """A rational filter run forwards and backwards, so that it has no phase.

    Parameters
    ----------
    b, a : array_like
        The coefficients.
    padtype : {'odd', 'even', 'constant'} or None
        How the signal is continued before and after it.
    padlen : int, optional
        By how many points, by default three times the number of coefficients.
    method : {'pad', 'gust'}
        Whether states at the ends come from continuing the signal, or make both orders of running agree
        (Gustafsson 1996).
    irlen : int, optional
        The length of the impulse response that "gust" takes into account.

    Returns
    -------
    ndarray
        The filtered signal.

    Raises
    ------
    ValueError
        An argument is unknown, or the signal is not longer than `padlen`.

    Examples
    --------
    >>> import cuproxide as cp
    >>> cp.scipy.signal.filtfilt([0.5, 0.5], [1.0], cp.arange(8.0)).round(6)
    array([0., 1., 2., 3., 4., 5., 6., 7.])
    """
    from ._states import steady_state

    b, a = (np.atleast_1d(to_host(value)) for value in (b, a))
    x = as_device(x)
    if method not in ("pad", "gust"):
        raise ValueError("method must be 'pad' or 'gust'.")
    axis = normalize_axis_index(axis, x.ndim)
    if method == "gust":
        return _gustafsson(b, a, x, axis, irlen)
    edge, longer = _padding(padtype, padlen, x, axis, max(a.size, b.size))
    state = steady_state(b, a)
    state = cp.asarray(state.reshape([-1 if i == axis else 1 for i in range(x.ndim)]))
    state = state.astype(np.result_type(state.dtype, wide(x.dtype))) if state.dtype.kind == "c" else state
    if wide(x.dtype, b.dtype, a.dtype).itemsize < 8:
        state = state.astype(wide(x.dtype, b.dtype, a.dtype))
    first = along(x.ndim, axis, slice(0, 1))
    back = along(x.ndim, axis, slice(None, None, -1))
    y, _ = rational(b, a, longer, axis, state * longer[first])
    y = y[back]
    y, _ = rational(b, a, y, axis, state * y[first])
    y = y[back]
    return y[along(x.ndim, axis, slice(edge, -edge))] if edge > 0 else y


def _gustafsson(b: np.ndarray, a: np.ndarray, x: ndarray, axis: int, irlen: int | None) -> ndarray:
    """Both orders of running agree for the initial states that a least-squares problem gives."""
    order = max(b.size, a.size) - 1
    if order == 0:
        return (b[0] / a[0]) ** 2 * x
    rows = _rows(x, axis)
    n = rows.shape[1]
    m = n if irlen is None or n <= 2 * irlen else operator.index(irlen)
    impulse = cp.zeros(m)
    impulse[:1] = 1
    response = lfilter([1.0], a, impulse)
    # Responses to the numbers of the state: columns that begin later.
    lag = cp.arange(m)[:, None] - cp.arange(order)
    seen = cp.where(lag >= 0, response[cp.maximum(lag, 0)], 0.0)
    through = lfilter(b, a, seen[::-1], axis=0)
    forward, backward = through[::-1] - seen, seen[::-1] - through
    left, right = through[::-1], seen[::-1]
    if m == n:
        matrix, weights = cp.hstack((forward, backward)), cp.hstack((left, right))
    else:
        zeros = cp.zeros((m, order), forward.dtype)
        matrix = cp.vstack((cp.hstack((forward, zeros)), cp.hstack((zeros, backward))))
        weights = cp.vstack((cp.hstack((left, zeros)), cp.hstack((zeros, right))))
    fb = lfilter(b, a, lfilter(b, a, rows)[:, ::-1])[:, ::-1]
    bf = lfilter(b, a, lfilter(b, a, rows[:, ::-1])[:, ::-1])
    delta = bf - fb
    if m != n:
        delta = cp.concatenate((delta[:, :m], delta[:, n - m :]), axis=1)
    found = cp.linalg.lstsq(matrix.astype(delta.dtype, copy=False), delta.T, rcond=None)[0]
    correction = (weights.astype(found.dtype, copy=False) @ found).T
    if m == n:
        y = fb + correction
    else:
        y = cp.concatenate((fb[:, :m] + correction[:, :m], fb[:, m : n - m], fb[:, n - m :] + correction[:, m:]), 1)
    return _back(y, x.shape, axis)


def check_sections(sos: Any, normalized: bool = True) -> np.ndarray:
    """Sections of second order on the host; `normalized` ones have a0 = 1."""
    sos = np.atleast_2d(to_host(sos))
    if sos.ndim != 2:
        raise ValueError("sos array must be 2D")
    if sos.shape[1] != 6:
        raise ValueError("sos array must be shape (n_sections, 6)")
    if normalized and not (sos[:, 3] == 1).all():
        raise ValueError("sos[:, 3] should be all ones")
    return sos


def sosfilt(sos: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """A filter of sections of second order, one after another, along an axis.

    Parameters
    ----------
    sos : array_like
        The sections (n_sections, 6), each with b0, b1, b2, 1, a1, a2; those of a device are read.
    zi : array_like, optional
        The initial state, (n_sections, ..., 2, ...), where 2 is in the place of the axis of time. Under
        `cuproxide.compat` also (n_sections, ..., 4, ...), CuPy's: two inputs and two outputs, oldest first.

    Returns
    -------
    ndarray, or a tuple with the final state if `zi` was given
        The filtered signal.

    Raises
    ------
    ValueError
        Sections or states are not of these shapes.

    Examples
    --------
    >>> import cuproxide as cp
    >>> cp.scipy.signal.sosfilt([[1.0, 0.0, 0.0, 1.0, -0.5, 0.0]], cp.asarray([1.0, 0.0, 0.0]))
    array([1.  , 0.5 , 0.25])
    """
    if zi is not None and follows_cupy():
        state, place = as_device(zi), normalize_axis_index(axis, np.ndim(x)) + 1
        # The lengths tell the forms of states apart: SciPy's has 2 for each section.
        if state.ndim == np.ndim(x) + 1 and state.shape[place] == 4:
            from ._histories import cascaded

            return cascaded(check_sections(sos), x, axis, state)
    return sections_in_turn(sos, x, axis, zi)


def sections_in_turn(sos: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """`sosfilt` with SciPy's form of states."""
    sos, x = check_sections(sos), as_device(x)
    if x.ndim == 0:
        raise ValueError("x must be at least 1D")
    axis = normalize_axis_index(axis, x.ndim)
    sections = sos.shape[0]
    expected = (sections, *(2 if i == axis else size for i, size in enumerate(x.shape)))
    state = None if zi is None else as_device(zi)
    dtype = wide(*(part.dtype for part in (sos, x, state) if part is not None))
    rows = _rows(x, axis)
    if state is None:
        start = cp.zeros((sections, rows.shape[0], 2), dtype)
    else:
        if state.shape != expected:
            raise ValueError(
                f"Invalid zi shape. With axis={axis!r}, an input with shape {x.shape!r}, and an sos array with "
                f"{sections} sections, zi must have shape {expected!r}, got {state.shape!r}."
            )
        start = cp.moveaxis(state, axis + 1, -1).reshape(sections, rows.shape[0], 2).astype(dtype, copy=False)
    taps = sos[:, [0, 1, 2, 4, 5]].astype(np.result_type(dtype, sos.dtype))
    y, lasts = rows, []
    for begin in range(0, sections, SECTIONS):
        part = taps[begin : begin + SECTIONS]
        count, through = len(part), _cascade(part.tobytes(), part.dtype.str, dtype.str)
        first = cp.moveaxis(start[begin : begin + count], 0, 1).reshape(rows.shape[0], 2 * count)
        y, last = _run(y, first, through)
        lasts.append(last.reshape(rows.shape[0], count, 2))
    y = _back(y, x.shape, axis)
    if state is None:
        return y
    final = cp.moveaxis(cp.concatenate(lasts, axis=1), 1, 0)
    others = [size for i, size in enumerate(x.shape) if i != axis]
    return y, cp.moveaxis(final.reshape(sections, *others, 2), -1, axis + 1)


@functools.lru_cache(maxsize=64)
def _steady(sections: tuple[tuple[complex, ...], ...], dtype: str) -> np.ndarray:
    from ._states import steady_sections

    return steady_sections(np.array(sections, dtype).reshape(-1, 6))


def sosfiltfilt(sos: Any, x: Any, axis: int = -1, padtype: Any = "odd", padlen: int | None = None) -> ndarray:
    """A filter of sections of second order run forwards and backwards.

    Parameters
    ----------
    sos : array_like
        The sections; see `sosfilt`.
    padtype, padlen
        As for `filtfilt`.

    Returns
    -------
    ndarray
        The filtered signal.

    Raises
    ------
    ValueError
        As for `filtfilt` and `sosfilt`.

    Examples
    --------
    >>> import cuproxide as cp
    >>> cp.scipy.signal.sosfiltfilt([[0.5, 0.5, 0.0, 1.0, 0.0, 0.0]], cp.arange(8.0)).round(6)
    array([0., 1., 2., 3., 4., 5., 6., 7.])
    """
    sos, x = check_sections(sos), as_device(x)
    if x.ndim == 0:
        raise ValueError("x must be at least 1D")
    axis = normalize_axis_index(axis, x.ndim)
    ntaps = 2 * len(sos) + 1
    ntaps -= min(int((sos[:, 2] == 0).sum()), int((sos[:, 5] == 0).sum()))
    edge, longer = _padding(padtype, padlen, x, axis, ntaps)
    state = _steady(tuple(map(tuple, sos.tolist())), sos.dtype.char).reshape(
        [len(sos), *(2 if i == axis else 1 for i in range(x.ndim))]
    )
    state = cp.asarray(state.astype(np.result_type(state.dtype, wide(sos.dtype, x.dtype))))
    if wide(sos.dtype, x.dtype).itemsize < 8:
        state = state.astype(wide(sos.dtype, x.dtype))
    first = along(x.ndim, axis, slice(0, 1))
    back = along(x.ndim, axis, slice(None, None, -1))
    y, _ = sections_in_turn(sos, longer, axis, state * longer[first])
    y = y[back]
    y, _ = sections_in_turn(sos, y, axis, state * y[first])
    y = y[back]
    return y[along(x.ndim, axis, slice(edge, -edge))] if edge > 0 else y


def symmetric_rows(b: np.ndarray, a: np.ndarray, x: ndarray, radius: float, precision: float) -> ndarray:
    """Rows filtered forwards and backwards as if they went on mirrored at both ends, in which each end is repeated.

    As many mirrored points are taken as the response of a pole at `radius` needs to fall below `precision`.
    """
    length = x.shape[1]
    count = length
    if 0 < radius < 1:
        # Products with powers of the index, for double poles.
        count = min(length, int(np.ceil(np.log(precision) / np.log(radius))) + 1)
    elif radius == 0:
        count = min(length, 2)
    back = x[:, ::-1]
    order = max(b.size, a.size) - 1
    start = cp.zeros((x.shape[0], order), np.result_type(x.dtype, b.dtype, a.dtype))
    if order == 1:
        # What comes back from a mirrored end is known for one pole.
        y, _ = direct_rows(b, a, cp.concatenate((back[:, length - count :], x), axis=1), start)
        y = y[:, count:]
        pole = -a[1] / a[0]
        y, _ = direct_rows(np.ones(1), a, y[:, ::-1], y[:, -1:] * (pole / (1 - pole)))
        return y[:, ::-1]
    longer = cp.concatenate((back[:, length - count :], x, back[:, :count]), axis=1)
    y, _ = direct_rows(b, a, longer, start)
    y, _ = direct_rows(np.ones(1), a, y[:, ::-1], start)
    return y[:, ::-1][:, count : count + length]


def _symmetric(x: Any, precision: float, radius: float, height: float, b: Any, a: Any) -> ndarray:
    x = as_device(x)
    if x.ndim not in (1, 2):
        raise ValueError(f"Input must be 1D or 2D, not {x.ndim}-dimensional")
    if x.shape[-1] == 0:
        raise ValueError("the signal is empty")
    dtype = wide(x.dtype)
    if np.iscomplexobj(a) or np.iscomplexobj(b):
        dtype = np.result_type(dtype, np.complex64)
    if precision <= 0.0 or precision > 1.0:
        precision = 1e-6 if dtype in (np.float32, np.complex64) else 1e-11
    if 0 < radius < 1 and height * radius ** (x.shape[-1] - 1) > precision:
        raise ValueError("Sum to find symmetric boundary conditions did not converge.")
    rows = x.reshape(-1, x.shape[-1]).astype(dtype, copy=False)
    found = symmetric_rows(np.asarray(b), np.asarray(a), rows, radius, float(np.finfo(dtype).eps) / 16)
    return found.astype(dtype, copy=False).reshape(x.shape)


def symiirorder1(signal: Any, c0: float, z1: float, precision: float = -1.0) -> ndarray:
    """The filter c0 / ((1 - z1/z) (1 - z1 z)) with mirrored ends, forwards and backwards.

    Parameters
    ----------
    signal : array_like
        One row or several.
    c0, z1 : float
        The gain, and the pole within the unit circle.
    precision : float, optional
        What the signal must be long enough for.

    Returns
    -------
    ndarray
        The filtered signal.

    Raises
    ------
    ValueError
        The pole is not within the unit circle, or the signal is too short for it.

    Examples
    --------
    >>> import cuproxide as cp
    >>> cp.scipy.signal.symiirorder1(cp.ones(64), 0.25, 0.5)[:3]
    array([1., 1., 1.])
    """
    c0, z1 = read_arrays((c0, z1))
    if abs(z1) >= 1:
        raise ValueError("|z1| must be less than 1.0")
    return _symmetric(signal, precision, float(abs(z1)), 1.0, np.array([c0]), np.array([1.0, -z1]))


def symiirorder2(input: Any, r: float, omega: float, precision: float = -1.0) -> ndarray:
    """The filter with a pair of poles r exp(+-i omega) and gain 1, with mirrored ends, forwards and backwards.

    Parameters
    ----------
    input : array_like
        One row or several.
    r, omega : float
        The radius below 1 and the angle of the poles.
    precision : float, optional
        What the signal must be long enough for.

    Returns
    -------
    ndarray
        The filtered signal.

    Raises
    ------
    ValueError
        The radius is not below 1, or the signal is too short for it.

    Examples
    --------
    >>> import cuproxide as cp
    >>> cp.scipy.signal.symiirorder2(cp.ones(64), 0.5, 0.3)[:3]
    array([1., 1., 1.])
    """
    r, omega = (float(value) for value in read_arrays((r, omega)))
    if r >= 1.0:
        raise ValueError("r must be less than 1.0")
    middle = 2 * r * np.cos(omega)
    gain = 1 - middle + r * r
    # How high the response is over the powers of the radius, where it must have decayed.
    height = gain / max(abs(float(np.sin(omega))), 0.1)
    return _symmetric(input, precision, float(r), height, np.array([gain * gain]), np.array([1.0, -middle, r * r]))
