"""Random variables: distributions as objects with parameters by name, their functions, and the ways to compute them.

A random variable states some functions by formulas. Those it does not state are computed from the others, in the ways
of `_WAYS`; callers choose one with `method=`. Points are checked, and values outside the support set, in one place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device
from ._common import holds, modern, parameter, points, quiet
from ._math import INF, NAN, both, exp, expm1, floor, isnan, log, log1mexp, where
from ._qmc import LatinHypercube, QMCEngine
from ._random_variable_moments import Moments, no_formula

_COMPLEMENT = {"cdf": "ccdf", "ccdf": "cdf", "icdf": "iccdf", "iccdf": "icdf"}
_COMPLEMENT |= {
    f"{start}log{name}": f"{start}log{other}"
    for start, name, other in (("", "cdf", "ccdf"), ("", "ccdf", "cdf"), ("i", "cdf", "ccdf"), ("i", "ccdf", "cdf"))
}
# For each function: the methods by falling preference, each with the formulas of which one must be stated.
_ALWAYS: tuple[str, ...] = ()
_DENSITIES = ("pdf", "logpdf", "pmf", "logpmf")
_WAYS: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    **{name: (("formula", (name,)), ("logexp", _ALWAYS)) for name in _DENSITIES},
    "cdf": (("formula", ("cdf",)), ("logexp", ("logcdf",)), ("complement", ("ccdf",)), ("quadrature", _ALWAYS)),
    "ccdf": (("formula", ("ccdf",)), ("logexp", ("logccdf",)), ("complement", ("cdf",)), ("quadrature", _ALWAYS)),
    "logcdf": (("formula", ("logcdf",)), ("complement", ("logccdf",)), ("logexp", ("cdf",)), ("quadrature", _ALWAYS)),
    "logccdf": (("formula", ("logccdf",)), ("complement", ("logcdf",)), ("logexp", ("ccdf",)), ("quadrature", _ALWAYS)),
    "cdf2": (
        ("formula", ("cdf2",)),
        ("subtraction", ("cdf", "ccdf", "logcdf", "logccdf")),
        ("logexp", ("logcdf2",)),
        ("quadrature", _ALWAYS),
    ),
    "logcdf2": (
        ("formula", ("logcdf2",)),
        ("subtraction", ("logcdf", "logccdf")),
        ("logexp", ("cdf2", "cdf", "ccdf")),
        ("quadrature", _ALWAYS),
    ),
    "ccdf2": (("formula", ("ccdf2",)), ("addition", _ALWAYS)),
    "logccdf2": (("formula", ("logccdf2",)), ("addition", _ALWAYS)),
    **{
        name: (("formula", (name,)), ("complement", (_COMPLEMENT[name],)), ("inversion", _ALWAYS))
        for name in ("icdf", "iccdf", "ilogcdf", "ilogccdf")
    },
    "entropy": (("formula", ("entropy",)), ("logexp", ("logentropy",)), ("quadrature", _ALWAYS)),
    "logentropy": (("formula", ("logentropy",)), ("logexp", _ALWAYS), ("quadrature", _ALWAYS)),
    "median": (("formula", ("median",)), ("icdf", _ALWAYS)),
    "mode": (("formula", ("mode",)), ("optimization", _ALWAYS)),
    "sample": (("formula", ("sample",)), ("inverse_transform", _ALWAYS)),
}
# Values below and above the support, and at the ends of probabilities: "a" and "b" are the ends of the support.
_OUTSIDE = {"cdf": (0.0, 1.0), "ccdf": (1.0, 0.0), "logcdf": (-INF, 0.0), "logccdf": (0.0, -INF)}
_PROBABILITIES = {"icdf": (0.0, 1.0), "iccdf": (0.0, 1.0), "ilogcdf": (-INF, 0.0), "ilogccdf": (-INF, 0.0)}
# Where halves of a difference agree in this share of their digits, the difference is computed in another way.
CANCELLED = 1e-8
# Logarithms of probabilities whose exponentials are numbers of full precision.
_SMALLEST_LOG = -700.0


class Interval:
    """A domain: its ends are numbers, names of parameters or functions of them, each inclusive or not."""

    def __init__(self, endpoints: Any = (-np.inf, np.inf), inclusive: tuple[bool, bool] = (False, False)) -> None:
        self.endpoints, self.inclusive = tuple(endpoints), tuple(inclusive)

    def ends(self, values: dict[str, Any]) -> tuple[Any, Any]:
        """The ends for values of parameters."""
        return tuple(
            parameter(end(**values) if callable(end) else values[end] if isinstance(end, str) else end)
            for end in self.endpoints
        )

    def contains(self, value: Any, values: dict[str, Any]) -> Any:
        """Whether a value lies inside."""
        low, high = self.ends(values)
        above = value >= low if self.inclusive[0] else value > low
        return both(above, value <= high if self.inclusive[1] else value < high)


class UnivariateDistribution(Moments):
    """What continuous and discrete random variables share."""

    # Names of parameters with their domains; several such tables are other names for one family.
    _parameterizations: tuple[dict[str, Interval], ...] = ()
    _domain = Interval()
    _stated: frozenset[str] = frozenset()
    _discrete = False
    _has_methods = True
    _made_of: Any = None
    """What `make_distribution` made the class of."""
    _density = "pdf"

    def __init__(
        self, *, tol: float | None = None, validation_policy: Any = None, cache_policy: Any = None, **parameters: Any
    ) -> None:
        self.tol, self.validation_policy, self.cache_policy = tol, validation_policy, cache_policy
        self._original = {name: value for name, value in sorted(parameters.items()) if value is not None}
        self._moments: dict[tuple[str, int], Any] = {}
        with quiet():
            self._take(self._original)

    # ---------------------------------------------------------------------------------------------- parameters

    def __reduce__(self) -> Any:
        # `Normal` without arguments makes another class, so copies are not made by a call.
        return _remade, (type(self), self.__dict__)

    def __reduce_ex__(self, protocol: Any) -> Any:
        if type(self)._made_of is None or type(self).__reduce__ is not UnivariateDistribution.__reduce__:
            return self.__reduce__()
        # Modules do not know the class.
        return _remade_of, (type(self)._made_of, self.__dict__)

    def __copy__(self) -> Any:
        return _remade(type(self), self.__dict__)

    def _domains(self) -> tuple[dict[str, Interval], ...]:
        return self._parameterizations

    def _take(self, given: dict[str, Any]) -> None:
        """Checks parameters, and keeps their values, shape and type."""
        family = type(self).__name__
        shown = f"{{{', '.join(given)}}}"
        choices = self._domains()
        if not choices and given:
            raise ValueError(f"The `{family}` distribution family does not accept parameters, but {shown} were given.")
        domains = next((names for names in choices if set(names) == set(given)), None)
        if choices and domains is None:
            if not given:
                raise ValueError(f"The `{family}` distribution family requires parameters, but none were provided.")
            raise ValueError(
                f"The provided parameters `{shown}` do not match a supported parameterization of the `{family}` "
                "distribution family."
            )
        values, types = {}, [np.dtype(np.float64)] if not given else []
        for name, value in given.items():
            array = value if isinstance(value, ndarray) else np.asarray(value)
            if array.dtype.kind not in "iuf":
                raise TypeError(f"Parameter `{name}` must be of real dtype, got {array.dtype}.")
            types.append(array.dtype if array.dtype.kind == "f" else np.dtype(np.float64))
            values[name] = parameter(value)
        try:
            self._shape = np.broadcast_shapes(*(getattr(value, "shape", ()) for value in values.values()))
        except ValueError as error:
            raise ValueError(
                f"The parameters `{shown}` provided to the `{family}` distribution family cannot be broadcast to the "
                "same shape."
            ) from error
        self._dtype = np.result_type(*types)
        if len({getattr(value, "shape", ()) for value in values.values()}) == 1:
            # Parameters are shown as arrays and numbers of NumPy.
            self._original = {name: _floating(value) for name, value in given.items()}
        self._valid = self._check(domains or {}, values)
        if self._valid is not True:
            values = {name: where(self._valid, value, NAN) for name, value in values.items()}
        self._values = self._process(values)

    def _check(self, domains: dict[str, Interval], values: dict[str, Any]) -> Any:
        """Where parameters are in their domains; True if that is known for all of them."""
        return _known(both(*(domains[name].contains(value, values) for name, value in values.items())))

    def _process(self, values: dict[str, Any]) -> dict[str, Any]:
        """Parameters with what else is computed of them once."""
        return values

    def reset_cache(self) -> None:
        """Nothing is cached: each call computes."""

    def __getattr__(self, name: str) -> Any:
        values = self.__dict__.get("_values", {})
        if name in values:
            return self._typed(values[name])
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _typed(self, value: Any, dtype: Any = None) -> ndarray:
        value = cp.asarray(value)
        value = value.astype(self._dtype if dtype is None else dtype, copy=False)
        return value if value.shape == self._shape else cp.broadcast_to(value, self._shape)

    @property
    def tol(self) -> Any:
        """The relative error that integrals may have; None leaves it to the package."""
        return self._tol

    @tol.setter
    def tol(self, tol: Any) -> None:
        if tol is not None and (np.ndim(tol) != 0 or not isinstance(tol, (float, np.floating)) or not tol > 0):
            raise ValueError(f"Attribute `tol` of `{type(self).__name__}` must be a positive float, if specified.")
        self._tol = tol

    @property
    def cache_policy(self) -> Any:
        """None, or "no_cache": moments are not kept."""
        return self._cache_policy

    @cache_policy.setter
    def cache_policy(self, policy: Any) -> None:
        self._cache_policy = self._policy("cache_policy", policy, "no_cache")

    @property
    def validation_policy(self) -> Any:
        """None, or "skip_all", which is taken; checks are part of the kernels and stay."""
        return self._validation_policy

    @validation_policy.setter
    def validation_policy(self, policy: Any) -> None:
        self._validation_policy = self._policy("validation_policy", policy, "skip_all")

    def _policy(self, attribute: str, policy: Any, known: str) -> str | None:
        policy = None if policy is None else str(policy).lower()
        if policy not in (None, known):
            raise ValueError(
                f"Attribute `{attribute}` of `{type(self).__name__}` must be one of {{None, {known!r}}}, if specified."
            )
        return policy

    def _shown(self, show: Callable[[Any], str]) -> str:
        with np.printoptions(threshold=10):
            listed = ", ".join(f"{name}={show(value)}" for name, value in self._original.items())
        return f"{type(self).__name__}({listed})"

    def __repr__(self) -> str:
        return self._shown(repr)

    def __str__(self) -> str:
        return self._shown(str)

    # ---------------------------------------------------------------------------------------------- dispatch

    def _formula(self, name: str, *args: Any) -> Any:
        raise NotImplementedError(no_formula(self, name))

    def _at(self, name: str, *args: Any, method: str | None = None) -> Any:
        """A function in standard form: points are in the support, in float64; nothing is checked."""
        if method is None:
            method = next(way for way, needs in _WAYS[name] if not needs or not self._stated.isdisjoint(needs))
        elif method == "log/exp":
            method = "logexp"
        if method not in (way for way, _ in _WAYS[name]):
            raise AttributeError(f"{type(self).__name__!r} object has no method {method!r} for {name!r}")
        if method == "formula":
            if name not in self._stated:
                raise NotImplementedError(no_formula(self, name))
            return self._formula(name, *args)
        return getattr(self, f"_by_{method}")(name, *args)

    def _by_logexp(self, name: str, *x: Any) -> Any:
        other = name[3:] if name.startswith("log") else "log" + name
        if name in _DENSITIES and other not in self._stated:
            raise NotImplementedError(no_formula(self, name))
        if name == "logentropy":
            return np.log(cp.asarray(self._at(other)).astype(np.complex128))
        if name == "entropy":
            return np.exp(cp.asarray(self._at(other))).real
        return log(self._at(other, *x)) if name.startswith("log") else exp(self._at(other, *x))

    def _by_complement(self, name: str, x: Any) -> Any:
        other = _COMPLEMENT[name]
        if name in _PROBABILITIES:
            value = self._at(other, log1mexp(x) if "log" in name else 1 - x)
            # A small probability has its digits only as what it is.
            return value if "log" in name else self._mended(name, value, (x < CANCELLED) & (x > 0), x)
        whole = self._at(other, x)
        if name.startswith("log"):
            return log1mexp(whole)
        value = 1 - whole
        low, high = self._ends()
        return self._mended(name, value, both(value < CANCELLED, x > low, x < high), x)

    def _mended(self, name: str, value: Any, bad: Any, *x: Any) -> Any:
        """A result whose bad elements are computed again, if there are some: without a difference."""
        if isinstance(value, ndarray) and isinstance(bad, ndarray):
            # Together, so that what the question needs is not computed again for the answer.
            cp.evaluate(value, bad)
        if holds(~cp.asarray(bad)):
            return value
        return where(bad, self._at(name, *x, method="inversion" if name in _PROBABILITIES else "quadrature"), value)

    def _of_logarithm(self, name: str, logp: Any) -> Any:
        """The quantile of the logarithm of a probability: of the tail that is smaller."""
        own, other = ("iccdf", "icdf") if name == "ilogccdf" else ("icdf", "iccdf")
        small = logp < -0.5
        value = where(
            small, self._at(own, exp(where(small, logp, -1.0))), self._at(other, -expm1(where(small, -1.0, logp)))
        )
        far = both(logp < _SMALLEST_LOG, logp > -INF)
        return value if holds(~far) else where(far, self._inverted(name, logp), value)

    def _by_inversion(self, name: str, p: Any) -> Any:
        return self._of_logarithm(name, p) if "log" in name else self._inverted(name, p)

    def _inverted(self, name: str, p: Any) -> Any:
        """The inverse of a function, by bisection."""
        raise NotImplementedError(no_formula(self, name))

    def _ends(self) -> tuple[Any, Any]:
        """The ends of the support: numbers of the host or arrays."""
        return self._domain.ends(self._values)

    # ---------------------------------------------------------------------------------------------- points

    def _answer(self, name: str, x: Any, method: str | None) -> ndarray:
        """A function of points, with what it is outside of its domain."""
        if method is not None and not self._has_methods:
            raise NotImplementedError("`method` not implemented for this distribution.")
        with quiet():
            original = _real_points(x)
            try:
                shape = np.broadcast_shapes(original.shape, self._shape)
            except ValueError as error:
                raise ValueError(
                    f"The argument provided to `{type(self).__name__}.{name}` cannot be be broadcast to the same shape "
                    "as the distribution parameters."
                ) from error
            x = points(original)
            low, high = self._ends()
            if name in _DENSITIES:
                value = self._clipped(name, x, method=method)
            elif name in _OUTSIDE:
                value = self._clipped(name, x, method=method)
                value = cp.clip(value, None, 0.0) if name.startswith("log") else cp.clip(value, 0.0, 1.0)
            else:
                value = self._at(name, x, method=method)
                least, most = _PROBABILITIES[name]
                at_least, at_most = (high, low) if name.endswith("ccdf") else (low, high)
                value = where(x == least, at_least, where(x == most, at_most, value))
                value = where(both(x >= least, x <= most), value, NAN)
            if self._discrete or name not in ("pmf", "logpmf"):
                value = where(both(self._valid, ~isnan(x)), value, NAN)
            value = cp.asarray(value).astype(np.result_type(original.dtype, self._dtype), copy=False)
            return value if value.shape == shape else cp.broadcast_to(value, shape).copy()

    def _clipped(self, name: str, *x: Any, method: str | None = None) -> Any:
        """A function of points anywhere, in float64: what lies outside of the support has its value there."""
        low, high = self._ends()
        if name in _DENSITIES:
            nothing = -INF if name.startswith("log") else 0.0
            return where(self._inside(x[0], low, high), self._at(name, *x, method=method), nothing)
        if len(x) == 2:
            return self._at(name, *(cp.minimum(cp.maximum(end, low), high) for end in x))
        below, above = _OUTSIDE[name]
        value = self._at(name, floor(x[0]) if self._discrete else x[0], method=method)
        return where(x[0] >= high, above, where(x[0] < low if self._discrete else x[0] <= low, below, value))

    def _inside(self, x: Any, low: Any, high: Any) -> Any:
        left, right = self._domain.inclusive
        inside = both(x >= low if left else x > low, x <= high if right else x < high)
        return both(inside, floor(x) == x) if self._discrete else inside

    def pdf(self, x: Any, /, *, method: str | None = None) -> ndarray:
        """The probability density at `x`; of discrete variables infinite where there is probability."""
        return self._answer("pdf", x, method)

    def logpdf(self, x: Any, /, *, method: str | None = None) -> ndarray:
        """The logarithm of `pdf`."""
        return self._answer("logpdf", x, method)

    def pmf(self, x: Any, /, *, method: str | None = None) -> ndarray:
        """The probability of `x`; of continuous variables 0."""
        return self._answer("pmf", x, method)

    def logpmf(self, x: Any, /, *, method: str | None = None) -> ndarray:
        """The logarithm of `pmf`."""
        return self._answer("logpmf", x, method)

    def cdf(self, x: Any, y: Any = None, /, *, method: str | None = None) -> ndarray:
        """The probability of values up to `x`, or between `x` and `y`."""
        return self._answer("cdf", x, method) if y is None else self._pair("cdf2", x, y, method)

    def logcdf(self, x: Any, y: Any = None, /, *, method: str | None = None) -> ndarray:
        """The logarithm of `cdf`; complex with two arguments, as the probability is negative where `y < x`."""
        return self._answer("logcdf", x, method) if y is None else self._pair("logcdf2", x, y, method)

    def ccdf(self, x: Any, y: Any = None, /, *, method: str | None = None) -> ndarray:
        """The probability of values above `x`, or outside of `x` and `y`."""
        return self._answer("ccdf", x, method) if y is None else self._pair("ccdf2", x, y, method)

    def logccdf(self, x: Any, y: Any = None, /, *, method: str | None = None) -> ndarray:
        """The logarithm of `ccdf`."""
        return self._answer("logccdf", x, method) if y is None else self._pair("logccdf2", x, y, method)

    def icdf(self, p: Any, /, *, method: str | None = None) -> ndarray:
        """The value that a share `p` does not exceed: the inverse of `cdf`."""
        return self._answer("icdf", p, method)

    def iccdf(self, p: Any, /, *, method: str | None = None) -> ndarray:
        """The value that a share `p` exceeds: the inverse of `ccdf`."""
        return self._answer("iccdf", p, method)

    def ilogcdf(self, logp: Any, /, *, method: str | None = None) -> ndarray:
        """The inverse of `logcdf`."""
        return self._answer("ilogcdf", logp, method)

    def ilogccdf(self, logp: Any, /, *, method: str | None = None) -> ndarray:
        """The inverse of `logccdf`."""
        return self._answer("ilogccdf", logp, method)

    def _pair(self, name: str, x: Any, y: Any, method: str | None) -> ndarray:
        if self._discrete:
            raise NotImplementedError(
                "Two argument cdf functions are currently only supported for continuous variables."
            )
        if method is not None and not self._has_methods:
            raise NotImplementedError("`method` not implemented for this distribution.")
        with quiet():
            first, second = _real_points(x), _real_points(y)
            dtype = np.result_type(first.dtype, second.dtype, self._dtype)
            x, y = points(first), points(second)
            swapped = y < x
            x, y = cp.minimum(x, y), cp.maximum(x, y)
            low, high = self._ends()
            x, y = (cp.minimum(cp.maximum(end, low), high) for end in (x, y))
            value = cp.asarray(self._at(name, x, y, method=method))
            value = cp.clip(value, None, 0.0) if name.startswith("log") else cp.clip(value, 0.0, 1.0)
            if name == "cdf2":
                value = cp.where(swapped, -value, value)
            elif name == "ccdf2":
                value = cp.where(swapped, 2 - value, value)
            elif name == "logccdf2":
                value = cp.where(swapped, np.log(2 - np.exp(value)), value)
            value = where(both(self._valid, ~isnan(x), ~isnan(y)), value, NAN)
            if name == "logcdf2":
                dtype = np.result_type(dtype, np.complex64)
                value = value + cp.where(swapped, np.pi * 1j, 0j)
            shape = np.broadcast_shapes(value.shape, self._shape)
            return cp.broadcast_to(value.astype(dtype, copy=False), shape)

    # ---------------------------------------------------------------------------------------------- properties

    def _property(self, name: str, method: str | None, dtype: Any = None) -> ndarray:
        if method is not None and not self._has_methods:
            raise NotImplementedError("`method` not implemented for this distribution.")
        with quiet():
            value = where(self._valid, self._at(name, method=method), NAN)
            return self._typed(value, dtype)

    def support(self) -> tuple[ndarray, ndarray]:
        """The ends of the support."""
        with quiet():
            low, high = (self._typed(where(self._valid, end, NAN)) for end in self._ends())
            return low, high

    def entropy(self, *, method: str | None = None) -> ndarray:
        """The differential entropy, or that of the probabilities, in nats."""
        return self._property("entropy", method)

    def logentropy(self, *, method: str | None = None) -> ndarray:
        """The logarithm of `entropy`, complex since that may be negative."""
        return self._property("logentropy", method, np.result_type(self._dtype, np.complex64))

    def median(self, *, method: str | None = None) -> ndarray:
        """The median."""
        return self._property("median", method)

    def mode(self, *, method: str | None = None) -> ndarray:
        """The point with the highest density or probability."""
        return self._property("mode", method)

    def mean(self, *, method: str | None = None) -> ndarray:
        """The mean."""
        return self.moment(1, "raw", method=method)

    def variance(self, *, method: str | None = None) -> ndarray:
        """The variance."""
        return self.moment(2, "central", method=method)

    def standard_deviation(self, *, method: str | None = None) -> ndarray:
        """The standard deviation."""
        return cp.sqrt(self.variance(method=method))

    def skewness(self, *, method: str | None = None) -> ndarray:
        """The skewness: the third standardized moment."""
        return self.moment(3, "standardized", method=method)

    def kurtosis(self, *, method: str | None = None, convention: str = "non-excess") -> ndarray:
        """The kurtosis: the fourth standardized moment, less 3 by the convention "excess".

        Parameters
        ----------
        convention : {'non-excess', 'excess'}
            Whether 3 is taken off.
        """
        if convention.lower() not in ("non-excess", "excess"):
            raise ValueError(
                f"Parameter `convention` of `{type(self).__name__}.kurtosis` must be one of {{'non-excess', 'excess'}}."
            )
        fourth = self.moment(4, "standardized", method=method)
        return fourth - 3 if convention.lower() == "excess" else fourth

    def _by_icdf(self, name: str) -> Any:
        return self._at("icdf", cp.asarray(0.5))

    # ---------------------------------------------------------------------------------------------- samples

    def sample(self, shape: Any = (), *, method: str | None = None, rng: Any = None) -> ndarray:
        """Random draws of a shape, to which that of the parameters is appended.

        `rng` is a seed, a generator of `cuproxide.random`, or an engine of `qmc`, whose points along the first axis are
        evenly spread.

        Parameters
        ----------
        shape : int or tuple of int
            The shape.
        """
        if method is not None and not self._has_methods:
            raise NotImplementedError("`method` not implemented for this distribution.")
        drawn = tuple(int(n) for n in shape) if isinstance(shape, Iterable) else (int(shape),)
        full = drawn + self._shape
        source = rng if isinstance(rng, QMCEngine) else modern(rng)
        if self._valid is False:
            # Generators refuse parameters that no distribution has.
            return cp.full(full, NAN, self._dtype)
        if method is None and isinstance(rng, QMCEngine):
            method = "inverse_transform"
        with quiet():
            value = cp.asarray(self._at("sample", full, source, method=method))
            value = where(self._valid, value, NAN)
            value = value.astype(self._dtype, copy=False)
            return value if value.shape == full else cp.broadcast_to(value, full).copy()

    def _by_inverse_transform(self, name: str, full: tuple[int, ...], source: Any) -> Any:
        if isinstance(source, QMCEngine):
            shares = _spread(source, full, len(full) - len(self._shape))
        else:
            shares = cp.asarray(source.uniform(size=full))
        return self._at("icdf", shares)

    # ---------------------------------------------------------------------------------------------- pictures

    def plot(self, x: str = "x", y: str | None = None, *, t: Any = None, ax: Any = None) -> Any:
        """Draws one function of the distribution over another, by matplotlib.

        Parameters
        ----------
        x : str
            The method on the horizontal axis, or "x" for the argument itself.
        y : str, optional
            The method on the vertical axis; the density by default.
        t : tuple, optional
            What is limited, and its limits: `("cdf", 0.0005, 0.9995)` by default, without the rest of a finite support.
        ax : matplotlib.axes.Axes, optional
            Where to draw; the current axes by default.

        Returns
        -------
        matplotlib.axes.Axes

        See Also
        --------
        scipy.stats.Normal.plot : The method that this one follows.
        """
        from ._random_variable_plot import plot

        return plot(self, x, y, t, ax)

    # ---------------------------------------------------------------------------------------------- arithmetic

    def __add__(self, loc: Any) -> Any:
        from ._random_variable_transforms import ShiftedScaledDistribution

        return ShiftedScaledDistribution(self, loc=loc)

    def __sub__(self, loc: Any) -> Any:
        return self + _negated(loc)

    def __mul__(self, scale: Any) -> Any:
        from ._random_variable_transforms import ShiftedScaledDistribution

        return ShiftedScaledDistribution(self, scale=scale)

    def __truediv__(self, scale: Any) -> Any:
        return self * (1 / _number(scale))

    def __pow__(self, other: Any) -> Any:
        from ._random_variable_transforms import power_of

        return power_of(self, other)

    def __radd__(self, other: Any) -> Any:
        return self + other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __rmul__(self, other: Any) -> Any:
        return self * other

    def __rtruediv__(self, other: Any) -> Any:
        from ._random_variable_transforms import reciprocal_of

        return reciprocal_of(self, other)

    def __rpow__(self, other: Any) -> Any:
        from ._random_variable_transforms import base_to

        return base_to(self, other)

    def __neg__(self) -> Any:
        return self * -1

    def __abs__(self) -> Any:
        from ._random_variable_transforms import FoldedDistribution

        return FoldedDistribution(self)

    # Arrays leave arithmetic with random variables to these.
    __array_priority__ = 1000
    __array_ufunc__ = None


def _remade_of(dist: Any, state: dict[str, Any]) -> Any:
    from ._random_variable_families import make_distribution

    return _remade(make_distribution(dist), state)


def _remade(kind: type, state: dict[str, Any]) -> Any:
    made: Any = object.__new__(kind)
    made.__dict__.update(state)
    return made


def _known(valid: Any) -> Any:
    """A condition as a bool where it is known on the host."""
    return valid if isinstance(valid, ndarray) else bool(np.all(valid))


def _real_points(x: Any) -> ndarray:
    x = x if isinstance(x, ndarray) else as_device(x)
    if x.dtype.kind == "c":
        raise TypeError(f"points must be real, got {x.dtype}")
    return x.astype(np.float64) if x.dtype.kind == "b" else x


def _number(value: Any) -> Any:
    return value if isinstance(value, ndarray) else np.asarray(value)[()]


def _floating(value: Any) -> Any:
    value = _number(value)
    return value if value.dtype.kind == "f" else value.astype(np.float64)


def _negated(value: Any) -> Any:
    value = _number(value)
    return -value if value.dtype.kind != "u" else -value.astype(np.float64)


def _spread(engine: QMCEngine, full: tuple[int, ...], drawn: int) -> ndarray:
    """Evenly spread shares along the first axis, independent along the others."""
    length = full[0] if drawn else 1
    columns = math.prod(full[1:] if drawn else full)
    kind: Any = type(engine)
    scramble = getattr(engine, "scramble", True)
    if isinstance(engine, LatinHypercube):
        u = kind(d=columns, scramble=scramble, rng=engine.rng).random(length)
    else:
        u = kind(d=1, scramble=scramble, rng=engine.rng).random(length)
        # A shift of its own makes each column independent of the others and keeps it even.
        shift = cp.asarray(engine.rng.uniform(size=(1, columns))) if scramble else cp.zeros((1, columns))
        u = u + shift
        u = u - cp.floor(u)
    return u.reshape(full)
