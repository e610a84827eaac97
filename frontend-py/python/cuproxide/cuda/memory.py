"""Memory, its pools, and the functions that make the memory of arrays."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Iterator
from typing import Any

from .. import _cuproxide
from .._cuproxide import (
    Device,
    ManagedMemory,
    Memory,
    MemoryAsync,
    MemoryPointer,
    MemoryPool,
    OutOfMemoryError,
    Stream,
    System,
    UnownedMemory,
    alloc,
    get_current_stream,
    get_default_memory_pool,
)

__all__ = [
    "BaseMemory",
    "CFunctionAllocator",
    "ManagedMemory",
    "Memory",
    "MemoryAsync",
    "MemoryAsyncPool",
    "MemoryPointer",
    "MemoryPool",
    "OutOfMemoryError",
    "PooledMemory",
    "PythonFunctionAllocator",
    "UnownedMemory",
    "alloc",
    "get_allocator",
    "malloc_async",
    "malloc_managed",
    "set_allocator",
    "using_allocator",
]

BaseMemory = Memory
PooledMemory = Memory
Allocator = Callable[[int], MemoryPointer]


def _malloc(size: int) -> MemoryPointer:
    """Memory straight from the device, past any pool."""
    return MemoryPointer(Memory(size), 0)


def malloc_managed(size: int) -> MemoryPointer:
    """Memory that migrates between the host and the current device. On the CPU it is plain memory."""
    return MemoryPointer(ManagedMemory(size), 0)


def malloc_async(size: int) -> MemoryPointer:
    """Memory from the driver's own pool, in the order of the current stream."""
    return MemoryPointer(MemoryAsync(size, get_current_stream()), 0)


def _chosen(allocator: Allocator | None) -> Allocator | None:
    """The form in which the compiled half takes an allocator: None for the pool that it knows itself."""
    if allocator is None:
        return _malloc
    if not callable(allocator):
        raise TypeError(f"an allocator is a function, not {type(allocator).__name__}")
    pool = getattr(allocator, "__self__", None)
    if isinstance(pool, MemoryPool) and pool.serves_arrays and allocator.__name__ == "malloc":
        return None
    return allocator


def get_allocator() -> Allocator:
    """The function that makes the memory of this thread's arrays."""
    allocator = _cuproxide.current_allocator()
    return get_default_memory_pool().malloc if allocator is None else allocator


def set_allocator(allocator: Allocator | None = None) -> None:
    """Sets the function `allocator(size)` that makes the memory of arrays, for all threads; None for no pool.

    `set_allocator(get_default_memory_pool().malloc)` restores the pool of the device.

    Raises:
        ValueError: within `using_allocator`.
    """
    chosen = _chosen(allocator)
    local = _cuproxide.set_thread_allocator(None)
    if local is not None:
        _cuproxide.set_thread_allocator(local)
        raise ValueError("set_allocator cannot be called within using_allocator")
    _cuproxide.set_global_allocator(chosen)


@contextlib.contextmanager
def using_allocator(allocator: Allocator | None = None) -> Iterator[None]:
    """Sets the function that makes the memory of this thread's arrays while a block runs; None for no pool."""
    before = _cuproxide.set_thread_allocator((_chosen(allocator),))
    try:
        yield
    finally:
        _cuproxide.set_thread_allocator(before)


class _Freeing:
    """Calls a function once nobody uses the memory any more."""

    def __init__(self, free: Callable[[], object]) -> None:
        self._free = free

    def __del__(self) -> None:
        self._free()


class PythonFunctionAllocator:
    """An allocator by two Python functions: `malloc_func(size, device_id)`, which returns an address, and
    `free_func(ptr, device_id)`.

    `set_allocator(PythonFunctionAllocator(malloc, free).malloc)` uses it for arrays.

    Parameters
    ----------
    malloc_func : callable
        The function that allocates: it takes a size and a device.
    free_func : callable
        The function that frees: it takes an address and a device.
    """

    def __init__(self, malloc_func: Callable[[int, int], int], free_func: Callable[[int, int], object]) -> None:
        """An allocator by two functions."""
        self._malloc, self._free = malloc_func, free_func

    def malloc(self, size: int) -> MemoryPointer:
        """`size` bytes on the current device.

        Raises:
            OutOfMemoryError: if the function returns no address.
        """
        device = Device().id
        ptr = self._malloc(size, device)
        if not ptr and size:
            raise OutOfMemoryError(f"malloc_func returned no address for {size} bytes on device {device}")
        free = self._free
        return MemoryPointer(UnownedMemory(ptr, size, _Freeing(lambda: free(ptr, device)), device), 0)


class CFunctionAllocator:
    """An allocator by the addresses of two C functions.

    They are `void *malloc(void *param, size_t size, int device_id)` and `void free(void *param, void *ptr, int
    device_id)`; `param` is handed to both and `owner` keeps what they need.

    Parameters
    ----------
    param : int
        An address that is handed to both functions.
    malloc_func : int
        The address of the function that allocates.
    free_func : int
        The address of the function that frees.
    owner : object
        What has to live as long as the allocator.
    """

    def __init__(self, param: int, malloc_func: int, free_func: int, owner: Any) -> None:
        """An allocator by two addresses."""
        pointer = ctypes.c_void_p
        self._malloc = ctypes.CFUNCTYPE(pointer, pointer, ctypes.c_size_t, ctypes.c_int)(malloc_func)
        self._free = ctypes.CFUNCTYPE(None, pointer, pointer, ctypes.c_int)(free_func)
        self._param, self._owner = param, owner

    def malloc(self, size: int) -> MemoryPointer:
        """`size` bytes on the current device.

        Raises:
            OutOfMemoryError: if the function returns no address.
        """
        device = Device().id
        ptr = self._malloc(self._param, size, device)
        if not ptr and size:
            raise OutOfMemoryError(f"the allocator has no {size} bytes")
        # The bound method keeps the function and its owner.
        return MemoryPointer(UnownedMemory(ptr or 0, size, _Freeing(lambda: self._release(ptr, device)), device), 0)

    def _release(self, ptr: int, device: int) -> None:
        self._free(self._param, ptr, device)


class MemoryAsyncPool:
    """The driver's own pool as an allocator: memory in the order of streams.

    `pool_handles` is "default" or "current", or the handle of a pool; one for each device in a list. Statistics need a
    driver with pools; `memoryAsyncHasStat` says whether there is one.
    """

    def __init__(self, pool_handles: str | int | list[str | int] = "current") -> None:
        """The pools of the devices."""
        if pool_handles not in ("current", "default") and not isinstance(pool_handles, (int, list)):
            raise ValueError(f"pool_handles={pool_handles!r} is neither 'current' nor 'default' nor a handle")
        self._pools = pool_handles
        # The most that each device's pool gives out, by the device's number.
        self._limits: dict[int, int] = {}

    def _handle(self) -> int:
        device = Device().id
        pool = self._pools[device] if isinstance(self._pools, list) else self._pools
        return System().pool(pool == "default") if isinstance(pool, str) else pool

    @property
    def memoryAsyncHasStat(self) -> bool:
        """Whether the driver of the current device has pools and counts what is in them."""
        try:
            System().pool(True)
        except _cuproxide.UnsupportedError:
            return False
        return True

    def malloc(self, size: int) -> MemoryPointer:
        """`size` bytes in the order of the current stream.

        Raises:
            OutOfMemoryError: if the device has no memory, or the limit would be exceeded.
        """
        limit = self.get_limit()
        if limit and self.used_bytes() + size > limit:
            raise OutOfMemoryError(
                f"{size} bytes on top of {self.used_bytes()} in use exceed the limit of the pool, {limit} bytes"
            )
        pool = self._handle() if self.memoryAsyncHasStat else 0
        return MemoryPointer(MemoryAsync(size, get_current_stream(), pool=pool), 0)

    def free_all_blocks(self, stream: Stream | None = None) -> None:
        """Returns unused memory to the device, after waiting for the stream (by default the current one)."""
        (get_current_stream() if stream is None else stream).synchronize()
        if self.memoryAsyncHasStat:
            System().trim_pool(self._handle(), 0)

    def used_bytes(self) -> int:
        """Bytes in use."""
        return System().pool_numbers(self._handle())[0]

    def total_bytes(self) -> int:
        """Bytes held from the device."""
        return System().pool_numbers(self._handle())[1]

    def free_bytes(self) -> int:
        """Bytes held and not in use."""
        used, total = System().pool_numbers(self._handle())
        return total - used

    def n_free_blocks(self) -> int:
        """Blocks that are held and not in use; UnsupportedError, since drivers do not count them."""
        raise _cuproxide.UnsupportedError("drivers do not count the free blocks of their pools; see free_bytes()")

    def set_limit(self, size: int | None = None, *, fraction: float | None = None) -> None:
        """Sets the most that the pool gives out on the current device.

        Parameters
        ----------
        size : int, optional
            Bytes; 0 for no limit.
        fraction : float, optional
            Instead, a part of the device's memory, from 0 to 1.

        Raises
        ------
        ValueError
            For a negative size, a fraction out of range, both, or neither.
        UnsupportedError
            On drivers that do not count what is in use.
        """
        if (size is None) == (fraction is None):
            raise ValueError("exactly one of size and fraction must be given")
        if fraction is not None:
            if not 0 <= fraction <= 1:
                raise ValueError(f"fraction={fraction} is not between 0 and 1")
            size = int(fraction * Device().total_memory)
        assert size is not None
        if size < 0:
            raise ValueError(f"size={size} is negative")
        if size:
            self.used_bytes()
        self._limits[Device().id] = size

    def get_limit(self) -> int:
        """The most that the pool gives out on the current device, in bytes; 0 for no limit."""
        return self._limits.get(Device().id, 0)
