"""Decompositions of matrices."""

from __future__ import annotations

import contextlib
import warnings
from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.linalg import LinAlgError

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.conversions import adjoint, as_array, is_complex, transposed
from .._lib.solvers import checks_linalg, solver_dtype
from .._lib.ufuncs import NUMPY as _ufuncs
from .._typing import ArrayLike, DTypeLike
from .creation import ascontiguousarray
from .polar import by_size, polar_svd
from .special_matrices import tril, triu


class EigResult(NamedTuple):
    """Eigenvalues and right eigenvectors of general matrices."""

    eigenvalues: ndarray
    eigenvectors: ndarray


class EighResult(NamedTuple):
    """Eigenvalues, ascending, and eigenvectors of Hermitian matrices."""

    eigenvalues: ndarray
    eigenvectors: ndarray


class QRResult(NamedTuple):
    """A unitary and an upper triangular factor."""

    Q: ndarray
    R: ndarray


class SVDResult(NamedTuple):
    """Left singular vectors, singular values, descending, and the adjoint of the right singular vectors."""

    U: ndarray
    S: ndarray
    Vh: ndarray


# Checks and conversions.


def stacked(a: ArrayLike) -> ndarray:
    a = as_array(a)
    if a.ndim < 2:
        raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")
    return a


def stacked_square(a: ArrayLike) -> ndarray:
    a = a if isinstance(a, ndarray) else as_array(a)
    shape = a.shape
    if len(shape) < 2 or shape[-1] != shape[-2]:
        stacked(a)
        raise LinAlgError("Last 2 dimensions of the array must be square")
    return a


def prepared(a: ndarray) -> ndarray:
    dtype = solver_dtype(a)
    # Each call of a function takes some hundredths of the determinant of a small matrix.
    return a if a.dtype is dtype else a.astype(dtype, copy=False)


def _double(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The double precision of a dtype that solvers compute in."""
    return np.result_type(dtype, np.float64)


def _check(info: ndarray, message: str, values: ndarray | None = None) -> None:
    """Raises what the solver reports; also for `values` with NaN, which some solvers call a success.

    Nothing is looked at where `errstate` says that failures are ignored.
    """
    if _failed(info, values):
        raise LinAlgError(message)


def _failed(info: ndarray, values: ndarray | None = None) -> bool:
    """Whether the solver reports a failure, or there is NaN; nothing is looked at where failures are ignored."""
    if not checks_linalg():
        return False
    # One number is read as it is.
    failed = info if info.ndim == 0 else info.any()
    if values is not None:
        failed = (failed != 0) | _ufuncs["isnan"](values).any()
    return bool(failed)


def _epsilon(dtype: DTypeLike) -> float:
    return float(np.finfo(dtype).eps)


# Decompositions.


def cholesky(a: ArrayLike, /, *, upper: bool = False) -> ndarray:
    """The lower factor `l` of `a = l @ l.conj().T` for positive definite matrices, or the upper factor.

    Only the lower (or upper) triangle of `a` is read.

    Parameters
    ----------
    upper : bool
        Whether to give the upper factor.

    Raises
    ------
    LinAlgError
        If a matrix is not positive definite.

    >>> cp.linalg.cholesky(cp.asarray([[4.0, 2.0], [2.0, 5.0]]))
    array([[2., 0.],
           [1., 2.]])
    """
    a = prepared(stacked_square(a))
    # The other triangle stays what it is: zero.
    factor, info = _core.cholesky(triu(a) if upper else tril(a), bool(upper))
    _check(info, "Matrix is not positive definite")
    return factor


def qr(a: ArrayLike, mode: str = "reduced") -> QRResult | ndarray | tuple[ndarray, ndarray]:
    """A unitary factor and an upper triangular one whose product is `a`.

    `mode` is "reduced", "complete", "r" for the triangular factor alone, or "raw" for the reflections (transposed) and
    their factors.

    Parameters
    ----------
    mode : {'reduced', 'complete', 'r', 'raw'}
        Which factors are returned.

    Returns
    -------
    QRResult, ndarray or tuple of ndarray

    >>> q, r = cp.linalg.qr(cp.asarray([[1.0, 2.0], [3.0, 4.0]]))
    >>> bool(cp.allclose(q @ r, cp.asarray([[1.0, 2.0], [3.0, 4.0]])))
    True
    """
    if mode in ("f", "full", "e", "economic"):
        wanted = "reduced" if mode in ("f", "full") else "economic"
        hint = " in favor of 'reduced'.\nFor backward compatibility let mode default." if wanted == "reduced" else "."
        option = "full" if wanted == "reduced" else "economic"
        warnings.warn(f"The '{option}' option is deprecated{hint}", DeprecationWarning, stacklevel=2)
        mode = wanted
    elif mode not in ("reduced", "complete", "r", "raw"):
        raise ValueError(f"Unrecognized mode '{mode}'")
    a = prepared(stacked(a))
    rows, columns = a.shape[-2:]
    single = a.dtype
    least = _core.double_from(a) if single.itemsize < 8 << (single.kind == "c") else None
    if least is not None and rows >= least:
        wide = qr(a.astype(np.result_type(single, np.float64)), mode)
        if isinstance(wide, ndarray):
            return wide.astype(single)
        first, second = (part.astype(single) for part in wide)
        return QRResult(first, second) if isinstance(wide, QRResult) else (first, second)
    reflections, tau = _core.qr_factor(a)
    if mode == "economic":
        return reflections
    if mode == "raw":
        return transposed(reflections), tau
    count = min(rows, columns)
    if mode == "r":
        return triu(reflections[..., :count, :])
    count = rows if mode == "complete" else count
    return QRResult(ascontiguousarray(_core.qr_vectors(reflections, tau, count)), triu(reflections[..., :count, :]))


@overload
def svd(
    a: ArrayLike, full_matrices: bool = True, compute_uv: Literal[True] = True, hermitian: bool = False
) -> SVDResult: ...
@overload
def svd(
    a: ArrayLike, full_matrices: bool = True, *, compute_uv: Literal[False], hermitian: bool = False
) -> ndarray: ...
@overload
def svd(a: ArrayLike, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any: ...
def svd(a: ArrayLike, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """The singular value decomposition `a = (u * s[..., None, :]) @ vh`, or the values alone.

    `hermitian` promises Hermitian matrices, which cost less.

    Parameters
    ----------
    full_matrices : bool
        Whether the unitary factors are square.
    compute_uv : bool
        Whether the unitary factors are computed too.

    Returns
    -------
    SVDResult or ndarray

    Raises
    ------
    LinAlgError
        If it does not converge.

    >>> cp.linalg.svd(cp.asarray([[3.0, 0.0], [0.0, 4.0]])).S.round(6)
    array([4., 3.])
    """
    if hermitian:
        return _hermitian_svd(a, compute_uv)
    a = prepared(stacked(a))
    if compute_uv and checks_linalg():
        # Which takes more memory than the vendor's way.
        with contextlib.suppress(_core.OutOfMemoryError):
            if (result := _svd_by_products(a, full_matrices)) is not None:
                return SVDResult(*map(ascontiguousarray, result))
    kind = ("full" if full_matrices else "thin") if compute_uv else "none"
    u, s, vh, info = _core.svd(a, kind)
    _check(info, "SVD did not converge", s)
    return SVDResult(ascontiguousarray(u), s, ascontiguousarray(vh)) if compute_uv else s


def _svd_by_products(a: ndarray, full: bool) -> SVDResult | None:
    """The decomposition where a device multiplies matrices much faster than it rotates them; `None` elsewhere."""
    rows, columns = a.shape[-2:]
    least = _core.polar_from(a)
    if least is None or min(rows, columns) < least:
        return None
    if rows < columns:
        other = _svd_by_products(transposed(a), full)
        return other and SVDResult(transposed(other.Vh), other.S, transposed(other.U))
    if rows == columns:
        made = polar_svd(a)
        return made and SVDResult(*made)
    # Of the triangular factor; the other columns of the unitary one stay.
    reflections, tau = _core.qr_factor(a)
    made = polar_svd(triu(reflections[..., :columns, :]))
    if made is None:
        return None
    basis = _core.qr_vectors(reflections, tau, rows if full else columns)
    u = _core.matmul(basis[..., :columns], made[0])
    if full:
        u = _core.concatenate([u, basis[..., columns:]], -1)
    return SVDResult(u, made[1], made[2])


def _hermitian_svd(a: ArrayLike, compute_uv: bool) -> SVDResult | ndarray:
    absolute = _ufuncs["absolute"]
    if not compute_uv:
        return _core.sort(absolute(eigvalsh(a)), -1)[..., ::-1]
    sign, s, u = by_size(*eigh(a))
    return SVDResult(u, s, adjoint(u * sign[..., None, :]))


def svdvals(x: ArrayLike, /) -> ndarray:
    """The singular values, descending. See `numpy.linalg.svdvals`.

    >>> cp.linalg.svdvals(cp.asarray([[3.0, 0.0], [0.0, 4.0]])).round(6)
    array([4., 3.])
    """
    return svd(x, compute_uv=False, hermitian=False)


def _is_upper(triangle: str) -> bool:
    triangle = triangle.upper()
    if triangle not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return triangle == "U"


def _hermitian(a: ArrayLike, vectors: bool, upper: bool) -> tuple[ndarray, ndarray | None]:
    """Eigenvalues, and vectors if asked for; `LinAlgError` if they do not converge."""
    a = prepared(stacked_square(a))
    values, found, info = _core.eigen_hermitian(a, vectors, upper)
    if _failed(info, values):
        # A vendor's solver may have left the range, as cuSOLVER does with complex numbers of 1e200: again, near 1.
        size = abs(triu(a) if upper else tril(a)).max(axis=(-2, -1), keepdims=True)
        if not bool(_ufuncs["isfinite"](size).all()):
            raise LinAlgError("Eigenvalues did not converge")
        room = np.finfo(size.dtype).maxexp - 2
        exponent = _ufuncs["frexp"](size)[1].clip(-room, room)
        near_one = a * _ufuncs["ldexp"](size.dtype.type(1), -exponent)
        # Squares of these vanish, and so do they beside the rounding of the largest element.
        vanish = abs(near_one) < float(np.sqrt(np.finfo(size.dtype).tiny))
        values, found, info = _core.eigen_hermitian(_core.where(vanish, 0, near_one), vectors, upper)
        _check(info, "Eigenvalues did not converge", values)
        values = _ufuncs["ldexp"](values, exponent[..., 0])
    return values, found


def eigh(a: ArrayLike, UPLO: str = "L") -> EighResult:
    """Eigenvalues, ascending, and orthonormal eigenvectors of Hermitian matrices given by one triangle.

    Raises
    ------
    LinAlgError
        If it does not converge.

    >>> values, vectors = cp.linalg.eigh(cp.asarray([[2.0, 1.0], [1.0, 2.0]]))
    >>> values.round(6)
    array([1., 3.])
    """
    upper = _is_upper(UPLO)
    values, vectors = _hermitian(a, True, upper)
    return EighResult(values, ascontiguousarray(vectors))


def eigvalsh(a: ArrayLike, UPLO: str = "L") -> ndarray:
    """Eigenvalues, ascending, of Hermitian matrices given by one triangle.

    >>> cp.linalg.eigvalsh(cp.asarray([[2.0, 1.0], [1.0, 2.0]])).round(6)
    array([1., 3.])
    """
    return _hermitian(a, False, _is_upper(UPLO))[0]


def _general(a: ArrayLike, vectors: bool) -> tuple[ndarray, ndarray | None]:
    """Eigenvalues, and vectors as the solver packs them."""
    a = prepared(stacked_square(a))
    if checks_linalg() and not bool(_ufuncs["isfinite"](a).all()):
        raise LinAlgError("Array must not contain infs or NaNs")
    values, packed, info = _core.eigen(a, vectors)
    _check(info, "Eigenvalues did not converge")
    return values, packed


def eig(a: ArrayLike) -> EigResult:
    """Eigenvalues and right eigenvectors (columns of length 1) of general square matrices.

    Both are always complex, as in NumPy 2.5. `LinAlgError` if it does not converge or `a` has
    infinities or NaN. See `numpy.linalg.eig`.

    >>> values, vectors = cp.linalg.eig(cp.asarray([[2.0, 0.0], [0.0, 3.0]]))
    >>> cp.sort(values.real)
    array([2., 3.])
    """
    values, packed = _general(a, True)
    packed = ascontiguousarray(packed)
    if is_complex(packed.dtype):
        return EigResult(values, packed)
    # Columns k and k + 1 of a conjugate pair hold the real and the imaginary part of vector k.
    vectors = packed.astype(values.dtype)
    first = values.imag[..., None, :-1] > 0
    re, im = packed[..., :-1], packed[..., 1:]
    zero = packed.dtype.type(0)
    vectors.imag[..., :-1] = _core.where(first, im, zero)
    vectors.real[..., 1:] = _core.where(first, re, im)
    vectors.imag[..., 1:] -= _core.where(first, im, zero)
    return EigResult(values, vectors)


def eigvals(a: ArrayLike) -> ndarray:
    """Eigenvalues of general square matrices, always complex, as in NumPy 2.5. See `numpy.linalg.eigvals`.

    >>> cp.sort(cp.linalg.eigvals(cp.asarray([[2.0, 0.0], [0.0, 3.0]])).real)
    array([2., 3.])
    """
    return _general(a, False)[0]
