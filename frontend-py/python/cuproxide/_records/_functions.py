"""The functions of the package for arrays of records."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from . import _array, _sorting

# Functions that move elements, and the arguments whose elements they move. They do to every word of records what they
# do to a number. The others are cast to the dtype of the first one.
_MOVED = """
broadcast_to: array
choose: choices
compress: a
copyto: dst src
delete: arr
diag: v
diagflat: v
diagonal: a
expand_dims: a
extract: arr
fill_diagonal: a val
insert: arr values
moveaxis: a
place: arr vals
put: a v
put_along_axis: arr values
putmask: a values
rollaxis: a
select: choicelist default
take_along_axis: arr
tile: A
tril: m
triu: m
unstack: x
where: x y
"""
# Those of them whose arguments are cast to their common dtype.
_JOINING = ("choose", "select", "where")
# Functions that ask for the memory, not for its elements.
_MEMORY = ("may_share_memory", "shares_memory")
# Functions of dtypes, which NumPy answers.
_DTYPES = ("can_cast", "promote_types", "result_type")
# Functions of the places of elements that are not zero.
_TRUTH = ("count_nonzero", "flatnonzero")


def described(thing: Any) -> np.dtype[Any] | None:
    """The dtype of records or dates that another library's object of a GPU describes itself with."""
    if isinstance(thing, (ndarray, np.ndarray, np.generic, str, type)):
        return None
    interface = getattr(thing, "__cuda_array_interface__", None)
    typestr = interface.get("typestr") if isinstance(interface, dict) else None
    if not isinstance(typestr, str) or typestr[1:2] not in ("V", "M", "m"):
        return None
    fields = interface.get("descr")
    named = typestr[1] == "V" and fields and (len(fields) > 1 or fields[0][0])
    dtype = np.dtype([tuple(field) for field in fields] if named else typestr)
    if dtype.itemsize != np.dtype(typestr).itemsize:
        raise ValueError(f"__cuda_array_interface__ has descr={fields!r}, which is not of the size of {typestr!r}")
    return dtype


def concerns(clue: Any) -> bool:
    """Whether an argument is structured data or a dtype of it."""
    if isinstance(clue, (list, tuple)) and clue and isinstance(clue[0], (np.number, np.bool_)):
        # NumPy would take two integers of its own for the element type and the shape of a subarray.
        return False
    if type(clue) is _array.StructuredArray or described(clue) is not None:
        return True
    if isinstance(clue, (np.ndarray, np.generic)):
        return clue.dtype.kind == "V" and clue.dtype.names != ()
    if isinstance(clue, (list, tuple)) and clue and (isinstance(clue[0], str) or concerns(clue[0])):
        return not isinstance(clue[0], str)
    if isinstance(clue, str) and not {",", "V"} & set(clue):
        return False
    try:
        dtype = np.dtype(clue)
    except (TypeError, ValueError):
        return False
    return dtype.kind == "V" and dtype.names != ()


def serve(namespace: dict[str, Any]) -> None:
    """Lets functions of a namespace, and of the modules that they are from, give way where they refuse records."""
    moved = {name: names.split() for name, names in (line.split(": ") for line in _MOVED.strip().splitlines())}
    INSTEAD.update((name, _moving(namespace[name], names)) for name, names in moved.items())
    INSTEAD.update((name, _over(namespace[name], lambda a: a._bytes)) for name in _MEMORY)
    INSTEAD.update((name, _over(getattr(np, name), lambda a: a.dtype, plain=True)) for name in _DTYPES)
    INSTEAD.update((name, _over(namespace[name], _array.truth)) for name in _TRUTH)
    for name, instead in INSTEAD.items():
        function = namespace[name]
        namespace[name] = _giving_way(function, instead)
        home = sys.modules[function.__module__]
        if getattr(home, name, None) is function:
            setattr(home, name, namespace[name])


def _giving_way(function: Callable[..., Any], instead: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, or what is done instead where it fails for records, so that others pay for no question."""

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except (AttributeError, TypeError, ValueError):
            if not any(map(concerns, (*args, *kwargs.values()))):
                raise
        return instead(*args, **kwargs)

    return wrapper


def _over(function: Callable[..., Any], part: Callable[[Any], Any], plain: bool = False) -> Callable[..., Any]:
    """`function` of a part of each array of records, and of each `plain` array too."""

    def of(value: Any) -> Any:
        return part(value) if type(value) is _array.StructuredArray or (plain and isinstance(value, ndarray)) else value

    def instead(*args: Any, **kwargs: Any) -> Any:
        return function(*map(of, args), **{name: of(value) for name, value in kwargs.items()})

    return instead


def _moving(function: Callable[..., Any], names: list[str]) -> Callable[..., Any]:
    """`function` of each word of the records in the arguments `names`."""
    signature = inspect.signature(function)
    joining = function.__name__ in _JOINING

    def instead(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        values = [bound.arguments[name] for name in names]
        # Several arrays, or one.
        several = [isinstance(value, (list, tuple)) and joining for value in values]
        each = [item for value, many in zip(values, several, strict=True) for item in (value if many else [value])]
        arrays = [item for item in each if type(item) is _array.StructuredArray]
        if not arrays or (type(each[0]) is not _array.StructuredArray and not joining):
            raise TypeError(f"{function.__name__} is not defined for these arrays of records")
        dtype = np.result_type(*map(_dtype, each)) if joining else each[0].dtype
        if "casting" in bound.arguments and not all(
            np.can_cast(item.dtype, dtype, bound.arguments["casting"]) for item in each if hasattr(item, "dtype")
        ):
            raise TypeError(f"Cannot cast arrays to {dtype!r} according to the rule '{bound.arguments['casting']}'")
        out = bound.arguments.pop("out", None)

        def call(words: list[ndarray]) -> Any:
            rest = iter(words)
            for name, value, many in zip(names, values, several, strict=True):
                bound.arguments[name] = [next(rest) for _ in value] if many else next(rest)
            return function(*bound.args, **bound.kwargs)

        return _array.deliver(by_words(call, [_array.as_records(item, dtype, arrays[0].device) for item in each]), out)

    return instead


def _dtype(value: Any) -> np.dtype[Any]:
    return value.dtype if isinstance(value, ndarray) else np.asarray(value).dtype


def by_words(call: Callable[[list[ndarray]], Any], arrays: list[Any]) -> Any:
    """What `call` makes of records, told what it makes of one word of each element.

    `call` gets that word of each of `arrays`, which are of one dtype. A view of it is extended to the other words;
    what is new is made for each word.
    """
    words = [a._words for a in arrays]
    if len({part.dtype for part in words}) > 1:
        words = [a._bytes for a in arrays]
    first = call([part[..., 0] for part in words])
    if first is None or not _is_view(first, words):
        rest = [call([part[..., place] for part in words]) for place in range(1, words[0].shape[-1])]
        return _joined([first, *rest], arrays[0].dtype)
    return _extended(first, arrays[0], words[0])


def _is_view(result: Any, words: Iterable[ndarray]) -> bool:
    part = result[0] if isinstance(result, (list, tuple)) else result
    return any(_core.may_share_memory(part, given) for given in words)


def _extended(result: Any, a: Any, words: ndarray) -> Any:
    if isinstance(result, (list, tuple)):
        return type(result)(_extended(part, a, words) for part in result)
    view = _core.as_strided(result, (*result.shape, words.shape[-1]), (*result.strides, words.strides[-1]))
    return _array.StructuredArray(view, a.dtype, a if a.base is None else a.base)


def _joined(results: list[Any], dtype: np.dtype[Any]) -> Any:
    if results[0] is None:
        return None
    if isinstance(results[0], (list, tuple)):
        return type(results[0])(_joined(list(parts), dtype) for parts in zip(*results, strict=True))
    return _array.StructuredArray(_core.concatenate([part[..., None] for part in results], -1), dtype)


def _of_method(name: str) -> Callable[..., Any]:
    return lambda a, *args, **kwargs: getattr(a, name)(*args, **kwargs)


def _array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
    return _array_equiv(a1, a2) if a1.shape == a2.shape else _core.array(False)


def _array_equiv(a1: Any, a2: Any) -> Any:
    if type(a1) is not type(a2):
        raise TypeError("Cannot compare structured or void to non-void arrays.")
    try:
        np.broadcast_shapes(a1.shape, a2.shape)
    except ValueError:
        return _core.array(False)
    return _array.equal(a1, a2).all()


def _broadcast_arrays(*args: Any, subok: bool = False) -> tuple[Any, ...]:
    shape = np.broadcast_shapes(*(a.shape for a in args))
    spread = functools.partial(_core.broadcast_to, shape=shape)
    return tuple(
        by_words(lambda words: spread(words[0]), [a]) if type(a) is _array.StructuredArray else spread(a) for a in args
    )


# What is called where a function refuses records.
INSTEAD: dict[str, Callable[..., Any]] = {
    "argsort": _sorting.argsort,
    "array_equal": _array_equal,
    "array_equiv": _array_equiv,
    "broadcast_arrays": _broadcast_arrays,
    "repeat": _of_method("repeat"),
    "reshape": _of_method("reshape"),
    "sort": _sorting.sort,
    "take": _of_method("take"),
}
