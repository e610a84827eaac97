"""Powers of two that bring very large and very small matrices to numbers near 1, which changes no digit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import cuproxide as cp


def exponent_of(values: Any) -> int:
    """The exponent of the largest number if it is so large or so small that its square is no number; else 0.

    It is 0, too, if without it the smallest number would lose digits. One read.
    """
    if not values.size or values.dtype.kind not in "fc":
        return 0
    sizes = cp.maximum(abs(values.real), abs(values.imag)) if values.dtype.kind == "c" else abs(values)
    largest, least = cp.stack((sizes.max(), cp.where(sizes > 0, sizes, np.inf).min())).tolist()
    if largest == 0 or not math.isfinite(largest):
        return 0
    exponent, kind = math.frexp(largest)[1], np.finfo(values.dtype)
    is_extreme = abs(exponent) > kind.maxexp // 3
    return exponent if is_extreme and (exponent < 0 or math.frexp(least)[1] - exponent > kind.minexp) else 0


def times_power(values: Any, exponent: int) -> Any:
    """Values times a power of two, in steps that are numbers themselves."""
    step = np.finfo(values.dtype).maxexp - 2
    while exponent:
        part = max(-step, min(step, exponent))
        values = values * values.real.dtype.type(2.0**part)
        exponent -= part
    return values


def near_one(A: Any) -> tuple[Any, int]:
    """A sparse matrix times a power of two, and the exponent that takes it back; the matrix itself as a rule."""
    exponent = exponent_of(A.data)
    return (A._with_data(times_power(A.data, -exponent), copy=False), exponent) if exponent else (A, 0)


class Scaled:
    """Factors of a matrix that was multiplied by a power of two, as those of the matrix."""

    def __init__(self, factors: Any, exponent: int) -> None:
        self._factors, self._exponent = factors, exponent

    def solve(self, b: Any, form: str) -> Any:
        """Solutions for the matrix ('N'), its transpose ('T') or its conjugate transpose ('H')."""
        return solved(lambda right: self._factors.solve(right, form), b, self._exponent)


def solved(solve: Any, b: Any, exponent: int) -> Any:
    """Solutions of a system by those of the system that was multiplied by a power of two."""
    if not exponent:
        return solve(b)
    b = b if b.dtype.kind in "fc" else b.astype(np.float64)
    own = exponent_of(b)
    return times_power(solve(times_power(b, -own)), own - exponent)
