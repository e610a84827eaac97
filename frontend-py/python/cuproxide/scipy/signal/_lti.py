"""Linear time-invariant systems in three forms. Their few numbers are kept on the host and handed out as arrays."""

from __future__ import annotations

import copy
from types import GenericAlias
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import to_host
from ._common import read_arrays, upload_arrays
from ._conversions import normalize, tf2zpk, zpk2tf
from ._state_space import abcd_normalize, discretized, ss2tf, ss2zpk, tf2ss, zpk2ss

__all__ = ["StateSpace", "TransferFunction", "ZerosPolesGain", "cont2discrete", "dlti", "lti"]


class System:
    """What all systems have."""

    __class_getitem__: classmethod[Any, ..., GenericAlias] = classmethod(GenericAlias)
    inputs: Any = None
    outputs: Any = None
    _dt: Any = None
    _ready = False

    def __new__(cls, *system: Any, **kwargs: Any) -> Any:
        if cls is System:
            raise NotImplementedError("use `lti` or `dlti`")
        return super().__new__(cls)

    @property
    def dt(self) -> Any:
        """The sampling time, or None for continuous time."""
        return self._dt

    @property
    def _options(self) -> dict[str, Any]:
        return {} if self._dt is None else {"dt": self._dt}

    @property
    def zeros(self) -> ndarray:
        """The zeros."""
        return self.to_zpk().zeros

    @property
    def poles(self) -> ndarray:
        """The poles."""
        return self.to_zpk().poles

    def _as_ss(self) -> StateSpace:
        return self if isinstance(self, StateSpace) else self.to_ss()

    def _as_zpk(self) -> ZerosPolesGain:
        return self if isinstance(self, ZerosPolesGain) else self.to_zpk()

    def _as_tf(self) -> TransferFunction:
        return self if isinstance(self, TransferFunction) else self.to_tf()

    def _parts(self) -> tuple[Any, ...]:
        """The numbers that make the system, on the host."""
        raise NotImplementedError

    def to_tf(self) -> TransferFunction:
        """The system as coefficients."""
        raise NotImplementedError

    def to_zpk(self) -> ZerosPolesGain:
        """The system as zeros, poles and gain."""
        raise NotImplementedError

    def to_ss(self) -> StateSpace:
        """The system as matrices."""
        raise NotImplementedError

    def __repr__(self) -> str:
        parts = "".join(f"{part!r},\n" for part in self._parts())
        return f"{type(self).__name__}(\n{parts}dt: {self._dt!r}\n)"


class lti(System):
    """A system in continuous time: coefficients (2 arguments), zeros, poles and gain (3), or matrices (4).

    Parameters
    ----------
    *system : tuple
        The coefficients; zeros, poles and gain; or the matrices.

    >>> cp.scipy.signal.lti([1.0], [1.0, 2.0]).poles
    array([-2.])
    """

    def __new__(cls, *system: Any) -> Any:
        if cls is lti:
            forms = {2: TransferFunctionContinuous, 3: ZerosPolesGainContinuous, 4: StateSpaceContinuous}
            if len(system) not in forms:
                raise ValueError("`system` needs to be an instance of `lti` or have 2, 3 or 4 arguments.")
            return forms[len(system)](*system)
        return super().__new__(cls, *system)

    def __init__(self, *system: Any) -> None:
        super().__init__()

    def impulse(self, X0: Any = None, T: Any = None, N: Any = None) -> Any:
        """The response to an impulse; see `impulse`."""
        from ._simulation import impulse

        return impulse(self, X0=X0, T=T, N=N)

    def step(self, X0: Any = None, T: Any = None, N: Any = None) -> Any:
        """The response to a step; see `step`."""
        from ._simulation import step

        return step(self, X0=X0, T=T, N=N)

    def output(self, U: Any, T: Any, X0: Any = None) -> Any:
        """The response to an input; see `lsim`.

        Parameters
        ----------
        U : array_like
            The input.
        """
        from ._simulation import lsim

        return lsim(self, U, T, X0=X0)

    def bode(self, w: Any = None, n: int = 100) -> Any:
        """Magnitude and phase of the frequency response; see `bode`."""
        from ._simulation import bode

        return bode(self, w=w, n=n)

    def freqresp(self, w: Any = None, n: int = 10000) -> Any:
        """The frequency response; see `freqresp`."""
        from ._simulation import freqresp

        return freqresp(self, w=w, n=n)

    def to_discrete(self, dt: float, method: str = "zoh", alpha: float | None = None) -> Any:
        """The system in discrete time; see `cont2discrete`.

        Parameters
        ----------
        dt : float
            The distance of the samples.
        method : str
            How it is made discrete.
        alpha : float, optional
            The weight of the generalised bilinear transform.
        """
        parts = cont2discrete(tuple(self._parts()), dt, method=method, alpha=alpha)
        form = {3: TransferFunction, 4: ZerosPolesGain, 5: StateSpace}[len(parts)]
        return form(*parts[:-1], dt=dt)


class dlti(System):
    """A system in discrete time: coefficients (2 arguments), zeros, poles and gain (3), or matrices (4), and `dt`.

    Parameters
    ----------
    *system : tuple
        The coefficients; zeros, poles and gain; or the matrices.
    dt : float, optional
        The sampling time; True, the default, if it is not known.

    >>> cp.scipy.signal.dlti([1.0], [1.0, -0.5], dt=0.1).poles
    array([0.5])
    """

    def __new__(cls, *system: Any, dt: Any = True) -> Any:
        if cls is dlti:
            forms = {2: TransferFunctionDiscrete, 3: ZerosPolesGainDiscrete, 4: StateSpaceDiscrete}
            if len(system) not in forms:
                raise ValueError("`system` needs to be an instance of `dlti` or have 2, 3 or 4 arguments.")
            return forms[len(system)](*system, dt=dt)
        return super().__new__(cls, *system)

    def __init__(self, *system: Any, dt: Any = True) -> None:
        super().__init__()
        self._dt = dt

    @property
    def dt(self) -> Any:
        """The sampling time; True if it is not known."""
        return self._dt

    @dt.setter
    def dt(self, dt: Any) -> None:
        self._dt = dt

    def impulse(self, x0: Any = None, t: Any = None, n: Any = None) -> Any:
        """The response to an impulse; see `dimpulse`.

        Parameters
        ----------
        n : int, optional
            The number of times, where none are given.
        """
        from ._simulation import dimpulse

        return dimpulse(self, x0=x0, t=t, n=n)

    def step(self, x0: Any = None, t: Any = None, n: Any = None) -> Any:
        """The response to a step; see `dstep`.

        Parameters
        ----------
        n : int, optional
            The number of times, where none are given.
        """
        from ._simulation import dstep

        return dstep(self, x0=x0, t=t, n=n)

    def output(self, u: Any, t: Any, x0: Any = None) -> Any:
        """The response to an input; see `dlsim`.

        Parameters
        ----------
        u : array_like
            The input.
        """
        from ._simulation import dlsim

        return dlsim(self, u, t, x0=x0)

    def bode(self, w: Any = None, n: int = 100) -> Any:
        """Magnitude and phase of the frequency response; see `dbode`."""
        from ._simulation import dbode

        return dbode(self, w=w, n=n)

    def freqresp(self, w: Any = None, n: int = 10000, whole: bool = False) -> Any:
        """The frequency response; see `dfreqresp`."""
        from ._simulation import dfreqresp

        return dfreqresp(self, w=w, n=n, whole=whole)


def _made(cls: Any, form: Any, convert: str, system: tuple[Any, ...], dt: Any) -> Any:
    """The object that a call of the class of a form gives: another system converted, or one of its two kinds."""
    if len(system) == 1 and isinstance(system[0], System):
        return getattr(system[0], convert)()
    if cls is form:
        continuous, discrete = form.__subclasses__()[:2]
        return System.__new__(continuous if dt is None else discrete)
    return System.__new__(cls)


class _Meta(type):
    """Systems that are converted are complete: they are not initialised once more."""

    def __call__(cls, *system: Any, **kwargs: Any) -> Any:
        made: Any = cls.__new__(cls, *system, **kwargs)
        if isinstance(made, System) and not made._ready:
            made.__init__(*system, **kwargs)  # type: ignore[misc]
            made._ready = True
        return made


def _shape(self: Any, values: np.ndarray) -> None:
    self.outputs, self.inputs = values.shape if values.ndim > 1 else (1, 1)


class TransferFunction(System, metaclass=_Meta):
    """A system as coefficients of numerator and denominator; with `dt` in discrete time.

    Parameters
    ----------
    dt : float or bool, optional
        The sampling time of a system in discrete time; True if it is not known.

    >>> cp.scipy.signal.TransferFunction([2.0], [2.0, 4.0]).num
    array([1.])
    """

    def __new__(cls, *system: Any, dt: Any = None) -> Any:
        return _made(cls, TransferFunction, "to_tf", system, dt)

    def __init__(self, *system: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.num, self.den = normalize(*(to_host(part) for part in system))

    @property
    def num(self) -> ndarray:
        """The numerator."""
        return cp.asarray(self._num)

    @num.setter
    def num(self, num: Any) -> None:
        self._num = np.atleast_1d(to_host(num))
        _shape(self, self._num)

    @property
    def den(self) -> ndarray:
        """The denominator."""
        return cp.asarray(self._den)

    @den.setter
    def den(self, den: Any) -> None:
        self._den = np.atleast_1d(to_host(den))

    def _parts(self) -> tuple[Any, ...]:
        return self._num, self._den

    def to_tf(self) -> TransferFunction:
        """A copy."""
        return copy.deepcopy(self)

    def to_zpk(self) -> ZerosPolesGain:
        """The system as zeros, poles and gain."""
        return ZerosPolesGain(*tf2zpk(self._num, self._den), **self._options)

    def to_ss(self) -> StateSpace:
        """The system as matrices."""
        return StateSpace(*tf2ss(self._num, self._den), **self._options)


class ZerosPolesGain(System, metaclass=_Meta):
    """A system as zeros, poles and gain; with `dt` in discrete time.

    Parameters
    ----------
    dt : float or bool, optional
        The sampling time of a system in discrete time; True if it is not known.

    >>> cp.scipy.signal.ZerosPolesGain([], [-2.0], 3.0).to_tf().num
    array([3.])
    """

    def __new__(cls, *system: Any, dt: Any = None) -> Any:
        return _made(cls, ZerosPolesGain, "to_zpk", system, dt)

    def __init__(self, *system: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        zeros, poles, gain = system
        self.zeros, self.poles = zeros, poles
        self._gain = to_host(gain) if isinstance(gain, ndarray) else gain

    @property
    def zeros(self) -> ndarray:
        """The zeros."""
        return cp.asarray(self._zeros)

    @zeros.setter
    def zeros(self, zeros: Any) -> None:
        self._zeros = np.atleast_1d(to_host(zeros))
        _shape(self, self._zeros)

    @property
    def poles(self) -> ndarray:
        """The poles."""
        return cp.asarray(self._poles)

    @poles.setter
    def poles(self, poles: Any) -> None:
        self._poles = np.atleast_1d(to_host(poles))

    @property
    def gain(self) -> Any:
        """The gain."""
        return upload_arrays(self._gain) if isinstance(self._gain, np.ndarray) else self._gain

    @gain.setter
    def gain(self, gain: Any) -> None:
        self._gain = to_host(gain) if isinstance(gain, ndarray) else gain

    def _parts(self) -> tuple[Any, ...]:
        return self._zeros, self._poles, self._gain

    def to_tf(self) -> TransferFunction:
        """The system as coefficients."""
        return TransferFunction(*zpk2tf(*self._parts()), **self._options)

    def to_zpk(self) -> ZerosPolesGain:
        """A copy."""
        return copy.deepcopy(self)

    def to_ss(self) -> StateSpace:
        """The system as matrices."""
        return StateSpace(*zpk2ss(*self._parts()), **self._options)


class StateSpace(System, metaclass=_Meta):
    """A system as matrices x' = A x + B u, y = C x + D u; with `dt` in discrete time.

    Systems and matrices are added (in parallel), multiplied (in series) and divided by numbers.

    Parameters
    ----------
    dt : float or bool, optional
        The sampling time of a system in discrete time; True if it is not known.

    >>> cp.scipy.signal.StateSpace([[-1.0]], [[1.0]], [[1.0]], [[0.0]]).poles
    array([-1.])
    """

    __array_priority__ = 100.0
    __array_ufunc__ = None

    def __new__(cls, *system: Any, dt: Any = None) -> Any:
        return _made(cls, StateSpace, "to_ss", system, dt)

    def __init__(self, *system: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        parts = (None if part is None else to_host(part) for part in system)
        self.A, self.B, self.C, self.D = abcd_normalize(*parts)

    @property
    def A(self) -> ndarray:
        """The matrix of the state."""
        return cp.asarray(self._A)

    @A.setter
    def A(self, A: Any) -> None:
        self._A = np.atleast_2d(to_host(A))

    @property
    def B(self) -> ndarray:
        """The matrix of the input."""
        return cp.asarray(self._B)

    @B.setter
    def B(self, B: Any) -> None:
        self._B = np.atleast_2d(to_host(B))
        self.inputs = self._B.shape[-1]

    @property
    def C(self) -> ndarray:
        """The matrix of the output."""
        return cp.asarray(self._C)

    @C.setter
    def C(self, C: Any) -> None:
        self._C = np.atleast_2d(to_host(C))
        self.outputs = self._C.shape[0]

    @property
    def D(self) -> ndarray:
        """The matrix from input to output."""
        return cp.asarray(self._D)

    @D.setter
    def D(self, D: Any) -> None:
        self._D = np.atleast_2d(to_host(D))

    def _parts(self) -> tuple[Any, ...]:
        return self._A, self._B, self._C, self._D

    def to_tf(self, **kwargs: Any) -> TransferFunction:
        """The system as coefficients, from one `input`."""
        return TransferFunction(*ss2tf(*self._parts(), **kwargs), **self._options)

    def to_zpk(self, **kwargs: Any) -> ZerosPolesGain:
        """The system as zeros, poles and gain, from one `input`."""
        return ZerosPolesGain(*ss2zpk(*self._parts(), **kwargs), **self._options)

    def to_ss(self) -> StateSpace:
        """A copy."""
        return copy.deepcopy(self)

    def _with(self, *parts: Any) -> StateSpace:
        kind = np.result_type(*parts)
        return StateSpace(*(np.asarray(part, kind) for part in parts), **self._options)

    @staticmethod
    def _operand(other: Any) -> Any:
        """A system, or a number or matrix of the host; NotImplemented for others."""
        if isinstance(other, ndarray):
            return other.get()
        if isinstance(other, (StateSpace, np.ndarray, float, complex, np.number, int)):
            return other
        return NotImplemented

    def __mul__(self, other: Any) -> Any:
        other = self._operand(other)
        if other is NotImplemented:
            return other
        a, b, c, d = self._parts()
        if not isinstance(other, StateSpace):
            return self._with(a, np.dot(b, other), c, np.dot(d, other))
        if type(other) is not type(self):
            return NotImplemented
        if self._dt != other._dt:
            raise TypeError("Cannot multiply systems with different `dt`.")
        corner = np.zeros((other._A.shape[0], a.shape[0]))
        return self._with(
            np.block([[a, b @ other._C], [corner, other._A]]),
            np.vstack((b @ other._D, other._B)),
            np.hstack((c, d @ other._C)),
            d @ other._D,
        )

    def __rmul__(self, other: Any) -> Any:
        other = self._operand(other)
        if other is NotImplemented or isinstance(other, StateSpace):
            return NotImplemented
        a, b, c, d = self._parts()
        return self._with(a, b, np.dot(other, c), np.dot(other, d))

    def __neg__(self) -> StateSpace:
        a, b, c, d = self._parts()
        return StateSpace(a, b, -c, -d, **self._options)

    def __add__(self, other: Any) -> Any:
        other = self._operand(other)
        if other is NotImplemented:
            return other
        a, b, c, d = self._parts()
        if isinstance(other, StateSpace):
            if type(other) is not type(self):
                raise TypeError(f"Cannot add {type(self)} and {type(other)}")
            if self._dt != other._dt:
                raise TypeError("Cannot add systems with different `dt`.")
            n, m = a.shape[0], other._A.shape[0]
            return self._with(
                np.block([[a, np.zeros((n, m))], [np.zeros((m, n)), other._A]]),
                np.vstack((b, other._B)),
                np.hstack((c, other._C)),
                d + other._D,
            )
        other = np.atleast_2d(other)
        if d.shape != other.shape:
            raise ValueError(f"Cannot add systems with incompatible dimensions ({d.shape} and {other.shape})")
        return self._with(a, b, c, d + other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        other = self._operand(other)
        return other if other is NotImplemented else self + (-other)

    def __rsub__(self, other: Any) -> Any:
        other = self._operand(other)
        return other if other is NotImplemented else (-self) + other

    def __truediv__(self, other: Any) -> Any:
        other = self._operand(other)
        if other is NotImplemented or isinstance(other, StateSpace):
            return NotImplemented
        if isinstance(other, np.ndarray) and other.ndim > 0:
            raise ValueError("Cannot divide StateSpace by non-scalar numpy arrays")
        return self * (1 / other)


class TransferFunctionContinuous(TransferFunction, lti):
    """Coefficients in continuous time."""


class TransferFunctionDiscrete(TransferFunction, dlti):
    """Coefficients in discrete time."""


class ZerosPolesGainContinuous(ZerosPolesGain, lti):
    """Zeros, poles and gain in continuous time."""


class ZerosPolesGainDiscrete(ZerosPolesGain, dlti):
    """Zeros, poles and gain in discrete time."""


class StateSpaceContinuous(StateSpace, lti):
    """Matrices in continuous time."""


class StateSpaceDiscrete(StateSpace, dlti):
    """Matrices in discrete time."""


def cont2discrete(system: Any, dt: float, method: str = "zoh", alpha: float | None = None) -> Any:
    """A system in discrete time instead of continuous time.

    Parameters
    ----------
    system : lti or tuple
        The system, or its 2, 3 or 4 parts.
    dt : float
        The sampling time.
    method : {'gbt', 'bilinear', 'euler', 'backward_diff', 'zoh', 'foh', 'impulse'}
        How the input continues between samples, or the derivative is replaced.
    alpha : float, optional
        For "gbt": 0 is "euler", 1 "backward_diff".

    Returns
    -------
    dlti, or a tuple of the parts and `dt`
        The system.

    Raises
    ------
    ValueError
        The method is unknown, `alpha` is out of range, or the number of parts is another one.

    >>> cp.scipy.signal.cont2discrete(([1.0], [1.0, 0.0]), 0.5)[1]
    array([ 1., -1.])
    """
    if hasattr(system, "to_discrete"):
        return system.to_discrete(dt=read_arrays(dt), method=method, alpha=alpha)
    parts, dt = tuple(to_host(part) for part in system), read_arrays(dt)
    if len(parts) == 2:
        found = (*ss2tf(*discretized(tf2ss(*parts), dt, method, alpha)[:4]), dt)
    elif len(parts) == 3:
        found = (*ss2zpk(*discretized(zpk2ss(*parts), dt, method, alpha)[:4]), dt)
    elif len(parts) == 4:
        found = discretized(parts, dt, method, alpha)
    else:
        raise ValueError("First argument must either be a tuple of 2 (tf), 3 (zpk), or 4 (ss) arrays.")
    return upload_arrays(found)
