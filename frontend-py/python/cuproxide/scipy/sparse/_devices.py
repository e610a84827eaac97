"""Work on the device of the arrays, which need not be the current one."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterable
from types import FrameType, FunctionType
from typing import Any, TypeVar

import cuproxide as cp

from ... import _cuproxide as _core

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Class = TypeVar("_Class", bound=type)

_PACKAGE = os.path.dirname(cp.__file__) + os.sep
_UNTOUCHED = frozenset({"__new__", "__init_subclass__", "__class_getitem__", "__getattr__", "__setattr__", "__dir__"})
_KNOWN = frozenset({"format", "shape", "ndim", "dtype"})
"""Properties that make no arrays."""


def _device_of(things: Iterable[Any]) -> Any:
    """The device of the first array, also in a sparse one, a list or a tuple; nothing if there is none."""
    for thing in things:
        if isinstance(thing, cp.ndarray):
            return thing.device
        if isinstance(thing, (tuple, list)):
            found = _device_of(thing)
        else:
            data = getattr(thing, "data", None)
            found = data.device if isinstance(data, cp.ndarray) else None
        if found is not None:
            return found
    return None


def own_device(function: _Function) -> _Function:
    """The function on the device of its first array, where it makes its other arrays too."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        device = _device_of(args)
        if device is None and kwargs:
            device = _device_of(kwargs.values())
        if device is None or device == _core.Device():
            return function(*args, **kwargs)
        with device:
            return function(*args, **kwargs)

    return run  # type: ignore[return-value]


def on_own_device(cls: _Class) -> _Class:
    """A class whose public methods, operators and properties run on the device of their object."""
    for name, member in list(vars(cls).items()):
        if name in _UNTOUCHED or name in _KNOWN or (name.startswith("_") and not name.startswith("__")):
            continue
        if isinstance(member, FunctionType):
            setattr(cls, name, own_device(member))
        elif isinstance(member, property):
            get, put = (part and own_device(part) for part in (member.fget, member.fset))
            setattr(cls, name, property(get, put, member.fdel, member.__doc__))
    return cls


def outside() -> int:
    """The `stacklevel` of a warning that is for the line of the program that called the package."""
    frame: FrameType | None = sys._getframe(1)
    level = 1
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    return level
