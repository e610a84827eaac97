"""`cupyx.linalg.sparse`: a solver for sparse symmetric positive definite matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray

__all__ = ["lschol"]


def lschol(A: Any, b: ndarray) -> ndarray:
    """Solves `A @ x = b` for a sparse real symmetric or complex Hermitian positive definite matrix.

    The matrix is factorised as `cuproxide.scipy.sparse.linalg.splu` does it, in float64 or complex128.

    Parameters
    ----------
    A : sparse matrix or array
        `(N, N)`, in any format.
    b : ndarray
        `(N,)`.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If the shapes do not fit.
    RuntimeError
        If the matrix is singular.

    See Also
    --------
    cuproxide.scipy.sparse.linalg.spsolve : for any square matrix.

    Examples
    --------
    >>> from cuproxide.compat.linalg.sparse import lschol
    >>> lschol(cp.scipy.sparse.csr_matrix(cp.asarray([[2.0, 0.0], [0.0, 4.0]])), cp.asarray([2.0, 2.0]))
    array([1. , 0.5])
    """
    sparse = cp.scipy.sparse
    if not sparse.issparse(A):
        raise TypeError(f"A must be a sparse matrix or array, not {type(A).__name__}")
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"A must be square (its shape is {A.shape})")
    if not isinstance(b, ndarray) or b.shape != A.shape[:1]:
        raise ValueError(f"b must be an array of shape {A.shape[:1]} (got {getattr(b, 'shape', type(b).__name__)})")
    dtype = np.result_type(A.dtype, b.dtype, np.float64)
    return sparse.linalg.splu(A.astype(dtype).tocsc()).solve(b.astype(dtype))
