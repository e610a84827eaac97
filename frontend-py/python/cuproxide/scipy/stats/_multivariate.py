"""Distributions of vectors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_float
from ._common import generator, points
from ._math import LOG2PI, betaln, digamma, digamma_rest, gammaln, log_gamma_entropy, ndtr, ndtri, xlogy
from ._multivariate_base import _number, _size, multi_frozen, multi_generic


class Covariance:
    """A covariance matrix by its factors. Made by `from_diagonal` and its like.

    Parameters
    ----------
    covariance : ndarray
        The matrix.
    whitener : ndarray
        What makes independent numbers of variance 1, multiplied from the right.
    colorizer : ndarray
        The inverse of that.
    log_pdet : ndarray
        The logarithm of the product of the eigenvalues other than 0.
    rank : int
        How many those are.

    >>> float(cp.scipy.stats.Covariance.from_diagonal([1.0, 4.0]).log_pdet) > 1.38
    True
    """

    def __init__(
        self, covariance: ndarray, whitener: ndarray, colorizer: ndarray, log_pdet: ndarray, rank: int
    ) -> None:
        self.covariance, self._whitener, self._colorizer = covariance, whitener, colorizer
        self.log_pdet, self.rank, self.shape = log_pdet, rank, covariance.shape

    @staticmethod
    def from_diagonal(diagonal: Any) -> Covariance:
        """From the variances of independent numbers."""
        v = points(as_device(diagonal))
        if v.ndim != 1:
            raise ValueError(f"The input `diagonal` must be a one-dimensional array, not of the shape {v.shape}.")
        if not bool((v >= 0).all()):
            raise ValueError("Input `diagonal` must be an array of real, non-negative numbers.")
        positive = v > 0
        root = np.sqrt(v)
        inverse = cp.where(positive, 1 / cp.where(positive, root, 1.0), 0.0)
        log_det = np.log(cp.where(positive, v, 1.0)).sum()
        return Covariance(cp.diag(v), cp.diag(inverse), cp.diag(root), log_det, int(positive.sum()))

    @staticmethod
    def from_cholesky(cholesky: Any) -> Covariance:
        """From the lower Cholesky factor."""
        low = points(as_device(cholesky))
        if low.ndim < 2 or low.shape[-1] != low.shape[-2]:
            raise ValueError("The input `cholesky` must be a square, two-dimensional array of numbers.")
        white = cp.scipy.linalg.solve_triangular(low, cp.eye(low.shape[0]), lower=True).T
        return Covariance(low @ low.T, white, low.T, 2 * np.log(cp.diag(low)).sum(), low.shape[0])

    @staticmethod
    def from_precision(precision: Any, covariance: Any = None) -> Covariance:
        """From the inverse of the covariance.

        Parameters
        ----------
        precision : array_like
            The precision matrix.
        covariance : array_like, optional
            Its inverse, if it is known.
        """
        p = points(as_device(precision))
        if covariance is not None and np.shape(covariance) != p.shape:
            raise ValueError(f"`precision.shape` {p.shape} must equal `covariance.shape` {np.shape(covariance)}.")
        low = cp.linalg.cholesky(p)
        full = cp.linalg.inv(p) if covariance is None else points(as_device(covariance))
        back = cp.scipy.linalg.solve_triangular(low, cp.eye(p.shape[0]), lower=True)
        return Covariance(full, low, back, -2 * np.log(cp.diag(low)).sum(), p.shape[0])

    @staticmethod
    def from_eigendecomposition(eigendecomposition: Any) -> Covariance:
        """From eigenvalues and eigenvectors."""
        values, vectors = (points(as_device(part)) for part in eigendecomposition)
        return _from_eigen(values, vectors, 1e-12)

    def whiten(self, x: Any) -> ndarray:
        """Points in coordinates in which they are uncorrelated."""
        return points(as_device(x)) @ self._whitener

    def colorize(self, x: Any) -> ndarray:
        """The inverse of `whiten`."""
        return points(as_device(x)) @ self._colorizer


def _from_eigen(values: ndarray, vectors: ndarray, tolerance: float) -> Covariance:
    keep = values > tolerance * abs(values).max()
    root = np.sqrt(cp.where(keep, values, 0.0))
    inverse = cp.where(keep, 1 / cp.where(keep, root, 1.0), 0.0)
    log_det = np.log(cp.where(keep, values, 1.0)).sum()
    return Covariance((vectors * root**2) @ vectors.T, vectors * inverse, (vectors * root).T, log_det, int(keep.sum()))


def _normal_parameters(mean: Any, cov: Any, allow_singular: bool = True) -> tuple[ndarray, Covariance]:
    if isinstance(cov, Covariance):
        d = cov.shape[-1]
        mean = cp.zeros(d) if mean is None else cp.atleast_1d(points(as_device(mean)))
        return cp.broadcast_to(mean, (d,)), cov
    c = points(as_device(1.0 if cov is None else cov))
    m = None if mean is None else cp.atleast_1d(points(as_device(mean)))
    if m is not None and m.ndim != 1:
        raise ValueError(f"Array 'mean' must be a vector of length {c.shape[0] if c.ndim else m.size}.")
    d = m.size if m is not None else (1 if c.ndim < 1 else c.shape[0])
    m = cp.zeros(d) if m is None else m.reshape(-1)
    if c.ndim == 0:
        c = c * cp.eye(d)
    elif c.ndim == 1:
        c = cp.diag(c)
    if c.shape != (d, d):
        if c.ndim == 2 and c.shape[0] != c.shape[1]:
            raise ValueError(f"Array 'cov' must be square if it is two dimensional, but cov.shape = {c.shape}.")
        raise ValueError(
            f"Dimension mismatch: array 'cov' is of shape {c.shape}, but 'mean' is a vector of length {d}."
        )
    values, vectors = cp.linalg.eigh(c)
    limit = 1e6 * np.finfo(np.float64).eps
    largest = to_float(abs(values).max())
    least = to_float(values.min())
    if least < -limit * largest:
        raise ValueError("The input matrix must be symmetric positive semidefinite.")
    if not allow_singular and least <= limit * largest:
        raise np.linalg.LinAlgError(
            "When `allow_singular is False`, the input matrix must be symmetric positive definite."
        )
    found = _from_eigen(values, vectors, limit)
    found.covariance = c
    return m, found


def _kept_dimensions(dimensions: Any, d: int) -> np.ndarray:
    """The indices of the coordinates that a marginal distribution keeps."""
    kept = np.atleast_1d(dimensions)
    if kept.size == 0:
        raise ValueError("Cannot marginalize all dimensions.")
    if kept.dtype.kind not in "iu":
        raise ValueError(f"Elements of `dimensions` must be integers, not {dimensions}.")
    if np.unique(kept).size < kept.size:
        raise ValueError(f"All elements of `dimensions` must be unique, not {dimensions}.")
    invalid = kept[(kept < -d) | (kept >= d)]
    if invalid.size:
        raise ValueError(f"Dimensions {invalid} are invalid for a distribution in {d} dimensions.")
    return kept


def _as_points(x: Any, d: int) -> ndarray:
    x = points(as_device(x))
    if x.ndim == 0:
        return x.reshape(1)
    if x.ndim == 1 and d == 1:
        return x[:, None]
    return x


class multivariate_normal_gen(multi_generic):
    """The multivariate normal distribution."""

    _names = ("mean", "cov", "allow_singular")
    _options = ("maxpts", "abseps", "releps")
    _attributes = ("dim", "mean", "cov", "cov_object", "allow_singular", "maxpts", "abseps", "releps")

    def _shown(
        self, mean: Any = None, cov: Any = 1, allow_singular: bool = False, maxpts: Any = None, abseps: float = 1e-5,
        releps: float = 1e-5,
    ) -> dict[str, Any]:  # fmt: skip
        m, c = _normal_parameters(mean, cov, allow_singular)
        return {
            "dim": m.size, "mean": m, "cov": c.covariance, "cov_object": c,
            "allow_singular": allow_singular or isinstance(cov, Covariance),
            "maxpts": 1_000_000 * m.size if maxpts is None else maxpts, "abseps": abseps, "releps": releps,
        }  # fmt: skip

    def _check(self, mean: Any = None, cov: Any = 1, allow_singular: bool = False, **kwds: Any) -> None:
        _normal_parameters(mean, cov, allow_singular)

    def logpdf(self, x: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False) -> ndarray:
        """The logarithm of the density."""
        m, c = _normal_parameters(mean, cov, allow_singular)
        white = c.whiten(_as_points(x, m.size) - m)
        value = -0.5 * (c.rank * LOG2PI + c.log_pdet + (white * white).sum(axis=-1))
        if c.rank < m.size:
            off = _as_points(x, m.size) - m
            outside = off - c.colorize(white)
            value = cp.where((outside * outside).sum(axis=-1) > 1e-10, -np.inf, value)
        # As in SciPy, densities of single points have no axes of one element.
        return value.squeeze()

    def pdf(self, x: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False) -> ndarray:
        """The density."""
        return cp.exp(self.logpdf(x, mean, cov, allow_singular))

    def cdf(
        self,
        x: Any,
        mean: Any = None,
        cov: Any = 1,
        allow_singular: bool = False,
        maxpts: Any = None,
        abseps: float = 1e-5,
        releps: float = 1e-5,
        *,
        lower_limit: Any = None,
        rng: Any = None,
    ) -> ndarray:
        """The probability below `x` in every coordinate: Genz's sequence of conditions at low-discrepancy points."""
        m, c = _normal_parameters(mean, cov, allow_singular)
        return _box(x, m, c, lower_limit, rng).squeeze()

    def logcdf(
        self,
        x: Any,
        mean: Any = None,
        cov: Any = 1,
        allow_singular: bool = False,
        maxpts: Any = None,
        abseps: float = 1e-5,
        releps: float = 1e-5,
        *,
        lower_limit: Any = None,
        rng: Any = None,
    ) -> ndarray:
        """The logarithm of `cdf`."""
        return cp.log(self.cdf(x, mean, cov, allow_singular, lower_limit=lower_limit, rng=rng))

    def rvs(self, mean: Any = None, cov: Any = 1, size: Any = 1, random_state: Any = None) -> ndarray:
        """Random draws."""
        m, c = _normal_parameters(mean, cov)
        shape = _size(size)
        z = cp.asarray(generator(random_state).normal(size=(*shape, m.size)))
        x = c.colorize(z) + m
        return x.squeeze() if shape in ((), (1,)) or m.size == 1 else x

    def entropy(self, mean: Any = None, cov: Any = 1) -> ndarray:
        """The differential entropy."""
        _, c = _normal_parameters(mean, cov)
        return 0.5 * (c.rank * (LOG2PI + 1) + c.log_pdet)

    def fit(self, x: Any, fix_mean: Any = None, fix_cov: Any = None) -> tuple[ndarray, ndarray]:
        """Mean and covariance by maximum likelihood."""
        x = points(as_device(x))
        if x.ndim != 2:
            raise ValueError("`x` must be two-dimensional.")
        mean = x.mean(axis=0) if fix_mean is None else cp.atleast_1d(points(as_device(fix_mean)))
        d = x.shape[1]
        if mean.shape != (d,):
            raise ValueError(
                f"`fix_mean` must be a one-dimensional array of length {d}, not of the shape {mean.shape}."
            )
        if fix_cov is None:
            off = x - mean
            return mean, off.T @ off / x.shape[0]
        cov = cp.atleast_2d(points(as_device(fix_cov)))
        if cov.shape != (d, d):
            raise ValueError(f"`fix_cov` must be a square array of side length {d}, not of the shape {cov.shape}.")
        values = cp.linalg.eigvalsh(cov)
        if bool(values[0] < -1e6 * np.finfo(np.float64).eps * abs(values).max()):
            raise ValueError("`fix_cov` must be symmetric positive semidefinite.")
        return mean, cov

    def marginal(self, dimensions: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False) -> multi_frozen:
        """The distribution of some of the coordinates."""
        m, c = _normal_parameters(mean, cov)
        at = cp.asarray(_kept_dimensions(dimensions, m.size))
        return self(m[at], c.covariance[at[:, None], at[None, :]], allow_singular=allow_singular)


def _box(x: Any, m: ndarray, c: Covariance, lower_limit: Any, rng: Any, df: float = np.inf) -> ndarray:
    """The probability between two corners: of a normal distribution, or of a t distribution with `df`."""
    from ._qmc import Sobol

    d = m.size
    high = _as_points(x, d) - m
    low = (
        cp.full(high.shape, -np.inf)
        if lower_limit is None
        else cp.broadcast_to(_as_points(lower_limit, d) - m, high.shape)
    )
    scale = np.sqrt(cp.diag(c.covariance))
    root = cp.linalg.cholesky(c.covariance / (scale[:, None] * scale[None, :]) + 1e-14 * cp.eye(d))
    high, low = high / scale, low / scale
    if d == 1:
        if df == np.inf:
            return ndtr(high[..., 0]) - ndtr(low[..., 0])
        return cp.scipy.special.stdtr(df, high[..., 0]) - cp.scipy.special.stdtr(df, low[..., 0])
    count = 1 << 15
    u = Sobol(d - 1 + (df != np.inf), scramble=True, rng=1 if rng is None else rng).random(count)
    # Folded, so that the integrand is periodic.
    u = abs(2 * u - 1)
    radius = None if df == np.inf else np.sqrt(cp.scipy.special.chdtri(df, u[:, -1]) / df)
    shape = high.shape[:-1]
    high, low = high.reshape(-1, d), low.reshape(-1, d)
    results = []
    block = max(1, (1 << 22) // count)
    for start in range(0, high.shape[0], block):
        results.append(_genz(high[start : start + block], low[start : start + block], root, u, d, radius))
    total = cp.concatenate(results) if results else cp.zeros(0)
    return total.reshape(shape)


def _genz(high: ndarray, low: ndarray, root: ndarray, u: ndarray, d: int, radius: ndarray | None) -> ndarray:
    product: Any = 1.0
    earlier: list[ndarray] = []
    for i in range(d):
        shift: Any = 0.0
        for j, y in enumerate(earlier):
            shift = shift + root[i, j] * y
        ends = (end[:, i, None] if radius is None else end[:, i, None] * radius for end in (high, low))
        top, bottom = (ndtr((end - shift) / root[i, i]) for end in ends)
        product = product * (top - bottom)
        if i < d - 1:
            share = bottom + u[None, :, i] * (top - bottom)
            earlier.append(ndtri(cp.clip(share, 1e-300, 1 - 1e-16)))
    return product.mean(axis=-1)


def _degrees(df: Any) -> Any:
    """The degrees of freedom; one where the caller leaves them open."""
    return 1 if df is None else df


class multivariate_t_gen(multi_generic):
    """The multivariate t distribution."""

    _names = ("loc", "shape", "df", "allow_singular")
    _attributes = ("dim", "loc", "shape", "df", "shape_info", "allow_singular")

    def _check(self, loc: Any = None, shape: Any = 1, df: Any = 1, allow_singular: bool = False) -> None:
        if df is not None and np.isnan(df):
            raise ValueError("'df' is 'nan' but must be greater than zero or 'np.inf'.")
        if df is not None and df <= 0:
            raise ValueError("'df' must be greater than zero.")
        self._parameters(loc, shape, allow_singular)

    def _shown(self, loc: Any = None, shape: Any = 1, df: Any = 1, allow_singular: bool = False) -> dict[str, Any]:
        m, c = self._parameters(loc, shape, allow_singular)
        return {
            "dim": m.size, "loc": m, "shape": c.covariance, "df": _degrees(df), "shape_info": c,
            "allow_singular": allow_singular,
        }  # fmt: skip

    def _parameters(self, loc: Any, shape: Any, allow_singular: bool = True) -> tuple[ndarray, Covariance]:
        return _normal_parameters(loc, shape, allow_singular)

    def logpdf(self, x: Any, loc: Any = None, shape: Any = 1, df: float = 1) -> ndarray:
        """The logarithm of the density."""
        df = _degrees(df)
        if df <= 0:
            raise ValueError("'df' must be greater than zero.")
        if loc is None and np.ndim(shape) == 0 and not isinstance(shape, ndarray):
            loc = np.zeros(np.shape(x)[-1] if np.ndim(x) else 1)
        m, c = self._parameters(loc, shape)
        if df == np.inf:
            return multivariate_normal.logpdf(x, m, c)
        d = m.size
        white = c.whiten(_as_points(x, d) - m)
        squares = (white * white).sum(axis=-1)
        constant = math.lgamma((df + d) / 2) - math.lgamma(df / 2) - d / 2 * math.log(df * math.pi)
        return (constant - 0.5 * c.log_pdet - (df + d) / 2 * np.log1p(squares / df)).squeeze()

    def pdf(self, x: Any, loc: Any = None, shape: Any = 1, df: float = 1, allow_singular: bool = False) -> ndarray:
        """The density."""
        return cp.exp(self.logpdf(x, loc, shape, df))

    def cdf(
        self,
        x: Any,
        loc: Any = None,
        shape: Any = 1,
        df: float = 1,
        allow_singular: bool = False,
        *,
        maxpts: Any = None,
        lower_limit: Any = None,
        random_state: Any = None,
    ) -> ndarray:
        """The probability below `x` in every coordinate, as of the normal distribution with a random scale."""
        m, c = self._parameters(loc, shape, allow_singular)
        rng = None if random_state is None else generator(random_state)
        return _box(x, m, c, lower_limit, rng, _degrees(df)).squeeze()

    def rvs(self, loc: Any = None, shape: Any = 1, df: float = 1, size: Any = 1, random_state: Any = None) -> ndarray:
        """Random draws."""
        m, c = self._parameters(loc, shape)
        source, lead = generator(random_state), _size(size)
        z = c.colorize(cp.asarray(source.normal(size=(*lead, m.size))))
        df = _degrees(df)
        scale = 1.0 if df == np.inf else np.sqrt(cp.asarray(source.chisquare(float(df), size=lead)) / df)[..., None]
        x = m + z / scale
        return x.squeeze() if lead in ((), (1,)) or m.size == 1 else x

    def entropy(self, loc: Any = None, shape: Any = 1, df: float = 1) -> ndarray:
        """The differential entropy."""
        m, c = self._parameters(loc, shape)
        df = _degrees(df)
        if df == np.inf:
            return multivariate_normal.entropy(m, c)
        half, more = np.float64(df / 2), np.float64((df + m.size) / 2)
        parts = log_gamma_entropy(half) - log_gamma_entropy(more)
        return parts + 0.5 * m.size * (1 + LOG2PI - digamma_rest(half)) + 0.5 * c.log_pdet

    def marginal(
        self, dimensions: Any, loc: Any = None, shape: Any = 1, df: float = 1, allow_singular: bool = False
    ) -> multi_frozen:
        """The distribution of some of the coordinates."""
        m, c = self._parameters(loc, shape)
        at = cp.asarray(np.atleast_1d(dimensions))
        return self(m[at], c.covariance[at[:, None], at[None, :]], df=df, allow_singular=allow_singular)


class dirichlet_gen(multi_generic):
    """The Dirichlet distribution."""

    _names = _attributes = ("alpha",)

    def _shown(self, alpha: Any) -> dict[str, Any]:
        return {"alpha": self._alpha(alpha)}

    def _alpha(self, alpha: Any) -> ndarray:
        a = points(as_device(alpha))
        if a.ndim != 1:
            raise ValueError(f"Parameter vector 'a' must be one dimensional, but a.shape = {a.shape}.")
        if bool((a <= 0).any()):
            raise ValueError("All parameters must be greater than 0")
        return a

    def _check(self, alpha: Any, **kwds: Any) -> None:
        self._alpha(alpha)

    def _points(self, x: Any, a: ndarray) -> ndarray:
        x = points(as_device(x))
        if x.shape[0] + 1 != a.size and x.shape[0] != a.size:
            raise ValueError(
                "Vector 'x' must have either the same number of entries as, or one entry fewer than, parameter "
                f"vector 'a', but alpha.shape = {a.shape} and x.shape = {x.shape}."
            )
        if x.shape[0] != a.size:
            x = cp.concatenate([x, (1 - x.sum(axis=0))[None]])
        if not bool((x >= 0).all()):
            raise ValueError("Each entry in 'x' must be greater than or equal to zero.")
        if not bool((x <= 1).all()):
            raise ValueError("Each entry in 'x' must be smaller or equal one.")
        if bool(((x == 0) & (a < 1).reshape(-1, *(1,) * (x.ndim - 1))).any()):
            raise ValueError("Each entry in 'x' must be greater than zero if its alpha is less than one.")
        if not bool((abs(x.sum(axis=0) - 1) <= 1e-9).all()):
            raise ValueError(
                f"The input vector 'x' must lie within the normal simplex. but np.sum(x, 0) = {x.sum(axis=0)!s}."
            )
        return x

    def logpdf(self, x: Any, alpha: Any) -> ndarray:
        """The logarithm of the density; coordinates lie along the first axis."""
        a = self._alpha(alpha)
        x = self._points(x, a)
        logs = xlogy((a - 1).reshape(-1, *(1,) * (x.ndim - 1)), x).sum(axis=0)
        return (logs - (gammaln(a).sum() - gammaln(a.sum()))).squeeze()

    def pdf(self, x: Any, alpha: Any) -> ndarray:
        """The density."""
        return cp.exp(self.logpdf(x, alpha))

    def mean(self, alpha: Any) -> ndarray:
        """The mean."""
        a = self._alpha(alpha)
        return a / a.sum()

    def var(self, alpha: Any) -> ndarray:
        """The variances."""
        a = self._alpha(alpha)
        total = a.sum()
        return a * (total - a) / (total * total * (total + 1))

    def cov(self, alpha: Any) -> ndarray:
        """The covariance matrix."""
        a = self._alpha(alpha)
        total = a.sum()
        share = a / total
        return (cp.diag(share) - share[:, None] * share[None, :]) / (total + 1)

    def entropy(self, alpha: Any) -> ndarray:
        """The differential entropy."""
        a = self._alpha(alpha)
        total = a.sum()
        parts = log_gamma_entropy(a) + digamma(a) - digamma(total)
        return parts.sum() - log_gamma_entropy(total)

    def rvs(self, alpha: Any, size: Any = 1, random_state: Any = None) -> ndarray:
        """Random draws."""
        return cp.asarray(generator(random_state).dirichlet(self._alpha(alpha).get(), size=size))


class multinomial_gen(multi_generic):
    """The multinomial distribution."""

    _names = ("n", "p")
    _attributes = ("n", "p", "npcond")

    def _shown(self, n: Any, p: Any) -> dict[str, Any]:
        _, shares, bad = self._parameters(n, p)
        return {"n": as_device(n), "p": shares, "npcond": bad}

    def _parameters(self, n: Any, p: Any) -> tuple[ndarray, ndarray, ndarray]:
        given = as_device(p)
        slack = 10 * float(np.finfo(np.result_type(given.dtype, np.float32)).eps)
        if given.ndim == 0:
            raise ValueError("`p` must be an array of the probabilities of the categories.")
        p = points(given)
        n = points(as_device(n))
        bad = (p < 0).any(axis=-1) | (p > 1).any(axis=-1) | (abs(1.0 - p.sum(axis=-1)) > slack)
        bad = bad | (n < 0) | (n != cp.floor(n))
        return n, p, bad

    def logpmf(self, x: Any, n: Any, p: Any) -> ndarray:
        """The logarithm of the probability."""
        n, p, bad = self._parameters(n, p)
        x = points(as_device(x))
        if x.ndim == 0:
            raise ValueError("x must be an array.")
        inside = (x >= 0).all(axis=-1) & (x == cp.floor(x)).all(axis=-1) & (x.sum(axis=-1) == n)
        value = gammaln(n + 1) + (xlogy(x, p) - gammaln(x + 1)).sum(axis=-1)
        return cp.where(bad, np.nan, cp.where(inside, value, -np.inf))

    def pmf(self, x: Any, n: Any, p: Any) -> ndarray:
        """The probability."""
        return cp.exp(self.logpmf(x, n, p))

    def mean(self, n: Any, p: Any) -> ndarray:
        """The means."""
        n, p, bad = self._parameters(n, p)
        return cp.where(bad[..., None], np.nan, n[..., None] * p)

    def cov(self, n: Any, p: Any) -> ndarray:
        """The covariance matrix."""
        n, p, bad = self._parameters(n, p)
        diagonal = p[..., None] * cp.eye(p.shape[-1])
        value = n[..., None, None] * (diagonal - p[..., :, None] * p[..., None, :])
        return cp.where(bad[..., None, None], np.nan, value)

    def entropy(self, n: Any, p: Any) -> ndarray:
        """The entropy."""
        n, p, bad = self._parameters(n, p)
        most = int(to_float(n.max()))
        x = cp.arange(1.0, most + 1).reshape(-1, *(1,) * max(p.ndim, n.ndim + 1))
        from ._table_discrete import binom

        terms = binom.pmf(x, n[..., None], p) * gammaln(x + 1)
        special = cp.scipy.special
        value = n * special.entr(p).sum(axis=-1) - gammaln(n + 1) + terms.sum(axis=0).sum(axis=-1)
        return cp.where(bad, np.nan, value)

    def rvs(self, n: Any, p: Any, size: Any = None, random_state: Any = None) -> ndarray:
        """Random draws."""
        _, q, bad = self._parameters(n, p)
        if bool(bad.any()):
            raise ValueError("`multinomial.rvs` requires whole `n` of 0 or more, `p` of 0 or more, and `p.sum() == 1`.")
        return cp.asarray(generator(random_state).multinomial(int(_number(n)), q.get(), size=size))


class dirichlet_multinomial_gen(multi_generic):
    """The Dirichlet-multinomial distribution."""

    _names = _attributes = ("alpha", "n")

    def _check(self, alpha: Any, n: Any) -> None:
        self._parameters(alpha, n)

    def _shown(self, alpha: Any, n: Any) -> dict[str, Any]:
        return {"alpha": self._parameters(alpha, n)[0], "n": as_device(n)}

    def _parameters(self, alpha: Any, n: Any) -> tuple[ndarray, ndarray]:
        a, n = points(as_device(alpha)), points(as_device(n))
        if not bool((a > 0).all()):
            raise ValueError("All values in `alpha` must be greater than zero.")
        if not bool(((n >= 0) & (n == cp.floor(n))).all()):
            raise ValueError("`n` must be a non-negative integer.")
        return a, n

    def logpmf(self, x: Any, alpha: Any, n: Any) -> ndarray:
        """The logarithm of the probability."""
        a, n = self._parameters(alpha, n)
        x = points(as_device(x))
        if not bool(((x >= 0) & (x == cp.floor(x))).all()):
            raise ValueError("`x` must contain only non-negative integers.")
        x, a = cp.broadcast_arrays(x, a)
        total = a.sum(axis=-1)
        # By beta functions, which large parameters do not cancel in.
        value = cp.where(n > 0, np.log(n) + betaln(total, n), 0)
        value = value - cp.where(x > 0, np.log(x) + betaln(x, a), 0).sum(axis=-1)
        return cp.where(x.sum(axis=-1) == n, value, -np.inf)

    def pmf(self, x: Any, alpha: Any, n: Any) -> ndarray:
        """The probability."""
        return cp.exp(self.logpmf(x, alpha, n))

    def mean(self, alpha: Any, n: Any) -> ndarray:
        """The means."""
        a, n = self._parameters(alpha, n)
        return n[..., None] * a / a.sum(axis=-1, keepdims=True)

    def var(self, alpha: Any, n: Any) -> ndarray:
        """The variances."""
        a, n = self._parameters(alpha, n)
        total = a.sum(axis=-1, keepdims=True)
        n = n[..., None]
        return n * a / total * (1 - a / total) * (n + total) / (1 + total)

    def cov(self, alpha: Any, n: Any) -> ndarray:
        """The covariance matrix."""
        a, n = self._parameters(alpha, n)
        total = a.sum(axis=-1)[..., None, None]
        n = n[..., None, None]
        share = a[..., :, None] / total
        value = share * cp.eye(a.shape[-1]) - share * (a[..., None, :] / total)
        return n * (n + total) / (1 + total) * value


class multivariate_hypergeom_gen(multi_generic):
    """The multivariate hypergeometric distribution."""

    _names = ("m", "n")
    _attributes = ("M", "m", "n", "mcond", "ncond", "mncond")

    def _shown(self, m: Any, n: Any) -> dict[str, Any]:
        m, n = as_device(m), as_device(n)
        total = m.sum(axis=-1)
        negative, many = m < 0, (n < 0) | (n > total)
        return {
            "M": total, "m": m, "n": n, "mcond": negative, "ncond": many, "mncond": negative.any(axis=-1) | many
        }  # fmt: skip

    def _check(self, m: Any, n: Any) -> None:
        m, n = as_device(m), as_device(n)
        # An empty list has no type of its own.
        m, n = (v if v.size else v.astype(np.int64) for v in (m, n))
        for name, value in (("m", m), ("n", n)):
            if value.dtype.kind not in "iu":
                raise TypeError(f"'{name}' must be an array of integers, not of {value.dtype}.")
        if m.ndim == 0:
            raise ValueError("'m' must be an array with at least one dimension.")

    def _valid(self, m: Any, n: Any) -> tuple[ndarray, ndarray]:
        """The numbers of each category and of draws, the latter NaN where there is no such distribution."""
        self._check(m, n)
        m, n = points(as_device(m)), points(as_device(n))
        return m, cp.where((m < 0).any(axis=-1) | (n < 0) | (n > m.sum(axis=-1)), np.nan, n)

    def logpmf(self, x: Any, m: Any, n: Any) -> ndarray:
        """The logarithm of the probability."""
        self._check(m, n)
        x = as_device(x)
        if x.dtype.kind not in "iu":
            raise TypeError(f"'x' must be an array of integers, not of {x.dtype}.")
        if x.ndim == 0:
            raise ValueError("'x' must be an array with at least one dimension.")
        x, m, n = (points(as_device(v)) for v in (x, m, n))
        total = m.sum(axis=-1)
        bad = (m < 0).any(axis=-1) | (n < 0) | (n > total)
        inside = (x >= 0).all(axis=-1) & (x <= m).all(axis=-1) & (x.sum(axis=-1) == n) & (x == cp.floor(x)).all(axis=-1)
        value = (
            (betaln(m + 1, 1.0) - betaln(x + 1, m - x + 1)).sum(axis=-1)
            - betaln(total + 1, 1.0)
            + betaln(n + 1, total - n + 1)
        )
        return cp.where(bad, np.nan, cp.where(inside, value, -np.inf))

    def pmf(self, x: Any, m: Any, n: Any) -> ndarray:
        """The probability."""
        return cp.exp(self.logpmf(x, m, n))

    def mean(self, m: Any, n: Any) -> ndarray:
        """The means."""
        m, n = self._valid(m, n)
        n = n[..., None]
        return n * m / m.sum(axis=-1, keepdims=True)

    def var(self, m: Any, n: Any) -> ndarray:
        """The variances."""
        m, n = self._valid(m, n)
        n, total = n[..., None], m.sum(axis=-1, keepdims=True)
        return n * m / total * (total - m) / total * (total - n) / (total - 1)

    def cov(self, m: Any, n: Any) -> ndarray:
        """The covariance matrix."""
        m, n = self._valid(m, n)
        n, total = n[..., None, None], m.sum(axis=-1)[..., None, None]
        factor = n * (total - n) / (total - 1) / total**2
        return factor * (total * m[..., :, None] * cp.eye(m.shape[-1]) - m[..., :, None] * m[..., None, :])

    def rvs(self, m: Any, n: Any, size: Any = None, random_state: Any = None) -> ndarray:
        """Random draws: one category after another from what is left."""
        self._check(m, n)
        source = generator(random_state)
        m, n = as_device(m).astype(np.int64), as_device(n).astype(np.int64)
        lead = np.broadcast_shapes(m.shape[:-1], n.shape)
        shape = lead if size is None else _size(size)
        if np.broadcast_shapes(lead, shape) != shape:
            raise ValueError(f"size {size} is not compatible with the shape {lead} of the parameters.")
        left = cp.broadcast_to(n, shape)
        rest, out = cp.broadcast_to(m.sum(axis=-1), shape), []
        for i in range(m.shape[-1] - 1):
            count = cp.broadcast_to(m[..., i], shape)
            rest = rest - count
            # At least one is drawn of at least one, as generators want it, and thrown away where none is left.
            others = cp.where(rest + count > 0, rest, 1)
            drawn = source.hypergeometric(count, others, cp.maximum(left, 1), size=shape)
            out.append(cp.where(left > 0, cp.asarray(drawn), 0))
            left = left - out[-1]
        return cp.stack([*out, left], axis=-1)


class vonmises_fisher_gen(multi_generic):
    """The von Mises-Fisher distribution."""

    _names = ("mu", "kappa")
    _attributes = ("dim", "mu", "kappa")

    def _shown(self, mu: Any = None, kappa: Any = 1) -> dict[str, Any]:
        mu, kappa, dim = self._parameters(mu, kappa)
        return {"dim": dim, "mu": mu, "kappa": kappa}

    def _check(self, mu: Any = None, kappa: Any = 1, **kwds: Any) -> None:
        self._parameters(mu, kappa)

    def _parameters(self, mu: Any, kappa: Any) -> tuple[ndarray, float, int]:
        mu = points(as_device(mu))
        if mu.ndim > 1:
            raise ValueError("'mu' must have one-dimensional shape.")
        if abs(to_float((mu * mu).sum()) - 1) > 1e-8:
            raise ValueError("'mu' must be a unit vector of norm 1.")
        if mu.size <= 1:
            raise ValueError("'mu' must have at least two entries.")
        if np.ndim(kappa):
            raise ValueError(f"'kappa' must be a positive scalar, not of the shape {np.shape(kappa)}.")
        kappa = float(_number(kappa))
        if kappa < 0:
            raise ValueError("'kappa' must be positive.")
        if kappa == 0:
            raise ValueError(
                "For 'kappa=0' the von Mises-Fisher distribution becomes the uniform distribution on the sphere "
                "surface. Consider using 'scipy.stats.uniform_direction' instead."
            )
        return mu, kappa, mu.size

    def _log_constant(self, d: int, kappa: float) -> float:
        half = d / 2
        bessel = float(cp.scipy.special.ive(half - 1, kappa))
        return (half - 1) * math.log(kappa) - half * math.log(2 * math.pi) - math.log(bessel) - kappa

    def logpdf(self, x: Any, mu: Any = None, kappa: Any = 1) -> ndarray:
        """The logarithm of the density on the sphere."""
        mu, kappa, d = self._parameters(mu, kappa)
        x = points(as_device(x))
        if x.shape[-1] != d:
            raise ValueError(
                "The dimensionality of the last axis of 'x' must match the dimensionality of the von Mises Fisher "
                "distribution."
            )
        if not bool((abs((x * x).sum(axis=-1) - 1) < 1e-8).all()):
            raise ValueError("'x' must be unit vectors of norm 1 along last dimension.")
        return self._log_constant(d, kappa) + kappa * (x @ mu)

    def pdf(self, x: Any, mu: Any = None, kappa: Any = 1) -> ndarray:
        """The density on the sphere."""
        return cp.exp(self.logpdf(x, mu, kappa))

    def entropy(self, mu: Any = None, kappa: Any = 1) -> ndarray:
        """The differential entropy."""
        _, kappa, d = self._parameters(mu, kappa)
        special = cp.scipy.special
        ratio = float(special.ive(d / 2, kappa)) / float(special.ive(d / 2 - 1, kappa))
        return cp.asarray(-self._log_constant(d, kappa) - kappa * ratio)

    def rvs(self, mu: Any = None, kappa: Any = 1, size: Any = 1, random_state: Any = None) -> ndarray:
        """Random draws: the share along the mean by inversion of its distribution, the rest uniform around it."""
        mu, kappa, d = self._parameters(mu, kappa)
        source, shape = generator(random_state), _size(size)
        count = math.prod(shape) if shape else 1
        # The quantiles of the cosine on a fine grid of its density, in the angle.
        angle = cp.linspace(0, math.pi, 1 << 14)
        density = np.exp(kappa * (np.cos(angle) - 1)) * np.sin(angle) ** (d - 2)
        sums = cp.concatenate([cp.zeros(1), cp.cumsum((density[1:] + density[:-1]) / 2)])
        w = np.cos(cp.interp(cp.asarray(source.uniform(size=count)) * sums[-1], sums, angle))
        z = cp.asarray(source.normal(size=(count, d)))
        z = z - (z @ mu)[:, None] * mu
        z = z / np.sqrt((z * z).sum(axis=-1, keepdims=True))
        x = w[:, None] * mu + np.sqrt(cp.maximum(1 - w * w, 0.0))[:, None] * z
        return x.reshape(*shape, d) if shape else x[0]

    def fit(self, x: Any) -> tuple[ndarray, float]:
        """Mean direction and concentration by maximum likelihood."""
        x = points(as_device(x))
        if x.ndim != 2:
            raise ValueError(f"'x' must be two dimensional, not of the shape {x.shape}.")
        if not bool((abs((x * x).sum(axis=-1) - 1) < 1e-8).all()):
            raise ValueError("'x' must be unit vectors of norm 1 along last dimension.")
        mean = x.mean(axis=0)
        r = math.sqrt(to_float((mean * mean).sum()))
        d, special = x.shape[1], cp.scipy.special
        kappa = r * (d - r * r) / (1 - r * r)
        for _ in range(100):
            ratio = float(special.ive(d / 2, kappa)) / float(special.ive(d / 2 - 1, kappa))
            step = (ratio - r) / (1 - ratio * ratio - (d - 1) / kappa * ratio)
            kappa -= step
            if abs(step) <= 1e-14 * kappa:
                break
        return mean / r, kappa


class normal_inverse_gamma_gen(multi_generic):
    """The normal-inverse-gamma distribution."""

    _names = ("mu", "lmbda", "a", "b")

    def logpdf(self, x: Any, s2: Any, mu: Any = 0, lmbda: Any = 1, a: Any = 1, b: Any = 1) -> ndarray:
        """The logarithm of the density of a mean and a variance."""
        x, s2, mu, lmbda, a, b = (points(as_device(v)) for v in (x, s2, mu, lmbda, a, b))
        good = (lmbda > 0) & (a > 0) & (b > 0)
        t = np.log(lmbda) / 2 - 0.5 * LOG2PI - np.log(s2) / 2 + a * np.log(b) - gammaln(a) - (a + 1) * np.log(s2)
        value = t - (2 * b + lmbda * (x - mu) ** 2) / (2 * s2)
        return cp.where(good, cp.where(s2 > 0, value, -np.inf), np.nan)

    def pdf(self, x: Any, s2: Any, mu: Any = 0, lmbda: Any = 1, a: Any = 1, b: Any = 1) -> ndarray:
        """The density of a mean and a variance."""
        return cp.exp(self.logpdf(x, s2, mu, lmbda, a, b))

    def mean(self, mu: Any = 0, lmbda: Any = 1, a: Any = 1, b: Any = 1) -> tuple[ndarray, ndarray]:
        """The means."""
        mu, lmbda, a, b = cp.broadcast_arrays(*(points(as_device(v)) for v in (mu, lmbda, a, b)))
        return cp.where(a > 0.5, mu, np.nan), cp.where(a > 1, b / (a - 1), np.nan)

    def var(self, mu: Any = 0, lmbda: Any = 1, a: Any = 1, b: Any = 1) -> tuple[ndarray, ndarray]:
        """The variances."""
        mu, lmbda, a, b = cp.broadcast_arrays(*(points(as_device(v)) for v in (mu, lmbda, a, b)))
        return cp.where(a > 1, b / ((a - 1) * lmbda), np.nan), cp.where(a > 2, b**2 / ((a - 1) ** 2 * (a - 2)), np.nan)

    def rvs(
        self, mu: Any = 0, lmbda: Any = 1, a: Any = 1, b: Any = 1, size: Any = None, random_state: Any = None
    ) -> tuple[ndarray, ndarray]:
        """Random draws."""
        source, shape = generator(random_state), _size(size)
        s2 = _number(b) / cp.asarray(source.standard_gamma(float(_number(a)), size=shape))
        return _number(mu) + np.sqrt(s2 / _number(lmbda)) * cp.asarray(source.normal(size=shape)), s2


multivariate_normal = multivariate_normal_gen("multivariate_normal")
multivariate_t = multivariate_t_gen("multivariate_t")
dirichlet = dirichlet_gen("dirichlet")
multinomial = multinomial_gen("multinomial")
dirichlet_multinomial = dirichlet_multinomial_gen("dirichlet_multinomial")
multivariate_hypergeom = multivariate_hypergeom_gen("multivariate_hypergeom")
vonmises_fisher = vonmises_fisher_gen("vonmises_fisher")
normal_inverse_gamma = normal_inverse_gamma_gen("normal_inverse_gamma")

__all__ = [
    "Covariance",
    "multivariate_normal",
    "multivariate_t",
    "dirichlet",
    "multinomial",
    "dirichlet_multinomial",
    "multivariate_hypergeom",
    "vonmises_fisher",
    "normal_inverse_gamma",
]
