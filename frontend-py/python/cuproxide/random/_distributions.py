"""The distributions that generators of both kinds have."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.conversions import as_array, as_shape
from .._lib.following import follows_cupy
from .._lib.texts import complete
from .._lib.ufuncs import NUMPY as _ufuncs
from .._typing import ArrayLike, DTypeLike, ShapeLike
from . import _parameters as require
from ._bit_generator import BitGenerator
from ._parameters import Check, copied, prepare, result_shape
from ._texts import TEXTS

# Kernels number the elements of up to eight dimensions.
MAX_DIMS = 8
# Longest order that is made by sorting random keys.
_SORTED = 1 << 16
_HALVES = {np.dtype(np.float32): "32", np.dtype(np.float64): "64"}
# Standard draws that have a kernel for each.
_IN_HALVES = ("uniform", "normal", "exponential")


class Distributions:
    """Draws of a stream of bits. Parameters broadcast; a result without `size` has their shape.

    Continuous distributions are of float32 or float64 as `dtype` says, those over the integers of any integer dtype.
    """

    _bits: BitGenerator
    # Whether parameters and dtypes are taken as by `RandomState`: NumPy's checks, also of arrays of the device, and
    # results of any real dtype.
    _legacy = False

    def _prepared(self, value: Any, name: str, check: Check | None = None) -> ndarray | float:
        """A parameter for a kernel, checked where it is on the host, or wherever it is by `RandomState`."""
        return prepare(value, name, check, on_device=self._legacy)

    def _float_dtype(self, dtype: DTypeLike) -> np.dtype[Any]:
        """The dtype of a continuous distribution: float32 or float64, of `RandomState` any real one."""
        return _real_dtype(dtype) if self._legacy else _float_dtype(dtype)

    def _integer_dtype(self, dtype: DTypeLike) -> np.dtype[Any]:
        """The dtype of a distribution over the integers: one of integers, of `RandomState` any real one."""
        return _real_dtype(dtype) if self._legacy else _integer_dtype(dtype)

    def _draw(
        self,
        kernel: str,
        parameters: list[Any],
        size: ShapeLike | None,
        dtype: DTypeLike = np.float64,
        out: ndarray | None = None,
    ) -> ndarray:
        """A draw by one kernel, whose parameters are prepared."""
        shape = result_shape(parameters, size, out)
        arrays = [p for p in parameters if isinstance(p, ndarray)]
        if out is None:
            out = _core.empty(shape, dtype, device=arrays[0].device if arrays else None)
        elif any(_core.may_share_memory(p, out) for p in arrays):
            parameters = [p.copy() if isinstance(p, ndarray) else p for p in parameters]
        if out.ndim <= MAX_DIMS:
            return self._bits.draw(kernel, parameters, out)
        flat = [_core.broadcast_to(p, shape).reshape(-1) if isinstance(p, ndarray) else p for p in parameters]
        drawn = self._bits.draw(kernel, flat, _core.empty(out.size, out.dtype, device=out.device))
        _core.copyto(out, drawn.reshape(shape))
        return out

    def _located(
        self, kernel: str, location: tuple[Any, str], scale: tuple[Any, str], size: ShapeLike | None, dtype: DTypeLike
    ) -> ndarray:
        """location + scale * a standard draw, which some kernels make in float32 at once."""
        centre, width = self._prepared(*location), self._prepared(*scale, require.non_negative)
        wanted = self._float_dtype(dtype)
        kind = wanted if kernel in _IN_HALVES and wanted in _HALVES else np.dtype(np.float64)
        name = kernel + _HALVES[kind] if kernel in _IN_HALVES else kernel
        drawn = self._draw(name, [], result_shape([centre, width], size), kind)
        if not (isinstance(width, float) and width == 1.0):
            drawn *= width
        if not (isinstance(centre, float) and centre == 0.0):
            drawn += centre
        return drawn.astype(wanted, copy=False)

    def _halves(self, name: str, what: str, size: ShapeLike | None, dtype: DTypeLike, out: ndarray | None) -> ndarray:
        """A standard draw of float32 or float64."""
        wanted = np.dtype(dtype)
        if wanted not in _HALVES:
            raise TypeError(f"Unsupported dtype {wanted!r} for {what}")
        _check_out(out, wanted)
        return self._draw(name + _HALVES[wanted], [], size, wanted, out)

    # Continuous distributions.

    def uniform(
        self, low: ArrayLike = 0.0, high: ArrayLike = 1.0, size: ShapeLike | None = None, dtype: DTypeLike = float
    ) -> ndarray:
        """Uniform over [low, high).

        Parameters
        ----------
        low : array_like
            The least value.

        >>> cp.random.default_rng(1).uniform(size=3).shape
        (3,)
        """
        wanted = _float_dtype(dtype)
        start, end = self._prepared(low, "low"), self._prepared(high, "high")
        width = end - start
        if not isinstance(low, ndarray) and not isinstance(high, ndarray):
            known = np.asarray(high, np.float64) - np.asarray(low, np.float64)
            if not np.all(np.isfinite(known)):
                raise OverflowError("high - low range exceeds valid bounds")
            if np.any(np.signbit(known)) and not self._legacy:
                raise ValueError("high < low")
        drawn = self._draw("uniform" + _HALVES[wanted], [], result_shape([start, end], size), wanted)
        if not (isinstance(width, float) and width == 1.0):
            drawn *= width
        if not (isinstance(start, float) and start == 0.0):
            drawn += start
        return drawn

    def normal(
        self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: ShapeLike | None = None, dtype: DTypeLike = float
    ) -> ndarray:
        """Normal, by the method of Box and Muller.

        >>> cp.random.default_rng(1).normal(size=3).shape
        (3,)
        """
        return self._located("normal", (loc, "loc"), (scale, "scale"), size, _float_dtype(dtype))

    def laplace(
        self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: ShapeLike | None = None, dtype: DTypeLike = float
    ) -> ndarray:
        """Double exponential.

        >>> cp.random.default_rng(1).laplace(size=3).shape
        (3,)
        """
        return self._located("laplace", (loc, "loc"), (scale, "scale"), size, dtype)

    def logistic(
        self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: ShapeLike | None = None, dtype: DTypeLike = float
    ) -> ndarray:
        """Logistic.

        >>> cp.random.default_rng(1).logistic(size=3).shape
        (3,)
        """
        return self._located("logistic", (loc, "loc"), (scale, "scale"), size, dtype)

    def gumbel(
        self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: ShapeLike | None = None, dtype: DTypeLike = float
    ) -> ndarray:
        """Extreme values of the first type.

        >>> cp.random.default_rng(1).gumbel(size=3).shape
        (3,)
        """
        return self._located("gumbel", (loc, "loc"), (scale, "scale"), size, dtype)

    def exponential(self, scale: ArrayLike = 1.0, size: ShapeLike | None = None, dtype: DTypeLike = float) -> ndarray:
        """Exponential with mean `scale`.

        >>> cp.random.default_rng(1).exponential(1.0, size=3).shape
        (3,)
        """
        return self._located("exponential", (0.0, "loc"), (scale, "scale"), size, dtype)

    def rayleigh(self, scale: ArrayLike = 1.0, size: ShapeLike | None = None, dtype: DTypeLike = float) -> ndarray:
        """Rayleigh: lengths of normal vectors of the plane.

        >>> cp.random.default_rng(1).rayleigh(1.0, size=3).shape
        (3,)
        """
        width = self._prepared(scale, "scale", require.non_negative)
        drawn = self._draw("exponential64", [], result_shape([width], size))
        drawn *= 2.0
        return (_ufuncs["sqrt"](drawn, out=drawn) * width).astype(self._float_dtype(dtype), copy=False)

    def standard_cauchy(self, size: ShapeLike | None = None, dtype: DTypeLike = float) -> ndarray:
        """Cauchy.

        >>> cp.random.default_rng(1).standard_cauchy(size=3).shape
        (3,)
        """
        return self._draw("cauchy", [], size).astype(self._float_dtype(dtype), copy=False)

    def _real(
        self, kernel: str, size: ShapeLike | None, dtype: DTypeLike, *parameters: tuple[Any, str, Check | None]
    ) -> ndarray:
        """A draw by a kernel of float64, as float32 or float64."""
        wanted = self._float_dtype(dtype)
        return self._draw(kernel, [self._prepared(*parameter) for parameter in parameters], size).astype(
            wanted, copy=False
        )

    def _whole(self, kernel: str, size: ShapeLike | None, dtype: DTypeLike, *parameters: Any) -> ndarray:
        """A draw by a kernel of int64, whose parameters are prepared, as any integer dtype."""
        wanted = self._integer_dtype(dtype)
        return self._draw(kernel, list(parameters), size, np.int64).astype(wanted, copy=False)

    def gamma(
        self, shape: ArrayLike, scale: ArrayLike = 1.0, size: ShapeLike | None = None, dtype: DTypeLike = float
    ) -> ndarray:
        """Gamma, by the method of Marsaglia and Tsang.

        >>> cp.random.default_rng(1).gamma(2.0, size=3).shape
        (3,)
        """
        form = self._prepared(shape, "shape", require.non_negative)
        width = self._prepared(scale, "scale", require.non_negative)
        drawn = self._draw("gamma", [form], result_shape([form, width], size))
        drawn *= width
        return drawn.astype(self._float_dtype(dtype), copy=False)

    def beta(self, a: ArrayLike, b: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike = float) -> ndarray:
        """Beta.

        Parameters
        ----------
        b : array_like
            The second parameter of shape.

        >>> cp.random.default_rng(1).beta(1.0, 2.0, size=3).shape
        (3,)
        """
        return self._real("beta", size, dtype, (a, "a", require.positive), (b, "b", require.positive))

    def chisquare(self, df: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike = float) -> ndarray:
        """Chi-square.

        >>> cp.random.default_rng(1).chisquare(2.0, size=3).shape
        (3,)
        """
        return self._real("chisquare", size, dtype, (df, "df", require.positive))

    def noncentral_chisquare(
        self, df: ArrayLike, nonc: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike = float
    ) -> ndarray:
        """Noncentral chi-square.

        >>> cp.random.default_rng(1).noncentral_chisquare(2.0, 1.0, size=3).shape
        (3,)
        """
        parameters = (df, "df", require.positive), (nonc, "nonc", require.non_negative)
        return self._real("noncentral_chisquare", size, dtype, *parameters)

    def f(self, dfnum: ArrayLike, dfden: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike = float) -> ndarray:
        """Fisher's F.

        >>> cp.random.default_rng(1).f(2.0, 3.0, size=3).shape
        (3,)
        """
        return self._real("f", size, dtype, (dfnum, "dfnum", require.positive), (dfden, "dfden", require.positive))

    def noncentral_f(
        self,
        dfnum: ArrayLike,
        dfden: ArrayLike,
        nonc: ArrayLike,
        size: ShapeLike | None = None,
        dtype: DTypeLike = float,
    ) -> ndarray:
        """Noncentral F.

        >>> cp.random.default_rng(1).noncentral_f(2.0, 3.0, 1.0, size=3).shape
        (3,)
        """
        upper = self._prepared(dfnum, "dfnum", require.positive)
        lower = self._prepared(dfden, "dfden", require.positive)
        offset = self._prepared(nonc, "nonc", require.non_negative)
        shape = result_shape([upper, lower, offset], size)
        numerator = self._draw("noncentral_chisquare", [upper, offset], shape) / upper
        return (numerator / (self._draw("chisquare", [lower], shape) / lower)).astype(
            self._float_dtype(dtype), copy=False
        )

    def standard_t(self, df: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike = float) -> ndarray:
        """Student's t.

        >>> cp.random.default_rng(1).standard_t(2.0, size=3).shape
        (3,)
        """
        return self._real("t", size, dtype, (df, "df", require.positive))

    def lognormal(
        self, mean: ArrayLike = 0.0, sigma: ArrayLike = 1.0, size: ShapeLike | None = None, dtype: DTypeLike = float
    ) -> ndarray:
        """Numbers whose logarithm is normally distributed.

        Parameters
        ----------
        sigma : array_like
            The deviation of the logarithm.

        >>> cp.random.default_rng(1).lognormal(size=3).shape
        (3,)
        """
        return self._real("lognormal", size, dtype, (mean, "mean", None), (sigma, "sigma", require.non_negative))

    def pareto(self, a: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike = float) -> ndarray:
        """Pareto of the second kind.

        >>> cp.random.default_rng(1).pareto(2.0, size=3).shape
        (3,)
        """
        return self._real("pareto", size, dtype, (a, "a", require.positive))

    def power(self, a: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike = float) -> ndarray:
        """Numbers with density a x^(a - 1) over [0, 1].

        >>> cp.random.default_rng(1).power(2.0, size=3).shape
        (3,)
        """
        return self._real("power", size, dtype, (a, "a", require.positive))

    def weibull(self, a: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike = float) -> ndarray:
        """Weibull.

        >>> cp.random.default_rng(1).weibull(2.0, size=3).shape
        (3,)
        """
        return self._real("weibull", size, dtype, (a, "a", require.non_negative))

    def wald(
        self, mean: ArrayLike, scale: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike = float
    ) -> ndarray:
        """Inverse Gaussian.

        >>> cp.random.default_rng(1).wald(1.0, 1.0, size=3).shape
        (3,)
        """
        return self._real("wald", size, dtype, (mean, "mean", require.positive), (scale, "scale", require.positive))

    def vonmises(
        self, mu: ArrayLike, kappa: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike = float
    ) -> ndarray:
        """Angles in [-pi, pi].

        Parameters
        ----------
        mu : array_like
            The mode.
        kappa : array_like
            The concentration.

        >>> cp.random.default_rng(1).vonmises(0.0, 1.0, size=3).shape
        (3,)
        """
        return self._real("vonmises", size, dtype, (mu, "mu", None), (kappa, "kappa", require.non_negative))

    def triangular(
        self,
        left: ArrayLike,
        mode: ArrayLike,
        right: ArrayLike,
        size: ShapeLike | None = None,
        dtype: DTypeLike = float,
    ) -> ndarray:
        """Numbers with a triangular density.

        Parameters
        ----------
        left : array_like
            The least value.
        mode : array_like
            The most frequent value.
        right : array_like
            The greatest value.

        >>> cp.random.default_rng(1).triangular(0.0, 0.5, 1.0, size=3).shape
        (3,)
        """
        values = [self._prepared(left, "left"), self._prepared(mode, "mode"), self._prepared(right, "right")]
        known = not any(isinstance(value, ndarray) for value in (left, mode, right))
        if self._legacy or known:
            low, middle, high = (np.asarray(v, np.float64) for v in (left, mode, right)) if known else values
            if np.any(low > middle):
                raise ValueError("left > mode")
            if np.any(middle > high):
                raise ValueError("mode > right")
            if np.any(low == high):
                raise ValueError("left == right")
        return self._draw("triangular", values, size).astype(self._float_dtype(dtype), copy=False)

    # Distributions over the integers.

    def geometric(self, p: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike = int) -> ndarray:
        """Trials until the first success.

        >>> cp.random.default_rng(1).geometric(0.5, size=3).shape
        (3,)
        """
        return self._whole("geometric", size, dtype, self._prepared(p, "p", require.success))

    def poisson(self, lam: ArrayLike = 1.0, size: ShapeLike | None = None, dtype: DTypeLike = int) -> ndarray:
        """Poisson, by Hörmann's PTRS for means from 10 on.

        Parameters
        ----------
        lam : array_like
            The mean.

        >>> cp.random.default_rng(1).poisson(3.0, size=3).shape
        (3,)
        """
        return self._whole("poisson", size, dtype, self._prepared(lam, "lam", require.rate))

    def binomial(self, n: ArrayLike, p: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike = int) -> ndarray:
        """Successes in `n` trials, by Hörmann's BTRS for means from 10 on.

        >>> cp.random.default_rng(1).binomial(10, 0.5, size=3).shape
        (3,)
        """
        parameters = [self._prepared(n, "n", require.trials), self._prepared(p, "p", require.probability)]
        return self._whole("binomial", size, dtype, *parameters)

    def negative_binomial(
        self, n: ArrayLike, p: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike = int
    ) -> ndarray:
        """Failures before `n` successes, as a mixture.

        >>> cp.random.default_rng(1).negative_binomial(3, 0.5, size=3).shape
        (3,)
        """
        count, chance = self._prepared(n, "n", require.positive_number), self._prepared(p, "p", require.success)
        if not self._legacy and not any(isinstance(value, ndarray) for value in (n, p)):
            require.countable(np.asarray(n, np.float64), np.asarray(p, np.float64))
        means = self._draw("gamma", [count], result_shape([count, chance], size))
        means *= (1.0 - chance) / chance
        drawn = self._whole("poisson", None, int, means)
        # As NumPy's conversion of what no int64 holds.
        drawn = _core.where(means < 2.0**63, drawn, np.int64(-(2**63)))
        return drawn.astype(self._integer_dtype(dtype), copy=False)

    def logseries(self, p: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike = int) -> ndarray:
        """Whole numbers weighted as the terms of a logarithm's series.

        Parameters
        ----------
        p : array_like
            The parameter of shape, below 1.

        >>> cp.random.default_rng(1).logseries(0.5, size=3).shape
        (3,)
        """
        return self._whole("logseries", size, dtype, self._prepared(p, "p", require.fraction))

    def zipf(self, a: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike = int) -> ndarray:
        """Whole numbers with probabilities like powers.

        >>> cp.random.default_rng(1).zipf(2.0, size=3).shape
        (3,)
        """
        return self._whole("zipf", size, dtype, self._prepared(a, "a", require.above_one))

    def hypergeometric(
        self,
        ngood: ArrayLike,
        nbad: ArrayLike,
        nsample: ArrayLike,
        size: ShapeLike | None = None,
        dtype: DTypeLike = int,
    ) -> ndarray:
        """Good ones among `nsample` drawn without putting back, from `ngood` good and `nbad` bad ones.

        One by one below ten draws, Stadlober's HRUA from there on.

        Parameters
        ----------
        ngood : array_like
            The number of good ones.
        nbad : array_like
            The number of bad ones.

        >>> cp.random.default_rng(1).hypergeometric(5, 5, 3, size=3).shape
        (3,)
        """
        drawn = self._prepared(nsample, "nsample", require.at_least_one if self._legacy else require.whole)
        counts = [self._prepared(ngood, "ngood", require.whole), self._prepared(nbad, "nbad", require.whole), drawn]
        given = [np.asarray(v, np.float64) for v in (ngood, nbad, nsample) if not isinstance(v, ndarray)]
        if len(given) == 3:
            if not self._legacy and max(v.max(initial=0) for v in given[:2]) >= 10**9:
                raise ValueError(f"both ngood and nbad must be less than {10**9}")
        if (self._legacy or len(given) == 3) and np.any(counts[0] + counts[1] < counts[2]):
            raise ValueError("ngood + nbad < nsample")
        return self._whole("hypergeometric", size, dtype, *counts)

    # Distributions of vectors.

    def _multivariate_normal(
        self, mean: Any, cov: Any, size: ShapeLike | None, check_valid: str, tol: float, method: str
    ) -> ndarray:
        from .. import linalg

        if method not in ("eigh", "svd", "cholesky"):
            raise ValueError("method must be one of {'eigh', 'svd', 'cholesky'}")
        centre, covariance = copied(mean), copied(cov)
        if "c" in (centre.dtype.kind, covariance.dtype.kind):
            raise TypeError("mean and cov must not be complex")
        if centre.ndim != 1:
            raise ValueError("mean must be 1 dimensional")
        if covariance.ndim != 2 or covariance.shape[0] != covariance.shape[1]:
            raise ValueError("cov must be 2 dimensional and square")
        if centre.shape[0] != covariance.shape[0]:
            raise ValueError("mean and cov must have same length")
        if check_valid not in ("warn", "raise", "ignore"):
            raise ValueError("check_valid must equal 'warn', 'raise', or 'ignore'")
        covariance = covariance.astype(np.float64)
        shape = () if size is None else tuple(as_shape(size))
        drawn = self._draw("normal64", [], (*shape, centre.shape[0]))
        if method == "cholesky":
            factor = linalg.cholesky(covariance).T
        else:
            if method == "svd":
                _, values, vectors = linalg.svd(covariance)
            else:
                values, vectors = linalg.eigh(covariance)
                vectors = vectors.T
            if check_valid != "ignore":
                again = _core.matmul(vectors.T * values, vectors)
                near = _ufuncs["absolute"](again - covariance) <= tol + tol * _ufuncs["absolute"](covariance)
                if method == "eigh":
                    near = near & (values >= -tol).all()
                if not bool(near.all()):
                    message = "covariance is not symmetric positive-semidefinite."
                    if check_valid == "raise":
                        raise ValueError(message)
                    warnings.warn(message, RuntimeWarning, stacklevel=3)
            factor = _ufuncs["sqrt"](_ufuncs["maximum"](values, 0.0))[:, None] * vectors
        return _core.matmul(drawn, factor) + centre

    def dirichlet(self, alpha: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike = float) -> ndarray:
        """Points of a simplex: gamma variates over their sum.

        Parameters
        ----------
        alpha : array_like
            The parameters of concentration.

        >>> cp.random.default_rng(1).dirichlet([1.0, 2.0, 3.0], size=3).shape
        (3, 3)
        """
        weights = self._prepared(alpha, "alpha", require.positive if self._legacy else require.non_negative)
        lead = () if size is None else tuple(as_shape(size))
        if self._legacy and lead and np.ndim(weights) == 0:
            # One number is that of all corners, of which the last length tells how many there are.
            weights, lead = _core.full(lead[-1:], weights, np.float64), lead[:-1]
        elif not self._legacy and np.ndim(weights) == 0 and follows_cupy():
            weights = _core.full(1, weights, np.float64)
        if isinstance(weights, float) or weights.ndim != 1:
            raise ValueError("alpha must be a one-dimensional array")
        if weights.size == 0:
            return _core.empty((*lead, 0), self._float_dtype(dtype), device=weights.device)
        # Tiny parameters draw corners, by the quotients of the parameters alone; multiples of them have logarithms.
        weights = weights * _core.where(weights.max() < 1e-250, 1e200, 1.0)
        # In logarithms, since all of them may be too small for float64.
        logarithms = self._draw("log_gamma", [weights], (*lead, weights.size))
        logarithms -= logarithms.max(axis=-1, keepdims=True)
        points = _ufuncs["exp"](logarithms)
        return (points / points.sum(axis=-1, keepdims=True)).astype(self._float_dtype(dtype), copy=False)

    def multinomial(self, n: ArrayLike, pvals: ArrayLike, size: ShapeLike | None = None) -> ndarray:
        """Counts of `n` draws among categories, one binomial each.

        Parameters
        ----------
        pvals : array_like
            The probabilities of the categories.

        >>> cp.random.default_rng(1).multinomial(10, [0.5, 0.5], size=3).shape
        (3, 2)
        """
        if self._legacy:
            if not isinstance(n, ndarray):
                n = _single(n)
            if np.ndim(pvals) == 0:
                raise TypeError("pvals must be a 1-d sequence")
        count, chances = (
            self._prepared(n, "n", require.trials),
            self._prepared(pvals, "pvals", require.probability),
        )
        if self._legacy and not isinstance(chances, float) and chances.shape == (0,):
            return _core.empty((*(() if size is None else as_shape(size)), 0), np.int64, device=chances.device)
        if isinstance(chances, float) or chances.size == 0:
            raise ValueError(
                "pvals must have at least 1 dimension and the last dimension of pvals must be greater than 0."
            )
        if not isinstance(pvals, ndarray) and np.any(np.asarray(pvals, float)[..., :-1].sum(-1) > 1.0 + 1e-12):
            raise ValueError("sum(pvals[:-1]) > 1.0")
        categories = chances.shape[-1]
        shape = result_shape([count, chances[..., 0]], size)
        left = _core.broadcast_to(as_array(count), shape).astype(np.float64)
        # The last category takes what the others leave, whatever is given for it.
        others = chances[..., :-1]
        rest = _ufuncs["maximum"](1.0 - others.sum(axis=-1, keepdims=True), 0.0)
        chances = _core.concatenate((others, rest), -1)
        # What is left of the probability, for each category the sum from there on.
        tails = chances[..., ::-1].cumsum(axis=-1)[..., ::-1]
        shares = _core.clip(chances / _core.where(tails > 0, tails, 1.0), 0.0, 1.0)
        counts = _core.empty((*shape, categories), np.int64)
        for category in range(categories - 1):
            drawn = self._draw("binomial", [left, shares[..., category]], shape, np.int64)
            counts[..., category] = drawn
            left = left - drawn
        counts[..., -1] = left.astype(np.int64)
        return counts

    # Orders.

    def bytes(self, length: int) -> bytes:
        """Random bytes, on the host. See `numpy.random.Generator.bytes`.

        >>> len(cp.random.default_rng(1).bytes(5))
        5
        """
        length = int(_single(length))
        words = self._draw("bits32", [], -(-length // 4), np.uint32)
        return _core.asnumpy(words).astype("<u4").tobytes()[:length]

    def _order(self, length: int) -> ndarray:
        """The numbers below `length` in random order: the order of random 64-bit keys, or a keyed bijection if long."""
        if length > _SORTED:
            return self._draw("permutation", [length, (length - 1).bit_length()], length, np.uint64).view(np.int64)
        return self._draw("bits64", [], length, np.uint64).argsort()

    def _shuffled(self, x: Any, axis: int) -> ndarray:
        array = copied(x)
        axis = _core.normalize_axis(axis, array.ndim)
        return array.take(self._order(array.shape[axis]), axis=axis)

    def _shuffle(self, x: ndarray, axis: int) -> None:
        if not isinstance(x, ndarray):
            raise TypeError("only arrays of cuproxide are shuffled in place")
        if x.ndim == 0:
            raise TypeError("shuffle of an array without dimensions")
        x[...] = self._shuffled(x, axis)

    def _permutation(self, x: int | ArrayLike, axis: int) -> ndarray:
        if isinstance(x, (int, np.integer)):
            return self._order(int(x))
        return self._shuffled(x, axis)

    def _choice(
        self, a: int | ArrayLike, size: ShapeLike | None, replace: bool, p: ArrayLike | None, axis: int
    ) -> ndarray:
        shape = () if size is None else tuple(as_shape(size))
        wanted = math.prod(shape)
        if isinstance(a, (ndarray, np.ndarray, np.generic)) and a.ndim == 0:
            a = a.item()
        if isinstance(a, (int, np.integer)):
            population, source = int(a), None
            if population <= 0 and wanted:
                raise ValueError("a must be a positive integer unless no samples are taken")
            if population > 2**63:
                raise ValueError("high is out of bounds for int64")
        elif isinstance(a, (float, complex, np.inexact)):
            raise ValueError(f"a must be a sequence or an integer, not {type(a)}")
        else:
            source = copied(a)
            axis = _core.normalize_axis(axis, source.ndim)
            population = source.shape[axis]
            if population == 0 and wanted:
                raise ValueError("a cannot be empty unless no samples are taken")
        weights = None if p is None else _weights(p, population, None if replace else wanted)
        if not replace and wanted > population:
            raise ValueError("Cannot take a larger sample than population when replace is False")
        if wanted == 0:
            index = _core.empty(shape, np.int64)
        elif weights is None and replace:
            kernel = "integers32_wide" if population <= 2**32 else "integers64"
            index = self._draw(kernel, [0, population - 1], shape, np.int64)
        elif weights is None:
            index = self._order(population)[:wanted].reshape(shape)
        elif replace:
            edges = weights.cumsum()
            edges /= edges[-1]
            from .. import searchsorted

            index = searchsorted(edges, self._draw("uniform64", [], shape), side="right")
        else:
            # The first of waiting times with these rates, one after the other (Efraimidis and Spirakis, 2006).
            times = self._draw("exponential64", [], population) / weights
            index = times.argsort()[:wanted].reshape(shape)
        if source is None:
            return index
        return source.take(index, axis=axis)


def _single(n: Any) -> Any:
    """The number that `n` is, also in an array without dimensions, where a function takes no more."""
    if np.ndim(n) or isinstance(n, (str, bytes)):
        raise TypeError("an integer is required")
    return n.item() if isinstance(n, np.ndarray) else n


def _weights(p: ArrayLike, population: int, distinct: int | None) -> ndarray:
    """Probabilities of a choice; those given on the host are checked there."""
    weights = prepare(p, "p")
    if isinstance(weights, float) or weights.ndim != 1:
        raise ValueError("p must be 1-dimensional")
    if weights.size != population:
        raise ValueError("a and p must have same size")
    if not isinstance(p, ndarray):
        host = np.asarray(p, np.float64)
        if np.isnan(host.sum()):
            raise ValueError("Probabilities contain NaN")
        if np.any(host < 0):
            raise ValueError("Probabilities are not non-negative")
        if abs(math.fsum(host) - 1.0) > 1.5e-8:
            raise ValueError("Probabilities do not sum to 1. See Notes section of docstring for more information.")
        if distinct is not None and np.count_nonzero(host) < distinct <= population:
            raise ValueError("Fewer non-zero entries in p than size")
    return weights


def _float_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    """The dtype of a continuous distribution: float32 or float64."""
    wanted = np.dtype(dtype)
    if wanted not in _HALVES:
        raise TypeError(f"Unsupported dtype {wanted!r}: continuous distributions have float32 and float64")
    return wanted


def _real_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    """Any dtype that real numbers are converted to."""
    wanted = np.dtype(dtype)
    if wanted.kind not in "biuf":
        raise TypeError(f"Unsupported dtype {wanted!r}: distributions of real numbers have real dtypes")
    return wanted


def _integer_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    """The dtype of a distribution over the integers."""
    wanted = np.dtype(dtype)
    if wanted.kind not in "iu":
        raise TypeError(f"Unsupported dtype {wanted!r}: distributions over the integers have dtypes of integers")
    return wanted


def _check_out(out: ndarray | None, dtype: np.dtype[Any]) -> None:
    if out is None:
        return
    if not isinstance(out, ndarray):
        raise TypeError("out must be an array of cuproxide")
    if not out.flags.writeable:
        raise ValueError("Supplied output array must be writable")
    if out.dtype != dtype:
        raise TypeError(f"Supplied output array has the wrong type. Expected {dtype}, got {out.dtype}")


complete(globals(), ("Distributions",), TEXTS, methods_follow="numpy.random.Generator")
