"""Devices."""

from __future__ import annotations

from .._cuproxide import Device
from .runtime import deviceGetByPCIBusId, getDevice

__all__ = [
    "Device",
    "from_pci_bus_id",
    "get_compute_capability",
    "get_cublas_handle",
    "get_cusolver_handle",
    "get_cusolver_sp_handle",
    "get_cusparse_handle",
    "get_device_id",
]


def get_compute_capability() -> str:
    """The compute capability of the current device as digits, such as "90"; "00" where there is no such thing."""
    return Device().compute_capability


def get_device_id() -> int:
    """The number of the thread's current device."""
    return getDevice()


def from_pci_bus_id(pci_bus_id: str) -> Device:
    """The device at an address of the PCI bus, written as `0000:01:00.0`."""
    return Device(deviceGetByPCIBusId(pci_bus_id))


def get_cublas_handle() -> int:
    """`Device().cublas_handle`: UnsupportedError where the device has no such library, ImportError if it is missing."""
    return Device().cublas_handle


def get_cusolver_handle() -> int:
    """`Device().cusolver_handle`, likewise."""
    return Device().cusolver_handle


def get_cusolver_sp_handle() -> int:
    """`Device().cusolver_sp_handle`, likewise."""
    return Device().cusolver_sp_handle


def get_cusparse_handle() -> int:
    """`Device().cusparse_handle`, likewise."""
    return Device().cusparse_handle
