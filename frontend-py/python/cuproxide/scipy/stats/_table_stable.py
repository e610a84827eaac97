"""Rows of stable distributions: Nolan's integrals."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._lib import kernel as k
from ._continuous import rv_continuous
from ._landau import landau_cdf, landau_far_logcdf, landau_logpdf, landau_pdf, landau_sf
from ._math import (
    INF,
    NAN,
    SQRT2,
    arctan,
    both,
    cos,
    exp,
    log,
    log1p,
    logical_and,
    sin,
    tan,
    where,
    xlogy,
)
from ._numeric import between, root
from ._row import rows_of

__all__: list[str] = []

_row = rows_of(globals())


@k.function
def _stable_integral(table: Any, g: Any, f: Any, length: Any, rising: Any) -> Any:
    """The integral of `f(g(u, v))` over angles: u from the right end, v from the left one, which are `length` apart.

    Each half is seen from its own end, where angles have all their digits, in five parts that meet where g is 0; g is
    monotone. One loop goes through all parts, so that a kernel holds the integrand twice and not eighteen times.
    """
    total, start, part = k.value(0.0), k.value(0.0), k.value(0)
    while part < 10:
        start = k.where(part == 5, 0.0, start)
        value, start = _stable_part(table, g, f, length, rising, part, start)
        total += value
        part += 1
    return total


@k.function
def _stable_part(table: Any, g: Any, f: Any, length: Any, rising: Any, part: Any, start: Any) -> tuple[Any, Any]:
    """The integral over one of the parts, and where it ends."""
    is_right = part < 5
    place, stop = k.where(is_right, part, part - 5), length / 2
    side = lambda t: g(k.where(is_right, t, length - t), k.where(is_right, length - t, t))  # noqa: E731
    down = is_right == rising
    # The integrand changes where g is near 0, which may be a tiny part of the interval.
    number = k.where(is_right, place, 3 - place)
    level = k.where(number <= 1, k.where(number == 0, 3.0, 0.0), k.where(number == 2, -5.0, -30.0))
    if place < 4:
        stop = root(lambda t: k.where(down, side(t) <= level, side(t) >= level), k.value(1e-300), length / 2)
    value = k.where(stop > start, between(table, lambda t: f(side(t)), start, stop, 1.0), 0.0)
    return value, k.maximum(start, stop)


def _stable_term(kind: str) -> Any:
    def term(g: Any) -> Any:
        g = k.minimum(g, 700.0)
        if kind == "pdf":
            return k.exp(g - k.exp(g))
        if kind == "large":
            return -k.expm1(-k.exp(g))
        return k.exp(-k.exp(g))

    return term


def _stable_log_g(y: Any, alpha: Any, beta: Any) -> tuple[Any, Any]:
    """The logarithm of Nolan's g for `alpha != 1` at `y > 0`, and the length of the interval of angles."""
    tangent = beta * k.tan(np.pi * alpha / 2)
    xi = k.arctan(tangent) / alpha
    length = np.pi / 2 + xi
    start = -0.5 * k.log1p(tangent * tangent) / (alpha - 1) + alpha / (alpha - 1) * k.log(y)
    power = alpha / (alpha - 1)

    def log_g(u: Any, v: Any) -> Any:
        cosine = k.log(k.maximum(k.sin(u), 1e-300))
        inside = k.log(k.maximum(k.sin(alpha * v), 1e-300))
        last = k.log(k.maximum(k.cos(alpha * v - np.pi / 2 + u), 1e-300))
        return start + power * (cosine - inside) + last - cosine

    return log_g, length


@k.function
def _stable_positive(table: Any, y: Any, alpha: Any, beta: Any, kind: str) -> Any:
    """The integral of a density or tail at `y > 0` for `alpha != 1` (Nolan 1997)."""
    log_g, length = _stable_log_g(y, alpha, beta)
    return _stable_integral(table, log_g, _stable_term(kind), length, alpha < 1)


@k.function
def _stable_one(table: Any, x: Any, beta: Any, kind: str) -> Any:
    """The integral for `alpha = 1` and `beta > 0`."""

    def log_g(u: Any, v: Any) -> Any:
        # `pi/2 + beta * angle`, from the left end.
        inside = np.pi / 2 * (1 - beta) + beta * v
        # The sine of either: they add up to pi.
        cosine = k.log(k.maximum(k.sin(k.minimum(u, v)), 1e-300))
        slope = k.where(v < u, -k.cos(v) / k.maximum(k.sin(v), 1e-300), k.cos(u) / k.maximum(k.sin(u), 1e-300))
        value = np.log(2 / np.pi) + k.log(k.maximum(inside, 1e-300)) - cosine + inside * slope / beta
        return value - np.pi * x / (2 * beta)

    return _stable_integral(table, log_g, _stable_term(kind), k.value(np.pi), k.value(True))


# From here on the angles that count at alpha 1 are too close for float64, and the expansion has all digits.
_FAR = 1e5


def _far_at_one(x: Any, skew: Any, of_density: bool) -> Any:
    """The density at a large `x`, or the tail above it, for `alpha = 1`: terms of its Laplace transform on the cut."""
    slope, length = 2 * skew / np.pi, k.log(x)
    # digamma and its derivative at 2, 3 and 4.
    first, second, spread = (0.9227843350984671, 1.2561176684318005, 0.2838229557371153)
    factors = (2.0, 3.0, 1.0)
    if not of_density:
        first, second, spread = 0.42278433509846713, 0.9227843350984671, 0.3949340668482264
        factors = (1.0, 1.0, 1.0 / 3)
    one = factors[0] * slope * (length - first)
    away = length - second
    two = factors[1] * slope * slope * (away * away + spread) - factors[2] * (1 + skew) * (1 + skew)
    value = (1 + skew) / (np.pi * x) * (1 + one / x + two / (x * x))
    return value / x if of_density else value


@k.function
def _stable_tail(table: Any, x: Any, alpha: Any, beta: Any, upper: bool) -> Any:
    result = k.value(0.0)
    if alpha == 2.0:
        result = k.ndtr((-x if upper else x) / SQRT2)
    elif alpha == 1.0:
        if beta == 0.0:
            result = k.arctan2(1.0, x if upper else -x) / np.pi
        elif abs(x) > _FAR and (beta > -1.0 if x > 0.0 else beta < 1.0):
            far = _far_at_one(abs(x), k.where(x > 0, beta, -beta), False)
            result = far if (x > 0) == upper else 1 - far
        elif beta > 0.0 if upper else beta < 0.0:
            result = _stable_one(table, k.where(beta > 0, x, -x), abs(beta), "large") / np.pi
        else:
            result = _stable_one(table, k.where(beta > 0, x, -x), abs(beta), "small") / np.pi
    else:
        xi = k.arctan(beta * k.tan(np.pi * alpha / 2)) / alpha
        # Of the mirrored distribution on the left.
        left = x < 0
        side = k.where(left, -beta, beta)
        above = k.where(left, not upper, upper)
        turned = k.where(left, -xi, xi)
        y = k.maximum(abs(x), 1e-300)
        if alpha > 1:
            small = _stable_positive(table, y, alpha, side, "small") / np.pi
            result = k.where(above, small, 1 - small)
        elif above:
            result = _stable_positive(table, y, alpha, side, "large") / np.pi
        else:
            result = 0.5 - turned / np.pi + _stable_positive(table, y, alpha, side, "small") / np.pi
    return k.minimum(k.maximum(result, 0.0), 1.0)


@k.function
def _stable_pdf(table: Any, x: Any, alpha: Any, beta: Any) -> Any:
    result = k.value(0.0)
    if alpha == 2.0:
        result = k.exp(-x * x / 4) / (2 * SQRT_PI)
    elif alpha == 1.0:
        if beta == 0.0:
            result = 1 / (np.pi * (1 + x * x))
        elif abs(x) > _FAR and (beta > -1.0 if x > 0.0 else beta < 1.0):
            result = _far_at_one(abs(x), k.where(x > 0, beta, -beta), True)
        else:
            result = _stable_one(table, k.where(beta > 0, x, -x), abs(beta), "pdf") / (2 * abs(beta))
    else:
        tangent = beta * k.tan(np.pi * alpha / 2)
        xi = k.arctan(tangent) / alpha
        at_zero = k.gamma(1 + 1 / alpha) * k.cos(xi) / np.pi * k.exp(-k.log1p(tangent * tangent) / (2 * alpha))
        y = abs(x)
        side = k.where(x < 0, -beta, beta)
        part = _stable_positive(table, k.maximum(y, 1e-300), alpha, side, "pdf")
        result = k.where(y < 1e-12, at_zero, alpha * part / (np.pi * abs(alpha - 1) * k.maximum(y, 1e-300)))
    return result


SQRT_PI = np.sqrt(np.pi)


@k.function
def _stable_cdf(table: Any, x: Any, alpha: Any, beta: Any) -> Any:
    return _stable_tail(table, x, alpha, beta, False)


@k.function
def _stable_sf(table: Any, x: Any, alpha: Any, beta: Any) -> Any:
    return _stable_tail(table, x, alpha, beta, True)


def _stable_rvs(alpha: Any, beta: Any, size: Any, random_state: Any) -> Any:
    """Chambers, Mallows and Stuck (1976)."""
    angle = np.pi * (random_state.uniform(size=size) - 0.5)
    w = random_state.standard_exponential(size=size)
    tangent = beta * tan(np.pi * alpha / 2)
    xi = arctan(tangent) / alpha
    inside = alpha * (angle + xi)
    general = (
        exp(log1p(tangent * tangent) / (2 * alpha))
        * sin(inside)
        / cos(angle) ** (1 / alpha)
        * (cos(angle - inside) / w) ** ((1 - alpha) / alpha)
    )
    turned = np.pi / 2 + beta * angle
    one = 2 / np.pi * (turned * tan(angle) - beta * log(np.pi / 2 * w * cos(angle) / turned))
    return where(alpha == 1, one, general)


_PARAMETERIZATIONS = ("S0", "S1")


class _Stable:
    """What `levy_stable` has beside the formulas of its row: a choice of parameters, as SciPy's."""

    _parameterization = "S1"

    @property
    def parameterization(self) -> str:
        """`"S1"` or `"S0"`: how `loc` and `scale` are meant."""
        return self._parameterization

    @parameterization.setter
    def parameterization(self, value: str) -> None:
        if value not in _PARAMETERIZATIONS:
            raise RuntimeError(f"Parameterization {value!r} is not in supported list ['S0', 'S1']")
        self._parameterization = value

    def _parse(self: Any, args: Any, kwds: Any, *names: str) -> Any:
        """The formulas are those of `S1`, whose location moves with the scale where alpha is 1."""
        shapes, loc, scale, *rest = rv_continuous._parse(self, args, kwds, *names)
        alpha, beta = shapes
        one = alpha == 1
        if self._parameterization == "S0":
            loc = loc - where(one, 0.0, beta * scale * tan(np.pi * where(one, 0.0, alpha) / 2))
        else:
            loc = loc + where(one, 2 / np.pi * beta * xlogy(scale, scale), 0.0)
        return (shapes, loc, scale, *rest)


_row(
    "levy_stable",
    "alpha, beta",
    "1.8, -0.5",
    lambda alpha, beta: (
        where(logical_and(alpha < 1, beta == 1), 0.0, -INF) + 0 * alpha,
        where(logical_and(alpha < 1, beta == -1), 0.0, INF) + 0 * alpha,
    ),
    argcheck=lambda alpha, beta: both(alpha > 0, alpha <= 2, beta >= -1, beta <= 1),
    inner={"cdf": _stable_cdf, "sf": _stable_sf, "pdf": _stable_pdf},
    stats=lambda alpha, beta: (
        where(alpha > 1, 0.0, NAN) + 0 * beta,
        where(alpha == 2, 2.0, INF) + 0 * beta,
        where(alpha == 2, 0.0, NAN) + 0 * beta,
        where(alpha == 2, 0.0, NAN) + 0 * beta,
    ),
    rvs=_stable_rvs,
    methods={"_parse": _Stable._parse, "parameterization": _Stable.parameterization, "_parameterization": "S1"},
)


_row(
    "landau",
    inner={"cdf": landau_cdf, "sf": landau_sf, "pdf": landau_pdf},
    methods={"_logpdf": lambda self, x: landau_logpdf(x)},
    far={"cdf": landau_far_logcdf},
    stats=lambda: (NAN, NAN, NAN, NAN),
    munp=lambda n: np.float64(1) if n == 0 else NAN,
    entropy=lambda: 2.37263644000448182,
    rvs=lambda size, random_state: _stable_rvs(np.float64(1), np.float64(1), size, random_state),
)
