"""`cupyx.linalg`: inverses and solutions by Cholesky's factors."""

from __future__ import annotations

import cuproxide as cp

from ..._cuproxide import ndarray
from ...scipy import linalg as _linalg
from ...scipy.linalg import cho_factor
from . import sparse

__all__ = ["cho_factor", "cho_solve", "invh", "sparse"]


def cho_solve(
    c_and_lower: tuple[ndarray, bool], b: ndarray, overwrite_b: bool = False, check_finite: bool = True
) -> ndarray:
    """`x` of `a @ x = b` from what `cho_factor` returned, of which only the triangle that was asked for is read.

    Parameters
    ----------
    c_and_lower : tuple
        The factor, or a stack of factors, and whether it is the lower one.
    b : ndarray
        The right side: a vector, or a matrix with a column for each system.
    overwrite_b : bool
        Taken for compatibility; the input is never overwritten.
    check_finite : bool
        Whether infinities or NaN in the triangle or in `b` are a `ValueError`, which waits for the device.

    Returns
    -------
    ndarray

    See Also
    --------
    cuproxide.scipy.linalg.cho_solve : The same, which looks at the other triangle too.

    Examples
    --------
    >>> from cuproxide.compat.linalg import cho_solve
    >>> cho_solve((cp.asarray([[2.0, cp.nan], [0.0, 1.0]]), True), cp.asarray([4.0, 1.0]))
    array([1., 1.])
    """
    factor, lower = c_and_lower
    triangle = cp.tril(factor) if lower else cp.triu(factor)
    return _linalg.cho_solve((triangle, lower), b, overwrite_b, check_finite)


def invh(a: ndarray) -> ndarray:
    """The inverse of a real symmetric or complex Hermitian positive definite matrix, or of each in a stack.

    Only the lower triangle is read.

    Parameters
    ----------
    a : ndarray
        `(..., N, N)`, of real or complex numbers; integers compute in float64.

    Raises
    ------
    LinAlgError
        If a matrix is not square or not positive definite.

    See Also
    --------
    cuproxide.linalg.inv : of any square matrix.

    Examples
    --------
    >>> from cuproxide.compat.linalg import invh
    >>> invh(cp.asarray([[2.0, 0.0], [0.0, 4.0]]))
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    if not isinstance(a, ndarray):
        raise TypeError(f"a must be an array of a device, not {type(a).__name__}")
    factors = cp.linalg.cholesky(a)
    identity = cp.broadcast_to(cp.eye(a.shape[-1], dtype=factors.dtype), a.shape)
    half = cp.scipy.linalg.solve_triangular(factors, identity, lower=True)
    return cp.swapaxes(half, -1, -2).conj() @ half
