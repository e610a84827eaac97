"""What NumPy's protocols and the compiled module call back into Python for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import _cuproxide as _core
from ._cuproxide import ndarray, ufunc
from ._routines._common import as_index_array, as_operand, counting
from ._routines.creation import empty_like
from ._routines.differences import diff
from ._routines.joining import concatenate
from ._routines.shapes import broadcast_to
from ._routines.sorting import searchsorted
from ._typing import Integers


def array_function(
    func: Callable[..., Any], types: tuple[type, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Runs the function of this library that has the name of a NumPy function (`__array_function__`).

    Arguments of other libraries are left to these. Arrays of NumPy are a `TypeError`: nothing is copied to or from a
    device unless the program says so.
    """
    if not all(issubclass(kind, ndarray) or kind is np.ndarray for kind in types):
        return NotImplemented
    found = _counterpart(func)
    if found is None:
        return NotImplemented
    if np.ndarray in types:
        raise TypeError(
            f"{func.__module__}.{func.__name__} got arrays of cuproxide and of NumPy, and copies neither implicitly; "
            "use cuproxide.asarray(x) or cuproxide.asnumpy(x)"
        )
    return found(*args, **kwargs)


def _counterpart(func: Callable[..., Any]) -> Callable[..., Any] | None:
    """`numpy.linalg.norm` is found as `cuproxide.linalg.norm`, and so on."""
    import cuproxide

    package, _, path = func.__module__.partition(".")
    if package != "numpy":
        return None
    module: Any = cuproxide
    for part in path.split(".") if path else ():
        module = getattr(module, part, None)
    return getattr(module, func.__name__, None)


# Ufunc methods that the compiled module has no kernel for.

_ASSOCIATIVE = {
    "add",
    "multiply",
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "logical_and",
    "logical_or",
    "logical_xor",
    "gcd",
    "lcm",
    "hypot",
    "logaddexp",
    "logaddexp2",
}


def ufunc_at(function: ufunc, a: ndarray, indices: Any, b: Any = None) -> None:
    """`ufunc.at`: applies the function in place at `indices`, once for each time that an index is repeated.

    Results are cast to the dtype of `a`, unsafely as in NumPy. Repetitions are worked off in rounds, each over distinct
    indices. Waits for the device.
    """
    if function.nout != 1:
        raise ValueError("Only single output ufuncs supported at this time")
    numbers = counting(a.size).reshape(a.shape)[indices]
    targets = numbers.ravel()
    values = None if b is None else broadcast_to(_core.array(as_operand(b), copy=None), numbers.shape).ravel()
    if targets.size == 0:
        # Only for what the function says to the dtypes.
        none = a.ravel()[:0]
        function(none) if values is None else function(none, values)
        return
    order = targets.argsort()
    ranked = targets[order]
    starts = concatenate((_core.full(1, True, np.bool_), ranked[1:] != ranked[:-1]))
    group = starts.cumsum(dtype=np.int64) - 1
    turn = counting(ranked.size) - starts.nonzero()[0][group]
    flat = a.ravel()
    for current in range(int(turn.max()) + 1):
        members = order[turn == current]
        places = targets[members]
        old = flat[places]
        new = function(old) if values is None else function(old, values[members])
        flat[places] = new.astype(a.dtype, copy=False)
    if not _core.may_share_memory(flat, a):
        a[...] = flat.reshape(a.shape)


def ufunc_reduceat(
    function: ufunc, array: ndarray, indices: Integers, axis: int = 0, dtype: Any = None, out: ndarray | None = None
) -> ndarray:
    """`ufunc.reduceat`: reduces the slices `array[indices[i]:indices[i+1]]` along `axis`.

    For associative functions a segmented scan, whose number of launches is the logarithm of the length; for others one
    launch for each position in the longest slice. Waits for the device.
    """
    if array.ndim == 0:
        raise TypeError("cannot reduceat on a scalar")
    axis = _core.normalize_axis(axis, array.ndim)
    indices = as_index_array(indices)
    if indices.dtype.kind not in "iu" or indices.ndim != 1:
        raise TypeError("indices must be a sequence of integers")
    length = array.shape[axis]
    if indices.size and bool(((indices < 0) | (indices >= length)).any()):
        bad = int(indices[(indices < 0) | (indices >= length)][0])
        raise IndexError(f"index {bad} out-of-bounds in {function.__name__}.reduceat [0, {length})")
    starts = indices.astype(np.int64)
    if dtype is None and out is not None:
        dtype = out.dtype
    probe = function.reduce(_core.zeros((1,), array.dtype), dtype=dtype)
    data = _core.moveaxis(array.astype(probe.dtype, copy=False), axis, 0)
    if starts.size == 0:
        result = data[:0]
    else:
        spans = concatenate((diff(starts), length - starts[-1:]))
        spans = _core.where(spans > 0, spans, 1)
        fold = _scan_segments if function.__name__ in _ASSOCIATIVE else _walk_segments
        result = fold(function, data, starts, spans)
    result = _core.moveaxis(result, 0, axis)
    if out is None:
        out = _laid_out_like(array, axis, result)
    _core.copyto(out, result)
    return out


def _laid_out_like(array: ndarray, axis: int, result: ndarray) -> ndarray:
    """An array like `result`, in memory as an elementwise result of `array` repeated along `axis` would be."""
    if array.flags.c_contiguous:
        return _core.empty(result.shape, result.dtype)
    row = array[(slice(None),) * axis + (slice(1),)] if array.shape[axis] else array
    repeated = broadcast_to(row, result.shape)
    return empty_like(repeated == repeated, result.dtype)


def _scan_segments(function: ufunc, data: ndarray, starts: ndarray, spans: ndarray) -> ndarray:
    """Each segment reduced by an associative function, in rounds that double what is known."""
    ends = spans.cumsum()
    total = int(ends[-1])
    segment = searchsorted(ends, counting(total), "right")
    rank = counting(total) - (ends - spans)[segment]
    rows = data.take(starts[segment] + rank, axis=0)
    step, longest = 1, int(spans.max())
    while step < longest:
        joined = function(rows[:-step], rows[step:])
        inside = (rank[step:] >= step).reshape((-1,) + (1,) * (rows.ndim - 1))
        rows = concatenate((rows[:step], _core.where(inside, joined, rows[step:])))
        step *= 2
    return rows.take(ends - 1, axis=0)


def _walk_segments(function: ufunc, data: ndarray, starts: ndarray, spans: ndarray) -> ndarray:
    """Each segment reduced from its first element to its last, all segments at once."""
    result = data.take(starts, axis=0)
    last = data.shape[0] - 1
    for step in range(1, int(spans.max())):
        following = data.take(_core.clip(starts + step, None, last), axis=0)
        inside = (spans > step).reshape((-1,) + (1,) * (data.ndim - 1))
        result = _core.where(inside, function(result, following), result)
    return result
