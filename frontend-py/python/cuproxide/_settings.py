"""Environment variables of the package, with the spelling `CUPY_` where that of the package is not set."""

from __future__ import annotations

import os

from . import _cuproxide

__all__ = ["apply", "flag", "variable"]


def variable(name: str) -> str | None:
    """The content of a variable; None if it is not set or set to nothing."""
    for spelling in (name, name.replace("CUPROXIDE_", "CUPY_", 1)):
        value = os.environ.get(spelling, "").strip()
        if value:
            return value
    return None


def flag(name: str) -> bool | None:
    """Whether a variable says yes; None if it is not set."""
    value = variable(name)
    if value is None:
        return None
    if value.lower() in ("1", "true", "on", "yes"):
        return True
    if value.lower() in ("0", "false", "off", "no"):
        return False
    raise ValueError(f"{name}={value!r} is not valid: 0 or 1")


def _number(name: str, allowed: tuple[int, ...]) -> int | None:
    value = variable(name)
    if value is None:
        return None
    if value not in map(str, allowed):
        raise ValueError(f"{name}={value!r} is not valid: one of {', '.join(map(str, allowed))}")
    return int(value)


def _memory_limit() -> int | float | None:
    value = variable("CUPROXIDE_GPU_MEMORY_LIMIT")
    if value is None:
        return None
    try:
        if value.endswith("%"):
            fraction = float(value[:-1]) / 100
            if not 0 <= fraction <= 1:
                raise ValueError
            return fraction
        limit = int(value)
        if limit < 0:
            raise ValueError
    except ValueError:
        message = f"CUPROXIDE_GPU_MEMORY_LIMIT={value!r} is not valid: bytes, or a percentage such as 50%"
        raise ValueError(message) from None
    return limit


def apply() -> None:
    """Hands the settings that the compiled half needs to it."""
    dlpack = variable("CUPROXIDE_DLPACK_EXPORT_VERSION")
    settings = {
        "per_thread_streams": flag("CUPROXIDE_CUDA_PER_THREAD_DEFAULT_STREAM"),
        "memory_limit": _memory_limit(),
        "tf32": flag("CUPROXIDE_TF32"),
        "interface_sync": flag("CUPROXIDE_CUDA_ARRAY_INTERFACE_SYNC"),
        "interface_version": _number("CUPROXIDE_CUDA_ARRAY_INTERFACE_EXPORT_VERSION", (2, 3)),
        "print_sources": flag("CUPROXIDE_DUMP_CUDA_SOURCE_ON_ERROR"),
        "versioned_dlpack": None if dlpack is None else int(dlpack.partition(".")[0]) >= 1,
    }
    chosen = {name: value for name, value in settings.items() if value is not None}
    if chosen:
        _cuproxide.configure(**chosen)
