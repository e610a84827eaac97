"""Devices, streams, events, graphs and memory: the low-level interface, for every backend and not only for CUDA."""

from __future__ import annotations

import importlib
from typing import Any

from .._cuproxide import (
    Device,
    Event,
    ExternalStream,
    Graph,
    Stream,
    device_count,
    get_current_stream,
    get_default_memory_pool,
    get_default_pinned_memory_pool,
    get_elapsed_time,
)
from . import (
    compiler,
    cublas,
    cusparse,
    cusparselt,
    cutensor,
    device,
    driver,
    function,
    memory,
    memory_hook,
    memory_hooks,
    nccl,
    nvrtc,
    nvtx,
    pinned_memory,
    profiler,
    runtime,
    stream,
    texture,
)
from .device import get_cublas_handle, get_device_id
from .function import Function, Module
from .memory import (
    CFunctionAllocator,
    ManagedMemory,
    Memory,
    MemoryAsync,
    MemoryAsyncPool,
    MemoryPointer,
    MemoryPool,
    PythonFunctionAllocator,
    UnownedMemory,
    alloc,
    get_allocator,
    malloc_async,
    malloc_managed,
    set_allocator,
    using_allocator,
)
from .memory_hook import MemoryHook
from .pinned_memory import (
    PinnedMemory,
    PinnedMemoryPointer,
    PinnedMemoryPool,
    alloc_pinned_memory,
    set_pinned_memory_allocator,
)
from .profiler import profile
from .runtime import get_local_runtime_version

__all__ = [
    "CFunctionAllocator",
    "Device",
    "Event",
    "ExternalStream",
    "Graph",
    "ManagedMemory",
    "Memory",
    "MemoryAsync",
    "MemoryAsyncPool",
    "MemoryHook",
    "MemoryPointer",
    "MemoryPool",
    "PinnedMemory",
    "PinnedMemoryPointer",
    "PinnedMemoryPool",
    "PythonFunctionAllocator",
    "Stream",
    "UnownedMemory",
    "alloc",
    "alloc_pinned_memory",
    "compiler",
    "cublas",
    "cusparse",
    "cusparselt",
    "cutensor",
    "cudnn",
    "cufft",
    "device",
    "driver",
    "function",
    "get_allocator",
    "get_cublas_handle",
    "get_current_stream",
    "get_default_memory_pool",
    "get_default_pinned_memory_pool",
    "get_device_id",
    "get_elapsed_time",
    "Function",
    "Module",
    "get_local_runtime_version",
    "is_available",
    "malloc_async",
    "malloc_managed",
    "memory",
    "memory_hook",
    "memory_hooks",
    "nccl",
    "nvrtc",
    "nvtx",
    "pinned_memory",
    "profile",
    "profiler",
    "runtime",
    "set_allocator",
    "set_pinned_memory_allocator",
    "stream",
    "texture",
    "using_allocator",
]

# The modules of vendors' libraries, which CuPy keeps in `cupy_backends.cuda.libs`.
LIBRARIES = ("cublas", "cusparse", "cusparselt", "cutensor", "nccl")


def is_available() -> bool:
    """Whether a CUDA device can be used."""
    return device_count("cuda") > 0


def __getattr__(name: str) -> Any:
    if name in ("cudnn", "cufft"):
        # Most programs have no use for them.
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
