"""Nonlinear least squares with bounds and robust losses."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_host
from ..._lib.lending import shielded, shielded_if
from ._differences import as_values, differences
from ._least_squares_sparse import Normal, Pattern
from ._levenberg import levenberg_marquardt
from ._results import Callback, OptimizeResult

__all__ = ["least_squares"]

EPS = float(np.finfo(float).eps)
MESSAGES = {
    -2: "Stopped because `callback` function raised `StopIteration` or returned `True`",
    -1: "Improper input parameters status returned from `leastsq`",
    0: "The maximum number of function evaluations is exceeded.",
    1: "`gtol` termination condition is satisfied.",
    2: "`ftol` termination condition is satisfied.",
    3: "`xtol` termination condition is satisfied.",
    4: "Both `ftol` and `xtol` termination conditions are satisfied.",
}


def _losses(name: Any, scale: float) -> Callable[[ndarray], tuple[ndarray, ndarray, ndarray]] | None:
    """The loss of squared residuals with two derivatives."""
    if callable(name):

        def given(f: ndarray) -> tuple[ndarray, ndarray, ndarray]:
            rho = as_device(name((f / scale) ** 2))
            if rho.shape != (3, f.size):
                raise ValueError("The return value of `loss` callable has wrong shape.")
            return rho[0] * scale**2, rho[1], rho[2] / scale**2

        return given
    if name == "linear":
        return None

    def loss(f: ndarray) -> tuple[ndarray, ndarray, ndarray]:
        z = (f / scale) ** 2
        if name == "huber":
            inner = z <= 1
            safe = cp.where(inner, 1.0, z)
            rho = (
                cp.where(inner, z, 2 * cp.sqrt(safe) - 1),
                cp.where(inner, 1.0, safe**-0.5),
                cp.where(inner, 0.0, -0.5 * safe**-1.5),
            )
        elif name == "soft_l1":
            t = 1 + z
            rho = 2 * (cp.sqrt(t) - 1), t**-0.5, -0.5 * t**-1.5
        elif name == "cauchy":
            t = 1 + z
            rho = cp.log1p(z), 1 / t, -1 / t**2
        else:
            t = 1 + z**2
            rho = cp.arctan(z), 1 / t, -2 * z / t**2
        return rho[0] * scale**2, rho[1], rho[2] / scale**2

    return loss


class Residuals:
    """The residuals with their Jacobian; counts the calls."""

    def __init__(
        self, fun: Any, jac: Any, args: Any, kwargs: Any, loss: Any, relative: Any, bounds: Any, workers: Any = None
    ) -> None:
        self.given, self.jac, self.args, self.kwargs = shielded(fun), shielded_if(jac), args, kwargs
        self.loss, self.relative, self.bounds = loss, relative, bounds
        self.map = workers if callable(workers) else map
        self.nfev = self.njev = 0
        self.count_differences = False
        self.pattern: Pattern | None = None
        self.keeps_sparse = False

    def values(self, x: ndarray) -> ndarray:
        return cp.atleast_1d(as_values(self.given(x, *self.args, **self.kwargs)))

    def __call__(self, x: ndarray) -> ndarray:
        self.nfev += 1
        return self.values(x)

    def cost(self, f: ndarray) -> ndarray:
        """Half the sum of the loss, which is not read."""
        return 0.5 * cp.sum(f * f) if self.loss is None else 0.5 * cp.sum(self.loss(f)[0])

    def jacobian(self, x: ndarray, f: ndarray) -> Any:
        self.njev += 1
        if callable(self.jac):
            found = self.jac(x, *self.args, **self.kwargs)
            if hasattr(found, "toarray"):
                if self.keeps_sparse:
                    return cp.scipy.sparse.csr_array(found).astype(x.dtype)
                found = found.toarray()
            if isinstance(found, (list, tuple)):
                found = cp.stack([as_values(row) for row in found])
            found = cp.atleast_2d(as_device(found))
        elif self.pattern is not None:
            return self.pattern.differences(self.values, x, f, self.jac, self.relative, self.bounds, self.map)
        else:
            found = differences(self.values, x, f, self.jac, self.relative, None, self.bounds, self.map)
        return found if found.dtype.kind == "f" else found.astype(np.float64)

    def weighed(self, f: ndarray, j: Any) -> tuple[ndarray, Any]:
        """Residuals and Jacobian of the linear problem that the loss makes (Triggs)."""
        if self.loss is None:
            return f, j
        _, first, second = self.loss(f)
        scale = cp.sqrt(cp.maximum(first + 2 * second * f**2, EPS))
        weighed = cp.scipy.sparse.diags_array(scale) @ j if hasattr(j, "tocsr") else j * scale[:, None]
        return f * first / scale, weighed


def _within(uf: Any, s: Any, v: Any, radius: float, alpha: float = 0.0) -> tuple[Any, float]:
    """The minimum of a linear least squares problem in a ball, from its singular values, on the host."""
    su = s * uf
    if s.size and s[-1] > EPS * max(len(uf), 1) * s[0]:
        p = -v @ (uf / s)
        if np.linalg.norm(p) <= radius:
            return p, 0.0
        low = None
    else:
        low = 0.0
    high = float(np.linalg.norm(su)) / radius
    if high == 0:
        return np.zeros(v.shape[0]), 0.0
    if low is None:
        norm = float(np.linalg.norm(su / s**2))
        low = -(norm - radius) / (-float(np.sum(su**2 / s**6)) / norm)
    alpha = alpha if low < alpha < high else max(0.001 * high, math.sqrt(low * high) if low > 0 else 0.0)
    for _ in range(30):
        if not low <= alpha <= high:
            alpha = max(0.001 * high, math.sqrt(max(low, 0.0) * high))
        bottom = s**2 + alpha
        norm = float(np.linalg.norm(su / bottom))
        phi = norm - radius
        slope = -float(np.sum(su**2 / bottom**3)) / norm
        if phi < 0:
            high = alpha
        ratio = phi / slope
        low = max(low, alpha - ratio)
        alpha -= (phi + radius) * ratio / radius
        if abs(phi) < 0.001 * radius:
            break
    alpha = max(alpha, 0.0)
    p = -v @ (su / (s**2 + alpha))
    length = float(np.linalg.norm(p))
    return (p * (radius / length) if length else p), alpha


def _stop(change: float, cost: float, step: float, size: float, ratio: float, ftol: float, xtol: float) -> int | None:
    by_f = change < ftol * cost and ratio > 0.25
    by_x = step < xtol * (xtol + size)
    return 4 if by_f and by_x else 2 if by_f else 3 if by_x else None


class _Search:
    """What both methods share: the point on device and host, the values there, the end of the iterations."""

    def __init__(
        self, residuals: Residuals, x: ndarray, f: ndarray, low: Any, high: Any, ftol: float, xtol: float, gtol: float,
        most: int, scale: Any, told: Callback, verbose: int,
    ) -> None:  # fmt: skip
        self.residuals, self.x, self.f = residuals, x, f
        self.low, self.high = low, high
        self.ftol, self.xtol, self.gtol, self.most = ftol, xtol, gtol, most
        self.by_jac = isinstance(scale, str)
        self.scale, self.told, self.verbose = scale, told, verbose
        self.point = to_host(x).astype(float)
        self.norms: Any = None
        self.iterations = 0
        self.options: dict[str, Any] = {}
        self.by_lsmr = False

    def linearise(self) -> None:
        """The Jacobian here; the gradient, the cost and the scales are read together."""
        self.j = self.residuals.jacobian(self.x, self.f)
        if self.j.shape != (self.f.size, self.x.size):
            raise ValueError(
                f"The return value of `jac` has wrong shape: expected {(self.f.size, self.x.size)}, "
                f"actual {self.j.shape}."
            )
        self.fw, self.jw = self.residuals.weighed(self.f, self.j)
        self.is_sparse = hasattr(self.jw, "tocsr")
        squares = (self.jw.multiply(self.jw) if self.is_sparse else self.jw**2).sum(axis=0)
        parts = [self.jw.T @ self.fw, cp.sqrt(squares), self.residuals.cost(self.f).reshape(1)]
        read = to_host(cp.concatenate(parts)).astype(float)
        n = self.x.size
        self.g, norms, self.value = read[:n], read[n : 2 * n], float(read[2 * n])
        if self.by_jac:
            self.norms = np.where(norms == 0, 1.0, norms) if self.norms is None else np.maximum(self.norms, norms)
            self.x_scale = 1 / self.norms
        else:
            self.x_scale = self.scale

    def decompose(self, j: ndarray, f: ndarray) -> tuple[Any, Any, Any]:
        """Singular values and the coordinates of the residuals, read together."""
        u, s, vt = cp.linalg.svd(j, full_matrices=False)
        k, n = s.size, j.shape[1]
        read = to_host(cp.concatenate([u.T @ f, s, vt.reshape(-1)])).astype(float)
        return read[:k], read[k : 2 * k], read[2 * k :].reshape(k, n).T

    def iterated(self, j: ndarray, f: ndarray, scale: Any) -> tuple[Any, Any]:
        """The step of Gauss and Newton by `lsmr` in scaled variables, and the Gram matrix of the Jacobian."""
        scaled = j * cp.asarray(scale, dtype=j.dtype)
        step = cp.scipy.sparse.linalg.lsmr(scaled, f, **self.options)[0]
        read = to_host(cp.concatenate([step, (j.T @ j).reshape(-1)])).astype(float)
        n = j.shape[1]
        return -read[:n] * scale, read[n:].reshape(n, n)

    def attempt(self, step: Any) -> tuple[ndarray, Any, ndarray, float]:
        point = np.clip(self.point + step, self.low, self.high)
        x = cp.asarray(point, dtype=self.x.dtype)
        f = self.residuals(x)
        return x, point, f, float(self.residuals.cost(f))

    def result(self, status: int | None, mask: Any, optimality: float) -> OptimizeResult:
        status = 0 if status is None else status
        return OptimizeResult(
            message=MESSAGES[status],
            success=status > 0,
            status=status,
            fun=self.f,
            x=self.x,
            cost=self.value,
            jac=self.j,
            grad=cp.asarray(self.g),
            optimality=optimality,
            active_mask=cp.asarray(mask),
            nfev=self.residuals.nfev,
            njev=self.residuals.njev,
        )

    def tell(self) -> bool:
        self.iterations += 1
        if self.verbose == 2:
            print(f"{self.iterations:^15}{self.residuals.nfev:^15}{self.value:^15.4e}")
        return self.told(self.x, self.value, nit=self.iterations, nfev=self.residuals.nfev, cost=self.value)


def _radius(radius: float, actual: float, predicted: float, length: float, at_bound: bool) -> tuple[float, float]:
    ratio = actual / predicted if predicted > 0 else 1.0 if predicted == actual == 0 else 0.0
    if ratio < 0.25:
        return 0.25 * length, ratio
    return (2 * radius if ratio > 0.75 and at_bound else radius), ratio


def _coleman_li(x: Any, g: Any, low: Any, high: Any) -> tuple[Any, Any]:
    """Distances to the bounds that the gradient points to, and their derivatives."""
    v, dv = np.ones_like(x), np.zeros_like(x)
    up, down = (g < 0) & np.isfinite(high), (g > 0) & np.isfinite(low)
    v[up], dv[up] = (high - x)[up], -1
    v[down], dv[down] = (x - low)[down], 1
    return v, dv


def _to_bound(x: Any, s: Any, low: Any, high: Any) -> tuple[float, Any]:
    """How far a step goes to the first bound, and which bounds it hits there."""
    moving = s != 0
    steps = np.full_like(x, np.inf)
    with np.errstate(over="ignore", invalid="ignore"):
        steps[moving] = np.maximum((low - x)[moving] / s[moving], (high - x)[moving] / s[moving])
    least = float(np.min(steps)) if steps.size else math.inf
    return least, (steps == least) * np.sign(s).astype(int)


def _inside(x: Any, low: Any, high: Any, step: float = 1e-10) -> Any:
    """A point moved off the bounds."""
    new = x.copy()
    # Infinite bounds are never near: infinity times the step would say so.
    margins = (step * np.maximum(1, np.where(np.isfinite(bound), abs(bound), 0)) for bound in (low, high))
    at_low, at_high = (gap <= margin for gap, margin in zip((x - low, high - x), margins, strict=True))
    with np.errstate(invalid="ignore"):
        if step == 0:
            at_low, at_high = x <= low, x >= high
            new[at_low], new[at_high] = np.nextafter(low, high)[at_low], np.nextafter(high, low)[at_high]
        else:
            new[at_low] = (low + step * np.maximum(1, abs(low)))[at_low]
            new[at_high] = (high - step * np.maximum(1, abs(high)))[at_high]
    tight = (new < low) | (new > high)
    new[tight] = 0.5 * (low[tight] + high[tight])
    return new


def _quadratic(gram: Any, g: Any, s: Any) -> float:
    return float(0.5 * s @ (gram @ s) + g @ s)


def _trf(search: _Search) -> OptimizeResult:
    """The trust-region reflective method (Branch, Coleman, Li, 1999); without bounds a plain region of trust."""
    low, high = search.low, search.high
    bounded = bool(np.any(np.isfinite(low) | np.isfinite(high)))
    search.linearise()
    alpha, radius, status = 0.0, None, None
    while True:
        x, g = search.point, search.g
        if bounded:
            v, dv = _coleman_li(x, g, low, high)
        else:
            v, dv = np.ones_like(x), np.zeros_like(x)
        optimality = float(np.max(np.abs(g * v))) if x.size else 0.0
        if optimality < search.gtol:
            status = 1
        if status is not None or search.residuals.nfev >= search.most:
            break
        scale = search.x_scale
        if bounded:
            v = np.where(dv != 0, v / scale, v)
            d = np.sqrt(v) * scale
        else:
            d = scale * np.ones_like(x)
        if radius is None:
            radius = float(np.linalg.norm(x / d)) or 1.0
        extra = g * dv * scale
        gh = d * g
        if not math.isfinite(optimality):
            break
        if search.is_sparse:
            gram: Any = Normal(search.jw, d, np.maximum(extra, 0) if bounded else np.zeros_like(x))
            uf, s, vectors = gram.plane(search.fw, gh, radius, search.options)
        else:
            jh = search.jw * cp.asarray(d, dtype=search.jw.dtype)
            f = search.fw
            if bounded:
                jh = cp.concatenate([jh, cp.diag(cp.asarray(np.sqrt(np.maximum(extra, 0)), dtype=jh.dtype))])
                f = cp.concatenate([f, cp.zeros(x.size, f.dtype)])
            uf, s, vectors = search.decompose(jh, f)
            gram = (vectors * s**2) @ vectors.T
        theta = max(0.995, 1 - optimality)
        actual = -1.0
        while actual <= 0 and search.residuals.nfev < search.most:
            p, alpha = _within(uf, s, vectors, radius, alpha)
            if bounded:
                step, step_h, predicted = _select(x, d, p, gram, gh, radius, low, high, theta)
            else:
                step, step_h, predicted = d * p, p, -_quadratic(gram, gh, p)
            if bounded:
                point = _inside(np.clip(x + step, low, high), low, high, 0)
                x_new = cp.asarray(point, dtype=search.x.dtype)
                f_new = search.residuals(x_new)
                value = float(search.residuals.cost(f_new))
            else:
                x_new, point, f_new, value = search.attempt(step)
            length = float(np.linalg.norm(step_h))
            if not math.isfinite(value):
                radius = 0.25 * length
                if radius < 1e-300:
                    break
                continue
            actual = search.value - value
            old = radius
            radius, ratio = _radius(radius, actual, predicted, length, length > 0.95 * radius)
            status = _stop(
                actual,
                search.value,
                float(np.linalg.norm(step)),
                float(np.linalg.norm(x)),
                ratio,
                search.ftol,
                search.xtol,
            )
            if status is not None:
                break
            alpha *= old / radius if radius else 1.0
        if actual > 0:
            search.x, search.point, search.f = x_new, point, f_new
            search.linearise()
            if search.tell():
                status = -2
                break
        elif status is None:
            break
    x = search.point
    mask = np.zeros(x.size, int)
    if bounded:
        mask = _active(x, low, high, search.xtol)
    v, _ = _coleman_li(x, search.g, low, high) if bounded else (np.ones_like(x), None)
    return search.result(status, mask, float(np.max(np.abs(search.g * v))) if x.size else 0.0)


def _active(x: Any, low: Any, high: Any, rtol: float) -> Any:
    mask = np.zeros(x.size, int)
    if rtol == 0:
        mask[x <= low], mask[x >= high] = -1, 1
        return mask
    below, above = x - low, high - x
    with np.errstate(invalid="ignore"):
        mask[np.isfinite(low) & (below <= np.minimum(above, rtol * np.maximum(1, abs(low))))] = -1
        mask[np.isfinite(high) & (above <= np.minimum(below, rtol * np.maximum(1, abs(high))))] = 1
    return mask


def _select(
    x: Any, d: Any, ph: Any, gram: Any, gh: Any, radius: float, low: Any, high: Any, theta: float
) -> tuple[Any, Any, float]:
    """The best of the step shortened at the bounds, the one reflected there, and the gradient's."""
    p = d * ph
    if np.all((x + p >= low) & (x + p <= high)):
        return p, ph, -_quadratic(gram, gh, ph)
    reach, hits = _to_bound(x, p, low, high)
    candidates = [theta * reach * ph]
    # Reflected: on from the bound with the sign of what hit it turned.
    start = reach * ph
    turned = np.where(hits != 0, -ph, ph)
    to_edge = _along(start, turned, radius)
    further, _ = _to_bound(x + d * start, d * turned, low, high)
    longest = min(to_edge, theta * further)
    if longest > 0:
        least = (1 - theta) * reach / longest if longest else 0.0
        a = 0.5 * float(turned @ (gram @ turned))
        b = float((gh + gram @ start) @ turned)
        t = _line_minimum(a, b, min(least, longest), longest)
        candidates.append(start + t * turned)
    # Down the gradient.
    down = -gh
    norm = float(np.linalg.norm(down))
    if norm:
        edge = radius / norm
        bound, _ = _to_bound(x, d * down, low, high)
        t = _line_minimum(0.5 * float(down @ (gram @ down)), float(gh @ down), 0.0, min(edge, theta * bound))
        candidates.append(t * down)
    values = [_quadratic(gram, gh, c) for c in candidates]
    best = int(np.argmin(values))
    return d * candidates[best], candidates[best], -values[best]


def _along(start: Any, direction: Any, radius: float) -> float:
    a, b, c = float(direction @ direction), float(start @ direction), float(start @ start) - radius**2
    if a == 0 or c > 0:
        return 0.0
    return (-b + math.sqrt(max(0.0, b * b - a * c))) / a


def _line_minimum(a: float, b: float, low: float, high: float) -> float:
    ends = [low, high]
    if a > 0 and low < -b / (2 * a) < high:
        ends.append(-b / (2 * a))
    return min(ends, key=lambda t: a * t * t + b * t)


def _dogbox(search: _Search) -> OptimizeResult:
    """Dogleg steps in a box that is both region of trust and bounds (Voglis and Lagaris, 2004)."""
    low, high = search.low, search.high
    search.linearise()
    radius, status = None, None
    on = np.zeros(search.point.size, int)
    on[search.point == low], on[search.point == high] = -1, 1
    while True:
        x, g = search.point, search.g
        held = on * g < 0
        free = ~held
        optimality = float(np.max(np.abs(g[free]))) if np.any(free) else 0.0
        if optimality < search.gtol:
            status = 1
        if status is not None or search.residuals.nfev >= search.most or not math.isfinite(optimality):
            break
        scale = 1 / search.x_scale * np.ones_like(x)
        if radius is None:
            radius = float(np.max(np.abs(x * scale))) or 1.0
        which = cp.asarray(np.flatnonzero(free))
        jf = search.jw[:, which]
        if search.by_lsmr:
            newton, gram = search.iterated(jf, search.fw, 1 / scale[free])
        else:
            uf, s, vectors = search.decompose(jf, search.fw)
            keep = s > EPS * max(search.jw.shape) * (s[0] if s.size else 0.0)
            newton = -(vectors[:, keep] @ (uf[keep] / s[keep]))
            gram = (vectors * s**2) @ vectors.T
        gf, xf = g[free], x[free]
        bottom = float(gf @ gram @ gf)
        actual = -1.0
        while actual <= 0 and search.residuals.nfev < search.most:
            box = radius / scale[free]
            lower, upper = np.maximum(low[free] - xf, -box), np.minimum(high[free] - xf, box)
            step_free = _dogleg_in_box(newton, gf, bottom, lower, upper)
            predicted = -_quadratic(gram, gf, step_free)
            step = np.zeros_like(x)
            step[free] = step_free
            x_new, point, f_new, value = search.attempt(step)
            length = float(np.max(np.abs(step * scale)))
            if not math.isfinite(value):
                radius = 0.25 * length
                if radius < 1e-300:
                    break
                continue
            actual = search.value - value
            touched = bool(np.any(np.abs(step_free) >= box * (1 - 1e-12)))
            radius, ratio = _radius(radius, actual, predicted, length, touched)
            status = _stop(
                actual,
                search.value,
                float(np.linalg.norm(step)),
                float(np.linalg.norm(x)),
                ratio,
                search.ftol,
                search.xtol,
            )
            if status is not None:
                break
        if actual > 0:
            on = np.zeros(x.size, int)
            on[point <= low], on[point >= high] = -1, 1
            search.x, search.point, search.f = x_new, point, f_new
            search.linearise()
            if search.tell():
                status = -2
                break
        elif status is None:
            break
    free = ~(on * search.g < 0)
    optimality = float(np.max(np.abs(search.g[free]))) if np.any(free) else 0.0
    return search.result(status, on, optimality)


def _dogleg_in_box(newton: Any, g: Any, bottom: float, lower: Any, upper: Any) -> Any:
    if np.all((newton >= lower) & (newton <= upper)):
        return newton
    zero = np.zeros_like(g)
    reach, _ = _to_bound(zero, -g, lower, upper)
    cauchy = -g * min(float(g @ g) / bottom if bottom > 0 else math.inf, reach)
    rest = newton - cauchy
    reach, _ = _to_bound(cauchy, rest, lower, upper)
    return np.clip(cauchy + min(max(reach, 0.0), 1.0) * rest, lower, upper)


def _check_bounds(bounds: Any, n: int) -> tuple[Any, Any]:
    if hasattr(bounds, "lb"):
        low, high = to_host(bounds.lb), to_host(bounds.ub)
    elif isinstance(bounds, (tuple, list)) and len(bounds) == 2:
        low, high = (to_host(v) for v in bounds)
    else:
        raise ValueError("`bounds` must contain 2 elements.")
    try:
        low, high = (np.broadcast_to(v.astype(float), (n,)).copy() for v in (low, high))
        return low, high
    except ValueError as error:
        raise ValueError("Inconsistent shapes between bounds and `x0`.") from error


def least_squares(
    fun: Callable[..., Any], x0: Any, jac: Any = "2-point", bounds: Any = (-np.inf, np.inf), method: str = "trf",
    ftol: float | None = 1e-8, xtol: float | None = 1e-8, gtol: float | None = 1e-8, x_scale: Any = None,
    loss: Any = "linear", f_scale: float = 1.0, diff_step: Any = None, tr_solver: Any = None, tr_options: Any = None,
    jac_sparsity: Any = None, max_nfev: int | None = None, verbose: int = 0, args: Any = (), kwargs: Any = None,
    callback: Any = None, workers: Any = None, *, batch: bool = False,
) -> OptimizeResult:  # fmt: skip
    """A minimum of a sum of squares, or of a robust loss of them, of a function's values.

    Residuals, Jacobians and decompositions are on the device. The host reads what has the size of the parameters,
    once for a
    Jacobian, and a number for each attempted step.

    Parameters
    ----------
    fun : callable
        `fun(x, *args, **kwargs)`: the residuals, of shape `(m,)`.
    x0 : array_like
        Where to begin, of shape `(n,)`; with `batch` of shape `(problems, n)`.
    jac : {'2-point', '3-point', 'cs'} or callable, optional
        The Jacobian, of shape `(m, n)`.
    bounds : pair of array_like, or Bounds, optional
        Lower and upper bounds.
    method : {'trf', 'dogbox', 'lm'}, optional
        The trust-region reflective method, dogleg steps in boxes, or Levenberg and Marquardt's method without bounds.
    ftol, xtol, gtol : float or None, optional
        The tolerances of the cost, of the parameters and of the gradient.
    x_scale : array_like or 'jac', optional
        Sizes of the parameters.
    loss : str or callable, optional
        'linear', 'soft_l1', 'huber', 'cauchy' or 'arctan'; or what returns the loss with two derivatives.
    f_scale : float, optional
        Which residuals are large.
    diff_step : array_like, optional
        The relative steps of the differences.
    tr_solver : {None, 'exact', 'lsmr'}, optional
        'exact' makes sparse Jacobians dense. Without it 'trf' keeps them sparse, with steps by `lsmr`; dense ones are
        decomposed in any case.
    tr_options : dict, optional
        `regularize` and the options of `lsmr`.
    jac_sparsity : array_like or sparse matrix of shape (m, n), optional
        Where the Jacobian may differ from zero: differences move groups of variables together.
    max_nfev : int, optional
        The most evaluations.
    args, kwargs : optional
        Further arguments.
    workers : map-like, optional
        What evaluates the differences.
    batch : bool, optional
        Not in SciPy. Whether the rows of `x0` are independent problems that advance together, by Levenberg and
        Marquardt's
        method with steps that are projected to the bounds: `fun` gets an array of shape `(problems, n)` and returns
        one of
        shape `(problems, m)`, `jac` one of shape `(problems, m, n)`; the results have a leading axis.

    Returns
    -------
    OptimizeResult
        With `x`, `cost`, `fun`, `jac`, `grad`, `optimality`, `active_mask`, `nfev`, `njev`, `status`, `message`,
        `success`.

    Raises
    ------
    ValueError
        If an argument is of the wrong kind, the start is not within the bounds, or residuals are not finite there.

    >>> res = optimize.least_squares(lambda x: cp.stack([10 * (x[1] - x[0] ** 2), 1 - x[0]]), [2.0, 2.0])
    >>> res.x.round(5)
    array([1., 1.])
    """
    if method not in ("trf", "dogbox", "lm"):
        raise ValueError("`method` must be 'trf', 'dogbox' or 'lm'.")
    if not callable(jac) and jac not in ("2-point", "3-point", "cs"):
        raise ValueError("`jac` must be '2-point', '3-point', 'cs' or callable.")
    if tr_solver not in (None, "exact", "lsmr"):
        raise ValueError("`tr_solver` must be None, 'exact' or 'lsmr'.")
    if not callable(loss) and loss not in ("linear", "huber", "soft_l1", "cauchy", "arctan"):
        raise ValueError("`loss` must be one of ['linear', 'huber', 'soft_l1', 'cauchy', 'arctan'] or a callable.")
    if method == "lm" and loss != "linear":
        raise ValueError("method='lm' supports only 'linear' loss function.")
    if verbose not in (0, 1, 2):
        raise ValueError("`verbose` must be in [0, 1, 2].")
    if max_nfev is not None and max_nfev <= 0:
        raise ValueError("`max_nfev` must be None or positive integer.")
    start = cp.atleast_1d(as_device(x0))
    if start.dtype.kind == "c":
        raise ValueError("`x0` must be real.")
    start = start if start.dtype.kind == "f" and start.dtype.itemsize >= 4 else start.astype(np.float64)
    kwargs = kwargs or {}
    args = args if isinstance(args, tuple) else tuple(args) if isinstance(args, list) else (args,)
    ftol, xtol, gtol = _check_tolerances(ftol, xtol, gtol, method)
    if batch:
        from ._batch import least_squares_batch

        if loss != "linear":
            raise ValueError("a batch of problems supports only the 'linear' loss")
        return least_squares_batch(fun, start, jac, bounds, ftol, xtol, gtol, max_nfev, args, kwargs, diff_step)
    if start.ndim > 1:
        raise ValueError("`x0` must have at most 1 dimension.")
    low, high = _check_bounds(bounds, start.size)
    if method == "lm" and not (np.all(np.isneginf(low)) and np.all(np.isposinf(high))):
        raise ValueError("Method 'lm' doesn't support bounds.")
    if np.any(low >= high):
        raise ValueError("Each lower bound must be strictly less than each upper bound.")
    point = to_host(start).astype(float)
    if not np.all((point >= low) & (point <= high)):
        raise ValueError("Initial guess is outside of provided bounds")
    if x_scale is None:
        x_scale = "jac" if method == "lm" else 1.0
    if isinstance(x_scale, str):
        if x_scale != "jac":
            raise ValueError("`x_scale` must be 'jac' or array_like with positive numbers.")
    else:
        x_scale = to_host(x_scale)
        if x_scale.dtype.kind == "c":
            raise ValueError("`x_scale` must be 'jac' or array_like with positive numbers.")
        x_scale = x_scale.astype(float)
        if not np.all(np.isfinite(x_scale) & (x_scale > 0)):
            raise ValueError("`x_scale` must be 'jac' or array_like with positive numbers.")
        if x_scale.ndim and x_scale.shape != point.shape:
            raise ValueError("Inconsistent shapes between `x_scale` and `x0`.")
    limits = (cp.asarray(low), cp.asarray(high)) if np.any(np.isfinite(low) | np.isfinite(high)) else None
    residuals = Residuals(fun, jac, args, kwargs, _losses(loss, f_scale), diff_step, limits, workers)
    if method == "trf":
        point = _inside(point, low, high)
        start = cp.asarray(point, dtype=start.dtype) if limits is not None else start
    f = residuals(start)
    if f.ndim != 1:
        raise ValueError(f"`fun` must return at most 1-d array_like. f0.shape: {f.shape}")
    if not bool(cp.all(cp.isfinite(f))):
        raise ValueError("Residuals are not finite in the initial point.")
    if method == "lm" and jac_sparsity is not None:
        raise ValueError("method='lm' does not support `jac_sparsity`.")
    if jac_sparsity is not None and not callable(jac):
        pattern = Pattern(jac_sparsity, (f.size, start.size))
        if tr_solver == "exact":
            raise ValueError("tr_solver='exact' is incompatible with `jac_sparsity`.")
        residuals.pattern = pattern if method == "trf" else None
    options = dict(tr_options or {})
    if tr_solver == "lsmr":
        _check_lsmr(options, method)
    # Sparse Jacobians stay so where steps are found by products with them.
    residuals.keeps_sparse = method == "trf" and tr_solver != "exact"
    if method == "lm" and f.size < start.size:
        raise ValueError("Method 'lm' doesn't work when the number of residuals is less than the number of variables.")
    told = Callback(callback)
    if method == "lm":
        n = start.size
        most = max_nfev if max_nfev is not None else 100 * n
        found = levenberg_marquardt(
            residuals, start, f, ftol, xtol, gtol, most, 100.0, None if isinstance(x_scale, str) else 1 / x_scale
        )
        status = {0: -1, 1: 2, 2: 3, 3: 4, 4: 1, 5: 0}.get(found.info, found.info if found.info < 5 else 2)
        g = found.jac.T @ found.fun
        result = OptimizeResult(
            message=MESSAGES[status], success=status > 0, status=status, fun=found.fun, x=found.x,
            cost=0.5 * float(cp.sum(found.fun**2)), jac=found.jac, grad=g, optimality=float(cp.max(abs(g))),
            active_mask=cp.zeros(n, np.int64), nfev=residuals.nfev, njev=residuals.njev if callable(jac) else None,
        )  # fmt: skip
    else:
        most = max_nfev if max_nfev is not None else start.size * 100
        search = _Search(residuals, start, f, low, high, ftol, xtol, gtol, most, x_scale, told, verbose)
        search.options, search.by_lsmr = options, tr_solver == "lsmr"
        result = (_trf if method == "trf" else _dogbox)(search)
    if verbose >= 1:
        print(result.message)
        print(
            f"Function evaluations {result.nfev}, final cost {result.cost:.4e}, first-order optimality {result.optimality:.2e}."  # noqa: E501
        )
    return result


def _check_lsmr(options: dict[str, Any], method: str) -> None:
    """Options that `lsmr` does not have are an error, also where it is not called for a dense Jacobian."""
    regularize = options.get("regularize")
    if method == "dogbox" and options.pop("regularize", None) is not None:
        warnings.warn(
            f"`tr_options` has 'regularize' ({regularize!r}), which only the method 'trf' uses, not 'dogbox'.",
            stacklevel=3,
        )
    known = {"regularize", *inspect.signature(cp.scipy.sparse.linalg.lsmr).parameters} - {"A", "b"}
    for name in options:
        if name not in known:
            raise TypeError(f"`tr_options` has {name!r}, which is not an option of lsmr.")


def _check_tolerances(ftol: Any, xtol: Any, gtol: Any, method: str) -> tuple[float, float, float]:
    checked = []
    for tolerance, name in ((ftol, "ftol"), (xtol, "xtol"), (gtol, "gtol")):
        if tolerance is None:
            tolerance = 0.0
        elif tolerance < EPS:
            warnings.warn(
                f"Setting `{name}` below the machine epsilon ({EPS:.2e}) effectively disables the corresponding "
                "termination condition.",
                stacklevel=3,
            )
        checked.append(float(tolerance))
    if method == "lm" and any(t < EPS for t in checked):
        raise ValueError(f"All tolerances must be higher than machine epsilon ({EPS:.2e}) for method 'lm'.")
    if all(t < EPS for t in checked):
        raise ValueError(f"At least one of the tolerances must be higher than machine epsilon ({EPS:.2e}).")
    return checked[0], checked[1], checked[2]
