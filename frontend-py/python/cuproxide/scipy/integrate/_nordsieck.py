"""Multistep methods of variable order and step on scaled derivatives: Adams' formulas, backward differentiation, and
the
choice between them.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..linalg import lu_factor, lu_solve

# Bounds of the stability of Adams' formulas by their order (Petzold, 1983).
_STABLE = [0.0, 0.5, 0.575, 0.55, 0.45, 0.35, 0.25, 0.2, 0.15, 0.1, 0.075, 0.05, 0.025]
_UNIT = float(np.finfo(float).eps)


@functools.lru_cache(2)
def _formulas(stiff: bool) -> tuple[list[Any], list[list[float]]]:
    """For each order the coefficients of the corrector, and the constants of the error tests for the orders around
    it."""
    most = 5 if stiff else 12
    correctors: list[Any] = [np.zeros(1)]
    tests = [[0.0, 0.0, 0.0] for _ in range(most + 2)]
    if stiff:
        polynomial, factorial = np.array([1.0]), 1.0
        for q in range(1, most + 1):
            # (x + 1) (x + 2) ... (x + q)
            polynomial = np.append(0.0, polynomial) + q * np.append(polynomial, 0.0)
            correctors.append(polynomial / polynomial[1])
            first = correctors[-1][0]
            tests[q] = [factorial, (q + 1) / first, (q + 2) / first]
            factorial /= q
        return correctors, tests
    correctors.append(np.array([1.0, 1.0]))
    tests[1][0], tests[1][1], tests[2][0] = 0.0, 2.0, 1.0
    polynomial, factorial = np.array([1.0]), 1.0
    for q in range(2, most + 1):
        before, factorial = factorial, factorial / q
        # (x + 1) (x + 2) ... (x + q - 1), integrated from -1 to 0.
        polynomial = np.append(0.0, polynomial) + (q - 1) * np.append(polynomial, 0.0)
        powers = np.arange(q)
        signs = (-1.0) ** powers
        integral = float(np.sum(signs * polynomial / (powers + 1)))
        moment = float(np.sum(signs * polynomial / (powers + 2)))
        correctors.append(np.concatenate([[integral * before], before * polynomial / (powers + 1)]))
        correctors[-1][1] = 1.0
        constant = 1 / (factorial * moment)
        tests[q][1] = constant
        tests[q - 1][2] = constant
        if q < most:
            tests[q + 1][0] = constant * factorial / (q + 1)
    return correctors, tests


@functools.lru_cache(16)
def _pascal(order: int) -> Any:
    return np.array([[math.comb(j, i) for j in range(order + 1)] for i in range(order + 1)], float)


class Failure(Exception):
    """A step that cannot be taken: the code of ODEPACK, and whether tests of errors or of convergence failed."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Nordsieck:
    """An integrator in ODEPACK's form: `y, h y', h**2 y'' / 2, ...` at the current time.

    `method` is "adams", "bdf" or "switch", which changes between both as LSODA does.
    """

    def __init__(
        self,
        fun: Callable[[float, ndarray], ndarray],
        jac: Callable[[float, ndarray], ndarray],
        t: float,
        y: ndarray,
        direction: float,
        rtol: Any,
        atol: Any,
        *,
        method: str = "switch",
        first_step: float = 0.0,
        min_step: float = 0.0,
        max_step: float = math.inf,
        orders: tuple[int, int] = (12, 5),
        toward: float | None = None,
    ) -> None:
        self.fun, self.jac, self.t, self.direction = fun, jac, t, direction
        self.rtol, self.atol = rtol, atol
        self.switching, self.stiff = method == "switch", method == "bdf"
        self.min_step, self.max_step = min_step, max_step if max_step > 0 else math.inf
        self.orders = (max(1, min(orders[0], 12)), max(1, min(orders[1], 5)))
        self.steps = self.jacobians = self.decompositions = 0
        self.code = 2
        f = fun(t, y)
        self._weigh(y)
        h = first_step if first_step else self._first_step(f, t if toward is None else toward)
        h = direction * min(abs(h), self.max_step)
        self.yh = cp.stack([y, f * h])
        self.h, self.order = h, 1
        self.largest_growth = 10000.0
        self.wait = 2
        self.kept: Any = None
        self.factors: Any = None
        self.factored = 0
        self.product = 0.0
        self.rate_kept = 0.7
        self.until_switch = 20
        self.stiffness = self.stiffness_last = 0.0
        self.jacobian_norm = 0.0
        self.h_used, self.order_used = 0.0, 0

    def _weigh(self, y: ndarray) -> None:
        self.weights = self.rtol * abs(y) + self.atol

    def _first_step(self, f: ndarray, toward: float) -> float:
        largest = float(cp.max(self.rtol)) if isinstance(self.rtol, ndarray) else self.rtol
        tolerance = min(max(largest, 100 * _UNIT), 1e-3)
        reach = max(abs(self.t), abs(toward))
        slope = self._norm(f)
        total = (1 / (tolerance * reach * reach) if reach else 0.0) + tolerance * slope * slope
        h = 1 / math.sqrt(total) if total > 0 else 1e-3
        distance = abs(toward - self.t)
        return min(h, distance) if distance else h

    def _norm(self, v: ndarray) -> float:
        if self.switching:
            return float(cp.max(abs(v) / self.weights))
        return math.sqrt(float(cp.sum((abs(v) / self.weights) ** 2)) / v.size)

    def interpolate(self, t: Any) -> ndarray:
        """The state near the last step; several times make columns."""
        x = (t - self.t) / self.h
        q = self.yh.shape[0]
        powers = cp.asarray(np.asarray(x)[..., None] ** np.arange(q))
        return (powers.astype(self.yh.dtype) @ self.yh).T if np.ndim(x) else powers.astype(self.yh.dtype) @ self.yh

    @property
    def y(self) -> ndarray:
        return self.yh[0]

    def _rescale(self, ratio: float) -> None:
        ratio = min(ratio, self.largest_growth)
        ratio /= max(1.0, abs(self.h) * ratio / self.max_step)
        if not self.stiff and self.switching and self.stiffness_last:
            bound = max(abs(self.h) * self.stiffness_last, 1e-6)
            if ratio * bound * 1.00001 >= _STABLE[self.order]:
                ratio = _STABLE[self.order] / bound
        ratio = max(ratio, self.min_step / abs(self.h) if self.h else 0.0)
        self._stretch(ratio)
        self.wait = self.order + 1

    def _stretch(self, ratio: float) -> None:
        self.yh = self.yh * cp.asarray(ratio ** np.arange(self.yh.shape[0]))[:, None]
        self.h *= ratio

    def limit(self, end: float) -> None:
        """Shortens the coming step so that it does not pass `end`."""
        if (self.t + self.h * (1 + 4 * _UNIT) - end) * self.direction > 0:
            h = (end - self.t) * (1 - 4 * _UNIT)
            if h != self.h and h != 0:
                self._stretch(h / self.h)

    def _set_order(self, order: int) -> None:
        rows = self.yh.shape[0]
        if order + 1 <= rows:
            self.yh = self.yh[: order + 1]
        self.order = order
        self.wait = order + 1

    def _system(self, t: float, y: ndarray, gain: float) -> None:
        jacobian = self.jac(t, y)
        self.jacobians += 1
        if self.switching:
            # The norm that belongs to the weighted maximum of a state.
            self.jacobian_norm = float(cp.max(cp.sum(abs(jacobian) * self.weights, axis=1) / self.weights))
        matrix = cp.eye(y.size, dtype=y.dtype) - self.h * gain * jacobian
        self.factors = lu_factor(matrix, check_finite=False)
        self.decompositions += 1
        self.product, self.factored, self.rate_kept = self.h * gain, self.steps, 0.7

    def _correct(self, t: float, predicted: ndarray, el: Any, test: float) -> tuple[bool, ndarray | None, float, int]:
        """The corrector's iteration: whether it converged, the correction, the last change and the number of
        changes."""
        chord = self.stiff
        limit = 0.5 / (self.order + 2)
        gain = float(el[0])
        if chord and self.factors is not None:
            changed = self.h * gain / self.product
            if abs(changed - 1) > 0.3 or self.steps >= self.factored + 20:
                self.factors = None
        base, slope = predicted[0], predicted[1]
        for attempt in range(2):
            fresh = False
            if chord and self.factors is None:
                self._system(t, base, gain)
                fresh = True
            y, total, last, rate = base, None, 0.0, self.rate_kept
            m = 0
            while True:
                f = self.fun(t, y)
                if chord:
                    right = self.h * f - (slope if total is None else slope + total)
                    change = lu_solve(self.factors, right, check_finite=False)
                    total = change if total is None else total + change
                else:
                    new = self.h * f - slope
                    change = new if total is None else new - total
                    total = new
                y = base + gain * total
                size = self._norm(change)
                if not math.isfinite(size):
                    break
                if m:
                    observed = size / last if last else 0.0
                    rate = max(0.2 * rate, observed)
                    if not self.stiff and gain * self.h:
                        growth = max(observed, 0.0) / abs(self.h * gain)
                        self.stiffness = max(self.stiffness, growth)
                # Without a second value nothing is known of how stiff the system is.
                first = m == 0 and self.switching and not chord
                if first and size <= 100 * _UNIT * self._norm(base):
                    return True, total, size, m
                if not first and size * min(1.0, 1.5 * rate) / (test * limit) <= 1:
                    self.rate_kept = rate
                    self.stiffness_last = self.stiffness or self.stiffness_last
                    return True, total, size, m
                m += 1
                if m == 3 or (m >= 2 and size > 2 * last):
                    break
                last = size
            if not chord or fresh or attempt:
                break
            self.factors = None
        return False, None, 0.0, 0

    def step(self) -> None:
        """Takes one step; raises `Failure`."""
        correctors, tests = _formulas(self.stiff)
        failures, errors = 0, 0
        t_old = self.t
        self._weigh(self.yh[0])
        while True:
            if self.t + self.h == self.t:
                raise Failure(-5 if failures else -4 if errors else -1)
            q = self.order
            el, test = correctors[q], tests[q]
            t = t_old + self.h
            predicted = cp.asarray(_pascal(q), dtype=self.yh.dtype) @ self.yh[: q + 1]
            total: Any
            good, total, size, count = self._correct(t, predicted, el, test[1])
            if not good:
                failures += 1
                self.largest_growth = 2.0
                if abs(self.h) <= self.min_step * 1.00001 or failures == 10:
                    raise Failure(-5)
                self._rescale(0.25)
                self.factors = None
                continue
            error = (size if count == 0 else self._norm(total)) / test[1]
            if error <= 1:
                break
            errors += 1
            self.largest_growth = 2.0
            if abs(self.h) <= self.min_step * 1.00001 or errors >= 12:
                raise Failure(-4)
            if errors >= 3:
                # The derivatives are of no use: from the start with a short step.
                h = self.h * 0.1
                y = self.yh[0]
                self.yh = cp.stack([y, self.fun(t_old, y) * h])
                self.h = h
                self._set_order(1)
                self.wait, self.factors = 5, None
                continue
            self._choose(error, None, test, failed=True)
        self.t = t
        self.steps += 1
        self.yh = predicted + cp.asarray(el, dtype=predicted.dtype)[:, None] * total[None, :]
        self.h_used, self.order_used = self.h, self.order
        self.output = (self.t, self.h, self.yh)
        self.until_switch -= 1
        if self.switching and self.until_switch < 0 and self._switch(error):
            return
        self.wait -= 1
        most = self.orders[1] if self.stiff else self.orders[0]
        if self.wait == 0:
            self._choose(error, total, test, failed=False)
            self.largest_growth = 10.0
        elif self.wait == 1 and self.order < most:
            self.kept = total
        elif failures or errors:
            self.largest_growth = 10.0

    def _choose(self, error: float, total: ndarray | None, test: list[float], failed: bool) -> None:
        """The order, one up or down, that allows the longest step."""
        q = self.order
        most = self.orders[1] if self.stiff else self.orders[0]
        same = 1 / (1.2 * error ** (1 / (q + 1)) + 1.2e-6)
        up = 0.0
        if not failed and q < most and self.kept is not None:
            grown = self._norm(total - self.kept) / test[2]
            up = 1 / (1.4 * grown ** (1 / (q + 2)) + 1.4e-6)
        down = 0.0
        if q > 1:
            fallen = self._norm(self.yh[q]) / test[0] if test[0] else math.inf
            down = 1 / (1.3 * fallen ** (1 / q) + 1.3e-6) if math.isfinite(fallen) else 0.0
        if not self.stiff and self.switching:
            bound = max(abs(self.h) * self.stiffness_last, 1e-6)
            up = min(up, _STABLE[min(q + 1, 12)] / bound) if up else up
            same = min(same, _STABLE[q] / bound)
            down = min(down, _STABLE[q - 1] / bound) if down else down
            self.stiffness = 0.0
        if same >= max(up, down):
            order, ratio = q, same
            if failed:
                ratio = min(ratio, 1.0)
        elif up > down:
            order, ratio = q + 1, up
        else:
            order, ratio = q - 1, min(down, 1.0) if failed else down
        if not failed and ratio < 1.1:
            self.wait = 3
            return
        if failed:
            ratio = min(ratio, 0.9 if order == q else ratio)
            ratio = max(ratio, 0.1)
        if order > q:
            el = _formulas(self.stiff)[0][q]
            extra: ndarray = total * (float(el[q]) / (q + 1))
            self.yh = cp.concatenate([self.yh, extra[None]], axis=0)
        self._set_order(order)
        self.kept = None
        self._rescale(ratio)

    def _switch(self, error: float) -> bool:
        """Changes between the methods where the other one allows much longer steps (Petzold, 1983)."""
        q = self.order
        (adams, adams_tests), (bdf, bdf_tests) = _formulas(False), _formulas(True)
        scale = self._norm(self.yh[0])
        if not self.stiff:
            if self.stiffness_last == 0 or error <= 100 * scale * _UNIT:
                return False
            own = 1 / (1.2 * error ** (1 / (q + 1)) + 1.2e-6)
            stiffness = self.stiffness_last * abs(self.h)
            if stiffness * own > 1e-5:
                own = min(own, _STABLE[q] / stiffness)
            order = min(q, self.orders[1])
            if order < q:
                size = self._norm(self.yh[order + 1]) / (bdf_tests[order][1] * bdf[order][order])
            else:
                constant = adams_tests[q][1] * adams[q][q] / (bdf_tests[q][1] * bdf[q][q])
                size = error * constant
            other = 1 / (1.2 * size ** (1 / (order + 1)) + 1.2e-6)
            if other < 5 * own:
                return False
        else:
            constant = bdf_tests[q][1] * bdf[q][q] / (adams_tests[q][1] * adams[q][q])
            size = error * constant
            other = 1 / (1.2 * size ** (1 / (q + 1)) + 1.2e-6)
            stiffness = self.jacobian_norm * abs(self.h)
            if stiffness * other > 1e-5:
                other = min(other, _STABLE[q] / stiffness)
            own = 1 / (1.2 * error ** (1 / (q + 1)) + 1.2e-6)
            if other * 5 < 5 * own or size * max(1e-3, other) ** (1 / (q + 1)) <= 1000 * _UNIT * scale:
                return False
            order = q
        self.stiff = not self.stiff
        self.until_switch, self.stiffness, self.stiffness_last = 20, 0.0, 0.0
        self.factors, self.kept = None, None
        self._set_order(order)
        self._rescale(other)
        return True
