"""The solver that changes between Adams' and backward differentiation formulas."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device
from ..._lib.lending import shielded
from ._nordsieck import Failure, Nordsieck
from ._ode_base import (
    DenseOutput,
    DifferenceJacobian,
    OdeSolver,
    as_state,
    check_first_step,
    check_tolerances,
    warn_extraneous,
)

__all__ = ["LSODA"]


def banded(matrix: ndarray, n: int, lower: int, upper: int) -> ndarray:
    """A matrix from its diagonals, of shape `(upper + lower + 1, n)`."""
    row, column = cp.arange(n)[:, None], cp.arange(n)[None, :]
    offset = row - column
    inside = (offset <= lower) & (offset >= -upper)
    return cp.where(inside, matrix[cp.clip(offset + upper, 0, lower + upper), column], 0)


def jacobian_of(
    fun: Callable[..., Any],
    jac: Any,
    n: int,
    dtype: Any,
    threshold: Any,
    several: Any = None,
    bands: Any = (None, None),
) -> Callable[[float, ndarray], ndarray]:
    """The Jacobian that the user gave, dense or by diagonals, or one by differences."""
    lower, upper = bands
    by_band = lower is not None or upper is not None
    lower, upper = lower or 0, upper or 0
    if jac is None:
        pattern = None
        if by_band:
            offset = np.arange(n)[:, None] - np.arange(n)[None, :]
            pattern = (offset <= lower) & (offset >= -upper)
        return partial(_by_differences, DifferenceJacobian(several or partial(_columns, fun), threshold, pattern), fun)
    return partial(_given, shielded(jac, 2), dtype, (n, lower, upper) if by_band else None)


# Functions of this module with some arguments given, and not functions within: solvers are pickled.
def _columns(fun: Callable[..., Any], t: float, y: ndarray) -> ndarray:
    return cp.stack([fun(t, y[:, i]) for i in range(y.shape[1])], axis=1)


def _by_differences(differences: DifferenceJacobian, fun: Callable[..., Any], t: float, y: ndarray) -> ndarray:
    return differences(t, y, fun(t, y))


def _given(jac: Any, dtype: Any, bands: tuple[int, int, int] | None, t: float, y: ndarray) -> ndarray:
    found = jac(t, y)
    found = found.toarray() if hasattr(found, "toarray") else found
    if isinstance(found, (list, tuple)):
        found = cp.stack([as_state(row, dtype) for row in found])
    found = as_device(found).astype(dtype)
    return found if bands is None else banded(found, *bands)


class LSODA(OdeSolver):
    """Adams' formulas that give way to backward differentiation where the system is stiff.

    The strategy is that of ODEPACK's LSODA (Petzold and Hindmarsh); the code is this package's own, so steps differ
    from
    SciPy's within the tolerance.

    Parameters
    ----------
    first_step : float, optional
        The first step, chosen if not given.
    min_step : float
        The shortest step.
    max_step : float
        The longest step.
    jac : callable, optional
        The Jacobian.
    lband : int, optional
        The number of diagonals of the Jacobian below the main one.
    uband : int, optional
        The number of diagonals above it.
    **extraneous
        Other options: ignored, with a warning.
    """

    def __init__(
        self,
        fun: Callable[..., Any],
        t0: float,
        y0: Any,
        t_bound: float,
        first_step: float | None = None,
        min_step: float = 0.0,
        max_step: float = math.inf,
        rtol: Any = 1e-3,
        atol: Any = 1e-6,
        jac: Any = None,
        lband: int | None = None,
        uband: int | None = None,
        vectorized: bool = False,
        **extraneous: Any,
    ) -> None:
        warn_extraneous(extraneous)
        super().__init__(fun, t0, y0, t_bound, vectorized)
        start = 0.0 if first_step is None else check_first_step(first_step, t0, t_bound)
        if max_step <= 0:
            raise ValueError("`max_step` must be positive.")
        if min_step < 0:
            raise ValueError("`min_step` must be nonnegative.")
        rtol, atol = check_tolerances(rtol, atol, self.n)
        several = self.fun_vectorized if vectorized else None
        jacobian = jacobian_of(self.fun, jac, self.n, self.y.dtype, atol, several, (lband, uband))
        if self.n:
            self._solver = Nordsieck(
                self.fun, jacobian, t0, self.y, self.direction, rtol, atol, first_step=start, min_step=min_step,
                max_step=max_step, toward=t_bound,
            )  # fmt: skip

    def _step_impl(self) -> tuple[bool, str | None]:
        solver = self._solver
        solver.limit(self.t_bound)
        try:
            solver.step()
        except Failure:
            return False, "Unexpected istate in LSODA."
        near = abs(solver.t - self.t_bound) <= 100 * np.finfo(float).eps * (abs(solver.t) + abs(solver.h_used))
        self.t = self.t_bound if near else solver.t
        self.y = solver.output[2][0]
        self.njev, self.nlu = solver.jacobians, solver.decompositions
        return True, None

    def _dense_output_impl(self) -> DenseOutput:
        return NordsieckOutput(self.t_old, self.t, *self._solver.output)


class NordsieckOutput(DenseOutput):
    """The polynomial of the scaled derivatives."""

    def __init__(self, t_old: float, t: float, at: float, h: float, yh: ndarray) -> None:
        super().__init__(t_old, t)
        self.at, self.h, self.yh = at, h, yh

    def _call_impl(self, t: Any) -> ndarray:
        powers = ((np.asarray(t) - self.at) / self.h)[..., None] ** np.arange(self.yh.shape[0])
        return (cp.asarray(powers) @ self.yh).T if powers.ndim > 1 else cp.asarray(powers) @ self.yh
