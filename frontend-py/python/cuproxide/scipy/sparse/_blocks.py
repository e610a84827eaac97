"""Sparse arrays made of blocks."""

from __future__ import annotations

from typing import Any

import cuproxide as cp

from ._base import sparse_base
from ._checks import as_dense, checked_dtype, index_dtype, upcast
from ._construct import any_array, as_coo
from ._devices import own_device
from ._kinds import CONTAINERS

__all__ = ["block_array", "block_diag", "bmat", "hstack", "vstack"]


def _grid(blocks: Any) -> list[list[Any]]:
    """Blocks as lists of rows; a dense array is a grid of numbers."""
    if hasattr(blocks, "tolist") and not isinstance(blocks, sparse_base):
        blocks = blocks.tolist()
    rows = []
    for row in blocks:
        if isinstance(row, sparse_base) or not hasattr(row, "__len__"):
            raise ValueError("blocks must be 2-D")
        rows.append(list(row))
    if len({len(row) for row in rows}) > 1:
        raise ValueError("blocks must be 2-D")
    return rows


def _joined(rows: list[list[Any]], format: str | None, dtype: Any, is_array: bool) -> Any:
    if not rows or not rows[0]:
        raise ValueError("blocks must be 2-D")
    flat = [block for row in rows for block in row]
    if format in (None, "csr") and _are_all(flat, "csr"):
        return _stacked([_beside(row, dtype, is_array) for row in rows], dtype, is_array)
    if format in (None, "csc") and _are_all(flat, "csc"):
        turned = [[block.transpose() for block in column] for column in zip(*rows, strict=True)]
        return _joined(turned, "csr", dtype, is_array).transpose()
    heights: list[Any] = [None] * len(rows)
    widths: list[Any] = [None] * len(rows[0])
    found = []
    for i, row in enumerate(rows):
        for j, block in enumerate(row):
            if block is None:
                continue
            coo = as_coo(block, True)
            height, width = coo._shape2
            for known, place, length, what, axis in ((heights, i, height, "row", 0), (widths, j, width, "column", 1)):
                if known[place] in (None, 0):
                    known[place] = length
                elif known[place] != length:
                    where = f"blocks[{i},:]" if axis == 0 else f"blocks[:,{j}]"
                    raise ValueError(
                        f"{where} has incompatible {what} dimensions. Got blocks[{i},{j}].shape[{axis}] == {length}, "
                        f"expected {known[place]}."
                    )
            found.append((i, j, coo))
    heights, widths = ([length or 0 for length in lengths] for lengths in (heights, widths))
    shape = (sum(heights), sum(widths))
    tops, lefts = ([sum(lengths[:i]) for i in range(len(lengths))] for lengths in (heights, widths))
    index = index_dtype(shape, of=[coo for _, _, coo in found])
    kind = CONTAINERS["coo", is_array]
    if not found:
        return kind(shape, dtype=dtype).asformat(format)
    wide = upcast(*(coo.dtype for _, _, coo in found)) if dtype is None else checked_dtype(dtype)
    data = cp.concatenate([coo.data.astype(wide, copy=False) for _, _, coo in found])
    row = cp.concatenate([coo.row.astype(index, copy=False) + index(tops[i]) for i, _, coo in found])
    column = cp.concatenate([coo.col.astype(index, copy=False) + index(lefts[j]) for _, j, coo in found])
    return kind._made(data, (row, column), shape).asformat(format)


def _are_all(blocks: list[Any], format: str) -> bool:
    return all(isinstance(block, sparse_base) and block.format == format for block in blocks)


def _stacked(blocks: list[Any], dtype: Any, is_array: bool) -> Any:
    """Arrays in the format CSR one above the other."""
    widths = {block._shape2[1] for block in blocks}
    if len(widths) > 1:
        raise ValueError("incompatible dimensions for axis 1")
    shape = (sum(block._shape2[0] for block in blocks), widths.pop())
    wide = upcast(*(block.dtype for block in blocks)) if dtype is None else checked_dtype(dtype)
    index = index_dtype(shape, sum(block.indices.size for block in blocks), blocks)
    offsets, before = [cp.zeros(1, index)], 0
    for block in blocks:
        offsets.append(block.indptr[1:].astype(index, copy=False) + index(before))
        before += block.indices.size
    return CONTAINERS["csr", is_array]._made(
        cp.concatenate([block.data.astype(wide, copy=False) for block in blocks]),
        cp.concatenate([block.indices.astype(index, copy=False) for block in blocks]),
        cp.concatenate(offsets),
        shape,
        *_common_flags(blocks),
    )


def _beside(blocks: list[Any], dtype: Any, is_array: bool) -> Any:
    """Arrays in the format CSR side by side."""
    if len(blocks) == 1:
        return blocks[0]
    heights = {block._shape2[0] for block in blocks}
    if len(heights) > 1:
        raise ValueError(f"Mismatching dimensions along axis 0: {heights}")
    shape = (heights.pop(), sum(block._shape2[1] for block in blocks))
    wide = upcast(*(block.dtype for block in blocks)) if dtype is None else checked_dtype(dtype)
    index = index_dtype(shape, sum(block.indices.size for block in blocks), blocks)
    row = cp.concatenate([block._rows().astype(index, copy=False) for block in blocks])
    columns, before = [], 0
    for block in blocks:
        columns.append(block.indices.astype(index, copy=False) + index(before))
        before += block._shape2[1]
    # Blocks come in order, so that a stable sort by rows keeps their columns in order.
    order = cp.argsort(row, kind="stable")
    data = cp.concatenate([block.data.astype(wide, copy=False) for block in blocks])
    indptr = sum((block.indptr.astype(index, copy=False) for block in blocks[1:]), blocks[0].indptr.astype(index))
    return CONTAINERS["csr", is_array]._made(
        data[order], cp.concatenate(columns)[order], indptr, shape, *_common_flags(blocks)
    )


def _common_flags(blocks: list[Any]) -> tuple[bool | None, bool | None]:
    """Whether all blocks are known to be sorted, and canonical."""
    return (
        True if all(block._sorted for block in blocks) else None,
        True if all(block._canonical for block in blocks) else None,
    )


@own_device
def block_array(blocks: Any, *, format: str | None = None, dtype: Any = None) -> Any:
    """A sparse array of blocks.

    Parameters
    ----------
    blocks : rows of arrays
        Dense or sparse; `None` is a block of zeros.
    format : str, optional
        The format of the result; by default that of the blocks if all are CSR in one column or CSC in one row, else
        COO.
    dtype : dtype, optional
        The type of the elements; by default one that holds those of all blocks.

    Returns
    -------
    array : sparse array

    Raises
    ------
    ValueError
        If the shapes of the blocks do not fit.

    See Also
    --------
    scipy.sparse.block_array : The class that this one follows.

    >>> import cuproxide as cp
    >>> from cuproxide.scipy import sparse
    >>> a = sparse.coo_array([[1, 2], [3, 4]])
    >>> sparse.block_array([[a, None], [None, [[5]]]]).toarray()
    array([[1, 2, 0],
           [3, 4, 0],
           [0, 0, 5]])
    """
    return _joined(_grid(blocks), format, dtype, True)


@own_device
def bmat(blocks: Any, format: str | None = None, dtype: Any = None) -> Any:
    """A sparse matrix of blocks, or a sparse array if one of them is; see `block_array` and `scipy.sparse.bmat`.

    >>> import cuproxide as cp
    >>> from cuproxide.scipy import sparse
    >>> sparse.bmat([[sparse.identity(2), None], [None, [[5.0]]]]).toarray()
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 5.]])
    """
    rows = _grid(blocks)
    return _joined(rows, format, dtype, any_array(*(block for row in rows for block in row)))


@own_device
def hstack(blocks: Any, format: str | None = None, dtype: Any = None) -> Any:
    """Sparse arrays side by side.

    Parameters
    ----------
    blocks : sequence of arrays, dense or sparse

    Returns
    -------
    array : sparse matrix, or sparse array if one of the blocks is

    >>> import cuproxide as cp
    >>> from cuproxide.scipy import sparse
    >>> sparse.hstack([sparse.csr_array([[1], [2]]), sparse.csr_array([[3], [4]])]).toarray()
    array([[1, 3],
           [2, 4]])
    """
    row = list(blocks)
    return _joined([row], format, dtype, any_array(*row))


@own_device
def vstack(blocks: Any, format: str | None = None, dtype: Any = None) -> Any:
    """Sparse arrays one above the other; see `hstack` and `scipy.sparse.vstack`.

    >>> import cuproxide as cp
    >>> from cuproxide.scipy import sparse
    >>> sparse.vstack([sparse.csr_array([[1, 2]]), sparse.csr_array([[3, 4]])]).toarray()
    array([[1, 2],
           [3, 4]])
    """
    column = list(blocks)
    return _joined([[block] for block in column], format, dtype, any_array(*column))


@own_device
def block_diag(mats: Any, format: str | None = None, dtype: Any = None) -> Any:
    """A sparse array with blocks on its diagonal.

    Parameters
    ----------
    mats : sequence of arrays, dense or sparse, or numbers
    format : str, optional
        The format of the result; COO by default.

    Returns
    -------
    array : sparse matrix, or sparse array if one of the blocks is

    >>> import cuproxide as cp
    >>> from cuproxide.scipy import sparse
    >>> sparse.block_diag([sparse.coo_array([[1, 2]]), [[3], [4]], 5]).toarray()
    array([[1, 2, 0, 0],
           [0, 0, 3, 0],
           [0, 0, 4, 0],
           [0, 0, 0, 5]])
    """
    parts = list(mats)
    is_array = any_array(*parts)
    found, top, left = [], 0, 0
    for part in parts:
        coo = as_coo(part if isinstance(part, sparse_base) else cp.atleast_2d(as_dense(part)), True)
        found.append((top, left, coo))
        top, left = top + coo._shape2[0], left + coo._shape2[1]
    index = index_dtype((top, left), of=[coo for _, _, coo in found])
    kind = CONTAINERS["coo", is_array]
    if not found:
        raise ValueError("need at least one array to concatenate")
    wide = upcast(*(coo.dtype for _, _, coo in found)) if dtype is None else checked_dtype(dtype)
    return kind._made(
        cp.concatenate([coo.data.astype(wide, copy=False) for _, _, coo in found]),
        (
            cp.concatenate([coo.row.astype(index, copy=False) + index(top) for top, _, coo in found]),
            cp.concatenate([coo.col.astype(index, copy=False) + index(left) for _, left, coo in found]),
        ),
        (top, left),
    ).asformat(format)
