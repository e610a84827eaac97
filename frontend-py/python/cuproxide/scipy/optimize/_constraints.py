"""Bounds and constraints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_host
from ..._lib.lending import shielded, shielded_if
from ._differences import METHODS, as_values, differences

__all__ = ["Bounds", "LinearConstraint", "NonlinearConstraint"]


class NonlinearConstraint:
    """The condition `lb <= fun(x) <= ub`. See `scipy.optimize.NonlinearConstraint`.

    Parameters
    ----------
    fun : callable
        The function of the variables, with one axis of values.
    lb, ub : array_like
        The bounds; equal ones for an equation, infinite ones for none.
    jac : {'2-point', '3-point', 'cs'} or callable, optional
        The Jacobian.
    hess : callable or HessianUpdateStrategy, optional
        `hess(x, v)`, the Hessian of `dot(fun, v)`.
    finite_diff_rel_step, finite_diff_jac_sparsity : optional
        Options of the differences.
    """

    def __init__(
        self,
        fun: Callable[..., Any],
        lb: Any,
        ub: Any,
        jac: Any = "2-point",
        hess: Any = None,
        keep_feasible: Any = False,
        finite_diff_rel_step: Any = None,
        finite_diff_jac_sparsity: Any = None,
    ) -> None:
        if hess is None:
            from ._hessian_updates import BFGS

            hess = BFGS()
        self.fun, self.lb, self.ub, self.jac, self.hess = fun, lb, ub, jac, hess
        self.keep_feasible = keep_feasible
        self.finite_diff_rel_step, self.finite_diff_jac_sparsity = finite_diff_rel_step, finite_diff_jac_sparsity


def _real(value: Any, name: str) -> ndarray:
    value = as_device(value)
    if value.dtype.kind == "c":
        raise ValueError(f"`{name}` must be real, got {value.dtype}")
    return value


class LinearConstraint:
    """The condition `lb <= A @ x <= ub`. See `scipy.optimize.LinearConstraint`.

    Parameters
    ----------
    A : array_like
        The matrix.
    lb, ub : array_like, optional
        The bounds.
    """

    def __init__(self, A: Any, lb: Any = -np.inf, ub: Any = np.inf, keep_feasible: Any = False) -> None:
        matrix = A.toarray() if hasattr(A, "toarray") else A
        matrix = _real(matrix, "A")
        self.A = cp.atleast_2d(matrix if matrix.dtype.kind == "f" else matrix.astype(np.float64))
        self.lb, self.ub = (cp.atleast_1d(_real(v, name)).astype(float) for v, name in ((lb, "lb"), (ub, "ub")))
        self.keep_feasible = cp.atleast_1d(as_device(keep_feasible)).astype(bool)
        if self.A.ndim != 2:
            raise ValueError("`A` must have exactly two dimensions.")
        rows = self.A.shape[:1]
        try:
            self.lb, self.ub, self.keep_feasible = (
                cp.broadcast_to(v, rows) for v in (self.lb, self.ub, self.keep_feasible)
            )
        except ValueError as error:
            raise ValueError("`lb`, `ub`, and `keep_feasible` must be broadcastable to shape `A.shape[0:1]`") from error

    def residual(self, x: Any) -> tuple[ndarray, ndarray]:
        """How far the product is above the lower and below the upper bounds."""
        value = self.A @ as_device(x)
        return value - self.lb, self.ub - value


class Bounds:
    """The condition `lb <= x <= ub`. See `scipy.optimize.Bounds`.

    Parameters
    ----------
    lb, ub : array_like, optional
        The bounds.
    """

    def __init__(self, lb: Any = -np.inf, ub: Any = np.inf, keep_feasible: Any = False) -> None:
        self.lb = cp.atleast_1d(_real(lb, "lb")).astype(np.float64)
        self.ub = cp.atleast_1d(_real(ub, "ub")).astype(np.float64)
        self.keep_feasible = cp.atleast_1d(as_device(keep_feasible)).astype(bool)
        try:
            shape = np.broadcast_shapes(self.lb.shape, self.ub.shape, self.keep_feasible.shape)
        except ValueError as error:
            raise ValueError("`lb`, `ub`, and `keep_feasible` must be broadcastable.") from error
        self.lb, self.ub, self.keep_feasible = (
            cp.broadcast_to(v, shape) for v in (self.lb, self.ub, self.keep_feasible)
        )

    def __repr__(self) -> str:
        feasible = f", keep_feasible={self.keep_feasible!r}" if bool(cp.any(self.keep_feasible)) else ""
        return f"{type(self).__name__}({self.lb!r}, {self.ub!r}{feasible})"

    def residual(self, x: Any) -> tuple[ndarray, ndarray]:
        """How far the variables are above the lower and below the upper bounds."""
        value = as_device(x)
        return value - self.lb, self.ub - value


def host_bounds(bounds: Any) -> tuple[Any, Any]:
    if hasattr(bounds, "lb"):
        low, high = to_host(bounds.lb).astype(float), to_host(bounds.ub).astype(float)
        low, high = np.broadcast_arrays(low, high)
        return low, high
    pairs = [tuple(pair) for pair in bounds]
    both: tuple[ndarray, ndarray] = bounds_of(pairs, len(pairs))
    return to_host(both[0]), to_host(both[1])


def bounds_of(bounds: Any, n: int) -> tuple[ndarray, ndarray] | None:
    """Lower and upper bounds of `n` variables, from `Bounds` (also SciPy's) or pairs with None for infinity."""
    if bounds is None:
        return None
    if hasattr(bounds, "lb"):
        low, high = as_device(bounds.lb).astype(float), as_device(bounds.ub).astype(float)
    else:
        pairs = [tuple(to_host(p).tolist()) if isinstance(p, ndarray) else tuple(p) for p in bounds]
        wrong = next((pair for pair in pairs if len(pair) != 2), None)
        if wrong is not None:
            raise ValueError(f"bounds must be pairs (min, max), got {wrong}")
        if len(pairs) not in (1, n):
            raise ValueError("The number of bounds is not compatible with the length of `x0`.")
        low = cp.asarray(np.array([-np.inf if p[0] is None else float(p[0]) for p in pairs], float))
        high = cp.asarray(np.array([np.inf if p[1] is None else float(p[1]) for p in pairs], float))
    try:
        low, high = (cp.array(cp.broadcast_to(v, (n,))) for v in (low, high))
    except ValueError as error:
        raise ValueError("The number of bounds is not compatible with the length of `x0`.") from error
    if bool(cp.any(low > high)):
        raise ValueError("An upper bound is less than the corresponding lower bound.")
    return low, high


class Constraints:
    """All constraints of a problem as equations `eq(x) = 0` and inequalities `ineq(x) >= 0` with their Jacobians."""

    def __init__(self, constraints: Any, x0: ndarray, bounds: Any = None) -> None:
        if constraints is None:
            items = []
        elif isinstance(constraints, (dict, LinearConstraint, NonlinearConstraint)) or hasattr(constraints, "lb"):
            items = [constraints]
        else:
            items = list(constraints)
        self.parts: list[Any] = []
        self.nfev = self.njev = 0
        for index, item in enumerate(items):
            self.parts.append(self._part(index, item, x0))
        self.bounds = bounds
        self.count_eq = sum(int(part[2].sum()) for part in self.parts)
        self.count_ineq = sum(int(part[3].sum() + part[4].sum()) for part in self.parts)

    def _part(self, index: int, item: Any, x0: ndarray) -> Any:
        if isinstance(item, dict):
            try:
                kind = item["type"].lower()
            except KeyError as error:
                raise KeyError(f"Constraint {index} has no type defined.") from error
            except TypeError as error:
                raise TypeError("Constraints must be a dictionary.") from error
            except AttributeError as error:
                raise TypeError("Constraint's type must be a string.") from error
            if kind not in ("eq", "ineq"):
                raise ValueError(f"Unknown constraint type '{item['type']}'.")
            if "fun" not in item:
                raise ValueError(f"Constraint {index} has no function defined.")
            extra = item.get("args", ())
            function, jac = shielded(item["fun"]), shielded_if(item.get("jac"))
            fun = lambda x: cp.atleast_1d(as_values(function(x, *extra)))  # noqa: E731
            given = (lambda x: jac(x, *extra)) if callable(jac) else jac
            low, high = np.zeros(1), np.zeros(1) if kind == "eq" else np.full(1, np.inf)
            relative = None
        elif hasattr(item, "A"):
            matrix = item.A
            matrix = as_device(matrix.toarray() if hasattr(matrix, "toarray") else matrix).astype(float)
            fun, given = (lambda x: matrix @ x), (lambda x: matrix)
            low, high, relative = to_host(item.lb), to_host(item.ub), None
        elif hasattr(item, "fun"):
            function = shielded(item.fun)
            fun = lambda x: cp.atleast_1d(as_values(function(x)))  # noqa: E731
            given, relative = shielded_if(item.jac), item.finite_diff_rel_step
            low, high = np.atleast_1d(to_host(item.lb)), np.atleast_1d(to_host(item.ub))
        elif hasattr(item, "lb"):
            low, high, relative = to_host(item.lb), to_host(item.ub), None
            fun, given = (lambda x: x), (lambda x: cp.eye(x.size))
        else:
            raise TypeError("Constraints must be a dictionary.")
        size = fun(x0).size
        self.nfev += 1
        low, high = np.broadcast_to(low, (size,)).astype(float), np.broadcast_to(high, (size,)).astype(float)
        equal = low == high
        return fun, given, equal, np.isfinite(low) & ~equal, np.isfinite(high) & ~equal, low, high, relative

    def values(self, x: ndarray) -> tuple[ndarray, ndarray]:
        """The equations and the inequalities."""
        self.nfev += 1
        equations, inequalities = [cp.empty(0)], [cp.empty(0)]
        for fun, _, equal, below, above, low, high, _ in self.parts:
            value = fun(x).astype(float)
            equations.append((value - cp.asarray(low))[cp.asarray(np.flatnonzero(equal))])
            inequalities.append((value - cp.asarray(low))[cp.asarray(np.flatnonzero(below))])
            inequalities.append((cp.asarray(high) - value)[cp.asarray(np.flatnonzero(above))])
        return cp.concatenate(equations), cp.concatenate(inequalities)

    def jacobians(self, x: ndarray) -> tuple[ndarray, ndarray]:
        """Their Jacobians."""
        self.njev += 1
        n = x.size
        equations, inequalities = [cp.empty((0, n))], [cp.empty((0, n))]
        for fun, given, equal, below, above, _, _, relative in self.parts:
            if callable(given):
                found = given(x)
                found = found.toarray() if hasattr(found, "toarray") else found
                if isinstance(found, (list, tuple)):
                    found = cp.stack([as_values(row) for row in found])
                jac = cp.atleast_2d(as_device(found)).astype(float)
            else:
                method = given if given in METHODS else "2-point"
                jac = differences(fun, x, fun(x), method, relative, None, self.bounds)
            equations.append(jac[cp.asarray(np.flatnonzero(equal))])
            inequalities.append(jac[cp.asarray(np.flatnonzero(below))])
            inequalities.append(-jac[cp.asarray(np.flatnonzero(above))])
        return cp.concatenate(equations), cp.concatenate(inequalities)
