"""What decompositions of matrices serve: systems, inverses, determinants, ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.linalg import LinAlgError

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.conversions import adjoint, as_array
from .._lib.routes import way
from .._lib.solvers import solver_dtype
from .._lib.ufuncs import NUMPY as _ufuncs
from .._typing import ArrayLike
from .creation import ascontiguousarray
from .decompositions import _check, _double, _epsilon, prepared, stacked_square, svd
from .determinants import determinant, sign_and_logarithm, small_determinant


class SlogdetResult(NamedTuple):
    """Sign and logarithm of the absolute value of a determinant."""

    sign: ndarray
    logabsdet: ndarray


def _solution(a: ndarray, b: ndarray) -> tuple[ndarray, ndarray]:
    """Solutions of systems of one dtype and stack, and info of the factorisation."""
    if a.ndim == 2 and b.ndim > 2:
        factors, pivots, info = _core.lu_factor(a)
        # One matrix for a stack: factorised once, all right-hand sides are columns.
        count = math.prod(b.shape[:-2])
        sides = b.reshape(count, *b.shape[-2:]).transpose(1, 0, 2)
        solved = _core.lu_solve(factors, pivots, sides.reshape(b.shape[-2], count * b.shape[-1]))
        return solved.reshape(sides.shape).transpose(1, 0, 2).reshape(b.shape), info
    stack = _core.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    if stack == a.shape[:-2]:
        return _core.solve(a, _core.broadcast_to(b, (*stack, *b.shape[-2:])))
    factors, pivots, info = _core.lu_factor(a)
    factors, b = (_core.broadcast_to(x, (*stack, *x.shape[-2:])) for x in (factors, b))
    pivots = _core.broadcast_to(pivots, (*stack, pivots.shape[-1]))
    return _core.lu_solve(factors, pivots, b), info


def solve(a: ArrayLike, b: ArrayLike) -> ndarray:
    """`x` of `a @ x = b` for square matrices; `b` is a vector, or matrices that broadcast against `a`.

    Parameters
    ----------
    b : array_like
        The right side: a vector, or a matrix with a column for each system.

    Raises
    ------
    LinAlgError
        If a matrix is singular.

    >>> cp.linalg.solve(cp.asarray([[2.0, 0.0], [0.0, 4.0]]), cp.asarray([2.0, 2.0]))
    array([1. , 0.5])
    """
    a, b = stacked_square(a), as_array(b)
    computed = solver_dtype(a, b)
    core = "(m,m),(m)->(m)" if b.ndim == 1 else "(m,m),(m,n)->(m,n)"
    if b.ndim == 0:
        raise ValueError(
            "solve: Input operand 1 does not have enough dimensions (has 0, gufunc core with signature "
            f"{core} requires 2)"
        )
    columns = b[:, None] if b.ndim == 1 else b
    if columns.shape[-2] != a.shape[-1]:
        raise ValueError(
            f"solve: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature {core} "
            f"(size {columns.shape[-2]} is different from {a.shape[-1]})"
        )
    if b.ndim == 1 and a.ndim > 2:
        columns = _core.broadcast_to(columns, (*a.shape[:-2], *columns.shape))
    result, info = _solution(a.astype(computed, copy=False), columns.astype(computed, copy=False))
    _check(info, "Singular matrix")
    return result[..., 0] if b.ndim == 1 else ascontiguousarray(result)


def inv(a: ArrayLike) -> ndarray:
    """The inverses of square matrices. `LinAlgError` if one is singular. See `numpy.linalg.inv`.

    >>> cp.linalg.inv(cp.asarray([[2.0, 0.0], [0.0, 4.0]]))
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    result, info = _core.inverse(prepared(stacked_square(a)))
    _check(info, "Singular matrix")
    return result


def pinv(a: ArrayLike, rcond: Any = None, hermitian: bool = False, *, rtol: Any = np._NoValue) -> ndarray:
    """The Moore-Penrose pseudo-inverses; singular values at most `rcond` (or `rtol`) times the largest count as zero.

    Computed in double precision, which the default `rcond` of 1e-15 is meant for.

    Parameters
    ----------
    rtol : float
        The relative tolerance.

    >>> cp.linalg.pinv(cp.asarray([[2.0, 0.0]])).round(6)
    array([[0.5],
           [0. ]])
    """
    a = as_array(a)
    computed = solver_dtype(a)
    if rcond is None:
        if rtol is np._NoValue:
            rcond = 1e-15
        else:
            rcond = max(a.shape[-2:]) * _epsilon(computed) if rtol is None else rtol
    elif rtol is not np._NoValue:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    if a.ndim >= 2 and 0 in a.shape[-2:]:
        return _core.empty((*a.shape[:-2], a.shape[-1], a.shape[-2]), a.dtype)
    u, s, vh = svd(a.astype(_double(computed), copy=False), full_matrices=False, hermitian=hermitian)
    limit = (rcond if isinstance(rcond, float) else as_array(rcond)[..., None]) * s.max(-1, None, True)
    large = s > limit
    one = s.dtype.type(1)
    inverted = _core.where(large, one / _core.where(large, s, one), s.dtype.type(0))
    return _core.matmul(adjoint(vh), inverted[..., None] * adjoint(u)).astype(computed, copy=False)


def lstsq(
    a: ArrayLike, b: ArrayLike, rcond: float | Literal["warn"] | None = None
) -> tuple[ndarray, ndarray, np.int32, ndarray]:
    """The `x` of least norm that minimises `norm(b - a @ x)`, with residuals, the rank and singular values of `a`.

    Singular values at most `rcond` times the largest count as zero, by default (and for "warn") epsilon times the
    longer side; an `rcond` that is not between 0 and 1 stands for epsilon, as in LAPACK. Computed in double precision,
    whose epsilon it is: that of float32 times a hundred thousand rows would leave out a hundredth. The rank is read by
    the host.

    Parameters
    ----------
    b : array_like
        The right side: a vector, or a matrix with a column for each system.

    Returns
    -------
    tuple of solution, residuals, rank and singular values

    >>> cp.linalg.lstsq(cp.asarray([[1.0, 0.0], [0.0, 2.0]]), cp.asarray([1.0, 4.0]))[0].round(6)
    array([1., 2.])
    """
    a, b = as_array(a), as_array(b)
    is_vector = b.ndim == 1
    if is_vector:
        b = b[:, None]
    for array in (a, b):
        if array.ndim != 2:
            raise LinAlgError(f"{array.ndim}-dimensional array given. Array must be two-dimensional")
    rows, columns = a.shape
    if rows != b.shape[0]:
        raise LinAlgError("Incompatible dimensions")
    given = solver_dtype(a, b)
    computed = _double(given)
    a, b = a.astype(computed, copy=False), b.astype(computed, copy=False)
    if rcond is None or rcond == "warn":
        rcond = _epsilon(computed) * max(rows, columns)
    elif not 0 < rcond < 1:
        rcond = _epsilon(computed)
    u, s, vh, info = _core.svd(a, "thin")
    _check(info, "SVD did not converge in Linear Least Squares", s)
    if s.size == 0:
        rank, x = 0, _core.zeros((columns, b.shape[1]), computed)
    else:
        large = s > s[0] * s.dtype.type(rcond)
        rank = int(large.sum())
        large = large[:, None]
        divisors = _core.where(large, s[:, None], s.dtype.type(1))
        x = _core.matmul(adjoint(vh), _core.where(large, _core.matmul(adjoint(u), b) / divisors, s.dtype.type(0)))
    residuals = _core.empty((0,), s.dtype)
    if rank == columns and rows > columns:
        absolute = _ufuncs["absolute"](b - _core.matmul(a, x))
        residuals = (absolute * absolute).sum(0)
    real = given.type(0).real.dtype
    x, residuals, s = x.astype(given, copy=False), residuals.astype(real, copy=False), s.astype(real, copy=False)
    # NumPy returns the 32-bit number that LAPACK writes.
    return x[:, 0] if is_vector else x, residuals, np.int32(rank), s


def _sign_and_diagonal(a: ndarray) -> tuple[ndarray, ndarray]:
    """The sign of the row exchanges of LU, and the diagonal of the upper factor."""
    factors, pivots, _ = _core.lu_factor(a)
    moved = pivots != _core.arange(1, 1, a.shape[-1], np.int64)
    odd = moved.sum(-1) % 2
    return (1 - 2 * odd).astype(a.real.dtype), factors.diagonal(0, -2, -1)


def _sign_and_logarithm(sign: ndarray, diagonal: ndarray) -> tuple[ndarray, ndarray]:
    """Sign and logarithm of the absolute value of a product."""
    size = _ufuncs["absolute"](diagonal)
    one = size.dtype.type(1)
    if diagonal.dtype.kind == "c":
        units = diagonal / _core.where(size == 0, one, size)
    else:
        units = _core.where(diagonal < 0, -one, one)
    singular = (size == 0).any(-1)
    sign = _core.where(singular, diagonal.dtype.type(0), (sign * units.prod(-1)).astype(diagonal.dtype, copy=False))
    logarithm = _core.where(singular, size.dtype.type(-math.inf), _ufuncs["log"](size).sum(-1))
    return sign, logarithm


def det(a: ArrayLike) -> ndarray:
    """The determinants of square matrices. See `numpy.linalg.det`.

    >>> cp.linalg.det(cp.asarray([[2.0, 0.0], [0.0, 3.0]]))
    array(6.)
    """
    a = prepared(stacked_square(a))
    if (small := small_determinant(a)) is not None:
        return small
    if way("diagonal in one thread", a, a.shape[-1]):
        return determinant(a)
    sign, diagonal = _sign_and_diagonal(a)
    product = sign * diagonal.prod(-1)
    # Logarithms are less exact, but no part of their sum leaves the range of numbers.
    unit, logarithm = _sign_and_logarithm(sign, diagonal)
    usable = _ufuncs["isfinite"](product) & (product != 0)
    return _core.where(usable, product, unit * _ufuncs["exp"](logarithm))


def slogdet(a: ArrayLike) -> SlogdetResult:
    """Sign and logarithm of the absolute value of determinants: 0 and -inf for singular matrices.

    See `numpy.linalg.slogdet`.

    >>> cp.linalg.slogdet(cp.asarray([[1.0, 0.0], [0.0, -1.0]])).sign
    array(-1.)
    """
    a = prepared(stacked_square(a))
    if way("diagonal in one thread", a, a.shape[-1]):
        return SlogdetResult(*sign_and_logarithm(a))
    return SlogdetResult(*_sign_and_logarithm(*_sign_and_diagonal(a)))


def matrix_rank(A: ArrayLike, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> int | ndarray:
    """The number of singular values above `tol`, or above `rtol` times the largest.

    Parameters
    ----------
    A : array_like
        The matrix, or a stack of them in the last two axes.
    tol : float, optional
        The tolerance.
    rtol : float, optional
        The relative tolerance.

    Returns
    -------
    int or ndarray

    >>> cp.linalg.matrix_rank(cp.asarray([[1.0, 1.0], [1.0, 1.0]]))
    array(1)
    """
    if rtol is not None and tol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    A = as_array(A)
    if A.ndim < 2:
        return int(bool((A != 0).any()))
    s = svd(A, compute_uv=False, hermitian=hermitian)
    if tol is None:
        rtol = max(A.shape[-2:]) * _epsilon(s.dtype) if rtol is None else as_array(rtol)[..., None]
        largest = s.max(-1, None, True) if s.shape[-1] else _core.zeros((*s.shape[:-1], 1), s.dtype)
        tol = largest * rtol
    else:
        tol = as_array(tol)[..., None]
    return (s > tol).sum(-1)


def tensorsolve(a: ArrayLike, b: ArrayLike, axes: Sequence[int] | None = None) -> ndarray:
    """`x` of `tensordot(a, x, x.ndim) = b`; `axes` of `a` go to its end first.

    Parameters
    ----------
    a : array_like
        The array.
    b : array_like
        The right side.
    axes : sequence of int, optional
        The axes that go to the end first.

    >>> cp.linalg.tensorsolve(cp.eye(4).reshape(2, 2, 2, 2), cp.ones((2, 2)))
    array([[1., 1.],
           [1., 1.]])
    """
    a, b = as_array(a), as_array(b)
    if axes is not None:
        order = list(range(a.ndim))
        for axis in axes:
            order.remove(axis)
            order.append(axis)
        a = a.transpose(order)
    shape = a.shape[-(a.ndim - b.ndim) :]
    size = math.prod(shape)
    if a.size != size**2:
        raise LinAlgError("Input arrays must satisfy the requirement prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])")
    return solve(a.reshape(size, size), b.ravel()).reshape(shape)


def tensorinv(a: ArrayLike, ind: int = 2) -> ndarray:
    """The inverse for `tensordot(..., ind)`: of `a` as a matrix whose rows are its first `ind` axes.

    Parameters
    ----------
    a : array_like
        The array.
    ind : int
        The number of axes of the rows.

    >>> cp.linalg.tensorinv(cp.eye(4).reshape(2, 2, 2, 2)).shape
    (2, 2, 2, 2)
    """
    a = as_array(a)
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    shape = a.shape[ind:] + a.shape[:ind]
    return inv(a.reshape(math.prod(a.shape[ind:]), -1)).reshape(shape)
