"""Page-locked host memory, which devices copy from and to without staging."""

from __future__ import annotations

import threading
from collections.abc import Callable

from .._cuproxide import PinnedMemory, PinnedMemoryPointer, PinnedMemoryPool, get_default_pinned_memory_pool

__all__ = [
    "PinnedMemory",
    "PinnedMemoryPointer",
    "PinnedMemoryPool",
    "alloc_pinned_memory",
    "set_pinned_memory_allocator",
]

PinnedAllocator = Callable[[int], PinnedMemoryPointer]

_lock = threading.Lock()
_allocator: PinnedAllocator | None = None


def _malloc(size: int) -> PinnedMemoryPointer:
    """Memory straight from the system."""
    return PinnedMemoryPointer(PinnedMemory(size), 0)


def alloc_pinned_memory(size: int) -> PinnedMemoryPointer:
    """`size` bytes from the current allocator, by default the pool of the current device.

    The pointer has the buffer protocol: `numpy.frombuffer(pointer, dtype, count)` is an array over the memory.
    """
    allocator = _allocator
    return get_default_pinned_memory_pool().malloc(size) if allocator is None else allocator(size)


def set_pinned_memory_allocator(allocator: PinnedAllocator | None = None) -> None:
    """Sets the function that `alloc_pinned_memory` calls; None for the system, past any pool."""
    global _allocator
    if allocator is not None and not callable(allocator):
        raise TypeError(f"an allocator is a function, not {type(allocator).__name__}")
    with _lock:
        _allocator = _malloc if allocator is None else allocator
