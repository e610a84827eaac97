"""Conversions that the routines share.

Arrays of NumPy are never taken in passing, since that would hide a copy to the device: `cuproxide.asarray` asks for it.
"""

from __future__ import annotations

import functools
import inspect
import math
import operator
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.lib import array_utils

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._typing import ArrayLike, DTypeLike, Integers, Scalar
from .element_types import KINDS

try:
    from numpy._core._exceptions import UFuncTypeError
except ImportError:
    UFuncTypeError = TypeError  # type: ignore[assignment, misc]

P = ParamSpec("P")
R = TypeVar("R")

# NumPy's limit of the number of axes.
MOST_AXES = 64
SCALARS = (bool, int, float, complex, np.generic)


def as_array(value: ArrayLike) -> ndarray:
    """`value` as an array: arrays themselves, those that objects hand out by CuPy's protocol (`ndarray.flat`), and
    scalars and nested sequences of them copied to the device.
    """
    if isinstance(value, ndarray):
        return value
    if isinstance(value, (*SCALARS, list, tuple)):
        return _core.array(value)
    hand_out = getattr(type(value), "__cupy_get_ndarray__", None)
    if hand_out is not None:
        return hand_out(value)
    raise TypeError(_refusal(value))


def as_arrays(values: Iterable[ArrayLike]) -> list[ndarray]:
    """Each of `values` as an array."""
    return [as_array(value) for value in values]


def as_operand(value: ArrayLike) -> ndarray | Scalar:
    """`value` for a ufunc: like `as_array`, but scalars stay what they are and so keep NumPy's promotion."""
    return value if isinstance(value, ndarray) or isinstance(value, SCALARS) else as_array(value)


def as_elements(value: ArrayLike, dtype: np.dtype[Any]) -> ndarray:
    """`value` as an array of `dtype`; `OverflowError` if a Python number is out of its bounds, as in NumPy."""
    return value.astype(dtype, copy=False) if isinstance(value, ndarray) else _core.array(value, dtype)


def wrapped(value: Any, dtype: np.dtype[Any]) -> Any:
    """`value`, an integer of Python's taken modulo the range of an integer dtype, as NumPy does where it makes an array
    of it first.
    """
    return np.asarray(value).astype(dtype)[()] if type(value) is int and dtype.kind in "iu" else value


def as_base(a: ndarray, subok: bool = False) -> ndarray:
    """`a`, or a view of it that is of no subclass."""
    return a if subok or type(a) is ndarray else _core.array(a, copy=None)


def as_mask(where: Any) -> Any:
    """`where` of a reduction: a truth value or an array."""
    if isinstance(where, ndarray):
        return where
    missing: Any = np._NoValue
    if where is missing:
        return missing
    # Of numbers and lists NumPy makes truth values, of arrays it does not.
    return where if isinstance(where, SCALARS) else as_elements(where, np.dtype(bool))


def as_index_array(value: Integers) -> ndarray:
    """Positions as an array: integers, or a mask; an empty list has no positions. Arrays of NumPy may be positions."""
    if isinstance(value, ndarray):
        return value
    host = np.asarray(value)
    if host.size == 0 and not isinstance(value, np.ndarray):
        host = host.astype(np.int64)
    return _core.array(host)


def host_integers(value: Integers) -> list[int]:
    """Integers that shape the result, on the host; of an array this waits for the device."""
    if isinstance(value, (int, np.integer)):
        return [int(value)]
    values = value.ravel().tolist() if isinstance(value, ndarray) else np.asarray(value).ravel().tolist()
    if any(not isinstance(item, int) for item in values):
        raise TypeError(f"expected integers, got {value!r}")
    return values


def as_shape(shape: Any) -> tuple[int, ...]:
    """A shape that may be one length, as a tuple."""
    if isinstance(shape, Iterable) and getattr(shape, "ndim", 1):
        return tuple(few(shape))
    if isinstance(shape, bool):
        raise TypeError(f"expected a sequence of integers or a single integer, got '{shape}'")
    return (shape,)


def few(items: Iterable[Any]) -> Iterable[Any]:
    """`items`, unless they say that they are more than an array has axes: such a `range` fits in no memory."""
    try:
        count = len(items)  # type: ignore[arg-type]
    except (TypeError, OverflowError) as error:
        count = MOST_AXES + 1 if isinstance(error, OverflowError) else 0
    if count > MOST_AXES:
        raise ValueError(f"maximum supported dimension for an ndarray is currently {MOST_AXES}, found {count}")
    return items


def normalize_axis_tuple(
    axis: Any, ndim: int, argname: str | None = None, allow_duplicate: bool = False
) -> tuple[int, ...]:
    """One axis or several, counted from the front. See `numpy.lib.array_utils.normalize_axis_tuple`."""
    return array_utils.normalize_axis_tuple(few(axis), ndim, argname, allow_duplicate)


def slice_axis(a: ndarray, axis: int, item: Any) -> ndarray:
    """`a` with `item` as the index of `axis`."""
    return a[(*(slice(None),) * axis, item)]


def counting(length: int, dtype: DTypeLike = np.int64) -> ndarray:
    """The integers below `length`; `ValueError` if that is negative."""
    if length < 0:
        raise ValueError("negative dimensions are not allowed")
    return _core.arange(0, 1, length, dtype)


def _counted(number: Any) -> Any:
    """An integer of Python, as those of NumPy wrap around; another real number as it is, which NumPy deprecates."""
    try:
        return operator.index(number)
    except TypeError:
        warnings.warn(
            f"Cannot convert {type(number).__name__} safely to an integer. This will raise an error in future versions "
            "(Deprecated NumPy 2.5)",
            DeprecationWarning,
            stacklevel=5,
        )
        return number


def lower_triangle(n: int, m: int, k: float = 0) -> ndarray:
    """Where a matrix of `n` rows and `m` columns is on or below its `k`-th diagonal, as booleans."""
    rows, columns = (max(math.ceil(_counted(length)), 0) for length in (n, m))
    k = _counted(k)
    k = min(max(math.floor(k), -rows), columns)
    # Both sides of the comparison are parts of one count.
    first = min(k, 0)
    count = _core.arange(first, 1, max(columns, rows + k) - first, np.int64)
    return count[k - first :][:rows, None] >= count[-first:][:columns]


def transposed(a: ndarray) -> ndarray:
    """A view of matrices in the last two axes as their transposes."""
    return _core.moveaxis(a, -1, -2)


def adjoint(a: ndarray) -> ndarray:
    """The conjugate transposes of matrices in the last two axes."""
    return transposed(a.conj() if is_complex(a.dtype) else a)


def writable_diagonal(a: ndarray, offset: int) -> ndarray:
    """A view of a diagonal to write to."""
    view = a.diagonal(offset)
    view.flags.writeable = True
    return view


def along(a: ndarray, axis: int, ndim: int) -> ndarray:
    """A view of one-dimensional `a` as axis `axis` of `ndim`."""
    return a.reshape((1,) * axis + a.shape + (1,) * (ndim - axis - 1))


def accepts_like(function: Callable[P, R]) -> Callable[P, R]:
    """Gives a maker of arrays the argument `like=`, which must be an array of this library or None.

    NumPy's protocol: `numpy.ones(3, like=x)` comes here for an `x` of this library, where `like` has nothing to add.
    """

    @functools.wraps(function)
    def wrapper(*args: Any, like: Any = None, **kwargs: Any) -> Any:
        if like is not None and not isinstance(like, ndarray):
            raise TypeError(f"The `like` argument must be an array of this library, not {type(like)}")
        return function(*args, **kwargs)

    known = inspect.signature(function)
    own = inspect.Parameter("like", inspect.Parameter.KEYWORD_ONLY, default=None, annotation="ndarray | None")
    parameters = list(known.parameters.values())
    last = len(parameters) - any(item.kind is item.VAR_KEYWORD for item in parameters)
    parameters.insert(last, own)
    wrapper.__signature__ = known.replace(parameters=parameters)  # type: ignore[attr-defined]
    return wrapper  # type: ignore[return-value]


def check_casting(casting: str, order: str | None) -> None:
    """`TypeError` unless these are text, `ValueError` unless NumPy knows the words; no order is `K`."""
    for name, word in (("casting", casting), ("order", "K" if order is None else order)):
        if not isinstance(word, str):
            raise TypeError(f"{name} must be str, not {type(word).__name__}")
    if casting not in ("no", "equiv", "safe", "same_kind", "unsafe"):
        raise ValueError(f"casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe' (got {casting!r})")
    if order not in (None, "K", "C", "F", "A"):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")


def check_flags(**flags: Any) -> None:
    """`TypeError` for what is not `True` or `False`, as NumPy's ufuncs have it."""
    for name, flag in flags.items():
        if not isinstance(flag, bool):
            raise TypeError(f"'{name}' must be a boolean")


def _kept(given: ndarray, made: ndarray) -> ndarray:
    """Where the elements of `made` are those of `given`, which was cast to its type."""
    if given.dtype.kind == "c":
        if made.dtype.kind == "c":
            return _kept(given.real, made.real) & _kept(given.imag, made.imag)
        return _kept(given.real, made) & (given.imag == 0)
    if made.dtype.kind == "c":
        return _kept(given, made.real)
    same = made.astype(given.dtype) == given
    source, target = given.dtype.kind in "iu", made.dtype.kind in "iu"
    if source and target:
        return same & ((made < 0) == (given < 0))
    # A number beyond the integers may come back as the last of them.
    if source or target:
        limits = np.iinfo(given.dtype if source else made.dtype)
        number = (made if source else given).astype(np.float64)
        return same & (number >= float(limits.min)) & (number < float(limits.max + 1))
    return same if made.dtype.kind == "b" else same | (given != given)


def check_same_values(given: ndarray, made: ndarray) -> None:
    """`ValueError` unless `made`, a cast of `given`, holds its values; waits for the device."""
    if not bool(_kept(given, made).all()):
        change = f"{given.dtype} to {made.dtype}: an element has no exact value in {made.dtype}"
        raise ValueError(f"could not cast 'same_value' {change}")


def named_out(out: Any) -> Any:
    """The `out=` of a ufunc: `...` asks for an array, which results are anyway."""
    if isinstance(out, tuple) and any(one is ... for one in out):
        raise TypeError("must use `...` as `out=...` and not per-operand/in a tuple")
    return None if out is ... else out


def deliver(result: ndarray, out: ndarray | None, casting: str = "same_kind") -> ndarray:
    """`result`, or `out` with the result written to it; as in NumPy the shapes must agree."""
    if out is None:
        return result
    if not isinstance(out, ndarray):
        raise TypeError("return arrays must be of cuproxide.ndarray type")
    if out.shape != result.shape:
        raise ValueError(f"output array has shape {out.shape}, the result has shape {result.shape}")
    _core.copyto(out, result, casting)
    return out


def real_axis(axis: Any) -> Any:
    """`axis`, unless it is a truth value: those are no axes for the functions that NumPy has in C."""
    if isinstance(axis, bool):
        raise TypeError("an integer is required for the axis")
    return axis


def only_sequence(value: Any, what: str) -> Sequence[Any]:
    """`value` if it is a sequence, or NumPy's complaint about generators."""
    if not hasattr(value, "__getitem__"):
        raise TypeError(f'{what} must be passed as a "sequence" type such as list or tuple.')
    return value


def is_inexact(dtype: np.dtype[Any]) -> bool:
    """Whether numbers of `dtype` are floating or complex."""
    return dtype.kind in "fc" or KINDS.get(dtype.name) == "f"


def is_complex(dtype: np.dtype[Any]) -> bool:
    """Whether numbers of `dtype` are complex."""
    return dtype.kind == "c"


def _refusal(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return "a numpy.ndarray is not copied to the device implicitly; use cuproxide.asarray(x)"
    return f"expected an array of cuproxide, a number or a sequence of numbers, got {type(value).__name__}"


def host_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    """A dtype of numbers or of records, for data that is read on the host."""
    wanted = np.dtype(dtype)
    if wanted.kind == "V":
        return wanted
    own = _core.dtype(wanted.newbyteorder("=") if wanted.kind in "iufc" else dtype)
    return own if wanted.isnative else wanted
