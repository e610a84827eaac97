"""Banded systems of splines.

The matrices of splines need no pivots (de Boor and Pinkus, 1977). Where there are many threads the unknowns are divided
into parts with separators of the width of the band between them: all parts are eliminated at once, what is left is a
banded system of the separators, which is divided again. The residual is checked; a solution that misses it is found
again with pivots.
"""

from __future__ import annotations

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..linalg import solve_banded
from ._common import has_many_threads, last_first

# Rows of a part, and from how many rows on there are several.
_PART, _MANY = 48, 512
_TOLERANCE = 1e-11


@k.kernel
def _to_rows(ab: k.Array, i: k.Each, c: k.Each, below: int, above: int, width: int):
    """The element of row `i` that is `c - width` to the right of the diagonal."""
    column, n = i + c - width, ab.shape[1]
    row = above + i - column
    inside = (column >= 0) & (column < n) & (row >= 0) & (row <= below + above)
    return k.where(inside, ab[k.clamp(row, 0, below + above), k.clamp(column, 0, n - 1)], 0.0)


@k.kernel
def _factor(start: k.Each, stop: k.Each, rows: k.Out, *, width: int) -> None:
    """LU factors of the part of a matrix between two rows, in place."""
    for i in k.steps(start, stop):
        pivot = rows[i, width]
        for m in range(1, width + 1):
            if i + m < stop:
                factor = rows[i + m, width - m] / pivot
                rows[i + m, width - m] = factor
                for q in range(1, width + 1):
                    if i + q < stop:
                        rows[i + m, width - m + q] -= factor * rows[i, width + q]


@k.kernel
def _substitute(start: k.Each, stop: k.Each, column: k.Each, rows: k.Array, x: k.Out, *, width: int) -> None:
    """Replaces a part of a right-hand side by the solution for that part alone."""
    for i in k.steps(start, stop):
        total = x[i, column]
        for m in range(1, width + 1):
            if i - m >= start:
                total -= rows[i, width - m] * x[i - m, column]
        x[i, column] = total
    for i in k.steps(stop - 1, start - 1, -1):
        total = x[i, column]
        for q in range(1, width + 1):
            if i + q < stop:
                total -= rows[i, width + q] * x[i + q, column]
        x[i, column] = total / rows[i, width]


@k.function
def _part_of(i, period, parts):
    """The number of the part of a row, and its first row."""
    part = min(i // period, parts - 1)
    return part, part * period


@k.kernel
def _couplings(rows: k.Array, i: k.Each, c: k.Each, period: int, parts: int, n: int, *, width: int):
    """How a row of a part depends on the separators before it (the first columns) and behind it."""
    part, start = _part_of(i, period, parts)
    stop = k.where(part == parts - 1, n, start + period - width)
    column = k.where(c < width, start - width + c, stop + c - width)
    at = width + column - i
    inside = (i < stop) & (at >= 0) & (at <= 2 * width) & (column >= 0) & (column < n)
    return k.where(inside, rows[i, k.clamp(at, 0, 2 * width)], 0.0)


@k.kernel
def _reduced_rows(rows: k.Array, w: k.Array, number: k.Each, c: k.Each, period: int, *, width: int):
    """An element of the matrix of the separators, in rows."""
    wide = 2 * width - 1
    separator, j = number // width, number % width
    first = separator * period + period - width
    row = first + j
    column = number + c - wide
    other, place = column // width, column % width
    total = k.where(other == separator, rows[row, k.clamp(width + place - j, 0, 2 * width)], 0.0)
    for q in range(1, width + 1):
        # Rows of the parts on both sides.
        left, right = first - q, first + width - 1 + q
        at_left, at_right = width + left - row, width + right - row
        a = k.where(at_left >= 0, rows[row, k.clamp(at_left, 0, 2 * width)], 0.0)
        b = k.where(at_right <= 2 * width, rows[row, k.clamp(at_right, 0, 2 * width)], 0.0)
        on_left = k.where(
            other == separator, w[left, width + place], k.where(other == separator - 1, w[left, place], 0.0)
        )
        on_right = k.where(
            other == separator, w[right, place], k.where(other == separator + 1, w[right, width + place], 0.0)
        )
        total -= a * on_left + b * on_right
    return total


@k.kernel
def _reduced_right(rows: k.Array, y: k.Array[1], number: k.Each, period: int, *, width: int):
    """The right-hand side of a row of a separator."""
    first = number // width * period + period - width
    row = first + number % width
    total = y[row]
    for q in range(1, width + 1):
        left, right = first - q, first + width - 1 + q
        at_left, at_right = width + left - row, width + right - row
        total -= k.where(at_left >= 0, rows[row, k.clamp(at_left, 0, 2 * width)], 0.0) * y[left]
        total -= k.where(at_right <= 2 * width, rows[row, k.clamp(at_right, 0, 2 * width)], 0.0) * y[right]
    return total


@k.kernel
def _joined(y: k.Array[1], w: k.Array, s: k.Array[1], i: k.Each, period: int, parts: int, *, width: int):
    """The solution from those of the parts and of the separators."""
    part, start = _part_of(i, period, parts)
    inner = i - start - (period - width)
    is_separator = (part < parts - 1) & (inner >= 0)
    last = s.shape[0] - 1
    total = y[i]
    for c in range(width):
        before, behind = (part - 1) * width + c, part * width + c
        total -= k.where(part > 0, w[i, c], 0.0) * s[k.clamp(before, 0, last)]
        total -= k.where(part < parts - 1, w[i, width + c], 0.0) * s[k.clamp(behind, 0, last)]
    return k.where(is_separator, s[k.clamp(part * width + inner, 0, last)], total)


@k.kernel
def _misses(ab: k.Array, x: k.Array[1], right: k.Array[1], i: k.Each, below: int, above: int, tolerance: float):
    """Whether a row is not met up to rounding."""
    n = ab.shape[1]
    total, size = -right[i], abs(right[i])
    for column in k.steps(max(i - below, 0), min(i + above, n - 1) + 1):
        term = ab[above + i - column, column] * x[column]
        total, size = total + term, size + abs(term)
    return not abs(total) <= tolerance * size


def _solve_rows(rows: ndarray, right: ndarray, width: int, part: int) -> ndarray:
    """The solution of a system in rows, which is overwritten; parts have about `part` rows, 0 stands for one part."""
    n, columns = right.shape
    x = right.copy()
    period = part + width
    parts = max(1, round((n + width) / period)) if part and n >= _MANY else 1
    number = _core.arange(0, 1, n, "int64")
    start = _core.arange(0, period, parts, "int64")
    stop = start + part
    stop[-1] = n
    if parts == 1:
        _factor(start, stop, rows, width=width)
        _substitute(start[:, None], stop[:, None], _core.arange(0, 1, columns, "int64"), rows, x, width=width)
        return x
    across = _core.arange(0, 1, 2 * width, "int64")
    w = _couplings(rows, number[:, None], across, period, parts, n, width=width)
    _factor(start, stop, rows, width=width)
    for values in (x, w):
        every = _core.arange(0, 1, values.shape[1], "int64")
        _substitute(start[:, None], stop[:, None], every, rows, values, width=width)
    wide, count = 2 * width - 1, (parts - 1) * width
    between = _core.arange(0, 1, count, "int64")
    diagonals = _core.arange(0, 1, 2 * wide + 1, "int64")
    reduced = _reduced_rows(rows, w, between[:, None], diagonals, period, width=width)
    known = _reduced_right(rows, last_first(x), between[:, None], period, width=width)
    s = _solve_rows(reduced, known, wide, max(part, 4 * wide))
    return _joined(last_first(x), w, last_first(s), number[:, None], period, parts, width=width)


def solve_band(ab: ndarray, right: ndarray, below: int, above: int, part: int | None = None) -> ndarray:
    """`x` of `a @ x = right` for a real matrix in LAPACK's band form and right-hand sides in columns.

    `LinAlgError` if the matrix is singular. `part` is how many rows are eliminated together, by default what suits the
    device.
    """
    width, n = max(below, above), ab.shape[-1]
    if ab.ndim > 2 or right.ndim != 2 or not right.size or n < 2 * width + 2:
        return solve_banded((below, above), ab, right, check_finite=False)
    if part is None:
        part = _PART if has_many_threads(ab) else 0
    number = _core.arange(0, 1, n, "int64")
    rows = _to_rows(ab, number[:, None], _core.arange(0, 1, 2 * width + 1, "int64"), below, above, width)
    x = _solve_rows(rows, right, width, max(part, 4 * width) if part else 0)
    missed = _misses(ab, last_first(x), last_first(right), number[:, None], below, above, _TOLERANCE)
    if bool(missed.any()):
        return solve_banded((below, above), ab, right, check_finite=False)
    return x
