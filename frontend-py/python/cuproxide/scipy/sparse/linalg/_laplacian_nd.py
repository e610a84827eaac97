"""Laplacians of grids as operators."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import cuproxide as cp

from .. import coo_array
from ._operators import LinearOperator

__all__ = ["LaplacianNd"]


class LaplacianNd(LinearOperator):
    """The Laplacian of a grid with any number of axes, with its eigenvalues and eigenvectors.

    Parameters
    ----------
    grid_shape : tuple of int
        The points along each axis.
    boundary_conditions : {'neumann', 'dirichlet', 'periodic'}
        What is assumed beyond the ends.
    dtype : dtype
        Of the matrix, by default int8.

    Raises
    ------
    ValueError
        For other boundary conditions.

    Notes
    -----
    Source: `scipy.sparse.linalg.LaplacianNd`.

    >>> cp.scipy.sparse.linalg.LaplacianNd((3,)).toarray()
    array([[-1,  1,  0],
           [ 1, -2,  1],
           [ 0,  1, -1]], dtype=int8)
    """

    def __init__(self, grid_shape: Any, *, boundary_conditions: str = "neumann", dtype: Any = np.int8) -> None:
        if boundary_conditions not in ("dirichlet", "neumann", "periodic"):
            raise ValueError(
                f"Unknown value {boundary_conditions!r} is given for 'boundary_conditions' parameter. "
                "The valid options are 'dirichlet', 'periodic', and 'neumann' (default)."
            )
        self.grid_shape = tuple(int(n) for n in grid_shape)
        self.boundary_conditions = boundary_conditions
        count = math.prod(self.grid_shape)
        super().__init__(dtype, (count, count))

    def _axis_values(self, axis: int) -> Any:
        """The eigenvalues along one axis."""
        n = self.grid_shape[axis]
        j = cp.arange(n, dtype=np.float64)
        if self.boundary_conditions == "dirichlet":
            return -4 * cp.sin(np.pi * (j + 1) / (2 * (n + 1))) ** 2
        if self.boundary_conditions == "neumann":
            return -4 * cp.sin(np.pi * j / (2 * n)) ** 2
        return -4 * cp.sin(np.pi * cp.floor((j + 1) / 2) / n) ** 2

    def _ordered(self, m: int | None) -> tuple[Any, Any]:
        """The eigenvalues, ascending, and their places on the grid of waves."""
        total = cp.zeros(self.grid_shape)
        for axis in range(len(self.grid_shape)):
            shape = [1] * len(self.grid_shape)
            shape[axis] = -1
            total = total + self._axis_values(axis).reshape(shape)
        flat = total.reshape(-1)
        order = cp.argsort(flat, kind="stable")
        order = order if m is None else order[-m:]
        return flat[order], order

    def eigenvalues(self, m: int | None = None) -> Any:
        """The eigenvalues, or the `m` largest of them, ascending.

        >>> cp.scipy.sparse.linalg.LaplacianNd((2,)).eigenvalues()
        array([-2.,  0.])
        """
        return self._ordered(m)[0]

    def _waves(self, axis: int, j: Any) -> Any:
        """The eigenvectors with the numbers `j` along one axis, as columns."""
        n = self.grid_shape[axis]
        i = cp.arange(n, dtype=np.float64)[:, None]
        if self.boundary_conditions == "dirichlet":
            waves = math.sqrt(2 / (n + 1)) * cp.sin(np.pi * (i + 1) / (n + 1) * (j + 1))
        elif self.boundary_conditions == "neumann":
            waves = cp.sqrt(cp.where(j == 0, 1.0, 2.0) / n) * cp.cos(np.pi * (i + 0.5) / n * j)
        else:
            angle = np.pi * (i + 0.5) / n
            waves = cp.where(j % 2 == 1, cp.sin(angle * (j + 1)), cp.cos(angle * j)) * math.sqrt(2 / n)
            waves = cp.where(j == 0, math.sqrt(1 / n), waves)
            if n % 2 == 0:
                waves = cp.where(j + 1 == n, math.sqrt(1 / n) * (1 - 2 * (i % 2)), waves)
        # By symmetry what is so small is 0.
        return cp.where(abs(waves) < np.finfo(np.float64).eps, 0.0, waves)

    def eigenvectors(self, m: int | None = None) -> Any:
        """The eigenvectors that go with `eigenvalues(m)`, as columns.

        >>> cp.scipy.sparse.linalg.LaplacianNd((2,)).eigenvectors(1).round(3)
        array([[0.707],
               [0.707]])
        """
        _, order = self._ordered(m)
        result = None
        for axis, j in enumerate(cp.unravel_index(order, self.grid_shape)):
            waves = self._waves(axis, j)
            result = waves if result is None else (result[:, None, :] * waves[None]).reshape(-1, waves.shape[1])
        return result

    def _stencil(self) -> tuple[Any, Any, Any]:
        """The rows, columns and values of the matrix, with duplicates."""
        count = self.shape[0]
        places = cp.arange(count).reshape(self.grid_shape)
        rows, columns, values = [], [], []
        diagonal = cp.full(self.grid_shape, -2 * len(self.grid_shape), np.int64)
        for axis, n in enumerate(self.grid_shape):
            at = cp.arange(n).reshape([-1 if other == axis else 1 for other in range(len(self.grid_shape))])
            for step, end in ((1, n - 1), (-1, 0)):
                beside = cp.roll(places, -step, axis=axis)
                inside = cp.broadcast_to(at != end, self.grid_shape)
                if self.boundary_conditions == "neumann":
                    diagonal = diagonal + ~inside
                there = cp.nonzero((inside | (self.boundary_conditions == "periodic")).reshape(-1))[0]
                rows.append(places.reshape(-1)[there])
                columns.append(beside.reshape(-1)[there])
                values.append(cp.ones(there.shape[0], np.int64))
        rows.append(places.reshape(-1))
        columns.append(places.reshape(-1))
        values.append(diagonal.reshape(-1))
        return cp.concatenate(rows), cp.concatenate(columns), cp.concatenate(values)

    def tosparse(self) -> Any:
        """The matrix as a sparse array.

        >>> cp.scipy.sparse.linalg.LaplacianNd((3,)).tosparse().nnz
        7
        """
        rows, columns, values = self._stencil()
        matrix = coo_array((values, (rows, columns)), shape=self.shape)
        matrix.sum_duplicates()
        return matrix.astype(self.dtype).todia() if hasattr(matrix, "todia") else matrix.astype(self.dtype).tocsr()

    def toarray(self) -> Any:
        """The matrix as a dense array.

        >>> cp.scipy.sparse.linalg.LaplacianNd((2,)).toarray()
        array([[-1,  1],
               [ 1, -1]], dtype=int8)
        """
        rows, columns, values = self._stencil()
        return coo_array((values, (rows, columns)), shape=self.shape).toarray().astype(self.dtype)

    def _matvec(self, x: Any) -> Any:
        shape = (*self.grid_shape, -1)
        grid = x.reshape(shape)
        axes = len(self.grid_shape)
        result = grid * -2 * axes
        for axis, n in enumerate(self.grid_shape):
            at = cp.arange(n).reshape([-1 if other == axis else 1 for other in range(axes + 1)])
            for step, end in ((-1, n - 1), (1, 0)):
                beside = cp.roll(grid, step, axis=axis)
                if self.boundary_conditions == "neumann":
                    beside = cp.where(at == end, grid, beside)
                elif self.boundary_conditions == "dirichlet":
                    beside = cp.where(at == end, 0, beside).astype(grid.dtype, copy=False)
                result = result + beside
        return result.reshape(x.shape[0], -1) if x.ndim == 2 else result.reshape(-1)

    _matmat = _matvec

    def _adjoint(self) -> LinearOperator:
        return self

    _transpose = _adjoint
