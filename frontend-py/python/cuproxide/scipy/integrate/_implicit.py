"""Implicit solvers for stiff systems: Radau IIA and backward differentiation."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device
from ..._lib.lending import shielded
from ..linalg import lu_factor, lu_solve
from ._ode_base import (
    EPS,
    DenseOutput,
    DifferenceJacobian,
    OdeSolver,
    PolynomialOutput,
    as_state,
    check_first_step,
    check_max_step,
    check_tolerances,
    combine,
    first_step_length,
    norm,
    warn_extraneous,
)

__all__ = ["BDF", "Radau"]

MIN_FACTOR, MAX_FACTOR = 0.2, 10


class Implicit(OdeSolver):
    """What both methods need: Jacobians and systems with them."""

    STEP_ORDER: int

    def __init__(
        self,
        fun: Callable[..., Any],
        t0: float,
        y0: Any,
        t_bound: float,
        max_step: float = math.inf,
        rtol: Any = 1e-3,
        atol: Any = 1e-6,
        jac: Any = None,
        jac_sparsity: Any = None,
        vectorized: bool = False,
        first_step: float | None = None,
        **extraneous: Any,
    ) -> None:
        warn_extraneous(extraneous)
        super().__init__(fun, t0, y0, t_bound, vectorized, support_complex=isinstance(self, BDF))
        self.max_step = check_max_step(max_step)
        self.rtol, self.atol = check_tolerances(rtol, atol, self.n)
        self.f = self.fun(self.t, self.y)
        if first_step is None:
            self.h_abs = first_step_length(self, self.f, self.STEP_ORDER, max_step, self.rtol, self.atol)
        else:
            self.h_abs = check_first_step(first_step, t0, t_bound)
        tightest = float(cp.min(self.rtol)) if isinstance(self.rtol, ndarray) else self.rtol
        self.newton_tol = max(10 * EPS / tightest, min(0.03, tightest**0.5))
        self.jac, self.J = self._jacobian(jac, jac_sparsity)
        self.identity = cp.eye(self.n, dtype=self.y.dtype)
        self._begin()

    def _begin(self) -> None:
        """Makes what a method keeps from step to step."""
        raise NotImplementedError

    def _dense(self, jacobian: Any) -> ndarray:
        dense = jacobian.toarray() if hasattr(jacobian, "toarray") else jacobian
        if isinstance(dense, (list, tuple)):
            dense = cp.stack([as_state(row, self.y.dtype) for row in dense])
        dense = as_device(dense).astype(self.y.dtype)
        if dense.shape != (self.n, self.n):
            raise ValueError(f"`jac` is expected to have shape {(self.n, self.n)}, but actually has {dense.shape}.")
        return dense

    def _jacobian(self, jac: Any, sparsity: Any) -> tuple[Any, ndarray]:
        if jac is None:
            self._differences = DifferenceJacobian(self.fun_vectorized, self.atol, sparsity)
            return self._by_differences, self._by_differences(self.t, self.y, self.f)
        if callable(jac):
            self._given_jacobian = shielded(jac, 2)
            return self._by_function, self._by_function(self.t, self.y)
        return None, self._dense(jac)

    def _by_differences(self, t: float, y: ndarray, f: ndarray | None = None) -> ndarray:
        self.njev += 1
        return self._differences(t, y, self.fun_single(t, y) if f is None else f)

    def _by_function(self, t: float, y: ndarray, f: ndarray | None = None) -> ndarray:
        self.njev += 1
        return self._dense(self._given_jacobian(t, y))

    def _factor(self, matrix: ndarray) -> Any:
        self.nlu += 1
        return lu_factor(matrix, check_finite=False)

    @staticmethod
    def _solve(factors: Any, b: ndarray) -> ndarray:
        return lu_solve(factors, b, check_finite=False)


_S6 = math.sqrt(6)
_C = [(4 - _S6) / 10, (4 + _S6) / 10, 1.0]
_E = [(-13 - 7 * _S6) / 3, (-13 + 7 * _S6) / 3, -1 / 3]
_MU_REAL = 3 + 3 ** (2 / 3) - 3 ** (1 / 3)
_MU_COMPLEX = 3 + 0.5 * (3 ** (1 / 3) - 3 ** (2 / 3)) - 0.5j * (3 ** (5 / 6) + 3 ** (7 / 6))
# The transformation to the eigenvectors of the inverse of the matrix of the method (Hairer and Wanner, IV.8).
_T = [
    [0.09443876248897524, -0.14125529502095421, 0.03002919410514742],
    [0.25021312296533332, 0.20412935229379994, -0.38294211275726192],
    [1.0, 1.0, 0.0],
]
_TI = [
    [4.17871859155190428, 0.32768282076106237, 0.52337644549944951],
    [-4.17871859155190428, -0.32768282076106237, 0.47662355450055044],
    [0.50287263494578682, -2.57192694985560522, 0.59603920482822492],
]
_P = [
    [13 / 3 + 7 * _S6 / 3, -23 / 3 - 22 * _S6 / 3, 10 / 3 + 5 * _S6],
    [13 / 3 - 7 * _S6 / 3, -23 / 3 + 22 * _S6 / 3, 10 / 3 - 5 * _S6],
    [1 / 3, -8 / 3, 10 / 3],
]


def _step_factor(h: float, h_old: float | None, error: float, error_old: float | None) -> float:
    """The controller of Gustafsson."""
    if error == 0:
        return math.inf
    multiplier = 1.0
    if h_old is not None and error_old is not None:
        multiplier = h / h_old * (error_old / error) ** 0.25
    return min(1.0, multiplier) * error**-0.25


class Radau(Implicit):
    """The implicit Runge-Kutta method Radau IIA of order 5.

    Parameters
    ----------
    rtol, atol : float or array_like, optional
        The relative and the absolute tolerance; 1e-3 and 1e-6 by default.

    See Also
    --------
    scipy.integrate.Radau : The class that this one follows.
    solve_ivp : Solves by one call.

    >>> solver = cp.scipy.integrate.Radau(lambda t, y: -y, 0.0, [1.0], 2.0)
    >>> while solver.status == "running":
    ...     _ = solver.step()
    >>> bool(abs(solver.y[0] - np.exp(-2)) < 1e-2)
    True
    """

    STEP_ORDER = 3
    NEWTON = 6

    def _begin(self) -> None:
        self.y_old: ndarray | None = None
        self.h_abs_old: float | None = None
        self.error_norm_old: float | None = None
        self.sol: Any = None
        self.current_jac = True
        self.factors: Any = None
        self.Z: list[ndarray] = []

    def _collocation(self, h: float, z: list[ndarray], scale: ndarray, factors: Any) -> Any:
        """Newton's iteration with a fixed matrix for the three stages."""
        t, y = self.t, self.y
        real, complex_ = factors
        m_real, m_complex = _MU_REAL / h, _MU_COMPLEX / h
        w = [combine(None, 1.0, row, z) for row in _TI]
        old: float | None = None
        rate: float | None = None
        for k in range(self.NEWTON):
            f = [self.fun(t + c * h, y + part) for c, part in zip(_C, z, strict=True)]
            right = combine(None, 1.0, _TI[0], f) - m_real * w[0]
            both = combine(None, 1.0, [a + 1j * b for a, b in zip(_TI[1], _TI[2], strict=True)], f)
            both = both - m_complex * (w[1] + 1j * w[2])
            one, two = self._solve(real, right), self._solve(complex_, both)
            change = [one, cp.real(two), cp.imag(two)]
            size = math.sqrt(float(sum(cp.sum((part / scale) ** 2) for part in change)) / (3 * self.n))
            if not math.isfinite(size):
                break
            if old is not None:
                rate = size / old
                if rate >= 1 or rate ** (self.NEWTON - k) / (1 - rate) * size > self.newton_tol:
                    break
            w = [a + b for a, b in zip(w, change, strict=True)]
            z = [combine(None, 1.0, row, w) for row in _T]
            if size == 0 or (rate is not None and rate / (1 - rate) * size < self.newton_tol):
                return True, k + 1, z, rate
            old = size
        return False, k + 1, z, rate

    def _step_impl(self) -> tuple[bool, str | None]:
        t, y, f = self.t, self.y, self.f
        min_step = self._least_step()
        h_abs, h_old, error_old = self.h_abs, self.h_abs_old, self.error_norm_old
        if not min_step <= h_abs <= self.max_step:
            h_abs, h_old, error_old = min(max(h_abs, min_step), self.max_step), None, None
        jacobian, factors, current = self.J, self.factors, self.current_jac
        rejected = False
        while True:
            if not h_abs >= min_step:
                return False, self.TOO_SMALL_STEP
            t_new = t + h_abs * self.direction
            if self.direction * (t_new - self.t_bound) > 0:
                t_new = self.t_bound
            h = t_new - t
            h_abs = abs(h)
            if self.sol is None:
                guess = [cp.zeros_like(y)] * 3
            else:
                ahead = self.sol(t + h * np.array(_C))
                guess = [ahead[:, i] - y for i in range(3)]
            scale = self.atol + abs(y) * self.rtol
            converged = False
            while not converged:
                if factors is None:
                    factors = (
                        self._factor(_MU_REAL / h * self.identity - jacobian),
                        self._factor(_MU_COMPLEX / h * self.identity - jacobian),
                    )
                converged, iterations, z, rate = self._collocation(h, guess, scale, factors)
                if not converged:
                    if current:
                        break
                    jacobian, current, factors = self.jac(t, y, f), True, None
            if not converged:
                h_abs *= 0.5
                factors = None
                continue
            y_new = y + z[2]
            estimate = combine(None, 1 / h, _E, z)
            error = self._solve(factors[0], f + estimate)
            scale = self.atol + cp.maximum(abs(y), abs(y_new)) * self.rtol
            error_norm = norm(error / scale)
            safety = 0.9 * (2 * self.NEWTON + 1) / (2 * self.NEWTON + iterations)
            if rejected and error_norm > 1:
                error = self._solve(factors[0], self.fun(t, y + error) + estimate)
                error_norm = norm(error / scale)
            if error_norm <= 1:
                break
            if math.isfinite(error_norm):
                h_abs *= max(MIN_FACTOR, safety * _step_factor(h_abs, h_old, error_norm, error_old))
            else:
                h_abs *= MIN_FACTOR
            factors, rejected = None, True
        renew = self.jac is not None and iterations > 2 and rate is not None and rate > 1e-3
        factor = min(MAX_FACTOR, safety * _step_factor(h_abs, h_old, error_norm, error_old))
        if not renew and factor < 1.2:
            factor = 1
        else:
            factors = None
        f_new = self.fun(t_new, y_new)
        if renew:
            jacobian, current = self.jac(t_new, y_new, f_new), True
        elif self.jac is not None:
            current = False
        self.h_abs_old, self.error_norm_old = self.h_abs, error_norm
        self.h_abs = h_abs * factor
        self.y_old, self.t, self.y, self.f, self.Z = y, t_new, y_new, f_new, z
        self.factors, self.current_jac, self.J, self.t_old = factors, current, jacobian, t
        q = [combine(None, 1.0, column, z) for column in zip(*_P, strict=True)]
        self.sol = PolynomialOutput(t, t_new, y, q)
        return True, None

    def _dense_output_impl(self) -> DenseOutput:
        return self.sol


_KAPPA = [0, -0.1850, -1 / 9, -0.0823, -0.0415, 0]
_GAMMA = [sum(1 / k for k in range(1, order + 1)) for order in range(6)]
_ALPHA = [(1 - kappa) * gamma for kappa, gamma in zip(_KAPPA, _GAMMA, strict=True)]
_ERROR = [kappa * gamma + 1 / (order + 1) for order, (kappa, gamma) in enumerate(zip(_KAPPA, _GAMMA, strict=True))]


def _rescaling(order: int, factor: float) -> Any:
    """The matrix that changes backward differences to another step (Shampine and Reichelt, 1997)."""
    i, j = np.arange(1, order + 1)[:, None], np.arange(1, order + 1)

    def product(factor: float) -> Any:
        m = np.zeros((order + 1, order + 1))
        m[1:, 1:] = (i - 1 - factor * j) / i
        m[0] = 1
        return np.cumprod(m, axis=0)

    return (product(factor) @ product(1.0)).T


class BDF(Implicit):
    """Backward differentiation of order 1 to 5 with quasi-constant steps, in the NDF form.

    Parameters
    ----------
    rtol, atol : float or array_like, optional
        The relative and the absolute tolerance; 1e-3 and 1e-6 by default.

    See Also
    --------
    scipy.integrate.BDF : The class that this one follows.
    solve_ivp : Solves by one call.

    >>> solver = cp.scipy.integrate.BDF(lambda t, y: -y, 0.0, [1.0], 2.0)
    >>> while solver.status == "running":
    ...     _ = solver.step()
    >>> bool(abs(solver.y[0] - np.exp(-2)) < 1e-2)
    True
    """

    STEP_ORDER = 1
    NEWTON = 4
    MOST = 5

    def _begin(self) -> None:
        self.D = [self.y, self.f * (self.h_abs * self.direction)]
        self.order = 1
        self.n_equal_steps = 0
        self.factors: Any = None

    def _rescale(self, factor: float) -> None:
        rows = _rescaling(self.order, factor)
        new = [combine(None, 1.0, row, self.D[: self.order + 1]) for row in rows]
        self.D[: self.order + 1] = new
        self.n_equal_steps = 0

    def _newton(self, t: float, y: ndarray, c: float, psi: ndarray, factors: Any, scale: ndarray) -> Any:
        d: Any = None
        old: float | None = None
        rate: float | None = None
        for k in range(self.NEWTON):
            f = self.fun(t, y)
            right = c * f - psi
            change = self._solve(factors, right if d is None else right - d)
            size = norm(change / scale)
            if not math.isfinite(size):
                break
            if old is not None:
                rate = size / old
                if rate >= 1 or rate ** (self.NEWTON - k) / (1 - rate) * size > self.newton_tol:
                    break
            y = y + change
            d = change if d is None else d + change
            if size == 0 or (rate is not None and rate / (1 - rate) * size < self.newton_tol):
                return True, k + 1, y, d
            old = size
        return False, k + 1, y, d

    def _step_impl(self) -> tuple[bool, str | None]:
        t = self.t
        min_step = self._least_step()
        h_abs = min(max(self.h_abs, min_step), self.max_step)
        if h_abs != self.h_abs:
            self._rescale(h_abs / self.h_abs)
        order, jacobian, factors = self.order, self.J, self.factors
        current = self.jac is None
        while True:
            if not h_abs >= min_step:
                return False, self.TOO_SMALL_STEP
            t_new = t + h_abs * self.direction
            if self.direction * (t_new - self.t_bound) > 0:
                t_new = self.t_bound
                self._rescale(abs(t_new - t) / h_abs)
                factors = None
            h = t_new - t
            h_abs = abs(h)
            predicted = combine(None, 1.0, [1.0] * (order + 1), self.D)
            scale = self.atol + self.rtol * abs(predicted)
            psi = combine(None, 1 / _ALPHA[order], _GAMMA[1 : order + 1], self.D[1 : order + 1])
            c = h / _ALPHA[order]
            converged = False
            while not converged:
                if factors is None:
                    factors = self._factor(self.identity - c * jacobian)
                converged, iterations, y_new, d = self._newton(t_new, predicted, c, psi, factors, scale)
                if not converged:
                    if current:
                        break
                    jacobian, current, factors = self.jac(t_new, predicted), True, None
            if not converged:
                h_abs *= 0.5
                self._rescale(0.5)
                factors = None
                continue
            safety = 0.9 * (2 * self.NEWTON + 1) / (2 * self.NEWTON + iterations)
            scale = self.atol + self.rtol * abs(y_new)
            error_norm = norm(_ERROR[order] * d / scale)
            if error_norm <= 1:
                break
            factor = max(MIN_FACTOR, safety * error_norm ** (-1 / (order + 1))) if math.isfinite(error_norm) else 0.2
            h_abs *= factor
            self._rescale(factor)
        self.n_equal_steps += 1
        self.t, self.y, self.h_abs, self.J, self.factors = t_new, y_new, h_abs, jacobian, factors
        previous = self.D[order + 1] if len(self.D) > order + 1 else cp.zeros_like(d)
        self.D[order + 1 :] = [d, d - previous]
        for i in reversed(range(order + 1)):
            self.D[i] = self.D[i] + self.D[i + 1]
        if self.n_equal_steps < order + 1:
            return True, None
        self._change_order(scale, error_norm, safety)
        return True, None

    def _change_order(self, scale: ndarray, error: float, safety: float) -> None:
        order = self.order
        lower = norm(_ERROR[order - 1] * self.D[order] / scale) if order > 1 else math.inf
        higher = norm(_ERROR[order + 1] * self.D[order + 2] / scale) if order < self.MOST else math.inf
        factors = [
            math.inf if size == 0 else size ** (-1 / (order + k)) for k, size in enumerate((lower, error, higher))
        ]
        best = factors.index(max(factors))
        self.order += best - 1
        factor = min(MAX_FACTOR, safety * factors[best])
        self.h_abs *= factor
        self._rescale(factor)
        self.factors = None

    def _dense_output_impl(self) -> DenseOutput:
        h = self.h_abs * self.direction
        return BdfOutput(self.t_old, self.t, h, self.order, self.D[: self.order + 1])


class BdfOutput(DenseOutput):
    """The polynomial through backward differences."""

    def __init__(self, t_old: float, t: float, h: float, order: int, differences: list[ndarray]) -> None:
        super().__init__(t_old, t)
        self.h, self.order, self.D = h, order, list(differences)

    def _call_impl(self, t: Any) -> ndarray:
        wide = not isinstance(t, float)
        total = self.D[0][:, None] if wide else self.D[0]
        power: Any = 1.0
        for k in range(self.order):
            power = power * (t - (self.t - self.h * k)) / (self.h * (1 + k))
            factor = cp.asarray(power) if wide else power
            total = total + (self.D[k + 1][:, None] if wide else self.D[k + 1]) * factor
        return total
