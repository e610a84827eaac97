"""Fits within bounds, and tests of how well a family of distributions fits."""

from __future__ import annotations

import math
import warnings
from collections import namedtuple
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_float
from ._common import modern, quiet, renamed
from ._continuous import rv_continuous
from ._discrete import rv_discrete
from ._fit import simplex
from ._math import betaincinv
from ._resampling import monte_carlo_test
from ._simplex import simplex_of_rows

__all__ = ["fit", "goodness_of_fit"]

# Parameters that are whole numbers, and those whose domain is an interval.
_WHOLE = {
    "n": ("betabinom", "betanbinom", "binom", "hypergeom", "irwinhall", "ksone", "kstwo", "nbinom", "zipfian",
          "nchypergeom_fisher", "nchypergeom_wallenius", "nhypergeom"),
    "N": ("boltzmann", "hypergeom", "nchypergeom_fisher", "nchypergeom_wallenius"),
    "M": ("hypergeom", "nchypergeom_fisher", "nchypergeom_wallenius", "nhypergeom"),
    "r": ("nhypergeom",),
    "a": ("erlang",),
    "low": ("randint",),
    "high": ("randint",),
}  # fmt: skip
_BETWEEN = {
    "p": dict.fromkeys(("bernoulli", "binom", "geom", "logser", "nbinom"), (0.0, 1.0)),
    "c": dict.fromkeys(("trapezoid", "triang", "wrapcauchy"), (0.0, 1.0)),
    "d": {"trapezoid": (0.0, 1.0)},
    "a": {"skewcauchy": (-1.0, 1.0)},
    "alpha": {"levy_stable": (5e-324, 2.0)},
    "beta": {"levy_stable": (-1.0, 1.0)},
}
_EVERYWHERE = (-np.inf, np.inf)
# What a point outside of the support adds to the negative logarithm of the likelihood.
_PENALTY = 100 * math.log(np.finfo(np.float64).max)


@cache
def _fit_class(names: tuple[str, ...]) -> Any:
    return type("FitParams", (namedtuple("FitParams", names),), {"__slots__": (), "__reduce__": _reduced})


def _fit_params(names: tuple[str, ...], *values: float) -> Any:
    return _fit_class(names)(*values)


def _reduced(self: Any) -> Any:
    # Each distribution has a class of its own, which modules do not know.
    return _fit_params, (self._fields, *self)


class FitResult:
    """The result of `fit`: `params` by name, `success` and `message`."""

    def __init__(self, dist: Any, data: ndarray, discrete: bool, result: Any) -> None:
        self._dist, self._data, self.discrete = dist, data, discrete
        self.pxf = dist.pmf if discrete else dist.pdf
        names = [*dist._names, "loc"] if discrete else [*dist._names, "loc", "scale"]
        self.params = _fit_params(tuple(names), *(float(v) for v in result.x))
        self.success, self.message = getattr(result, "success", None), getattr(result, "message", None)
        if self.success and not np.isfinite(to_float(self.nllf())):
            self.success = False
            self.message = "Optimization converged to parameter values that are inconsistent with the data."

    def __repr__(self) -> str:
        known = {key: getattr(self, key) for key in ("params", "success", "message")}
        return "\n".join(f"{key:>8}: {value!r}" for key, value in known.items() if value is not None)

    def nllf(self, params: Any = None, data: Any = None) -> ndarray:
        """The negative logarithm of the likelihood, of the fit and its data or of others."""
        return self._dist.nnlf(
            self.params if params is None else params, self._data if data is None else as_device(data)
        )

    def plot(self, ax: Any = None, *, plot_type: str = "hist") -> Any:
        """Draws data beside the fit, by matplotlib: "hist", "qq", "pp" or "cdf"; returns the axes."""
        from ._goodness_plot import plot

        return plot(self, ax, plot_type)


# ---------------------------------------------------------------------------------------------- arguments of `fit`


def _default_bounds(dist: Any, names: list[str]) -> tuple[dict[str, tuple[float, float]], list[bool]]:
    domains = {name: _BETWEEN.get(name, {}).get(dist.name, _EVERYWHERE) for name in names}
    domains |= {"loc": _EVERYWHERE, "scale": (5e-324, np.inf)}
    return {name: domains[name] for name in names}, [dist.name in _WHOLE.get(name, ()) for name in names]


def _combined(name: str, wanted: Any, domain: tuple[float, float], whole: bool) -> tuple[float, float]:
    low, high = float(wanted[0]), float(wanted[1])
    if low > high:
        raise ValueError(f"There are no values for `{name}` on the interval {[low, high]}.")
    low, high = max(low, domain[0]), min(high, domain[1])
    where = "on the interval defined by the user-provided bounds and the domain of the distribution."
    if whole and math.ceil(low) > math.floor(high):
        raise ValueError(f"There are no integer values for `{name}` {where}")
    if low > high:
        raise ValueError(f"There are no values for `{name}` {where}")
    if not (np.isfinite(low) and np.isfinite(high)):
        raise ValueError(
            f"The intersection of user-provided bounds for `{name}` and the domain of the distribution is not finite. "
            f"Please provide finite bounds for shape `{name}` in `bounds`."
        )
    return low, high


def _bounds(dist: Any, names: list[str], shapes: int, given: Any, discrete: bool) -> tuple[np.ndarray, list[bool]]:
    held = {"loc": (0.0, 0.0)} if discrete else {"loc": (0.0, 0.0), "scale": (1.0, 1.0)}
    domains, whole = _default_bounds(dist, names)
    if given is None or isinstance(given, dict):
        wanted = {**held, **(given or {})}
        unknown = set(wanted) - set(names)
        if unknown:
            warnings.warn(
                f"Bounds provided for the following unrecognized parameters will be ignored: {unknown}",
                RuntimeWarning,
                stacklevel=3,
            )
        pairs: list[Any] = []
        for name in names:
            pair = np.asarray(wanted.get(name, domains[name]), dtype=float)
            if pair.shape != (2,):
                raise ValueError(
                    f"Each element of a `bounds` sequence must be a tuple containing two elements: the lower and upper "
                    f"bound of a distribution parameter; {name} has {pair.shape}."
                )
            pairs.append(pair)
    else:
        try:
            table = np.asarray(given, dtype=float)
        except ValueError as error:
            raise ValueError(
                "Each element of a `bounds` sequence must be a tuple containing two elements: the lower and upper "
                "bound of a distribution parameter."
            ) from error
        table = np.empty((0, 2)) if table.size == 0 else table
        if table.ndim != 2 or table.shape[1] != 2:
            raise ValueError(
                "Each element of `bounds` must be a tuple specifying the lower and upper bounds of a shape parameter"
            )
        if len(table) < shapes:
            raise ValueError(
                f"A `bounds` sequence must contain at least {shapes} elements: those of all shape parameters."
            )
        if len(table) > len(names):
            raise ValueError(
                f"A `bounds` sequence may not contain more than {len(names)} elements: {', '.join(names)}."
            )
        pairs = [*table, *([held[name] for name in names[len(table) :]])]
    found = [_combined(n, pair, domains[n], w) for n, pair, w in zip(names, pairs, whole, strict=True)]
    return np.array(found), whole


def _guess(names: list[str], shapes: int, given: Any, bounds: np.ndarray, whole: list[bool]) -> np.ndarray | None:
    if given is None:
        return None
    message = "Each element of `guess` must be a scalar guess for a distribution parameter."
    guess = bounds.mean(axis=1)
    try:
        if isinstance(given, dict):
            unknown = set(given) - set(names)
            if unknown:
                warnings.warn(
                    f"Guesses provided for the following unrecognized parameters will be ignored: {unknown}",
                    RuntimeWarning,
                    stacklevel=3,
                )
            for i, name in enumerate(names):
                if name in given:
                    guess[i] = np.asarray(given[name], dtype=float)[()]
        else:
            listed = np.asarray(given, dtype=float)
            if listed.ndim != 1:
                raise ValueError(message)
            if len(listed) < shapes:
                raise ValueError(
                    f"A `guess` sequence must contain at least {shapes} elements: those of all shape parameters."
                )
            if len(listed) > len(names):
                raise ValueError(
                    f"A `guess` sequence may not contain more than {len(names)} elements: {', '.join(names)}."
                )
            guess[: len(listed)] = listed
    except (ValueError, TypeError) as error:
        raise ValueError(str(error) if "`guess`" in str(error) else message) from error
    rounded = np.where(whole, np.round(guess), guess)
    clipped = np.clip(rounded, bounds[:, 0], bounds[:, 1])
    for what, before, after in (("rounded", guess, rounded), ("clipped", rounded, clipped)):
        for i in np.flatnonzero(before != after):
            warnings.warn(
                f"Guess for parameter `{names[i]}` {what} from {before[i]} to {after[i]}.", RuntimeWarning, stacklevel=3
            )
    return clipped


# ---------------------------------------------------------------------------------------------- objectives


def _columns(theta: Any) -> tuple[Any, list[Any]]:
    """Parameters as columns beside data along the last axis; of one set of them numbers."""
    theta = as_device(theta).astype(np.float64)
    return theta, [theta[i][..., None] for i in range(theta.shape[0])]


def _unlikelihood(dist: Any, discrete: bool, data: ndarray) -> Callable[[Any], ndarray]:
    """The negative logarithm of the likelihood, of one or of many columns of parameters."""
    density = dist.logpmf if discrete else dist.logpdf

    def objective(theta: Any) -> ndarray:
        _, parameters = _columns(theta)
        values = density(data, *parameters)
        return cp.where(cp.isfinite(values), -values, _PENALTY).sum(axis=-1)

    return objective


def _unspaced(dist: Any, data: ndarray) -> Callable[[Any], ndarray]:
    """The negative logarithm of the product of spacings of the distribution function (Cheng and Amin 1983)."""
    x, counts = cp.unique(data, return_counts=True)
    counts = cp.concatenate([counts, cp.ones(1, dtype=counts.dtype)]).astype(np.float64)

    def objective(theta: Any) -> ndarray:
        _, parameters = _columns(theta)
        lower = dist.cdf(x, *parameters)
        edge = cp.zeros((*lower.shape[:-1], 1))
        spaces = cp.diff(cp.concatenate([edge, lower, edge + 1], axis=-1), axis=-1)
        # Where nothing lies above the last point, no space is left there.
        full = cp.concatenate([cp.zeros(lower.shape, dtype=bool), lower[..., -1:] >= 1], axis=-1)
        values = cp.where(full, 0.0, counts * np.log(spaces / counts))
        outside = cp.isnan(lower).any(axis=-1)
        total = cp.where(cp.isfinite(values), -values, _PENALTY).sum(axis=-1)
        return cp.where(outside, np.inf, total)

    return objective


def _evolve(objective: Any, bounds: np.ndarray, **options: Any) -> Any:
    """The package's differential evolution, with a generation in one call."""
    from ..optimize import differential_evolution

    # Likelihoods differ little from each other beside their size, so the usual tolerance would end too early.
    options = {"vectorized": True, "updating": "deferred", "tol": 1e-6, **options}
    result = differential_evolution(objective, bounds, **options)
    whole = np.asarray(options.get("integrality", [False] * len(bounds)))
    free = ~whole & (bounds[:, 0] < bounds[:, 1])
    if whole.any() and free.any():
        # Beside whole numbers the search ends without a polish.
        best = np.asarray(_host(result.x), float)

        def beside(part: np.ndarray) -> float:
            full = best.copy()
            full[free] = part
            if np.any(full < bounds[:, 0]) or np.any(full > bounds[:, 1]):
                return np.inf
            return to_float(objective(full))

        best[free] = simplex(beside, best[free])
        result.x = best
    return result


def fit(
    dist: Any, data: Any, bounds: Any = None, *, guess: Any = None, method: str = "mle", optimizer: Any = None
) -> FitResult:
    """Parameters of a distribution for data, within bounds. See `scipy.stats.fit`.

    Parameters
    ----------
    dist : rv_continuous or rv_discrete
        The distribution.
    data : array_like
        Finite numbers, one-dimensional.
    bounds : dict or sequence of tuples, optional
        The least and the largest value of each parameter, by name or in order. Location and scale are held at 0 and 1
        unless bounds are given; parameters whose domain is finite need none.
    guess : dict or sequence, optional
        Values to start from.
    method : {"mle", "mse"}
        The largest likelihood, or the largest product of spacings.
    optimizer : callable, optional
        `optimizer(f, bounds=...)`, with `integrality=` where parameters are whole and `x0=` where there is a guess; it
        returns an object with `x`, `success` and `message`. Differential evolution if not given, which evaluates a
        generation at once.

    Returns
    -------
    FitResult
        `params`, `success`, `message`, `nllf` and `plot`.

    Raises
    ------
    ValueError
        If data are not finite or one-dimensional, or bounds and guesses do not fit.

    >>> x = stats.nbinom.rvs(5, 0.5, size=500, random_state=1)
    >>> found = stats.fit(stats.nbinom, x, {"n": (0, 30)})
    >>> found.success, found.params.loc
    (True, 0.0)
    """
    if not isinstance(dist, (rv_continuous, rv_discrete)):
        raise ValueError("`dist` must be an instance of `rv_continuous` or `rv_discrete.`")
    discrete = isinstance(dist, rv_discrete)
    x = as_device(data)
    if x.ndim != 1:
        raise ValueError("`data` must be exactly one-dimensional.")
    if x.dtype.kind not in "iuf" or not bool(cp.isfinite(x).all()):
        raise ValueError("All elements of `data` must be finite numbers.")
    x = x.astype(np.float64)
    if method.lower() not in ("mle", "mse"):
        raise ValueError("`method` must be one of {'mle', 'mse'}.")
    names = [*dist._names, "loc"] if discrete else [*dist._names, "loc", "scale"]
    limits, whole = _bounds(dist, names, len(dist._names), bounds, discrete)
    start = _guess(names, len(dist._names), guess, limits, whole)
    objective = _unlikelihood(dist, discrete, x) if method.lower() == "mle" else _unspaced(dist, x)
    options: dict[str, Any] = {"bounds": limits}
    if any(whole):
        options["integrality"] = whole
    if start is not None:
        options["x0"] = start
    with quiet():
        if optimizer is None:
            result = _evolve(objective, **options)
        else:
            result = optimizer(lambda theta: to_float(objective(np.asarray(_host(theta), float))), **options)
        return FitResult(dist, x, discrete, _OnHost(result))


def _host(value: Any) -> Any:
    return value.get() if isinstance(value, ndarray) else value


class _OnHost:
    """The result of an optimizer with its parameters as numbers."""

    def __init__(self, result: Any) -> None:
        self.x = np.atleast_1d(np.asarray(_host(result.x), float))
        self.success, self.message = bool(getattr(result, "success", True)), getattr(result, "message", None)


# ---------------------------------------------------------------------------------------------- goodness of fit

GoodnessOfFitResult = namedtuple("GoodnessOfFitResult", ["fit_result", "statistic", "pvalue", "null_distribution"])


def _fit_norm(x: ndarray, loc: Any, scale: Any) -> tuple[Any, Any]:
    if loc is None:
        loc = x.mean(axis=-1)
        return loc, (x.std(axis=-1, ddof=1) if scale is None else scale)
    return loc, np.sqrt(((x - loc) ** 2).mean(axis=-1)) if scale is None else scale


def _fit_expon(x: ndarray, loc: Any, scale: Any) -> tuple[Any, Any]:
    loc = x.min(axis=-1) if loc is None else loc
    return loc, x.mean(axis=-1) - loc if scale is None else scale


def _fit_laplace(x: ndarray, loc: Any, scale: Any) -> tuple[Any, Any]:
    loc = cp.median(x, axis=-1) if loc is None else as_device(loc)
    return loc, cp.abs(x - loc[..., None]).mean(axis=-1) if scale is None else scale


# Closed forms of the best location and scale of every row.
_CLOSED = {"norm": _fit_norm, "expon": _fit_expon, "laplace": _fit_laplace}


def _row_fit(dist: Any, x: ndarray, held: dict[str, float], start: list[float]) -> list[Any]:
    """The best parameters of every row of data, as columns."""
    names = [*dist._names, "loc", "scale"]
    if all(name in held for name in names):
        return [held[name] for name in names]
    if dist.name in _CLOSED:
        found = _CLOSED[dist.name](x, held.get("loc"), held.get("scale"))
        return [as_device(value)[..., None] for value in found]
    free = [name for name in names if name not in held]

    def objective(theta: ndarray) -> ndarray:
        """Of candidates and rows, with parameters last."""
        parameters = [theta[..., free.index(name)][..., None] if name in free else held[name] for name in names]
        values = dist.logpdf(x, *parameters)
        total = cp.where(cp.isfinite(values), -values, _PENALTY).sum(axis=-1)
        # Invalid parameters are no better than points outside.
        return cp.where(cp.isnan(total), np.inf, total)

    first = cp.stack([cp.full(x.shape[:-1], start[names.index(name)]) for name in free], axis=-1)
    best = simplex_of_rows(objective, first)
    return [best[..., free.index(name)][..., None] if name in free else held[name] for name in names]


def anderson_darling(dist: Any, data: ndarray, axis: int) -> ndarray:
    x = cp.sort(data, axis=-1)
    n = x.shape[-1]
    weights = cp.asarray((2 * np.arange(1, n + 1) - 1) / n)
    return -n - (weights * (dist.logcdf(x) + dist.logsf(x[..., ::-1]))).sum(axis=-1)


def _kolmogorov_smirnov(dist: Any, data: ndarray, axis: int) -> ndarray:
    lower = dist.cdf(cp.sort(data, axis=-1))
    n = data.shape[-1]
    steps = cp.arange(n) / n
    return cp.maximum((steps + 1 / n - lower).max(axis=-1), (lower - steps).max(axis=-1))


def _cramer_von_mises(dist: Any, data: ndarray, axis: int) -> ndarray:
    lower = dist.cdf(cp.sort(data, axis=-1))
    n = data.shape[-1]
    middles = (2 * cp.arange(1, n + 1) - 1) / (2 * n)
    return 1 / (12 * n) + ((middles - lower) ** 2).sum(axis=-1)


def _filliben(dist: Any, data: ndarray, axis: int) -> ndarray:
    x = cp.sort(data, axis=-1)
    n = data.shape[-1]
    k = cp.arange(1, n + 1).astype(np.float64)
    m = dist.ppf(betaincinv(k, n + 1 - k, cp.asarray(0.5)))
    x, m = (v - v.mean(axis=-1, keepdims=True) for v in (x, m))
    return (x * m).sum(axis=-1) / np.sqrt((x * x).sum(axis=-1) * (m * m).sum(axis=-1))


_STATISTICS: dict[str, tuple[Any, str]] = {
    "ad": (anderson_darling, "greater"),
    "ks": (_kolmogorov_smirnov, "greater"),
    "cvm": (_cramer_von_mises, "greater"),
    "filliben": (_filliben, "less"),
}
# Most elements that the resamples of a step have together.
_ELEMENTS = 1 << 21


@renamed("random_state", "rng")
def goodness_of_fit(
    dist: Any,
    data: Any,
    *,
    known_params: dict[str, float] | None = None,
    fit_params: dict[str, float] | None = None,
    guessed_params: dict[str, float] | None = None,
    statistic: Any = "ad",
    n_mc_samples: int = 9999,
    rng: Any = None,
) -> Any:
    """Whether data come from a family of distributions, by simulation. See `scipy.stats.goodness_of_fit`.

    Parameters are fitted to the data and to each simulated sample, to all of these at once: by closed forms where there
    are some, else by simplex searches side by side.

    Parameters
    ----------
    dist : rv_continuous
        The family.
    data : array_like
        Numbers, one-dimensional.
    known_params, fit_params, guessed_params : dict, optional
        Parameters that are known, that have been fitted to the data already, and guesses to start from.
    statistic : {"ad", "ks", "cvm", "filliben"} or callable, optional
        What compares data with a distribution: Anderson and Darling's, Kolmogorov and Smirnov's, Cramer and von Mises's
        or Filliben's statistic, or a function of a frozen distribution, data and an axis.
    n_mc_samples : int
        How many samples are simulated.
    rng : int or Generator, optional
        A seed, or a generator of `cuproxide.random`.

    Returns
    -------
    GoodnessOfFitResult
        `fit_result`, `statistic`, `pvalue` and `null_distribution`.

    Raises
    ------
    TypeError
        If `dist` is no continuous distribution, or `n_mc_samples` is not whole.
    ValueError
        If data are not one-dimensional, or the statistic is unknown.

    >>> x = stats.uniform.rvs(size=75, random_state=1)
    >>> result = stats.goodness_of_fit(stats.norm, x, statistic="ks", n_mc_samples=499, rng=1)
    >>> result.null_distribution.shape
    (499,)
    """
    if not isinstance(dist, rv_continuous):
        raise TypeError("`dist` must be an instance of `stats.rv_continuous`.")
    x = as_device(data).astype(np.float64)
    if x.ndim != 1:
        raise ValueError("`data` must be a one-dimensional array of numbers.")
    if isinstance(statistic, str) and statistic.lower() not in _STATISTICS:
        raise ValueError(f"`statistic` must be one of {set(_STATISTICS)}.")
    if int(n_mc_samples) != n_mc_samples:
        raise TypeError("`n_mc_samples` must be an integer.")
    names = [*dist._names, "loc", "scale"]
    known, fitted = dict(known_params or {}), dict(fit_params or {})
    fixed = {name: float(value) for name, value in {**known, **fitted}.items()}
    for name in (*fixed, *(guessed_params or {})):
        if name not in names:
            raise TypeError(f"Unknown arguments: {name!r}.")
    source = modern(rng)
    with quiet():
        parameters = _fit_once(dist, x, fixed, dict(guessed_params or {}))
        null = dist(*parameters)
        held = {name: float(value) for name, value in known.items()}
        compare, alternative = (
            _STATISTICS[statistic.lower()]
            if isinstance(statistic, str)
            else (statistic, getattr(statistic, "alternative", "greater"))
        )

        def statistic_of(sample: ndarray, axis: int) -> ndarray:
            sample = cp.moveaxis(sample, axis, -1)
            return compare(dist(*_row_fit(dist, sample, held, parameters)), sample, axis=-1)

        result = monte_carlo_test(
            x,
            lambda size: null.rvs(size=size, random_state=source),
            statistic_of,
            vectorized=True,
            n_resamples=int(n_mc_samples),
            batch=max(1, _ELEMENTS // max(1, x.size)),
            axis=-1,
            alternative=alternative,
        )
    found = FitResult(dist, x, False, Fitted(parameters))
    return GoodnessOfFitResult(found, result.statistic, result.pvalue, result.null_distribution)


class Fitted:
    """Parameters of a fit that has not searched, as `FitResult` takes them."""

    success = True

    def __init__(self, x: Iterable[float], message: str = "The fit was performed successfully.") -> None:
        self.x, self.message = x, message


def _fit_once(dist: Any, x: ndarray, fixed: dict[str, float], guesses: dict[str, float]) -> list[float]:
    names = [*dist._names, "loc", "scale"]
    if all(name in fixed for name in names):
        return [fixed[name] for name in names]
    if dist.name in _CLOSED:
        return [to_float(as_device(v)) for v in _CLOSED[dist.name](x, fixed.get("loc"), fixed.get("scale"))]
    return [float(v) for v in dist.fit(x, **guesses, **{f"f{name}": value for name, value in fixed.items()})]
