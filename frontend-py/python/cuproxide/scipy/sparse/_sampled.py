"""Products of dense matrices at the places of a sparse one."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ..._lib import kernel as k
from ._base import sparray, sparse_base
from ._checks import as_dense, upcast
from ._devices import own_device
from ._kinds import CONTAINERS

__all__ = ["sampled_addmm"]


@k.segments("add", bounded=True)
def _inner_product(
    i, rows: k.Array[1], columns: k.Array[1], x: k.Array[2], y: k.Array[2], *, dtype: Any, by_columns: bool
):
    place = k.index()
    factor = y[columns[place], i] if by_columns else y[i, columns[place]]
    return x[rows[place], i].astype(dtype) * factor.astype(dtype)


@own_device
def sampled_addmm(A: Any, x: Any, y: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    """The product of two dense matrices where a sparse array has elements: `beta * A + alpha * (x @ y)` at its places.

    The dense product is not made: each stored place takes one inner product. SciPy has no such function; this one is
    PyTorch's `torch.sparse.sampled_addmm`.

    Parameters
    ----------
    A : (M, N) sparse array
        Its places are those of the result; elements that are stored twice are added up first.
    x : (M, K) array
    y : (K, N) array
    beta, alpha : number
        Factors of `A` and of the product. With `beta=0` the elements of `A` do not matter.

    Returns
    -------
    sparse array
        In the format CSR.

    Raises
    ------
    TypeError
        If `A` is not sparse.
    ValueError
        For shapes that do not fit.

    >>> A = cp.scipy.sparse.csr_array([[1, 0], [0, 1]])
    >>> x, y = cp.array([[1, 2, 3], [4, 5, 6]]), cp.array([[1, 0], [0, 1], [1, 1]])
    >>> cp.scipy.sparse.sampled_addmm(A, x, y, beta=0).toarray()
    array([[ 4,  0],
           [ 0, 11]])
    """
    if not isinstance(A, sparse_base):
        raise TypeError(f"A must be a sparse array, not {type(A).__name__}")
    x, y = as_dense(x), as_dense(y)
    if A.ndim != 2 or x.ndim != 2 or y.ndim != 2 or (x.shape[0], y.shape[1]) != A.shape or x.shape[1] != y.shape[0]:
        raise ValueError(f"inconsistent shapes: A {A.shape}, x {x.shape}, y {y.shape}")
    coo = A.tocsr()._deduplicated().tocoo()
    length, dtype = x.shape[1], upcast(x.dtype, y.dtype)
    if coo.nnz and length:
        begin, end = (cp.broadcast_to(cp.asarray(at), (coo.nnz,)) for at in (0, length))
        # Threads of a GPU that share a place read neighbours of a row of `x`, and of `y` if its columns are dense.
        by_columns = y.strides[0] <= y.strides[1]
        products = _inner_product(
            *(begin, end, coo.row, coo.col, x, y.T if by_columns else y),
            dtype=dtype,
            by_columns=by_columns,
            over=length,
        )
    else:
        products = cp.zeros(coo.nnz, dtype)
    data = products * alpha
    if np.any(beta != 0):
        data = data + coo.data * beta
    kind = CONTAINERS["coo", isinstance(A, sparray)]
    return kind._made(data, coo.coords, coo.shape, True).tocsr()
