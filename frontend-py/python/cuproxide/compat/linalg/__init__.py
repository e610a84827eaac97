"""`cupyx.linalg`: inverses and solutions by Cholesky's factors."""

from __future__ import annotations

import cuproxide as cp

from ..._cuproxide import ndarray
from ...scipy.linalg import cho_factor, cho_solve
from . import sparse

__all__ = ["cho_factor", "cho_solve", "invh", "sparse"]


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
