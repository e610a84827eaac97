"""Distributions of matrices, and of directions by them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device
from ._common import generator, points
from ._math import LOG2PI
from ._multivariate import Covariance, _normal_parameters
from ._multivariate_base import _number, _size, multi_generic


class matrix_normal_gen(multi_generic):
    """The matrix normal distribution."""

    _names = ("mean", "rowcov", "colcov")
    _attributes = ("dims", "mean", "rowcov", "colcov", "rowpsd", "colpsd")

    def _shown(self, mean: Any = None, rowcov: Any = 1, colcov: Any = 1) -> dict[str, Any]:
        m, rows, columns = self._parameters(mean, rowcov, colcov)
        return {
            "dims": m.shape, "mean": m, "rowcov": rows.covariance, "colcov": columns.covariance, "rowpsd": rows,
            "colpsd": columns,
        }  # fmt: skip

    def _check(self, mean: Any = None, rowcov: Any = 1, colcov: Any = 1) -> None:
        self._parameters(mean, rowcov, colcov)

    def _parameters(self, mean: Any, rowcov: Any, colcov: Any) -> tuple[ndarray, Covariance, Covariance]:
        m = None if mean is None else points(as_device(mean))
        if m is not None and m.ndim != 2:
            raise ValueError("Array `mean` must be 2D.")
        if m is not None and m.size == 0:
            raise ValueError(f"Array `mean` has invalid shape {m.shape}.")
        for name, cov, kind, length in (
            ("rowcov", rowcov, "rows", None if m is None else m.shape[0]),
            ("colcov", colcov, "columns", None if m is None else m.shape[1]),
        ):
            shape = np.shape(cov)
            if len(shape) > 2:
                raise ValueError(f"`{name}` must be a scalar or a 2D array, not of the shape {shape}.")
            if len(shape) == 2 and shape[0] != shape[1]:
                raise ValueError(f"Array `{name}` must be square, but its shape is {shape}.")
            if shape and shape[0] == 0:
                raise ValueError(f"Array `{name}` has invalid shape {shape}.")
            if shape and length is not None and shape[0] != length:
                raise ValueError(f"Arrays `mean` and `{name}` must have the same number of {kind}.")
        rows = _normal_parameters(None if m is None else cp.zeros(m.shape[0]), rowcov, False)[1]
        columns = _normal_parameters(None if m is None else cp.zeros(m.shape[1]), colcov, False)[1]
        return cp.zeros((rows.shape[0], columns.shape[0])) if m is None else m, rows, columns

    def logpdf(self, X: Any, mean: Any = None, rowcov: Any = 1, colcov: Any = 1) -> ndarray:  # noqa: N803
        """The logarithm of the density."""
        x = points(as_device(X))
        m, rows, columns = self._parameters(mean, rowcov, colcov)
        if x.shape[-2:] != m.shape:
            raise ValueError("The shape of array `X` is not compatible with the distribution parameters.")
        white = cp.swapaxes(cp.swapaxes(x - m, -1, -2) @ rows._whitener, -1, -2) @ columns._whitener
        r, c = m.shape
        squares = (white * white).sum(axis=(-1, -2))
        return -0.5 * (r * c * LOG2PI + c * rows.log_pdet + r * columns.log_pdet + squares).squeeze()

    def pdf(self, X: Any, mean: Any = None, rowcov: Any = 1, colcov: Any = 1) -> ndarray:  # noqa: N803
        """The density."""
        return cp.exp(self.logpdf(X, mean, rowcov, colcov))

    def rvs(
        self, mean: Any = None, rowcov: Any = 1, colcov: Any = 1, size: Any = 1, random_state: Any = None
    ) -> ndarray:
        """Random draws."""
        m, rows, columns = self._parameters(mean, rowcov, colcov)
        z = cp.asarray(generator(random_state).normal(size=(*_size(size), *m.shape)))
        x = m + rows._colorizer.T @ z @ columns._colorizer
        return x[0] if _size(size) == (1,) else x

    def entropy(self, rowcov: Any = 1, colcov: Any = 1) -> ndarray:
        """The differential entropy."""
        _, rows, columns = self._parameters(None, rowcov, colcov)
        r, c = rows.shape[0], columns.shape[0]
        return 0.5 * (r * c * (1 + LOG2PI) + c * rows.log_pdet + r * columns.log_pdet)


def _scale_matrix(scale: Any) -> ndarray:
    s = points(as_device(1.0 if scale is None else scale))
    if s.ndim == 0:
        return s.reshape(1, 1)
    if s.ndim == 1:
        return cp.diag(s)
    if s.ndim > 2 or s.shape[0] != s.shape[1]:
        raise ValueError(f"Array 'scale' must be square if it is two dimensional, but scale.scale = {s.shape}.")
    return s


def _log_gamma(a: float, d: int) -> float:
    """The logarithm of the multivariate gamma function."""
    return d * (d - 1) / 4 * math.log(math.pi) + sum(math.lgamma(a - j / 2) for j in range(d))


def _log_det(low: ndarray) -> ndarray:
    return 2 * np.log(cp.diagonal(low, axis1=-2, axis2=-1)).sum(axis=-1)


def _unwrapped(value: ndarray) -> ndarray:
    """A moment of one dimension as a number."""
    return value.squeeze() if value.size == 1 else value


def _matrices(x: Any, d: int) -> ndarray:
    """Matrices as SciPy takes them: the last axis counts them; a result has them first."""
    x = points(as_device(x))
    if x.ndim == 0:
        return x * cp.eye(d)
    if x.ndim == 1:
        return x[:, None, None] * cp.eye(d) if d == 1 else cp.diag(x)
    return x if x.ndim == 2 else cp.moveaxis(x, -1, 0)


class wishart_gen(multi_generic):
    """The Wishart distribution."""

    _names = ("df", "scale")
    _attributes = ("dim", "df", "scale", "C", "log_det_scale")

    def _shown(self, df: Any, scale: Any = None) -> dict[str, Any]:
        freedom, s, d = self._parameters(df, scale)
        low = cp.linalg.cholesky(s)
        return {"dim": d, "df": d if df is None else df, "scale": s, "C": low, "log_det_scale": _log_det(low)}

    def _check(self, df: Any, scale: Any = None, **kwds: Any) -> None:
        # A scale that is not positive definite has no factor.
        cp.linalg.cholesky(self._parameters(df, scale)[1])

    def _parameters(self, df: Any, scale: Any) -> tuple[float, ndarray, int]:
        s = _scale_matrix(scale)
        d = s.shape[0]
        if df is not None and np.ndim(df):
            raise ValueError(f"Degrees of freedom must be a scalar, not of the shape {np.shape(df)}.")
        df = d if df is None else float(_number(df))
        if df <= d - 1:
            raise ValueError("Degrees of freedom must be greater than the dimension of scale matrix minus 1.")
        return df, s, d

    def logpdf(self, x: Any, df: Any, scale: Any) -> ndarray:
        """The logarithm of the density."""
        df, s, d = self._parameters(df, scale)
        x, low = _matrices(x, d), cp.linalg.cholesky(s)
        white = cp.linalg.solve(s, x)
        trace = cp.trace(white, axis1=-2, axis2=-1)
        log_x = _log_det(cp.linalg.cholesky(x))
        constant = 0.5 * df * d * math.log(2) + 0.5 * df * _log_det(low) + _log_gamma(df / 2, d)
        return (0.5 * (df - d - 1) * log_x - 0.5 * trace - constant).squeeze()

    def pdf(self, x: Any, df: Any, scale: Any) -> ndarray:
        """The density."""
        return cp.exp(self.logpdf(x, df, scale))

    def mean(self, df: Any, scale: Any) -> ndarray:
        """The mean."""
        df, s, _ = self._parameters(df, scale)
        return _unwrapped(df * s)

    def mode(self, df: Any, scale: Any) -> Any:
        """The mode; None if there is none."""
        df, s, d = self._parameters(df, scale)
        return _unwrapped((df - d - 1) * s) if df >= d + 1 else None

    def var(self, df: Any, scale: Any) -> ndarray:
        """The variances."""
        df, s, _ = self._parameters(df, scale)
        diagonal = cp.diag(s)
        return _unwrapped(df * (s * s + diagonal[:, None] * diagonal[None, :]))

    def _factor(self, df: float, d: int, shape: tuple[int, ...], source: Any) -> ndarray:
        """Bartlett's lower triangular factor."""
        normals = cp.tril(cp.asarray(source.normal(size=(*shape, d, d))), -1)
        freedom = cp.asarray(df - np.arange(d))
        roots = np.sqrt(cp.asarray(source.chisquare(freedom, size=(*shape, d))))
        return normals + roots[..., None] * cp.eye(d)

    def rvs(self, df: Any, scale: Any, size: Any = 1, random_state: Any = None) -> ndarray:
        """Random draws."""
        df, s, d = self._parameters(df, scale)
        low = cp.linalg.cholesky(s) @ self._factor(df, d, _size(size), generator(random_state))
        return (low @ cp.swapaxes(low, -1, -2)).squeeze()

    def entropy(self, df: Any, scale: Any) -> ndarray:
        """The differential entropy."""
        df, s, d = self._parameters(df, scale)
        special = cp.scipy.special
        psi = sum(float(special.digamma(0.5 * (df - i))) for i in range(d))
        log_det = _log_det(cp.linalg.cholesky(s))
        return (
            0.5 * (d + 1) * log_det
            + 0.5 * d * (d + 1) * math.log(2)
            + _log_gamma(df / 2, d)
            - 0.5 * (df - d - 1) * psi
            + 0.5 * df * d
        )


class invwishart_gen(wishart_gen):
    """The inverse Wishart distribution."""

    def logpdf(self, x: Any, df: Any, scale: Any) -> ndarray:
        """The logarithm of the density."""
        df, s, d = self._parameters(df, scale)
        x = _matrices(x, d)
        trace = cp.trace(cp.linalg.solve(x, cp.broadcast_to(s, x.shape)), axis1=-2, axis2=-1)
        log_x, log_s = _log_det(cp.linalg.cholesky(x)), _log_det(cp.linalg.cholesky(s))
        constant = 0.5 * df * d * math.log(2) + _log_gamma(df / 2, d)
        return (0.5 * df * log_s - 0.5 * trace - 0.5 * (df + d + 1) * log_x - constant).squeeze()

    def mean(self, df: Any, scale: Any) -> Any:
        """The mean; None if there is none."""
        df, s, d = self._parameters(df, scale)
        return _unwrapped(s / (df - d - 1)) if df > d + 1 else None

    def mode(self, df: Any, scale: Any) -> ndarray:
        """The mode."""
        df, s, d = self._parameters(df, scale)
        return _unwrapped(s / (df + d + 1))

    def var(self, df: Any, scale: Any) -> Any:
        """The variances; None if there are none."""
        df, s, d = self._parameters(df, scale)
        if df <= d + 3:
            return None
        diagonal = cp.diag(s)
        value = (df - d + 1) * s * s + (df - d - 1) * diagonal[:, None] * diagonal[None, :]
        return _unwrapped(value / ((df - d) * (df - d - 1) ** 2 * (df - d - 3)))

    def rvs(self, df: Any, scale: Any, size: Any = 1, random_state: Any = None) -> ndarray:
        """Random draws: inverses of Wishart matrices."""
        df, s, d = self._parameters(df, scale)
        factor = self._factor(df, d, _size(size), generator(random_state))
        low = cp.linalg.cholesky(s)
        half = low @ cp.swapaxes(cp.linalg.inv(factor), -1, -2)
        return (half @ cp.swapaxes(half, -1, -2)).squeeze()

    def entropy(self, df: Any, scale: Any) -> ndarray:
        """The differential entropy."""
        df, s, d = self._parameters(df, scale)
        special = cp.scipy.special
        psi = sum(float(special.digamma(0.5 * (df - d + i))) for i in range(1, d + 1))
        log_det = _log_det(cp.linalg.cholesky(s))
        return (
            0.5 * (d + 1) * (log_det - math.log(2)) + 0.5 * df * d + _log_gamma(0.5 * df, d) - 0.5 * (df + d + 1) * psi
        )


def _haar(z: ndarray) -> ndarray:
    """Of random matrices the orthogonal factors with the signs that make them uniform (Mezzadri 2007)."""
    q, r = cp.linalg.qr(z)
    diagonal = cp.diagonal(r, axis1=-2, axis2=-1)
    return q * (diagonal / abs(diagonal))[..., None, :]


def _dimension(dim: Any) -> int:
    if dim is None or not np.isscalar(dim) or dim < 0 or dim != int(dim):
        raise ValueError("Dimension of rotation must be specified,and must be a scalar nonnegative integer.")
    return int(dim)


class ortho_group_gen(multi_generic):
    """Random orthogonal matrices."""

    _names = _attributes = ("dim",)

    def _check(self, dim: Any = None) -> None:
        _dimension(dim)

    def rvs(self, dim: Any, size: Any = 1, random_state: Any = None) -> ndarray:
        """Random draws."""
        d, shape = _dimension(dim), _size(size)
        q = _haar(cp.asarray(generator(random_state).normal(size=(*shape, d, d))))
        return q[0] if shape == (1,) else q


class special_ortho_group_gen(ortho_group_gen):
    """Random rotations."""

    def rvs(self, dim: Any, size: Any = 1, random_state: Any = None) -> ndarray:
        """Random draws."""
        q = ortho_group_gen.rvs(self, dim, size, random_state)
        sign = cp.linalg.det(q)
        first = cp.where(cp.arange(q.shape[-1]) == 0, cp.sign(sign)[..., None], 1.0)
        return q * first[..., None, :]


class unitary_group_gen(multi_generic):
    """Random unitary matrices."""

    _names = _attributes = ("dim",)

    def _check(self, dim: Any = None) -> None:
        _dimension(dim)

    def rvs(self, dim: Any, size: Any = 1, random_state: Any = None) -> ndarray:
        """Random draws."""
        d, shape, source = _dimension(dim), _size(size), generator(random_state)
        z = cp.asarray(source.normal(size=(*shape, d, d))) + 1j * cp.asarray(source.normal(size=(*shape, d, d)))
        q = _haar(z / math.sqrt(2))
        return q[0] if shape == (1,) else q


class uniform_direction_gen(multi_generic):
    """Random unit vectors."""

    _names = _attributes = ("dim",)

    def _check(self, dim: Any = None) -> None:
        if dim is None or not np.isscalar(dim) or dim < 1 or dim != int(dim):
            raise ValueError(
                f"Dimension of vector must be specified, and must be an integer greater than 0, not {dim!r}."
            )

    def rvs(self, dim: Any, size: Any = None, random_state: Any = None) -> ndarray:
        """Random draws."""
        self._check(dim)
        z = cp.asarray(generator(random_state).normal(size=(*_size(size), int(dim))))
        return z / np.sqrt((z * z).sum(axis=-1, keepdims=True))


class random_correlation_gen(multi_generic):
    """Random correlation matrices with given eigenvalues."""

    _names = ("eigs",)
    _options = ("tol", "diag_tol")
    _attributes = ("eigs", "tol", "diag_tol")

    def _shown(self, eigs: Any, tol: float = 1e-13, diag_tol: float = 1e-7) -> dict[str, Any]:
        return {"eigs": cp.asarray(self._values(eigs, tol)), "tol": tol, "diag_tol": diag_tol}

    def _check(self, eigs: Any, tol: float = 1e-13, diag_tol: float = 1e-7) -> None:
        self._values(eigs, tol)

    def _values(self, eigs: Any, tol: float) -> np.ndarray:
        values = np.asarray(as_device(eigs).get(), float)
        if values.ndim != 1 or values.size < 2:
            raise ValueError("Array 'eigs' must be a vector of length greater than 1.")
        if abs(values.sum() - values.size) > tol:
            raise ValueError("Sum of eigenvalues must equal dimensionality.")
        if np.any(values < -tol):
            raise ValueError("All eigenvalues must be non-negative.")
        return values

    def rvs(self, eigs: Any, random_state: Any = None, tol: float = 1e-13, diag_tol: float = 1e-7) -> ndarray:
        """A random draw: a random rotation of the eigenvalues, then Givens rotations that make its diagonal one."""
        values = self._values(eigs, tol)
        d = values.size
        m = ortho_group.rvs(d, random_state=random_state).get()
        m = m @ np.diag(values) @ m.T
        for i in range(d - 1):
            if abs(m[i, i] - 1) < diag_tol:
                continue
            j = next(j for j in range(i + 1, d) if (m[j, j] - 1) * (m[i, i] - 1) <= 0)
            a, b, c = m[i, i], m[j, j], m[i, j]
            t = (
                (c + math.copysign(math.sqrt(max(c * c - (a - 1) * (b - 1), 0.0)), c)) / (b - 1)
                if b != 1
                else (1 - a) / (2 * c)
            )
            cosine = 1 / math.sqrt(1 + t * t)
            sine = cosine * t
            rotation = np.eye(d)
            rotation[i, i] = rotation[j, j] = cosine
            rotation[i, j], rotation[j, i] = sine, -sine
            m = rotation.T @ m @ rotation
        np.fill_diagonal(m, 1.0)
        return cp.asarray(m)


matrix_normal = matrix_normal_gen("matrix_normal")
wishart = wishart_gen("wishart")
invwishart = invwishart_gen("invwishart")
ortho_group = ortho_group_gen("ortho_group")
special_ortho_group = special_ortho_group_gen("special_ortho_group")
unitary_group = unitary_group_gen("unitary_group")
uniform_direction = uniform_direction_gen("uniform_direction")
random_correlation = random_correlation_gen("random_correlation")

__all__ = [
    "matrix_normal",
    "wishart",
    "invwishart",
    "ortho_group",
    "special_ortho_group",
    "unitary_group",
    "uniform_direction",
    "random_correlation",
]
