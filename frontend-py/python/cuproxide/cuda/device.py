"""Devices."""

from __future__ import annotations

from .._cuproxide import Device
from .runtime import deviceGetByPCIBusId, getDevice

__all__ = ["Device", "from_pci_bus_id", "get_compute_capability", "get_device_id"]


def get_compute_capability() -> str:
    """The compute capability of the current device as digits, such as "90"; "00" where there is no such thing."""
    return Device().compute_capability


def get_device_id() -> int:
    """The number of the thread's current device."""
    return getDevice()


def from_pci_bus_id(pci_bus_id: str) -> Device:
    """The device at an address of the PCI bus, written as `0000:01:00.0`."""
    return Device(deviceGetByPCIBusId(pci_bus_id))
