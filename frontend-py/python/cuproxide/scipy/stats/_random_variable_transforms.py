"""Random variables made of others: moved, truncated, folded, mapped, ordered and mixed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device
from ._common import holds, parameter, quiet, shape_of
from ._math import (
    INF,
    betainc,
    betaincc,
    betainccinv,
    betaincinv,
    betaln,
    both,
    floor,
    log1mexp,
    logaddexp,
    stepwise,
    where,
)
from ._math import exp as _exp
from ._math import log as _log
from ._random_variable import Interval, UnivariateDistribution, _floating, _known
from ._random_variable_kinds import ContinuousDistribution
from ._random_variable_moments import EVERY_METHOD, moved

__all__ = ["abs", "exp", "log", "order_statistic", "truncate"]

# What a transformed variable states: all functions of points, by those of the variable inside.
_POINTS = frozenset({"pdf", "logpdf", "cdf", "logcdf", "ccdf", "logccdf", "icdf", "iccdf", "ilogcdf", "ilogccdf"})
_OTHER_TAIL = {"cdf": "ccdf", "ccdf": "cdf", "logcdf": "logccdf", "logccdf": "logcdf"}
_OTHER_TAIL |= {"i" + name: "i" + other for name, other in _OTHER_TAIL.items()}


class _Transformed(ContinuousDistribution):
    """A random variable made of another, whose parameters it has besides its own."""

    _own: tuple[str, ...] = ()
    _pattern = "{}"

    def __init__(self, variable: Any, /, **own: Any) -> None:
        if not isinstance(variable, ContinuousDistribution):
            raise NotImplementedError("Transformations are currently only supported for continuous RVs.")
        if set(own) & set(variable._values):
            raise ValueError(
                f"One or more of the parameters of {variable} has the same name as a parameter of "
                f"{type(self).__name__}. Name collisions create ambiguities and are not supported."
            )
        self._variable, self._domain = variable, variable._domain
        super().__init__(**own)

    def _take(self, given: dict[str, Any]) -> None:
        inner = self._variable
        types, values = [inner._dtype], {}
        for name, value in given.items():
            array = value if isinstance(value, ndarray) else np.asarray(value)
            if array.dtype.kind not in "iuf":
                raise TypeError(f"Parameter `{name}` must be of real dtype, got {array.dtype}.")
            types.append(array.dtype if array.dtype.kind == "f" else np.dtype(np.float64))
            values[name] = parameter(value)
        try:
            self._shape = np.broadcast_shapes(inner._shape, shape_of(*values.values()))
        except ValueError as error:
            raise ValueError(
                f"The parameters `{{{', '.join([*given, *inner._values])}}}` provided to the `{type(self).__name__}` "
                "distribution family cannot be broadcast to the same shape."
            ) from error
        self._dtype = np.result_type(*types)
        self._valid = _known(both(inner._valid, self._accepts(values)))
        self._values = {**inner._values, **values}
        self._prepare()

    def _accepts(self, own: dict[str, Any]) -> Any:
        """Where the parameters of the transformation are valid."""
        return True

    def _prepare(self) -> None:
        """Computes once what several functions need."""

    def _shown(self, show: Callable[[Any], str]) -> str:
        inner = self._variable._shown(show)
        with np.printoptions(threshold=10):
            return self._pattern.format(inner, **{name: show(_floating(self._original[name])) for name in self._own})


# ---------------------------------------------------------------------------------------------- location and scale


class ShiftedScaledDistribution(_Transformed):
    """`scale * X + loc`."""

    _stated = _POINTS | {"cdf2", "logcdf2", "ccdf2", "logccdf2", "entropy", "median", "mode", "sample"}

    def __init__(self, variable: Any, /, loc: Any = 0.0, scale: Any = 1.0) -> None:
        if isinstance(variable, ShiftedScaledDistribution):
            old = variable._original
            loc, scale = _times(old["loc"], scale) + _plain(loc), _times(old["scale"], scale)
            variable = variable._variable
        super().__init__(variable, loc=loc, scale=scale)

    def _accepts(self, own: dict[str, Any]) -> Any:
        return both(*(value == value for value in own.values()))

    def _shown(self, show: Callable[[Any], str]) -> str:
        loc, scale = _floating(self._original["loc"]), _floating(self._original["scale"])
        with np.printoptions(threshold=10):
            shown = f"{show(scale)}*{self._variable._shown(show)}"
            if not loc.ndim and not isinstance(loc, ndarray) and loc < 0:
                return f"{shown} - {show(-loc)}"
            plain = not isinstance(loc, ndarray) and np.all(loc == 0)
            return shown if plain else f"{shown} + {show(loc)}"

    def _ends(self) -> tuple[Any, Any]:
        loc, scale = self._values["loc"], self._values["scale"]
        low, high = (end * scale + loc for end in self._variable._ends())
        return where(scale > 0, low, high), where(scale > 0, high, low)

    def _signed(self, plus: Callable[[], Any], minus: Callable[[], Any]) -> Any:
        """One value where the scale is positive, another where it is negative."""
        scale = self._values["scale"]
        if not isinstance(scale, ndarray):
            return plus() if scale > 0 else minus()
        return where(scale > 0, plus(), minus())

    def _formula(self, name: str, *args: Any) -> Any:
        loc, scale, inner = self._values["loc"], self._values["scale"], self._variable
        if name == "entropy":
            return inner._at("entropy") + _log(cp.abs(cp.asarray(scale)))
        if name in ("median", "mode", "sample"):
            return inner._at(name, *args) * scale + loc
        if name in ("pdf", "logpdf"):
            size = np.abs(scale)
            value = inner._at(name, (args[0] - loc) / scale)
            return value / size if name == "pdf" else value - _log(size)
        if name.endswith("2"):
            x, y = ((point - loc) / scale for point in args)
            return self._signed(lambda: inner._at(name, x, y), lambda: inner._at(name, y, x))
        if name.startswith("i"):
            other = _OTHER_TAIL[name]
            return self._signed(lambda: inner._at(name, *args), lambda: inner._at(other, *args)) * scale + loc
        x = (args[0] - loc) / scale
        return self._signed(lambda: inner._at(name, x), lambda: inner._at(_OTHER_TAIL[name], x))

    def _moment(self, kind: str, order: int, methods: frozenset[str]) -> Any:
        loc, scale, inner = self._values["loc"], self._values["scale"], self._variable
        if kind == "raw":
            known = [
                inner._moment("raw", i, methods if i == order else EVERY_METHOD) for i in range(stepwise(order) + 1)
            ]
            return None if known[-1] is None else moved([v * scale**i for i, v in enumerate(known)], loc)
        value = inner._moment(kind, order, methods)
        return None if value is None else value * (np.sign(scale) if kind == "standardized" else scale) ** order


def _plain(value: Any) -> Any:
    """A number or an array with which one can compute."""
    return value if isinstance(value, ndarray) else np.asarray(value)[()]


def _times(a: Any, b: Any) -> Any:
    a, b = (_plain(v) for v in (a, b))
    if isinstance(a, ndarray) or isinstance(b, ndarray):
        a, b = as_device(a), as_device(b)
    return a * b


# ---------------------------------------------------------------------------------------------- truncation


class TruncatedDistribution(_Transformed):
    """A random variable given that it lies between two points."""

    _own = ("lb", "ub")
    _pattern = "truncate({}, lb={lb}, ub={ub})"
    _stated = _POINTS | {"logcdf2"}

    def _accepts(self, own: dict[str, Any]) -> Any:
        return own["lb"] < own["ub"]

    def _ends(self) -> tuple[Any, Any]:
        return self._between

    def _prepare(self) -> None:
        low, high = self._variable._ends()
        self._between = (
            where(self._values["lb"] > low, self._values["lb"], low),
            where(self._values["ub"] < high, self._values["ub"], high),
        )
        low, high = (cp.broadcast_to(cp.asarray(end, dtype=np.float64), self._shape) for end in self._between)
        self._log_mass = self._variable._at("logcdf2", low, high)
        self._valid = _known(both(self._valid, self._log_mass > -INF))
        self._low, self._high = low, high
        # From the end in whose tail the interval lies: there probabilities have their digits.
        lower = self._variable._at("logcdf", low) <= self._variable._at("logccdf", high)
        self._from_below = True if holds(lower) else False if holds(~lower) else lower
        # Whether the probability between the points is a number of full precision.
        self._plain = holds((self._log_mass > -600) | ~cp.asarray(self._valid))

    def _formula(self, name: str, *args: Any) -> Any:
        inner, mass = self._variable, self._log_mass
        if name == "logpdf":
            return inner._at("logpdf", args[0]) - mass
        if name == "logcdf2":
            return inner._at("logcdf2", *args) - mass
        if name in ("logcdf", "logccdf"):
            x = cp.minimum(cp.maximum(args[0], self._low), self._high)
            x = cp.broadcast_to(x, np.broadcast_shapes(x.shape, self._shape))
            return inner._at("logcdf2", *((self._low, x) if name == "logcdf" else (x, self._high))) - mass
        if name in ("pdf", "cdf", "ccdf"):
            return _exp(self._at("log" + name, *args))
        if name in ("icdf", "iccdf") and self._plain:
            below, above = (args[0], 1 - args[0]) if name == "icdf" else (1 - args[0], args[0])
            start, stop, part = inner._at("cdf", self._low), inner._at("ccdf", self._high), _exp(mass)
            from_below, from_above = inner._at("icdf", start + below * part), inner._at("iccdf", stop + above * part)
            return cp.minimum(cp.maximum(where(self._from_below, from_below, from_above), self._low), self._high)
        if name in ("icdf", "iccdf"):
            # Of the share and its complement, both as logarithms.
            share, rest = _log(args[0]), np.log1p(-args[0])
        else:
            share = args[0]
            rest = log1mexp(share)
        below, above = (share, rest) if name in ("icdf", "ilogcdf") else (rest, share)
        start, stop = inner._at("logcdf", self._low), inner._at("logccdf", self._high)
        from_below = inner._at("ilogcdf", logaddexp(start, below + mass))
        from_above = inner._at("ilogccdf", logaddexp(stop, above + mass))
        x = where(self._from_below, from_below, from_above)
        return cp.minimum(cp.maximum(x, self._low), self._high)


def truncate(X: Any, lb: Any = -np.inf, ub: Any = np.inf) -> TruncatedDistribution:  # noqa: N803
    """A random variable given that it lies between two points. See `scipy.stats.truncate`.

    Parameters
    ----------
    lb, ub : array_like
        The points, which broadcast with the parameters of `X`.

    Returns
    -------
    ContinuousDistribution
        The truncated random variable; NaN where there is no probability between the points.

    >>> y = stats.truncate(stats.Normal(), 0.0, 1.0)
    >>> float(y.cdf(0.5).round(6)), float(y.pdf(2.0))
    (0.560906, 0.0)
    """
    return TruncatedDistribution(X, lb=lb, ub=ub)


# ---------------------------------------------------------------------------------------------- functions of variables


class MonotonicTransformedDistribution(_Transformed):
    """`g(X)` of a function that grows or falls; `h` is its inverse and `dh` the size of the inverse's derivative."""

    _stated = _POINTS | {"cdf2", "logcdf2", "sample"}

    def __init__(
        self,
        variable: Any,
        /,
        *,
        g: Any,
        h: Any,
        dh: Any,
        logdh: Any = None,
        increasing: bool = True,
        pattern: Any,
        origin: tuple[Any, ...],
    ) -> None:
        self._origin = origin
        self._g, self._h, self._dh, self._increasing, self._pattern_of = g, h, dh, increasing, pattern
        self._logdh = logdh or (lambda u: _log(dh(u)))
        super().__init__(variable)
        left, right = variable._domain.inclusive
        self._domain = Interval(inclusive=(left, right) if increasing else (right, left))

    def __reduce__(self) -> Any:
        # Its functions are made by the one that makes it.
        return self._origin

    def _shown(self, show: Callable[[Any], str]) -> str:
        return self._pattern_of(self._variable._shown(show), show)

    def _ends(self) -> tuple[Any, Any]:
        low, high = self._variable._ends()
        # The reciprocal of an upper end of zero is at minus infinity.
        high = where(high == 0, -0.0, high)
        low, high = self._g(low), self._g(high)
        return (low, high) if self._increasing else (high, low)

    def _formula(self, name: str, *args: Any) -> Any:
        inner = self._variable
        if name == "sample":
            return self._g(cp.asarray(inner._at("sample", *args)))
        if name == "pdf":
            density = inner._at("pdf", self._h(args[0]))
            return where(density == 0, 0.0, density * self._dh(args[0]))
        if name == "logpdf":
            density = inner._at("logpdf", self._h(args[0]))
            return where(density == -INF, -INF, density + self._logdh(args[0]))
        if name.endswith("2"):
            x, y = (self._h(point) for point in args)
            return inner._at(name, x, y) if self._increasing else inner._at(name, y, x)
        tail = name if self._increasing else _OTHER_TAIL[name]
        return self._g(inner._at(tail, *args)) if name.startswith("i") else inner._at(tail, self._h(args[0]))

    def _expected(self, f: Callable[[Any], Any], cut: Any = None) -> Any:
        # Over the variable inside: its density has no singular ends.
        return self._variable._expected(lambda x: f(self._g(x)), None if cut is None else self._h(cut))


def exp(X: Any, /) -> MonotonicTransformedDistribution:  # noqa: N803
    """The exponential of a random variable. See `scipy.stats.exp`.

    Returns
    -------
    ContinuousDistribution
        The random variable `exp(X)`.

    >>> y = cp.scipy.stats.exp(cp.scipy.stats.Normal())
    >>> float(y.median()), float(y.mean().round(6))
    (1.0, 1.648721)
    """
    return MonotonicTransformedDistribution(
        X,
        g=_exp,
        h=_log,
        dh=lambda u: 1 / u,
        logdh=lambda u: -_log(u),
        pattern=lambda inner, show: f"exp({inner})",
        origin=(exp, (X,)),
    )


def log(X: Any, /) -> MonotonicTransformedDistribution:  # noqa: N803
    """The logarithm of a random variable that is not negative. See `scipy.stats.log`.

    Returns
    -------
    ContinuousDistribution
        The random variable `log(X)`.

    Raises
    ------
    NotImplementedError
        If `X` may be negative, or is discrete.

    >>> y = stats.log(stats.Uniform(a=1.0, b=3.0))
    >>> float(y.icdf(1.0).round(6))
    1.098612
    """
    if isinstance(X, UnivariateDistribution) and not holds(cp.asarray(X._ends()[0]) >= 0):
        raise NotImplementedError(
            "The logarithm of a random variable is only implemented when the support is non-negative."
        )
    return MonotonicTransformedDistribution(
        X,
        g=_log,
        h=_exp,
        dh=_exp,
        logdh=lambda u: u,
        pattern=lambda inner, show: f"log({inner})",
        origin=(log, (X,)),
    )


def power_of(variable: Any, other: Any) -> MonotonicTransformedDistribution:
    """`X ** n`."""
    if not np.isscalar(other) or other <= 0 or other != int(other):
        raise NotImplementedError(
            "Raising a random variable to the power of an argument is only implemented when the argument is a positive "
            "integer."
        )

    def shown(inner: str, show: Callable[[Any], str]) -> str:
        # Of an even power the variable inside is the absolute value.
        return f"({variable._shown(show)})**{show(other)}"

    return MonotonicTransformedDistribution(
        FoldedDistribution(variable) if other % 2 == 0 else variable,
        g=lambda u: u**other,
        h=lambda u: np.sign(u) * np.abs(u) ** (1 / other),
        dh=lambda u: 1 / other * np.abs(u) ** (1 / other - 1),
        pattern=shown,
        origin=(power_of, (variable, other)),
    )


def reciprocal_of(variable: Any, other: Any) -> Any:
    """`other / X`."""
    low, high = (cp.asarray(end) for end in variable._ends())
    if not (holds(low >= 0) or holds(high <= 0)):
        raise NotImplementedError(
            "Division by a random variable is only implemented when the support is either non-negative or non-positive."
        )
    made = _reciprocal_shown_of(variable, other)
    return made if holds(_plain(other) == 1) else made * other


def _reciprocal_shown_of(variable: Any, other: Any) -> MonotonicTransformedDistribution:
    """`1 / X`, shown as what it becomes when it is multiplied by a number."""
    return MonotonicTransformedDistribution(
        variable,
        g=lambda u: 1 / u,
        h=lambda u: 1 / u,
        dh=lambda u: 1 / (u * u),
        increasing=False,
        pattern=lambda inner, show: f"{show(other)}/({inner})",
        origin=(_reciprocal_shown_of, (variable, other)),
    )


def base_to(variable: Any, other: Any) -> MonotonicTransformedDistribution:
    """`other ** X`."""
    if not np.isscalar(other) or other <= 0 or other == 1:
        raise NotImplementedError(
            "Raising an argument to the power of a random variable is only implemented when the argument is a positive "
            "scalar other than 1."
        )
    return MonotonicTransformedDistribution(
        variable,
        g=lambda u: other**u,
        h=lambda u: np.log(u) / math.log(other),
        dh=lambda u: 1 / np.abs(u * math.log(other)),
        increasing=other > 1,
        pattern=lambda inner, show: f"{show(other)}**({inner})",
        origin=(base_to, (variable, other)),
    )


class FoldedDistribution(_Transformed):
    """The absolute value of a random variable."""

    _pattern = "abs({})"
    _stated = frozenset({"pdf", "logpdf", "cdf", "logcdf", "ccdf", "logccdf", "sample"})

    def __init__(self, variable: Any, /) -> None:
        super().__init__(variable)
        self._domain = Interval(inclusive=(True, variable._domain.inclusive[1]))

    def _ends(self) -> tuple[Any, Any]:
        low, high = self._variable._ends()
        near, far = np.minimum(np.abs(low), np.abs(high)), np.maximum(np.abs(low), np.abs(high))
        return where(both(low < 0, high > 0), 0.0, near), far

    def _formula(self, name: str, *args: Any) -> Any:
        inner = self._variable
        if name == "sample":
            return cp.abs(cp.asarray(inner._at("sample", *args)))
        x = cp.abs(args[0])
        low, high = inner._ends()
        if name in ("pdf", "logpdf"):
            nothing = 0.0 if name == "pdf" else -INF
            left = where(-x >= low, inner._at(name, -x), nothing)
            right = where(x <= high, inner._at(name, x), nothing)
            return left + right if name == "pdf" else logaddexp(left, right)
        ends = (cp.maximum(-x, low), cp.minimum(x, high))
        return inner._at(name + "2", *ends)

    def _expected(self, f: Callable[[Any], Any], cut: Any = None) -> Any:
        return self._variable._expected(lambda x: f(cp.abs(x)), 0.0)


def abs(X: Any, /) -> FoldedDistribution:  # noqa: N803
    """The absolute value of a random variable. See `scipy.stats.abs`.

    Returns
    -------
    ContinuousDistribution
        The random variable `|X|`.

    >>> y = cp.scipy.stats.abs(cp.scipy.stats.Normal())
    >>> float(y.cdf(1.0).round(6)), float(y.pdf(-1.0))
    (0.682689, 0.0)
    """
    return FoldedDistribution(X)


# ---------------------------------------------------------------------------------------------- order statistics


class OrderStatisticDistribution(_Transformed):
    """The `r`-th smallest of `n` independent draws."""

    _own = ("r", "n")
    _pattern = "order_statistic({}, r={r}, n={n})"
    _stated = frozenset({"pdf", "logpdf", "cdf", "ccdf", "icdf", "iccdf"})

    def _accepts(self, own: dict[str, Any]) -> Any:
        return both(own["r"] >= 1, own["r"] <= own["n"])

    def _ends(self) -> tuple[Any, Any]:
        return self._variable._ends()

    def _formula(self, name: str, *args: Any) -> Any:
        r, n, inner = self._values["r"], self._values["n"], self._variable
        above = n - r + 1
        if name in ("icdf", "iccdf"):
            # The share of a uniform order statistic, or its complement: the smaller has its digits.
            own, other = (betaincinv, betainccinv) if name == "icdf" else (betainccinv, betaincinv)
            share, rest = own(r, above, args[0]), other(above, r, args[0])
            return where(share < 0.5, inner._at("icdf", share), inner._at("iccdf", rest))
        lower, upper = inner._at("cdf", args[0]), inner._at("ccdf", args[0])
        if name == "cdf":
            return where(lower < 0.5, betainc(r, above, lower), betaincc(above, r, upper))
        if name == "ccdf":
            return where(lower < 0.5, betaincc(r, above, lower), betainc(above, r, upper))
        if name == "pdf":
            return _exp(self._at("logpdf", *args))
        below = where(r == 1, 0.0, (r - 1) * inner._at("logcdf", args[0]))
        rest = where(r == n, 0.0, (n - r) * inner._at("logccdf", args[0]))
        return inner._at("logpdf", args[0]) + below + rest - betaln(r, above)


def order_statistic(X: Any, /, *, r: Any, n: Any) -> OrderStatisticDistribution:  # noqa: N803
    """The `r`-th smallest of `n` independent draws of a random variable. See `scipy.stats.order_statistic`.

    Parameters
    ----------
    r, n : array_like
        Positive whole numbers that broadcast; `r` is at most `n`.

    Returns
    -------
    ContinuousDistribution
        The random variable.

    Raises
    ------
    ValueError
        If `r` or `n` are not whole, or negative.
    NotImplementedError
        If `X` is discrete.

    >>> y = stats.order_statistic(stats.Uniform(a=0.0, b=1.0), r=2, n=3)
    >>> float(y.median().round(6)), float(y.mean().round(6))
    (0.5, 0.5)
    """
    with quiet():
        good = [both(floor(v) == v, v >= 0) for v in (parameter(r), parameter(n))]
    if not all(holds(condition) for condition in good):
        raise ValueError("`r` and `n` must contain only positive integers.")
    return OrderStatisticDistribution(X, r=r, n=n)
