"""Real roots of piecewise polynomials.

Each polynomial is taken apart at the roots of its derivative, between which it rises or falls; those are found in the
same way, from the straight line upwards. One launch serves all intervals.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ... import concatenate
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device
from ._common import last_first

_EPSILON = float(np.finfo(np.float64).eps)
_MOST_STEPS = 120


@k.function
def _value(c, i, factors, degree, nu, s, y):
    """The derivative of order `nu` of a polynomial less `y`."""
    last = c.shape[0] - 1
    total = 0.0
    for j in k.steps(degree - nu + 1):
        power = degree - j
        total = total * s + (c[last - power, i] - k.where(power == 0, y, 0.0)) * factors[nu, power]
    return total


@k.function
def _crossing(c, i, factors, degree, nu, y, low, high, at_low):
    """Where a function that rises or falls has its one root, by Newton's steps within a bracket."""
    x = (low + high) * 0.5
    step, count = high - low, 0
    while step != 0.0 and count < _MOST_STEPS:
        value = _value(c, i, factors, degree, nu, x, y)
        if (value < 0) == (at_low < 0):
            low = x
        else:
            high = x
        slope = _value(c, i, factors, degree, nu + 1, x, y)
        target = x - value / slope
        # Halving wherever Newton's step leaves the bracket or is not a number, and every third time.
        if not (target > low and target < high) or count % 3 == 2:
            target = low + (high - low) * 0.5
        if value == 0:
            target = x
        step = target - x
        x = target
        count += 1
    return x


@k.kernel
def _piece_roots(
    i: k.Each,
    c: k.Array[2],
    breaks: k.Array,
    factors: k.Array,
    y: float,
    work: k.Out[1],
    found: k.Out[1],
    *,
    jumps: bool,
    extrapolate: bool,
):
    """The roots in one interval; the first place of `found` is for a jump over `y` at its start."""
    last, intervals = c.shape[0] - 1, breaks.shape[0] - 1
    start, stop = breaks[i], breaks[i + 1]
    if jumps and i > 0:
        before = _value(c, i - 1, factors, last, 0, start - breaks[i - 1], y)
        after = c[last, i] - y
        if (before < 0 and after > 0) or (before > 0 and after < 0):
            found[0] = start
    degree = last + 0 * i
    while degree > 0 and c[last - degree, i] == 0:
        degree -= 1
    if degree == 0:
        if c[last, i] - y == 0:
            found[1] = start
            found[2] = np.nan
            work[0] = 1.0
    else:
        low, high = min(stop - start, 0.0), max(stop - start, 0.0)
        if extrapolate:
            # Fujiwara's bound of the roots.
            lead, bound = c[last - degree, i], 0.0
            for power in k.steps(degree):
                ratio = abs((c[last - power, i] - k.where(power == 0, y, 0.0)) / lead)
                bound = max(bound, 2.0 * ratio ** (1.0 / (degree - power).astype(np.float64)))
            rises = breaks[0] <= breaks[-1]
            low = k.where(i == k.where(rises, 0, intervals - 1), min(low, -bound), low)
            high = k.where(i == k.where(rises, intervals - 1, 0), max(high, bound), high)
        count = 0
        for level in k.steps(1, degree + 1):
            nu = degree - level
            left, at_left = low, _value(c, i, factors, degree, nu, low, y)
            fresh = 0
            if at_left == 0 and level == degree:
                found[1] = left + start
                fresh = 1
            for j in k.steps(count + 1):
                right = high
                if j < count:
                    right = work[1 + j]
                at_right = _value(c, i, factors, degree, nu, right, y)
                met = k.value(False)
                if level == degree:
                    # A minimum or maximum that is 0 up to rounding is a double root.
                    size = 0.0
                    for power in k.steps(degree, -1, -1):
                        size = size * abs(right) + abs(c[last - power, i] - k.where(power == 0, y, 0.0))
                    if abs(at_right) <= 4.0 * _EPSILON * size:
                        at_right = k.where(j < count, 0.0, at_right)
                        # An end that is 0 up to rounding is found as the start of the next interval.
                        met = (j == count) & (right == stop - start) & (i + 1 < intervals)
                        met = met & (c[last, min(i + 1, intervals - 1)] - y == 0)
                if not met and at_left != 0 and (at_right == 0 or (at_left < 0) != (at_right < 0)):
                    root = right
                    if at_right != 0:
                        root = _crossing(c, i, factors, degree, nu, y, left, right, at_left)
                    if level == degree:
                        if fresh < degree:
                            found[1 + fresh] = root + start
                    else:
                        work[1 + fresh] = root
                    fresh += 1
                left, at_left = right, at_right
            count = fresh


def solve_pieces(c: ndarray, x: ndarray, y: float, jumps: bool, extrapolate: bool) -> Any:
    """Where polynomials with the coefficients `c` are `y`; an array of objects if they have values of vectors."""
    order, intervals, trailing = c.shape[0], c.shape[1], c.shape[2:]
    powers = range(order)
    factors = np.array([[math.perm(power, nu) for power in powers] for nu in range(order + 1)], dtype=np.float64)
    work = _core.zeros((*trailing, intervals, order + 1), np.float64)
    found = _core.full((*trailing, intervals, 1 + max(2, order - 1)), np.nan, np.float64)
    interval = _core.arange(0, 1, intervals, np.int64)
    _piece_roots(
        interval, last_first(c, 2)[..., None, :, :], x, as_device(factors), y, work, found, jumps=jumps,
        extrapolate=extrapolate,
    )  # fmt: skip
    if bool(x[0] > x[-1]):
        # In the order of the intervals, which fall.
        found[..., 1:] = _core.where(work[..., :1] != 0, found[..., 1:], found[..., :0:-1].copy())
    kept = found == found
    # The NaN behind the start of an interval on which the function is `y`.
    kept[..., 2] |= work[..., 0] != 0
    columns = found.reshape(-1, intervals * found.shape[-1])
    kept = kept.reshape(columns.shape)
    if not trailing:
        return _compressed(columns[0], kept[0])
    results = np.empty(columns.shape[0], dtype=object)
    for number in range(columns.shape[0]):
        results[number] = _compressed(columns[number], kept[number])
    return results.reshape(trailing)


def _compressed(values: ndarray, kept: ndarray) -> ndarray:
    """Those that are kept, each once where neighbours are equal."""
    values = values[kept]
    return concatenate([values[:1], values[1:][values[1:] != values[:-1]]])
