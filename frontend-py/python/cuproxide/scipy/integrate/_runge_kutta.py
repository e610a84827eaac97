"""Explicit Runge-Kutta solvers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import cuproxide as cp

from ..._cuproxide import ndarray
from . import _ode_tables as tables
from ._ode_base import (
    DenseOutput,
    OdeSolver,
    PolynomialOutput,
    check_first_step,
    check_max_step,
    check_tolerances,
    combine,
    first_step_length,
    norm,
    warn_extraneous,
)

__all__ = ["DOP853", "RK23", "RK45"]

SAFETY, MIN_FACTOR, MAX_FACTOR = 0.9, 0.2, 10


class RungeKutta(OdeSolver):
    """Steps with an embedded error estimate and local extrapolation."""

    C: list[float]
    A: list[list[float]]
    B: list[float]
    E: list[float]
    P: list[list[float]]
    order: int
    error_estimator_order: int
    n_stages: int

    def __init__(
        self,
        fun: Callable[..., Any],
        t0: float,
        y0: Any,
        t_bound: float,
        max_step: float = math.inf,
        rtol: Any = 1e-3,
        atol: Any = 1e-6,
        vectorized: bool = False,
        first_step: float | None = None,
        **extraneous: Any,
    ) -> None:
        warn_extraneous(extraneous)
        super().__init__(fun, t0, y0, t_bound, vectorized, support_complex=True)
        self.y_old: ndarray | None = None
        self.max_step = check_max_step(max_step)
        self.rtol, self.atol = check_tolerances(rtol, atol, self.n)
        self.f = self.fun(self.t, self.y)
        if first_step is None:
            self.h_abs = first_step_length(self, self.f, self.error_estimator_order, max_step, self.rtol, self.atol)
        else:
            self.h_abs = check_first_step(first_step, t0, t_bound)
        self.error_exponent = -1 / (self.error_estimator_order + 1)
        self.h_previous: float | None = None
        self.K: list[ndarray] = []

    def _error_norm(self, slopes: list[ndarray], h: float, scale: ndarray) -> float:
        return norm(combine(None, h, self.E, slopes) / scale)

    def _step_impl(self) -> tuple[bool, str | None]:
        t, y = self.t, self.y
        min_step = self._least_step()
        h_abs = min(max(self.h_abs, min_step), self.max_step)
        rejected = False
        while True:
            if not h_abs >= min_step:
                return False, self.TOO_SMALL_STEP
            t_new = t + h_abs * self.direction
            if self.direction * (t_new - self.t_bound) > 0:
                t_new = self.t_bound
            h = t_new - t
            h_abs = abs(h)
            slopes = [self.f]
            for a, c in zip(self.A[1:], self.C[1:], strict=True):
                slopes.append(self.fun(t + c * h, combine(y, h, a, slopes)))
            y_new = combine(y, h, self.B, slopes)
            f_new = self.fun(t + h, y_new)
            slopes.append(f_new)
            scale = self.atol + cp.maximum(abs(y), abs(y_new)) * self.rtol
            error = self._error_norm(slopes, h, scale)
            if error < 1:
                factor = MAX_FACTOR if error == 0 else min(MAX_FACTOR, SAFETY * error**self.error_exponent)
                h_abs *= min(1, factor) if rejected else factor
                break
            # What is not finite counts as an infinite error.
            h_abs *= max(MIN_FACTOR, SAFETY * error**self.error_exponent) if math.isfinite(error) else MIN_FACTOR
            rejected = True
        self.K, self.h_previous, self.y_old = slopes, h, y
        self.t, self.y, self.h_abs, self.f = t_new, y_new, h_abs, f_new
        return True, None

    def _dense_output_impl(self) -> DenseOutput:
        h = self.t - self.t_old
        q = [combine(None, h, column, self.K) for column in zip(*self.P, strict=True)]
        return PolynomialOutput(self.t_old, self.t, self.y_old, q)


class RK23(RungeKutta):
    """The explicit Runge-Kutta method of order 3(2) of Bogacki and Shampine.

    Parameters
    ----------
    **extraneous
        Other options: ignored, with a warning.
    """

    order, error_estimator_order, n_stages = 3, 2, 3
    C, A, B, E, P = tables.RK23_C, tables.RK23_A, tables.RK23_B, tables.RK23_E, tables.RK23_P


class RK45(RungeKutta):
    """The explicit Runge-Kutta method of order 5(4) of Dormand and Prince.

    Parameters
    ----------
    **extraneous
        Other options: ignored, with a warning.
    """

    order, error_estimator_order, n_stages = 5, 4, 6
    C, A, B, E, P = tables.RK45_C, tables.RK45_A, tables.RK45_B, tables.RK45_E, tables.RK45_P


class DOP853(RungeKutta):
    """The explicit Runge-Kutta method of order 8 of Dormand and Prince.

    Parameters
    ----------
    **extraneous
        Other options: ignored, with a warning.
    """

    order, error_estimator_order, n_stages = 8, 7, 12
    C, A, B = tables.DOP853_C[:12], tables.DOP853_A[:12], tables.DOP853_B
    E3, E5, D = tables.DOP853_E3, tables.DOP853_E5, tables.DOP853_D
    A_EXTRA, C_EXTRA = tables.DOP853_A[13:], tables.DOP853_C[13:]

    def _error_norm(self, slopes: list[ndarray], h: float, scale: ndarray) -> float:
        five = abs(combine(None, 1.0, self.E5, slopes) / scale)
        three = abs(combine(None, 1.0, self.E3, slopes) / scale)
        # Both sums in one read.
        fifth, third = cp.stack([cp.sum(five * five), cp.sum(three * three)]).tolist()
        if fifth == 0 and third == 0:
            return 0.0
        return abs(h) * fifth / math.sqrt((fifth + 0.01 * third) * self.n)

    def _dense_output_impl(self) -> DenseOutput:
        slopes, h, t_old, y_old = list(self.K), self.h_previous, self.t_old, self.y_old
        for a, c in zip(self.A_EXTRA, self.C_EXTRA, strict=True):
            slopes.append(self.fun(t_old + c * h, combine(y_old, h, a, slopes)))
        change = self.y - y_old
        f_old = slopes[0]
        parts = [change, h * f_old - change, 2 * change - h * (self.f + f_old)]
        parts += [combine(None, h, row, slopes) for row in self.D]
        return Dop853Output(t_old, self.t, y_old, parts)


class Dop853Output(DenseOutput):
    """The interpolant of order seven, in powers of x and 1 - x by turns."""

    def __init__(self, t_old: float, t: float, y_old: ndarray, parts: list[ndarray]) -> None:
        super().__init__(t_old, t)
        self.y_old, self.parts = y_old, parts

    def _call_impl(self, t: Any) -> ndarray:
        x = (t - self.t_old) / (self.t - self.t_old)
        wide = not isinstance(t, float)
        x = cp.asarray(x) if wide else x
        total: Any = 0.0
        for i, part in enumerate(reversed(self.parts)):
            total = (total + (part[:, None] if wide else part)) * (x if i % 2 == 0 else 1 - x)
        return total + (self.y_old[:, None] if wide else self.y_old)
