"""The older interfaces to initial value problems: `odeint` and the class `ode`."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import partial
from types import GenericAlias
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_host
from ..._lib.lending import shielded
from ._lsoda import jacobian_of
from ._nordsieck import Failure, Nordsieck
from ._ode_base import as_state
from ._runge_kutta import DOP853, RK45

__all__ = ["ODEintWarning", "complex_ode", "ode", "odeint"]


class ODEintWarning(Warning):
    """`odeint` did not reach the end."""


_MESSAGES = {
    2: "Integration successful.",
    1: "Nothing was done; the integration time was 0.",
    -1: "Excess work done on this call (perhaps wrong Dfun type).",
    -2: "Excess accuracy requested (tolerances too small).",
    -3: "Illegal input detected (internal error).",
    -4: "Repeated error test failures (internal error).",
    -5: "Repeated convergence failures (perhaps bad Jacobian or tolerances).",
    -6: "Error weight became zero during problem.",
}


def odeint(
    func: Callable[..., Any],
    y0: Any,
    t: Any,
    args: Any = (),
    Dfun: Any = None,
    col_deriv: int = 0,
    full_output: int = 0,
    ml: int | None = None,
    mu: int | None = None,
    rtol: Any = None,
    atol: Any = None,
    tcrit: Any = None,
    h0: float = 0.0,
    hmax: float = 0.0,
    hmin: float = 0.0,
    ixpr: int = 0,
    mxstep: int = 0,
    mxhnil: int = 0,
    mxordn: int = 12,
    mxords: int = 5,
    printmessg: int = 0,
    tfirst: bool = False,
) -> Any:
    """Solves an initial value problem at given times by the strategy of LSODA.

    Parameters
    ----------
    func : callable
        `func(y, t, *args)`, or `func(t, y, *args)` with `tfirst`: the derivative.
    y0 : array_like
        The state at the first time.
    t : array_like
        The times, monotonic.
    args : tuple, optional
        Further arguments.
    Dfun : callable, optional
        The Jacobian of `func`; its transpose with `col_deriv`.
    ml, mu : int, optional
        The numbers of diagonals below and above of a banded Jacobian.
    rtol, atol : float or array_like, optional
        The tolerances, 1.49012e-8.
    tcrit : array_like, optional
        Times that no step may pass before it has come to them.
    h0, hmax, hmin : float, optional
        The first, the longest and the shortest step; 0 for what fits.
    mxstep : int, optional
        The most steps for each time; 0 for 500.
    mxordn, mxords : int, optional
        The highest orders of the formulas for systems that are not stiff and that are.
    printmessg : bool, optional
        Whether to say that it went well.
    ixpr, mxhnil : optional
        Not used.
    tfirst : bool, optional
        Whether the time is the first argument.

    Returns
    -------
    y : ndarray
        The states, of shape `(len(t), len(y0))`, NaN at times that were not reached.
    infodict : dict
        With `full_output`.

    Raises
    ------
    ValueError
        If the times are not monotonic.

    Warns
    -----
    ODEintWarning
        If a time was not reached.

    >>> integrate.odeint(lambda y, t: -y, [1.0], [0.0, 1.0]).round(5)
    array([[1.     ],
           [0.36788]])
    """
    args = args if isinstance(args, tuple) else (args,)
    times = to_host(t).astype(float)
    if times.ndim != 1:
        raise ValueError(f"Output times t must be one-dimensional, got {times.ndim} dimensions.")
    steps = np.diff(times)
    if not (np.all(steps >= 0) or np.all(steps <= 0)):
        raise ValueError(
            "The values in t must be monotonically increasing or monotonically decreasing; repeated values are allowed."
        )
    start = cp.atleast_1d(as_state(y0, None)).astype(np.float64)
    if start.ndim != 1:
        raise ValueError("Initial condition y0 must be one-dimensional.")
    right, calls = shielded(func, 2), 0

    def fun(t: float, y: ndarray) -> ndarray:
        nonlocal calls
        calls += 1
        found = as_state(right(t, y, *args) if tfirst else right(y, t, *args), np.float64)
        if found.shape != y.shape and found.size != y.size:
            raise RuntimeError(
                f"The array return by func must be one-dimensional, but got ndim={found.ndim}."
                if found.ndim > 1
                else f"The size of the array returned by func ({found.size}) does not match the size of y0 ({y.size})."
            )
        return found.reshape(y.shape)

    jac = None
    if Dfun is not None:

        def jac(t: float, y: ndarray) -> Any:
            found = Dfun(t, y, *args) if tfirst else Dfun(y, t, *args)
            if not col_deriv:
                return found
            return as_state(
                [as_state(row, None) for row in found] if isinstance(found, (list, tuple)) else found, None
            ).T

    rtol = 1.49012e-8 if rtol is None else rtol
    atol = 1.49012e-8 if atol is None else atol
    rtol, atol = (float(v) if np.ndim(to_host(v)) == 0 else as_device(v) for v in (rtol, atol))
    for name, value in (("rtol", rtol), ("atol", atol)):
        if bool((value < 0) if isinstance(value, float) else (value < 0).any()):
            raise ValueError(f"`{name}` must not be negative, got {value}")
    jacobian = jacobian_of(fun, jac, start.size, np.float64, atol, None, (ml, mu))
    rows, code = [start], 2
    info: dict[str, list[Any]] = {
        name: [] for name in ("hu", "tcur", "tolsf", "tsw", "nst", "nfe", "nje", "nqu", "mused")
    }
    solver, position, switched = None, times[0] if times.size else 0.0, 0.0
    stops = np.sort(to_host(tcrit).astype(float).ravel()) if tcrit is not None else np.empty(0)
    for end in times[1:]:
        direction = 1.0 if end >= position else -1.0
        if end == position and solver is None:
            rows.append(rows[-1])
            continue
        if solver is None:
            solver = Nordsieck(
                fun, jacobian, position, start, direction, rtol, atol, first_step=h0, min_step=hmin,
                max_step=hmax or math.inf, orders=(mxordn, mxords), toward=end,
            )  # fmt: skip
        used = 0
        try:
            while (solver.t - end) * direction < 0:
                if used >= (mxstep or 500):
                    raise Failure(-1)
                ahead = stops[stops > solver.t] if direction > 0 else stops[stops < solver.t][::-1]
                if ahead.size:
                    solver.limit(float(ahead[0]))
                before = solver.stiff
                solver.step()
                used += 1
                switched = solver.t if solver.stiff != before else switched
        except Failure as failure:
            code = failure.code
            rows += [cp.full_like(start, np.nan)] * (times.size - len(rows))
            break
        at, h, yh = solver.output
        rows.append(cp.asarray(((end - at) / h) ** np.arange(yh.shape[0])) @ yh)
        for name, value in (
            ("hu", solver.h_used), ("tcur", solver.t), ("tolsf", 0.0), ("tsw", switched), ("nst", solver.steps),
            ("nfe", calls), ("nje", solver.jacobians), ("nqu", solver.order_used), ("mused", 2 if solver.stiff else 1),
        ):  # fmt: skip
            info[name].append(value)
    if code < 0:
        warnings.warn(
            f"{_MESSAGES[code]} Run with full_output = 1 to get quantitative information.", ODEintWarning, stacklevel=2
        )
    elif printmessg:
        warnings.warn(_MESSAGES[code], ODEintWarning, stacklevel=2)
    result = cp.stack(rows) if times.size else cp.empty((0, start.size))
    if not full_output:
        return result
    kinds = {"nst": np.int32, "nfe": np.int32, "nje": np.int32, "nqu": np.int32, "mused": np.int32}
    extra: dict[str, Any] = {name: cp.asarray(np.array(v, kinds.get(name, float))) for name, v in info.items()}
    size = start.size
    extra |= {"imxer": -1, "lenrw": 22 + size * max(16, size + 9), "leniw": 20 + size, "message": _MESSAGES[code]}
    return result, extra


# Functions of this module with some arguments given, and not functions within: integrators are pickled.
def _right_hand_side(f: Any, args: tuple[Any, ...], dtype: Any, t: float, y: ndarray) -> ndarray:
    return as_state(f(t, y, *args), dtype).reshape(y.shape)


def _with_arguments(jac: Any, args: tuple[Any, ...], t: float, y: ndarray) -> Any:
    return jac(t, y, *args)


class _Multistep:
    """`vode`, `zvode` and `lsoda`."""

    supports_step = supports_run_relax = True
    supports_solout = False

    def __init__(self, name: str, **options: Any) -> None:
        self.name = name
        self.scalar = complex if name == "zvode" else float
        known: dict[str, Any] = {
            "method": "adams", "with_jacobian": False, "rtol": 1e-6, "atol": 1e-12, "lband": None, "uband": None,
            "order": 12, "nsteps": 500, "max_step": 0.0, "min_step": 0.0, "first_step": 0.0, "ixpr": 0, "max_hnil": 0,
            "max_order_ns": 12, "max_order_s": 5,
        }  # fmt: skip
        for key in options:
            if key not in known:
                raise TypeError(f"{name}.__init__() got an unexpected keyword argument '{key}'")
        self.options = known | options
        method = self.options["method"]
        if name != "lsoda" and method.lower() not in ("adams", "bdf"):
            raise ValueError(f"Unknown integration method {method}")
        self.ml, self.mu = self.options["lband"], self.options["uband"]
        self.success, self.istate = 1, 2
        self.solver: Nordsieck | None = None

    def reset(self, n: int, has_jac: bool) -> None:
        self.solver, self.success, self.istate = None, 1, 2

    def _advance(
        self, f: Any, jac: Any, y: ndarray, t: float, end: float, f_args: Any, jac_args: Any, *, mode: str
    ) -> Any:
        options = self.options
        dtype = np.dtype(np.complex128 if self.scalar is complex else np.float64)
        fun = partial(_right_hand_side, shielded(f, 2), tuple(f_args), dtype)
        if end == t:
            return y, t
        direction = 1.0 if end > t else -1.0
        if self.solver is None or self.solver.direction != direction:
            given = None if jac is None else partial(_with_arguments, jac, tuple(jac_args))
            jacobian = jacobian_of(fun, given, y.size, dtype, options["atol"], None, (self.ml, self.mu))
            method = "switch" if self.name == "lsoda" else options["method"].lower()
            orders = (
                (options["max_order_ns"], options["max_order_s"]) if self.name == "lsoda" else (options["order"],) * 2
            )
            tolerances = [
                float(v) if np.ndim(to_host(v)) == 0 else as_device(v) for v in (options["rtol"], options["atol"])
            ]
            self.solver = Nordsieck(
                fun,
                jacobian,
                t,
                y.astype(dtype),
                direction,
                *tolerances,
                method=method,
                first_step=options["first_step"],
                min_step=options["min_step"],
                max_step=options["max_step"] or math.inf,
                orders=orders,
                toward=end,
            )
        solver = self.solver
        solver.fun = fun
        try:
            if mode == "step":
                solver.step()
                return solver.output[2][0], solver.t
            used = 0
            while (solver.t - end) * direction < 0:
                if used >= options["nsteps"]:
                    raise Failure(-1)
                solver.step()
                used += 1
        except Failure as failure:
            self.success, self.istate = 0, failure.code
            warnings.warn(f"{self.name}: {_MESSAGES[failure.code]}", stacklevel=4)
            return solver.yh[0], solver.t
        if mode == "relax":
            return solver.output[2][0], solver.t
        at, h, yh = solver.output
        return cp.asarray(((end - at) / h) ** np.arange(yh.shape[0])).astype(yh.dtype) @ yh, end

    def run(self, *args: Any) -> Any:
        return self._advance(*args, mode="run")

    def step(self, *args: Any) -> Any:
        return self._advance(*args, mode="step")

    def run_relax(self, *args: Any) -> Any:
        return self._advance(*args, mode="relax")


class _OneStep:
    """`dopri5` and `dop853`."""

    supports_step = supports_run_relax = False
    supports_solout = True
    scalar = float

    def __init__(self, name: str, **options: Any) -> None:
        self.name = name
        known = {
            "rtol": 1e-6,
            "atol": 1e-12,
            "nsteps": 500,
            "max_step": 0.0,
            "first_step": 0.0,
            "safety": 0.9,
            "ifactor": 10.0,
            "dfactor": 0.2,
            "beta": 0.0,
            "method": None,
            "verbosity": -1,
        }
        for key in options:
            if key not in known:
                raise TypeError(f"{name}.__init__() got an unexpected keyword argument '{key}'")
        self.options = known | options
        self.success, self.istate = 1, 1
        self.solout: Any = None
        self.complex = False

    def set_solout(self, solout: Any, complex: bool = False) -> None:
        self.solout, self.complex = solout, complex

    def reset(self, n: int, has_jac: bool) -> None:
        self.success, self.istate = 1, 1

    def run(self, f: Any, jac: Any, y: ndarray, t: float, end: float, f_args: Any, jac_args: Any) -> Any:
        options = self.options
        method = DOP853 if self.name == "dop853" else RK45
        solver = method(
            lambda t, y: f(t, y, *f_args), t, y, end, rtol=options["rtol"], atol=options["atol"],
            max_step=options["max_step"] or math.inf, first_step=options["first_step"] or None,
        )  # fmt: skip

        def tell() -> bool:
            state = solver.y[::2] + 1j * solver.y[1::2] if self.complex else solver.y
            return self.solout is not None and self.solout(solver.t, state.copy()) == -1

        self.istate = 1
        if tell():
            self.istate = 2
            return solver.y, solver.t
        used = 0
        while solver.status == "running":
            if used >= options["nsteps"]:
                self.success, self.istate = 0, -2
                warnings.warn(f"{self.name}: larger nsteps is needed", stacklevel=4)
                break
            message = solver.step()
            used += 1
            if solver.status == "failed":
                self.success, self.istate = 0, -3
                warnings.warn(f"{self.name}: step size becomes too small ({message})", stacklevel=4)
            elif tell():
                self.istate = 2
                break
        return solver.y, solver.t


_INTEGRATORS: dict[str, Callable[..., Any]] = {
    "vode": _Multistep, "zvode": _Multistep, "lsoda": _Multistep, "dopri5": _OneStep, "dop853": _OneStep,
}  # fmt: skip


class ode:
    """An initial value problem that is advanced from time to time.

    Parameters
    ----------
    f : callable
        `f(t, y, *f_args)`: the derivative.
    jac : callable, optional
        `jac(t, y, *jac_args)`: its Jacobian.

    See Also
    --------
    scipy.integrate.ode : the class of SciPy.

    >>> problem = integrate.ode(lambda t, y: -y).set_integrator("dopri5").set_initial_value([1.0])
    >>> problem.integrate(1.0).round(5), problem.successful()
    (array([0.36788]), True)
    """

    __class_getitem__: classmethod[Any, ..., GenericAlias] = classmethod(GenericAlias)

    def __init__(self, f: Callable[..., Any], jac: Callable[..., Any] | None = None) -> None:
        self.stiff = 0
        self.f, self.jac = f, jac
        self.f_params: tuple[Any, ...] = ()
        self.jac_params: tuple[Any, ...] = ()
        self._y: Any = []

    @property
    def y(self) -> Any:
        """The state."""
        return self._y

    def set_initial_value(self, y: Any, t: float = 0.0) -> ode:
        """Sets the state and its time."""
        y = [y] if np.isscalar(y) else y
        if not len(self._y):
            self.set_integrator("")
        self._y = cp.array(as_state(y, None), np.dtype(self._integrator.scalar))
        self.t = t
        self._integrator.reset(len(self._y), self.jac is not None)
        return self

    def set_integrator(self, name: str, **integrator_params: Any) -> ode:
        """Chooses 'vode', 'zvode', 'lsoda', 'dopri5' or 'dop853', with its options.

        Parameters
        ----------
        **integrator_params
            Its options.
        """
        matches = [key for key in _INTEGRATORS if key.startswith(name.lower())] if name else ["vode"]
        if not matches:
            warnings.warn(f"No integrator name match with {name!r} or is not available.", stacklevel=2)
            return self
        self._integrator = _INTEGRATORS[matches[0]](matches[0], **integrator_params)
        if not len(self._y):
            self.t = 0.0
            self._y = cp.zeros(1, np.dtype(self._integrator.scalar))
        self._integrator.reset(len(self._y), self.jac is not None)
        return self

    def integrate(self, t: float, step: bool = False, relax: bool = False) -> Any:
        """Advances to a time, by one step, or by steps to behind the time, and returns the state.

        Parameters
        ----------
        t : float
            The time to go to.
        """
        integrator = self._integrator
        if step and integrator.supports_step:
            method = integrator.step
        elif relax and integrator.supports_run_relax:
            method = integrator.run_relax
        else:
            method = integrator.run
        self._y, self.t = method(self.f, self.jac, self._y, self.t, t, self.f_params, self.jac_params)
        return self._y

    def successful(self) -> bool:
        """Whether the last call of `integrate` went well."""
        if not hasattr(self, "_integrator"):
            self.set_integrator("")
        return self._integrator.success == 1

    def get_return_code(self) -> int:
        """The integrator's own code."""
        if not hasattr(self, "_integrator"):
            self.set_integrator("")
        return self._integrator.istate

    def set_f_params(self, *args: Any) -> ode:
        """Sets further arguments of `f`."""
        self.f_params = args
        return self

    def set_jac_params(self, *args: Any) -> ode:
        """Sets further arguments of `jac`."""
        self.jac_params = args
        return self

    def set_solout(self, solout: Callable[..., Any]) -> None:
        """Sets a function that is called with time and state after each step; -1 ends the integration."""
        if not self._integrator.supports_solout:
            raise ValueError("selected integrator does not support solout, choose another one")
        self._integrator.set_solout(solout)


class complex_ode(ode):
    """An initial value problem of complex numbers, as one of their real and imaginary parts.

    Parameters
    ----------
    f : callable
        The right side, a function of time and state.
    jac : callable, optional
        The Jacobian.

    See Also
    --------
    scipy.integrate.complex_ode : the class of SciPy.
    """

    def __init__(self, f: Callable[..., Any], jac: Callable[..., Any] | None = None) -> None:
        self.cf = f
        self.cjac: Any = jac
        super().__init__(self._wrap, None if jac is None else self._wrap_jac)

    def _wrap(self, t: float, y: ndarray, *args: Any) -> ndarray:
        found = as_state(self.cf(t, y[::2] + 1j * y[1::2], *args), np.complex128)
        return cp.stack([cp.real(found), cp.imag(found)], axis=1).reshape(-1)

    def _wrap_jac(self, t: float, y: ndarray, *args: Any) -> ndarray:
        found = as_state(self.cjac(t, y[::2] + 1j * y[1::2], *args), np.complex128)
        real, imaginary = cp.real(found), cp.imag(found)
        n, m = found.shape
        blocks = cp.stack([cp.stack([real, -imaginary], axis=2), cp.stack([imaginary, real], axis=2)], axis=1)
        return blocks.reshape(2 * n, 2 * m)

    @property
    def y(self) -> Any:
        """The state."""
        return self._y[::2] + 1j * self._y[1::2]

    def set_integrator(self, name: str, **integrator_params: Any) -> ode:
        """Chooses 'vode', 'lsoda', 'dopri5' or 'dop853', with its options.

        Parameters
        ----------
        **integrator_params
            Its options.
        """
        if name == "zvode":
            raise ValueError("zvode must be used with ode, not complex_ode")
        lower, upper = integrator_params.get("lband"), integrator_params.get("uband")
        if lower is not None or upper is not None:
            integrator_params["lband"], integrator_params["uband"] = 2 * (lower or 0) + 1, 2 * (upper or 0) + 1
        return super().set_integrator(name, **integrator_params)

    def set_initial_value(self, y: Any, t: float = 0.0) -> ode:
        """Sets the state and its time."""
        state = cp.atleast_1d(as_state(y, np.complex128))
        return super().set_initial_value(cp.stack([cp.real(state), cp.imag(state)], axis=1).reshape(-1), t)

    def integrate(self, t: float, step: bool = False, relax: bool = False) -> Any:
        """Advances to a time and returns the state.

        Parameters
        ----------
        t : float
            The time to go to.
        """
        y = super().integrate(t, step, relax)
        return y[::2] + 1j * y[1::2]

    def set_solout(self, solout: Callable[..., Any]) -> None:
        """Sets a function that is called with time and state after each step; -1 ends the integration."""
        if not self._integrator.supports_solout:
            raise TypeError("selected integrator does not support solouta, choose another one")
        self._integrator.set_solout(solout, complex=True)
