"""What NumPy's protocols and the compiled module call back into Python for."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _cuproxide as _core
from .. import _records
from .._cuproxide import ndarray, ufunc
from .._lib.conversions import as_operand, counting
from .._routines.shapes import broadcast_to
from .._typing import Integers

NAMESPACE = "cuproxide"
"""The module whose functions NumPy's protocol finds; `cuproxide.compat` sets another."""


def array_function(
    func: Callable[..., Any], types: tuple[type, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Runs the function of this library that has the name of a NumPy function (`__array_function__`).

    Arguments of other libraries are left to these. Arrays of NumPy are a `TypeError`: nothing is copied to or from a
    device unless the program says so. With the names of CuPy each function decides, as there.

    Arrays of records are of a class of their own, which `numpy.empty_like` and its like do not promise: a dtype with
    fields is a `TypeError` where an array of numbers is the model. By that libraries such as Dask choose another way.
    """
    if not all(issubclass(kind, (ndarray, _records.StructuredArray)) or kind is np.ndarray for kind in types):
        return NotImplemented
    found = _counterpart(func)
    if found is None:
        return NotImplemented
    if np.ndarray in types and NAMESPACE == "cuproxide":
        raise TypeError(
            f"{func.__module__}.{func.__name__} got arrays of cuproxide and of NumPy, and copies neither implicitly; "
            "use cuproxide.asarray(x) or cuproxide.asnumpy(x)"
        )
    if func.__name__ in _LIKE and _records.StructuredArray not in types and _has_fields(args, kwargs):
        raise TypeError(f"numpy.{func.__name__} of an array of numbers gives no records; call cuproxide's function")
    return found(*args, **kwargs)


_LIKE = ("empty_like", "full_like", "ones_like", "zeros_like")


def _has_fields(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    dtype = kwargs.get("dtype", args[1] if len(args) > 1 and not isinstance(args[1], ndarray) else None)
    try:
        return dtype is not None and np.dtype(dtype).names is not None
    except (TypeError, ValueError):
        return False


def _counterpart(func: Callable[..., Any]) -> Callable[..., Any] | None:
    """`numpy.linalg.norm` is found as `cuproxide.linalg.norm`, and so on."""
    package, _, path = func.__module__.partition(".")
    if package != "numpy":
        return None
    module: Any = importlib.import_module(NAMESPACE)
    for part in path.split(".") if path else ():
        # In NumPy 2.0 the functions of `numpy.lib.scimath` are said to be of `_scimath_impl`.
        module = getattr(module, part.removeprefix("_").removesuffix("_impl"), None)
    return getattr(module, func.__name__, None)


# Ufunc methods that the compiled module has no kernel for.


def ufunc_at(function: ufunc, a: ndarray, indices: Any, b: Any = None) -> None:
    """`ufunc.at`: applies the function in place at `indices`, once for each time that an index is repeated.

    Results are cast to the dtype of `a`, unsafely as in NumPy. The places are sorted, so that each is updated by one
    thread from first to last: a fixed number of launches, and the same result on every run.
    """
    if function.nout != 1:
        raise ValueError("Only single output ufuncs supported at this time")
    if not isinstance(a, ndarray):
        raise TypeError("first operand must be array")
    numbers = counting(a.size).reshape(a.shape)[indices]
    targets = numbers.ravel()
    values = None if b is None else broadcast_to(_core.array(as_operand(b), copy=None), numbers.shape).ravel()
    dense = a if a.flags.c_contiguous and a.flags.aligned else a.copy("C")
    _core.update_at(function.__name__, dense.reshape(-1), targets, targets.argsort(), values)
    if dense is not a:
        a[...] = dense


def ufunc_reduceat(
    function: ufunc, array: ndarray, indices: Integers, axis: int = 0, dtype: Any = None, out: ndarray | None = None
) -> ndarray:
    """`ufunc.reduceat`: reduces the slices `array[indices[i]:indices[i+1]]` along `axis`.

    All slices are reduced by one launch. Sums and products have wider accumulators, as in `sum`. Waits for the device.
    """
    if array.ndim == 0:
        raise TypeError("cannot reduceat on a scalar")
    axis = _core.normalize_axis(axis, array.ndim)
    indices = _starts(indices)
    length = array.shape[axis]
    if indices.size and bool(((indices < 0) | (indices >= length)).any()):
        bad = int(indices[(indices < 0) | (indices >= length)][0])
        raise IndexError(f"index {bad} out-of-bounds in {function.__name__}.reduceat [0, {length})")
    starts = indices.astype(np.int64)
    if dtype is None and out is not None:
        dtype = out.dtype
    result = _core.reduceat(function.__name__, array, starts, axis, dtype)
    if out is None:
        return result
    if out.shape != result.shape:
        raise ValueError(f"out must have the shape of the result, {result.shape}, not {out.shape}")
    _core.copyto(out, result)
    return out


def _starts(indices: Any) -> ndarray:
    """Where slices start: an array of integers, or a sequence, of whose elements integers are made as NumPy makes them.

    Elements of a sequence may have fractions, which are cut off; those of an array may not.
    """
    if isinstance(indices, (list, tuple, range)):
        indices = np.array(indices, dtype=np.int64)
    elif not isinstance(indices, ndarray):
        indices = _core.array(indices, copy=None) if hasattr(indices, "__dlpack__") else np.asarray(indices)
    if indices.ndim != 1:
        depth = "of too small depth" if indices.ndim == 0 else "too deep"
        raise ValueError(f"object {depth} for desired array: indices must have one axis")
    if not np.can_cast(indices.dtype, np.int64):
        raise TypeError(f"cannot cast indices safely from {indices.dtype} to int64")
    return _core.array(indices)
