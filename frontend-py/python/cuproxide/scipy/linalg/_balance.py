"""Balancing: similarity transformations that bring rows and columns to like lengths."""

from __future__ import annotations

import numpy as np

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._routines._common import as_array
from ..._routines.creation import ones
from ..._routines.joining import stack
from ..._typing import ArrayLike
from ._common import computed, finite, ufuncs

_frexp, _ldexp = ufuncs["frexp"], ufuncs["ldexp"]


def matrix_balance(
    A: ArrayLike, permute: bool = True, scale: bool = True, separate: bool = False, overwrite_a: bool = False
) -> tuple[ndarray, ndarray | tuple[ndarray, ndarray]]:
    """`b = inv(t) @ A @ t` with rows and columns of like lengths, and `t`: a permutation times powers of two.

    With `permute` eigenvalues that the pattern of zeros isolates go to the corners; with `separate` factors and
    permutation are returned as vectors. The host reads the pattern of zeros, and one flag for each sweep of scaling.
    Stacks are taken one matrix after another. See `scipy.linalg.matrix_balance`.

    Examples
    --------
    >>> import cuproxide as cp
    >>> from cuproxide.scipy import linalg
    >>> a = cp.array([[1.0, 2048.0], [0.0009765625, 1.0]])
    >>> b, t = linalg.matrix_balance(a)
    >>> bool(cp.allclose(t @ b, a @ t))
    True
    """
    a = finite(as_array(A), True)
    a = a.reshape(1, -1) if a.ndim < 2 else a
    if a.shape[-1] != a.shape[-2]:
        raise ValueError("The data matrix for balancing should be square.")
    a = a.astype(computed(a), copy=False)
    if a.size == 0:
        balanced, factors = _core.empty(a.shape, a.dtype), _core.empty(a.shape[:-1], a.real.dtype)
        order = _core.empty(a.shape[:-1], np.int64)
    else:
        flat = a.reshape(-1, *a.shape[-2:])
        found = zip(*(_balanced(flat[i], permute, scale) for i in range(flat.shape[0])), strict=True)
        balanced, factors, order = (stack(list(part)) for part in found)
        balanced = balanced.reshape(a.shape)
        factors, order = factors.reshape(a.shape[:-1]), order.reshape(a.shape[:-1])
    if separate:
        return balanced, (factors, order)
    n = a.shape[-1]
    # Row order[i] of t holds factor i.
    columns = _core.arange(0, 1, n, np.int64)
    return balanced, _core.where(order.argsort(-1)[..., None] == columns, factors[..., None, :], factors.dtype.type(0))


def _balanced(a: ndarray, permute: bool, scale: bool) -> tuple[ndarray, ndarray, ndarray]:
    n = a.shape[0]
    low, high, order = 0, n, np.arange(n)
    if permute:
        low, high, order = _isolated(_core.asnumpy(a != 0))
    index = _core.array(order)
    a = a[index[:, None], index]
    factors = ones((n,), a.real.dtype)
    if scale:
        while _sweep(a, factors, low, high):
            pass
    return a, factors, index


def _isolated(pattern: np.ndarray) -> tuple[int, int, np.ndarray]:
    """The part of the matrix that is not triangular up to an order, and that order, by the steps of LAPACK's gebal."""
    n = pattern.shape[0]
    order, links = np.arange(n), pattern.copy()
    np.fill_diagonal(links, False)
    low, high = 0, n

    def exchange(i: int, j: int) -> None:
        links[[i, j]] = links[[j, i]]
        links[:, [i, j]] = links[:, [j, i]]
        order[[i, j]] = order[[j, i]]

    moved = True
    while moved:
        moved = False
        for i in range(high - 1, -1, -1):
            if not links[i, :high].any():
                exchange(i, high - 1)
                moved = True
                if high == 1:
                    return 0, 1, order
                high -= 1
    moved = True
    while moved:
        moved = False
        for j in range(low, high):
            if not links[low:high, j].any():
                exchange(j, low)
                moved = True
                low += 1
    return low, high, order


def _sweep(a: ndarray, factors: ndarray, low: int, high: int) -> bool:
    """Scales each row and column once, in place; whether that changed anything. Waits once."""
    real = factors.dtype.type
    info = np.finfo(factors.dtype)
    # Beyond these numbers factors could overflow.
    most = int(np.log2(info.max)) - info.nmant - 2
    changed = _core.zeros((), np.bool_)
    for i in range(low, high):
        column = _core.reduce("norm", a[low:high, i], (0,))
        row = _core.reduce("norm", a[i, low:high], (0,))
        usable = (column > 0) & (row > 0)
        column, row = (_core.where(usable, length, real(1)) for length in (column, row))
        exponent = _steps(row / (column * real(2)), False) - _steps(column / (row * real(2)), True)
        exponent = _core.clip(exponent, -most, most)
        factor = _ldexp(real(1), exponent)
        worthwhile = column * factor + row / factor < real(0.95) * (column + row)
        after = factors[i] * factor
        limit = real(2.0**most)
        worthwhile = worthwhile & usable & (after < limit) & (after > real(1) / limit)
        factor = _core.where(worthwhile, factor, real(1))
        a[i, low:] *= real(1) / factor
        a[:high, i] *= factor
        factors[i] *= factor
        changed = changed | worthwhile
    return bool(changed)


def _steps(ratio: ndarray, equal: bool) -> ndarray:
    """How many powers of four, from 1 on, are less than a ratio (or `equal` to it)."""
    mantissa, exponent = _frexp(ratio)
    exact = (mantissa == 0.5).astype(np.int32)
    count = (exponent + (1 if equal else 1 - exact)) // 2
    return _core.where(exponent > (0 if equal else exact), count, np.int32(0))


__all__ = ["matrix_balance"]
