"""Arrays that a caller gives for results: whole afterwards, or as they were."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib.routes import way
from ..._lib.wrappers import named_by_package

_Function = TypeVar("_Function", bound=Callable[..., Any])

_NAMES = ("output", "distances", "indices")
"""The parameters that take such arrays."""


def takes_output(function: Callable[..., Any]) -> bool:
    """Whether a function has a parameter for an array that it is to write to."""
    code = getattr(function, "__code__", None)
    return code is not None and not {*_NAMES}.isdisjoint(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])


def whole(function: _Function) -> _Function:
    """A function that leaves the arrays given for its results as they were if Ctrl-C ends it.

    A CPU works block after block and looks for signals between them, so it stores in arrays of its own first. A GPU has
    everything queued when the call returns.
    """
    code: Any = function.__code__  # type: ignore[attr-defined]
    places = [(name, code.co_varnames.index(name)) for name in _NAMES if name in code.co_varnames[: code.co_argcount]]

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        pairs: list[tuple[ndarray, ndarray]] = []

        def own(given: Any) -> Any:
            if not isinstance(given, ndarray) or not way("results apart", given):
                return given
            pairs.append((given, _core.empty_like(given)))
            return pairs[-1][1]

        for name, place in places:
            if place < len(args):
                if isinstance(args[place], ndarray):
                    args = (*args[:place], own(args[place]), *args[place + 1 :])
            elif name in kwargs:
                kwargs[name] = own(kwargs[name])
        result = function(*args, **kwargs)
        for given, made in pairs:
            given[...] = made
            if result is made:
                result = given
        return result

    return named_by_package(run)  # type: ignore[return-value]
