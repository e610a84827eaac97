"""Remembering what functions returned."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from .._cuproxide import Device

__all__ = ["clear_memo", "memoize"]

Function = TypeVar("Function", bound=Callable[..., Any])

_memos: list[dict[Any, Any]] = []
_lock = threading.Lock()


def memoize(for_each_device: bool = False) -> Callable[[Function], Function]:
    """Makes a decorator that calls a function once for each set of arguments and remembers the results.

    Parameters
    ----------
    for_each_device : bool
        Whether results are kept apart by the current device.

    Notes
    -----
    The arguments must be hashable. `clear_memo` forgets everything.

    >>> @cp.memoize()
    ... def slow(x):
    ...     return x * 2
    >>> slow(2)
    4
    """

    def decorate(function: Function) -> Function:
        memo: dict[Any, Any] = {}
        with _lock:
            _memos.append(memo)

        @functools.wraps(function)
        def remembered(*args: Any, **kwargs: Any) -> Any:
            place = str(Device()) if for_each_device else None
            key = (place, args, frozenset(kwargs.items()))
            try:
                return memo[key]
            except KeyError:
                return memo.setdefault(key, function(*args, **kwargs))

        return remembered  # type: ignore[return-value]

    return decorate


def clear_memo() -> None:
    """Forgets the results of all functions that `memoize` decorates.

    >>> cp.clear_memo()
    """
    with _lock:
        for memo in _memos:
            memo.clear()
