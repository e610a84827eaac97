"""Environment variables of the package. Their table and their parser are in the compiled half."""

from __future__ import annotations

from typing import Any

from .. import _cuproxide
from .._lib.contraction import chosen as chosen_accelerators

__all__ = ["apply"]


def apply() -> None:
    """Checks every variable of the table, and hands what they say to the compiled half.

    Raises
    ------
    ValueError
        For a value without a meaning; the message names the variable, the value and what is expected.
    """
    _cuproxide.check_settings()
    chosen_accelerators()
    dlpack: Any = _cuproxide.setting("CUPROXIDE_DLPACK_EXPORT_VERSION")
    interface = _cuproxide.setting("CUPROXIDE_CUDA_ARRAY_INTERFACE_EXPORT_VERSION")
    settings: dict[str, Any] = {
        "per_thread_streams": _cuproxide.setting("CUPROXIDE_CUDA_PER_THREAD_DEFAULT_STREAM"),
        "memory_limit": _cuproxide.setting("CUPROXIDE_GPU_MEMORY_LIMIT"),
        "tf32": _cuproxide.setting("CUPROXIDE_TF32"),
        "interface_sync": _cuproxide.setting("CUPROXIDE_CUDA_ARRAY_INTERFACE_SYNC"),
        "interface_version": None if interface is None else int(str(interface)),
        "print_sources": _cuproxide.setting("CUPROXIDE_DUMP_CUDA_SOURCE_ON_ERROR"),
        "versioned_dlpack": None if dlpack is None else dlpack[0] >= 1,
    }
    chosen = {name: value for name, value in settings.items() if value is not None}
    if chosen:
        _cuproxide.configure(**chosen)
