"""The error of a call that failed, by the names and codes that programs compare."""

from __future__ import annotations

import re

from ..._cuproxide import DeviceError

__all__ = ["CUDARuntimeError"]

CUDARuntimeError = DeviceError

# Codes of the driver that the run-time interface names in another way; it spells the others alike.
_RENAMED = {
    "OUT_OF_MEMORY": "MemoryAllocation",
    "NOT_INITIALIZED": "InitializationError",
    "DEINITIALIZED": "CudartUnloading",
    "INVALID_IMAGE": "InvalidKernelImage",
    "INVALID_CONTEXT": "DeviceUninitialized",
    "MAP_FAILED": "MapBufferObjectFailed",
    "UNMAP_FAILED": "UnmapBufferObjectFailed",
    "NO_BINARY_FOR_GPU": "NoKernelImageForDevice",
    "ECC_UNCORRECTABLE": "ECCUncorrectable",
    "CONTEXT_ALREADY_IN_USE": "DeviceAlreadyInUse",
    "UNSUPPORTED_DEVSIDE_SYNC": "UnsupportedDevSideSync",
    "INVALID_HANDLE": "InvalidResourceHandle",
    "NOT_FOUND": "SymbolNotFound",
    "PRIMARY_CONTEXT_ACTIVE": "SetOnActiveProcess",
    "LAUNCH_FAILED": "LaunchFailure",
}
_OF_DRIVER = re.compile(r"\bCUDA_ERROR_([A-Z0-9_]+)\b")


def _named(match: re.Match[str]) -> str:
    """The driver's name of an error, followed by that of the run-time interface."""
    name = match[1]
    return f"{match[0]}, cudaError{_RENAMED.get(name) or name.title().replace('_', '')}"


def _text(self: DeviceError) -> str:
    return _OF_DRIVER.sub(_named, RuntimeError.__str__(self), count=1)


def invalid(message: str) -> DeviceError:
    """The error for a handle or an address that means nothing."""
    error = DeviceError(message)
    error.status = 1
    return error


# The class belongs to the extension, which knows the driver's names only. Errors of this package's own have no code.
DeviceError.status = None
DeviceError.__str__ = _text  # type: ignore[method-assign]
