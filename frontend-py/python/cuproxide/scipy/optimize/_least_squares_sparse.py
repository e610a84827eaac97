"""What least squares with sparse Jacobians need: differences of groups of columns, steps in a plane."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import to_host
from ._differences import as_values, offsets


class Pattern:
    """Where a Jacobian may differ from zero, with its columns in groups of which no two share a row.

    Parameters
    ----------
    structure : array_like or sparse matrix of shape (m, n)
        Elements other than zero say where.
    shape : tuple of int
        The shape that it must have.

    Raises
    ------
    ValueError
        If it has another shape.
    """

    def __init__(self, structure: Any, shape: tuple[int, int]) -> None:
        pattern = cp.scipy.sparse.coo_array(structure if hasattr(structure, "tocoo") else cp.asarray(structure))
        if pattern.shape != shape:
            raise ValueError("`jac_sparsity` has wrong shape.")
        present = pattern.data != 0
        self.shape = shape
        self.rows, self.columns = (cp.asarray(at)[present].astype(np.int64) for at in (pattern.row, pattern.col))
        groups = _grouped(to_host(self.rows), to_host(self.columns), shape)
        self.count = int(groups.max()) + 1 if groups.size else 0
        self.groups = cp.asarray(groups)

    def differences(
        self, fun: Callable[[ndarray], Any], x: ndarray, f0: ndarray, method: str, relative: Any, bounds: Any,
        mapper: Any = map,
    ) -> Any:  # fmt: skip
        """The Jacobian by differences, as a sparse array: a call or two for each group."""
        h, second, two_sided = offsets(x, method, relative, None, bounds)
        mine = [self.groups == group for group in range(self.count)]
        at = self.groups[self.columns], self.rows

        def moved(step: ndarray) -> ndarray:
            """The values with each group's variables moved, at the elements of the pattern."""
            points = [x + cp.where(own, step, 0) for own in mine]
            values = [as_values(value) for value in mapper(fun, points)]
            return cp.stack(values)[at] if values else cp.zeros(0, x.dtype)

        if method == "cs":
            quotients = cp.imag(moved(1j * h)) / h[self.columns]
        else:
            here, dx = f0[self.rows], ((x + h) - x)[self.columns]
            one = moved(h)
            if method == "2-point":
                quotients = (one - here) / dx
            else:
                two, width = moved(second), ((x + second) - x)[self.columns]
                quotients = cp.where(
                    two_sided[self.columns], (one - two) / (dx - width), (4 * one - 3 * here - two) / width
                )
        return cp.scipy.sparse.csr_array((quotients, (self.rows, self.columns)), shape=self.shape)


def _grouped(rows: np.ndarray, columns: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """The first group for each column of which no member shares a row with it (Curtis, Powell and Reid, 1974)."""
    order = np.argsort(columns, kind="stable")
    ends = np.cumsum(np.bincount(columns, minlength=shape[1])).tolist()
    sorted_rows = rows[order].tolist()
    taken: list[set[int]] = [set() for _ in range(shape[0])]
    groups, start = np.zeros(shape[1], dtype=np.int64), 0
    for column, end in enumerate(ends):
        own = sorted_rows[start:end]
        used = set().union(*(taken[row] for row in own))
        group = 0
        while group in used:
            group += 1
        groups[column] = group
        for row in own:
            taken[row].add(group)
        start = end
    return groups


class Normal:
    """The Hessian of the linear problem in scaled variables, by products with vectors of the host."""

    def __init__(self, j: Any, d: np.ndarray, extra: np.ndarray) -> None:
        self.j, self.d, self.extra = j, d, extra

    def __matmul__(self, v: np.ndarray) -> np.ndarray:
        moved = self.j @ cp.asarray(self.d * v, dtype=self.j.dtype)
        return self.d * to_host(self.j.T @ moved) + self.extra * v

    def plane(self, f: ndarray, gradient: np.ndarray, radius: float, options: dict[str, Any]) -> tuple[Any, Any, Any]:
        """Singular values, coordinates and vectors of the problem in the plane of the gradient and Newton's step."""
        options = dict(options)
        extra = self.extra
        if options.pop("regularize", True):
            extra = extra + self._reduction(gradient, radius) / radius**2
        sparse = cp.scipy.sparse
        scaled = self.j @ sparse.diags_array(cp.asarray(self.d, dtype=self.j.dtype))
        if extra.any():
            scaled = sparse.vstack([scaled, sparse.diags_array(cp.asarray(np.sqrt(extra), dtype=self.j.dtype))])
            f = cp.concatenate([f, cp.zeros(extra.size, f.dtype)])
        newton = to_host(sparse.linalg.lsmr(scaled.tocsr(), f, **options)[0]).astype(float)
        basis, _ = np.linalg.qr(np.stack([gradient, newton], axis=1))
        products = np.stack([self @ basis[:, 0], self @ basis[:, 1]], axis=1)
        small = basis.T @ products
        values, vectors = np.linalg.eigh((small + small.T) / 2)
        values, vectors = values[::-1], vectors[:, ::-1]
        s = np.sqrt(np.maximum(values, np.finfo(float).eps ** 2 * max(values[0], 1e-300)))
        return vectors.T @ (basis.T @ gradient) / s, s, basis @ vectors

    def _reduction(self, gradient: np.ndarray, radius: float) -> float:
        """By how much the model falls down the gradient within the radius."""
        square, curve = float(gradient @ gradient), float(gradient @ (self @ gradient))
        if square == 0:
            return 0.0
        longest = radius / math.sqrt(square)
        t = min(longest, square / curve) if curve > 0 else longest
        return t * square - 0.5 * t * t * curve
