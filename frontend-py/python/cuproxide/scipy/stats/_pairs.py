"""Numbers of twice the digits: unevaluated sums of two float64, for formulas whose roundings an exponential multiplies.

A sum of logarithms under an exponential loses as many digits as its size has, and next to a zero of a logarithm the
rounding of its terms is all that is left. `Pair` keeps what each operation rounds away (T. J. Dekker, 1971).
"""

from __future__ import annotations

from typing import Any

from ..._lib import kernel as k
from ..._lib.kernel import Value
from ._math import INF, NAN, exp, frexp, isfinite, log, power, where

# The logarithm of 2 in two parts, of which the first has products with exponents that are exact.
_LN2 = (0.6931471805598903, 5.497923018708371e-14)
# A third and what its nearest number leaves; the series of `log((1 + s) / (1 - s)) / (2 * s)`, last first.
_THIRD, _THIRD_REST = 1 / 3, 1.850371707708594e-17
_SERIES = tuple(1.0 / (2 * n + 1) for n in range(13, 1, -1))
_ROOT_HALF = 0.7071067811865476
_SPLIT = 134217729.0


def halves(a: Any) -> tuple[Any, Any]:
    """A number as the sum of two whose products are exact."""
    wide = _SPLIT * a
    high = wide - (wide - a)
    return high, a - high


def known(rest: Any) -> Any:
    """What a rounding took away; nothing where it is not known, since parts of it leave the range."""
    return where(isfinite(rest), rest, 0.0)


def product_rest(a: Any, b: Any, product: Any) -> Any:
    """What the rounding of a product took away."""
    if isinstance(a, Value) or isinstance(b, Value):
        return k.fma(a, b, -product)
    (c, d), (e, f) = halves(a), halves(b)
    return known(((c * e - product) + c * f + d * e) + d * f)


def sum_rest(a: Any, b: Any, total: Any) -> Any:
    """What the rounding of a sum took away (D. E. Knuth)."""
    part = total - a
    return (a - (total - part)) + (b - part)


class Pair:
    """A number as the sum of its rounding and what that leaves; other numbers in its operations are exact."""

    __slots__ = ("high", "low")

    def __init__(self, high: Any, low: Any = 0.0) -> None:
        self.high, self.low = high, low

    def __add__(self, other: Any) -> Pair:
        other = as_pair(other)
        total = self.high + other.high
        return Pair(total, sum_rest(self.high, other.high, total) + (self.low + other.low)).renewed()

    __radd__ = __add__

    def __neg__(self) -> Pair:
        return Pair(-self.high, -self.low)

    def __sub__(self, other: Any) -> Pair:
        return self + -as_pair(other)

    def __rsub__(self, other: Any) -> Pair:
        return as_pair(other) - self

    def __mul__(self, other: Any) -> Pair:
        other = as_pair(other)
        product = self.high * other.high
        rest = product_rest(self.high, other.high, product) + (self.high * other.low + self.low * other.high)
        return Pair(product, rest).renewed()

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Pair:
        other = as_pair(other)
        quotient = self.high / other.high
        product = quotient * other.high
        rest = (self.high - product) - product_rest(quotient, other.high, product)
        return Pair(quotient, known((rest + self.low - quotient * other.low) / other.high))

    def __rtruediv__(self, other: Any) -> Pair:
        return as_pair(other) / self

    def renewed(self) -> Pair:
        """The same with the first part the nearest number, where the second is smaller than it."""
        low = known(self.low)
        high = self.high + low
        return Pair(high, known(low - (high - self.high)))

    def number(self) -> Any:
        """The nearest number; an infinite first part has no rest."""
        return where(isfinite(self.high), self.high + self.low, self.high)

    def exp(self) -> Any:
        """The exponential, rounded once."""
        value = exp(self.high)
        return value + known(value * self.low)


def as_pair(value: Any) -> Pair:
    return value if isinstance(value, Pair) else Pair(value)


def log_pair(x: Any) -> Pair:
    """The logarithm of a number, to 65 bits: by the series of the inverse hyperbolic tangent."""
    fraction, exponent = frexp(x)
    low = fraction < _ROOT_HALF
    fraction = where(low, 2 * fraction, fraction)
    exponent = exponent - where(low, 1.0, 0.0)
    top, bottom = fraction - 1, fraction + 1
    s = top / bottom
    near = s * bottom
    rest = ((top - near) - product_rest(s, bottom, near) - s * (fraction - (bottom - 1))) / bottom
    square = s * s
    tail: Any = _SERIES[0]
    for coefficient in _SERIES[1:]:
        tail = tail * square + coefficient
    tail = square * tail
    factor = _THIRD + tail
    factor_rest = (tail - (factor - _THIRD)) + _THIRD_REST
    # The series over `2 * s`, less 1.
    rise = square * factor
    square_rest = product_rest(s, s, square) + 2 * s * rest
    rise_rest = product_rest(square, factor, rise) + square * factor_rest + square_rest * factor
    twice = 2 * s
    more = twice * rise
    more_rest = product_rest(twice, rise, more) + twice * rise_rest + 2 * rest * (1 + rise)
    first = exponent * _LN2[0]
    total = first + twice
    high = total + more
    left = sum_rest(first, twice, total) + sum_rest(total, more, high) + (more_rest + exponent * _LN2[1])
    value = Pair(high, left).renewed()
    inside = (x > 0) & (x < INF)
    outside = where(x == 0, -INF, where(x == INF, INF, NAN))
    return Pair(where(inside, value.high, outside), where(inside, value.low, 0.0))


def log_of_pair(x: Pair) -> Pair:
    """The logarithm of a sum of two numbers."""
    share = x.low / x.high
    share = where(isfinite(share), share, 0.0)
    return log_pair(x.high) + (share - 0.5 * share * share)


def log1p_pair(x: Any) -> Pair:
    """The logarithm of 1 and a number."""
    total = 1 + x
    return log_of_pair(Pair(total, where(abs(x) < INF, sum_rest(1.0, x, total), 0.0)))


def exp_pair(x: Pair) -> Pair:
    """The exponential, with what its rounding leaves: that is found by the logarithm of the rounding."""
    value = exp(x.high)
    back = log_pair(value)
    rest = ((x.high - back.high) - back.low) + x.low
    return Pair(value, where((value > 0) & (value < INF), value * rest, 0.0))


def power_pair(x: Any, c: Any) -> Pair:
    """A power, with what its rounding leaves."""
    value = power(x, c)
    rest = log_pair(x) * c - log_pair(value)
    return Pair(value, where((value > 0) & (value < INF), value * (rest.high + rest.low), 0.0))


def root_of(x: Any, c: Any, c_rest: Any = 0.0) -> Any:
    """`x**(1 / (c + c_rest))`, without the rounding of the exponent: a power multiplies it by the logarithm of `x`."""
    exponent = 1 / c
    product = exponent * c
    rest = (((1 - product) - product_rest(exponent, c, product)) - exponent * c_rest) / c
    return power(x, exponent) * (1 + where((x > 0) & (x < INF), rest * log(x), 0.0))
