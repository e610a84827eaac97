"""Sums with a bound for what is left out."""

from __future__ import annotations

from collections.abc import Callable

from flint import arb, ctx


def summed(term: Callable[[int, arb], arb], most: int = 20000) -> arb:
    """The sum of term(k, k!): ends where eight terms are negligible and falling."""
    total, fact, small, before = arb(0), arb(1), 0, None
    least = arb(2) ** (-2 * ctx.prec)
    for k in range(most):
        if k:
            fact *= k
        value = term(k, fact)
        total += value
        size = abs(value).upper()
        falling = before is not None and size * 2 <= before
        small = small + 1 if size < abs(total).upper() * arb(2) ** (-ctx.prec) + least and (falling or size == 0) else 0
        if small == 8:
            return (
                total + arb(0, float(2 * size) if size < 1e300 else 1e300)
                if size > 1e-300
                else total + arb(0, 1) * 4 * size
            )
        before = size
    return arb.nan()
