"""Integrals of functions of arrays, for what is known as Python only (subclasses of users, `expect`)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ._common import holds, points
from ._numeric import _BEARABLE, _host_rule

# Steps between the points of the double-exponential rule, halved until two sums agree.
_FIRST, _LEVELS, _REACH = 0.25, 7, 6.5
_AGREE = 1e-13
_MOST_ELEMENTS = 1 << 23
# Where sums never agree, intervals are halved this often, until the two rules' difference is this part of the total.
_HALVINGS, _HALVED_AGREE, _MOST_HALVES = 48, 1e-12, 4096


def _abscissae(level: int) -> np.ndarray:
    step = _FIRST / 2**level
    count = int(_REACH / step)
    numbers = np.arange(-count, count + 1)
    # Of a finer level only what the coarser ones did not have.
    return step * (numbers if level == 0 else numbers[numbers % 2 != 0])


def _finite(u: ndarray, low: ndarray, high: ndarray, scale: ndarray) -> tuple[ndarray, ndarray]:
    # From the nearer end, so that points do not fall on it by cancellation.
    s = np.pi * np.sinh(u)
    share = 1 / (1 + np.exp(abs(s)))
    x = cp.where(u < 0, low + (high - low) * share, high - (high - low) * share)
    return x, (high - low) * share * (1 - share) * np.pi * np.cosh(u)


def _half(u: ndarray, low: ndarray, high: ndarray, scale: ndarray) -> tuple[ndarray, ndarray]:
    far = scale * np.exp(np.pi / 2 * np.sinh(u))
    weight = far * np.pi / 2 * np.cosh(u)
    return cp.where(cp.isinf(high), low + far, high - far), weight


def integrate(f: Callable[[ndarray], ndarray], low: Any, high: Any, centre: Any = 0.0, scale: Any = 1.0) -> ndarray:
    """The integrals of `f` from `low` to `high`, by the double-exponential rule.

    `f` is called with an array whose leading axis are the points of the rule and whose other axes are those of the
    limits. Points where `f` is not finite count as 0. Both limits may be infinite; the parts meet at `centre` then.
    """
    low, high, centre, scale = cp.broadcast_arrays(*(points(v) for v in (low, high, centre, scale)))
    whole = cp.isinf(low) & cp.isinf(high)
    middle = cp.where(whole, centre, high)
    total = _side(f, low, middle, scale)
    if not holds(~whole):
        total = total + cp.where(whole, _side(f, middle, high, scale), 0.0)
    return total


def _side(f: Callable[[ndarray], ndarray], low: ndarray, high: ndarray, scale: ndarray) -> ndarray:
    infinite = cp.isinf(low) | cp.isinf(high)
    total = cp.zeros(low.shape)

    def terms(u: ndarray) -> ndarray:
        """The integrand over the rule's variable."""
        x_half, w_half = _half(u, low, high, scale)
        x_finite, w_finite = _finite(u, low, high, scale)
        x, w = cp.where(infinite, x_half, x_finite), cp.where(infinite, w_half, w_finite)
        inside = cp.isfinite(w) & (w > 0) & cp.isfinite(x)
        values = f(cp.where(inside, x, cp.where(cp.isfinite(low), low, high))) * cp.where(inside, w, 0.0)
        return cp.where(cp.isfinite(values), values, 0.0)

    for level in range(_LEVELS):
        step = _FIRST / 2**level
        nodes = _abscissae(level)
        block = max(1, _MOST_ELEMENTS // max(1, low.size))
        added = cp.zeros(low.shape)
        for start in range(0, len(nodes), block):
            added = added + terms(cp.array(nodes[start : start + block]).reshape((-1,) + (1,) * low.ndim)).sum(axis=0)
        before, total = total, total / 2 + step * added if level else step * added
        agree = abs(total - before) <= _AGREE * abs(total) + 1e-300
        if level >= 2 and holds(agree):
            break
    else:
        total = cp.where(agree, total, _halved(terms, low.shape))
    return cp.where(low == high, 0.0, total)


def _halved(f: Callable[[ndarray], ndarray], shape: tuple[int, ...]) -> ndarray:
    """The integrals over the rule's variable of what is not smooth (steps, cusps): intervals are halved, all that some
    element needs in one call, by the rules of Gauss and Kronrod. NaN, with a warning, where they do not agree."""
    size = math.prod(shape)
    nodes, *weights = _host_rule()
    points_, rules = cp.array(nodes), cp.array(np.array(weights)).T
    edges = np.linspace(-_REACH, _REACH, 27)
    low, high, before = edges[:-1], edges[1:], None
    done, error, rest = np.zeros(size), np.zeros(size), np.zeros(size)
    for _ in range(_HALVINGS):
        half = (high - low) / 2
        u = cp.array((low + high) / 2)[:, None] + cp.array(half)[:, None] * points_
        values = f(u.reshape(-1, *(1,) * len(shape))).reshape(len(low), len(nodes), size)
        fine, rough = np.moveaxis((cp.moveaxis(values, 1, 2) @ rules).get(), 2, 0) * half[:, None]
        limit = _HALVED_AGREE * abs(done + fine.sum(0))
        open_ = abs(fine - rough) > limit
        # The rules may agree by chance where there is a step: the whole must be the sum of its halves, too.
        if before is None:
            open_[:] = True
        else:
            open_ |= np.tile(abs(fine.reshape(2, -1, size).sum(0) - before) > limit, (2, 1))
        needed = open_.any(axis=1)
        done += fine[~needed].sum(0)
        error += abs(fine - rough)[~needed].sum(0)
        rest = fine[needed].sum(0)
        missed = abs(fine - rough)[needed].sum(0)
        if not needed.any() or len(low) > _MOST_HALVES or 2 * needed.sum() * len(nodes) * size > _MOST_ELEMENTS:
            break
        low, high, before = low[needed], high[needed], fine[needed]
        middle = (low + high) / 2
        low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
    total = done + rest
    lost = error + missed > _BEARABLE * abs(total) + 1e-300
    if lost.any():
        warn_unconverged()
    return cp.asarray(np.where(lost, np.nan, total).reshape(shape))


def warn_unconverged() -> None:
    """Say that an integral did not converge, and that its result is NaN therefore."""
    from cuproxide.scipy.integrate import IntegrationWarning

    warnings.warn(
        "The integral over a distribution did not converge; the result is NaN there.", IntegrationWarning, stacklevel=2
    )


def integrate_log(f: Callable[[ndarray], ndarray], low: Any, high: Any, scale: Any = 1.0) -> ndarray:
    """The logarithms of the integrals of `exp(f)` between limits of which one may be infinite."""
    low, high, scale = cp.broadcast_arrays(*(points(v) for v in (low, high, scale)))
    u = cp.array(np.concatenate([_abscissae(0), _abscissae(1)])).reshape((-1,) + (1,) * low.ndim)
    x = cp.where(cp.isinf(low) | cp.isinf(high), _half(u, low, high, scale)[0], _finite(u, low, high, scale)[0])
    values = f(cp.where(cp.isfinite(x), x, cp.where(cp.isfinite(low), low, high)))
    # About the largest value, so that exponentials neither overflow nor vanish.
    most = cp.where(cp.isfinite(values), values, -np.inf).max(axis=0)
    most = cp.where(cp.isfinite(most), most, 0.0)
    return most + np.log(integrate(lambda t: np.exp(f(t) - most), low, high, scale=scale))


def bisect(rises: Callable[[ndarray], ndarray], low: Any, high: Any, shape: tuple[int, ...]) -> ndarray:
    """The least float64 from `low` to `high` at which `rises` holds: bisection in the order of the numbers' bits."""

    def ordered(value: ndarray) -> ndarray:
        bits = value.view(np.int64)
        return cp.where(bits < 0, bits ^ np.int64(0x7FFFFFFFFFFFFFFF), bits)

    def numbered(order: ndarray) -> ndarray:
        return cp.where(order < 0, order ^ np.int64(0x7FFFFFFFFFFFFFFF), order).view(np.float64)

    a, b = (ordered(cp.broadcast_to(points(v) + 0.0, shape).copy()) for v in (low, high))
    for _ in range(64):
        middle = (a >> 1) + (b >> 1) + (a & b & 1)
        up = rises(numbered(middle))
        a, b = cp.where(up, a, middle), cp.where(up, middle, b)
        cp.evaluate(a, b)
    return numbered(b)
