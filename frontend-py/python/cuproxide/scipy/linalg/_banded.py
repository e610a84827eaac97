"""Banded matrices in LAPACK's form: their factors and systems with them.

Each factorisation is one launch, a thread for each matrix; each substitution is one, a thread for each right-hand side.
Bands that are wide beside the order are spread out to whole matrices, which a library works on with more threads.
"""

from __future__ import annotations

import numpy as np

from ... import _cuproxide as _core
from ... import take_along_axis, where
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.conversions import counting
from ..._lib.ufuncs import NUMPY as ufuncs
from ..._typing import ArrayLike
from ._common import checks_linalg, complain, matrices, together
from ._factors import INDEFINITE, cho_factor, cho_solve, cholesky


def with_diagonals(ab: ArrayLike, check_finite: bool, name: str = "ab") -> ndarray:
    """Hermitian matrices in LAPACK's form, which have a main diagonal at least."""
    ab = matrices(ab, check_finite, name=name)
    if ab.shape[-2] == 0:
        raise ValueError(f"{name} must have at least one row, got the shape {ab.shape}")
    return ab


def spread_band(ab: ndarray, below: int, above: int) -> ndarray:
    """Square matrices from their diagonals in LAPACK's form: `a[i, j]` is `ab[above + i - j, j]`."""
    n = ab.shape[-1]
    row = counting(n)[:, None] - counting(n) + above
    inside = (row >= 0) & (row <= below + above)
    index = _core.broadcast_to(_core.where(inside, row, np.int64(0)), (*ab.shape[:-2], n, n))
    return _core.where(inside, take_along_axis(ab, index, -2), ab.dtype.type(0)) if n else ab[..., :0, :]


def spread_hermitian(ab: ndarray, lower: bool) -> ndarray:
    """The given triangle of Hermitian matrices from their diagonals, with zeros in the other one."""
    width = ab.shape[-2] - 1
    return spread_band(ab, width, 0) if lower else spread_band(ab, 0, width)


def gather_band(a: ndarray, below: int, above: int) -> ndarray:
    """The diagonals of square matrices in LAPACK's form, zero where they leave the matrix."""
    n = a.shape[-1]
    row = counting(below + above + 1)[:, None] + counting(n) - above
    inside = (row >= 0) & (row < n)
    shape = (*a.shape[:-2], *row.shape)
    index = _core.broadcast_to(_core.where(inside, row, np.int64(0)), shape)
    return _core.where(inside, take_along_axis(a, index, -2), a.dtype.type(0)) if n else _core.empty(shape, a.dtype)


def _prefers_whole(ab: ndarray, below: int, above: int) -> bool:
    """Whether libraries are faster with the whole matrices: n^3 operations, beside n for each element of a step."""
    n = ab.shape[-1]
    stack = ab.size // max(ab.shape[-2] * n, 1)
    return _core.dense_advantage(ab) * below * (below + above) > n * n * max(stack, 1)


# General bands: LU with partial pivoting.


def solve_banded(
    l_and_u: tuple[int, int],
    ab: ArrayLike,
    b: ArrayLike,
    overwrite_ab: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> ndarray:
    """`x` of `a @ x = b` for square matrices with so many diagonals below and above the main one.

    `a[i, j]` is `ab[u + i - j, j]`. By LU with partial pivoting within the band.

    Parameters
    ----------
    l_and_u : pair of int
        The number of diagonals below and above the main one.
    overwrite_ab, overwrite_b : bool
        Taken for compatibility; the input is never overwritten.

    Raises
    ------
    LinAlgError
        If singular.

    >>> cp.scipy.linalg.solve_banded((0, 0), cp.asarray([[2.0, 4.0]]), cp.asarray([2.0, 2.0]))
    array([1. , 0.5])
    """
    from ...linalg import solve

    below, above = (int(count) for count in l_and_u)
    ab = matrices(ab, check_finite, name="ab")
    if min(below, above) < 0 or ab.shape[-2] != below + above + 1:
        raise ValueError(
            f"invalid values for the number of lower and upper diagonals: l+u+1 ({below + above + 1}) does not equal "
            f"ab.shape[0] ({ab.shape[-2]})"
        )
    ab, right, vector = _with_right(ab, b, check_finite)
    if _prefers_whole(ab, below, above):
        result = solve(spread_band(ab, below, above), right)
        return result[..., 0] if vector else result
    n = ab.shape[-1]
    rows = _core.empty((*ab.shape[:-2], n, 2 * below + above + 1), ab.dtype)
    pivots = _core.empty((*ab.shape[:-2], n), np.int64)
    zeros = _core.zeros(ab.shape[:-2], np.int64)
    if ab.size:
        _factor_rows(ab, rows, pivots, zeros, below, above)
    complain(zeros != 0, "singular matrix")
    result = _columns(rows, right)
    if result.size:
        _substitute(rows[..., None, :, :], pivots[..., None, :], _core.moveaxis(result, -1, -2), below, above)
    return result[..., 0] if vector else result


def _with_right(ab: ndarray, b: ArrayLike, check_finite: bool) -> tuple[ndarray, ndarray, bool]:
    """`together`, for right-hand sides of as many rows as the bands have columns."""
    turned, right, vector = together(_core.moveaxis(ab, -1, -2), b, check_finite)
    return _core.moveaxis(turned, -1, -2), right, vector


def _columns(factors: ndarray, right: ndarray) -> ndarray:
    """A copy of right-hand sides for each matrix of a stack."""
    stack = _core.broadcast_shapes(factors.shape[:-2], right.shape[:-2])
    return _core.broadcast_to(right, (*stack, *right.shape[-2:])).copy()


@k.function
def _size(x):
    """The absolute value as LAPACK takes it for comparisons."""
    return abs(x.real) + abs(x.imag) if x.dtype.kind == "c" else abs(x)


@k.kernel
def _factor_rows(ab: k.Array[2], rows: k.Out[2], pivots: k.Out[1], zeros: k.Out[0], below: int, above: int) -> None:
    """LU factors: `rows[i, below + j - i]` is the element i, j, the multipliers stand where they were made.

    `zeros` receives the number, from 1, of a diagonal element of U that is zero.
    """
    n = ab.shape[1]
    for i in k.steps(n):
        for c in k.steps(2 * below + above + 1):
            j = i - below + c
            rows[i, c] = 0
            if j >= 0 and j < n and c <= below + above:
                rows[i, c] = ab[above + below - c, j]
    for c in k.steps(n):
        last, width = min(c + below, n - 1), min(below + above, n - 1 - c)
        pivot, most = c, _size(rows[c, below])
        for i in k.steps(c + 1, last + 1):
            size = _size(rows[i, c - i + below])
            if size > most:
                pivot, most = i, size
        pivots[c] = pivot
        if most == 0:
            zeros[...] = c + 1
        else:
            if pivot != c:
                for j in k.steps(width + 1):
                    at = c - pivot + below + j
                    rows[c, below + j], rows[pivot, at] = rows[pivot, at], rows[c, below + j]
            head = rows[c, below]
            for i in k.steps(c + 1, last + 1):
                at = c - i + below
                factor = rows[i, at] / head
                rows[i, at] = factor
                if factor != 0:
                    for j in k.steps(1, width + 1):
                        rows[i, at + j] -= factor * rows[c, below + j]


@k.kernel
def _substitute(rows: k.Array[2], pivots: k.Array[1], x: k.Out[1], below: int, above: int) -> None:
    """Replaces a right-hand side by the solution."""
    n = x.shape[0]
    for c in k.steps(n):
        pivot = pivots[c]
        x[c], x[pivot] = x[pivot], x[c]
        head = x[c]
        for i in k.steps(c + 1, min(c + below, n - 1) + 1):
            x[i] -= rows[i, c - i + below] * head
    for c in k.steps(n - 1, -1, -1):
        total = x[c]
        for j in k.steps(1, min(below + above, n - 1 - c) + 1):
            total -= rows[c, below + j] * x[c + j]
        x[c] = total / rows[c, below]


# Positive definite bands: Cholesky.


def cholesky_banded(
    ab: ArrayLike, overwrite_ab: bool = False, lower: bool = False, check_finite: bool = True
) -> ndarray:
    """The Cholesky factor of banded positive definite matrices, in the form of `ab`.

    Parameters
    ----------
    overwrite_ab : bool
        Taken for compatibility; the input is never overwritten.

    Raises
    ------
    LinAlgError
        If a matrix is not positive definite.

    >>> cp.scipy.linalg.cholesky_banded(cp.asarray([[0.0, 0.0], [4.0, 9.0]]))
    array([[0., 0.],
           [2., 3.]])
    """
    ab = with_diagonals(ab, check_finite)
    width = ab.shape[-2] - 1
    if _prefers_whole(ab, width, 0):
        factor = cholesky(spread_hermitian(ab, lower), lower, check_finite=False)
        return gather_band(factor, width, 0) if lower else gather_band(factor, 0, width)
    factor = ab.copy()
    failed = _core.zeros(ab.shape[:-2], np.int64)
    if ab.size:
        _factor_band(factor, failed, lower=bool(lower))
    if not check_finite and checks_linalg() and bool((failed != 0).any()):
        # A pivot that NaN of the band has reached is NaN, as are those after it, and no failure.
        place = ufuncs["maximum"](failed - 1, 0)[..., None]
        pivot = take_along_axis(factor[..., 0 if lower else width, :], place, -1)[..., 0]
        failed = where(ufuncs["isnan"](pivot), 0, failed)
    complain(failed != 0, INDEFINITE)
    return factor


def cho_solve_banded(
    cb_and_lower: tuple[ndarray, bool], b: ArrayLike, overwrite_b: bool = False, check_finite: bool = True
) -> ndarray:
    """`x` of `a @ x = b` from what `cholesky_banded` returned.

    Parameters
    ----------
    cb_and_lower : tuple
        What `cholesky_banded` returned, and whether it is the lower form.

    >>> c = cp.scipy.linalg.cholesky_banded(cp.asarray([[0.0, 0.0], [4.0, 9.0]]))
    >>> cp.scipy.linalg.cho_solve_banded((c, False), cp.asarray([4.0, 9.0]))
    array([1., 1.])
    """
    cb, lower = cb_and_lower
    cb, right, vector = _with_right(with_diagonals(cb, check_finite, "cb"), b, check_finite)
    width = cb.shape[-2] - 1
    if _prefers_whole(cb, width, 0):
        result = cho_solve((spread_hermitian(cb, lower), lower), right, check_finite=False)
        return result[..., 0] if vector else result
    result = _columns(cb, right)
    if result.size:
        _substitute_twice(cb[..., None, :, :], _core.moveaxis(result, -1, -2), lower=bool(lower))
    return result[..., 0] if vector else result


def solveh_banded(
    ab: ArrayLike,
    b: ArrayLike,
    overwrite_ab: bool = False,
    overwrite_b: bool = False,
    lower: bool = False,
    check_finite: bool = True,
) -> ndarray:
    """`x` of `a @ x = b` for banded positive definite matrices.

    Parameters
    ----------
    overwrite_ab, overwrite_b : bool
        Taken for compatibility; the input is never overwritten.

    >>> cp.scipy.linalg.solveh_banded(cp.asarray([[0.0, 0.0], [2.0, 4.0]]), cp.asarray([2.0, 2.0]))
    array([1. , 0.5])
    """
    ab, right, vector = _with_right(with_diagonals(ab, check_finite), b, check_finite)
    width = ab.shape[-2] - 1
    if _prefers_whole(ab, width, 0):
        factor = cho_factor(spread_hermitian(ab, lower), lower, check_finite=False)
        result = cho_solve(factor, right, check_finite=False)
    else:
        factor = cholesky_banded(ab, lower=lower, check_finite=False)
        result = cho_solve_banded((factor, lower), right, check_finite=False)
    return result[..., 0] if vector else result


@k.function
def _place(i, j, width, lower):
    """Where the element i, j of a lower triangle stands, or its mirror image in an upper one."""
    return (i - j, j) if lower else (width - i + j, i)


@k.kernel
def _factor_band(band: k.Out[2], failed: k.Out[0], *, lower: bool) -> None:
    """The Cholesky factor in place of a triangle. An upper triangle has that of the conjugate, transposed."""
    width, n = band.shape[0] - 1, band.shape[1]
    for j in k.steps(n):
        first = max(j - width, 0)
        d = band[_place(j, j, width, lower)].real
        for m in k.steps(first, j):
            x = band[_place(j, m, width, lower)]
            d -= (x * x.conj()).real
        if not d > 0 and failed[...] == 0:
            failed[...] = j + 1
        d = k.sqrt(max(d, d.dtype.type(0)))
        band[_place(j, j, width, lower)] = d
        for i in k.steps(j + 1, min(j + width, n - 1) + 1):
            x = band[_place(i, j, width, lower)]
            for m in k.steps(max(i - width, 0), j):
                x -= band[_place(i, m, width, lower)] * band[_place(j, m, width, lower)].conj()
            band[_place(i, j, width, lower)] = x / d


@k.kernel
def _substitute_twice(band: k.Array[2], x: k.Out[1], *, lower: bool) -> None:
    """Replaces a right-hand side by the solution, with a Cholesky factor."""
    width, n = band.shape[0] - 1, band.shape[1]
    for i in k.steps(n):
        total = x[i]
        for j in k.steps(max(i - width, 0), i):
            element = band[_place(i, j, width, lower)]
            total -= (element if lower else element.conj()) * x[j]
        pivot = band[_place(i, i, width, lower)]
        x[i] = total / (pivot if lower else pivot.conj())
    for i in k.steps(n - 1, -1, -1):
        total = x[i]
        for j in k.steps(i + 1, min(i + width, n - 1) + 1):
            element = band[_place(j, i, width, lower)]
            total -= (element.conj() if lower else element) * x[j]
        pivot = band[_place(i, i, width, lower)]
        x[i] = total / (pivot.conj() if lower else pivot)


__all__ = ["cho_solve_banded", "cholesky_banded", "solve_banded", "solveh_banded"]
