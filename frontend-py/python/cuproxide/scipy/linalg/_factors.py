"""Triangular factors: LU and Cholesky, and systems that are solved with them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ... import eye, full, take_along_axis, tril, triu, where
from ..._cuproxide import ndarray
from ..._lib.categories import category
from ..._lib.conversions import as_array, counting
from ..._lib.following import follows_cupy
from ..._lib.ufuncs import NUMPY as ufuncs
from ..._typing import ArrayLike
from ._common import (
    LinAlgWarning,
    checks_linalg,
    complain,
    matrices,
    stacked,
    together,
    triangular,
)

INDEFINITE = "a leading minor is not positive definite"
_TRANS = {0: 0, 1: 1, 2: 2, "N": 0, "T": 1, "C": 2}


def _trans(value: Any) -> int:
    try:
        return _TRANS[value]
    except (KeyError, TypeError):
        raise ValueError(f"trans must be 0, 1, 2, 'N', 'T' or 'C' (got {value!r})") from None


def solve_triangular(
    a: ArrayLike,
    b: ArrayLike,
    trans: int | str = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> ndarray:
    """`x` of `a @ x = b` for triangular matrices, of which only one triangle is read.

    `trans` 1 or "T" solves with the transpose, 2 or "C" with the adjoint. `overwrite_b` changes nothing.

    Parameters
    ----------
    unit_diagonal : bool
        Whether the diagonal counts as ones.

    Raises
    ------
    LinAlgError
        For a zero on the diagonal, where there is a right-hand side.

    >>> cp.scipy.linalg.solve_triangular(cp.asarray([[2.0, 0.0], [1.0, 1.0]]), cp.asarray([2.0, 3.0]), lower=True)
    array([1., 2.])
    """
    trans = _trans(trans)
    if follows_cupy() and 2 < np.ndim(a) == np.ndim(b) + 1:
        # As CuPy and NumPy 1 have it: a vector for each matrix, where SciPy takes one matrix of right sides.
        b = as_array(b)[..., None]
        return solve_triangular(a, b, trans, lower, unit_diagonal, overwrite_b, check_finite)[..., 0]
    a, b, vector = together(matrices(a, check_finite, square=True), b, check_finite)
    if not unit_diagonal and b.size:
        complain(a.diagonal(0, -2, -1) == 0, "singular matrix: a diagonal element is zero")
    result = triangular(a, b, lower, trans, unit_diagonal)
    return result[..., 0] if vector else result


def _exchanged(pivots: ndarray, rows: int) -> ndarray:
    """The row numbers after the exchanges of LU: row i of the product of the factors is this row of the matrix."""
    stack = pivots.shape[:-1]
    own = _core.broadcast_to(counting(rows) + 1, (*stack, rows)).copy()
    own[..., : pivots.shape[-1]] = pivots
    numbers = _core.broadcast_to(counting(rows).astype(np.float64)[:, None], (*stack, rows, 1))
    factors = _core.broadcast_to(eye(rows), (*stack, rows, rows))
    return _core.lu_solve(factors, own, numbers)[..., 0].astype(np.int64)


def _warn_singular(info: ndarray) -> None:
    if checks_linalg() and bool((info > 0).any()):
        number = int(info.max())
        message = f"Diagonal number {number} is exactly zero. Singular matrix."
        warnings.warn(message, category(LinAlgWarning), stacklevel=3)


def lu_factor(a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True) -> tuple[ndarray, ndarray]:
    """LU factors in one matrix (the lower one without its ones) and pivots from 0: row i was exchanged with it.

    Warns of singular matrices. `overwrite_a` changes nothing.

    >>> cp.scipy.linalg.lu_factor(cp.asarray([[2.0, 1.0], [1.0, 3.0]]))[1]
    array([0, 1], dtype=int32)
    """
    factors, pivots, info = _core.lu_factor(matrices(a, check_finite))
    _warn_singular(info)
    return factors, (pivots - 1).astype(np.int32)


def lu_solve(
    lu_and_piv: tuple[ndarray, ndarray],
    b: ArrayLike,
    trans: int | str = 0,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> ndarray:
    """`x` of `a @ x = b` from what `lu_factor` returned; `trans` as in `solve_triangular`.

    Parameters
    ----------
    lu_and_piv : tuple
        What `lu_factor` returned.
    check_finite : bool
        Whether operands with infinities or NaN, and pivots that are no rows, are a `ValueError`, which waits for the
        device.

    >>> factors = cp.scipy.linalg.lu_factor(cp.asarray([[2.0, 1.0], [1.0, 3.0]]))
    >>> cp.scipy.linalg.lu_solve(factors, cp.asarray([3.0, 4.0])).round(6)
    array([1., 1.])
    """
    trans = _trans(trans)
    lu, pivots = (as_array(part) for part in lu_and_piv)
    lu, b, vector = together(matrices(lu, square=True, name="lu"), b, check_finite)
    last = lu.shape[-1] - 1
    if check_finite and bool(((pivots < 0) | (pivots > last)).any()):
        raise ValueError(f"piv has rows that are not between 0 and {last}")
    # Libraries exchange rows without looking.
    pivots = _core.clip(pivots.astype(np.int64), 0, last) + 1
    order = _exchanged(pivots, lu.shape[-1]) if trans else None
    lu, b = stacked(lu, b)
    stack = lu.shape[:-2]
    if order is None:
        result = _core.lu_solve(lu, _core.broadcast_to(pivots, (*stack, pivots.shape[-1])), b)
    else:
        result = triangular(lu, triangular(lu, b, False, trans), True, trans, True)
        places = _core.broadcast_to(_core.argsort(order, -1), (*stack, order.shape[-1]))[..., None]
        result = take_along_axis(result, _core.broadcast_to(places, result.shape), -2)
    return result[..., 0] if vector else result


def lu(
    a: ArrayLike,
    permute_l: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
    p_indices: bool = False,
) -> tuple[ndarray, ...]:
    """A permutation, a lower and an upper triangular factor whose product is `a`.

    With `permute_l` the permuted lower factor and the upper one; with `p_indices` a vector `p` with `a = l[p] @ u`
    instead of a matrix. `overwrite_a` changes nothing.

    Parameters
    ----------
    permute_l : bool
        Whether the permuted lower factor is returned instead of both.
    p_indices : bool
        Whether the permutation is a vector.

    >>> p, l, u = cp.scipy.linalg.lu(cp.asarray([[2.0, 1.0], [1.0, 3.0]]))
    >>> bool(cp.allclose(p @ l @ u, cp.asarray([[2.0, 1.0], [1.0, 3.0]])))
    True
    """
    a = matrices(a, check_finite)
    rows, columns = a.shape[-2:]
    count = min(rows, columns)
    factors, pivots, _ = _core.lu_factor(a)
    lower = tril(factors[..., :count], -1) + eye(rows, count, dtype=a.dtype)
    upper = triu(factors[..., :count, :])
    places = _core.argsort(_exchanged(pivots, rows), -1)
    if permute_l:
        index = _core.broadcast_to(places[..., None], lower.shape)
        return take_along_axis(lower, index, -2), upper
    if p_indices:
        return places.astype(np.int32), lower, upper
    permutation = (places[..., None] == counting(rows)).astype(a.real.dtype)
    return permutation, lower, upper


# Cholesky.


def cholesky(a: ArrayLike, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> ndarray:
    """The upper factor `u` of `a = u.conj().T @ u` for positive definite matrices, or the lower one.

    Only that triangle of `a` is read.

    Raises
    ------
    LinAlgError
        If a matrix is not positive definite.

    >>> cp.scipy.linalg.cholesky(cp.asarray([[4.0, 2.0], [2.0, 5.0]]))
    array([[2., 1.],
           [0., 2.]])
    """
    factor, _ = cho_factor(a, lower, overwrite_a, check_finite)
    return tril(factor) if lower else triu(factor)


def cho_factor(
    a: ArrayLike, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[ndarray, bool | ndarray]:
    """The Cholesky factor, with anything in the other triangle, and `lower`, for `cho_solve`.

    For a stack `lower` comes once for each matrix.

    Returns
    -------
    tuple[ndarray, bool or ndarray]

    >>> cp.scipy.linalg.cho_factor(cp.asarray([[2.0, 1.0], [1.0, 3.0]]))[1]
    False
    """
    a = matrices(a, check_finite, square=True)
    factor, info = _core.cholesky(a, not lower)
    if not check_finite and checks_linalg() and bool((info != 0).any()):
        factor, info = _past_nan(factor, info, tril(a) if lower else triu(a))
    complain(info != 0, INDEFINITE)
    return factor, lower if factor.ndim == 2 else full(factor.shape[:-2], bool(lower))


def _past_nan(factor: ndarray, info: ndarray, triangle: ndarray) -> tuple[ndarray, ndarray]:
    """The factor with NaN from the pivot on that NaN of the matrix has reached, which is no failure then."""
    place, count = counting(triangle.shape[-1]), info[..., None, None]
    # NaN behind the pivot has not reached it.
    before = ufuncs["maximum"](place[:, None], place) < count
    stopped = (info != 0) & (ufuncs["isnan"](triangle) & before).any(axis=(-2, -1))
    past = ufuncs["minimum"](place[:, None], place) >= count - 1
    factor = where(stopped[..., None, None] & past, factor.dtype.type(np.nan), factor)
    return factor, where(stopped, 0, info)


def cho_solve(
    c_and_lower: tuple[ndarray, bool | ndarray], b: ArrayLike, overwrite_b: bool = False, check_finite: bool = True
) -> ndarray:
    """`x` of `a @ x = b` from what `cho_factor` returned.

    Parameters
    ----------
    c_and_lower : tuple
        What `cho_factor` returned.

    >>> cp.scipy.linalg.cho_solve(cp.scipy.linalg.cho_factor(cp.asarray([[2.0, 1.0], [1.0, 3.0]])), cp.ones(2)).shape
    (2,)
    """
    factor: Any
    lower: Any
    factor, lower = c_and_lower
    if getattr(lower, "shape", ()):
        # One flag for each matrix of a stack, all the same.
        lower = lower.size > 0 and bool(lower.any())
    factor, b, vector = together(matrices(factor, check_finite, square=True, name="c"), b, check_finite)
    first, second = (0, 2) if lower else (2, 0)
    result = triangular(factor, triangular(factor, b, lower, first), lower, second)
    return result[..., 0] if vector else result


__all__ = [
    "cho_factor",
    "cho_solve",
    "cholesky",
    "lu",
    "lu_factor",
    "lu_solve",
    "solve_triangular",
]
