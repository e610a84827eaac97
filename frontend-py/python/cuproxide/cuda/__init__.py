"""Devices, streams, events and memory: the low-level interface, for every backend and not only for CUDA."""

from __future__ import annotations

from .._cuproxide import (
    Device,
    Event,
    ExternalStream,
    Graph,
    Memory,
    MemoryPointer,
    MemoryPool,
    Stream,
    alloc,
    device_count,
    get_current_stream,
    get_default_memory_pool,
    get_default_pinned_memory_pool,
    get_elapsed_time,
)
from .._cuproxide import unowned_memory as UnownedMemory
from . import compiler, memory, runtime

__all__ = [
    "Device",
    "Event",
    "ExternalStream",
    "Graph",
    "Memory",
    "MemoryPointer",
    "MemoryPool",
    "Stream",
    "UnownedMemory",
    "alloc",
    "compiler",
    "get_current_stream",
    "get_default_memory_pool",
    "get_default_pinned_memory_pool",
    "get_elapsed_time",
    "is_available",
    "memory",
    "runtime",
]


def is_available() -> bool:
    """Whether a CUDA device can be used."""
    return device_count("cuda") > 0
