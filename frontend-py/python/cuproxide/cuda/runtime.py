"""The calls of the CUDA run-time interface that programs make directly, on every backend that has what they need.

Addresses, handles and codes are plain numbers. What a backend lacks raises `UnsupportedError`, a `CUDARuntimeError`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .. import _cuproxide
from .._cuproxide import Device, DeviceError, Event, ExternalStream, Graph, Stream, System, UnsupportedError
from .._cuproxide import device_count as _device_count
from .._cuproxide import get_elapsed_time as _elapsed

__all__ = [
    "CUDARuntimeError",
    "MemPoolProps",
    "PointerAttributes",
    "cudaDevAttrComputeCapabilityMajor",
    "cudaDevAttrComputeCapabilityMinor",
    "cudaDevAttrConcurrentManagedAccess",
    "cudaDevAttrCooperativeLaunch",
    "cudaDevAttrMaxSharedMemoryPerBlock",
    "cudaDevAttrMaxSharedMemoryPerBlockOptin",
    "cudaDevAttrMaxThreadsPerBlock",
    "cudaDevAttrMemoryPoolsSupported",
    "cudaDevAttrMultiProcessorCount",
    "cudaDevAttrWarpSize",
    "cudaIpcMemLazyEnablePeerAccess",
    "cudaLimitMallocHeapSize",
    "cudaLimitPrintfFifoSize",
    "cudaLimitStackSize",
    "cudaMemAdviseSetAccessedBy",
    "cudaMemAdviseSetPreferredLocation",
    "cudaMemAdviseSetReadMostly",
    "cudaMemAdviseUnsetAccessedBy",
    "cudaMemAdviseUnsetPreferredLocation",
    "cudaMemAdviseUnsetReadMostly",
    "deviceCanAccessPeer",
    "deviceDisablePeerAccess",
    "deviceEnablePeerAccess",
    "deviceGetAttribute",
    "deviceGetByPCIBusId",
    "deviceGetDefaultMemPool",
    "deviceGetLimit",
    "deviceGetMemPool",
    "deviceGetPCIBusId",
    "deviceGetStreamPriorityRange",
    "deviceSetLimit",
    "deviceSetMemPool",
    "deviceSynchronize",
    "driverGetVersion",
    "eventBlockingSync",
    "eventCreate",
    "eventCreateWithFlags",
    "eventDefault",
    "eventDestroy",
    "eventDisableTiming",
    "eventElapsedTime",
    "eventInterprocess",
    "eventQuery",
    "eventRecord",
    "eventSynchronize",
    "free",
    "freeAsync",
    "freeHost",
    "getDevice",
    "getDeviceCount",
    "getDeviceProperties",
    "get_local_runtime_version",
    "graphDebugDotPrint",
    "graphDestroy",
    "graphExecDestroy",
    "graphInstantiate",
    "graphLaunch",
    "graphUpload",
    "hostAlloc",
    "hostAllocDefault",
    "hostAllocMapped",
    "hostAllocPortable",
    "hostAllocWriteCombined",
    "hostRegister",
    "hostUnregister",
    "ipcCloseMemHandle",
    "ipcGetEventHandle",
    "ipcGetMemHandle",
    "ipcOpenEventHandle",
    "ipcOpenMemHandle",
    "is_hip",
    "launchHostFunc",
    "malloc",
    "mallocAsync",
    "mallocFromPoolAsync",
    "mallocManaged",
    "memAdvise",
    "memAttachGlobal",
    "memAttachHost",
    "memAttachSingle",
    "memGetInfo",
    "memPoolCreate",
    "memPoolDestroy",
    "memPoolTrimTo",
    "memPrefetchAsync",
    "memcpy",
    "memcpy2D",
    "memcpy2DAsync",
    "memcpyAsync",
    "memcpyDefault",
    "memcpyDeviceToDevice",
    "memcpyDeviceToHost",
    "memcpyHostToDevice",
    "memcpyHostToHost",
    "memcpyPeer",
    "memcpyPeerAsync",
    "memoryTypeDevice",
    "memoryTypeHost",
    "memoryTypeManaged",
    "memoryTypeUnregistered",
    "memset",
    "memsetAsync",
    "pointerGetAttributes",
    "profilerStart",
    "profilerStop",
    "runtimeGetVersion",
    "setDevice",
    "streamAddCallback",
    "streamBeginCapture",
    "streamCaptureModeGlobal",
    "streamCaptureModeRelaxed",
    "streamCaptureModeThreadLocal",
    "streamCaptureStatusActive",
    "streamCaptureStatusInvalidated",
    "streamCaptureStatusNone",
    "streamCreate",
    "streamCreateWithFlags",
    "streamCreateWithPriority",
    "streamDefault",
    "streamDestroy",
    "streamEndCapture",
    "streamIsCapturing",
    "streamLegacy",
    "streamNonBlocking",
    "streamPerThread",
    "streamQuery",
    "streamSynchronize",
    "streamWaitEvent",
    "malloc3DArray",
    "mallocArray",
    "freeArray",
    "memcpy2DFromArray",
    "memcpy2DFromArrayAsync",
    "memcpy2DToArray",
    "memcpy2DToArrayAsync",
    "memcpy3D",
    "memcpy3DAsync",
    "cudaAddressModeWrap",
    "cudaAddressModeClamp",
    "cudaAddressModeMirror",
    "cudaAddressModeBorder",
    "cudaFilterModePoint",
    "cudaFilterModeLinear",
    "cudaReadModeElementType",
    "cudaReadModeNormalizedFloat",
    "cudaChannelFormatKindSigned",
    "cudaChannelFormatKindUnsigned",
    "cudaChannelFormatKindFloat",
    "cudaResourceTypeArray",
    "cudaResourceTypeLinear",
    "cudaResourceTypePitch2D",
    "cudaArrayDefault",
    "cudaArraySurfaceLoadStore",
]

CUDARuntimeError = DeviceError

memcpyHostToHost, memcpyHostToDevice, memcpyDeviceToHost, memcpyDeviceToDevice, memcpyDefault = range(5)
streamDefault, streamNonBlocking = 0, 1
streamLegacy, streamPerThread = 1, 2
streamCaptureModeGlobal, streamCaptureModeThreadLocal, streamCaptureModeRelaxed = range(3)
streamCaptureStatusNone, streamCaptureStatusActive, streamCaptureStatusInvalidated = range(3)
eventDefault, eventBlockingSync, eventDisableTiming, eventInterprocess = 0, 1, 2, 4
hostAllocDefault, hostAllocPortable, hostAllocMapped, hostAllocWriteCombined = 0, 1, 2, 4
memAttachGlobal, memAttachHost, memAttachSingle = 1, 2, 4
memoryTypeUnregistered, memoryTypeHost, memoryTypeDevice, memoryTypeManaged = range(4)
cudaMemAdviseSetReadMostly, cudaMemAdviseUnsetReadMostly = 1, 2
cudaMemAdviseSetPreferredLocation, cudaMemAdviseUnsetPreferredLocation = 3, 4
cudaMemAdviseSetAccessedBy, cudaMemAdviseUnsetAccessedBy = 5, 6
cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize = range(3)
cudaIpcMemLazyEnablePeerAccess = 1
cudaDevAttrMaxThreadsPerBlock, cudaDevAttrMaxSharedMemoryPerBlock, cudaDevAttrWarpSize = 1, 8, 10
cudaDevAttrMultiProcessorCount, cudaDevAttrConcurrentManagedAccess = 16, 89
cudaDevAttrComputeCapabilityMajor, cudaDevAttrComputeCapabilityMinor = 75, 76
cudaDevAttrCooperativeLaunch, cudaDevAttrMaxSharedMemoryPerBlockOptin = 95, 97
cudaDevAttrMemoryPoolsSupported = 115
cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder = range(4)
cudaFilterModePoint, cudaFilterModeLinear = range(2)
cudaReadModeElementType, cudaReadModeNormalizedFloat = range(2)
cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat = range(3)
cudaResourceTypeArray, cudaResourceTypeLinear, cudaResourceTypePitch2D = 0, 2, 3
cudaArrayDefault, cudaArraySurfaceLoadStore = 0, 2
_NOT_READY = 600

_HOST = -1


def _invalid(message: str) -> DeviceError:
    """The error for a handle or an address that means nothing."""
    error = DeviceError(message)
    error.status = 1
    return error


# ------------------------------------------------------------------------------------------------------------- versions


is_hip: bool


def __getattr__(name: str) -> Any:
    # Which backend it is, is known once there is a device: importing this module opens none.
    if name == "is_hip":
        return Device().backend == "hip"
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _compiler_version() -> tuple[int, int, int]:
    """Version of the run-time compiler of the current backend."""
    name = "hiprtc" if Device().backend == "hip" else "NVRTC"
    major, minor, patch = (_library_version(name).split(".") + ["0"])[:3]
    return int(major), int(minor), int(patch)


def _library_version(name: str) -> str:
    for report in _cuproxide.reports():
        if report["backend"] == Device().backend:
            for library in report["libraries"]:
                if library["name"] == name and library["error"] is None:
                    return str(library["version"])
    raise UnsupportedError(f"{Device().backend} does not support {name}")


def driverGetVersion() -> int:
    """The version that the driver serves: 1000 * major + 10 * minor of CUDA, ROCm's own number of ROCm."""
    return System().driver_version()


def runtimeGetVersion() -> int:
    """The version of the toolkit that kernels are compiled with.

    1000 * major + 10 * minor of CUDA, 10**7 * major + 10**5 * minor + patch of ROCm.
    """
    major, minor, patch = _compiler_version()
    return 10**7 * major + 10**5 * minor + patch if Device().backend == "hip" else 1000 * major + 10 * minor


def get_local_runtime_version() -> int:
    """The version of the toolkit on this machine; that of `runtimeGetVersion`, since nothing comes with the package."""
    return runtimeGetVersion()


# -------------------------------------------------------------------------------------------------------------- devices


def getDeviceCount() -> int:
    """The number of devices of the current backend."""
    return _device_count()


def getDevice() -> int:
    """The number of the thread's current device."""
    return Device().id


def setDevice(device: int) -> None:
    """Makes a device of the current backend the thread's current one."""
    Device(device).use()


def deviceSynchronize() -> None:
    """Waits until the current device has done its work."""
    Device().synchronize()


def memGetInfo() -> tuple[int, int]:
    """Free and total memory of the current device in bytes."""
    return Device().mem_info


def deviceGetAttribute(attrib: int, device: int) -> int:
    """A fact about a device by its number in `cudaDeviceAttr`."""
    chosen = Device(device)
    known = {cudaDevAttrMultiProcessorCount: chosen.multiprocessors, cudaDevAttrWarpSize: chosen.warp_size}
    return known[attrib] if attrib in known else System(chosen).attribute(attrib)


# Names in `cudaDeviceProp`, and what they are among the attributes of a device.
_PROPERTIES = {
    "sharedMemPerBlock": "MaxSharedMemoryPerBlock",
    "sharedMemPerBlockOptin": "MaxSharedMemoryPerBlockOptin",
    "sharedMemPerMultiprocessor": "MaxSharedMemoryPerMultiprocessor",
    "regsPerBlock": "MaxRegistersPerBlock",
    "regsPerMultiprocessor": "MaxRegistersPerMultiprocessor",
    "maxThreadsPerBlock": "MaxThreadsPerBlock",
    "maxThreadsPerMultiProcessor": "MaxThreadsPerMultiprocessor",
    "maxBlocksPerMultiProcessor": "MaxBlocksPerMultiprocessor",
    "totalConstMem": "TotalConstantMemory",
    "clockRate": "ClockRate",
    "memoryClockRate": "MemoryClockRate",
    "memoryBusWidth": "GlobalMemoryBusWidth",
    "l2CacheSize": "L2CacheSize",
    "integrated": "Integrated",
    "concurrentKernels": "ConcurrentKernels",
    "asyncEngineCount": "AsyncEngineCount",
    "computeMode": "ComputeMode",
    "ECCEnabled": "EccEnabled",
    "unifiedAddressing": "UnifiedAddressing",
    "managedMemory": "ManagedMemory",
    "concurrentManagedAccess": "ConcurrentManagedAccess",
    "pageableMemoryAccess": "PageableMemoryAccess",
    "cooperativeLaunch": "CooperativeLaunch",
    "pciBusID": "PciBusId",
    "pciDeviceID": "PciDeviceId",
    "pciDomainID": "PciDomainId",
}


def getDeviceProperties(device: int) -> dict[str, Any]:
    """What is known about a device, by the names of `cudaDeviceProp`; what the backend does not tell is left out."""
    chosen = Device(device)
    attributes = {name.lower(): value for name, value in chosen.attributes.items()}
    found: dict[str, Any] = {
        "name": chosen.name.encode(),
        "totalGlobalMem": chosen.total_memory,
        "warpSize": chosen.warp_size,
        "multiProcessorCount": chosen.multiprocessors,
    }
    if chosen.compute_capability:
        found["major"], found["minor"] = int(chosen.compute_capability[:-1]), int(chosen.compute_capability[-1])
    if chosen.backend == "hip":
        found["gcnArchName"] = chosen.architecture.encode()
    for name, attribute in _PROPERTIES.items():
        if attribute.lower() in attributes:
            found[name] = attributes[attribute.lower()]
    for name, stem in (("maxThreadsDim", "maxblockdim"), ("maxGridSize", "maxgriddim")):
        sizes = tuple(attributes[stem + axis] for axis in "xyz" if stem + axis in attributes)
        if len(sizes) == 3:
            found[name] = sizes
    return found


def deviceGetPCIBusId(device: int) -> str:
    """The address of a device on the PCI bus, such as `0000:01:00.0`."""
    address = Device(device).pci_bus_id
    if not address:
        raise UnsupportedError(f"{Device(device)} is not on the PCI bus")
    return address


def deviceGetByPCIBusId(pciBusId: str) -> int:
    """The number of the device at an address of the PCI bus."""
    wanted = pciBusId.lower() if pciBusId.count(":") == 2 else f"0000:{pciBusId.lower()}"
    for number in range(getDeviceCount()):
        if Device(number).pci_bus_id == wanted:
            return number
    raise _invalid(f"no device has the address {pciBusId!r}")


def deviceCanAccessPeer(device: int, peerDevice: int) -> bool:
    """Whether a device can access the memory of another one."""
    return System(device).can_access(Device(peerDevice))


def deviceEnablePeerAccess(peerDevice: int) -> None:
    """Lets the current device access the memory of another one."""
    System().enable_access(Device(peerDevice))


def deviceDisablePeerAccess(peerDevice: int) -> None:
    """Ends the current device's access to the memory of another one."""
    System().disable_access(Device(peerDevice))


def deviceGetLimit(limit: int) -> int:
    """A limit of the current device (`cudaLimit...`)."""
    return System().limit(limit)


def deviceSetLimit(limit: int, value: int) -> None:
    """Sets a limit of the current device."""
    System().set_limit(limit, value)


def deviceGetStreamPriorityRange() -> tuple[int, int]:
    """The least and the greatest priority of streams."""
    return System().priorities()


def profilerStart() -> None:
    """Lets a profiler that is attached to the process begin to collect."""
    System().profile(True)


def profilerStop() -> None:
    """Lets it pause."""
    System().profile(False)


# --------------------------------------------------------------------------------------------------------------- memory

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
    system, kind, size = _blocks.get(ptr, (None, "", 0))
    if system is None or kind not in kinds:
        raise _invalid(f"{ptr:#x} is no memory that can be freed here")
    del _blocks[ptr]
    system.free(kind, ptr, size)


def malloc(size: int) -> int:
    """`size` bytes of device memory."""
    return _allocate("device", size)


def mallocManaged(size: int, flags: int = memAttachGlobal) -> int:
    """`size` bytes that migrate between the host and the device."""
    if flags not in (memAttachGlobal, memAttachHost):
        raise _invalid(f"flags={flags} is neither memAttachGlobal nor memAttachHost")
    return _allocate("managed", size)


def hostAlloc(size: int, flags: int = hostAllocDefault) -> int:
    """`size` bytes of page-locked host memory. The flags ask for what all of it has, or for less."""
    if not 0 <= flags < 8:
        raise _invalid(f"flags={flags} is no combination of hostAlloc...")
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
    """`size` bytes of device memory in the order of a stream, from the current pool of the driver."""
    return mallocFromPoolAsync(size, 0, stream)


def mallocFromPoolAsync(size: int, pool: int, stream: int) -> int:
    """`size` bytes of device memory in the order of a stream, from a pool of the driver."""
    system = System()
    ptr = system.allocate_ordered(_stream(stream), pool, size)
    _ordered[ptr] = system
    return ptr


def freeAsync(ptr: int, stream: int) -> None:
    """Frees memory from `mallocAsync` in the order of a stream; 0 is nothing."""
    if ptr == 0:
        return
    if ptr not in _ordered:
        raise _invalid(f"{ptr:#x} was not allocated in the order of a stream")
    _ordered.pop(ptr).free_ordered(_stream(stream), ptr)


def hostRegister(ptr: int, size: int, flags: int = 0) -> None:
    """Page-locks host memory that exists."""
    System().register(ptr, size, flags)


def hostUnregister(ptr: int) -> None:
    """Ends the page-lock."""
    System().unregister(ptr)


def _check_copy(kind: int) -> None:
    if kind not in range(5):
        raise _invalid(f"kind={kind} is none of memcpyHostToHost to memcpyDefault")


def memcpy(dst: int, src: int, size: int, kind: int) -> None:
    """Copies `size` bytes and waits for the copy."""
    memcpyAsync(dst, src, size, kind, 0)
    Stream.null.synchronize()


def memcpyAsync(dst: int, src: int, size: int, kind: int, stream: int) -> None:
    """Queues a copy of `size` bytes."""
    _check_copy(kind)
    System().copy(_stream(stream), dst, src, size)


def memcpyPeer(dst: int, dstDevice: int, src: int, srcDevice: int, size: int) -> None:
    """Copies `size` bytes from one device to another and waits for the copy."""
    with Device(dstDevice):
        memcpyPeerAsync(dst, dstDevice, src, srcDevice, size, 0)
        Stream.null.synchronize()


def memcpyPeerAsync(dst: int, dstDevice: int, src: int, srcDevice: int, size: int, stream: int) -> None:
    """Queues a copy of `size` bytes from one device to another."""
    System(dstDevice).copy_from_peer(_stream(stream), dst, Device(srcDevice), src, size)


def memcpy2D(dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int) -> None:
    """Copies `height` lines of `width` bytes, which begin every `dpitch` and `spitch` bytes, and waits for the copy."""
    memcpy2DAsync(dst, dpitch, src, spitch, width, height, kind, 0)
    Stream.null.synchronize()


def memcpy2DAsync(
    dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int, stream: int
) -> None:
    """Queues a copy of `height` lines of `width` bytes, which begin every `dpitch` and `spitch` bytes."""
    _check_copy(kind)
    System().copy_pitched(_stream(stream), dst, dpitch, src, spitch, width, height)


def memset(ptr: int, value: int, size: int) -> None:
    """Sets `size` bytes to `value` and waits for it."""
    memsetAsync(ptr, value, size, 0)
    Stream.null.synchronize()


def memsetAsync(ptr: int, value: int, size: int, stream: int) -> None:
    """Queues setting `size` bytes to `value`."""
    System().fill(_stream(stream), ptr, value & 0xFF, size)


def memPrefetchAsync(devPtr: int, count: int, dstDevice: int, stream: int) -> None:
    """Queues moving managed memory to a device, or (-1) to the host."""
    System().prefetch(_stream(stream), devPtr, count, None if dstDevice == _HOST else dstDevice)


def memAdvise(devPtr: int, count: int, advice: int, device: int) -> None:
    """Says how managed memory will be used (`cudaMemAdvise...`), by a device or (-1) by the host."""
    System().advise(devPtr, count, advice, None if device == _HOST else device)


@dataclass(frozen=True)
class PointerAttributes:
    """What is known about an address: device number (-1 for none), addresses for device and host (0 for none), kind."""

    device: int
    devicePointer: int
    hostPointer: int
    type: int


def pointerGetAttributes(ptr: int) -> PointerAttributes:
    """What is known about an address; `type` is one of `memoryType...`."""
    device, kind, for_device, for_host = System().pointer(ptr)
    return PointerAttributes(device, for_device, for_host, kind)


@dataclass
class MemPoolProps:
    """How a pool of the driver is made: pinned device memory (1) without handles to share (0), on a device (1)."""

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
    """Gives unused memory of a pool of the driver back to the device, but for `size` bytes."""
    System().trim_pool(pool, size)


def deviceGetDefaultMemPool(device: int) -> int:
    """The pool of the driver that a device begins with."""
    return System(device).pool(True)


def deviceGetMemPool(device: int) -> int:
    """The current pool of the driver for a device."""
    return System(device).pool(False)


def deviceSetMemPool(device: int, pool: int) -> None:
    """Sets the current pool of the driver for a device."""
    System(device).set_pool(pool)


# --------------------------------------------------------------------------------------------------- streams and events

_streams: dict[int, Stream] = {}
_gone: set[int] = set()


def _stream(handle: int) -> Stream:
    """The stream with a handle: one of this module, a default stream, or another library's."""
    if handle in (0, streamLegacy):
        return Stream.null
    if handle == streamPerThread:
        return Stream.ptds
    if handle in _gone:
        raise _invalid(f"the stream {handle:#x} was destroyed")
    return _streams[handle] if handle in _streams else ExternalStream(handle)


def _keep(stream: Stream) -> int:
    _gone.discard(stream.ptr)
    _streams[stream.ptr] = stream
    return stream.ptr


def streamCreate() -> int:
    """A new stream."""
    return _keep(Stream())


def streamCreateWithFlags(flags: int) -> int:
    """A new stream; `streamNonBlocking` does not wait for the default stream."""
    return streamCreateWithPriority(flags, 0)


def streamCreateWithPriority(flags: int, priority: int) -> int:
    """A new stream with a priority; lower numbers run first."""
    if flags not in (streamDefault, streamNonBlocking):
        raise _invalid(f"flags={flags} is neither streamDefault nor streamNonBlocking")
    return _keep(Stream(non_blocking=flags == streamNonBlocking, priority=priority))


def streamDestroy(stream: int) -> None:
    """Destroys a stream once its work is done."""
    if stream not in _streams:
        raise _invalid(f"{stream:#x} is no stream that was made here")
    del _streams[stream]
    _gone.add(stream)


def streamSynchronize(stream: int) -> None:
    """Waits until a stream has done its work."""
    _stream(stream).synchronize()


def streamQuery(stream: int) -> int:
    """0 if a stream has done its work, 600 if not."""
    return 0 if _stream(stream).done else _NOT_READY


def streamAddCallback(stream: int, callback: Callable[[int, int, Any], object], arg: Any, flags: int = 0) -> None:
    """Queues the call `callback(stream, status, arg)`."""
    _stream(stream).add_callback(lambda _, status, given: callback(stream, status, given), arg)


def launchHostFunc(stream: int, callback: Callable[[Any], object], arg: Any) -> None:
    """Queues the call `callback(arg)`."""
    _stream(stream).launch_host_func(callback, arg)


def streamWaitEvent(stream: int, event: int, flags: int = 0) -> None:
    """Lets later work of a stream wait for an event."""
    _stream(stream).wait_event(_event(event))


_events: dict[int, Event] = {}


def _event(handle: int) -> Event:
    if handle not in _events:
        raise _invalid(f"{handle:#x} is no event that was made here")
    return _events[handle]


def eventCreate() -> int:
    """A new event."""
    return eventCreateWithFlags(eventDefault)


def eventCreateWithFlags(flags: int) -> int:
    """A new event (`event...`)."""
    if not 0 <= flags < 8:
        raise _invalid(f"flags={flags} is no combination of event...")
    timing, shared = bool(flags & eventDisableTiming), bool(flags & eventInterprocess)
    event = Event(bool(flags & eventBlockingSync), timing, shared)
    _events[event.ptr] = event
    return event.ptr


def eventDestroy(event: int) -> None:
    """Destroys an event."""
    _event(event)
    del _events[event]


def eventElapsedTime(start: int, end: int) -> float:
    """Milliseconds between two events that have been reached."""
    return _elapsed(_event(start), _event(end))


def eventQuery(event: int) -> int:
    """0 if an event has been reached, 600 if not."""
    return 0 if _event(event).done else _NOT_READY


def eventRecord(event: int, stream: int) -> None:
    """Records an event on a stream."""
    _event(event).record(_stream(stream))


def eventSynchronize(event: int) -> None:
    """Waits until an event has been reached."""
    _event(event).synchronize()


def ipcGetMemHandle(devPtr: int) -> bytes:
    """A handle of device memory for other processes."""
    return System().share_memory(devPtr)


def ipcOpenMemHandle(handle: bytes, flags: int = cudaIpcMemLazyEnablePeerAccess) -> int:
    """The memory behind another process's handle."""
    return System().open_memory(handle)


def ipcCloseMemHandle(devPtr: int) -> None:
    """Closes such memory."""
    System().close_memory(devPtr)


def ipcGetEventHandle(event: int) -> bytes:
    """A handle of an event that was made with `eventInterprocess`."""
    return System().share_event(_event(event))


def ipcOpenEventHandle(handle: bytes) -> int:
    """The event behind another process's handle."""
    event = System().open_event(handle)
    _events[event.ptr] = event
    return event.ptr


# --------------------------------------------------------------------------------------------------------------- graphs

_graphs: dict[int, Graph] = {}
_executables: dict[int, Graph] = {}


def _graph(known: dict[int, Graph], handle: int) -> Graph:
    if handle not in known:
        raise _invalid(f"{handle:#x} is no graph that was made here")
    return known[handle]


def streamBeginCapture(stream: int, mode: int = streamCaptureModeRelaxed) -> None:
    """Starts to capture what is queued on a stream."""
    _stream(stream).begin_capture(mode)


def streamEndCapture(stream: int) -> int:
    """Ends the capture; the handle of its graph."""
    graph = _stream(stream).end_capture()
    _graphs[graph.graph] = graph
    return graph.graph


def streamIsCapturing(stream: int) -> bool:
    """Whether a stream takes part in a capture."""
    return _stream(stream).is_capturing()


def graphInstantiate(graph: int) -> int:
    """The handle of a graph's executable form."""
    found = _graph(_graphs, graph)
    _executables[found.graphExec] = found
    return found.graphExec


def graphLaunch(graphExec: int, stream: int) -> None:
    """Queues the work of a graph."""
    _graph(_executables, graphExec).launch(_stream(stream))


def graphUpload(graphExec: int, stream: int) -> None:
    """Moves what a launch needs to the device."""
    _graph(_executables, graphExec).upload(_stream(stream))


def graphDestroy(graph: int) -> None:
    """Gives up a graph."""
    _graph(_graphs, graph)
    del _graphs[graph]


def graphExecDestroy(graphExec: int) -> None:
    """Gives up the executable form of a graph."""
    _graph(_executables, graphExec)
    del _executables[graphExec]


def graphDebugDotPrint(graph: int, path: str | os.PathLike[str], flags: int = 0) -> None:
    """Writes a graph to a file in the DOT language."""
    with open(path, "w") as file:
        file.write(_graph(_graphs, graph).debug_dot_str(flags))


# At the end, since that module uses this one.
from ._arrays import (  # noqa: E402
    freeArray,
    malloc3DArray,
    mallocArray,
    memcpy2DFromArray,
    memcpy2DFromArrayAsync,
    memcpy2DToArray,
    memcpy2DToArrayAsync,
    memcpy3D,
    memcpy3DAsync,
)
