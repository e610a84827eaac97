"""Factors of symmetric matrices that need not be definite."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.exceptions import ComplexWarning

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._routines import decompositions as _numpy
from ..._routines._common import as_array
from ..._routines.creation import tri
from ..._routines.joining import stack
from ..._typing import ArrayLike
from ._common import computed, finite, is_complex, ufuncs

_ALPHA = (1 + 17**0.5) / 8
_absolute, _conjugate = ufuncs["absolute"], ufuncs["conjugate"]


def ldl(
    A: ArrayLike, lower: bool = True, hermitian: bool = True, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[ndarray, ndarray, ndarray]:
    """`lu`, `d` and `perm` of `a = lu @ d @ lu.conj().T`, by Bunch and Kaufman's pivoting.

    `lu[perm]` is triangular with ones on its diagonal and `d` has blocks of one or two rows. One triangle of `A` is
    read. With `hermitian=False` complex matrices are symmetric ones and the product ends in `lu.T`. Pivots are chosen
    by the host, which reads five numbers for each; stacks are taken one matrix after another. See `scipy.linalg.ldl`.

    Examples
    --------
    >>> import cuproxide as cp
    >>> from cuproxide.scipy import linalg
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
    hermitian = hermitian and is_complex(a.dtype)
    if a.size == 0:
        return _core.empty(a.shape, a.dtype), _core.empty(a.shape, a.dtype), _core.empty(a.shape[:-1], np.int64)
    if hermitian and bool((a.diagonal(0, -2, -1).imag != 0).any()):
        warnings.warn(
            "scipy.linalg.ldl():\nThe imaginary parts of the diagonal are ignored. Use "
            '"hermitian=False" for factorization of complex symmetric arrays.',
            ComplexWarning,
            stacklevel=2,
        )
    if a.ndim == 2:
        return _factored(a, lower, hermitian)
    flat = a.reshape(-1, *a.shape[-2:])
    parts = zip(*(_factored(flat[i], lower, hermitian) for i in range(flat.shape[0])), strict=True)
    lu, d, perm = (stack(list(part)) for part in parts)
    return lu.reshape(a.shape), d.reshape(a.shape), perm.reshape(a.shape[:-1])


def _factored(a: ndarray, lower: bool, hermitian: bool) -> tuple[ndarray, ndarray, ndarray]:
    if not lower:
        # Elimination from the end, which is that of the matrix with both axes reversed.
        lu, d, perm = _factored(a[::-1, ::-1], True, hermitian)
        return lu[::-1, ::-1].copy(), d[::-1, ::-1].copy(), a.shape[0] - 1 - perm[::-1]
    n = a.shape[0]
    mirrored = _conjugate if hermitian else (lambda x: x)
    below = tri(n, n, -1, dtype=np.bool_)
    zero = a.dtype.type(0)
    strict = _core.where(below, a, zero)
    rest = strict + mirrored(strict.T)
    diagonal = a.diagonal()
    index = _core.arange(0, 1, n, np.int64)
    rest[index, index] = diagonal.real.astype(a.dtype) if hermitian else diagonal
    left, d = _core.zeros((n, n), a.dtype), _core.zeros((n, n), a.dtype)
    left[index, index] = 1
    order = np.arange(n)
    k = 0
    while k < n:
        pivot, width = _pivot(rest, k)
        _swap(rest, left, order, k + width - 1, pivot, k)
        end = k + width
        block = rest[k:end, k:end]
        d[k:end, k:end] = block
        column = rest[end:, k:end]
        if width == 1:
            divisor = _core.where(block == 0, a.dtype.type(1), block)
            factor = column / divisor
        else:
            factor = _numpy.solve(block.T, column.T).T
        left[end:, k:end] = factor
        if end < n:
            rest[end:, end:] -= _core.matmul(factor, mirrored(column.T))
        k = end
    # Row i of the triangular factor belongs to row order[i] of the matrix.
    perm = _core.array(order)
    lu = _core.empty((n, n), a.dtype)
    lu[perm] = left
    if hermitian:
        d[index, index] = d.diagonal().real.astype(a.dtype)
    return lu, d, perm


def _pivot(rest: ndarray, k: int) -> tuple[int, int]:
    """The row to bring up, and whether it becomes a pivot alone or the second of two."""
    if k + 1 == rest.shape[0]:
        return k, 1
    size = _size(rest[k:, k])
    below = size[1:]
    at = below.argmax()
    row = _size(rest[k:].take(at + 1, axis=0)[k:])
    own = row.take(at + 1)
    index = _core.arange(0, 1, row.shape[0], np.int64)
    others = _core.where(index == at + 1, row.dtype.type(-1), row).max()
    numbers = [size[0], below.max(), at.astype(row.dtype), others, own]
    diagonal, longest, place, rival, opposite = _core.asnumpy(stack(numbers)).astype(np.float64).tolist()
    chosen = k + 1 + int(place)
    if not diagonal < _ALPHA * longest or not rival > 0:
        return k, 1
    if diagonal >= _ALPHA * longest * (longest / rival):
        return k, 1
    return (chosen, 1) if opposite >= _ALPHA * rival else (chosen, 2)


def _size(values: ndarray) -> ndarray:
    """Absolute values as LAPACK takes them for comparisons."""
    return _absolute(values.real) + _absolute(values.imag) if is_complex(values.dtype) else _absolute(values)


def _swap(rest: ndarray, left: ndarray, order: np.ndarray, k: int, other: int, start: int) -> None:
    """Exchanges rows and columns of what is left to do, and rows of what is done."""
    if k == other:
        return
    for array, columns in ((rest, slice(None)), (left, slice(0, start))):
        kept = array[k, columns].copy()
        array[k, columns] = array[other, columns]
        array[other, columns] = kept
    kept = rest[:, k].copy()
    rest[:, k] = rest[:, other]
    rest[:, other] = kept
    order[[k, other]] = order[[other, k]]


__all__ = ["ldl"]
