"""Sums of powers of whole numbers, between any two of them."""

from __future__ import annotations

from typing import Any

from ..._lib import kernel as k

# Bernoulli's numbers of orders 2, 4, ... over the orders' factorials.
EULER_MACLAURIN = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600,
    -3617 / 10670622842880000)  # fmt: skip
# The least number that Euler and Maclaurin's formula begins with.
_FIRST = 12.0


@k.function
def power_sum(first: Any, last: Any, a: Any) -> Any:
    """The sum of `j**-a` for `a >= 0` over the whole numbers from `first >= 1` to `last`: nothing in it cancels."""
    total, j, term = k.value(0.0), first, k.value(1.0)
    start = _FIRST + 2 * k.minimum(a, 1e6)
    while (j <= last) & (j < start) & (term > 1e-18 * total):
        term = k.power(j, -a)
        total += term
        j += 1.0
    if (j <= last) & (term > 1e-18 * total):
        total += _beyond(j, last, a)
    return total


def _beyond(low: Any, high: Any, a: Any) -> Any:
    """The same from a large number on, by the integral and derivatives at both ends."""
    ratio = k.log(high / low)
    near = k.log1p((high - low) / low)
    length = k.where(high < 2 * low, near, ratio)
    fall = (a - 1) * length
    # The integral over the logarithm: `low**(1 - a)` times the mean of `exp(-t)` up to `fall`.
    mean = k.where(abs(fall) < 1e-290, 1.0, -k.expm1(-fall) / k.where(abs(fall) < 1e-290, 1.0, fall))
    first, last = k.power(low, -a), k.power(high, -a)
    rest = (first + last) / 2
    down, up = first / low, last / high
    factor = a
    for i, coefficient in enumerate(EULER_MACLAURIN):
        rest += coefficient * factor * (down - up)
        factor = factor * (a + (2 * i + 1)) * (a + (2 * i + 2))
        down, up = down / (low * low), up / (high * high)
    return first * low * length * mean + rest
