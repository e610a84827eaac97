"""Line searches for steps that satisfy Wolfe's conditions."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_floating
from ..._typing import ArrayLike
from ._differences import Objective

__all__ = ["line_search"]


class LineSearchWarning(RuntimeWarning):
    """A line search that did not find a step."""


def cubic_minimum(a: float, fa: float, da: float, b: float, fb: float, db: float) -> float:
    """The minimum of the cubic with two values and slopes."""
    theta = 3 * (fa - fb) / (b - a) + da + db
    scale = max(abs(theta), abs(da), abs(db))
    if scale == 0:
        return 0.5 * (a + b)
    gamma = scale * math.sqrt(max(0.0, (theta / scale) ** 2 - (da / scale) * (db / scale)))
    gamma = -gamma if b < a else gamma
    bottom = gamma - da + gamma + db
    return a + (gamma - da + theta) / bottom * (b - a) if bottom else 0.5 * (a + b)


def more_thuente(
    phi: Callable[[float], tuple[float, float]],
    f0: float,
    d0: float,
    step: float,
    ftol: float,
    gtol: float,
    xtol: float,
    low: float,
    high: float,
    most: int = 100,
) -> tuple[float | None, float, float]:
    """A step that satisfies the strong Wolfe conditions (Moré and Thuente, 1994), with value and slope there."""
    if d0 >= 0 or not math.isfinite(d0) or not math.isfinite(f0):
        return None, f0, d0
    step = min(max(step, low), high)
    bracketed, first_stage = False, True
    test = ftol * d0
    width, width1 = high - low, 2 * (high - low)
    sx, fx, dx = 0.0, f0, d0
    sy, fy, dy = 0.0, f0, d0
    least, largest = 0.0, step + 4 * step
    best = (None, f0, d0)
    for _ in range(most):
        f, d = phi(step)
        if not math.isfinite(f) or not math.isfinite(d):
            # Too far: back towards the last good point.
            high = step
            step = 0.5 * (sx + step)
            largest = min(largest, high)
            if step - sx <= 1e-16 * max(1.0, abs(step)):
                return best
            continue
        bound = f0 + step * test
        if first_stage and f <= bound and d >= 0:
            first_stage = False
        if f <= bound and abs(d) <= gtol * -d0:
            return step, f, d
        if f <= bound and (best[0] is None or f < best[1]):
            best = (step, f, d)
        if bracketed and (step <= least or step >= largest or largest - least <= xtol * largest):
            return best
        if (step == high and f <= bound and d <= test) or (step == low and (f > bound or d >= test)):
            return best if best[0] is not None else (None, f0, d0)
        shift = test if first_stage and f <= fx and f > bound else 0.0
        args = (
            (sx, fx - sx * shift, dx - shift),
            (sy, fy - sy * shift, dy - shift),
            (step, f - step * shift, d - shift),
        )
        (sx, fx, dx), (sy, fy, dy), new, bracketed = _update(*args, bracketed, least, largest)
        fx, dx, fy, dy = fx + sx * shift, dx + shift, fy + sy * shift, dy + shift
        if bracketed:
            if abs(sy - sx) >= 0.66 * width1:
                new = sx + 0.5 * (sy - sx)
            width1, width = width, abs(sy - sx)
            least, largest = min(sx, sy), max(sx, sy)
        else:
            least, largest = new + 1.1 * (new - sx), new + 4 * (new - sx)
        new = min(max(new, low), high)
        if bracketed and (new <= least or new >= largest or largest - least <= xtol * largest):
            new = sx
        step = new
        if step == 0:
            return best
    return best


def _update(x: Any, y: Any, p: Any, bracketed: bool, least: float, largest: float) -> Any:
    """The next trial step and the interval that holds it."""
    (sx, fx, dx), (_, _, _), (sp, fp, dp) = x, y, p
    sy, fy, dy = y
    turned = dp * math.copysign(1.0, dx)
    if fp > fx:
        cubic = cubic_minimum(sx, fx, dx, sp, fp, dp)
        bottom = (fx - fp) / (sp - sx) + dx
        quadratic = sx + (dx / bottom) / 2 * (sp - sx) if bottom else cubic
        new = cubic if abs(cubic - sx) < abs(quadratic - sx) else cubic + (quadratic - cubic) / 2
        bracketed = True
    elif turned < 0:
        cubic = cubic_minimum(sx, fx, dx, sp, fp, dp)
        secant = sp + dp / (dp - dx) * (sx - sp) if dp != dx else cubic
        new = cubic if abs(cubic - sp) > abs(secant - sp) else secant
        bracketed = True
    elif abs(dp) < abs(dx):
        theta = 3 * (fx - fp) / (sp - sx) + dx + dp
        scale = max(abs(theta), abs(dx), abs(dp))
        gamma = scale * math.sqrt(max(0.0, (theta / scale) ** 2 - (dx / scale) * (dp / scale)))
        gamma = -gamma if sp > sx else gamma
        r = (gamma - dp + theta) / (gamma + (dx - dp) + gamma) if gamma + (dx - dp) + gamma else 0.0
        cubic = sp + r * (sx - sp) if r < 0 and gamma != 0 else largest if sp > sx else least
        secant = sp + dp / (dp - dx) * (sx - sp)
        if bracketed:
            new = cubic if abs(cubic - sp) < abs(secant - sp) else secant
            limit = sp + 0.66 * (sy - sp)
            new = min(limit, new) if sp > sx else max(limit, new)
        else:
            new = cubic if abs(cubic - sp) > abs(secant - sp) else secant
            new = min(max(new, least), largest)
    elif bracketed:
        new = cubic_minimum(sp, fp, dp, sy, fy, dy)
    else:
        new = largest if sp > sx else least
    if fp > fx:
        y = p
    else:
        if turned < 0:
            y = x
        x = p
    return x, y, new, bracketed


def wolfe(
    phi: Callable[[float], tuple[float, float]], f0: float, d0: float, f_before: float | None, c1: float, c2: float,
    amax: float = 1e100, xtol: float = 1e-14, accept: Callable[[float], bool] | None = None,
) -> tuple[float | None, float, float]:  # fmt: skip
    """A step that satisfies the strong Wolfe conditions: by Moré and Thuente's search, else by one that goes
    outwards."""
    first = 1.0
    if f_before is not None and d0 != 0:
        first = min(1.0, 1.01 * 2 * (f0 - f_before) / d0)
        first = 1.0 if first < 0 else first
    step, f, d = more_thuente(phi, f0, d0, first, c1, c2, xtol, 1e-100, amax)
    good = step is not None and f <= f0 + c1 * step * d0 and abs(d) <= -c2 * d0
    if good and (accept is None or accept(step)):
        return step, f, d
    step, f, d = _outward(phi, f0, d0, first, c1, c2, amax, accept)
    return (None, f0, d0) if math.isnan(d) else (step, f, d)


def _outward(
    phi: Callable[[float], tuple[float, float]], f0: float, d0: float, first: float, c1: float, c2: float, amax: float,
    accept: Callable[[float], bool] | None, most: int = 10,
) -> tuple[float | None, float, float]:  # fmt: skip
    """The search of Nocedal and Wright, algorithms 3.5 and 3.6.

    After `most` steps outwards the last one, with a slope that is NaN.
    """

    def fits(step: float, d: float) -> bool:
        return abs(d) <= -c2 * d0 and (accept is None or accept(step))

    before, f_before, d_before, step = 0.0, f0, d0, min(first, amax)
    for i in range(most):
        if step == 0 or before >= amax:
            return None, f0, d0
        f, d = phi(step)
        if not math.isfinite(f) or f > f0 + c1 * step * d0 or (f >= f_before and i):
            return _between(phi, f0, d0, (before, f_before, d_before), (step, f), c1, fits)
        if fits(step, d):
            return step, f, d
        if d >= 0:
            return _between(phi, f0, d0, (step, f, d), (before, f_before), c1, fits)
        before, f_before, d_before, step = step, f, d, min(2 * step, amax)
    return step, phi(step)[0], math.nan


def _between(
    phi: Callable[[float], tuple[float, float]], f0: float, d0: float, low: tuple[float, float, float],
    high: tuple[float, float], c1: float, fits: Callable[[float, float], bool], most: int = 11,
) -> tuple[float | None, float, float]:  # fmt: skip
    """A step between two, of which `low` has the smaller value: the minimum of a cubic through these and the last one,
    else of a parabola, else the middle."""
    last = (0.0, f0)
    for i in range(most):
        width = high[0] - low[0]
        # The margins have the sign of the interval, as in SciPy, so that both take the same steps.
        trial = _cubic_through(low, high, last) if i else math.nan
        if not _lies_within(trial, low[0], high[0], 0.2 * width):
            trial = _parabola_through(low, high)
        if not _lies_within(trial, low[0], high[0], 0.1 * width):
            trial = low[0] + 0.5 * width
        f, d = phi(trial)
        if not math.isfinite(f) or f > f0 + c1 * trial * d0 or f >= low[1]:
            last, high = high, (trial, f)
            continue
        if fits(trial, d):
            return trial, f, d
        if d * width >= 0:
            last, high = high, low[:2]
        else:
            last = low[:2]
        low = (trial, f, d)
    return None, f0, d0


def _lies_within(x: float, a: float, b: float, margin: float) -> bool:
    return min(a, b) + margin <= x <= max(a, b) - margin


def _parabola_through(low: tuple[float, float, float], high: tuple[float, float]) -> float:
    """The minimum of the parabola with two values and a slope; NaN or infinite if it has none."""
    (a, fa, slope), (b, fb) = low, high
    width = b - a
    bend = (fb - fa - slope * width) / (width * width) if width else 0.0
    return a - slope / (2 * bend) if bend else math.inf


def _cubic_through(low: tuple[float, float, float], high: tuple[float, float], last: tuple[float, float]) -> float:
    """The minimum of the cubic with three values and a slope; NaN if it has none."""
    (a, fa, slope), (b, fb), (c, fc) = low, high, last
    db, dc = b - a, c - a
    bottom = (db * dc) ** 2 * (db - dc)
    if bottom == 0 or not math.isfinite(fb) or not math.isfinite(fc):
        return math.nan
    rest_b, rest_c = fb - fa - slope * db, fc - fa - slope * dc
    cube = (dc**2 * rest_b - db**2 * rest_c) / bottom
    square = (db**3 * rest_c - dc**3 * rest_b) / bottom
    radical = square * square - 3 * cube * slope
    if not radical >= 0:
        return math.nan
    root = math.sqrt(radical)
    # The form without cancellation: of a parabola the cube is what rounding leaves.
    if square + root > 0:
        return a - slope / (square + root)
    return a + (root - square) / (3 * cube) if cube else math.nan


def along(
    objective: Objective, x: ndarray, p: ndarray, keep: dict[float, Any]
) -> Callable[[float], tuple[float, float]]:
    """Value and slope along a direction, read together; the points and gradients are kept."""

    def phi(step: float) -> tuple[float, float]:
        if step not in keep:
            point = x + p * step
            objective.at(point)
            gradient = objective.gradient(point)
            f, d = objective.read(point, cp.sum(gradient * p))
            keep[step] = (point, gradient, f, d)
        return keep[step][2:]

    return phi


def line_search(
    f: Callable[..., Any], myfprime: Callable[..., Any], xk: ArrayLike, pk: ArrayLike, gfk: ArrayLike | None = None,
    old_fval: float | None = None, old_old_fval: float | None = None, args: tuple[Any, ...] = (), c1: float = 1e-4,
    c2: float = 0.9, amax: float | None = None, extra_condition: Callable[..., bool] | None = None, maxiter: int = 10,
) -> tuple[Any, ...]:  # fmt: skip
    """A step along a direction that satisfies the strong Wolfe conditions.

    Parameters
    ----------
    f, myfprime : callable
        The function and its gradient.
    xk, pk : array_like
        The point and the direction.
    gfk : array_like, optional
        The gradient at the point.
    old_fval, old_old_fval : float, optional
        The values at the point and at the one before.
    c1, c2 : float, optional
        The parameters of the conditions.
    amax : float, optional
        The longest step.
    extra_condition : callable, optional
        `extra_condition(alpha, x, f, g)`: a condition besides.
    maxiter : int, optional
        The most steps outwards.

    Returns
    -------
    alpha : float or None
        The step, or None if none was found.
    fc, gc : int
        The calls of the function and of the gradient.
    new_fval, old_fval : float or None
        The values there and at the point.
    new_slope : ndarray or None
        The gradient there.

    Raises
    ------
    ValueError
        If the parameters are not `0 < c1 < c2 < 1`.

    >>> start, down = cp.array([1.8, 1.7]), cp.array([-1.0, -1.0])
    >>> found = optimize.line_search(lambda x: cp.sum(x**2), lambda x: 2 * x, start, down)
    >>> found[0]
    1.0
    """
    if not 0 < c1 < c2 < 1:
        raise ValueError("'c1' and 'c2' do not satisfy'0 < c1 < c2 < 1'.")
    x, p = as_floating(xk), as_floating(pk)
    objective = Objective(f, x, args, myfprime)
    calls = 0
    gradient = as_floating(gfk) if gfk is not None else objective.gradient(x)
    if old_fval is None:
        f0 = objective(x)
    else:
        f0 = float(old_fval)
    d0 = float(cp.sum(gradient * p))
    # As SciPy counts: a value at the point that had to be computed, but not its gradient.
    objective.nfev, objective.ngev = int(old_fval is None), 0
    keep: dict[float, Any] = {}
    phi = along(objective, x, p, keep)
    first = 1.0
    if old_old_fval is not None and d0 != 0:
        first = min(1.0, 1.01 * 2 * (f0 - float(old_old_fval)) / d0)
        first = 1.0 if first < 0 else first
    accept = None
    if extra_condition is not None:

        def accept(step: float) -> bool:
            point, slope, value, _ = keep[step]
            return bool(extra_condition(step, point, value, slope))

    limit = 1e100 if amax is None else float(amax)
    step, value, slope = _outward(phi, f0, d0, min(first, limit), c1, c2, limit, accept, maxiter)
    calls = objective.nfev
    if step is None or math.isnan(slope):
        warnings.warn("The line search algorithm did not converge", LineSearchWarning, stacklevel=2)
        return step, calls, objective.ngev, None if step is None else value, f0, None
    return step, calls, objective.ngev, value, f0, keep[step][1]
