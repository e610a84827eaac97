"""What programs ask of the driver."""

from __future__ import annotations

from .._cuproxide import DeviceError
from .runtime import driverGetVersion

__all__ = ["CUDADriverError", "get_build_version"]

CUDADriverError = DeviceError


def get_build_version() -> int:
    """The version that the driver serves, as 1000 * major + 10 * minor: nothing is fixed when the package is built."""
    return driverGetVersion()
