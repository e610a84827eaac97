"""Triangular systems: in one launch on a CPU, by the device's library or level by level on a GPU."""

from __future__ import annotations

import operator
import warnings
from typing import Any

import numpy as np

import cuproxide as cp

from .... import _cuproxide as _core
from ...._lib import kernel as k
from ...._lib.routes import way
from ...linalg import LinAlgError
from .. import SparseEfficiencyWarning, csc_array, csr_array, issparse
from .._devices import outside, own_device
from .._foreign import taken
from .._library import by_library
from .._structure import row_range

__all__ = ["is_sptriangular", "spbandwidth", "spsolve_triangular"]


@k.function
def _solve_row(offsets, columns, values, x, row, column, lower, unit):
    """One unknown, after those that it depends on."""
    total = x[row, column]
    pivot = 1.0
    begin, end = row_range(offsets, row, columns)
    for place in k.steps(begin, end):
        other = columns[place]
        if other == row:
            pivot = values[place]
        elif other < row if lower else other > row:
            total -= values[place] * x[other, column]
    x[row, column] = total if unit else total / pivot


@k.kernel(bounded=True)
def _substitute(offsets: k.Array, columns: k.Array, values: k.Array, x: k.Out, column: k.Each, *, lower, unit):
    """Solves for a right-hand side, row by row."""
    count = offsets.shape[0] - 1
    for step in k.steps(count):
        row = step if lower else count - 1 - step
        _solve_row(offsets, columns, values, x, row, column, lower, unit)


@k.kernel(bounded=True)
def _substitute_level(
    offsets: k.Array, columns: k.Array, values: k.Array, x: k.Out, row: k.Each, column: k.Each, *, lower, unit
):
    """Solves for rows that do not depend on each other."""
    _solve_row(offsets, columns, values, x, row, column, lower, unit)


@k.kernel(bounded=True)
def _levels(offsets: k.Array, columns: k.Array, levels: k.Array, row: k.Each, *, lower):
    """One more than the highest level that a row depends on; returns whether it is new."""
    level = 0
    begin, end = row_range(offsets, row, columns)
    for place in k.steps(begin, end):
        other = columns[place]
        if other < row if lower else other > row:
            level = max(level, levels[other] + 1)
    return level, level != levels[row]


SINGULAR, SPOILT, SAFE = 2, 1, 0
"""Kinds of diagonals: with a zero; with an element whose reciprocal overflows or underflows; without either."""


def _diagonal_kind(values: Any, columns: Any, offsets: Any) -> int:
    """Whether systems have a solution, and whether a library may multiply by reciprocals; one read from the device.

    rocSPARSE multiplies by reciprocals. It computes the reciprocal of a complex number by its squared modulus, replaces
    zeros by ones, and reports success in every case.
    """
    count = offsets.shape[0] - 1
    if not count:
        return SAFE
    diagonal = csr_array._made(values, columns, offsets, (count, count), canonical=True).diagonal()
    sizes, least = abs(diagonal), float(np.finfo(values.dtype).tiny) ** (0.5 if values.dtype.kind == "c" else 1.0)
    fits = (sizes >= least) & (sizes <= 1 / least)
    return int(cp.where(diagonal == 0, SINGULAR, cp.where(fits, SAFE, SPOILT)).max())


class Triangle:
    """A triangle of a matrix in compressed rows. It keeps the analysis of its pattern for later systems.

    `kind` is the kind of its diagonal, if that is known.
    """

    def __init__(
        self, offsets: Any, columns: Any, values: Any, *, lower: bool, unit: bool, kind: int | None = None
    ) -> None:
        self.rows, self._kind = (offsets, columns, values), kind
        self.lower, self.unit = lower, unit
        self._parts: list[Any] | None = None
        self._analyses: dict[Any, Any] = {}

    def _analysis(self, kind: Any) -> Any:
        """What the device's library has found out of the triangle in a type, nothing if it is not to solve."""
        kind = np.dtype(kind)
        if kind not in self._analyses:
            # It waits for the device.
            if cp.cuda.get_current_stream().is_capturing():
                return None
            offsets, columns, values = self.rows
            parts = (values.astype(kind, copy=False), columns, offsets)
            found = None
            if offsets.dtype == columns.dtype and by_library("triangle", parts):
                known = self._kind is not None and kind == values.dtype
                if self.unit or (self._kind if known else _diagonal_kind(*parts)) == SAFE:
                    found = _core.sparse_analyse(parts, self.lower, self.unit)
            self._analyses[kind] = found
        return self._analyses[kind]

    def levels(self, most: int | None = None) -> Any:
        """The rows of each level; none if there are more than `most`, which is found out to the next 8.

        Levels are read once every 8 sweeps; there are as many launches as levels.
        """
        if self._parts is None:
            offsets, columns, _ = self.rows
            count = offsets.shape[0] - 1
            nodes, levels = cp.arange(count), cp.zeros(count, np.int64)
            for number in range(count + 1):
                levels, changed = _levels(offsets, columns, levels, nodes, lower=self.lower)
                if number % 8 == 7 and not bool(changed.any()):
                    break
                if most is not None and number >= most + 8:
                    return None
            order = cp.argsort(levels, kind="stable")
            ends = np.cumsum(cp.asnumpy(cp.bincount(levels)))
            self._parts = [order[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]
        return self._parts

    def solve(self, right: Any, by_levels: bool | None = None) -> Any:
        """Solutions for the columns of `right`, a new matrix in the dtype of both."""
        kind = np.result_type(self.rows[2].dtype, right.dtype)
        # The library takes one vector.
        if by_levels is None and right.shape[1] == 1 and right.size:
            analysis = self._analysis(kind)
            if analysis is not None:
                return analysis.solve(right[:, 0].astype(kind, copy=False))[:, None]
        x = right.astype(kind)
        rows = (*self.rows[:2], self.rows[2].astype(kind, copy=False))
        count, width = x.shape
        if count == 0 or width == 0:
            return x
        choice = {"lower": self.lower, "unit": self.unit}
        columns = cp.arange(width)
        if not (way("by levels", x) if by_levels is None else by_levels):
            _substitute(*rows, x, columns, **choice)
        else:
            for level in self.levels():
                _substitute_level(*rows, x, level[:, None], columns, **choice)
        return x


class Substitution:
    """Explicit factors `A[rows, columns] = L U` on the device, with the triangles that systems take in turns.

    Parameters
    ----------
    parts : list of arrays
        Offsets, rows and elements of the columns of `L`, those of `U`, and the rows and columns of the matrix.
    order : int
        Rows of the matrix.
    dtype : dtype
        The type of the elements.
    """

    def __init__(self, parts: list[Any], order: int, dtype: Any) -> None:
        self.parts, self.order, self.dtype = parts, order, np.dtype(dtype)
        self._triangles: dict[str, tuple[Triangle, Triangle]] = {}

    def factor(self, first: int) -> Any:
        """`L` (0) or `U` (3) in CSC format."""
        offsets, rows, values = self.parts[first : first + 3]
        kind = np.int32 if max(rows.shape[0], self.order) < 2**31 else np.int64
        parts = values.astype(self.dtype, copy=False), rows.astype(kind), offsets.astype(kind)
        return csc_array(parts, shape=(self.order, self.order))

    def is_shallow(self, trans: str, most: int) -> bool:
        """Whether both triangles have at most so many levels, or few more."""
        return all(triangle.levels(most) is not None for triangle in self._pair(trans))

    def solve(self, right: Any, trans: str) -> Any:
        """Solutions for the columns of `right`: for the matrix ('N'), its transpose ('T') or its adjoint ('H')."""
        rows, columns = self.parts[6:]
        first, second = self._pair(trans)
        source, target = (rows, columns) if trans == "N" else (columns, rows)
        x = second.solve(first.solve(right[source]))
        result = cp.empty_like(x)
        result[target] = x
        return result

    def _pair(self, trans: str) -> tuple[Triangle, Triangle]:
        """The triangles to solve with, in their order."""
        if trans not in self._triangles:
            if trans == "N":
                made = []
                for factor, lower in ((self.factor(0), True), (self.factor(3), False)):
                    by_rows = factor.tocsr()
                    made.append(Triangle(by_rows.indptr, by_rows.indices, by_rows.data, lower=lower, unit=lower))
            else:
                # Compressed columns are the rows of the transpose.
                made = []
                for factor, lower in ((self.factor(3), True), (self.factor(0), False)):
                    data = factor.data.conj() if trans == "H" else factor.data
                    made.append(Triangle(factor.indptr, factor.indices, data, lower=lower, unit=not lower))
            self._triangles[trans] = (made[0], made[1])
        return self._triangles[trans]


@own_device
def spsolve_triangular(
    A: Any,
    b: Any,
    lower: bool = True,
    overwrite_A: bool = False,
    overwrite_b: bool = False,
    unit_diagonal: bool = False,
) -> Any:
    """Solves `A x = b` with a triangular matrix.

    A CPU substitutes row by row, right-hand sides in parallel, in one launch. On a GPU the vendor's library solves for
    a vector. Without it, and for several, all rows of a level are solved at once: there are as many launches as levels,
    the length of the longest chain of rows that depend on each other. Which rows these are is kept with a matrix in
    canonical CSR format.

    Parameters
    ----------
    A : (N, N) sparse array
        The matrix. Elements of the other triangle are not read.
    b : (N,) or (N, K) array
        The right-hand sides.
    lower : bool
        Whether it is a lower triangle.
    overwrite_A, overwrite_b : bool
        Not used: nothing is overwritten.
    unit_diagonal : bool
        Whether the diagonal counts as ones.

    Returns
    -------
    array
        The solutions, of the shape of `b`.

    Raises
    ------
    LinAlgError
        For a zero on the diagonal.
    ValueError
        For shapes that do not fit.

    Notes
    -----
    Source: `scipy.sparse.linalg.spsolve_triangular`.

    >>> A = cp.scipy.sparse.csr_array(cp.array([[2.0, 0.0], [1.0, 4.0]]))
    >>> cp.scipy.sparse.linalg.spsolve_triangular(A, cp.array([2.0, 9.0]))
    array([1., 2.])
    """
    del overwrite_A, overwrite_b
    A = taken(A)
    if not (issparse(A) and A.format in ("csc", "csr")):
        warnings.warn(
            "CSC or CSR matrix format is required. Converting to CSR matrix.",
            SparseEfficiencyWarning,
            stacklevel=outside(),
        )
        A = csr_array(A)
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"A must be a square matrix but its shape is {A.shape}.")
    b = cp.asarray(b)
    if b.ndim not in (1, 2):
        raise ValueError(f"b must have 1 or 2 dims but its shape is {b.shape}.")
    if A.shape[0] != b.shape[0]:
        raise ValueError(
            "The size of the dimensions of A must be equal to the size of the first dimension of b but the shape of A "
            f"is {A.shape} and the shape of b is {b.shape}."
        )
    rows = A.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    kind = np.promote_types(np.promote_types(A.dtype, np.float32), b.dtype)
    values = rows.data.astype(kind, copy=False)
    found = None if unit_diagonal else _diagonal_kind(values, rows.indices, rows.indptr)
    if found == SINGULAR:
        raise LinAlgError("A is singular: zero entry on diagonal.")
    unit = bool(unit_diagonal)
    triangle = Triangle(rows.indptr, rows.indices, values, lower=bool(lower), unit=unit, kind=found)
    known = getattr(A, "_levels", {})
    pattern = (rows.indptr, rows.indices)
    kept, levels = known.get(triangle.lower, (None, None))
    if kept is not None and all(map(operator.is_, kept, pattern)):
        triangle._parts = levels
    x = triangle.solve(b[:, None] if b.ndim == 1 else b).reshape(b.shape)
    if triangle._parts is not None and rows is A:
        A._levels = {**known, triangle.lower: (pattern, triangle._parts)}
    return x


def _coordinates(A: Any, name: str) -> tuple[Any, Any]:
    """The rows and columns of stored elements."""
    A = taken(A)
    if not issparse(A):
        warnings.warn(
            f"{name} needs a sparse format. Converting to CSR.", SparseEfficiencyWarning, stacklevel=outside()
        )
        A = csr_array(A)
    A = A.tocoo()
    return A.row, A.col


@own_device
def is_sptriangular(A: Any) -> tuple[bool, bool]:
    """Whether a matrix is lower and whether it is upper triangular; stored zeros count.

    Returns
    -------
    lower, upper : bool
        The answers, which are read from the device.

    Notes
    -----
    Source: `scipy.sparse.linalg.is_sptriangular`.

    >>> cp.scipy.sparse.linalg.is_sptriangular(cp.scipy.sparse.csr_array(cp.array([[1, 0], [2, 3]])))
    (True, False)
    """
    rows, columns = _coordinates(A, "is_sptriangular")
    return bool((columns <= rows).all()), bool((columns >= rows).all())


@own_device
def spbandwidth(A: Any) -> tuple[int, int]:
    """How many diagonals below and above the main one a matrix has; stored zeros count.

    Returns
    -------
    below, above : int
        The bandwidths, which are read from the device.

    Notes
    -----
    Source: `scipy.sparse.linalg.spbandwidth`.

    >>> cp.scipy.sparse.linalg.spbandwidth(cp.scipy.sparse.csr_array(cp.array([[1, 0], [2, 3]])))
    (1, 0)
    """
    rows, columns = _coordinates(A, "spbandwidth")
    if rows.shape[0] == 0:
        return 0, 0
    gaps = columns.astype(np.int64) - rows
    return max(0, -int(gaps.min())), max(0, int(gaps.max()))
