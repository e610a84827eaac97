"""A hook that prints."""

from __future__ import annotations

import json
import sys
from typing import Any, TextIO

from ..memory_hook import MemoryHook

__all__ = ["DebugPrintHook"]


class DebugPrintHook(MemoryHook):
    """Prints a line of JSON for each allocation and each freeing.

    Parameters
    ----------
    file : file, optional
        Where to print, by default the standard output.
    flush : bool
        Whether each line is flushed.
    """

    name = "DebugPrintHook"

    def __init__(self, file: TextIO | None = None, flush: bool = True) -> None:
        """A hook that writes to `file`, by default the standard output, and flushes it after each line."""
        self.file, self.flush = file, flush

    def _print(self, hook: str, numbers: dict[str, Any], names: tuple[str, ...]) -> None:
        line = {"hook": hook, **{name: numbers[name] for name in names}}
        print(json.dumps(line, separators=(",", ":")), file=self.file or sys.stdout, flush=self.flush)

    def alloc_postprocess(self, **kwargs: Any) -> None:
        """Prints what the device gave."""
        self._print("alloc", kwargs, ("device_id", "mem_size", "mem_ptr"))

    def malloc_postprocess(self, **kwargs: Any) -> None:
        """Prints what a pool gave."""
        self._print("malloc", kwargs, ("device_id", "size", "mem_size", "mem_ptr", "pmem_id"))

    def free_postprocess(self, **kwargs: Any) -> None:
        """Prints blocks that return to a pool."""
        self._print("free", kwargs, ("device_id", "mem_size", "mem_ptr", "pmem_id"))
