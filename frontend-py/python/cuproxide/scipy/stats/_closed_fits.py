"""Fits whose best parameters follow from sums of the data, and data that no parameters explain."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import to_float
from ._fit_errors import FitDataError

# Parameters that are held, by name, and those that were found.
Held = dict[str, float]
Fit = Callable[[Any, ndarray, Held], "Held | None"]

ALL_FIXED_IS_RUNTIME_ERROR = frozenset(
    "gumbel_l gumbel_r halfcauchy halflogistic halfnorm invgauss laplace logistic loglaplace lognorm pareto "
    "powerlaw rayleigh rel_breitwigner skewnorm truncpareto vonmises vonmises_line weibull_min".split()
)

# Whose fits refuse data outside of the support that held parameters leave; the latter the ends of it, too.
_CHECKED = {"halfcauchy", "halflogistic", "halfnorm", "loglaplace", "powerlaw"}
_STRICT = {"beta", "erlang", "gamma", "invgauss", "lognorm"}

# The scale that a fit holds unless the program says otherwise.
HELD_SCALE = {"loguniform": 1.0, "reciprocal": 1.0}

# Shapes from the best of which searches begin, where the likelihood has several maxima.
STARTS = {"trapezoid": [(0.2, 0.8), (0.05, 0.5), (0.5, 0.95), (0.45, 0.55), (0.05, 0.95), (0.02, 0.2), (0.8, 0.98)]}


def check(distribution: Any, x: ndarray, held: Held) -> None:
    """Raises `FitDataError` for data that held parameters rule out."""
    name = distribution.name
    if name not in _CHECKED | _STRICT or "loc" not in held:
        return
    upper = float(distribution.b)
    if math.isfinite(upper) and "scale" not in held:
        upper = math.inf
    y = (x - held["loc"]) / held.get("scale", 1.0)
    inside = (y > 0) & (y < upper) if name in _STRICT else (y >= 0) & (y <= upper)
    if not bool(inside.all()):
        raise FitDataError(name, lower=0, upper=upper)


def _below(value: float) -> float:
    return math.nextafter(value, -math.inf)


def _above(value: float) -> float:
    return math.nextafter(value, math.inf)


def _ends(x: ndarray) -> tuple[float, float]:
    least, most = cp.asnumpy(cp.stack([x.min(), x.max()])).tolist()
    return least, most


def _root(f: Callable[[float], float], low: float, high: float) -> float:
    """The root of a falling function of a number between two numbers, by halving: all digits in at most 100 steps."""
    for _ in range(100):
        middle = low + (high - low) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if f(middle) > 0 else (low, middle)
    return low + (high - low) / 2


def better(distribution: Any, x: ndarray, *fits: Held | None) -> Held | None:
    """The fit with the greatest likelihood of several."""
    found = by_likelihood(distribution, x, [fit for fit in fits if fit is not None])
    return found[0] if found else None


def by_likelihood(distribution: Any, x: ndarray, fits: list[Held]) -> list[Held]:
    """Fits in the order of their likelihood, the greatest first."""
    names = distribution._parameters
    values = [to_float(distribution._penalized_nnlf([fit[name] for name in names], x)) for fit in fits]
    return [fits[i] for i in np.argsort(values, kind="stable")]


# ------------------------------------------------------------------------------------------ circles


@k.kernel
def _concentration(lack: k.Each):
    """The kappa for which the mean of the cosines of angles is `1 - lack`."""
    lack = k.value(lack, np.float64)
    low, high = k.value(-745.0), k.value(745.0)
    for _ in k.steps(64):
        middle = (low + high) / 2
        kappa = k.exp(middle)
        # Where the difference of the functions cancels it is their asymptotic series.
        inverse = 1 / kappa
        series = inverse * (0.5 + inverse * (0.125 + inverse * (0.125 + inverse * (25 / 128 + inverse * (13 / 32)))))
        near = 1 - k.i1e(kappa) / k.i0e(kappa)
        less = k.where(kappa > 500, series, near) > lack
        low, high = k.where(less, middle, low), k.where(less, high, middle)
    # Beyond that a float64 does not tell one kappa from another.
    return k.where(lack < 5e-17, 1e16, k.where(lack >= 1, np.finfo(np.float64).tiny, k.exp((low + high) / 2)))


def _vonmises(distribution: Any, x: ndarray, held: Held) -> Held:
    """The mean direction does not depend on kappa; the scale of a circle is 1."""
    del distribution
    if "loc" in held:
        loc = held["loc"]
    else:
        # Half angles of the points from one of them: no digits are lost where all are near each other.
        origin = to_float(x[0])
        turned = x - origin
        loc = origin + to_float(cp.arctan2(cp.sin(turned).mean(), cp.cos(turned).mean()))
    kappa = held.get("kappa")
    if kappa is None:
        lack = 2 * (cp.sin((x - loc) / 2) ** 2).mean()
        kappa = to_float(_concentration(lack))
    loc = math.remainder(loc, 2 * math.pi)
    return {"kappa": kappa, "loc": math.pi if loc == -math.pi else loc, "scale": 1.0}


# ------------------------------------------------------------------------------------------ bounded intervals


def _arcsine(distribution: Any, x: ndarray, held: Held) -> Held:
    """The density has poles at its ends, so that the likelihood is greatest where they touch the data."""
    least, most = _ends(x)
    if "scale" in held and "loc" not in held:
        scale = held["scale"]
        touching = [{"loc": loc, "scale": scale} for loc in (_below(least), _above(most - scale))]
        found = better(distribution, x, *touching)
        return found if found is not None else touching[0]
    loc = held.get("loc", _below(least))
    scale = held.get("scale", _above(most - loc))
    while (most - loc) / scale >= 1 and "scale" not in held:
        scale = _above(scale)
    return {"loc": loc, "scale": scale}


def _loguniform(distribution: Any, x: ndarray, held: Held) -> Held | None:
    """With a location the ends are those of the data. Without one there is no greatest likelihood."""
    del distribution
    if "loc" not in held or "scale" not in held:
        return None
    least, most = _ends((x - held["loc"]) / held["scale"])
    a, b = held.get("a", least), held.get("b", most)
    return {"a": a, "b": b, **{name: held[name] for name in ("loc", "scale")}} if 0 < a < b else None


def _powerlaw(distribution: Any, x: ndarray, held: Held) -> Held | None:
    """With the lower end known: the upper end is the greatest element."""
    least, most = _ends(x)

    def at(loc: float) -> Held | None:
        scale = held.get("scale")
        if scale is None:
            scale = _above(most - loc)
            while (most - loc) / scale >= 1:
                scale = _above(scale)
        a = held.get("a")
        if a is None:
            total = to_float(cp.log((x - loc) / scale).mean())
            a = -1 / total if total < 0 else None
        return None if a is None else {"a": a, "loc": loc, "scale": scale}

    if "loc" in held:
        return at(held["loc"])
    # A density that falls is greatest with its pole at the least element; one that rises is sought from there.
    touching = at(_below(least))
    if touching is not None and touching["a"] < 1:
        return touching
    return None


# ------------------------------------------------------------------------------------------ Pareto's


def _pareto(distribution: Any, x: ndarray, held: Held) -> Held | None:
    least = to_float(x.min())
    if "loc" in held and "scale" in held and least - held["loc"] < held["scale"]:
        raise FitDataError("pareto", lower=1, upper=math.inf)

    def at(loc: float, scale: float) -> Held:
        b = held.get("b")
        if b is None:
            total = to_float(cp.log((x - loc) / scale).mean())
            b = 1 / total if total > 0 else math.inf
        return {"b": b, "loc": loc, "scale": scale}

    if "loc" in held:
        return at(held["loc"], held.get("scale", least - held["loc"]))
    if "scale" in held:
        return at(least - held["scale"], held["scale"])

    def slope(distance: float) -> float:
        """The slope of the likelihood along the location at a distance below the least element."""
        loc = least - distance
        b = at(loc, distance)["b"]
        return (b + 1) * to_float((1 / (x - loc)).mean()) - b / distance

    width = to_float(x.max()) - least
    if not width > 0:
        return None
    # Near the least element the likelihood has a pole; the maximum is where the slope changes its sign farther away.
    far = 1e6 * width
    near = far
    while slope(near) > 0 and near > 1e-12 * width:
        near /= 4
    if near == far or slope(near) > 0:
        return None
    distance = _root(lambda d: -slope(d), near, near * 4)
    return at(least - distance, distance)


def _truncpareto(distribution: Any, x: ndarray, held: Held) -> Held | None:
    """With the location known: both ends are those of the data, and the shape solves an equation of one sum."""
    del distribution
    if "loc" not in held:
        return None
    least, most = _ends(x - held["loc"])
    scale = held.get("scale", least)
    c = held.get("c", most / scale if scale > 0 else math.nan)
    if not (scale > 0 and c > 1 and least >= scale and most / scale <= c):
        return None
    b = held.get("b")
    if b is None:
        long, mean = math.log(c), to_float(cp.log((x - held["loc"]) / scale).mean())

        def excess(b: float) -> float:
            """The mean for a shape above that of the data: it falls with the shape."""
            power = b * long
            if abs(power) < 1e-4:
                return long * (0.5 - power / 12) - mean
            return 1 / b - (long / math.expm1(power) if power < 700 else 0.0) - mean

        if not 0 < mean < long:
            return None
        b = _root(excess, -1 / (long - mean) - 1, 1 / mean + 1)
    return {"b": b, "c": c, "loc": held["loc"], "scale": scale}


CLOSED: dict[str, Fit] = {
    "arcsine": _arcsine,
    "loguniform": _loguniform,
    "pareto": _pareto,
    "powerlaw": _powerlaw,
    "reciprocal": _loguniform,
    "truncpareto": _truncpareto,
    "vonmises": _vonmises,
}
