"""What the Python array API standard (2025.12) asks for beyond NumPy's names: inspection of the namespace."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._cuproxide import Device, available_devices
from .._typing import DeviceLike

VERSION = "2025.12"

_KINDS: dict[str, tuple[str, ...]] = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float32", "float64"),
    "complex floating": ("complex64", "complex128"),
}
_KINDS["integral"] = _KINDS["signed integer"] + _KINDS["unsigned integer"]
_KINDS["numeric"] = _KINDS["integral"] + _KINDS["real floating"] + _KINDS["complex floating"]


class Info:
    """The result of `__array_namespace_info__()`: capabilities, devices and dtypes, as the standard names them."""

    __module__ = "cuproxide"

    def capabilities(self) -> dict[str, Any]:
        """Capabilities of the library: masks as indices, shapes that depend on data, the greatest number of axes."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Device:
        """The device of new arrays: the thread's current one."""
        return Device()

    def devices(self) -> tuple[Device, ...]:
        """Every device that can be used."""
        return tuple(available_devices())

    def default_dtypes(self, *, device: DeviceLike = None) -> dict[str, np.dtype[Any]]:
        """The dtypes of arrays of Python numbers and of indices, by kind; the same on every device."""
        if device is not None:
            Device(device)
        names = {"real floating": "float64", "complex floating": "complex128", "integral": "int64", "indexing": "int64"}
        return {kind: np.dtype(name) for kind, name in names.items()}

    def dtypes(
        self, *, device: DeviceLike = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, np.dtype[Any]]:
        """The dtypes of the standard by name: all, or those of a kind or of several; the same on every device.

        `kind` is one of "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating",
        "numeric"; `ValueError` for any other.
        """
        if device is not None:
            Device(device)
        kinds = ("bool", "numeric") if kind is None else kind if isinstance(kind, tuple) else (kind,)
        unknown = [name for name in kinds if not isinstance(name, str) or name not in _KINDS]
        if unknown:
            raise ValueError(f"unsupported kind: {unknown[0]!r}")
        # A dict keeps each name once.
        return {name: np.dtype(name) for name in dict.fromkeys(name for kind in kinds for name in _KINDS[kind])}


def namespace_info() -> Info:
    """The inspection namespace of the array API standard."""
    return Info()


namespace_info.__name__ = namespace_info.__qualname__ = "__array_namespace_info__"
namespace_info.__module__ = "cuproxide"
