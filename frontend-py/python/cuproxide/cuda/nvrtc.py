"""The run-time compiler."""

from __future__ import annotations

from .._cuproxide import CompileError
from .runtime._devices import compiler_version

__all__ = ["NVRTCError", "getVersion"]

NVRTCError = CompileError


def getVersion() -> tuple[int, int]:
    """Major and minor version of the compiler: NVRTC's, or that of the ROCm whose hiprtc it is."""
    return compiler_version()[:2]
