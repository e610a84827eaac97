"""Responses of systems. States are computed by the recurrence of `_recurrence.py`: long ones in chunks side by side."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device, to_host
from ._lti import StateSpace, TransferFunction, ZerosPolesGain, dlti, lti
from ._recurrence import CHUNK, chunk_starts, depth, in_chunks, is_representable, matrix_plan
from ._responses import freqs, freqs_zpk, freqz, freqz_zpk
from ._state_space import exponential, over_a_step

__all__ = [
    "bode",
    "dbode",
    "dfreqresp",
    "dimpulse",
    "dlsim",
    "dstep",
    "freqresp",
    "impulse",
    "lsim",
    "step",
]


@k.kernel
def _run(v: k.Array, start: k.Array, step: k.Array, states: k.Out, chunk: int, part: k.Each):
    """The states of a chunk: the first is the start, each next one A times the one before plus an input."""
    order = step.shape[0]
    first = part * chunk
    stop = min(first + chunk, states.shape[0])
    for i in k.steps(order):
        states[first, i] = start[part, i]
    for t in k.steps(first + 1, stop):
        for i in k.steps(order):
            total = v[t - 1, i]
            for q in k.steps(order):
                total = total + step[i, q] * states[t - 1, q]
            states[t, i] = total


def states_of(step: np.ndarray, v: ndarray, start: ndarray, count: int) -> ndarray:
    """States (count, order), where `v` (count - 1, order) is added after each step."""
    order = step.shape[0]
    kind = np.result_type(step.dtype, v.dtype, start.dtype, np.float64)
    if order == 0 or count <= 1:
        return cp.broadcast_to(start.astype(kind), (max(count, 0), order)).copy()
    v, start = v.astype(kind, copy=False), start.astype(kind, copy=False)
    # Room for whole chunks.
    chunk, first = count, start[None]
    if in_chunks(v[None], order) and order <= 16 and is_representable(step, np.ones((1, 1))):
        plan = matrix_plan(tuple(tuple(row) for row in step.tolist()))
        if plan.is_finite(depth(count)):
            chunk = CHUNK
            padded = cp.concatenate((v, cp.zeros((1, order), kind)))
            first = chunk_starts(padded[None], start[None], plan)[0]
    states = cp.empty((count, order), kind)
    parts = -(-count // chunk)
    _run(v, first, cp.asarray(step.astype(kind)), states, chunk, cp.arange(parts))
    return states


def _continuous(system: Any, name: str) -> Any:
    if isinstance(system, lti):
        return system
    if isinstance(system, dlti):
        raise AttributeError(f"{name} can only be used with continuous-time systems.")
    return lti(*system)


def _discrete(system: Any, name: str) -> Any:
    if isinstance(system, dlti):
        return system
    if isinstance(system, lti):
        raise AttributeError(f"{name} can only be used with discrete-time dlti systems.")
    return dlti(*system[:-1], dt=system[-1])


def _state(value: Any, order: int, kind: Any) -> np.ndarray:
    """The state at the start: zeros by default, and one number for all."""
    given = np.zeros((), kind) if value is None else to_host(value).astype(kind)
    try:
        return np.broadcast_to(given.reshape(order) if given.size == order else given, (order,))
    except ValueError:
        raise ValueError(f"the state at the start must have {order} elements, not the shape {given.shape}") from None


def _device_state(value: Any, order: int, kind: Any) -> ndarray:
    """As `_state`, without a read."""
    given = as_device(value).astype(kind)
    if given.size == order:
        return given.reshape(order)
    if given.size != 1:
        raise ValueError(f"the state at the start must have {order} elements, not the shape {given.shape}")
    return cp.broadcast_to(given.reshape(()), (order,))


def _output(states: ndarray, c: np.ndarray, u: Any, d: np.ndarray) -> ndarray:
    found = states @ cp.asarray(c.T.astype(np.result_type(c.dtype, float)))
    return found if u is None else found + u @ cp.asarray(d.T.astype(np.result_type(d.dtype, float)))


def lsim(system: Any, U: Any, T: Any, X0: Any = None, interp: bool = True) -> tuple[ndarray, ndarray, ndarray]:
    """The response of a system in continuous time to an input.

    Parameters
    ----------
    system : lti or tuple
        The system, or its 2, 3 or 4 parts.
    U : array_like, 0 or None
        The input, a column for each input of the system.
    T : array_like
        Times, evenly apart.
    X0 : array_like, optional
        The state at time 0.
    interp : bool
        Whether the input is linear between times, or constant.

    Returns
    -------
    tuple of ndarray
        Times, output and states.

    Raises
    ------
    ValueError
        Times are negative or not evenly apart, or shapes do not fit.
    AttributeError
        The system is one in discrete time.

    >>> t, y, x = cp.scipy.signal.lsim(([1.0], [1.0, 0.0]), cp.ones(3), cp.arange(3.0))
    >>> y.round(6)
    array([0., 1., 2.])
    """
    system = _continuous(system, "lsim")._as_ss()
    a, b, c, d = system._parts()
    T = cp.atleast_1d(as_device(T))
    if T.ndim != 1:
        raise ValueError("T must be a rank-1 array.")
    n, m, count = a.shape[0], b.shape[1], T.size
    kind = np.result_type(a.dtype, b.dtype, c.dtype, d.dtype, float)
    start = _state(X0, n, kind)
    # Checks and the step take one read.
    spread = cp.diff(T)
    first, gap, even = T[:1].astype(np.float64), spread[:1].astype(np.float64), cp.zeros(1)
    if count > 1:
        even = cp.allclose(spread, spread[0])
        even = cp.reshape(cp.asarray(even), (1,)).astype(np.float64)
    numbers = cp.concatenate((first, gap, even)).get()
    t0 = float(numbers[0])
    if t0 < 0:
        raise ValueError("Initial time must be nonnegative")
    if t0 > 0:
        start = exponential(a * t0) @ start
    free = U is None or (isinstance(U, (int, float)) and U == 0.0)
    if not free:
        U = cp.atleast_1d(as_device(U))
    if count == 1:
        states = cp.asarray(start)[None]
        y = cp.squeeze(_output(states, c, None, d))
        if not free:
            y = y + cp.squeeze(U.reshape(1, -1) @ cp.asarray(d.T.astype(kind)))
        return T, y, cp.squeeze(states)
    if not numbers[2]:
        raise ValueError("Time steps are not equally spaced.")
    dt = float(numbers[1])
    if free:
        states = states_of(exponential(a * dt), cp.zeros((count - 1, n)), cp.asarray(start), count)
        return T, cp.squeeze(_output(states, c, None, d)), cp.squeeze(states)
    if U.ndim == 1:
        U = U[:, None]
    if U.shape[0] != count:
        raise ValueError("U must have the same number of rows as elements in T.")
    if U.shape[1] != m:
        raise ValueError("System does not define that many inputs.")
    step, held, after = over_a_step((a * dt).astype(kind), (b * dt).astype(kind), interp)
    U = U.astype(np.result_type(U.dtype, kind), copy=False)
    if interp:
        v = U[:-1] @ cp.asarray((held - after).T) + U[1:] @ cp.asarray(after.T)
    else:
        v = U[:-1] @ cp.asarray(held.T)
    states = states_of(step, v, cp.asarray(start), count)
    # As the output of each part is squeezed on its own.
    y = cp.squeeze(_output(states, c, None, d)) + cp.squeeze(U @ cp.asarray(d.T.astype(kind)))
    return T, y, cp.squeeze(states)


def _times(a: np.ndarray, n: int) -> ndarray:
    slowest = float(np.min(abs(np.linalg.eigvals(a).real))) if a.size else 0.0
    return cp.linspace(0.0, 7.0 / (slowest if slowest else 1.0), n)


def impulse(system: Any, X0: Any = None, T: Any = None, N: int | None = None) -> tuple[ndarray, ndarray]:
    """The response of a system in continuous time to an impulse.

    Parameters
    ----------
    system : lti or tuple
        The system.
    X0 : array_like, optional
        The state before.
    T : array_like, optional
        Times.
    N : int, optional
        How many times there are if `T` is not given, by default 100.

    Returns
    -------
    tuple of ndarray
        Times and output.

    Raises
    ------
    AttributeError
        The system is one in discrete time.

    >>> cp.scipy.signal.impulse(([1.0], [1.0, 1.0]), T=cp.arange(2.0))[1].round(4)
    array([1.    , 0.3679])
    """
    system = _continuous(system, "impulse")._as_ss()
    b = system._parts()[1]
    start = np.squeeze(b if X0 is None else b + to_host(X0).reshape(-1, 1), axis=1 if b.shape[1] == 1 else None)
    T = _times(system._parts()[0], 100 if N is None else N) if T is None else as_device(T)
    return T, lsim(system, 0.0, T, start, interp=False)[1]


def step(system: Any, X0: Any = None, T: Any = None, N: int | None = None) -> tuple[ndarray, ndarray]:
    """The response of a system in continuous time to a step; arguments are those of `impulse`.

    Parameters
    ----------
    N : int, optional
        The number of times, where none are given.

    >>> cp.scipy.signal.step(([1.0], [1.0, 1.0]), T=cp.arange(2.0))[1].round(4)
    array([0.    , 0.6321])
    """
    system = _continuous(system, "step")._as_ss()
    T = _times(system._parts()[0], 100 if N is None else N) if T is None else as_device(T)
    return lsim(system, cp.ones(T.shape), T, X0=X0, interp=False)[:2]


def freqresp(system: Any, w: Any = None, n: int = 10000) -> tuple[ndarray, ndarray]:
    """The frequency response of a system in continuous time with one input and output.

    Raises `ValueError` if there are more, `AttributeError` for systems in discrete time.

    >>> cp.scipy.signal.freqresp(([1.0], [1.0, 1.0]), cp.asarray([0.0, 1.0]))[1]
    array([1. +0.j , 0.5-0.5j])
    """
    system = _continuous(system, "freqresp")
    if isinstance(system, StateSpace):
        system = system._as_zpk()
    if system.inputs != 1 or system.outputs != 1:
        raise ValueError("freqresp() requires a SISO (single input, single output) system.")
    points = n if w is None else w
    if isinstance(system, TransferFunction):
        num, den = system._parts()
        return freqs(num.ravel(), den, worN=points)
    z, p, k = system._parts()
    return freqs_zpk(z, p, k, worN=points)


def bode(system: Any, w: Any = None, n: int = 100) -> tuple[ndarray, ndarray, ndarray]:
    """Magnitude (dB) and phase (degrees) of the response of a system in continuous time; see `freqresp`.

    >>> cp.scipy.signal.bode(([1.0], [1.0, 1.0]), cp.asarray([1.0]))[2].round(4)
    array([-45.])
    """
    w, y = freqresp(system, w=w, n=n)
    return w, 20.0 * cp.log10(abs(y)), cp.unwrap(cp.arctan2(y.imag, y.real)) * (180.0 / math.pi)


def dlsim(system: Any, u: Any, t: Any = None, x0: Any = None) -> Any:
    """The response of a system in discrete time to an input.

    Parameters
    ----------
    system : dlti or tuple
        The system, or its 2, 3 or 4 parts and `dt`.
    u : array_like
        The input, a column for each input of the system.
    t : array_like, optional
        The times of the input; it is linear in between.

    Returns
    -------
    tuple of ndarray
        Times, output, and states if the system has matrices.

    Raises
    ------
    AttributeError
        The system is one in continuous time.

    >>> cp.scipy.signal.dlsim(([1.0], [1.0, -1.0], 0.5), cp.ones(3))[1].ravel()
    array([0., 1., 2.])
    """
    system = _discrete(system, "dlsim")
    with_states = isinstance(system, StateSpace)
    system = system._as_ss()
    a, b, c, d = system._parts()
    u = cp.atleast_1d(as_device(u))
    if u.ndim == 1:
        u = u[:, None]
    kind = np.result_type(a.dtype, b.dtype, c.dtype, d.dtype, u.dtype, float)
    u = u.astype(np.float64 if u.dtype.kind not in "fc" else u.dtype, copy=False)
    if t is None:
        count = u.shape[0]
        stop = (count - 1) * system.dt
    else:
        t = as_device(t).astype(np.float64)
        stop = float(t[-1])
        count = int(math.floor(stop / system.dt)) + 1
    times = cp.linspace(0.0, stop, count)
    if t is not None:
        u = cp.stack([cp.interp(times, t, u[:, i]) for i in range(u.shape[1])], axis=1)
    start = cp.zeros(a.shape[0], kind) if x0 is None else _device_state(x0, a.shape[0], kind)
    u = u[:count]
    v = u[: count - 1] @ cp.asarray(b.T.astype(kind))
    states = states_of(a, v, start, count)
    y = _output(states, c, u, d)
    return (times, y, states) if with_states else (times, y)


def _each_input(system: Any, name: str, x0: Any, t: Any, n: Any, shape: Any) -> Any:
    system = _discrete(system, name)._as_ss()
    n = 100 if n is None else n
    t = cp.linspace(0, n * system.dt, n, endpoint=False) if t is None else as_device(t)
    outputs = []
    times = t
    for number in range(system.inputs):
        u = cp.zeros((t.shape[0], system.inputs))
        u[shape(number)] = 1.0
        times, y, _ = dlsim(system, u, t=t, x0=x0)
        outputs.append(y)
    return times, tuple(outputs)


def dimpulse(system: Any, x0: Any = None, t: Any = None, n: int | None = None) -> Any:
    """The responses of a system in discrete time to an impulse at each input.

    Parameters
    ----------
    system : dlti or tuple
        The system.
    t : array_like, optional
        Times.
    n : int, optional
        How many times there are if `t` is not given, by default 100.

    Returns
    -------
    tuple
        Times, and a tuple with the output for each input.

    Raises
    ------
    AttributeError
        The system is one in continuous time.

    >>> cp.scipy.signal.dimpulse(([1.0], [1.0, -0.5], 1.0), n=3)[1][0].ravel()
    array([0. , 1. , 0.5])
    """
    return _each_input(system, "dimpulse", x0, t, n, lambda number: (0, number))


def dstep(system: Any, x0: Any = None, t: Any = None, n: int | None = None) -> Any:
    """The responses of a system in discrete time to a step at each input; arguments are those of `dimpulse`.

    Parameters
    ----------
    n : int, optional
        The number of times, where none are given.

    Returns
    -------
    ndarray or tuple of ndarray

    >>> cp.scipy.signal.dstep(([1.0], [1.0, -0.5], 1.0), n=3)[1][0].ravel()
    array([0. , 1. , 1.5])
    """
    return _each_input(system, "dstep", x0, t, n, lambda number: (slice(None), number))


def dfreqresp(system: Any, w: Any = None, n: int = 10000, whole: bool = False) -> tuple[ndarray, ndarray]:
    """The frequency response of a system in discrete time with one input and output.

    Raises `ValueError` if there are more, `AttributeError` for systems in continuous time.

    >>> cp.scipy.signal.dfreqresp(([1.0], [1.0, 0.0], 1.0), cp.asarray([0.0]))[1]
    array([1.+0.j])
    """
    system = _discrete(system, "dfreqresp")
    if isinstance(system, StateSpace):
        system = system._as_tf()
    if system.inputs != 1 or system.outputs != 1:
        raise ValueError("dfreqresp requires a SISO (single input, single output) system.")
    points = n if w is None else w
    if isinstance(system, ZerosPolesGain):
        z, p, k = system._parts()
        return freqz_zpk(z, p, k, worN=points, whole=whole)
    num, den = system._parts()
    num = num.ravel()
    # In powers of 1/z, with as many coefficients.
    size = max(len(num), len(den))
    num, den = (np.concatenate((np.zeros(size - len(part)), part)) for part in (num, den))
    return freqz(num, den, worN=points, whole=whole)


def dbode(system: Any, w: Any = None, n: int = 100) -> tuple[ndarray, ndarray, ndarray]:
    """Magnitude (dB) and phase (degrees) of the response of a system in discrete time; see `dfreqresp`.

    >>> cp.scipy.signal.dbode(([1.0], [1.0, 0.0], 1.0), cp.asarray([1.0]))[2].round(4)
    array([-57.2958])
    """
    w, y = dfreqresp(system, w=w, n=n)
    dt = system.dt if isinstance(system, dlti) else system[-1]
    return w / dt, 20.0 * cp.log10(abs(y)), cp.rad2deg(cp.unwrap(cp.angle(y)))
