"""What holds at the entry of each public function: work runs on the device of the arrays, and sparse arrays are valid.

Programs may write to the index arrays of a sparse array. Kernels and libraries trust indices, so an entry checks those
that may have changed since they were checked last. The memory of an array knows that (`Contents`): an entry reads no
index unless somebody has written to one.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterable
from types import FrameType, FunctionType
from typing import Any, ClassVar, TypeVar

import cuproxide as cp

from ... import _cuproxide as _core

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Class = TypeVar("_Class", bound=type)

_PACKAGE = os.path.dirname(cp.__file__) + os.sep
_UNTOUCHED = frozenset({"__new__", "__init_subclass__", "__class_getitem__", "__getattr__", "__setattr__", "__dir__"})
_KNOWN = frozenset({"format", "shape", "ndim", "dtype"})
"""Properties that make no arrays."""
_UNCHECKED = frozenset(
    {
        *("__init__", "__setstate__", "__repr__", "__len__"),
        *("blocksize", "check_format", "col", "device", "nnz", "row", "size"),
    }
)
"""What looks at no index: an array with wrong ones can be printed, looked at and mended."""


class Guarded:
    """The base of what has index arrays that programs may write to."""

    _contents: Any = None
    """The index arrays as they were when they were checked; None if changes to them go unnoticed."""
    _caches: ClassVar[tuple[str, ...]] = ()
    """Attributes that were computed from the indices, and are computed again when they are missing."""

    def _guarded(self) -> tuple[Any, ...] | None:
        """The shape, the elements, and the index arrays; none of arrays on the host, which are checked when copied."""
        return None

    def _checked(self, *parts: Any) -> tuple[Any, ...]:
        """The parts, mended where that changes no element; raises `ValueError` unless they fit each other."""
        return parts

    def _assign(self, *parts: Any) -> None:
        """Replaces the parts behind the shape."""

    def _forget(self) -> None:
        """Drops what was found out about indices that have changed."""

    def _trust(self, *parts: Any) -> None:
        """Says that these parts are valid as they are."""
        self._contents = _core.Contents.of(*parts)

    def _knows(self, *parts: Any) -> bool:
        """Whether these parts have been checked and have not changed since."""
        contents = self._contents
        return contents is not None and contents.hold(*parts)

    def _is_known(self) -> bool:
        parts = self._guarded()
        return parts is None or self._knows(*parts)

    def _recheck(self) -> None:
        """Checks index arrays that may have changed."""
        if self._contents is not None:
            self._forget()
            # Also if the check fails: the next one must not take these for the arrays that it knew.
            self._contents = None
        parts = self._guarded()
        if parts is None:
            return
        # Noted before the check: what another thread writes or replaces in the meantime counts as a change.
        before = _core.Contents.of(*parts)
        checked = self._checked(*parts)
        if any(new is not old for new, old in zip(checked, parts, strict=True)):
            self._assign(*checked[1:])
        after = _core.Contents.of(*checked)
        self._contents = after if before is not None and before.hold(*parts) else None


_BLOCKS = (Guarded, list, tuple, cp.ndarray, type(None))
"""What lists of arrays begin with; long ones of numbers are not looked through."""


def _require_valid(things: Iterable[Any], function: Any) -> None:
    """Checks the sparse arrays among arguments, also those in lists."""
    for thing in things:
        if isinstance(thing, Guarded):
            if thing._is_known():
                continue
            try:
                thing._recheck()
            except ValueError as error:
                raise ValueError(f"{function.__name__}: {error}") from None
        elif type(thing) in (list, tuple) and thing and isinstance(thing[0], _BLOCKS):
            _require_valid(thing, function)


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


def own_device(function: _Function, first: int = 0) -> _Function:
    """The function on the device of its first array, where it makes its other arrays too.

    Sparse arrays among its arguments from number `first` on are valid when it runs.
    """

    def check(args: Any, kwargs: Any) -> None:
        _require_valid(args[first:] if first else args, function)
        if kwargs:
            _require_valid(kwargs.values(), function)

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        device = _device_of(args)
        if device is None and kwargs:
            device = _device_of(kwargs.values())
        if device is None or device == _core.Device():
            check(args, kwargs)
            return function(*args, **kwargs)
        with device:
            check(args, kwargs)
            return function(*args, **kwargs)

    return run  # type: ignore[return-value]


def on_own_device(cls: _Class) -> _Class:
    """A class whose public methods, operators and properties run on the device of their object."""
    for name, member in list(vars(cls).items()):
        if name in _UNTOUCHED or name in _KNOWN or (name.startswith("_") and not name.startswith("__")):
            continue
        # The first argument is the object itself.
        first = 1 if name in _UNCHECKED else 0
        if isinstance(member, FunctionType):
            setattr(cls, name, own_device(member, first))
        elif isinstance(member, property):
            get, put = member.fget and own_device(member.fget, first), member.fset and own_device(member.fset, 1)
            setattr(cls, name, property(get, put, member.fdel, member.__doc__))
    return cls


def outside() -> int:
    """The `stacklevel` of a warning that is for the line of the program that called the package."""
    frame: FrameType | None = sys._getframe(1)
    level = 1
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    return level
