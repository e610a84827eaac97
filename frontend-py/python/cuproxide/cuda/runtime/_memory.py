"""The run-time interface's calls about memory: blocks, copies, pools and what is known of an address."""

from __future__ import annotations

from dataclasses import dataclass

from ..._cuproxide import Device, Stream, System, UnsupportedError
from ._constants import HOST, hostAllocDefault, memAttachGlobal, memAttachHost
from ._errors import invalid
from ._streams import stream_of

__all__ = [
    "MemPoolProps",
    "PointerAttributes",
    "deviceGetDefaultMemPool",
    "deviceGetMemPool",
    "deviceSetMemPool",
    "free",
    "freeAsync",
    "freeHost",
    "hostAlloc",
    "hostRegister",
    "hostUnregister",
    "malloc",
    "mallocAsync",
    "mallocFromPoolAsync",
    "mallocManaged",
    "memAdvise",
    "memPoolCreate",
    "memPoolDestroy",
    "memPoolTrimTo",
    "memPrefetchAsync",
    "memcpy",
    "memcpy2D",
    "memcpy2DAsync",
    "memcpyAsync",
    "memcpyPeer",
    "memcpyPeerAsync",
    "memset",
    "memsetAsync",
    "pointerGetAttributes",
    "pointerGetMemoryType",
]


# Blocks of this module: device, kind and size by address.
_blocks: dict[int, tuple[System, str, int]] = {}


def _allocate(kind: str, size: int) -> int:
    system = System()
    ptr = system.allocate(kind, size)
    _blocks[ptr] = (system, kind, size)
    return ptr


def _free(ptr: int, kinds: tuple[str, ...]) -> None:
    if ptr == 0:
        return
    _, kind, _ = _blocks.get(ptr, (None, "", 0))
    # Of two threads that free it, one gets it.
    found = _blocks.pop(ptr, None) if kind in kinds else None
    if found is None:
        raise invalid(f"{ptr:#x} is not memory that this function can free")
    system, kind, size = found
    system.free(kind, ptr, size)


def malloc(size: int) -> int:
    """`size` bytes of device memory."""
    return _allocate("device", size)


def mallocManaged(size: int, flags: int = memAttachGlobal) -> int:
    """`size` bytes that migrate between the host and the device.

    >>> address = runtime.mallocManaged(1024)
    >>> runtime.memset(address, 0, 1024)
    >>> runtime.free(address)
    """
    if flags not in (memAttachGlobal, memAttachHost):
        raise invalid(f"flags={flags} is neither memAttachGlobal nor memAttachHost")
    return _allocate("managed", size)


def hostAlloc(size: int, flags: int = hostAllocDefault) -> int:
    """`size` bytes of page-locked host memory. The flags ask for what all of it has, or for less.

    >>> address = runtime.hostAlloc(1024)
    >>> runtime.pointerGetAttributes(address).hostPointer == address
    True
    >>> runtime.freeHost(address)
    """
    if not 0 <= flags < 8:
        raise invalid(f"flags={flags} is not a combination of hostAlloc...")
    return _allocate("pinned", size)


def free(ptr: int) -> None:
    """Frees memory from `malloc`, `mallocManaged` or `mallocAsync`; 0 is nothing."""
    if ptr in _ordered:
        freeAsync(ptr, 0)
        Stream.null.synchronize()
        return
    _free(ptr, ("device", "managed"))


def freeHost(ptr: int) -> None:
    """Frees memory from `hostAlloc`; 0 is nothing."""
    _free(ptr, ("pinned",))


# Blocks in the order of streams, with their device.
_ordered: dict[int, System] = {}


def mallocAsync(size: int, stream: int) -> int:
    """`size` bytes of device memory in the order of a stream, from the current pool of the driver.

    >>> stream = cp.cuda.Stream()
    >>> address = runtime.mallocAsync(1024, stream.ptr)
    >>> runtime.memsetAsync(address, 0, 1024, stream.ptr)
    >>> runtime.freeAsync(address, stream.ptr)
    """
    return mallocFromPoolAsync(size, 0, stream)


def mallocFromPoolAsync(size: int, pool: int, stream: int) -> int:
    """`size` bytes of device memory in the order of a stream, from a pool of the driver.

    >>> pool = runtime.memPoolCreate(runtime.MemPoolProps())
    >>> address = runtime.mallocFromPoolAsync(1024, pool, 0)
    >>> runtime.freeAsync(address, 0)
    >>> runtime.memPoolDestroy(pool)
    """
    system = System()
    ptr = system.allocate_ordered(stream_of(stream), pool, size)
    _ordered[ptr] = system
    return ptr


def freeAsync(ptr: int, stream: int) -> None:
    """Frees memory from `mallocAsync` in the order of a stream; 0 is nothing.

    >>> stream = cp.cuda.Stream()
    >>> address = runtime.mallocAsync(1024, stream.ptr)
    >>> runtime.freeAsync(address, stream.ptr)
    """
    if ptr == 0:
        return
    queue = stream_of(stream)
    found = _ordered.pop(ptr, None)
    if found is None:
        raise invalid(f"{ptr:#x} was not allocated in the order of a stream")
    found.free_ordered(queue, ptr)


def hostRegister(ptr: int, size: int, flags: int = 0) -> None:
    """Page-locks host memory that exists.

    >>> host = np.zeros(4096, np.uint8)
    >>> runtime.hostRegister(host.ctypes.data, host.nbytes)
    >>> runtime.hostUnregister(host.ctypes.data)
    """
    System().register(ptr, size, flags)


def hostUnregister(ptr: int) -> None:
    """Ends the page-lock."""
    System().unregister(ptr)


def check_copy(kind: int) -> None:
    if kind not in range(5):
        raise invalid(f"kind={kind} is none of memcpyHostToHost to memcpyDefault")


def memcpy(dst: int, src: int, size: int, kind: int) -> None:
    """Copies `size` bytes and waits for the copy.

    >>> x, host = cp.arange(4), np.empty(4, np.int64)
    >>> runtime.memcpy(host.ctypes.data, x.data.ptr, x.nbytes, runtime.memcpyDeviceToHost)
    >>> host
    array([0, 1, 2, 3])
    """
    memcpyAsync(dst, src, size, kind, 0)
    Stream.null.synchronize()


def memcpyAsync(dst: int, src: int, size: int, kind: int, stream: int) -> None:
    """Queues a copy of `size` bytes.

    >>> x, y, stream = cp.arange(4), cp.zeros(4, int), cp.cuda.Stream.null
    >>> runtime.memcpyAsync(y.data.ptr, x.data.ptr, x.nbytes, runtime.memcpyDeviceToDevice, stream.ptr)
    >>> y
    array([0, 1, 2, 3])
    """
    check_copy(kind)
    System().copy(stream_of(stream), dst, src, size)


def memcpyPeer(dst: int, dstDevice: int, src: int, srcDevice: int, size: int) -> None:
    """Copies `size` bytes from one device to another and waits for the copy.

    >>> x, y = cp.arange(4), cp.zeros(4, int)
    >>> runtime.memcpyPeer(y.data.ptr, y.device.id, x.data.ptr, x.device.id, x.nbytes)
    >>> y
    array([0, 1, 2, 3])
    """
    with Device(dstDevice):
        memcpyPeerAsync(dst, dstDevice, src, srcDevice, size, 0)
        Stream.null.synchronize()


def memcpyPeerAsync(dst: int, dstDevice: int, src: int, srcDevice: int, size: int, stream: int) -> None:
    """Queues a copy of `size` bytes from one device to another.

    >>> x, y, stream = cp.arange(4), cp.zeros(4, int), cp.cuda.Stream.null
    >>> runtime.memcpyPeerAsync(y.data.ptr, y.device.id, x.data.ptr, x.device.id, x.nbytes, stream.ptr)
    >>> y
    array([0, 1, 2, 3])
    """
    System(dstDevice).copy_from_peer(stream_of(stream), dst, Device(srcDevice), src, size)


def memcpy2D(dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int) -> None:
    """Copies `height` lines of `width` bytes, which begin every `dpitch` and `spitch` bytes, and waits for the copy.

    >>> x, corner = cp.arange(12, dtype=np.uint8).reshape(3, 4), np.empty((2, 2), np.uint8)
    >>> runtime.memcpy2D(corner.ctypes.data, 2, x.data.ptr, 4, 2, 2, runtime.memcpyDeviceToHost)
    >>> corner
    array([[0, 1],
           [4, 5]], dtype=uint8)
    """
    memcpy2DAsync(dst, dpitch, src, spitch, width, height, kind, 0)
    Stream.null.synchronize()


def memcpy2DAsync(
    dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int, stream: int
) -> None:
    """Queues a copy of `height` lines of `width` bytes, which begin every `dpitch` and `spitch` bytes.

    >>> x, corner = cp.arange(12, dtype=np.uint8).reshape(3, 4), cp.empty((2, 2), np.uint8)
    >>> stream = cp.cuda.Stream.null
    >>> runtime.memcpy2DAsync(corner.data.ptr, 2, x.data.ptr, 4, 2, 2, runtime.memcpyDeviceToDevice, stream.ptr)
    >>> corner
    array([[0, 1],
           [4, 5]], dtype=uint8)
    """
    check_copy(kind)
    System().copy_pitched(stream_of(stream), dst, dpitch, src, spitch, width, height)


def memset(ptr: int, value: int, size: int) -> None:
    """Sets `size` bytes to `value` and waits for it.

    >>> x = cp.zeros(3, np.uint8)
    >>> runtime.memset(x.data.ptr, 7, x.nbytes)
    >>> x
    array([7, 7, 7], dtype=uint8)
    """
    memsetAsync(ptr, value, size, 0)
    Stream.null.synchronize()


def memsetAsync(ptr: int, value: int, size: int, stream: int) -> None:
    """Queues setting `size` bytes to `value`.

    >>> x = cp.zeros(3, np.uint8)
    >>> runtime.memsetAsync(x.data.ptr, 7, 2, cp.cuda.Stream.null.ptr)
    >>> x
    array([7, 7, 0], dtype=uint8)
    """
    System().fill(stream_of(stream), ptr, value & 0xFF, size)


def memPrefetchAsync(devPtr: int, count: int, dstDevice: int, stream: int) -> None:
    """Queues moving managed memory to a device, or (-1) to the host.

    >>> address = runtime.mallocManaged(1 << 20)
    >>> runtime.memPrefetchAsync(address, 1 << 20, 0, cp.cuda.Stream.null.ptr)
    >>> runtime.free(address)
    """
    System().prefetch(stream_of(stream), devPtr, count, None if dstDevice == HOST else dstDevice)


def memAdvise(devPtr: int, count: int, advice: int, device: int) -> None:
    """Says how managed memory will be used (`cudaMemAdvise...`), by a device or (-1) by the host.

    Parameters
    ----------
    advice : int
        The number of the advice.

    >>> address = runtime.mallocManaged(1 << 20)
    >>> runtime.memAdvise(address, 1 << 20, runtime.cudaMemAdviseSetReadMostly, 0)
    >>> runtime.free(address)
    """
    System().advise(devPtr, count, advice, None if device == HOST else device)


@dataclass(frozen=True)
class PointerAttributes:
    """The attributes of an address: device number (-1 for none), addresses for device and host (0 for none), kind.

    Parameters
    ----------
    device : int
        The number of the device that the memory belongs to, -1 for none.
    devicePointer : int
        The address that kernels use, 0 for none.
    hostPointer : int
        The address that the host uses, 0 for none.
    type : int
        The kind of memory, one of `memoryType*`.

    >>> x = cp.zeros(3)
    >>> runtime.pointerGetAttributes(x.data.ptr).devicePointer == x.data.ptr
    True
    """

    device: int
    devicePointer: int
    hostPointer: int
    type: int


def pointerGetAttributes(ptr: int) -> PointerAttributes:
    """The attributes of an address; `type` is one of `memoryType...`."""
    device, kind, for_device, for_host = System().pointer(ptr)
    return PointerAttributes(device, for_device, for_host, kind)


def pointerGetMemoryType(ptr: int) -> int:
    """Which of `memoryType...` an address is of."""
    return pointerGetAttributes(ptr).type


@dataclass
class MemPoolProps:
    """How a pool of the driver is made: pinned device memory (1) without handles to share (0), on a device (1).

    Parameters
    ----------
    allocType : int
        The kind of memory, always 1: pinned device memory.
    handleType : int
        By what handles memory of the pool can be shared with other processes; 0 is by none.
    locationType : int
        Where the memory is, always 1: on a device.
    devId : int
        The number of that device.

    >>> runtime.MemPoolProps(devId=0)
    MemPoolProps(allocType=1, handleType=0, locationType=1, devId=0)
    """

    allocType: int = 1
    handleType: int = 0
    locationType: int = 1
    devId: int = 0


def memPoolCreate(props: MemPoolProps) -> int:
    """A new pool of the driver."""
    if (props.allocType, props.handleType, props.locationType) != (1, 0, 1):
        raise UnsupportedError("pools are made of pinned memory of a device, without handles to share")
    return System(props.devId).create_pool()


def memPoolDestroy(pool: int) -> None:
    """Destroys a pool of the driver."""
    System().destroy_pool(pool)


def memPoolTrimTo(pool: int, size: int) -> None:
    """Returns unused memory of a driver pool to the device, except `size` bytes.

    >>> runtime.memPoolTrimTo(runtime.deviceGetDefaultMemPool(0), 0)
    """
    System().trim_pool(pool, size)


def deviceGetDefaultMemPool(device: int) -> int:
    """The pool of the driver that a device begins with."""
    return System(device).pool(True)


def deviceGetMemPool(device: int) -> int:
    """The current pool of the driver for a device."""
    return System(device).pool(False)


def deviceSetMemPool(device: int, pool: int) -> None:
    """Sets the current pool of the driver for a device.

    >>> pool = runtime.memPoolCreate(runtime.MemPoolProps())
    >>> runtime.deviceSetMemPool(0, pool)
    >>> runtime.deviceGetMemPool(0) == pool
    True
    >>> runtime.deviceSetMemPool(0, runtime.deviceGetDefaultMemPool(0))
    >>> runtime.memPoolDestroy(pool)
    """
    System(device).set_pool(pool)
