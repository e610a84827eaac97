"""Rows of dense blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ..._lib import kernel as k
from ._base import sparray, sparse_base, spmatrix
from ._checks import as_dense, as_indices, as_part, check_shape, checked_dtype, index_dtype, is_integer, upcast
from ._compressed import _is_shape, compressed_base
from ._kinds import CONTAINERS
from ._structure import offsets_of, order_of, row_range, rows_of, transposed

__all__ = ["bsr_array", "bsr_matrix"]


@k.kernel
def _row_times_columns(indptr: k.Array[1], indices: k.Array[1], data: k.Array[3], x: k.Array[2], *, dtype: Any):
    row, j = k.coordinates()
    block_row = row // data.shape[1]
    r = row - block_row * data.shape[1]
    total = k.value(0, dtype)
    begin, end = row_range(indptr, block_row, indices, data)
    for p in k.steps(begin, end):
        first = k.inside(indices[p], x.shape[0] // data.shape[2]) * data.shape[2]
        for c in k.steps(data.shape[2]):
            total += data[p, r, c].astype(dtype) * x[first + c, j].astype(dtype)
    return total


@k.kernel(bounded=True)
def _write_rows(
    indptr: k.Array[1],
    indices: k.Array[1],
    rows: k.Array[1],
    data: k.Array[3],
    columns: k.Out[1],
    elements: k.Out[1],
) -> None:
    """The elements of the blocks, row by row."""
    p, r, c = k.coordinates()
    height, width = data.shape[1], data.shape[2]
    begin, end = row_range(indptr, rows[p], indices)
    place = begin * height * width + (r * (end - begin) + p - begin) * width + c
    columns[place] = indices[p].astype(np.int64) * width + c
    elements[place] = data[p, r, c]


class bsr_base(compressed_base):
    """The base of `bsr_array` and `bsr_matrix`."""

    _format = "bsr"

    def __init__(
        self,
        arg1: Any,
        shape: Any = None,
        dtype: Any = None,
        copy: bool = False,
        blocksize: tuple[int, int] | None = None,
        *,
        maxprint: int | None = None,
    ) -> None:
        sparse_base.__init__(self, maxprint)
        dtype = None if dtype is None else checked_dtype(dtype)
        if shape is not None:
            shape = check_shape((shape,))
        if blocksize is not None:
            if not _is_shape(tuple(blocksize), (2,)) or min(blocksize) < 1:
                raise ValueError(f"invalid blocksize={blocksize}")
            blocksize = (int(blocksize[0]), int(blocksize[1]))
        if isinstance(arg1, sparse_base):
            array = arg1.copy() if arg1.format == "bsr" and copy else arg1
            self._take(array.tobsr(blocksize=blocksize))
        elif _is_shape(arg1, (2,)):
            self._shape = check_shape((arg1,))
            size = blocksize or (1, 1)
            if self._shape[0] % size[0] or self._shape[1] % size[1]:
                raise ValueError("shape must be multiple of blocksize")
            index = index_dtype(self._shape)
            data = cp.zeros((0, *size), np.float64 if dtype is None else dtype)
            self._put(data, cp.zeros(0, index), cp.zeros(self._shape[0] // size[0] + 1, index))
            self._sorted = self._canonical = True
        elif isinstance(arg1, tuple) and len(arg1) == 3:
            self._from_blocks(arg1, shape, dtype, copy, blocksize)
        else:
            if isinstance(arg1, tuple) and len(arg1) != 2:
                raise ValueError("unrecognized bsr_array constructor usage")
            coo = CONTAINERS["coo", self._is_array](arg1, shape=shape, dtype=dtype)
            if coo.ndim != 2:
                raise ValueError(f"BSR arrays don't support {coo.ndim}D input. Use 2D")
            self._take(coo.tobsr(blocksize=blocksize))
        if shape is not None and shape != self._shape:
            raise ValueError(f"inconsistent shapes: {shape} != {self._shape}")
        if dtype is not None and self.data.dtype != dtype:
            self.data = self.data.astype(dtype)

    def _from_blocks(self, parts: Any, shape: Any, dtype: Any, copy: bool, blocksize: Any) -> None:
        data = as_dense(parts[0], copy=copy or None)
        self.indices, self.indptr = (as_indices(part, copy=copy or None) for part in parts[1:])
        self.data = data if dtype is None else data.astype(dtype, copy=False)
        checked_dtype(self.data.dtype)
        if self.data.ndim != 3:
            raise ValueError(f"BSR data must be 3-dimensional, got shape={self.data.shape}")
        if blocksize is not None and blocksize != self.data.shape[1:]:
            raise ValueError(f"mismatching blocksize={blocksize} vs {self.data.shape[1:]}")
        self._sorted = self._canonical = None
        if shape is None:
            if self.indices.ndim != 1 or not self.indices.size or self.indptr.ndim != 1:
                raise ValueError("unable to infer matrix dimensions")
            height, width = self.blocksize
            shape = ((self.indptr.size - 1) * height, (int(self.indices.max()) + 1) * width)
        self._shape = shape
        self._recheck()
        self._narrow()

    # ---------------------------------------------------------------------------------------------------------- layout

    @property
    def blocksize(self) -> tuple[int, int]:
        """The shape of the blocks."""
        _, rows, columns = as_part("data", self.data).shape
        return rows, columns

    @property
    def _lengths(self) -> tuple[int, int]:
        height, width = self.blocksize
        return self._shape[0] // height, self._shape[1] // width

    def _checked_lengths(
        self, shape: tuple[int, ...], data: cp.ndarray, indices: cp.ndarray, indptr: cp.ndarray
    ) -> int:
        if indices.ndim != 1 or indptr.ndim != 1:
            raise ValueError("indices, and indptr should be 1-D")
        if data.ndim != 3:
            raise ValueError("data should be 3-D")
        (rows, columns), (blocks, height, width) = shape, data.shape
        if height < 1 or width < 1 or rows % height or columns % width:
            raise ValueError(f"invalid blocksize {(height, width)} for shape {shape}")
        majors = rows // height
        if indptr.size != majors + 1:
            raise ValueError(f"index pointer size ({indptr.size}) should be ({majors + 1})")
        if indices.size != blocks:
            raise ValueError("indices and data should have the same size")
        return columns // width

    def __repr__(self) -> str:
        kind = "array" if self._is_array else "matrix"
        height, width = self.blocksize
        return (
            f"<Block Sparse Row sparse {kind} of dtype '{self.dtype}'\n"
            f"\twith {self.nnz} stored elements (blocksize={height}x{width}) and shape {self.shape}>"
        )

    def _getnnz(self, axis: int | None = None) -> Any:
        return as_part("data", self.data).size if axis is None else self.tocsr()._getnnz(axis)

    def count_nonzero(self, axis: int | None = None) -> Any:
        """How many elements are not zero, in all or along an axis."""
        return self.tocsr().count_nonzero(axis=axis)

    def eliminate_zeros(self) -> None:
        """Drops blocks of zeros, in place."""
        self._keep((self.data != 0).any(axis=(1, 2)))

    # ----------------------------------------------------------------------------------------------------- conversions

    def tobsr(self, blocksize: tuple[int, int] | None = None, copy: bool = False) -> Any:
        """In the format BSR, in blocks of `blocksize`."""
        if blocksize is not None and tuple(blocksize) != self.blocksize:
            return self.tocsr().tobsr(blocksize=blocksize)
        return self.copy() if copy else self

    def tocsr(self, copy: bool = False) -> Any:
        """In the format CSR, with all elements of the blocks."""
        height, width = self.blocksize
        index = index_dtype(self._shape, self.data.size, (self,))
        offsets = self.indptr.astype(index, copy=False)
        counts = cp.repeat(offsets[1:] - offsets[:-1], height) * index(width)
        indptr = cp.zeros(self._shape[0] + 1, index)
        indptr[1:] = cp.cumsum(counts, dtype=index)
        indices, data = cp.empty(self.data.size, index), cp.empty(self.data.size, self.dtype)
        if self.data.size:
            _write_rows(self.indptr, self.indices, self._rows(), self.data, indices, data, shape=self.data.shape)
        return self._class("csr")._made(data, indices, indptr, self._shape, self._sorted, self._canonical)

    def tocsc(self, copy: bool = False) -> Any:
        """In the format CSC, with all elements of the blocks."""
        return self.tocsr().tocsc()

    def tocoo(self, copy: bool = True) -> Any:
        """In the format COO, block by block."""
        height, width = self.blocksize
        index = index_dtype(self._shape)
        row = self._rows().astype(index, copy=False)[:, None, None] * index(height)
        column = self.indices.astype(index, copy=False)[:, None, None] * index(width)
        row = cp.broadcast_to(row + cp.arange(height, dtype=index)[:, None], self.data.shape).reshape(-1)
        column = cp.broadcast_to(column + cp.arange(width, dtype=index), self.data.shape).reshape(-1)
        data = self.data.reshape(-1)
        return self._class("coo")._made(data.copy() if copy else data, (row, column), self._shape)

    def toarray(self, order: str | None = None, out: cp.ndarray | None = None) -> cp.ndarray:
        """The dense array; see `csr_array.toarray`.

        Parameters
        ----------
        order : {'C', 'F'}, optional
            The order of the elements.
        """
        return self.tocoo(copy=False).toarray(order=order, out=out)

    def transpose(self, axes: Any = None, copy: bool = False) -> Any:
        """The transpose, in the format BSR."""
        self._check_axes(axes)
        data, indices, indptr = transposed(self.data, self.indices, self.indptr, self._lengths[1])
        data = cp.ascontiguousarray(data.transpose(0, 2, 1))
        return self._made(data, indices, indptr, self._shape[::-1], True, self._canonical)

    def resize(self, *shape: Any) -> None:
        """Changes the shape in place; elements outside of it are dropped."""
        shape = check_shape(shape)
        height, width = self.blocksize
        if shape[0] % height or shape[1] % width:
            raise ValueError(f"shape must be divisible into {self.blocksize} blocks. Got {shape}")
        coo = self.tocoo(copy=False)
        coo.resize(shape)
        self._take(coo.tobsr(blocksize=self.blocksize))

    # ------------------------------------------------------------------------------------------------------ arithmetic

    def _flat(self) -> Any:
        return self.tocsr()

    def _combined(self, other: Any, name: str) -> Any:
        made = self.tocsr()._combined(other, name)
        if name not in ("add", "subtract", "multiply"):
            return made
        made = made.tobsr(blocksize=self.blocksize)
        return self._made(made.data, made.indices, made.indptr, made._shape, made._sorted, made._canonical)

    def _add_dense(self, other: cp.ndarray) -> cp.ndarray:
        return self.tocoo(copy=False)._add_dense(other)

    def _times_vector(self, x: cp.ndarray) -> cp.ndarray:
        return self._times_columns(x[:, None]).reshape(-1)

    def _times_columns(self, x: cp.ndarray) -> cp.ndarray:
        dtype, shape = upcast(self.dtype, x.dtype), (self._shape[0], x.shape[1])
        if 0 in shape or not self.data.size:
            return cp.zeros(shape, dtype)
        return _row_times_columns(self.indptr, self.indices, self.data, x, dtype=dtype, shape=shape)

    def _times_sparse(self, other: Any) -> Any:
        made = self.tocsr()._times_sparse(other)
        if made.ndim != 2:
            return made
        width = other.blocksize[1] if other.format == "bsr" else 1
        return made.tobsr(blocksize=(self.blocksize[0], width))

    def _sum_axis(self, axis: int, dtype: Any) -> cp.ndarray:
        return self.tocoo(copy=False)._sum_axis(axis, dtype)

    def _sum_all(self, dtype: Any) -> Any:
        if self.dtype.kind in "biu" and dtype != self.dtype:
            return self.tocoo(copy=False)._sum_all(dtype)
        return self.data.sum(dtype=dtype)

    def diagonal(self, k: int = 0) -> cp.ndarray:
        """The elements of a diagonal; `k` counts from the main one upwards."""
        return self.tocoo(copy=False).diagonal(k=k)

    def _set_diagonal(self, values: cp.ndarray, k: int) -> None:
        coo = self.tocoo()
        coo._set_diagonal(values, k)
        self._take(coo.tobsr(blocksize=self.blocksize))

    def __getitem__(self, key: Any) -> Any:
        return self.tocsr()[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        changed = self.tocsr()
        changed[key] = value
        self._take(changed.tobsr(blocksize=self.blocksize))


def blocks_of(csr: Any, blocksize: Any, copy: bool) -> Any:
    """An array in the format BSR for one in the format CSR."""
    if blocksize is None:
        blocksize = _fitting(csr)
    if len(tuple(blocksize)) != 2 or not all(is_integer(length) and length > 0 for length in blocksize):
        raise ValueError(f"invalid blocksize={blocksize}")
    height, width = (int(length) for length in blocksize)
    rows, columns = csr.shape
    if rows % height or columns % width:
        raise ValueError(f"invalid blocksize {(height, width)}")
    made = csr._class("bsr")
    if (height, width) == (1, 1):
        parts = (csr.data.reshape(-1, 1, 1), csr.indices, csr.indptr)
        if copy:
            parts = tuple(part.copy() for part in parts)
        return made._made(*parts, csr.shape, csr._sorted, csr._canonical)
    csr = csr._deduplicated()
    majors, minors = rows // height, columns // width
    index = csr.indices.dtype
    row, column = csr._rows(), csr.indices
    major, minor = row // index.type(height), column // index.type(width)
    if not row.size:
        return made._made(
            cp.zeros((0, height, width), csr.dtype),
            cp.zeros(0, index),
            cp.zeros(majors + 1, index),
            csr.shape,
            True,
            True,
        )
    order = order_of(major, minor, majors, minors)
    row, column, major, minor = row[order], column[order], major[order], minor[order]
    # The block of each element, counted in order.
    starts = cp.ones(row.size, np.int64)
    starts[0] = 0
    starts[1:] = (major[1:] != major[:-1]) | (minor[1:] != minor[:-1])
    block = cp.cumsum(starts)
    heads = cp.flatnonzero(starts)
    heads = cp.concatenate((cp.zeros(1, heads.dtype), heads))
    data = cp.zeros((heads.size, height, width), csr.dtype)
    data[block, row % index.type(height), column % index.type(width)] = csr.data[order]
    return made._made(data, minor[heads], offsets_of(major[heads], majors, index), csr.shape, True, True)


def _count_blocks(csr: Any, height: int, width: int) -> int:
    index = csr.indices.dtype.type
    rows = rows_of(csr.indptr, csr.indices.size) // index(height)
    key = rows.astype(np.int64) * (csr.shape[1] // width) + csr.indices // index(width)
    return int(cp.unique(key).size)


def _fitting(csr: Any) -> tuple[int, int]:
    """The largest of some square block sizes whose blocks are well filled."""
    rows, columns = csr.shape
    if not csr.nnz:
        return 1, 1
    enough, plenty = 0.7, 0.85

    def filled(size: int) -> float:
        if rows % size or columns % size:
            return 0.0
        return csr.nnz / (size * size * _count_blocks(csr, size, size))

    by_two, by_three = filled(2), filled(3)
    if by_two > plenty and by_three > plenty:
        return (6, 6) if filled(6) > enough else (3, 3)
    if filled(4) > enough:
        return 4, 4
    if by_three > enough:
        return 3, 3
    return (2, 2) if by_two > enough else (1, 1)


class bsr_array(bsr_base, sparray):
    """A sparse array of dense blocks, row by row.

    The blocks of block row i are `data[indptr[i]:indptr[i + 1]]`, in the block columns
    `indices[indptr[i]:indptr[i + 1]]`.

    Parameters
    ----------
    arg1 : array, sparse array, shape, (data, coords) or (data, indices, indptr)
        As for `csr_array`; `data` of the last form has three axes.
    shape : tuple of int, optional
        Two lengths.
    copy : bool
        If false, arrays on the device are shared where they fit.
    blocksize : tuple of int, optional
        The shape of the blocks, which must divide that of the array; without it one that is well filled is chosen.

    Raises
    ------
    ValueError
        If the parts do not fit each other or the shape.

    >>> sparse.bsr_array(cp.eye(4, dtype=int), blocksize=(2, 2)).data
    array([[[1, 0],
            [0, 1]],
    <BLANKLINE>
           [[1, 0],
            [0, 1]]])
    """


class bsr_matrix(spmatrix, bsr_base):
    """A sparse matrix of dense blocks, whose `*` is the product of matrices; see `bsr_array`.

    >>> sparse.bsr_matrix(cp.ones((4, 4))).blocksize
    (4, 4)
    """
