"""Matrices with a structure, and tests for one."""

from __future__ import annotations

import functools
import math
import warnings
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ... import concatenate, eye, isclose
from ... import linalg as _norms
from ..._cuproxide import ndarray
from ..._lib.conversions import as_array, counting, is_complex
from ..._typing import ArrayLike
from ._common import adjoint, finite, transposed, ufuncs


def _conjugate(a: ndarray) -> ndarray:
    return a.conj() if a.dtype.kind == "c" else a


def _vector(a: ArrayLike) -> ndarray:
    """An array of at least one dimension; vectors lie along the last one."""
    a = as_array(a)
    return a.reshape(1) if a.ndim == 0 else a


def _by_index(values: ndarray, index: ndarray) -> ndarray:
    """Matrices of elements of the vectors in the last axis."""
    return values.take(index, axis=-1)


def toeplitz(c: ArrayLike, r: ArrayLike | None = None) -> ndarray:
    """Matrices with constant diagonals: first columns `c`, first rows `r` (the conjugate of `c` by default).

    `r[0]` is not used. Vectors lie along the last axis.

    Parameters
    ----------
    r : array_like, optional
        The first rows.

    >>> cp.scipy.linalg.toeplitz([1, 2, 3])
    array([[1, 2, 3],
           [2, 1, 2],
           [3, 2, 1]])
    """
    c = _vector(c)
    r = _conjugate(c) if r is None else _vector(r)
    rows, columns = c.shape[-1], r.shape[-1]
    stack = _core.broadcast_shapes(c.shape[:-1], r.shape[:-1])
    dtype = np.result_type(c.dtype, r.dtype)
    if rows == 0 or columns == 0:
        return _core.empty((*stack, rows, columns), dtype)
    parts = [c[..., ::-1], r[..., 1:]]
    parts = [_core.broadcast_to(part, (*stack, part.shape[-1])) for part in parts]
    index = counting(columns) - counting(rows)[:, None] + (rows - 1)
    return _by_index(concatenate(parts, axis=-1), index)


def hankel(c: ArrayLike, r: ArrayLike | None = None) -> ndarray:
    """Matrices with constant anti-diagonals: first columns `c`, last rows `r` (zeros by default).

    `r[0]` is not used. More than one dimension is flattened, with a `FutureWarning`.

    Parameters
    ----------
    r : array_like, optional
        The last rows.

    >>> cp.scipy.linalg.hankel([1, 2])
    array([[1, 2],
           [2, 0]])
    """
    c = _vector(c)
    r = _core.zeros_like(c) if r is None else _vector(r)
    if c.ndim > 1 or r.ndim > 1:
        warnings.warn(
            f"hankel takes arrays of {max(c.ndim, r.ndim)} dimensions as one vector, as SciPy does until 1.19. "
            "Give `ravel()` of them.",
            FutureWarning,
            stacklevel=2,
        )
        c, r = c.reshape(-1), r.reshape(-1)
    rows, columns = c.shape[0], r.shape[0]
    if rows == 0 or columns == 0:
        return _core.empty((rows, columns), np.result_type(c.dtype, r.dtype))
    return _by_index(concatenate([c, r[1:]]), counting(columns) + counting(rows)[:, None])


def circulant(c: ArrayLike) -> ndarray:
    """Matrices whose columns are the vectors `c`, turned on by one from column to column.

    See `scipy.linalg.circulant`.

    >>> cp.scipy.linalg.circulant([1, 2, 3])
    array([[1, 3, 2],
           [2, 1, 3],
           [3, 2, 1]])
    """
    c = _vector(c)
    n = c.shape[-1]
    if n == 0:
        return _core.empty((*c.shape, 0), c.dtype)
    return _by_index(c, (counting(n)[:, None] - counting(n)) % n)


def companion(a: ArrayLike) -> ndarray:
    """Companion matrices of polynomials with coefficients `a`, highest first. See `scipy.linalg.companion`.

    Parameters
    ----------
    a : array_like
        The coefficients, the highest power first.

    >>> cp.scipy.linalg.companion([1.0, 2.0, 3.0])
    array([[-2., -3.],
           [ 1.,  0.]])
    """
    a = as_array(a)
    if a.ndim == 0 or a.shape[-1] < 2:
        raise ValueError("The length of `a` along the last axis must be at least 2.")
    if bool((a[..., 0] == 0).any()):
        raise ValueError("The first coefficient(s) of `a` (i.e. elements of `a[..., 0]`) must not be zero.")
    first = -a[..., 1:] / (a[..., :1] * 1.0)
    n = first.shape[-1]
    result = _core.zeros((*first.shape, n), first.dtype)
    result[..., 0, :] = first
    result[..., 1:, :-1] = eye(n - 1, dtype=first.dtype)
    return result


def leslie(f: ArrayLike, s: ArrayLike) -> ndarray:
    """Leslie matrices: fecundities `f` in the first row, survival `s` below the diagonal.

    Parameters
    ----------
    f : array_like
        The fecundities.
    s : array_like
        The survivals.

    >>> cp.scipy.linalg.leslie([0.1, 2.0], [0.5])
    array([[0.1, 2. ],
           [0.5, 0. ]])
    """
    f, s = _vector(f), _vector(s)
    n = f.shape[-1]
    if s.shape[-1] != n - 1:
        raise ValueError(
            "The length of s must be one less than that of f: "
            f"Incorrect lengths for f and s. The length of s ({s.shape[-1]}) must be one less than {n}."
        )
    if s.shape[-1] == 0:
        raise ValueError("The length of s must be at least 1.")
    stack = _core.broadcast_shapes(f.shape[:-1], s.shape[:-1])
    result = _core.zeros((*stack, n, n), np.result_type(f.dtype, s.dtype))
    result[..., 0, :] = f
    result[..., counting(n - 1) + 1, counting(n - 1)] = s
    return result


def hadamard(n: int, dtype: Any = int) -> ndarray:
    """The Hadamard matrix of order `n`, a power of two, by Sylvester's construction.

    Parameters
    ----------
    dtype : dtype, optional
        The type of the result's elements.

    >>> cp.scipy.linalg.hadamard(2)
    array([[ 1,  1],
           [ 1, -1]])
    """
    if n < 1 or n & (n - 1):
        raise ValueError("n must be an positive integer, and n must be a power of 2")
    both = counting(n)[:, None] & counting(n)
    parity = both
    for shift in (32, 16, 8, 4, 2, 1):
        parity = parity ^ (parity >> shift)
    return (1 - 2 * (parity & 1)).astype(dtype)


def helmert(n: int, full: bool = False) -> ndarray:
    """The Helmert matrix of order `n`, without its first row unless `full`.

    Parameters
    ----------
    full : bool
        Whether the first row is kept.

    >>> cp.scipy.linalg.helmert(3).shape
    (2, 3)
    """
    row, column = counting(n)[:, None].astype(np.float64), counting(n).astype(np.float64)
    matrix = _core.where(column < row, 1.0, _core.where(column == row, -row, 0.0))
    scale = ufuncs["sqrt"](row * (row + 1))
    matrix = matrix / _core.where(row == 0, 1.0, scale)
    if n:
        matrix[0] = 1 / math.sqrt(n)
    return matrix if full else matrix[1:]


def hilbert(n: int) -> ndarray:
    """The Hilbert matrix of order `n`: 1 / (i + j + 1). See `scipy.linalg.hilbert`.

    >>> cp.scipy.linalg.hilbert(2)
    array([[1.        , 0.5       ],
           [0.5       , 0.33333333]])
    """
    return 1.0 / (1.0 + counting(n)[:, None] + counting(n))


def invhilbert(n: int, exact: bool = False) -> ndarray:
    """The inverse of the Hilbert matrix of order `n`, in float64, or `exact` in int64 for `n` below 15.

    `exact` matrices from order 15 on need integers that arrays here do not have: `ValueError`.

    >>> cp.scipy.linalg.invhilbert(2)
    array([[ 4., -6.],
           [-6., 12.]])
    """
    if exact and n > 14:
        raise ValueError(f"exact inverses of Hilbert matrices fit in int64 up to n = 14 (got {n})")
    # Entry (i, j): (-1)^(i+j) (i+j+1) C(n+i, n-j-1) C(n+j, n-i-1) C(i+j, i)^2, small integers of the host.
    table = [
        [
            (-1) ** (i + j)
            * (i + j + 1)
            * math.comb(n + i, n - j - 1)
            * math.comb(n + j, n - i - 1)
            * math.comb(i + j, i) ** 2
            for j in range(n)
        ]
        for i in range(n)
    ]
    return _core.array(np.array(table, np.int64 if exact else np.float64).reshape(n, n))


def pascal(n: int, kind: str = "symmetric", exact: bool = True) -> ndarray:
    """The Pascal matrix of order `n`: "symmetric", "lower" or "upper", in uint64, or float64 unless `exact`.

    `exact` matrices from order 35 on need integers that arrays here do not have: `ValueError`.

    >>> cp.scipy.linalg.pascal(3)
    array([[1, 1, 1],
           [1, 2, 3],
           [1, 3, 6]], dtype=uint64)
    """
    return _pascal(n, kind, exact, signed=False)


def invpascal(n: int, kind: str = "symmetric", exact: bool = True) -> ndarray:
    """The inverse of the Pascal matrix, in int64, or float64 unless `exact`.

    >>> cp.scipy.linalg.invpascal(2)
    array([[ 2, -1],
           [-1,  1]])
    """
    return _pascal(n, kind, exact, signed=True)


def _pascal(n: int, kind: str, exact: bool, signed: bool) -> ndarray:
    if kind not in ("symmetric", "lower", "upper"):
        raise ValueError("kind must be 'symmetric', 'lower', or 'upper'")
    if exact and n >= 35:
        raise ValueError(f"exact Pascal matrices fit in 64 bits up to n = 34 (got {n})")
    if signed and kind == "symmetric":
        # The product of the inverse factors, by exact integers of the host.
        lower = [[(-1) ** (i - j) * math.comb(i, j) if j <= i else 0 for j in range(n)] for i in range(n)]
        table = [[sum(lower[k][i] * lower[k][j] for k in range(max(i, j), n)) for j in range(n)] for i in range(n)]
    elif kind == "symmetric":
        table = [[math.comb(i + j, i) for j in range(n)] for i in range(n)]
    else:
        table = [
            [((-1) ** (i - j) if signed else 1) * math.comb(i, j) if j <= i else 0 for j in range(n)] for i in range(n)
        ]
        if kind == "upper":
            table = [list(row) for row in zip(*table, strict=True)]
    dtype = (np.int64 if signed else np.uint64) if exact else np.float64
    return _core.array(np.array(table, dtype).reshape(n, n))


def dft(n: int, scale: str | None = None) -> ndarray:
    """The matrix of the Fourier transform of `n` points, scaled by nothing, "sqrtn" or "n".

    Parameters
    ----------
    n : int
        The number of points.
    scale : {None, 'sqrtn', 'n'}, optional
        What the matrix is divided by.

    >>> cp.scipy.linalg.dft(2).real
    array([[ 1.,  1.],
           [ 1., -1.]])
    """
    if scale not in (None, "sqrtn", "n"):
        raise ValueError(f"scale must be None, 'sqrtn', or 'n'; {scale!r} is not valid.")
    # Angles from residues: exact for any n.
    turns = (counting(n)[:, None] * counting(n)) % max(n, 1)
    angles = turns.astype(np.float64) * (-2 * math.pi / max(n, 1))
    matrix = ufuncs["cos"](angles) + 1j * ufuncs["sin"](angles)
    return matrix if scale is None else matrix / (math.sqrt(n) if scale == "sqrtn" else n)


def fiedler(a: ArrayLike) -> ndarray:
    """The absolute differences of all pairs of numbers of a vector. See `scipy.linalg.fiedler`.

    Parameters
    ----------
    a : array_like
        The numbers.

    >>> cp.scipy.linalg.fiedler([1, 4])
    array([[0, 3],
           [3, 0]])
    """
    a = _vector(a)
    if a.size <= 1:
        # SciPy has these in double precision whatever they were.
        return _core.zeros((a.size, a.size), np.float64)
    return ufuncs["absolute"](a[..., :, None] - a[..., None, :])


def fiedler_companion(a: ArrayLike) -> ndarray:
    """Fiedler's companion matrices, of five diagonals, of polynomials. See `scipy.linalg.fiedler_companion`.

    Parameters
    ----------
    a : array_like
        The coefficients, the highest power first.

    >>> cp.scipy.linalg.fiedler_companion([1.0, 2.0, 3.0])
    array([[-2., -3.],
           [ 1.,  0.]])
    """
    a = _vector(a)
    if a.shape[-1] <= 2:
        if a.shape[-1] == 2:
            return -(a[..., 1:] / (a[..., :1] * 1.0))[..., None]
        return _core.empty((*a.shape[:-1], *(0,) * (1 + a.shape[-1])), a.dtype)
    if bool((a[..., 0] == 0).any()):
        raise ValueError("Leading coefficient is zero.")
    a = a / (a[..., :1] * 1.0)
    n = a.shape[-1] - 1
    c = _core.zeros((*a.shape[:-1], n, n), a.dtype)

    def put(rows: range, columns: range, values: Any) -> None:
        if len(rows):
            c[..., np.array(rows), np.array(columns)] = values

    put(range(3, n, 2), range(1, n - 2, 2), 1.0)
    put(range(2, n, 2), range(1, n - 1, 2), -a[..., 3::2])
    put(range(0, n - 2, 2), range(2, n, 2), 1.0)
    put(range(0, n - 1, 2), range(1, n, 2), -a[..., 2::2])
    c[..., 0, 0] = -a[..., 1]
    c[..., 1, 0] = 1.0
    return c


def convolution_matrix(a: ArrayLike, n: int, mode: str = "full") -> ndarray:
    """The matrix whose product with a vector of `n` elements is `convolve(a, v, mode)`.

    Parameters
    ----------
    a : array_like
        The sequence.
    n : int
        The number of columns.
    mode : {'full', 'valid', 'same'}
        Which shifts count.

    >>> cp.scipy.linalg.convolution_matrix([1, 2], 3)
    array([[1, 0, 0],
           [2, 1, 0],
           [0, 2, 1],
           [0, 0, 2]])
    """
    if n <= 0:
        raise ValueError("n must be a positive integer.")
    a = as_array(a)
    if a.size == 0 or a.ndim == 0:
        raise ValueError("len(a) must be at least 1.")
    if mode not in ("full", "valid", "same"):
        raise ValueError("'mode' argument must be one of ('full', 'valid', 'same')")
    zeros = _core.zeros((*a.shape[:-1], n - 1), a.dtype)
    whole = toeplitz(concatenate([a, zeros], axis=-1), concatenate([a[..., :1], zeros], axis=-1))
    if mode == "full":
        return whole
    trim = min(n, a.shape[-1]) - 1
    start, end = (trim // 2, trim - trim // 2) if mode == "same" else (trim, trim)
    return whole[..., start : whole.shape[-2] - end, :]


def block_diag(*arrs: ArrayLike) -> ndarray:
    """A matrix with the given ones along its diagonal and zeros elsewhere; stacks of them broadcast.

    See `scipy.linalg.block_diag`.

    >>> cp.scipy.linalg.block_diag(cp.ones((1, 2)), cp.ones((2, 1))).shape
    (3, 3)
    """
    parts = [as_array(part) for part in arrs] or [_core.zeros((1, 0), np.float64)]
    parts = [part.reshape(1, -1) if part.ndim < 2 else part for part in parts]
    stack = _core.broadcast_shapes(*(part.shape[:-2] for part in parts))
    rows, columns = (sum(part.shape[axis] for part in parts) for axis in (-2, -1))
    result = _core.zeros((*stack, rows, columns), functools.reduce(np.promote_types, (p.dtype for p in parts)))
    row = column = 0
    for part in parts:
        result[..., row : row + part.shape[-2], column : column + part.shape[-1]] = part
        row, column = row + part.shape[-2], column + part.shape[-1]
    return result


def khatri_rao(a: ArrayLike, b: ArrayLike) -> ndarray:
    """The Kronecker products of each column of `a` with the same column of `b`.

    Parameters
    ----------
    b : array_like
        The second matrix.

    >>> cp.scipy.linalg.khatri_rao(cp.ones((2, 3)), cp.ones((4, 3))).shape
    (8, 3)
    """
    a, b = as_array(a), as_array(b)
    if a.ndim < 2 or b.ndim < 2:
        raise ValueError("The both arrays should be 2-dimensional.")
    if a.shape[-1] != b.shape[-1]:
        raise ValueError("The number of columns for both arrays should be equal.")
    product = a[..., :, None, :] * b[..., None, :, :]
    return product.reshape(*product.shape[:-3], a.shape[-2] * b.shape[-2], product.shape[-1])


# Tests.


def bandwidth(a: ArrayLike) -> tuple[int, int] | tuple[ndarray, ndarray]:
    """How many diagonals below and above the main one hold something; arrays for a stack.

    Waits for the device. See `scipy.linalg.bandwidth`.

    >>> cp.scipy.linalg.bandwidth(cp.asarray([[1, 2], [0, 1]]))
    (0, 1)
    """
    a = as_array(a)
    if a.ndim < 2:
        raise ValueError("bandwidth is defined for matrices, of two dimensions")
    distance = counting(a.shape[-2])[:, None] - counting(a.shape[-1])
    filled = _core.where(a != 0, distance, np.int64(0))
    below, above = filled.max((-2, -1), initial=0), -filled.min((-2, -1), initial=0)
    return (int(below), int(above)) if a.ndim == 2 else (below, above)


def _is(a: ArrayLike, other: Any, atol: float | None, rtol: float | None) -> bool | ndarray:
    a = as_array(a)
    if a.ndim < 2:
        raise ValueError("Input of rank less than 2 is given, matrices have two dimensions")
    if a.shape[-1] != a.shape[-2]:
        raise ValueError("Input array must be square.")
    if a.size == 0 and a.ndim == 2:
        return True
    mirrored = other(a)
    if atol or rtol:
        near = isclose(a, mirrored, rtol=rtol or 0.0, atol=atol or 0.0)
    else:
        near = a == mirrored
        if other is transposed or not is_complex(a.dtype):
            # Each element of the diagonal equals itself, NaN too.
            index = counting(a.shape[-1])
            near = near | (index[:, None] == index)
    result = near.all((-2, -1))
    return bool(result) if a.ndim == 2 else result


def issymmetric(a: ArrayLike, atol: float | None = None, rtol: float | None = None) -> bool | ndarray:
    """Whether square matrices equal their transposes, exactly or within tolerances. Waits for the device.

    Exactly, the diagonal is not looked at. A stack gives an array of answers.

    >>> cp.scipy.linalg.issymmetric(cp.asarray([[2.0, 1.0], [1.0, 3.0]]))
    True
    """
    return _is(a, transposed, atol, rtol)


def ishermitian(a: ArrayLike, atol: float | None = None, rtol: float | None = None) -> bool | ndarray:
    """Whether square matrices equal their adjoints. See `issymmetric` and `scipy.linalg.ishermitian`.

    >>> cp.scipy.linalg.ishermitian(cp.asarray([[2.0, 1.0], [1.0, 3.0]]))
    True
    """
    return _is(a, adjoint, atol, rtol)


def norm(
    a: ArrayLike,
    ord: float | str | None = None,
    axis: int | tuple[int, int] | None = None,
    keepdims: bool = False,
    check_finite: bool = True,
) -> ndarray:
    """The norm of vectors or matrices; as `cuproxide.linalg.norm`.

    Parameters
    ----------
    ord : optional
        The order of the norm: a number, inf, -inf, 'fro' or 'nuc'.
    axis : int or pair of int, optional
        The axis of vectors, or the axes of matrices.
    keepdims : bool
        Whether reduced axes stay, with length 1.

    >>> cp.scipy.linalg.norm(cp.asarray([3.0, 4.0]))
    array(5.)
    """
    return _norms.norm(finite(as_array(a), check_finite), ord, axis, keepdims)


__all__ = [
    "bandwidth",
    "block_diag",
    "circulant",
    "companion",
    "convolution_matrix",
    "dft",
    "fiedler",
    "fiedler_companion",
    "hadamard",
    "hankel",
    "helmert",
    "hilbert",
    "invhilbert",
    "invpascal",
    "ishermitian",
    "issymmetric",
    "khatri_rao",
    "leslie",
    "norm",
    "pascal",
    "toeplitz",
]
