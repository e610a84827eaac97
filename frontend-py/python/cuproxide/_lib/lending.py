"""Arrays that go to the functions of users and come back: neither side writes into what the other keeps."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from .._cuproxide import ndarray

# References to an object that nobody but the callee has.
_ALONE = (lambda value: sys.getrefcount(value))(object())


def owned(value: Any) -> Any:
    """`value`, or a copy of an array that somebody else holds as well, whole or the memory of it.

    The value has to be given as an expression: a variable of the caller is another reference.

    >>> from cuproxide._lib.lending import owned
    >>> a = cp.ones(2)
    >>> owned(a) is a
    False
    """
    if isinstance(value, ndarray) and (sys.getrefcount(value) > _ALONE or value.base is not None):
        return value.copy()
    return value


class _Shielded:
    """What `shielded` returns: an object, so that solvers can be pickled with it."""

    def __init__(self, function: Callable[..., Any], count: int) -> None:
        self._function, self._count = function, count
        functools.update_wrapper(self, function, updated=())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        first = [a.copy() if isinstance(a, ndarray) else a for a in args[: self._count]]
        return owned(self._function(*first, *args[self._count :], **kwargs))


def shielded(function: Callable[..., Any], count: int = 1) -> Callable[..., Any]:
    """The function of a user, which gets copies of the arrays among its first `count` arguments.

    Solvers may keep what it returns, also where it returns the same array every time.

    >>> from cuproxide._lib.lending import shielded
    >>> a = cp.ones(2)
    >>> shielded(lambda x: x.fill(0))(a)
    >>> a
    array([1., 1.])
    """
    return _Shielded(function, count)


def shielded_if(function: Any, count: int = 1) -> Any:
    """`shielded` for arguments that may be something else than a function, which come back as they are."""
    return shielded(function, count) if callable(function) else function
