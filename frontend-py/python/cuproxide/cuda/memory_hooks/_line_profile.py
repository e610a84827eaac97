"""A hook that adds up memory by the lines of the program."""

from __future__ import annotations

import linecache
import sys
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, TextIO

from ..memory_hook import MemoryHook

__all__ = ["LineProfileHook"]

Place = tuple[str, int, str]


@dataclass
class _Line:
    """A line of the program: bytes asked of pools and of the device from it and from what it called."""

    used: int = 0
    acquired: int = 0
    children: dict[Place, _Line] = field(default_factory=dict)


class LineProfileHook(MemoryHook):
    """Adds up, for each line of the program, how much memory it took from pools and from the device.

    `with hook: ...`, then `hook.print_report()`. Lines are shown below the lines that called them, at most `max_depth`
    levels of calls deep (0: all).
    """

    name = "LineProfileHook"

    def __init__(self, max_depth: int = 0) -> None:
        """A hook that has seen nothing."""
        if max_depth < 0:
            raise ValueError(f"max_depth={max_depth} is negative")
        self._max_depth = max_depth
        self._root = _Line()

    def malloc_preprocess(self, **kwargs: Any) -> None:
        """Counts what is asked of a pool."""
        self._count(kwargs["mem_size"], 0)

    def alloc_preprocess(self, **kwargs: Any) -> None:
        """Counts what is asked of the device."""
        self._count(0, kwargs["mem_size"])

    def _count(self, used: int, acquired: int) -> None:
        stack: list[Place] = []
        # This method and the one that called it are not the program's.
        frame: FrameType | None = sys._getframe(2)
        while frame is not None:
            code = frame.f_code
            stack.append((code.co_filename, frame.f_lineno, code.co_name))
            frame = frame.f_back
        stack.reverse()
        line = self._root
        for place in [None, *stack[: self._max_depth or None]]:
            if place is not None:
                line = line.children.setdefault(place, _Line())
            line.used += used
            line.acquired += acquired

    def print_report(self, file: TextIO | None = None) -> None:
        """Prints the lines with their bytes to `file`, by default the standard output."""
        file = file or sys.stdout
        root = self._root
        print(f"_root ({_size(root.used)}, {_size(root.acquired)})", file=file)
        self._print(root, 1, file)

    def _print(self, line: _Line, depth: int, file: TextIO) -> None:
        for (path, number, function), child in line.children.items():
            text = linecache.getline(path, number).strip()
            sizes = f"({_size(child.used)}, {_size(child.acquired)})"
            print(f"{'  ' * depth}{path}:{number}:{function} {sizes}  {text}".rstrip(), file=file)
            self._print(child, depth + 1, file)


def _size(count: int) -> str:
    """Bytes in the largest unit that keeps the number above one."""
    value = float(count)
    for unit in ("B", "KB", "MB", "GB"):
        if value < 1024:
            return f"{value:.2f}{unit}"
        value /= 1024
    return f"{value:.2f}TB"
