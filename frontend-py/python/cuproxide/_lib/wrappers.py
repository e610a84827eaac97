"""What functions that wrap a public one share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])


def named_by_package(wrapper: _Function) -> _Function:
    """The wrapper of a function of a private module, under the name that its package gives it.

    Pickling looks a function up by its module and name, and in the private module the name is that of the function
    that is wrapped.
    """
    wrapper.__module__ = wrapper.__module__.partition("._")[0]
    return wrapper
