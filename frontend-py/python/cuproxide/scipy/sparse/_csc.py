"""Compressed sparse columns."""

from __future__ import annotations

from typing import Any

import cuproxide as cp

from ._base import sparray, spmatrix
from ._compressed import compressed_base
from ._structure import is_hollow

__all__ = ["csc_array", "csc_matrix"]


class csc_base(compressed_base):
    """The base of `csc_array` and `csc_matrix`."""

    _format = "csc"

    @staticmethod
    def _swap(pair: Any) -> Any:
        return pair[1], pair[0]

    def tocsc(self, copy: bool = False) -> Any:
        """In the format CSC: itself, unless `copy`."""
        return self.copy() if copy else self

    def tocsr(self, copy: bool = False) -> Any:
        """In the format CSR; the indices are sorted."""
        return self._turned("csr")

    def nonzero(self) -> tuple[cp.ndarray, ...]:
        """The coordinates of the elements that are not zero, row by row."""
        if is_hollow(self._shape[0], self.data.size):
            return super().nonzero()
        return self.tocsr().nonzero()


class csc_array(csc_base, sparray):
    """A sparse array of compressed columns.

    The elements of column j are `data[indptr[j]:indptr[j + 1]]`, in the rows `indices[indptr[j]:indptr[j + 1]]`.
    Parameters are those of `csr_array`.

    >>> a = sparse.csc_array(cp.array([[0, 1], [2, 0]]))
    >>> a.indptr
    array([0, 1, 2], dtype=int32)
    """


class csc_matrix(spmatrix, csc_base):
    """A sparse matrix of compressed columns, whose `*` is the product of matrices; see `csc_array`.

    >>> sparse.csc_matrix(cp.array([[0, 1], [2, 0]])).getcol(1).toarray()
    array([[1],
           [0]])
    """
