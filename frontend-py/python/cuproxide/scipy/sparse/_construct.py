"""Sparse arrays of a given kind, and arrays made of others."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

import cuproxide as cp

from ._checks import as_dense, checked_dtype, index_dtype, is_integer, is_scalar, upcast
from ._devices import outside, own_device
from ._kinds import CONTAINERS, Sparse

__all__ = [
    "diags",
    "diags_array",
    "expand_dims",
    "eye",
    "eye_array",
    "identity",
    "kron",
    "kronsum",
    "matrix_transpose",
    "permute_dims",
    "spdiags",
    "swapaxes",
]

_NOT_GIVEN: Any = object()


def any_array(*parts: Any) -> bool:
    """Whether one of these is a sparse array, and no matrix."""
    return any(isinstance(part, Sparse) and part._is_array for part in parts)


def as_coo(a: Any, is_array: bool) -> Any:
    """Any array in the format COO."""
    if not isinstance(a, Sparse):
        return CONTAINERS["coo", is_array](a)
    made: Any = a
    return made.tocoo(copy=False)


# ---------------------------------------------------------------------------------------------------------- diagonals


@own_device
def diags_array(
    diagonals: Any, /, *, offsets: Any = 0, shape: Any = None, format: str | None = None, dtype: Any = _NOT_GIVEN
) -> Any:
    """A sparse array of diagonals.

    Parameters
    ----------
    diagonals : sequence of arrays
        A number, or an array of one element, is repeated.
    offsets : int or sequence of int
        The diagonals' places, counted from the main one upwards.
    shape : tuple of int, optional
        The lengths; without it a square that holds the first diagonal.
    format : str, optional
        The format of the result; DIA by default.
    dtype : dtype, optional
        The type of the elements; `None` takes that of the diagonals, and without it integers become floating point
        numbers, with a warning, as in SciPy.

    Returns
    -------
    array : sparse array

    Raises
    ------
    ValueError
        If diagonals and offsets do not fit each other or the shape.

    See Also
    --------
    scipy.sparse.diags_array : The class that this one follows.

    >>> import cuproxide as cp
    >>> from cuproxide.scipy import sparse
    >>> sparse.diags_array([-1.0, [1.0, 2.0, 3.0]], offsets=[1, 0], shape=(3, 3)).toarray()
    array([[ 1., -1.,  0.],
           [ 0.,  2., -1.],
           [ 0.,  0.,  3.]])
    """
    if is_scalar(offsets):
        if len(diagonals) == 0 or is_scalar(diagonals[0]):
            parts = [cp.atleast_1d(as_dense(diagonals))]
        else:
            raise ValueError("Different number of diagonals and offsets.")
        places = [int(offsets)]
    else:
        parts = [cp.atleast_1d(as_dense(diagonal)) for diagonal in diagonals]
        places = [int(offset) for offset in (offsets.tolist() if hasattr(offsets, "tolist") else offsets)]
    if len(parts) != len(places):
        raise ValueError("Different number of diagonals and offsets.")
    if shape is None:
        length = parts[0].size + abs(places[0])
        shape = (length, length)
    natural = np.result_type(*(part.dtype for part in parts))
    if dtype is None:
        dtype = natural
    elif dtype is _NOT_GIVEN:
        # Beside floats integers count as float64, as in `numpy.common_type`.
        floats = (part.dtype if part.dtype.kind in "fc" else np.dtype(np.float64) for part in parts)
        dtype = np.result_type(*floats)
        if dtype != natural:
            warnings.warn(
                f"Input has data type {natural}, but the output has been cast to {dtype}. In the future, the output "
                "data type will match the input. To avoid this warning, set the `dtype` parameter to `None` to have "
                "the output dtype match the input, or set it to the desired output data type.",
                FutureWarning,
                stacklevel=outside(),
            )
    rows, columns = (int(length) for length in shape)
    width = max(0, *(min(rows + place, columns - place) + max(0, place) for place in places))
    data = cp.zeros((len(places), width), checked_dtype(dtype))
    for number, (part, place) in enumerate(zip(parts, places, strict=True)):
        length = min(rows + place, columns - place, rows, columns)
        if length < 0:
            raise ValueError(f"Offset {place} (index {number}) out of bounds")
        if part.size not in (1, length) and part.size < length:
            raise ValueError(
                f"Diagonal length (index {number}: {part.size} at offset {place}) does not agree with array size "
                f"({rows}, {columns})."
            )
        first = max(0, place)
        data[number, first : first + length] = part[..., :length]
    made = CONTAINERS["dia", True]((data, places), shape=(rows, columns))
    return made.asformat(format)


@own_device
def diags(
    diagonals: Any, offsets: Any = 0, shape: Any = None, format: str | None = None, dtype: Any = _NOT_GIVEN
) -> Any:
    """A sparse matrix of diagonals; see `diags_array` and `scipy.sparse.diags`.

    Parameters
    ----------
    diagonals : sequence of array_like
        The diagonals.
    offsets : int or sequence of int
        Their numbers: 0 is the main one, positive ones are above it.

    >>> import cuproxide as cp
    >>> from cuproxide.scipy import sparse
    >>> sparse.diags([[1.0, 2.0]], [1]).toarray()
    array([[0., 1., 0.],
           [0., 0., 2.],
           [0., 0., 0.]])
    """
    made = diags_array(diagonals, offsets=offsets, shape=shape, dtype=dtype)
    return CONTAINERS["dia", False](made).asformat(format)


@own_device
def spdiags(data: Any, diags: Any, m: Any = None, n: Any = None, format: str | None = None) -> Any:
    """A sparse matrix whose diagonals are the rows of `data`; see `dia_matrix` and `scipy.sparse.spdiags`.

    Parameters
    ----------
    data : 2-d array
    diags : sequence of int
        The place of each row, counted from the main diagonal upwards.
    m, n : int, optional
        The lengths, which `m` may hold both.

    >>> sparse.spdiags(cp.array([[1, 2, 3], [4, 5, 6]]), [0, -1], 3, 3).toarray()
    array([[1, 0, 0],
           [4, 2, 0],
           [0, 5, 3]])
    """
    if m is None and n is None:
        m = n = len(data[0]) if not hasattr(data, "shape") else data.shape[-1]
    elif n is None:
        m, n = m
    return CONTAINERS["dia", False]((data, diags), shape=(m, n)).asformat(format)


def _eye(m: Any, n: Any, k: int, dtype: Any, format: str | None, is_array: bool) -> Any:
    m, n = int(m), int(m if n is None else n)
    dtype = checked_dtype(dtype)
    if m == n and k == 0 and format in ("csr", "csc", "coo"):
        index = index_dtype((n,))
        data, places = cp.ones(n, dtype), cp.arange(n, dtype=index)
        kind = CONTAINERS[format, is_array]
        if format == "coo":
            return kind._made(data, (places, places), (n, n), True)
        return kind._made(data, places, cp.arange(n + 1, dtype=index), (n, n), canonical=True)
    if min(m + k, n - k, m, n) < 0:
        raise ValueError(f"Offset {k} (index 0) out of bounds")
    data = cp.ones((1, max(0, min(m + k, n))), dtype)
    return CONTAINERS["dia", is_array]((data, [k]), shape=(m, n)).asformat(format)


def eye_array(m: Any, n: Any = None, *, k: int = 0, dtype: Any = float, format: str | None = None) -> Any:
    """A sparse array with ones on a diagonal.

    Parameters
    ----------
    m, n : int
        The lengths; equal if `n` is not given.
    dtype : dtype
    format : str, optional
        The format of the result; DIA by default.

    >>> cp.scipy.sparse.eye_array(2, 3, k=1).toarray()
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    return _eye(m, n, k, dtype, format, True)


def eye(m: Any, n: Any = None, k: int = 0, dtype: Any = float, format: str | None = None) -> Any:
    """A sparse matrix with ones on a diagonal; see `eye_array` and `scipy.sparse.eye`.

    Parameters
    ----------
    k : int
        The number of the diagonal: 0 is the main one, positive ones are above it.

    >>> cp.scipy.sparse.eye(2, dtype=int).toarray()
    array([[1, 0],
           [0, 1]])
    """
    return _eye(m, n, k, dtype, format, False)


def identity(n: Any, dtype: Any = "d", format: str | None = None) -> Any:
    """The sparse identity matrix; see `eye` and `scipy.sparse.identity`.

    >>> cp.scipy.sparse.identity(2, format="csr").toarray()
    array([[1., 0.],
           [0., 1.]])
    """
    return _eye(n, n, 0, dtype, format, False)


# ----------------------------------------------------------------------------------------------------------- products


@own_device
def kron(A: Any, B: Any, format: str | None = None) -> Any:
    """The Kronecker product.

    Parameters
    ----------
    A, B : array or sparse array
    format : str, optional
        The format of the result; by default BSR if at least half of `B` is stored, else COO.

    Returns
    -------
    product : sparse matrix, or sparse array if one of the operands is

    >>> import cuproxide as cp
    >>> from cuproxide.scipy import sparse
    >>> sparse.kron(sparse.csr_array([[0, 2], [5, 0]]), sparse.csr_array([[1, 2], [3, 4]])).toarray()
    array([[ 0,  0,  2,  4],
           [ 0,  0,  6,  8],
           [ 5, 10,  0,  0],
           [15, 20,  0,  0]])
    """
    is_array = any_array(A, B)
    coo = CONTAINERS["coo", is_array]
    a, b = coo(as_coo(A, is_array)), coo(as_coo(B, is_array))
    ndim = max(a.ndim, b.ndim)
    ones_a, ones_b = (1,) * (ndim - a.ndim), (1,) * (ndim - b.ndim)
    shape = tuple(x * y for x, y in zip(ones_a + a.shape, ones_b + b.shape, strict=True))
    dtype = upcast(a.dtype, b.dtype)
    is_dense = format in (None, "bsr") and a.ndim == b.ndim == 2 and 2 * b.nnz >= math.prod(b.shape)
    if not a.nnz or not b.nnz:
        return coo(shape, dtype=dtype).asformat(format)
    if is_dense:
        rows = a.tocsr()
        data = rows.data.astype(dtype, copy=False)[:, None, None] * b.toarray().astype(dtype, copy=False)
        return CONTAINERS["bsr", is_array]._made(data, rows.indices, rows.indptr, shape, True, True)
    index = np.int64 if ndim > 2 else index_dtype(shape, of=(a, b))
    count = b.nnz
    coords = []
    for axis in range(ndim):
        x, y = axis - len(ones_a), axis - len(ones_b)
        length = b.shape[y] if y >= 0 else 1
        part: Any = cp.zeros((a.nnz, 1), index) if x < 0 else a.coords[x].astype(index)[:, None] * index(length)
        part = part + (b.coords[y].astype(index) if y >= 0 else cp.zeros(count, index))
        coords.append(part.reshape(-1))
    data = (a.data.astype(dtype, copy=False)[:, None] * b.data.astype(dtype, copy=False)).reshape(-1)
    return coo._made(data, tuple(coords), shape).asformat(format)


@own_device
def kronsum(A: Any, B: Any, format: str | None = None) -> Any:
    """The Kronecker sum of square matrices: `kron(eye(n), A) + kron(B, eye(m))`.

    Parameters
    ----------
    A, B : square array or sparse array

    Raises
    ------
    ValueError
        If an operand is not square.

    >>> import cuproxide as cp
    >>> from cuproxide.scipy import sparse
    >>> sparse.kronsum(sparse.csr_array([[1, 2], [3, 4]]), sparse.csr_array([[5]])).toarray()
    array([[6, 2],
           [3, 9]])
    """
    is_array = any_array(A, B)
    coo = CONTAINERS["coo", is_array]
    a, b = coo(as_coo(A, is_array)), coo(as_coo(B, is_array))
    for name, x in (("A", a), ("B", b)):
        if x.ndim != 2:
            raise ValueError(f"kronsum requires 2D inputs. `{name}` is {x.ndim}D.")
        if x.shape[0] != x.shape[1]:
            raise ValueError(f"{name} is not square")
    dtype = upcast(a.dtype, b.dtype)
    left = kron(_eye(b.shape[0], None, 0, dtype, "coo", is_array), a, format="coo")
    right = kron(b, _eye(a.shape[0], None, 0, dtype, "coo", is_array), format="coo")
    return (left + right).asformat(format)


# --------------------------------------------------------------------------------------------------------------- axes


@own_device
def expand_dims(A: Any, /, *, axis: Any = 0) -> Any:
    """A sparse array with a new axis of length one; in the format COO.

    Parameters
    ----------
    axis : int
        Where the new axis is.

    >>> import cuproxide as cp
    >>> from cuproxide.scipy import sparse
    >>> sparse.expand_dims(sparse.csr_array([[1, 0], [2, 0]]), axis=1).shape
    (2, 1, 2)
    """
    if not is_integer(axis):
        raise ValueError(f"axis must be an integer, not {axis!r}")
    if not -A.ndim - 1 <= axis <= A.ndim:
        raise ValueError(f"Invalid axis {axis}. Must be between {-A.ndim - 1} and {A.ndim}")
    place = axis % (A.ndim + 1)
    coo = A.tocoo(copy=True)
    coords = (*coo.coords[:place], cp.zeros_like(coo.coords[0]), *coo.coords[place:])
    shape = (*coo.shape[:place], 1, *coo.shape[place:])
    if len(shape) > 2:
        coords = tuple(index.astype(np.int64, copy=False) for index in coords)
    return CONTAINERS["coo", True]._made(coo.data, coords, shape, coo._canonical)


@own_device
def permute_dims(A: Any, axes: Any = None, copy: bool = False) -> Any:
    """A sparse array with axes in another order; in the format COO unless the order stays.

    Parameters
    ----------
    axes : tuple of int, optional
        The order; reversed by default.
    copy : bool
        If false, memory may be shared.

    >>> import cuproxide as cp
    >>> from cuproxide.scipy import sparse
    >>> sparse.permute_dims(sparse.coo_array((2, 3, 4)), (1, 2, 0)).shape
    (3, 4, 2)
    """
    order = tuple(range(A.ndim))[::-1] if axes is None else axes
    if not isinstance(order, (tuple, list)):
        if not is_integer(order):
            raise TypeError(f"axis must be an integer/tuple of ints, not {type(order)}")
        order = (order,)
    if len(order) != A.ndim:
        raise ValueError(f"Incorrect number of axes: {len(order)} instead of {A.ndim}")
    for axis in order:
        if not is_integer(axis):
            raise TypeError(f"axis must be an integer. (given {axis})")
        if not -A.ndim <= axis < A.ndim:
            raise ValueError("axis out of range for ndim")
    order = tuple(int(axis) % A.ndim for axis in order)
    if len(set(order)) != len(order):
        raise ValueError("duplicate value in axis")
    if order == tuple(range(A.ndim)):
        return A.copy() if copy else A
    coo = A.tocoo(copy=copy)
    return coo._made(coo.data, tuple(coo.coords[axis] for axis in order), tuple(A.shape[axis] for axis in order))


@own_device
def matrix_transpose(A: Any) -> Any:
    """A sparse array with its last two axes exchanged.

    Parameters
    ----------
    A : sparse array with two axes or more

    Raises
    ------
    ValueError
        If there is one axis only.

    >>> import cuproxide as cp
    >>> from cuproxide.scipy import sparse
    >>> sparse.matrix_transpose(sparse.coo_array((2, 3, 4))).shape
    (2, 4, 3)
    """
    if A.ndim < 2:
        raise ValueError(f"matrix_transpose requires two axes or more, not {A.ndim}")
    return A.transpose() if A.ndim == 2 else swapaxes(A, -1, -2)


@own_device
def swapaxes(A: Any, axis1: Any, axis2: Any) -> Any:
    """A sparse array with two axes exchanged; in the format COO.

    Parameters
    ----------
    axis1, axis2 : int

    >>> import cuproxide as cp
    >>> from cuproxide.scipy import sparse
    >>> sparse.swapaxes(sparse.coo_array((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    axes = list(range(A.ndim))
    for axis in (axis1, axis2):
        if not -A.ndim <= axis < A.ndim:
            raise ValueError(f"Invalid axis: {axis} is out of bounds for ndim={A.ndim}")
    axes[axis1], axes[axis2] = axes[axis2], axes[axis1]
    return permute_dims(A, axes=tuple(axes), copy=True)
