"""Marks and ranges on the timeline of NVIDIA's profilers.

They go to the library of NVTX (`libnvToolsExt`, in the package `nvidia-nvtx-cu12` or a toolkit) if there is one.
Without it, or without a profiler, the calls do nothing.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import threading
from pathlib import Path

from .._lib.texts import complete as _complete
from ._texts import TEXTS as _TEXTS

__all__ = ["Mark", "MarkC", "RangePop", "RangePush", "RangePushC"]

_COLORS = (
    0xFF00FF00,
    0xFF0000FF,
    0xFFFFFF00,
    0xFFFF00FF,
    0xFF00FFFF,
    0xFFFF0000,
    0xFFFFFFFF,
)
_open = threading.local()


class _Attributes(ctypes.Structure):
    """`nvtxEventAttributes_t`, version 2."""

    _fields_ = [
        ("version", ctypes.c_uint16),
        ("size", ctypes.c_uint16),
        ("category", ctypes.c_uint32),
        ("color_type", ctypes.c_int32),
        ("color", ctypes.c_uint32),
        ("payload_type", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
        ("payload", ctypes.c_uint64),
        ("message_type", ctypes.c_int32),
        ("message", ctypes.c_char_p),
    ]


available: bool
"""Whether this machine has the library."""


def __getattr__(name: str) -> bool:
    if name == "available":
        return _library() is not None
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@functools.cache
def _library() -> ctypes.CDLL | None:
    """NVTX, if it is on this machine."""
    names = ["libnvToolsExt.so.1"]
    found = importlib.util.find_spec("nvidia")
    for folder in (found.submodule_search_locations or ()) if found else ():
        names += map(str, Path(folder).glob("*/lib/libnvToolsExt.so*"))
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def _attributes(message: str, color: int | None) -> _Attributes:
    text = str(message).encode()
    return _Attributes(2, ctypes.sizeof(_Attributes), 0, int(color is not None), color or 0, 0, 0, 0, 1, text)


def _palette(id_color: int) -> int | None:
    return None if id_color < 0 else _COLORS[id_color % len(_COLORS)]


def _mark(message: str, color: int | None) -> None:
    library = _library()
    if library is not None:
        library.nvtxMarkEx(ctypes.byref(_attributes(message, color)))


def _push(message: str, color: int | None) -> int:
    depth: int = getattr(_open, "depth", 0)
    library = _library()
    if library is not None:
        library.nvtxRangePushEx(ctypes.byref(_attributes(message, color)))
    _open.depth = depth + 1
    return depth


def MarkC(message: str, color: int = 0) -> None:
    """Marks a moment, in a color given as 0xAARRGGBB.

    >>> from cuproxide.cuda import nvtx
    >>> nvtx.MarkC("converged", 0xFF00FF00)
    """
    _mark(message, color & 0xFFFFFFFF)


def Mark(message: str, id_color: int = -1) -> None:
    """Marks a moment, in a color by its number in a palette of seven (-1: the profiler's).

    >>> from cuproxide.cuda import nvtx
    >>> nvtx.Mark("converged", id_color=2)
    """
    _mark(message, _palette(id_color))


def RangePushC(message: str, color: int = 0) -> int:
    """Opens a range, in a color given as 0xAARRGGBB; the number of ranges that it lies in.

    >>> from cuproxide.cuda import nvtx
    >>> depth = nvtx.RangePushC("load", 0xFF0000FF)
    >>> nvtx.RangePop() == depth
    True
    """
    return _push(message, color & 0xFFFFFFFF)


def RangePush(message: str, id_color: int = -1) -> int:
    """Opens a range, in a color by its number in a palette of seven (-1: the default); how many ranges are around.

    >>> from cuproxide.cuda import nvtx
    >>> depth = nvtx.RangePush("solve", id_color=1)
    >>> nvtx.RangePop() == depth
    True
    """
    return _push(message, _palette(id_color))


def RangePop() -> int:
    """Closes the range that was opened last; the number of ranges that are left open, or -1 if none was open."""
    depth: int = getattr(_open, "depth", 0)
    if depth == 0:
        return -1
    library = _library()
    if library is not None:
        library.nvtxRangePop()
    _open.depth = depth - 1
    return depth - 1


_complete(globals(), __all__, _TEXTS)
