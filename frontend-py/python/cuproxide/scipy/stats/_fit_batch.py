"""Maximum likelihood for many samples at once: closed forms, roots of equations, one simplex search for each."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import to_float

_NEWTON = 60
_EVERY = 8  # Steps between two looks at whether a search has converged.


class FitResult:
    """Parameters of a distribution that were fitted to data.

    Attributes
    ----------
    params : namedtuple
        The shapes by name, `loc` and `scale`.
    success, message
        Whether the fit was made, and a word about it.
    """

    def __init__(self, dist: Any, data: ndarray, parameters: tuple[float, ...], message: str) -> None:
        self._dist, self._data = dist, data
        names = [name.strip() for name in (dist.shapes or "").split(",") if name.strip()]
        self.params = namedtuple("FitParams", [*names, "loc", "scale"])(*parameters)
        self.success, self.message = True, message

    def __repr__(self) -> str:
        return f"FitResult(params={self.params!r}, success={self.success!r}, message={self.message!r})"

    def nllf(self, params: Any = None, data: Any = None) -> ndarray:
        """The negative logarithm of the likelihood of data, those of the fit unless others are given."""
        x = self._data if data is None else data
        return -self._dist.logpdf(x, *(self.params if params is None else params)).sum()


def _newton(step: Callable[[ndarray, ndarray], tuple[ndarray, ndarray]], loc: ndarray, scale: ndarray) -> Any:
    """Newton's method for location and scale of each row, until no row moves; scales stay positive."""
    for i in range(_NEWTON):
        d_loc, d_scale = step(loc, scale)
        d_scale = cp.maximum(d_scale, -scale / 2)
        loc, scale = loc + d_loc, scale + d_scale
        if i % _EVERY == _EVERY - 1 and bool((abs(d_loc) + abs(d_scale) <= 1e-14 * scale).all()):
            break
    return loc, scale


def logistic(x: ndarray) -> tuple[ndarray, ndarray]:
    """Location and scale of logistic distributions, along the last axis."""
    n = x.shape[-1]

    def step(loc: ndarray, scale: ndarray) -> tuple[ndarray, ndarray]:
        t = (x - loc[..., None]) / scale[..., None]
        slope = cp.tanh(t / 2)
        curve = (1 - slope**2) / 2
        f, g = -slope.sum(axis=-1) / 2, n - (t * slope).sum(axis=-1)
        weight = slope + t * curve
        fa, fb = curve.sum(axis=-1) / 2, (curve * t).sum(axis=-1) / 2
        ga, gb = weight.sum(axis=-1), (weight * t).sum(axis=-1)
        determinant = fa * gb - fb * ga
        return -scale * (f * gb - fb * g) / determinant, -scale * (fa * g - f * ga) / determinant

    return _newton(step, x.mean(axis=-1), x.std(axis=-1, ddof=1) * (np.sqrt(3) / np.pi))


def gumbel(x: ndarray, left: bool) -> tuple[ndarray, ndarray]:
    """Location and scale of Gumbel's distributions, along the last axis."""
    y = -x if left else x
    mean, least = y.mean(axis=-1), y.min(axis=-1, keepdims=True)

    def step(loc: ndarray, scale: ndarray) -> tuple[ndarray, ndarray]:
        w = cp.exp((least - y) / scale[..., None])
        total = w.sum(axis=-1)
        weighted = (w * y).sum(axis=-1) / total
        spread = (w * (y - weighted[..., None]) ** 2).sum(axis=-1) / total
        return 0.0 * loc, -(scale - mean + weighted) / (1 + spread / scale**2)

    _, scale = _newton(step, mean, y.std(axis=-1) * (np.sqrt(6) / np.pi))
    w = cp.exp((least - y) / scale[..., None])
    loc = least[..., 0] - scale * cp.log(w.mean(axis=-1))
    return (-loc if left else loc), scale


def weibull(x: ndarray) -> tuple[float, float, float]:
    """Shape, location and scale of Weibull's distribution; `ValueError` where the likelihood has no inner maximum."""
    advice = (
        "Maximum likelihood estimation is known to be challenging for the three-parameter Weibull distribution. "
        "Consider performing a custom goodness-of-fit test using `scipy.stats.monte_carlo_test`."
    )
    least, most = to_float(x.min()), to_float(x.max())
    # The likelihood of each of many locations with its best shape; it grows without bound close to the least element.
    locations = least - (most - least) * np.logspace(-4, 3, 400)
    logs = cp.log(x - cp.asarray(locations)[:, None])
    top = logs.max(axis=1, keepdims=True)
    mean = (logs - top).mean(axis=1)
    shapes = 1.2 / cp.maximum(logs.std(axis=1), 1e-300)
    for _ in range(_NEWTON):
        w = cp.exp(shapes[:, None] * (logs - top))
        total = w.sum(axis=1)
        first = (w * (logs - top)).sum(axis=1) / total
        second = (w * (logs - top) ** 2).sum(axis=1) / total
        change = (first - 1 / shapes - mean) / (second - first**2 + 1 / shapes**2)
        shapes = shapes - cp.minimum(change, shapes / 2)
    spread = cp.log(cp.exp(shapes[:, None] * (logs - top)).mean(axis=1))
    likelihood = (cp.log(shapes) - spread + (shapes - 1) * mean - top[:, 0]).get()
    inner = np.flatnonzero((likelihood[1:-1] >= likelihood[:-2]) & (likelihood[1:-1] > likelihood[2:])) + 1
    shape = to_float(shapes[int(inner[np.argmax(likelihood[inner])])]) if inner.size else 0.0
    loc = locations[inner[np.argmax(likelihood[inner])]] if inner.size else least
    if np.allclose(loc, least) or shape < 1:
        raise ValueError(
            "Maximum likelihood estimation has converged to a solution in which the location is equal to the minimum "
            "of the data, the shape parameter is less than 2, or both. The table of critical values in [7] does not "
            "include this case. " + advice
        )

    def gradient(m: float, u: float) -> np.ndarray:
        y = x - u
        logs, power = cp.log(y), y**m
        total = power.sum()
        one = 1 / m - (power * logs).sum() / total + logs.mean()
        two = (m - 1) / m * (1 / y).sum() - x.size * (y ** (m - 1)).sum() / total
        return np.array(cp.stack([one, two]).tolist())

    at = np.array([shape, loc])
    for _ in range(_NEWTON):
        value = gradient(*at)
        sizes = 1e-6 * np.maximum(abs(at), 1e-3)
        columns = []
        for i in range(2):
            moved = at.copy()
            moved[i] -= sizes[i]
            columns.append((value - gradient(*moved)) / sizes[i])
        with np.errstate(all="ignore"):
            change = np.linalg.lstsq(np.array(columns).T, -value, rcond=None)[0]
        limit = 0.5 * (least - at[1])
        change *= min(1.0, 0.5 * at[0] / max(abs(change[0]), 1e-300), limit / max(change[1], 1e-300))
        at = at + change
        if not np.all(np.isfinite(at)):
            raise ValueError(
                "An error occurred while fitting the Weibull distribution to the data, so `anderson` cannot continue. "
                + advice
            )
        if np.all(abs(change) <= 1e-10 * np.maximum(abs(at), 1e-3)):
            break
    else:
        raise ValueError(
            "Solution of MLE first-order conditions failed: no convergence. `anderson` cannot continue. " + advice
        )
    m, u = (float(v) for v in at)
    return m, u, to_float(((x - u) ** m).mean()) ** (1 / m)


def fitted(dist: Any, data: ndarray, fixed: dict[str, Any], guessed: dict[str, Any]) -> list[Any]:
    """Shapes, location and scale of a family for samples along the last axis; those that are `fixed` stay."""
    shapes = [name.strip() for name in (dist.shapes or "").split(",") if name.strip()]
    names = [*shapes, "loc", "scale"]
    unknown = set(fixed) - set(names)
    if unknown:
        raise TypeError(f"Unknown arguments: {sorted(unknown)}.")
    if all(name in fixed for name in names):
        return [fixed[name] for name in names]
    loc, scale = fixed.get("loc"), fixed.get("scale")
    if dist.name == "norm":
        middle = data.mean(axis=-1) if loc is None else loc
        if scale is None:
            centre = middle[..., None] if isinstance(middle, ndarray) else middle
            scale = data.std(axis=-1, ddof=1) if loc is None else np.sqrt(((data - centre) ** 2).mean(axis=-1))
        return [middle, scale]
    if dist.name == "expon":
        low = data.min(axis=-1) if loc is None else loc
        return [low, data.mean(axis=-1) - low if scale is None else scale]
    if dist.name in ("gumbel_l", "gumbel_r", "logistic") and not fixed:
        return list(logistic(data) if dist.name == "logistic" else gumbel(data, dist.name == "gumbel_l"))
    if data.ndim == 1:
        options = {f"f{name}": value for name, value in fixed.items()}
        starts = [guessed[name] for name in shapes if name in guessed]
        more = {name: guessed[name] for name in ("loc", "scale") if name in guessed}
        return [float(v) for v in dist.fit(data, *starts, **more, **options)]
    return _simplexes(dist, data, names, fixed, guessed)


def _simplexes(dist: Any, data: ndarray, names: list[str], fixed: dict[str, Any], guessed: dict[str, Any]) -> list[Any]:
    """A simplex search (Nelder and Mead 1965) for each row of data, all in step."""
    lead, free = data.shape[:-1], [name for name in names if name not in fixed]
    rows = data.reshape(-1, data.shape[-1])
    # All rows begin at the fit of the first one.
    start = fitted(dist, rows[0], fixed, guessed)
    centre = np.array([float(v) for name, v in zip(names, start, strict=True) if name in free])
    k, count = len(free), rows.shape[0]

    def loss(points: ndarray) -> ndarray:
        """Of points of shape (rows, points, parameters)."""
        place = {name: points[..., i] for i, name in enumerate(free)}
        values = [place[name][..., None] if name in place else fixed[name] for name in names]
        total = -dist.logpdf(rows[:, None, :], *values).sum(axis=-1)
        return cp.where(cp.isnan(total) | (place.get("scale", cp.ones(total.shape)) <= 0), np.inf, total)

    corners = np.tile(centre, (k + 1, 1))
    for i in range(k):
        corners[i + 1, i] = centre[i] * 1.05 if centre[i] != 0 else 0.00025
    points = cp.broadcast_to(cp.asarray(corners), (count, k + 1, k)).copy()
    values = loss(points)
    for step in range(200 * k):
        order = cp.argsort(values, axis=1)
        values = cp.take_along_axis(values, order, axis=1)
        points = cp.take_along_axis(points, cp.broadcast_to(order[..., None], points.shape), axis=1)
        if step % _EVERY == 0:
            near = abs(points - points[:, :1]).max(axis=(1, 2)) <= 1e-6 * (1 + abs(points[:, 0]).max(axis=1))
            if bool(near.all()):
                break
        middle = points[:, :-1].mean(axis=1)
        away = middle - points[:, -1]
        tried = cp.stack([middle + c * away for c in (1.0, 2.0, 0.5, -0.5)], axis=1)
        at = loss(tried)
        reflected, expanded, outside, inside = (at[:, i] for i in range(4))
        worst, second, best = values[:, -1], values[:, -2], values[:, 0]
        which = cp.where(
            reflected < best,
            cp.where(expanded < reflected, 1, 0),
            cp.where(reflected < second, 0, cp.where(reflected < worst, 2, 3)),
        )
        shrink = ((which == 2) & (outside > reflected)) | ((which == 3) & (inside >= worst))
        picked = cp.take_along_axis(tried, cp.broadcast_to(which[:, None, None], (count, 1, k)), axis=1)
        moved = cp.concatenate([points[:, :-1], picked], axis=1)
        smaller = points[:, :1] + 0.5 * (points - points[:, :1])
        points = cp.where(shrink[:, None, None], smaller, moved)
        kept = cp.concatenate([values[:, :-1], cp.take_along_axis(at, which[:, None], axis=1)], axis=1)
        values = cp.where(shrink[:, None], loss(smaller), kept) if bool(shrink.any()) else kept
    best_point = points[:, 0]
    found = {name: best_point[:, i].reshape(lead) for i, name in enumerate(free)}
    return [found[name] if name in found else fixed[name] for name in names]
