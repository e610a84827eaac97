"""Least squares with splines: rows of B-splines rotated into a triangle, with a penalty for jumps.

The method is Dierckx's (Curve and Surface Fitting with Splines, 1993, chapters 4 to 6). Points of one knot interval are
rotated into triangles of their own, all at once, and these into the band one after another.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ... import _cuproxide as _core
from ... import concatenate, searchsorted
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device
from ._basis import basis_values, spline_values
from ._common import find_interval, has_many_threads, last_first, ufuncs

# From so many rows on few threads rotate parts of them.
_LONG = 8192


@k.kernel
def _rows(x: k.Each, w: k.Each, i: k.Each, t: k.Array, band: k.Out, offset: k.Out, *, degree: int) -> None:
    left = find_interval(t, x, degree, t.shape[0] - degree - 2)
    offset[i] = left - degree
    for j, b in enumerate(basis_values(t, x, left, degree, 0)):
        band[i, j] = b * w


@k.kernel
def _wrapped_rows(
    x: k.Each, w: k.Each, i: k.Each, t: k.Array, band: k.Out, offset: k.Out, tail: k.Out, period: int, head: int, *,
    degree: int,
) -> None:  # fmt: skip
    """Rows of a periodic spline: the last columns stand apart, in `tail`, as do all of few."""
    left = find_interval(t, x, degree, t.shape[0] - degree - 2)
    first = left - degree
    around = first >= head
    offset[i] = k.where(around, 0, first)
    for j, b in enumerate(basis_values(t, x, left, degree, 0)):
        _put(i, first + j, b * w, k.where(around, 0, first), band, tail, period, head)


@k.function
def _put(i, column, value, start, band, tail, period, head):
    column = column % period
    if column < head:
        band[i, column - start] = value
    else:
        tail[i, column - head] += value


@k.function
def _rotation(above, below):
    """Cosine, sine and the length of a vector that is turned onto its first axis."""
    x, y = abs(above), abs(below)
    most = max(x, y)
    ratio = min(x, y) / most
    scale = k.sqrt(1.0 + ratio * ratio)
    # The larger and the smaller of both; nothing is out of bounds on the way.
    major, minor = 1.0 / scale, ratio / scale
    cosine, sine = k.where(x >= y, major, minor), k.where(x >= y, minor, major)
    return k.copysign(cosine, above), k.copysign(sine, below), most * scale


@k.kernel
def _rotate(
    start: k.Each, stop: k.Each, base: k.Each, band: k.Array, offset: k.Array, turns: k.Out, r: k.Out[2], *, width: int
) -> None:
    """Rotates rows from `start` to `stop` into the band `r`, whose first row is number `base`; keeps the rotations."""
    h = k.local_array(width, dtype=np.float64)
    for i in k.steps(start, stop):
        for j in range(width):
            h[j] = band[i, j]
        row = offset[i] - base
        for a in range(width):
            if h[a] != 0:
                c, s, length = _rotation(r[row + a, 0], h[a])
                r[row + a, 0] = length
                turns[i, a, 0], turns[i, a, 1] = c, s
                for j in range(a + 1, width):
                    upper, lower = r[row + a, j - a], h[j]
                    r[row + a, j - a] = c * upper + s * lower
                    h[j] = c * lower - s * upper


@k.kernel
def _turn(
    start: k.Each,
    stop: k.Each,
    base: k.Each,
    offset: k.Array,
    turns: k.Array,
    z: k.Array[1],
    q: k.Out[1],
    *,
    width: int,
) -> None:
    """Applies rotations to a column of the right-hand side."""
    for i in k.steps(start, stop):
        row, lower = offset[i] - base, z[i]
        for a in range(width):
            c, s = turns[i, a, 0], turns[i, a, 1]
            if s != 0:
                upper = q[row + a]
                q[row + a] = c * upper + s * lower
                lower = c * lower - s * upper


@k.kernel
def _rotate_around(
    count: int, head: int, band: k.Array, offset: k.Array, tail: k.Out, z: k.Out, r: k.Out, right: k.Out, q: k.Out,
    corner: k.Out, qc: k.Out, *, width: int, extra: int,
) -> None:  # fmt: skip
    """As `_rotate` for rows with a tail; what is left of that is rotated into the triangle `corner`."""
    h = k.local_array(width, dtype=np.float64)
    for i in k.steps(count):
        for j in range(width):
            h[j] = band[i, j]
        row = offset[i]
        for a in range(width):
            if h[a] != 0:
                c, s, length = _rotation(r[row + a, 0], h[a])
                r[row + a, 0] = length
                for j in range(a + 1, width):
                    upper, lower = r[row + a, j - a], h[j]
                    r[row + a, j - a] = c * upper + s * lower
                    h[j] = c * lower - s * upper
                for j in k.steps(extra):
                    upper, lower = right[row + a, j], tail[i, j]
                    right[row + a, j] = c * upper + s * lower
                    tail[i, j] = c * lower - s * upper
                for column in k.steps(z.shape[1]):
                    upper, lower = q[row + a, column], z[i, column]
                    q[row + a, column] = c * upper + s * lower
                    z[i, column] = c * lower - s * upper
        for a in k.steps(extra):
            lead = tail[i, a]
            if lead != 0:
                c, s, length = _rotation(corner[a, a], lead)
                corner[a, a] = length
                for j in k.steps(a + 1, extra):
                    upper, lower = corner[a, j], tail[i, j]
                    corner[a, j] = c * upper + s * lower
                    tail[i, j] = c * lower - s * upper
                for column in k.steps(z.shape[1]):
                    upper, lower = qc[a, column], z[i, column]
                    qc[a, column] = c * upper + s * lower
                    z[i, column] = c * lower - s * upper


@k.kernel
def _solve_upper(
    r: k.Array, right: k.Array, q: k.Array[1], corner: k.Array, qc: k.Array[1], c: k.Out[1], *, width: int, extra: int
) -> None:
    """The coefficients of one column: those of the corner, then the others from the last one up."""
    head = c.shape[0] - extra
    for a in k.steps(extra - 1, -1, -1):
        total = qc[a]
        for j in k.steps(a + 1, extra):
            total -= corner[a, j] * c[head + j]
        c[head + a] = total / corner[a, a]
    for i in k.steps(head - 1, -1, -1):
        total = q[i]
        for j in k.steps(extra):
            total -= right[i, j] * c[head + j]
        for j in k.steps(1, min(width, head - i)):
            total -= r[i, j] * c[i + j]
        c[i] = total / r[i, 0]


@k.kernel
def _between(r: k.Array, q: k.Array, jumps: k.Array, band: k.Out, z: k.Out, p: float, *, width: int):
    """Rows of a band, each followed by that of the jumps with the same first column, which is returned."""
    i, count = k.index(), jumps.shape[0]
    row = k.where(i < 2 * count, i >> 1, i - count)
    if i < 2 * count and (i & 1) == 1:
        for j in range(width + 1):
            band[i, j] = jumps[row, j] / p
        for column in k.steps(q.shape[1]):
            z[i, column] = 0.0
    else:
        for j in range(width):
            band[i, j] = r[row, j]
        band[i, width] = 0.0
        for column in k.steps(q.shape[1]):
            z[i, column] = q[row, column]
    return row


class Triangle(NamedTuple):
    """A triangular system: a band `r` with its right-hand sides `q`; for periodic splines also the last columns."""

    r: ndarray
    q: ndarray
    right: ndarray
    corner: ndarray
    qc: ndarray

    def solution(self) -> ndarray:
        """The coefficients, periodic ones once."""
        head, width = self.r.shape
        extra = self.corner.shape[0]
        c = _core.zeros((head + extra, self.q.shape[1]), np.float64)
        _solve_upper(
            self.r, self.right, last_first(self.q), self.corner, last_first(self.qc), last_first(c), width=width,
            extra=extra,
        )  # fmt: skip
        return c

    def diagonal_sum(self) -> ndarray:
        """The sum of the diagonal."""
        return self.r[:, 0].sum() + self.corner.diagonal().sum()

    def with_jumps(self, jumps: ndarray, p: float) -> Triangle:
        """`with_rows` of the jumps of a spline that is not periodic, divided by `p`."""
        head, width = self.r.shape
        rows, columns = head + jumps.shape[0], self.q.shape[1]
        band, z = _core.empty((rows, width + 1), np.float64), _core.empty((rows, columns), np.float64)
        offset = _between(self.r, self.q, jumps, band, z, p, width=width, shape=(rows,))
        made = _empty_triangle(head, 0, width + 1, columns)
        _rotate_sorted(band, offset, self.right, z, made)
        return made

    def with_rows(self, band: ndarray, offset: ndarray, tail: ndarray) -> Triangle:
        """The system with further rows, one element wider and with 0 on the right.

        In the order of their first columns the old and the new rows fill nothing in beside the band.
        """
        head, width = self.r.shape
        count = band.shape[0]
        old = concatenate([self.r, _core.zeros((head, 1), np.float64)], axis=1)
        first = concatenate([_core.arange(0, 1, head, np.int64), offset])
        z = concatenate([self.q, _core.zeros((count, self.q.shape[1]), np.float64)])
        order = first.argsort(kind="stable")
        band, tail = concatenate([old, band])[order], concatenate([self.right, tail])[order]
        made = _empty_triangle(head, self.corner.shape[0], width + 1, self.q.shape[1])
        made = made._replace(corner=self.corner.copy(), qc=self.qc.copy())
        _rotate_sorted(band, first[order], tail, z[order], made)
        return made


def _rotate_sorted(band: ndarray, offset: ndarray, tail: ndarray, z: ndarray, triangle: Triangle) -> None:
    """Rotates rows that are sorted by their first column into a triangle."""
    count, width = band.shape
    head, extra = triangle.right.shape
    if extra:
        _rotate_around(
            count, head, band, offset, tail, z, triangle.r, triangle.right, triangle.q, triangle.corner, triangle.qc,
            width=width, extra=extra, shape=(),
        )  # fmt: skip
    else:
        turns = _core.zeros((count, width, 2), np.float64)
        _rotate(0, count, 0, band, offset, turns, triangle.r, width=width)
        _turn(0, count, 0, offset, turns, last_first(z), last_first(triangle.q), width=width)


def _tail_length(period: int, degree: int) -> int:
    """How many columns of a periodic spline stand apart, so that no row wraps around in the others; all of few."""
    return period if period <= 2 * degree + 2 else degree + 1


class Fit(NamedTuple):
    """Coefficients, the squared residual of each point, and their sum on the device."""

    triangle: Triangle
    c: ndarray
    residuals: ndarray
    total: ndarray


class Data:
    """Weighted points `x` (m,), `y` (m, d) to which splines are fitted; those of a period end with the first one."""

    def __init__(self, x: ndarray, y: ndarray, w: ndarray, degree: int, periodic: bool = False) -> None:
        # The last value of a period is not looked at.
        y = concatenate([y[:-1], y[:1]]) if periodic else y
        self.x, self.y, self.w, self.degree, self.periodic = x, y, w, degree, periodic
        self.count = x.shape[0] - periodic

    def fit(self, t: ndarray) -> Fit:
        """The least squares spline with the knots `t`."""
        degree, count = self.degree, self.count
        x, w = self.x[:count], self.w[:count]
        z = self.y[:count] * w[:, None]
        band = _core.zeros((count, degree + 1), np.float64)
        offset = _core.zeros((count,), np.int64)
        number = _core.arange(0, 1, count, np.int64)
        columns, size = z.shape[1], t.shape[0] - degree - 1
        if self.periodic:
            period = size - degree
            extra = _tail_length(period, degree)
            head = period - extra
            tail = _core.zeros((count, extra), np.float64)
            _wrapped_rows(x, w, number, t, band, offset, tail, period, head, degree=degree)
            triangle = _empty_triangle(head, extra, degree + 1, columns)
            # Those that wrap around begin with the first column.
            order = offset.argsort(kind="stable")
            _rotate_sorted(band[order], offset[order], tail[order], z[order], triangle)
        else:
            _rows(x, w, number, t, band, offset, degree=degree)
            triangle = _empty_triangle(size, 0, degree + 1, columns)
            _rotate_all(band, offset, z, triangle, size - degree)
        return self._finished(t, triangle)

    def smooth(self, t: ndarray, triangle: Triangle, p: float) -> Fit:
        """The spline that also keeps jumps of the highest derivative small, the more the smaller `p` is."""
        band, offset, tail = self.jumps(t)
        if not self.periodic:
            return self._finished(t, triangle.with_jumps(band, p))
        return self._finished(t, triangle.with_rows(band / p, offset, tail / p))

    def _finished(self, t: ndarray, triangle: Triangle) -> Fit:
        c = triangle.solution()
        if self.periodic:
            c = c[as_device(np.arange(c.shape[0] + self.degree) % c.shape[0])]
        error = (spline_values(self.x, t, c, self.degree) - self.y) * self.w[:, None]
        residuals = (error * error).sum(1)
        return Fit(triangle, c, residuals, residuals[: self.count].sum())

    def jumps(self, t: ndarray) -> tuple[ndarray, ndarray, ndarray]:
        """Rows with the jumps of the derivative of order k of each B-spline at the inner knots."""
        degree = self.degree
        pieces = t.shape[0] - 2 * degree - 1
        number = _core.arange(0, 1, pieces - 1, np.int64)
        column = _core.arange(0, 1, degree + 2, np.int64)
        values = _jump(number[:, None], column, t, pieces, degree=degree)
        size = t.shape[0] - degree - 1
        if not self.periodic:
            return values, number, values[:, :0]
        period = size - degree
        extra = _tail_length(period, degree)
        head = period - extra
        band, tail = _core.zeros(values.shape, np.float64), _core.zeros((pieces - 1, extra), np.float64)
        offset = _core.zeros((pieces - 1,), np.int64)
        _place_jumps(number, values, band, offset, tail, period, head, degree=degree)
        return band, offset, tail


def _empty_triangle(head: int, extra: int, width: int, columns: int) -> Triangle:
    shapes = ((head, width), (head, columns), (head, extra), (extra, extra), (extra, columns))
    return Triangle(*(_core.zeros(shape, np.float64) for shape in shapes))


def _rotate_all(band: ndarray, offset: ndarray, z: ndarray, triangle: Triangle, pieces: int) -> None:
    """Rotates all rows, which are sorted by their offset, into the band: those of many points in parallel first."""
    count, width = band.shape
    # With few threads the parts gain less than the launches for them take.
    if count >= max(512 if has_many_threads(band) else _LONG, 4 * pieces * width):
        share = max(1, int(math.sqrt(count / width) / pieces))
        edges = searchsorted(offset, _core.arange(0, 1, pieces + 1, np.int64))
        first, length = edges[:-1, None], (edges[1:] - edges[:-1])[:, None]
        part = _core.arange(0, 1, share + 1, np.int64)
        bounds = first + length * part // share
        start, stop = bounds[:, :-1].reshape(-1), bounds[:, 1:].reshape(-1)
        base = _core.broadcast_to(_core.arange(0, 1, pieces, np.int64)[:, None], (pieces, share)).reshape(-1)
        r = _core.zeros((pieces * share, width, width), np.float64)
        q = _core.zeros((pieces * share, width, z.shape[1]), np.float64)
        turns = _core.zeros((count, width, 2), np.float64)
        _rotate(start, stop, base, band, offset, turns, r, width=width)
        columns = tuple(bound[:, None] for bound in (start, stop, base))
        _turn(*columns, offset, turns, last_first(z), _core.moveaxis(q, -1, -2), width=width)
        band, z = r.reshape(-1, width), q.reshape(-1, z.shape[1])
        offset = (base[:, None] + _core.arange(0, 1, width, np.int64)).reshape(-1)
    _rotate_sorted(band, offset, triangle.right, z, triangle)


@k.kernel
def _jump(i: k.Each, j: k.Each, t: k.Array, pieces: int, *, degree: int):
    """The jump of B-spline i + j at the inner knot number i, scaled to the mean width of an interval."""
    at, product = t[i + degree + 1], 1.0
    for s in range(degree + 2):
        distance = at - t[i + j + s]
        product = product * k.where(i + j + s == i + degree + 1, 1.0, distance)
    mean = (t[t.shape[0] - degree - 1] - t[degree]) / pieces
    scale = 1.0 + 0.0 * mean
    for _ in range(degree):
        scale = scale * mean
    return (t[i + j + degree + 1] - t[i + j]) / product * scale


@k.kernel
def _place_jumps(
    i: k.Each, values: k.Array, band: k.Out, offset: k.Out, tail: k.Out, period: int, head: int, *, degree: int
) -> None:
    start = k.where(i >= head, 0, i)
    offset[i] = start
    for j in range(degree + 2):
        _put(i, i + j, values[i, j], start, band, tail, period, head)


@k.segments("add")
def _part(i, residuals: k.Array[1]):
    return residuals[i]


@k.kernel
def _insert(
    x: k.Array, t: k.Out, parts: k.Out, places: k.Out, made: k.Out, length: int, wanted: int, *, degree: int
) -> None:
    """Puts knots at the points in the middle of the intervals with the largest part of the residuals.

    `places` are the numbers of the points at the knots. An interval that is halved shares its part by its points.
    """
    n, done, pieces = length, 0, length - 2 * degree - 1
    going = True
    while going and done < wanted:
        best, most = -1, -1.0
        for i in k.steps(pieces):
            if places[i + 1] - places[i] > 1 and parts[i] > most:
                best, most = i, parts[i]
        if best < 0:
            going = False
        else:
            inside = places[best + 1] - places[best] - 1
            place = places[best] + inside // 2 + 1
            for i in k.steps(n - 1, best + degree, -1):
                t[i + 1] = t[i]
            t[best + degree + 1] = x[place]
            for i in k.steps(pieces, best, -1):
                places[i + 1] = places[i]
            for i in k.steps(pieces - 1, best, -1):
                parts[i + 1] = parts[i]
            places[best + 1] = place
            left, right = inside // 2, inside - inside // 2 - 1
            parts[best] = most * left / inside
            parts[best + 1] = most * right / inside
            n, pieces, done = n + 1, pieces + 1, done + 1
    made[0] = done


def with_more_knots(
    data: Data, t: ndarray, residuals: ndarray, wanted: int, *, last: int | None = None, circular: bool = False
) -> ndarray:
    """`t` with up to `wanted` more knots, at points in intervals with large residuals.

    `last` is the number of the point that belongs to the last knot, if that is not to be searched. With `circular` the
    first point counts in the last interval, too.
    """
    degree, n = data.degree, t.shape[0]
    inner = t[degree : n - degree]
    places = searchsorted(data.x, inner)
    if last is not None:
        places[-1] = last
    pieces, count = inner.shape[0] - 1, residuals.shape[0]
    # A point at a knot counts half on both sides; the last one has only one.
    whole = _part(places[:-1], places[1:], residuals, over=count)
    half = residuals[places[1:-1]] * 0.5
    final = residuals[:1] if circular else _part(places[-1:], places[-1:] * 0 + count, residuals, over=count)
    parts = _core.zeros((pieces + wanted,), np.float64)
    parts[:pieces] = whole + concatenate([half, final])
    parts[1:pieces] -= half
    wide = _core.zeros((n + wanted,), np.float64)
    wide[:n] = t
    numbers = _core.zeros((pieces + 1 + wanted,), np.int64)
    numbers[: pieces + 1] = places
    made = _core.zeros((1,), np.int64)
    _insert(data.x, wide, parts, numbers, made, n, wanted, degree=degree, shape=())
    return wide[: n + int(made[0])]


def check_fixed_knots(x: ndarray, t: ndarray, degree: int, periodic: bool = False) -> str | None:
    """What is wrong with knots for these points, or None (Dierckx's `fpchec` and `fpchep`)."""
    m, n = x.shape[0], t.shape[0]
    size = n - degree - 1
    most = m + degree - 1 if periodic else m
    if not degree + 1 <= size <= most:
        bound = "m+k-1" if periodic else "m"
        return f"Need k+1 <= n-k-1 <= {bound}. Got m = {m!r}, n = {n!r} and k = {degree!r}."
    if bool((t[: degree + 1] > t[1 : degree + 2]).any()):
        return f"First k knots must be ordered; got t = {t!r}."
    if bool((t[size:] < t[size - 1 : -1]).any()):
        return f"Last k knots must be ordered; got t = {t!r}."
    if bool((t[degree + 1 : n - degree] <= t[degree : n - degree - 1]).any()):
        return f"Internal knots must be distinct. Got t = {t!r}."
    if bool((x[0] < t[degree]) | (x[-1] > t[n - degree - 1])):
        return f"Out of bounds: x = {x!r} and t = {t!r}."
    violated = f"Schoenberg-Whitney condition is violated with t = {t!r} and x ={x!r}."
    if periodic:
        # Each B-spline needs a point, perhaps of the next period.
        twice = concatenate([x[:-1], x + (t[n - degree - 1] - t[degree])])
        low, high = t[degree:size], t[2 * degree + 1 : size + degree + 1]
        inside = searchsorted(twice, high) - searchsorted(twice, low, "right")
        return violated if bool((inside <= 0).any()) else None
    if bool((x[0] >= t[degree + 1]) | (x[-1] <= t[n - degree - 2])):
        return violated
    if size < 4:
        return None
    # Each B-spline takes the first point in its support that no earlier one has: a running maximum.
    number = as_device(np.arange(1, size - 1))
    first = searchsorted(x, t[1 : size - 1], "right") - number
    taken = ufuncs["maximum"].accumulate(ufuncs["maximum"](first, 0)) + number
    within = taken < m - 1
    good = within & (x[_core.where(within, taken, 0)] < t[degree + 2 : size + degree])
    return None if bool(good.all()) else violated


__all__: list[str] = []
