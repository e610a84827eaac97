"""Integrals of functions with arrays as values, over one variable."""

from __future__ import annotations

import heapq
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import to_host
from ..._lib.lending import shielded
from ..._lib.results import Result
from ._kronrod import RULES

__all__ = ["quad_vec"]

EPSILON = sys.float_info.epsilon
# Intervals that are halved between two looks at the errors.
TOGETHER = 128
_MESSAGES = {
    0: "Target precision reached.",
    1: "Target precision not reached.",
    2: "Target precision could not be reached due to rounding error.",
    3: "Non-finite values encountered.",
}


def _norms(norm: Any) -> Callable[[ndarray], Any]:
    """The norm of each of some values, which lie along the first axis."""
    if callable(norm):
        return lambda rows: cp.stack([cp.asarray(norm(row)) for row in rows])
    if norm in (None, "max"):
        return lambda rows: cp.max(abs(rows.reshape(rows.shape[0], -1)), axis=1)
    if norm == "2":
        return lambda rows: cp.sqrt(cp.sum(abs(rows.reshape(rows.shape[0], -1)) ** 2, axis=1))
    raise KeyError(norm)


class _Rule:
    """A rule on several intervals at once: the sums run on the device, and the errors are read together."""

    def __init__(self, f: Callable[[float], Any], name: str, norms: Callable[[ndarray], Any]) -> None:
        self.f, self.norms, self.name = f, norms, name
        self.count = {"gk21": 21, "gk15": 15, "trapezoid": 3}[name]
        self.scalar = False
        self.shape: tuple[int, ...] = ()

    def __call__(self, spans: list[tuple[float, float]]) -> tuple[ndarray, Any]:
        """Integrals, one a row, and on the host for each its error and its rounding error."""
        trapezoid = self.name == "trapezoid"
        nodes = np.array([-1.0, 0.0, 1.0]) if trapezoid else RULES[self.count][0]
        start, end = np.array(spans).T
        half = 0.5 * (end - start)
        points = (0.5 * (start + end))[:, None] + half[:, None] * nodes
        values = [self.f(x) for x in points.ravel().tolist()]
        self.scalar = not any(isinstance(value, ndarray) for value in values)
        # Where a variable goes to infinity the transformed function is the number 0.
        shape = next((value.shape for value in values if getattr(value, "ndim", 0)), ())
        values = [value if getattr(value, "shape", ()) == shape else cp.full(shape, value) for value in values]
        samples = cp.stack([cp.asarray(value) for value in values]).reshape(len(spans), nodes.size, -1)
        samples = samples if samples.dtype.kind in "fc" else samples.astype(np.float64)
        h = cp.asarray(half)[:, None]
        self.shape = shape
        if trapezoid:
            fine = h * cp.einsum("snk,n->sk", samples, cp.asarray([0.5, 1.0, 0.5]))
            coarse = h * (samples[:, 0] + samples[:, 2])
            errors = self.norms((coarse - fine).reshape(len(spans), *shape)) / 3
            sizes = cp.stack([self.norms(samples[:, k].reshape(len(spans), *shape)) for k in range(3)])
            rounding = abs(cp.asarray(half)) / 2 * (sizes[0] + 2 * sizes[1] + sizes[2]) * 2e-16
            return fine, to_host(cp.stack([errors, rounding], axis=1))
        _, kronrod, gauss = RULES[self.count]
        weights = cp.asarray(np.stack([kronrod, kronrod - gauss]))
        both = cp.einsum("snk,rn->rsk", samples, weights.astype(samples.dtype))
        result, difference = both[0], both[1]
        of = cp.asarray(kronrod)
        size = cp.einsum("snk,n->sk", abs(samples), of)
        deviation = cp.einsum("snk,n->sk", abs(samples - result[:, None] / 2), of)
        parts = [self.norms((part * h).reshape(len(spans), *shape)) for part in (difference, deviation, size)]
        error, spread, total = to_host(cp.stack(parts, axis=0))
        with np.errstate(all="ignore"):
            some = (spread != 0) & (error != 0)
            error[some] = spread[some] * np.minimum(1.0, (200 * error[some] / spread[some]) ** 1.5)
        rounding = 50 * EPSILON * total
        large = rounding > sys.float_info.min
        error[large] = np.maximum(error[large], rounding[large])
        return result * h, np.stack([error, rounding], axis=1)


def quad_vec(
    f: Callable[..., Any],
    a: float,
    b: float,
    epsabs: float = 1e-200,
    epsrel: float = 1e-8,
    norm: Any = "2",
    cache_size: float = 100e6,
    limit: float = 10000,
    workers: Any = 1,
    points: Any = None,
    quadrature: str | None = None,
    full_output: bool = False,
    *,
    args: tuple[Any, ...] = (),
) -> tuple[Any, ...]:
    """The integral of a function of one variable whose values are arrays.

    Adaptive integration: the intervals with the largest errors are halved together, up to 128 at a time, and the sums
    of all of them run in a few launches.

    Parameters
    ----------
    f : callable
        `f(x, *args)` of a number, which returns an array or a number.
    a, b : float
        The limits.
    epsabs, epsrel : float, optional
        The absolute and the relative error asked for.
    norm : {'2', 'max'} or callable, optional
        What the size of an error is.
    cache_size : int, optional
        Not used: the integrals of all intervals are kept on the device.
    workers : int or map-like, optional
        Not used: one process feeds the device.
    quadrature : {'gk21', 'gk15', 'trapezoid'}, optional
        The rule; 'gk21', or 'gk15' where a limit is infinite.
    args : tuple, optional
        Further arguments of `f`.

    Returns
    -------
    res : ndarray or float
        The integral.
    err : float
        An estimate of the norm of its error.
    info : object
        With `full_output`: `success`, `status`, `message`, `neval`, `intervals`, `integrals`, `errors`.

    Raises
    ------
    ValueError
        If a limit is no number or the rule is unknown.

    >>> value, error = integrate.quad_vec(lambda x: x ** cp.arange(3), 0.0, 2.0)
    >>> value
    array([2.        , 2.        , 2.66666667])
    """
    a, b = float(a), float(b)
    args = args if isinstance(args, tuple) else (args,)
    f = shielded(f)
    function = (lambda x: f(x, *args)) if args else f
    given = [float(p) for p in points] if points is not None else []
    sign = 1.0
    name = quadrature
    if math.isnan(a) or math.isnan(b):
        raise ValueError(f"invalid integration bounds a={a}, b={b}")
    if math.isinf(a) or math.isinf(b):
        name = "gk15" if quadrature is None else quadrature
        function, given, a, b, sign = _to_finite(function, given, a, b)
    name = "gk21" if name is None else name
    if name not in ("gk21", "gk15", "trapezoid"):
        raise ValueError(f"unknown quadrature {name!r}")
    inner = sorted({p for p in given if min(a, b) < p < max(a, b)}, reverse=b < a)
    edges = [a, *inner, b]
    return _adapt(_Rule(function, name, _norms(norm)), edges, sign, epsabs, epsrel, limit, full_output)


def _to_finite(f: Callable[[float], Any], points: list[float], a: float, b: float) -> tuple[Any, ...]:
    smallest = sys.float_info.min**0.5
    if math.isinf(a) and math.isinf(b):

        def whole(t: float) -> Any:
            return 0.0 if abs(t) < smallest else f((1 - abs(t)) / t) / t / t

        points = [0.0, *((-1.0 if p < 0 else 1.0) / (abs(p) + 1) for p in points)]
        return whole, points, -1.0 if a != b else 1.0, 1.0, -1.0 if b < a else 1.0
    start, direction = (a, math.copysign(1.0, b)) if math.isfinite(a) else (b, math.copysign(1.0, a))

    def half(t: float) -> Any:
        return 0.0 if t < smallest else direction * (f(start + direction * (1 - t) / t) / t) / t

    def image(p: float) -> float:
        z = direction * (p - start) + 1
        return math.inf if z == 0 else 1 / z

    return half, [image(p) for p in points], 0.0, 1.0, 1.0 if math.isfinite(a) else -1.0


def _adapt(
    rule: _Rule, edges: list[float], sign: float, epsabs: float, epsrel: float, limit: float, full_output: bool
) -> tuple[Any, ...]:
    spans = list(zip(edges[:-1], edges[1:], strict=True))
    integrals, errors = rule(spans)
    evaluations = rule.count * len(spans)
    heap = [(-errors[k, 0], span, integrals[k]) for k, span in enumerate(spans)]
    heapq.heapify(heap)
    total = cp.sum(integrals, axis=0)
    error, rounding = float(errors[:, 0].sum()), float(errors[:, 1].sum())
    status = 1

    def tolerance() -> float:
        return max(epsabs, epsrel * float(rule.norms(total.reshape(1, *rule.shape))[0]))

    bound = tolerance()
    while heap and len(heap) < limit:
        chosen: list[Any] = []
        taken = 0.0
        while heap and len(chosen) < TOGETHER and not (chosen and taken > error - bound / 8):
            chosen.append(heapq.heappop(heap))
            taken -= chosen[-1][0]
        halves = []
        for _, (low, high), _ in chosen:
            middle = 0.5 * (low + high)
            halves += [(low, middle), (middle, high)]
        integrals, errors = rule(halves)
        evaluations += rule.count * len(halves)
        total = total + cp.sum(integrals, axis=0) - cp.sum(cp.stack([old for _, _, old in chosen]), axis=0)
        error += float(errors[:, 0].sum()) - taken
        rounding += float(errors[:, 1].sum())
        for k, span in enumerate(halves):
            heapq.heappush(heap, (-errors[k, 0], span, integrals[k]))
        bound = tolerance()
        if len(heap) >= 2:
            if error < bound / 8:
                status = 0
                break
            if error < rounding:
                status = 2
                break
        if not (math.isfinite(error) and math.isfinite(rounding)):
            status = 3
            break
    result: Any = (total * sign).reshape(rule.shape)
    if rule.scalar:
        result = to_host(result).item()
    if not full_output:
        return result, error + rounding
    shape = (len(heap), *rule.shape)
    info = Result(
        neval=evaluations,
        success=status == 0,
        status=status,
        message=_MESSAGES[status],
        intervals=cp.asarray([span for _, span, _ in heap]),
        integrals=cp.stack([part for _, _, part in heap]).reshape(shape),
        errors=cp.asarray([-negative for negative, _, _ in heap]),
    )
    return result, error + rounding, info
