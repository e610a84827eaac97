"""Parts of sparse arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ._base import sparray, sparse_base
from ._devices import own_device
from ._kinds import CONTAINERS

__all__ = ["find", "tril", "triu"]


def _as_coo(a: Any) -> Any:
    if isinstance(a, sparse_base):
        return a.tocoo(copy=False)
    # As in SciPy, a dense array makes a matrix, and a sparse one what it is.
    return CONTAINERS["coo", False](a)


@own_device
def find(A: Any) -> tuple[cp.ndarray, cp.ndarray, cp.ndarray]:
    """Rows, columns and values of the elements that are not zero.

    Parameters
    ----------
    A : array or sparse array

    Returns
    -------
    rows, columns, values : 1-d arrays

    >>> import cuproxide as cp
    >>> from cuproxide.scipy import sparse
    >>> sparse.find(sparse.csr_array([[0, 8], [7, 0]]))
    (array([0, 1], dtype=int32), array([1, 0], dtype=int32), array([8, 7]))
    """
    coo = _as_coo(A)._deduplicated()
    kept = cp.flatnonzero(coo.data)
    return coo.row[kept], coo.col[kept], coo.data[kept]


def _triangle(a: Any, k: int, format: str | None, lower: bool) -> Any:
    coo = _as_coo(a)
    distance = coo.col.astype(np.int64) - coo.row
    kept = cp.flatnonzero(distance <= k if lower else distance >= k)
    kind = CONTAINERS["coo", isinstance(a, sparray)]
    made = kind._made(coo.data[kept], (coo.row[kept], coo.col[kept]), coo._shape2, coo._canonical)
    return made.asformat(format)


@own_device
def tril(A: Any, k: int = 0, format: str | None = None) -> Any:
    """The elements on and below a diagonal.

    Parameters
    ----------
    A : array or sparse array
    format : str, optional
        The format of the result; COO by default.

    Returns
    -------
    lower : sparse array, or sparse matrix unless `A` is a sparse array

    >>> import cuproxide as cp
    >>> from cuproxide.scipy import sparse
    >>> sparse.tril(sparse.csr_array([[1, 2], [3, 4]])).toarray()
    array([[1, 0],
           [3, 4]])
    """
    return _triangle(A, k, format, True)


@own_device
def triu(A: Any, k: int = 0, format: str | None = None) -> Any:
    """The elements on and above a diagonal; see `tril` and `scipy.sparse.triu`.

    Parameters
    ----------
    A : sparse array
        The array.
    k : int
        The number of the diagonal: 0 is the main one, positive ones are above it.

    Returns
    -------
    sparse array or matrix

    >>> import cuproxide as cp
    >>> from cuproxide.scipy import sparse
    >>> sparse.triu(sparse.csr_array([[1, 2], [3, 4]]), k=1).toarray()
    array([[0, 2],
           [0, 0]])
    """
    return _triangle(A, k, format, False)
