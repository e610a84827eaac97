"""Memory and its pools."""

from .._cuproxide import Memory, MemoryPointer, MemoryPool, OutOfMemoryError, alloc
from .._cuproxide import unowned_memory as UnownedMemory

__all__ = ["Memory", "MemoryPointer", "MemoryPool", "OutOfMemoryError", "UnownedMemory", "alloc"]
