"""Integrals of a function times a sine or cosine of any frequency."""

from __future__ import annotations

import functools
import heapq
import math
from collections.abc import Callable
from typing import Any

import numpy as np

DEGREE = 24


@functools.lru_cache(1)
def _bases() -> tuple[Any, Any, Any]:
    """Clenshaw-Curtis points, and matrices from values there to Legendre coefficients: of all points and of half."""
    points = np.cos(np.pi * np.arange(DEGREE + 1) / DEGREE)
    points[DEGREE // 2] = 0.0
    legendre = np.polynomial.legendre
    fine = np.linalg.inv(legendre.legvander(points, DEGREE))
    coarse = np.linalg.inv(legendre.legvander(points[::2], DEGREE // 2))
    padded = np.zeros((DEGREE // 2 + 1, DEGREE + 1))
    padded[:, ::2] = coarse
    return points, fine, padded


@functools.lru_cache(256)
def _moments(theta: float) -> Any:
    """The integrals of the Legendre polynomials times exp(i theta t) over [-1, 1]: 2 i**n j_n(theta)."""
    count = DEGREE + 1
    if theta == 0:
        bessel = np.zeros(count)
        bessel[0] = 1.0
    elif theta > count:
        # Recurrence upwards is stable below the order that equals the argument.
        bessel = np.zeros(count)
        bessel[0] = math.sin(theta) / theta
        bessel[1] = math.sin(theta) / theta**2 - math.cos(theta) / theta
        for n in range(1, count - 1):
            bessel[n + 1] = (2 * n + 1) / theta * bessel[n] - bessel[n - 1]
    else:
        # Miller's recurrence downwards from far above.
        start = count + 30
        values = np.zeros(start + 2)
        values[start] = 1e-300
        for n in range(start, 0, -1):
            values[n - 1] = (2 * n + 1) / theta * values[n] - values[n + 1]
            if abs(values[n - 1]) > 1e150:
                values *= 1e-150
        values /= np.max(abs(values))
        orders = np.arange(start + 2)
        scale = math.sqrt(float(np.sum((2 * orders + 1) * values**2)))
        bessel = values[:count] / scale
        first = math.sin(theta) / theta
        reference = first if abs(first) > 1e-3 else math.sin(theta) / theta**2 - math.cos(theta) / theta
        computed = bessel[0] if abs(first) > 1e-3 else bessel[1]
        bessel = bessel if computed * reference >= 0 else -bessel
    return 2 * np.array([1, 1j, -1, -1j])[np.arange(count) % 4] * bessel


def oscillating(
    function: Callable[[Any], Any],
    a: float,
    b: float,
    omega: float,
    weight: str,
    epsabs: float,
    epsrel: float,
    limit: int,
) -> tuple[tuple[float, float, int], dict[str, Any]]:
    """The integral of `function(x) * weight(omega x)` with its error and QUADPACK's code, and what is known besides.

    The function is interpolated at Clenshaw-Curtis points; the polynomial times the weight is integrated exactly.
    """
    points, fine, coarse = _bases()
    evaluations = 0

    def measure(starts: list[float], ends: list[float]) -> list[tuple[float, float]]:
        nonlocal evaluations
        middle = 0.5 * (np.array(starts) + np.array(ends))
        half = 0.5 * (np.array(ends) - np.array(starts))
        values = function(middle[:, None] + half[:, None] * points)
        evaluations += values.size
        found = []
        for c, h, row in zip(middle.tolist(), half.tolist(), values, strict=True):
            moments = _moments(abs(omega) * h)
            moments = moments if omega >= 0 else moments.conj()
            turn = complex(math.cos(omega * c), math.sin(omega * c)) * h
            whole = turn * np.dot(fine @ row, moments)
            part = turn * np.dot(coarse @ row, moments[: DEGREE // 2 + 1])
            of = (lambda z: z.real) if weight == "cos" else (lambda z: z.imag)  # noqa: E731
            noise = 1e-15 * h * float(np.max(abs(row)))
            found.append((float(of(whole)), float(abs(of(whole - part))) + noise))
        return found

    ((value, error),) = measure([a], [b])
    heap, total, errors = [(-error, a, b, value)], value, error
    code = 0
    while True:
        total, errors = math.fsum(part[3] for part in heap), -math.fsum(part[0] for part in heap)
        if not math.isfinite(total):
            code = 3
            break
        if errors <= max(epsabs, epsrel * abs(total)):
            break
        if len(heap) >= limit:
            code = 1
            break
        _, lower, upper, _ = heapq.heappop(heap)
        middle = 0.5 * (lower + upper)
        if not lower < middle < upper:
            heapq.heappush(heap, (0.0, lower, upper, 0.0))
            code = 4
            break
        for (one, two), (part, its) in zip(
            ((lower, middle), (middle, upper)), measure([lower, middle], [middle, upper]), strict=True
        ):
            heapq.heappush(heap, (-its, one, two, part))
    return (total, errors, code), {"neval": evaluations, "last": len(heap)}
