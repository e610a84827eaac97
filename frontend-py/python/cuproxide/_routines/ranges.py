"""Evenly spaced numbers, and grids of them."""

from __future__ import annotations

import functools
import math
import operator
import sys
from collections.abc import Callable
from typing import Any, Literal, overload

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.conversions import SCALARS, P, R, accepts_like, along, as_array, as_arrays, as_operand
from .._lib.ufuncs import NUMPY
from .._typing import ArrayLike, DeviceLike, DTypeLike
from .shapes import broadcast_arrays, moveaxis

__all__ = [
    "arange",
    "geomspace",
    "linspace",
    "logspace",
    "meshgrid",
]


# Ranges.


def _ends_by_name(function: Callable[P, R]) -> Callable[P, R]:
    """Lets `arange` take `start` and `stop` by name and `dtype` by place, as NumPy's does beyond its signature."""

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if not args:
            start = kwargs.pop("start", None)
            if start is None and kwargs.get("stop") is None:
                raise TypeError("arange() requires stop to be specified.")
            args = (0 if start is None else start,)
        if len(args) == 4:
            *args, kwargs["dtype"] = args  # type: ignore[assignment]
        return function(*args, **kwargs)

    return wrapper  # type: ignore[return-value]


@accepts_like
@_ends_by_name
def arange(
    start_or_stop: float,
    /,
    stop: float | None = None,
    step: float | None = 1,
    *,
    dtype: DTypeLike = None,
    device: DeviceLike = None,
) -> ndarray:
    """Evenly spaced values from `start` (0 by default) below `stop`, `step` apart.

    Parameters
    ----------
    start_or_stop : number
        The first value, or without `stop` the end, from 0.
    stop : number, optional
        The end, which is not among the values.
    step : number
        The distance of the values.
    like : ndarray, optional
        An array of this library, by which NumPy's functions find this one.

    >>> cp.arange(1, 10, 3)
    array([1, 4, 7])
    """
    start, stop = (0, start_or_stop) if stop is None else (start_or_stop, stop)
    step = 1 if step is None else step
    start, stop, step = (value.item() if isinstance(value, ndarray) else value for value in (start, stop, step))
    if dtype is None:
        # Empty ranges have the dtype that NumPy gives full ones.
        dtype = np.promote_types(np.arange(start, start, step).dtype, np.arange(stop, stop, step).dtype)
    dtype = _core.dtype(dtype)
    if step == 0:
        raise ZeroDivisionError("division by zero")
    spans = (stop - start) / step
    if isinstance(spans, complex):
        length = math.ceil(min(spans.real, spans.imag))
    elif math.isfinite(spans):
        length = math.ceil(spans)
    else:
        raise ValueError("arange: cannot compute length")
    length = max(length, 0)
    if length > sys.maxsize:
        raise ValueError("Maximum allowed size exceeded")
    if dtype == np.bool_ and length > 2:
        raise TypeError("arange() is only supported for booleans when the result has at most length 2.")
    # NumPy casts the first two values and repeats their distance.
    if dtype.kind in "iub":
        np.array([int(value) for value in (start, start + step)[:length]], dtype)
        start, step = int(start), int(start + step) - int(start)
    elif length > 1:
        first, second = (np.asarray(value, dtype).astype(_wide(dtype))[()] for value in (start, start + step))
        start, step = first, second - first
    return _core.arange(start, step, length, dtype, device=device)


def _wide(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype that ranges of `dtype` are computed in."""
    return np.dtype(np.float32) if dtype.itemsize == 2 else dtype


@overload
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    retstep: Literal[False] = False,
    dtype: DTypeLike = None,
    axis: int = 0,
    *,
    device: DeviceLike = None,
) -> ndarray: ...
@overload
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    *,
    retstep: Literal[True],
    dtype: DTypeLike = None,
    axis: int = 0,
    device: DeviceLike = None,
) -> tuple[ndarray, Any]: ...
@overload
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike = None,
    axis: int = 0,
    *,
    device: DeviceLike = None,
) -> Any: ...
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike = None,
    axis: int = 0,
    *,
    device: DeviceLike = None,
) -> Any:
    """`num` evenly spaced values from `start` to `stop`, which is the last one if `endpoint`.

    Ends may be arrays: the values then run along the new axis `axis`. With `retstep` also returns their distance.
    Integer dtypes round down.

    Parameters
    ----------
    retstep : bool
        Whether the distance is returned too.

    Returns
    -------
    ndarray, or a tuple of it and the distance

    >>> cp.linspace(0, 1, 5)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    num = operator.index(num)
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    intervals = num - 1 if endpoint else num
    # Python numbers take part weakly: beside float32 arrays the result is float32.
    natural = _core.result_type(as_operand(start), as_operand(stop), float(num))
    start, stop = _inexact(start), _inexact(stop)
    dtype = natural if dtype is None else _core.dtype(dtype)
    delta = _subtract(stop, start)
    dims = delta.ndim if isinstance(delta, ndarray) else 0
    real = np.empty(0, natural).real.dtype
    step = delta / intervals if intervals > 0 else math.nan
    on_host = not isinstance(step, ndarray) and not isinstance(start, ndarray)
    if on_host and intervals > 0 and step != 0 and natural.itemsize >= 4:
        values = _core.arange(start, step, num, natural, device=device)
    else:
        values = along(_core.arange(0, 1, num, real, device=device), 0, dims + 1)
        if intervals <= 0:
            values = values * delta
        elif isinstance(step, ndarray):
            values = _core.where(step == 0, values / intervals * delta, values * step)
        else:
            values = values * step if step != 0 else values / intervals * delta
        values = values + start
    if intervals > 0:
        values, step = _of_far_ends(values, step, start, stop, intervals, real)
    if endpoint and num > 1:
        values[-1, ...] = stop
    if axis != 0:
        values = moveaxis(values, 0, axis)
    if dtype.kind in "iu":
        values = NUMPY["floor"](values)
    values = values.astype(dtype, copy=False)
    return (values, step) if retstep else values


def _inexact(value: ArrayLike) -> Any:
    """`value` as a NumPy scalar or an array of floats or complex numbers."""
    if isinstance(value, SCALARS):
        return np.asarray(value)[()] * np.float64(1) if isinstance(value, (bool, int)) else np.asarray(value * 1.0)[()]
    return as_array(value) * 1.0


def _of_far_ends(
    values: ndarray, step: Any, start: Any, stop: Any, intervals: int, real: np.dtype[Any]
) -> tuple[ndarray, Any]:
    """`values` and their `step`, computed from both ends where their distance leaves the range of its type."""
    on_host = not isinstance(step, ndarray)
    isfinite = np.isfinite if on_host else NUMPY["isfinite"]
    far = ~isfinite(step) & isfinite(start) & isfinite(stop)
    if on_host and not far:
        return values, step
    part = _core.arange(0, 1, len(values), real, device=values.device) / intervals
    part = part.reshape((-1,) + (1,) * (values.ndim - 1))
    mixed, own = start * (1 - part) + stop * part, stop / intervals - start / intervals
    return (mixed, own) if on_host else (_core.where(far, mixed, values), _core.where(far, own, step))


def _subtract(stop: Any, start: Any) -> Any:
    with np.errstate(all="ignore"):
        return stop - start


def logspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    base: ArrayLike = 10.0,
    dtype: DTypeLike = None,
    axis: int = 0,
) -> ndarray:
    """`base` to the powers `linspace(start, stop, num, endpoint)`.

    Parameters
    ----------
    base : array_like
        The base of the powers.

    >>> cp.logspace(0, 2, 3)
    array([  1.,  10., 100.])
    """
    if isinstance(base, (ndarray, list, tuple)):
        start, stop, base = broadcast_arrays(start, stop, base)
        base = _core.expand_dims(base, axis)
    powers = linspace(start, stop, num, endpoint, axis=axis)
    result = NUMPY["power"](base, powers)
    return result if dtype is None else result.astype(dtype, copy=False)


def geomspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    dtype: DTypeLike = None,
    axis: int = 0,
) -> ndarray:
    """`num` values from `start` to `stop` with a constant ratio; neither end may be 0 (`ValueError`).

    Complex ends give a logarithmic spiral.

    >>> cp.geomspace(1, 8, 4)
    array([1., 2., 4., 8.])
    """
    start, stop = as_array(start), as_array(stop)
    if bool((start == 0).any()) or bool((stop == 0).any()):
        raise ValueError("Geometric sequence cannot include zero")
    natural = _core.result_type(start, stop, float(num), _core.zeros((), np.float64 if dtype is None else dtype))
    start, stop = (end.astype(natural) for end in broadcast_arrays(start, stop))
    # Rotating the start onto the positive real axis leaves real positive ends for the common cases.
    sign = NUMPY["sign"](start)
    start, stop = start / sign, stop / sign
    log_start, log_stop = NUMPY["log10"](start), NUMPY["log10"](stop)
    result = logspace(log_start, log_stop, num, endpoint, 10.0)
    if num > 0:
        result[0] = start
        if num > 1 and endpoint:
            result[-1] = stop
    result = result * sign
    if axis != 0:
        result = moveaxis(result, 0, axis)
    return result.astype(natural if dtype is None else dtype, copy=False)


# Grids.


def meshgrid(*xi: ArrayLike, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> tuple[ndarray, ...]:
    """Coordinate arrays of a grid over one-dimensional arrays.

    `indexing` "xy" exchanges the first two axes, "ij" does not; `sparse` leaves axes of length 1; without `copy` the
    results are views.

    Parameters
    ----------
    *xi : array_like
        The coordinates along each axis.
    copy : bool
        Whether grids have memory of their own.
    indexing : {'xy', 'ij'}
        Whether the first axis of the grids follows the second argument or the first.

    >>> cp.meshgrid(cp.arange(3), cp.arange(2))[1]
    array([[0, 0, 0],
           [1, 1, 1]])
    """
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    count = len(xi)
    position = list(range(count))
    if indexing == "xy" and count > 1:
        position[:2] = 1, 0
    grids = [along(x.reshape(-1), position[i], count) for i, x in enumerate(as_arrays(xi))]
    results = tuple(grids) if sparse else broadcast_arrays(*grids)
    return tuple(grid.copy() for grid in results) if copy else results
