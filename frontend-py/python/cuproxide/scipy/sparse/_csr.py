"""Compressed sparse rows."""

from __future__ import annotations

from typing import Any

from ._base import sparray, spmatrix
from ._compressed import compressed_base

__all__ = ["csr_array", "csr_matrix"]


class csr_base(compressed_base):
    """The base of `csr_array` and `csr_matrix`."""

    _format = "csr"

    def tocsr(self, copy: bool = False) -> Any:
        """In the format CSR: itself, unless `copy`."""
        return self.copy() if copy else self

    def tocsc(self, copy: bool = False) -> Any:
        """In the format CSC; the indices are sorted."""
        self._require_two_axes("csc")
        return self._turned("csc")

    def tobsr(self, blocksize: tuple[int, int] | None = None, copy: bool = True) -> Any:
        """In the format BSR, in blocks of `blocksize`."""
        self._require_two_axes("bsr")
        from ._bsr import blocks_of

        return blocks_of(self, blocksize, copy)

    def tolil(self, copy: bool = False) -> Any:
        """In the format LIL, which is on the host."""
        from ._lil import lists_of

        return lists_of(self)

    def _require_two_axes(self, format: str) -> None:
        if self.ndim != 2:
            raise ValueError(f"Cannot convert a 1d sparse array to {format} format")


class csr_array(csr_base, sparray):
    """A sparse array of compressed rows.

    The elements of row i are `data[indptr[i]:indptr[i + 1]]`, in the columns `indices[indptr[i]:indptr[i + 1]]`.

    Parameters
    ----------
    arg1 : array, sparse array, shape, (data, coords) or (data, indices, indptr)
        What it holds: a dense array; a sparse one, also of `scipy.sparse`; nothing, for a shape; elements and their
        coordinates, of which repeated ones are added up; or the parts themselves.
    shape : tuple of int, optional
        One or two lengths.
    copy : bool
        If false, arrays on the device are shared where they fit.

    Raises
    ------
    ValueError
        If offsets or indices do not fit the shape; they are checked on the device.

    >>> a = sparse.csr_array((cp.array([1.0, 2, 3]), cp.array([0, 2, 1]), cp.array([0, 2, 3])), shape=(2, 3))
    >>> a @ cp.array([1.0, 1, 1])
    array([3., 3.])
    """

    _ndims = (1, 2)


class csr_matrix(spmatrix, csr_base):
    """A sparse matrix of compressed rows, whose `*` is the product of matrices; see `csr_array`.

    >>> a = sparse.csr_matrix(cp.array([[0, 1], [2, 0]]))
    >>> (a * a).toarray()
    array([[2, 0],
           [0, 2]])
    """
