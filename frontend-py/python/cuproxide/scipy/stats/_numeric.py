"""Inverting and integrating over all points in one kernel, for distributions without closed forms.

A cumulative function is inverted by bisection over the floating-point numbers themselves, in their order: 64 steps
reach the last place from any support, at any scale, without a derivative. Integrals are adaptive Gauss-Kronrod sums
over halved intervals; the intervals are walked depth first, where an interval's level and number are all that must be
remembered.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k

# Kronrod's 15 points with Gauss's 7 among them (Piessens et al., QUADPACK, 1983).
_POINTS = (
    0.991455371120812639206854697526329,
    0.949107912342758524526189684047851,
    0.864864423359769072789712788640926,
    0.741531185599394439863864773280788,
    0.586087235467691130294144691258377,
    0.405845151377397166906606412076961,
    0.207784955007898467600689403773245,
    0.0,
)
_KRONROD = (
    0.022935322010529224963732008058970,
    0.063092092629978553290700663189204,
    0.104790010322250183839876322541518,
    0.140653259715525918745189590510238,
    0.169004726639267902826583426598550,
    0.190350578064785409913256402421014,
    0.204432940075298892414161999234649,
    0.209482141084727828012999174891714,
)
_GAUSS = (0.129484966168869693270611432679082, 0.279705391489276667901467771423780, 0.381830050505118944950369775488975)
_GAUSS_CENTRE = 0.417959183673469387755102040816327
# Most intervals of one integral, and the relative difference of the two sums that ends the halving.
_MOST, _AGREE, _DEEPEST = 800, 1e-11, 48
# The two rules' difference is far above the error of the better one: where it exceeds this part of an integral, the sum
# did not converge.
_BEARABLE = 1e-7
# Quantiles beyond this are not known, and a law with quantiles of this probability there has no known entropy.
LARGEST, LEAST = 1e308, 1e-8
# Probabilities of both tails at whose quantiles integrals over a support are cut, so that no peak lies between points.
CUTS = (1e-100, 1e-20, 1e-8, 1e-3, 0.05, 0.25, 0.5)


@cache
def _host_rule() -> np.ndarray:
    left = [-x for x in _POINTS[:-1]]
    gauss = [0.0, _GAUSS[0], 0.0, _GAUSS[1], 0.0, _GAUSS[2], 0.0]
    points = [*left, 0.0, *(-x for x in reversed(left))]
    weights = [*_KRONROD, *reversed(_KRONROD[:-1])]
    few = [*gauss, _GAUSS_CENTRE, *reversed(gauss)]
    return np.array([points, weights, few])


def rule() -> ndarray:
    """Points, Kronrod's weights and Gauss's weights on [-1, 1], as rows of an array on the current device."""
    return cp.array(_host_rule())


@k.function
def estimated_integral(table: Any, f: Callable[[Any], Any]) -> Any:
    """The integral of `f` from 0 to 1, in a kernel, and an estimate of its error; `table` is `rule()`."""
    total, rough, level, number, count = k.value(0.0), k.value(0.0), k.value(0), k.value(0), k.value(0)
    error = k.value(0.0)
    while count < _MOST and level >= 0:
        width = k.exp2(-level.astype(np.float64))
        fine, few = 0.0, 0.0
        for i in k.steps(15):
            t = (number.astype(np.float64) + (1 + table[0, i]) * 0.5) * width
            value = f(t)
            value = k.where(k.isfinite(value), value, 0.0)
            fine += table[1, i] * value
            few += table[2, i] * value
        fine, few = fine * width / 2, few * width / 2
        rough = k.where(count == 0, abs(fine), rough)
        scale = k.maximum(k.maximum(abs(total), abs(fine)), k.where(count < 64, 0.0, 1e-4 * rough))
        # Rounding in the integrand may stand in the way of agreement: ask for less after many intervals.
        agree = _AGREE * k.exp2(count.astype(np.float64) / 25)
        done = (abs(fine - few) <= agree * scale) | (level >= _DEEPEST)
        # The first intervals are halved anyway: a narrow peak must be seen by some point.
        if done and level >= 3:
            total += fine
            error += abs(fine - few)
            number += 1
            while number % 2 == 0 and level > 0:
                number >>= 1
                level -= 1
            # Back at the whole: all of it has been seen.
            level = k.where(level == 0, -1, level)
        else:
            number <<= 1
            level += 1
        count += 1
    return total, k.where(level >= 0, np.inf, error)


@k.function
def integral(table: Any, f: Callable[[Any], Any]) -> Any:
    """The integral of `f` from 0 to 1, in a kernel, or NaN if it did not converge."""
    total, error = estimated_integral(table, f)
    return k.where(error <= _BEARABLE * abs(total), total, np.nan)


def _substituted(f: Callable[[Any], Any], low: Any, high: Any, scale: Any) -> Callable[[Any], Any]:
    """The integrand from 0 to 1 whose integral is that of `f` from `low` to `high`, one of which may be infinite."""
    left, right = k.isinf(low), k.isinf(high)

    def g(t: Any) -> Any:
        far = (1 - t) / t * scale
        # A rounded point must not leave the interval.
        x = k.where(right, low + far, k.where(left, high - far, k.clamp(low + (high - low) * t, low, high)))
        weight = k.where(right | left, scale / (t * t), high - low)
        return f(x) * weight

    return g


@k.function
def between(table: Any, f: Callable[[Any], Any], low: Any, high: Any, scale: Any) -> Any:
    """The integral of `f` from `low` to `high`, one of which may be infinite; `scale` is where it has its mass then."""
    return k.where(low >= high, 0.0, integral(table, _substituted(f, low, high, scale)))


@k.function
def estimated_between(table: Any, f: Callable[[Any], Any], low: Any, high: Any, scale: Any) -> tuple[Any, Any]:
    """`between`, and an estimate of its error."""
    total, error = estimated_integral(table, _substituted(f, low, high, scale))
    return k.where(low >= high, 0.0, total), k.where(low >= high, 0.0, error)


@k.function
def estimated_part(table: Any, f: Callable[[Any], Any], low: Any, high: Any, pivot: Any) -> Any:
    """The integral of `f` from `low` to `high`, on one side of `pivot`, and an estimate of its error.

    A part that covers several powers of two of the distance from `pivot` is integrated over the distance's logarithm.
    """
    above = low >= pivot
    near = k.maximum(k.where(above, low - pivot, pivot - high), 0.0)
    far = k.where(above, high - pivot, pivot - low)
    sign = k.where(above, 1.0, -1.0)
    wide = (near > 0) & (far > 4 * near) & k.isfinite(far)
    span = k.where(wide, k.log(k.where(wide, far / near, 1.0)), 0.0)
    # An infinite part has its mass about as far out as it begins.
    plain = _substituted(f, low, high, k.maximum(near, 1e-300))

    def g(t: Any) -> Any:
        if wide:
            distance = near * k.exp(t * span)
            value = f(k.clamp(pivot + sign * distance, low, high)) * distance * span
        else:
            value = plain(t)
        return value

    total, error = estimated_integral(table, k.function(g))
    empty = low >= high
    return k.where(empty, 0.0, total), k.where(empty, 0.0, error)


@k.function
def ordered(number: Any) -> Any:
    """A float64 as an integer, in the order of the numbers."""
    bits = number.view(np.int64)
    return k.where(bits < 0, bits ^ np.int64(0x7FFFFFFFFFFFFFFF), bits)


@k.function
def numbered(order: Any) -> Any:
    """The inverse of `ordered`."""
    return k.where(order < 0, order ^ np.int64(0x7FFFFFFFFFFFFFFF), order).view(np.float64)


@k.function
def root(rises: Callable[[Any], Any], low: Any, high: Any) -> Any:
    """The least number from `low` to `high` at which `rises(x)` holds, once it does and for all larger ones."""
    a, b = ordered(k.value(low, np.float64) + 0.0), ordered(k.value(high, np.float64) + 0.0)
    for _ in k.steps(64):
        middle = (a >> 1) + (b >> 1) + (a & b & 1)
        if rises(numbered(middle)):
            b = middle
        else:
            a = middle
    return numbered(b)


@k.function
def solve(rising: Callable[[Any], Any], low: Any, high: Any) -> Any:
    """The root of a function that grows from `low` to `high`: bisection in the order of the numbers, then secants.

    Of secants Illinois's: the value at an end that stays is halved. Every fourth step halves, so the number is bounded.
    """
    a, b = k.value(low, np.float64) + 0.0, k.value(high, np.float64) + 0.0
    value_a, value_b, x, before = k.value(-np.inf), k.value(np.inf), k.value(np.nan), k.value(np.nan)
    count, last, going = k.value(0), k.value(0), k.value(True)
    while going and count < 100:
        order_a, order_b = ordered(a), ordered(b)
        middle = numbered((order_a >> 1) + (order_b >> 1) + (order_a & order_b & 1))
        secant = b - value_b * ((b - a) / (value_b - value_a))
        near = (order_b - order_a < np.int64(1 << 53)) & k.isfinite(value_a) & k.isfinite(value_b) & (count % 4 != 3)
        near = near & (secant > a) & (secant < b)
        before = x
        x = k.where(near, secant, middle)
        value = rising(x)
        if value >= 0:
            b, value_b = x, value
            value_a = k.where(last == 1, value_a / 2, value_a)
            last = k.value(1)
        else:
            a, value_a = x, value
            value_b = k.where(last == -1, value_b / 2, value_b)
            last = k.value(-1)
        going = (value != 0) & (ordered(b) - ordered(a) > 1) & ~(near & (abs(x - before) <= 2.0**-53 * abs(x)))
        count += 1
    return k.where(ordered(b) - ordered(a) <= 1, b, x)


@k.kernel
def _inverse(
    q: k.Each,
    a: k.Each,
    b: k.Each,
    c: k.Each,
    d: k.Each,
    e: k.Each,
    f: k.Each,
    low: k.Each,
    high: k.Each,
    table: k.Array,
    *,
    row,
    count,
    upper,
):
    shapes = (a, b, c, d, e, f)[:count]
    lower_tail = row.kernel_tail(table, False)
    upper_tail = row.kernel_tail(table, True)
    q = k.value(q, np.float64)
    swap = q > 0.5
    share = k.where(swap, 1 - q, q)

    def excess(x):
        """Grows with x, 0 at the root: the logarithm of the smaller tail over the share."""
        if upper:
            if swap:
                value = k.log(lower_tail(x, *shapes) / share)
            else:
                value = -k.log(upper_tail(x, *shapes) / share)
        elif swap:
            value = -k.log(upper_tail(x, *shapes) / share)
        else:
            value = k.log(lower_tail(x, *shapes) / share)
        return value

    x = solve(k.function(excess), low, high)
    # A search between points at which the tail is unknown has found nothing.
    unknown, own_low, own_high = k.value(False), row.kernel_tail(table, False, True), row.kernel_tail(table, True, True)
    for step in k.steps(3):
        near = numbered(ordered(x) + step - 1)
        if upper:
            if swap:
                value = own_low(near, *shapes)
            else:
                value = own_high(near, *shapes)
        elif swap:
            value = own_high(near, *shapes)
        else:
            value = own_low(near, *shapes)
        unknown = unknown | (k.isnan(value) & (near > low) & (near < high))
    return k.where(unknown, np.nan, x)


@k.kernel
def _tail(
    x: k.Each, a: k.Each, b: k.Each, c: k.Each, d: k.Each, e: k.Each, f: k.Each, table: k.Array, *, row, count, upper
):
    shapes = (a, b, c, d, e, f)[:count]
    return row.kernel_tail(table, upper)(k.value(x, np.float64), *shapes)


@k.kernel
def _far_tail(
    x: k.Each, own: k.Each, a: k.Each, b: k.Each, c: k.Each, d: k.Each, e: k.Each, f: k.Each, table: k.Array,
    *, row, count, upper
):  # fmt: skip
    """The logarithm of a tail below all numbers: the density's, and that of the density beyond over the one here."""
    shapes = (a, b, c, d, e, f)[:count]
    x, value = k.value(x, np.float64), k.value(np.nan)
    if (own < 1e-300) & k.isfinite(x):
        logpdf = row.stated["logpdf"]
        low, high = row._get_support(*shapes[: row.numargs])
        spread = row.spread(*shapes) if callable(row.spread) else row.spread
        level, outwards = logpdf(x, *shapes), 1.0 if upper else -1.0
        room = high - x if upper else x - low
        step = k.minimum(k.maximum(abs(x), spread) / 1024, room / 2)
        # The distance over which the density falls by e, about.
        scale = step / (level - logpdf(x + outwards * step, *shapes))
        # A density that hardly falls up to the end of the support, or grows.
        scale = k.where(k.isfinite(room) & ~((scale > 0) & (scale < room)), room, scale)

        def term(t):
            distance = (1 - t) / t * scale
            share = k.exp(logpdf(x + outwards * distance, *shapes) - level)
            return k.where(distance < room, share * scale / (t * t), 0.0)

        # Further out the numbers are too sparse for it, and it too small to matter.
        beyond = k.value(scale)
        if scale > 1e-9 * abs(x):
            beyond = integral(table, k.function(term))
        value = k.where(scale > 0, level + k.log(beyond), np.nan)
    return value


def far_tail(row: Any, x: Any, own: Any, shapes: tuple[Any, ...], upper: bool) -> ndarray:
    """The logarithm of the lower or upper tail of a row where that tail, `own`, is below all numbers; else NaN."""
    return _far_tail(x, own, *_six(shapes), rule(), row=row, count=len(shapes), upper=upper)


@k.kernel
def _density(
    x: k.Each, a: k.Each, b: k.Each, c: k.Each, d: k.Each, e: k.Each, f: k.Each, table: k.Array, *, row, count
):
    return row.kernel_pdf(table, k.value(x, np.float64), *(a, b, c, d, e, f)[:count])


def density(row: Any, x: Any, shapes: tuple[Any, ...]) -> ndarray:
    """The density of a row that states it for kernels only."""
    return _density(x, *_six(shapes), rule(), row=row, count=len(shapes))


@k.kernel
def _piece(
    a: k.Each, b: k.Each, c: k.Each, d: k.Each, e: k.Each, f: k.Each, low: k.Each, high: k.Each,
    pivot: k.Each, centre: k.Each, table: k.Array,
    *, row, count, order, tails
):  # fmt: skip
    """The part of a moment, or of the entropy, between two points, an estimate of its error, and the mass there."""
    shapes = (a, b, c, d, e, f)[:count]
    low, high, pivot, centre = (k.value(v, np.float64) for v in (low, high, pivot, centre))
    if tails:
        # By parts: tails are bounded where densities have poles.
        above = low >= pivot

        def term(x):
            slope = order * (x - centre) ** (order - 1)
            if above:
                value = slope * row.kernel_tail(table, True)(x, *shapes)
            else:
                value = -slope * row.kernel_tail(table, False)(x, *shapes)
            return value

        total, error = estimated_part(table, k.function(term), low, high, pivot)
        return total, error, k.value(0.0)

    def density(x):
        return row.kernel_pdf(table, x, *shapes)

    if order is None:

        def term(x):
            value = density(x)
            return k.where(value > 0, -value * k.log(k.where(value > 0, value, 1.0)), 0.0)
    else:

        def term(x):
            return (x - centre) ** order * density(x)

    total, error = estimated_part(table, k.function(term), low, high, pivot)
    mass, _ = estimated_part(table, k.function(density), low, high, pivot)
    return total, error, mass


def folded(
    row: Any, order: int | None, centre: Any, shapes: tuple[Any, ...], edges: ndarray, tails: bool
) -> tuple[ndarray, ndarray]:
    """A moment about a centre, or the entropy, of a row, and where the integral did not converge: NaN there.

    `edges` are quantiles along a leading axis, of which the middle one is the median, between the ends of the support.
    """
    median = edges[len(edges) // 2]
    total, error, mass = _piece(
        *_six(shapes), edges[:-1], edges[1:], median, centre, rule(),
        row=row, count=len(shapes), order=order, tails=tails,
    )  # fmt: skip
    # Beside the parts' sizes, since those of an odd moment may cancel.
    lost = error.sum(axis=0) > _BEARABLE * abs(total).sum(axis=0)
    if not tails:
        lost = lost | (abs(mass.sum(axis=0) - 1) > _BEARABLE)
    total = total.sum(axis=0)
    return cp.where(lost, np.nan, total + (median - centre) ** order if tails else total), lost


def _six(shapes: tuple[Any, ...]) -> tuple[Any, ...]:
    return (*shapes, *(0.0,) * 6)[:6]


def inverse(row: Any, q: Any, shapes: tuple[Any, ...], low: Any, high: Any, upper: bool) -> ndarray:
    """The numbers at which the lower (or upper) tail of a row of the table is `q`."""
    return _inverse(q, *_six(shapes), low, high, rule(), row=row, count=len(shapes), upper=upper)


def tail(row: Any, x: Any, shapes: tuple[Any, ...], upper: bool) -> ndarray:
    """The lower or upper tail of a row whose density is integrated in a kernel."""
    return _tail(x, *_six(shapes), rule(), row=row, count=len(shapes), upper=upper)
