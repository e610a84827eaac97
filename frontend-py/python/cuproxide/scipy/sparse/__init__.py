"""Tests for sparse arrays. The formats themselves are not here yet, so nothing of this package is sparse.

Programs ask `issparse(x)` before they treat `x` as dense, which is right for every array there is. A sparse array of
SciPy is on the host and none of this package: the answer is False for it as well, as it is in CuPy.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "issparse",
    "isspmatrix",
    "isspmatrix_bsr",
    "isspmatrix_coo",
    "isspmatrix_csc",
    "isspmatrix_csr",
    "isspmatrix_dia",
    "isspmatrix_dok",
    "isspmatrix_lil",
]


def issparse(x: Any) -> bool:
    """Whether `x` is a sparse array of this package: there are none until the formats come.

    >>> cp.scipy.sparse.issparse(cp.ones(3))
    False
    """
    del x
    return False


def isspmatrix(x: Any) -> bool:
    """Whether `x` is a sparse matrix of this package; see `issparse`.

    >>> cp.scipy.sparse.isspmatrix(cp.ones(3))
    False
    """
    return issparse(x)


def isspmatrix_bsr(x: Any) -> bool:
    """Whether `x` is a sparse matrix of this package in the format BSR; see `issparse`.

    >>> cp.scipy.sparse.isspmatrix_bsr(cp.ones(3))
    False
    """
    return issparse(x)


def isspmatrix_coo(x: Any) -> bool:
    """Whether `x` is a sparse matrix of this package in the format COO; see `issparse`.

    >>> cp.scipy.sparse.isspmatrix_coo(cp.ones(3))
    False
    """
    return issparse(x)


def isspmatrix_csc(x: Any) -> bool:
    """Whether `x` is a sparse matrix of this package in the format CSC; see `issparse`.

    >>> cp.scipy.sparse.isspmatrix_csc(cp.ones(3))
    False
    """
    return issparse(x)


def isspmatrix_csr(x: Any) -> bool:
    """Whether `x` is a sparse matrix of this package in the format CSR; see `issparse`.

    >>> cp.scipy.sparse.isspmatrix_csr(cp.ones(3))
    False
    """
    return issparse(x)


def isspmatrix_dia(x: Any) -> bool:
    """Whether `x` is a sparse matrix of this package in the format DIA; see `issparse`.

    >>> cp.scipy.sparse.isspmatrix_dia(cp.ones(3))
    False
    """
    return issparse(x)


def isspmatrix_dok(x: Any) -> bool:
    """Whether `x` is a sparse matrix of this package in the format DOK; see `issparse`.

    >>> cp.scipy.sparse.isspmatrix_dok(cp.ones(3))
    False
    """
    return issparse(x)


def isspmatrix_lil(x: Any) -> bool:
    """Whether `x` is a sparse matrix of this package in the format LIL; see `issparse`.

    >>> cp.scipy.sparse.isspmatrix_lil(cp.ones(3))
    False
    """
    return issparse(x)


def __dir__() -> list[str]:
    return __all__
