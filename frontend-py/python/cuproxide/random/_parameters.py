"""Parameters of distributions: checked on the host where they are known there, with NumPy's messages."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.conversions import as_array, as_shape
from .._typing import ArrayLike, ShapeLike

Check = Callable[[Any, str], None]


def _complain(wrong: np.ndarray, message: str) -> None:
    if np.any(wrong):
        raise ValueError(message)


def non_negative(value: np.ndarray, name: str) -> None:
    """Zero or more; NaN passes, as in NumPy."""
    _complain(~np.isnan(value) & np.signbit(value), f"{name} < 0")


def trials(value: np.ndarray, name: str) -> None:
    """A number that has an integer, zero or more."""
    _complain(np.isnan(value), f"cannot convert {name}, which is float NaN, to integer")
    if np.any(np.isinf(value)):
        raise OverflowError(f"cannot convert {name}, which is float infinity, to integer")
    non_negative(value, name)


def whole(value: np.ndarray, name: str) -> None:
    """Zero or more, and a whole number."""
    if value.size and not np.all(np.isfinite(value) & (value == np.floor(value))):
        raise TypeError(f"{name} must be integers")
    _complain(value < 0, f"{name} < 0")


def at_least_one(value: np.ndarray, name: str) -> None:
    """One or more, and a whole number."""
    whole(value, name)
    _complain(value < 1, f"{name} < 1")


def positive(value: np.ndarray, name: str) -> None:
    """More than zero."""
    _complain(~np.isnan(value) & ~(value > 0), f"{name} <= 0")


def positive_number(value: np.ndarray, name: str) -> None:
    """More than zero and not NaN."""
    _complain(np.isnan(value), f"{name} must not be NaN")
    positive(value, name)


def probability(value: np.ndarray, name: str) -> None:
    """From 0 to 1."""
    _complain(~((value >= 0) & (value <= 1)), f"{name} < 0, {name} > 1 or {name} is NaN")


def success(value: np.ndarray, name: str) -> None:
    """More than 0, at most 1."""
    _complain(~((value > 0) & (value <= 1)), f"{name} <= 0, {name} > 1 or {name} contains NaNs")


def fraction(value: np.ndarray, name: str) -> None:
    """From 0 to below 1."""
    _complain(~((value >= 0) & (value < 1)), f"{name} < 0, {name} >= 1 or {name} is NaN")


def above_one(value: np.ndarray, name: str) -> None:
    """More than 1."""
    _complain(~(value > 1), f"{name} <= 1 or {name} is NaN")


def rate(value: np.ndarray, name: str) -> None:
    """The mean of a Poisson distribution whose results fit in an int64."""
    _complain(~(value >= 0), f"{name} < 0 or {name} is NaN")
    _complain(value > 2**63 - 1 - math.sqrt(2**63 - 1) * 10, f"{name} value too large")


def countable(n: np.ndarray, p: np.ndarray) -> None:
    """Failures before `n` successes of probability `p` whose number fits in an int64, but for a chance of e^-50."""
    most = (1 - p) / p * (n + 10 * np.sqrt(n))
    _complain(
        most > 2**63 - 1 - math.sqrt(2**63 - 1) * 10,
        "n too large or p too small, see Generator.negative_binomial Notes",
    )


def copied(value: ArrayLike) -> ndarray:
    """An argument as an array of the device: parameters of draws are copied from the host, whatever holds them."""
    return _core.array(value) if isinstance(value, np.ndarray) else as_array(value)


#: Checks of parameters that are counts: integers, or numbers that are cut off.
_COUNTS = (trials, whole, at_least_one)


def _converted(value: Any, name: str, dtype: type[np.generic]) -> np.ndarray:
    """A parameter of the host as NumPy's generators read it: arrays by the rule 'safe', all else number by number."""
    if isinstance(value, (np.ndarray, memoryview)) or hasattr(value, "__array__") and not isinstance(value, np.generic):
        host = np.asarray(value)
        if not np.can_cast(host.dtype, dtype, "safe"):
            wanted = np.dtype(dtype)
            raise TypeError(f"{name}: cannot cast array data from {host.dtype!r} to {wanted!r} by the rule 'safe'")
        return host.astype(dtype, copy=False)
    if value is None or isinstance(value, (str, bytes, np.datetime64, np.timedelta64)):
        # NumPy would make None NaN.
        raise TypeError(f"{name} must be real number, not {type(value).__name__}")
    # As a number of Python's, one that is too large for an integer is an error.
    counts = dtype is np.int64 and isinstance(value, (np.floating, np.integer))
    return np.asarray(value.item() if counts else value, dtype=dtype)


def prepare(value: ArrayLike, name: str, check: Check | None = None, *, on_device: bool = False) -> ndarray | float:
    """A parameter as a float, or as a float64 array of the device.

    `check` sees what is given on the host; what is on the device only if `on_device`, as that waits for it.
    """
    if isinstance(value, ndarray):
        if value.dtype.kind == "c":
            raise TypeError(f"{name}: cannot cast an array of complex numbers to real ones")
        value = value.astype(np.float64, copy=False)
        if on_device and check is not None:
            check(value, name)
        return value
    host = _converted(value, name, np.int64 if check in _COUNTS else np.float64)
    if check is not None:
        check(host, name)
    return float(host) if host.ndim == 0 else _core.array(host.astype(np.float64, copy=False))


def result_shape(parameters: list[Any], size: ShapeLike | None, out: ndarray | None = None) -> tuple[int, ...]:
    """The shape of a draw: `size`, that of `out`, or what the parameters broadcast to."""
    shape = _core.broadcast_shapes(*(p.shape for p in parameters if isinstance(p, ndarray)))
    if size is not None:
        wanted = tuple(operator.index(length) for length in as_shape(size))
        if out is not None and wanted != out.shape:
            raise ValueError("size must match out.shape when used together")
    elif out is not None:
        wanted = out.shape
    else:
        return tuple(shape)
    if any(length < 0 for length in wanted):
        raise ValueError("negative dimensions are not allowed")
    try:
        fits = tuple(_core.broadcast_shapes(wanted, shape)) == wanted
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(f"Output size {wanted} is not compatible with broadcast dimensions of inputs {tuple(shape)}.")
    return wanted
