"""The error of calls, by CuPy's name, and the one for arguments that mean nothing."""

from __future__ import annotations

from ..._devices.errors import DeviceError

__all__ = ["CUDARuntimeError"]

CUDARuntimeError = DeviceError


def invalid(message: str) -> DeviceError:
    """The error for a handle or an address that means nothing."""
    error = DeviceError(message)
    error.status = 1
    return error
