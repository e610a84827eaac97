"""Rational functions in the barycentric form: AAA and Floater and Hormann's."""

from __future__ import annotations

import operator
import warnings
from types import GenericAlias
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ... import concatenate, unique
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device
from ..._typing import ArrayLike
from ...linalg import qr, svd
from ..linalg import eigvals
from ._common import last_first, ufuncs

_absolute, _isfinite = ufuncs["absolute"], ufuncs["isfinite"]


@k.kernel
def _fraction(z: k.Each, points: k.Array, weights: k.Array, values: k.Array[1]):
    above: Any = 0.0
    below, hit = 0.0, -1
    for j in k.steps(points.shape[0]):
        distance = z - points[j]
        if distance == 0:
            hit = j
        part = weights[j] / distance
        above, below = above + part * values[j], below + part
    total = above / below
    if hit >= 0 and not k.isfinite(total):
        total = values[hit].astype(total.dtype)
    elif not k.isfinite(z) and z == z:
        total = _weighted(points, weights, values).astype(total.dtype)
    return total


@k.function
def _weighted(points, weights, values):
    """The value at infinity."""
    above, below = 0.0, 0.0
    for j in k.steps(points.shape[0]):
        above, below = above + weights[j] * values[j], below + weights[j]
    return above / below


class _BarycentricRational:
    __class_getitem__: classmethod[Any, ..., GenericAlias] = classmethod(GenericAlias)

    def __init__(self, x: ArrayLike, y: ArrayLike, axis: int = 0, **kwargs: Any) -> None:
        self._axis = axis
        z, f = as_device(x), as_device(y)
        self._validate(z, f, **kwargs)
        f = _core.moveaxis(f, axis, 0)
        kept = _isfinite(f).reshape(f.shape[0], -1).all(-1)
        if not bool(kept.all()):
            z, f = z[kept], f[kept]
        z, order = unique(z, return_index=True)
        f = f[order]
        self._shape = f.shape[1:]
        self._support_points, self._support_values, self.weights = self._compute_weights(z, f, **kwargs)
        self._forget()

    def _forget(self) -> None:
        self._poles: ndarray | None = None
        self._residues: ndarray | None = None
        self._roots: ndarray | None = None

    def _validate(self, x: ndarray, y: ndarray, **kwargs: Any) -> None:
        if x.ndim != 1:
            raise ValueError("`x` must be 1-D.")
        if not y.ndim >= 1:
            raise ValueError("`y` must be at least 1-D.")
        if x.size != y.shape[self._axis]:
            raise ValueError(f"`x` be of size {y.shape[self._axis]} but got size {x.size}.")
        if not bool(_isfinite(x).all()):
            raise ValueError("`x` must be finite.")

    def _compute_weights(self, z: ndarray, f: ndarray, **kwargs: Any) -> tuple[ndarray, ndarray, ndarray]:
        raise NotImplementedError

    def __call__(self, z: ArrayLike) -> ndarray:
        """The values at `z`."""
        z = as_device(z)
        values = self._support_values
        if z.dtype.kind not in "fc":
            z = z.astype(np.float64)
        flat = z.reshape((z.size, *(1,) * (values.ndim - 1)))
        out = _fraction(flat, self._support_points, self.weights, last_first(values)).reshape(z.shape + self._shape)
        return _core.moveaxis(out, 0, self._axis) if z.ndim > 0 else out

    def _eigenvalues(self, row: ndarray) -> ndarray:
        """The zeros of the sum of `row / (z - points)`.

        They are the eigenvalues of the diagonal of points between the orthogonal complements of `row` and of ones.
        """
        m = row.size
        dtype = np.result_type(row.dtype, self._support_points.dtype, np.complex64)
        if m < 2:
            return _core.zeros((0,), dtype)
        row, ones = row[:, None], _core.full((m, 1), 1.0, row.dtype)
        right, left = (qr(vector, mode="complete")[0][:, 1:] for vector in (row.conj(), ones))
        left = left.conj().T
        found = eigvals(_core.matmul(left, self._support_points[:, None] * right), _core.matmul(left, right))
        # A zero at infinity comes out as a large number.
        size = _absolute(self._support_points).max()
        return found[_isfinite(found) & (_absolute(found) < 1e14 * size)].astype(dtype, copy=False)

    def poles(self) -> ndarray:
        """The poles."""
        if self._poles is None:
            self._poles = self._eigenvalues(self.weights)
        return self._poles

    def residues(self) -> ndarray:
        """The residues at the poles."""
        if self._support_values.ndim > 1:
            raise NotImplementedError("Residues not implemented for multi-dimensional data.")
        if self._residues is None:
            inverse = 1 / (self.poles()[:, None] - self._support_points)
            above = (inverse * (self._support_values * self.weights)).sum(1)
            below = -(inverse**2 * self.weights).sum(1)
            self._residues = above / below
        return self._residues

    def roots(self) -> ndarray:
        """The zeros."""
        if self._support_values.ndim > 1:
            raise NotImplementedError("Roots not implemented for multi-dimensional data.")
        if self._roots is None:
            self._roots = self._eigenvalues(self.weights * self._support_values)
        return self._roots


class AAA(_BarycentricRational):
    """A rational function near to given values, real or complex (Nakatsukasa, Sète and Trefethen, 2018).

    Parameters
    ----------
    x, y : arrays of shape (n,)
        Points and values.
    rtol : float, optional
        The error to reach beside the largest value; `eps ** 0.75` by default.
    max_terms : int
        How many points the function may go through.
    clean_up : bool
        Whether poles with residues of about 0 are taken out again.
    clean_up_tol : float
        What is about 0.

    >>> x = cp.linspace(-1, 1, 50)
    >>> cp.scipy.interpolate.AAA(x, 1 / (x - 2))(0.5).round(8)
    array(-0.66666667)
    """

    def __init__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        *,
        rtol: float | None = None,
        max_terms: int = 100,
        clean_up: bool = True,
        clean_up_tol: float = 1e-13,
    ) -> None:
        super().__init__(x, y, rtol=rtol, max_terms=max_terms)
        if clean_up:
            self.clean_up(clean_up_tol)

    def _validate(self, x: ndarray, y: ndarray, **kwargs: Any) -> None:
        if operator.index(kwargs["max_terms"]) < 1:
            raise ValueError("`max_terms` must be an integer value greater than or equal to one.")
        if y.ndim != 1:
            raise ValueError("`y` must be 1-D.")
        super()._validate(x, y)

    @property
    def support_points(self) -> ndarray:
        """The interpolation points."""
        return self._support_points

    @property
    def support_values(self) -> ndarray:
        """The values there."""
        return self._support_values

    def _compute_weights(self, z: ndarray, f: ndarray, **kwargs: Any) -> tuple[ndarray, ndarray, ndarray]:
        rtol, max_terms = kwargs["rtol"], kwargs["max_terms"]
        count = z.size
        dtype = np.result_type(z.dtype, f.dtype, 1.0)
        z, f = z.astype(dtype, copy=False), f.astype(dtype, copy=False)
        epsilon = float(np.finfo(dtype).eps)
        atol = (epsilon**0.75 if rtol is None else rtol) * float(_absolute(f).max())
        free = _core.full((count,), True, np.bool_)
        chosen: list[ndarray] = []
        columns: list[ndarray] = []
        errors: list[ndarray] = []
        fit, is_ill = _core.broadcast_to(f.mean(), f.shape), False
        number = _core.arange(0, 1, count, np.int64)
        for m in range(max_terms):
            place = _core.where(free, _absolute(f - fit), -1.0).argmax()
            chosen.append(place.reshape(1))
            free = free & (number != place)
            # Rows of points that were chosen are 0, which leaves the singular vectors as they are without these rows.
            columns.append(_core.where(free, 1 / _core.where(number == place, 1.0, z - z[place]), 0.0))
            where = concatenate(chosen)
            zj, fj = z[where], f[where]
            cauchy = concatenate([column[:, None] for column in columns], axis=1)
            cauchy = _core.where(free[:, None], cauchy, 0.0)
            loewner = (f[:, None] - fj) * cauchy
            weights, is_ill = _null_vector(loewner, count - (m + 1), epsilon, is_ill)
            above, below = _core.matmul(cauchy, weights * fj), _core.matmul(cauchy, weights)
            fit = _core.where(free, above / _core.where(free, below, 1.0), f)
            error = _absolute(f - fit).max()
            errors.append(error.reshape(1))
            if float(error) <= atol or m + 1 == count:
                break
        if m == max_terms - 1:
            warnings.warn(f"AAA failed to converge within {max_terms} iterations.", RuntimeWarning, stacklevel=3)
        self.errors = concatenate(errors)
        self._points, self._values = z, f
        used = weights != 0
        return zj[used], fj[used], weights[used].astype(dtype, copy=False)

    def clean_up(self, cleanup_tol: float = 1e-13) -> int:
        """Takes out poles with residues of about 0, with the next points; returns how many."""
        mean = ufuncs["exp"](ufuncs["log"](_absolute(self._values)).mean())
        poles = self.poles()
        near = _absolute(poles[:, None] - self._points).min(1)
        spurious = _absolute(self.residues()) / near < cleanup_tol * mean
        count = int(spurious.sum())
        if count == 0:
            return count
        warnings.warn(f"{count} Froissart doublets detected.", RuntimeWarning, stacklevel=3)
        closest = _absolute(self._support_points[:, None] - poles[spurious]).argmin(0)
        kept = _core.full((self._support_points.size,), True, np.bool_)
        kept[closest] = False
        self._support_points, self._support_values = self._support_points[kept], self._support_values[kept]
        free = (self._points[:, None] != self._support_points).all(1)
        z, f = self._points[free], self._values[free]
        cauchy = 1 / (z[:, None] - self._support_points)
        matrix = f[:, None] * cauchy - cauchy * self._support_values
        self.weights = svd(matrix)[2][self._support_points.size - 1].conj().astype(self.weights.dtype, copy=False)
        self._forget()
        return count


def _null_vector(matrix: ndarray, rows: int, epsilon: float, is_ill: bool) -> tuple[ndarray, bool]:
    """Weights for which the product is smallest, and whether the matrix had to be scaled."""
    columns = matrix.shape[1]
    triangle = qr(matrix, mode="r") if matrix.shape[0] > columns else matrix
    if rows < columns:
        _, s, v = svd(triangle)
        tolerance = s.max() * (epsilon * max(rows, columns))
        rank = int((s > tolerance).sum())
        null = v[rank:].conj()
        return null.sum(0) * (1.0 / max(null.shape[0], 1) ** 0.5), is_ill
    _, s, v = svd(triangle, full_matrices=False)
    norm = None
    smallest = s.min()
    if not is_ill:
        is_ill = not bool(s[0] <= smallest * (1 / (3 * epsilon)))
    if is_ill:
        norm = ufuncs["sqrt"]((_absolute(matrix) ** 2).sum(0))
        _, s, v = svd(triangle / norm, full_matrices=False)
        smallest = s.min()
    least = s == smallest
    weights = _core.where(least[:, None], v.conj(), 0.0).sum(0) / ufuncs["sqrt"](least.sum().astype(np.float64))
    return (weights if norm is None else weights / norm), is_ill


@k.kernel
def _fh_weight(z: k.Array, number: k.Each, d: int):
    """Floater and Hormann's weight of a point."""
    n = z.shape[0]
    total = 0.0
    for i in k.steps(max(number - d, 0), min(number + 1, n - d)):
        product = 1.0
        for j in k.steps(i, i + d + 1):
            if j != number:
                product *= abs(z[number] - z[j])
        total += 1.0 / product
    return k.where((number - d) % 2 == 0, total, -total)


class FloaterHormannInterpolator(_BarycentricRational):
    """A rational function through points that has no poles between them (Floater and Hormann, 2007).

    Parameters
    ----------
    points : array of shape (n,)
        Points.
    values : array with n elements along `axis`
        Values.
    d : int
        The degree of the polynomials that are blended.
    axis : int
        The axis that goes with the points.

    >>> x = cp.linspace(-1, 1, 21)
    >>> cp.scipy.interpolate.FloaterHormannInterpolator(x, x**3)(0.33).round(6)
    array(0.035937)
    """

    def __init__(self, points: ArrayLike, values: ArrayLike, *, d: int = 3, axis: int = 0) -> None:
        super().__init__(points, values, d=d, axis=axis)

    def _validate(self, x: ndarray, y: ndarray, **kwargs: Any) -> None:
        d = operator.index(kwargs["d"])
        if x.ndim != 1:
            raise ValueError("`x` must be 1-D.")
        if not 0 <= d < len(x):
            raise ValueError("`d` must satisfy 0 <= d < n")
        super()._validate(x, y)

    def _compute_weights(self, z: ndarray, f: ndarray, **kwargs: Any) -> tuple[ndarray, ndarray, ndarray]:
        d = kwargs["d"]
        dtype = np.result_type(z.dtype, 1.0)
        weights = _fh_weight(z.astype(dtype, copy=False), _core.arange(0, 1, z.size, np.int64), d)
        return z, f, weights.astype(dtype, copy=False)


__all__ = ["AAA", "FloaterHormannInterpolator"]
