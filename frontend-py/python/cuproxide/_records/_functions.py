"""How functions of the package treat records: decorators that say so where a function is defined.

A function of numbers fails for records, and then gives way. So calls with numbers pay for no question.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from ._array import StructuredArray, as_records, deliver, equal, truth
from ._layout import by_words, described

F = TypeVar("F", bound=Callable[..., Any])


def is_records(value: Any) -> bool:
    """Whether an argument is an array of records."""
    return type(value) is StructuredArray


def concerns(clue: Any) -> bool:
    """Whether an argument is structured data or a dtype of it."""
    if isinstance(clue, (list, tuple)) and clue and isinstance(clue[0], (np.number, np.bool_)):
        # NumPy would take two integers of its own for the element type and the shape of a subarray.
        return False
    if type(clue) is StructuredArray or described(clue) is not None:
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


def gives_way(instead: Callable[..., Any], asked: Callable[[Any], bool] = concerns) -> Callable[[F], F]:
    """`instead` is called where a function fails and one of the arguments is structured, as `asked` says."""

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except (AttributeError, TypeError, ValueError):
                if not any(map(asked, (*args, *kwargs.values()))):
                    raise
            return instead(*args, **kwargs)

        return cast(F, wrapper)

    return decorate


def by_method(function: F) -> F:
    """Records have a method of the function's name."""
    name = function.__name__
    return gives_way(lambda a, *args, **kwargs: getattr(a, name)(*args, **kwargs), is_records)(function)


def by_memory(function: F) -> F:
    """The function asks for the memory, not for its elements."""
    return gives_way(_over(function, lambda a: a._bytes))(function)


def by_truth(function: F) -> F:
    """The function asks for the places of elements that are not zero."""
    return gives_way(_over(function, truth))(function)


def by_dtype(function: F) -> F:
    """The function is one of dtypes, which NumPy answers."""
    return gives_way(_over(getattr(np, function.__name__), lambda a: a.dtype, plain=True))(function)


def _over(function: Callable[..., Any], part: Callable[[Any], Any], plain: bool = False) -> Callable[..., Any]:
    """`function` of a part of each array of records, and of each `plain` array too."""

    def of(value: Any) -> Any:
        return part(value) if is_records(value) or (plain and isinstance(value, ndarray)) else value

    def instead(*args: Any, **kwargs: Any) -> Any:
        return function(*map(of, args), **{name: of(value) for name, value in kwargs.items()})

    return instead


def moves(*names: str, joined: bool = False) -> Callable[[F], F]:
    """The function moves elements of the arguments `names`, and does so to each word of records.

    Arguments that are `joined` are cast to their common dtype, the others to the dtype of the first one.
    """

    def decorate(function: F) -> F:
        return gives_way(functools.partial(_moved, function, names, joined))(function)

    return decorate


_signature = functools.cache(inspect.signature)


def _moved(function: Callable[..., Any], names: tuple[str, ...], joined: bool, /, *args: Any, **kwargs: Any) -> Any:
    """`function` of each word of the records in the arguments `names`."""
    bound = _signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    values = [bound.arguments[name] for name in names]
    # Several arrays, or one.
    several = [isinstance(value, (list, tuple)) and joined for value in values]
    each = [item for value, many in zip(values, several, strict=True) for item in (value if many else [value])]
    arrays = [item for item in each if is_records(item)]
    if not arrays or (not is_records(each[0]) and not joined):
        raise TypeError(f"{function.__name__} is not defined for these arrays of records")
    dtype = np.result_type(*map(_dtype, each)) if joined else each[0].dtype
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

    return deliver(by_words(call, [as_records(item, dtype, arrays[0].device) for item in each]), out)


def _dtype(value: Any) -> np.dtype[Any]:
    return value.dtype if isinstance(value, ndarray) else np.asarray(value).dtype


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
    return array_equiv(a1, a2) if a1.shape == a2.shape else _core.array(False)


def array_equiv(a1: Any, a2: Any) -> Any:
    if type(a1) is not type(a2):
        raise TypeError("Cannot compare structured or void to non-void arrays.")
    try:
        np.broadcast_shapes(a1.shape, a2.shape)
    except ValueError:
        return _core.array(False)
    return equal(a1, a2).all()


def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[Any, ...]:
    shape = np.broadcast_shapes(*(a.shape for a in args))
    spread = functools.partial(_core.broadcast_to, shape=shape)
    return tuple(
        by_words(lambda words: spread(words[0]), [a]) if type(a) is StructuredArray else spread(a) for a in args
    )
