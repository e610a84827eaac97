"""Initial value problems from end to end."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._lib.arguments import to_float, to_host
from ..._lib.results import Result
from ._batch import solve_batch
from ._implicit import BDF, Radau
from ._lsoda import LSODA
from ._ode_base import EPS, DenseOutput, OdeSolution, OdeSolver, as_state
from ._runge_kutta import DOP853, RK23, RK45

__all__ = ["solve_ivp"]

METHODS: dict[str, type[OdeSolver]] = {
    "RK23": RK23, "RK45": RK45, "DOP853": DOP853, "Radau": Radau, "BDF": BDF, "LSODA": LSODA,
}  # fmt: skip
_MESSAGES = {
    0: "The solver successfully reached the end of the integration interval.",
    1: "A termination event occurred.",
}


class OdeResult(Result):
    """The result of `solve_ivp`."""


def _root(f: Callable[[float], float], a: float, b: float) -> float:
    """A root between two ends, by Brent's method to the last bits."""
    from ..optimize import brentq

    return brentq(f, a, b, xtol=4 * EPS, rtol=4 * EPS)


class _Events:
    """Functions of time and state whose zeros are looked for."""

    def __init__(self, events: Any, args: Any) -> None:
        events = (events,) if callable(events) else tuple(events)
        self.most = []
        self.directions = []
        for event in events:
            terminal = getattr(event, "terminal", None)
            self.directions.append(getattr(event, "direction", 0))
            if terminal is None or terminal == 0:
                self.most.append(math.inf)
            elif int(terminal) == terminal and terminal > 0:
                self.most.append(terminal)
            else:
                raise ValueError("The `terminal` attribute of each event must be a boolean or positive integer.")
        extra = tuple(args) if args is not None else ()
        self.functions = [
            (lambda t, y, event=event: to_float(as_state(event(t, y.copy(), *extra), None))) for event in events
        ]
        self.counts = [0] * len(events)
        self.times: list[list[float]] = [[] for _ in events]
        self.states: list[list[Any]] = [[] for _ in events]

    def values(self, t: float, y: Any) -> list[float]:
        return [event(t, y) for event in self.functions]

    def crossed(self, old: list[float], new: list[float]) -> list[int]:
        found = []
        for i, (a, b, direction) in enumerate(zip(old, new, self.directions, strict=True)):
            up, down = a <= 0 <= b, a >= 0 >= b
            if (up and direction >= 0) or (down and direction <= 0):
                found.append(i)
        return found

    def locate(self, active: list[int], sol: DenseOutput, t_old: float, t: float) -> float | None:
        """Notes the events of a step; the time of the one that ends the integration, if one does."""
        found = []
        for i in active:
            self.counts[i] += 1
            event = self.functions[i]
            found.append((_root(lambda s: event(s, sol(s)), t_old, t), i))  # noqa: B023
        ends = any(self.counts[i] >= self.most[i] for i in active)
        if ends:
            found.sort(key=lambda pair: pair[0] if t > t_old else -pair[0])
        for time, i in found:
            self.times[i].append(time)
            self.states[i].append(sol(time))
            if ends and self.counts[i] >= self.most[i]:
                return time
        return None


def solve_ivp(
    fun: Callable[..., Any],
    t_span: Any,
    y0: Any,
    method: Any = "RK45",
    t_eval: Any = None,
    dense_output: bool = False,
    events: Any = None,
    vectorized: bool = False,
    args: Any = None,
    *,
    batch: bool = False,
    **options: Any,
) -> OdeResult:
    """Solves an initial value problem, or a batch of independent ones that advance together.

    Parameters
    ----------
    fun : callable
        `fun(t, y)`: the derivative of the state, an array, or a list of numbers and of arrays without axes.
    t_span : (float, float)
        Where to begin and where to end.
    y0 : array_like
        The state to begin with, of shape `(n,)`; with `batch` of shape `(n, problems)`.
    method : {'RK45', 'RK23', 'DOP853', 'Radau', 'BDF', 'LSODA'} or OdeSolver, optional
        The method: explicit ones for systems that are not stiff; 'Radau' and 'BDF' for stiff ones; 'LSODA' finds out.
    t_eval : array_like, optional
        Times at which to return the state; by default the times of the steps.
    dense_output : bool, optional
        Whether to return the solution as a function.
    events : callable or list of callables, optional
        Functions `event(t, y)` whose zeros are to be found, with the attributes `terminal` and `direction`.
    vectorized : bool, optional
        Whether `fun` takes several states, of shape `(n, k)`.
    args : tuple, optional
        Further arguments of `fun`, of the events and of the Jacobian.
    batch : bool, optional
        Not in SciPy. Whether `y0` holds independent problems, one a column. Then `fun` gets times of shape
        `(problems,)`
        and states of shape `(n, problems)`; each problem has steps of its own; the method is 'RK45', 'RK23' or
        'DOP853';
        parameters of the problems may be arrays that `fun` broadcasts. The states are returned at `t_eval`, by default
        at the end, in an array of shape `(n, problems, times)`; `status`, `success` and `steps` are arrays.
    **options
        `rtol` (1e-3), `atol` (1e-6), `first_step`, `max_step`, and for implicit methods `jac`, `jac_sparsity`, `lband`,
        `uband`, `min_step`.

    Returns
    -------
    OdeResult
        With `t`, `y`, `sol`, `t_events`, `y_events`, `nfev`, `njev`, `nlu`, `status`, `message`, `success`. The
        status is
        0 at the end of the range, 1 after an event, -1 after a failure.

    Raises
    ------
    ValueError
        If the method is unknown, or times, tolerances or the state cannot be.

    >>> res = integrate.solve_ivp(lambda t, y: -0.5 * y, (0, 2), [2.0, 4.0], rtol=1e-8)
    >>> res.y[:, -1].round(5)
    array([0.73576, 1.47152])

    A thousand problems with rates of their own:

    >>> rates = cp.linspace(0, 1, 1000)
    >>> res = integrate.solve_ivp(lambda t, y: -rates * y, (0, 2), cp.ones((1, 1000)), batch=True)
    >>> res.y.shape
    (1, 1000, 1)
    """
    if method not in METHODS and not (inspect.isclass(method) and issubclass(method, OdeSolver)):
        raise ValueError(f"`method` must be one of {METHODS} or OdeSolver class.")
    t0, tf = map(float, t_span)
    if args is not None:
        try:
            extra = tuple(args)
        except TypeError as error:
            raise TypeError(
                f"Supplied 'args' cannot be unpacked. Please supply `args` as a tuple (e.g. `args=({args},)`)"
            ) from error
        given = fun

        def fun(t: Any, y: Any) -> Any:
            return given(t, y, *extra)

        jac = options.get("jac")
        if callable(jac):
            options["jac"] = lambda t, y: jac(t, y, *extra)
    wanted = None
    if t_eval is not None:
        wanted = to_host(t_eval).astype(float)
        if wanted.ndim != 1:
            raise ValueError("`t_eval` must be 1-dimensional.")
        if np.any(wanted < min(t0, tf)) or np.any(wanted > max(t0, tf)):
            raise ValueError("Values in `t_eval` are not within `t_span`.")
        d = np.diff(wanted)
        if (tf > t0 and np.any(d <= 0)) or (tf < t0 and np.any(d >= 0)):
            raise ValueError("Values in `t_eval` are not properly sorted.")
    if batch:
        if events is not None or dense_output:
            raise ValueError("a batch has no events and no dense output")
        if method not in ("RK45", "RK23", "DOP853"):
            raise ValueError(f"a batch is solved by 'RK45', 'RK23' or 'DOP853', not by {method!r}")
        return OdeResult(solve_batch(fun, t0, tf, y0, METHODS[method], wanted, **options))
    solver_class = METHODS[method] if method in METHODS else method
    solver = solver_class(fun, t0, y0, tf, vectorized=vectorized, **options)
    return _run(solver, t0, tf, wanted, dense_output, events, args, solver_class in (BDF, LSODA))


def _run(
    solver: OdeSolver,
    t0: float,
    tf: float,
    wanted: Any,
    dense_output: bool,
    events: Any,
    args: Any,
    alt_segment: bool,
) -> OdeResult:
    ts: list[Any] = [t0] if wanted is None else []
    ys: list[Any] = [solver.y] if wanted is None else []
    stops, interpolants = [t0], []
    found = None if events is None else _Events(events, args)
    old = None if found is None else found.values(t0, solver.y)
    status, message = None, None
    position = 0
    while status is None:
        message = solver.step()
        if solver.status == "finished":
            status = 0
        elif solver.status == "failed":
            status = -1
            break
        t_old, t, y = solver.t_old, solver.t, solver.y
        sol = solver.dense_output() if dense_output else None
        if found is not None:
            new = found.values(t, y)
            active = found.crossed(old, new)
            if active:
                sol = solver.dense_output() if sol is None else sol
                end = found.locate(active, sol, t_old, t)
                if end is not None:
                    status, t, y = 1, end, sol(end)
            old = new
        # A last step of no length adds nothing to a solution.
        still = dense_output and len(stops) > 1 and stops[-1] == t
        if dense_output and not still:
            interpolants.append(sol)
            stops.append(t)
        if wanted is None:
            if not still:
                ts.append(t)
                ys.append(y)
        else:
            upto = position
            while upto < wanted.size and solver.direction * (wanted[upto] - t) <= 0:
                upto += 1
            if upto > position:
                sol = solver.dense_output() if sol is None else sol
                ts.append(wanted[position:upto])
                ys.append(sol(wanted[position:upto]))
                position = upto
    message = _MESSAGES.get(status, message)
    if wanted is None:
        times, states = cp.asarray(np.array(ts)), cp.stack(ys, axis=1)
    elif ts:
        times, states = cp.asarray(np.concatenate(ts)), cp.concatenate(ys, axis=1)
    else:
        times, states = cp.empty(0), cp.empty((solver.n, 0))
    solution = OdeSolution(np.array(stops), interpolants, alt_segment) if dense_output and interpolants else None
    t_events = y_events = None
    if found is not None:
        t_events = [cp.asarray(np.array(times_)) for times_ in found.times]
        y_events = [cp.stack(states_) if states_ else cp.empty(0) for states_ in found.states]
    return OdeResult(
        t=times, y=states, sol=solution, t_events=t_events, y_events=y_events, nfev=solver.nfev, njev=solver.njev,
        nlu=solver.nlu, status=status, message=message, success=status >= 0,
    )  # fmt: skip
