"""Preconditioners for iterative solvers, as operators. SciPy has no such functions besides `spilu`."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ...._lib import kernel as k
from ...._lib.routes import way
from ...linalg import LinAlgError
from .. import csr_array, issparse
from .._devices import own_device
from .._foreign import taken
from .._structure import row_range
from ._direct import floating
from ._operators import LinearOperator
from ._triangular import Triangle

__all__ = ["ic0", "ilu0", "jacobi"]


def _rows_of(A: Any) -> Any:
    """A square matrix in canonical compressed rows, in a floating type; a copy."""
    A = taken(A)
    A = A.tocsr(copy=True) if issparse(A) else csr_array(A)
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"expected square matrix, but got shape={A.shape}")
    A = floating(A)
    A.sum_duplicates()
    return A


def _require(condition: Any, what: str) -> None:
    if not bool(condition.all()):
        raise LinAlgError(what)


@k.kernel(bounded=True)
def _place_of_diagonal(offsets: k.Array[1], columns: k.Array[1]):
    """Where the element of each row on the diagonal is stored, or -1."""
    row = k.index()
    low, end = row_range(offsets, row, columns)
    high = end
    while low < high:
        middle = (low + high) >> 1
        smaller = columns[middle] < row
        low, high = k.where(smaller, middle + 1, low), k.where(smaller, high, middle)
    found = k.value(-1, np.int64)
    if low < end and columns[low] == row:
        found = low
    return found


@k.function
def _eliminate_row(offsets, columns, diagonal, values, row):
    """A row of both factors, after the rows that it has elements below the diagonal for."""
    begin, end = row_range(offsets, row, columns)
    for p in k.steps(begin, diagonal[row]):
        other = columns[p]
        factor = values[p] / values[diagonal[other]]
        values[p] = factor
        # Both rows are sorted: one walk finds the columns that they have in common.
        target = p + 1
        _, last = row_range(offsets, other, columns)
        for q in k.steps(diagonal[other] + 1, last):
            column = columns[q]
            while target < end and columns[target] < column:
                target += 1
            if target < end and columns[target] == column:
                values[target] -= factor * values[q]


@k.function
def _root_row(offsets, columns, diagonal, values, row):
    """A row of Cholesky's factor, after the rows that it has elements below the diagonal for."""
    begin, _ = row_range(offsets, row, columns)
    pivot = values[diagonal[row]].real
    for p in k.steps(begin, diagonal[row]):
        other = columns[p]
        total = values[p]
        mine = begin
        first, _ = row_range(offsets, other, columns)
        for q in k.steps(first, diagonal[other]):
            column = columns[q]
            while mine < p and columns[mine] < column:
                mine += 1
            if mine < p and columns[mine] == column:
                total -= values[mine] * values[q].conj()
        element = total / values[diagonal[other]].real
        values[p] = element
        pivot -= element.real * element.real + element.imag * element.imag
    values[diagonal[row]] = k.sqrt(pivot)


@k.kernel(bounded=True)
def _factor_rows(
    offsets: k.Array[1], columns: k.Array[1], diagonal: k.Array[1], values: k.Out[1], row: k.Each, *, root: bool
) -> None:
    """Rows that do not depend on each other."""
    if root:
        _root_row(offsets, columns, diagonal, values, row)
    else:
        _eliminate_row(offsets, columns, diagonal, values, row)


@k.kernel(bounded=True)
def _factor_all(
    offsets: k.Array[1], columns: k.Array[1], diagonal: k.Array[1], values: k.Out[1], count: int, *, root: bool
) -> None:
    """Row after row, in one thread."""
    for row in k.steps(count):
        if root:
            _root_row(offsets, columns, diagonal, values, row)
        else:
            _eliminate_row(offsets, columns, diagonal, values, row)


@k.kernel(bounded=True)
def _sweep(
    offsets: k.Array[1],
    columns: k.Array[1],
    values: k.Array[1],
    right: k.Array[2],
    x: k.Array[2],
    *,
    lower: bool,
    unit: bool,
    first: bool,
):
    """A step of Jacobi's method for a triangle; the first one, from zeros, divides by the diagonal."""
    row, column = k.coordinates()
    total, pivot = right[row, column], k.value(1, values.dtype)
    begin, end = row_range(offsets, row, columns)
    for place in k.steps(begin, end):
        other = columns[place]
        if other == row:
            pivot = values[place]
        if not first:
            if other < row if lower else other > row:
                total -= values[place] * x[other, column]
    return total if unit else total / pivot


class _Factors(LinearOperator):
    """The inverse of a product of two triangles, which are exact or approximated by sweeps."""

    is_capturable = True

    def __init__(self, triangles: tuple[Triangle, Triangle], sweeps: int | None) -> None:
        self._triangles, self._sweeps = triangles, sweeps
        self._turned: tuple[Triangle, Triangle] | None = None
        offsets, _, values = triangles[0].rows
        super().__init__(values.dtype, (offsets.size - 1, offsets.size - 1))

    def _solve(self, triangles: tuple[Triangle, Triangle], X: Any) -> Any:
        right = X if X.ndim == 2 else X[:, None]
        for triangle in triangles:
            right = triangle.solve(right) if self._sweeps is None else self._swept(triangle, right)
        return right.reshape(X.shape)

    def _swept(self, triangle: Triangle, right: Any) -> Any:
        kind = np.result_type(self.dtype, right.dtype)
        offsets, columns, values = triangle.rows
        parts, right = (offsets, columns, values.astype(kind, copy=False)), right.astype(kind, copy=False)
        x = right
        for number in range(self._sweeps + 1):
            choice = {"lower": triangle.lower, "unit": triangle.unit, "first": number == 0}
            x = _sweep(*parts, right, x, **choice, shape=right.shape)
        return x

    def _matvec(self, x: Any) -> Any:
        return self._solve(self._triangles, x)

    _matmat = _matvec

    def _rmatvec(self, x: Any) -> Any:
        if self._turned is None:
            self._turned = tuple(_adjoint_of(triangle) for triangle in reversed(self._triangles))  # type: ignore[assignment]
        return self._solve(self._turned, x)  # type: ignore[arg-type]

    _rmatmat = _rmatvec


def _adjoint_of(triangle: Triangle) -> Triangle:
    """The conjugate transpose of a triangle, which has the other shape."""
    offsets, columns, values = triangle.rows
    count = offsets.size - 1
    by_columns = csr_array._made(values, columns, offsets, (count, count), canonical=True).tocsc()
    parts = by_columns.indptr, by_columns.indices, by_columns.data.conj()
    return Triangle(*parts, lower=not triangle.lower, unit=triangle.unit)


def _factored(A: Any, root: bool, name: str) -> Any:
    """The matrix whose values are those of the factors, and the lower triangle of its pattern."""
    count = A.shape[0]
    triangle = Triangle(A.indptr, A.indices, A.data, lower=True, unit=not root)
    if not count:
        return A, triangle
    diagonal = _place_of_diagonal(A.indptr, A.indices, shape=(count,))
    _require(diagonal >= 0, f"{name}: no element on the diagonal")
    parts = (A.indptr, A.indices, diagonal, A.data)
    if way("by levels", A.data):
        for rows in triangle.levels():
            _factor_rows(*parts, rows, root=root)
    else:
        _factor_all(*parts, count, root=root, shape=(1,))
    pivots = A.data[diagonal]
    _require(cp.isfinite(pivots) & (pivots != 0), f"{name}: a pivot is {'not positive' if root else 'zero'}")
    return A, triangle


@own_device
def ilu0(A: Any, sweeps: int | None = None) -> LinearOperator:
    """A preconditioner: incomplete LU factors with the pattern of the matrix, without pivoting.

    A CPU computes row after row. On a GPU there is a launch for each level, as in `spsolve_triangular`; so there is in
    each product with the operator, unless `sweeps` are given.

    Parameters
    ----------
    A : (N, N) sparse array
        The matrix, with its diagonal stored.
    sweeps : int, optional
        Approximates the triangular solutions by so many steps of Jacobi's method, each one launch for all rows. 2 to 5
        are usual. Without it they are exact.

    Returns
    -------
    LinearOperator
        The inverse of the product of the factors, for `M` of the solvers.

    Raises
    ------
    LinAlgError
        For a zero pivot.
    ValueError
        For a matrix that is not square.

    See Also
    --------
    spilu : factors with pivoting, which drop small elements.

    Notes
    -----
    Source: Meijerink and van der Vorst 1977; Anzt, Chow and Dongarra 2015 (sweeps).

    >>> A = cp.scipy.sparse.csr_array(cp.array([[4.0, 1, 0], [1, 4, 1], [0, 1, 4]]))
    >>> M = cp.scipy.sparse.linalg.ilu0(A)
    >>> M @ (A @ cp.array([1.0, 2.0, 3.0]))
    array([1., 2., 3.])
    """
    A, lower = _factored(_rows_of(A), False, "ilu0")
    return _Factors((lower, Triangle(*lower.rows, lower=False, unit=False)), sweeps)


@own_device
def ic0(A: Any, sweeps: int | None = None) -> LinearOperator:
    """A preconditioner: the incomplete factor of Cholesky's method with the pattern of the matrix.

    Parameters
    ----------
    A : (N, N) sparse array
        A Hermitian positive definite matrix, of which the lower triangle is read.
    sweeps : int, optional
        As for `ilu0`. The operator stays Hermitian.

    Returns
    -------
    LinearOperator
        The inverse of `L L'`, for `M` of the solvers.

    Raises
    ------
    LinAlgError
        For a pivot that is not positive: positive definite matrices may have one, if they are not diagonally dominant.
    ValueError
        For a matrix that is not square.

    Notes
    -----
    Source: Meijerink and van der Vorst 1977.

    >>> A = cp.scipy.sparse.csr_array(cp.array([[4.0, 1, 0], [1, 4, 1], [0, 1, 4]]))
    >>> M = cp.scipy.sparse.linalg.ic0(A)
    >>> cp.scipy.sparse.linalg.cg(A, cp.array([6.0, 12, 14]), M=M)[0].round(6)
    array([1., 2., 3.])
    """
    from .. import tril

    A, lower = _factored(_rows_of(tril(_rows_of(A), format="csr")), True, "ic0")
    return _Factors((lower, _adjoint_of(lower)), sweeps)


class _Scaling(LinearOperator):
    """The product with a diagonal matrix. A class, so that it can be pickled."""

    is_capturable = True

    def __init__(self, diagonal: Any) -> None:
        super().__init__(diagonal.dtype, (diagonal.size, diagonal.size))
        self._diagonal, self._conjugate = diagonal, diagonal.conj()

    def _matvec(self, x: Any) -> Any:
        return self._diagonal.reshape(-1, *[1] * (x.ndim - 1)) * x

    def _rmatvec(self, x: Any) -> Any:
        return self._conjugate.reshape(-1, *[1] * (x.ndim - 1)) * x

    _matmat, _rmatmat = _matvec, _rmatvec


@own_device
def jacobi(A: Any) -> LinearOperator:
    """A preconditioner: the inverse of the diagonal.

    Parameters
    ----------
    A : (N, N) sparse array
        The matrix.

    Returns
    -------
    LinearOperator
        Divides by the diagonal, for `M` of the solvers.

    Raises
    ------
    LinAlgError
        For a zero on the diagonal.
    ValueError
        For a matrix that is not square.

    Notes
    -----
    Source: Saad 2003, section 10.2.

    >>> A = cp.scipy.sparse.csr_array(cp.array([[4.0, 1], [1, 2]]))
    >>> cp.scipy.sparse.linalg.jacobi(A) @ cp.array([4.0, 4.0])
    array([1., 2.])
    """
    A = taken(A)
    A = floating(A if issparse(A) else csr_array(A))
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"expected square matrix, but got shape={A.shape}")
    diagonal = A.diagonal()
    _require(diagonal != 0, "jacobi: a zero on the diagonal")
    return _Scaling(1 / diagonal)
