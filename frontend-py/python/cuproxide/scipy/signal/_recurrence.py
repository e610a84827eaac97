"""Linear recurrences along rows: the state z' = A z + B x, in chunks of a fixed length that run side by side.

A chunk whose state at the start is known runs in one thread. For the states at the starts of all chunks, the states that
chunks leave when they start from zero are a product of the input with a matrix; a scan over chunks then adds what the
starts contribute, with the power of A that goes through a chunk. Long scans are taken in groups in the same way.

The powers are computed once for each filter, in integers of 256 fractional bits, and rounded once. So what a chunk takes
over is as accurate as what one step of the recurrence computes, also for poles on and near the unit circle.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k

CHUNK = 128
GROUP = 32
# Shorter rows run in one thread.
SHORT = 16 * CHUNK
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
        self.levels: list[tuple[np.ndarray, np.ndarray]] = []
        self._step, self._input = a, b
        self.order = a.real.shape[0]

    def level(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """The matrix of one step at a level, and the one that leads from all inputs of a group to its last state."""
        while len(self.levels) <= number:
            count = CHUNK if not self.levels else GROUP
            step, powers, square, done = self._step, self._input, self._step, 1
            while done < count:
                # The inputs that come first go through most steps.
                powers = (square @ powers).beside(powers)
                square, done = square @ square, done * 2
            self.levels.append((step.rounded(), powers.rounded().T.copy()))
            self._step = square
            one = np.empty((self.order, self.order), object)
            one[...] = 0
            np.fill_diagonal(one, _ONE)
            self._input = Fixed(one, None if square.imag is None else one * 0)
        return self.levels[number]

    def is_finite(self, levels: int) -> bool:
        """Whether the powers up to a level are numbers; those of unstable filters grow beyond."""
        return all(np.isfinite(part).all() for number in range(levels + 1) for part in self.level(number))


def depth(length: int) -> int:
    """The number of levels above the chunks for rows of a length."""
    count, levels = -(-length // CHUNK), 1
    while count > 2 * GROUP:
        count, levels = -(-count // GROUP), levels + 1
    return levels


@functools.lru_cache(maxsize=256)
def direct_plan(b: tuple[complex, ...], a: tuple[complex, ...]) -> Plan:
    """The plan of a filter in transposed direct form II; both have the same length, and a[0] is 1."""
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
def section_plan(sections: tuple[tuple[complex, ...], ...]) -> Plan:
    """The plan of a cascade of biquadratic sections, each (b0, b1, b2, a1, a2), with two numbers of state each."""
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
    imag = np.vstack([row.imag for row in rows]) if is_complex else None
    state = Fixed(real[:, :order], None if imag is None else imag[:, :order])
    return Plan(state, Fixed(real[:, order:], None if imag is None else imag[:, order:]))


@functools.lru_cache(maxsize=64)
def matrix_plan(rows: tuple[tuple[complex, ...], ...]) -> Plan:
    """The plan of x' = A x + v, where inputs are whole vectors."""
    matrix = np.array(rows)
    one = np.eye(len(matrix), dtype=matrix.dtype)
    return Plan(Fixed.of(matrix), Fixed.of(one))


@k.kernel
def _advance(ends: k.Array, start: k.Array, step: k.Array, states: k.Out, group: int, *, order, kind):
    """The states at the starts of a group of chunks, from that of the first one."""
    row, part = k.coordinates()
    first = part * group
    stop = min(first + group, states.shape[1])
    if order <= 8:
        z = tuple(start[row, part, i] for i in range(order))
        matrix = tuple(tuple(step[i, q] for q in range(order)) for i in range(order))
        for i in range(order):
            states[row, first, i] = z[i]
        for j in k.steps(first + 1, stop):
            z = tuple(sum((matrix[i][q] * z[q] for q in range(order)), ends[row, j - 1, i]) for i in range(order))
            for i in range(order):
                states[row, j, i] = z[i]
    else:
        for i in k.steps(order):
            states[row, first, i] = start[row, part, i]
        for j in k.steps(first + 1, stop):
            for i in k.steps(order):
                total = ends[row, j - 1, i]
                for q in k.steps(order):
                    total = total + step[i, q] * states[row, j - 1, q]
                states[row, j, i] = total


def starts(ends: ndarray, start: ndarray, plan: Plan, level: int = 1) -> ndarray:
    """The states at the starts of chunks.

    `ends` (rows, chunks - 1, order) are the states that chunks leave if they start from zero, `start` (rows, order) is
    the state at the start of the row. Of `chunks` states (rows, chunks, order) is the result.
    """
    rows, count, order = ends.shape[0], ends.shape[1] + 1, plan.order
    step, gather = plan.level(level)
    kind = ends.dtype
    if count <= 2 * GROUP:
        group, first = count, start[:, None, :]
    else:
        group, groups = GROUP, -(-count // GROUP)
        whole = ends[:, : (groups - 1) * GROUP].reshape(rows, groups - 1, GROUP * order)
        first = starts(whole @ cp.asarray(gather.astype(kind)), start, plan, level + 1)
    out = cp.empty((rows, count, order), kind)
    matrix = cp.asarray(step.astype(kind))
    _advance(ends, first, matrix, out, group, order=order, kind=kind.name, shape=(rows, first.shape[1]))
    return out


def chunk_starts(x: ndarray, start: ndarray, plan: Plan) -> ndarray:
    """The states at the starts of the chunks of rows: `x` is (rows, length), or (rows, length, order) for vectors."""
    rows, length = x.shape[:2]
    chunks = -(-length // CHUNK)
    gather = plan.level(0)[1]
    whole = x[:, : (chunks - 1) * CHUNK].reshape(rows, chunks - 1, gather.shape[0])
    return starts(whole @ cp.asarray(gather.astype(start.dtype)), start, plan)


def in_chunks(x: ndarray, order: int) -> bool:
    """Whether rows run in chunks: they are long, and too few to fill a device by themselves."""
    rows, length = x.shape[:2]
    if length < SHORT or order > 32 or order == 0:
        return False
    # Processors with few cores have enough with few rows.
    return rows < (16384 if x.device.asynchronous else 8)
