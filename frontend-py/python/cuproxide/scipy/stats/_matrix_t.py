"""The matrix t distribution, and tables of counts with given sums."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device
from ._common import generator, points
from ._math import gammaln
from ._matrix_variate import _log_gamma
from ._multivariate import Covariance
from ._multivariate_base import _number, _size, multi_generic

__all__ = ["matrix_t", "random_table"]


def _square(value: Any, name: str, size: int | None) -> ndarray:
    s = points(as_device(value))
    if s.ndim == 0:
        s = s * cp.eye(1 if size is None else size)
    elif s.ndim == 1:
        s = cp.diag(s)
    if 0 in s.shape:
        raise ValueError(f"Array `{name}` has invalid shape.")
    if s.ndim != 2:
        raise ValueError(f"Array `{name}` must be a scalar or a 2D array.")
    if s.shape[0] != s.shape[1]:
        raise ValueError(f"Array `{name}` must be square.")
    return s


def _factor(s: ndarray) -> ndarray:
    """The lower Cholesky factor of a positive definite matrix."""
    if not bool((cp.linalg.eigvalsh(s) > 0).all()):
        raise np.linalg.LinAlgError(
            "When `allow_singular is False`, the input matrix must be symmetric positive definite."
        )
    return cp.linalg.cholesky(s)


class matrix_t_gen(multi_generic):
    """The matrix t distribution."""

    _names = ("mean", "row_spread", "col_spread", "df")
    _attributes = ("dims", "mean", "row_spread", "col_spread", "df", "rowpsd", "colpsd")

    def _shown(self, mean: Any = None, row_spread: Any = 1, col_spread: Any = 1, df: Any = None) -> dict[str, Any]:
        m, rows, columns, freedom = self._parameters(mean, row_spread, col_spread, df)
        return {
            "dims": m.shape, "mean": m, "row_spread": rows, "col_spread": columns,
            "df": freedom if df is None else df,
            "rowpsd": Covariance.from_cholesky(_factor(rows)), "colpsd": Covariance.from_cholesky(_factor(columns)),
        }  # fmt: skip

    def _check(self, mean: Any = None, row_spread: Any = 1, col_spread: Any = 1, df: Any = None, **kwds: Any) -> None:
        self._parameters(mean, row_spread, col_spread, df)

    def _parameters(
        self, mean: Any, row_spread: Any, col_spread: Any, df: Any
    ) -> tuple[ndarray, ndarray, ndarray, float]:
        m = None if mean is None else points(as_device(mean))
        if m is not None and 0 in m.shape:
            raise ValueError("Array `mean` has invalid shape.")
        if m is not None and m.ndim != 2:
            raise ValueError("Array `mean` must be 2D.")
        rows = _square(row_spread, "row_spread", None if m is None else m.shape[0])
        columns = _square(col_spread, "col_spread", None if m is None else m.shape[1])
        if m is None:
            m = cp.zeros((rows.shape[0], columns.shape[0]))
        if m.shape[0] != rows.shape[0]:
            raise ValueError("Arrays `mean` and `row_spread` must have the same number of rows.")
        if m.shape[1] != columns.shape[0]:
            raise ValueError("Arrays `mean` and `col_spread` must have the same number of columns.")
        if df is not None and np.ndim(df) != 0:
            raise ValueError("Degrees of freedom must be a scalar.")
        df = 1.0 if df is None else float(_number(df))
        if df <= 0:
            raise ValueError("Degrees of freedom must be positive.")
        return m, rows, columns, df

    def logpdf(self, X: Any, mean: Any = None, row_spread: Any = 1, col_spread: Any = 1, df: Any = 1) -> ndarray:  # noqa: N803
        """The logarithm of the density."""
        mean, rows, columns, df = self._parameters(mean, row_spread, col_spread, df)
        x = points(as_device(X))
        if x.shape[-2:] != mean.shape:
            raise ValueError("The shape of array `X` is not conformal with the distribution parameters.")
        m, n = mean.shape
        low_rows, low_columns = _factor(rows), _factor(columns)
        solve = cp.scipy.linalg.solve_triangular
        white = solve(low_rows, cp.eye(m), lower=True) @ (x - mean) @ solve(low_columns, cp.eye(n), lower=True).T
        # Of the two Gram matrices the smaller has the same determinant.
        other = cp.swapaxes(white, -1, -2)
        gram = other @ white if n <= m else white @ other
        log_det = cp.linalg.slogdet(cp.eye(min(m, n)) + gram)[1]
        log_rows, log_columns = (2 * np.log(cp.diag(low)).sum() for low in (low_rows, low_columns))
        constant = _log_gamma((df + m + n - 1) / 2, n) - _log_gamma((df + n - 1) / 2, n) - m * n / 2 * math.log(math.pi)
        return (constant - n / 2 * log_rows - m / 2 * log_columns - (df + m + n - 1) / 2 * log_det).squeeze()

    def pdf(self, X: Any, mean: Any = None, row_spread: Any = 1, col_spread: Any = 1, df: Any = 1) -> ndarray:  # noqa: N803
        """The density."""
        return cp.exp(self.logpdf(X, mean, row_spread, col_spread, df))

    def rvs(
        self, mean: Any = None, row_spread: Any = 1, col_spread: Any = 1, df: Any = 1, size: Any = 1,
        random_state: Any = None,
    ) -> ndarray:  # fmt: skip
        """Random draws: normal matrices whose rows have a random covariance, of an inverse Wishart distribution."""
        mean, rows, columns, df = self._parameters(mean, row_spread, col_spread, df)
        source, shape = generator(random_state), _size(size)
        m, n = mean.shape
        z = cp.asarray(source.normal(size=(*shape, m, n)))
        # Bartlett's factor of a Wishart matrix, whose inverse is transposed.
        lower = cp.tril(cp.asarray(source.normal(size=(*shape, m, m))), -1)
        freedom = cp.asarray(df + m - 1 - np.arange(m))
        lower = lower + np.sqrt(cp.asarray(source.chisquare(freedom, size=(*shape, m))))[..., None] * cp.eye(m)
        precision = cp.linalg.cholesky(cp.linalg.inv(rows)) @ lower
        x = mean + cp.linalg.solve(cp.swapaxes(precision, -1, -2), z) @ cp.linalg.cholesky(columns).T
        return x.reshape(mean.shape) if shape == (1,) else x


class random_table_gen(multi_generic):
    """Random tables with given sums."""

    _names = ("row", "col")

    def _check(self, row: Any, col: Any, **kwds: Any) -> None:
        self._parameters(row, col)

    def _parameters(self, row: Any, col: Any) -> tuple[np.ndarray, np.ndarray, int]:
        """The sums, which are few, on the host."""
        sums = []
        for name, value in (("row", row), ("col", col)):
            given = value.get() if isinstance(value, ndarray) else np.asarray(value)
            counts = given.astype(np.int64)
            if counts.ndim != 1:
                raise ValueError(f"`{name}` must be one-dimensional")
            sums.append((name, given, counts))
        for name, _, counts in sums:
            if np.any(counts < 0):
                raise ValueError(f"each element of `{name}` must be non-negative")
        rows, columns = sums[0][2], sums[1][2]
        if rows.sum() != columns.sum():
            raise ValueError("sums over `row` and `col` must be equal")
        for name, given, counts in sums:
            if np.any(given != counts):
                raise ValueError(f"each element of `{name}` must be an integer")
        return rows, columns, int(rows.sum())

    def logpmf(self, x: Any, row: Any, col: Any) -> ndarray:
        """The logarithm of the probability of tables, which are the last two axes."""
        rows, columns, count = self._parameters(row, col)
        x = as_device(x)
        if x.ndim < 2:
            raise ValueError("`x` must be at least two-dimensional")
        values = points(x)
        if x.dtype.kind not in "iub" and not bool((values == cp.floor(values)).all()):
            raise ValueError("`x` must contain only integral values")
        if not bool((values >= 0).all()):
            raise ValueError("`x` must contain only non-negative values")
        if x.shape[-2] != len(rows):
            raise ValueError("shape of `x` must agree with `row`")
        if x.shape[-1] != len(columns):
            raise ValueError("shape of `x` must agree with `col`")
        fits = (values.sum(axis=-1) == cp.asarray(rows)).all(axis=-1)
        fits = fits & (values.sum(axis=-2) == cp.asarray(columns)).all(axis=-1)
        constant = sum(math.lgamma(v + 1) for v in (*rows.tolist(), *columns.tolist())) - math.lgamma(count + 1)
        return cp.where(fits, constant - gammaln(values + 1).sum(axis=(-1, -2)), -np.inf)

    def pmf(self, x: Any, row: Any, col: Any) -> ndarray:
        """The probability of tables."""
        return cp.exp(self.logpmf(x, row, col))

    def mean(self, row: Any, col: Any) -> ndarray:
        """The mean."""
        rows, columns, count = self._parameters(row, col)
        return cp.asarray(np.outer(rows, columns) / np.float64(count))

    def rvs(
        self, row: Any, col: Any, *, size: Any = None, method: str | None = None, random_state: Any = None
    ) -> ndarray:
        """Random draws: "boyett" shuffles the columns of all elements, "patefield" draws one cell after another."""
        rows, columns, count = self._parameters(row, col)
        shape = () if size is None else tuple(np.atleast_1d(size).tolist())
        if not all(isinstance(n, int) and n >= 0 for n in shape):
            raise ValueError("`size` must be a non-negative integer or `None`")
        if method not in (None, "boyett", "patefield"):
            raise ValueError(f"'{method}' not recognized, must be one of {{None, 'boyett', 'patefield'}}")
        draws, cells = math.prod(shape), len(rows) * len(columns)
        if method is None:
            # Shuffling sorts all elements of all tables; cells take a launch or two each.
            method = "boyett" if draws * count <= 1 << 22 or cells > 4096 else "patefield"
        draw = self._shuffled if method == "boyett" else self._by_cells
        return draw(rows, columns, draws, generator(random_state)).reshape(*shape, len(rows), len(columns))

    def _shuffled(self, rows: np.ndarray, columns: np.ndarray, draws: int, source: Any) -> ndarray:
        count, cells = int(rows.sum()), len(rows) * len(columns)
        row_of = cp.asarray(np.repeat(np.arange(len(rows)), rows))
        column_of = cp.asarray(np.repeat(np.arange(len(columns)), columns))
        order = cp.argsort(cp.asarray(source.uniform(size=(draws, count))), axis=-1)
        cell = row_of * len(columns) + column_of[order] + cp.arange(draws)[:, None] * cells
        return cp.bincount(cell.ravel(), minlength=draws * cells)

    def _by_cells(self, rows: np.ndarray, columns: np.ndarray, draws: int, source: Any) -> ndarray:
        """Each cell, given those before, is hypergeometric."""
        left = [cp.full(draws, int(n), dtype=np.int64) for n in columns]
        table = []
        for number, wanted in enumerate(rows.tolist()):
            open_ = cp.full(draws, int(wanted), dtype=np.int64)
            rest = cp.full(draws, int(rows[number:].sum()), dtype=np.int64)
            for j in range(len(columns)):
                rest = rest - left[j]
                drawn = open_ if j == len(columns) - 1 else _hypergeometric(source, left[j], rest, open_)
                table.append(drawn)
                open_, left[j] = open_ - drawn, left[j] - drawn
        return cp.stack(table, axis=-1) if table else cp.zeros((draws, 0), dtype=np.int64)


def _hypergeometric(source: Any, good: ndarray, bad: ndarray, drawn: ndarray) -> ndarray:
    # Generators of both kinds want something to draw from.
    some = (good > 0) & (drawn > 0)
    value = cp.asarray(source.hypergeometric(cp.maximum(good, 1), bad, cp.where(some, drawn, 1)))
    return cp.where(some, value, 0).astype(np.int64)


matrix_t = matrix_t_gen("matrix_t")
random_table = random_table_gen("random_table")
