"""What NumPy's protocols and the compiled module call back into Python for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import _cuproxide as _core
from ._cuproxide import ndarray, ufunc
from ._routines._common import as_operand, counting
from ._routines.manipulation import broadcast_to, concatenate
from ._routines.math import diff
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
    if targets.size == 0:
        return
    values = None if b is None else broadcast_to(_core.array(as_operand(b), copy=None), numbers.shape).ravel()
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

    A segmented scan whose number of launches is the logarithm of the length. `TypeError` for functions that are not
    associative. Waits for the device.
    """
    if function.__name__ not in _ASSOCIATIVE:
        raise TypeError(f"reduceat is defined for associative functions, which {function.__name__} is not")
    axis = _core.normalize_axis(axis, array.ndim)
    indices = _core.array(indices, copy=None)
    if indices.dtype.kind not in "iu" or indices.ndim != 1:
        raise TypeError("indices must be a sequence of integers")
    length = array.shape[axis]
    if indices.size and bool(((indices < 0) | (indices >= length)).any()):
        bad = int(indices[(indices < 0) | (indices >= length)][0])
        raise IndexError(f"index {bad} out-of-bounds in {function.__name__}.reduceat [0, {length})")
    starts = indices.astype(np.int64)
    if dtype is None and out is not None:
        dtype = out.dtype
    probe = function.reduce(array[(slice(None),) * axis + (slice(0, 1),)], axis=axis, dtype=dtype)
    data = array.astype(probe.dtype, copy=False)
    if starts.size == 0:
        result = data.take(starts, axis=axis)
    else:
        spans = concatenate((diff(starts), length - starts[-1:]))
        spans = _core.where(spans > 0, spans, 1)
        ends = spans.cumsum()
        total = int(ends[-1])
        segment = searchsorted(ends, counting(total), "right")
        rank = counting(total) - (ends - spans)[segment]
        rows = data.take(starts[segment] + rank, axis=axis)
        rows = _core.moveaxis(rows, axis, 0)
        step, longest = 1, int(spans.max())
        while step < longest:
            joined = function(rows[:-step], rows[step:])
            inside = (rank[step:] >= step).reshape((-1,) + (1,) * (rows.ndim - 1))
            rows = concatenate((rows[:step], _core.where(inside, joined, rows[step:])))
            step *= 2
        result = _core.moveaxis(rows.take(ends - 1, axis=0), 0, axis)
    if out is None:
        return result
    _core.copyto(out, result)
    return out
