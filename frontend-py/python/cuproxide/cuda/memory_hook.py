"""Functions that are called when memory is allocated and freed."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any, Self

from .._cuproxide import set_memory_hooks

__all__ = ["MemoryHook", "get_memory_hooks"]

_thread = threading.local()


def get_memory_hooks() -> dict[str, MemoryHook]:
    """The hooks of this thread by their names, in the order in which they were entered."""
    hooks: dict[str, MemoryHook] = _thread.__dict__.setdefault("hooks", {})
    return hooks


class MemoryHook:
    """A base for hooks: override what should be noticed, then `with hook:`.

    `alloc_...` concerns memory that is asked of the device, `malloc_...` and `free_...` what arrays take from a pool
    and give back. Arguments come by keyword: `device_id`, `mem_size` (bytes of the block), `size` (bytes that were
    asked for), `mem_ptr` (its address), `pmem_id` (a name of the block while it is in use). An exception before an
    allocation stops it; what `free_...` raises is printed.
    """

    name = "MemoryHook"

    def __enter__(self) -> Self:
        hooks = get_memory_hooks()
        if self.name in hooks:
            raise KeyError(f"memory hook {self.name} already exists")
        hooks[self.name] = self
        set_memory_hooks(list(hooks.values()))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        hooks = get_memory_hooks()
        del hooks[self.name]
        set_memory_hooks(list(hooks.values()))

    def alloc_preprocess(self, **kwargs: Any) -> None:
        """Called before the device is asked for memory: `device_id`, `mem_size`."""

    def alloc_postprocess(self, **kwargs: Any) -> None:
        """Called after the device gave memory: `device_id`, `mem_size`, `mem_ptr`."""

    def malloc_preprocess(self, **kwargs: Any) -> None:
        """Called before a pool is asked for memory: `device_id`, `size`, `mem_size`."""

    def malloc_postprocess(self, **kwargs: Any) -> None:
        """Called after a pool gave memory: `device_id`, `size`, `mem_size`, `mem_ptr`, `pmem_id`."""

    def free_preprocess(self, **kwargs: Any) -> None:
        """Called before memory goes back to its pool: `device_id`, `mem_size`, `mem_ptr`, `pmem_id`."""

    def free_postprocess(self, **kwargs: Any) -> None:
        """Called after memory went back to its pool: `device_id`, `mem_size`, `mem_ptr`, `pmem_id`."""
