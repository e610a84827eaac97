"""Linear recurrences along rows: the state z' = A z + B x, in chunks of a fixed length that run side by side.

A chunk whose state at the start is known runs in one thread. The states that chunks leave when they start from zero are
a product of the input with a matrix, or what the recurrence finds in double precision where a device has many threads.
A scan over chunks adds what the starts contribute, with the power of A that goes through a chunk. Long scans are taken
in groups in the same way.

The powers are computed once for each filter, in integers of 256 fractional bits, and rounded once. So what a chunk
takes over is as accurate as what one step computes, also for poles on and near the unit circle.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.routes import way

CHUNK = 128
GROUP = 32
# Shorter rows run in one thread.
SHORT = 16 * CHUNK
# Chunks and groups of them whose scan by powers is not taken in groups.
_FEW_CHUNKS, _FEW_GROUPS = 32, 128
_BITS = 256
_ONE = 1 << _BITS
# Orders up to this keep the state in registers.
REGISTERS = 16


class Fixed:
    """A matrix of numbers with 256 fractional bits, real and imaginary parts apart."""

    def __init__(self, real: np.ndarray, imag: np.ndarray | None = None) -> None:
        self.real, self.imag = real, imag

    @staticmethod
    def of(values: Any) -> Fixed:
        """Numbers of floating point, exactly but for what lies below 2 to the -256."""
        values = np.asarray(values)
        if values.dtype.kind == "c":
            return Fixed(Fixed.of(values.real).real, Fixed.of(values.imag).real)
        made = np.empty(values.shape, object)
        for place, value in np.ndenumerate(values):
            top, bottom = float(value).as_integer_ratio()
            made[place] = (top << _BITS) // bottom
        return Fixed(made)

    def __matmul__(self, other: Fixed) -> Fixed:
        real = self.real @ other.real
        if self.imag is None and other.imag is None:
            return Fixed(real >> _BITS)
        mine = self.imag if self.imag is not None else self.real * 0
        theirs = other.imag if other.imag is not None else other.real * 0
        return Fixed((real - mine @ theirs) >> _BITS, (self.real @ theirs + mine @ other.real) >> _BITS)

    def beside(self, other: Fixed) -> Fixed:
        imag = None if self.imag is None or other.imag is None else np.hstack((self.imag, other.imag))
        return Fixed(np.hstack((self.real, other.real)), imag)

    def minus(self, values: np.ndarray) -> Fixed:
        """The same less numbers of floating point."""
        other = Fixed.of(values)
        return Fixed(self.real - other.real, None if self.imag is None else self.imag - other.imag)

    def rounded(self) -> np.ndarray:
        """The nearest floating point numbers, infinite where they are too large."""

        def each(part: np.ndarray) -> np.ndarray:
            found = np.empty(part.shape)
            for place, value in np.ndenumerate(part):
                try:
                    found[place] = value / _ONE
                except OverflowError:
                    found[place] = np.inf
            return found

        return each(self.real) if self.imag is None else each(self.real) + 1j * each(self.imag)


class Plan:
    """The powers of one recurrence: A to the length of a chunk, of a group of chunks, and so on."""

    def __init__(self, a: Fixed, b: Fixed) -> None:
        self.order = a.real.shape[0]
        self.is_complex = a.imag is not None
        self._first, self._input = a, b
        self._steps: list[Fixed] = []
        self._pairs: list[tuple[np.ndarray, np.ndarray]] = []
        self._finite: dict[int, bool] = {}
        self._scans: dict[int, Scan] = {}

    @functools.cached_property
    def gather(self) -> np.ndarray:
        """The matrix from the inputs of a chunk to its last state: (inputs, order)."""
        powers, square, done = self._input, self._first, 1
        while done < CHUNK:
            # The inputs that come first go through most steps.
            powers = (square @ powers).beside(powers)
            square, done = square @ square, done * 2
        return powers.rounded().T.copy()

    def step(self, level: int) -> tuple[np.ndarray, np.ndarray]:
        """The matrix of a step at a level from 1, through a chunk or a group, as the sum of two matrices.

        States of real and complex numbers are rows of real ones, so it is real, too.
        """
        while len(self._pairs) < level:
            square, done = (self._steps[-1], GROUP) if self._steps else (self._first, CHUNK)
            for _ in range(done.bit_length() - 1):
                square = square @ square
            self._steps.append(square)
            self._pairs.append(self._parts(square))
        return self._pairs[level - 1]

    def _parts(self, matrix: Fixed) -> tuple[np.ndarray, np.ndarray]:
        high = matrix.rounded()
        with np.errstate(invalid="ignore"):
            low = matrix.minus(high).rounded() if np.isfinite(high).all() else high * 0
        return _as_real(high, self.is_complex), _as_real(low, self.is_complex)

    def scan(self, chunks: int) -> Scan:
        """How states go through so many chunks by powers of A."""
        if chunks not in self._scans:
            self._scans[chunks] = Scan(self, chunks)
        return self._scans[chunks]

    def powers(self, distance: int, count: int) -> np.ndarray:
        """A to the power of 0, 1, ... count - 1 distances, transposed and as sums: (count, order, order, 2)."""
        step, power = self._first, self._first.real * 0
        np.fill_diagonal(power, _ONE)
        for _ in range(distance.bit_length() - 1):
            step = step @ step
        powers = [Fixed(power, None if self._first.imag is None else power * 0)]
        while len(powers) < count:
            powers.append(step @ powers[-1])
        return np.array([np.stack([part.T for part in self._parts(power)], axis=-1) for power in powers])

    def is_finite(self, levels: int) -> bool:
        """Whether the powers up to a level are numbers; those of unstable filters grow beyond."""
        if levels not in self._finite:
            self._finite[levels] = bool(np.isfinite(self.gather).all()) and all(
                np.isfinite(self.step(level)[0]).all() for level in range(1, levels + 1)
            )
        return self._finite[levels]


class Scan:
    """How states go through chunks by powers: the numbers that kernels read, and where those of each level begin."""

    def __init__(self, plan: Plan, chunks: int) -> None:
        self.groups: list[int] = []
        self.begins: list[int] = []
        tables, distance, count, most, begin = [], CHUNK, chunks, _FEW_CHUNKS, 0
        while True:
            group = count if count <= most else min(64, 1 << count.bit_length() // 2)
            tables.append(plan.powers(distance, group).ravel())
            self.groups.append(group)
            self.begins.append(begin)
            if group == count:
                break
            distance, count, most, begin = distance * group, -(-count // group), _FEW_GROUPS, begin + tables[-1].size
        self.numbers = np.concatenate(tables)


def _as_real(matrix: np.ndarray, is_complex: bool) -> np.ndarray:
    """The matrix that acts on real and imaginary parts, which take turns."""
    if not is_complex:
        return matrix
    n = len(matrix)
    made = np.empty((n, 2, n, 2))
    made[:, 0, :, 0] = made[:, 1, :, 1] = matrix.real
    made[:, 1, :, 0] = matrix.imag
    made[:, 0, :, 1] = -matrix.imag
    return made.reshape(2 * n, 2 * n)


def depth(length: int) -> int:
    """The number of levels for rows of a length."""
    count, levels = -(-length // CHUNK), 1
    while count > 2 * GROUP:
        count, levels = -(-count // GROUP), levels + 1
    return levels


@functools.lru_cache(maxsize=256)
def direct_plan(b: tuple[complex, ...], a: tuple[complex, ...]) -> Plan | None:
    """The plan of a filter in transposed direct form II; both have the same length, and a[0] is 1.

    There is none for numbers without enough bits.
    """
    if not is_representable(np.array((b, a)), np.array((b,))):
        return None
    taps, poles = Fixed.of(np.array(b)), Fixed.of(np.array(a))
    order = len(a) - 1
    parts = [np.empty((order, order), object) for _ in range(2)]
    first = Fixed(taps.real[:1].reshape(1, 1), None if taps.imag is None else taps.imag[:1].reshape(1, 1))
    tail = Fixed(poles.real[1:].reshape(-1, 1), None if poles.imag is None else poles.imag[1:].reshape(-1, 1))
    through = tail @ first
    for part, source in zip(parts, (poles.real, poles.imag), strict=True):
        part[...] = 0
        if source is not None:
            part[:, 0] = -source[1:]
    for row in range(order - 1):
        parts[0][row, row + 1] = _ONE
    is_complex = through.imag is not None
    real = taps.real[1:].reshape(-1, 1) - through.real
    imag = None
    if is_complex:
        imag = (0 if taps.imag is None else taps.imag[1:].reshape(-1, 1)) - through.imag
    return Plan(Fixed(parts[0], parts[1] if is_complex else None), Fixed(real, imag))


@functools.lru_cache(maxsize=256)
def section_plan(sections: tuple[tuple[complex, ...], ...]) -> Plan | None:
    """The plan of a cascade of biquadratic sections, each (b0, b1, b2, a1, a2), with two numbers of state each.

    There is none for numbers without enough bits.
    """
    values = np.array(sections)
    if not is_representable(values, values[:, :3]):
        return None
    order = 2 * len(sections)
    # Each signal on the way as a row: its weights of the states, and of the input.
    signal = np.zeros((1, order + 1), complex)
    signal[0, -1] = 1
    is_complex = any(isinstance(value, complex) and value.imag for section in sections for value in section)
    signal = Fixed.of(signal if is_complex else signal.real)
    rows: list[Fixed] = []
    for number, section in enumerate(sections):
        b0, b1, b2, a1, a2 = (Fixed.of(np.array([[value]]) if is_complex else np.array([[value]]).real)
                              for value in section)  # fmt: skip

        def unit(column: int) -> Fixed:
            made = np.zeros((1, order + 1), complex if is_complex else float)
            made[0, column] = 1
            return Fixed.of(made)

        def add(x: Fixed, y: Fixed, sign: int = 1) -> Fixed:
            imag = None if x.imag is None or y.imag is None else x.imag + sign * y.imag
            return Fixed(x.real + sign * y.real, imag)

        out = add(b0 @ signal, unit(2 * number))
        rows.append(add(add(b1 @ signal, a1 @ out, -1), unit(2 * number + 1)))
        rows.append(add(b2 @ signal, a2 @ out, -1))
        signal = out
    real = np.vstack([row.real for row in rows])
    imag = np.vstack([row.imag for row in rows if row.imag is not None]) if is_complex else None
    state = Fixed(real[:, :order], None if imag is None else imag[:, :order])
    return Plan(state, Fixed(real[:, order:], None if imag is None else imag[:, order:]))


@functools.lru_cache(maxsize=64)
def matrix_plan(rows: tuple[tuple[complex, ...], ...]) -> Plan:
    """The plan of x' = A x + v, where inputs are whole vectors."""
    matrix = np.array(rows)
    one = np.eye(len(matrix), dtype=matrix.dtype)
    return Plan(Fixed.of(matrix), Fixed.of(one))


@k.function
def _plus(high, low, a, b, z):
    """A sum of two parts and the product of a + b with z, with its rounding errors in the lower part."""
    product = a * z
    low = low + (k.fma(a, z, -product) + b * z)
    total = high + product
    part = total - high
    return total, low + ((high - (total - part)) + (product - part))


@k.function
def _through(state, power, numbers, row, part, i, highs, lows, *, order):
    """Adds what a state (row, part) contributes to a number of another one, a sum for each number of the former."""
    sums = tuple(
        _plus(
            highs[q], lows[q], numbers[power + (q * order + i) * 2], numbers[power + (q * order + i) * 2 + 1],
            state[row, part, q],
        )
        for q in range(order)
    )  # fmt: skip
    return tuple(high for high, _ in sums), tuple(low for _, low in sums)


@k.function
def _added(ends, power, numbers, row, start, stop, i, highs, lows, *, order):
    """Adds what the states from `start` to `stop` contribute; the power of the first one ends at `power`.

    Those of several states are read at once, as memory is slower than sums.
    """
    together, size = max(1, 16 // order), 2 * order * order
    rest = start + (stop - start) // together * together
    for j in k.steps(start, rest, together):
        for u in range(together):
            power = power - size
            highs, lows = _through(ends, power, numbers, row, j + u, i, highs, lows, order=order)
    for j in k.steps(rest, stop):
        power = power - size
        highs, lows = _through(ends, power, numbers, row, j, i, highs, lows, order=order)
    return highs, lows


@k.function
def _total(highs, lows):
    """The sum of numbers in two parts."""
    total, rest = highs[0], lows[0]
    for high, low in zip(highs[1:], lows[1:], strict=True):
        total, rest = _plus(total, rest + low, high, 0.0, 1.0)
    return total + rest


@k.kernel
def _all_group_ends(ends: k.Array, numbers: k.Array, begin: int, group: int, *, order):
    """The states that groups of chunks leave if they start from zero, a thread for each number."""
    row, part, i = k.coordinates()
    first, zeros = part * group, (k.value(0.0, "float64"),) * order
    power = begin + group * (2 * order * order)
    return _total(*_added(ends, power, numbers, row, first, first + group, i, zeros, zeros, order=order))


@k.kernel
def _all_starts(ends: k.Array, start: k.Array, numbers: k.Array, begin: int, group: int, *, order):
    """The states at the starts of chunks, from those at the starts of groups, a thread for each number."""
    row, chunk, i = k.coordinates()
    part = (chunk.astype("uint32") // k.value(group).astype("uint32")).astype("int64")
    first = part * group
    highs = lows = (k.value(0.0, "float64"),) * order
    power = begin + (chunk - first) * (2 * order * order)
    highs, lows = _through(start, power, numbers, row, part, i, highs, lows, order=order)
    return _total(*_added(ends, power, numbers, row, first, chunk, i, highs, lows, order=order))


@k.kernel
def _group_ends(ends: k.Array, high: k.Array, low: k.Array, states: k.Out, group: int, *, order, registers):
    """The states that groups of chunks leave if they start from zero; `states` has two places to take turns in."""
    row, part = k.coordinates()
    first = part * group
    if registers:
        z = tuple(ends[row, first, i] for i in range(order))
        for j in k.steps(first + 1, first + group):
            following = ()
            for i in range(order):
                total, rest = (ends[row, j, i], 0.0)
                for q in range(order):
                    total, rest = _plus(total, rest, high[i, q], low[i, q], z[q])
                following = (*following, total + rest)
            z = following
        for i in range(order):
            states[row, part, 0, i] = z[i]
    else:
        for i in k.steps(order):
            states[row, part, 1, i] = ends[row, first, i]
        for j in k.steps(1, group):
            before = j & 1
            for i in k.steps(order):
                total, rest = (ends[row, first + j, i], 0.0)
                for q in k.steps(order):
                    total, rest = _plus(total, rest, high[i, q], low[i, q], states[row, part, before, q])
                states[row, part, 1 - before, i] = total + rest


@k.kernel
def _advance(
    ends: k.Array, start: k.Array, high: k.Array, low: k.Array, states: k.Out, group: int, *, order, registers
):
    """The states at the starts of a group of chunks, from that of the first one."""
    row, part = k.coordinates()
    first = part * group
    stop = min(first + group, states.shape[1])
    if registers:
        z = tuple(start[row, part, i] for i in range(order))
        for i in range(order):
            states[row, first, i] = z[i]
        for j in k.steps(first + 1, stop):
            following = ()
            for i in range(order):
                total, rest = (ends[row, j - 1, i], 0.0)
                for q in range(order):
                    total, rest = _plus(total, rest, high[i, q], low[i, q], z[q])
                following = (*following, total + rest)
            z = following
            for i in range(order):
                states[row, j, i] = z[i]
    else:
        for i in k.steps(order):
            states[row, first, i] = start[row, part, i]
        for j in k.steps(first + 1, stop):
            for i in k.steps(order):
                total, rest = (ends[row, j - 1, i], 0.0)
                for q in k.steps(order):
                    total, rest = _plus(total, rest, high[i, q], low[i, q], states[row, j - 1, q])
                states[row, j, i] = total + rest


def by_powers(x: ndarray, kind: np.dtype[Any], order: int) -> bool:
    """Whether states go through chunks by powers: more products, of which each thread adds up those of one number."""
    return kind.kind == "f" and order <= REGISTERS and way("states by powers", x)


def starts_by_powers(
    ends: ndarray, start: ndarray, scan: Scan, numbers: ndarray, begin: int, level: int = 0
) -> ndarray:
    """`_starts` with the numbers of a scan, which lie in `numbers` from `begin` on."""
    rows, count, order = ends.shape[0], ends.shape[1] + 1, ends.shape[2]
    group, first = scan.groups[level], start[:, None, :]
    at = begin + scan.begins[level]
    if group < count:
        last = _all_group_ends(ends, numbers, at, group, order=order, shape=(rows, -(-count // group) - 1, order))
        first = starts_by_powers(last, start, scan, numbers, begin, level + 1)
    return _all_starts(ends, first, numbers, at, group, order=order, shape=(rows, count, order))


def _starts(ends: ndarray, start: ndarray, plan: Plan, level: int = 1) -> ndarray:
    """The states (rows, chunks, order) at the starts of chunks, in double precision.

    `ends` (rows, chunks - 1, order) are the states that chunks leave if they start from zero, `start` (rows, order) is
    the state at the start of the row. Powers may be large and cancel, so products are summed with rounding errors.
    """
    rows, count, order = ends.shape[0], ends.shape[1] + 1, ends.shape[2]
    high, low = (cp.asarray(part) for part in plan.step(level))
    options = {"order": order, "registers": order <= 8}
    group, first = count, start[:, None, :]
    if count > 2 * GROUP:
        group, groups = GROUP, -(-count // GROUP)
        last = cp.empty((rows, groups - 1, 2, order))
        _group_ends(ends, high, low, last, group, **options, shape=(rows, groups - 1))
        first = _starts(last[:, :, 0], start, plan, level + 1)
    states = cp.empty((rows, count, order))
    _advance(ends, first, high, low, states, group, **options, shape=(rows, first.shape[1]))
    return states


def chunk_starts(x: ndarray, start: ndarray, plan: Plan) -> ndarray:
    """The states at the starts of the chunks of rows: `x` is (rows, length), or (rows, length, order) for vectors."""
    rows, length = x.shape[:2]
    chunks = -(-length // CHUNK)
    whole = x[:, : (chunks - 1) * CHUNK].reshape(rows, chunks - 1, plan.gather.shape[0])
    ends = whole @ cp.asarray(plan.gather.astype(start.dtype))
    # Real and imaginary parts as neighbours; where the powers are real, parts are rows of their own.
    if start.dtype.kind != "c":
        return _starts(ends.astype(np.float64, copy=False), start.astype(np.float64, copy=False), plan).astype(
            start.dtype, copy=False
        )
    ends, first = (cp.ascontiguousarray(part.astype(np.complex128)) for part in (ends, start))
    order = plan.order
    if plan.is_complex:
        found = _starts(ends.view(np.float64), first.view(np.float64), plan)
        return found.view(np.complex128).astype(start.dtype, copy=False)
    ends, first = cp.concatenate((ends.real, ends.imag)), cp.concatenate((first.real, first.imag))
    found = _starts(ends, first, plan).reshape(2, rows, chunks, order)
    return (found[0] + 1j * found[1]).astype(start.dtype, copy=False)


def in_chunks(x: ndarray, order: int) -> bool:
    """Whether rows run in chunks: they are long, and too few to fill a device by themselves."""
    rows, length = x.shape[:2]
    if length < SHORT or order > 32 or order == 0:
        return False
    return bool(way("rows of recurrences in chunks", x, rows))


def is_representable(values: np.ndarray, gains: np.ndarray) -> bool:
    """Whether numbers have enough of the 256 bits: they are finite, and what rows of gains do together is not tiny."""
    if not np.isfinite(values).all():
        return False
    highest = abs(gains).max(axis=1)
    return bool(np.log2(highest[highest > 0]).sum() > -_BITS / 2)
