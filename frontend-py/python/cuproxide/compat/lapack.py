"""`cupyx.lapack`: systems of equations by the names of LAPACK's drivers."""

from __future__ import annotations

import cuproxide as cp

from .._cuproxide import ndarray
from .._lib.texts import complete
from ._texts import TEXTS

__all__ = ["gels", "gesv", "posv"]


def gesv(a: ndarray, b: ndarray) -> ndarray:
    """Solves `a @ x = b` for one square matrix and one or several columns. See `cuproxide.linalg.solve`.

    >>> lapack.gesv(cp.asarray([[2.0, 0.0], [0.0, 4.0]]), cp.asarray([2.0, 2.0]))
    array([1. , 0.5])
    """
    if a.ndim != 2 or b.ndim not in (1, 2):
        raise ValueError(f"a must have two axes and b one or two (they have {a.ndim} and {b.ndim})")
    return cp.linalg.solve(a, b)


def gels(a: ndarray, b: ndarray) -> ndarray:
    """The least-squares solution of `a @ x = b`, or the shortest of all solutions. See `cuproxide.linalg.lstsq`.

    >>> lapack.gels(cp.asarray([[1.0], [1.0]]), cp.asarray([1.0, 3.0]))
    array([2.])
    """
    if a.ndim != 2 or b.ndim not in (1, 2):
        raise ValueError(f"a must have two axes and b one or two (they have {a.ndim} and {b.ndim})")
    return cp.linalg.lstsq(a, b, rcond=None)[0]


def posv(a: ndarray, b: ndarray) -> ndarray:
    """Solves `a @ x = b` for Hermitian positive definite matrices, by Cholesky's factors.

    `a` is `(..., M, M)`, `b` is `(..., M)` or `(..., M, K)`; a stack of vectors where it has one axis less than `a`.

    Raises
    ------
    LinAlgError
        For a matrix that is not positive definite.

    >>> lapack.posv(cp.asarray([[2.0, 0.0], [0.0, 4.0]]), cp.asarray([2.0, 2.0]))
    array([1. , 0.5])
    """
    if a.ndim < 2 or b.ndim not in (a.ndim, a.ndim - 1) or a.shape[:-1] != b.shape[: a.ndim - 1]:
        raise ValueError("a must have the shape (..., M, M) and b the shape (..., M) or (..., M, K)")
    columns = b if a.ndim == b.ndim else b[..., None]
    factors = cp.linalg.cholesky(a)
    half = cp.scipy.linalg.solve_triangular(factors, columns, lower=True)
    x = cp.scipy.linalg.solve_triangular(factors, half, trans="C", lower=True)
    return x if a.ndim == b.ndim else x[..., 0]


complete(globals(), __all__, TEXTS)
