"""What the solvers of initial value problems share: the base class, first steps, Jacobians by differences."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from types import GenericAlias
from typing import Any, Literal

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_host
from ..._lib.lending import shielded

__all__ = ["DenseOutput", "OdeSolution", "OdeSolver"]

EPS = float(np.finfo(float).eps)
# What the shared texts tell from other arguments and results.
Times = Any
States = ndarray


def as_state(value: Any, dtype: Any) -> ndarray:
    """What a right-hand side returned, an array or a list of numbers and of arrays, as an array of the device."""
    if isinstance(value, (list, tuple)) and any(isinstance(part, ndarray) for part in value):
        value = cp.stack([as_device(part, dtype) for part in value])
    return as_device(value, dtype)


def combine(y: ndarray | None, h: float, coefficients: Any, slopes: list[ndarray]) -> ndarray:
    """`y + h * sum(c * k)`, which runs as one kernel."""
    total: Any = None
    for c, k in zip(coefficients, slopes, strict=False):
        if c:
            term = k * (h * c)
            total = term if total is None else total + term
    if total is None:
        return slopes[0] * 0.0 if y is None else y
    return total if y is None else y + total


def norm(x: ndarray) -> float:
    """The root mean square of an array, read by the host."""
    square = x * x if x.dtype.kind != "c" else abs(x) ** 2
    return math.sqrt(float(cp.sum(square)) / x.size)


def scaled_norm(x: ndarray, scale: Any) -> float:
    """The root mean square of `x / scale`."""
    return norm(x / scale)


class DenseOutput:
    """The solution between two steps.

    Parameters
    ----------
    t_old : float
        The time before the step.
    t : float
        The time after it.

    Attributes
    ----------
    t_min, t_max : float
        The range.
    """

    __class_getitem__: classmethod[Any, ..., GenericAlias] = classmethod(GenericAlias)

    def __init__(self, t_old: float, t: float) -> None:
        self.t_old = t_old
        self.t = t
        self.t_min = min(t, t_old)
        self.t_max = max(t, t_old)

    def __call__(self, t: Times) -> States:
        """The state at a time, or at several."""
        t = to_host(t)
        if t.ndim > 1:
            raise ValueError("`t` must be a float or a 1-D array.")
        return self._call_impl(float(t) if t.ndim == 0 else t.astype(float))

    def _call_impl(self, t: Any) -> ndarray:
        raise NotImplementedError


class ConstantDenseOutput(DenseOutput):
    """A state that does not change."""

    def __init__(self, t_old: float, t: float, value: ndarray) -> None:
        super().__init__(t_old, t)
        self.value = value

    def _call_impl(self, t: Any) -> ndarray:
        if isinstance(t, float):
            return self.value
        return cp.array(cp.broadcast_to(self.value[:, None], (self.value.shape[0], t.shape[0])))


class PolynomialOutput(DenseOutput):
    """`y_old + x * (q0 + x * (q1 + ...))` with x from 0 to 1 over the step."""

    def __init__(self, t_old: float, t: float, y_old: ndarray, q: list[ndarray]) -> None:
        super().__init__(t_old, t)
        self.y_old, self.q = y_old, q

    def _call_impl(self, t: Any) -> ndarray:
        x = (t - self.t_old) / (self.t - self.t_old)
        wide = not isinstance(t, float)
        x = cp.asarray(x) if wide else x
        total = self.q[-1][:, None] if wide else self.q[-1]
        for q in reversed(self.q[:-1]):
            total = total * x + (q[:, None] if wide else q)
        return total * x + (self.y_old[:, None] if wide else self.y_old)


class OdeSolver:
    """The base of solvers that go from step to step.

    A solver defines `_step_impl`, which returns whether the step succeeded and a message, and `_dense_output_impl`. The
    state is an array of the device; times are numbers of the host.

    Parameters
    ----------
    support_complex : bool
        Whether states may be complex.
    """

    TOO_SMALL_STEP = "Required step size is less than spacing between numbers."
    __class_getitem__: classmethod[Any, ..., GenericAlias] = classmethod(GenericAlias)

    def __init__(
        self,
        fun: Callable[..., Any],
        t0: float,
        y0: Any,
        t_bound: float,
        vectorized: bool,
        support_complex: bool = False,
    ) -> None:
        state = as_state(y0, None)
        if state.dtype.kind == "c" and not support_complex:
            raise ValueError("`y0` is complex, but the chosen solver does not support integration in a complex domain.")
        dtype = np.complex128 if state.dtype.kind == "c" else np.float64
        state = cp.array(state, dtype)
        if state.ndim != 1:
            raise ValueError("`y0` must be 1-dimensional.")
        if not bool(cp.all(cp.isfinite(state))):
            raise ValueError("All components of the initial state `y0` must be finite.")
        self.t_old: float | None = None
        self.t = t0
        self.y = state
        self.t_bound = t_bound
        self.vectorized = vectorized
        self.n = state.size
        self.nfev = self.njev = self.nlu = 0
        self.status = "running"
        self.direction = float(np.sign(t_bound - t0)) if t_bound != t0 else 1

        self._function, self._type = shielded(fun, 2), dtype

    # Methods and no functions within: solvers can be pickled if the right-hand side can.

    def _plain(self, t: float, y: ndarray) -> ndarray:
        return as_state(self._function(t, y), self._type)

    def fun(self, t: float, y: ndarray) -> ndarray:
        """The right-hand side, counted.

        Raises
        ------
        ValueError
            If the right-hand side has another shape.
        """
        self.nfev += 1
        value = self.fun_single(t, y)
        if value.size != 1 and value.shape != y.shape:
            raise ValueError(f"`fun` must return an array of shape {y.shape}, got {value.shape}")
        return value

    def fun_single(self, t: float, y: ndarray) -> ndarray:
        """The right-hand side at one state."""
        return self._plain(t, y[:, None]).reshape(-1) if self.vectorized else self._plain(t, y)

    def fun_vectorized(self, t: float, y: ndarray) -> ndarray:
        """The right-hand side at states in columns.

        Parameters
        ----------
        y : ndarray
            The states.
        """
        if self.vectorized:
            return self._plain(t, y)
        return cp.stack([self._plain(t, y[:, i]) for i in range(y.shape[1])], axis=1)

    @property
    def step_size(self) -> float | None:
        """The length of the last step."""
        return None if self.t_old is None else abs(self.t - self.t_old)

    def step(self) -> str | None:
        """Takes a step; returns what went wrong, or None."""
        if self.status != "running":
            raise RuntimeError("Attempt to step on a failed or finished solver.")
        if self.n == 0 or self.t == self.t_bound:
            self.t_old = self.t
            self.t = self.t_bound
            self.status = "finished"
            return None
        t = self.t
        success, message = self._step_impl()
        if not success:
            self.status = "failed"
        else:
            self.t_old = t
            if self.direction * (self.t - self.t_bound) >= 0:
                self.status = "finished"
        return message

    def dense_output(self) -> DenseOutput:
        """The solution over the last step."""
        if self.t_old is None:
            raise RuntimeError("Dense output is available after a successful step was made.")
        if self.n == 0 or self.t == self.t_old:
            return ConstantDenseOutput(self.t_old, self.t, self.y)
        return self._dense_output_impl()

    def _step_impl(self) -> tuple[bool, str | None]:
        raise NotImplementedError

    def _dense_output_impl(self) -> DenseOutput:
        raise NotImplementedError

    def _least_step(self) -> float:
        return 10 * abs(float(np.nextafter(self.t, self.direction * np.inf)) - self.t)


class OdeSolution:
    """The solution over all steps.

    Parameters
    ----------
    ts : array_like
        The times of the steps, monotonic.
    interpolants : list of DenseOutput
        The solution between them.
    alt_segment : bool, optional
        Whether a time of a step belongs to the step after it.

    See Also
    --------
    scipy.integrate.OdeSolution : the class of SciPy.
    """

    def __init__(self, ts: Any, interpolants: list[DenseOutput], alt_segment: bool = False) -> None:
        ts = to_host(ts)
        d = np.diff(ts)
        if not (ts.size == 2 and ts[0] == ts[-1] or np.all(d > 0) or np.all(d < 0)):
            raise ValueError("`ts` must be strictly increasing or decreasing.")
        self.n_segments = len(interpolants)
        if ts.shape != (self.n_segments + 1,):
            raise ValueError("Numbers of time stamps and interpolants don't match.")
        self.ts = ts
        self.interpolants = interpolants
        self.ascending = bool(ts[-1] >= ts[0])
        self.t_min, self.t_max = (ts[0], ts[-1]) if self.ascending else (ts[-1], ts[0])
        self.side: Literal["left", "right"] = "right" if self.ascending == alt_segment else "left"
        self.ts_sorted = ts if self.ascending else ts[::-1]

    def __call__(self, t: Times) -> States:
        """The state at a time, or at several."""
        t = to_host(t)
        segments: Any = np.clip(np.searchsorted(self.ts_sorted, t, side=self.side) - 1, 0, self.n_segments - 1)
        segments = segments if self.ascending else self.n_segments - 1 - segments
        if t.ndim == 0:
            return self.interpolants[int(segments)](t)
        order = np.argsort(segments, kind="stable")
        if not t.size:
            return self.interpolants[0](t)
        cuts = np.flatnonzero(np.diff(segments[order])) + 1
        parts = [self.interpolants[int(segments[group[0]])](t[group]) for group in np.split(order, cuts)]
        return cp.concatenate(parts, axis=1)[:, cp.asarray(np.argsort(order, kind="stable"))]


def check_first_step(first_step: float, t0: float, t_bound: float) -> float:
    if first_step <= 0:
        raise ValueError("`first_step` must be positive.")
    if first_step > abs(t_bound - t0):
        raise ValueError("`first_step` exceeds bounds.")
    return first_step


def check_max_step(max_step: float) -> float:
    if max_step <= 0:
        raise ValueError("`max_step` must be positive.")
    return max_step


def check_tolerances(rtol: Any, atol: Any, n: int) -> tuple[Any, Any]:
    """Tolerances as numbers, or as arrays of the device."""
    if np.any(to_host(rtol) < 100 * EPS):
        least = 100 * EPS
        warnings.warn(
            f"At least one element of `rtol` is too small. Setting `rtol = np.maximum(rtol, {least})`.", stacklevel=4
        )
        rtol = max(rtol, least) if np.ndim(to_host(rtol)) == 0 else cp.maximum(as_device(rtol), least)
    given = to_host(atol)
    if given.ndim > 0 and given.shape != (n,):
        raise ValueError("`atol` has wrong shape.")
    if np.any(given < 0):
        raise ValueError("`atol` must be positive.")
    return (
        float(rtol) if np.ndim(to_host(rtol)) == 0 else as_device(rtol),
        float(given) if given.ndim == 0 else as_device(atol).astype(np.float64),
    )


def warn_extraneous(extraneous: dict[str, Any]) -> None:
    if extraneous:
        names = ", ".join(f"`{name}`" for name in extraneous)
        warnings.warn(f"The following arguments have no effect for a chosen solver: {names}.", stacklevel=4)


def first_step_length(solver: OdeSolver, f0: ndarray, order: int, max_step: float, rtol: Any, atol: Any) -> float:
    """A first step from the sizes of the state and of its derivatives (Hairer, Norsett, Wanner, II.4)."""
    y0, direction = solver.y, solver.direction
    interval = abs(solver.t_bound - solver.t)
    if y0.size == 0:
        return math.inf
    if interval == 0.0:
        return 0.0
    scale = atol + abs(y0) * rtol
    d0, d1 = norm(y0 / scale), norm(f0 / scale)
    h0 = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
    h0 = min(h0, interval)
    f1 = solver.fun(solver.t + h0 * direction, y0 + f0 * (h0 * direction))
    d2 = norm((f1 - f0) / scale) / h0
    h1 = max(1e-6, h0 * 1e-3) if d1 <= 1e-15 and d2 <= 1e-15 else (0.01 / max(d1, d2)) ** (1 / (order + 1))
    return min(100 * h0, h1, interval, max_step)


def group_columns(pattern: Any) -> Any:
    """Groups of columns that have no row in common, from a pattern on the host: greedy, the fullest columns first."""
    pattern = np.asarray(pattern) != 0
    n = pattern.shape[1]
    groups = np.full(n, -1)
    taken: list[Any] = []
    for column in np.argsort(-pattern.sum(axis=0), kind="stable"):
        rows = pattern[:, column]
        for index, used in enumerate(taken):
            if not np.any(used & rows):
                groups[column] = index
                used |= rows
                break
        else:
            groups[column] = len(taken)
            taken.append(rows.copy())
    return groups


class DifferenceJacobian:
    """Jacobians by forward differences whose steps adapt from one to the next."""

    REJECT, SMALL, BIG, LEAST = EPS**0.875, EPS**0.75, EPS**0.25, 1e3 * EPS

    def __init__(self, fun: Callable[..., Any], threshold: Any, sparsity: Any = None) -> None:
        self.fun, self.threshold = fun, threshold
        self.factor: ndarray | None = None
        self.pattern = self.groups = None
        if sparsity is not None:
            dense = sparsity.toarray() if hasattr(sparsity, "toarray") else sparsity
            pattern = to_host(dense) != 0
            self.groups = cp.asarray(group_columns(pattern))
            self.pattern = cp.asarray(pattern)
            self.count = int(cp.max(self.groups)) + 1 if self.groups.size else 0

    def _difference(self, t: float, y: ndarray, f: ndarray, h: ndarray) -> tuple[ndarray, ndarray]:
        """Values at steps in each variable and what they differ by, a column a variable."""
        if self.groups is None:
            new = self.fun(t, y[:, None] + cp.diag(h))
        else:
            moved = cp.where(cp.arange(self.count)[None, :] == self.groups[:, None], h[:, None], 0)
            new = self.fun(t, y[:, None] + moved)[:, self.groups]
        difference = new - f[:, None]
        return new, difference if self.pattern is None else cp.where(self.pattern, difference, 0)

    def __call__(self, t: float, y: ndarray, f: ndarray) -> ndarray:
        n = y.shape[0]
        if n == 0:
            return cp.empty((0, 0))
        factor = cp.full(n, EPS**0.5) if self.factor is None else self.factor
        sign = cp.where(cp.real(f) >= 0, 1.0, -1.0)
        scale_y = sign * cp.maximum(self.threshold, abs(y))
        for _ in range(300):
            h = (y + factor * scale_y) - y
            zero = h == 0
            if not bool(cp.any(zero)):
                break
            factor = cp.where(zero, factor * 10, factor)
        columns = cp.arange(n)

        def measure(h: ndarray) -> tuple[ndarray, ndarray, ndarray]:
            new, difference = self._difference(t, y, f, h)
            size = abs(difference)
            row = cp.argmax(size, axis=0)
            largest = size[row, columns]
            return difference, largest, cp.maximum(abs(f[row]), abs(new[row, columns]))

        difference, largest, scale = measure(h)
        small = largest < self.REJECT * scale
        if bool(cp.any(small)):
            # Too little changed: once more with larger steps, where that shows more.
            larger = cp.where(small, factor * 10, factor)
            longer = (y + larger * scale_y) - y
            again, most, size = measure(longer)
            better = small & (largest * size < most * scale)
            factor, h = cp.where(better, larger, factor), cp.where(better, longer, h)
            difference = cp.where(better, again, difference)
            largest, scale = cp.where(better, most, largest), cp.where(better, size, scale)
        factor = cp.where(largest < self.SMALL * scale, factor * 10, factor)
        factor = cp.where(largest > self.BIG * scale, factor * 0.1, factor)
        self.factor = cp.maximum(factor, self.LEAST)
        return difference / h
