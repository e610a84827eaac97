"""Factors of symmetric matrices that need not be definite."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.exceptions import ComplexWarning

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.conversions import as_array, counting
from ..._typing import ArrayLike
from ._common import computed, finite, is_complex

_ALPHA = (1 + 17**0.5) / 8


def ldl(
    A: ArrayLike, lower: bool = True, hermitian: bool = True, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[ndarray, ndarray, ndarray]:
    """`lu`, `d` and `perm` of `a = lu @ d @ lu.conj().T`, by Bunch and Kaufman's pivoting.

    `lu[perm]` is triangular with ones on its diagonal and `d` has blocks of one or two rows. One triangle of `A` is
    read. With `hermitian=False` complex matrices are symmetric ones and the product ends in `lu.T`. Pivots are chosen
    on the device, and a stack takes as many launches as one matrix.

    Parameters
    ----------
    hermitian : bool
        Whether matrices are Hermitian, which costs less.

    >>> a = cp.array([[2.0, -1, 3], [-1, 0, 1], [3, 1, -4]])
    >>> lu, d, perm = linalg.ldl(a)
    >>> bool(cp.allclose(lu @ d @ lu.T, a))
    True
    """
    a = finite(as_array(A), check_finite)
    a = a.reshape(1, -1) if a.ndim < 2 else a
    if a.shape[-1] != a.shape[-2]:
        raise ValueError('The input array "a" should be square.')
    a = a.astype(computed(a), copy=False)
    hermitian = bool(hermitian) and is_complex(a.dtype)
    if a.size == 0:
        return _core.empty(a.shape, a.dtype), _core.empty(a.shape, a.dtype), _core.empty(a.shape[:-1], np.int64)
    if hermitian and bool((a.diagonal(0, -2, -1).imag != 0).any()):
        warnings.warn(
            "scipy.linalg.ldl():\nThe imaginary parts of the diagonal are ignored. Use "
            '"hermitian=False" for factorization of complex symmetric arrays.',
            ComplexWarning,
            stacklevel=2,
        )
    # Elimination from the end is that of the matrix with both axes reversed.
    turn = slice(None) if lower else slice(None, None, -1)
    lu, d, order = _factored(a.reshape(-1, *a.shape[-2:])[:, turn, turn], hermitian)
    order = order if lower else a.shape[-1] - 1 - order[:, turn]
    lu, d = (part[:, turn, turn].reshape(a.shape) for part in (lu, d))
    return lu, d, order.reshape(a.shape[:-1])


def _factored(a: ndarray, hermitian: bool) -> tuple[ndarray, ndarray, ndarray]:
    """The factors of a stack by the lower triangles; the permuted triangular one, and row numbers.

    Each step is eight launches, whatever a pivot is; places and widths of pivots stay on the device.
    """
    count, n = a.shape[:2]
    rest = _mirror(a, shape=a.shape, hermitian=hermitian)
    left, d = _core.zeros(a.shape, a.dtype), _core.zeros(a.shape, a.dtype)
    index = counting(n)
    left[:, index, index] = 1
    order = _core.broadcast_to(index, (count, n)).copy()
    begin, width, pivot = (_core.zeros((count,), np.int64) for _ in range(3))
    for step in range(n):
        column = _sizes_below(rest, begin, width, shape=(count, n))
        best = _core.reduce("argmax", column, -1)
        row = _sizes_beside(rest, begin, width, best, shape=(count, n))
        _choose(rest, column, best, _core.reduce("max", row, -1), begin, width, pivot, hermitian=hermitian)
        _exchange(rest, left, order, begin, width, pivot, shape=(count, n))
        x, y, u, v = _eliminate(rest, left, d, begin, width, shape=(count, n), hermitian=hermitian)
        # At least so many rows are done.
        done = step + 1
        x, y = (part[:, done:, None] for part in (x, y))
        u, v = (part[:, None, done:] for part in (u, v))
        if done < n:
            _update(rest[:, done:, done:], x, y, u, v)
    # Row i of the triangular factor belongs to row order[i] of the matrix.
    lu = _core.empty(a.shape, a.dtype)
    lu[counting(count)[:, None], order] = left
    return lu, d, order


@k.kernel
def _mirror(a: k.Array[3], *, hermitian: bool):
    """The whole of a matrix given by its lower triangle."""
    m, i, j = k.coordinates()
    x = a[m, max(i, j), min(i, j)]
    if hermitian and i <= j:
        x = x.conj()
    if hermitian and i == j:
        x = x.real.astype(x.dtype)
    return x


@k.function
def _size(x):
    """The absolute value as LAPACK takes it for comparisons."""
    return abs(x.real) + abs(x.imag) if x.dtype.kind == "c" else abs(x)


@k.function
def _diagonal(x, hermitian):
    """A diagonal element, of which rounding leaves an imaginary part that counts for nothing."""
    return x.real.astype(x.dtype) if hermitian else x


@k.kernel
def _sizes_below(rest: k.Array[3], begin: k.Array[1], width: k.Array[1]):
    """What is below the diagonal of the column that is next, and -1 elsewhere."""
    m, i = k.coordinates()
    column = begin[m] + width[m]
    size = _size(rest[m, i, i]) * 0 - 1
    if i > column:
        size = _size(rest[m, i, column])
    return size


@k.kernel
def _sizes_beside(rest: k.Array[3], begin: k.Array[1], width: k.Array[1], best: k.Array[1]):
    """What is beside the diagonal of the row `best`, and -1 elsewhere."""
    m, i = k.coordinates()
    size = _size(rest[m, i, i]) * 0 - 1
    if i >= begin[m] + width[m] and i != best[m]:
        size = _size(rest[m, best[m], i])
    return size


@k.kernel
def _choose(
    rest: k.Array[3],
    column: k.Array[2],
    best: k.Each,
    rival: k.Each,
    begin: k.Out[0],
    width: k.Out[0],
    pivot: k.Out[0],
    *,
    hermitian: bool,
) -> None:
    """Begin and width of the next pivot, none behind the last row, and the row that comes to its end."""
    m, n = k.index(), rest.shape[1]
    first = begin[...] + width[...]
    begin[...] = first
    count, chosen = 0, first
    if first < n:
        count = 1
        diagonal, longest = _size(_diagonal(rest[m, first, first], hermitian)), column[m, best]
        # NaN compares as false: the pivot stays.
        if first + 1 < n and diagonal < _ALPHA * longest and diagonal < _ALPHA * longest * (longest / rival):
            chosen = best
            if not _size(_diagonal(rest[m, best, best], hermitian)) >= _ALPHA * rival:
                count = 2
    width[...] = count
    pivot[...] = chosen


@k.kernel
def _exchange(
    rest: k.Out[3], left: k.Out[3], order: k.Out[2], begin: k.Array[1], width: k.Array[1], pivot: k.Array[1]
) -> None:
    """Exchanges rows and columns of what is left to do, and rows of what is done."""
    m, i = k.coordinates()
    first, p, q = begin[m], begin[m] + width[m] - 1, pivot[m]
    if width[m] > 0 and p != q:
        if i == p:
            rest[m, p, p], rest[m, q, q] = rest[m, q, q], rest[m, p, p]
            rest[m, p, q], rest[m, q, p] = rest[m, q, p], rest[m, p, q]
            order[m, p], order[m, q] = order[m, q], order[m, p]
        elif i < first:
            left[m, p, i], left[m, q, i] = left[m, q, i], left[m, p, i]
        elif i != q:
            rest[m, p, i], rest[m, q, i] = rest[m, q, i], rest[m, p, i]
            rest[m, i, p], rest[m, i, q] = rest[m, i, q], rest[m, i, p]


@k.kernel
def _eliminate(rest: k.Array[3], left: k.Out[3], d: k.Out[3], begin: k.Array[1], width: k.Array[1], *, hermitian: bool):
    """The columns of both factors that belong to the pivot.

    Returns two columns and two rows whose products are what the pivot explains of what is behind it.
    """
    m, i = k.coordinates()
    first = begin[m]
    zero = rest.dtype.type(0)
    x = y = u = v = zero
    if width[m] == 1:
        head = _diagonal(rest[m, first, first], hermitian)
        if i == first:
            d[m, i, i] = head
        elif i > first:
            u = rest[m, i, first]
            x = u / k.where(head == 0, 1, head)
            left[m, i, first] = x
    elif width[m] == 2:
        second = first + 1
        # The block is a, b; c, e.
        a, b = _diagonal(rest[m, first, first], hermitian), rest[m, first, second]
        c, e = rest[m, second, first], _diagonal(rest[m, second, second], hermitian)
        if i == first:
            d[m, i, i], d[m, i, second] = a, b
        elif i == second:
            d[m, i, first], d[m, i, i] = c, e
        elif i > second:
            u, v = rest[m, i, first], rest[m, i, second]
            unit = abs(c)
            a, b, c, e = a / unit, b / unit, c / unit, e / unit
            determinant = a * e - b * c
            x = (u / unit * e - v / unit * c) / determinant
            y = (v / unit * a - u / unit * b) / determinant
            left[m, i, first], left[m, i, second] = x, y
    if hermitian:
        u, v = u.conj(), v.conj()
    return x, y, u, v


@k.kernel
def _update(rest: k.Out[0], x: k.Each, y: k.Each, u: k.Each, v: k.Each) -> None:
    """Takes what a pivot explains away from what is behind it."""
    rest[...] = rest[...] - (x * u + y * v)


__all__ = ["ldl"]
