"""The run-time compiler."""

from __future__ import annotations

from .._cuproxide import CompileError
from .runtime import _library_version

__all__ = ["NVRTCError", "getVersion"]

NVRTCError = CompileError


def getVersion() -> tuple[int, int]:
    """Major and minor version of the compiler."""
    major, minor = _library_version("NVRTC").split(".")[:2]
    return int(major), int(minor)
