"""Determinants of stacks of small matrices: one launch, a matrix a point, after that of LU for more than a few rows."""

from __future__ import annotations

import functools
import math

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib import kernel as k

#: The most rows that one launch eliminates itself, without a loop, by the kind of numbers. A kernel for more rows takes
#: longer to compile; with complex numbers it also runs longer than LU does.
FEW_ROWS = {"f": 8, "c": 4}


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


def _eliminated(matrix, size: int):
    """The pivots of Gaussian elimination with partial pivoting, each with whether row exchanges changed the sign."""
    rows = [[matrix[i, j] for j in range(size)] for i in range(size)]
    one = matrix.dtype.type(1)
    pivots = []
    while rows:
        odd = False
        for other in range(1, len(rows)):
            first, later = rows[0], rows[other]
            larger = _length(later[0]) > _length(first[0])
            rows[0] = [k.where(larger, y, x) for x, y in zip(first, later, strict=True)]
            rows[other] = [k.where(larger, x, y) for x, y in zip(first, later, strict=True)]
            odd = larger ^ odd
        (pivot, *head), below = rows[0], rows[1:]
        pivots.append((pivot, odd))
        divisor = k.where(pivot == 0, one, pivot)
        factors = [row[0] / divisor for row in below]
        rows = [
            [x - factor * y for x, y in zip(row[1:], head, strict=True)]
            for factor, row in zip(factors, below, strict=True)
        ]
    return pivots


def _length(x):
    """What pivots are compared by, as LAPACK does."""
    return abs(x.real) + abs(x.imag) if np.dtype(x.dtype).kind == "c" else abs(x)


@k.function
def _multiplied(product, divisions, element, large: float):
    """The product with one more element, and how many times the product was divided by `large`."""
    element, steps = _scaled(element, large)
    divisions = divisions + steps
    product, steps = _scaled(product * element, large)
    return product, divisions + steps


@k.kernel
def _determinant(factors: k.Array[2], pivots: k.Array[1], *, large: float):
    """The product of the diagonal, which leaves the range of numbers only where the determinant does."""
    one = factors.dtype.type(1)
    product, divisions, singular = one, 0, False
    for i in k.steps(factors.shape[0]):
        pivot = factors[i, i]
        singular = singular | (pivot == 0)
        product = k.where(pivots[i] == i + 1, product, -product)
        product, divisions = _multiplied(product, divisions, pivot, large)
    return _unscaled(product, divisions, singular, large)


@k.kernel
def _small_determinant(matrix: k.Array[2], *, size: int, large: float):
    """The determinant of a matrix of a few rows, which the kernel eliminates itself."""
    one = matrix.dtype.type(1)
    product, divisions, singular = one, 0, False
    for pivot, odd in _eliminated(matrix, size):
        singular = singular | (pivot == 0)
        product = k.where(odd, -product, product)
        product, divisions = _multiplied(product, divisions, pivot, large)
    return _unscaled(product, divisions, singular, large)


@k.function
def _unscaled(product, divisions, singular, large: float):
    """The product times `large` as often as it was divided by it, or 0."""
    one = product.dtype.type(1)
    for j in range(3):
        factor = k.where(divisions > j, large, k.where(divisions < -j, 1 / large, 1.0)).astype(abs(product).dtype)
        product = _times(product, factor)
    return k.where(singular, one * 0, product)


@k.function
def _signed(sign, element, large: float):
    """The sign of a product with one more element."""
    if np.dtype(element.dtype).kind == "c":
        element, _ = _scaled(element, large)
        length = abs(element)
        return sign * k.where(length == 0, element, element / k.where(length == 0, length + 1, length))
    return k.where(element < 0, -sign, sign)


@k.kernel
def _sign_and_logarithm(factors: k.Array[2], pivots: k.Array[1], *, large: float, power: int):
    """The sign, and the logarithm of the absolute value, of the same product."""
    one = factors.dtype.type(1)
    sign, size, divisions, singular = one, abs(one), 0, False
    for i in k.steps(factors.shape[0]):
        pivot = factors[i, i]
        singular = singular | (pivot == 0)
        sign = _signed(k.where(pivots[i] == i + 1, sign, -sign), pivot, large)
        size, divisions = _lengthened(size, divisions, pivot, large)
    return _finished(sign, size, divisions, singular, power)


@k.kernel
def _small_sign_and_logarithm(matrix: k.Array[2], *, size: int, large: float, power: int):
    """Sign and logarithm of the determinant of a matrix of a few rows, which the kernel eliminates itself."""
    one = matrix.dtype.type(1)
    sign, product, divisions, singular = one, abs(one), 0, False
    for pivot, odd in _eliminated(matrix, size):
        singular = singular | (pivot == 0)
        sign = _signed(k.where(odd, -sign, sign), pivot, large)
        product, divisions = _lengthened(product, divisions, pivot, large)
    return _finished(sign, product, divisions, singular, power)


@k.function
def _lengthened(size, divisions, element, large: float):
    """The absolute value of a product with one more element, and its divisions."""
    element, steps = _scaled(element, large)
    size, more = _scaled(size * abs(element), large)
    return size, divisions + steps + more


@k.function
def _finished(sign, size, divisions, singular, power: int):
    """The sign and the logarithm, or 0 and -inf."""
    logarithm = k.log(size) + divisions.astype(size.dtype) * (power * math.log(2))
    return k.where(singular, sign.dtype.type(0), sign), k.where(singular, size.dtype.type(-math.inf), logarithm)


def small_determinant(matrices: ndarray) -> ndarray | None:
    """The determinants of matrices of a few rows, or None of larger ones."""
    size, dtype = matrices.shape[-1], matrices.dtype
    if not 0 < size <= FEW_ROWS[dtype.kind]:
        return None
    return _small_determinant(matrices, size=size, large=_powers(dtype)[0])


def determinant(matrices: ndarray) -> ndarray:
    """The determinants of matrices of more rows, each by one thread."""
    large, _ = _powers(matrices.dtype)
    factors, pivots, _ = _core.lu_factor(matrices)
    return _determinant(factors, pivots, large=large)


def sign_and_logarithm(matrices: ndarray) -> tuple[ndarray, ndarray]:
    """The signs of determinants and the logarithms of their absolute values, for the same matrices."""
    large, power = _powers(matrices.dtype)
    if 0 < matrices.shape[-1] <= FEW_ROWS[matrices.dtype.kind]:
        return _small_sign_and_logarithm(matrices, size=matrices.shape[-1], large=large, power=power)
    factors, pivots, _ = _core.lu_factor(matrices)
    return _sign_and_logarithm(factors, pivots, large=large, power=power)
