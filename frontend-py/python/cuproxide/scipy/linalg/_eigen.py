"""Eigenvalues and eigenvectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ... import linalg as _numpy
from ... import take_along_axis
from ..._cuproxide import ndarray
from ..._lib.conversions import as_array, counting
from ..._typing import ArrayLike
from ._banded import spread_hermitian, with_diagonals
from ._common import (
    adjoint,
    computed,
    finite,
    is_complex,
    matrices,
    stacked,
    to_complex,
    together,
    triangular,
    ufuncs,
)
from ._deflation import pencil_values
from ._factors import cho_factor
from ._tridiagonal import tridiagonal_values, tridiagonal_vectors

# Eigenvalues of general matrices.


def eig(
    a: ArrayLike,
    b: ArrayLike | None = None,
    left: bool = False,
    right: bool = True,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    homogeneous_eigvals: bool = False,
) -> Any:
    """Eigenvalues, and with `left` and `right` the vectors of length 1, of `a @ v = w * v` or `a @ v = w * b @ v`.

    Left vectors are those of the adjoint problem, assigned to the nearest values. With `homogeneous_eigvals` the values
    are pairs whose ratio is the eigenvalue. Null vectors of `b`, with singular values up to `n * eps` of the largest,
    are the vectors of infinite eigenvalues; common null vectors of `a` and `b` have NaN.

    Parameters
    ----------
    left : bool
        Whether left eigenvectors are returned.
    right : bool
        Whether right eigenvectors are returned.
    overwrite_a, overwrite_b : bool
        Taken for compatibility; the input is never overwritten.

    Returns
    -------
    ndarray or tuple of ndarray

    >>> cp.sort(cp.scipy.linalg.eig(cp.asarray([[2.0, 1.0], [1.0, 3.0]]))[0].real).round(6)
    array([1.381966, 3.618034])
    """
    a = matrices(a, check_finite, square=True)
    if b is None:
        values, vectors = _numpy.eig(a)
        pairs = values, _core.full_like(values, 1)
    else:
        b = matrices(b, check_finite, square=True, name="b")
        if a.shape[-2:] != b.shape[-2:]:
            raise ValueError("a and b must have the same shape")
        a, b, _ = together(a, b)
        a, b = stacked(a, b)
        *pairs, values, vectors = pencil_values(a, b)
        pairs = pairs[0], to_complex(pairs[1])
    lefts = _left(adjoint(a), None if b is None else adjoint(b), pairs) if left else None
    if (left or right) and not is_complex(a.dtype) and bool((pairs[0].imag == 0).all()):
        # Real eigenvalues have real vectors, as in LAPACK; all of them are real, or none is stored so.
        lefts, vectors = (None if v is None else _real_vectors(v) for v in (lefts, vectors))
    if homogeneous_eigvals:
        values = _core.concatenate([part[..., None, :] for part in pairs], -2)
    found = [values, *([lefts] if left else []), *([vectors] if right else [])]
    return tuple(found) if len(found) > 1 else values


def _real_vectors(vectors: ndarray) -> ndarray:
    """Eigenvectors of real eigenvalues, which may have been turned in the complex plane, as real numbers."""
    if not is_complex(vectors.dtype) or vectors.size == 0:
        return vectors.real
    largest = ufuncs["absolute"](vectors).argmax(-2)[..., None, :]
    pivot = take_along_axis(vectors, largest, -2)
    size = ufuncs["absolute"](pivot)
    turned = vectors * (pivot.conj() / _core.where(size == 0, size.dtype.type(1), size))
    return _core.where(ufuncs["absolute"](pivot.imag) > 0, turned.real, vectors.real)


def _left(a: ndarray, b: ndarray | None, pairs: tuple[ndarray, ndarray]) -> ndarray:
    """Right vectors of the adjoint problem, in the order of the values of the given one."""
    if b is None:
        values, vectors = _numpy.eig(a)
        others = values, _core.full_like(values, 1)
    else:
        *others, _, vectors = pencil_values(a, b)

    def on_sphere(pair: tuple[ndarray, ndarray], conjugated: bool) -> tuple[ndarray, ndarray]:
        # Chordal coordinates have no infinity.
        upper, lower = (part.conj() if conjugated else part for part in pair)
        length = ufuncs["hypot"](ufuncs["absolute"](upper), ufuncs["absolute"](lower))
        length = _core.where(length == 0, length.dtype.type(1), length)
        return upper / length, lower / length

    (x, y), (u, v) = on_sphere(pairs, False), on_sphere(others, True)
    n = x.shape[-1]
    distance = ufuncs["absolute"](x[..., :, None] * v[..., None, :] - y[..., :, None] * u[..., None, :])
    # 0 / 0 is near to everything, and takes what is left.
    unknown = ((x == 0) & (y == 0))[..., :, None] | ((u == 0) & (v == 0))[..., None, :]
    distance = _core.where(unknown, distance.dtype.type(2), distance)
    order = _core.zeros(x.shape, np.int64)
    infinite = distance.dtype.type(np.inf)
    for _ in range(n):
        # The nearest of all pairs that are left.
        flat = distance.reshape(*distance.shape[:-2], n * n)
        best = _core.reduce("argmin", flat, -1, None, None, True)
        row, column = best // n, best % n
        hit = counting(n) == row
        order = _core.where(hit, column, order)
        distance = _core.where(hit[..., :, None] | (counting(n) == column)[..., None, :], infinite, distance)
    index = _core.broadcast_to(order[..., None, :], vectors.shape)
    return take_along_axis(vectors, index, -1)


def eigvals(
    a: ArrayLike,
    b: ArrayLike | None = None,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    homogeneous_eigvals: bool = False,
) -> ndarray:
    """The values of `eig` alone.

    >>> cp.sort(cp.scipy.linalg.eigvals(cp.asarray([[2.0, 1.0], [1.0, 3.0]])).real).round(6)
    array([1.381966, 3.618034])
    """
    if b is None and not homogeneous_eigvals:
        return _numpy.eigvals(matrices(a, check_finite, square=True))
    return eig(a, b, False, False, overwrite_a, False, check_finite, homogeneous_eigvals)


# Eigenvalues of Hermitian matrices.


def eigh(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    lower: bool = True,
    eigvals_only: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    type: int = 1,
    check_finite: bool = True,
    subset_by_index: Sequence[int] | None = None,
    subset_by_value: Sequence[float] | None = None,
    driver: str | None = None,
) -> ndarray | tuple[ndarray, ndarray]:
    """Eigenvalues, ascending, and vectors of Hermitian matrices, or of the problems with a positive definite `b`:

    `a @ v = w * b @ v` (type 1), `a @ b @ v = w * v` (2) or `b @ a @ v = w * v` (3). A subset is chosen after all were
    computed: by the first and last index, or by an interval of values (open at the left), which waits for the device.

    Parameters
    ----------
    b : array_like, optional
        The second matrix of a generalised problem, positive definite.
    overwrite_a, overwrite_b : bool
        Taken for compatibility; the input is never overwritten.

    >>> cp.scipy.linalg.eigh(cp.asarray([[2.0, 1.0], [1.0, 3.0]]))[0].round(6)
    array([1.381966, 3.618034])
    """
    drivers = ("ev", "evd", "evr", "evx", "gv", "gvd", "gvx")
    if driver is not None and driver not in drivers:
        raise ValueError(f'"{driver}" is unknown. Possible values are "None", {", ".join(drivers)}.')
    if type not in (1, 2, 3):
        raise ValueError("type must be 1, 2 or 3")
    if subset_by_index is not None and subset_by_value is not None:
        raise ValueError("Either index or value subset can be requested.")
    if driver is not None:
        if (b is None) == driver.startswith("gv"):
            raise ValueError(f'driver="{driver}" is for {"generalized" if b is None else "standard"} problems')
        if driver in ("ev", "evd", "gv", "gvd") and not (subset_by_index is None and subset_by_value is None):
            raise ValueError(f'driver="{driver}" cannot compute subsets of eigenvalues')
    a = matrices(a, check_finite, square=True)
    uplo = "L" if lower else "U"
    vectors: Any = None
    if b is None:
        if eigvals_only:
            values = _numpy.eigvalsh(a, uplo)
        else:
            values, vectors = _numpy.eigh(a, uplo)
    else:
        values, vectors = _generalized(a, matrices(b, check_finite, square=True, name="b"), lower, type)
    part = _chosen(a.shape[-1], values, subset_by_index, subset_by_value)
    values = values[..., part]
    return values if eigvals_only else (values, vectors[..., part])


def _numbers(n: int, subset: Sequence[int]) -> slice:
    low, high = (int(i) for i in subset)
    if not 0 <= low <= high < n:
        raise ValueError(
            f"Requested eigenvalue indices are not valid. Valid range is [0, {n - 1}] and start <= end, but "
            f"start={low}, end={high} is given"
        )
    return slice(low, high + 1)


def _chosen(
    n: int, values: ndarray, subset_by_index: Sequence[int] | None, subset_by_value: Sequence[float] | None
) -> slice:
    """Which eigenvalues are wanted."""
    if subset_by_index is not None:
        return _numbers(n, subset_by_index)
    if subset_by_value is None:
        return slice(None)
    low, high = subset_by_value
    if not -np.inf <= low < high <= np.inf:
        raise ValueError(
            f"Requested eigenvalue bounds are not valid. Valid range is (-inf, inf) and low < high, but low={low}, "
            f"high={high} is given"
        )
    if values.ndim > 1:
        raise ValueError("subset_by_value needs one matrix: stacks would differ in the number of values")
    start, stop = (int((values <= bound).sum()) for bound in (low, high))
    return slice(start, stop)


def _generalized(a: ndarray, b: ndarray, lower: bool, kind: int) -> tuple[ndarray, ndarray]:
    """By the Cholesky factor of `b`."""
    if a.shape[-2:] != b.shape[-2:]:
        raise ValueError(f"wrong b dimensions {b.shape}, should be {a.shape}")
    from ... import tril, triu

    a, b, _ = together(a, b)
    half = tril(a, -1) if lower else triu(a, 1)
    real = a.diagonal(0, -2, -1).real
    whole = half + adjoint(half)
    index = counting(a.shape[-1])
    whole[..., index, index] = real
    factor = cho_factor(b, lower, check_finite=False)[0]
    factor = tril(factor) if lower else adjoint(triu(factor))
    if kind == 1:
        inner = triangular(factor, whole, True)
        inner = adjoint(triangular(factor, adjoint(inner), True))
    else:
        inner = _core.matmul(adjoint(factor), _core.matmul(whole, factor))
    values, vectors = _numpy.eigh(inner)
    vectors = _core.matmul(factor, vectors) if kind == 3 else triangular(factor, vectors, True, 2)
    return values, vectors


def eigvalsh(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    lower: bool = True,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    type: int = 1,
    check_finite: bool = True,
    subset_by_index: Sequence[int] | None = None,
    subset_by_value: Sequence[float] | None = None,
    driver: str | None = None,
) -> ndarray:
    """The values of `eigh` alone.

    Parameters
    ----------
    b : array_like, optional
        The second matrix of a generalised problem, positive definite.
    overwrite_a, overwrite_b : bool
        Taken for compatibility; the input is never overwritten.

    >>> cp.scipy.linalg.eigvalsh(cp.asarray([[2.0, 1.0], [1.0, 3.0]])).round(6)
    array([1.381966, 3.618034])
    """
    values: ndarray = eigh(
        a,
        b,
        lower=lower,
        eigvals_only=True,
        type=type,
        check_finite=check_finite,
        subset_by_index=subset_by_index,
        subset_by_value=subset_by_value,
        driver=driver,
    )
    return values


# Up to this order a tridiagonal matrix is spread out for any of its vectors, of larger ones for more than this part.
WHOLE, PART = 128, 0.25
_SELECT = {"a": 0, "all": 0, 0: 0, "v": 1, "value": 1, 1: 1, "i": 2, "index": 2, 2: 2}


def _subset(select: Any, select_range: Any) -> dict[str, Any]:
    if isinstance(select, str):
        select = select.lower()
    try:
        which = _SELECT[select]
    except (KeyError, TypeError):
        raise ValueError("invalid argument for select") from None
    if which == 0:
        return {}
    if not hasattr(select_range, "__len__") or len(select_range) != 2:
        raise ValueError("select_range must be a 2-element array-like in nondecreasing order")
    if which == 2 and any(np.asarray(bound).dtype.kind not in "iu" for bound in select_range):
        raise ValueError(f'select_range must hold integers for select="i", got {tuple(select_range)}')
    return {"subset_by_value" if which == 1 else "subset_by_index": tuple(select_range)}


def eig_banded(
    a_band: ArrayLike,
    lower: bool = False,
    eigvals_only: bool = False,
    overwrite_a_band: bool = False,
    select: str | int = "a",
    select_range: Sequence[float] | None = None,
    max_ev: int = 0,
    check_finite: bool = True,
) -> ndarray | tuple[ndarray, ndarray]:
    """`eigh` of banded Hermitian matrices in LAPACK's form, spread out to whole ones.

    Parameters
    ----------
    max_ev : int
        Taken for compatibility.

    >>> cp.scipy.linalg.eig_banded(cp.asarray([[0.0, 1.0], [2.0, 2.0]]))[0].round(6)
    array([1., 3.])
    """
    triangle = spread_hermitian(with_diagonals(a_band, check_finite, "a_band"), lower)
    return eigh(triangle, lower=lower, eigvals_only=eigvals_only, check_finite=False, **_subset(select, select_range))


def eigvals_banded(
    a_band: ArrayLike,
    lower: bool = False,
    overwrite_a_band: bool = False,
    select: str | int = "a",
    select_range: Sequence[float] | None = None,
    check_finite: bool = True,
) -> ndarray:
    """The values of `eig_banded` alone.

    >>> cp.scipy.linalg.eigvals_banded(cp.asarray([[0.0, 1.0], [2.0, 2.0]])).round(6)
    array([1., 3.])
    """
    values: ndarray = eig_banded(a_band, lower, True, overwrite_a_band, select, select_range, 0, check_finite)
    return values


def eigh_tridiagonal(
    d: ArrayLike,
    e: ArrayLike,
    eigvals_only: bool = False,
    select: str | int = "a",
    select_range: Sequence[float] | None = None,
    check_finite: bool = True,
    tol: float = 0.0,
    lapack_driver: str = "auto",
) -> ndarray | tuple[ndarray, ndarray]:
    """`eigh` of real symmetric tridiagonal matrices.

    Values alone come by bisection in one launch, a thread for each, and a small part of the vectors by inverse
    iteration. For more vectors the matrices are spread out to whole ones, which are as large as the vectors.

    >>> cp.scipy.linalg.eigh_tridiagonal(cp.ones(3), cp.zeros(2))[0]
    array([1., 1., 1.])
    """
    if not isinstance(lapack_driver, str):
        raise TypeError(f"lapack_driver must be a string, got {lapack_driver!r}")
    if lapack_driver not in ("auto", "stemr", "stev", "sterf", "stebz", "stevd"):
        raise ValueError(f"lapack_driver must be one of the names that SciPy has, got {lapack_driver!r}")
    if lapack_driver in ("sterf", "stev", "stevd") and _subset(select, select_range):
        raise ValueError(f'lapack_driver="{lapack_driver}" can only be used with select="a"')
    if lapack_driver == "sterf" and not eigvals_only:
        raise ValueError('lapack_driver="sterf" can only be used with eigvals_only=True')
    d, e = as_array(d), as_array(e)
    for name, part in (("d", d), ("e", e)):
        if part.ndim < 1:
            raise ValueError(f"Expected a 1-D array for {name}, got {part.ndim}-D")
        if is_complex(part.dtype):
            raise TypeError("Only real arrays currently supported")
    if d.shape[-1] != e.shape[-1] + 1:
        raise ValueError(f"d ({d.shape[-1]}) must have one more element than e ({e.shape[-1]})")
    dtype = computed(d, e)
    n = d.shape[-1]
    subset = _subset(select, select_range)
    if n and (eigvals_only or (subset and n >= WHOLE)):
        d, e = (finite(part.astype(dtype, copy=False), check_finite) for part in (d, e))
        wanted = _numbers(n, subset["subset_by_index"]) if "subset_by_index" in subset else slice(0, n)
        values = tridiagonal_values(d, e, wanted.start, wanted.stop)
        values = values[..., _chosen(n, values, None, subset.get("subset_by_value"))]
        if eigvals_only:
            return values
        if values.shape[-1] <= n * PART:
            return values, tridiagonal_vectors(d, e, values)
    band = _core.zeros((*_core.broadcast_shapes(d.shape[:-1], e.shape[:-1]), 2, d.shape[-1]), dtype)
    band[..., 0, :] = d
    band[..., 1, :-1] = e
    return eig_banded(band, True, eigvals_only, False, select, select_range, 0, check_finite)


def eigvalsh_tridiagonal(
    d: ArrayLike,
    e: ArrayLike,
    select: str | int = "a",
    select_range: Sequence[float] | None = None,
    check_finite: bool = True,
    tol: float = 0.0,
    lapack_driver: str = "auto",
) -> ndarray:
    """The values of `eigh_tridiagonal` alone.

    >>> cp.scipy.linalg.eigvalsh_tridiagonal(cp.ones(3), cp.zeros(2))
    array([1., 1., 1.])
    """
    values: ndarray = eigh_tridiagonal(d, e, True, select, select_range, check_finite, tol, lapack_driver)
    return values


__all__ = [
    "eig",
    "eig_banded",
    "eigh",
    "eigh_tridiagonal",
    "eigvals",
    "eigvals_banded",
    "eigvalsh",
    "eigvalsh_tridiagonal",
]
