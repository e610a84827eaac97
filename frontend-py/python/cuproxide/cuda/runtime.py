"""The few calls of the CUDA run-time interface that programs make directly."""

from __future__ import annotations

from .._cuproxide import Device, DeviceError, device_count

__all__ = ["CUDARuntimeError", "deviceSynchronize", "getDevice", "getDeviceCount", "memGetInfo", "setDevice"]

CUDARuntimeError = DeviceError


def getDeviceCount() -> int:
    """The number of devices of the current backend."""
    return device_count()


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
