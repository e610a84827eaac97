"""Arnoldi bases on the device, with their small matrices read a few columns at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import cuproxide as cp

from ...._lib.routes import way
from ._panel import Panel, Steps, times_vector
from ._systems import epsilon


def orthogonalised(basis: Any, w: Any) -> tuple[Any, Any]:
    """`w` without its parts along an orthonormal basis, and these parts: classical Gram-Schmidt, twice."""
    parts = times_vector(basis, w)
    w = w - parts @ basis
    more = times_vector(basis, w)
    return w - more @ basis, parts + more


BEARABLE = 1e-3
"""Inner products of basis vectors that change residuals by as small a share of them."""


def chunk() -> int:
    """Columns between two reads: a device that runs ahead waits for each."""
    return int(way("columns between reads"))


class Arnoldi:
    """The relation `A Z = C B + V H` of a flexible Arnoldi process.

    `V` has orthonormal vectors and the first one given, `Z` what the operator was applied to, `C` vectors that all
    are kept orthogonal to. Inner products in `V` are rounding, or up to `bearable`. `H` and `B` are small matrices on
    the host, of as many columns as were made so far. A `product` that is all a column takes can be repeated (`take`);
    `operators` are those that it consists of.
    """

    def __init__(
        self,
        first: Any,
        most: int,
        fixed: Sequence[Any] = (),
        bearable: float = 0.0,
        product: Callable[[Any], Any] | None = None,
        operators: Sequence[Any] | None = None,
    ) -> None:
        self._panel = Panel(first, most, bearable=bearable, follows=product is not None)
        self._steps: Any = None if product is None else Steps(self._panel, product, operators)
        self.V = self._panel.V
        self.C = cp.stack(list(fixed)) if fixed else None
        self.Z: list[Any] = []
        self._inside: list[Any] = []
        self._read = 0
        kind = first.dtype
        self.H = np.zeros((most + 1, most), kind)
        self.B = np.zeros((len(fixed), most), kind)
        self.ended: int | None = None

    def begin(self, first: Any) -> None:
        """Restarts from another first vector, without columns."""
        self._panel.begin(first)
        self.Z, self._inside, self._read, self.ended = [], [], 0, None
        self.H[...] = self.B[...] = 0

    @property
    def made(self) -> int:
        return len(self.Z)

    def take(self, count: int) -> None:
        """Adds columns of the product with the last vector of `V`."""
        self._steps.take(count)
        self.Z += [None] * count

    def extend(self, z: Any, w: Any) -> None:
        """Adds a column: `w` is the operator times `z`, or times the last vector of `V` if that is None."""
        if self.C is not None:
            w, inside = orthogonalised(self.C, w)
            self._inside.append(inside)
        self._panel.add(w)
        self.Z.append(z)

    def read(self) -> None:
        """Fetches the columns that are new; `ended` is the number of columns after which the space is invariant."""
        first, last = self._read, self.made
        if first == last:
            return
        if self._inside:
            self.B[:, first:last] = cp.asnumpy(cp.stack(self._inside)).T
            self._inside = []
        values = cp.asnumpy(self._panel.H[first:last]).astype(self.H.dtype, copy=False)
        for j, column in zip(range(first, last), values, strict=True):
            self.H[: j + 2, j] = column[: j + 2]
            # Nothing is left where the space is invariant: what is left then is rounding.
            if not column[j + 1].real > epsilon(column.dtype) * np.linalg.norm([*self.B[:, j], *column[: j + 2]]):
                self.H[j + 1, j] = 0
                self.ended = j + 1 if self.ended is None else self.ended
        self._read = last

    def combined(self, y: np.ndarray) -> Any:
        """The combination of `Z` with the coefficients `y`."""
        directions = self.Z[: len(y)]
        if all(z is None for z in directions):
            return self._panel.combined(y)
        rows = [self.V[j] if z is None else z for j, z in enumerate(directions)]
        return cp.asarray(y.astype(self.V.dtype, copy=False)) @ cp.stack(rows)


class Triangle:
    """The QR factors of a growing Hessenberg matrix by Givens rotations, on the host, in Python numbers."""

    def __init__(self, beta: float, dtype: Any) -> None:
        self.dtype = np.result_type(dtype, np.float64)
        self.columns: list[list[Any]] = []
        self.right: list[Any] = [beta]
        self.rotations: list[tuple[Any, Any, Any, Any]] = []

    def add(self, column: np.ndarray) -> float:
        """Takes a column with one element more than the one before; returns the norm of the residual."""
        h = column.tolist()
        for j, (c, s, c_conj, s_conj) in enumerate(self.rotations):
            h[j], h[j + 1] = c_conj * h[j] + s_conj * h[j + 1], c * h[j + 1] - s * h[j]
        j = len(self.rotations)
        size = math.hypot(abs(h[j]), abs(h[j + 1]))
        c, s = (h[j] / size, h[j + 1] / size) if size else (1.0, 0.0)
        self.rotations.append((c, s, c.conjugate(), s.conjugate()))
        self.columns.append([*h[:j], size])
        last = self.right[j]
        self.right[j] = c.conjugate() * last
        self.right.append(-s * last)
        return abs(self.right[j + 1])

    def solution(self, count: int) -> np.ndarray:
        """The coefficients that minimise the residual; 0 for directions that the operator takes to 0."""
        y = np.array(self.right[:count], self.dtype)
        for k in range(count - 1, -1, -1):
            column = np.array(self.columns[k], self.dtype)
            y[k] = y[k] / column[k] if column[k] != 0 else 0
            y[:k] -= y[k] * column[:k]
        return y


def least_squares(
    process: Arnoldi,
    advance: Callable[[int], tuple[Any, Any]] | None,
    most: int,
    beta: float,
    enough: float,
    seen: Any = None,
) -> tuple[np.ndarray, float]:
    """Extends a basis until the residual `beta e1 - H y` is small enough; returns `y` and the residual's norm.

    An invariant space ends it as well.

    `advance` returns the next direction, or None for the last vector, and the operator times it; without it the product
    of the process is repeated. `seen` is called with the residual after each column, and ends the process by returning
    True.
    """
    triangle = Triangle(beta, process.V.dtype)
    residual = beta
    used = 0
    while used < most:
        count = min(chunk(), most - used)
        if advance is None:
            process.take(count)
        else:
            for _ in range(count):
                process.extend(*advance(process.made))
        process.read()
        while used < process.made:
            residual = triangle.add(process.H[: used + 2, used])
            used += 1
            stop = seen is not None and seen(residual)
            if stop or not residual > enough or process.ended == used:
                return triangle.solution(used), residual
    return triangle.solution(used), residual
