"""The run-time interface's calls about versions and devices."""

from __future__ import annotations

import functools
from typing import Any

from ... import _cuproxide
from ..._cuproxide import Device, System, UnsupportedError
from ..._cuproxide import device_count as _device_count
from ._constants import (
    cudaDevAttrMaxSharedMemoryPerBlock,
    cudaDevAttrMaxSharedMemoryPerBlockOptin,
    cudaDevAttrMaxThreadsPerBlock,
    cudaDevAttrMultiProcessorCount,
    cudaDevAttrWarpSize,
)
from ._errors import invalid

__all__ = [
    "deviceCanAccessPeer",
    "deviceDisablePeerAccess",
    "deviceEnablePeerAccess",
    "deviceGetAttribute",
    "deviceGetByPCIBusId",
    "deviceGetLimit",
    "deviceGetPCIBusId",
    "deviceGetStreamPriorityRange",
    "deviceSetLimit",
    "deviceSynchronize",
    "driverGetVersion",
    "getDevice",
    "getDeviceCount",
    "getDeviceProperties",
    "get_local_runtime_version",
    "memGetInfo",
    "profilerStart",
    "profilerStop",
    "runtimeGetVersion",
    "setDevice",
]


# The version of the interface that this module follows, and tells of itself where no toolkit is at work.
_INTERFACE = 12090
# Numbers of `cudaDeviceAttr` that there may be.
_ATTRIBUTES = range(1, 1 << 10)


def compiler_version() -> tuple[int, int, int]:
    """Version of the run-time compiler of the current backend."""
    return _compiler_version(Device().backend)


@functools.cache
def _compiler_version(backend: str) -> tuple[int, int, int]:
    # Asking opens every library of every backend: once is enough.
    name = "hiprtc" if backend == "hip" else "NVRTC"
    for report in _cuproxide.reports():
        if report["backend"] == backend:
            for library in report["libraries"]:
                if library["name"] == name and library["error"] is None:
                    major, minor, patch = (str(library["version"]).split(".") + ["0"])[:3]
                    return int(major), int(minor), int(patch)
    raise UnsupportedError(f"{backend} does not support {name}")


@functools.cache
def _driver_version(backend: str) -> int:
    return 0 if backend == "cpu" else System().driver_version()


def driverGetVersion() -> int:
    """The version that the driver serves: 1000 * major + 10 * minor of CUDA, ROCm's own number of ROCm.

    0 on the CPU, as CUDA answers where no driver is installed.
    """
    return _driver_version(Device().backend)


def runtimeGetVersion() -> int:
    """The version of the toolkit that kernels are compiled with.

    1000 * major + 10 * minor of CUDA, 10**7 * major + 10**5 * minor + patch of ROCm. On the CPU, which needs no
    toolkit, the version of CUDA whose calls this module follows.
    """
    backend = Device().backend
    if backend == "cpu":
        return _INTERFACE
    major, minor, patch = _compiler_version(backend)
    return 10**7 * major + 10**5 * minor + patch if backend == "hip" else 1000 * major + 10 * minor


def get_local_runtime_version() -> int:
    """The version of the toolkit on this machine; that of `runtimeGetVersion`, since nothing comes with the package."""
    return runtimeGetVersion()


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
    """A fact about a device by its number in `cudaDeviceAttr`.

    On the CPU the limits of launches are those of the engine that runs the programs' kernels; what only GPUs have is 0.

    Parameters
    ----------
    attrib : int
        The number of the attribute.

    >>> runtime.deviceGetAttribute(runtime.cudaDevAttrMultiProcessorCount, 0) >= 0
    True
    """
    chosen = Device(device)
    known = {cudaDevAttrMultiProcessorCount: chosen.multiprocessors, cudaDevAttrWarpSize: _warp_size(chosen)}
    if attrib in known:
        return known[attrib]
    if chosen.backend == "cpu":
        if attrib not in _ATTRIBUTES:
            raise invalid(f"attrib={attrib} is not the number of an attribute")
        return chosen.attributes[_LIMITS[attrib]] if attrib in _LIMITS else 0
    return System(chosen).attribute(attrib)


def _warp_size(device: Device) -> int:
    """Threads that move in step: those of the programs' own kernels do so on the CPU too."""
    return 32 if device.backend == "cpu" else device.warp_size


# Limits of launches by their numbers.
_LIMITS = {
    cudaDevAttrMaxThreadsPerBlock: "MaxThreadsPerBlock",
    **{2 + place: f"MaxBlockDim{axis}" for place, axis in enumerate("XYZ")},
    **{5 + place: f"MaxGridDim{axis}" for place, axis in enumerate("XYZ")},
    cudaDevAttrMaxSharedMemoryPerBlock: "MaxSharedMemoryPerBlock",
    cudaDevAttrMaxSharedMemoryPerBlockOptin: "MaxSharedMemoryPerBlockOptin",
}

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
    """The properties of a device that the backend reports, by the names of `cudaDeviceProp`."""
    chosen = Device(device)
    attributes = {name.lower(): value for name, value in chosen.attributes.items()}
    found: dict[str, Any] = {
        "name": chosen.name.encode(),
        "totalGlobalMem": chosen.total_memory,
        "warpSize": _warp_size(chosen),
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
    raise invalid(f"no device has the address {pciBusId!r}")


def deviceCanAccessPeer(device: int, peerDevice: int) -> bool:
    """Whether a device can access the memory of another one.

    Parameters
    ----------
    peerDevice : int
        The number of the other device.

    >>> runtime.deviceCanAccessPeer(0, 0)  # a device is no peer of its own
    False
    """
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
    """Sets a limit of the current device.

    Parameters
    ----------
    limit : int
        The number of the limit.

    >>> runtime.deviceSetLimit(runtime.cudaLimitMallocHeapSize, 1 << 24)  # doctest: +SKIP
    """
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
