"""Balancing: similarity transformations that bring rows and columns to like lengths."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.conversions import as_array, counting
from ..._typing import ArrayLike
from ._common import computed, finite, ufuncs


def matrix_balance(
    A: ArrayLike, permute: bool = True, scale: bool = True, separate: bool = False, overwrite_a: bool = False
) -> tuple[ndarray, ndarray | tuple[ndarray, ndarray]]:
    """`b = inv(t) @ A @ t` with rows and columns of like lengths, and `t`: a permutation times powers of two.

    With `permute` eigenvalues that the pattern of zeros isolates go to the corners; with `separate` factors and
    permutation are returned as vectors. One launch serves a stack, a thread each matrix.

    Parameters
    ----------
    permute : bool
        Whether to permute.
    scale : bool
        Whether to scale.
    separate : bool
        Whether scaling and permutation are returned as vectors.

    Returns
    -------
    tuple[ndarray, ndarray or tuple[ndarray, ndarray]]

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
        balanced = a.copy()
        factors, order = _core.empty(a.shape[:-1], a.real.dtype), _core.empty(a.shape[:-1], np.int64)
        _balance(balanced, factors, order, permute=bool(permute), scale=bool(scale))
    # The transformation is of double precision in SciPy, whatever the matrix is.
    factors = factors.astype(np.float64, copy=False)
    if separate:
        return balanced, (factors, order)
    n = a.shape[-1]
    # Row order[i] of t holds factor i.
    columns = _core.arange(0, 1, n, np.int64)
    return balanced, _core.where(order.argsort(-1)[..., None] == columns, factors[..., None, :], np.float64(0))


def balancing(a: ndarray) -> ndarray:
    """Binary logarithms of a diagonal similarity that balances each matrix, for functions of matrices."""
    sizes = ufuncs["absolute"](a).astype(np.float64, copy=False)
    rows = counting(a.shape[-1])
    sizes = _core.where(rows[:, None] == rows, np.float64(0), sizes)
    return least_sum(
        ufuncs["log2"](sizes),
        lambda powers: powers[..., None, :] - powers[..., :, None],
        lambda terms: terms.sum(-1),
        lambda terms: terms.sum(-2),
    )


# Steps of `least_sum`: with 40 it is at least as close to the least sum as a sweep that ends by itself, but for cycles
# of dozens of rows.
_STEPS = 48


def least_sum(
    logarithms: ndarray,
    differences: Callable[[ndarray], ndarray],
    of_rows: Callable[[ndarray], ndarray],
    of_columns: Callable[[ndarray], ndarray],
) -> ndarray:
    """Whole numbers d that bring the sum of all `2 ** (logarithms + d[column] - d[row])` close to its least value.

    Each step changes all of d at once: as `2 ** (u - v) <= (4 ** u + 4 ** -v) / 2`, a quarter of the logarithm of row
    sum over column sum never raises the total. Nesterov's momentum, restarted where it does, carries it along chains.
    Nothing is read on the host. Rows and columns without elements stay as they are.

    Parameters
    ----------
    logarithms : ndarray
        Binary logarithms of the elements' sizes, -inf for those on the diagonal.
    differences : callable
        The differences `d[column] - d[row]` for each element.
    of_rows, of_columns : callable
        Sums of numbers, one for each element, in the last axis of the result.
    """
    exp2, log2, maximum, where = ufuncs["exp2"], ufuncs["log2"], ufuncs["maximum"], _core.where
    there = (logarithms > -np.inf).astype(np.float64)
    free = (of_rows(there) > 0) & (of_columns(there) > 0)
    zero, least = np.float64(0), np.float64(2.0**-1000)
    # No element is beyond 1 at first, nor later: the total does not grow.
    axes = tuple(range(free.ndim - 1, logarithms.ndim))
    largest = maximum(logarithms.max(axes, keepdims=True), np.float64(-(2.0**11)))
    logarithms = logarithms - largest
    powers = ahead = _core.zeros(free.shape, np.float64)
    lowest, age = powers[..., :1] + np.inf, powers[..., :1] + 1
    for _ in range(_STEPS):
        terms = exp2(logarithms + differences(ahead))
        row, column = of_rows(terms), of_columns(terms)
        total = row.sum(-1, keepdims=True)
        step = where(free, log2(maximum(row, least) / maximum(column, least)) / 4, zero)
        # What does not descend is given up for the best so far.
        descends = total <= lowest
        older = (1 + ufuncs["sqrt"](1 + 4 * age * age)) / 2
        found = where(descends, ahead + step, powers)
        ahead = found + where(descends, (age - 1) / older, zero) * (found - powers)
        powers = found
        lowest, age = where(descends, total, np.inf), where(descends, older, np.float64(1))
    return ufuncs["rint"](powers)


@k.kernel
def _balance(b: k.Out[2], factors: k.Out[1], order: k.Out[1], *, permute: bool, scale: bool) -> None:
    """Balances each matrix in place, by the steps of LAPACK's gebal."""
    n = b.shape[0]
    for i in k.steps(n):
        factors[i] = 1
        order[i] = i
    low, high = 0, n
    if permute:
        low, high = _isolate(b, order)
    if scale:
        changed = True
        while changed:
            changed = False
            for i in k.steps(low, high):
                changed |= _scaled(b, factors, i, low, high)


@k.function
def _isolate(b, order):
    """Brings the part that is not triangular up to an order to the middle: its bounds."""
    low, high = 0, b.shape[0]
    moved = True
    while moved:
        moved = False
        for i in k.steps(high - 1, -1, -1):
            if high > 1 and _is_isolated(b, i, 0, high, True):
                high -= 1
                _exchange(b, order, i, high)
                moved = True
    moved = high > 1
    while moved:
        moved = False
        for j in k.steps(low, high):
            if _is_isolated(b, j, low, high, False):
                _exchange(b, order, j, low)
                low += 1
                moved = True
    return low, high


@k.function
def _is_isolated(b, i, low, high, is_row):
    """Whether a row, or a column, has nothing but zeros beside the diagonal."""
    j = low
    while j < high and (i == j or (b[i, j] if is_row else b[j, i]) == 0):
        j += 1
    return j >= high


@k.function
def _exchange(b, order, i, j):
    if i != j:
        order[i], order[j] = order[j], order[i]
        for m in k.steps(b.shape[0]):
            b[i, m], b[j, m] = b[j, m], b[i, m]
        for m in k.steps(b.shape[0]):
            b[m, i], b[m, j] = b[m, j], b[m, i]


@k.function
def _scaled(b, factors, i, low, high):
    """Brings column and row `i` to like lengths by a power of two; whether that was worthwhile."""
    info = np.finfo(factors.dtype)
    # Beyond these numbers factors could overflow.
    least = float(info.tiny / info.eps)
    lower, upper = 2 * least, 1 / (2 * least)
    zero = factors.dtype.type(0)
    column = row = (zero, zero)
    for j in k.steps(low, high):
        column = _with_term(*column, b[j, i])
        row = _with_term(*row, b[i, j])
    c, r = column[0] * k.sqrt(column[1]), row[0] * k.sqrt(row[1])
    ca = ra = zero
    for j in k.steps(high):
        ca = max(ca, abs(b[j, i]))
    for j in k.steps(low, b.shape[0]):
        ra = max(ra, abs(b[i, j]))
    if c == 0 or r == 0:
        return False
    f, length = 1.0, c + r
    while c < r / 2 and max(f, c, ca) < upper and min(r / 2, ra) > lower:
        f, c, ca, r, ra = f * 2, c * 2, ca * 2, r / 2, ra / 2
    while c / 2 >= r and max(r, ra) < upper and min(f, c / 2, ca) > lower:
        f, c, ca, r, ra = f / 2, c / 2, ca / 2, r * 2, ra * 2
    before = factors[i]
    if c + r >= 0.95 * length or (f < 1 and before < 1 and f * before <= least):
        return False
    if f > 1 and before > 1 and before >= 1 / least / f:
        return False
    factors[i] = before * f
    for j in k.steps(low, b.shape[0]):
        b[i, j] *= 1 / f
    for j in k.steps(high):
        b[j, i] *= f
    return True


@k.function
def _with_term(scale, total, x):
    """A sum of squares, `scale` squared times `total`, with the square of one more number."""
    x = abs(x)
    if x > scale:
        return x, 1 + total * (scale / x) ** 2
    if x == 0:
        return scale, total
    return scale, total + (x / scale) ** 2


__all__ = ["matrix_balance"]
