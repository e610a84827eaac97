"""References by python-flint: precision is doubled until the ball of a value is small enough.

A reference takes arguments as exact balls and returns one ball, or a tuple of them. What the greatest precision does
not settle is left out, never guessed.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

from flint import acb, arb, ctx

#: Bits at the start and at the end, and bits of a value that are enough.
FIRST, LAST, ENOUGH = 128, 4200, 80
#: Beyond these, float64 is zero or infinite.
UNDERFLOW, OVERFLOW = arb(2) ** -1080, arb(2) ** 1024


def finished(value: Any) -> tuple[complex, complex] | None:
    """A value as the nearest floating-point number and what that leaves; None where the ball is too large."""
    if isinstance(value, (int, float)):
        return float(value), 0.0
    if not value.is_finite():
        return None
    if isinstance(value, arb):
        size = abs(value)
        if size < UNDERFLOW:
            return 0.0, 0.0
        if value.rel_accuracy_bits() < ENOUGH:
            return None
        if size > OVERFLOW:
            return math.copysign(math.inf, 1.0 if value > 0 else -1.0), 0.0
        nearest = float(value.mid())
        if math.isinf(nearest):
            return nearest, 0.0
        return nearest, float((value - arb(nearest)).mid())
    size = abs(value)
    if size < UNDERFLOW:
        return 0j, 0j
    if value.rel_accuracy_bits() < ENOUGH or size > OVERFLOW:
        return None
    parts = [float(value.real.mid()), float(value.imag.mid())]
    if any(map(math.isinf, parts)):
        return None
    rests = [float((value.real - arb(parts[0])).mid()), float((value.imag - arb(parts[1])).mid())]
    return complex(*parts), complex(*rests)


def settled(function: Callable[..., Any], arguments: tuple[complex, ...]) -> list[tuple[complex, complex] | None]:
    """The values of all results at a point; None for those that no precision settles."""
    found: list[Any] = []
    bits = FIRST
    while bits <= LAST:
        ctx.prec = bits
        try:
            values = function(*(acb(x) if isinstance(x, complex) else arb(x) for x in arguments))
        except (ValueError, ZeroDivisionError, OverflowError):
            values = None
        if values is not None:
            values = values if isinstance(values, tuple) else (values,)
            found = found or [None] * len(values)
            found = [
                old or finished(value) if value is not None else old for old, value in zip(found, values, strict=True)
            ]
            if all(new is not None or value is None for new, value in zip(found, values, strict=True)):
                break
        bits *= 2
    return found


def order(x: float) -> int:
    """Floating-point numbers counted by their order: neighbours differ by one."""
    bits = struct.unpack("<q", struct.pack("<d", x))[0]
    return bits if bits >= 0 else -(bits & 0x7FFFFFFFFFFFFFFF)


def number(position: int) -> float:
    """The floating-point number at a place of that order."""
    value = struct.unpack("<d", struct.pack("<q", abs(position)))[0]
    return value if position >= 0 else -value


def whole(x: arb) -> int:
    """The only integer in a ball; ValueError where it may be another."""
    found = x.unique_fmpz()
    if found is None:
        raise ValueError("more precision is needed")
    return int(found)


def somewhere(low: float, high: float) -> float:
    """A place between two ends where a search may start: 1 or -1, or inside a short interval and not at 0."""
    if low < 0.5 and high > 2:
        return 1.0
    if low < -2 and high > -0.5:
        return -1.0
    low, high = max(low, min(high, 0.0) * 4 - 4), min(high, max(low, 0.0) * 4 + 4)
    return low + 0.7 * (high - low)


def inverse(
    function: Callable[[arb], arb], target: arb, low: float, high: float, start: float | None = None
) -> arb | None:
    """Where a monotone function has a value: between two neighbouring float64, by the chord from one to the other.

    The search goes from `start` outwards in steps that double, then by false positions and halves on the scale of
    floating-point numbers.
    """

    def gap(position: int, bits: int = 128) -> arb | None:
        x = arb(number(position))
        while bits <= 2200:
            ctx.prec = bits
            difference = function(x) - target
            if difference.is_finite() and (difference > 0 or difference < 0):
                return difference
            bits *= 2
        return None

    ends = order(low), order(high)
    if start is None:
        start = somewhere(low, high)
    here = order(start)
    at_here, beside = gap(here), gap(here + (1 << 49))
    if at_here is None or beside is None or not (beside > at_here or beside < at_here):
        return None
    rising = bool(beside > at_here)
    outwards = 1 if (at_here < 0) == rising else -1
    step = 1 << 51
    while True:
        there = min(max(here + outwards * step, ends[0]), ends[1])
        if there == here:
            return None
        at_there = gap(there)
        if at_there is None:
            return None
        if (at_there > 0) != (at_here > 0):
            break
        here, at_here, step = there, at_there, step * 2
    pair = sorted([(here, at_here), (there, at_there)], key=lambda item: item[0])
    (first, at_first), (last, at_last) = pair
    slow = 0
    while last - first > 1:
        middle = (first + last) // 2
        if slow < 2 and abs(target) > 0:
            sizes = [1 + at_first / target, 1 + at_last / target]
            if all(size > 0 for size in sizes):
                left, right = (float(size.log().mid()) for size in sizes)
                if left != right:
                    middle = min(max(first + int(left / (left - right) * (last - first)), first + 1), last - 1)
        at_middle = gap(middle)
        if at_middle is None:
            return arb(number(middle), abs(number(middle)) * 2.0**-95)
        before = last - first
        if (at_middle > 0) == rising:
            last, at_last = middle, at_middle
        else:
            first, at_first = middle, at_middle
        slow = (slow + 1) % 4 if last - first > before // 4 or slow >= 2 else 0
    at_first, at_last = gap(first, 256), gap(last, 256)
    ctx.prec = 256
    if at_first is None or at_last is None:
        return None
    value = number(first) + (arb(number(last)) - number(first)) * at_first / (at_first - at_last)
    return arb(value.mid(), abs(value.mid()) * arb(2) ** -90)
