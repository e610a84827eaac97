"""Determinants of stacks of small matrices from their LU factors: one launch, a matrix a point."""

from __future__ import annotations

import functools
import math

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib import kernel as k

#: Rows up to which one thread goes along the diagonal: of a GPU it waits for each element.
MOST_ROWS = 32


@functools.cache
def _powers(dtype: np.dtype) -> tuple[float, int]:
    """What numbers are scaled by, and its binary logarithm: products within its root stay normal numbers."""
    power = 60 if np.finfo(dtype).bits == 32 else 600
    return 2.0**power, power


@k.function
def _times(x, factor):
    """The product with a real number, part by part: the other part of an infinite one stays what it is."""
    if np.dtype(x.dtype).kind == "c":
        return k.complex_(x.real * factor, x.imag * factor)
    return x * factor


@k.function
def _scaled(x, large: float):
    """The number within bounds, and how many times it was divided by `large`."""
    size = abs(x)
    steps = k.where(size > math.sqrt(large), 1, k.where(size < 1 / math.sqrt(large), -1, 0))
    factor = k.where(steps > 0, 1 / large, k.where(steps < 0, large, 1.0)).astype(size.dtype)
    return _times(x, factor), steps


@k.kernel
def _determinant(factors: k.Array[2], pivots: k.Array[1], *, large: float):
    """The product of the diagonal, which leaves the range of numbers only where the determinant does."""
    one = factors.dtype.type(1)
    product, divisions, singular = one, 0, False
    for i in k.steps(factors.shape[0]):
        element, steps = _scaled(factors[i, i], large)
        divisions += steps
        singular = singular | (element == 0)
        product = k.where(pivots[i] == i + 1, product, -product) * element
        product, steps = _scaled(product, large)
        divisions += steps
    for j in range(3):
        factor = k.where(divisions > j, large, k.where(divisions < -j, 1 / large, 1.0)).astype(abs(product).dtype)
        product = _times(product, factor)
    return k.where(singular, one * 0, product)


@k.kernel
def _sign_and_logarithm(factors: k.Array[2], pivots: k.Array[1], *, large: float, power: int):
    """The sign, and the logarithm of the absolute value, of the same product."""
    one = factors.dtype.type(1)
    size = abs(one)
    sign, divisions, singular = one, 0, False
    for i in k.steps(factors.shape[0]):
        element, steps = _scaled(factors[i, i], large)
        divisions += steps
        singular = singular | (element == 0)
        sign = k.where(pivots[i] == i + 1, sign, -sign)
        if np.dtype(factors.dtype).kind == "c":
            length = abs(element)
            sign = sign * k.where(length == 0, element, element / k.where(length == 0, length + 1, length))
            size = size * length
        else:
            sign = k.where(element < 0, -sign, sign)
            size = size * abs(element)
        size, steps = _scaled(size, large)
        divisions += steps
    logarithm = k.log(size) + divisions.astype(size.dtype) * (power * math.log(2))  # type: ignore[attr-defined]
    return k.where(singular, one * 0, sign), k.where(singular, size.dtype.type(-math.inf), logarithm)


def small_determinant(matrices: ndarray) -> ndarray:
    """The determinants of matrices of at most `MOST_ROWS` rows."""
    factors, pivots, _ = _core.lu_factor(matrices)
    large, _ = _powers(matrices.dtype)
    return _determinant(factors, pivots, large=large)


def small_sign_and_logarithm(matrices: ndarray) -> tuple[ndarray, ndarray]:
    """The signs of determinants and the logarithms of their absolute values, for the same matrices."""
    factors, pivots, _ = _core.lu_factor(matrices)
    large, power = _powers(matrices.dtype)
    return _sign_and_logarithm(factors, pivots, large=large, power=power)
