"""The poles of Bessel filters: zeros of reverse Bessel polynomials, in decimals, whose digits do not cancel."""

from __future__ import annotations

import functools
import math
from decimal import Context, Decimal, localcontext

import numpy as np

# A complex number of as many digits as the context has: real and imaginary part.
_Number = tuple[Decimal, Decimal]


def _product(a: _Number, b: _Number) -> _Number:
    return a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]


def _newton_step(order: int, s: _Number) -> _Number:
    """The value of the reverse Bessel polynomial over its slope, from the recurrence of its orders."""
    square = _product(s, s)
    before: _Number = (Decimal(1), Decimal(0))
    now: _Number = (s[0] + 1, s[1])
    for n in range(2, order + 1):
        rest, factor = _product(square, before), 2 * n - 1
        before, now = now, (factor * now[0] + rest[0], factor * now[1] + rest[1])
    # theta_n' = theta_n - s theta_(n-1).
    below = _product(s, before)
    slope = (now[0] - below[0], now[1] - below[1])
    size = slope[0] * slope[0] + slope[1] * slope[1]
    top = _product(now, (slope[0], -slope[1]))
    return top[0] / size, top[1] / size


def digits(order: int) -> int:
    """Enough for the last digit of a double: terms of the polynomial are up to exp(2 `order`) times its values."""
    return 45 + order


def _guess(order: int) -> np.ndarray:
    """Points near the zeros in the upper half plane, the one with the largest imaginary part first."""
    place = (2 * np.arange(1, (order + 1) // 2 + 1) - 1) / (2 * order)
    if order < 8:
        # On the curve to which scaled zeros tend.
        angle = np.pi * (0.5 + place)
        s = order * (0.315 * np.cos(angle) - 0.415 + 0.81j * np.sin(angle))
    else:
        # Scaled zeros of half the order, between which they change smoothly; at the end as Airy's function does.
        known = [complex(x, y) for x, y in bessel_poles(order // 2)]
        curve = np.array([1j, *(pole / (order // 2 + 0.5) for pole in known)])
        if order // 2 % 2 == 0:
            curve = np.append(curve, np.conjugate(curve[-1]))
        at = np.concatenate(([0.0], 2 * np.arange(1, len(curve)) - 1)) / (2 * (order // 2))
        s = (order + 0.5) * np.interp(place ** (2 / 3), at ** (2 / 3), curve)
    if order % 2:
        s[-1] = s[-1].real
    return s


@functools.lru_cache(maxsize=64)
def bessel_poles(order: int) -> tuple[_Number, ...]:
    """The zeros of the reverse Bessel polynomial with imaginary parts of at least 0, to 40 digits, the largest first.

    Aberth's method: Newton's steps in decimals, whose digits do not cancel, and repulsion between zeros in doubles.
    """
    s = _guess(order)
    with localcontext(Context(prec=digits(order))):
        found = [(Decimal(value.real), Decimal(value.imag)) for value in s]
        quadratic = False
        for _ in range(100):
            points = np.array([complex(x, y) for x, y in found])
            others = np.concatenate((points, np.conjugate(points[points.imag != 0])))
            largest = 0.0
            for i, point in enumerate(found):
                step = _newton_step(order, point)
                if not quadratic:
                    gaps = points[i] - np.delete(others, i)
                    newton = complex(step[0], step[1])
                    newton /= 1 - newton * complex((1 / gaps).sum())
                    step = Decimal(newton.real), Decimal(newton.imag)
                largest = max(largest, abs(complex(step[0], step[1]) / points[i]))
                found[i] = (point[0] - step[0], point[1] - step[1] if points[i].imag else Decimal(0))
            if quadratic and largest < 1e-25:
                break
            # Near the zeros the doubles of the repulsion would round Newton's steps.
            quadratic = largest < 1e-8
        return tuple(sorted(found, key=lambda pole: -pole[1]))


def half_power(order: int) -> Decimal:
    """Where the gain of the delay-normalised prototype is -3 dB."""
    # |theta_n(j w)|**2 = sum of c_m w**(2 m), all of them positive integers (Storch 1954).
    terms = [
        Decimal(
            math.factorial(2 * order - m)
            * math.factorial(2 * order - 2 * m)
            // (math.factorial(m) * math.factorial(order - m) ** 2)
        )
        / 4 ** (order - m)
        for m in range(order + 1)
    ]
    wanted = 2 * terms[0]
    # Convex and rising: Newton's steps only fall from the right, where the linear term alone is what is wanted.
    t = wanted / terms[1]
    for _ in range(200):
        value, slope = Decimal(0), Decimal(0)
        for c in reversed(terms):
            slope = slope * t + value
            value = value * t + c
        step = (value - wanted) / slope
        t -= step
        if abs(step) <= t * Decimal(10) ** -35:
            break
    return t.sqrt()
