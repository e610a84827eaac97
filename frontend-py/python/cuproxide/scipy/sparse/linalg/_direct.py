"""Direct solvers. Matrices are factored by the library of their device, or on the host."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

import cuproxide as cp

from .... import _cuproxide as _core
from .. import SparseEfficiencyWarning, csc_array, issparse
from .._checks import index_dtype
from .._devices import on_own_device, outside, own_device
from .._foreign import taken
from ._factors import SingularError, factors_of
from ._scaling import near_one, solved, times_power
from ._triangular import Substitution

__all__ = ["MatrixRankWarning", "SuperLU", "factorized", "inv", "spilu", "splu", "spsolve", "use_solver"]

_ORDERINGS = {
    None: "columns",
    "COLAMD": "columns",
    "MMD_ATA": "columns",
    "MMD_AT_PLUS_A": "symmetric",
    "NATURAL": "natural",
}
# SuperLU's numbers of the orderings.
_NUMBERED = ("NATURAL", "MMD_ATA", "MMD_AT_PLUS_A", "COLAMD")

DIAGONAL = 0.1
"""The share of the largest element of a column from which that on the diagonal is the pivot of incomplete factors."""

GROWTH = 1e3
"""From this growth of elements on, pivots are the largest elements."""

MOST_DENSE = 1 << 25
"""Elements of the solutions that are computed at once for sparse right-hand sides."""


class MatrixRankWarning(UserWarning):
    """A matrix is singular.

    >>> issubclass(cp.scipy.sparse.linalg.MatrixRankWarning, UserWarning)
    True
    """


MatrixRankWarning.__module__ = "cuproxide.scipy.sparse.linalg"


def floating(A: Any) -> Any:
    """A matrix in a type that solvers compute in: float32, float64 or their complex types."""
    kind = np.dtype(A.dtype)
    if kind.char in "fdFD":
        return A
    # As SciPy: the first of them that holds all values of the type.
    return A.astype(np.float32 if np.can_cast(kind, np.float32) else np.float64)


def _columns(A: Any, name: str) -> Any:
    """A square matrix in sorted compressed columns without duplicates."""
    A = taken(A)
    if not (issparse(A) and A.format == "csc"):
        warnings.warn(f"{name} converted its input to CSC format", SparseEfficiencyWarning, stacklevel=outside())
        A = A.tocsc() if issparse(A) else csc_array(A)
    return _canonical(A)


def _canonical(A: Any) -> Any:
    """A square matrix in compressed form, with sorted places, without duplicates, in a type that solvers compute in."""
    A = floating(A)
    if A.shape[0] != A.shape[1]:
        raise ValueError(f"can only factor square matrices, got {A.shape}")
    if not A.has_canonical_format:
        A = A.copy()
        A.sum_duplicates()
    return A


def _ordering(permc_spec: Any) -> str:
    name = permc_spec
    if isinstance(name, str):
        name = name.strip().upper().replace(" ", "_")
    elif isinstance(name, int) and 0 <= name < len(_NUMBERED):
        name = _NUMBERED[name]
    if name not in _ORDERINGS:
        raise ValueError(f"invalid value for 'ColPerm' parameter: {permc_spec!r}")
    return _ORDERINGS[name]


def _largest(values: Any) -> float:
    return float(abs(values).max()) if values.size else 0.0


@on_own_device
class SuperLU:
    """LU factors of a sparse matrix, from `splu` and `spilu`: `A[rows, columns] = L U`.

    Complete factors solve by those of the device's library, or by faer's supernodal ones on the host; then right-hand
    sides and solutions are copied. A GPU without the library gets explicit factors when many right-hand sides have been
    solved for. Incomplete factors stay on the device, and solve there as `spsolve_triangular` does. `L`, `U`, `perm_r`
    and `perm_c` of complete factors are computed on the host when they are first asked for.

    Parameters
    ----------
    A : csc_array
        The matrix.
    factors : object
        Complete factors of it, or None for factors that drop small elements.
    ordering : str
        How columns are ordered.
    threshold : float, optional
        How large a diagonal element has to be, beside the largest of its column, to be the pivot. If not given, 0.1,
        and 1 where elements of `U` would grow with that to more than 1000 times those of the matrix.
    drop, fill : float
        What is dropped from incomplete factors, and how many elements they may have beside the matrix.

    See Also
    --------
    splu, spilu : Make such factors.

    >>> A = cp.scipy.sparse.csc_array(cp.array([[2.0, 1.0], [1.0, 3.0]]))
    >>> cp.scipy.sparse.linalg.splu(A).solve(cp.array([3.0, 4.0]))
    array([1., 1.])
    """

    def __init__(self, A: Any, factors: Any, ordering: str, threshold: float | None, drop: float, fill: float) -> None:
        self._matrix, self._factors = A, factors
        self._scaled, self._exponent = near_one(A)
        self._options = (ordering, threshold, drop, fill)
        self._explicit: Substitution | None = None
        if factors is None:
            self._parts()

    def __reduce__(self) -> NoReturn:
        raise TypeError("SuperLU objects cannot be pickled: pickle the matrix, and factor it again with splu or spilu")

    def __copy__(self) -> SuperLU:
        return self

    def __deepcopy__(self, memo: Any) -> SuperLU:
        return self

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self._matrix.shape

    @property
    def nnz(self) -> int:
        """Stored elements of both factors."""
        parts = self._parts().parts
        return int(parts[1].shape[0] + parts[4].shape[0])

    def _parts(self) -> Substitution:
        if self._explicit is None:
            A = self._scaled
            ordering, threshold, *limits = self._options
            parts = self._made(ordering, DIAGONAL if threshold is None else threshold, *limits)
            if threshold is None and _largest(parts[5]) > GROWTH * _largest(A.data):
                parts = self._made(ordering, 1.0, *limits)
            self._explicit = Substitution(parts, A.shape[0], A.dtype)
        return self._explicit

    def _made(self, *options: Any) -> list[Any]:
        A = self._scaled
        parts = _core.sparse_explicit_lu(A.indptr, A.indices, A.data, *options)
        if parts is None:
            raise SingularError
        return parts

    @property
    def L(self) -> Any:
        """The lower triangle, with ones on its diagonal, in CSC format."""
        return self._parts().factor(0)

    @property
    def U(self) -> Any:
        """The upper triangle in CSC format."""
        made = self._parts().factor(3)
        return made._with_data(times_power(made.data, self._exponent), copy=False) if self._exponent else made

    @property
    def perm_r(self) -> Any:
        """The row of the factors for each row of the matrix."""
        return cp.argsort(self._parts().parts[6]).astype(np.int32)

    @property
    def perm_c(self) -> Any:
        """The column of the factors for each column of the matrix."""
        return cp.argsort(self._parts().parts[7]).astype(np.int32)

    def solve(self, rhs: Any, trans: str = "N") -> Any:
        """Solves a system.

        Parameters
        ----------
        rhs : (N,) or (N, K) array
            The right-hand sides.
        trans : {'N', 'T', 'H'}
            The matrix, its transpose or its conjugate transpose.

        Returns
        -------
        array
            The solutions, of the shape of `rhs`.

        Raises
        ------
        ValueError
            For another shape or `trans`.

        >>> A = cp.scipy.sparse.csc_array(cp.array([[2.0, 1.0], [0.0, 4.0]]))
        >>> cp.scipy.sparse.linalg.splu(A).solve(cp.array([2.0, 9.0]), trans='T')
        array([1., 2.])
        """
        if trans not in ("N", "T", "H"):
            raise ValueError(f"trans must be N, T, or H, got {trans!r}")
        rhs = cp.asarray(rhs)
        if rhs.ndim not in (1, 2) or rhs.shape[0] != self.shape[0]:
            raise ValueError(f"rhs is of incompatible size: its shape is {rhs.shape}, that of the matrix {self.shape}")
        kind = np.result_type(self._matrix.dtype, floating(rhs).dtype)
        if self._factors is not None:
            return self._factors.solve(rhs, trans).astype(kind, copy=False)
        right = rhs.astype(kind, copy=False)
        columns = right[:, None] if rhs.ndim == 1 else right
        x = solved(lambda b: self._parts().solve(b, trans), columns, self._exponent)
        return x.reshape(rhs.shape)


@own_device
def splu(
    A: Any,
    permc_spec: str | None = None,
    diag_pivot_thresh: float | None = None,
    relax: int | None = None,
    panel_size: int | None = None,
    options: dict[str, Any] | None = None,
) -> SuperLU:
    """LU factors with partial pivoting.

    The matrix is factored by the library of its device in its own precision, where there is one and the matrix is large
    enough, else on the host in double precision, by faer's supernodal algorithm.

    Parameters
    ----------
    permc_spec : {'COLAMD', 'MMD_AT_PLUS_A', 'MMD_ATA', 'NATURAL'}, optional
        The order of the columns of `L` and `U`; 'MMD_ATA' is taken as 'COLAMD', the default.
    diag_pivot_thresh : float, optional
        The share of the largest element of a column that makes the one on the diagonal the pivot of `L` and `U`.
    relax, panel_size, options : optional
        Accepted and not used, except 'ColPerm' and 'DiagPivotThresh' in `options`.

    Returns
    -------
    SuperLU
        The factors.

    Raises
    ------
    RuntimeError
        For a singular matrix.
    ValueError
        For one that is not square, and unknown orders.

    Notes
    -----
    Source: `scipy.sparse.linalg.splu`.

    >>> A = cp.scipy.sparse.csc_array(cp.array([[2.0, 1.0], [1.0, 3.0]]))
    >>> factors = cp.scipy.sparse.linalg.splu(A)
    >>> factors.solve(cp.array([3.0, 4.0]))
    array([1., 1.])
    """
    del relax, panel_size
    given, A = A, _columns(A, "splu")
    options = options or {}
    ordering = _ordering(options.get("ColPerm", permc_spec))
    threshold = options.get("DiagPivotThresh", diag_pivot_thresh)
    if A is given:
        # The program may change its matrix, but not the factors.
        A = A.copy()
    factors = factors_of(A, positive=False)
    if factors is None:
        raise SingularError
    return SuperLU(A, factors, ordering, 1.0 if threshold is None else float(threshold), 0.0, np.inf)


@own_device
def spilu(
    A: Any,
    drop_tol: float | None = None,
    fill_factor: float | None = None,
    drop_rule: str | None = None,
    permc_spec: str | None = None,
    diag_pivot_thresh: float | None = None,
    relax: int | None = None,
    panel_size: int | None = None,
    options: dict[str, Any] | None = None,
) -> SuperLU:
    """Incomplete LU factors with thresholds: small elements are dropped, and columns have a limit.

    The matrix is factored on the host in double precision; the factors lie on the device and solve there.

    Parameters
    ----------
    drop_tol : float, optional
        The share of the largest element of a column below which elements are dropped, by default 1e-4.
    fill_factor : float, optional
        Most elements of a column of either factor, as a multiple of the average of the matrix, by default 10.
    drop_rule : str, optional
        Accepted and not used.
    permc_spec : {'COLAMD', 'MMD_AT_PLUS_A', 'MMD_ATA', 'NATURAL'}, optional
        The order of the columns; 'MMD_ATA' is taken as 'COLAMD', the default.
    diag_pivot_thresh : float, optional
        The share of the largest element of a column that makes the one on the diagonal the pivot, by default 0.1; the
        default is 1 for a matrix whose elements grow in the factors.
    relax, panel_size, options : optional
        Accepted and not used.

    Returns
    -------
    SuperLU
        The factors, which are not those that SuperLU gives: its rule of dropping is another one.

    Raises
    ------
    RuntimeError
        For a column that has no pivot.
    ValueError
        For a matrix that is not square, and unknown orders.

    Notes
    -----
    Source: Saad 1994 (ILUT), Gilbert and Peierls 1988; `scipy.sparse.linalg.spilu`.

    >>> A = cp.scipy.sparse.csc_array(cp.array([[2.0, 1.0], [1.0, 3.0]]))
    >>> cp.scipy.sparse.linalg.spilu(A).solve(cp.array([3.0, 4.0]))
    array([1., 1.])
    """
    del drop_rule, relax, panel_size, options
    A = _columns(A, "spilu")
    return SuperLU(
        A,
        None,
        _ordering(permc_spec),
        None if diag_pivot_thresh is None else float(diag_pivot_thresh),
        1e-4 if drop_tol is None else float(drop_tol),
        10.0 if fill_factor is None else float(fill_factor),
    )


@own_device
def factorized(A: Any) -> Callable[[Any], Any]:
    """A function that solves systems with a matrix, which is factored once.

    Returns
    -------
    callable
        Takes right-hand sides and returns solutions; see `SuperLU.solve`.

    Raises
    ------
    RuntimeError
        For a singular matrix.
    ValueError
        For one that is not square.

    Notes
    -----
    Source: `scipy.sparse.linalg.factorized`.

    >>> A = cp.scipy.sparse.csc_array(cp.array([[2.0, 1.0], [1.0, 3.0]]))
    >>> cp.scipy.sparse.linalg.factorized(A)(cp.array([3.0, 4.0]))
    array([1., 1.])
    """
    return splu(A).solve


@own_device
def spsolve(A: Any, b: Any, permc_spec: str | None = None, use_umfpack: bool = True) -> Any:
    """Solves `A x = b` with a sparse matrix.

    The matrix is factored by the library of its device where there is one and the matrix is large enough, else on the
    host in double precision: by Cholesky's factors if it is Hermitian and positive definite, else by LU. On a GPU
    factors of the host take copies of the matrix, the right-hand sides and the solutions.

    Parameters
    ----------
    A : (N, N) sparse array, in CSC or CSR format best
        The matrix.
    b : (N,) or (N, K) array or sparse array
        The right-hand sides.
    permc_spec : str, optional
        Checked as `splu` does; the order is always chosen to keep the fill low.
    use_umfpack : bool
        Not used.

    Returns
    -------
    array or sparse array
        The solutions: of shape (N,) for one right-hand side, sparse if `b` is and has several columns.

    Raises
    ------
    ValueError
        For shapes that do not fit.
    RuntimeError
        For a singular matrix and sparse right-hand sides.

    Warns
    -----
    MatrixRankWarning
        For a singular matrix, whose solutions are NaN.

    Notes
    -----
    Source: `scipy.sparse.linalg.spsolve`.

    >>> A = cp.scipy.sparse.csc_array(cp.array([[2.0, 1.0], [1.0, 3.0]]))
    >>> cp.scipy.sparse.linalg.spsolve(A, cp.array([3.0, 4.0]))
    array([1., 1.])
    """
    del use_umfpack
    _ordering(permc_spec)
    A, b = taken(A), taken(b)
    if not (issparse(A) and A.format in ("csc", "csr")):
        warnings.warn("spsolve requires A be CSC or CSR matrix format", SparseEfficiencyWarning, stacklevel=outside())
        A = A.tocsc() if issparse(A) else csc_array(A)
    sparse = issparse(b)
    b = b if sparse else cp.asarray(b)
    if b.ndim not in (1, 2):
        raise ValueError(f"b must have 1 or 2 dims but its shape is {b.shape}")
    vector = b.ndim == 1 or b.shape[1] == 1
    if A.shape[0] != A.shape[1]:
        raise ValueError(f"matrix must be square (has shape {A.shape})")
    if A.shape[0] != b.shape[0]:
        raise ValueError(f"matrix - rhs dimension mismatch ({A.shape} - {b.shape[0]})")
    kind = np.promote_types(floating(A).dtype, b.dtype)
    matrix = _canonical(A)
    factors = factors_of(matrix.astype(np.promote_types(matrix.dtype, np.empty(0, kind).real.dtype), copy=False))
    if sparse and not vector:
        if factors is None:
            raise SingularError
        return _sparse_solutions(A, factors, b.tocsc(), kind)
    if sparse:
        b = b.toarray().reshape(b.shape)
    try:
        x = None if factors is None else factors.solve(b, "N").astype(kind, copy=False)
    except SingularError:
        x = None
    if x is None:
        warnings.warn("Matrix is exactly singular", MatrixRankWarning, stacklevel=outside())
        x = cp.full(b.shape, np.nan, kind)
    return x.reshape(-1) if vector else x


def _sparse_solutions(A: Any, factors: Any, b: Any, kind: Any) -> Any:
    """Solutions as a sparse matrix of the class of `A`, some columns at a time."""
    count, width = b.shape
    step = max(1, MOST_DENSE // max(1, count))
    parts = []
    for start in range(0, width, step):
        x = factors.solve(b[:, start : start + step].toarray(), "N").astype(kind, copy=False)
        rows, columns = cp.nonzero(x)
        parts.append((x[rows, columns], rows, columns + start))
    data, rows, columns = (cp.concatenate(list(part)) for part in zip(*parts, strict=True))
    index = index_dtype(b.shape, data.size, (A,))
    return type(A)((data, (rows.astype(index, copy=False), columns.astype(index, copy=False))), shape=b.shape)


@own_device
def inv(A: Any) -> Any:
    """The inverse of a sparse matrix, which is sparse only in form as a rule.

    Parameters
    ----------
    A : (N, N) sparse array
        The matrix.

    Returns
    -------
    sparse array
        The inverse, of the class of `A`.

    Raises
    ------
    TypeError
        For a matrix that is not sparse.
    RuntimeError
        For a singular one.
    ValueError
        For one that is not square.

    Notes
    -----
    Source: `scipy.sparse.linalg.inv`.

    >>> A = cp.scipy.sparse.csc_array(cp.array([[2.0, 0.0], [1.0, 4.0]]))
    >>> cp.scipy.sparse.linalg.inv(A).toarray()
    array([[ 0.5  ,  0.   ],
           [-0.125,  0.25 ]])
    """
    A = taken(A)
    if not issparse(A):
        raise TypeError("Input must be a sparse matrix")
    if A.shape[0] != A.shape[1]:
        raise ValueError(f"matrix must be square (has shape {A.shape})")
    columns = _columns(A.tocsc(), "inv")
    factors = factors_of(columns)
    if factors is None:
        raise SingularError
    places = cp.arange(A.shape[0], dtype=index_dtype(A.shape))
    identity = csc_array((cp.ones(A.shape[0], columns.dtype), (places, places)), shape=A.shape)
    like = A if A.format in ("csr", "csc") else columns
    return _sparse_solutions(like, factors, identity, columns.dtype)


def use_solver(**kwargs: Any) -> None:
    """Accepts what SciPy takes to choose UMFPACK. There is one direct solver here, so nothing changes.

    Parameters
    ----------
    useUmfpack, assumeSortedIndices : bool
        Not used.

    Raises
    ------
    TypeError
        For other names.

    Notes
    -----
    Source: `scipy.sparse.linalg.use_solver`.

    >>> cp.scipy.sparse.linalg.use_solver(useUmfpack=False)
    """
    unknown = set(kwargs) - {"useUmfpack", "assumeSortedIndices"}
    if unknown:
        raise TypeError(f"use_solver() got an unexpected keyword argument {sorted(unknown)[0]!r}")
