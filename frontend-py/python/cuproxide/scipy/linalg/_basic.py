"""Linear systems, inverses and determinants."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ... import linalg as _numpy
from ... import tril, triu
from ..._cuproxide import ndarray
from ..._typing import ArrayLike
from ...fft._callbacks import without
from ._banded import gather_band, solve_banded
from ._common import (
    LinAlgError,
    adjoint,
    complain,
    epsilon,
    identity,
    matrices,
    together,
    triangular,
    ufuncs,
)
from ._factors import cho_factor, cho_solve
from ._structured import toeplitz

_STRUCTURES: dict[str | None, str] = {
    None: "general",
    "gen": "general",
    "sym": "symmetric",
    "her": "hermitian",
    "pos": "positive definite",
    **{
        name: name
        for name in (
            "general",
            "symmetric",
            "hermitian",
            "positive definite",
            "diagonal",
            "tridiagonal",
            "banded",
            "upper triangular",
            "lower triangular",
        )
    },
}


def solve(
    a: ArrayLike,
    b: ArrayLike,
    lower: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    assume_a: str | None = None,
    transposed: bool = False,
) -> ndarray:
    """`x` of `a @ x = b` (or with the transpose of `a`) for square matrices.

    `assume_a` promises a structure: "symmetric", "hermitian" and "positive definite" read one triangle, `lower` or not;
    the triangular, diagonal and tridiagonal ones read what their names say; the others are solved as general ones.
    `overwrite_a` and `overwrite_b` change nothing.

    Parameters
    ----------
    overwrite_a, overwrite_b : bool
        Taken for compatibility; the input is never overwritten.
    transposed : bool
        Whether to solve with the transpose.

    Raises
    ------
    LinAlgError
        If a matrix is singular; unlike in SciPy, nothing warns of ill-conditioned ones.

    >>> cp.scipy.linalg.solve(cp.asarray([[2.0, 1.0], [1.0, 3.0]]), cp.asarray([3.0, 4.0])).round(6)
    array([1., 1.])
    """
    if assume_a not in _STRUCTURES:
        raise ValueError(f"{assume_a} is not a recognized matrix structure")
    structure = _STRUCTURES[assume_a]
    a, b, vector = together(matrices(a, check_finite, square=True), b, check_finite)
    if structure == "positive definite":
        if transposed:
            # The transpose is the conjugate.
            result = cho_solve(cho_factor(a, lower, check_finite=False), b.conj(), check_finite=False).conj()
        else:
            result = cho_solve(cho_factor(a, lower, check_finite=False), b, check_finite=False)
    elif structure in ("upper triangular", "lower triangular", "diagonal"):
        diagonal = a.diagonal(0, -2, -1)
        complain(diagonal == 0, "a singular matrix detected")
        if structure == "diagonal":
            result = b / diagonal[..., None]
        else:
            result = triangular(a, b, structure == "lower triangular", int(transposed))
    elif structure == "tridiagonal":
        band = gather_band(_core.moveaxis(a, -1, -2) if transposed else a, 1, 1)
        result = solve_banded((1, 1), band, b, check_finite=False)
    else:
        if structure in ("symmetric", "hermitian"):
            half = tril(a, -1) if lower else triu(a, 1)
            other = adjoint(half) if structure == "hermitian" else _core.moveaxis(half, -1, -2)
            a = (tril(a) if lower else triu(a)) + other
        result = _numpy.solve(_core.moveaxis(a, -1, -2) if transposed else a, b)
    return result[..., 0] if vector else result


def inv(
    a: ArrayLike,
    overwrite_a: bool = False,
    check_finite: bool = True,
    *,
    assume_a: str | None = None,
    lower: bool = False,
) -> ndarray:
    """The inverses of square matrices; `assume_a` and `lower` as in `solve`.

    >>> cp.scipy.linalg.inv(cp.asarray([[2.0, 0.0], [0.0, 4.0]]))
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    a = matrices(a, check_finite, square=True)
    if assume_a is None:
        return _numpy.inv(a)
    return solve(a, _core.broadcast_to(identity(a), a.shape), lower, check_finite=False, assume_a=assume_a)


def det(a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True) -> ndarray:
    """The determinants of square matrices, in double precision.

    >>> round(float(cp.scipy.linalg.det(cp.asarray([[2.0, 1.0], [1.0, 3.0]]))), 6)
    5.0
    """
    a = matrices(a, check_finite, square=True)
    return _numpy.det(a.astype(np.result_type(a.dtype, np.float64), copy=False))


def lstsq(
    a: ArrayLike,
    b: ArrayLike,
    cond: float | None = None,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    lapack_driver: str | None = None,
) -> tuple[ndarray, ndarray, int | ndarray, ndarray | None]:
    """The `x` of least norm that minimises `norm(b - a @ x)`, with residuals, the rank and singular values of `a`.

    The residuals are the squared norms for more rows than columns, NaN where the columns are dependent, and an empty
    array otherwise and for "gelsy", as in SciPy 1.18. The ranks of a stack are an array.

    Singular values at most `cond` times the largest count as zero, by default the machine epsilon. `lapack_driver` is
    checked and otherwise ignored, but "gelsy" returns no singular values.

    Parameters
    ----------
    cond : float, optional
        The ratio to the largest singular value below which others count as zero.
    overwrite_a, overwrite_b : bool
        Taken for compatibility; the input is never overwritten.

    Returns
    -------
    tuple of solution, residuals, rank and singular values

    >>> cp.scipy.linalg.lstsq(cp.asarray([[2.0, 1.0], [1.0, 3.0]]), cp.asarray([3.0, 4.0]))[0].round(6)
    array([1., 1.])
    """
    if lapack_driver not in (None, "gelsd", "gelsy", "gelss"):
        raise ValueError(f'LAPACK driver "{lapack_driver}" is not found')
    a, b, vector = together(matrices(a, check_finite), b, check_finite)
    rows, unknowns = a.shape[-2:]
    stack = _core.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    # As in numpy.linalg.lstsq, single precision is computed in double.
    double, real = np.result_type(a.dtype, np.float64), a.real.dtype
    wide, right = a.astype(double, copy=False), b.astype(double, copy=False)
    u, values, vh = _numpy.svd(wide, full_matrices=False)
    if values.size == 0:
        x = _core.zeros((*stack, unknowns, b.shape[-1]), double)
        rank = _core.zeros(a.shape[:-2], np.int64)
    else:
        limit = epsilon(a) if cond is None or cond < 0 else cond
        large = values > values.max(-1, None, True) * limit
        rank = large.sum(-1)
        scales = _core.where(large, 1 / _core.where(large, values, values.dtype.type(1)), values.dtype.type(0))
        x = _core.matmul(adjoint(vh), scales[..., None] * _core.matmul(adjoint(u), right))
    if rows <= unknowns or lapack_driver == "gelsy":
        residuals = _core.empty((*stack, 0), real)
    else:
        absolute = ufuncs["absolute"](right - _core.matmul(wide, x))
        full = (rank == unknowns)[..., None]
        residuals = _core.where(full, (absolute * absolute).sum(-2), np.float64(np.nan)).astype(real, copy=False)
        residuals = residuals[..., 0] if vector else residuals
    x = x.astype(a.dtype, copy=False)
    if stack != a.shape[:-2]:
        rank = _core.broadcast_to(rank, stack).copy()
        values = _core.broadcast_to(values, (*stack, values.shape[-1])).copy()
    values = None if lapack_driver == "gelsy" else values.astype(real, copy=False)
    return x[..., 0] if vector else x, residuals, rank if stack else int(rank), values


def _inverted(values: ndarray, limit: ndarray | float) -> ndarray:
    one = values.dtype.type(1)
    large = ufuncs["absolute"](values) > limit
    return _core.where(large, one / _core.where(large, values, one), values.dtype.type(0))


def _limit(a: ndarray, largest: ndarray, atol: float | None, rtol: float | None) -> ndarray:
    if (atol is not None and atol < 0) or (rtol is not None and rtol < 0):
        raise ValueError("atol and rtol values must be positive.")
    if rtol is None:
        rtol = max(a.shape[-2:]) * epsilon(a) if not atol else 0.0
    return largest * largest.dtype.type(rtol) + largest.dtype.type(atol or 0.0)


def pinv(
    a: ArrayLike,
    *,
    atol: float | None = None,
    rtol: float | None = None,
    return_rank: bool = False,
    check_finite: bool = True,
) -> ndarray | tuple[ndarray, ndarray]:
    """The Moore-Penrose pseudo-inverses; singular values at most `atol + rtol * largest` count as zero.

    With `return_rank` also how many did not.

    >>> cp.scipy.linalg.pinv(cp.asarray([[2.0, 0.0]])).round(6)
    array([[0.5],
           [0. ]])
    """
    a = matrices(a, check_finite)
    if a.size == 0:
        empty = _core.empty((*a.shape[:-2], a.shape[-1], a.shape[-2]), a.dtype)
        return (empty, _core.zeros(a.shape[:-2], np.int64)) if return_rank else empty
    u, s, vh = _numpy.svd(a, full_matrices=False)
    limit = _limit(a, s.max(-1, None, True), atol, rtol)
    result = _core.matmul(adjoint(vh) * _inverted(s, limit)[..., None, :], adjoint(u))
    return (result, (s > limit).sum(-1)) if return_rank else result


def pinvh(
    a: ArrayLike,
    atol: float | None = None,
    rtol: float | None = None,
    lower: bool = True,
    return_rank: bool = False,
    check_finite: bool = True,
) -> ndarray | tuple[ndarray, ndarray]:
    """As `pinv`, for Hermitian matrices given by a triangle.

    >>> cp.scipy.linalg.pinvh(cp.asarray([[2.0, 0.0], [0.0, 4.0]])).round(6)
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    a = matrices(a, check_finite, square=True)
    if a.size == 0:
        empty = _core.empty_like(a)
        return (empty, _core.zeros(a.shape[:-2], np.int64)) if return_rank else empty
    values, vectors = _numpy.eigh(a, "L" if lower else "U")
    size = ufuncs["absolute"](values)
    limit = _limit(a, size.max(-1, None, True), atol, rtol)
    result = _core.matmul(vectors * _inverted(values, limit)[..., None, :], adjoint(vectors))
    return (result, (size > limit).sum(-1)) if return_rank else result


# Systems whose matrices are given by a few numbers.


def _column_and_row(c_or_cr: Any, name: str = "c_or_cr") -> tuple[ndarray, ndarray]:
    from ..._lib.conversions import as_array

    if isinstance(c_or_cr, tuple):
        c, r = (as_array(part) for part in c_or_cr)
    else:
        c = as_array(c_or_cr)
        r = c.conj() if c.dtype.kind == "c" else c
    return c, r


def solve_toeplitz(c_or_cr: Any, b: ArrayLike, check_finite: bool = True) -> ndarray:
    """`x` of `toeplitz(c, r) @ x = b`, by LU of the whole matrix.

    >>> cp.scipy.linalg.solve_toeplitz([2.0, 0.0], cp.asarray([2.0, 4.0])).round(6)
    array([1., 2.])
    """
    return solve(toeplitz(*_column_and_row(c_or_cr)), b, check_finite=check_finite)


@without
def matmul_toeplitz(c_or_cr: Any, x: ArrayLike, check_finite: bool = False, workers: int | None = None) -> ndarray:
    """`toeplitz(c, r) @ x` by Fourier transforms; `workers` changes nothing.

    Parameters
    ----------
    x : array_like
        The right factor.
    workers : int, optional
        Taken for compatibility; the device decides how it works.

    >>> cp.scipy.linalg.matmul_toeplitz([1.0, 2.0], [1.0, 1.0]).round(6)
    array([3., 3.])
    """
    from ... import concatenate, fft
    from ..._lib.conversions import as_array
    from ._common import computed, finite

    c, r = (finite(part, check_finite) for part in _column_and_row(c_or_cr))
    x = finite(as_array(x), check_finite)
    vector = x.ndim == 1
    columns = x[:, None] if vector else x
    rows, length = c.shape[-1], r.shape[-1]
    if columns.shape[-2] != length:
        raise ValueError(f"incompatible dimensions: the matrix has {length} columns, x has {columns.shape[-2]} rows")
    dtype = computed(c, r, columns)
    if columns.size == 0 or rows == 0:
        result = _core.zeros((*columns.shape[:-2], rows, columns.shape[-1]), dtype)
        return result[..., 0] if vector else result
    points = rows + length - 1
    # The matrix is the corner of a circulant one.
    first = concatenate([c, r[..., :0:-1]], axis=-1).astype(dtype, copy=False)[..., None]
    columns = columns.astype(dtype, copy=False)
    if dtype.kind == "c":
        product = fft.ifft(fft.fft(first, points, -2) * fft.fft(columns, points, -2), points, -2)
    else:
        product = fft.irfft(fft.rfft(first, points, -2) * fft.rfft(columns, points, -2), points, -2)
    result = product[..., :rows, :].astype(dtype, copy=False)
    return result[..., 0] if vector else result


@without
def solve_circulant(
    c: ArrayLike,
    b: ArrayLike,
    singular: str = "raise",
    tol: float | None = None,
    caxis: int = -1,
    baxis: int = 0,
    outaxis: int = 0,
) -> ndarray:
    """`x` of `circulant(c) @ x = b` by Fourier transforms along the named axes.

    A matrix is singular if a spectral value is at most `tol`, by default float64's epsilon times the length times the
    largest: `LinAlgError`, or with `singular="lstsq"` the least-squares solution.

    Parameters
    ----------
    singular : {'raise', 'lstsq'}
        What happens if the matrix is singular.
    caxis : int
        The axis of `c`.
    baxis : int
        The axis of `b`.
    outaxis : int
        The axis of the result.

    >>> cp.scipy.linalg.solve_circulant([2.0, 0.0], [2.0, 4.0]).round(6)
    array([1., 2.])
    """
    from ... import fft
    from ..._lib.conversions import as_array

    if singular not in ("raise", "lstsq"):
        raise ValueError(f"singular must be 'raise' or 'lstsq' (got {singular!r})")
    c, b = as_array(c), as_array(b)
    c = _core.moveaxis(c if c.ndim else c.reshape(1), caxis, -1)
    b = _core.moveaxis(b if b.ndim else b.reshape(1), baxis, -1)
    if b.shape[-1] != c.shape[-1]:
        raise ValueError(f"Shapes of c {c.shape} and b {b.shape} are incompatible")
    if b.size == 0:
        nothing = _core.empty(b.shape, np.result_type(c.dtype, b.dtype, np.float32))
        return _core.moveaxis(nothing, -1, outaxis)
    spectrum = fft.fft(c)
    size = ufuncs["absolute"](spectrum)
    # With SciPy's rule for a tolerance.
    limit = size.max(-1, None, True) * c.shape[-1] * float(np.finfo(np.float64).eps) if tol is None else tol
    small = size <= limit
    if bool(small.any()):
        if singular == "raise":
            raise LinAlgError("near singular circulant matrix.")
        spectrum = _core.where(small, spectrum.dtype.type(1), spectrum)
        quotient = _core.where(small, spectrum.dtype.type(0), fft.fft(b) / spectrum)
    else:
        quotient = fft.fft(b) / spectrum
    result = fft.ifft(quotient)
    if c.dtype.kind != "c" and b.dtype.kind != "c":
        result = result.real
    return _core.moveaxis(result, -1, outaxis)


__all__ = [
    "det",
    "inv",
    "lstsq",
    "matmul_toeplitz",
    "pinv",
    "pinvh",
    "solve",
    "solve_circulant",
    "solve_toeplitz",
]
