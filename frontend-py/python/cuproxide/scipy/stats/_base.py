"""What distributions of both kinds have: arguments, frozen ones, moments, samples."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from functools import cached_property, reduce
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.conversions import as_shape
from ._common import generator, holds, parameter, points, quiet, shape_of
from ._math import INF, NAN, both, sqrt, stepwise, where

_POINT_METHODS = ("pdf", "logpdf", "pmf", "logpmf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf", "moment", "interval")

# Below this part of its largest term, a difference of raw moments has lost half of its digits.
_CANCELLED = 1e-8


class rv_generic:
    """The part of a distribution that does not depend on whether it is continuous."""

    name: str | None
    shapes: str | None
    numargs: int
    a: Any
    b: Any
    # What the two kinds state.
    ppf: Callable[..., Any]
    expect: Callable[..., Any]
    _ppf: Callable[..., Any]
    _entropy: Callable[..., Any]
    _raw_moment: Callable[..., Any]
    _moment_about: Callable[..., Any]
    # The first point argument of methods whose signatures users' subclasses may state.
    _point_first = ("_pdf", "_cdf", "_logpdf", "_logcdf", "_sf", "_ppf", "_isf", "_pmf", "_logpmf")
    _has_scale = True

    def __init__(self, seed: Any = None) -> None:
        self._random_state = None if seed is None else generator(seed)

    # ---------------------------------------------------------------------------------------------- arguments

    def _infer_shapes(self) -> tuple[str, ...]:
        """Names of the shape parameters: as stated, or as the methods of a user's subclass take them."""
        if self.shapes is not None:
            if not isinstance(self.shapes, str):
                raise TypeError("shapes must be a string.")
            names = tuple(self.shapes.replace(",", " ").split())
            for name in names:
                if not name.isidentifier():
                    raise SyntaxError("shapes must be valid python identifiers")
            return names
        for method in self._point_first:
            function = getattr(type(self), method, None)
            if function is None or function is getattr(_base_of(type(self)), method, None):
                continue
            bound = getattr(self, method)
            spec = inspect.getfullargspec(bound)
            skip = 2 if inspect.ismethod(bound) else 1
            names = tuple(spec.args[skip:])
            if spec.varargs is not None:
                raise TypeError("*args are not allowed w/out explicit shapes")
            if spec.varkw is not None:
                raise TypeError("**kwds are not allowed w/out explicit shapes")
            if spec.kwonlyargs:
                raise TypeError("kwonly args are not allowed w/out explicit shapes")
            if spec.defaults is not None:
                raise TypeError("defaults are not allowed for shapes")
            if names:
                return names
        return ()

    def _set_shapes(self) -> None:
        self._names = self._infer_shapes()
        self.numargs = len(self._names)
        self.shapes = ", ".join(self._names) or None

    @property
    def _parameters(self) -> tuple[str, ...]:
        return (*self._names, "loc", "scale") if self._has_scale else (*self._names, "loc")

    def _parse(self, args: tuple[Any, ...], kwds: dict[str, Any], *more: str) -> tuple[Any, ...]:
        """Shapes, location, scale (1 if there is none), then the values of `more`, or None."""
        names = (*self._parameters, *more)
        if len(args) > len(names):
            raise TypeError(
                f"_parse_args() takes from {self.numargs + 1} to {len(names) + 1} positional arguments but "
                f"{len(args) + 1} were given"
            )
        given = dict(zip(names, args, strict=False))
        for name, value in kwds.items():
            if name not in names:
                raise TypeError(f"_parse_args() got an unexpected keyword argument '{name}'")
            if name in given:
                raise TypeError(f"_parse_args() got multiple values for argument '{name}'")
            given[name] = value
        missing = [name for name in self._names if name not in given]
        if missing:
            listed = " and ".join(repr(name) for name in missing)
            raise TypeError(
                f"_parse_args() missing {len(missing)} required positional argument{'s' * (len(missing) > 1)}: {listed}"
            )
        shapes = tuple(self._shape_parameter(given[name]) for name in self._names)
        loc = parameter(given.get("loc", 0))
        scale = parameter(given.get("scale", 1)) if self._has_scale else np.float64(1)
        return (shapes, loc, scale, *(given.get(name) for name in more))

    def _shape_parameter(self, value: Any) -> Any:
        return parameter(value)

    def _argcheck(self, *args: Any) -> Any:
        """Whether shape parameters are in their domain: all positive, unless a distribution says otherwise."""
        condition: Any = True
        for arg in args:
            condition = both(condition, arg > 0)
        return condition

    def _good(self, shapes: tuple[Any, ...], loc: Any, scale: Any) -> Any:
        check = self._argcheck(*shapes)
        if not isinstance(check, ndarray):
            check = bool(np.all(check))
        elif check.dtype != np.bool_:
            check = check != 0
        return both(check, scale > 0, loc == loc)

    def _get_support(self, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        return self.a, self.b

    def support(self, *args: Any, **kwargs: Any) -> tuple[ndarray, ndarray]:
        """The ends of the distribution's support.

        Parameters
        ----------
        **kwargs : array_like
            The parameters by name.
        """
        shapes, loc, scale = self._parse(args, kwargs)
        with quiet():
            low, high = self._get_support(*shapes)
            good = self._good(shapes, loc, scale)
            shape = shape_of(*shapes, loc, scale)
            low, high = (_full(where(good, end * scale + loc, NAN), shape) for end in (low, high))
            return low, high

    # ---------------------------------------------------------------------------------------------- freezing

    def freeze(self, *args: Any, **kwds: Any) -> rv_frozen:
        """The distribution with its parameters."""
        return rv_frozen(self, *args, **kwds)

    def __call__(self, *args: Any, **kwds: Any) -> rv_frozen:
        return self.freeze(*args, **kwds)

    # ---------------------------------------------------------------------------------------------- samples

    @property
    def random_state(self) -> Any:
        """The generator of `rvs` without an argument of its own."""
        return generator(None) if self._random_state is None else self._random_state

    @random_state.setter
    def random_state(self, seed: Any) -> None:
        self._random_state = None if seed is None else generator(seed)

    def _size(self, size: Any, *parameters: Any) -> tuple[int, ...]:
        shape = shape_of(*parameters)
        if size is None:
            return shape
        wanted = tuple(int(n) for n in as_shape(size)) if not isinstance(size, ndarray) else tuple(size.tolist())
        try:
            fits = np.broadcast_shapes(shape, wanted) == wanted
        except ValueError:
            fits = False
        if not fits and wanted == (1,) and shape == ():
            fits = True
        if not fits:
            raise ValueError(f"size does not match the broadcast shape of the parameters. {wanted}, {shape}")
        return wanted

    def rvs(self, *args: Any, **kwds: Any) -> ndarray:
        """Random draws, made on the device. Keywords `size` and `random_state` as SciPy's."""
        discrete = kwds.pop("discrete", None)
        source = kwds.pop("random_state", None)
        shapes, loc, scale, size = self._parse(args, kwds, "size")
        with quiet():
            check = self._argcheck(*shapes)
            good = both(check if isinstance(check, ndarray) else bool(np.all(check)), scale >= 0)
        if not holds(good):
            raise ValueError(
                "Domain error in arguments. The `scale` parameter must be positive for all distributions, and many "
                f"distributions have restrictions on shape parameters. Please see the `scipy.stats.{self.name}` "
                "documentation for details."
            )
        wanted = self._size(size, *shapes, loc, scale)
        if isinstance(scale, np.float64) and scale == 0:
            return cp.zeros(wanted) + loc
        source = self.random_state if source is None else generator(source)
        with quiet():
            values = self._rvs(*shapes, size=wanted, random_state=source)
        values = cp.asarray(values)
        integral = not self._has_scale if discrete is None else discrete
        if not isinstance(scale, np.float64) or scale != 1:
            values = values * scale
        if not isinstance(loc, np.float64) or loc != 0:
            values = values + loc
        values = cp.broadcast_to(values, wanted) if values.shape != wanted else values
        return values.astype(np.int64) if integral else values.astype(np.float64, copy=False)

    def _rvs(self, *args: Any, size: Any = None, random_state: Any = None) -> Any:
        return self._ppf(random_state.uniform(size=size), *args)

    # ---------------------------------------------------------------------------------------------- moments

    def _stats(self, *args: Any, **kwds: Any) -> tuple[Any, Any, Any, Any]:
        return None, None, None, None

    def _four(self, *shapes: Any, wanted: str = "mvsk") -> dict[str, Any]:
        """Those of mean, variance, skewness and excess kurtosis that are wanted."""
        known = self._stats(*shapes, **({"moments": wanted} if self._stats_takes_moments else {}))
        found = {key: value for key, value in zip("mvsk", known, strict=True) if value is not None}
        missing = [key for key in wanted if key not in found]
        if not missing:
            return found
        states_raw = type(self)._munp is not rv_generic._munp
        if "m" not in found:
            found["m"] = self._munp(1, *shapes)
        mean = found["m"]
        central = self._moment_from_raw if states_raw else self._moment_about
        if set(missing) - {"m"} and "v" not in found:
            # As in SciPy, a law without a finite mean has an infinite variance.
            found["v"] = where(abs(mean) == np.inf, np.inf, central(2, mean, *shapes))
        if "s" in missing:
            found["s"] = central(3, mean, *shapes) / found["v"] ** 1.5
        if "k" in missing:
            found["k"] = central(4, mean, *shapes) / found["v"] ** 2 - 3
        return found

    def _moment_from_raw(self, n: int, mean: Any, *shapes: Any) -> Any:
        """A central moment from raw ones; integrated where their difference loses its digits."""
        raw = [np.float64(1), mean, *(self._munp(j, *shapes) for j in range(2, n + 1))]
        terms = [math.comb(n, j) * (-mean) ** (n - j) * raw[j] for j in range(n + 1)]
        value, largest = sum(terms[1:], terms[0]), reduce(np.maximum, map(abs, terms))
        lost = abs(value) < _CANCELLED * largest
        if holds(~lost):
            return value
        return where(lost, self._moment_about(n, mean, *shapes), value)

    @cached_property
    def _stats_takes_moments(self) -> bool:
        spec = inspect.getfullargspec(self._stats)
        return spec.varkw is not None or "moments" in spec.args or "moments" in spec.kwonlyargs

    def _munp(self, n: int, *args: Any) -> Any:
        return self._raw_moment(n, *args)

    def stats(self, *args: Any, **kwds: Any) -> Any:
        """Mean, variance, skewness and excess kurtosis, those that `moments` names by `m`, `v`, `s`, `k`."""
        shapes, loc, scale, moments = self._parse(args, kwds, "moments")
        moments = "mv" if moments is None else moments
        good = self._good(shapes, loc, scale)
        shape = shape_of(*shapes, loc, scale)
        with quiet():
            if not isinstance(good, ndarray) and not good:
                out = tuple(_full(NAN, shape) for key in "mvsk" if key in moments)
                return out[0] if len(out) == 1 else out
            found = self._four(*shapes, wanted="".join(key for key in "mvsk" if key in moments))
            moved = {
                "m": lambda: found["m"] * scale + loc,
                "v": lambda: found["v"] * scale * scale,
                "s": lambda: found["s"],
                "k": lambda: found["k"],
            }
            out = tuple(_full(where(good, moved[key](), NAN), shape) for key in "mvsk" if key in moments)
        return out[0] if len(out) == 1 else out

    def _raw(self, order: int, shapes: tuple[Any, ...]) -> Any:
        """The raw moment of the standard distribution."""
        if order == 0:
            return np.float64(1)
        if type(self)._munp is not _base_of(type(self))._munp and type(self)._munp is not rv_generic._munp:
            return self._munp(order, *shapes)
        if order > 4:
            return self._raw_moment(order, *shapes)
        four = self._four(*shapes, wanted="mvsk"[:order])
        mean = four["m"]
        if order == 1:
            return mean
        variance = four["v"]
        if order == 2:
            return variance + mean * mean
        # All of the mass at one point has neither skewness nor kurtosis.
        third = where(variance == 0, 0.0, four["s"] * variance**1.5)
        if order == 3:
            return third + 3 * mean * variance + mean**3
        fourth = where(variance == 0, 0.0, (four["k"] + 3) * variance**2)
        return fourth + 4 * mean * third + 6 * mean * mean * variance + mean**4

    def moment(self, order: int, *args: Any, **kwds: Any) -> ndarray:
        """The moment of an order about zero."""
        shapes, loc, scale = self._parse(args, kwds)
        if int(order) != order or order < 0:
            raise ValueError("Moment must be an integer." if int(order) != order else "Moment must be positive.")
        order = int(order)
        shape = shape_of(*shapes, loc, scale)
        with quiet():
            good = self._good(shapes, loc, scale)
            if not isinstance(good, ndarray) and not good:
                return _full(NAN, shape)
            if isinstance(loc, np.float64) and loc == 0:
                total = scale**order * self._raw(order, shapes)
            else:
                total, binomial, leading = 0.0, 1, 0.0
                for i in range(stepwise(order) + 1):
                    leading = self._raw(i, shapes) * scale**i
                    total = total + binomial * leading * loc ** (order - i)
                    binomial = binomial * (order - i) // (i + 1)
                # Far out nothing else counts: an infinite moment stays so wherever the law lies.
                total = where(abs(leading) == INF, leading, total)
            return _full(where(good, total, NAN), shape)

    def mean(self, *args: Any, **kwds: Any) -> ndarray:
        """The mean."""
        return self.stats(*args, **{**kwds, "moments": "m"})

    def var(self, *args: Any, **kwds: Any) -> ndarray:
        """The variance."""
        return self.stats(*args, **{**kwds, "moments": "v"})

    def std(self, *args: Any, **kwds: Any) -> ndarray:
        """The standard deviation."""
        return sqrt(self.var(*args, **kwds))

    def median(self, *args: Any, **kwds: Any) -> ndarray:
        """The median."""
        return self.ppf(0.5, *args, **kwds)

    def interval(self, confidence: Any, *args: Any, **kwds: Any) -> tuple[ndarray, ndarray]:
        """The ends of the interval with equal areas around the median that holds a share `confidence`.

        Parameters
        ----------
        confidence : array_like
            The probability of the interval.
        """
        confidence = parameter(confidence)
        if not holds((confidence >= 0) & (confidence <= 1)):
            raise ValueError("alpha must be between 0 and 1 inclusive")
        low = (1.0 - confidence) / 2
        high = (1.0 + confidence) / 2
        return self.ppf(low, *args, **kwds), self.ppf(high, *args, **kwds)

    def entropy(self, *args: Any, **kwds: Any) -> ndarray:
        """The differential entropy, or that of the probabilities, in nats."""
        shapes, loc, scale = self._parse(args, kwds)
        shape = shape_of(*shapes, loc, scale)
        with quiet():
            good = self._good(shapes, loc, scale)
            if not isinstance(good, ndarray) and not good:
                return _full(NAN, shape)
            value = self._entropy(*shapes)
            if self._has_scale:
                value = value + np.log(scale)
            return _full(where(good, value, NAN), shape)

    def _prepare(self, x: Any, args: tuple[Any, ...], kwds: dict[str, Any]) -> tuple[Any, ...]:
        """Points in standard coordinates, shapes, location, scale, and whether the parameters are valid."""
        shapes, loc, scale = self._parse(args, kwds)
        x = points(x)
        if not isinstance(loc, np.float64) or loc != 0:
            x = x - loc
        if not isinstance(scale, np.float64) or scale != 1:
            x = x / scale
        return x, shapes, loc, scale, self._good(shapes, loc, scale)

    def __repr__(self) -> str:
        return f"<{type(self).__module__}.{type(self).__name__} object at {id(self):#x}>"


def _full(value: Any, shape: tuple[int, ...]) -> ndarray:
    """A result of the shape that the parameters have together, as a float64 array."""
    value = cp.asarray(value, dtype=np.float64)
    return value if value.shape == shape else cp.broadcast_to(value, shape).copy()


def _base_of(kind: type) -> type[rv_generic]:
    """The class of the package that a subclass comes from."""
    return next(base for base in kind.__mro__ if base.__dict__.get("_root"))


def answer(good: Any, x: Any, value: Any) -> ndarray:
    """`value`, or NaN where parameters are invalid or the point is NaN."""
    if good is not False:
        return where(both(good, x == x), value, NAN)
    nothing, shape = x * NAN, getattr(value, "shape", ())
    return nothing if shape in ((), nothing.shape) else cp.broadcast_to(nothing, shape).copy()


class rv_frozen:
    """A distribution with its parameters fixed."""

    def __init__(self, dist: rv_generic, *args: Any, **kwds: Any) -> None:
        self.args, self.kwds, self.dist = args, kwds, dist
        shapes, _, _ = dist._parse(args, kwds)
        self.a, self.b = dist._get_support(*shapes)

    @property
    def random_state(self) -> Any:
        """The generator of `rvs`."""
        return self.dist.random_state

    @random_state.setter
    def random_state(self, seed: Any) -> None:
        import copy

        self.dist = copy.copy(self.dist)
        self.dist.random_state = seed

    def rvs(self, size: Any = None, random_state: Any = None) -> ndarray:
        """Random draws."""
        return self.dist.rvs(*self.args, **self.kwds, size=size, random_state=random_state)

    def stats(self, moments: str = "mv") -> Any:
        """Mean, variance, skewness, excess kurtosis."""
        return self.dist.stats(*self.args, **self.kwds, moments=moments)

    def expect(self, func: Any = None, lb: Any = None, ub: Any = None, conditional: bool = False, **kwds: Any) -> Any:
        """The expected value of a function."""
        shapes, loc, scale = self.dist._parse(self.args, self.kwds)
        if self.dist._has_scale:
            return self.dist.expect(func, shapes, loc, scale, lb, ub, conditional, **kwds)
        return self.dist.expect(func, shapes, loc, lb, ub, conditional, **kwds)

    def interval(self, confidence: Any = None) -> Any:
        """The interval with equal areas around the median."""
        return self.dist.interval(confidence, *self.args, **self.kwds)

    def __getattr__(self, name: str) -> Any:
        if name in ("pdf", "logpdf", "pmf", "logpmf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf", "moment"):
            method = getattr(self.dist, name)
            return lambda x, *rest: method(x, *rest, *self.args, **self.kwds)
        if name in ("median", "mean", "var", "std", "entropy", "support"):
            method = getattr(self.dist, name)
            return lambda: method(*self.args, **self.kwds)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
