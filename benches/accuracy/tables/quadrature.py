"""Integrals by double exponential rules, whose steps are halved until two results agree."""

from __future__ import annotations

from collections.abc import Callable

from flint import arb, ctx

#: Bits that two results have in common at the end.
AGREE = 90


def rule(term: Callable[[arb], arb | None]) -> arb:
    """The integral over the real line of a function that falls double exponentially; None is zero."""
    total, step, last = arb(0), arb(0.5), None
    for level in range(11):
        fresh = arb(0)
        for side in (1, -1):
            small, k = 0, (0 if side > 0 else 1) if level == 0 else 1
            while small < 3 and k * float(step) < 8:
                value = term(arb(side * k) * step)
                if value is None or not value.is_finite():
                    break
                fresh += value
                small = small + 1 if abs(value) < (abs(fresh) + abs(total)) * arb(2) ** -(AGREE + 20) else 0
                k += 1 if level == 0 else 2
        total += fresh
        result = total * step
        if last is not None and abs(result - last) < abs(result) * arb(2) ** -(AGREE // 2):
            # The error is squared by each halving.
            return arb(result.mid(), abs(result.mid()) * arb(2) ** -AGREE + result.rad())
        last, step = result, step / 2
    return arb.nan()


def between(function: Callable[[arb, arb, arb], arb], low: arb, high: arb) -> arb:
    """The integral over an interval of f(x, x - low, high - x): the distances keep their digits next to the ends."""
    ctx.prec = max(ctx.prec, 2 * AGREE)
    width = high - low

    def term(t: arb) -> arb | None:
        power = arb.pi() * t.sinh()
        share = 1 / (1 + (-power).exp())
        rest = 1 / (1 + power.exp())
        return function(low + width * share, width * share, width * rest) * width * share * rest * arb.pi() * t.cosh()

    return rule(term)


def beyond(function: Callable[[arb, arb], arb], low: arb, scale: arb | float = 1) -> arb:
    """The integral from `low` to infinity of f(x, x - low)."""
    ctx.prec = max(ctx.prec, 2 * AGREE)
    scale = arb(scale)

    def term(t: arb) -> arb | None:
        distance = scale * (arb.pi() / 2 * t.sinh()).exp()
        return function(low + distance, distance) * distance * arb.pi() / 2 * t.cosh()

    return rule(term)
