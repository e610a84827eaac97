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

# A term changes no digit of a sum of `n` terms if its exponent is below the greatest one by this and `log(n)`.
_DIGITS = 38.0


@k.function
def _share(first, past, part, parts):
    """The part of a range that a thread sums."""
    return first + (past - first) * part // parts, first + (past - first) * (part + 1) // parts


@k.kernel
def _nearest(data: k.Array[2], weights: k.Array[1], at: k.Array[2], parts: int, *, dimensions):
    """The squared distance of each point from the nearest data point of nonzero weight, for each part of the data."""
    part, j = k.coordinates()
    nearest = k.value(np.inf)
    begin, end = _share(0, data.shape[1], part, parts)
    for i in k.steps(begin, end):
        square = 0.0
        for d in range(dimensions):
            difference = data[d, i] - at[d, j]
            square += difference * difference
        nearest = k.where(weights[i] > 0, k.minimum(nearest, square), nearest)
    return nearest


@k.function
def _place(line, x, *, right):
    """The number of elements of a sorted line before a number."""
    low, high = k.value(0), line.shape[0]
    while low < high:
        middle = (low + high) >> 1
        if line[middle] <= x if right else line[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low


@k.function
def _square_on_a_line(line, x, place):
    """The squared distance from the nearest element of a sorted line, which is one of the neighbours of `place`."""
    left = line[k.maximum(place - 1, 0)] - x
    right = line[k.minimum(place, line.shape[0] - 1)] - x
    # What does not count lies at infinity, as points may.
    return k.fmin(left * left, right * right)


@k.kernel
def _nearest_on_a_line(line: k.Array[1], x: k.Each):
    return _square_on_a_line(line, x, _place(line, x, right=False))


@k.function
def _term(square, nearest):
    # Squares that overflow are equally far away. Nearer ones have no weight.
    return k.exp(k.where(square <= nearest, 0.0, -(square - nearest) / 2))


@k.kernel
def _density(
    data: k.Array[2], weights: k.Array[1], at: k.Array[2], nearest: k.Array[1], parts: int, *, dimensions
):  # fmt: skip
    """The weighted sum of kernels at each point, by parts of the data, in coordinates in which they are standard.

    It is relative to the nearest point, so that far out not all terms vanish.
    """
    part, j = k.coordinates()
    total, least = k.value(0.0), nearest[j]
    begin, end = _share(0, data.shape[1], part, parts)
    for i in k.steps(begin, end):
        square = 0.0
        for d in range(dimensions):
            difference = data[d, i] - at[d, j]
            square += difference * difference
        total += weights[i] * _term(square, least)
    return total


@k.kernel
def _density_on_a_line(line: k.Array[1], at: k.Array[1], reach: float, parts: int):
    """The same for equal weights in one dimension: the sum of the terms that change its digits, over sorted data.

    Returns the sum and the squared distance of the nearest element.
    """
    part, j = k.coordinates()
    x = at[j]
    place = _place(line, x, right=False)
    nearest = _square_on_a_line(line, x, place)
    # Rounded up: otherwise a term as large as the nearest one's may be left out far from the data.
    far = k.sqrt(nearest + reach) * (1 + 2.0**-50)
    first = k.minimum(_place(line, x - far, right=False), k.maximum(place - 1, 0))
    past = k.maximum(_place(line, x + far, right=True), k.minimum(place + 1, line.shape[0]))
    total = k.value(0.0)
    begin, end = _share(first, past, part, parts)
    for i in k.steps(begin, end):
        difference = line[i] - x
        total += _term(difference * difference, nearest)
    return total, nearest


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


def _log_density(data: ndarray, weights: ndarray, at: ndarray, are_equal: bool) -> ndarray:
    """The logarithm of the weighted sum of kernels at each point, in coordinates in which they are standard.

    `are_equal`: whether all weights are.
    """
    (dimensions, count), n = at.shape, data.shape[1]
    on_a_line = dimensions == 1 and way("nearest by sorting", data, count)
    by_rows = way("density by rows", data, dimensions, n * count) and not cp.fusion.is_eager()
    parts = way("parts of a density", data, count, n)
    shape = (parts, count)
    if on_a_line and are_equal and not by_rows:
        reach = 2 * (_DIGITS + math.log(n))
        total, nearest = _density_on_a_line(cp.sort(data[0]), at[0], reach, parts, shape=shape)
        return cp.log(total.sum(axis=0) / n) - nearest[0] / 2
    nearest = None
    if on_a_line:
        line = data[0] if are_equal else cp.where(weights > 0, data[0], np.inf)
        nearest = _nearest_on_a_line(cp.sort(line), at[0])
    if by_rows:
        return _density_by_rows(data, weights, at, nearest)
    if nearest is None:
        nearest = _nearest(data, weights, at, parts, dimensions=dimensions, shape=shape).min(axis=0)
    total = _density(data, weights, at, nearest, parts, dimensions=dimensions, shape=shape)
    return cp.log(total.sum(axis=0)) - nearest / 2


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
        return self._weights if self._has_weights else cp.full(self.n, 1 / self.n)

    @property
    def _has_weights(self) -> bool:
        return hasattr(self, "_weights")

    @property
    def neff(self) -> Any:
        """The effective number of points."""
        return 1 / (self._weights**2).sum() if self._has_weights else float(self.n)

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
            self._decompose()
        self.covariance = self._data_covariance * self.factor**2
        self._cholesky = self._data_cholesky * self.factor
        scale = self.factor * math.sqrt(2 * np.pi)
        self.log_det = 2 * sum(math.log(root * scale) for root in self._roots) if self.factor else -math.inf

    def _decompose(self) -> None:
        """Computes the covariance of the data and its Cholesky factor, and reads the diagonal of the factor."""
        if self.d == 1 and not self._has_weights:
            self._data_covariance = self.dataset.var(axis=1, ddof=1, keepdims=True)
        else:
            weights = self._weights if self._has_weights else None
            self._data_covariance = cp.atleast_2d(cp.cov(self.dataset, rowvar=True, bias=False, aweights=weights))
        try:
            alone = self.d == 1
            self._data_cholesky = np.sqrt(self._data_covariance) if alone else cp.linalg.cholesky(self._data_covariance)
            # A value that is not finite in a row makes the diagonal element not finite.
            self._roots = cp.diag(self._data_cholesky).tolist()
        except np.linalg.LinAlgError:
            self._roots = [math.nan]
        if not all(math.isfinite(root) and root > 0 for root in self._roots):
            raise np.linalg.LinAlgError(
                "The data appears to lie in a lower-dimensional subspace of the space in which it is expressed. "
                "This has resulted in a singular data covariance matrix, which cannot be treated using the "
                "algorithms implemented in `gaussian_kde`. Consider performing principal component analysis / "
                "dimensionality reduction and using `gaussian_kde` with the transformed data."
            )

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
        return x / self._cholesky if self.d == 1 else cp.scipy.linalg.solve_triangular(self._cholesky, x, lower=True)

    def logpdf(self, x: Any) -> ndarray:
        """The logarithm of the density at points, one a column."""
        data, at = self._white(self.dataset), self._white(self._at(x))
        return _log_density(data, self.weights, at, not self._has_weights) - self.log_det / 2

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
        logs = _log_density(one, self.weights, two, not self._has_weights)
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
