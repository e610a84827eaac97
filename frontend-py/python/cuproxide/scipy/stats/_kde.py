"""Density estimates by Gaussian kernels; statistics in bins."""

from __future__ import annotations

import math
import operator
from functools import reduce
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device, to_float
from ..._lib.routes import way
from ._common import generator, points
from ._math import ndtr


@k.kernel
def _nearest(data: k.Array[2], weights: k.Array[1], at: k.Array[2], j: k.Each, *, dimensions):
    """The squared distance of one point from the nearest of the data that count."""
    nearest = k.value(np.inf)
    for i in k.steps(data.shape[1]):
        square = 0.0
        for d in range(dimensions):
            difference = data[d, i] - at[d, j]
            square += difference * difference
        nearest = k.where(weights[i] > 0, k.minimum(nearest, square), nearest)
    return nearest


def _nearest_on_a_line(data: ndarray, weights: ndarray, at: ndarray) -> ndarray:
    """The same in one dimension, where one of two neighbours is the nearest."""
    line = cp.sort(cp.where(weights > 0, data[0], np.inf))
    place = cp.searchsorted(line, at[0])
    left, right = line[cp.maximum(place - 1, 0)] - at[0], line[cp.minimum(place, len(line) - 1)] - at[0]
    # What does not count lies at infinity, as points may.
    return cp.fmin(left * left, right * right)


@k.kernel
def _density(data: k.Array[2], weights: k.Array[1], at: k.Array[2], nearest: k.Each, j: k.Each, *, dimensions):
    """The weighted sum of kernels at one point, in coordinates in which they are standard.

    It is relative to the nearest point, so that far out not all terms vanish.
    """
    total = 0.0
    for i in k.steps(data.shape[1]):
        square = 0.0
        for d in range(dimensions):
            difference = data[d, i] - at[d, j]
            square += difference * difference
        # Squares that overflow are equally far away. Nearer ones have no weight.
        total += weights[i] * k.exp(k.where(square <= nearest, 0.0, -(square - nearest) / 2))
    return k.log(total) - nearest / 2


def _density_by_rows(data: ndarray, weights: ndarray, at: ndarray, nearest: ndarray | None) -> ndarray:
    """The same by operations of arrays, which a CPU fuses to reductions without a matrix."""

    def squares() -> ndarray:
        differences = [data[d] - at[d][:, None] for d in range(len(data))]
        return reduce(operator.add, [difference * difference for difference in differences])

    if nearest is None:
        nearest = cp.where(weights > 0, squares(), np.inf).min(axis=1)
    square, least = squares(), nearest[:, None]
    # Squares that overflow are equally far away. Nearer ones have no weight.
    exponents = cp.where(square <= least, 0.0, (least - square) / 2)
    return cp.log((weights * cp.exp(exponents)).sum(axis=1)) - nearest / 2


def _log_density(data: ndarray, weights: ndarray, at: ndarray) -> ndarray:
    """The logarithm of the weighted sum of kernels at each point, in coordinates in which they are standard."""
    dimensions, count = at.shape
    nearest = None
    if dimensions == 1 and way("nearest by sorting", data, count):
        nearest = _nearest_on_a_line(data, weights, at)
    if way("density by rows", data, dimensions, data.shape[1] * count) and not cp.fusion.is_eager():
        return _density_by_rows(data, weights, at, nearest)
    each = cp.arange(count)
    if nearest is None:
        nearest = _nearest(data, weights, at, each, dimensions=dimensions)
    return _density(data, weights, at, nearest, each, dimensions=dimensions)


class gaussian_kde:
    """An estimate of a density by Gaussian kernels.

    Points are computed from all data without a matrix of distances.

    Parameters
    ----------
    dataset : array_like
        The points, as columns.
    bw_method : str, scalar or callable, optional
        The width of the kernel, or how it is found.

    >>> kde = cp.scipy.stats.gaussian_kde(cp.asarray([-1.0, 0.0, 1.0]))
    >>> round(float(kde.integrate_box_1d(-10, 10)), 6)
    1.0
    """

    def __init__(self, dataset: Any, bw_method: Any = None, weights: Any = None) -> None:
        self.dataset = cp.atleast_2d(points(as_device(dataset)))
        if not self.dataset.size > 1:
            raise ValueError("`dataset` input should have multiple elements.")
        self.d, self.n = self.dataset.shape
        if weights is not None:
            w = cp.atleast_1d(points(as_device(weights)))
            if w.ndim != 1:
                raise ValueError("`weights` input should be one-dimensional.")
            if w.size != self.n:
                raise ValueError("`weights` input should be of length n")
            self._weights = w / w.sum()
        if self.d > self.n:
            raise ValueError(
                "Number of dimensions is greater than number of samples. This results in a singular data covariance "
                "matrix, which cannot be treated using the algorithms implemented in `gaussian_kde`. Note that "
                "`gaussian_kde` interprets each *column* of `dataset` to be a point; consider transposing the input "
                "to `dataset`."
            )
        self.set_bandwidth(bw_method=bw_method)

    @property
    def weights(self) -> ndarray:
        """The weights of the points; their sum is one."""
        return self._weights if hasattr(self, "_weights") else cp.full(self.n, 1 / self.n)

    @property
    def neff(self) -> Any:
        """The effective number of points."""
        return 1 / (self.weights**2).sum()

    def scotts_factor(self) -> float:
        """Scott's factor of the bandwidth."""
        return to_float(self.neff) ** (-1.0 / (self.d + 4))

    def silverman_factor(self) -> float:
        """Silverman's factor of the bandwidth."""
        return (to_float(self.neff) * (self.d + 2.0) / 4.0) ** (-1.0 / (self.d + 4))

    def covariance_factor(self) -> float:
        """The factor of the bandwidth."""
        return self.scotts_factor()

    def set_bandwidth(self, bw_method: Any = None) -> None:
        """Chooses the bandwidth: "scott", "silverman", a number, or a function of the estimate."""
        if bw_method is None:
            pass
        elif bw_method == "scott" if isinstance(bw_method, str) else False:
            self.covariance_factor = self.scotts_factor
        elif bw_method == "silverman" if isinstance(bw_method, str) else False:
            self.covariance_factor = self.silverman_factor
        elif np.isscalar(bw_method) and not isinstance(bw_method, str):
            self.covariance_factor = lambda: float(bw_method)
        elif callable(bw_method):
            self.covariance_factor = lambda: bw_method(self)
        else:
            raise ValueError("`bw_method` should be 'scott', 'silverman', a scalar or a callable.")
        self.factor = self.covariance_factor()
        if not hasattr(self, "_data_covariance"):
            self._data_covariance = cp.atleast_2d(cp.cov(self.dataset, rowvar=True, bias=False, aweights=self.weights))
            try:
                self._data_cholesky = cp.linalg.cholesky(self._data_covariance)
                finite = bool(cp.isfinite(self._data_cholesky).all())
            except np.linalg.LinAlgError:
                finite = False
            if not finite:
                raise np.linalg.LinAlgError(
                    "The data appears to lie in a lower-dimensional subspace of the space in which it is expressed. "
                    "This has resulted in a singular data covariance matrix, which cannot be treated using the "
                    "algorithms implemented in `gaussian_kde`. Consider performing principal component analysis / "
                    "dimensionality reduction and using `gaussian_kde` with the transformed data."
                )
        self.covariance = self._data_covariance * self.factor**2
        self._cholesky = self._data_cholesky * self.factor
        self.log_det = 2 * to_float(np.log(cp.diag(self._cholesky * math.sqrt(2 * np.pi))).sum())

    @property
    def inv_cov(self) -> ndarray:
        """The inverse of the kernels' covariance."""
        return cp.linalg.inv(self.covariance)

    def _at(self, where: Any) -> ndarray:
        x = cp.atleast_2d(points(as_device(where)))
        d, m = x.shape
        if d != self.d:
            if d == 1 and m == self.d:
                return x.reshape(self.d, 1)
            raise ValueError(f"points have dimension {d}, dataset has dimension {self.d}")
        return x

    def _white(self, x: ndarray) -> ndarray:
        if self.factor == 0:
            raise np.linalg.LinAlgError("A bandwidth of 0 makes the covariance of the kernels singular.")
        return (
            x / self._cholesky[0, 0] if self.d == 1 else cp.scipy.linalg.solve_triangular(self._cholesky, x, lower=True)
        )

    def logpdf(self, x: Any) -> ndarray:
        """The logarithm of the density at points, one a column."""
        data, at = self._white(self.dataset), self._white(self._at(x))
        return _log_density(data, self.weights, at) - self.log_det / 2

    def evaluate(self, points: Any) -> ndarray:
        """The density at points, one a column."""
        return cp.exp(self.logpdf(points))

    def pdf(self, x: Any) -> ndarray:
        """The density at points, one a column."""
        return self.evaluate(x)

    __call__ = evaluate

    def integrate_gaussian(self, mean: Any, cov: Any) -> ndarray:
        """The integral of the estimate times a normal density."""
        mean = cp.atleast_1d(points(as_device(mean)).squeeze())
        cov = cp.atleast_2d(points(as_device(cov)))
        if mean.shape != (self.d,):
            raise ValueError(f"mean does not have dimension {self.d}")
        if cov.shape != (self.d, self.d):
            raise ValueError(f"covariance does not have dimension {self.d}")
        total = self.covariance + cov
        return self._against(total, self.dataset - mean[:, None], self.weights)

    @staticmethod
    def _against(covariance: ndarray, difference: ndarray, weights: ndarray) -> ndarray:
        root = cp.linalg.cholesky(covariance)
        white = cp.scipy.linalg.solve_triangular(root, difference, lower=True)
        norm_factor = np.exp(np.log(cp.diag(root) * math.sqrt(2 * np.pi)).sum())
        return (np.exp(-(white * white).sum(axis=0) / 2) * weights).sum() / norm_factor

    def integrate_box_1d(self, low: float, high: float) -> ndarray:
        """The integral over an interval.

        Parameters
        ----------
        low : float
            The lower end.
        high : float
            The upper end.
        """
        if self.d != 1:
            raise ValueError("integrate_box_1d() only handles 1D pdfs")
        width = self._cholesky[0, 0]
        ends = [(end - self.dataset) / width for end in (low, high)]
        return ((ndtr(ends[1]) - ndtr(ends[0])) * self.weights).sum()

    def integrate_box(
        self, low_bounds: Any, high_bounds: Any, maxpts: int | None = None, *, rng: Any = None
    ) -> ndarray:
        """The integral over a box.

        Parameters
        ----------
        low_bounds, high_bounds : array_like of shape (d,)
            The box's corners.
        maxpts : int, optional
            Taken for the sake of SciPy's signature: the number of points is fixed here.
        """
        from ._multivariate import _box, _normal_parameters

        del maxpts
        low, high = (cp.atleast_1d(points(as_device(end))) for end in (low_bounds, high_bounds))
        centre, covariance = _normal_parameters(cp.zeros(self.d), self.covariance)
        # The box as each element sees it.
        ends = (end[None, :] - self.dataset.T for end in (high, low))
        return (_box(next(ends), centre, covariance, next(ends), rng) * self.weights).sum()

    def integrate_kde(self, other: gaussian_kde) -> ndarray:
        """The integral of the product with another estimate."""
        if other.d != self.d:
            raise ValueError("KDEs are not the same dimensionality")
        root = cp.linalg.cholesky(self.covariance + other.covariance)
        one, two = (cp.scipy.linalg.solve_triangular(root, e.dataset, lower=True) for e in (self, other))
        logs = _log_density(one, self.weights, two)
        return (np.exp(logs) * other.weights).sum() / np.exp(np.log(cp.diag(root) * math.sqrt(2 * np.pi)).sum())

    def resample(self, size: int | None = None, seed: Any = None) -> ndarray:
        """Random points of the estimate, one a column.

        Parameters
        ----------
        size : int or tuple of int, optional
            The shape of the result.
        """
        count = int(to_float(self.neff)) if size is None else int(size)
        source = generator(seed)
        noise = self._cholesky @ cp.asarray(source.normal(size=(self.d, count)))
        at = cp.searchsorted(cp.cumsum(self.weights), cp.asarray(source.uniform(size=count)))
        return self.dataset[:, cp.clip(at, 0, self.n - 1)] + noise

    def marginal(self, dimensions: Any) -> gaussian_kde:
        """The estimate of some of the dimensions."""
        wanted = np.atleast_1d(dimensions)
        if not np.issubdtype(wanted.dtype, np.integer):
            raise ValueError(
                "Elements of `dimensions` must be integers - the indices of the marginal variables being retained."
            )
        if len(np.unique(wanted)) != len(wanted):
            raise ValueError("All elements of `dimensions` must be unique.")
        if np.any(wanted < -self.d) or np.any(wanted >= self.d):
            raise ValueError(
                f"Dimensions {wanted[(wanted < -self.d) | (wanted >= self.d)]} are invalid for a distribution in "
                f"{self.d} dimensions."
            )
        return gaussian_kde(self.dataset[cp.asarray(wanted)], bw_method=self.factor, weights=self.weights)


__all__ = ["gaussian_kde"]
