"""Independent initial value problems that advance together, each with steps of its own."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device, to_host
from ..._lib.lending import shielded
from ._ode_base import as_state, check_max_step
from ._runge_kutta import DOP853, MAX_FACTOR, MIN_FACTOR, SAFETY

# Steps between two looks at how many problems go on.
LOOK = 8


@k.kernel
def _write(
    t_old: k.Each, t: k.Each, first: k.Each, times: k.Array, state: k.Array, parts: k.Array, target: k.Out, *, dop: bool
):
    """Writes what a step of each problem says about the wanted times, which lie after the position `first`."""
    problem = k.index()
    position = first
    count = times.shape[0]
    direction = k.where(t >= t_old, 1.0, -1.0)
    going = t != t_old
    while (position < count) & going:
        at = times[k.clamp(position, 0, count - 1)]
        if (at - t) * direction > 0:
            going = at != at
        else:
            x = (at - t_old) / (t - t_old)
            for row in k.steps(state.shape[0]):
                total = state[row, problem] * 0.0
                for j in range(7 if dop else 4):
                    part = parts[(7 if dop else 4) - 1 - j, row, problem]
                    if dop:
                        total = (total + part) * (x if j % 2 == 0 else 1 - x)
                    else:
                        total = (total + part) * x
                target[position, row, problem] = state[row, problem] + total
            position = position + 1
    return position


def solve_batch(
    fun: Callable[..., Any],
    t0: float,
    tf: float,
    y0: Any,
    method: Any,
    wanted: Any,
    rtol: float = 1e-3,
    atol: Any = 1e-6,
    first_step: float | None = None,
    max_step: float = math.inf,
    max_steps: int = 100000,
) -> dict[str, Any]:
    """The problems' states at the wanted times. The host reads one number every few steps: how many problems go on."""
    y = as_state(y0, None)
    if y.ndim != 2:
        raise ValueError(f"`y0` of a batch must have two axes, got {y.ndim}")
    dtype: Any = y.dtype if y.dtype.kind in "fc" and y.dtype.itemsize >= 4 else np.dtype(np.float64)
    y = cp.array(y, dtype)
    real: Any = np.dtype(np.float32 if dtype in (np.float32, np.complex64) else np.float64)
    if not bool(cp.all(cp.isfinite(y))):
        raise ValueError("All components of the initial state `y0` must be finite.")
    n, problems = y.shape
    rtol = max(float(rtol), 100 * float(np.finfo(real).eps))
    atol = to_host(atol) if np.ndim(to_host(atol)) == 0 else as_device(atol).astype(real).reshape(n, -1)
    atol = atol if isinstance(atol, ndarray) else float(atol)
    check_max_step(max_step)
    direction = 1.0 if tf >= t0 else -1.0
    times = np.array([tf]) if wanted is None else wanted
    device_times = cp.asarray(times)
    t = cp.full(problems, t0)
    right, calls = shielded(fun, 2), 0

    def call(t: ndarray, y: ndarray) -> ndarray:
        nonlocal calls
        calls += 1
        value = as_state(right(t, y), dtype)
        if value.shape != y.shape:
            raise ValueError(f"`fun` must return an array of shape {y.shape}, got {value.shape}")
        return value

    def rms(v: ndarray) -> ndarray:
        return cp.sqrt(cp.mean(abs(v) ** 2, axis=0))

    stages = _Stages(method, call)
    f = call(t, y)
    interval = abs(tf - t0)
    if first_step is not None:
        h = cp.full(problems, float(first_step))
    else:
        scale = atol + rtol * abs(y)
        d0, d1 = rms(y / scale), rms(f / scale)
        h0 = cp.minimum(cp.where((d0 < 1e-5) | (d1 < 1e-5), 1e-6, 0.01 * d0 / d1), interval)
        f1 = call(t + h0 * direction, y + (h0 * direction).astype(real) * f)
        d2 = rms((f1 - f) / scale) / h0
        power = 1 / (method.error_estimator_order + 1)
        h1 = cp.where(cp.maximum(d1, d2) <= 1e-15, cp.maximum(1e-6, h0 * 1e-3), (0.01 / cp.maximum(d1, d2)) ** power)
        h = cp.minimum(cp.minimum(100 * h0, h1), min(interval, max_step)).astype(np.float64)
    result = cp.full((times.size, n, problems), math.nan, dtype)
    position = cp.zeros(problems, np.int64)
    at_start = times == t0
    if times.size and at_start[0]:
        result[0] = y
        position = position + 1
    failed = cp.zeros(problems, bool)
    rejected = cp.zeros(problems, bool)
    steps = cp.zeros(problems, np.int32)
    taken = 0
    exponent = -1 / (method.error_estimator_order + 1)
    while interval > 0 and problems and n:
        least = 10 * abs(cp.nextafter(t, cp.full_like(t, direction * math.inf)) - t)
        fresh = ~rejected
        h = cp.where(fresh, cp.clip(h, least, max_step), h)
        active = ((tf - t) * direction > 0) & ~failed
        failed = failed | (active & ~(h >= least))
        active = active & ~failed
        t_new = t + h * direction
        t_new = cp.where((t_new - tf) * direction > 0, tf, t_new)
        length = t_new - t
        y_new, f_new, error = stages.step(t, y, f, length.astype(real), atol, rtol)
        good = (error < 1) & active
        growth = cp.where(error == 0, MAX_FACTOR, cp.minimum(MAX_FACTOR, SAFETY * error**exponent))
        growth = cp.where(rejected, cp.minimum(1, growth), growth)
        shrink = cp.where(cp.isfinite(error), cp.maximum(MIN_FACTOR, SAFETY * error**exponent), MIN_FACTOR)
        t_next = cp.where(good, t_new, t)
        if wanted is not None:
            parts = stages.interpolant(t, y, y_new, f_new, length.astype(real))
            position = _write(t, t_next, position, device_times, y, parts, result, dop=method is DOP853)
        h = cp.where(active, abs(length) * cp.where(good, growth, shrink), h)
        y, f, t = cp.where(good, y_new, y), cp.where(good, f_new, f), t_next
        rejected = active & ~good
        steps = steps + good
        taken += 1
        if taken % LOOK == 0 and int(cp.count_nonzero(((tf - t) * direction > 0) & ~failed)) == 0:
            break
        if taken >= max_steps:
            failed = failed | ((tf - t) * direction > 0)
            break
    if wanted is None:
        result[0] = cp.where(failed, math.nan, y)
    status = cp.where(failed, -1, 0).astype(np.int32)
    bad = bool(cp.any(failed))
    message = "The solver successfully reached the end of the integration interval."
    if bad:
        message = "Required step size is less than spacing between numbers."
    return {
        "t": device_times,
        "y": result.transpose(1, 2, 0),
        "sol": None,
        "t_events": None,
        "y_events": None,
        "nfev": calls,
        "njev": 0,
        "nlu": 0,
        "status": status,
        "message": message,
        "success": ~failed,
        "steps": steps,
    }


class _Stages:
    """The stages of an explicit method with a step of its own in each column."""

    def __init__(self, method: Any, call: Callable[..., Any]) -> None:
        self.method, self.call = method, call
        self.slopes: list[ndarray] = []

    @staticmethod
    def _sum(weights: Any, slopes: list[ndarray]) -> Any:
        total: Any = None
        for c, slope in zip(weights, slopes, strict=False):
            if c:
                total = slope * c if total is None else total + slope * c
        return total

    def step(self, t: ndarray, y: ndarray, f: ndarray, h: ndarray, atol: Any, rtol: float) -> tuple[Any, Any, Any]:
        method = self.method
        slopes = [f]
        for a, c in zip(method.A[1:], method.C[1:], strict=True):
            slopes.append(self.call(t + c * h, y + h * self._sum(a, slopes)))
        y_new = y + h * self._sum(method.B, slopes)
        f_new = self.call(t + h, y_new)
        slopes.append(f_new)
        self.slopes = slopes
        scale = atol + rtol * cp.maximum(abs(y), abs(y_new))
        if method is DOP853:
            five = cp.sum(abs(self._sum(method.E5, slopes) / scale) ** 2, axis=0)
            three = cp.sum(abs(self._sum(method.E3, slopes) / scale) ** 2, axis=0)
            bottom = cp.sqrt((five + 0.01 * three) * y.shape[0])
            error = cp.where(bottom == 0, 0, abs(h) * five / cp.where(bottom == 0, 1, bottom))
        else:
            error = cp.sqrt(cp.mean(abs(h * self._sum(method.E, slopes) / scale) ** 2, axis=0))
        return y_new, f_new, error

    def interpolant(self, t: ndarray, y: ndarray, y_new: ndarray, f_new: ndarray, h: ndarray) -> ndarray:
        method, slopes = self.method, list(self.slopes)
        if method is not DOP853:
            columns = list(zip(*method.P, strict=True))
            parts = [h * self._sum(column, slopes) for column in columns]
            parts += [cp.zeros_like(y)] * (4 - len(parts))
            return cp.stack(parts)
        for a, c in zip(method.A_EXTRA, method.C_EXTRA, strict=True):
            slopes.append(self.call(t + c * h, y + h * self._sum(a, slopes)))
        change, first = y_new - y, slopes[0]
        parts = [change, h * first - change, 2 * change - h * (f_new + first)]
        return cp.stack(parts + [h * self._sum(row, slopes) for row in method.D])
