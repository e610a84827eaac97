"""Fitting distributions to data: closed forms where there are some, else a simplex search on the likelihood."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_float
from . import _closed_fits
from ._common import quiet
from ._survival import CensoredData

__all__ = ["FitError"]

# Searches after the first one, and points that it begins from where there may be several maxima.
_MOST_SEARCHES, _MOST_STARTS = 5, 3


class FitError(RuntimeError):
    """A search for parameters failed."""

    def __init__(self, msg: str | None = None) -> None:
        super().__init__(msg or "An error occurred when fitting a distribution to data.")


def simplex(
    f: Callable[[np.ndarray], float], start: np.ndarray, most: int | None = None, tolerance: float = 1e-9
) -> np.ndarray:
    """The minimum of a function of a few numbers (Nelder and Mead 1965, coefficients by Gao and Han 2012).

    `most` is the greatest number of steps, by default 200 for each number.
    """
    n = len(start)
    most = 200 * n if most is None else most
    points = [np.array(start, float)]
    for i in range(n):
        moved = points[0].copy()
        moved[i] = moved[i] * 1.05 if moved[i] != 0 else 0.00025
        points.append(moved)
    values = [f(p) for p in points]
    grow, shrink, contract = 1 + 2 / n, 1 - 1 / max(n, 2), 0.75 - 1 / (2 * n)
    for _ in range(most):
        order = np.argsort(values, kind="stable")
        points, values = [points[i] for i in order], [values[i] for i in order]
        spread = max(float(np.max(abs(p - points[0]))) for p in points[1:])
        scale = max(1.0, float(np.max(abs(points[0]))))
        if spread <= tolerance * scale and abs(values[-1] - values[0]) <= tolerance * max(1.0, abs(values[0])):
            break
        centre = np.mean(points[:-1], axis=0)
        reflected = centre + (centre - points[-1])
        at_reflected = f(reflected)
        if at_reflected < values[0]:
            expanded = centre + grow * (centre - points[-1])
            at_expanded = f(expanded)
            points[-1], values[-1] = (
                (expanded, at_expanded) if at_expanded < at_reflected else (reflected, at_reflected)
            )
        elif at_reflected < values[-2]:
            points[-1], values[-1] = reflected, at_reflected
        else:
            outside = at_reflected < values[-1]
            tried = centre + contract * ((reflected if outside else points[-1]) - centre)
            at_tried = f(tried)
            if at_tried < min(at_reflected, values[-1]):
                points[-1], values[-1] = tried, at_tried
            else:
                points = [points[0], *(points[0] + shrink * (p - points[0]) for p in points[1:])]
                values = [values[0], *(f(p) for p in points[1:])]
    best = int(np.argmin(values))
    return points[best]


def _fixed(distribution: Any, kwds: dict[str, Any]) -> dict[str, float]:
    """Parameters that keywords hold: `f0`, `fa`, `fix_a`, `floc`, `fscale`."""
    names = distribution._names
    held: dict[str, float] = {}
    for i, name in enumerate(names):
        given = [key for key in (f"f{i}", f"f{name}", f"fix_{name}") if key in kwds]
        if len(given) > 1:
            raise ValueError(
                f"fit method got multiple keyword arguments to specify the same fixed parameter: {', '.join(given)}"
            )
        if given:
            held[name] = float(kwds.pop(given[0]))
    for name in ("loc", "scale"):
        if "f" + name in kwds:
            value = kwds.pop("f" + name)
            if value is not None:
                held[name] = float(value)
    return held


def fit(distribution: Any, data: Any, args: tuple[Any, ...], kwds: dict[str, Any]) -> tuple[float, ...]:
    """Shapes, location and scale of a continuous distribution for data."""
    kwds = dict(kwds)
    method = kwds.pop("method", "mle").lower()
    if method not in ("mle", "mm"):
        raise ValueError("Method 'mle' or 'mm' required; got " + repr(method))
    censored = isinstance(data, CensoredData) and data.num_censored() > 0
    if isinstance(data, CensoredData) and method == "mm":
        raise ValueError('For censored data, the method must be "MLE".')
    x = data._uncensor() if isinstance(data, CensoredData) else as_device(data).astype(np.float64).ravel()
    if len(args) > distribution.numargs:
        raise TypeError("Too many input arguments.")
    if not bool(cp.isfinite(x).all()):
        raise ValueError("The data contains non-finite values.")
    names = distribution._parameters
    held = _fixed(distribution, kwds)
    optimizer = kwds.pop("optimizer", None)
    guesses = {name: float(kwds.pop(name)) for name in names if name in kwds}
    if kwds:
        raise TypeError(f"Unknown arguments: {kwds}.")
    own: str | None = getattr(distribution, "name", None) if distribution._is_row else None
    if own in _closed_fits.HELD_SCALE:
        held.setdefault("scale", _closed_fits.HELD_SCALE[own])
    if len(held) == len(names):
        error = RuntimeError if own in _closed_fits.ALL_FIXED_IS_RUNTIME_ERROR else ValueError
        raise error("All parameters fixed. There is nothing to optimize.")
    if own is not None and not censored:
        _closed_fits.check(distribution, x, held)
    closed = getattr(distribution, "closed_fit", None)
    if closed is not None and not censored and method == "mle" and not distribution._names:
        found = type(distribution).closed_fit(x, held.get("loc"), held.get("scale"))
        if found is not None:
            return tuple(float(v) for v in found)
    if own in _closed_fits.CLOSED and not censored and method == "mle":
        best = _closed_fits.CLOSED[own](distribution, x, held)
        if best is not None:
            return tuple(float(best[name]) for name in names)
    unit = 1.0
    if "scale" not in held and not censored:
        # A power of two: the same digits, at the size that the search's steps suit.
        size = to_float(abs(x).max())
        unit = 2.0 ** math.frexp(size)[1] if 0 < size < np.inf and not 1e-3 < size < 1e3 else 1.0
    x = x / unit
    for given in (held, guesses):
        given.update({name: given[name] / unit for name in ("loc", "scale") if name in given})
    start = _start(distribution, x, args, guesses, held)
    starts = [start]
    if own in _closed_fits.STARTS and not args and not any(name in distribution._names for name in (*guesses, *held)):
        tried = [_start(distribution, x, shapes, guesses, held) for shapes in _closed_fits.STARTS[own]]
        starts = _closed_fits.by_likelihood(distribution, x, [start, *tried])[:_MOST_STARTS]
    free = [name for name in names if name not in held]

    def full(theta: np.ndarray) -> list[float]:
        values = dict(held)
        values.update(zip(free, theta.tolist(), strict=True))
        return [values[name] for name in names]

    if method == "mm":
        orders = range(1, len(free) + 1)
        wanted = [to_float((x**order).mean()) for order in orders]

        def objective(theta: np.ndarray) -> float:
            values = full(theta)
            with quiet():
                found = [
                    to_float(distribution.moment(order, *values[:-2], loc=values[-2], scale=values[-1]))
                    for order in orders
                ]
            error = sum(((a - b) / max(abs(b), 1e-8)) ** 2 for a, b in zip(found, wanted, strict=True))
            return error if np.isfinite(error) else np.inf
    else:

        def objective(theta: np.ndarray) -> float:
            # One number is read a step.
            with quiet():
                value = distribution._penalized_nnlf(full(theta), data if censored else x)
            value = to_float(value)
            return value if np.isfinite(value) else np.inf

    firsts = [np.array([start[name] for name in free]) for start in starts]
    if optimizer is not None and not isinstance(optimizer, str):
        best = np.atleast_1d(optimizer(objective, firsts[0], args=(), disp=0))
    else:
        best = min((simplex(objective, first) for first in firsts), key=objective)
        # A search from where the one before ended finds out of a collapsed simplex.
        value = objective(best)
        for _ in range(_MOST_SEARCHES):
            before, best = value, simplex(objective, best)
            value = objective(best)
            if not value < before - 1e-7 * max(1.0, abs(before)):
                break
    if not np.isfinite(objective(best)):
        raise FitError("Optimization converged to parameters that are outside the range allowed by the distribution.")
    *shapes, loc, scale = full(best)
    return (*shapes, loc * unit, scale * unit)


def _start(
    distribution: Any, x: ndarray, args: tuple[Any, ...], guesses: dict[str, float], held: dict[str, float]
) -> dict[str, float]:
    names = distribution._names
    shapes = dict(zip(names, (float(a) for a in args), strict=False))
    shapes |= {k: v for k, v in {**guesses, **held}.items() if k in names}
    defaults = distribution._fitstart(x) if len(shapes) < len(names) else None
    full = [shapes.get(name, float(defaults[i]) if defaults is not None else 1.0) for i, name in enumerate(names)]
    loc, scale = distribution._fit_loc_scale_support(x, *full)
    start = dict(zip(names, full, strict=True))
    start["loc"] = held.get("loc", guesses.get("loc", loc))
    scale = scale if np.isfinite(scale) and scale > 0 else float(x.std()) or 1.0
    start["scale"] = held.get("scale", guesses.get("scale", scale))
    return start
