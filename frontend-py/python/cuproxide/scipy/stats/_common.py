"""What the functions of this package share: arguments as device arrays, generators of random numbers."""

from __future__ import annotations

import contextlib
import functools
import importlib
import operator
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device
from ..._lib.generators import device_generator

_Function = TypeVar("_Function", bound=Callable[..., Any])
FLOAT64 = np.dtype(np.float64)
POLICIES = ("propagate", "raise", "omit")
HAS_NAN = "The input contains nan values"


def check_policy(nan_policy: Any) -> None:
    """Refuses what is no name of a policy."""
    if nan_policy not in POLICIES:
        raise ValueError(f"nan_policy must be one of {{'propagate', 'raise', 'omit'}}, not {nan_policy!r}")


def refuse_nan(*samples: ndarray) -> None:
    """Refuses NaN; one read of the device."""
    if bool(functools.reduce(operator.or_, [cp.isnan(x).any() for x in samples])):
        raise ValueError(HAS_NAN)


def quiet() -> Any:
    """Numbers on the host overflow and divide as elements on the device do: without a warning."""
    return np.errstate(all="ignore")


def real(x: Any, name: str = "array") -> ndarray:
    """A real floating-point array; integers become float64."""
    x = as_device(x)
    if x.dtype.kind == "c":
        raise TypeError(f"{name} must be real, got {x.dtype}")
    return x.astype(FLOAT64) if x.dtype.kind in "iub" else x


def inexact(x: Any) -> ndarray:
    """A floating-point or complex array; integers become float64."""
    x = as_device(x)
    return x.astype(FLOAT64) if x.dtype.kind in "iub" else x


def parameter(value: Any) -> Any:
    """A parameter of a distribution: a number of the host stays there, all else is a float64 array."""
    device = isinstance(value, ndarray)
    host = value if device else np.asarray(value)
    if host.dtype.kind == "c":
        raise TypeError("parameters must be real")
    if device:
        return value.astype(FLOAT64, copy=False)
    if host.ndim == 0:
        return np.float64(host)
    return cp.array(host.astype(np.float64))


def points(x: Any) -> ndarray:
    """The points at which a function of a distribution is wanted, as float64 on the device."""
    if not isinstance(x, ndarray):
        x = as_device(x)
    if x.dtype.kind == "c":
        raise TypeError(f"points must be real, got {x.dtype}")
    return x.astype(FLOAT64, copy=False)


def generator(random_state: Any) -> Any:
    """The random numbers that `random_state` names: None (the package's own), a seed, a generator."""
    return device_generator(random_state, legacy=True)


def modern(rng: Any) -> Any:
    """As `generator`, where seeds make a `Generator`: SciPy's rule for arguments by the name `rng`."""
    return device_generator(rng)


def chosen(random_state: Any, rng: Any) -> Any:
    """The generator of two arguments of which one is given."""
    if random_state is not None and rng is not None:
        raise TypeError("got multiple values for argument now known as `rng`")
    return modern(rng) if rng is not None or random_state is None else generator(random_state)


def renamed(old: str, new: str) -> Callable[[_Function], _Function]:
    """For a function of which SciPy takes the argument `new` by its name of `old` times, too."""

    def decorate(function: _Function) -> _Function:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwds: Any) -> Any:
            if old in kwds:
                if new in kwds:
                    raise TypeError(f"{function.__name__}() got multiple values for argument now known as `{new}`")
                kwds[new] = kwds.pop(old)
            return function(*args, **kwds)

        return wrapper  # type: ignore[return-value]

    return decorate


def integers(source: Any, high: int, size: Any, low: int = 0) -> ndarray:
    """Random integers from `low` to below `high`, of either kind of generator."""
    draw = getattr(source, "integers", None) or source.randint
    return draw(low, high, size=size)


def holds(condition: Any) -> bool:
    """Whether a condition holds everywhere; waits for the device if it is an array."""
    return bool(condition.all().item()) if isinstance(condition, ndarray) else bool(np.all(condition))


def reject_host_only(**options: Any) -> None:
    """Errors for options that are misspelt."""
    for name in options:
        raise TypeError(f"unexpected keyword argument {name!r}")


def whole_number(value: Any, name: str) -> int:
    """A count, also as an array of one integer; `TypeError` for fractions."""
    value = value.item() if hasattr(value, "item") and getattr(value, "size", 1) == 1 else value
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, but got {value!r}.") from None


def shape_of(*values: Any) -> tuple[int, ...]:
    """The shape of the values broadcast together."""
    return np.broadcast_shapes(*(getattr(value, "shape", ()) for value in values))


def current_axes(name: str) -> Any:
    """The axes that matplotlib draws on now, for a function by this name."""
    try:
        return importlib.import_module("matplotlib.pyplot").gca()
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"`matplotlib` must be installed to use `{name}`.") from error


@contextlib.contextmanager
def nothing() -> Any:
    """A context without effect."""
    yield
