"""Making arrays: filled, counted, from functions, buffers and other arrays."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, overload

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import array, asnumpy, empty, from_dlpack, full, ndarray, zeros
from .._typing import ArrayLike, DeviceLike, DTypeLike, ShapeLike
from ._common import (
    SCALARS,
    P,
    R,
    accepts_like,
    along,
    as_array,
    as_arrays,
    as_operand,
    counting,
    host_dtype,
    is_inexact,
)
from .shapes import broadcast_arrays, moveaxis

__all__ = [
    "arange",
    "array",
    "asanyarray",
    "asarray",
    "asarray_chkfinite",
    "ascontiguousarray",
    "asfortranarray",
    "asnumpy",
    "copy",
    "diag",
    "diagflat",
    "empty",
    "empty_like",
    "eye",
    "from_dlpack",
    "frombuffer",
    "fromfunction",
    "fromiter",
    "full",
    "full_like",
    "geomspace",
    "identity",
    "linspace",
    "logspace",
    "meshgrid",
    "ones",
    "ones_like",
    "require",
    "tri",
    "tril",
    "triu",
    "vander",
    "zeros",
    "zeros_like",
]


# Filled arrays.


@accepts_like
def ones(shape: ShapeLike, dtype: DTypeLike = None, order: str = "C", *, device: DeviceLike = None) -> ndarray:
    """A new array of ones. See `numpy.ones`.

    >>> cp.ones((2, 3))
    array([[1., 1., 1.],
           [1., 1., 1.]])
    """
    return full(shape, 1, float if dtype is None else dtype, order, device=device)


def empty_like(
    prototype: ArrayLike,
    /,
    dtype: DTypeLike = None,
    order: str = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
    *,
    device: DeviceLike = None,
) -> ndarray:
    """An uninitialised array like `prototype` but for what is given. See `numpy.empty_like`.

    >>> cp.empty_like(cp.ones((2, 3))).shape
    (2, 3)
    """
    return _core.empty_like(as_array(prototype), dtype, order, shape, device=device)


def zeros_like(
    a: ArrayLike,
    dtype: DTypeLike = None,
    order: str = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
    *,
    device: DeviceLike = None,
) -> ndarray:
    """An array of zeros like `a` but for what is given. See `numpy.zeros_like`.

    >>> cp.zeros_like(cp.arange(3))
    array([0, 0, 0])
    """
    return _core.zeros_like(as_array(a), dtype, order, shape, device=device)


def ones_like(
    a: ArrayLike,
    dtype: DTypeLike = None,
    order: str = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
    *,
    device: DeviceLike = None,
) -> ndarray:
    """An array of ones like `a` but for what is given. See `numpy.ones_like`.

    >>> cp.ones_like(cp.arange(3), dtype=cp.float32)
    array([1., 1., 1.], dtype=float32)
    """
    return _core.full_like(as_array(a), 1, dtype, order, shape, device=device)


def full_like(
    a: ArrayLike,
    fill_value: ArrayLike,
    dtype: DTypeLike = None,
    order: str = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
    *,
    device: DeviceLike = None,
) -> ndarray:
    """An array like `a`, filled with `fill_value` (cast as by assignment). See `numpy.full_like`.

    >>> cp.full_like(cp.arange(3), 7)
    array([7, 7, 7])
    """
    return _core.full_like(as_array(a), as_operand(fill_value), dtype, order, shape, device=device)


@accepts_like
def eye(
    N: int, M: int | None = None, k: int = 0, dtype: DTypeLike = float, order: str = "C", *, device: DeviceLike = None
) -> ndarray:
    """An `N` by `M` matrix with ones on its `k`-th diagonal and zeros elsewhere. See `numpy.eye`.

    >>> cp.eye(2, 3, k=1)
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    M = N if M is None else operator.index(M)
    k = operator.index(k)
    result = zeros((N, M), dtype, order, device=device)
    if -N < k < M:
        result.diagonal(k)[...] = 1
    return result


@accepts_like
def identity(n: int, dtype: DTypeLike = None) -> ndarray:
    """The identity matrix of `n` rows. See `numpy.identity`.

    >>> cp.identity(2)
    array([[1., 0.],
           [0., 1.]])
    """
    return eye(n, dtype=float if dtype is None else dtype)


# From other things.


@accepts_like
def asarray(
    a: Any, dtype: DTypeLike = None, order: str | None = None, *, device: DeviceLike = None, copy: bool | None = None
) -> ndarray:
    """`a` as an array: itself if nothing changes, otherwise copied to the device.

    Takes arrays of this library and of NumPy, scalars, nested sequences and exporters of DLPack or the CUDA array
    interface. `copy=True` always copies, `copy=False` is a `ValueError` where a copy is needed. See `numpy.asarray`.

    >>> cp.asarray([[1, 2], [3, 4]], dtype=cp.float32)
    array([[1., 2.],
           [3., 4.]], dtype=float32)
    """
    if dtype is None and order is None and device is None and copy is None and isinstance(a, ndarray):
        return a
    return array(a, dtype, copy, "K" if order is None else order, device=device)


asanyarray = asarray


@accepts_like
def ascontiguousarray(a: Any, dtype: DTypeLike = None) -> ndarray:
    """`a` as an array of at least one axis, contiguous in C order. See `numpy.ascontiguousarray`.

    >>> cp.ascontiguousarray(cp.ones((2, 3)).T).flags.c_contiguous
    True
    """
    return array(a, dtype, None, "C", 1)


@accepts_like
def asfortranarray(a: Any, dtype: DTypeLike = None) -> ndarray:
    """`a` as an array of at least one axis, contiguous in Fortran order. See `numpy.asfortranarray`.

    >>> cp.asfortranarray(cp.ones((2, 3))).flags.f_contiguous
    True
    """
    return array(a, dtype, None, "F", 1)


def asarray_chkfinite(a: Any, dtype: DTypeLike = None, order: str | None = None) -> ndarray:
    """`asarray`, with a `ValueError` if an element is infinite or NaN (waits for the device).

    See `numpy.asarray_chkfinite`.

    >>> cp.asarray_chkfinite([1.0, 2.0])
    array([1., 2.])
    """
    result = asarray(a, dtype, order)
    if is_inexact(result.dtype) and not bool(_isfinite(result).all()):
        raise ValueError("array must not contain infs or NaNs")
    return result


_isfinite = _core.ufuncs()["isfinite"]


def copy(a: ArrayLike, order: str = "K", subok: bool = False) -> ndarray:
    """A copy of `a`. See `numpy.copy`.

    >>> cp.copy(cp.arange(3))
    array([0, 1, 2])
    """
    return as_array(a).copy(order=order)


@accepts_like
def require(a: Any, dtype: DTypeLike = None, requirements: str | Sequence[str] | None = None) -> ndarray:
    """`a` as an array that meets `requirements`: "C", "F", "A" (aligned), "W" (writeable), "O" (owns its data).

    See `numpy.require`.

    >>> cp.require([[1, 2], [3, 4]], requirements="F").flags.f_contiguous
    True
    """
    if not requirements:
        return asarray(a, dtype)
    known = {"C": "C", "C_CONTIGUOUS": "C", "CONTIGUOUS": "C", "F": "F", "F_CONTIGUOUS": "F", "FORTRAN": "F"}
    known |= {"A": "A", "ALIGNED": "A", "W": "W", "WRITEABLE": "W", "O": "O", "OWNDATA": "O", "E": "E"}
    known |= {"ENSUREARRAY": "E"}
    wanted = {known[requirement.upper()] for requirement in requirements}
    if {"C", "F"} <= wanted:
        raise ValueError('Cannot specify both "C" and "F" order')
    order = "F" if "F" in wanted else "C" if "C" in wanted else "K"
    result = array(a, dtype, None, order)
    lacking = ("O" in wanted and not result.flags.owndata) or ("W" in wanted and not result.flags.writeable)
    return result.copy(order=order) if lacking else result


@accepts_like
def frombuffer(buffer: Any, dtype: DTypeLike = None, count: int = -1, offset: int = 0) -> ndarray:
    """An array of one axis with a copy of the bytes of a host buffer. See `numpy.frombuffer`.

    >>> cp.frombuffer(b"abc", dtype=cp.uint8)
    array([97, 98, 99], dtype=uint8)
    """
    return array(np.frombuffer(buffer, host_dtype(float if dtype is None else dtype), count, offset))


@accepts_like
def fromiter(iter: Iterable[Any], dtype: DTypeLike, count: int = -1) -> ndarray:
    """An array of one axis with the items of a Python iterable. See `numpy.fromiter`.

    >>> cp.fromiter((i * i for i in range(4)), dtype=int)
    array([0, 1, 4, 9])
    """
    return array(np.fromiter(iter, host_dtype(dtype), count))


@accepts_like
def fromfunction(function: Callable[..., Any], shape: Sequence[int], *, dtype: DTypeLike = float, **kwargs: Any) -> Any:
    """The result of `function` called once with arrays of coordinates, one for each axis. See `numpy.fromfunction`.

    >>> cp.fromfunction(lambda i, j: i + j, (2, 3))
    array([[0., 1., 2.],
           [1., 2., 3.]])
    """
    from .coordinates import indices

    iter(shape)
    return function(*indices(shape, dtype=dtype), **kwargs)


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
    """Evenly spaced values from `start` (0 by default) below `stop`, `step` apart. See `numpy.arange`.

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
    Integer dtypes round down. See `numpy.linspace`.

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
    if endpoint and num > 1:
        values[-1, ...] = stop
    if axis != 0:
        values = moveaxis(values, 0, axis)
    if dtype.kind in "iu":
        values = _core.ufuncs()["floor"](values)
    values = values.astype(dtype, copy=False)
    return (values, step) if retstep else values


def _inexact(value: ArrayLike) -> Any:
    """`value` as a NumPy scalar or an array of floats or complex numbers."""
    if isinstance(value, SCALARS):
        return np.asarray(value)[()] * np.float64(1) if isinstance(value, (bool, int)) else np.asarray(value * 1.0)[()]
    return as_array(value) * 1.0


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
    """`base` to the powers `linspace(start, stop, num, endpoint)`. See `numpy.logspace`.

    >>> cp.logspace(0, 2, 3)
    array([  1.,  10., 100.])
    """
    if isinstance(base, (ndarray, list, tuple)):
        start, stop, base = broadcast_arrays(start, stop, base)
        base = _core.expand_dims(base, axis)
    powers = linspace(start, stop, num, endpoint, axis=axis)
    result = _core.ufuncs()["power"](base, powers)
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

    Complex ends give a logarithmic spiral. See `numpy.geomspace`.

    >>> cp.geomspace(1, 8, 4)
    array([1., 2., 4., 8.])
    """
    ufuncs = _core.ufuncs()
    start, stop = as_array(start), as_array(stop)
    if bool((start == 0).any()) or bool((stop == 0).any()):
        raise ValueError("Geometric sequence cannot include zero")
    natural = _core.result_type(start, stop, float(num), _core.zeros((), dtype) if dtype is not None else 0.0)
    start, stop = (end.astype(natural) for end in broadcast_arrays(start, stop))
    # Rotating the start onto the positive real axis leaves real positive ends for the common cases.
    sign = ufuncs["sign"](start)
    start, stop = start / sign, stop / sign
    log_start, log_stop = ufuncs["log10"](start), ufuncs["log10"](stop)
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
    results are views. See `numpy.meshgrid`.

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


# Matrices.


def diag(v: ArrayLike, k: int = 0) -> ndarray:
    """The `k`-th diagonal of a matrix as a view, or a matrix with `v` as its `k`-th diagonal. See `numpy.diag`.

    >>> cp.diag(cp.arange(1, 3))
    array([[1, 0],
           [0, 2]])
    """
    v = as_array(v)
    if v.ndim == 1:
        return diagflat(v, k)
    if v.ndim == 2:
        return v.diagonal(k)
    raise ValueError("Input must be 1- or 2-d.")


def diagflat(v: ArrayLike, k: int = 0) -> ndarray:
    """A matrix with the flattened `v` as its `k`-th diagonal. See `numpy.diagflat`.

    >>> cp.diagflat(cp.ones(2), k=1)
    array([[0., 1., 0.],
           [0., 0., 1.],
           [0., 0., 0.]])
    """
    v = as_array(v).ravel()
    length = v.size + abs(k)
    result = zeros((length, length), v.dtype)
    if v.size:
        result.diagonal(k)[...] = v
    return result


@accepts_like
def tri(N: int, M: int | None = None, k: int = 0, dtype: DTypeLike = float) -> ndarray:
    """An `N` by `M` matrix with ones at and below the `k`-th diagonal. See `numpy.tri`.

    >>> cp.tri(3, dtype=int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 1, 1]])
    """
    rows, columns = counting(max(N, 0)), counting(max(N if M is None else M, 0))
    return (rows[:, None] >= columns - k).astype(dtype, copy=False)


def tril(m: ArrayLike, k: int = 0) -> ndarray:
    """A copy of `m` with zeros above the `k`-th diagonal of its last two axes. See `numpy.tril`.

    >>> cp.tril(cp.ones((3, 3), dtype=int), -1)
    array([[0, 0, 0],
           [1, 0, 0],
           [1, 1, 0]])
    """
    m = as_array(m)
    return _core.where(tri(*m.shape[-2:], k=k, dtype=bool), m, zeros((), m.dtype))


def triu(m: ArrayLike, k: int = 0) -> ndarray:
    """A copy of `m` with zeros below the `k`-th diagonal of its last two axes. See `numpy.triu`.

    >>> cp.triu(cp.ones((3, 3), dtype=int), 1)
    array([[0, 1, 1],
           [0, 0, 1],
           [0, 0, 0]])
    """
    m = as_array(m)
    return _core.where(tri(*m.shape[-2:], k=k - 1, dtype=bool), zeros((), m.dtype), m)


def vander(x: ArrayLike, N: int | None = None, increasing: bool = False) -> ndarray:
    """The Vandermonde matrix of `x`: its powers, from the highest (or lowest) to the other. See `numpy.vander`.

    >>> cp.vander(cp.asarray([1, 2, 3]), 3)
    array([[1, 1, 1],
           [4, 2, 1],
           [9, 3, 1]])
    """
    x = as_array(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    count = x.size if N is None else N
    result = empty((x.size, count), _core.promote_types(x.dtype, int))
    powers = result if increasing else result[:, ::-1]
    if count > 0:
        powers[:, 0] = 1
    if count > 1:
        powers[:, 1:] = x[:, None]
        powers[:, 1:] = powers[:, 1:].cumprod(axis=1)
    return result
